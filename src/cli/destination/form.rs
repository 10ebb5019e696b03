//! Chooses the output form by the flags and by the file name.

use crate::cli::destination::FileCompression;
use crate::cli::flags::ReportFlags;
use std::path::Path;
use urisieve::output::{OUTPUT_FORMATS, OutputFormat, OutputLayout};

/// Returns the requested format, and the compression of the file.
///
/// # Errors
/// A message that names the flag.
pub(in crate::cli) fn format(
    report: &ReportFlags,
) -> Result<(&'static OutputFormat, FileCompression), String> {
    let chosen = report.format.chosen();
    let (format, compression) = by_flags(report.output.path(), chosen, OutputFormat::TEXT)?;
    if report.null && format != OutputFormat::TEXT {
        return Err("-0: only with -f text".to_owned());
    }
    check_file(format, compression, report.format.excel)?;
    Ok((format, compression))
}

/// Checks that columns of hosts have their hosts: they would take the marks of defanging for
/// parts of these.
///
/// # Errors
/// A message that names the flag.
pub(in crate::cli) fn check_hosts(format: &OutputFormat, defang: bool) -> Result<(), String> {
    if !(defang && format.has_hosts) {
        return Ok(());
    }
    let formats = OUTPUT_FORMATS.iter().filter(|format| format.has_hosts);
    let names: Vec<_> = formats.map(|format| format.name).collect();
    Err(format!("--defang: not with -f {}", names.join(" and ")))
}

/// Returns the format that a flag chose, or the name of the file, and its compression.
///
/// # Errors
/// A message, when an extension names a format that is not written.
pub(in crate::cli) fn by_flags(
    path: Option<&Path>,
    chosen: Option<&'static OutputFormat>,
    default: &'static OutputFormat,
) -> Result<(&'static OutputFormat, FileCompression), String> {
    match path.filter(|path| path.as_os_str() != "-") {
        Some(path) => by_name(path, chosen),
        None => Ok((chosen.unwrap_or(default), FileCompression::None)),
    }
}

/// Checks what goes together in a file.
///
/// # Errors
/// A message that names the flag.
pub(in crate::cli) fn check_file(
    format: &OutputFormat,
    compression: FileCompression,
    excel: bool,
) -> Result<(), String> {
    if format.layout == OutputLayout::Columns && compression != FileCompression::None {
        return Err("-o: Parquet is compressed inside; leave .gz and .zst out".to_owned());
    }
    if excel && format != OutputFormat::CSV {
        return Err("--excel: only with -f csv".to_owned());
    }
    Ok(())
}

/// Checks that a terminal can show the format.
///
/// # Errors
/// A message that names the flag.
pub(in crate::cli) fn check_terminal(format: &OutputFormat, terminal: bool) -> Result<(), String> {
    let is_binary = matches!(format.layout, OutputLayout::Columns | OutputLayout::Sheets);
    match terminal && is_binary {
        true => Err(format!(
            "-f {}: not to a terminal; use -o FILE",
            format.name
        )),
        false => Ok(()),
    }
}

/// Returns what the extensions of a name ask for; `chosen` is the format that a flag
/// set.
///
/// # Errors
/// A message, when an extension names a format that is not written.
fn by_name(
    path: &Path,
    chosen: Option<&'static OutputFormat>,
) -> Result<(&'static OutputFormat, FileCompression), String> {
    let extension = |path: &Path| {
        let extension = path.extension().unwrap_or_default();
        extension.to_string_lossy().to_ascii_lowercase()
    };
    let compression = match &extension(path)[..] {
        "gz" | "gzip" => FileCompression::Gzip,
        "zst" | "zstd" => FileCompression::Zstd,
        unknown @ ("bz2" | "xz" | "lz4" | "br" | "zip" | "7z") => {
            return Err(format!("-o: .{unknown} is not supported; use .gz or .zst"));
        }
        _ => FileCompression::None,
    };
    let inner = path.with_extension("");
    let name = match compression {
        FileCompression::None => path,
        _ => &inner,
    };
    let extension = extension(name);
    let format = chosen.or_else(|| OutputFormat::of_extension(&extension));
    match format {
        Some(format) => Ok((format, compression)),
        None => Err(format!(
            "-o {}: .{extension} is not a format that can be written; use {}, or set -f",
            path.display(),
            listed(usual_extensions())
        )),
    }
}

/// Returns the usual extension of each format that has one, with its dot.
fn usual_extensions() -> impl Iterator<Item = String> {
    let extensions = OUTPUT_FORMATS.iter().filter_map(|format| {
        let mut extensions = format.extensions.iter();
        extensions.find(|extension| !extension.is_empty())
    });
    extensions.map(|extension| format!(".{extension}"))
}

/// Returns names in a sentence: `a, b or c`.
pub(in crate::cli) fn listed(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_choose() {
        let by_name = |name: &str, chosen| by_name(Path::new(name), chosen);
        let [text, json, csv, tsv, parquet, ecs] = [0, 1, 2, 3, 4, 5].map(|at| &OUTPUT_FORMATS[at]);
        for (name, format, compression) in [
            ("a.csv", csv, FileCompression::None),
            ("a.b/c.TSV.GZ", tsv, FileCompression::Gzip),
            ("a.ndjson.zst", json, FileCompression::Zstd),
            ("a.parquet", parquet, FileCompression::None),
            ("a.txt", text, FileCompression::None),
            ("a.csv/b", text, FileCompression::None),
            ("a.gz", text, FileCompression::Gzip),
            ("csv", text, FileCompression::None),
            (".csv", text, FileCompression::None),
        ] {
            assert_eq!(by_name(name, None), Ok((format, compression)), "{name}");
            let chosen = Some(ecs);
            assert_eq!(by_name(name, chosen), Ok((ecs, compression)), "{name}");
        }
        for name in ["a.csv.xz", "a.xlsx", "a.xml.gz"] {
            assert!(by_name(name, None).is_err(), "{name}");
        }
        let chosen = Some(text);
        assert_eq!(by_name("a.html", chosen), Ok((text, FileCompression::None)));
        let page = Ok((OutputFormat::HTML, FileCompression::Gzip));
        assert_eq!(by_name("a.html.gz", None), page);
    }
}
