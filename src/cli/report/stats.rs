//! The statistics of a run, as text or as one JSON object, on standard error.

use crate::cli::report::stderr;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;
use urisieve::item::Problem;
use urisieve::output::{OutputFormat, OutputLayout};
use urisieve::{ReadAs, Stats};

/// The format of the statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum StatsForm {
    Text,
    Json,
}

impl StatsForm {
    /// Returns the format of statistics beside an output.
    pub(in crate::cli) fn beside(format: &OutputFormat) -> StatsForm {
        match format.layout {
            OutputLayout::Objects => StatsForm::Json,
            _ => StatsForm::Text,
        }
    }
}

/// The number of inputs by what they were read as.
#[derive(Clone, Debug, Default)]
pub(in crate::cli) struct ReadCounts {
    classes: BTreeMap<&'static str, u64>,
    compressed: u64,
}

impl ReadCounts {
    pub(in crate::cli) fn add(&mut self, read_as: ReadAs) {
        *self.classes.entry(read_as.class()).or_default() += 1;
        self.compressed += u64::from(read_as.compressions().next().is_some());
    }
}

/// The numbers of what was written.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::cli) struct Written {
    /// Findings, or classes with their spellings.
    pub records: u64,
    /// Bytes, after compression.
    pub bytes: u64,
    /// Bytes of a temporary file that the sieve does not know.
    pub temporary_bytes: u64,
}

/// The totals that only the program knows.
pub(in crate::cli) struct Totals {
    pub inputs: usize,
    /// Inputs that could not be read to their end.
    pub unreadable: u64,
    /// Hidden files of directories that were skipped.
    pub hidden: u64,
    pub read_as: ReadCounts,
    /// Whether classes were distinguished.
    pub distinct: bool,
    pub written: Written,
}

/// Returns the numbers of a run, the most important first.
pub(in crate::cli) fn rows(stats: &Stats, totals: &Totals) -> Vec<(String, u64)> {
    let counts = &totals.read_as;
    let mut rows = vec![("occurrences", stats.occurrences)];
    rows.extend(totals.distinct.then_some(("distinct", stats.distinct)));
    rows.extend([
        ("records", totals.written.records),
        ("inputs", totals.inputs as u64),
        ("unreadable", totals.unreadable),
        ("damaged", stats.damaged),
        ("suspect_parts", stats.suspect),
        ("unseen", stats.unseen),
        ("too_long", stats.too_long),
        ("deselected", stats.deselected),
        ("not_selected", stats.not_selected),
        ("no_host", stats.no_host),
        ("json_broken", stats.json_broken),
        ("csv_quote", stats.csv_quote),
        ("without_field", stats.without_field),
        ("without_pointer", stats.without_pointer),
        ("garbage", stats.garbage),
        ("template_hosts", stats.template_hosts),
        ("references_dropped", stats.references_dropped),
        ("references_without_base", stats.references_without_base),
        ("without_node", stats.without_node),
        ("header", stats.header),
        ("boundary", stats.boundary),
        ("open", stats.open),
        ("coding", stats.coding),
        ("parts_not_read", stats.parts_not_read),
        ("records_filtered", stats.filtered),
        ("hidden_files", totals.hidden),
    ]);
    rows.extend(
        Problem::ALL
            .iter()
            .map(|&problem| (problem.code(), stats.problem(problem))),
    );
    let classes: Vec<(String, u64)> = ReadAs::classes()
        .map(|class| {
            let count = counts.classes.get(class).copied().unwrap_or_default();
            (format!("inputs_as_{class}"), count)
        })
        .collect();
    let last = [
        ("inputs_compressed", counts.compressed),
        ("bytes", stats.bytes),
        ("output_bytes", totals.written.bytes),
        ("set_key_bytes", stats.set_key_bytes),
        (
            "set_other_bytes_per_key",
            (stats.set_bytes - stats.set_key_bytes).div_ceil(stats.set_keys.max(1)),
        ),
        ("deferred", stats.deferred),
        (
            "temporary_bytes",
            stats.temporary_bytes + totals.written.temporary_bytes,
        ),
        ("fewer_threads", stats.fewer_threads),
    ];
    let owned = |(name, number): (&str, u64)| (name.to_owned(), number);
    let rows = rows.into_iter().map(owned).chain(classes);
    rows.chain(last.into_iter().map(owned)).collect()
}

/// Prints what a run found and how long it took. Text leaves out zeros.
pub(in crate::cli) fn print(stats: &Stats, totals: &Totals, took: Duration, form: StatsForm) {
    let (rows, seconds) = (rows(stats, totals), took.as_secs_f64());
    let probability = stats.collision_probability();
    let mut out = String::new();
    match form {
        StatsForm::Text => {
            for (name, number) in rows.into_iter().filter(|row| row.1 > 0) {
                let _ = writeln!(out, "{number:>14} {name}");
            }
            out.extend(probability_row(stats));
            let _ = writeln!(out, "{seconds:>14.3} seconds");
        }
        StatsForm::Json => {
            out.push('{');
            for (name, number) in rows {
                let _ = write!(out, "\"{name}\":{number},");
            }
            let _ = write!(out, "\"collision_probability\":{probability:.1e},");
            let _ = writeln!(out, "\"seconds\":{seconds:.6}}}");
        }
    }
    stderr::write(out.as_bytes());
}

/// Returns the row of the probability that a URI is missing, where it is not 0.
fn probability_row(stats: &Stats) -> Option<String> {
    let probability = stats.collision_probability();
    let number = format!("{probability:.1e}");
    (probability > 0.0).then(|| format!("{number:>14} collision_probability\n"))
}

/// Prints numbers, as text those that are not 0, and how long the run took.
pub(in crate::cli) fn print_rows(rows: Vec<(&str, u64)>, took: Duration, form: StatsForm) {
    let seconds = took.as_secs_f64();
    match form {
        StatsForm::Text => {
            for (name, number) in rows.into_iter().filter(|row| row.1 > 0) {
                stderr::line(format_args!("{number:>14} {name}"));
            }
            stderr::line(format_args!("{seconds:>14.3} seconds"));
        }
        StatsForm::Json => {
            let mut out = String::from("{");
            for (name, number) in rows {
                let _ = write!(out, "\"{name}\":{number},");
            }
            stderr::line(format_args!("{out}\"seconds\":{seconds:.6}}}"));
        }
    }
}

/// Prints the statistics of a run over lists.
pub(in crate::cli) fn print_lists(stats: &Stats, inputs: usize) {
    let mut rows = vec![
        ("records", stats.occurrences),
        ("printed", stats.distinct),
        ("no_uri", stats.not_uris),
        ("inputs", inputs as u64),
    ];
    rows.extend(
        Problem::ALL
            .iter()
            .map(|&problem| (problem.code(), stats.problem(problem))),
    );
    rows.push(("bytes", stats.bytes));
    for (name, number) in rows.into_iter().filter(|row| row.1 > 0) {
        stderr::line(format_args!("{number:>14} {name}"));
    }
    if let Some(row) = probability_row(stats) {
        stderr::write(row.as_bytes());
    }
}
