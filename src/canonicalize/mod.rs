//! Which spelling stands for all equal ones? A pure function from bytes to
//! bytes: the canonical string is the key, so two occurrences are the same
//! exactly when their canonical strings are equal octet by octet.

mod lexical;
mod redact;

pub use redact::Redactor;
pub mod namespace;
pub mod resolver;

use crate::syntax::urn;
use std::fmt;
use std::str::FromStr;

/// Which URIs are equal; each level is coarser than the one before.
///
/// ```
/// use urisieve::canonicalize::Level;
/// assert_eq!("lexical".parse(), Ok(Level::Lexical));
/// assert!(Level::None < Level::Lexical);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// As extracted.
    None,
    /// Scheme and host in lower case, hexadecimal digits of percent-encoding in
    /// upper case (RFC 3986 section 6.2.2.1); of a URN the assigned-name, with
    /// `urn` and NID in lower case (RFC 8141 section 3.1).
    #[default]
    Lexical,
}

impl Level {
    /// The levels from fine to coarse.
    pub const ALL: [Level; 2] = [Level::None, Level::Lexical];

    /// The name that flags use.
    ///
    /// ```
    /// use urisieve::canonicalize::Level;
    /// assert_eq!(Level::ALL.map(Level::name), ["none", "lexical"]);
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Level::None => "none",
            Level::Lexical => "lexical",
        }
    }

    /// What it makes equal, in a few words.
    ///
    /// ```
    /// use urisieve::canonicalize::Level;
    /// assert_eq!(Level::None.meaning(), "as extracted");
    /// ```
    pub const fn meaning(self) -> &'static str {
        match self {
            Level::None => "as extracted",
            Level::Lexical => "case of scheme, host, %XX; of a URN the assigned-name",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The error for a name that is no level.
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
            .into_iter()
            .find(|level| level.name() == name)
            .ok_or_else(|| UnknownLevel(name.to_owned()))
    }
}

/// Gives each URI its canonical form.
///
/// ```
/// use urisieve::canonicalize::{Canonicalizer, Level};
/// let canonicalizer = Canonicalizer::new(Level::Lexical);
/// let mut buffer = Vec::new();
/// let uri = canonicalizer.canonicalize(b"HTTP://A.example/%7euser", &mut buffer);
/// assert_eq!(uri, b"http://a.example/%7Euser");
/// let urn = canonicalizer.canonicalize(b"URN:ISBN:0395363411?+r", &mut buffer);
/// assert_eq!(urn, b"urn:isbn:0395363411");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Canonicalizer {
    level: Level,
    keep_components: bool,
    strip_fragment: bool,
}

impl Canonicalizer {
    /// A canonicalizer for this level.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, Level};
    /// let mut buffer = Vec::new();
    /// let as_it_is = Canonicalizer::new(Level::None).canonicalize(b"HTTP://A/", &mut buffer);
    /// assert_eq!(as_it_is, b"HTTP://A/");
    /// ```
    pub fn new(level: Level) -> Canonicalizer {
        Canonicalizer {
            level,
            ..Canonicalizer::default()
        }
    }

    /// Whether the r-, q- and f-component of a URN take part in equality
    /// (RFC 8141 section 3.1 ignores them); default no.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// let mut buffer = Vec::new();
    /// let keeps = Canonicalizer::default().keep_components(true);
    /// assert_eq!(keeps.canonicalize(b"URN:a-b:c?=q", &mut buffer), b"urn:a-b:c?=q");
    /// ```
    pub fn keep_components(mut self, keep: bool) -> Canonicalizer {
        self.keep_components = keep;
        self
    }

    /// Whether fragments of URLs are left out; default no.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// let mut buffer = Vec::new();
    /// let strips = Canonicalizer::default().strip_fragment(true);
    /// assert_eq!(strips.canonicalize(b"http://a/#top", &mut buffer), b"http://a/");
    /// ```
    pub fn strip_fragment(mut self, strip: bool) -> Canonicalizer {
        self.strip_fragment = strip;
        self
    }

    /// Its level.
    ///
    /// ```
    /// use urisieve::canonicalize::{Canonicalizer, Level};
    /// assert_eq!(Canonicalizer::default().level(), Level::Lexical);
    /// ```
    pub fn level(&self) -> Level {
        self.level
    }

    /// Whether `uri` is its own canonical form. Never true when it is not.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// let canonicalizer = Canonicalizer::default();
    /// assert!(canonicalizer.is_canonical(b"http://a.example/B"));
    /// assert!(!canonicalizer.is_canonical(b"http://A.example/B"));
    /// ```
    #[inline]
    pub fn is_canonical(&self, uri: &[u8]) -> bool {
        self.key_len(uri) == uri.len() && self.is_spelled(uri)
    }

    /// How much of `uri` takes part in equality.
    #[inline]
    fn key_len(&self, uri: &[u8]) -> usize {
        let cut = match urn::assigned_name_len(uri) {
            Some(len) => (self.level >= Level::Lexical && !self.keep_components).then_some(len),
            None if self.strip_fragment => memchr::memchr(b'#', uri),
            None => None,
        };
        cut.unwrap_or(uri.len())
    }

    /// Whether `key`, which is to be cut no more, is spelled canonically.
    #[inline]
    fn is_spelled(&self, key: &[u8]) -> bool {
        match self.level {
            Level::None => true,
            Level::Lexical => lexical::is_canonical(key),
        }
    }

    /// The canonical form of `uri`: `uri` itself or a part of it when nothing is
    /// spelled differently, otherwise written into `buffer`, whose content is
    /// replaced.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// let mut buffer = Vec::new();
    /// let canonicalizer = Canonicalizer::default();
    /// let first = canonicalizer.canonicalize(b"urn:ISBN:0395363411", &mut buffer).to_vec();
    /// assert_eq!(canonicalizer.canonicalize(b"URN:isbn:0395363411", &mut buffer), first);
    /// ```
    #[inline]
    pub fn canonicalize<'a>(&self, uri: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        let key = &uri[..self.key_len(uri)];
        if self.is_spelled(key) {
            return key;
        }
        buffer.clear();
        match self.level {
            Level::None => buffer.extend_from_slice(key),
            Level::Lexical => lexical::write(key, buffer),
        }
        buffer
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn canonical(level: Level, uri: &[u8]) -> Vec<u8> {
        let mut buffer = Vec::new();
        Canonicalizer::new(level)
            .canonicalize(uri, &mut buffer)
            .to_vec()
    }

    /// Strings that look like URIs often enough to reach every branch.
    fn uris() -> impl Strategy<Value = String> {
        "(http|HTTPS|urn|URN|mailto|x)(:|://)[a-zA-Z0-9%:@/?#.\\[\\]ü-]{0,24}"
    }

    proptest! {
        #[test]
        fn e1_and_e6_with_every_switch(uri in uris(), keep in any::<bool>(), strip in any::<bool>()) {
            for level in Level::ALL {
                let canonicalizer = Canonicalizer::new(level).keep_components(keep).strip_fragment(strip);
                let mut buffer = Vec::new();
                let once = canonicalizer.canonicalize(uri.as_bytes(), &mut buffer).to_vec();
                prop_assert!(canonicalizer.is_canonical(&once));
                if canonicalizer.is_canonical(uri.as_bytes()) {
                    prop_assert_eq!(&once[..], uri.as_bytes());
                }
            }
        }

        #[test]
        fn e1_idempotent_and_e6_proven(uri in uris()) {
            for level in Level::ALL {
                let once = canonical(level, uri.as_bytes());
                prop_assert_eq!(&canonical(level, &once), &once);
                let canonicalizer = Canonicalizer::new(level);
                if canonicalizer.is_canonical(uri.as_bytes()) {
                    prop_assert_eq!(&once[..], uri.as_bytes());
                }
            }
        }

        #[test]
        fn e2_each_level_is_coarser(uri in uris()) {
            for pair in Level::ALL.windows(2) {
                let fine = canonical(pair[0], uri.as_bytes());
                prop_assert_eq!(canonical(pair[1], &fine), canonical(pair[1], uri.as_bytes()));
            }
        }

        #[test]
        fn e3_valid_stays_valid(uri in uris()) {
            use crate::syntax::validate;
            if validate(uri.as_bytes()).is_ok() {
                prop_assert!(validate(&canonical(Level::Lexical, uri.as_bytes())).is_ok());
            }
        }
    }
}
