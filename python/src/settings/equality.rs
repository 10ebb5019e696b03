//! The rules by which URIs are equal, and what is removed from them: the options of
//! canonicalization.

use crate::settings::given::{Given, wrong_value};
use pyo3::prelude::*;
use urisieve::canonicalize::resolver::Resolvers;
use urisieve::canonicalize::{Canonicalizer, Level, Redactor};
use urisieve::decode::text_of;

/// Returns the canonicalizer of the options.
///
/// # Errors
/// The exceptions of wrong options, and of a file of resolvers.
pub(super) fn canonicalizer(given: &Given<'_>) -> PyResult<Canonicalizer> {
    let level = match given.text("level")? {
        Some(name) => name.parse().map_err(|_| {
            let why = format!("{name:?} is not one of none, lexical, syntax, scheme");
            wrong_value("level", &why)
        })?,
        None => Level::default(),
    };
    let dropped = given.texts("drop_param")?;
    let canonicalizer = Canonicalizer::new(level)
        .keep_components(given.flag("keep_components")?)
        .strip_fragment(given.flag("strip_fragment")?)
        .drop_params(&dropped)
        .map_err(|error| wrong_value("drop_param", &error.to_string()))?
        .sort_query(given.flag("sort_query")?)
        .fold_https(given.flag("fold_https")?)
        .isbn13(given.flag("isbn13")?);
    let resolvers = given.path("resolvers")?;
    if !given.flag("unwrap_resolvers")? && resolvers.is_none() {
        return Ok(canonicalizer);
    }
    let mut known = Resolvers::built_in();
    if let Some(path) = resolvers {
        let bytes = std::fs::read(&path)?;
        let text = text_of(&bytes);
        let text = std::str::from_utf8(&text).map_err(|error| error.to_string());
        let added = text.and_then(|text| known.add(text).map_err(|error| error.to_string()));
        added.map_err(|why| wrong_value("resolvers", &why))?;
    }
    Ok(canonicalizer.unwrap_resolvers(known))
}

/// Returns what removes secrets, if the options ask for it.
///
/// # Errors
/// The exceptions of a wrong option.
pub(super) fn redactor(given: &Given<'_>) -> PyResult<Option<Redactor>> {
    // `redact=True` is the flag without a value.
    if given.is_flag("redact")? {
        return Ok(given.flag("redact")?.then(Redactor::default));
    }
    let names = given.names("redact")?;
    if names.is_empty() {
        return Ok(None);
    }
    Redactor::named(names.iter().map(String::as_str))
        .map(Some)
        .map_err(|error| wrong_value("redact", &error.to_string()))
}
