//! The strings of JSON-LD that may be links: values, not keys, outside of `@context` and
//! `@type` (JSON, RFC 8259; JSON-LD 1.1). Broken JSON is read as far as its strings can
//! be recognized: after a defect the next string counts. Whether a string is a URI by
//! its scheme is decided later.

use crate::item::OffsetMap;
use crate::syntax::{scheme, steps};
use std::ops::Range;

/// Values that are nested more deeply have no pointer.
const DEPTH_MAX: usize = 64;
/// Longer pointers are not returned: a long key would be copied for each of many values.
const POINTER_MAX: usize = 1 << 10;

/// The hosts of vocabularies, whose names are not documents.
const VOCABULARY: [&[u8]; 2] = [b"schema.org", b"www.schema.org"];

/// The strings of a JSON-LD text that are values.
#[derive(Debug)]
pub(super) struct Strings<'t, 'b> {
    text: &'t [u8],
    at: usize,
    /// The number of open objects and arrays.
    depth: usize,
    /// The depth below which everything is excluded.
    excluded: Option<usize>,
    /// The open objects and arrays, as far as they are kept.
    open: &'b mut Vec<Open>,
    /// Whether the next value belongs to an excluded key.
    is_excluded_key: bool,
    /// The byte of the last token outside of strings; `"` for a string.
    last: u8,
    is_broken: bool,
}

/// An open object or array.
#[derive(Clone, Debug)]
pub(super) struct Open {
    opener: u8,
    /// The last key of an object, with its escapes.
    key: Range<usize>,
    /// The number of elements of an array before the next one.
    index: usize,
}

/// Returns the strings of `text` that are values. `open` is a buffer.
pub(super) fn strings<'t, 'b>(text: &'t [u8], open: &'b mut Vec<Open>) -> Strings<'t, 'b> {
    open.clear();
    Strings {
        text,
        at: 0,
        depth: 0,
        excluded: None,
        open,
        is_excluded_key: false,
        last: b',',
        is_broken: false,
    }
}

impl Iterator for Strings<'_, '_> {
    type Item = Range<usize>;

    /// Returns the range of the next value between its quotes, with its escapes.
    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let skipped = self.text[self.at..].iter();
            let skipped = skipped
                .take_while(|byte| !b"\"{}[],:".contains(byte))
                .count();
            steps::count(skipped + 1);
            self.at += skipped;
            let byte = *self.text.get(self.at)?;
            let last = std::mem::replace(&mut self.last, byte);
            match byte {
                b'"' => {
                    self.is_broken |= !matches!(last, b'{' | b'[' | b',' | b':');
                    if let Some(value) = self.string() {
                        return Some(value);
                    }
                    continue;
                }
                b'{' | b'[' => self.enter(byte),
                b'}' | b']' => self.leave(byte),
                b',' => {
                    self.is_excluded_key = false;
                    if let Some(open) = self.innermost() {
                        open.index += 1;
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

impl Strings<'_, '_> {
    /// Reads a string; returns its range if it is a value that counts.
    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at + 1;
        let end = string_end(self.text, start);
        let after = (end + 1).min(self.text.len());
        steps::count(after - self.at);
        self.at = after;
        let blanks = self.text[after..].iter();
        let blanks = blanks.take_while(|byte| byte.is_ascii_whitespace()).count();
        if self.text.get(after + blanks) == Some(&b':') {
            self.is_excluded_key = is_excluded(&self.text[start..end]);
            if let Some(open) = self.innermost() {
                open.key = start..end;
            }
            return None;
        }
        let is_excluded = std::mem::take(&mut self.is_excluded_key) || self.excluded.is_some();
        (!is_excluded).then_some(start..end)
    }

    fn enter(&mut self, opener: u8) {
        if std::mem::take(&mut self.is_excluded_key) && self.excluded.is_none() {
            self.excluded = Some(self.depth);
        }
        if self.open.len() == self.depth && self.depth < DEPTH_MAX {
            self.open.push(Open {
                opener,
                key: 0..0,
                index: 0,
            });
        }
        self.depth += 1;
    }

    fn leave(&mut self, closer: u8) {
        self.is_excluded_key = false;
        let Some(depth) = self.depth.checked_sub(1) else {
            self.is_broken = true;
            return;
        };
        if let Some(open) = self.open.get(depth) {
            self.is_broken |= (open.opener == b'{') != (closer == b'}');
        }
        self.depth = depth;
        self.open.truncate(depth);
        if self.excluded == Some(depth) {
            self.excluded = None;
        }
    }

    /// The innermost object or array, if it is kept.
    fn innermost(&mut self) -> Option<&mut Open> {
        self.open.get_mut(self.depth.checked_sub(1)?)
    }

    /// Appends the JSON Pointer (RFC 6901) of the last value to `out`. Returns false when
    /// it is not known, because the text is broken or nested too deeply, or the pointer is
    /// too long.
    pub(super) fn pointer(&self, out: &mut Vec<u8>) -> bool {
        if self.is_broken || self.open.len() < self.depth {
            return false;
        }
        let len: usize = self.open.iter().map(|open| open.key.len()).sum();
        if len > POINTER_MAX {
            return false;
        }
        for open in self.open.iter() {
            out.push(b'/');
            if open.opener == b'[' {
                out.extend_from_slice(open.index.to_string().as_bytes());
                continue;
            }
            let from = out.len();
            unescape(&self.text[open.key.clone()], out, None);
            let mut at = from;
            while let Some(found) = memchr::memchr2(b'~', b'/', &out[at..]) {
                at += found;
                let code = if out[at] == b'~' { b'0' } else { b'1' };
                out[at] = b'~';
                out.insert(at + 1, code);
                at += 2;
            }
        }
        true
    }
}

/// Returns the end of the string whose inside begins at `at`: its quote, or the end of
/// the text. Line breaks, which JSON forbids in it, are part of it.
fn string_end(text: &[u8], mut at: usize) -> usize {
    while let Some(found) = memchr::memchr2(b'"', b'\\', &text[at..]) {
        at += found;
        if text[at] == b'"' {
            return at;
        }
        at = (at + 2).min(text.len());
    }
    text.len()
}

/// Whether values below this key are names of vocabulary.
fn is_excluded(key: &[u8]) -> bool {
    const KEYS: [&[u8]; 2] = [b"@context", b"@type"];
    if memchr::memchr(b'\\', key).is_none() {
        return KEYS.contains(&key);
    }
    // Each character is written in at most 6 bytes.
    if key.len() > 6 * 8 {
        return false;
    }
    let mut unescaped = Vec::new();
    unescape(key, &mut unescaped, None);
    KEYS.contains(&&unescaped[..])
}

/// Whether a value, without its escapes, may be a link: it begins with a scheme, has no
/// place to be filled in, and is not a name of vocabulary.
pub(super) fn may_be_link(value: &[u8]) -> bool {
    let value = value.trim_ascii();
    let Some(len) = scheme::prefix_len(value) else {
        return false;
    };
    let rest = &value[len + 1..];
    memchr::memchr(b'{', rest).is_none() && !is_vocabulary(rest)
}

/// Whether the host after a scheme is that of vocabulary.
fn is_vocabulary(rest: &[u8]) -> bool {
    let Some(rest) = rest.strip_prefix(b"//") else {
        return false;
    };
    VOCABULARY.into_iter().any(|host| {
        let parts = rest.split_at_checked(host.len());
        parts.is_some_and(|(start, after)| {
            let ends = matches!(after, [] | [b'/' | b'?' | b'#' | b':', ..]);
            ends && start.eq_ignore_ascii_case(host)
        })
    })
}

/// Appends `text`, the inside of a string, without its escapes, and completes its map.
/// A sequence that is no escape of JSON is kept.
pub(super) fn unescape(text: &[u8], out: &mut Vec<u8>, mut map: Option<&mut OffsetMap>) {
    let from = out.len();
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\\', &text[at..]) {
        out.extend_from_slice(&text[at..at + found]);
        at += found;
        let Some((char, len)) = escape(&text[at..]) else {
            out.push(b'\\');
            at += 1;
            continue;
        };
        let mut utf8 = [0; 4];
        let utf8 = char.encode_utf8(&mut utf8).as_bytes();
        if let Some(map) = &mut map {
            let place = out.len() - from;
            map.push_unit(place, at as u64, utf8.len() as u32, len as u32);
        }
        out.extend_from_slice(utf8);
        at += len;
    }
    out.extend_from_slice(&text[at..]);
}

/// Returns the character of the escape at the start of `text`, and its length.
fn escape(text: &[u8]) -> Option<(char, usize)> {
    let char = match text.get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(text),
        _ => return None,
    };
    Some((char, 2))
}

/// Returns the character of `\uXXXX` or of a surrogate pair, and its length. A lone
/// surrogate is not a character.
fn unicode(text: &[u8]) -> Option<(char, usize)> {
    let first = unit(text)?;
    if let Some(char) = char::from_u32(first) {
        return Some((char, 6));
    }
    let second = unit(&text[6..]).filter(|unit| (0xDC00..0xE000).contains(unit));
    let pair = second
        .filter(|_| first < 0xDC00)
        .and_then(|second| char::from_u32(0x10000 + ((first - 0xD800) << 10 | (second - 0xDC00))));
    Some(pair.map_or((char::REPLACEMENT_CHARACTER, 6), |char| (char, 12)))
}

/// Returns the number of `\uXXXX` at the start of `text`.
fn unit(text: &[u8]) -> Option<u32> {
    let digits = text.strip_prefix(br"\u")?.get(..4)?;
    digits.iter().try_fold(0, |value, &digit| {
        Some(value << 4 | char::from(digit).to_digit(16)?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The values of `text`, unescaped, with their pointers.
    fn shown(text: &str) -> Vec<(String, Option<String>)> {
        let mut open = Vec::new();
        let mut strings = strings(text.as_bytes(), &mut open);
        let mut shown = Vec::new();
        while let Some(range) = strings.next() {
            let (mut value, mut pointer) = (Vec::new(), Vec::new());
            unescape(&text.as_bytes()[range], &mut value, None);
            let is_known = strings.pointer(&mut pointer);
            let pointer = is_known.then(|| String::from_utf8(pointer).unwrap());
            shown.push((String::from_utf8(value).unwrap(), pointer));
        }
        shown
    }

    #[track_caller]
    fn check(text: &str, wanted: &[&str]) {
        let shown: Vec<String> = shown(text).into_iter().map(|(value, _)| value).collect();
        assert_eq!(shown, wanted, "{text}");
    }

    #[test]
    fn values() {
        check("", &[]);
        check(r#""a""#, &["a"]);
        check(
            r#"{"k":"a","l" : ["b",{"m":"c"}],"n":1,"o":null}"#,
            &["a", "b", "c"],
        );
        check(r#"[{"k":"a"},{"k":"b"}]"#, &["a", "b"]);
        check(r#"{"k":"https:\/\/h\u002F?a\u0026b"}"#, &["https://h/?a&b"]);
        check(
            r#"{"k":"\ud83d\ude00\ud83dx\u00e9\b\f\n\r\t\"\\"}"#,
            &["😀\u{fffd}x\u{e9}\u{8}\u{c}\n\r\t\"\\"],
        );
        check(r#"{"k":"a\x\u12\ud83d\u0041"}"#, &["a\\x\\u12\u{fffd}A"]);
    }

    #[test]
    fn vocabulary_is_excluded() {
        check(r#"{"@context":"a","k":"b"}"#, &["b"]);
        check(
            r#"{"@context":{"l":"a","m":["b",{"n":"c"}]},"k":"d"}"#,
            &["d"],
        );
        check(
            r#"{"@type":["a","b"],"k":["c"],"@type":"d","@id":"e"}"#,
            &["c", "e"],
        );
        check(r#"{"\u0040context":["a"],"@contexts":"b"}"#, &["b"]);
        check(
            r#"{"@context":1,"k":"b","@type":null,"l":"c"}"#,
            &["b", "c"],
        );
        check(r#"[{"@context":["a"]},"b"]"#, &["b"]);
    }

    #[test]
    fn broken_text_is_read_on() {
        check(r#"{"k":"a" "l":"b",,"m":'x',"n":"c"}"#, &["a", "b", "c"]);
        check(
            r#"{"k":"he said "hi" there","l":"b"}"#,
            &["he said ", " there", "b"],
        );
        check("{\"k\":\"a\nb\",\"l\":\"c\"}", &["a\nb", "c"]);
        check(r#"<!-- {"k":"a"} }] "b" {"k":"c""#, &["a", "b", "c"]);
        check(r#"{"k":"a"#, &["a"]);
        check(r#"{"k":"a\"#, &["a\\"]);
        check(r#"{"k":"a","k""#, &["a", "k"]);
    }

    #[test]
    fn pointers() {
        for (text, wanted) in [
            (r#""a""#, &[Some("")][..]),
            (
                r#"{"k":"a","l":["b",1,"c",{"m/n~":"d"}],"o":"e"}"#,
                &[
                    Some("/k"),
                    Some("/l/0"),
                    Some("/l/2"),
                    Some("/l/3/m~1n~0"),
                    Some("/o"),
                ],
            ),
            (r#"[["a"],[],["b"]]"#, &[Some("/0/0"), Some("/2/0")]),
            (r#"{"\u006b":"a"}"#, &[Some("/k")]),
            (r#"{"k":"a" "l":"b","m":"c"}"#, &[Some("/k"), None, None]),
            (r#"{"k":["a"},"b"]"#, &[Some("/k/0"), None]),
        ] {
            let shown: Vec<Option<String>> = shown(text)
                .into_iter()
                .map(|(_, pointer)| pointer)
                .collect();
            assert_eq!(
                shown.iter().map(Option::as_deref).collect::<Vec<_>>(),
                wanted,
                "{text}"
            );
        }
        let deep = |depth: usize| format!("{}\"a\"{}", "[".repeat(depth), "]".repeat(depth));
        assert!(shown(&deep(DEPTH_MAX))[0].1.is_some());
        assert_eq!(shown(&deep(DEPTH_MAX + 1)), [("a".to_owned(), None)]);
        let long = format!("{{\"{}\":\"a\"}}", "k".repeat(POINTER_MAX + 1));
        assert_eq!(shown(&long), [("a".to_owned(), None)]);
    }

    #[test]
    fn links() {
        for value in [
            "https://a/",
            " urn:isbn:1\n",
            "http://schema.org.example/",
            "mailto:a@schema.org",
            "ab:c",
        ] {
            assert!(may_be_link(value.as_bytes()), "{value}");
        }
        for value in [
            "",
            "a",
            "/a",
            "//a/",
            "#a",
            "https://a/{b}",
            "https://schema.org",
            "HTTP://www.Schema.org/InStock",
            "https://schema.org:443/",
            "https://schema.org?a",
            "see https://a/",
        ] {
            assert!(!may_be_link(value.as_bytes()), "{value}");
        }
    }

    #[test]
    fn the_map_leads_back() {
        let text = br"a\/b\ud83d\ude00c\x";
        let (mut value, mut map) = (Vec::new(), OffsetMap::IDENTITY);
        unescape(text, &mut value, Some(&mut map));
        assert_eq!(value, "a/b😀c\\x".as_bytes());
        let mut places = map.places(&value);
        let raw = [0, 1, 2, 3, 7, 8, 10].map(|at| places.raw(at));
        assert_eq!(raw, [0, 1, 3, 4, 16, 17, 19]);
    }

    #[test]
    fn steps_are_linear() {
        for unit in [
            "\"", "\"a\":", "{", "[", "}", ",", "\\", "a", "\"a\",", "{\"a\":[", "\\u0041", "\" ",
        ] {
            let look = |text: &[u8]| strings(text, &mut Vec::new()).for_each(drop);
            assert!(steps::of_text("", unit, 1000, look) <= 2100, "{unit:?}");
        }
    }

    proptest! {
        #[test]
        fn values_are_in_order(
            parts in prop::collection::vec(prop::sample::select(vec![
                "{", "}", "[", "]", "\"", "\"a\"", ":", ",", "\\", "\\u00e9", "\\ud83d", "\"@context\":", "\"@type\"", " ",
                "a:b", "\n", "\u{e9}", "1",
            ]), 0..40),
        ) {
            let text = parts.concat();
            let mut end = 0;
            let mut open = Vec::new();
            let mut found = strings(text.as_bytes(), &mut open);
            while let Some(range) = found.next() {
                prop_assert!(end <= range.start && range.start <= range.end && range.end <= text.len());
                let (mut value, mut map) = (Vec::new(), OffsetMap::IDENTITY);
                unescape(&text.as_bytes()[range.clone()], &mut value, Some(&mut map));
                prop_assert!(std::str::from_utf8(&value).is_ok());
                prop_assert_eq!(map.places(&value).raw(value.len()), range.len() as u64);
                found.pointer(&mut Vec::new());
                end = range.end;
            }
        }
    }
}
