//! The documents lead to each other: every relative link has its file, and the heading that
//! it names; the index of the guide has every chapter, and no chapter is too long to read.

use crate::documents::{chapters, documents, read};
use std::path::Path;

const LONGEST: usize = 400;

/// The lines of a document outside of its fenced blocks, without what stands in backticks.
fn prose(document: &str) -> Vec<String> {
    let mut code = false;
    let lines = document.lines().filter(|line| {
        code ^= line.starts_with("```");
        !code
    });
    lines
        .map(|line| line.split('`').step_by(2).collect())
        .collect()
}

/// What links to the headings of a document end with, as GitHub makes it of them.
fn anchors(document: &str) -> Vec<String> {
    let mut code = false;
    let headings = document.lines().filter(|line| {
        code ^= line.starts_with("```");
        !code && line.starts_with('#')
    });
    let anchor = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

#[test]
fn every_link() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut links = 0;
    for path in documents(".") {
        let text = read(&path);
        for line in prose(&text) {
            for after in line.split("](").skip(1) {
                let target = after.split(')').next().unwrap();
                if target.contains("://") {
                    continue;
                }
                let (file, heading) = target.split_once('#').unwrap_or((target, ""));
                let linked = match file {
                    "" => path.clone().into(),
                    _ => Path::new(&path).parent().unwrap().join(file),
                };
                assert!(root.join(&linked).exists(), "{path}: {target}");
                if !heading.is_empty() {
                    let text = read(linked.to_str().unwrap());
                    assert!(
                        anchors(&text).contains(&heading.to_owned()),
                        "{path}: {target}"
                    );
                }
                links += 1;
            }
        }
    }
    assert!(links > 30, "{links}");
}

#[test]
fn every_chapter_is_in_the_index() {
    let chapters = chapters();
    let (_, index) = chapters
        .iter()
        .find(|(path, _)| path.ends_with("README.md"))
        .unwrap();
    for (path, text) in &chapters {
        let name = path.rsplit('/').next().unwrap();
        assert!(
            name == "README.md" || index.contains(&format!("]({name})")),
            "{path}"
        );
        assert!(text.lines().count() < LONGEST, "{path} has too many lines");
    }
}
