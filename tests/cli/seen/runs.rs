//! Stores of seen URIs: a run prints what it prints without one, less what is in the store, and
//! the store remembers what was printed.

use crate::program::{Ran, output_of, program, run};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A directory with a store.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn name(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    /// Runs with the store.
    fn seen(&self, args: &[&str], input: &[u8]) -> Ran {
        let store = self.name("store");
        let (command, rest) = args.split_first().unwrap();
        run(&[&[command, "--seen", &store], rest].concat(), input)
    }

    /// What the store leaves out of these lines, without a change.
    fn unknown(&self, lines: &str) -> String {
        let store = self.name("store");
        run(&["dedup", "--against", &store], lines.as_bytes()).out
    }
}

/// The bytes of all files of a store but those of its lock.
fn bytes_of(store: &Path) -> Vec<(String, Vec<u8>)> {
    let files = fs::read_dir(store)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = files
        .filter(|path| !path.ends_with("seen.lock"))
        .map(|path| {
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(&path).unwrap())
        })
        .collect();
    files.sort();
    files
}

#[test]
fn what_was_printed_is_not_printed_again() {
    for command in ["extract", "dedup"] {
        let place = Place::new();
        let first = place.seen(
            &[command],
            b"http://a.example/\nHTTP://A.example/\nhttp://b.example/\n",
        );
        assert_eq!(
            (&*first.out, first.code),
            ("http://a.example/\nhttp://b.example/\n", 0)
        );
        assert!(
            first.err.contains("store: a new store of seen URIs"),
            "{}",
            first.err
        );
        let second = place.seen(&[command], b"http://c.example/\nhttp://B.example/\n");
        assert_eq!(
            (&*second.out, &*second.err, second.code),
            ("http://c.example/\n", "", 0)
        );
        let third = place.seen(&[command], b"http://a.example/\nhttp://c.example/\n");
        assert_eq!((&*third.out, third.code), ("", 1));
        // Nothing was printed, so nothing changed.
        let before = bytes_of(&place.path("store"));
        place.seen(&[command], b"http://a.example/\n");
        assert_eq!(bytes_of(&place.path("store")), before);
        // Both commands share stores.
        let other = if command == "dedup" {
            "extract"
        } else {
            "dedup"
        };
        assert_eq!(place.seen(&[other], b"http://a.example/\n").out, "");
    }
}

/// Every way of running prints the same, and remembers the same.
#[test]
fn blocks_threads_and_memory_change_nothing() {
    let line = |n: u64| {
        format!(
            "see http://h{}.example/{:x} and urn:a-b:{}\n",
            n % 50,
            n * n % 997,
            n % 301
        )
    };
    let text = |range: std::ops::Range<u64>| range.map(line).collect::<String>();
    let (old, new) = (text(0..700), text(500..2000));
    let wanted = {
        let known = Place::new();
        fs::write(known.path("old"), &old).unwrap();
        run(&["--against", &known.name("old")], new.as_bytes()).out
    };
    assert!(wanted.lines().count() > 300);
    let kept = |place: &Place| {
        let all: BTreeSet<String> = run(&[], (old.clone() + &new).as_bytes())
            .out
            .lines()
            .map(str::to_owned)
            .collect();
        let lines: String = all.iter().map(|line| format!("{line}\n")).collect();
        assert_eq!(place.unknown(&lines), "");
    };
    for args in [
        &["-j", "1"][..],
        &["-j", "4"],
        &["-j", "1", "--max-memory", "20K"],
        &["-j", "3", "--max-memory", "100K"],
    ] {
        let place = Place::new();
        let args = [&["extract"], args].concat();
        assert_eq!(place.seen(&args, old.as_bytes()).code, 0);
        assert_eq!(place.seen(&args, new.as_bytes()).out, wanted, "{args:?}");
        kept(&place);
    }
    // Other forms and orders, against the same with a file.
    let known = Place::new();
    let file = known.name("old");
    fs::write(&file, &old).unwrap();
    for form in [
        &["-c"][..],
        &["-c", "--max-memory", "30K"],
        &["--groups"],
        &["--groups", "--max-memory", "30K"],
        &["--sort"],
        &["--json"],
        &["--unordered", "-j", "1"],
        &["-c", "--top", "5"],
        &["-H"],
    ] {
        let place = Place::new();
        place.seen(&["extract"], old.as_bytes());
        let ran = place.seen(&[&["extract"], form].concat(), new.as_bytes());
        let wanted = run(&[&["--against", &file], form].concat(), new.as_bytes());
        assert_eq!(ran.out, wanted.out, "{form:?}");
        assert_eq!(ran.code, 0, "{}", ran.err);
        let again = place.seen(&[&["extract"], form].concat(), new.as_bytes());
        match form.contains(&"--top") {
            // The rest is new next time.
            true => assert_eq!(again.out.lines().count(), 5),
            false => assert_eq!((&*again.out, again.code), ("", 1), "{form:?}"),
        }
    }
}

#[test]
fn only_what_is_printed_is_remembered() {
    let place = Place::new();
    let text = b"urn:a-b:1 urn:a-b:2 urn:a-b:3 urn:a-b:1";
    assert_eq!(place.seen(&["extract", "-m", "1"], text).out, "urn:a-b:1\n");
    assert_eq!(place.seen(&["extract", "-m", "1"], text).out, "urn:a-b:2\n");
    assert_eq!(place.seen(&["extract"], text).out, "urn:a-b:3\n");
    assert_eq!(place.seen(&["extract"], text).code, 1);
    // Another form is printed, the canonical one remembered.
    for form in ["--defang", "--surt", "--original"] {
        let place = Place::new();
        let printed = place.seen(&["extract", form], b"HTTP://a.example/x");
        assert!(
            !printed.out.contains("http://a.example/x\n"),
            "{}",
            printed.out
        );
        assert_eq!(place.seen(&["extract"], b"http://a.example/x").out, "");
    }
}

#[test]
fn what_prints_no_classes_is_refused() {
    let place = Place::new();
    for args in [
        &["extract", "-q"][..],
        &["extract", "-l"],
        &["extract", "--all"],
        &["extract", "-c", "--all"],
        &["extract", "-c", "--by", "host"],
        &["extract", "-cH"],
        &["extract", "--dedup", "hash128"],
        &["dedup", "--dedup", "hash128"],
        &["links", "--graph", "graph"],
        &["links", "--all"],
        &["report"],
    ] {
        let ran = place.seen(args, b"http://a.example/");
        assert_eq!((&*ran.out, ran.code), ("", 2), "{args:?}");
        assert!(ran.err.contains("--seen: not with"), "{args:?} {}", ran.err);
        assert!(!place.path("store").exists(), "{args:?}");
    }
    for flag in ["--wait", "--note"] {
        assert_eq!(run(&[flag, "1"], b"").code, 2);
    }
}

#[test]
fn a_store_has_settings() {
    let place = Place::new();
    place.seen(
        &[
            "extract",
            "-L",
            "scheme",
            "--drop-param",
            "b",
            "--drop-param",
            "a",
        ],
        b"http://a.example/",
    );
    // The order of names does not count.
    let same = [
        "dedup",
        "-L",
        "scheme",
        "--drop-param",
        "a",
        "--drop-param",
        "b",
    ];
    assert_eq!(place.seen(&same, b"http://a.example:80/?a=1\n").code, 1);
    for (args, name, values) in [
        (&["extract"][..], "level", "scheme there and lexical here"),
        (
            &["extract", "-L", "scheme"],
            "drop-param",
            "a,b there and unset here",
        ),
        (
            &["extract", "-L", "scheme", "--redact"],
            "redact",
            "unset there and on here",
        ),
        (&["links"], "kind", "uri there and pair here"),
    ] {
        let ran = place.seen(args, b"http://b.example/");
        assert_eq!((&*ran.out, ran.code), ("", 2));
        assert!(
            ran.err.contains(&format!("{name} is {values}")),
            "{}",
            ran.err
        );
        assert!(ran.err.contains("seen export"), "{}", ran.err);
        let store = place.name("store");
        let asked = run(
            &[args, &["--against", &store]].concat(),
            b"http://b.example/",
        );
        assert!(asked.code == 2 && asked.err.contains(name), "{}", asked.err);
    }
    // Secrets do not reach a store.
    let place = Place::new();
    place.seen(&["extract", "--redact"], b"http://u:SECRET@a.example/");
    assert_eq!(
        place
            .seen(&["extract", "--redact"], b"http://u:OTHER@a.example/")
            .code,
        1
    );
    for (name, bytes) in bytes_of(&place.path("store")) {
        assert!(!bytes.windows(6).any(|part| part == b"SECRET"), "{name}");
    }
}

#[test]
fn a_store_is_only_asked_by_against() {
    let place = Place::new();
    let store = place.name("store");
    let missing = run(&["--against", &store], b"http://a.example/");
    assert!(missing.code == 2 && !place.path("store").exists());
    place.seen(&["extract"], b"http://a.example/");
    let before = bytes_of(&place.path("store"));
    let text = b"http://a.example/ http://b.example/ http://b.example/";
    for (args, out) in [
        (&[][..], "http://b.example/\n"),
        (&["-c"], "2\thttp://b.example/\n"),
        (&["-m", "1"], "http://b.example/\n"),
        (&["--dedup", "hash128"], "http://b.example/\n"),
        (&["-q"], ""),
    ] {
        let ran = run(&[args, &["--against", &store]].concat(), text);
        assert_eq!((&*ran.out, ran.code), (out, 0), "{args:?}");
        let none = run(
            &[args, &["--against", &store]].concat(),
            b"http://a.example/",
        );
        assert_eq!((&*none.out, none.code), ("", 1), "{args:?}");
    }
    assert_eq!(bytes_of(&place.path("store")), before);
    // Beside a store that remembers, and beside a file.
    fs::write(place.path("file"), "http://c.example/").unwrap();
    let two = place.name("two");
    let args = [
        "--seen",
        &two,
        "--against",
        &store,
        "--against",
        &place.name("file"),
    ];
    let ran = run(
        &args,
        b"http://a.example/ http://b.example/ http://c.example/ http://d.example/",
    );
    assert_eq!(ran.out, "http://b.example/\nhttp://d.example/\n");
    let ran = run(
        &["--seen", &two],
        b"http://a.example/ http://b.example/ http://c.example/",
    );
    assert_eq!(ran.out, "http://a.example/\nhttp://c.example/\n");
}

#[test]
fn a_directory_of_others_is_refused() {
    let place = Place::new();
    fs::create_dir(place.path("store")).unwrap();
    fs::write(place.path("store/notes.txt"), "mine").unwrap();
    let ran = place.seen(&["extract"], b"http://a.example/");
    assert_eq!((&*ran.out, ran.code), ("", 2));
    assert!(
        ran.err.contains("is not a store of seen URIs"),
        "{}",
        ran.err
    );
    assert_eq!(bytes_of(&place.path("store")).len(), 1);
    assert!(!place.path("store/seen.lock").exists());
    fs::remove_file(place.path("store/notes.txt")).unwrap();
    assert_eq!(place.seen(&["extract"], b"http://a.example/").code, 0);
    fs::write(place.path("file"), "x").unwrap();
    let file = run(&["--seen", &place.name("file")], b"http://a.example/");
    assert_eq!((&*file.out, file.code), ("", 2));
}

#[test]
fn records_without_a_uri_pass_each_time() {
    let place = Place::new();
    let csv = b"url,id\nhttp://a.example/,1\nnone,2\nnone,2\n";
    let args = ["dedup", "--csv-column", "url"];
    assert_eq!(place.seen(&args, csv).out.as_bytes(), csv);
    assert_eq!(place.seen(&args, csv).out, "url,id\nnone,2\nnone,2\n");
    // A line that is not a URI is equal to the same bytes.
    let lines = b"none\nother\nnone\n\nhttp://a.example/\n";
    assert_eq!(place.seen(&["dedup"], lines).out, "none\nother\n\n");
    assert_eq!(place.seen(&["dedup"], lines).code, 1);
    // Rows of a table are copied, and remembered.
    let table = place.name("urls.parquet");
    assert_eq!(
        run(&["-o", &table], b"http://p.example/ http://a.example/").code,
        0
    );
    let out = place.name("out.parquet");
    let ran = place.seen(&["dedup", &table, "-o", &out], b"");
    assert_eq!(ran.code, 0, "{}", ran.err);
    assert_eq!(run(&["dedup", &out], b"").out, "http://p.example/\n");
    assert_eq!(place.seen(&["dedup", &table], b"").code, 1);
}

#[test]
fn links_are_remembered_as_pairs() {
    let place = Place::new();
    let page = place.name("page.html");
    let links = |page: &str| place.seen(&["links", "--base", "http://s.example/", page], b"");
    fs::write(&page, "<html><a href='a'>a</a> <a href='b'>b</a>").unwrap();
    assert_eq!(links(&page).out.lines().count(), 2);
    fs::write(&page, "<html><a href='c'>c</a> <a href='b'>b</a>").unwrap();
    assert_eq!(links(&page).out, "http://s.example/\thttp://s.example/c\n");
    assert_eq!(links(&page).code, 1);
    let ran = place.seen(&["links", "-c", "--base", "http://t.example/", &page], b"");
    assert_eq!(ran.out.lines().count(), 2);
    let ran = place.seen(&["links", "--node", "host", &page], b"");
    assert!(
        ran.code == 2 && ran.err.contains("node is page there and host here"),
        "{}",
        ran.err
    );
}

/// With `-o` the file comes first.
#[test]
fn a_file_that_does_not_appear_is_not_remembered() {
    let place = Place::new();
    let out = place.name("out.txt");
    assert_eq!(
        place
            .seen(&["extract", "-o", &out], b"http://a.example/")
            .code,
        0
    );
    assert_eq!(fs::read_to_string(&out).unwrap(), "http://a.example/\n");
    assert_eq!(place.unknown("http://a.example/\n"), "");
    let none = place.name("none/out.txt");
    assert_eq!(
        place
            .seen(&["extract", "-o", &none], b"http://b.example/")
            .code,
        2
    );
    // A loss of input changes nothing.
    let ran = place.seen(&["extract", "no/such/file", "-"], b"http://c.example/");
    assert_eq!((&*ran.out, ran.code), ("http://c.example/\n", 2));
    assert_eq!(
        place.unknown("http://b.example/\nhttp://c.example/\n"),
        "http://b.example/\n"
    );
}

#[test]
fn damage_ends_a_run() {
    let place = Place::new();
    let lines: String = (0..500)
        .map(|n| format!("http://a.example/{n}\n"))
        .collect();
    place.seen(&["dedup"], lines.as_bytes());
    let store = place.path("store");
    let run_file = store.join("run-0000000001");
    let whole = fs::read(&run_file).unwrap();
    for at in [0, 60, whole.len() / 2, whole.len() - 3] {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        fs::write(&run_file, bytes).unwrap();
        let ran = place.seen(&["dedup"], lines.as_bytes());
        assert_eq!((&*ran.out, ran.code), ("", 2), "{at}");
        assert!(
            ran.err.contains("run-0000000001: damaged at byte"),
            "{at}: {}",
            ran.err
        );
    }
    fs::write(&run_file, whole).unwrap();
    let manifest = store.join("MANIFEST-0000000002");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("level", "livel")).unwrap();
    let ran = place.seen(&["dedup"], lines.as_bytes());
    assert!(
        ran.code == 2 && ran.err.contains("MANIFEST-0000000002: damaged"),
        "{}",
        ran.err
    );
    fs::write(&manifest, text).unwrap();
    assert_eq!(place.seen(&["dedup"], lines.as_bytes()).code, 1);
}

#[test]
fn a_walk_passes_over_stores() {
    let place = Place::new();
    fs::create_dir(place.path("dir")).unwrap();
    fs::write(place.path("dir/a.txt"), "http://a.example/").unwrap();
    let store = place.name("dir/store");
    let text = fs::write(place.path("dir/b.txt"), "http://b.example/");
    text.unwrap();
    let ran = run(&["--seen", &store, &place.name("dir")], b"");
    assert_eq!(ran.out.lines().count(), 2);
    let dir = place.name("dir");
    for hidden in [&[][..], &["--hidden"]] {
        let ran = run(&[&["-l"], hidden, &[&dir]].concat(), b"");
        assert_eq!(ran.out.lines().count(), 2, "{}", ran.out);
    }
    let ran = run(&["--seen", &store, &place.name("dir")], b"");
    assert_eq!((&*ran.out, ran.code), ("", 1), "{}", ran.err);
}

/// A note, and statistics of memory.
#[test]
fn a_run_may_note_something() {
    let place = Place::new();
    place.seen(&["dedup", "--note", "first night"], b"http://a.example/\n");
    let ran = output_of(
        program(&["dedup", "--seen", &place.name("store"), "--stats"])
            .write_stdin("http://a.example/\n"),
    );
    assert!(!ran.err.contains("without a filter"), "{}", ran.err);
}

/// Where many keys are looked up, the answers for files wait for the end: nothing else changes.
#[test]
fn answers_that_wait_are_the_same() {
    let place = Place::new();
    let line = |n: u64| {
        let noise = n.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        format!(
            "http://{:x}.example/{noise:x}/{}\n",
            noise >> 54,
            "y".repeat(40)
        )
    };
    let known: String = (0..12_000).map(|n| line(2 * n)).collect();
    fs::write(place.path("known"), &known).unwrap();
    let store = place.name("base");
    assert_eq!(
        run(&["dedup", "--seen", &store, &place.name("known")], b"").code,
        0
    );
    let text: String = (0..9000).map(|n| line(n * 7 % 30_000)).collect();
    fs::write(place.path("text"), &text).unwrap();
    let text_file = place.name("text");
    for form in [
        &["dedup"][..],
        &["extract"],
        &["extract", "--sort"],
        &["extract", "--unordered", "-j", "1"],
        &["extract", "--json"],
        &["extract", "-c"],
        &["extract", "-c", "--json", "--top", "5000"],
    ] {
        let wanted = run(
            &[form, &["--against", &place.name("known"), &text_file]].concat(),
            b"",
        );
        assert!(wanted.out.lines().count() > 4000);
        for threads in [
            &["-j", "1"][..],
            &["-j", "4"],
            &["-j", "1", "--max-memory", "50M"],
            &["-j", "2", "--max-memory", "300K"],
        ] {
            if form.contains(&"--unordered") && threads[1] == "4" {
                continue;
            }
            let threads = match form.contains(&"-j") {
                true => &[][..],
                false => threads,
            };
            let args = [form, &["--against", &store], threads, &[&text_file]].concat();
            let ran = run(&args, b"");
            assert_eq!((&*ran.err, ran.code), ("", 0), "{args:?}");
            let mut lines: Vec<&str> = ran.out.lines().collect();
            let mut expected: Vec<&str> = wanted.out.lines().collect();
            if form.contains(&"--unordered") {
                lines.sort_unstable();
                expected.sort_unstable();
            }
            assert!(lines == expected, "{args:?}");
        }
    }
}

#[test]
fn gateways_are_a_setting_of_a_store() {
    let place = Place::new();
    let line = b"https://slack-redir.net/link?url=http%3A%2F%2Fa.example%2Fb\n";
    let flags = ["extract", "--unwrap-gateways=slack"];
    assert_eq!(place.seen(&flags, line).out, "http://a.example/b\n");
    assert_eq!(place.seen(&flags, line).out, "");
    let store = place.name("store");
    let known = run(&["seen", "check", &store], line);
    assert_eq!((known.code, known.err), (0, String::new()));
    for other in [
        "--unwrap-gateways",
        "--unwrap-gateways=bing",
        "--fold-https",
    ] {
        let refused = place.seen(&["extract", other], line);
        assert_eq!((refused.code, refused.out), (2, String::new()), "{other}");
        assert!(refused.err.contains("gateways"), "{}", refused.err);
    }
}
