//! Files of rules that remove parameters (I15): the JSON of ClearURLs, or lines of AdGuard.

use super::ParamRules;
use crate::canonicalize::query::TRACKING;
use serde_json::Value;
use std::fmt;

/// The error for a list that has no rule, or a wrong one.
///
/// ```
/// use urisieve::canonicalize::params::ParamRules;
/// let error = ParamRules::default().add_list("||a.example^").unwrap_err();
/// assert_eq!(error.to_string(), "neither rules of ClearURLs nor $removeparam of AdGuard");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadParamList(ListFault);

#[derive(Clone, Debug, PartialEq, Eq)]
enum ListFault {
    Json(String),
    /// The provider with this name has no pattern.
    NoPattern(String),
    Empty,
}

impl fmt::Display for BadParamList {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match &self.0 {
            ListFault::Json(error) => f.write_str(error),
            ListFault::NoPattern(name) => write!(f, "provider {name:?} has no urlPattern"),
            ListFault::Empty => {
                f.write_str("neither rules of ClearURLs nor $removeparam of AdGuard")
            }
        }
    }
}

impl std::error::Error for BadParamList {}

impl ParamRules {
    /// Returns the file that a name of parameters names: `@FILE`, unless it is the list
    /// `@tracking`, which is built in.
    ///
    /// ```
    /// use urisieve::canonicalize::params::ParamRules;
    /// assert_eq!(ParamRules::file_of("@rules.json"), Some("rules.json"));
    /// assert_eq!((ParamRules::file_of("@tracking"), ParamRules::file_of("utm_*")), (None, None));
    /// ```
    pub fn file_of(name: &str) -> Option<&str> {
        name.strip_prefix('@').filter(|_| name != TRACKING)
    }

    /// Adds the rules of a list: the providers of ClearURLs (JSON), or the rules of AdGuard, one a
    /// line. Returns the number of rules or providers that were added; others are skipped.
    ///
    /// ```
    /// use urisieve::canonicalize::params::ParamRules;
    /// let mut rules = ParamRules::default();
    /// assert_eq!(rules.add_list("! a list\n$removeparam=ref\n||a.example^\n"), Ok(1));
    /// let list = r#"{"providers": {"a": {"urlPattern": "^https?://a\\.example", "rules": ["id"]}}}"#;
    /// assert_eq!(rules.add_list(list), Ok(1));
    /// ```
    ///
    /// # Errors
    /// The list is not JSON although it begins with `{`, a provider has no pattern, or there is
    /// no rule.
    pub fn add_list(&mut self, text: &str) -> Result<usize, BadParamList> {
        let added = match text.trim_start().starts_with('{') {
            true => self.add_providers(text).map_err(BadParamList)?,
            false => text.lines().filter(|line| self.add_filter(line)).count(),
        };
        match added {
            0 => Err(BadParamList(ListFault::Empty)),
            _ => Ok(added),
        }
    }

    /// Adds the providers of ClearURLs; returns their number.
    fn add_providers(&mut self, text: &str) -> Result<usize, ListFault> {
        let list: Value =
            serde_json::from_str(text).map_err(|error| ListFault::Json(error.to_string()))?;
        let Some(providers) = list.get("providers").and_then(Value::as_object) else {
            return Ok(0);
        };
        let texts = |provider: &Value, key: &str| -> Vec<String> {
            let list = provider.get(key).and_then(Value::as_array);
            let texts = list.into_iter().flatten().filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        };
        for (name, provider) in providers {
            let pattern = provider.get("urlPattern").and_then(Value::as_str);
            let pattern = pattern.ok_or_else(|| ListFault::NoPattern(name.clone()))?;
            let (names, exceptions) = (texts(provider, "rules"), texts(provider, "exceptions"));
            self.add_provider(pattern, &names, &exceptions);
        }
        Ok(providers.len())
    }
}
