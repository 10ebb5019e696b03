//! Which URIs are reported: schemes, namespaces, hosts, patterns, as the options of the
//! command line with the same names.

use crate::given::wrong_value;
use pyo3::prelude::*;
use regex::bytes::RegexSet;
use std::collections::HashSet;
use std::ops::RangeInclusive;
use std::sync::Arc;
use urisieve::engine::RecordFilter;
use urisieve::syntax::{Components, urn};

/// The test that a canonical form must pass.
pub(crate) type Choice = Arc<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// What a URI must have to be reported.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub scheme: Vec<String>,
    pub nid: Vec<String>,
    pub host: Vec<String>,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
}

impl Wanted {
    /// Returns the test; `None` when all pass.
    ///
    /// # Errors
    /// `ValueError` for a name that can match nothing, and for a wrong pattern.
    pub(crate) fn choice(self) -> PyResult<Option<Choice>> {
        let lists = [
            &self.scheme,
            &self.nid,
            &self.host,
            &self.include,
            &self.exclude,
        ];
        if lists.iter().all(|list| list.is_empty()) {
            return Ok(None);
        }
        let include = patterns("include", &self.include)?;
        let exclude = patterns("exclude", &self.exclude)?;
        let scheme = each("scheme", &self.scheme, scheme_of)?;
        let nid = each("nid", &self.nid, nid_of)?;
        let hosts = each("host", &self.host, host_of)?;
        Ok(Some(Arc::new(move |uri: &[u8]| {
            let parts = Components::parse(uri);
            is_named(&scheme, parts.scheme(uri))
                && is_named(&nid, urn::nid(uri))
                && (hosts.is_empty() || parts.host(uri).is_some_and(|host| holds(&hosts, host)))
                && (include.is_empty() || include.is_match(uri))
                && !exclude.is_match(uri)
        })))
    }
}

fn is_named(list: &HashSet<Vec<u8>>, name: Option<&[u8]>) -> bool {
    list.is_empty() || name.is_some_and(|name| list.contains(&name.to_ascii_lowercase()))
}

/// Whether `host` is one of `hosts`, or a subdomain of one.
fn holds(hosts: &HashSet<Vec<u8>>, host: &[u8]) -> bool {
    let host = host.to_ascii_lowercase();
    let dots = memchr::memchr_iter(b'.', &host).map(|dot| dot + 1);
    std::iter::once(0)
        .chain(dots)
        .any(|from| hosts.contains(&host[from..]))
}

fn each(
    option: &str,
    list: &[String],
    of: fn(&str) -> Option<String>,
) -> PyResult<HashSet<Vec<u8>>> {
    let named = |name: &String| match of(name.trim()) {
        Some(name) => Ok(name.into_bytes()),
        None => Err(wrong_value(option, &format!("{name:?} can match nothing"))),
    };
    list.iter().map(named).collect()
}

/// Reads `http`, also written `http:` or `http://`.
fn scheme_of(name: &str) -> Option<String> {
    let name = name.strip_suffix("//").unwrap_or(name);
    let name = name.strip_suffix(':').unwrap_or(name);
    let mut bytes = name.bytes();
    let starts = bytes.next().is_some_and(|b| b.is_ascii_alphabetic());
    let goes_on = bytes.all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    (starts && goes_on).then(|| name.to_ascii_lowercase())
}

/// Reads `isbn`, also written `urn:isbn`.
fn nid_of(name: &str) -> Option<String> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_prefix("urn:").unwrap_or(&name);
    let is_nid = urn::nid_len(format!("{name}:x").as_bytes()) == Some(name.len());
    is_nid.then(|| name.to_owned())
}

/// Reads `a.example`, also written `.a.example` or `*.a.example`.
fn host_of(name: &str) -> Option<String> {
    let name = name.strip_prefix('*').unwrap_or(name);
    let name = name.trim_start_matches('.').to_ascii_lowercase();
    let is_literal = name.starts_with('[') && name.ends_with(']');
    let is_host = is_literal || !name.contains(['/', ':', '@', '*', ' ']);
    (!name.is_empty() && is_host).then_some(name)
}

fn patterns(option: &str, list: &[String]) -> PyResult<RegexSet> {
    RegexSet::new(list).map_err(|error| wrong_value(option, &error.to_string()))
}

/// Returns which records of web archives are read.
///
/// # Errors
/// `ValueError` for a value that can match nothing.
pub(crate) fn records(
    kinds: &[String],
    statuses: &[String],
    media_types: &[String],
) -> PyResult<RecordFilter> {
    let mut filter = RecordFilter::new();
    for kind in kinds {
        if kind.is_empty() {
            return Err(wrong_value(
                "warc_type",
                "a type of records such as response",
            ));
        }
        filter = filter.kind(kind.to_ascii_lowercase());
    }
    for status in statuses {
        let range = statuses_of(status);
        let wrong = || wrong_value("status", &format!("{status:?} is not 404, 4xx or the like"));
        filter = filter.statuses(range.ok_or_else(wrong)?);
    }
    for name in media_types {
        if !is_media_type(name) {
            let why = format!("{name:?} is not text/html, text/* or the like");
            return Err(wrong_value("mime", &why));
        }
        filter = filter.media_type(name.to_ascii_lowercase());
    }
    Ok(filter)
}

/// Reads `404`, or `4xx` for all codes of a class.
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

fn is_media_type(name: &str) -> bool {
    let is_token = |part: &str| {
        let is_part = |b: u8| b.is_ascii_graphic() && !b"/;,*".contains(&b);
        !part.is_empty() && part.bytes().all(is_part)
    };
    name.split_once('/')
        .is_some_and(|(first, second)| is_token(first) && (second == "*" || is_token(second)))
}
