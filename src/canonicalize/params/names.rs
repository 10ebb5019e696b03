//! Names of parameters, and expressions for them.

use crate::canonicalize::glob::PctDecoded;
use crate::canonicalize::query;
use std::collections::HashSet;

/// The name in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParamName<'n> {
    /// Every parameter.
    Every,
    /// The one of this name.
    Exact(&'n str),
    /// Those in whose `name=value` this expression is found.
    Found {
        pattern: &'n str,
        ignores_case: bool,
    },
}

/// Names, and expressions for them.
#[derive(Clone, Debug, Default)]
pub(super) struct ParamNames {
    every: bool,
    exact: HashSet<Box<[u8]>>,
    whole: NamePatterns,
    found: NamePatterns,
}

impl ParamNames {
    pub(super) fn is_empty(&self) -> bool {
        !self.every && self.exact.is_empty() && self.whole.is_empty() && self.found.is_empty()
    }

    /// Adds a name; returns false for an expression that is not supported.
    pub(super) fn add(&mut self, name: ParamName) -> bool {
        match name {
            ParamName::Every => self.every = true,
            ParamName::Exact(name) => {
                self.exact.insert(name.as_bytes().into());
            }
            ParamName::Found {
                pattern,
                ignores_case,
            } => {
                let mode = if ignores_case { "(?i)" } else { "" };
                return self.found.add(format!("{mode}{pattern}"));
            }
        }
        true
    }

    /// Adds an expression for whole names, in any case; returns false for one that is not
    /// supported.
    #[cfg(feature = "patterns")]
    pub(super) fn add_pattern(&mut self, pattern: &str) -> bool {
        self.whole.add(format!("(?i)^(?:{pattern})$"))
    }

    /// Adds the names of `other`.
    #[cfg(feature = "patterns")]
    pub(super) fn append(&mut self, other: ParamNames) {
        self.every |= other.every;
        self.exact.extend(other.exact);
        self.whole.texts.extend(other.whole.texts);
        self.found.texts.extend(other.found.texts);
    }

    pub(super) fn settle(&mut self) {
        self.whole.settle();
        self.found.settle();
    }

    /// Whether a parameter, with its value, is one of them. Names are percent-decoded.
    pub(super) fn has(&self, param: &[u8]) -> bool {
        if self.every {
            return true;
        }
        let name = query::name(param);
        // Most have no escapes.
        if memchr::memchr(b'%', param).is_none() {
            return self.has_decoded(name, param);
        }
        let decoded: Vec<u8> = PctDecoded(name).collect();
        let whole: Vec<u8> = PctDecoded(param).collect();
        self.has_decoded(&decoded, &whole)
    }

    fn has_decoded(&self, name: &[u8], param: &[u8]) -> bool {
        self.exact.contains(name) || self.whole.is_match(name) || self.found.is_match(param)
    }
}

/// Regular expressions. Without the feature `patterns` there are none.
#[derive(Clone, Debug, Default)]
struct NamePatterns {
    texts: Vec<String>,
    #[cfg(feature = "patterns")]
    sets: Vec<regex::bytes::RegexSet>,
}

#[cfg(feature = "patterns")]
impl NamePatterns {
    fn is_empty(&self) -> bool {
        self.texts.is_empty() && self.sets.is_empty()
    }

    fn add(&mut self, text: String) -> bool {
        let is_one = regex::bytes::Regex::new(&text).is_ok();
        if is_one {
            self.texts.push(text);
        }
        is_one
    }

    /// Builds the sets, each within the limit of the size of one.
    fn settle(&mut self) {
        let mut parts = Vec::new();
        parts.push(std::mem::take(&mut self.texts));
        while let Some(mut part) = parts.pop() {
            if part.is_empty() {
                continue;
            }
            match regex::bytes::RegexSet::new(&part) {
                Ok(set) => self.sets.push(set),
                Err(_) if part.len() > 1 => {
                    parts.push(part.split_off(part.len() / 2));
                    parts.push(part);
                }
                Err(_) => {}
            }
        }
    }

    fn is_match(&self, text: &[u8]) -> bool {
        self.sets.iter().any(|set| set.is_match(text))
    }
}

#[cfg(not(feature = "patterns"))]
impl NamePatterns {
    fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    fn add(&mut self, _: String) -> bool {
        false
    }

    fn settle(&mut self) {}

    fn is_match(&self, _: &[u8]) -> bool {
        false
    }
}
