//! Problems of URIs that are reported nevertheless.

use std::fmt;
use std::ops::{BitOr, BitOrAssign};

/// A problem of a URI. A malformed URI is data, not an error.
///
/// ```
/// use urisieve::{Sieve, item::Problem};
/// let text = b"a http://a.example/100% b";
/// Sieve::builder().build().for_each(text, |finding| {
///     assert!(finding.marks.problems.has(Problem::BadPercent));
/// })?;
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// A character that URIs may not contain is inside a wrapper (B2, W2), or in a line
    /// of a list.
    BadChar,
    /// A bare candidate was ended by one of `{ } | ^ [ ]`, a backtick, a backslash or a
    /// byte that is not UTF-8, or a DOI by a `<` before a digit, so the URI may be
    /// longer than the reported text (W2).
    Cut,
    /// A bare candidate was ended by a template: `${`, `#{`, `{name}`, `{{`, a macro of TeX,
    /// or after `%s` (B8).
    Template,
    /// The host has a template that belongs to it, such as `${env:USER}`.
    TemplateHost,
    /// A bare candidate at the end of a line may continue in the next line: its host has no
    /// dot, or its last character is one of `/ - _ = & ? . %` (W7).
    LineEnd,
    /// Bytes that are not UTF-8 are inside a wrapper.
    BadUtf8,
    /// The port is not a number (B8).
    BadPort,
    /// More than one `@` in the authority: where the host begins is a guess (RFC 3986
    /// section 3.2.1).
    BadUserinfo,
    /// A line or value of a list whose host has brackets that are not those of an IP address
    /// (B8).
    BadHost,
    /// A `%` without two hexadecimal digits (B6).
    BadPercent,
    /// The URI is from a damaged or truncated part of compressed data, and may never
    /// have been written.
    Suspect,
    /// More nested URIs than are reported (S6).
    NestedLimit,
    /// The URL of a gateway that is unwrapped has no target, though it should (I14).
    BadGateway,
    /// Only the owner of the gateway knows the target of its URL (I14).
    OpaqueGateway,
    /// A line or value of a list that does not start with a scheme (S1).
    NoScheme,
    /// `urn:` without a valid NID and NSS (RFC 8141 section 2); treated like any URI.
    BadUrn,
    /// The name of a URN is cut at a `?` that is not the start of a component, `?+` or
    /// `?=` (RFC 8141 section 2).
    BadComponent,
    /// An informal namespace, `urn-7` (RFC 8141 section 5.2).
    NidInformal,
    /// An experimental namespace, `X-abc` (RFC 3406 section 3.1).
    NidExperimental,
    /// A reserved namespace identifier (RFC 8141 section 5.1).
    NidReserved,
    /// A namespace that is not in the IANA registry.
    NidUnregistered,
    /// An ISBN of a wrong shape.
    IsbnShape,
    /// An ISBN with a wrong check digit.
    IsbnCheck,
    /// An ISBN-13 that does not begin with 978 or 979.
    IsbnPrefix,
    /// An ISSN of a wrong shape.
    IssnShape,
    /// An ISSN with a wrong check digit.
    IssnCheck,
    /// An ISAN of a wrong shape.
    IsanShape,
    /// An ISAN with a wrong check character.
    IsanCheck,
    /// An EIDR of a wrong shape.
    EidrShape,
    /// An EIDR with a wrong check character.
    EidrCheck,
    /// An NBN of a wrong shape.
    NbnShape,
    /// An NBN that does not begin with a country code.
    NbnCountry,
    /// A UUID of a wrong shape.
    UuidShape,
    /// An OID of a wrong shape.
    OidShape,
    /// An FDC name of a wrong shape.
    FdcShape,
    /// A SMPTE name of a wrong shape.
    SmpteShape,
    /// An IMEI of a wrong shape.
    ImeiShape,
}

impl Problem {
    /// Every problem, in the order in which records list them.
    pub const ALL: &'static [Problem] = &[
        Problem::BadChar,
        Problem::Cut,
        Problem::Template,
        Problem::TemplateHost,
        Problem::LineEnd,
        Problem::BadUtf8,
        Problem::BadPort,
        Problem::BadUserinfo,
        Problem::BadHost,
        Problem::BadPercent,
        Problem::Suspect,
        Problem::NestedLimit,
        Problem::BadGateway,
        Problem::OpaqueGateway,
        Problem::NoScheme,
        Problem::BadUrn,
        Problem::BadComponent,
        Problem::NidInformal,
        Problem::NidExperimental,
        Problem::NidReserved,
        Problem::NidUnregistered,
        Problem::IsbnShape,
        Problem::IsbnCheck,
        Problem::IsbnPrefix,
        Problem::IssnShape,
        Problem::IssnCheck,
        Problem::IsanShape,
        Problem::IsanCheck,
        Problem::EidrShape,
        Problem::EidrCheck,
        Problem::NbnShape,
        Problem::NbnCountry,
        Problem::UuidShape,
        Problem::OidShape,
        Problem::FdcShape,
        Problem::SmpteShape,
        Problem::ImeiShape,
    ];

    /// Returns the code that records and messages use.
    ///
    /// ```
    /// use urisieve::item::Problem;
    /// assert_eq!(Problem::BadUtf8.code(), "bad-utf8");
    /// ```
    pub const fn code(self) -> &'static str {
        match self {
            Problem::BadChar => "bad-char",
            Problem::Cut => "cut",
            Problem::Template => "template",
            Problem::TemplateHost => "template-host",
            Problem::LineEnd => "line-end",
            Problem::BadUtf8 => "bad-utf8",
            Problem::BadPort => "bad-port",
            Problem::BadUserinfo => "bad-userinfo",
            Problem::BadHost => "bad-host",
            Problem::BadPercent => "bad-percent",
            Problem::Suspect => "suspect",
            Problem::NestedLimit => "nested-limit",
            Problem::BadGateway => "bad-gateway",
            Problem::OpaqueGateway => "opaque-gateway",
            Problem::NoScheme => "no-scheme",
            Problem::BadUrn => "bad-urn",
            Problem::BadComponent => "bad-component",
            Problem::NidInformal => "nid-informal",
            Problem::NidExperimental => "nid-experimental",
            Problem::NidReserved => "nid-reserved",
            Problem::NidUnregistered => "nid-unregistered",
            Problem::IsbnShape => "isbn-shape",
            Problem::IsbnCheck => "isbn-check",
            Problem::IsbnPrefix => "isbn-prefix",
            Problem::IssnShape => "issn-shape",
            Problem::IssnCheck => "issn-check",
            Problem::IsanShape => "isan-shape",
            Problem::IsanCheck => "isan-check",
            Problem::EidrShape => "eidr-shape",
            Problem::EidrCheck => "eidr-check",
            Problem::NbnShape => "nbn-shape",
            Problem::NbnCountry => "nbn-country",
            Problem::UuidShape => "uuid-shape",
            Problem::OidShape => "oid-shape",
            Problem::FdcShape => "fdc-shape",
            Problem::SmpteShape => "smpte-shape",
            Problem::ImeiShape => "imei-shape",
        }
    }

    /// Returns the problem with this code.
    ///
    /// ```
    /// use urisieve::item::Problem;
    /// assert_eq!(Problem::of_code("isbn-check"), Some(Problem::IsbnCheck));
    /// ```
    pub fn of_code(code: &str) -> Option<Problem> {
        Problem::ALL.iter().copied().find(|p| p.code() == code)
    }

    /// Returns a short description.
    ///
    /// ```
    /// use urisieve::item::Problem;
    /// assert_eq!(Problem::BadPort.meaning(), "the port is not a number");
    /// ```
    pub const fn meaning(self) -> &'static str {
        match self {
            Problem::BadChar => "a character that URIs may not contain",
            Problem::Cut => {
                "ended by one of { } | ^ [ ] ` \\, by a byte that is not UTF-8, or a DOI by <: it may be longer"
            }
            Problem::Template => "ended by a template, such as ${x} or {x}",
            Problem::TemplateHost => "the host has a template, such as ${env:USER}",
            Problem::LineEnd => "ended by a line's end: it may continue in the next line",
            Problem::BadUtf8 => "bytes that are not UTF-8, inside a wrapper",
            Problem::BadPort => "the port is not a number",
            Problem::BadUserinfo => "more than one @ in the authority (RFC 3986 section 3.2.1)",
            Problem::BadHost => "the brackets in the host are not those of an IP address",
            Problem::BadPercent => "a % without two hexadecimal digits",
            Problem::Suspect => "from a compressed part whose checksum is wrong or missing",
            Problem::NestedLimit => "more nested URIs than are reported",
            Problem::BadGateway => "the URL of a gateway leads to no URL",
            Problem::OpaqueGateway => "only the owner of the gateway knows where its URL leads to",
            Problem::NoScheme => "a line or value of a list that does not start with a scheme",
            Problem::BadUrn => "urn: without a valid namespace and name (RFC 8141 section 2)",
            Problem::BadComponent => {
                "a URN's name is cut at a ? that is not the start of a component (RFC 8141 section 2)"
            }
            Problem::NidInformal => "an informal namespace, urn-N (RFC 8141 section 5.2)",
            Problem::NidExperimental => "an experimental namespace, X- (RFC 3406 section 3.1)",
            Problem::NidReserved => {
                "a namespace identifier that is reserved (RFC 8141 section 5.1)"
            }
            Problem::NidUnregistered => "a namespace that is not in the IANA registry",
            Problem::IsbnShape => "an ISBN of a wrong shape",
            Problem::IsbnCheck => "an ISBN with a wrong check digit",
            Problem::IsbnPrefix => "an ISBN-13 that does not begin with 978 or 979",
            Problem::IssnShape => "an ISSN of a wrong shape",
            Problem::IssnCheck => "an ISSN with a wrong check digit",
            Problem::IsanShape => "an ISAN of a wrong shape",
            Problem::IsanCheck => "an ISAN with a wrong check character",
            Problem::EidrShape => "an EIDR of a wrong shape",
            Problem::EidrCheck => "an EIDR with a wrong check character",
            Problem::NbnShape => "an NBN of a wrong shape",
            Problem::NbnCountry => "an NBN that does not begin with a country code",
            Problem::UuidShape => "a UUID of a wrong shape",
            Problem::OidShape => "an OID of a wrong shape",
            Problem::FdcShape => "an FDC name of a wrong shape",
            Problem::SmpteShape => "a SMPTE name of a wrong shape",
            Problem::ImeiShape => "an IMEI of a wrong shape",
        }
    }

    const fn bit(self) -> u64 {
        1 << self as u16
    }
}

/// A set of [`Problem`]s.
///
/// ```
/// use urisieve::item::{Problem, Problems};
/// let mut set = Problems::NONE;
/// set |= Problem::BadPort;
/// assert!(set.has(Problem::BadPort) && !set.has(Problem::Cut));
/// assert_eq!(set.iter().map(Problem::code).collect::<Vec<_>>(), ["bad-port"]);
/// ```
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Problems(u64);

/// The error of a code that is not that of a [`Problem`].
///
/// ```
/// use urisieve::item::Problems;
/// let error = Problems::with_codes(["bad-port", "x"]).unwrap_err().to_string();
/// assert!(error.starts_with(r#""x" is not a code; the codes are bad-char, "#));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownCode(String);

impl fmt::Display for UnknownCode {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let codes: Vec<&str> = Problem::ALL.iter().map(|problem| problem.code()).collect();
        let codes = codes.join(", ");
        write!(f, "{:?} is not a code; the codes are {codes}", self.0)
    }
}

impl std::error::Error for UnknownCode {}

impl Problems {
    /// Returns the problems with these codes, around which there may be blanks.
    ///
    /// ```
    /// use urisieve::item::{Problem, Problems};
    /// assert_eq!(Problems::with_codes([" cut"]), Ok(Problem::Cut.into()));
    /// ```
    ///
    /// # Errors
    /// The first code that is not known.
    pub fn with_codes(
        codes: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Problems, UnknownCode> {
        let mut problems = Problems::NONE;
        for code in codes {
            let code = code.as_ref();
            let problem = Problem::of_code(code.trim());
            problems |= problem.ok_or_else(|| UnknownCode(code.to_owned()))?;
        }
        Ok(problems)
    }

    /// The empty set.
    pub const NONE: Problems = Problems(0);

    /// Whether `problem` is in the set.
    ///
    /// ```
    /// use urisieve::item::{Problem, Problems};
    /// assert!(Problems::from(Problem::Cut).has(Problem::Cut));
    /// assert!(!Problems::NONE.has(Problem::Cut));
    /// ```
    pub const fn has(self, problem: Problem) -> bool {
        self.0 & problem.bit() != 0
    }

    /// Returns the set without `problem`.
    pub(crate) const fn without(self, problem: Problem) -> Problems {
        Problems(self.0 & !problem.bit())
    }

    /// Whether the set is empty.
    ///
    /// ```
    /// use urisieve::item::{Problem, Problems};
    /// assert!(Problems::NONE.is_empty());
    /// assert!(!Problems::from(Problem::Cut).is_empty());
    /// ```
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether one of the problems is also in `others`.
    ///
    /// ```
    /// use urisieve::item::{Problem, Problems};
    /// let set = Problems::from(Problem::Cut) | Problems::from(Problem::BadChar);
    /// assert!(set.meets(Problem::Cut.into()) && !set.meets(Problem::BadPort.into()));
    /// assert!(!Problems::NONE.meets(Problems::NONE));
    /// ```
    pub const fn meets(self, others: Problems) -> bool {
        self.0 & others.0 != 0
    }

    /// Returns the problems in the order of [`Problem::ALL`].
    ///
    /// ```
    /// use urisieve::item::{Problem, Problems};
    /// let set = Problems::from(Problem::BadPercent) | Problems::from(Problem::BadChar);
    /// assert_eq!(set.iter().collect::<Vec<_>>(), [Problem::BadChar, Problem::BadPercent]);
    /// ```
    pub fn iter(self) -> impl Iterator<Item = Problem> {
        // Most sets are empty, so only members are visited.
        let mut bits = self.0;
        std::iter::from_fn(move || {
            let problem = Problem::ALL.get(bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(*problem)
        })
    }
}

impl fmt::Debug for Problems {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Problems")?;
        f.debug_set().entries(self.iter()).finish()
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Problems {
        Problems(problem.bit())
    }
}

impl BitOrAssign<Problem> for Problems {
    fn bitor_assign(&mut self, problem: Problem) {
        self.0 |= problem.bit();
    }
}

impl BitOrAssign for Problems {
    fn bitor_assign(&mut self, other: Problems) {
        self.0 |= other.0;
    }
}

impl BitOr for Problems {
    type Output = Problems;
    fn bitor(self, other: Problems) -> Problems {
        Problems(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_lists_what_is_in_it_in_order() {
        assert_eq!(Problems::NONE.iter().count(), 0);
        let mut set = Problems::NONE;
        for (at, &problem) in Problem::ALL.iter().enumerate() {
            assert_eq!(
                Problems::from(problem).iter().collect::<Vec<_>>(),
                [problem]
            );
            set |= problem;
            assert!(set.iter().eq(Problem::ALL[..=at].iter().copied()));
        }
    }
}
