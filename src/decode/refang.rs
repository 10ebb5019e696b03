//! Refangs defanged URIs (R1). Security reports write `hxxps[:]//evil[.]example/` to
//! prevent opening by mistake. The text is scanned without these marks, and every
//! offset in it leads back to the bytes as written. Each mark replaces one byte.

use crate::item::OffsetMap;
use crate::syntax::words::Words;
use std::ops::Range;

/// The longest mark, in bytes: `[dot]`.
pub const MARK_MAX: usize = 5;

/// The marks, and the schemes that contain them.
const PATTERNS: [&str; 6] = ["[.]", "(.)", "[dot]", "[:]", "[://]", "hxxp"];

/// A text without the marks of defanging.
///
/// ```
/// use urisieve::decode::Refanged;
/// let mut refanged = Refanged::new();
/// refanged.read(b"hxxp://evil[.]example/", true);
/// assert_eq!(refanged.text(), b"http://evil.example/");
/// assert_eq!(refanged.map().places(refanged.text()).raw(12), 14);
/// ```
#[derive(Clone, Debug)]
pub struct Refanged {
    words: Words,
    text: Vec<u8>,
    /// A unit for each mark.
    map: OffsetMap,
}

impl Default for Refanged {
    fn default() -> Refanged {
        Refanged::new()
    }
}

impl Refanged {
    /// Creates one without text.
    ///
    /// ```
    /// assert!(urisieve::decode::Refanged::new().text().is_empty());
    /// ```
    pub fn new() -> Refanged {
        Refanged {
            words: Words::new(PATTERNS.to_vec()),
            text: Vec::new(),
            map: OffsetMap::IDENTITY,
        }
    }

    /// Returns whether `raw` has a mark, or `hxxp`.
    ///
    /// ```
    /// use urisieve::decode::Refanged;
    /// assert!(Refanged::has_marks(b"evil[DOT]example"));
    /// assert!(!Refanged::has_marks(b"[info] extra (.x)"));
    /// ```
    pub fn has_marks(raw: &[u8]) -> bool {
        let begins = |at: usize, pattern: &str| {
            let read = raw.get(at..at + pattern.len());
            read.is_some_and(|read| read.eq_ignore_ascii_case(pattern.as_bytes()))
        };
        let [marks @ .., scheme] = PATTERNS;
        memchr::memchr2_iter(b'[', b'(', raw).any(|at| marks.iter().any(|mark| begins(at, mark)))
            || memchr::memchr2_iter(b'x', b'X', raw).any(|at| at > 0 && begins(at - 1, scheme))
    }

    /// Reads `raw`. An incomplete mark at the end is left out, unless it is the `last`
    /// of a text.
    ///
    /// ```
    /// use urisieve::decode::Refanged;
    /// let mut refanged = Refanged::new();
    /// refanged.read(b"http://evil[.", false);
    /// assert_eq!(refanged.text(), b"http://evil");
    /// refanged.read(b"http://evil[.", true);
    /// assert_eq!(refanged.text(), b"http://evil[.");
    /// ```
    pub fn read(&mut self, raw: &[u8], last: bool) {
        self.text.clear();
        self.map.clear();
        let end = if last { raw.len() } else { whole_len(raw) };
        let mut from = 0;
        while let Some((at, pattern)) = self.words.find(&raw[..end], from) {
            self.text.extend_from_slice(&raw[from..at]);
            from = at + PATTERNS[pattern].len();
            match pattern {
                0..=2 => self.mark_for(b'.', at..from),
                3 => self.mark_for(b':', at..from),
                4 => {
                    self.mark_for(b':', at..at + 2);
                    self.text.push(b'/');
                    self.mark_for(b'/', at + 3..from);
                }
                _ if is_scheme(&raw[from..]) => {
                    self.text.push(raw[at]);
                    self.mark_for(b't', at + 1..at + 2);
                    self.mark_for(b't', at + 2..at + 3);
                    self.text.push(raw[at + 3]);
                }
                _ => self.text.extend_from_slice(&raw[at..from]),
            }
        }
        self.text.extend_from_slice(&raw[from..end]);
    }

    fn mark_for(&mut self, byte: u8, raw: Range<usize>) {
        let (at, len) = (self.text.len(), raw.len() as u32);
        self.map.push_unit(at, raw.start as u64, 1, len);
        self.text.push(byte);
    }

    /// Returns the text.
    ///
    /// ```
    /// let mut refanged = urisieve::decode::Refanged::new();
    /// refanged.read(b"hxxps[://]a(.)b[dot]c", true);
    /// assert_eq!(refanged.text(), b"https://a.b.c");
    /// ```
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Returns the map from the text to the bytes that were read. Its units are the
    /// marks.
    ///
    /// ```
    /// let mut refanged = urisieve::decode::Refanged::new();
    /// refanged.read(b"a[.]b", true);
    /// let mut places = refanged.map().places(refanged.text());
    /// assert_eq!([0, 1, 2, 3].map(|at| places.raw(at)), [0, 1, 4, 5]);
    /// ```
    pub fn map(&self) -> &OffsetMap {
        &self.map
    }

    /// Returns the marks in this range of the text: the offset of the byte, and the raw
    /// range of its mark.
    ///
    /// ```
    /// let mut refanged = urisieve::decode::Refanged::new();
    /// refanged.read(b"a[.]b", true);
    /// assert_eq!(refanged.marks(0..2).collect::<Vec<_>>(), [(1, 1..4)]);
    /// assert_eq!(refanged.marks(2..3).next(), None);
    /// ```
    pub fn marks(&self, range: Range<usize>) -> impl Iterator<Item = (usize, Range<usize>)> + '_ {
        let marks = self.map.units(range);
        marks.map(|(at, raw)| (at, raw.start as usize..raw.end as usize))
    }
}

/// Whether `hxxp` is a scheme, because a colon or a mark for one follows.
fn is_scheme(rest: &[u8]) -> bool {
    let rest = match rest {
        [b's' | b'S', rest @ ..] => rest,
        rest => rest,
    };
    matches!(rest, [b':' | b'\\', ..] | [b'[', b':', ..])
}

/// Returns the length of `raw` without a possible beginning of a mark at its end, or of
/// bytes that decide about one.
fn whole_len(raw: &[u8]) -> usize {
    let floor = raw.len().saturating_sub(MARK_MAX + 1);
    let begins = |tail: &[u8]| {
        let scheme = |word: &[u8]| tail.eq_ignore_ascii_case(word);
        let cut = |mark: &&str| mark.len() > tail.len() && scheme(&mark.as_bytes()[..tail.len()]);
        PATTERNS.iter().any(cut)
            || [&b"hxxp"[..], b"hxxps", b"hxxp[", b"hxxps["]
                .into_iter()
                .any(scheme)
    };
    (floor..raw.len())
        .find(|&at| begins(&raw[at..]))
        .unwrap_or(raw.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(raw: &[u8]) -> Vec<u8> {
        let mut refanged = Refanged::new();
        refanged.read(raw, true);
        refanged.text().to_vec()
    }

    #[test]
    fn marks() {
        for (raw, expect) in [
            ("hXXp://a[.]b", "http://a.b"),
            ("hxxps[:]//a[DOT]b(.)c", "https://a.b.c"),
            ("hxxp[://]a", "http://a"),
            ("xhxxp:", "xhttp:"),
            ("hxxp hxxps", "hxxp hxxps"),
            ("[..] (dot) [ . ]", "[..] (dot) [ . ]"),
        ] {
            assert_eq!(String::from_utf8(read(raw.as_bytes())).unwrap(), expect);
        }
    }

    proptest! {
        #[test]
        fn places_lead_back(raw in r"(hxxps?|\[\.\]|\(\.\)|\[dot\]|\[:\]|\[://\]|[:a\[\](.x]){0,12}") {
            let mut refanged = Refanged::new();
            refanged.read(raw.as_bytes(), true);
            let text = refanged.text();
            prop_assert!(Refanged::has_marks(raw.as_bytes()) || text == raw.as_bytes());
            let mut places = refanged.map().places(text);
            prop_assert_eq!(places.raw(text.len()), raw.len() as u64);
            for (at, &byte) in text.iter().enumerate() {
                let from = places.raw(at) as usize;
                prop_assert_eq!(refanged.map().text_offset(from as u64, text), at);
                match refanged.marks(at..at + 1).next() {
                    Some((_, mark)) => prop_assert_eq!(mark.start, from),
                    None => prop_assert_eq!(byte, raw.as_bytes()[from]),
                }
            }
        }

        /// The text of a beginning is the beginning of the text of the whole.
        #[test]
        fn a_beginning_reads_the_same(
            raw in r"(hxxps?|\[\.\]|\(\.\)|\[dot\]|\[:\]|\[://\]|[:a\[\](.x]){0,12}",
            cut in 0usize..60,
        ) {
            let cut = cut.min(raw.len());
            let whole = read(raw.as_bytes());
            let mut part = Refanged::new();
            part.read(&raw.as_bytes()[..cut], false);
            prop_assert!(whole.starts_with(part.text()));
        }
    }
}
