//! The shape of a whole candidate: an authority with a host (S2, B8), or the shape that
//! its opaque scheme requires (S3). The text is decoded.

use super::{start, template};
use crate::item::{Problem, Problems};
use crate::syntax::class::{ALPHA, SCHEME, UNRESERVED, URI, are_all};
use crate::syntax::nested::NextOffset;
use crate::syntax::{host, pct, scheme, steps, urn};
use std::collections::BTreeSet;
use std::ops::Range;

/// The opaque schemes that count in addition to those of S3 (`--opaque`).
#[derive(Clone, Debug, Default)]
pub(super) struct Opaque {
    pub all: bool,
    pub names: BTreeSet<Vec<u8>>,
}

impl Opaque {
    /// Returns whether only the schemes of S3 count.
    pub(super) fn is_default(&self) -> bool {
        !self.all && self.names.is_empty()
    }

    /// Returns whether an opaque URI of the scheme `name` counts with any content,
    /// because S3 has no shape for it.
    pub(super) fn admits(&self, name: &[u8]) -> bool {
        if is_opaque(name) && !name.eq_ignore_ascii_case(b"file") {
            return false;
        }
        if self.all && scheme::find(name).is_some_and(|row| !row.needs_host) {
            return true;
        }
        !self.names.is_empty() && self.names.contains(&name.to_ascii_lowercase())
    }
}

/// The result of judging an authority by S2 and B8.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Authority {
    /// The authority counts, with these problems.
    Good(Problems),
    Void,
}

/// Returns whether `name` is `tel` or `sms`, whose URIs do not end in `-` (B3).
pub(super) fn is_telephone(name: &[u8]) -> bool {
    name.len() == 3 && (name.eq_ignore_ascii_case(b"tel") || name.eq_ignore_ascii_case(b"sms"))
}

/// Returns whether `name` is a label of program code, as in
/// `switch(x){default://comment`, and not a scheme (S2).
pub(super) fn is_label(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b"default")
}

/// The bytes of most names of hosts.
static OF_NAME: [bool; 256] = UNRESERVED.table();

/// Judges `rest`, which follows `scheme://`.
pub(super) fn authority(name: &[u8], rest: &[u8]) -> Authority {
    steps::count(rest.len());
    let len = memchr::memchr3(b'/', b'?', b'#', rest).unwrap_or(rest.len());
    if len == 0 {
        let needs_host = scheme::find(name).is_some_and(|s| s.needs_host);
        let goes_on = rest.len() > 1 && rest[0] == b'/';
        return if goes_on && !needs_host && !is_label(name) {
            Authority::Good(Problems::NONE)
        } else {
            Authority::Void
        };
    }
    let authority = &rest[..len];
    // Nearly every authority is a name alone.
    if authority[0].is_ascii_alphanumeric() && are_all(authority, &OF_NAME) {
        return match is_label(name) {
            true => Authority::Void,
            false => Authority::Good(Problems::NONE),
        };
    }
    let Some((user, host, port)) = split_authority(authority) else {
        return Authority::Void;
    };
    // Two strings joined in program code: `'http://'.$host`.
    let is_seam = host.first() == Some(&b'\'');
    let mut problems = Problems::NONE;
    let (mut host, mut port) = (host, port);
    if host.contains(&b'$') {
        let text = &rest[len - host.len() - port.len()..len];
        let split = template::split_host(text);
        if split.is_void {
            return Authority::Void; // B8
        }
        if split.has_template {
            problems |= Problem::TemplateHost; // I25
            (host, port) = text.split_at(split.host_len);
        }
    }
    if is_seam || !host::is_plausible(host) || is_label(name) {
        return Authority::Void;
    }
    match port {
        [] => {}
        [b':', port @ ..] if port.iter().all(u8::is_ascii_digit) => {}
        [b':', ..] => problems |= Problem::BadPort,
        _ => return Authority::Void,
    }
    if user.contains(&b'@') {
        problems |= Problem::BadUserinfo;
    }
    Authority::Good(problems)
}

/// B8: returns whether the host of `authority` begins with `-`, as in `git://-style`.
pub(super) fn begins_with_hyphen(authority: &[u8]) -> bool {
    let host = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
    authority.get(host) == Some(&b'-')
}

/// Returns whether `,` and `;` end the authority of a bare candidate of the scheme `name`,
/// in any case (B8). A candidate without a scheme is one of the web (S7).
pub(super) fn is_of_web(name: &[u8]) -> bool {
    const WEB: [&[u8]; 6] = [b"", b"http", b"https", b"ws", b"wss", b"ftp"];
    WEB.iter().any(|web| name.eq_ignore_ascii_case(web))
}

/// B2: returns the length of the part of a SICI at the start of `rest`: `<`, a digit, at
/// most 31 of `[0-9A-Za-z:.-]` with a `:` among them, and `>`. The flag is true when more
/// text might change the answer.
pub(super) fn sici_len(rest: &[u8]) -> (Option<usize>, bool) {
    let Some(&first) = rest.get(1) else {
        return (None, true);
    };
    if !first.is_ascii_digit() {
        return (None, false);
    }
    let body = &rest[2..];
    let inside = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b':' | b'.' | b'-');
    let len = body.iter().take(32).take_while(inside).count();
    match body.get(len) {
        None => (None, len <= 31),
        Some(b'>') if len <= 31 && body[..len].contains(&b':') => (Some(len + 3), false),
        Some(_) => (None, false),
    }
}

/// Returns whether `text` has a DOI: `10.`, digits and `/` after a delimiter.
pub(super) fn is_doi(text: &[u8]) -> bool {
    steps::count(text.len());
    memchr::memmem::find_iter(text, b"10.").any(|at| {
        let number = &text[at + 3..];
        let len = number
            .iter()
            .take_while(|&&b| b.is_ascii_digit() || b == b'.')
            .count();
        at > 0
            && matches!(text[at - 1], b'/' | b':' | b'=')
            && number.first().is_some_and(u8::is_ascii_digit)
            && number.get(len) == Some(&b'/')
    })
}

/// Returns the userinfo of an authority, its host, and the text after the host; `None`
/// when an IP literal is not closed.
fn split_authority(authority: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (user, text) = match memchr::memrchr(b'@', authority) {
        Some(at) => (&authority[..at], &authority[at + 1..]),
        None => (&b""[..], authority),
    };
    let len = if text.first() == Some(&b'[') {
        memchr::memchr(b']', text)? + 1
    } else {
        memchr::memchr(b':', text).unwrap_or(text.len())
    };
    let (host, rest) = text.split_at(len);
    Some((user, host, rest))
}

/// Returns whether `name` is one of the opaque schemes of S3.
pub(super) fn is_opaque(name: &[u8]) -> bool {
    find_opaque(name).is_some()
}

/// Returns whether no opaque scheme of S3 ends in the letters before the colon at
/// `colon`. This check is cheap, and most words before a colon are not schemes. Fewer
/// than two letters or digits may be the rest of a folded scheme (W4): returns false.
pub(super) fn cannot_end_scheme(text: &[u8], colon: usize) -> bool {
    let [.., a, b] = text[..colon] else {
        return false;
    };
    let (a, b) = (a.to_ascii_lowercase(), b.to_ascii_lowercase());
    let thirds = match (a.is_ascii_alphanumeric(), b.is_ascii_alphanumeric()) {
        (false, _) => return false,
        (_, false) => return true,
        _ => THIRDS[letter(a)][letter(b)],
    };
    match text[..colon - 2].last() {
        _ if thirds == 0 => true,
        Some(third) if third.is_ascii_alphanumeric() => {
            thirds >> letter(third.to_ascii_lowercase()) & 1 == 0
        }
        _ => false,
    }
}

/// The letters and digits that precede the last two of an opaque scheme, a bit each.
static THIRDS: [[u64; LETTERS]; LETTERS] = thirds();

/// The number of letters of one case and of digits.
const LETTERS: usize = 36;

/// Returns the number of a lower-case letter or a digit.
const fn letter(byte: u8) -> usize {
    match byte {
        b'0'..=b'9' => 26 + (byte - b'0') as usize,
        _ => (byte - b'a') as usize,
    }
}

const fn thirds() -> [[u64; LETTERS]; LETTERS] {
    let mut thirds = [[0; LETTERS]; LETTERS];
    let mut row = 0;
    while row < OPAQUE.len() {
        if let [.., third, a, b] = OPAQUE[row].name.as_bytes() {
            thirds[letter(*a)][letter(*b)] |= 1 << letter(*third);
        }
        row += 1;
    }
    thirds
}

/// Returns the number of decoded bytes after the colon by which the shape of an opaque
/// URI is judged. The bound keeps the time for a void candidate bounded.
pub(super) fn sight(name: &[u8]) -> usize {
    find_opaque(name).map_or(SIGHT, |row| row.sight)
}

/// Returns whether `rest`, which follows `name:`, has the shape that S3 requires.
pub(super) fn opaque(name: &[u8], rest: &[u8]) -> bool {
    if !may_follow_colon(rest) {
        return false;
    }
    let Some(row) = find_opaque(name) else {
        return false;
    };
    let shown = match row.has_inner {
        true => rest,
        false => &rest[..rest.len().min(row.sight)],
    };
    steps::count(shown.len());
    (row.shape)(shown)
}

/// Returns whether `rest` may follow the colon of an opaque URI. After other bytes the
/// text is `Foo::Bar`, or a word that ends in a colon.
pub(super) fn may_follow_colon(rest: &[u8]) -> bool {
    match rest.first() {
        None | Some(b':' | b'#' | b'@' | b')' | b']') => false,
        Some(&first) => URI.has(first) || first >= 0x80,
    }
}

/// Returns whether another URI follows `name:` (`view-source:http://a/`).
pub(super) fn has_inner(name: &[u8]) -> bool {
    find_opaque(name).is_some_and(|row| row.has_inner)
}

/// S7: judges a candidate without a scheme. Its host must have at least three labels,
/// none of them empty, and the last one must have a letter.
pub(super) fn abbreviated(text: &[u8]) -> Option<Authority> {
    let verdict = authority(b"http", text);
    let len = memchr::memchr3(b'/', b'?', b'#', text).unwrap_or(text.len());
    let (_, host, _) = split_authority(&text[..len])?;
    let mut labels = host.split(|&b| b == b'.');
    let last = String::from_utf8_lossy(labels.next_back()?);
    let dots = labels.try_fold(0, |dots, label| (!label.is_empty()).then_some(dots + 1))?;
    let has_letter = last.chars().any(char::is_alphabetic);
    (dots >= 2 && has_letter && verdict != Authority::Void).then_some(verdict)
}

/// Returns whether the text after the colon of a scheme has the shape that S3 requires.
type SchemeShape = fn(&[u8]) -> bool;

/// An opaque scheme of S3.
struct OpaqueScheme {
    name: &'static str,
    shape: SchemeShape,
    /// The number of decoded bytes after the colon by which the shape is judged.
    sight: usize,
    /// Whether another URI follows the colon.
    has_inner: bool,
}

/// The bytes by which a shape is judged, unless a scheme needs more.
const SIGHT: usize = 128;

const fn row(name: &'static str, shape: SchemeShape) -> OpaqueScheme {
    OpaqueScheme {
        name,
        shape,
        sight: SIGHT,
        has_inner: false,
    }
}

const fn outer(name: &'static str) -> OpaqueScheme {
    OpaqueScheme {
        has_inner: true,
        ..row(name, inner)
    }
}

/// The opaque schemes of S3. One whose shape another scheme has is a row here, in the oracle
/// and in the conformance cases.
const OPAQUE: &[OpaqueScheme] = &[
    row("urn", |rest| urn::nid_len(rest).is_some()),
    row("mailto", mailto),
    row("news", news),
    row("tel", tel),
    row("sms", tel),
    row("doi", doi),
    row("hdl", |rest| {
        prefix_slash(rest, |b| b.is_ascii_alphanumeric() || b == b'.')
    }),
    row("ark", ark),
    row("isbn", |rest| matches!(number_len(rest), Some(10 | 13))),
    row("issn", |rest| number_len(rest) == Some(8)),
    OpaqueScheme {
        sight: 512,
        ..row("magnet", magnet)
    },
    row("tag", tag),
    row("info", info),
    row("sip", user_at_host),
    row("sips", user_at_host),
    row("xmpp", user_at_host),
    row("cid", content_id),
    row("mid", content_id),
    row("geo", geo),
    row("did", did),
    row("pkg", |rest| {
        rest.first().is_some_and(|&b| ALPHA.has(b)) && prefix_slash(rest, |b| SCHEME.has(b))
    }),
    row("swh", |rest| rest.len() > 2 && rest.starts_with(b"1:")),
    row("bitcoin", bitcoin),
    outer("view-source"),
    outer("jdbc"),
    outer("feed"),
    outer("blob"),
    outer("jar"),
    row(
        "file",
        |rest| matches!(rest, [b'/', next, ..] if *next != b'/'),
    ),
];

/// Returns the row of a scheme, in any case.
fn find_opaque(name: &[u8]) -> Option<&'static OpaqueScheme> {
    let mut rows = OPAQUE.iter();
    rows.find(|row| row.name.as_bytes().eq_ignore_ascii_case(name))
}

/// `local@domain` of RFC 2392
fn content_id(rest: &[u8]) -> bool {
    matches!(memchr::memchr(b'@', rest), Some(at @ 1..) if at + 1 < rest.len())
}

/// `1*allowed "/" 1*any`
fn prefix_slash(rest: &[u8], allowed: fn(u8) -> bool) -> bool {
    let len = rest.iter().take_while(|&&b| allowed(b)).count();
    len > 0 && rest.get(len) == Some(&b'/') && rest.len() > len + 1
}

/// `local@domain`, or `?` and a header `name=`
fn mailto(rest: &[u8]) -> bool {
    if let [b'?', headers @ ..] = rest {
        return matches!(memchr::memchr(b'=', headers), Some(1..));
    }
    let stop = |b: &u8| matches!(b, b'@' | b'/' | b'?' | b'#' | b':' | b'[' | b']');
    match rest.iter().position(stop) {
        Some(at @ 1..) if rest[at] == b'@' => {
            starts_host(rest, at + 1) || rest.get(at + 1).is_some_and(|&b| b >= 0x80)
        }
        _ => false,
    }
}

/// Returns whether a host may start at `at`: a letter, a digit, `[` or a well-formed
/// `%XX`.
fn starts_host(rest: &[u8], at: usize) -> bool {
    rest.get(at)
        .is_some_and(|&b| b.is_ascii_alphanumeric() || b == b'[')
        || pct::is_encoded(rest, at)
}

/// A group with a dot between letters, or a message id with "@"
fn news(rest: &[u8]) -> bool {
    rest.windows(3)
        .any(|w| w[1] == b'.' && ALPHA.has(w[0]) && ALPHA.has(w[2]))
        || matches!(memchr::memchr(b'@', rest), Some(at @ 1..) if !matches!(rest.get(at + 1), None | Some(b'@')))
}

/// Digits and visual separators, at least three digits
fn tel(rest: &[u8]) -> bool {
    let end = rest
        .iter()
        .position(|b| matches!(b, b';' | b'?' | b',' | b'/' | b'&'))
        .unwrap_or(rest.len());
    let number = &rest[..end];
    let plain =
        |b: &u8| b.is_ascii_digit() || matches!(b, b'+' | b'(' | b')' | b'.' | b'*' | b'#' | b'-');
    !matches!(number.first(), None | Some(b')' | b'#'))
        && number.iter().all(plain)
        && number.iter().filter(|b| b.is_ascii_digit()).count() >= 3
}

/// `10.` digits `/` and a suffix; the prefix may have more dotted numbers
fn doi(rest: &[u8]) -> bool {
    let Some(rest) = rest.strip_prefix(b"10.") else {
        return false;
    };
    let len = rest
        .iter()
        .take_while(|&&b| b.is_ascii_digit() || b == b'.')
        .count();
    let dotted = rest[..len]
        .split(|&b| b == b'.')
        .all(|part| !part.is_empty());
    dotted && rest.get(len) == Some(&b'/') && rest.len() > len + 1
}

/// An optional `/`, a name assigning authority of five digits, `/`, a name
fn ark(rest: &[u8]) -> bool {
    let rest = rest.strip_prefix(b"/").unwrap_or(rest);
    rest.len() > 6 && rest[..5].iter().all(u8::is_ascii_digit) && rest[5] == b'/'
}

/// Returns the number of digits, X included, of the number with hyphens at the start of
/// `rest`; `None` when a letter or digit follows the number.
fn number_len(rest: &[u8]) -> Option<usize> {
    let len = rest
        .iter()
        .take_while(|b| b.is_ascii_digit() || matches!(b, b'X' | b'x' | b'-'))
        .count();
    if rest.get(len).is_some_and(u8::is_ascii_alphanumeric) {
        return None;
    }
    Some(rest[..len].iter().filter(|&&b| b != b'-').count())
}

/// A query that has a parameter `xt` or `xt.N`
fn magnet(rest: &[u8]) -> bool {
    rest.first() == Some(&b'?')
        && rest.windows(4).any(|w| {
            matches!(w[0], b'?' | b'&' | b';') && &w[1..3] == b"xt" && matches!(w[3], b'=' | b'.')
        })
}

/// An authority, a comma and a year
fn tag(rest: &[u8]) -> bool {
    let plain =
        |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'@' | b'%' | b'-');
    let len = rest.iter().take_while(plain).count();
    len > 0
        && rest.get(len) == Some(&b',')
        && rest
            .get(len + 1..len + 5)
            .is_some_and(|year| year.iter().all(u8::is_ascii_digit))
}

/// A namespace of the info registry, `/` and an identifier
fn info(rest: &[u8]) -> bool {
    const NAMESPACES: [&str; 22] = [
        "arxiv",
        "bibcode",
        "dlf",
        "doi",
        "eu-repo",
        "fedora",
        "hdl",
        "lanl-repo",
        "lc",
        "lccn",
        "ncid",
        "netref",
        "nla",
        "oclcnum",
        "ofi",
        "pmid",
        "pronom",
        "rfa",
        "sici",
        "sid",
        "srw",
        "ugent-repo",
    ];
    let Some(slash) = memchr::memchr(b'/', rest) else {
        return false;
    };
    rest.len() > slash + 1
        && NAMESPACES
            .iter()
            .any(|name| rest[..slash].eq_ignore_ascii_case(name.as_bytes()))
}

/// `user@host`, an IP literal, or a host with a dot
fn user_at_host(rest: &[u8]) -> bool {
    if rest.first() == Some(&b'[') {
        return true;
    }
    // The user may contain "; / ?" (RFC 3261 section 25.1: user-unreserved).
    if matches!(memchr::memchr(b'@', rest), Some(at @ 1..) if starts_host(rest, at + 1)) {
        return true;
    }
    let label = rest
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'-')
        .count();
    label > 0
        && rest.get(label) == Some(&b'.')
        && rest.get(label + 1).is_some_and(u8::is_ascii_alphanumeric)
}

/// A number, a comma, a number
fn geo(rest: &[u8]) -> bool {
    let Some(comma) = memchr::memchr(b',', rest) else {
        return false;
    };
    let (latitude, longitude) = (&rest[..comma], &rest[comma + 1..]);
    let latitude = latitude.strip_prefix(b"-").unwrap_or(latitude);
    let longitude = longitude.strip_prefix(b"-").unwrap_or(longitude);
    let mut parts = latitude.splitn(2, |&b| b == b'.');
    let digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
    parts.next().is_some_and(digits)
        && parts.next().is_none_or(digits)
        && longitude.first().is_some_and(u8::is_ascii_digit)
}

/// A method name, `:` and an identifier
fn did(rest: &[u8]) -> bool {
    let len = rest
        .iter()
        .take_while(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
        .count();
    len > 0 && rest.get(len) == Some(&b':') && rest.len() > len + 1
}

/// An address: letters and digits, of a length that the known formats have
fn bitcoin(rest: &[u8]) -> bool {
    let len = rest
        .iter()
        .take_while(|b| b.is_ascii_alphanumeric())
        .count();
    (25..=90).contains(&len) && matches!(rest.get(len), None | Some(b'?'))
}

/// A `scheme://` with all that S2 requires, or `scheme:/` and a character
fn inner(rest: &[u8]) -> bool {
    let Some(len) = scheme::prefix_len(rest) else {
        return false;
    };
    match &rest[len..] {
        [b':', b'/', b'/', tail @ ..] => authority(&rest[..len], tail) != Authority::Void,
        [b':', b'/', _, ..] => true,
        _ => false,
    }
}

/// Judges the whole decoded text of a candidate, whose scheme has `scheme_len` bytes;
/// returns `None` when the candidate is void.
pub(super) fn check(text: &[u8], scheme_len: usize, opaque_too: &Opaque) -> Option<Authority> {
    let (name, rest) = (text.get(..scheme_len)?, text.get(scheme_len + 1..)?);
    if let Some(rest) = rest.strip_prefix(b"//") {
        let verdict = authority(name, rest);
        return (verdict != Authority::Void).then_some(verdict);
    }
    let good = opaque(name, rest) || (may_follow_colon(rest) && opaque_too.admits(name));
    good.then_some(Authority::Good(Problems::NONE))
}

/// Returns the end of the authority in `text` that begins at `body`, after the colon of
/// a scheme; `body` when there is no authority.
pub(super) fn authority_end(text: &[u8], body: usize) -> usize {
    let from = match text.get(body..).map(|rest| rest.starts_with(b"//")) {
        Some(true) => body + 2,
        Some(false) if body == 0 => 0,
        _ => return body,
    };
    memchr::memchr3(b'/', b'?', b'#', &text[from..]).map_or(text.len(), |len| from + len)
}

/// Returns the start of the path of `text`, which has no scheme when `scheme_len` is `None`
/// (S7): the end of its authority or, without one, the offset after its colon.
pub(super) fn path_start(text: &[u8], scheme_len: Option<usize>) -> usize {
    authority_end(text, scheme_len.map_or(0, |len| len + 1))
}

/// S6: returns the URIs in `text` whose colon is at `from` or after it and that begin at
/// `least` or after it; of these only the ones for which `is_new` returns true of the range
/// of the scheme and its colon, or of two bytes after it of which the first is a slash. One that begins directly after a `=` of the
/// query or fragment ends at the next `&` or `#` (I13), others at the end of `text`.
pub(super) fn nested<'t>(
    text: &'t [u8],
    from: usize,
    least: usize,
    is_new: impl Fn(Range<usize>) -> bool + 't,
    opaque_too: &'t Opaque,
) -> impl Iterator<Item = (Range<usize>, Authority)> + 't {
    steps::count(text.len() - from);
    let query = memchr::memchr2(b'?', b'#', &text[from..]).map_or(text.len(), |at| from + at);
    let mut ends = NextOffset::default();
    memchr::memchr_iter(b':', &text[from..]).filter_map(move |at| {
        let colon = from + at;
        let start = start::scheme_in(text, colon).filter(|&start| start >= least)?;
        let slash = colon + 1..colon + 1 + 2 * usize::from(text.get(colon + 1) == Some(&b'/'));
        if !is_new(start..colon + 1) && !is_new(slash) {
            return None;
        }
        let end = match start > query && text[start - 1] == b'=' {
            true => ends.next(start, text.len(), |&at| matches!(text[at], b'&' | b'#')),
            false => text.len(),
        };
        let verdict = check(&text[start..end], colon - start, opaque_too)?;
        Some((start..end, verdict))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(uri: &str) -> bool {
        let colon = uri.find(':').unwrap();
        check(uri.as_bytes(), colon, &Opaque::default()).is_some()
    }

    #[test]
    fn no_opaque_scheme_is_ruled_out_by_its_last_letters() {
        for row in scheme::all() {
            if is_opaque(row.name.as_bytes()) {
                let text = format!("{}:", row.name.to_ascii_uppercase());
                assert!(
                    !cannot_end_scheme(text.as_bytes(), row.name.len()),
                    "{text}"
                );
            }
        }
        for none in ["user:x", "style:x", "margin:0", "Title:x", "font-face:x"] {
            let colon = none.find(':').unwrap();
            assert!(cannot_end_scheme(none.as_bytes(), colon), "{none}");
        }
        assert!(!cannot_end_scheme(b"<mailt\no:x", 8));
    }

    #[test]
    fn shapes() {
        for good in [
            "urn:isbn:0395363411",
            "mailto:joe@a.example",
            "mailto:?subject=x",
            "news:comp.lang.c",
            "tel:+1-201-555-0123",
            "tel:911",
            "doi:10.1000/182",
            "doi:10.1000.10/1",
            "hdl:2027/x",
            "ark:/12345/x",
            "ark:12345/x",
            "isbn:0-395-36341-1",
            "issn:0259-000X",
            "magnet:?dn=x&xt=urn:btih:1",
            "tag:a.example,2001:x",
            "info:lccn/1",
            "sip:a@b",
            "xmpp:a.example",
            "cid:a@b",
            "geo:48.2,-16.3",
            "geo:-48,16",
            "mailto:joe@[10.0.0.1]",
            "mailto:joe@%41.example",
            "sip:[::1]",
            "sip:a.b",
            "did:web:x",
            "did:3:x",
            "pkg:npm/x",
            "swh:1:cnt:0",
            "mailto:joe@\u{e9}.example",
            "view-source:http://a/",
            "jdbc:mysql://h/d",
            "http://a",
            "file:///x",
            "redis://:pw@cache",
            "bitcoin:175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W",
            "news:1@b",
            "file:/x",
            "jar:file:/x.jar!/y",
            "jar:http://a.example/x.jar!/y",
            "blob:foo:/x",
        ] {
            assert!(counts(good), "{good}");
        }
        for bad in [
            "urn:x",
            "mailto:",
            "mailto:joe",
            "news:title",
            "tel:me",
            "doi:10./x",
            "doi:x",
            "isbn:12",
            "magnet:?dn=x",
            "tag:x",
            "INFO:a/b",
            "sip:note",
            "cid:12",
            "geo:here",
            "geo:x.1,2",
            "geo:1.x,2",
            "geo:1.,2",
            "geo:1,x",
            "geo:1",
            "geo:,1",
            "geo:1.2.3,4",
            "mailto:@a.example",
            "mailto:joe@/a",
            "mailto:?=x",
            "sip:@b",
            "sip:.b",
            "sip:b.",
            "did::y",
            "tag:a,200:x",
            "tag:,2001:x",
            "did:X:y",
            "did:web:",
            "pkg:x",
            "swh:2:x",
            "swh:1:",
            "jdbc:oracle:thin",
            "http://",
            "http:///x",
            "file:///",
            "http://::1/z",
            "note:see",
            "bitcoin:cash",
            "redis://:80/",
            "http://[::1]x/",
            "http://'a'/",
            "http://u@'a/",
            "default://a",
            "Default:///a",
            "file:/",
            "file:x",
            "jar:file:x",
            "jar:file:/",
            "jar:http://",
        ] {
            assert!(!counts(bad), "{bad}");
        }
    }
}
