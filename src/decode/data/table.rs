//! The decoder of tables (C1 to C9): every cell is a text of its own, with the number of its row
//! and the name of its column.

use super::cells::{CellFound, find_cell, record_len, undouble};
use super::choice::DataFields;
use super::heading::{TableHeading, names};
use super::requests::{DataRequests, StatedRecord};
use super::values::{Undo, may_have_uris, write_text, write_value};
use super::wide::WideDecoder;
use crate::decode::content_reading::ContentReading;
use crate::decode::event::{DataOddity, DataPlace, Decode, Event, LackingColumn, Output};
use crate::decode::log::LOG_RECORD_MAX;
use crate::decode::mentions::Mentions;
use std::sync::Arc;

/// The columns without a name whose numbers are kept as texts.
const NUMBERED: usize = 1024;

/// Returns the decoder of a table, whose `delimiter` may be known.
pub(in crate::decode) fn table_decoder(
    reading: &ContentReading,
    delimiter: Option<u8>,
) -> Box<dyn Decode> {
    decoder(reading, (reading.fields.delimiter.or(delimiter), false))
}

/// Returns a decoder of the rows of a table of Parquet (C10). `input` writes them with commas, and
/// the names of the columns first.
#[cfg(feature = "parquet")]
pub(in crate::decode) fn rows_decoder(reading: &ContentReading) -> Box<dyn Decode> {
    decoder(reading, (Some(b','), true))
}

fn decoder(reading: &ContentReading, (delimiter, named): (Option<u8>, bool)) -> Box<dyn Decode> {
    let fields = &reading.fields;
    Box::new(WideDecoder::new(TableDecoder {
        mentions: reading.mentions,
        fields: Arc::clone(fields),
        requests: DataRequests::new(reading).filter(|_| !fields.has_columns()),
        delimiter,
        named,
        place: TablePlace::Start,
        row: 1,
        column: 0,
        names: Vec::new(),
        numbers: Vec::new(),
        wanted: None,
        plain: false,
        record: None,
        searched: 0,
        offset: 0,
        known: 0,
    }))
}

#[derive(Debug)]
struct TableDecoder {
    mentions: Mentions,
    fields: Arc<DataFields>,
    requests: Option<DataRequests>,
    /// `None` until the first records show it.
    delimiter: Option<u8>,
    /// Whether the first record has the names of the columns, whatever they are.
    named: bool,
    place: TablePlace,
    /// The number of the current record, from 1.
    row: u64,
    /// The number of the next cell, from 0.
    column: usize,
    /// The names in the header; those that are empty are numbers.
    names: Vec<Arc<[u8]>>,
    /// The numbers of columns without a name.
    numbers: Vec<Arc<[u8]>>,
    /// The columns that are searched; `None` where all are.
    wanted: Option<Vec<usize>>,
    /// The quotation mark of the next cell is a character (C7).
    plain: bool,
    /// The record that is read, if its end is known.
    record: Option<StatedRecord>,
    /// The number of bytes in which the end of the next record is not.
    searched: usize,
    /// The number of bytes before the next ones.
    offset: u64,
    /// The number of bytes of the next cell that do not end it.
    known: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TablePlace {
    /// Before the first record.
    Start,
    Cells,
    /// In a cell that is too long.
    LongCell,
    /// A column is not there: nothing is searched.
    Refused,
}

impl Decode for TableDecoder {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            let rest = &bytes[at..];
            let read = match self.place {
                TablePlace::Start => self.begin(rest, last, out),
                TablePlace::Refused => {
                    out.skip(rest.len());
                    Some(rest.len())
                }
                TablePlace::LongCell => self.long_cell(rest, out),
                TablePlace::Cells => match self.begin_record(bytes, at, last, out) {
                    true => self.cell(rest, at, last, out),
                    false => None,
                },
            };
            let Some(len) = read else { break };
            at += len;
            if let Some(record) = self.record.take_if(|record| record.end <= at) {
                record.end(out);
            }
        }
        self.offset += at as u64;
        if let Some(record) = self.record.take() {
            record.end(out);
        }
        at
    }
}

impl TableDecoder {
    /// The delimiter, which is known after the beginning.
    fn delimiter(&self) -> u8 {
        self.delimiter.unwrap_or(b',')
    }

    /// Reads what is before the first record, and the names of the columns.
    fn begin(&mut self, rest: &[u8], last: bool, out: &mut Output) -> Option<usize> {
        let heading = TableHeading::of(rest, last, (self.delimiter, self.named))?;
        self.delimiter = Some(heading.delimiter);
        self.row += heading.blank_lines;
        self.place = TablePlace::Cells;
        let records = &rest[heading.skipped..];
        if let Some(len) = heading.header {
            let names = names(&records[..len], heading.delimiter);
            self.names = names.into_iter().map(Arc::from).collect();
        }
        if self.fields.has_columns() && !records.is_empty() {
            let first = record_len(records, heading.delimiter).unwrap_or(records.len());
            let first = names(&records[..first], heading.delimiter);
            match self.fields.columns_in(&self.names, first.len()) {
                Ok(wanted) => self.wanted = Some(wanted),
                Err(column) => {
                    let columns = first
                        .iter()
                        .map(|name| String::from_utf8_lossy(name).into_owned());
                    out.events.push(Event::NoColumn(Box::new(LackingColumn {
                        column,
                        columns: columns.collect(),
                    })));
                    self.place = TablePlace::Refused;
                }
            }
        }
        out.skip(heading.skipped);
        Some(heading.skipped)
    }

    /// Begins the record at `at`, if one begins there that may be a request. Returns false while
    /// its end is not there.
    fn begin_record(&mut self, bytes: &[u8], at: usize, last: bool, out: &mut Output) -> bool {
        let delimiter = self.delimiter();
        let Some(requests) = &mut self.requests else {
            return true;
        };
        if self.column > 0
            || self.record.is_some()
            || self.plain
            || !requests.reads_at(self.offset + at as u64)
        {
            return true;
        }
        let rest = &bytes[at..];
        let within = &rest[..rest.len().min(LOG_RECORD_MAX)];
        // Few records end outside of the window: the end of a line decides first.
        let may_end = memchr::memchr(b'\n', &within[self.searched.min(within.len())..]).is_some();
        let len = match may_end {
            true => record_len(within, delimiter),
            false => None,
        };
        if len.is_none() && !last && rest.len() <= LOG_RECORD_MAX {
            self.searched = within.len();
            return false;
        }
        self.searched = 0;
        let end = match len {
            Some(len) => len,
            None if last && rest.len() <= LOG_RECORD_MAX => rest.len(),
            None => 0,
        };
        self.record = Some(match end {
            0 => StatedRecord::unread(at),
            _ => requests.read(bytes, at..at + end, out),
        });
        true
    }

    /// Reads the next cell, which begins at `at` in the window, and its separator.
    fn cell(&mut self, rest: &[u8], at: usize, last: bool, out: &mut Output) -> Option<usize> {
        let how = (self.delimiter(), self.plain);
        match find_cell(rest, how, last, &mut self.known)? {
            CellFound::OpenQuote => {
                out.events.push(Event::Odd(DataOddity::OpenQuote));
                self.plain = true;
                Some(0)
            }
            CellFound::Long => {
                self.place = TablePlace::LongCell;
                self.plain = false;
                out.events.push(Event::Skipped(0));
                Some(0)
            }
            CellFound::Whole {
                inside,
                doubled,
                end,
            } => {
                self.plain = false;
                let place = at + inside.start..at + inside.end;
                let is_stated = |record: &StatedRecord| record.has_value_in(&place);
                let raw = &rest[inside.clone()];
                if self.is_wanted() && may_have_uris(self.mentions, raw, doubled)
                    || self.record.as_ref().is_some_and(is_stated)
                {
                    out.skip(inside.start);
                    let cell = DataPlace::Table(self.row, self.name());
                    let undo = doubled.then_some(undouble as Undo);
                    write_value(raw, undo, |value| value.place = Some(cell), out);
                    out.skip(end - inside.end);
                } else {
                    out.skip(end);
                }
                Some(end + self.separator(rest.get(end), out))
            }
        }
    }

    /// Reads more of a cell that is too long.
    fn long_cell(&mut self, rest: &[u8], out: &mut Output) -> Option<usize> {
        let end = memchr::memchr2(self.delimiter(), b'\n', rest);
        let len = end.unwrap_or(rest.len());
        write_text(len, self.is_wanted(), out);
        let Some(end) = end else {
            return Some(len);
        };
        self.place = TablePlace::Cells;
        Some(len + self.separator(rest.get(end), out))
    }

    /// Reads the byte behind a cell: the next cell or record begins. Returns its length.
    fn separator(&mut self, byte: Option<&u8>, out: &mut Output) -> usize {
        match byte {
            None => return 0,
            Some(b'\n') => {
                self.row += 1;
                self.column = 0;
            }
            Some(_) => self.column += 1,
        }
        out.skip(1);
        1
    }

    /// Whether the current cell is searched.
    fn is_wanted(&self) -> bool {
        let wanted = self.wanted.as_ref();
        wanted.is_none_or(|columns| columns.contains(&self.column))
    }

    /// Returns the name of the current column, or its number (C4).
    fn name(&mut self) -> Arc<[u8]> {
        let named = self.names.get(self.column);
        if let Some(name) = named.filter(|name| !name.is_empty()) {
            return Arc::clone(name);
        }
        let number = |column: usize| Arc::from((column + 1).to_string().into_bytes());
        if self.column >= NUMBERED {
            return number(self.column);
        }
        for column in self.numbers.len()..=self.column {
            self.numbers.push(number(column));
        }
        Arc::clone(&self.numbers[self.column])
    }
}

#[cfg(test)]
mod tests {
    use super::super::cells::CELL_MAX;
    use super::*;
    use crate::decode::data::shown;
    use crate::decode::table::JUDGED_BYTES;
    use proptest::prelude::*;

    /// The values of a table, pushed in pieces of these sizes, each with its row and column; texts
    /// of long cells in parentheses, open quotes as `!`.
    fn shown(text: &str, sizes: &[usize]) -> String {
        let reading = ContentReading {
            mentions: Mentions::All,
            ..ContentReading::default()
        };
        let mut decoder = table_decoder(&reading, None);
        shown::shown(&mut *decoder, text, sizes, |pushed, text| {
            match pushed.event {
                Event::Value(value) => {
                    let Some(DataPlace::Table(row, field)) = &value.place else {
                        panic!("{value:?}");
                    };
                    format!("[{row}{} {text}]", String::from_utf8_lossy(field))
                }
                Event::Odd(DataOddity::OpenQuote) => "!".to_owned(),
                Event::Skipped(_) => String::new(),
                other => panic!("{other:?}"),
            }
        })
    }

    #[test]
    fn cells() {
        for (text, wanted) in [
            ("", ""),
            ("a,b\n1,2", "[1a a][1b b][2a 1][2b 2]"),
            ("a,\r\n\"1\n2\",3,4\r\n", "[1a a][2a 1\n2][22 3][23 4]"),
            (
                "a,b\n\"1,2\n3,4\n",
                "[1a a][1b b]![2a \"1][2b 2][3a 3][3b 4]",
            ),
            ("a,b\n\"c\"://d,2\n", "[1a a][1b b][2a c://d][2b 2]"),
            ("a,b\n\"1\"x,\"\"\"\"\n", "[1a a][1b b][2a 1x][2b \"]"),
            ("\n\na;b\n", "[3a a][3b b]"),
            ("sep=|\na|b,c\n", "[1a a][1b,c b,c]"),
        ] {
            for size in [1, 2, 3, 100] {
                assert_eq!(shown(text, &[size]), wanted, "{text:?} by {size}");
            }
        }
    }

    /// The header is looked for in the first bytes, however many are pushed at once.
    #[test]
    fn a_long_first_row_is_no_header() {
        let text = format!("a,{},b\nc:,d:,e:\n", "x".repeat(JUDGED_BYTES));
        let whole = shown(&text, &[text.len()]);
        assert!(whole.ends_with("[13 b][21 c:][22 d:][23 e:]"), "{whole}");
        assert_eq!(shown(&text, &[JUDGED_BYTES + 2]), whole);
    }

    /// A colon in a cell may be behind its closing quotation mark.
    #[test]
    fn cells_that_go_on_behind_quotes_are_searched() {
        let mut decoder = table_decoder(&ContentReading::default(), None);
        let shown = shown::shown(&mut *decoder, "\"http\"://a,b\n", &[100], |pushed, text| {
            let is_value = matches!(pushed.event, Event::Value(_));
            if is_value {
                text.into_owned()
            } else {
                String::new()
            }
        });
        assert_eq!(shown, "http://a");
    }

    /// C7: a quoted cell has its end within 1 MiB, and a longer cell is a text.
    #[test]
    fn long_cells() {
        let long = "x".repeat(CELL_MAX + 1);
        for size in [100_000, 3 << 20] {
            assert_eq!(
                shown(&format!("a,b\n{long},c\n"), &[size]),
                format!("[1a a][1b b]({long})[2b c]")
            );
            let quoted = format!("a,b\n\"1,{long}\",c\n");
            let wanted = format!("[1a a][1b b]![2a \"1]({long}\")[23 c]");
            assert_eq!(shown(&quoted, &[size]), wanted);
        }
    }

    proptest! {
        #[test]
        fn pieces_change_nothing(
            text in "[a,;\t\"\n\r ]{0,40}",
            sizes in prop::collection::vec(1usize..9, 1..20),
        ) {
            prop_assert_eq!(shown(&text, &sizes), shown(&text, &[text.len().max(1)]));
        }
    }
}
