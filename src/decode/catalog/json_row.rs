//! The values of a line of JSON with the bytes that they cover, so that one of them can be
//! rewritten. Names of objects in each other make a path; elements of an array have the
//! name of the array.

use super::record::{NAMES_MAX, VALUES_MAX};
use std::ops::Range;

/// Deeper values are not read.
const DEPTH_MAX: usize = 64;

/// A string or a number of an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JsonCell {
    /// The names that lead to it, with `/` between them.
    pub path: Vec<u8>,
    pub value: Vec<u8>,
    /// The bytes of the value, with the quotes of a string.
    pub raw: Range<usize>,
}

/// The strings and numbers of an object.
#[derive(Debug, Default)]
pub(super) struct JsonCells {
    pub cells: Vec<JsonCell>,
    /// Whether there are more than are read.
    pub is_over: bool,
}

const NO_OBJECT: &str = "a line that is no object of JSON";

/// Returns the strings and numbers of the object that `line` holds, in their order. No tree
/// is built: one takes many times the memory of the line.
///
/// # Errors
/// The damage of the line.
pub(super) fn json_cells(line: &[u8]) -> Result<JsonCells, &'static str> {
    let mut walk = JsonWalk {
        line,
        at: 0,
        path: Vec::new(),
        paths: 0,
        read: JsonCells::default(),
    };
    if walk.peek() != Some(b'{') {
        return Err(NO_OBJECT);
    }
    walk.value(0)?;
    match walk.peek() {
        None => Ok(walk.read),
        Some(_) => Err(NO_OBJECT),
    }
}

/// Walks through a value, and checks that it is well-formed.
struct JsonWalk<'l> {
    line: &'l [u8],
    at: usize,
    path: Vec<u8>,
    /// The number of bytes of the paths of all cells.
    paths: usize,
    read: JsonCells,
}

impl JsonWalk<'_> {
    /// Returns the next byte that is not a blank.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.line.get(self.at..)?;
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        self.at += rest.iter().take_while(is_blank).count();
        self.line.get(self.at).copied()
    }

    /// Passes over `byte`, if it is the next one that is not a blank.
    fn accept(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self, depth: usize) -> Result<(), &'static str> {
        if depth > DEPTH_MAX {
            return Err("values of JSON that are nested too deeply");
        }
        match self.peek() {
            Some(b'{') => self.items(b'}', |walk| {
                let (name, _) = walk.string()?;
                if !walk.accept(b':') {
                    return Err(NO_OBJECT);
                }
                let len = walk.path.len();
                if len > 0 {
                    walk.path.push(b'/');
                }
                walk.path.extend_from_slice(name.as_bytes());
                walk.value(depth + 1)?;
                walk.path.truncate(len);
                Ok(())
            }),
            Some(b'[') => self.items(b']', |walk| walk.value(depth + 1)),
            Some(b'"') => {
                let (value, raw) = self.string()?;
                self.cell(value.into_bytes(), raw);
                Ok(())
            }
            _ => self.word(),
        }
    }

    /// Reads what is between brackets, with commas between its items.
    fn items(
        &mut self,
        close: u8,
        mut item: impl FnMut(&mut Self) -> Result<(), &'static str>,
    ) -> Result<(), &'static str> {
        self.at += 1;
        if self.accept(close) {
            return Ok(());
        }
        loop {
            item(self)?;
            if self.accept(close) {
                return Ok(());
            }
            if !self.accept(b',') {
                return Err(NO_OBJECT);
            }
        }
    }

    /// Reads a number, or a word that has no text.
    fn word(&mut self) -> Result<(), &'static str> {
        let rest = self.line.get(self.at..).unwrap_or_default();
        let ends = |byte: &u8| b",]} \t\r\n".contains(byte);
        let len = rest.iter().position(ends).unwrap_or(rest.len());
        let (word, raw) = (&rest[..len], self.at..self.at + len);
        self.at = raw.end;
        if matches!(word, b"true" | b"false" | b"null") {
            return Ok(());
        }
        serde_json::from_slice::<serde_json::Number>(word).map_err(|_| NO_OBJECT)?;
        self.cell(word.to_vec(), raw);
        Ok(())
    }

    /// Adds a cell, if it fits.
    fn cell(&mut self, value: Vec<u8>, raw: Range<usize>) {
        self.paths += self.path.len();
        if self.read.cells.len() >= VALUES_MAX || self.paths > NAMES_MAX {
            self.read.is_over = true;
            return;
        }
        let path = self.path.clone();
        self.read.cells.push(JsonCell { path, value, raw });
    }

    /// Reads the string that begins here.
    fn string(&mut self) -> Result<(String, Range<usize>), &'static str> {
        if self.peek() != Some(b'"') {
            return Err(NO_OBJECT);
        }
        let from = self.at;
        self.at += 1;
        while let Some(&byte) = self.line.get(self.at) {
            self.at += if byte == b'\\' { 2 } else { 1 };
            if byte == b'"' {
                break;
            }
        }
        self.at = self.at.min(self.line.len());
        let raw = from..self.at;
        let value = serde_json::from_slice(&self.line[raw.clone()]);
        Ok((value.map_err(|_| NO_OBJECT)?, raw))
    }
}

/// Returns the text of a string with its quotes.
pub(super) fn text(raw: &[u8]) -> Vec<u8> {
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

    /// As a parser that builds a tree judges.
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
