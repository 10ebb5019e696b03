//! The end of a candidate: by its wrapper, or bare (W1).

use super::bare::bare;
use super::fold;
use super::options::Wrap;
use super::readings::passes;
use super::walk::{Candidate, Delimited, Stop};
use super::wrapped::{bracketed, quoted};

/// Finds the end of `candidate`; `None` when it is void.
pub fn delimit(candidate: &Candidate) -> Option<Delimited> {
    let attempt = match candidate.before.opener.map(|opener| opener.kind) {
        None => Err(Stop::Fail),
        Some(_) if !joins_above(candidate) => Err(Stop::Fail),
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

/// W4: whether nothing but what a fold removes is between the candidate and its opener, if
/// that is in a line above.
fn joins_above(candidate: &Candidate) -> bool {
    let (Some((end, edge)), Some(opener)) = (candidate.before.above, candidate.before.opener)
    else {
        return true;
    };
    let (input, options) = (candidate.input, candidate.options);
    let leader = fold::leader(input, opener.at);
    let line_end = fold::skip_blanks(input, end);
    let limit = candidate.start + options.wrap_limit_bytes;
    let fold = fold::fold(input, line_end, &leader, options.wrap_limit_lines, limit);
    options.wrap != Wrap::Off && fold.is_some_and(|fold| fold.at == edge)
}
