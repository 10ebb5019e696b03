//! Outputs that are divided: by the keys, by commits, by inputs.

use crate::program::{Ran, run};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A directory for inputs and outputs.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    fn name(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn put(&self, name: &str, text: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        self.name(name)
    }

    /// The names and the texts of the files of a directory.
    fn files(&self, name: &str) -> BTreeMap<String, Vec<u8>> {
        let entries = fs::read_dir(self.0.path().join(name)).unwrap();
        let files = entries.map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            (name, fs::read(&path).unwrap())
        });
        files.collect()
    }

    fn names(&self, name: &str) -> Vec<String> {
        self.files(name).into_keys().collect()
    }
}

fn lines(number: u32) -> String {
    (0..number)
        .map(|n| format!("http://h{}.example/{n}\n", n % 7))
        .collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn good(ran: &Ran) {
    assert_eq!((&*ran.err, ran.code), ("", 0));
}

#[test]
fn parts_are_by_the_checksum_of_the_key() {
    for command in ["extract", "dedup"] {
        let place = Place::new();
        let list = place.put("list", lines(300));
        let whole = run(&[command, &list], b"").out;
        for (number, ending) in [(1, "txt"), (4, "txt"), (16, "txt.gz"), (3, "zst")] {
            let dir = format!("{command}-{number}");
            let pattern = place.name(&format!("{dir}/part-{{}}.{ending}"));
            let split = number.to_string();
            let ran = run(&[command, &list, "--split", &split, "-o", &pattern], b"");
            assert_eq!((&*ran.out, &*ran.err, ran.code), ("", "", 0));
            let mut files = place.files(&dir);
            assert_eq!(files.remove("_SUCCESS").unwrap(), b"");
            assert_eq!(files.len(), number as usize);
            let mut parts: Vec<Vec<String>> = Vec::new();
            for part in 0..number {
                let bytes = &files[&format!("part-{part:05}.{ending}")];
                let bytes = match ending.rsplit('.').next() {
                    Some("gz") => {
                        let mut out = Vec::new();
                        let mut from = flate2::read::GzDecoder::new(&bytes[..]);
                        std::io::Read::read_to_end(&mut from, &mut out).unwrap();
                        out
                    }
                    Some("zst") => zstd::decode_all(&bytes[..]).unwrap(),
                    _ => bytes.clone(),
                };
                parts.push(text(&bytes).lines().map(str::to_owned).collect());
            }
            // Each line is in its part, in the order of the run.
            let mut wanted: Vec<Vec<String>> = vec![Vec::new(); number as usize];
            for line in whole.lines() {
                let part = crc32fast::hash(line.as_bytes()) % number;
                wanted[part as usize].push(line.to_owned());
            }
            assert_eq!(parts, wanted);
        }
    }
}

#[test]
fn each_part_has_the_form_of_a_whole_output() {
    let place = Place::new();
    let list = place.put("list", lines(60));
    for (form, ending) in [
        (&["-c"][..], "jsonl"),
        (&["--sort"], "csv"),
        (&["--groups"], "txt"),
    ] {
        let whole_path = place.name(&format!("whole.{ending}"));
        good(&run(
            &[&["extract", &list, "-o", &whole_path], form].concat(),
            b"",
        ));
        let pattern = place.name(&format!("{ending}/p{{}}.{ending}"));
        let args = ["extract", &list, "--split", "3", "-o", &pattern];
        good(&run(&[&args, form].concat(), b""));
        let files = place.files(ending);
        let whole = fs::read_to_string(&whole_path).unwrap();
        let mut all: Vec<String> = Vec::new();
        for part in 0..3 {
            let part = text(&files[&format!("p{part:05}.{ending}")]);
            let (head, rest) = match ending {
                "csv" => part.split_once('\n').unwrap(),
                _ => ("", &*part),
            };
            assert!(whole.starts_with(head));
            all.extend(rest.lines().map(str::to_owned));
            // The order is that of the run.
            let places: Vec<_> = rest.lines().map(|line| whole.find(line)).collect();
            assert!(places.is_sorted() && places.iter().all(Option::is_some));
        }
        let mut wanted: Vec<&str> = whole.lines().skip(usize::from(ending == "csv")).collect();
        wanted.sort();
        all.sort();
        assert_eq!(all, wanted);
    }
    let table = place.name("table/{}.parquet");
    good(&run(&["extract", &list, "--split", "2", "-o", &table], b""));
    let mut rows = 0;
    for (name, bytes) in place.files("table") {
        if name != "_SUCCESS" {
            assert!(bytes.starts_with(b"PAR1"));
            rows += run(&["dedup", &place.name(&format!("table/{name}"))], b"")
                .out
                .lines()
                .count();
        }
    }
    assert_eq!(rows, 60);
}

#[test]
fn records_of_tables_keep_their_header() {
    let place = Place::new();
    let table = place.put(
        "t.csv",
        "id,url\n1,http://a.example/\n2,http://b.example/\n3,no\n",
    );
    let pattern = place.name("d/{}.csv");
    let args = [
        "dedup",
        "--csv-column",
        "url",
        "--split",
        "2",
        "-o",
        &pattern,
        &table,
    ];
    let ran = run(&args, b"");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let files = place.files("d");
    let all: Vec<String> = (0..2)
        .map(|n| text(&files[&format!("{n:05}.csv")]))
        .collect();
    assert!(
        all.iter().all(|part| part.starts_with("id,url\n")),
        "{all:?}"
    );
    assert_eq!(
        all.iter().map(|part| part.lines().count()).sum::<usize>(),
        5
    );
}

#[test]
fn pairs_of_links_are_divided_as_a_whole() {
    let place = Place::new();
    let page: String = (0..40).map(|n| format!("<a href=/{n}>{n}</a>\n")).collect();
    let page = place.put("p.html", page);
    let args = ["links", "--base", "http://a.example/", "-i", "html", &page];
    let whole = run(&args, b"").out;
    let pattern = place.name("d/{}.txt");
    good(&run(
        &[&args[..], &["--split", "5", "-o", &pattern]].concat(),
        b"",
    ));
    let files = place.files("d");
    for line in whole.lines() {
        let part = crc32fast::hash(line.as_bytes()) % 5;
        let part = text(&files[&format!("{part:05}.txt")]);
        assert!(part.lines().any(|other| other == line), "{line}");
    }
}

#[test]
fn a_directory_appears_whole() {
    let place = Place::new();
    let list = place.put("list", lines(10));
    let pattern = place.name("d/{}.txt");
    let args = ["extract", &list, "--split", "2", "-o", &pattern];
    fs::create_dir(place.name("d")).unwrap();
    good(&run(&args, b""));
    let before = place.files("d");
    let again = run(&args, b"");
    assert_eq!(again.code, 2);
    assert!(again.err.contains("absent or empty"), "{}", again.err);
    assert_eq!(place.files("d"), before);
    // With --errors, both appear or none.
    fs::remove_dir_all(place.name("d")).unwrap();
    fs::create_dir(place.name("errors")).unwrap();
    let refused = run(
        &[&args[..], &["--errors", &place.name("errors")]].concat(),
        b"",
    );
    assert_eq!(refused.code, 2);
    assert!(!Path::new(&place.name("d")).exists());
    let left: Vec<_> = fs::read_dir(place.0.path()).unwrap().collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn what_cannot_be_divided_is_refused() {
    let place = Place::new();
    let list = place.put("list", lines(10));
    let pattern = place.name("d/{}.txt");
    let page = place.name("d/{}.html");
    for (args, cause) in [
        (&["--split", "2"][..], "--output"),
        (&["--split", "0", "-o", &pattern], "from 1 to 1024"),
        (&["--split", "1025", "-o", &pattern], "from 1 to 1024"),
        (
            &["--split", "2", "-o", &place.name("d/a")],
            "names of the files are missing",
        ),
        (
            &["--split", "2", "-o", &place.name("{}/a{}")],
            "once in the name of the file",
        ),
        (&["--split", "2", "-o", &page], "-f html"),
        (&["-c", "-o", &pattern], "-c and --groups"),
        (&["--sort", "-o", &pattern], "--sort"),
        (&["--unordered", "-o", &pattern], "--unordered"),
        (&["-l", "-o", &pattern], "-l"),
        (
            &[
                "--split",
                "1024",
                "--max-memory",
                "64M",
                "-o",
                &place.name("d/{}.zst"),
            ],
            "--max-memory 20480M",
        ),
    ] {
        let ran = run(&[&["extract", &list], args].concat(), b"");
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.err.contains(cause), "{args:?}: {}", ran.err);
        assert!(!Path::new(&place.name("d")).exists(), "{args:?}");
    }
    for args in [
        &["enrich", "-o", &pattern, &list][..],
        &["merge", "-o", &pattern, &list],
    ] {
        let ran = run(args, b"");
        assert_eq!(ran.code, 2);
        assert!(ran.err.contains("{}"), "{}", ran.err);
    }
    // So many files of lines fit in the least memory.
    let many = [
        "extract",
        &list,
        "--split",
        "1024",
        "--max-memory",
        "64M",
        "-o",
        &pattern,
    ];
    good(&run(&many, b""));
    assert_eq!(place.names("d").len(), 1025);
}

#[test]
fn a_file_for_each_input() {
    for memory in ["none", "3K"] {
        let place = Place::new();
        let mut wanted = BTreeMap::new();
        let mut args = vec![
            "-o".to_owned(),
            place.name("out/x-{}.txt"),
            place.name("in"),
        ];
        for n in 0..30 {
            let list: String = (n * 20..n * 20 + 25)
                .map(|k| format!("http://a.example/{k}\n"))
                .collect();
            let name = place.put(&format!("in/{}/{n:02}", n % 2), &list);
            // Directories are walked in the order of names.
            wanted.insert((n % 2, n), (name, list));
        }
        args.push(place.put("none", "nothing"));
        args.push(place.name("missing"));
        args.extend(["--max-memory".to_owned(), memory.to_owned()]);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let ran = run(&args, b"");
        assert_eq!((&*ran.out, ran.code), ("", 2));
        let files = place.files("out");
        let mut seen = std::collections::BTreeSet::new();
        for (name, list) in wanted.values() {
            let new: String = list
                .split_inclusive('\n')
                .filter(|line| seen.insert((*line).to_owned()))
                .collect();
            let file = format!("x-{}.txt", name.replace('/', "%2F"));
            assert_eq!(text(&files[&file]), new, "{memory} {file}");
        }
        let none = format!("x-{}.txt", place.name("none").replace('/', "%2F"));
        assert_eq!(files[&none], b"");
        assert_eq!(files.len(), 31);
    }
}

#[test]
fn inputs_of_one_name_are_not_written_over() {
    let place = Place::new();
    let list = place.put("list", lines(3));
    let pattern = place.name("out/{}.jsonl");
    let ran = run(&["extract", "-o", &pattern, &list, &list], b"");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("two inputs have this name"), "{}", ran.err);
    let files = place.files("out");
    assert_eq!(files.len(), 1);
    assert_eq!(text(files.values().next().unwrap()).lines().count(), 3);
}

#[test]
fn a_file_for_each_commit() {
    let place = Place::new();
    let list = place.put("list", lines(50));
    let (store, pattern) = (place.name("store"), place.name("new/{}.jsonl"));
    let args = [
        "extract",
        "--seen",
        &store,
        "--commit-every",
        "1h",
        "-o",
        &pattern,
        &list,
    ];
    let first = run(&args, b"");
    assert_eq!((&*first.out, first.code), ("", 0), "{}", first.err);
    assert_eq!(place.names("new"), ["0000000001.jsonl"]);
    // One that has no commit is replaced.
    place.put("new/0000000002.jsonl", "left by a crash");
    let second = run(&args, b"");
    assert_eq!((second.code, place.names("new").len()), (1, 2));
    place.put("list", lines(51));
    good(&run(&args, b""));
    let files = place.files("new");
    assert_eq!(text(&files["0000000001.jsonl"]).lines().count(), 50);
    assert_eq!(text(&files["0000000002.jsonl"]).lines().count(), 1);
    let refused = run(&[&args[..], &["--split", "2"]].concat(), b"");
    assert!(
        refused.code == 2 && refused.err.contains("--split: not with"),
        "{}",
        refused.err
    );
}
