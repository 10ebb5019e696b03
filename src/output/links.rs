//! The fields of links: the source and the target of each, and where it is.

use super::fields::{Field, WARC_DATE, WARC_RECORD_ID, WARC_TARGET_URI, WARC_TYPE};
use super::value::Value;
use crate::item::Finding;

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
    .always()
    .seldom(),
    Field::text(
        "path",
        "the element in upper case, @/ and the attribute, as in WAT files",
        |row| Value::some_text(row.context().link.unwrap_or_default().path),
    ),
    Field::text("rel", "the value of rel, in lower case", |row| {
        Value::some_text(row.context().link.unwrap_or_default().rel)
    }),
    Field::flag(
        MARK,
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
/// The field that states marks, and the mark of pairs behind their target.
const MARK: &str = "nofollow";

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
    /// The number of occurrences of the pair.
    pub counts: bool,
    /// Whether the page asks not to follow the link.
    pub marks: bool,
    /// Only source, target, the count behind them and, where it is wanted, the mark: the
    /// edges of a graph with their weights. Links with a mark are pairs of their own.
    pub weights: bool,
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
        LINK_FIELDS.iter().filter(move |field| match field.name {
            COUNT => self.counts,
            MARK if self.weights => self.marks,
            name => !(self.nodes || self.weights) || OF_NODES.contains(&name),
        })
    }

    /// Whether text states if the page asks not to follow the link.
    pub(super) const fn has_marks(self) -> bool {
        self.marks && (!self.nodes || self.weights)
    }

    /// Returns the link as its fields are read: without a mark, unless marks are wanted, and
    /// with the mark of a pair of its own taken off its target.
    ///
    /// ```
    /// use urisieve::{item::Finding, output::LinkFields};
    /// let fields = LinkFields { marks: true, weights: true, ..LinkFields::default() };
    /// let edge = fields.marked(&Finding::new(b"com.b\tnofollow"));
    /// assert_eq!((edge.uri, edge.context.link.unwrap().nofollow), (&b"com.b"[..], true));
    /// ```
    pub fn marked<'f>(self, finding: &Finding<'f>) -> Finding<'f> {
        let mut finding = *finding;
        if self.weights && self.marks {
            let mark = memchr::memchr(b'\t', finding.uri);
            finding.uri = &finding.uri[..mark.unwrap_or(finding.uri.len())];
            finding.context.link.get_or_insert_default().nofollow = mark.is_some();
        }
        if let Some(link) = &mut finding.context.link {
            link.nofollow &= self.marks;
        }
        finding
    }
}
