//! Standard streams that are closed, and files whose length is not known.

use crate::program::run;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

/// Runs the program in a shell, with this text after its name.
fn shell(text: &str, dir: &Path) -> (i32, String) {
    let program = assert_cmd::cargo::cargo_bin!("urisieve");
    let Output { status, stderr, .. } = Command::new("sh")
        .args(["-c", &format!("exec \"$0\" {text}")])
        .arg(program)
        .current_dir(dir)
        .env_remove("RUST_BACKTRACE")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&stderr).into_owned();
    (status.code().unwrap(), said)
}

#[test]
fn a_closed_standard_output_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "http://a.example/\n").unwrap();
    for text in [
        "a",
        "-c a",
        "--json a",
        "-l a",
        "normalize a",
        "rewrite a",
        "dedup a",
        "explain http://a.example/",
        "resolve --base http://a.example/ b",
        "formats",
        "--help",
        "--version",
        "--generate man",
        "-o /dev/stdout a",
    ] {
        let (code, said) = shell(&format!("{text} >&-"), dir.path());
        assert_eq!(code, 2, "{text}: {said}");
        assert!(said.contains("closed"), "{text}: {said}");
        let (code, said) = shell(&format!("{text} >/dev/null"), dir.path());
        assert_eq!((code, &*said), (0, ""), "{text}");
    }
    // Where nothing is written there, nothing is lost.
    for text in ["-q a", "-o b a"] {
        assert_eq!(
            shell(&format!("{text} >&-"), dir.path()),
            (0, String::new())
        );
    }
}

#[test]
fn a_closed_standard_input_is_named() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a"), "http://a.example/\n").unwrap();
    for text in [
        "",
        "-",
        "normalize",
        "rewrite",
        "dedup",
        "--files-from -",
        "dedup --against - a",
        "resolve --base http://a.example/",
        "explain",
        "catalog list -i mrk",
    ] {
        // Names and URIs to explain must be there.
        let fails = ["--files-from -", "explain"].contains(&text);
        let (code, said) = shell(&format!("{text} <&-"), dir.path());
        assert!(said.contains("closed"), "{text}: {said}");
        let (empty, of_empty) = shell(&format!("{text} </dev/null"), dir.path());
        assert_eq!(code, if fails { 2 } else { empty }, "{text}: {said}");
        assert!(!of_empty.contains("closed"), "{text}: {of_empty}");
    }
    assert_eq!(shell("a <&-", dir.path()), (0, String::new()));
}

/// Such a file states a length that is not that of its content.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_the_system_makes_is_read() {
    let of_system = [
        "/sys/kernel/mm/transparent_hugepage/enabled",
        "/sys/class/net/lo/mtu",
        "/sys/devices/system/cpu/online",
    ];
    for path in of_system {
        let Ok(text) = fs::read(path) else { continue };
        let ran = run(&["--stats", path], b"");
        assert_eq!(ran.code, 1, "{path}: {}", ran.err);
        assert!(!ran.err.contains("shorter"), "{path}: {}", ran.err);
        let bytes = format!("{} bytes", text.len());
        let words: Vec<&str> = ran.err.split_whitespace().collect();
        assert!(words.join(" ").contains(&bytes), "{path}: {}", ran.err);
    }
}
