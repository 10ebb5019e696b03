//! The architecture as a test: which module may use which, where `unsafe`, I/O
//! and printing may stand, and that the map in the crate's documentation is the
//! folders there are.

use std::collections::{BTreeMap, BTreeSet};
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

/// The modules that `code` names after `prefix`.
fn used(code: &str, prefix: &str) -> BTreeSet<String> {
    let names = code.split(prefix).skip(1).flat_map(|rest| {
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
        for name in used(&code(&text), "crate::") {
            if name != module && !may.contains(&&*name) {
                wrong.push(format!("{}: {module} -> {name}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Files that import each other cannot be read one without the other.
#[test]
fn files_of_a_folder_import_each_other_one_way() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    for folder in ["output", "output/surt"] {
        let whole = format!("crate::{}::", folder.replace('/', "::"));
        let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for (_, path, text) in source_files() {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if path.parent() != Some(Path::new(folder)) || name == "mod" {
                continue;
            }
            let code = code(&text);
            let mut names = used(&code, "super::");
            names.extend(used(&code, &whole));
            for name in &names {
                // `mod.rs` imports its files, so none may take anything from it.
                let inner = src.join(folder).join(name);
                if !inner.is_dir() && !inner.with_extension("rs").is_file() {
                    wrong.push(format!("{}: {name} of mod.rs", path.display()));
                }
            }
            imports.insert(name, names);
        }
        assert!(!imports.is_empty(), "{folder}");
        for (name, direct) in &imports {
            let mut reached = BTreeSet::new();
            let mut next: Vec<&String> = direct.iter().collect();
            while let Some(file) = next.pop() {
                if reached.insert(file) {
                    next.extend(imports.get(file).into_iter().flatten());
                }
            }
            if reached.contains(name) {
                wrong.push(format!("{folder}/{name}.rs imports itself by others"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
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
