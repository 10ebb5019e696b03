//! The parts that others made: `THIRD-PARTY.txt` has every crate that is linked in, and no
//! other one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

fn read(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(root.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The crates in the list, as `name version`.
fn listed() -> BTreeSet<String> {
    let text = read("THIRD-PARTY.txt");
    let lines = text.lines().filter_map(|line| line.strip_prefix("  "));
    let crates = lines.filter_map(|line| line.split_once(": ").map(|(name, _)| name));
    let is_crate = |name: &&str| {
        let version = name.split_once(' ').map(|(_, version)| version);
        version.is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()))
    };
    crates.filter(is_crate).map(str::to_owned).collect()
}

#[test]
fn every_crate_is_listed() {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--all-features"])
        .args(["--edges", "normal", "--prefix", "none", "--format", "{p}"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let (tree, said) = (
        String::from_utf8(tree.stdout).unwrap(),
        String::from_utf8_lossy(&tree.stderr).into_owned(),
    );
    let parts: BTreeSet<String> = tree
        .lines()
        .filter_map(|line| {
            let mut words = line.split(' ');
            let (name, version) = (words.next()?, words.next()?.strip_prefix('v')?);
            (name != "urisieve").then(|| format!("{name} {version}"))
        })
        .collect();
    assert!(parts.len() > 50, "{said}");
    let listed = listed();
    let missing: Vec<_> = parts.difference(&listed).collect();
    assert!(missing.is_empty(), "run .ci/third-party: {missing:?}");
}

#[test]
fn every_listed_crate_is_locked() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The package of the source is without the Python package, whose crates are listed, too.
    let Ok(python) = fs::read_to_string(root.join("python/Cargo.lock")) else {
        return;
    };
    let locks = read("Cargo.lock") + &python;
    let unknown: Vec<String> = listed()
        .into_iter()
        .filter(|part| {
            let (name, version) = part.split_once(' ').unwrap();
            !locks.contains(&format!("name = \"{name}\"\nversion = \"{version}\""))
        })
        .collect();
    assert!(unknown.is_empty(), "run .ci/third-party: {unknown:?}");
}

/// Stores of seen URIs state the suffix list: another one is another setting.
#[test]
fn the_suffix_list_is_named_by_its_version() {
    let list = read("src/syntax/domain/public_suffix_list.dat");
    let version = format!("// VERSION: {}\n", urisieve::links::SUFFIX_LIST);
    assert!(list.contains(&version), "{version}");
}
