//! How often each problem occurs: for all rows, or for each host, tag or field.

use super::sheets::RowWriter;
use std::collections::BTreeMap;
use urisieve::catalog::check::CHECKS;
use urisieve::catalog::{FieldChoice, IdentifierRow};
use urisieve::output::SheetColumn;
use urisieve::syntax::Components;

/// The part of a row by which problems are counted.
#[derive(Clone, Debug)]
pub(super) enum SummaryKey {
    Host,
    Tag,
    /// A field of its record.
    Field(FieldChoice),
}

impl SummaryKey {
    /// Reads the value of `--by`.
    ///
    /// # Errors
    /// A message that names the flag.
    pub(super) fn parse(typed: &str) -> Result<SummaryKey, String> {
        match typed {
            "host" => Ok(SummaryKey::Host),
            "tag" => Ok(SummaryKey::Tag),
            field => {
                let choice = FieldChoice::parse(field);
                let choice = choice.map_err(|error| format!("--by: {error}"))?;
                Ok(SummaryKey::Field(choice))
            }
        }
    }

    /// Returns the key of a row.
    pub(super) fn of(&self, row: &IdentifierRow) -> Vec<u8> {
        match self {
            SummaryKey::Host => host(row).to_ascii_lowercase(),
            SummaryKey::Tag => row.field.tag.to_vec(),
            SummaryKey::Field(choice) => choice.texts(row.record),
        }
    }
}

/// Returns the host of a row, or that of its suggestion: a wrong address may have none.
fn host<'r>(row: &'r IdentifierRow) -> &'r [u8] {
    let of_suggestion = || {
        let suggestion = row.suggestion.as_deref()?.as_bytes();
        Components::parse(suggestion).host(suggestion)
    };
    match row.parts()[1] {
        b"" => of_suggestion().unwrap_or_default(),
        host => host,
    }
}

/// The number of each problem, in the order of the checks, for each key.
#[derive(Debug, Default)]
pub(super) struct KeyedProblems(BTreeMap<Vec<u8>, Vec<u64>>);

impl KeyedProblems {
    pub(super) fn clear(&mut self) {
        self.0.clear();
    }

    /// Counts the problem with this number.
    pub(super) fn add(&mut self, key: Vec<u8>, problem: usize) {
        let counts = self.0.entry(key).or_insert_with(|| vec![0; CHECKS.len()]);
        counts[problem] += 1;
    }

    /// Adds the counts of `other`, which is empty then.
    pub(super) fn take(&mut self, other: &mut KeyedProblems) {
        for (key, counts) in std::mem::take(&mut other.0) {
            let sums = self.0.entry(key).or_insert_with(|| vec![0; CHECKS.len()]);
            sums.iter_mut()
                .zip(counts)
                .for_each(|(sum, count)| *sum += count);
        }
    }
}

/// Returns the columns of a summary, the first one for the key.
pub(super) fn columns(by: Option<&str>) -> Vec<SheetColumn> {
    let columns = by.into_iter().chain(["code", "severity", "count", "words"]);
    columns
        .map(|name| SheetColumn::new(name, name == "count"))
        .collect()
}

/// Appends the rows of a summary of all problems, or of those of each key.
pub(super) fn write(
    problems: &[u64],
    keyed: Option<&KeyedProblems>,
    writer: &RowWriter,
    rows: &mut Vec<u8>,
) {
    match keyed {
        None => push(None, problems, writer, rows),
        Some(keyed) => keyed
            .0
            .iter()
            .for_each(|(key, counts)| push(Some(key), counts, writer, rows)),
    }
}

fn push(key: Option<&[u8]>, counts: &[u64], writer: &RowWriter, rows: &mut Vec<u8>) {
    for (row, &count) in CHECKS.iter().zip(counts).filter(|row| *row.1 > 0) {
        let count = count.to_string();
        let cells = [row.code, row.severity.name(), &count, row.words].map(str::as_bytes);
        let cells: Vec<&[u8]> = key.into_iter().chain(cells).collect();
        writer.row(&cells, rows);
    }
}
