//! Lists of indicators (`--match`): what is printed, counted and named, and exit codes.

use crate::program::{Ran, output_of, program};
use std::fs;
use std::path::Path;

const TEXT: &[u8] = b"http://www.evil.example/x http://b.example/ http://evil.example/y\n";

/// Runs the program in a folder.
fn run_in(folder: &Path, args: &[&str], text: &[u8]) -> Ran {
    output_of(program(args).current_dir(folder).write_stdin(text))
}

/// Runs the program where these lists are.
fn with_lists(lists: &[(&str, &str)], args: &[&str], text: &[u8]) -> Ran {
    let folder = tempfile::tempdir().unwrap();
    for (name, list) in lists {
        fs::write(folder.path().join(name), list).unwrap();
    }
    run_in(folder.path(), args, text)
}

#[test]
fn entries_are_printed_before_uris() {
    let lists = [
        ("a", "# c\nevil.example\n*.evil.example\n"),
        ("b", "=evil.example\n"),
    ];
    let both = ["--match", "a", "--match", "b"];
    let args = |more: &[&'static str]| [&both[..], more].concat();
    let ran = with_lists(&lists, &args(&[]), TEXT);
    assert_eq!(
        (ran.out.as_str(), ran.code),
        ("http://www.evil.example/x\nhttp://evil.example/y\n", 0)
    );
    let ran = with_lists(&lists, &args(&["--match-with", "-n"]), TEXT);
    assert_eq!(
        ran.out,
        "1:evil.example\thttp://www.evil.example/x\n1:evil.example\thttp://evil.example/y\n"
    );
    let ran = with_lists(&lists, &args(&["--json"]), TEXT);
    let records: Vec<serde_json::Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        records[0]["match"],
        serde_json::json!(["evil.example", "*.evil.example"])
    );
    assert_eq!(records[0]["match_list"], serde_json::json!(["a:2", "a:3"]));
    assert_eq!(records[1]["match_list"], serde_json::json!(["a:2", "b:1"]));
    // Records that are kept until the end have them, too.
    let sorted = with_lists(&lists, &args(&["--json", "--sort", "-c"]), TEXT).out;
    assert!(
        sorted.contains("\"match_list\":[\"a:2\",\"b:1\"]"),
        "{sorted}"
    );
    let csv = with_lists(&lists, &args(&["-f", "csv"]), TEXT).out;
    assert!(csv.contains("a:2;b:1"), "{csv}");
    let nothing = with_lists(&lists, &args(&[]), b"http://b.example/");
    assert_eq!((nothing.out.as_str(), nothing.code), ("", 1));
}

#[test]
fn entries_are_counted() {
    let lists = [(
        "l",
        "evil.example\n*.evil.example\nnone.example\nEVIL.example\nevil.example\n!x.example\n",
    )];
    let count = ["-c", "--by", "match", "--match", "l"];
    let ran = with_lists(&lists, &count, TEXT);
    assert_eq!(
        ran.out,
        "2\tEVIL.example\n2\tevil.example\n1\t*.evil.example\n"
    );
    let all = [&count[..], &["--match-all"]].concat();
    let ran = with_lists(&lists, &all, TEXT);
    assert_eq!(
        ran.out,
        "2\tEVIL.example\n2\tevil.example\n1\t*.evil.example\n0\tnone.example\n"
    );
    let nothing = with_lists(&lists, &all, b"");
    assert_eq!((nothing.out.lines().count(), nothing.code), (4, 1));
    for (args, why) in [
        (&["-c", "--by", "match"][..], "only with --match"),
        (&["--match", "l", "--match-all"], "only with -c --by match"),
        (&["--match-with"], "--match"),
        (
            &["--match", "l", "--match-with", "--json"],
            "only with -f text",
        ),
        (&["--match", "missing"], "missing"),
        (&["--match", "l", "--match-column", "x"], "no column"),
    ] {
        let ran = with_lists(&lists, args, TEXT);
        assert!(
            ran.code == 2 && ran.err.contains(why),
            "{args:?}: {}",
            ran.err
        );
    }
}

#[test]
fn lines_that_are_not_entries_are_named() {
    let list = format!(
        "http://a.example*\nb.example\n{}/un(closed/\n",
        "hello world\n".repeat(11)
    );
    let lists = [("l", list.as_str())];
    let ran = with_lists(&lists, &["--match", "l"], TEXT);
    assert_eq!((ran.out.as_str(), ran.code), ("http://b.example/\n", 2));
    assert!(
        ran.err
            .contains("l:1: not an entry: \"http://a.example*\": no / before *"),
        "{}",
        ran.err
    );
    assert!(
        ran.err
            .contains("l: 3 more lines are not entries, 13 in all"),
        "{}",
        ran.err
    );
    let quiet = with_lists(&lists, &["--match", "l", "--no-messages"], TEXT);
    assert_eq!((quiet.err.as_str(), quiet.code), ("", 2));
    let found = with_lists(&lists, &["--match", "l", "-q"], TEXT);
    assert_eq!(found.code, 0);
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("l"), &list).unwrap();
    run_in(
        folder.path(),
        &["--match", "l", "--errors", "e.jsonl"],
        TEXT,
    );
    let errors = fs::read_to_string(folder.path().join("e.jsonl")).unwrap();
    assert_eq!(errors.matches("\"bad-entry\"").count(), 13, "{errors}");
}

#[test]
fn links_and_lines_of_lists_are_matched() {
    let lists = [("l", "evil.example\n")];
    let page = b"<html><a href=http://www.evil.example/x>x</a><a href=http://b.example/>y</a>";
    let args = [
        "links",
        "--base",
        "http://p.example/",
        "-i",
        "html",
        "--match",
        "l",
    ];
    let ran = with_lists(&lists, &args, page);
    assert_eq!(ran.out, "http://p.example/\thttp://www.evil.example/x\n");
    let ran = with_lists(&lists, &[&args[..], &["--match-with"]].concat(), page);
    assert_eq!(
        ran.out,
        "evil.example\thttp://p.example/\thttp://www.evil.example/x\n"
    );
    let text = b" HTTP://Evil.example\nno URI\nhttp://evil.example\nhttp://b.example/\n";
    let ran = with_lists(&lists, &["dedup", "-L", "scheme", "--match", "l"], text);
    assert_eq!((ran.out.as_str(), ran.code), ("HTTP://Evil.example\n", 0));
    let ran = with_lists(
        &lists,
        &["dedup", "--match", "l", "--match-with", "--no-messages"],
        text,
    );
    assert_eq!(ran.out, "evil.example\tHTTP://Evil.example\n");
    let bad = with_lists(
        &[("l", "b.example\nx y\n")],
        &["dedup", "--match", "l"],
        text,
    );
    assert_eq!((bad.out.as_str(), bad.code), ("http://b.example/\n", 2));
    let csv = b"id,url\n1,http://b.example/\n2,http://evil.example/\n";
    let ran = with_lists(
        &lists,
        &["dedup", "--csv-column", "url", "--match", "l"],
        csv,
    );
    assert_eq!(ran.out, "id,url\n2,http://evil.example/\n");
}
