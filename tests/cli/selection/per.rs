//! `--per`: a URI counts once in a record or a file.

use crate::program::{output_of, program, run};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

const MBOX: &str = "From a Mon Feb  2 10:00:00 2026\nFrom: a\nDate: b\nTo: c\n\n\
    http://a.example/ http://b.example/1 http://a.example/\n\n\
    From a Mon Feb  2 10:00:00 2026\nFrom: http://a.example/\nDate: b\nTo: c\n\
    Content-Type: message/rfc822\n\nFrom: d\n\nhttp://a.example/ http://b.example/2\n";

#[test]
fn a_uri_counts_once_in_a_record() {
    let warc = |block: &str| {
        let length = block.len();
        format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: application/json\r\n\
            Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
        )
    };
    let json = "[\"http://a.example/\",{\"k\":\"http://a.example/\"}]\n\"http://a.example/\"\n\
        http://a.example/\n{\"a\":\n\"http://a.example/\"}\n";
    let table = "a,b,c\nhttp://a.example/,http://a.example/,1\nhttp://a.example/,2,3\n1,2,3\n\
        4,http://a.example/,\n";
    let archive = [warc(json), warc("\"http://a.example/\"")].concat();
    for (args, input, counts) in [
        (&[][..], MBOX, [4, 2, 1]),
        (&["-i", "json"], json, [5, 4, 1]),
        (&["-i", "csv"], table, [4, 3, 1]),
        (&[], "http://a.example/ http://a.example/\n", [2, 1, 1]),
        (&[], &archive, [6, 2, 1]),
    ] {
        let unlike = [&[][..], &["--per", "record"], &["--per", "file"]];
        for (per, count) in unlike.iter().zip(counts) {
            for how in [&["-c"][..], &["--groups"], &["-c", "--max-memory", "64M"]] {
                let all = [args, per, how].concat();
                let ran = run(&all, input.as_bytes());
                let line = ran
                    .out
                    .lines()
                    .find(|line| line.ends_with("http://a.example/"));
                assert_eq!(
                    line,
                    Some(&*format!("{count}\thttp://a.example/")),
                    "{all:?} {}",
                    ran.err
                );
            }
        }
    }
    let ran = run(&["-c", "--by", "host", "--per", "record"], MBOX.as_bytes());
    assert_eq!(ran.out, "2\ta.example\n2\tb.example\n");
}

/// The members of an archive are records of one file, and a record may go on in other blocks.
#[test]
fn counts_do_not_depend_on_the_way() {
    let root = tempfile::tempdir().unwrap();
    let line =
        "{\"a\":\"http://a.example/\",\"b\":[\"http://a.example/\",\"http://b.example/\"]}\n";
    let long = format!("[{}1]\n", "\"http://a.example/\",\n".repeat(60_000));
    let text = [&line.repeat(20_000), &long, line].concat();
    fs::write(root.path().join("a.json"), &text).unwrap();
    fs::write(root.path().join("b.json"), line).unwrap();
    for jobs in ["1", "2", "5"] {
        for (per, counts) in [("record", (20_003, 20_002)), ("file", (2, 2))] {
            let args = ["-c", "--per", per, "-j", jobs, "a.json", "b.json"];
            let ran = output_of(program(&args).current_dir(root.path()));
            let wanted = format!(
                "{}\thttp://a.example/\n{}\thttp://b.example/\n",
                counts.0, counts.1
            );
            assert_eq!(ran.out, wanted, "{args:?}");
        }
    }
}

/// Counts are the same when most keys are settled after all inputs.
#[test]
fn deferred_classes_count_once_in_a_record() {
    let mut text = String::new();
    for number in 0..60_000 {
        let uri = |n: usize| format!("\"http://a.example/{}\"", n % 30_000);
        text += &format!("[{0},{1},{0}]\n", uri(number), uri(number * 7));
    }
    let args = ["-i", "json", "-c", "--per", "record", "--sort"];
    let whole = run(&args, text.as_bytes());
    let bounded = run(
        &[&args[..], &["--max-memory", "40M"]].concat(),
        text.as_bytes(),
    );
    assert!(whole.out == bounded.out && whole.out.lines().count() == 30_000);
}

/// `sources` counts the inputs of a class, also where keys are settled after all inputs (I17).
#[test]
fn a_class_knows_the_number_of_its_inputs() {
    let root = tempfile::tempdir().unwrap();
    let mut wanted = BTreeMap::new();
    for file in 0..12_usize {
        let mut text = String::new();
        for number in 0..5_000 {
            let uri = format!("http://a.example/{}", (number * (file + 1)) % 30_000);
            text += &format!("{uri} {uri}\n");
            let known: &mut (u64, BTreeSet<usize>) = wanted.entry(uri).or_default();
            known.0 += 2;
            known.1.insert(file);
        }
        fs::write(root.path().join(format!("{file:02}.txt")), text).unwrap();
    }
    for more in [
        &["-j", "1"][..],
        &["-j", "8"],
        &["--max-memory", "40M"],
        &["--max-memory", "40M", "--sort"],
        &["--per", "file"],
        &["-f", "csv"],
    ] {
        let args = [&["-c", "--json"], more, &["."]].concat();
        let args = match more[0] {
            "-f" => [&["-c"], more, &["."]].concat(),
            _ => args,
        };
        let ran = output_of(program(&args).current_dir(root.path()));
        let mut lines = ran.out.lines();
        let column = |line: &str, name: &str| line.split(',').position(|column| column == name);
        let header = (more[0] == "-f").then(|| lines.next().unwrap());
        let mut classes = 0;
        for line in lines {
            let (uri, count, sources) = match header {
                Some(header) => {
                    let values: Vec<&str> = line.split(',').collect();
                    let value = |name| values[column(header, name).unwrap()];
                    let number = |name| value(name).parse().unwrap();
                    (value("uri").to_owned(), number("count"), number("sources"))
                }
                None => {
                    let record: Value = serde_json::from_str(line).unwrap();
                    let number = |name: &str| record[name].as_u64().unwrap();
                    let uri = record["uri"].as_str().unwrap().to_owned();
                    (uri, number("count"), number("sources"))
                }
            };
            let (occurrences, inputs) = &wanted[&uri];
            let inputs = inputs.len() as u64;
            let occurrences = match more[0] {
                "--per" => inputs,
                _ => *occurrences,
            };
            assert_eq!((count, sources), (occurrences, inputs), "{uri} {args:?}");
            classes += 1;
        }
        assert_eq!(classes, wanted.len(), "{args:?} {}", ran.err);
    }
    for args in [
        &["--json"][..],
        &["--groups", "--json"],
        &["-c", "--by", "host", "--json"],
    ] {
        let ran = run(args, b"http://a.example/");
        assert!(
            !ran.out.contains("sources") && !ran.out.is_empty(),
            "{args:?}"
        );
    }
}

#[test]
fn only_counts_have_a_unit() {
    let ran = run(&["--per", "record"], b"");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("--per: only with -c or --groups"),
        "{}",
        ran.err
    );
}
