//! The data-driven cases of `corpora/conformance`: each is passed to the program on
//! standard input, and its output is compared line by line.

use assert_cmd::Command;
use serde_json::Value;
use std::fs;
use std::path::Path;
use urisieve::decode::utf16_bom;
use urisieve::{Finder, Level};

fn base64(value: &Value) -> Vec<u8> {
    use base64::prelude::{BASE64_STANDARD, Engine};
    BASE64_STANDARD.decode(value.as_str().unwrap()).unwrap()
}

struct Case {
    id: String,
    args: Vec<String>,
    input: Vec<u8>,
    out: Vec<Vec<u8>>,
    json: Option<Vec<Value>>,
    exit: i32,
}

fn cases(file: &str) -> Vec<Case> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpora/conformance")
        .join(file);
    let text = fs::read_to_string(path).unwrap();
    let mut cases = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty()) {
        let case: Value = serde_json::from_str(line).unwrap();
        let bytes = |v: &Value| v.as_str().unwrap().as_bytes().to_vec();
        let strings = |v: &Value| {
            let list = v.as_array().unwrap();
            list.iter()
                .map(|s| s.as_str().unwrap().to_owned())
                .collect()
        };
        let out: Vec<Vec<u8>> = match case.get("out_b64") {
            Some(list) => list.as_array().unwrap().iter().map(base64).collect(),
            None => case["out"].as_array().unwrap().iter().map(bytes).collect(),
        };
        cases.push(Case {
            id: case["id"].as_str().unwrap().to_owned(),
            args: strings(&case["args"]),
            input: case
                .get("in_b64")
                .map_or_else(|| bytes(&case["in"]), base64),
            exit: case
                .get("exit")
                .map_or(i32::from(out.is_empty()), |e| e.as_i64().unwrap() as i32),
            json: case.get("json").map(|j| j.as_array().unwrap().clone()),
            out,
        });
    }
    assert!(!cases.is_empty(), "{file} holds no case");
    cases
}

fn urisieve(case: &Case, more: &[&str]) -> std::process::Output {
    Command::cargo_bin("urisieve")
        .unwrap()
        .arg("--all")
        .args(more)
        .args(&case.args)
        .write_stdin(case.input.clone())
        .output()
        .unwrap()
}

fn lines(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<Vec<u8>> = bytes.split(|&b| b == b'\n').map(<[u8]>::to_vec).collect();
    assert_eq!(lines.pop().as_deref(), Some(&[][..]), "the last line ends");
    lines
}

fn run(file: &str) {
    let mut failures = Vec::new();
    for case in cases(file) {
        let output = urisieve(&case, &[]);
        let got = lines(&output.stdout);
        if got != case.out || output.status.code() != Some(case.exit) {
            let text = |l: &[Vec<u8>]| String::from_utf8_lossy(&l.join(&b'\n')).into_owned();
            failures.push(format!(
                "{}: exit {:?} for {}\n{}\ninstead of\n{}",
                case.id,
                output.status.code(),
                case.exit,
                text(&got),
                text(&case.out)
            ));
        }
        if let Some(wanted) = &case.json {
            let output = urisieve(&case, &["--json"]);
            let got: Vec<Value> = lines(&output.stdout)
                .iter()
                .map(|line| serde_json::from_slice(line).unwrap())
                .collect();
            if got.len() != wanted.len() {
                failures.push(format!("{}: {} records", case.id, got.len()));
            }
            for (record, keys) in got.iter().zip(wanted) {
                for (key, value) in keys.as_object().unwrap() {
                    let nothing = [Value::Bool(false), Value::from(0), Value::Array(vec![])];
                    let absent = record.get(key).is_none() && nothing.contains(value);
                    if record.get(key) != Some(value) && !absent {
                        failures.push(format!("{}: {key} of {record}, not {value}", case.id));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn start() {
    run("start.jsonl");
}

#[test]
fn wrappers() {
    run("wrappers.jsonl");
}

#[test]
fn end() {
    run("end.jsonl");
}

#[test]
fn appendix_e() {
    run("appendix-e.jsonl");
}

#[test]
fn options() {
    run("options.jsonl");
}

#[test]
fn identifiers() {
    run("identifiers.jsonl");
}

/// What needs no flag is what the library finds at once; that bytes are UTF-16 is stated.
#[test]
fn the_library_finds_the_same() {
    let mut count = 0;
    for file in ["start", "wrappers", "end", "appendix-e", "options"] {
        for case in cases(&format!("{file}.jsonl")) {
            if !case.args.is_empty() {
                continue;
            }
            let is_utf16 = utf16_bom(&case.input).is_some();
            let finder = Finder::new().utf16(is_utf16);
            let found = finder.find(&case.input);
            let canonical = found.map(|found| found.canonical(Level::Lexical).into_owned());
            assert_eq!(canonical.collect::<Vec<_>>(), case.out, "{}", case.id);
            count += 1;
        }
    }
    assert!(count > 300, "{count} cases");
}

/// Every file of cases is run by some test.
#[test]
fn no_file_is_forgotten() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut tests = String::new();
    let mut folders = vec![root.join("tests")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                tests += &fs::read_to_string(path).unwrap();
            }
        }
    }
    for entry in fs::read_dir(root.join("corpora/conformance")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(!name.ends_with(".jsonl") || tests.contains(&name), "{name}");
    }
}
