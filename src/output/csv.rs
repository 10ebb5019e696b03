//! Tables as text: a header, then one line for each row. The columns are the fields of its
//! kind. Tables with commas are quoted as in RFC 4180, but their lines end with
//! a line feed alone.

use super::fields::Field;
use super::form::{Form, WriteRecord};
use super::rows::RowKind;
use super::screen::Screen;
use super::value::{Row, Value, push_number};
use crate::item::Finding;
use crate::syntax::class::each_is;
use std::sync::Arc;

/// A line with a value for each of the [`FIELDS`](super::FIELDS), except lists of
/// spellings: each spelling of a class has a line of its own, with its count. The
/// header is the same for every input; columns that later versions add come last.
/// Absent values are empty; an empty string is `""` in tables with commas. Codes of
/// problems are separated by `;`.
///
/// ```
/// use urisieve::{Sieve, output::{Csv, Form, Separator}};
/// let (mut form, mut out) = (Csv::new(Separator::Comma), Vec::new());
/// form.begin(&mut out);
/// Sieve::builder().build().for_each(b"http://a/,b", |finding| {
///     form.write(finding, b"f.txt", &mut out);
/// })?;
/// assert!(out.starts_with(b"uri,uri_b64,original,original_b64,kind,scheme,nid,host,"));
/// assert!(out.ends_with(b"\n\"http://a/,b\",,\"http://a/,b\",,url,http,,a,,\"/,b\",,,f.txt,,,,0,11,none,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n"));
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Csv {
    rows: RowKind,
    columns: Vec<Field>,
    separator: Separator,
    screen: Screen,
    excel: bool,
}

/// A byte-order mark, without which spreadsheets assume another encoding than UTF-8.
pub(super) const MARK: &[u8] = "\u{FEFF}".as_bytes();

/// The separator of values, which also decides how values are quoted.
///
/// ```
/// use urisieve::output::{Csv, Form, Separator};
/// let mut out = Vec::new();
/// Csv::new(Separator::Tab).begin(&mut out);
/// assert!(out.starts_with(b"uri\turi_b64\t"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// A comma; values with commas, quotes or line breaks are quoted (RFC 4180).
    Comma,
    /// A tab; backslash, tab, line feed and carriage return in a value are `\\`, `\t`, `\n`,
    /// `\r`.
    Tab,
}

/// Returns the end of a line.
pub(super) const fn line_end(excel: bool) -> &'static [u8] {
    match excel {
        true => b"\r\n",
        false => b"\n",
    }
}

/// Whether a spreadsheet may take `value` for a formula; a sign alone is not one.
pub(super) fn is_formula(value: &[u8]) -> bool {
    value.len() > 1 && b"=+-@\t\r\n".contains(&value[0])
}

impl Separator {
    /// Appends the separator.
    #[inline]
    pub(super) fn push(self, out: &mut Vec<u8>) {
        out.push(match self {
            Separator::Comma => b',',
            Separator::Tab => b'\t',
        });
    }

    /// Appends a value.
    #[inline]
    pub(super) fn push_value(self, value: &[u8], out: &mut Vec<u8>) {
        let is_plain = match self {
            Separator::Comma => !value.is_empty() && !is_quoted(value),
            Separator::Tab => each_is(value, |b| {
                (b != b'\\') & (b != b'\t') & (b != b'\n') & (b != b'\r')
            }),
        };
        match is_plain {
            true => out.extend_from_slice(value),
            false => self.push_escaped(value, out),
        }
    }

    /// Appends a value that is quoted, or whose bytes are escaped.
    #[inline(never)]
    fn push_escaped(self, value: &[u8], out: &mut Vec<u8>) {
        match self {
            Separator::Comma => {
                out.push(b'"');
                for part in value.split_inclusive(|&b| b == b'"') {
                    out.extend_from_slice(part);
                    if part.ends_with(b"\"") {
                        out.push(b'"');
                    }
                }
                out.push(b'"');
            }
            Separator::Tab => {
                for &byte in value {
                    match byte {
                        b'\\' => out.extend_from_slice(b"\\\\"),
                        b'\t' => out.extend_from_slice(b"\\t"),
                        b'\n' => out.extend_from_slice(b"\\n"),
                        b'\r' => out.extend_from_slice(b"\\r"),
                        _ => out.push(byte),
                    }
                }
            }
        }
    }
}

/// Whether a value has a comma, a quote or a line break.
#[inline]
fn is_quoted(value: &[u8]) -> bool {
    !each_is(value, |b| {
        (b != b',') & (b != b'"') & (b != b'\n') & (b != b'\r')
    })
}

impl Csv {
    /// Creates a table with this separator between values.
    ///
    /// ```
    /// use urisieve::output::{Csv, Form, Separator};
    /// let mut out = Vec::new();
    /// Csv::new(Separator::Comma).begin(&mut out);
    /// assert!(out.starts_with(b"uri,uri_b64,original,"));
    /// assert!(out.ends_with(b",marc.ind1,marc.ind2,marc.subfield,marc.occurrence,marc.record_offset,first_seen,last_seen,request.part,request.method,request.status,request.time,request.client,part,message_id,row,field,refanged,given_scheme,gateway,nested_in,nested_by,sources,match,match_list\n"));
    /// ```
    pub fn new(separator: Separator) -> Csv {
        Csv {
            rows: RowKind::Findings,
            columns: RowKind::Findings.columns(),
            separator,
            screen: Screen::PLAIN,
            excel: false,
        }
    }

    /// Sets the kind of rows; default [`RowKind::Findings`].
    ///
    /// ```
    /// use urisieve::output::{Csv, Form, PartFields, RowKind, Separator};
    /// let rows = RowKind::Parts(PartFields { name: "host", ..PartFields::default() });
    /// let mut out = Vec::new();
    /// Csv::new(Separator::Tab).rows(rows).begin(&mut out);
    /// assert_eq!(out, b"host\tcount\n");
    /// ```
    pub fn rows(self, rows: RowKind) -> Csv {
        Csv {
            rows,
            columns: rows.columns(),
            ..self
        }
    }

    /// Sets whether the table is for spreadsheets: with a byte-order mark, lines that
    /// end with CR LF, and `'` before values that begin like a formula, with `=`, `+`,
    /// `-`, `@`, a tab or a line break. Default no: values are unchanged.
    ///
    /// ```
    /// use urisieve::{Sieve, output::{Csv, Form, Separator}};
    /// let (mut form, mut out) = (Csv::new(Separator::Comma).excel(true), Vec::new());
    /// Sieve::builder().build().for_each(b"http://a/", |finding| {
    ///     form.write(finding, b"=1+1", &mut out);
    /// })?;
    /// assert!(String::from_utf8_lossy(&out).contains(",'=1+1,"));
    /// assert!(out.ends_with(b"\r\n"));
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn excel(self, excel: bool) -> Csv {
        Csv { excel, ..self }
    }

    /// Sets how values are escaped for a terminal, without colors; default as for a
    /// file.
    ///
    /// ```
    /// use urisieve::{Sieve, output::{Csv, Form, Screen, Separator}};
    /// let (mut form, mut out) = (Csv::new(Separator::Comma).screen(Screen::SAFE), Vec::new());
    /// Sieve::builder().build().for_each(b"http://a/", |finding| {
    ///     form.write(finding, b"odd\x1b[2Jname", &mut out);
    /// })?;
    /// assert!(String::from_utf8_lossy(&out).contains(r",odd\x1B[2Jname,"));
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn screen(self, screen: Screen) -> Csv {
        Csv { screen, ..self }
    }
}

impl Form for Csv {
    fn begin(&mut self, out: &mut Vec<u8>) {
        if self.excel {
            out.extend_from_slice(MARK);
        }
        for (number, column) in self.columns.iter().enumerate() {
            if number > 0 {
                self.separator.push(out);
            }
            self.separator.push_value(column.name.as_bytes(), out);
        }
        out.extend_from_slice(line_end(self.excel));
    }

    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        self.push_record(finding, name, out);
    }

    fn by_record(&self) -> Option<WriteRecord> {
        let form = self.clone();
        Some(Arc::new(move |finding, name, out| {
            form.push_record(finding, name, out);
        }))
    }

    fn has_spellings(&self) -> bool {
        self.rows.has_spellings()
    }
}

impl Csv {
    fn push_record(&self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        self.rows.with_finding(finding, name, |finding| {
            self.row(&Row::new(finding, name), out);
        });
    }

    /// Appends a line, the values of the columns in a row.
    fn row(&self, row: &Row, out: &mut Vec<u8>) {
        for (number, column) in self.columns.iter().enumerate() {
            if number > 0 {
                self.separator.push(out);
            }
            match (column.value)(row) {
                Value::Absent => {}
                // Digits are written as they are.
                Value::Number(number) => push_number(number, out),
                value => {
                    if let Some(value) = value.cell() {
                        self.push_value(value.as_bytes(), out);
                    }
                }
            }
        }
        out.extend_from_slice(line_end(self.excel));
    }

    /// Appends a value, escaped.
    fn push_value(&self, value: &[u8], out: &mut Vec<u8>) {
        let mut shown = Vec::new();
        let value = match self.screen == Screen::PLAIN {
            true => value,
            false => {
                self.screen.line(value, &mut shown);
                &shown
            }
        };
        match self.excel && is_formula(value) {
            true => self.separator.push_value(&[b"'", value].concat(), out),
            false => self.separator.push_value(value, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::{LineColumn, Marks, Problem, Problems, Spelling, Wrapper};
    use proptest::prelude::*;

    fn finding<'f>(uri: &'f [u8], original: &'f [u8]) -> Finding<'f> {
        let mut problems = Problems::from(Problem::BadPort);
        problems |= Problem::BadPercent;
        Finding {
            uri,
            original,
            input: 0,
            offset: 3,
            length: 9,
            place: Some(LineColumn { line: 7, column: 8 }),
            context: Default::default(),
            alternative: None,
            gateway: None,
            nested_in: None,
            first_seen: None,
            last_seen: None,
            sources: None,
            source: None,
            marks: Marks {
                wrapper: Wrapper::Angle,
                url_prefix: true,
                wrapped: 2,
                problems,
                ..Marks::default()
            },
            count: Some(4),
        }
    }

    fn lines(mut form: Csv, finding: &Finding, name: &[u8]) -> Vec<String> {
        let mut out = Vec::new();
        form.begin(&mut out);
        form.write(finding, name, &mut out);
        let text = String::from_utf8(out).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn values_stand_below_their_names() {
        let finding = finding(b"http://h:x/p?#f", b"HTTP://h:x/p?#f");
        let lines = lines(Csv::new(Separator::Tab), &finding, b"a\tb\\c");
        let names: Vec<&str> = lines[0].split('\t').collect();
        let values: Vec<&str> = lines[1].split('\t').collect();
        assert_eq!(names.len(), values.len());
        let value = |name: &str| values[names.iter().position(|n| *n == name).unwrap()];
        for (name, wanted) in [
            ("uri", "http://h:x/p?#f"),
            ("original", "HTTP://h:x/p?#f"),
            ("original_b64", ""),
            ("kind", "url"),
            ("nid", ""),
            ("host", "h"),
            ("port", "x"),
            ("query", ""),
            ("fragment", "f"),
            ("file", "a\\tb\\\\c"),
            ("line", "7"),
            ("column", "8"),
            ("offset", "3"),
            ("wrapper", "angle"),
            ("url_prefix", "true"),
            ("wrapped", "2"),
            ("hyphen_break", ""),
            ("count", "4"),
            ("problems", "bad-port;bad-percent"),
        ] {
            assert_eq!(value(name), wanted, "{name}");
        }
    }

    #[test]
    fn absent_and_empty_differ_between_commas() {
        let finding = finding(b"http://h?", b"x\"\xFF");
        let line = &lines(Csv::new(Separator::Comma), &finding, b"a,\"b\"\nc")[1..].join("\n");
        assert!(
            line.starts_with("http://h?,,,eCL/,url,http,,h,,\"\",\"\",,\"a,\"\"b\"\"\nc\",,7,8,")
        );
    }

    #[test]
    fn each_spelling_has_its_line() {
        let class = finding(b"urn:a-b:c", b"URN:a-b:c");
        let spellings = [(&b"URN:a-b:c"[..], 3), (b"urn:a-b:c", 1)];
        let spellings = spellings.map(|(text, count)| Spelling {
            text,
            count,
            reasons: &[],
        });
        let mut out = Vec::new();
        Csv::new(Separator::Comma).write_group(&class, &spellings, b"f", &mut out);
        let text = String::from_utf8(out).unwrap();
        let heads: Vec<&str> = text.lines().map(|line| &line[..20]).collect();
        assert_eq!(heads, ["urn:a-b:c,,URN:a-b:c", "urn:a-b:c,,urn:a-b:c"]);
        assert!(text.contains(",3,bad") && text.contains(",1,bad"));
    }

    #[test]
    fn no_value_is_a_formula_of_a_spreadsheet() {
        let finding = finding(b"urn:a-b:c", b"urn:a-b:c");
        let form = Csv::new(Separator::Comma).excel(true);
        for name in ["=1", "+1", "-1", "@a", "\t=1", "\r=1", "\n=1"] {
            let mut out = Vec::new();
            form.clone().write(&finding, name.as_bytes(), &mut out);
            let text = String::from_utf8(out).unwrap();
            assert!(text.contains(&format!("'{name}")), "{text}");
        }
        let mut out = Vec::new();
        form.clone().begin(&mut out);
        form.clone().write(&finding, b"-", &mut out);
        assert!(out.starts_with("\u{FEFF}uri,".as_bytes()));
        let text = String::from_utf8(out).unwrap();
        assert!(text.contains(",-,,7,8,") && text.matches("\r\n").count() == 2);
        assert_eq!(text.matches('\n').count(), 2);
    }

    /// Reads a line of RFC 4180 back.
    fn unquoted(text: &[u8]) -> Vec<u8> {
        match text {
            [b'"', inner @ .., b'"'] => {
                let inner = String::from_utf8(inner.to_vec()).unwrap();
                assert!(!inner.replace("\"\"", "").contains('"'));
                inner.replace("\"\"", "\"").into_bytes()
            }
            _ => text.to_vec(),
        }
    }

    proptest! {
        #[test]
        fn values_come_back(value in "[a,\"\n\r\t\\\\ ]{0,12}") {
            let mut out = Vec::new();
            Separator::Comma.push_value(value.as_bytes(), &mut out);
            prop_assert_eq!(unquoted(&out), value.as_bytes());
            out.clear();
            Separator::Tab.push_value(value.as_bytes(), &mut out);
            prop_assert!(!out.iter().any(|b| b"\t\n\r".contains(b)));
            let text = String::from_utf8(out).unwrap();
            let back = text.replace("\\\\", "\0").replace("\\t", "\t").replace("\\n", "\n");
            prop_assert_eq!(back.replace("\\r", "\r").replace('\0', "\\"), value);
        }
    }
}
