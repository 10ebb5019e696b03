//! What is wrong with values of catalogues: the cases of `corpora/conformance/checks.jsonl`,
//! one value after the other, a record at a time, and over all records.

use crate::cases::cases;
use serde_json::Value;
use urisieve::canonicalize::resolver::Resolvers;
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::catalog::check::{
    ExpectedValue, case_differences, check, duplicates, repair, resolver_duplicates,
};

fn expected(name: &str) -> ExpectedValue {
    match name {
        "uri" => ExpectedValue::Uri,
        "subfield" => ExpectedValue::Subfield,
        "isbn" => ExpectedValue::Isbn,
        "issn" => ExpectedValue::Issn,
        "doi" => ExpectedValue::Doi,
        "name" => ExpectedValue::Name,
        "cancelled" => ExpectedValue::Cancelled,
        "note" => ExpectedValue::Note,
        other => panic!("{other}"),
    }
}

/// A value of a case: its record, what it should be, its text.
fn value(value: &Value) -> (&str, ExpectedValue, &str) {
    let [record, kind, text] = [0, 1, 2].map(|at| value[at].as_str().unwrap());
    (record, expected(kind), text)
}

/// The canonical form of a value at level `scheme`; empty where it is not a URI.
fn key(canonicalizer: &Canonicalizer, text: &str) -> String {
    match urisieve::is_uri(text.as_bytes()) {
        true => {
            let mut key = Vec::new();
            let key = canonicalizer.canonicalize(text.as_bytes(), &mut key);
            String::from_utf8(key.to_vec()).unwrap()
        }
        false => String::new(),
    }
}

#[test]
fn values_have_their_codes_and_repairs() {
    let scheme = Canonicalizer::new(Level::Scheme);
    let unwrapped = scheme.clone().unwrap_resolvers(Resolvers::built_in());
    let grouped = unwrapped.clone().isbn13(true);
    let mut failures = Vec::new();
    for case in cases("checks.jsonl") {
        let values: Vec<_> = case["values"]
            .as_array()
            .unwrap()
            .iter()
            .map(value)
            .collect();
        let keys: Vec<String> = values.iter().map(|v| key(&grouped, v.2)).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let other_case = case_differences(&keys);
        let mut records = Vec::new();
        let mut from = 0;
        while from < values.len() {
            let record: Vec<_> = values[from..]
                .iter()
                .take_while(|v| v.0 == values[from].0)
                .collect();
            let keys = |of: &Canonicalizer| -> Vec<String> {
                record.iter().map(|v| key(of, v.2)).collect()
            };
            let (plain, resolved) = (keys(&scheme), keys(&unwrapped));
            let tagged: Vec<_> = plain.iter().map(|key| ("856", key.as_str())).collect();
            let pairs: Vec<_> = plain
                .iter()
                .zip(&resolved)
                .map(|(a, b)| (a.as_str(), b.as_str()))
                .collect();
            records.extend(
                duplicates(&tagged)
                    .into_iter()
                    .zip(resolver_duplicates(&pairs)),
            );
            from += record.len();
        }
        for (at, (_, kind, text)) in values.iter().enumerate() {
            let checked = check(text, *kind);
            let mut codes: Vec<&str> = checked.codes().collect();
            codes.extend(records[at].0.then_some("duplicate-in-record"));
            codes.extend(records[at].1.then_some("resolver-duplicate"));
            codes.extend(other_case[at].map(|_| "case-differs"));
            codes.sort_unstable();
            let mut wanted: Vec<&str> = case["codes"][at]
                .as_array()
                .unwrap()
                .iter()
                .map(|c| c.as_str().unwrap())
                .collect();
            wanted.sort_unstable();
            let suggestion = case.get("suggestions").map(|s| s[at].as_str());
            let is_right = suggestion.is_none_or(|wanted| checked.suggestion.as_deref() == wanted);
            if codes != wanted || !is_right {
                failures.push(format!(
                    "{} {text:?}: {codes:?} {:?}, not {wanted:?} {suggestion:?}",
                    case["id"], checked.suggestion
                ));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Repairs that are chosen one by one change nothing else.
#[test]
fn one_repair_is_made_alone() {
    for case in cases("checks.jsonl") {
        for (_, kind, text) in case["values"].as_array().unwrap().iter().map(value) {
            let checked = check(text, kind);
            let may_fix = |hit: &&urisieve::catalog::check::CheckHit| hit.may_fix;
            for hit in checked.hits.iter().filter(may_fix) {
                let Some(repaired) = repair(text, kind, |row| row.code == hit.row.code) else {
                    continue;
                };
                assert_ne!(repaired, text);
                let again = check(&repaired, kind);
                assert!(
                    !again.codes().any(|code| code == hit.row.code),
                    "{text:?} {repaired:?}"
                );
            }
            assert_eq!(repair(text, kind, |_| false), None);
        }
    }
}
