//! JSON objects, written incrementally: names, strings and nesting (RFC 8259).

use super::fields::Field;
use super::screen::Screen;
use super::value::{Row, Value, push_number};
use crate::item::{Reason, Spelling};
use crate::syntax::class::each_is;

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

    /// Goes on with an object whose start, `written`, is in `out`.
    pub(super) fn after(written: &[u8], out: &'o mut Vec<u8>) -> Object<'o> {
        let empty = written.ends_with(b"{");
        Object { out, empty }
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

    /// Appends a key with its marks: `,"key":`.
    fn written_key(&mut self, key: &[u8]) {
        let is_first = std::mem::take(&mut self.empty);
        self.out.extend_from_slice(&key[usize::from(is_first)..]);
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

    /// Appends bytes as a string, with U+FFFD where they are not UTF-8.
    pub(super) fn text(&mut self, key: &str, value: &[u8]) {
        self.key(key);
        push_text(value, self.out);
    }

    pub(super) fn optional(&mut self, key: &str, value: Option<&[u8]>) {
        if let Some(value) = value {
            self.text(key, value);
        }
    }

    pub(super) fn number(&mut self, key: &str, value: u64) {
        self.key(key);
        push_number(value, self.out);
    }

    pub(super) fn list<'v>(&mut self, key: &str, values: impl Iterator<Item = &'v str>) {
        self.key(key);
        push_list(values, self.out);
    }

    /// Appends a list of objects, each written by `push`.
    pub(super) fn objects<T>(&mut self, key: &str, values: &[T], push: impl Fn(&T, &mut Object)) {
        self.key(key);
        push_objects(values, push, self.out);
    }

    /// Appends a value, unless it is absent.
    fn value(&mut self, key: &str, value: &Value) {
        if !matches!(value, Value::Absent) {
            self.key(key);
            push_value(value, self.out);
        }
    }

    /// Appends the present values of `row`. Fields with a dot are written together, in
    /// an object of their own.
    pub(super) fn fields(&mut self, fields: &ObjectFields, row: &Row) {
        let fields = match row.context().is_empty() {
            true => &fields.without_context,
            false => &fields.all,
        };
        let mut open = None;
        for field in fields {
            let value = (field.value)(row);
            if matches!(value, Value::Absent) {
                continue;
            }
            if field.object != open {
                if open.is_some() {
                    self.leave();
                }
                if let Some(object) = field.object {
                    self.key(object);
                    self.out.push(b'{');
                    self.empty = true;
                }
                open = field.object;
            }
            self.written_key(&field.key);
            push_value(&value, self.out);
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

/// The fields of objects, with what is written of them.
#[derive(Clone, Debug)]
pub(super) struct ObjectFields {
    all: Vec<ObjectField>,
    /// Those that a finding without a context may have: most findings are such ones.
    without_context: Vec<ObjectField>,
}

#[derive(Clone, Debug)]
struct ObjectField {
    value: for<'r> fn(&Row<'r>) -> Value<'r>,
    /// The object that contains it.
    object: Option<&'static str>,
    /// The key with its marks: `,"key":`.
    key: Vec<u8>,
}

impl ObjectFields {
    pub(super) fn new<'f>(fields: impl Iterator<Item = &'f Field> + Clone) -> ObjectFields {
        let written = |field: &Field| ObjectField {
            value: field.value,
            object: field.path.0,
            key: format!(",\"{}\":", field.path.1).into_bytes(),
        };
        ObjectFields {
            all: fields.clone().map(written).collect(),
            without_context: fields
                .filter(|field| !field.of_context)
                .map(written)
                .collect(),
        }
    }
}

/// Appends a present value.
fn push_value(value: &Value, out: &mut Vec<u8>) {
    match *value {
        Value::Absent | Value::Null => out.extend_from_slice(b"null"),
        Value::Number(number) => push_number(number, out),
        Value::Set => out.extend_from_slice(b"true"),
        Value::Problems(problems) => {
            push_list(problems.iter().map(|problem| problem.code()), out);
        }
        Value::Entries(_) | Value::EntryPlaces(_) => push_list(value.texts(), out),
        Value::Words(words) => {
            let words = words.split(|&byte| byte == b' ');
            push_list(words.filter_map(|word| str::from_utf8(word).ok()), out);
        }
        Value::Spellings(spellings) => push_objects(spellings, push_spelling, out),
        Value::Text(text) => push_text(text, out),
        Value::Base64(_) | Value::Time(_) => {
            push_string(&value.cell().unwrap_or_default(), out);
        }
    }
}

fn push_list(values: impl Iterator<Item = impl AsRef<str>>, out: &mut Vec<u8>) {
    out.push(b'[');
    for (number, value) in values.enumerate() {
        if number > 0 {
            out.push(b',');
        }
        push_string(value.as_ref(), out);
    }
    out.push(b']');
}

fn push_objects<T>(values: &[T], push: impl Fn(&T, &mut Object), out: &mut Vec<u8>) {
    out.push(b'[');
    for (number, value) in values.iter().enumerate() {
        if number > 0 {
            out.push(b',');
        }
        let mut object = Object::new(out);
        push(value, &mut object);
        object.close();
    }
    out.push(b']');
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
    push_text(value.as_bytes(), out);
}

/// Does the same with bytes. U+FFFD takes the place of those that are not UTF-8.
fn push_text(value: &[u8], out: &mut Vec<u8>) {
    if are_plain(value) {
        out.reserve(value.len() + 2);
        out.push(b'"');
        out.extend_from_slice(value);
        out.push(b'"');
        return;
    }
    out.push(b'"');
    for char in String::from_utf8_lossy(value).chars() {
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

/// Whether a string with these bytes is written as it is.
fn are_plain(value: &[u8]) -> bool {
    each_is(value, |b| {
        (b' '..0x7F).contains(&b) & (b != b'"') & (b != b'\\')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At each place of strings of each length, also of those that are looked at in chunks.
    #[test]
    fn marks_are_escaped_wherever_they_stand() {
        for len in 0..50 {
            for (at, mark) in
                (0..len).flat_map(|at| ['"', '\\', '\n', '\u{7F}', '\u{E9}'].map(|mark| (at, mark)))
            {
                let mut text = vec!['x'; len];
                text[at] = mark;
                let text = String::from_iter(text);
                let mut out = Vec::new();
                push_string(&text, &mut out);
                let back: String = serde_json::from_slice(&out).unwrap();
                assert_eq!(back, text);
                assert!(!are_plain(text.as_bytes()));
            }
            assert!(are_plain(&vec![b'x'; len]));
        }
    }

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
