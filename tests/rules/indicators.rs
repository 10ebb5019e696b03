//! The cases of lists of indicators, which the program answers: each has its files.

use crate::cases::{cases, text, texts};
use crate::program::{output_of, program};
use std::fs;

#[test]
fn every_case_of_indicators() {
    for case in cases("indicators.jsonl") {
        let id = text(&case, "id");
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in case["files"].as_object().unwrap() {
            fs::write(folder.path().join(name), content.as_str().unwrap()).unwrap();
        }
        let out = texts(&case, "out");
        let exit = case.get("exit").and_then(|exit| exit.as_i64());
        let exit = exit.unwrap_or(i64::from(out.is_empty()));
        let args = [vec!["--all"], texts(&case, "args")].concat();
        let ran = output_of(
            program(&args)
                .current_dir(folder.path())
                .write_stdin(text(&case, "in")),
        );
        assert_eq!(
            ran.out.lines().collect::<Vec<_>>(),
            out,
            "{id}: {}",
            ran.err
        );
        assert_eq!(i64::from(ran.code), exit, "{id}: {}", ran.err);
    }
}
