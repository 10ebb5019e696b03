//! Detects mail by its first fields (M1).

use super::header::{HeaderLine, HeaderLines, is_from};

/// The number of bytes that decide.
const DECIDED_WITHIN: usize = 1445;

/// Names of which a header has three. The first ones are those of which it has two.
const NAMES: [&str; 23] = [
    "from",
    "received",
    "return-path",
    "delivered-to",
    "message-id",
    "date",
    "mime-version",
    "envelope-to",
    "to",
    "cc",
    "subject",
    "content-type",
    "reply-to",
    "sender",
    "x-mailer",
    "x-original-to",
    "dkim-signature",
    "in-reply-to",
    "references",
    "list-id",
    "status",
    "x-mozilla-status",
    "x-mozilla-status2",
];
/// The number of the names of which a header has two.
const MAIN: usize = 7;
/// The number of fields before the first known one.
const UNKNOWN_MAX: usize = 12;

/// Whether a message begins with `head`; `None` when more bytes are needed.
pub(in crate::decode) fn is_mail(head: &[u8], whole: bool) -> Option<bool> {
    let mark = b"\xEF\xBB\xBF";
    if head.len() < mark.len() && mark.starts_with(head) && !whole {
        return None;
    }
    let head = head.strip_prefix(mark).unwrap_or(head);
    let is_enough = whole || head.len() >= DECIDED_WITHIN;
    let head = &head[..head.len().min(DECIDED_WITHIN)];
    let mut known = [false; NAMES.len()];
    let (mut fields, mut end) = (0, 0);
    let mut lines = HeaderLines {
        text: head,
        at: 0,
        whole: false,
    };
    let counts = |known: &[bool]| {
        let count = |names: &[bool]| names.iter().filter(|name| **name).count();
        count(known) >= 3 && count(&known[..MAIN]) >= 2
    };
    for (range, line) in lines.by_ref() {
        end = range.end;
        match HeaderLine::of(line) {
            HeaderLine::Field(colon) if line[0].is_ascii_alphabetic() => {
                fields += 1;
                let name = line[..colon].trim_ascii_end();
                match number(name) {
                    Some(at) => known[at] = true,
                    None if !known.contains(&true) && is_of_log(&line[colon + 1..]) => {
                        return Some(false);
                    }
                    None => {}
                }
            }
            HeaderLine::Fold if fields > 0 => {}
            HeaderLine::Empty => return Some(counts(&known)),
            HeaderLine::Other if fields == 0 && is_from(line) => {}
            _ => return Some(false),
        }
        if fields > UNKNOWN_MAX && !known.contains(&true) {
            return Some(false);
        }
    }
    // Also at the end, so that the answer is the same as before the last bytes came.
    match may_be_line(&head[end..], fields) {
        false => Some(false),
        true => is_enough.then(|| fields > 0 && counts(&known)),
    }
}

/// Whether `head` begins with the first line of a calendar or a card (T7); `None` when more
/// bytes are needed.
pub(in crate::decode) fn is_calendar(head: &[u8], whole: bool) -> Option<bool> {
    let mark = b"\xEF\xBB\xBF";
    if head.len() < mark.len() && mark.starts_with(head) && !whole {
        return None;
    }
    let head = head.strip_prefix(mark).unwrap_or(head);
    // Most texts begin with another letter.
    if !matches!(head.first(), None | Some(b'B' | b'b')) {
        return Some(false);
    }
    let begins = |line: &&[u8]| {
        let len = line.len().min(head.len());
        head[..len].eq_ignore_ascii_case(&line[..len])
    };
    let lines: [&[u8]; 2] = [b"BEGIN:VCALENDAR", b"BEGIN:VCARD"];
    match lines.iter().find(|line| begins(line)) {
        None => Some(false),
        Some(line) if head.len() >= line.len() => Some(true),
        Some(_) => whole.then_some(false),
    }
}

/// Whether this text behind a name that is not known and a colon begins as in a line of a log:
/// `a.example:443 `, or labels of LTSV. Such a line decides at once, since logs are streams.
fn is_of_log(value: &[u8]) -> bool {
    value.first().is_some_and(u8::is_ascii_digit) || value.contains(&b'\t')
}

/// Returns the number of a known name.
fn number(name: &[u8]) -> Option<usize> {
    let mut names = NAMES.iter();
    names.position(|known| name.eq_ignore_ascii_case(known.as_bytes()))
}

/// Whether the beginning of a line may become a field, a fold or the first line of an mbox.
fn may_be_line(line: &[u8], fields: usize) -> bool {
    let is_start = |mark: &[u8]| mark.starts_with(line) || line.starts_with(mark);
    match line.first() {
        None | Some(b'\r') => true,
        Some(b' ' | b'\t') => fields > 0,
        _ if fields == 0 && (is_start(b"From ") || is_start(b">From ")) => true,
        Some(first) if !first.is_ascii_alphabetic() => false,
        _ => {
            let name = line
                .iter()
                .take_while(|b| **b != b':' && b.is_ascii_graphic());
            let rest = &line[name.count()..];
            let rest = rest.trim_ascii_start();
            match rest.first() {
                None => true,
                Some(b':') => !rest[1..].starts_with(b"//"),
                Some(_) => false,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calendars_are_detected_by_their_first_line() {
        for (head, is) in [
            ("BEGIN:VCALENDAR\r\n", true),
            ("\u{FEFF}begin:vcard", true),
            ("BEGIN:VC", false),
            ("BEGIN:VEVENT", false),
            ("", false),
        ] {
            assert_eq!(is_calendar(head.as_bytes(), true), Some(is), "{head}");
            for len in 0..head.len() {
                let part = is_calendar(&head.as_bytes()[..len], false);
                assert!(part.is_none_or(|part| part == is), "{head} at {len}");
            }
        }
    }

    #[test]
    fn mail_is_detected_by_its_fields() {
        let pad = "x".repeat(2000);
        for (head, is) in [
            ("From: a\nDate: b\nSubject: c\n\nd", true),
            (
                "From a@b Mon\n>From c\nFrom: a\r\nDate: b\r\nSubject: c\r\n\r\n",
                true,
            ),
            ("\u{FEFF}From: a\nDate: b\nTo: c\n d\n\n", true),
            (&format!("From: a\nDate: b\nTo: c\nX-A: {pad}"), true),
            ("From: a\nDate: b\nTo: c\n", true),
            ("From: a\nTo: b\nSubject: c\n\n", false),
            ("From: a\nDate: b\n\nSubject: c\n", false),
            ("From: a\nDate: b\ntext\nSubject: c\n", false),
            (" From: a\nDate: b\nTo: c\n\n", false),
            ("http://a.example/\nFrom: a\nDate: b\nTo: c\n\n", false),
            (
                "a.example:443 192.0.2.1 - -\nFrom: a\nDate: b\nTo: c\n\n",
                false,
            ),
            ("X-A: 1\nFrom: a\nX-B:1\nDate: b\nTo: c\n\n", true),
            ("2026-01-01T10:00:00 a\n", false),
            ("From here\n", false),
            ("From: a\nDate: b\nTo: c\nM\r\0", false),
            ("", false),
        ] {
            let bytes = head.as_bytes();
            assert_eq!(is_mail(bytes, true), Some(is), "{head}");
            for len in 0..bytes.len() {
                let part = is_mail(&bytes[..len], false);
                assert!(part.is_none_or(|part| part == is), "{head} at {len}");
            }
        }
        // A line that is not a field decides at once.
        assert_eq!(is_mail(b"see http", false), Some(false));
        assert_eq!(is_mail(b"http://", false), Some(false));
        assert_eq!(is_mail(b"a.example:443 192.0.2.1\n", false), Some(false));
        assert_eq!(is_mail(b"time:[x]\thost:y\n", false), Some(false));
        assert_eq!(is_mail(b"Fro", false), None);
    }
}
