//! Reads the documents of the project, and runs the terminals in them (`console`
//! blocks), where `$ ` begins a command and its output follows. `$ cat FILE` creates
//! the file with this content.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The fenced blocks of `document` in this language, as written.
pub fn blocks(document: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}");
    let mut blocks: Vec<String> = Vec::new();
    let mut inside = None;
    for line in document.lines() {
        match inside {
            None if line.starts_with("```") => {
                inside = Some(line == fence);
                if line == fence {
                    blocks.push(String::new());
                }
            }
            Some(_) if line == "```" => inside = None,
            Some(true) => {
                let block = blocks.last_mut().unwrap();
                block.push_str(line);
                block.push('\n');
            }
            _ => {}
        }
    }
    assert!(inside.is_none(), "a block of {language} does not end");
    blocks
}

/// What a command printed.
pub struct Ran {
    pub out: Vec<u8>,
    pub err: String,
    pub code: i32,
}

/// Runs `line` with `sh -c` in `directory`; `urisieve` is the program under test.
pub fn sh(directory: &Path, line: &str) -> Ran {
    let program = PathBuf::from(assert_cmd::cargo::cargo_bin!("urisieve"));
    let mut path = vec![program.parent().unwrap().to_path_buf()];
    path.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(directory)
        .env("PATH", std::env::join_paths(path).unwrap())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    Ran {
        out: output.stdout,
        err: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}

/// Runs the blocks of a terminal in one directory and compares the output, with
/// messages first. Returns the number of commands of urisieve.
pub fn check_consoles(document: &str) -> usize {
    let directory = tempfile::tempdir().unwrap();
    let mut run = 0;
    let mut code = 0;
    for block in blocks(document, "console") {
        let block = block.strip_prefix("$ ").expect("a block begins with `$ `");
        for step in block.split("\n$ ") {
            let (command, shown) = step.split_once('\n').unwrap_or((step, ""));
            let shown = shown.trim_end_matches('\n');
            if let Some(name) = command.strip_prefix("cat ") {
                fs::write(directory.path().join(name), format!("{shown}\n")).unwrap();
            } else if command == "echo $?" {
                assert_eq!(shown, code.to_string(), "{block}");
            } else {
                let ran = sh(directory.path(), command);
                let printed = ran.err + &String::from_utf8(ran.out).unwrap();
                assert_eq!(printed.trim_end_matches('\n'), shown, "$ {command}");
                code = ran.code;
                run += usize::from(command.contains("urisieve"));
            }
        }
    }
    run
}
