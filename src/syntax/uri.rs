//! Validity by the grammars of RFC 3986 (appendix A) and RFC 3987 (section 2.2), with
//! the offset and the rule of the first violation. The string is split first (appendix
//! B), then each component is checked against its rule, from the left.

use super::class::{self, Class, PERCENT};
use super::{Components, host, iri, pct};
use std::fmt;

/// The offset and the rule by which a string is not a URI. A violation is displayed
/// with the requirement of the rule.
///
/// ```
/// use urisieve::syntax::validate;
/// let violation = validate(b"urn:a b").unwrap_err();
/// assert_eq!((violation.offset, violation.rule), (5, "path-rootless"));
/// assert_eq!(
///     violation.to_string(),
///     "at byte 5: this character is not allowed in a path (path-rootless)"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// The byte offset from the start of the string; the length of the string when a
    /// part is missing at the end.
    pub offset: usize,
    /// The name of the ABNF rule that the string violates there.
    pub rule: &'static str,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let what = match self.rule {
            "scheme" => "a scheme and \":\" must come first: a letter, then letters, digits, + - .",
            "pct-encoded" => "\"%\" is not followed by two hexadecimal digits",
            "userinfo" | "iuserinfo" => "this character is not allowed in userinfo",
            "reg-name" | "ireg-name" => "this character is not allowed in a host name",
            "IP-literal" => "the \"]\" that ends the address is missing",
            "IPv6address" => "no IPv6 address",
            "IPvFuture" => "not an address of a future version (v1.x)",
            "authority" | "iauthority" => "only \":\" and a port may follow the host",
            "port" => "a port may contain only digits",
            "path-noscheme" | "ipath-noscheme" => {
                "this character is not allowed in a relative path (nor \":\" in its first segment)"
            }
            "query" | "iquery" => "this character is not allowed in a query",
            "fragment" | "ifragment" => "this character is not allowed in a fragment",
            _ => "this character is not allowed in a path",
        };
        write!(f, "at byte {}: {what} ({})", self.offset, self.rule)
    }
}

impl std::error::Error for Violation {}

/// Checks that `uri` matches the rule `URI` of RFC 3986 appendix A. A zone after an
/// IPv6 address (RFC 6874, obsoleted by RFC 9844) is not part of the rule.
///
/// # Errors
/// The first [`Violation`] from the left.
///
/// ```
/// use urisieve::syntax::validate;
/// assert!(validate(b"http://a.example/?q#f").is_ok());
/// let violation = validate(b"http://a.example/%zz").unwrap_err();
/// assert_eq!((violation.offset, violation.rule), (17, "pct-encoded"));
/// ```
pub fn validate(uri: &[u8]) -> Result<(), Violation> {
    check_scheme(uri)?;
    URI.check(uri)
}

/// Checks that `reference` matches the rule `URI-reference` of RFC 3986
/// appendix A: a URI or a `relative-ref`.
///
/// # Errors
/// The first [`Violation`] from the left.
///
/// ```
/// use urisieve::syntax::validate_reference;
/// assert!(validate_reference(b"../a?b").is_ok() && validate_reference(b"").is_ok());
/// let violation = validate_reference(b"1a:b").unwrap_err();
/// assert_eq!((violation.offset, violation.rule), (2, "path-noscheme"));
/// ```
pub fn validate_reference(reference: &[u8]) -> Result<(), Violation> {
    URI.check(reference)
}

/// Checks that `iri` matches the rule `IRI` of RFC 3987 section 2.2, in UTF-8.
///
/// # Errors
/// The first [`Violation`] from the left; a byte that is not UTF-8 is one.
///
/// ```
/// use urisieve::syntax::{validate, validate_iri};
/// let iri = "http://a.example/é".as_bytes();
/// assert!(validate_iri(iri).is_ok() && validate(iri).is_err());
/// let violation = validate_iri("http://a/\u{FFFF}".as_bytes()).unwrap_err();
/// assert_eq!((violation.offset, violation.rule), (9, "ipath-abempty"));
/// ```
pub fn validate_iri(iri: &[u8]) -> Result<(), Violation> {
    check_scheme(iri)?;
    IRI.check(iri)
}

/// Checks that `reference` matches the rule `IRI-reference` of RFC 3987
/// section 2.2, in UTF-8.
///
/// # Errors
/// The first [`Violation`] from the left; a byte that is not UTF-8 is one.
///
/// ```
/// use urisieve::syntax::validate_iri_reference;
/// assert!(validate_iri_reference("é?\u{E000}".as_bytes()).is_ok());
/// assert!(validate_iri_reference("\u{E000}".as_bytes()).is_err());
/// ```
pub fn validate_iri_reference(reference: &[u8]) -> Result<(), Violation> {
    IRI.check(reference)
}

/// Checks `scheme ":"` at the start; the violation is at the first wrong byte.
fn check_scheme(uri: &[u8]) -> Result<(), Violation> {
    if Components::parse(uri).scheme(uri).is_some() {
        return Ok(());
    }
    let letter = uri.first().is_some_and(|&b| class::ALPHA.has(b));
    let run = uri.iter().take_while(|&&b| class::SCHEME.has(b)).count();
    Err(Violation {
        offset: if letter { run } else { 0 },
        rule: "scheme",
    })
}

/// A grammar: the names of its rules, and the characters above U+007F that each
/// component allows.
struct Grammar {
    userinfo: RunRule,
    reg_name: RunRule,
    authority: &'static str,
    path_abempty: RunRule,
    path_absolute: RunRule,
    path_noscheme: RunRule,
    path_rootless: RunRule,
    query: RunRule,
    fragment: RunRule,
}

/// A rule that is a run of characters: the class of its ASCII characters, without
/// `pct-encoded`, and the others that it allows.
struct RunRule {
    name: &'static str,
    class: Class,
    beyond: fn(char) -> bool,
}

const fn rule(name: &'static str, class: Class, beyond: fn(char) -> bool) -> RunRule {
    RunRule {
        name,
        class,
        beyond,
    }
}

/// `pchar / "/"`: the class of paths, which contain no `?` after the split.
const PATH: Class = class::QUERY;

const fn none(_: char) -> bool {
    false
}

fn is_query_char(c: char) -> bool {
    iri::is_ucschar(c) || iri::is_private(c)
}

/// RFC 3986 appendix A, in the order of the grammar.
static URI: Grammar = Grammar {
    authority: "authority",
    userinfo: rule("userinfo", class::USERINFO, none),
    reg_name: rule("reg-name", class::REG_NAME, none),
    path_abempty: rule("path-abempty", PATH, none),
    path_absolute: rule("path-absolute", PATH, none),
    path_noscheme: rule("path-noscheme", PATH, none),
    path_rootless: rule("path-rootless", PATH, none),
    query: rule("query", class::QUERY, none),
    fragment: rule("fragment", class::QUERY, none),
};

/// RFC 3987 section 2.2, in the order of the grammar.
static IRI: Grammar = Grammar {
    authority: "iauthority",
    userinfo: rule("iuserinfo", class::USERINFO, iri::is_ucschar),
    reg_name: rule("ireg-name", class::REG_NAME, iri::is_ucschar),
    path_abempty: rule("ipath-abempty", PATH, iri::is_ucschar),
    path_absolute: rule("ipath-absolute", PATH, iri::is_ucschar),
    path_noscheme: rule("ipath-noscheme", PATH, iri::is_ucschar),
    path_rootless: rule("ipath-rootless", PATH, iri::is_ucschar),
    query: rule("iquery", class::QUERY, is_query_char),
    fragment: rule("ifragment", class::QUERY, iri::is_ucschar),
};

impl Grammar {
    fn check(&self, uri: &[u8]) -> Result<(), Violation> {
        let parts = Components::parse(uri);
        let mut at = parts.scheme(uri).map_or(0, |scheme| scheme.len() + 1);
        if let Some(authority) = parts.authority(uri) {
            at += 2;
            self.check_authority(uri, &parts, at)?;
            at += authority.len();
        }
        let path = parts.path(uri);
        let first = path.first();
        let rule = if parts.authority(uri).is_some() {
            &self.path_abempty
        } else if first == Some(&b'/') {
            &self.path_absolute
        } else if parts.scheme(uri).is_some() {
            &self.path_rootless
        } else {
            &self.path_noscheme
        };
        let violation = rule.check(path, at);
        if rule.name == self.path_noscheme.name {
            // `segment-nz-nc`: up to the first "/" no ":".
            let colon = memchr::memchr2(b':', b'/', path).filter(|&colon| path[colon] == b':');
            let before = |v: &Violation| colon.is_none_or(|colon| v.offset < at + colon);
            match (violation, colon) {
                (Err(violation), _) if before(&violation) => return Err(violation),
                (_, Some(colon)) => return Err(rule.broken(at + colon)),
                _ => {}
            }
        } else {
            violation?;
        }
        at += path.len();
        if let Some(query) = parts.query(uri) {
            self.query.check(query, at + 1)?;
            at += 1 + query.len();
        }
        if let Some(fragment) = parts.fragment(uri) {
            self.fragment.check(fragment, at + 1)?;
        }
        Ok(())
    }

    fn check_authority(&self, uri: &[u8], parts: &Components, at: usize) -> Result<(), Violation> {
        if let Some(userinfo) = parts.userinfo(uri) {
            // The class contains "@", as pchar does, but a second "@" is not allowed
            // here.
            let second = memchr::memchr(b'@', userinfo).unwrap_or(userinfo.len());
            self.userinfo.check(&userinfo[..second], at)?;
            if second < userinfo.len() {
                return Err(self.userinfo.broken(at + second));
            }
        }
        let range = parts.host_range();
        let name = &uri[range.clone()];
        if name.first() == Some(&b'[') {
            let authority = parts.authority(uri).unwrap_or_default();
            self.check_ip_literal(name, range.start, at + authority.len())?;
        } else {
            self.reg_name.check(name, range.start)?;
        }
        let port = parts.port(uri).unwrap_or_default();
        match port.iter().position(|&b| !class::DIGIT.has(b)) {
            None => Ok(()),
            Some(wrong) => Err(Violation {
                offset: range.end + 1 + wrong,
                rule: "port",
            }),
        }
    }

    /// `IP-literal = "[" ( IPv6address / IPvFuture  ) "]"`, in an authority that
    /// ends at `authority_end`.
    fn check_ip_literal(
        &self,
        literal: &[u8],
        at: usize,
        authority_end: usize,
    ) -> Result<(), Violation> {
        let broken = |offset, rule| Err(Violation { offset, rule });
        let Some(end) = memchr::memchr(b']', literal) else {
            return broken(authority_end, "IP-literal");
        };
        let inner = &literal[1..end];
        if let Some(b'v' | b'V') = inner.first() {
            if !host::is_ip_future(inner) {
                return broken(at + 1, "IPvFuture");
            }
        } else if !host::is_ipv6(inner) {
            let foreign = |&b: &u8| !class::HEXDIG.has(b) && b != b':' && b != b'.';
            let wrong = inner.iter().position(foreign).unwrap_or(0);
            return broken(at + 1 + wrong, "IPv6address");
        }
        if end + 1 < literal.len() {
            return broken(at + end + 1, self.authority);
        }
        Ok(())
    }
}

impl RunRule {
    fn broken(&self, offset: usize) -> Violation {
        Violation {
            offset,
            rule: self.name,
        }
    }

    /// Checks `text`, which begins at `base`.
    fn check(&self, text: &[u8], base: usize) -> Result<(), Violation> {
        let class = self.class.or(PERCENT);
        let mut at = 0;
        while at < text.len() {
            let byte = text[at];
            if byte == b'%' && !pct::is_encoded(text, at) {
                let rule = "pct-encoded";
                let offset = base + at;
                return Err(Violation { offset, rule });
            }
            at += if class.has(byte) {
                1
            } else {
                match iri::decode(&text[at..]) {
                    Some((c, len)) if byte >= 0x80 && (self.beyond)(c) => len,
                    _ => return Err(self.broken(base + at)),
                }
            };
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use regex::Regex;
    use std::sync::LazyLock;

    #[test]
    fn names_place_and_rule() {
        for (uri, offset, rule) in [
            ("a b", 1, "scheme"),
            ("", 0, "scheme"),
            ("abc", 3, "scheme"),
            ("1a:b", 0, "scheme"),
            ("ht_tp://h", 2, "scheme"),
            ("http://a@b@c/", 8, "userinfo"),
            ("http://[x]/", 8, "IPv6address"),
            ("http://[1::2::3]/", 8, "IPv6address"),
            ("http://[fe80::1%25eth0]/", 15, "IPv6address"),
            ("http://[v1]/", 8, "IPvFuture"),
            ("http://[::1/", 11, "IP-literal"),
            ("http://[::1]a:80/", 12, "authority"),
            ("http://h:o/", 9, "port"),
            ("http://a:b:80/", 9, "port"),
            ("http://h/a|b", 10, "path-abempty"),
            ("file:/a b", 7, "path-absolute"),
            ("urn:a|", 5, "path-rootless"),
            ("http://h/?a[b", 11, "query"),
            ("http://h/#a#b", 11, "fragment"),
            ("http://h/\u{e9}", 9, "path-abempty"),
            ("http://%4/", 7, "pct-encoded"),
        ] {
            let got = validate(uri.as_bytes()).unwrap_err();
            assert_eq!((got.offset, got.rule), (offset, rule), "{uri}");
        }
        for uri in [
            "urn:isbn:1",
            "a:",
            "http://",
            "file:///x",
            "http://u:p@[::1]:/;a=(b)?#",
        ] {
            assert_eq!(validate(uri.as_bytes()), Ok(()), "{uri}");
        }
    }

    #[test]
    fn references_and_iris() {
        for (reference, offset, rule) in [
            ("a:b|", 3, "path-rootless"),
            ("g;x:y", 3, "path-noscheme"),
            ("|a:b", 0, "path-noscheme"),
            ("a|b/c:d", 1, "path-noscheme"),
            ("//h:x", 4, "port"),
        ] {
            let got = validate_reference(reference.as_bytes()).unwrap_err();
            assert_eq!((got.offset, got.rule), (offset, rule), "{reference}");
        }
        assert!(validate_reference(b"a/b:c").is_ok());
        let got = validate_iri(b"http://h/\xC3\xA9\xFF").unwrap_err();
        assert_eq!((got.offset, got.rule), (11, "ipath-abempty"));
        assert!(validate_iri("http://é@é/é?é\u{E000}#é".as_bytes()).is_ok());
        assert!(validate_iri("http://h/#\u{E000}".as_bytes()).is_err());
    }

    /// Appendix A of RFC 3986 (and section 2.2 of RFC 3987 when `beyond` and `private`
    /// are not empty), rule by rule.
    fn abnf(beyond: &str, private: &str) -> (Regex, Regex) {
        let pct_encoded = "%[0-9A-Fa-f]{2}";
        let unreserved = format!("A-Za-z0-9._~{beyond}-");
        let sub_delims = "!$&'()*+,;=";
        let pchar = format!("(?:[{sub_delims}:@{unreserved}]|{pct_encoded})");
        let segment = format!("{pchar}*");
        let segment_nz = format!("{pchar}+");
        let segment_nz_nc = format!("(?:[{sub_delims}@{unreserved}]|{pct_encoded})+");
        let path_abempty = format!("(?:/{segment})*");
        let path_absolute = format!("/(?:{segment_nz}(?:/{segment})*)?");
        let path_noscheme = format!("{segment_nz_nc}(?:/{segment})*");
        let path_rootless = format!("{segment_nz}(?:/{segment})*");
        let dec_octet = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9][0-9]|[0-9])";
        let ipv4 = format!(r"{dec_octet}\.{dec_octet}\.{dec_octet}\.{dec_octet}");
        let h16 = "[0-9A-Fa-f]{1,4}";
        let ls32 = format!("(?:{h16}:{h16}|{ipv4})");
        let g = format!("{h16}:");
        let ipv6 = [
            format!("(?:{g}){{6}}{ls32}"),
            format!("::(?:{g}){{5}}{ls32}"),
            format!("(?:{h16})?::(?:{g}){{4}}{ls32}"),
            format!("(?:(?:{g}){{0,1}}{h16})?::(?:{g}){{3}}{ls32}"),
            format!("(?:(?:{g}){{0,2}}{h16})?::(?:{g}){{2}}{ls32}"),
            format!("(?:(?:{g}){{0,3}}{h16})?::{g}{ls32}"),
            format!("(?:(?:{g}){{0,4}}{h16})?::{ls32}"),
            format!("(?:(?:{g}){{0,5}}{h16})?::{h16}"),
            format!("(?:(?:{g}){{0,6}}{h16})?::"),
        ]
        .join("|");
        let ipvfuture = format!("[vV][0-9A-Fa-f]+\\.[{sub_delims}:A-Za-z0-9._~-]+");
        let ip_literal = format!(r"\[(?:{ipv6}|{ipvfuture})\]");
        let reg_name = format!("(?:[{sub_delims}{unreserved}]|{pct_encoded})*");
        let userinfo = format!("(?:[{sub_delims}:{unreserved}]|{pct_encoded})*");
        let authority = format!("(?:{userinfo}@)?(?:{ip_literal}|{ipv4}|{reg_name})(?::[0-9]*)?");
        let query = format!("(?:{pchar}|[/?{private}])*");
        let fragment = format!("(?:{pchar}|[/?])*");
        let scheme = "[A-Za-z][A-Za-z0-9+.-]*";
        let tail = format!(r"(?:\?{query})?(?:#{fragment})?");
        let uri = format!(
            "{scheme}:(?://{authority}{path_abempty}|{path_absolute}|{path_rootless}|){tail}"
        );
        let relative =
            format!("(?://{authority}{path_abempty}|{path_absolute}|{path_noscheme}|){tail}");
        (
            Regex::new(&format!(r"\A(?:{uri})\z")).unwrap(),
            Regex::new(&format!(r"\A(?:{uri}|{relative})\z")).unwrap(),
        )
    }

    static BY_RFC3986: LazyLock<(Regex, Regex)> = LazyLock::new(|| abnf("", ""));
    static BY_RFC3987: LazyLock<(Regex, Regex)> = LazyLock::new(|| {
        let planes: String = (1..=14)
            .map(|p| {
                format!(
                    "\\x{{{p:X}{:04X}}}-\\x{{{p:X}FFFD}}",
                    if p == 14 { 0x1000 } else { 0 }
                )
            })
            .collect();
        let beyond =
            format!(r"\x{{A0}}-\x{{D7FF}}\x{{F900}}-\x{{FDCF}}\x{{FDF0}}-\x{{FFEF}}{planes}");
        let private = r"\x{E000}-\x{F8FF}\x{F0000}-\x{FFFFD}\x{100000}-\x{10FFFD}";
        abnf(&beyond, private)
    });

    fn agree(text: &str) -> Result<(), TestCaseError> {
        let bytes = text.as_bytes();
        let (uri, reference) = &*BY_RFC3986;
        prop_assert_eq!(validate(bytes).is_ok(), uri.is_match(text));
        prop_assert_eq!(validate_reference(bytes).is_ok(), reference.is_match(text));
        let (iri, reference) = &*BY_RFC3987;
        prop_assert_eq!(validate_iri(bytes).is_ok(), iri.is_match(text));
        prop_assert_eq!(
            validate_iri_reference(bytes).is_ok(),
            reference.is_match(text)
        );
        for violation in [validate(bytes), validate_iri_reference(bytes)] {
            if let Err(Violation { offset, .. }) = violation {
                prop_assert!(offset <= text.len());
            }
        }
        Ok(())
    }

    proptest! {
        #[test]
        fn validity_is_the_grammar(text in "[a-c1:/?#@%2f\\[\\]v. |é\u{E000}\u{FFFE}\u{E0001}-]{0,12}") {
            agree(&text)?;
        }

        #[test]
        fn authorities_are_the_grammar(authority in "([a@:]{0,3}|%4[1g])@?(\\[[0-9a-f:.v]{0,12}\\]?|[a-z.%4]{0,5})(:[0-9a]{0,2})?", tail in "[/?#a:]{0,3}") {
            agree(&format!("s://{authority}{tail}"))?;
            agree(&format!("//{authority}{tail}"))?;
        }

        #[test]
        fn addresses_are_the_grammar(groups in prop::collection::vec("[0-9A-f]{0,2}|[0-9]{1,5}|1\\.2\\.3\\.4|(0|25[4-6])\\.0\\.1\\.(01|9)", 1..10)) {
            agree(&format!("//[{}]", groups.join(":")))?;
        }

        #[test]
        fn the_violation_is_where_the_validity_ends(text in "a:(//[a@:]{0,3})?[/a%4?#| ]{0,10}") {
            // The text before the violation can be continued to a URI.
            let elsewhere = ["scheme", "pct-encoded", "port", "userinfo"];
            if let Err(Violation { offset, rule }) = validate(text.as_bytes())
                && !elsewhere.contains(&rule)
            {
                prop_assert!(validate(&text.as_bytes()[..offset]).is_ok());
            }
        }
    }
}
