//! One line of a list, in the first form that fits (rule I5).

use super::adblock;
use super::form::{IndicatorForm, ListLine};
use super::host_entry::{HostEntry, HostPlace, Reach, may_be_address};
use crate::syntax::scheme;
use std::net::IpAddr;

/// Names of every hosts file, which are not entries; those that begin with the last two.
const LOCAL: [&str; 2] = ["broadcasthost", "0.0.0.0"];
const LOCAL_STARTS: [&str; 2] = ["localhost", "ip6-"];

/// Whether a line of a list is empty or a comment.
///
/// ```
/// use urisieve::is_list_comment;
/// assert!(is_list_comment("# hosts") && is_list_comment("! Title: x") && is_list_comment(" "));
/// assert!(!is_list_comment("!a.example") && !is_list_comment("a.example"));
/// ```
pub fn is_list_comment(line: &str) -> bool {
    let line = line.trim();
    let marked = ["#", ";", "//"].iter().any(|mark| line.starts_with(mark));
    let after_mark = line.strip_prefix('!').map(|rest| rest.chars().next());
    let is_remark = matches!(after_mark, Some(None | Some('#' | '-' | ' ' | '\t')));
    line.is_empty() || marked || is_remark
}

/// Reads a line. Whether its form is known is left open.
pub(crate) fn list_line(line: &str) -> ListLine<'_> {
    let line = line.trim();
    if is_list_comment(line) {
        return ListLine::Comment;
    }
    if line.starts_with("[Ad") && line.ends_with(']') {
        return ListLine::Title;
    }
    let excepted = line.strip_prefix('!').or_else(|| line.strip_prefix("@@"));
    let (is_exception, text) = (excepted.is_some(), excepted.unwrap_or(line).trim_start());
    match pattern(text) {
        Some((pattern, ignores_case)) => ListLine::Pattern {
            is_exception,
            pattern,
            ignores_case,
        },
        None => ListLine::Other { is_exception, text },
    }
}

/// Returns the regular expression of `/RE/` or `/RE/i`, and whether it ignores case.
fn pattern(text: &str) -> Option<(&str, bool)> {
    let inside = text.strip_prefix('/')?;
    let (inside, ignores_case) = match inside.strip_suffix("/i") {
        Some(inside) => (inside, true),
        None => (inside.strip_suffix('/')?, false),
    };
    (!inside.is_empty()).then_some((inside, ignores_case))
}

/// Returns the form of an entry without marks of defanging.
///
/// # Errors
/// Why it is not one.
pub(crate) fn form(text: &str) -> Result<IndicatorForm<'_>, &'static str> {
    if let Some(digest) = text.strip_prefix("sha256:") {
        let digest = digest_of(digest).ok_or("sha256: without 64 hexadecimal digits")?;
        return Ok(IndicatorForm::Digest(digest));
    }
    if text.starts_with("||") || adblock::is_cosmetic(text) {
        return Ok(adblock::rule(text));
    }
    let text = without_remark(text);
    let is_blank = |b: &u8| b.is_ascii_whitespace();
    let first = text.as_bytes().iter().position(is_blank);
    let first = &text[..first.unwrap_or(text.len())];
    if text.len() > first.len() {
        return match address(first) {
            true => Ok(IndicatorForm::Names(text[first.len()..].trim_start())),
            false => Err("blanks in it"),
        };
    }
    let is_foreign = |b: &u8| b.is_ascii_control() || matches!(b, b'<' | b'>' | b'"');
    let is_foreign = text.as_bytes().iter().any(is_foreign);
    if is_foreign || !text.is_ascii() && text.chars().any(char::is_control) {
        return Err("characters in it that are not in URIs");
    }
    let (head, after) = text.split_once('/').unwrap_or((text, ""));
    if address(head) {
        let is_path = after.bytes().any(|b| !b.is_ascii_digit());
        return match HostEntry::parse(text) {
            Some(entry) if matches!(entry.place, HostPlace::Block(..)) => {
                Ok(IndicatorForm::Host(entry))
            }
            _ if is_path => host_or_path(text),
            _ => Err("not a block of addresses"),
        };
    }
    match is_uri(text) {
        true => uri(text),
        false => host_or_path(text),
    }
}

/// Returns the form of a URI, or of the start of some.
fn uri(text: &str) -> Result<IndicatorForm<'_>, &'static str> {
    let (uri, is_prefix) = match text.strip_suffix('*') {
        Some(start) => (start, true),
        None => (text, false),
    };
    let rest = uri.split_once(':').map_or("", |(_, rest)| rest);
    let authority = rest.strip_prefix("//");
    let path_at = authority.and_then(|authority| authority.find(['/', '?', '#']));
    let host = authority.map(|authority| &authority[..path_at.unwrap_or(authority.len())]);
    let is_file = uri.len() >= 5 && uri.as_bytes()[..5].eq_ignore_ascii_case(b"file:");
    match (host, is_prefix) {
        _ if rest.is_empty() => Err("nothing after the scheme"),
        (Some(""), _) if !is_file => Err("no host"),
        (Some(host), _) if host.contains('*') => Err("* in the host; write *.a.example"),
        (Some(_), true) if path_at.is_none() => Err("no / before *"),
        (_, true) if uri.contains('#') => Err("* after a fragment, which is not compared"),
        (Some(_), true)
            if !authority.is_some_and(|text| text[path_at.unwrap_or(0)..].starts_with('/')) =>
        {
            Err("no / before *")
        }
        (_, true) => Ok(IndicatorForm::Prefix(uri)),
        (_, false) => Ok(IndicatorForm::Uri(uri)),
    }
}

/// Returns the form of a host, or of a URI without its scheme.
fn host_or_path(text: &str) -> Result<IndicatorForm<'_>, &'static str> {
    let end = memchr::memchr2(b'/', b'?', text.as_bytes()).unwrap_or(text.len());
    let host = Some(&text[..end]).filter(|host| !host.is_empty());
    let entry = host.and_then(HostEntry::parse);
    let entry = entry.ok_or("not a host, an address or a URI")?;
    if end == text.len() {
        return Ok(IndicatorForm::Host(entry));
    }
    match text.starts_with(['=', '*', '.']) || text[..end].contains(['@', '*']) {
        true => Err("not a host, an address or a URI"),
        false => Ok(IndicatorForm::WithoutScheme(text)),
    }
}

/// Whether `text` begins with a scheme, and not with a host and a port. Hosts have dots;
/// schemes with dots are rare, and no number follows them.
fn is_uri(text: &str) -> bool {
    let Some((name, rest)) = text.split_once(':') else {
        return false;
    };
    let mut bytes = name.bytes();
    let begins = bytes.next().is_some_and(|b| b.is_ascii_alphabetic());
    if !begins || !bytes.all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b)) {
        return false;
    }
    let port = &rest[..rest.find(['/', '?']).unwrap_or(rest.len())];
    let is_port = !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit());
    !is_port || !name.contains('.') && scheme::find(name.as_bytes()).is_some()
}

/// Whether `text` is an address as it is usually written, maybe in brackets.
fn address(text: &str) -> bool {
    may_be_address(text) && {
        let inside = text
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'));
        inside.unwrap_or(text).parse::<IpAddr>().is_ok()
    }
}

/// Returns an entry without a remark after it, which begins with `#` or `;` after a blank.
fn without_remark(text: &str) -> &str {
    if memchr::memchr2(b' ', b'\t', text.as_bytes()).is_none() {
        return text;
    }
    let starts = |at: usize| text[at..].trim_start().starts_with(['#', ';']);
    let mut blanks = text.match_indices([' ', '\t']);
    let end = blanks.find(|&(at, _)| starts(at));
    text[..end.map_or(text.len(), |(at, _)| at)].trim_end()
}

/// Returns the names of a line of a hosts file that are entries.
pub(crate) fn names(text: &str) -> impl Iterator<Item = HostEntry<'_>> {
    let is_local = |name: &str| {
        LOCAL.iter().any(|local| name.eq_ignore_ascii_case(local))
            || LOCAL_STARTS.iter().any(|start| {
                let head = name.get(..start.len());
                head.is_some_and(|head| head.eq_ignore_ascii_case(start))
            })
    };
    let names = text
        .split_ascii_whitespace()
        .filter(move |name| !is_local(name));
    names.map(|name| HostEntry {
        place: HostPlace::Host(name),
        reach: Reach::Alone,
        port: None,
    })
}

fn digest_of(text: &str) -> Option<[u8; 32]> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    let mut digest = [0; 32];
    if pairs.len() != digest.len() || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(pairs) {
        let [high, low] = pair.map(crate::syntax::pct::hex_value);
        *byte = high? << 4 | low?;
    }
    Some(digest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::Refanged;
    use crate::indicators::host_entry::usual;
    use proptest::prelude::*;

    fn host(text: &str) -> Result<IndicatorForm<'_>, &'static str> {
        Ok(IndicatorForm::Host(HostEntry::parse(text).unwrap()))
    }

    #[test]
    fn lines_of_every_kind() {
        let other = |is_exception, text| ListLine::Other { is_exception, text };
        for line in [
            "", " \t", "# c", "; c", "// c", "! c", "!#if x", "!- c", "!", "#c",
        ] {
            assert_eq!(list_line(line), ListLine::Comment, "{line}");
        }
        assert_eq!(list_line("[Adblock Plus 2.0]"), ListLine::Title);
        assert_eq!(list_line("[2001:db8::1]"), other(false, "[2001:db8::1]"));
        assert_eq!(list_line(" a.example "), other(false, "a.example"));
        assert_eq!(list_line("!a.example"), other(true, "a.example"));
        assert_eq!(list_line("@@||a.example^"), other(true, "||a.example^"));
        for (line, is_exception, pattern, ignores_case) in [
            ("/a+/", false, "a+", false),
            ("/a b/i", false, "a b", true),
            ("!/a/", true, "a", false),
        ] {
            let wanted = ListLine::Pattern {
                is_exception,
                pattern,
                ignores_case,
            };
            assert_eq!(list_line(line), wanted);
        }
        assert_eq!(list_line("/a"), other(false, "/a"));
    }

    proptest! {
        #[test]
        fn a_usual_host_has_no_other_form(line in "[a-zA-Z0-9.-]{0,12}|[a-z0-9.:/_=*!@#| -]{0,9}") {
            if let Some(host) = usual(&line) {
                prop_assert_eq!(list_line(&line), ListLine::Other { is_exception: false, text: &line });
                prop_assert!(!Refanged::has_marks(line.as_bytes()));
                prop_assert_eq!(form(&line), Ok(IndicatorForm::Host(host)));
            }
        }
    }

    #[test]
    fn the_first_form_that_fits() {
        for text in [
            "a.example",
            "=a.example",
            "*.a.example",
            ".a.example",
            "a.example:8080",
            "localhost:80",
            "192.0.2.1",
            "192.0.2.77/24",
            "2001:db8::/32",
            "fe80::1",
            "::1",
            "[2001:db8::1]",
            "0x7f.1",
            "b\u{fc}cher.example",
        ] {
            assert_eq!(form(text), host(text), "{text}");
        }
        assert_eq!(form("a.example # remark"), host("a.example"));
        assert_eq!(form("192.0.2.0/24 ; SBL1"), host("192.0.2.0/24"));
        for text in [
            "http://a.example",
            "urn:isbn:1",
            "tel:112",
            "mailto:a@b.example",
            "app:/x",
        ] {
            assert_eq!(form(text), Ok(IndicatorForm::Uri(text)), "{text}");
        }
        for (text, start) in [
            ("http://a.example/d*", "http://a.example/d"),
            ("urn:isbn:*", "urn:isbn:"),
        ] {
            assert_eq!(form(text), Ok(IndicatorForm::Prefix(start)), "{text}");
        }
        for text in [
            "a.example/x",
            "a.example:8080/x",
            "192.0.2.1/x",
            "a.example?x",
        ] {
            assert_eq!(form(text), Ok(IndicatorForm::WithoutScheme(text)), "{text}");
        }
        assert_eq!(
            form("0.0.0.0 a.example b # c"),
            Ok(IndicatorForm::Names("a.example b"))
        );
        let digest = format!("sha256:{}", "aB".repeat(32));
        assert_eq!(form(&digest), Ok(IndicatorForm::Digest([0xAB; 32])));
        for text in [
            "hello world",
            "http://a.example*",
            "http://",
            "http://*.a.example/",
            "http:",
            "192.0.2.0/33",
            "::/129",
            "/x",
            "sha256:12",
            "=a.example/x",
            "a<b",
            "http://a.example/#x*",
            "http://a.example?x*",
            "*",
        ] {
            assert!(
                !form(text).is_ok_and(|form| !matches!(form, IndicatorForm::Host(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn local_names_are_not_entries() {
        let text = "localhost LOCALHOST.localdomain a.example ip6-loopback broadcasthost 0.0.0.0 b";
        let names: Vec<_> = names(text).map(|entry| entry.place).collect();
        assert_eq!(names, [HostPlace::Host("a.example"), HostPlace::Host("b")]);
    }
}
