//! Chooses the output form by the flags and by the file name.

use super::destination::FileCompression;
use super::flags::{self, Format};
use std::path::Path;
use std::time::SystemTime;
use urisieve::engine::CountBy;
use urisieve::output::{Count, Csv, Ecs, Form, Json, Parquet, ParquetTally, Screen, Tally, Text};

/// Returns the requested format, and the compression of the file.
///
/// # Errors
/// A message that names the flag.
pub(super) fn format(output: &flags::OutputFlags) -> Result<(Format, FileCompression), String> {
    let chosen = match output.report.json {
        true => Some(Format::Jsonl),
        false => output.report.format,
    };
    let (format, compression) = match &output.report.output {
        Some(path) if path.as_os_str() != "-" => by_name(path, chosen)?,
        _ => (chosen.unwrap_or(Format::Text), FileCompression::None),
    };
    if output.report.null && format != Format::Text {
        return Err("-0: only with -f text".to_owned());
    }
    if format == Format::Parquet && compression != FileCompression::None {
        return Err("-o: Parquet is compressed inside; leave .gz and .zst out".to_owned());
    }
    let is_table_of_urls = matches!(format, Format::Parquet | Format::Ecs);
    if output.report.excel && format != Format::Csv {
        return Err("--excel: only with -f csv".to_owned());
    }
    if part(output).is_some() && (!output.count || output.groups) {
        return Err("--by: only with -c".to_owned());
    }
    if part(output).is_some() && format == Format::Ecs {
        return Err("--by: not with -f ecs".to_owned());
    }
    if output.report.privacy.defang && is_table_of_urls {
        // Their columns would take the marks of defanging for parts of the host.
        return Err("--defang: not with -f parquet and ecs".to_owned());
    }
    if output.surt.is_some() && format != Format::Text {
        return Err("--surt: only with -f text; parquet has it as url_surtkey".to_owned());
    }
    Ok((format, compression))
}

/// Extensions that mean text, one record a line.
const LINES: [&str; 8] = ["", "txt", "text", "log", "lst", "list", "urls", "out"];

/// Returns what the extensions of a name ask for; `chosen` is the format that a flag
/// set.
///
/// # Errors
/// A message, when an extension names a format that is not written.
pub(super) fn by_name(
    path: &Path,
    chosen: Option<Format>,
) -> Result<(Format, FileCompression), String> {
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
    let named = match &extension[..] {
        "jsonl" | "ndjson" | "json" => Format::Jsonl,
        "csv" => Format::Csv,
        "tsv" | "tab" => Format::Tsv,
        "parquet" | "pq" => Format::Parquet,
        lines if LINES.contains(&lines) => Format::Text,
        unknown => match chosen {
            Some(format) => format,
            None => {
                return Err(format!(
                    "-o {}: .{unknown} is not a format that can be written; use .txt, .jsonl, .csv, \
                     .tsv or .parquet, or set -f",
                    path.display()
                ));
            }
        },
    };
    Ok((chosen.unwrap_or(named), compression))
}

/// Returns the part that is counted instead of URIs.
pub(super) fn part(output: &flags::OutputFlags) -> Option<CountBy> {
    CountBy::named(&output.by)
}

/// Returns the form that writes `format`, with `row_group` bytes of text in a group of
/// rows.
///
/// # Errors
/// A message, when the form cannot be made.
pub(super) fn form(
    output: &flags::OutputFlags,
    format: Format,
    row_group: usize,
    screen: Screen,
) -> Result<Box<dyn Form>, String> {
    if let (Some(part), Format::Parquet) = (part(output), format) {
        let tally = ParquetTally::new(part.name()).map_err(|error| error.to_string())?;
        return Ok(Box::new(
            tally.names(part == CountBy::Input).groups_of(row_group),
        ));
    }
    if let Some(part) = part(output) {
        let name = part.name();
        let tally = match format {
            Format::Jsonl => Tally::json(name),
            Format::Csv => Tally::commas(name),
            Format::Tsv => Tally::tabs(name),
            _ => Tally::text(name),
        };
        let tally = tally
            .names(part == CountBy::Input)
            .defang(output.report.privacy.defang)
            .zero(output.report.null)
            .excel(output.report.excel)
            .screen(screen);
        return Ok(Box::new(tally));
    }
    Ok(match format {
        Format::Jsonl => Box::new(Json),
        Format::Csv => Box::new(Csv::commas().excel(output.report.excel).screen(screen)),
        Format::Tsv => Box::new(Csv::tabs().screen(screen)),
        Format::Parquet => {
            let table = match output.all {
                true => Parquet::occurrences(),
                false => Parquet::new(),
            };
            let table = table.map_err(|error| error.to_string())?;
            Box::new(table.groups_of(row_group))
        }
        Format::Ecs => Box::new(Ecs::at(SystemTime::now())),
        Format::Text if output.count || output.groups => Box::new(
            Count::default()
                .originals(output.original)
                .zero(output.report.null)
                .screen(screen),
        ),
        Format::Text => Box::new(
            Text::default()
                .names((output.with_filename || output.vimgrep) && !output.no_filename)
                .lines(output.line_number || output.vimgrep)
                .columns(output.column || output.vimgrep)
                .offsets(output.byte_offset)
                .originals(output.original)
                .zero(output.report.null)
                .screen(screen),
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_choose() {
        let by_name = |name: &str, chosen| by_name(Path::new(name), chosen);
        for (name, format, compression) in [
            ("a.csv", Format::Csv, FileCompression::None),
            ("a.b/c.TSV.GZ", Format::Tsv, FileCompression::Gzip),
            ("a.ndjson.zst", Format::Jsonl, FileCompression::Zstd),
            ("a.parquet", Format::Parquet, FileCompression::None),
            ("a.txt", Format::Text, FileCompression::None),
            ("a.csv/b", Format::Text, FileCompression::None),
            ("a.gz", Format::Text, FileCompression::Gzip),
            ("csv", Format::Text, FileCompression::None),
            (".csv", Format::Text, FileCompression::None),
        ] {
            assert_eq!(by_name(name, None), Ok((format, compression)), "{name}");
            let chosen = Some(Format::Ecs);
            assert_eq!(
                by_name(name, chosen),
                Ok((Format::Ecs, compression)),
                "{name}"
            );
        }
        for name in ["a.csv.xz", "a.html", "a.xlsx", "a.html.gz"] {
            assert!(by_name(name, None).is_err(), "{name}");
        }
        let chosen = Some(Format::Text);
        assert_eq!(
            by_name("a.html", chosen),
            Ok((Format::Text, FileCompression::None))
        );
    }
}
