//! The first time and the last one of rows that become one.

use urisieve::item::{Timestamp, UtcOffset};

/// Seconds since 1970 and nanoseconds.
pub(super) type Instant = (i64, u32);

/// Returns the instant of a time in RFC 3339.
pub(super) fn instant(time: &[u8]) -> Option<Instant> {
    Timestamp::parse(time, UtcOffset::UTC).map(|time| time.instant())
}

/// The times, as they are written.
#[derive(Debug, Default)]
pub(super) struct SpanSum([Option<Vec<u8>>; 2]);

impl SpanSum {
    /// Adds the first time and the last one of a row, whose instants `instant` returns.
    pub(super) fn add(
        &mut self,
        row: [Option<&[u8]>; 2],
        instant: impl Fn(&[u8]) -> Option<Instant>,
    ) {
        for (number, time) in row.into_iter().enumerate() {
            let Some(time) = time else { continue };
            let known = self.0[number].as_deref().map(&instant);
            let is_kept = known.is_some_and(|known| match number {
                0 => known <= instant(time),
                _ => known >= instant(time),
            });
            if !is_kept {
                self.0[number] = Some(time.to_owned());
            }
        }
    }

    /// Returns the first time and the last one, as they are written.
    pub(super) fn times(&self) -> [Option<&[u8]>; 2] {
        self.0.each_ref().map(Option::as_deref)
    }
}
