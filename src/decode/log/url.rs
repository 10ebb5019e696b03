//! The URL of a request (G7 to G10): scheme, host and port from the values of the line or from
//! a base, the target with the escapes of the log undone.

use super::names::LogPart;
use super::request_line::{authority, is_absolute};
use super::stated::LineValues;
use super::value::{HostField, is_port, is_port_of, is_web_scheme};
use crate::syntax::class::URI;
use crate::syntax::plain_url;

/// The escapes that a log writes in its values (G10).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum LogEscape {
    #[default]
    None,
    /// `\xHH \" \\ \n \t \r \b \v`, of web servers.
    Clf,
    /// `\xHH \\`, of Zeek.
    Zeek,
    /// `#HH`, of HAProxy.
    HaProxy,
    /// A string of JSON without its own escapes, in which `\xHH` is left.
    Json,
}

/// Scheme and authority for requests whose lines state no host (G9).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct LogBase {
    pub scheme: Vec<u8>,
    pub authority: Vec<u8>,
}

impl LogBase {
    /// Returns the scheme and the authority of `uri`.
    pub(crate) fn of(uri: &[u8]) -> Option<LogBase> {
        if !is_absolute(uri) {
            return None;
        }
        let colon = memchr::memchr(b':', uri)?;
        let rest = &uri[colon + 3..];
        let end = rest.iter().position(|b| matches!(b, b'/' | b'?' | b'#'));
        let authority = &rest[..end.unwrap_or(rest.len())];
        (!authority.is_empty()).then(|| LogBase {
            scheme: uri[..colon].to_ascii_lowercase(),
            authority: authority.to_vec(),
        })
    }
}

/// The origin of the last request of which nothing but the host was known: in most logs that
/// of the next one, too.
#[derive(Clone, Debug, Default)]
pub(super) struct LastOrigin {
    /// The value of the host; empty if the origin is that of the base.
    host: Vec<u8>,
    /// `scheme://host:port`, as it is written for this value; empty before the first such
    /// request.
    origin: Vec<u8>,
    is_plain: bool,
}

impl LastOrigin {
    /// Writes the URL of a request of which nothing but this value of the host, which is empty
    /// without one, is known beside the target. `None` if the last request had another one.
    pub(super) fn write(
        &self,
        host: &[u8],
        (target, query): (&[u8], Option<&[u8]>),
        escape: LogEscape,
        out: &mut Vec<u8>,
    ) -> Option<IsPlain> {
        if self.origin.is_empty() || self.host != host {
            return None;
        }
        out.clear();
        out.extend_from_slice(&self.origin);
        Some(append_target(target, query, escape, out) && self.is_plain)
    }
}

/// Whether a URL that was written is [plain](plain_url::is_url).
pub(super) type IsPlain = bool;

/// The parts that decide on the scheme and the port beside the host.
const EVIDENCE: [LogPart; 7] = [
    LogPart::Sni,
    LogPart::Port,
    LogPart::ZeekPort,
    LogPart::ServerPort,
    LogPart::ForwardedProto,
    LogPart::Scheme,
    LogPart::Tls,
];

/// Writes the URL of the request that `stated` has in `line`. The scheme may be `chosen` for all
/// requests. Returns whether the URL is plain; `None` if no host is known. `last` serves lines
/// with the same choice and base.
pub(super) fn write_url(
    line: &[u8],
    stated: &LineValues,
    escape: LogEscape,
    (base, chosen): (Option<&LogBase>, Option<&[u8]>),
    last: &mut LastOrigin,
    out: &mut Vec<u8>,
) -> Option<IsPlain> {
    out.clear();
    let target = stated.of(line, LogPart::Target).unwrap_or_default();
    let query = stated.of(line, LogPart::Query);
    if is_absolute(target) {
        // G7: as written.
        append_target(target, query, escape, out);
        return Some(plain_url::is_url(out));
    }
    if stated.of(line, LogPart::Method) == Some(b"CONNECT")
        && let Some((host, port)) = authority(target)
    {
        let scheme: &[u8] = if port == b"80" { b"http" } else { b"https" };
        HostField::of(target)?;
        write_origin(scheme, (host, Some(port)), out);
        return Some(plain_url::is_url(out));
    }
    let field = |part| stated.of(line, part);
    let has_host = stated.value(LogPart::Host).is_some() || stated.value(LogPart::Sni).is_some();
    if base.is_none() && !has_host {
        return None;
    }
    let is_lone = !stated.has_tls
        && !stated.is_http
        && EVIDENCE.iter().all(|part| stated.value(*part).is_none());
    let written = field(LogPart::Host).unwrap_or_default();
    if is_lone && let Some(is_plain) = last.write(written, (target, query), escape, out) {
        return Some(is_plain);
    }
    let host = field(LogPart::Host).and_then(HostField::of);
    let sni = field(LogPart::Sni).and_then(HostField::of);
    let own_port = host.as_ref().and_then(|host| host.port);
    let port = own_port
        .or(field(LogPart::Port).filter(|port| is_port(port)))
        .or(field(LogPart::ZeekPort).filter(|port| is_port(port)));
    let evidence = port.or(field(LogPart::ServerPort).filter(|port| is_port(port)));
    let forwarded = field(LogPart::ForwardedProto).filter(|scheme| is_web_scheme(scheme));
    let stated_scheme = field(LogPart::Scheme).filter(|scheme| is_web_scheme(scheme));
    let has_tls = stated.has_tls
        || sni.is_some()
        || field(LogPart::Tls).is_some_and(is_tls)
        || evidence == Some(b"443");
    // G8, in this order.
    let scheme = match (chosen, forwarded, stated_scheme) {
        (Some(scheme), ..) => scheme,
        _ if stated.is_http => b"http",
        (_, Some(scheme), _) | (_, None, Some(scheme)) => scheme,
        _ if has_tls => b"https",
        _ if evidence == Some(b"80") => b"http",
        _ => base.map_or(&b"http"[..], |base| &base.scheme),
    };
    // G9.
    match (host.or(sni), base) {
        (Some(host), _) => write_origin(scheme, (host.host, port), out),
        (None, Some(base)) => {
            out.extend(scheme.iter().map(u8::to_ascii_lowercase));
            out.extend_from_slice(b"://");
            out.extend_from_slice(&base.authority);
        }
        (None, None) => return None,
    }
    let is_plain = plain_url::origin_len(out) == Some(out.len());
    if is_lone {
        last.host.clear();
        last.host.extend_from_slice(written);
        last.origin.clear();
        last.origin.extend_from_slice(out);
        last.is_plain = is_plain;
    }
    Some(append_target(target, query, escape, out) && is_plain)
}

/// Appends the URL of a referer, and returns whether it is plain.
pub(super) fn write_referer(text: &[u8], escape: LogEscape, out: &mut Vec<u8>) -> IsPlain {
    let is_plain = plain_url::is_url(text);
    match is_plain {
        true => out.extend_from_slice(text),
        false => {
            append(text, escape, out);
        }
    }
    is_plain
}

/// Appends the target of a request whose origin is written.
/// Returns whether what is appended is plain.
fn append_target(
    target: &[u8],
    query: Option<&[u8]>,
    escape: LogEscape,
    out: &mut Vec<u8>,
) -> IsPlain {
    if target == b"*" {
        return true;
    }
    let is_plain = append(target, escape, out);
    append_query(target, query, escape, out) && is_plain
}

/// Writes `scheme://host:port`, without the port of the scheme.
fn write_origin(scheme: &[u8], (host, port): (&[u8], Option<&[u8]>), out: &mut Vec<u8>) {
    let from = out.len();
    out.extend_from_slice(scheme);
    out[from..].make_ascii_lowercase();
    out.extend_from_slice(b"://");
    let is_bare = host.first() != Some(&b'[') && memchr::memchr(b':', host).is_some();
    if is_bare {
        out.push(b'[');
    }
    out.extend_from_slice(host);
    if is_bare {
        out.push(b']');
    }
    let Some(port) = port else {
        return;
    };
    if !is_port_of(port, scheme) {
        out.push(b':');
        out.extend_from_slice(port);
    }
}

/// Whether the value of a field is evidence of TLS (G5).
fn is_tls(text: &[u8]) -> bool {
    let none: [&[u8]; 4] = [b"none", b"off", b"false", b"0"];
    !none.iter().any(|value| value.eq_ignore_ascii_case(text))
}

/// Appends a query that is in a field of its own, if the target has none.
/// Returns whether it is plain.
fn append_query(
    target: &[u8],
    query: Option<&[u8]>,
    escape: LogEscape,
    out: &mut Vec<u8>,
) -> IsPlain {
    let Some(query) = query.filter(|_| memchr::memchr(b'?', target).is_none()) else {
        return true;
    };
    let query = query.strip_prefix(b"?").unwrap_or(query);
    if query.is_empty() {
        return true;
    }
    out.push(b'?');
    append(query, escape, out)
}

/// Appends a value with its escapes undone (G10). A byte that cannot stand in a URI becomes
/// `%HH` where it was escaped; a raw byte only where it is a blank, a control, `<`, `>`, `"`
/// or beyond 7E. Returns whether the value is [plain](plain_url::is_rest) as it is.
fn append(text: &[u8], escape: LogEscape, out: &mut Vec<u8>) -> IsPlain {
    if plain_url::is_rest(text) {
        out.extend_from_slice(text);
        return true;
    }
    // NUL is never kept.
    let mark = match escape {
        LogEscape::None => 0,
        LogEscape::HaProxy => b'#',
        LogEscape::Clf | LogEscape::Zeek | LogEscape::Json => b'\\',
    };
    let plain_bytes = match escape {
        LogEscape::None => &KEPT,
        LogEscape::HaProxy => &KEPT_BUT_HASH,
        LogEscape::Clf | LogEscape::Zeek | LogEscape::Json => &KEPT_BUT_BACKSLASH,
    };
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let is_other = |byte: &u8| !plain_bytes[usize::from(*byte)];
        let plain = rest.iter().position(is_other).unwrap_or(rest.len());
        out.extend_from_slice(&rest[..plain]);
        at += plain;
        let Some(&byte) = text.get(at) else {
            break;
        };
        if byte == mark
            && let Some((byte, len)) = undone(&text[at..], escape)
        {
            match URI.has(byte) {
                true => out.push(byte),
                false => push_encoded(byte, out),
            }
            at += len;
            continue;
        }
        match is_kept(byte) {
            true => out.push(byte),
            false => push_encoded(byte, out),
        }
        at += 1;
    }
    false
}

/// Whether a raw byte stays as it is.
#[inline]
fn is_kept(byte: u8) -> bool {
    KEPT[usize::from(byte)]
}

/// The raw bytes that stay as they are, without and with the mark of an escape.
static KEPT: [bool; 256] = kept_but(0);
static KEPT_BUT_HASH: [bool; 256] = kept_but(b'#');
static KEPT_BUT_BACKSLASH: [bool; 256] = kept_but(b'\\');

const fn kept_but(mark: u8) -> [bool; 256] {
    let mut kept = [false; 256];
    let mut byte = 0x21u8;
    while byte < 0x7F {
        kept[byte as usize] = !matches!(byte, b'<' | b'>' | b'"') && byte != mark;
        byte += 1;
    }
    kept
}

/// Returns the byte of the escape at the start of `text`, and the length of the escape.
fn undone(text: &[u8], escape: LogEscape) -> Option<(u8, usize)> {
    let hex = |at: usize| {
        let digits = text.get(at..at + 2)?;
        let digit = |byte: u8| char::from(byte).to_digit(16);
        Some((digit(digits[0])? * 16 + digit(digits[1])?) as u8)
    };
    if escape == LogEscape::HaProxy {
        return Some((hex(1)?, 3));
    }
    let next = text.get(1).copied();
    if next == Some(b'x')
        && let Some(byte) = hex(2)
    {
        return Some((byte, 4));
    }
    match (escape, next) {
        (LogEscape::Clf | LogEscape::Zeek, Some(b'\\')) => Some((b'\\', 2)),
        (LogEscape::Clf, Some(b'"')) => Some((b'"', 2)),
        (LogEscape::Clf, Some(b'n')) => Some((b'\n', 2)),
        (LogEscape::Clf, Some(b't')) => Some((b'\t', 2)),
        (LogEscape::Clf, Some(b'r')) => Some((b'\r', 2)),
        (LogEscape::Clf, Some(b'b')) => Some((8, 2)),
        (LogEscape::Clf, Some(b'v')) => Some((11, 2)),
        // JSON has undone the escape of this one.
        (LogEscape::Json, _) => Some((b'\\', 1)),
        _ => None,
    }
}

fn push_encoded(byte: u8, out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    let digit = |value: u8| DIGITS[usize::from(value & 15)];
    out.extend_from_slice(&[b'%', digit(byte >> 4), digit(byte)]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn appended(text: &str, escape: LogEscape) -> String {
        let mut out = Vec::new();
        append(text.as_bytes(), escape, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn escapes_are_undone() {
        use LogEscape::{Clf, HaProxy, Json, Zeek};
        for (text, escape, wanted) in [
            (
                "/a b<c>\"\u{e9}\u{7F}",
                LogEscape::None,
                "/a%20b%3Cc%3E%22%C3%A9%7F",
            ),
            ("/a\\b{c}|^%41+#f", LogEscape::None, "/a\\b{c}|^%41+#f"),
            ("/\\x22\\x5C\\x7b\\x41\\x", Clf, "/%22%5C%7BA\\x"),
            (
                "/\\\"\\\\\\n\\t\\r\\b\\v\\q",
                Clf,
                "/%22%5C%0A%09%0D%08%0B\\q",
            ),
            ("/\\x09\\\\\\n", Zeek, "/%09%5C\\n"),
            ("/a#22b#23c#zz\\x22", HaProxy, "/a%22b#c#zz\\x22"),
            ("/\\x22\\a", Json, "/%22%5Ca"),
        ] {
            assert_eq!(appended(text, escape), wanted, "{text}");
        }
    }

    #[test]
    fn a_base_is_a_scheme_and_an_authority() {
        let base = LogBase::of(b"HTTPS://a.example:8443/p?q").unwrap();
        assert_eq!(base.scheme, b"https");
        assert_eq!(base.authority, b"a.example:8443");
        for text in ["/a", "a.example", "https:///x", "urn:a:b"] {
            assert_eq!(LogBase::of(text.as_bytes()), None, "{text}");
        }
    }
}
