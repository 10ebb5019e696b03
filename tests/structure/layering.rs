//! The architecture as a test: which module may use which, where `unsafe`, I/O and
//! printing are allowed, that the map in the crate's documentation lists the existing
//! folders, and that files do not import each other in a circle.

use crate::imports;
use crate::sources::{self, Source};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// What the engine may use: the stages, and the lists that findings are matched with.
const ENGINE: &[&str] = &[
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
    "store",
    "output",
    "indicators",
];

/// What each module may use; a stage never uses a stage. `links` and `catalog` use `store` as
/// the engine does: graphs and groups of rows keep to a limit of memory, too.
const MAY_USE: &[(&str, &[&str])] = &[
    ("syntax", &[]),
    ("escape", &[]),
    ("item", &["syntax"]),
    ("input", &[]),
    ("unpack", &["item", "syntax"]),
    ("decode", &["item", "syntax", "escape"]),
    ("scan", &["item", "syntax", "escape"]),
    ("delimit", &["item", "syntax", "escape"]),
    ("canonicalize", &["syntax"]),
    ("dedup", &[]),
    ("store", &["dedup"]),
    ("output", &["item", "syntax"]),
    ("indicators", &["canonicalize", "decode", "item", "syntax"]),
    ("engine", ENGINE),
    (
        "explain",
        &["engine", "canonicalize", "item", "syntax", "output"],
    ),
    (
        "links",
        &[
            "engine",
            "canonicalize",
            "item",
            "syntax",
            "store",
            "output",
        ],
    ),
    (
        "catalog",
        &[
            "engine",
            "canonicalize",
            "decode",
            "delimit",
            "item",
            "syntax",
            "store",
        ],
    ),
    ("reference", &["item", "syntax"]),
    ("cli", &["cli"]),
];

/// Modules that use neither files nor pipes.
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
    "catalog",
    "reference",
];

/// Files of these modules that name the errors of files and pipes all the same: a set on
/// disk reports its errors through the trait of sets, and groups of rows report those of
/// the temporary file.
const WITH_IO_ERRORS: &[&str] = &["dedup/membership.rs", "catalog/groups/grouped.rs"];

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
    for Source {
        module, path, code, ..
    } in sources::files()
    {
        let Some((_, may)) = MAY_USE.iter().find(|(name, _)| *name == module) else {
            continue;
        };
        for name in used(&code) {
            if name != module && !may.contains(&&*name) {
                wrong.push(format!("{}: {module} -> {name}", path.display()));
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
    for Source {
        path, text, code, ..
    } in sources::files()
    {
        let code = code.replace("unsafe_code", "");
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
    for Source {
        module, path, code, ..
    } in sources::files()
    {
        if WITHOUT_IO.contains(&&*module) {
            for word in ["std::io", "std::fs", "std::thread"] {
                let may = word == "std::io" && WITH_IO_ERRORS.iter().any(|p| path.ends_with(p));
                assert!(may || !code.contains(word), "{}: {word}", path.display());
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
    let files = sources::files()
        .into_iter()
        .chain(sources::files_of_python());
    for Source {
        path, text, code, ..
    } in files
    {
        let lines = code.lines().filter(|l| !l.trim().is_empty()).count();
        assert!(lines <= 600, "{}: {lines} lines of code", path.display());
        let header = text.lines().take_while(|l| l.starts_with("//!")).count();
        let limit = if path.ends_with("lib.rs") { 150 } else { 12 };
        assert!(
            (1..=limit).contains(&header),
            "{}: header of {header} lines",
            path.display()
        );
    }
}

/// Files that import each other cannot be read separately.
#[test]
fn files_import_each_other_in_no_circle() {
    for files in [sources::files(), sources::files_of_python()] {
        let graph = imports::graph(&files);
        let circles = imports::circles(&graph);
        let shown: Vec<String> = circles.iter().map(|c| imports::shown(c, &graph)).collect();
        assert!(
            circles.is_empty(),
            "circles of imports:\n{}",
            shown.join("\n")
        );
    }
}

/// The rooms of the engine: each uses those before it alone.
const ROOMS: &[&str] = &[
    "batches", "ask", "read", "order", "claim", "report", "catalog", "runs",
];

#[test]
fn rooms_of_the_engine_use_those_before_them() {
    let place = |path: &Path| {
        let room = path.strip_prefix("engine").ok()?.parent()?.to_str()?;
        ROOMS.iter().position(|known| *known == room)
    };
    let files = sources::files();
    let rooms: BTreeSet<_> = files.iter().filter_map(|file| place(&file.path)).collect();
    assert_eq!(rooms.len(), ROOMS.len(), "a room without files");
    for (from, imports) in imports::graph(&files) {
        for (to, name) in imports {
            if let (Some(room), Some(used)) = (place(&from), place(&to)) {
                assert!(used <= room, "{} uses {name}", from.display());
            }
        }
    }
    let is_beside = |file: &&Source| file.path.parent() == Some(Path::new("engine"));
    assert!(
        files.iter().filter(is_beside).count() <= 9,
        "rooms and the files beside them"
    );
}

/// Comments and tests are removed, and the code after them is kept.
#[test]
fn only_what_is_marked_is_left_out() {
    let split = sources::split(
        r##"
use std::fmt;
#[cfg(test)]
use std::{io, fs};
#[cfg(test)]
mod laws;
fn before() { "#[cfg(test)] /*"; '"'; '\''; r#"" //"#; }
#[cfg(test)]
#[allow(dead_code)]
fn marked<'a, T: Fn() -> [u8; 2]>(at: &'a T) { at('}'); "}"; }
fn between() { // a comment with "
    #[cfg(test)]
    marked(&|| { [1; 2] });
    /* one /* in the */ other */ kept();
}
#[cfg(all(test, feature = "store"))]
mod tests { use super::*; fn inside() {} }
#[cfg(feature = "test")]
fn after() {}
"##,
    );
    assert_eq!(split.test_modules, ["laws"]);
    let words: Vec<&str> = split.code.split_whitespace().collect();
    assert_eq!(
        words.join(" "),
        r##"use std::fmt; fn before() { "#[cfg(test)] /*"; '"'; '\''; r#"" //"#; } fn between() { kept(); } #[cfg(feature = "test")] fn after() {}"##
    );
}

/// The file of a module that is marked as test is a test, with all modules below it.
#[test]
fn files_of_tests_have_no_code() {
    let files = sources::files();
    let code = |path: &str| {
        let file = files.iter().find(|file| file.path == Path::new(path));
        file.unwrap_or_else(|| panic!("no {path}")).code.len()
    };
    assert_eq!(code("canonicalize/laws.rs"), 0);
    assert_eq!(code("canonicalize/laws/hold.rs"), 0);
    assert!(code("canonicalize/mod.rs") > 0);
}

/// The arrows between files with this content, as `from -> to (name)`.
#[track_caller]
fn check_arrows(files: &[(&str, &str)], expected: &[&str]) {
    let mut arrows = Vec::new();
    for (from, names) in imports::graph(&written(files)) {
        for (to, name) in names {
            arrows.push(format!("{} -> {} ({name})", from.display(), to.display()));
        }
    }
    assert_eq!(arrows, expected);
}

fn written(files: &[(&str, &str)]) -> Vec<Source> {
    let source = |(path, text): &(&str, &str)| Source {
        module: String::new(),
        path: path.into(),
        text: (*text).to_owned(),
        code: sources::split(text).code,
    };
    files.iter().map(source).collect()
}

#[test]
fn a_name_is_an_arrow_to_the_file_that_defines_it() {
    // By each way to name it, and nothing for names from outside.
    for user in [
        "use super::b::B;",
        "use super::{b::{self, B as C}};",
        "use crate::f::b::B;",
        "use super::b; fn f() { b::B::new() }",
        "fn f() { matches!(x, super::b::B) }",
        "fn f() { use super::b::*; }",
        "mod inside { use super::super::b::B; }",
    ] {
        let arrows = imports::graph(&written(&[
            ("f/mod.rs", "mod a; mod b;"),
            ("f/a.rs", user),
            ("f/b.rs", "pub(in crate::f) struct B;"),
        ]));
        let to: Vec<_> = arrows.iter().map(|(from, to)| (from, to.keys())).collect();
        assert_eq!(to.len(), 1, "{user}");
        assert_eq!(to[0].0, Path::new("f/a.rs"), "{user}");
        assert!(to[0].1.clone().eq([Path::new("f/b.rs")]), "{user}");
    }
    check_arrows(
        &[
            ("f/mod.rs", "mod a; use memchr::memchr;"),
            (
                "f/a.rs",
                "use std::fmt; use super::fmt; fn f() -> fmt::Result { self.b::<u8>() }",
            ),
            (
                "f/b.rs",
                "use memchr::memchr; fn f() { memchr::memchr2(x); u8::MAX; Self::f() }",
            ),
        ],
        &["f/a.rs -> f/mod.rs (super::fmt)"],
    );
}

#[test]
fn a_folders_face_depends_on_what_it_uses_itself() {
    let face = "mod a; mod b; pub use a::A; pub(super) use b::make as made;";
    let a = ("f/a.rs", "pub struct A; fn f() { super::made() }");
    let b = ("f/b.rs", "pub fn make() {}");
    // What is passed on is taken from where it is.
    check_arrows(
        &[("f/mod.rs", face), a, b],
        &["f/a.rs -> f/b.rs (super::made)"],
    );
    // A face that works with what it passes on.
    let works = format!("{face} fn f(a: A) {{}}");
    check_arrows(
        &[("f/mod.rs", &works), a, b],
        &[
            "f/a.rs -> f/b.rs (super::made)",
            "f/mod.rs -> f/a.rs (a::A)",
        ],
    );
    let private = "mod a; mod b; use b::make as made;";
    check_arrows(
        &[("f/mod.rs", private), a, b],
        &[
            "f/a.rs -> f/b.rs (super::made)",
            "f/mod.rs -> f/b.rs (b::make)",
        ],
    );
    // A function that is called as its module.
    let alike = "mod a; mod b; pub use b::{B, b};";
    let a = ("f/a.rs", "use super::b::B;");
    let b = ("f/b/mod.rs", "mod c; pub use c::B; pub fn b() {}");
    let c = ("f/b/c.rs", "pub struct B;");
    check_arrows(
        &[("f/mod.rs", alike), a, b, c],
        &[
            "f/a.rs -> f/b/c.rs (super::b::B)",
            "f/a.rs -> f/b/mod.rs (super::b::B)",
        ],
    );
}

#[test]
fn the_program_names_the_library() {
    check_arrows(
        &[
            ("lib.rs", "pub mod f;"),
            ("f.rs", "pub struct F;"),
            ("main.rs", "mod cli; fn main() { cli::main() }"),
            (
                "cli/mod.rs",
                "use urisieve::f::F; pub fn main() { crate::cli::other() }",
            ),
        ],
        &[
            "cli/mod.rs -> f.rs (urisieve::f::F)",
            "main.rs -> cli/mod.rs (cli::main)",
        ],
    );
}

#[test]
fn circles_are_shown_with_their_names() {
    let sources = written(&[
        (
            "f/mod.rs",
            "mod a; mod b; mod c; pub struct F; fn f() { c::c() }",
        ),
        ("f/a.rs", "use super::b::B; pub struct A;"),
        (
            "f/b.rs",
            "use super::{F, a}; pub struct B; fn b(a: a::A) {}",
        ),
        ("f/c.rs", "use super::a::A; pub fn c() {}"),
    ]);
    let graph = imports::graph(&sources);
    let circles = imports::circles(&graph);
    let shown: Vec<String> = circles.iter().map(|c| imports::shown(c, &graph)).collect();
    assert_eq!(
        shown,
        [
            "  f/a.rs -> f/b.rs (super::b::B)\n  f/b.rs -> f/a.rs (a::A)\n",
            "  f/a.rs -> f/b.rs (super::b::B)\n  f/b.rs -> f/mod.rs (super::F)\n  \
             f/mod.rs -> f/c.rs (c::c)\n  f/c.rs -> f/a.rs (super::a::A)\n",
        ]
    );
}
