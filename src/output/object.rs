//! JSON objects, written incrementally: names, strings and nesting (RFC 8259).

use super::fields::Field;
use super::screen::Screen;
use super::value::{Row, Value};
use crate::item::{Reason, Spelling};

/// An object that is being written.
pub(super) struct Object<'o> {
    out: &'o mut Vec<u8>,
    empty: bool,
}

impl<'o> Object<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>) -> Object<'o> {
        out.push(b'{');
        Object { out, empty: true }
    }

    /// The number of bytes so far, with those before the object.
    #[cfg(feature = "domain")]
    pub(super) fn len(&self) -> usize {
        self.out.len()
    }

    /// Appends the key of a value. Keys are constants that need no escaping.
    fn key(&mut self, key: &str) {
        if !std::mem::take(&mut self.empty) {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
    }

    /// Begins an object under a key.
    pub(super) fn nested(&mut self, key: &str) -> Object<'_> {
        self.key(key);
        Object::new(self.out)
    }

    pub(super) fn string(&mut self, key: &str, value: &str) {
        self.key(key);
        push_string(value, self.out);
    }

    /// Appends bytes as a string, unless they are not UTF-8.
    pub(super) fn text(&mut self, key: &str, value: &[u8]) {
        match std::str::from_utf8(value) {
            Ok(value) => self.string(key, value),
            Err(_) => self.string(key, &String::from_utf8_lossy(value)),
        }
    }

    pub(super) fn optional(&mut self, key: &str, value: Option<&[u8]>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    pub(super) fn number(&mut self, key: &str, value: u64) {
        self.key(key);
        self.out.extend_from_slice(value.to_string().as_bytes());
    }

    pub(super) fn list<'v>(&mut self, key: &str, values: impl Iterator<Item = &'v str>) {
        self.texts(key, values);
    }

    fn texts(&mut self, key: &str, values: impl Iterator<Item = impl AsRef<str>>) {
        self.key(key);
        self.out.push(b'[');
        for (number, value) in values.enumerate() {
            if number > 0 {
                self.out.push(b',');
            }
            push_string(value.as_ref(), self.out);
        }
        self.out.push(b']');
    }

    /// Appends a list of objects, each written by `push`.
    pub(super) fn objects<T>(&mut self, key: &str, values: &[T], push: impl Fn(&T, &mut Object)) {
        self.key(key);
        self.out.push(b'[');
        for (number, value) in values.iter().enumerate() {
            if number > 0 {
                self.out.push(b',');
            }
            let mut object = Object::new(self.out);
            push(value, &mut object);
            object.close();
        }
        self.out.push(b']');
    }

    /// Appends a value.
    fn value(&mut self, key: &str, value: &Value) {
        match *value {
            Value::Absent => {}
            Value::Null => {
                self.key(key);
                self.out.extend_from_slice(b"null");
            }
            Value::Number(number) => self.number(key, number),
            Value::Set => {
                self.key(key);
                self.out.extend_from_slice(b"true");
            }
            Value::Problems(problems) => {
                self.list(key, problems.iter().map(|problem| problem.code()));
            }
            Value::Entries(_) | Value::EntryPlaces(_) => self.texts(key, value.texts()),
            Value::Words(words) => {
                let words = words.split(|&byte| byte == b' ');
                self.list(key, words.filter_map(|word| str::from_utf8(word).ok()));
            }
            Value::Spellings(spellings) => self.objects(key, spellings, push_spelling),
            Value::Text(text) => self.text(key, text),
            Value::Base64(_) | Value::Time(_) => {
                self.string(key, &value.cell().unwrap_or_default())
            }
        }
    }

    /// Appends the present values of `row`. Fields with a dot are written together, in
    /// an object of their own.
    pub(super) fn fields<'f>(&mut self, fields: impl IntoIterator<Item = &'f Field>, row: &Row) {
        let mut open = None;
        for field in fields {
            let value = (field.value)(row);
            if matches!(value, Value::Absent) {
                continue;
            }
            let (object, key) = field.path;
            if object != open {
                if open.is_some() {
                    self.leave();
                }
                if let Some(object) = object {
                    self.key(object);
                    self.out.push(b'{');
                    self.empty = true;
                }
                open = object;
            }
            self.value(key, &value);
        }
        if open.is_some() {
            self.leave();
        }
    }

    /// Ends a nested object.
    fn leave(&mut self) {
        self.out.push(b'}');
        self.empty = false;
    }

    pub(super) fn close(self) {
        self.out.push(b'}');
    }

    pub(super) fn end(self) {
        self.out.extend_from_slice(b"}\n");
    }
}

fn push_spelling(spelling: &Spelling, object: &mut Object) {
    object.value("original", &Value::utf8(spelling.text));
    object.value("original_b64", &Value::no_utf8(Some(spelling.text)));
    object.number("count", spelling.count);
    if !spelling.reasons.is_empty() {
        object.objects("steps", spelling.reasons, |reason: &Reason, step| {
            step.string("name", reason.name);
            step.string("section", reason.section);
        });
    }
}

/// Appends a JSON string (RFC 8259 section 7); DEL, the C1 controls and other
/// characters that a terminal would not show are also escaped.
pub(super) fn push_string(value: &str, out: &mut Vec<u8>) {
    let is_plain = |b: u8| (b' '..0x7F).contains(&b) && b != b'"' && b != b'\\';
    out.push(b'"');
    // Without an early exit many bytes are compared at once.
    if value.bytes().fold(true, |all, b| all & is_plain(b)) {
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

    #[test]
    fn no_string_shows_what_a_terminal_obeys() {
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
