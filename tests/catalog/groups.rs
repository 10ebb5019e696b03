//! Groups of equal identifiers across the records of a catalogue: number, size and reasons
//! in the rows of `catalog list` and `catalog check`, and `case-differs`.

use crate::program::{Ran, output_of, program, run};
use crate::thorough;
use std::fmt::Write;

/// Records with one field each, as MARCBreaker text.
fn records(fields: &[&str]) -> String {
    let mut text = String::new();
    for (number, field) in fields.iter().enumerate() {
        let _ = write!(
            text,
            "=LDR  00000nam a2200000 a 4500\n=001  {number}\n{field}\n\n"
        );
    }
    text
}

/// Returns these columns of each row.
fn rows(ran: &Ran, wanted: &[&str]) -> Vec<String> {
    let mut lines = ran.out.lines();
    let header: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let place = |name: &&str| header.iter().position(|column| column == name).unwrap();
    let places: Vec<usize> = wanted.iter().map(place).collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split('\t').collect();
        let cells: Vec<&str> = places.iter().map(|&at| cells[at]).collect();
        cells.join("|")
    };
    lines.map(row).collect()
}

const GROUP: [&str; 4] = ["record_id", "group", "group_size", "group_reason"];

fn list(args: &[&str], text: &str) -> Ran {
    run(
        &[&["catalog", "list", "-f", "tsv"], args].concat(),
        text.as_bytes(),
    )
}

fn check(args: &[&str], text: &str) -> Ran {
    run(
        &[&["catalog", "check", "-f", "tsv"], args].concat(),
        text.as_bytes(),
    )
}

#[test]
fn equal_identifiers_of_different_records_are_groups() {
    let text = records(&[
        "=856  40$uhttp://a.example/",
        "=020  \\\\$a0-451-45052-3 (pbk.)",
        "=856  40$uhttp://b.example/",
        "=856  40$uHTTP://A.example:80",
        "=020  \\\\$a9780451450524",
        "=024  7\\$a10.1000/ABC$2doi",
        "=856  40$uhttps://doi.org/10.1000/abc",
        "=856  40$uhttp://c.example/a b",
        "=856  40$uhttp://c.example/a%20b",
        "=856  40$uhttp://a.example/",
        "=020  \\\\$aabc",
    ]);
    let wanted = [
        "0|1|3|case url-syntax",
        "1|2|2|hyphens isbn13",
        "2|||",
        "3|1|3|case url-syntax",
        "4|2|2|hyphens isbn13",
        "5|3|2|name-case resolver bare",
        "6|3|2|name-case resolver bare",
        "7|4|2|percent-encoding",
        "8|4|2|percent-encoding",
        "9|1|3|case url-syntax",
        "10|||",
    ];
    let ran = list(&[], &text);
    assert_eq!(
        (rows(&ran, &GROUP), ran.code),
        (wanted.map(str::to_owned).to_vec(), 0)
    );
    // As they are found, without groups.
    let ran = list(&["--no-groups"], &text);
    let alone = rows(&ran, &GROUP);
    assert_eq!(alone.len(), wanted.len());
    assert!(alone.iter().all(|row| row.ends_with("|||")), "{alone:?}");
    let ran = run(&["catalog", "list", "--json"], text.as_bytes());
    assert!(
        ran.out.contains("\"group\":1,\"group_size\":3,"),
        "{}",
        ran.out
    );
}

/// A group counts all its members, shown or not.
#[test]
fn case_differs_names_the_commonest_spelling() {
    let text = records(&[
        "=856  40$uhttp://a.example/Thesis",
        "=856  40$uhttp://a.example/thesis",
        "=856  40$uHTTP://a.example/thesis",
        "=856  40$uhttp://b.example/x.",
        "=856  40$uhttps://doi.org/10.1000/A",
        "=856  40$uhttps://doi.org/10.1000/a",
    ]);
    let ran = check(&["--problem", "case-differs"], &text);
    let columns = [
        "record_id",
        "problem",
        "problem_text",
        "suggestion",
        "group",
    ];
    let wanted = ["0|case-differs|other case elsewhere|http://a.example/thesis|"];
    assert_eq!(
        (rows(&ran, &columns), ran.code),
        (wanted.map(str::to_owned).to_vec(), 0)
    );
    // It is only information.
    let ran = check(&[], &text);
    assert_eq!((rows(&ran, &columns).len(), ran.code), (2, 1));
    let ran = check(&["--no-groups", "--problem", "case-differs"], &text);
    assert_eq!(rows(&ran, &columns).len(), 0);
    let ran = check(&["--summary"], &text);
    let counts = rows(&ran, &["code", "count"]);
    assert_eq!(counts, ["trailing-punct|1", "case-differs|1"]);
    let ran = list(&[], &text);
    assert_eq!(rows(&ran, &["problem"])[..2], ["case-differs", ""]);
    // The columns of groups are those of all rows.
    let text = records(&[
        "=856  40$uhttp://a.example/x.",
        "=856  40$uHTTP://a.example/x.",
    ]);
    let ran = check(&[], &text);
    assert_eq!(rows(&ran, &GROUP), ["0|1|2|case", "1|1|2|case"]);
}

/// A secret is hidden in what is suggested, too.
#[test]
fn a_suggested_spelling_is_redacted() {
    let text = records(&[
        "=856  40$uhttp://u:secret@a.example/x",
        "=856  40$uhttp://u:secret@a.example/x",
        "=856  40$uhttp://u:secret@a.example/X",
    ]);
    let ran = check(&["--redact", "--problem", "case-differs"], &text);
    assert!(!ran.out.contains("secret"), "{}", ran.out);
    assert_eq!(rows(&ran, &["record_id"]), ["2"]);
}

/// So many rows that they exceed the least memory.
fn many() -> String {
    let mut text = String::new();
    for number in 0..40_000 {
        let (shared, tail) = (number % 7_000, "tail/".repeat(20));
        let host = if number % 3 == 0 {
            "A.example"
        } else {
            "a.example"
        };
        let case = if number % 11 == 0 { "X" } else { "x" };
        let _ = write!(
            text,
            "=001  {number}\n=245  10$aTitle {number}\n=856  40$uhttp://{host}/{tail}{shared}{case}\n\n"
        );
    }
    text
}

#[test]
fn memory_and_threads_change_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("many.mrk");
    std::fs::write(&path, many()).unwrap();
    let path = path.to_str().unwrap();
    let commands = [
        &["catalog", "list"][..],
        &["catalog", "check", "--problem", "case-differs"],
    ];
    for (number, command) in commands.into_iter().enumerate() {
        let run = |args: &[&str]| {
            let ran = output_of(&mut program(&[command, args, &[path]].concat()));
            assert_eq!(ran.err, "");
            ran.out
        };
        let wanted = run(&["--max-memory", "none", "-j", "1"]);
        assert!(wanted.lines().count() > 1_000);
        let ways = [
            ["--max-memory", "64M", "-j", "1"],
            ["--max-memory", "64M", "-j", "4"],
            ["--max-memory", "none", "-j", "2"],
        ];
        for args in thorough::part(ways, 2, number) {
            assert!(run(&args) == wanted, "{args:?}");
        }
    }
    let ran = output_of(&mut program(&[
        "catalog",
        "list",
        "--max-memory",
        "64M",
        "-T",
        "no/such",
        path,
    ]));
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("-T no/such: is not a directory"),
        "{}",
        ran.err
    );
}

/// Rows for which there is no memory need the temporary file: where that cannot be written,
/// the run ends with the name of its directory, and the file of `-o` does not appear.
#[cfg(target_os = "linux")]
#[test]
fn a_temporary_file_that_fails_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let (path, out) = (
        directory.path().join("many.mrk"),
        directory.path().join("out.csv"),
    );
    std::fs::write(&path, many()).unwrap();
    for to_file in [false, true] {
        let mut program = program(&["catalog", "list", "--max-memory", "64M", "-T", "/proc"]);
        if to_file {
            program.arg("-o").arg(&out);
        }
        let ran = output_of(program.arg(&path));
        assert_eq!(ran.code, 2);
        let error = "cannot create a temporary file in /proc: ";
        assert!(
            ran.err.contains(error) && ran.err.contains("-T names another"),
            "{}",
            ran.err
        );
        assert!(ran.out.lines().count() < 2 && !out.exists());
    }
}

#[test]
fn reasons_are_listed() {
    let ran = run(&["formats"], b"");
    for reason in urisieve::catalog::GroupReason::ALL {
        let line = format!("group\t{}\t{}\n", reason.code(), reason.words());
        assert!(ran.out.contains(&line), "{line}");
    }
}
