//! Commands that pass their input on with changes: a writer that pauses, SIGTERM, a reader that
//! is gone, and a disk that is full.

use crate::signals::{has_read, signal};
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};

/// A command, a line, what it writes for that, and the same for the start of a line.
struct Passing {
    args: &'static [&'static str],
    line: [&'static str; 2],
    begun: [&'static str; 2],
}

const COMMANDS: [Passing; 3] = [
    Passing {
        args: &["enrich"],
        line: [
            "{\"m\":\"http://a.example/N\"}\n",
            "{\"m\":\"http://a.example/N\",\"urls\":[\"http://a.example/N\"]}\n",
        ],
        begun: ["{\"m\":\"http://b.exa", "{\"m\":\"http://b.exa"],
    },
    Passing {
        args: &["rewrite", "--redact"],
        line: [
            "see http://u:p@a.example/N\n",
            "see http://u:***@a.example/N\n",
        ],
        begun: ["http://u:p@b.exa", "http://u:***@b.exa"],
    },
    Passing {
        args: &["rewrite"],
        line: ["HTTP://a.example/N is\n", "HTTP://a.example/N is\n"],
        begun: ["HTTP://b.exa", "HTTP://b.exa"],
    },
];

impl Passing {
    /// Returns the line with this number, and what is written for it.
    fn numbered(&self, number: usize) -> [String; 2] {
        self.line.map(|line| line.replace('N', &number.to_string()))
    }

    fn spawn(&self, out: Stdio) -> Child {
        Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
            .args(self.args)
            .stdin(Stdio::piped())
            .stdout(out)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }
}

/// Writes more lines than a pipe holds, and returns what the program said and its exit code.
fn flooded(passing: &Passing, mut child: Child) -> (String, Option<i32>) {
    let mut input = child.stdin.take().unwrap();
    let text = passing.line[0].repeat(1 << 15);
    // The program may be gone before all is written.
    let _ = input.write_all(text.as_bytes());
    drop(input);
    let mut said = String::new();
    let mut err = child.stderr.take().unwrap();
    err.read_to_string(&mut said).unwrap();
    (said, child.wait().unwrap().code())
}

/// What is complete is written when the writer pauses; after SIGTERM what waits is passed on.
#[test]
fn lines_are_passed_on_at_a_pause_and_at_the_end() {
    for passing in &COMMANDS {
        let mut child = passing.spawn(Stdio::piped());
        let mut input = child.stdin.take().unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        for number in 0..3 {
            let [line, wanted] = passing.numbered(number);
            input.write_all(line.as_bytes()).unwrap();
            let mut line = String::new();
            output.read_line(&mut line).unwrap();
            assert_eq!(line, wanted);
        }
        let [begun, wanted] = passing.begun;
        input.write_all(begun.as_bytes()).unwrap();
        has_read(&child, &input);
        signal(&child, &["-TERM"]);
        let mut rest = String::new();
        output.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, wanted);
        assert_eq!(child.wait().unwrap().code(), Some(143));
    }
}

#[test]
fn a_closed_pipe_ends_quietly() {
    for passing in &COMMANDS {
        let mut child = passing.spawn(Stdio::piped());
        drop(child.stdout.take());
        let (said, _) = flooded(passing, child);
        assert_eq!(said, "", "{:?}", passing.args);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for passing in &COMMANDS {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (said, code) = flooded(passing, passing.spawn(full.into()));
        let is_named = said.contains("No space left") && said.contains("standard output");
        assert!(is_named && code == Some(2), "{:?} {said}", passing.args);
        let path = folder.path().join("in");
        fs::write(&path, passing.line[0].repeat(100)).unwrap();
        let ran = Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
            .args(passing.args)
            .args(["-o", "/dev/full"])
            .arg(&path)
            .output()
            .unwrap();
        let said = String::from_utf8(ran.stderr).unwrap();
        assert!(said.contains("/dev/full: No space left"), "{said}");
        assert_eq!(ran.status.code(), Some(2), "{said}");
    }
}
