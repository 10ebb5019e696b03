//! The same in the program: a preloaded library makes the reads of one file fail, and sends
//! signals between any two steps of writing.

use crate::thorough;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Makes reads of the file fail that `FAULT_FILE` names. `FAULT` is `short` (at most 7
/// bytes a read), `eintr` (every other read is interrupted), `eio:N` (no byte from N on
/// can be read; `eio:N:M` only none before M), `stale:N` (the same, because another machine removed
/// the file), `shrink:N` (the file has N bytes left from its second large read on)
/// or `late:N` (the same, and other threads have time to read first). `signal:S:N` sends
/// the signal S before the Nth call that writes, names, syncs or removes a file, `fail:N`
/// has that call fail, and `rename:N` the Nth renaming.
const SHIM: &str = r#"
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_pread)(int, void *, size_t, off64_t);
static int turns, large, calls, renames;

/* Whether the call is to fail. */
static int step(void) {
    int number = 0, at;
    const char *fault = getenv("FAULT");
    if (!fault) return 0;
    if (sscanf(fault, "signal:%d:%d", &number, &at) != 2 && sscanf(fault, "fail:%d", &at) != 1) return 0;
    if (__atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED) != at) return 0;
    if (!number) { errno = EIO; return 1; }
    kill(getpid(), number);
    /* A thread of the program takes note of it. */
    usleep(50000);
    return 0;
}

#define STEP(result, name, types, names) \
    result name types { \
        static result (*real) types; \
        if (!real) real = dlsym(RTLD_NEXT, #name); \
        if (step()) return -1; \
        return real names; \
    }

STEP(ssize_t, write, (int fd, const void *bytes, size_t len), (fd, bytes, len))
STEP(ssize_t, pwrite64, (int fd, const void *bytes, size_t len, off64_t at), (fd, bytes, len, at))
STEP(int, link, (const char *from, const char *to), (from, to))
STEP(int, linkat, (int a, const char *from, int b, const char *to, int flags), (a, from, b, to, flags))
int rename(const char *from, const char *to) {
    static int (*real)(const char *, const char *);
    int at;
    const char *fault = getenv("FAULT");
    if (!real) real = dlsym(RTLD_NEXT, "rename");
    if (step()) return -1;
    if (fault && sscanf(fault, "rename:%d", &at) == 1
        && __atomic_add_fetch(&renames, 1, __ATOMIC_RELAXED) == at) { errno = EIO; return -1; }
    return real(from, to);
}

STEP(int, renameat, (int a, const char *from, int b, const char *to), (a, from, b, to))
STEP(int, unlink, (const char *name), (name))
STEP(int, unlinkat, (int a, const char *name, int flags), (a, name, flags))
STEP(int, fsync, (int fd), (fd))
STEP(int, fdatasync, (int fd), (fd))
STEP(int, fchmod, (int fd, mode_t mode), (fd, mode))

static int is_faulty(int fd) {
    struct stat here, there;
    const char *name = getenv("FAULT_FILE");
    return name && !fstat(fd, &here) && !stat(name, &there)
        && here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

/* The bytes that may be read from `at` on, or -1 for none. */
static ssize_t allowed(size_t len, off64_t at) {
    const char *fault = getenv("FAULT");
    if (!strcmp(fault, "short")) return len < 7 ? len : 7;
    if (!strcmp(fault, "eintr")) {
        if (__atomic_fetch_add(&turns, 1, __ATOMIC_RELAXED) % 2 == 0) { errno = EINTR; return -1; }
        return len;
    }
    int stale = !strncmp(fault, "stale:", 6);
    if (stale || !strncmp(fault, "eio:", 4)) {
        long long end, after = 0;
        if (sscanf(strchr(fault, ':'), ":%lld:%lld", &end, &after) == 2 && at >= after) return len;
        if (at >= end) { errno = stale ? ESTALE : EIO; return -1; }
        return (off64_t)len < end - at ? (ssize_t)len : (ssize_t)(end - at);
    }
    int late = !strncmp(fault, "late:", 5);
    if ((late || !strncmp(fault, "shrink:", 7)) && len > 4096
        && __atomic_fetch_add(&large, 1, __ATOMIC_RELAXED) == 1) {
        if (late) usleep(20000);
        (void)!truncate(getenv("FAULT_FILE"), atoll(strchr(fault, ':') + 1));
    }
    return len;
}

ssize_t read(int fd, void *buffer, size_t len) {
    if (!real_read) real_read = dlsym(RTLD_NEXT, "read");
    if (len && is_faulty(fd)) {
        ssize_t most = allowed(len, lseek64(fd, 0, SEEK_CUR));
        if (most < 0) return -1;
        len = most;
    }
    return real_read(fd, buffer, len);
}

ssize_t pread64(int fd, void *buffer, size_t len, off64_t at) {
    if (!real_pread) real_pread = dlsym(RTLD_NEXT, "pread64");
    if (len && is_faulty(fd)) {
        ssize_t most = allowed(len, at);
        if (most < 0) return -1;
        len = most;
    }
    return real_pread(fd, buffer, len, at);
}
"#;

/// The output of a run and its exit code.
pub struct Ran {
    pub out: String,
    pub err: String,
    pub code: i32,
}

/// A program with a library that makes its calls fail.
pub struct Bench {
    folder: TempDir,
    shim: PathBuf,
}

impl Bench {
    pub fn new() -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let (source, shim) = (folder.path().join("shim.c"), folder.path().join("shim.so"));
        fs::write(&source, SHIM).unwrap();
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let built = Command::new(compiler)
            .args(["-shared", "-fPIC", "-O1", "-o"])
            .args([&shim, &source])
            .arg("-ldl")
            .status()
            .expect("a C compiler, which the dependencies need, too");
        assert!(built.success());
        Bench { folder, shim }
    }

    /// A file of lines, each a URI of its own, of more than four blocks.
    fn list(&self) -> (PathBuf, String) {
        let path = self.folder.path().join("list.txt");
        let lines: String = (0..40_000)
            .map(|i| format!("http://{}.example/page/{i}/x\n", i % 997))
            .collect();
        assert!(lines.len() > 4 * (256 << 10));
        fs::write(&path, &lines).unwrap();
        (path, lines)
    }

    /// Runs the program; a run that does not end fails the test.
    pub fn run(&self, fault: &str, file: &Path, args: &[&str], input: Stdio) -> Ran {
        let output = Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
            .args(args)
            .env("LD_PRELOAD", &self.shim)
            .env("FAULT", fault)
            .env("FAULT_FILE", file)
            .stdin(input)
            .output()
            .unwrap();
        Ran {
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
            code: output.status.code().unwrap_or(-1),
        }
    }
}

/// The commands that read the file, and whether each prints the lines it reads.
fn commands(file: &str) -> Vec<(Vec<&str>, bool)> {
    let mut commands = Vec::new();
    for threads in ["1", "2", "8"] {
        for (args, lines) in [
            (&["extract"][..], true),
            (&["--all"], true),
            (&["--sort"], false),
            (&["--unordered"], false),
            (&["-c"], false),
            (&["-c", "--by", "host"], false),
            (&["--groups"], false),
            (&["--all", "--json"], false),
            (&["-f", "csv"], false),
            (&["dedup"], true),
            (&["dedup", "--groups"], false),
            (&["normalize"], true),
        ] {
            commands.push(([args, &["-j", threads, file]].concat(), lines));
        }
    }
    commands
}

#[test]
fn short_and_interrupted_reads_change_nothing_in_any_command() {
    let bench = Bench::new();
    let (path, _) = bench.list();
    // Seven bytes at a time are many reads.
    let text = fs::read(&path).unwrap();
    fs::write(&path, &text[..60_000]).unwrap();
    for (args, _) in commands(path.to_str().unwrap()) {
        if args.contains(&"--unordered") {
            continue;
        }
        let wanted = bench.run("none", &path, &args, Stdio::null());
        for fault in ["short", "eintr"] {
            let report = bench.run(fault, &path, &args, Stdio::null());
            assert!(report.out == wanted.out, "{fault} {args:?}");
            assert_eq!(
                (report.code, &report.err),
                (wanted.code, &wanted.err),
                "{args:?}"
            );
        }
    }
}

#[test]
fn an_error_beyond_the_first_block_is_a_named_loss() {
    let bench = Bench::new();
    let (path, lines) = bench.list();
    let at = 700_001;
    for (args, prints) in commands(path.to_str().unwrap()) {
        let report = bench.run(&format!("eio:{at}"), &path, &args, Stdio::null());
        assert_eq!(report.code, 2, "{args:?}");
        let said = format!("list.txt: byte {at}: ");
        assert_eq!(
            report.err.matches(&said).count(),
            1,
            "{args:?} {}",
            report.err
        );
        if prints {
            let whole = lines[..at].rfind('\n').unwrap() + 1;
            assert!(report.out.starts_with(&lines[..whole]), "{args:?}");
            assert!(report.out.len() <= at + 1, "{args:?}");
        }
    }
}

#[test]
fn an_error_in_a_compressed_file_names_a_byte_of_what_is_stored() {
    let bench = Bench::new();
    let (path, _) = bench.list();
    let packed = path.with_extension("txt.gz");
    let bytes = fs::read(&path).unwrap();
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut writer, &bytes).unwrap();
    let stored = writer.finish().unwrap();
    fs::write(&packed, &stored).unwrap();
    let at = stored.len() / 2;
    for threads in ["1", "2"] {
        let args = ["-j", threads, packed.to_str().unwrap()];
        let report = bench.run(&format!("eio:{at}"), &packed, &args, Stdio::null());
        assert_eq!(report.code, 2);
        let said = format!("list.txt.gz: compressed byte {at}: Input/output error");
        assert_eq!(report.err.matches(&said).count(), 1, "{}", report.err);
        // What came before was searched.
        assert!(report.out.len() > bytes.len() / 4);
    }
}

#[test]
fn a_file_that_shrinks_while_it_is_read_is_a_named_loss() {
    let bench = Bench::new();
    for threads in [1, 2, 8] {
        for args in [&[][..], &["-c"], &["--groups"], &["--all", "--json"]] {
            let faults = ["shrink:0", "shrink:300000", "late:0", "late:300000"];
            for fault in thorough::part(faults, 2, threads / 2 + args.len()) {
                let threads = &threads.to_string()[..];
                let (path, lines) = bench.list();
                let args = [args, &["-j", threads, path.to_str().unwrap()]].concat();
                let report = bench.run(fault, &path, &args, Stdio::null());
                if threads != "1" && report.code == 0 {
                    // All of it was read just before.
                    assert!(args.len() > 3 || report.out == lines, "{args:?}");
                    assert_eq!(report.err, "", "{args:?}");
                    continue;
                }
                assert_eq!(report.code, 2, "{args:?}");
                let said = "the file became shorter while it was read";
                // Another thread may have read what follows just before.
                let times = report.err.matches(said).count();
                assert!(
                    times == 1 || threads != "1" && times > 0,
                    "{args:?} {}",
                    report.err
                );
                if args.len() == 3 {
                    let (_, rest) = report.err.split_once("list.txt: byte ").unwrap();
                    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap();
                    let at: usize = rest[..digits].parse().unwrap();
                    let whole = lines[..at].rfind('\n').map_or(0, |at| at + 1);
                    assert!(report.out.starts_with(&lines[..whole]), "{args:?}");
                    // The line at the hole may be cut. What follows it may have been
                    // read just before, too.
                    let mut all = lines[whole..].lines();
                    let mut after = report.out[whole..].lines().peekable();
                    after.next_if(|line| *line == &lines[whole..at]);
                    assert!(after.all(|line| all.any(|other| other == line)), "{args:?}");
                    assert!(threads != "1" || report.out.len() <= at + 1, "{args:?}");
                }
            }
        }
    }
}

/// Standard input and lists on the side.
#[test]
fn other_inputs_fail_by_name() {
    let bench = Bench::new();
    let (path, _) = bench.list();
    let open = || Stdio::from(fs::File::open(&path).unwrap());
    let name = path.to_str().unwrap();
    for args in [
        &["-"][..],
        &["normalize"],
        &["dedup"],
        &["resolve", "--base", "http://a/"],
        &["--files-from", "-"],
        &["--files-from", name],
        &["dedup", "--against", name, "/dev/null"],
    ] {
        let report = bench.run("eio:3", &path, args, open());
        assert_eq!(report.code, 2, "{args:?} {}", report.err);
        assert!(report.err.contains("os error 5"), "{args:?} {}", report.err);
        if args[0] == "--files-from" {
            continue;
        }
        let report = bench.run("eintr", &path, args, open());
        assert!(
            !report.err.contains("nterrupted"),
            "{args:?} {}",
            report.err
        );
    }
}

/// A catalogue of which every link changes, and what it becomes.
fn changing() -> (String, String) {
    let record = |n: usize, link: &str| format!("=001  {n}\n=856  40$u{link}{n}\n\n");
    let all = |link: &str| (0..20_000).map(|n| record(n, link)).collect();
    (all("http//a.example/"), all("http://a.example/"))
}

/// Between any two steps of `--in-place` the program is killed, or asked to end: the file is
/// the old one or the new one, and where it is the new one, or a backup is there, the backup
/// is the old one. Nothing else looks like a catalogue.
#[test]
fn a_signal_at_any_step_leaves_whole_files() {
    let bench = Bench::new();
    let (old, new) = changing();
    for (signal, code) in [(libc_signal::KILL, -1), (libc_signal::TERM, 143)] {
        let mut reached = 0;
        for step in (1..).step_by(thorough::step(6)) {
            let folder = tempfile::tempdir().unwrap();
            let (path, backup) = (folder.path().join("a.mrk"), folder.path().join("a.mrk.bak"));
            fs::write(&path, &old).unwrap();
            fs::write(&backup, "older").unwrap();
            let name = path.to_str().unwrap();
            let args = [
                "catalog",
                "fix",
                "--only",
                "missing-colon",
                "-j",
                "1",
                "--in-place",
                name,
            ];
            let fault = format!("signal:{signal}:{step}");
            let ran = bench.run(&fault, Path::new("none"), &args, Stdio::null());
            let what = format!("{fault}: {} {}", ran.code, ran.err);
            let (found, kept) = (fs::read_to_string(&path), fs::read_to_string(&backup));
            let next = fs::read_to_string(folder.path().join("a.mrk.bak.1")).ok();
            let found = found.unwrap();
            assert!(found == old || found == new, "{what}");
            assert_eq!(kept.unwrap(), "older", "{what}");
            let is_old = |next: &String| *next == old;
            assert!(next.as_ref().map_or(found == old, is_old), "{what}");
            for entry in fs::read_dir(folder.path()).unwrap() {
                let name = entry.unwrap().file_name().into_string().unwrap();
                let is_known = ["a.mrk", "a.mrk.bak", "a.mrk.bak.1"].contains(&&*name);
                // What the program cannot remove any more is hidden, or says what it is.
                let is_left = name.starts_with('.') || name.ends_with(".tmp");
                assert!(
                    is_known || signal == libc_signal::KILL && is_left,
                    "{what}: {name}"
                );
            }
            if ran.code == 0 {
                assert!(found == new && next.is_some(), "{what}");
                break;
            }
            assert_eq!(ran.code, code, "{what}");
            reached = step;
        }
        // Writing, syncing, two names, and what is said of it.
        assert!(reached > 6, "{signal}: {reached} steps");
    }
}

/// The names in a folder and what the files have.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    let mut contents: Vec<_> = entries
        .map(|entry| {
            let name = entry.file_name().into_string().unwrap();
            (name, fs::read(entry.path()).unwrap())
        })
        .collect();
    contents.sort();
    contents
}

/// All outputs of a run appear, or all are what they were, whichever renaming fails.
#[test]
fn a_renaming_that_fails_takes_all_outputs_back() {
    let bench = Bench::new();
    let page = bench.folder.path().join("page.html");
    fs::write(&page, "<html><a href='http://b.example/'>b</a>").unwrap();
    let catalog = bench.folder.path().join("a.mrk");
    fs::write(&catalog, "=001  1\n=856  40$uhttp//a.example/\n\n").unwrap();
    let (page, catalog) = (page.to_str().unwrap(), catalog.to_str().unwrap());
    let links = ["links", "--base", "http://a.example/", page];
    let fix = ["catalog", "fix", "--only", "missing-colon", catalog];
    let lists = ["normalize", catalog];
    for (args, outputs) in [
        (&links[..], &["-o", "--graph", "--errors"][..]),
        (&fix, &["-o", "--log", "--errors"]),
        (&lists, &["-o", "--errors"]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let names = ["out.txt", "two", "three"].map(|name| folder.path().join(name));
        let mut args: Vec<&str> = args.to_vec();
        for (flag, name) in outputs.iter().zip(&names) {
            let name = match *flag {
                "--graph" => folder.path(),
                _ => name,
            };
            args.extend([flag, name.to_str().unwrap()]);
        }
        let count = outputs.len() + usize::from(outputs.contains(&"--graph"));
        for round in 0..2 {
            // New files, then ones that are replaced, of which one is not there.
            if round == 1 {
                let made = contents(folder.path());
                assert_eq!(made.len(), count, "{args:?}");
                for (name, _) in &made {
                    fs::write(folder.path().join(name), format!("old {name}")).unwrap();
                }
                fs::remove_file(folder.path().join(&made[0].0)).unwrap();
            }
            let before = contents(folder.path());
            for number in 1..=count {
                let fault = format!("rename:{number}");
                let ran = bench.run(&fault, Path::new("none"), &args, Stdio::null());
                assert_eq!(ran.code, 2, "{args:?} {number}");
                assert!(ran.err.contains("(os error 5)"), "{args:?} {}", ran.err);
                let after = contents(folder.path());
                assert!(after == before, "{args:?} {number} {:?}", after);
            }
            let ran = bench.run("none", Path::new("none"), &args, Stdio::null());
            assert!(ran.code < 2, "{args:?} {}", ran.err);
            assert_eq!(contents(folder.path()).len(), count);
        }
    }
}

mod libc_signal {
    pub const KILL: i32 = 9;
    pub const TERM: i32 = 15;
}

/// With `--line-buffered` each record's rows are a write of their own.
#[test]
fn rows_of_each_record_are_written_at_once() {
    let bench = Bench::new();
    let path = bench.folder.path().join("a.mrk");
    fs::write(&path, changing().1).unwrap();
    let args = [
        "catalog",
        "list",
        "--no-groups",
        "-j",
        "1",
        path.to_str().unwrap(),
    ];
    let args = [&args[..], &["--line-buffered"]].concat();
    for rows in [1, 2, 5] {
        let fault = format!("signal:{}:{}", libc_signal::KILL, rows + 1);
        let ran = bench.run(&fault, Path::new("none"), &args, Stdio::null());
        assert_eq!(ran.out.lines().count(), 1 + rows, "{}", ran.out);
        assert_eq!(ran.code, -1);
    }
}
