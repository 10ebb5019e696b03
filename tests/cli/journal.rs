//! The journal of inputs that are done: a later run passes over them.

use crate::program::{output_of, program, run};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// Inputs with URIs that repeat among them, and the arguments of a run with a journal.
struct Crawl(tempfile::TempDir);

impl Crawl {
    fn new(inputs: u32) -> Crawl {
        let crawl = Crawl(tempfile::tempdir().unwrap());
        fs::create_dir(crawl.path("in")).unwrap();
        for n in 0..inputs {
            crawl.put(n, n * 10..n * 10 + 15);
        }
        crawl
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().unwrap().to_owned()
    }

    fn put(&self, input: u32, numbers: std::ops::Range<u32>) {
        let lines: String = numbers.map(|n| format!("http://a.example/{n}\n")).collect();
        fs::write(self.path(&format!("in/{input:03}")), lines).unwrap();
    }

    fn args(&self, more: &[&str]) -> Vec<String> {
        let args = [
            self.path("in"),
            "--journal".to_owned(),
            self.path("journal"),
        ];
        args.into_iter()
            .chain(more.iter().map(|arg| (*arg).to_owned()))
            .collect()
    }

    fn run(&self, command: &str, more: &[&str]) -> crate::program::Ran {
        let args = self.args(more);
        let args: Vec<&str> = [command]
            .into_iter()
            .chain(args.iter().map(String::as_str))
            .collect();
        run(&args, b"")
    }

    fn journal(&self) -> usize {
        fs::read_to_string(self.path("journal"))
            .unwrap()
            .lines()
            .count()
    }
}

#[test]
fn inputs_that_are_done_are_skipped() {
    let crawl = Crawl::new(5);
    let store = crawl.path("store");
    let seen = ["--seen", &store];
    let first = crawl.run("extract", &seen);
    assert_eq!(
        (first.out.lines().count(), first.code),
        (55, 0),
        "{}",
        first.err
    );
    assert_eq!(crawl.journal(), 6);
    let second = crawl.run("extract", &seen);
    assert_eq!((&*second.out, second.code), ("", 1));
    assert!(
        second.err.contains("journal: skipped 5 inputs"),
        "{}",
        second.err
    );
    // A new input, and one with another size or time.
    crawl.put(5, 100..102);
    crawl.put(1, 10..27);
    let third = crawl.run("extract", &[&seen[..], &["--stats"]].concat());
    assert_eq!(third.out, "http://a.example/100\nhttp://a.example/101\n");
    assert!(third.err.contains("skipped 4 inputs"), "{}", third.err);
    let touched = File::options()
        .write(true)
        .open(crawl.path("in/002"))
        .unwrap();
    touched
        .set_modified(SystemTime::now() - Duration::from_secs(900))
        .unwrap();
    let fourth = crawl.run("extract", &seen);
    assert!(fourth.err.contains("skipped 5 inputs"), "{}", fourth.err);
    let fifth = crawl.run("extract", &seen);
    assert!(fifth.err.contains("skipped 6 inputs"), "{}", fifth.err);
}

#[test]
fn each_way_of_delivering_has_its_journal() {
    for (command, divided) in [("extract", false), ("dedup", false), ("extract", true)] {
        let crawl = Crawl::new(4);
        let (store, out) = (crawl.path("store"), crawl.path("out/{}.txt"));
        let args = match divided {
            // A file for each commit.
            true => vec!["--seen", &*store, "-o", &*out],
            false => vec!["--seen", &*store],
        };
        let files: Vec<String> = (0..4).map(|n| crawl.path(&format!("in/{n:03}"))).collect();
        let files: Vec<&str> = files.iter().map(String::as_str).collect();
        let journal = crawl.path("journal");
        let all = [&[command, "--journal", &journal], &args[..], &files[..]].concat();
        let first = run(&all, b"");
        assert_eq!(first.code, 0, "{}", first.err);
        assert_eq!(crawl.journal(), 5);
        let printed = match divided {
            true => fs::read_dir(crawl.path("out"))
                .unwrap()
                .map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap())
                .collect::<String>(),
            false => first.out,
        };
        let distinct: BTreeSet<&str> = printed.lines().collect();
        assert_eq!((distinct.len(), printed.lines().count()), (45, 45));
        let second = run(&all, b"");
        assert!(second.err.contains("skipped 4 inputs"), "{}", second.err);
    }
    // Without a store a file for each input.
    let crawl = Crawl::new(4);
    let out = crawl.path("out/{}.txt");
    assert_eq!(crawl.run("extract", &["-o", &out]).code, 0);
    assert_eq!(fs::read_dir(crawl.path("out")).unwrap().count(), 4);
    assert_eq!(crawl.journal(), 5);
    crawl.put(2, 0..90);
    let second = crawl.run("extract", &["-o", &out]);
    assert!(second.err.contains("skipped 3 inputs"), "{}", second.err);
    let name = format!("{}.txt", crawl.path("in/002").replace('/', "%2F"));
    let file = fs::read_to_string(Path::new(&crawl.path("out")).join(name)).unwrap();
    assert_eq!(file.lines().count(), 90);
}

#[test]
fn an_input_that_failed_is_read_again() {
    let crawl = Crawl::new(2);
    fs::write(crawl.path("in/broken.gz"), b"\x1F\x8B\x08\0\0\0\0\0\0\xFF").unwrap();
    let missing = crawl.path("missing");
    let store = crawl.path("store");
    let args = ["--seen", &store, &missing];
    let first = crawl.run("extract", &args);
    assert_eq!(first.code, 2);
    // Damage is a loss, which reading again would not change.
    assert_eq!(crawl.journal(), 4, "{}", first.err);
    fs::write(&missing, "http://new.example/").unwrap();
    let second = crawl.run("extract", &args);
    assert_eq!((&*second.out, second.code), ("http://new.example/\n", 0));
}

#[test]
fn journals_of_others_are_refused() {
    let crawl = Crawl::new(2);
    let [store, other] = ["store", "other"].map(|name| crawl.path(name));
    assert_eq!(crawl.run("extract", &["--seen", &store]).code, 0);
    let refused = crawl.run("extract", &["--seen", &other]);
    assert_eq!((&*refused.out, refused.code), ("", 2));
    assert!(
        refused.err.contains("is of another output"),
        "{}",
        refused.err
    );
    let mut text = fs::read(crawl.path("journal")).unwrap();
    let last = text.len() - 3;
    text[last] ^= 1;
    fs::write(crawl.path("journal"), &text).unwrap();
    let damaged = crawl.run("extract", &["--seen", &store]);
    assert!(
        damaged.code == 2 && damaged.err.contains("journal: line 3: is damaged"),
        "{}",
        damaged.err
    );
    fs::write(crawl.path("journal"), "my notes").unwrap();
    let foreign = crawl.run("extract", &["--seen", &store]);
    assert!(foreign.err.contains("is not a journal"), "{}", foreign.err);
    assert_eq!(
        fs::read_to_string(crawl.path("journal")).unwrap(),
        "my notes"
    );
    fs::remove_file(crawl.path("journal")).unwrap();
    for (args, cause) in [
        (&[][..], "only with --seen"),
        (&["-o", &crawl.path("out.txt")], "only with --seen"),
        (
            &["--seen", &store, "-o", &crawl.path("out.txt")],
            "-o of one file",
        ),
        (&["--seen", &store, "--sort"], "--sort"),
        (&["--seen", &store, "-"], "standard input has no name"),
        (
            &["--split", "2", "-o", &crawl.path("d/{}")],
            "only with --seen",
        ),
        (
            &["--seen", &store, "--split", "2", "-o", &crawl.path("d/{}")],
            "--split: not with",
        ),
    ] {
        let ran = crawl.run("extract", args);
        assert!(
            ran.code == 2 && ran.err.contains(cause),
            "{args:?}: {}",
            ran.err
        );
        assert!(!Path::new(&crawl.path("journal")).exists());
    }
}

#[test]
fn runs_that_are_killed_are_continued() {
    let crawl = Crawl::new(40);
    for (name, more) in [("plain", &[][..]), ("files", &["-o"])] {
        let (store, journal) = (crawl.path(&format!("{name}.store")), crawl.path(name));
        let (pattern, out) = (crawl.path(&format!("{name}.d/{{}}")), crawl.path("printed"));
        let mut args = vec![
            "extract",
            "-j",
            "1",
            "--seen",
            &store,
            "--journal",
            &journal,
        ];
        args.extend(more);
        args.extend(more.iter().map(|_| &*pattern));
        let input = crawl.path("in");
        args.push(&input);
        let mut printed = String::new();
        for kill in 0..60_u32 {
            // Standard output is a file, so that all that was flushed is seen.
            let mut child = std::process::Command::new(program(&[]).get_program())
                .args(&args)
                .stdout(File::create(&out).unwrap())
                .stderr(std::process::Stdio::null())
                .spawn()
                .unwrap();
            std::thread::sleep(Duration::from_micros(u64::from(kill) * 400));
            let _ = child.kill();
            child.wait().unwrap();
            printed.push_str(&fs::read_to_string(&out).unwrap());
        }
        let last = output_of(&mut program(&args));
        assert!(last.code < 2, "{}", last.err);
        printed.push_str(&last.out);
        let dir = crawl.path(&format!("{name}.d"));
        if !more.is_empty() {
            printed.clear();
            for entry in fs::read_dir(dir).unwrap() {
                let path = entry.unwrap().path();
                // A kill leaves files without a name, or hidden ones.
                if !path.file_name().unwrap().to_str().unwrap().starts_with('.') {
                    printed.push_str(&fs::read_to_string(path).unwrap());
                }
            }
        }
        let distinct: BTreeSet<&str> = printed.lines().collect();
        assert_eq!(distinct.len(), 405, "{name}: nothing is lost");
        if !more.is_empty() {
            assert_eq!(printed.lines().count(), 405, "nothing is there twice");
        }
        let again = output_of(&mut program(&args));
        assert!(again.err.contains("skipped 40 inputs"), "{}", again.err);
    }
}
