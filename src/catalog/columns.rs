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

impl IdentifierRow<'_> {
    /// Returns the cells of the row, in the order of [`ROW_COLUMNS`]. `file` names its
    /// input. The cells of groups are empty, because groups need all rows.
    ///
    /// ```
    /// use urisieve::canonicalize::Canonicalizer;
    /// use urisieve::catalog::{FieldChoice, IdentifierRows};
    /// use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord};
    /// let mut record = CatalogRecord::default();
    /// let text = b"=856  40$uhttp://a.example/.\n";
    /// CatalogReader::new(CatalogFormat::Mrk).read(text, true, &mut record);
    /// let mut rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    /// let rows = rows.of(std::slice::from_ref(&record));
    /// let cells = rows[0].cells(b"a.mrk");
    /// assert_eq!((&*cells[1], &*cells[15]), (&b"1"[..], &b"trailing-punct"[..]));
    /// ```
    pub fn cells<'c>(&'c self, file: &'c [u8]) -> [Cow<'c, [u8]>; COLUMNS] {
        let number = |number: u64| Cow::Owned(number.to_string().into_bytes());
        let words = |words: Cow<'static, str>| match words {
            Cow::Borrowed(words) => Cow::Borrowed(words.as_bytes()),
            Cow::Owned(words) => Cow::Owned(words.into_bytes()),
        };
        let [scheme, host, nid] = self.parts().map(Cow::Borrowed);
        let none = Cow::Borrowed(&b""[..]);
        let suggestion = self.suggestion.as_deref().unwrap_or_default();
        [
            Cow::Borrowed(file),
            number(self.record.number()),
            Cow::Borrowed(self.record.id()),
            Cow::Borrowed(self.record.title()),
            Cow::Borrowed(self.field.tag),
            Cow::Borrowed(self.field.ind1),
            Cow::Borrowed(self.field.ind2),
            Cow::Borrowed(self.subfield.code),
            number(self.field.occurrence),
            Cow::Borrowed(&*self.original),
            Cow::Borrowed(&self.canonical),
            Cow::Borrowed(self.kind.as_bytes()),
            scheme,
            host,
            nid,
            words(self.codes()),
            words(self.words()),
            Cow::Borrowed(suggestion.as_bytes()),
            none.clone(),
            none.clone(),
            Cow::Borrowed(&self.note),
            Cow::Borrowed(&self.link_text),
            Cow::Borrowed(&self.materials),
            number(self.record.range().start),
            none,
        ]
    }
}
