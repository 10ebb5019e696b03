//! The cases of requests in logs (G1 to G14) and of values of data (J, C, S), answered by the
//! program.

use crate::cases::{cases, text, texts};
use crate::program::run;
use serde_json::Value;

/// Adds what of `found` is not as `wanted`. Only the keys of `wanted` are compared; `false` means
/// an absent key.
fn faults(wanted: &Value, found: Option<&Value>, path: &str, out: &mut Vec<String>) {
    match (wanted, found) {
        (Value::Object(keys), Some(Value::Object(_))) => {
            for (key, value) in keys {
                let found = found.and_then(|found| found.get(key));
                faults(value, found, &format!("{path}/{key}"), out);
            }
        }
        (Value::Bool(false), None) => {}
        (wanted, found) if Some(wanted) == found => {}
        (wanted, found) => out.push(format!("{path}: {found:?}, and not {wanted}")),
    }
}

#[test]
fn requests_of_logs() {
    check("logs.jsonl");
}

#[test]
fn values_of_data() {
    check("data.jsonl");
}

/// Checks that the program answers each case of `file` as it says.
fn check(file: &str) {
    let mut wrong = Vec::new();
    for case in cases(file) {
        let (id, input) = (text(&case, "id"), text(&case, "in").as_bytes());
        assert!(!text(&case, "rule").is_empty() && !text(&case, "section").is_empty());
        let wanted = texts(&case, "out");
        let args = texts(&case, "args");
        let args: Vec<_> = args.into_iter().filter(|arg| *arg != "--json").collect();
        let ran = run(&[&["--all"], &args[..]].concat(), input);
        let exit = case.get("exit").and_then(Value::as_i64);
        let exit = exit.unwrap_or(i64::from(wanted.is_empty()));
        if ran.out.lines().collect::<Vec<_>>() != wanted || i64::from(ran.code) != exit {
            wrong.push(format!("{id}: {} {}{}", ran.code, ran.out, ran.err));
        }
        let Some(records) = case.get("json").and_then(Value::as_array) else {
            continue;
        };
        assert_eq!(records.len(), wanted.len(), "{id}");
        let ran = run(&[&["--all", "--json"], &args[..]].concat(), input);
        for (number, (wanted, line)) in records.iter().zip(ran.out.lines()).enumerate() {
            let found: Value = serde_json::from_str(line).unwrap();
            faults(wanted, Some(&found), &format!("{id}/{number}"), &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
