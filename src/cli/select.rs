//! Which URIs are reported: schemes, namespaces, hosts, patterns, problems.

use super::flags::{InputFlags, Selection};
use regex::bytes::{Regex, RegexSet};
use std::collections::HashSet;
use std::fs;
use std::ops::RangeInclusive;
use urisieve::decode;
use urisieve::engine::RecordFilter;
use urisieve::item::{IdentifierKinds, Problem, Problems};
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
            // The match may begin inside a label: continue after the next dot.
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

/// Parses the kinds of identifiers that count without a scheme.
///
/// # Errors
/// A message about a name that is not a kind.
pub(super) fn identifiers(names: &[String]) -> Result<IdentifierKinds, String> {
    IdentifierKinds::named(names).map_err(|error| format!("--bare: {error}"))
}

/// Parses the problems of which a finding must have one; empty when no problem is
/// required.
///
/// # Errors
/// A message about an unknown code.
pub(super) fn problems(codes: &[String]) -> Result<Problems, String> {
    let mut problems = Problems::NONE;
    for code in codes {
        let Some(problem) = Problem::of_code(code.trim()) else {
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

/// Parses which records of web archives are read.
///
/// # Errors
/// A message about a value that can match nothing.
pub(super) fn records(input: &InputFlags) -> Result<RecordFilter, String> {
    let mut filter = RecordFilter::new();
    for kind in each("--warc-type", &input.warc_type, kind_of)? {
        filter = filter.kind(kind);
    }
    for status in &input.status {
        let range = statuses_of(status.trim());
        filter = filter.statuses(range.ok_or_else(|| {
            format!("--status: {status:?} is not a status code; write a code like 404, or 4xx")
        })?);
    }
    for media_type in each("--mime", &input.mime, media_type_of)? {
        filter = filter.media_type(media_type);
    }
    Ok(filter)
}

/// Parses `response`.
fn kind_of(name: &str) -> Result<String, &'static str> {
    match name.is_empty() {
        false => Ok(name.to_ascii_lowercase()),
        true => Err("not a type of records; write a name like response"),
    }
}

/// Parses `404`, or `4xx` for all codes of a class.
fn statuses_of(code: &str) -> Option<RangeInclusive<u16>> {
    let (first, rest) = code.as_bytes().split_first()?;
    let class = matches!(first, b'1'..=b'9').then(|| 100 * u16::from(first - b'0'))?;
    if rest.eq_ignore_ascii_case(b"xx") {
        return Some(class..=class + 99);
    }
    let is_code = rest.len() == 2 && rest.iter().all(u8::is_ascii_digit);
    let code: u16 = code.parse().ok().filter(|_| is_code)?;
    Some(code..=code)
}

/// Parses `text/html`, or `text/*` for all of a type.
fn media_type_of(name: &str) -> Result<String, &'static str> {
    let is_token = |part: &str| {
        !part.is_empty()
            && part
                .bytes()
                .all(|b| b.is_ascii_graphic() && !b"/;,*".contains(&b))
    };
    match name.split_once('/') {
        Some((first, second)) if is_token(first) && (second == "*" || is_token(second)) => {
            Ok(name.to_ascii_lowercase())
        }
        _ => Err("not a media type; write a name like text/html or text/*, without parameters"),
    }
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

    #[test]
    fn status_codes() {
        for (code, wanted) in [
            ("404", Some(404..=404)),
            ("2xx", Some(200..=299)),
            ("5XX", Some(500..=599)),
            ("2x", None),
            ("20x", None),
            ("2000", None),
            ("0xx", None),
            ("+20", None),
            ("", None),
        ] {
            assert_eq!(statuses_of(code), wanted, "{code}");
        }
    }

    #[test]
    fn media_types() {
        for name in ["text/html", "Text/*", "image/svg+xml"] {
            assert_eq!(media_type_of(name), Ok(name.to_ascii_lowercase()));
        }
        for wrong in [
            "",
            "html",
            "*/*",
            "text/",
            "/html",
            "text/html;a=b",
            "a/b/c",
        ] {
            assert!(media_type_of(wrong).is_err(), "{wrong}");
        }
    }
}
