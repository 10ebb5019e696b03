//! A record of a catalogue as its format delimits it: fields and subfields with their
//! text and the bytes of the input that they cover, so that one of them can be rewritten
//! and all other bytes are kept.

use super::format::CatalogFormat;
use super::text::TextForm;
use crate::decode::markup::Converter;
use crate::decode::record_damage::{RecordDamage, RecordFault};
use std::mem::take;
use std::ops::Range;

/// The greatest number of bytes of a record that are read as one record: no catalogue has
/// longer ones. The next field after them begins another part.
pub(super) const RECORD_MAX: usize = 16 << 20;
/// The longest field that is waited for at the end of a part.
pub(super) const FIELD_MAX: usize = 1 << 20;
/// The number of fields and subfields of a record after which the next field begins another
/// part: each takes more memory than bytes in the input. An undamaged record of ISO 2709
/// has fewer. One field may exceed the limit by the same number.
pub(crate) const VALUES_MAX: usize = 1 << 15;
/// The same for the bytes of their names: a name that is written once may be that of many.
pub(super) const NAMES_MAX: usize = 4 << 20;
/// The most bytes of the texts of a field, times the number of its subfields: each value may be
/// reported with the notes of its field.
const FIELD_WEIGHT: usize = 64 << 20;
/// The greatest length of a column's name, which each row repeats. A column with a longer
/// name has its number instead.
pub(super) const NAME_MAX: usize = 1 << 10;
/// The cause that is reported for a record that is read in parts.
pub(super) const TOO_LONG: &str =
    "a record of more than 16 MiB or 32,768 fields and subfields is read in parts";
/// The cause that is reported for a record with values that do not fit.
const TOO_MANY: &str = "more fields and subfields than are read of one record";

/// The rules by which the tags of a record are read.
///
/// ```
/// use urisieve::decode::RecordRules;
/// assert_eq!(RecordRules::Unimarc.name(), "UNIMARC");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordRules {
    /// MARC 21.
    #[default]
    Marc21,
    /// UNIMARC.
    Unimarc,
    /// PICA+.
    Pica,
    /// MODS.
    Mods,
    /// Dublin Core.
    DublinCore,
    /// A table, whose columns are named by its header.
    Table,
}

impl RecordRules {
    /// The name of the rules.
    ///
    /// ```
    /// assert_eq!(urisieve::decode::RecordRules::Marc21.name(), "MARC 21");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            RecordRules::Marc21 => "MARC 21",
            RecordRules::Unimarc => "UNIMARC",
            RecordRules::Pica => "PICA+",
            RecordRules::Mods => "MODS",
            RecordRules::DublinCore => "Dublin Core",
            RecordRules::Table => "table",
        }
    }

    /// Returns the fields that name a record.
    const fn names(self) -> RecordNames {
        let (id, title) = match self {
            RecordRules::Marc21 => (("001", ""), ("245", ["a", "b"])),
            RecordRules::Unimarc => (("001", ""), ("200", ["a", "e"])),
            RecordRules::Pica => (("003@", "0"), ("021A", ["a", "d"])),
            RecordRules::Mods => (
                ("recordInfo/recordIdentifier", ""),
                ("titleInfo/title", ["", ""]),
            ),
            RecordRules::DublinCore => (("", ""), ("title", ["", ""])),
            RecordRules::Table => (("", ""), ("", ["", ""])),
        };
        RecordNames { id, title }
    }
}

/// The fields that name a record: a tag, and the codes of subfields.
struct RecordNames {
    id: (&'static str, &'static str),
    title: (&'static str, [&'static str; 2]),
}

/// A record of a catalogue, whose memory is reused.
///
/// ```
/// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord, RecordStep};
/// let text = b"=001  7\n=856  40$uhttp://a.example/\n";
/// let mut reader = CatalogReader::new(CatalogFormat::Mrk);
/// let mut record = CatalogRecord::default();
/// assert_eq!(reader.read(text, true, &mut record), RecordStep::Record(text.len()));
/// let field = record.fields().nth(1).unwrap();
/// assert_eq!((field.tag, field.ind1, field.occurrence), (&b"856"[..], &b"4"[..], 1));
/// let subfield = field.subfields().next().unwrap();
/// assert_eq!((subfield.code, subfield.text), (&b"u"[..], &b"http://a.example/"[..]));
/// assert_eq!(subfield.range, 18..35);
/// ```
#[derive(Clone, Debug, Default)]
pub struct CatalogRecord {
    pub(super) number: u64,
    pub(super) offset: u64,
    pub(super) length: u64,
    pub(super) format: CatalogFormat,
    pub(super) rules: RecordRules,
    pub(super) is_sound: bool,
    /// Whether the record has more fields and subfields than fit.
    pub(super) is_over: bool,
    /// The number of bytes of the texts of the last field.
    field_text: usize,
    /// The bytes before this offset, from the start of the record, are not data.
    pub(super) data_from: usize,
    pub(super) leader: Vec<u8>,
    pub(super) fields: Vec<FieldPlace>,
    pub(super) subfields: Vec<SubfieldPlace>,
    /// Tags, codes and the texts of subfields.
    pub(super) text: Vec<u8>,
    pub(super) damage: Vec<RecordDamage>,
    /// The encoding of a document in XML.
    pub(super) converter: Converter,
    /// The byte between the cells of a row.
    pub(super) delimiter: u8,
    id: Vec<u8>,
    title: Vec<u8>,
    /// The numbers of the fields, sorted by tag.
    order: Vec<u32>,
}

/// The statements of a row of a table about itself.
#[derive(Clone, Debug, Default)]
pub(super) struct RowNames {
    pub id: Vec<u8>,
    pub title: Vec<u8>,
}

/// A field; ranges of bytes count from the start of the record.
#[derive(Clone, Debug, Default)]
pub(super) struct FieldPlace {
    pub tag: Range<usize>,
    pub ind1: Range<usize>,
    pub ind2: Range<usize>,
    pub raw: Range<usize>,
    pub occurrence: u64,
    pub subfields: Range<usize>,
}

#[derive(Clone, Debug)]
pub(super) struct SubfieldPlace {
    pub code: Range<usize>,
    pub text: Range<usize>,
    pub raw: Range<usize>,
    /// The form in which the text is written.
    pub form: TextForm,
    /// Whether the text is the raw bytes.
    pub is_plain: bool,
}

/// A field of a record.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecordField<'r> {
    /// The tag; in MODS and Dublin Core the path of elements below the record.
    pub tag: &'r [u8],
    /// The first indicator; in PICA+ the occurrence of the tag, in MODS the type.
    pub ind1: &'r [u8],
    /// The second indicator.
    pub ind2: &'r [u8],
    /// The number of the field among those of its tag, from 1.
    pub occurrence: u64,
    /// The bytes of the input that it covers, without the end of the field.
    pub range: Range<u64>,
    record: &'r CatalogRecord,
    subfields: Range<usize>,
}

/// A subfield.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Subfield<'r> {
    /// The code; empty where the field has no subfields.
    pub code: &'r [u8],
    /// The text in UTF-8, in normalization form C.
    pub text: &'r [u8],
    /// The bytes of the input that hold the text.
    pub range: Range<u64>,
    /// Whether the text is these bytes.
    pub is_plain: bool,
}

impl CatalogRecord {
    /// The number of the record in its input, from 1.
    ///
    /// ```
    /// assert_eq!(urisieve::decode::CatalogRecord::default().number(), 0);
    /// ```
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The bytes of the input that the record covers.
    ///
    /// ```
    /// assert_eq!(urisieve::decode::CatalogRecord::default().range(), 0..0);
    /// ```
    pub fn range(&self) -> Range<u64> {
        self.offset..self.offset + self.length
    }

    /// The format that it was read in.
    ///
    /// ```
    /// use urisieve::decode::{CatalogFormat, CatalogRecord};
    /// assert_eq!(CatalogRecord::default().format(), CatalogFormat::Marc);
    /// ```
    pub fn format(&self) -> CatalogFormat {
        self.format
    }

    /// The rules for its tags.
    ///
    /// ```
    /// use urisieve::decode::{CatalogRecord, RecordRules};
    /// assert_eq!(CatalogRecord::default().rules(), RecordRules::Marc21);
    /// ```
    pub fn rules(&self) -> RecordRules {
        self.rules
    }

    /// Whether the record was read as its leader and directory state. Other records
    /// must not be rewritten.
    ///
    /// ```
    /// assert!(!urisieve::decode::CatalogRecord::default().is_sound());
    /// ```
    pub fn is_sound(&self) -> bool {
        self.is_sound
    }

    /// The leader; empty without one.
    ///
    /// ```
    /// assert!(urisieve::decode::CatalogRecord::default().leader().is_empty());
    /// ```
    pub fn leader(&self) -> &[u8] {
        &self.leader
    }

    /// The control number: 001, or 003@ 0 in PICA+.
    ///
    /// ```
    /// assert!(urisieve::decode::CatalogRecord::default().id().is_empty());
    /// ```
    pub fn id(&self) -> &[u8] {
        &self.id
    }

    /// The title: 245 a b, 200 a e in UNIMARC, 021A a d in PICA+.
    ///
    /// ```
    /// assert!(urisieve::decode::CatalogRecord::default().title().is_empty());
    /// ```
    pub fn title(&self) -> &[u8] {
        &self.title
    }

    /// The faults of the record.
    ///
    /// ```
    /// assert!(urisieve::decode::CatalogRecord::default().damage().is_empty());
    /// ```
    pub fn damage(&self) -> &[RecordDamage] {
        &self.damage
    }

    /// The fields, in the order of the format.
    ///
    /// ```
    /// assert_eq!(urisieve::decode::CatalogRecord::default().fields().count(), 0);
    /// ```
    pub fn fields(&self) -> impl Iterator<Item = RecordField<'_>> {
        self.fields.iter().map(|place| self.field(place))
    }

    pub(super) fn field(&self, place: &FieldPlace) -> RecordField<'_> {
        let raw = |at: usize| self.offset + at as u64;
        RecordField {
            tag: &self.text[place.tag.clone()],
            ind1: &self.text[place.ind1.clone()],
            ind2: &self.text[place.ind2.clone()],
            occurrence: place.occurrence,
            range: raw(place.raw.start)..raw(place.raw.end),
            record: self,
            subfields: place.subfields.clone(),
        }
    }

    /// Begins a record, in the memory of the one before it.
    pub(super) fn begin(&mut self, format: CatalogFormat, number: u64, offset: u64) {
        (self.format, self.number, self.offset) = (format, number, offset);
        (self.length, self.is_sound, self.data_from) = (0, true, 0);
        self.is_over = false;
        self.rules = match format {
            CatalogFormat::Pica | CatalogFormat::PicaXml => RecordRules::Pica,
            CatalogFormat::Mods => RecordRules::Mods,
            CatalogFormat::DublinCore => RecordRules::DublinCore,
            format if format.is_table() => RecordRules::Table,
            _ => RecordRules::Marc21,
        };
        self.leader.clear();
        self.fields.clear();
        self.subfields.clear();
        self.text.clear();
        self.damage.clear();
        self.id.clear();
        self.title.clear();
    }

    /// Whether no more fields and subfields fit.
    pub(super) fn is_full(&self) -> bool {
        self.fields.len() + self.subfields.len() >= 2 * VALUES_MAX
    }

    /// Appends `bytes` to the texts.
    pub(super) fn push_text(&mut self, bytes: &[u8]) -> Range<usize> {
        let from = self.text.len();
        self.text.extend_from_slice(bytes);
        from..self.text.len()
    }

    /// Appends a name that may have malformed bytes to the texts.
    fn push_name(&mut self, bytes: &[u8]) -> Range<usize> {
        match bytes.is_ascii() {
            true => self.push_text(bytes),
            false => self.push_text(String::from_utf8_lossy(bytes).as_bytes()),
        }
    }

    /// Appends the names of a field.
    #[inline]
    fn push_names(&mut self, names: [&[u8]; 3]) -> [Range<usize>; 3] {
        // Most fields have a tag of three bytes, and two indicators.
        if let [&[a, b, c], &[d], &[e]] = names
            && [a, b, c, d, e].is_ascii()
        {
            let Range { start: at, end } = self.push_text(&[a, b, c, d, e]);
            return [at..at + 3, at + 3..at + 4, at + 4..end];
        }
        names.map(|name| self.push_name(name))
    }

    /// Begins a field.
    pub(super) fn push_field(&mut self, tag: &[u8], ind1: &[u8], ind2: &[u8], raw: Range<usize>) {
        let [tag, ind1, ind2] = self.push_names([tag, ind1, ind2]);
        self.field_text = 0;
        let from = self.subfields.len();
        self.fields.push(FieldPlace {
            tag,
            ind1,
            ind2,
            raw,
            occurrence: 0,
            subfields: from..from,
        });
    }

    /// Adds a subfield to the last field, if it fits.
    pub(super) fn push_subfield(&mut self, subfield: SubfieldPlace) {
        let Some(field) = self.fields.last_mut() else {
            return;
        };
        self.field_text += subfield.text.len();
        let weight = self.field_text.saturating_mul(field.subfields.len());
        if weight > FIELD_WEIGHT {
            self.is_over = true;
            return;
        }
        self.subfields.push(subfield);
        field.subfields.end = self.subfields.len();
    }

    /// Whether a field has this tag.
    pub(super) fn has(&self, tag: &[u8]) -> bool {
        self.fields
            .iter()
            .any(|field| self.text[field.tag.clone()] == *tag)
    }

    /// Completes the record: numbers its fields, and finds its control number and title.
    pub(super) fn finish(&mut self, length: usize) {
        self.length = length as u64;
        self.name_excess();
        self.number_fields();
        if self.rules == RecordRules::Marc21 && self.has(b"200") && !self.has(b"245") {
            self.rules = RecordRules::Unimarc;
        }
        let names = self.rules.names();
        let (mut id, mut title) = (take(&mut self.id), take(&mut self.title));
        let first = |tag: &str| self.fields().find(|field| field.tag == tag.as_bytes());
        if let Some(field) = first(names.id.0) {
            let code = names.id.1.as_bytes();
            let subfield = field.subfields().find(|subfield| subfield.code == code);
            id.extend_from_slice(subfield.map_or(&[][..], |found| found.text.trim_ascii()));
        }
        if let Some(field) = first(names.title.0) {
            let is_of_title = |subfield: &Subfield| {
                names
                    .title
                    .1
                    .iter()
                    .any(|code| subfield.code == code.as_bytes())
            };
            for part in field.subfields().filter(is_of_title) {
                if !title.is_empty() {
                    title.push(b' ');
                }
                push_without_marks(part.text.trim_ascii(), &mut title);
            }
        }
        (self.id, self.title) = (id, title);
        self.limit_names();
    }

    /// Completes the record of a row.
    pub(super) fn finish_row(&mut self, length: usize, names: &RowNames) {
        self.length = length as u64;
        self.name_excess();
        self.number_fields();
        self.id.extend_from_slice(&names.id);
        push_without_marks(&names.title, &mut self.title);
        self.limit_names();
    }

    /// Adds the damage of a record with more fields and subfields than fit.
    fn name_excess(&mut self) {
        if self.is_over {
            self.is_sound = false;
            self.lack(TOO_MANY);
        }
    }

    /// Adds the damage of a record that is not read as a whole.
    pub(super) fn lack(&mut self, cause: &'static str) {
        let place = (self.number, self.offset);
        let damage = RecordDamage::of_record(RecordFault::Unsupported, cause, place);
        self.damage.push(damage);
    }

    /// Cuts the control number and the title if all values, each of which is reported
    /// with both, would together take more memory than the longest record.
    fn limit_names(&mut self) {
        let most = RECORD_MAX / self.values();
        if self.id.len() + self.title.len() <= most {
            return;
        }
        let id = self.id.len().min(most / 2);
        for (name, len) in [(&mut self.id, id), (&mut self.title, most - id)] {
            // A character is not divided.
            let is_inside = |at: &usize| name.get(*at).is_some_and(|byte| byte & 0xC0 == 0x80);
            let len = (0..=len).rev().find(|at| !is_inside(at));
            name.truncate(len.unwrap_or(0));
        }
        self.lack("the number and the title of a record are cut: it has many values");
    }

    /// A measure of the memory that it takes: the number of its fields and subfields, and one.
    pub(crate) fn values(&self) -> usize {
        self.fields.len() + self.subfields.len() + 1
    }

    fn number_fields(&mut self) {
        let (fields, text) = (&mut self.fields, &self.text);
        let tag = |field: &FieldPlace| &text[field.tag.clone()];
        let mut before: (&[u8], u64) = (b"", 0);
        let mut is_sorted = true;
        for field in fields.iter_mut() {
            let tag = tag(field);
            is_sorted &= before.0 <= tag;
            before = (tag, occurrence(tag, before));
            field.occurrence = before.1;
        }
        // Most records have their fields in the order of tags.
        if is_sorted {
            return;
        }
        self.order.clear();
        self.order.extend(0..fields.len() as u32);
        self.order
            .sort_by_key(|&number| tag(&fields[number as usize]));
        let mut before: (&[u8], u64) = (b"", 0);
        for &number in &self.order {
            let field = &mut fields[number as usize];
            let tag = tag(field);
            before = (tag, occurrence(tag, before));
            field.occurrence = before.1;
        }
    }
}

/// Returns the occurrence of a tag after `before`, the tag before it and its occurrence.
fn occurrence(tag: &[u8], before: (&[u8], u64)) -> u64 {
    match tag == before.0 {
        true => before.1 + 1,
        false => 1,
    }
}

/// Appends `text` without the marks of non-sorting parts and without joiners.
fn push_without_marks(text: &[u8], out: &mut Vec<u8>) {
    const MARKS: [char; 4] = ['\u{98}', '\u{9C}', '\u{200C}', '\u{200D}'];
    if text.is_ascii() {
        return out.extend_from_slice(text);
    }
    for chunk in text.utf8_chunks() {
        for part in chunk.valid().split(MARKS) {
            out.extend_from_slice(part.as_bytes());
        }
    }
}

impl<'r> RecordField<'r> {
    /// The subfields, in their order. A field without any has one whose code is empty.
    ///
    /// ```
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// let mut record = CatalogRecord::default();
    /// let text = b"=245  10$aTitle$bmore\n\n";
    /// CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// assert_eq!(record.fields().next().unwrap().subfields().count(), 2);
    /// assert_eq!(record.title(), b"Title more");
    /// ```
    pub fn subfields(&self) -> impl Iterator<Item = Subfield<'r>> + use<'r> {
        let record = self.record;
        record.subfields[self.subfields.clone()]
            .iter()
            .map(|place| {
                let raw = |at: usize| record.offset + at as u64;
                Subfield {
                    code: &record.text[place.code.clone()],
                    text: &record.text[place.text.clone()],
                    range: raw(place.raw.start)..raw(place.raw.end),
                    is_plain: place.is_plain,
                }
            })
    }
}
