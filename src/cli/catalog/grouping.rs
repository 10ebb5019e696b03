//! Rows that wait until all are known: workers pass on the cells of each with the key of its
//! identifier, and at the end each has its group, and the commoner case of its identifier.

use super::private::PrivateCells;
use super::sheets::{take_lead, taken_number, taken_row};
use std::borrow::Cow;
use std::io;
use urisieve::catalog::check::CheckRow;
use urisieve::catalog::{
    GroupKeys, GroupReason, GroupedRow, GroupedRows, Groups, IdentifierRow, ROW_COLUMNS,
};

/// The code of what groups find.
pub(super) const CASE_DIFFERS: &str = "case-differs";

/// Whether a row is shown whatever groups find of it.
const SHOWN: u8 = 1;
const NOT_SHOWN: u8 = 0;

/// Appends a row for [`push_rows`]: the key of its identifier, and the cells that `write` appends
/// if they may be needed.
pub(super) fn push_row(
    keys: &GroupKeys,
    row: &IdentifierRow,
    is_shown: bool,
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>),
) {
    push_part(out, |out| keys.write_row(row, out));
    push_part(out, |out| {
        out.push(if is_shown { SHOWN } else { NOT_SHOWN });
        write(out);
    });
}

/// Appends what `write` appends, with its length before it.
fn push_part(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let at = out.len();
    out.extend_from_slice(&[0; size_of::<usize>()]);
    let from = out.len();
    write(out);
    let len = (out.len() - from).to_le_bytes();
    out[at..from].copy_from_slice(&len);
}

fn taken_part<'p>(rest: &mut &'p [u8]) -> Option<&'p [u8]> {
    let len = taken_number(rest)?;
    let (part, after) = rest.split_at_checked(len)?;
    *rest = after;
    Some(part)
}

/// Adds the rows that a worker passed on.
///
/// # Errors
/// Errors of the temporary file.
pub(super) fn push_rows(mut passed: &[u8], groups: &mut Groups) -> io::Result<()> {
    while let (Some(key), Some(row)) = (taken_part(&mut passed), taken_part(&mut passed)) {
        groups.push(key, row)?;
    }
    Ok(())
}

/// The places of the columns that groups fill.
#[derive(Clone, Copy, Debug)]
struct GroupColumns {
    problem: usize,
    problem_text: usize,
    suggestion: usize,
    group: usize,
    group_size: usize,
    group_reason: usize,
}

impl GroupColumns {
    fn new() -> GroupColumns {
        let place = |name: &str| {
            let mut columns = ROW_COLUMNS.iter();
            columns.position(|column| column.name == name).unwrap_or(0)
        };
        GroupColumns {
            problem: place("problem"),
            problem_text: place("problem_text"),
            suggestion: place("suggestion"),
            group: place("group"),
            group_size: place("group_size"),
            group_reason: place("group_reason"),
        }
    }
}

/// Reads the rows back.
pub(super) struct GroupedCells {
    rows: GroupedRows,
    columns: GroupColumns,
    private: PrivateCells,
    /// The first cells of the rows of a record.
    lead: Vec<u8>,
}

/// A row with its group.
pub(super) struct FinishedRow<'r> {
    found: GroupedRow<'r>,
    lead: &'r [u8],
    /// Empty where the row is only counted.
    cells: &'r [u8],
    columns: GroupColumns,
    private: &'r PrivateCells,
    /// Whether it was counted before.
    pub was_shown: bool,
    pub differs_in_case: bool,
}

impl<'r> FinishedRow<'r> {
    /// Returns the cells; none where the row is only counted.
    pub(super) fn cells(mut self) -> Option<Vec<Cow<'r, [u8]>>> {
        let cells = taken_row(&mut self.lead, &mut self.cells)?;
        Some(self.columns.filled(cells, self.found, self.private))
    }
}

impl GroupedCells {
    /// # Errors
    /// Errors of the temporary file.
    pub(super) fn new(groups: Groups, private: PrivateCells) -> io::Result<GroupedCells> {
        Ok(GroupedCells {
            rows: groups.finish()?,
            columns: GroupColumns::new(),
            private,
            lead: Vec::new(),
        })
    }

    /// Returns the next row, whether it is `shown` or not.
    ///
    /// # Errors
    /// Errors of the temporary file.
    pub(super) fn next(&mut self) -> io::Result<Option<FinishedRow<'_>>> {
        let Some(found) = self.rows.next()? else {
            return Ok(None);
        };
        let (mark, cells) = match found.row.split_first() {
            Some((&mark, cells)) => (mark, cells),
            None => (NOT_SHOWN, found.row),
        };
        let mut lead = &[][..];
        take_lead(&mut lead, &mut { cells });
        if !lead.is_empty() {
            self.lead.clear();
            self.lead.extend_from_slice(lead);
        }
        Ok(Some(FinishedRow {
            was_shown: mark == SHOWN,
            differs_in_case: found.other_case.is_some(),
            found,
            lead: &self.lead,
            cells,
            columns: self.columns,
            private: &self.private,
        }))
    }
}

impl GroupColumns {
    /// Returns the cells with what groups found.
    fn filled<'r>(
        &self,
        cells: Vec<&'r [u8]>,
        found: GroupedRow<'r>,
        private: &PrivateCells,
    ) -> Vec<Cow<'r, [u8]>> {
        let mut cells: Vec<Cow<[u8]>> = cells.into_iter().map(Cow::Borrowed).collect();
        if let Some(group) = found.group {
            let reasons: Vec<&str> = group.reasons.iter().map(GroupReason::code).collect();
            let texts = [
                (self.group, group.number.to_string()),
                (self.group_size, group.size.to_string()),
                (self.group_reason, reasons.join(" ")),
            ];
            for (at, text) in texts {
                cells[at] = Cow::Owned(text.into_bytes());
            }
        }
        if let Some(other) = found.other_case
            && let Some(row) = CheckRow::of_code(CASE_DIFFERS)
        {
            append(&mut cells[self.problem], " ", row.code);
            append(&mut cells[self.problem_text], "; ", row.words);
            // A repair of something else comes first.
            if cells[self.suggestion].is_empty() {
                let mut other = Cow::Borrowed(other);
                if !private.is_idle() {
                    private.uri(&mut other);
                }
                cells[self.suggestion] = other;
            }
        }
        cells
    }
}

/// Appends `text`, with `between` before it where the cell is not empty.
fn append(cell: &mut Cow<[u8]>, between: &str, text: &str) {
    let cell = cell.to_mut();
    if !cell.is_empty() {
        cell.extend_from_slice(between.as_bytes());
    }
    cell.extend_from_slice(text.as_bytes());
}
