//! The first and the last time of some occurrences, encoded so that a set can widen it: the
//! bytes of two times are in the order of the times.

use crate::dedup::{EMPTY_SPAN, SPAN_LEN, VALUE_LEN, widen};
use crate::item::{Timestamp, UtcOffset};

/// The first and the last of some times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct TimeSpan([u8; SPAN_LEN]);

/// Makes a signed number one whose bytes, high ones first, are in its order.
const SECONDS_BIAS: u64 = 1 << 63;
const MINUTES_BIAS: u16 = 1 << 15;

impl TimeSpan {
    /// No times.
    pub(in crate::engine) const EMPTY: TimeSpan = TimeSpan(EMPTY_SPAN);

    /// Returns the span from `first` to `last`.
    pub(in crate::engine) fn new(first: Option<Timestamp>, last: Option<Timestamp>) -> TimeSpan {
        let mut span = TimeSpan::EMPTY;
        let (least, greatest) = span.0.split_at_mut(VALUE_LEN);
        for (value, time) in [(least, first), (greatest, last)] {
            if let Some(time) = time {
                put(time, value);
            }
        }
        span
    }

    /// Returns the span at the end of a record.
    pub(in crate::engine) fn of_record(record: &[u8]) -> Option<TimeSpan> {
        record.last_chunk().copied().map(TimeSpan)
    }

    pub(in crate::engine) fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Widens it to a time.
    pub(in crate::engine) fn add(&mut self, time: Option<Timestamp>) {
        widen(&mut self.0, &TimeSpan::new(time, time).0);
    }

    pub(in crate::engine) fn first(&self) -> Option<Timestamp> {
        take(&self.0[..VALUE_LEN])
    }

    pub(in crate::engine) fn last(&self) -> Option<Timestamp> {
        take(&self.0[VALUE_LEN..])
    }
}

fn put(time: Timestamp, value: &mut [u8]) {
    let (seconds, nanos) = time.instant();
    let seconds = seconds.cast_unsigned() ^ SECONDS_BIAS;
    let minutes = time.offset().as_minutes().cast_unsigned() ^ MINUTES_BIAS;
    value[..8].copy_from_slice(&seconds.to_be_bytes());
    value[8..12].copy_from_slice(&nanos.to_be_bytes());
    value[12..14].copy_from_slice(&minutes.to_be_bytes());
    value[14..].fill(0);
}

fn take(value: &[u8]) -> Option<Timestamp> {
    let (seconds, rest) = value.split_first_chunk()?;
    let (nanos, rest) = rest.split_first_chunk()?;
    let minutes = rest.first_chunk()?;
    let seconds = (u64::from_be_bytes(*seconds) ^ SECONDS_BIAS).cast_signed();
    let minutes = (u16::from_be_bytes(*minutes) ^ MINUTES_BIAS).cast_signed();
    let time = Timestamp::since_1970(seconds, u32::from_be_bytes(*nanos))?;
    time.with_offset(UtcOffset::minutes(minutes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_has_the_first_and_the_last_time() {
        let time = |text: &str| Timestamp::parse(text.as_bytes(), UtcOffset::UTC);
        let early = time("1969-12-31T23:59:59.5-01:00");
        let (middle, late) = (
            time("1970-01-01T01:00:00Z"),
            time("2026-10-05T00:00:00+14:00"),
        );
        let mut span = TimeSpan::EMPTY;
        assert_eq!((span.first(), span.last()), (None, None));
        for time in [middle, None, late, early] {
            span.add(time);
        }
        assert_eq!((span.first(), span.last()), (early, late));
        assert_eq!(TimeSpan::new(early, late), span);
        assert_eq!(TimeSpan::of_record(span.bytes()), Some(span));
    }
}
