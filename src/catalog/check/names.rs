//! Names: DOIs, URNs, numbers with a check digit, and addresses in notes.

use super::super::authority::IdentifierSource;
use super::draft::Draft;
use super::expected::ExpectedValue;
use crate::canonicalize::namespace;
use crate::engine::{find, problems_of};
use crate::item::Problem;
use crate::syntax::Components;

/// Whether `name` is a DOI: `10.`, a registrant, `/` and a name.
pub(super) fn is_doi(name: &str) -> bool {
    let Some((registrant, suffix)) = name
        .strip_prefix("10.")
        .and_then(|rest| rest.split_once('/'))
    else {
        return false;
    };
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    let mut parts = registrant.split('.');
    let first = parts.next().unwrap_or_default();
    let rest = &registrant[first.len()..];
    let is_book = matches!(first, "978" | "979")
        && rest.len() > 1
        && is_number(&rest[1..])
        && (2..=8).contains(&rest[1..].len());
    !suffix.is_empty()
        && is_number(first)
        && parts.all(is_number)
        && (is_book || (4..=9).contains(&first.len()))
}

/// in-note
pub(super) fn note(draft: &mut Draft) {
    if find(&*draft.value).next().is_some() {
        draft.hit("in-note", None);
    }
}

/// Returns the number at the start of a value: it ends at a blank, `(`, `:` or `;`.
pub(in crate::catalog) fn number_of(value: &str) -> &str {
    let ends = |c: char| matches!(c, ' ' | '\t' | '\u{A0}' | '(' | ':' | ';');
    // Most numbers are of ASCII.
    let found = |byte: u8| !byte.is_ascii() || ends(char::from(byte));
    let end = match value.bytes().position(found) {
        Some(at) if !value.as_bytes()[at].is_ascii() => value.find(ends),
        end => end,
    };
    &value[..end.unwrap_or(value.len())]
}

/// isbn-*, issn-*: the number in its own field.
pub(super) fn number(draft: &mut Draft, nid: &[u8]) {
    for defect in namespace::defects(nid, number_of(&draft.value).as_bytes()) {
        draft.hit(defect.code(), None);
    }
}

/// id-shape, id-check: the identifier behind its source.
pub(super) fn authority(draft: &mut Draft) {
    let defect =
        IdentifierSource::of(&draft.value).and_then(|(authority, id)| authority.defect(id));
    if let Some(code) = defect {
        draft.hit(code, None);
    }
}

/// doi-shape: the name in its own field.
pub(super) fn name(draft: &mut Draft) {
    if draft.expected == ExpectedValue::Doi && !is_doi(&draft.value) {
        draft.hit("doi-shape", None);
    }
}

/// Whether the path of a URL with this host is a DOI.
pub(super) fn is_doi_host(host: &[u8]) -> bool {
    let hosts = ["doi.org", "dx.doi.org", "www.doi.org"];
    hosts
        .iter()
        .any(|name| host.eq_ignore_ascii_case(name.as_bytes()))
}

/// doi-shape
pub(super) fn doi(draft: &mut Draft) {
    if draft.expected == ExpectedValue::Cancelled {
        return;
    }
    let value = draft.value.clone();
    let bytes = value.as_bytes();
    let parts = Components::parse(bytes);
    let is_scheme = |name: &str| {
        parts
            .scheme(bytes)
            .is_some_and(|s| s.eq_ignore_ascii_case(name.as_bytes()))
    };
    let start = if is_scheme("doi") {
        "doi:".len()
    } else if is_scheme("http") || is_scheme("https") {
        let host = parts.host(bytes).unwrap_or_default();
        let path = parts.path(bytes);
        let begins = path.len() > 1 && path[1].is_ascii_digit()
            || path.len() > 3 && path[1..4].eq_ignore_ascii_case("doi".as_bytes());
        if !is_doi_host(host) || !begins {
            return;
        }
        parts.path_range().start + 1
    } else {
        return;
    };
    let (head, name) = value.split_at(start);
    let name = name.replace("%2F", "/").replace("%2f", "/");
    if is_doi(&name) {
        return;
    }
    let mut rest = &*name;
    while let Some(label) = rest
        .get(..4)
        .filter(|label| label.eq_ignore_ascii_case("doi:"))
    {
        rest = rest[label.len()..].trim_start();
    }
    let repaired = (rest.len() < name.len() && is_doi(rest)).then(|| format!("{head}{rest}"));
    draft.hit("doi-shape", repaired);
}

/// bad-urn and the rows after it, as `explain` reports them.
pub(super) fn urn(draft: &mut Draft) {
    if draft.expected == ExpectedValue::Cancelled {
        return;
    }
    // The code of a wrong character describes the defect better.
    let characters = [
        "control-char",
        "trailing-punct",
        "char-reference",
        "blank-inside",
        "bad-char",
        "unencoded-bracket",
        "non-ascii",
        "bad-percent",
    ];
    let is_reported = draft.has(&characters);
    for problem in problems_of(draft.value.as_bytes()).iter() {
        let is_doubled = matches!(problem, Problem::BadUrn | Problem::NbnShape) && is_reported;
        if problem >= Problem::BadUrn && !is_doubled {
            draft.hit(problem.code(), None);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_ends_before_its_remark() {
        for (value, number) in [
            ("0451450523", "0451450523"),
            ("0451450523 (pbk.)", "0451450523"),
            ("0451450523\u{A0}(pbk.)", "0451450523"),
            ("045\u{C0}1:2", "045\u{C0}1"),
            ("045\u{C0}\u{A0}2", "045\u{C0}"),
            ("1;2", "1"),
            ("", ""),
        ] {
            assert_eq!(number_of(value), number, "{value}");
        }
    }
}
