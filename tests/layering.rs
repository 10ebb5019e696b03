//! The architecture as a test: which module may use which, where `unsafe`, I/O
//! and printing may stand, and that the map in the crate's documentation is the
//! folders there are.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const STAGES: &[&str] = &[
    "syntax",
    "escape",
    "item",
    "input",
    "unpack",
    "decode",
    "scan",
    "delimit",
    "canonicalize",
    "dedup",
    "output",
];

/// What each module may use; a stage never uses a stage.
const MAY_USE: &[(&str, &[&str])] = &[
    ("syntax", &[]),
    ("escape", &[]),
    ("item", &["syntax"]),
    ("input", &[]),
    ("unpack", &["item"]),
    ("decode", &["item", "escape"]),
    ("scan", &["item", "syntax", "escape"]),
    ("delimit", &["item", "syntax", "escape"]),
    ("canonicalize", &["syntax"]),
    ("dedup", &[]),
    ("output", &["item", "syntax"]),
    ("engine", STAGES),
    (
        "explain",
        &["engine", "canonicalize", "item", "syntax", "output"],
    ),
    ("reference", &["item", "syntax"]),
    ("cli", &["cli"]),
];

/// What the oracle may name of `syntax`: data. Its logic it transcribes itself, or a
/// mistake would stand in both (L5).
const DATA_OF_SYNTAX: &[&str] = &[
    "class::ALPHA",
    "class::Class",
    "class::DIGIT",
    "class::HEXDIG",
    "class::PCHAR",
    "class::REG_NAME",
    "class::SCHEME",
    "class::SUB_DELIMS",
    "class::UNRESERVED",
    "class::URI",
    "iri::is_bare",
    "iri::is_joiner",
    "iri::is_unspaced_script",
    "iri::is_wrapped",
    "scheme::Scheme",
    "scheme::all",
];

/// Modules that know neither files nor pipes.
const WITHOUT_IO: &[&str] = &[
    "syntax",
    "escape",
    "item",
    "decode",
    "scan",
    "delimit",
    "canonicalize",
    "dedup",
    "output",
    "explain",
    "reference",
];

fn source_files() -> Vec<(String, PathBuf, String)> {
    fn collect(dir: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, files);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    files
        .into_iter()
        .filter_map(|path| {
            let relative = path.strip_prefix(&root).unwrap().to_owned();
            let module = relative
                .components()
                .next()?
                .as_os_str()
                .to_str()?
                .to_owned();
            let text = fs::read_to_string(&path).unwrap();
            Some((module, relative, text))
        })
        .collect()
}

/// The code of a file without its tests and without comments.
fn code(text: &str) -> String {
    let lines = text
        .lines()
        .take_while(|line| !line.starts_with("#[cfg(test)]"));
    let code = lines.filter(|line| !line.trim_start().starts_with("//"));
    code.collect::<Vec<_>>().join("\n")
}

/// The modules that `code` names after `crate::`.
fn used(code: &str) -> BTreeSet<String> {
    let names = code.split("crate::").skip(1).flat_map(|rest| {
        let list = match rest.strip_prefix('{') {
            Some(group) => group.split('}').next().unwrap_or_default(),
            None => rest,
        };
        let first = |part: &str| {
            part.trim_start()
                .chars()
                .take_while(|c| c.is_alphanumeric() || *c == '_')
                .collect::<String>()
        };
        if rest.starts_with('{') {
            list.split(',').map(first).collect::<Vec<_>>()
        } else {
            vec![first(list)]
        }
    });
    names.filter(|name| !name.is_empty()).collect()
}

#[test]
fn arrows_point_one_way() {
    let mut wrong = Vec::new();
    for (module, path, text) in source_files() {
        let Some((_, may)) = MAY_USE.iter().find(|(name, _)| *name == module) else {
            continue;
        };
        for name in used(&code(&text)) {
            if name != module && !may.contains(&&*name) {
                wrong.push(format!("{}: {module} -> {name}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// The paths below `crate::syntax` that `code` names. A module that is imported
/// whole gives those of its items that are named after it.
fn named_of_syntax(code: &str) -> BTreeSet<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let ends_name = |text: &str| text.ends_with(is_name);
    let mut paths = BTreeSet::new();
    for (at, word) in code.match_indices("syntax") {
        let rest = &code[at + word.len()..];
        if ends_name(&code[..at]) || rest.starts_with(is_name) {
            continue;
        }
        match rest.strip_prefix("::") {
            Some(tree) if code[..at].ends_with("crate::") => leaves("", tree, &mut paths),
            _ => {
                paths.insert("syntax".to_owned());
            }
        }
    }
    let modules: Vec<String> = paths
        .iter()
        .filter(|path| ["class", "iri", "scheme"].contains(&&***path))
        .cloned()
        .collect();
    for module in modules {
        paths.remove(&module);
        let named = format!("{module}::");
        for (at, _) in code.match_indices(&named) {
            if !ends_name(&code[..at]) {
                leaves(&named, &code[at + named.len()..], &mut paths);
            }
        }
    }
    paths
}

/// The paths of a tree such as `a::{b, c::d}` at the start of `code`, each after
/// `prefix`.
fn leaves(prefix: &str, code: &str, paths: &mut BTreeSet<String>) {
    let code = code.trim_start();
    let Some(group) = code.strip_prefix('{') else {
        let is_path = |c: char| c.is_alphanumeric() || matches!(c, '_' | ':' | '*');
        let end = code.find(|c| !is_path(c)).unwrap_or(code.len());
        let path = &code[..end];
        match path.strip_suffix("::") {
            Some(_) => leaves(&format!("{prefix}{path}"), &code[end..], paths),
            None => {
                // A type's function or constant belongs to the type.
                let mut parts = path.split("::").collect::<Vec<_>>();
                let types = |part: &&str| part.starts_with(char::is_uppercase);
                if let Some(at) = parts.iter().position(types) {
                    parts.truncate(at + 1);
                }
                // Under another name its items could not be followed.
                let renamed = code[end..].trim_start().starts_with("as ");
                let mark = if renamed { " as" } else { "" };
                paths.insert(format!("{prefix}{}{mark}", parts.join("::")));
            }
        }
        return;
    };
    let mut depth = 0;
    let mut start = 0;
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                if !group[start..at].trim().is_empty() {
                    leaves(prefix, &group[start..at], paths);
                }
                start = at + 1;
                if c == '}' {
                    return;
                }
            }
            _ => {}
        }
    }
}

#[test]
fn the_oracle_names_the_data_of_syntax_alone() {
    let mut wrong = Vec::new();
    let mut named = BTreeSet::new();
    for (module, path, text) in source_files() {
        if module != "reference" {
            continue;
        }
        for name in named_of_syntax(&code(&text)) {
            if !DATA_OF_SYNTAX.contains(&&*name) {
                wrong.push(format!("{}: reference -> {name}", path.display()));
            }
            named.insert(name);
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
    for name in DATA_OF_SYNTAX {
        assert!(named.contains(*name), "{name} is allowed and not used");
    }
}

#[test]
fn names_of_syntax_are_seen_in_every_spelling() {
    for (code, expect) in [
        ("use crate::syntax::validate;", &["validate"][..]),
        ("crate::syntax::host::is_ipv4(x)", &["host::is_ipv4"]),
        (
            "use crate::syntax::{host, pct::{decode, is_encoded}};",
            &["host", "pct::decode", "pct::is_encoded"],
        ),
        (
            "use crate::syntax::class::{ALPHA, Class};\nClass::or",
            &["class::ALPHA", "class::Class"],
        ),
        (
            "use crate::syntax::{iri};\niri::decode(x)",
            &["iri::decode"],
        ),
        (
            "use crate::syntax::scheme as s;\ns::find(x)",
            &["scheme as"],
        ),
        ("use crate::syntax::*;", &["*"]),
        (
            "use crate::syntax::Components;\nComponents::parse(x)",
            &["Components"],
        ),
        ("use crate::{item, syntax};", &["syntax"]),
        ("use crate::item::Marks;", &[]),
    ] {
        let named = named_of_syntax(code);
        assert!(named.iter().eq(expect), "{code}: {named:?}");
    }
}

#[test]
fn every_folder_has_its_row_and_its_line_on_the_map() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let map = fs::read_to_string(root.join("lib.rs")).unwrap();
    for entry in fs::read_dir(&root).unwrap() {
        let entry = entry.unwrap();
        if !entry.file_type().unwrap().is_dir() {
            continue;
        }
        let name = entry.file_name().into_string().unwrap();
        assert!(
            MAY_USE.iter().any(|(module, _)| *module == name),
            "{name} has no row"
        );
        assert!(
            map.contains(&format!("`{name}`")),
            "{name} is not on the map of lib.rs"
        );
        let drawers = ["util", "utils", "common", "helpers", "types", "misc"];
        assert!(!drawers.contains(&&*name), "{name} is a drawer");
    }
}

#[test]
fn unsafe_stands_in_the_kernel_alone() {
    for (_, path, text) in source_files() {
        let code = code(&text).replace("unsafe_code", "");
        if path.starts_with("scan/kernel") {
            for (number, line) in text.lines().enumerate() {
                if line.contains("unsafe {") {
                    let before = text.lines().nth(number.wrapping_sub(1)).unwrap_or_default();
                    assert!(
                        before.contains("// SAFETY:"),
                        "{}:{}",
                        path.display(),
                        number + 1
                    );
                }
            }
        } else {
            assert!(!code.contains("unsafe "), "{}: unsafe", path.display());
        }
    }
}

#[test]
fn stages_do_no_io_and_the_library_never_prints() {
    for (module, path, text) in source_files() {
        let code = code(&text);
        if WITHOUT_IO.contains(&&*module) {
            for word in ["std::io", "std::fs", "std::thread", "rayon"] {
                assert!(!code.contains(word), "{}: {word}", path.display());
            }
        }
        if module != "cli" {
            for word in ["println!", "eprintln!", "print!(", "process::exit"] {
                assert!(!code.contains(word), "{}: {word}", path.display());
            }
        }
    }
}

#[test]
fn files_are_short_and_say_what_they_are_for() {
    for (_, path, text) in source_files() {
        let lines = code(&text).lines().filter(|l| !l.trim().is_empty()).count();
        assert!(lines <= 600, "{}: {lines} lines of code", path.display());
        let header = text.lines().take_while(|l| l.starts_with("//!")).count();
        let limit = if path.ends_with("lib.rs") { 60 } else { 12 };
        assert!(
            (1..=limit).contains(&header),
            "{}: header of {header} lines",
            path.display()
        );
    }
}
