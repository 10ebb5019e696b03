//! Findings that are kept until the end of the run. Where findings are sorted, all of
//! them are kept. Otherwise a finding is kept when its key is deferred, because only at
//! the end it is known whether the key is new; in an ordered run, everything after the
//! first such finding is kept, too.

use super::encoded_finding;
use super::pairs::BETWEEN;
use super::sequence::Sequence;
use crate::dedup::{Answer, Entry};
use crate::item::Finding;

/// Findings in memory: one buffer of bytes, and where each finding is in it.
#[derive(Debug)]
pub(super) struct Kept {
    sequence: Sequence,
    bytes: Vec<u8>,
    findings: Vec<KeptFinding>,
    /// Whether one of them is deferred.
    defers: bool,
}

/// Where a finding is in the buffer: its key, then its record.
#[derive(Clone, Copy, Debug)]
struct KeptFinding {
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

    /// Returns whether a finding whose key got this answer is kept until the end.
    pub(super) fn takes(&self, answer: Answer) -> bool {
        match self.sequence {
            Sequence::Sorted => true,
            Sequence::Unordered => answer == Answer::Deferred,
            Sequence::Seen | Sequence::Frequent => self.defers || answer == Answer::Deferred,
        }
    }

    /// Adds the finding at this position.
    pub(super) fn add(&mut self, position: u64, finding: &Finding, answer: Answer) {
        let from = self.bytes.len();
        if let Some(source) = finding.source {
            self.bytes.extend_from_slice(source);
            self.bytes.push(BETWEEN);
        }
        self.bytes.extend_from_slice(finding.uri);
        let record = self.bytes.len();
        encoded_finding::write(position, finding, &mut self.bytes);
        let is_deferred = answer == Answer::Deferred;
        self.defers |= is_deferred;
        self.findings.push(KeptFinding {
            from,
            key_len: (record - from) as u32,
            record_len: (self.bytes.len() - record) as u32,
            is_deferred,
        });
    }

    /// Removes the deferred findings that are not at one of the positions `new`, which are
    /// sorted. Returns the deferred findings that are left.
    pub(super) fn settle(&mut self, new: &[u64]) -> impl Iterator<Item = Finding<'_>> {
        let (bytes, findings) = (&self.bytes, &mut self.findings);
        findings.retain(|kept| {
            let position = encoded_finding::position(kept.entry(bytes).record);
            !kept.is_deferred || new.binary_search(&position).is_ok()
        });
        let deferred = findings.iter().filter(|kept| kept.is_deferred);
        deferred.map(move |kept| kept.finding(bytes))
    }

    /// Returns all findings that are left, in the order in which they are reported.
    pub(super) fn findings(&mut self) -> impl Iterator<Item = Finding<'_>> {
        let (bytes, findings) = (&self.bytes, &mut self.findings);
        let is_sorted = self.sequence == Sequence::Sorted;
        findings.sort_unstable_by(|a, b| {
            let (a, b) = (a.entry(bytes), b.entry(bytes));
            let by_key = match is_sorted {
                true => a.key.cmp(b.key),
                false => std::cmp::Ordering::Equal,
            };
            let position = |entry: Entry| encoded_finding::position(entry.record);
            by_key.then_with(|| position(a).cmp(&position(b)))
        });
        findings.iter().map(move |kept| kept.finding(bytes))
    }
}

impl KeptFinding {
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
            ..encoded_finding::read(&self.entry(bytes))
        }
    }
}
