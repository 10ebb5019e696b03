//! The times of log lines: RFC 3339 and its relatives, `dd/Mon/yyyy:hh:mm:ss` of web servers,
//! and numbers of seconds or parts of seconds since 1970.

use crate::item::{Civil, Timestamp, UtcOffset};
use crate::syntax::syslog::MONTHS;

/// The length of `dd/Mon/yyyy:hh:mm:ss`.
pub(super) const CLF_LEN: usize = 20;

/// Whether `text` begins with the shape `dd/Mon/yyyy:hh:mm:ss`.
#[inline]
pub(super) fn is_clf(text: &[u8]) -> bool {
    let Some(text) = text.first_chunk::<CLF_LEN>() else {
        return false;
    };
    let word = |at: usize| {
        let bytes = text[at..].first_chunk().copied().unwrap_or_default();
        u64::from_be_bytes(bytes)
    };
    const DATE: WordShape = WordShape::of(b"00/aaa/0");
    const YEAR: WordShape = WordShape::of(b"000:00:0");
    const TIME: WordShape = WordShape::of(b"00:00:00");
    DATE.is_of(word(0))
        && YEAR.is_of(word(8))
        && TIME.is_of(word(12))
        && text[3..6].iter().all(u8::is_ascii_alphabetic)
}

/// The shape of eight bytes, of which each is a digit, a certain byte, or any.
struct WordShape {
    /// The bits that are known.
    known: u64,
    wanted: u64,
    /// 6 for each digit.
    sixes: u64,
}

impl WordShape {
    /// The shape of `text`, in which `0` is any digit, and `a` any byte.
    const fn of(text: &[u8; 8]) -> WordShape {
        let (mut known, mut sixes, mut at) = ([0xFF; 8], [0; 8], 0);
        while at < 8 {
            match text[at] {
                b'0' => (known[at], sixes[at]) = (0xF0, 6),
                b'a' => known[at] = 0,
                _ => {}
            }
            at += 1;
        }
        let known = u64::from_be_bytes(known);
        WordShape {
            known,
            wanted: u64::from_be_bytes(*text) & known,
            sixes: u64::from_be_bytes(sixes),
        }
    }

    /// Whether the bytes of `word` have the shape.
    #[inline]
    fn is_of(&self, word: u64) -> bool {
        // The upper half of a digit is 3, also when 6 is added to it.
        word & self.known == self.wanted && (word + self.sixes) & self.known == self.wanted
    }
}

/// Reads a time. One without an offset has the offset `zone`.
pub(super) fn read_time(text: &[u8], zone: UtcOffset) -> Option<Timestamp> {
    let text = text.strip_prefix(b"[").unwrap_or(text);
    let text = text.strip_suffix(b"]").unwrap_or(text);
    if is_clf(text) {
        return clf(text, zone);
    }
    match text.get(4) {
        Some(b'-') => Timestamp::parse(text, zone),
        _ => Timestamp::parse_number(text),
    }
}

/// Reads `dd/Mon/yyyy:hh:mm:ss`, perhaps with a fraction and ` ±hhmm`.
fn clf(text: &[u8], zone: UtcOffset) -> Option<Timestamp> {
    let number = |at: usize| (text[at] - b'0') * 10 + (text[at + 1] - b'0');
    let month = MONTHS
        .iter()
        .position(|name| name.eq_ignore_ascii_case(&text[3..6]))?;
    let rest = &text[CLF_LEN..];
    let (nanos, rest) = match rest {
        [b'.', rest @ ..] => {
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let mut nanos = 0;
            for place in 0..9 {
                let digit = rest[..digits].get(place).map_or(0, |b| u32::from(b - b'0'));
                nanos = nanos * 10 + digit;
            }
            (nanos, &rest[digits..])
        }
        _ => (0, rest),
    };
    let offset = match rest {
        [] => zone,
        [b' ', offset @ ..] => UtcOffset::parse(offset)?,
        _ => return None,
    };
    let civil = Civil {
        year: u16::from(number(7)) * 100 + u16::from(number(9)),
        month: month as u8 + 1,
        day: number(0),
        hour: number(12),
        minute: number(15),
        second: number(18),
        nanos,
    };
    Timestamp::at(civil, offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_lines() {
        let zone = UtcOffset::minutes(60).unwrap();
        for (text, wanted) in [
            ("25/Oct/2016:14:49:34 +0200", "2016-10-25T14:49:34+02:00"),
            ("[10/Oct/2000:13:55:36 -0700]", "2000-10-10T13:55:36-07:00"),
            ("30/Jul/2018:09:03:52.726", "2018-07-30T09:03:52.726+01:00"),
            (
                "2021-12-15T03:10:11.6479719Z",
                "2021-12-15T03:10:11.6479719Z",
            ),
            ("2016-08-18 05:30:54", "2016-08-18T05:30:54+01:00"),
            ("1157689312.049", "2006-09-08T04:21:52.049Z"),
            ("25/Oct/2016:14:49:34 +02", "2016-10-25T14:49:34+02:00"),
            ("25/Okt/2016:14:49:34 +0200", ""),
            ("25/Oct/2016:14:49:34x", ""),
            ("-", ""),
            ("", ""),
        ] {
            let time = read_time(text.as_bytes(), zone).map(|time| time.to_string());
            assert_eq!(time.unwrap_or_default(), wanted, "{text}");
        }
    }
}
