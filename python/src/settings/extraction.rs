//! The rules by which URIs are found: the options of delimiting, and of the fields of data.

use crate::settings::given::{Given, wrong_value};
use pyo3::prelude::*;
use urisieve::decode::{DataFields, TableColumn};
use urisieve::delimit::{Config, Hyphen, WRAP_MAX, Wrap, WrapLimit};

/// Returns the fields of data: pointers and names of columns, columns by names or numbers.
///
/// # Errors
/// The exceptions of wrong options.
pub(super) fn fields(given: &Given<'_>) -> PyResult<DataFields> {
    let mut fields = DataFields::default();
    for name in given.texts("field")? {
        fields = fields
            .field(&name)
            .map_err(|error| wrong_value("field", &format!("{name:?}: {error}")))?;
    }
    for column in given.texts("csv_column")? {
        if column == "0" {
            return Err(wrong_value("csv_column", "columns are counted from 1"));
        }
        fields = fields.column(TableColumn::parse(&column));
    }
    match given.text("csv_delimiter")?.as_deref() {
        None => Ok(fields),
        Some("tab") => Ok(fields.delimiter(b'\t')),
        Some(text) => match text.as_bytes() {
            &[byte] if byte.is_ascii() && !matches!(byte, b'"' | b'\n' | b'\r' | 0) => {
                Ok(fields.delimiter(byte))
            }
            _ => Err(wrong_value("csv_delimiter", "one character, or tab")),
        },
    }
}

/// Returns the rules of delimiting.
///
/// # Errors
/// The exceptions of wrong options.
pub(super) fn delimit(given: &Given<'_>, max_length: usize) -> PyResult<Config> {
    let opaque = given.names("opaque")?;
    let all = opaque.iter().any(|name| name == "all");
    let nested = given.flag_or_choice("nested", &["percent", "base64"])?;
    let mut config = Config::default()
        .wrap(match given.choice("wrap", &["lines", "any", "off"])? {
            "any" => Wrap::Any,
            "off" => Wrap::Off,
            _ => Wrap::Lines,
        })
        .hyphen(match given.choice("hyphen", &["keep", "drop", "both"])? {
            "drop" => Hyphen::Drop,
            "both" => Hyphen::Both,
            _ => Hyphen::Keep,
        })
        .nested(nested.is_some())
        .nested_base64(nested == Some("base64"))
        .ascii(given.flag("ascii")?)
        .templates(given.flag("templates")?)
        .all_references(given.flag("all_references")?)
        .max_length(max_length)
        .opaque_all(all)
        .opaque(opaque.iter().filter(|name| *name != "all"));
    if let Some((bytes, lines)) = given.size_and_number("wrap_limit")? {
        if bytes > WRAP_MAX {
            return Err(wrong_value(
                "wrap_limit",
                &format!("at most {WRAP_MAX} bytes"),
            ));
        }
        let lines = lines.unwrap_or(WrapLimit::default().lines);
        config = config.wrap_limit(WrapLimit { bytes, lines });
    }
    Ok(config)
}
