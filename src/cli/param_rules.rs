//! The files of `--drop-param @FILE` (I15): the rules of ClearURLs, or those of AdGuard.

use serde_json::Value;
use std::fs;
use std::path::Path;
use urisieve::canonicalize::params::ParamRules;
use urisieve::decode;

/// Adds the rules of a file.
///
/// # Errors
/// The file cannot be read, or has no rule.
pub(in crate::cli) fn add_file(rules: &mut ParamRules, path: &Path) -> Result<(), String> {
    let bytes = fs::read(path).map_err(|error| error.to_string())?;
    let text = decode::text_of(&bytes);
    let text = str::from_utf8(&text).map_err(|error| error.to_string())?;
    let added = match text.trim_start().starts_with('{') {
        true => add_providers(rules, text)?,
        false => text.lines().filter(|line| rules.add_filter(line)).count(),
    };
    match added {
        0 => Err("neither rules of ClearURLs nor $removeparam of AdGuard".to_owned()),
        _ => Ok(()),
    }
}

/// Adds the providers of ClearURLs; returns their number.
fn add_providers(rules: &mut ParamRules, text: &str) -> Result<usize, String> {
    let list: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let Some(providers) = list.get("providers").and_then(Value::as_object) else {
        return Ok(0);
    };
    let texts = |provider: &Value, key: &str| -> Vec<String> {
        let list = provider.get(key).and_then(Value::as_array);
        let texts = list.into_iter().flatten().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    };
    let mut added = 0;
    for (name, provider) in providers {
        let pattern = provider.get("urlPattern").and_then(Value::as_str);
        let pattern = pattern.ok_or_else(|| format!("provider {name:?} has no urlPattern"))?;
        let (names, exceptions) = (texts(provider, "rules"), texts(provider, "exceptions"));
        rules.add_provider(pattern, &names, &exceptions);
        added += 1;
    }
    Ok(added)
}
