//! JSON Lines: one object for each finding, its keys in a stable order, absent when
//! they do not apply.

use super::form::{Form, WriteRecord};
use super::object::{Object, ObjectFields};
use super::rows::RowKind;
use super::value::Row;
use crate::item::{Finding, Spelling};
use std::sync::Arc;

/// An object and a line feed.
///
/// ```
/// use urisieve::{Sieve, output::{Form, Json}};
/// let (sieve, mut out) = (Sieve::builder().originals(true).build(), Vec::new());
/// sieve.for_each(b"URN:A1:b", |finding| {
///     Json::default().write(finding, b"f.txt", &mut out);
/// })?;
/// assert!(out.starts_with(br#"{"uri":"urn:a1:b","original":"URN:A1:b","kind":"urn","#));
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Json {
    rows: RowKind,
    fields: ObjectFields,
}

impl Default for Json {
    fn default() -> Json {
        Json {
            rows: RowKind::Findings,
            fields: ObjectFields::new(RowKind::Findings.fields().iter()),
        }
    }
}

impl Json {
    /// Sets the kind of rows; default [`RowKind::Findings`].
    ///
    /// ```
    /// use urisieve::{item::Finding, output::{Form, Json, LinkFields, RowKind}};
    /// let (mut link, mut out) = (Finding::new(b"http://b/"), Vec::new());
    /// link.source = Some(b"http://a/");
    /// let rows = RowKind::Links(LinkFields::default());
    /// Json::default().rows(rows).write(&link, b"f", &mut out);
    /// assert_eq!(out, b"{\"s\":\"http://a/\",\"t\":\"http://b/\",\"file\":\"f\",\"offset\":0,\"length\":9}\n");
    /// ```
    pub fn rows(self, rows: RowKind) -> Json {
        let fields = ObjectFields::new(rows.fields().iter());
        Json { rows, fields }
    }

    fn push_row(&self, finding: &Finding, spellings: &[Spelling], name: &[u8], out: &mut Vec<u8>) {
        self.rows.with_finding(finding, name, |finding| {
            let mut object = Object::new(out);
            let row = Row::new(finding, name).spellings(spellings);
            object.fields(&self.fields, &row);
            object.end();
        });
    }
}

impl Form for Json {
    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        self.push_row(finding, &[], name, out);
    }

    fn by_record(&self) -> Option<WriteRecord> {
        let form = self.clone();
        Some(Arc::new(move |finding, name, out| {
            form.push_row(finding, &[], name, out);
        }))
    }

    fn has_spellings(&self) -> bool {
        self.rows.has_spellings()
    }

    fn write_group(
        &mut self,
        class: &Finding,
        spellings: &[Spelling],
        name: &[u8],
        out: &mut Vec<u8>,
    ) {
        if !self.has_spellings() {
            return self.write(class, name, out);
        }
        self.push_row(class, spellings, name, out);
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::{
        Context, Exchange, LineColumn, Link, Marc, Marks, Matched, MatchedEntry, NestedBy, Problem,
        Problems, Request, RequestPart, Timestamp, Warc, Wrapper,
    };
    use crate::output::fields::{FIELDS, Field};
    use serde_json::Value;

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
            gateway: None,
            nested_in: None,
            first_seen: None,
            last_seen: None,
            sources: None,
            source: None,
        };
        let mut out = Vec::new();
        Json::default().write(&finding, b"a\"b", &mut out);
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
    }

    fn all_contexts() -> Context<'static> {
        let mut marc = Marc::default();
        (marc.record_no, marc.occurrence, marc.record_offset) = (3, 2, 100);
        (marc.record_id, marc.title, marc.tag) = (b"0001", b"A title", b"856");
        (marc.ind1, marc.ind2, marc.subfield) = (b"4", b"0", b"u");
        Context {
            marc: Some(marc),
            warc: Some(Warc {
                number: 4,
                offset: 1,
                record_id: b"urn:uuid:0",
                kind: b"response",
                date: b"2026",
                target_uri: b"http://t/",
            }),
            member: Some(b"m\xFF"),
            header: Some(b"location"),
            link: Some(Link {
                path: b"A@/href",
                rel: b"nofollow",
                nofollow: true,
            }),
            part: Some(b"2.1"),
            message_id: Some(b"a@b"),
            pointer: Some(b"/a/0"),
            row: Some(7),
            field: Some(b"url"),
            request: Some(Request {
                part: RequestPart::Referer,
                exchange: Exchange {
                    method: Some(b"GET"),
                    status: Some(200),
                    time: Timestamp::since_1970(0, 0),
                    client: Some(b"192.0.2.1"),
                },
            }),
            ..Context::default()
        }
    }

    #[test]
    fn records_have_the_fields_of_the_table_in_its_order() {
        let mut matched = Vec::new();
        Matched::push(MatchedEntry::new(b"h", b"l", 1), &mut matched);
        let finding = Finding {
            uri: b"http://h:1/p?q#f",
            original: b"HTTP://h:1/p?q#f",
            input: 0,
            offset: 1,
            length: 2,
            place: Some(LineColumn { line: 1, column: 2 }),
            marks: Marks {
                wrapper: Wrapper::Angle,
                url_prefix: true,
                wrapped: 1,
                hyphen_break: true,
                refanged: true,
                given_scheme: true,
                nested_by: Some(NestedBy::Percent),
                problems: Problems::from(Problem::BadPort),
                ..Marks::default()
            },
            count: Some(2),
            alternative: Some(b"http://h:1/p-?q#f"),
            gateway: Some(b"slack vk"),
            nested_in: Some(b"http://c/"),
            first_seen: Timestamp::since_1970(1, 0),
            last_seen: Timestamp::since_1970(2, 0),
            sources: Some(3),
            source: None,
            context: Context {
                matched: Some(Matched::of(&matched)),
                ..all_contexts()
            },
        };
        let spelling = Spelling {
            text: b"x",
            count: 2,
            reasons: &[],
        };
        let mut out = Vec::new();
        Json::default().write_group(&finding, &[spelling], b"f", &mut out);
        let text = String::from_utf8(out).unwrap();
        let record: Value = serde_json::from_str(&text).unwrap();
        let value = |field: &Field| match field.path {
            (None, key) => record.get(key),
            (Some(object), key) => record[object].get(key),
        };
        // A URL in UTF-8 has only these.
        let lacks = ["uri_b64", "original_b64", "nid", "file_b64"];
        for field in FIELDS {
            assert_eq!(
                value(field).is_none(),
                lacks.contains(&field.name),
                "{field:?}"
            );
            assert!(!field.always || value(field).is_some());
        }
        let mut out = Vec::new();
        let without = Finding {
            context: Context::default(),
            ..finding
        };
        Json::default().write_group(&without, &[spelling], b"f", &mut out);
        let record: Value = serde_json::from_slice(&out).unwrap();
        for field in FIELDS {
            let value = record.pointer(&format!("/{}", field.name.replace('.', "/")));
            let is_rest = field.of_context || lacks.contains(&field.name);
            assert_eq!(value.is_none(), is_rest, "{field:?}");
        }
        let keys = FIELDS
            .iter()
            .map(|field| field.path.0.unwrap_or(field.name));
        let places = keys.filter_map(|key| text.find(&format!("\"{key}\":")));
        assert!(places.is_sorted());
    }

    #[test]
    fn fields_with_a_dot_stand_in_objects() {
        let finding = Finding {
            uri: b"urn:a-b:c",
            original: b"urn:a-b:c",
            input: 0,
            offset: 1,
            length: 9,
            place: None,
            marks: Default::default(),
            count: None,
            alternative: None,
            gateway: None,
            nested_in: None,
            first_seen: None,
            last_seen: None,
            sources: None,
            source: None,
            context: all_contexts(),
        };
        let mut out = Vec::new();
        Json::default().write(&finding, b"f", &mut out);
        let wanted = concat!(
            r#"{"uri":"urn:a-b:c","original":"urn:a-b:c","kind":"urn","scheme":"urn","nid":"a-b","#,
            r#""path":"a-b:c","file":"f","member":"#,
            "\"m\u{FFFD}\"",
            r#","member_b64":"bf8=","offset":1,"length":9,"#,
            r#""wrapper":"none","warc":{"offset":1,"record_id":"urn:uuid:0","type":"response","#,
            r#""date":"2026","target_uri":"http://t/"},"part":"2.1","message_id":"a@b","header":"location","#,
            r#""link":{"path":"A@/href","rel":"nofollow","nofollow":true},"pointer":"/a/0","row":7,"field":"url","#,
            r#""marc":{"record_no":3,"record_id":"0001","title":"A title","tag":"856","#,
            r#""ind1":"4","ind2":"0","subfield":"u","occurrence":2,"record_offset":100},"#,
            r#""request":{"part":"referer","method":"GET","status":200,"#,
            r#""time":"1970-01-01T00:00:00Z","client":"192.0.2.1"}}"#,
            "\n",
        );
        assert_eq!(String::from_utf8(out).unwrap(), wanted);
    }
}
