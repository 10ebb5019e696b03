//! The commands that are given URIs instead of texts: normalize, dedup, explain,
//! resolve.

mod program;

use program::run;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

#[test]
fn normalize_gives_as_many_lines_as_it_gets() {
    let ran = run(
        &["normalize"],
        b"HTTP://A.example/%7e\n no uri \r\n\nurn:ISBN:1?+r",
    );
    assert_eq!(ran.out, "http://a.example/%7E\n no uri \r\n\nurn:isbn:1\n");
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("line 2: no URI (bad-char, no-scheme)"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("line 3: no URI (no-scheme)"),
        "{}",
        ran.err
    );
    assert_eq!(run(&["normalize"], b"http://a/%zz\n").code, 0);
    assert_eq!(run(&["normalize"], b"").out, "");
    assert_eq!(run(&["normalize", "no/such/file"], b"").code, 2);
}

#[test]
fn normalize_in_order_with_any_threads_and_switches() {
    let text: String = (0..30_000)
        .map(|n| format!("https://www.h{n}.example:443/a/../b?utm_source=x&q={n}#f\n"))
        .collect();
    let args = [
        "normalize",
        "-L",
        "scheme",
        "--drop-param",
        "@tracking",
        "--strip-fragment",
    ];
    let wanted: String = (0..30_000)
        .map(|n| format!("https://www.h{n}.example/b?q={n}\n"))
        .collect();
    for threads in ["1", "2", "8"] {
        let ran = run(&[&args[..], &["-j", threads]].concat(), text.as_bytes());
        assert!(ran.out == wanted, "-j {threads}");
    }
    let surt = run(
        &["normalize", "-L", "scheme", "--surt"],
        b"HTTP://www.A.example/x?y\n",
    );
    assert_eq!(surt.out, "example,a)/x?y\n");
}

#[test]
fn normalize_answers_before_the_input_ends() {
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
        .arg("normalize")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdin.write_all(b"HTTP://a.example/\nHTTP://b.exa").unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "http://a.example/\n");
    stdin.write_all(b"mple/").unwrap();
    drop(stdin);
    line.clear();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "http://b.example/\n");
    assert!(child.wait().unwrap().success());
}

#[test]
fn bad_lines_are_named_ten_times_and_all_written_down() {
    let root = tempfile::tempdir().unwrap();
    let errors = root.path().join("errors.jsonl");
    let text = "bad\n".repeat(25);
    let args = ["normalize", "--errors", errors.to_str().unwrap()];
    let ran = run(&args, text.as_bytes());
    assert_eq!(ran.out, text);
    assert_eq!(ran.err.lines().count(), 11);
    assert!(ran.err.contains("15 more lines are no URI, 25 in all"));
    assert_eq!(fs::read_to_string(errors).unwrap().lines().count(), 25);
}

#[test]
fn dedup_prints_the_first_line_of_each_class() {
    let text = b"HTTP://a.example/\r\n  http://a.example/ \nhttp://b.example/\nno uri\nno uri\n";
    let ran = run(&["dedup"], text);
    assert_eq!(ran.out, "HTTP://a.example/\nhttp://b.example/\nno uri\n");
    assert_eq!(ran.code, 0);
    let canonical = run(&["dedup", "--canonical"], text);
    assert_eq!(
        canonical.out,
        "http://a.example/\nhttp://b.example/\nno uri\n"
    );
    let groups = run(&["dedup", "--groups"], b"HTTP://a/\nhttp://a/\nhttp://a/\n");
    assert_eq!(groups.out, "3\thttp://a/\n\t2\thttp://a/\n\t1\tHTTP://a/\n");
    assert_eq!(run(&["dedup"], b"").code, 1);
}

#[test]
fn dedup_against_what_is_known() {
    let root = tempfile::tempdir().unwrap();
    let known = root.path().join("known");
    fs::write(&known, "http://a.example/\nhttp://c.example/\n").unwrap();
    let known = known.to_str().unwrap();
    let text = b"HTTP://A.example/\nhttp://b.example/\nhttp://B.example/\n";
    let ran = run(&["dedup", "--against", known], text);
    assert_eq!(ran.out, "http://b.example/\n");
    let groups = run(&["dedup", "--groups", "--against", known], text);
    assert!(
        groups.out.starts_with("2\thttp://b.example/\n"),
        "{}",
        groups.out
    );
    assert_eq!(
        run(&["dedup", "--against", known], b"http://a.example/\n").code,
        1
    );
    assert_eq!(run(&["dedup", "--against", "no/such"], text).code, 2);
    let piped = run(&["dedup", "--against", "-", known], b"http://a.example/\n");
    assert_eq!(piped.out, "http://c.example/\n");
}

#[test]
fn dedup_of_records() {
    let csv = b"id,url\n1,HTTP://a/\n2,\"http://a/\"\n3,\"http://b/?x=\"\"\n,\"\n4,none\n";
    let ran = run(&["dedup", "--csv-column", "url"], csv);
    assert_eq!(
        ran.out,
        "id,url\n1,HTTP://a/\n3,\"http://b/?x=\"\"\n,\"\n4,none\n"
    );
    let numbered = run(&["dedup", "--csv-column", "2"], &csv[7..]);
    assert_eq!(numbered.out, ran.out[7..]);
    let json =
        b"{\"a\":{\"u\":\"HTTP:\\/\\/a\"},\"n\":1}\n{\"a\":{\"u\":\"http://a\"},\"n\":2}\n[]\n";
    let ran = run(&["dedup", "--field", "/a/u"], json);
    assert_eq!(ran.out, "{\"a\":{\"u\":\"HTTP:\\/\\/a\"},\"n\":1}\n[]\n");
    assert_eq!(run(&["dedup", "--field", "a"], json).code, 2);
    assert_eq!(run(&["dedup", "--csv-column", "0"], csv).code, 2);
    let long: String = (0..5000)
        .map(|n| format!("{n},\"http://h{}/\n{}\"\n", n % 7, "x".repeat(n % 90)))
        .collect();
    let one = run(&["dedup", "--csv-column", "2", "-j", "1"], long.as_bytes()).out;
    assert_eq!(
        run(&["dedup", "--csv-column", "2", "-j", "8"], long.as_bytes()).out,
        one
    );
}

#[test]
fn explain_says_what_and_why() {
    let text = run(&["explain", "HTTP://a.example:80/%7Ex"], b"").out;
    assert!(
        text.contains("default port left out (RFC 3986 6.2.3)"),
        "{text}"
    );
    assert!(text.contains("  scheme    http://a.example/~x\n"), "{text}");
    let json = run(&["explain", "--json", "urn:isbn:0395363412"], b"").out;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["problems"][0], "isbn-check");
    assert_eq!(
        value["urn_syntax"]["rfc2141"],
        "valid key=urn:isbn:0395363412"
    );
    assert_eq!(value["urn"]["registration"], "registered");
    let two = run(&["explain", "--json"], b"http://a/\nhttp://b/\n").out;
    assert_eq!(two.lines().count(), 2);
    let reading = run(
        &["explain", "--urn-syntax", "draft2010", "urn:example:a~b"],
        b"",
    )
    .out;
    assert_eq!(reading, "ends-before ~ key=urn:example:a\n");
}

#[test]
fn explain_tells_equal_from_different() {
    let isbns = ["urn:isbn:0-395-36341-1", "URN:ISBN:0395363411"];
    let equal = |args: &[&str]| run(&[&["explain", "--equal"], &isbns[..], args].concat(), b"");
    assert_eq!(equal(&[]).code, 1);
    assert_eq!(equal(&["-L", "scheme"]).code, 0);
    assert!(
        equal(&["-L", "scheme"])
            .out
            .ends_with("equal at level scheme\n")
    );
    assert_eq!(run(&["explain", "--equal", "a"], b"").code, 2);
}

#[test]
fn resolve_by_every_document() {
    let base = "http://a/b/c/d;p?q";
    let resolve = |args: &[&str]| run(&[&["resolve", "--base", base], args].concat(), b"");
    assert_eq!(
        resolve(&["../g", "?y"]).out,
        "http://a/b/g\nhttp://a/b/c/d;p?y\n"
    );
    assert_eq!(resolve(&["--rfc", "2396", "?y"]).out, "http://a/b/c/?y\n");
    assert_eq!(
        resolve(&["--rfc", "1998", "#s"]).out,
        "(current document)#s\n"
    );
    assert_eq!(resolve(&["--rfc", "whatwg", "//g"]).out, "http://g/\n");
    assert_eq!(resolve(&["--rfc", "1"]).code, 2);
    let opaque = run(&["resolve", "--base", "urn:a-b:c", "d"], b"");
    assert_eq!(opaque.code, 0);
    assert!(opaque.err.starts_with("urisieve: note: "), "{}", opaque.err);
    let whatwg = run(
        &["resolve", "--base", "urn:a-b:c", "--rfc", "whatwg", "d"],
        b"",
    );
    assert_eq!((whatwg.out.as_str(), whatwg.code), ("", 2));
    let lines = run(&["resolve", "--base", base], b"g\n../g\n");
    assert_eq!(lines.out, "http://a/b/c/g\nhttp://a/b/g\n");
}

/// No level, order or thread changes what dedup and normalize make of a list.
#[test]
fn dedup_is_normalize_and_the_first_of_each() {
    let text: String = (0..3000)
        .map(|n| format!("http://H{}.example:80/%7e{}\n", n % 50, n % 30))
        .collect();
    for level in ["none", "lexical", "syntax", "scheme"] {
        let normal = run(&["normalize", "-L", level], text.as_bytes()).out;
        let mut seen = std::collections::HashSet::new();
        let wanted: Vec<&str> = normal.lines().filter(|line| seen.insert(*line)).collect();
        for threads in ["1", "2", "8"] {
            let ran = run(
                &["dedup", "--canonical", "-L", level, "-j", threads],
                text.as_bytes(),
            );
            assert_eq!(ran.out.lines().collect::<Vec<_>>(), wanted);
        }
    }
}

/// A list may begin as a web archive does, and may be compressed.
#[test]
fn lists_are_no_archives() {
    let text = b"filedesc://a.example/x\nHTTP://b.example/\n";
    let wanted = "filedesc://a.example/x\nhttp://b.example/\n";
    assert_eq!(run(&["normalize"], text).out, wanted);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text).unwrap();
    assert_eq!(run(&["normalize"], &packed.finish().unwrap()).out, wanted);
}
