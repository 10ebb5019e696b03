//! Limits, and where a text that exceeds one is cut. A cut depends on the bytes alone, so
//! windows of any size give the same pieces.

use super::token::TextKind;
use crate::escape::REFERENCE_MAX;

/// The most bytes of a tag that are read as a tag: more than any page needs that is not
/// made to exhaust memory (an image inside an attribute has some hundred KiB). Half of it
/// is the number of attributes that must be held.
pub const TAG_MAX: usize = 1 << 20;

/// The most bytes of a text or comment in one token. So scripts and styles come as a
/// whole but for monsters, and the caller's window stays within the same limit as for
/// tags.
pub const TEXT_MAX: usize = 1 << 20;

/// The limits of a tokenizer; tests have smaller ones.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub tag: usize,
    pub text: usize,
}

impl Limits {
    pub const DEFAULT: Limits = Limits {
        tag: TAG_MAX,
        text: TEXT_MAX,
    };
}

/// The most bytes before a cut that belong to the end of a comment, script or section.
const HOLD: usize = 3;

/// Returns where the text that begins at `start` and reaches `limit` is cut: so that no
/// end mark, no character of UTF-8 and no character reference is divided.
pub(super) fn cut(bytes: &[u8], start: usize, limit: usize, kind: Option<TextKind>) -> usize {
    let mut cut = limit - HOLD;
    for back in 1..=HOLD {
        match bytes[cut - back] {
            0x80..=0xBF => {}
            lead => {
                let len = match lead {
                    0xC2..=0xDF => 2,
                    0xE0..=0xEF => 3,
                    0xF0..=0xF4 => 4,
                    _ => 1,
                };
                if len > back {
                    cut -= back;
                }
                break;
            }
        }
    }
    if kind.is_some_and(TextKind::has_references) {
        let from = cut.saturating_sub(REFERENCE_MAX).max(start + 1);
        if let Some(at) = memchr::memrchr(b'&', &bytes[from..cut]) {
            cut = from + at;
        }
    }
    cut
}
