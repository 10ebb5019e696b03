//! Validity by RFC 3986 and RFC 3987 against fluent-uri, iri-string and oxiri.

use proptest::prelude::*;
use urisieve::syntax::{validate, validate_iri, validate_iri_reference, validate_reference};

/// The verdicts of each peer: a URI, a URI reference, an IRI, an IRI reference. oxiri
/// supports only IRIs.
fn verdicts(text: &str) -> [(&'static str, [Option<bool>; 4]); 3] {
    use iri_string::types::{IriReferenceStr, IriStr, UriReferenceStr, UriStr};
    let fluent = [
        Some(fluent_uri::Uri::parse(text).is_ok()),
        Some(fluent_uri::UriRef::parse(text).is_ok()),
        Some(fluent_uri::Iri::parse(text).is_ok()),
        Some(fluent_uri::IriRef::parse(text).is_ok()),
    ];
    let string = [
        Some(UriStr::new(text).is_ok()),
        Some(UriReferenceStr::new(text).is_ok()),
        Some(IriStr::new(text).is_ok()),
        Some(IriReferenceStr::new(text).is_ok()),
    ];
    let oxiri = [
        None,
        None,
        Some(oxiri::Iri::parse(text).is_ok()),
        Some(oxiri::IriRef::parse(text).is_ok()),
    ];
    [
        ("fluent-uri", fluent),
        ("iri-string", string),
        ("oxiri", oxiri),
    ]
}

/// No difference is known, so none is accepted.
fn compare(text: &str) -> Result<(), TestCaseError> {
    let bytes = text.as_bytes();
    let ours = [
        validate(bytes),
        validate_reference(bytes),
        validate_iri(bytes),
        validate_iri_reference(bytes),
    ];
    for (peer, theirs) in verdicts(text) {
        for (which, (ours, theirs)) in ours.iter().zip(theirs).enumerate() {
            if theirs.is_some_and(|theirs| theirs != ours.is_ok()) {
                let failed = format!("{text:?} ({which}): {ours:?} here, not by {peer}");
                return Err(TestCaseError::fail(failed));
            }
        }
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_characters(text in "[a-c1:/?#@%2f\\[\\]v. |é\u{E000}\u{FFFE}\u{E0001}-]{0,12}") {
        compare(&text)?;
    }

    #[test]
    fn any_authority(authority in "([a@:é]{0,3}|%4[1g])@?(\\[[0-9a-f:.v]{0,12}\\]?|[a-z.%4]{0,5})(:[0-9a]{0,2})?", tail in "[/?#a:]{0,3}") {
        compare(&format!("s://{authority}{tail}"))?;
        compare(&format!("//{authority}{tail}"))?;
    }

    #[test]
    fn any_address(groups in prop::collection::vec("[0-9A-f]{0,2}|[0-9]{1,5}|1\\.2\\.3\\.4|(0|25[4-6])\\.0\\.1\\.(01|9)", 1..10)) {
        compare(&format!("//[{}]", groups.join(":")))?;
    }

    #[test]
    fn any_future_address_or_zone(literal in "[vV]?[0-9a-g]{0,3}[.:]{0,2}[!a:%2]{0,3}|(fe80::1|v1\\.a)(%|%25)[a%4]{0,3}") {
        compare(&format!("s://[{literal}]"))?;
    }

    #[test]
    fn any_scheme(scheme in "[a1+.é:-]{0,5}", path in "[/a:]{0,4}") {
        compare(&format!("{scheme}:{path}"))?;
    }
}
