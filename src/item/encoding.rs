//! How the bytes of a text relate to the raw bytes of its input. Detection and decoding
//! are left to `decode`.

/// How the bytes of a text relate to the raw bytes of the input.
///
/// ```
/// use urisieve::item::Encoding;
/// assert_eq!(Encoding::default(), Encoding::Raw);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// The text is the raw bytes.
    #[default]
    Raw,
    /// The text is UTF-8 that was converted from UTF-16: two raw bytes for each code
    /// unit.
    Utf16,
}

impl Encoding {
    /// Returns the number of raw bytes that `text` was decoded from.
    ///
    /// ```
    /// use urisieve::item::Encoding;
    /// let text = "é😀".as_bytes();
    /// assert_eq!(Encoding::Raw.raw_len(text), 6);
    /// assert_eq!(Encoding::Utf16.raw_len(text), 2 + 4);
    /// ```
    pub fn raw_len(self, text: &[u8]) -> u64 {
        match self {
            Encoding::Raw => text.len() as u64,
            Encoding::Utf16 => 2 * text.iter().map(|&byte| code_units(byte)).sum::<u64>(),
        }
    }
}

/// Returns the number of UTF-16 code units of the character that begins with `byte`; 0
/// where no character begins. A character of four bytes has two, every other one.
pub(super) fn code_units(byte: u8) -> u64 {
    u64::from(byte & 0xC0 != 0x80) + u64::from(byte >= 0xF0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_length_counts_code_units() {
        assert_eq!(Encoding::Utf16.raw_len("aé日😀".as_bytes()), 10);
    }
}
