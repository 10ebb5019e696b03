//! Hosts and addresses of mail without a scheme (I10): a strong mark is in them, and their
//! suffix is known.

use super::marks;
use super::pieces::RefangPieces;
use super::sight::Sight;
use crate::syntax::{iri, top_level};
use std::net::Ipv6Addr;

/// The greatest number of bytes of a host, and of the part of an address before `@`.
const HOST_MAX: usize = 400;
const LOCAL_MAX: usize = 64;

/// The number of bytes in which a strong mark is looked for.
pub(super) const SIGHT: usize = HOST_MAX + LOCAL_MAX;

/// Returns the end of the brackets at `at` around a whole host: no address in them.
pub(super) fn whole(sight: &mut Sight, at: usize) -> Option<usize> {
    let mut end = at + 1;
    let mut dots = 0;
    while let Some(byte) = sight.byte(end)
        && (byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        && end - at < HOST_MAX
    {
        dots += usize::from(byte == b'.');
        end += 1;
    }
    let host = &sight.text[at + 1..end];
    // RFC 3986 section 3.2.2: `v`, hexadecimal digits and a dot begin an address.
    let is_future = host
        .first()
        .is_some_and(|first| first.eq_ignore_ascii_case(&b'v'))
        && host[1..]
            .split(|&byte| byte == b'.')
            .next()
            .is_some_and(|version| {
                !version.is_empty() && version.iter().all(u8::is_ascii_hexdigit)
            });
    let is_whole = dots > 0 && !host.starts_with(b".") && !host.ends_with(b".") && !is_future;
    (is_whole && sight.is(end, b']')).then_some(end + 1)
}

/// Reads the host or address at `at`, and returns its end, and whether it is an address of mail.
/// `is_inside`: a `[` is before it, which an address of IP would repeat.
pub(super) fn read(
    sight: &mut Sight,
    at: usize,
    is_inside: bool,
    out: &mut RefangPieces,
) -> Option<(usize, bool)> {
    out.clear();
    if let Some(end) = address(sight, at, out) {
        return Some((end, true));
    }
    out.clear();
    if !is_inside && let Some(end) = ipv6(sight, at, out) {
        return Some((end, false));
    }
    out.clear();
    let head = host(sight, at, false, out)?;
    out.give("http://");
    Some((head, false))
}

/// Reads the host behind the `//` at `at`.
pub(super) fn behind_slashes(
    sight: &mut Sight,
    at: usize,
    out: &mut RefangPieces,
) -> Option<usize> {
    out.clear();
    out.copy(sight.text, at..at + 2);
    let end = host(sight, at + 2, false, out)?;
    out.give("http:");
    Some(end)
}

/// Reads an address of mail.
fn address(sight: &mut Sight, at: usize, out: &mut RefangPieces) -> Option<usize> {
    let mut end = at;
    while let Some(byte) = sight.byte(end)
        && (byte.is_ascii_alphanumeric() || b"._+-".contains(&byte))
    {
        end += 1;
        if end - at > LOCAL_MAX {
            return None;
        }
    }
    if end == at || sight.text[end - 1] == b'.' {
        return None;
    }
    out.copy(sight.text, at..end);
    let (sign_end, is_marked) = match sight.is(end, b'@') {
        true => (end + 1, false),
        false => (marks::at_sign_apart(sight, end)?, true),
    };
    out.replace(end..sign_end, b"@");
    let end = host(sight, sign_end, is_marked, out)?;
    out.give("mailto:");
    Some(end)
}

/// Reads a host of names, or an IPv4 address. `is_marked`: a strong mark is before it, which
/// belongs to an address.
fn host(sight: &mut Sight, at: usize, is_marked: bool, out: &mut RefangPieces) -> Option<usize> {
    let text_from = out.text().len();
    let (mut is_strong, mut is_weak) = (is_marked, false);
    let mut next = at;
    // The longest host that ends before a blank.
    let mut shorter = None;
    let end = loop {
        let end = label(sight, next);
        if end == next || end - at > HOST_MAX {
            return None;
        }
        out.copy(sight.text, next..end);
        let before = last_char(&sight.text[next..end]);
        if sight.is(end, b'.') && !sight.any_of(end + 1, b"])") {
            if !sight.begins_label(end + 1) {
                break end;
            }
            out.copy(sight.text, end..end + 1);
            next = end + 1;
            continue;
        }
        let Some(dot) = marks::dot(sight, end, before) else {
            break end;
        };
        if !sight.begins_label(dot.end) {
            break end;
        }
        if sight.any_of(end, b" \t") && counts(&out.text()[text_from..], is_strong, is_weak) {
            shorter = Some((end, out.mark()));
        }
        is_strong |= dot.is_strong;
        is_weak |= !dot.is_strong;
        out.replace(end..dot.end, b".");
        next = dot.end;
    };
    let is_address = is_marked || text_from > 0 && out.text()[text_from - 1] == b'@';
    let mut fits = |end: usize, host: &[u8]| {
        let is_call = sight.any_of(end, b"(@") && marks::at_sign(sight, end).is_none();
        !(is_call || is_address && is_ipv4(host))
    };
    let host = &out.text()[text_from..];
    if counts(host, is_strong, is_weak) && fits(end, host) {
        return Some(end);
    }
    let (end, mark) = shorter?;
    out.back_to(mark);
    fits(end, &out.text()[text_from..]).then_some(end)
}

/// Whether a host with these marks counts (I9, I10).
fn counts(host: &[u8], is_strong: bool, is_weak: bool) -> bool {
    let is_www = host
        .get(..4)
        .is_some_and(|head| head.eq_ignore_ascii_case(b"www."));
    if !(is_strong || is_www && is_weak) {
        return false;
    }
    let mut labels = host.split(|&byte| byte == b'.');
    let last = labels.next_back().unwrap_or_default();
    let is_number = |label: &[u8]| label.iter().all(u8::is_ascii_digit);
    match is_number(last) {
        true => is_ipv4(host),
        false => labels.next().is_some() && top_level::is_known(last),
    }
}

/// Whether `host` is four numbers.
fn is_ipv4(host: &[u8]) -> bool {
    let mut numbers = host.split(|&byte| byte == b'.');
    let is_byte = |label: &[u8]| {
        let text = std::str::from_utf8(label).ok();
        text.is_some_and(|text| text.len() < 4 && text.parse::<u8>().is_ok())
    };
    numbers
        .by_ref()
        .take(4)
        .filter(|label| is_byte(label))
        .count()
        == 4
        && numbers.next().is_none()
}

/// Reads an IPv6 address with a mark for one of its colons or dots.
fn ipv6(sight: &mut Sight, at: usize, out: &mut RefangPieces) -> Option<usize> {
    let mut end = at;
    let mut is_marked = false;
    while let Some(byte) = sight.byte(end)
        && end - at < HOST_MAX
    {
        if byte.is_ascii_hexdigit() || byte == b':' || byte == b'.' {
            out.copy(sight.text, end..end + 1);
            end += 1;
        } else if let Some((sign @ (b':' | b'.'), next)) = marks::sign_of_path(sight, end) {
            out.replace(end..next, &[sign]);
            is_marked = true;
            end = next;
        } else {
            break;
        }
    }
    // A dot or colon at the end belongs to the sentence.
    while out.text().ends_with(b".") || out.text().ends_with(b":") && !out.text().ends_with(b"::") {
        end = out.pop()?;
    }
    let groups = out.text().split(|&byte| byte == b':');
    let groups = groups.filter(|group| !group.is_empty()).count();
    let text = std::str::from_utf8(out.text()).ok()?;
    let is_address = is_marked && groups > 2 && text.parse::<Ipv6Addr>().is_ok();
    if !is_address || sight.begins_label(end) {
        return None;
    }
    out.give("http://[");
    out.close();
    Some(end)
}

/// Returns the end of the label at `at`: letters and digits of any script, `-` and `_`.
fn label(sight: &mut Sight, at: usize) -> usize {
    let mut end = at;
    while let Some(byte) = sight.byte(end) {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            end += 1;
        } else if byte >= 0x80
            && let Some(len) = iri::utf8_len(byte)
            && (len < 2 || sight.byte(end + len - 1).is_some())
            && let Some((char, len)) = iri::decode(&sight.text[end..])
            && char.is_alphanumeric()
        {
            end += len;
        } else {
            break;
        }
    }
    end
}

/// Returns the last character of a label.
fn last_char(label: &[u8]) -> char {
    match label.last() {
        Some(byte) if byte.is_ascii() => char::from(*byte),
        _ => char::MAX,
    }
}
