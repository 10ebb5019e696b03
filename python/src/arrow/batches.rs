//! Record batches: the columns of `--json`, of links, or of counted parts, filled finding by
//! finding.

use crate::arrow::columns::Texts;
use crate::arrow::filling::{self, Filling};
use crate::arrow::text_type::TextType;
use crate::settings::given::wrong_value;
use arrow_array::RecordBatch;
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{ArrowError, DataType, Field, Schema, SchemaRef};
use pyo3::PyResult;
use std::sync::Arc;
use urisieve::item::Finding;
use urisieve::output::{self, FIELDS, FieldKind, FieldValue, FieldValues, LinkFields};

/// The most rows of a batch.
const ROWS: usize = 1 << 14;
/// The most bytes of text of a batch, except for its last row.
const BYTES: usize = 8 << 20;

/// The table that a run fills.
pub(crate) enum Shape {
    /// Findings, with the fields of `--json`.
    Findings,
    Links(LinkFields),
    /// Parts of URIs under this name, and counts.
    Parts(&'static str),
}

/// A table that is being filled.
pub(crate) struct Batches {
    schema: SchemaRef,
    fields: Vec<&'static output::Field>,
    columns: Vec<Filling>,
    rows: usize,
    /// The bytes of text in the rows.
    bytes: usize,
    is_parts: bool,
    /// The fields of weighted edges.
    weights: Option<LinkFields>,
}

/// The type of the texts.
const TEXTS: TextType = TextType::String;

impl Batches {
    /// Returns a table with the columns of `shape`, or only the `named` ones, in that
    /// order.
    ///
    /// # Errors
    /// `ValueError` for an empty list, for a name that the shape lacks, and for a
    /// repeated name.
    pub(crate) fn new(shape: Shape, named: Option<&[String]>) -> PyResult<Batches> {
        let is_parts = matches!(shape, Shape::Parts(_));
        let mut fields: Vec<&'static output::Field> = match shape {
            Shape::Findings => FIELDS
                .iter()
                .filter(|field| field.kind != FieldKind::Spellings)
                .collect(),
            Shape::Links(fields) => fields.fields().collect(),
            Shape::Parts(_) => Vec::new(),
        };
        match named {
            Some(_) if is_parts => return Err(wrong_value("fields", "not with by")),
            Some([]) => return Err(wrong_value("fields", "at least one")),
            Some(named) => fields = chosen(&fields, named)?,
            None => {}
        }
        let columns: Vec<Field> = match shape {
            Shape::Parts(name) => vec![
                Field::new(name, DataType::Utf8, true),
                Field::new("count", DataType::Int64, false),
            ],
            _ => fields
                .iter()
                .map(|field| filling::column(field, TEXTS))
                .collect(),
        };
        let mut batches = Batches {
            schema: Arc::new(Schema::new(columns)),
            fields,
            columns: Vec::new(),
            rows: 0,
            bytes: 0,
            is_parts,
            weights: match shape {
                Shape::Links(fields) if fields.weights => Some(fields),
                _ => None,
            },
        };
        batches.clear();
        Ok(batches)
    }

    pub(crate) fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn clear(&mut self) {
        self.columns = match self.is_parts {
            true => vec![
                Filling::Text(Texts::default(), TEXTS),
                Filling::Number(Vec::new(), NullBufferBuilder::new(0)),
            ],
            false => {
                let fields = self.fields.iter();
                fields.map(|field| Filling::of(field, TEXTS)).collect()
            }
        };
        (self.rows, self.bytes) = (0, 0);
    }

    /// Appends a row; `name` is the name of the input.
    pub(crate) fn push(&mut self, finding: &Finding, name: &[u8]) {
        self.rows += 1;
        if self.is_parts {
            let part = match self.counts_inputs() {
                true => name,
                false => finding.uri,
            };
            let part = match part {
                [] => FieldValue::Absent,
                part => FieldValue::Text(part),
            };
            self.bytes += self.columns[0].push(part);
            self.columns[1].push(FieldValue::Number(finding.count.unwrap_or_default()));
            return;
        }
        let edge = self.weights.map(|fields| fields.marked(finding));
        let values = FieldValues::new(edge.as_ref().unwrap_or(finding), name);
        for (field, column) in self.fields.iter().zip(&mut self.columns) {
            self.bytes += column.push(values.get(field));
        }
    }

    /// Whether rows are inputs and how much is in each.
    pub(crate) fn counts_inputs(&self) -> bool {
        self.is_parts && self.schema.field(0).name() == "file"
    }

    pub(crate) fn is_full(&self) -> bool {
        self.rows >= ROWS || self.bytes >= BYTES
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    /// Returns the rows so far as a batch, and begins the next one.
    pub(crate) fn take(&mut self) -> Result<RecordBatch, String> {
        let columns = std::mem::take(&mut self.columns);
        self.clear();
        let columns = columns
            .into_iter()
            .map(Filling::finish)
            .collect::<PyResult<Vec<_>>>();
        let columns = columns.map_err(|error| error.to_string())?;
        let batch = RecordBatch::try_new(self.schema(), columns);
        batch.map_err(|error: ArrowError| error.to_string())
    }
}

/// Returns the `named` ones of `fields`, in the order of the names.
///
/// # Errors
/// `ValueError` for another name, and for a repeated one.
pub(crate) fn chosen(
    fields: &[&'static output::Field],
    named: &[String],
) -> PyResult<Vec<&'static output::Field>> {
    let mut chosen: Vec<&output::Field> = Vec::new();
    for name in named {
        let Some(field) = fields.iter().find(|field| field.name == name) else {
            let known: Vec<&str> = fields.iter().map(|field| field.name).collect();
            let why = format!("{name:?} is not one of {}", known.join(", "));
            return Err(wrong_value("fields", &why));
        };
        if chosen.iter().any(|before| before.name == name) {
            return Err(wrong_value("fields", &format!("{name:?} is there twice")));
        }
        chosen.push(field);
    }
    Ok(chosen)
}
