//! Which bytes may stand before and after a colon that follows a scheme, and how
//! many are judged at once.

use crate::syntax::class::{ALPHA, DIGIT, SCHEME_MARK, URI};

/// Bytes judged at once.
pub(in super::super) const LANES: usize = 64;

/// The sets of neighbours that let a colon pass. A colon before `/`, `\` or a
/// line break always passes: what follows a scheme with `//` says enough.
#[derive(Clone, Debug)]
pub(in super::super) struct Filter {
    /// ASCII bytes that may stand before the colon of an opaque URI.
    pub(super) before: [bool; 128],
    /// ASCII bytes that may follow it; every byte above 0x7F may.
    pub(super) after: [bool; 128],
}

/// Last letters of the opaque schemes of rule S3.
const LAST_LETTERS: &[u8] = b"bcdeghiklnoprst";

impl Filter {
    /// For the opaque schemes that count by default (S3).
    pub(in super::super) fn default_schemes() -> Filter {
        let before = |byte: u8| LAST_LETTERS.contains(&byte.to_ascii_lowercase());
        Filter::new(before)
    }

    /// For every scheme (`--opaque`).
    pub(in super::super) fn every_scheme() -> Filter {
        Filter::new(|byte| ALPHA.or(DIGIT).or(SCHEME_MARK).has(byte))
    }

    fn new(before: impl Fn(u8) -> bool) -> Filter {
        let after = |byte: u8| URI.has(byte) && !matches!(byte, b':' | b'#' | b']' | b')' | b'@');
        Filter {
            before: std::array::from_fn(|b| before(b as u8)),
            after: std::array::from_fn(|b| after(b as u8) || always_after(b as u8)),
        }
    }

    /// Whether the byte `this` with these neighbours may be a trigger: a colon
    /// after a scheme, or the "3" of an escaped one (`\x3a`, `\u003a`). `after`
    /// is `None` at the end of the text.
    #[inline]
    pub(super) fn passes(&self, before: u8, this: u8, after: Option<u8>) -> bool {
        match this {
            b':' => {
                let Some(after) = after else { return true };
                always_after(after)
                    || (self.before.get(before as usize) == Some(&true)
                        && self.after.get(after as usize) != Some(&false))
            }
            b'3' => matches!(before, b'0' | b'x') && matches!(after, Some(b'a' | b'A')),
            _ => false,
        }
    }
}

/// Bytes after a colon that let it pass whatever stands before it.
pub(super) const fn always_after(byte: u8) -> bool {
    matches!(byte, b'/' | b'\\' | b'\n' | b'\r')
}
