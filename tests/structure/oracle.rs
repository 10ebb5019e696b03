//! The independence of the oracle (law L5): `reference` uses the data of `syntax`, and
//! none of its logic.

use crate::sources::{self, Source};
use std::collections::BTreeSet;

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
    "identifier::ARCHIVES",
    "identifier::CURRENCIES",
    "identifier::is_currency_sign",
    "iri::is_bare",
    "iri::is_joiner",
    "iri::is_unspaced_script",
    "iri::is_wrapped",
    "scheme::Scheme",
    "scheme::all",
    "top_level::is_known",
];

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
    for Source {
        module, path, code, ..
    } in sources::files()
    {
        if module != "reference" {
            continue;
        }
        for name in named_of_syntax(&code) {
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
