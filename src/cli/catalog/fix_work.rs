//! The work on records: their bytes with the new values, and the values.

use super::tally::DocumentContents;
use crate::cli::inputs::InputNames;
use std::sync::Arc;
use urisieve::catalog::LinkStatuses;
use urisieve::catalog::fix::{FixRules, FixedValue, RecordFixer};
use urisieve::{CatalogBatch, CatalogPiece, CatalogWork};

/// Fixes records.
pub(super) struct FixWork {
    pub rules: FixRules,
    pub names: InputNames,
    pub dry_run: bool,
    /// The answers of servers for links.
    pub statuses: Arc<LinkStatuses>,
}

/// The result of a batch.
#[derive(Debug, Default)]
pub(super) struct FixOutput {
    pub bytes: Vec<u8>,
    pub values: Vec<FixedValue>,
    /// The number of records that changed.
    pub records: u64,
    /// The rows of the table that were for these records.
    pub used: Vec<usize>,
    pub contents: DocumentContents,
}

/// Returns the name of the input, or of the member of an archive.
pub(super) fn file_of(names: &InputNames, batch: &CatalogBatch) -> Vec<u8> {
    let name = names.get(batch.input());
    match batch.member() {
        Some(member) => [&name[..], b"/", member].concat(),
        None => name.to_vec(),
    }
}

impl CatalogWork for FixWork {
    type State = RecordFixer;
    type Output = FixOutput;

    fn state(&self) -> RecordFixer {
        RecordFixer::default().statuses(Arc::clone(&self.statuses))
    }

    fn work(&self, fixer: &mut RecordFixer, batch: &CatalogBatch, output: &mut FixOutput) {
        let FixOutput { bytes, values, .. } = output;
        bytes.clear();
        values.clear();
        output.records = 0;
        let file = file_of(&self.names, batch);
        for piece in batch.pieces() {
            match piece {
                CatalogPiece::Between(between) => bytes.extend_from_slice(between),
                CatalogPiece::Record(record, raw) => {
                    let place = (record, raw);
                    output.records +=
                        u64::from(fixer.fix(&self.rules, &file, place, bytes, values));
                }
            }
            if self.dry_run {
                bytes.clear();
            }
        }
        output.used = fixer.take_used();
        output.contents = match &self.rules {
            FixRules::Repairs(choice, _) => {
                DocumentContents::of(batch, choice, fixer.take_listed())
            }
            // Its rows for other records are refused.
            FixRules::Table(_) => DocumentContents::listed(),
        };
    }
}
