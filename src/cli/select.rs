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
    let scheme = each("--scheme", &scheme, scheme_of)?;
    let nid = each("--nid", &nid, nid_of)?;
    let hosts = each("--host", &host, host_of)?;
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

/// Each name of a list in the form that is compared.
///
/// # Errors
/// A message about one that can match nothing.
fn each(
    flag: &str,
    list: &[String],
    of: fn(&str) -> Result<String, &'static str>,
) -> Result<Vec<String>, String> {
    let told = |name: &String| of(name.trim()).map_err(|why| format!("{flag}: {name:?}: {why}"));
    list.iter().map(told).collect()
}

/// `http`, also written `http:` or `http://`.
fn scheme_of(name: &str) -> Result<String, &'static str> {
    let name = name.strip_suffix("//").unwrap_or(name);
    let name = name.strip_suffix(':').unwrap_or(name);
    let mut bytes = name.bytes();
    let starts = bytes.next().is_some_and(|b| b.is_ascii_alphabetic());
    let goes_on = bytes.all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    match starts && goes_on {
        true => Ok(name.to_ascii_lowercase()),
        false => Err("no scheme; write a name like http"),
    }
}

/// `isbn`, also written `urn:isbn`.
fn nid_of(name: &str) -> Result<String, &'static str> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_prefix("urn:").unwrap_or(&name);
    match urn::nid_len(format!("{name}:x").as_bytes()) == Some(name.len()) {
        true => Ok(name.to_owned()),
        false => Err("no namespace identifier; write a name like isbn"),
    }
}

/// `a.example`, also written `.a.example` or `*.a.example`.
fn host_of(name: &str) -> Result<String, &'static str> {
    let name = name.strip_prefix('*').unwrap_or(name);
    let name = name.trim_start_matches('.').to_ascii_lowercase();
    let is_literal = name.starts_with('[') && name.ends_with(']');
    if name.is_empty() || (!is_literal && name.contains(['/', ':', '@', '*', ' '])) {
        return Err("no host; write a.example, 192.0.2.1 or [2001:db8::1], without scheme or port");
    }
    Ok(name)
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
