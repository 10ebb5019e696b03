//! Input that does not end: what is printed is committed while the run goes on.
#![cfg(unix)]

use crate::program::run;
use crate::signals::{is_ready, signal};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn begun(store: &str, more: &[&str]) -> Child {
    started("dedup", store, more)
}

fn started(name: &str, store: &str, more: &[&str]) -> Child {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("urisieve"));
    command.args([name, "--seen", store, "--commit-every", "1s"]);
    command
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    command.stderr(Stdio::null()).spawn().unwrap()
}

fn exported(store: &str) -> Vec<String> {
    let ran = run(&["seen", "export", store], b"");
    ran.out.lines().map(str::to_owned).collect()
}

/// Waits until the store has this number of keys.
fn wait_for(store: &str, number: usize) {
    let begun = Instant::now();
    while exported(store).len() < number {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{:?}",
            exported(store)
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn what_was_printed_is_committed_while_input_pauses() {
    let root = tempfile::tempdir().unwrap();
    let store = root.path().join("store");
    let store = store.to_str().unwrap();
    let mut child = begun(store, &[]);
    let (mut input, mut out) = (
        child.stdin.take().unwrap(),
        BufReader::new(child.stdout.take().unwrap()),
    );
    let mut line = String::new();
    for part in [
        "http://a.example/\nhttp://b.example/\n",
        "http://a.example/\nhttp://c.example/\n",
    ] {
        input.write_all(part.as_bytes()).unwrap();
    }
    for _ in 0..3 {
        out.read_line(&mut line).unwrap();
    }
    assert_eq!(
        line,
        "http://a.example/\nhttp://b.example/\nhttp://c.example/\n"
    );
    wait_for(store, 3);
    // A second writer is refused with the number of the first.
    let second = run(&["dedup", "--seen", store], b"http://d.example/\n");
    assert_eq!((&*second.out, second.code), ("", 2));
    assert!(
        second
            .err
            .contains(&format!("process {} writes", child.id())),
        "{}",
        second.err
    );
    // A reader is not.
    let reader = run(
        &["dedup", "--against", store],
        b"http://c.example/\nhttp://e.example/\n",
    );
    assert_eq!(reader.out, "http://e.example/\n");
    // Nothing is committed that is not new, and a kill loses nothing else.
    let files = || {
        let mut names: Vec<_> = std::fs::read_dir(store)
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        names.sort();
        names
    };
    let before = files();
    input.write_all(b"http://a.example/\n").unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(files(), before);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(exported(store).len(), 3);
    let after = run(
        &["dedup", "--seen", store],
        b"http://a.example/\nhttp://f.example/\n",
    );
    assert_eq!(
        (&*after.out, after.code),
        ("http://f.example/\n", 0),
        "{}",
        after.err
    );
}

/// The first signal ends the input, and what was printed is committed.
#[test]
fn a_signal_commits_what_was_printed() {
    let root = tempfile::tempdir().unwrap();
    let store = root.path().join("store");
    let store = store.to_str().unwrap();
    let mut child = begun(store, &[]);
    let mut input = child.stdin.take().unwrap();
    input
        .write_all(b"http://a.example/\nhttp://b.example/\n")
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    signal(&child, &["-TERM"]);
    assert_eq!(child.wait().unwrap().code(), Some(143));
    out.read_to_string(&mut line).unwrap();
    let printed: Vec<_> = line.lines().map(str::to_owned).collect();
    assert_eq!(exported(store), printed);
}

/// Events are committed while input pauses; a kill loses nothing else, and a signal what is left.
#[test]
fn events_are_committed_as_they_come() {
    let root = tempfile::tempdir().unwrap();
    let store = root.path().join("store");
    let store = store.to_str().unwrap();
    let event = |host: char| format!("{{\"m\":\"http://{host}.example/\"}}\n");
    let mut child = started("enrich", store, &["--as", "urls"]);
    let mut input = child.stdin.take().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    for (host, is_new) in [('a', true), ('b', true), ('a', false)] {
        input.write_all(event(host).as_bytes()).unwrap();
        line.clear();
        out.read_line(&mut line).unwrap();
        assert!(line.contains(&format!("\"new\":{is_new}")), "{line}");
    }
    wait_for(store, 2);
    // What was committed left the memory, and is still known.
    for (host, is_new) in [('a', false), ('c', true), ('b', false)] {
        input.write_all(event(host).as_bytes()).unwrap();
        line.clear();
        out.read_line(&mut line).unwrap();
        assert!(line.contains(&format!("\"new\":{is_new}")), "{line}");
    }
    wait_for(store, 3);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(exported(store).len(), 3);
    let mut child = started("enrich", store, &["--as", "urls"]);
    is_ready(&child);
    let mut input = child.stdin.take().unwrap();
    let text: String = "cdef".chars().map(event).collect();
    input.write_all(text.as_bytes()).unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    line.clear();
    out.read_line(&mut line).unwrap();
    signal(&child, &["-TERM"]);
    assert_eq!(child.wait().unwrap().code(), Some(143));
    out.read_to_string(&mut line).unwrap();
    assert_eq!(line.matches("\"new\":true").count(), 3, "{line}");
    assert_eq!(exported(store).len(), 6);
}

/// A run that waits for another writer goes on when that ends, and a signal ends the wait.
#[test]
fn a_writer_is_waited_for() {
    let root = tempfile::tempdir().unwrap();
    let store = root.path().join("store");
    let store = store.to_str().unwrap();
    let mut first = begun(store, &[]);
    let mut out = BufReader::new(first.stdout.take().unwrap());
    let mut input = first.stdin.take().unwrap();
    input.write_all(b"http://a.example/\n").unwrap();
    out.read_line(&mut String::new()).unwrap();
    let waiting = || {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("urisieve"));
        command.args(["dedup", "--seen", store, "--wait", "600"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().unwrap();
        let mut input = child.stdin.take().unwrap();
        input
            .write_all(b"http://a.example/\nhttp://b.example/\n")
            .unwrap();
        child
    };
    let mut ended = waiting();
    std::thread::sleep(Duration::from_millis(300));
    signal(&ended, &["-TERM"]);
    assert!(!ended.wait().unwrap().success());
    let mut second = waiting();
    std::thread::sleep(Duration::from_millis(200));
    assert!(second.try_wait().unwrap().is_none());
    drop(input);
    assert!(first.wait().unwrap().success());
    let mut text = String::new();
    second
        .stdout
        .take()
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    assert_eq!(
        (&*text, second.wait().unwrap().code()),
        ("http://b.example/\n", Some(0))
    );
}

/// Memory is used up many times: nothing is deferred, lost or printed twice.
#[test]
fn little_memory_changes_nothing() {
    let line = |n: u64| {
        format!(
            "http://h{}.example/{:x}\n",
            n % 100,
            n.wrapping_mul(0x9E37_79B9) % 60_000
        )
    };
    let lines: String = (0..100_000).map(line).collect();
    let wanted = run(&["dedup"], lines.as_bytes()).out;
    let half = lines.len() / 2;
    for args in [
        &["-j", "1", "--max-memory", "64K"][..],
        &["-j", "4", "--max-memory", "600K"],
    ] {
        let root = tempfile::tempdir().unwrap();
        let store = root.path().join("store");
        let store = store.to_str().unwrap();
        let common = ["dedup", "--seen", store, "--commit-every", "1s", "--stats"];
        let first = run(&[&common[..], args].concat(), &lines.as_bytes()[..half]);
        assert_eq!(first.code, 0, "{}", first.err);
        let second = run(&[&common[..], args].concat(), &lines.as_bytes()[half..]);
        assert!(second.code < 2, "{}", second.err);
        // The line at the half is in two parts.
        let printed = first.out.lines().count() + second.out.lines().count();
        let distinct = wanted.lines().count();
        assert!(
            printed.abs_diff(distinct) <= 2,
            "{args:?}: {printed} {distinct}"
        );
        assert!(
            wanted.starts_with(&first.out[..first.out.len().saturating_sub(200)]),
            "{args:?}"
        );
        let stats: u64 = first
            .err
            .lines()
            .find_map(|line| {
                line.trim()
                    .strip_prefix("deferred")?
                    .trim()
                    .replace('_', "")
                    .parse()
                    .ok()
            })
            .unwrap_or(0);
        assert_eq!(stats, 0, "{}", first.err);
        let verified = run(&["seen", "verify", store], b"");
        assert_eq!(verified.code, 0, "{}", verified.err);
        assert_eq!(exported(store).len(), printed);
    }
}

#[test]
fn what_is_printed_at_the_end_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let store = root.path().join("store");
    let store = store.to_str().unwrap();
    let file = root.path().join("known");
    std::fs::write(&file, "http://a.example/").unwrap();
    for args in [
        &["extract", "-c"][..],
        &["extract", "--groups"],
        &["extract", "--sort"],
        &["extract", "--unordered"],
        &["extract", "-o", "out"],
        &["extract", "--against", file.to_str().unwrap()],
        &["dedup", "--groups"],
        &["dedup", "-o", "out"],
        &["dedup", "--against", file.to_str().unwrap()],
    ] {
        let ran = run(
            &[args, &["--seen", store, "--commit-every", "1m"]].concat(),
            b"",
        );
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(
            ran.err.contains("--commit-every: not with"),
            "{args:?} {}",
            ran.err
        );
    }
    for time in ["0", "x", "1y", "-1s"] {
        let ran = run(&["--seen", store, &format!("--commit-every={time}")], b"");
        assert!(
            ran.code == 2 && ran.err.contains("is not a time"),
            "{time} {}",
            ran.err
        );
    }
    assert_eq!(run(&["--commit-every", "1s"], b"").code, 2);
    assert!(!Path::new(store).exists());
}
