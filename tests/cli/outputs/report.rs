//! Reports: one page of a run, or the same as JSON.

use crate::program::{Ran, run};
use serde_json::Value;
use std::fs;
use std::path::Path;

const HOSTILE: &[u8] = b"http://a.example/?q=<script>alert(1)</script>\n\
    <http://b.example/\"onmouseover=alert(2)//> javascript://x/%0Aalert(3) \
    http://c.example/\xE2\x80\xAE\xD7\x90 http://d.example/&lt;img&gt; 'http://e.example/'\n";

fn report(args: &[&str], input: &[u8]) -> Ran {
    run(&[&["report"], args].concat(), input)
}

fn json(args: &[&str], input: &[u8]) -> Value {
    let ran = report(&[&["--json"], args].concat(), input);
    serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {}", ran.err))
}

fn in_folder(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().to_owned()
}

/// The elements of a page, and nothing that was read is one, or an attribute.
#[test]
fn what_was_read_is_text() {
    let ran = report(&["--no-redact"], HOSTILE);
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let page = &ran.out;
    assert_eq!(page.matches("<script>").count(), 1);
    assert!(!page.contains("<img") && !page.contains("onmouseover=alert(2)//\""));
    // The only link is that to the table.
    let links: Vec<_> = page.match_indices("href=").collect();
    assert!(links.len() == 1 && page.contains("href=\"#table\""));
    assert!(!page.contains('\u{202E}') && !page.contains("src="));
    assert!(page.contains("default-src 'none'; style-src 'sha256-"));
    assert!(!page.contains("unsafe-inline"));
}

#[test]
fn numbers_of_a_log() {
    let log = b"192.0.2.1 - - [10/Oct/2025:13:55:36 +0000] \"GET /a?token=abc HTTP/1.1\" 200 12 \"http://Ref.example/\" \"x\"\n\
        192.0.2.1 - - [10/Oct/2025:15:55:36 +0000] \"GET /b HTTP/1.1\" 404 12 \"http://ref.example/\" \"x\"\n";
    let report = json(&["--base", "https://site.example/"], log);
    assert_eq!(
        (&report["records"], &report["occurrences"]),
        (&3.into(), &4.into())
    );
    assert_eq!(report["numbers"]["distinct"], 3);
    let host = serde_json::json!({"name": "ref.example", "rows": 1, "occurrences": 2});
    assert!(report["hosts"].as_array().unwrap().contains(&host));
    let times: Vec<_> = report["times"].as_array().unwrap().iter().collect();
    assert_eq!(times.len(), 3);
    assert_eq!(
        times[1],
        &serde_json::json!({"time": "2025-10-10T14", "rows": 0})
    );
    assert_eq!(report["statuses"][1]["name"], "404");
    let group = &report["groups"][0];
    assert_eq!(group["uri"], "http://ref.example/");
    let steps = &group["spellings"][0]["steps"][0];
    assert_eq!(steps["section"], "RFC 3986 6.2.2.1");
    let uris: Vec<&str> = report["rows"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|row| row["uri"].as_str())
        .collect();
    assert_eq!(
        uris,
        [
            "http://ref.example/",
            "https://site.example/a?token=***",
            "https://site.example/b"
        ]
    );
}

#[test]
fn losses_are_in_it() {
    let damaged = b"\x1F\x8B\x08\0\0\0\0\0\0\x03rubbish";
    let report = json(&[], damaged);
    assert_eq!(report["losses"][0]["file"], "(standard input)");
    assert!(report["losses"][0]["cause"].is_string());
    let page = self::report(&[], damaged);
    assert!(page.code == 2 && page.out.contains("<h2 id=\"losses\">"));
}

/// The first 10,000 rows, and all of them in a table beside the page.
#[test]
fn a_large_report_has_a_table_beside_it() {
    let folder = tempfile::tempdir().unwrap();
    let list: String = (0..10_001)
        .map(|number| {
            format!(
                "http://h{}.example/{number}/{}\n",
                number % 100,
                "x".repeat(60)
            )
        })
        .collect();
    let page = in_folder(folder.path(), "a.html");
    let ran = report(&["-o", &page], list.as_bytes());
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.len() < 2_000_000, "{}", text.len());
    assert!(text.contains("The first 10,000 of 10,001 rows."));
    let table = in_folder(folder.path(), "a.rows.parquet");
    let ran = run(&["-c", "--by", "scheme", "--field", "url", &table], b"");
    assert_eq!((ran.code, &*ran.out), (0, "10001\thttp\n"), "{}", ran.err);
    // A report that has all rows has nothing beside it.
    let small = in_folder(folder.path(), "b.html");
    report(&["-o", &small], b"http://a.example/");
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    assert_eq!(names, ["a.html", "a.rows.parquet", "b.html"]);
}

/// Long URIs leave room for fewer rows.
#[test]
fn a_page_has_less_than_2_mb() {
    let list: String = (0..3_000)
        .map(|number| format!("http://a.example/{number}/{}\n", "&a".repeat(500)))
        .collect();
    let ran = report(&[], list.as_bytes());
    assert!(ran.out.len() < 2_000_000, "{}", ran.out.len());
    assert!(ran.out.contains(" of 3,000 rows."));
}

/// Records of an earlier run become the same report, but for the numbers of that run.
#[test]
fn records_of_earlier_runs() {
    let folder = tempfile::tempdir().unwrap();
    let text = b"http://a.example/?key=v HTTP://a.example/?key=v urn:isbn:0395363411 http://b.example/%zz\n";
    let mut wanted = json(&["--no-redact"], text);
    wanted["numbers"] = serde_json::json!({});
    for name in ["a.jsonl", "a.jsonl.gz", "a.ndjson.zst", "a.jsonl.xz"] {
        let path = in_folder(folder.path(), name);
        match name.ends_with("xz") {
            true => {
                let records = run(&["--groups", "--json"], text).out;
                let mut packed = Vec::new();
                let mut reader = liblzma::read::XzEncoder::new(records.as_bytes(), 1);
                std::io::Read::read_to_end(&mut reader, &mut packed).unwrap();
                fs::write(&path, packed).unwrap();
            }
            false => assert_eq!(run(&["--groups", "-o", &path], text).code, 0),
        }
        let mut got = json(&["--no-redact", &path], b"");
        // Of the input only its name is known.
        for report in [&mut got, &mut wanted] {
            for row in report["rows"].as_array_mut().unwrap() {
                row.as_object_mut().unwrap().remove("line");
            }
        }
        got["rows"]
            .as_array_mut()
            .unwrap()
            .sort_by_key(|row| row["uri"].to_string());
        wanted["rows"]
            .as_array_mut()
            .unwrap()
            .sort_by_key(|row| row["uri"].to_string());
        assert_eq!(got, wanted, "{name}");
    }
    let table = in_folder(folder.path(), "a.parquet");
    assert_eq!(run(&["-c", "-o", &table], text).code, 0);
    let got = json(&[&table], b"");
    assert_eq!(
        (&got["records"], &got["occurrences"]),
        (&3.into(), &4.into())
    );
    assert_eq!(got["hosts"], wanted["hosts"]);
    assert!(got["rows"].to_string().contains("key=***"));
    let got = json(&["--host", "b.example", &table], b"");
    assert_eq!(got["records"], 1);
}

#[test]
fn lines_that_are_no_records_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = in_folder(folder.path(), "a.jsonl");
    run(&["--json", "-o", &path], b"http://a.example/");
    let mut lines = fs::read(&path).unwrap();
    lines.extend_from_slice(b"{\"uri\":\"http://b.example/\"}\nno JSON\n");
    fs::write(&path, &lines).unwrap();
    let ran = report(&["--json", &path], b"");
    assert_eq!(ran.code, 2);
    assert!(ran.out.starts_with("{\"records\":1,"), "{}", ran.out);
    assert!(
        ran.err.contains("record 2: ") && ran.err.contains("record 3: "),
        "{}",
        ran.err
    );
    // Other files beside records are refused, not searched.
    let other = in_folder(folder.path(), "b.txt");
    fs::write(&other, "http://b.example/").unwrap();
    let ran = report(&[&path, &other], b"");
    assert!(ran.code == 2 && ran.err.contains("b.txt: "), "{}", ran.err);
}

#[test]
fn pages_of_other_commands() {
    let page = b"<!doctype html><a href=http://b.example/>b</a><a href=http://b.example/c>c</a>";
    let args = ["links", "--base", "http://a.example/", "-f", "html"];
    let ran = run(&args, page);
    assert!(
        ran.out.contains("Hosts that are linked to most"),
        "{}",
        ran.err
    );
    let catalog = "=LDR  00000nam a2200000 a 4500\n=001  1\n=856  40$uhttp//a.example/\n";
    let ran = run(&["catalog", "check", "-f", "html"], catalog.as_bytes());
    assert!(
        ran.out.contains("<code>missing-colon</code>"),
        "{} {}",
        ran.out,
        ran.err
    );
    assert!(ran.out.contains("http//a.example/ → http://a.example/"));
    for (args, said) in [
        (&["-f", "html", "--defang"][..], "--defang: not with"),
        (&["--json", "--no-redact"], "--no-redact: only with -f html"),
        (
            &["report", "--no-redact", "--redact"],
            "cannot be used with",
        ),
    ] {
        let ran = run(args, b"http://a.example/");
        assert!(
            ran.code == 2 && ran.err.contains(said),
            "{args:?}: {}",
            ran.err
        );
    }
}
