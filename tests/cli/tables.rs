//! `dedup` of records: which values are merged, how columns are found, and that records
//! are printed byte for byte.

use crate::program::run;
use std::fs;

#[test]
fn records_without_a_uri_are_never_merged() {
    let csv = b"id,url\n1,n/a\n2,http://a/\n3,\n4,n/a\n5,\n6,HTTP://a/\n7\n7\n";
    let ran = run(&["dedup", "--csv-column", "url"], csv);
    assert_eq!(ran.out, "id,url\n1,n/a\n2,http://a/\n3,\n4,n/a\n5,\n7\n7\n");
    assert_eq!(ran.code, 0);
    assert_eq!(ran.err.lines().count(), 6, "{}", ran.err);
    assert!(
        ran.err.contains("line 5: no URI (no-scheme)"),
        "{}",
        ran.err
    );
    let numbers = run(&["dedup", "--csv-column", "url", "--stats"], csv).err;
    assert!(numbers.contains(" 6 no_uri\n"), "{numbers}");
    let json = b"{\"u\":\"\"}\n{\"u\":\"\"}\n{}\n{}\n{\"u\":\"http://a/\"}\n{\"u\":\"n/a\"}\n{\"u\":\"n/a\"}\n";
    let ran = run(&["dedup", "--field", "/u"], json);
    assert_eq!(ran.out.as_bytes(), json);
    // They are not known either.
    let root = tempfile::tempdir().unwrap();
    let known = root.path().join("known.csv");
    fs::write(&known, csv).unwrap();
    let args = [
        "dedup",
        "--csv-column",
        "url",
        "--against",
        known.to_str().unwrap(),
    ];
    assert_eq!(run(&args, csv).out, "id,url\n1,n/a\n3,\n4,n/a\n5,\n7\n7\n");
    // With any number of threads, in their places.
    let many: String = (0..20_000)
        .map(|n| match n % 3 {
            0 => format!("{n},http://h{}/\n", n % 50),
            1 => format!("{},\n", n % 7),
            _ => format!("{},n/a\n", n % 7),
        })
        .collect();
    let mut seen = std::collections::HashSet::new();
    let wanted: String = (0..20_000)
        .zip(many.lines())
        .filter(|(n, _)| n % 3 != 0 || seen.insert(n % 50))
        .map(|(_, line)| format!("{line}\n"))
        .collect();
    for threads in ["1", "2", "8"] {
        let args = ["dedup", "--csv-column", "2", "-j", threads, "--no-messages"];
        assert!(run(&args, many.as_bytes()).out == wanted, "-j {threads}");
    }
}

#[test]
fn an_unknown_column_is_an_error_that_lists_the_columns() {
    let csv = b"id,url\n1,http://a/\n1,http://a/\n";
    for column in ["URL", "uri", "3"] {
        let ran = run(&["dedup", "--csv-column", column], csv);
        assert_eq!((&*ran.out, ran.code), ("", 2), "{column}");
        assert!(ran.err.contains("\"id\", \"url\""), "{}", ran.err);
        assert!(ran.err.contains(column), "{}", ran.err);
    }
    // Of several inputs only that one is lost.
    let root = tempfile::tempdir().unwrap();
    let other = root.path().join("other.csv");
    fs::write(&other, "id,link\n1,http://b/\n").unwrap();
    let ran = run(
        &["dedup", "--csv-column", "url", other.to_str().unwrap(), "-"],
        csv,
    );
    assert_eq!((&*ran.out, ran.code), ("id,url\n1,http://a/\n", 2));
    assert!(ran.err.contains("\"id\", \"link\""), "{}", ran.err);
    assert_eq!(run(&["dedup", "--csv-column", "url"], b"").code, 1);
}

#[test]
fn delimiters_by_content_and_by_flag() {
    for delimiter in [",", ";", "\t", "|"] {
        let rows = [
            ["id", "url", "title"],
            ["1", "HTTP://a/?x=1", "\"a, b; c\""],
            ["2", "http://a/?x=1", "d"],
            ["3", "http://b/", "e"],
            ["4", "http://c/", "f"],
        ];
        let csv: String = rows.map(|row| row.join(delimiter) + "\n").concat();
        let lines: Vec<&str> = csv.split_inclusive('\n').collect();
        let wanted = [lines[0], lines[1], lines[3], lines[4]].concat();
        for column in ["url", "2"] {
            let ran = run(&["dedup", "--csv-column", column], csv.as_bytes());
            assert_eq!(ran.out, wanted, "{column} {delimiter:?}");
            let name = if delimiter == "\t" { "tab" } else { delimiter };
            let args = ["dedup", "--csv-column", column, "--csv-delimiter", name];
            assert_eq!(run(&args, csv.as_bytes()).out, wanted);
        }
    }
    // A list of URIs is a table of one column, whatever they hold.
    let list = "http://a/x,y\nhttp://a/x,z\nhttp://a/;b\nhttp://a/x,y\n";
    let args = ["dedup", "--csv-column", "1", "--csv-delimiter", "tab"];
    assert_eq!(run(&args, list.as_bytes()).out, &list[..list.len() - 13]);
    assert_eq!(run(&["dedup", "--csv-delimiter", ";"], b"").code, 2);
    assert_eq!(
        run(
            &["dedup", "--csv-column", "1", "--csv-delimiter", "ab"],
            b""
        )
        .code,
        2
    );
}

#[test]
fn records_are_passed_on_byte_for_byte() {
    let csv =
        b"id,url\r\n1,HTTP://a/\r\n2,\"http://b/\"\n3, http://c/ \r\n3,http://a/\r\n4,http://d/";
    let wanted = String::from_utf8_lossy(csv).replace("3,http://a/\r\n", "");
    let ran = run(&["dedup", "--csv-column", "url"], csv);
    assert_eq!(ran.out, wanted);
    let json = b" {\"u\": \"http://a/\"} \r\n{\"u\":\"http://b/\"}";
    assert_eq!(run(&["dedup", "--field", "/u"], json).out.as_bytes(), json);
    // Files that lack the last line break do not run into each other.
    let root = tempfile::tempdir().unwrap();
    let paths = ["a", "b"].map(|name| {
        let path = root.path().join(name);
        fs::write(&path, format!("url\nhttp://{name}/")).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let ran = run(&["dedup", "--csv-column", "url", &paths[0], &paths[1]], b"");
    assert_eq!(ran.out, "url\nhttp://a/\nhttp://b/");
}

#[test]
fn canonical_forms_of_records_have_no_header() {
    let csv = b"id,url\n1,HTTP://a/\n2,http://a/\n3,n/a\n4,urn:A-B:c\n";
    let ran = run(&["dedup", "--csv-column", "url", "--canonical"], csv);
    assert_eq!(ran.out, "http://a/\nn/a\nurn:a-b:c\n");
    let json = b"{\"u\":\"HTTP://a/\"}\n";
    let ran = run(&["dedup", "--field", "/u", "--canonical"], json);
    assert_eq!(ran.out, "http://a/\n");
}

#[test]
fn groups_of_records_hold_their_values() {
    let csv = b"id,url\n1,HTTP://a/\n2,http://a/\n3,n/a\n4,http://a/\n5,\n";
    let ran = run(&["dedup", "--csv-column", "url", "--groups"], csv);
    assert_eq!(ran.out, "3\thttp://a/\n\t2\thttp://a/\n\t1\tHTTP://a/\n");
    assert!(ran.err.contains("2 records without a URI"), "{}", ran.err);
}

#[test]
fn a_header_is_nothing_found() {
    let ran = run(&["dedup", "--csv-column", "url"], b"id,url\n");
    assert_eq!((&*ran.out, ran.code), ("id,url\n", 1));
}

#[test]
fn a_table_goes_to_a_file_byte_for_byte() {
    let root = tempfile::tempdir().unwrap();
    let path = root.path().join("out.csv");
    let path = path.to_str().unwrap();
    let csv = b"id,url\r\n1,http://a/\r\n2,HTTP://a/\r\n";
    let ran = run(&["dedup", "--csv-column", "url", "-o", path], csv);
    assert_eq!((&*ran.out, ran.code), ("", 0));
    assert_eq!(fs::read(path).unwrap(), b"id,url\r\n1,http://a/\r\n");
    for bad in ["x.parquet", "x.jsonl", "x.tsv.gz"] {
        let bad = root.path().join(bad);
        let ran = run(&["dedup", "-o", bad.to_str().unwrap()], b"http://a/\n");
        assert_eq!(ran.code, 2);
        assert!(!bad.exists());
    }
}

/// The values of a table of one column may hold what parts the columns of others.
#[test]
fn a_table_of_one_column_has_no_delimiter() {
    let table = "url\nhttp://a.example/p,1\nhttp://a.example/p,2\nhttp://a.example/p;3\n";
    let ran = run(&["dedup", "--csv-column", "url"], table.as_bytes());
    assert_eq!((ran.out.as_str(), ran.code), (table, 0));
}

#[test]
fn an_empty_line_is_named_by_its_number() {
    let ran = run(&["dedup"], b"http://a/\n\nhttp://b/\n");
    assert!(ran.err.contains("line 2: no URI"), "{}", ran.err);
}

/// A record with more fields than its header may have cut its value.
#[test]
fn a_record_with_too_many_fields_is_never_merged() {
    let table = "id,url\n1,http://a.example/x,1\n2,http://a.example/x,2\n3,http://b.example/,\n";
    let ran = run(&["dedup", "--csv-column", "url"], table.as_bytes());
    assert_eq!((ran.out.as_str(), ran.code), (table, 0));
    assert_eq!(ran.err.matches("no URI").count(), 2, "{}", ran.err);
}

/// G1: records in UTF-16 are requests like those in UTF-8, and their bytes are those of the file.
#[test]
fn requests_in_utf_16() {
    use serde_json::Value;
    let json = "[{\"m\\u00e9\":\"\u{1F600}\",\"method\":\"GET\",\"host\":\"a.example\",\"path\":\"/\u{e9}?u=http://q.example/\",\
        \"referer\":\"http://r.example/\",\"note\":\"see http://n.example/.\"},\n{\"a\":\"http://t.example/\"}]\n";
    let line = "{\"\u{4e2d}\":1,\"host\":\"b.example\",\"request\":\"GET /x\u{4e2d} HTTP/1.1\",\"status\":404}\n";
    let table = "\u{e9},method,host,url,note\n\u{1F600},GET,a.example,/p?u=http://q.example/,see http://n.example/.\n,,,http://t.example/,\n";
    for (format, text) in [("json", json), ("json", line), ("csv", table)] {
        let args = ["--all", "--json", "-i", format];
        let records = |ran: &str| -> Vec<Value> {
            ran.lines()
                .map(|line| serde_json::from_str(line).unwrap())
                .collect()
        };
        let plain = records(&run(&args, text.as_bytes()).out);
        assert!(
            plain
                .iter()
                .any(|record| record["request"]["part"] == "target"),
            "{plain:?}"
        );
        for big in [false, true] {
            let units = "\u{FEFF}".encode_utf16().chain(text.encode_utf16());
            let wide: Vec<u8> = units
                .flat_map(|unit| {
                    if big {
                        unit.to_be_bytes()
                    } else {
                        unit.to_le_bytes()
                    }
                })
                .collect();
            let found = records(&run(&args, &wide).out);
            assert_eq!(found.len(), plain.len(), "{found:?}");
            for (found, plain) in found.iter().zip(&plain) {
                for key in ["uri", "original", "request", "pointer", "row", "field"] {
                    assert_eq!(found[key], plain[key], "{key}");
                }
                let span = |record: &Value| {
                    let number = |key: &str| record[key].as_u64().unwrap() as usize;
                    number("offset")..number("offset") + number("length")
                };
                let units: Vec<u16> = wide[span(found)]
                    .chunks(2)
                    .map(|pair| [pair[0], pair[1]])
                    .map(|pair| {
                        if big {
                            u16::from_be_bytes(pair)
                        } else {
                            u16::from_le_bytes(pair)
                        }
                    })
                    .collect();
                assert_eq!(String::from_utf16(&units).unwrap(), text[span(plain)]);
            }
        }
    }
}
