//! Instants as logs and archives state them, by RFC 3339: read from their parts, from
//! seconds since 1970 and from text, compared, and written with the offset of the source.

use std::fmt;
use std::str::FromStr;

const DAY: i64 = 86_400;
/// The seconds from 1970 to the year 0, and to the year 10000. RFC 3339 has four digits for
/// the year.
const SECONDS: std::ops::Range<i64> = days_before(0, 1, 1) * DAY..days_before(10_000, 1, 1) * DAY;
/// The nanoseconds of a second.
const NANOS: u32 = 1_000_000_000;

/// An instant, with the offset from UTC that its source states.
///
/// Timestamps are in the order of their instants; equal instants are in the order of their
/// offsets. The default is the start of 1970 in UTC. The display is that of RFC 3339 without zeros at the end of the fraction.
///
/// ```
/// use urisieve::item::{Timestamp, UtcOffset};
/// let time = Timestamp::parse(b"2016-10-25T14:49:34.50+02:00", UtcOffset::UTC).unwrap();
/// assert_eq!(time.to_string(), "2016-10-25T14:49:34.5+02:00");
/// assert_eq!(time.in_utc().to_string(), "2016-10-25T12:49:34.5Z");
/// assert_eq!(time.instant(), time.in_utc().instant());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Seconds since 1970 in UTC.
    seconds: i64,
    nanos: u32,
    offset: UtcOffset,
}

/// A date and a time of day, without an offset from UTC. The parts are not checked before
/// [`Timestamp::at`] reads them.
///
/// ```
/// use urisieve::item::{Civil, Timestamp, UtcOffset};
/// let civil = Civil { year: 2000, month: 2, day: 29, ..Civil::default() };
/// let time = Timestamp::at(civil, UtcOffset::UTC).unwrap();
/// assert_eq!(time.to_string(), "2000-02-29T00:00:00Z");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Civil {
    /// The year, up to 9999.
    pub year: u16,
    /// The month, from 1.
    pub month: u8,
    /// The day of the month, from 1.
    pub day: u8,
    /// The hour, up to 23.
    pub hour: u8,
    /// The minute, up to 59.
    pub minute: u8,
    /// The second, up to 60: a leap second is the second after it.
    pub second: u8,
    /// Nanoseconds of the second.
    pub nanos: u32,
}

/// An offset from UTC in minutes, less than a day.
///
/// ```
/// use urisieve::item::UtcOffset;
/// assert_eq!("-07:30".parse(), Ok(UtcOffset::minutes(-450).unwrap()));
/// assert_eq!("Z".parse(), Ok(UtcOffset::UTC));
/// assert!("7".parse::<UtcOffset>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UtcOffset(i16);

/// A text that is not an offset from UTC.
///
/// ```
/// use urisieve::item::UtcOffset;
/// let error = "CET".parse::<UtcOffset>().unwrap_err();
/// assert!(error.to_string().contains("+01:00"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoOffset;

impl fmt::Display for NoOffset {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("not an offset from UTC; write one like +01:00, or Z")
    }
}

impl std::error::Error for NoOffset {}

impl UtcOffset {
    /// No offset.
    pub const UTC: UtcOffset = UtcOffset(0);

    /// Creates an offset of this number of minutes east of UTC; `None` for a day or more.
    ///
    /// ```
    /// use urisieve::item::UtcOffset;
    /// assert_eq!(UtcOffset::minutes(90).unwrap().to_string(), "+01:30");
    /// assert_eq!(UtcOffset::minutes(1440), None);
    /// ```
    pub const fn minutes(minutes: i16) -> Option<UtcOffset> {
        match minutes {
            -1439..=1439 => Some(UtcOffset(minutes)),
            _ => None,
        }
    }

    /// Returns the minutes east of UTC.
    ///
    /// ```
    /// use urisieve::item::UtcOffset;
    /// assert_eq!(UtcOffset::parse(b"-01:30").unwrap().as_minutes(), -90);
    /// ```
    pub const fn as_minutes(self) -> i16 {
        self.0
    }

    /// Reads `Z`, `+hh:mm`, `+hhmm` or `+hh`, and the same with `-`.
    ///
    /// ```
    /// use urisieve::item::UtcOffset;
    /// assert_eq!(UtcOffset::parse(b"-0100"), UtcOffset::minutes(-60));
    /// ```
    pub fn parse(text: &[u8]) -> Option<UtcOffset> {
        let (sign, rest) = match text {
            b"Z" | b"z" => return Some(UtcOffset::UTC),
            [b'+', rest @ ..] => (1, rest),
            [b'-', rest @ ..] => (-1, rest),
            _ => return None,
        };
        let (hours, minutes) = match *rest {
            [a, b] => (number(&[a, b])?, 0),
            [a, b, c, d] | [a, b, b':', c, d] => (number(&[a, b])?, number(&[c, d])?),
            _ => return None,
        };
        let total = sign * (60 * hours as i16 + minutes as i16);
        (minutes < 60).then(|| UtcOffset::minutes(total)).flatten()
    }
}

impl FromStr for UtcOffset {
    type Err = NoOffset;

    fn from_str(text: &str) -> Result<UtcOffset, NoOffset> {
        UtcOffset::parse(text.trim().as_bytes()).ok_or(NoOffset)
    }
}

impl fmt::Display for UtcOffset {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let (sign, minutes) = match self.0 {
            0 => return f.write_str("Z"),
            1.. => ('+', self.0),
            _ => ('-', -self.0),
        };
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

impl Timestamp {
    /// Creates the instant of a date and a time of day at an offset. `None` if the
    /// calendar lacks the day, the day lacks the time, or the year in UTC has not four digits.
    ///
    /// ```
    /// use urisieve::item::{Civil, Timestamp, UtcOffset};
    /// let civil = Civil { year: 2023, month: 2, day: 29, ..Civil::default() };
    /// assert_eq!(Timestamp::at(civil, UtcOffset::UTC), None);
    /// ```
    pub fn at(civil: Civil, offset: UtcOffset) -> Option<Timestamp> {
        let Civil {
            year, month, day, ..
        } = civil;
        let is_day = (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
        let is_time = civil.hour < 24 && civil.minute < 60 && civil.second <= 60;
        if !(is_day && is_time) {
            return None;
        }
        let days = days_before(i64::from(year), month, day);
        let [hour, minute, second] = [civil.hour, civil.minute, civil.second].map(i64::from);
        let seconds = days * DAY + (hour * 60 + minute - i64::from(offset.0)) * 60 + second;
        Timestamp::since_1970(seconds, civil.nanos)?.with_offset(offset)
    }

    /// Creates the instant this many seconds and nanoseconds after 1970, in UTC. `None` if
    /// `nanos` is a second or more, or if the year has not four digits.
    ///
    /// ```
    /// use urisieve::item::Timestamp;
    /// let time = Timestamp::since_1970(1_157_689_312, 49_000_000).unwrap();
    /// assert_eq!(time.to_string(), "2006-09-08T04:21:52.049Z");
    /// ```
    pub fn since_1970(seconds: i64, nanos: u32) -> Option<Timestamp> {
        let is_in = SECONDS.contains(&seconds) && nanos < NANOS;
        is_in.then_some(Timestamp {
            seconds,
            nanos,
            offset: UtcOffset::UTC,
        })
    }

    /// Reads a number of seconds since 1970, with a fraction or without, or of milliseconds,
    /// microseconds or nanoseconds. The size of the number says which: a number below 10^11
    /// counts seconds, below 10^14 milliseconds, below 10^17 microseconds.
    ///
    /// ```
    /// use urisieve::item::Timestamp;
    /// let numbers = ["1672742486.895", "1672742486895", "1672742486895000", "1672742486895000000"];
    /// for number in numbers {
    ///     let time = Timestamp::parse_number(number.as_bytes()).unwrap();
    ///     assert_eq!(time.to_string(), "2023-01-03T10:41:26.895Z");
    /// }
    /// ```
    pub fn parse_number(text: &[u8]) -> Option<Timestamp> {
        let (digits, fraction) = match text.iter().position(|&b| b == b'.') {
            Some(at) => (&text[..at], &text[at + 1..]),
            None => (text, &b""[..]),
        };
        let count = number(digits)?;
        let per_second: u64 = match count {
            0..100_000_000_000 => 1,
            100_000_000_000..100_000_000_000_000 => 1000,
            100_000_000_000_000..100_000_000_000_000_000 => 1_000_000,
            _ => 1_000_000_000,
        };
        let nanos_each = u64::from(NANOS) / per_second;
        let part = match fraction {
            b"" => 0,
            digits => u64::from(nanos_of(digits)?) / per_second,
        };
        let nanos = count % per_second * nanos_each + part;
        let seconds = i64::try_from(count / per_second).ok()?;
        Timestamp::since_1970(seconds, nanos as u32)
    }

    /// Reads a time by RFC 3339. A blank may stand for `T`, a comma for the point; digits of
    /// the fraction after the ninth are dropped. An offset may lack its colon; a time
    /// without an offset has the offset `zone`. All of `text` must be the time.
    ///
    /// ```
    /// use urisieve::item::{Timestamp, UtcOffset};
    /// let zone = UtcOffset::minutes(60).unwrap();
    /// let read = |text: &str| Timestamp::parse(text.as_bytes(), zone).map(|t| t.to_string());
    /// assert_eq!(read("2021-11-12 16:59:45+0000").unwrap(), "2021-11-12T16:59:45Z");
    /// assert_eq!(read("2021-11-12T16:59:45").unwrap(), "2021-11-12T16:59:45+01:00");
    /// assert_eq!(read("2021-11-12"), None);
    /// ```
    pub fn parse(text: &[u8], zone: UtcOffset) -> Option<Timestamp> {
        let (date, rest) = text.split_first_chunk::<10>()?;
        let civil = read_date(date)?;
        let [
            b'T' | b't' | b' ',
            h1,
            h2,
            b':',
            m1,
            m2,
            b':',
            s1,
            s2,
            rest @ ..,
        ] = rest
        else {
            return None;
        };
        let (nanos, rest) = match rest {
            [b'.' | b',', rest @ ..] => {
                let end = rest.iter().position(|b| !b.is_ascii_digit());
                let (digits, rest) = rest.split_at(end.unwrap_or(rest.len()));
                (nanos_of(digits)?, rest)
            }
            _ => (0, rest),
        };
        let offset = match rest {
            b"" => zone,
            rest => UtcOffset::parse(rest)?,
        };
        let civil = Civil {
            hour: number(&[*h1, *h2])? as u8,
            minute: number(&[*m1, *m2])? as u8,
            second: number(&[*s1, *s2])? as u8,
            nanos,
            ..civil
        };
        Timestamp::at(civil, offset)
    }

    /// Reads a date, `2016-10-25`: the first instant of the day at the offset `zone`.
    ///
    /// ```
    /// use urisieve::item::{Timestamp, UtcOffset};
    /// let day = Timestamp::parse_date(b"2016-10-25", UtcOffset::UTC).unwrap();
    /// assert_eq!(day.to_string(), "2016-10-25T00:00:00Z");
    /// ```
    pub fn parse_date(text: &[u8], zone: UtcOffset) -> Option<Timestamp> {
        Timestamp::at(read_date(text.try_into().ok()?)?, zone)
    }

    /// Returns the same instant with the offset of UTC.
    ///
    /// ```
    /// use urisieve::item::{Timestamp, UtcOffset};
    /// let time = Timestamp::parse(b"2000-01-01T00:00:00+01:00", UtcOffset::UTC).unwrap();
    /// assert_eq!(time.in_utc().to_string(), "1999-12-31T23:00:00Z");
    /// ```
    pub fn in_utc(self) -> Timestamp {
        Timestamp {
            offset: UtcOffset::UTC,
            ..self
        }
    }

    /// Returns the seconds since 1970 in UTC, and the nanoseconds after them.
    ///
    /// ```
    /// use urisieve::item::Timestamp;
    /// assert_eq!(Timestamp::since_1970(-1, 5).unwrap().instant(), (-1, 5));
    /// ```
    pub fn instant(self) -> (i64, u32) {
        (self.seconds, self.nanos)
    }

    /// Returns the offset from UTC that its source states.
    ///
    /// ```
    /// use urisieve::item::{Timestamp, UtcOffset};
    /// assert_eq!(Timestamp::since_1970(0, 0).unwrap().offset(), UtcOffset::UTC);
    /// ```
    pub fn offset(self) -> UtcOffset {
        self.offset
    }

    /// Returns the date and the time of day at its offset.
    ///
    /// ```
    /// use urisieve::item::Timestamp;
    /// let civil = Timestamp::since_1970(951_782_400, 0).unwrap().civil();
    /// assert_eq!((civil.year, civil.month, civil.day), (2000, 2, 29));
    /// ```
    pub fn civil(self) -> Civil {
        let local = self.seconds + 60 * i64::from(self.offset.0);
        let (days, seconds) = (local.div_euclid(DAY), local.rem_euclid(DAY));
        let (year, month, day) = date_of(days);
        Civil {
            year,
            month,
            day,
            hour: (seconds / 3600) as u8,
            minute: (seconds / 60 % 60) as u8,
            second: (seconds % 60) as u8,
            nanos: self.nanos,
        }
    }

    /// Returns the same instant at another offset; `None` if the year there has not four
    /// digits.
    ///
    /// ```
    /// use urisieve::item::{Timestamp, UtcOffset};
    /// let time = Timestamp::since_1970(0, 0).unwrap();
    /// let there = time.with_offset(UtcOffset::minutes(60).unwrap()).unwrap();
    /// assert_eq!(there.to_string(), "1970-01-01T01:00:00+01:00");
    /// ```
    pub fn with_offset(self, offset: UtcOffset) -> Option<Timestamp> {
        let local = self.seconds + 60 * i64::from(offset.0);
        SECONDS
            .contains(&local)
            .then_some(Timestamp { offset, ..self })
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Civil {
            year,
            month,
            day,
            hour,
            minute,
            second,
            mut nanos,
        } = self.civil();
        write!(
            f,
            "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}"
        )?;
        if nanos > 0 {
            let mut digits = 9;
            while nanos % 10 == 0 {
                (nanos, digits) = (nanos / 10, digits - 1);
            }
            write!(f, ".{nanos:0digits$}")?;
        }
        write!(f, "{}", self.offset)
    }
}

/// Reads `2016-10-25`.
fn read_date(text: &[u8; 10]) -> Option<Civil> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text else {
        return None;
    };
    Some(Civil {
        year: number(&[y1, y2, y3, y4])? as u16,
        month: number(&[m1, m2])? as u8,
        day: number(&[d1, d2])? as u8,
        ..Civil::default()
    })
}

/// Reads a number that consists of digits alone.
fn number(digits: &[u8]) -> Option<u64> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0u64, |number, byte| {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'))?;
        number.checked_mul(10)?.checked_add(digit)
    })
}

/// Reads the digits of a fraction of a second.
fn nanos_of(digits: &[u8]) -> Option<u32> {
    if !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let digits = &digits[..digits.len().min(9)];
    let nanos = number(digits)? as u32;
    Some(nanos * 10u32.pow(9 - digits.len() as u32))
}

/// Returns the number of days of a month of the Gregorian calendar.
const fn days_in(year: u16, month: u8) -> u8 {
    let is_leap = year.is_multiple_of(4) && !year.is_multiple_of(100) || year.is_multiple_of(400);
    match month {
        4 | 6 | 9 | 11 => 30,
        2 => 28 + is_leap as u8,
        _ => 31,
    }
}

/// Returns the number of days from 1970 to a date of the Gregorian calendar.
const fn days_before(year: i64, month: u8, day: u8) -> i64 {
    // Years begin in March here, so that a leap day is the last of its year. An era of 400
    // years has 146,097 days; 1970 begins 719,468 days after March of the year 0.
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let month = (month as i64 + 9) % 12;
    let day = (153 * month + 2) / 5 + day as i64 - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + day - 719_468
}

/// Returns the year, the month and the day of a number of days since 1970, which is in the
/// years 0 to 9999.
const fn date_of(days: i64) -> (u16, u8, u8) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let day = of_era - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + (month <= 2) as i64;
    (year as u16, month as u8, day as u8)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Option<String> {
        Timestamp::parse(text.as_bytes(), UtcOffset::UTC).map(|time| time.to_string())
    }

    #[test]
    fn times_that_are_read() {
        for (text, wanted) in [
            ("2016-12-07T11:05:07+01:00", "2016-12-07T11:05:07+01:00"),
            ("2016-01-22T13:18:29+0000", "2016-01-22T13:18:29Z"),
            ("2016-01-22t13:18:29z", "2016-01-22T13:18:29Z"),
            ("2000-10-10 13:55:36 ", ""),
            ("2000-10-10 13:55:36-07", "2000-10-10T13:55:36-07:00"),
            (
                "2020-01-01T00:00:00.123456789012Z",
                "2020-01-01T00:00:00.123456789Z",
            ),
            ("2020-01-01T00:00:00,050Z", "2020-01-01T00:00:00.05Z"),
            ("2020-01-01T00:00:00.Z", ""),
            ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
            ("0000-01-01T00:00:00+00:01", ""),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59Z"),
            ("9999-12-31T23:59:60Z", ""),
            ("9999-12-31T23:59:59-00:01", ""),
            ("1900-02-29T00:00:00Z", ""),
            ("2000-02-29T00:00:00Z", "2000-02-29T00:00:00Z"),
            ("2000-13-01T00:00:00Z", ""),
            ("2000-00-01T00:00:00Z", ""),
            ("2000-01-00T00:00:00Z", ""),
            ("2000-01-01T24:00:00Z", ""),
            ("2000-01-01T00:60:00Z", ""),
            ("2000-01-01T00:00:00+24:00", ""),
            ("2000-01-01T00:00:00+01:60", ""),
            ("2000-01-01T00:00:00+1", ""),
            ("2000-1-01T00:00:00Z", ""),
            ("+000-01-01T00:00:00Z", ""),
            ("", ""),
        ] {
            let wanted = Some(wanted.to_owned()).filter(|wanted| !wanted.is_empty());
            assert_eq!(read(text), wanted, "{text}");
        }
    }

    #[test]
    fn numbers_that_are_read() {
        for (text, wanted) in [
            ("0", Some((0, 0))),
            ("99999999999", Some((99_999_999_999, 0))),
            ("1157689312.049", Some((1_157_689_312, 49_000_000))),
            ("1672742486895.5", Some((1_672_742_486, 895_500_000))),
            ("1693206014339368", Some((1_693_206_014, 339_368_000))),
            ("1758098238000000001", Some((1_758_098_238, 1))),
            ("1.", Some((1, 0))),
            (".5", None),
            ("-1", None),
            ("1e9", None),
            ("99999999999999999999", None),
            ("", None),
        ] {
            let time = Timestamp::parse_number(text.as_bytes());
            assert_eq!(time.map(Timestamp::instant), wanted, "{text}");
        }
    }

    #[test]
    fn timestamps_are_ordered_as_instants() {
        let time = |text: &str| Timestamp::parse(text.as_bytes(), UtcOffset::UTC).unwrap();
        let early = time("2026-10-05T23:59:59-01:00");
        let late = time("2026-10-06T01:00:00Z");
        assert!(early < late && early.instant() < late.instant());
        assert_eq!(time("2026-10-06T02:00:00+01:00").instant(), late.instant());
    }

    #[test]
    fn every_day_is_the_one_after_the_day_before_it() {
        let (mut year, mut month, mut day) = (0u16, 1u8, 1u8);
        for days in SECONDS.start / DAY..SECONDS.end / DAY {
            assert_eq!(date_of(days), (year, month, day));
            assert_eq!(days_before(i64::from(year), month, day), days);
            day += 1;
            if day > days_in(year, month) {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
        assert_eq!((year, month, day), (10_000, 1, 1));
    }

    proptest! {
        #[test]
        fn a_timestamp_is_read_as_it_is_written(
            seconds in SECONDS, nanos in 0..NANOS, digits in 0u32..10, minutes in -1439i16..1440,
        ) {
            let nanos = nanos / 10u32.pow(9 - digits) * 10u32.pow(9 - digits);
            let time = Timestamp::since_1970(seconds, nanos).unwrap();
            let offset = UtcOffset::minutes(minutes).unwrap();
            if let Some(time) = time.with_offset(offset) {
                let text = time.to_string();
                prop_assert_eq!(Timestamp::parse(text.as_bytes(), UtcOffset::UTC), Some(time));
                prop_assert_eq!(Timestamp::at(time.civil(), offset), Some(time));
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in proptest::collection::vec(any::<u8>(), 0..40)) {
            let _ = Timestamp::parse(&text, UtcOffset::UTC);
            let _ = Timestamp::parse_number(&text);
            let _ = Timestamp::parse_date(&text, UtcOffset::UTC);
        }
    }
}
