//! Panics where a text asks for them, to test what a panic leads to. A text names
//! the stage that is to panic (`fault-at-scan`), so that tests which run side by
//! side need no switch, and the program needs none either.

use memchr::memmem;

/// What stands before the name of a stage.
const MARK: &[u8] = b"fault-at-";

/// No mark with its stage is longer.
const LONGEST: usize = 32;

/// Panics when `text` names `stage`.
pub(super) fn at(stage: &str, text: &[u8]) {
    for place in memmem::find_iter(text, MARK) {
        if text[place + MARK.len()..].starts_with(stage.as_bytes()) {
            panic!("the text asks for a panic at {stage}");
        }
    }
}

/// What was added to the `known` bytes of a text, and what may belong to it.
pub(super) fn new(text: &[u8], known: usize) -> &[u8] {
    &text[known.saturating_sub(LONGEST).min(text.len())..]
}

/// The rest of a line, as far as a mark is looked for in it.
pub(super) fn near(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..];
    let rest = &rest[..rest.len().min(4 * LONGEST)];
    &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())]
}
