//! Lines with columns that an earlier line names (G3): W3C, Zeek, CSV. The names are the only
//! state of a log.

use super::field_names::FieldNames;
use super::names::{LogPart, Role};
use super::quoting::ValueQuoting;
use super::shape::LogShape;
use super::stated::LineValues;
use std::ops::Range;

/// The bytes that may separate the cells of CSV.
const SEPARATORS: [u8; 4] = *b",;\t|";

/// The most columns of a log. A header with more is text.
const COLUMNS_MAX: usize = 256;

/// The columns that a header names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Columns {
    pub(super) shape: LogShape,
    separator: u8,
    /// The roles of each column.
    roles: Vec<Vec<Role>>,
}

impl Columns {
    /// Reads a header; the first line of a log `begins` it, and may be one of CSV.
    pub(super) fn of(line: &[u8], begins: bool, fields: &FieldNames) -> Option<Columns> {
        if let Some(names) = line.strip_prefix(b"#Fields:") {
            let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
            let names = names.split(is_blank).filter(|name| !name.is_empty());
            return Columns::named(LogShape::W3c, b' ', names.map(<[u8]>::to_vec), fields);
        }
        if let Some([separator, names @ ..]) = line.strip_prefix(b"#fields") {
            let names = names.split(|byte| byte == separator);
            return Columns::named(
                LogShape::Zeek,
                *separator,
                names.map(<[u8]>::to_vec),
                fields,
            );
        }
        if !begins || line.first() == Some(&b'{') {
            return None;
        }
        SEPARATORS.iter().find_map(|&separator| {
            memchr::memchr(separator, line)?;
            let mut names = Vec::new();
            let rules = CellRules {
                separator,
                quoted: true,
                runs: false,
            };
            rules.each(line, |cell, quoting| {
                let mut name = Vec::new();
                quoting.undo(&line[cell], &mut name);
                names.push(name);
            });
            let columns = Columns::named(LogShape::Csv, separator, names.into_iter(), fields)?;
            let has = |part| columns.roles.iter().flatten().any(|role| role.0 == part);
            (has(LogPart::Method) && has(LogPart::Target)).then_some(columns)
        })
    }

    fn named(
        shape: LogShape,
        separator: u8,
        names: impl Iterator<Item = Vec<u8>>,
        fields: &FieldNames,
    ) -> Option<Columns> {
        let names: Vec<_> = names.take(COLUMNS_MAX + 1).collect();
        let columns = Columns {
            shape,
            separator,
            roles: names
                .iter()
                .map(|name| fields.roles(name, &[]).to_vec())
                .collect(),
        };
        (2..=COLUMNS_MAX).contains(&names.len()).then_some(columns)
    }

    /// Reads a row into `stated`. Returns false if it has another number of cells.
    pub(super) fn read(&self, line: &[u8], stated: &mut LineValues) -> bool {
        let is_w3c = self.shape == LogShape::W3c;
        let separator = match is_w3c && memchr::memchr(b'\t', line).is_some() {
            true => b'\t',
            false => self.separator,
        };
        let rules = CellRules {
            separator,
            quoted: self.shape != LogShape::Zeek,
            // Blanks are one separator, however many there are.
            runs: is_w3c && separator == b' ',
        };
        let mut count = 0;
        let whole = rules.each(line, |cell, quoting| {
            if let Some(found) = self.roles.get(count)
                && !found.is_empty()
            {
                let value = stated.hold(line, cell, quoting);
                stated.add_as(line, found, value);
            }
            count += 1;
        });
        stated.is_http |= self.shape == LogShape::Zeek;
        stated.is_utc |= is_w3c;
        whole && count == self.roles.len()
    }
}

/// How a row is divided into cells.
struct CellRules {
    separator: u8,
    /// A cell that begins with a quotation mark is quoted.
    quoted: bool,
    /// Several separators are one.
    runs: bool,
}

impl CellRules {
    /// Calls `cell` with each cell of a row. Returns false if a quoted cell is not closed.
    fn each(&self, line: &[u8], mut cell: impl FnMut(Range<usize>, ValueQuoting)) -> bool {
        let mut at = self.skip(line, 0);
        loop {
            let end = match self.quoted && line.get(at) == Some(&b'"') {
                true => {
                    let Some(end) = quoted_end(line, at + 1) else {
                        return false;
                    };
                    cell(at + 1..end, ValueQuoting::Doubled);
                    end + 1
                }
                false => {
                    let len = memchr::memchr(self.separator, &line[at..]);
                    let end = len.map_or(line.len(), |len| at + len);
                    cell(at..end, ValueQuoting::None);
                    end
                }
            };
            match line.get(end) {
                None => return true,
                Some(byte) if *byte != self.separator => return false,
                Some(_) => at = self.skip(line, end + 1),
            }
            // Blanks at the end of a line separate nothing.
            if self.runs && at == line.len() {
                return true;
            }
        }
    }

    /// Returns where the next cell begins.
    fn skip(&self, line: &[u8], at: usize) -> usize {
        let is_separator = |byte: &&u8| self.runs && **byte == self.separator;
        at + line[at..].iter().take_while(is_separator).count()
    }
}

/// Returns the place of the quotation mark that ends the cell whose text begins at `at`.
fn quoted_end(line: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr::memchr(b'"', line.get(at..)?)?;
        if line.get(at + 1) != Some(&b'"') {
            return Some(at);
        }
        at += 2;
    }
}
