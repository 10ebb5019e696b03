//! Reads the documents of the project, and runs the terminals in them (`console`
//! blocks), where `$ ` begins a command and its output follows. `$ cat FILE` creates
//! the file with this content.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

pub fn read(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// What is built, and texts with links of their own.
const NOT_OURS: [&str; 2] = ["target", "corpora"];

/// The paths of the documents in `folder` and the folders below it, in byte order.
pub fn documents(folder: &str) -> Vec<String> {
    let mut documents = Vec::new();
    for entry in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let path = format!("{folder}/{name}");
        if entry.file_type().unwrap().is_dir() {
            if !name.starts_with('.') && !NOT_OURS.contains(&&*name) {
                documents.extend(self::documents(&path));
            }
        } else if name.ends_with(".md") {
            documents.push(path);
        }
    }
    documents.sort();
    documents
}

/// The chapters of the guide, each with its path.
pub fn chapters() -> Vec<(String, String)> {
    let paths = documents("docs/guide").into_iter();
    paths.map(|path| (path.clone(), read(&path))).collect()
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

/// Runs the blocks of a terminal in an empty directory; see [`check_consoles_in`].
pub fn check_consoles(document: &str) -> usize {
    check_consoles_in(tempfile::tempdir().unwrap().path(), document)
}

/// Runs the blocks of a terminal in `directory` and compares the output, with
/// messages first. Returns the number of commands of urisieve.
pub fn check_consoles_in(directory: &Path, document: &str) -> usize {
    let mut run = 0;
    let mut code = 0;
    for block in blocks(document, "console") {
        let block = block.strip_prefix("$ ").expect("a block begins with `$ `");
        for step in block.split("\n$ ") {
            let (command, shown) = step.split_once('\n').unwrap_or((step, ""));
            let shown = shown.trim_end_matches('\n');
            if let Some(name) = command.strip_prefix("cat ") {
                fs::write(directory.join(name), format!("{shown}\n")).unwrap();
            } else if command == "echo $?" {
                assert_eq!(shown, code.to_string(), "{block}");
            } else {
                let ran = sh(directory, command);
                let printed = ran.err + &String::from_utf8(ran.out).unwrap();
                assert_eq!(printed.trim_end_matches('\n'), shown, "$ {command}");
                code = ran.code;
                run += usize::from(command.contains("urisieve"));
            }
        }
    }
    run
}
