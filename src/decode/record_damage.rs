//! Damage of a record of a catalogue.

/// Damage of a record.
///
/// ```
/// use urisieve::decode::{RecordDamage, RecordFault};
/// let damage = RecordDamage { fault: RecordFault::Damaged, cause: "its length is wrong", offset: 9, number: 2, stated: Some(9) };
/// assert_eq!(damage.number, 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordDamage {
    /// The kind of damage.
    pub fault: RecordFault,
    /// The cause.
    pub cause: &'static str,
    /// The offset of the record in the input.
    pub offset: u64,
    /// The number of the record, from 1.
    pub number: u64,
    /// The length that its leader states; `None` where that is not a number, or in other
    /// formats.
    pub stated: Option<u32>,
}

#[cfg(feature = "marc")]
impl RecordDamage {
    /// The damage of record `number` of a catalogue, which begins at `offset` and states no
    /// length.
    pub(in crate::decode) fn of_record(
        fault: RecordFault,
        cause: &'static str,
        (number, offset): (u64, u64),
    ) -> RecordDamage {
        RecordDamage {
            fault,
            cause,
            offset,
            number,
            stated: None,
        }
    }
}

/// The kinds of damage of a record.
///
/// ```
/// use urisieve::decode::RecordFault;
/// assert_ne!(RecordFault::Damaged, RecordFault::Garbage);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RecordFault {
    /// The record differs from the statements of its leader.
    Damaged,
    /// The end of the record is missing.
    Truncated,
    /// Bytes that belong to no record.
    Garbage,
    /// The record was read, but characters of it are unknown.
    Suspect,
    /// The record exceeds a limit, or needs an unsupported feature.
    Unsupported,
}
