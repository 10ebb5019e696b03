//! The rules by which URIs are equal, and what is removed from them: the options of
//! canonicalization.

use crate::running::os_error;
use crate::settings::given::{Given, wrong_value};
use pyo3::prelude::*;
use std::path::Path;
use urisieve::canonicalize::gateway::Gateways;
use urisieve::canonicalize::params::ParamRules;
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
    let names = dropped.iter();
    let names = names.filter(|name| ParamRules::file_of(name).is_none());
    let canonicalizer = Canonicalizer::new(level)
        .keep_components(given.flag("keep_components")?)
        .strip_fragment(given.flag("strip_fragment")?)
        .drop_params(names)
        .map_err(|error| wrong_value("drop_param", &error.to_string()))?
        .sort_query(given.flag("sort_query")?)
        .fold_https(given.flag("fold_https")?)
        .isbn13(given.flag("isbn13")?)
        .drop_listed_params(param_rules(&dropped)?);
    let canonicalizer = match given.flag_or_names("unwrap_gateways")? {
        Some(names) => canonicalizer.unwrap_gateways(gateways("unwrap_gateways", &names)?),
        None => canonicalizer,
    };
    Ok(match resolvers(given)? {
        Some(resolvers) => canonicalizer.unwrap_resolvers(resolvers),
        None => canonicalizer,
    })
}

/// Returns the rules of the files among the names of parameters: `@FILE`.
///
/// # Errors
/// `OSError` for a file that cannot be read, `ValueError` for one without rules.
pub(super) fn param_rules(names: &[String]) -> PyResult<ParamRules> {
    let mut rules = ParamRules::default();
    for path in names.iter().filter_map(|name| ParamRules::file_of(name)) {
        let added = rules.add_list(&file_text("drop_param", Path::new(path))?);
        added.map_err(|error| wrong_value("drop_param", &format!("{path}: {error}")))?;
    }
    Ok(rules)
}

/// Returns the resolvers whose addresses are replaced by what they name, if the options ask for it.
///
/// # Errors
/// The exceptions of wrong options, and of a file of resolvers.
pub(super) fn resolvers(given: &Given<'_>) -> PyResult<Option<Resolvers>> {
    let path = given.path("resolvers")?;
    if !given.flag("unwrap_resolvers")? && path.is_none() {
        return Ok(None);
    }
    let mut known = Resolvers::built_in();
    if let Some(path) = path {
        let text = file_text("resolvers", &path)?;
        let added = known.add(&text);
        added.map_err(|error| wrong_value("resolvers", &error.to_string()))?;
    }
    Ok(Some(known))
}

/// Returns what removes secrets, if the options ask for it.
///
/// # Errors
/// The exceptions of a wrong option.
pub(super) fn redactor(given: &Given<'_>) -> PyResult<Option<Redactor>> {
    let Some(names) = given.flag_or_names("redact")? else {
        return Ok(None);
    };
    // `redact=True` is the flag without a value.
    if names.is_empty() {
        return Ok(Some(Redactor::default()));
    }
    Redactor::named(names.iter().map(String::as_str))
        .map(Some)
        .map_err(|error| wrong_value("redact", &error.to_string()))
}

/// Returns the gateways with these names, and those of tables: `@FILE`; all that are built in
/// without any name.
///
/// # Errors
/// `ValueError` for a name that no gateway has and for a wrong table, `OSError` for a file that
/// cannot be read.
pub(crate) fn gateways(option: &str, names: &[String]) -> PyResult<Gateways> {
    if names.is_empty() {
        return Ok(Gateways::built_in());
    }
    let mut gateways = Gateways::default();
    for name in names {
        gateways.add(match name.strip_prefix('@') {
            Some(path) => {
                let table = Gateways::parse(&file_text(option, Path::new(path))?);
                table.map_err(|error| wrong_value(option, &format!("{path}: {error}")))?
            }
            None => Gateways::named(name).ok_or_else(|| {
                let known = Gateways::names().join(", ");
                wrong_value(option, &format!("{name:?} is not one of {known}, or @FILE"))
            })?,
        });
    }
    Ok(gateways)
}

/// Returns the text of a file that an option names.
///
/// # Errors
/// `OSError` for a file that cannot be read, `ValueError` for one that is not a text.
fn file_text(option: &str, path: &Path) -> PyResult<String> {
    let bytes = std::fs::read(path).map_err(|error| os_error(&error, path.to_str()))?;
    let text = std::str::from_utf8(&text_of(&bytes)).map(str::to_owned);
    text.map_err(|error| wrong_value(option, &format!("{}: {error}", path.display())))
}
