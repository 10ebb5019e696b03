//! Lists of URIs: a record is a line, a CSV record or a line of JSON, and one value of
//! it is the URI. Values are not searched; whether a value is a URI is left to the
//! caller.

use super::cdx;
#[cfg(feature = "json")]
use super::json::{string_at, strings_at};
use super::table::{
    self, DELIMITERS, JUDGED, JUDGED_BYTES, NO_DELIMITER, TableColumn, blank_lines, record_len,
    trimmed,
};
use std::borrow::Cow;
use std::cmp::Reverse;
use std::fmt;
use std::ops::Range;

/// The longest record, in bytes.
pub const RECORD_MAX: usize = 16 << 20;

/// The format of a list, and which value of a record is the URI.
///
/// ```
/// use urisieve::decode::{CsvColumn, Layout, Settled};
/// let text = b"id,url\nb,http://b.example/\n";
/// let layout = Layout::Csv(CsvColumn::named("url"));
/// let Settled::Records { records, header, .. } = layout.settle(text, true) else { panic!() };
/// let record = records.record(text, header.unwrap().end, true).unwrap();
/// assert_eq!(&*records.value(&text[record]).unwrap(), b"http://b.example/");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// One URI a line, without the blanks and the carriage return around it.
    Lines,
    /// One URI before each NUL, without the blanks and line breaks around it.
    Zero,
    /// A table: one field of each record. So is a CDX index, whose header names the fields.
    Csv(CsvColumn),
    /// JSON Lines: the string at this JSON pointer (RFC 6901). The object of a line of CDXJ
    /// follows the key and the time of a capture.
    #[cfg(feature = "json")]
    Pointer(String),
    /// Like several layouts of one kind: a record has the values of each of them.
    Each(Vec<Layout>),
}

/// Which field of a table (RFC 4180) is the URI, and which byte separates fields.
///
/// ```
/// use urisieve::decode::CsvColumn;
/// let csv = CsvColumn::numbered(1).delimiter(Some(b';'));
/// assert_ne!(csv, CsvColumn::named("url"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvColumn {
    column: TableColumn,
    delimiter: Option<u8>,
}

impl CsvColumn {
    /// Selects the field with this number, from 0, of every record.
    ///
    /// ```
    /// use urisieve::decode::{CsvColumn, Layout, Settled};
    /// let layout = Layout::Csv(CsvColumn::numbered(1));
    /// let settled = layout.settle(b"a,http://a.example/\n", true);
    /// assert!(matches!(settled, Settled::Records { header: None, .. }));
    /// ```
    pub fn numbered(number: usize) -> CsvColumn {
        CsvColumn {
            column: TableColumn::Number(number),
            delimiter: None,
        }
    }

    /// Selects the field that the first record names so.
    ///
    /// ```
    /// use urisieve::decode::{CsvColumn, Layout, Settled};
    /// let layout = Layout::Csv(CsvColumn::named("url"));
    /// let Settled::NoColumn(columns) = layout.settle(b"id;link\n", true) else { panic!() };
    /// assert_eq!(columns, ["id", "link"]);
    /// ```
    pub fn named(name: impl Into<String>) -> CsvColumn {
        CsvColumn {
            column: TableColumn::Name(name.into()),
            delimiter: None,
        }
    }

    /// The byte between two fields; default `None`: comma, semicolon, tab or `|`,
    /// detected from the header or the first four records.
    ///
    /// ```
    /// use urisieve::decode::CsvColumn;
    /// assert_ne!(CsvColumn::numbered(0).delimiter(Some(b'|')), CsvColumn::numbered(0));
    /// ```
    pub fn delimiter(mut self, delimiter: Option<u8>) -> CsvColumn {
        self.delimiter = delimiter;
        self
    }

    fn settle(&self, text: &[u8], last: bool) -> Settled {
        let from = blank_lines(text);
        if from == text.len() && !last {
            return Settled::Unknown;
        }
        match cdx::is_index(&text[from..], last) {
            Some(false) => {}
            Some(true) => return self.of_index(text, from, last),
            None => return Settled::Unknown,
        }
        let only = self.delimiter.map(|delimiter| [delimiter]);
        let delimiters = only.as_ref().map_or(DELIMITERS, |only| &only[..]);
        match &self.column {
            TableColumn::Name(name) => by_name(name.as_bytes(), delimiters, text, from, last),
            TableColumn::Number(column) => by_number(*column, delimiters, &text[from..], last),
        }
    }

    /// Finds the column of a CDX index whose header begins at `from`: by its letter, or by its
    /// number.
    fn of_index(&self, text: &[u8], from: usize, last: bool) -> Settled {
        let Some(len) = cdx::header_len(&text[from..], last) else {
            return Settled::Unknown;
        };
        let header = from..from + len;
        let letters = cdx::letters(&text[header.clone()]);
        let found = match &self.column {
            TableColumn::Name(name) => letters.iter().position(|l| *l == name.as_bytes()),
            TableColumn::Number(number) => (*number < letters.len()).then_some(*number),
        };
        match found {
            Some(column) => Settled::csv_after(header, letters.len(), (column, cdx::DELIMITER)),
            None => Settled::NoColumn(names(letters.into_iter().map(Cow::Borrowed))),
        }
    }
}

/// The decision of the beginning of a list.
///
/// ```
/// use urisieve::decode::{Layout, Settled};
/// assert!(matches!(Layout::Lines.settle(b"", false), Settled::Records { .. }));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Settled {
    /// More bytes are needed.
    Unknown,
    /// The settled form of the records, and the range of the header.
    Records {
        /// Reads the records.
        records: Records,
        /// The header; only blank lines are before it.
        header: Option<Range<usize>>,
    },
    /// No record has the column; these are the columns that exist.
    NoColumn(Vec<String>),
}

impl Settled {
    fn csv(column: usize, delimiter: u8) -> Settled {
        Settled::Records {
            records: Records(RecordSyntax::Csv {
                column,
                delimiter,
                fields: None,
            }),
            header: None,
        }
    }

    /// Reads records after a header with this number of fields.
    fn csv_after(header: Range<usize>, fields: usize, (column, delimiter): (usize, u8)) -> Settled {
        Settled::Records {
            records: Records(RecordSyntax::Csv {
                column,
                delimiter,
                fields: Some(fields),
            }),
            header: Some(header),
        }
    }
}

/// Finds the column by its name in the record that starts at `from`.
fn by_name(name: &[u8], delimiters: &[u8], text: &[u8], from: usize, last: bool) -> Settled {
    let mut best: Option<(bool, usize, Settled)> = None;
    for &delimiter in delimiters {
        let len = match record_len(&text[from..], delimiter) {
            Some(len) => len,
            None if last => text.len() - from,
            None => return Settled::Unknown,
        };
        let header = from..from + len;
        let fields: Vec<Cow<[u8]>> = values(&text[header.clone()], delimiter).collect();
        let column = fields.iter().position(|field| trimmed(field) == name);
        let rank = (column.is_some(), fields.len());
        if best.as_ref().is_none_or(|best| rank > (best.0, best.1)) {
            let settled = match column {
                Some(_) if fields.len() == 1 && delimiters.len() > 1 => {
                    Settled::csv_after(header, 1, (0, NO_DELIMITER))
                }
                Some(column) => Settled::csv_after(header, fields.len(), (column, delimiter)),
                // An empty input lacks no column.
                None if header.is_empty() => Settled::csv(0, delimiter),
                None => Settled::NoColumn(names(fields)),
            };
            best = Some((rank.0, rank.1, settled));
        }
    }
    best.map_or(Settled::Unknown, |best| best.2)
}

/// The rank of a delimiter for the first records: a class, whether any record has the
/// column, the number of records that do not, the number of fields of each record if it is
/// the same for all.
type DelimiterRank = (usize, bool, Reverse<usize>, usize);

/// Settles a column by its number: with the delimiter that splits the first records
/// into the same number of fields and yields the column, otherwise one that does so for
/// most of them, otherwise one that splits them evenly without the column. A delimiter
/// that occurs in some values must not win because one record happens to contain it
/// often enough.
fn by_number(column: usize, delimiters: &[u8], text: &[u8], last: bool) -> Settled {
    let whole = last || text.len() >= JUDGED_BYTES;
    let text = &text[..text.len().min(JUDGED_BYTES)];
    let mut best: Option<(DelimiterRank, Settled)> = None;
    for &delimiter in delimiters {
        let mut counts = Vec::with_capacity(JUDGED);
        let mut first = None;
        let mut rest = text;
        while counts.len() < JUDGED && !rest.is_empty() {
            let len = match record_len(rest, delimiter) {
                Some(len) => len,
                None if whole => rest.len(),
                None => break,
            };
            let (record, after) = rest.split_at(len);
            rest = after;
            if !trimmed(record).is_empty() {
                first.get_or_insert(record);
                counts.push(table::fields(record, delimiter).count());
            }
        }
        if counts.len() < JUDGED && !whole {
            return Settled::Unknown;
        }
        let fitting = counts.iter().filter(|&&count| count > column).count();
        let fields = counts.first().copied().unwrap_or_default();
        let is_even = fields > 1 && counts.iter().all(|&count| count == fields);
        let is_table = is_even && counts.len() > 1;
        let alike = |wanted: &usize| counts.iter().filter(|&count| count == wanted).count();
        let commonest = counts.iter().map(alike).max().unwrap_or_default();
        let class = match () {
            () if is_table && fitting > 0 => 3,
            () if fitting.min(commonest) * 2 > counts.len() => 2,
            () if is_table => 1,
            () => 0,
        };
        // Another delimiter may split the same text into more records.
        let unfit = Reverse(counts.len() - fitting);
        let rank = (class, fitting > 0, unfit, if is_even { fields } else { 0 });
        if best.as_ref().is_none_or(|best| rank > best.0) {
            let settled = match first {
                Some(first) if fitting == 0 => Settled::NoColumn(names(values(first, delimiter))),
                _ => Settled::csv(column, delimiter),
            };
            best = Some((rank, settled));
        }
    }
    best.map_or(Settled::Unknown, |best| best.1)
}

/// Returns the values of the fields of a record.
fn values(record: &[u8], delimiter: u8) -> impl Iterator<Item = Cow<'_, [u8]>> {
    table::fields(record, delimiter).map(|field| table::value(&record[field]))
}

fn names<'f>(fields: impl IntoIterator<Item = Cow<'f, [u8]>>) -> Vec<String> {
    let name = |field: Cow<[u8]>| String::from_utf8_lossy(trimmed(&field)).into_owned();
    fields.into_iter().map(name).collect()
}

/// Settles layouts of one kind. The columns of a table have the delimiter of the first one.
fn settle_each(layouts: &[Layout], text: &[u8], last: bool) -> Settled {
    let (mut all, mut header) = (Vec::new(), None);
    for layout in layouts {
        let delimiter = all.first().and_then(|first: &Records| first.0.delimiter());
        let layout = match (layout, delimiter) {
            (Layout::Csv(csv), Some(_)) => Cow::Owned(Layout::Csv(CsvColumn {
                delimiter,
                ..csv.clone()
            })),
            _ => Cow::Borrowed(layout),
        };
        match layout.settle(text, last) {
            Settled::Records {
                records,
                header: own,
            } => {
                all.push(records);
                header = header.or(own);
            }
            other => return other,
        }
    }
    Settled::Records {
        records: Records(RecordSyntax::Each(all)),
        header,
    }
}

impl Layout {
    /// Returns the form in which the records of the list that begins with `text` are
    /// read; `last` means that `text` is complete.
    ///
    /// ```
    /// use urisieve::decode::{CsvColumn, Layout, Settled};
    /// let layout = Layout::Csv(CsvColumn::named("url"));
    /// assert_eq!(layout.settle(b"id,u", false), Settled::Unknown);
    /// let Settled::Records { header, .. } = layout.settle(b"id,url\n", false) else { panic!() };
    /// assert_eq!(header, Some(0..7));
    /// ```
    pub fn settle(&self, text: &[u8], last: bool) -> Settled {
        let kind = match self {
            Layout::Lines => RecordSyntax::Lines,
            Layout::Zero => RecordSyntax::Zero,
            Layout::Csv(csv) => return csv.settle(text, last),
            #[cfg(feature = "json")]
            Layout::Pointer(pointer) => RecordSyntax::Pointer(pointer.clone()),
            Layout::Each(layouts) => return settle_each(layouts, text, last),
        };
        Settled::Records {
            records: Records(kind),
            header: None,
        }
    }

    /// Returns the name of the column that holds the URIs, where it is named.
    ///
    /// ```
    /// use urisieve::decode::{CsvColumn, Layout};
    /// assert_eq!(Layout::Csv(CsvColumn::named("url")).column_name(), Some("url"));
    /// assert_eq!(Layout::Lines.column_name(), None);
    /// ```
    pub fn column_name(&self) -> Option<&str> {
        match self {
            Layout::Csv(CsvColumn {
                column: TableColumn::Name(name),
                ..
            }) => Some(name),
            _ => None,
        }
    }

    /// Whether a record may contain line breaks.
    ///
    /// ```
    /// use urisieve::decode::{CsvColumn, Layout};
    /// assert!(Layout::Csv(CsvColumn::numbered(0)).is_csv() && !Layout::Lines.is_csv());
    /// ```
    pub fn is_csv(&self) -> bool {
        matches!(self.parts().first(), Some(Layout::Csv(_)))
    }

    /// Returns the layouts of which it is made, or itself.
    ///
    /// ```
    /// use urisieve::decode::Layout;
    /// let each = Layout::Each(vec![Layout::Lines, Layout::Lines]);
    /// assert_eq!((each.parts().len(), Layout::Lines.parts().len()), (2, 1));
    /// ```
    pub fn parts(&self) -> &[Layout] {
        match self {
            Layout::Each(layouts) => layouts,
            one => std::slice::from_ref(one),
        }
    }

    /// Whether a record ends at every line feed.
    ///
    /// ```
    /// use urisieve::decode::Layout;
    /// assert!(Layout::Lines.ends_with_lines() && !Layout::Zero.ends_with_lines());
    /// ```
    pub fn ends_with_lines(&self) -> bool {
        !self.is_csv() && *self != Layout::Zero
    }
}

impl fmt::Display for Layout {
    /// Writes the name of the value in messages.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Layout::Lines | Layout::Zero => f.write_str("line"),
            Layout::Csv(csv) => csv.column.fmt(f),
            #[cfg(feature = "json")]
            Layout::Pointer(pointer) => write!(f, "value at {pointer:?}"),
            Layout::Each(layouts) => match layouts.first() {
                Some(first) => first.fmt(f),
                None => f.write_str("value"),
            },
        }
    }
}

/// Reads the records of a list.
///
/// ```
/// use urisieve::decode::{Layout, Settled};
/// let Settled::Records { records, .. } = Layout::Lines.settle(b"", true) else { panic!() };
/// assert_eq!(records.record(b"a\nb", 0, true), Some(0..2));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records(RecordSyntax);

#[derive(Clone, Debug, PartialEq, Eq)]
enum RecordSyntax {
    Lines,
    Zero,
    Csv {
        column: usize,
        delimiter: u8,
        /// The number of fields in the header.
        fields: Option<usize>,
    },
    #[cfg(feature = "json")]
    Pointer(String),
    /// Those of several layouts of one kind.
    Each(Vec<Records>),
}

impl RecordSyntax {
    /// The syntax by which records are divided.
    fn first(&self) -> &RecordSyntax {
        match self {
            RecordSyntax::Each(all) => all.first().map_or(&RecordSyntax::Lines, |first| &first.0),
            one => one,
        }
    }

    /// The byte between two fields of a table.
    fn delimiter(&self) -> Option<u8> {
        match self.first() {
            RecordSyntax::Csv { delimiter, .. } => Some(*delimiter),
            _ => None,
        }
    }
}

impl Records {
    /// Returns the record that starts at `at` in `text`, with its line end; `None` when
    /// no record starts there, or when the record may be incomplete because `text` is
    /// not the `last`.
    ///
    /// ```
    /// use urisieve::decode::{Layout, Settled};
    /// let Settled::Records { records, .. } = Layout::Lines.settle(b"", true) else { panic!() };
    /// assert_eq!(records.record(b"a\nb", 0, false), Some(0..2));
    /// assert_eq!(records.record(b"a\nb", 2, false), None);
    /// assert_eq!(records.record(b"a\nb", 2, true), Some(2..3));
    /// ```
    pub fn record(&self, text: &[u8], at: usize, last: bool) -> Option<Range<usize>> {
        let rest = text.get(at..).filter(|rest| !rest.is_empty())?;
        let len = match self.0.delimiter() {
            Some(delimiter) => record_len(rest, delimiter),
            None => memchr::memchr(self.end(), rest).map(|len| len + 1),
        };
        match len {
            Some(len) => Some(at..at + len),
            None => last.then_some(at..text.len()),
        }
    }

    /// Returns the ranges of the fields of a record, as written; the line break at its
    /// end is part of the last field. A record without separate fields is one field.
    ///
    /// ```
    /// use urisieve::decode::{CsvColumn, Layout, Settled};
    /// let layout = Layout::Csv(CsvColumn::numbered(1).delimiter(Some(b',')));
    /// let Settled::Records { records, .. } = layout.settle(b"", true) else { panic!() };
    /// let places: Vec<_> = records.fields(b"1,\"a,b\",c\n").collect();
    /// assert_eq!(places, [0..1, 2..7, 8..10]);
    /// ```
    pub fn fields<'r>(&self, record: &'r [u8]) -> impl Iterator<Item = Range<usize>> + use<'r> {
        let delimiter = self.0.delimiter();
        let whole = delimiter.is_none().then_some(0..record.len());
        let places = delimiter.map(|delimiter| table::fields(record, delimiter));
        whole.into_iter().chain(places.into_iter().flatten())
    }

    /// Whether a record is a line that is the value as a whole.
    ///
    /// ```
    /// use urisieve::decode::{Layout, Settled};
    /// let Settled::Records { records, .. } = Layout::Lines.settle(b"", true) else { panic!() };
    /// assert!(records.are_lines());
    /// ```
    pub fn are_lines(&self) -> bool {
        matches!(self.0.first(), RecordSyntax::Lines | RecordSyntax::Zero)
    }

    /// The byte that ends a record: NUL or a line feed.
    ///
    /// ```
    /// use urisieve::decode::{Layout, Settled};
    /// let Settled::Records { records, .. } = Layout::Zero.settle(b"", true) else { panic!() };
    /// assert_eq!(records.end(), 0);
    /// assert_eq!(records.record(b"a\nb\0c", 0, false), Some(0..4));
    /// assert_eq!(&*records.value(b" a\0").unwrap(), b"a");
    /// ```
    pub fn end(&self) -> u8 {
        match self.0.first() {
            RecordSyntax::Zero => 0,
            _ => b'\n',
        }
    }

    /// Returns the value of a record, without the blanks around it; `None` when the
    /// record has none.
    ///
    /// ```
    /// use urisieve::decode::{Layout, Settled};
    /// let Settled::Records { records, .. } = Layout::Lines.settle(b"", true) else { panic!() };
    /// assert_eq!(&*records.value(b"  urn:a-b:c \r\n").unwrap(), b"urn:a-b:c");
    /// ```
    pub fn value<'r>(&self, record: &'r [u8]) -> Option<Cow<'r, [u8]>> {
        match &self.0 {
            RecordSyntax::Lines => Some(Cow::Borrowed(trimmed(record))),
            RecordSyntax::Zero => {
                let record = record.strip_suffix(b"\0").unwrap_or(record);
                Some(Cow::Borrowed(trimmed(record)))
            }
            RecordSyntax::Csv {
                column,
                delimiter,
                fields,
            } => {
                let record = record.strip_suffix(b"\n").unwrap_or(record);
                if record.is_empty() {
                    return None;
                }
                let record = record.strip_suffix(b"\r").unwrap_or(record);
                let mut values = values(record, *delimiter);
                let value = values.nth(*column)?;
                // A value with unquoted delimiters may be incomplete.
                let surplus = fields.map_or(usize::MAX, |fields| fields - column - 1);
                let is_whole = values.skip(surplus).all(|field| trimmed(&field).is_empty());
                is_whole.then(|| match value {
                    Cow::Borrowed(value) => Cow::Borrowed(trimmed(value)),
                    Cow::Owned(value) => Cow::Owned(trimmed(&value).to_vec()),
                })
            }
            #[cfg(feature = "json")]
            RecordSyntax::Pointer(pointer) => {
                let text = string_at(cdx::without_key(record), pointer)?;
                Some(Cow::Owned(text.trim().as_bytes().to_vec()))
            }
            RecordSyntax::Each(all) => all.first()?.value(record),
        }
    }

    /// Returns all values of a record, in the order of the layouts: those that it lacks are
    /// `None`. In a pointer of [`Layout::Each`], `*` is every member or element.
    ///
    /// ```
    /// use urisieve::decode::{Layout, Settled};
    /// let pointer = |text: &str| Layout::Pointer(text.to_owned());
    /// let layout = Layout::Each(vec![pointer("/a/*"), pointer("/b")]);
    /// let Settled::Records { records, .. } = layout.settle(b"", true) else { unreachable!() };
    /// let values = records.values(br#"{"a":["x","y"]}"#);
    /// let found: Vec<_> = values.iter().map(|value| value.as_deref()).collect();
    /// assert_eq!(found, [Some(&b"x"[..]), Some(b"y"), None]);
    /// ```
    pub fn values<'r>(&self, record: &'r [u8]) -> Vec<Option<Cow<'r, [u8]>>> {
        let RecordSyntax::Each(all) = &self.0 else {
            return vec![self.value(record)];
        };
        let mut values = Vec::new();
        for one in all {
            match &one.0 {
                #[cfg(feature = "json")]
                RecordSyntax::Pointer(pointer) if pointer.split('/').any(|token| token == "*") => {
                    let texts = strings_at(record, pointer);
                    let is_none = texts.is_empty();
                    let value = |text: String| Some(Cow::Owned(text.trim().as_bytes().to_vec()));
                    values.extend(texts.into_iter().map(value));
                    values.extend(is_none.then_some(None));
                }
                _ => values.push(one.value(record)),
            }
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(layout: &Layout, text: &str) -> (Records, usize) {
        match layout.settle(text.as_bytes(), true) {
            Settled::Records { records, header } => (records, header.map_or(0, |head| head.end)),
            other => panic!("{other:?}"),
        }
    }

    fn values(layout: &Layout, text: &str) -> Vec<Option<String>> {
        let mut values = Vec::new();
        let (records, mut at) = settled(layout, text);
        let text = text.as_bytes();
        while let Some(record) = records.record(text, at, true) {
            at = record.end;
            let value = records.value(&text[record]);
            values.push(value.map(|v| String::from_utf8(v.into_owned()).unwrap()));
        }
        assert_eq!(at, text.len());
        values
    }

    fn some(values: &[&str]) -> Vec<Option<String>> {
        values.iter().map(|v| Some(v.to_string())).collect()
    }

    fn number(column: usize) -> Layout {
        Layout::Csv(CsvColumn::numbered(column))
    }

    #[test]
    fn lines_are_trimmed() {
        assert_eq!(
            values(&Layout::Lines, "a\r\n  b\t\n\nc"),
            some(&["a", "b", "", "c"])
        );
        assert_eq!(values(&Layout::Lines, ""), []);
    }

    #[test]
    fn quoted_fields_hold_delimiters_quotes_and_line_breaks() {
        let text = "1,\"a,\"\"b\"\"\nc\"\r\n2,d\"e\n3\n";
        let second = values(&number(1), text);
        assert_eq!(
            second,
            [Some("a,\"b\"\nc".into()), Some("d\"e".into()), None]
        );
        assert_eq!(values(&number(0), text), some(&["1", "2", "3"]));
    }

    #[cfg(feature = "json")]
    #[test]
    fn a_pointer_leads_into_json() {
        let layout = Layout::Pointer("/http/url".into());
        let text = "{\"http\":{\"url\":\"http:\\/\\/a.example\\/\"}}\n{\"http\":1}\nno json\n";
        let wanted = [Some("http://a.example/".to_owned()), None, None];
        assert_eq!(values(&layout, text), wanted);
    }

    #[test]
    fn what_is_not_known_to_end_is_no_record() {
        for (text, layout) in [("a", Layout::Lines), ("\"a\nb", number(0))] {
            let (records, _) = settled(&layout, text);
            assert_eq!(records.record(text.as_bytes(), 0, false), None);
            assert_eq!(
                records.record(text.as_bytes(), 0, true),
                Some(0..text.len())
            );
        }
    }

    #[test]
    fn the_delimiter_is_that_of_the_name_or_of_the_first_records() {
        let named = Layout::Csv(CsvColumn::named("url"));
        for (text, wanted) in [
            ("a;url\n1;x,y\n", &["x,y"][..]),
            ("a,b\turl\n1\tx,y\n", &["x,y"]),
            ("\n \r\nurl\nx,y\n", &["x,y"]),
        ] {
            assert_eq!(values(&named, text), some(wanted), "{text:?}");
        }
        for (text, wanted) in [
            ("1;a,b\n2;c\n", &["a,b", "c"][..]),
            ("1,a;b;c\n2,d\n", &["a;b;c", "d"]),
            ("1|a\n", &["a"]),
            ("1,a\n2,b\n3\n", &["a", "b"]),
        ] {
            let found: Vec<_> = values(&number(1), text).into_iter().flatten().collect();
            assert_eq!(found, wanted, "{text:?}");
        }
        // Semicolons inside of one value are not delimiters.
        let text = "1,a;b;c;d\n2,b\n3,c\n4,d\n";
        let columns = ["1", "a;b;c;d"].map(str::to_owned).to_vec();
        assert_eq!(
            number(3).settle(text.as_bytes(), true),
            Settled::NoColumn(columns)
        );
        let given = Layout::Csv(CsvColumn::numbered(0).delimiter(Some(b';')));
        assert_eq!(values(&given, "a,b;c\n"), some(&["a,b"]));
    }

    /// A decision from a part of a text is that from the whole text.
    #[test]
    fn more_text_settles_nothing_else() {
        let text = "\n1;\"a\n,b\"\n2;c\n3;d\n4;e\n5,,,;f\n";
        for layout in [number(1), Layout::Csv(CsvColumn::named("a\n,b"))] {
            let whole = layout.settle(text.as_bytes(), true);
            let settles =
                |&len: &usize| layout.settle(&text.as_bytes()[..len], false) != Settled::Unknown;
            let first = (0..text.len()).find(settles).unwrap();
            for len in first..text.len() {
                assert_eq!(layout.settle(&text.as_bytes()[..len], false), whole);
            }
        }
    }

    #[test]
    fn a_missing_column_is_reported_with_those_that_exist() {
        for layout in [number(2), Layout::Csv(CsvColumn::named("URL"))] {
            let settled = layout.settle(b"id;url\n1;a\n", true);
            let columns = ["id", "url"].map(str::to_owned).to_vec();
            assert_eq!(settled, Settled::NoColumn(columns));
            assert!(matches!(layout.settle(b"", true), Settled::Records { .. }));
        }
    }
}
