//! The columns of a list of identifiers, and the cells of its rows.

use super::rows::IdentifierRow;
use std::borrow::Cow;

/// A column of a list.
///
/// ```
/// use urisieve::catalog::ROW_COLUMNS;
/// assert!(ROW_COLUMNS.iter().any(|column| column.name == "canonical" && !column.is_number));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RowColumn {
    /// The name of the column.
    pub name: &'static str,
    /// The values in the column.
    pub meaning: &'static str,
    /// Whether the values of the column are numbers.
    pub is_number: bool,
}

const fn text(name: &'static str, meaning: &'static str) -> RowColumn {
    RowColumn {
        name,
        meaning,
        is_number: false,
    }
}

const fn number(name: &'static str, meaning: &'static str) -> RowColumn {
    RowColumn {
        is_number: true,
        ..text(name, meaning)
    }
}

/// The number of columns.
const COLUMNS: usize = 25;

/// The columns, in order.
///
/// ```
/// use urisieve::catalog::ROW_COLUMNS;
/// assert_eq!((ROW_COLUMNS[0].name, ROW_COLUMNS[24].name), ("file", "group_reason"));
/// ```
pub const ROW_COLUMNS: [RowColumn; COLUMNS] = [
    text(
        "file",
        "name of the input; the member of an archive follows after /",
    ),
    number(
        "record_no",
        "number of the record in its input, from 1; of a table that of the row",
    ),
    text(
        "record_id",
        "control number: 001, 003@ 0, or the column of --id-column",
    ),
    text("title", "title: 245 a b, 200 a e, 021A a d"),
    text("tag", "tag of the field, path of the element, or column"),
    text(
        "ind1",
        "first indicator; the occurrence in PICA+, the type in MODS",
    ),
    text("ind2", "second indicator"),
    text("subfield", "code of the subfield"),
    number(
        "occurrence",
        "number of the field among those of its tag, from 1",
    ),
    text(
        "original",
        "the value as it is in the record; of a note the address in it",
    ),
    text(
        "canonical",
        "the canonical form; empty where it is not a URI",
    ),
    text(
        "kind",
        "url, urn or uri; of a number without canonical form what it is",
    ),
    text("scheme", "scheme of the canonical form"),
    text("host", "its host"),
    text("nid", "its namespace identifier"),
    text(
        "problem",
        "codes of what is wrong, with blanks between them",
    ),
    text("problem_text", "what is wrong, in words"),
    text("suggestion", "the value after all repairs"),
    number(
        "group",
        "number of the group of equal identifiers across records",
    ),
    number("group_size", "the number of identifiers in the group"),
    text("note", "public notes of the field"),
    text("link_text", "text of the link"),
    text("materials", "materials that the link is for"),
    number(
        "record_offset",
        "raw bytes from the start of the input, or the member, to the record",
    ),
    text("group_reason", "why the identifiers of the group are equal"),
];

/// The texts of cells that are made of a row. Reuse it for all rows.
///
/// ```
/// assert_eq!(format!("{:?}", urisieve::catalog::CellTexts::default()), "CellTexts");
/// ```
#[derive(Clone, Default)]
pub struct CellTexts {
    numbers: [itoa::Buffer; 3],
    codes: Cow<'static, str>,
    words: Cow<'static, str>,
}

impl std::fmt::Debug for CellTexts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("CellTexts")
    }
}

impl IdentifierRow<'_> {
    /// Returns the cells of the row, in the order of [`ROW_COLUMNS`]. `file` names its
    /// input. The cells of groups are empty, because groups need all rows.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// use urisieve::catalog::{CellTexts, FieldChoice, IdentifierRows};
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// let mut record = CatalogRecord::default();
    /// let text = b"=856  40$uhttp://a.example/.\n";
    /// CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// let mut rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    /// let rows = rows.of(std::slice::from_ref(&record));
    /// let mut texts = CellTexts::default();
    /// let cells = rows[0].cells(b"a.mrk", &mut texts);
    /// assert_eq!((cells[1], cells[15]), (&b"1"[..], &b"trailing-punct"[..]));
    /// ```
    pub fn cells<'c>(&'c self, file: &'c [u8], texts: &'c mut CellTexts) -> [&'c [u8]; COLUMNS] {
        (texts.codes, texts.words) = (self.codes(), self.words());
        let [one, two, three] = &mut texts.numbers;
        let [scheme, host, nid] = self.parts();
        let suggestion = self.suggestion.as_deref().unwrap_or_default();
        [
            file,
            one.format(self.record.number()).as_bytes(),
            self.record.id(),
            self.record.title(),
            self.field.tag,
            self.field.ind1,
            self.field.ind2,
            self.subfield.code,
            two.format(self.field.occurrence).as_bytes(),
            &self.original,
            &self.canonical,
            self.kind.as_bytes(),
            scheme,
            host,
            nid,
            texts.codes.as_bytes(),
            texts.words.as_bytes(),
            suggestion.as_bytes(),
            b"",
            b"",
            &self.note,
            &self.link_text,
            &self.materials,
            three.format(self.record.range().start).as_bytes(),
            b"",
        ]
    }
}
