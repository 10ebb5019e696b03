//! The forms of entries (rule I5), as they are read and as they are looked up.

use super::host_entry::HostEntry;

/// The forms of the entries of lists, each with its meaning.
///
/// ```
/// assert!(urisieve::INDICATOR_FORMS.iter().any(|(form, _)| *form == "*.HOST"));
/// ```
pub const INDICATOR_FORMS: &[(&str, &str)] = &[
    (
        "HOST",
        "the host and those below it; also .HOST, and HOST:PORT",
    ),
    ("=HOST", "the host alone"),
    ("*.HOST", "hosts below it"),
    (
        "ADDRESS",
        "192.0.2.1, 2001:db8::1, 192.0.2.0/24: addresses by value",
    ),
    (
        "URI",
        "the URI in any spelling, at level scheme without fragment",
    ),
    ("URI*", "URIs that begin with it; a / follows the host"),
    ("HOST/PATH", "the URI with http or https"),
    (
        "/REGEX/",
        "canonical forms in which it is found; /REGEX/i ignores case",
    ),
    (
        "sha256:DIGEST",
        "the URI whose canonical form has the digest",
    ),
    ("||HOST^", "of filter lists: the host and those below it"),
    (
        "||HOST/PATH",
        "of filter lists: the same, where the path begins with PATH",
    ),
    ("ADDRESS NAME", "of hosts files: the names alone"),
    (
        "NAME CNAME TARGET",
        "of response policy zones: the name alone; *.NAME: those below it",
    ),
    ("!ENTRY", "an exception, also @@ENTRY"),
    (
        "MISP",
        "attributes of an event in JSON: url, uri, link, domain, hostname, ip-src, ip-dst",
    ),
    (
        "STIX",
        "patterns of indicators in a bundle: url, domain-name, ipv4-addr, ipv6-addr",
    ),
    (
        "CSV",
        "a column ioc_value, indicator, ioc, url, uri, domain, hostname, host or ip",
    ),
];

/// A line of a list before it is refanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListLine<'l> {
    /// Nothing, or a remark.
    Comment,
    /// The title of a list of filter rules: `[Adblock Plus 2.0]`.
    Title,
    /// `/RE/`, `/RE/i`.
    Pattern {
        is_exception: bool,
        pattern: &'l str,
        ignores_case: bool,
    },
    /// Any other form.
    Other { is_exception: bool, text: &'l str },
}

/// An entry in a form that is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndicatorForm<'e> {
    /// A rule that is known and cannot be applied.
    Skipped,
    Digest([u8; 32]),
    Uri(&'e str),
    /// The start of URIs.
    Prefix(&'e str),
    Host(HostEntry<'e>),
    /// URIs of the host and those below it, of any scheme, whose path begins with this one.
    PathBelow {
        host: &'e str,
        path: &'e str,
    },
    /// A URI without its scheme, which is http or https.
    WithoutScheme(&'e str),
    /// The names of a line of a hosts file.
    Names(&'e str),
}
