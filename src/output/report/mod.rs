//! The report of a run: one page of HTML that needs nothing outside it, or the same as JSON.
//! The numbers are collected row by row in bounded memory (`summary`, `tally`); the page
//! (`page`) and its twin (`twin`) are written at the end. Escaping is done here; secrets are
//! redacted before rows arrive.

mod page;
mod sheet;
#[cfg(feature = "json")]
mod stored;
mod summary;
mod tally;
mod timeline;
mod twin;

pub use sheet::ReportSheet;
pub use summary::REPORT_ROWS;

use super::form::{Form, FormError};
use super::rows::RowKind;
use super::run_report::RunReport;
use super::value::Row;
use crate::item::{Finding, Spelling};
use summary::Summary;

/// A report of findings, links or counted parts. Nothing is written before the end.
///
/// ```
/// use urisieve::{Sieve, output::{Form, Report, RowKind}};
/// let (mut form, mut out) = (Report::new(RowKind::Findings), Vec::new());
/// Sieve::builder().build().for_each(b"http://a.example/?q=1&r=2", |finding| {
///     form.write(finding, b"f.txt", &mut out);
/// })?;
/// form.finish(&mut out)?;
/// let page = String::from_utf8(out)?;
/// assert!(page.starts_with("<!doctype html>") && page.contains("http://a.example/?q=1&amp;r=2"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Report {
    rows: RowKind,
    summary: Summary,
    run: RunReport,
    json: bool,
}

impl Report {
    /// Creates a report of rows of this kind.
    ///
    /// ```
    /// use urisieve::output::{Form, Report, RowKind};
    /// let mut out = Vec::new();
    /// Report::new(RowKind::Findings).finish(&mut out)?;
    /// assert!(out.ends_with(b"</html>\n"));
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn new(rows: RowKind) -> Report {
        Report {
            rows,
            summary: Summary::of_rows(rows),
            run: RunReport::default(),
            json: false,
        }
    }

    /// Sets whether one object of JSON is written instead of a page; default no.
    ///
    /// ```
    /// use urisieve::output::{Form, Report, RowKind};
    /// let mut out = Vec::new();
    /// Report::new(RowKind::Findings).json(true).finish(&mut out)?;
    /// assert!(out.starts_with(b"{\"records\":0,"));
    /// # Ok::<(), urisieve::output::FormError>(())
    /// ```
    pub fn json(self, json: bool) -> Report {
        Report { json, ..self }
    }
}

impl Form for Report {
    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        self.write_group(finding, &[], name, out);
    }

    fn write_group(
        &mut self,
        class: &Finding,
        spellings: &[Spelling],
        name: &[u8],
        _: &mut Vec<u8>,
    ) {
        let summary = &mut self.summary;
        self.rows.with_finding(class, name, |finding| {
            summary.add(&Row::new(finding, name).spellings(spellings));
        });
    }

    fn run(&mut self, run: RunReport) {
        self.run = run;
    }

    fn is_whole(&self) -> bool {
        self.summary.is_whole()
    }

    fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), FormError> {
        match self.json {
            true => twin::push(&self.summary, &self.run, out),
            false => page::push(&self.summary, &self.run, out),
        }
        Ok(())
    }
}
