//! The names of columns that hold identifiers: compared without case, plural and the signs
//! between words, with words that qualify them.

use super::role::FieldRole;

/// Longer names, and names of more words, are not compared.
const NAME_MAX: usize = 64;
const WORDS_MAX: usize = 5;

/// The words for each kind of identifier, in the singular. The first kind that a name has
/// counts: a link to a DOI is a DOI.
const KINDS: [(FieldRole, &[&str]); 5] = [
    (FieldRole::Doi, &["doi"]),
    (FieldRole::Urn, &["urn"]),
    (
        FieldRole::Isbn,
        &["isbn", "eisbn", "pisbn", "isbn10", "isbn13"],
    ),
    (
        FieldRole::Issn,
        &["issn", "eissn", "pissn", "issnl", "lissn"],
    ),
    (
        FieldRole::Uri,
        &[
            "url",
            "uri",
            "link",
            "weblink",
            "hyperlink",
            "permalink",
            "href",
        ],
    ),
];

/// Words that may follow the name of a kind.
const QUALIFIERS: [&str; 14] = [
    "10",
    "13",
    "e",
    "p",
    "l",
    "link",
    "url",
    "number",
    "no",
    "print",
    "online",
    "electronic",
    "paper",
    "digital",
];

/// Columns of KBART that hold ISBNs or ISSNs.
const KBART: [[&str; 2]; 2] = [["print", "identifier"], ["online", "identifier"]];

/// Returns the role of a column by its name, of a value of JSON by the last name of its path;
/// `None` where the name says nothing.
pub(super) fn role(name: &[u8]) -> Option<FieldRole> {
    if name.len() > NAME_MAX {
        return None;
    }
    let is_sign = |byte: &u8| matches!(byte, b' ' | b'_' | b'-' | b'(' | b')');
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || is_sign(byte);
    if !name.iter().all(|byte| is_of_name(byte) || *byte == b'/') {
        return None;
    }
    let name = name.rsplit(|&byte| byte == b'/').next().unwrap_or(name);
    let lower = name.to_ascii_lowercase();
    let lower = std::str::from_utf8(&lower).unwrap_or_default();
    let words: Vec<&str> = lower
        .split(|c: char| is_sign(&(c as u8)))
        .filter(|word| !word.is_empty())
        .map(singular)
        .collect();
    if words.len() > WORDS_MAX {
        return None;
    }
    if KBART.iter().any(|names| names[..] == words[..]) {
        return Some(FieldRole::BookOrSerial);
    }
    let (first, others) = words.split_first()?;
    let is_qualified = others.iter().all(|word| QUALIFIERS.contains(word));
    let has = |known: &[&str], word: &str| known.contains(&word);
    let found = KINDS.iter().find(|(_, known)| {
        words.last().is_some_and(|last| has(known, last)) || is_qualified && has(known, first)
    });
    found.map(|(role, _)| *role)
}

/// Whether two names of columns are the same but for case, plural and signs.
pub(crate) fn is_same_column(a: &[u8], b: &[u8]) -> bool {
    let plain = |name: &[u8]| {
        let kept = name
            .iter()
            .filter(|byte| !matches!(byte, b' ' | b'_' | b'-'));
        let mut kept: Vec<u8> = kept.map(u8::to_ascii_lowercase).collect();
        if kept.len() > 3 && kept.ends_with(b"s") {
            kept.pop();
        }
        kept
    };
    a == b || plain(a) == plain(b)
}

fn singular(word: &str) -> &str {
    word.strip_suffix('s')
        .filter(|rest| rest.len() > 2)
        .unwrap_or(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_columns_have_their_roles() {
        use FieldRole::{BookOrSerial, Doi, Isbn, Issn, Uri, Urn};
        for (name, wanted) in [
            ("url", Some(Uri)),
            ("URLs", Some(Uri)),
            ("title_url", Some(Uri)),
            ("Full text link", Some(Uri)),
            ("Online ISSN", Some(Issn)),
            ("eissn", Some(Issn)),
            ("ISSN (print)", Some(Issn)),
            ("ISBN-13", Some(Isbn)),
            ("isbn13", Some(Isbn)),
            ("ISBNs", Some(Isbn)),
            ("DOI link", Some(Doi)),
            ("URN", Some(Urn)),
            ("print_identifier", Some(BookOrSerial)),
            ("online_identifier", Some(BookOrSerial)),
            ("metadata/uri", Some(Uri)),
            ("link text", None),
            ("title_id", None),
            ("identifier", None),
            ("http://a.example/url", None),
            ("", None),
        ] {
            assert_eq!(role(name.as_bytes()), wanted, "{name}");
        }
        assert!(is_same_column(b"Title URLs", b"title_url") && !is_same_column(b"a", b"b"));
    }
}
