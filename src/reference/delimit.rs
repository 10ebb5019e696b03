//! The end of a candidate: by its wrapper, or bare (W1).

use super::bare::bare;
use super::readings::passes;
use super::walk::{Candidate, Delimited, Stop};
use super::wrapped::{bracketed, quoted};

/// Finds the end of `candidate`; `None` when it is void.
pub fn delimit(candidate: &Candidate) -> Option<Delimited> {
    let attempt = match candidate.before.opener.map(|opener| opener.kind) {
        None => Err(Stop::Fail),
        Some('(' | '[' | '{') => bracketed(candidate),
        Some(_) => quoted(candidate),
    };
    match attempt {
        // W1: the content of the wrapper must be a URI.
        Ok(delimited) if passes(candidate, &delimited) => Some(delimited),
        // W4: only a wrapper folds a scheme.
        _ if candidate.folded.is_some() => None,
        _ => bare(candidate),
    }
}
