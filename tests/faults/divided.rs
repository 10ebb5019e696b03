//! Outputs that are divided, and journals, through kills and failures at each call of the system:
//! a run that is continued delivers each URI once, and a directory of parts is whole or absent.

use crate::injected::Bench;
use crate::thorough;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// Some inputs that share URIs.
struct Crawl {
    bench: Bench,
    folder: tempfile::TempDir,
}

/// The number of inputs, and of the URIs in them.
const INPUTS: u32 = 3;
const URIS: usize = 30;

impl Crawl {
    fn new() -> Crawl {
        let crawl = Crawl {
            bench: Bench::new(),
            folder: tempfile::tempdir().unwrap(),
        };
        fs::create_dir(crawl.name("in")).unwrap();
        for n in 0..INPUTS {
            let lines: String = (n * 8..n * 8 + 14)
                .map(|k| format!("http://a.example/{k}\n"))
                .collect();
            fs::write(crawl.name(&format!("in/{n}")), lines).unwrap();
        }
        crawl
    }

    fn name(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn run(&self, fault: &str, args: &[&str]) -> crate::injected::Ran {
        self.bench
            .run(fault, Path::new("none"), args, Stdio::null())
    }

    /// Removes what runs have written.
    fn begin(&self) {
        for entry in fs::read_dir(self.folder.path()).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                // Also what a kill left, under a hidden name.
                true if !path.ends_with("in") => fs::remove_dir_all(path).unwrap(),
                true => {}
                false => fs::remove_file(path).unwrap(),
            }
        }
    }

    /// How often each line is in the files that appeared.
    fn delivered(&self) -> BTreeMap<String, u32> {
        let mut lines = BTreeMap::new();
        for entry in fs::read_dir(self.name("out")).into_iter().flatten() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if !name.starts_with(['.', '_']) {
                for line in fs::read_to_string(&path).unwrap().lines() {
                    *lines.entry(line.to_owned()).or_default() += 1;
                }
            }
        }
        lines
    }
}

/// Runs with a fault at each step, until one has no step with that number; returns it.
fn each_step(crawl: &Crawl, args: &[&str], kind: &str, check: impl Fn(&str, bool)) -> u32 {
    for step in (1..1000).step_by(thorough::step(4)) {
        crawl.begin();
        let fault = format!("{kind}:{step}");
        let ran = crawl.run(&fault, args);
        check(&format!("{fault}: {}", ran.err), ran.code == 0);
        crawl.begin();
        if ran.code == 0 && crawl.run(&format!("signal:9:{step}"), args).code == 0 {
            return step;
        }
    }
    panic!("the run does not end");
}

#[test]
fn a_run_with_a_journal_is_continued() {
    let crawl = Crawl::new();
    let (input, store, journal) = (crawl.name("in"), crawl.name("store"), crawl.name("journal"));
    let out = crawl.name("out/{}.txt");
    let files = [
        "extract",
        "-j",
        "1",
        "--journal",
        &journal,
        "-o",
        &out,
        &input,
    ];
    let commits = [&files[..], &["--seen", &store]].concat();
    for (number, args) in [&files[..], &commits].into_iter().enumerate() {
        for kind in thorough::part(["signal:9", "fail"], 2, number) {
            let steps = each_step(&crawl, args, kind, |what, _| {
                let ran = crawl.run("none", args);
                assert!(ran.code < 2, "{what}: {}", ran.err);
                let delivered = crawl.delivered();
                assert_eq!(delivered.len(), URIS, "{what}: nothing is lost");
                if args.contains(&"--seen") {
                    assert!(delivered.values().all(|&times| times == 1), "{what}");
                    assert_eq!(crawl.run("none", &["seen", "verify", &store]).code, 0);
                }
                let again = crawl.run("none", args);
                let said = format!("skipped {INPUTS} inputs");
                assert!(again.err.contains(&said), "{what}: {}", again.err);
                assert_eq!(crawl.delivered(), delivered, "{what}");
            });
            assert!(steps > 12, "{steps}");
        }
    }
}

#[test]
fn what_is_printed_is_noted_after_it() {
    let crawl = Crawl::new();
    let (input, store, journal) = (crawl.name("in"), crawl.name("store"), crawl.name("journal"));
    let args = ["dedup", "-j", "1", "--journal", &journal, "--seen", &store];
    let lists: Vec<String> = (0..INPUTS).map(|n| format!("{input}/{n}")).collect();
    let args: Vec<&str> = args
        .into_iter()
        .chain(lists.iter().map(String::as_str))
        .collect();
    for kind in ["signal:9", "fail"] {
        for step in (1..).step_by(thorough::step(3)) {
            crawl.begin();
            let fault = format!("{kind}:{step}");
            let first = crawl.run(&fault, &args);
            let second = crawl.run("none", &args);
            let printed = [first.out, second.out].concat();
            let mut lines: Vec<&str> = printed.lines().collect();
            lines.sort();
            lines.dedup();
            assert_eq!(lines.len(), URIS, "{fault}: {}{}", first.err, second.err);
            crawl.begin();
            if first.code == 0 && crawl.run(&format!("signal:9:{step}"), &args).code == 0 {
                assert!(step > 12, "{step}");
                break;
            }
        }
    }
}

#[test]
fn a_directory_of_parts_is_whole_or_absent() {
    let crawl = Crawl::new();
    let (input, out) = (crawl.name("in"), crawl.name("out/{}.txt"));
    let args = ["extract", "-j", "1", "--split", "3", "-o", &out, &input];
    for kind in ["signal:9", "fail"] {
        let steps = each_step(&crawl, &args, kind, |what, is_good| {
            let is_there = Path::new(&crawl.name("out")).exists();
            assert!(is_there || !is_good, "{what}");
            if is_there {
                assert!(Path::new(&crawl.name("out/_SUCCESS")).exists(), "{what}");
                let delivered = crawl.delivered();
                assert_eq!(delivered.len(), URIS, "{what}");
                assert!(delivered.values().all(|&times| times == 1), "{what}");
            }
            let others = || {
                let entries = fs::read_dir(crawl.folder.path()).unwrap();
                let paths = entries.map(|entry| entry.unwrap().path());
                paths
                    .filter(|path| !path.ends_with("in") && !path.ends_with("out"))
                    .collect::<Vec<_>>()
            };
            if kind == "fail" {
                // A failure leaves nothing else.
                assert_eq!(others(), [""; 0].map(std::path::PathBuf::from), "{what}");
            }
            // The next run removes what a kill left: all but a directory without its lock.
            let _ = fs::remove_dir_all(crawl.name("out"));
            assert_eq!(crawl.run("none", &args).code, 0, "{what}");
            for left in others() {
                assert_eq!(fs::read_dir(&left).unwrap().count(), 0, "{what}: {left:?}");
            }
        });
        assert!(steps > 8, "{steps}");
    }
}
