//! References that their format delimits (F1): attributes, headers, JSON strings,
//! fields of catalogues. Where they stand and which base they have is left to the
//! caller, and so is what the URL Standard makes of `http:x` in markup.

use super::resolve::{Parts, parse, resolve};
use super::wrapped::is_balanced;
use super::{Options, check, grammar};
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
    /// The bytes between its delimiters, escapes of the format undone.
    pub text: &'t [u8],
    /// Every scheme by S1 counts, and relative references do: a URL attribute, a
    /// header, a URI subfield. Else S2 or S3 must accept the text whole.
    pub any_scheme: bool,
    /// What relative references are resolved against.
    pub base: Option<&'t [u8]>,
    /// `javascript:`, `data:`, `about:`, fragments and empty references are kept.
    pub all: bool,
}

impl Default for Reference<'_> {
    fn default() -> Self {
        Reference {
            text: b"",
            any_scheme: true,
            base: None,
            all: false,
        }
    }
}

/// What a reference stands for.
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
        /// The URI, not canonical: what F1 asks for is percent-encoded.
        uri: Vec<u8>,
        /// What is wrong with it all the same.
        problems: Problems,
    },
    /// It is no reference: text to be searched.
    Text,
    /// It is of a kind that is left out; no loss.
    Dropped,
    /// It is relative, and there is no base that it can be resolved against; no loss.
    WithoutBase,
    /// It has no host that counts (B8), or a scheme of a wrong length (S1).
    Void,
    /// It is longer than is reported (B7).
    TooLong,
    /// It is no URI by RFC 3986, and only these are asked for (B6).
    Rejected,
}

/// F1: what `reference` stands for.
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
    let text = encode(stripped);
    let parts = parse(&text);
    if !reference.any_scheme && !is_accepted_whole(stripped, &parts, options) {
        return Referral::Text;
    }
    if !reference.all && is_left_out(&parts, options) {
        return Referral::Dropped;
    }
    let uri = if parts.scheme.is_some() {
        text.clone()
    } else {
        let base = encode(strip(reference.base.unwrap_or_default()));
        let base = parse(&base);
        if !is_base_of(&base, &parts) {
            return Referral::WithoutBase;
        }
        resolve(&base, &parts)
    };
    let Some(problems) = judge(&uri) else {
        return Referral::Void;
    };
    if stripped.len() > options.max_length {
        Referral::TooLong
    } else if options.strict && !grammar::is_uri(&uri) {
        Referral::Rejected
    } else {
        Referral::Uri { uri, problems }
    }
}

/// URL Standard, basic URL parser, step 1: without leading and trailing C0 controls
/// and spaces.
fn strip(text: &[u8]) -> &[u8] {
    let kept = |b: &u8| *b > b' ';
    let start = text.iter().position(kept).unwrap_or(text.len());
    let end = text.iter().rposition(kept).map_or(start, |at| at + 1);
    &text[start..end]
}

/// The rest of it: tabs, LF and CR are removed (step 3); blanks, controls, `<`, `>`
/// and `"` become `%XX`.
fn encode(text: &[u8]) -> Vec<u8> {
    let mut encoded = Vec::new();
    for &byte in text {
        match byte {
            b'\t' | b'\n' | b'\r' => {}
            0..=b' ' | 0x7F | b'<' | b'>' | b'"' => {
                encoded.extend_from_slice(format!("%{byte:02X}").as_bytes());
            }
            _ => encoded.push(byte),
        }
    }
    encoded
}

/// Whether S2 or S3 accept `text` whole: it is a URI with an authority or of an
/// opaque scheme that counts, and every character of it may stand in a wrapper (B1,
/// B2).
fn is_accepted_whole(text: &[u8], parts: &Parts, options: &Options) -> bool {
    let belongs = |c: char| match c {
        '\0'..=' ' | '\x7F' | '<' | '>' | '"' | '`' | '{' | '}' | '|' | '\\' | '^' => false,
        c => c.is_ascii() || iri::is_wrapped(c),
    };
    let Ok(characters) = std::str::from_utf8(text) else {
        return false;
    };
    let Some(scheme) = parts.scheme.filter(|scheme| is_s1(scheme)) else {
        return false;
    };
    let ends_urn = |b: &u8| matches!(b, b'[' | b']' | 0x80..);
    let goes_on = !(scheme.eq_ignore_ascii_case(b"urn") && text.iter().any(ends_urn)); // S3
    characters.chars().all(belongs)
        && goes_on
        && is_balanced(text)
        && has_brackets_of_literals(parts)
        && check::check(text, scheme.len(), options).is_some()
}

/// S1: whether a scheme counts.
fn is_s1(scheme: &[u8]) -> bool {
    (2..=grammar::SCHEME_MAX).contains(&scheme.len())
}

/// Whether it is empty, a fragment, or of a scheme that is left out and not added
/// by `--opaque`.
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
/// fragment any URI will do.
fn is_base_of(base: &Parts, relative: &Parts) -> bool {
    let has_hierarchy = base.authority.is_some() || base.path.starts_with(b"/");
    let is_fragment =
        relative.authority.is_none() && relative.path.is_empty() && relative.query.is_none();
    base.scheme.is_some_and(is_s1) && (has_hierarchy || is_fragment)
}

/// S1, B2, B6, B8: what is wrong with a URI that is reported all the same; `None`
/// when it is not.
fn judge(uri: &[u8]) -> Option<Problems> {
    let parts = parse(uri);
    let scheme = parts.scheme.filter(|scheme| is_s1(scheme))?;
    let mut problems = check::percent(uri);
    if let Some(authority) = parts.authority {
        let rest = &uri[scheme.len() + 3..];
        let host = check::authority(rest, check::needs_host(scheme))?;
        problems |= host.problems;
        let lower = authority.to_ascii_lowercase();
        let stands = |mark: &str| lower.windows(mark.len()).any(|w| w == mark.as_bytes());
        if ["{", "[.]", "[dot]", "[:]"].into_iter().any(stands) {
            return None; // B2
        }
    }
    let others = |&b: &u8| b"`{}|\\^".contains(&b);
    if uri.iter().any(others) || !is_balanced(uri) || !has_brackets_of_literals(&parts) {
        problems |= Problem::BadChar;
    }
    if std::str::from_utf8(uri).is_err() {
        problems |= Problem::BadUtf8;
    }
    Some(problems)
}

/// B2: whether square brackets stand in the authority as those of an IP literal
/// alone.
fn has_brackets_of_literals(parts: &Parts) -> bool {
    let authority = parts.authority.unwrap_or_default();
    let host = match authority.iter().rposition(|&b| b == b'@') {
        Some(at) => &authority[at + 1..],
        None => authority,
    };
    let literal = usize::from(host.starts_with(b"["));
    let count = |bracket: u8| authority.iter().filter(|&&b| b == bracket).count();
    count(b'[') == literal && count(b']') == literal
}
