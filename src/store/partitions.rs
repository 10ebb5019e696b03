//! Writes keys for which there is no room to partitions by their hashes: equal keys are in
//! the same partition. Finding the new ones is left to `settling`.

use super::budget::Charge;
use super::log::{Log, LogWriter};
use super::scratch::ScratchFile;
use super::varint;
use crate::dedup::RecordTail;
use std::io;
use std::sync::Arc;

/// The part of the keys of a set that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EntryForm {
    pub counting: bool,
    /// The end of each record, which changes when its key repeats.
    pub tail: RecordTail,
    pub records: bool,
}

/// One or several occurrences of a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Occurrence<'b> {
    pub number: u64,
    pub count: u32,
    pub key: &'b [u8],
    pub record: &'b [u8],
}

/// Partitions, a power of two, which are being written.
#[derive(Debug)]
pub(super) struct Partitions {
    writers: Vec<(LogWriter, u64)>,
    form: EntryForm,
    head: Vec<u8>,
}

impl Partitions {
    /// Returns empty partitions. `buffers` was taken for their buffers.
    pub(super) fn new(
        count: usize,
        form: EntryForm,
        file: &Arc<ScratchFile>,
        mut buffers: Charge,
    ) -> Partitions {
        let mut writer = |_| {
            let buffer = buffers.split(file.block_len());
            (LogWriter::with_charge(file, buffer), 0)
        };
        Partitions {
            writers: (0..count.next_power_of_two()).map(&mut writer).collect(),
            form,
            head: Vec::new(),
        }
    }

    /// Adds an occurrence of a key with this hash.
    pub(super) fn push(&mut self, hash: u64, it: Occurrence) -> io::Result<()> {
        // The table of a set uses the upper half of a hash.
        let number = hash as usize & (self.writers.len() - 1);
        let (writer, last) = &mut self.writers[number];
        self.head.clear();
        varint::put(varint::step(*last, it.number), &mut self.head);
        *last = it.number;
        if self.form.counting {
            varint::put(u64::from(it.count), &mut self.head);
        }
        match self.form.records {
            false => writer.push_parts(&[&self.head, it.key]),
            true => {
                varint::put(it.key.len() as u64, &mut self.head);
                writer.push_parts(&[&self.head, it.key, it.record])
            }
        }
    }

    /// Returns the partitions that are not empty.
    pub(super) fn finish(self) -> io::Result<Vec<Log>> {
        let logs = self.writers.into_iter().map(|(writer, _)| writer.finish());
        logs.filter(|log| !log.as_ref().is_ok_and(Log::is_empty))
            .collect()
    }
}

impl EntryForm {
    /// Returns the occurrence of an entry; `last` is the number of the entry before it.
    pub(super) fn read<'b>(self, mut entry: &'b [u8], last: &mut u64) -> Occurrence<'b> {
        *last = varint::after(*last, varint::take(&mut entry));
        let count = match self.counting {
            true => varint::take(&mut entry) as u32,
            false => 1,
        };
        let (key, record) = match self.records {
            true => {
                let len = varint::take(&mut entry) as usize;
                entry.split_at(len.min(entry.len()))
            }
            false => (entry, &[][..]),
        };
        Occurrence {
            number: *last,
            count,
            key,
            record,
        }
    }
}

#[cfg(all(test, feature = "store"))]
mod tests {
    use super::super::budget::Budget;
    use super::*;
    use crate::dedup::Hasher;

    #[test]
    fn occurrences_are_read_as_they_were_written() {
        let file = Arc::new(ScratchFile::new(std::env::temp_dir()).blocks_of(1000));
        let budget = Arc::new(Budget::new(0));
        let hasher = Hasher::new();
        let (keys, records) = ([b'k'; 300], [b'r'; 300]);
        let occurrence = |number: u64| Occurrence {
            // Numbers need not ascend.
            number: number ^ 5,
            count: number as u32 % 3 * 1000,
            key: &keys[..number as usize % 299],
            record: &records[..number as usize % 7 * 40],
        };
        for (counting, records) in [(false, false), (false, true), (true, false), (true, true)] {
            let form = EntryForm {
                counting,
                tail: RecordTail::default(),
                records,
            };
            for count in [1, 2, 8] {
                let mut partitions = Partitions::new(count, form, &file, Charge::new(&budget));
                for number in 0..2000 {
                    let it = occurrence(number);
                    partitions.push(hasher.hash(it.key), it).unwrap();
                }
                let logs = partitions.finish().unwrap();
                assert_eq!(logs.len(), count);
                let mut seen = [false; 2000];
                for (log, part) in logs.into_iter().zip(0..) {
                    let (mut reader, mut last) = (log.read(), 0);
                    while let Some(entry) = reader.next().unwrap() {
                        let it = form.read(entry, &mut last);
                        let mut expected = occurrence(it.number ^ 5);
                        if !counting {
                            expected.count = 1;
                        }
                        if !records {
                            expected.record = b"";
                        }
                        assert_eq!(it, expected);
                        assert_eq!(hasher.hash(it.key) as usize % count, part);
                        let at = (it.number ^ 5) as usize;
                        assert!(!std::mem::replace(&mut seen[at], true));
                    }
                }
                assert_eq!(seen, [true; 2000]);
            }
        }
    }
}
