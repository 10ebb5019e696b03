//! Hosts and addresses of IP without a scheme (I12): what is judged by one of their signs. Text
//! has many names with dots and numbers with colons that are neither; the rules are narrow.

use super::ahead::{Ahead, char_before, continues, is_word_before};
use super::found::{Identified, push};
use crate::delimit::start::escape_tail;
use crate::item::{IdentifierKind, IdentifierKinds};
use crate::syntax::top_level;
use std::fmt::{self, Write};
use std::net::{Ipv4Addr, Ipv6Addr};

/// The greatest number of bytes of a host, of one of its labels (RFC 1035 section 2.3.4), and of
/// an address of IP.
const HOST_MAX: usize = 253;
const LABEL_MAX: usize = 63;
const IP_MAX: usize = 45;

/// Suffixes that files and members of objects have, too.
const AMBIGUOUS: [&str; 11] = [
    "md", "rs", "zip", "py", "sh", "pl", "cc", "ps", "so", "app", "mov",
];

/// The first labels of names that are written from right to left.
const REVERSED: [&str; 6] = ["com", "org", "net", "edu", "gov", "io"];

/// Most blanks between a word for a version and its number.
const BLANKS: usize = 3;

/// Whether one of these kinds is read here.
pub(super) fn is_wanted(kinds: IdentifierKinds) -> bool {
    kinds.has(IdentifierKind::Host) || kinds.has(IdentifierKind::Ip)
}

/// Returns the sign of a host or address for the trigger at `at`: a dot there, or a colon before.
pub(super) fn sign_at(text: &[u8], at: usize) -> Option<usize> {
    let colon = at.checked_sub(1).filter(|&at| text[at] == b':');
    match text.get(at) {
        Some(b'.') if colon.is_none() => Some(at),
        _ => colon,
    }
}

/// Reads the host or the address of IP whose first sign, `.` or `:`, is at `at`.
pub(super) fn host_or_ip(ahead: &mut Ahead, at: usize, uri: &mut Vec<u8>) -> Option<Identified> {
    // Most colons are none of an address.
    if ahead.byte(at) == Some(b':') && !may_be_ipv6(ahead, at) {
        return None;
    }
    let start = run_start(ahead.text, at)?;
    if let Some(end) = ipv6(ahead, start, at, uri) {
        return Some(Identified::new(IdentifierKind::Ip, start..end));
    }
    if ahead.byte(at) != Some(b'.') || start == at {
        return None;
    }
    if let Some(end) = ipv4(ahead, start, uri) {
        return Some(Identified::new(IdentifierKind::Ip, start..end));
    }
    if start > 0 && ahead.text[start - 1] == b':' {
        return None;
    }
    let end = name(ahead, start, uri)?;
    Some(Identified::new(IdentifierKind::Host, start..end))
}

/// Returns the start of the letters and digits before the sign at `at`, if a host or address may
/// begin there.
fn run_start(text: &[u8], at: usize) -> Option<usize> {
    let mut run = at;
    while let Some(char) = char_before(text, run)
        && (continues(char) || matches!(char, '-' | '_'))
    {
        run -= char.len_utf8();
        if at - run > LABEL_MAX + 8 {
            return None;
        }
    }
    let start = run + escape_tail(text, run, at);
    let is_free = match char_before(text, run) {
        Some('\\') => start > run,
        Some('%') => start > run,
        Some(':') => follows_word(text, run),
        Some('@' | '/' | '.' | '$') => false,
        _ => true,
    };
    let begins = start == at || !matches!(text[start], b'-' | b'_');
    (is_free && begins).then_some(start)
}

/// Whether the colon before `at` follows a word, as in `ip:192.0.2.1`.
fn follows_word(text: &[u8], at: usize) -> bool {
    let before = char_before(text, at - 1);
    before.is_some_and(|char| continues(char) && !char.is_ascii_digit())
}

/// Reads a host of names, and writes it in lower case.
fn name(ahead: &mut Ahead, start: usize, uri: &mut Vec<u8>) -> Option<usize> {
    let text = ahead.text;
    let mut end = start;
    let mut next = start;
    while let Some((char, len)) = ahead.char(next) {
        match char {
            '.' if text[..next].ends_with(b".") => break,
            '.' | '-' | '_' => {}
            _ if continues(char) => end = next + len,
            _ => break,
        }
        next += len;
        if next - start > HOST_MAX + 1 {
            return None;
        }
    }
    let host = &text[start..end];
    let mut labels = host.split(|&byte| byte == b'.');
    let last = labels.next_back()?;
    let count = labels.clone().count() + 1;
    let is_label = |label: &[u8]| {
        (1..=LABEL_MAX).contains(&label.len()) && !label.starts_with(b"-") && !label.ends_with(b"-")
    };
    let is_cased =
        last.iter().any(u8::is_ascii_lowercase) && last.iter().any(u8::is_ascii_uppercase);
    if count < 2 || !labels.clone().all(is_label) || !top_level::is_known(last) || is_cased {
        return None;
    }
    let is_among = |names: &[&str], label: &[u8]| {
        let is_it = |name: &&str| label.eq_ignore_ascii_case(name.as_bytes());
        names.iter().any(is_it)
    };
    let first = labels.clone().next().unwrap_or_default();
    if count > 2 && is_among(&REVERSED, first) || is_initials(host) {
        return None;
    }
    let after = ahead.byte(end);
    if matches!(after, Some(b'(' | b'@')) {
        return None;
    }
    let is_port = after == Some(b':') && ahead.byte(end + 1).is_some_and(|b| b.is_ascii_digit());
    if count == 2 && is_among(&AMBIGUOUS, last) && after != Some(b'/') && !is_port {
        return None;
    }
    uri.clear();
    uri.extend_from_slice(IdentifierKind::Host.prefix().as_bytes());
    uri.extend(host.iter().map(u8::to_ascii_lowercase));
    Some(end)
}

/// Whether two labels of one letter follow each other, as in `e.g.so`.
fn is_initials(host: &[u8]) -> bool {
    let is_letter = |label: &[u8]| label.len() == 1 && label[0].is_ascii_alphabetic();
    let labels = host.split(|&byte| byte == b'.');
    let next = host.split(|&byte| byte == b'.').skip(1);
    labels
        .zip(next)
        .any(|(one, two)| is_letter(one) && is_letter(two))
}

/// Reads an address of four numbers.
fn ipv4(ahead: &mut Ahead, start: usize, uri: &mut Vec<u8>) -> Option<usize> {
    let mut end = start;
    for number in 0..4 {
        if number > 0 {
            end += usize::from(ahead.byte(end) == Some(b'.'));
        }
        end = ahead.digits(end, 4);
    }
    let text = std::str::from_utf8(&ahead.text[start..end]).ok()?;
    text.parse::<Ipv4Addr>().ok()?;
    if is_version(ahead.text, start) || !ends_ip(ahead, end) {
        return None;
    }
    push(IdentifierKind::Ip, text.as_bytes(), uri);
    Some(end)
}

/// Whether the number at `start` is that of a version.
fn is_version(text: &[u8], start: usize) -> bool {
    let before = &text[..start];
    if before.ends_with(b"==") || before.ends_with(b"-") {
        return true;
    }
    let blanks = before.iter().rev().take(BLANKS);
    let blanks = blanks.take_while(|byte| matches!(byte, b' ' | b'\t'));
    let end = start - blanks.count();
    let words = ["v", "version", "release"];
    words.iter().any(|word| is_word_before(text, end, word))
}

/// Whether an address of IP ends at `end`: it is neither a longer number, nor a network, nor the
/// number of a version.
fn ends_ip(ahead: &mut Ahead, end: usize) -> bool {
    if ahead.is_continued(end) {
        return false;
    }
    match ahead.byte(end) {
        Some(b'_') => false,
        Some(b'/') => ahead.digit(end + 1).is_none(),
        Some(b'.') => !ahead.is_continued(end + 1),
        Some(b'-') => !ahead.byte(end + 1).is_some_and(|b| b.is_ascii_alphabetic()),
        _ => true,
    }
}

/// Whether the next colon follows the one at `at` as in an IPv6 address: behind four hexadecimal
/// digits at most.
fn may_be_ipv6(ahead: &mut Ahead, at: usize) -> bool {
    for place in at + 1..=at + 5 {
        match ahead.byte(place) {
            Some(b':') => return true,
            Some(byte) if byte.is_ascii_hexdigit() => {}
            _ => return false,
        }
    }
    false
}

/// Reads an IPv6 address whose first colon is at `at`.
fn ipv6(ahead: &mut Ahead, start: usize, at: usize, uri: &mut Vec<u8>) -> Option<usize> {
    if ahead.byte(at) != Some(b':') || at - start > 4 {
        return None;
    }
    let mut end = start;
    while let Some(byte) = ahead.byte(end)
        && (byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.'))
    {
        end += 1;
        if end - start > IP_MAX {
            return None;
        }
    }
    let mut text = std::str::from_utf8(&ahead.text[start..end]).ok()?;
    // A sign at the end belongs to the sentence.
    text = text.trim_end_matches('.');
    if !text.ends_with("::") {
        text = text.strip_suffix(':').unwrap_or(text);
    }
    let end = start + text.len();
    let groups = text.split(':').filter(|group| !group.is_empty()).count();
    let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let address: Ipv6Addr = text.parse().ok()?;
    if groups < 3 || !has_digit || !ends_ip(ahead, end) {
        return None;
    }
    push(IdentifierKind::Ip, b"[", uri);
    // Writing to a vector does not fail.
    write!(AddressText(uri), "{address}]").ok()?;
    Some(end)
}

/// Writes text to bytes.
struct AddressText<'o>(&'o mut Vec<u8>);

impl Write for AddressText<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.extend_from_slice(text.as_bytes());
        Ok(())
    }
}
