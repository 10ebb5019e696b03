//! Lists of URIs: each record of a block gives one item, whatever its value is.
//! A value that is no URI is its own canonical form, and says so by its problems.

use super::batch::Batch;
use super::carry::Carry;
use super::problems;
use super::worker::{Offsets, Worker};
use crate::decode::{Layout, RECORD_MAX};
use crate::item::{Loss, LossKind, Marks, Problem, Problems};

/// Where reading stands between two blocks.
#[derive(Clone, Debug, Default)]
pub(super) struct Reading {
    /// The layout after the record that names the fields.
    layout: Option<Layout>,
    /// The record is too long and is passed over.
    too_long: bool,
}

impl Worker {
    /// Reads the records of `bytes` from `at` on; gives where the first one that
    /// is not whole starts, and how reading goes on there.
    pub(super) fn read_records(
        &mut self,
        layout: &Layout,
        (bytes, last): (&[u8], bool),
        mut at: usize,
        mut reading: Reading,
        offsets: &mut Offsets,
        batch: &mut Batch,
    ) -> (usize, Reading) {
        if reading.too_long {
            match memchr::memchr(b'\n', &bytes[at..]) {
                None => return (bytes.len(), reading),
                Some(len) => at += len + 1,
            }
            reading.too_long = false;
        }
        let is_named = matches!(layout, Layout::CsvName(_));
        while let Some(record) = reading
            .layout
            .as_ref()
            .unwrap_or(layout)
            .record(bytes, at, last)
        {
            at = record.end;
            let raw = &bytes[record.clone()];
            if is_named && reading.layout.is_none() {
                // A name that is not there leaves records without a value.
                let found = layout.after_head(raw);
                reading.layout = Some(found.unwrap_or(Layout::CsvColumn(usize::MAX)));
                self.heads = true;
                self.push_head(record.start, raw, offsets, batch);
                continue;
            }
            let layout = reading.layout.as_ref().unwrap_or(layout);
            self.push_record(layout, record.start, raw, offsets, batch);
        }
        if bytes.len() - at > RECORD_MAX {
            batch.stats.too_long += 1;
            batch.losses.push(Loss {
                input: batch.input,
                offset: offsets.of(at),
                kind: LossKind::RecordTooLong,
            });
            reading.too_long = true;
            at = bytes.len();
        }
        (at, reading)
    }
}
