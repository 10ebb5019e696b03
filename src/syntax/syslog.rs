//! The header of a line of syslog: RFC 3164, RFC 5424, and the lines of relays that begin with
//! a time of RFC 3339. Only the shape is read; the fields are ranges of the line.

use super::steps;
use std::ops::Range;

/// The greatest lengths of the fields (RFC 5424 section 6); a longer word is no field.
const HOST_MAX: usize = 255;
const TAG_MAX: usize = 128;

/// The three letters of the months (RFC 3164 section 4.1.2).
pub(crate) const MONTHS: [&[u8; 3]; 12] = [
    b"Jan", b"Feb", b"Mar", b"Apr", b"May", b"Jun", b"Jul", b"Aug", b"Sep", b"Oct", b"Nov", b"Dec",
];

/// The standard that a header follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyslogKind {
    /// RFC 3164: a time without a year and an offset.
    Bsd,
    /// RFC 5424: a version, and structured data.
    Ietf,
    /// A time of RFC 3339 and the rest of RFC 3164.
    Relay,
}

/// The header of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SyslogHeader {
    pub kind: SyslogKind,
    /// The time as written; empty where it is `-`.
    pub time: Range<usize>,
    /// The structured data; empty where there are none.
    pub data: Range<usize>,
    /// The offset at which the message begins.
    pub message: usize,
    /// Whether a tag and a colon precede the message.
    pub tagged: bool,
}

impl SyslogHeader {
    /// Returns whether daemons of syslog wrote the line, which write a control character as
    /// `#` and three octal digits (I26). Other programs write a time of RFC 3339, too, but
    /// no tag.
    pub(crate) fn escapes_controls(&self) -> bool {
        self.kind != SyslogKind::Relay || self.tagged
    }
}

/// Returns the header with which `line` begins, if it is one of syslog.
pub(crate) fn header(line: &[u8]) -> Option<SyslogHeader> {
    let after = priority(line);
    let at = after.unwrap_or(0);
    if after.is_some()
        && let Some(header) = ietf(line, at)
    {
        return Some(header);
    }
    let (kind, end) = match bsd_time(&line[at..]) {
        Some(len) => (SyslogKind::Bsd, at + len),
        None => (SyslogKind::Relay, at + rfc3339(&line[at..])?),
    };
    let time = at..end;
    let rest = blanks(line, end)?;
    // The name of the host may be left out before a tag.
    let (message, tagged) = match tag(line, rest) {
        Some(message) => (message, true),
        None => {
            let host = word(line, rest, HOST_MAX)?;
            let rest = blanks(line, host)?;
            match tag(line, rest) {
                Some(message) => (message, true),
                None => (rest, false),
            }
        }
    };
    Some(SyslogHeader {
        kind,
        time,
        data: message..message,
        message,
        tagged,
    })
}

/// Returns the length of the time of RFC 3339 section 5.6 with which `text` begins.
pub(crate) fn rfc3339(text: &[u8]) -> Option<usize> {
    let shape = b"0000-00-00T00:00:00";
    let head = text.get(..shape.len())?;
    let fits = |(&byte, &form): (&u8, &u8)| match form {
        b'0' => byte.is_ascii_digit(),
        b'T' => matches!(byte, b'T' | b't'),
        _ => byte == form,
    };
    if !head.iter().zip(shape).all(fits) {
        return None;
    }
    let mut at = shape.len();
    if text.get(at) == Some(&b'.') {
        let digits = digits(&text[at + 1..]);
        if digits == 0 {
            return None;
        }
        at += 1 + digits;
    }
    match text.get(at)? {
        b'Z' | b'z' => Some(at + 1),
        b'+' | b'-' => {
            let offset = text.get(at + 1..at + 6)?;
            let is_offset = offset
                .iter()
                .enumerate()
                .all(|(number, byte)| match number {
                    2 => *byte == b':',
                    _ => byte.is_ascii_digit(),
                });
            is_offset.then_some(at + 6)
        }
        _ => None,
    }
}

/// Returns the end of `<ddd>` at the start of `line`.
fn priority(line: &[u8]) -> Option<usize> {
    let rest = line.strip_prefix(b"<")?;
    let digits = digits(&rest[..rest.len().min(4)]);
    let is_priority = (1..=3).contains(&digits) && rest.get(digits) == Some(&b'>');
    is_priority.then_some(digits + 2)
}

/// Reads the header of RFC 5424 section 6 from `at` on, after the priority.
fn ietf(line: &[u8], at: usize) -> Option<SyslogHeader> {
    let version = digits(&line[at..line.len().min(at + 4)]);
    if !(1..=3).contains(&version) || line[at] == b'0' {
        return None;
    }
    let start = one_blank(line, at + version)?;
    let end = match line.get(start)? {
        b'-' => start + 1,
        _ => start + rfc3339(&line[start..])?,
    };
    let time = match line[start] {
        b'-' => end..end,
        _ => start..end,
    };
    let mut at = one_blank(line, end)?;
    // Host, name of the program, process, kind of message.
    for len in [HOST_MAX, 48, 128, 32] {
        at = one_blank(line, word(line, at, len)?)?;
    }
    let end = match line.get(at)? {
        b'-' => at + 1,
        b'[' => structured(line, at)?,
        _ => return None,
    };
    let data = if line[at] == b'[' { at..end } else { end..end };
    let message = match line.get(end) {
        None => end,
        Some(b' ') => {
            let mark = line[end + 1..].starts_with(b"\xEF\xBB\xBF");
            end + 1 + if mark { 3 } else { 0 }
        }
        Some(_) => return None,
    };
    Some(SyslogHeader {
        kind: SyslogKind::Ietf,
        time,
        data,
        message,
        tagged: true,
    })
}

/// Returns the end of the structured data at `at` (RFC 5424 section 6.3).
fn structured(line: &[u8], mut at: usize) -> Option<usize> {
    let start = at;
    while line.get(at) == Some(&b'[') {
        let mut quoted = false;
        loop {
            at += 1;
            match line.get(at)? {
                b'\\' if quoted => at += 1,
                b'"' => quoted = !quoted,
                b']' if !quoted => break,
                _ => {}
            }
        }
        at += 1;
    }
    steps::count(at - start);
    Some(at)
}

/// Returns the length of `Mmm dd hh:mm:ss` at the start of `text`; the day may have a blank
/// in place of its first digit, or one digit alone.
fn bsd_time(text: &[u8]) -> Option<usize> {
    let month = text.get(..3)?;
    if !MONTHS.iter().any(|name| *name == month) || text.get(3) != Some(&b' ') {
        return None;
    }
    let day = 4 + usize::from(text.get(4) == Some(&b' '));
    let digits_of_day = digits(&text[day..text.len().min(day + 3)]);
    if !(1..=2).contains(&digits_of_day) {
        return None;
    }
    let clock = day + digits_of_day;
    let shape = b" 00:00:00";
    let found = text.get(clock..clock + shape.len())?;
    let fits = found.iter().zip(shape).all(|(byte, form)| match form {
        b'0' => byte.is_ascii_digit(),
        _ => byte == form,
    });
    let end = clock + shape.len();
    let fraction = match text.get(end) {
        Some(b'.') => 1 + digits(&text[end + 1..]),
        _ => 0,
    };
    fits.then_some(end + fraction)
}

/// Returns the start of the message behind `tag: ` or `tag[process]: ` at `at`. A word
/// before `://` is no tag, since no blank follows its colon.
fn tag(line: &[u8], at: usize) -> Option<usize> {
    let is_of_name = |byte: u8| {
        byte.is_ascii_alphanumeric()
            || matches!(
                byte,
                b'-' | b'_' | b'.' | b'/' | b'(' | b')' | b'@' | b'%' | b'+'
            )
    };
    let rest = &line[at..line.len().min(at + TAG_MAX)];
    let name = rest.iter().take_while(|byte| is_of_name(**byte)).count();
    if name == 0 {
        return None;
    }
    let mut end = name;
    if rest.get(end) == Some(&b'[') {
        let close = rest[end..]
            .iter()
            .position(|byte| matches!(byte, b']' | b' '))?;
        if rest[end + close] != b']' {
            return None;
        }
        end += close + 1;
    }
    if rest.get(end) != Some(&b':') {
        return None;
    }
    end += 1;
    match line.get(at + end) {
        None => Some(at + end),
        Some(b' ') => blanks(line, at + end),
        Some(_) => None,
    }
}

/// Returns the end of the word at `at`: at most `max` visible bytes.
fn word(line: &[u8], at: usize, max: usize) -> Option<usize> {
    let rest = &line[at..line.len().min(at + max + 1)];
    let len = rest.iter().take_while(|byte| **byte > b' ').count();
    (1..=max).contains(&len).then_some(at + len)
}

/// Returns the place behind the single blank at `at`.
fn one_blank(line: &[u8], at: usize) -> Option<usize> {
    (line.get(at) == Some(&b' ')).then_some(at + 1)
}

/// Returns the place behind the blanks at `at`, of which there is at least one.
fn blanks(line: &[u8], at: usize) -> Option<usize> {
    let len = line
        .get(at..)?
        .iter()
        .take_while(|byte| **byte == b' ')
        .count();
    (len > 0).then_some(at + len)
}

/// Returns the number of digits at the start of `text`.
fn digits(text: &[u8]) -> usize {
    text.iter().take_while(|byte| byte.is_ascii_digit()).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kind and message of a line.
    fn read(line: &str) -> Option<(SyslogKind, &str, &str)> {
        let found = header(line.as_bytes())?;
        Some((found.kind, &line[found.time], &line[found.message..]))
    }

    #[test]
    fn headers_of_rfc_3164() {
        use SyslogKind::Bsd;
        let time = "Oct  5 01:43:14";
        for (line, message) in [
            ("<190>Oct  5 01:43:14 web1 nginx: a b", "a b"),
            ("Oct  5 01:43:14 web1 nginx[77]: a", "a"),
            ("Oct  5 01:43:14 nginx[77]:   a", "a"),
            ("Oct  5 01:43:14 10.8.24.10 #Fields: date", "#Fields: date"),
            ("Oct  5 01:43:14 waf CEF:0|A10", "CEF:0|A10"),
            (
                "Oct  5 01:43:14 h a.example:443 ::1 -",
                "a.example:443 ::1 -",
            ),
            ("Oct  5 01:43:14 h http://a.example", "http://a.example"),
            ("Oct  5 01:43:14 h postfix/smtpd[1]: x", "x"),
            ("Oct  5 01:43:14 h tag:", ""),
        ] {
            assert_eq!(read(line), Some((Bsd, time, message)), "{line}");
        }
    }

    #[test]
    fn headers_of_rfc_5424() {
        use SyslogKind::Ietf;
        let line = "<190>1 2026-10-05T01:43:16+02:00 web1 nginx 77 - [x@1 u=\"a\\\"]\"][y] m";
        assert_eq!(read(line), Some((Ietf, "2026-10-05T01:43:16+02:00", "m")));
        let data = header(line.as_bytes()).unwrap().data;
        assert_eq!(&line[data], "[x@1 u=\"a\\\"]\"][y]");
        assert_eq!(read("<34>1 - - - - - -"), Some((Ietf, "", "")));
        assert_eq!(read("<34>1 - - - - - - \u{FEFF}m"), Some((Ietf, "", "m")));
    }

    #[test]
    fn times_of_relays() {
        use SyslogKind::Relay;
        let time = "2021-11-12T16:59:46.613304+00:00";
        assert_eq!(
            read(&format!("{time} heroku[router]: at=info")),
            Some((Relay, time, "at=info"))
        );
        assert_eq!(
            read(&format!("<1>{time} h  {{\"a\"")),
            Some((Relay, time, "{\"a\""))
        );
        assert_eq!(read(&format!("{time} h tag: m")), Some((Relay, time, "m")));
    }

    #[test]
    fn other_lines_have_no_header() {
        for line in [
            "",
            "<190>",
            "<1900>Oct  5 01:43:14 h t: m",
            "Oct 55555",
            "Oct  5 1:43:14 h t: m",
            "Oct  5 01:43:14",
            "Oct  5 01:43:14 h",
            "okt  5 01:43:14 h m",
            "<34>1 - - - - - [x u=\"a]",
            "<34>1 - - - - - x",
            "2021-11-12 16:59:46 h t: m",
            "2021-11-12T16:59:46 h t: m",
            "2021-11-12T16:59:46.Z h t: m",
        ] {
            assert_eq!(read(line), None, "{line}");
        }
    }
}
