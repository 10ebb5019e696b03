//! Panics on demand, to test how a run handles a panic. The text itself names the
//! stage that panics (`fault-at-scan`). So neither the program nor tests that run in
//! parallel need a switch.

use std::sync::LazyLock;

use memchr::memmem::Finder;

/// The text before the name of a stage.
const MARK: &[u8] = b"fault-at-";

static FINDER: LazyLock<Finder> = LazyLock::new(|| Finder::new(MARK));

/// The greatest length of a mark with the name of its stage.
const LONGEST: usize = 32;

/// Panics when `text` has the mark of `stage`.
pub(super) fn at(stage: &str, text: &[u8]) {
    for place in FINDER.find_iter(text) {
        if text[place + MARK.len()..].starts_with(stage.as_bytes()) {
            panic!("the text asks for a panic at {stage}");
        }
    }
}

/// Returns what follows the first `old` bytes of a text, with as many bytes before it as
/// a mark may have.
pub(super) fn new(text: &[u8], old: usize) -> &[u8] {
    &text[old.saturating_sub(LONGEST).min(text.len())..]
}

/// Returns the part of the line from `at` on that is searched for a mark.
pub(super) fn near(text: &[u8], at: usize) -> &[u8] {
    let rest = &text[at..];
    let rest = &rest[..rest.len().min(4 * LONGEST)];
    &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())]
}
