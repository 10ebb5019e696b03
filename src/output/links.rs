//! Links: the source and the target of each, as text, JSON Lines or a table. The columns
//! of tables are the keys of JSON, from one table.

use super::csv::Csv;
use super::fields::{Field, WARC_DATE, WARC_RECORD_ID, WARC_TARGET_URI, WARC_TYPE};
use super::form::Form;
use super::object::Object;
use super::screen::Screen;
use super::value::{Row, Value};
use crate::item::{Finding, Spelling};

/// The fields of a link, in the order of JSON and of columns.
///
/// ```
/// use urisieve::output::LINK_FIELDS;
/// let names: Vec<&str> = LINK_FIELDS.iter().map(|field| field.name).collect();
/// assert_eq!(names[..5], ["s", "t", "path", "rel", "nofollow"]);
/// ```
pub const LINK_FIELDS: &[Field] = &[
    Field::text("s", "the source: the page that has the link", |row| {
        Value::Text(row.finding.source.unwrap_or_default())
    })
    .always(),
    Field::text("t", "the target: the canonical form", |row| {
        Value::Text(row.uri())
    })
    .always(),
    Field::text(
        "path",
        "the element in upper case, @/ and the attribute, as in WAT files",
        |row| Value::some_text(row.context().link.unwrap_or_default().path),
    ),
    Field::text("rel", "the value of rel, in lower case", |row| {
        Value::some_text(row.context().link.unwrap_or_default().rel)
    }),
    Field::flag(
        "nofollow",
        "the page asks not to follow it; with --nofollow mark",
        |row| Value::flag(row.context().link.unwrap_or_default().nofollow),
    ),
    Field::text("file", "name of the input", |row| Value::Text(row.name)).always(),
    Field::number(
        "offset",
        "raw bytes from the start of the input, or of the record's block, to the link",
        |row| Value::Number(row.finding.offset),
    )
    .always(),
    Field::number("length", "raw bytes of the link", |row| {
        Value::Number(row.finding.length)
    })
    .always(),
    Field::number(
        "warc.offset",
        "offset of its record in the stored web archive",
        |row| Value::number(row.context().warc.map(|warc| warc.offset)),
    ),
    WARC_RECORD_ID,
    WARC_TYPE,
    WARC_DATE,
    WARC_TARGET_URI,
    Field::text(
        "pointer",
        "the value in JSON, as a JSON Pointer (RFC 6901)",
        |row| Value::text(row.context().pointer),
    ),
    Field::text("member", "name of the member of an archive", |row| {
        Value::text(row.context().member)
    }),
    Field::number(COUNT, "occurrences of the pair", |row| {
        Value::number(row.finding.count)
    }),
];

/// The field that only counts have.
const COUNT: &str = "count";
/// The fields of links between nodes.
const OF_NODES: [&str; 3] = ["s", "t", COUNT];

/// Which fields links have.
///
/// ```
/// use urisieve::output::LinkFields;
/// let fields = LinkFields { nodes: true, counts: true, ..LinkFields::default() };
/// assert!(!fields.marks);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkFields {
    /// Only source and target, which are nodes of a graph.
    pub nodes: bool,
    /// How often the pair occurs.
    pub counts: bool,
    /// Whether the page asks not to follow the link.
    pub marks: bool,
}

impl LinkFields {
    /// Returns the fields of a link.
    ///
    /// ```
    /// use urisieve::output::LinkFields;
    /// let of_nodes = LinkFields { nodes: true, ..LinkFields::default() };
    /// let names: Vec<&str> = of_nodes.fields().map(|field| field.name).collect();
    /// assert_eq!(names, ["s", "t"]);
    /// ```
    pub fn fields(self) -> impl Iterator<Item = &'static Field> + Clone {
        LINK_FIELDS.iter().filter(move |field| {
            (self.counts || field.name != COUNT) && (!self.nodes || OF_NODES.contains(&field.name))
        })
    }

    /// Returns the link without a mark, unless marks are wanted.
    pub(super) fn marked<'f>(self, finding: &Finding<'f>) -> Finding<'f> {
        let mut finding = *finding;
        if let Some(link) = &mut finding.context.link {
            link.nofollow &= self.marks;
        }
        finding
    }
}

/// Source and target of a link.
///
/// ```
/// use urisieve::{item::Finding, output::{Form, LinkFields, LinkRows}};
/// let mut link = Finding::new(b"http://b/");
/// link.source = Some(b"http://a/");
/// for (mut form, wanted) in [
///     (LinkRows::text(LinkFields::default()), "http://a/\thttp://b/\n"),
///     (LinkRows::json(LinkFields { nodes: true, ..LinkFields::default() }),
///      "{\"s\":\"http://a/\",\"t\":\"http://b/\"}\n"),
/// ] {
///     let mut out = Vec::new();
///     form.write(&link, b"f.warc", &mut out);
///     assert_eq!(String::from_utf8_lossy(&out), wanted);
/// }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct LinkRows {
    layout: LinkLayout,
    fields: LinkFields,
    zero: bool,
    excel: bool,
    screen: Screen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkLayout {
    Text,
    Json,
    Commas,
    Tabs,
}

impl LinkRows {
    const fn new(layout: LinkLayout, fields: LinkFields) -> LinkRows {
        LinkRows {
            layout,
            fields,
            zero: false,
            excel: false,
            screen: Screen::PLAIN,
        }
    }

    /// `SOURCE<TAB>TARGET` and a line feed; before it the count and a tab, after it a tab
    /// and `nofollow` or nothing, where these are wanted.
    ///
    /// ```
    /// use urisieve::{item::Finding, output::{Form, LinkFields, LinkRows}};
    /// let fields = LinkFields { counts: true, marks: true, nodes: false };
    /// let (mut link, mut out) = (Finding::new(b"http://b/"), Vec::new());
    /// link.source = Some(b"http://a/");
    /// link.count = Some(7);
    /// LinkRows::text(fields).write(&link, b"", &mut out);
    /// assert_eq!(out, b"7\thttp://a/\thttp://b/\t\n");
    /// ```
    pub const fn text(fields: LinkFields) -> LinkRows {
        LinkRows::new(LinkLayout::Text, fields)
    }

    /// JSON Lines: an object with the [`LINK_FIELDS`].
    ///
    /// ```
    /// use urisieve::{item::Finding, output::{Form, LinkFields, LinkRows}};
    /// let (mut link, mut out) = (Finding::new(b"http://b/"), Vec::new());
    /// link.source = Some(b"http://a/");
    /// LinkRows::json(LinkFields::default()).write(&link, b"f", &mut out);
    /// assert_eq!(out, b"{\"s\":\"http://a/\",\"t\":\"http://b/\",\"file\":\"f\",\"offset\":0,\"length\":9}\n");
    /// ```
    pub const fn json(fields: LinkFields) -> LinkRows {
        LinkRows::new(LinkLayout::Json, fields)
    }

    /// A table with a comma between values, as [`Csv::commas`](super::Csv::commas) writes
    /// it.
    ///
    /// ```
    /// use urisieve::output::{Form, LinkFields, LinkRows};
    /// let mut out = Vec::new();
    /// LinkRows::commas(LinkFields::default()).begin(&mut out);
    /// assert!(out.starts_with(b"s,t,path,rel,nofollow,file,offset,length,warc.offset,"));
    /// ```
    pub const fn commas(fields: LinkFields) -> LinkRows {
        LinkRows::new(LinkLayout::Commas, fields)
    }

    /// A table with a tab between values, as [`Csv::tabs`](super::Csv::tabs) writes it.
    ///
    /// ```
    /// use urisieve::output::{Form, LinkFields, LinkRows};
    /// let mut out = Vec::new();
    /// LinkRows::tabs(LinkFields { nodes: true, ..LinkFields::default() }).begin(&mut out);
    /// assert_eq!(out, b"s\tt\n");
    /// ```
    pub const fn tabs(fields: LinkFields) -> LinkRows {
        LinkRows::new(LinkLayout::Tabs, fields)
    }

    /// Sets whether a line of text ends with NUL instead of a line feed; default no.
    ///
    /// ```
    /// use urisieve::{item::Finding, output::{Form, LinkFields, LinkRows}};
    /// let mut out = Vec::new();
    /// let mut form = LinkRows::text(LinkFields::default()).zero(true);
    /// form.write(&Finding::new(b"http://b/"), b"", &mut out);
    /// assert!(out.ends_with(b"\0"));
    /// ```
    pub const fn zero(self, zero: bool) -> LinkRows {
        LinkRows { zero, ..self }
    }

    /// Sets whether a table is for spreadsheets, as [`Csv::excel`](super::Csv::excel)
    /// does; default no.
    ///
    /// ```
    /// use urisieve::output::{Form, LinkFields, LinkRows};
    /// let mut out = Vec::new();
    /// LinkRows::commas(LinkFields::default()).excel(true).begin(&mut out);
    /// assert!(out.ends_with(b"\r\n"));
    /// ```
    pub const fn excel(self, excel: bool) -> LinkRows {
        LinkRows { excel, ..self }
    }

    /// Sets how values are escaped for a terminal; default as for a file.
    ///
    /// ```
    /// use urisieve::{item::Finding, output::{Form, LinkFields, LinkRows, Screen}};
    /// let (mut link, mut out) = (Finding::new(b"http://b/"), Vec::new());
    /// link.source = Some(b"\x1b[2J");
    /// LinkRows::text(LinkFields::default()).screen(Screen::SAFE).write(&link, b"", &mut out);
    /// assert_eq!(out, b"\\x1B[2J\thttp://b/\n");
    /// ```
    pub const fn screen(self, screen: Screen) -> LinkRows {
        LinkRows { screen, ..self }
    }

    fn text_row(&self, finding: &Finding, out: &mut Vec<u8>) {
        if self.fields.counts {
            self.screen.number(finding.count.unwrap_or(1), out);
            out.push(b'\t');
        }
        self.screen.uri(finding.source.unwrap_or_default(), out);
        out.push(b'\t');
        self.screen.uri(finding.uri, out);
        if self.fields.marks && !self.fields.nodes {
            out.push(b'\t');
            if finding.context.link.is_some_and(|link| link.nofollow) {
                out.extend_from_slice(b"nofollow");
            }
        }
        out.push(self.end());
    }

    const fn end(&self) -> u8 {
        if self.zero { 0 } else { b'\n' }
    }

    /// Returns the table that is written, if it is one.
    fn table(&self) -> Option<Csv> {
        let table = match self.layout {
            LinkLayout::Text | LinkLayout::Json => return None,
            LinkLayout::Commas => Csv::commas(),
            LinkLayout::Tabs => Csv::tabs(),
        };
        Some(table.excel(self.excel).screen(self.screen))
    }
}

impl Form for LinkRows {
    fn begin(&mut self, out: &mut Vec<u8>) {
        if let Some(table) = self.table() {
            table.header(self.fields.fields(), out);
        }
    }

    fn write(&mut self, finding: &Finding, name: &[u8], out: &mut Vec<u8>) {
        let finding = self.fields.marked(finding);
        if self.layout == LinkLayout::Text {
            return self.text_row(&finding, out);
        }
        let row = Row::new(&finding, name);
        if let Some(table) = self.table() {
            return table.row(self.fields.fields(), &row, out);
        }
        let mut object = Object::new(out);
        object.fields(self.fields.fields(), &row);
        object.end();
    }

    fn line_end(&self) -> Option<u8> {
        let has_more = self.fields.counts || (self.fields.marks && !self.fields.nodes);
        let is_plain = self.layout == LinkLayout::Text && !has_more;
        (is_plain && self.screen == Screen::PLAIN).then_some(self.end())
    }

    /// Writes the pair alone: its spellings are not fields of a link.
    fn write_group(
        &mut self,
        class: &Finding,
        _spellings: &[Spelling],
        name: &[u8],
        out: &mut Vec<u8>,
    ) {
        self.write(class, name, out);
    }
}
