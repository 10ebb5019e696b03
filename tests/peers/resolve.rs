//! Resolution by RFC 3986 against fluent-uri, iri-string and oxiri, and by the
//! URL Standard against the crate that implements it here.

use crate::cases::{cases, text};
use iri_string::types::{UriAbsoluteStr, UriReferenceStr};
use proptest::prelude::*;
use urisieve::syntax::resolve::{Note, Notes, Rules, is_opaque, resolve};
use urisieve::syntax::{Components, has_dot_segments, validate, validate_reference};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Peer {
    FluentUri,
    IriString,
    Oxiri,
}

impl Peer {
    const ALL: [Peer; 3] = [Peer::FluentUri, Peer::IriString, Peer::Oxiri];

    /// The peer's result for a valid base without fragment and a valid reference;
    /// `None` when it rejects one of them.
    fn resolve(self, base: &str, reference: &str) -> Option<String> {
        match self {
            Peer::FluentUri => {
                let base = fluent_uri::Uri::parse(base).unwrap();
                let reference = fluent_uri::UriRef::parse(reference).unwrap();
                let uri = reference.resolve_against(&base).ok()?;
                Some(uri.as_str().to_owned())
            }
            Peer::IriString => {
                let base = UriAbsoluteStr::new(base).unwrap();
                let reference = UriReferenceStr::new(reference).unwrap();
                let uri = reference.resolve_against(base);
                uri.ensure_rfc3986_normalizable().ok()?;
                Some(uri.to_string())
            }
            Peer::Oxiri => {
                let base = oxiri::Iri::parse(base).unwrap();
                let reference = oxiri::IriRef::parse(reference).unwrap();
                let uri = base.resolve(&reference).ok()?;
                Some(uri.into_inner())
            }
        }
    }
}

/// Why `peer` may return `theirs`; `None` when it may not. oxiri differs in one point
/// only, iri-string in two.
fn accepted(
    peer: Peer,
    base: &str,
    reference: &str,
    theirs: Option<&str>,
    notes: Notes,
) -> Option<&'static str> {
    let (b, r) = (base.as_bytes(), reference.as_bytes());
    let parts = Components::parse(r);
    let base_path = Components::parse(b).path(b);
    let encoded_dot = |text: &str| text.to_ascii_lowercase().contains("%2e");
    let has_encoded_dot = encoded_dot(base) || encoded_dot(reference);
    let needs_base = parts.scheme(r).is_none() && parts.authority(r).is_none();
    match (peer, theirs) {
        (Peer::FluentUri, None) if parts.scheme(r).is_none() && is_opaque(b) => {
            Some("it refuses a base without hierarchy, section 5.2 does not")
        }
        (Peer::FluentUri, Some(theirs)) if notes.has(Note::OpaqueDots) && theirs == reference => {
            Some("it leaves the dots of a rootless path, 5.2.2 removes them")
        }
        (Peer::FluentUri, Some(_))
            if needs_base && parts.path(r).is_empty() && has_dot_segments(base_path) =>
        {
            Some("it removes the dots of the base's path, which 5.2.2 takes over as they are")
        }
        (Peer::FluentUri, Some(_)) if needs_base && base_path.ends_with(b"/..") => {
            Some("a last segment \"..\" of the base leads up, 5.2.3 drops it unread")
        }
        (Peer::FluentUri | Peer::IriString, _) if has_encoded_dot => {
            Some("%2E is a dot to it, to 5.2.4 it is not")
        }
        (Peer::IriString | Peer::Oxiri, None) if notes.has(Note::Guarded) => {
            Some("it refuses what section 3.3 forbids, fluent-uri has the guard")
        }
        _ => None,
    }
}

fn ours(base: &str, reference: &str) -> (String, Notes) {
    let mut out = Vec::new();
    let (b, r) = (base.as_bytes(), reference.as_bytes());
    let resolved = resolve(Rules::Rfc3986, b, r, &mut out).unwrap();
    (String::from_utf8(out).unwrap(), resolved.notes)
}

fn compare(base: &str, reference: &str) -> Result<(), TestCaseError> {
    let (uri, notes) = ours(base, reference);
    for peer in Peer::ALL {
        let theirs = peer.resolve(base, reference);
        let theirs = theirs.as_deref();
        if theirs != Some(&*uri) && accepted(peer, base, reference, theirs, notes).is_none() {
            let report = theirs.unwrap_or("nothing");
            let failed = format!("{reference:?} in {base:?}: {uri} here, {report} by {peer:?}");
            return Err(TestCaseError::fail(failed));
        }
    }
    Ok(())
}

/// The tables of RFC 3986 section 5.4, where no difference is accepted.
#[test]
fn the_tables_of_the_text() {
    let mut compared = 0;
    for case in cases("resolve.jsonl") {
        let key = |key: &str| text(&case, key);
        if !key("section").starts_with("RFC 3986 section 5.4") {
            continue;
        }
        let (base, reference) = (key("base"), key("reference"));
        assert_eq!(ours(base, reference).0, key("expect"));
        for peer in Peer::ALL {
            let theirs = peer.resolve(base, reference);
            assert_eq!(theirs.as_deref(), Some(key("expect")), "{peer:?}: {case}");
        }
        compared += 1;
    }
    assert_eq!(compared, 42);
}

/// Each accepted difference still exists; one that a peer has fixed must leave the
/// list.
#[test]
fn accepted_differences_are_there() {
    for (peer, base, reference, theirs) in [
        (Peer::FluentUri, "foo:a", "../b", None),
        (Peer::FluentUri, "foo:a", "foo:b/../c", Some("foo:b/../c")),
        (Peer::FluentUri, "http://a/b/../c", "#", Some("http://a/c#")),
        (
            Peer::FluentUri,
            "http://a/b/c/..",
            "d",
            Some("http://a/b/d"),
        ),
        (
            Peer::FluentUri,
            "http://a/b/c",
            "%2E./d",
            Some("http://a/d"),
        ),
        (
            Peer::IriString,
            "http://a/b/c",
            "%2E./d",
            Some("http://a/d"),
        ),
        (Peer::IriString, "foo:/a", "/.//b", None),
        (Peer::Oxiri, "foo:/a", "/.//b", None),
    ] {
        assert_eq!(
            peer.resolve(base, reference).as_deref(),
            theirs,
            "{peer:?}: {reference}"
        );
        let (uri, notes) = ours(base, reference);
        assert_ne!(Some(&*uri), theirs);
        assert!(accepted(peer, base, reference, theirs, notes).is_some());
    }
}

const SEGMENTS: &str = r"(\.|\.\.|[a.]{0,3}|b;p=1|:)(/(\.|\.\.|[a.]{0,2})){0,5}";
const ENCODED: &str = r"(\.|%2[eE]|a)(/(%2e|\.%2E|\.\.|a|)){0,4}";
const QUERY: &str = r"(\?[a/.]{0,3})?";
const FRAGMENT: &str = "(#[a/.]{0,3})?";

prop_compose! {
    fn base(segments: &'static str)(
        start in "(http|foo|urn):(//(u@)?h(:8)?/|//h|///|/|)",
        path in segments,
        query in QUERY,
    ) -> String {
        let path = if start.ends_with("//h") { "" } else { &path };
        format!("{start}{path}{query}")
    }
}

prop_compose! {
    fn reference(segments: &'static str)(
        start in "(http://x/|//x/|//x|/|/|||||foo:|http:)",
        path in segments,
        query in QUERY,
        fragment in FRAGMENT,
        bare in any::<u8>(),
    ) -> String {
        let path = if start.ends_with("//x") || bare < 32 { "" } else { &path };
        format!("{start}{path}{query}{fragment}")
    }
}

/// A base and a reference that are valid.
fn pair(segments: &'static str) -> impl Strategy<Value = (String, String)> {
    (base(segments), reference(segments)).prop_filter("valid", |(base, reference)| {
        validate(base.as_bytes()).is_ok() && validate_reference(reference.as_bytes()).is_ok()
    })
}

proptest! {
    #[test]
    fn same_answers((base, reference) in pair(SEGMENTS)) {
        compare(&base, &reference)?;
    }

    #[test]
    fn same_answers_with_encoded_dots((base, reference) in pair(ENCODED)) {
        compare(&base, &reference)?;
    }

    /// The result of resolution is a URI, and a second time nothing is left to remove.
    #[test]
    fn the_answer_is_a_uri((base, reference) in pair(SEGMENTS)) {
        let (uri, _) = ours(&base, &reference);
        prop_assert_eq!(validate(uri.as_bytes()), Ok(()), "{}", uri);
        let (again, _) = ours("http://other/", &uri);
        let (third, _) = ours("http://other/", &again);
        prop_assert_eq!(again, third);
    }

    /// Any bytes have a result; under the URL Standard its own, or a cause.
    #[test]
    fn no_bytes_are_too_odd(base in "[ -~é\u{0}]{0,12}", reference in prop::collection::vec(any::<u8>(), 0..12)) {
        for &rules in Rules::ALL {
            let _ = resolve(rules, format!("s:{base}").as_bytes(), &reference, &mut Vec::new());
            let _ = resolve(rules, &reference, base.as_bytes(), &mut Vec::new());
        }
    }

    /// Except where the crate does not follow the standard yet.
    #[cfg(feature = "html")]
    #[test]
    fn as_the_crate_url(base in "(http|foo):(//h)?/?[a./]{0,6}", reference in "[ -\\]_-~é]{0,8}") {
        let begin = reference.trim_start().replace('\\', "/");
        prop_assume!(!begin.starts_with("///") && !begin.to_lowercase().starts_with("file:"));
        prop_assume!(!reference.trim_start().starts_with('\\'));
        prop_assume!(!reference.contains(" ?") && !reference.contains(" #"));
        let mut out = Vec::new();
        let got = resolve(Rules::Whatwg, base.as_bytes(), reference.as_bytes(), &mut out);
        match url::Url::parse(&base).and_then(|base| base.join(&reference)) {
            Ok(url) => prop_assert_eq!(String::from_utf8_lossy(&out), url.as_str()),
            Err(_) => prop_assert!(got.is_err() && out.is_empty()),
        }
    }
}
