//! The end of a record that a set changes when its key repeats: of the parts that
//! [`RecordTail`] names, those that there are.

use super::count_unit::CountUnit;
use super::input_count::InputCount;
use super::time_span::TimeSpan;
use crate::dedup::{INPUTS_LEN, RecordTail, SPAN_LEN};
use crate::item::Finding;

/// The parts at the end of a record, in the order in which they are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::engine) struct TailParts {
    pub unit: Option<CountUnit>,
    pub inputs: Option<InputCount>,
    pub span: Option<TimeSpan>,
}

impl TailParts {
    /// Returns the parts that a finding has itself.
    pub(in crate::engine) fn of(finding: &Finding) -> TailParts {
        let span = TimeSpan::new(finding.first_seen, finding.last_seen);
        let inputs = finding.sources;
        TailParts {
            unit: None,
            inputs: inputs.map(|number| InputCount::new(finding.input, number)),
            span: Some(span).filter(|span| *span != TimeSpan::EMPTY),
        }
    }

    /// Takes the inputs and the times away from the end of `record`, which has the parts of
    /// `tail`.
    pub(in crate::engine) fn take(record: &mut &[u8], tail: RecordTail) -> TailParts {
        let mut end = TailParts::default();
        let shorter = |record: &[u8], len: usize| record.len().saturating_sub(len);
        if tail.span {
            end.span = TimeSpan::of_record(record);
            *record = &record[..shorter(record, SPAN_LEN)];
        }
        if tail.inputs {
            end.inputs = InputCount::of_record(record);
            *record = &record[..shorter(record, INPUTS_LEN)];
        }
        end
    }

    pub(in crate::engine) fn write(&self, out: &mut Vec<u8>) {
        let unit = self.unit.as_ref().map(CountUnit::bytes);
        let inputs = self.inputs.as_ref().map(InputCount::bytes);
        let span = self.span.as_ref().map(TimeSpan::bytes);
        for part in [unit, inputs, span].into_iter().flatten() {
            out.extend_from_slice(part);
        }
    }

    /// Sets what is known of a class from the end of its record.
    pub(in crate::engine) fn set(&self, finding: &mut Finding) {
        if let Some(span) = &self.span {
            (finding.first_seen, finding.last_seen) = (span.first(), span.last());
        }
        finding.sources = self.inputs.map(|inputs| inputs.number());
    }
}
