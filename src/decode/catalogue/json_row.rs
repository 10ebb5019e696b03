//! The values of a line of JSON with the bytes that they cover, so that one of them can be
//! rewritten. Names of objects in each other make a path; elements of an array have the
//! name of the array.

use std::ops::Range;

/// Deeper values are not read.
const DEPTH_MAX: usize = 64;

/// A string or a number of an object.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct JsonCell {
    /// The names that lead to it, with `/` between them.
    pub path: Vec<u8>,
    pub value: Vec<u8>,
    /// Its bytes, with the quotes of a string.
    pub raw: Range<usize>,
}

/// Returns the strings and numbers of the object that `line` holds, in their order.
///
/// # Errors
/// What the line is instead.
pub(super) fn json_cells(line: &[u8]) -> Result<Vec<JsonCell>, &'static str> {
    let is_object = line.trim_ascii().starts_with(b"{");
    if !is_object || serde_json::from_slice::<serde_json::Value>(line).is_err() {
        return Err("a line that is no object of JSON");
    }
    let mut walk = JsonWalk {
        line,
        at: 0,
        path: Vec::new(),
        cells: Vec::new(),
    };
    walk.value(0)?;
    Ok(walk.cells)
}

/// Walks through a value that is well-formed.
struct JsonWalk<'l> {
    line: &'l [u8],
    at: usize,
    path: Vec<u8>,
    cells: Vec<JsonCell>,
}

impl JsonWalk<'_> {
    /// Returns the next byte that is no blank.
    fn peek(&mut self) -> u8 {
        while let Some(byte) = self.line.get(self.at)
            && byte.is_ascii_whitespace()
        {
            self.at += 1;
        }
        self.line.get(self.at).copied().unwrap_or_default()
    }

    fn value(&mut self, depth: usize) -> Result<(), &'static str> {
        if depth > DEPTH_MAX {
            return Err("values of JSON that are nested too deeply");
        }
        match self.peek() {
            b'{' => {
                self.at += 1;
                while self.peek() == b'"' {
                    let name = self.string();
                    let len = self.path.len();
                    if len > 0 {
                        self.path.push(b'/');
                    }
                    let name = text(&self.line[name]);
                    self.path.extend_from_slice(&name);
                    self.peek();
                    self.at += 1;
                    self.value(depth + 1)?;
                    self.path.truncate(len);
                    if self.peek() == b',' {
                        self.at += 1;
                    }
                }
                self.at += 1;
            }
            b'[' => {
                self.at += 1;
                while self.peek() != b']' && self.at < self.line.len() {
                    self.value(depth + 1)?;
                    if self.peek() == b',' {
                        self.at += 1;
                    }
                }
                self.at += 1;
            }
            b'"' => {
                let raw = self.string();
                let value = text(&self.line[raw.clone()]);
                self.cell(value, raw);
            }
            byte => {
                let from = self.at;
                let ends = |byte: &u8| b",]} \t\r\n".contains(byte);
                let rest = &self.line[from..];
                self.at += rest.iter().position(ends).unwrap_or(rest.len()).max(1);
                if byte.is_ascii_digit() || byte == b'-' {
                    let raw = from..self.at.min(self.line.len());
                    self.cell(self.line[raw.clone()].to_vec(), raw);
                }
            }
        }
        Ok(())
    }

    fn cell(&mut self, value: Vec<u8>, raw: Range<usize>) {
        let path = self.path.clone();
        self.cells.push(JsonCell { path, value, raw });
    }

    /// Passes over the string that begins here, and returns its range.
    fn string(&mut self) -> Range<usize> {
        let from = self.at;
        self.at += 1;
        while let Some(&byte) = self.line.get(self.at) {
            self.at += match byte {
                b'\\' => 2,
                _ => 1,
            };
            if byte == b'"' {
                break;
            }
        }
        self.at = self.at.min(self.line.len());
        from..self.at
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
        let cells = json_cells(line).unwrap();
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
        assert!(json_cells(b"[1]").is_err() && json_cells(b"{").is_err());
        assert_eq!(json_cells(b"{}").unwrap(), []);
    }
}
