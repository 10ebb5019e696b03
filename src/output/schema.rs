//! The keys of a JSON record as a table, and as JSON Schema (draft 2020-12).

use super::fields::Fields;
use super::json::Object;
use crate::item::Problem;

/// A key of the records that [`Json`](super::Json) tells.
///
/// ```
/// use urisieve::output::RECORD;
/// assert_eq!((RECORD[0].name, RECORD[0].always), ("uri", true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What its value is.
    pub value: Value,
    /// Whether every record has it.
    pub always: bool,
    /// What it says.
    pub meaning: &'static str,
}

/// What the value of a [`Key`] is.
///
/// ```
/// use urisieve::output::{RECORD, Value};
/// let offset = RECORD.iter().find(|key| key.name == "offset").unwrap();
/// assert_eq!(offset.value, Value::Number);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Value {
    /// A string.
    Text,
    /// A number, not negative.
    Number,
    /// `true`; the key is absent otherwise.
    Flag,
    /// A list of problem codes.
    Problems,
    /// An object with `offset`, `record_id`, `type`, `date` and `target_uri`.
    Warc,
    /// A list of objects with `original` (or `original_b64`), `count` and, where there
    /// are any, `steps`: objects with `name` and `section`.
    Spellings,
}

const fn key(name: &'static str, value: Value, always: bool, meaning: &'static str) -> Key {
    Key {
        name,
        value,
        always,
        meaning,
    }
}

/// The keys of a record, in their order.
///
/// ```
/// use urisieve::output::RECORD;
/// assert!(RECORD.iter().any(|key| key.name == "hyphen_break" && !key.always));
/// ```
pub const RECORD: &[Key] = &[
    key("uri", Value::Text, true, "the canonical form"),
    key(
        "uri_b64",
        Value::Text,
        false,
        "the same in Base64, when it is not UTF-8",
    ),
    key(
        "original",
        Value::Text,
        false,
        "as written, after unwrapping",
    ),
    key(
        "original_b64",
        Value::Text,
        false,
        "the same in Base64, when it is not UTF-8",
    ),
    key(
        "kind",
        Value::Text,
        true,
        "url (has an authority), urn (has a namespace) or uri",
    ),
    key("scheme", Value::Text, false, "RFC 3986 section 3.1"),
    key(
        "nid",
        Value::Text,
        false,
        "namespace identifier of a URN, RFC 8141 section 2.1",
    ),
    key("host", Value::Text, false, "RFC 3986 section 3.2.2"),
    key("port", Value::Text, false, "RFC 3986 section 3.2.3"),
    key("path", Value::Text, true, "RFC 3986 section 3.3"),
    key("query", Value::Text, false, "RFC 3986 section 3.4"),
    key("fragment", Value::Text, false, "RFC 3986 section 3.5"),
    key(
        "file",
        Value::Text,
        true,
        "name of the input, - is standard input",
    ),
    key(
        "file_b64",
        Value::Text,
        false,
        "the same in Base64, when it is not UTF-8",
    ),
    key("line", Value::Number, false, "line in the input, from 1"),
    key(
        "column",
        Value::Number,
        false,
        "bytes from the start of the line, from 1",
    ),
    key(
        "offset",
        Value::Number,
        true,
        "raw bytes from the start of the input to the scheme",
    ),
    key(
        "length",
        Value::Number,
        true,
        "raw bytes from the scheme to the end of the URI",
    ),
    key(
        "wrapper",
        Value::Text,
        true,
        "angle, dquote, quote, paren, bracket, brace, attr, field or none",
    ),
    key(
        "url_prefix",
        Value::Flag,
        false,
        "a URL: or URI: prefix stood before it",
    ),
    key(
        "wrapped",
        Value::Number,
        false,
        "line breaks removed from inside it",
    ),
    key(
        "hyphen_break",
        Value::Flag,
        false,
        "a hyphen stood before one of these line breaks",
    ),
    key(
        "alternative",
        Value::Text,
        false,
        "the canonical form of the other spelling of the same place, with or without these hyphens",
    ),
    key("count", Value::Number, false, "occurrences of its class"),
    key(
        "problems",
        Value::Problems,
        false,
        "codes of what is wrong with it",
    ),
    key(
        "warc",
        Value::Warc,
        false,
        "the record of a web archive that holds it; offset and line are then of its block",
    ),
    key(
        "spellings",
        Value::Spellings,
        false,
        "the spellings of its class, most frequent first, with the steps that make each equal",
    ),
];

/// The keys of the value of `warc`: in an object of their own, and as columns.
pub(super) const WARC: [(&str, &str, Value); 5] = [
    ("offset", "warc.offset", Value::Number),
    ("record_id", "warc.record_id", Value::Text),
    ("type", "warc.type", Value::Text),
    ("date", "warc.date", Value::Text),
    ("target_uri", "warc.target_uri", Value::Text),
];

/// Appends the JSON Schema of a record, and a line feed.
///
/// ```
/// let mut out = Vec::new();
/// urisieve::output::push_schema(&mut out);
/// assert!(out.starts_with(br#"{"$schema":"https://json-schema.org/draft/2020-12/schema""#));
/// ```
pub fn push_schema(out: &mut Vec<u8>) {
    let mut schema = Object::new(out);
    schema.string("$schema", "https://json-schema.org/draft/2020-12/schema");
    schema.string("title", "A URI found by urisieve");
    schema.string("type", "object");
    let mut properties = schema.nested("properties");
    for key in RECORD {
        let mut property = properties.nested(key.name);
        property.string("description", key.meaning);
        push_value(key.value, &mut property);
        property.close();
    }
    properties.close();
    let always = RECORD.iter().filter(|key| key.always);
    schema.list("required", always.map(|key| key.name));
    schema.end();
}

fn push_value(value: Value, property: &mut Object) {
    match value {
        Value::Text => property.string("type", "string"),
        Value::Number => {
            property.string("type", "integer");
            property.number("minimum", 0);
        }
        Value::Flag => property.string("type", "boolean"),
        Value::Problems => {
            property.string("type", "array");
            let mut items = property.nested("items");
            items.list("enum", Problem::ALL.iter().map(|p| p.code()));
            items.close();
        }
        Value::Warc => {
            property.string("type", "object");
            let mut inner = property.nested("properties");
            for (name, _, value) in WARC {
                let mut part = inner.nested(name);
                push_value(value, &mut part);
                part.close();
            }
            inner.close();
        }
        Value::Spellings => {
            property.string("type", "array");
            let mut items = property.nested("items");
            items.string("type", "object");
            push_spelling(&mut items);
            items.close();
        }
    }
}

/// The keys of a spelling.
fn push_spelling(items: &mut Object) {
    let mut keys = items.nested("properties");
    for (name, value) in [
        ("original", Value::Text),
        ("original_b64", Value::Text),
        ("count", Value::Number),
    ] {
        let mut key = keys.nested(name);
        push_value(value, &mut key);
        key.close();
    }
    let mut steps = keys.nested("steps");
    steps.string("type", "array");
    let mut step = steps.nested("items");
    step.string("type", "object");
    let mut parts = step.nested("properties");
    for name in ["name", "section"] {
        let mut part = parts.nested(name);
        push_value(Value::Text, &mut part);
        part.close();
    }
    parts.close();
    step.close();
    steps.close();
    keys.close();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::{Context, Finding, Marks, Place, Problems, Spelling, Warc, Wrapper};
    use crate::output::{Form, Json};

    #[test]
    fn records_have_the_keys_of_the_table_in_its_order() {
        let marks = Marks {
            wrapper: Wrapper::Angle,
            url_prefix: true,
            wrapped: 1,
            hyphen_break: true,
            abbreviated: false,
            problems: Problems::from(Problem::BadPort),
            ..Marks::default()
        };
        let finding = Finding {
            uri: b"http://h:1/p?q#f",
            original: b"HTTP://h:1/p?q#f",
            input: 0,
            offset: 1,
            length: 2,
            place: Some(Place { line: 1, column: 2 }),
            marks,
            count: Some(2),
            alternative: Some(b"http://h:1/p-?q#f"),
            context: Context {
                warc: Some(Warc::default()),
                ..Context::default()
            },
        };
        let spelling = Spelling {
            text: b"x",
            count: 2,
            reasons: &[],
        };
        let mut out = Vec::new();
        Json.write_group(&finding, &[spelling], b"f", &mut out);
        let text = String::from_utf8(out).unwrap();
        let record: serde_json::Value = serde_json::from_str(&text).unwrap();
        let at = |name: &str| text.find(&format!("\"{name}\":"));
        let told: Vec<&Key> = RECORD.iter().filter(|k| at(k.name).is_some()).collect();
        assert!(told.is_sorted_by_key(|key| at(key.name)));
        assert_eq!(told.len(), record.as_object().unwrap().len());
        // All that a URL in UTF-8 can have.
        assert_eq!(told.len(), RECORD.len() - 4);
        assert!(
            RECORD
                .iter()
                .all(|key| !key.always || at(key.name).is_some())
        );
    }

    #[test]
    fn the_schema_is_json() {
        let mut out = Vec::new();
        push_schema(&mut out);
        let schema: serde_json::Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(schema["properties"]["offset"]["type"], "integer");
        assert_eq!(schema["required"][0], "uri");
    }
}
