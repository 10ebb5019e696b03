//! The block of a WAT record: JSON that quotes the headers of another record and lists
//! its links (`wat_links`). Other parts of it are searched by the same rule as the quoted
//! record: nothing in the header of the container, in an HTTP head only the fields that
//! hold references. From the first byte that is not such JSON (RFC 8259), or is nested
//! too deeply, all text is searched.
//!
//! The readers of `json` need a text that is in memory as a whole. A block of any length is read
//! here in pieces that may end inside a token, and each piece becomes events before it is known
//! whether the rest is JSON.

use super::event::{Decode, Event, Output};
#[cfg(feature = "html")]
use super::event::{DecodedValue, DocumentBase, MarkupValue, ValueKind};
use super::http;
#[cfg(feature = "html")]
use super::wat_links;
#[cfg(feature = "html")]
use crate::item::Schemes;

/// Objects with these names are not searched.
const HIDDEN: [&[u8]; 2] = [b"WARC-Header-Metadata", b"ARC-Header-Metadata"];
/// The fields of an HTTP head.
const HTTP_HEADERS: &[u8] = b"Headers";
/// The possible first names.
const FIRST: [&[u8]; 2] = [b"Container", b"Envelope"];
/// Longer names are not among the known ones.
const NAME_MAX: usize = 24;
/// The links of longer blocks are searched as text: a block is held until its end, where
/// its base may be. The limit is that of records of lists.
#[cfg(feature = "html")]
const BLOCK_MAX: usize = 16 << 20;
/// The number of the base of the page.
#[cfg(feature = "html")]
const BASE: u32 = 1;
/// Deeper nesting is not parsed.
const DEPTH_MAX: u32 = 64;

/// Reads the block.
#[derive(Clone, Debug)]
pub(super) struct Wat {
    place: Expected,
    /// The open objects and arrays: a bit each, the last one lowest, set for an object.
    open: u64,
    depth: u32,
    zone: Zone,
    name: KeyName,
    /// Whether the first name was read.
    named: bool,
    /// The result for a byte that was read but not returned.
    ahead: Option<bool>,
    /// Whether events were made.
    #[cfg(feature = "html")]
    begun: bool,
}

/// The token that the grammar expects next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    /// The object at the start, or another one after it.
    Start,
    /// A name, or the end of an object that has no member yet.
    First,
    Name,
    Colon,
    Value,
    /// A value, or the end of an array that is still empty.
    Element,
    /// A comma, or the end of an object or array.
    After,
    /// More of a number or of a literal.
    Token,
    /// More of a string.
    Text {
        is_name: bool,
        escape: Escape,
    },
    /// Parsing ended, or failed.
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    None,
    /// After the backslash.
    Begun,
    /// The number of missing digits, and the value of the digits before.
    Digits(u8, u16),
}

/// The rule that applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zone {
    Searched,
    /// No text is searched before the object at this depth ends.
    Hidden(u32),
    /// In an HTTP head at this depth, and whether the field is searched.
    Head(u32, bool),
}

/// The last name, if it may be one of the known names.
#[derive(Clone, Copy, Debug)]
struct KeyName {
    bytes: [u8; NAME_MAX],
    len: usize,
}

impl KeyName {
    const EMPTY: KeyName = KeyName {
        bytes: [0; NAME_MAX],
        len: 0,
    };

    fn push(&mut self, bytes: &[u8]) {
        let end = self.len.saturating_add(bytes.len());
        if let Some(place) = self.bytes.get_mut(self.len..end) {
            place.copy_from_slice(bytes);
        }
        self.len = end;
    }

    /// The name; empty when the name is too long.
    fn get(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

impl Wat {
    pub(super) fn new() -> Wat {
        Wat {
            place: Expected::Start,
            open: 0,
            depth: 0,
            zone: Zone::Searched,
            name: KeyName::EMPTY,
            named: false,
            ahead: None,
            #[cfg(feature = "html")]
            begun: false,
        }
    }

    /// Returns the length of the stretch at the start of `bytes`, which are not empty,
    /// and whether it is searched. The next call continues after that stretch.
    fn stretch(&mut self, bytes: &[u8]) -> (usize, bool) {
        if self.place == Expected::Over && self.ahead.is_none() {
            return (bytes.len(), true);
        }
        let searched = match (self.ahead.take(), bytes.first()) {
            (Some(searched), _) => searched,
            (None, Some(&byte)) => self.step(byte),
            (None, None) => return (0, true),
        };
        let mut at = 1;
        while let Some(&byte) = bytes.get(at) {
            if let Expected::Text { is_name, escape } = self.place
                && escape == Escape::None
                && is_plain(byte)
            {
                let plain = plain(&bytes[at..]);
                if is_name {
                    self.name.push(plain);
                }
                at += plain.len();
                continue;
            }
            let answer = self.step(byte);
            if answer != searched {
                self.ahead = Some(answer);
                break;
            }
            at += 1;
        }
        (at, searched)
    }

    /// Reads a byte; returns whether it is searched.
    fn step(&mut self, byte: u8) -> bool {
        let blank = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        self.place = match (self.place, byte) {
            (Expected::Text { is_name, escape }, _) => self.text(is_name, escape, byte),
            (Expected::Over, _) => Expected::Over,
            (Expected::Token, _) if is_token(byte) => Expected::Token,
            (Expected::Token, _) if blank => Expected::After,
            (place, _) if blank => place,
            // A byte order mark.
            (Expected::Start, 0xEF | 0xBB | 0xBF) => Expected::Start,
            (Expected::Start, b'{') => self.enter(true),
            (Expected::First | Expected::Name, b'"') => {
                self.name = KeyName::EMPTY;
                Expected::Text {
                    is_name: true,
                    escape: Escape::None,
                }
            }
            (Expected::Colon, b':') => {
                if let Zone::Head(depth, counts) = &mut self.zone
                    && *depth == self.depth
                {
                    *counts = http::is_reference_field(self.name.get());
                }
                Expected::Value
            }
            (Expected::Value | Expected::Element, b'"') => Expected::Text {
                is_name: false,
                escape: Escape::None,
            },
            (Expected::Value | Expected::Element, b'{' | b'[') => self.enter(byte == b'{'),
            (Expected::Value | Expected::Element, _) if is_token(byte) => Expected::Token,
            (Expected::After | Expected::Token, b',') => {
                if let Zone::Head(depth, counts) = &mut self.zone
                    && *depth == self.depth
                {
                    *counts = false;
                }
                match self.open & 1 {
                    1 => Expected::Name,
                    _ => Expected::Value,
                }
            }
            (Expected::First | Expected::After | Expected::Token, b'}') if self.open & 1 == 1 => {
                self.leave()
            }
            (Expected::Element | Expected::After | Expected::Token, b']') if self.open & 1 == 0 => {
                self.leave()
            }
            _ => Expected::Over,
        };
        if self.place == Expected::Over {
            self.zone = Zone::Searched;
        }
        match self.zone {
            Zone::Searched => true,
            Zone::Hidden(_) => false,
            Zone::Head(_, counts) => counts,
        }
    }

    /// Enters an object or an array.
    fn enter(&mut self, is_object: bool) -> Expected {
        if self.depth == DEPTH_MAX {
            return Expected::Over;
        }
        let is_member = self.open & 1 == 1;
        self.open = self.open << 1 | u64::from(is_object);
        self.depth += 1;
        if !is_object {
            return Expected::Element;
        }
        if is_member && self.zone == Zone::Searched {
            let name = self.name.get();
            if HIDDEN.contains(&name) {
                self.zone = Zone::Hidden(self.depth);
            } else if name == HTTP_HEADERS {
                self.zone = Zone::Head(self.depth, false);
            }
        }
        Expected::First
    }

    /// Leaves the last object or array.
    fn leave(&mut self) -> Expected {
        if let Zone::Hidden(depth) | Zone::Head(depth, _) = self.zone
            && depth == self.depth
        {
            self.zone = Zone::Searched;
        }
        self.open >>= 1;
        self.depth -= 1;
        match self.depth {
            // Another object may follow.
            0 => {
                self.named = false;
                Expected::Start
            }
            _ => Expected::After,
        }
    }

    /// Reads a byte of a string.
    fn text(&mut self, is_name: bool, escape: Escape, byte: u8) -> Expected {
        let mut decoded = |byte: u8| {
            if is_name {
                self.name.push(&[byte]);
            }
            Escape::None
        };
        let escape = match (escape, byte) {
            (Escape::None, b'"') if !is_name => return Expected::After,
            (Escape::None, b'"') => {
                let known = std::mem::replace(&mut self.named, true);
                return match known || FIRST.contains(&self.name.get()) {
                    true => Expected::Colon,
                    false => Expected::Over,
                };
            }
            (Escape::None, b'\\') => Escape::Begun,
            (Escape::None, 0..0x20) => return Expected::Over,
            (Escape::None, _) => decoded(byte),
            (Escape::Begun, b'u') => Escape::Digits(4, 0),
            (Escape::Begun, b'"' | b'\\' | b'/') => decoded(byte),
            // No known name contains one of these.
            (Escape::Begun, b'b' | b'f' | b'n' | b'r' | b't') => decoded(0),
            (Escape::Digits(left, value), _) => {
                let Some(digit) = char::from(byte).to_digit(16) else {
                    return Expected::Over;
                };
                let value = value << 4 | digit as u16;
                match left {
                    1 => decoded(u8::try_from(value).ok().filter(u8::is_ascii).unwrap_or(0)),
                    _ => Escape::Digits(left - 1, value),
                }
            }
            (Escape::Begun, _) => return Expected::Over,
        };
        Expected::Text { is_name, escape }
    }
}

impl Wat {
    /// Appends events for `bytes`, which contain no link.
    fn search(&mut self, bytes: &[u8], out: &mut Output) {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (len, searched) = self.stretch(rest);
            out.events.push(match searched {
                true => Event::Text(len),
                false => Event::Skipped(len),
            });
            rest = &rest[len..];
        }
    }

    /// Appends events for a complete block.
    #[cfg(feature = "html")]
    fn list(&mut self, block: &[u8], out: &mut Output) {
        let page = wat_links::read(block);
        if page.is_response {
            out.events.push(Event::Page);
        }
        if let Some(charset) = page.charset {
            out.events.push(Event::Charset(charset));
        }
        let has_base = page.base.is_some();
        if let Some(reference) = page.base {
            out.events.push(Event::Base(DocumentBase {
                number: BASE,
                parent: DocumentBase::DOCUMENT,
                reference,
            }));
        }
        let mut at = 0;
        for found in page.links {
            self.search(&block[at..found.range.start], out);
            at = found.range.end;
            // The link also determines the next expected token.
            let mut rest = &block[found.range];
            let raw = rest.len();
            while !rest.is_empty() {
                rest = &rest[self.stretch(rest).0..];
            }
            let decoded = found.text.map(|text| {
                out.text.extend_from_slice(&text);
                DecodedValue {
                    len: text.len(),
                    map: None,
                }
            });
            out.events.push(Event::Value(MarkupValue {
                decoded,
                link: Some(found.link),
                base: match found.has_base && has_base {
                    true => BASE,
                    false => DocumentBase::DOCUMENT,
                },
                ..MarkupValue::new(raw, ValueKind::Reference(Schemes::Any))
            }));
        }
        self.search(&block[at..], out);
    }
}

impl Decode for Wat {
    #[cfg(feature = "html")]
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let is_whole = !self.begun && bytes.len() < BLOCK_MAX;
        if is_whole && !last {
            // The base and the encoding may be stated at the end.
            return 0;
        }
        let begun = std::mem::replace(&mut self.begun, true);
        if is_whole {
            self.list(bytes, out);
            return bytes.len();
        }
        if !begun {
            let cause = "links of a WAT record of 16 MiB or more";
            out.events.push(Event::Unsupported(cause));
        }
        self.search(bytes, out);
        bytes.len()
    }

    #[cfg(not(feature = "html"))]
    fn push(&mut self, bytes: &[u8], _last: bool, out: &mut Output) -> usize {
        self.search(bytes, out);
        bytes.len()
    }
}

/// Returns the unescaped bytes of a string at the start of `bytes`.
fn plain(bytes: &[u8]) -> &[u8] {
    const STRIDE: usize = 16;
    let is_whole = |stride: &&[u8]| stride.iter().fold(true, |all, &b| all & is_plain(b));
    let strides = bytes.chunks_exact(STRIDE).take_while(is_whole).count();
    let (before, rest) = bytes.split_at(strides * STRIDE);
    let end = rest.iter().position(|&b| !is_plain(b));
    &bytes[..before.len() + end.unwrap_or(rest.len())]
}

/// Whether a byte is unescaped in a string.
fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\'
}

/// Whether a byte is part of a number or of a literal.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the searched parts of `text`, pushed in pieces of this number of bytes;
    /// a dot replaces each other part.
    fn searched(text: &str, piece: usize) -> String {
        let mut wat = Wat::new();
        let mut found = String::new();
        let mut last = true;
        for piece in text.as_bytes().chunks(piece) {
            let mut at = 0;
            while at < piece.len() {
                let (len, searched) = wat.stretch(&piece[at..]);
                if searched {
                    found += std::str::from_utf8(&piece[at..at + len]).unwrap();
                } else if last {
                    found.push('.');
                }
                last = searched;
                at += len;
            }
            assert_eq!(at, piece.len());
        }
        found
    }

    fn check(text: &str, wanted: &str) {
        for piece in [1, 2, 3, 7, 1000] {
            assert_eq!(searched(text, piece), wanted, "{text} by {piece}");
        }
    }

    #[test]
    fn container_headers_are_hidden() {
        check(
            r#" {"Container":1,"Envelope":{"WARC-Header-Metadata":{"a":["urn:a:b"],"b":{}},"x":"urn:c:d"}}"#,
            r#" {"Container":1,"Envelope":{"WARC-Header-Metadata":.},"x":"urn:c:d"}}"#,
        );
        check(
            r#"{"Envelope":{"\u0041RC-Header-Metadata" : {"a}":"\"}"},"x":-1.5e+3,"y":[null]}}"#,
            r#"{"Envelope":{"\u0041RC-Header-Metadata" : .},"x":-1.5e+3,"y":[null]}}"#,
        );
        // Only an object can be a header.
        let text = r#"{"Envelope":{"WARC-Header-Metadata":"urn:a:b","Headers":["urn:c:d"]}}"#;
        check(text, text);
    }

    #[test]
    fn references_of_an_http_head() {
        check(
            r#"{"Envelope":{"Headers":{"Server":"u:a","LOCATION":"u:b","Link":["u:c","u:d"],"X":["u:e"]},"L":"u:f"}}"#,
            r#"{"Envelope":{"Headers":.:"u:b".:["u:c","u:d"].},"L":"u:f"}}"#,
        );
        check(
            r#"{"Envelope":{"Headers":{"X":{"Location":"u:a"},"Refresh":{"y":"u:b","z":"u:c"},"Headers":{}},"b":0}}"#,
            r#"{"Envelope":{"Headers":.:{"y":"u:b","z":"u:c"}.},"b":0}}"#,
        );
    }

    #[test]
    fn other_text_is_searched() {
        for text in [
            "",
            "plain text {",
            r#"[{"Envelope":{"Headers":{}}}]"#,
            r#"{"other":1,"Envelope":{"WARC-Header-Metadata":{"a":"urn:b:c"}}}"#,
            r#"{"Envelopes":{"Headers":{"a":"urn:b:c"}}}"#,
            r#"{}"Envelope":{"Headers":{"a":"urn:b:c"}}}"#,
            r#"{"Envelope" {"Headers":{"a":"urn:b:c"}}}"#,
        ] {
            check(text, text);
        }
    }

    #[test]
    fn what_is_not_understood_is_searched() {
        let head = r#"{"Envelope":{"WARC-Header-Metadata":{"#;
        let prefix = &head[..head.len() - 1];
        for (wrong, rest) in [
            (r#""a":"b" "c":"urn:a:b"}"#, r#"."c":"urn:a:b"}"#),
            (r#""a":"b\x urn:a:b""#, r#".x urn:a:b""#),
            (r#""a":"b\u12g urn:a:b""#, r#".g urn:a:b""#),
            ("\"a\":\"b\n urn:a:b\"", ".\n urn:a:b\""),
            (r#""a":"b"] urn:a:b"#, ".] urn:a:b"),
            (r#"} } } urn:a:b"#, ".} } } urn:a:b"),
        ] {
            check(&format!("{head}{wrong}"), &format!("{prefix}{rest}"));
        }
        let deep = format!("{head}\"a\":{}", "[".repeat(100));
        check(&deep, &format!("{prefix}.{}", "[".repeat(100 - 61)));
    }

    proptest! {
        #[test]
        fn pieces_change_nothing(
            parts in prop::collection::vec(prop::sample::select(vec![
                "{\"Envelope\":{", "\"Headers\":{", "\"WARC-Header-Metadata\":{", "\"Location\":",
                "\"x\":", "\"urn:a:b\"", "[", "]", "}", "}", ",", "{", "\\", "\"", " 1", "\u{e9}",
            ]), 0..40),
            sizes in prop::collection::vec(1usize..9, 1..20),
        ) {
            let text = "{\"Envelope\":{".to_owned() + &parts.concat();
            let answers = |sizes: &[usize]| {
                let mut wat = Wat::new();
                let mut answers = Vec::new();
                let mut sizes = sizes.iter().cycle();
                let mut rest = text.as_bytes();
                while !rest.is_empty() {
                    let piece = (*sizes.next().unwrap()).min(rest.len());
                    let (len, searched) = wat.stretch(&rest[..piece]);
                    assert!((1..=piece).contains(&len));
                    answers.resize(answers.len() + len, searched);
                    rest = &rest[len..];
                }
                answers
            };
            let whole = answers(&[text.len()]);
            prop_assert_eq!(whole.len(), text.len());
            prop_assert_eq!(answers(&sizes), whole);
        }
    }
}
