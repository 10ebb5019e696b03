//! The command `links`: pairs of pages, hosts and domains, in every form, and the files
//! of a graph.

use crate::program::{Ran, run};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use std::fs;
use std::io::{Read, Write};
use std::path::Path;

/// Returns a record of a web archive with an HTTP response.
fn response(uri: &str, head: &str) -> String {
    let block = format!("{head}\r\n\r\nsee http://mention.example/");
    let length = block.len();
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
         WARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: {uri}\r\n\
         Content-Type: application/http; msgtype=response\r\n\
         Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
}

/// A crawl of three hosts.
fn crawl() -> String {
    [
        response(
            "http://www.a.example/d/",
            "HTTP/1.1 301 Moved\r\nLocation: ../up",
        ),
        response(
            "http://www.a.example/up",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLink: <HTTP://b.co.uk/x>, <http://192.0.2.1/>",
        ),
        response(
            "http://www.a.example/up",
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nLink: <http://b.co.uk/x>",
        ),
        response("http://lone.example/", "HTTP/1.1 404 Not Found"),
    ]
    .concat()
}

/// Runs the command on the crawl.
fn links(args: &[&str]) -> Ran {
    run(&[&["links"], args].concat(), crawl().as_bytes())
}

fn printed(args: &[&str]) -> Vec<String> {
    let ran = links(args);
    assert_eq!((ran.code, &*ran.err), (0, ""), "{args:?}");
    ran.out.lines().map(str::to_owned).collect()
}

#[test]
fn pairs_of_pages() {
    let pairs = [
        "http://www.a.example/d/\thttp://www.a.example/up",
        "http://www.a.example/up\thttp://b.co.uk/x",
        "http://www.a.example/up\thttp://192.0.2.1/",
    ];
    assert_eq!(printed(&[]), pairs);
    for threads in ["1", "2", "8"] {
        assert_eq!(printed(&["-j", threads]), pairs);
    }
    assert_eq!(printed(&["--all"]).len(), 4);
    assert_eq!(printed(&["--sort"])[1], pairs[2]);
    assert_eq!(
        printed(&["-c", "--top", "1"]),
        ["2\thttp://www.a.example/up\thttp://b.co.uk/x"]
    );
    // Both parts are canonical.
    let none = printed(&["-L", "none"]);
    assert_eq!(none[1], "http://www.a.example/up\tHTTP://b.co.uk/x");
    assert_eq!(none.len(), 4);
    assert_eq!(printed(&["-0"])[0].matches('\0').count(), 3);
    assert_eq!(printed(&["--host", "b.co.uk"]), [pairs[1]]);
    let marked = printed(&["--nofollow", "mark"]);
    assert_eq!(marked[0], format!("{}\t", pairs[0]));
    let ran = links(&["-q"]);
    assert_eq!((ran.code, &*ran.out), (0, ""));
    let ran = run(&["links"], b"http://a.example/");
    assert_eq!((ran.code, &*ran.out), (1, ""));
}

#[test]
fn pairs_of_nodes() {
    assert_eq!(
        printed(&["--node", "host"]),
        [
            "example.a.www\texample.a.www",
            "example.a.www\tuk.co.b",
            "example.lone\texample.lone"
        ]
    );
    assert_eq!(
        printed(&["--node", "host", "--strip-www"])[1],
        "example.a\tuk.co.b"
    );
    assert_eq!(
        printed(&["--node", "domain", "-c"]),
        [
            "2\texample.a\tuk.co.b",
            "1\texample.a\texample.a",
            "1\texample.lone\texample.lone"
        ]
    );
    let ran = links(&["--node", "host", "--json", "--stats"]);
    assert!(
        ran.out
            .starts_with("{\"s\":\"example.a.www\",\"t\":\"example.a.www\"}\n")
    );
    assert!(ran.err.contains("\"without_node\":1,"), "{}", ran.err);
    let table = printed(&["--node", "host", "-f", "csv"]);
    assert_eq!(table[..2], ["s,t", "example.a.www,example.a.www"]);
}

#[test]
fn nodes_by_the_registry() {
    let head = "HTTP/1.1 200 OK\r\nLink: <http://a.local/>, <http://b.com/>, <http://0x7f.1/>, \
                <http://u.github.io/>, <http://c.html/>";
    let crawl = response("http://g.org/", head);
    let run = |args: &[&str]| {
        let ran = run(
            &[&["links", "--stats", "--node"], args].concat(),
            crawl.as_bytes(),
        );
        let without = ran.err.lines().find(|line| line.contains("without_node"));
        (ran.out, without.unwrap_or_default().trim().to_owned())
    };
    let of = |targets: &[&str], without: &str| {
        let lines: Vec<String> = targets.iter().map(|t| format!("org.g\t{t}\n")).collect();
        (lines.concat(), format!("{without} without_node"))
    };
    assert_eq!(
        run(&["host"]),
        of(&["local.a", "com.b", "io.github.u", "html.c"], "1")
    );
    let valid = of(&["com.b", "io.github.u"], "3");
    assert_eq!(run(&["host", "--valid-tld"]), valid);
    assert_eq!(run(&["private-domain", "--valid-tld"]), valid);
    assert_eq!(
        run(&["domain", "--valid-tld"]),
        of(&["com.b", "io.github"], "3")
    );
    assert_eq!(links(&["--valid-tld"]).code, 2);
}

/// The numbers of links, without those to itself.
#[test]
fn weights() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html";
    let body = "<a href=http://b.com/1>1</a><a href=http://b.com/1>1</a>\
                <a rel=nofollow href=http://b.com/2>2</a><a href=/x>x</a><a href=http://c.com/>c</a>\
                <a href=http://a.com/>self</a>";
    let length = head.len() + 4 + body.len();
    let crawl = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.com/\r\n\
         Content-Type: application/http\r\nContent-Length: {length}\r\n\r\n{head}\r\n\r\n{body}\r\n\r\n"
    );
    let lone = response(
        "http://lone.com/",
        "HTTP/1.1 200 OK\r\nLink: <http://lone.com/y>",
    );
    let crawl = [crawl, lone].concat();
    let run = |args: &[&str]| {
        let ran = run(&[&["links", "--weights"], args].concat(), crawl.as_bytes());
        assert_eq!((ran.code, &*ran.err), (0, ""));
        ran.out
    };
    assert_eq!(
        run(&["--node", "host"]),
        "com.a\tcom.b\t3\ncom.a\tcom.c\t1\n"
    );
    assert_eq!(
        run(&["--node", "host", "--nofollow", "drop"]),
        "com.a\tcom.b\t2\ncom.a\tcom.c\t1\n"
    );
    assert_eq!(
        run(&["--node", "host", "--nofollow", "mark"]),
        "com.a\tcom.b\t2\t\ncom.a\tcom.b\t1\tnofollow\ncom.a\tcom.c\t1\t\n"
    );
    assert_eq!(
        run(&["--node", "host", "--nofollow", "mark", "-f", "csv"]),
        "s,t,nofollow,count\ncom.a,com.b,,2\ncom.a,com.b,true,1\ncom.a,com.c,,1\n"
    );
    assert_eq!(
        run(&["--node", "host", "--json"]),
        "{\"s\":\"com.a\",\"t\":\"com.b\",\"count\":3}\n{\"s\":\"com.a\",\"t\":\"com.c\",\"count\":1}\n"
    );
    let pages = run(&[]);
    let pages: Vec<&str> = pages.lines().collect();
    assert_eq!(pages[0], "http://a.com/\thttp://b.com/1\t2");
    assert!(pages.contains(&"http://lone.com/\thttp://lone.com/y\t1"));
    assert!(!pages.contains(&"http://a.com/\thttp://a.com/\t1"));
    for other in [&["-c"][..], &["--all"], &["--graph", "x"]] {
        assert_eq!(links(&[&["--weights"], other].concat()).code, 2);
    }
}

#[test]
fn a_base_is_absolute() {
    for base in ["nope", "", "/d/", "a.example/d"] {
        let ran = run(&["links", "--base", base], b"<html><a href=x>");
        assert_eq!((ran.code, &*ran.out), (2, ""), "{base}");
        assert!(
            ran.err.contains("--base") && ran.err.contains("absolute"),
            "{}",
            ran.err
        );
    }
    let ran = run(
        &["links", "--base", "http://a.example/d/"],
        b"<html><a href=x>",
    );
    assert_eq!(ran.out, "http://a.example/d/\thttp://a.example/d/x\n");
}

/// A fragment has no mark of its own: the name of its file says that it is markup, and `links`
/// takes any element for its beginning.
#[test]
fn fragments_are_markup_by_name_and_for_links() {
    let root = tempfile::tempdir().unwrap();
    let fragment = b"<div><a href='x?a=1&amp;b=2'>http://m.example/</a></div>";
    let base = ["--base", "http://a.example/"];
    let target = "http://a.example/x?a=1&b=2\n";
    for name in ["f.html", "f.HTM", "f.xhtml", "f.html.gz"] {
        let path = root.path().join(name);
        let bytes = match name.ends_with("gz") {
            true => {
                let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
                packed.write_all(fragment).unwrap();
                packed.finish().unwrap()
            }
            false => fragment.to_vec(),
        };
        std::fs::write(&path, bytes).unwrap();
        let path = path.to_str().unwrap();
        let ran = run(&[&["links"], &base[..], &[path]].concat(), b"");
        assert_eq!(ran.out, format!("http://a.example/\t{target}"), "{name}");
        let ran = run(&[&base[..], &[path]].concat(), b"");
        assert_eq!(ran.out, format!("{target}http://m.example/\n"), "{name}");
    }
    let text = root.path().join("f.txt");
    std::fs::write(&text, fragment).unwrap();
    let text = text.to_str().unwrap();
    for (input, path) in [(&fragment[..], "-"), (b"", text)] {
        let ran = run(&[&["links"], &base[..], &[path]].concat(), input);
        assert_eq!(ran.out, format!("http://a.example/\t{target}"));
        let ran = run(&[&base[..], &[path]].concat(), input);
        assert_eq!(ran.out, "http://m.example/\n");
    }
    // Other formats are recognized by their first bytes, whatever the name.
    let feed = root.path().join("feed.html");
    std::fs::write(
        &feed,
        "<?xml version='1.0'?><rss><link>http://b.example/</link></rss>",
    )
    .unwrap();
    let ran = run(&["links", feed.to_str().unwrap()], b"");
    assert!(ran.out.ends_with("\thttp://b.example/\n"), "{}", ran.out);
}

/// Apps are named where URLs of the web have hosts.
#[test]
fn only_schemes_of_the_web_have_nodes() {
    let head = "HTTP/1.1 200 OK\r\nLink: <android-app://com.a.b/https/c>, <ios-app://1/x>, \
                <intent://d.example/#Intent;end>, <file://e.example/x>, <wss://f.example/>";
    let crawl = response("http://g.example/", head);
    let ran = run(&["links", "--node", "host", "--stats"], crawl.as_bytes());
    assert_eq!(ran.out, "example.g\texample.f\n");
    assert!(ran.err.contains("4 without_node"), "{}", ran.err);
}

#[test]
fn mentions_and_pages_without_a_uri() {
    let ran = run(&["links", "--mentions"], b"http://a.example/");
    assert_eq!(ran.out, "(standard input)\thttp://a.example/\n");
    let label = ["links", "--mentions", "--label", "a\tb"];
    let ran = run(&label, b"http://a.example/");
    assert_eq!(ran.out, "a%09b\thttp://a.example/\n");
    let base = ["links", "--mentions", "--base", "HTTP://b.example/"];
    let ran = run(&base, b"http://a.example/");
    assert_eq!(ran.out, "http://b.example/\thttp://a.example/\n");
    assert_eq!(printed(&["--mentions"]).len(), 6);
}

#[test]
fn records() {
    let line = &printed(&["--json"])[1];
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    let offset = crawl().find("WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2026-01-02T03:04:05Z\r\nWARC-Target-URI: http://www.a.example/up");
    let wanted = serde_json::json!({
        "s": "http://www.a.example/up", "t": "http://b.co.uk/x", "path": "HTTP@/link",
        "file": "(standard input)", "offset": 49, "length": 16,
        "warc": {
            "offset": offset.unwrap(), "record_id": "urn:uuid:1", "type": "response",
            "date": "2026-01-02T03:04:05Z", "target_uri": "http://www.a.example/up",
        },
    });
    assert_eq!(value, wanted);
    let keys: Vec<&String> = value.as_object().unwrap().keys().collect();
    assert_eq!(keys[..3], ["s", "t", "path"]);
    let table = printed(&["-f", "tsv"]);
    assert_eq!(
        table[0],
        "s\tt\tpath\trel\tnofollow\tfile\toffset\tlength\twarc.offset\twarc.record_id\t\
         warc.type\twarc.date\twarc.target_uri\tpointer\tmember"
    );
    assert!(table[1].starts_with(
        "http://www.a.example/d/\thttp://www.a.example/up\tHTTP@/location\t\t\t(standard input)\t"
    ));
    let names = |line: &str| line.split('\t').count();
    assert!(table.iter().all(|line| names(line) == names(&table[0])));
    let counted = printed(&["-c", "--json"]);
    assert!(counted[0].ends_with(",\"count\":2}"), "{}", counted[0]);
}

#[test]
fn a_table_of_parquet() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("links.parquet");
    let ran = links(&["-o", path.to_str().unwrap()]);
    assert_eq!((ran.code, &*ran.out), (0, ""));
    let reader = SerializedFileReader::new(fs::File::open(path).unwrap()).unwrap();
    let rows: Vec<String> = reader
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap().to_string())
        .collect();
    assert_eq!(rows.len(), 3);
    let start = "{s: \"http://www.a.example/d/\", t: \"http://www.a.example/up\", path: \"HTTP@/location\", rel: null, nofollow: null,";
    assert!(rows[0].starts_with(start), "{}", rows[0]);
}

fn unzipped(path: &Path) -> String {
    let mut text = String::new();
    let file = fs::File::open(path).unwrap();
    GzDecoder::new(file).read_to_string(&mut text).unwrap();
    text
}

#[test]
fn the_files_of_a_graph() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("new/graph");
    let name = dir.to_str().unwrap();
    let ran = links(&["--node", "host", "--graph", name]);
    assert_eq!((ran.code, &*ran.out, &*ran.err), (0, "", ""));
    let vertices = unzipped(&dir.join("vertices.txt.gz"));
    assert_eq!(vertices, "0\texample.a.www\n1\texample.lone\n2\tuk.co.b\n");
    assert_eq!(unzipped(&dir.join("edges.txt.gz")), "0\t2\n");
    // With -o the pairs are written, too.
    let pairs = root.path().join("pairs.tsv.gz");
    let args = ["--graph", name, "-f", "text", "-o", pairs.to_str().unwrap()];
    assert_eq!(links(&args).code, 0);
    assert_eq!(unzipped(&pairs).lines().count(), 3);
    assert_eq!(unzipped(&dir.join("edges.txt.gz")).lines().count(), 3);
    let mut names: Vec<_> = fs::read_dir(&dir)
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["edges.txt.gz", "vertices.txt.gz"]);
    for wrong in [&["-c"][..], &["-q"], &["--all"]] {
        assert_eq!(links(&[&["--graph", name], wrong].concat()).code, 2);
    }
}

#[test]
fn a_run_that_fails_leaves_no_graph() {
    let root = tempfile::tempdir().unwrap();
    let dir = root.path().join("graph");
    let name = dir.to_str().unwrap();
    // The run ends with an error: the known input is damaged.
    let known = root.path().join("known.warc.gz");
    fs::write(
        &known,
        [&b"\x1f\x8b\x08\0\0\0\0\0\0\x03"[..], b"broken"].concat(),
    )
    .unwrap();
    let args = ["--graph", name, "--against", known.to_str().unwrap()];
    let ran = links(&args);
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 0);
    // A directory is in the place of a file.
    fs::create_dir(dir.join("edges.txt.gz")).unwrap();
    let ran = links(&["--graph", name]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--graph"), "{}", ran.err);
    assert!(!dir.join("vertices.txt.gz").exists());
}

#[test]
fn known_links_are_left_out() {
    let root = tempfile::tempdir().unwrap();
    let known = root.path().join("known.warc");
    let link = response(
        "http://www.a.example/up",
        "HTTP/1.1 200 OK\r\nLink: <http://b.co.uk/x>",
    );
    fs::write(&known, link).unwrap();
    let left = printed(&["--against", known.to_str().unwrap()]);
    assert_eq!(left.len(), 2);
    assert!(!left.concat().contains("b.co.uk"));
}

#[test]
fn secrets_of_both_parts() {
    let text = response(
        "http://u:SECRET@a.example/",
        "HTTP/1.1 301 M\r\nLocation: http://b.example/?token=SECRET",
    );
    for form in ["text", "jsonl", "csv"] {
        let args = [
            "links",
            "--redact=@secrets",
            "--nofollow",
            "mark",
            "-f",
            form,
        ];
        let ran = run(&args, text.as_bytes());
        assert!(ran.out.contains("http://u:***@a.example/"), "{}", ran.out);
        assert!(
            ran.out.contains("http://b.example/?token=***"),
            "{}",
            ran.out
        );
        assert!(!ran.out.contains("SECRET"), "{}", ran.out);
    }
    let ran = run(&["links", "--defang"], text.as_bytes());
    assert!(
        ran.out
            .starts_with("hxxp://u:SECRET@a[.]example/\thxxp://b[.]example/"),
        "{}",
        ran.out
    );
}

#[test]
fn records_that_are_read() {
    let count = |args: &[&str]| {
        let ran = links(&[args, &["--mentions", "--all"]].concat());
        (ran.out.lines().count(), ran.code)
    };
    assert_eq!(count(&[]), (8, 0));
    assert_eq!(count(&["--status", "2xx"]), (5, 0));
    assert_eq!(count(&["--status", "301,404"]), (3, 0));
    assert_eq!(count(&["--mime", "text/*"]), (5, 0));
    assert_eq!(count(&["--warc-type", "revisit,request"]), (0, 1));
    let ran = run(&["--status", "404", "--stats"], crawl().as_bytes());
    assert_eq!(ran.out, "http://mention.example/\n");
    assert!(ran.err.contains("3 records_filtered"), "{}", ran.err);
    for wrong in [["--status", "2x"], ["--mime", "html"], ["--warc-type", ""]] {
        let ran = links(&wrong);
        assert_eq!((ran.code, &*ran.out), (2, ""), "{}", ran.err);
        assert!(ran.err.contains(wrong[0]), "{}", ran.err);
    }
}

#[test]
fn help() {
    let short = run(&["links", "-h"], b"");
    assert!(short.out.lines().count() <= 48, "{}", short.out);
    assert!(short.out.contains("--node <WHAT>"), "{}", short.out);
    let long = run(&["links", "--help"], b"");
    assert!(long.out.contains("Examples:"), "{}", long.out);
    let page = run(&["--generate", "man-links"], b"");
    assert!(
        page.out.contains("EXAMPLES") && page.out.contains("graph"),
        "{}",
        page.out
    );
    let shell = run(&["--generate", "complete-bash"], b"");
    assert!(shell.out.contains("--nofollow"));
}

/// Returns a record of metadata that describes the page `uri`.
fn metadata(uri: &str, json: &str) -> String {
    let length = json.len();
    format!(
        "WARC/1.0\r\nWARC-Type: metadata\r\nWARC-Target-URI: {uri}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{json}\r\n\r\n"
    )
}

/// The crawl's metadata: the base and the type of the record follow the links.
fn described() -> String {
    let block = |response: &str, kind: &str| {
        format!(
            "{{\"Container\":{{\"Filename\":\"x.warc.gz\"}},\"Envelope\":{{\"Payload-Metadata\":{{\
             \"HTTP-{}-Metadata\":{{{response}}}}},\"WARC-Header-Metadata\":{{\
             \"WARC-Type\":\"{kind}\",\"WARC-Target-URI\":\"http://never.example/\"}}}}}}",
            if kind == "request" {
                "Request"
            } else {
                "Response"
            }
        )
    };
    let page = r##""Response-Message":{"Status":"200"},"Headers":{"Link":"<l>; rel=\"next\"",
        "Location":"/not","Content-Type":"text/html; charset=windows-1252"},"HTML-Metadata":{
        "Links":[{"path":"A@/href","url":"a?\u0026b=c","text":"see http://mention.example/"},
        {"path":"A@/href","url":"\/\/c.example\/&x","rel":"UGC"},{"path":"A@/href","url":"#top"}],
        "Head":{"Base":"http://base.example/b/",
        "Metas":[{"http-equiv":"refresh","content":"1; url=r"}]}}"##;
    metadata(
        "http://www.a.example/d/",
        &block("\"Headers\":{}", "request"),
    ) + &metadata("http://www.a.example/d/", &block(page, "response"))
        + &metadata("http://lone.example/", &block("", "response"))
}

#[test]
fn links_of_wat_files() {
    let run = |args: &[&str]| {
        let ran = run(&[&["links"], args].concat(), described().as_bytes());
        assert_eq!((ran.code, &*ran.err), (0, ""), "{args:?}");
        ran.out
    };
    let source = "http://www.a.example/d/\t";
    assert_eq!(
        run(&["--nofollow", "mark"]).replace(source, ""),
        "http://www.a.example/d/l\t\n\
         http://base.example/b/a?&b=c\t\n\
         http://c.example/&x\tnofollow\n\
         http://base.example/b/r\t\n"
    );
    assert!(!run(&["--nofollow", "drop"]).contains("c.example"));
    assert!(run(&["--mentions"]).contains("\thttp://mention.example/\n"));
    let records: Vec<serde_json::Value> = run(&["--json"])
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let paths: Vec<&str> = records
        .iter()
        .map(|r| r["path"].as_str().unwrap())
        .collect();
    assert_eq!(paths, ["HTTP@/link", "A@/href", "A@/href", "META@/content"]);
    assert_eq!(
        (&records[0]["rel"], &records[2]["rel"]),
        (&"next".into(), &"ugc".into())
    );
    let json = described();
    let at = json.find(r"\/\/c.example\/&x").unwrap() as u64;
    let block = json[..at as usize].rfind("\r\n\r\n").unwrap() as u64 + 4;
    assert_eq!(records[2]["offset"], at - block);
    assert_eq!(records[2]["length"], r"\/\/c.example\/&x".len());
    assert_eq!(
        run(&["--node", "host", "--sort"]),
        "example.a.www\texample.base\nexample.a.www\texample.c\nexample.lone\texample.lone\n"
    );
}

/// Returns a record of a web archive with a response of `uri`.
fn answer(uri: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {head}\r\n\r\n");
    let length = head.len() + body.len();
    let record = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {uri}\r\n\
         Content-Type: application/http; msgtype=response\r\nContent-Length: {length}\r\n\r\n{head}"
    );
    [record.as_bytes(), body, b"\r\n\r\n"].concat()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = GzEncoder::new(Vec::new(), Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

/// Five responses: a page with a base, a redirection, a page in chunks, one packed, and a
/// text. Each is a record.
fn pages() -> [Vec<u8>; 5] {
    let page = r##"<!DOCTYPE html><html><head><!-- http://comment.example/ -->
<link rel="stylesheet" href="one.css"><base href="/base/">
<base href="http://second.example/">
<style>@import "two.css"; p { background: url( 'three.png' ) } /* url(no.png) */ b::after { content: "url(no.png)" }</style>
<script type="application/ld+json">{"@context": "https://schema.org/", "@id": "https:\/\/ld.example\/#i",
 "url": "no-relative", "sameAs": ["https://ld.example/a?b&c", "see https://text.example/"]}</script>
<script>load("http://script.example/")</script></head>
<body style="background:url(&quot;four.png&quot;)"><!-- <a href="no"> -->
<a href="five?a=1&amp;b=2&copy;=3">x</a> <a href=" ../six
">y</a> <a href="https&#x3A;&#x2F;&#47;entity.example/&#233;">z</a>
<a href="#fragment">f</a> <a href="javascript:no()">j</a> <a href="data:,no">d</a> <a href>e</a>
<img alt="&lt;a href=no>" src=seven.png srcset="seven-2.png 2x, //cdn.example/i,j.png 640w,eight.png,">
<textarea><a href="no"></textarea> see http://text.example/
<p title="http://title.example/">http:nine</p><a href="http:ten">k</a></body></html>"##;
    let chunked = "12\r\n<p><a href=\"/first\r\n8;x=y\r\n/second\"\r\n\
                   20\r\n rel=next><img src=../third.gif>\r\n0\r\nX: y\r\n\r\n";
    let packed = gzip(b"<frame src=in.html><a href='//b.example'><form action='?q'>");
    [
        answer(
            "http://a.example/dir/page",
            "200 OK\r\nContent-Type: text/html; charset=utf-8",
            page.as_bytes(),
        ),
        answer(
            "http://a.example/dir/old",
            "301 Moved\r\nLocation: ../new?x=%7e\r\nLink: </pre>; rel=preload, <n>; rel=\"next\"\r\n\
             Content-Type: text/html",
            b"<a href=there>moved</a>",
        ),
        answer(
            "http://a.example/dir/chunked/",
            "200 OK\r\nTransfer-Encoding: chunked\r\nContent-Type: text/html",
            chunked.as_bytes(),
        ),
        answer(
            "https://a.example/packed",
            "200 OK\r\nContent-Encoding: gzip\r\nContent-Type: text/html",
            &packed,
        ),
        answer(
            "http://a.example/text",
            "200 OK\r\nContent-Type: text/plain",
            b"http://no.example/ <a href='no'>",
        ),
    ]
}

/// Every link of the five, and none that is not there.
#[test]
fn every_link_of_an_archive() {
    let wanted = "\
http://a.example/dir/page\thttp://a.example/base/one.css
http://a.example/dir/page\thttp://a.example/base/two.css
http://a.example/dir/page\thttp://a.example/base/three.png
http://a.example/dir/page\thttps://ld.example/#i
http://a.example/dir/page\thttps://ld.example/a?b&c
http://a.example/dir/page\thttp://a.example/base/four.png
http://a.example/dir/page\thttp://a.example/base/five?a=1&b=2%C2%A9=3
http://a.example/dir/page\thttp://a.example/six
http://a.example/dir/page\thttps://entity.example/é
http://a.example/dir/page\thttp://a.example/base/seven.png
http://a.example/dir/page\thttp://a.example/base/seven-2.png
http://a.example/dir/page\thttp://cdn.example/i,j.png
http://a.example/dir/page\thttp://a.example/base/eight.png
http://a.example/dir/page\thttp://a.example/base/ten
http://a.example/dir/old\thttp://a.example/new?x=%7E
http://a.example/dir/old\thttp://a.example/pre
http://a.example/dir/old\thttp://a.example/dir/n
http://a.example/dir/old\thttp://a.example/dir/there
http://a.example/dir/chunked/\thttp://a.example/first/second
http://a.example/dir/chunked/\thttp://a.example/dir/third.gif
https://a.example/packed\thttps://a.example/in.html
https://a.example/packed\thttps://b.example/
https://a.example/packed\thttps://a.example/packed?q
";
    let root = tempfile::tempdir().unwrap();
    let plain = pages().concat();
    let members: Vec<u8> = pages().iter().flat_map(|record| gzip(record)).collect();
    for (name, bytes) in [("a.warc", plain), ("a.warc.gz", members)] {
        let path = root.path().join(name);
        fs::write(&path, &bytes).unwrap();
        for threads in ["1", "2", "8"] {
            let file = run(&["links", "-j", threads, path.to_str().unwrap()], b"");
            let pipe = run(&["links", "-j", threads], &bytes);
            for (way, ran) in [("file", file), ("pipe", pipe)] {
                assert_eq!(ran.out, wanted, "{name}, {way}, {threads} threads");
                assert_eq!((ran.code, &*ran.err), (0, ""), "{name}, {way}");
            }
        }
    }
}
