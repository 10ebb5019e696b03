//! The lists "To add …" of ARCHITECTURE.md: each names every file that its example
//! is named in, and no other.

use crate::sources;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// A list: what is added, an example by the words that name it in code, and files.
struct Steps<'t> {
    title: &'t str,
    example: Vec<&'t str>,
    files: BTreeSet<&'t str>,
}

/// What stands between backticks.
fn quoted(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

/// The file that an item of a list begins with.
fn file(line: &str) -> Option<&str> {
    let (path, _) = line.strip_prefix("- `")?.split_once("`: ")?;
    Some(path)
}

fn steps(text: &str) -> Vec<Steps<'_>> {
    let (_, lists) = text.split_once("## To add …").expect("the lists");
    lists
        .split("\n### ")
        .skip(1)
        .map(|list| {
            let example = list.lines().find_map(|line| line.strip_prefix("Example: "));
            Steps {
                title: list.lines().next().unwrap_or_default(),
                example: quoted(example.expect("an example")),
                files: list.lines().filter_map(file).collect(),
            }
        })
        .collect()
}

/// Whether `word` stands in `code`, not as a part of another word.
fn names(code: &str, word: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = code[at + word.len()..].chars().next();
        let goes_on_before = word.starts_with(is_part) && before.is_some_and(is_part);
        let goes_on_after = word.ends_with(is_part) && after.is_some_and(is_part);
        !goes_on_before && !goes_on_after
    })
}

#[test]
fn lists_name_the_files_that_their_examples_stand_in() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("ARCHITECTURE.md")).unwrap();
    let steps = steps(&text);
    let titles: Vec<&str> = steps.iter().map(|steps| steps.title).collect();
    assert_eq!(
        titles,
        [
            "a scheme",
            "a namespace",
            "a problem",
            "a container",
            "a format",
            "an output",
            "a command",
            "an identifier without a scheme",
            "a check of catalogues"
        ]
    );
    let sources = sources::files();
    for Steps {
        title,
        example,
        files,
    } in &steps
    {
        let found: BTreeSet<String> = sources
            .iter()
            .filter(|source| example.iter().any(|word| names(&source.code, word)))
            .map(|source| format!("src/{}", source.path.display()))
            .collect();
        let (in_src, others): (BTreeSet<&str>, BTreeSet<&str>) =
            files.iter().partition(|file| file.starts_with("src/"));
        let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
        assert_eq!(in_src, found, "{title}");
        for file in others {
            let text = fs::read_to_string(root.join(file)).unwrap().to_lowercase();
            let is_named = example.iter().any(|word| names(&text, &in_prose(word)));
            assert!(is_named, "{title}: {file} does not name {example:?}");
        }
    }
}

/// How texts write what code writes as `word`: `bad-userinfo` for `BadUserinfo`.
fn in_prose(word: &str) -> String {
    let word = word.split('"').nth(1).unwrap_or(word);
    let mut text = String::new();
    for c in word.chars() {
        if c.is_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.extend(c.to_lowercase());
    }
    text
}
