//! Which URIs are reported: schemes, namespaces, hosts, patterns.

use super::args::Selection;
use regex::bytes::{Regex, RegexSet};
use urisieve::syntax::{Components, urn};

/// The test that a canonical form must pass; `None` when all do.
///
/// # Errors
/// A message about a pattern.
pub(super) fn selection(
    args: Selection,
) -> Result<Option<impl Fn(&[u8]) -> bool + Send + Sync + 'static>, String> {
    let Selection {
        scheme,
        nid,
        host,
        include,
        exclude,
    } = args;
    if [&scheme, &nid, &host, &include, &exclude]
        .iter()
        .all(|l| l.is_empty())
    {
        return Ok(None);
    }
    let include = patterns("--include", &include)?;
    let exclude = patterns("--exclude", &exclude)?;
    let hosts: Vec<String> = host
        .iter()
        .map(|host| host.trim_start_matches('.').to_ascii_lowercase())
        .collect();
    let named = |list: &[String], name: Option<&[u8]>| {
        let same = |wanted: &String, name: &[u8]| name.eq_ignore_ascii_case(wanted.as_bytes());
        name.is_some_and(|name| list.iter().any(|wanted| same(wanted, name)))
    };
    Ok(Some(move |uri: &[u8]| {
        let parts = Components::parse(uri);
        (scheme.is_empty() || named(&scheme, parts.scheme(uri)))
            && (nid.is_empty() || named(&nid, urn::nid(uri)))
            && (hosts.is_empty() || parts.host(uri).is_some_and(|host| below(host, &hosts)))
            && (include.is_empty() || include.is_match(uri))
            && !exclude.is_match(uri)
    }))
}

/// Whether `host` is one of `hosts` or below one of them.
fn below(host: &[u8], hosts: &[String]) -> bool {
    let host = host.to_ascii_lowercase();
    hosts.iter().any(|suffix| {
        let head = host.strip_suffix(suffix.as_bytes());
        head.is_some_and(|head| head.is_empty() || head.ends_with(b"."))
    })
}

fn patterns(flag: &str, list: &[String]) -> Result<RegexSet, String> {
    for pattern in list {
        Regex::new(pattern).map_err(|error| format!("{flag}: {error}"))?;
    }
    RegexSet::new(list).map_err(|error| format!("{flag}: {error}"))
}
