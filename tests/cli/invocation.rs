//! The program as its users see it: inputs, flags, exit codes, messages.

use crate::program::run;
#[cfg(unix)]
use crate::signals::{has_read, signal};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Stdio};
use std::time::Duration;
use tempfile::TempDir;

fn spawn(args: &[&str]) -> Child {
    std::process::Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn tree(files: &[(&str, &[u8])]) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    for (name, content) in files {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    root
}

#[test]
fn exit_codes_are_those_of_grep() {
    assert_eq!(run(&[], b"http://a.example/").code, 0);
    assert_eq!(run(&[], b"nothing here").code, 1);
    assert_eq!(run(&[], b"").code, 1);
    assert_eq!(run(&["--no-such-flag"], b"").code, 2);
    assert_eq!(run(&["-j", "0"], b"").code, 2);
    assert_eq!(run(&["--max-length", "x"], b"").code, 2);
    assert_eq!(run(&["--help"], b"").code, 0);
    assert_eq!(run(&["-V"], b"").code, 0);
}

#[test]
fn each_class_once_first_seen_first() {
    let text = b"HTTP://A.example/x http://b.example/ http://a.EXAMPLE/x";
    assert_eq!(
        run(&[], text).out,
        "http://a.example/x\nhttp://b.example/\n"
    );
    assert_eq!(run(&["extract"], text).out, run(&[], text).out);
    assert_eq!(run(&["--all"], text).out.lines().count(), 3);
    let none = run(&["-L", "none"], text);
    assert_eq!(none.out.lines().next(), Some("HTTP://A.example/x"));
    assert_eq!(none.out.lines().count(), 3);
}

#[test]
fn what_takes_part_in_equality() {
    let text = b"urn:a-b:c?=Q urn:A-B:c#f http://a/#x http://a/#y";
    assert_eq!(
        run(&["-c"], text).out,
        "2\turn:a-b:c\n1\thttp://a/#x\n1\thttp://a/#y\n"
    );
    assert_eq!(
        run(&["--strip-fragment"], text).out,
        "urn:a-b:c\nhttp://a/\n"
    );
    assert_eq!(
        run(&["--keep-components"], text).out,
        "urn:a-b:c?=Q\nurn:a-b:c#f\nhttp://a/#x\nhttp://a/#y\n"
    );
}

#[test]
fn counts_come_most_frequent_first_ties_by_bytes() {
    let text = b"http://c/ http://b/ http://c/ http://a/ urn:x-y:1?+r urn:x-y:1";
    assert_eq!(
        run(&["-c"], text).out,
        "2\thttp://c/\n2\turn:x-y:1\n1\thttp://a/\n1\thttp://b/\n"
    );
    assert_eq!(run(&["-c", "--top", "1"], text).out, "2\thttp://c/\n");
    assert_eq!(run(&["-c", "--top", "0"], text).out, "");
    assert_eq!(run(&["--top", "1"], text).code, 2);
    let json: serde_json::Value =
        serde_json::from_str(&run(&["-c", "--top", "1", "--json"], text).out).unwrap();
    assert_eq!(json["count"], 2);
    assert_eq!(json["offset"], 0);
}

#[test]
fn directories_are_walked_in_byte_order_and_one_bad_file_stops_nothing() {
    let root = tree(&[
        ("b.log", b"http://b.example/ http://a.example/\n"),
        ("a/x.log", b"http://a.example/\n"),
        (".hidden", b"http://hidden.example/\n"),
    ]);
    let path = root.path().to_str().unwrap();
    let missing = format!("{path}/missing");
    let ran = run(&["-H", "-b", &missing, path, "-"], b"http://c.example/");
    assert_eq!(
        ran.out,
        format!(
            "{path}/a/x.log:0:http://a.example/\n{path}/b.log:0:http://b.example/\n(standard input):0:http://c.example/\n"
        )
    );
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.starts_with(&format!("urisieve: {missing}: ")),
        "{}",
        ran.err
    );
    assert_eq!(
        run(&["-H", "-I", path], b"").out,
        "http://a.example/\nhttp://b.example/\n"
    );
}

#[test]
fn places_stand_before_the_uri_in_the_order_of_ripgrep() {
    let text = b"a\n see HTTP://a.example/1 and\r\n<http://b.example/\n x> urn:isbn:1\n";
    let out = |args: &[&str]| run(args, text).out;
    assert_eq!(
        out(&["-n"]),
        "2:http://a.example/1\n3:http://b.example/x\n4:urn:isbn:1\n"
    );
    assert_eq!(
        out(&["-n", "--column", "-b", "-H", "-s", "http"]),
        "(standard input):2:6:7:http://a.example/1\n(standard input):3:2:32:http://b.example/x\n"
    );
    assert_eq!(
        out(&["--vimgrep", "--nid", "ISBN"]),
        "(standard input):4:5:urn:isbn:1\n"
    );
    assert_eq!(
        out(&["-0", "--original", "-s", "http"]),
        "HTTP://a.example/1\0http://b.example/x\0"
    );
    assert_eq!(
        out(&["-c", "--original", "--top", "1", "--host", ".a.example"]),
        "1\tHTTP://a.example/1\n"
    );
    let record: serde_json::Value =
        serde_json::from_str(out(&["--json"]).lines().nth(1).unwrap()).unwrap();
    assert_eq!((&record["line"], &record["column"]), (&3.into(), &2.into()));
}

#[test]
fn selection_and_numbers() {
    let text =
        b"http://x.b.example/1 http://b.example/2 http://bb.example/3 ftp://b.example/4 urn:a-b:c";
    let out = |args: &[&str]| run(args, text).out;
    assert_eq!(
        out(&["--host", "b.example", "-s", "HTTP"]),
        "http://x.b.example/1\nhttp://b.example/2\n"
    );
    assert_eq!(
        out(&["--include", "example/[23]$", "--exclude", "bb"]),
        "http://b.example/2\n"
    );
    assert_eq!(run(&["--include", "("], text).code, 2);
    let stats = run(&["--stats", "--json", "-s", "urn"], text);
    let numbers: serde_json::Value = serde_json::from_str(&stats.err).unwrap();
    assert_eq!(numbers["bytes"], text.len());
    assert_eq!(
        (&numbers["occurrences"], &numbers["deselected"]),
        (&1.into(), &4.into())
    );
    assert!(run(&["--stats"], text).err.contains(" 5 occurrences\n"));
}

#[test]
fn quiet_and_without_messages() {
    let quiet = run(&["-q"], b"http://a.example/ http://b.example/");
    assert_eq!((quiet.code, &*quiet.out, &*quiet.err), (0, "", ""));
    assert_eq!(run(&["-q"], b"nothing").code, 1);
    assert_eq!(run(&["-q", "-c"], b"http://a.example/").code, 0);
    let silent = run(
        &["--no-messages", "/no/such/file", "-"],
        b"http://a.example/",
    );
    assert_eq!((silent.code, &*silent.err), (2, ""));
    assert_eq!(silent.out, "http://a.example/\n");
    assert_eq!(
        run(&["--line-buffered"], b"http://a.example/").out,
        "http://a.example/\n"
    );
}

#[test]
fn which_files_of_a_directory() {
    let root = tree(&[
        ("a.log", b"http://a.example/"),
        ("b.txt", b"http://b.example/"),
        ("deep/er/c.log", b"http://c.example/"),
        (".hid.log", b"http://d.example/"),
        (".gitignore", b"a.log\n"),
        ("list", b"-\n\n"),
    ]);
    let path = root.path().to_str().unwrap();
    let hosts = |args: &[&str]| {
        let out = run(&[args, &[path]].concat(), b"").out;
        out.lines().map(|l| l[7..8].to_owned()).collect::<String>()
    };
    assert_eq!(hosts(&[]), "abc");
    assert_eq!(hosts(&["-g", "*.log"]), "ac");
    assert_eq!(hosts(&["-g", "!*.log"]), "b");
    assert_eq!(hosts(&["--hidden"]), "dabc");
    assert_eq!(hosts(&["--gitignore"]), "bc");
    assert_eq!(hosts(&["--max-depth", "1"]), "ab");
    assert_eq!(run(&["-g", "["], b"").code, 2);
    let list = root.path().join("list");
    let listed = run(
        &["--files-from", list.to_str().unwrap()],
        b"http://e.example/",
    );
    assert_eq!(listed.out, "http://e.example/\n");
    assert_eq!(run(&["--files-from", "/no/such/list"], b"").code, 2);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(root.path().join("b.txt"), root.path().join("z")).unwrap();
        assert_eq!(hosts(&["--follow", "-g", "z"]), "b");
        assert_eq!(hosts(&["-g", "z"]), "");
    }
}

#[test]
fn dirty_input_suppresses_nothing() {
    let mut text = b"\x7fELF\0\0http://a.example/\0\xff\xfe\rhttp://b.example/\r\x80".to_vec();
    text.extend_from_slice(
        b"\"http://c.example/\xe9\" http://d.example/\xe9x\n\x1b[31mhttp://e.example/\x1b[0m",
    );
    let ran = run(&["--json", "--all"], &text);
    let records: Vec<serde_json::Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let uris: Vec<_> = records.iter().map(|r| r["uri"].as_str().unwrap()).collect();
    assert_eq!(
        uris,
        [
            "http://a.example/",
            "http://b.example/",
            "http://c.example/\u{fffd}",
            "http://d.example/",
            "http://e.example/"
        ]
    );
    assert!(records[2]["original_b64"].is_string());
    assert_eq!(records[2]["problems"][0], "bad-utf8");
    assert_eq!(ran.code, 0);
}

#[test]
fn utf16_is_detected_by_its_mark_and_offsets_count_raw_bytes() {
    for big in [true, false] {
        let text = "\u{feff}é😀 http://a.example/ <http://b.example/\n x>";
        let raw: Vec<u8> = text
            .encode_utf16()
            .flat_map(|unit| {
                if big {
                    unit.to_be_bytes()
                } else {
                    unit.to_le_bytes()
                }
            })
            .collect();
        let file = tree(&[("u16", &raw)]);
        let path = file.path().join("u16");
        let wanted = "10:http://a.example/\n48:http://b.example/x\n";
        assert_eq!(run(&["-b"], &raw).out, wanted);
        assert_eq!(run(&["-b", path.to_str().unwrap()], b"").out, wanted);
    }
}

#[test]
fn too_long_is_named_and_never_silent() {
    let text = format!(
        "x http://a.example/{} http://b.example/\n",
        "y".repeat(70_000)
    );
    let ran = run(&[], text.as_bytes());
    assert_eq!(ran.out, "http://b.example/\n");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.starts_with("urisieve: (standard input): byte 2: "),
        "{}",
        ran.err
    );
    let many = "http://a.example/yyyyyyyyyyyyy ".repeat(25);
    let ran = run(&["--max-length", "20"], many.as_bytes());
    assert_eq!(ran.err.lines().count(), 11);
    assert!(ran.err.contains("15 more"), "{}", ran.err);
    assert_eq!(run(&["--max-length", "1M"], text.as_bytes()).code, 0);
}

#[test]
fn threads_and_ways_of_reading_give_the_same() {
    let mut text = Vec::new();
    for i in 0..30_000 {
        let n = i % 7_001;
        writeln!(
            text,
            "GET /x HTTP/1.1 \"http://www.h{n}.example/p/{i}\" <http://h{n}.example/a-\n  b> z"
        )
        .unwrap();
    }
    let root = tree(&[("log", &text)]);
    let path = root.path().join("log");
    let wanted = run(&["-j", "1"], &text).out;
    assert_eq!(wanted.lines().count(), 37_001);
    for threads in ["1", "2", "8"] {
        assert!(run(&["-j", threads, path.to_str().unwrap()], b"").out == wanted);
        assert!(run(&["-j", threads], &text).out == wanted);
    }
}

/// Lines from a pipe whose writer pauses are printed at once.
#[test]
fn a_pausing_writer_is_answered_at_once() {
    for (args, written) in [
        (&[][..], &b"http://a.example/1\n"[..]),
        (&["-j", "1"], b"http://a.example/1\n"),
        // The first line shows that the text is no table.
        (&["--all", "--json"], b"see\nhttp://a.example/1 and "),
    ] {
        let mut child = spawn(args);
        let mut stdin = child.stdin.take().unwrap();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdin.write_all(written).unwrap();
        stdin.flush().unwrap();
        let mut line = String::new();
        stdout.read_line(&mut line).unwrap();
        // It came before the writer went on.
        assert!(line.contains("http://a.example/1"), "{line}");
        stdin.write_all(b"http://a.exa").unwrap();
        std::thread::sleep(Duration::from_millis(50));
        stdin.write_all(b"mple/2").unwrap();
        drop(stdin);
        let mut rest = String::new();
        stdout.read_to_string(&mut rest).unwrap();
        assert_eq!(rest.lines().count(), 1, "{rest}");
        assert!(rest.contains("http://a.example/2"));
        assert!(child.wait().unwrap().success());
    }
}

/// The first interrupt ends an endless input: what was counted is printed.
#[cfg(unix)]
#[test]
fn an_interrupt_prints_the_counts() {
    for args in [&["-c"][..], &["-c", "-j", "1"]] {
        let mut child = spawn(args);
        let mut stdin = child.stdin.take().unwrap();
        stdin
            .write_all(b"http://a.example/ http://b.example/ http://a.example/\n")
            .unwrap();
        has_read(&child, &stdin);
        signal(&child, &["-INT"]);
        let mut out = String::new();
        child
            .stdout
            .take()
            .unwrap()
            .read_to_string(&mut out)
            .unwrap();
        assert_eq!(out, "2\thttp://a.example/\n1\thttp://b.example/\n");
        assert_eq!(child.wait().unwrap().code(), Some(130));
        drop(stdin);
    }
}

/// A closed pipe ends quietly.
#[test]
fn a_closed_pipe_ends_quietly() {
    let mut child = spawn(&["--all"]);
    drop(child.stdout.take());
    let mut stdin = child.stdin.take().unwrap();
    let text = b"http://a.example/\n".repeat(1 << 16);
    // The program may be gone before all is written.
    let _ = stdin.write_all(&text);
    drop(stdin);
    let mut err = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    child.wait().unwrap();
    assert_eq!(err, "");
}

#[test]
fn groups_print_the_spellings_of_a_class() {
    let text = b"http://b.example/ HTTP://a.example/ http://a.example/ http://a.example/";
    let ran = run(&["--groups"], text);
    let groups = "1\thttp://b.example/\n\t1\thttp://b.example/\n\
                  3\thttp://a.example/\n\t2\thttp://a.example/\n\t1\tHTTP://a.example/\n";
    assert_eq!(ran.out, groups);
    let frequent = run(&["--groups", "-c", "--top", "1"], text);
    assert!(
        frequent.out.starts_with("3\thttp://a.example/\n") && frequent.out.lines().count() == 3
    );
    let json = run(&["--groups", "--json"], text).out;
    let record: serde_json::Value = serde_json::from_str(json.lines().nth(1).unwrap()).unwrap();
    assert_eq!(record["count"], 3);
    assert_eq!(record["original"], "HTTP://a.example/");
    assert_eq!(record["spellings"][0]["count"], 2);
    for threads in ["1", "2", "8"] {
        assert_eq!(run(&["--groups", "-j", threads], text).out, groups);
    }
    assert_eq!(run(&["--top", "3"], text).code, 2);
}

#[test]
fn sorted_and_unordered() {
    let text = b"http://b.example/\nhttp://a.example/\nhttp://b.example/\n";
    assert_eq!(
        run(&["--sort"], text).out,
        "http://a.example/\nhttp://b.example/\n"
    );
    assert_eq!(
        run(&["--sort", "--all", "-n"], text).out,
        "2:http://a.example/\n1:http://b.example/\n3:http://b.example/\n"
    );
    assert_eq!(
        run(&["--sort", "-c"], text).out,
        "1\thttp://a.example/\n2\thttp://b.example/\n"
    );
    let many: String = (0..20_000)
        .map(|n| format!("http://{}.example/\n", n % 500))
        .collect();
    for mode in [
        &["--unordered"][..],
        &["--unordered", "-c"],
        &["--unordered", "--all"],
    ] {
        let sorted = |out: String| {
            let mut lines: Vec<_> = out.lines().map(str::to_owned).collect();
            lines.sort_unstable();
            lines
        };
        let unordered = run(&[mode, &["-j", "4"]].concat(), many.as_bytes());
        assert_eq!(
            sorted(unordered.out),
            sorted(run(&mode[1..], many.as_bytes()).out)
        );
    }
}

#[test]
fn redaction_reaches_every_output() {
    let text = b"see ftp://joe:secret@a.example/ and ftp://joe:other@a.example/?key=secret";
    for args in [
        &["--redact", "query:key"][..],
        &["--redact=query:key", "--json", "--all"],
        &["--redact=query:key", "--original"],
        &["--redact=query:key", "--groups"],
    ] {
        let ran = run(args, text);
        assert!(ran.out.contains("joe:***@"), "{}", ran.out);
        assert!(
            !ran.out.contains("secret") && !ran.out.contains("other"),
            "{}",
            ran.out
        );
    }
    // A file after --redact is a file.
    let root = tree(&[("a.txt", b"ftp://u:p@h/")]);
    let file = root.path().join("a.txt");
    assert_eq!(
        run(&["--redact", file.to_str().unwrap()], b"").out,
        "ftp://u:***@h/\n"
    );
    assert_eq!(run(&["--redact=path:x"], b"").code, 2);
}

#[test]
fn losses_are_written_down() {
    let root = tree(&[("a.txt", b"http://a.example/too-long")]);
    let (file, errors) = (root.path().join("a.txt"), root.path().join("errors.jsonl"));
    let (file, errors) = (file.to_str().unwrap(), errors.to_str().unwrap());
    let ran = run(
        &[
            "--errors",
            errors,
            "--max-length",
            "20",
            "-v",
            file,
            "no/such/file",
        ],
        b"",
    );
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("a.txt: read as text: 25 bytes, 0 URIs"),
        "{}",
        ran.err
    );
    let lines: Vec<serde_json::Value> = fs::read_to_string(errors)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["kind"], "too-long");
    assert_eq!(lines[0]["offset"], 0);
    assert_eq!(lines[1]["file"], "no/such/file");
    assert_eq!(lines[1]["kind"], "open");
    assert_eq!(run(&["--errors", "/no/such/dir/e"], b"").code, 2);
}

#[test]
fn colours_are_for_those_who_ask() {
    let text = b"http://a.example/";
    assert_eq!(run(&["-b"], text).out, "0:http://a.example/\n");
    let colored = run(&["-b", "--color", "always"], text).out;
    assert_eq!(
        colored,
        "\x1b[32m0\x1b[0m:http://\x1b[1ma.example\x1b[0m/\n"
    );
}

#[test]
fn pages_and_tables_are_generated() {
    let man = run(&["--generate", "man"], b"").out;
    assert!(man.contains(".TH urisieve 1"));
    let flags = man.lines().zip(man.lines().skip(1));
    let mut flags = flags.filter(|(line, _)| line.starts_with("\\fB\\-"));
    let silent = flags.find(|(_, what)| what.trim().is_empty());
    assert_eq!(silent, None, "every flag is described");
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let ran = run(&["--generate", &format!("complete-{shell}")], b"");
        assert!(ran.out.contains("strip-fragment") && ran.code == 0);
    }
    let formats = run(&["formats"], b"").out;
    for line in [
        "level\tlexical\t",
        "problem\tbad-port\t",
        "key\toffset\t",
        "scheme\thttp\tregistered, port 80",
    ] {
        assert!(formats.contains(line), "{line}");
    }
    let schema = run(&["formats", "--schema"], b"").out;
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    assert_eq!(schema["properties"]["column"]["type"], "integer");
}

#[test]
fn a_selection_that_can_match_nothing_is_an_error() {
    let text = b"http://a.example/ urn:isbn:0395363411";
    for (args, lines) in [
        (["--host", "*.example"], 1),
        (["--host", ".A.example"], 1),
        (["--host", "a.example:80"], 1),
        (["-s", "http://"], 1),
        (["-s", "ftp, urn"], 1),
        (["--nid", "urn:isbn"], 1),
    ] {
        assert_eq!(run(&args, text).out.lines().count(), lines, "{args:?}");
    }
    for args in [
        ["--host", "http://a.example"],
        ["--host", "a.example:http"],
        ["--host", ""],
        ["-s", "ht tp"],
        ["--nid", "a"],
    ] {
        let ran = run(&args, text);
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.err.contains(args[1]), "{}", ran.err);
    }
    assert_eq!(run(&["-c", "-n"], text).code, 2);
    assert_eq!(run(&["-j", "100000"], text).code, 2);
}

#[cfg(unix)]
#[test]
fn lists_of_names_hold_any_bytes() {
    use std::os::unix::ffi::OsStrExt;
    let root = tree(&[("a.txt", b"http://a.example/")]);
    let odd = root
        .path()
        .join(std::ffi::OsStr::from_bytes(b"caf\xe9.txt"));
    fs::write(&odd, "http://b.example/").unwrap();
    let names = [
        odd.as_os_str().as_bytes(),
        root.path().join("a.txt").as_os_str().as_bytes(),
    ]
    .concat();
    let first = odd.as_os_str().len();
    for (between, end) in [(&b"\0"[..], &b"\0"[..]), (b"\r\n", b""), (b"\n", b"\n")] {
        let list = [&names[..first], between, &names[first..], end].concat();
        let ran = run(&["--files-from", "-"], &list);
        assert_eq!(
            ran.out, "http://b.example/\nhttp://a.example/\n",
            "{}",
            ran.err
        );
    }
    let json = run(&["--json", odd.parent().unwrap().to_str().unwrap()], b"").out;
    assert!(json.contains("\"file_b64\":"), "{json}");
}

#[test]
fn keys_that_sort_by_host() {
    let text = b"http://www.B.example/x HTTP://a.example/ http://a.example/";
    assert_eq!(run(&["--surt"], text).out, "example,b)/x\nexample,a)/\n");
    assert!(
        run(&["--surt", "-c"], text)
            .out
            .starts_with("2\texample,a)/\n")
    );
    let groups = run(&["--surt", "--groups"], text).out;
    assert!(
        groups.contains("\n2\texample,a)/\n\t1\tHTTP://a.example/\n"),
        "{groups}"
    );
    assert_eq!(run(&["--surt", "--json"], text).code, 2);
}
