//! Tables of Parquet in the order of their URIs: rows with one URI become one, or with `--groups`
//! one for each spelling. All columns but counts, numbers of inputs, spellings and times are those
//! of the first row.

use super::in_order::UriEntries;
use super::span::{SpanSum, instant};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use parquet::basic::Type as Physical;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, SerializedFileReader};
use std::fs::File;
use std::path::{Path, PathBuf};
use urisieve::output::{Cell, ColumnShape, ColumnType, Table};

/// The column of spellings that are not UTF-8.
const ENCODED: &str = "original_b64";

/// The number of rows that are read at a time.
const STEP: usize = 1024;

/// The bytes of text in a group of rows of each file and of the output.
pub(super) const GROUP: usize = 16 << 20;

/// A column of the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CopiedColumn {
    name: String,
    kind: ColumnType,
    nullable: bool,
}

/// The columns that are merged, by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct MergedColumns {
    /// Those of the URI: of links two.
    key: Vec<usize>,
    count: Option<usize>,
    sources: Option<usize>,
    original: Vec<usize>,
    first_seen: Option<usize>,
    last_seen: Option<usize>,
}

/// The columns of tables, which all of them have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TableForm {
    columns: Vec<CopiedColumn>,
    merged: MergedColumns,
    /// Rows are spellings.
    pub groups: bool,
}

/// A value that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
enum OwnedCell {
    Null,
    Text(Vec<u8>),
    Int32(i32),
    Int64(i64),
    Set,
}

impl OwnedCell {
    fn of(cell: Cell) -> OwnedCell {
        match cell {
            Cell::Null => OwnedCell::Null,
            Cell::Text(text) => OwnedCell::Text(text.to_owned()),
            Cell::Int32(number) => OwnedCell::Int32(number),
            Cell::Int64(number) => OwnedCell::Int64(number),
            Cell::Set => OwnedCell::Set,
        }
    }

    fn cell(&self) -> Cell<'_> {
        match self {
            OwnedCell::Null => Cell::Null,
            OwnedCell::Text(text) => Cell::Text(text),
            OwnedCell::Int32(number) => Cell::Int32(*number),
            OwnedCell::Int64(number) => Cell::Int64(*number),
            OwnedCell::Set => Cell::Set,
        }
    }
}

/// The values of a column in the rows that were read.
enum ColumnBatch {
    Text(
        ColumnReaderImpl<parquet::data_type::ByteArrayType>,
        Vec<ByteArray>,
    ),
    Int32(ColumnReaderImpl<parquet::data_type::Int32Type>, Vec<i32>),
    Int64(ColumnReaderImpl<parquet::data_type::Int64Type>, Vec<i64>),
    Flag(ColumnReaderImpl<parquet::data_type::BoolType>, Vec<bool>),
}

/// A column of a group of rows.
struct OpenColumn {
    batch: ColumnBatch,
    nullable: bool,
    /// For each row whether it has a value, where rows may lack one.
    levels: Vec<i16>,
    /// The number of values before the current row.
    value: usize,
}

/// A table at a row.
pub(super) struct SortedTable {
    name: PathBuf,
    form: TableForm,
    reader: SerializedFileReader<File>,
    /// The group of rows that is opened next.
    group: usize,
    columns: Vec<OpenColumn>,
    /// The rows that were read, and the current one.
    rows: usize,
    row: usize,
    /// The number of the current row in the table, from 1.
    number: u64,
    uri: Vec<u8>,
    spelling: Vec<u8>,
    buffer: (Vec<u8>, Vec<u8>),
}

impl TableForm {
    /// Returns the form of the tables, which are opened.
    ///
    /// # Errors
    /// A message that names the file that cannot be merged, and why.
    pub(super) fn of(
        files: &[PathBuf],
        groups: bool,
    ) -> Result<(TableForm, Vec<SortedTable>), String> {
        let mut form: Option<TableForm> = None;
        let mut opened = Vec::new();
        for file in files {
            let failed = |cause: &dyn std::fmt::Display| format!("{}: {cause}", file.display());
            let open = File::open(file).map_err(|error| failed(&error))?;
            let reader = SerializedFileReader::new(open).map_err(|error| failed(&error))?;
            let own = TableForm::read(&reader, groups).map_err(|cause| failed(&cause))?;
            // The codings of a table without rows are not known.
            let has_rows = reader.num_row_groups() > 0;
            match &mut form {
                None => form = Some(own),
                Some(form) if !form.has_columns_of(&own) => {
                    let first = files.first().map_or(Path::new(""), PathBuf::as_path);
                    return Err(failed(&format_args!(
                        "its columns are not those of {}; make both with the same flags, or merge \
                         JSON Lines",
                        first.display()
                    )));
                }
                Some(form) if has_rows && opened.iter().all(is_empty) => *form = own,
                Some(_) => {}
            }
            opened.push((file.clone(), reader));
        }
        let form = form.ok_or("merge: name a file")?;
        let tables = opened.into_iter().map(|(name, reader)| SortedTable {
            name,
            form: form.clone(),
            reader,
            group: 0,
            columns: Vec::new(),
            rows: 0,
            row: 0,
            number: 0,
            uri: Vec::new(),
            spelling: Vec::new(),
            buffer: Default::default(),
        });
        let tables = tables.collect();
        Ok((form, tables))
    }

    /// Reads the columns of a table.
    ///
    /// # Errors
    /// Why it cannot be merged.
    fn read(reader: &SerializedFileReader<File>, groups: bool) -> Result<TableForm, String> {
        let about = reader.metadata();
        let schema = about.file_metadata().schema_descr();
        let group = about.row_groups().first();
        let mut columns = Vec::new();
        for (number, column) in schema.columns().iter().enumerate() {
            let in_dictionary = group.is_some_and(|group| {
                let column = group.column(number);
                column.dictionary_page_offset().is_some()
            });
            let kind = match column.physical_type() {
                Physical::BYTE_ARRAY if in_dictionary => ColumnType::Word,
                Physical::BYTE_ARRAY => ColumnType::Text,
                Physical::INT32 => ColumnType::Int32,
                Physical::INT64 => ColumnType::Int64,
                Physical::BOOLEAN => ColumnType::Flag,
                _ => return Err(foreign()),
            };
            if column.max_rep_level() > 0 || column.max_def_level() > 1 {
                return Err(foreign());
            }
            columns.push(CopiedColumn {
                name: column.path().string(),
                kind,
                nullable: column.max_def_level() > 0,
            });
        }
        let at = |name: &str| columns.iter().position(|column| column.name == name);
        if at("url").is_some() && at("first_offset").is_none() {
            return Err(
                "its rows are occurrences, by --all; make it without, by --sort".to_owned(),
            );
        }
        let key = match (at("url"), at("s"), at("t")) {
            (Some(url), ..) => vec![url],
            (None, Some(source), Some(target)) => vec![source, target],
            _ if columns.len() == 2 && at("count") == Some(1) => vec![0],
            _ => return Err(foreign()),
        };
        let of_text = |at: &usize| matches!(columns[*at].kind, ColumnType::Text | ColumnType::Word);
        let of_numbers = |at: &usize| columns[*at].kind == ColumnType::Int64;
        let count = at("count").filter(of_numbers);
        if !key.iter().all(of_text) || count.is_none() && at("count").is_some() {
            return Err(foreign());
        }
        let text = |name: &str| at(name).filter(of_text);
        let merged = MergedColumns {
            key,
            count,
            sources: at("sources").filter(of_numbers),
            original: ["original", ENCODED].into_iter().filter_map(text).collect(),
            first_seen: text("first_seen"),
            last_seen: text("last_seen"),
        };
        Ok(TableForm {
            columns,
            merged,
            groups,
        })
    }

    /// Whether the columns are the same, but for their codings.
    fn has_columns_of(&self, other: &TableForm) -> bool {
        let is_text = |kind: ColumnType| matches!(kind, ColumnType::Text | ColumnType::Word);
        let is_same = |(a, b): (&CopiedColumn, &CopiedColumn)| {
            let kinds = a.kind == b.kind || is_text(a.kind) && is_text(b.kind);
            a.name == b.name && kinds && a.nullable == b.nullable
        };
        let mut pairs = self.columns.iter().zip(&other.columns);
        self.columns.len() == other.columns.len() && pairs.all(is_same)
    }

    /// Returns the table that is written.
    ///
    /// # Errors
    /// A message.
    pub(super) fn table(&self) -> Result<Table, String> {
        let columns = self.columns.iter();
        let shapes: Vec<ColumnShape> = columns
            .map(|column| ColumnShape {
                name: &column.name,
                kind: column.kind,
                nullable: column.nullable,
            })
            .collect();
        let mut table = Table::new(&shapes).map_err(|error| error.to_string())?;
        table.groups_of(GROUP);
        Ok(table)
    }
}

fn is_empty((_, reader): &(PathBuf, SerializedFileReader<File>)) -> bool {
    reader.num_row_groups() == 0
}

fn foreign() -> String {
    "no table of URIs as -f parquet --sort writes it; merge lines or JSON Lines".to_owned()
}

impl OpenColumn {
    fn new(reader: ColumnReader, nullable: bool) -> Result<OpenColumn, String> {
        let batch = match reader {
            ColumnReader::ByteArrayColumnReader(reader) => ColumnBatch::Text(reader, Vec::new()),
            ColumnReader::Int32ColumnReader(reader) => ColumnBatch::Int32(reader, Vec::new()),
            ColumnReader::Int64ColumnReader(reader) => ColumnBatch::Int64(reader, Vec::new()),
            ColumnReader::BoolColumnReader(reader) => ColumnBatch::Flag(reader, Vec::new()),
            _ => return Err(foreign()),
        };
        Ok(OpenColumn {
            batch,
            nullable,
            levels: Vec::new(),
            value: 0,
        })
    }

    /// Reads the next rows; returns their number.
    fn read(&mut self) -> Result<usize, ParquetError> {
        fn records<T: DataType>(
            reader: &mut ColumnReaderImpl<T>,
            levels: Option<&mut Vec<i16>>,
            values: &mut Vec<T::T>,
        ) -> Result<usize, ParquetError> {
            values.clear();
            Ok(reader.read_records(STEP, levels, None, values)?.0)
        }
        self.levels.clear();
        self.value = 0;
        let levels = self.nullable.then_some(&mut self.levels);
        match &mut self.batch {
            ColumnBatch::Text(reader, values) => records(reader, levels, values),
            ColumnBatch::Int32(reader, values) => records(reader, levels, values),
            ColumnBatch::Int64(reader, values) => records(reader, levels, values),
            ColumnBatch::Flag(reader, values) => records(reader, levels, values),
        }
    }

    fn has_value(&self, row: usize) -> bool {
        !self.nullable || self.levels.get(row).is_some_and(|&level| level > 0)
    }

    /// The value of a row, before which all rows were passed.
    fn cell(&self, row: usize) -> Cell<'_> {
        if !self.has_value(row) {
            return Cell::Null;
        }
        let at = self.value;
        let found = match &self.batch {
            ColumnBatch::Text(_, values) => values.get(at).map(|text| Cell::Text(text.data())),
            ColumnBatch::Int32(_, values) => values.get(at).map(|&number| Cell::Int32(number)),
            ColumnBatch::Int64(_, values) => values.get(at).map(|&number| Cell::Int64(number)),
            ColumnBatch::Flag(_, values) => values.get(at).filter(|&&set| set).map(|_| Cell::Set),
        };
        found.unwrap_or(Cell::Null)
    }

    /// Passes a row.
    fn pass(&mut self, row: usize) {
        self.value += usize::from(self.has_value(row));
    }
}

impl SortedTable {
    fn said(&self, cause: &dyn std::fmt::Display) -> String {
        format!("{}: row {}: {cause}", self.name.display(), self.number)
    }

    /// Reads the next rows, of the next group if need be. Returns false after the last one.
    fn read(&mut self) -> Result<bool, String> {
        self.row = 0;
        loop {
            self.rows = 0;
            for (number, column) in self.columns.iter_mut().enumerate() {
                let read = column.read();
                let rows = read.map_err(|error| format!("{}: {error}", self.name.display()))?;
                if number > 0 && rows != self.rows {
                    let cause = "a column is shorter than another";
                    return Err(format!("{}: {cause}", self.name.display()));
                }
                self.rows = rows;
            }
            if self.rows > 0 {
                return Ok(true);
            }
            if self.group == self.reader.num_row_groups() {
                return Ok(false);
            }
            let failed = |error: ParquetError| format!("{}: {error}", self.name.display());
            let group = self.reader.get_row_group(self.group).map_err(failed)?;
            self.group += 1;
            self.columns.clear();
            for (number, column) in self.form.columns.iter().enumerate() {
                let reader = group.get_column_reader(number).map_err(failed)?;
                self.columns.push(OpenColumn::new(reader, column.nullable)?);
            }
        }
    }

    fn cell(&self, column: usize) -> Cell<'_> {
        self.columns
            .get(column)
            .map_or(Cell::Null, |column| column.cell(self.row))
    }

    /// Appends the texts of these columns of the current row, with a tab between them.
    fn texts(&self, columns: &[usize], out: &mut Vec<u8>) {
        out.clear();
        for (number, &column) in columns.iter().enumerate() {
            if number > 0 {
                out.push(b'\t');
            }
            if let Cell::Text(text) = self.cell(column) {
                out.extend_from_slice(text);
            }
        }
    }
}

impl SortedTable {
    /// Writes the spelling of the current row, which is in Base64 where it is not UTF-8.
    fn spelling_of_row(&self, out: &mut Vec<u8>) {
        out.clear();
        for &column in &self.form.merged.original {
            if let Cell::Text(text) = self.cell(column) {
                let is_encoded = self.form.columns[column].name == ENCODED;
                let decoded = is_encoded.then(|| BASE64_STANDARD.decode(text).ok());
                out.extend_from_slice(decoded.flatten().as_deref().unwrap_or(text));
            }
        }
    }
}

impl UriEntries for SortedTable {
    fn uri(&self) -> &[u8] {
        &self.uri
    }

    /// An error names the file and the row, from 1.
    fn advance(&mut self) -> Result<bool, String> {
        if self.row < self.rows {
            let row = self.row;
            self.columns.iter_mut().for_each(|column| column.pass(row));
            self.row += 1;
        }
        if self.row >= self.rows && !self.read()? {
            return Ok(false);
        }
        self.number += 1;
        let (mut uri, mut spelling) = std::mem::take(&mut self.buffer);
        self.texts(&self.form.merged.key, &mut uri);
        self.spelling_of_row(&mut spelling);
        if self.number > 1 {
            let cause = match uri.cmp(&self.uri) {
                std::cmp::Ordering::Less => {
                    Some("not in byte order; merge reads what --sort printed")
                }
                std::cmp::Ordering::Equal if !self.form.groups => {
                    Some("a second row of its URI; --groups merges spellings")
                }
                std::cmp::Ordering::Equal if spelling == self.spelling => {
                    Some("a second row of its spelling; merge reads what --groups --sort printed")
                }
                _ => None,
            };
            if let Some(cause) = cause {
                return Err(self.said(&cause));
            }
        }
        std::mem::swap(&mut self.uri, &mut uri);
        std::mem::swap(&mut self.spelling, &mut spelling);
        self.buffer = (uri, spelling);
        Ok(true)
    }
}

/// The rows with one URI.
#[derive(Debug, Default)]
pub(super) struct TableSum {
    /// The row that decides all that is not added up.
    first: Vec<OwnedCell>,
    /// The spelling of each row, what the row has of it, and the sum of its counts.
    spellings: Vec<(Vec<u8>, Vec<OwnedCell>, Option<i64>)>,
    /// The number of inputs.
    sources: Option<i64>,
    span: SpanSum,
}

impl TableSum {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.first.clear();
        self.spellings.clear();
        self.sources = None;
        self.span = SpanSum::default();
    }

    /// Adds the row at which a table is.
    pub(super) fn add(&mut self, row: &SortedTable) {
        let merged = &row.form.merged;
        if self.first.is_empty() {
            let cells = (0..row.form.columns.len()).map(|column| OwnedCell::of(row.cell(column)));
            self.first = cells.collect();
        }
        let number = |column: Option<usize>| match row.cell(column?) {
            Cell::Int64(number) => Some(number),
            _ => None,
        };
        let count = number(merged.count);
        self.sources = added(self.sources, number(merged.sources));
        let of_first = self.spellings.first_mut().filter(|_| !row.form.groups);
        let known = match of_first {
            Some(first) => Some(first),
            None => self.spellings.iter_mut().find(|it| it.0 == row.spelling),
        };
        match known {
            Some((_, _, sum)) => *sum = added(*sum, count),
            None => {
                let cells = merged
                    .original
                    .iter()
                    .map(|&at| OwnedCell::of(row.cell(at)));
                let spelling = (row.spelling.clone(), cells.collect(), count);
                self.spellings.push(spelling);
            }
        }
        let times = [merged.first_seen, merged.last_seen].map(|column| match row.cell(column?) {
            Cell::Text(time) => Some(time),
            _ => None,
        });
        self.span.add(times, instant);
    }

    /// Writes the rows of all, and returns their number.
    pub(super) fn write(&mut self, form: &TableForm, table: &mut Table, out: &mut Vec<u8>) -> u64 {
        let merged = &form.merged;
        // As the engine sorts spellings.
        self.spellings
            .sort_by(|a, b| b.2.cmp(&a.2).then_with(|| a.0.cmp(&b.0)));
        for (_, original, count) in &self.spellings {
            for (column, first) in self.first.iter().enumerate() {
                let place = merged.original.iter().position(|&at| at == column);
                let time = |number: usize| self.span.times()[number].map(Cell::Text);
                let cell = match column {
                    _ if Some(column) == merged.count => count.map(Cell::Int64),
                    _ if Some(column) == merged.sources => self.sources.map(Cell::Int64),
                    _ if Some(column) == merged.first_seen => time(0),
                    _ if Some(column) == merged.last_seen => time(1),
                    _ => place.and_then(|at| original.get(at)).map(OwnedCell::cell),
                };
                table.push(column, cell.unwrap_or(first.cell()));
            }
            table.end_row(out);
        }
        self.spellings.len() as u64
    }
}

/// Adds numbers, either of which may be missing.
fn added(sum: Option<i64>, number: Option<i64>) -> Option<i64> {
    match (sum, number) {
        (Some(sum), Some(number)) => Some(sum.saturating_add(number)),
        (sum, number) => sum.or(number),
    }
}
