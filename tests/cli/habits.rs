//! Flags that users of grep, git and man type without looking them up.

use crate::program::run;
use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;
use urisieve::input::Source;
use urisieve::{Mode, Sieve, each};

/// A directory with three files: two hold `http://a.example/`, one holds nothing.
fn files() -> (TempDir, [String; 3]) {
    let root = tempfile::tempdir().unwrap();
    let paths = ["a.txt", "b.txt", "c.txt"].map(|name| root.path().join(name));
    fs::write(&paths[0], "http://a.example/ http://a.example/ urn:a-b:c\n").unwrap();
    fs::write(&paths[1], "nothing\n").unwrap();
    fs::write(&paths[2], "http://a.example/ http://c.example/\n").unwrap();
    let paths = paths.map(|path| path.to_str().unwrap().to_owned());
    (root, paths)
}

/// The arguments with the paths of the files.
fn with<'a>(args: &[&'a str], paths: &'a [String]) -> Vec<&'a str> {
    let paths = paths.iter().map(String::as_str);
    args.iter().copied().chain(paths).collect()
}

/// What is printed, with one, two and eight threads.
fn print(args: &[&str], paths: &[String]) -> String {
    let report = ["1", "2", "8"].map(|threads| {
        let ran = run(&with(&[args, &["-j", threads]].concat(), paths), b"");
        assert!(ran.code < 2, "{args:?}: {}", ran.err);
        assert_eq!(ran.code == 1, ran.out.is_empty() || ran.out == "0\n");
        ran.out
    });
    assert!(report.iter().all(|out| *out == report[0]), "{args:?}");
    let [out, ..] = report;
    out
}

#[test]
fn help_names_a_command() {
    let wanted = run(&["dedup", "--help"], b"");
    let ran = run(&["help", "dedup"], b"");
    assert_eq!((ran.code, ran.out), (0, wanted.out));
    assert_eq!(run(&["help"], b"").out, run(&["--help"], b"").out);
    let ran = run(&["help", "dedpu"], b"");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("did you mean the command 'dedup'?"),
        "{}",
        ran.err
    );
    // A file of this name is still read.
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("help"), "http://a.example/").unwrap();
    let output = std::process::Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
        .arg("./help")
        .current_dir(root.path())
        .output()
        .unwrap();
    assert_eq!(output.stdout, b"http://a.example/\n");
}

#[test]
fn a_mistyped_command_names_the_nearest() {
    let hint = |args: &[&str], hint: &str| {
        let ran = run(args, b"");
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.err.contains(hint), "{args:?}: {}", ran.err);
    };
    hint(&["dedpu"], "did you mean the command 'dedup'?");
    hint(&["normalise"], "did you mean the command 'normalize'?");
    hint(
        &["dedpu", "--canonical", "x"],
        "tip: did you mean the command 'dedup'?",
    );
    hint(
        &["dedup", "--canonial"],
        "tip: a similar argument exists: '--canonical'",
    );
    hint(&["--jsn"], "tip: a similar argument exists: '--json'");
    // What else was named is read all the same.
    let (_root, paths) = files();
    let ran = run(&["dedpu", &paths[2]], b"");
    assert_eq!((ran.code, ran.out.lines().count()), (2, 2));
    assert!(ran.err.contains("the command 'dedup'"), "{}", ran.err);
    assert_eq!(run(&["-q", "dedpu", &paths[2]], b"").code, 0);
    let ran = run(&["no-such-file"], b"");
    assert!(!ran.err.contains("did you mean"), "{}", ran.err);
}

#[test]
fn what_is_said_of_against_is_right() {
    let ran = run(&["normalize", "--against", "x"], b"");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err
            .contains("'--against' is an option of extract, links, report, dedup"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("to pass '--against'"), "{}", ran.err);
    let ran = run(&["dedup", "-", "--against", "-"], b"");
    assert!(
        ran.err.contains("name a file for one of them"),
        "{}",
        ran.err
    );
    // The file of --against lacks the column, not the one that is read.
    let (_root, [_, known, _]) = files();
    let args = ["dedup", "--csv-column", "url", "--against", &known];
    let ran = run(&args, b"url\nhttp://a.example/\n");
    assert_eq!(ran.code, 2);
    let wanted = format!("urisieve: --against {known}: there is no column \"url\"");
    assert!(ran.err.starts_with(&wanted), "{}", ran.err);
}

#[cfg(unix)]
#[test]
fn a_loop_of_links_is_named() {
    let root = tempfile::tempdir().unwrap();
    fs::create_dir(root.path().join("a")).unwrap();
    std::os::unix::fs::symlink("..", root.path().join("a/up")).unwrap();
    fs::write(root.path().join("a/x"), "http://a.example/").unwrap();
    let dir = root.path().to_str().unwrap();
    let ran = run(&["--follow", dir], b"");
    assert_eq!((ran.code, &*ran.out), (2, "http://a.example/\n"));
    let wanted = format!("urisieve: {dir}/a/up: a symbolic link back to {dir}, which contains it");
    assert!(ran.err.contains(&wanted), "{}", ran.err);
}

/// The output of a run, both streams, when its standard input is a terminal that ends
/// at once; `None` without a program that creates a terminal.
#[cfg(target_os = "linux")]
fn at_terminal(args: &str) -> Option<String> {
    let program = assert_cmd::cargo::cargo_bin!("urisieve");
    let line = format!("'{}' {args}", program.display());
    let output = std::process::Command::new("script")
        .args(["-qec", &line, "/dev/null"])
        .stdin(std::process::Stdio::null())
        .output();
    Some(String::from_utf8_lossy(&output.ok()?.stdout).into_owned())
}

#[cfg(target_os = "linux")]
#[test]
fn the_keyboard_is_named() {
    let said = "urisieve: reading standard input; ^D ends it; see --help for examples";
    for args in ["", "normalize", "dedup", "resolve --base http://a/"] {
        let Some(out) = at_terminal(args) else { return };
        assert!(out.contains(said), "{args}: {out:?}");
    }
    for args in [
        "-q",
        "--no-messages",
        "-",
        "dedup --no-messages",
        "/dev/null",
    ] {
        let Some(out) = at_terminal(args) else { return };
        assert!(!out.contains("reading standard input"), "{args}: {out:?}");
    }
    assert_eq!(run(&[], b"http://a.example/").err, "");
}

#[test]
fn every_command_has_a_manual_page() {
    for name in [
        "",
        "-extract",
        "-normalize",
        "-dedup",
        "-explain",
        "-resolve",
    ] {
        let page = run(&["--generate", &format!("man{name}")], b"").out;
        let sections: Vec<&str> = page.lines().filter(|l| l.starts_with(".SH ")).collect();
        assert!(page.contains(&format!(".TH urisieve{name} 1")), "{page}");
        for wanted in ["NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES", "\"EXIT STATUS\""] {
            let wanted = format!(".SH {wanted}");
            assert!(sections.contains(&&*wanted), "{name}: {sections:?}");
        }
        assert_eq!(page.matches(".ds Aq").count(), 2, "{page}");
        assert!(!sections.contains(&".SH EXTRA"));
        assert!(!page.contains("urisieve\\-help"), "{page}");
    }
    let page = run(&["--generate", "man-dedup"], b"").out;
    assert!(page.contains("\\-\\-csv\\-column"), "{page}");
    assert_eq!(run(&["--generate", "man-formats"], b"").code, 0);
}

#[test]
fn flags_of_grep_that_change_nothing() {
    let text = b"\0http://a.example/";
    let wanted = run(&["--all"], text).out;
    for flag in ["-r", "--recursive", "-a", "--text", "-ra"] {
        let ran = run(&["--all", flag], text);
        assert_eq!((ran.code, ran.out), (0, wanted.clone()), "{flag}");
    }
    assert!(!run(&["-h"], b"").out.contains("--recursive"));
    assert!(run(&["--help"], b"").out.contains("--recursive"));
    assert_eq!(
        run(&["-f", "json"], text).out,
        run(&["-f", "jsonl"], text).out
    );
    assert_eq!(run(&["-f", "json"], text).code, 0);
}

#[test]
fn names_of_inputs_that_hold_a_uri() {
    let (root, paths) = files();
    let [a, _, c] = &paths;
    assert_eq!(print(&["-l"], &paths), format!("{a}\n{c}\n"));
    assert_eq!(print(&["-l", "-0"], &paths), format!("{a}\0{c}\0"));
    assert_eq!(print(&["-l", "-s", "urn"], &paths), format!("{a}\n"));
    assert_eq!(
        print(&["-l", "--host", "c.example"], &paths),
        format!("{c}\n")
    );
    assert_eq!(print(&["-l", "-m", "0"], &paths), "");
    assert_eq!(print(&["-l", "-s", "ftp"], &paths), "");
    let twice = [a.clone(), a.clone()];
    assert_eq!(print(&["-l"], &twice), format!("{a}\n{a}\n"));
    let ran = run(&["-l"], b"http://a.example/");
    assert_eq!((ran.code, &*ran.out), (0, "(standard input)\n"));
    let ran = run(&["-l", "--label", "x", "--unordered"], b"http://a.example/");
    assert_eq!(ran.out, "x\n");
    let ran = run(&with(&["-l", "no/such"], &paths), b"");
    assert_eq!((ran.code, ran.out), (2, format!("{a}\n{c}\n")));
    for wrong in ["-c", "--json", "-n", "--groups", "--sort"] {
        assert_eq!(run(&["-l", wrong], b"").code, 2, "{wrong}");
    }
    assert_eq!(run(&["-l", "-f", "csv"], b"").code, 2);
    assert_eq!(run(&["-l", "-o", "x.csv"], b"").code, 2);
    let list = root.path().join("names.txt");
    let args = ["-l", "-o", list.to_str().unwrap(), a];
    assert_eq!(run(&args, b"").code, 0);
    assert_eq!(fs::read_to_string(list).unwrap(), format!("{a}\n"));
}

#[test]
fn at_most_so_many_of_an_input() {
    let (_root, paths) = files();
    let one = "http://a.example/\n";
    assert_eq!(print(&["--all", "-m", "1"], &paths), [one, one].concat());
    assert_eq!(
        print(&["--all", "-m", "2"], &paths),
        [one, one, one, "http://c.example/\n"].concat()
    );
    // Each class once: what is printed counts, not what repeats.
    assert_eq!(
        print(&["-m", "1"], &paths),
        [one, "http://c.example/\n"].concat()
    );
    assert_eq!(print(&["-m", "9"], &paths), print(&[], &paths));
    assert_eq!(print(&["-m", "0"], &paths), "");
    let known = ["--against", &paths[2], "-m", "1"];
    assert_eq!(print(&known, &paths), "urn:a-b:c\n");
    assert_eq!(run(&["-m", "1", "--groups"], b"").code, 2);
    assert_eq!(run(&["-m", "1", "-c"], b"").code, 2);
}

#[test]
fn what_lies_beyond_the_limit_does_not_count_as_seen() {
    // Other workers have read much of the first file when its limit is reached.
    let root = tempfile::tempdir().unwrap();
    let line = |n: u32| format!("see http://h{n}.example/ and so on\n");
    let text: String = (0..60_000).map(line).collect();
    let paths = ["first", "second", "third"].map(|name| root.path().join(name));
    fs::write(&paths[0], &text).unwrap();
    fs::write(
        &paths[1],
        (59_000..59_010).rev().map(line).collect::<String>(),
    )
    .unwrap();
    fs::write(&paths[2], &text).unwrap();
    let paths = paths.map(|path: PathBuf| path.to_str().unwrap().to_owned());
    let hosts = |numbers: &[u32]| -> String {
        let uri = |n: &u32| format!("http://h{n}.example/\n");
        numbers.iter().map(uri).collect()
    };
    assert_eq!(
        print(&["-m", "2"], &paths),
        hosts(&[0, 1, 59_009, 59_008, 2, 3])
    );
    assert_eq!(
        print(&["-m", "2", "--unordered"], &paths),
        hosts(&[0, 1, 59_009, 59_008, 2, 3])
    );
}

/// By the library, with blocks of any size: the first findings of each input, distinct
/// in the order in which they are printed.
#[test]
fn a_limit_is_kept_with_any_blocks_and_threads() {
    let words = [
        "http://a/ ",
        "http://b/ ",
        "<http://a/\nb> ",
        "x ",
        "urn:a-b:c\n",
    ];
    let mut random = 7_u32;
    let mut text = || -> String {
        let word = |_| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            words[(random >> 16) as usize % words.len()]
        };
        (0..40).map(word).collect()
    };
    for _ in 0..20 {
        let texts = [text(), String::new(), text(), text()];
        let sources = || texts.each_ref().map(|text| Source::Slice(text.as_bytes()));
        let mut all = Vec::new();
        let sieve = Sieve::builder().mode(Mode::All).build();
        let keep = &mut each(|f| all.push((f.input, f.offset, f.uri.to_vec())));
        sieve.run(sources(), keep).unwrap();
        for (mode, most, known) in [
            (Mode::All, 3, 0),
            (Mode::Distinct, 2, 0),
            (Mode::Distinct, 1, 1),
            (Mode::Distinct, 0, 0),
        ] {
            let (mut seen, mut given) = (HashSet::new(), [0; 4]);
            let mut wanted = Vec::new();
            for (input, offset, uri) in &all {
                let is_known = *input < known;
                if !is_known && given[*input] == most {
                    continue;
                }
                let is_new = seen.insert(uri.clone()) || mode == Mode::All;
                if is_new && !is_known {
                    given[*input] += 1;
                    wanted.push((*input, *offset));
                }
            }
            for (block, threads) in [(1, 1), (7, 2), (50, 3), (1 << 16, 4)] {
                let sieve = Sieve::builder()
                    .mode(mode)
                    .max_findings(Some(most))
                    .known_inputs(known);
                let sieve = sieve.block_size(block).threads(threads).build();
                let mut report = Vec::new();
                let keep = &mut each(|f| report.push((f.input, f.offset)));
                sieve.run(sources(), keep).unwrap();
                assert_eq!(report, wanted, "{mode:?} {most} {block} {threads}");
            }
        }
    }
}

#[test]
fn a_limit_ends_reading() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("log");
    let text: String = (0..400_000)
        .map(|n| format!("http://h{n}.example/\n"))
        .collect();
    fs::write(&path, &text).unwrap();
    for flags in [&["-m", "1"][..], &["-l"], &["--all", "-m", "1"]] {
        let args = [flags, &["-j", "1", "--stats", path.to_str().unwrap()]].concat();
        let ran = run(&args, b"");
        let all = run(&["-j", "1", "--stats", path.to_str().unwrap()], b"");
        let read = |err: &str| -> u64 {
            let line = err.lines().find(|line| line.contains("bytes")).unwrap();
            let digits: String = line.chars().filter(char::is_ascii_digit).collect();
            digits.parse().unwrap()
        };
        assert!(
            read(&ran.err) < read(&all.err) / 4,
            "{flags:?}: {}",
            ran.err
        );
    }
}

/// The rest of an input behind the last URI that is printed does not affect the exit code,
/// messages and numbers, however much of it was read.
#[test]
fn damage_behind_the_limit_does_not_count() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("log.gz");
    let mut text = b"http://a.example/\nhttp://b.example/\n".to_vec();
    text.extend((0..30_000_u32).flat_map(|n| n.wrapping_mul(0x9E37_79B9).to_le_bytes()));
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    std::io::Write::write_all(&mut writer, &text).unwrap();
    let bytes = writer.finish().unwrap();
    fs::write(&path, &bytes[..bytes.len() - 9]).unwrap();
    let path = path.to_str().unwrap();
    assert_eq!(run(&[path], b"").code, 2);
    for flags in [
        &["-m", "1"][..],
        &["-l"],
        &["-m", "2"],
        &["--all", "-c", "-m", "2"],
    ] {
        for threads in ["1", "2", "4"] {
            let args = [flags, &["-j", threads, "--stats", path]].concat();
            let ran = run(&args, b"");
            assert_eq!(ran.code, 0, "{args:?}: {}", ran.err);
            assert!(!ran.err.contains("truncated"), "{args:?}: {}", ran.err);
        }
    }
    let ran = run(&["-m", "3", path], b"");
    assert_eq!(
        (ran.code, ran.err.contains("truncated")),
        (2, true),
        "{}",
        ran.err
    );
}

/// A writer that pauses without ending does not keep the run from ending.
#[cfg(unix)]
#[test]
fn a_limit_ends_a_run_over_a_pipe_that_stays_open() {
    use std::io::Write;
    use std::process::{Command, Stdio};
    for threads in ["1", "4"] {
        let mut child = Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
            .args(["-m", "1", "-j", threads])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin
            .write_all(b"http://a.example/\nhttp://b.example/\n")
            .unwrap();
        stdin.flush().unwrap();
        let output = child.wait_with_output().unwrap();
        drop(stdin);
        assert_eq!(output.stdout, b"http://a.example/\n", "-j {threads}");
    }
}

#[test]
fn counts_of_grep() {
    let (_root, paths) = files();
    let [a, _, c] = &paths;
    let by_file = format!("3\t{a}\n2\t{c}\n");
    assert_eq!(print(&["-cH"], &paths), by_file);
    assert_eq!(print(&["-c", "--by", "file"], &paths), by_file);
    assert_eq!(print(&["--all", "-cH"], &paths), by_file);
    assert_eq!(run(&with(&["-cH", "--by", "host"], &paths), b"").code, 2);
    assert_eq!(print(&["--all", "-c"], &paths), "5\n");
    assert_eq!(print(&["--all", "-c", "-s", "urn"], &paths), "1\n");
    assert_eq!(print(&["--all", "-c", "-m", "1"], &paths), "2\n");
    assert_eq!(print(&["--all", "-c", "-s", "ftp"], &paths), "0\n");
    let by_host = print(&["-c", "--by", "host"], &paths);
    assert_eq!(print(&["--all", "-c", "--by", "host"], &paths), by_host);
    assert_eq!(run(&["--all", "-c", "--json"], b"").code, 2);
    assert_eq!(run(&["--all", "-c", "--top", "1"], b"").code, 2);
}

#[test]
fn lists_that_end_lines_with_nul() {
    let text = b"HTTP://a.example/\0http://a.example/\0 http://b.example/\n\0http://c.example/x";
    for flag in ["-z", "--null-data", "--zero-terminated"] {
        let ran = run(&["normalize", flag], text);
        assert_eq!(
            ran.out,
            "http://a.example/\0http://a.example/\0http://b.example/\0http://c.example/x\0"
        );
        assert_eq!(ran.code, 0, "{}", ran.err);
    }
    let ran = run(&["dedup", "-z"], text);
    assert_eq!(
        ran.out,
        "HTTP://a.example/\0http://b.example/\0http://c.example/x\0"
    );
    // Short values between NULs are not UTF-16.
    let ran = run(&["normalize", "-z"], b"a\0b\0");
    assert_eq!(ran.out, "a\0b\0");
    let ran = run(&["resolve", "-z", "--base", "http://a/b/c"], b"g\0#\0");
    assert_eq!(ran.out, "http://a/b/g\0http://a/b/c#\0");
    let ran = run(&["resolve", "-z", "--base", "http://a/b/"], b"c\0../d\0");
    assert_eq!(ran.out, "http://a/b/c\0http://a/d\0");
    let args = ["dedup", "-z", "--csv-column", "url"];
    assert_eq!(run(&args, b"url\n").code, 2);
    // A line that holds a line feed is one, and no URI.
    let ran = run(&["normalize", "-z"], b"http://a/\nb\0");
    assert_eq!((ran.code, &*ran.out), (1, "http://a/\nb\0"));
    let many: Vec<u8> = (0..40_000)
        .flat_map(|n| format!("http://h{n}.example/\0").into_bytes())
        .collect();
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("list");
    fs::write(&path, &many).unwrap();
    for threads in ["1", "4"] {
        let args = ["normalize", "-z", "-j", threads, path.to_str().unwrap()];
        assert!(run(&args, b"").out.as_bytes() == many, "-j {threads}");
    }
}

#[cfg(unix)]
#[test]
fn names_that_end_with_nul() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("two\nlines");
    fs::write(&path, "http://a.example/").unwrap();
    // One name without a NUL after it.
    let ran = run(
        &["-z", "--files-from", "-"],
        path.to_str().unwrap().as_bytes(),
    );
    assert_eq!((ran.code, &*ran.out), (0, "http://a.example/\n"));
    assert_eq!(run(&["-z"], b"").code, 2);
}
