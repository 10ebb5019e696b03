//! The laws of equivalence as checks of one URI, by the public API only: the property
//! tests and the fuzz target share them. Each check panics where its law is broken. The
//! callers choose the URIs and switches.

use super::{Canonicalizer, Components, Level, Step};
use super::{has_dot_segments, pct, urn, validate, validate_iri};

/// The canonical form of `uri`.
pub fn canonical(canonicalizer: &Canonicalizer, uri: &[u8]) -> Vec<u8> {
    let mut buffer = Vec::new();
    canonicalizer.canonicalize(uri, &mut buffer).to_vec()
}

fn text(uri: &[u8]) -> String {
    uri.escape_ascii().to_string()
}

/// The switches at each level.
fn levels(switches: &Canonicalizer) -> impl Iterator<Item = Canonicalizer> {
    Level::ALL.iter().map(|&level| switches.clone().at(level))
}

/// E1 and E6: canonical forms are fixed points, and `is_canonical` knows them.
pub fn idempotent_and_proven(switches: &Canonicalizer, uri: &[u8]) {
    for c in levels(switches) {
        let once = canonical(&c, uri);
        assert_eq!(text(&canonical(&c, &once)), text(&once), "{}", c.level());
        assert!(c.is_canonical(&once), "{}: {}", c.level(), text(&once));
        assert_eq!(c.is_canonical(uri), once == uri, "{}", c.level());
    }
}

/// E2: applying a finer level first does not change the result.
pub fn coarser(switches: &Canonicalizer, uri: &[u8]) {
    for coarse in levels(switches) {
        let direct = text(&canonical(&coarse, uri));
        for fine in levels(switches).take_while(|fine| fine.level() < coarse.level()) {
            let by_way = canonical(&coarse, &canonical(&fine, uri));
            let (fine, coarse) = (fine.level(), coarse.level());
            assert_eq!(text(&by_way), direct, "{fine} {coarse}");
        }
    }
}

/// E3: a URI becomes a URI, and an IRI an IRI.
pub fn valid_stays_valid(switches: &Canonicalizer, uri: &[u8]) {
    for c in levels(switches) {
        let once = canonical(&c, uri);
        if validate(uri).is_ok() {
            assert_eq!(validate(&once), Ok(()), "{}: {}", c.level(), text(&once));
        }
        if validate_iri(uri).is_ok() {
            assert_eq!(
                validate_iri(&once),
                Ok(()),
                "{}: {}",
                c.level(),
                text(&once)
            );
        }
    }
}

/// Whether a path may lose segments after decoding.
fn may_lose_segments(uri: &[u8]) -> bool {
    has_dot_segments(uri)
        || uri.contains(&b'.')
        || uri
            .windows(3)
            .any(|triple| triple.eq_ignore_ascii_case(b"%2e"))
}

/// E4: no "%" without two hexadecimal digits is completed, encoded or lost. Dot
/// segments may remove one.
pub fn broken_percent_stays(uri: &[u8]) {
    let broken = |uri: &[u8]| {
        let percents = memchr::memchr_iter(b'%', uri);
        percents.filter(|&at| !pct::is_encoded(uri, at)).count()
    };
    if urn::nid(uri).is_none() && !may_lose_segments(uri) {
        for c in levels(&Canonicalizer::default()) {
            let once = canonical(&c, uri);
            assert_eq!(broken(&once), broken(uri), "{}", text(&once));
        }
    }
}

/// E5: a URN is still a URN, and no other URI becomes one. For switches that do not
/// unwrap.
pub fn urns_stay_apart(switches: &Canonicalizer, uri: &[u8]) {
    for c in levels(switches) {
        let once = canonical(&c, uri);
        assert_eq!(
            urn::nid(&once).is_some(),
            urn::nid(uri).is_some(),
            "{}",
            text(&once)
        );
    }
}

/// E7: canonical forms keep the differences that specifications make, so two URIs that
/// differ by them never become one. Components are kept as components of the same kind;
/// userinfo, query and fragment keep each octet, and whether it is encoded unless it is
/// unreserved or, from level `syntax` on, belongs to a character above U+007F. The same holds
/// for a path that loses no segments.
pub fn differences_stay(uri: &[u8]) {
    let a = Components::parse(uri);
    if urn::nid(uri).is_some() || a.scheme(uri).is_none() {
        return;
    }
    for c in levels(&Canonicalizer::default()) {
        let once = canonical(&c, uri);
        let b = Components::parse(&once);
        assert_eq!(a.has_authority(), b.has_authority(), "{}", text(&once));
        let same = |name: &str, a: Option<&[u8]>, b: Option<&[u8]>| {
            let octets = |text| octets(text, c.level());
            assert_eq!(
                a.map(octets),
                b.map(octets),
                "{name} at {}: {}",
                c.level(),
                text(&once)
            );
        };
        same("userinfo", a.userinfo(uri), b.userinfo(&once));
        same("query", a.query(uri), b.query(&once));
        same("fragment", a.fragment(uri), b.fragment(&once));
        let scheme = b.scheme(&once).unwrap_or_default();
        let opaque = c.level() == Level::Scheme && matches!(scheme, b"mailto" | b"tel" | b"doi");
        let path = a.path(uri);
        let filled = c.level() == Level::Scheme && path.is_empty();
        let may_lose = c.level() >= Level::Syntax && may_lose_segments(path);
        if !(opaque || filled || may_lose) {
            same("path", Some(path), Some(b.path(&once)));
        }
    }
}

/// Returns the octets of `text` by RFC 3986 section 6.2.2, each with a flag for
/// percent-encoding, which is not set for unreserved octets. From level `syntax` on an IRI is
/// its URI (RFC 3987 section 3.1): the octets of its characters count as
/// encoded.
fn octets(text: &[u8], level: Level) -> Vec<(u8, bool)> {
    let mut octets = Vec::new();
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid().as_bytes();
        while let Some(&byte) = rest.first() {
            let digit = |at: usize| pct::hex_value(*rest.get(at)?);
            let encoded = (byte == b'%').then(|| Some(digit(1)? << 4 | digit(2)?));
            let len = match encoded.flatten() {
                Some(octet) => {
                    let unreserved =
                        octet.is_ascii_alphanumeric() || matches!(octet, b'-' | b'.' | b'_' | b'~');
                    octets.push((octet, !unreserved));
                    3
                }
                None => {
                    octets.push((byte, !byte.is_ascii() && level >= Level::Syntax));
                    1
                }
            };
            rest = &rest[len..];
        }
        octets.extend(chunk.invalid().iter().map(|&byte| (byte, false)));
    }
    octets
}

/// Each step of an explanation changes the URI, the last result is the canonical form, and a
/// canonical URI has none.
pub fn steps_lead_there(switches: &Canonicalizer, uri: &[u8]) {
    for c in levels(switches) {
        let mut now = uri.to_vec();
        for Step {
            name,
            before,
            after,
            ..
        } in c.steps(uri)
        {
            assert_eq!(text(&before), text(&now), "{name}");
            assert_ne!(before, after, "{name} changes nothing");
            now = after;
        }
        assert_eq!(text(&now), text(&canonical(&c, uri)), "{}", c.level());
        assert!(now != uri || c.steps(uri).is_empty(), "{}", text(uri));
    }
}

/// Other switches than these two do not change URNs.
pub fn switches_leave_urns(switches: &Canonicalizer, uri: &[u8], keep: bool, isbn13: bool) {
    if urn::nid(uri).is_some() {
        let plain = Canonicalizer::default();
        let set = |c: &Canonicalizer| c.clone().keep_components(keep).isbn13(isbn13);
        for (a, b) in levels(&set(switches)).zip(levels(&set(&plain))) {
            assert_eq!(text(&canonical(&a, uri)), text(&canonical(&b, uri)));
        }
    }
}
