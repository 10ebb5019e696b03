//! Findings that are reported at the end: all of them, where they are sorted; else those
//! of deferred keys, of which it is known only then whether they are new, and, where
//! findings are in order, what follows the first of these.

use super::record;
use super::sequence::Sequence;
use crate::dedup::{Answer, Entry};
use crate::item::Finding;

/// Findings in memory: their bytes in one buffer, and where each lies.
#[derive(Debug)]
pub(super) struct Kept {
    sequence: Sequence,
    bytes: Vec<u8>,
    findings: Vec<Lies>,
    /// One of them is deferred.
    defers: bool,
}

/// Where a finding lies: its key, then its record.
#[derive(Clone, Copy, Debug)]
struct Lies {
    from: usize,
    key_len: u32,
    record_len: u32,
    is_deferred: bool,
}

impl Kept {
    pub(super) fn new(sequence: Sequence) -> Kept {
        Kept {
            sequence,
            bytes: Vec::new(),
            findings: Vec::new(),
            defers: false,
        }
    }

    /// Whether a finding that was answered so is reported at the end.
    pub(super) fn takes(&self, answer: Answer) -> bool {
        match self.sequence {
            Sequence::Sorted => true,
            Sequence::Unordered => answer == Answer::Deferred,
            Sequence::Seen | Sequence::Frequent => self.defers || answer == Answer::Deferred,
        }
    }

    /// Adds a finding, before which so many others were found.
    pub(super) fn add(&mut self, position: u64, finding: &Finding, answer: Answer) {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(finding.uri);
        let record = self.bytes.len();
        record::write(position, finding, &mut self.bytes);
        let is_deferred = answer == Answer::Deferred;
        self.defers |= is_deferred;
        self.findings.push(Lies {
            from,
            key_len: (record - from) as u32,
            record_len: (self.bytes.len() - record) as u32,
            is_deferred,
        });
    }

    /// Leaves of the deferred findings only those at the positions `new`, which are in
    /// order; gives what is left of these.
    pub(super) fn settle(&mut self, new: &[u64]) -> impl Iterator<Item = Finding<'_>> {
        let (bytes, findings) = (&self.bytes, &mut self.findings);
        findings.retain(|lies| {
            let position = record::position(lies.entry(bytes).record);
            !lies.is_deferred || new.binary_search(&position).is_ok()
        });
        let deferred = findings.iter().filter(|lies| lies.is_deferred);
        deferred.map(move |lies| lies.finding(bytes))
    }

    /// All findings that are left, in the order in which they are reported.
    pub(super) fn findings(&mut self) -> impl Iterator<Item = Finding<'_>> {
        let (bytes, findings) = (&self.bytes, &mut self.findings);
        let is_sorted = self.sequence == Sequence::Sorted;
        findings.sort_unstable_by(|a, b| {
            let (a, b) = (a.entry(bytes), b.entry(bytes));
            let by_key = match is_sorted {
                true => a.key.cmp(b.key),
                false => std::cmp::Ordering::Equal,
            };
            let position = |entry: Entry| record::position(entry.record);
            by_key.then_with(|| position(a).cmp(&position(b)))
        });
        findings.iter().map(move |lies| lies.finding(bytes))
    }
}

impl Lies {
    fn entry(self, bytes: &[u8]) -> Entry<'_> {
        let (key, rest) = bytes[self.from..].split_at(self.key_len as usize);
        Entry {
            key,
            record: &rest[..self.record_len as usize],
            count: 0,
        }
    }

    fn finding(self, bytes: &[u8]) -> Finding<'_> {
        Finding {
            count: None,
            ..record::read(&self.entry(bytes))
        }
    }
}
