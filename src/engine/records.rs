//! Lists of URIs: each record of a block gives one item, whatever its value is.
//! A value that is no URI is its own canonical form and says so by its problems;
//! the record that names the fields of a CSV file is one of its own kind.

use super::batch::Batch;
use super::carry::Carry;
use super::keys::Told;
use super::problems::problems_of;
use super::worker::{Offsets, Worker};
use crate::decode::{Layout, RECORD_MAX};
use crate::item::{Loss, LossKind, Marks, Problem, Problems};

/// How reading goes on in the next block.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// The layout after the record that names the fields.
    layout: Option<Layout>,
    /// The record is too long and is passed over.
    too_long: bool,
}

impl Worker {
    /// Reads the records of a block; gives what the next one must know, unless
    /// this is the `last` of a text.
    pub(super) fn read_list(
        &mut self,
        layout: &Layout,
        last: bool,
        carry: Carry,
        offsets: &mut Offsets,
        batch: &mut Batch,
    ) -> Option<Carry> {
        let bytes = offsets.bytes;
        let mut reading = carry.reading;
        let at = self.read_records(
            layout,
            (bytes, last),
            carry.resume,
            &mut reading,
            offsets,
            batch,
        );
        let rest = &bytes[at..];
        (!last).then(|| Carry {
            raw_len: offsets.text.encoding.raw_len(rest),
            bytes: rest.to_vec(),
            reading,
            ..Carry::start()
        })
    }

    /// Reads the records of `bytes` from `at` on; gives where the first one that
    /// is not whole starts. Whether `bytes` is the end of a text says `last`.
    fn read_records(
        &mut self,
        layout: &Layout,
        (bytes, last): (&[u8], bool),
        mut at: usize,
        reading: &mut Reading,
        offsets: &mut Offsets,
        batch: &mut Batch,
    ) -> usize {
        if reading.too_long {
            match memchr::memchr(b'\n', &bytes[at..]) {
                None => return bytes.len(),
                Some(len) => at += len + 1,
            }
            reading.too_long = false;
        }
        while let Some(record) = layout.record(bytes, at, last) {
            at = record.end;
            let raw = &bytes[record.clone()];
            if reading.layout.is_none() {
                // A name that no field has leaves the records without a value.
                let after = layout.after_head(raw);
                reading.layout = Some(after.unwrap_or(Layout::CsvColumn(usize::MAX)));
                if matches!(layout, Layout::CsvName(_)) {
                    let head = without_end(raw);
                    let place = offsets.place(record.start, head);
                    let told = Told::Row(head);
                    self.add(told, told, place, Marks::default(), batch);
                    continue;
                }
            }
            let layout = reading.layout.as_ref().unwrap_or(layout);
            self.read_record(layout, record.start, raw, offsets, batch);
        }
        if bytes.len() - at > RECORD_MAX {
            batch.stats.too_long += 1;
            batch.losses.push(Loss {
                input: batch.input,
                offset: offsets.of(at),
                kind: LossKind::RecordTooLong,
            });
            reading.too_long = true;
            return bytes.len();
        }
        at
    }

    fn read_record(
        &mut self,
        layout: &Layout,
        start: usize,
        raw: &[u8],
        offsets: &mut Offsets,
        batch: &mut Batch,
    ) {
        let Some(value) = layout.value(raw) else {
            batch.stats.not_uris += 1;
            let record = without_end(raw);
            let place = offsets.place(start, record);
            let told = told(layout, record);
            let marks = marks(Problem::NoScheme.into());
            return self.add(told, told, place, marks, batch);
        };
        let problems = problems_of(&value);
        let is_uri = !problems.has(Problem::NoScheme) && !problems.has(Problem::BadChar);
        batch.stats.not_uris += u64::from(!is_uri);
        let mut canonical = std::mem::take(&mut self.buffers.canonical);
        let key = match is_uri {
            true => self.canonicalizer.canonicalize(&value, &mut canonical),
            false => &value,
        };
        let is_line = matches!(layout, Layout::Lines);
        let original = match is_line && is_uri {
            true => &value,
            false if is_line => raw.strip_suffix(b"\n").unwrap_or(raw),
            false => without_end(raw),
        };
        let blanks = match is_line {
            true => raw.len() - raw.trim_ascii_start().len().max(value.len()),
            false => 0,
        };
        let place = match is_line {
            true => offsets.place(start + blanks, &value),
            false => offsets.place(start, without_end(raw)),
        };
        let (key, original) = (Told::Uri(key), told(layout, original));
        self.add(key, original, place, marks(problems), batch);
        self.buffers.canonical = canonical;
    }
}

/// How a record of this layout is told.
fn told<'r>(layout: &Layout, record: &'r [u8]) -> Told<'r> {
    match layout.is_csv() {
        true => Told::Row(record),
        false => Told::Uri(record),
    }
}

fn marks(problems: Problems) -> Marks {
    Marks {
        problems,
        ..Marks::default()
    }
}

/// A record without the line break that ends it.
fn without_end(record: &[u8]) -> &[u8] {
    let record = record.strip_suffix(b"\n").unwrap_or(record);
    record.strip_suffix(b"\r").unwrap_or(record)
}
