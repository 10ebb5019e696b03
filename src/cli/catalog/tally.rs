//! The documents of a run: how many records of which format, and whether anything in them
//! could be listed. A document without is reported, because it was probably taken for another
//! format than its own.

use crate::cli::report::messages::{Messages, Speech};
use crate::cli::report::stderr;
use std::io::{self, IsTerminal};
use urisieve::catalog::FieldChoice;
use urisieve::decode::{CatalogFormat, InputFormat, RecordRules};
use urisieve::item::{Damage, Loss, LossKind};
use urisieve::{CatalogBatch, CatalogPiece};

/// Counts the records of each format.
#[derive(Debug, Default)]
pub(super) struct DocumentTally {
    /// By the names of formats, in the order in which they occur.
    formats: Vec<(&'static InputFormat, u64)>,
    document: TalliedDocument,
    /// The number of documents in which nothing could be listed.
    pub silent: u64,
}

/// The document that is read: an input, or a member of an archive.
#[derive(Debug, Default)]
struct TalliedDocument {
    input: usize,
    member: Option<Vec<u8>>,
    format: Option<CatalogFormat>,
    records: u64,
    /// Whether it is more than blanks.
    has_text: bool,
    /// Whether something was lost of it, which was said.
    is_damaged: bool,
    contents: DocumentContents,
}

/// The contents of a batch of a document.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct DocumentContents {
    /// Whether a value is listed.
    pub is_listed: bool,
    /// Whether a column is known to hold identifiers.
    pub has_column: bool,
}

impl DocumentContents {
    /// The contents of a batch that need not be listed.
    pub(super) fn listed() -> DocumentContents {
        DocumentContents {
            is_listed: true,
            has_column: true,
        }
    }

    /// Returns the contents of a batch of which `listed` values are listed by `choice`.
    pub(super) fn of(batch: &CatalogBatch, choice: &FieldChoice, listed: u64) -> DocumentContents {
        let is_listed = listed > 0;
        let is_known = |name: &[u8]| choice.has_column(name);
        let mut columns = batch.columns().iter();
        let has_column = columns.any(|name| is_known(name))
            || batch.format() == Some(CatalogFormat::JsonLines)
                && !is_listed
                && batch.records().iter().any(|record| {
                    // MARC in JSON has no columns.
                    record.rules() != RecordRules::Table
                        || record.fields().any(|field| is_known(field.tag))
                });
        DocumentContents {
            is_listed,
            has_column,
        }
    }
}

impl DocumentTally {
    /// Adds a batch. Reports the document before it, if nothing in it could be listed.
    pub(super) fn batch(
        &mut self,
        batch: &CatalogBatch,
        contents: DocumentContents,
        messages: &mut Messages,
    ) {
        let document = &self.document;
        let is_same =
            document.input == batch.input() && document.member.as_deref() == batch.member();
        if !is_same {
            self.end(messages);
        }
        let document = &mut self.document;
        document.input = batch.input();
        document.member = batch.member().map(<[u8]>::to_vec);
        document.format = batch.format();
        let records = batch.records().len() as u64;
        document.records += records;
        document.is_damaged |= batch.is_damaged();
        document.has_text |= records > 0 || batch.pieces().any(is_text);
        document.contents.is_listed |= contents.is_listed;
        document.contents.has_column |= contents.has_column;
        if let Some(format) = batch.format() {
            let format = InputFormat::of_records(format);
            match self.formats.iter_mut().find(|(known, _)| *known == format) {
                Some((_, count)) => *count += records,
                None => self.formats.push((format, records)),
            }
        }
    }

    /// Ends the document that is read.
    pub(super) fn end(&mut self, messages: &mut Messages) {
        let document = std::mem::take(&mut self.document);
        if let Some(cause) = document.silence() {
            self.silent += 1;
            let kind = LossKind::Unsupported(Damage::new("input", cause, 0));
            messages.loss(&Loss::new(document.input, 0, kind));
        }
    }

    /// Whether no catalogue was read at all.
    pub(super) fn is_empty(&self) -> bool {
        self.formats.is_empty()
    }

    /// Says what was read, on a terminal or when verbose: `read as ISO 2709, 9 records`.
    pub(super) fn say(&self, speech: Speech) {
        let is_said = match speech {
            Speech::Silent => false,
            Speech::Brief => io::stderr().is_terminal(),
            Speech::Verbose => true,
        };
        if is_said {
            stderr::say(format_args!("{}", self.summary()));
        }
    }

    fn summary(&self) -> String {
        let said = self.formats.iter().map(|(format, count)| {
            format!("{}, {}", format.title, stderr::number_of(*count, "record"))
        });
        match said.collect::<Vec<_>>().join("; ") {
            said if said.is_empty() => "no catalogue was read".to_owned(),
            said => format!("read as {said}"),
        }
    }

    /// Returns the number of records of each format, with the name of a statistic.
    pub(super) fn stats(&self) -> Vec<(String, u64)> {
        let row =
            |(format, count): &(&InputFormat, u64)| (format!("records_as_{}", format.name), *count);
        self.formats.iter().map(row).collect()
    }
}

/// Whether a piece of a catalogue is text between records.
fn is_text(piece: CatalogPiece) -> bool {
    matches!(piece, CatalogPiece::Between(bytes) if !bytes.trim_ascii().is_empty())
}

impl TalliedDocument {
    /// Returns why nothing could be listed, if that is so.
    fn silence(&self) -> Option<&'static str> {
        let format = self.format.filter(|_| self.has_text && !self.is_damaged)?;
        let is_silent = match format.is_table() {
            true => !self.contents.is_listed && !self.contents.has_column,
            false => self.records == 0 && !format.is_xml(),
        };
        let cause = match format {
            CatalogFormat::Csv => SILENT_CSV,
            CatalogFormat::Tsv => SILENT_TSV,
            CatalogFormat::JsonLines => SILENT_LINES,
            _ => "it has no record of the format that -i states",
        };
        is_silent.then_some(cause)
    }
}

/// The reason of a table in which nothing could be listed.
macro_rules! silent {
    ($table:literal) => {
        concat!(
            "it was taken for a table (",
            $table,
            "), but has no column with a known name and no URI, so that nothing is checked: -i states \
             the format of a catalogue (marc, marcxml, mrk, pica, picaxml, mods, dc), --fields the \
             columns of a table"
        )
    };
}

const SILENT_CSV: &str = silent!("CSV");
const SILENT_TSV: &str = silent!("TSV");
const SILENT_LINES: &str = silent!("JSON Lines");
