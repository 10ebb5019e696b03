//! The cases of extraction of `corpora/conformance`: each is answered by the slow
//! reference, by `find` and by the program, and all three must give what the case says.

use crate::cases::{cases, text, texts};
use crate::program::program;
use crate::rule_sets::{delimited, finder, options, with_scheme};
use base64::prelude::{BASE64_STANDARD, Engine};
use encoding_rs::{Encoding, UTF_8};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use tempfile::TempDir;
use urisieve::canonicalize::resolver::Resolvers;
use urisieve::canonicalize::{Canonicalizer, Redactor};
use urisieve::decode::utf16_bom;
use urisieve::item::{Marks, Problem, Problems};
use urisieve::output::defang;
use urisieve::reference::{Options, extract};
use urisieve::{Match, UriSelection};

/// The cases that only a run answers: the slow reference and `find` read text.
const IN_MARKUP: [&str; 1] = ["B4-13"];

struct Case {
    id: String,
    args: Vec<String>,
    input: Vec<u8>,
    out: Vec<Vec<u8>>,
    json: Vec<Value>,
    exit: i32,
}

/// What is said of a case: lines, some keys of their records, the exit code of a run that
/// says so.
#[derive(Default)]
struct Answer {
    out: Vec<Vec<u8>>,
    records: Vec<Value>,
    exit: i32,
}

fn bytes(value: &Value) -> Vec<u8> {
    value.as_str().unwrap().as_bytes().to_vec()
}

fn base64(value: &Value) -> Vec<u8> {
    BASE64_STANDARD.decode(value.as_str().unwrap()).unwrap()
}

impl Case {
    fn of(case: &Value) -> Case {
        assert!(!text(case, "section").is_empty() && !text(case, "rule").is_empty());
        let list = |list: &Value, item: fn(&Value) -> Vec<u8>| -> Vec<Vec<u8>> {
            list.as_array().unwrap().iter().map(item).collect()
        };
        let out = match case.get("out_b64") {
            Some(lines) => list(lines, base64),
            None => list(&case["out"], bytes),
        };
        let input = case.get("in_b64").map(base64);
        let json = case
            .get("json")
            .map(|json| json.as_array().unwrap().clone());
        let json = json.unwrap_or_default();
        assert!(json.is_empty() || json.len() == out.len(), "{case}");
        let exit = case.get("exit").map(|exit| exit.as_i64().unwrap() as i32);
        Case {
            id: text(case, "id").to_owned(),
            args: texts(case, "args").into_iter().map(str::to_owned).collect(),
            input: input.unwrap_or_else(|| bytes(&case["in"])),
            exit: exit.unwrap_or(i32::from(out.is_empty())),
            json,
            out,
        }
    }

    fn args(&self) -> Vec<&str> {
        self.args.iter().map(String::as_str).collect()
    }

    /// What is wrong with an answer, in which `known` is what `by` knows of a wanted key.
    fn faults(
        &self,
        by: &str,
        answer: &Answer,
        known: impl Fn(&str, &Value) -> Option<Value>,
    ) -> Vec<String> {
        let mut faults = Vec::new();
        if answer.out != self.out || answer.exit != self.exit {
            let text = |l: &[Vec<u8>]| String::from_utf8_lossy(&l.join(&b'\n')).into_owned();
            faults.push(format!(
                "{}, {by}: exit {} for {}\n{}\ninstead of\n{}",
                self.id,
                answer.exit,
                self.exit,
                text(&answer.out),
                text(&self.out)
            ));
        }
        for (record, keys) in answer.records.iter().zip(&self.json) {
            for (key, value) in keys.as_object().unwrap() {
                let Some(value) = known(key, value) else {
                    continue;
                };
                let nothing = [Value::Bool(false), Value::from(0), Value::Array(vec![])];
                let absent = record.get(key).is_none() && nothing.contains(&value);
                if record.get(key) != Some(&value) && !absent {
                    faults.push(format!("{}, {by}: {key} of {record}, not {value}", self.id));
                }
            }
        }
        faults
    }
}

/// Which URIs are printed, and how: the flags that are no rules of extraction.
struct Printing {
    selection: UriSelection,
    canonicalizer: Canonicalizer,
    /// Whether the canonicalizer does what a match alone does not.
    unwraps: bool,
    redactor: Option<Redactor>,
    defangs: bool,
}

impl Printing {
    fn of(flags: &[&str]) -> Printing {
        let mut printing = Printing {
            selection: UriSelection::default(),
            canonicalizer: Canonicalizer::default(),
            unwraps: false,
            redactor: None,
            defangs: false,
        };
        let mut flags = flags.iter();
        while let Some(&flag) = flags.next() {
            match flag {
                "--defang" => printing.defangs = true,
                "--redact" => printing.redactor = Some(Redactor::default()),
                "--host" => printing.selection.add_host(flags.next().unwrap()).unwrap(),
                "-L" => {
                    let level = flags.next().unwrap().parse().unwrap();
                    printing.canonicalizer = printing.canonicalizer.at(level);
                }
                "--unwrap-resolvers" => {
                    printing.unwraps = true;
                    let canonicalizer = printing.canonicalizer;
                    printing.canonicalizer = canonicalizer.unwrap_resolvers(Resolvers::built_in());
                }
                other => {
                    let names = other.strip_prefix("--redact=").unwrap_or(other);
                    let names = names.strip_prefix("query:").unwrap_or(names).split(',');
                    let redactor = Redactor::default().parameters(names).unwrap();
                    printing.redactor = Some(redactor);
                }
            }
        }
        printing
    }

    fn print(&self, uri: &[u8]) -> Vec<u8> {
        let mut buffer = Vec::new();
        self.hide(self.canonicalizer.canonicalize(uri, &mut buffer))
    }

    /// As `print`, of what is found at once.
    fn print_match(&self, found: &Match) -> Vec<u8> {
        match self.unwraps {
            true => self.print(found.uri()),
            false => self.hide(&found.canonical(self.canonicalizer.level())),
        }
    }

    fn hide(&self, uri: &[u8]) -> Vec<u8> {
        let mut redacted = Vec::new();
        let uri = match &self.redactor {
            Some(redactor) => redactor.redact(uri, &mut redacted),
            None => uri,
        };
        let mut out = Vec::new();
        match self.defangs {
            true => defang(uri, &mut out),
            false => out.extend_from_slice(uri),
        }
        out
    }
}

/// A record of what delimiting knows.
fn record(place: (usize, usize), marks: Marks) -> Value {
    json!({
        "offset": place.0,
        "length": place.1,
        "wrapper": marks.wrapper.name(),
        "wrapped": marks.wrapped,
        "hyphen_break": marks.hyphen_break,
        "url_prefix": marks.url_prefix,
        "problems": codes(delimited(marks).problems),
    })
}

fn codes(problems: Problems) -> Value {
    problems.iter().map(|problem| problem.code()).collect()
}

/// What `record` knows of a key: not what is wrong with the name of a URN.
fn known_of(key: &str, value: &Value) -> Option<Value> {
    let is_known = record((0, 0), Marks::default()).get(key).is_some();
    let mut value = is_known.then(|| value.clone())?;
    if key == "problems" {
        let names: Vec<String> = serde_json::from_value(value).unwrap();
        let mut marks = Marks::default();
        for name in names {
            marks.problems |= Problem::of_code(&name).unwrap();
        }
        value = codes(delimited(marks).problems);
    }
    Some(value)
}

fn by_the_slow_reference(case: &Case, options: &Options, printing: &Printing) -> Answer {
    let marked = Encoding::for_bom(&case.input).map(|(encoding, _)| encoding);
    let extraction = match marked.filter(|encoding| *encoding != UTF_8) {
        Some(utf16) => extract(utf16.decode(&case.input).0.as_bytes(), options),
        None => extract(&case.input, options),
    };
    let mut answer = Answer::default();
    for found in &extraction.found {
        if !printing.selection.holds(&with_scheme(found)) {
            continue;
        }
        answer.out.push(printing.print(&with_scheme(found)));
        let mut record = record((found.offset, found.length), found.marks);
        record["original"] = String::from_utf8_lossy(&found.original).into();
        answer.records.push(record);
    }
    answer.exit = match extraction.too_long[..] {
        [] => i32::from(answer.out.is_empty()),
        _ => 2,
    };
    answer
}

fn by_find(case: &Case, options: &Options, printing: &Printing) -> Answer {
    // That bytes are UTF-16 is stated.
    let finder = finder(options).utf16(utf16_bom(&case.input).is_some());
    let finder = finder.build();
    let found = finder.find(&case.input);
    let found: Vec<Match> = found
        .filter(|f| printing.selection.holds(f.uri()))
        .collect();
    Answer {
        out: found.iter().map(|f| printing.print_match(f)).collect(),
        records: found
            .iter()
            .map(|f| record((f.start(), f.end() - f.start()), f.marks()))
            .collect(),
        exit: case.exit,
    }
}

/// The answers to cases with the same flags, each in a file of its own: one run prints
/// lines, one prints records.
fn by_the_program(args: &[&str], cases: &[&Case]) -> HashMap<String, Answer> {
    let folder = TempDir::new().unwrap();
    let mut answers = HashMap::new();
    let mut files = Vec::new();
    for case in cases {
        fs::write(folder.path().join(&case.id), &case.input).unwrap();
        files.push(&case.id[..]);
        let earlier = answers.insert(case.id.clone(), Answer::default());
        assert!(earlier.is_none(), "{}: its id is taken", case.id);
    }
    let run = |more: &[&str]| {
        let args = [&["--all"], more, args, &files].concat();
        let output = program(&args).current_dir(&folder).output().unwrap();
        let code = output.status.code().unwrap();
        assert!(code < 3, "{args:?}: {output:?}");
        (output.stdout, code)
    };
    let (lines, code) = run(&["-H", "--null"]);
    for line in lines.split_inclusive(|&byte| byte == 0) {
        let line = line.strip_suffix(b"\0").expect("the last line ends");
        let colon = line.iter().position(|&byte| byte == b':').unwrap();
        let id = std::str::from_utf8(&line[..colon]).unwrap();
        let answer = answers.get_mut(id).unwrap();
        answer.out.push(line[colon + 1..].to_vec());
    }
    let (records, same) = run(&["--json", "--errors", "losses"]);
    assert_eq!(same, code, "{args:?}");
    for line in std::str::from_utf8(&records).unwrap().lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let answer = answers.get_mut(text(&record, "file")).unwrap();
        answer.records.push(record);
    }
    for answer in answers.values_mut() {
        assert_eq!(answer.records.len(), answer.out.len(), "{args:?}");
        answer.exit = i32::from(answer.out.is_empty());
    }
    let losses = fs::read_to_string(folder.path().join("losses")).unwrap();
    for line in losses.lines() {
        let loss: Value = serde_json::from_str(line).unwrap();
        answers.get_mut(text(&loss, "file")).unwrap().exit = 2;
    }
    let exits: Vec<i32> = answers.values().map(|answer| answer.exit).collect();
    let wanted = match exits.contains(&2) {
        true => 2,
        false => *exits.iter().min().unwrap(),
    };
    assert_eq!(code, wanted, "{args:?}");
    answers
}

/// Asserts that all three answer the cases of these files as they say.
fn check(files: &[&str]) {
    let read = |file: &&str| cases(file).iter().map(Case::of).collect::<Vec<_>>();
    let cases: Vec<Case> = files.iter().flat_map(read).collect();
    let mut by_flags = BTreeMap::<Vec<&str>, Vec<&Case>>::new();
    for case in &cases {
        by_flags.entry(case.args()).or_default().push(case);
    }
    let mut faults = Vec::new();
    for (args, cases) in by_flags {
        let answers = by_the_program(&args, &cases);
        for case in &cases {
            faults.extend(case.faults("the program", &answers[&case.id], |_, value| {
                Some(value.clone())
            }));
        }
        let (options, others) = options(&args);
        let in_text = |case: &&&Case| !IN_MARKUP.contains(&&case.id[..]);
        for case in cases.iter().filter(in_text) {
            let printing = Printing::of(&others);
            let is_utf16 = utf16_bom(&case.input).is_some();
            let answer = by_the_slow_reference(case, &options, &printing);
            // Its places are those of the decoded text, and it hides nothing.
            let has_original = printing.redactor.is_none() && !printing.defangs;
            let known = |key: &str, value: &Value| match key {
                "original" => has_original.then(|| value.clone()),
                "offset" | "length" if is_utf16 => None,
                key => known_of(key, value),
            };
            faults.extend(case.faults("the slow reference", &answer, known));
            let answer = by_find(case, &options, &printing);
            faults.extend(case.faults("find", &answer, known_of));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn what_is_found() {
    check(&[
        "start.jsonl",
        "wrappers.jsonl",
        "end.jsonl",
        "appendix-e.jsonl",
        "options.jsonl",
        "identifiers.jsonl",
    ]);
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
