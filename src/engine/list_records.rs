//! Reads the records of a list: each becomes one item, even if its value is not a URI.
//! Such a value is its own canonical form. Records of a table whose value is not a URI
//! are not merged with others, and neither is the header that names the columns.

use super::batch::Batch;
use super::carry::{Carry, ListReading};
use super::error::{Error, ErrorKind};
use super::keys::Reported;
use super::mode::Mode;
use super::problems::judged;
use super::spans::Spans;
use super::worker::Worker;
use crate::canonicalize::Redactor;
use crate::decode::{Layout, RECORD_MAX, Records, Settled};
use crate::item::{Content, Loss, LossKind, Marks, Problem, Segment};
use std::fmt::Display;
use std::io;
use std::ops::Range;

/// The most columns that an error lists.
const LISTED: usize = 100;

impl Worker {
    /// Reads the records of `segment`, which may be damaged from the raw offset `doubt`
    /// on. Returns what is carried into the next segment, unless this is the last one.
    pub(super) fn read_list(
        &mut self,
        layout: &Layout,
        segment: &Segment,
        carry: Carry,
        doubt: Option<u64>,
        batch: &mut Batch,
    ) -> Option<Carry> {
        let (bytes, last) = (segment.text, segment.last);
        let mut spans = Spans::new(segment, doubt);
        let mut reading = carry.reading;
        let at = self.read_records(
            layout,
            (bytes, last),
            carry.resume,
            &mut reading,
            &mut spans,
            batch,
        );
        (!last).then(|| Carry {
            raw_len: spans.of(at..bytes.len()).1,
            bytes: bytes[at..].to_vec(),
            reading,
            ..Carry::start()
        })
    }

    /// Reads the records of `bytes` from `at` on; `last` is whether no bytes follow.
    /// Returns where the first incomplete record starts.
    fn read_records(
        &mut self,
        layout: &Layout,
        (bytes, last): (&[u8], bool),
        mut at: usize,
        reading: &mut ListReading,
        spans: &mut Spans,
        batch: &mut Batch,
    ) -> usize {
        if reading.too_long {
            let end = reading.records.as_ref().map_or(b'\n', Records::end);
            match memchr::memchr(end, &bytes[at..]) {
                None => return bytes.len(),
                Some(len) => at += len + 1,
            }
            reading.too_long = false;
        }
        if reading.lacks_column {
            return bytes.len();
        }
        let mut header = None;
        if reading.records.is_none() {
            match layout.settle(&bytes[at..], last) {
                Settled::Records { records, header: h } => {
                    reading.records = Some(records);
                    header = h.map(|header| at + header.start..at + header.end);
                }
                Settled::NoColumn(columns) => {
                    let kind = ErrorKind::Column(batch.input);
                    let cause = lacking(layout, &columns, self.keys.redactor.as_ref());
                    batch.error.get_or_insert(Error::new(kind, cause));
                    reading.lacks_column = true;
                    return bytes.len();
                }
                _ => {}
            }
        }
        while let Some(records) = &reading.records
            && let Some(record) = records.record(bytes, at, last)
        {
            at = record.end;
            let raw = &bytes[record.clone()];
            if header.as_ref() == Some(&record) {
                let place = spans.of(range_of(record.start, without_end(raw)));
                let marks = Marks {
                    content: Content::Header,
                    ..Marks::default()
                };
                let header = Reported::Row(records, raw);
                self.keys.add_alone(header, header, place, marks, batch);
            } else {
                self.read_record(records, record.start, raw, spans, batch);
            }
        }
        if bytes.len() - at > RECORD_MAX {
            batch.stats.too_long += 1;
            batch.losses.push(Loss {
                input: batch.input,
                offset: spans.offset(at),
                kind: LossKind::RecordTooLong,
            });
            reading.too_long = true;
            return bytes.len();
        }
        at
    }

    /// Adds the record `raw`, which starts at `start`.
    fn read_record(
        &mut self,
        records: &Records,
        start: usize,
        raw: &[u8],
        spans: &mut Spans,
        batch: &mut Batch,
    ) {
        let value = records.value(raw);
        let (is_uri, problems) = match &value {
            Some(value) => judged(value),
            None => (false, Problem::NoScheme.into()),
        };
        let value = value.unwrap_or_default();
        let mut marks = Marks {
            problems,
            content: match is_uri {
                true => Content::Uri,
                false => Content::NoUri,
            },
            ..Marks::default()
        };
        batch.stats.not_uris += u64::from(!is_uri);
        if !records.are_lines() {
            let row = Reported::Row(records, raw);
            return self.read_row((is_uri, &value), row, start, spans, marks, batch);
        }
        let blanks = match value.is_empty() {
            true => 0,
            false => raw.len() - raw.trim_ascii_start().len(),
        };
        let place = spans.of(range_of(start + blanks, &value));
        marks.problems |= spans.problems(place);
        match is_uri {
            true => self.add_uri(&value, Reported::Uri(&value), place, marks, batch),
            false => {
                let line = Reported::Uri(raw.strip_suffix(&[records.end()]).unwrap_or(raw));
                let key = Reported::Uri(&value);
                self.keys.add(key, line, place, marks, batch);
            }
        }
    }

    /// Adds a record that has its value in a field. The record is reported as the
    /// original; only the spellings of a class are values.
    fn read_row(
        &mut self,
        (is_uri, value): (bool, &[u8]),
        row: Reported,
        start: usize,
        spans: &mut Spans,
        mut marks: Marks,
        batch: &mut Batch,
    ) {
        let place = spans.of(range_of(start, without_end(row.bytes())));
        marks.problems |= spans.problems(place);
        let original = match self.keys.repeats.mode {
            Mode::Groups => Reported::Uri(value),
            _ => row,
        };
        match is_uri {
            true => self.add_uri(value, original, place, marks, batch),
            false => {
                let value = Reported::Uri(value);
                self.keys.add_alone(value, original, place, marks, batch);
            }
        }
    }

    /// Adds a value that is a URI.
    fn add_uri(
        &mut self,
        value: &[u8],
        original: Reported,
        place: (u64, u64),
        marks: Marks,
        batch: &mut Batch,
    ) {
        let canonical = &mut self.buffers.canonical;
        let key = self.canonicalizer.canonicalize(value, canonical);
        self.keys
            .add(Reported::Uri(key), original, place, marks, batch);
    }
}

/// Returns the error of a table that lacks its column. It lists the columns of the table,
/// unless they have secrets.
pub(super) fn lacking(
    layout: &dyn Display,
    columns: &[String],
    redactor: Option<&Redactor>,
) -> io::Error {
    let has_secrets = redactor.is_some_and(|redactor| {
        // In a file without a header they are values, and a comma in a URI separates two.
        let joined = columns.join(",");
        redactor.redact(joined.as_bytes(), &mut Vec::new()) != joined.as_bytes()
    });
    let found = match has_secrets {
        true => format!("the first record has {} columns", columns.len()),
        false => {
            let listed = columns.iter().take(LISTED).map(|name| format!("{name:?}"));
            let listed = listed.collect::<Vec<_>>().join(", ");
            match columns.len().saturating_sub(LISTED) {
                0 => format!("the columns are {listed}"),
                more => format!("the columns are {listed} and {more} more"),
            }
        }
    };
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("there is no {layout}; {found}"),
    )
}

/// Returns the range of `text`, which begins at `at`.
fn range_of(at: usize, text: &[u8]) -> Range<usize> {
    at..at + text.len()
}

/// Returns a record without the line break that ends it.
fn without_end(record: &[u8]) -> &[u8] {
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    record.strip_suffix(b"\r").unwrap_or(record)
}
