//! JSON Lines: one flat object for each finding, its keys in a stable order,
//! absent when they do not apply.

use super::fields::{Fields, WarcValue, record, values};
use super::schema::WARC;
use super::{Form, Screen};
use crate::item::{Finding, Reason, Spelling, Warc};

/// An object and a line feed.
///
/// ```
/// use urisieve::{engine::Sieve, item::Finding, output::{Form, Json}};
/// let (sieve, mut out) = (Sieve::builder().originals(true).build(), Vec::new());
/// sieve.slice(b"URN:A1:b", &mut |finding: &Finding<'_>| {
///     Json.write(finding, b"f.txt", &mut out);
/// })?;
/// assert!(out.starts_with(br#"{"uri":"urn:a1:b","original":"URN:A1:b","kind":"urn","#));
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Json;

impl Form for Json {
    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        opened(finding, name, out).end();
    }

    /// The record has `spellings` too, objects with `original`, `count` and, where
    /// there are reasons, `steps`.
    fn write_group(
        &mut self,
        class: &Finding,
        spellings: &[Spelling],
        name: &[u8],
        out: &mut Vec<u8>,
    ) {
        let mut object = opened(class, name, out);
        object.key("spellings");
        for (number, spelling) in spellings.iter().enumerate() {
            object.out.push(if number == 0 { b'[' } else { b',' });
            let mut inner = Object::new(object.out);
            inner.bytes("original", spelling.text);
            inner.number("count", spelling.count);
            push_steps(spelling.reasons, &mut inner);
            inner.close();
        }
        object.out.push(b']');
        object.end();
    }
}

/// Why a spelling is equal to the others.
fn push_steps(reasons: &[Reason], spelling: &mut Object) {
    for (number, reason) in reasons.iter().enumerate() {
        match number {
            0 => {
                spelling.key("steps");
                spelling.out.push(b'[');
            }
            _ => spelling.out.push(b','),
        }
        let mut step = Object::new(spelling.out);
        step.string("name", reason.name);
        step.string("section", reason.section);
        step.close();
    }
    if !reasons.is_empty() {
        spelling.out.push(b']');
    }
}

/// The record of a finding, still open.
fn opened<'o>(finding: &Finding, name: &[u8], out: &'o mut Vec<u8>) -> Object<'o> {
    let mut object = Object::new(out);
    record(finding, name, &mut object);
    object
}

/// Appends a loss, or an input that could not be read, as one JSON object and a
/// line feed: `file`, `offset` (raw bytes from its start), `kind`, `cause`.
///
/// ```
/// let mut out = Vec::new();
/// urisieve::output::push_error(b"a.log", Some(7), "read", "Input/output error", &mut out);
/// let line = r#"{"file":"a.log","offset":7,"kind":"read","cause":"Input/output error"}"#;
/// assert_eq!(String::from_utf8(out).unwrap(), format!("{line}\n"));
/// ```
pub fn push_error(name: &[u8], offset: Option<u64>, kind: &str, cause: &str, out: &mut Vec<u8>) {
    let mut object = Object::new(out);
    object.text("file", name);
    if let Some(offset) = offset {
        object.number("offset", offset);
    }
    object.string("kind", kind);
    object.string("cause", cause);
    object.end();
}

/// An object on its way.
pub(super) struct Object<'o> {
    pub(super) out: &'o mut Vec<u8>,
    empty: bool,
}

impl<'o> Object<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Object<'o> {
        out.push(b'{');
        Object { out, empty: true }
    }

    pub(super) fn key(&mut self, key: &str) {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        push_string(key, self.out);
        self.out.push(b':');
    }

    /// An object under a key, on its way.
    pub(super) fn nested(&mut self, key: &str) -> Object<'_> {
        self.key(key);
        Object::new(self.out)
    }

    pub(super) fn null(&mut self, key: &str) {
        self.key(key);
        self.out.extend_from_slice(b"null");
    }

    pub(super) fn close(self) {
        self.out.push(b'}');
    }

    pub(super) fn end(self) {
        self.out.extend_from_slice(b"}\n");
    }
}

impl Fields for Object<'_> {
    fn warc(&mut self, warc: &Warc) {
        let mut inner = self.nested("warc");
        for ((key, _, _), value) in WARC.into_iter().zip(values(warc)) {
            match value {
                WarcValue::Number(number) => inner.number(key, number),
                WarcValue::Text(text) => inner.optional(key, (!text.is_empty()).then_some(text)),
            }
        }
        inner.close();
    }

    fn string(&mut self, key: &str, value: &str) {
        self.key(key);
        push_string(value, self.out);
    }

    fn number(&mut self, key: &str, value: u64) {
        self.key(key);
        self.out.extend_from_slice(value.to_string().as_bytes());
    }

    fn flag(&mut self, key: &str, value: bool) {
        if value {
            self.key(key);
            self.out.extend_from_slice(b"true");
        }
    }

    fn list<'v>(&mut self, key: &str, values: impl Iterator<Item = &'v str>) {
        self.key(key);
        self.out.push(b'[');
        for (number, value) in values.enumerate() {
            if number > 0 {
                self.out.push(b',');
            }
            push_string(value, self.out);
        }
        self.out.push(b']');
    }
}

/// A JSON string (RFC 8259 section 7); DEL, the C1 controls and what else a terminal
/// would not show as it is are escaped too.
fn push_string(value: &str, out: &mut Vec<u8>) {
    let is_plain = |&b: &u8| !matches!(b, 0..=0x1F | b'"' | b'\\' | 0x7F..);
    out.push(b'"');
    if value.as_bytes().iter().all(is_plain) {
        out.extend_from_slice(value.as_bytes());
        out.push(b'"');
        return;
    }
    for char in value.chars() {
        match char {
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' => out.extend_from_slice(b"\\n"),
            '\r' => out.extend_from_slice(b"\\r"),
            '\t' => out.extend_from_slice(b"\\t"),
            _ if !Screen::shows(char) => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    out.extend_from_slice(format!("\\u{unit:04x}").as_bytes());
                }
            }
            _ => out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(uri: &[u8], original: &[u8]) -> String {
        let finding = Finding {
            uri,
            original,
            input: 0,
            offset: 3,
            length: 9,
            place: None,
            marks: Default::default(),
            count: None,
            context: Default::default(),
            alternative: None,
        };
        let mut out = Vec::new();
        Json.write(&finding, b"a\"b", &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn keys_in_their_order() {
        assert_eq!(
            record(b"http://h:1/p?q#f", b"HTTP://h:1/p?q#f"),
            r#"{"uri":"http://h:1/p?q#f","original":"HTTP://h:1/p?q#f","kind":"url","scheme":"http","#
                .to_owned()
                + r#""host":"h","port":"1","path":"/p","query":"q","fragment":"f","#
                + r#""file":"a\"b","offset":3,"length":9,"wrapper":"none"}"#
                + "\n"
        );
        assert!(
            record(b"urn:a-b:c", b"urn:a-b:c")
                .contains(r#""kind":"urn","scheme":"urn","nid":"a-b","path""#)
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_stay_valid_json() {
        let line = record(b"http://h/\xE9", b"http://h/\xE9");
        let value: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(value["original_b64"], "aHR0cDovL2gv6Q==");
        assert_eq!(value["uri"], "http://h/\u{FFFD}");
        for char in ('\0'..'\u{A0}').chain(['\u{202E}', '\u{2028}', '\u{E0041}']) {
            let mut out = Vec::new();
            push_string(&char.to_string(), &mut out);
            let back: String = serde_json::from_slice(&out).unwrap();
            assert_eq!(back, char.to_string());
            let text = String::from_utf8(out).unwrap();
            assert!(text.chars().all(Screen::shows), "{text:?}");
        }
    }
}
