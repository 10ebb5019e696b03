//! The URI of a number in its own field (`--make-urn`), without a scheme.

use super::check::{ExpectedValue, check, number_of};
use crate::canonicalize::namespace;
use crate::item::IdentifierKind;

/// The kind of identifier that a field holds without a scheme.
///
/// ```
/// use urisieve::catalog::{NumberField, make_urn};
/// let uri = make_urn(NumberField::Doi, "10.1000/182");
/// assert_eq!(uri.as_deref(), Some("doi:10.1000/182"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NumberField {
    /// MARC 020.
    Isbn,
    /// MARC 022.
    Issn,
    /// MARC 024 with `$2 doi`.
    Doi,
    /// MARC 024 with `$2 hdl`.
    Handle,
    /// MARC 024 with the first indicator 3: an ISBN if it begins with 978 or 979.
    Ean,
}

/// Returns the URI of the number in `value`: `urn:isbn:` and `urn:issn:` without hyphens,
/// `doi:` and `hdl:` with the name as written. A number ends at a blank, `(`, `:` or `;`.
/// `None` if its shape does not fit the field; a wrong check digit is kept. A value that
/// already has its scheme keeps only that scheme.
///
/// ```
/// use urisieve::catalog::{NumberField, make_urn};
/// let isbn = make_urn(NumberField::Isbn, "0-8044-2957-x (pbk.)");
/// assert_eq!(isbn.as_deref(), Some("urn:isbn:080442957X"));
/// let issn = make_urn(NumberField::Issn, "0259-000x");
/// assert_eq!(issn.as_deref(), Some("urn:issn:0259000X"));
/// let handle = make_urn(NumberField::Handle, "hdl:2027/mdp.1");
/// assert_eq!(handle.as_deref(), Some("hdl:2027/mdp.1"));
/// assert_eq!(make_urn(NumberField::Isbn, "see 020"), None);
/// assert_eq!(make_urn(NumberField::Ean, "4006381333931"), None);
/// ```
pub fn make_urn(field: NumberField, value: &str) -> Option<String> {
    made_urn(field, value).map(|made| made.uri)
}

/// The URI that is made from a number.
pub(super) struct MadeUri {
    pub uri: String,
    /// Whether it is its own canonical form at each level. Rows ask for it.
    #[cfg_attr(not(feature = "marc"), allow(dead_code))]
    pub is_canonical: bool,
}

/// Does the same as [`make_urn`].
pub(super) fn made_urn(field: NumberField, value: &str) -> Option<MadeUri> {
    let value = value.trim_matches([' ', '\t', '\u{A0}']);
    let number = || number_of(value);
    match field {
        NumberField::Isbn => named("isbn", number()),
        NumberField::Issn => named("issn", number()),
        NumberField::Ean => {
            let number = number();
            let is_book = number.starts_with("978") || number.starts_with("979");
            let digits = number.bytes().filter(u8::is_ascii_digit).count();
            named("isbn", number).filter(|_| is_book && digits == 13)
        }
        NumberField::Doi => {
            let name = without_scheme(value, "doi:");
            let is_doi = check(name, ExpectedValue::Doi).codes().next().is_none();
            prefixed(IdentifierKind::Doi, name).filter(|_| is_doi && name.starts_with("10."))
        }
        NumberField::Handle => {
            let name = without_scheme(value, "hdl:");
            let (prefix, local) = name.split_once('/')?;
            let is_prefix = !prefix.is_empty()
                && prefix
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || b == b'.');
            prefixed(IdentifierKind::Handle, name).filter(|_| is_prefix && !local.is_empty())
        }
    }
}

fn named(nid: &str, number: &str) -> Option<MadeUri> {
    let number = number.as_bytes();
    let rule = namespace::rule(nid.as_bytes()).filter(|rule| rule.has_shape(number))?;
    let mut uri = Vec::with_capacity("urn::".len() + nid.len() + number.len());
    for part in ["urn:", nid, ":"] {
        uri.extend_from_slice(part.as_bytes());
    }
    rule.write(number, &mut uri);
    Some(MadeUri {
        uri: String::from_utf8(uri).ok()?,
        is_canonical: true,
    })
}

fn without_scheme<'v>(value: &'v str, scheme: &str) -> &'v str {
    match value.get(..scheme.len()) {
        Some(head) if head.eq_ignore_ascii_case(scheme) => value[scheme.len()..].trim_start(),
        _ => value,
    }
}

fn prefixed(kind: IdentifierKind, name: &str) -> Option<MadeUri> {
    let is_plain =
        |&byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/');
    let bytes = name.as_bytes();
    let is_canonical =
        bytes.iter().all(is_plain) && !bytes.windows(2).any(|pair| matches!(pair, b"/." | b"//"));
    let is_whole = is_canonical || !name.contains([' ', '\t', '\u{A0}']);
    is_whole.then(|| MadeUri {
        uri: [kind.prefix(), name].concat(),
        is_canonical,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonicalize::{Canonicalizer, Level};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_canonical_is_its_own_form_at_each_level(
            field in proptest::sample::select(&[
                NumberField::Isbn, NumberField::Issn, NumberField::Doi, NumberField::Handle, NumberField::Ean,
            ][..]),
            value in prop_oneof![
                "[0-9]{3}-?[0-9]{3,9}-?[0-9xX]",
                "(doi:|hdl:|)10\\.[0-9]{4}(/|%2F)[a-zA-Z0-9._/ #%-]{0,9}",
                "[0-9.]{1,6}/(\\.\\./|/|[a-z%:?]){0,4}",
            ],
        ) {
            let Some(made) = made_urn(field, &value) else {
                return Ok(());
            };
            for &level in Level::ALL {
                let canonicalizer = Canonicalizer::new(level);
                let canonical = canonicalizer.canonical(made.uri.as_bytes());
                prop_assert!(!made.is_canonical || canonical == made.uri.as_bytes(), "{}", made.uri);
            }
        }
    }

    #[test]
    fn usual_numbers_are_canonical() {
        for (field, value) in [
            (NumberField::Isbn, "0-451-45052-3 (pbk.)"),
            (NumberField::Issn, "2049-3630"),
            (NumberField::Doi, "10.1000/a.b-c_1"),
            (NumberField::Handle, "2027/mdp.1"),
        ] {
            assert!(
                made_urn(field, value).is_some_and(|made| made.is_canonical),
                "{value}"
            );
        }
    }
}
