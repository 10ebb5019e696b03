//! The block of a WAT record: JSON that quotes the headers of another record.
//! URIs are looked for in stretches of it by the rule that holds for the quoted
//! record itself: not in the header of the container, in an HTTP head only in the
//! fields that hold references. Each byte is looked at once and none is kept. What
//! is no such JSON (RFC 8259), or is not understood from some place on, is searched
//! from there.

use super::event::{Decode, Event, Output};
use super::http;

/// Of objects with these names nothing is searched.
const HIDDEN: [&[u8]; 2] = [b"WARC-Header-Metadata", b"ARC-Header-Metadata"];
/// The fields of an HTTP head.
const HTTP_HEADERS: &[u8] = b"Headers";
/// What the first name is.
const FIRST: [&[u8]; 2] = [b"Container", b"Envelope"];
/// Longer names are none of those that are looked for.
const NAME_MAX: usize = 24;
/// Deeper text is not understood.
const DEPTH_MAX: u32 = 64;

/// Reads the block.
#[derive(Clone, Debug)]
pub(super) struct Wat {
    place: Place,
    /// What is open: a bit each, the last one lowest, set for an object.
    open: u64,
    depth: u32,
    zone: Zone,
    name: Name,
    /// The first name was read.
    named: bool,
    /// The answer for a byte that was looked at but not given.
    ahead: Option<bool>,
}

/// What the grammar asks for next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// An object that the text is, or the last one of it.
    Start,
    /// A name, or the end of an object that has no member yet.
    First,
    Name,
    Colon,
    Value,
    /// A value, or the end of an array that has none yet.
    Element,
    /// A comma, or the end of what is open.
    After,
    /// More of a number or of a literal.
    Token,
    /// More of a string.
    Text {
        is_name: bool,
        escape: Escape,
    },
    /// It is over, or was not understood.
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Escape {
    None,
    /// After the backslash.
    Begun,
    /// So many digits are to come; the value of those before.
    Digits(u8, u16),
}

/// Which rule holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Zone {
    Searched,
    /// Nothing counts before the object at this depth ends.
    Hidden(u32),
    /// In an HTTP head at this depth, and whether the field counts.
    Head(u32, bool),
}

/// The last name, as far as it may be one that is looked for.
#[derive(Clone, Copy, Debug)]
struct Name {
    bytes: [u8; NAME_MAX],
    len: usize,
}

impl Name {
    const EMPTY: Name = Name {
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

    /// The name; empty when it is too long.
    fn get(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }
}

impl Wat {
    pub(super) fn new() -> Wat {
        Wat {
            place: Place::Start,
            open: 0,
            depth: 0,
            zone: Zone::Searched,
            name: Name::EMPTY,
            named: false,
            ahead: None,
        }
    }

    /// The length of the stretch that `bytes`, which are not empty, begin with, and
    /// whether it is searched. The next call goes on after that stretch.
    fn stretch(&mut self, bytes: &[u8]) -> (usize, bool) {
        if self.place == Place::Over && self.ahead.is_none() {
            return (bytes.len(), true);
        }
        let searched = match (self.ahead.take(), bytes.first()) {
            (Some(searched), _) => searched,
            (None, Some(&byte)) => self.step(byte),
            (None, None) => return (0, true),
        };
        let mut at = 1;
        while let Some(&byte) = bytes.get(at) {
            if let Place::Text { is_name, escape } = self.place
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

    /// Takes a byte; whether it is searched.
    fn step(&mut self, byte: u8) -> bool {
        let blank = matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        self.place = match (self.place, byte) {
            (Place::Text { is_name, escape }, _) => self.text(is_name, escape, byte),
            (Place::Over, _) => Place::Over,
            (Place::Token, _) if is_token(byte) => Place::Token,
            (Place::Token, _) if blank => Place::After,
            (place, _) if blank => place,
            // A byte order mark.
            (Place::Start, 0xEF | 0xBB | 0xBF) => Place::Start,
            (Place::Start, b'{') => self.enter(true),
            (Place::First | Place::Name, b'"') => {
                self.name = Name::EMPTY;
                Place::Text {
                    is_name: true,
                    escape: Escape::None,
                }
            }
            (Place::Colon, b':') => {
                if let Zone::Head(depth, counts) = &mut self.zone
                    && *depth == self.depth
                {
                    *counts = http::is_reference_field(self.name.get());
                }
                Place::Value
            }
            (Place::Value | Place::Element, b'"') => Place::Text {
                is_name: false,
                escape: Escape::None,
            },
            (Place::Value | Place::Element, b'{' | b'[') => self.enter(byte == b'{'),
            (Place::Value | Place::Element, _) if is_token(byte) => Place::Token,
            (Place::After | Place::Token, b',') => {
                if let Zone::Head(depth, counts) = &mut self.zone
                    && *depth == self.depth
                {
                    *counts = false;
                }
                match self.open & 1 {
                    1 => Place::Name,
                    _ => Place::Value,
                }
            }
            (Place::First | Place::After | Place::Token, b'}') if self.open & 1 == 1 => {
                self.leave()
            }
            (Place::Element | Place::After | Place::Token, b']') if self.open & 1 == 0 => {
                self.leave()
            }
            _ => Place::Over,
        };
        if self.place == Place::Over {
            self.zone = Zone::Searched;
        }
        match self.zone {
            Zone::Searched => true,
            Zone::Hidden(_) => false,
            Zone::Head(_, counts) => counts,
        }
    }

    /// An object or an array begins.
    fn enter(&mut self, is_object: bool) -> Place {
        if self.depth == DEPTH_MAX {
            return Place::Over;
        }
        let is_member = self.open & 1 == 1;
        self.open = self.open << 1 | u64::from(is_object);
        self.depth += 1;
        if !is_object {
            return Place::Element;
        }
        if is_member && self.zone == Zone::Searched {
            let name = self.name.get();
            if HIDDEN.contains(&name) {
                self.zone = Zone::Hidden(self.depth);
            } else if name == HTTP_HEADERS {
                self.zone = Zone::Head(self.depth, false);
            }
        }
        Place::First
    }

    /// The last object or array ends.
    fn leave(&mut self) -> Place {
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
                Place::Start
            }
            _ => Place::After,
        }
    }

    /// A byte of a string.
    fn text(&mut self, is_name: bool, escape: Escape, byte: u8) -> Place {
        let mut decoded = |byte: u8| {
            if is_name {
                self.name.push(&[byte]);
            }
            Escape::None
        };
        let escape = match (escape, byte) {
            (Escape::None, b'"') if !is_name => return Place::After,
            (Escape::None, b'"') => {
                let known = std::mem::replace(&mut self.named, true);
                return match known || FIRST.contains(&self.name.get()) {
                    true => Place::Colon,
                    false => Place::Over,
                };
            }
            (Escape::None, b'\\') => Escape::Begun,
            (Escape::None, 0..0x20) => return Place::Over,
            (Escape::None, _) => decoded(byte),
            (Escape::Begun, b'u') => Escape::Digits(4, 0),
            (Escape::Begun, b'"' | b'\\' | b'/') => decoded(byte),
            // None of these is in a name that is looked for.
            (Escape::Begun, b'b' | b'f' | b'n' | b'r' | b't') => decoded(0),
            (Escape::Digits(left, value), _) => {
                let Some(digit) = char::from(byte).to_digit(16) else {
                    return Place::Over;
                };
                let value = value << 4 | digit as u16;
                match left {
                    1 => decoded(u8::try_from(value).ok().filter(u8::is_ascii).unwrap_or(0)),
                    _ => Escape::Digits(left - 1, value),
                }
            }
            (Escape::Begun, _) => return Place::Over,
        };
        Place::Text { is_name, escape }
    }
}

impl Decode for Wat {
    fn push(&mut self, bytes: &[u8], _last: bool, out: &mut Output) -> usize {
        let mut rest = bytes;
        while !rest.is_empty() {
            let (len, searched) = self.stretch(rest);
            out.events.push(match searched {
                true => Event::Text(len),
                false => Event::Skipped(len),
            });
            rest = &rest[len..];
        }
        bytes.len()
    }
}

/// The bytes that stand for themselves in a string, and begin `bytes`.
fn plain(bytes: &[u8]) -> &[u8] {
    const STRIDE: usize = 16;
    let is_whole = |stride: &&[u8]| stride.iter().fold(true, |all, &b| all & is_plain(b));
    let strides = bytes.chunks_exact(STRIDE).take_while(is_whole).count();
    let (before, rest) = bytes.split_at(strides * STRIDE);
    let end = rest.iter().position(|&b| !is_plain(b));
    &bytes[..before.len() + end.unwrap_or(rest.len())]
}

/// Whether it stands for itself in a string.
fn is_plain(byte: u8) -> bool {
    byte >= 0x20 && byte != b'"' && byte != b'\\'
}

/// Whether it is of a number or of a literal.
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What is searched of `text`, given so many bytes at a time; what is not is
    /// a dot for each stretch.
    fn searched(text: &str, piece: usize) -> String {
        let mut wat = Wat::new();
        let mut told = String::new();
        let mut last = true;
        for piece in text.as_bytes().chunks(piece) {
            let mut at = 0;
            while at < piece.len() {
                let (len, searched) = wat.stretch(&piece[at..]);
                if searched {
                    told += std::str::from_utf8(&piece[at..at + len]).unwrap();
                } else if last {
                    told.push('.');
                }
                last = searched;
                at += len;
            }
            assert_eq!(at, piece.len());
        }
        told
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
        // Only an object is a header.
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
        let told = &head[..head.len() - 1];
        for (wrong, rest) in [
            (r#""a":"b" "c":"urn:a:b"}"#, r#"."c":"urn:a:b"}"#),
            (r#""a":"b\x urn:a:b""#, r#".x urn:a:b""#),
            (r#""a":"b\u12g urn:a:b""#, r#".g urn:a:b""#),
            ("\"a\":\"b\n urn:a:b\"", ".\n urn:a:b\""),
            (r#""a":"b"] urn:a:b"#, ".] urn:a:b"),
            (r#"} } } urn:a:b"#, ".} } } urn:a:b"),
        ] {
            check(&format!("{head}{wrong}"), &format!("{told}{rest}"));
        }
        let deep = format!("{head}\"a\":{}", "[".repeat(100));
        check(&deep, &format!("{told}.{}", "[".repeat(100 - 61)));
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
