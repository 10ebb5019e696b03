//! Lines of UTF-16 in a text that begins in an extension of ASCII: `>>` of Windows PowerShell
//! appends them to any file. They are read from each piece of a text on its own, so that no
//! reader needs the bytes before it.

use super::utf16::{Endian, HIGH_MAX, Utf16Decoder};
use crate::escape::{SHOWN_BY, is_of_ascii_text, wide_at, wide_may_begin};
use crate::item::{Encoding, OffsetMap};

/// A text whose lines in UTF-16 are decoded.
///
/// ```
/// use urisieve::decode::WideLines;
/// let mut lines = WideLines::default();
/// assert!(lines.read(b"one\nt\0w\0o\0\r\0\n\0three\n", true));
/// assert_eq!(lines.text(), b"one\ntwo\r\nthree\n");
/// assert_eq!(lines.map().places(lines.text()).raw(5), 6);
/// ```
#[derive(Clone, Debug, Default)]
pub struct WideLines {
    text: Vec<u8>,
    map: OffsetMap,
}

/// What follows a place in UTF-16.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Following {
    Unit,
    Other,
    /// More bytes are needed to know.
    Unknown,
}

impl WideLines {
    /// Reads `raw`, if it has UTF-16: four characters of ASCII in units of two bytes, the lower
    /// one first. UTF-16 ends with its line, unless the next unit is one of an alphabet up to
    /// Arabic, and before eight bytes of ASCII. Where that cannot be known yet, the end of `raw`
    /// is left out, unless it is the `last` of a text. Without UTF-16 only fewer characters of it
    /// than four are.
    ///
    /// ```
    /// use urisieve::decode::WideLines;
    /// let mut lines = WideLines::default();
    /// assert!(!lines.read(b"one\ntwo\n", true));
    /// assert!(lines.read(b"t\0w\0o\0\r\0\n\0thr", false));
    /// assert_eq!(lines.text(), b"two\r\n");
    /// ```
    pub fn read(&mut self, raw: &[u8], last: bool) -> bool {
        self.text.clear();
        self.map.clear();
        let mut at = 0;
        while let Some(begin) = wide_at(&raw[at..]) {
            self.text.extend_from_slice(&raw[at..at + begin]);
            let begin = at + begin;
            self.map
                .push(self.text.len(), begin as u64, Encoding::Utf16);
            let (end, following) = self.read_wide(raw, begin, last);
            self.map.push(self.text.len(), end as u64, Encoding::Raw);
            if following == Following::Unknown {
                return true;
            }
            at = end;
        }
        let rest = &raw[at..];
        let end = if last {
            rest.len()
        } else {
            wide_may_begin(rest)
        };
        if at == 0 && end == rest.len() {
            return false;
        }
        self.text.extend_from_slice(&rest[..end]);
        true
    }

    /// Reads UTF-16 from `at` on; returns its end.
    fn read_wide(&mut self, raw: &[u8], mut at: usize, last: bool) -> (usize, Following) {
        let mut decoder = Utf16Decoder::new(Endian::Little);
        let (mut begins_line, mut is_half) = (false, false);
        let following = loop {
            if !is_half {
                let had = self.text.len();
                let (units, _) = raw[at..].as_chunks::<2>();
                let is_ascii = |unit: &&[u8; 2]| unit[1] == 0 && matches!(unit[0], b' '..=b'~');
                let ascii = units.iter().take_while(is_ascii);
                self.text.extend(ascii.map(|unit| unit[0]));
                at += 2 * (self.text.len() - had);
                begins_line &= self.text.len() == had;
            }
            match following(&raw[at..], begins_line, last) {
                Following::Unit => {}
                found => break found,
            }
            let unit = &raw[at..at + 2];
            decoder.decode(unit, &mut self.text);
            begins_line = unit == b"\n\0";
            is_half = matches!(unit[1], 0xD8..=0xDB);
            at += 2;
        };
        // A surrogate without the other one.
        let had = self.text.len();
        decoder.finish(&mut self.text);
        if following == Following::Unknown && self.text.len() > had {
            self.text.truncate(had);
            at -= 2;
        }
        (at, following)
    }

    /// Returns the text.
    ///
    /// ```
    /// use urisieve::decode::WideLines;
    /// let mut lines = WideLines::default();
    /// lines.read(b"t\0e\0x\0t\0", true);
    /// assert_eq!(lines.text(), b"text");
    /// ```
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the map from the text to the bytes that were read.
    ///
    /// ```
    /// use urisieve::decode::WideLines;
    /// let mut lines = WideLines::default();
    /// lines.read(b"\nt\0e\0x\0t\0", true);
    /// assert_eq!(lines.map().places(lines.text()).raw(2), 3);
    /// ```
    pub fn map(&self) -> &OffsetMap {
        &self.map
    }
}

/// Returns what follows in UTF-16, where `rest` is still to be read.
fn following(rest: &[u8], begins_line: bool, last: bool) -> Following {
    let shown = &rest[..rest.len().min(2 * SHOWN_BY)];
    let is_ascii = shown.iter().all(|byte| is_of_ascii_text(*byte));
    match (rest, shown.len() == 2 * SHOWN_BY) {
        (_, true) if is_ascii => Following::Other,
        (_, false) if is_ascii && last => Following::Other,
        (_, false) if is_ascii => Following::Unknown,
        ([0, 0, ..], _) => Following::Other,
        ([_, high, ..], _) if begins_line && *high > HIGH_MAX => Following::Other,
        // A character that shares a byte with the end of a line is rare, but for letters of
        // alphabets.
        ([low, high, ..], _) if *high > HIGH_MAX && (*low == b'\n' || *high == b'\n') => {
            Following::Other
        }
        ([_, _, ..], _) => Following::Unit,
        _ if last => Following::Other,
        _ => Following::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns `text` in UTF-16, the lower byte first.
    fn wide(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn lines_in_both_encodings_are_read() {
        let parts = [
            "http://a.example/ä\n",
            "http://b.example/д?\u{1F600}\r\nx日本\r\n",
            "q\nurn:x:y\n",
            "http://c.example/\r\n",
        ];
        let mut raw = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            match number % 2 {
                0 => raw.extend_from_slice(part.as_bytes()),
                _ => raw.extend(wide(part)),
            }
        }
        let mut lines = WideLines::default();
        assert!(lines.read(&raw, true));
        let text = parts.concat();
        assert_eq!(String::from_utf8_lossy(lines.text()), text);
        let mut places = lines.map().places(lines.text());
        for (part, scale) in [
            ("http://a", 1),
            ("http://b", 2),
            ("urn", 1),
            ("http://c", 2),
        ] {
            let at = text.find(part).unwrap();
            let wanted = match scale {
                1 => part.as_bytes().to_vec(),
                _ => wide(part),
            };
            let (from, len) = places.span(at..at + part.len());
            assert_eq!(&raw[from as usize..][..len as usize], wanted, "{part}");
        }
        // A part of the bytes gives a part of the text.
        for len in 0..raw.len() {
            lines.read(&raw[..len], false);
            assert!(text.as_bytes().starts_with(lines.text()), "{len}");
            assert!(
                text.len() - lines.text().len() <= raw.len() - len + 8,
                "{len}"
            );
        }
    }

    /// UTF-16 that begins at the end of a piece is read with the next one, also inside a URI.
    #[test]
    fn utf_16_that_begins_is_left_out() {
        let mut lines = WideLines::default();
        for (raw, wanted) in [
            (&b"x:?q=t\0h\0t\0"[..], &b"x:?q="[..]),
            (b"x:?q=t\0", b"x:?q="),
        ] {
            assert!(lines.read(raw, false));
            assert_eq!(lines.text(), wanted);
        }
        assert!(!lines.read(b"x:?q=t", false));
        assert!(!lines.read(b"x:?q=t\0h\0", true));
        assert!(lines.read(b"x:?q=t\0h\0t\0;\0", true));
        assert_eq!(lines.text(), b"x:?q=tht;");
    }

    #[test]
    fn bytes_that_are_no_text_are_left() {
        for raw in [
            &b"one\0two\0three\0"[..],
            b"\0\0\0\0\0\0\0\0\0\0",
            b"\x01\0\x02\0\x03\0\x04\0",
        ] {
            assert!(!WideLines::default().read(raw, true), "{raw:?}");
        }
        let mut lines = WideLines::default();
        // The other byte order, in ASCII alone.
        assert!(lines.read(b"x\r\n\0h\0t\0t\0p\0\r\0\nurn:x:y\n", true));
        assert_eq!(lines.text(), b"x\r\nhttp\r\nurn:x:y\n");
    }
}
