//! The features of the package are those that its documentation lists.

use std::fs;
use std::path::Path;

#[test]
fn the_documentation_lists_the_features() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| fs::read_to_string(root.join(path)).unwrap();
    let manifest = read("Cargo.toml");
    let (_, features) = manifest.split_once("\n[features]\n").unwrap();
    let (features, _) = features.split_once("\n[").unwrap();
    let names = features.lines().filter_map(|line| line.split_once(" = "));
    let mut names: Vec<_> = names
        .map(|(name, _)| name)
        .filter(|name| *name != "default")
        .collect();
    let library = read("src/lib.rs");
    let (_, table) = library.split_once("# Features").unwrap();
    let (table, _) = table.split_once("# A map").unwrap();
    let rows = table
        .lines()
        .filter_map(|line| line.strip_prefix("//! | `")?.split(" | ").next());
    let cells = rows.flat_map(|names| names.split(", "));
    let mut listed: Vec<_> = cells.map(|name| name.trim_matches('`')).collect();
    names.sort_unstable();
    listed.sort_unstable();
    assert_eq!(listed, names);
}
