//! The values of a line of JSON with the bytes that they cover, so that one value can be
//! rewritten. Names of nested objects form a path; elements of an array have the name of
//! the array.

use super::super::record::{NAMES_MAX, VALUES_MAX};
use crate::decode::json::{JsonFault, JsonScalar, JsonStep, JsonVisit, walk};
use std::ops::Range;

/// Deeper values are not read.
const DEPTH_MAX: usize = 64;

/// A string or a number of an object.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::decode::catalog) struct JsonCell {
    /// The names that lead to it, with `/` between them.
    pub path: Vec<u8>,
    pub value: Vec<u8>,
    /// The bytes of the value, with the quotes of a string.
    pub raw: Range<usize>,
}

/// The strings and numbers of an object.
#[derive(Debug, Default)]
pub(in crate::decode::catalog) struct JsonCells {
    pub cells: Vec<JsonCell>,
    /// Whether the line has more cells than are read.
    pub is_over: bool,
}

const NO_OBJECT: &str = "a line that is no object of JSON";

/// Returns the strings and numbers of the object in `line`, in their order.
///
/// # Errors
/// The damage of the line.
pub(in crate::decode::catalog) fn json_cells(line: &[u8]) -> Result<JsonCells, &'static str> {
    let mut read = CellRead::default();
    if line.trim_ascii_start().first() != Some(&b'{') {
        return Err(NO_OBJECT);
    }
    match walk(line, DEPTH_MAX, &mut read) {
        Ok(()) => Ok(read.read),
        Err(JsonFault::TooDeep) => Err("values of JSON that are nested too deeply"),
        Err(JsonFault::NotJson) => Err(NO_OBJECT),
    }
}

/// The cells that were read so far.
#[derive(Default)]
struct CellRead {
    /// The number of bytes of the paths of all cells.
    paths: usize,
    read: JsonCells,
}

impl JsonVisit for CellRead {
    fn scalar(&mut self, way: &[JsonStep<'_>], value: JsonScalar<'_>, raw: Range<usize>) {
        let names = way.iter().filter_map(|step| match step {
            JsonStep::Name(name) => Some(&**name),
            JsonStep::Index(_) => None,
        });
        let len: usize = names.clone().map(|name| name.len() + 1).sum();
        self.paths += len.saturating_sub(1);
        if self.read.cells.len() >= VALUES_MAX || self.paths > NAMES_MAX {
            self.read.is_over = true;
            return;
        }
        let mut path = Vec::with_capacity(len);
        for name in names {
            if !path.is_empty() {
                path.push(b'/');
            }
            path.extend_from_slice(name.as_bytes());
        }
        let value = match value {
            JsonScalar::Text(text) => text.into_owned().into_bytes(),
            JsonScalar::Number(number) => number.to_vec(),
        };
        self.read.cells.push(JsonCell { path, value, raw });
    }
}

/// Returns the text of a string with its quotes.
pub(in crate::decode::catalog) fn text(raw: &[u8]) -> Vec<u8> {
    match serde_json::from_slice::<String>(raw) {
        Ok(text) => text.into_bytes(),
        Err(_) => raw.get(1..raw.len() - 1).unwrap_or_default().to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_paths_and_ranges() {
        let line =
            br#" {"id": 7, "a": {"url": "http:\/\/a/"}, "l": ["x", {"u": "\"y"}], "n": null} "#;
        let cells = json_cells(line).unwrap().cells;
        let shown = |cell: &JsonCell| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            (
                text(&cell.path),
                text(&cell.value),
                text(&line[cell.raw.clone()]),
            )
        };
        let shown: Vec<_> = cells.iter().map(shown).collect();
        let wanted = [
            ("id", "7", "7"),
            ("a/url", "http://a/", r#""http:\/\/a/""#),
            ("l", "x", r#""x""#),
            ("l/u", "\"y", r#""\"y""#),
        ];
        let wanted = wanted.map(|(a, b, c)| (a.to_owned(), b.to_owned(), c.to_owned()));
        assert_eq!(shown, wanted);
        assert_eq!(json_cells(b"{}").unwrap().cells, []);
    }

    /// Lines are judged as by a parser that builds a tree.
    #[test]
    fn lines_that_are_not_objects_are_refused() {
        for line in [
            &b"{}"[..],
            b" {\"a\":[1,-2.5e3,true,false,null,{},[],\"\"]}\r\n",
            b"{\"a\":1,\"a\":\"\\u00e9\\\"\"}",
            b"",
            b"[1]",
            b"{",
            b"{\"a\"}",
            b"{\"a\":}",
            b"{\"a\":1,}",
            b"{\"a\":[1,]}",
            b"{\"a\":[1 2]}",
            b"{\"a\":01}",
            b"{\"a\":1e999}",
            b"{\"a\":tru}",
            b"{\"a\":nan}",
            b"{a:1}",
            b"{\"a\":1}}",
            b"{\"a\":1} {}",
            b"{\"a\":\"\xFF\"}",
            b"{\"a\":\"\\x\"}",
            b"{\"a\":\"\t\"}",
            b"{\"a\":\x0C1}",
            b"{\"a\":\"b",
            b"{\"a\":\"\\",
            b"{\"a\":[1}",
        ] {
            let is_object = serde_json::from_slice::<serde_json::Value>(line)
                .is_ok_and(|value| value.is_object());
            let shown = String::from_utf8_lossy(line);
            assert_eq!(json_cells(line).is_ok(), is_object, "{shown}");
        }
    }

    #[test]
    fn a_name_of_many_values_takes_little_memory() {
        let name = "n".repeat(1 << 10);
        let line = format!("{{\"{name}\":[{}1]}}", "1,".repeat(1 << 13));
        let read = json_cells(line.as_bytes()).unwrap();
        assert_eq!((read.cells.len(), read.is_over), (NAMES_MAX >> 10, true));
    }

    #[test]
    fn values_that_are_too_many_are_left_out() {
        let line = format!("{{\"a\":[{}1]}}", "1,".repeat(VALUES_MAX));
        let read = json_cells(line.as_bytes()).unwrap();
        assert_eq!((read.cells.len(), read.is_over), (VALUES_MAX, true));
    }
}
