//! Rows by the hour, day, month or year of their times, in UTC, without gaps.

use crate::item::Timestamp;
use std::collections::BTreeMap;

const HOUR: i64 = 3_600;
const DAY: i64 = 24 * HOUR;
/// Hours that are kept apart; if there are more, they are joined to days.
const HOURS_MAX: usize = 50_000;

/// The numbers of rows by time.
#[derive(Debug)]
pub(super) struct Timeline {
    /// Rows by the start of their unit, in seconds since 1970.
    rows: BTreeMap<i64, u64>,
    /// The seconds of the unit: an hour or a day.
    unit: i64,
}

/// A span of a timeline.
struct TimelineSpan {
    /// The length of its label, a prefix of a time of RFC 3339.
    label: usize,
    /// The most seconds from the first to the last time for which it is used.
    most: i64,
    /// The seconds of the units that are joined to it.
    step: i64,
}

const SPANS: [TimelineSpan; 4] = [
    TimelineSpan {
        label: "2026-10-25T14".len(),
        most: 96 * HOUR,
        step: HOUR,
    },
    TimelineSpan {
        label: "2026-10-25".len(),
        most: 120 * DAY,
        step: DAY,
    },
    TimelineSpan {
        label: "2026-10".len(),
        most: 120 * 30 * DAY,
        step: DAY,
    },
    TimelineSpan {
        label: "2026".len(),
        most: i64::MAX,
        step: DAY,
    },
];

impl Default for Timeline {
    fn default() -> Timeline {
        Timeline {
            rows: BTreeMap::new(),
            unit: HOUR,
        }
    }
}

impl Timeline {
    /// Adds a row with this time.
    pub(super) fn add(&mut self, time: Timestamp) {
        let seconds = time.instant().0;
        *self.rows.entry(self.start(seconds)).or_default() += 1;
        if self.rows.len() > HOURS_MAX && self.unit == HOUR {
            self.unit = DAY;
            for (start, rows) in std::mem::take(&mut self.rows) {
                *self.rows.entry(self.start(start)).or_default() += rows;
            }
        }
    }

    fn start(&self, seconds: i64) -> i64 {
        seconds.div_euclid(self.unit) * self.unit
    }

    /// Returns the spans in their order, with their numbers of rows: hours, days, months or
    /// years, so that there are not too many. Spans without rows are between them.
    pub(super) fn spans(&self) -> Vec<(String, u64)> {
        let (Some((&first, _)), Some((&last, _))) =
            (self.rows.first_key_value(), self.rows.last_key_value())
        else {
            return Vec::new();
        };
        // Hours that were joined to days fit no span of hours: there are too many.
        let mut spans = SPANS.iter();
        let span = spans.find(|span| last - first <= span.most);
        let TimelineSpan { label, step, .. } = *span.unwrap_or(&SPANS[SPANS.len() - 1]);
        let mut spans: Vec<(String, u64)> = Vec::new();
        let mut at = first.div_euclid(step) * step;
        while at <= last {
            let rows: u64 = self.rows.range(at..at + step).map(|(_, rows)| rows).sum();
            let time = Timestamp::since_1970(at, 0).map(|time| time.to_string());
            let mut name = time.unwrap_or_default();
            name.truncate(label);
            match spans.last_mut() {
                Some((last, number)) if *last == name => *number += rows,
                _ => spans.push((name, rows)),
            }
            at += step;
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::UtcOffset;

    fn spans(times: &[&str]) -> Vec<(String, u64)> {
        let mut timeline = Timeline::default();
        for time in times {
            timeline.add(Timestamp::parse(time.as_bytes(), UtcOffset::UTC).unwrap());
        }
        timeline.spans()
    }

    #[test]
    fn hours_days_months_and_years_have_no_gaps() {
        let hours = spans(&["2026-01-01T23:59:59Z", "2026-01-02T01:00:00Z"]);
        let hours: Vec<_> = hours.iter().map(|(name, rows)| (&**name, *rows)).collect();
        assert_eq!(
            hours,
            [
                ("2026-01-01T23", 1),
                ("2026-01-02T00", 0),
                ("2026-01-02T01", 1)
            ]
        );
        assert_eq!(
            spans(&["2026-01-01T00:00:00Z", "2026-01-10T00:00:00Z"]).len(),
            10
        );
        assert_eq!(
            spans(&["2026-01-31T00:00:00Z", "2027-01-01T00:00:00Z"]).len(),
            13
        );
        let years = spans(&["1970-01-01T00:00:00Z", "2026-01-01T00:00:00+02:00"]);
        assert_eq!(years.len(), 56);
        assert_eq!(spans(&[]), []);
    }
}
