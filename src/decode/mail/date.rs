//! The date of a message (RFC 5322 section 3.3), with the zones of its obsolete syntax.

use crate::item::{Civil, Timestamp, UtcOffset};
use crate::syntax::syslog::MONTHS;

/// The names of zones (RFC 5322 section 4.3), with their hours from UTC. Other names mean
/// nothing certain.
const ZONES: [(&[u8], i16); 11] = [
    (b"UT", 0),
    (b"GMT", 0),
    (b"UTC", 0),
    (b"EST", -5),
    (b"EDT", -4),
    (b"CST", -6),
    (b"CDT", -5),
    (b"MST", -7),
    (b"MDT", -6),
    (b"PST", -8),
    (b"PDT", -7),
];

/// Reads the value of a field `Date`, without comments; `None` if it states no instant.
pub(super) fn read_date(value: &[u8]) -> Option<Timestamp> {
    let is_between = |byte: &u8| byte.is_ascii_whitespace() || *byte == b',';
    let mut words = value.split(is_between).filter(|word| !word.is_empty());
    let mut word = words.next()?;
    if word[0].is_ascii_alphabetic() {
        // The day of the week.
        word = words.next()?;
    }
    let day = number(word)?;
    let name = words.next()?;
    let is_month = |month: &&[u8; 3]| {
        let begin = name.get(..month.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(&month[..]))
    };
    let month = MONTHS.iter().position(is_month)?;
    let year = words.next()?;
    let year = match (year.len(), number(year)?) {
        (4, year) => year,
        // RFC 5322 section 4.3.
        (2, year) if year < 50 => 2000 + year,
        (2 | 3, year) => 1900 + year,
        _ => return None,
    };
    let mut times = words.next()?.split(|byte| *byte == b':').map(number);
    let (hour, minute) = (times.next()??, times.next()??);
    let second = times.next().unwrap_or(Some(0))?;
    let part = |number: u16| u8::try_from(number).ok();
    let civil = Civil {
        year,
        month: month as u8 + 1,
        day: part(day)?,
        hour: part(hour)?,
        minute: part(minute)?,
        second: part(second)?,
        nanos: 0,
    };
    Timestamp::at(civil, offset(words.next().unwrap_or_default()))
}

/// Returns the offset of a zone; UTC where it is not known.
fn offset(zone: &[u8]) -> UtcOffset {
    let known = ZONES
        .iter()
        .find(|known| zone.eq_ignore_ascii_case(known.0));
    let named = known.and_then(|known| UtcOffset::minutes(60 * known.1));
    named
        .or_else(|| UtcOffset::parse(zone))
        .unwrap_or(UtcOffset::UTC)
}

fn number(digits: &[u8]) -> Option<u16> {
    let is_number = digits.iter().all(u8::is_ascii_digit);
    let text = std::str::from_utf8(digits).ok().filter(|_| is_number)?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_instants() {
        for (value, wanted) in [
            (
                "Mon, 2 Feb 2026 10:05:06 +0100",
                "2026-02-02T10:05:06+01:00",
            ),
            ("2 Feb 2026 10:05 -0330", "2026-02-02T10:05:00-03:30"),
            ("Fri,21 Nov 97 09:55:06 EST", "1997-11-21T09:55:06-05:00"),
            ("1 jan 02 00:00:00 gmt", "2002-01-01T00:00:00Z"),
            ("1 January 102 00:00:00 XYZ", "2002-01-01T00:00:00Z"),
            ("1 Jan 2002 00:00:00", "2002-01-01T00:00:00Z"),
        ] {
            let time = read_date(value.as_bytes()).map(|time| time.to_string());
            assert_eq!(time.as_deref(), Some(wanted), "{value}");
        }
        for value in [
            "",
            "Mon",
            "Mon, 2",
            "2 Fob 2026 10:05",
            "30 Feb 2026 10:05",
            "2 Feb 26x 10:05",
            "2 Feb 2026 10",
            "2 Feb 2026 25:00",
            "2 Feb 2026 10:05:x",
            "2 Feb 9 10:05",
            "300 Feb 2026 10:05",
        ] {
            assert_eq!(read_date(value.as_bytes()), None, "{value}");
        }
    }
}
