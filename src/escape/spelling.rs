//! Writes a URI in place of another one, in the escapes of its place (I29): `\/` and `\u0026` of
//! JSON, character references of markup.

use super::backslash::{Backslash, MAX_RUN, backslash};
use super::reference::{reference, starts_amp};
use std::ops::Range;

/// The most characters whose escapes are known of one place.
const UNITS_MAX: usize = 8;

/// The characters that a URI spells by escapes, each with the range of its first one.
struct PlaceSpelling<'r> {
    raw: &'r [u8],
    units: [(char, (u32, u32)); UNITS_MAX],
    len: usize,
}

impl<'r> PlaceSpelling<'r> {
    /// Reads the escapes of `raw`, which means `known`: what is in both is no escape.
    fn of(raw: &'r [u8], known: &[u8], is_refanged: bool) -> PlaceSpelling<'r> {
        let mut spelling = PlaceSpelling {
            raw,
            units: [('\0', (0, 0)); UNITS_MAX],
            len: 0,
        };
        let mut at = 0;
        while let Some(next) = memchr::memchr2(b'\\', b'&', &raw[at..]) {
            at += next;
            let unit = match raw[at] {
                b'\\' => match backslash(raw, at, false).0 {
                    Backslash::Char(char, len) => Some((char, len)),
                    // As a mark of defanging it is not kept.
                    Backslash::RegexDot(len) if !is_refanged => Some(('.', len)),
                    _ => None,
                },
                _ => reference(raw, at).0.map(|found| (found.char, found.len)),
            };
            let Some((char, len)) = unit else {
                let run = raw[at..].iter().take(MAX_RUN).take_while(|&&b| b == b'\\');
                at += run.count().max(1);
                continue;
            };
            let range = at..(at + len).min(raw.len());
            if memchr::memmem::find(known, &raw[range.clone()]).is_none() {
                spelling.note(char, range.clone());
            }
            at = range.end;
        }
        spelling
    }

    fn note(&mut self, char: char, range: Range<usize>) {
        let Range { start, end } = range;
        if self.len < UNITS_MAX && self.find(char).is_none() {
            self.units[self.len] = (char, (start as u32, end as u32));
            self.len += 1;
        }
    }

    /// Returns the escape of a character.
    fn find(&self, char: char) -> Option<&'r [u8]> {
        let unit = self.units[..self.len].iter().find(|unit| unit.0 == char);
        unit.map(|unit| &self.raw[unit.1.0 as usize..unit.1.1 as usize])
    }
}

/// Whether a byte would end a URI, or the text around it.
fn is_unsafe(byte: u8) -> bool {
    matches!(byte, 0..=b' ' | 0x7F | b'"' | b'<' | b'>' | b'\\' | b'`')
}

/// Appends `text` in the escapes of a place in which `raw` is written, which means `known`.
/// Characters that would end the text around it, and that `known` lacks, become `%XX`.
///
/// ```
/// use urisieve::escape::write_in_place;
/// let mut out = Vec::new();
/// write_in_place(br"http:\/\/a\/", b"http://a/", b"http://b.example/", &mut out);
/// assert_eq!(out, br"http:\/\/b.example\/");
/// out.clear();
/// write_in_place(b"http://a/", b"http://a/", b"http://a/\"b", &mut out);
/// assert_eq!(out, b"http://a/%22b");
/// ```
pub fn write_in_place(raw: &[u8], known: &[u8], text: &[u8], out: &mut Vec<u8>) {
    write_as(&PlaceSpelling::of(raw, known, false), known, text, out);
}

/// Does the same where `raw` has marks of defanging.
pub(crate) fn write_refanged(raw: &[u8], known: &[u8], text: &[u8], out: &mut Vec<u8>) {
    write_as(&PlaceSpelling::of(raw, known, true), known, text, out);
}

fn write_as(spelling: &PlaceSpelling, known: &[u8], text: &[u8], out: &mut Vec<u8>) {
    let mut amps = memchr::memchr_iter(b'&', known);
    let has_amp = amps.any(|at| known[at..].starts_with(b"&amp;"));
    let is_plain = spelling.len == 0 && !has_amp;
    // All bytes are looked at, because that takes vectors.
    let has_ending = |text: &[u8]| text.iter().fold(false, |any, &b| any | is_unsafe(b));
    if is_plain && !has_ending(text) {
        return out.extend_from_slice(text);
    }
    for (at, char, bytes) in characters(text) {
        let escape = char.and_then(|char| spelling.find(char));
        match (escape, bytes) {
            (Some(escape), _) => out.extend_from_slice(escape),
            (None, b"&") if has_amp && !starts_amp(text, at).0 => out.extend_from_slice(b"&amp;"),
            (None, &[byte]) if is_unsafe(byte) && memchr::memchr(byte, known).is_none() => {
                let digit = |value: u8| b"0123456789ABCDEF"[usize::from(value)];
                out.extend([b'%', digit(byte >> 4), digit(byte & 15)]);
            }
            _ => out.extend_from_slice(bytes),
        }
    }
}

/// Returns the characters of a text, with their offsets and their bytes; `None` for a byte that
/// is not UTF-8.
fn characters(text: &[u8]) -> impl Iterator<Item = (usize, Option<char>, &[u8])> {
    let mut at = 0;
    let chunks = text.utf8_chunks();
    chunks.flat_map(move |chunk| {
        let start = at;
        at += chunk.valid().len() + chunk.invalid().len();
        let valid = chunk.valid().char_indices().map(move |(offset, char)| {
            let from = start + offset;
            (from, Some(char), &text[from..from + char.len_utf8()])
        });
        let from = start + chunk.valid().len();
        let invalid =
            (from..from + chunk.invalid().len()).map(move |at| (at, None, &text[at..=at]));
        valid.chain(invalid)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_has_its_escapes() {
        for (raw, known, text, wanted) in [
            ("http://a/", "http://a/", "http://b/", "http://b/"),
            (
                r"http:\/\/a\/?x\u0026y",
                "http://a/?x&y",
                "http://b/?x&z",
                r"http:\/\/b\/?x\u0026z",
            ),
            (
                r"http:\\\/\\\/a",
                "http://a",
                "http://a/",
                r"http:\\\/\\\/a\\\/",
            ),
            (
                "http:&#47;&#x2F;a",
                "http://a",
                "http://a/é",
                "http:&#47;&#47;a&#47;é",
            ),
            (
                "http://a/?x&amp;y",
                "http://a/?x&amp;y",
                "http://b/?x&amp;z&w",
                "http://b/?x&amp;z&amp;w",
            ),
            // A backslash of the URI begins no escape.
            (
                r"http://a\/b",
                r"http://a\/b",
                r"http://a\/c",
                r"http://a\/c",
            ),
            ("x:a", "x:a", "x:a b\"<>\\", "x:a%20b%22%3C%3E%5C"),
            ("x:a|^", "x:a|^", "x:b|^", "x:b|^"),
        ] {
            let mut out = Vec::new();
            write_in_place(raw.as_bytes(), known.as_bytes(), text.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), wanted, "{raw}");
        }
        let mut out = Vec::new();
        write_refanged(br"http:\/\/a\.b", b"http://a.b", b"http://a.b", &mut out);
        assert_eq!(out, br"http:\/\/a.b");
        out.clear();
        write_in_place(b"x:a", b"x:a", b"x:\xFF\xC3\xA9\xFF", &mut out);
        assert_eq!(out, b"x:\xFF\xC3\xA9\xFF");
    }
}
