//! The guide describes the program: every terminal in it is run, and its tables of
//! equality are compared with `normalize`. (Those of URNs are in `urn.rs`.)

#![cfg(unix)]

use crate::documents::{chapters, check_consoles, sh};
use std::path::Path;

/// The terminals of a chapter share a directory; chapters are run beside each other.
#[test]
fn every_terminal() {
    let chapters = chapters();
    let run: Vec<usize> = std::thread::scope(|scope| {
        let runs: Vec<_> = chapters
            .iter()
            .map(|(_, text)| scope.spawn(|| check_consoles(text)))
            .collect();
        runs.into_iter().map(|run| run.join().unwrap()).collect()
    });
    assert!(run.iter().sum::<usize>() > 60, "{run:?}");
}

/// The section of the guide below `heading`.
fn section(heading: &str) -> String {
    let chapters = chapters();
    let chapter = chapters
        .iter()
        .find_map(|(_, text)| text.split_once(&format!("\n{heading}\n")));
    let (_, after) = chapter.expect(heading);
    let lines = after.lines().take_while(|line| !line.starts_with('#'));
    lines.map(|line| format!("{line}\n")).collect()
}

/// What stands in the cells of the rows of a section's table.
fn rows<const N: usize>(heading: &str) -> Vec<[String; N]> {
    let section = section(heading);
    let lines = section.lines().filter(|line| line.starts_with("| "));
    let rows: Vec<[String; N]> = lines
        .skip(1)
        .map(|line| {
            let cells = line.trim_matches('|').split(" | ");
            let cells: Vec<String> = cells
                .map(|cell| cell.trim().trim_matches('`').to_owned())
                .collect();
            cells.try_into().expect(line)
        })
        .collect();
    assert!(rows.len() > 5, "{heading}");
    rows
}

/// The canonical form of `uri`; `flags` are words of a shell.
fn normalized(flags: &str, uri: &str) -> String {
    let quoted = uri.replace('\'', r"'\''");
    let line = format!("printf '%s\\n' '{quoted}' | urisieve normalize {flags}");
    let ran = sh(Path::new("."), &line);
    assert_eq!((ran.code, &*ran.err), (0, ""), "{line}");
    String::from_utf8(ran.out).unwrap().trim_end().to_owned()
}

#[test]
fn every_rule_of_equality() {
    for [rule, input, level, output] in rows("## Every rule") {
        let found = normalized(&format!("-L {level}"), &input);
        assert_eq!(found, output, "{rule}");
        assert_eq!(normalized(&format!("-L {level}"), &output), output);
    }
}

#[test]
fn every_default_port() {
    let section = section("## Every rule");
    let (_, ports) = section.split_once("Default ports are those of").unwrap();
    let (ports, _) = ports.split_once(".\n").unwrap();
    let words: Vec<&str> = ports
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    assert_eq!(words.len(), 36);
    for pair in words.chunks(2) {
        let (scheme, port) = (pair[0], pair[1]);
        let with_port = format!("{scheme}://a.example:{port}/x");
        let without = format!("{scheme}://a.example/x");
        assert_eq!(normalized("-L scheme", &with_port), without);
    }
}

#[test]
fn what_stays_different() {
    for [one, other, reason] in rows("## What stays different") {
        let forms = [&one, &other].map(|uri| normalized("-L scheme", uri));
        assert_ne!(forms[0], forms[1], "{reason}");
        if let Some(switch) = reason.find("--") {
            let flags = format!("-L scheme {}", reason[switch..].trim_end_matches('`'));
            let forms = [&one, &other].map(|uri| normalized(&flags, uri));
            assert_eq!(forms[0], forms[1], "{reason}");
        }
    }
}

#[test]
fn every_switch() {
    for [switch, input, output] in rows("## Switches") {
        assert_eq!(normalized(&switch, &input), output, "{switch}");
    }
}
