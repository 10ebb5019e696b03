//! Reads the table of `--apply`.

use std::io;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use urisieve::catalog::fix::{EditedRow, EditedTable};
use urisieve::decode::{CatalogueFormat, TableColumn};
use urisieve::engine::{CatalogueBatch, CatalogueRun, CatalogueSink, CatalogueWork, Error};
use urisieve::input::Source;
use urisieve::item::Loss;

/// The column without which a table is not one of ours.
const COLUMN: &str = "suggestion";

/// Returns the rows of the table at `path`.
///
/// # Errors
/// A message: it could not be read to its end, or a row lacks a column.
pub(super) fn read(path: &Path, cancel: Arc<AtomicBool>) -> Result<EditedTable, String> {
    let run = CatalogueRun::new()
        .format(Some(format(path)))
        .id_column(Some(TableColumn::Name(COLUMN.to_owned())))
        .cancel(cancel);
    let mut rows = TableRows::default();
    let source = match path.as_os_str() == "-" {
        true => Source::Stdin,
        false => Source::Path(path.to_owned()),
    };
    run.run([source], &ReadRows, &mut rows)
        .map_err(|error| error.to_string())?;
    match rows.failed {
        Some(message) => Err(message),
        None => {
            rows.table.settle();
            Ok(rows.table)
        }
    }
}

/// Returns the format of a table by its name: CSV unless it says otherwise.
fn format(path: &Path) -> CatalogueFormat {
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
        "tsv" | "tab" => CatalogueFormat::Tsv,
        "jsonl" | "ndjson" | "json" => CatalogueFormat::JsonLines,
        _ => CatalogueFormat::Csv,
    }
}

/// Makes rows of the records of a table.
struct ReadRows;

impl CatalogueWork for ReadRows {
    type State = ();
    type Output = Vec<Result<EditedRow, String>>;

    fn state(&self) {}

    fn work(&self, _: &mut (), batch: &CatalogueBatch, output: &mut Self::Output) {
        output.clear();
        output.extend(batch.records().iter().map(EditedRow::of));
    }
}

/// The rows that were read so far, or why they are not all.
#[derive(Default)]
struct TableRows {
    table: EditedTable,
    failed: Option<String>,
}

impl CatalogueSink<Vec<Result<EditedRow, String>>> for TableRows {
    fn batch(
        &mut self,
        _: &CatalogueBatch,
        output: &mut Vec<Result<EditedRow, String>>,
    ) -> io::Result<ControlFlow<()>> {
        for row in output.drain(..) {
            match row {
                Ok(row) => self.table.push(row),
                Err(message) => {
                    self.failed.get_or_insert(message);
                    return Ok(ControlFlow::Break(()));
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        let cause = match loss.kind.damage() {
            Some(damage) => damage.to_string(),
            None => loss.kind.code().to_owned(),
        };
        self.failed.get_or_insert(cause);
    }

    fn error(&mut self, error: Error) {
        self.failed.get_or_insert(error.cause().to_string());
    }
}
