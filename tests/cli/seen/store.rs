//! The command `seen`: what a store has, and how it is changed as a whole.

use crate::program::{Ran, run};
use std::fs;
use std::path::PathBuf;

struct Shelf(tempfile::TempDir);

impl Shelf {
    fn new() -> Shelf {
        Shelf(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Commits lines to a store.
    fn add(&self, store: &str, lines: &str, more: &[&str]) {
        let store = self.name(store);
        let ran = run(
            &[&["dedup", "--seen", &store], more].concat(),
            lines.as_bytes(),
        );
        assert_eq!(ran.code, 0, "{}", ran.err);
    }

    /// Runs a command of a store.
    fn seen(&self, command: &str, store: &str, more: &[&str], input: &str) -> Ran {
        let store = self.name(store);
        run(
            &[&["seen", command, &store], more].concat(),
            input.as_bytes(),
        )
    }

    fn exported(&self, store: &str, more: &[&str]) -> String {
        self.seen("export", store, more, "").out
    }
}

#[test]
fn a_store_is_exported_in_order() {
    let shelf = Shelf::new();
    shelf.add(
        "s",
        "http://b.example/2\nhttp://a.example/1\nno uri, \"x\"\n",
        &["--note", "night, 1"],
    );
    shelf.add(
        "s",
        "http://sub.a.example/\nhttp://a.example/1\nhttp://a.example/0\n",
        &[],
    );
    let all = "http://a.example/0\nhttp://a.example/1\nhttp://b.example/2\nhttp://sub.a.example/\nno uri, \"x\"\n";
    assert_eq!(shelf.exported("s", &[]), all);
    assert_eq!(shelf.exported("s", &["-0"]), all.replace('\n', "\0"));
    let first = "http://a.example/1\nhttp://b.example/2\nno uri, \"x\"\n";
    assert_eq!(shelf.exported("s", &["--commit", "1"]), first);
    assert_eq!(
        shelf.exported("s", &["--prefix", "http://a.example/"]),
        "http://a.example/0\nhttp://a.example/1\n"
    );
    assert_eq!(
        shelf
            .exported("s", &["--host", "a.example"])
            .lines()
            .count(),
        3
    );
    assert_eq!(
        shelf
            .exported("s", &["--include", "/[01]$"])
            .lines()
            .count(),
        2
    );
    assert_eq!(shelf.exported("s", &["--since", "1h"]), all);
    let none = shelf.seen("export", "s", &["--since", "2999-01-01"], "");
    assert_eq!((&*none.out, none.code), ("", 1));
    assert_eq!(shelf.seen("export", "s", &["--since", "soon"], "").code, 2);
    let csv = shelf.exported("s", &["-f", "csv", "--commit", "1"]);
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "uri,commit,first_seen,note");
    assert!(lines[1].starts_with("http://a.example/1,1,20") && lines[1].ends_with(",\"night, 1\""));
    assert!(
        lines[3].starts_with("\"no uri, \"\"x\"\"\",1,"),
        "{}",
        lines[3]
    );
    let json = shelf.exported("s", &["-f", "jsonl"]);
    for line in json.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        assert!(
            row["uri"].is_string() && row["commit"].is_u64() && row["note"].is_string(),
            "{line}"
        );
    }
    let out = shelf.name("out.txt");
    assert_eq!(shelf.exported("s", &["-o", &out]), "");
    assert_eq!(fs::read_to_string(&out).unwrap(), all);
}

#[test]
fn an_export_is_imported() {
    let shelf = Shelf::new();
    shelf.add(
        "s",
        "HTTP://A.example:80/\nhttp://b.example/\n",
        &["--note", "one"],
    );
    shelf.add("s", "http://c.example/\n\u{FC}\n", &["--note", "two \"x\""]);
    // With other settings.
    let text = shelf.exported("s", &[]);
    let ran = shelf.seen("import", "t", &["-L", "scheme", "--note", "all"], &text);
    assert_eq!((&*ran.out, ran.code), ("", 0), "{}", ran.err);
    assert_eq!(
        shelf.exported("t", &["--host", "a.example"]),
        "http://a.example/\n"
    );
    // A store that is there keeps its own rules.
    let more = shelf.seen(
        "import",
        "t",
        &[],
        "http://d.example:80/\nhttp://a.example/\n",
    );
    assert_eq!((&*more.out, more.code), ("", 0), "{}", more.err);
    assert_eq!(
        shelf.exported("t", &["--commit", "2"]),
        "http://d.example/\n"
    );
    let other = shelf.seen("import", "t", &["-L", "syntax"], "http://e.example/\n");
    assert!(
        other.code == 2 && other.err.contains("level is scheme there and syntax here"),
        "{}",
        other.err
    );
    assert_eq!(
        shelf.seen("import", "t", &[], "http://a.example/\n").code,
        1
    );
    // With its commits.
    let json = shelf.exported("s", &["-f", "jsonl"]);
    let file = shelf.name("s.jsonl");
    fs::write(&file, &json).unwrap();
    let ran = shelf.seen("import", "copy", &[&file], "");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(shelf.exported("copy", &["-f", "jsonl"]), json);
    let again = shelf.seen("import", "copy", &[&file], "");
    assert!(
        again.code == 2 && again.err.contains("a new store only"),
        "{}",
        again.err
    );
    // Also as a table, and keys that are not text.
    let odd = b"http://o.example/\xFF\"a,b\nhttp://o.example/,\n\xFE \"\n";
    let store = shelf.name("s");
    assert_eq!(run(&["dedup", "--seen", &store], odd).code, 0);
    let json = shelf.exported("s", &["-f", "jsonl"]);
    for form in ["csv", "parquet"] {
        let file = shelf.name(&format!("s.{form}"));
        let ran = run(&["seen", "export", &store, "-f", form, "-o", &file], b"");
        assert_eq!((&*ran.out, &*ran.err, ran.code), ("", "", 0));
        let copy = format!("copy-{form}");
        let ran = shelf.seen("import", &copy, &[&file], "");
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(ran.err.contains("7 URIs restored"), "{}", ran.err);
        assert_eq!(shelf.exported(&copy, &["-f", "jsonl"]), json, "{form}");
        let again = shelf.seen("import", &copy, &[&file], "");
        assert!(again.code == 2 && again.err.contains("a new store only"));
    }
    // Columns that are named are those of a list.
    let file = shelf.name("s.csv");
    let listed = shelf.seen("import", "listed", &["--csv-column", "uri", &file], "");
    assert_eq!(listed.code, 0, "{}", listed.err);
    assert_eq!(
        shelf.exported("listed", &["--commit", "1"]).lines().count(),
        4
    );
    fs::write(
        &file,
        "uri,commit,first_seen,note\nhttp://a.example/,1,2026,x\n\"a",
    )
    .unwrap();
    let damaged = shelf.seen("import", "none", &[&file], "");
    assert!(
        damaged.code == 2
            && damaged
                .err
                .contains("s.csv: row 1: not a record of an export"),
        "{}",
        damaged.err
    );
    // Values of tables.
    let csv = shelf.seen(
        "import",
        "u",
        &["--csv-column", "url"],
        "id,url\n1,http://a.example/\n2,none\n",
    );
    assert_eq!(csv.code, 0, "{}", csv.err);
    assert_eq!(shelf.exported("u", &[]), "http://a.example/\n");
    assert_eq!(shelf.seen("import", "u", &["-o", "x"], "").code, 2);
    // More than the memory has.
    let lines: String = (0..3000)
        .map(|n| format!("http://h.example/{}\n", n % 2000))
        .collect();
    let ran = shelf.seen("import", "v", &["--max-memory", "30K"], &lines);
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(shelf.exported("v", &[]).lines().count(), 2000);
}

#[test]
fn lines_are_checked_by_the_settings_of_the_store() {
    let shelf = Shelf::new();
    shelf.add(
        "s",
        "http://a.example/\nnone\n",
        &["-L", "scheme", "--strip-fragment"],
    );
    let lines = " HTTP://a.example:80/#x\r\nhttp://b.example/\nnone\n";
    let ran = shelf.seen("check", "s", &[], lines);
    let rows: Vec<Vec<&str>> = ran
        .out
        .lines()
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!((rows.len(), ran.code), (3, 1), "{}", ran.out);
    assert_eq!(
        (rows[0][0], rows[0][2]),
        ("known", " HTTP://a.example:80/#x")
    );
    assert!(rows[0][1].ends_with('Z') && rows[0][1].starts_with("20"));
    assert_eq!(rows[1], ["new", "-", "http://b.example/"]);
    assert_eq!((rows[2][0], rows[2][2]), ("known", "none"));
    let known = shelf.seen("check", "s", &["--known"], lines);
    assert_eq!(
        (&*known.out, known.code),
        (" HTTP://a.example:80/#x\r\nnone\n", 1)
    );
    let new = shelf.seen("check", "s", &["--new"], lines);
    assert_eq!((&*new.out, new.code), ("http://b.example/\n", 1));
    assert_eq!(shelf.seen("check", "s", &[], "none").code, 0);
    assert_eq!(shelf.seen("check", "s", &["no/such/file"], "").code, 2);
    assert_eq!(shelf.seen("check", "missing", &[], "").code, 2);
}

#[test]
fn stores_are_merged() {
    let shelf = Shelf::new();
    shelf.add(
        "a",
        "http://a.example/\nhttp://b.example/\n",
        &["--note", "a"],
    );
    shelf.add(
        "b",
        "http://c.example/\nhttp://b.example/\n",
        &["--note", "b"],
    );
    let (a, b, new) = (shelf.name("a"), shelf.name("b"), shelf.name("new"));
    let ran = run(&["seen", "merge", "-o", &new, &a, &b], b"");
    assert_eq!((&*ran.out, ran.code), ("", 0), "{}", ran.err);
    assert!(ran.err.contains("3 URIs"), "{}", ran.err);
    assert_eq!(
        shelf.exported("new", &["--commit", "1"]),
        "http://a.example/\nhttp://b.example/\n"
    );
    assert_eq!(
        shelf.exported("new", &["--commit", "2"]),
        "http://c.example/\n"
    );
    assert_eq!(run(&["seen", "merge", "-o", &new, &a], b"").code, 2);
    shelf.add("c", "http://c.example/\n", &["-L", "scheme"]);
    let wrong = run(
        &[
            "seen",
            "merge",
            "-o",
            &shelf.name("d"),
            &a,
            &shelf.name("c"),
        ],
        b"",
    );
    assert!(
        wrong.code == 2 && wrong.err.contains("level is scheme there and lexical here"),
        "{}",
        wrong.err
    );
    assert!(!shelf.path("d").exists());
}

#[test]
fn what_is_removed_is_new_again() {
    let shelf = Shelf::new();
    let lines: String = (0..50)
        .map(|n| format!("http://h{}.example/{n}\n", n % 5))
        .collect();
    shelf.add("s", &lines, &[]);
    let removed = |args: &[&str], input: &str, number: &str| {
        let ran = shelf.seen("remove", "s", args, input);
        assert_eq!(ran.code, 0, "{}", ran.err);
        assert!(
            ran.err.contains(&format!("{number} removed")),
            "{}",
            ran.err
        );
    };
    removed(&["--host", "h1.example"], "", "10 URIs");
    removed(&["--include", "/2$"], "", "1 URI");
    removed(
        &["-"],
        "HTTP://h3.example/3\nhttp://h3.example/8\nhttp://none.example/\nhttp://h1.example/1\n",
        "2 URIs",
    );
    removed(&["--before", "2001-01-01"], "", "0 URIs");
    assert_eq!(shelf.exported("s", &[]).lines().count(), 37);
    let ran = run(&["dedup", "--seen", &shelf.name("s")], lines.as_bytes());
    assert_eq!(ran.out.lines().count(), 13);
    removed(&["--before", "2999-01-01"], "", "50 URIs");
    assert_eq!(shelf.seen("export", "s", &[], "").code, 1);
    assert_eq!(shelf.seen("remove", "s", &[], "").code, 2);
    assert_eq!(
        shelf.seen("remove", "missing", &["--host", "a"], "").code,
        2
    );
}

#[test]
fn stores_are_compacted_and_verified() {
    let shelf = Shelf::new();
    for n in 0..3 {
        shelf.add("s", &format!("http://a.example/{n}\n"), &[]);
    }
    let stats = shelf.seen("stats", "s", &["--json"], "");
    let stats: serde_json::Value = serde_json::from_str(&stats.out).unwrap();
    assert_eq!(
        (&stats["keys"], &stats["runs"], &stats["commits"]),
        (&3.into(), &3.into(), &3.into())
    );
    assert_eq!(stats["settings"]["kind"], "uri");
    let text = shelf.seen("stats", "s", &[], "").out;
    assert!(
        text.contains("keys\t3\n") && text.contains("set level\tlexical\n"),
        "{text}"
    );
    let sound = shelf.seen("verify", "s", &[], "");
    assert!(
        sound.code == 0 && sound.err.contains("sound, 3 URIs"),
        "{}",
        sound.err
    );
    let compacted = shelf.seen("compact", "s", &[], "");
    assert!(
        compacted.code == 0 && compacted.err.contains("3 URIs"),
        "{}",
        compacted.err
    );
    assert!(shelf.seen("stats", "s", &[], "").out.contains("runs\t1\n"));
    assert_eq!(shelf.exported("s", &[]).lines().count(), 3);
    // One byte of the run.
    let file = fs::read_dir(shelf.path("s"))
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let file = file
        .into_iter()
        .find(|path| path.to_str().unwrap().contains("run-"))
        .unwrap();
    let mut bytes = fs::read(&file).unwrap();
    bytes[40] ^= 1;
    fs::write(&file, bytes).unwrap();
    let damaged = shelf.seen("verify", "s", &[], "");
    assert!(
        damaged.code == 2 && damaged.err.contains("damaged at byte 24"),
        "{}",
        damaged.err
    );
    let saved = shelf.seen("compact", "s", &["--skip-damaged"], "");
    assert_eq!(saved.code, 0, "{}", saved.err);
    assert!(
        saved.err.contains("between the start and the end"),
        "{}",
        saved.err
    );
    assert_eq!(shelf.seen("verify", "s", &[], "").code, 0);
    assert_eq!(shelf.seen("verify", "missing", &[], "").code, 2);
}

#[test]
fn a_store_with_a_damaged_manifest_is_saved() {
    let shelf = Shelf::new();
    shelf.add("s", "http://a.example/\nhttp://b.example/\n", &[]);
    shelf.add("s", "http://c.example/\n", &[]);
    let all = shelf.exported("s", &["-f", "jsonl"]);
    let names = fs::read_dir(shelf.path("s")).unwrap();
    let mut paths = names.map(|entry| entry.unwrap().path());
    let manifest = paths
        .find(|path| path.to_str().unwrap().contains("MANIFEST"))
        .unwrap();
    let mut bytes = fs::read(&manifest).unwrap();
    let last = bytes.len() - 3;
    bytes[last] ^= 1;
    fs::write(&manifest, bytes).unwrap();
    let refused = shelf.seen("compact", "s", &[], "");
    assert!(
        refused.code == 2 && refused.err.contains("damaged at byte"),
        "{}",
        refused.err
    );
    let saved = shelf.seen("compact", "s", &["--skip-damaged"], "");
    assert_eq!(saved.code, 0, "{}", saved.err);
    let said = "the settings that are left are kept: kind uri, level lexical, rules ";
    assert!(saved.err.contains(said), "{}", saved.err);
    assert_eq!(shelf.exported("s", &["-f", "jsonl"]), all);
    assert_eq!(shelf.seen("verify", "s", &[], "").code, 0);
    // Runs go on with it.
    shelf.add("s", "http://d.example/\n", &[]);
    assert_eq!(
        shelf.exported("s", &["--commit", "3"]),
        "http://d.example/\n"
    );
}
