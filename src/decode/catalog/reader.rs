//! Reads the records of a catalogue one after the other, in any of its formats. Bytes
//! are pushed into the reader, which holds one record.

use super::format::CatalogFormat;
use super::forms::iso2709::Iso2709;
use super::forms::mrk::Mrk;
use super::forms::pica::Pica;
use super::forms::table::TableReader;
use super::forms::xml::XmlRecords;
use super::record::CatalogRecord;
use super::text::{TextForm, TextReader};
use super::value::RecordStep;
use crate::decode::markup::{Converter, DocumentEncoding, Language};
use crate::decode::table::TableColumn;
use crate::item::OffsetMap;

/// Reads the records of a catalogue. Unread bytes are pushed again, with the bytes that
/// follow.
///
/// ```
/// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord, RecordStep};
/// let marc = b"00050nam a2200037 a 4500001000500000\x1E1234\x1E\x1D";
/// let mut reader = CatalogReader::new(CatalogFormat::Marc);
/// let mut record = CatalogRecord::default();
/// assert_eq!(reader.read(&marc[..9], false, &mut record), RecordStep::Hungry);
/// // The leader states 50, but there are 43 bytes.
/// assert_eq!(reader.read(marc, true, &mut record), RecordStep::Record(43));
/// assert_eq!((record.id(), record.damage()[0].stated), (&b"1234"[..], Some(50)));
/// ```
#[derive(Debug)]
pub struct CatalogReader {
    form: ReaderForm,
    format: CatalogFormat,
    /// Whether the encoding of XML is known.
    is_settled: bool,
    /// The number of bytes that were read, and of records.
    position: u64,
    records: u64,
    text: TextReader,
}

/// The reader of a format.
#[derive(Debug)]
enum ReaderForm {
    Iso2709(Iso2709),
    Mrk(Mrk),
    Pica(Pica),
    Xml(Box<XmlRecords>),
    Table(Box<TableReader>),
}

impl ReaderForm {
    fn new(format: CatalogFormat) -> ReaderForm {
        match format {
            CatalogFormat::Marc => ReaderForm::Iso2709(Iso2709::default()),
            CatalogFormat::Mrk => ReaderForm::Mrk(Mrk::default()),
            CatalogFormat::Pica => ReaderForm::Pica(Pica::default()),
            format if format.is_table() => {
                ReaderForm::Table(Box::new(TableReader::new(format, None)))
            }
            _ => ReaderForm::Xml(Box::new(XmlRecords::new(format))),
        }
    }
}

impl CatalogReader {
    /// Creates a reader of this format.
    ///
    /// ```
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord, RecordStep};
    /// let mut reader = CatalogReader::new(CatalogFormat::Pica);
    /// assert_eq!(reader.read(b"", true, &mut CatalogRecord::default()), RecordStep::Hungry);
    /// ```
    pub fn new(format: CatalogFormat) -> CatalogReader {
        CatalogReader {
            form: ReaderForm::new(format),
            format,
            is_settled: true,
            position: 0,
            records: 0,
            text: TextReader::default(),
        }
    }

    /// Detects the encoding of XML from its beginning, up to 64 KiB of it: its byte-order
    /// mark, its declaration, its bytes. By default XML is UTF-8. Encodings that do not
    /// extend ASCII must be converted before.
    ///
    /// ```
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord, RecordStep};
    /// let text = b"<?xml version='1.0' encoding='ISO-8859-1'?><record><datafield tag='245'>\
    ///     <subfield code='a'>\xE9</subfield></datafield></record>";
    /// let mut reader = CatalogReader::new(CatalogFormat::MarcXml).detecting_charset();
    /// let mut record = CatalogRecord::default();
    /// let RecordStep::Outside { len, .. } = reader.read(text, true, &mut record) else { panic!() };
    /// reader.read(&text[len..], true, &mut record);
    /// assert_eq!(record.title(), "é".as_bytes());
    /// ```
    pub fn detecting_charset(mut self) -> CatalogReader {
        self.is_settled = !self.format.is_xml();
        self
    }

    /// Settles the encoding of XML. Returns a step that has to be returned first.
    fn settle(&mut self, bytes: &[u8], last: bool) -> Option<RecordStep> {
        let known = DocumentEncoding::of(bytes, last, b"", Language::Xml);
        let Some(known) = known else {
            return Some(RecordStep::Hungry);
        };
        self.is_settled = true;
        if let Some(encoding) = known.compatible_with_ascii() {
            self.text.maker().set_converter(Converter::new(encoding));
        }
        self.position += known.mark as u64;
        (known.mark > 0).then_some(RecordStep::Outside {
            len: known.mark,
            is_text: false,
        })
    }

    /// Sets the column of a table that identifies its records.
    ///
    /// ```
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord, TableColumn};
    /// let id = TableColumn::Name("id".into());
    /// let mut reader = CatalogReader::new(CatalogFormat::Csv).with_id_column(id);
    /// let (table, mut record) = (b"url;id\nurn:a-b:c;7\n", CatalogRecord::default());
    /// reader.read(table, true, &mut record);
    /// reader.read(&table[7..], true, &mut record);
    /// assert_eq!((record.number(), record.id()), (1, &b"7"[..]));
    /// ```
    pub fn with_id_column(mut self, id: TableColumn) -> CatalogReader {
        if self.format.is_table() {
            self.form = ReaderForm::Table(Box::new(TableReader::new(self.format, Some(id))));
        }
        self
    }

    /// Reads quotes around the cells of a table with delimiters as part of the cells,
    /// for tables with tabs that use escapes instead of quotes. Follows
    /// [`CatalogReader::with_id_column`].
    ///
    /// ```
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// let mut reader = CatalogReader::new(CatalogFormat::Tsv).without_quotes();
    /// let (table, mut record) = (b"url\tid\n\"a\t7\n", CatalogRecord::default());
    /// reader.read(table, true, &mut record);
    /// reader.read(&table[7..], true, &mut record);
    /// assert_eq!(record.fields().next().unwrap().subfields().next().unwrap().text, b"\"a");
    /// ```
    pub fn without_quotes(mut self) -> CatalogReader {
        if let ReaderForm::Table(table) = &mut self.form {
            table.without_quotes();
        }
        self
    }

    /// Returns the columns of a table that lacks the column of the identifiers: its rows are
    /// not read.
    ///
    /// ```
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord, TableColumn};
    /// let id = TableColumn::Name("id".into());
    /// let mut reader = CatalogReader::new(CatalogFormat::Csv).with_id_column(id);
    /// reader.read(b"key,url\n", true, &mut CatalogRecord::default());
    /// assert_eq!(reader.lacks_id_column().unwrap(), ["key", "url"]);
    /// ```
    pub fn lacks_id_column(&self) -> Option<&[String]> {
        match &self.form {
            ReaderForm::Table(table) => table.lacking(),
            _ => None,
        }
    }

    /// Returns the names of the columns of a table with delimiters, by its header; empty
    /// without one.
    ///
    /// ```
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// let mut reader = CatalogReader::new(CatalogFormat::Csv);
    /// reader.read(b"key,url\n", true, &mut CatalogRecord::default());
    /// assert_eq!(reader.columns(), [&b"key"[..], b"url"]);
    /// ```
    pub fn columns(&self) -> &[Vec<u8>] {
        match &self.form {
            ReaderForm::Table(table) => table.columns(),
            _ => &[],
        }
    }

    /// Continues after missing bytes, when all bytes before them were read with `last`.
    /// The numbering of records continues.
    ///
    /// ```
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// let mut reader = CatalogReader::new(CatalogFormat::Mrk);
    /// let mut record = CatalogRecord::default();
    /// reader.read(b"=001  7\n", true, &mut record);
    /// reader.resume();
    /// reader.read(b"=001  8\n", true, &mut record);
    /// assert_eq!((record.number(), record.id()), (2, &b"8"[..]));
    /// ```
    pub fn resume(&mut self) {
        match &mut self.form {
            ReaderForm::Table(table) => table.resume(),
            form => *form = ReaderForm::new(self.format),
        }
    }

    /// Counts offsets from this one on.
    ///
    /// ```
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// let mut reader = CatalogReader::new(CatalogFormat::Mrk);
    /// reader.start_at(100);
    /// let mut record = CatalogRecord::default();
    /// reader.read(b"=001  7\n", true, &mut record);
    /// assert_eq!(record.range(), 100..108);
    /// ```
    pub fn start_at(&mut self, offset: u64) {
        self.position = offset;
    }

    /// Sets the encoding of XML.
    pub(super) fn texts(&mut self) -> &mut TextReader {
        &mut self.text
    }

    /// Reads the record, or the bytes between records, at the start of `bytes`; no bytes
    /// follow them when `last` is set. A record is written to `record`. The step states
    /// the number of bytes that were read; pass the bytes after them to the next call.
    ///
    /// ```
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord, RecordStep};
    /// let mut reader = CatalogReader::new(CatalogFormat::Pica);
    /// let mut record = CatalogRecord::default();
    /// let plain = b"003@ $012345\n017C $uhttp://a.example/\n";
    /// assert_eq!(reader.read(plain, true, &mut record), RecordStep::Record(plain.len()));
    /// assert_eq!((record.number(), record.id()), (1, &b"12345"[..]));
    /// ```
    pub fn read(&mut self, bytes: &[u8], last: bool, record: &mut CatalogRecord) -> RecordStep {
        if !self.is_settled
            && let Some(step) = self.settle(bytes, last)
        {
            return step;
        }
        let (pushed, place) = ((bytes, last), (self.records + 1, self.position));
        let text = &mut self.text;
        let step = match &mut self.form {
            ReaderForm::Iso2709(reader) => reader.read(pushed, place, record, text),
            ReaderForm::Mrk(reader) => reader.read(pushed, place, record, text),
            ReaderForm::Pica(reader) => reader.read(pushed, place, record, text),
            ReaderForm::Xml(reader) => reader.read(pushed, place, record, text),
            ReaderForm::Table(reader) => reader.read(pushed, place, record, text),
        };
        self.position += match step {
            RecordStep::Record(len) | RecordStep::Lost(len, _) => {
                self.records += 1;
                len as u64
            }
            RecordStep::Outside { len, .. } => len as u64,
            RecordStep::Hungry => 0,
        };
        step
    }

    /// Writes the text of a place of the last record, or of XML outside of it, whose raw
    /// bytes are `raw`, with a map back to them. Returns false when the text is `raw`.
    pub(super) fn map_text(
        &mut self,
        form: TextForm,
        raw: &[u8],
        out: &mut Vec<u8>,
        map: &mut OffsetMap,
    ) -> bool {
        !self.text.read(form, raw, out, Some(map)).is_plain
    }
}
