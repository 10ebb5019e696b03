//! Passes over texts that have no URI: nothing in them may begin one. Most short texts are
//! such ones, and they need no worker.

use crate::decode::Refanged;
#[cfg(feature = "html")]
use crate::delimit;
use crate::engine::ask::config::SearchConfig;
use crate::scan::Scanner;
#[cfg(feature = "html")]
use crate::syntax::masks::{
    line_masks::LineBlock,
    stops::{FindStops, StopMasks},
};
#[cfg(feature = "html")]
use std::sync::Arc;

/// The length of the longest text that is looked at. Of a longer one the first URI is
/// returned before the rest is read.
const LEN_MAX: usize = 64 << 10;

/// Looks for the beginnings of URIs.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Prefilter {
    scanner: Scanner,
    /// Whether marks of defanging may become such beginnings (R1).
    refang: bool,
}

impl Prefilter {
    pub(in crate::engine) fn new(search: &SearchConfig) -> Prefilter {
        Prefilter {
            scanner: scanner(search),
            refang: search.refang,
        }
    }

    /// Whether no URI is in `text`, which is not UTF-16. A text may have none and not be
    /// rejected.
    pub(in crate::engine) fn rejects(&self, text: &[u8]) -> bool {
        if text.len() > LEN_MAX {
            return false;
        }
        let may_be = self.scanner.finds_any(text) || self.refang && Refanged::has_marks(text);
        !may_be
    }
}

/// The colons that decoders look for: those at which the search may find a URI.
#[cfg(feature = "html")]
#[derive(Debug)]
pub(in crate::engine) struct SearchedColons {
    scanner: Arc<Scanner>,
    delimit: delimit::Config,
}

#[cfg(feature = "html")]
impl SearchedColons {
    pub(in crate::engine) fn new(scanner: &Arc<Scanner>, search: &SearchConfig) -> SearchedColons {
        SearchedColons {
            scanner: Arc::clone(scanner),
            delimit: search.delimit.clone(),
        }
    }
}

#[cfg(feature = "html")]
impl FindStops for SearchedColons {
    fn find_stops(&self, text: &[u8], at: usize, masks: &mut StopMasks) {
        self.scanner.find_stops(text, at, masks);
    }

    fn may_begin_uri(&self, text: &[u8], at: usize) -> bool {
        self.scanner.may_begin_uri(text, at) && !self.delimit.cannot_be_scheme(text, at)
    }

    fn has_fast_lines(&self) -> bool {
        self.scanner.has_fast_lines()
    }

    fn find_lines(&self, text: &[u8], at: usize, block: &mut LineBlock) {
        self.scanner.find_lines(text, at, block);
    }
}

/// Returns the scanner for the URIs that are found.
pub(in crate::engine) fn scanner(search: &SearchConfig) -> Scanner {
    Scanner::new()
        .every_scheme(search.delimit.adds_opaque())
        .abbreviated(search.abbreviated)
        .identifiers(search.identifiers)
}
