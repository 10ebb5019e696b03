//! The readings of a delimited text (W6), and whether one of them is a URI.

use super::check;
use super::options::Hyphen;
use super::walk::{Candidate, Delimited};
use crate::item::Problems;

/// One reading of the candidate's text, with the raw span of each byte.
pub(super) type Variant = (Vec<u8>, Vec<(usize, usize)>);

/// W6: returns the readings of the hyphens before line breaks, at most two.
pub(super) fn variants(delimited: &Delimited, hyphen: Hyphen) -> Vec<Variant> {
    let kept = (delimited.text.clone(), delimited.spans.clone());
    if delimited.hyphens.is_empty() || hyphen == Hyphen::Keep {
        return vec![kept];
    }
    let mut dropped = kept.clone();
    for &at in delimited.hyphens.iter().rev() {
        dropped.0.remove(at);
        dropped.1.remove(at);
    }
    match hyphen {
        Hyphen::Both => vec![kept, dropped],
        _ => vec![dropped],
    }
}

/// Returns the problems of a text; `None` when it is not a URI.
pub(super) fn checked(candidate: &Candidate, text: &[u8]) -> Option<Problems> {
    if candidate.is_abbreviated() {
        check::check_abbreviated(text)
    } else {
        check::check(text, candidate.scheme().len(), candidate.options)
    }
}

/// Whether a reading of the wrapper's content is a URI.
pub(super) fn passes(candidate: &Candidate, delimited: &Delimited) -> bool {
    variants(delimited, candidate.options.hyphen)
        .iter()
        .any(|(text, _)| checked(candidate, text).is_some())
}
