//! The report as one object of JSON: the numbers of the page, under names.

use super::summary::{ReportCell, Summary};
use super::tally::NameCount;
use crate::output::object::Object;
use crate::output::run_report::RunReport;

/// Names of a part that are written.
const NAMES: usize = 1_000;

/// Appends the object and a line feed.
pub(super) fn push(summary: &Summary, run: &RunReport, out: &mut Vec<u8>) {
    let mut object = Object::new(out);
    object.number("records", summary.records);
    if summary.counts {
        object.number("occurrences", summary.occurrences);
    }
    let mut numbers = object.nested("numbers");
    for (name, number) in &run.numbers {
        numbers.number(name, *number);
    }
    numbers.close();
    object.objects("losses", &run.losses, |loss, object| {
        object.text("file", &loss.file);
        if let Some(offset) = loss.offset {
            object.number("offset", offset);
        }
        object.string("kind", &loss.kind);
        object.string("cause", &loss.cause);
    });
    object.number("further_losses", run.further_losses);
    for (facet, tally) in &summary.facets {
        object.objects(facet.name, &tally.top(NAMES), |(name, tallied), object| {
            object.text("name", name);
            push_counts(tallied, summary.counts, object);
        });
    }
    object.objects("times", &summary.times.spans(), |(name, rows), object| {
        object.string("time", name);
        object.number("rows", *rows);
    });
    object.objects("groups", &summary.groups, |group, object| {
        object.text("uri", &group.uri);
        object.objects("spellings", &group.spellings, |spelling, object| {
            object.text("original", &spelling.text);
            object.number("count", spelling.count);
            object.objects("steps", &spelling.steps, |(name, section), object| {
                object.string("name", name);
                object.string("section", section);
            });
        });
        object.number("further_spellings", group.further as u64);
    });
    object.number("groups_in_all", summary.groups_in_all);
    object.objects("rows", &summary.rows, |row, object| {
        for (name, cell) in summary.columns.iter().zip(row) {
            match cell {
                ReportCell::Absent => {}
                ReportCell::Number(number) => object.number(name, *number),
                ReportCell::Text(text) => object.text(name, text),
            }
        }
    });
    object.end();
}

fn push_counts(tallied: &NameCount, counts: bool, object: &mut Object) {
    object.number("rows", tallied.rows);
    if tallied.missed > 0 {
        object.number("missed_at_most", tallied.missed);
    }
    if counts {
        object.number("occurrences", tallied.occurrences);
    }
    if !tallied.examples.is_empty() {
        let examples: Vec<_> = tallied
            .examples
            .iter()
            .map(|text| String::from_utf8_lossy(text))
            .collect();
        object.list("examples", examples.iter().map(|text| &**text));
    }
}
