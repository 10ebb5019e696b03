//! The fields of a record in one table: their names, types and meanings, and how their
//! values are taken from a finding. Every form with names uses this table, so a field
//! that is added here is added to all forms.

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
    /// The name, which is also that of a column. A name with a dot is nested in an
    /// object in JSON.
    pub name: &'static str,
    /// The type of the value.
    pub kind: FieldKind,
    /// Whether every record has it.
    pub always: bool,
    /// The description.
    pub meaning: &'static str,
    /// Returns the value for a row.
    pub(super) value: for<'r> fn(&Row<'r>) -> Value<'r>,
    /// The object that contains it in JSON, and its key there.
    pub(super) path: (Option<&'static str>, &'static str),
    /// Only a finding with a context has it.
    pub(super) of_context: bool,
    /// The round in which its column was added.
    round: u8,
    /// Whether values often repeat, so that a dictionary shortens a column.
    #[cfg_attr(not(feature = "parquet"), allow(dead_code))]
    pub(super) repeats: bool,
}

/// The type of the value of a [`Field`].
///
/// ```
/// use urisieve::output::{FIELDS, FieldKind};
/// let offset = FIELDS.iter().find(|field| field.name == "offset").unwrap();
/// assert_eq!(offset.kind, FieldKind::Number);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FieldKind {
    /// A string.
    Text,
    /// A number, not negative.
    Number,
    /// `true`; the field is absent otherwise.
    Flag,
    /// A list of problem codes.
    Problems,
    /// A list of strings.
    Texts,
    /// A list of objects with `original` (or `original_b64`), `count` and, where there
    /// are any, `steps`: objects with `name` and `section`. Only JSON has this type; in
    /// tables each spelling has a row.
    Spellings,
}

impl Field {
    pub(super) const fn new(
        name: &'static str,
        kind: FieldKind,
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
            of_context: false,
            round: 0,
            repeats: true,
        }
    }

    pub(super) const fn text(
        name: &'static str,
        meaning: &'static str,
        value: for<'r> fn(&Row<'r>) -> Value<'r>,
    ) -> Field {
        Field::new(name, FieldKind::Text, meaning, value)
    }

    pub(super) const fn number(
        name: &'static str,
        meaning: &'static str,
        value: for<'r> fn(&Row<'r>) -> Value<'r>,
    ) -> Field {
        Field::new(name, FieldKind::Number, meaning, value)
    }

    pub(super) const fn flag(
        name: &'static str,
        meaning: &'static str,
        value: for<'r> fn(&Row<'r>) -> Value<'r>,
    ) -> Field {
        Field::new(name, FieldKind::Flag, meaning, value)
    }

    /// Marks a field that every record has.
    pub(super) const fn always(self) -> Field {
        Field {
            always: true,
            ..self
        }
    }

    /// Marks a field whose values seldom repeat.
    pub(super) const fn seldom(self) -> Field {
        Field {
            repeats: false,
            ..self
        }
    }

    /// Marks a field that only a finding with a context has.
    const fn of_context(self) -> Field {
        Field {
            of_context: true,
            ..self
        }
    }

    /// Sets the round: columns come after those of earlier rounds, so that the columns
    /// of earlier versions keep their numbers.
    const fn round(self, round: u8) -> Field {
        Field { round, ..self }
    }
}

/// Splits a name at its dot, if there is one.
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

// The fields of the record of a web archive, which links also have.
pub(super) const WARC_RECORD_ID: Field = Field::text("warc.record_id", "WARC-Record-ID", |row| {
    Value::some_text(row.context().warc.unwrap_or_default().record_id)
})
.of_context();
pub(super) const WARC_TYPE: Field = Field::text("warc.type", "WARC-Type", |row| {
    Value::some_text(row.context().warc.unwrap_or_default().kind)
})
.of_context();
pub(super) const WARC_DATE: Field = Field::text(
    "warc.date",
    "WARC-Date, or the date of an ARC record",
    |row| Value::some_text(row.context().warc.unwrap_or_default().date),
)
.of_context();
pub(super) const WARC_TARGET_URI: Field = Field::text(
    "warc.target_uri",
    "WARC-Target-URI, or the URL of an ARC record",
    |row| Value::some_text(row.context().warc.unwrap_or_default().target_uri),
)
.of_context();

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
    )
    .seldom(),
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
        "url (has an authority), urn (has a namespace) or uri; host, ip or email without a scheme",
        |row| Value::Text(row.kind().as_bytes()),
    )
    .always(),
    Field::text("scheme", "RFC 3986 section 3.1", |row| {
        Value::text(row.scheme())
    }),
    Field::text(
        "nid",
        "namespace identifier of a URN, RFC 8141 section 2.1",
        |row| Value::text(row.nid()),
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
    })
    .seldom(),
    Field::text("file", "name of the input", |row| Value::Text(row.name)).always(),
    Field::text(
        "file_b64",
        "the same in Base64, when it is not UTF-8",
        |row| Value::no_utf8(Some(row.name)),
    ),
    Field::text(
        "member",
        "name of the member of an archive that contains it; offset and line then count in the member",
        |row| Value::text(row.context().member),
    ).of_context()
    .round(1),
    Field::text(
        "member_b64",
        "the same in Base64, when it is not UTF-8",
        |row| Value::no_utf8(row.context().member),
    ).of_context()
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
        "a URL: or URI: prefix is before it",
        |row| Value::flag(row.finding.marks.url_prefix),
    ),
    Field::flag(
        "refanged",
        "marks of defanging were undone",
        |row| Value::flag(row.finding.marks.refanged),
    )
    .round(6),
    Field::flag(
        "given_scheme",
        "the scheme was added: it was written without one",
        |row| {
            let marks = &row.finding.marks;
            Value::flag(marks.given_scheme || marks.abbreviated)
        },
    )
    .round(6),
    Field::number("wrapped", "line breaks removed from it", |row| {
        Value::some_number(u64::from(row.finding.marks.wrapped))
    }),
    Field::flag(
        "hyphen_break",
        "a hyphen is before one of these line breaks",
        |row| Value::flag(row.finding.marks.hyphen_break),
    ),
    Field::text(
        "alternative",
        "the canonical form of the alternative spelling, with or without these hyphens",
        |row| Value::text(row.finding.alternative),
    )
    .seldom(),
    Field::new(
        "gateway",
        FieldKind::Texts,
        "the gateways around it that were unwrapped, the outermost first",
        |row| row.finding.gateway.map_or(Value::Absent, Value::Words),
    )
    .round(6),
    Field::text(
        "nested_in",
        "the canonical form of the URI in the text that it stands inside",
        |row| Value::text(row.finding.nested_in),
    )
    .round(6),
    Field::text(
        "nested_by",
        "how it stands there: plain, percent or base64",
        |row| {
            let by = row.finding.marks.nested_by;
            Value::text(by.map(|by| by.name().as_bytes()))
        },
    )
    .round(6),
    Field::number("count", "occurrences of its class", |row| {
        Value::number(row.finding.count)
    }),
    Field::text(
        "first_seen",
        "first time that a line or record of its class states, RFC 3339",
        |row| Value::time(row.finding.first_seen),
    )
    .round(4),
    Field::text(
        "last_seen",
        "last time that a line or record of its class states, RFC 3339",
        |row| Value::time(row.finding.last_seen),
    )
    .round(4),
    Field::number("sources", "inputs that have its class", |row| {
        Value::number(row.finding.sources)
    })
    .round(6),
    Field::new(
        "problems",
        FieldKind::Problems,
        "codes of its problems",
        |row| match row.finding.marks.problems {
            none if none.is_empty() => Value::Absent,
            problems => Value::Problems(problems),
        },
    ),
    Field::new(
        "match",
        FieldKind::Texts,
        "the entries of lists that match it, as written",
        |row| row.context().matched.map_or(Value::Absent, Value::Entries),
    ).of_context()
    .round(6),
    Field::new(
        "match_list",
        FieldKind::Texts,
        "the list and the line of each of these",
        |row| {
            let matched = row.context().matched;
            matched.map_or(Value::Absent, Value::EntryPlaces)
        },
    ).of_context()
    .round(6),
    Field::number(
        "warc.offset",
        "offset of its record in the stored web archive; offset and line count in the record's block",
        |row| Value::number(row.context().warc.map(|warc| warc.offset)),
    ).of_context(),
    WARC_RECORD_ID,
    WARC_TYPE,
    WARC_DATE,
    WARC_TARGET_URI,
    Field::text(
        "part",
        "part of the mail, numbered as in RFC 9051 section 6.4.5: 2.1 is the first part of the second",
        |row| Value::text(row.context().part),
    ).of_context()
    .round(5),
    Field::text("message_id", "Message-ID of the mail", |row| {
        Value::text(row.context().message_id)
    }).of_context()
    .round(5),
    Field::text(
        "header",
        "name of the header field: of HTTP in lower case, of mail as written",
        |row| Value::text(row.context().header),
    ).of_context()
    .round(1),
    Field::text(
        "link.path",
        "element and attribute in markup: A@/href, #text, #script",
        |row| Value::some_text(row.context().link.unwrap_or_default().path),
    ).of_context()
    .round(2),
    Field::text("link.rel", "value of its rel", |row| {
        Value::some_text(row.context().link.unwrap_or_default().rel)
    }).of_context()
    .round(2),
    Field::flag(
        "link.nofollow",
        "the page asks that the link is not followed",
        |row| Value::flag(row.context().link.is_some_and(|link| link.nofollow)),
    ).of_context()
    .round(2),
    Field::text(
        "pointer",
        "the value in JSON, as a JSON Pointer (RFC 6901)",
        |row| Value::text(row.context().pointer),
    ).of_context()
    .round(2),
    Field::number(
        "row",
        "the record of a table, from 1; the header counts",
        |row| Value::number(row.context().row),
    ).of_context()
    .round(5),
    Field::text(
        "field",
        "the name of the column of a table, or its number",
        |row| Value::text(row.context().field),
    ).of_context()
    .round(5),
    Field::number("marc.record_no", "number of its record, from 1", |row| {
        Value::number(row.context().marc.map(|marc| marc.record_no))
    }).of_context()
    .round(3),
    Field::text("marc.record_id", "control number of its record", |row| {
        Value::some_text(row.context().marc.unwrap_or_default().record_id)
    }).of_context()
    .round(3),
    Field::text("marc.title", "title of its record", |row| {
        Value::some_text(row.context().marc.unwrap_or_default().title)
    }).of_context()
    .round(3),
    Field::text("marc.tag", "tag of its field", |row| {
        Value::some_text(row.context().marc.unwrap_or_default().tag)
    }).of_context()
    .round(3),
    Field::text("marc.ind1", "first indicator of its field", |row| {
        Value::some_text(row.context().marc.unwrap_or_default().ind1)
    }).of_context()
    .round(3),
    Field::text("marc.ind2", "second indicator of its field", |row| {
        Value::some_text(row.context().marc.unwrap_or_default().ind2)
    }).of_context()
    .round(3),
    Field::text("marc.subfield", "code of its subfield", |row| {
        Value::some_text(row.context().marc.unwrap_or_default().subfield)
    }).of_context()
    .round(3),
    Field::number(
        "marc.occurrence",
        "number of its field among those of the tag, from 1",
        |row| {
            let marc = row.context().marc;
            Value::number(marc.map(|marc| marc.occurrence).filter(|&number| number > 0))
        },
    ).of_context()
    .round(3),
    Field::number(
        "marc.record_offset",
        "bytes from the start of the input to its record",
        |row| Value::number(row.context().marc.map(|marc| marc.record_offset)),
    ).of_context()
    .round(3),
    Field::text(
        "request.part",
        "target (the URL that was asked for), referer or text",
        |row| {
            let request = row.context().request;
            Value::text(request.map(|request| request.part.name().as_bytes()))
        },
    ).of_context()
    .round(4),
    Field::text("request.method", "method of the request, as written", |row| {
        Value::text(row.exchange().method)
    }).of_context()
    .round(4),
    Field::number("request.status", "status code of the response", |row| {
        Value::number(row.exchange().status.map(u64::from))
    }).of_context()
    .round(4),
    Field::text(
        "request.time",
        "time of the request, RFC 3339, with the offset of the log",
        |row| Value::time(row.exchange().time),
    ).of_context()
    .round(4),
    Field::text(
        "request.client",
        "address or name of the client, without a port",
        |row| Value::text(row.exchange().client),
    ).of_context()
    .round(4),
    Field::new(
        "spellings",
        FieldKind::Spellings,
        "the spellings of its class, most frequent first, with the steps that make each equal",
        |row| match row.spellings {
            [] => Value::Absent,
            spellings => Value::Spellings(spellings),
        },
    ),
];

/// The descriptions of the objects in JSON that contain the fields with a dot.
pub(super) const OBJECTS: [(&str, &str); 4] = [
    (
        "warc",
        "the record of a web archive that contains it; offset and line then count in its block",
    ),
    ("link", "its position in markup"),
    ("marc", "the field of a catalogue record that contains it"),
    ("request", "the request that its line of a log states"),
];

/// The columns of tables: all fields except lists of objects, in the order in which
/// they were added.
pub(super) static COLUMNS: LazyLock<Vec<&Field>> = LazyLock::new(|| {
    let fields = FIELDS
        .iter()
        .filter(|field| field.kind != FieldKind::Spellings);
    let mut columns: Vec<&Field> = fields.collect();
    columns.sort_by_key(|field| field.round);
    columns
});
