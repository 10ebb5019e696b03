//! The cases of `corpora/conformance/urn.jsonl`: the grammar of four documents, levels,
//! defects, resolvers; and the tables of the guide, which must describe the program.

use crate::cases::{cases, text};
use crate::program::run;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use urisieve::canonicalize::namespace::{self, isbn13};
use urisieve::canonicalize::resolver::Resolvers;
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::syntax::urn::{self, Document};

/// The chapter of the guide with the tables of URNs.
const CHAPTER: &str = "docs/guide/equality.md";

fn file(name: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join(name)).unwrap()
}

/// The level `lexical`, and for `scheme` the namespace's rule after it.
fn canonical(level: &str, uri: &str) -> String {
    let mut buffer = Vec::new();
    let lexical = Canonicalizer::default().canonicalize(uri.as_bytes(), &mut buffer);
    let mut out = lexical.to_vec();
    if level == "scheme" {
        if let Some(nid) = urn::nid(lexical) {
            let nss = 4 + nid.len() + 1;
            out.truncate(nss);
            namespace::write(nid, &lexical[nss..], &mut out);
        }
    } else {
        assert_eq!(level, "lexical");
    }
    String::from_utf8(out).unwrap()
}

fn answer(case: &Value, input: &str) -> String {
    if let Some(document) = case.get("document") {
        let document: Document = document.as_str().unwrap().parse().unwrap();
        return urn::read(document, input.as_bytes()).to_string();
    }
    match case["level"].as_str().unwrap() {
        "unwrap" => {
            let mut out = Vec::new();
            match Resolvers::built_in().unwrap(input.as_bytes(), &mut out) {
                true => String::from_utf8(out).unwrap(),
                false => input.to_owned(),
            }
        }
        "isbn13" => match isbn13(input.as_bytes()) {
            Some(digits) => String::from_utf8(digits.into()).unwrap(),
            None => input.to_owned(),
        },
        level => match level.strip_prefix("validate:") {
            Some(nid) => namespace::defects(nid.as_bytes(), input.as_bytes())
                .next()
                .map_or("valid", namespace::Defect::code)
                .to_owned(),
            None => canonical(level, input),
        },
    }
}

#[test]
fn by_the_library() {
    let cases = cases("urn.jsonl");
    for case in &cases {
        assert!(!text(case, "section").is_empty());
        let found = answer(case, text(case, "input"));
        assert_eq!(found, text(case, "expect"), "{case}");
        if case.get("distinct_from").is_some() {
            assert_ne!(found, answer(case, text(case, "distinct_from")), "{case}");
        }
    }
    assert!(cases.len() > 150);
}

/// The levels `lexical` and `scheme`, and resolvers, by `normalize`. The level `scheme` is
/// more than the namespace's rule: input and answer of a case are one.
#[test]
fn by_the_program() {
    let cases = cases("urn.jsonl");
    for (level, flags) in [
        ("lexical", &["normalize", "-L", "lexical"][..]),
        ("scheme", &["normalize", "-L", "scheme"]),
        ("unwrap", &["normalize", "-L", "none", "--unwrap-resolvers"]),
    ] {
        let of_level: Vec<&Value> = cases.iter().filter(|case| case["level"] == level).collect();
        let printed = |key: &str| -> Vec<String> {
            let lines = of_level
                .iter()
                .map(|case| text(case, key).to_owned() + "\n");
            let ran = run(flags, lines.collect::<String>().as_bytes());
            ran.out.lines().map(str::to_owned).collect()
        };
        let got = printed("input");
        let wanted: Vec<String> = match level {
            "scheme" => printed("expect"),
            _ => of_level
                .iter()
                .map(|case| text(case, "expect").to_owned())
                .collect(),
        };
        assert!(!got.is_empty());
        for (at, case) in of_level.iter().enumerate() {
            assert_eq!(got.get(at), wanted.get(at), "{case}");
        }
    }
}

/// A canonical form at a level is unchanged, and is recognized.
#[test]
fn expectations_are_their_own_canonical_form() {
    for case in cases("urn.jsonl") {
        if let Some(level @ ("lexical" | "scheme")) = case["level"].as_str() {
            let expect = case["expect"].as_str().unwrap();
            assert_eq!(canonical(level, expect), expect, "{case}");
            assert!(Canonicalizer::default().is_canonical(expect.as_bytes()));
        }
    }
}

/// The level `scheme` applies the namespace's rule where it changes something, and
/// proves that it need not where it does not.
#[test]
fn the_level_scheme_applies_the_rules() {
    let canonicalizer = Canonicalizer::new(Level::Scheme);
    let canonical = |uri: &str| {
        let mut buffer = Vec::new();
        let uri = canonicalizer.canonicalize(uri.as_bytes(), &mut buffer);
        String::from_utf8(uri.to_vec()).unwrap()
    };
    for case in cases("urn.jsonl") {
        if case["level"] == "scheme" {
            let [input, expect] = ["input", "expect"].map(|key| case[key].as_str().unwrap());
            let found = canonical(input);
            assert_eq!(found, canonical(expect), "{case}");
            assert!(canonicalizer.is_canonical(found.as_bytes()), "{case}");
            let is_canonical = canonicalizer.is_canonical(input.as_bytes());
            assert_eq!(is_canonical, found == input, "{case}");
        }
    }
}

#[test]
fn every_rule_has_a_case() {
    let cases = cases("urn.jsonl");
    for rule in namespace::all() {
        let start = format!("urn:{}:", rule.nid());
        let has_case = cases.iter().any(|case| {
            case["level"] == "scheme" && case["expect"].as_str().unwrap().starts_with(&start)
        });
        assert!(has_case, "{} has no case", rule.nid());
    }
}

/// The rows of a table of the guide below the heading `heading`: what stands in
/// each cell, without the marks of code.
fn rows(heading: &str) -> Vec<Vec<String>> {
    let guide = file(CHAPTER);
    let (_, section) = guide.split_once(&format!("\n{heading}\n")).unwrap();
    let rows: Vec<Vec<String>> = section
        .lines()
        .take_while(|line| !line.starts_with('#'))
        .filter(|line| line.starts_with("| "))
        .skip(1)
        .map(|line| {
            let cells = line.trim_matches('|').split(" | ");
            cells.map(|cell| cell.trim().to_owned()).collect()
        })
        .collect();
    assert!(!rows.is_empty(), "{heading}");
    rows
}

fn code(cell: &str) -> &str {
    cell.trim_matches('`')
}

#[test]
fn the_guide_names_every_rule_and_its_source() {
    let mut named = BTreeSet::new();
    for row in rows("### Namespaces") {
        let [nids, summary, sources, ..] = &row[..] else {
            panic!("{row:?}")
        };
        let sources: Vec<&str> = sources.split("; ").collect();
        for (at, nid) in nids.split(", ").map(code).enumerate() {
            let rule = namespace::rule(nid.as_bytes()).unwrap();
            assert_eq!(rule.summary(), summary, "{nid}");
            assert_eq!(rule.source(), sources[at], "{nid}");
            named.insert(rule.nid());
        }
    }
    let all: BTreeSet<&str> = namespace::all().iter().map(|rule| rule.nid()).collect();
    assert_eq!(named, all);
}

#[test]
fn the_examples_of_the_guide() {
    for row in rows("### Worked examples") {
        let case = serde_json::json!({ "level": row[1] });
        assert_eq!(answer(&case, code(&row[0])), code(&row[2]), "{row:?}");
    }
    for row in rows("### Four documents") {
        for (document, cell) in Document::ALL.iter().copied().zip(&row[1..]) {
            let reading = urn::read(document, code(&row[0]).as_bytes());
            assert_eq!(reading.to_string(), code(cell), "{document} {row:?}");
        }
    }
}

#[test]
fn the_resolvers_of_the_guide() {
    for row in rows("### Resolvers") {
        let mut out = Vec::new();
        assert!(
            Resolvers::built_in().unwrap(code(&row[1]).as_bytes(), &mut out),
            "{row:?}"
        );
        assert_eq!(String::from_utf8(out).unwrap(), code(&row[2]));
        let place = code(&row[0]);
        assert!(code(&row[1]).contains(place), "{row:?}");
    }
}

#[test]
fn the_guide_names_every_resolver() {
    let source = file("src/canonicalize/resolver/mod.rs");
    let (_, table) = source.split_once("const BUILT_IN").unwrap();
    let (table, _) = table.split_once("];").unwrap();
    let places: BTreeSet<String> = table
        .lines()
        .filter(|line| line.trim_start().starts_with("(\""))
        .map(|line| {
            let words: Vec<&str> = line.split('"').collect();
            match words[5] {
                "" => format!("{}{}", words[1], words[3]),
                name => format!("{}{}?{name}=", words[1], words[3]),
            }
        })
        .collect();
    let rows = rows("### Resolvers");
    let named: BTreeSet<String> = rows.iter().map(|row| code(&row[0]).to_owned()).collect();
    assert_eq!(named, places);
}

#[test]
fn the_guide_names_every_code() {
    let guide = file(CHAPTER);
    let source =
        fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/canonicalize/namespace"));
    for entry in source.unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap();
        for after in text.split("Defect::new(").skip(1) {
            let code = after.split('"').nth(1).unwrap();
            if code != "x-shape" {
                assert!(guide.contains(&format!("`{code}`")), "{code}");
            }
        }
    }
}
