//! The fields that hold identifiers and links, in one table: the default fields of
//! `catalog`, and the values that are references.

use super::headings;
use super::record::RecordRules;
use super::role::FieldRole;
use std::sync::LazyLock;

/// Subfields of some tags with the same role.
///
/// ```
/// use urisieve::decode::DEFAULT_FIELDS;
/// assert!(DEFAULT_FIELDS.iter().any(|field| field.tags == "856 857" && field.codes == "u g"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DefaultField {
    /// The rules of the records.
    pub rules: RecordRules,
    /// Tags, with `X` for any digit and `-` for a range; `*` is every tag.
    pub tags: &'static str,
    /// Codes; `-` is a field without subfields.
    pub codes: &'static str,
    /// The kind of value in these subfields.
    pub role: FieldRole,
}

const fn row(
    rules: RecordRules,
    tags: &'static str,
    codes: &'static str,
    role: FieldRole,
) -> DefaultField {
    DefaultField {
        rules,
        tags,
        codes,
        role,
    }
}

use FieldRole as Role;
use RecordRules::{DublinCore, Marc21, Mods, Pica, Table, Unimarc};

/// The fields of each format. The first row that fits counts.
///
/// ```
/// use urisieve::decode::{DEFAULT_FIELDS, RecordRules};
/// assert!(DEFAULT_FIELDS.iter().any(|field| field.rules == RecordRules::Pica));
/// ```
pub const DEFAULT_FIELDS: &[DefaultField] = &[
    row(Marc21, "856 857", "u g", Role::Uri),
    row(Marc21, "856 857", "h", Role::DeadUri),
    row(Marc21, "031 361 370 381 5XX 852 883 884", "u", Role::Uri),
    row(Marc21, "*", "0 1", Role::MaybeUri),
    row(Marc21, "020", "a", Role::Isbn),
    row(Marc21, "020", "z", Role::WrongIsbn),
    row(Marc21, "022", "a l", Role::Issn),
    row(Marc21, "022", "m y z", Role::WrongIssn),
    row(Marc21, "023", "a", Role::Issn),
    row(Marc21, "023", "z", Role::WrongIssn),
    row(Marc21, "024", "a z", Role::Number),
    row(Marc21, "490 76X-78X", "x", Role::Issn),
    row(Marc21, "76X-78X", "z", Role::Isbn),
    row(Marc21, "856 857", "z", Role::Note),
    row(Marc21, "856 857", "x", Role::Text),
    row(Marc21, "856 857", "y", Role::LinkText),
    row(Marc21, "856 857", "3", Role::Materials),
    row(Unimarc, "856", "u", Role::Uri),
    row(Unimarc, "003", "-", Role::Uri),
    row(Unimarc, "033", "a", Role::Uri),
    row(Unimarc, "3XX 4XX", "u", Role::Uri),
    row(Unimarc, "010", "a", Role::Isbn),
    row(Unimarc, "010", "z", Role::WrongIsbn),
    row(Unimarc, "011", "a f", Role::Issn),
    row(Unimarc, "011", "g y z", Role::WrongIssn),
    row(Unimarc, "017", "a", Role::Number),
    row(Unimarc, "225 4XX", "x", Role::Issn),
    row(Unimarc, "4XX", "y", Role::Isbn),
    row(Unimarc, "856", "z", Role::Note),
    row(Unimarc, "856", "2", Role::LinkText),
    row(Pica, "017C 017D 017G 017H 017M 017R", "u", Role::Uri),
    row(Pica, "017F", "u", Role::DeadUri),
    row(Pica, "009Y", "a", Role::Uri),
    row(Pica, "009Q", "u", Role::Uri),
    row(Pica, "004U", "0", Role::Urn),
    row(Pica, "004V 004W", "0", Role::Doi),
    row(Pica, "004R", "0", Role::Handle),
    row(Pica, "004A 004J 004P", "0", Role::Isbn),
    row(Pica, "004D 004K", "0", Role::WrongIsbn),
    row(Pica, "005A 005I 005P", "0", Role::Issn),
    row(Pica, "005B", "0", Role::WrongIssn),
    row(Pica, "017C", "z", Role::Note),
    row(Pica, "017C", "x", Role::Text),
    row(Pica, "017C", "y", Role::LinkText),
    row(Pica, "017C", "3", Role::Materials),
    row(Mods, "location/url", "-", Role::Uri),
    row(Mods, "*", "xlink:href", Role::Uri),
    row(Mods, "identifier relatedItem/identifier", "-", Role::Number),
    row(Mods, "note", "-", Role::Note),
    row(
        DublinCore,
        "identifier relation source",
        "-",
        Role::MaybeUri,
    ),
    row(
        Table,
        "print_identifier online_identifier",
        "-",
        Role::BookOrSerial,
    ),
    row(Table, "url uri link", "-", Role::Uri),
    row(Table, "urn", "-", Role::Urn),
    row(Table, "doi", "-", Role::Doi),
    row(Table, "isbn", "-", Role::Isbn),
    row(Table, "issn", "-", Role::Issn),
    row(Table, "*", "-", Role::MaybeUri),
];

/// Returns the role of the subfield with this code; `None` for a text.
///
/// ```
/// use urisieve::decode::{FieldRole, RecordRules, field_role};
/// assert_eq!(field_role(RecordRules::Marc21, b"776", b"x"), Some(FieldRole::Issn));
/// assert_eq!(field_role(RecordRules::Unimarc, b"003", b""), Some(FieldRole::Uri));
/// assert_eq!(field_role(RecordRules::Marc21, b"100", b"u"), None);
/// ```
pub fn field_role(rules: RecordRules, tag: &[u8], code: &[u8]) -> Option<FieldRole> {
    let code: &[u8] = if code.is_empty() { b"-" } else { code };
    if rules == Table {
        return Some(headings::role(tag).unwrap_or(FieldRole::MaybeUri));
    }
    let rows = &ROLE_INDEX[rules as usize];
    let (rows, is_one) = match code {
        [code @ 0..128] => (&rows.of_byte[usize::from(*code)], true),
        _ => (&rows.others, false),
    };
    let fits = |row: &&IndexedRole| row.tags.has(tag) && (is_one || row.code == code);
    rows.iter().find(fits).map(|row| row.role)
}

/// The rows of the table by their rules.
static ROLE_INDEX: LazyLock<[RoleIndex; RULES]> = LazyLock::new(|| {
    let mut index = std::array::from_fn(|_| RoleIndex::default());
    for row in DEFAULT_FIELDS {
        for code in row.codes.split(' ').map(str::as_bytes) {
            let of_rules = &mut index[row.rules as usize];
            let rows = match code {
                [code @ 0..128] => &mut of_rules.of_byte[usize::from(*code)],
                _ => &mut of_rules.others,
            };
            let tags = row.tags.split(' ').map(str::as_bytes);
            rows.extend(tags.map(|tags| IndexedRole {
                tags: TagPattern::new(tags),
                code,
                role: row.role,
            }));
        }
    }
    index
});

/// The number of rules.
const RULES: usize = Table as usize + 1;

/// The rows for the records of some rules, in the order of the table.
struct RoleIndex {
    /// By codes of one byte.
    of_byte: [Vec<IndexedRole>; 128],
    others: Vec<IndexedRole>,
}

impl Default for RoleIndex {
    fn default() -> RoleIndex {
        RoleIndex {
            of_byte: std::array::from_fn(|_| Vec::new()),
            others: Vec::new(),
        }
    }
}

/// A pattern of tags, and the role of a code in them.
struct IndexedRole {
    tags: TagPattern,
    code: &'static [u8],
    role: FieldRole,
}

/// Tags: all, some of three bytes, or a path.
enum TagPattern {
    All,
    /// Tags whose bytes in `mask`, the first one highest, are a number from `from` to `to`. The
    /// other bytes, at `X` in the pattern, are digits.
    Short {
        mask: u32,
        from: u32,
        to: u32,
    },
    Path(&'static [u8]),
}

impl TagPattern {
    /// Reads a tag, a pattern with `X` for any digit, or two patterns with `-` between them.
    fn new(pattern: &'static [u8]) -> TagPattern {
        let (from, to) = match memchr::memchr(b'-', pattern) {
            Some(at) => (&pattern[..at], &pattern[at + 1..]),
            None => (pattern, pattern),
        };
        let short = <[u8; 3]>::try_from;
        match (short(from), short(to)) {
            _ if pattern == b"*" => TagPattern::All,
            (Ok(from), Ok(to)) => {
                let mask = short_tag(&from.map(|byte| if byte == b'X' { 0 } else { 0xFF }));
                TagPattern::Short {
                    mask,
                    from: short_tag(&from) & mask,
                    to: short_tag(&to) & mask,
                }
            }
            _ => TagPattern::Path(pattern),
        }
    }

    /// Whether `tag` matches the pattern.
    #[inline]
    fn has(&self, tag: &[u8]) -> bool {
        match self {
            TagPattern::All => true,
            TagPattern::Short { mask, from, to } => tag.try_into().is_ok_and(|tag: &[u8; 3]| {
                (from..=to).contains(&&(short_tag(tag) & mask))
                    && (*mask == WHOLE && from == to || tag.iter().all(u8::is_ascii_digit))
            }),
            TagPattern::Path(path) => tag == *path,
        }
    }
}

/// The mask of a pattern without `X`.
const WHOLE: u32 = 0xFF_FFFF;

/// The bytes of a tag as a number.
#[inline]
fn short_tag(tag: &[u8; 3]) -> u32 {
    let [a, b, c] = *tag;
    u32::from_be_bytes([0, a, b, c])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table that is printed agrees with the names that are read.
    #[test]
    fn names_of_columns_are_those_of_the_table() {
        for row in DEFAULT_FIELDS.iter().filter(|row| row.rules == Table) {
            for name in row.tags.split(' ') {
                assert_eq!(
                    field_role(Table, name.as_bytes(), b""),
                    Some(row.role),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn patterns_of_tags() {
        for (pattern, tag, wanted) in [
            ("5XX", "506", true),
            ("5XX", "50A", false),
            ("76X-78X", "776", true),
            ("76X-78X", "759", false),
            ("76X-78X", "790", false),
            ("76X-78X", "77", false),
            ("008-012", "010", true),
            ("008-012", "00:", false),
            ("017C", "017C", true),
            ("*", "abc", true),
        ] {
            assert_eq!(
                TagPattern::new(pattern.as_bytes()).has(tag.as_bytes()),
                wanted,
                "{pattern} {tag}"
            );
        }
    }
}
