//! The kind of value that the checks expect in a listed value, its name, and the values of a
//! subfield that has several.

use super::check::{ExpectedValue, addresses, check, is_nearly_uri, is_one};
use super::listing::{ListedKind, ListedValue, may_have_numbers, numbers};
use crate::decode::RecordRules;

/// Whether a value that is not a URI was meant as one. Fields of Dublin Core hold identifiers,
/// also without a scheme; other fields hold texts of any kind.
pub(super) fn is_meant(rules: RecordRules, value: &str) -> bool {
    let wrong = [
        "missing-scheme",
        "misspelt-scheme",
        "nested-scheme",
        "text-before",
        "two-uris",
        "blank-inside",
        "bad-char",
    ];
    let is_identifier = || {
        let checked = check(value, ExpectedValue::Uri);
        let is_other = checked.codes().any(|code| code == "no-scheme");
        !is_other && checked.codes().any(|code| wrong.contains(&code))
    };
    is_nearly_uri(value) || rules == RecordRules::DublinCore && is_identifier()
}

impl ListedValue<'_> {
    /// Returns the values in `text` if it has several: addresses, or numbers.
    pub(super) fn parts<'t>(&self, text: &'t [u8]) -> Option<Vec<&'t str>> {
        let may_have_some = match self.kind.is_of_address() {
            true => self.is_valid && !is_one(text),
            false => may_have_numbers(self.kind, text),
        };
        let text = may_have_some.then(|| std::str::from_utf8(text).ok())??;
        let parts = match self.kind.is_of_address() {
            true => addresses(text),
            false => numbers(self.kind, text),
        };
        // A text may have words between its addresses.
        let is_prose = |part: &&str| part.contains([' ', '\u{A0}']);
        let is_text = self.kind == ListedKind::MaybeUri && parts.iter().any(is_prose);
        (parts.len() > 1 && !is_text).then_some(parts)
    }

    /// Returns the kind of value that the checks expect.
    ///
    /// ```
    /// use urisieve::catalog::check::ExpectedValue;
    /// use urisieve::catalog::{FieldChoice, listed_values};
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// let mut record = CatalogRecord::default();
    /// CatalogReader::new(CatalogFormat::Mrk).read(b"=020  \\\\$a1$z2\n", true, &mut record);
    /// let listed = listed_values(&record, &FieldChoice::default());
    /// let expected = listed.iter().map(|value| value.expected());
    /// assert!(expected.eq([ExpectedValue::Isbn, ExpectedValue::Cancelled]));
    /// ```
    pub fn expected(&self) -> ExpectedValue {
        match self.kind {
            ListedKind::Note => ExpectedValue::Note,
            _ if !self.is_valid => ExpectedValue::Cancelled,
            ListedKind::Isbn => ExpectedValue::Isbn,
            ListedKind::Issn => ExpectedValue::Issn,
            ListedKind::Doi => ExpectedValue::Doi,
            ListedKind::Authority(_) => ExpectedValue::Authority,
            ListedKind::Handle | ListedKind::Ark | ListedKind::Isan | ListedKind::Urn => {
                ExpectedValue::Name
            }
            ListedKind::Uri if self.is_exact => ExpectedValue::Subfield,
            ListedKind::Uri | ListedKind::MaybeUri => ExpectedValue::Uri,
        }
    }
}

impl ListedKind {
    /// Whether values of the kind are addresses, of which a subfield may have several.
    pub(super) fn is_of_address(self) -> bool {
        matches!(self, ListedKind::Uri | ListedKind::MaybeUri)
    }

    /// Returns the name of the kind; empty for a value that should be a URI.
    ///
    /// ```
    /// use urisieve::catalog::ListedKind;
    /// assert_eq!([ListedKind::Isbn, ListedKind::Uri].map(ListedKind::name), ["isbn", ""]);
    /// ```
    pub fn name(self) -> &'static str {
        match self {
            ListedKind::Authority(authority) => authority.name(),
            ListedKind::Uri | ListedKind::MaybeUri | ListedKind::Note => "",
            ListedKind::Isbn => "isbn",
            ListedKind::Issn => "issn",
            ListedKind::Urn => "urn",
            ListedKind::Doi => "doi",
            ListedKind::Handle => "handle",
            ListedKind::Ark => "ark",
            ListedKind::Isan => "isan",
        }
    }
}
