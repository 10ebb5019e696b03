//! The end of a record that changes when its key repeats: the unit in which the key was counted
//! last, the number of inputs that have it, and the span of some values.

use super::span::{SPAN_LEN, widen};

/// The length of a unit.
pub(crate) const UNIT_LEN: usize = 16;
/// The length of each of the two numbers about inputs.
const INPUT_LEN: usize = 8;
/// The length of both: the last input, then the number of inputs.
pub(crate) const INPUTS_LEN: usize = 2 * INPUT_LEN;

/// The parts that each record of a set that counts ends with, in this order.
///
/// ```
/// use urisieve::dedup::RecordTail;
/// assert_eq!(RecordTail::default(), RecordTail { unit: false, inputs: false, span: false });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordTail {
    /// 16 bytes name the unit of the occurrence. A key counts once in a unit, whose occurrences
    /// follow each other.
    pub unit: bool,
    /// 16 bytes are two numbers, high bytes first: the last input that has the key, and the number
    /// of inputs that have it. The occurrences in an input follow each other.
    pub inputs: bool,
    /// 32 bytes are the least and the greatest of some values, which are compared as bytes: the
    /// span gets that of all records of the key.
    pub span: bool,
}

impl RecordTail {
    /// The length of all parts in bytes.
    pub(crate) fn len(self) -> usize {
        let inputs = usize::from(self.inputs) * INPUTS_LEN;
        usize::from(self.unit) * UNIT_LEN + inputs + usize::from(self.span) * SPAN_LEN
    }

    /// Changes the end of `record` by that of `other`, another record of its key. Returns whether
    /// the occurrence counts.
    pub(crate) fn repeat(self, record: &mut [u8], other: &[u8]) -> bool {
        let mut after = 0;
        if self.span {
            widen(record, other);
            after += SPAN_LEN;
        }
        if self.inputs {
            if let Some((inputs, other)) = parts_before(record, other, after) {
                add_inputs(inputs, other);
            }
            after += INPUTS_LEN;
        }
        if !self.unit {
            return true;
        }
        let Some((unit, other)) = parts_before::<UNIT_LEN>(record, other, after) else {
            return true;
        };
        let is_other = unit != other;
        *unit = *other;
        is_other
    }
}

/// Returns the parts of two records that end this number of bytes before their ends.
fn parts_before<'r, const LEN: usize>(
    record: &'r mut [u8],
    other: &'r [u8],
    after: usize,
) -> Option<(&'r mut [u8; LEN], &'r [u8; LEN])> {
    let end = record.len().checked_sub(after)?;
    let other_end = other.len().checked_sub(after)?;
    let part = record[..end].last_chunk_mut()?;
    Some((part, other[..other_end].last_chunk()?))
}

/// Adds the inputs of later occurrences.
fn add_inputs(inputs: &mut [u8; INPUTS_LEN], other: &[u8; INPUTS_LEN]) {
    let (input, number) = inputs.split_at_mut(INPUT_LEN);
    let (other_input, other_number) = other.split_at(INPUT_LEN);
    if input == other_input {
        return;
    }
    let value = |bytes: &[u8]| bytes.first_chunk().map_or(0, |b| u64::from_be_bytes(*b));
    let all = value(number).saturating_add(value(other_number));
    input.copy_from_slice(other_input);
    number.copy_from_slice(&all.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::super::span::{EMPTY_SPAN, VALUE_LEN};
    use super::*;

    #[test]
    fn a_key_counts_once_in_a_unit() {
        let span = |value: u8| [[value; VALUE_LEN]; 2].concat();
        let all = [(false, false), (false, true), (true, false), (true, true)];
        for tail in all.map(|(inputs, span)| RecordTail {
            unit: true,
            inputs,
            span,
        }) {
            let record = |unit: u8, value: u8| {
                let span = if tail.span { span(value) } else { Vec::new() };
                let inputs = if tail.inputs {
                    &[7; INPUTS_LEN][..]
                } else {
                    &[]
                };
                [b"record", &[unit; UNIT_LEN][..], inputs, &span].concat()
            };
            let mut known = record(1, 5);
            assert_eq!(known.len() - b"record".len(), tail.len());
            for (unit, counts) in [(1, false), (2, true), (2, false), (1, true)] {
                assert_eq!(tail.repeat(&mut known, &record(unit, 5)), counts, "{unit}");
            }
            assert_eq!(known, record(1, 5));
            assert!(!tail.repeat(&mut known, &record(1, 9)));
            let wanted = [[5; VALUE_LEN], [9; VALUE_LEN]].concat();
            assert_eq!(known.ends_with(&wanted), tail.span);
            assert!(tail.repeat(&mut known, b"short"));
        }
        assert_eq!(RecordTail::default().len(), 0);
        let mut plain = b"record".to_vec();
        assert!(RecordTail::default().repeat(&mut plain, &EMPTY_SPAN));
        assert_eq!(plain, b"record");
    }

    #[test]
    fn inputs_are_counted_once_each() {
        let numbers =
            |input: u64, number: u64| [input.to_be_bytes(), number.to_be_bytes()].concat();
        for (unit, span) in [(false, false), (true, false), (false, true), (true, true)] {
            let tail = RecordTail {
                unit,
                inputs: true,
                span,
            };
            let record = |input, number| {
                let unit = if unit { &[1; UNIT_LEN][..] } else { &[] };
                let span = if span { &EMPTY_SPAN[..] } else { &[] };
                [b"record", unit, &numbers(input, number), span].concat()
            };
            let mut known = record(3, 1);
            assert_eq!(known.len() - b"record".len(), tail.len());
            for (input, number) in [(3, 1), (4, 2), (4, 2), (9, 3), (9, 3)] {
                assert_eq!(tail.repeat(&mut known, &record(input, 1)), !unit);
                assert_eq!(known, record(input, number));
            }
            tail.repeat(&mut known, b"short");
            assert_eq!(known, record(9, 3));
        }
    }
}
