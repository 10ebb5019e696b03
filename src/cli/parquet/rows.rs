//! Rows of tables, copied with all their columns (C10): the schema and its metadata, values,
//! NULLs and nesting stay as they are. A table is read again at the end of the run, only the
//! groups of rows that have any to copy.

use super::ParquetFile;
use crate::cli::inputs::InputNames;
use crate::cli::names;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::ColumnDescriptor;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// The number of rows that are copied at a time.
const STEP: usize = 1024;

/// Rows of tables that are to be copied.
pub(in crate::cli) struct RowCopy {
    names: InputNames,
    /// A table whose schema all have.
    first: PathBuf,
    /// The rows of each input.
    kept: Vec<(usize, RowSet)>,
}

/// Numbers of rows, a bit each.
#[derive(Default)]
struct RowSet(Vec<u64>);

impl RowSet {
    fn add(&mut self, row: u64) {
        let word = (row / 64) as usize;
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (row % 64);
    }

    fn has(&self, row: u64) -> bool {
        let word = self.0.get((row / 64) as usize);
        word.is_some_and(|word| word & 1 << (row % 64) != 0)
    }
}

impl RowCopy {
    /// Prepares the copy of rows of `tables`, which are equal by the `column` with this name, or
    /// the one that is chosen. Their inputs have these `names`.
    ///
    /// # Errors
    /// A message about a file that is not a table or lacks such a column, or one whose columns
    /// differ from those of the first.
    pub(in crate::cli) fn of(
        tables: &[PathBuf],
        column: Option<&str>,
        names: &InputNames,
    ) -> Result<RowCopy, String> {
        let opened = tables.iter().map(|path| {
            let table = ParquetFile::open_table(path);
            let keyed = table.and_then(|table| table.key_column(column).map(|_| table));
            match keyed {
                Ok(table) => Ok((path, table.0)),
                Err(cause) => Err(format!("{}: {cause}", path.display())),
            }
        });
        let mut opened = opened.collect::<Result<Vec<_>, _>>()?.into_iter();
        let Some((first, reader)) = opened.next() else {
            return Err("-o: rows are copied from tables of Parquet; name one".to_owned());
        };
        let schema = |reader: &SerializedFileReader<File>| {
            let about = reader.metadata().file_metadata();
            about.schema_descr().root_schema_ptr()
        };
        let wanted = schema(&reader);
        match opened.find(|(_, reader)| schema(reader).get_fields() != wanted.get_fields()) {
            Some((other, _)) => Err(format!(
                "{}: its columns are not those of {}; give it a run of its own",
                other.display(),
                first.display()
            )),
            None => Ok(RowCopy {
                names: names.clone(),
                first: first.clone(),
                kept: Vec::new(),
            }),
        }
    }

    /// Keeps a row, counted from 0, of an input. Inputs come in order.
    pub(in crate::cli) fn keep(&mut self, input: usize, row: u64) {
        if self.kept.last().is_none_or(|(last, _)| *last != input) {
            self.kept.push((input, RowSet::default()));
        }
        if let Some((_, rows)) = self.kept.last_mut() {
            rows.add(row);
        }
    }

    /// Passes the bytes of a table of the kept rows to `give`.
    ///
    /// # Errors
    /// A message about an input that cannot be read, or the error of `give`.
    pub(in crate::cli) fn write(
        &self,
        give: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<(), String> {
        let failed = |error: ParquetError| error.to_string();
        let like = ParquetFile::open_table(&self.first).map_err(|cause| cause.to_string())?;
        let mut writer = writer_like(&like.0).map_err(failed)?;
        let mut give = |writer: &mut SerializedFileWriter<Vec<u8>>| {
            let bytes = writer.inner_mut();
            let given = give(bytes).map_err(|error| error.to_string());
            bytes.clear();
            given
        };
        for (input, rows) in &self.kept {
            let name = self.names.get(*input);
            let path = names::path(&name);
            let of_input = |cause: &dyn std::fmt::Display| format!("{}: {cause}", path.display());
            let table = ParquetFile::open_table(&path).map_err(|cause| of_input(&cause))?;
            let reader = &table.0;
            let mut from = 0;
            for number in 0..reader.num_row_groups() {
                let group = reader.get_row_group(number);
                let group = group.map_err(|error| of_input(&error))?;
                let len = u64::try_from(group.metadata().num_rows()).unwrap_or_default();
                let range = from..from + len;
                from = range.end;
                if range.clone().any(|row| rows.has(row)) {
                    let copied = copy_group(&*group, rows, range, &mut writer);
                    copied.map_err(|error| of_input(&error))?;
                    give(&mut writer)?;
                }
            }
        }
        writer.finish().map_err(failed)?;
        give(&mut writer)
    }
}

/// Returns a writer of a table with the schema, the metadata and the codecs of another one.
fn writer_like(
    table: &SerializedFileReader<File>,
) -> Result<SerializedFileWriter<Vec<u8>>, ParquetError> {
    let about = table.metadata();
    let file = about.file_metadata();
    let mut properties =
        WriterProperties::builder().set_key_value_metadata(file.key_value_metadata().cloned());
    for column in about.row_groups().first().iter().flat_map(|g| g.columns()) {
        properties =
            properties.set_column_compression(column.column_path().clone(), column.compression());
    }
    let schema = file.schema_descr().root_schema_ptr();
    SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build()))
}

/// Copies the `kept` rows of a group, whose rows have the numbers in `range`.
fn copy_group(
    group: &dyn RowGroupReader,
    kept: &RowSet,
    range: Range<u64>,
    out: &mut SerializedFileWriter<Vec<u8>>,
) -> Result<(), ParquetError> {
    let mut out = out.next_row_group()?;
    for number in 0..group.num_columns() {
        let about = group.metadata().column(number).column_descr_ptr();
        let rows = ColumnRows {
            about: &about,
            kept,
            range: range.clone(),
        };
        let reader = group.get_column_reader(number)?;
        let Some(mut writer) = out.next_column()? else {
            return Err(ParquetError::General("a column is missing".to_owned()));
        };
        macro_rules! copy {
            ($($of:ident => $to:ident)*) => {
                match (reader, writer.untyped()) {
                    $((ColumnReader::$of(reader), ColumnWriter::$to(writer)) => {
                        rows.copy(reader, writer)
                    })*
                    _ => Err(ParquetError::General("a column of another type".to_owned())),
                }
            };
        }
        copy! {
            BoolColumnReader => BoolColumnWriter
            Int32ColumnReader => Int32ColumnWriter
            Int64ColumnReader => Int64ColumnWriter
            Int96ColumnReader => Int96ColumnWriter
            FloatColumnReader => FloatColumnWriter
            DoubleColumnReader => DoubleColumnWriter
            ByteArrayColumnReader => ByteArrayColumnWriter
            FixedLenByteArrayColumnReader => FixedLenByteArrayColumnWriter
        }?;
        writer.close()?;
    }
    out.close()?;
    Ok(())
}

/// The rows of a column that are copied.
struct ColumnRows<'r> {
    about: &'r ColumnDescriptor,
    kept: &'r RowSet,
    range: Range<u64>,
}

impl ColumnRows<'_> {
    fn copy<T: DataType>(
        &self,
        mut reader: ColumnReaderImpl<T>,
        writer: &mut ColumnWriterImpl<'_, T>,
    ) -> Result<(), ParquetError> {
        let defined = self.about.max_def_level();
        let repeats = self.about.max_rep_level() > 0;
        let (mut values, mut definitions, mut repetitions) = (Vec::new(), Vec::new(), Vec::new());
        let mut row = self.range.start;
        while row < self.range.end {
            values.clear();
            definitions.clear();
            repetitions.clear();
            let (rows, _, _) = reader.read_records(
                STEP,
                (defined > 0).then_some(&mut definitions),
                repeats.then_some(&mut repetitions),
                &mut values,
            )?;
            if rows == 0 {
                let cause = "a column has fewer rows than its group";
                return Err(ParquetError::General(cause.to_owned()));
            }
            let mut kept = (Vec::new(), Vec::new(), Vec::new());
            let (mut level, mut value) = (0, 0);
            for number in row..row + rows as u64 {
                // A row goes on as long as its levels repeat.
                let after = repetitions.get(level + 1..).unwrap_or_default();
                let more = after.iter().position(|repetition| *repetition == 0);
                let more = if repeats {
                    more.unwrap_or(after.len())
                } else {
                    0
                };
                let levels = level..level + 1 + more;
                let of_row: &[i16] = definitions.get(levels.clone()).unwrap_or_default();
                let count = match defined {
                    0 => 1,
                    _ => of_row.iter().filter(|level| **level == defined).count(),
                };
                if self.kept.has(number) {
                    kept.0
                        .extend_from_slice(values.get(value..value + count).unwrap_or_default());
                    kept.1.extend_from_slice(of_row);
                    let of_row = repetitions.get(levels.clone()).unwrap_or_default();
                    kept.2.extend_from_slice(of_row);
                }
                (level, value) = (levels.end, value + count);
            }
            let (values, definitions, repetitions) = &kept;
            writer.write_batch(
                values,
                (defined > 0).then_some(definitions),
                repeats.then_some(repetitions),
            )?;
            row += rows as u64;
        }
        Ok(())
    }
}
