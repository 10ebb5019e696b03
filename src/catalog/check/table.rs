//! The table of checks: codes, severities, words, and which repairs may be made without a
//! person.

use crate::item::Problem;

/// The severity of a finding.
///
/// ```
/// use urisieve::catalog::check::Severity;
/// assert!(Severity::Error > Severity::Warning && Severity::Warning > Severity::Info);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The value may be right.
    Info,
    /// The value should be changed.
    Warning,
    /// The value does not work.
    Error,
}

impl Severity {
    /// Returns the name of the severity.
    ///
    /// ```
    /// assert_eq!(urisieve::catalog::check::Severity::Info.name(), "info");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Info => "info",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A row of the table of checks.
///
/// ```
/// use urisieve::catalog::check::CheckRow;
/// let row = CheckRow::of_code("host-no-dot").unwrap();
/// assert_eq!((row.words, row.severity.name(), row.may_fix), ("host without dot", "warning", false));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckRow {
    /// The code.
    pub code: &'static str,
    /// The severity of the finding.
    pub severity: Severity,
    /// The problem in words.
    pub words: &'static str,
    /// Whether the repair, if any, may be made without a person.
    pub may_fix: bool,
}

impl CheckRow {
    /// Returns the row with this code.
    ///
    /// ```
    /// use urisieve::catalog::check::CheckRow;
    /// assert!(CheckRow::of_code("two-uris").is_some() && CheckRow::of_code("cut").is_none());
    /// ```
    pub fn of_code(code: &str) -> Option<&'static CheckRow> {
        CHECKS.iter().find(|row| row.code == code)
    }
}

/// Something that is wrong with a value.
///
/// ```
/// use urisieve::catalog::check::{ExpectedValue, check};
/// let checked = check("http://www.a.example/x.", ExpectedValue::Uri);
/// let hit = checked.hits[0];
/// assert_eq!((hit.row.code, hit.row.words, hit.may_fix), ("trailing-punct", "punctuation", true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CheckHit {
    /// The row of the table.
    pub row: &'static CheckRow,
    /// Whether the repair keeps the meaning and may be made without a person.
    pub may_fix: bool,
}

use Severity::{Error, Info, Warning};

const fn row(
    code: &'static str,
    severity: Severity,
    may_fix: bool,
    words: &'static str,
) -> CheckRow {
    CheckRow {
        code,
        severity,
        words,
        may_fix,
    }
}

/// A row with the code and the words of a problem of URIs.
const fn known(problem: Problem, severity: Severity, may_fix: bool) -> CheckRow {
    row(problem.code(), severity, may_fix, problem.meaning())
}

/// Every check, in the order in which they are made.
///
/// ```
/// use urisieve::catalog::check::CHECKS;
/// assert_eq!(CHECKS[0].code, "control-char");
/// ```
pub const CHECKS: &[CheckRow] = &[
    row("control-char", Error, true, "invisible character"),
    row("outer-blank", Info, true, "blank around the address"),
    row("text-before", Warning, false, "text before the address"),
    row("two-uris", Error, false, "two addresses"),
    row("nested-scheme", Error, false, "two schemes"),
    row("trailing-punct", Warning, true, "punctuation"),
    row("char-reference", Warning, true, "HTML code"),
    row("misspelt-scheme", Error, true, "misspelt"),
    row("missing-colon", Error, true, "no colon"),
    row("missing-slashes", Error, true, "slashes missing"),
    row("missing-scheme", Error, true, "no scheme"),
    row(
        Problem::NoScheme.code(),
        Error,
        false,
        "not an address: it has no scheme",
    ),
    row("blank-inside", Error, true, "blank inside"),
    row("empty-host", Error, true, "no host"),
    row("bad-host", Error, false, "host is wrong"),
    row("host-no-dot", Warning, false, "host without dot"),
    row("bad-address", Error, false, "no such address"),
    row("private-address", Warning, false, "only reachable inside"),
    known(Problem::BadPort, Error, false),
    row("second-hash", Error, false, "two fragments"),
    row("resolver-alone", Error, false, "no identifier"),
    row("doubled-resolver", Error, true, "resolver twice"),
    row("local-file", Error, false, "a file of one computer"),
    row("script", Error, false, "no address"),
    row("session-id", Warning, false, "address of one session"),
    row("empty-value", Warning, false, "empty"),
    row("credentials", Warning, false, "user or password"),
    known(Problem::BadChar, Warning, true),
    row("unencoded-bracket", Warning, true, "bracket"),
    row("non-ascii", Warning, true, "not ASCII"),
    known(Problem::BadPercent, Error, false),
    row("double-encoded", Info, false, "encoded twice"),
    row("tilde-encoded", Info, true, "~ or _ encoded"),
    row("proxy-prefix", Warning, true, "through a proxy"),
    row("dead-link", Warning, false, "dead"),
    row("moved", Info, true, "moved"),
    row("archived-url", Info, false, "archived copy"),
    row("doi-shape", Error, true, "not a DOI"),
    known(Problem::BadUrn, Error, false),
    known(Problem::BadComponent, Error, false),
    known(Problem::NidInformal, Info, false),
    known(Problem::NidExperimental, Info, false),
    known(Problem::NidReserved, Error, false),
    known(Problem::NidUnregistered, Warning, false),
    known(Problem::IsbnShape, Error, false),
    known(Problem::IsbnCheck, Error, false),
    known(Problem::IsbnPrefix, Error, false),
    known(Problem::IssnShape, Error, false),
    known(Problem::IssnCheck, Error, false),
    known(Problem::IsanShape, Error, false),
    known(Problem::IsanCheck, Error, false),
    known(Problem::EidrShape, Error, false),
    known(Problem::EidrCheck, Error, false),
    known(Problem::NbnShape, Error, false),
    known(Problem::NbnCountry, Error, false),
    known(Problem::UuidShape, Error, false),
    known(Problem::OidShape, Error, false),
    known(Problem::FdcShape, Error, false),
    known(Problem::SmpteShape, Error, false),
    known(Problem::ImeiShape, Error, false),
    row("id-shape", Error, false, "not an identifier of its source"),
    row("id-check", Error, false, "check digit is wrong"),
    row("in-note", Info, false, "address in a note"),
    row("duplicate-in-record", Warning, false, "twice in the record"),
    row("resolver-duplicate", Info, false, "also as URN, DOI"),
    row("case-differs", Info, false, "other case elsewhere"),
];
