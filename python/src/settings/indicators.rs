//! Lists of indicators: the options `match`, `match_entries` and `match_column`. A line of a file
//! that is not an entry is a warning, as the command line names it, and the others are used.

use crate::running::os_error;
use crate::settings::given::{Given, wrong_value};
use pyo3::exceptions::PyUserWarning;
use pyo3::prelude::*;
use std::ffi::CString;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use urisieve::{Matcher, MatcherBuilder};

/// The name of the list of `match_entries`, in `match_list`.
const ENTRIES: &str = "match_entries";

/// The lines of a list that are named; of the others the number is.
const NAMED: u64 = 10;

/// Returns the lists of the options, read on this many threads; `None` without any.
///
/// # Errors
/// `OSError` for a file that cannot be read, `ValueError` for an entry of `match_entries` that is
/// not one, and the exceptions of wrong options. A warning may be an exception, too.
pub(super) fn matcher(given: &Given<'_>, threads: usize) -> PyResult<Option<Arc<Matcher>>> {
    let (files, entries) = (given.paths("match")?, given.texts("match_entries")?);
    let column = given.text("match_column")?;
    if files.is_empty() && entries.is_empty() {
        return match column {
            Some(_) => Err(wrong_value("match_column", "only with match")),
            None => Ok(None),
        };
    }
    let mut builder = Matcher::builder().threads(threads);
    if let Some(column) = column {
        if !entries.is_empty() {
            return Err(wrong_value("match_column", "not with match_entries"));
        }
        builder = builder.column(column);
    }
    for file in &files {
        add_file(&mut builder, file)?;
    }
    if !entries.is_empty() {
        let mut wrong = None;
        for entry in &entries {
            let added = builder.add_list(ENTRIES, entry.as_bytes(), |bad| {
                wrong.get_or_insert_with(|| bad.to_string());
            });
            added.map_err(|error| wrong_value(ENTRIES, &error.to_string()))?;
        }
        if let Some(why) = wrong {
            return Err(wrong_value(ENTRIES, &format!("not an entry: {why}")));
        }
    }
    Ok(Some(Arc::new(builder.build())))
}

fn add_file(builder: &mut MatcherBuilder, path: &Path) -> PyResult<()> {
    let failed = |error: &std::io::Error| os_error(error, path.to_str());
    let name = path.display();
    let (mut named, mut warnings) = (0, Vec::new());
    let file = File::open(path).map_err(|error| failed(&error))?;
    let counts = builder.add_list(path.as_os_str().as_encoded_bytes(), file, |bad| {
        named += 1;
        if named <= NAMED {
            warnings.push(format!("{name}:{}: not an entry: {bad}", bad.line));
        }
    });
    // An error without a number is one of the list, such as a column that it lacks.
    let counts = counts.map_err(|error| match error.raw_os_error() {
        Some(_) => failed(&error),
        None => wrong_value("match", &format!("{name}: {error}")),
    })?;
    if counts.bad > NAMED {
        let (more, all) = (counts.bad - NAMED, counts.bad);
        warnings.push(format!(
            "{name}: {more} more lines are not entries, {all} in all"
        ));
    }
    warnings.iter().try_for_each(|warning| warn(warning))
}

fn warn(text: &str) -> PyResult<()> {
    let text = CString::new(text.replace('\0', "\\0")).unwrap_or_default();
    Python::attach(|py| PyErr::warn(py, &py.get_type::<PyUserWarning>(), &text, 1))
}
