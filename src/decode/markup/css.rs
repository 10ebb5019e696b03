//! The URLs of a style sheet, or of the value of a `style` attribute: `url(...)`, and
//! strings where they are URLs (CSS Syntax Module Level 3, section 4). One pass over the
//! tokens; no rule is built. `@namespace` names no document, so its URL is not reported.

use crate::syntax::{class, steps};
use std::ops::Range;

/// In blocks that are nested more deeply in a function whose strings are URLs, none is.
const DEPTH_MAX: usize = 64;

/// Functions that have URLs, the first of them without quotes, too.
const WITH_URLS: [&[u8]; 4] = [b"url", b"src", b"image-set", b"-webkit-image-set"];

/// The bytes that may be the last ones of their names.
static LAST_OF_NAMES: [bool; 256] = {
    let mut last = [false; 256];
    let mut number = 0;
    while number < WITH_URLS.len() {
        let name = WITH_URLS[number];
        let byte = name[name.len() - 1];
        last[byte as usize] = true;
        last[byte.to_ascii_uppercase() as usize] = true;
        number += 1;
    }
    last
};

/// The bytes that may begin another token than a name, a blank or a sign; outside of functions
/// whose strings are URLs blocks do not matter.
static STOPS: [bool; 256] = class::table_of(b"(\"'\\/@<");
static STOPS_INSIDE: [bool; 256] = class::table_of(b"()[]{}\"'\\/@<");

/// The bytes that end an unquoted URL, void it, or begin an escape in it.
static STOPS_IN_URL: [bool; 256] = {
    let mut stops = class::table_of(b")\\\"'(\x7F");
    let mut byte = 0;
    while byte <= b' ' as usize {
        stops[byte] = true;
        byte += 1;
    }
    stops
};

/// Returns the URLs of `text`: the ranges between the quotes or parentheses, to be
/// unescaped by [`unescape`].
pub(super) fn urls(text: &[u8]) -> Css<'_> {
    Css {
        text,
        // Only functions and at-rules of CSS contain URLs.
        at: memchr::memchr2(b'(', b'@', text).map_or(text.len(), |_| 0),
        open: [0; DEPTH_MAX],
        depth: 0,
        rule: AtRule::Other,
    }
}

/// The URLs of a style sheet, in their order.
#[derive(Debug)]
pub(super) struct Css<'t> {
    text: &'t [u8],
    at: usize,
    /// The openers of the function whose strings are URLs, which is 0, and of the blocks and
    /// functions that are open inside it.
    open: [u8; DEPTH_MAX],
    /// Their number, which may be greater than that of the openers that are kept.
    depth: usize,
    rule: AtRule,
}

/// The beginning of an at-rule, if it decides about strings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AtRule {
    Other,
    /// Directly after `@import`.
    Import,
    /// In `@namespace`.
    Namespace,
}

/// A string or an unquoted URL: the range inside, unless it is void, and its end.
type Inside = (Option<Range<usize>>, usize);

impl Iterator for Css<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let from = self.at;
            self.skip_plain();
            let found = self.token();
            steps::count(self.at - from);
            if found.is_some() || self.at == self.text.len() {
                return found;
            }
        }
    }
}

impl Css<'_> {
    /// Skips the tokens that change nothing: names, blanks and signs outside of an at-rule.
    #[inline]
    fn skip_plain(&mut self) {
        if self.rule != AtRule::Other {
            return;
        }
        let rest = &self.text[self.at..];
        let stops = match self.depth {
            0 => &STOPS,
            _ => &STOPS_INSIDE,
        };
        let mut len = 0;
        loop {
            len += class::find(&rest[len..], stops).unwrap_or(rest.len() - len);
            match rest[len..] {
                // The name of a function that has no URLs; one with an escape was read.
                [b'(', ..] if self.depth == 0 && !ends_in_name(&rest[..len]) => len += 1,
                [b'/', next, ..] if next != b'*' => len += 1,
                _ => break,
            }
        }
        let plain = &rest[..len];
        self.at += len;
        // The name of a function, or one with an escape, is read from its first byte on.
        if let Some(b'(' | b'\\') = rest.get(len) {
            let name = plain.iter().rev().take_while(|&&byte| is_of_name(byte));
            let name = name.count();
            let is_hash = plain[..len - name].ends_with(b"#");
            self.at -= name + usize::from(is_hash);
        }
    }

    /// Reads a token, if there is one; returns its URL.
    fn token(&mut self) -> Option<Range<usize>> {
        let rest = &self.text[self.at..];
        let &byte = rest.first()?;
        match byte {
            b'/' if rest.starts_with(b"/*") => {
                let end = memchr::memmem::find(&rest[2..], b"*/");
                self.at = end.map_or(self.text.len(), |end| self.at + end + 4);
                return None;
            }
            _ if byte.is_ascii_whitespace() => {
                self.at += 1;
                return None;
            }
            b'"' | b'\'' => {
                let counts = match self.rule {
                    AtRule::Import => true,
                    AtRule::Namespace => false,
                    AtRule::Other => self.depth > 0 && self.open.get(self.depth - 1) == Some(&0),
                };
                let (found, end) = string(self.text, self.at);
                self.at = end;
                self.end_import();
                return found.filter(|_| counts);
            }
            b'@' => {
                let end = name_end(self.text, self.at + 1);
                let name = &self.text[self.at + 1..end];
                self.rule = match () {
                    () if is_name(name, b"import") => AtRule::Import,
                    () if is_name(name, b"namespace") => AtRule::Namespace,
                    () => AtRule::Other,
                };
                self.at = end;
                return None;
            }
            // The `--` of these would begin a name.
            b'<' if rest.starts_with(b"<!--") => self.at += 4,
            b'#' => self.at = name_end(self.text, self.at + 1),
            b'(' | b'[' | b'{' => {
                self.open(byte);
                self.at += 1;
            }
            b')' | b']' | b'}' => {
                self.close(byte);
                self.at += 1;
            }
            b';' => {
                self.rule = AtRule::Other;
                self.at += 1;
            }
            _ => return self.name_or_other(),
        }
        self.end_import();
        None
    }

    /// Reads a name, with `(` if it is that of a function, or another character.
    fn name_or_other(&mut self) -> Option<Range<usize>> {
        let end = name_end(self.text, self.at);
        let name = &self.text[self.at..end];
        let is_namespace = self.rule == AtRule::Namespace;
        self.at = end.max(self.at + 1);
        self.end_import();
        if name.is_empty() || self.text.get(end) != Some(&b'(') {
            return None;
        }
        self.at = end + 1;
        if !is_name(name, WITH_URLS[0]) {
            let has_urls = WITH_URLS[1..].iter().any(|known| is_name(name, known));
            self.open(if has_urls { 0 } else { b'(' });
            return None;
        }
        let blanks = self.text[self.at..].iter();
        let blanks = blanks.take_while(|byte| byte.is_ascii_whitespace());
        self.at += blanks.count();
        let (found, end) = match self.text.get(self.at) {
            Some(b'"' | b'\'') => {
                self.open(b'(');
                string(self.text, self.at)
            }
            _ => unquoted(self.text, self.at),
        };
        self.at = end;
        found.filter(|_| !is_namespace)
    }

    /// Notes a token after which a string is not that of `@import`.
    fn end_import(&mut self) {
        if self.rule == AtRule::Import {
            self.rule = AtRule::Other;
        }
    }

    fn open(&mut self, opener: u8) {
        if opener == b'{' {
            self.rule = AtRule::Other;
        }
        if self.depth == 0 && opener != 0 {
            return;
        }
        if let Some(place) = self.open.get_mut(self.depth) {
            *place = opener;
        }
        self.depth += 1;
    }

    /// Closes the last block, if `closer` is its closer.
    fn close(&mut self, closer: u8) {
        let Some(last) = self.depth.checked_sub(1) else {
            return;
        };
        let is_its = match self.open.get(last) {
            Some(b'{') => closer == b'}',
            Some(b'[') => closer == b']',
            Some(_) => closer == b')',
            None => true,
        };
        if is_its {
            self.depth = last;
        }
    }
}

/// Reads the string whose quote is at `at`. A line break inside voids it.
fn string(text: &[u8], at: usize) -> Inside {
    let quote = text[at];
    let start = at + 1;
    let mut at = start;
    while let Some(&byte) = text.get(at) {
        match byte {
            _ if byte == quote => return (Some(start..at), at + 1),
            b'\n' | b'\r' | 0xC => return (None, at),
            b'\\' => at += escape_len(&text[at..]),
            _ => at += 1,
        }
    }
    (Some(start..text.len()), text.len())
}

/// Reads the unquoted URL that begins at `start`, with its parenthesis.
fn unquoted(text: &[u8], start: usize) -> Inside {
    let mut at = start;
    let end = loop {
        at = class::find(&text[at..], &STOPS_IN_URL).map_or(text.len(), |len| at + len);
        match text.get(at) {
            None | Some(b')') => break at,
            Some(b'\\') if !is_break(text.get(at + 1)) => at += escape_len(&text[at..]),
            Some(byte) if byte.is_ascii_whitespace() => {
                let blanks = text[at..].iter();
                let blanks = blanks.take_while(|byte| byte.is_ascii_whitespace()).count();
                if !matches!(text.get(at + blanks), None | Some(b')')) {
                    return (None, after_bad(text, at + blanks));
                }
                let end = (at + blanks + 1).min(text.len());
                return (Some(start..at), end);
            }
            Some(_) => return (None, after_bad(text, at)),
        }
    };
    (Some(start..end), (end + 1).min(text.len()))
}

/// Returns the end of an unquoted URL that is void from `at` on: after the next
/// parenthesis that is not escaped.
fn after_bad(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        match byte {
            b')' => return at + 1,
            b'\\' if !is_break(text.get(at + 1)) => at += escape_len(&text[at..]),
            _ => at += 1,
        }
    }
    text.len()
}

/// Whether the name of a function that has URLs may be the end of `text`.
fn ends_in_name(text: &[u8]) -> bool {
    let last = text.last();
    last.is_some_and(|&byte| LAST_OF_NAMES[usize::from(byte)])
}

/// Whether a byte is a part of a name without an escape.
fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | 0x80..)
}

/// Returns the end of the name that begins at `at`.
fn name_end(text: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = text.get(at) {
        match byte {
            byte if is_of_name(byte) => at += 1,
            b'\\' if !is_break(text.get(at + 1)) => at += escape_len(&text[at..]),
            _ => break,
        }
    }
    at.min(text.len())
}

/// Whether `written` is the name `name`, which is in lower case.
fn is_name(written: &[u8], name: &[u8]) -> bool {
    let mut left = name;
    let mut at = 0;
    while at < written.len() {
        let (char, len) = match written[at] {
            b'\\' => escaped(&written[at..]),
            byte => (Some(char::from(byte)), 1),
        };
        let wanted = left.split_first();
        let Some((&wanted, rest)) = wanted else {
            return false;
        };
        if char.map(|char| char.to_ascii_lowercase()) != Some(char::from(wanted)) {
            return false;
        }
        (left, at) = (rest, at + len);
    }
    left.is_empty()
}

/// Whether a byte is a line break, which cannot be escaped outside of a string.
fn is_break(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b'\n' | b'\r' | 0xC))
}

/// Appends `text`, the inside of a string or a URL, without its escapes.
pub(super) fn unescape(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        out.extend_from_slice(&rest[..at]);
        let (char, len) = escaped(&rest[at..]);
        if let Some(char) = char {
            let mut utf8 = [0; 4];
            out.extend_from_slice(char.encode_utf8(&mut utf8).as_bytes());
        } else if !is_break(rest.get(at + 1)) {
            // The first byte of a character that the next bytes continue.
            out.extend_from_slice(&rest[at + 1..at + len]);
        }
        rest = &rest[at + len..];
    }
    out.extend_from_slice(rest);
}

/// Returns the length of the escape at the start of `text`.
fn escape_len(text: &[u8]) -> usize {
    escaped(text).1
}

/// Returns the character of the escape at the start of `text`, and the length of the
/// escape. There is no character for a line break, which vanishes, and for the byte of
/// a character that is not ASCII.
fn escaped(text: &[u8]) -> (Option<char>, usize) {
    let after = &text[1..];
    let hex = after.iter().take(6).take_while(|b| b.is_ascii_hexdigit());
    let digits = hex.count();
    if digits == 0 {
        return match after {
            [] => (None, 1),
            [b'\r', b'\n', ..] => (None, 3),
            [b'\n' | b'\r' | 0xC | 0x80.., ..] => (None, 2),
            [byte, ..] => (Some(char::from(*byte)), 2),
        };
    }
    let value = after[..digits].iter().fold(0, |value, &digit| {
        value << 4 | char::from(digit).to_digit(16).unwrap_or(0)
    });
    let blank = match &after[digits..] {
        [b'\r', b'\n', ..] => 2,
        [byte, ..] if byte.is_ascii_whitespace() => 1,
        _ => 0,
    };
    let char = char::from_u32(value).filter(|&char| char != '\0');
    (
        Some(char.unwrap_or(char::REPLACEMENT_CHARACTER)),
        1 + digits + blank,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> Vec<String> {
        let unescaped = |range: Range<usize>| {
            let mut url = Vec::new();
            unescape(&text.as_bytes()[range], &mut url);
            String::from_utf8(url).unwrap()
        };
        urls(text.as_bytes()).map(unescaped).collect()
    }

    #[track_caller]
    fn check(text: &str, wanted: &[&str]) {
        assert_eq!(shown(text), wanted, "{text:?}");
    }

    #[test]
    fn functions() {
        check("a{b:url(c)}", &["c"]);
        check("URL( c )Url(\"d e\")url('f'  )", &["c", "d e", "f"]);
        check("url()", &[""]);
        check("url(\n\t)", &[""]);
        check("url(\"a\" format(x)), url('b' \"c\")", &["a", "b"]);
        check(r"\75 rl(a) u\52l(b) \000075\72\6c(c)", &["a", "b", "c"]);
        // Another name.
        check(
            "curl(a) -url(b) url-prefix(c) 1url(d) #url(e) @url(f) \u{e9}url(g)",
            &[],
        );
        check(
            "+url(a),url(b).url(c)<!--url(d)-->url(e)",
            &["a", "b", "c", "d", "e"],
        );
        check("url (a)", &[]);
        // At the end.
        check("url(", &[""]);
        check("url(a", &["a"]);
        check("url(a  ", &["a"]);
        check("url('a", &["a"]);
    }

    #[test]
    fn void_urls() {
        check("url(a b)url(c)", &["c"]);
        check("url(a\"b)url(c)", &["c"]);
        check("url(a'b)url(c)", &["c"]);
        check("url(a(b)url(c)", &["c"]);
        check("url(a\u{1}b)url(c\u{7f})url(d)", &["d"]);
        check("url(a\\\nb)url(c)", &["c"]);
        check(r"url(a b\)url(c)url(d)", &["d"]);
        check("url('a\nb') url(c)", &[]);
        check("url('a\nb'); x') url(c)", &["c"]);
    }

    #[test]
    fn comments_and_strings_are_skipped() {
        check("/* url(a) */url(b)/*/url(c)*/url(d)", &["b", "d"]);
        check("/* url(a)", &[]);
        check("'url(a)'\"url(b)\"url(c)", &["c"]);
        check("'url(a)\nurl(b)", &["b"]);
        check(r"'\'url(a)'url(b)", &["b"]);
        check("url(/* a */)", &[]);
        check("url(/*a*/)", &["/*a*/"]);
    }

    #[test]
    fn escapes() {
        check(r"url(a\(b\).c)", &["a(b).c"]);
        check(r#"url("q\"r")"#, &["q\"r"]);
        check(
            r"url(\66 oo)url(\000066oo)url(\66oo)",
            &["foo", "foo", "foo"],
        );
        check("url(\\66\r\noo)url(\\66\too)", &["foo", "foo"]);
        check("url(\"x\\\ny\\\r\nz\\\u{c}\")", &["xyz"]);
        check(
            r"url(\0 )url(\d800 )url(\110000 )",
            &["\u{fffd}", "\u{fffd}", "\u{fffd}"],
        );
        check(r"url(\1F600)url(\e9 t\e9)", &["\u{1f600}", "\u{e9}t\u{e9}"]);
        check("url(\\\u{e9}t\\\u{e9})", &["\u{e9}t\u{e9}"]);
        check(r"url(a\", &["a"]);
    }

    #[test]
    fn rules_and_sets() {
        check("@import 'a'; @import/**/\"b\" screen 'c';", &["a", "b"]);
        check("@import url(a) 'b'; @IMPORT url('c')", &["a", "c"]);
        check("@import x 'a'; @import; 'b'", &[]);
        check(r"@\69mport 'a'", &["a"]);
        check(
            "@namespace url(a);@namespace b url('c');@namespace 'd';url(e)",
            &["e"],
        );
        check("@namespace{}url(a)", &["a"]);
        check("@charset 'a'; x{content:'b'}", &[]);
        check("src('a')SRC( \"b\" )", &["a", "b"]);
        check(
            "image-set('a' 1x, \"b\" type('c'), url(d) 2x)'e'",
            &["a", "b", "d"],
        );
        check("-webkit-image-set('a')x-image-set('b')", &["a"]);
        check("image-set(['a']{'b'}('c')'d')", &["d"]);
        check("image-set(a]};'b')", &["b"]);
        // Blocks that are nested too deeply are also closed.
        let deep = format!("{}src('a'){}src('b')", "(".repeat(100), ")".repeat(100));
        check(&deep, &["a", "b"]);
        check(&format!("src({deep}'c')"), &["b", "c"]);
    }

    #[test]
    fn steps_are_linear() {
        for unit in [
            "url(",
            "'",
            "\"a\n",
            "/*",
            "/",
            "@",
            "@import '",
            "\\",
            "a",
            "(",
            "url( ",
            "url(a b",
            "#",
            "-",
            "\\61 ",
        ] {
            let look = |text: &[u8]| urls(text).for_each(drop);
            for start in ["", "url(", "'", "@", "src("] {
                assert!(
                    steps::of_text(start, unit, 1000, look) <= 1100,
                    "{start:?} {unit:?}"
                );
            }
        }
    }

    fn parts() -> impl Strategy<Value = String> {
        let parts = "url(|URL( |src(|image-set(|@import |@namespace |(|)|{|}|[|]|'|\"|\\|\\66|\\75 rl(|u|rl|\n|\r\n| |a|-|\
            \u{e9}|/|/*|*/|;|,|#|@|<|<!--|-->|\0";
        let part = prop::sample::select(parts.split('|').collect::<Vec<_>>());
        prop::collection::vec(part, 0..30).prop_map(|parts| parts.concat())
    }

    proptest! {
        #[test]
        fn skipped_tokens_change_nothing(text in parts()) {
            let mut every = urls(text.as_bytes());
            let mut wanted = Vec::new();
            while every.at < text.len() {
                wanted.extend(every.token());
            }
            prop_assert_eq!(urls(text.as_bytes()).collect::<Vec<_>>(), wanted);
        }

        #[test]
        fn urls_are_in_order(text in parts()) {
            let mut end = 0;
            let mut url = Vec::new();
            for range in urls(text.as_bytes()) {
                prop_assert!(end <= range.start && range.start <= range.end);
                prop_assert!(text.get(range.clone()).is_some());
                url.clear();
                unescape(&text.as_bytes()[range.clone()], &mut url);
                prop_assert!(std::str::from_utf8(&url).is_ok());
                prop_assert!(url.len() <= range.len());
                end = range.end;
            }
        }

        #[test]
        fn any_bytes_are_read(text in prop::collection::vec(any::<u8>(), 0..60)) {
            let text = [b"url(", &text[..]].concat();
            for range in urls(&text) {
                unescape(&text[range], &mut Vec::new());
            }
        }
    }
}
