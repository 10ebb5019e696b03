//! `benches/compare` runs on small workloads: the program and its peers agree, the tables
//! and plots are written, and an answer that is wrong is an error. No time is looked at.

#![cfg(unix)]

use crate::documents::read;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

const MARKS: &str =
    "before\n<!-- made by benches/compare --write -->\nold\n<!-- until here -->\nafter\n";
/// Where the tables are written.
const WRITTEN: [&str; 2] = ["docs/numbers.md", "README.md"];

/// Runs the script on one MiB of each workload; nothing where there is no Python.
fn compare(program: &Path, args: &[&str]) -> Option<Output> {
    let python = Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|ran| ran.status.success()) {
        eprintln!("skipped: benches/compare needs python3, which is not here");
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ran = Command::new("python3")
        .arg(root.join("benches/compare"))
        .arg("--quick")
        .arg("--program")
        .arg(program)
        .args(args)
        .output();
    Some(ran.unwrap())
}

/// Writes a program that replaces `urisieve`.
fn write_script(program: &Path, script: &str) {
    fs::write(program, script).unwrap();
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn answers_agree() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["benches", "docs"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    for name in WRITTEN {
        fs::write(folder.path().join(name), MARKS).unwrap();
    }
    let program = Path::new(env!("CARGO_BIN_EXE_urisieve"));
    let Some(ran) = compare(program, &["--write", folder.path().to_str().unwrap()]) else {
        return;
    };
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{said}");
    let [text, readme] = WRITTEN.map(|name| {
        let text = fs::read_to_string(folder.path().join(name)).unwrap();
        assert!(text.starts_with("before\n") && text.ends_with("-->\nafter\n"));
        assert!(!text.contains("\nold\n"), "{text}");
        text
    });
    assert!(readme.contains("\n| limit 256M | itself "), "{readme}");
    assert!(rows(&readme).all(|row| text.contains(row)), "{readme}");
    for workload in [
        "rare",
        "logs",
        "common",
        "markup",
        "gzip",
        "many",
        "dense",
        "repeat",
        "html",
        "crawl",
        "mail",
        "mail base64",
        "json",
        "xml",
        "limit 256M",
        "seen",
        "match",
        "enrich",
        "rewrite",
    ] {
        assert!(text.contains(&format!("\n| {workload} | ")), "{workload}");
    }
    for hostile in ["html: &", "xml: <!--", "links: a million attributes"] {
        assert!(text.contains(&format!("\n| `{hostile}` | ")), "{hostile}");
    }
    for (name, words) in [("keys", "sort -u --parallel=2"), ("threads", "-j 1")] {
        let Ok(picture) = fs::read_to_string(folder.path().join(format!("benches/{name}.svg")))
        else {
            // On one core there are no threads to compare.
            assert!(name == "threads" && !text.contains(name), "{name}");
            continue;
        };
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
        assert!(picture.contains(words), "{name}");
        assert!(
            text.contains(&format!("](../benches/{name}.svg)")),
            "{name}"
        );
    }
}

/// A program that loses a URI, one that cuts them, and one that prints something twice.
#[test]
fn a_wrong_answer_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("urisieve");
    for (filter, said) in [
        ("sed '/ref=volume/d'", "differences are not explained"),
        (
            "sed 's/ref=volume/ref=vol/'",
            "differences are not explained",
        ),
        ("sed 'p'", "printed a line twice"),
    ] {
        let script = format!(
            "#!/bin/sh\n{} \"$@\" | {filter}\n",
            env!("CARGO_BIN_EXE_urisieve")
        );
        write_script(&program, &script);
        let Some(ran) = compare(&program, &["--only", "common"]) else {
            return;
        };
        let printed = String::from_utf8_lossy(&ran.stderr);
        assert_eq!(ran.status.code(), Some(1), "{filter}: {printed}");
        assert!(printed.contains(said), "{filter}: {printed}");
    }
}

/// What the compiler learns from: each workload, and what users ask for beside them.
#[test]
fn the_program_is_run_for_a_profile() {
    let folder = tempfile::tempdir().unwrap();
    let (program, ran_with) = (folder.path().join("urisieve"), folder.path().join("args"));
    let script = format!(
        "#!/bin/sh\necho \"${{URISIEVE_AVX2:-0}} $@\" >> {}\nexec {} \"$@\"\n",
        ran_with.display(),
        env!("CARGO_BIN_EXE_urisieve")
    );
    write_script(&program, &script);
    let Some(ran) = compare(&program, &["--train"]) else {
        return;
    };
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    assert!(ran.stdout.is_empty());
    let commands = fs::read_to_string(ran_with).unwrap();
    for command in [
        "-i text /",
        "links /",
        "catalog check /",
        "dedup --max-memory",
        "--groups /",
        "rewrite --redact",
        "-i json /",
        "-i parquet --field url /",
    ] {
        assert!(commands.contains(command), "{command}: {commands}");
    }
    // Pages are searched, and for their links, with AVX-512 and without.
    for kernel in ["0 ", "1 "] {
        let of_kernel = commands.lines().filter(|line| line.starts_with(kernel));
        let of_pages = of_kernel.filter(|line| line.ends_with("/pages"));
        assert_eq!(of_pages.count(), 2, "{commands}");
    }
    // No peer, and nothing that is there to be slow.
    assert!(!commands.contains(" -j 1"), "{commands}");
}

/// Pages of a directory instead of generated ones.
#[test]
fn pages_of_a_directory() {
    let folder = tempfile::tempdir().unwrap();
    let page = "<!doctype html><a href='http://a.example/?b&amp;c'>x</a> \
                <a href=\"/web/http://b.example/\">y</a> http://c.exam<wbr>ple/\n";
    fs::write(folder.path().join("page.html"), page).unwrap();
    fs::write(folder.path().join("page.txt"), "http://no.example/").unwrap();
    let program = Path::new(env!("CARGO_BIN_EXE_urisieve"));
    let from = folder.path().to_str().unwrap();
    let Some(ran) = compare(program, &["--only", "html", "--from", from]) else {
        return;
    };
    let printed = String::from_utf8_lossy(&ran.stdout);
    assert!(
        ran.status.success(),
        "{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    if printed.contains("Skipped") {
        return;
    }
    for note in [
        "1 references decoded",
        "1 inside of a longer reference",
        "1 goes on after a blank or a <wbr>",
    ] {
        assert!(printed.contains(note), "{printed}");
    }
}

/// The rows of tables.
fn rows(document: &str) -> impl Iterator<Item = &str> {
    document.lines().filter(|line| line.starts_with("| "))
}

/// The project's own numbers come from the script, those of the README from one run with the others.
#[test]
fn the_documents_have_their_marks() {
    let [numbers, readme] = WRITTEN.map(read);
    let between = [&numbers, &readme].map(|text| {
        let mut marks = MARKS.lines().filter(|line| line.starts_with("<!--"));
        let mut mark = || format!("\n{}\n", marks.next().unwrap());
        let (_, after) = text.split_once(&mark()).unwrap();
        after.split_once(&mark()).unwrap().0.to_owned()
    });
    let ten: Vec<&str> = rows(&between[1]).skip(1).collect();
    assert_eq!(ten.len(), 10);
    let measured = between[1].trim_start().lines().next().unwrap();
    assert!(between[0].contains(measured), "{measured}");
    for row in ten {
        assert!(between[0].contains(row), "{row}");
    }
}
