//! Apache Parquet, for data warehouses.

use super::fields::{self, COLUMNS, FIELDS, Field};
use super::form::{Form, FormError};
use super::surt::archive_surt;
use super::table::{Cell, ColumnShape, ColumnType, Table};
use super::value::{Row, Value};
use crate::item::Finding;
use crate::syntax::domain;
use std::fmt;

/// A row for each finding, compressed with zstd. The first columns are those of Common
/// Crawl's index, with its names: `url` (canonical), `url_surtkey`, `url_host_name`,
/// `url_host_registered_domain`, `url_host_tld`, `url_protocol`, `url_port` (INT32),
/// `url_path`, `url_query`, then `original`, `original_b64`, `urn_nid`, `count`,
/// `first_file`, `first_offset`; the last two are `file` and `offset` where rows are
/// [occurrences](Parquet::occurrences). After them come the other
/// [`FIELDS`](super::FIELDS) with their names: numbers as INT64, flags as BOOLEAN,
/// codes of problems separated by `;`. Absent values are null, and so is a port that is
/// not a number of 16 bits. Text is UTF-8; where the original is not, `original` is
/// null and `original_b64` contains it. Each spelling of a class has a row of its own,
/// with its count.
///
/// ```
/// use urisieve::{engine::Sieve, output::{Form, Parquet}};
/// let (mut form, mut out) = (Parquet::new()?, Vec::new());
/// form.begin(&mut out);
/// Sieve::builder().build().for_each(b"http://a/", |finding| {
///     form.write(finding, b"f.txt", &mut out);
/// })?;
/// form.finish(&mut out)?;
/// assert!(out.starts_with(b"PAR1") && out.ends_with(b"PAR1"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Parquet {
    table: Table,
    columns: Vec<ParquetColumn>,
    surt: Vec<u8>,
}

/// A column, and the source of its values.
#[derive(Clone, Copy)]
struct ParquetColumn {
    shape: ColumnShape<'static>,
    meaning: &'static str,
    source: ValueSource,
}

/// The source of the values of a column.
#[derive(Clone, Copy)]
enum ValueSource {
    Field(&'static Field),
    Surt,
    RegisteredDomain,
    TopLevel,
    /// The field `port`, as a number.
    Port,
}

const fn column(
    name: &'static str,
    kind: ColumnType,
    nullable: bool,
    meaning: &'static str,
    source: ValueSource,
) -> ParquetColumn {
    ParquetColumn {
        shape: ColumnShape {
            name,
            kind,
            nullable,
        },
        meaning,
        source,
    }
}

/// Returns the field `name`; an unknown name does not compile.
const fn named(name: &str) -> &'static Field {
    let mut at = 0;
    while !is_same(FIELDS[at].name.as_bytes(), name.as_bytes()) {
        at += 1;
    }
    &FIELDS[at]
}

const fn is_same(a: &[u8], b: &[u8]) -> bool {
    match (a, b) {
        ([a, rest_a @ ..], [b, rest_b @ ..]) => *a == *b && is_same(rest_a, rest_b),
        (a, b) => a.is_empty() && b.is_empty(),
    }
}

/// The columns with names of their own.
const FIRST: [ParquetColumn; 15] = [
    column(
        "url",
        ColumnType::Text,
        false,
        "the canonical form",
        ValueSource::Field(named("uri")),
    ),
    column(
        "url_surtkey",
        ColumnType::Text,
        false,
        "its key in the indexes of web archives",
        ValueSource::Surt,
    ),
    column(
        "url_host_name",
        ColumnType::Word,
        true,
        "its host",
        ValueSource::Field(named("host")),
    ),
    column(
        "url_host_registered_domain",
        ColumnType::Word,
        true,
        "by the ICANN section of the public suffix list",
        ValueSource::RegisteredDomain,
    ),
    column(
        "url_host_tld",
        ColumnType::Word,
        true,
        "the last label of its host",
        ValueSource::TopLevel,
    ),
    column(
        "url_protocol",
        ColumnType::Word,
        true,
        "its scheme",
        ValueSource::Field(named("scheme")),
    ),
    column(
        "url_port",
        ColumnType::Int32,
        true,
        "its port, when it is a number of 16 bits",
        ValueSource::Port,
    ),
    column(
        "url_path",
        ColumnType::Text,
        false,
        "its path",
        ValueSource::Field(named("path")),
    ),
    column(
        "url_query",
        ColumnType::Text,
        true,
        "its query",
        ValueSource::Field(named("query")),
    ),
    column(
        "original",
        ColumnType::Text,
        true,
        "as written, after unwrapping",
        ValueSource::Field(named("original")),
    ),
    column(
        "original_b64",
        ColumnType::Text,
        true,
        "the same in Base64, when it is not UTF-8",
        ValueSource::Field(named("original_b64")),
    ),
    column(
        "urn_nid",
        ColumnType::Word,
        true,
        "namespace identifier of a URN",
        ValueSource::Field(named("nid")),
    ),
    column(
        "count",
        ColumnType::Int64,
        true,
        "occurrences of its class, where they are counted",
        ValueSource::Field(named("count")),
    ),
    column(
        "first_file",
        ColumnType::Word,
        false,
        "the input that it was found in",
        ValueSource::Field(named("file")),
    ),
    column(
        "first_offset",
        ColumnType::Int64,
        false,
        "raw bytes from the start of that input",
        ValueSource::Field(named("offset")),
    ),
];

/// The columns with other names where every occurrence has a row.
const OF_OCCURRENCES: [(&str, &str); 2] = [("first_file", "file"), ("first_offset", "offset")];

/// Fields whose values seldom repeat.
const SELDOM_REPEATED: [&str; 3] = ["uri_b64", "fragment", "alternative"];

/// Returns all columns: those with names of their own, then the other fields.
fn columns() -> impl Iterator<Item = ParquetColumn> {
    let is_first = |field: &Field| {
        FIRST.iter().any(|column| match column.source {
            ValueSource::Field(first) => first.name == field.name,
            ValueSource::Port => field.name == "port",
            ValueSource::Surt | ValueSource::RegisteredDomain | ValueSource::TopLevel => false,
        })
    };
    let others = COLUMNS.iter().filter(move |field| !is_first(field));
    FIRST.into_iter().chain(others.map(|&field| {
        let kind = match field.kind {
            fields::FieldKind::Number => ColumnType::Int64,
            fields::FieldKind::Flag => ColumnType::Flag,
            _ if SELDOM_REPEATED.contains(&field.name) => ColumnType::Text,
            _ => ColumnType::Word,
        };
        let source = ValueSource::Field(field);
        column(field.name, kind, !field.always, field.meaning, source)
    }))
}

impl fmt::Debug for Parquet {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut shown = f.debug_struct("Parquet");
        shown
            .field("rows", &self.table.rows)
            .finish_non_exhaustive()
    }
}

impl Parquet {
    /// Creates a table without rows.
    ///
    /// # Errors
    /// No cause is known.
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
        Parquet::of(columns().collect())
    }

    /// Creates a table without rows for occurrences: `file` and `offset` are the
    /// position of each.
    ///
    /// # Errors
    /// No cause is known.
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
        let renamed = columns().map(|mut column| {
            let name = &mut column.shape.name;
            let other = OF_OCCURRENCES.iter().find(|(first, _)| first == name);
            *name = other.map_or(*name, |(_, occurrence)| occurrence);
            column
        });
        Parquet::of(renamed.collect())
    }

    /// Sets the most bytes of text of a group of rows, which is held in memory; default
    /// 16 MiB. Groups of less than 16 MiB have fewer rows in proportion, at most 122,880.
    ///
    /// ```
    /// use urisieve::output::{Form, Parquet};
    /// let (mut form, mut out) = (Parquet::new()?.groups_of(1 << 20), Vec::new());
    /// form.begin(&mut out);
    /// form.finish(&mut out)?;
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn groups_of(mut self, bytes: usize) -> Parquet {
        self.table.groups_of(bytes);
        self
    }

    fn of(columns: Vec<ParquetColumn>) -> Result<Parquet, FormError> {
        let shapes: Vec<ColumnShape> = columns.iter().map(|column| column.shape).collect();
        Ok(Parquet {
            table: Table::new(&shapes)?,
            columns,
            surt: Vec::new(),
        })
    }

    /// Returns the names and descriptions of the columns.
    ///
    /// ```
    /// use urisieve::output::Parquet;
    /// assert_eq!(Parquet::columns().next(), Some(("url", "the canonical form")));
    /// ```
    pub fn columns() -> impl Iterator<Item = (&'static str, &'static str)> {
        let columns = columns().map(|column| (column.shape.name, column.meaning));
        columns.chain([
            ("file", "--all: instead of first_file"),
            ("offset", "--all: instead of first_offset"),
        ])
    }
}

/// The number of occurrences of each part of URIs, as a table of two columns: the part,
/// null where URIs lack it, and `count` (INT64).
///
/// ```
/// use urisieve::engine::{CountBy, Mode, Sieve};
/// use urisieve::{output::{Form, ParquetTally}};
/// let sieve = Sieve::builder().mode(Mode::Count).count_by(CountBy::Host).build();
/// let (mut form, mut out) = (ParquetTally::new("host")?, Vec::new());
/// form.begin(&mut out);
/// sieve.for_each(b"http://a.example/1 urn:x-y:1", |f| {
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

impl fmt::Debug for ParquetTally {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let mut shown = f.debug_struct("ParquetTally");
        shown
            .field("rows", &self.table.rows)
            .finish_non_exhaustive()
    }
}

impl ParquetTally {
    /// Creates a table without rows; `part` is the name of the part.
    ///
    /// # Errors
    /// No cause is known.
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
        let shape = |name, kind, nullable| ColumnShape {
            name,
            kind,
            nullable,
        };
        let shapes = [
            shape(part, ColumnType::Text, true),
            shape("count", ColumnType::Int64, false),
        ];
        Ok(ParquetTally {
            table: Table::new(&shapes)?,
            names: false,
        })
    }

    /// Sets whether the part is the name of the input; default no.
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

    /// Sets the most bytes of text of a group of rows, which is held in memory; default
    /// 16 MiB. Groups of less than 16 MiB have fewer rows in proportion, at most 122,880.
    ///
    /// ```
    /// use urisieve::output::ParquetTally;
    /// let form = ParquetTally::new("host")?.groups_of(1 << 20);
    /// # drop(form);
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn groups_of(mut self, bytes: usize) -> ParquetTally {
        self.table.groups_of(bytes);
        self
    }
}

impl Form for Parquet {
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.table.begin(out);
    }

    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        let row = Row::new(finding, name);
        let host = row.host();
        for (number, column) in self.columns.iter().enumerate() {
            let cell = match column.source {
                ValueSource::Field(field) => {
                    push_value(number, (field.value)(&row), &mut self.table);
                    continue;
                }
                ValueSource::Surt => {
                    self.surt.clear();
                    archive_surt(finding.uri, &mut self.surt);
                    Cell::Text(&self.surt)
                }
                ValueSource::RegisteredDomain => host
                    .and_then(domain::registered_domain)
                    .map_or(Cell::Null, Cell::Text),
                ValueSource::TopLevel => host
                    .and_then(domain::top_level)
                    .map_or(Cell::Null, Cell::Text),
                ValueSource::Port => row
                    .port_number()
                    .map_or(Cell::Null, |port| Cell::Int32(port.into())),
            };
            self.table.push(number, cell);
        }
        self.table.end_row(out);
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
        let part = match part {
            b"" => Cell::Null,
            part => Cell::Text(part),
        };
        self.table.push(0, part);
        self.table.push(1, Cell::Int64(count));
        self.table.end_row(out);
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        self.table.finish(out)
    }
}

/// Appends the value of a field.
pub(super) fn push_value(column: usize, value: Value, table: &mut Table) {
    match value {
        Value::Text(text) => table.push(column, Cell::Text(text)),
        Value::Number(number) => table.push(column, Cell::Int64(saturated(number))),
        Value::Set => table.push(column, Cell::Set),
        _ => match value.cell() {
            Some(text) => table.push(column, Cell::Text(text.as_bytes())),
            None => table.push(column, Cell::Null),
        },
    }
}

/// No file is longer than 8 EiB.
fn saturated(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::{LineColumn, Problem, Problems, Warc};
    use crate::output::table::{BYTES, ROWS, STEP};
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
            source: None,
            marks: Default::default(),
            count,
        }
    }

    /// Returns the rows of a table, with their fields as text.
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
        assert_eq!(rows[0][..15], url);
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
        assert_eq!(rows[1][..15], urn);
    }

    #[test]
    fn every_field_has_a_column() {
        let names: Vec<&str> = columns().map(|column| column.shape.name).collect();
        let first: Vec<&str> = FIRST.iter().map(|column| column.shape.name).collect();
        assert!(names.starts_with(&first));
        let others = COLUMNS.iter().map(|field| field.name);
        let others = others.filter(|name| {
            let has_another_name = [
                "uri", "scheme", "host", "port", "path", "query", "nid", "file", "offset",
            ];
            !has_another_name.contains(name) && !first.contains(name)
        });
        assert_eq!(names[first.len()..], others.collect::<Vec<_>>());
    }

    #[test]
    fn what_surrounds_a_finding_is_read_again() {
        let mut form = Parquet::new().unwrap();
        let mut out = Vec::new();
        form.begin(&mut out);
        let plain = finding(b"urn:a-b:c", b"urn:a-b:c", None);
        let mut rich = plain;
        rich.place = Some(LineColumn { line: 7, column: 8 });
        rich.marks.url_prefix = true;
        rich.marks.problems = Problems::from(Problem::BadPort);
        rich.marks.problems |= Problem::BadPercent;
        rich.context.member = Some(b"m\xFF");
        rich.context.warc = Some(Warc {
            offset: 9,
            kind: b"response",
            ..Warc::default()
        });
        // Rows without a value at the start, in the middle and at the end.
        for number in 0..STEP + 7 {
            let is_rich = number % 500 == 3;
            form.write(if is_rich { &rich } else { &plain }, b"f", &mut out);
        }
        form.finish(&mut out).unwrap();
        let (_, rows) = rows(out);
        let names: Vec<&str> = columns().map(|column| column.shape.name).collect();
        for (number, row) in rows.iter().enumerate() {
            let value = |name: &str| &row[names.iter().position(|n| *n == name).unwrap()][..];
            for (name, wanted) in [
                ("line", "7"),
                ("column", "8"),
                ("url_prefix", "true"),
                ("problems", "bad-port;bad-percent"),
                ("member", "m\u{FFFD}"),
                ("member_b64", "bf8="),
                ("warc.offset", "9"),
                ("warc.type", "response"),
                ("warc.date", "null"),
                ("fragment", "null"),
                ("header", "null"),
            ] {
                let wanted = if number % 500 == 3 { wanted } else { "null" };
                assert_eq!(value(name), wanted, "{name} of row {number}");
            }
            assert_eq!(
                (value("kind"), value("wrapper"), value("length")),
                ("urn", "none", "9")
            );
        }
        assert_eq!(rows.len(), STEP + 7);
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
    fn small_groups_have_fewer_rows() {
        let mut form = Parquet::new().unwrap().groups_of(BYTES / 64);
        let mut out = Vec::new();
        form.begin(&mut out);
        for number in 0..ROWS / 16 {
            let uri = format!("urn:a-b:{number}");
            form.write(
                &finding(uri.as_bytes(), uri.as_bytes(), None),
                b"f",
                &mut out,
            );
            assert!(form.table.rows < ROWS / 64);
        }
        form.finish(&mut out).unwrap();
        let (groups, rows) = rows(out);
        assert_eq!((groups, rows.len()), (4, ROWS / 16));
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
