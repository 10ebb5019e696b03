//! Calls on two texts, of which each may be a column: `resolve` and `equivalent`.

use crate::arrow::arrays::{Column, Rows};
use crate::arrow::columns::Texts;
use crate::arrow::export::answer;
use crate::arrow::text_type::TextType;
use crate::calls::normalize::Normalizer;
use crate::running::interruptible;
use crate::settings::given::wrong_value;
use crate::text::{Text, TextForm};
use arrow_array::{ArrayRef, BooleanArray};
use arrow_schema::DataType;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use urisieve::syntax::class::is_boundary;
use urisieve::syntax::resolve::{self as resolving, Rules};

/// The rows after which cancellation is checked.
const ROWS: usize = 1 << 12;

/// An argument: a text, which is that of every row, or a column.
enum Operand {
    Text(Vec<u8>, TextForm),
    Column(Column),
}

impl Operand {
    /// Returns the argument `name`.
    ///
    /// # Errors
    /// `TypeError`, when it is neither a text nor a column.
    fn of(object: &Bound<'_, PyAny>, name: &str) -> PyResult<Operand> {
        Ok(match Text::of(object)? {
            Some(text) => Operand::Text(text.bytes()?.to_vec(), text.form),
            None => Operand::Column(Column::or_text(object, name)?),
        })
    }

    fn column(&self) -> Option<&Column> {
        match self {
            Operand::Text(..) => None,
            Operand::Column(column) => Some(column),
        }
    }

    /// Returns all rows; those of a text have no end.
    fn rows(&self) -> Box<dyn Iterator<Item = Option<&[u8]>> + Send + '_> {
        match self {
            Operand::Text(text, _) => Box::new(std::iter::repeat(Some(&text[..]))),
            Operand::Column(column) => Box::new(column.rows()),
        }
    }
}

/// Two arguments, of which one is a column.
struct Pair<'p> {
    names: [&'p str; 2],
    operands: [&'p Operand; 2],
    /// The column whose chunks the answer has.
    column: &'p Column,
}

type PairOfRows<'r> = (Option<&'r [u8]>, Option<&'r [u8]>);

impl Pair<'_> {
    /// Returns the array of each chunk, which `work` makes of the number of the first row and of
    /// the rows.
    fn answers<T: Send>(
        &self,
        py: Python<'_>,
        mut work: impl FnMut(usize, &mut dyn Iterator<Item = PairOfRows<'_>>) -> PyResult<T> + Send,
        mut finish: impl FnMut(T) -> PyResult<ArrayRef>,
    ) -> PyResult<Vec<ArrayRef>> {
        let lengths = self
            .operands
            .map(|operand| operand.column().map(Column::len));
        if let [Some(a), Some(b)] = lengths
            && a != b
        {
            let [first, second] = self.names;
            return Err(wrong_value(second, &format!("{b} rows for {a} of {first}")));
        }
        let [mut a, mut b] = self.operands.map(Operand::rows);
        let mut before = 0;
        let mut arrays = Vec::new();
        for rows in self.column.chunks.iter().map(Rows::len) {
            let cancel = AtomicBool::new(false);
            let done = interruptible(py, 256 * rows, &cancel, || {
                let go_on =
                    |at: &usize| !at.is_multiple_of(ROWS) || !cancel.load(Ordering::Relaxed);
                let mut pairs = (0..rows)
                    .take_while(go_on)
                    .map(|_| (a.next().flatten(), b.next().flatten()));
                work(before, &mut pairs)
            })??;
            before += rows;
            arrays.push(finish(done)?);
        }
        Ok(arrays)
    }
}

/// Returns whether two texts are equal, or whether those of each row of columns are.
pub(crate) fn equivalent<'py>(
    mut normalizers: [Normalizer; 2],
    a: &Bound<'py, PyAny>,
    b: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = a.py();
    let operands = [Operand::of(a, "a")?, Operand::of(b, "b")?];
    let [of_a, of_b] = &mut normalizers;
    let mut are_equal = |a: &[u8], b: &[u8]| match (of_a.of(a), of_b.of(b)) {
        (Some(a), Some(b)) => a == b,
        (None, None) => a == b,
        _ => false,
    };
    let [a, b] = &operands;
    let Some(column) = a.column().or(b.column()) else {
        let [Some(Some(a)), Some(Some(b))] = [a, b].map(|text| text.rows().next()) else {
            return Err(wrong_value("a", "no text"));
        };
        return Ok(are_equal(a, b).into_pyobject(py)?.to_owned().into_any());
    };
    let pair = Pair {
        names: ["a", "b"],
        operands: [a, b],
        column,
    };
    let arrays = pair.answers(
        py,
        |_, pairs| {
            let equal = pairs.map(|pair| match pair {
                (Some(a), Some(b)) => Some(are_equal(a, b)),
                _ => None,
            });
            Ok(equal.collect::<BooleanArray>())
        },
        |equal| Ok(Arc::new(equal) as ArrayRef),
    )?;
    Ok(answer(py, DataType::Boolean, arrays, column.chunked)?.into_bound(py))
}

/// Returns the URI that a reference means, or the URIs of columns.
pub(crate) fn resolve<'py>(
    rules: Rules,
    base: &Bound<'py, PyAny>,
    reference: &Bound<'py, PyAny>,
    nulls: bool,
) -> PyResult<Bound<'py, PyAny>> {
    let py = base.py();
    let operands = [Operand::of(base, "base")?, Operand::of(reference, "ref")?];
    let [base, reference] = &operands;
    let Some(column) = reference.column().or(base.column()) else {
        let (Operand::Text(base, _), Operand::Text(reference, form)) = (base, reference) else {
            return Err(wrong_value("base", "no text"));
        };
        let mut uri = Vec::new();
        return match resolved(rules, base, reference, &mut uri) {
            Ok(()) => Ok(form.object(py, &uri)),
            Err(_) if nulls => Ok(py.None().into_bound(py)),
            Err(why) => Err(PyValueError::new_err(why)),
        };
    };
    let texts = column.texts;
    let pair = Pair {
        names: ["base", "ref"],
        operands: [base, reference],
        column,
    };
    let mut uri = Vec::new();
    let arrays = pair.answers(
        py,
        |before, pairs| {
            let mut uris = Texts::default();
            for (at, pair) in pairs.enumerate() {
                let (Some(base), Some(reference)) = pair else {
                    uris.push_null();
                    continue;
                };
                match resolved(rules, base, reference, &mut uri) {
                    Ok(()) => uris.push(&uri),
                    Err(_) if nulls => uris.push_null(),
                    Err(why) => {
                        let why = format!("row {}: {why}", before + at);
                        return Err(PyValueError::new_err(why));
                    }
                }
            }
            Ok(uris)
        },
        |uris| uris.finish(texts),
    )?;
    Ok(answer(py, TextType::data_type(texts), arrays, column.chunked)?.into_bound(py))
}

/// Writes the URI that `reference` means.
///
/// # Errors
/// The reason why it means none.
fn resolved(rules: Rules, base: &[u8], reference: &[u8], uri: &mut Vec<u8>) -> Result<(), String> {
    let wrong = reference.iter().position(|&byte| is_boundary(byte));
    if let (Some(at), false) = (wrong, rules == Rules::Whatwg) {
        return Err(format!(
            "ref: byte {at}: a character that references may not contain"
        ));
    }
    uri.clear();
    let resolved = resolving::resolve(rules, base, reference, uri);
    let resolved = resolved.map_err(|error| error.to_string())?;
    uri.splice(0..0, resolved.target.prefix().bytes());
    Ok(())
}
