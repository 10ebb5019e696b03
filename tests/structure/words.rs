//! The words of the project: phrases that are not used in code, documents and
//! messages, each with the plain one; and one meaning for each name of a type.

use crate::sources;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Where text is read: folders and files.
const READ: [&str; 13] = [
    "src",
    "tests",
    "benches",
    "fuzz",
    "python",
    ".ci",
    "README.md",
    "docs",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "Cargo.toml",
];

/// Phrases that are not used, as whole words in any case, and the plain ones.
const BANNED: &[(&str, &str)] = &[
    // The verb that fits: a loss is reported, a URI printed, a format detected.
    (
        "told",
        "reported, printed, known, detected or distinguished",
    ),
    ("tell", "report, print, state or distinguish"),
    ("tells", "reports, prints, states or returns"),
    ("telling", "reporting, printing or stating"),
    // "A longer header is none": longer headers are rejected.
    ("is none of", "is not one of"),
    ("header is none", "headers are rejected"),
    ("longer is none", "longer ones are rejected"),
    ("name is none", "names are not accepted"),
    ("it is none", "name what it is not"),
    ("candidate is none", "the candidate is not a URI"),
    ("is none either", "nor is, or is not accepted either"),
    // "A URI is asked again with": it needs more input.
    ("asked again", "retried with more input"),
    ("to be asked", "needs more input"),
    ("gone on with", "continues, or to be continued with"),
    // A person or a caller is named: the user, the caller, contributors.
    ("whoever", "the user, the caller or contributors"),
    // "So many bytes are kept": the number of bytes that are kept.
    ("so many bytes", "this many bytes, or the number of bytes"),
    ("so many bits", "this many bits, or the number of bits"),
    (
        "so many records",
        "this many records, or the number of records",
    ),
    // "That is no number": that is not a number.
    ("is no uri", "is not a URI"),
    ("are no uri", "are not URIs"),
    ("is no number", "is not a number"),
    ("is no part of", "is not part of"),
    ("has no part in", "does not affect"),
    ("have no part in", "do not affect"),
    ("is no such", "is not such"),
    // What a scheme wants: what it requires.
    ("scheme wants", "scheme requires"),
    ("by luck", "the reason, or nothing"),
    ("meanwhile", "at the same time, or nothing"),
    ("passed over", "skipped"),
    ("stands for", "encodes, replaces or means"),
];

/// Names of types that are defined more than once, and why.
const SHARED_NAMES: [(&str, &str); 1] = [(
    "Phase",
    "the phase of a private state machine, one in each decoder and reader",
)];

/// The oracle names the terms of the rules as the fast path does, on purpose.
const ORACLE: &str = "reference";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text files of the project, but for this one.
fn texts() -> Vec<(PathBuf, String)> {
    fn collect(path: &Path, texts: &mut Vec<(PathBuf, String)>) {
        let name = path.file_name().unwrap_or_default();
        if path.is_dir() {
            if name == "target" || name == "corpus" || name == "artifacts" {
                return;
            }
            let mut entries: Vec<PathBuf> = fs::read_dir(path)
                .unwrap()
                .map(|entry| entry.unwrap().path())
                .collect();
            entries.sort();
            entries.iter().for_each(|entry| collect(entry, texts));
        } else if let Ok(text) = fs::read_to_string(path)
            && name != "words.rs"
        {
            let path = path.strip_prefix(root()).unwrap().to_owned();
            texts.push((path, text));
        }
    }
    let mut texts = Vec::new();
    for path in READ {
        collect(&root().join(path), &mut texts);
    }
    texts
}

/// The words of a text in lower case, each with the number of its line, from 1: those
/// of names, too, where `_` separates them. A period, parenthesis or the like is a
/// word, so that no phrase extends over one.
fn words(text: &str) -> Vec<(String, usize)> {
    let mut words = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.to_lowercase();
        for piece in line.split(|c: char| !c.is_alphanumeric() && !END.contains(c)) {
            let piece = piece.split_inclusive(|c| END.contains(c));
            for word in piece.flat_map(|word| match word.char_indices().last() {
                Some((at, end)) if END.contains(end) => [&word[..at], &word[at..]],
                _ => [word, ""],
            }) {
                if !word.is_empty() {
                    words.push((word.to_owned(), number + 1));
                }
            }
        }
    }
    words
}

/// Characters that end a phrase.
const END: &str = ".;:(){}";

/// The lines at which `phrase` begins.
fn lines_with(phrase: &str, words: &[(String, usize)]) -> Vec<usize> {
    let phrase: Vec<&str> = phrase.split(' ').collect();
    let found = words.windows(phrase.len()).filter(|window| {
        let window = window.iter().map(|(word, _)| word.as_str());
        window.eq(phrase.iter().copied())
    });
    found.map(|window| window[0].1).collect()
}

#[test]
fn no_phrase_is_banned() {
    let mut found = Vec::new();
    for (path, text) in texts() {
        let words = words(&text);
        for &(phrase, plain) in BANNED {
            for line in lines_with(phrase, &words) {
                let path = path.display();
                found.push(format!("{path}:{line}: \"{phrase}\": write {plain}"));
            }
        }
    }
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn phrases_are_found_across_lines_and_in_names() {
    let words = words("/// What is\n/// Told of it.\nfn is_told() {}\n\"retold\"");
    assert_eq!(lines_with("told", &words), [2, 3]);
    assert_eq!(lines_with("is told", &words), [1, 3]);
    let words = self::words("let a = name.is_none();\n// A name is none.");
    assert_eq!(lines_with("name is none", &words), [2]);
}

/// The name of a type that a line of code defines.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = match line.strip_prefix("pub") {
        Some(rest) if rest.starts_with('(') => rest.split_once(") ")?.1,
        Some(rest) => rest.trim_start(),
        None => line,
    };
    let kinds = ["struct ", "enum ", "trait ", "type ", "union "];
    let rest = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_');
    Some(&rest[..end.unwrap_or(rest.len())])
}

#[test]
fn definitions_are_recognized() {
    assert_eq!(defined("pub(super) struct Part<'p> {"), Some("Part"));
    assert_eq!(defined("    enum Phase {"), Some("Phase"));
    assert_eq!(defined("pub type Row = u8;"), Some("Row"));
    assert_eq!(defined("let part = 1;"), None);
}

/// Types that implement a trait's `type` have the names of the trait.
#[test]
fn each_type_has_a_name_of_its_own() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in sources::files() {
        let path = Path::new("src").join(&file.path);
        if file.module == ORACLE {
            continue;
        }
        for line in file.code.lines() {
            let is_of_a_trait = line.starts_with(' ') && line.trim_start().starts_with("type ");
            if let Some(name) = defined(line)
                && !is_of_a_trait
            {
                let place = path.display().to_string();
                places.entry(name.to_owned()).or_default().push(place);
            }
        }
    }
    for (name, reason) in SHARED_NAMES {
        let shared = places.remove(name).unwrap_or_default();
        assert!(shared.len() > 1, "{name} is not shared any more: {reason}");
    }
    let shared: Vec<String> = places
        .into_iter()
        .filter(|(_, places)| places.len() > 1)
        .map(|(name, places)| format!("{name}: {}", places.join(", ")))
        .collect();
    assert!(
        shared.is_empty(),
        "names of several types:\n{}",
        shared.join("\n")
    );
}
