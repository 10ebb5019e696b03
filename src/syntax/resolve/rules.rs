//! The documents whose algorithms resolve references, and their names.

use std::fmt;
use std::str::FromStr;

/// The documents whose algorithms [`resolve`](super::resolve) knows.
///
/// ```
/// use urisieve::syntax::resolve::Rules;
/// assert_eq!("3986".parse(), Ok(Rules::Rfc3986));
/// assert_eq!("1998".parse(), Ok(Rules::Rfc2396));
/// assert_eq!(Rules::default().to_string(), "3986");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rules {
    /// RFC 3986 section 5.2, the strict parser, with one guard: a path that begins with
    /// `//` gets `/.` before it when there is no authority, because section 3.3 forbids
    /// such a path, which would be read as an authority.
    #[default]
    Rfc3986,
    /// Section 5.2 of the generic syntax draft of 1998, which became RFC 2396.
    Rfc2396,
    /// "Partial form" of the first draft, Uniform Resource Locators of 1993.
    Rfc1993,
    /// The URL Standard of the WHATWG, for HTML (feature `whatwg`).
    #[cfg(feature = "html")]
    Whatwg,
}

impl Rules {
    /// All rules, the default first.
    pub const ALL: &'static [Rules] = &[
        Rules::Rfc3986,
        Rules::Rfc2396,
        Rules::Rfc1993,
        #[cfg(feature = "html")]
        Rules::Whatwg,
    ];

    /// Returns the name that flags use.
    ///
    /// ```
    /// use urisieve::syntax::resolve::Rules;
    /// assert_eq!(Rules::Rfc2396.name(), "2396");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Rules::Rfc3986 => "3986",
            Rules::Rfc2396 => "2396",
            Rules::Rfc1993 => "1993",
            #[cfg(feature = "html")]
            Rules::Whatwg => "whatwg",
        }
    }
}

impl Rules {
    /// Whether these are the rules of the URL Standard, by which `http:b` is relative.
    ///
    /// ```
    /// use urisieve::syntax::resolve::Rules;
    /// assert!(Rules::ALL.iter().filter(|rules| rules.are_of_urls()).count() <= 1);
    /// assert!(!Rules::Rfc3986.are_of_urls());
    /// ```
    pub const fn are_of_urls(self) -> bool {
        match self {
            Rules::Rfc3986 | Rules::Rfc2396 | Rules::Rfc1993 => false,
            #[cfg(feature = "html")]
            Rules::Whatwg => true,
        }
    }
}

impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for an unknown name of rules.
///
/// ```
/// use urisieve::syntax::resolve::Rules;
/// let error = "1808".parse::<Rules>().unwrap_err();
/// assert!(error.to_string().starts_with(r#"no rules are called "1808"; the rules are 3986 2396"#));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRules(String);

impl fmt::Display for UnknownRules {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "no rules are called {:?}; the rules are", self.0)?;
        Rules::ALL
            .iter()
            .try_for_each(|rules| write!(f, " {rules}"))
    }
}

impl std::error::Error for UnknownRules {}

impl FromStr for Rules {
    type Err = UnknownRules;

    fn from_str(name: &str) -> Result<Rules, UnknownRules> {
        // The year of the draft is another name of the RFC that it became.
        let known = if name == "1998" { "2396" } else { name };
        Rules::ALL
            .iter()
            .copied()
            .find(|rules| rules.name() == known)
            .ok_or_else(|| UnknownRules(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for &rules in Rules::ALL {
            assert_eq!(rules.name().parse(), Ok(rules));
        }
        assert!("".parse::<Rules>().is_err());
    }
}
