//! `parse`: the components of a URI, or of each URI of a column, and what is wrong with it.

use crate::arrow::arrays::{Column, Rows};
use crate::arrow::batches::chosen;
use crate::arrow::export::answer;
use crate::arrow::filling::{self, Filling};
use crate::arrow::text_type::TextType;
use crate::arrow::values;
use crate::calls::normalize::{NoUri, Normalizer};
use crate::running::{SHORT_ROWS, in_parts, interruptible};
use crate::settings::given::wrong_value;
use crate::settings::options::{OF_CLASSES, OF_EXCHANGES, OF_INPUTS, Options};
use crate::text::{Text, TextForm};
use arrow_array::{ArrayRef, StructArray, new_empty_array};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::{DataType, Field, Fields};
use pyo3::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use urisieve::item::Finding;
use urisieve::output::{self, FIELDS, FieldValue, FieldValues};
use urisieve::problems_of;

/// The rows after which cancellation is checked.
const ROWS: usize = 1 << 12;

/// The fields of a URI that is not in a text.
const KNOWN: [&str; 11] = [
    "uri", "original", "kind", "scheme", "nid", "host", "port", "path", "query", "fragment",
    "problems",
];

/// The fields of a URI by default: all but that as written, which the caller has.
fn is_default(name: &str) -> bool {
    name != "original"
}

/// The components of many URIs.
struct Parsed {
    columns: Vec<Filling>,
    nulls: NullBufferBuilder,
}

/// What is asked of URIs.
struct Wanted<'o> {
    options: &'o Options,
    fields: Vec<&'static output::Field>,
    texts: TextType,
}

/// Parses `x`, a text or a column.
pub(crate) fn parse(
    options: &Options,
    x: &Bound<'_, PyAny>,
    named: Option<&[String]>,
) -> PyResult<Py<PyAny>> {
    let py = x.py();
    for names in [&OF_INPUTS[..], &OF_EXCHANGES, &OF_CLASSES] {
        options.reject("parse", names)?;
    }
    let known = FIELDS.iter().filter(|field| KNOWN.contains(&field.name));
    let known: Vec<&output::Field> = known.collect();
    let fields = match named {
        Some([]) => return Err(wrong_value("fields", "at least one")),
        Some(named) => chosen(&known, named)?,
        None => known
            .into_iter()
            .filter(|field| is_default(field.name))
            .collect(),
    };
    let mut wanted = Wanted {
        options,
        fields,
        texts: TextType::String,
    };
    if let Some(text) = Text::of(x)? {
        if text.form == TextForm::Bytes {
            wanted.texts = TextType::Binary;
        }
        let mut parsed = wanted.empty();
        let mut normalizer = wanted.normalizer()?;
        parsed.push(&wanted, &mut normalizer, Some(text.bytes()?));
        return Ok(values::value(py, &wanted.finish(parsed)?, 0)?.unbind());
    }
    let column = Column::or_text(x, "x")?;
    wanted.texts = column.texts;
    let normalizer = wanted.normalizer()?;
    let threads = options.threads.unwrap_or(1);
    let arrays = column.chunks.iter().map(|rows| {
        rows.answer(|rows| {
            let cancel = AtomicBool::new(false);
            let size = rows.bytes() + 128 * rows.len();
            let parsed = interruptible(py, size, &cancel, || {
                let part = |part| wanted.part(rows, part, normalizer.clone(), &cancel);
                let mut all = wanted.empty();
                in_parts(rows.len(), threads, SHORT_ROWS, part).for_each(|part| all.append(part));
                all
            })?;
            py.detach(|| wanted.finish(parsed))
        })
    });
    let arrays = arrays.collect::<PyResult<Vec<_>>>()?;
    let kind = DataType::Struct(wanted.columns());
    answer(py, kind, arrays, column.chunked)
}

impl Wanted<'_> {
    fn normalizer(&self) -> PyResult<Normalizer> {
        Normalizer::new(self.options, NoUri::Null, "", false)
    }

    fn columns(&self) -> Fields {
        let columns = self.fields.iter().map(|field| {
            // A text that is not a URI has no component.
            let column = filling::column(field, self.texts);
            Field::new(field.name, column.data_type().clone(), true)
        });
        columns.collect()
    }

    fn empty(&self) -> Parsed {
        let columns = self.fields.iter();
        Parsed {
            columns: columns
                .map(|field| Filling::of(field, self.texts))
                .collect(),
            nulls: NullBufferBuilder::new(0),
        }
    }

    fn part(
        &self,
        rows: &Rows,
        part: Range<usize>,
        mut normalizer: Normalizer,
        cancel: &AtomicBool,
    ) -> Parsed {
        let mut parsed = self.empty();
        for at in part {
            if at % ROWS == 0 && cancel.load(Ordering::Relaxed) {
                break;
            }
            parsed.push(self, &mut normalizer, rows.get(at));
        }
        parsed
    }

    fn finish(&self, mut parsed: Parsed) -> PyResult<ArrayRef> {
        let columns = parsed.columns.into_iter().map(Filling::finish);
        let columns = columns.collect::<PyResult<Vec<_>>>()?;
        let kind = self.columns();
        match StructArray::try_new(kind.clone(), columns, parsed.nulls.finish()) {
            Ok(parsed) => Ok(Arc::new(parsed)),
            // Only without rows there is no column of the right length.
            Err(_) => Ok(new_empty_array(&DataType::Struct(kind))),
        }
    }
}

impl Parsed {
    fn push(&mut self, wanted: &Wanted<'_>, normalizer: &mut Normalizer, text: Option<&[u8]>) {
        self.nulls.append(text.is_some());
        let text = text.map(<[u8]>::trim_ascii);
        let columns = wanted.fields.iter().zip(&mut self.columns);
        let uri = text.and_then(|text| normalizer.of(text));
        let Some(uri) = uri else {
            let problems = text.map(problems_of);
            for (field, column) in columns {
                column.push(match (field.name, problems, text) {
                    ("problems", Some(problems), _) => FieldValue::Problems(problems),
                    ("original", _, Some(text)) => FieldValue::Text(text),
                    _ => FieldValue::Absent,
                });
            }
            return;
        };
        let mut finding = Finding::new(uri);
        finding.original = text.unwrap_or_default();
        finding.marks.problems = problems_of(finding.original);
        let values = FieldValues::new(&finding, b"");
        for (field, column) in columns {
            column.push(values.get(field));
        }
    }

    fn append(&mut self, mut other: Parsed) {
        for (column, more) in self.columns.iter_mut().zip(other.columns) {
            column.append(more);
        }
        let rows = other.nulls.len();
        match other.nulls.finish() {
            Some(nulls) => self.nulls.append_buffer(&nulls),
            None => self.nulls.append_n_non_nulls(rows),
        }
    }
}
