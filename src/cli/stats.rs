//! The numbers of a run, as text or as one JSON object, on standard error.

use super::plan::StatsForm;
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

/// Says what a run saw and how long it took.
pub(super) fn print(
    stats: &Stats,
    inputs: usize,
    encodings: &Encodings,
    took: Duration,
    form: StatsForm,
) {
    let seconds = took.as_secs_f64();
    let mut rows = vec![
        ("inputs", inputs as u64),
        ("inputs_as_text", encodings.text),
        ("inputs_as_utf16", encodings.utf16),
        ("bytes", stats.bytes),
        ("occurrences", stats.occurrences),
        ("distinct", stats.distinct),
        ("deselected", stats.deselected),
        ("too_long", stats.too_long),
        ("damaged", stats.damaged),
        ("suspect", stats.suspect),
    ];
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
    eprint!("{out}");
}
