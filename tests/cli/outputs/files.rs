//! Files that are written: their names and forms, what replaces what, and what stays of a run that
//! fails.

use super::*;
#[cfg(unix)]
use crate::signals::{has_read, signal};
use std::io::{Read, Write};

#[test]
fn the_name_of_the_file_chooses() {
    let folder = folder();
    let written = |name: &str, more: &[&str]| {
        let ran = run_in(folder.path(), &[&["-o", name], more].concat(), TEXT);
        assert_eq!(
            (ran.out.len(), &ran.err[..], ran.code),
            (0, "", 0),
            "{name}"
        );
        fs::read(folder.path().join(name)).unwrap()
    };
    for (name, format) in [
        ("a.txt", "text"),
        ("a", "text"),
        ("a.csv", "csv"),
        ("a.tsv", "tsv"),
        ("a.json", "jsonl"),
        ("a.JSONL", "jsonl"),
    ] {
        assert_eq!(written(name, &[]), run(&["-f", format], TEXT).out, "{name}");
    }
    assert_eq!(written("b.csv", &["--json"]), run(&["--json"], TEXT).out);
    assert_eq!(written("b.csv", &["-f", "text"]), run(&[], TEXT).out);
    let mut text = Vec::new();
    let packed = written("c.csv.gz", &[]);
    flate2::read::MultiGzDecoder::new(&packed[..])
        .read_to_end(&mut text)
        .unwrap();
    assert_eq!(text, run(&["-f", "csv"], TEXT).out);
    let packed = written("c.jsonl.zst", &[]);
    assert_eq!(
        zstd::decode_all(&packed[..]).unwrap(),
        run(&["--json"], TEXT).out
    );
    let table = written("c.parquet", &[]);
    assert!(table.starts_with(b"PAR1") && table.ends_with(b"PAR1"));
    // In a pipe it is allowed.
    assert_eq!(run(&["-f", "parquet"], TEXT).out, table);
    assert_eq!(
        run(&["-o", "-", "-f", "csv"], TEXT).out,
        run(&["-f", "csv"], TEXT).out
    );
    // The same extension twice is not two formats.
    for wrong in [
        &["-o", "a.parquet.gz"][..],
        &["-o", "a.csv.xz"],
        &["-o", "a", "-q"],
        &["--json", "-f", "csv"],
        &["-0", "-f", "csv"],
        &["-0", "-o", "a.csv"],
        &["-f", "yaml"],
        &["-f", "ecs", "--defang"],
        &["-o", "."],
        &["-o", "none/a.csv"],
    ] {
        let ran = run_in(folder.path(), wrong, TEXT);
        assert_eq!(ran.code, 2, "{wrong:?}");
        assert!(!ran.err.is_empty());
    }
}

#[test]
fn a_file_is_written_when_an_input_could_not_be_read() {
    let folder = folder();
    fs::write(folder.path().join("a.log"), TEXT).unwrap();
    let ran = run_in(folder.path(), &["-o", "b.txt", "none.log", "a.log"], b"");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("none.log"));
    assert_eq!(
        fs::read(folder.path().join("b.txt")).unwrap(),
        run(&[], TEXT).out
    );
    // An empty result is a result, too.
    let none = run_in(folder.path(), &["-o", "c.txt"], b"nothing");
    assert_eq!(
        (
            none.code,
            fs::read(folder.path().join("c.txt")).unwrap().len()
        ),
        (1, 0)
    );
    assert_eq!(names(folder.path()), ["a.log", "b.txt", "c.txt"]);
}

#[test]
fn an_input_may_be_the_output() {
    let folder = folder();
    let path = folder.path().join("a.txt");
    fs::write(&path, TEXT).unwrap();
    assert_eq!(
        run_in(folder.path(), &["a.txt", "-o", "a.txt"], b"").code,
        0
    );
    assert_eq!(fs::read(&path).unwrap(), run(&[], TEXT).out);
}

#[cfg(unix)]
#[test]
fn a_killed_run_leaves_nothing() {
    let folder = folder();
    for name in ["a.csv", "a.parquet", "a.txt.gz"] {
        let mut child = spawn(folder.path(), &["--all", "-o", name]);
        let mut input = child.stdin.take().unwrap();
        // More than the program buffers before it writes.
        let text = b"http://a.example/ urn:isbn:0395363411\n".repeat(50_000);
        input.write_all(&text).unwrap();
        child.kill().unwrap();
        child.wait().unwrap();
        let left = names(folder.path());
        assert!(!left.contains(&name.to_owned()), "{left:?}");
        // Where the file system supports unnamed files, nothing at all is left.
        assert!(left.iter().all(|name| name.starts_with('.')), "{left:?}");
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_the_file_as_it_was() {
    let folder = folder();
    fs::write(folder.path().join("old.csv"), "old").unwrap();
    let children = ["new.csv", "old.csv", "new.parquet"].map(|name| {
        let mut child = spawn(folder.path(), &["--all", "-o", name, "--stats"]);
        let mut input = child.stdin.take().unwrap();
        input.write_all(&TEXT.repeat(1000)).unwrap();
        // It stays open: only the interrupt ends the input.
        (child, input)
    });
    for (mut child, input) in children {
        has_read(&child, &input);
        signal(&child, &["-INT"]);
        assert_eq!(child.wait().unwrap().code(), Some(130));
        let mut report = String::new();
        let mut err = child.stderr.take().unwrap();
        err.read_to_string(&mut report).unwrap();
        assert!(report.contains("not written: interrupted\n"), "{report}");
        assert!(report.contains(" occurrences\n"), "{report}");
        assert!(!report.contains("output_bytes"), "{report}");
    }
    assert_eq!(names(folder.path()), ["old.csv"]);
    assert_eq!(fs::read(folder.path().join("old.csv")).unwrap(), b"old");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing() {
    let folder = folder();
    let text: String = (0..50_000)
        .map(|i| format!("http://{i}.example/{i}\n"))
        .collect();
    fs::write(folder.path().join("in.log"), text).unwrap();
    let program = assert_cmd::cargo::cargo_bin!("urisieve");
    for name in ["a.csv", "a.parquet", "a.jsonl.zst", "a.txt.gz"] {
        // Files longer than a block are not allowed, and the error is reported.
        let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" in.log -o \"$1\"";
        let output = std::process::Command::new("sh")
            .current_dir(folder.path())
            .args(["-c", script])
            .arg(program)
            .arg(name)
            .output()
            .unwrap();
        let report = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{report}");
        assert!(
            report.starts_with(&format!("urisieve: {name}: ")),
            "{report}"
        );
        assert_eq!(names(folder.path()), ["in.log"]);
    }
    let full = run(&["-o", "/dev/full"], TEXT);
    assert_eq!(full.code, 2);
    assert!(
        full.err.starts_with("urisieve: /dev/full: No space left"),
        "{}",
        full.err
    );
    assert_eq!(run(&["-o", "/dev/null"], TEXT).code, 0);
}

/// The file that a link names is made, with the mode of a file that is not there.
#[cfg(unix)]
#[test]
fn a_link_to_nothing_names_a_new_file() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let mode = |name: &str| fs::metadata(path(name)).unwrap().permissions().mode() & 0o7777;
    fs::write(path("plain"), "").unwrap();
    fs::create_dir(path("dir")).unwrap();
    symlink("dir/further", path("link")).unwrap();
    symlink("../made.txt", path("dir/further")).unwrap();
    symlink("dir/e.jsonl", path("errors")).unwrap();
    let args = ["-o", "link", "--errors", "errors", "none", "-"];
    assert_eq!(run_in(folder.path(), &args, TEXT).code, 2);
    assert_eq!(fs::read(path("made.txt")).unwrap(), run(&[], TEXT).out);
    assert!(
        fs::read_to_string(path("dir/e.jsonl"))
            .unwrap()
            .contains("none")
    );
    for name in ["made.txt", "dir/e.jsonl"] {
        assert_eq!(mode(name), mode("plain"), "{name}");
    }
    assert_eq!(
        names(folder.path()),
        ["dir", "errors", "link", "made.txt", "plain"]
    );
    // A file that is there keeps its mode.
    fs::set_permissions(path("made.txt"), fs::Permissions::from_mode(0o640)).unwrap();
    assert_eq!(run_in(folder.path(), &["-o", "link"], TEXT).code, 0);
    assert_eq!(mode("made.txt"), 0o640);
    symlink("round", path("round")).unwrap();
    let ran = run_in(folder.path(), &["-o", "round"], TEXT);
    assert!(
        ran.code == 2 && ran.err.contains("-o round: "),
        "{}",
        ran.err
    );
}

/// By any names: other spellings, symbolic and hard links.
#[cfg(unix)]
#[test]
fn two_outputs_are_not_one_file() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    let path = |name: &str| folder.path().join(name);
    let record = "=001  1\n=856  40$uhttp//a.example/\n\n";
    for (name, text) in [
        ("in", "http://a.example/"),
        ("a.mrk", record),
        ("old", "old"),
        (
            "t.csv",
            "file,record_no,tag,subfield,occurrence,original,suggestion\n",
        ),
    ] {
        fs::write(path(name), text).unwrap();
    }
    fs::create_dir_all(path("dir")).unwrap();
    symlink("old", path("soft")).unwrap();
    symlink("new", path("dangling")).unwrap();
    symlink("dir", path("folder")).unwrap();
    fs::hard_link(path("old"), path("hard")).unwrap();
    let whole = path("new");
    let whole = whole.to_str().unwrap();
    let before = names(folder.path());
    for (one, other) in [
        ("new", "new"),
        ("new", "./new"),
        ("new", "dir/../new"),
        ("new", whole),
        ("new", "dangling"),
        ("dir/new", "folder/new"),
        ("old", "soft"),
        ("old", "hard"),
        ("hard", "soft"),
    ] {
        for args in [
            &["in", "-o", one, "--errors", other][..],
            &["dedup", "in", "-o", other, "--errors", one],
            &["normalize", "in", "-o", one, "--errors", other],
            &["catalog", "list", "a.mrk", "-o", one, "--errors", other],
            &["catalog", "check", "a.mrk", "-o", other, "--errors", one],
            &[
                "catalog",
                "fix",
                "a.mrk",
                "--only",
                "missing-colon",
                "-o",
                one,
                "--log",
                other,
            ],
            &[
                "catalog",
                "fix",
                "a.mrk",
                "--only",
                "missing-colon",
                "-o",
                one,
                "--errors",
                other,
            ],
            &[
                "catalog",
                "fix",
                "a.mrk",
                "--only",
                "missing-colon",
                "--in-place",
                "--log",
                one,
                "--errors",
                other,
            ],
        ] {
            let ran = run_in(folder.path(), args, b"");
            assert_eq!(ran.code, 2, "{args:?}");
            assert!(
                ran.err.contains(" is the same file"),
                "{args:?} {}",
                ran.err
            );
            assert!(ran.out.is_empty());
            assert_eq!(names(folder.path()), before, "{args:?}");
        }
    }
    for args in [
        &["links", "in", "--graph", "dir", "-o", "folder/edges.txt.gz"][..],
        &[
            "links",
            "in",
            "--graph",
            "folder",
            "--errors",
            "dir/vertices.txt.gz",
        ],
    ] {
        let ran = run_in(folder.path(), args, b"");
        assert!(
            ran.code == 2 && ran.err.contains("is the same file"),
            "{}",
            ran.err
        );
        assert_eq!(names(&path("dir")).len(), 0);
    }
    // What is read would be lost.
    for args in [
        &["in", "--errors", "in"][..],
        &["--against", "in", "old", "--errors", "in"],
        &["dedup", "--against", "in", "old", "--errors", "in"],
        &[
            "catalog",
            "fix",
            "a.mrk",
            "--only",
            "missing-colon",
            "-o",
            "new",
            "--log",
            "a.mrk",
        ],
        &[
            "catalog", "fix", "a.mrk", "--apply", "t.csv", "-o", "new", "--log", "t.csv",
        ],
    ] {
        let ran = run_in(folder.path(), args, b"");
        assert!(
            ran.code == 2 && ran.err.contains("names an input"),
            "{args:?} {}",
            ran.err
        );
    }
    // Nor is the backup of a file lost, nor a file that is changed.
    let fix = ["catalog", "fix", "--only", "missing-colon", "--in-place"];
    for (inputs, log) in [
        (&["a.mrk"][..], "a.mrk.bak"),
        (&["-g", "*.mrk", "."], "a.mrk"),
    ] {
        let ran = run_in(
            folder.path(),
            &[&fix[..], inputs, &["--log", log]].concat(),
            b"",
        );
        assert!(
            ran.code == 2 && ran.err.contains("left as it is"),
            "{}",
            ran.err
        );
        assert!(
            ran.err.contains(&format!("--log {log} is the same file")),
            "{}",
            ran.err
        );
    }
    assert_eq!(fs::read_to_string(path("old")).unwrap(), "old");
    // Standard output and standard error that lead to a file.
    let script = |script: &str| {
        let output = std::process::Command::new("sh")
            .current_dir(folder.path())
            .args(["-c", script])
            .arg(assert_cmd::cargo::cargo_bin!("urisieve"))
            .output()
            .unwrap();
        output.status.code()
    };
    assert_eq!(script("\"$0\" in --errors x > x"), Some(2));
    assert_eq!(script("\"$0\" in -o y 2> y"), Some(2));
    assert_eq!(script("\"$0\" in -o z > x 2>&1"), Some(0));
    assert_eq!(fs::read(path("z")).unwrap(), b"http://a.example/\n");
}

/// What is no file is written at once, and may have several outputs.
#[cfg(unix)]
#[test]
fn devices_and_streams_are_written_directly() {
    let folder = folder();
    fs::write(folder.path().join("in"), "http://a.example/").unwrap();
    let null = ["in", "none", "-o", "/dev/null", "--errors", "/dev/null"];
    assert_eq!(run_in(folder.path(), &null, b"").code, 2);
    let script = |script: &str| {
        let program = assert_cmd::cargo::cargo_bin!("urisieve");
        let mut command = std::process::Command::new("sh");
        command.current_dir(folder.path()).args(["-c", script]);
        let output = command.arg(program).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    // The messages and the records of losses follow one another.
    for (command, lines) in [
        ("\"$0\" none --errors /dev/stderr 2> log; cat log", 2),
        ("\"$0\" none --errors /dev/fd/2 2>> log; cat log", 4),
        ("\"$0\" none --errors /dev/fd/3 3>> log; cat log", 5),
    ] {
        let (code, log) = script(command);
        assert_eq!(
            (code, log.lines().count()),
            (Some(0), lines),
            "{command} {log}"
        );
        assert!(log.contains("urisieve: none: "), "{log}");
        assert!(log.contains("\"kind\":\"open\""), "{log}");
    }
    let shared = "echo before > out; \"$0\" in -o /dev/stdout >> out; cat out";
    assert_eq!(script(shared).1, "before\nhttp://a.example/\n");
    let pipe = "mkfifo pipe; cat pipe & \"$0\" none --errors pipe 2> /dev/null; wait";
    assert!(script(pipe).1.contains("\"kind\":\"open\""));
    #[cfg(target_os = "linux")]
    for (args, flag) in [
        (&["in", "none"][..], "--errors"),
        (&["normalize", "none"], "--errors"),
    ] {
        let args = [args, &["--errors", "/dev/full", "-o", "new"]].concat();
        let ran = run_in(folder.path(), &args, b"");
        assert_eq!(ran.code, 2);
        assert!(
            ran.err.contains(&format!("{flag} /dev/full: No space")),
            "{}",
            ran.err
        );
        assert!(!folder.path().join("new").exists());
    }
}

/// The list of losses is there when the records are, and not before.
#[cfg(unix)]
#[test]
fn the_losses_appear_with_the_records() {
    let folder = folder();
    for old in [None, Some("old")] {
        if let Some(old) = old {
            fs::write(folder.path().join("e.jsonl"), old).unwrap();
        }
        let args = ["none", "-", "-o", "new.txt", "--errors", "e.jsonl"];
        let mut child = spawn(folder.path(), &args);
        let mut input = child.stdin.take().unwrap();
        input.write_all(TEXT).unwrap();
        has_read(&child, &input);
        let left = fs::read_to_string(folder.path().join("e.jsonl")).ok();
        assert_eq!(left.as_deref(), old);
        drop(input);
        assert_eq!(child.wait().unwrap().code(), Some(2));
        assert_eq!(names(folder.path()), ["e.jsonl", "new.txt"]);
        let text = fs::read_to_string(folder.path().join("e.jsonl")).unwrap();
        assert!(text.contains("\"open\""), "{text}");
        fs::remove_file(folder.path().join("new.txt")).unwrap();
    }
    // A run that reads nothing leaves the records, and says so in the list of losses.
    fs::write(folder.path().join("old.txt"), "old").unwrap();
    let args = ["none", "-o", "old.txt", "--errors", "new.jsonl"];
    assert_eq!(run_in(folder.path(), &args, b"").code, 2);
    assert_eq!(fs::read(folder.path().join("old.txt")).unwrap(), b"old");
    assert!(folder.path().join("new.jsonl").exists());
}

/// When one of the files cannot be written, none appears.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_no_file_of_several() {
    let folder = folder();
    let (long, bad): (String, String) = (
        (0..50_000)
            .map(|i| format!("http://{i}.example/{i}\n"))
            .collect(),
        "bad\n".repeat(50_000),
    );
    let catalog: String = (0..5_000)
        .map(|n| format!("=001  {n}\n=856  40$uhttp//a.example/{n}\n\n"))
        .collect();
    let inputs = [
        ("long", long),
        ("bad", bad),
        ("a.mrk", catalog),
        ("few", "bad\n".to_owned()),
    ];
    for (name, text) in &inputs {
        fs::write(folder.path().join(name), text).unwrap();
    }
    let before = names(folder.path());
    let fix = "catalog fix --only missing-colon";
    for (args, wanted) in [
        ("long none -o new --errors e".to_owned(), "new: "),
        (
            "normalize bad -o new.gz --errors e".to_owned(),
            "--errors e: ",
        ),
        ("normalize few long -o new --errors e".to_owned(), "new: "),
        (format!("{fix} a.mrk -o new.mrk.gz --log l"), "--log l: "),
        (
            format!("{fix} a.mrk -o new.mrk --log l --errors e"),
            "new.mrk: ",
        ),
        (format!("{fix} a.mrk --log l > /dev/null"), "--log l: "),
        (
            "catalog list a.mrk -o new.csv --errors e".to_owned(),
            "new.csv: ",
        ),
    ] {
        let script = format!("trap '' XFSZ; ulimit -f 16; \"$0\" {args}");
        let output = std::process::Command::new("sh")
            .current_dir(folder.path())
            .args(["-c", &script])
            .arg(assert_cmd::cargo::cargo_bin!("urisieve"))
            .output()
            .unwrap();
        let report = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args} {report}");
        assert!(
            report.contains(&format!("urisieve: {wanted}")),
            "{args} {report}"
        );
        assert_eq!(names(folder.path()), before, "{args}");
    }
    let none = folder.path().join("no/such/e");
    let args = ["few", "-o", "new", "--errors", none.to_str().unwrap()];
    let ran = run_in(folder.path(), &args, b"");
    assert!(
        ran.code == 2 && ran.err.contains("no/such/e: "),
        "{}",
        ran.err
    );
    assert_eq!(names(folder.path()), before);
}
