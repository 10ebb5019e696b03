//! Blanks and hosts of addresses, and detours: proxies and archives.

use super::draft::Draft;
use super::names;
use super::place;
use crate::syntax::{Components, host, pct};

/// The parts of an address that rows check.
struct Address<'a> {
    scheme: String,
    authority: Option<&'a str>,
    userinfo: Option<&'a str>,
    host: &'a str,
    host_range: std::ops::Range<usize>,
    port: Option<&'a str>,
}

fn read(value: &str) -> Address<'_> {
    let bytes = value.as_bytes();
    let parts = Components::parse(bytes);
    fn text(part: Option<&[u8]>) -> Option<&str> {
        part.and_then(|part| std::str::from_utf8(part).ok())
    }
    Address {
        scheme: text(parts.scheme(bytes))
            .unwrap_or_default()
            .to_ascii_lowercase(),
        authority: text(parts.authority(bytes)),
        userinfo: text(parts.userinfo(bytes)),
        host: text(parts.host(bytes)).unwrap_or_default(),
        host_range: parts.host_range(),
        port: text(parts.port(bytes)),
    }
}

fn is_blank(c: char) -> bool {
    matches!(c, ' ' | '\u{A0}')
}

/// blank-inside
pub(super) fn blanks(draft: &mut Draft) {
    let value = &*draft.value;
    let Some(last) = value.rfind(is_blank) else {
        return;
    };
    let address = read(value);
    let in_authority = address
        .authority
        .is_some_and(|text| text.contains(is_blank));
    let goes_on = value[last..].contains(['/', '.', '=', '&']);
    // A blank in a name may belong to it; one beside a sign between two parts does not.
    let is_inside = |(at, blank): (usize, &str)| {
        let before = value[..at].chars().next_back();
        let after = value[at + blank.len()..].chars().next();
        let is_sign = |c: Option<char>| c.is_none_or(|c| "/?#=&:".contains(c));
        !is_sign(before) && !is_sign(after)
    };
    let is_encoded = goes_on
        && address.authority.is_some()
        && !in_authority
        && !names::is_doi_host(address.host.as_bytes())
        && value.match_indices(is_blank).all(is_inside);
    let repaired = is_encoded.then(|| value.replace(is_blank, "%20"));
    draft.hit("blank-inside", repaired);
}

/// empty-host, bad-host, host-no-dot, bad-address, private-address, bad-port
pub(super) fn host(draft: &mut Draft) {
    let value = draft.value.clone();
    let address = read(&value);
    let Some(authority) = address.authority else {
        return;
    };
    let is_web = matches!(&*address.scheme, "http" | "https" | "ftp");
    if is_web && address.host.is_empty() {
        let rest = value[address.scheme.len() + 3..].trim_start_matches('/');
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let is_host = authority.is_empty() && is_dotted(&rest[..end]);
        let repaired = is_host.then(|| format!("{}//{rest}", &value[..=address.scheme.len()]));
        if draft.hit("empty-host", repaired) {
            host(draft);
        }
        return;
    }
    let is_literal = host::is_ip_literal(address.host.as_bytes());
    let is_wrong = address.host.contains("..")
        || address.host.starts_with(['.', '-'])
        || address.host.contains([',', ';', '!', '=', '&'])
        || address.host.split('.').any(|label| label.len() > LABEL_MAX);
    if is_wrong && !is_literal {
        draft.hit("bad-host", None);
    } else if is_web && !is_literal && !address.host.contains(['.', '。']) {
        draft.hit("host-no-dot", None);
    }
    place::address(draft);
    if address.port.is_some_and(is_no_port) {
        draft.hit("bad-port", None);
    }
}

/// Whether a port is not a number of 16 bits. It may be empty.
fn is_no_port(port: &str) -> bool {
    !port.is_empty() && !port.bytes().all(|b| b.is_ascii_digit())
        || port.trim_start_matches('0').len() > "65535".len()
        || port.parse::<u32>().is_ok_and(|port| port > u16::MAX.into())
}

/// credentials
pub(super) fn credentials(draft: &mut Draft) {
    let value = draft.value.clone();
    let address = read(&value);
    let Some(user) = address.userinfo else {
        return;
    };
    let name = user.split(':').next().unwrap_or_default();
    let is_secret =
        matches!(&*address.scheme, "http" | "https") && !user.is_empty() || user.contains(':');
    if is_secret && !name.eq_ignore_ascii_case("anonymous") {
        let without = format!(
            "{}//{}",
            &value[..=address.scheme.len()],
            &value[address.host_range.start..]
        );
        draft.hit("credentials", Some(without));
    }
}

fn is_dotted(host: &str) -> bool {
    host.split_once('.').is_some_and(|(first, rest)| {
        first.starts_with(char::is_alphanumeric) && rest.starts_with(char::is_alphanumeric)
    })
}

/// proxy-prefix, archived-url
pub(super) fn detours(draft: &mut Draft) {
    let value = draft.value.clone();
    let address = read(&value);
    if !matches!(&*address.scheme, "http" | "https") {
        return;
    }
    if let Some(target) = proxied(&value, &address) {
        draft.hit("proxy-prefix", target);
    }
    let value = draft.value.clone();
    let address = read(&value);
    if is_archive(address.host) || has_snapshot(&value) {
        draft.hit("archived-url", None);
    }
}

/// Whether the URLs of a host lead to copies of pages.
fn is_archive(host: &str) -> bool {
    let archives = [
        "perma.cc",
        "archive.ph",
        "archive.is",
        "archive.today",
        "webcitation.org",
    ];
    let host = match host.get(..4) {
        Some(www) if www.eq_ignore_ascii_case("www.") => &host[4..],
        _ => host,
    };
    archives.iter().any(|name| name.eq_ignore_ascii_case(host))
}

/// Whether a label of a host, other than the first, is that of a proxy.
fn is_proxy_label(label: &[u8]) -> bool {
    let ends = |end: &[u8; 5]| end.eq_ignore_ascii_case(b"proxy");
    label.last_chunk().is_some_and(ends) || label.eq_ignore_ascii_case(b"ezp")
}

/// A host whose URLs lead to URLs of other hosts.
const OPEN_ATHENS: &str = "go.openathens.net";
/// The beginning of the first label of a host that leads to another host.
const INNER: &str = "0-";
/// The text before the address of another host.
const LOGIN: &str = "/login?";

/// Whether a host of ASCII letters, digits, `.` and `-` has no defect and is neither a
/// proxy nor an archive. Most such hosts are recognized.
pub(super) fn is_plain_host(host: &str) -> bool {
    let mut labels = host.as_bytes().split(|&byte| byte == b'.');
    let first = labels.next().unwrap_or_default();
    // The length of the host bounds the length of its labels.
    host.len() <= LABEL_MAX
        && !first.is_empty()
        && first.len() < host.len()
        && !host.starts_with('-')
        && !first.starts_with(INNER.as_bytes())
        && labels.all(|label| !label.is_empty() && !is_proxy_label(label))
        && !host.eq_ignore_ascii_case(OPEN_ATHENS)
        // An address, or a host that is only known inside.
        && !host.ends_with(|c: char| c.is_ascii_digit())
        && !place::is_inside(host)
        && !is_archive(host)
}

/// Whether the address of another host may follow a `?` in `rest`, the text after a
/// plain host.
pub(super) fn may_log_in(rest: &str) -> bool {
    let ends = |at: usize| {
        let before = &rest.as_bytes()[..at + 1];
        let start = before.len().saturating_sub(LOGIN.len());
        before[start..].eq_ignore_ascii_case(LOGIN.as_bytes())
    };
    memchr::memchr_iter(b'?', rest.as_bytes()).any(ends)
}

/// The most bytes of a label (RFC 1035, 2.3.4).
const LABEL_MAX: usize = 63;

/// Returns the address behind a proxy, where it can be read from the value; `None` when no
/// proxy is there.
fn proxied(value: &str, address: &Address) -> Option<Option<String>> {
    let lower = value.to_ascii_lowercase();
    if let Some(query) = lower.find(LOGIN).map(|at| at + LOGIN.len()) {
        let mut at = query;
        for parameter in lower[query..].split('&') {
            for (name, encoded) in [("url=http", false), ("qurl=http", true)] {
                if parameter.starts_with(name) {
                    let target = &value[at + name.len() - 4..];
                    return Some(match encoded {
                        false => Some(target.to_owned()),
                        true => decoded(target.split('&').next().unwrap_or(target)),
                    });
                }
            }
            at += parameter.len() + 1;
        }
    }
    let host = address.host.to_ascii_lowercase();
    if host == OPEN_ATHENS {
        let at = lower.find("?url=").or_else(|| lower.find("&url="));
        let target = at.map(|at| value[at + 5..].split('&').next().unwrap_or_default());
        return Some(
            target
                .and_then(decoded)
                .filter(|target| target.starts_with("http")),
        );
    }
    let rest = &value[address.host_range.end..];
    let to = |host: &str| Some(format!("{}://{host}{}", address.scheme, without_port(rest)));
    let labels: Vec<&str> = host.split('.').collect();
    let proxy = labels
        .iter()
        .skip(1)
        .position(|label| is_proxy_label(label.as_bytes()));
    if let Some(at) = proxy {
        let target = labels[..=at].join(".");
        return Some(match target.contains('.') {
            true => to(&target),
            false if target.contains('-') => to(&target
                .replace("--", "\n")
                .replace('-', ".")
                .replace('\n', "-")),
            false => None,
        });
    }
    // `0-www.jstor.org.library.example.edu`
    let inner = host.strip_prefix(INNER)?;
    let labels: Vec<&str> = inner.split('.').collect();
    let tops = ["com", "org", "net", "edu", "gov", "int", "info"];
    let top = labels
        .iter()
        .skip(1)
        .position(|label| tops.contains(label))?
        + 1;
    (labels.len() > top + 2).then(|| to(&labels[..=top].join(".")))
}

fn without_port(rest: &str) -> &str {
    match rest.strip_prefix(':') {
        Some(port) => port.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => rest,
    }
}

/// Returns a percent-encoded address, decoded once.
fn decoded(text: &str) -> Option<String> {
    if text.contains("://") {
        return Some(text.to_owned());
    }
    if pct::first_broken(text.as_bytes()).is_some() {
        return None;
    }
    let mut out = Vec::new();
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let hex =
            |byte: Option<u8>| char::from(byte.unwrap_or(b'0')).to_digit(16).unwrap_or(0) as u8;
        match byte {
            b'%' => {
                let high = hex(bytes.next());
                out.push(high << 4 | hex(bytes.next()));
            }
            byte => out.push(byte),
        }
    }
    let text = String::from_utf8(out).ok()?;
    (text.contains("://") && !text.contains(|c: char| c.is_control())).then_some(text)
}

/// `/20200101000000id_/http://`: digits, perhaps two letters and `_`, perhaps `*`.
fn has_snapshot(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    lower.match_indices("/http").any(|(at, _)| {
        let after = &lower[at + "/http".len()..];
        let after = after.strip_prefix('s').unwrap_or(after);
        let before = &lower[..at];
        let before = before.strip_suffix('*').unwrap_or(before);
        let before = match before.strip_suffix('_') {
            Some(flag) => flag.trim_end_matches(|c: char| c.is_ascii_lowercase()),
            None => before,
        };
        let name = before.rsplit('/').next().unwrap_or_default();
        after.starts_with(":/")
            && before.contains('/')
            && (4..=14).contains(&name.len())
            && name.bytes().all(|b| b.is_ascii_digit())
    })
}
