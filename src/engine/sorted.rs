//! Findings that are told at the end, by the bytes of their canonical form.

use super::{Sink, record};
use crate::dedup::Entry;
use crate::item::Finding;
use std::io;

/// Findings in memory: their bytes in one buffer, and where each lies.
#[derive(Debug, Default)]
pub(super) struct Sorted {
    bytes: Vec<u8>,
    /// Where a finding's key starts, where its record starts, where that ends.
    findings: Vec<(usize, usize, usize)>,
}

impl Sorted {
    /// Adds a finding, before which so many others were found.
    pub(super) fn add(&mut self, position: u64, finding: &Finding) {
        let from = self.bytes.len();
        self.bytes.extend_from_slice(finding.uri);
        let record = self.bytes.len();
        record::write(position, finding, &mut self.bytes);
        self.findings.push((from, record, self.bytes.len()));
    }

    /// Tells all of them.
    pub(super) fn tell(self, sink: &mut dyn Sink) -> io::Result<()> {
        let Sorted {
            bytes,
            mut findings,
        } = self;
        findings.sort_unstable_by(|a, b| {
            let key = |f: &(usize, usize, usize)| &bytes[f.0..f.1];
            let position = |f: &(usize, usize, usize)| record::position(&bytes[f.1..f.2]);
            let by_position = || position(a).cmp(&position(b));
            key(a).cmp(key(b)).then_with(by_position)
        });
        findings.into_iter().try_for_each(|(from, record, to)| {
            let mut finding = record::read(&Entry {
                key: &bytes[from..record],
                record: &bytes[record..to],
                count: 0,
            });
            finding.count = None;
            sink.finding(&finding)
        })
    }
}
