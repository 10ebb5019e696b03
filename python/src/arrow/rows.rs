//! The URIs that are found in the rows of a column: for each row a list of structures, whose
//! fields are some of those of `--json`.

use crate::arrow::batches::chosen;
use crate::arrow::columns::Texts;
use crate::arrow::filling::{self, Filling};
use crate::arrow::offsets::Offsets;
use crate::arrow::part::Part;
use crate::arrow::text_type::TextType;
use crate::settings::given::wrong_value;
use ahash::RandomState;
use arrow_array::{ArrayRef, ListArray, StructArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType, Field, Fields};
use pyo3::prelude::*;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;
use urisieve::item::Finding;
use urisieve::output::{self, FIELDS, FieldKind, FieldValues};
use urisieve::syntax::Kind;

/// Below this number of URIs in a row, each is compared with all before it.
const FEW: usize = 8;

/// The fields of a URI in a row.
const DEFAULT: [&str; 5] = ["uri", "original", "offset", "length", "kind"];

/// The fields of the request in whose line a URI is.
const REQUEST: [&str; 5] = [
    "request.part",
    "request.method",
    "request.status",
    "request.time",
    "request.client",
];

/// The fields that a row has no value for, or the prefixes of their names.
const OF_INPUTS: [&str; 9] = [
    "file",
    "member",
    "line",
    "column",
    "count",
    "first_seen",
    "last_seen",
    "sources",
    "warc.",
];

/// How the value of a field is taken from a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Taken {
    Uri,
    Original,
    Offset,
    Length,
    Kind,
    Otherwise,
}

/// The fields of the URIs in rows, and the type of the rows.
#[derive(Clone)]
pub(crate) struct RowFields {
    fields: Vec<(Taken, &'static output::Field)>,
    texts: TextType,
}

impl RowFields {
    /// Returns the `named` fields, or those that rows have by default, with those of requests
    /// where they are read as `logs`.
    ///
    /// # Errors
    /// `ValueError` for no names, a name that is no field of rows, and a repeated name.
    pub(crate) fn new(
        named: Option<&[String]>,
        texts: TextType,
        logs: bool,
    ) -> PyResult<RowFields> {
        let names = DEFAULT.iter().chain(REQUEST.iter().filter(|_| logs));
        let default: Vec<String> = names.map(|name| (*name).to_owned()).collect();
        let named = named.unwrap_or(&default);
        if named.is_empty() {
            return Err(wrong_value("fields", "at least one"));
        }
        let known: Vec<&output::Field> = FIELDS.iter().filter(|field| is_of_rows(field)).collect();
        let fields = chosen(&known, named)?.into_iter().map(|field| {
            let taken = match field.name {
                "uri" => Taken::Uri,
                "original" => Taken::Original,
                "offset" => Taken::Offset,
                "length" => Taken::Length,
                "kind" => Taken::Kind,
                _ => Taken::Otherwise,
            };
            (taken, field)
        });
        Ok(RowFields {
            fields: fields.collect(),
            texts,
        })
    }

    /// Whether a field is one of the request in whose line a URI is.
    pub(crate) fn has_requests(&self) -> bool {
        self.fields
            .iter()
            .any(|(_, field)| field.name.starts_with("request."))
    }

    /// Whether a field has the entries that match.
    pub(crate) fn has_matches(&self) -> bool {
        let mut fields = self.fields.iter();
        fields.any(|(_, field)| field.name.starts_with("match"))
    }

    /// Whether a URI as written is needed.
    pub(crate) fn has_originals(&self) -> bool {
        self.fields
            .iter()
            .any(|(_, field)| field.name.starts_with("original"))
    }

    fn fields(&self) -> Fields {
        let columns = self.fields.iter();
        columns
            .map(|(_, field)| filling::column(field, self.texts))
            .collect()
    }

    fn item(&self) -> Field {
        Field::new("item", DataType::Struct(self.fields()), true)
    }

    /// Returns the type of the lists.
    pub(crate) fn list_type(&self) -> DataType {
        DataType::List(Arc::new(self.item()))
    }
}

/// Whether a URI in a text of a row may have a value for `field`.
fn is_of_rows(field: &output::Field) -> bool {
    field.kind != FieldKind::Spellings && !OF_INPUTS.iter().any(|name| field.name.starts_with(name))
}

/// The URIs of the rows so far.
pub(crate) struct FoundRows {
    fields: RowFields,
    /// The canonical forms: by them a URI of a row is known again.
    uri: Texts,
    /// The values of the fields; empty for that of `uri`.
    columns: Vec<Filling>,
    /// The URIs of each row that is complete.
    rows: Offsets,
    /// Each URI of a row is kept once.
    distinct: bool,
    row: RowKeys,
    /// The number of rows after which memory is reserved, and the part of the bytes that they have.
    sample: Option<(usize, Part)>,
    /// The number of rows that could not be searched.
    pub failed: u64,
}

/// Which URIs the current row has.
#[derive(Default)]
pub(crate) struct RowKeys {
    /// The first URI with each hash, once there are many.
    many: HashMap<u64, usize, RandomState>,
    hasher: RandomState,
}

impl FoundRows {
    pub(crate) fn new(fields: &RowFields, distinct: bool) -> FoundRows {
        let columns = fields.fields.iter();
        FoundRows {
            uri: Texts::default(),
            columns: columns
                .map(|(_, field)| Filling::of(field, fields.texts))
                .collect(),
            fields: fields.clone(),
            rows: Offsets::default(),
            distinct,
            row: RowKeys::default(),
            sample: None,
            failed: 0,
        }
    }

    /// Reserves memory once there are so many `rows`, for as many URIs as these let expect:
    /// they have a part of all bytes.
    pub(crate) fn reserve_after(&mut self, rows: usize, bytes: Part) {
        self.sample = Some((rows, bytes));
    }

    /// Adds a URI of the row that is its input.
    pub(crate) fn push(&mut self, finding: &Finding) {
        if finding.input != self.rows.len() {
            self.end_rows(finding.input);
        }
        let first = self.rows.end();
        if self.distinct && !self.row.insert(finding.uri, &self.uri, first) {
            return;
        }
        self.uri.push(finding.uri);
        for ((taken, field), column) in self.fields.fields.iter().zip(&mut self.columns) {
            match taken {
                Taken::Uri => {}
                Taken::Original => column.push_text(finding.original),
                Taken::Offset => column.push_number(finding.offset),
                Taken::Length => column.push_number(finding.length),
                Taken::Kind => column.push_text(Kind::of(finding.uri).name().as_bytes()),
                Taken::Otherwise => {
                    column.push(FieldValues::new(finding, b"").get(field));
                }
            }
        }
    }

    /// Ends the rows before `row`.
    pub(crate) fn end_rows(&mut self, row: usize) {
        self.rows.extend_to(row, self.uri.len());
        self.row.clear();
        if let Some((_, part)) = self.sample.take_if(|(rows, _)| *rows <= row) {
            self.uri.reserve(part);
            self.columns
                .iter_mut()
                .for_each(|column| column.reserve(part));
        }
    }

    /// Appends the rows of `other`.
    pub(crate) fn append(&mut self, other: FoundRows) {
        if self.rows.len() == 0 {
            *self = other;
            return;
        }
        self.failed += other.failed;
        self.rows.append(&other.rows);
        self.uri.append(other.uri);
        for (column, more) in self.columns.iter_mut().zip(other.columns) {
            column.append(more);
        }
    }

    /// Returns the lists of all rows, some of which are null.
    ///
    /// # Errors
    /// `ValueError`, when they are more than such an array can have.
    pub(crate) fn finish(self, mut nulls: NullBufferBuilder) -> PyResult<ArrayRef> {
        let RowFields { fields, texts } = &self.fields;
        let item = Arc::new(self.fields.item());
        let mut uri = Some(self.uri);
        let columns = fields.iter().zip(self.columns);
        let columns = columns.map(|((taken, _), column)| match taken {
            Taken::Uri => uri.take().unwrap_or_default().finish(*texts),
            _ => column.finish(),
        });
        let columns = columns.collect::<PyResult<Vec<_>>>()?;
        let values = StructArray::new(self.fields.fields(), columns, None);
        let list = ListArray::new(item, self.rows.finish()?, Arc::new(values), nulls.finish());
        Ok(Arc::new(list))
    }
}

impl RowKeys {
    pub(crate) fn clear(&mut self) {
        self.many.clear();
    }

    /// Returns whether `uri` is new among `uris` from the number `first` on, which are those of
    /// the row. The caller appends it then.
    pub(crate) fn insert(&mut self, uri: &[u8], uris: &Texts, first: usize) -> bool {
        let mut known = first..uris.len();
        if known.len() < FEW {
            return !known.any(|at| uris.get(at) == uri);
        }
        if self.many.is_empty() {
            for at in known.clone() {
                let hash = self.hasher.hash_one(uris.get(at));
                self.many.entry(hash).or_insert(at);
            }
        }
        let hash = self.hasher.hash_one(uri);
        match self.many.entry(hash) {
            Entry::Vacant(entry) => {
                entry.insert(uris.len());
                true
            }
            Entry::Occupied(entry) if uris.get(*entry.get()) == uri => false,
            // Two URIs have one hash.
            Entry::Occupied(_) => !known.any(|at| uris.get(at) == uri),
        }
    }
}
