//! A value while the rows of the table run over it: the findings, and the repaired
//! value.

use super::expected::ExpectedValue;
use super::table::{CheckHit, CheckRow};
use std::borrow::Cow;

/// A value with the repairs so far.
pub(super) struct Draft<'c> {
    pub value: Cow<'c, str>,
    pub expected: ExpectedValue,
    pub hits: Vec<CheckHit>,
    /// The codes of the repairs that were made.
    pub repaired: Vec<&'static str>,
    /// Which repairs are made.
    chosen: &'c dyn Fn(&CheckHit) -> bool,
}

impl<'c> Draft<'c> {
    pub(super) fn new(
        value: &'c str,
        expected: ExpectedValue,
        chosen: &'c dyn Fn(&CheckHit) -> bool,
    ) -> Draft<'c> {
        Draft {
            value: Cow::Borrowed(trimmed(value)),
            expected,
            hits: Vec::new(),
            repaired: Vec::new(),
            chosen,
        }
    }

    /// Reports `code`, with the right value. Returns whether the value was repaired.
    pub(super) fn hit(&mut self, code: &str, repaired: Option<String>) -> bool {
        let Some(row) = CheckRow::of_code(code) else {
            return false;
        };
        let repaired = repaired.filter(|value| !value.is_empty());
        let hit = CheckHit {
            row,
            may_fix: row.may_fix && repaired.is_some(),
        };
        self.hits.push(hit);
        match repaired.filter(|_| (self.chosen)(&hit)) {
            Some(value) => {
                self.value = Cow::Owned(value);
                self.repaired.push(row.code);
                true
            }
            None => false,
        }
    }

    pub(super) fn has(&self, codes: &[&str]) -> bool {
        self.hits.iter().any(|hit| codes.contains(&hit.row.code))
    }
}

/// Returns a value without the blanks around it.
pub(super) fn trimmed(value: &str) -> &str {
    match value.as_bytes() {
        // Most values have none.
        [b'!'..=b'~', .., b'!'..=b'~'] => value,
        _ => value.trim_matches([' ', '\t', '\r', '\n', '\u{A0}']),
    }
}
