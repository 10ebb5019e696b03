//! The kinds of rows that are written, and the fields of each. The writers know no kind.

use super::defang::defang_host;
use super::fields::{COLUMNS, FIELDS, Field};
use super::links::LinkFields;
use super::value::Value;
use crate::item::Finding;

/// A kind of rows: it decides which fields they have.
///
/// ```
/// use urisieve::output::{Csv, Form, LinkFields, RowKind, Separator};
/// let links = RowKind::Links(LinkFields { nodes: true, ..LinkFields::default() });
/// let mut out = Vec::new();
/// Csv::new(Separator::Comma).rows(links).begin(&mut out);
/// assert_eq!(out, b"s,t\n");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum RowKind {
    /// URIs, with the [`FIELDS`].
    #[default]
    Findings,
    /// Links, with the [`LINK_FIELDS`](super::LINK_FIELDS).
    Links(LinkFields),
    /// Parts of URIs, which are in the place of the URI, and their counts.
    Parts(PartFields),
}

/// The fields of rows that count parts of URIs: the part and `count`.
///
/// ```
/// use urisieve::{item::Finding, output::{Form, Json, PartFields, RowKind}};
/// let rows = RowKind::Parts(PartFields { name: "host", ..PartFields::default() });
/// let mut out = Vec::new();
/// for host in [&b"a.example"[..], b""] {
///     Json::default().rows(rows).write(&Finding::new(host), b"f.txt", &mut out);
/// }
/// assert_eq!(out, b"{\"host\":\"a.example\",\"count\":1}\n{\"host\":null,\"count\":1}\n");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PartFields {
    /// The name of the part, which is also that of its column.
    pub name: &'static str,
    /// Whether the name of the input is the part.
    pub of_inputs: bool,
    /// Whether parts are defanged, with `[.]` for every dot. Names of inputs are unchanged.
    pub defang: bool,
}

impl RowKind {
    /// Returns the fields, in the order of JSON.
    pub(super) fn fields(self) -> Vec<Field> {
        match self {
            RowKind::Findings => FIELDS.to_vec(),
            RowKind::Links(links) => links.fields().copied().collect(),
            RowKind::Parts(parts) => vec![
                Field::text(parts.name, "the part", |row| match row.uri() {
                    b"" => Value::Null,
                    part => Value::Text(part),
                })
                .seldom(),
                Field::number("count", "occurrences of the part", |row| {
                    Value::Number(row.finding.count.unwrap_or(1))
                })
                .always(),
            ],
        }
    }

    /// Returns the fields, in the order of columns.
    pub(super) fn columns(self) -> Vec<Field> {
        match self {
            RowKind::Findings => COLUMNS.iter().map(|field| **field).collect(),
            _ => self.fields(),
        }
    }

    /// Whether each spelling of a class may have a row.
    pub(super) fn has_spellings(self) -> bool {
        !matches!(self, RowKind::Links(_))
    }

    /// Calls `write` with the finding as it is in rows of this kind; `name` is the name of
    /// its input.
    pub(super) fn with_finding(self, finding: &Finding, name: &[u8], write: impl FnOnce(&Finding)) {
        match self {
            RowKind::Findings => write(finding),
            RowKind::Links(links) => write(&links.marked(finding)),
            RowKind::Parts(parts) => {
                let mut defanged = Vec::new();
                let uri = match (parts.of_inputs, parts.defang) {
                    (true, _) => name,
                    (false, false) => finding.uri,
                    (false, true) => {
                        defang_host(finding.uri, &mut defanged);
                        &defanged
                    }
                };
                write(&Finding { uri, ..*finding })
            }
        }
    }
}
