//! UTF-16 with a byte-order mark, decoded piece by piece. A lone surrogate and a
//! lone last byte become U+FFFD, which ends a URI as other damage does.

/// The order of the two bytes of a code unit.
///
/// ```
/// use urisieve::decode::{Endian, utf16_bom};
/// assert_eq!(utf16_bom(b"\xFF\xFEa\0"), Some(Endian::Little));
/// assert_eq!(utf16_bom(b"\xFE\xFF\0a"), Some(Endian::Big));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endian {
    /// Low byte first.
    Little,
    /// High byte first.
    Big,
}

/// The byte order that a byte-order mark at the start of `head` tells.
///
/// ```
/// use urisieve::decode::{Endian, utf16_bom};
/// assert_eq!(utf16_bom(b"\xFF\xFEh\0"), Some(Endian::Little));
/// assert_eq!(utf16_bom(b"http"), None);
/// ```
pub fn utf16_bom(head: &[u8]) -> Option<Endian> {
    match head {
        [0xFF, 0xFE, 0, 0, ..] => None,
        [0xFF, 0xFE, ..] => Some(Endian::Little),
        [0xFE, 0xFF, ..] => Some(Endian::Big),
        _ => None,
    }
}

/// Raw bytes of the UTF-16 that `text` was made of: a character of four bytes
/// is two code units, every other one.
pub(super) fn raw_len(text: &[u8]) -> u64 {
    let units = |&b: &u8| u64::from(b & 0xC0 != 0x80) + u64::from(b >= 0xF0);
    2 * text.iter().map(units).sum::<u64>()
}

/// Turns UTF-16 into UTF-8; the byte-order mark is one of its characters.
///
/// ```
/// use urisieve::decode::{Endian, Utf16Decoder};
/// let mut decoder = Utf16Decoder::new(Endian::Big);
/// let mut text = Vec::new();
/// decoder.decode(b"\0a\xD8", &mut text);
/// decoder.decode(b"\x3D\xDE\0", &mut text);
/// decoder.finish(&mut text);
/// assert_eq!(text, "a😀".as_bytes());
/// ```
#[derive(Clone, Debug)]
pub struct Utf16Decoder {
    endian: Endian,
    /// The first byte of a code unit whose second has not come.
    half: Option<u8>,
    /// A high surrogate whose low one has not come.
    high: Option<u16>,
}

impl Utf16Decoder {
    /// A decoder at the start of a text.
    ///
    /// ```
    /// use urisieve::decode::{Endian, Utf16Decoder};
    /// let mut text = Vec::new();
    /// Utf16Decoder::new(Endian::Little).decode(b"\xFF\xFEa\0", &mut text);
    /// assert_eq!(text, "\u{FEFF}a".as_bytes());
    /// ```
    pub fn new(endian: Endian) -> Utf16Decoder {
        Utf16Decoder {
            endian,
            half: None,
            high: None,
        }
    }

    /// Decodes the next piece of the text and appends it to `out`.
    ///
    /// ```
    /// use urisieve::decode::{Endian, Utf16Decoder};
    /// let mut decoder = Utf16Decoder::new(Endian::Little);
    /// let mut text = Vec::new();
    /// decoder.decode(b"a\0b", &mut text);
    /// assert_eq!(text, b"a");
    /// decoder.decode(b"\0", &mut text);
    /// assert_eq!(text, b"ab");
    /// ```
    pub fn decode(&mut self, raw: &[u8], out: &mut Vec<u8>) {
        for &byte in raw {
            let Some(first) = self.half.take() else {
                self.half = Some(byte);
                continue;
            };
            let unit = match self.endian {
                Endian::Little => u16::from_le_bytes([first, byte]),
                Endian::Big => u16::from_be_bytes([first, byte]),
            };
            self.unit(unit, out);
        }
    }

    /// The text ended: what is incomplete becomes U+FFFD.
    ///
    /// ```
    /// use urisieve::decode::{Endian, Utf16Decoder};
    /// let mut decoder = Utf16Decoder::new(Endian::Little);
    /// let mut text = Vec::new();
    /// decoder.decode(b"a\0b", &mut text);
    /// decoder.finish(&mut text);
    /// assert_eq!(text, "a\u{FFFD}".as_bytes());
    /// ```
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        if self.high.take().is_some() {
            push(char::REPLACEMENT_CHARACTER, out);
        }
        if self.half.take().is_some() {
            push(char::REPLACEMENT_CHARACTER, out);
        }
    }

    fn unit(&mut self, unit: u16, out: &mut Vec<u8>) {
        match (self.high.take(), unit) {
            (Some(high), 0xDC00..=0xDFFF) => {
                let value = 0x10000 + (u32::from(high & 0x3FF) << 10) + u32::from(unit & 0x3FF);
                push(
                    char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
                    out,
                );
                return;
            }
            (Some(_), _) => push(char::REPLACEMENT_CHARACTER, out),
            (None, _) => {}
        }
        match unit {
            0xD800..=0xDBFF => self.high = Some(unit),
            _ => push(
                char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER),
                out,
            ),
        }
    }
}

fn push(char: char, out: &mut Vec<u8>) {
    out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damage_becomes_the_replacement_character() {
        for (raw, text) in [
            (&b"\xD8\x00\x00a"[..], "\u{FFFD}a"),
            (b"\xDC\x00", "\u{FFFD}"),
            (b"\0a\0", "a\u{FFFD}"),
            (b"\xD8\x00", "\u{FFFD}"),
        ] {
            for cut in 0..raw.len() {
                let mut decoder = Utf16Decoder::new(Endian::Big);
                let mut out = Vec::new();
                decoder.decode(&raw[..cut], &mut out);
                decoder.decode(&raw[cut..], &mut out);
                decoder.finish(&mut out);
                assert_eq!(out, text.as_bytes());
            }
        }
    }

    #[test]
    fn raw_length_counts_code_units() {
        assert_eq!(raw_len("aé日😀".as_bytes()), 10);
    }
}
