//! Character references of markup: all names of the HTML Standard, in texts and in
//! attributes, and the few of XML. Plain text has other rules, in `reference`.

use super::names;

/// The longest character reference that is decoded, in bytes, from `&` to `;`. A number
/// with more leading zeros is not decoded, so that a text can be read in pieces. Only
/// tests of parsers have so many zeros.
pub const REFERENCE_MAX: usize = 512;

/// The set of character references that a text may contain.
///
/// ```
/// use urisieve::escape::{References, markup_reference};
/// let len = |mode| markup_reference(b"&copy=1", 0, mode).map(|found| found.len);
/// assert_eq!(len(References::HtmlText), Some(5));
/// assert_eq!(len(References::HtmlAttribute), None);
/// assert_eq!(len(References::Xml), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum References {
    /// In texts of HTML.
    HtmlText,
    /// In values of attributes of HTML: a name without `;` before `=`, a letter or a digit
    /// is not a reference.
    HtmlAttribute,
    /// In XML: `lt`, `gt`, `amp`, `quot`, `apos` and numbers, always with `;`.
    Xml,
}

/// A character reference of markup.
///
/// ```
/// use urisieve::escape::{References, markup_reference};
/// let found = markup_reference(b"&lt;a", 0, References::Xml).unwrap();
/// assert_eq!((found.len, found.first, found.second), (4, '<', None));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MarkupReference {
    /// The number of its bytes from `&` on.
    pub len: usize,
    /// The character.
    pub first: char,
    /// A second character, which few names have.
    pub second: Option<char>,
}

/// Reads the character reference that begins at `text[at]`, an `&`; `text` ends with the
/// value or the text.
///
/// ```
/// use urisieve::escape::{References, markup_reference};
/// let read = |text: &str| {
///     let found = markup_reference(text.as_bytes(), 0, References::HtmlText)?;
///     Some((found.first, found.len))
/// };
/// assert_eq!(read("&amp;amp;"), Some(('&', 5)));
/// assert_eq!(read("&notit;"), Some(('¬', 4)));
/// assert_eq!(read("&#128;"), Some(('€', 6)));
/// assert_eq!(read("&#0"), Some(('\u{FFFD}', 3)));
/// assert_eq!(read("&x;"), None);
/// ```
#[inline]
pub fn markup_reference(text: &[u8], at: usize, mode: References) -> Option<MarkupReference> {
    let rest = &text[at + 1..];
    // Most references in URLs.
    if rest.starts_with(b"amp;") {
        return Some(MarkupReference {
            len: b"&amp;".len(),
            first: '&',
            second: None,
        });
    }
    other_reference(rest, mode)
}

/// Reads the character reference whose bytes after `&` are at the start of `rest`.
fn other_reference(rest: &[u8], mode: References) -> Option<MarkupReference> {
    let (len, chars) = match rest.first()? {
        b'#' => number(&rest[1..], mode).map(|(len, char)| (len + 1, [Some(char), None]))?,
        _ => name(rest, mode)?,
    };
    Some(MarkupReference {
        len: len + 1,
        first: chars[0]?,
        second: chars[1],
    })
}

/// Decodes the character references of `text`, which is a whole value or text, and appends
/// the result to `out`. `unit` is called for each reference, in order, with the offset and
/// the length of its characters in the appended text, and the offset and the length of its
/// bytes in `text`: `(at, raw, len, raw_len)`, as `item::OffsetMap::push_unit` takes them.
///
/// ```
/// use urisieve::escape::{References, decode_references};
/// let (mut out, mut units) = (Vec::new(), Vec::new());
/// decode_references(b"?a&amp;b&eacute", References::HtmlText, &mut out, |at, raw, len, raw_len| {
///     units.push((at, raw, len, raw_len));
/// });
/// assert_eq!(out, "?a&bé".as_bytes());
/// assert_eq!(units, [(2, 2, 1, 5), (4, 8, 2, 7)]);
/// ```
pub fn decode_references(
    text: &[u8],
    mode: References,
    out: &mut Vec<u8>,
    unit: impl FnMut(usize, u64, u32, u32),
) {
    let ampersands = memchr::memchr_iter(b'&', text);
    decode_references_at(text, ampersands, mode, out, unit);
}

/// Does the same as [`decode_references`], given the offsets of all ampersands of the text.
#[inline]
pub(crate) fn decode_references_at(
    text: &[u8],
    ampersands: impl Iterator<Item = usize>,
    mode: References,
    out: &mut Vec<u8>,
    mut unit: impl FnMut(usize, u64, u32, u32),
) {
    let start = out.len();
    let mut copied = 0;
    for at in ampersands {
        // No reference has another ampersand, so each begins behind the last one.
        let Some(found) = markup_reference(text, at, mode) else {
            continue;
        };
        out.extend_from_slice(&text[copied..at]);
        let from = out.len();
        push(out, found.first);
        if let Some(second) = found.second {
            push(out, second);
        }
        let len = (out.len() - from) as u32;
        unit(from - start, at as u64, len, found.len as u32);
        copied = at + found.len;
    }
    out.extend_from_slice(&text[copied..]);
}

/// Appends a character; most references are ASCII.
#[inline]
fn push(out: &mut Vec<u8>, char: char) {
    match char.is_ascii() {
        true => out.push(char as u8),
        false => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// Reads a name, and its `;`. Returns the length, and the characters.
fn name(rest: &[u8], mode: References) -> Option<(usize, [Option<char>; 2])> {
    let is_of_name = |byte: &&u8| byte.is_ascii_alphanumeric();
    let most = rest.len().min(names::LONGEST + 1);
    let len = rest[..most].iter().take_while(is_of_name).count();
    if len == 0 {
        return None;
    }
    let (name, after) = (&rest[..len], rest.get(len));
    if after == Some(&b';') {
        let chars = match name {
            b"lt" => Some(['<', '\0']),
            b"gt" => Some(['>', '\0']),
            b"quot" => Some(['"', '\0']),
            b"apos" => Some(['\'', '\0']),
            _ if mode == References::Xml => None,
            _ => names::chars(name),
        };
        if let Some(chars) = chars {
            return Some((len + 1, pair(chars)));
        }
    }
    if mode == References::Xml {
        return None;
    }
    if mode == References::HtmlAttribute && after == Some(&b'=') {
        return None;
    }
    let (len, chars) = names::without_semicolon(name)?;
    let is_whole = len == name.len();
    (is_whole || mode != References::HtmlAttribute).then_some((len, pair(chars)))
}

fn pair([first, second]: [char; 2]) -> [Option<char>; 2] {
    [Some(first), (second != '\0').then_some(second)]
}

/// Reads a number after `&#`, and its `;`. Returns the length, and the character.
fn number(rest: &[u8], mode: References) -> Option<(usize, char)> {
    let is_xml = mode == References::Xml;
    let (start, radix) = match rest.first()? {
        b'x' => (1, 16),
        b'X' if !is_xml => (1, 16),
        _ => (0, 10),
    };
    // `&`, `#` and `;` are part of the reference.
    let most = rest.len().min(REFERENCE_MAX - 3);
    let mut value = 0u32;
    let mut len = start;
    while let Some(digit) = rest[..most]
        .get(len)
        .and_then(|&b| (b as char).to_digit(radix))
    {
        // All numbers beyond Unicode have the same meaning.
        value = (value * radix + digit).min(0x11_0000);
        len += 1;
    }
    let after = rest.get(len);
    if len == start || after.is_some_and(|&b| (b as char).is_digit(radix)) {
        return None;
    }
    match after {
        Some(b';') => Some((len + 1, char_of(value, is_xml)?)),
        _ if is_xml => None,
        _ => Some((len, char_of(value, false)?)),
    }
}

/// The character of a number: in HTML with the replacements of the Standard.
fn char_of(value: u32, is_xml: bool) -> Option<char> {
    let replaced = match value {
        0 => '\0',
        0x80..=0x9F => WINDOWS_1252[value as usize - 0x80],
        _ => return char::from_u32(value).or((!is_xml).then_some('\u{FFFD}')),
    };
    match (is_xml, replaced) {
        (true, _) => char::from_u32(value).filter(|&char| char != '\0'),
        (false, '\0') => Some('\u{FFFD}'),
        (false, char) => Some(char),
    }
}

/// The characters of the numbers from 0x80 on.
#[rustfmt::skip]
const WINDOWS_1252: [char; 32] = [
    '€', '\u{81}', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\u{8D}', 'Ž', '\u{8F}',
    '\u{90}', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\u{9D}', 'ž', 'Ÿ',
];

#[cfg(test)]
mod tests {
    use super::References::{HtmlAttribute, HtmlText, Xml};
    use super::*;

    fn decoded(text: &str, mode: References) -> String {
        let mut out = b"before".to_vec();
        let mut units = Vec::new();
        decode_references(text.as_bytes(), mode, &mut out, |at, raw, len, raw_len| {
            units.push((at, raw as usize, len as usize, raw_len as usize));
        });
        let out = String::from_utf8(out.split_off(b"before".len())).unwrap();
        // Between the units both are equal.
        let (mut at, mut raw) = (0, 0);
        for unit in units {
            assert_eq!(out[at..unit.0], text[raw..unit.1]);
            let one = markup_reference(text.as_bytes(), unit.1, mode).unwrap();
            assert_eq!(one.len, unit.3);
            assert!(out[unit.0..unit.0 + unit.2].starts_with(one.first));
            (at, raw) = (unit.0 + unit.2, unit.1 + unit.3);
        }
        assert_eq!(out[at..], text[raw..]);
        out
    }

    #[test]
    fn names_in_texts_and_attributes() {
        for (raw, text, attribute) in [
            ("&amp;&AMP;&amp", "&&&", "&&&"),
            ("&copy=", "©=", "&copy="),
            ("&copyb", "©b", "&copyb"),
            ("&copy;=", "©=", "©="),
            ("&copy-&copy", "©-©", "©-©"),
            ("&notin;&notit;&notin", "∉¬it;¬in", "∉&notit;&notin"),
            ("&lang;&lang", "⟨&lang", "⟨&lang"),
            ("&bne;", "=\u{20E5}", "=\u{20E5}"),
            ("&;&&amp;&", "&;&&&", "&;&&&"),
            ("?a=1&b=2&lt=3", "?a=1&b=2<=3", "?a=1&b=2&lt=3"),
            ("&apos;&apos", "'&apos", "'&apos"),
            ("&CounterClockwiseContourIntegral;", "∳", "∳"),
            ("&CounterClockwiseContourIntegralx;", "", ""),
        ] {
            let same = |expected: &'static str| if expected.is_empty() { raw } else { expected };
            assert_eq!(decoded(raw, HtmlText), same(text));
            assert_eq!(decoded(raw, HtmlAttribute), same(attribute));
        }
    }

    #[test]
    fn numbers_of_html() {
        for (raw, text) in [
            ("&#60;&#60&#x3c;&#X3C!", "<<<<!"),
            ("&#128;&#x9F;&#x81;", "€Ÿ\u{81}"),
            (
                "&#0;&#xD800;&#x110000;&#99999999999999999999;",
                "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}",
            ),
            ("&#x10FFFF;&#1;&#13;", "\u{10FFFF}\u{1}\r"),
            ("&#;&#x;&#xg;&#a;&#", "&#;&#x;&#xg;&#a;&#"),
            ("&#38;lt;", "&lt;"),
            ("&#00000000000000000000000000000038;", "&"),
        ] {
            assert_eq!(decoded(raw, HtmlText), text);
            assert_eq!(decoded(raw, HtmlAttribute), text);
        }
    }

    #[test]
    fn references_of_xml() {
        for (raw, text) in [
            ("&lt;&gt;&amp;&quot;&apos;&#60;&#x3C;", "<>&\"'<<"),
            (
                "&lt&eacute;&#60&#X3C;&#0;&#xD800;&#x110000;",
                "&lt&eacute;&#60&#X3C;&#0;&#xD800;&#x110000;",
            ),
            ("&#128;", "\u{80}"),
        ] {
            assert_eq!(decoded(raw, Xml), text);
        }
    }

    #[test]
    fn a_reference_has_a_longest_length() {
        for (zeros, is_read) in [(REFERENCE_MAX - 5, true), (REFERENCE_MAX - 4, false)] {
            let raw = format!("&#{}65;", "0".repeat(zeros));
            assert_eq!(raw.len() <= REFERENCE_MAX, is_read);
            assert_eq!(decoded(&raw, HtmlText) == "A", is_read);
            assert_eq!(decoded(&raw, Xml) == "A", is_read);
        }
    }
}
