//! Which inputs the slow reference reads: text in one extension of ASCII.

use urisieve::decode::{Beginning, WideLines};

/// Whether `text` has no UTF-16, neither from its beginning nor in lines of its own.
pub fn has_one_encoding(text: &[u8]) -> bool {
    let is_plain = Beginning::of(text, true, false) == Some(Beginning::default());
    is_plain && !WideLines::default().read(text, true)
}
