//! Requests in logs, as the program shows them: the hint to `--base`, the counts, the errors of
//! flags, pipes, compressed and archived logs.

use crate::program::{program, run};
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

const NO_HOST: &str = "192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /a HTTP/1.1\" 200 2\n";
const REQUEST: &str =
    "w.example 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /a HTTP/1.1\" 200 2\n";

#[test]
fn the_hint_to_a_base_is_printed_once() {
    let folder = tempfile::tempdir().unwrap();
    let names = ["one.log", "two.log"];
    for name in names {
        std::fs::write(folder.path().join(name), NO_HOST.repeat(2)).unwrap();
    }
    let mut program = program(&["--stats", names[0], names[1]]);
    let ran = program.current_dir(folder.path()).output().unwrap();
    let err = String::from_utf8(ran.stderr).unwrap();
    let hint = "one.log: requests without a host; --base https://HOST/ gives it\n";
    assert!(err.contains(hint), "{err}");
    assert_eq!(err.matches("--base").count(), 1, "{err}");
    assert!(err.contains("4 no_host"), "{err}");
    let ran = run(&["--base", "https://w.example/x"], NO_HOST.as_bytes());
    assert_eq!((&*ran.out, &*ran.err), ("https://w.example/a\n", ""));
}

#[test]
fn wrong_flags_are_named() {
    for (args, part) in [
        (&["--base", "w.example"][..], "--base"),
        (&["--log-format", "apache"], "clf"),
        (&["--log-format", "json,x=y"], "referer"),
        (&["--log-format", "$request$status"], "$status"),
    ] {
        let ran = run(args, b"");
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.err.contains(part), "{}", ran.err);
    }
}

#[test]
fn shapes_and_names_are_listed() {
    let ran = run(&["formats"], b"");
    assert!(ran.out.contains("log\tclf\t"), "{}", ran.out);
    assert!(ran.out.contains("log-part\tquery\tquery querystring "));
}

/// A line is printed before the writer goes on, whatever format its beginning could have.
#[test]
fn a_line_does_not_wait() {
    for request in [
        REQUEST,
        "w.example:80 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /a HTTP/1.1\" 200 2\n",
        "{\"method\":\"GET\",\"host\":\"w.example\",\"path\":\"/a\"}\n",
        "at=info method=GET path=/a host=w.example\n",
    ] {
        answers_each_line(request);
    }
}

fn answers_each_line(request: &str) {
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    for name in ["a", "b", "c"] {
        let line = request.replace("w.example", &format!("{name}.example"));
        let (first, second) = line.split_at(20);
        stdin.write_all(first.as_bytes()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(20));
        stdin.write_all(second.as_bytes()).unwrap();
        let printed = lines.next().unwrap().unwrap();
        assert_eq!(printed, format!("http://{name}.example/a"));
    }
    drop(stdin);
    assert!(child.wait().unwrap().success());
}

#[test]
fn compressed_and_archived_logs_are_read() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(REQUEST.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let mut header = [0; 512];
    header[..8].copy_from_slice(b"w/ac.log");
    header[124..136].copy_from_slice(format!("{:011o}\0", REQUEST.len()).as_bytes());
    header[156] = b'0';
    header[257..265].copy_from_slice(b"ustar\x0000");
    header[148..156].fill(b' ');
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    let mut tar = header.to_vec();
    tar.extend_from_slice(REQUEST.as_bytes());
    tar.resize(tar.len().next_multiple_of(512) + 1024, 0);
    let units = REQUEST.encode_utf16().flat_map(u16::to_le_bytes);
    let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain(units).collect();
    for input in [&gzip, &tar, &utf16] {
        let ran = run(&["--all"], input);
        assert_eq!(ran.out, "http://w.example/a\n", "{}", ran.err);
    }
}
