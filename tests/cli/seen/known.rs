//! The inputs that `--against` names: what `dedup` and `extract` leave out, and how the
//! files are read.

use crate::program::run;
use std::fs;
use std::path::{Path, PathBuf};

fn put(root: &Path, name: &str, bytes: &[u8]) -> String {
    let path: PathBuf = root.join(name);
    fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_missing_file_ends_the_run_before_anything_is_printed() {
    let root = tempfile::tempdir().unwrap();
    let out = root.path().join("out");
    for command in ["dedup", "extract"] {
        for extra in [&[][..], &["-o", out.to_str().unwrap()]] {
            let args = [&[command, "--against", "no/such"], extra].concat();
            let ran = run(&args, b"http://a.example/\n");
            assert_eq!((&*ran.out, ran.code), ("", 2), "{command}");
            assert!(ran.err.contains("no/such"), "{}", ran.err);
            assert!(!out.exists());
        }
    }
}

#[test]
fn a_missing_file_may_count_as_an_empty_one() {
    let root = tempfile::tempdir().unwrap();
    let missing = root.path().join("no/such");
    let missing = missing.to_str().unwrap();
    let known = put(root.path(), "known", b"http://a.example/\n");
    for command in ["dedup", "extract"] {
        let text = b"http://a.example/\nhttp://b.example/\n";
        let ok = [command, "--against-missing", "ok", "--against", missing];
        let ran = run(&ok, text);
        assert_eq!(
            (ran.out.as_bytes(), &*ran.err, ran.code),
            (&text[..], "", 0)
        );
        let ran = run(&[&ok[..], &["--against", &known]].concat(), text);
        assert_eq!((&*ran.out, ran.code), ("http://b.example/\n", 0));
        let ran = run(
            &[command, "--against-missing", "error", "--against", missing],
            text,
        );
        assert_eq!((&*ran.out, ran.code), ("", 2));
        assert_eq!(run(&[command, "--against-missing", "ok"], text).code, 2);
        // A file that is there and cannot be read is an error all the same.
        let damaged = put(root.path(), "known.parquet", b"PAR1");
        let ran = run(
            &[command, "--against-missing", "ok", "--against", &damaged],
            text,
        );
        assert_eq!((&*ran.out, ran.code), ("", 2));
    }
}

/// A file that turns out to be unreadable later ends the run as well.
#[test]
fn a_table_without_the_column_ends_the_run() {
    let root = tempfile::tempdir().unwrap();
    let known = put(root.path(), "known.csv", b"id,link\n1,http://a/\n");
    let args = ["dedup", "--csv-column", "url", "--against", &known];
    let ran = run(&args, b"id,url\n1,http://b/\n");
    assert_eq!((&*ran.out, ran.code), ("", 2));
    assert!(ran.err.contains("known.csv"), "{}", ran.err);
    assert!(ran.err.contains("\"id\", \"link\""), "{}", ran.err);
}

#[test]
fn known_tables_are_read_as_the_others_are() {
    let root = tempfile::tempdir().unwrap();
    let known = put(root.path(), "known.csv", b"url;id\nhttp://a/;1\n");
    let csv = b"id,url\n1,HTTP://a/\n2,http://b/\n";
    let ran = run(&["dedup", "--csv-column", "url", "--against", &known], csv);
    assert_eq!((&*ran.out, &*ran.err), ("id,url\n2,http://b/\n", ""));
    let same = put(root.path(), "same.csv", b"id,url\n1,http://a/\n");
    let ran = run(&["dedup", "--csv-column", "url", "--against", &same], csv);
    assert_eq!(ran.out, "id,url\n2,http://b/\n");
    let packed = put(root.path(), "known.gz", &{
        let level = flate2::Compression::default();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
        std::io::Write::write_all(&mut encoder, b"{\"u\":\"http://a/\"}\n").unwrap();
        encoder.finish().unwrap()
    });
    let json = b"{\"u\":\"HTTP://a/\"}\n{\"u\":\"http://b/\"}\n";
    let ran = run(&["dedup", "--field", "/u", "--against", &packed], json);
    assert_eq!(ran.out, "{\"u\":\"http://b/\"}\n");
}

#[test]
fn a_parquet_file_of_ours_is_known() {
    let root = tempfile::tempdir().unwrap();
    let table = root.path().join("known.parquet");
    let table = table.to_str().unwrap();
    let text: String = (0..5000)
        .map(|n| format!("\"http://a.example/{n}?q={{x}}\"\n"))
        .collect();
    let made = run(&["-o", table], text.as_bytes());
    assert_eq!((&*made.err, made.code), ("", 0));
    let list: String = (4990..5010)
        .map(|n| format!("http://A.example/{n}?q={{x}}\n"))
        .collect();
    let wanted = &list[list.find("http://A.example/5000").unwrap()..];
    let ran = run(&["dedup", "--against", table], list.as_bytes());
    assert_eq!((&*ran.out, &*ran.err), (wanted, ""));
    let csv = format!("url\n{list}");
    let ran = run(
        &["dedup", "--csv-column", "url", "--against", table],
        csv.as_bytes(),
    );
    assert_eq!(ran.out, format!("url\n{wanted}"));
    let text = "see \"http://a.example/1?q={x}\" and http://b.example/";
    let ran = run(&["--against", table], text.as_bytes());
    assert_eq!((&*ran.out, ran.code), ("http://b.example/\n", 0));
    // A table is no archive, whatever its first URI is, and never UTF-16.
    let arc = root.path().join("arc.parquet");
    let arc = arc.to_str().unwrap();
    run(
        &["-o", arc],
        b"see filedesc://a.example/x http://b.example/",
    );
    let ran = run(&["--against", arc], b"see filedesc://a.example/x urn:a-b:c");
    assert_eq!((&*ran.out, &*ran.err), ("urn:a-b:c\n", ""));
    let wide: Vec<u8> = "http://b.example/\n"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let ran = run(&["dedup", "--utf16", "--against", arc], &wide);
    assert_eq!((&*ran.out, ran.code), ("", 1));
    let broken = put(root.path(), "broken.parquet", b"PAR1....PAR1");
    let ran = run(&["dedup", "--against", &broken], b"http://a/\n");
    assert_eq!((&*ran.out, ran.code), ("", 2));
    assert!(ran.err.contains("broken.parquet"), "{}", ran.err);
}

/// What is not read is not known: all of it would be printed as new.
#[test]
fn a_container_is_not_known() {
    let root = tempfile::tempdir().unwrap();
    let table = root.path().join("known.parquet");
    let table = table.to_str().unwrap();
    assert_eq!(run(&["-o", table], b"http://a.example/").code, 0);
    let whole = fs::read(table).unwrap();
    let mut damaged = Vec::new();
    for at in [0, 1, 2, 3, whole.len() - 4, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x20;
        damaged.push(bytes);
    }
    damaged.push(whole[..whole.len() / 2].to_vec());
    damaged.push(Vec::new());
    damaged.push(b"http://a.example/\n".to_vec());
    let text = b"http://a.example/\nhttp://b.example/\n";
    let mut refused = Vec::new();
    for (number, bytes) in damaged.iter().enumerate() {
        refused.push(put(root.path(), &format!("{number}.parquet"), bytes));
        if number < 7 {
            // Whatever its name.
            refused.push(put(root.path(), &format!("{number}.PQ"), bytes));
            refused.push(put(root.path(), &format!("{number}.list"), bytes));
        }
    }
    for (number, magic) in [
        &b"PK\x03\x04"[..],
        b"7z\xBC\xAF\x27\x1C",
        b"Rar!\x1A\x07\0",
        b"%PDF-1.7",
        b"SQLite format 3\0",
    ]
    .into_iter()
    .enumerate()
    {
        let bytes = [magic, b"\nhttp://a.example/\n"].concat();
        refused.push(put(root.path(), &format!("{number}.known"), &bytes));
    }
    for command in ["dedup", "extract"] {
        for name in &refused {
            let ran = run(&[command, "--against", name], text);
            assert_eq!(
                (&*ran.out, ran.code),
                ("", 2),
                "{command} {name} {}",
                ran.err
            );
            assert!(ran.err.contains(&**name), "{}", ran.err);
        }
        let ran = run(&[command, "--against", table], text);
        assert_eq!(
            (&*ran.out, ran.code),
            ("http://b.example/\n", 0),
            "{}",
            ran.err
        );
    }
    let input = put(root.path(), "input", text);
    for (number, name) in refused.iter().enumerate() {
        let bytes = fs::read(name).unwrap();
        let is_container = bytes.starts_with(b"PAR1") || number >= damaged.len() + 14;
        let ran = run(&["dedup", "--against", "-", &input], &bytes);
        assert!(
            !is_container || ran.out.is_empty() && ran.code == 2,
            "{name} {}",
            ran.err
        );
    }
}

#[test]
fn extract_leaves_out_what_is_found_in_the_files() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("dir");
    fs::create_dir(&dir).unwrap();
    put(&dir, "one.txt", b"see <http://a.example/\n  b>.");
    put(&dir, "two.txt", b"and http://c.example/.");
    let warc = put(
        root.path(),
        "one.warc",
        b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://t.example/\r\n\
          Content-Type: text/plain\r\nContent-Length: 18\r\n\r\nhttp://d.example/ \r\n\r\n",
    );
    let text = b"http://A.example/b http://c.example/ http://d.example/ http://e.example/ http://e.example/";
    let args = ["--against", dir.to_str().unwrap(), "--against", &warc];
    for threads in ["1", "4"] {
        let run_with = |more: &[&str]| run(&[&args[..], &["-j", threads], more].concat(), text);
        let ran = run_with(&[]);
        assert_eq!(
            (&*ran.out, &*ran.err, ran.code),
            ("http://e.example/\n", "", 0)
        );
        assert_eq!(run_with(&["-c"]).out, "2\thttp://e.example/\n");
        assert!(run_with(&["--json", "-H"]).code == 2);
        assert!(
            run_with(&["--json"])
                .out
                .contains("\"file\":\"(standard input)\"")
        );
        assert_eq!(
            run_with(&["-H"]).out,
            "(standard input):http://e.example/\n"
        );
    }
    let ran = run(&["--against", &warc], b"http://d.example/");
    assert_eq!((&*ran.out, ran.code), ("", 1));
    assert_eq!(run(&["--all", "--against", &warc], b"").code, 2);
    assert_eq!(
        run(&["-c", "--by", "host", "--against", &warc], b"").code,
        2
    );
}

#[test]
fn standard_input_is_known_or_read_not_both() {
    for command in ["dedup", "extract"] {
        let ran = run(&[command, "--against", "-"], b"http://a.example/\n");
        assert_eq!((&*ran.out, ran.code), ("", 2));
    }
}

/// Known inputs come first, also where findings are printed as they are found.
#[test]
fn unordered_runs_know_all_that_is_known() {
    let folder = tempfile::tempdir().unwrap();
    let lines = |range: std::ops::Range<u32>| -> String {
        range.map(|i| format!("http://h{i}.example/\n")).collect()
    };
    let (known, input) = (folder.path().join("known"), folder.path().join("input"));
    std::fs::write(&known, lines(0..100_000)).unwrap();
    std::fs::write(&input, lines(99_000..100_100)).unwrap();
    let (known, input) = (known.to_str().unwrap(), input.to_str().unwrap());
    for threads in ["1", "2", "8"] {
        for _ in 0..5 {
            let args = ["--unordered", "-j", threads, "--against", known, input];
            assert_eq!(run(&args, b"").out.lines().count(), 100, "{threads}");
        }
    }
}

/// The URIs of a damaged known file are not all known: those that are lost would be
/// printed as new.
#[test]
fn a_damaged_known_file_ends_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("known.gz");
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut writer, b"http://a.example/\nhttp://b.example/\n").unwrap();
    let packed = writer.finish().unwrap();
    for (bytes, code) in [
        (&packed[..], 1),
        (&packed[..20], 2),
        (b"PK\x03\x04 http://a/", 2),
    ] {
        std::fs::write(&path, bytes).unwrap();
        for threads in ["1", "2"] {
            let args = ["-j", threads, "--against", path.to_str().unwrap()];
            let ran = run(&args, b"http://a.example/ http://b.example/");
            assert_eq!((ran.out.as_str(), ran.code), ("", code), "{}", ran.err);
        }
    }
}
