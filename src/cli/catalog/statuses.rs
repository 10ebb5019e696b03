//! Reads the table of `--statuses`.

use super::fix_table::{EDITS, cause_of_loss, format};
use crate::cli::flags::memory::{MemoryFlags, MemoryShares};
use crate::cli::report::printable::printable;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::catalog::LinkStatuses;
use urisieve::input::Source;
use urisieve::item::Loss;
use urisieve::{CatalogBatch, CatalogRun, CatalogSink, CatalogWork, Error};

/// Returns the answers of servers in the table at `path`, which `shares` leave memory for;
/// none without a table.
///
/// # Errors
/// A message that names the flag: it could not be read to its end, a row lacks a column, or
/// there is not the memory for it.
pub(super) fn read(
    path: Option<&Path>,
    cancel: Arc<AtomicBool>,
    (memory, shares): (&MemoryFlags, &MemoryShares),
) -> Result<Arc<LinkStatuses>, String> {
    let Some(path) = path else {
        return Ok(Arc::default());
    };
    let name = printable(path.as_os_str().as_encoded_bytes()).to_string();
    let said = |message: String| format!("--statuses {name}: {message}");
    let run = CatalogRun::builder()
        .format(Some(format(path)))
        .cancel(cancel)
        .threads(1);
    let run = memory.configure_catalog(run, shares);
    let mut rows = StatusRows {
        limit: shares.other.unwrap_or(usize::MAX),
        ..StatusRows::default()
    };
    let source = Source::Path(path.to_owned());
    run.build()
        .run([source], &CopyRows, &mut rows)
        .map_err(|error| said(error.to_string()))?;
    match rows.failed {
        Some(message) => Err(said(message)),
        None => Ok(Arc::new(rows.statuses)),
    }
}

/// Passes on the records of a table.
struct CopyRows;

impl CatalogWork for CopyRows {
    type State = ();
    type Output = ();

    fn state(&self) {}

    fn work(&self, (): &mut (), _: &CatalogBatch, (): &mut ()) {}
}

/// The answers so far, or why they are not all.
#[derive(Default)]
struct StatusRows {
    statuses: LinkStatuses,
    /// The bytes of memory that they may take.
    limit: usize,
    failed: Option<String>,
}

impl CatalogSink<()> for StatusRows {
    fn batch(&mut self, batch: &CatalogBatch, (): &mut ()) -> io::Result<ControlFlow<()>> {
        for record in batch.records() {
            if let Err(message) = self.statuses.push_row(record) {
                self.failed.get_or_insert(message);
            }
            if self.statuses.bytes() > self.limit {
                let limit = EDITS
                    .limit_of_other(2 * self.limit as u64)
                    .div_ceil(1 << 20);
                self.failed = Some(format!(
                    "there is not the memory for the table; try --max-memory {limit}M"
                ));
            }
            if self.failed.is_some() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.failed.get_or_insert_with(|| cause_of_loss(loss));
    }

    fn error(&mut self, error: Error) {
        self.failed.get_or_insert_with(|| error.cause().to_string());
    }
}
