//! The cases of `corpora/conformance`, as they are written there.

use serde_json::Value;
use std::collections::HashSet;
use std::fs;
use std::path::Path;

/// The cases of a file; each has an id of its own.
pub fn cases(file: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpora/conformance");
    let lines = fs::read_to_string(folder.join(file)).unwrap();
    let lines = lines.lines().filter(|line| !line.is_empty());
    let cases: Vec<Value> = lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let mut ids = HashSet::new();
    for case in &cases {
        assert!(ids.insert(text(case, "id")), "{case}: its id is taken");
    }
    assert!(!cases.is_empty(), "{file} holds no case");
    cases
}

/// The text of a case under a key that it must have.
pub fn text<'c>(case: &'c Value, key: &str) -> &'c str {
    case[key]
        .as_str()
        .unwrap_or_else(|| panic!("{case}: {key}"))
}

/// The texts of a list, which is empty where the case lacks the key.
#[allow(dead_code)] // Not every test reads lists.
pub fn texts<'c>(case: &'c Value, key: &str) -> Vec<&'c str> {
    let list = case.get(key).into_iter();
    let list = list.flat_map(|list| list.as_array().unwrap());
    list.map(|value| value.as_str().unwrap()).collect()
}
