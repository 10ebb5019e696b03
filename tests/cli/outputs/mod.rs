//! Outputs: records in each form, files, outputs that are divided and merged, reports.

mod counts;
mod files;
mod merge;
mod merge_tables;
mod records;
mod report;
mod split;

use assert_cmd::Command;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use tempfile::TempDir;

struct Ran {
    out: Vec<u8>,
    err: String,
    code: i32,
}

impl Ran {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }
}

fn run(args: &[&str], input: &[u8]) -> Ran {
    run_in(Path::new("."), args, input)
}

fn run_in(folder: &Path, args: &[&str], input: &[u8]) -> Ran {
    let output = Command::cargo_bin("urisieve")
        .unwrap()
        .current_dir(folder)
        .args(args)
        .write_stdin(input)
        .output()
        .unwrap();
    Ran {
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().unwrap(),
    }
}

fn spawn(folder: &Path, args: &[&str]) -> Child {
    std::process::Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
        .current_dir(folder)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The names in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

const TEXT: &[u8] =
    b"<http://www.a.co.uk:80/x,y?> HTTP://B.example/ http://b.example/\nurn:isbn:0395363411";
