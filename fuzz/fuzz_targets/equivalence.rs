//! Laws E1 to E7: canonical forms of any bytes at every level, with any switches, and
//! resolution by RFC 3986. The first bytes of an input choose the switches and the end
//! of the base; the rest is the URI.

#![no_main]

#[path = "../../src/canonicalize/laws/hold.rs"]
mod hold;

use libfuzzer_sys::fuzz_target;
use urisieve::canonicalize::resolver::Resolvers;
use urisieve::canonicalize::{Canonicalizer, Level, Step};
use urisieve::syntax::resolve::{Note, Rules, Target, resolve};
use urisieve::syntax::{Components, has_dot_segments, pct, urn};
use urisieve::syntax::{validate, validate_iri, validate_iri_reference, validate_reference};

/// Bytes that choose the switches.
const HEAD: usize = 2;

/// Parameters that are removed.
const DROPPED: [&[&str]; 5] = [&[], &["@tracking"], &["a*"], &["%62", "?"], &["*"]];

fuzz_target!(|data: &[u8]| {
    let Some((&[flags, choice], uri)) = data.split_first_chunk::<HEAD>() else {
        return;
    };
    let bit = |n: u32| flags >> n & 1 == 1;
    let (keep, isbn13) = (bit(0), bit(5));
    let switches = Canonicalizer::default()
        .keep_components(keep)
        .strip_fragment(bit(1))
        .sort_query(bit(2))
        .fold_https(bit(3))
        .strip_www(bit(4))
        .isbn13(isbn13)
        .drop_params(DROPPED[usize::from(choice % 5)])
        .unwrap();
    hold::broken_percent_stays(uri);
    hold::differences_stay(uri);
    hold::urns_stay_apart(&switches, uri);
    hold::switches_leave_urns(&switches, uri, keep, isbn13);
    let switches = match bit(6) {
        true => switches.unwrap_resolvers(Resolvers::built_in()),
        false => switches,
    };
    hold::idempotent_and_proven(&switches, uri);
    hold::coarser(&switches, uri);
    hold::valid_stays_valid(&switches, uri);
    hold::steps_lead_there(&switches, uri);
    let (base, reference) = uri.split_at(usize::from(choice / 5).min(uri.len()));
    resolved(base, reference);
    resolved(b"http://a/b/c/d;p?q", uri);
});

/// The target of a reference for a base: a URI with nothing left to resolve.
fn resolved(base: &[u8], reference: &[u8]) {
    for rules in [Rules::Rfc1993, Rules::Rfc2396] {
        let _ = resolve(rules, base, reference, &mut Vec::new());
    }
    let mut uri = b"kept".to_vec();
    let Ok(resolved) = resolve(Rules::Rfc3986, base, reference, &mut uri) else {
        assert!(Components::parse(base).scheme(base).is_none());
        assert_eq!(uri, b"kept");
        return;
    };
    assert_eq!(resolved.target, Target::Uri);
    let uri = uri.strip_prefix(b"kept").expect("what stood there is kept");
    let shown = uri.escape_ascii();
    if validate(base).is_ok() && validate_reference(reference).is_ok() {
        assert_eq!(validate(uri), Ok(()), "{shown}");
    }
    if validate_iri(base).is_ok() && validate_iri_reference(reference).is_ok() {
        assert_eq!(validate_iri(uri), Ok(()), "{shown}");
    }

    let (r, t) = (Components::parse(reference), Components::parse(uri));
    assert!(t.scheme(uri).is_some(), "{shown}");
    assert_eq!(t.fragment(uri), r.fragment(reference), "{shown}");
    if r.scheme(reference).is_some() || r.has_authority() || !r.path(reference).is_empty() {
        assert_eq!(t.query(uri), r.query(reference), "{shown}");
        let path = t.path(uri);
        let guard = if resolved.notes.has(Note::Guarded) {
            2
        } else {
            0
        };
        assert!(!has_dot_segments(&path[guard..]), "{shown}");
    }

    let mut again = Vec::new();
    let second = resolve(Rules::Rfc3986, b"x://other/", uri, &mut again);
    assert_eq!(second.map(|second| second.target), Ok(Target::Uri));
    let mut third = Vec::new();
    let _ = resolve(Rules::Rfc3986, b"x://other/", &again, &mut third);
    assert_eq!(
        again.escape_ascii().to_string(),
        third.escape_ascii().to_string()
    );
    // The path of the base is copied with its dots where the reference has none.
    if !has_dot_segments(Components::parse(base).path(base)) {
        assert_eq!(again.escape_ascii().to_string(), shown.to_string());
    }
}
