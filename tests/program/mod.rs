//! Runs the program once, as its users do.

use assert_cmd::Command;

/// The output of a run and its exit code.
pub struct Ran {
    pub out: String,
    pub err: String,
    pub code: i32,
}

/// Runs the program with `input` on standard input.
pub fn run(args: &[&str], input: &[u8]) -> Ran {
    let output = Command::cargo_bin("urisieve")
        .unwrap()
        .args(args)
        .write_stdin(input)
        .output()
        .unwrap();
    Ran {
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().unwrap(),
    }
}
