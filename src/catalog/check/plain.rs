//! A proof that no row of the table finds anything in a value: most addresses and DOIs of
//! a catalogue are right, and running every row over them would take most of the time.
//! Values without this proof are left to the rows.

use super::expected::ExpectedValue;
use super::{address, names, place};
use crate::canonicalize::resolver;
use crate::syntax::steps;

/// Returns whether no row finds anything in `value`, which has no blanks around it. Such
/// a value is `http://` or `https://`, a host with a dot, and bytes that no row searches
/// for; or a DOI of letters, digits and a few signs.
pub(super) fn is_right(value: &str, expected: ExpectedValue) -> bool {
    if !has_rows_of_addresses(expected) {
        return false;
    }
    if expected == ExpectedValue::Doi && is_plain_name(value) {
        return names::is_doi(value);
    }
    let rest = value.strip_prefix("http");
    let rest = rest.map(|rest| rest.strip_prefix('s').unwrap_or(rest));
    let Some(rest) = rest.and_then(|rest| rest.strip_prefix("://")) else {
        return false;
    };
    steps::count(rest.len());
    let len = rest.bytes().take_while(|&byte| class(byte) & HOST != 0);
    let (host, after) = rest.split_at(len.count());
    let begins_part = matches!(after.as_bytes(), [] | [b'/' | b'?' | b'#', ..]);
    if !begins_part || !address::is_plain_host(host) {
        return false;
    }
    let all = after.bytes().fold(ALL, |all, byte| all & class(byte));
    let ends = rest
        .bytes()
        .next_back()
        .is_some_and(|b| class(b) & END != 0);
    let is_doi_host = names::is_doi_host(host.as_bytes());
    all & REST != 0
        && ends
        && !address::may_log_in(after)
        && memchr::memchr_iter(b'#', after.as_bytes()).nth(1).is_none()
        && !place::has_session(after)
        && memchr::memchr_iter(b'%', after.as_bytes())
            .all(|at| is_usual(&after.as_bytes()[at + 1..]))
        && (!resolver::is_built_in(host) && !is_doi_host
            || names::is_doi(after.get(1..).unwrap_or("")) && is_doi_host)
}

/// Whether a name has no scheme, and neither signs at its ends nor bytes that a row searches for.
fn is_plain_name(name: &str) -> bool {
    let is_plain =
        |byte: u8| matches!(byte, b'-' | b'.' | b'/' | b'_') || byte.is_ascii_alphanumeric();
    let ends = name
        .as_bytes()
        .last()
        .is_some_and(u8::is_ascii_alphanumeric);
    ends && name.starts_with("10.") && name.bytes().all(is_plain)
}

/// Whether the digits of `%` before `rest` are those of a byte that no row searches for, which
/// are `%`, `_` and `~`.
fn is_usual(rest: &[u8]) -> bool {
    let digits = rest.first_chunk::<2>();
    let is_named = |digits: &[u8; 2]| matches!(digits, b"25" | b"5F" | b"5f" | b"7E" | b"7e");
    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit) && !is_named(digits))
}

/// Whether the rows of addresses are run, and no others.
fn has_rows_of_addresses(expected: ExpectedValue) -> bool {
    match expected {
        ExpectedValue::Uri | ExpectedValue::Doi | ExpectedValue::Name => true,
        ExpectedValue::Subfield => true,
        ExpectedValue::Cancelled => true,
        ExpectedValue::Isbn | ExpectedValue::Issn | ExpectedValue::Note => false,
        ExpectedValue::Authority => false,
    }
}

/// The places of a byte at which no row searches for it: in the host, after it, at the
/// end. `:` begins a second address or a port, `;` ends a character reference, `@` the user:
/// these have no place.
const HOST: u8 = 1;
const REST: u8 = 2;
const END: u8 = 4;
const ALL: u8 = HOST | REST | END;

fn class(byte: u8) -> u8 {
    static CLASS: [u8; 256] = {
        let mut table = [0; 256];
        let mut byte = 0;
        while byte < 128 {
            table[byte] = match byte as u8 {
                b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' => ALL,
                b'-' => ALL,
                b'.' => HOST | REST,
                b'/' | b'_' | b'~' | b'=' => REST | END,
                b'%' | b'?' | b'#' | b'&' | b'+' | b',' | b'(' | b')' | b'!' | b'$' | b'*' => REST,
                _ => 0,
            };
            byte += 1;
        }
        table
    };
    CLASS[usize::from(byte)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::check::draft::Draft;
    use crate::catalog::check::run::run_rows;
    use proptest::prelude::*;

    const PLAIN: &[&str] = &[
        "http://a.example/",
        "https://www.library.example/catalogue/12?format=full&lang=de#top",
        "https://doi.org/10.1000/article.12",
        "http://a-b.example",
        "http://a.example/~user/a_b,c(1)/x",
        "http://a.example/na%C3%AFve",
    ];

    #[test]
    fn the_usual_address_is_proven() {
        for value in PLAIN {
            assert!(is_right(value, ExpectedValue::Uri), "{value}");
        }
    }

    proptest! {
        #[test]
        fn no_row_finds_anything_in_what_is_proven(
            scheme in prop_oneof![8 => Just("http://"), 8 => Just("https://"), 1 => Just("ftp://"), 2 => Just("")],
            host in prop_oneof![
                "[a-z0-9-]{1,3}(\\.[a-zA-Z0-9-]{0,3}){0,3}",
                "(www\\.|WWW\\.|0-|-|https?|ftp\\.?|)(a\\.b|doi\\.org|dx\\.DOI\\.org|perma\\.cc|archive\\.IS|go\\.OpenAthens\\.net|a\\.libProxy\\.b|a\\.ezp|)(\\.edu|\\.net|)",
                "(10|192|127|999|169)\\.(168|254|1)\\.1\\.[0-9]{1,3}|(localhost|a\\.local|urn\\.fi|n2t\\.net|hdl\\.loc\\.gov)",
                "[a-z.]{50,70}",
            ],
            path in "(10\\.[0-9]{3,5}/|)((/|/10\\.1|10\\.|/DOI|/wiki|/Login|/login\\?url=|\\?|#|//|http|urn|www\\.|&amp|&|=|,|\\(|\\)|\\.|a|1|_|~|;|:|%|@|\\?PHPSESSID=|&sid=0123456789abcdef|%C3%A9|%2f|%3A%2F%2F|%25|%7e|%5F|%2|[ -~]){0,6})",
            expected in proptest::sample::select(&[
                ExpectedValue::Uri, ExpectedValue::Subfield, ExpectedValue::Doi, ExpectedValue::Name,
                ExpectedValue::Cancelled, ExpectedValue::Isbn, ExpectedValue::Issn, ExpectedValue::Note, ExpectedValue::Authority,
            ][..]),
        ) {
            let value = match scheme {
                "" => path,
                _ => format!("{scheme}{host}{path}"),
            };
            if is_right(&value, expected) {
                let mut draft = Draft::new(&value, expected, &|_| true);
                run_rows(&mut draft, false);
                prop_assert_eq!(draft.hits, vec![], "{}", &value);
                prop_assert_eq!(&draft.value, &value);
            }
        }
    }
}
