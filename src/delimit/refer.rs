//! References that their format delimits (F1): strips and encodes them as the URL
//! Standard does, and decides whether the result is a URI, has to be resolved or is
//! dropped. The rules of wrappers, lists and trimming do not apply. Resolution is left
//! to `syntax::resolve`, the choice of the base to the engine.

use super::read::UnitReader;
use super::shape::{self, Authority};
use super::{Delimiter, InnerUris, is_valid, list, problems_of, start};
use crate::item::{Problem, Problems, Schemes};
use crate::syntax::class::{self, ALPHA, SCHEME, URI, is_boundary};
use crate::syntax::plain_url::{self, UsualUrl};
use crate::syntax::{Outlook, iri, pct, scheme};
use std::ops::Range;

/// Schemes of references that do not lead to another document.
const DROPPED: [&[u8]; 3] = [b"javascript", b"data", b"about"];

/// The special schemes of the URL Standard.
const SPECIAL: [&[u8]; 6] = [b"http", b"https", b"ws", b"wss", b"ftp", b"file"];

/// The bytes that no URI has.
static NOT_OF_URI: [bool; 256] = not_of_uri(0xFF);
/// Those of ASCII.
static ODD: [bool; 256] = not_of_uri(0x7F);

const fn not_of_uri(last: u8) -> [bool; 256] {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte <= last as usize {
        table[byte] = !URI.has(byte as u8);
        byte += 1;
    }
    table
}

/// A reference is either a URI or relative (RFC 3986 section 4.1).
///
/// ```
/// use urisieve::delimit::{Cleaning, Config, Delimiter, Referred};
/// use urisieve::item::Schemes;
/// let delimiter = Delimiter::new(Config::default());
/// let mut cleaning = Cleaning::default();
/// let referred = delimiter.reference(b" ../a b\n", Schemes::Any, &mut cleaning);
/// let relative = Referred::Relative { reference: b"../a%20b", original: b"../a b" };
/// assert_eq!(referred, Ok(relative));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Referred<'r> {
    /// A URI.
    Uri {
        /// The URI, in which blanks and other characters that are not allowed are
        /// percent-encoded.
        uri: &'r [u8],
        /// The URI as written, without the stripped characters.
        original: &'r [u8],
        /// The problems of the URI.
        problems: Problems,
    },
    /// A relative reference. Resolve it, and judge the result by [`Delimiter::resolved`].
    Relative {
        /// The reference, in which blanks and other characters that are not allowed are
        /// percent-encoded as UTF-8.
        reference: &'r [u8],
        /// The reference as written, without the stripped characters. In a document in
        /// another encoding than UTF-8 its query is percent-encoded in that encoding.
        original: &'r [u8],
    },
}

/// Why a reference is refused.
///
/// ```
/// use urisieve::delimit::{Cleaning, Config, Delimiter, Refusal};
/// use urisieve::item::Schemes;
/// let delimiter = Delimiter::new(Config::default());
/// let mut cleaning = Cleaning::default();
/// let mut refusal = |text| delimiter.reference(text, Schemes::Any, &mut cleaning).err();
/// assert_eq!(refusal(b"#top"), Some(Refusal::Dropped));
/// assert_eq!(refusal(b"http://"), Some(Refusal::Void));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Refusal {
    /// The reference does not lead to another document: it is empty or only a fragment,
    /// or its scheme is `javascript:`, `data:` or `about:`.
    Dropped,
    /// The reference is not a URI: it lacks a host (B8), its scheme is too short or too
    /// long (S1), or it is not valid by RFC 3986 (`--strict`).
    Void,
    /// The reference is longer than allowed (B7).
    TooLong,
    /// The value is not a single URI: scan it as text ([`Schemes::Known`]).
    Text,
}

/// Buffers for references that are not used as written. Reuse them for all references.
///
/// ```
/// use urisieve::delimit::{Cleaning, Config, Delimiter};
/// use urisieve::item::Schemes;
/// let delimiter = Delimiter::new(Config::default());
/// let mut cleaning = Cleaning::default();
/// for text in [&b"http://a.example/b c"[..], b"\turn:isbn:0395363411"] {
///     assert!(delimiter.reference(text, Schemes::Any, &mut cleaning).is_ok());
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cleaning {
    written: Vec<u8>,
    encoded: Vec<u8>,
    inner: InnerUris,
}

impl Delimiter {
    /// Judges a reference that its format delimits (F1).
    ///
    /// # Errors
    /// Returns why the reference is refused.
    ///
    /// ```
    /// use urisieve::delimit::{Cleaning, Config, Delimiter, Referred};
    /// use urisieve::item::Schemes;
    /// let delimiter = Delimiter::new(Config::default());
    /// let mut cleaning = Cleaning::default();
    /// let text = b"\n http://a.example/b c/\n d. ";
    /// let Ok(Referred::Uri { uri, original, problems }) =
    ///     delimiter.reference(text, Schemes::Any, &mut cleaning) else { unreachable!() };
    /// assert_eq!(uri, b"http://a.example/b%20c/%20d.");
    /// assert_eq!(original, b"http://a.example/b c/ d.");
    /// assert!(problems.is_empty());
    /// ```
    pub fn reference<'r>(
        &self,
        text: &'r [u8],
        schemes: Schemes,
        cleaning: &'r mut Cleaning,
    ) -> Result<Referred<'r>, Refusal> {
        let Cleaning {
            written,
            encoded,
            inner,
        } = cleaning;
        let usual = self.as_written(text, schemes, |at| Outlook::of(text, at));
        self.refer((text, schemes, usual), (written, encoded), inner)
    }

    /// Judges a reference of the form that [`as_written`](Delimiter::as_written) returned, and
    /// has the URIs inside one that is accepted in `inner`.
    ///
    /// # Errors
    /// Those of [`reference`](Delimiter::reference).
    pub(crate) fn reference_with_inner<'r>(
        &self,
        (text, schemes, usual): (&'r [u8], Schemes, Option<UsualUrl>),
        cleaning: &'r mut Cleaning,
        inner: &mut InnerUris,
    ) -> Result<Referred<'r>, Refusal> {
        let buffers = (&mut cleaning.written, &mut cleaning.encoded);
        self.refer((text, schemes, usual), buffers, inner)
    }

    #[inline]
    fn refer<'r>(
        &self,
        (text, schemes, usual): (&'r [u8], Schemes, Option<UsualUrl>),
        buffers: (&'r mut Vec<u8>, &'r mut Vec<u8>),
        inner: &mut InnerUris,
    ) -> Result<Referred<'r>, Refusal> {
        match usual {
            Some(_) => Ok(Referred::Uri {
                uri: text,
                original: text,
                problems: Problems::NONE,
            }),
            None => self.refer_other(text, schemes, buffers, inner),
        }
    }

    fn refer_other<'r>(
        &self,
        text: &'r [u8],
        schemes: Schemes,
        (written, buffer): (&'r mut Vec<u8>, &'r mut Vec<u8>),
        inner: &mut InnerUris,
    ) -> Result<Referred<'r>, Refusal> {
        let trimmed = trimmed(text);
        let is_text = match schemes {
            Schemes::Any => false,
            Schemes::Known => !self.accepts_whole(trimmed) || first_encoded(trimmed).is_some(),
            Schemes::Value => {
                !self.accepts_whole(trimmed) || is_divided(trimmed) || self.is_list(trimmed)
            }
        };
        if is_text {
            return Err(Refusal::Text);
        }
        let original = without_breaks(trimmed, written);
        let is_here = matches!(original.first(), None | Some(b'#'));
        if is_here && !self.config.all_references {
            return Err(Refusal::Dropped);
        }
        let scheme_len = scheme::prefix_len(original);
        let body = scheme_len.map_or(0, |len| len + 1);
        if scheme_len.is_some_and(|len| self.drops(&original[..len])) {
            return Err(Refusal::Dropped);
        }
        let is_odd = scheme_len.is_none() && has_scheme_of_wrong_length(original);
        if is_odd || has_torn_host(original, body) {
            return Err(Refusal::Void);
        }
        let encoded = encoded(original, buffer);
        match scheme_len {
            Some(len) if !self.is_relative(original, len) => Ok(Referred::Uri {
                uri: encoded,
                original,
                problems: self.judge(encoded, len, inner)?,
            }),
            _ => Ok(Referred::Relative {
                reference: encoded,
                original,
            }),
        }
    }

    /// Judges the URI to which a relative reference was resolved. Returns the URI, with
    /// blanks of the base percent-encoded, and its problems.
    ///
    /// # Errors
    /// Returns why the URI is refused.
    ///
    /// ```
    /// use urisieve::delimit::{Cleaning, Config, Delimiter, Refusal};
    /// use urisieve::item::Problems;
    /// let delimiter = Delimiter::new(Config::default().max_length(20));
    /// let mut cleaning = Cleaning::default();
    /// let uri = b"http://a.example/";
    /// assert_eq!(delimiter.resolved(uri, &mut cleaning), Ok((&uri[..], Problems::NONE)));
    /// let refused = delimiter.resolved(b"http://a.example/b/cd", &mut cleaning);
    /// assert_eq!(refused, Err(Refusal::TooLong));
    /// ```
    pub fn resolved<'r>(
        &self,
        uri: &'r [u8],
        cleaning: &'r mut Cleaning,
    ) -> Result<(&'r [u8], Problems), Refusal> {
        let Cleaning { encoded, inner, .. } = cleaning;
        match self.as_written(uri, Schemes::Any, |at| Outlook::of(uri, at)) {
            Some(_) => Ok((uri, Problems::NONE)),
            None => self.judge_resolved(uri, encoded, inner),
        }
    }

    /// Judges such a URI, which [`as_written`](Delimiter::as_written) does not accept, and has
    /// the URIs inside in `inner`.
    ///
    /// # Errors
    /// Those of [`resolved`](Delimiter::resolved).
    pub(crate) fn resolved_with_inner<'r>(
        &self,
        uri: &'r [u8],
        cleaning: &'r mut Cleaning,
        inner: &mut InnerUris,
    ) -> Result<(&'r [u8], Problems), Refusal> {
        self.judge_resolved(uri, &mut cleaning.encoded, inner)
    }

    fn judge_resolved<'r>(
        &self,
        uri: &'r [u8],
        buffer: &'r mut Vec<u8>,
        inner: &mut InnerUris,
    ) -> Result<(&'r [u8], Problems), Refusal> {
        let scheme_len = scheme::prefix_len(uri).ok_or(Refusal::Void)?;
        if has_torn_host(uri, scheme_len + 1) {
            return Err(Refusal::Void);
        }
        let uri = encoded(uri, buffer);
        Ok((uri, self.judge(uri, scheme_len, inner)?))
    }

    /// Returns the form of a usual URL that [`reference`](Delimiter::reference) accepts without a
    /// change or a problem, and without looking for URIs inside. `look` returns the outlook of
    /// `text` from an offset on.
    #[inline]
    pub(crate) fn as_written(
        &self,
        text: &[u8],
        schemes: Schemes,
        look: impl Fn(usize) -> Outlook,
    ) -> Option<UsualUrl> {
        if !self.takes_plain(text) {
            return None;
        }
        let is_list =
            |url: &UsualUrl| schemes == Schemes::Value && url.may_be_list && self.is_list(text);
        UsualUrl::of(text, look).filter(|url| !is_list(url))
    }

    /// Whether [`reference`](Delimiter::reference) accepts a text without a change as a relative
    /// reference that begins with a path or a query.
    #[inline]
    pub(crate) fn is_relative_as_written(text: &[u8], schemes: Schemes) -> bool {
        schemes == Schemes::Any && plain_url::is_relative(text)
    }

    /// Whether `url`, which is plain, is accepted as it is.
    #[inline]
    pub(crate) fn takes_plain(&self, url: &[u8]) -> bool {
        url.len() <= self.config.max_length && !self.config.nested
    }

    /// Returns whether references with this scheme are dropped.
    fn drops(&self, name: &[u8]) -> bool {
        DROPPED.iter().any(|known| name.eq_ignore_ascii_case(known))
            && !self.config.all_references
            && !self.config.opaque.admits(name)
    }

    /// Returns whether S2 or S3 accept the whole of `text` as one URI; text that only
    /// begins with a URI is not accepted, apart from characters that must be encoded.
    fn accepts_whole(&self, text: &[u8]) -> bool {
        let Some(len) = scheme::prefix_len(text) else {
            return false;
        };
        let is_urn = text[..len].eq_ignore_ascii_case(b"urn");
        let ends_urn = |&b: &u8| b >= 0x80 || matches!(b, b'[' | b']');
        start::scheme_in(text, len) == Some(0)
            && shape::check(text, len, &self.config.opaque).is_some()
            && !has_torn_host(text, len + 1)
            && !(is_urn && text.iter().any(ends_urn))
    }

    /// J3: returns whether a `,`, `;` or `|` in `text` stands directly before another URI (B9).
    fn is_list(&self, text: &[u8]) -> bool {
        let mut ends = memchr::memchr3_iter(b',', b';', b'|', text);
        ends.any(|at| {
            let mut reader = UnitReader::new(text);
            list::starts_candidate(&mut reader, at + 1, &self.config)
        })
    }

    /// Returns whether the URL Standard resolves `text`, which has a scheme, as a relative
    /// reference: its scheme is special, and `//` and a host do not follow.
    fn is_relative(&self, text: &[u8], scheme_len: usize) -> bool {
        let (name, rest) = (&text[..scheme_len], &text[scheme_len + 1..]);
        self.config.special_relative
            && SPECIAL.iter().any(|known| name.eq_ignore_ascii_case(known))
            && !matches!(rest, [b'/', b'/', next, ..] if !matches!(next, b'/' | b'?' | b'#' | b'\\'))
    }

    /// B8, B7, B6, `--strict`: returns the problems of a URI, or why it is refused. Has the URIs
    /// inside it in `inner`, if nested ones are reported (S6).
    fn judge(
        &self,
        uri: &[u8],
        scheme_len: usize,
        inner: &mut InnerUris,
    ) -> Result<Problems, Refusal> {
        let (name, rest) = (&uri[..scheme_len], &uri[scheme_len + 1..]);
        let verdict = match rest.strip_prefix(b"//") {
            Some(rest) => shape::authority(name, rest),
            None if scheme::find(name).is_some_and(|row| row.needs_host) => Authority::Void,
            None => Authority::Good(Problems::NONE),
        };
        if verdict == Authority::Void {
            return Err(Refusal::Void);
        }
        if uri.len() > self.config.max_length {
            return Err(Refusal::TooLong);
        }
        if self.config.strict && !is_valid(uri, false) {
            return Err(Refusal::Void);
        }
        let mut problems = problems_of(uri, verdict) | spelling_problems(uri, scheme_len + 1);
        self.find_inside(uri, inner);
        if inner.has_more() {
            problems |= Problem::NestedLimit;
        }
        Ok(problems)
    }
}

/// Returns `text` without controls and blanks at both ends ("basic URL parser", step 1).
fn trimmed(text: &[u8]) -> &[u8] {
    let is_inside = |&b: &u8| b > b' ';
    let from = text.iter().position(is_inside).unwrap_or(text.len());
    let to = text.iter().rposition(is_inside).map_or(from, |at| at + 1);
    &text[from..to]
}

/// Returns `text` without tabs and line breaks ("basic URL parser", step 3).
fn without_breaks<'r>(text: &'r [u8], buffer: &'r mut Vec<u8>) -> &'r [u8] {
    buffer.clear();
    let mut copied = 0;
    for at in memchr::memchr3_iter(b'\t', b'\n', b'\r', text) {
        buffer.extend_from_slice(&text[copied..at]);
        copied = at + 1;
    }
    if copied == 0 {
        return text;
    }
    buffer.extend_from_slice(&text[copied..]);
    buffer
}

/// Returns `text` with every blank, control, `<`, `>` and `"` percent-encoded.
fn encoded<'r>(text: &'r [u8], buffer: &'r mut Vec<u8>) -> &'r [u8] {
    buffer.clear();
    let mut copied = 0;
    for char in encoded_chars(text) {
        buffer.extend_from_slice(&text[copied..char.start]);
        for &byte in &text[char.clone()] {
            buffer.extend_from_slice(&pct::encoded(byte));
        }
        copied = char.end;
    }
    if copied == 0 {
        return text;
    }
    buffer.extend_from_slice(&text[copied..]);
    buffer
}

/// Returns the offset of the first character that must be percent-encoded.
fn first_encoded(text: &[u8]) -> Option<usize> {
    encoded_chars(text).next().map(|char| char.start)
}

/// Returns the ranges of the characters that must be percent-encoded.
fn encoded_chars(text: &[u8]) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let start = at + class::find(&text[at..], &NOT_OF_URI)?;
            let len = encoded_len(&text[start..]);
            at = start + len.max(1);
            if len > 0 {
                return Some(start..at);
            }
        }
    })
}

/// J3: returns whether a value of data has a blank, a control, `<`, `>` or a character that was
/// lost: it is text.
fn is_divided(text: &[u8]) -> bool {
    let divides = |(at, byte): (usize, &u8)| {
        let rest = &text[at..];
        !URI.has(*byte)
            && *byte != b'"'
            && (encoded_len(rest) > 0 || rest.starts_with("\u{FFFD}".as_bytes()))
    };
    text.iter().enumerate().any(divides)
}

/// Returns the length of the character at the start of `rest` if it must be
/// percent-encoded; otherwise 0. Blanks and controls above U+007F are the characters that
/// may not be inside a wrapper (B1).
fn encoded_len(rest: &[u8]) -> usize {
    match rest.first() {
        Some(0x80..) => match iri::decode(rest) {
            Some((c, len)) if !iri::is_wrapped(c) && c != char::REPLACEMENT_CHARACTER => len,
            _ => 0,
        },
        first => usize::from(first.is_some_and(|&byte| is_boundary(byte))),
    }
}

/// S1: returns whether `text` begins with one letter and a colon (`C:\x`), or with a
/// scheme that is too long. By RFC 3986 such a text is not a relative reference.
fn has_scheme_of_wrong_length(text: &[u8]) -> bool {
    let len = text.iter().take_while(|&&b| SCHEME.has(b)).count();
    len > 0 && ALPHA.has(text[0]) && text.get(len) == Some(&b':')
}

/// B2, B8: returns whether the authority at `body` has a host that is invalid as written:
/// with a blank or another character that the URL Standard refuses in hosts and encodes
/// elsewhere, with `{`, or with a bracket that does not belong to an IP literal.
fn has_torn_host(text: &[u8], body: usize) -> bool {
    let (_, host, _) = split_authority(text, body);
    let outside = match host.first() {
        Some(b'[') => memchr::memchr(b']', host).map_or(host, |end| &host[end + 1..]),
        _ => host,
    };
    has_bracket(outside) || host.contains(&b'{') || first_encoded(host).is_some()
}

fn has_bracket(text: &[u8]) -> bool {
    memchr::memchr2(b'[', b']', text).is_some()
}

/// Returns the userinfo of the authority at `body` with its `@`, the host and port, and
/// the text after the authority. Each part may be empty.
fn split_authority(text: &[u8], body: usize) -> (&[u8], &[u8], &[u8]) {
    let Some(rest) = text[body..].strip_prefix(b"//") else {
        return (b"", b"", &text[body..]);
    };
    let (authority, rest) = rest.split_at(shape::authority_end(text, body) - (body + 2));
    let (user, host) = authority.split_at(memchr::memrchr(b'@', authority).map_or(0, |at| at + 1));
    (user, host, rest)
}

/// B2: returns the problems of the bytes of an encoded reference; `body` is the offset
/// after the colon of its scheme.
fn spelling_problems(text: &[u8], body: usize) -> Problems {
    let mut problems = Problems::NONE;
    let (user, _, rest) = split_authority(text, body);
    if class::find(text, &ODD).is_some() || has_bracket(user) || has_open_bracket(rest) {
        problems |= Problem::BadChar;
    }
    if !text.is_ascii() && std::str::from_utf8(text).is_err() {
        problems |= Problem::BadUtf8;
    }
    problems
}

/// Returns whether a square bracket has no counterpart.
fn has_open_bracket(text: &[u8]) -> bool {
    let mut open = 0usize;
    for at in memchr::memchr2_iter(b'[', b']', text) {
        match text[at] {
            b'[' => open += 1,
            _ if open == 0 => return true,
            _ => open -= 1,
        }
    }
    open > 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::delimit::Config;

    /// Describes the result for a reference in words.
    fn described(config: Config, schemes: Schemes, text: &[u8]) -> String {
        let shown = |bytes| String::from_utf8_lossy(bytes).into_owned();
        let codes = |problems: Problems| -> String {
            problems.iter().map(|p| format!(" {}", p.code())).collect()
        };
        let mut cleaning = Cleaning::default();
        match Delimiter::new(config).reference(text, schemes, &mut cleaning) {
            Ok(Referred::Uri {
                uri,
                original,
                problems,
            }) => {
                let as_written = match uri == original {
                    true => String::new(),
                    false => format!(" for {}", shown(original)),
                };
                shown(uri) + &as_written + &codes(problems)
            }
            Ok(Referred::Relative { reference, .. }) => format!("relative {}", shown(reference)),
            Err(refusal) => format!("{refusal:?}").to_lowercase(),
        }
    }

    fn check(config: &Config, schemes: Schemes, cases: &[(&str, &str)]) {
        for (text, wanted) in cases {
            let described = described(config.clone(), schemes, text.as_bytes());
            assert_eq!(&described, wanted, "{text:?}");
        }
    }

    #[test]
    fn references_are_stripped_and_encoded() {
        let cases = [
            ("http://a.example/", "http://a.example/"),
            ("http://a.example/\u{c0}", "http://a.example/\u{c0}"),
            ("\u{1}\u{c} http://a.example/ \0", "http://a.example/"),
            ("h\nt\ttp:\r\n//a.exa\nmple/", "http://a.example/"),
            (
                "http://a.example/b c\u{c}<d>\"e\u{7f}",
                "http://a.example/b%20c%0C%3Cd%3E%22e%7F for http://a.example/b c\u{c}<d>\"e\u{7f}",
            ),
            (
                "http://a.example/é\u{a0}\u{3000}\u{85}\u{202e}\u{fffd}",
                "http://a.example/é%C2%A0%E3%80%80%C2%85%E2%80%AE\u{fffd} \
                 for http://a.example/é\u{a0}\u{3000}\u{85}\u{202e}\u{fffd}",
            ),
            ("../b\n/c d", "relative ../b/c%20d"),
            ("http://a.example/b).,'*", "http://a.example/b).,'*"),
            (
                "http://a.example/1,http://b.example/2;",
                "http://a.example/1,http://b.example/2;",
            ),
            ("<http://a.example/>", "relative %3Chttp://a.example/%3E"),
        ];
        check(&Config::default(), Schemes::Any, &cases);
        // Tabs and line breaks are also removed from the original.
        let described = described(Config::default(), Schemes::Any, b"urn:a-b:c\n d");
        assert_eq!(described, "urn:a-b:c%20d for urn:a-b:c d");
    }

    #[test]
    fn schemes_decide_what_a_reference_is() {
        let cases = [
            ("skype:", "skype:"),
            ("x.y+z-1:", "x.y+z-1:"),
            ("note: see", "note:%20see for note: see"),
            ("c:/x", "void"),
            (r"C:\x", "void"),
            ("1a:b", "relative 1a:b"),
            ("a/b:c", "relative a/b:c"),
            ("http:a", "void"),
            ("file:a", "file:a"),
            ("file:///a", "file:///a"),
            ("xhttp://a.example/", "xhttp://a.example/"),
            ("URL:http://a.example/", "URL:http://a.example/"),
            ("", "dropped"),
            (" \n", "dropped"),
            ("#", "dropped"),
            ("#a b", "dropped"),
            ("?#a", "relative ?#a"),
            ("javascript:void(0)", "dropped"),
            ("Java\nScript:a", "dropped"),
            ("DATA:,a", "dropped"),
            ("about:blank", "dropped"),
            ("aboutness:a", "aboutness:a"),
        ];
        check(&Config::default(), Schemes::Any, &cases);
        let long = format!("{}:a", "a".repeat(scheme::MAX_LEN));
        assert_eq!(
            described(Config::default(), Schemes::Any, long.as_bytes()),
            long
        );
        let longer = described(
            Config::default(),
            Schemes::Any,
            format!("a{long}").as_bytes(),
        );
        assert_eq!(longer, "void");
        let all = Config::default().all_references(true);
        let cases = [
            ("", "relative "),
            ("#a b", "relative #a%20b"),
            ("javascript:a", "javascript:a"),
            ("about:blank", "about:blank"),
        ];
        check(&all, Schemes::Any, &cases);
        for opaque in [
            Config::default().opaque(["Data"]),
            Config::default().opaque_all(true),
        ] {
            check(
                &opaque,
                Schemes::Any,
                &[("data:,a", "data:,a"), ("#a", "dropped")],
            );
        }
        let data = Config::default().opaque(["data"]);
        check(&data, Schemes::Any, &[("about:blank", "dropped")]);
    }

    #[test]
    fn hosts_ports_and_percents_are_judged() {
        let cases = [
            ("http://", "void"),
            ("http:///a", "void"),
            ("http://-/", "void"),
            ("http://:80/", "void"),
            ("http://%s/", "void"),
            ("http://'a/", "void"),
            ("http://a b/", "void"),
            ("http:// a.example/", "void"),
            ("http://a\u{3000}b/", "void"),
            ("http://a<b/", "void"),
            ("http://{a}/", "void"),
            ("http://a[.]example/", "void"),
            ("http://[::1/", "void"),
            ("http://[::1]a/", "void"),
            ("http://a@[::1]]/", "void"),
            ("//a b/c", "void"),
            ("//{a}", "void"),
            ("http://[::1]:80/", "http://[::1]:80/"),
            ("http://u@[::1]/", "http://u@[::1]/"),
            ("http://[a]@b/", "http://[a]@b/ bad-char"),
            ("http://a[{@b/", "http://a[{@b/ bad-char"),
            ("//[::1]/", "relative //[::1]/"),
            (
                "http://a b@c.example/",
                "http://a%20b@c.example/ for http://a b@c.example/",
            ),
            ("http://a%20b/", "http://a%20b/"),
            ("redis://:pw@cache", "redis://:pw@cache"),
            ("http://a.example:b/", "http://a.example:b/ bad-port"),
            (
                "http://a@b@c.example/",
                "http://a@b@c.example/ bad-userinfo",
            ),
            ("http://a.example/100%", "http://a.example/100% bad-percent"),
            (
                "http://a.example/% 1",
                "http://a.example/%%201 for http://a.example/% 1 bad-percent",
            ),
            (
                r"http://a.example/{b}|c\d^`",
                r"http://a.example/{b}|c\d^` bad-char",
            ),
            (
                "http://a.example/?b[]=c[d[e]]",
                "http://a.example/?b[]=c[d[e]]",
            ),
            ("http://a.example/b]", "http://a.example/b] bad-char"),
            ("http://a.example/[b", "http://a.example/[b bad-char"),
            ("a]", "relative a]"),
            ("sip:a@[::1]", "sip:a@[::1]"),
        ];
        check(&Config::default(), Schemes::Any, &cases);
        let utf8 = described(
            Config::default(),
            Schemes::Any,
            b"http://a.example/\xFF \xE9",
        );
        assert!(utf8.ends_with(" bad-utf8"), "{utf8}");
        let strict = [
            (
                "http://a.example/b c",
                "http://a.example/b%20c for http://a.example/b c",
            ),
            ("http://a.example/100%", "void"),
            ("http://a.example/{b}", "void"),
            ("http://a.example:b/", "void"),
            ("{b}", "relative {b}"),
        ];
        check(&Config::default().strict(true), Schemes::Any, &strict);
    }

    #[test]
    fn the_length_is_that_of_the_reported_uri() {
        let config = Config::default().max_length(20);
        let cases = [
            ("http://a.example/b/c", "http://a.example/b/c"),
            (" http://a.example/b/c\n", "http://a.example/b/c"),
            ("http://a.example/b/cd", "toolong"),
            ("http://a.example/b c", "toolong"),
            // References that are void or dropped have no length.
            ("http:///aaaaaaaaaaaaaaaaaaaaaaaaa", "void"),
            ("javascript:aaaaaaaaaaaaaaaaaaaaa", "dropped"),
            (
                "aaaaaaaaaaaaaaaaaaaaaaaaa",
                "relative aaaaaaaaaaaaaaaaaaaaaaaaa",
            ),
        ];
        check(&config, Schemes::Any, &cases);
    }

    #[test]
    fn values_that_are_not_a_single_uri_are_text() {
        let cases = [
            ("http://a.example/b.", "http://a.example/b."),
            (" http://a.example/ ", "http://a.example/"),
            ("foo://a", "foo://a"),
            ("http://a.example/{b}", "http://a.example/{b} bad-char"),
            ("urn:isbn:0395363411", "urn:isbn:0395363411"),
            ("mailto:joe@a.example", "mailto:joe@a.example"),
            ("http://a.example/ is a site", "text"),
            ("http://a.example/\nhttp://b.example/", "text"),
            ("http://a.example/\u{3000}b", "text"),
            ("<http://a.example/>", "text"),
            ("http://a.example/<b>", "text"),
            ("xhttp://a.example/", "text"),
            ("URL:http://a.example/", "text"),
            ("http://", "text"),
            ("http://a[.]example/", "text"),
            ("urn:isbn:é", "text"),
            ("urn:isbn:a[b]", "text"),
            ("title:a", "text"),
            ("cid:12", "text"),
            ("javascript:a", "text"),
            ("../a", "text"),
            ("#a", "text"),
            ("", "text"),
        ];
        check(&Config::default(), Schemes::Known, &cases);
        let data = Config::default().opaque(["data"]);
        check(
            &data,
            Schemes::Known,
            &[("data:,a", "data:,a"), ("data:a b", "text")],
        );
        let strict = Config::default().strict(true);
        check(&strict, Schemes::Known, &[("http://a.example/{b}", "void")]);
    }

    #[test]
    fn special_schemes_may_be_relative() {
        let config = Config::default().special_relative(true);
        let cases = [
            ("http:a", "relative http:a"),
            ("HTTPS:/a", "relative HTTPS:/a"),
            (r"http:\\h\p", r"relative http:\\h\p"),
            ("ws:///h", "relative ws:///h"),
            ("http://", "relative http://"),
            ("http:?a]", "relative http:?a]"),
            ("http://h", "http://h"),
            ("urn:a-b:c", "urn:a-b:c"),
        ];
        check(&config, Schemes::Any, &cases);
    }

    #[test]
    fn resolved_uris_are_judged_like_written_ones() {
        let judged = |config: Config, uri: &[u8]| {
            let mut cleaning = Cleaning::default();
            let judged = Delimiter::new(config).resolved(uri, &mut cleaning);
            judged.map(|(uri, problems)| (String::from_utf8_lossy(uri).into_owned(), problems))
        };
        let plain = Config::default;
        let good = |uri: &str, problems| Ok((uri.to_owned(), problems));
        assert_eq!(
            judged(plain(), b"http://a.example/b c/d"),
            good("http://a.example/b%20c/d", Problems::NONE)
        );
        let bad = Problems::from(Problem::BadPort) | Problem::BadPercent.into();
        assert_eq!(judged(plain(), b"foo://a:b/%"), good("foo://a:b/%", bad));
        for void in ["c:/x", "#a", "http://a b/", "http://{a}/", "http:a"] {
            assert_eq!(
                judged(plain(), void.as_bytes()),
                Err(Refusal::Void),
                "{void}"
            );
        }
        let strict = plain().strict(true);
        assert_eq!(judged(strict, b"http://a/{b}"), Err(Refusal::Void));
        let short = plain().max_length(10);
        assert_eq!(judged(short, b"http://a/bcd"), Err(Refusal::TooLong));
    }

    /// `catalog` does not judge a value without a colon.
    #[test]
    fn each_uri_has_a_colon() {
        let pieces = [
            "http", "//", "www.", "a.b", "urn", "/", "%3A", "\t", "doi", "10.1/2", "&#58;",
            "\u{FF1A}",
        ];
        let delimiter = Delimiter::new(Config::default());
        let mut cleaning = Cleaning::default();
        for (a, b) in pieces
            .iter()
            .flat_map(|a| pieces.iter().map(move |b| (a, b)))
        {
            for c in pieces {
                let text = format!("{a}{b}{c}");
                for schemes in [Schemes::Any, Schemes::Known, Schemes::Value] {
                    let found = delimiter.reference(text.as_bytes(), schemes, &mut cleaning);
                    assert!(!matches!(found, Ok(Referred::Uri { .. })), "{text}");
                }
            }
        }
    }

    /// Returns settings that change how references are judged.
    fn configs(max_length: usize) -> [Config; 6] {
        let config = Config::default;
        [
            config(),
            config().strict(true),
            config().max_length(max_length),
            config().nested(true),
            config().all_references(true),
            config().special_relative(true),
        ]
    }

    /// The rules do not change relative references that are taken as they are written.
    #[test]
    fn plain_relative_references_are_judged_as_by_the_rules() {
        let pieces = [
            "", "a", "b.c", "..", ".", "/", "//", "?", "#", "%41", "%", ":", ":80", "@", "[", "{",
            "'", "\"", "<", " ", "\t", "\u{e9}", "http", "urn", "C", "|", "\\", ";", "&amp;", "~",
        ];
        let delimiters = configs(3).map(Delimiter::new);
        let (mut cleaning, mut plain) = (Cleaning::default(), 0);
        let each = || pieces.iter();
        let pairs = each().flat_map(|a| each().map(move |b| (a, b)));
        for ((a, b), c) in pairs.flat_map(|pair| each().map(move |c| (pair, c))) {
            let text = format!("{a}{b}{c}");
            let text = text.as_bytes();
            for schemes in [Schemes::Any, Schemes::Known, Schemes::Value] {
                if !Delimiter::is_relative_as_written(text, schemes) {
                    continue;
                }
                plain += 1;
                for delimiter in &delimiters {
                    let wanted = Ok(Referred::Relative {
                        reference: text,
                        original: text,
                    });
                    let found = delimiter.reference(text, schemes, &mut cleaning);
                    assert_eq!(found, wanted, "{}", text.escape_ascii());
                }
            }
        }
        assert!(plain > 1000, "{plain}");
    }

    /// The rules do not change usual URLs.
    #[test]
    fn usual_urls_are_judged_as_by_the_rules() {
        let pieces = [
            "http",
            "https",
            "HTTP",
            "://",
            ":/",
            "a",
            "a.b",
            "1",
            "-",
            "..",
            ".",
            "/",
            "?",
            "#",
            "%41",
            "%4f",
            "%",
            ",",
            ":80",
            "@",
            "[",
            "]",
            "{",
            "'",
            "(",
            ")",
            "A",
            "\u{e9}",
            " ",
            "&",
            "=",
            "http://c/",
            ":",
        ];
        let configs = configs(12);
        let mut usual = 0;
        for a in ["http://", "https://", "http:/", "Http://"] {
            for (b, c, d) in pieces.iter().flat_map(|b| {
                let pairs = pieces
                    .iter()
                    .flat_map(|c| pieces.iter().map(move |d| (c, d)));
                pairs.map(move |(c, d)| (b, c, d))
            }) {
                let text = format!("{a}{b}{c}{d}");
                let text = text.as_bytes();
                for config in &configs {
                    let delimiter = Delimiter::new(config.clone());
                    for schemes in [Schemes::Any, Schemes::Known, Schemes::Value] {
                        let look = |at| Outlook::of(text, at);
                        if delimiter.as_written(text, schemes, look).is_none() {
                            continue;
                        }
                        usual += 1;
                        let (mut written, mut encoded) = (Vec::new(), Vec::new());
                        let buffers = (&mut written, &mut encoded);
                        let inner = &mut InnerUris::default();
                        let wanted = Ok(Referred::Uri {
                            uri: text,
                            original: text,
                            problems: Problems::NONE,
                        });
                        let found = delimiter.refer_other(text, schemes, buffers, inner);
                        assert_eq!(found, wanted, "{}", text.escape_ascii());
                    }
                }
            }
        }
        assert!(usual > 1000, "{usual}");
    }
}
