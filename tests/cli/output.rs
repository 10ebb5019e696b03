//! Destinations and forms of records: formats, files, counts by part, statistics.

#[cfg(unix)]
use crate::signals::{has_read, signal};
use assert_cmd::Command;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Duration;
use tempfile::TempDir;

struct Ran {
    out: Vec<u8>,
    err: String,
    code: i32,
}

impl Ran {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.out).unwrap()
    }
}

fn run(args: &[&str], input: &[u8]) -> Ran {
    run_in(Path::new("."), args, input)
}

fn run_in(folder: &Path, args: &[&str], input: &[u8]) -> Ran {
    let output = Command::cargo_bin("urisieve")
        .unwrap()
        .current_dir(folder)
        .args(args)
        .write_stdin(input)
        .output()
        .unwrap();
    Ran {
        out: output.stdout,
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
        code: output.status.code().unwrap(),
    }
}

fn spawn(folder: &Path, args: &[&str]) -> Child {
    std::process::Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
        .current_dir(folder)
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// The names in a folder, hidden ones too.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

const TEXT: &[u8] =
    b"<http://www.a.co.uk:80/x,y?> HTTP://B.example/ http://b.example/\nurn:isbn:0395363411";

const HEADER: &str = "uri,uri_b64,original,original_b64,kind,scheme,nid,host,port,path,query,fragment,\
    file,file_b64,line,column,offset,length,wrapper,url_prefix,wrapped,hyphen_break,alternative,count,problems,\
    warc.offset,warc.record_id,warc.type,warc.date,warc.target_uri,\
    member,member_b64,header,link.path,link.rel,link.nofollow,pointer,\
    marc.record_no,marc.record_id,marc.title,marc.tag,marc.ind1,marc.ind2,marc.subfield,\
    marc.occurrence,marc.record_offset,first_seen,last_seen,\
    request.part,request.method,request.status,request.time,request.client,part,message_id,row,field,\
    refanged,given_scheme,gateway,nested_in,nested_by,sources,match,match_list\n";

/// The columns of the context: empty where text lies in no container.
const NO_CONTEXT: &str = ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,";

#[test]
fn tables_have_a_header_and_the_keys_of_the_records() {
    let rows = [
        "\"http://www.a.co.uk:80/x,y?\",,\"http://www.a.co.uk:80/x,y?\",,url,http,,www.a.co.uk,80,\"/x,y\",\"\",,\
            (standard input),,1,2,1,26,angle,,,,,,",
        "http://b.example/,,HTTP://B.example/,,url,http,,b.example,,/,,,(standard input),,1,30,29,17,none,,,,,,",
        "urn:isbn:0395363411,,urn:isbn:0395363411,,urn,urn,isbn,,,isbn:0395363411,,,(standard input),,2,1,65,19,none,,,,,,",
    ];
    let rows: String = rows
        .iter()
        .map(|row| format!("{row}{NO_CONTEXT}\n"))
        .collect();
    assert_eq!(run(&["-f", "csv"], TEXT).text(), format!("{HEADER}{rows}"));
    let tabs = run(&["-f", "tsv"], TEXT);
    let lines: Vec<&str> = tabs.text().lines().collect();
    assert_eq!(lines[0], HEADER.trim_end().replace(',', "\t"));
    assert!(
        lines[1].starts_with("http://www.a.co.uk:80/x,y?\t\thttp://www.a.co.uk:80/x,y?\t\turl\t")
    );
    assert!(lines.iter().all(|line| line.matches('\t').count() == 64));
    let counted = run(&["-c", "--top", "1", "-f", "csv"], TEXT);
    // The number of inputs is before the entries of lists.
    let (before, after) = NO_CONTEXT.split_at(NO_CONTEXT.len() - 2);
    assert!(counted.text().ends_with(&format!(
        ",(standard input),,,,29,17,none,,,,,2,{before}1{after}\n"
    )));
    // The header stands alone where nothing is found.
    let empty = run(&["-f", "csv"], b"nothing");
    assert_eq!((empty.text(), empty.code), (HEADER, 1));
    assert!(run(&["-q", "-f", "csv"], TEXT).out.is_empty());
}

#[test]
fn spellings_are_rows() {
    let text = b"urn:a-b:c URN:a-b:c http://x/ urn:a-b:c";
    let ran = run(&["--groups", "-f", "csv"], text);
    let rows: Vec<(&str, bool)> = ran
        .text()
        .lines()
        .skip(1)
        .map(|line| (&line[..9], line.contains(",2,nid")))
        .collect();
    let wanted = [
        ("urn:a-b:c", true),
        ("urn:a-b:c", false),
        ("http://x/", false),
    ];
    assert_eq!(rows, wanted);
}

#[test]
fn ecs_nests_and_has_its_types() {
    let ran = run(&["-f", "ecs"], b"http://joe@www.a.co.uk:80/b.c#d");
    let record: Value = serde_json::from_slice(&ran.out).unwrap();
    let url = &record["url"];
    for (name, wanted) in [
        ("original", "http://joe@www.a.co.uk:80/b.c#d"),
        ("full", "http://joe@www.a.co.uk:80/b.c#d"),
        ("scheme", "http"),
        ("username", "joe"),
        ("domain", "www.a.co.uk"),
        ("registered_domain", "a.co.uk"),
        ("top_level_domain", "co.uk"),
        ("subdomain", "www"),
        ("path", "/b.c"),
        ("extension", "c"),
        ("fragment", "d"),
    ] {
        assert_eq!(url[name], wanted, "{name}");
    }
    assert_eq!(url["port"], 80);
    assert_eq!(record["event"]["kind"], "event");
    assert_eq!(record["log"]["file"]["path"], "(standard input)");
}

#[test]
fn ecs_has_a_time_a_line_and_no_password_in_full() {
    let ran = run(
        &["-f", "ecs", "--all"],
        b"\nat http://joe:secret@a.example/x",
    );
    let record: Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(record["url"]["full"], "http://joe@a.example/x");
    assert_eq!(record["url"]["username"], "joe");
    assert_eq!(record["labels"]["line"], "2");
    let time = record["@timestamp"].as_str().unwrap();
    assert!(time.starts_with("20") && time.ends_with('Z'), "{time}");
    let archive = b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Date: 2020-01-02T03:04:05Z\r\n\
        Content-Length: 17\r\n\r\nhttp://a.example/\r\n\r\n";
    let ran = run(&["-f", "ecs"], archive);
    let record: Value = serde_json::from_slice(&ran.out).unwrap();
    assert_eq!(record["@timestamp"], "2020-01-02T03:04:05Z");
}

const ARCHIVE: &[u8] = b"WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
    WARC-Date: 2020-01-02T03:04:05Z\r\nContent-Length: 21\r\n\r\n\n at http://a.example/\r\n\r\n";

/// The values of the keys of a record, those of its objects after a dot.
fn flat(record: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(codes) => {
            let codes: Vec<&str> = codes.iter().filter_map(Value::as_str).collect();
            codes.join(";")
        }
        other => other.to_string(),
    };
    let mut values = BTreeMap::new();
    for (key, value) in record.as_object().unwrap() {
        match value {
            Value::Object(inner) => {
                values.extend(inner.iter().map(|(k, v)| (format!("{key}.{k}"), text(v))));
            }
            _ => drop(values.insert(key.clone(), text(value))),
        }
    }
    values
}

/// Keys that the Elastic Common Schema has under other names.
const OF_ECS: [&str; 9] = [
    "uri", "original", "scheme", "host", "port", "path", "query", "fragment", "file",
];

#[test]
fn every_format_says_what_json_says() {
    for input in [
        ARCHIVE,
        TEXT,
        b"<URL:http://a.example/b-\n  c> http://b.example/\xE9",
    ] {
        let json = run(&["--all", "--json", "--hyphen", "both"], input);
        let records: Vec<_> = json
            .text()
            .lines()
            .map(|line| flat(&serde_json::from_str(line).unwrap()))
            .collect();
        assert!(!records.is_empty());
        let tabs = run(&["--all", "-f", "tsv", "--hyphen", "both"], input);
        let mut lines = tabs.text().lines();
        let names: Vec<&str> = lines.next().unwrap().split('\t').collect();
        for (line, record) in lines.zip(&records) {
            let report = names
                .iter()
                .zip(line.split('\t'))
                .filter(|cell| !cell.1.is_empty());
            let report: BTreeMap<_, _> = report
                .map(|(name, cell)| ((*name).to_owned(), cell.to_owned()))
                .collect();
            let wanted = record
                .clone()
                .into_iter()
                .filter(|(_, value)| !value.is_empty());
            assert_eq!(report, wanted.collect());
        }
        let (names, rows) = table(run(&["--all", "-f", "parquet", "--hyphen", "both"], input).out);
        assert_eq!(rows.len(), records.len());
        for (row, record) in rows.iter().zip(&records) {
            for (name, value) in record {
                let column = match &name[..] {
                    "uri" => "url",
                    "nid" => "urn_nid",
                    "scheme" => "url_protocol",
                    "host" => "url_host_name",
                    "port" => "url_port",
                    "path" => "url_path",
                    "query" => "url_query",
                    same => same,
                };
                let at = names.iter().position(|name| name == column).unwrap();
                assert_eq!(row[at].trim_matches('"'), value, "{name}");
            }
        }
        let ecs = run(&["--all", "-f", "ecs", "--hyphen", "both"], input);
        for (line, record) in ecs.text().lines().zip(&records) {
            let event: Value = serde_json::from_str(line).unwrap();
            let mut wanted = record.clone();
            wanted.retain(|name, _| !OF_ECS.contains(&&name[..]));
            assert_eq!(flat(&event["urisieve"]), wanted);
        }
    }
}

/// The names of the columns of a table, and its rows.
fn table(bytes: Vec<u8>) -> (Vec<String>, Vec<Vec<String>>) {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let reader = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let schema = reader.metadata().file_metadata().schema_descr();
    let names = schema.columns().iter();
    let names = names.map(|column| column.name().to_owned()).collect();
    let rows = reader.get_row_iter(None).unwrap();
    let row = |row: parquet::record::Row| {
        let fields = row.get_column_iter();
        fields.map(|(_, field)| field.to_string()).collect()
    };
    (names, rows.map(|r| row(r.unwrap())).collect())
}

#[test]
fn parts_are_counted_in_parquet_too() {
    let ran = run(&["-c", "--by", "nid", "-f", "parquet"], TEXT);
    assert_eq!(ran.code, 0, "{}", ran.err);
    let (names, rows) = table(ran.out);
    assert_eq!(names, ["nid", "count"]);
    assert_eq!(rows, [["null", "3"], ["\"isbn\"", "1"]]);
    let ran = run(&["-c", "--by", "file", "-f", "parquet"], TEXT);
    assert_eq!(table(ran.out).1, [["\"(standard input)\"", "4"]]);
}

#[test]
fn only_the_first_occurrence_is_called_first() {
    let names = |args: &[&str]| table(run(&[args, &["-f", "parquet"]].concat(), TEXT).out).0;
    for first in [&[][..], &["-c"], &["--groups"]] {
        assert_eq!(names(first)[13..15], ["first_file", "first_offset"]);
    }
    assert_eq!(names(&["--all"])[13..15], ["file", "offset"]);
}

#[test]
fn spellings_state_why_they_are_equal() {
    let text = b"HTTP://A.example:80/ http://a.example/ www.a.example hxxp://a[.]example/";
    let args = [
        "--groups",
        "--json",
        "-L",
        "scheme",
        "--refang",
        "--abbreviated",
    ];
    let ran = run(&args, text);
    let mut steps = Vec::new();
    for line in ran.text().lines() {
        let class: Value = serde_json::from_str(line).unwrap();
        for spelling in class["spellings"].as_array().unwrap() {
            let names = spelling["steps"].as_array().cloned().unwrap_or_default();
            let names: Vec<String> = names
                .iter()
                .map(|step| format!("{} ({})", step["name"], step["section"]).replace('"', ""))
                .collect();
            steps.push((spelling["original"].as_str().unwrap().to_owned(), names));
        }
    }
    steps.sort();
    let wanted = [
        (
            "HTTP://A.example:80/",
            &[
                "scheme to lower case (RFC 3986 6.2.2.1)",
                "host to lower case (RFC 3986 6.2.2.1)",
                "default port removed (RFC 3986 6.2.3)",
            ][..],
        ),
        ("http://a.example/", &[]),
        (
            "hxxp://a[.]example/",
            &["marks of defanging undone (switch refang)"],
        ),
        (
            "www.a.example",
            &[
                "scheme given to an abbreviated URL (switch abbreviated)",
                "empty path to / (RFC 3986 6.2.3)",
            ],
        ),
    ];
    let wanted = wanted.map(|(text, names)| {
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        (text.to_owned(), names)
    });
    assert_eq!(steps, wanted);
    // Only where requested, and never with a secret.
    let text = b"http://u:%73ecret@a.example/ http://u:secret@A.example/";
    let ran = run(&["--groups", "--json", "-L", "syntax", "--redact"], text);
    assert!(!ran.text().contains("ecret"), "{}", ran.text());
}

#[test]
fn two_spellings_of_a_place_name_each_other() {
    let text = b"<http://a.example/x-\ny> <http://b.example/>";
    let records = |args: &[&str]| -> Vec<Value> {
        let args = [&["--hyphen", "both", "--json"], args].concat();
        let ran = run(&args, text);
        let lines = ran.text().lines();
        lines
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    };
    for mode in [&[][..], &["--all"], &["-c"], &["--sort"]] {
        let mut report = records(mode);
        report.sort_by_key(|record| record["uri"].to_string());
        let [kept, dropped, other] = &report[..] else {
            panic!("{mode:?} {report:?}");
        };
        assert_eq!(kept["alternative"], dropped["uri"], "{mode:?}");
        assert_eq!(dropped["alternative"], kept["uri"], "{mode:?}");
        assert!(other.get("alternative").is_none());
    }
    let defanged = records(&["--defang"]);
    assert_eq!(defanged[0]["alternative"], defanged[1]["uri"]);
}

#[test]
fn every_json_record_is_as_the_schema_says() {
    let schema: Value = serde_json::from_slice(&run(&["formats", "--schema"], b"").out).unwrap();
    let properties = schema["properties"].as_object().unwrap();
    let text = [
        TEXT,
        b" http://c/\xE9 <URL:http://d/e-\n f> http://[::1]:99999/%zz?q#f",
    ]
    .concat();
    for args in [["--all"], ["-c"], ["--groups"]] {
        let ran = run(&[&args[..], &["--json"]].concat(), &text);
        assert!(ran.text().lines().count() >= 5);
        for line in ran.text().lines() {
            let record: Value = serde_json::from_str(line).unwrap();
            let record = record.as_object().unwrap();
            for name in schema["required"].as_array().unwrap() {
                assert!(
                    record.contains_key(name.as_str().unwrap()),
                    "{name}: {line}"
                );
            }
            for (name, value) in record {
                let wanted = properties[name]["type"].as_str().unwrap();
                let report = match value {
                    Value::String(_) => "string",
                    Value::Bool(_) => "boolean",
                    Value::Array(_) => "array",
                    Value::Number(number) if number.is_u64() => "integer",
                    _ => "another",
                };
                assert_eq!(report, wanted, "{name}: {line}");
            }
        }
    }
}

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

#[test]
fn parts_are_counted() {
    let text = b"http://www.a.co.uk/1 http://b.a.co.uk/ HTTP://WWW.a.co.uk/2 ftp://c.example/\n\
        urn:isbn:1 urn:ISBN:2 file:///x http://192.0.2.1/ http://192.0.2.1/ http://192.0.2.1/";
    let out = |args: &[&str]| {
        let ran = run(args, text);
        assert_eq!(ran.code, 0, "{}", ran.err);
        ran.text().to_owned()
    };
    for (part, wanted) in [
        (
            "host",
            "3\t-\n3\t192.0.2.1\n2\twww.a.co.uk\n1\tb.a.co.uk\n1\tc.example\n",
        ),
        ("domain", "6\t-\n3\ta.co.uk\n1\tc.example\n"),
        ("suffix", "6\t-\n3\tco.uk\n1\texample\n"),
        ("scheme", "6\thttp\n2\turn\n1\tfile\n1\tftp\n"),
        ("nid", "8\t-\n2\tisbn\n"),
        ("file", "10\t(standard input)\n"),
    ] {
        assert_eq!(out(&["-c", "--by", part]), wanted, "{part}");
        assert_eq!(out(&["-c", "--by", part, "-j", "2"]), wanted, "{part}");
    }
    assert_eq!(out(&["-c", "--by", "uri"]), out(&["-c"]));
    assert_eq!(out(&["-c", "--by", "scheme", "--top", "1"]), "6\thttp\n");
    assert_eq!(
        out(&["-c", "--by", "scheme", "--sort"]),
        "1\tfile\n1\tftp\n6\thttp\n2\turn\n"
    );
    assert_eq!(out(&["-c", "--by", "nid", "-0"]), "8\t-\x002\tisbn\0");
    assert_eq!(
        out(&["-c", "--by", "nid", "--json"]),
        "{\"nid\":null,\"count\":8}\n{\"nid\":\"isbn\",\"count\":2}\n"
    );
    assert_eq!(
        out(&["-c", "--by", "nid", "-f", "csv"]),
        "nid,count\n,8\nisbn,2\n"
    );
    assert_eq!(
        out(&["-c", "--by", "nid", "-f", "tsv"]),
        "nid\tcount\n\t8\nisbn\t2\n"
    );
    assert_eq!(out(&["-c", "--by", "host", "-s", "ftp"]), "1\tc.example\n");
    assert_eq!(
        out(&["-c", "--by", "host", "--top", "2", "--defang", "--sort"]),
        "3\t-\n3\t192[.]0[.]2[.]1\n"
    );
    for wrong in [
        &["--by", "host"][..],
        &["-c", "--groups", "--by", "host"],
        &["--all", "--by", "host"],
        &["-c", "--by", "colour"],
        &["-c", "--by", "host", "-f", "ecs"],
    ] {
        assert_eq!(run(wrong, text).code, 2, "{wrong:?}");
    }
}

#[test]
fn files_are_counted_by_their_names() {
    let folder = folder();
    fs::write(folder.path().join("a,b.log"), TEXT).unwrap();
    fs::write(folder.path().join("c.log"), TEXT.repeat(2)).unwrap();
    fs::write(folder.path().join("none.log"), "nothing").unwrap();
    let out = |args: &[&str]| {
        let args = [
            &["-c", "--by", "file", "a,b.log", "c.log", "none.log"],
            args,
        ]
        .concat();
        run_in(folder.path(), &args, b"").text().to_owned()
    };
    assert_eq!(out(&[]), "8\tc.log\n4\ta,b.log\n");
    assert_eq!(out(&["-f", "csv"]), "file,count\nc.log,8\n\"a,b.log\",4\n");
    assert_eq!(
        out(&["--json", "--top", "1"]),
        "{\"file\":\"c.log\",\"count\":8}\n"
    );
}

#[test]
fn counting_parts_takes_memory_for_parts_alone() {
    // Only two hosts are distinguished, and the first of each is remembered.
    let text: String = (0..20_000)
        .map(|i| format!("http://{}.example/{i}\n", ["a", "b"][i % 2]))
        .collect();
    let ran = run(&["-c", "--by", "host", "--stats"], text.as_bytes());
    assert_eq!(ran.text(), "10000\ta.example\n10000\tb.example\n");
    assert!(ran.err.contains(" 2 distinct\n"), "{}", ran.err);
    assert!(ran.err.contains(" 20000 occurrences\n"));
}

/// A list of URIs has no pointers, but those that are too long are counted as in objects.
#[test]
fn pointers_that_are_too_long_are_counted_in_each_form() {
    let text = format!("{{\"{}\":\"http://a.example/\"}}", "k".repeat(4096));
    let list = run(&["-i", "json", "--stats"], text.as_bytes());
    assert_eq!(list.text(), "http://a.example/\n");
    assert!(list.err.contains(" 1 without_pointer\n"), "{}", list.err);
    let objects = run(&["-i", "json", "--stats", "--json"], text.as_bytes());
    let numbers: Value = serde_json::from_str(&objects.err).unwrap();
    assert_eq!(numbers["without_pointer"], 1);
}

#[test]
fn numbers_say_what_was_written() {
    let folder = folder();
    let stats = |args: &[&str]| run_in(folder.path(), &[args, &["--stats"]].concat(), TEXT);
    let plain = stats(&[]);
    assert!(plain.err.contains(" 3 records\n"));
    assert!(
        plain
            .err
            .contains(&format!(" {} output_bytes\n", plain.out.len()))
    );
    let packed = stats(&["-o", "a.jsonl.gz", "--all"]);
    let numbers: Value = serde_json::from_str(&packed.err).unwrap();
    let len = fs::metadata(folder.path().join("a.jsonl.gz"))
        .unwrap()
        .len();
    assert_eq!(
        (&numbers["records"], &numbers["output_bytes"]),
        (&4.into(), &len.into())
    );
    let table = stats(&["-o", "a.parquet"]);
    let len = fs::metadata(folder.path().join("a.parquet")).unwrap().len();
    assert!(table.err.contains(&format!(" {len} output_bytes\n")));
}

#[test]
fn progress_is_said_when_asked_for() {
    let mut child = spawn(Path::new("."), &["--progress", "always"]);
    let mut input = child.stdin.take().unwrap();
    input.write_all(TEXT).unwrap();
    input.flush().unwrap();
    // The input stays open until something was printed.
    let mut said = String::new();
    let mut lines = BufReader::new(child.stderr.take().unwrap());
    lines.read_line(&mut said).unwrap();
    assert!(said.starts_with("urisieve: "), "{said}");
    assert!(said.contains("/s, "), "{said}");
    drop(input);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.stdout, run(&[], TEXT).out);
    let quiet: [&[&str]; 2] = [
        &["--progress", "auto"],
        &["--progress", "always", "--no-messages"],
    ];
    let children = quiet.map(|args| spawn(Path::new("."), args));
    std::thread::sleep(Duration::from_millis(1300));
    for mut child in children {
        drop(child.stdin.take());
        let output = child.wait_with_output().unwrap();
        assert!(output.stderr.is_empty());
    }
}

#[test]
fn formats_lists_what_is_written() {
    let formats = run(&["formats"], b"");
    for name in ["text", "count", "jsonl", "csv", "tsv", "parquet", "ecs"] {
        assert!(
            formats.text().contains(&format!("output\t{name}\t")),
            "{name}"
        );
    }
}
