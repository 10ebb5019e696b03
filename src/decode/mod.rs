//! What text does one record hold? Characters in another encoding than an
//! extension of ASCII become UTF-8; offsets can be told in raw bytes all the
//! same. Which part of the text is a URI is left to `scan` and `delimit`.

mod records;
mod refang;
mod utf16;

pub use records::{Layout, RECORD_MAX, csv_places};
pub use refang::{MARK_MAX, Refanged};
pub use utf16::{Endian, Utf16Decoder, utf16_bom};

/// How the bytes of a text relate to the raw bytes of the input.
///
/// ```
/// use urisieve::decode::Encoding;
/// assert_eq!(Encoding::default(), Encoding::Raw);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// The text is the raw bytes.
    #[default]
    Raw,
    /// The text is UTF-8 made of UTF-16: two raw bytes for each code unit.
    Utf16,
}

impl Encoding {
    /// How many raw bytes `text` stands for.
    ///
    /// ```
    /// use urisieve::decode::Encoding;
    /// let text = "é😀".as_bytes();
    /// assert_eq!(Encoding::Raw.raw_len(text), 6);
    /// assert_eq!(Encoding::Utf16.raw_len(text), 2 + 4);
    /// ```
    pub fn raw_len(self, text: &[u8]) -> u64 {
        match self {
            Encoding::Raw => text.len() as u64,
            Encoding::Utf16 => utf16::raw_len(text),
        }
    }
}
