//! The cases of `corpora/conformance/f1.jsonl` (F1), given to the slow
//! reference.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use urisieve::item::{Problem, Problems};
use urisieve::reference::{Options, Reference, Referral, refer};

const KEYS: [&str; 13] = [
    "id",
    "rule",
    "section",
    "text",
    "base",
    "whole",
    "all",
    "strict",
    "opaque",
    "max_length",
    "expect",
    "outcome",
    "problems",
];

fn codes(problems: Problems) -> Vec<&'static str> {
    problems.iter().map(Problem::code).collect()
}

#[test]
fn answers() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/conformance/f1.jsonl");
    let cases = std::fs::read_to_string(file).unwrap();
    let mut failures = Vec::new();
    let mut ids = BTreeSet::new();
    let mut outcomes = BTreeSet::new();
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        for key in case.as_object().unwrap().keys() {
            assert!(KEYS.contains(&&**key), "{line}: {key}");
        }
        assert!(
            ids.insert(case["id"].to_string()),
            "{line}: its id is taken"
        );
        let is = |key: &str| case.get(key).is_some_and(|value| value.as_bool().unwrap());
        let options = Options {
            strict: is("strict"),
            opaque: match case.get("opaque") {
                Some(names) => serde_json::from_value(names.clone()).unwrap(),
                None => Vec::new(),
            },
            max_length: match case.get("max_length") {
                Some(length) => length.as_u64().unwrap() as usize,
                None => Options::default().max_length,
            },
            ..Options::default()
        };
        let reference = Reference {
            text: case["text"].as_str().unwrap().as_bytes(),
            any_scheme: !is("whole"),
            base: case
                .get("base")
                .map(|base| base.as_str().unwrap().as_bytes()),
            all: is("all"),
        };
        let (got, outcome, problems) = match refer(&reference, &options) {
            Referral::Uri { uri, problems } => {
                let uri = String::from_utf8(uri).unwrap();
                (Some(uri), None, codes(problems))
            }
            Referral::Text => (None, Some("text"), Vec::new()),
            Referral::Dropped => (None, Some("dropped"), Vec::new()),
            Referral::WithoutBase => (None, Some("without-base"), Vec::new()),
            Referral::Void => (None, Some("void"), Vec::new()),
            Referral::TooLong => (None, Some("too-long"), Vec::new()),
            Referral::Rejected => (None, Some("rejected"), Vec::new()),
        };
        let wanted = (case["expect"].as_str(), case["outcome"].as_str());
        assert_ne!(wanted.0.is_some(), wanted.1.is_some(), "{line}");
        outcomes.insert(outcome);
        let same_problems = case
            .get("problems")
            .is_none_or(|codes| *codes == serde_json::json!(problems));
        if (got.as_deref(), outcome) != wanted || !same_problems {
            failures.push(format!("{line}\n  gave {got:?} {outcome:?} {problems:?}"));
        }
    }
    assert_eq!(outcomes.len(), 7, "every outcome has cases: {outcomes:?}");
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Bytes that are not UTF-8 stay, with a problem; text of them is not accepted whole.
#[test]
fn bytes_that_are_not_utf8() {
    let mut reference = Reference {
        text: b"http://a.example/caf\xE9",
        ..Reference::default()
    };
    let Referral::Uri { uri, problems } = refer(&reference, &Options::default()) else {
        panic!();
    };
    assert_eq!(uri, b"http://a.example/caf\xE9");
    assert_eq!(codes(problems), ["bad-utf8"]);
    reference.any_scheme = false;
    assert_eq!(refer(&reference, &Options::default()), Referral::Text);
}
