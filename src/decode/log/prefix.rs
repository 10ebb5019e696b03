//! The prefixes that relays, containers and journals write before a line (G2): syslog, a time
//! of RFC 3339, CRI, compose, `MESSAGE=`. At most [`DEPTH_MAX`] stand before each other.

use super::time::read_time;
use super::value::name_len;
use crate::item::{Timestamp, UtcOffset};
use crate::syntax::syslog::{self, SyslogKind};

/// The greatest number of prefixes before a line.
pub(super) const DEPTH_MAX: usize = 3;

/// The greatest length of a name that compose writes before a line.
const NAME_MAX: usize = 64;

/// A kind of prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PrefixKind {
    Syslog(SyslogKind),
    /// `time stdout|stderr F `, of the container runtime interface of Kubernetes.
    Cri,
    /// `name | `, of docker compose.
    Compose,
    /// `MESSAGE=`, of the export of journals.
    Journal,
}

/// A prefix of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Prefix {
    pub kind: PrefixKind,
    /// The offset at which the message begins.
    pub message: usize,
    /// The time, if it has a year and an offset.
    pub time: Option<Timestamp>,
    /// The line is a part of a longer one, which is text.
    pub partial: bool,
}

impl Prefix {
    fn new(kind: PrefixKind, message: usize, time: Option<Timestamp>) -> Prefix {
        Prefix {
            kind,
            message,
            time,
            partial: false,
        }
    }

    /// Returns the prefix with which `line` begins.
    pub(super) fn of(line: &[u8]) -> Option<Prefix> {
        match *line.first()? {
            b'<' | b'A'..=b'L' | b'N' | b'O' | b'S' => of_syslog(line).or_else(|| of_compose(line)),
            // A time of RFC 3339, or a name.
            b'0'..=b'9' if line.get(4) == Some(&b'-') => of_cri(line)
                .or_else(|| of_syslog(line))
                .or_else(|| of_compose(line)),
            b'M' => match line.starts_with(b"MESSAGE=") {
                true => Some(Prefix::new(PrefixKind::Journal, 8, None)),
                false => of_syslog(line).or_else(|| of_compose(line)),
            },
            b'{' | b'#' | b'"' | b'[' => None,
            _ => of_compose(line),
        }
    }
}

fn of_syslog(line: &[u8]) -> Option<Prefix> {
    let header = syslog::header(line)?;
    let message = &line[header.message..];
    let begins = |mark: &[u8]| message.starts_with(mark);
    // A time and a word alone may be the beginning of any line.
    let is_prefix = header.kind != SyslogKind::Relay
        || header.tagged
        || begins(b"{")
        || begins(b"CEF:")
        || begins(b"LEEF:");
    if !is_prefix {
        return None;
    }
    let time = match header.kind {
        SyslogKind::Bsd => None,
        SyslogKind::Ietf | SyslogKind::Relay => read_time(&line[header.time], UtcOffset::UTC),
    };
    Some(Prefix::new(
        PrefixKind::Syslog(header.kind),
        header.message,
        time,
    ))
}

fn of_cri(line: &[u8]) -> Option<Prefix> {
    let end = syslog::rfc3339(line)?;
    let rest = line[end..].strip_prefix(b" std")?;
    let rest = rest.strip_prefix(b"out ").or(rest.strip_prefix(b"err "))?;
    let (partial, rest) = match rest {
        [b'F', b' ', rest @ ..] => (false, rest),
        [b'P', b' ', rest @ ..] => (true, rest),
        _ => return None,
    };
    let time = read_time(&line[..end], UtcOffset::UTC);
    Some(Prefix {
        partial,
        ..Prefix::new(PrefixKind::Cri, line.len() - rest.len(), time)
    })
}

fn of_compose(line: &[u8]) -> Option<Prefix> {
    let head = &line[..line.len().min(2 * NAME_MAX)];
    memchr::memchr(b'|', head)?;
    let name = name_len(head);
    if !(1..=NAME_MAX).contains(&name) {
        return None;
    }
    let blanks = head[name..]
        .iter()
        .take_while(|byte| **byte == b' ')
        .count();
    let is_bar = blanks > 0 && head[name + blanks..].starts_with(b"| ");
    is_bar.then(|| Prefix::new(PrefixKind::Compose, name + blanks + 2, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_of_lines() {
        use PrefixKind::{Compose, Cri, Journal, Syslog};
        let time = "2021-11-12T16:59:46.613304+00:00";
        for (line, kind, message) in [
            (
                "Oct  5 01:43:14 web1 nginx: a",
                Syslog(SyslogKind::Bsd),
                "a",
            ),
            (
                "<190>1 - web1 nginx 77 - - a",
                Syslog(SyslogKind::Ietf),
                "a",
            ),
            (
                "2021-11-12T16:59:46Z h tag: a",
                Syslog(SyslogKind::Relay),
                "a",
            ),
            (
                "2021-11-12T16:59:46Z h  {}",
                Syslog(SyslogKind::Relay),
                "{}",
            ),
            (
                "2021-11-12T16:59:46Z h CEF:0",
                Syslog(SyslogKind::Relay),
                "CEF:0",
            ),
            ("2021-11-12T16:59:46Z stdout F a", Cri, "a"),
            ("2021-11-12T16:59:46Z stderr P a", Cri, "a"),
            ("web_1  | a", Compose, "a"),
            ("MESSAGE=a", Journal, "a"),
        ] {
            let prefix = Prefix::of(line.as_bytes()).unwrap();
            assert_eq!(
                (prefix.kind, &line[prefix.message..]),
                (kind, message),
                "{line}"
            );
            assert_eq!(prefix.partial, line.contains(" P "), "{line}");
        }
        let prefix = Prefix::of(format!("{time} h tag: a").as_bytes()).unwrap();
        assert_eq!(
            prefix.time.unwrap().to_string(),
            "2021-11-12T16:59:46.613304Z"
        );
    }

    #[test]
    fn lines_without_a_prefix() {
        for line in [
            "",
            "2021-11-12T16:59:46Z my-lb 192.0.2.1:1 x",
            "2021-11-12T16:59:46Z stdout X a",
            "a b | c",
            "name |c",
            "192.0.2.1 - - [05/Oct/2026:01:43:14 +0000]",
            "{\"log\":\"a | b\"}",
        ] {
            assert_eq!(Prefix::of(line.as_bytes()), None, "{line}");
        }
    }
}
