//! The cases of `corpora/conformance/mail.jsonl`, answered by the program.

use crate::cases::{cases, text, texts};
use crate::program::run;
use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::Value;

#[test]
fn rules_of_mail() {
    let mut wrong = Vec::new();
    for case in cases("mail.jsonl") {
        let id = text(&case, "id");
        assert!(!text(&case, "rule").is_empty() && !text(&case, "section").is_empty());
        let input = match case.get("in_b64") {
            Some(input) => BASE64_STANDARD.decode(input.as_str().unwrap()).unwrap(),
            None => text(&case, "in").as_bytes().to_vec(),
        };
        let wanted = texts(&case, "out");
        let args = [&["--all"], &texts(&case, "args")[..]].concat();
        let ran = run(&args, &input);
        if ran.out.lines().collect::<Vec<_>>() != wanted {
            wrong.push(format!("{id}: {}{}", ran.out, ran.err));
        }
        let Some(records) = case.get("json").and_then(Value::as_array) else {
            continue;
        };
        let ran = run(&[&args[..], &["--json"]].concat(), &input);
        let lines: Vec<&str> = ran.out.lines().collect();
        assert_eq!(records.len(), lines.len(), "{id}");
        for (record, line) in records.iter().zip(lines) {
            let found: Value = serde_json::from_str(line).unwrap();
            for (key, value) in record.as_object().unwrap() {
                // Null means that the key is absent.
                if found.get(key).unwrap_or(&Value::Null) != value {
                    wrong.push(format!("{id}: {key} of {line}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
