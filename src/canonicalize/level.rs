//! The levels of equivalence and their names: the rungs of the ladder of RFC 3986
//! section 6.2. The effect of a level is documented at the functions that apply it.

use std::fmt;
use std::str::FromStr;

/// The levels of equivalence; each level is coarser than the one before.
///
/// ```
/// use urisieve::canonicalize::Level;
/// assert_eq!("lexical".parse(), Ok(Level::Lexical));
/// assert!(Level::None < Level::Lexical);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// No normalization: the URI as extracted.
    None,
    /// Scheme and host in lower case, hexadecimal digits of percent-encoding in
    /// upper case (RFC 3986 section 6.2.2.1); of a URN the assigned-name, with
    /// `urn` and NID in lower case (RFC 8141 section 3.1).
    #[default]
    Lexical,
    /// Percent-encoded unreserved characters decoded, dot segments removed, the
    /// colon of an empty port left out (RFC 3986 sections 6.2.2.2, 6.2.2.3 and
    /// 3.2.3). Characters above U+007F outside the host become the `%XX` of their UTF-8,
    /// so an IRI is equal to its URI (RFC 3987 section 3.1); they are not
    /// normalized to NFC. A URN is unchanged from `Lexical`.
    Syntax,
    /// The rules of the scheme's specification (RFC 3986 section 6.2.3): default ports,
    /// the empty path, IPv6 addresses, hosts in other scripts, `mailto:`, `tel:`; for a
    /// URN the rules of its namespace.
    Scheme,
}

impl Level {
    /// The levels from fine to coarse.
    pub const ALL: &'static [Level] = &[Level::None, Level::Lexical, Level::Syntax, Level::Scheme];

    /// Returns the name that flags use.
    ///
    /// ```
    /// use urisieve::canonicalize::Level;
    /// let names: Vec<_> = Level::ALL.iter().map(|level| level.name()).collect();
    /// assert_eq!(names, ["none", "lexical", "syntax", "scheme"]);
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Level::None => "none",
            Level::Lexical => "lexical",
            Level::Syntax => "syntax",
            Level::Scheme => "scheme",
        }
    }

    /// Returns a description in a few words.
    ///
    /// ```
    /// use urisieve::canonicalize::Level;
    /// assert_eq!(Level::None.meaning(), "as extracted");
    /// ```
    pub const fn meaning(self) -> &'static str {
        match self {
            Level::None => "as extracted",
            Level::Lexical => "case of scheme, host, %XX; of a URN the assigned-name",
            Level::Syntax => "and unreserved %XX, IRIs, dot segments, an empty port",
            Level::Scheme => "and default ports, empty paths, IPv6, IDNA, URN namespaces",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for an unknown name of a level.
///
/// ```
/// use urisieve::canonicalize::Level;
/// let error = "loose".parse::<Level>().unwrap_err();
/// assert!(error.to_string().starts_with(r#"no level is called "loose""#));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLevel(String);

impl fmt::Display for UnknownLevel {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "no level is called {:?}; the levels are", self.0)?;
        Level::ALL
            .iter()
            .try_for_each(|level| write!(f, " {level}"))
    }
}

impl std::error::Error for UnknownLevel {}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(name: &str) -> Result<Level, UnknownLevel> {
        Level::ALL
            .iter()
            .copied()
            .find(|level| level.name() == name)
            .ok_or_else(|| UnknownLevel(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_is_read_as_it_is_written() {
        for &level in Level::ALL {
            assert_eq!(level.to_string().parse(), Ok(level));
            assert!(level.meaning().contains(' '));
        }
        let error = "x".parse::<Level>().unwrap_err();
        let expect = r#"no level is called "x"; the levels are none lexical syntax scheme"#;
        assert_eq!(error.to_string(), expect);
    }
}
