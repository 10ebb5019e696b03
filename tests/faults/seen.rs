//! A store of seen URIs through kills and failures at each call of the system: every key of it
//! was printed, and all of it is sound.

use crate::injected::Bench;
use crate::thorough;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;

const KILL: i32 = 9;

/// Where a store is put before each run, and its lists.
struct Nights {
    bench: Bench,
    folder: tempfile::TempDir,
}

impl Nights {
    /// Three runs have written the store; the next one has it merged.
    fn new() -> Nights {
        let nights = Nights {
            bench: Bench::new(),
            folder: tempfile::tempdir().unwrap(),
        };
        for night in 0..3 {
            nights.list(night * 40..night * 40 + 50);
            let ran = nights.run(
                "none",
                &[
                    "dedup",
                    "--seen",
                    &nights.name("base"),
                    &nights.name("list"),
                ],
            );
            assert_eq!(ran.1, 0);
        }
        nights.list(100..170);
        nights
    }

    fn name(&self, name: &str) -> String {
        self.folder.path().join(name).to_str().unwrap().to_owned()
    }

    fn list(&self, numbers: std::ops::Range<u32>) {
        let lines: String = numbers.map(|n| format!("http://a.example/{n}\n")).collect();
        fs::write(self.name("list"), lines).unwrap();
    }

    /// Runs the program; returns the lines that it printed, and its code.
    fn run(&self, fault: &str, args: &[&str]) -> (Vec<String>, i32) {
        let ran = self
            .bench
            .run(fault, Path::new("none"), args, Stdio::null());
        let lines = ran.out.lines().map(str::to_owned);
        (lines.collect(), ran.code)
    }

    /// Puts the store back as it was before the night.
    fn begin(&self) {
        let _ = fs::remove_dir_all(self.name("store"));
        fs::create_dir(self.name("store")).unwrap();
        for entry in fs::read_dir(self.name("base")).unwrap() {
            let from = entry.unwrap().path();
            let to = Path::new(&self.name("store")).join(from.file_name().unwrap());
            fs::copy(from, to).unwrap();
        }
        let _ = fs::remove_file(self.name("out"));
    }

    fn exported(&self) -> BTreeSet<String> {
        let (keys, code) = self.run("none", &["seen", "export", &self.name("store")]);
        assert_eq!(code, 0);
        keys.into_iter().collect()
    }

    /// Runs a night of a command with a fault at each call; `more` are further arguments.
    fn check(&self, command: &[&str], fault: impl Fn(u32) -> String, more: &[&str]) -> u32 {
        self.begin();
        let before = self.exported();
        let (store, list) = (self.name("store"), self.name("list"));
        let common = [command, &["--seen", &store, &list]].concat();
        let args = [&common[..], more].concat();
        let wanted: BTreeSet<String> = (120..170)
            .map(|n| format!("http://a.example/{n}"))
            .collect();
        for step in (1..).step_by(thorough::step(3)) {
            self.begin();
            let (mut printed, code) = self.run(&fault(step), &args);
            if !more.is_empty() {
                let out = fs::read_to_string(self.name("out")).unwrap_or_default();
                printed = out.lines().map(str::to_owned).collect();
            }
            let printed = new_uris(&printed);
            let after = self.exported();
            let what = format!("{} {command:?} {more:?}: {code}", fault(step));
            let known: BTreeSet<String> = before.union(&printed).cloned().collect();
            assert!(after == before || after == known, "{what}");
            let (_, sound) = self.run("none", &["seen", "verify", &store]);
            assert_eq!(sound, 0, "{what}");
            // The next run prints the rest, and a crash between the two repeats.
            let (next, _) = self.run("none", &common);
            let rest: BTreeSet<String> = wanted.difference(&after).cloned().collect();
            assert!(new_uris(&next) == rest, "{what}");
            assert_eq!(self.exported().len(), 170, "{what}");
            if code == 0 && after == known && !self.has_step(&fault(step), &args) {
                return step;
            }
        }
        0
    }

    /// Whether a run has the call with this number: a failure of a merge is no failure of a run.
    fn has_step(&self, fault: &str, args: &[&str]) -> bool {
        self.begin();
        let (_, code) = self.run(&fault.replace("fail:", "signal:9:"), args);
        code != 0
    }
}

/// The URIs that lines say are new: lists have no others, events have a member for it.
fn new_uris(lines: &[String]) -> BTreeSet<String> {
    let of_event = |line: &str| -> Option<String> {
        let (before, _) = line.split_once("\"new\":true")?;
        let (_, uri) = before.split_once("\"uri\":\"")?;
        Some(uri.split_once('"')?.0.to_owned())
    };
    let lines = lines.iter().filter_map(|line| match line.starts_with('{') {
        true => of_event(line),
        false => Some(line.clone()),
    });
    lines.collect()
}

/// A run file of which not all can be read is named with what to do, or is not needed; the store
/// stays as it is.
#[test]
fn a_file_that_cannot_be_read_is_named() {
    let nights = Nights::new();
    let (store, list) = (nights.name("big"), nights.name("list"));
    for night in 0..2 {
        nights.list(night * 20_000..(night + 1) * 20_000);
        let (_, code) = nights.run("none", &["dedup", "--seen", &store, &list]);
        assert_eq!(code, 0);
    }
    nights.list(0..50_000);
    let events = nights.name("events");
    fs::write(
        &events,
        "{\"m\":\"http://a.example/7 http://a.example/30007\"}\n",
    )
    .unwrap();
    let names = || {
        let entries = fs::read_dir(&store).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
        names.sort();
        names
    };
    let before = names();
    let commands = [
        &["dedup", "-j", "1", "--against", &store, &list][..],
        &["dedup", "-j", "3", "--seen", &store, &list],
        &["dedup", "--groups", "--against", &store, &list],
        &["extract", "-c", "--against", &store, &list],
        &["extract", "--sort", "--seen", &store, &list],
        &["extract", "--commit-every", "1h", "--seen", &store, &list],
        &["enrich", "--as", "urls", "--seen", &store, &events],
        &["seen", "check", &store, &list],
        &["seen", "export", &store],
        &["seen", "stats", &store],
        &["seen", "verify", &store],
        &["seen", "compact", &store],
    ];
    let runs = before.iter().filter(|path| {
        let name = path.file_name().unwrap().to_str().unwrap();
        name.starts_with("run")
    });
    for path in runs {
        let len = fs::metadata(path).unwrap().len();
        for (fault, cause) in [
            ("eio", "seen verify read the copy"),
            ("stale", "another machine"),
        ] {
            // What is read first is at the end; then blocks are.
            let blocks = format!("100:{}", len / 2);
            for range in ["0", "1", &(len - 1).to_string(), &blocks] {
                for args in commands {
                    if range == blocks && args[1] == "stats" {
                        continue;
                    }
                    let fault = format!("{fault}:{range}");
                    let ran = nights.bench.run(&fault, path, args, Stdio::null());
                    let what = format!("{fault} {args:?} {}: {}", path.display(), ran.err);
                    let name = path.file_name().unwrap().to_str().unwrap();
                    assert_eq!(ran.code, 2, "{what}");
                    assert!(ran.err.contains(name) && ran.err.contains(cause), "{what}");
                    assert_eq!(names(), before, "{what}");
                }
            }
        }
    }
}

const LIST: [&str; 3] = ["dedup", "-j", "1"];
const EVENTS: [&str; 3] = ["enrich", "--as", "urls"];

#[test]
fn a_kill_at_each_call_leaves_what_was_printed() {
    let nights = Nights::new();
    let out = nights.name("out");
    for more in [&[][..], &["-o", &out]] {
        let steps = nights.check(&LIST, |step| format!("signal:{KILL}:{step}"), more);
        assert!(steps > 18, "{steps}");
    }
}

#[test]
fn a_fault_at_each_call_leaves_what_events_say() {
    let nights = Nights::new();
    let events: String = (100..170)
        .map(|n| format!("{{\"m\":\"http://a.example/{n}\"}}\n"))
        .collect();
    fs::write(nights.name("list"), events).unwrap();
    let out = nights.name("out");
    for more in [&[][..], &["-o", &out]] {
        let steps = nights.check(&EVENTS, |step| format!("signal:{KILL}:{step}"), more);
        assert!(steps > 18, "{steps}");
        let steps = nights.check(&EVENTS, |step| format!("fail:{step}"), more);
        assert!(steps > 18, "{steps}");
    }
}

#[test]
fn a_failure_of_each_call_leaves_what_was_printed() {
    let nights = Nights::new();
    let out = nights.name("out");
    for more in [&[][..], &["-o", &out]] {
        let steps = nights.check(&LIST, |step| format!("fail:{step}"), more);
        assert!(steps > 18, "{steps}");
    }
}
