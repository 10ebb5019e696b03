//! Lists as they are written: lines of text, CSV, events of MISP and bundles of STIX.

mod csv;
mod feeds;
mod source;
mod stix;
mod text;

use super::intake::ListIntake;
use super::jobs::ListJobs;
use source::ListSource;
use std::io::{self, Read};

/// Reads a list from its first byte to its last. `column` is the name of the column that has
/// the entries, if it was named.
///
/// # Errors
/// The list cannot be read, it lacks the column, or there are too many entries.
pub(super) fn read(
    list: impl Read,
    column: Option<&str>,
    intake: &mut ListIntake,
    jobs: ListJobs,
) -> io::Result<()> {
    let mut source = ListSource::new(list)?;
    match column {
        None if source.is_json()? => feeds::read(&mut source, intake),
        column => text::read(&mut source, column, intake, jobs),
    }
}
