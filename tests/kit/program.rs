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
    output_of(program(args).write_stdin(input))
}

/// The program with these arguments.
pub fn program(args: &[&str]) -> Command {
    let mut program = Command::cargo_bin("urisieve").unwrap();
    // With it a panic says more.
    program.args(args).env_remove("RUST_BACKTRACE");
    program
}

/// Runs the program to its end.
pub fn output_of(program: &mut Command) -> Ran {
    let output = program.output().unwrap();
    Ran {
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().unwrap(),
    }
}
