//! What text does one record hold? Characters in another encoding than an
//! extension of ASCII become UTF-8; offsets can be told in raw bytes all the
//! same. Which part of the text is a URI is left to `scan` and `delimit`.

mod by_type;
mod event;
mod http;
mod records;
mod refang;
mod utf16;
mod wat;

pub use by_type::decoder;
pub use event::{Decode, Delimited, Event};
pub use http::is_reference_field;
pub use records::{Csv, Layout, RECORD_MAX, Records, Settled};
pub use refang::{MARK_MAX, Refanged};
pub use utf16::{Beginning, Endian, HEAD, Utf16Decoder, utf16_bom};

use std::borrow::Cow;

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

/// The text of a small file that is held whole, as UTF-8 where it was UTF-16, without
/// a byte-order mark.
///
/// ```
/// assert_eq!(&*urisieve::decode::text_of(b"\xEF\xBB\xBFa"), b"a");
/// assert_eq!(&*urisieve::decode::text_of(b"\xFE\xFF\0a"), b"a");
/// ```
pub fn text_of(bytes: &[u8]) -> Cow<'_, [u8]> {
    let Beginning { mark, utf16 } = Beginning::of(bytes, true, false).unwrap_or_default();
    let bytes = &bytes[mark..];
    match utf16 {
        None => Cow::Borrowed(bytes),
        Some(endian) => {
            let mut text = Vec::new();
            let mut decoder = Utf16Decoder::new(endian);
            decoder.decode(bytes, &mut text);
            decoder.finish(&mut text);
            Cow::Owned(text)
        }
    }
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
