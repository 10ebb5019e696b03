//! The readings of a URN by each document: the strings that are URNs, their ends in a
//! text, and the part that counts for equivalence, by the words of that document.
//!
//! The documents of 1997 and 2010 say that a URN ends before the first excluded
//! character. The later ones do not, so a wrong byte in their NSS makes the whole
//! string invalid; text after the first `?` or `#` that fits no component is not part
//! of the URN.

use super::super::{Violation, class, pct};
use super::Document;
use super::assigned_name::{NID_MAX, is_nss_byte, run, strip_urn};
use std::fmt::{self, Write as _};
use std::ops::Range;

/// The parts of a URN as byte ranges, and its key for equivalence.
///
/// ```text
/// urn:example:weather?+CCResolve:cc=uk?=op=map#now
///     |     | |     |  |             |  |    | |
///     `-----' `-----'  `-------------'  `----' `-- f-component
///        |       |            |            `------ q-component
///        |       |            `------------------- r-component
///        |       `-------------------------------- NSS
///        `---------------------------------------- NID
/// ```
///
/// ```
/// use urisieve::syntax::urn::{self, Document, Reading};
/// let uri = b"urn:example:a?+r?=q#f";
/// let Reading::Valid(name) = urn::read(Document::Rfc8141, uri) else { panic!() };
/// assert_eq!(&uri[name.nid()], b"example");
/// assert_eq!(&uri[name.nss()], b"a");
/// assert_eq!(name.r_component().map(|r| &uri[r]), Some(&b"r"[..]));
/// assert_eq!(name.q_component().map(|q| &uri[q]), Some(&b"q"[..]));
/// assert_eq!(name.f_component().map(|f| &uri[f]), Some(&b"f"[..]));
/// assert_eq!(name.key().to_string(), "urn:example:a");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name<'u> {
    uri: &'u [u8],
    nid_end: usize,
    nss_end: usize,
    r: Option<Range<usize>>,
    q: Option<Range<usize>>,
    f: Option<Range<usize>>,
    end: usize,
    key_end: usize,
}

impl<'u> Name<'u> {
    /// Returns the NID, without its colons.
    ///
    /// ```
    /// use urisieve::syntax::urn::{self, Document, Reading};
    /// let Reading::Valid(name) = urn::read(Document::Rfc8141, b"urn:ab:c") else { panic!() };
    /// assert_eq!(name.nid(), 4..6);
    /// ```
    pub fn nid(&self) -> Range<usize> {
        4..self.nid_end
    }

    /// Returns the NSS. By RFC 2141 it extends to the end: `/`, `?` and `#` are
    /// reserved but part of its grammar.
    ///
    /// ```
    /// use urisieve::syntax::urn::{self, Document, Reading};
    /// let Reading::Valid(name) = urn::read(Document::Rfc2141, b"urn:ab:c?d") else { panic!() };
    /// assert_eq!(name.nss(), 7..10);
    /// ```
    pub fn nss(&self) -> Range<usize> {
        self.nid_end + 1..self.nss_end
    }

    /// Returns the r-component: after `?+` (RFC 8141) or `??` (2015 draft).
    ///
    /// ```
    /// use urisieve::syntax::urn::{self, Document, Reading};
    /// let Reading::Valid(name) = urn::read(Document::Draft2015, b"urn:ab:c??r") else { panic!() };
    /// assert_eq!(name.r_component(), Some(10..11));
    /// ```
    pub fn r_component(&self) -> Option<Range<usize>> {
        self.r.clone()
    }

    /// Returns the q-component: after `?=` (RFC 8141) or `?` (2015 draft); the `query`
    /// of the 2010 draft.
    ///
    /// ```
    /// use urisieve::syntax::urn::{self, Document, Reading};
    /// let Reading::Valid(name) = urn::read(Document::Draft2010, b"urn:ab:c?q") else { panic!() };
    /// assert_eq!(name.q_component(), Some(9..10));
    /// ```
    pub fn q_component(&self) -> Option<Range<usize>> {
        self.q.clone()
    }

    /// Returns the f-component after `#`; the `fragment` of the 2010 draft. The
    /// component may be empty.
    ///
    /// ```
    /// use urisieve::syntax::urn::{self, Document, Reading};
    /// let Reading::Valid(name) = urn::read(Document::Rfc8141, b"urn:ab:c#") else { panic!() };
    /// assert_eq!(name.f_component(), Some(9..9));
    /// ```
    pub fn f_component(&self) -> Option<Range<usize>> {
        self.f.clone()
    }

    /// Returns the end of the URN, as a byte offset.
    ///
    /// ```
    /// use urisieve::syntax::urn::{self, Document, Reading};
    /// let reading = urn::read(Document::Rfc8141, b"urn:ab:c?d");
    /// assert!(matches!(reading, Reading::EndsBefore(name) if name.end() == 8));
    /// ```
    pub fn end(&self) -> usize {
        self.end
    }

    /// Returns the key, which is the same for URNs that the document calls lexically
    /// equivalent: the whole URN (RFC 2141 section 5, 2010 draft section 5), or the
    /// assigned-name (2015 draft section 4.1, RFC 8141 section 3.1).
    ///
    /// ```
    /// use urisieve::syntax::urn::{self, Document, Reading};
    /// let Reading::Valid(name) = urn::read(Document::Draft2010, b"URN:AB:c%2f?q") else { panic!() };
    /// assert_eq!(name.key().to_string(), "urn:ab:c%2F?q");
    /// ```
    pub fn key(&self) -> UrnKey<'u> {
        UrnKey {
            text: &self.uri[..self.key_end],
            nid_end: self.nid_end,
        }
    }
}

/// The key of a URN: `urn` and the NID in lower case, the digits of `%XX` in upper
/// case. The key is displayed as ASCII.
///
/// ```
/// use urisieve::syntax::urn::{self, Document, Reading};
/// let Reading::Valid(name) = urn::read(Document::Rfc8141, b"URN:A-B:C%2c#f") else { panic!() };
/// assert_eq!(name.key().bytes().collect::<Vec<u8>>(), b"urn:a-b:C%2C");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UrnKey<'u> {
    text: &'u [u8],
    nid_end: usize,
}

impl<'u> UrnKey<'u> {
    /// Returns the bytes of the key.
    ///
    /// ```
    /// use urisieve::syntax::urn::{self, Document, Reading};
    /// let Reading::Valid(name) = urn::read(Document::Rfc8141, b"URN:ab:C") else { panic!() };
    /// assert!(name.key().bytes().eq(*b"urn:ab:C"));
    /// ```
    pub fn bytes(self) -> impl Iterator<Item = u8> + 'u {
        let UrnKey { text, nid_end } = self;
        text.iter().enumerate().map(move |(at, &byte)| {
            let digit = |back: usize| at >= back && pct::is_encoded(text, at - back);
            if at < nid_end {
                byte.to_ascii_lowercase()
            } else if digit(1) || digit(2) {
                byte.to_ascii_uppercase()
            } else {
                byte
            }
        })
    }
}

impl fmt::Display for UrnKey<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        self.bytes().try_for_each(|byte| f.write_char(byte as char))
    }
}

/// The result of reading a string by a document.
///
/// ```
/// use urisieve::syntax::urn::{self, Document};
/// let uri = b"urn:example:a~b";
/// let reading = |document| urn::read(document, uri).to_string();
/// assert_eq!(reading(Document::Draft2010), "ends-before ~ key=urn:example:a");
/// assert_eq!(reading(Document::Rfc8141), "valid key=urn:example:a~b");
/// assert_eq!(urn::read(Document::Rfc8141, b"urn:x:a").to_string(), "invalid");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reading<'u> {
    /// The whole string is a URN.
    Valid(Name<'u>),
    /// The string begins with a URN, which ends before the byte at
    /// [`Name::end`].
    EndsBefore(Name<'u>),
    /// The string does not begin with a URN.
    Invalid(Violation),
}

impl<'u> Reading<'u> {
    /// Returns the URN, valid as a whole or as a beginning.
    ///
    /// ```
    /// use urisieve::syntax::urn::{self, Document};
    /// assert!(urn::read(Document::Rfc8141, b"urn:ab:c?d").name().is_some());
    /// assert!(urn::read(Document::Rfc8141, b"urn:a:c").name().is_none());
    /// ```
    pub fn name(&self) -> Option<&Name<'u>> {
        match self {
            Reading::Valid(name) | Reading::EndsBefore(name) => Some(name),
            Reading::Invalid(_) => None,
        }
    }
}

/// Writes `valid key=KEY`, `ends-before C key=KEY` or `invalid`. A character that is
/// not a visible one of ASCII is written as `\xNN`.
impl fmt::Display for Reading<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Reading::Valid(name) => write!(f, "valid key={}", name.key()),
            Reading::EndsBefore(name) => {
                match name.uri.get(name.end).copied().unwrap_or_default() {
                    byte @ 0x21..=0x7E => write!(f, "ends-before {}", byte as char)?,
                    byte => write!(f, "ends-before \\x{byte:02X}")?,
                }
                write!(f, " key={}", name.key())
            }
            Reading::Invalid(_) => f.write_str("invalid"),
        }
    }
}

/// Reads `uri` by the words of `document`. The rule of a [`Violation`] is
/// `scheme`, `NID`, `reserved`, `NSS` or `pct-encoded`.
///
/// ```
/// use urisieve::syntax::urn::{self, Document, Reading};
/// let uri = b"urn:urn:x";
/// assert!(matches!(urn::read(Document::Rfc8141, uri), Reading::Valid(_)));
/// let Reading::Invalid(violation) = urn::read(Document::Rfc2141, uri) else { panic!() };
/// assert_eq!((violation.offset, violation.rule), (4, "reserved"));
/// ```
pub fn read(document: Document, uri: &[u8]) -> Reading<'_> {
    match read_name(document, uri) {
        Ok(name) if name.end == uri.len() => Reading::Valid(name),
        Ok(name) => Reading::EndsBefore(name),
        Err(violation) => Reading::Invalid(violation),
    }
}

fn read_name(document: Document, uri: &[u8]) -> Result<Name<'_>, Violation> {
    let nid_end = nid_end(document, uri)?;
    let nss_start = nid_end + 1;
    let violation = |offset, rule| Err(Violation { offset, rule });
    let nss_end = match document {
        Document::Rfc2141 => run(uri, nss_start, is_rfc2141_byte),
        Document::Draft2010 => run(uri, nss_start, is_draft2010_byte),
        _ if uri.get(nss_start) == Some(&b'/') => nss_start,
        _ => run(uri, nss_start, is_nss_byte),
    };
    let next = uri.get(nss_end).copied();
    if document != Document::Draft2010 && next == Some(b'%') {
        return violation(nss_end, "pct-encoded");
    }
    if nss_end == nss_start {
        return violation(nss_end, "NSS");
    }
    let mut name = Name {
        uri,
        nid_end,
        nss_end,
        r: None,
        q: None,
        f: None,
        end: nss_end,
        key_end: nss_end,
    };
    match document {
        Document::Rfc2141 => {}
        Document::Draft2010 => {
            if next == Some(b'?') {
                name.q = name.take(1, is_query_byte);
            }
            name.take_fragment();
            name.key_end = name.end;
        }
        Document::Draft2015 | Document::Rfc8141 => {
            match next {
                None | Some(b'?' | b'#') => {}
                Some(_) => return violation(nss_end, "NSS"),
            }
            if document == Document::Draft2015 {
                if !name.component_follows(b"??") && name.component_follows(b"?") {
                    name.q = name.take_until(1, b"??");
                }
                if name.component_follows(b"??") {
                    name.r = name.take(2, is_query_byte);
                }
            } else {
                if name.component_follows(b"?+") {
                    name.r = name.take_until(2, b"?=");
                }
                if name.component_follows(b"?=") {
                    name.q = name.take(2, is_query_byte);
                }
            }
            name.take_fragment();
        }
    }
    Ok(name)
}

/// Returns the offset of the ":" after the NID.
fn nid_end(document: Document, uri: &[u8]) -> Result<usize, Violation> {
    let violation = |offset, rule| Err(Violation { offset, rule });
    let Some(rest) = strip_urn(uri) else {
        return violation(0, "scheme");
    };
    let is_ldh = |b: &&u8| b.is_ascii_alphanumeric() || **b == b'-';
    let len = rest.iter().take_while(is_ldh).count();
    if len > NID_MAX {
        return violation(4 + NID_MAX, "NID");
    }
    if rest.get(len) != Some(&b':') {
        return violation(4 + len, "NID");
    }
    if len == 0 || rest[0] == b'-' {
        return violation(4, "NID");
    }
    match document {
        Document::Rfc2141 | Document::Draft2010 => {
            if rest[..len].eq_ignore_ascii_case(b"urn") {
                return violation(4, "reserved");
            }
        }
        Document::Draft2015 | Document::Rfc8141 => {
            if len < 2 || rest[len - 1] == b'-' {
                return violation(4 + len - 1, "NID");
            }
        }
    }
    Ok(4 + len)
}

impl Name<'_> {
    /// Whether `mark` and the `pchar` that must begin a component are at the current
    /// end.
    fn component_follows(&self, mark: &[u8]) -> bool {
        self.uri[self.end..].starts_with(mark) && self.is_pchar(self.end + mark.len())
    }

    fn is_pchar(&self, at: usize) -> bool {
        self.uri.get(at).is_some_and(|&b| class::PCHAR.has(b)) || pct::is_encoded(self.uri, at)
    }

    /// Reads a component after a mark of `mark` bytes, up to the first byte that `is`
    /// rejects.
    fn take(&mut self, mark: usize, is: fn(u8) -> bool) -> Option<Range<usize>> {
        let start = self.end + mark;
        self.end = run(self.uri, start, is);
        Some(start..self.end)
    }

    /// Reads a component that ends where the next one, with its mark `next`, begins. A
    /// mark without a component is part of this one.
    fn take_until(&mut self, mark: usize, next: &[u8]) -> Option<Range<usize>> {
        let taken = self.take(mark, is_query_byte)?;
        let text = &self.uri[taken.clone()];
        let split = (taken.start..taken.end).find(|&at| {
            text[at - taken.start..].starts_with(next) && self.is_pchar(at + next.len())
        });
        self.end = split.unwrap_or(taken.end);
        Some(taken.start..self.end)
    }

    fn take_fragment(&mut self) {
        if self.uri.get(self.end) == Some(&b'#') {
            self.f = self.take(1, is_query_byte);
        }
    }
}

/// RFC 2141 section 2.2: `<upper> | <lower> | <number> | <other> | <reserved>` without
/// `%`, which section 2.3.1 allows only before two digits.
fn is_rfc2141_byte(byte: u8) -> bool {
    is_draft2010_byte(byte) || matches!(byte, b'/' | b'?' | b'#')
}

/// 2010 draft section 2.2: `trans = ALPHA / DIGIT / u-other`, which is `pchar`
/// without `&` and `~`.
fn is_draft2010_byte(byte: u8) -> bool {
    class::PCHAR.has(byte) && !matches!(byte, b'&' | b'~')
}

fn is_query_byte(byte: u8) -> bool {
    class::QUERY.has(byte)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Document::{Draft2010, Draft2015, Rfc2141, Rfc8141};
    use proptest::prelude::*;

    fn parts(document: Document, uri: &str) -> [Option<&str>; 3] {
        let reading = read(document, uri.as_bytes());
        let name = reading.name().unwrap_or_else(|| panic!("{document} {uri}"));
        [name.r_component(), name.q_component(), name.f_component()]
            .map(|range| range.map(|range| &uri[range]))
    }

    #[test]
    fn components_by_document() {
        for (document, uri, expect) in [
            (
                Rfc8141,
                "urn:ex:a?+r?=q#f",
                [Some("r"), Some("q"), Some("f")],
            ),
            (Rfc8141, "urn:ex:a?=q?+r#", [None, Some("q?+r"), Some("")]),
            (Rfc8141, "urn:ex:a?+r?=", [Some("r?="), None, None]),
            (Rfc8141, "urn:ex:a?+r?=?=q", [Some("r?="), Some("q"), None]),
            (Rfc8141, "urn:ex:a?+%41", [Some("%41"), None, None]),
            (Rfc8141, "urn:ex:a??r", [None, None, None]),
            (
                Draft2015,
                "urn:ex:a?q??r#f",
                [Some("r"), Some("q"), Some("f")],
            ),
            (Draft2015, "urn:ex:a??r?q", [Some("r?q"), None, None]),
            (Draft2015, "urn:ex:a?q??", [None, Some("q??"), None]),
            (Draft2015, "urn:ex:a?q???r", [Some("r"), Some("q?"), None]),
            (Draft2015, "urn:ex:a?+r?=q", [None, Some("+r?=q"), None]),
            (
                Draft2010,
                "urn:ex:a?q??r#f",
                [None, Some("q??r"), Some("f")],
            ),
            (Draft2010, "urn:ex:a?#", [None, Some(""), Some("")]),
            (Rfc2141, "urn:ex:a?q#f", [None, None, None]),
        ] {
            assert_eq!(parts(document, uri), expect, "{document} {uri}");
        }
    }

    #[test]
    fn where_a_urn_ends() {
        for (document, uri, expect) in [
            (Rfc2141, "urn:ex:a b", "ends-before \\x20 key=urn:ex:a"),
            (Rfc2141, "urn:ex:a/b", "valid key=urn:ex:a/b"),
            (Rfc2141, "urn:ex:ü", "invalid"),
            (Rfc2141, "urn:ex:aü", "ends-before \\xC3 key=urn:ex:a"),
            (Rfc2141, "urn:ex:a%zz", "invalid"),
            (Rfc2141, "urn:ex:a%2f", "valid key=urn:ex:a%2F"),
            (Draft2010, "urn:ex:1/406", "ends-before / key=urn:ex:1"),
            (Draft2010, "urn:ex:a%zz", "ends-before % key=urn:ex:a"),
            (Draft2010, "urn:ex:a?b[c", "ends-before [ key=urn:ex:a?b"),
            (Draft2010, "urn:ex:a?b/~&?", "valid key=urn:ex:a?b/~&?"),
            (Draft2015, "urn:ex:a b", "invalid"),
            (Draft2015, "urn:ex:a?", "ends-before ? key=urn:ex:a"),
            (Draft2015, "urn:ex:a?/b", "ends-before ? key=urn:ex:a"),
            (Rfc8141, "urn:ex:a%zz", "invalid"),
            (Rfc8141, "urn:ex:a?=b%zz", "ends-before % key=urn:ex:a"),
            (Rfc8141, "urn:ex:a#b#c", "ends-before # key=urn:ex:a"),
            (Rfc8141, "urn:ex:a?+b[", "ends-before [ key=urn:ex:a"),
            (Rfc8141, "URN:EX:A%2c#f", "valid key=urn:ex:A%2C"),
            (Rfc8141, "urn:ex:a?b", "ends-before ? key=urn:ex:a"),
        ] {
            let reading = read(document, uri.as_bytes());
            assert_eq!(reading.to_string(), expect, "{document} {uri}");
        }
    }

    #[test]
    fn violations_say_where_and_why() {
        for (document, uri, offset, rule) in [
            (Rfc8141, "http://a/", 0, "scheme"),
            (Rfc8141, "urn:", 4, "NID"),
            (Rfc8141, "urn:ex", 6, "NID"),
            (Rfc8141, "urn:-a:b", 4, "NID"),
            (Rfc8141, "urn:a-:b", 5, "NID"),
            (Rfc8141, "urn:x:b", 4, "NID"),
            (Rfc2141, "urn:URN:b", 4, "reserved"),
            (Rfc8141, "urn:a_b:c", 5, "NID"),
            (
                Rfc8141,
                "urn:a2345678901234567890123456789012x:b",
                36,
                "NID",
            ),
            (Rfc8141, "urn:ex:", 7, "NSS"),
            (Rfc8141, "urn:ex:a<", 8, "NSS"),
            (Rfc8141, "urn:ex:%4", 7, "pct-encoded"),
            (Rfc2141, "urn:ex:%4", 7, "pct-encoded"),
            (Draft2010, "urn:ex:/a", 7, "NSS"),
        ] {
            let expect = Reading::Invalid(Violation { offset, rule });
            assert_eq!(read(document, uri.as_bytes()), expect, "{document} {uri}");
        }
    }

    proptest! {
        /// The keys of all levels are cut from the string that RFC 8141 reads as a URN.
        #[test]
        fn the_default_document_agrees_with_the_cut(uri in "urn:[a-z-]{0,3}:[a-z%2/?#+=~&\\[]{0,12}") {
            let uri = uri.as_bytes();
            if let Some(name) = read(Rfc8141, uri).name() {
                prop_assert_eq!(super::super::assigned_name_len(uri), Some(name.nss().end));
                prop_assert!(super::super::is_nss(&uri[name.nss()]));
            }
        }

        /// By every document, the key of a URN is a URN with the same key.
        #[test]
        fn keys_are_their_own_keys(uri in "(urn|URN):[a-zA-Z-]{0,3}:[a-fA-F%2/?#+=~&\\[]{0,12}") {
            for &document in Document::ALL {
                let reading = read(document, uri.as_bytes());
                if let Some(name) = reading.name() {
                    let key = name.key().to_string();
                    let again = read(document, key.as_bytes());
                    prop_assert_eq!(again.to_string(), format!("valid key={key}"));
                }
            }
        }

        #[test]
        fn any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..24)) {
            for &document in Document::ALL {
                let uri = [b"urn:ab:", &bytes[..]].concat();
                let _ = read(document, &uri).to_string();
                let _ = read(document, &bytes).to_string();
            }
        }
    }
}
