//! A document that is read as one catalogue: an input, or a member of an archive. Codings
//! are undone, UTF-16 is converted, the format is detected, and records are read into
//! batches with all that is between them.

use super::batch::CatalogBatch;
use crate::decode::{
    Beginning, CatalogFormat, CatalogReader, CatalogRecord, HEAD, RECORD_MAX, RecordDamage,
    RecordFault, RecordStep, TableColumn, UnreadFormat, Utf16Decoder, VALUES_MAX,
};
use crate::engine::error::{Error, ErrorKind};
use crate::engine::read::content::lost_record;
use crate::engine::read::list_records::lacking;
use crate::item::{Damage, Loss, LossKind, Part};
use crate::unpack::{Codings, Flow, Unpack};

/// The number of bytes of a document from which its format is detected.
const DETECTED: usize = 64 << 10;
/// The number of losses that fills a batch, however few its records are.
const NOTES: usize = 1024;
/// The number of values of records that fills one: each takes more memory than its bytes.
const VALUES: usize = 1 << 15;
/// Bytes of a coded member that are decoded at a time.
const PIECE: usize = 256 << 10;

const UNKNOWN: &str = "it is neither a catalogue nor a table";
const LONG_ROWS: &str =
    "rows of one identifier of more than 16 MiB or 16,384 cells are read in parts";

/// The settings by which catalogues are read.
#[derive(Clone, Debug)]
pub(in crate::engine) struct RecordReading {
    /// The format of every input; `None`: by their content.
    pub format: Option<CatalogFormat>,
    pub id_column: Option<TableColumn>,
    /// Whether quotes around the cells of tables do not belong to them.
    pub quotes: bool,
    pub utf16: bool,
    pub unpack: Unpack,
    /// The number of bytes that fill a batch.
    pub batch: usize,
}

/// A document that is being read.
#[derive(Debug, Default)]
pub(in crate::engine) struct CatalogDocument {
    input: usize,
    /// The member of an archive.
    part: Option<Part>,
    format: Option<CatalogFormat>,
    id_column: Option<TableColumn>,
    has_plain_cells: bool,
    forces_utf16: bool,
    codings: Option<Codings>,
    /// Coded bytes, and whether more can be decoded of them.
    coded: Vec<u8>,
    has_more: bool,
    /// Bytes whose encoding is not known yet, or UTF-16.
    wide: Vec<u8>,
    is_begun: bool,
    utf16: Option<Utf16Decoder>,
    /// The text; what was not read yet starts at `at`.
    window: Vec<u8>,
    at: usize,
    /// The number of bytes of the document before that.
    position: u64,
    reader: Option<CatalogReader>,
    /// Whether the document is neither a catalogue nor a table.
    is_unknown: bool,
    lacks_column: bool,
    /// The number of bytes of the rows of one identifier, up to the last one, and that of
    /// their values.
    rows: (usize, usize),
    /// The record that begins the next batch, its bytes, and what is lost of it.
    held: Option<(CatalogRecord, Vec<u8>, Vec<Loss>)>,
    /// Nothing follows: the document has ended, or bytes are missing.
    stop: Option<DocumentStop>,
}

/// Why nothing follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum DocumentStop {
    Gap,
    End,
}

/// The next need of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum DocumentNeeds {
    /// More bytes.
    Bytes,
    /// Nothing: the batch is full.
    Full,
    /// Nothing: it is read to its stop.
    Stopped,
}

impl CatalogDocument {
    /// Begins a document of this input, or of the member `part` of it.
    pub(in crate::engine) fn of(
        input: usize,
        part: Option<Part>,
        reading: &RecordReading,
    ) -> CatalogDocument {
        let names = part.iter().flat_map(|part| &part.codings);
        let codings = Codings::new(names.map(|name| &name[..]));
        let codings = codings.with_window(reading.unpack.windows.coding);
        CatalogDocument {
            input,
            codings: (!codings.is_identity()).then_some(codings),
            part,
            format: reading.format,
            id_column: reading.id_column.clone(),
            has_plain_cells: !reading.quotes,
            forces_utf16: reading.utf16,
            ..CatalogDocument::default()
        }
    }

    /// Says what the records of the batch are.
    pub(in crate::engine) fn describe(&self, batch: &mut CatalogBatch) {
        let part = self.part.as_ref();
        batch.member = part.and_then(|part| part.context.member.clone());
        batch.format = self.format;
        let columns = self.reader.as_ref().map_or(&[][..], CatalogReader::columns);
        batch.columns.extend_from_slice(columns);
        batch.is_converted = self.utf16.is_some();
    }

    /// Whether bytes are missing where it stops.
    pub(in crate::engine) fn has_gap(&self) -> bool {
        self.stop == Some(DocumentStop::Gap)
    }

    /// Whether bytes are here that are still coded.
    pub(in crate::engine) fn is_coded(&self) -> bool {
        self.has_more
    }

    /// The number of bytes that are not read yet.
    pub(in crate::engine) fn waiting(&self) -> usize {
        self.window.len() - self.at
    }

    /// Returns the buffer for bytes of the input.
    pub(in crate::engine) fn inlet(&mut self) -> &mut Vec<u8> {
        match self.codings {
            Some(_) => &mut self.coded,
            None => self.decoded(),
        }
    }

    /// Returns the buffer for decoded bytes.
    fn decoded(&mut self) -> &mut Vec<u8> {
        match self.is_begun && self.utf16.is_none() {
            true => &mut self.window,
            false => &mut self.wide,
        }
    }

    /// Takes the bytes that came.
    pub(in crate::engine) fn take(&mut self, batch: &mut CatalogBatch) {
        if let Some(mut codings) = self.codings.take() {
            let coded = std::mem::take(&mut self.coded);
            let ended = self.stop.is_some();
            let to = self.decoded();
            let from = to.len();
            to.resize(from + PIECE, 0);
            let pulled = codings.pull(&coded, ended, &mut to[from..]);
            to.truncate(from + pulled.written);
            self.coded.extend_from_slice(&coded[pulled.read..]);
            self.has_more = pulled.state == Flow::More;
            let (input, offset) = (self.input, self.offset());
            let losses = codings.losses().map(|loss| loss.at(offset));
            let losses = losses.map(|kind| Loss::new(input, offset, kind));
            batch.losses.extend(losses);
            self.codings = Some(codings);
        }
        let ended = self.is_whole();
        if !self.is_begun {
            let known = Beginning::of(&self.wide, ended, self.forces_utf16);
            let known = known.or((self.wide.len() >= HEAD).then(Beginning::default));
            let Some(beginning) = known else {
                return;
            };
            self.is_begun = true;
            match beginning.decoder() {
                Some(decoder) => {
                    self.utf16 = Some(decoder);
                    self.position = beginning.mark as u64;
                    self.wide.drain(..beginning.mark);
                }
                None => self.window = std::mem::take(&mut self.wide),
            }
        }
        if let Some(decoder) = &mut self.utf16 {
            decoder.decode(&self.wide, &mut self.window);
            self.wide.clear();
            if ended {
                decoder.finish(&mut self.window);
            }
        }
        self.detect(batch);
    }

    /// Whether nothing follows what is here.
    fn is_whole(&self) -> bool {
        self.stop.is_some() && !self.has_more
    }

    /// The offset of the document in the input as it is stored.
    fn offset(&self) -> u64 {
        self.part.as_ref().map_or(0, |part| part.offset)
    }

    /// Says that nothing follows, or that bytes are missing.
    pub(in crate::engine) fn end(&mut self, stop: DocumentStop, batch: &mut CatalogBatch) {
        self.stop = Some(stop);
        self.take(batch);
    }

    /// Goes on after bytes that are missing.
    pub(in crate::engine) fn resume(&mut self) {
        self.stop = None;
        if let Some(reader) = &mut self.reader {
            reader.resume();
        }
    }

    /// Detects the format once enough of it is here.
    fn detect(&mut self, batch: &mut CatalogBatch) {
        if self.reader.is_some() || self.is_unknown {
            return;
        }
        let head = &self.window[self.at..];
        let whole = self.is_whole() || head.len() >= DETECTED;
        let format = match self.format {
            Some(format) => Some(format),
            None if head.is_empty() => return,
            None => match CatalogFormat::of_records(&head[..head.len().min(DETECTED)], whole) {
                Some(format) => format,
                None => return,
            },
        };
        let unread = match format {
            Some(format) if self.format.is_none() && format.is_table() => UnreadFormat::of(head),
            _ => None,
        };
        let unknown = format.is_none().then_some(UNKNOWN);
        if let Some(cause) = unread.map(|unread| unread.said).or(unknown) {
            let kind = LossKind::Unsupported(Damage::new("input", cause, self.offset()));
            let loss = Loss::new(self.input, self.offset(), kind);
            batch.losses.push(loss);
        }
        let Some(format) = format.filter(|_| unread.is_none()) else {
            self.is_unknown = true;
            return;
        };
        let mut reader = CatalogReader::new(format);
        if self.utf16.is_none() {
            reader = reader.detecting_charset();
        }
        if let Some(id) = &self.id_column {
            reader = reader.with_id_column(id.clone());
        }
        if self.has_plain_cells {
            reader = reader.without_quotes();
        }
        reader.start_at(self.position);
        (self.format, self.reader) = (Some(format), Some(reader));
    }

    /// Reads records into the batch, until more bytes are needed or it is full.
    pub(in crate::engine) fn read(
        &mut self,
        reading: &RecordReading,
        batch: &mut CatalogBatch,
    ) -> DocumentNeeds {
        if let Some((record, bytes, losses)) = self.held.take() {
            *batch.slot() = record;
            batch.push(&bytes, true);
            batch.losses.extend(losses);
        }
        let needs = match self.reader.take() {
            Some(mut reader) => {
                let needs = self.read_records(&mut reader, reading, batch);
                self.reader = Some(reader);
                needs
            }
            None => self.pass_on(batch),
        };
        if needs == DocumentNeeds::Bytes {
            self.window.drain(..std::mem::take(&mut self.at));
        }
        needs
    }

    /// Passes on what is not read as records.
    fn pass_on(&mut self, batch: &mut CatalogBatch) -> DocumentNeeds {
        let is_whole = self.is_whole();
        if (self.is_unknown || is_whole) && self.waiting() > 0 {
            batch.push(&self.window[self.at..], false);
            self.at = self.window.len();
            return DocumentNeeds::Full;
        }
        match is_whole {
            true => DocumentNeeds::Stopped,
            false => DocumentNeeds::Bytes,
        }
    }

    fn read_records(
        &mut self,
        reader: &mut CatalogReader,
        reading: &RecordReading,
        batch: &mut CatalogBatch,
    ) -> DocumentNeeds {
        let last = self.is_whole();
        let is_table = self.format.is_some_and(CatalogFormat::is_table);
        let is_grouped = self.id_column.is_some() && is_table;
        loop {
            let is_full = batch.bytes.len() >= reading.batch
                || batch.losses.len() >= NOTES
                || batch.values >= VALUES;
            let may_join = is_full && is_grouped && batch.count > 0;
            if is_full && !may_join {
                return DocumentNeeds::Full;
            }
            let rest = &self.window[self.at..];
            if self.utf16.is_some() {
                reader.start_at(self.position);
            }
            let (len, is_record) = match reader.read(rest, last, batch.slot()) {
                RecordStep::Record(len) => (len, true),
                RecordStep::Outside { len, .. } => (len, false),
                RecordStep::Lost(len, damage) => {
                    let loss = lost_record(self.part.as_ref(), &damage, self.input);
                    batch.losses.push(loss);
                    (len, false)
                }
                RecordStep::Hungry if !last => return DocumentNeeds::Bytes,
                RecordStep::Hungry if rest.is_empty() => return DocumentNeeds::Stopped,
                RecordStep::Hungry => (rest.len(), false),
            };
            let bytes = &rest[..len];
            self.position += match &self.utf16 {
                Some(decoder) => decoder.encoding().raw_len(bytes),
                None => len as u64,
            };
            self.at += len;
            if let (Some(columns), Some(id)) = (reader.lacks_id_column(), &self.id_column)
                && !std::mem::replace(&mut self.lacks_column, true)
            {
                let cause = lacking(id, columns, None);
                let kind = ErrorKind::Column(self.input);
                batch.errors.push(Error::new(kind, cause));
            }
            if !is_record {
                batch.push(bytes, false);
                continue;
            }
            let lost = |damage: &RecordDamage| lost_record(self.part.as_ref(), damage, self.input);
            let mut losses: Vec<Loss> = batch.slot().damage().iter().map(lost).collect();
            if is_grouped {
                let record = &batch.records[batch.count];
                let before = batch.count.checked_sub(1).map(|at| batch.records[at].id());
                let joins = !record.id().is_empty() && before == Some(record.id());
                let own = (len, record.values());
                let rows = match joins {
                    true => (self.rows.0 + own.0, self.rows.1 + own.1),
                    false => own,
                };
                let is_long = joins && (rows.0 > RECORD_MAX || rows.1 > VALUES_MAX);
                self.rows = if is_long { own } else { rows };
                if is_long {
                    losses.push(lost(&RecordDamage {
                        fault: RecordFault::Unsupported,
                        cause: LONG_ROWS,
                        offset: record.range().start,
                        number: record.number(),
                        stated: None,
                    }));
                }
                if is_long || may_join && !joins {
                    let record = std::mem::take(batch.slot());
                    self.held = Some((record, bytes.to_vec(), losses));
                    return DocumentNeeds::Full;
                }
            }
            batch.losses.append(&mut losses);
            batch.push(bytes, true);
        }
    }
}
