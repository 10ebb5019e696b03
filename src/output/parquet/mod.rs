//! Apache Parquet, for data warehouses: findings as rows of a table.

mod table;

pub use table::{Cell, ColumnShape, ColumnType, Table};

use super::fields::{FIELDS, Field, FieldKind};
use super::form::{Form, FormError};
use super::rows::RowKind;
use super::surt::archive_surt;
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
/// use urisieve::{Sieve, output::{Form, Parquet}};
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
    rows: RowKind,
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
    Field(Field),
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
const fn named(name: &str) -> Field {
    let mut at = 0;
    while !is_same(FIELDS[at].name.as_bytes(), name.as_bytes()) {
        at += 1;
    }
    FIELDS[at]
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

/// Returns all columns: those with names of their own, then the other fields.
fn columns() -> impl Iterator<Item = ParquetColumn> {
    let is_first = |field: &Field| {
        FIRST.iter().any(|column| match column.source {
            ValueSource::Field(first) => first.name == field.name,
            ValueSource::Port => field.name == "port",
            ValueSource::Surt | ValueSource::RegisteredDomain | ValueSource::TopLevel => false,
        })
    };
    let others = RowKind::Findings.columns().into_iter();
    let others = others.filter(move |field| !is_first(field));
    FIRST.into_iter().chain(others.map(of_field))
}

/// Returns the column of a field.
fn of_field(field: Field) -> ParquetColumn {
    let kind = match field.kind {
        FieldKind::Number => ColumnType::Int64,
        FieldKind::Flag => ColumnType::Flag,
        _ if field.repeats => ColumnType::Word,
        _ => ColumnType::Text,
    };
    let source = ValueSource::Field(field);
    column(field.name, kind, !field.always, field.meaning, source)
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
        Parquet::with(RowKind::Findings, columns().collect())
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
        Parquet::with(RowKind::Findings, renamed.collect())
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

    /// Creates a table with the columns of this kind of rows; of links and parts those of
    /// other tables.
    ///
    /// ```
    /// use urisieve::output::{LinkFields, Parquet, RowKind};
    /// assert!(Parquet::of(RowKind::Links(LinkFields::default())).is_ok());
    /// ```
    ///
    /// # Errors
    /// A column whose name another one has.
    pub fn of(rows: RowKind) -> Result<Parquet, FormError> {
        match rows {
            RowKind::Findings => Parquet::new(),
            _ => Parquet::with(rows, rows.columns().into_iter().map(of_field).collect()),
        }
    }

    fn with(rows: RowKind, columns: Vec<ParquetColumn>) -> Result<Parquet, FormError> {
        let shapes: Vec<ColumnShape> = columns.iter().map(|column| column.shape).collect();
        Ok(Parquet {
            rows,
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

impl Form for Parquet {
    fn begin(&mut self, out: &mut Vec<u8>) {
        self.table.begin(out);
    }

    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        let (table, surt) = (&mut self.table, &mut self.surt);
        self.rows.with_finding(finding, name, |finding| {
            let row = Row::new(finding, name);
            let is_bare = finding.context.is_empty();
            for (number, column) in self.columns.iter().enumerate() {
                let domain_of = |part: fn(&[u8]) -> Option<&[u8]>| {
                    row.host().and_then(part).map_or(Cell::Null, Cell::Text)
                };
                let cell = match column.source {
                    ValueSource::Field(field) if is_bare && field.of_context => continue,
                    ValueSource::Field(field) => {
                        push_value(number, (field.value)(&row), table);
                        continue;
                    }
                    ValueSource::Surt => {
                        surt.clear();
                        archive_surt(row.uri(), surt);
                        Cell::Text(surt)
                    }
                    ValueSource::RegisteredDomain => domain_of(domain::registered_domain),
                    ValueSource::TopLevel => domain_of(domain::top_level),
                    ValueSource::Port => row
                        .port_number()
                        .map_or(Cell::Null, |port| Cell::Int32(port.into())),
                };
                table.push(number, cell);
            }
        });
        self.table.end_row(out);
    }

    fn has_spellings(&self) -> bool {
        self.rows.has_spellings()
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        self.table.finish(out)
    }
}

/// Appends the value of a field.
fn push_value(column: usize, value: Value, table: &mut Table) {
    match value {
        Value::Text(text) => table.push(column, Cell::Text(text)),
        Value::Number(number) => table.push(column, Cell::Int64(saturated(number))),
        Value::Set => table.push(column, Cell::Set),
        Value::Absent => {}
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
    use super::table::{BYTES, ROWS, STEP};
    use super::*;
    use crate::item::{LineColumn, Problem, Problems, Warc};
    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::{Field, RowAccessor};

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
            gateway: None,
            nested_in: None,
            first_seen: None,
            last_seen: None,
            sources: None,
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
        let others = RowKind::Findings
            .columns()
            .into_iter()
            .map(|field| field.name);
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
        let reader = SerializedFileReader::new(bytes::Bytes::from(out)).unwrap();
        assert_eq!(reader.num_row_groups(), 2);
        let mut read = 0;
        for (number, row) in reader.get_row_iter(None).unwrap().enumerate() {
            let row = row.unwrap();
            let (uri, host) = match number % 3 {
                0 => (format!("urn:a-b:{number}"), None),
                _ => (format!("http://a.example/{number}"), Some("a.example")),
            };
            let text = |column| row.get_string(column).ok().map(String::as_str);
            assert_eq!(
                (text(0), text(2), text(9)),
                (Some(&*uri), host, Some(&*uri))
            );
            read += 1;
        }
        assert_eq!(read, count);
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
