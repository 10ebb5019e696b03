//! The rows of the public suffix list as a table, which is made from the list's text at the
//! first question.
//!
//! A name is looked up from its last label on. Each name of a row, and each end of such a name
//! at a dot, has an entry with marks, so that the walk ends at the first name that no row
//! continues: `www.a.co.uk` takes a look at `uk`, `co.uk` and `a.co.uk`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The list, as it is published. Another one is put in its place as it is.
const TEXT: &str = include_str!("public_suffix_list.dat");
const COMMENT: &str = "//";
const PRIVATE: &str = "// ===BEGIN PRIVATE DOMAINS===";

/// The name is a suffix: `co.uk`.
const SUFFIX: u8 = 1;
/// Each name with one more label is a suffix: `*.ck`.
const WILDCARD: u8 = 2;
/// The name is a domain in spite of an asterisk: `!www.ck`.
const EXCEPTION: u8 = 4;
/// A row has more labels.
const LONGER: u8 = 8;

/// The sections of the list that count.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sections {
    Icann,
    All,
}

/// The marks of a name by the section of ICANN, and by all sections.
type SuffixMarks = [u8; 2];
type SuffixTable = HashMap<Cow<'static, [u8]>, SuffixMarks, ahash::RandomState>;

static TABLE: LazyLock<SuffixTable> = LazyLock::new(|| {
    // The text has a row in 32 bytes.
    let mut table =
        SuffixTable::with_capacity_and_hasher(TEXT.len() / 32, ahash::RandomState::new());
    let mut sections: &[Sections] = &[Sections::Icann, Sections::All];
    for line in TEXT.lines() {
        if line == PRIVATE {
            sections = &[Sections::All];
        }
        if line.is_empty() || line.starts_with(COMMENT) {
            continue;
        }
        let (name, mark) = if let Some(name) = line.strip_prefix("*.") {
            (name, WILDCARD | LONGER)
        } else if let Some(name) = line.strip_prefix('!') {
            (name, EXCEPTION)
        } else {
            (line, SUFFIX)
        };
        add(&mut table, Cow::Borrowed(name.as_bytes()), mark, sections);
        if !name.is_ascii() {
            let encoded = idna::domain_to_ascii(name).unwrap_or_default();
            add(&mut table, Cow::Owned(encoded.into_bytes()), mark, sections);
        }
    }
    table
});

/// Marks `name`, and its ends as names that a row continues.
fn add(table: &mut SuffixTable, name: Cow<'static, [u8]>, mark: u8, sections: &[Sections]) {
    let mut mark_name = |name, mark| {
        let marks = table.entry(name).or_default();
        for &section in sections {
            marks[section as usize] |= mark;
        }
    };
    for dot in memchr::memchr_iter(b'.', &name) {
        let end = match &name {
            Cow::Borrowed(name) => Cow::Borrowed(&name[dot + 1..]),
            Cow::Owned(name) => Cow::Owned(name[dot + 1..].to_owned()),
        };
        mark_name(end, LONGER);
    }
    mark_name(name, mark);
}

/// Returns the marks of a name, which is in lower case; none if it has no entry.
fn marks(name: &[u8], sections: Sections) -> u8 {
    TABLE.get(name).map_or(0, |marks| marks[sections as usize])
}

/// Whether the label, in lower case, is the last one of a row in the section of ICANN.
pub(super) fn has_last(label: &[u8]) -> bool {
    marks(label, Sections::Icann) != 0
}

/// Returns the offset in `name`, which is in lower case, at which its suffix begins: by the
/// longest row that matches, an exception before others. Without one the last label is the
/// suffix.
pub(super) fn suffix_start(name: &[u8], sections: Sections) -> usize {
    let mut found = name.len();
    // The rule `*`.
    let mut above = WILDCARD;
    let mut end = name.len();
    loop {
        let dot = name[..end].iter().rposition(|&byte| byte == b'.');
        let start = dot.map_or(0, |dot| dot + 1);
        let marks = marks(&name[start..], sections);
        if marks & EXCEPTION != 0 {
            return end + 1;
        }
        // A wildcard matches no empty label.
        let has_label = start < end;
        if marks & SUFFIX != 0 || above & WILDCARD != 0 && has_label {
            found = start;
        }
        if marks & LONGER == 0 || start == 0 {
            return found;
        }
        (above, end) = (marks, start - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The algorithm of publicsuffix.org, from the longest end of a name to the shortest.
    fn by_rules(name: &str, rules: &HashSet<String>) -> usize {
        let dots = name.match_indices('.').map(|(dot, _)| dot + 1);
        let starts: Vec<usize> = std::iter::once(0).chain(dots).collect();
        for (place, &start) in starts.iter().enumerate() {
            let rest = starts.get(place + 1);
            let rest = rest.map_or("", |&rest| &name[rest..]);
            if rules.contains(&format!("!{}", &name[start..])) {
                return name.len() - rest.len();
            }
            if rules.contains(&name[start..]) || rules.contains(&format!("*.{rest}")) {
                return start;
            }
        }
        *starts.last().unwrap()
    }

    #[test]
    fn names_about_each_row_have_the_suffix_of_the_rules() {
        let (icann, _) = TEXT.split_once(PRIVATE).unwrap();
        for (sections, text) in [(Sections::Icann, icann), (Sections::All, TEXT)] {
            let is_rule = |line: &&str| !line.is_empty() && !line.starts_with(COMMENT);
            let rows = text.lines().filter(is_rule);
            let encoded = |row: &str| match row.is_ascii() {
                true => None,
                false => idna::domain_to_ascii(row).ok(),
            };
            let rules = rows.flat_map(|row| [Some(row.to_owned()), encoded(row)]);
            let rules: HashSet<String> = rules.flatten().collect();
            assert!(rules.len() > 6_000);
            for row in &rules {
                let name = row.trim_start_matches(['!', '*', '.']);
                for prefix in ["", "a.", "b.a.", "c.b.a.", "mtls.", "www."] {
                    let name = format!("{prefix}{name}");
                    let found = suffix_start(name.as_bytes(), sections);
                    assert_eq!(found, by_rules(&name, &rules), "{name}");
                }
            }
        }
    }
}
