//! Tables for data warehouses: Apache Parquet. Rows are kept until a group of
//! them is full, then given on as bytes, so the memory needed does not grow with
//! the number of rows, apart from the footer: some hundred bytes for each group.

use super::{Form, FormError, archive_surt};
use crate::item::Finding;
use crate::syntax::{Components, domain, urn};
use base64::prelude::{BASE64_STANDARD, Engine};
use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::column::writer::ColumnWriter;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use std::sync::Arc;

/// The most rows of a group.
const ROWS: usize = 122_880;
/// The most bytes of text of a group, but for the last row.
const BYTES: usize = 16 << 20;
/// Values that are handed over at a time.
const STEP: usize = 1024;

/// A row for each finding, the columns named as in Common Crawl's index where it
/// has them, compressed with zstd: `url` (canonical), `url_surtkey`,
/// `url_host_name`, `url_host_registered_domain`, `url_host_tld`, `url_protocol`,
/// `url_port` (INT32), `url_path`, `url_query`, `original`, `original_b64`,
/// `urn_nid`, `count` (INT64), `first_file`, `first_offset` (INT64); the last two are
/// `file` and `offset` where rows are [occurrences](Parquet::occurrences). What does not
/// apply is null, and so is a port that is no number of 16 bits. Text is UTF-8;
/// `original` is null and `original_b64` has it where it is not. Each spelling of a
/// class has a row of its own, with its count.
///
/// ```
/// use urisieve::{engine::Sieve, item::Finding, output::{Form, Parquet}};
/// let (mut form, mut out) = (Parquet::new()?, Vec::new());
/// form.begin(&mut out);
/// Sieve::builder().build().slice(b"http://a/", &mut |finding: &Finding<'_>| {
///     form.write(finding, b"f.txt", &mut out);
/// })?;
/// form.finish(&mut out)?;
/// assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Parquet {
    table: Table,
    surt: Vec<u8>,
}

/// A table on its way.
struct Table {
    /// Writes into a buffer that is emptied after each group.
    writer: SerializedFileWriter<Vec<u8>>,
    columns: Vec<Column>,
    rows: usize,
    /// Bytes of text in the columns.
    bytes: usize,
    /// Why the rows after some group are not there.
    failed: Option<FormError>,
}

/// The name and type of a column, whether it can be null, and what it says.
type Shape = (&'static str, Kind, bool, &'static str);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Text that seldom repeats.
    Text,
    /// Text that often repeats: kept in a dictionary.
    Word,
    Int32,
    Int64,
}

const SHAPES: [Shape; 15] = [
    ("url", Kind::Text, false, "the canonical form"),
    (
        "url_surtkey",
        Kind::Text,
        false,
        "its key in the indexes of web archives",
    ),
    ("url_host_name", Kind::Word, true, "its host"),
    (
        "url_host_registered_domain",
        Kind::Word,
        true,
        "by ICANN's part of the public suffix list",
    ),
    (
        "url_host_tld",
        Kind::Word,
        true,
        "the last label of its host",
    ),
    ("url_protocol", Kind::Word, true, "its scheme"),
    (
        "url_port",
        Kind::Int32,
        true,
        "its port, when it is a number of 16 bits",
    ),
    ("url_path", Kind::Text, false, "its path"),
    ("url_query", Kind::Text, true, "its query"),
    ("original", Kind::Text, true, "as written, after unwrapping"),
    (
        "original_b64",
        Kind::Text,
        true,
        "the same in Base64, when it is not UTF-8",
    ),
    ("urn_nid", Kind::Word, true, "namespace identifier of a URN"),
    (
        "count",
        Kind::Int64,
        true,
        "occurrences of its class, where they are counted",
    ),
    (
        "first_file",
        Kind::Word,
        false,
        "the input that it was found in",
    ),
    (
        "first_offset",
        Kind::Int64,
        false,
        "raw bytes from the start of that input",
    ),
];

/// The columns that have other names where every occurrence has a row.
const OF_OCCURRENCES: [(&str, &str); 2] = [("first_file", "file"), ("first_offset", "offset")];

/// The values of a column in the group that is not full.
struct Column {
    nullable: bool,
    values: Values,
    /// For each row whether it has a value, 1 or 0.
    levels: Vec<i16>,
}

enum Values {
    /// Texts one after the other, and the end of each.
    Text(Vec<u8>, Vec<usize>),
    Int32(Vec<i32>),
    Int64(Vec<i64>),
}

/// A value, or that there is none.
#[derive(Clone, Copy)]
enum Value<'v> {
    Text(Option<&'v [u8]>),
    Int32(Option<i32>),
    Int64(Option<i64>),
}

impl Parquet {
    /// A table without rows.
    ///
    /// # Errors
    /// None that is known.
    ///
    /// ```
    /// use urisieve::output::{Form, Parquet};
    /// let (mut form, mut out) = (Parquet::new()?, Vec::new());
    /// form.begin(&mut out);
    /// form.finish(&mut out)?;
    /// assert!(out.len() > 8);
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn new() -> Result<Parquet, FormError> {
        Parquet::of(&SHAPES)
    }

    /// A table without rows, of which every occurrence has one: `file` and `offset`
    /// tell its place.
    ///
    /// # Errors
    /// None that is known.
    ///
    /// ```
    /// use urisieve::output::{Form, Parquet};
    /// let (mut form, mut out) = (Parquet::occurrences()?, Vec::new());
    /// form.begin(&mut out);
    /// form.finish(&mut out)?;
    /// assert!(!out.windows(10).any(|bytes| bytes == b"first_file"));
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn occurrences() -> Result<Parquet, FormError> {
        Parquet::of(&SHAPES.map(|(name, kind, nullable, meaning)| {
            let other = OF_OCCURRENCES.into_iter().find(|(first, _)| *first == name);
            let name = other.map_or(name, |(_, occurrence)| occurrence);
            (name, kind, nullable, meaning)
        }))
    }

    fn of(shapes: &[Shape]) -> Result<Parquet, FormError> {
        Ok(Parquet {
            table: Table::new(shapes)?,
            surt: Vec::new(),
        })
    }

    /// The columns by name, and what they say.
    ///
    /// ```
    /// use urisieve::output::Parquet;
    /// assert_eq!(Parquet::columns().next(), Some(("url", "the canonical form")));
    /// ```
    pub fn columns() -> impl Iterator<Item = (&'static str, &'static str)> {
        let columns = SHAPES.into_iter();
        let columns = columns.map(|(name, _, _, meaning)| (name, meaning));
        columns.chain([
            ("file", "--all: instead of first_file"),
            ("offset", "--all: instead of first_offset"),
        ])
    }
}

/// How often each part of URIs occurs, as a table of two columns: the part, null where
/// URIs do not have it, and `count` (INT64).
///
/// ```
/// use urisieve::engine::{CountBy, Mode, Sieve};
/// use urisieve::{item::Finding, output::{Form, ParquetTally}};
/// let sieve = Sieve::builder().mode(Mode::Count).by(CountBy::Host).build();
/// let (mut form, mut out) = (ParquetTally::new("host")?, Vec::new());
/// form.begin(&mut out);
/// sieve.slice(b"http://a.example/1 urn:x-y:1", &mut |f: &Finding<'_>| {
///     form.write(f, b"f.txt", &mut out);
/// })?;
/// form.finish(&mut out)?;
/// assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ParquetTally {
    table: Table,
    names: bool,
}

impl ParquetTally {
    /// A table without rows; `part` is what is counted.
    ///
    /// # Errors
    /// None that is known.
    ///
    /// ```
    /// use urisieve::output::{Form, ParquetTally};
    /// let (mut form, mut out) = (ParquetTally::new("host")?, Vec::new());
    /// form.begin(&mut out);
    /// form.finish(&mut out)?;
    /// assert!(out.len() > 8);
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn new(part: &'static str) -> Result<ParquetTally, FormError> {
        let shapes = [
            (part, Kind::Text, true, "the part"),
            ("count", Kind::Int64, false, "its occurrences"),
        ];
        Ok(ParquetTally {
            table: Table::new(&shapes)?,
            names: false,
        })
    }

    /// Whether the name of the input is the part; default no.
    ///
    /// ```
    /// use urisieve::output::ParquetTally;
    /// let form = ParquetTally::new("file")?.names(true);
    /// # drop(form);
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn names(mut self, names: bool) -> ParquetTally {
        self.names = names;
        self
    }
}

impl Table {
    fn new(shapes: &[Shape]) -> Result<Table, FormError> {
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            // Of a group only one page at a time is to be unpacked by readers.
            .set_data_page_size_limit(1 << 20);
        for &(name, kind, _, _) in shapes {
            properties = properties
                .set_column_dictionary_enabled(ColumnPath::from(name), kind != Kind::Text);
        }
        let schema = schema(shapes).map_err(failure)?;
        let writer = SerializedFileWriter::new(Vec::new(), schema, Arc::new(properties.build()));
        let column = |&(_, kind, nullable, _): &Shape| Column {
            nullable,
            values: match kind {
                Kind::Text | Kind::Word => Values::Text(Vec::new(), Vec::new()),
                Kind::Int32 => Values::Int32(Vec::new()),
                Kind::Int64 => Values::Int64(Vec::new()),
            },
            levels: Vec::new(),
        };
        Ok(Table {
            writer: writer.map_err(failure)?,
            columns: shapes.iter().map(column).collect(),
            rows: 0,
            bytes: 0,
            failed: None,
        })
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        out.append(self.writer.inner_mut());
    }

    /// Adds a row, of which a full group may be written.
    fn push(&mut self, values: &[Value], out: &mut Vec<u8>) {
        for (column, &value) in self.columns.iter_mut().zip(values) {
            self.bytes += column.push(value);
        }
        self.rows += 1;
        if self.rows >= ROWS || self.bytes >= BYTES {
            self.write_rows(out);
        }
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        self.write_rows(out);
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        self.writer.finish().map_err(failure)?;
        out.append(self.writer.inner_mut());
        Ok(())
    }

    /// Writes the rows as a group, and gives on what is written.
    fn write_rows(&mut self, out: &mut Vec<u8>) {
        if self.rows > 0
            && self.failed.is_none()
            && let Err(error) = self.write_group_of_rows()
        {
            self.failed = Some(failure(error));
        }
        self.columns.iter_mut().for_each(Column::clear);
        (self.rows, self.bytes) = (0, 0);
        out.append(self.writer.inner_mut());
    }

    fn write_group_of_rows(&mut self) -> Result<(), ParquetError> {
        let mut group = self.writer.next_row_group()?;
        for column in &mut self.columns {
            if let Some(mut writer) = group.next_column()? {
                column.write(writer.untyped())?;
                writer.close()?;
            }
        }
        group.close()?;
        Ok(())
    }
}

fn failure(error: ParquetError) -> FormError {
    FormError::new(error.to_string())
}

fn schema(shapes: &[Shape]) -> Result<TypePtr, ParquetError> {
    let field = |&(name, kind, nullable, _): &Shape| -> Result<TypePtr, ParquetError> {
        let (physical, logical) = match kind {
            Kind::Text | Kind::Word => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Kind::Int32 => (Physical::INT32, None),
            Kind::Int64 => (Physical::INT64, None),
        };
        let repetition = match nullable {
            true => Repetition::OPTIONAL,
            false => Repetition::REQUIRED,
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_logical_type(logical)
            .with_repetition(repetition);
        Ok(Arc::new(field.build()?))
    };
    let fields = shapes.iter().map(field).collect::<Result<_, _>>()?;
    let group = Type::group_type_builder("urisieve").with_fields(fields);
    Ok(Arc::new(group.build()?))
}

impl Column {
    /// Adds a value; gives the bytes of its text.
    fn push(&mut self, value: Value) -> usize {
        let (present, len) = match (&mut self.values, value) {
            (Values::Text(texts, ends), Value::Text(Some(text))) => {
                let from = texts.len();
                push_utf8(text, texts);
                ends.push(texts.len());
                (true, texts.len() - from)
            }
            (Values::Int32(numbers), Value::Int32(Some(number))) => {
                numbers.push(number);
                (true, 0)
            }
            (Values::Int64(numbers), Value::Int64(Some(number))) => {
                numbers.push(number);
                (true, 0)
            }
            _ => (false, 0),
        };
        if self.nullable {
            self.levels.push(i16::from(present));
        }
        len
    }

    fn clear(&mut self) {
        self.levels.clear();
        match &mut self.values {
            Values::Text(texts, ends) => {
                texts.clear();
                ends.clear();
            }
            Values::Int32(numbers) => numbers.clear(),
            Values::Int64(numbers) => numbers.clear(),
        }
    }

    fn write(&mut self, writer: &mut ColumnWriter) -> Result<(), ParquetError> {
        let levels = self.nullable.then_some(&self.levels[..]);
        match (&mut self.values, writer) {
            (Values::Int32(numbers), ColumnWriter::Int32ColumnWriter(writer)) => {
                writer.write_batch(numbers, levels, None)?;
            }
            (Values::Int64(numbers), ColumnWriter::Int64ColumnWriter(writer)) => {
                writer.write_batch(numbers, levels, None)?;
            }
            (Values::Text(texts, ends), ColumnWriter::ByteArrayColumnWriter(writer)) => {
                let texts = ByteArray::from(std::mem::take(texts));
                let mut from = 0;
                let mut values = ends.iter().map(|&end| {
                    let text = texts.slice(from, end - from);
                    from = end;
                    text
                });
                let mut some = Vec::with_capacity(STEP);
                match levels {
                    Some(levels) => {
                        for levels in levels.chunks(STEP) {
                            let count = levels.iter().filter(|&&level| level == 1).count();
                            some.extend(values.by_ref().take(count));
                            writer.write_batch(&some, Some(levels), None)?;
                            some.clear();
                        }
                    }
                    None => loop {
                        some.extend(values.by_ref().take(STEP));
                        if some.is_empty() {
                            break;
                        }
                        writer.write_batch(&some, None, None)?;
                        some.clear();
                    },
                }
            }
            // The schema is made of the same table as the columns.
            _ => return Err(ParquetError::General("a column of another type".to_owned())),
        }
        Ok(())
    }
}

/// Appends `text`, U+FFFD where it is not UTF-8.
fn push_utf8(text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(String::from_utf8_lossy(text).as_bytes());
}

impl Form for Parquet {
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.table.begin(out);
    }

    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        let uri = finding.uri;
        let parts = Components::parse(uri);
        let host = parts.host(uri);
        let mut key = std::mem::take(&mut self.surt);
        key.clear();
        archive_surt(uri, &mut key);
        let port = parts.port(uri).and_then(|p| std::str::from_utf8(p).ok());
        let port: Option<u16> = port.and_then(|port| port.parse().ok());
        let (original, encoded) = match std::str::from_utf8(finding.original) {
            Ok(original) => (Some(original), None),
            Err(_) => (None, Some(BASE64_STANDARD.encode(finding.original))),
        };
        let row = [
            Value::Text(Some(uri)),
            Value::Text(Some(&key)),
            Value::Text(host),
            Value::Text(host.and_then(domain::registered_domain)),
            Value::Text(host.and_then(domain::top_level)),
            Value::Text(parts.scheme(uri)),
            Value::Int32(port.map(i32::from)),
            Value::Text(Some(parts.path(uri))),
            Value::Text(parts.query(uri)),
            Value::Text(original.map(str::as_bytes)),
            Value::Text(encoded.as_deref().map(str::as_bytes)),
            Value::Text(urn::nid(uri)),
            Value::Int64(finding.count.map(saturated)),
            Value::Text(Some(name)),
            Value::Int64(Some(saturated(finding.offset))),
        ];
        self.table.push(&row, out);
        self.surt = key;
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        self.table.finish(out)
    }
}

impl Form for ParquetTally {
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.table.begin(out);
    }

    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        let part = match self.names {
            true => name,
            false => finding.uri,
        };
        let count = saturated(finding.count.unwrap_or(1));
        let part = Value::Text(Some(part).filter(|part| !part.is_empty()));
        self.table.push(&[part, Value::Int64(Some(count))], out);
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        self.table.finish(out)
    }
}

/// No file is longer than 8 EiB.
fn saturated(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;

    fn finding<'f>(uri: &'f [u8], original: &'f [u8], count: Option<u64>) -> Finding<'f> {
        Finding {
            uri,
            original,
            input: 0,
            offset: 3,
            length: 9,
            place: None,
            context: Default::default(),
            alternative: None,
            marks: Default::default(),
            count,
        }
    }

    /// The rows of a table, as the text of their fields.
    fn rows(bytes: Vec<u8>) -> (usize, Vec<Vec<String>>) {
        let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
        let groups = reader.num_row_groups();
        let row = |row: parquet::record::Row| {
            let field = |field: &Field| match field {
                Field::Str(text) => text.clone(),
                other => other.to_string(),
            };
            row.get_column_iter().map(|(_, f)| field(f)).collect()
        };
        let rows = reader.get_row_iter(None).unwrap();
        (groups, rows.map(|r| row(r.unwrap())).collect())
    }

    #[test]
    fn what_is_written_is_read() {
        let mut form = Parquet::new().unwrap();
        let mut out = Vec::new();
        form.begin(&mut out);
        let url = b"http://www.a.co.uk:8080/p?q#f";
        form.write(&finding(url, b"x\xFF", Some(5)), b"f\xFF", &mut out);
        let urn = b"urn:isbn:0395363411";
        form.write(&finding(urn, b"URN:isbn:0395363411", None), b"g", &mut out);
        form.finish(&mut out).unwrap();
        let (groups, rows) = rows(out);
        assert_eq!(groups, 1);
        let url = [
            "http://www.a.co.uk:8080/p?q#f",
            "uk,co,a:8080)/p?q",
            "www.a.co.uk",
            "a.co.uk",
            "uk",
            "http",
            "8080",
            "/p",
            "q",
            "null",
            "eP8=",
            "null",
            "5",
            "f\u{FFFD}",
            "3",
        ];
        assert_eq!(rows[0], url);
        let urn = [
            "urn:isbn:0395363411",
            "urn:isbn:0395363411",
            "null",
            "null",
            "null",
            "urn",
            "null",
            "isbn:0395363411",
            "null",
            "URN:isbn:0395363411",
            "null",
            "isbn",
            "null",
            "g",
            "3",
        ];
        assert_eq!(rows[1], urn);
    }

    #[test]
    fn groups_are_bounded_and_given_on() {
        let mut form = Parquet::new().unwrap();
        let mut out = Vec::new();
        form.begin(&mut out);
        let count = ROWS + STEP + 1;
        let mut given = 0;
        for number in 0..count {
            let uri = match number % 3 {
                0 => format!("urn:a-b:{number}"),
                _ => format!("http://a.example/{number}"),
            };
            form.write(
                &finding(uri.as_bytes(), uri.as_bytes(), None),
                b"f",
                &mut out,
            );
            given += usize::from(number == ROWS - 1 && out.len() > 100_000);
        }
        form.finish(&mut out).unwrap();
        assert_eq!(given, 1);
        let (groups, rows) = rows(out);
        assert_eq!((groups, rows.len()), (2, count));
        for (number, row) in rows.iter().enumerate() {
            let (uri, host) = match number % 3 {
                0 => (format!("urn:a-b:{number}"), "null"),
                _ => (format!("http://a.example/{number}"), "a.example"),
            };
            assert_eq!((&row[0], &row[2][..], &row[9]), (&uri, host, &uri));
        }
    }

    #[test]
    fn long_rows_fill_a_group_too() {
        let mut form = Parquet::new().unwrap();
        let mut out = Vec::new();
        form.begin(&mut out);
        let uri = format!("http://a.example/{}", "x".repeat(60_000));
        for _ in 0..300 {
            form.write(
                &finding(uri.as_bytes(), uri.as_bytes(), None),
                b"f",
                &mut out,
            );
        }
        assert!(form.table.bytes < BYTES && form.table.rows < 300);
        form.finish(&mut out).unwrap();
        let (groups, rows) = rows(out);
        assert_eq!(rows.len(), 300);
        assert!(groups > 3);
    }
}
