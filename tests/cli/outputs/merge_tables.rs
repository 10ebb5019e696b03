//! The command `merge` on tables of Parquet: parts of a run become the table of the run.

use crate::program::run;
use parquet::file::reader::SerializedFileReader;
use std::fs::{self, File};
use std::path::Path;

/// The rows of a table as text.
fn rows(path: &str) -> Vec<String> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    reader
        .into_iter()
        .map(|row| row.unwrap().to_string())
        .collect()
}

fn name(root: &Path, name: &str) -> String {
    root.join(name).to_str().unwrap().to_owned()
}

/// Two inputs with classes of their own and shared ones, in several spellings, with times.
fn inputs(root: &Path) -> [String; 2] {
    [0, 1].map(|part: u32| {
        let path = name(root, &format!("{part}.log"));
        let mut text = Vec::new();
        for n in 0..500_u32 {
            let class = (n * 37 + part * 211) % 400;
            let host = if (n + part).is_multiple_of(3) {
                "A.Example"
            } else {
                "a.example"
            };
            let day = 1 + (n + part * 9) % 28;
            let line = format!("2026-01-{day:02}T00:00:00Z GET http://{host}:80/{class} 200\n");
            text.extend_from_slice(line.as_bytes());
        }
        text.extend_from_slice(
            b"http://a.example/\xFF http://a.example/%FF http://a.example/%ff\n",
        );
        fs::write(&path, text).unwrap();
        path
    })
}

#[test]
fn parts_of_a_run_become_its_table() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let [a, b] = inputs(root);
    for args in [
        &["--sort"][..],
        &["-c", "--sort"],
        &["--groups", "--sort"],
        &["links", "--sort"],
        &["-c", "--by", "path", "--sort"],
    ] {
        let table = |inputs: &[&str], to: &str| {
            let to = name(root, to);
            let ran = run(&[args, &["-o", &to], inputs].concat(), b"");
            assert!(ran.code < 2, "{args:?} {}", ran.err);
            to
        };
        let whole = table(&[&a, &b], "whole.parquet");
        let parts = [table(&[&a], "a.parquet"), table(&[&b], "b.parquet")];
        let merged = name(root, "merged.parquet");
        let mut merge = vec!["merge", &parts[0], &parts[1], "-o", &merged];
        if args.contains(&"--groups") {
            merge.push("--groups");
        }
        let ran = run(&merge, b"");
        let wanted = rows(&whole);
        assert_eq!(
            (&*ran.err, ran.code),
            ("", u8::from(wanted.is_empty()).into())
        );
        assert!(rows(&merged) == wanted, "{args:?}");
        assert_eq!(
            fs::read(&merged).unwrap(),
            fs::read(&whole).unwrap(),
            "{args:?}"
        );
        assert!(args[0] == "links" || wanted.len() > 1, "{args:?}");
        // One of them, and to a pipe.
        let ran = run(&["merge", &whole, "-o", &merged, "--groups"], b"");
        assert_eq!((&*ran.err, rows(&merged) == wanted), ("", true), "{args:?}");
    }
    let piped = name(root, "piped.parquet");
    let program = assert_cmd::cargo::cargo_bin!("urisieve");
    let mut command = std::process::Command::new(program);
    let out = command
        .args(["merge", &name(root, "whole.parquet")])
        .output()
        .unwrap();
    fs::write(&piped, out.stdout).unwrap();
    assert_eq!(rows(&piped), rows(&name(root, "whole.parquet")));
}

#[test]
fn parts_of_a_division_are_merged_part_by_part() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let [a, b] = inputs(root);
    let split = |inputs: &[&str], to: &str| {
        let to = name(root, to);
        let pattern = format!("{to}/part-{{}}.parquet");
        let ran = run(
            &[&["--sort", "--split", "4", "-o", &pattern], inputs].concat(),
            b"",
        );
        assert_eq!(ran.code, 0, "{}", ran.err);
        to
    };
    let (whole, one, two) = (
        split(&[&a, &b], "whole"),
        split(&[&a], "one"),
        split(&[&b], "two"),
    );
    let all = name(root, "all");
    let ran = run(
        &[
            "merge",
            &one,
            &two,
            "-o",
            &format!("{all}/part-{{}}.parquet"),
        ],
        b"",
    );
    assert_eq!((&*ran.err, ran.code), ("", 0));
    for part in 0..4 {
        let part = format!("part-{part:05}.parquet");
        assert_eq!(
            rows(&format!("{all}/{part}")),
            rows(&format!("{whole}/{part}"))
        );
    }
}

#[test]
fn what_cannot_be_merged_is_named() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    let [a, b] = inputs(root);
    let table = |args: &[&str], to: &str| {
        let to = name(root, to);
        let ran = run(&[args, &["-o", &to]].concat(), b"");
        assert!(ran.code < 2, "{args:?} {}", ran.err);
        to
    };
    let good = table(&["--sort", &a], "good.parquet");
    let found = table(&[&b], "found.parquet");
    let groups = table(&["--groups", "--sort", &a], "groups.parquet");
    let all = table(&["--all", &a], "all.parquet");
    let hosts = table(&["-c", "--by", "host", "--sort", &a], "hosts.parquet");
    let lines = table(&["--sort", &a], "lines.txt");
    let store = name(root, "store");
    run(&["--seen", &store, &a], b"");
    let export = table(
        &["seen", "export", "-f", "parquet", &store],
        "export.parquet",
    );
    let out = name(root, "out.parquet");
    for (args, why) in [
        (&[&good[..], &found][..], "found.parquet: row "),
        (
            &[&good, &found],
            "not in byte order; merge reads what --sort printed",
        ),
        (
            &[&good, &groups],
            "a second row of its URI; --groups merges spellings",
        ),
        (&[&all], "its rows are occurrences, by --all"),
        (&[&good, &hosts], "its columns are not those of"),
        (&[&good, &lines], "lines.txt: no table of Parquet, as"),
        (&[&export], "no table of URIs"),
        (&[&good, "-c"], "-c: the counts of a table are in a column"),
        (&[&good, "--json"], "--json: a table has no lines"),
        (&[&good, "-z"], "-z: a table has no lines"),
        (&[&good, "no/such/file"], "no/such/file"),
    ] {
        let ran = run(&[&["merge", "-o", &out], args].concat(), b"");
        assert!(
            ran.code == 2 && ran.err.contains(why),
            "{args:?} {}",
            ran.err
        );
        assert!(!Path::new(&out).exists(), "{args:?}");
    }
    let ran = run(&["merge", &good, "-o", &name(root, "x.txt")], b"");
    assert!(
        ran.code == 2 && ran.err.contains("use another extension"),
        "{}",
        ran.err
    );
    // A damaged table.
    let mut bytes = fs::read(&good).unwrap();
    for byte in &mut bytes[10..200] {
        *byte ^= 0x55;
    }
    let damaged = name(root, "damaged.parquet");
    fs::write(&damaged, bytes).unwrap();
    let ran = run(&["merge", &damaged, "-o", &out], b"");
    assert!(
        ran.code == 2 && ran.err.contains("damaged.parquet"),
        "{}",
        ran.err
    );
}
