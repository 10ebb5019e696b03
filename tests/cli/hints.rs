//! Hints: one line that says what an input was read as and what to try.

use crate::program::run;
use std::fs;
use std::path::Path;

/// What is said of a file with this name and text; `-v` and `--stats` ask for hints.
fn said(args: &[&str], name: &str, text: &[u8]) -> String {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join(name);
    fs::write(&path, text).unwrap();
    let path = path.to_str().unwrap();
    let err = run(&[args, &[path]].concat(), b"").err;
    let of_it = err.lines().filter_map(|line| line.split_once(path));
    of_it.map(|(_, said)| format!("{said}\n")).collect()
}

#[test]
fn what_was_read_as_what_and_what_to_try() {
    let fragment = b"<p>see <a href='/x'>x</a>";
    let line = b"192.0.2.7 GET http://a.example/";
    for (args, name, text, wanted) in [
        (
            &[][..],
            "x.mrc",
            &b"see http://a.example/"[..],
            "read as text; its name says ISO 2709: -i marc reads it so",
        ),
        (
            &[],
            "x.xml",
            b"see http://a.example/",
            "read as text; its name says XML: -i xml reads it so",
        ),
        (
            &[],
            "x.warc",
            b"see http://a.example/",
            "read as text; its name says WARC, but no record begins it: look at its first lines",
        ),
        (
            &[],
            "x.txt",
            fragment,
            "read as text; it begins as HTML: -i html reads its links, and undoes its character references",
        ),
        (
            &[],
            "x.txt",
            b"[ {\"a\": 1} ]",
            "read as text; it begins as JSON: -i json reads each string as a text of its own",
        ),
        (
            &[],
            "x.json",
            b"no JSON http://a.example/",
            "read as JSON; places that are not JSON, whose lines were read as text: 1; -i text reads all of it so",
        ),
        (
            &["--requests", "only"],
            "x.log",
            line,
            "read as text; no line states a request that was asked for: --log-format describes other lines (urisieve formats has its names)",
        ),
        (
            &["-c", "--by", "status"],
            "x.log",
            line,
            "read as text; no line states a request that was asked for: --log-format describes other lines (urisieve formats has its names)",
        ),
        (
            &["links"],
            "x.txt",
            b"http://a.example/",
            "read as text; it states no links: --mentions takes the URIs of its text, -i html reads it as a page",
        ),
        (
            &[],
            "x.zip",
            b"PK\x03\x04",
            "looks like a ZIP archive; compressed content is not searched; unzip -p FILE | urisieve searches it",
        ),
        (&[], "x.txt", line, ""),
    ] {
        let stats = said(&[args, &["--stats"]].concat(), name, text);
        let wanted = match wanted {
            "" => String::new(),
            wanted => format!(": {wanted}\n"),
        };
        assert_eq!(stats, wanted, "{args:?} {name}");
        // A person is there, or asks for it.
        let quiet = said(args, name, text);
        assert!(
            !quiet.contains("read as") && !quiet.contains("| urisieve"),
            "{quiet}"
        );
        let verbose = said(&[args, &["-v"]].concat(), name, text);
        let advice = wanted.rsplit("; ").next().unwrap();
        assert!(
            verbose.contains(advice.trim_end()) && verbose.contains(": read as "),
            "{verbose}"
        );
        for mute in ["-q", "--no-messages"] {
            assert!(!said(&[args, &["--stats", mute]].concat(), name, text).contains("read as"));
        }
    }
}

/// What was chosen needs no hint.
#[test]
fn a_format_that_was_chosen() {
    assert_eq!(said(&["--stats", "-i", "text"], "x.txt", b"<p>"), "");
    assert_eq!(said(&["--stats", "-i", "html"], "x.txt", b"<p>"), "");
    assert_eq!(
        said(&["--stats", "-i", "marc"], "x.mrc", b"")
            .matches("read as text")
            .count(),
        0
    );
}

/// On a pipe, compressed, and in a file of many blocks the first bytes decide as well.
#[test]
fn the_beginning_of_every_kind_of_input() {
    let long = [
        &b"<div>\n"[..],
        &b"http://a.example/ and more\n".repeat(1 << 16),
    ]
    .concat();
    let packed = {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        std::io::Write::write_all(&mut gzip, &long).unwrap();
        gzip.finish().unwrap()
    };
    let hint = "it begins as HTML: -i html reads its links, and undoes its character references";
    for (name, text, read_as) in [
        ("x.txt", &long, "text"),
        ("x.txt.gz", &packed, "gzip, text"),
    ] {
        let wanted = format!(": read as {read_as}; {hint}\n");
        assert_eq!(said(&["--stats"], name, text), wanted, "{name}");
        let err = run(&["--stats"], text).err;
        assert!(err.contains(&format!("(standard input){wanted}")), "{err}");
    }
}

/// Each kind once, however many inputs there are.
#[test]
fn once() {
    let root = tempfile::tempdir().unwrap();
    for name in ["a", "b", "c"] {
        fs::write(root.path().join(name), "<p>").unwrap();
    }
    let count = |args: &[&str], path: &Path| {
        let err = run(&[args, &[path.to_str().unwrap()]].concat(), b"").err;
        err.matches("it begins as HTML").count()
    };
    assert_eq!(count(&["--stats"], root.path()), 1);
    assert_eq!(count(&["-v"], root.path()), 3);
}
