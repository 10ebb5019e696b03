//! The settings that decide what the keys of a store are, by the names that the command line
//! gives them: a store may be used by both. `tests/test_seen.py` compares the two.

use crate::settings::equality::{gateways, resolvers};
use crate::settings::given::Given;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use urisieve::canonicalize::{Level, RULES};
use urisieve::store::seen::SeenSettings;

/// The options that are switches, with the names of their settings.
const SWITCHES: [(&str, &str); 6] = [
    ("keep_components", "keep-components"),
    ("strip_fragment", "strip-fragment"),
    ("sort_query", "sort-query"),
    ("fold_https", "fold-https"),
    ("strip_www", "strip-www"),
    ("isbn13", "isbn13"),
];

/// The other options by which keys differ.
const OTHERS: [&str; 6] = [
    "level",
    "drop_param",
    "unwrap_resolvers",
    "resolvers",
    "unwrap_gateways",
    "redact",
];

/// The value of a setting that is on.
const ON: &str = "on";

/// Whether `options` name a rule by which keys differ.
///
/// # Errors
/// Errors of reading names.
pub(crate) fn are_named(options: &Bound<'_, PyDict>) -> PyResult<bool> {
    let given = Given::new(Some(options))?;
    let switches = SWITCHES.iter().map(|(option, _)| *option);
    let mut names = switches.chain(OTHERS);
    Ok(names.any(|name| given.names.iter().any(|given| given == name)))
}

/// Returns the settings of a store whose keys are made by these options.
///
/// # Errors
/// The exceptions of wrong options, and of files that they name.
pub(crate) fn settings(options: Option<&Bound<'_, PyDict>>) -> PyResult<SeenSettings> {
    let given = Given::new(options)?;
    let level = given.text("level")?;
    let level = level.unwrap_or_else(|| Level::default().to_string());
    let mut settings = SeenSettings::new();
    let mut set = |name: &str, value: String| {
        if !value.is_empty() {
            settings.insert(name.to_owned(), value);
        }
    };
    set("kind", "uri".to_owned());
    set("rules", RULES.to_string());
    set("level", level);
    for (option, name) in SWITCHES {
        let value = if given.flag(option)? { ON } else { "" };
        set(name, value.to_owned());
    }
    set("drop-param", listed(&given.texts("drop_param")?));
    if let Some(resolvers) = resolvers(&given)? {
        set("resolvers", format!("{:016x}", resolvers.digest()));
    }
    if let Some(names) = given.flag_or_names("unwrap_gateways")? {
        let digest = gateways("unwrap_gateways", &names)?.digest();
        set("unwrap-gateways", or_on(listed(&names)));
        set("gateways", format!("{digest:016x}"));
    }
    if let Some(names) = given.flag_or_names("redact")? {
        set("redact", or_on(names.join(",")));
    }
    Ok(settings)
}

fn or_on(names: String) -> String {
    match names.is_empty() {
        true => ON.to_owned(),
        false => names,
    }
}

/// Sets the options that `settings` state; those of files are not among them.
///
/// # Errors
/// Errors of the dictionary.
pub(crate) fn set_options(settings: &SeenSettings, options: &Bound<'_, PyDict>) -> PyResult<()> {
    for (option, name) in SWITCHES {
        options.set_item(option, settings.contains_key(name))?;
    }
    for (option, name) in [("level", "level"), ("redact", "redact")] {
        match settings.get(name).map(String::as_str) {
            Some(ON) => options.set_item(option, true)?,
            value => options.set_item(option, value)?,
        }
    }
    options.set_item("unwrap_resolvers", settings.contains_key("resolvers"))?;
    let list = |name: &str| settings.get(name).map(|list| unlisted(list));
    options.set_item("drop_param", list("drop-param"))?;
    match settings.get("unwrap-gateways").map(String::as_str) {
        Some(ON) => options.set_item("unwrap_gateways", true),
        _ => options.set_item("unwrap_gateways", list("unwrap-gateways")),
    }
}

/// Names in a list, whose order does not count.
fn listed(names: &[String]) -> String {
    let plain = |name: &String| name.replace('\\', "\\\\").replace(',', "\\,");
    let mut names: Vec<String> = names.iter().map(plain).collect();
    names.sort_unstable();
    names.dedup();
    names.join(",")
}

/// The names of a list that [`listed`] made.
fn unlisted(list: &str) -> Vec<String> {
    let (mut names, mut name, mut letters) = (Vec::new(), String::new(), list.chars());
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => name.extend(letters.next()),
            ',' => names.push(std::mem::take(&mut name)),
            letter => name.push(letter),
        }
    }
    names.push(name);
    names
}
