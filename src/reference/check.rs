//! Whether a delimited text is a URI: its authority (S2, B8) or its shape (S3).

use super::{Options, grammar};
use crate::item::{Problem, Problems};
use crate::syntax::class::{ALPHA, SCHEME, URI};

/// S3: the schemes that are accepted without "//" by default.
const OPAQUE: [&[u8]; 29] = [
    b"urn",
    b"mailto",
    b"news",
    b"tel",
    b"sms",
    b"doi",
    b"hdl",
    b"ark",
    b"isbn",
    b"issn",
    b"magnet",
    b"tag",
    b"info",
    b"sip",
    b"sips",
    b"xmpp",
    b"cid",
    b"mid",
    b"geo",
    b"did",
    b"pkg",
    b"swh",
    b"bitcoin",
    b"view-source",
    b"jdbc",
    b"feed",
    b"blob",
    b"jar",
    b"file",
];

/// S3: the namespaces of `info:`.
const INFO: [&[u8]; 22] = [
    b"arxiv",
    b"bibcode",
    b"dlf",
    b"doi",
    b"eu-repo",
    b"fedora",
    b"hdl",
    b"lanl-repo",
    b"lc",
    b"lccn",
    b"ncid",
    b"netref",
    b"nla",
    b"oclcnum",
    b"ofi",
    b"pmid",
    b"pronom",
    b"rfa",
    b"sici",
    b"sid",
    b"srw",
    b"ugent-repo",
];

/// Whether URIs of `scheme` have no empty authority (S2).
pub fn needs_host(scheme: &[u8]) -> bool {
    grammar::row(scheme).is_some_and(|row| row.needs_host)
}

/// S2: `default://` in program code.
pub fn is_label(scheme: &[u8]) -> bool {
    scheme.eq_ignore_ascii_case(b"default")
}

/// Whether URIs of `scheme` are accepted without "//" (S3).
pub fn is_opaque(scheme: &[u8], options: &Options) -> bool {
    is_default_opaque(scheme) || is_added(scheme, options)
}

fn is_default_opaque(scheme: &[u8]) -> bool {
    OPAQUE.iter().any(|name| scheme.eq_ignore_ascii_case(name))
}

/// Whether `--opaque` adds `scheme` (S3).
pub fn is_added(scheme: &[u8], options: &Options) -> bool {
    let listed = |name: &String| scheme.eq_ignore_ascii_case(name.as_bytes());
    options.opaque.iter().any(listed)
        || options.opaque_all && grammar::row(scheme).is_some_and(|row| !row.needs_host)
}

/// Whether another URI follows the colon of `scheme` (S3).
pub fn has_inner(scheme: &[u8]) -> bool {
    [&b"view-source"[..], b"jdbc", b"feed", b"blob", b"jar"]
        .iter()
        .any(|name| scheme.eq_ignore_ascii_case(name))
}

/// Checks `text`, whose first `scheme_len` bytes are the scheme, and returns its
/// problems. `None` when it is not a URI.
pub fn check(text: &[u8], scheme_len: usize, options: &Options) -> Option<Problems> {
    let scheme = text.get(..scheme_len)?;
    let rest = text[scheme_len..].strip_prefix(b":")?;
    let mut problems = Problems::NONE;
    if let Some(rest) = rest.strip_prefix(b"//") {
        if is_label(scheme) {
            return None;
        }
        problems |= authority(rest, needs_host(scheme))?.problems;
    } else if !opaque_shape(scheme, rest, options) {
        return None;
    }
    Some(problems | percent(text))
}

/// S7: checks a `text` without a scheme, which begins with its host.
pub fn check_abbreviated(text: &[u8]) -> Option<Problems> {
    let authority = authority(text, true)?;
    let labels: Vec<&[u8]> = authority.host.split(|&b| b == b'.').collect();
    let last = String::from_utf8_lossy(labels.last()?);
    if labels.len() < 3
        || labels.iter().any(|label| label.is_empty())
        || !last.chars().any(char::is_alphabetic)
    {
        return None;
    }
    Some(percent(text) | authority.problems)
}

/// B8: whether `,` and `;` end the authority of a bare URI of `scheme`.
pub fn is_of_web(scheme: &[u8]) -> bool {
    [&b"http"[..], b"https", b"ws", b"wss", b"ftp"]
        .iter()
        .any(|web| scheme.eq_ignore_ascii_case(web))
}

/// B8: whether the host in `text` begins with a hyphen. `body` is where the text after the
/// colon begins; a URI inside `view-source:` and similar has the host.
pub fn begins_with_hyphen(text: &[u8], body: usize) -> bool {
    let rest = text.get(body..).unwrap_or_default();
    let rest = match rest.strip_prefix(b"//") {
        Some(rest) => rest,
        None if body == 0 => rest,
        None if has_inner(&text[..body - 1]) => {
            let inner = run(rest, |b| SCHEME.has(b));
            match rest[inner..].strip_prefix(b"://") {
                Some(rest) => rest,
                None => return false,
            }
        }
        None => return false,
    };
    let authority = &rest[..run(rest, |b| !b"/?#".contains(&b))];
    let host = authority.rsplit(|&b| b == b'@').next();
    host.is_some_and(|host| host.starts_with(b"-"))
}

/// B6
pub fn percent(text: &[u8]) -> Problems {
    if grammar::is_well_encoded(text) {
        Problems::NONE
    } else {
        Problem::BadPercent.into()
    }
}

/// An authority with a valid host.
pub struct Authority<'t> {
    /// The host.
    host: &'t [u8],
    /// The problems of the URI.
    pub problems: Problems,
}

/// Returns the authority at the beginning of `rest`, the text after "//"; `None`
/// without a host (S2, B8).
pub fn authority(rest: &[u8], needs_host: bool) -> Option<Authority<'_>> {
    let end = run(rest, |b| !b"/?#".contains(&b));
    let (text, tail) = rest.split_at(end);
    if text.is_empty() {
        let has_path = tail.len() >= 2 && tail[0] == b'/';
        return (!needs_host && has_path).then_some(Authority {
            host: b"",
            problems: Problems::NONE,
        });
    }
    let mut problems = Problems::NONE;
    if text.iter().filter(|&&b| b == b'@').count() > 1 {
        problems |= Problem::BadUserinfo;
    }
    let text = match text.iter().rposition(|&b| b == b'@') {
        Some(at) => &text[at + 1..],
        None => text,
    };
    let host_len = if text.first() == Some(&b'[') {
        run(text, |b| b != b']') + 1
    } else {
        host_len(text)
    };
    let host = text.get(..host_len)?;
    let mut outside = Vec::new();
    let mut at = 0;
    while at < host.len() {
        match template_end(host, at) {
            Some(end) => {
                problems |= Problem::TemplateHost;
                outside.push(b' ');
                at = end;
            }
            None => {
                outside.push(host[at]);
                at += 1;
            }
        }
    }
    // `$NAME`, `$(`
    let template = |w: &[u8]| w[0] == b'$' && (ALPHA.has(w[1]) || w[1] == b'(');
    if !grammar::is_host(host) || host.starts_with(b"'") || outside.windows(2).any(template) {
        return None; // B8
    }
    let port = match &text[host_len..] {
        [] => &[],
        [b':', port @ ..] => port,
        _ => return None,
    };
    if !port.iter().all(u8::is_ascii_digit) {
        problems |= Problem::BadPort;
    }
    Some(Authority { host, problems })
}

/// I25: the length of the host at the start of `text`: to the first colon outside of
/// templates.
pub fn host_len(text: &[u8]) -> usize {
    let mut at = 0;
    while at < text.len() && text[at] != b':' {
        at = template_end(text, at).unwrap_or(at + 1);
    }
    at
}

/// I25: the end of a template, `${…}`, at `at`, of at most 256 bytes without its `$`.
pub fn template_end(text: &[u8], at: usize) -> Option<usize> {
    let rest = text[at..].strip_prefix(b"$")?;
    if rest.first() != Some(&b'{') {
        return None;
    }
    let inside = |b: &u8| b.is_ascii_alphanumeric() || b"-._:$+=%&*,;!~|^{}".contains(b);
    let mut open = 0;
    for (len, byte) in (1..=256).zip(rest.iter().take_while(|b| inside(b))) {
        match byte {
            b'{' => open += 1,
            b'}' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at + 1 + len);
        }
    }
    None
}

/// I25: whether `inside`, the text between the braces of a template, is `name:…` without
/// the operators of a shell, or `::-…`.
pub fn is_lookup(inside: &[u8]) -> bool {
    let name = run(inside, |b| b.is_ascii_alphanumeric() || b"_-.".contains(&b));
    let rest = &inside[name..];
    let operator = rest.get(1).is_some_and(|b| b"-=?+".contains(b));
    rest.starts_with(b"::-") && name == 0 || rest.starts_with(b":") && name > 0 && !operator
}

/// Returns the number of bytes at the start of `text` that `accepts` accepts.
fn run(text: &[u8], accepts: impl Fn(u8) -> bool) -> usize {
    text.iter().take_while(|&&b| accepts(b)).count()
}

/// Returns the number of digits at the start of `text`.
fn digits(text: &[u8]) -> usize {
    run(text, |b| b.is_ascii_digit())
}

/// Whether `text` is one or more bytes that `accepts` accepts, then `mark`, then a byte
/// that `follows` accepts.
fn parted(
    text: &[u8],
    accepts: impl Fn(u8) -> bool,
    mark: u8,
    follows: impl Fn(u8) -> bool,
) -> bool {
    let len = run(text, accepts);
    len > 0 && text.get(len) == Some(&mark) && text.get(len + 1).is_some_and(|&b| follows(b))
}

/// Whether `rest`, the text after `scheme` and its colon, has the shape that the scheme
/// requires (S3).
pub fn opaque_shape(scheme: &[u8], rest: &[u8], options: &Options) -> bool {
    if rest.starts_with(b"//") {
        return false;
    }
    let may_follow = |&b: &u8| (URI.has(b) || b >= 0x80) && !b":#@)]".contains(&b);
    if !rest.first().is_some_and(may_follow) {
        return false; // S3: `Foo::Bar`
    }
    // The number of bytes within which the shape must be recognized.
    let sight = match scheme.to_ascii_lowercase().as_slice() {
        b"magnet" => 512,
        b"view-source" | b"jdbc" | b"feed" | b"blob" | b"jar" => rest.len(),
        _ => 128,
    };
    let rest = &rest[..rest.len().min(sight)];
    if !is_default_opaque(scheme) {
        return is_added(scheme, options) && !rest.is_empty();
    }
    let host_start = |host: &[u8]| match host {
        [b'%', ..] => grammar::is_pct_encoded(host, 0),
        [first, ..] => first.is_ascii_alphanumeric() || *first == b'[',
        [] => false,
    };
    // The text after the first "@", if the local part before it is valid.
    let address = |local: fn(u8) -> bool| {
        let len = run(rest, local);
        let is_address = len > 0 && rest.get(len) == Some(&b'@');
        is_address.then(|| &rest[len + 1..])
    };
    match scheme.to_ascii_lowercase().as_slice() {
        b"urn" => grammar::is_name(rest),
        b"mailto" => {
            let local = |b: u8| !b"@/?#:[]".contains(&b);
            address(local)
                .is_some_and(|host| host_start(host) || host.first().is_some_and(|&b| b >= 0x80))
                || rest.strip_prefix(b"?").is_some_and(|header| {
                    let name = run(header, |b| b != b'=');
                    name > 0 && name < header.len()
                })
        }
        b"news" => {
            let dotted = |w: &[u8]| ALPHA.has(w[0]) && w[1] == b'.' && ALPHA.has(w[2]);
            rest.windows(3).any(dotted) || parted(rest, |b| b != b'@', b'@', |b| b != b'@')
        }
        b"tel" | b"sms" => telephone(rest),
        b"doi" => doi(rest),
        b"hdl" => parted(
            rest,
            |b| b.is_ascii_alphanumeric() || b == b'.',
            b'/',
            |_| true,
        ),
        b"ark" => {
            let rest = rest.strip_prefix(b"/").unwrap_or(rest);
            rest.len() >= 7 && digits(rest) == 5 && rest[5] == b'/'
        }
        b"isbn" => matches!(standard_number(rest), Some(10 | 13)),
        b"issn" => standard_number(rest) == Some(8),
        b"magnet" => {
            let topic = |w: &[u8]| b"?&;".contains(&w[0]) && matches!(&w[1..], b"xt=" | b"xt.");
            rest.starts_with(b"?") && rest.windows(4).any(topic)
        }
        b"tag" => {
            let name = run(rest, |b| b.is_ascii_alphanumeric() || b"._@%-".contains(&b));
            let date = &rest[name..];
            name > 0 && date.starts_with(b",") && digits(&date[1..]) >= 4
        }
        b"info" => {
            let name = run(rest, |b| b != b'/');
            let known = |space: &&[u8]| rest[..name].eq_ignore_ascii_case(space);
            name > 0 && rest.len() > name + 1 && INFO.iter().any(known)
        }
        b"sip" | b"sips" | b"xmpp" => {
            let label = |b: u8| b.is_ascii_alphanumeric() || b == b'-';
            address(|b| b != b'@').is_some_and(host_start)
                || rest.starts_with(b"[")
                || parted(rest, label, b'.', |b| b.is_ascii_alphanumeric())
        }
        b"cid" | b"mid" => parted(rest, |b| b != b'@', b'@', |_| true),
        b"geo" => geo(rest).is_some(),
        b"did" => {
            let method = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
            parted(rest, method, b':', |_| true)
        }
        b"pkg" => {
            let kind = |b: u8| b.is_ascii_alphanumeric() || b".+-".contains(&b);
            ALPHA.has(rest.first().copied().unwrap_or(0)) && parted(rest, kind, b'/', |_| true)
        }
        b"swh" => rest.starts_with(b"1:") && rest.len() > 2,
        b"bitcoin" => {
            let len = run(rest, |b| b.is_ascii_alphanumeric());
            (25..=90).contains(&len) && matches!(rest.get(len), None | Some(b'?'))
        }
        b"view-source" | b"jdbc" | b"feed" | b"blob" | b"jar" => embedded(rest),
        b"file" => rest.len() > 1 && rest[0] == b'/' || is_added(scheme, options),
        _ => false,
    }
}

/// `tel:` and `sms:`: three digits or more in the number.
fn telephone(rest: &[u8]) -> bool {
    let number = run(rest, |b| b.is_ascii_digit() || b"+().*#-".contains(&b));
    let starts = matches!(
        rest.first(),
        Some(b'+' | b'0'..=b'9' | b'(' | b'*' | b'.' | b'-')
    );
    let ends = matches!(
        rest.get(number),
        None | Some(b';' | b'?' | b',' | b'/' | b'&')
    );
    let count = rest[..number].iter().filter(|b| b.is_ascii_digit()).count();
    starts && ends && count >= 3
}

/// `doi:`: `10.` digits, more of them after dots, `/` and a byte.
fn doi(rest: &[u8]) -> bool {
    let Some(mut rest) = rest.strip_prefix(b"10") else {
        return false;
    };
    let mut groups = 0;
    while let [b'.', tail @ ..] = rest {
        let len = digits(tail);
        if len == 0 {
            return false;
        }
        groups += 1;
        rest = &tail[len..];
    }
    groups > 0 && rest.len() >= 2 && rest[0] == b'/'
}

/// `isbn:` and `issn:`: returns the number of digits (and X).
fn standard_number(rest: &[u8]) -> Option<usize> {
    let len = run(rest, |b| b.is_ascii_digit() || b"Xx-".contains(&b));
    let ends = !rest.get(len).is_some_and(u8::is_ascii_alphanumeric);
    ends.then(|| rest[..len].iter().filter(|&&b| b != b'-').count())
}

/// `geo:`: number, comma, number.
fn geo(rest: &[u8]) -> Option<()> {
    let number = |text: &[u8]| {
        let sign = usize::from(text.starts_with(b"-"));
        let len = digits(&text[sign..]);
        (len > 0).then_some(sign + len)
    };
    let mut at = number(rest)?;
    if rest.get(at) == Some(&b'.') {
        let fraction = digits(&rest[at + 1..]);
        at += if fraction > 0 { 1 + fraction } else { 0 };
    }
    number(rest[at..].strip_prefix(b",")?).map(|_| ())
}

/// `view-source:` and similar schemes: another URI follows, with an authority or a path
/// that begins with a slash.
fn embedded(rest: &[u8]) -> bool {
    let len = run(rest, |b| SCHEME.has(b));
    let (scheme, tail) = rest.split_at(len);
    (2..=grammar::SCHEME_MAX).contains(&len)
        && ALPHA.has(scheme[0])
        && match tail.strip_prefix(b"://") {
            Some(tail) => !is_label(scheme) && authority(tail, needs_host(scheme)).is_some(),
            None => tail.len() > 2 && tail.starts_with(b":/"),
        }
}
