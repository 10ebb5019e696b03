//! Which URIs are reported: schemes, namespaces, hosts, patterns, problems.

use super::flags::Selection;
use regex::bytes::{Regex, RegexSet};
use std::collections::HashSet;
use std::fs;
use urisieve::decode;
use urisieve::item::{Problem, Problems};
use urisieve::syntax::{Components, urn};

/// Returns the test that a canonical form must pass; `None` when all pass.
///
/// # Errors
/// A message about a wrong value.
pub(super) fn selection(
    args: Selection,
) -> Result<Option<impl Fn(&[u8]) -> bool + Send + Sync + 'static>, String> {
    let Selection {
        scheme,
        nid,
        host,
        include,
        exclude,
        problem: _,
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
    let hosts = Hosts::named(&host)?;
    let any_host = host.is_empty();
    let named = |list: &[String], name: Option<&[u8]>| {
        let same = |wanted: &String, name: &[u8]| name.eq_ignore_ascii_case(wanted.as_bytes());
        name.is_some_and(|name| list.iter().any(|wanted| same(wanted, name)))
    };
    Ok(Some(move |uri: &[u8]| {
        let parts = Components::parse(uri);
        (scheme.is_empty() || named(&scheme, parts.scheme(uri)))
            && (nid.is_empty() || named(&nid, urn::nid(uri)))
            && (any_host || parts.host(uri).is_some_and(|host| hosts.hold(host)))
            && (include.is_empty() || include.is_match(uri))
            && !exclude.is_match(uri)
    }))
}

/// Converts each name of a list to the form that is compared.
///
/// # Errors
/// A message about a name that can match nothing.
fn each(
    flag: &str,
    list: &[String],
    of: fn(&str) -> Result<String, &'static str>,
) -> Result<Vec<String>, String> {
    let converted =
        |name: &String| of(name.trim()).map_err(|why| format!("{flag}: {name:?}: {why}"));
    list.iter().map(converted).collect()
}

/// Parses `http`, also written `http:` or `http://`.
fn scheme_of(name: &str) -> Result<String, &'static str> {
    let name = name.strip_suffix("//").unwrap_or(name);
    let name = name.strip_suffix(':').unwrap_or(name);
    let mut bytes = name.bytes();
    let starts = bytes.next().is_some_and(|b| b.is_ascii_alphabetic());
    let goes_on = bytes.all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    match starts && goes_on {
        true => Ok(name.to_ascii_lowercase()),
        false => Err("not a scheme; write a name like http"),
    }
}

/// Parses `isbn`, also written `urn:isbn`.
fn nid_of(name: &str) -> Result<String, &'static str> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_prefix("urn:").unwrap_or(&name);
    match urn::nid_len(format!("{name}:x").as_bytes()) == Some(name.len()) {
        true => Ok(name.to_owned()),
        false => Err("not a namespace identifier; write a name like isbn"),
    }
}

/// Parses `a.example`, also written `.a.example` or `*.a.example`.
fn host_of(name: &str) -> Result<String, &'static str> {
    let name = name.strip_prefix('*').unwrap_or(name);
    let name = name.trim_start_matches('.').to_ascii_lowercase();
    let is_literal = name.starts_with('[') && name.ends_with(']');
    if name.is_empty() || (!is_literal && name.contains(['/', ':', '@', '*', ' '])) {
        return Err(
            "not a host; write a.example, 192.0.2.1 or [2001:db8::1], without scheme or port",
        );
    }
    Ok(name)
}

/// The selected hosts, which include their subdomains. The cost of a test does not
/// depend on their number: the ends of a host are looked up, label by label.
#[derive(Debug, Default)]
struct Hosts {
    names: HashSet<Box<[u8]>, ahash::RandomState>,
    /// The length of the longest: longer ends of a host need not be looked up.
    longest: usize,
}

impl Hosts {
    /// Parses the hosts that arguments name; `@FILE` names a file with one host a line.
    ///
    /// # Errors
    /// A message about a file that cannot be read, or about an argument that is not a
    /// host.
    fn named(list: &[String]) -> Result<Hosts, String> {
        let mut hosts = Hosts::default();
        for name in list {
            match name.trim().strip_prefix('@') {
                Some(path) => hosts.add_file(path)?,
                None => {
                    let host = host_of(name.trim());
                    hosts.add(host.map_err(|why| format!("--host: {name:?}: {why}"))?);
                }
            }
        }
        Ok(hosts)
    }

    fn add(&mut self, host: String) {
        self.longest = self.longest.max(host.len());
        self.names.insert(host.into_bytes().into());
    }

    /// Adds the lines of a file. Empty lines and those that begin with `#` are skipped.
    fn add_file(&mut self, path: &str) -> Result<(), String> {
        let bytes = fs::read(path).map_err(|error| format!("--host @{path}: {error}"))?;
        let text = decode::text_of(&bytes);
        for (number, line) in text.split(|&b| b == b'\n').enumerate() {
            let line = String::from_utf8_lossy(line);
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let host = host_of(line);
            self.add(
                host.map_err(|why| {
                    format!("--host @{path}: line {}: {line:?}: {why}", number + 1)
                })?,
            );
        }
        Ok(())
    }

    /// Whether `host` is one of the hosts or a subdomain of one.
    fn hold(&self, host: &[u8]) -> bool {
        let lower;
        let host = match host.iter().any(u8::is_ascii_uppercase) {
            true => {
                lower = host.to_ascii_lowercase();
                &lower
            }
            false => host,
        };
        let mut from = host.len().saturating_sub(self.longest);
        if from > 0 {
            // The match may begin inside a label: go on after the next dot.
            from -= 1;
            match memchr::memchr(b'.', &host[from..]) {
                Some(dot) => from += dot + 1,
                None => return false,
            }
        }
        loop {
            if self.names.contains(&host[from..]) {
                return true;
            }
            match memchr::memchr(b'.', &host[from..]) {
                Some(dot) => from += dot + 1,
                None => return false,
            }
        }
    }
}

/// Parses the problems of which a finding must have one; empty when no problem is
/// required.
///
/// # Errors
/// A message about an unknown code.
pub(super) fn problems(codes: &[String]) -> Result<Problems, String> {
    let mut problems = Problems::NONE;
    for code in codes {
        let found = Problem::ALL.into_iter().find(|p| p.code() == code.trim());
        let Some(problem) = found else {
            let known: Vec<&str> = Problem::ALL.iter().map(|p| p.code()).collect();
            let known = known.join(", ");
            return Err(format!(
                "--problem: {code:?} is not a code; the codes are {known}"
            ));
        };
        problems |= problem;
    }
    Ok(problems)
}

fn patterns(flag: &str, list: &[String]) -> Result<RegexSet, String> {
    for pattern in list {
        Regex::new(pattern).map_err(|error| format!("{flag}: {error}"))?;
    }
    RegexSet::new(list).map_err(|error| format!("{flag}: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_and_what_lies_below_it() {
        let hosts = ["b.example", "*.C.example", "[::1]", "192.0.2.1"].map(str::to_owned);
        let hosts = Hosts::named(&hosts).unwrap();
        for (host, wanted) in [
            ("b.example", true),
            ("B.Example", true),
            ("a.b.example", true),
            ("x.y.z.a.b.example", true),
            ("bb.example", false),
            ("example", false),
            ("", false),
            ("c.example", true),
            ("[::1]", true),
            ("1.192.0.2.1", true),
            ("92.0.2.1", false),
            ("b.example.", false),
        ] {
            assert_eq!(hosts.hold(host.as_bytes()), wanted, "{host}");
        }
        assert!(!Hosts::default().hold(b"a.example"));
    }
}
