//! The examples print what they say. `cargo test` builds them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What an example does, given the file `path`.
fn output(example: &str, path: &Path) -> Output {
    output_of(example, &[path])
}

/// What an example does, given these arguments.
fn output_of(example: &str, args: &[impl AsRef<std::ffi::OsStr>]) -> Output {
    let test = std::env::current_exe().unwrap();
    let built: PathBuf = test.ancestors().nth(2).unwrap().join("examples");
    let program = built.join(format!("{example}{}", std::env::consts::EXE_SUFFIX));
    assert!(program.exists(), "build it: cargo build --examples");
    Command::new(program).args(args).output().unwrap()
}

/// What an example prints, given the file `path`; nothing goes wrong.
fn run(example: &str, path: &Path) -> String {
    let output = output(example, path);
    let err = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), &*err), (Some(0), ""));
    String::from_utf8(output.stdout).unwrap()
}

fn sample(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("corpora/samples").join(name)
}

#[test]
fn find() {
    let notes = sample("notes.md");
    let text = fs::read_to_string(&notes).unwrap();
    let printed = run("find", &notes);
    let mut last = 0;
    for line in printed.lines() {
        let (range, uri) = line.split_once(' ').unwrap();
        let (start, end) = range.split_once("..").unwrap();
        let range = start.parse().unwrap()..end.parse().unwrap();
        assert!(last < range.start);
        last = range.start;
        assert_eq!(&text[range], uri);
    }
    assert_eq!(last, 1200);
}

#[test]
fn count_by_host() {
    let printed = run("count_by_host", &sample("access.log"));
    let first: Vec<&str> = printed.lines().take(2).collect();
    assert_eq!(first, ["     56 shop.example", "      3 www.bot.example"]);
}

#[test]
fn warc() {
    let folder = tempfile::tempdir().unwrap();
    let archive = folder.path().join("crawl.warc");
    let page = fs::read(sample("page.html")).unwrap();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Target-URI: http://tea.example/\r\n\
         Content-Length: {}\r\n\r\n",
        page.len()
    );
    fs::write(&archive, [head.as_bytes(), &page, b"\r\n\r\n"].concat()).unwrap();
    let printed = run("warc", &archive);
    let all = urisieve::find(&page).count();
    assert_eq!(printed.lines().count(), all);
    for line in printed.lines() {
        assert!(line.starts_with("http://tea.example/\t"), "{line}");
    }
    assert!(printed.contains("\thttps://cdn.example/css/main.css?v=3\n"));
}

/// What an example prints of these lines.
fn run_on(example: &str, lines: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lines");
    fs::write(&path, lines).unwrap();
    run(example, &path)
}

#[test]
fn chat_links() {
    assert_eq!(
        run_on(
            "chat_links",
            "see www.a.example/?b&c, <ok>\nJaVaScRiPt://x/ or joe@a.example\n"
        ),
        "see <a href=\"http://www.a.example/?b&amp;c\">www.a.example/?b&amp;c</a>, &lt;ok>\n\
         JaVaScRiPt://x/ or <a href=\"mailto:joe@a.example\">joe@a.example</a>\n"
    );
}

#[test]
fn log_shipper() {
    assert_eq!(
        run_on(
            "log_shipper",
            "12:00 GET https://u:p@a.example/?token=1\nnothing\nhxxp://evil[.]example/ urn:a-b:c"
        ),
        "1\thttps://u:***@a.example/?token=***\n3\thttp://evil.example/\n3\turn:a-b:c\n"
    );
}

#[test]
fn frontier() {
    assert_eq!(
        run_on(
            "frontier",
            "http://a.example/b/\t../c?utm_source=d\nhttp://A.example/b/\t/c#e\n\
             http://a.example/\tmailto:joe@a.example\nhttp://a.example/\t//b.example\n"
        ),
        "http://a.example/c?utm_source=d\nhttp://b.example\n"
    );
}

#[test]
fn archives() {
    let folder = tempfile::tempdir().unwrap();
    let gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    let packed = {
        let mut gzip = gzip;
        std::io::Write::write_all(&mut gzip, b"see http://a.example/").unwrap();
        gzip.finish().unwrap()
    };
    fs::write(folder.path().join("a.gz"), packed).unwrap();
    fs::write(folder.path().join("b.txt"), "http://b.example/").unwrap();
    assert_eq!(
        run("archives", folder.path()),
        "0\t\t4\thttp://a.example/\n1\t\t0\thttp://b.example/\n"
    );
}

#[test]
fn compare() {
    let base = "http://A.example/b/";
    let output = output_of("compare", &[base, "../%7Ec", "http://a.example:80/~c"]);
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        printed.lines().collect::<Vec<_>>(),
        [
            "none: http://A.example/%7Ec and http://a.example:80/~c",
            "lexical: http://a.example/%7Ec and http://a.example:80/~c",
            "syntax: http://a.example/~c and http://a.example:80/~c",
            "scheme: equal: http://a.example/~c",
        ]
    );
}

#[test]
fn a_file_that_cannot_be_read_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    for example in ["find", "count_by_host", "warc", "own_sink"] {
        for path in [&folder.path().join("nofile"), folder.path()] {
            let output = output(example, path);
            let err = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{example} {err}");
            assert!(err.contains("Error: "), "{example} {err}");
            if ["warc", "own_sink"].contains(&example) {
                assert!(err.contains(path.to_str().unwrap()), "{example} {err}");
            }
        }
    }
}

#[test]
fn own_sink() {
    assert_eq!(
        run("own_sink", &sample("mail.txt")),
        "http://intra.example.org/groups/documentation/style/guide-2029/index.html\n\
         http://intra.example.org/templates/letter.odt\n\
         http://docs.example.org/style/guide-2030/index.html\n"
    );
}
