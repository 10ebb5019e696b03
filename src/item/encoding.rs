//! The relation between the bytes of a text and the raw bytes of its input. Detection
//! and decoding are left to `decode`.

/// The relation between the bytes of a text and the raw bytes of the input.
///
/// ```
/// use urisieve::item::Encoding;
/// assert_eq!(Encoding::default(), Encoding::Raw);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// The text is the raw bytes.
    #[default]
    Raw,
    /// The text is UTF-8 that was converted from UTF-16: two raw bytes for each code
    /// unit.
    Utf16,
    /// The text is UTF-8 that was converted from UTF-32: four raw bytes for each character.
    Utf32,
    /// The text is UTF-8 that was converted from an encoding with one raw byte for each
    /// character: such as ISO 8859 and windows-1252.
    OneByte,
    /// The text is UTF-8 that was converted from an encoding with two raw bytes for each
    /// character outside ASCII: most of Shift_JIS, EUC-JP, EUC-KR, Big5 and GBK.
    TwoBytes,
}

impl Encoding {
    /// Returns the number of raw bytes that `text` was decoded from.
    ///
    /// ```
    /// use urisieve::item::Encoding;
    /// let text = "é😀".as_bytes();
    /// assert_eq!(Encoding::Raw.raw_len(text), 6);
    /// assert_eq!(Encoding::Utf16.raw_len(text), 2 + 4);
    /// assert_eq!(Encoding::OneByte.raw_len(text), 2);
    /// ```
    pub fn raw_len(self, text: &[u8]) -> u64 {
        let sum = |width: fn(u8) -> u64| text.iter().map(|&byte| width(byte)).sum();
        match self {
            Encoding::Raw => text.len() as u64,
            Encoding::Utf16 => sum(|byte| Encoding::Utf16.width(byte)),
            Encoding::Utf32 => sum(|byte| Encoding::Utf32.width(byte)),
            Encoding::OneByte => sum(|byte| Encoding::OneByte.width(byte)),
            Encoding::TwoBytes => sum(|byte| Encoding::TwoBytes.width(byte)),
        }
    }

    /// Returns the number of raw bytes of the character that begins with `byte`; 0 where
    /// no character begins. In raw text every byte counts as a character.
    #[inline]
    pub(super) fn width(self, byte: u8) -> u64 {
        let begins = u64::from(byte & 0xC0 != 0x80);
        match self {
            Encoding::Raw => 1,
            // A character of four bytes has two code units, every other one.
            Encoding::Utf16 => 2 * (begins + u64::from(byte >= 0xF0)),
            Encoding::Utf32 => 4 * begins,
            Encoding::OneByte => begins,
            Encoding::TwoBytes => begins + u64::from(byte >= 0xC0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_length_counts_characters() {
        let text = "aé日😀".as_bytes();
        assert_eq!(Encoding::Raw.raw_len(text), 10);
        assert_eq!(Encoding::Utf16.raw_len(text), 10);
        assert_eq!(Encoding::Utf32.raw_len(text), 16);
        assert_eq!(Encoding::OneByte.raw_len(text), 4);
        assert_eq!(Encoding::TwoBytes.raw_len(text), 7);
    }
}
