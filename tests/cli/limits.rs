//! Limits of memory: the output is the same for every limit, the temporary file leaves
//! nothing behind, and what goes wrong with it is said.

use crate::program::{self, Ran, output_of, run};
use crate::thorough;
use std::fs;
use std::io::Read;
use std::path::Path;

/// Lines with repeats, near and far, in several spellings and of several lengths.
fn lines(number: usize) -> String {
    let line = |n: usize| {
        let id = n * 7919 % 6007;
        let host = id % 401;
        let scheme = ["http", "HTTP", "https"][id % 3];
        let more = "/x".repeat(id % 97 / 90 * 200);
        format!("{n} <{scheme}://www.Host{host}.example/a{more}?{id}> urn:x-y:{id}\n")
    };
    (0..number).map(line).collect()
}

/// The files of a folder, among them a known list, pages and a list.
fn files(folder: &Path) {
    let put = |name: &str, text: &str| fs::write(folder.join(name), text).unwrap();
    put("a.txt", &lines(9000));
    put("b.txt", &lines(4000));
    let known: String = (0..9000)
        .map(|id| format!("urn:x-y:{}\n", id * 3))
        .collect();
    put("known.txt", &known);
    let list: String = (0..20_000)
        .map(|n| format!("HTTP://A.example/{}\n", n * 7919 % 9001))
        .collect();
    put("list.txt", &list);
    let links: String = (0..12_000)
        .map(|n| {
            let (host, id) = (n * 31 % 4001, n * 17 % 5003);
            format!("<a href='http://h{host}.example/{id}'>x</a>")
        })
        .collect();
    put("page.html", &format!("<!doctype html><html>{links}"));
    let record = |n: usize| {
        let (id, day, minute) = (n * 7919 % 3001, n * 17 % 28 + 1, n % 60);
        let text = format!("http://a.example/{id} HTTP://a.example/{id}");
        let date = format!("2026-10-{day:02}T00:{minute:02}:00Z");
        let len = text.len();
        let head = format!("WARC/1.0\r\nWARC-Type: resource\r\nWARC-Date: {date}\r\n");
        format!("{head}Content-Length: {len}\r\n\r\n{text}\r\n\r\n")
    };
    let request = |n: usize| {
        let (id, day, minute) = (n * 7919 % 3001, n * 17 % 28 + 1, n % 60);
        let (client, status) = (n % 251, [200, 301, 404][n % 3]);
        let time = format!("{day:02}/Oct/2026:00:{minute:02}:00 +0100");
        format!("a.example 192.0.2.{client} - - [{time}] \"GET /{id} HTTP/1.1\" {status} 5\n")
    };
    put("a.log", &(0..9000).map(request).collect::<String>());
    put("a.warc", &(0..6000).map(record).collect::<String>());
}

/// Runs that keep something of each class, as arguments.
const RUNS: &[&[&str]] = &[
    &["a.txt", "b.txt"],
    &["-n", "a.txt", "b.txt"],
    &["--json", "a.txt", "b.txt"],
    &["--original", "-b", "a.txt", "b.txt"],
    &["--sort", "b.txt", "a.txt"],
    &["--sort", "--json", "b.txt", "a.txt"],
    &["-c", "a.txt", "b.txt"],
    &["-c", "--sort", "a.txt", "b.txt"],
    &["-c", "--top", "30", "--json", "a.txt", "b.txt"],
    &["-c", "--by", "host", "a.txt", "b.txt"],
    &["--groups", "a.txt", "b.txt"],
    &["--groups", "--json", "--top", "99", "-c", "a.txt", "b.txt"],
    &["-c", "--json", "a.warc"],
    &["-c", "--json", "a.log"],
    &["--json", "--status", "2xx", "a.log"],
    &["-c", "--by", "client", "a.log"],
    &["-c", "--groups", "--json", "a.warc"],
    &["--against", "known.txt", "a.txt", "b.txt"],
    &["-c", "--against", "known.txt", "a.txt", "b.txt"],
    &["dedup", "list.txt"],
    &["dedup", "--groups", "list.txt"],
    &["links", "--base", "http://b.example/", "page.html"],
    &[
        "links",
        "--node",
        "host",
        "--base",
        "http://b.example/",
        "page.html",
    ],
    &[
        "links",
        "--base",
        "http://b.example/",
        "--json",
        "page.html",
    ],
];

fn run_in(folder: &Path, args: &[&str], more: &[&str]) -> Ran {
    let mut program = program::program(args);
    program.args(more).current_dir(folder);
    output_of(program.env("TMPDIR", folder.join("tmp")))
}

/// Runs the program under a limit of the shell, like `-f 64`.
#[cfg(unix)]
fn run_limited(folder: &Path, limit: &str, args: &[&str]) -> Ran {
    let program = assert_cmd::cargo::cargo_bin("urisieve");
    let script = format!("ulimit {limit}; exec \"$0\" \"$@\"");
    let mut shell = assert_cmd::Command::new("sh");
    shell.args(["-c", &script]).arg(program).args(args);
    output_of(shell.current_dir(folder).env("TMPDIR", folder.join("tmp")))
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    fs::create_dir(folder.path().join("tmp")).unwrap();
    folder
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder.join("tmp")).unwrap().next().is_none()
}

/// Returns how many bytes were written to the temporary file, by the statistics.
fn temporary_bytes(err: &str) -> u64 {
    let json = err.lines().find(|line| line.starts_with('{'));
    let field = |line: &str| {
        let numbers: serde_json::Value = serde_json::from_str(line).ok()?;
        numbers["temporary_bytes"].as_u64()
    };
    let in_text = || {
        let line = err
            .lines()
            .find(|line| line.ends_with(" temporary_bytes"))?;
        line.split_whitespace().next()?.parse().ok()
    };
    json.and_then(field).or_else(in_text).unwrap_or(0)
}

#[test]
fn the_output_is_the_same_for_every_limit() {
    let folder = folder();
    let (mut all, mut spilled) = (0, 0);
    for (number, args) in RUNS.iter().enumerate() {
        let wanted = run_in(folder.path(), args, &["--max-memory", "none"]);
        assert_eq!(wanted.code, 0, "{args:?}: {}", wanted.err);
        let limits = [("2K", "1"), ("60K", "2"), ("300K", "8")];
        for (limit, threads) in thorough::part(limits, 3, number) {
            all += 1;
            let more = ["--max-memory", limit, "-j", threads, "--stats"];
            let ran = run_in(folder.path(), args, &more);
            assert!(ran.out == wanted.out, "{args:?} {limit} {threads}");
            assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
            spilled += usize::from(temporary_bytes(&ran.err) > 0);
            assert!(is_empty(folder.path()), "{args:?}");
        }
    }
    // In most runs, though not where few classes are left.
    assert!(3 * spilled > all, "{spilled} of {all}");
}

/// Fingerprints find the same classes, whatever of them is deferred.
#[test]
fn fingerprints_do_not_change_the_output() {
    let folder = folder();
    let keeps_uris = |arg: &&str| ["-c", "--groups"].contains(arg);
    let compared = RUNS.iter().filter(|args| !args.iter().any(keeps_uris));
    let more: [&[&str]; 2] = [
        &["-m", "2000", "a.txt", "b.txt"],
        &["dedup", "--against", "known.txt", "list.txt"],
    ];
    let mut spilled = 0;
    for (number, args) in compared.chain(&more).enumerate() {
        let wanted = run_in(folder.path(), args, &["--max-memory", "none"]);
        assert!(wanted.code == 0 && !wanted.out.is_empty(), "{args:?}");
        let limits = [("none", "1"), ("2K", "1"), ("60K", "2"), ("none", "8")];
        for (limit, threads) in thorough::part(limits, 2, number) {
            if args[0] == "-m" && limit != "none" {
                // What it keeps must be in memory.
                continue;
            }
            let hashed = ["--dedup", "hash128", "--max-memory", limit, "-j", threads];
            let ran = run_in(folder.path(), args, &[&hashed[..], &["--stats"]].concat());
            assert!(ran.out == wanted.out, "{args:?} {limit} {threads}");
            assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
            assert!(
                ran.err.contains("collision_probability"),
                "{args:?}: {}",
                ran.err
            );
            spilled += usize::from(temporary_bytes(&ran.err) > 0);
        }
    }
    assert!(spilled > 10, "{spilled}");
    let refused: [(&[&str], &str); 5] = [
        (&["-c"], "not with -c and --groups"),
        (&["--groups"], "not with -c and --groups"),
        (&["-c", "--by", "host"], "not with -c and --groups"),
        (&["--all"], "not with --all and -l"),
        (&["-l"], "not with --all and -l"),
    ];
    for (args, reason) in refused {
        let ran = run_in(folder.path(), args, &["--dedup", "hash128", "a.txt"]);
        assert_eq!((ran.code, &ran.out[..]), (2, ""), "{args:?}");
        assert!(ran.err.contains(reason), "{}", ran.err);
    }
    for args in [
        &["dedup", "--groups", "list.txt"][..],
        &["links", "-c", "page.html"],
    ] {
        let ran = run_in(folder.path(), args, &["--dedup", "hash128"]);
        assert!(ran.code == 2 && ran.err.contains("not with -c and --groups"));
    }
}

#[test]
fn an_unordered_run_prints_each_class_once() {
    let folder = folder();
    let sorted = |ran: &Ran| {
        let mut lines: Vec<String> = ran.out.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let args = ["--unordered", "a.txt", "b.txt"];
    let wanted = sorted(&run_in(folder.path(), &args, &["--max-memory", "none"]));
    for (threads, dedup) in [
        ("1", "exact"),
        ("2", "exact"),
        ("8", "exact"),
        ("2", "hash128"),
    ] {
        let more = ["--max-memory", "60K", "-j", threads, "--dedup", dedup];
        let ran = run_in(folder.path(), &args, &more);
        assert!(sorted(&ran) == wanted, "{threads}");
        assert!(ran.err.contains("memory limit"), "{}", ran.err);
    }
}

#[test]
fn it_is_said_once_when_the_limit_is_reached() {
    let folder = folder();
    let ran = run_in(folder.path(), &["a.txt"], &["--max-memory", "60K"]);
    let said = "urisieve: the memory limit is reached: further URIs are printed when all \
                inputs are read (--max-memory raises the limit)\n";
    assert_eq!(ran.err, said);
    for silent in [&["-c"][..], &["--sort"], &["--no-messages"], &["-q"]] {
        let args = [silent, &["a.txt"][..]].concat();
        let ran = run_in(folder.path(), &args, &["--max-memory", "60K"]);
        assert_eq!(ran.err, "", "{silent:?}");
    }
    // With room for all, nothing is written.
    let ran = run_in(
        folder.path(),
        &["a.txt"],
        &["--max-memory", "1G", "--stats"],
    );
    assert_eq!(temporary_bytes(&ran.err), 0);
    assert!(!ran.err.contains("limit"));
}

#[test]
fn wrong_values_are_refused() {
    for (args, message) in [
        (
            &["--max-memory", "1"][..],
            "--max-memory: at least 64M, or none",
        ),
        (
            &["--max-memory", "lots"],
            "--max-memory: \"lots\" is not a size",
        ),
        (
            &["-T", "/no/such/place"],
            "-T /no/such/place: is not a directory",
        ),
    ] {
        let ran = run(args, b"http://a.example/");
        assert!(ran.err.contains(message), "{}", ran.err);
        assert_eq!((ran.code, &ran.out[..]), (2, ""));
    }
}

/// What `-m` needs must be in memory.
#[test]
fn too_little_memory_for_a_maximum_is_an_error() {
    let folder = folder();
    let args = ["-m", "5000", "a.txt", "b.txt"];
    let wanted = run_in(folder.path(), &args, &[]);
    assert_eq!(wanted.code, 0);
    let ran = run_in(folder.path(), &args, &["--max-memory", "4M"]);
    assert!(ran.out == wanted.out, "{}", ran.err);
    let ran = run_in(folder.path(), &args, &["--max-memory", "60K"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("(-m); --max-memory raises it"),
        "{}",
        ran.err
    );
}

/// Where the file cannot be created, and where the disk is full at any moment.
#[cfg(target_os = "linux")]
#[test]
fn a_temporary_file_that_fails_is_an_error() {
    let folder = folder();
    let limit = ["--max-memory", "60K"];
    let ran = run_in(folder.path(), &["-T", "/proc", "a.txt"], &limit);
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("in /proc: ") && ran.err.contains("; -T names another directory"),
        "{}",
        ran.err
    );
    let wanted = run_in(folder.path(), &["a.txt", "b.txt"], &[]).out;
    let mut failed = 0;
    for run in [&[][..], &["-c"], &["--groups"], &["--sort", "--json"]] {
        for blocks in [0, 16, 64, 128, 300, 1 << 20] {
            let out = folder.path().join("out.txt");
            let _ = fs::remove_file(&out);
            let fixed = ["-j", "2", "-o", "out.txt", "a.txt", "b.txt"];
            let args = [&limit[..], run, &fixed].concat();
            // A file may grow to this many blocks of 512 bytes.
            let Ran { err, code, .. } = run_limited(folder.path(), &format!("-f {blocks}"), &args);
            if code == 0 {
                assert!(!run.is_empty() || fs::read_to_string(&out).unwrap() == wanted);
            } else {
                failed += 1;
                assert_eq!(code, 2, "{blocks}: {err}");
                assert!(!out.exists(), "{blocks}");
                assert!(err.contains("File too large"), "{blocks}: {err}");
            }
            assert!(is_empty(folder.path()));
        }
    }
    assert!(failed >= 8, "{failed}");
}

/// The file needs one handle, however many partitions it has.
#[cfg(unix)]
#[test]
fn few_handles_are_enough() {
    let folder = folder();
    let wanted = run_in(folder.path(), &["a.txt", "b.txt"], &[]).out;
    let args = ["--max-memory", "20K", "-j", "8", "a.txt", "b.txt"];
    let ran = run_limited(folder.path(), "-n 64", &args);
    assert!(ran.code == 0 && ran.out == wanted, "{}", ran.err);
}

/// Threads that have no room for their blocks are left out, which is counted.
#[test]
fn fewer_threads_work_where_there_is_little_memory() {
    let folder = folder();
    let more = ["--max-memory", "60K", "-j", "8", "--stats"];
    let ran = run_in(folder.path(), &["a.txt"], &more);
    let line = ran
        .err
        .lines()
        .find(|line| line.ends_with(" fewer_threads"));
    let threads: usize = line
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!((1..8).contains(&threads), "{threads}");
    let more = ["--max-memory", "none", "-j", "8", "--stats"];
    assert!(
        !run_in(folder.path(), &["a.txt"], &more)
            .err
            .contains("fewer")
    );
}

/// The arguments of a run that writes a graph into the folder `graph`.
const GRAPH: &[&str] = &[
    "links",
    "--base",
    "http://b.example/",
    "--graph",
    "graph",
    "page.html",
];

/// Returns the files of the graph, and removes them.
fn take_graph(folder: &Path) -> (Vec<u8>, Vec<u8>) {
    let take = |name: &str| {
        let path = folder.join("graph").join(name);
        let packed = fs::read(&path).unwrap();
        fs::remove_file(path).unwrap();
        let mut text = Vec::new();
        flate2::read::GzDecoder::new(&packed[..])
            .read_to_end(&mut text)
            .unwrap();
        text
    };
    let files = (take("vertices.txt.gz"), take("edges.txt.gz"));
    assert_eq!(fs::read_dir(folder.join("graph")).unwrap().count(), 0);
    files
}

#[test]
fn a_graph_is_the_same_for_every_limit() {
    let folder = folder();
    let run = |args: &[&str], more: &[&str]| {
        let ran = run_in(folder.path(), args, more);
        assert_eq!((ran.code, &*ran.out), (0, ""), "{more:?}: {}", ran.err);
        assert!(is_empty(folder.path()), "{more:?}");
        temporary_bytes(&ran.err)
    };
    for node in ["page", "host"] {
        let args = [GRAPH, &["--node", node, "--stats"]].concat();
        assert_eq!(run(&args, &["--max-memory", "none"]), 0);
        let wanted = take_graph(folder.path());
        assert!(wanted.0.len() > 50_000);
        for limit in ["2K", "60K"] {
            for threads in ["1", "8"] {
                let written = run(&args, &["--max-memory", limit, "-j", threads]);
                assert!(written > 0, "{node} {limit} {threads}");
                let files = take_graph(folder.path());
                assert!(files == wanted, "{node} {limit} {threads}");
            }
        }
    }
    // With half of the limit for itself, the sieve writes as much as without a graph.
    let args = ["links", "--base", "http://b.example/", "-o", "out.txt"];
    let args = [&args[..], &["--stats", "-j", "1", "page.html"]].concat();
    let alone = run(&args, &["--max-memory", "60K"]);
    let both = run(&args, &["--max-memory", "120K", "--graph", "graph"]);
    assert!(both > alone + 50_000, "{alone} bytes, with a graph {both}");
}

/// Where the disk is full at any moment, there is no graph.
#[cfg(target_os = "linux")]
#[test]
fn a_graph_is_complete_or_absent() {
    let folder = folder();
    run_in(folder.path(), GRAPH, &["--max-memory", "none"]);
    let wanted = take_graph(folder.path());
    let ran = run_in(
        folder.path(),
        GRAPH,
        &["-T", "/proc", "--max-memory", "60K"],
    );
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("; -T names another directory"),
        "{}",
        ran.err
    );
    let args = [GRAPH, &["--max-memory", "60K", "-j", "2"]].concat();
    let (mut failed, mut complete) = (0, 0);
    for blocks in [0, 16, 64, 128, 300, 500, 700, 900, 1200, 1 << 20] {
        let ran = run_limited(folder.path(), &format!("-f {blocks}"), &args);
        if ran.code == 0 {
            complete += 1;
            assert!(take_graph(folder.path()) == wanted, "{blocks}");
        } else {
            failed += 1;
            assert_eq!(ran.code, 2, "{blocks}: {}", ran.err);
            assert!(ran.err.contains("File too large"), "{blocks}: {}", ran.err);
            assert_eq!(
                fs::read_dir(folder.path().join("graph")).unwrap().count(),
                0
            );
        }
        assert!(is_empty(folder.path()), "{blocks}");
    }
    assert!(failed > 3 && complete > 0, "{failed}, {complete}");
}

/// Whenever a signal comes, no file is left, and what is printed is a part of the answer.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_leaves_nothing_behind() {
    use std::process::{Command, Stdio};
    use std::time::Duration;

    let folder = folder();
    let long = folder.path().join("long.txt");
    fs::write(&long, lines(30_000)).unwrap();
    let wanted = run_in(folder.path(), &["long.txt"], &[]).out;
    let wanted: std::collections::HashSet<&str> = wanted.lines().collect();
    let modes = [&[][..], &["-c"], &["--sort"]].into_iter().cycle();
    for (number, mode) in thorough::part((0..24).zip(modes), 2, 0) {
        let child = Command::new(assert_cmd::cargo::cargo_bin("urisieve"))
            .current_dir(folder.path())
            .env("TMPDIR", folder.path().join("tmp"))
            .args(mode)
            .args([
                "--max-memory",
                "60K",
                "-j",
                "2",
                "-o",
                "out.txt",
                "long.txt",
            ])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(10 * number));
        // It may have ended.
        let name = ["-INT", "-TERM", "-HUP"][number as usize % 3];
        let id = child.id().to_string();
        let _ = Command::new("kill").args([name, &id]).output().unwrap();
        let output = child.wait_with_output().unwrap();
        let out = folder.path().join("out.txt");
        let code = output.status.code();
        match fs::read_to_string(&out) {
            Ok(text) => {
                assert_eq!(code, Some(0));
                assert!(mode == ["-c"] || text.lines().all(|line| wanted.contains(line)));
                fs::remove_file(&out).unwrap();
            }
            // Before there is a handler, the signal kills.
            Err(_) => assert!(code.is_none_or(|code| code > 128), "{code:?}"),
        }
        assert!(is_empty(folder.path()), "{number}");
    }
}

/// A failed allocation would abort the program: a run keeps away from the limit, or says that
/// it cannot.
#[cfg(target_os = "linux")]
#[test]
fn a_limit_of_the_address_space_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    files(folder.path());
    let within = |kilobytes: u32, args: &str| {
        let program = assert_cmd::cargo::cargo_bin!("urisieve");
        let text = format!("ulimit -v {kilobytes}; exec \"$0\" {args}");
        let output = std::process::Command::new("sh")
            .args(["-c", &text])
            .arg(program)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), output.stdout, said)
    };
    for args in ["a.txt b.txt", "--sort a.txt", "-c a.txt", "dedup list.txt"] {
        let (code, out, said) = within(400_000, args);
        assert_eq!(code, Some(0), "{args}: {said}");
        let words: Vec<&str> = args.split(' ').collect();
        let whole = output_of(program::program(&words).current_dir(folder.path()));
        assert!(out == whole.out.as_bytes(), "{args}");
        let (code, _, said) = within(90_000, args);
        assert_eq!(code, Some(2), "{args}: {said}");
        assert!(said.contains("ulimit -v"), "{args}: {said}");
    }
    let (code, _, said) = within(400_000, "--max-memory 1G a.txt");
    assert_eq!(
        (code, said.contains("ulimit -v")),
        (Some(2), true),
        "{said}"
    );
    let (code, _, said) = within(400_000, "-j 64 a.txt");
    assert_eq!(
        (code, said.contains("ulimit -v")),
        (Some(2), true),
        "{said}"
    );
}
