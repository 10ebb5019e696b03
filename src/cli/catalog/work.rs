//! The results of workers for records: the rows of their identifiers, and the number of each
//! problem.

use super::grouping::{CASE_DIFFERS, push_row};
use super::private::PrivateCells;
use super::sheets::RowWriter;
use super::summary::{KeyedProblems, SummaryKey};
use super::tally::DocumentContents;
use crate::cli::inputs::InputNames;
use std::borrow::Cow;
use urisieve::catalog::check::CHECKS;
use urisieve::catalog::{
    CellTexts, FieldChoice, GroupKeys, IdentifierRow, IdentifierRows, ROW_COLUMNS,
};
use urisieve::decode::{CatalogRecord, RecordRules};
use urisieve::{CatalogBatch, CatalogWork};

/// Which rows are written.
#[derive(Clone, Debug)]
pub(super) enum RowSelection {
    All,
    /// Rows with one of these problems.
    Problems {
        codes: Vec<&'static str>,
        /// Whether rows are shown for what groups find.
        has_case: bool,
    },
}

impl RowSelection {
    /// Returns the selection of rows with one of these problems.
    pub(super) fn of_problems(codes: Vec<&'static str>) -> RowSelection {
        RowSelection::Problems {
            has_case: codes.contains(&CASE_DIFFERS),
            codes,
        }
    }

    /// Returns whether a row is shown.
    fn has(&self, row: &IdentifierRow) -> bool {
        match self {
            RowSelection::All => true,
            RowSelection::Problems { codes, .. } => {
                row.hits.iter().any(|hit| codes.contains(&hit.row.code))
            }
        }
    }

    /// Returns whether rows are shown for what groups find.
    pub(super) fn has_case(&self) -> bool {
        matches!(self, RowSelection::Problems { has_case: true, .. })
    }

    /// Returns whether a problem counts.
    pub(super) fn counts(&self, code: &str) -> bool {
        match self {
            RowSelection::Problems { codes, .. } => codes.contains(&code),
            RowSelection::All => true,
        }
    }
}

/// Makes rows.
#[derive(Clone, Debug)]
pub(super) struct RowWork {
    pub rows: IdentifierRows,
    /// The fields that are listed.
    pub choice: FieldChoice,
    pub shown: RowSelection,
    /// The columns of `--with`.
    pub with: Vec<FieldChoice>,
    pub writer: RowWriter,
    /// Whether rows are only counted.
    pub only_counts: bool,
    pub private: PrivateCells,
    pub names: InputNames,
    /// The keys of a summary.
    pub by: Option<SummaryKey>,
    /// Makes the keys of groups, where rows wait for theirs.
    pub keys: Option<GroupKeys>,
}

/// Of the memory of an output this much is kept for the next one.
const KEPT: usize = 4 << 20;

/// The result of a batch.
#[derive(Debug)]
pub(super) struct RowOutput {
    pub bytes: Vec<u8>,
    /// The number of rows.
    pub rows: u64,
    pub contents: DocumentContents,
    /// The number of each problem for each key of `--by`.
    pub keyed: KeyedProblems,
    /// The number of each problem, in the order of the checks.
    pub problems: Vec<u64>,
    /// The first cells of the rows of a record, as they are written.
    lead: Vec<u8>,
    texts: CellTexts,
}

impl Default for RowOutput {
    fn default() -> RowOutput {
        RowOutput {
            bytes: Vec::new(),
            rows: 0,
            contents: DocumentContents::default(),
            keyed: KeyedProblems::default(),
            problems: vec![0; CHECKS.len()],
            lead: Vec::new(),
            texts: CellTexts::default(),
        }
    }
}

/// The columns whose cells are URIs, and those that may have some.
const URIS: [&str; 3] = ["original", "canonical", "suggestion"];
const TEXTS: [&str; 5] = ["record_id", "title", "note", "link_text", "materials"];

impl CatalogWork for RowWork {
    type State = IdentifierRows;
    type Output = RowOutput;

    fn state(&self) -> IdentifierRows {
        self.rows.clone()
    }

    fn work(&self, rows: &mut IdentifierRows, batch: &CatalogBatch, output: &mut RowOutput) {
        output.bytes.clear();
        output.bytes.shrink_to(KEPT);
        output.rows = 0;
        output.problems.fill(0);
        output.keyed.clear();
        let name = self.names.get(batch.input());
        let file = match batch.member() {
            Some(member) => Cow::Owned([&name[..], b"/", member].concat()),
            None => Cow::Borrowed(&name[..]),
        };
        let mut listed = 0;
        let mut rest = batch.records();
        while !rest.is_empty() {
            let count = match rest[0].rules() {
                RecordRules::Table => joined(rest),
                _ => 1,
            };
            let (records, after) = rest.split_at(count);
            rest = after;
            let mut before: Option<&CatalogRecord> = None;
            for row in &rows.of(records) {
                let is_same = |before: &CatalogRecord| std::ptr::eq(row.record, before);
                if !before.replace(row.record).is_some_and(is_same) {
                    output.lead.clear();
                }
                listed += 1;
                self.push(row, &file, output);
            }
        }
        output.contents = DocumentContents::of(batch, &self.choice, listed);
    }
}

/// Returns how many of the first rows of a table are one record.
fn joined(records: &[CatalogRecord]) -> usize {
    let id = records[0].id();
    let is_same = |record: &&CatalogRecord| !id.is_empty() && record.id() == id;
    records.iter().take_while(is_same).count().max(1)
}

impl RowWork {
    fn push(&self, row: &IdentifierRow, file: &[u8], output: &mut RowOutput) {
        let is_shown = self.shown.has(row);
        if is_shown {
            output.rows += 1;
            for hit in &row.hits {
                let at = CHECKS.iter().position(|check| check.code == hit.row.code);
                if let Some(at) = at.filter(|_| self.shown.counts(hit.row.code)) {
                    output.problems[at] += 1;
                    if let Some(by) = &self.by {
                        output.keyed.add(by.of(row), at);
                    }
                }
            }
        }
        let may_be_shown = is_shown || self.shown.has_case() && row.may_differ_in_case();
        let is_printed = !self.only_counts && may_be_shown;
        let RowOutput {
            bytes, lead, texts, ..
        } = output;
        match &self.keys {
            Some(keys) => push_row(keys, row, is_shown, bytes, |out| {
                if is_printed {
                    self.write_cells(&row.cells(file, texts), row, lead, out);
                }
            }),
            None if is_shown && is_printed => {
                self.write_cells(&row.cells(file, texts), row, lead, bytes);
            }
            None => {}
        }
    }

    /// Appends the cells of a row, as they are printed.
    fn write_cells(
        &self,
        cells: &[&[u8]],
        row: &IdentifierRow,
        lead: &mut Vec<u8>,
        out: &mut Vec<u8>,
    ) {
        match self.with.is_empty() && self.private.is_idle() {
            true => self.writer.row_of_record(lead, cells, out),
            false => {
                let cells = self.changed(row, cells);
                self.writer.row_of_record(lead, &cells, out);
            }
        }
    }

    /// Returns the cells with those of `--with`, and without what is private.
    fn changed<'c>(&self, row: &'c IdentifierRow, cells: &[&'c [u8]]) -> Vec<Cow<'c, [u8]>> {
        let mut cells: Vec<Cow<[u8]>> = cells.iter().copied().map(Cow::Borrowed).collect();
        let with = self.with.iter().map(|choice| choice.texts(row.record));
        cells.extend(with.map(Cow::Owned));
        if !self.private.is_idle() {
            let names = ROW_COLUMNS.iter().map(|column| Some(column.name));
            for (cell, name) in cells.iter_mut().zip(names.chain(std::iter::repeat(None))) {
                if name == Some("suggestion") {
                    *cell = self.private.suggestion(row);
                }
                match name {
                    Some(name) if URIS.contains(&name) => self.private.uri(cell),
                    Some(name) if !TEXTS.contains(&name) => {}
                    _ => self.private.text(cell),
                }
            }
        }
        cells
    }
}
