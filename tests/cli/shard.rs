//! Shards of inputs: each input is in one, by its name alone.

use crate::program::run;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

fn files(root: &Path) -> String {
    for n in 0..40 {
        let folder = root.join(format!("d{}", n % 3));
        fs::create_dir_all(&folder).unwrap();
        fs::write(
            folder.join(format!("{n}.txt")),
            format!("http://h{n}.example/"),
        )
        .unwrap();
    }
    root.to_str().unwrap().to_owned()
}

#[test]
fn each_input_is_in_one_shard() {
    let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (dir, copy) = (files(root.path()), files(other.path()));
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<BTreeSet<_>>();
    let whole = lines(&run(&[&dir], b"").out);
    for all in [1, 3, 16] {
        let mut found = BTreeSet::new();
        let mut digests = BTreeSet::new();
        for shard in 1..=all {
            let shard = format!("{shard}/{all}");
            let ran = run(&["--shard", &shard, "--stats", &dir], b"");
            let part = lines(&ran.out);
            assert!(found.is_disjoint(&part));
            // The directory does not count.
            assert_eq!(lines(&run(&["--shard", &shard, &copy], b"").out), part);
            found.extend(part);
            let said = ran
                .err
                .lines()
                .find(|line| line.contains("digest"))
                .unwrap()
                .to_owned();
            assert!(said.contains("of 40 inputs"), "{said}");
            digests.insert(said.rsplit(' ').next().unwrap().to_owned());
        }
        assert_eq!((found, digests.len()), (whole.clone(), 1));
    }
}

#[test]
fn files_are_in_a_shard_by_the_names_as_given() {
    let root = tempfile::tempdir().unwrap();
    files(root.path());
    let names: Vec<String> = (0..6)
        .map(|n| {
            root.path()
                .join(format!("d{}/{n}.txt", n % 3))
                .to_str()
                .unwrap()
                .to_owned()
        })
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for command in ["extract", "dedup"] {
        let mut number = 0;
        for shard in ["1/2", "2/2"] {
            let ran = run(&[&[command, "--shard", shard], &names[..]].concat(), b"");
            number += ran.out.lines().count();
        }
        assert_eq!(number, 6, "{command}");
        for wrong in ["0/2", "3/2", "1", "1/0", "a/b"] {
            let ran = run(&[command, "--shard", wrong, names[0]], b"");
            assert!(
                ran.code == 2 && ran.err.contains("is not a shard"),
                "{}",
                ran.err
            );
        }
        let stdin = run(&[command, "--shard", "1/2"], b"http://a.example/");
        assert!(
            stdin.code == 2 && stdin.err.contains("standard input"),
            "{}",
            stdin.err
        );
    }
}
