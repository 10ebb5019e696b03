//! Identifiers of persons, works and records with their source in brackets before them:
//! `(DE-588)118540238`, `(OCoLC)ocm12345678`. Each source has the shape of its identifiers,
//! their check digit, and the URI that it defines for them.

use crate::syntax::check_digit::{is_mod_11, is_mod_11_2};

/// The source of an identifier.
///
/// ```
/// use urisieve::catalog::IdentifierSource;
/// assert_eq!(IdentifierSource::of("(DE-588)118540238"), Some((IdentifierSource::Gnd, "118540238")));
/// assert_eq!(IdentifierSource::of("(DE-101)1"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum IdentifierSource {
    /// The Integrated Authority File of the German National Library.
    Gnd,
    /// ISO 27729.
    Isni,
    /// The Open Researcher and Contributor ID.
    Orcid,
    /// The Virtual International Authority File.
    Viaf,
    /// The Research Organization Registry.
    Ror,
    /// Wikidata.
    Wikidata,
    /// The Library of Congress.
    Lccn,
    /// WorldCat.
    Oclc,
    /// Another source of a control number (MARC 035).
    Other,
}

/// Characters of base 32 (Crockford), in which ROR writes numbers.
const BASE_32: &str = "0123456789abcdefghjkmnpqrstvwxyz";

/// A source: its name, the labels in brackets, and its identifiers.
struct SourceRow {
    source: IdentifierSource,
    name: &'static str,
    labels: &'static [&'static str],
    /// The URI of an identifier without the identifier.
    prefix: &'static str,
    /// Returns an identifier as its URI has it; `None` if it has another shape.
    written: fn(&str) -> Option<String>,
    /// Whether the check digit of an identifier with the right shape is right.
    is_right: fn(&str) -> bool,
}

const fn has_no_digit(_: &str) -> bool {
    true
}

/// The sources that are known.
const SOURCES: &[SourceRow] = &[
    SourceRow {
        source: IdentifierSource::Gnd,
        name: "gnd",
        labels: &["DE-588", "gnd"],
        prefix: "https://d-nb.info/gnd/",
        written: gnd,
        // Those with a hyphen have another digit, whose rule is not published.
        is_right: |id| id.contains('-') || is_mod_11(id.as_bytes()),
    },
    SourceRow {
        source: IdentifierSource::Isni,
        name: "isni",
        labels: &["isni"],
        prefix: "https://isni.org/isni/",
        written: sixteen,
        is_right: |id| is_mod_11_2(id.as_bytes()),
    },
    SourceRow {
        source: IdentifierSource::Orcid,
        name: "orcid",
        labels: &["orcid"],
        prefix: "https://orcid.org/",
        written: |id| {
            let digits = sixteen(id)?;
            let groups = [0, 4, 8, 12].map(|at| &digits[at..at + 4]);
            Some(groups.join("-"))
        },
        is_right: |id| is_mod_11_2(id.replace('-', "").as_bytes()),
    },
    SourceRow {
        source: IdentifierSource::Viaf,
        name: "viaf",
        labels: &["viaf"],
        prefix: "http://viaf.org/viaf/",
        written: |id| has(id, digits(1..=22)),
        is_right: has_no_digit,
    },
    SourceRow {
        source: IdentifierSource::Ror,
        name: "ror",
        labels: &["ror"],
        prefix: "https://ror.org/",
        written: |id| {
            let lower = id.to_ascii_lowercase();
            let is_ror = lower.len() == 9
                && lower.starts_with('0')
                && lower.chars().all(|c| BASE_32.contains(c))
                && lower.bytes().skip(7).all(|byte| byte.is_ascii_digit());
            is_ror.then_some(lower)
        },
        is_right: |id| {
            let value = |c| BASE_32.find(c).unwrap_or_default() as u64;
            let number = id[..7].chars().fold(0, |number, c| number * 32 + value(c));
            let digits = 98 - number * 100 % 97;
            id[7..].parse() == Ok(digits)
        },
    },
    SourceRow {
        source: IdentifierSource::Wikidata,
        name: "wikidata",
        labels: &["wikidata", "wd"],
        prefix: "http://www.wikidata.org/entity/",
        written: |id| {
            let number = id.strip_prefix(['Q', 'q'])?;
            has(number, digits(1..=12)).map(|number| format!("Q{number}"))
        },
        is_right: has_no_digit,
    },
    SourceRow {
        source: IdentifierSource::Lccn,
        name: "lccn",
        labels: &["DLC", "lccn"],
        // RFC 4452.
        prefix: "info:lccn/",
        written: |id| {
            let id = id.replace(' ', "").to_ascii_lowercase();
            let letters = id.bytes().take_while(u8::is_ascii_lowercase).count();
            let is_lccn = letters <= 3 && has(&id[letters..], digits(8..=10)).is_some();
            is_lccn.then_some(id)
        },
        is_right: has_no_digit,
    },
    SourceRow {
        source: IdentifierSource::Oclc,
        name: "oclc",
        labels: &["OCoLC"],
        prefix: "http://www.worldcat.org/oclc/",
        written: |id| {
            let mut prefixes = ["ocm", "ocn", "on"].into_iter();
            let number = prefixes.find_map(|prefix| id.strip_prefix(prefix));
            let number = has(number.unwrap_or(id), digits(1..=14))?;
            let number = number.trim_start_matches('0');
            (!number.is_empty()).then(|| number.to_owned())
        },
        is_right: has_no_digit,
    },
];

fn digits(count: std::ops::RangeInclusive<usize>) -> impl Fn(&str) -> bool {
    move |text| count.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn has(id: &str, is_it: impl Fn(&str) -> bool) -> Option<String> {
    is_it(id).then(|| id.to_owned())
}

/// `118540238`, `4027242-4`
fn gnd(id: &str) -> Option<String> {
    let id = id.to_ascii_uppercase();
    let (head, last) = id.split_at_checked(id.len().checked_sub(1)?)?;
    let is_check = last == "X" || last.bytes().all(|byte| byte.is_ascii_digit());
    let number = head.strip_suffix('-');
    let is_number = match number {
        Some(number) => digits(1..=8)(number),
        None => digits(8..=9)(head) && head.starts_with(['1', '3']),
    };
    (is_check && is_number && !head.starts_with('0')).then_some(id)
}

/// Sixteen digits, the last of which may be X, with hyphens or blanks between groups.
fn sixteen(id: &str) -> Option<String> {
    let plain = id.replace(['-', ' '], "").to_ascii_uppercase();
    let is_number = |text: &str| {
        let (head, last) = text.split_at(15);
        digits(15..=15)(head) && (last == "X" || digits(1..=1)(last))
    };
    (plain.len() == 16 && plain.is_ascii() && is_number(&plain)).then_some(plain)
}

impl IdentifierSource {
    /// Returns the source that a value states, and the identifier.
    ///
    /// ```
    /// use urisieve::catalog::IdentifierSource;
    /// assert_eq!(IdentifierSource::of("(orcid)0000-0002-1694-233X").unwrap().0.name(), "orcid");
    /// ```
    pub fn of(value: &str) -> Option<(IdentifierSource, &str)> {
        let (label, id) = labelled(value)?;
        let is_it = |source: &&SourceRow| {
            source
                .labels
                .iter()
                .any(|known| label.eq_ignore_ascii_case(known))
        };
        SOURCES.iter().find(is_it).map(|row| (row.source, id))
    }

    /// Returns the same for a control number, which may have any source.
    #[cfg(feature = "marc")]
    pub(super) fn of_control_number(value: &str) -> Option<(IdentifierSource, &str)> {
        let other = || labelled(value).map(|(_, id)| (IdentifierSource::Other, id));
        IdentifierSource::of(value).or_else(other)
    }

    /// Returns the name of the source.
    ///
    /// ```
    /// assert_eq!(urisieve::catalog::IdentifierSource::Oclc.name(), "oclc");
    /// ```
    pub fn name(self) -> &'static str {
        self.source().map_or("control-number", |source| source.name)
    }

    fn source(self) -> Option<&'static SourceRow> {
        SOURCES.iter().find(|row| row.source == self)
    }

    /// Returns the URI of an identifier; `None` if its shape is wrong, or the source has none.
    ///
    /// ```
    /// use urisieve::catalog::IdentifierSource;
    /// let uri = IdentifierSource::Oclc.uri("ocm00012345");
    /// assert_eq!(uri.as_deref(), Some("http://www.worldcat.org/oclc/12345"));
    /// assert_eq!(IdentifierSource::Gnd.uri("x"), None);
    /// ```
    pub fn uri(self, id: &str) -> Option<String> {
        let source = self.source()?;
        let written = (source.written)(id)?;
        Some(format!("{}{written}", source.prefix))
    }

    /// Returns the code of what is wrong with an identifier, if something is: its shape or its
    /// check digit.
    pub(super) fn defect(self, id: &str) -> Option<&'static str> {
        let source = self.source()?;
        match (source.written)(id) {
            None => Some("id-shape"),
            Some(written) if !(source.is_right)(&written) => Some("id-check"),
            Some(_) => None,
        }
    }
}

/// Returns the label and the identifier of `(label)identifier`.
fn labelled(value: &str) -> Option<(&str, &str)> {
    let (label, id) = value.trim().strip_prefix('(')?.split_once(')')?;
    let id = id.trim();
    let is_label = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/' | '.');
    let is_labelled = !label.is_empty() && label.chars().all(is_label) && !id.is_empty();
    is_labelled.then_some((label, id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_have_their_uris_and_defects() {
        for (value, name, uri, defect) in [
            (
                "(DE-588)118540238",
                "gnd",
                "https://d-nb.info/gnd/118540238",
                None,
            ),
            (
                "(DE-588)118540239",
                "gnd",
                "https://d-nb.info/gnd/118540239",
                Some("id-check"),
            ),
            (
                "(DE-588)4027242-4",
                "gnd",
                "https://d-nb.info/gnd/4027242-4",
                None,
            ),
            ("(DE-588)Goethe", "gnd", "", Some("id-shape")),
            (
                "(isni)0000 0001 2103 2683",
                "isni",
                "https://isni.org/isni/0000000121032683",
                None,
            ),
            (
                "(ISNI)0000000121032684",
                "isni",
                "https://isni.org/isni/0000000121032684",
                Some("id-check"),
            ),
            (
                "(orcid)000000021694233X",
                "orcid",
                "https://orcid.org/0000-0002-1694-233X",
                None,
            ),
            (
                "(orcid)0000-0002-1694-2330",
                "orcid",
                "https://orcid.org/0000-0002-1694-2330",
                Some("id-check"),
            ),
            (
                "(viaf)24602065",
                "viaf",
                "http://viaf.org/viaf/24602065",
                None,
            ),
            ("(ror)00cvxb145", "ror", "https://ror.org/00cvxb145", None),
            (
                "(ror)00cvxb146",
                "ror",
                "https://ror.org/00cvxb146",
                Some("id-check"),
            ),
            (
                "(wikidata)Q5879",
                "wikidata",
                "http://www.wikidata.org/entity/Q5879",
                None,
            ),
            ("(wikidata)5879", "wikidata", "", Some("id-shape")),
            ("(DLC)n  79003362", "lccn", "info:lccn/n79003362", None),
            (
                "(OCoLC)ocm00012345",
                "oclc",
                "http://www.worldcat.org/oclc/12345",
                None,
            ),
            ("(OCoLC)x", "oclc", "", Some("id-shape")),
            ("(DE-599)DNB1", "control-number", "", None),
        ] {
            let (authority, id) = IdentifierSource::of_control_number(value).unwrap();
            let found = authority.uri(id).unwrap_or_default();
            assert_eq!(
                (authority.name(), &*found, authority.defect(id)),
                (name, uri, defect),
                "{value}"
            );
        }
        for value in ["118540238", "(DE-588)", "()1", "(a b)c", "(DE-588", "é", ""] {
            assert_eq!(IdentifierSource::of_control_number(value), None, "{value}");
        }
        for source in SOURCES {
            for id in ["", "é", "ééééééééé", "0000000000000é", "-", "X", "Q"] {
                assert_eq!(source.source.uri(id), None, "{} {id}", source.name);
            }
        }
    }
}
