//! Reads lists line by line, in memory of a few lines: plain ones, and CSV.

use super::csv::{self, CsvHeader};
use super::source::ListSource;
use crate::indicators::entry::is_list_comment;
use crate::indicators::intake::ListIntake;
use std::io;

/// Reads a list of lines. `column` is the name of the one that has the entries, if it was
/// named.
///
/// # Errors
/// The list cannot be read, or it lacks the column.
pub(super) fn read(
    source: &mut ListSource,
    column: Option<&str>,
    intake: &mut ListIntake,
) -> io::Result<()> {
    let mut line = Vec::new();
    // The last comment that may be a header of CSV.
    let mut header: Option<CsvHeader> = None;
    while let Some((number, is_whole)) = source.next_line(&mut line)? {
        if !is_whole {
            intake.refuse(&line, number, "longer than 16 MiB");
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
        let mut next = Some(number);
        while let Some(number) = next {
            intake.line(&line, number);
            next = loop {
                match source.next_line(&mut line)? {
                    Some((number, true)) => break Some(number),
                    Some((number, false)) => intake.refuse(&line, number, "longer than 16 MiB"),
                    None => break None,
                }
            };
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
