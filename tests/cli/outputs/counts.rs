//! Counts by parts of URIs, and the numbers of a run.

use super::*;
use serde_json::Value;
use std::io::{BufRead, BufReader, Write};
use std::time::Duration;

#[test]
fn parts_are_counted() {
    let text = b"http://www.a.co.uk/1 http://b.a.co.uk/ HTTP://WWW.a.co.uk/2 ftp://c.example/\n\
        urn:isbn:1 urn:ISBN:2 file:///x http://192.0.2.1/ http://192.0.2.1/ http://192.0.2.1/";
    let out = |args: &[&str]| {
        let ran = run(args, text);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.text().to_owned()
    };
    for (part, wanted) in [
        (
            "host",
            "3\t-\n3\t192.0.2.1\n2\twww.a.co.uk\n1\tb.a.co.uk\n1\tc.example\n",
        ),
        ("domain", "6\t-\n3\ta.co.uk\n1\tc.example\n"),
        ("suffix", "6\t-\n3\tco.uk\n1\texample\n"),
        ("scheme", "6\thttp\n2\turn\n1\tfile\n1\tftp\n"),
        ("nid", "8\t-\n2\tisbn\n"),
        ("file", "10\t(standard input)\n"),
    ] {
        assert_eq!(out(&["-c", "--by", part]), wanted, "{part}");
        assert_eq!(out(&["-c", "--by", part, "-j", "2"]), wanted, "{part}");
    }
    assert_eq!(out(&["-c", "--by", "uri"]), out(&["-c"]));
    assert_eq!(out(&["-c", "--by", "scheme", "--top", "1"]), "6\thttp\n");
    assert_eq!(
        out(&["-c", "--by", "scheme", "--sort"]),
        "1\tfile\n1\tftp\n6\thttp\n2\turn\n"
    );
    assert_eq!(out(&["-c", "--by", "nid", "-0"]), "8\t-\x002\tisbn\0");
    assert_eq!(
        out(&["-c", "--by", "nid", "--json"]),
        "{\"nid\":null,\"count\":8}\n{\"nid\":\"isbn\",\"count\":2}\n"
    );
    assert_eq!(
        out(&["-c", "--by", "nid", "-f", "csv"]),
        "nid,count\n,8\nisbn,2\n"
    );
    assert_eq!(
        out(&["-c", "--by", "nid", "-f", "tsv"]),
        "nid\tcount\n\t8\nisbn\t2\n"
    );
    assert_eq!(out(&["-c", "--by", "host", "-s", "ftp"]), "1\tc.example\n");
    assert_eq!(
        out(&["-c", "--by", "host", "--top", "2", "--defang", "--sort"]),
        "3\t-\n3\t192[.]0[.]2[.]1\n"
    );
    for wrong in [
        &["--by", "host"][..],
        &["-c", "--groups", "--by", "host"],
        &["--all", "--by", "host"],
        &["-c", "--by", "colour"],
        &["-c", "--by", "host", "-f", "ecs"],
    ] {
        assert_eq!(run(wrong, text).code, 2, "{wrong:?}");
    }
}

#[test]
fn files_are_counted_by_their_names() {
    let folder = folder();
    fs::write(folder.path().join("a,b.log"), TEXT).unwrap();
    fs::write(folder.path().join("c.log"), TEXT.repeat(2)).unwrap();
    fs::write(folder.path().join("none.log"), "nothing").unwrap();
    let out = |args: &[&str]| {
        let args = [
            &["-c", "--by", "file", "a,b.log", "c.log", "none.log"],
            args,
        ]
        .concat();
        run_in(folder.path(), &args, b"").text().to_owned()
    };
    assert_eq!(out(&[]), "8\tc.log\n4\ta,b.log\n");
    assert_eq!(out(&["-f", "csv"]), "file,count\nc.log,8\n\"a,b.log\",4\n");
    assert_eq!(
        out(&["--json", "--top", "1"]),
        "{\"file\":\"c.log\",\"count\":8}\n"
    );
}

#[test]
fn counting_parts_takes_memory_for_parts_alone() {
    // Only two hosts are distinguished, and the first of each is remembered.
    let text: String = (0..20_000)
        .map(|i| format!("http://{}.example/{i}\n", ["a", "b"][i % 2]))
        .collect();
    let ran = run(&["-c", "--by", "host", "--stats"], text.as_bytes());
    assert_eq!(ran.text(), "10000\ta.example\n10000\tb.example\n");
    assert!(ran.err.contains(" 2 distinct\n"), "{}", ran.err);
    assert!(ran.err.contains(" 20000 occurrences\n"));
}

/// A list of URIs has no pointers, but those that are too long are counted as in objects.
#[test]
fn pointers_that_are_too_long_are_counted_in_each_form() {
    let text = format!("{{\"{}\":\"http://a.example/\"}}", "k".repeat(4096));
    let list = run(&["-i", "json", "--stats"], text.as_bytes());
    assert_eq!(list.text(), "http://a.example/\n");
    assert!(list.err.contains(" 1 without_pointer\n"), "{}", list.err);
    let objects = run(&["-i", "json", "--stats", "--json"], text.as_bytes());
    let numbers: Value = serde_json::from_str(&objects.err).unwrap();
    assert_eq!(numbers["without_pointer"], 1);
}

#[test]
fn numbers_say_what_was_written() {
    let folder = folder();
    let stats = |args: &[&str]| run_in(folder.path(), &[args, &["--stats"]].concat(), TEXT);
    let plain = stats(&[]);
    assert!(plain.err.contains(" 3 records\n"));
    assert!(
        plain
            .err
            .contains(&format!(" {} output_bytes\n", plain.out.len()))
    );
    let packed = stats(&["-o", "a.jsonl.gz", "--all"]);
    let numbers: Value = serde_json::from_str(&packed.err).unwrap();
    let len = fs::metadata(folder.path().join("a.jsonl.gz"))
        .unwrap()
        .len();
    assert_eq!(
        (&numbers["records"], &numbers["output_bytes"]),
        (&4.into(), &len.into())
    );
    let table = stats(&["-o", "a.parquet"]);
    let len = fs::metadata(folder.path().join("a.parquet")).unwrap().len();
    assert!(table.err.contains(&format!(" {len} output_bytes\n")));
}

#[test]
fn progress_is_said_when_asked_for() {
    let mut child = spawn(Path::new("."), &["--progress", "always"]);
    let mut input = child.stdin.take().unwrap();
    input.write_all(TEXT).unwrap();
    input.flush().unwrap();
    // The input stays open until something was printed.
    let mut said = String::new();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    lines.read_line(&mut said).unwrap();
    assert!(said.starts_with("urisieve: "), "{said}");
    assert!(said.contains("/s, "), "{said}");
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stdout, run(&[], TEXT).out);
    let quiet: [&[&str]; 2] = [
        &["--progress", "auto"],
        &["--progress", "always", "--no-messages"],
    ];
    let children = quiet.map(|args| spawn(Path::new("."), args));
    std::thread::sleep(Duration::from_millis(1300));
    for mut child in children {
        drop(child.stdin.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.stderr.is_empty());
    }
}

#[test]
fn formats_lists_what_is_written() {
    let formats = run(&["formats"], b"");
    for name in ["text", "count", "jsonl", "csv", "tsv", "parquet", "ecs"] {
        assert!(
            formats.text().contains(&format!("output\t{name}\t")),
            "{name}"
        );
    }
}
