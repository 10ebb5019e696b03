//! The register of formats that are written: one row per
//! format. The flag that chooses one, the names of files, the list of formats and what goes
//! together follow from it.

use super::csv::{Csv, Separator};
#[cfg(feature = "domain")]
use super::ecs::Ecs;
use super::form::{Form, FormError};
use super::json::Json;
#[cfg(feature = "parquet")]
use super::parquet::Parquet;
use super::report::Report;
use super::rows::RowKind;
use super::screen::Screen;
use super::text::Text;
#[cfg(feature = "domain")]
use std::time::SystemTime;

/// A format that is written.
///
/// ```
/// use urisieve::output::{OUTPUT_FORMATS, OutputFormat};
/// assert!(OutputFormat::named("json").is_some_and(|format| format.name == "jsonl"));
/// assert!(OUTPUT_FORMATS.iter().any(|format| format.extensions.contains(&"ndjson")));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct OutputFormat {
    /// The name, which is the value of a flag.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// The description of the output.
    pub meaning: &'static str,
    /// Extensions of files of this format, in lower case and without a dot.
    pub extensions: &'static [&'static str],
    /// The layout of records.
    pub layout: OutputLayout,
    /// Whether there are columns for parts of hosts, which defanging would change.
    pub has_hosts: bool,
    /// Whether rows of every kind can be written, not only findings.
    pub has_all_rows: bool,
    make: fn(&FormSettings) -> Result<Box<dyn Form>, FormError>,
}

/// The layout of the records of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OutputLayout {
    /// A line with the URI and what is wanted beside it.
    Lines,
    /// A line of values below a line of names.
    Separated(Separator),
    /// An object of JSON in each line.
    Objects,
    /// Columns of many records together, compressed: bytes, not text.
    Columns,
    /// A workbook of spreadsheets: bytes, not text.
    Sheets,
    /// One document about all records.
    Document,
}

/// The settings from which a form is made. Each format uses those that apply to it.
#[derive(Clone, Debug, Default)]
pub struct FormSettings {
    /// The kind of rows.
    pub rows: RowKind,
    /// The positions and marks in lines; its kind of rows and its screen are replaced by
    /// those here.
    pub text: Text,
    /// The screen for which text is escaped and colored.
    pub screen: Screen,
    /// Whether every occurrence has a row, not every class.
    pub occurrences: bool,
    /// Whether a table is for spreadsheets.
    pub excel: bool,
    /// The most bytes of text in a group of rows of Parquet, which is held in memory; 0 is
    /// the default of 16 MiB.
    pub group_bytes: usize,
    /// Whether a report is JSON, not a page.
    pub json_report: bool,
}

/// The formats that are written; the first is the default.
///
/// ```
/// use urisieve::output::{OUTPUT_FORMATS, OutputLayout};
/// assert_eq!(OUTPUT_FORMATS[0].layout, OutputLayout::Lines);
/// ```
pub const OUTPUT_FORMATS: &[OutputFormat] = &[
    OutputFormat {
        name: "text",
        aliases: &[],
        meaning: "one URI a line; -n --column -b -H --vimgrep put its position before it",
        extensions: &["", "txt", "text", "log", "lst", "list", "urls", "out"],
        layout: OutputLayout::Lines,
        has_hosts: false,
        has_all_rows: true,
        make: |settings| {
            let text = settings.text.rows(settings.rows);
            Ok(Box::new(text.screen(settings.screen)))
        },
    },
    OutputFormat {
        name: "jsonl",
        aliases: &["json"],
        meaning: "one JSON object a line (--json), keys with a dot nested; formats --schema; {PART, count} with --by",
        extensions: &["jsonl", "ndjson", "json"],
        layout: OutputLayout::Objects,
        has_hosts: false,
        has_all_rows: true,
        make: |settings| Ok(Box::new(Json::default().rows(settings.rows))),
    },
    OutputFormat {
        name: "csv",
        aliases: &[],
        meaning: "a line of names, then RFC 4180 lines that end with LF; the columns are the keys",
        extensions: &["csv"],
        layout: OutputLayout::Separated(Separator::Comma),
        has_hosts: false,
        has_all_rows: true,
        make: |settings| {
            let table = Csv::new(Separator::Comma)
                .rows(settings.rows)
                .excel(settings.excel);
            Ok(Box::new(table.screen(settings.screen)))
        },
    },
    OutputFormat {
        name: "tsv",
        aliases: &[],
        meaning: "the same with tabs; tab, line feed, return and backslash are \\t, \\n, \\r, \\\\",
        extensions: &["tsv", "tab"],
        layout: OutputLayout::Separated(Separator::Tab),
        has_hosts: false,
        has_all_rows: true,
        make: |settings| {
            let table = Csv::new(Separator::Tab).rows(settings.rows);
            Ok(Box::new(table.screen(settings.screen)))
        },
    },
    #[cfg(feature = "parquet")]
    OutputFormat {
        name: "parquet",
        aliases: &[],
        meaning: "Apache Parquet, zstd; columns of Common Crawl's index, then the other keys; PART and count with --by",
        extensions: &["parquet", "pq"],
        layout: OutputLayout::Columns,
        has_hosts: true,
        has_all_rows: true,
        make: |settings| {
            let table = match (settings.occurrences, settings.rows) {
                (true, RowKind::Findings) => Parquet::occurrences()?,
                (_, rows) => Parquet::of(rows)?,
            };
            Ok(Box::new(match settings.group_bytes {
                0 => table,
                bytes => table.groups_of(bytes),
            }))
        },
    },
    #[cfg(feature = "domain")]
    OutputFormat {
        name: "ecs",
        aliases: &[],
        meaning: "JSON Lines by the Elastic Common Schema: @timestamp, url.original, url.full, url.domain ...",
        extensions: &[],
        layout: OutputLayout::Objects,
        has_hosts: true,
        has_all_rows: false,
        make: |_| Ok(Box::new(Ecs::at(SystemTime::now()))),
    },
    OutputFormat {
        name: "html",
        aliases: &[],
        meaning: "a report: one page with the numbers, the losses and the first 10,000 records; see urisieve report",
        extensions: &["html", "htm"],
        layout: OutputLayout::Document,
        has_hosts: true,
        has_all_rows: true,
        make: |settings| {
            let report = Report::new(settings.rows);
            Ok(Box::new(report.json(settings.json_report)))
        },
    },
];

impl OutputFormat {
    /// Lines of text, the default for URIs and links.
    pub const TEXT: &'static OutputFormat = &OUTPUT_FORMATS[0];
    /// The report.
    pub const HTML: &'static OutputFormat = &OUTPUT_FORMATS[OUTPUT_FORMATS.len() - 1];
    /// A table with commas, the default for rows of catalogues.
    pub const CSV: &'static OutputFormat = &OUTPUT_FORMATS[2];
    /// JSON Lines.
    pub const JSON: &'static OutputFormat = &OUTPUT_FORMATS[1];

    /// Workbooks, for tables whose columns are known only when the program runs. No register
    /// has it, because findings are not written to workbooks.
    #[cfg(feature = "xlsx")]
    pub const XLSX: &'static OutputFormat = &OutputFormat {
        name: "xlsx",
        aliases: &[],
        meaning: "a workbook of spreadsheets whose cells are texts; rows of catalogues alone",
        extensions: &["xlsx"],
        layout: OutputLayout::Sheets,
        has_hosts: false,
        has_all_rows: false,
        make: |_| Err(FormError::new("xlsx: only with rows of catalogues")),
    };

    /// Whether rows of catalogues can be written.
    ///
    /// ```
    /// use urisieve::output::OutputFormat;
    /// assert!(OutputFormat::CSV.has_cells() && !OutputFormat::TEXT.has_cells());
    /// ```
    pub fn has_cells(&self) -> bool {
        let has_cells = !matches!(self.layout, OutputLayout::Lines | OutputLayout::Document);
        self.has_all_rows && has_cells
    }

    /// Returns the format that is called `name`.
    ///
    /// ```
    /// use urisieve::output::OutputFormat;
    /// assert!(OutputFormat::named("xlsx").is_none());
    /// ```
    pub fn named(name: &str) -> Option<&'static OutputFormat> {
        let mut formats = OUTPUT_FORMATS.iter();
        formats.find(|format| format.name == name || format.aliases.contains(&name))
    }

    /// Returns the format of files with this extension, which is in lower case.
    ///
    /// ```
    /// use urisieve::output::OutputFormat;
    /// assert!(OutputFormat::of_extension("tab").is_some_and(|format| format.name == "tsv"));
    /// ```
    pub fn of_extension(extension: &str) -> Option<&'static OutputFormat> {
        let mut formats = OUTPUT_FORMATS.iter();
        formats.find(|format| format.extensions.contains(&extension))
    }

    /// Returns the form that writes this format.
    ///
    /// # Errors
    /// Rows that the format cannot have, or a table that cannot be made.
    ///
    /// ```
    /// use urisieve::item::Finding;
    /// use urisieve::output::{FormSettings, OutputFormat};
    /// let format = OutputFormat::named("text").unwrap();
    /// let (mut form, mut out) = (format.form(&FormSettings::default())?, Vec::new());
    /// form.write(&Finding::new(b"http://a/"), b"f.txt", &mut out);
    /// assert_eq!(out, b"http://a/\n");
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn form(&self, settings: &FormSettings) -> Result<Box<dyn Form>, FormError> {
        let rows = match settings.rows {
            RowKind::Findings => None,
            RowKind::Links(_) => Some("links"),
            RowKind::Parts(_) => Some("parts"),
        };
        match rows.filter(|_| !self.has_all_rows) {
            Some(rows) => Err(FormError::new(format!("{}: not with {rows}", self.name))),
            None => (self.make)(settings),
        }
    }
}

impl PartialEq for OutputFormat {
    fn eq(&self, other: &OutputFormat) -> bool {
        self.name == other.name
    }
}

impl Eq for OutputFormat {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn names_and_extensions_are_of_one_format() {
        let names = OUTPUT_FORMATS.iter();
        let names = names.flat_map(|format| format.aliases.iter().chain([&format.name]));
        let names: Vec<_> = names.collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        let extensions = OUTPUT_FORMATS.iter().flat_map(|format| format.extensions);
        let extensions: Vec<_> = extensions.collect();
        let defaults = [OutputFormat::TEXT, OutputFormat::JSON, OutputFormat::CSV];
        assert_eq!(defaults.map(|format| format.name), ["text", "jsonl", "csv"]);
        assert_eq!(OutputFormat::HTML.name, "html");
        let distinct: HashSet<_> = extensions.iter().collect();
        assert_eq!(distinct.len(), extensions.len());
        for format in OUTPUT_FORMATS {
            let made = format.form(&FormSettings::default());
            assert!(made.is_ok(), "{}", format.name);
        }
    }
}
