//! The commands that read URIs instead of text: normalize, dedup, explain, resolve.

use crate::dribble::Dribble;
use crate::program::{program, run};
#[cfg(unix)]
use crate::signals::{has_read, signal};
use crate::thorough;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

/// Indexes of web archives: the object of a line of CDXJ, the field of CDX that its header names.
#[test]
fn indexes_of_captures_are_lists() {
    let cdxj = "com,a)/ 20260101000000 {\"url\": \"HTTP://A.com/\", \"status\": \"200\"}\n\
                com,a)/ 20260102000000 {\"url\": \"http://a.com/\"}\n\
                com,b)/ 20260102000000 {\"url\": \"http://b.com/\"}\n";
    let lines: Vec<&str> = cdxj.split_inclusive('\n').collect();
    let ran = run(&["dedup", "--field", "/url"], cdxj.as_bytes());
    assert_eq!((ran.code, &*ran.out), (0, &*[lines[0], lines[2]].concat()));
    let ran = run(&["normalize", "--field", "/url"], cdxj.as_bytes());
    assert_eq!(ran.out, "http://a.com/\nhttp://a.com/\nhttp://b.com/\n");
    let header = " CDX N b a m s\n";
    let cdx = "com,a)/ 20260101000000 HTTP://A.com/ text/html 200\n\
               com,a)/ 20260102000000 http://a.com/ text/html 200\n\
               com,b)/ 20260102000000 http://b.com/ warc/revisit -\n";
    let text = [header, cdx].concat();
    let lines: Vec<&str> = cdx.split_inclusive('\n').collect();
    let ran = run(&["dedup", "--csv-column", "a"], text.as_bytes());
    assert_eq!(
        (ran.code, &*ran.out),
        (0, &*[header, lines[0], lines[2]].concat())
    );
    let ran = run(&["normalize", "--csv-column", "3"], text.as_bytes());
    assert_eq!(ran.out, "http://a.com/\nhttp://a.com/\nhttp://b.com/\n");
    let root = tempfile::tempdir().unwrap();
    let known = root.path().join("known.cdx");
    std::fs::write(&known, [header, lines[1]].concat()).unwrap();
    let args = [
        "dedup",
        "--csv-column",
        "a",
        "--against",
        known.to_str().unwrap(),
    ];
    assert_eq!(run(&args, text.as_bytes()).out, [header, lines[2]].concat());
    let ran = run(&["dedup", "--csv-column", "url"], text.as_bytes());
    assert_eq!((ran.code, &*ran.out), (2, ""));
    assert!(ran.err.contains("\"a\""), "{}", ran.err);
}

#[test]
fn normalize_gives_as_many_lines_as_it_gets() {
    let ran = run(
        &["normalize"],
        b"HTTP://A.example/%7e\n no uri \r\n\nurn:ISBN:1?+r",
    );
    assert_eq!(ran.out, "http://a.example/%7E\n no uri \r\n\nurn:isbn:1\n");
    assert_eq!(ran.code, 1);
    assert!(
        ran.err.contains("line 2: no URI (bad-char, no-scheme)"),
        "{}",
        ran.err
    );
    assert!(
        ran.err.contains("line 3: no URI (no-scheme)"),
        "{}",
        ran.err
    );
    assert_eq!(run(&["normalize"], b"http://a/%zz\n").code, 0);
    assert_eq!(run(&["normalize"], b"").out, "");
    assert_eq!(run(&["normalize", "no/such/file"], b"").code, 2);
}

#[test]
fn normalize_in_order_with_any_threads_and_switches() {
    let text: String = (0..30_000)
        .map(|n| format!("https://www.h{n}.example:443/a/../b?utm_source=x&q={n}#f\n"))
        .collect();
    let args = [
        "normalize",
        "-L",
        "scheme",
        "--drop-param",
        "@tracking",
        "--strip-fragment",
    ];
    let wanted: String = (0..30_000)
        .map(|n| format!("https://www.h{n}.example/b?q={n}\n"))
        .collect();
    for threads in ["1", "2", "8"] {
        let ran = run(&[&args[..], &["-j", threads]].concat(), text.as_bytes());
        assert!(ran.out == wanted, "-j {threads}");
    }
    let surt = run(
        &["normalize", "-L", "scheme", "--surt"],
        b"HTTP://www.A.example/x?y\n",
    );
    assert_eq!(surt.out, "example,a)/x?y\n");
}

#[test]
fn normalize_answers_before_the_input_ends() {
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
        .arg("normalize")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdin.write_all(b"HTTP://a.example/\nHTTP://b.exa").unwrap();
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "http://a.example/\n");
    stdin.write_all(b"mple/").unwrap();
    drop(stdin);
    line.clear();
    stdout.read_line(&mut line).unwrap();
    assert_eq!(line, "http://b.example/\n");
    assert!(child.wait().unwrap().success());
}

#[test]
fn bad_lines_are_named_ten_times_and_all_written_down() {
    let root = tempfile::tempdir().unwrap();
    let errors = root.path().join("errors.jsonl");
    let text = "bad\n".repeat(25);
    let args = ["normalize", "--errors", errors.to_str().unwrap()];
    let ran = run(&args, text.as_bytes());
    assert_eq!(ran.out, text);
    assert_eq!(ran.err.lines().count(), 11);
    assert!(ran.err.contains("15 more lines are not URIs, 25 in all"));
    assert_eq!(fs::read_to_string(errors).unwrap().lines().count(), 25);
}

/// Losses are written to the same file as lines that are not URIs.
#[test]
fn losses_of_lists_are_written_down() {
    let root = tempfile::tempdir().unwrap();
    let (list, errors) = (
        root.path().join("list.gz"),
        root.path().join("errors.jsonl"),
    );
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(b"http://a.example/\nbad\n").unwrap();
    let packed = packed.finish().unwrap();
    fs::write(&list, &packed[..packed.len() - 4]).unwrap();
    let args = ["--errors", errors.to_str().unwrap(), list.to_str().unwrap()];
    for command in ["normalize", "dedup"] {
        assert_eq!(run(&[&[command], &args[..]].concat(), b"").code, 2);
        let written = fs::read_to_string(&errors).unwrap();
        let kinds = |kind: &str| written.matches(&format!("\"kind\":\"{kind}\"")).count();
        assert_eq!((kinds("no-uri"), kinds("truncated")), (1, 1), "{written}");
    }
}

#[test]
fn dedup_prints_the_first_line_of_each_class() {
    let text = b"HTTP://a.example/\r\n  http://a.example/ \nhttp://b.example/\nno uri\nno uri\n";
    let ran = run(&["dedup"], text);
    assert_eq!(ran.out, "HTTP://a.example/\nhttp://b.example/\nno uri\n");
    assert_eq!(ran.code, 0);
    let canonical = run(&["dedup", "--canonical"], text);
    assert_eq!(
        canonical.out,
        "http://a.example/\nhttp://b.example/\nno uri\n"
    );
    let groups = run(&["dedup", "--groups"], b"HTTP://a/\nhttp://a/\nhttp://a/\n");
    assert_eq!(groups.out, "3\thttp://a/\n\t2\thttp://a/\n\t1\tHTTP://a/\n");
    assert_eq!(run(&["dedup"], b"").code, 1);
}

#[test]
fn dedup_against_what_is_known() {
    let root = tempfile::tempdir().unwrap();
    let known = root.path().join("known");
    fs::write(&known, "http://a.example/\nhttp://c.example/\n").unwrap();
    let known = known.to_str().unwrap();
    let text = b"HTTP://A.example/\nhttp://b.example/\nhttp://B.example/\n";
    let ran = run(&["dedup", "--against", known], text);
    assert_eq!(ran.out, "http://b.example/\n");
    let groups = run(&["dedup", "--groups", "--against", known], text);
    assert!(
        groups.out.starts_with("2\thttp://b.example/\n"),
        "{}",
        groups.out
    );
    assert_eq!(
        run(&["dedup", "--against", known], b"http://a.example/\n").code,
        1
    );
    assert_eq!(run(&["dedup", "--against", "no/such"], text).code, 2);
    let piped = run(&["dedup", "--against", "-", known], b"http://a.example/\n");
    assert_eq!(piped.out, "http://c.example/\n");
}

#[test]
fn dedup_of_records() {
    let csv = b"id,url\n1,HTTP://a/\n2,\"http://a/\"\n3,\"http://b/?x=\"\"\n,\"\n4,none\n";
    let ran = run(&["dedup", "--csv-column", "url"], csv);
    assert_eq!(
        ran.out,
        "id,url\n1,HTTP://a/\n3,\"http://b/?x=\"\"\n,\"\n4,none\n"
    );
    let numbered = run(&["dedup", "--csv-column", "2"], &csv[7..]);
    assert_eq!(numbered.out, ran.out[7..]);
    let json =
        b"{\"a\":{\"u\":\"HTTP:\\/\\/a\"},\"n\":1}\n{\"a\":{\"u\":\"http://a\"},\"n\":2}\n[]\n";
    let ran = run(&["dedup", "--field", "/a/u"], json);
    assert_eq!(ran.out, "{\"a\":{\"u\":\"HTTP:\\/\\/a\"},\"n\":1}\n[]\n");
    assert_eq!(run(&["dedup", "--field", "a"], json).code, 2);
    assert_eq!(run(&["dedup", "--csv-column", "0"], csv).code, 2);
    let long: String = (0..5000)
        .map(|n| format!("{n},\"http://h{}/\n{}\"\n", n % 7, "x".repeat(n % 90)))
        .collect();
    let one = run(&["dedup", "--csv-column", "2", "-j", "1"], long.as_bytes()).out;
    assert_eq!(
        run(&["dedup", "--csv-column", "2", "-j", "8"], long.as_bytes()).out,
        one
    );
}

#[test]
fn explain_says_what_and_why() {
    let text = run(&["explain", "HTTP://a.example:80/%7Ex"], b"").out;
    assert!(
        text.contains("default port removed (RFC 3986 6.2.3)"),
        "{text}"
    );
    assert!(text.contains("  scheme    http://a.example/~x\n"), "{text}");
    let json = run(&["explain", "--json", "urn:isbn:0395363412"], b"").out;
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["problems"][0], "isbn-check");
    assert_eq!(
        value["urn_syntax"]["rfc2141"],
        "valid key=urn:isbn:0395363412"
    );
    assert_eq!(value["urn"]["registration"], "registered");
    let two = run(&["explain", "--json"], b"http://a/\nhttp://b/\n").out;
    assert_eq!(two.lines().count(), 2);
    let reading = run(
        &["explain", "--urn-syntax", "draft2010", "urn:example:a~b"],
        b"",
    )
    .out;
    assert_eq!(reading, "ends-before ~ key=urn:example:a\n");
}

#[test]
fn explain_distinguishes_equal_from_different() {
    let isbns = ["urn:isbn:0-395-36341-1", "URN:ISBN:0395363411"];
    let equal = |args: &[&str]| run(&[&["explain", "--equal"], &isbns[..], args].concat(), b"");
    assert_eq!(equal(&[]).code, 1);
    assert_eq!(equal(&["-L", "scheme"]).code, 0);
    assert!(
        equal(&["-L", "scheme"])
            .out
            .ends_with("equal at level scheme\n")
    );
    assert_eq!(run(&["explain", "--equal", "a"], b"").code, 2);
}

#[test]
fn resolve_by_every_document() {
    let base = "http://a/b/c/d;p?q";
    let resolve = |args: &[&str]| run(&[&["resolve", "--base", base], args].concat(), b"");
    assert_eq!(
        resolve(&["../g", "?y"]).out,
        "http://a/b/g\nhttp://a/b/c/d;p?y\n"
    );
    assert_eq!(resolve(&["--rfc", "2396", "?y"]).out, "http://a/b/c/?y\n");
    assert_eq!(
        resolve(&["--rfc", "1998", "#s"]).out,
        "(current document)#s\n"
    );
    assert_eq!(resolve(&["--rfc", "whatwg", "//g"]).out, "http://g/\n");
    assert_eq!(resolve(&["--rfc", "1"]).code, 2);
    let opaque = run(&["resolve", "--base", "urn:a-b:c", "d"], b"");
    assert_eq!(opaque.code, 0);
    assert!(opaque.err.starts_with("urisieve: note: "), "{}", opaque.err);
    let whatwg = run(
        &["resolve", "--base", "urn:a-b:c", "--rfc", "whatwg", "d"],
        b"",
    );
    assert_eq!((whatwg.out.as_str(), whatwg.code), ("\n", 1));
    let lines = run(&["resolve", "--base", base], b"g\n../g\n");
    assert_eq!(lines.out, "http://a/b/c/g\nhttp://a/b/g\n");
}

/// For dedup and normalize, levels, order and threads make no difference to the list.
#[test]
fn dedup_is_normalize_and_the_first_of_each() {
    let text: String = (0..3000)
        .map(|n| format!("http://H{}.example:80/%7e{}\n", n % 50, n % 30))
        .collect();
    for level in ["none", "lexical", "syntax", "scheme"] {
        let normal = run(&["normalize", "-L", level], text.as_bytes()).out;
        let mut seen = std::collections::HashSet::new();
        let wanted: Vec<&str> = normal.lines().filter(|line| seen.insert(*line)).collect();
        for threads in ["1", "2", "8"] {
            let ran = run(
                &["dedup", "--canonical", "-L", level, "-j", threads],
                text.as_bytes(),
            );
            assert_eq!(ran.out.lines().collect::<Vec<_>>(), wanted);
        }
    }
}

/// A list may begin like a web archive, and may be compressed.
#[test]
fn lists_are_no_archives() {
    let text = b"filedesc://a.example/x\nHTTP://b.example/\n";
    let wanted = "filedesc://a.example/x\nhttp://b.example/\n";
    assert_eq!(run(&["normalize"], text).out, wanted);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    packed.write_all(text).unwrap();
    assert_eq!(run(&["normalize"], &packed.finish().unwrap()).out, wanted);
}

/// The first bytes of containers, with URIs that are in them as they are.
fn containers() -> Vec<Vec<u8>> {
    let magics: [&[u8]; 9] = [
        b"PAR1\x15\x04\x15\x10",
        b"PAR1\x14\x04\0\x10",
        b"PK\x03\x04\x14\0",
        b"7z\xBC\xAF\x27\x1C",
        b"Rar!\x1A\x07\x01\0",
        b"%PDF-1.4\n%",
        b"SQLite format 3\0",
        b"\x89HDF\r\n\x1A\n",
        b"ORC\n\x0B\n\x03\0\0\0\0\0\0\0\0\0",
    ];
    let text = b"\nhttp://a.example/\nhttp://a.example/\n\0\x01";
    magics.map(|magic| [magic, &text[..]].concat()).into()
}

/// Their pages and members are not lines.
#[test]
fn containers_are_no_lists() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("dir");
    fs::create_dir(&dir).unwrap();
    let paths = ["x", "good", "x.gz", "dir/x", "out"].map(|name| root.path().join(name));
    let [x, good, packed, inner, out] = &paths.each_ref().map(|path| path.to_str().unwrap());
    fs::write(good, "http://good.example/\n").unwrap();
    for (number, bytes) in containers().into_iter().enumerate() {
        fs::write(x, &bytes).unwrap();
        fs::write(inner, &bytes).unwrap();
        let level = flate2::Compression::default();
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
        encoder.write_all(&bytes).unwrap();
        let stored = encoder.finish().unwrap();
        fs::write(packed, &stored).unwrap();
        let commands = [
            &["dedup"][..],
            &["normalize"],
            &["dedup", "-j", "1", "--groups"],
            &["dedup", "--csv-column", "1"],
            &["dedup", "--field", "/u"],
            &["normalize", "-z"],
        ];
        for command in thorough::part(commands, 3, number) {
            let refused = |args: &[&str], input: &[u8], name: &str| {
                let ran = run(&[command, args].concat(), input);
                let what = format!("{command:?} {args:?} {:?}: {}", &bytes[..4], ran.err);
                assert_eq!((&*ran.out, ran.code), ("", 2), "{what}");
                let said = format!("{name}: looks like a");
                assert_eq!(ran.err.matches(&said).count(), 1, "{what}");
                assert!(ran.err.contains(", whose content is not read\n"), "{what}");
            };
            // Nothing of the files before it is printed either.
            refused(&[good, x], b"", x);
            refused(&[good, dir.to_str().unwrap()], b"", inner);
            refused(&[x, "-o", out], b"", x);
            refused(&[packed], b"", packed);
            refused(&[], &bytes, "(standard input)");
            refused(&[], &stored, "(standard input)");
            assert!(!Path::new(out).exists());
        }
        // Where they come after something that was read already, nothing of them is printed.
        let ran = run(&["dedup", good, "-"], &bytes);
        assert_eq!((&*ran.out, ran.code), ("http://good.example/\n", 2));
        let ran = run(&["dedup", good, "-", "--errors", out], &bytes);
        assert_eq!(ran.code, 2);
        let errors = fs::read_to_string(out).unwrap();
        assert!(errors.contains("\"kind\":\"container\""), "{errors}");
        fs::remove_file(out).unwrap();
        // The bytes are searched all the same, which a note says.
        if !bytes.starts_with(b"PAR1\x14") {
            let ran = run(&[x], b"");
            assert_eq!(
                (&*ran.out, ran.code),
                ("http://a.example/\n", 0),
                "{}",
                ran.err
            );
            assert!(ran.err.contains("looks like a"), "{}", ran.err);
        }
    }
    // A text may begin with letters that a container begins with.
    for text in ["PK is short\n", "ORCID\n", "PAR\n", "P", ""] {
        let ran = run(&["dedup"], text.as_bytes());
        assert_eq!(ran.out.trim_end(), text.trim_end(), "{}", ran.err);
        assert!(ran.code < 2);
    }
}

/// However its first bytes come.
#[test]
fn a_container_is_no_list_for_the_library_either() {
    use std::ops::ControlFlow;
    use urisieve::decode::Layout;
    use urisieve::input::Source;
    use urisieve::item::Finding;
    use urisieve::{Error, ErrorKind, Mode, Sieve, Sink};

    #[derive(Default)]
    struct Report(Vec<Vec<u8>>, Vec<ErrorKind>);
    impl Sink for Report {
        fn finding(&mut self, finding: &Finding) -> std::io::Result<ControlFlow<()>> {
            self.0.push(finding.uri.to_vec());
            Ok(ControlFlow::Continue(()))
        }
        fn error(&mut self, error: Error) {
            self.1.push(error.kind());
        }
    }
    for bytes in containers() {
        for threads in [1, 2] {
            let sieve = Sieve::builder()
                .list(Layout::Lines)
                .mode(Mode::All)
                .threads(threads);
            let sieve = sieve.build();
            for piece in [1, 3, 1000] {
                let sources = [
                    Source::Slice(b"http://a.example/1\n"),
                    Source::Reader(Box::new(Dribble(&bytes, piece))),
                    Source::Slice(&bytes),
                    Source::Slice(b"http://a.example/2\n"),
                ];
                let mut report = Report::default();
                let stats = sieve.run(sources, &mut report).unwrap();
                assert_eq!(report.0, [b"http://a.example/1", b"http://a.example/2"]);
                assert_eq!(report.1, [ErrorKind::Container(1), ErrorKind::Container(2)]);
                assert_eq!(stats.occurrences, 2);
            }
        }
    }
}

/// What the program prints, it reads: also what only its quotes made a URI.
#[test]
fn own_output_is_read() {
    let text = "<a href=\"https://a.example/?q={search_term_string}\"> \"http://b/x|y^z`[k]\"";
    let found = run(&["-f", "text"], text.as_bytes());
    assert_eq!(found.out.lines().count(), 2);
    for command in ["normalize", "dedup"] {
        let ran = run(&[command], found.out.as_bytes());
        assert_eq!((&*ran.out, &*ran.err, ran.code), (&*found.out, "", 0));
    }
    let numbers = run(&["normalize", "--stats"], found.out.as_bytes()).err;
    assert!(numbers.contains(" 2 bad-char\n"), "{numbers}");
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/corpora");
    for level in ["lexical", "scheme"] {
        let found = program(&["-L", level, samples]).output().unwrap().stdout;
        let mut normalize = program(&["normalize", "-L", level]);
        let ran = normalize.write_stdin(&*found).output().unwrap();
        let message = String::from_utf8_lossy(&ran.stderr);
        assert!(ran.stdout == found && ran.status.success(), "{message}");
    }
}

#[test]
fn bad_lines_have_no_scheme_or_what_parts_uris() {
    for bad in [
        "a",
        "1a://b",
        "http://a/b c",
        "http://a/<b",
        "http://a/>",
        "http://a/\"b",
        "http://a/\x01b",
        "http://a/\x7f",
        "c:/x",
    ] {
        let ran = run(&["normalize"], format!("{bad}\n").as_bytes());
        assert_eq!((&*ran.out, ran.code), (&*format!("{bad}\n"), 1), "{bad}");
        assert!(ran.err.contains("line 1: no URI"), "{bad}");
    }
    // Other problems are counted, not named.
    let ran = run(
        &["normalize", "--stats"],
        b"http://a/%zz\nurn:isbn:0395363412\n",
    );
    assert_eq!(ran.code, 0);
    assert!(!ran.err.contains("no URI"));
    assert!(ran.err.contains(" 1 bad-percent\n") && ran.err.contains(" 1 isbn-check\n"));
}

#[test]
fn resolve_gives_as_many_lines_as_it_gets() {
    let base = ["resolve", "--base", "http://a/b/c"];
    let ran = run(&base, b"g\n/x y\n\n../<h>\n?q\r\n");
    assert_eq!(ran.out, "http://a/b/g\n\nhttp://a/b/c\n\nhttp://a/b/c?q\n");
    assert_eq!(ran.code, 1);
    let said: Vec<&str> = ran.err.lines().collect();
    assert_eq!(said.len(), 2, "{}", ran.err);
    assert!(
        said[0].contains("(standard input): line 2: /x y: "),
        "{}",
        ran.err
    );
    assert!(said[1].contains("line 4: ../<h>: "), "{}", ran.err);
    let named = run(&[&base[..], &["g", "x y"]].concat(), b"");
    assert_eq!((&*named.out, named.code), ("http://a/b/g\n\n", 1));
    assert!(named.err.contains("reference 2: x y: "), "{}", named.err);
    let many = run(&base, "a b\n".repeat(25).as_bytes());
    assert_eq!((many.out, many.code), ("\n".repeat(25), 1));
    assert!(
        many.err
            .ends_with("15 more references could not be resolved, 25 in all\n")
    );
    assert_eq!(many.err.lines().count(), 11);
    // The URL Standard reads blanks.
    let html = run(&[&base[..], &["--rfc", "whatwg", "x y"]].concat(), b"");
    assert_eq!((&*html.out, html.code), ("http://a/b/x%20y\n", 0));
}

#[test]
fn standard_input_has_one_name() {
    let name = "(standard input)";
    let json = run(&["--json"], b"http://a.example/").out;
    assert!(json.contains(&format!("\"file\":\"{name}\"")), "{json}");
    let ran = run(&["normalize"], b"bad\n");
    assert!(
        ran.err.starts_with(&format!("urisieve: {name}: line 1: ")),
        "{}",
        ran.err
    );
    let json = run(&["--json", "--label", "web.log"], b"http://a.example/").out;
    assert!(json.contains("\"file\":\"web.log\""), "{json}");
    let text = run(&["-H", "--label", "web.log"], b"http://a.example/").out;
    assert_eq!(text, "web.log:http://a.example/\n");
    for command in ["normalize", "dedup"] {
        let ran = run(&[command, "--label", "l.txt"], b"bad\n");
        assert!(
            ran.err.starts_with("urisieve: l.txt: line 1: "),
            "{}",
            ran.err
        );
    }
    let args = ["resolve", "--base", "http://a/", "--label", "l.txt"];
    assert!(
        run(&args, b"a b\n")
            .err
            .starts_with("urisieve: l.txt: line 1: ")
    );
}

#[test]
fn lists_go_to_a_file_when_they_are_complete() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out.txt");
    let name = path.to_str().unwrap();
    let ran = run(&["normalize", "-o", name], b"HTTP://a/\nbad\n");
    assert_eq!((&*ran.out, ran.code), ("", 1));
    assert_eq!(fs::read(&path).unwrap(), b"http://a/\nbad\n");
    let ran = run(&["dedup", "-o", name], b"HTTP://b/\nhttp://b/\n");
    assert_eq!((&*ran.out, ran.code), ("", 0));
    assert_eq!(fs::read(&path).unwrap(), b"HTTP://b/\n");
    let packed = root.path().join("out.gz");
    let ran = run(
        &["normalize", "-o", packed.to_str().unwrap()],
        b"HTTP://a/\n",
    );
    assert_eq!((&*ran.out, ran.code), ("", 0));
    let again = run(&["normalize", packed.to_str().unwrap()], b"").out;
    assert_eq!(again, "http://a/\n");
    assert!(fs::read(&packed).unwrap().starts_with(&[0x1F, 0x8B]));
    let none = root.path().join("no/such/out");
    assert_eq!(
        run(&["dedup", "-o", none.to_str().unwrap()], b"urn:a-b:c\n").code,
        2
    );
}

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_no_list() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out.txt");
    for command in ["normalize", "dedup"] {
        let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
            .args([command, "-o", path.to_str().unwrap(), "--errors"])
            .arg(root.path().join("errors"))
            .stdin(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        stdin.write_all(b"http://a.example/\nbad\n").unwrap();
        // The message says that the signal is waited for, and the list is being read.
        let mut line = String::new();
        stderr.read_line(&mut line).unwrap();
        assert!(line.contains("line 2: no URI"), "{line}");
        has_read(&child, &stdin);
        signal(&child, &["-INT"]);
        line.clear();
        stderr.read_line(&mut line).unwrap();
        assert!(line.contains("out.txt: not written: interrupted"), "{line}");
        assert_eq!(child.wait().unwrap().code(), Some(130));
        drop(stdin);
        assert!(!path.exists());
    }
}

const BARE: &str = "isbn,issn,doi,orcid,handle,arxiv,email";

/// A line that is an identifier without a scheme as a whole is its URI.
#[test]
fn identifiers_without_a_scheme_are_uris_of_lists() {
    let lines = [
        ("10.1000/182", "doi:10.1000/182"),
        ("ISBN 0-451-45052-3", "urn:isbn:0451450523"),
        ("e-ISBN-13: 978-0-451-45052-4", "urn:isbn:9780451450524"),
        ("ISSN-L 0259-000x", "urn:issn:0259000X"),
        ("doi 10.1000/ABC", "doi:10.1000/ABC"),
        ("doi.org/10.1000/1", "doi:10.1000/1"),
        (
            "0000-0002-1825-0097",
            "https://orcid.org/0000-0002-1825-0097",
        ),
        (
            "ORCID: 0000-0002-1825-0097",
            "https://orcid.org/0000-0002-1825-0097",
        ),
        ("hdl 2027/x", "hdl:2027/x"),
        ("arXiv:2101.00001v2", "https://arxiv.org/abs/2101.00001v2"),
        ("joe@a.example", "mailto:joe@a.example"),
        ("isbn.list@a.example", "mailto:isbn.list@a.example"),
        (
            "10.1002/(SICI)1:8<6::A>3;2-O",
            "doi:10.1002/(SICI)1:8%3C6::A%3E3;2-O",
        ),
        // These are URIs as they are.
        ("DOI:10.1000/A", "doi:10.1000/A"),
        ("ISBN:9783161484100", "isbn:9783161484100"),
        ("HTTP://A.example/10.1000/1", "http://a.example/10.1000/1"),
    ];
    let text: String = lines
        .iter()
        .map(|(line, _)| format!(" {line} \n"))
        .collect();
    let wanted: String = lines.iter().map(|(_, uri)| format!("{uri}\n")).collect();
    for threads in ["1", "8"] {
        let ran = run(
            &["normalize", "--bare", BARE, "-j", threads],
            text.as_bytes(),
        );
        assert_eq!(
            (ran.out.as_str(), ran.code, ran.err.as_str()),
            (&*wanted, 0, "")
        );
    }
    // What extract finds in such a line is the same.
    let ran = run(&["--all", "--bare", BARE, "-i", "text"], text.as_bytes());
    // Addresses of mail are printed as they are.
    assert_eq!(ran.out, wanted.replace("mailto:", ""));
    // Only the kinds that are named.
    let ran = run(
        &["normalize", "--bare", "isbn"],
        b"10.1000/182\nISBN 0451450523\n",
    );
    assert_eq!(
        (ran.out.as_str(), ran.code),
        ("10.1000/182\nurn:isbn:0451450523\n", 1)
    );
    assert_eq!(run(&["normalize"], b"10.1000/182\n").out, "10.1000/182\n");
    let ran = run(&["dedup", "--bare", "upc"], b"");
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("--bare: \"upc\" is not one of isbn, issn"),
        "{}",
        ran.err
    );
}

/// A line with an identifier and something else is not a URI, and neither is a wrong number.
#[test]
fn a_line_with_more_than_an_identifier_is_not_a_uri() {
    let lines = "see 10.1000/182\nISBN 0-451-45052-3 (pbk.)\nISBN 0451450524\n0451450523\n\
        10.1000/182.\n10.12.2020/14\n10.1000/a b\nJoe joe@a.example\njoe@a.example.\nISBN 0451450523, 9780451450524\n\n";
    let ran = run(
        &["normalize", "--bare", BARE, "--no-messages"],
        lines.as_bytes(),
    );
    assert_eq!((ran.out.as_str(), ran.code), (lines, 1));
}

#[test]
fn identifiers_without_a_scheme_are_equal_to_their_uris() {
    let text =
        b"10.1000/ABC\nhttps://doi.org/10.1000/abc\nDOI:10.1000/abc\nurn:isbn:0-451-45052-3\n\
        ISBN 0451450523\nn/a\n";
    let args = [
        "dedup",
        "--bare",
        "doi,isbn",
        "--unwrap-resolvers",
        "-L",
        "scheme",
    ];
    for memory in ["none", "64M"] {
        let ran = run(&[&args[..], &["--max-memory", memory]].concat(), text);
        assert_eq!(ran.out, "10.1000/ABC\nurn:isbn:0-451-45052-3\nn/a\n");
    }
    let ran = run(&[&args[..], &["--canonical"]].concat(), text);
    assert_eq!(ran.out, "doi:10.1000/abc\nurn:isbn:0451450523\nn/a\n");
    let ran = run(&[&args[..], &["--groups"]].concat(), text);
    assert!(
        ran.out
            .starts_with("3\tdoi:10.1000/abc\n\t1\t10.1000/ABC\n"),
        "{}",
        ran.out
    );
    let ran = run(
        &[&args[..], &["--csv-column", "x"]].concat(),
        b"id,x\n1,10.1000/A\n2,https://doi.org/10.1000/a\n3,n/a\n",
    );
    assert_eq!(ran.out, "id,x\n1,10.1000/A\n3,n/a\n");
    let ran = run(
        &[&args[..], &["--field", "/x"]].concat(),
        b"{\"x\":\"ISBN 0451450523\"}\n{\"x\":\"urn:isbn:0451450523\"}\n",
    );
    assert_eq!(ran.out, "{\"x\":\"ISBN 0451450523\"}\n");
    // In texts, too.
    let ran = run(&[&args[1..], &["-i", "text"]].concat(), text);
    assert_eq!(ran.out, "doi:10.1000/abc\nurn:isbn:0451450523\n");
}

#[test]
fn values_of_records_are_normalized() {
    let table = b"id,u\n1,HTTP://A.example/\n2,\"http://b.example/,\"\n3,none\n4,\n";
    let ran = run(&["normalize", "--csv-column", "u"], table);
    let wanted = "http://a.example/\nhttp://b.example/,\nnone\n\n";
    assert_eq!((ran.out.as_str(), ran.code), (wanted, 1));
    let lines = b"{\"u\":\"HTTP://A.example/\"}\n{\"u\":\"URN:A-b:c\"}\n";
    let ran = run(&["normalize", "--field", "/u"], lines);
    assert_eq!(
        (ran.out.as_str(), ran.code),
        ("http://a.example/\nurn:a-b:c\n", 0)
    );
}

/// Several fields, and `*` in a pointer: each value is a line, and a field that a record lacks.
#[test]
fn several_values_of_records_are_normalized() {
    let table = b"id;old;new\n1;HTTP://A.example/;\"http://b.example/;\"\n2;;http://c.example/\n";
    let wanted = "http://a.example/\nhttp://b.example/;\n\nhttp://c.example/\n";
    for args in [
        &["--csv-column", "old", "--csv-column", "3"][..],
        &["--csv-column", "2", "--csv-column", "new"],
        &["--field", "old", "--field", "new"],
    ] {
        let ran = run(&[&["normalize"], args].concat(), table);
        assert_eq!(
            (ran.out.as_str(), ran.code),
            (wanted, 1),
            "{args:?} {}",
            ran.err
        );
    }
    let lines =
        b"{\"a\":[\"HTTP://A.example/\",\"http://b.example/\"],\"b\":\"urn:A-b:c\"}\n{\"b\":1}\n";
    let ran = run(&["normalize", "--field", "/a/*", "--field", "/b"], lines);
    let wanted = "http://a.example/\nhttp://b.example/\nurn:a-b:c\n\n\n";
    assert_eq!((ran.out.as_str(), ran.code), (wanted, 1));
    let ran = run(
        &["normalize", "--csv-column", "old", "--csv-column", "none"],
        table,
    );
    assert_eq!(ran.code, 2);
    assert!(
        ran.err.contains("there is no column \"none\""),
        "{}",
        ran.err
    );
    for (args, said) in [
        (&["dedup", "--field", "/a", "--field", "/b"][..], "only one"),
        (
            &["normalize", "--field", "/a", "--csv-column", "b"],
            "not in one record",
        ),
        (
            &["normalize", "--csv-delimiter", ";"],
            "--csv-delimiter: only with",
        ),
        (&["normalize", "--csv-column", "0"], "from 1"),
    ] {
        let ran = run(args, b"");
        assert_eq!(ran.code, 2, "{args:?}");
        assert!(ran.err.contains(said), "{}", ran.err);
    }
}
