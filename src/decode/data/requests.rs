//! Records of data that are requests (G1): an object of JSON, a row of a table. The reader of
//! log lines reads each; the values that it takes are not searched again.

use crate::decode::content_reading::ContentReading;
use crate::decode::event::{DataOddity, Event, Output};
use crate::decode::log::{LOG_HEAD, LineKind, LineReader, LogColumns};
use std::ops::Range;
use std::sync::Arc;

/// Reads the records of one text.
#[derive(Debug)]
pub(super) struct DataRequests {
    reader: Box<LineReader>,
    /// The columns that the first row of a table names.
    columns: Option<Arc<LogColumns>>,
    has_begun: bool,
    /// No record of the first bytes was a request so far.
    is_open: bool,
    is_off: bool,
}

/// The record that is read: its end, and the values of the request that it states. Places are
/// those of the window.
#[derive(Clone, Debug)]
pub(super) struct StatedRecord {
    pub end: usize,
    values: Vec<Range<usize>>,
    is_stated: bool,
}

impl DataRequests {
    /// Returns a reader, if records may be requests.
    pub(super) fn new(reading: &ContentReading) -> Option<DataRequests> {
        let reader = reading.logs.as_deref()?;
        Some(DataRequests {
            is_open: reader.is_auto(),
            reader: Box::new(reader.clone()),
            columns: None,
            has_begun: false,
            is_off: false,
        })
    }

    /// Whether the record at this offset may be a request.
    pub(super) fn reads_at(&mut self, offset: u64) -> bool {
        self.is_off |= self.is_open && offset >= LOG_HEAD;
        !self.is_off
    }

    /// Reads the record that is this range of `window`, and adds what it states.
    pub(super) fn read(
        &mut self,
        window: &[u8],
        range: Range<usize>,
        out: &mut Output,
    ) -> StatedRecord {
        let begins = !std::mem::replace(&mut self.has_begun, true);
        let record = &window[range.clone()];
        let record = record.strip_suffix(b"\n").unwrap_or(record);
        let kind = self.reader.read(record, &mut self.columns, begins);
        self.is_open &= !kind.is_of_log();
        let mut stated = StatedRecord {
            end: range.end,
            values: Vec::new(),
            is_stated: false,
        };
        match kind {
            LineKind::NoHost => out.events.push(Event::Odd(DataOddity::NoHost)),
            LineKind::Garbage => out.events.push(Event::Odd(DataOddity::Garbage)),
            LineKind::Request => {
                let request = Box::new(std::mem::take(&mut self.reader.request));
                let values = request.values().into_iter();
                let values =
                    values.map(|(value, _)| range.start + value.start..range.start + value.end);
                stated.values = values.collect();
                stated.is_stated = true;
                out.events.push(Event::Request(request));
            }
            LineKind::Text | LineKind::Header if self.reader.time.is_some() => {
                stated.is_stated = true;
                out.events.push(Event::RecordTime(self.reader.time));
            }
            LineKind::Text | LineKind::Header => {}
        }
        stated
    }
}

impl DataRequests {
    /// Reads the beginning of a record that is too long, or that is cut.
    pub(super) fn read_cut(&mut self, record: &[u8], out: &mut Output) {
        self.has_begun = true;
        if self.reader.read_cut(record, self.columns.as_ref()) == LineKind::Garbage {
            out.events.push(Event::Odd(DataOddity::Garbage));
        }
    }
}

impl StatedRecord {
    /// A record that is not read, which begins at this place.
    pub(super) fn unread(start: usize) -> StatedRecord {
        StatedRecord {
            // The next byte of it ends it for the reader of requests.
            end: start + 1,
            values: Vec::new(),
            is_stated: false,
        }
    }

    /// Whether the request has a value in this range of the window.
    pub(super) fn has_value_in(&self, range: &Range<usize>) -> bool {
        let mut values = self.values.iter();
        values.any(|value| value.start < range.end && range.start < value.end)
    }

    /// Ends the record.
    pub(super) fn end(&self, out: &mut Output) {
        if self.is_stated {
            out.events.push(Event::RecordEnd);
        }
    }
}
