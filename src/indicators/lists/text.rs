//! Reads lists line by line, in memory of a few lines: plain ones, and CSV.

use super::csv::{self, CsvHeader};
use super::source::ListSource;
use crate::indicators::entry::is_list_comment;
use crate::indicators::intake::{ListIntake, TOO_LONG};
use crate::indicators::jobs::ListJobs;
use crate::indicators::parts;
use std::io;

/// Reads a list of lines. `column` is the name of the one that has the entries, if it was
/// named.
///
/// # Errors
/// The list cannot be read, it lacks the column, or there are too many entries.
pub(super) fn read(
    source: &mut ListSource,
    column: Option<&str>,
    intake: &mut ListIntake,
    jobs: ListJobs,
) -> io::Result<()> {
    let mut line = Vec::new();
    // The last comment that may be a header of CSV.
    let mut header: Option<CsvHeader> = None;
    while let Some((number, is_whole)) = source.next_line(&mut line)? {
        if !is_whole {
            intake.refuse(&line, number, TOO_LONG);
            continue;
        }
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        if let Some(remark) = text.strip_prefix('#') {
            header = CsvHeader::of(remark.trim_start(), column).or(header);
            continue;
        }
        if is_list_comment(text) {
            continue;
        }
        // A comment is a header only if the first row has the same number of cells.
        let of_comment = header.take().filter(|header| header.fits(text));
        if let Some(header) = of_comment {
            csv::rows(source, &header, Some((line, number)), intake)?;
            return Ok(());
        }
        if let Some(header) = CsvHeader::of(text, column) {
            return csv::rows(source, &header, None, intake);
        }
        if let Some(name) = column {
            let why = format!("no column {name:?}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, why));
        }
        intake.line(&line, number);
        loop {
            let mut pieces = Vec::new();
            while pieces.len() < 2 * jobs.threads
                && let Some(piece) = source.next_piece()?
            {
                pieces.push(piece);
            }
            if pieces.is_empty() {
                return Ok(());
            }
            parts::take(intake, pieces, jobs)?;
        }
    }
    match column {
        Some(name) => {
            let why = format!("no column {name:?}");
            Err(io::Error::new(io::ErrorKind::InvalidInput, why))
        }
        None => Ok(()),
    }
}
