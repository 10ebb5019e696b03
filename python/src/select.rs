//! The choice of URIs and records that are reported, like the options of the command
//! line with the same names.

use crate::given::wrong_value;
use pyo3::prelude::*;
use regex::bytes::RegexSet;
use std::fmt::Display;
use std::str::FromStr;
use std::sync::Arc;
use urisieve::{MediaRange, RecordFilter, StatusCodes, UriSelection};

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
        if selection.is_empty() && include.is_empty() && exclude.is_empty() {
            return Ok(None);
        }
        Ok(Some(Arc::new(move |uri: &[u8]| {
            selection.holds(uri)
                && (include.is_empty() || include.is_match(uri))
                && !exclude.is_match(uri)
        })))
    }
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
    statuses: &[String],
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
    for status in statuses {
        let StatusCodes(codes) = StatusCodes::from_str(status).map_err(of("status"))?;
        filter = filter.statuses(codes);
    }
    for name in media_types {
        let MediaRange(range) = MediaRange::from_str(name).map_err(of("mime"))?;
        filter = filter.media_type(range);
    }
    Ok(filter)
}
