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
            for_cells(line, separator, true, |cell, quoting| {
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
        let mut count = 0;
        let whole = for_cells(
            line,
            separator,
            self.shape != LogShape::Zeek,
            |cell, quoting| {
                if let Some(found) = self.roles.get(count)
                    && !found.is_empty()
                {
                    let value = stated.hold(line, cell, quoting);
                    stated.add_as(line, found, value);
                }
                count += 1;
            },
        );
        stated.is_http |= self.shape == LogShape::Zeek;
        stated.is_utc |= is_w3c;
        whole && count == self.roles.len()
    }
}

/// Calls `cell` with each cell of a row. A cell that begins with a quotation mark is quoted,
/// where cells may be. Returns false if a quoted cell is not closed.
fn for_cells(
    line: &[u8],
    separator: u8,
    quoted: bool,
    mut cell: impl FnMut(Range<usize>, ValueQuoting),
) -> bool {
    let mut at = 0;
    loop {
        if quoted && line.get(at) == Some(&b'"') {
            let start = at + 1;
            let mut end = start;
            loop {
                let Some(quote) = memchr::memchr(b'"', &line[end..]) else {
                    return false;
                };
                end += quote;
                if line.get(end + 1) != Some(&b'"') {
                    break;
                }
                end += 2;
            }
            cell(start..end, ValueQuoting::Doubled);
            at = end + 1;
            match line.get(at) {
                None => return true,
                Some(byte) if *byte == separator => at += 1,
                Some(_) => return false,
            }
            continue;
        }
        let len = memchr::memchr(separator, &line[at..]);
        let end = len.map_or(line.len(), |len| at + len);
        cell(at..end, ValueQuoting::None);
        if len.is_none() {
            return true;
        }
        at = end + 1;
    }
}
