//! Reads the table of `--apply`.

use crate::cli::flags::memory::{MemoryFlags, MemoryShares, MemoryUses, PartMemory};
use crate::cli::inputs;
use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::catalog::fix::{EditedRow, EditedTable};
use urisieve::decode::{CatalogFormat, TableColumn};
use urisieve::input::Source;
use urisieve::item::Loss;
use urisieve::{CatalogBatch, CatalogRun, CatalogSink, CatalogWork, Error};

/// The uses of memory beside the reading.
pub(super) const EDITS: MemoryUses = MemoryUses {
    stores: false,
    graph: false,
    groups: false,
    edits: true,
    table: false,
    parts: PartMemory::NONE,
};

/// The column without which a table is not one of ours.
const COLUMN: &str = "suggestion";

/// Returns the rows of the table at `path`, which `shares` leave memory for.
///
/// # Errors
/// A message: it could not be read to its end, a row lacks a column, or there is not the
/// memory for it.
pub(super) fn read(
    path: &Path,
    cancel: Arc<AtomicBool>,
    (memory, shares): (&MemoryFlags, &MemoryShares),
) -> Result<EditedTable, String> {
    let format = format(path);
    let run = CatalogRun::builder()
        .format(Some(format))
        .id_column(Some(TableColumn::Name(COLUMN.to_owned())))
        // Ours have no quotes; those of a spreadsheet are left to the rows.
        .quotes(format != CatalogFormat::Tsv)
        .cancel(cancel);
    let run = memory.configure_catalog(run, shares);
    let mut rows = TableRows {
        limit: shares.other.unwrap_or(usize::MAX),
        ..TableRows::default()
    };
    let source = match path.as_os_str() == "-" {
        true => inputs::stdin(),
        false => Source::Path(path.to_owned()),
    };
    run.build()
        .run([source], &ReadRows, &mut rows)
        .map_err(|error| error.to_string())?;
    match rows {
        TableRows {
            failed: Some(message),
            ..
        } => Err(message),
        TableRows {
            table, dropped: 0, ..
        } => {
            let mut table = table;
            table.settle();
            Ok(table)
        }
        TableRows { table, dropped, .. } => {
            let bytes = dropped.saturating_add(table.bytes());
            let limit = EDITS.limit_of_other(bytes as u64).div_ceil(1 << 20);
            Err(format!(
                "there is not the memory for the table; --max-memory {limit}M reads it"
            ))
        }
    }
}

/// Returns the format of a table by its name: CSV unless it says otherwise.
pub(super) fn format(path: &Path) -> CatalogFormat {
    let packed = ["gz", "zst", "xz", "bz2", "lz4"];
    let extension = |path: &Path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.unwrap_or_default().to_ascii_lowercase()
    };
    let mut path = path.to_owned();
    if packed.contains(&&*extension(&path)) {
        path.set_extension("");
    }
    match &*extension(&path) {
        "tsv" | "tab" => CatalogFormat::Tsv,
        "jsonl" | "ndjson" | "json" => CatalogFormat::JsonLines,
        _ => CatalogFormat::Csv,
    }
}

/// Returns why a table is not read to its end.
pub(super) fn cause_of_loss(loss: &Loss) -> String {
    match loss.kind.damage() {
        Some(damage) => damage.to_string(),
        None => loss.kind.code().to_owned(),
    }
}

/// Makes rows of the records of a table.
struct ReadRows;

impl CatalogWork for ReadRows {
    type State = ();
    type Output = Vec<Result<EditedRow, String>>;

    fn state(&self) {}

    fn work(&self, _: &mut (), batch: &CatalogBatch, output: &mut Self::Output) {
        output.clear();
        output.extend(batch.records().iter().map(EditedRow::of));
    }
}

/// The rows that were read so far, or why they are not all.
#[derive(Default)]
struct TableRows {
    table: EditedTable,
    /// The bytes of memory that the table may take, and of rows that were dropped because
    /// they took more: then it is only counted how many it needs.
    limit: usize,
    dropped: usize,
    failed: Option<String>,
}

impl CatalogSink<Vec<Result<EditedRow, String>>> for TableRows {
    fn batch(
        &mut self,
        _: &CatalogBatch,
        output: &mut Vec<Result<EditedRow, String>>,
    ) -> io::Result<ControlFlow<()>> {
        for row in output.drain(..) {
            match row {
                Ok(row) => {
                    self.table.push(row);
                    let bytes = self.table.bytes();
                    if bytes > self.limit {
                        self.dropped = self.dropped.saturating_add(bytes);
                        self.table.clear();
                    }
                }
                Err(message) => {
                    self.failed.get_or_insert(message);
                    return Ok(ControlFlow::Break(()));
                }
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
