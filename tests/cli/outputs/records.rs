//! Records in each form: their columns and keys, their values, and that all forms say the same.

use super::*;
use serde_json::Value;
use std::collections::BTreeMap;

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
