//! The key by which the indexes of web archives are sorted and joined: the result of
//! the Python package `surt` for a URL. The rules were found by experiments with the
//! package, and its oddities are kept, since a join needs the same bytes. The order of
//! the steps matters: each depends on the result of the one before.

use super::escapes::{escape, push_decoded, retain_from};
use super::host;
use memchr::{memchr, memchr3, memrchr};

/// Appends the key of `uri` in the indexes of web archives (the column
/// `url_surtkey` of Common Crawl's index, the first field of a CDX file) to `out`:
/// the result of `surt.surt(uri)` in the Python package `surt` 0.3.1.
///
/// - Escapes are decoded until none is left; then `#`, `%`, and all bytes up to
///   U+0020 and above U+007E are percent-encoded. All is in lower case, the
///   digits of escapes too.
/// - The scheme, the userinfo, the fragment and a port of the scheme (80 for `http`,
///   443 for `https`) are left out, and so is `www.` or `www2.` before the host.
/// - The host's labels are in reverse order, also those of IP addresses; names in other
///   scripts become A-labels (IDNA 2003); IPv4 addresses in short, decimal and
///   octal notation become four decimal numbers; brackets of IPv6 are left out.
/// - Of the path, dot segments are removed, slashes in a row become one, and a
///   slash at its end is left out; the path of a host alone is `/`.
/// - Session identifiers are left out: the parameters `jsessionid`, `phpsessid` and
///   `sid` of 32 letters and digits, `aspsessionid…`, `cfid` with `cftoken`, and
///   `(…24 letters and digits…)/` before an `.aspx` in the path.
/// - The parameters of the query are sorted by name, then by value; an empty query
///   is left out.
///
/// A URI without a host keeps its scheme as written: `urn:isbn:0395363411`. A URI that
/// begins with `filedesc` is unchanged. Where the package fails because the port is not
/// a number up to 65535, the key keeps this port.
///
/// Hosts with characters that are newer than Unicode 3.2 may differ from the package,
/// which maps them by the tables of that version, and so may the rare labels that UTS
/// 46 rejects and IDNA 2003 accepts, such as one that begins with a combining mark.
///
/// ```
/// use urisieve::output::archive_surt;
/// for (uri, expect) in [
///     ("http://www.Example.com:80/Goo/?a=2&b&A=1#f", "com,example)/goo?a=1&a=2&b"),
///     ("https://joe@a.example:8080", "example,a:8080)/"),
///     ("http://192.0.2.1/a//./b%2Fc/", "1,2,0,192)/a/b/c"),
///     ("http://a.example/x?sid=0123456789abcdef0123456789abcdef", "example,a)/x"),
///     ("urn:isbn:0395363411", "urn:isbn:0395363411"),
/// ] {
///     let mut out = Vec::new();
///     archive_surt(uri.as_bytes(), &mut out);
///     assert_eq!(out, expect.as_bytes());
/// }
/// ```
pub fn archive_surt(uri: &[u8], out: &mut Vec<u8>) {
    if uri.starts_with(b"filedesc") {
        return out.extend_from_slice(uri);
    }
    let trimmed = trim(uri);
    if trimmed.is_empty() {
        return out.push(b'-');
    }
    if memchr3(b'\t', b'\n', b'\r', trimmed).is_some() {
        let is_kept = |byte: &u8| !matches!(byte, b'\t' | b'\n' | b'\r');
        let joined: Vec<u8> = trimmed.iter().copied().filter(is_kept).collect();
        return push_key(&Url::split(&joined), out);
    }
    push_key(&Url::split(trimmed), out);
}

/// The parts of a URL as the package splits it, without validation.
#[derive(Default)]
struct Url<'u> {
    scheme: &'u [u8],
    host: &'u [u8],
    port: &'u [u8],
    path: &'u [u8],
    query: &'u [u8],
}

impl<'u> Url<'u> {
    fn split(text: &'u [u8]) -> Url<'u> {
        let mut text = text;
        // Of several web schemes in a row only the last one counts.
        while let Some(rest) = after_web_scheme(text) {
            if after_web_scheme(rest).is_none() {
                break;
            }
            text = rest;
        }
        let (scheme, rest) = match scheme_len(text) {
            Some(len) => (&text[..len], &text[len + 1..]),
            None => (&b"http"[..], text),
        };
        let has_scheme = rest.len() < text.len();
        let rest = &rest[..memchr(b'#', rest).unwrap_or(rest.len())];
        let (rest, query) = cut(rest, b'?');
        let mut url = Url {
            scheme,
            query,
            ..Url::default()
        };
        let authority = match has_scheme {
            true => rest.strip_prefix(b"//"),
            false => Some(rest),
        };
        match authority {
            Some(authority) => {
                let end = memchr(b'/', authority).unwrap_or(authority.len());
                url.path = &authority[end..];
                (url.host, url.port) = host_and_port(&authority[..end]);
            }
            None => url.path = rest,
        }
        if url.host.is_empty() && scheme.starts_with(b"http") {
            let slashes = url.path.iter().take_while(|&&b| b == b'/').count();
            let name = &url.path[slashes..];
            let end = memchr(b'/', name).unwrap_or(name.len());
            let had_path = !url.path.is_empty();
            (url.host, url.path) = name.split_at(end);
            if had_path && url.path.is_empty() {
                url.path = b"/";
            }
        }
        url
    }
}

fn push_key(url: &Url, out: &mut Vec<u8>) {
    let has_host = host::push_reversed(url.host, url.scheme != b"dns", out);
    if has_host {
        push_port(url, out);
        out.push(b')');
    } else {
        out.extend_from_slice(url.scheme);
        out.push(b':');
    }
    let start = out.len();
    push_decoded(url.path, out);
    if has_host {
        remove_dots(out, start);
    }
    escape(out, start);
    drop_asp_session(out, start, nested_session);
    drop_asp_session(out, start, plain_session);
    if out.len() > start + 1 && out.ends_with(b"/") {
        out.pop();
    }
    if has_host && out.len() == start {
        out.push(b'/');
    }
    let end = out.len();
    push_query(url.query, out);
    if end == start && out.len() > end {
        out.insert(end, b'/');
    }
}

/// Appends `:` and the port, unless it is the default port.
fn push_port(url: &Url, out: &mut Vec<u8>) {
    let start = out.len();
    out.push(b':');
    let is_number = url.port.iter().all(u8::is_ascii_digit);
    let zeros = url.port.iter().take_while(|&&b| b == b'0').count();
    let number = match is_number {
        true => &url.port[zeros..],
        false => url.port,
    };
    push_decoded(number, out);
    escape(out, start);
    let is_default = match number {
        b"" => true,
        b"80" => url.scheme.eq_ignore_ascii_case(b"http"),
        b"443" => url.scheme.eq_ignore_ascii_case(b"https"),
        _ => false,
    };
    if is_default {
        out.truncate(start);
    }
}

/// Appends `?` and the parameters in their order, without those that name a session.
fn push_query(query: &[u8], out: &mut Vec<u8>) {
    let mark = out.len();
    out.push(b'?');
    push_decoded(query, out);
    let start = mark + 1;
    escape(out, start);
    drop_sessions(out, start);
    if out.len() == start {
        return out.truncate(mark);
    }
    sort_parameters(out, start);
}

/// Removes the segments `.` and `..` from `start` on, and repeated slashes. A `..` with
/// nothing before it is kept, and the next `..` removes it.
fn remove_dots(out: &mut Vec<u8>, start: usize) {
    let is_plain = |pair: &[u8]| pair[0] != b'/' || !matches!(pair[1], b'/' | b'.');
    if out[start..].windows(2).all(is_plain) {
        return;
    }
    // An empty segment counts as one until all are known.
    let (mut read, mut write) = (start, start);
    while read < out.len() {
        let rest = &out[read + 1..];
        let end = read + 1 + memchr(b'/', rest).unwrap_or(rest.len());
        match &out[read..end] {
            b"/." => {}
            b"/.." if write > start => {
                write = start + memrchr(b'/', &out[start..write]).unwrap_or_default();
            }
            _ => {
                out.copy_within(read..end, write);
                write += end - read;
            }
        }
        read = end;
    }
    out.truncate(write);
    let mut last = 0;
    retain_from(out, start, |byte| {
        let is_kept = byte != b'/' || last != b'/';
        last = byte;
        is_kept
    });
}

/// Returns the length of `(x(24 letters and digits))/` at the beginning of `text`, with
/// one or more of the inner groups.
fn nested_session(text: &[u8]) -> Option<usize> {
    let mut rest = text.strip_prefix(b"(")?;
    let mut groups = 0;
    while let [letter, group @ ..] = rest
        && letter.is_ascii_lowercase()
        && let Some(len) = session(group)
    {
        rest = &group[len..];
        groups += 1;
    }
    let rest = rest.strip_prefix(b")/")?;
    (groups > 0).then_some(text.len() - rest.len())
}

/// Returns the length of `(24 letters and digits)/` at the beginning of `text`.
fn plain_session(text: &[u8]) -> Option<usize> {
    let len = session(text)?;
    (text.get(len) == Some(&b'/')).then_some(len + 1)
}

fn session(text: &[u8]) -> Option<usize> {
    let inner = text.strip_prefix(b"(")?.get(..25)?;
    let (id, end) = inner.split_at(24);
    (is_all(id, is_letter_or_digit) && end == b")").then_some(26)
}

/// Removes the last session identifier between two slashes before a name with `.aspx`
/// in it; `len` returns the length of one.
fn drop_asp_session(out: &mut Vec<u8>, start: usize, len: fn(&[u8]) -> Option<usize>) {
    const NAME: &[u8] = b".aspx";
    let path = &out[start..];
    let Some(mut at) = memchr::memmem::rfind(path, NAME) else {
        return;
    };
    let mut name = None;
    loop {
        match path[at] {
            b'?' => name = None,
            b'.' if path[at..].starts_with(NAME) => name = Some(at),
            b'/' if name.is_some() => {
                if let Some(len) = len(&path[at + 1..]) {
                    let after = &path[at + 1 + len..];
                    let after = &after[..memchr(b'?', after).unwrap_or(after.len())];
                    let has_name = after.get(1..).unwrap_or_default();
                    if memchr::memmem::find(has_name, NAME).is_some() {
                        let first = start + at + 1;
                        out.drain(first..first + len);
                        return;
                    }
                }
            }
            _ => {}
        }
        if at == 0 {
            return;
        }
        at -= 1;
    }
}

/// Removes the parameters that name a session, the last of each kind.
fn drop_sessions(out: &mut Vec<u8>, start: usize) {
    if memchr::memmem::find(&out[start..], b"id").is_none() {
        return;
    }
    for name in [&b"jsessionid="[..], b"phpsessid=", b"sid="] {
        drop_last(out, start, name, |value| {
            let value = value.get(..32)?;
            is_all(value, is_letter_or_digit).then_some(32)
        });
    }
    drop_last(out, start, b"aspsessionid", |rest| {
        let (name, value) = rest.get(..33)?.split_at(8);
        let value = value.strip_prefix(b"=")?;
        let is_letter = |byte: u8| byte.is_ascii_lowercase();
        (is_all(name, is_letter) && is_all(value, is_letter)).then_some(33)
    });
    drop_cold_fusion(out, start);
}

/// Removes the last `name` with the text whose length `len` returns, if `&` or the end
/// follows, and so is the `&`.
fn drop_last(out: &mut Vec<u8>, start: usize, name: &[u8], len: impl Fn(&[u8]) -> Option<usize>) {
    let mut end = out.len();
    while let Some(at) = memchr::memmem::rfind(&out[start..end], name) {
        let at = start + at;
        let value = at + name.len();
        if let Some(len) = len(&out[value..])
            && matches!(out.get(value + len), None | Some(b'&'))
        {
            out.drain(at..(value + len + 1).min(out.len()));
            return;
        }
        // The name may overlap itself by less than its last byte.
        end = value - 1;
    }
}

/// Removes the last `cfid=` with the parameter `cftoken=` after it.
fn drop_cold_fusion(out: &mut Vec<u8>, start: usize) {
    let mut end = out.len();
    while let Some(at) = memchr::memmem::rfind(&out[start..end], b"&cftoken=") {
        let token = start + at;
        let value = token + b"&cftoken=".len();
        let len = memchr(b'&', &out[value..]).unwrap_or(out.len() - value);
        let segment = start + memrchr(b'&', &out[start..token]).map_or(0, |at| at + 1);
        // Neither value may be empty.
        let before = &out[segment..token.max(segment + 1) - 1];
        if let (1.., Some(id)) = (len, memchr::memmem::rfind(before, b"cfid=")) {
            out.drain(segment + id..(value + len + 1).min(out.len()));
            return;
        }
        end = token;
    }
}

/// Sorts the parameters by name, then by value; one without `=` comes first.
fn sort_parameters(out: &mut Vec<u8>, start: usize) {
    /// Moving up to this many parameters is cheaper than a list of them.
    const FEW: usize = 16;
    fn key(parameter: &[u8]) -> (&[u8], Option<&[u8]>) {
        match memchr(b'=', parameter) {
            Some(at) => (&parameter[..at], Some(&parameter[at + 1..])),
            None => (parameter, None),
        }
    }
    let parameters = || out[start..].split(|&b| b == b'&').map(key);
    if parameters().is_sorted() {
        return;
    }
    if parameters().nth(FEW).is_some() {
        let text = out[start..].to_vec();
        let mut list: Vec<&[u8]> = text.split(|&b| b == b'&').collect();
        list.sort_unstable_by_key(|parameter| key(parameter));
        out.truncate(start);
        for parameter in list {
            out.extend_from_slice(parameter);
            out.push(b'&');
        }
        out.pop();
        return;
    }
    // Each moves before the first that is greater, with the `&` after it.
    out.push(b'&');
    let mut sorted = start;
    while let Some(len) = memchr(b'&', &out[sorted..]) {
        let end = sorted + len;
        let mut place = start;
        while place < sorted {
            let len = memchr(b'&', &out[place..]).unwrap_or_default();
            if key(&out[place..place + len]) > key(&out[sorted..end]) {
                break;
            }
            place += len + 1;
        }
        out[place..=end].rotate_right(len + 1);
        sorted = end + 1;
    }
    out.pop();
}

fn is_all(text: &[u8], is_one: impl Fn(u8) -> bool) -> bool {
    text.iter().all(|&byte| is_one(byte))
}

fn is_letter_or_digit(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit()
}

/// Returns the text after `http://` or `https://`, in lower case only.
fn after_web_scheme(text: &[u8]) -> Option<&[u8]> {
    let rest = text.strip_prefix(b"http")?;
    rest.strip_prefix(b"s").unwrap_or(rest).strip_prefix(b"://")
}

/// Returns the length of the scheme before a colon.
fn scheme_len(text: &[u8]) -> Option<usize> {
    let len = memchr(b':', text)?;
    let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    let begins = text[0].is_ascii_alphabetic();
    (begins && is_all(&text[..len], is_scheme)).then_some(len)
}

/// Splits `text` at the first `mark`.
fn cut(text: &[u8], mark: u8) -> (&[u8], &[u8]) {
    match memchr(mark, text) {
        Some(at) => (&text[..at], &text[at + 1..]),
        None => (text, b""),
    }
}

/// Splits an authority into host and port; the host of a bracket is its content.
fn host_and_port(authority: &[u8]) -> (&[u8], &[u8]) {
    let from = memrchr(b'@', authority).map_or(0, |at| at + 1);
    let text = &authority[from..];
    let colons = text.iter().rev().take_while(|&&b| b == b':').count();
    let text = &text[..text.len() - colons];
    match memchr(b'[', text) {
        Some(open) => {
            let (host, rest) = cut(&text[open + 1..], b']');
            (host, cut(rest, b':').1)
        }
        None => cut(text, b':'),
    }
}

/// Removes the blanks that Python knows among the bytes, at both ends.
fn trim(text: &[u8]) -> &[u8] {
    let is_blank = |byte: &u8| matches!(byte, b'\t'..=b'\r' | b' ');
    let start = text.iter().position(|byte| !is_blank(byte));
    let end = text.iter().rposition(|byte| !is_blank(byte));
    match (start, end) {
        (Some(start), Some(end)) => &text[start..=end],
        _ => b"",
    }
}
