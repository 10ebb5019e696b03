//! The cases of `corpora/conformance/resolve.jsonl`, answered by the library, by the
//! program and, where the rules are those of RFC 3986, by the slow reference.

use crate::cases::{cases, text};
use crate::program::run;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use urisieve::reference::{Options, Reference, Referral, refer};
use urisieve::syntax::Components;
use urisieve::syntax::resolve::{Rules, is_base_for, resolve};

const KEYS: [&str; 7] = [
    "id",
    "section",
    "rules",
    "base",
    "reference",
    "expect",
    "failure",
];

/// The cases whose rules are in this build.
fn built() -> Vec<(Value, Rules)> {
    let mut built = Vec::new();
    for case in cases("resolve.jsonl") {
        for key in case.as_object().unwrap().keys() {
            assert!(KEYS.contains(&&**key), "{case}: {key}");
        }
        // Without the feature `html` its rules have no name.
        match text(&case, "rules").parse::<Rules>() {
            Ok(rules) => built.push((case, rules)),
            Err(_) => assert_eq!(
                (text(&case, "rules"), cfg!(feature = "html")),
                ("whatwg", false)
            ),
        }
    }
    built
}

fn wanted(case: &Value) -> Result<String, String> {
    match case.get("failure") {
        Some(_) => Err(text(case, "failure").to_owned()),
        None => Ok(text(case, "expect").to_owned()),
    }
}

/// The result as it would be printed, or the text of the error.
fn answer(rules: Rules, base: &str, reference: &str) -> Result<String, String> {
    let mut out = b"kept".to_vec();
    let resolved = resolve(rules, base.as_bytes(), reference.as_bytes(), &mut out);
    let added = String::from_utf8(out)
        .unwrap()
        .strip_prefix("kept")
        .expect("what stood in the buffer stays")
        .to_owned();
    match resolved {
        Ok(resolved) => Ok(format!("{}{added}", resolved.target.prefix())),
        Err(error) => {
            assert_eq!(added, "", "an error adds nothing");
            Err(error.to_string())
        }
    }
}

#[test]
fn by_the_library() {
    let mut failures = Vec::new();
    let mut seen = BTreeSet::new();
    for (case, rules) in built() {
        seen.insert(rules.name());
        let got = answer(rules, text(&case, "base"), text(&case, "reference"));
        if got != wanted(&case) {
            failures.push(format!("{case}\n  gave {got:?}"));
        }
    }
    assert_eq!(seen.len(), Rules::ALL.len(), "every set of rules has cases");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Relative references with the bases that a document may have: only they are resolved (F1).
#[test]
fn by_the_slow_reference() {
    let mut failures = Vec::new();
    let mut compared = 0;
    for (case, rules) in built() {
        let [base, reference] = ["base", "reference"].map(|key| text(&case, key).as_bytes());
        let (Ok(wanted), Rules::Rfc3986) = (wanted(&case), rules) else {
            continue;
        };
        if Components::parse(reference).scheme(reference).is_some() {
            continue;
        }
        let reference = Reference {
            text: reference,
            base: Some(base),
            all: true,
            ..Reference::default()
        };
        match refer(&reference, &Options::default()) {
            Referral::Uri { uri, .. } if uri == wanted.as_bytes() => compared += 1,
            Referral::WithoutBase if !is_base_for(base, reference.text) => {}
            other => failures.push(format!("{case}\n  gave {other:?}")),
        }
    }
    assert!(compared > 60, "{compared} cases");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn by_the_program() {
    let built = built();
    let mut of_base = BTreeMap::<_, Vec<&Value>>::new();
    for (case, _) in &built {
        let key = (text(case, "rules"), text(case, "base"));
        of_base.entry(key).or_default().push(case);
    }
    for ((rules, base), cases) in of_base {
        let input: Vec<&str> = cases.iter().map(|case| text(case, "reference")).collect();
        let args = ["resolve", "--rfc", rules, "--base", base];
        let ran = run(&args, (input.join("\n") + "\n").as_bytes());
        let wanted: Vec<_> = cases.iter().map(|case| wanted(case)).collect();
        let printed = wanted
            .iter()
            .map(|line| line.as_ref().map_or("", String::as_str));
        let printed: String = printed.map(|line| format!("{line}\n")).collect();
        assert_eq!(ran.out, printed, "{args:?}");
        for failure in wanted.iter().filter_map(|wanted| wanted.as_ref().err()) {
            assert!(ran.err.contains(failure), "{args:?}: {}", ran.err);
        }
        let fails = wanted.iter().any(Result::is_err);
        assert_eq!(ran.code, i32::from(fails), "{args:?}");
    }
}
