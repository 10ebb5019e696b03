//! The bytes of lines of JSON that matter, as masks with one bit for each byte. This file
//! computes them byte by byte; the kernel of `scan` computes them by vectors.

use super::outlook::Outlook;

/// The classes of 64 bytes. Bit 0 is the first of them; bits beyond the end of the text are
/// unset.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct LineMasks {
    /// `"`
    pub quote: u64,
    /// Bytes up to which the number of quotation marks of the 64 is odd.
    pub quoted: u64,
    /// `\`
    pub backslash: u64,
    /// Line feeds.
    pub line_feed: u64,
    /// `{ } [ ]`
    pub brackets: u64,
    /// `: , [`, behind which a value may begin.
    pub before: u64,
    /// `:`
    pub colon: u64,
    /// Blanks.
    pub blank: u64,
    /// Letters, digits, dots and hyphens.
    pub word: u64,
    /// What may be the colons of URIs.
    pub of_uri: u64,
}

/// The number of bytes whose classes are found at a time.
pub(crate) const LINES_LEN: usize = 256;

/// The classes of [`LINES_LEN`] bytes.
pub(crate) type LineBlock = [LineMasks; LINES_LEN / 64];

impl LineMasks {
    /// Returns the classes of the 64 bytes of `text` from `at` on, of which `of_uri` may be
    /// the colons of URIs.
    pub(crate) fn of(text: &[u8], at: usize, of_uri: u64) -> LineMasks {
        let mut masks = LineMasks {
            of_uri,
            ..LineMasks::default()
        };
        let bytes = text.get(at..).unwrap_or_default();
        for (i, &byte) in bytes.iter().take(64).enumerate() {
            let is = |byte_is: bool| u64::from(byte_is) << i;
            masks.quote |= is(byte == b'"');
            masks.backslash |= is(byte == b'\\');
            masks.line_feed |= is(byte == b'\n');
            masks.brackets |= is(matches!(byte, b'{' | b'}' | b'[' | b']'));
            masks.before |= is(matches!(byte, b':' | b',' | b'['));
            masks.colon |= is(byte == b':');
            masks.blank |= is(byte == b' ');
            masks.word |= is(Outlook::is_of_host(byte));
        }
        masks.quoted = prefix_xor(masks.quote);
        masks
    }
}

/// Returns for each bit whether the number of set bits up to it is odd.
#[inline]
pub(crate) fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}
