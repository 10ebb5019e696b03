//! The fields of a record, in one table: their names, types and meanings, and how
//! their values are taken from a finding. Every form that has names takes its fields
//! from here, so a field that is added is added to all.

use super::value::{Row, Value};
use std::sync::LazyLock;

/// A field of the records that are written.
///
/// ```
/// use urisieve::output::FIELDS;
/// assert_eq!((FIELDS[0].name, FIELDS[0].always), ("uri", true));
/// ```
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Field {
    /// Its name: the name of a column. With a dot, JSON has it in an object.
    pub name: &'static str,
    /// What its value is.
    pub kind: Kind,
    /// Whether every record has it.
    pub always: bool,
    /// What it says.
    pub meaning: &'static str,
    /// Its value of a row.
    pub(super) value: for<'r> fn(&Row<'r>) -> Value<'r>,
    /// The object that has it in JSON, and its key there.
    pub(super) path: (Option<&'static str>, &'static str),
    /// It was added to the columns with the first, the second … others.
    round: u8,
}

/// What the value of a [`Field`] is.
///
/// ```
/// use urisieve::output::{FIELDS, Kind};
/// let offset = FIELDS.iter().find(|field| field.name == "offset").unwrap();
/// assert_eq!(offset.kind, Kind::Number);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// A string.
    Text,
    /// A number, not negative.
    Number,
    /// `true`; the field is absent otherwise.
    Flag,
    /// A list of problem codes.
    Problems,
    /// A list of objects with `original` (or `original_b64`), `count` and, where there
    /// are any, `steps`: objects with `name` and `section`. Only JSON has it; in tables
    /// each spelling has a row.
    Spellings,
}

impl Field {
    const fn new(
        name: &'static str,
        kind: Kind,
        meaning: &'static str,
        value: for<'r> fn(&Row<'r>) -> Value<'r>,
    ) -> Field {
        Field {
            name,
            kind,
            always: false,
            meaning,
            value,
            path: path(name),
            round: 0,
        }
    }

    const fn text(
        name: &'static str,
        meaning: &'static str,
        value: for<'r> fn(&Row<'r>) -> Value<'r>,
    ) -> Field {
        Field::new(name, Kind::Text, meaning, value)
    }

    const fn number(
        name: &'static str,
        meaning: &'static str,
        value: for<'r> fn(&Row<'r>) -> Value<'r>,
    ) -> Field {
        Field::new(name, Kind::Number, meaning, value)
    }

    const fn flag(
        name: &'static str,
        meaning: &'static str,
        value: for<'r> fn(&Row<'r>) -> Value<'r>,
    ) -> Field {
        Field::new(name, Kind::Flag, meaning, value)
    }

    /// Every record has it.
    const fn always(self) -> Field {
        Field {
            always: true,
            ..self
        }
    }

    /// Its column stands behind those of the rounds before, so that the columns of
    /// earlier versions keep their numbers.
    const fn round(self, round: u8) -> Field {
        Field { round, ..self }
    }
}

/// What stands before the dot of a name, if it has one, and after it.
const fn path(name: &'static str) -> (Option<&'static str>, &'static str) {
    let mut at = 0;
    while at < name.len() {
        if name.as_bytes()[at] == b'.' {
            return (Some(name.split_at(at).0), name.split_at(at + 1).1);
        }
        at += 1;
    }
    (None, name)
}

/// The fields of a record, in the order of JSON.
///
/// ```
/// use urisieve::output::FIELDS;
/// assert!(FIELDS.iter().any(|field| field.name == "hyphen_break" && !field.always));
/// ```
pub const FIELDS: &[Field] = &[
    Field::text("uri", "the canonical form", |row| Value::Text(row.uri())).always(),
    Field::text(
        "uri_b64",
        "the same in Base64, when it is not UTF-8",
        |row| Value::no_utf8(Some(row.uri())),
    ),
    Field::text("original", "as written, after unwrapping", |row| {
        Value::utf8(row.finding.original)
    }),
    Field::text(
        "original_b64",
        "the same in Base64, when it is not UTF-8",
        |row| Value::no_utf8(Some(row.finding.original)),
    ),
    Field::text(
        "kind",
        "url (has an authority), urn (has a namespace) or uri",
        |row| Value::Text(row.kind().name().as_bytes()),
    )
    .always(),
    Field::text("scheme", "RFC 3986 section 3.1", |row| {
        Value::text(row.scheme())
    }),
    Field::text(
        "nid",
        "namespace identifier of a URN, RFC 8141 section 2.1",
        |row| Value::text(row.nid),
    ),
    Field::text("host", "RFC 3986 section 3.2.2", |row| {
        Value::text(row.host())
    }),
    Field::text("port", "RFC 3986 section 3.2.3", |row| {
        Value::text(row.port())
    }),
    Field::text("path", "RFC 3986 section 3.3", |row| {
        Value::Text(row.path())
    })
    .always(),
    Field::text("query", "RFC 3986 section 3.4", |row| {
        Value::text(row.query())
    }),
    Field::text("fragment", "RFC 3986 section 3.5", |row| {
        Value::text(row.fragment())
    }),
    Field::text("file", "name of the input", |row| Value::Text(row.name)).always(),
    Field::text(
        "file_b64",
        "the same in Base64, when it is not UTF-8",
        |row| Value::no_utf8(Some(row.name)),
    ),
    Field::text(
        "member",
        "name of the member of an archive that holds it; offset and line are then of the member",
        |row| Value::text(row.context().member),
    )
    .round(1),
    Field::text(
        "member_b64",
        "the same in Base64, when it is not UTF-8",
        |row| Value::no_utf8(row.context().member),
    )
    .round(1),
    Field::number("line", "line in the input, from 1", |row| {
        Value::number(row.finding.place.map(|place| place.line))
    }),
    Field::number(
        "column",
        "bytes from the start of the line, from 1",
        |row| Value::number(row.finding.place.map(|place| place.column)),
    ),
    Field::number(
        "offset",
        "raw bytes from the start of the input to the scheme",
        |row| Value::Number(row.finding.offset),
    )
    .always(),
    Field::number(
        "length",
        "raw bytes from the scheme to the end of the URI",
        |row| Value::Number(row.finding.length),
    )
    .always(),
    Field::text(
        "wrapper",
        "angle, dquote, quote, paren, bracket, brace, attr, field or none",
        |row| Value::Text(row.finding.marks.wrapper.name().as_bytes()),
    )
    .always(),
    Field::flag(
        "url_prefix",
        "a URL: or URI: prefix stood before it",
        |row| Value::flag(row.finding.marks.url_prefix),
    ),
    Field::number("wrapped", "line breaks removed from inside it", |row| {
        Value::some_number(u64::from(row.finding.marks.wrapped))
    }),
    Field::flag(
        "hyphen_break",
        "a hyphen stood before one of these line breaks",
        |row| Value::flag(row.finding.marks.hyphen_break),
    ),
    Field::text(
        "alternative",
        "the canonical form of the other spelling of the same place, with or without these hyphens",
        |row| Value::text(row.finding.alternative),
    ),
    Field::number("count", "occurrences of its class", |row| {
        Value::number(row.finding.count)
    }),
    Field::new(
        "problems",
        Kind::Problems,
        "codes of what is wrong with it",
        |row| match row.finding.marks.problems {
            none if none.is_empty() => Value::Absent,
            problems => Value::Problems(problems),
        },
    ),
    Field::number(
        "warc.offset",
        "where its record begins in the web archive as it is stored; offset and line are of the record's block",
        |row| Value::number(row.context().warc.map(|warc| warc.offset)),
    ),
    Field::text("warc.record_id", "WARC-Record-ID", |row| {
        Value::some_text(row.context().warc.unwrap_or_default().record_id)
    }),
    Field::text("warc.type", "WARC-Type", |row| {
        Value::some_text(row.context().warc.unwrap_or_default().kind)
    }),
    Field::text(
        "warc.date",
        "WARC-Date, or the date of an ARC record",
        |row| Value::some_text(row.context().warc.unwrap_or_default().date),
    ),
    Field::text(
        "warc.target_uri",
        "WARC-Target-URI, or the URL of an ARC record",
        |row| Value::some_text(row.context().warc.unwrap_or_default().target_uri),
    ),
    Field::text("header", "name of the header field, in lower case", |row| {
        Value::text(row.context().header)
    })
    .round(1),
    Field::new(
        "spellings",
        Kind::Spellings,
        "the spellings of its class, most frequent first, with the steps that make each equal",
        |row| match row.spellings {
            [] => Value::Absent,
            spellings => Value::Spellings(spellings),
        },
    ),
];

/// What the objects of JSON say that have the fields with a dot.
pub(super) const OBJECTS: [(&str, &str); 1] = [(
    "warc",
    "the record of a web archive that holds it; offset and line are then of its block",
)];

/// The columns of tables: all fields but lists of objects, in the order in which
/// they were added.
pub(super) static COLUMNS: LazyLock<Vec<&Field>> = LazyLock::new(|| {
    let fields = FIELDS.iter().filter(|field| field.kind != Kind::Spellings);
    let mut columns: Vec<&Field> = fields.collect();
    columns.sort_by_key(|field| field.round);
    columns
});
