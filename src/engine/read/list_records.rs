//! Reads the records of a list: each becomes one item, even if its value is not a URI.
//! Such a value is its own canonical form. Records of a table whose value is not a URI
//! are not merged with others, and neither is the header that names the columns.

use super::problems::{is_strict_uri, judged, of_urn};
use super::reported::Reported;
use super::search::spans::Spans;
use super::worker::Worker;
use crate::canonicalize::Redactor;
use crate::decode::{Layout, RECORD_MAX, Records, Settled};
use crate::engine::ask::mode::Mode;
use crate::engine::batches::batch::Batch;
use crate::engine::batches::carry::{Carry, ListReading};
use crate::engine::error::{Error, ErrorKind};
use crate::item::{Content, Loss, LossKind, Marks, Problem, Segment};
use crate::scan::Trigger;
use std::borrow::Cow;
use std::fmt::Display;
use std::io;
use std::ops::Range;

/// The most columns that an error lists.
const LISTED: usize = 100;

/// The value of a record.
#[derive(Clone, Copy)]
struct RecordValue<'v> {
    text: &'v [u8],
    /// The URI that it is, or that it is an identifier of.
    uri: Option<&'v [u8]>,
}

/// Reads the records of `segment`, which may be damaged from the raw offset `doubt`
/// on. Returns what is carried into the next segment, unless this is the last one.
pub(in crate::engine) fn read_list(
    worker: &mut Worker,
    layout: &Layout,
    segment: &Segment,
    carry: Carry,
    doubt: Option<u64>,
    batch: &mut Batch,
) -> Option<Carry> {
    let (bytes, last) = (segment.text, segment.last);
    let mut spans = Spans::new(segment, doubt);
    let mut reading = carry.reading;
    let at = read_records(
        worker,
        layout,
        (bytes, last),
        carry.resume,
        &mut reading,
        &mut spans,
        batch,
    );
    (!last).then(|| Carry {
        decided: spans.offset(at),
        raw_len: spans.of(at..bytes.len()).1,
        bytes: bytes[at..].to_vec(),
        reading,
        ..Carry::start()
    })
}

/// Reads the records of `bytes` from `at` on; `last` is whether no bytes follow.
/// Returns where the first incomplete record starts.
fn read_records(
    worker: &mut Worker,
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
                let is_lacking = |part: &&Layout| {
                    matches!(part.settle(&bytes[at..], last), Settled::NoColumn(_))
                };
                let layout = layout.parts().iter().find(is_lacking).unwrap_or(layout);
                let cause = lacking(layout, &columns, worker.keys.redactor.as_ref());
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
            worker.keys.add_alone(header, header, place, marks, batch);
        } else {
            read_record(worker, records, record.start, raw, spans, batch);
        }
    }
    if bytes.len() - at > RECORD_MAX {
        batch.lose(Loss {
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
    worker: &mut Worker,
    records: &Records,
    start: usize,
    raw: &[u8],
    spans: &mut Spans,
    batch: &mut Batch,
) {
    for value in records.values(raw) {
        read_value(worker, (records, start, raw), value, spans, batch);
    }
}

/// Adds a value of the record `raw`, which starts at `start`.
fn read_value(
    worker: &mut Worker,
    (records, start, raw): (&Records, usize, &[u8]),
    value: Option<Cow<'_, [u8]>>,
    spans: &mut Spans,
    batch: &mut Batch,
) {
    let mut named = std::mem::take(&mut worker.buffers.prefixed);
    let is_named = value
        .as_deref()
        .is_some_and(|value| identify(worker, value, &mut named));
    let (is_uri, problems) = match &value {
        Some(_) if is_named => (true, of_urn(&named)),
        Some(value) if worker.strict => (is_strict_uri(value), judged(value).1),
        Some(value) => judged(value),
        None => (false, Problem::NoScheme.into()),
    };
    let value = value.unwrap_or_default();
    let marks = Marks {
        problems,
        content: match is_uri {
            true => Content::Uri,
            false => Content::NoUri,
        },
        ..Marks::default()
    };
    batch.stats.not_uris += u64::from(!is_uri);
    let read = RecordValue {
        uri: is_uri.then_some(if is_named { &named } else { &value }),
        text: &value,
    };
    match records.are_lines() {
        true => read_line(worker, read, (records, raw), start, spans, marks, batch),
        false => read_row(worker, read, (records, raw), start, spans, marks, batch),
    }
    worker.buffers.prefixed = named;
}

/// Writes the URI of a value that is an identifier without a scheme as a whole; returns
/// whether it is one.
fn identify(worker: &mut Worker, value: &[u8], uri: &mut Vec<u8>) -> bool {
    if worker.identifiers.is_empty() {
        return false;
    }
    let segment = Segment::whole(value);
    uri.clear();
    for trigger in worker.scanner.triggers(&segment, 0) {
        let Trigger::Identifier(at) = trigger else {
            continue;
        };
        let found = worker
            .delimiter
            .delimit_whole(value, at, worker.identifiers);
        if let Some(found) = found {
            uri.extend_from_slice(found);
            return true;
        }
    }
    false
}

/// Adds a record that is a line.
fn read_line(
    worker: &mut Worker,
    value: RecordValue,
    (records, raw): (&Records, &[u8]),
    start: usize,
    spans: &mut Spans,
    mut marks: Marks,
    batch: &mut Batch,
) {
    let blanks = match value.text.is_empty() {
        true => 0,
        false => raw.len() - raw.trim_ascii_start().len(),
    };
    let place = spans.of(range_of(start + blanks, value.text));
    marks.problems |= spans.problems(place);
    let text = Reported::Uri(value.text);
    match value.uri {
        Some(uri) => add_uri(worker, uri, text, place, marks, batch),
        None => {
            let line = Reported::Uri(raw.strip_suffix(&[records.end()]).unwrap_or(raw));
            worker.keys.add(text, line, place, marks, batch);
        }
    }
}

/// Adds a record that has its value in a field. The record is reported as the
/// original; only the spellings of a class are values.
fn read_row(
    worker: &mut Worker,
    value: RecordValue,
    (records, raw): (&Records, &[u8]),
    start: usize,
    spans: &mut Spans,
    mut marks: Marks,
    batch: &mut Batch,
) {
    let place = spans.of(range_of(start, without_end(raw)));
    marks.problems |= spans.problems(place);
    let text = Reported::Uri(value.text);
    let original = match worker.keys.repeats.mode {
        Mode::Groups => text,
        _ => Reported::Row(records, raw),
    };
    match value.uri {
        Some(uri) => add_uri(worker, uri, original, place, marks, batch),
        None => worker.keys.add_alone(text, original, place, marks, batch),
    }
}

/// Adds a value that is this URI.
fn add_uri(
    worker: &mut Worker,
    uri: &[u8],
    original: Reported,
    place: (u64, u64),
    marks: Marks,
    batch: &mut Batch,
) {
    let canonical = &mut worker.buffers.canonical;
    let key = worker.canonicalizer.canonicalize(uri, canonical);
    worker
        .keys
        .add(Reported::Uri(key), original, place, marks, batch);
}

/// Returns the error of a table that lacks its column. It lists the columns of the table,
/// unless they have secrets.
pub(in crate::engine) fn lacking(
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
