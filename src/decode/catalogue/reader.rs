//! Reads the records of a catalogue one after the other, in any of its formats. It is
//! pushed bytes, and holds one record.

use super::format::CatalogueFormat;
use super::iso2709::Iso2709;
use super::mrk::Mrk;
use super::pica::Pica;
use super::record::CatalogueRecord;
use super::text::{TextForm, TextReader};
use super::value::RecordStep;
use super::xml::XmlRecords;
use crate::item::OffsetMap;

/// Reads the records of a catalogue. Bytes are pushed again, with those that follow, until
/// they were read.
///
/// ```
/// use urisieve::decode::{CatalogueFormat, CatalogueReader, CatalogueRecord, RecordStep};
/// let marc = b"00050nam a2200037 a 4500001000500000\x1E1234\x1E\x1D";
/// let mut reader = CatalogueReader::new(CatalogueFormat::Marc);
/// let mut record = CatalogueRecord::default();
/// assert_eq!(reader.read(&marc[..9], false, &mut record), RecordStep::Hungry);
/// // The leader states 50, but there are 43 bytes.
/// assert_eq!(reader.read(marc, true, &mut record), RecordStep::Record(43));
/// assert_eq!((record.id(), record.damage()[0].stated), (&b"1234"[..], Some(50)));
/// ```
#[derive(Debug)]
pub struct CatalogueReader {
    form: ReaderForm,
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
}

impl CatalogueReader {
    /// Creates a reader of this format.
    ///
    /// ```
    /// use urisieve::decode::{CatalogueFormat, CatalogueReader, CatalogueRecord, RecordStep};
    /// let mut reader = CatalogueReader::new(CatalogueFormat::Pica);
    /// assert_eq!(reader.read(b"", true, &mut CatalogueRecord::default()), RecordStep::Hungry);
    /// ```
    pub fn new(format: CatalogueFormat) -> CatalogueReader {
        CatalogueReader {
            form: match format {
                CatalogueFormat::Marc => ReaderForm::Iso2709(Iso2709::default()),
                CatalogueFormat::Mrk => ReaderForm::Mrk(Mrk::default()),
                CatalogueFormat::Pica => ReaderForm::Pica(Pica::default()),
                _ => ReaderForm::Xml(Box::new(XmlRecords::new(format))),
            },
            position: 0,
            records: 0,
            text: TextReader::default(),
        }
    }

    /// Counts offsets from this one on.
    ///
    /// ```
    /// use urisieve::decode::{CatalogueFormat, CatalogueReader, CatalogueRecord};
    /// let mut reader = CatalogueReader::new(CatalogueFormat::Mrk);
    /// reader.start_at(100);
    /// let mut record = CatalogueRecord::default();
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

    /// Reads what `bytes` begin with; nothing follows them when `last` is set. A record is
    /// written to `record`. What is returned was read: the next call has the bytes after
    /// it.
    ///
    /// ```
    /// use urisieve::decode::{CatalogueFormat, CatalogueReader, CatalogueRecord, RecordStep};
    /// let mut reader = CatalogueReader::new(CatalogueFormat::Pica);
    /// let mut record = CatalogueRecord::default();
    /// let plain = b"003@ $012345\n017C $uhttp://a.example/\n";
    /// assert_eq!(reader.read(plain, true, &mut record), RecordStep::Record(plain.len()));
    /// assert_eq!((record.number(), record.id()), (1, &b"12345"[..]));
    /// ```
    pub fn read(&mut self, bytes: &[u8], last: bool, record: &mut CatalogueRecord) -> RecordStep {
        let (pushed, place) = ((bytes, last), (self.records + 1, self.position));
        let text = &mut self.text;
        let step = match &mut self.form {
            ReaderForm::Iso2709(reader) => reader.read(pushed, place, record, text),
            ReaderForm::Mrk(reader) => reader.read(pushed, place, record, text),
            ReaderForm::Pica(reader) => reader.read(pushed, place, record, text),
            ReaderForm::Xml(reader) => reader.read(pushed, place, record, text),
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
    /// bytes are `raw`, with the way back to them. Returns false when it is `raw`.
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
