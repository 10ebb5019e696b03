//! References that their format delimits (F1): attributes, headers, JSON strings,
//! fields of catalogues. Their positions, their base and the URL Standard's reading of
//! `http:x` in markup are left to the caller.

use super::resolve::{Parts, parse, resolve};
use super::wrapped::is_balanced;
use super::{Options, check, grammar, start};
use crate::item::{Problem, Problems};
use crate::syntax::iri;

/// A reference as its format delimits it.
///
/// ```
/// use urisieve::reference::{Options, Reference, Referral, refer};
/// let reference = Reference {
///     text: b" ../b c\n.html ",
///     base: Some(b"http://a.example/x/y"),
///     ..Reference::default()
/// };
/// let Referral::Uri { uri, .. } = refer(&reference, &Options::default()) else { panic!() };
/// assert_eq!(uri, b"http://a.example/b%20c.html");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reference<'t> {
    /// The bytes between its delimiters, with the escapes of the format decoded.
    pub text: &'t [u8],
    /// Whether every scheme by S1 is accepted, and relative references are: a URL
    /// attribute, a header, a URI subfield. Otherwise S2 or S3 must accept the whole
    /// text.
    pub any_scheme: bool,
    /// Whether it is a value of data (J3): a quotation mark may be inside, a list of URIs and
    /// what has U+FFFD are text. Only where not every scheme is accepted.
    pub is_data: bool,
    /// The base of relative references, unchanged.
    pub base: Option<&'t [u8]>,
    /// Whether `javascript:`, `data:`, `about:`, fragments and empty references are
    /// kept.
    pub all: bool,
}

impl Default for Reference<'_> {
    fn default() -> Self {
        Reference {
            text: b"",
            any_scheme: true,
            is_data: false,
            base: None,
            all: false,
        }
    }
}

/// The result for a reference.
///
/// ```
/// use urisieve::reference::{Options, Reference, Referral, refer};
/// let text = Reference { text: b"see http://a.example/", any_scheme: false, ..Reference::default() };
/// assert_eq!(refer(&text, &Options::default()), Referral::Text);
/// let script = Reference { text: b"javascript:void(0)", ..Reference::default() };
/// assert_eq!(refer(&script, &Options::default()), Referral::Dropped);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Referral {
    /// A URI.
    Uri {
        /// The URI, not canonical, percent-encoded as F1 requires.
        uri: Vec<u8>,
        /// The problems of the URI.
        problems: Problems,
    },
    /// The value is not a reference but text that is searched.
    Text,
    /// The kind is omitted, which is not a loss.
    Dropped,
    /// The reference is relative without a usable base, which is not a loss.
    WithoutBase,
    /// The reference has no valid host (B8), a scheme of a wrong length (S1), or is not
    /// a URI by RFC 3986 when only such URIs are reported (B6).
    Void,
    /// The reference is longer than allowed (B7).
    TooLong,
}

/// F1: returns the target of `reference`.
///
/// ```
/// use urisieve::item::Problem;
/// use urisieve::reference::{Options, Reference, Referral, refer};
/// let reference = Reference { text: b"http://a.example:o/{x}", ..Reference::default() };
/// let Referral::Uri { uri, problems } = refer(&reference, &Options::default()) else { panic!() };
/// assert_eq!(uri, b"http://a.example:o/{x}");
/// assert!(problems.iter().eq([Problem::BadChar, Problem::BadPort]));
/// ```
pub fn refer(reference: &Reference, options: &Options) -> Referral {
    let stripped = strip(reference.text);
    if !reference.any_scheme && !is_accepted_whole(stripped, options) {
        return Referral::Text;
    }
    let is_one = match reference.any_scheme || reference.is_data {
        true => !reference.is_data || is_one_value(stripped, options),
        false => encode(stripped) == stripped,
    };
    if !is_one {
        return Referral::Text;
    }
    let written = without_breaks(stripped);
    let parts = parse(&written);
    if !reference.all && is_left_out(&parts, options) {
        return Referral::Dropped;
    }
    if has_torn_host(&parts) || parts.scheme.is_some_and(|scheme| !is_s1(scheme)) {
        return Referral::Void;
    }
    let uri = if parts.scheme.is_some() {
        encode(&written)
    } else {
        let text = encode(&written);
        let relative = parse(&text);
        let base = parse(reference.base.unwrap_or_default());
        if !is_base_of(&base, &relative) {
            return Referral::WithoutBase;
        }
        let resolved = resolve(&base, &relative);
        if has_torn_host(&parse(&resolved)) {
            return Referral::Void;
        }
        encode(&resolved)
    };
    let Some(problems) = judge(&uri) else {
        return Referral::Void;
    };
    if uri.len() > options.max_length {
        Referral::TooLong
    } else if options.strict && !grammar::is_uri(&uri) {
        Referral::Void
    } else {
        Referral::Uri { uri, problems }
    }
}

/// URL Standard, basic URL parser, step 1: removes leading and trailing C0 controls and
/// spaces.
fn strip(text: &[u8]) -> &[u8] {
    let kept = |b: &u8| *b > b' ';
    let start = text.iter().position(kept).unwrap_or(text.len());
    let end = text.iter().rposition(kept).map_or(start, |at| at + 1);
    &text[start..end]
}

/// Step 3: removes tabs, LF and CR.
fn without_breaks(text: &[u8]) -> Vec<u8> {
    let kept = |b: &&u8| !b"\t\n\r".contains(b);
    text.iter().filter(kept).copied().collect()
}

/// Blanks, controls, `<`, `>` and `"` become `%XX`, also above U+007F.
fn encode(text: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let (c, len) = grammar::first_char(&text[at..]).unwrap_or((char::REPLACEMENT_CHARACTER, 1));
        for &byte in &text[at..at + len] {
            if is_encoded(c) {
                encoded.extend_from_slice(format!("%{byte:02X}").as_bytes());
            } else {
                encoded.push(byte);
            }
        }
        at += len;
    }
    encoded
}

/// Whether a character is percent-encoded: one that is not allowed in a URI inside a
/// wrapper (B1), except for U+FFFD, and of the ASCII characters of B2 not those which
/// are only a problem.
fn is_encoded(c: char) -> bool {
    match c {
        '\0'..=' ' | '\x7F' | '<' | '>' | '"' => true,
        char::REPLACEMENT_CHARACTER => false,
        c => !c.is_ascii() && !iri::is_wrapped(c),
    }
}

/// Whether S2 or S3 accept the whole `text`: it is a URI with an authority or of an
/// accepted opaque scheme.
fn is_accepted_whole(text: &[u8], options: &Options) -> bool {
    let parts = parse(text);
    let Some(scheme) = parts.scheme.filter(|scheme| is_s1(scheme)) else {
        return false;
    };
    let is_urn = scheme.eq_ignore_ascii_case(b"urn");
    let ends_urn = |b: &u8| matches!(b, b'[' | b']' | 0x80..);
    start::scheme_start(text, scheme.len()) == Some(0) // S4
        && check::check(text, scheme.len(), options).is_some()
        && !(is_urn && text.iter().any(ends_urn)) // S3
        && !has_torn_host(&parts)
}

/// J3: whether a value of data is one URI: no character in it must be encoded but quotation marks,
/// none was lost, and no other URI begins after a separator (B9).
fn is_one_value(text: &[u8], options: &Options) -> bool {
    let unquoted: Vec<u8> = text.iter().copied().filter(|&byte| byte != b'"').collect();
    let starts = start::Starts::default();
    let is_followed = |(at, byte): (usize, &u8)| {
        matches!(byte, b',' | b';' | b'|') && starts.at(text, at + 1, options)
    };
    encode(&unquoted) == unquoted
        && !text.windows(3).any(|bytes| bytes == "\u{FFFD}".as_bytes())
        && !text.iter().enumerate().any(is_followed)
}

/// S1: whether a scheme is accepted.
fn is_s1(scheme: &[u8]) -> bool {
    (2..=grammar::SCHEME_MAX).contains(&scheme.len())
}

/// Whether the reference is empty, a fragment, or of a scheme that is omitted unless
/// `--opaque` adds it.
fn is_left_out(parts: &Parts, options: &Options) -> bool {
    match parts.scheme {
        Some(scheme) => {
            let left_out = [&b"javascript"[..], b"data", b"about"];
            left_out
                .iter()
                .any(|name| scheme.eq_ignore_ascii_case(name))
                && !check::is_added(scheme, options)
        }
        None => parts.authority.is_none() && parts.path.is_empty() && parts.query.is_none(),
    }
}

/// Whether `relative` can be resolved against `base`: a URI with a hierarchy; for a
/// fragment any URI.
fn is_base_of(base: &Parts, relative: &Parts) -> bool {
    let has_hierarchy = base.authority.is_some() || base.path.starts_with(b"/");
    let is_fragment =
        relative.authority.is_none() && relative.path.is_empty() && relative.query.is_none();
    base.scheme.is_some_and(is_s1) && (has_hierarchy || is_fragment)
}

/// Returns the user of an authority, and its host and port.
fn user_and_host<'t>(parts: &Parts<'t>) -> (&'t [u8], &'t [u8]) {
    let authority = parts.authority.unwrap_or_default();
    match authority.iter().rposition(|&b| b == b'@') {
        Some(at) => (&authority[..at], &authority[at + 1..]),
        None => (b"", authority),
    }
}

fn is_bracket(b: &u8) -> bool {
    b"[]".contains(b)
}

/// B2, B8: whether the host contains a character that would be encoded, `{`, or a
/// square bracket outside of an IP literal.
fn has_torn_host(parts: &Parts) -> bool {
    let (_, host) = user_and_host(parts);
    let end = host.iter().position(|&b| b == b']');
    let after_literal = match end.filter(|_| host.starts_with(b"[")) {
        Some(end) => &host[end + 1..],
        None => host,
    };
    encode(host) != host || host.contains(&b'{') || after_literal.iter().any(is_bracket)
}

/// S1, S2, B2, B6, B8: returns the problems of a URI; `None` when it is not reported.
fn judge(uri: &[u8]) -> Option<Problems> {
    let parts = parse(uri);
    let scheme = parts.scheme.filter(|scheme| is_s1(scheme))?;
    let mut problems = check::percent(uri);
    if parts.authority.is_some() {
        if check::is_label(scheme) {
            return None;
        }
        let rest = &uri[scheme.len() + 3..];
        problems |= check::authority(rest, check::needs_host(scheme))?.problems;
    } else if check::needs_host(scheme) {
        return None;
    }
    let others = |&b: &u8| b"`{}|\\^".contains(&b);
    let (user, _) = user_and_host(&parts);
    if uri.iter().any(others) || user.iter().any(is_bracket) || !is_balanced(uri) {
        problems |= Problem::BadChar;
    }
    if std::str::from_utf8(uri).is_err() {
        problems |= Problem::BadUtf8;
    }
    Some(problems)
}
