//! The rows of the table in their order, repeated until no row repairs the value.

use super::draft::{Draft, trimmed};
use super::expected::ExpectedValue;
use super::table::{CheckHit, CheckRow, Severity};
use super::{address, characters, names, place, plain, scheme};

/// The result of checking a value.
///
/// ```
/// use urisieve::catalog::check::{ExpectedValue, check};
/// let checked = check("hhtp:/a.example/x", ExpectedValue::Uri);
/// assert!(checked.codes().eq(["misspelt-scheme", "missing-slashes"]));
/// assert_eq!(checked.suggestion.as_deref(), Some("http://a.example/x"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CheckedValue {
    /// The problems, in the order of the table.
    pub hits: Vec<CheckHit>,
    /// The value after all repairs, if any.
    pub suggestion: Option<String>,
}

impl CheckedValue {
    /// Returns the codes of the defects.
    ///
    /// ```
    /// use urisieve::catalog::check::{ExpectedValue, check};
    /// assert!(check("urn:isbn:0451450524", ExpectedValue::Uri).codes().eq(["isbn-check"]));
    /// ```
    pub fn codes(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.hits.iter().map(|hit| hit.row.code)
    }
}

/// The greatest number of passes over a value: a repair may reveal a defect that an
/// earlier row repairs.
const PASSES: usize = 8;

/// Checks a value of a field that should hold the `expected` kind of value.
///
/// ```
/// use urisieve::catalog::check::{ExpectedValue, check};
/// let checked = check("www.a.example/my file.pdf", ExpectedValue::Uri);
/// assert!(checked.codes().eq(["missing-scheme", "blank-inside"]));
/// assert_eq!(checked.suggestion.as_deref(), Some("http://www.a.example/my%20file.pdf"));
/// assert_eq!(check("http://a.example/", ExpectedValue::Uri).suggestion, None);
/// ```
pub fn check(value: &str, expected: ExpectedValue) -> CheckedValue {
    let draft = ran(value, expected, &|_| true);
    let codes: Vec<_> = draft.hits.iter().map(|hit| hit.row).collect();
    CheckedValue {
        hits: draft.hits.clone(),
        suggestion: settled(draft, value, &codes, &|_| true),
    }
}

/// Returns the value after the repairs of the rows that `chosen` accepts, or `None` when
/// these do not change it. Repairs that a person must decide are not made.
///
/// ```
/// use urisieve::catalog::check::{ExpectedValue, repair};
/// let value = "http//a.example/x.";
/// let only = |code: &str| repair(value, ExpectedValue::Uri, |row| row.code == code);
/// assert_eq!(only("missing-colon").as_deref(), Some("http://a.example/x."));
/// assert_eq!(only("trailing-punct").as_deref(), Some("http//a.example/x"));
/// assert_eq!(only("bad-host"), None);
/// ```
pub fn repair(
    value: &str,
    expected: ExpectedValue,
    chosen: impl Fn(&CheckRow) -> bool,
) -> Option<String> {
    let chosen = |hit: &CheckHit| hit.may_fix && chosen(hit.row);
    let draft = ran(value, expected, &chosen);
    if draft.repaired.is_empty() {
        return None;
    }
    let all = ran(value, expected, &|_| true);
    let codes: Vec<_> = all.hits.iter().map(|hit| hit.row).collect();
    settled(draft, value, &codes, &chosen)
}

/// Repeats the rows until none of them repairs the value, which had the defects `before`.
/// Returns the value if it differs from the one before, apart from blanks around it, and is
/// better: it has none of the defects that were repaired, and no new error or warning.
fn settled(
    draft: Draft,
    value: &str,
    before: &[&CheckRow],
    chosen: &dyn Fn(&CheckHit) -> bool,
) -> Option<String> {
    if draft.repaired.is_empty() {
        return None;
    }
    let expected = draft.expected;
    let (mut repaired, mut made) = (draft.value.into_owned(), draft.repaired);
    for _ in 0..PASSES {
        let again = ran(&repaired, expected, chosen);
        if *again.value != *repaired {
            made.extend(again.repaired);
            repaired = again.value.into_owned();
            continue;
        }
        let left = ran(&repaired, expected, &|_| true).hits;
        let is_better = left.iter().all(|hit| {
            let row = hit.row;
            let is_new = row.severity >= Severity::Warning && !before.contains(&row);
            !made.contains(&row.code) && !is_new
        });
        // Only blanks around a value in a subfield are a change.
        let before = if made.contains(&"outer-blank") {
            value
        } else {
            trimmed(value)
        };
        return (is_better && repaired != before).then_some(repaired);
    }
    None
}

/// Runs the rows over `value`, and makes the repairs that `chosen` accepts.
fn ran<'c>(
    value: &'c str,
    expected: ExpectedValue,
    chosen: &'c dyn Fn(&CheckHit) -> bool,
) -> Draft<'c> {
    let mut draft = Draft::new(value, expected, chosen);
    if draft.value.is_empty() {
        return draft;
    }
    let is_padded = expected == ExpectedValue::Subfield && draft.value.len() < value.len();
    if is_padded || !plain::is_right(&draft.value, expected) {
        run_rows(&mut draft, is_padded);
    }
    draft
}

/// Runs each row for every value, which may have had blanks around it.
pub(super) fn run_rows(draft: &mut Draft, is_padded: bool) {
    if draft.expected == ExpectedValue::Note {
        return names::note(draft);
    }
    characters::invisible(draft);
    characters::outer(draft, is_padded);
    match draft.expected {
        ExpectedValue::Isbn => return names::number(draft, b"isbn"),
        ExpectedValue::Issn => return names::number(draft, b"issn"),
        ExpectedValue::Authority => return names::authority(draft),
        ExpectedValue::Doi | ExpectedValue::Name | ExpectedValue::Cancelled
            if !scheme::has_one(&draft.value) =>
        {
            if draft.expected == ExpectedValue::Doi {
                characters::punctuation(draft);
            }
            return names::name(draft);
        }
        _ => {}
    }
    if place::script(draft) {
        return;
    }
    scheme::text_before(draft);
    if scheme::nested(draft) || scheme::two(draft) {
        return;
    }
    characters::punctuation(draft);
    characters::references(draft);
    if !scheme::repair(draft) {
        return;
    }
    address::blanks(draft);
    address::host(draft);
    place::hash(draft);
    place::resolver(draft);
    place::file(draft);
    place::session(draft);
    address::credentials(draft);
    characters::encode(draft);
    address::detours(draft);
    names::doi(draft);
    names::urn(draft);
}
