//! The rules by which the keys of a store are made, from the options of a call. A store may be used
//! by the command line, too: `KeyRules` has the names of the settings. `tests/test_seen.py` compares
//! the two.

use crate::settings::equality::{gateways, param_rules, resolvers};
use crate::settings::given::Given;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use urisieve::canonicalize::{Level, RULES};
use urisieve::store::seen::{KeyRules, SeenSettings};

/// The options by which keys differ.
const OPTIONS: [&str; 12] = [
    "level",
    "keep_components",
    "strip_fragment",
    "drop_param",
    "sort_query",
    "fold_https",
    "strip_www",
    "isbn13",
    "unwrap_resolvers",
    "resolvers",
    "unwrap_gateways",
    "redact",
];

/// Whether `options` name a rule by which keys differ.
///
/// # Errors
/// Errors of reading names.
pub(crate) fn are_named(options: &Bound<'_, PyDict>) -> PyResult<bool> {
    let given = Given::new(Some(options))?;
    let is_rule = |name: &String| OPTIONS.contains(&name.as_str());
    Ok(given.names.iter().any(is_rule))
}

/// Returns the settings of a store whose keys are made by these options.
///
/// # Errors
/// The exceptions of wrong options, and of files that they name.
pub(crate) fn settings(options: Option<&Bound<'_, PyDict>>) -> PyResult<SeenSettings> {
    let given = Given::new(options)?;
    let level = given.text("level")?;
    let drop_param = given.texts("drop_param")?;
    let params = param_rules(&drop_param)?;
    let unwrap_gateways = given.flag_or_names("unwrap_gateways")?;
    let names = unwrap_gateways.as_deref();
    let unwrapped = names.map(|names| gateways("unwrap_gateways", names));
    let redact = given.flag_or_names("redact")?;
    let rules = KeyRules {
        version: RULES,
        level: level.unwrap_or_else(|| Level::default().to_string()),
        keep_components: given.flag("keep_components")?,
        strip_fragment: given.flag("strip_fragment")?,
        sort_query: given.flag("sort_query")?,
        fold_https: given.flag("fold_https")?,
        strip_www: given.flag("strip_www")?,
        isbn13: given.flag("isbn13")?,
        drop_param,
        params: (!params.is_empty()).then(|| params.digest()),
        resolvers: resolvers(&given)?.map(|resolvers| resolvers.digest()),
        gateways: unwrapped.transpose()?.map(|gateways| gateways.digest()),
        unwrap_gateways,
        redact: redact.map(|names| names.join(",")),
    };
    Ok(rules.settings())
}

/// Sets the options that `settings` state; those of further resolvers are not among them.
///
/// # Errors
/// Errors of the dictionary.
pub(crate) fn set_options(settings: &SeenSettings, options: &Bound<'_, PyDict>) -> PyResult<()> {
    let rules = KeyRules::of(settings);
    let set = |name: &str, is_on: bool| options.set_item(name, is_on);
    options.set_item("level", Some(rules.level).filter(|level| !level.is_empty()))?;
    set("keep_components", rules.keep_components)?;
    set("strip_fragment", rules.strip_fragment)?;
    set("sort_query", rules.sort_query)?;
    set("fold_https", rules.fold_https)?;
    set("strip_www", rules.strip_www)?;
    set("isbn13", rules.isbn13)?;
    set("unwrap_resolvers", rules.resolvers.is_some())?;
    options.set_item("drop_param", rules.drop_param)?;
    // Without names the options are switches.
    match rules.unwrap_gateways {
        Some(names) if names.is_empty() => set("unwrap_gateways", true)?,
        names => options.set_item("unwrap_gateways", names)?,
    }
    match rules.redact {
        Some(names) if names.is_empty() => set("redact", true),
        names => options.set_item("redact", names),
    }
}
