//! Counting and choosing by shapes and other parts, and lines as grep prints them.

use crate::program::{output_of, program, run};
use std::fs;

#[test]
fn uris_are_counted_by_their_parts() {
    let text = b"http://a.example:81/u/17?b=1&a=2&b=3 http://a.example:81/u/18.PHP?a&b http://b.example/x.php urn:a-b:c";
    let out = |by: &str| run(&["-c", "--by", by], text).out;
    let shapes = "1\thttp://a.example:81/u/{int}.PHP?a&b\n1\thttp://a.example:81/u/{int}?a&b\n\
        1\thttp://b.example/x.php\n1\turn:a-b:c\n";
    assert_eq!(out("shape"), shapes);
    assert_eq!(out("ext"), "2\t-\n2\tphp\n");
    assert_eq!(out("port"), "2\t-\n2\t81\n");
    assert_eq!(out("param"), "2\t-\n2\ta\n2\tb\n");
    assert_eq!(
        out("dir"),
        "2\thttp://a.example:81/u/\n1\thttp://b.example/\n1\turn:\n"
    );
    assert_eq!(out("path"), "1\t/u/17\n1\t/u/18.PHP\n1\t/x.php\n1\ta-b:c\n");
    let values = run(
        &["-c", "--by", "shape", "--shape-values"],
        b"http://a.example/?x=1&y=z http://a.example/?y=z&x=2",
    );
    assert_eq!(values.out, "2\thttp://a.example/?x={int}&y=z\n");
    let stats = run(&["-c", "--by", "param", "--stats"], text);
    assert!(stats.err.contains("4 occurrences"), "{}", stats.err);
    assert_eq!(run(&["--shape-values"], text).code, 2);
}

#[test]
fn one_uri_of_each_shape_is_printed() {
    let text = b"http://a.example/u/17?q=x http://a.example/u/18?q=y http://a.example/u/me http://a.example/u/19";
    for more in [&[][..], &["--all"], &["-j", "2"]] {
        let ran = run(&[&["--one-per", "shape"], more].concat(), text);
        assert_eq!(
            ran.out,
            "http://a.example/u/17?q=x\nhttp://a.example/u/me\nhttp://a.example/u/19\n"
        );
    }
    let values = run(&["--one-per", "shape", "--shape-values"], text).out;
    assert_eq!(values.lines().count(), 4);
}

#[test]
fn uris_are_chosen_by_their_extension() {
    let text =
        b"http://a.example/x.php?y http://a.example/a.JS http://a.example/a.json http://a.example/";
    let out = |args: &[&str]| run(args, text).out;
    assert_eq!(
        out(&["--ext", ".php,js"]),
        "http://a.example/x.php?y\nhttp://a.example/a.JS\n"
    );
    assert_eq!(
        out(&["--no-ext", "php,js"]),
        "http://a.example/a.json\nhttp://a.example/\n"
    );
    assert_eq!(run(&["--ext", "a/b"], text).code, 2);
}

#[test]
fn lines_are_printed_as_they_are() {
    let text = b"one http://a.example/x and http://a.example/y\r\ntwo http://b.example/\n\tthree <http://A.example> ";
    let args = ["--lines", "--host", "a.example"];
    let ran = run(&args, text);
    let wanted = "one http://a.example/x and http://a.example/y\r\n\tthree <http://A.example> \n";
    assert_eq!((ran.out.as_str(), ran.code), (wanted, 0));
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("f"), text).unwrap();
    fs::write(folder.path().join("l"), "b.example\nx y\n").unwrap();
    let in_folder = |args: &[&str]| output_of(program(args).current_dir(folder.path()));
    let ran = in_folder(&["--lines", "-Hn", "-s", "http", "f", "f"]);
    assert_eq!(ran.out.lines().count(), 6);
    assert!(
        ran.out.starts_with("f:1:one ") && ran.out.contains("f:3:\tthree"),
        "{}",
        ran.out
    );
    let ran = in_folder(&["--lines", "--match", "l", "f"]);
    assert_eq!((ran.out.as_str(), ran.code), ("two http://b.example/\n", 2));
    let ran = in_folder(&["--lines", "-q", "f"]);
    assert_eq!((ran.out.as_str(), ran.code), ("", 0));
    assert_eq!(in_folder(&["--lines", "--host", "c.example", "f"]).code, 1);
    assert_eq!(in_folder(&["--lines", "missing"]).code, 2);
    // A line is text, whatever it begins with.
    let page = b"<!doctype html>see http://a.exam<wbr>ple/\n";
    assert_eq!(run(&["--lines", "--host", "a.example"], page).code, 1);
    let ran = run(&["--lines", "-i", "html", "--host", "a.example"], page);
    assert_eq!((ran.out.as_bytes(), ran.code), (&page[..], 0));
    let refused = in_folder(&["--lines", "--redact", "f"]);
    assert_eq!((refused.out.as_str(), refused.code), ("", 2));
}
