//! The end of the program: signals, a standard error that is not read, files that must
//! not be destroyed.
#![cfg(unix)]

use crate::signals::{has_read, is_ready, signal};
use crate::thorough;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

fn program(args: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("urisieve"));
    command.args(args).stdin(Stdio::null());
    command
}

fn read(pipe: Option<impl Read>) -> String {
    let mut text = String::new();
    pipe.unwrap().read_to_string(&mut text).unwrap();
    text
}

fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.unwrap().success());
}

#[test]
fn a_signal_ends_a_run_that_waits_for_a_pipe_to_be_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    pipe(&path);
    for (name, code) in [("-TERM", 143), ("-INT", 130), ("-HUP", 129)] {
        for threads in ["1", "2"] {
            let mut command = program(&["-c", "-j", threads, path.to_str().unwrap()]);
            let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
            is_ready(&child);
            signal(&child, &[name]);
            assert_eq!(child.wait().unwrap().code(), Some(code), "{name}");
        }
    }
    // A writer that comes late is waited for.
    let mut child = program(&["-j", "2", path.to_str().unwrap()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    is_ready(&child);
    let mut writer = File::options().write(true).open(&path).unwrap();
    for piece in ["http://a.example/ http://b.", "example/\n"] {
        writer.write_all(piece.as_bytes()).unwrap();
        std::thread::sleep(Duration::from_millis(50));
    }
    drop(writer);
    let out = read(child.stdout.take());
    assert_eq!(out, "http://a.example/\nhttp://b.example/\n");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

/// The output pipe has no reader: the signal ends the wait, too.
#[test]
fn a_signal_ends_a_run_that_waits_for_a_reader() {
    use std::os::unix::process::ExitStatusExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("pipe");
    pipe(&path);
    let name = path.to_str().unwrap();
    for args in [
        &["-o", name, "/dev/null"][..],
        &["--errors", name, "/dev/null"],
        &["dedup", "-o", name, "/dev/null"],
        &["normalize", "--errors", name, "/dev/null"],
    ] {
        let mut child = program(args).spawn().unwrap();
        // Whatever it waits for.
        std::thread::sleep(Duration::from_millis(100));
        signal(&child, &["-TERM"]);
        let status = child.wait().unwrap();
        let ended = status.code().or(status.signal().map(|number| 128 + number));
        assert_eq!(ended, Some(143), "{args:?}");
    }
}

/// `timeout` signals the program and its group: twice, at once.
#[test]
fn two_signals_at_once_are_one() {
    for name in ["-TERM", "-INT"] {
        let mut child = program(&["-c"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input
            .write_all(b"http://a.example/ http://b.example/ http://a.example/ ")
            .unwrap();
        has_read(&child, &input);
        signal(&child, &[name, name]);
        let out = read(child.stdout.take());
        assert_eq!(out, "2\thttp://a.example/\n1\thttp://b.example/\n");
        let code = if name == "-INT" { 130 } else { 143 };
        assert_eq!(child.wait().unwrap().code(), Some(code));
    }
}

/// A second one, later, ends even a run that cannot go on.
#[test]
fn a_later_signal_ends_the_program() {
    let mut child = program(&["--all"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    // More than a pipe holds, and nobody reads it.
    let text = b"http://a.example/0123456789\n".repeat(40_000);
    let writer = std::thread::spawn(move || input.write_all(&text));
    is_ready(&child);
    signal(&child, &["-INT"]);
    std::thread::sleep(Duration::from_millis(1500));
    signal(&child, &["-INT"]);
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let _ = writer.join();
}

#[test]
fn an_interrupted_file_is_not_written_and_that_is_said() {
    for args in [&["--all"][..], &["-c"], &["--groups"], &["--sort"]] {
        let folder = tempfile::tempdir().unwrap();
        let args = [args, &["-o", "new.csv", "--stats", "-"]].concat();
        let mut child = program(&args)
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        input.write_all(b"http://a.example/ \n").unwrap();
        has_read(&child, &input);
        signal(&child, &["-TERM"]);
        let err = read(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(143));
        assert!(err.contains("new.csv: not written: interrupted"), "{err}");
        assert!(err.contains(" 1 occurrences\n"), "{err}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}

/// An interrupted run has lost something, too: the list of losses is complete.
#[test]
fn the_losses_of_an_interrupted_run_are_written() {
    let folder = tempfile::tempdir().unwrap();
    let table = "=001  1\n=856  40$uhttp//a.example/\n\n";
    for (command, input, files) in [
        (&["none"][..], "http://a.example/ \n", &["e.jsonl"][..]),
        (&["normalize", "none"], "bad\n", &["e.jsonl"]),
        (&["catalog", "list", "none"], table, &["e.jsonl"]),
        (
            &["links", "--graph", "g", "none"],
            "text",
            &["e.jsonl", "g"],
        ),
    ] {
        let args = [command, &["-", "-o", "new.csv", "--errors", "e.jsonl"]].concat();
        let args: Vec<&str> = match command[0] {
            "normalize" => args
                .into_iter()
                .map(|arg| arg.trim_end_matches(".csv"))
                .collect(),
            _ => args,
        };
        let mut child = program(&args)
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut writer = child.stdin.take().unwrap();
        writer.write_all(input.as_bytes()).unwrap();
        has_read(&child, &writer);
        signal(&child, &["-INT"]);
        assert_eq!(child.wait().unwrap().code(), Some(130), "{args:?}");
        let entries = fs::read_dir(folder.path()).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, files, "{args:?}");
        let losses = fs::read_to_string(folder.path().join("e.jsonl")).unwrap();
        assert!(losses.contains("\"open\""), "{args:?} {losses}");
        fs::remove_file(folder.path().join("e.jsonl")).unwrap();
    }
    assert_eq!(fs::read_dir(folder.path().join("g")).unwrap().count(), 0);
}

/// Something else takes the name of an output while the run goes on.
#[test]
fn a_file_that_cannot_be_renamed_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["new", "e.jsonl"] {
        let mut child = program(&["-", "-o", "new", "--errors", "e.jsonl"])
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut writer = child.stdin.take().unwrap();
        writer.write_all(b"http://a.example/ \n").unwrap();
        has_read(&child, &writer);
        fs::create_dir(folder.path().join(name)).unwrap();
        drop(writer);
        let err = read(child.stderr.take());
        assert_eq!(child.wait().unwrap().code(), Some(2));
        assert!(err.contains(&format!("{name}: ")), "{err}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::remove_dir(folder.path().join(name)).unwrap();
    }
}

/// Either the file is there and the run went well, or neither.
#[test]
fn the_exit_code_says_whether_the_file_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let text: String = (0..20_000)
        .map(|i| format!("http://a.example/{i}\n"))
        .collect();
    fs::write(folder.path().join("in"), text).unwrap();
    for turn in thorough::part(0..60, 3, 1) {
        let mut child = program(&["in", "-o", "out.csv"])
            .current_dir(folder.path())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_micros(turn * 1000));
        // It may have ended.
        let _ = Command::new("kill")
            .args(["-TERM", &child.id().to_string()[..]])
            .stderr(Stdio::null())
            .status();
        let code = child.wait().unwrap().code();
        let is_there = folder.path().join("out.csv").exists();
        // Without a code: before there was a handler.
        assert!(matches!(code, Some(0 | 143) | None), "{code:?}");
        assert_eq!(is_there, code == Some(0), "{turn}");
        let _ = fs::remove_file(folder.path().join("out.csv"));
    }
}

/// grep's `-o FILE` reads FILE; here it would be written.
#[test]
fn a_file_is_not_destroyed_where_nothing_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let run = |args: &[&str], input: &str| {
        let mut child = program(args)
            .current_dir(folder.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // It may end without reading.
        let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
        let output = child.wait_with_output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let log = "10.0.0.1 GET http://a.example/\n";
    for name in ["access.log", "old.csv", "old"] {
        let path = folder.path().join(name);
        fs::write(&path, log).unwrap();
        for args in [
            &["-o", name][..],
            &["-c", "-o", name],
            &["-j", "1", "-o", name],
        ] {
            let (code, err) = run(args, "");
            assert_eq!(code, Some(2), "{args:?}");
            assert!(err.contains(&format!("{name}: left unchanged: ")), "{err}");
            assert!(err.contains("only matches are printed anyway"), "{err}");
            assert_eq!(fs::read_to_string(&path).unwrap(), log);
        }
        // What was read replaces it, as sort does; so does an input that is named.
        assert_eq!(run(&["-o", name], "no match").0, Some(1));
        assert_ne!(fs::read_to_string(&path).unwrap(), log);
        fs::write(&path, log).unwrap();
        assert_eq!(run(&["-o", name, "-"], "").0, Some(1));
        assert_ne!(fs::read_to_string(&path).unwrap(), log);
    }
    // Nor where no input could be read, or a list names none.
    fs::write(folder.path().join("old.csv"), log).unwrap();
    fs::write(folder.path().join("none"), "").unwrap();
    for args in [
        &["-o", "old.csv", "no/such/file"][..],
        &["-o", "old.csv", "--files-from", "none"],
        &["dedup", "-o", "old.csv", "no/such/file"],
        &["--errors", "old.csv", "old.csv"],
    ] {
        assert_eq!(run(args, "").0, Some(2), "{args:?}");
        let left = fs::read_to_string(folder.path().join("old.csv"));
        assert_eq!(left.unwrap(), log, "{args:?}");
    }
    // A file that is not there is made, as with every other input.
    assert_eq!(run(&["-o", "new.txt"], "").0, Some(1));
    assert!(folder.path().join("new.txt").exists());
}

#[test]
fn a_name_that_asks_for_another_format_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("in"), "http://a.example/").unwrap();
    let run = |args: &[&str]| {
        let output = program(args).current_dir(folder.path()).output().unwrap();
        let err = String::from_utf8(output.stderr).unwrap();
        (output.status.code(), err)
    };
    for name in ["r.xml", "r.xlsx", "r.XML", "r.xls.gz", "r.pdf"] {
        let (code, err) = run(&["in", "-o", name]);
        assert_eq!(code, Some(2), "{name}");
        assert!(err.contains("not a format that can be written"), "{err}");
        assert!(!folder.path().join(name).exists());
    }
    for name in ["r.txt", "r", "r.log"] {
        assert_eq!(run(&["in", "-o", name]).0, Some(0), "{name}");
    }
    assert_eq!(run(&["in", "-f", "text", "-o", "r.xml"]).0, Some(0));
}

#[test]
fn the_longest_uri_is_bounded_with_a_reason() {
    let report = program(&["--max-length", "2M"]).output().unwrap();
    assert_eq!(report.status.code(), Some(2));
    let err = String::from_utf8(report.stderr).unwrap();
    assert!(
        err.contains("at most 1M (1048576 bytes); longer candidates"),
        "{err}"
    );
    let report = program(&["--max-length", "1M"]).output().unwrap();
    assert_eq!(report.status.code(), Some(1));
}

/// A message that cannot be written changes nothing else.
#[test]
fn a_standard_error_that_is_closed_or_full_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("in");
    fs::write(&path, b"http://a.example/ http://b.example/\nno uri\n").unwrap();
    let name = path.to_str().unwrap();
    for (args, code) in [
        (&[name, "no/such/file", "--stats"][..], 2),
        (&["-v", "--stats", name], 0),
        (&["--max-length", "3", name], 2),
        (&["--progress", "always", name], 0),
        (&["dedup", "--stats", name], 0),
        (&["normalize", name], 1),
        (&["resolve", "--base", "urn:a:b", "x"], 0),
        (&["--no-such-flag"], 2),
        (&["-j", "0"], 2),
    ] {
        let wanted = program(args).output().unwrap();
        assert_eq!(wanted.status.code(), Some(code), "{args:?}");
        let full = File::options().write(true).open("/dev/full");
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut ends = vec![Stdio::from(writer)];
        ends.extend(full.ok().map(Stdio::from));
        for end in ends {
            let report = program(args).stderr(end).output().unwrap();
            assert_eq!(report.status.code(), Some(code), "{args:?}");
            assert!(report.stdout == wanted.stdout, "{args:?}");
        }
        // Closed from the beginning, as by `2>&-`.
        let script = "exec \"$0\" \"$@\" 2>&-";
        let binary = assert_cmd::cargo::cargo_bin!("urisieve");
        let report = Command::new("sh")
            .args(["-c", script])
            .arg(binary)
            .args(args)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        assert_eq!(report.status.code(), Some(code), "{args:?}");
        assert!(report.stdout == wanted.stdout, "{args:?}");
    }
}
