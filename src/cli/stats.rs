//! The numbers of a run, as text or as one JSON object, on standard error.

use super::plan::StatsForm;
use super::stderr;
use std::fmt::Write;
use std::time::Duration;
use urisieve::decode::Encoding;
use urisieve::engine::Stats;
use urisieve::item::Problem;

/// How many inputs were read as what.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Encodings {
    text: u64,
    utf16: u64,
}

impl Encodings {
    pub(super) fn add(&mut self, encoding: Encoding) {
        match encoding {
            Encoding::Raw => self.text += 1,
            Encoding::Utf16 => self.utf16 += 1,
        }
    }
}

/// What was written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    /// Findings, or classes with their spellings.
    pub records: u64,
    /// Bytes, after compression.
    pub bytes: u64,
}

/// What the program itself knows of a run.
pub(super) struct Told {
    pub inputs: usize,
    /// Inputs that could not be read to their end.
    pub unreadable: u64,
    pub encodings: Encodings,
    /// Classes were told apart.
    pub distinct: bool,
    pub written: Written,
}

/// Says what a run saw and how long it took.
pub(super) fn print(stats: &Stats, told: &Told, took: Duration, form: StatsForm) {
    let seconds = took.as_secs_f64();
    let mut rows = vec![
        ("inputs", told.inputs as u64),
        ("inputs_as_text", told.encodings.text),
        ("inputs_as_utf16", told.encodings.utf16),
        ("unreadable", told.unreadable),
        ("bytes", stats.bytes),
        ("occurrences", stats.occurrences),
    ];
    rows.extend(told.distinct.then_some(("distinct", stats.distinct)));
    rows.extend([
        ("deselected", stats.deselected),
        ("too_long", stats.too_long),
        ("damaged", stats.damaged),
        ("suspect_parts", stats.suspect),
        ("unseen", stats.unseen),
        ("records", told.written.records),
        ("output_bytes", told.written.bytes),
    ]);
    rows.extend(Problem::ALL.map(|problem| (problem.code(), stats.problem(problem))));
    let mut out = String::new();
    match form {
        StatsForm::Text => {
            for (name, number) in rows {
                let _ = writeln!(out, "{number:>14} {name}");
            }
            let _ = writeln!(out, "{seconds:>14.3} seconds");
        }
        StatsForm::Json => {
            out.push('{');
            for (name, number) in rows {
                let _ = write!(out, "\"{name}\":{number},");
            }
            let _ = writeln!(out, "\"seconds\":{seconds:.6}}}");
        }
    }
    stderr::write(out.as_bytes());
}

/// Says what a run over lists saw.
pub(super) fn print_lists(stats: &Stats, inputs: usize) {
    let mut rows = vec![
        ("inputs", inputs as u64),
        ("bytes", stats.bytes),
        ("records", stats.occurrences),
        ("printed", stats.distinct),
        ("no_uri", stats.not_uris),
    ];
    rows.extend(Problem::ALL.map(|problem| (problem.code(), stats.problem(problem))));
    rows.retain(|&(name, number)| number > 0 || !name.contains('-'));
    for (name, number) in rows {
        stderr::line(format_args!("{number:>14} {name}"));
    }
}
