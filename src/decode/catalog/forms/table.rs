//! Tables as records: each row of CSV, and each object of JSON Lines, is a record, each cell
//! a field that its column names. The columns that hold identifiers are left to `fields`.

use super::super::format::CatalogFormat;
use super::super::headings;
use super::super::record::{CatalogRecord, NAME_MAX, RECORD_MAX, RecordRules, RowNames};
use super::super::text::{TextForm, TextReader};
use super::super::value::{RecordStep, push_text_of};
use super::json_row::{JsonCell, JsonCells, json_cells};
use super::marc_json;
use crate::decode::record_damage::{RecordDamage, RecordFault};
use crate::decode::table::{
    self, DELIMITERS, JUDGED, JUDGED_BYTES, NO_DELIMITER, TableColumn, blank_lines, record_len,
    trimmed,
};
use std::borrow::Cow;
use std::ops::{ControlFlow, Range};

/// Reads a table.
#[derive(Debug, Default)]
pub(in crate::decode::catalog) struct TableReader {
    format: CatalogFormat,
    id: Option<TableColumn>,
    /// Whether quotes around a cell do not belong to it.
    is_quoted: bool,
    head: Option<TableHead>,
    /// The columns of a table that lacks the column of the identifiers.
    lacking: Option<Vec<String>>,
    /// The rest of a row that is too long is being skipped.
    is_too_long: bool,
    /// The number of bytes that were searched in vain for the end of a quoted cell, and the
    /// number of bytes that were read.
    searched: usize,
    read: usize,
}

/// The decisions that the first rows of a table make.
#[derive(Debug, Default)]
struct TableHead {
    delimiter: u8,
    /// The length of the header, which comes first, if it was not returned yet.
    header: usize,
    /// The names of the columns; empty without a header.
    names: Vec<Vec<u8>>,
    id: Option<usize>,
    title: Option<usize>,
}

/// The cells that were read of a row.
#[derive(Debug, Default)]
struct RowCells {
    names: RowNames,
    /// Whether characters are malformed.
    is_lossy: bool,
    /// Whether the row has more cells than fit.
    is_over: bool,
}

/// The name in `--id-column` and the names of columns are compared without blanks.
const TITLE: &[u8] = b"title";
/// The number of times that bytes may be searched in vain for the ends of quoted cells.
const SEARCHES: usize = 8;
/// Whether a column of this name holds identifiers, or titles.
fn is_known(name: &[u8]) -> bool {
    headings::role(name).is_some() || name.eq_ignore_ascii_case(TITLE)
}

impl TableReader {
    pub fn new(format: CatalogFormat, id: Option<TableColumn>) -> TableReader {
        TableReader {
            format,
            id,
            is_quoted: true,
            ..TableReader::default()
        }
    }

    /// Reads quotes around cells as part of the cells, except for the header.
    pub fn without_quotes(&mut self) {
        self.is_quoted = false;
    }

    /// Returns the columns of the table, when it lacks the column of the identifiers.
    pub fn lacking(&self) -> Option<&[String]> {
        self.lacking.as_deref()
    }

    /// Returns the names of the columns, once they are read.
    pub fn columns(&self) -> &[Vec<u8>] {
        self.head.as_ref().map_or(&[], |head| &head.names)
    }

    /// Goes on after bytes that are missing.
    pub fn resume(&mut self) {
        self.is_too_long = false;
    }

    /// Reads the row at the start of `bytes`.
    pub fn read(
        &mut self,
        (bytes, last): (&[u8], bool),
        (number, offset): (u64, u64),
        record: &mut CatalogRecord,
        text: &mut TextReader,
    ) -> RecordStep {
        const MARK: &[u8] = b"\xEF\xBB\xBF";
        let outside = |len| RecordStep::Outside {
            len,
            is_text: false,
        };
        if offset == 0 && bytes.len() < MARK.len() && MARK.starts_with(bytes) && !last {
            return RecordStep::Hungry;
        }
        if offset == 0 && bytes.starts_with(MARK) {
            return outside(MARK.len());
        }
        if self.is_too_long {
            let end = memchr::memchr(b'\n', bytes).map(|at| at + 1);
            self.is_too_long = end.is_none() && !last;
            return match end.unwrap_or(bytes.len()) {
                0 => RecordStep::Hungry,
                len => outside(len),
            };
        }
        match blank_lines(bytes) {
            0 if last && bytes.trim_ascii().is_empty() && !bytes.is_empty() => {
                return outside(bytes.len());
            }
            0 => {}
            len => return outside(len),
        }
        if bytes.is_empty() || self.lacking.is_some() {
            return match bytes.len() {
                0 => RecordStep::Hungry,
                len => outside(len),
            };
        }
        let Some(delimiter) = self.delimiter(bytes, last) else {
            return RecordStep::Hungry;
        };
        if self.lacking.is_some() {
            return outside(bytes.len());
        }
        if let Some(head) = &mut self.head
            && head.header > 0
        {
            return outside(std::mem::take(&mut head.header));
        }
        let (len, is_open) = match self.row_len(bytes, delimiter, last) {
            Some(found) => found,
            None if bytes.len() <= RECORD_MAX => return RecordStep::Hungry,
            None => (RECORD_MAX, false),
        };
        self.read = self.read.saturating_add(len);
        let damage = |fault, cause| RecordDamage::of_record(fault, cause, (number, offset));
        if len >= RECORD_MAX {
            self.is_too_long = bytes[len - 1] != b'\n';
            let cause = "a row of more than 16 MiB";
            return RecordStep::Lost(len, damage(RecordFault::Unsupported, cause));
        }
        record.begin(self.format, number, offset);
        record.delimiter = delimiter;
        let row = &bytes[..len];
        let cells = match self.format {
            CatalogFormat::JsonLines => self.json_row(row, record, text),
            _ => Ok(self.csv_row(row, delimiter, record, text)),
        };
        match cells {
            Ok(RowCells {
                names,
                is_lossy,
                is_over,
            }) => {
                if is_lossy {
                    let cause = "malformed characters in a row";
                    record.damage.push(damage(RecordFault::Suspect, cause));
                }
                record.is_over |= is_over;
                if is_open {
                    let cause = "a quoted cell without an end";
                    record.damage.push(damage(RecordFault::Damaged, cause));
                    record.is_sound = false;
                }
                match record.rules {
                    RecordRules::Table => record.finish_row(len, &names),
                    _ => record.finish(len),
                }
            }
            Err(cause) => {
                record.damage.push(damage(RecordFault::Damaged, cause));
                record.is_sound = false;
                record.finish_row(len, &RowNames::default());
            }
        }
        RecordStep::Record(len)
    }

    /// Returns the length of the row at the start of `bytes`, and whether it has a quoted
    /// cell without an end: such a row is a line. `None` when more bytes are needed, or when
    /// the row is too long.
    fn row_len(&mut self, bytes: &[u8], delimiter: u8, last: bool) -> Option<(usize, bool)> {
        if self.format == CatalogFormat::JsonLines || !self.is_quoted {
            let end = memchr::memchr(b'\n', bytes).map(|at| at + 1);
            return end.or(last.then_some(bytes.len())).map(|len| (len, false));
        }
        let is_whole = last || bytes.len() > RECORD_MAX;
        let (len, row) = csv_row_len(bytes, delimiter, is_whole)?;
        if len == row {
            return (last || row <= RECORD_MAX).then_some((len, false));
        }
        // Each such cell is searched for its end; many of them must not take time for ever.
        self.searched = self.searched.saturating_add(row);
        match self.searched / SEARCHES <= self.read.saturating_add(RECORD_MAX) {
            true => Some((len, bytes[..len].contains(&b'"'))),
            false => (last || row <= RECORD_MAX).then_some((row, false)),
        }
    }

    /// Returns the delimiter, once it is known.
    fn delimiter(&mut self, bytes: &[u8], last: bool) -> Option<u8> {
        if self.head.is_none() {
            let head = match self.format {
                CatalogFormat::JsonLines => TableHead::default(),
                format => head(format, self.id.as_ref(), bytes, last)?,
            };
            let lacks = match &self.id {
                Some(TableColumn::Name(_)) => {
                    head.id.is_none() && self.format != CatalogFormat::JsonLines
                }
                _ => false,
            };
            if lacks {
                let shown = |name: &Vec<u8>| String::from_utf8_lossy(name).into_owned();
                self.lacking = Some(head.names.iter().map(shown).collect());
            }
            self.head = Some(head);
        }
        self.head.as_ref().map(|head| head.delimiter)
    }

    /// Writes the cells of a row.
    fn csv_row(
        &self,
        row: &[u8],
        delimiter: u8,
        record: &mut CatalogRecord,
        text: &mut TextReader,
    ) -> RowCells {
        let none = TableHead::default();
        let head = self.head.as_ref().unwrap_or(&none);
        let row = trimmed_end(row);
        let mut read = RowCells::default();
        let push = |(column, raw): (usize, Range<usize>)| {
            if record.is_full() {
                read.is_over = true;
                return ControlFlow::Break(());
            }
            let number;
            let name = match head.names.get(column) {
                Some(name) if (1..=NAME_MAX).contains(&name.len()) => &name[..],
                _ => {
                    number = (column + 1).to_string();
                    number.as_bytes()
                }
            };
            let written = &row[raw.clone()];
            let cell = match self.is_quoted {
                true => table::value(written),
                false => Cow::Borrowed(written),
            };
            read.is_lossy |= push_cell((name, &cell, raw), (written.len(), record), text);
            if head.id == Some(column) {
                read.names.id = trimmed(&cell).to_vec();
            }
            if head.title == Some(column) {
                read.names.title = trimmed(&cell).to_vec();
            }
            ControlFlow::Continue(())
        };
        // The state of the reader already shows whether all cells fit.
        let _ = match self.is_quoted {
            true => table::fields(row, delimiter).enumerate().try_for_each(push),
            false => {
                let mut from = 0;
                let cells = row.split(|&byte| byte == delimiter).map(|cell| {
                    let start = from;
                    from += cell.len() + 1;
                    start..start + cell.len()
                });
                cells.enumerate().try_for_each(push)
            }
        };
        read
    }

    /// The same for an object of JSON, which may be a record of MARC.
    fn json_row(
        &self,
        row: &[u8],
        record: &mut CatalogRecord,
        text: &mut TextReader,
    ) -> Result<RowCells, &'static str> {
        if self.id.is_none()
            && let Some(is_lossy) = marc_json::read(row, record, text)
        {
            return Ok(RowCells {
                is_lossy,
                ..RowCells::default()
            });
        }
        let JsonCells { cells, is_over } = json_cells(row)?;
        let mut read = RowCells {
            is_over,
            ..RowCells::default()
        };
        let mut has_id = false;
        for (number, JsonCell { path, value, raw }) in cells.into_iter().enumerate() {
            let is_id = match &self.id {
                Some(TableColumn::Number(wanted)) => *wanted == number,
                Some(TableColumn::Name(name)) => path == name.as_bytes(),
                None => false,
            };
            if is_id && !std::mem::replace(&mut has_id, true) {
                read.names.id = trimmed(&value).to_vec();
            }
            if path == TITLE && read.names.title.is_empty() {
                read.names.title = trimmed(&value).to_vec();
            }
            let len = raw.len();
            read.is_lossy |= push_cell((&path, &value, raw), (len, record), text);
        }
        Ok(read)
    }
}

/// Returns the length of the row at the start of `bytes`, and the length that its
/// quotes cover, which is greater if a quoted cell has no end. `None` when more bytes
/// are needed; no bytes follow `whole` ones.
fn csv_row_len(bytes: &[u8], delimiter: u8, whole: bool) -> Option<(usize, usize)> {
    let row = match record_len(bytes, delimiter) {
        Some(len) => len,
        None if whole => bytes.len(),
        None => return None,
    };
    let line = memchr::memchr(b'\n', &bytes[..row]).map_or(row, |at| at + 1);
    if line == row {
        return Some((row, row));
    }
    let text = trimmed_end(&bytes[..row]);
    let is_closed = |cell: Range<usize>| {
        let cell = &text[cell];
        memchr::memchr(b'\n', cell).is_none() || is_quoted(cell)
    };
    match table::fields(text, delimiter).all(is_closed) {
        true => Some((row, row)),
        false => Some((line, row)),
    }
}

/// Whether a cell is in quotes as a whole.
fn is_quoted(cell: &[u8]) -> bool {
    table::quotes_end(cell, 0).is_some_and(|end| end > 0 && cell[end..].trim_ascii().is_empty())
}

/// Adds a cell as a field with one subfield. Returns whether characters are malformed.
fn push_cell(
    (name, cell, raw): (&[u8], &[u8], Range<usize>),
    (written, record): (usize, &mut CatalogRecord),
    text: &mut TextReader,
) -> bool {
    record.push_field(name, b"", b"", raw.clone());
    let code = record.push_text(b"");
    let is_plain = written == cell.len();
    push_text_of((cell, is_plain), (code, raw), TextForm::Utf8, record, text)
}

/// Returns the delimiter of a table and its header; `None` when more bytes are needed.
fn head(
    format: CatalogFormat,
    id: Option<&TableColumn>,
    bytes: &[u8],
    last: bool,
) -> Option<TableHead> {
    let delimiters = match format {
        CatalogFormat::Tsv => b"\t",
        _ => DELIMITERS,
    };
    let whole = last || bytes.len() >= JUDGED_BYTES;
    let mut best: Option<((bool, usize, usize), TableHead)> = None;
    for &delimiter in delimiters {
        let (rows, is_enough) = first_rows(bytes, delimiter, whole);
        if !is_enough {
            return None;
        }
        let counts: Vec<usize> = rows
            .iter()
            .map(|row| table::fields(row, delimiter).count())
            .collect();
        let fields = usual_count(&counts);
        let names = rows.first().map_or(Vec::new(), |row| cells(row, delimiter));
        let is_wanted = |name: &[u8]| matches!(id, Some(TableColumn::Name(wanted)) if name == wanted.as_bytes());
        let has_name = names
            .iter()
            .any(|name| is_wanted(name) || fields > 1 && is_known(name));
        let alike = counts.iter().filter(|&&count| count == fields).count();
        let class = match () {
            () if fields < 2 => 0,
            () if alike == counts.len() => 2,
            () if alike * 2 > counts.len() => 1,
            () => 0,
        };
        let rank = (has_name, class, if class > 0 { fields } else { 0 });
        if best.as_ref().is_none_or(|best| rank > best.0) {
            let is_alone = class == 0 && !has_name && format != CatalogFormat::Tsv;
            let names = match is_alone || fields == 1 && format != CatalogFormat::Tsv {
                true => rows
                    .first()
                    .map_or(Vec::new(), |row| cells(row, NO_DELIMITER)),
                false => names,
            };
            let delimiter = match is_alone || fields < 2 && format != CatalogFormat::Tsv {
                true => NO_DELIMITER,
                false => delimiter,
            };
            let mut head = TableHead {
                delimiter,
                names,
                ..TableHead::default()
            };
            head.settle(id, rows.first().map_or(0, |row| row.len()));
            best = Some((rank, head));
        }
    }
    best.map(|best| best.1)
}

/// Returns the number of cells of the rows: that of the first one. Where all others agree,
/// and it has one more or less, it is damaged.
fn usual_count(counts: &[usize]) -> usize {
    match *counts {
        [first, second, third, ref rest @ ..]
            if first > 1
                && first.abs_diff(second) == 1
                && second == third
                && rest.iter().all(|&count| count == second) =>
        {
            second
        }
        [first, ..] => first,
        [] => 0,
    }
}

/// Returns the first rows that are not blank, and whether they are enough.
fn first_rows(bytes: &[u8], delimiter: u8, whole: bool) -> (Vec<&[u8]>, bool) {
    let mut rest = &bytes[..bytes.len().min(JUDGED_BYTES)];
    let mut rows = Vec::new();
    while rows.len() < JUDGED && !rest.is_empty() {
        let Some((len, _)) = csv_row_len(rest, delimiter, whole) else {
            break;
        };
        let (row, after) = rest.split_at(len);
        rest = after;
        if !trimmed(row).is_empty() {
            rows.push(row);
        }
    }
    let is_enough = rows.len() == JUDGED || whole;
    (rows, is_enough)
}

/// Returns the cells of a row, without quotes and the blanks around them.
fn cells(row: &[u8], delimiter: u8) -> Vec<Vec<u8>> {
    let row = trimmed_end(row);
    table::fields(row, delimiter)
        .map(|raw| trimmed(&table::value(&row[raw])).to_vec())
        .collect()
}

/// Returns a row without the line break that ends it.
pub(in crate::decode::catalog) fn trimmed_end(row: &[u8]) -> &[u8] {
    let row = row.strip_suffix(b"\n").unwrap_or(row);
    row.strip_suffix(b"\r").unwrap_or(row)
}

impl TableHead {
    /// Decides whether the first row, of this length, is a header, and where names are.
    fn settle(&mut self, id: Option<&TableColumn>, len: usize) {
        let named = |wanted: &[u8]| self.names.iter().position(|name| name == wanted);
        let is_header = match id {
            Some(TableColumn::Name(name)) => {
                self.id = named(name.as_bytes());
                true
            }
            _ if self.names.iter().any(|name| is_known(name)) => true,
            _ => !self.names.iter().any(|name| is_value(name)),
        };
        if let Some(TableColumn::Number(number)) = id {
            self.id = Some(*number);
        }
        match is_header {
            true => {
                let is_title = |name: &Vec<u8>| name.eq_ignore_ascii_case(TITLE);
                self.title = self.names.iter().position(is_title);
                self.header = len;
            }
            false => self.names.clear(),
        }
    }
}

/// Whether a cell of the first row is a value, not a name: a number, or a URI.
fn is_value(cell: &[u8]) -> bool {
    let is_number = cell.iter().any(u8::is_ascii_digit)
        && !cell.iter().any(u8::is_ascii_alphabetic)
        || cell.starts_with(b"10.");
    let scheme = cell.iter().position(|&byte| byte == b':').unwrap_or(0);
    let is_of_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let is_uri = scheme > 1
        && cell[..scheme].iter().all(is_of_scheme)
        && cell
            .get(scheme + 1)
            .is_some_and(|byte| !byte.is_ascii_whitespace());
    is_number || is_uri || cell.starts_with(b"www.")
}
