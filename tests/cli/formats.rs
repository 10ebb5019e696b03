//! The register of formats: what the program and the Python package offer is what it has.

use crate::program::run;
use std::fs;
use std::path::Path;
use urisieve::decode::{FORMATS, InputFormat};

/// Whether a command takes this name of a format.
fn takes(command: &[&str], name: &str) -> bool {
    let args = [command, &["-i", name]].concat();
    !run(&args, b"").err.contains("invalid value")
}

#[test]
fn every_format_is_offered_where_it_is_read() {
    let printed = run(&["formats"], b"").out;
    let stub = Path::new(env!("CARGO_MANIFEST_DIR")).join("python/package/urisieve/_options.py");
    let stub = fs::read_to_string(stub).unwrap();
    let choices = stub.split_once("input_format: (").unwrap().1;
    let choices = choices
        .split_once('[')
        .unwrap()
        .1
        .split_once(']')
        .unwrap()
        .0;
    let mut offered: Vec<&str> = choices
        .split(',')
        .map(|name| name.trim().trim_matches('"'))
        .filter(|name| !name.is_empty())
        .collect();
    offered.retain(|name| *name != "auto");
    let searched = FORMATS.iter().filter(|format| format.is_searched());
    let mut wanted: Vec<&str> = searched.map(|format| format.name).collect();
    offered.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(offered, wanted, "the stub of Python");
    for format in FORMATS {
        let InputFormat { name, records, .. } = format;
        let line = format!("input\t{name}\t");
        assert!(
            printed.lines().any(|printed| printed.starts_with(&line)),
            "{name}"
        );
        assert_eq!(takes(&[], name), format.is_searched(), "{name}");
        assert_eq!(
            takes(&["catalog", "list"], name),
            records.is_some(),
            "catalog, {name}"
        );
    }
}
