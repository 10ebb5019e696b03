//! The cases of `corpora/conformance/equivalence.jsonl`: canonical forms at each
//! level, pairs that must stay apart, and switches.

use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::path::Path;
use urisieve::canonicalize::{Canonicalizer, Level};

fn canonicalizer(case: &Value, level: Level) -> Canonicalizer {
    let mut canonicalizer = Canonicalizer::new(level);
    let mut args = case
        .get("args")
        .into_iter()
        .flat_map(|args| args.as_array().unwrap());
    while let Some(arg) = args.next() {
        canonicalizer = match arg.as_str().unwrap() {
            "--keep-components" => canonicalizer.keep_components(true),
            "--strip-fragment" => canonicalizer.strip_fragment(true),
            "--sort-query" => canonicalizer.sort_query(true),
            "--fold-https" => canonicalizer.fold_https(true),
            "--strip-www" => canonicalizer.strip_www(true),
            "--drop-param" => {
                let name = args.next().unwrap().as_str().unwrap();
                canonicalizer.drop_params([name]).unwrap()
            }
            other => panic!("no switch is called {other}"),
        };
    }
    canonicalizer
}

fn canonical(canonicalizer: &Canonicalizer, uri: &str) -> String {
    let mut buffer = Vec::new();
    let uri = canonicalizer.canonicalize(uri.as_bytes(), &mut buffer);
    String::from_utf8(uri.to_vec()).unwrap()
}

#[test]
fn every_case() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/conformance/equivalence.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let mut ids = HashSet::new();
    let mut failures = Vec::new();
    for line in text.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let field = |key: &str| case[key].as_str().unwrap();
        let id = field("id");
        assert!(ids.insert(id.to_owned()), "{id} twice");
        assert!(!field("section").is_empty());
        let level: Level = field("level").parse().unwrap();
        let (input, expect) = (field("input"), field("expect"));
        let here = canonicalizer(&case, level);
        let got = canonical(&here, input);
        if got != expect {
            failures.push(format!("{id}: {input} gives {got}, not {expect}"));
        }
        let last = here.steps(input.as_bytes()).pop().map(|step| step.after);
        if last.as_deref().unwrap_or(input.as_bytes()) != expect.as_bytes() {
            failures.push(format!(
                "{id}: the steps of {input} do not lead to {expect}"
            ));
        }
        if let Some(other) = case.get("distinct_from") {
            for &level in Level::ALL.iter().filter(|other| **other <= level) {
                let canonicalizer = canonicalizer(&case, level);
                let other = other.as_str().unwrap();
                if canonical(&canonicalizer, input) == canonical(&canonicalizer, other) {
                    failures.push(format!(
                        "{id}: {input} and {other} are one at level {level}"
                    ));
                }
            }
        }
    }
    assert!(ids.len() > 250, "{} cases", ids.len());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
