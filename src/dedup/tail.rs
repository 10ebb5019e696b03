//! The end of a record that changes when its key repeats: the unit in which the key was counted
//! last, and the span of some values.

use super::span::{SPAN_LEN, widen};

/// The length of a unit.
pub(crate) const UNIT_LEN: usize = 16;

/// The parts that each record of a set that counts ends with: first the unit, then the span.
///
/// ```
/// use urisieve::dedup::RecordTail;
/// assert_eq!(RecordTail::default(), RecordTail { unit: false, span: false });
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordTail {
    /// 16 bytes name the unit of the occurrence. A key counts once in a unit, whose occurrences
    /// follow each other.
    pub unit: bool,
    /// 32 bytes are the least and the greatest of some values, which are compared as bytes: the
    /// span gets that of all records of the key.
    pub span: bool,
}

impl RecordTail {
    /// The length of both parts in bytes.
    pub(crate) fn len(self) -> usize {
        usize::from(self.unit) * UNIT_LEN + usize::from(self.span) * SPAN_LEN
    }

    /// Changes the end of `record` by that of `other`, another record of its key. Returns whether
    /// the occurrence counts.
    pub(crate) fn repeat(self, record: &mut [u8], other: &[u8]) -> bool {
        let span = usize::from(self.span) * SPAN_LEN;
        if self.span {
            widen(record, other);
        }
        if !self.unit {
            return true;
        }
        let end = |len: usize| len.checked_sub(span);
        let (Some(end), Some(other_end)) = (end(record.len()), end(other.len())) else {
            return true;
        };
        let unit = record[..end].last_chunk_mut::<UNIT_LEN>();
        let other = other[..other_end].last_chunk::<UNIT_LEN>();
        let (Some(unit), Some(other)) = (unit, other) else {
            return true;
        };
        let is_other = unit != other;
        *unit = *other;
        is_other
    }
}

#[cfg(test)]
mod tests {
    use super::super::span::{EMPTY_SPAN, VALUE_LEN};
    use super::*;

    #[test]
    fn a_key_counts_once_in_a_unit() {
        let span = |value: u8| [[value; VALUE_LEN]; 2].concat();
        for tail in [false, true].map(|span| RecordTail { unit: true, span }) {
            let record = |unit: u8, value: u8| {
                let span = if tail.span { span(value) } else { Vec::new() };
                [b"record", &[unit; UNIT_LEN][..], &span].concat()
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
        let mut plain = b"record".to_vec();
        assert!(RecordTail::default().repeat(&mut plain, &EMPTY_SPAN));
        assert_eq!(plain, b"record");
    }
}
