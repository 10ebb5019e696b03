//! Lists in CSV: one column has the entries (rule I6).

use super::source::{LINE_MAX, ListSource};
use crate::indicators::intake::{ListIntake, TOO_LONG};
use std::io;

/// Names of columns that have indicators; the first of these that a header has counts.
const COLUMNS: [&str; 9] = [
    "ioc_value",
    "indicator",
    "ioc",
    "url",
    "uri",
    "domain",
    "hostname",
    "host",
    "ip",
];

/// Bytes between cells.
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// The header of a list in CSV.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CsvHeader {
    delimiter: u8,
    /// The number of the column that has the entries, from 0.
    column: usize,
    /// The number of columns.
    columns: usize,
}

impl CsvHeader {
    /// Returns the header that `line` is, if it has the column `named`, or without a name one
    /// of indicators.
    pub(super) fn of(line: &str, named: Option<&str>) -> Option<CsvHeader> {
        DELIMITERS.iter().find_map(|&delimiter| {
            let mut cells = Vec::new();
            each_cell(line.as_bytes(), delimiter, |cell| {
                cells.push(String::from_utf8_lossy(cell).trim().to_owned());
            });
            let at = |name: &str| {
                cells
                    .iter()
                    .position(|cell| cell.eq_ignore_ascii_case(name))
            };
            let column = match named {
                Some(name) => at(name),
                None => COLUMNS.iter().find_map(|name| at(name)),
            }?;
            Some(CsvHeader {
                delimiter,
                column,
                columns: cells.len(),
            })
        })
    }

    /// Whether a row has as many cells, and more than one.
    pub(super) fn fits(&self, row: &str) -> bool {
        let mut cells = 0;
        each_cell(row.as_bytes(), self.delimiter, |_| cells += 1);
        cells == self.columns && cells > 1
    }
}

/// Reads the rows behind the header, of which `first` was read already.
///
/// # Errors
/// The list cannot be read.
pub(super) fn rows(
    source: &mut ListSource,
    header: &CsvHeader,
    first: Option<(Vec<u8>, u64)>,
    intake: &mut ListIntake,
) -> io::Result<()> {
    let (mut row, mut next) = match first {
        Some((row, number)) => (row, Some((number, true))),
        None => (Vec::new(), None),
    };
    let mut part = Vec::new();
    loop {
        let (number, mut is_whole) = match next.take() {
            Some(first) => first,
            None => match source.next_line(&mut row)? {
                Some(read) => read,
                None => return Ok(()),
            },
        };
        // A quoted cell may have line breaks.
        while is_whole && each_cell(&row, header.delimiter, |_| ()) && (row.len() as u64) < LINE_MAX
        {
            let Some((_, whole)) = source.next_line(&mut part)? else {
                break;
            };
            row.push(b'\n');
            row.extend_from_slice(&part);
            is_whole = whole;
        }
        if !is_whole || row.len() as u64 >= LINE_MAX {
            intake.refuse(&row, number, TOO_LONG);
            continue;
        }
        let trimmed = row.trim_ascii();
        if trimmed.is_empty() || trimmed.starts_with(b"#") {
            continue;
        }
        let (mut at, mut value) = (0, None);
        each_cell(&row, header.delimiter, |cell| {
            if at == header.column {
                value = Some(cell.to_owned());
            }
            at += 1;
        });
        match value.as_deref().map(std::str::from_utf8) {
            Some(Ok(value)) => intake.value(value, number),
            Some(Err(_)) => intake.refuse(&row, number, "not UTF-8"),
            None => intake.refuse(&row, number, "too few cells"),
        }
    }
}

/// Calls `each` with the cells of a row, without their quotes (RFC 4180). Returns whether the
/// last cell lacks the quote that ends it: it goes on in the next line.
fn each_cell(row: &[u8], delimiter: u8, mut each: impl FnMut(&[u8])) -> bool {
    let row = row.strip_suffix(b"\r").unwrap_or(row);
    let mut cell = Vec::new();
    let (mut at, mut is_open) = (0, false);
    loop {
        cell.clear();
        while row.get(at) == Some(&b' ') {
            at += 1;
        }
        if row.get(at) == Some(&b'"') {
            at += 1;
            is_open = true;
            while let Some(&byte) = row.get(at) {
                match (byte, row.get(at + 1)) {
                    (b'"', Some(b'"')) => {
                        cell.push(b'"');
                        at += 1;
                    }
                    (b'"', _) => {
                        at += 1;
                        is_open = false;
                        break;
                    }
                    _ => cell.push(byte),
                }
                at += 1;
            }
        }
        let end = memchr::memchr(delimiter, &row[at.min(row.len())..]);
        let end = end.map_or(row.len(), |len| at + len);
        cell.extend_from_slice(&row[at.min(end)..end]);
        each(cell.trim_ascii());
        if end >= row.len() {
            return is_open;
        }
        at = end + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(row: &str) -> Vec<String> {
        let mut cells = Vec::new();
        each_cell(row.as_bytes(), b',', |cell| {
            cells.push(String::from_utf8_lossy(cell).into_owned());
        });
        cells
    }

    #[test]
    fn cells_of_a_row() {
        for (row, wanted) in [
            ("a,b", &["a", "b"][..]),
            ("\"a,\"\"b\", c ,", &["a,\"b", "c", ""]),
            ("", &[""]),
            ("\"a", &["a"]),
            ("\"a\"b,\"\"\r", &["ab", ""]),
        ] {
            assert_eq!(cells(row), wanted, "{row}");
        }
        for (row, wanted) in [
            ("\"a", true),
            ("\"a\"", false),
            ("a\"b", false),
            ("\"a\"\"", true),
            ("x, \"a\nb", true),
        ] {
            assert_eq!(each_cell(row.as_bytes(), b',', |_| ()), wanted, "{row}");
        }
    }

    #[test]
    fn headers_name_a_column_of_indicators() {
        let header = |line: &str, named| {
            let header = CsvHeader::of(line, named);
            header.map(|header| (header.delimiter, header.column, header.columns))
        };
        assert_eq!(header("id,url,host", None), Some((b',', 1, 3)));
        assert_eq!(header("\"host\";\"IOC\"", None), Some((b';', 1, 2)));
        assert_eq!(header("domain", None), Some((b',', 0, 1)));
        assert_eq!(header("a.example", None), None);
        assert_eq!(header("id,url,host", Some("Host")), Some((b',', 2, 3)));
        assert_eq!(header("id,url", Some("x")), None);
    }
}
