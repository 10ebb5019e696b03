//! Findings that are told at the end, by the bytes of their canonical form.

use super::end::{End, heed};
use super::{Sink, record};
use crate::dedup::Entry;

/// Findings in memory: their bytes in one buffer, and where each lies.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    bytes: Vec<u8>,
    /// Where a finding's key starts, where its record starts, where that ends.
    findings: Vec<(usize, usize, usize)>,
}

impl Sorted {
    pub(super) fn add(&mut self, finding: &crate::item::Finding) {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(finding.uri);
        let record = self.bytes.len();
        record::write(finding, &mut self.bytes);
        self.findings.push((from, record, self.bytes.len()));
    }

    /// Reports all of them.
    pub(super) fn tell(self, sink: &mut dyn Sink) -> Result<(), End> {
        let Sorted {
            bytes,
            mut findings,
        } = self;
        // The place of a finding in `bytes` says which of two equal ones came first.
        findings.sort_unstable_by(|a, b| {
            let key = |f: &(usize, usize, usize)| &bytes[f.0..f.1];
            key(a).cmp(key(b)).then_with(|| a.0.cmp(&b.0))
        });
        findings.into_iter().try_for_each(|(from, record, to)| {
            let mut finding = record::read(&Entry {
                key: &bytes[from..record],
                record: &bytes[record..to],
                count: 0,
            });
            finding.count = None;
            heed(sink.finding(&finding))
        })
    }
}
