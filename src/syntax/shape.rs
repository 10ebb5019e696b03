//! The shape of a URI: its parts, with classes in place of values that differ from one
//! resource to the next (I16), and the extension of its path (I17).

use super::Components;
use super::iri::utf8_len;
use std::ops::Range;

/// The longest extension.
const EXTENSION_MAX: usize = 8;

/// Appends the shape of `uri`: the scheme, the authority, the path with a class in place of
/// each segment that has one, and the names of the parameters, sorted, each once. With
/// `values` parameters have their values, of which those with a class are replaced.
///
/// | class | segments, before an extension |
/// |---|---|
/// | `{uuid}` | `550e8400-e29b-41d4-a716-446655440000` |
/// | `{date}` | `2026-01-31`, `20260131`, if the date exists |
/// | `{int}` | digits |
/// | `{hex}` | 16 or more hexadecimal digits, with a letter and a digit |
/// | `{token}` | a ULID; 20 or more letters, digits, `_` and `-`, with both cases and a digit |
/// | `{slug}` | a letter first, and last a hyphen and digits, or four or more hyphens |
///
/// ```
/// use urisieve::syntax::shape;
/// let mut out = Vec::new();
/// shape(b"http://a.example/u/17/my-post-12.html?q=x&id=7&q=y#top", false, &mut out);
/// assert_eq!(out, b"http://a.example/u/{int}/{slug}.html?id&q");
/// out.clear();
/// shape(b"http://a.example/?q=x&id=7", true, &mut out);
/// assert_eq!(out, b"http://a.example/?id={int}&q=x");
/// ```
pub fn shape(uri: &[u8], values: bool, out: &mut Vec<u8>) {
    ShapeWriter::default().push(uri, values, out);
}

/// Writes shapes, one after the other, without allocations.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShapeWriter {
    /// The parameters of a URI, and where each is among them.
    text: Vec<u8>,
    fields: Vec<Range<usize>>,
}

impl ShapeWriter {
    /// Appends the shape of `uri`, as [`shape()`] does.
    pub(crate) fn push(&mut self, uri: &[u8], values: bool, out: &mut Vec<u8>) {
        let parts = Components::parse(uri);
        out.extend_from_slice(before_path(uri, &parts));
        for (number, segment) in parts.path(uri).split(|&b| b == b'/').enumerate() {
            if number > 0 {
                out.push(b'/');
            }
            let stem = match extension_of(segment) {
                Some(extension) => &segment[..segment.len() - extension.len() - 1],
                None => segment,
            };
            push_class(stem, out);
            out.extend_from_slice(&segment[stem.len()..]);
        }
        if let Some(query) = parts.query(uri) {
            out.push(b'?');
            self.push_query(query, values, out);
        }
    }

    fn push_query(&mut self, query: &[u8], values: bool, out: &mut Vec<u8>) {
        let ShapeWriter { text, fields } = self;
        text.clear();
        fields.clear();
        for field in parameters(query) {
            let (start, name) = (text.len(), name_of(field));
            text.extend_from_slice(name);
            if let (true, Some(value)) = (values, field.get(name.len() + 1..)) {
                text.push(b'=');
                push_class(value, text);
            }
            // A parameter without a name has only its value.
            if text.len() > start {
                fields.push(start..text.len());
            }
        }
        fields.sort_unstable_by(|a, b| text[a.clone()].cmp(&text[b.clone()]));
        fields.dedup_by(|a, b| text[a.clone()] == text[b.clone()]);
        for (number, field) in fields.iter().enumerate() {
            if number > 0 {
                out.push(b'&');
            }
            out.extend_from_slice(&text[field.clone()]);
        }
    }
}

/// Returns the directory of `uri`: all up to the last `/` of its path; up to the path, if that
/// has none.
///
/// ```
/// use urisieve::syntax::directory;
/// assert_eq!(directory(b"http://a.example/x/y?z=/"), b"http://a.example/x/");
/// assert_eq!(directory(b"http://a.example"), b"http://a.example");
/// ```
pub fn directory(uri: &[u8]) -> &[u8] {
    let parts = Components::parse(uri);
    let before = before_path(uri, &parts).len();
    let slash = memchr::memrchr(b'/', parts.path(uri));
    &uri[..before + slash.map_or(0, |at| at + 1)]
}

/// Returns the extension of the last segment of the path, as it is written: at most 8 letters
/// and digits, with a letter, after a dot that is not its first byte.
///
/// ```
/// use urisieve::syntax::extension;
/// assert_eq!(extension(b"http://a.example/x.tar.GZ?y"), Some(&b"GZ"[..]));
/// assert_eq!(extension(b"http://a.example/v1.2"), None);
/// ```
pub fn extension(uri: &[u8]) -> Option<&[u8]> {
    let path = Components::parse(uri).path(uri);
    extension_of(path.rsplit(|&b| b == b'/').next()?)
}

/// Returns the parameters of a query, without empty ones.
pub(crate) fn parameters(query: &[u8]) -> impl Iterator<Item = &[u8]> {
    query
        .split(|&b| b == b'&')
        .filter(|field| !field.is_empty())
}

/// Returns the name of a parameter.
pub(crate) fn name_of(field: &[u8]) -> &[u8] {
    &field[..memchr::memchr(b'=', field).unwrap_or(field.len())]
}

/// Returns the scheme and the authority.
fn before_path<'u>(uri: &'u [u8], parts: &Components) -> &'u [u8] {
    let scheme = parts.scheme(uri).map_or(0, |scheme| scheme.len() + 1);
    let authority = parts
        .authority(uri)
        .map_or(0, |authority| authority.len() + 2);
    &uri[..scheme + authority]
}

fn extension_of(segment: &[u8]) -> Option<&[u8]> {
    let dot = memchr::memrchr(b'.', segment).filter(|&dot| dot > 0)?;
    let extension = &segment[dot + 1..];
    let fits = (1..=EXTENSION_MAX).contains(&extension.len())
        && extension.iter().all(u8::is_ascii_alphanumeric)
        && extension.iter().any(u8::is_ascii_alphabetic);
    fits.then_some(extension)
}

/// Appends the class of a segment or value, or what it is without one.
fn push_class(text: &[u8], out: &mut Vec<u8>) {
    let class = class_of(text);
    out.extend_from_slice(class.unwrap_or(text));
}

fn class_of(text: &[u8]) -> Option<&'static [u8]> {
    let first = *text.first()?;
    let are_digits = |text: &[u8]| text.iter().all(u8::is_ascii_digit);
    let is_date = |parts: [&[u8]; 3]| {
        parts.into_iter().all(are_digits) && {
            let [year, month, day] = parts.map(number);
            (1..=12).contains(&month) && (1..=days_of(year, month)).contains(&day)
        }
    };
    match text {
        [year @ .., b'-', a, b, b'-', c, d]
            if year.len() == 4 && is_date([year, &[*a, *b], &[*c, *d]]) =>
        {
            return Some(b"{date}");
        }
        _ if text.len() == 8 && is_date([&text[..4], &text[4..6], &text[6..]]) => {
            return Some(b"{date}");
        }
        _ if are_digits(text) => return Some(b"{int}"),
        _ => {}
    }
    let (mut lower, mut upper, mut digit, mut hyphens) = (false, false, false, 0);
    let (mut hex, mut word) = (true, true);
    for &byte in text {
        lower |= byte.is_ascii_lowercase();
        upper |= byte.is_ascii_uppercase();
        digit |= byte.is_ascii_digit();
        hyphens += usize::from(byte == b'-');
        hex &= byte.is_ascii_hexdigit();
        word &= byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    }
    if is_uuid(text) {
        return Some(b"{uuid}");
    }
    if hex && text.len() >= 16 && digit && (lower || upper) {
        return Some(b"{hex}");
    }
    if is_ulid(text) || word && text.len() >= 20 && lower && upper && digit {
        return Some(b"{token}");
    }
    let begins = first.is_ascii_alphabetic() || first >= 0x80 && utf8_len(first).is_some();
    let tail = memchr::memrchr(b'-', text).map(|at| &text[at + 1..]);
    let ends = tail.is_some_and(|tail| !tail.is_empty() && are_digits(tail));
    (begins && (ends || hyphens >= 4)).then_some(b"{slug}")
}

/// Returns the number that at most four digits are.
fn number(digits: &[u8]) -> u32 {
    let add = |number: u32, digit: &u8| number * 10 + u32::from(digit.wrapping_sub(b'0'));
    digits.iter().take(4).fold(0, add)
}

fn days_of(year: u32, month: u32) -> u32 {
    let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Whether `text` has the form of RFC 9562 section 4.
fn is_uuid(text: &[u8]) -> bool {
    let is_of = |(at, byte): (usize, &u8)| match at {
        8 | 13 | 18 | 23 => *byte == b'-',
        _ => byte.is_ascii_hexdigit(),
    };
    text.len() == 36 && text.iter().enumerate().all(is_of)
}

/// Whether `text` is a ULID: 26 digits in base 32 without I, L, O and U, of which the first is
/// at most 7.
fn is_ulid(text: &[u8]) -> bool {
    let is_of =
        |byte: &u8| byte.is_ascii_digit() || byte.is_ascii_uppercase() && !b"ILOU".contains(byte);
    text.len() == 26 && (b'0'..=b'7').contains(&text[0]) && text.iter().all(is_of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn classes_of_segments() {
        for (text, class) in [
            ("550e8400-e29b-41d4-a716-446655440000", "{uuid}"),
            ("2026-01-31", "{date}"),
            ("2024-02-29", "{date}"),
            ("20260131", "{date}"),
            ("2023-02-29", ""),
            ("20261301", "{int}"),
            ("0", "{int}"),
            ("0123456789abcdef", "{hex}"),
            ("abcdefabcdefabcdef", ""),
            ("0123456789abcde", ""),
            ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "{token}"),
            ("81ARZ3NDEKTSV4RRFFQ69G5FAV", ""),
            ("AbC123defGHI456jklMN", "{token}"),
            ("abc123defghi456jklmn", ""),
            ("my-post-12", "{slug}"),
            ("a-brief-history-of-time", "{slug}"),
            ("about-us", ""),
            ("3-of-5", ""),
            ("-", ""),
            ("", ""),
        ] {
            let wanted = Some(class.as_bytes()).filter(|class| !class.is_empty());
            assert_eq!(class_of(text.as_bytes()), wanted, "{text}");
        }
    }

    #[test]
    fn shapes_of_uris() {
        for (uri, values, wanted) in [
            ("http://a/x?b=1&a=2&b=3#f", false, "http://a/x?a&b"),
            ("http://a/x?", false, "http://a/x?"),
            ("http://a", false, "http://a"),
            ("http://a/17.tar.gz", false, "http://a/17.tar.gz"),
            ("http://a/17.gz/18", false, "http://a/{int}.gz/{int}"),
            ("http://a/?&x&&y=", false, "http://a/?x&y"),
            ("http://a/?x=1&x=2&y", true, "http://a/?x={int}&y"),
            ("urn:isbn:0395363411", false, "urn:isbn:0395363411"),
            ("mailto:a@b?subject=x", false, "mailto:a@b?subject"),
        ] {
            let mut out = Vec::new();
            shape(uri.as_bytes(), values, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), wanted, "{uri}");
        }
    }

    proptest! {
        /// The shape of a shape is that shape.
        #[test]
        fn a_shape_is_its_own(uri in "http://a(/[a-c0-9.-]{0,9}){0,3}(\\?[a-b=&0-9]{0,8})?", values in any::<bool>()) {
            let (mut once, mut twice) = (Vec::new(), Vec::new());
            shape(uri.as_bytes(), values, &mut once);
            shape(&once, values, &mut twice);
            prop_assert_eq!(once, twice);
        }

        #[test]
        fn no_uri_is_too_strange(uri in proptest::collection::vec(any::<u8>(), 0..60)) {
            shape(&uri, true, &mut Vec::new());
            directory(&uri);
            extension(&uri);
        }
    }
}
