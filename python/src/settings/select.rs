//! The choice of URIs and records that are reported, like the options of the command
//! line with the same names.

use crate::settings::given::wrong_value;
use pyo3::prelude::*;
use regex::bytes::RegexSet;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};
use urisieve::item::{Timestamp, UtcOffset};
use urisieve::syntax::extension;
use urisieve::{ExchangeFilter, MediaRange, RecordFilter, StatusCodes, UriSelection, time_bound};

/// The test that a canonical form must pass.
pub(crate) type Choice = Arc<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// The names and patterns of which a URI must have some to be reported.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub scheme: Vec<String>,
    pub nid: Vec<String>,
    pub host: Vec<String>,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub ext: Vec<String>,
    pub no_ext: Vec<String>,
}

impl Wanted {
    /// Returns the test; `None` when all pass.
    ///
    /// # Errors
    /// `ValueError` for a name that cannot match, and for a wrong pattern.
    pub(crate) fn choice(self) -> PyResult<Option<Choice>> {
        let include = patterns("include", &self.include)?;
        let exclude = patterns("exclude", &self.exclude)?;
        let mut selection = UriSelection::default();
        for name in &self.scheme {
            selection.add_scheme(name).map_err(of("scheme"))?;
        }
        for name in &self.nid {
            selection.add_nid(name).map_err(of("nid"))?;
        }
        for name in &self.host {
            selection.add_host(name).map_err(of("host"))?;
        }
        let ext = extensions("ext", self.ext)?;
        let no_ext = extensions("no_ext", self.no_ext)?;
        let has_ext = !ext.is_empty() || !no_ext.is_empty();
        if !has_ext && selection.is_empty() && include.is_empty() && exclude.is_empty() {
            return Ok(None);
        }
        Ok(Some(Arc::new(move |uri: &[u8]| {
            selection.holds(uri)
                && (include.is_empty() || include.is_match(uri))
                && !exclude.is_match(uri)
                && (ext.is_empty() || is_among(&ext, uri))
                && !is_among(&no_ext, uri)
        })))
    }
}

/// Returns the extensions that an option names, without their dots.
///
/// # Errors
/// `ValueError` for a name that no path ends with.
fn extensions(option: &str, names: Vec<String>) -> PyResult<Vec<String>> {
    let names = names.into_iter().map(|name| {
        let plain = name.trim_start_matches('.');
        let path = format!("x:/x.{plain}");
        match extension(path.as_bytes()) == Some(plain.as_bytes()) {
            true => Ok(plain.to_owned()),
            false => Err(wrong_value(
                option,
                &format!("{name:?} is not an extension, such as php"),
            )),
        }
    });
    names.collect()
}

/// Whether the path of `uri` has one of these extensions.
fn is_among(list: &[String], uri: &[u8]) -> bool {
    let found = extension(uri);
    let is = |ext: &String| found.is_some_and(|found| found.eq_ignore_ascii_case(ext.as_bytes()));
    list.iter().any(is)
}

/// Returns a function that turns an error into an exception about an option.
fn of<E: Display>(option: &str) -> impl Fn(E) -> PyErr {
    move |error| wrong_value(option, &error.to_string())
}

fn patterns(option: &str, list: &[String]) -> PyResult<RegexSet> {
    RegexSet::new(list).map_err(of(option))
}

/// Returns the filter of the records of web archives that are read.
///
/// # Errors
/// `ValueError` for a value that cannot match.
pub(crate) fn records(
    kinds: &[String],
    statuses: &[StatusCodes],
    media_types: &[String],
) -> PyResult<RecordFilter> {
    let mut filter = RecordFilter::new();
    for kind in kinds {
        if kind.is_empty() {
            let why = "a type of records such as response";
            return Err(wrong_value("warc_type", why));
        }
        filter = filter.kind(kind);
    }
    for StatusCodes(codes) in statuses {
        filter = filter.statuses(codes.clone());
    }
    for name in media_types {
        let MediaRange(range) = MediaRange::from_str(name).map_err(of("mime"))?;
        filter = filter.media_type(range);
    }
    Ok(filter)
}

/// Returns the status codes that are named.
///
/// # Errors
/// `ValueError` for a name that is not one.
pub(crate) fn statuses(names: &[String]) -> PyResult<Vec<StatusCodes>> {
    let codes = names.iter().map(|name| StatusCodes::from_str(name));
    codes.collect::<Result<_, _>>().map_err(of("status"))
}

/// The conditions on the exchange that a line of a log or a record of an archive states.
#[derive(Debug, Default)]
pub(crate) struct Exchanges {
    pub only_requests: bool,
    pub method: Vec<String>,
    pub since: Option<String>,
    pub until: Option<String>,
    pub zone: UtcOffset,
}

impl Exchanges {
    /// Returns the filter, which also has these `statuses`.
    ///
    /// # Errors
    /// `ValueError` for a value that cannot match.
    pub(crate) fn filter(&self, statuses: &[StatusCodes]) -> PyResult<ExchangeFilter> {
        let bound = |option, text: &Option<String>| match text {
            Some(text) => time_bound(text, self.zone, now())
                .map(Some)
                .map_err(of(option)),
            None => Ok(None),
        };
        let mut filter = ExchangeFilter::new()
            .only_requests(self.only_requests)
            .since(bound("since", &self.since)?)
            .until(bound("until", &self.until)?);
        for codes in statuses {
            filter = filter.statuses(codes.clone());
        }
        for name in &self.method {
            filter = filter.method(name).map_err(of("method"))?;
        }
        Ok(filter)
    }
}

/// Returns the offset of times that state none; `None` is UTC.
///
/// # Errors
/// `ValueError` for a text that is not an offset.
pub(crate) fn zone(text: Option<String>) -> PyResult<UtcOffset> {
    let zone = text.map(|text| text.parse()).transpose();
    Ok(zone.map_err(of("zone"))?.unwrap_or_default())
}

/// Returns the present time; a clock before 1970 counts as 1970.
fn now() -> Timestamp {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let seconds = i64::try_from(since.as_secs()).unwrap_or_default();
    Timestamp::since_1970(seconds, since.subsec_nanos()).unwrap_or_default()
}
