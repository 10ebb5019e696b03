//! The rules of normalization as lists, in the order in which they apply. Each finds
//! the part of a URI that it changes and writes the replacement. Explanations and
//! canonical forms use the same lists.

use super::scheme::{self, doi, host, mailto, tel};
use super::scratch::Scratch;
use super::step_kind::StepKind;
use super::switches::Switches;
use super::{Level, lexical, namespace, query, syntax, web};
use crate::syntax::{Components, urn};
use std::ops::Range;

/// One rule.
pub(super) struct Rule {
    pub name: &'static str,
    pub section: &'static str,
    pub kind: StepKind,
    asked: Asked,
    find: Find,
    write: Write,
}

/// When a rule applies.
enum Asked {
    From(Level),
    Switch(fn(&Switches) -> bool),
}

/// Returns the part that a rule changes; `None` when the rule does not apply.
type Find = fn(&Switches, &[u8], &Components) -> Option<Range<usize>>;

/// Appends the replacement of a part; the components are those of the unchanged URI.
type Write = fn(&Switches, &Components, &[u8], &mut Vec<u8>);

impl Rule {
    fn is_asked(&self, switches: &Switches) -> bool {
        match self.asked {
            Asked::From(level) => switches.level >= level,
            Asked::Switch(is_on) => is_on(switches),
        }
    }

    /// Applies the rule to `uri`; returns whether it changed the URI.
    pub fn apply(&self, switches: &Switches, uri: &mut Vec<u8>, parts: &Components) -> bool {
        if !self.is_asked(switches) {
            return false;
        }
        let Some(part) = (self.find)(switches, uri, parts) else {
            return false;
        };
        rewrite(uri, part, |text, out| {
            (self.write)(switches, parts, text, out)
        });
        true
    }
}

/// Whether no rule of `rules` changes `uri`.
pub(super) fn hold(rules: &[Rule], switches: &Switches, uri: &[u8]) -> bool {
    let parts = Components::parse(uri);
    rules
        .iter()
        .all(|rule| !rule.is_asked(switches) || (rule.find)(switches, uri, &parts).is_none())
}

/// Applies `rules` to `uri` in order.
pub(super) fn apply(rules: &[Rule], switches: &Switches, uri: &mut Vec<u8>) {
    let mut parts = Components::parse(uri);
    for rule in rules {
        if rule.apply(switches, uri, &parts) {
            parts = Components::parse(uri);
        }
    }
}

/// Replaces the `part` of `text` by the output of `write`.
fn rewrite(text: &mut Vec<u8>, part: Range<usize>, write: impl FnOnce(&[u8], &mut Vec<u8>)) {
    let old = Scratch::new(&text[part.clone()]);
    // Writing at the end and rotating preserves the text after the part.
    let end = text.len();
    write(old.as_slice(), text);
    let written = text.len() - end;
    text[part.start..].rotate_right(written);
    let rest = part.start + written;
    text.drain(rest..rest + part.len());
}

fn nothing(_: &Switches, _: &Components, _: &[u8], _: &mut Vec<u8>) {}

/// The rule on the digits of percent-encoding, which two documents require.
const fn upper_digits(section: &'static str) -> Rule {
    Rule {
        name: "digits of percent-encoding to upper case",
        section,
        kind: StepKind::PercentEncoding,
        asked: Asked::From(Level::Lexical),
        find: |_, uri, _| (!lexical::pct_is_upper(uri)).then_some(0..uri.len()),
        write: |_, _, text, out| lexical::push_upper_pct(text, out),
    }
}

/// The rule on the characters of IRIs, which stand before and after the host.
const fn encoded_characters(find: Find) -> Rule {
    Rule {
        name: "characters above U+007F percent-encoded",
        section: "RFC 3987 3.1",
        kind: StepKind::PercentEncoding,
        asked: Asked::From(Level::Syntax),
        find,
        write: syntax::encode_characters,
    }
}

/// The cut at the end of a URI that is not a URN.
pub(super) static CUT: [Rule; 1] = [Rule {
    name: "fragment removed",
    section: "switch strip_fragment",
    kind: StepKind::Switch,
    asked: Asked::Switch(|s| s.strip_fragment),
    find: |_, uri, _| memchr::memchr(b'#', uri).map(|at| at..uri.len()),
    write: nothing,
}];

/// Level `lexical` for URIs other than URNs: [`lexical::write`] applies them in one
/// pass.
pub(super) static CASE: [Rule; 3] = [
    Rule {
        name: "scheme to lower case",
        section: "RFC 3986 6.2.2.1",
        kind: StepKind::Case,
        asked: Asked::From(Level::Lexical),
        find: |_, uri, parts| {
            let scheme = parts.scheme(uri)?;
            let upper = scheme.iter().any(u8::is_ascii_uppercase);
            upper.then_some(0..scheme.len())
        },
        write: syntax::lower,
    },
    Rule {
        name: "host to lower case",
        section: "RFC 3986 6.2.2.1",
        kind: StepKind::Case,
        asked: Asked::From(Level::Lexical),
        find: syntax::find_upper_host,
        write: syntax::lower,
    },
    upper_digits("RFC 3986 6.2.2.1"),
];

/// The rules after level `lexical` for URIs other than URNs. `www.` is removed before
/// names are mapped and again after it, so that the result does not depend on the
/// level.
pub(super) static RULES: [Rule; 19] = [
    Rule {
        name: "https to http",
        section: "switch fold_https",
        kind: StepKind::Switch,
        asked: Asked::Switch(|s| s.fold_https),
        find: web::find_https,
        write: nothing,
    },
    Rule {
        name: "unreserved characters decoded",
        section: "RFC 3986 6.2.2.2",
        kind: StepKind::PercentEncoding,
        asked: Asked::From(Level::Syntax),
        find: syntax::find_encoded,
        write: syntax::decode,
    },
    encoded_characters(syntax::find_iri_userinfo),
    encoded_characters(syntax::find_iri_rest),
    Rule {
        name: "decoded host to lower case",
        section: "RFC 3986 6.2.2.1",
        kind: StepKind::Case,
        asked: Asked::From(Level::Syntax),
        find: syntax::find_upper_host,
        write: syntax::lower,
    },
    Rule {
        name: "dot segments removed",
        section: "RFC 3986 6.2.2.3",
        kind: StepKind::Syntax,
        asked: Asked::From(Level::Syntax),
        find: syntax::find_dots,
        write: syntax::remove_dots,
    },
    Rule {
        name: "colon of an empty port removed",
        section: "RFC 3986 3.2.3",
        kind: StepKind::Syntax,
        asked: Asked::From(Level::Syntax),
        find: syntax::find_empty_port,
        write: nothing,
    },
    Rule {
        name: "www. left out",
        section: "switch strip_www",
        kind: StepKind::Switch,
        asked: Asked::Switch(|s| s.strip_www),
        find: web::find_www,
        write: nothing,
    },
    Rule {
        name: "IPv6 address in its recommended form",
        section: "RFC 5952 4",
        kind: StepKind::Syntax,
        asked: Asked::From(Level::Scheme),
        find: host::find_ipv6,
        write: host::write_ipv6,
    },
    Rule {
        name: "host to A-labels",
        section: "UTS 46 4",
        kind: StepKind::Syntax,
        asked: Asked::From(Level::Scheme),
        find: host::find_u_label,
        write: host::write_a_label,
    },
    Rule {
        name: "www. left out",
        section: "switch strip_www",
        kind: StepKind::Switch,
        asked: Asked::Switch(|s| s.strip_www),
        find: web::find_www,
        write: nothing,
    },
    Rule {
        name: "default port removed",
        section: "RFC 3986 6.2.3",
        kind: StepKind::Syntax,
        asked: Asked::From(Level::Scheme),
        find: scheme::find_default_port,
        write: nothing,
    },
    Rule {
        name: "empty path to /",
        section: "RFC 3986 6.2.3",
        kind: StepKind::Syntax,
        asked: Asked::From(Level::Scheme),
        find: scheme::find_empty_path,
        write: scheme::root,
    },
    Rule {
        name: "localhost removed",
        section: "RFC 8089 2",
        kind: StepKind::Syntax,
        asked: Asked::From(Level::Scheme),
        find: scheme::find_localhost,
        write: nothing,
    },
    Rule {
        name: "mail domains to lower case",
        section: "RFC 5321 2.4",
        kind: StepKind::Case,
        asked: Asked::From(Level::Scheme),
        find: mailto::find,
        write: mailto::write,
    },
    Rule {
        name: "telephone number without visual separators, in lower case",
        section: "RFC 3966 4",
        kind: StepKind::Name,
        asked: Asked::From(Level::Scheme),
        find: tel::find,
        write: tel::write,
    },
    Rule {
        name: "name of a DOI to lower case",
        section: "DOI Handbook 2.4",
        kind: StepKind::Name,
        asked: Asked::From(Level::Scheme),
        find: doi::find,
        write: doi::write,
    },
    Rule {
        name: "parameters removed",
        section: "switch drop_params",
        kind: StepKind::Switch,
        asked: Asked::Switch(Switches::drops_params),
        find: query::find_dropped,
        write: query::drop,
    },
    Rule {
        name: "parameters sorted by name",
        section: "switch sort_query",
        kind: StepKind::Switch,
        asked: Asked::Switch(|s| s.sort_query),
        find: query::find_unsorted,
        write: query::sort,
    },
];

/// The first levels for a URN: a cut and [`lexical::write`] apply them in one pass.
pub(super) static URN_CASE: [Rule; 3] = [
    Rule {
        name: "r-, q- and f-component removed",
        section: "RFC 8141 3.1",
        kind: StepKind::Components,
        asked: Asked::Switch(|s| s.level >= Level::Lexical && !s.keep_components),
        find: |_, uri, _| {
            let end = urn::assigned_name_len(uri)?;
            (end < uri.len()).then_some(end..uri.len())
        },
        write: nothing,
    },
    Rule {
        name: "urn and namespace identifier to lower case",
        section: "RFC 8141 3.1",
        kind: StepKind::Case,
        asked: Asked::From(Level::Lexical),
        find: |_, uri, _| {
            let end = "urn:".len() + urn::nid(uri)?.len();
            let upper = uri[..end].iter().any(u8::is_ascii_uppercase);
            upper.then_some(0..end)
        },
        write: syntax::lower,
    },
    upper_digits("RFC 8141 3.1"),
];

/// The rules after level `lexical` for a URN.
pub(super) static URN: [Rule; 2] = [
    Rule {
        name: "namespace's own rule",
        section: "RFC 8141 3.1",
        kind: StepKind::Name,
        asked: Asked::From(Level::Scheme),
        find: |_, uri, _| {
            let start = "urn:".len();
            let name = &uri[start..urn::assigned_name_len(uri)?];
            let (nid, nss) = split_name(name);
            (!namespace::is_canonical(nid, nss)).then_some(start..start + name.len())
        },
        write: |_, _, name, out| {
            let (nid, nss) = split_name(name);
            out.extend_from_slice(nid);
            out.push(b':');
            namespace::write(nid, nss, out);
        },
    },
    Rule {
        name: "ISBN-10 to ISBN-13",
        section: "switch isbn13",
        kind: StepKind::Isbn13,
        asked: Asked::Switch(|s| s.isbn13),
        find: |_, uri, _| {
            let start = "urn:".len();
            let name = &uri[start..urn::assigned_name_len(uri)?];
            as_isbn13(name)?;
            Some(start..start + name.len())
        },
        write: |_, _, name, out| {
            out.extend_from_slice(split_name(name).0);
            out.push(b':');
            out.extend_from_slice(&as_isbn13(name).unwrap_or_default());
        },
    },
];

/// Returns the ISBN-13 of a name that is an ISBN-10.
fn as_isbn13(name: &[u8]) -> Option<[u8; 13]> {
    let (nid, nss) = split_name(name);
    nid.eq_ignore_ascii_case(b"isbn")
        .then(|| namespace::isbn13(nss))?
}

/// Splits `NID ":" NSS`.
fn split_name(name: &[u8]) -> (&[u8], &[u8]) {
    let colon = memchr::memchr(b':', name).unwrap_or(name.len());
    (&name[..colon], name.get(colon + 1..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_part_is_replaced_in_place(
            head in "[a-z]{0,5}", part in "[a-z]{0,600}", tail in "[a-z]{0,9}", new in "[a-z]{0,20}",
        ) {
            let mut text = [&*head, &part, &tail].concat().into_bytes();
            rewrite(&mut text, head.len()..head.len() + part.len(), |old, out| {
                assert_eq!(old, part.as_bytes());
                out.extend_from_slice(new.as_bytes());
            });
            prop_assert_eq!(text, [&*head, &new, &tail].concat().into_bytes());
        }
    }
}
