//! The cases of `corpora/conformance/resolve.jsonl`, passed to the library.

use serde_json::Value;
use std::collections::BTreeSet;
use std::path::Path;
use urisieve::syntax::resolve::{Rules, resolve};

const KEYS: [&str; 7] = [
    "id",
    "section",
    "rules",
    "base",
    "reference",
    "expect",
    "failure",
];

fn cases() -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/conformance/resolve.jsonl");
    let text = std::fs::read_to_string(file).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
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
fn answers() {
    let mut failures = Vec::new();
    let mut ids = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for case in cases() {
        for key in case.as_object().unwrap().keys() {
            assert!(KEYS.contains(&&**key), "{case}: {key}");
        }
        let text = |key: &str| {
            case[key]
                .as_str()
                .unwrap_or_else(|| panic!("{case}: {key}"))
        };
        assert!(ids.insert(text("id").to_owned()), "{case}: its id is taken");
        // Without the feature `whatwg` its rules have no name.
        let Ok(rules) = text("rules").parse::<Rules>() else {
            assert_eq!((text("rules"), cfg!(feature = "html")), ("whatwg", false));
            continue;
        };
        seen.insert(rules.name());
        let wanted = match case.get("failure") {
            Some(_) => Err(text("failure").to_owned()),
            None => Ok(text("expect").to_owned()),
        };
        let got = answer(rules, text("base"), text("reference"));
        if got != wanted {
            failures.push(format!("{case}\n  gave {got:?}"));
        }
    }
    assert_eq!(seen.len(), Rules::ALL.len(), "every set of rules has cases");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
