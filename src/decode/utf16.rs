//! UTF-16 and UTF-32, detected by a byte-order mark or by their high bytes, and decoded piece
//! by piece. A lone surrogate and an incomplete character at the end become U+FFFD, which
//! ends a URI like other damage.

use crate::item::Encoding;

use crate::escape::is_of_ascii_text;
use crate::item::Charset;
/// The greatest number of bytes at the start of an input from which the encoding is
/// detected.
pub const HEAD: usize = 4 << 10;

/// The greatest number of bytes at the start of an input from which its format is detected.
pub(crate) const FORMAT_HEAD: usize = 64 << 10;

/// A text without a high byte in its first 16 bytes and in its first line is not
/// UTF-16: a writer that sends one line to a pipe must not wait for [`HEAD`] bytes.
const HIGH_WITHIN: usize = 16;

/// The greatest high byte of a code unit of ASCII and of the alphabets of Europe and the Near
/// East: Latin, Greek, Cyrillic, Armenian, Hebrew, Arabic. No text in an extension of ASCII has
/// these bytes.
pub(super) const HIGH_MAX: u8 = 6;

/// The byte-order mark of UTF-8.
const UTF8_MARK: &[u8] = b"\xEF\xBB\xBF";

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

impl Endian {
    const CHARSETS: [(Endian, Charset); 2] = [
        (Endian::Little, Charset::named("UTF-16LE")),
        (Endian::Big, Charset::named("UTF-16BE")),
    ];

    /// Returns the name of UTF-16 in this order.
    pub(super) fn charset(self) -> Charset {
        Endian::CHARSETS[usize::from(self == Endian::Big)].1
    }

    /// Returns the order of the bytes of an encoding; `None` if it is not UTF-16.
    pub(crate) fn of(charset: Charset) -> Option<Endian> {
        let mut known = Endian::CHARSETS.iter();
        known.find(|known| known.1 == charset).map(|known| known.0)
    }
}

/// Returns the byte order that a byte-order mark at the start of `head` states.
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

/// The encoding of a text, detected from its first bytes.
///
/// ```
/// use urisieve::decode::{Beginning, Endian};
/// let of = |head: &[u8]| Beginning::of(head, true, false).unwrap();
/// assert_eq!(of(b"\xEF\xBB\xBFhttp").mark, 3);
/// assert_eq!(of(b"h\0t\0").utf16, Some(Endian::Little));
/// assert_eq!(of(b"http"), Beginning::default());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Beginning {
    /// The length of the byte-order mark, which is not part of the text.
    pub mark: usize,
    /// The byte order of UTF-16 or UTF-32; `None` for an extension of ASCII.
    pub utf16: Option<Endian>,
    /// Whether it is UTF-32.
    pub is_utf32: bool,
}

impl Beginning {
    /// Detects the encoding from the `head` of a text; `None` when more bytes are
    /// needed. `whole` means that no bytes follow `head`. At most [`HEAD`] bytes are
    /// used. Text is UTF-16 with a byte-order mark, when it is `forced`, or when at
    /// least 90 % of every second byte are at most 6, as the high bytes of ASCII and of the
    /// alphabets up to Arabic are, and the first of them is in the first line and in the first
    /// 16 bytes.
    ///
    /// ```
    /// use urisieve::decode::Beginning;
    /// assert_eq!(Beginning::of(b"\0h\0t", false, false), None);
    /// assert!(Beginning::of(b"\0h\0t", true, false).unwrap().utf16.is_some());
    /// // The first line shows that it is not UTF-16.
    /// assert_eq!(Beginning::of(b"a\n", false, false), Some(Beginning::default()));
    /// assert!(Beginning::of(b"a\n", true, true).unwrap().utf16.is_some());
    /// ```
    pub fn of(head: &[u8], whole: bool, forced: bool) -> Option<Beginning> {
        let marked = Beginning::by_mark(head, whole)?;
        if let Some(beginning) = marked.filter(|marked| marked.utf16.is_some() || !forced) {
            return Some(beginning);
        }
        let head = &head[..head.len().min(HEAD)];
        let whole = whole || head.len() == HEAD;
        let utf16 = match forced {
            true => whole.then(|| Some(likely(head))),
            false => by_high_bytes(head, whole),
        };
        let utf16 = utf16?;
        let utf32 = utf16.and_then(|_| by_zeros(head));
        Some(Beginning {
            mark: 0,
            utf16: utf32.or(utf16),
            is_utf32: utf32.is_some(),
        })
    }

    /// Returns the decoder of UTF-16 or UTF-32, if the text is in either.
    ///
    /// ```
    /// use urisieve::decode::Beginning;
    /// let text = b"\xFF\xFE\0\0a\0\0\0";
    /// let beginning = Beginning::of(text, true, false).unwrap();
    /// let (mut decoder, mut out) = (beginning.decoder().unwrap(), Vec::new());
    /// decoder.decode(&text[beginning.mark..], &mut out);
    /// assert_eq!(out, b"a");
    /// ```
    pub fn decoder(self) -> Option<Utf16Decoder> {
        let decoder = |endian| Utf16Decoder {
            is_long: self.is_utf32,
            ..Utf16Decoder::new(endian)
        };
        self.utf16.map(decoder)
    }

    /// Detects the encoding by a byte-order mark alone, for texts whose NULs are ends of
    /// records; the inner `None` where there is no mark, the outer one when more bytes are
    /// needed.
    pub(crate) fn by_mark(head: &[u8], whole: bool) -> Option<Option<Beginning>> {
        // No mark begins with ASCII.
        if matches!(head.first(), Some(1..=0x7F)) {
            return Some(None);
        }
        if head.starts_with(UTF8_MARK) {
            return Some(Some(Beginning {
                mark: UTF8_MARK.len(),
                ..Beginning::default()
            }));
        }
        let utf32 = match head {
            [0xFF, 0xFE, 0, 0, ..] => Some(Endian::Little),
            [0, 0, 0xFE, 0xFF, ..] => Some(Endian::Big),
            _ => None,
        };
        if utf32.is_some() {
            return Some(Some(Beginning {
                mark: 4,
                utf16: utf32,
                is_utf32: true,
            }));
        }
        let may_be_mark = UTF8_MARK.starts_with(head)
            || matches!(head, [0xFF] | [0xFE] | [0xFF, 0xFE] | [0xFF, 0xFE, 0])
            || matches!(head, [0] | [0, 0] | [0, 0, 0xFE]);
        if may_be_mark && !whole {
            return None;
        }
        let utf16 = utf16_bom(head).map(|endian| Beginning {
            mark: 2,
            utf16: Some(endian),
            is_utf32: false,
        });
        Some(utf16)
    }
}

/// Returns the byte order of UTF-32 that the NULs of a text show: of four bytes two are NUL in
/// at least 90 % of its characters, the first two or the last two, and the others are not.
fn by_zeros(head: &[u8]) -> Option<Endian> {
    let are_zero = |place: usize| {
        let bytes = head.iter().skip(place).step_by(4);
        let len = bytes.len();
        len > 0 && bytes.filter(|&&byte| byte == 0).count() * 10 >= len * 9
    };
    match [0, 1, 2, 3].map(are_zero) {
        [false, _, true, true] => Some(Endian::Little),
        [true, true, _, false] => Some(Endian::Big),
        _ => None,
    }
}

/// Counts the bytes at even and at odd offsets that may be high ones, and all bytes there.
fn high_bytes(head: &[u8]) -> [(usize, usize); 2] {
    let count = |from: usize| {
        let bytes = head.iter().skip(from).step_by(2);
        let len = bytes.len();
        (bytes.filter(|&&byte| byte <= HIGH_MAX).count(), len)
    };
    [count(0), count(1)]
}

/// Returns the byte order of text that is known to be UTF-16.
fn likely(head: &[u8]) -> Endian {
    let [(even, _), (odd, _)] = high_bytes(head);
    match even > odd {
        true => Endian::Big,
        false => Endian::Little,
    }
}

/// Returns the byte order that the high bytes show, if any; `None` when it is not known yet.
fn by_high_bytes(head: &[u8], whole: bool) -> Option<Option<Endian>> {
    let start = &head[..head.len().min(HIGH_WITHIN)];
    let line = start.iter().skip(1).position(|&byte| byte == b'\n');
    let until = line.map_or(start.len(), |at| at + 1);
    if start[..until].iter().all(|&byte| byte > HIGH_MAX) {
        let is_known = line.is_some() || start.len() == HIGH_WITHIN || whole;
        return is_known.then_some(None);
    }
    let halves = high_bytes(head);
    if !whole {
        let too_few = |(high, len): (usize, usize)| (len - high) * 10 > HEAD / 2;
        return halves.into_iter().all(too_few).then_some(None);
    }
    Some(match halves.map(|(high, len)| high * 10 >= len * 9) {
        [true, false] => Some(Endian::Big),
        [false, true] => Some(Endian::Little),
        // All bytes are low: that is not text.
        _ => None,
    })
}

/// Converts UTF-16 or UTF-32 to UTF-8, including the byte-order mark.
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
    /// Whether the text is UTF-32.
    is_long: bool,
    /// The first byte of an incomplete code unit.
    half: Option<u8>,
    /// A high surrogate whose low surrogate was not read yet; of UTF-32 the first half of a
    /// character.
    high: Option<u16>,
    /// Whether the last character was the end of a line.
    begins_line: bool,
}

/// The least number of bytes of ASCII that show that a line is not in UTF-16, and the greatest
/// number that is looked at.
const ASCII_SHOWN: [usize; 2] = [8, 16];

impl Utf16Decoder {
    /// Creates a decoder at the start of a text.
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
            is_long: false,
            half: None,
            high: None,
            begins_line: false,
        }
    }

    /// The relation of the decoded text to the raw bytes.
    pub(crate) fn encoding(&self) -> Encoding {
        match self.is_long {
            true => Encoding::Utf32,
            false => Encoding::Utf16,
        }
    }

    /// The byte order.
    pub(super) fn endian(&self) -> Endian {
        self.endian
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
        raw.iter().for_each(|byte| self.byte(*byte, out));
    }

    /// Does the same up to a line in ASCII, which another program appended: it begins behind the
    /// end of a line, and has no byte that UTF-16 needs for its characters. Returns the number
    /// of bytes that were decoded, and whether such a line begins there; where that is not known
    /// yet, more bytes are needed, unless these are the `last` ones.
    pub(crate) fn decode_lines(
        &mut self,
        raw: &[u8],
        last: bool,
        out: &mut Vec<u8>,
    ) -> (usize, bool) {
        for (at, byte) in raw.iter().enumerate() {
            if self.begins_line && self.half.is_none() {
                match is_ascii_line(&raw[at..], last) {
                    Some(false) => self.begins_line = false,
                    Some(true) => return (at, true),
                    None => return (at, false),
                }
            }
            self.byte(*byte, out);
        }
        (raw.len(), false)
    }

    /// Sets whether what is decoded next begins a line.
    pub(super) fn set_line_start(&mut self, begins_line: bool) {
        self.begins_line = begins_line;
    }

    #[inline]
    fn byte(&mut self, byte: u8, out: &mut Vec<u8>) {
        let Some(first) = self.half.take() else {
            self.half = Some(byte);
            return;
        };
        let unit = match self.endian {
            Endian::Little => u16::from_le_bytes([first, byte]),
            Endian::Big => u16::from_be_bytes([first, byte]),
        };
        match self.is_long {
            true => self.half(unit, out),
            false => self.unit(unit, out),
        }
    }

    /// Ends the text: incomplete characters become U+FFFD.
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
        let is_cut = self.high.take().is_some();
        if is_cut {
            push(char::REPLACEMENT_CHARACTER, out);
        }
        if self.half.take().is_some() && !(is_cut && self.is_long) {
            push(char::REPLACEMENT_CHARACTER, out);
        }
    }

    /// Reads a half of a character of UTF-32.
    fn half(&mut self, half: u16, out: &mut Vec<u8>) {
        let Some(first) = self.high.take() else {
            self.high = Some(half);
            return;
        };
        let [low, high] = match self.endian {
            Endian::Little => [first, half],
            Endian::Big => [half, first],
        };
        let value = u32::from(high) << 16 | u32::from(low);
        push(
            char::from_u32(value).unwrap_or(char::REPLACEMENT_CHARACTER),
            out,
        );
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
        self.begins_line = unit == u16::from(b'\n');
        match unit {
            0xD800..=0xDBFF => self.high = Some(unit),
            _ => push(
                char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER),
                out,
            ),
        }
    }
}

/// Whether the line that begins with `rest` is ASCII, and not UTF-16; `None` when more bytes are
/// needed.
fn is_ascii_line(rest: &[u8], last: bool) -> Option<bool> {
    let [least, most] = ASCII_SHOWN;
    let shown = &rest[..rest.len().min(most)];
    let end = shown.iter().position(|&byte| byte == b'\n');
    let wanted = end.map_or(most, |end| (end + 1).max(least));
    let shown = &shown[..shown.len().min(wanted)];
    if !shown.iter().all(|byte| is_of_ascii_text(*byte)) {
        return Some(false);
    }
    match shown.len() == wanted {
        true => Some(true),
        false => last.then_some(shown.len() >= least),
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
    fn a_line_of_ascii_ends_it() {
        let wide = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let read = |raw: &[u8], last| {
            let (mut decoder, mut out) = (Utf16Decoder::new(Endian::Little), Vec::new());
            let (len, ended) = decoder.decode_lines(raw, last, &mut out);
            (len, ended, String::from_utf8(out).unwrap())
        };
        let line: Vec<u8> = wide("http://a/\r\n");
        let len = line.len();
        let text = "http://a/\r\n".to_owned();
        for (after, wanted) in [
            (&b"urn:x:y\n"[..], Some(true)),
            (b"ok\nurn:x:y\n", Some(true)),
            (b"http://b.example/", Some(true)),
            (b"urn:x:y\nu\0r\0", Some(true)),
            (b"x\0y\0z\0x\0", Some(false)),
            (b"http://b.exa", None),
        ] {
            let raw = [&line, after].concat();
            let (at, ended, out) = read(&raw, false);
            match wanted {
                Some(true) => assert_eq!((at, ended, &out), (len, true, &text), "{after:?}"),
                Some(false) => assert_eq!((at, ended), (raw.len(), false), "{after:?}"),
                None => assert_eq!((at, ended, &out), (len, false, &text), "{after:?}"),
            }
            assert_eq!(read(&raw, true).1, wanted != Some(false), "{after:?}");
        }
        // Not in the middle of a line, and not for a few characters.
        assert!(!read(&[&wide("x")[..], b"http://b.example/"].concat(), true).1);
        let chinese: Vec<u8> = wide("x\n\u{6C34}\u{6728}\n\u{6C34}\u{4E00}\u{6728}\u{4E8C}");
        assert!(!read(&chinese, true).1);
    }

    #[test]
    fn utf32_has_a_mark_or_zeros() {
        let text = "http://a.example/\u{1F600}ü";
        for (endian, unit) in [
            (Endian::Little, u32::to_le_bytes as fn(u32) -> [u8; 4]),
            (Endian::Big, u32::to_be_bytes),
        ] {
            for marked in [format!("\u{FEFF}{text}"), text.to_owned()] {
                let bytes: Vec<u8> = marked.chars().flat_map(|c| unit(c.into())).collect();
                let known = Beginning::of(&bytes, true, false).unwrap();
                let mark = if marked.len() > text.len() { 4 } else { 0 };
                assert_eq!(
                    (known.utf16, known.is_utf32, known.mark),
                    (Some(endian), true, mark)
                );
                for len in 0..bytes.len() {
                    let part = Beginning::of(&bytes[..len], false, false);
                    assert!(part.is_none() || part == Some(known), "{len}");
                }
                for cut in 0..bytes.len() - mark {
                    let (mut decoder, mut out) = (known.decoder().unwrap(), Vec::new());
                    decoder.decode(&bytes[mark..mark + cut], &mut out);
                    decoder.decode(&bytes[mark + cut..], &mut out);
                    decoder.finish(&mut out);
                    assert_eq!(out, text.as_bytes());
                }
            }
        }
        let mut decoder = Beginning::of(b"\0\0\xFE\xFF", true, false)
            .unwrap()
            .decoder()
            .unwrap();
        let mut out = Vec::new();
        decoder.decode(b"\0\x11\0\0\0\0\0", &mut out);
        decoder.finish(&mut out);
        assert_eq!(out, "\u{FFFD}\u{FFFD}".as_bytes());
    }

    #[test]
    fn alphabets_have_a_high_byte() {
        for text in [
            "Здравствуйте: http://a.example/",
            "Ελληνικά http://a.example/",
            "שלום http://a.example/",
            "مرحبا http://a.example/",
            "Zażółć gęślą jaźń http://a.example/",
        ] {
            for (endian, unit) in [
                (Endian::Little, u16::to_le_bytes as fn(u16) -> [u8; 2]),
                (Endian::Big, u16::to_be_bytes),
            ] {
                let bytes: Vec<u8> = text.encode_utf16().flat_map(unit).collect();
                let known = Beginning::of(&bytes, true, false).unwrap();
                assert_eq!(known.utf16, Some(endian), "{text}");
            }
            let utf8 = Beginning::of(text.as_bytes(), true, false).unwrap();
            assert_eq!(utf8, Beginning::default());
        }
        // Controls of a terminal or a program, and other scripts.
        for bytes in [
            &b"\x01see \x02http://a.example/\x03"[..],
            b"\x02a b c d e f",
            b"\x2D\x4E\x87\x65",
        ] {
            let known = Beginning::of(bytes, true, false).unwrap();
            assert_eq!(known.utf16, None, "{bytes:?}");
        }
    }

    #[test]
    fn what_is_known_of_a_part_stays() {
        let ascii = b"http://a.example/ ".repeat(300);
        let utf16: Vec<u8> = ascii.iter().flat_map(|&byte| [byte, 0]).collect();
        let mixed = [&utf16[..1000], &ascii].concat();
        for (text, is_utf16) in [(&ascii, false), (&utf16, true), (&mixed, false)] {
            let known = Beginning::of(text, true, false);
            assert_eq!(known.unwrap().utf16.is_some(), is_utf16);
            for len in 0..text.len() {
                let part = Beginning::of(&text[..len], false, false);
                assert!(part.is_none() || part == known, "{len}");
            }
        }
        assert_eq!(Beginning::of(&[0; 9], true, false).unwrap().utf16, None);
        assert_eq!(Beginning::of(b"", true, false), Some(Beginning::default()));
    }
}
