//! Groups against a model in memory, with all that can happen to the temporary file.

use super::*;
use crate::canonicalize::Canonicalizer;
use crate::canonicalize::resolver::Resolvers;
use crate::catalog::check::case_differences;
use crate::catalog::{FieldChoice, IdentifierRows};
use crate::decode::{CatalogFormat, CatalogReader, CatalogRecord};
use crate::store::tests::faulty::{Faulty, Mishap};
use crate::store::{Budget, ScratchFile, StoreError};
use proptest::prelude::*;
use proptest::sample::select;
use std::collections::HashMap;
use std::io;
use std::sync::Arc;

fn keys() -> GroupKeys {
    GroupKeys::new(Canonicalizer::default(), Resolvers::built_in())
}

/// A value as written, and its URI; a value with an empty URI is in no group.
type Value<'v> = (&'v str, &'v str);

/// The answer for a row.
#[derive(Debug, PartialEq, Eq)]
struct Answer {
    /// Number and size.
    group: Option<(u64, u64)>,
    reasons: GroupReasons,
    other_case: Option<String>,
}

/// Spellings of a few identifiers.
const VALUES: &[Value] = &[
    ("", ""),
    ("http://a.example/", "http://a.example/"),
    ("HTTP://A.example", "HTTP://A.example"),
    ("http://a.example:80/", "http://a.example:80/"),
    ("http://a.example/T", "http://a.example/T"),
    ("http://a.example/t", "http://a.example/t"),
    ("HTTP://A.example/t", "HTTP://A.example/t"),
    ("http://a.example/%74", "http://a.example/%74"),
    ("http://a.example/a b", "http://a.example/a%20b"),
    ("http://a.example/A%20b", "http://a.example/A%20b"),
    ("https://doi.org/10.1000/ABC", "https://doi.org/10.1000/ABC"),
    ("doi:10.1000/abc", "doi:10.1000/abc"),
    ("10.1000/abc", "doi:10.1000/abc"),
    ("0-451-45052-3", "urn:isbn:0451450523"),
    ("0451450523", "urn:isbn:0451450523"),
    ("urn:isbn:978-0-451-45052-4", "urn:isbn:978-0-451-45052-4"),
    ("urn:nbn:de:bvb:1-a", "urn:nbn:de:bvb:1-a"),
    ("URN:NBN:DE:BVB:1-a", "URN:NBN:DE:BVB:1-a"),
    ("urn:nbn:de:bvb:1-A", "urn:nbn:de:bvb:1-A"),
    ("http://b.example/\u{c4}", "http://b.example/\u{c4}"),
    ("http://b.example/\u{e4}", "http://b.example/\u{e4}"),
];

/// Sends rows through groups whose memory is `limit`.
fn answers(values: &[Value], file: ScratchFile, limit: usize) -> io::Result<Vec<Answer>> {
    let (file, budget) = (Arc::new(file), Arc::new(Budget::new(limit)));
    let run = || {
        let (keys, mut key) = (keys(), Vec::new());
        let mut groups = Groups::new(&file, &budget);
        for (number, (written, uri)) in values.iter().enumerate() {
            key.clear();
            if !uri.is_empty() {
                keys.write(written.as_bytes(), uri.as_bytes(), &mut key);
            }
            groups.push(&key, &row(number, written))?;
        }
        let (mut rows, mut answers) = (groups.finish()?, Vec::new());
        while let Some(found) = rows.next()? {
            assert_eq!(found.row, row(answers.len(), values[answers.len()].0));
            let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
            let group = found.group.as_ref();
            answers.push(Answer {
                group: group.map(|group| (group.number, group.size)),
                reasons: group.map_or(GroupReasons::NONE, |group| group.reasons),
                other_case: found.other_case.map(text),
            });
        }
        assert_eq!(answers.len(), values.len());
        Ok(answers)
    };
    let answers = run();
    assert_eq!((file.live(), budget.used()), (0, 0));
    answers
}

fn row(number: usize, written: &str) -> Vec<u8> {
    format!("{number},{}", &written[..written.len().min(40)]).into_bytes()
}

fn in_memory(values: &[Value]) -> Vec<Answer> {
    answers(values, ScratchFile::new("no/such/directory"), usize::MAX).unwrap()
}

/// The result of `answers` without the reasons, from maps in memory.
fn model(values: &[Value]) -> Vec<Answer> {
    let maker = keys();
    let key = |(_, uri): &Value| String::from_utf8(maker.key(uri.as_bytes())).unwrap();
    let keys: Vec<String> = values.iter().map(key).collect();
    let mut sizes: HashMap<&str, u64> = HashMap::new();
    for key in &keys {
        *sizes.entry(key).or_default() += 1;
    }
    let mut numbers: HashMap<&str, u64> = HashMap::new();
    for key in keys
        .iter()
        .filter(|key| !key.is_empty() && sizes[&***key] > 1)
    {
        let next = numbers.len() as u64 + 1;
        numbers.entry(key).or_insert(next);
    }
    let texts: Vec<&str> = keys.iter().map(String::as_str).collect();
    let cases = case_differences(&texts);
    let answer = |(key, other): (&&str, Option<usize>)| Answer {
        group: numbers.get(key).map(|&number| (number, sizes[key])),
        reasons: GroupReasons::NONE,
        other_case: other.map(|at| values[at].0.to_owned()),
    };
    texts.iter().zip(cases).map(answer).collect()
}

fn values(most: usize) -> impl Strategy<Value = Vec<Value<'static>>> {
    proptest::collection::vec(select(VALUES), 0..most)
}

/// Compares the answers with the model, and checks the laws of reasons.
fn check(values: &[Value], answers: &[Answer]) -> Result<(), TestCaseError> {
    for ((answer, expected), value) in answers.iter().zip(&model(values)).zip(values) {
        prop_assert_eq!(&answer.group, &expected.group, "{:?}", value);
        prop_assert_eq!(&answer.other_case, &expected.other_case, "{:?}", value);
        prop_assert_eq!(answer.reasons.is_empty(), answer.group.is_none());
        let mut members = answers.iter().zip(values);
        let is_alike =
            members.all(|(other, (written, _))| other.group != answer.group || *written == value.0);
        let same_text = answer.reasons.has(GroupReason::SameText);
        prop_assert_eq!(same_text, answer.group.is_some() && is_alike);
        prop_assert!(!same_text || answer.reasons.iter().count() == 1);
    }
    Ok(())
}

/// Lines of records with identifiers.
const LINES: &[&str] = &[
    "=020  \\\\$a0-451-45052-3 (pbk.)",
    "=020  \\\\$a0451450523",
    "=020  \\\\$a080442957x$z0451450524",
    "=020  \\\\$a9780451450524",
    "=020  \\\\$a0451450524",
    "=022  \\\\$a2049-3630",
    "=022  \\\\$a2049-363x",
    "=024  7\\$a10.1000/ABC$2doi",
    "=024  7\\$a10.1000/abc$2doi",
    "=024  7\\$a2027/mdp.1$2hdl",
    "=024  8\\$aurn:isbn:0451450523",
    "=024  8\\$aURN:ISBN:080442957x",
    "=024  8\\$aurn:isbn:a",
    "=024  8\\$aurn:isbn:A",
    "=024  8\\$adoi:10.1000/aBC",
    "=856  40$uhttps://www.a.example/x?b=1&a=2#top",
    "=856  40$uhttp://www.a.example/x",
    "=856  40$uhttp://www.a.example/X",
    "=856  40$uhttp://a.example/x/../y",
    "=856  40$uHTTP://A.example/%7e",
    "=856  40$uhttps://doi.org/10.1000/ABC",
    "=856  40$uhttps://nbn-resolving.de/urn:isbn:0451450523",
    "=856  40$uurn:nbn:de:bvb:1-a",
    "=856  40$zsee http://n.example/x",
    "=100  1\\$aA$0(DE-588)1$0http://d-nb.info/gnd/1",
];

proptest! {
    /// The key of a row is that of its value.
    #[test]
    fn what_is_known_of_a_row_changes_no_key(
        lines in proptest::collection::vec(select(LINES), 1..6),
        on: [bool; 5],
    ) {
        let canonicalizer = Canonicalizer::default()
            .strip_www(on[0])
            .strip_fragment(on[1])
            .sort_query(on[2])
            .fold_https(on[3]);
        let mut record = CatalogRecord::default();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        CatalogReader::new(CatalogFormat::Mrk).read(text.as_bytes(), true, &mut record);
        let rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
        let keys = GroupKeys::new(canonicalizer, Resolvers::built_in());
        let mut rows = rows.make_urn(on[4]);
        let rows = rows.of(std::slice::from_ref(&record));
        let file = Arc::new(ScratchFile::new("no/such/directory"));
        let mut groups = Groups::new(&file, &Arc::new(Budget::unlimited()));
        for row in &rows {
            let (mut known, mut of_value) = (Vec::new(), Vec::new());
            keys.write_row(row, &mut known);
            if let Some(uri) = &row.uri {
                keys.write(row.written(), uri, &mut of_value);
            }
            groups.push(&known, b"").unwrap();
            prop_assert_eq!(known, of_value, "{}", String::from_utf8_lossy(&row.original));
        }
        let mut found = groups.finish().unwrap();
        for row in &rows {
            let differs = found.next().unwrap().unwrap().other_case.is_some();
            prop_assert!(row.may_differ_in_case() || !differs, "{}", String::from_utf8_lossy(&row.original));
        }
    }

    #[test]
    fn groups_are_those_of_the_model(values in values(60)) {
        check(&values, &in_memory(&values))?;
    }

    /// The reasons do not depend on the order of the members.
    #[test]
    fn reasons_are_those_of_a_set(values in values(12), by in 0usize..12) {
        let mut moved = values.clone();
        moved.rotate_left(by.min(values.len()));
        let reasons = |values: &[Value]| {
            let answers = in_memory(values);
            let reasons = values.iter().zip(answers).map(|(value, answer)| (value.0.to_owned(), answer.reasons.bits()));
            reasons.collect::<std::collections::BTreeSet<_>>()
        };
        prop_assert_eq!(reasons(&values), reasons(&moved));
    }
}

/// Makes the values so long that the keys exceed the least memory, which is 1 MiB.
fn lengthened(values: &[Value]) -> Vec<(String, String)> {
    let tail = "/tail".repeat(6000);
    let long = |(written, uri): &Value| match uri.starts_with("http://") {
        true => (format!("{written}{tail}"), format!("{uri}{tail}")),
        false => ((*written).to_owned(), (*uri).to_owned()),
    };
    values.iter().map(long).collect()
}

fn borrowed(values: &[(String, String)]) -> Vec<Value<'_>> {
    values.iter().map(|(w, u)| (&**w, &**u)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn memory_changes_nothing(values in proptest::collection::vec(select(VALUES), 60..160), limit in 0usize..4_000_000) {
        let values = lengthened(&values);
        let values = borrowed(&values);
        for mishap in [Mishap::None, Mishap::Short, Mishap::Interrupted] {
            let file = ScratchFile::on(Faulty::new(mishap), "/scratch");
            let answers = answers(&values, file, limit).unwrap();
            check(&values, &answers)?;
            prop_assert_eq!(&answers, &in_memory(&values));
        }
    }
}

/// Writes fail, and reads: each of the first, then one in sixteen. The error names the
/// directory.
#[test]
fn a_full_disk_is_an_error_that_is_named() {
    let values: Vec<Value> = (0..200).map(|at| VALUES[at * 7 % VALUES.len()]).collect();
    let values = lengthened(&values);
    let values = borrowed(&values);
    for mishap in [Mishap::FailWrites, Mishap::FailReads, Mishap::EndAt] {
        let mut failures = 0;
        loop {
            let file = ScratchFile::on(Faulty::new(mishap(failures + 1)), "/scratch");
            let Err(error) = answers(&values, file, 0) else {
                break;
            };
            let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
            let inner: &StoreError = inner.expect("an error of the file");
            assert_eq!(inner.directory().to_str(), Some("/scratch"));
            failures += 1 + failures / 16;
        }
        assert!(failures > 20, "{failures}");
    }
}

/// The findings on many rows are also sorted in the file; a group takes no more memory when
/// it has more members.
#[test]
fn many_members_take_little_memory() {
    let (keys, budget) = (keys(), Arc::new(Budget::new(0)));
    let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    let mut groups = Groups::new(&file, &budget);
    let mut written = Vec::new();
    for (text, uri) in [
        ("http://a.example/", "http://a.example/"),
        ("HTTP://A.example", "HTTP://A.example"),
        ("http://b.example/x", "http://b.example/x"),
        ("http://b.example/X", "http://b.example/X"),
    ] {
        let mut key = Vec::new();
        keys.write(text.as_bytes(), uri.as_bytes(), &mut key);
        written.push(key);
    }
    const ROWS: u64 = 150_000;
    for number in 0..ROWS {
        let which = match number {
            0 => 3,
            _ => number as usize % 3,
        };
        groups.push(&written[which], &number.to_be_bytes()).unwrap();
    }
    let mut rows = groups.finish().unwrap();
    for number in 0..ROWS {
        let row = rows.next().unwrap().unwrap();
        assert_eq!(row.row, number.to_be_bytes());
        let differs = (number == 0).then_some(&b"http://b.example/x"[..]);
        assert_eq!(row.other_case, differs);
        let group = row.group.map(|group| (group.number, group.size));
        let expected = match number {
            0 => None,
            _ if number % 3 == 2 => Some((2, ROWS / 3)),
            _ => Some((1, ROWS / 3 * 2 - 1)),
        };
        assert_eq!(group, expected, "{number}");
    }
    assert_eq!(rows.next().unwrap(), None);
    assert!(budget.peak() < 5 << 20, "{}", budget.peak());
}

/// Returns the codes of the reasons of a group of these values.
fn codes(values: &[Value]) -> Vec<&'static str> {
    let answers = in_memory(values);
    assert_eq!(
        answers[0].group,
        Some((1, values.len() as u64)),
        "{values:?}"
    );
    answers[0].reasons.iter().map(GroupReason::code).collect()
}

#[test]
fn reasons_name_what_makes_identifiers_equal() {
    let uris: &[(&[&str], &[&str])] = &[
        (&["http://a.b/", "http://a.b/"], &["same-text"]),
        (&["http://a.b/", "HTTP://a.B/", "http://a.b/"], &["case"]),
        (&["HTTP://a.b:80/", "HTTP://a.b/"], &["url-syntax"]),
        (&["HTTP://a.b:80/", "http://a.b"], &["case", "url-syntax"]),
        (&["http://a.b/%7Ex", "http://a.b/~x"], &["percent-encoding"]),
        (&["http://a.b/%c3", "http://a.b/%C3"], &["percent-encoding"]),
        (
            &["urn:isbn:0-451-45052-3", "urn:isbn:0451450523"],
            &["hyphens"],
        ),
        (
            &["urn:isbn:080442957x", "urn:isbn:080442957X"],
            &["name-case"],
        ),
        (
            &["urn:isbn:0-8044-2957-x", "urn:ISBN:080442957X"],
            &["case", "hyphens", "name-case"],
        ),
        (
            &["urn:isbn:0451450523", "urn:isbn:9780451450524"],
            &["isbn13"],
        ),
        (
            &["urn:isbn:0-451-45052-3", "urn:isbn:978-0-451-45052-4"],
            &["hyphens", "isbn13"],
        ),
        (
            &["https://doi.org/10.1000/1", "doi:10.1000/1"],
            &["resolver"],
        ),
        (
            &["https://doi.org/10.1000/A", "doi:10.1000/a"],
            &["name-case", "resolver"],
        ),
        (
            &["HTTPS://DOI.ORG/10.1000/a", "https://doi.org/10.1000/a"],
            &["case"],
        ),
        (&["urn:nbn:fi-1?=x", "urn:nbn:fi-1"], &["components"]),
        (&["tel:+49-30-1", "tel:+49301"], &["hyphens"]),
        (
            &[
                "urn:gsma:imei:90420156-025763-0;vers=0",
                "urn:gsma:imei:90420156-025763-0",
            ],
            &["name-rule"],
        ),
        (
            &[
                "https://urn.fi/urn:nbn:fi-1",
                "http://nbn-resolving.de/urn:nbn:fi-1",
            ],
            &["resolver"],
        ),
    ];
    for (uris, expected) in uris {
        let values: Vec<Value> = uris.iter().map(|uri| (*uri, *uri)).collect();
        assert_eq!(codes(&values), *expected, "{uris:?}");
        let backwards: Vec<Value> = values.iter().rev().copied().collect();
        assert_eq!(codes(&backwards), *expected, "{uris:?}");
    }
    let isbn = ("0-451-45052-3", "urn:isbn:0451450523");
    assert_eq!(codes(&[isbn, isbn]), ["same-text"]);
    assert_eq!(codes(&[isbn, ("0451450523", isbn.1)]), ["hyphens"]);
    assert_eq!(codes(&[isbn, (isbn.1, isbn.1)]), ["hyphens", "bare"]);
    let doi = ("10.1000/a", "doi:10.1000/a");
    assert_eq!(codes(&[doi, (doi.1, doi.1)]), ["bare"]);
    assert_eq!(codes(&[doi, ("10.1000/A", "doi:10.1000/A")]), ["name-case"]);
    let blank = ("http://a.b/a b", "http://a.b/a%20b");
    assert_eq!(codes(&[blank, (blank.1, blank.1)]), ["percent-encoding"]);
}

#[test]
fn switches_are_named() {
    let strips = Canonicalizer::default().strip_fragment(true);
    let keys = GroupKeys::new(strips, Resolvers::built_in());
    let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    let mut groups = Groups::new(&file, &Arc::new(Budget::unlimited()));
    for uri in [&b"http://a.b/#c"[..], b"http://a.b/"] {
        let mut key = Vec::new();
        keys.write(uri, uri, &mut key);
        groups.push(&key, b"").unwrap();
    }
    let mut rows = groups.finish().unwrap();
    let reasons = rows.next().unwrap().unwrap().group.unwrap().reasons;
    assert!(reasons.iter().eq([GroupReason::Switch]));
}

#[test]
fn codes_are_unique() {
    for (at, reason) in GroupReason::ALL.iter().enumerate() {
        assert_eq!(*reason as usize, at);
        let others = &GroupReason::ALL[..at];
        assert!(others.iter().all(|other| other.code() != reason.code()));
    }
}
