//! The page of a report: HTML with its style and script inside, which loads nothing. The
//! policy of the page allows only these two, by their digests; everything that was read is
//! text, never a link or an attribute.

use super::summary::{Facet, ReportCell, SpellingGroup, Summary};
use super::tally::{NameCount, NameCounts};
use crate::item::Problem;
use crate::output::run_report::{NamedLoss, RunReport};
use crate::output::screen::Screen;
use crate::syntax::sha256;
use base64::prelude::{BASE64_STANDARD, Engine};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
/// Bytes of a text beside the table, so that the page keeps below 2 MB.
const CODE_MAX: usize = 200;
/// Names that a table of counts shows.
const NAMES: usize = 20;

/// Appends the page.
pub(super) fn push(summary: &Summary, run: &RunReport, out: &mut Vec<u8>) {
    let mut page = HtmlPage { out };
    page.head();
    page.numbers(summary, run);
    page.losses(run);
    page.times(summary);
    page.markup("<div class=\"facets\">\n");
    for (facet, tally) in summary.facets.iter().filter(|(_, tally)| tally.len() > 0) {
        page.facet(facet, tally, summary.counts);
    }
    page.markup("</div>\n");
    page.groups(summary);
    page.table(summary);
    page.markup("</main>\n<script>");
    page.markup(SCRIPT);
    page.markup("</script>\n</body></html>\n");
}

/// A page that is being written.
struct HtmlPage<'o> {
    out: &'o mut Vec<u8>,
}

impl HtmlPage<'_> {
    /// Appends markup of the program, never data.
    fn markup(&mut self, markup: &str) {
        self.out.extend_from_slice(markup.as_bytes());
    }

    /// Appends text: characters that are not shown as `\xXX`, and no character of markup.
    fn text(&mut self, text: &[u8]) {
        let mut shown = Vec::with_capacity(text.len());
        Screen::SAFE.line(text, &mut shown);
        for &byte in &shown {
            match byte {
                b'&' => self.markup("&amp;"),
                b'<' => self.markup("&lt;"),
                b'>' => self.markup("&gt;"),
                b'"' => self.markup("&quot;"),
                b'\'' => self.markup("&#39;"),
                byte => self.out.push(byte),
            }
        }
    }

    /// Appends a text beside the table, which has those that are long as a whole.
    fn code(&mut self, text: &[u8]) {
        let shown = &text[..text.len().min(CODE_MAX)];
        self.markup("<code>");
        self.text(shown);
        if shown.len() < text.len() {
            self.markup("…");
        }
        self.markup("</code>");
    }

    /// Appends a number with commas between thousands.
    fn number(&mut self, number: u64) {
        let digits = number.to_string();
        for (at, digit) in digits.bytes().enumerate() {
            if at > 0 && (digits.len() - at).is_multiple_of(3) {
                self.out.push(b',');
            }
            self.out.push(digit);
        }
    }

    fn head(&mut self) {
        let hash = |text: &str| BASE64_STANDARD.encode(sha256(text.as_bytes()));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{}'; script-src 'sha256-{}'; \
             base-uri 'none'; form-action 'none'",
            hash(STYLE),
            hash(SCRIPT)
        );
        self.markup("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
        self.markup("<meta http-equiv=\"Content-Security-Policy\" content=\"");
        self.markup(&policy);
        self.markup(
            "\">\n<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n",
        );
        self.markup("<meta name=\"color-scheme\" content=\"light dark\">\n");
        self.markup("<meta name=\"referrer\" content=\"no-referrer\">\n");
        self.markup("<title>Report of urisieve</title>\n<style>");
        self.markup(STYLE);
        self.markup(
            "</style></head>\n<body>\n<a class=\"skip\" href=\"#table\">To the table</a>\n",
        );
        self.markup("<header><h1>Report of urisieve</h1>\n");
    }

    /// Appends the headline and the numbers of the run.
    fn numbers(&mut self, summary: &Summary, run: &RunReport) {
        self.markup("<p>");
        self.number(summary.records);
        self.markup(" rows");
        if summary.counts {
            self.markup(", ");
            self.number(summary.occurrences);
            self.markup(" occurrences");
        }
        self.markup(".</p></header>\n<main>\n");
        // The memory of sets says nothing about the inputs.
        let is_shown = |name: &str| !name.starts_with("set_") && name != "output_bytes";
        let numbers = run.numbers.iter();
        let numbers = numbers.filter(|(name, number)| *number > 0 && is_shown(name));
        if numbers.clone().next().is_none() {
            return;
        }
        self.markup("<section aria-labelledby=\"numbers\"><h2 id=\"numbers\">Numbers of the run</h2>\n<dl>\n");
        for (name, number) in numbers {
            self.markup("<div><dt>");
            self.text(name.replace('_', " ").as_bytes());
            self.markup("</dt><dd>");
            self.number(*number);
            self.markup("</dd></div>\n");
        }
        self.markup("</dl></section>\n");
    }

    /// Appends what was lost.
    fn losses(&mut self, run: &RunReport) {
        if run.losses.is_empty() {
            return;
        }
        self.markup("<section aria-labelledby=\"losses\"><h2 id=\"losses\">Losses</h2>\n");
        self.markup("<table><caption>Data that could not be read");
        if run.further_losses > 0 {
            self.markup(", and ");
            self.number(run.further_losses);
            self.markup(" more");
        }
        self.markup("</caption>\n<thead><tr><th scope=\"col\">Input<th scope=\"col\" class=\"n\">Byte<th scope=\"col\">Kind<th scope=\"col\">Cause</thead>\n<tbody>\n");
        for NamedLoss {
            file,
            offset,
            kind,
            cause,
        } in &run.losses
        {
            self.markup("<tr><td>");
            self.text(file);
            self.markup("<td class=\"n\">");
            if let Some(offset) = offset {
                self.number(*offset);
            }
            self.markup("<td class=\"bad\">");
            self.text(kind.as_bytes());
            self.markup("<td>");
            self.text(cause.as_bytes());
            self.markup("\n");
        }
        self.markup("</table></section>\n");
    }

    /// Appends the time line: bars, and their numbers in a table.
    fn times(&mut self, summary: &Summary) {
        let spans = summary.times.spans();
        let (Some((first, _)), Some((last, _))) = (spans.first(), spans.last()) else {
            return;
        };
        let most = spans
            .iter()
            .map(|(_, rows)| *rows)
            .max()
            .unwrap_or(1)
            .max(1);
        let what = match summary.counts {
            true => "URIs by the time when they were first seen",
            false => "Rows by time",
        };
        self.markup("<section aria-labelledby=\"times\"><h2 id=\"times\">Time line</h2>\n<p class=\"soft\">");
        self.markup(what);
        self.markup(", UTC: ");
        self.text(first.as_bytes());
        self.markup(" to ");
        self.text(last.as_bytes());
        let width = spans.len();
        self.markup(&format!(
            "</p>\n<svg class=\"time\" viewBox=\"0 0 {width} 100\" preserveAspectRatio=\"none\" \
             role=\"img\" aria-label=\"{what}; the numbers are in the table below\">"
        ));
        for (at, (name, rows)) in spans.iter().enumerate() {
            // At least a hairline for a span that has any.
            let height = (rows * 100).div_ceil(most);
            if height == 0 {
                continue;
            }
            let top = 100 - height;
            self.markup(&format!(
                "<rect x=\"{at}.1\" y=\"{top}\" width=\"0.8\" height=\"{height}\"><title>"
            ));
            self.text(name.as_bytes());
            self.markup(&format!(": {rows}</title></rect>"));
        }
        self.markup("</svg>\n<details><summary>Numbers</summary><table><thead><tr><th scope=\"col\">Time<th scope=\"col\" class=\"n\">Rows</thead>\n<tbody>\n");
        for (name, rows) in spans.iter().filter(|(_, rows)| *rows > 0) {
            self.markup("<tr><td>");
            self.text(name.as_bytes());
            self.markup("<td class=\"n\">");
            self.number(*rows);
            self.markup("\n");
        }
        self.markup("</table></details></section>\n");
    }

    /// Appends the most frequent names of a part.
    fn facet(&mut self, facet: &Facet, tally: &NameCounts, counts: bool) {
        let Facet {
            name,
            title,
            meaning,
            ..
        } = facet;
        let wide = if facet.has_examples {
            " class=\"wide\""
        } else {
            ""
        };
        let top = tally.top(NAMES);
        let most = top.iter().map(|(_, counts)| counts.occurrences).max();
        let most = most.unwrap_or(1).max(1);
        self.markup(&format!(
            "<section{wide} aria-labelledby=\"{name}\"><h2 id=\"{name}\">{title}</h2>\n\
             <table><caption>"
        ));
        if tally.len() > top.len() || !tally.is_exact() {
            self.markup("The first ");
            self.number(top.len() as u64);
            self.markup(match tally.is_exact() {
                true => " of ",
                false => " of at least ",
            });
            self.number(tally.len() as u64);
            self.markup("; ");
        }
        self.markup("numbers of ");
        self.markup(meaning);
        if counts {
            self.markup(", and of their occurrences");
        }
        self.markup("</caption>\n<tbody>\n");
        for (name, tallied) in top {
            self.markup("<tr><th scope=\"row\">");
            self.code(name);
            self.examples(name, tallied, facet.has_examples);
            self.markup("<td class=\"n\">");
            if tallied.missed > 0 {
                self.markup("≥ ");
            }
            self.number(tallied.rows);
            if counts {
                self.markup("<td class=\"n\">");
                self.number(tallied.occurrences);
            }
            let width = (tallied.occurrences * 100).div_ceil(most);
            self.markup(&format!(
                "<td><svg class=\"bar\" viewBox=\"0 0 100 1\" preserveAspectRatio=\"none\" \
                 aria-hidden=\"true\"><rect width=\"{width}\" height=\"1\"/></svg>\n"
            ));
        }
        self.markup("</table></section>\n");
    }

    /// Appends the meaning of a code, and its examples.
    fn examples(&mut self, code: &[u8], tallied: &NameCount, has_examples: bool) {
        if !has_examples {
            return;
        }
        let problem = std::str::from_utf8(code).ok().and_then(Problem::of_code);
        if let Some(problem) = problem {
            self.markup(" <span class=\"soft\">");
            self.text(problem.meaning().as_bytes());
            self.markup("</span>");
        }
        for example in &tallied.examples {
            self.markup("<br>");
            self.code(example);
        }
    }

    /// Appends the classes with several spellings.
    fn groups(&mut self, summary: &Summary) {
        if summary.groups.is_empty() {
            return;
        }
        self.markup("<section aria-labelledby=\"groups\"><h2 id=\"groups\">Spellings that are equal</h2>\n<p class=\"soft\">");
        self.markup("URIs that are written in several ways: ");
        self.number(summary.groups_in_all);
        if summary.groups_in_all > summary.groups.len() as u64 {
            self.markup("; the first ");
            self.number(summary.groups.len() as u64);
            self.markup(" are here");
        }
        self.markup(".</p>\n<table><thead><tr><th scope=\"col\">Spelling<th scope=\"col\" class=\"n\">Occurrences<th scope=\"col\">Steps to the canonical form</thead>\n");
        for group in &summary.groups {
            self.group(group);
        }
        self.markup("</table></section>\n");
    }

    fn group(&mut self, group: &SpellingGroup) {
        self.markup("<tbody>\n<tr><th scope=\"rowgroup\" colspan=\"3\">");
        self.code(&group.uri);
        self.markup("\n");
        for spelling in &group.spellings {
            self.markup("<tr><td>");
            self.code(&spelling.text);
            self.markup("<td class=\"n\">");
            self.number(spelling.count);
            self.markup("<td>");
            for (at, (name, section)) in spelling.steps.iter().enumerate() {
                let between = if at > 0 { ", " } else { "" };
                self.markup(&format!(
                    "{between}{name} <span class=\"soft\">({section})</span>"
                ));
            }
            self.markup("\n");
        }
        if group.further > 0 {
            self.markup("<tr><td colspan=\"3\">and ");
            self.number(group.further as u64);
            self.markup(" more\n");
        }
    }

    /// Appends the rows. Columns without a value are left out.
    fn table(&mut self, summary: &Summary) {
        self.markup("<section aria-labelledby=\"table\"><h2 id=\"table\">Rows</h2>\n");
        if !summary.is_whole() {
            self.markup("<p>The first ");
            self.number(summary.rows.len() as u64);
            self.markup(" of ");
            self.number(summary.records);
            self.markup(" rows. ");
            self.markup(summary.all_rows);
            self.markup("</p>\n");
        }
        let columns = 0..summary.columns.len();
        let used: Vec<usize> = columns.filter(|&at| summary.used[at]).collect();
        let is_number = |at: usize| {
            let mut rows = summary.rows.iter();
            rows.all(|row| !matches!(row[at], ReportCell::Text(_)))
        };
        self.markup("<label for=\"filter\" hidden>Rows with all of these words <input id=\"filter\" type=\"search\"> <span id=\"shown\" role=\"status\"></span></label>\n");
        self.markup("<table id=\"rows\"><thead><tr>");
        for &at in &used {
            self.markup(match is_number(at) {
                true => "<th scope=\"col\" class=\"n\">",
                false => "<th scope=\"col\">",
            });
            self.text(summary.columns[at].as_bytes());
        }
        self.markup("</thead>\n<tbody>\n");
        for row in &summary.rows {
            self.markup("<tr>");
            for &at in &used {
                match &row[at] {
                    ReportCell::Absent => self.markup("<td>"),
                    ReportCell::Number(number) => {
                        self.markup("<td class=n>");
                        self.number(*number);
                    }
                    ReportCell::Text(text) => {
                        self.markup("<td>");
                        self.text(text);
                    }
                }
            }
            self.markup("\n");
        }
        self.markup("</table></section>\n");
    }
}
