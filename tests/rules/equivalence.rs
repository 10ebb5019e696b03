//! The cases of `corpora/conformance/equivalence.jsonl`, answered by the library and by
//! the program: canonical forms at each level, pairs that must stay apart, and switches.

use crate::cases::{cases, text, texts};
use crate::program::run;
use serde_json::Value;
use std::collections::BTreeMap;
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::is_uri;

fn canonicalizer(case: &Value, level: Level) -> Canonicalizer {
    let mut canonicalizer = Canonicalizer::new(level);
    let mut args = texts(case, "args").into_iter();
    while let Some(arg) = args.next() {
        canonicalizer = match arg {
            "--keep-components" => canonicalizer.keep_components(true),
            "--strip-fragment" => canonicalizer.strip_fragment(true),
            "--sort-query" => canonicalizer.sort_query(true),
            "--fold-https" => canonicalizer.fold_https(true),
            "--strip-www" => canonicalizer.strip_www(true),
            "--drop-param" => canonicalizer.drop_params([args.next().unwrap()]).unwrap(),
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
fn by_the_library() {
    let mut failures = Vec::new();
    let cases = cases("equivalence.jsonl");
    for case in &cases {
        let id = text(case, "id");
        assert!(!text(case, "section").is_empty());
        let level: Level = text(case, "level").parse().unwrap();
        let (input, expect) = (text(case, "input"), text(case, "expect"));
        let here = canonicalizer(case, level);
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
        if case.get("distinct_from").is_some() {
            let other = text(case, "distinct_from");
            for &level in Level::ALL.iter().filter(|other| **other <= level) {
                let canonicalizer = canonicalizer(case, level);
                if canonical(&canonicalizer, input) == canonical(&canonicalizer, other) {
                    failures.push(format!(
                        "{id}: {input} and {other} are one at level {level}"
                    ));
                }
            }
        }
    }
    assert!(cases.len() > 250, "{} cases", cases.len());
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// `normalize` prints the canonical form, and `dedup` keeps apart what must stay apart. A
/// letter before a colon is a drive, no scheme, and its line stays as it is.
#[test]
fn by_the_program() {
    let cases = cases("equivalence.jsonl");
    let mut of_flags = BTreeMap::<Vec<&str>, Vec<&Value>>::new();
    for case in &cases {
        let flags = [vec!["-L", text(case, "level")], texts(case, "args")].concat();
        of_flags.entry(flags).or_default().push(case);
    }
    let mut failures = Vec::new();
    for (flags, cases) in of_flags {
        let lines = |uris: &mut dyn Iterator<Item = &str>| -> String {
            uris.map(|uri| format!("{uri}\n")).collect()
        };
        let inputs = lines(&mut cases.iter().map(|case| text(case, "input")));
        let normalized = run(&[&["normalize"], &flags[..]].concat(), inputs.as_bytes()).out;
        assert_eq!(normalized.lines().count(), cases.len(), "{flags:?}");
        for (case, got) in cases.iter().zip(normalized.lines()) {
            let input = text(case, "input");
            let wanted = match is_uri(input.as_bytes()) {
                true => text(case, "expect"),
                false => input,
            };
            if got != wanted {
                failures.push(format!("{case}\n  gave {got}"));
            }
        }
        let apart = cases
            .iter()
            .filter(|case| case.get("distinct_from").is_some());
        for case in apart {
            let pair = ["input", "distinct_from"].map(|key| text(case, key));
            let pair = lines(&mut pair.into_iter());
            let kept = run(&[&["dedup"], &flags[..]].concat(), pair.as_bytes()).out;
            if kept.lines().count() != 2 {
                failures.push(format!("{case}\n  are one: {kept}"));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
