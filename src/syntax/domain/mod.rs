//! Which part of a host was registered? By the public suffix list
//! (<https://publicsuffix.org>), which is compiled in. Its ICANN section is used, as in
//! Common Crawl's index: `github.io` is the domain of GitHub, not a suffix. Only
//! `private_domain` uses the private section, too.

mod list;

use super::host::HostKind;
use list::Sections;
use std::borrow::Cow;

/// Returns the registered domain of `host`: its public suffix and one more label.
/// `None` for addresses, for a public suffix itself and where a label of the domain is
/// empty. Case is ignored, and a dot at the end is removed.
///
/// ```
/// use urisieve::syntax::domain::registered_domain;
/// assert_eq!(registered_domain(b"www.a.co.uk"), Some(&b"a.co.uk"[..]));
/// assert_eq!(registered_domain(b"WWW.B.Example."), Some(&b"B.Example"[..]));
/// assert_eq!(registered_domain(b"co.uk"), None);
/// assert_eq!(registered_domain(b"192.0.2.1"), None);
/// ```
pub fn registered_domain(host: &[u8]) -> Option<&[u8]> {
    let host = without_dot(host);
    above(host, suffix(host)?)
}

/// Returns the domain of `host` by the whole list: a suffix, also one under which a company
/// gives names to others, and one more label. `None` as for [`registered_domain`].
///
/// ```
/// use urisieve::syntax::domain::private_domain;
/// assert_eq!(private_domain(b"www.user.github.io"), Some(&b"user.github.io"[..]));
/// assert_eq!(private_domain(b"www.a.co.uk"), Some(&b"a.co.uk"[..]));
/// assert_eq!(private_domain(b"github.io"), None);
/// ```
pub fn private_domain(host: &[u8]) -> Option<&[u8]> {
    let host = without_dot(host);
    above(host, suffix_of(host, Sections::All)?)
}

/// Returns `suffix`, the end of `host`, and the label before it.
fn above<'h>(host: &'h [u8], suffix: &[u8]) -> Option<&'h [u8]> {
    let rest = host[..host.len() - suffix.len()].strip_suffix(b".")?;
    let label = memchr::memrchr(b'.', rest).map_or(0, |at| at + 1);
    (label < rest.len()).then(|| &host[label..])
}

/// Returns the public suffix of `host`, the part under which domains are registered. A
/// name that no rule of the list matches has its last label as suffix, by the list's
/// rule `*`. `None` for addresses.
///
/// ```
/// use urisieve::syntax::domain::suffix;
/// assert_eq!(suffix(b"www.a.co.uk"), Some(&b"co.uk"[..]));
/// assert_eq!(suffix(b"a.github.io"), Some(&b"io"[..]));
/// assert_eq!(suffix(b"a.example"), Some(&b"example"[..]));
/// assert_eq!(suffix(b"[2001:db8::1]"), None);
/// ```
pub fn suffix(host: &[u8]) -> Option<&[u8]> {
    suffix_of(host, Sections::Icann)
}

fn suffix_of(host: &[u8], sections: Sections) -> Option<&[u8]> {
    if HostKind::of(host) != HostKind::RegName {
        return None;
    }
    let host = without_dot(host);
    // The list is in lower case.
    let name: Cow<[u8]> = match host.iter().any(u8::is_ascii_uppercase) {
        true => Cow::Owned(host.to_ascii_lowercase()),
        false => Cow::Borrowed(host),
    };
    let found = &host[list::suffix_start(&name, sections)..];
    (!found.is_empty()).then_some(found)
}

/// Returns the last label of `host`, its top-level domain. `None` for addresses.
///
/// ```
/// use urisieve::syntax::domain::top_level;
/// assert_eq!(top_level(b"www.a.co.uk"), Some(&b"uk"[..]));
/// assert_eq!(top_level(b"192.0.2.1"), None);
/// ```
pub fn top_level(host: &[u8]) -> Option<&[u8]> {
    if HostKind::of(host) != HostKind::RegName {
        return None;
    }
    let label = without_dot(host).rsplit(|&b| b == b'.').next()?;
    (!label.is_empty()).then_some(label)
}

/// Whether `label` is a top-level domain: of the public suffix list, or one that is reserved
/// for examples. Case is ignored.
///
/// ```
/// use urisieve::syntax::domain::is_top_level;
/// assert!(is_top_level(b"edu") && is_top_level(b"DE") && is_top_level(b"example"));
/// assert!(!is_top_level(b"html"));
/// ```
pub fn is_top_level(label: &[u8]) -> bool {
    let is_reserved = |name: &str| label.eq_ignore_ascii_case(name.as_bytes());
    is_delegated(label) || is_reserved("example") || is_reserved("test")
}

/// Whether `label` is the last label of a row in the ICANN section of the list. Case is
/// ignored.
///
/// ```
/// use urisieve::syntax::domain::is_delegated;
/// assert!(is_delegated(b"COM") && is_delegated(b"ck") && is_delegated(b"xn--p1ai"));
/// assert!(!is_delegated(b"example") && !is_delegated(b"local") && !is_delegated(b""));
/// ```
pub fn is_delegated(label: &[u8]) -> bool {
    // The list is in lower case, and no label is longer.
    let mut lower = [0; 63];
    let Some(lower) = lower.get_mut(..label.len()) else {
        return false;
    };
    lower.copy_from_slice(label);
    lower.make_ascii_lowercase();
    list::has_last(lower)
}

/// Returns a name without the dot at its end.
fn without_dot(host: &[u8]) -> &[u8] {
    host.strip_suffix(b".").unwrap_or(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn both(host: &str) -> (Option<&str>, Option<&str>) {
        let (domain, suffix) = (registered_domain(host.as_bytes()), suffix(host.as_bytes()));
        [domain, suffix]
            .map(|part| part.map(|part| std::str::from_utf8(part).unwrap()))
            .into()
    }

    #[test]
    fn cases_of_the_list() {
        // From the list's own test vectors, ICANN's division.
        for (host, domain, suffix) in [
            ("com", None, Some("com")),
            ("b.example.COM", Some("example.COM"), Some("COM")),
            ("test.ac.jp", Some("test.ac.jp"), Some("ac.jp")),
            ("a.b.c.kobe.jp", Some("b.c.kobe.jp"), Some("c.kobe.jp")),
            ("www.city.kobe.jp", Some("city.kobe.jp"), Some("kobe.jp")),
            ("b.c.ck", Some("b.c.ck"), Some("c.ck")),
            ("www.www.ck", Some("www.ck"), Some("ck")),
            ("食狮.公司.cn", Some("食狮.公司.cn"), Some("公司.cn")),
            (
                "www.xn--85x722f.xn--55qx5d.cn",
                Some("xn--85x722f.xn--55qx5d.cn"),
                Some("xn--55qx5d.cn"),
            ),
            ("a.b.github.io", Some("github.io"), Some("io")),
            ("x.s3.amazonaws.com", Some("amazonaws.com"), Some("com")),
            ("localhost", None, Some("localhost")),
            ("a.example.", Some("a.example"), Some("example")),
            ("a..com", None, Some("com")),
            (".com", None, Some("com")),
            (".", None, None),
            ("", None, None),
            ("127.0.0.1", None, None),
            ("[::1]", None, None),
        ] {
            assert_eq!(both(host), (domain, suffix), "{host}");
        }
    }

    proptest! {
        #[test]
        fn parts_are_ends_of_each_other(host in proptest::collection::vec(
            prop_oneof![Just(b'.'), Just(b'c'), Just(b'o'), Just(b'm'), Just(b'u'), Just(b'k'), any::<u8>()],
            0..14,
        )) {
            let name = without_dot(&host);
            let suffix = suffix(&host);
            prop_assert!(suffix.is_none_or(|suffix| name.ends_with(suffix)));
            if let Some(domain) = registered_domain(&host) {
                prop_assert!(name.ends_with(domain));
                prop_assert!(suffix.is_some_and(|s| domain.ends_with(s) && domain.len() > s.len() + 1));
            }
        }
    }
}
