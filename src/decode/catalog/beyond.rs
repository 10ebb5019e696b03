//! Which format do the records have that follow damage, or other text, at the beginning of
//! an input? And which formats look like a table, but are not read?

use super::elements::{ELEMENTS, of_xml};
use super::fields::field_role;
use super::format::CatalogFormat;
use super::forms::leader::{
    FIELD_END, LeaderSearch, RECORD_END, SUBFIELD, is_full_leader, is_gap, is_short_leader,
};
use super::forms::{mrk, pica};
use super::record::RecordRules;
use super::role::FieldRole;
use crate::decode::table::{self, DELIMITERS, JUDGED, trimmed};
use memchr::{memchr, memchr_iter, memmem};

/// The number of bytes of an input that are searched for records.
const SEARCHED: usize = 64 << 10;
/// The number of ends of records that show ISO 2709 where no leader can be read.
const ENDS: usize = 4;
/// The number of fields in lines that show a format.
const FIELDS: usize = 3;

/// Returns the format of the first records in an input that does not begin with one; the
/// inner `None` for another input. The outer `None` means that more bytes are needed; no bytes
/// follow when `whole` is set.
pub(super) fn format(head: &[u8], whole: bool) -> Option<Option<CatalogFormat>> {
    let text = head.trim_ascii_start();
    // Undamaged XML was judged by its elements, and each line of objects is judged on its own.
    if matches!(text, [b'<', b'?' | b'!' | b'a'..=b'z' | b'A'..=b'Z', ..] | [b'{', ..]) {
        return Some(None);
    }
    let whole = whole || head.len() >= SEARCHED;
    let head = &head[..head.len().min(SEARCHED)];
    if is_table(head, whole)? {
        return Some(None);
    }
    if !whole {
        return None;
    }
    Some(match () {
        () if has_marc(head) => Some(CatalogFormat::Marc),
        () if has_pica(head) => Some(CatalogFormat::Pica),
        () if has_separators(head) => Some(CatalogFormat::Marc),
        () if has_mrk(head) => Some(CatalogFormat::Mrk),
        () if has_objects(head) => Some(CatalogFormat::JsonLines),
        () => xml(head),
    })
}

/// Returns whether the first rows are those of a table that may hold identifiers: its header
/// has a known name, or each row has a URI. `None` when more bytes are needed.
fn is_table(head: &[u8], whole: bool) -> Option<bool> {
    let mut rows = 0;
    for line in head.split_inclusive(|&byte| byte == b'\n') {
        let is_complete = line.ends_with(b"\n") || whole;
        if line.iter().any(|byte| matches!(byte, 0x1C..=SUBFIELD)) {
            return Some(false);
        }
        let row = trimmed(line);
        if row.is_empty() {
            continue;
        }
        if !is_complete {
            return None;
        }
        if rows == 0 && has_known_name(row) {
            return Some(true);
        }
        if memmem::find(row, b"://").is_none() {
            return Some(false);
        }
        rows += 1;
        if rows == JUDGED {
            return Some(true);
        }
    }
    whole.then_some(false)
}

/// Whether a header names a column of identifiers.
fn has_known_name(row: &[u8]) -> bool {
    let row = row.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(row);
    let is_known = |name: &[u8]| {
        let role = field_role(RecordRules::Table, trimmed(name), b"");
        role.is_some_and(|role| role != FieldRole::MaybeUri)
    };
    DELIMITERS.iter().any(|&delimiter| {
        table::fields(row, delimiter).any(|cell| is_known(&table::value(&row[cell])))
    })
}

/// Whether a leader with its directory is in `head`, or ends of records with what may be
/// leaders behind them.
fn has_marc(head: &[u8]) -> bool {
    if memchr(FIELD_END, head).is_none() {
        return false;
    }
    let mut search = LeaderSearch::default();
    let mut places = 0..head.len();
    if places.any(|at| head[at].is_ascii_digit() && search.is_at(head, at, true) == Some(true)) {
        return true;
    }
    let ends = memchr_iter(RECORD_END, head).filter(|at| {
        let rest = &head[at + 1..];
        let gap = rest.iter().take_while(|&&byte| is_gap(byte)).count();
        let rest = &rest[gap..];
        is_full_leader(rest, true) == Some(true) || is_short_leader(rest, true) == Some(true)
    });
    ends.take(ENDS).count() == ENDS
}

/// Whether `head` has each of the bytes that separate records, fields and subfields of ISO
/// 2709, which no table has.
fn has_separators(head: &[u8]) -> bool {
    [RECORD_END, FIELD_END, SUBFIELD]
        .iter()
        .all(|&byte| memchr(byte, head).is_some())
}

/// Whether fields of PICA+ are in `head`.
fn has_pica(head: &[u8]) -> bool {
    let is_between = |byte: &u8| matches!(*byte, b'\r' | b'\n' | RECORD_END | FIELD_END);
    let (mut coded, mut plain) = (0, 0);
    for piece in head.split(is_between) {
        match pica::sign(piece) {
            Some([SUBFIELD]) => coded += 1,
            Some(_) => plain += 1,
            None => {}
        }
    }
    coded > 0 || plain >= FIELDS
}

/// Whether lines of MARCBreaker are in `head`.
fn has_mrk(head: &[u8]) -> bool {
    let lines = head.split(|&byte| byte == b'\n');
    lines
        .filter(|line| mrk::is_usual_field(line))
        .take(FIELDS)
        .count()
        == FIELDS
}

/// Whether lines of `head` are objects of JSON.
fn has_objects(head: &[u8]) -> bool {
    let lines = head.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let objects = lines.filter(|line| line.starts_with(b"{\"") && line.ends_with(b"}"));
    objects.take(2).count() == 2
}

/// Returns the format of XML that begins anywhere in `head`.
fn xml(head: &[u8]) -> Option<CatalogFormat> {
    let begins = |at: &usize| {
        let tag = &head[at + 1..];
        let len = tag
            .iter()
            .take_while(|&&byte| byte.is_ascii_alphanumeric() || b"-:_?".contains(&byte));
        let name = &tag[..len.count()];
        let local = name.rsplit(|&byte| byte == b':').next().unwrap_or(name);
        name == b"?xml" || ELEMENTS.contains(&local)
    };
    let at = memchr_iter(b'<', head).find(begins)?;
    of_xml(&head[at..], true)?
}

/// A format that looks like a table, but is not read.
pub(crate) struct UnreadFormat {
    /// The message about such an input.
    pub said: &'static str,
    begins: fn(&[u8]) -> bool,
}

/// The message about a format of this name.
macro_rules! unread {
    ($name:literal, $begins:expr) => {
        UnreadFormat {
            said: concat!(
                "it is ",
                $name,
                ", which is not read: convert it to a format that is, or search it without catalog; \
                 -i csv reads it as a table"
            ),
            begins: $begins,
        }
    };
}

/// The formats that are not read. The first one that fits counts.
const UNREAD: &[UnreadFormat] = &[
    unread!("RIS", |head| has_lines(head, 1, |line| line
        .starts_with(b"TY  - "))),
    unread!("BibTeX", |head| has_lines(head, 1, is_bibtex)),
    unread!("Aleph sequential", |head| has_lines(head, FIELDS, is_aleph)),
    unread!("EndNote", |head| has_lines(head, FIELDS, is_endnote)
        && has_lines(head, 1, |line| line.starts_with(b"%0 "))),
    unread!("MEDLINE", |head| has_lines(head, 1, |line| line
        .starts_with(b"PMID- "))),
    unread!("the format of Web of Science", |head| has_lines(
        head,
        1,
        |line| line.starts_with(b"FN ") || line.starts_with(b"PT ")
    ) && has_lines(
        head,
        1,
        |line| line.trim_ascii_end() == b"ER"
    )),
    UnreadFormat {
        said: "JSON is only read with an object in each line, as `jq -c .` writes it, and `jq -c '.[]'` of an array",
        begins: |head| is_wide_json(head) || is_array_of_objects(head),
    },
];

impl UnreadFormat {
    /// Returns the format that an input begins with, which was taken for a table. A table with a
    /// known name in its header is one, whatever its cells hold.
    pub(crate) fn of(head: &[u8]) -> Option<&'static UnreadFormat> {
        let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
        let head = &head[..head.len().min(SEARCHED)];
        let mut lines = head.split(|&byte| byte == b'\n').map(trimmed);
        let header = lines.find(|line| !line.is_empty())?;
        if has_known_name(header) {
            return None;
        }
        UNREAD.iter().find(|unread| (unread.begins)(head))
    }
}

/// Whether an input has JSON in which no line is an object.
fn is_wide_json(head: &[u8]) -> bool {
    let mut lines = head
        .splitn(3, |&byte| byte == b'\n')
        .map(<[u8]>::trim_ascii);
    let (first, second) = (lines.next(), lines.next());
    let is_begun = matches!(first, Some(b"{" | b"[" | b"[{"));
    is_begun && second.is_some_and(|line| matches!(line, [b'"' | b'{' | b'[', ..]))
}

fn is_array_of_objects(head: &[u8]) -> bool {
    let inner = head.trim_ascii_start().strip_prefix(b"[");
    inner.is_some_and(|inner| inner.trim_ascii_start().starts_with(b"{\""))
}

fn has_lines(head: &[u8], count: usize, is_it: impl Fn(&[u8]) -> bool) -> bool {
    let lines = head.split(|&byte| byte == b'\n');
    lines.filter(|line| is_it(line)).take(count).count() == count
}

/// `@article{key,`
fn is_bibtex(line: &[u8]) -> bool {
    let Some(entry) = line.trim_ascii_start().strip_prefix(b"@") else {
        return false;
    };
    let len = entry
        .iter()
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    (3..=20).contains(&len) && entry[len..].trim_ascii_start().starts_with(b"{")
}

/// `%A Author`
fn is_endnote(line: &[u8]) -> bool {
    matches!(line, [b'%', sign, b' ', ..] if sign.is_ascii_alphanumeric())
}

/// `000000001 24510 L $$aTitle`
fn is_aleph(line: &[u8]) -> bool {
    line.len() > 18
        && line[..9].iter().all(u8::is_ascii_digit)
        && line[9] == b' '
        && line[10..13].iter().all(u8::is_ascii_alphanumeric)
        && &line[15..18] == b" L "
}
