//! `catalog list` and `catalog check` through the program: the cases of
//! `corpora/conformance/catalogue.jsonl`, the ways in which a catalogue may come, damage.

use crate::archive::Header;
use crate::cases::{cases, text, texts};
use crate::marc::record;
use crate::packed::gzip;
use crate::program::run;
use crate::thorough;
use serde_json::Value;
use std::fs;

/// Runs `catalog` with these arguments; returns the rows as JSON, the messages and the code.
fn rows(args: &[&str], input: &[u8]) -> (Vec<Value>, String, i32) {
    let args = [&["catalog", args[0], "--json"], &args[1..]].concat();
    let ran = run(&args, input);
    let out = ran.out;
    let rows = out.lines().map(|line| serde_json::from_str(line).unwrap());
    let messages = ran.err;
    (rows.collect(), messages, ran.code)
}

/// Returns a column of rows.
fn column(rows: &[Value], name: &str) -> Vec<String> {
    let text = |row: &Value| match &row[name] {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    rows.iter().map(text).collect()
}

#[test]
fn every_case() {
    let mut failures = Vec::new();
    for case in cases("catalogue.jsonl") {
        let input = text(&case, "in").as_bytes();
        let command = text(&case, "command");
        let mut args = [vec![command], texts(&case, "args")].concat();
        if command == "check" {
            args.extend(["--id-column", "id"]);
        }
        let (rows, messages, _) = rows(&args, input);
        let found: Value = match command {
            "list" => column(&rows, "canonical").into(),
            _ => {
                let ids = column(&rows, "record_id").into_iter();
                let rows = ids.zip(column(&rows, "problem")).map(|(id, problem)| {
                    let mut codes: Vec<&str> = problem.split(' ').collect();
                    codes.sort_unstable();
                    serde_json::json!([id, codes])
                });
                rows.collect()
            }
        };
        // Rows without a problem are not listed.
        let wanted = case["expect"].as_array().unwrap().iter();
        let wanted = wanted.filter(|row| row[1].as_array().is_none_or(|codes| !codes.is_empty()));
        let wanted: Value = wanted.cloned().collect();
        if found != wanted {
            failures.push(format!("{}: {found}, not {wanted} {messages}", case["id"]));
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// A record with identifiers of several kinds, in MARC-8 or UTF-8.
fn number(number: usize, coding: char) -> Vec<u8> {
    let id = format!("r{number}");
    let link = format!(
        "40\x1FuHTTP://{number}.example/a b\x1F3Part\x1FyText\x1Fzsee http://z.example/{number}"
    );
    let title: &[u8] = match coding {
        'a' => "10\x1FaCafé\x1Fbof it".as_bytes(),
        _ => b"10\x1FaCaf\xE2e\x1Fbof it",
    };
    let fields: [(&str, &[u8]); 5] = [
        ("001", id.as_bytes()),
        ("020", b"  \x1Fa0451450523 (pbk.)\x1Fz0451450524"),
        ("024", b"7 \x1Fa10.1000/1\x1F2doi"),
        ("245", title),
        ("856", link.as_bytes()),
    ];
    record(coding, &fields)
}

fn twenty() -> Vec<u8> {
    (1..=20).flat_map(|n| number(n, ' ')).collect()
}

#[test]
fn a_row_has_all_columns() {
    let (rows, _, code) = rows(
        &["list", "--make-urn", "--with", "001,245"],
        &number(7, ' '),
    );
    assert_eq!((rows.len(), code), (5, 0));
    let link = &rows[3];
    for (name, wanted) in [
        ("file", "(standard input)"),
        ("record_id", "r7"),
        ("title", "Café of it"),
        ("tag", "856"),
        ("ind1", "4"),
        ("ind2", "0"),
        ("subfield", "u"),
        ("original", "HTTP://7.example/a b"),
        ("canonical", "http://7.example/a%20b"),
        ("kind", "url"),
        ("scheme", "http"),
        ("host", "7.example"),
        ("problem", "blank-inside"),
        ("problem_text", "blank inside"),
        ("note", "see http://z.example/7"),
        ("link_text", "Text"),
        ("materials", "Part"),
        ("001", "r7"),
        ("245", "Café; of it"),
    ] {
        assert_eq!(link[name], wanted, "{name}");
    }
    for (name, wanted) in [("record_no", 1), ("occurrence", 1), ("record_offset", 0)] {
        assert_eq!(link[name], wanted, "{name}");
    }
    let canonical = column(&rows, "canonical");
    assert_eq!(
        canonical[..3],
        [
            "urn:isbn:0451450523",
            "urn:isbn:0451450524",
            "doi:10.1000/1"
        ]
    );
    assert_eq!(rows[4]["problem"], "in-note");
}

#[test]
fn rows_are_the_same_however_the_bytes_come() {
    let text = twenty();
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (plain, packed) = (write("a.mrc", &text), write("a.mrc.gz", &gzip(&text)));
    let member = Header::new(b"in.mrc", b'0', text.len()).member(&text);
    let archive = write("a.tar", &[member, vec![0; 1024]].concat());
    let utf8: Vec<u8> = (1..=20).flat_map(|n| number(n, 'a')).collect();
    let utf8 = write("b.mrc", &utf8);
    let wanted = rows(&["list"], &text).0;
    assert_eq!(wanted.len(), 100);
    let same = |found: Vec<Value>, columns: &[&str], what: &str| {
        assert_eq!(found.len(), wanted.len(), "{what}");
        for (found, wanted) in found.into_iter().zip(&wanted) {
            let (mut found, mut wanted) = (found, wanted.clone());
            for column in columns {
                for row in [&mut found, &mut wanted] {
                    row.as_object_mut().unwrap().remove(*column);
                }
            }
            assert_eq!(found, wanted, "{what}");
        }
    };
    for threads in ["1", "2", "8"] {
        let list = |file: &str| rows(&["list", "-j", threads, file], b"").0;
        same(rows(&["list", "-j", threads], &text).0, &[], threads);
        same(list(&plain), &["file"], "file");
        same(list(&packed), &["file"], "gzip");
        same(list(&archive), &["file"], "tar");
        same(list(&utf8), &["file", "record_offset"], "UTF-8");
    }
    let (rows, ..) = rows(&["list", &archive], b"");
    assert_eq!(rows[0]["file"], format!("{archive}/in.mrc"));
}

#[test]
fn a_wrong_length_costs_no_row() {
    let mut text: Vec<u8> = (1..=3).flat_map(|n| number(n, ' ')).collect();
    let wanted = rows(&["list"], &text).0;
    let second = number(1, ' ').len();
    text[second..second + 5].copy_from_slice(b"00009");
    let (found, messages, code) = rows(&["list"], &text);
    assert_eq!((found, code), (wanted, 2));
    let place = format!("byte {second}: record 2, of the stated length 9");
    assert!(messages.contains(&place), "{messages}");
}

#[test]
fn checks_have_exit_codes() {
    let good = b"url\nhttp://a.example/\n";
    let bad = b"id,url\n1,http://a.example/.\n2,http://a.example/\n3,http:/b.example\n";
    let info = b"url\nhttp://a.example/~x%7Ey\n";
    let check = |args: &[&str], text: &[u8]| {
        let (rows, _, code) = rows(&[&["check"], args].concat(), text);
        (column(&rows, "problem"), code)
    };
    let strings = |codes: &[&str]| codes.iter().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(check(&[], good), (strings(&[]), 0));
    let tilde = strings(&["tilde-encoded"]);
    assert_eq!(check(&[], info), (tilde.clone(), 0));
    assert_eq!(check(&["--problem", "tilde-encoded"], info), (tilde, 0));
    let both = strings(&["trailing-punct", "missing-slashes"]);
    assert_eq!(check(&[], bad), (both, 1));
    assert_eq!(check(&["--problem", "bad-host"], bad), (strings(&[]), 0));
    assert_eq!(check(&["-q"], bad), (strings(&[]), 1));
    let ran = run(&["catalog", "check", "--summary"], bad);
    let out = ran.out;
    let wanted = "code,severity,count,words\ntrailing-punct,warning,1,punctuation\n\
                  missing-slashes,error,1,slashes missing\n";
    assert_eq!((&*out, ran.code), (wanted, 1));
    let missing = run(&["catalog", "check", "no/such/file"], b"");
    assert_eq!(missing.code, 2);
    let none = run(&["catalog", "list"], b"url,text\n,abc\n");
    assert_eq!(none.code, 1);
    let unknown = run(&["catalog", "list"], b"text\nabc\n");
    assert_eq!(unknown.code, 2);
    for wrong in [
        &["check", "--problem", "x"][..],
        &["list", "-f", "ecs"],
        &["list", "--fields", "856[4u"],
        &["list", "--with", "title"],
        &["list", "--excel", "--json"],
    ] {
        let ran = run(&[&["catalog"], wrong].concat(), good);
        assert_eq!(ran.code, 2, "{wrong:?}");
    }
}

/// With `-q` the run ends where the exit code is certain: what follows is not read.
#[test]
fn quiet_runs_end_at_the_first_finding() {
    let bad = "id,url\n1,http://a.example/.\n";
    let good = "id,url\n1,http://a.example/\n";
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (bad, good, none) = (file("bad.csv", bad), file("good.csv", good), "no/such/file");
    for (args, code) in [
        (&["list", "-q", &good, none][..], 0),
        (&["list", "-q", none, &good], 0),
        (&["check", "-q", &bad, none], 1),
        (&["check", "-q", none, &bad], 1),
        (&["check", "-q", &good, none], 2),
        (&["check", "-q", &good], 0),
    ] {
        let ran = run(&[&["catalog"], args, &["-j", "1"]].concat(), b"");
        assert_eq!((ran.code, &*ran.out), (code, ""), "{args:?} {}", ran.err);
        let reads_on = code == 2 || args[2] == none;
        assert_eq!(ran.err.contains(none), reads_on, "{args:?} {}", ran.err);
    }
    // An input without an end.
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_urisieve"))
        .args(["catalog", "check", "-q"])
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let rows = "1,http://a.example/.\n".repeat(1000);
    let wrote =
        (0..100_000).try_for_each(|_| std::io::Write::write_all(&mut input, rows.as_bytes()));
    assert!(wrote.is_err(), "it reads on");
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn line_buffered_rows_do_not_wait_for_groups() {
    let text = twenty();
    let wanted = run(&["catalog", "list", "--no-groups"], &text).out;
    let ran = run(
        &["catalog", "list", "--no-groups", "--line-buffered"],
        &text,
    );
    assert!(ran.out == wanted && ran.code == 0);
    let ran = run(&["catalog", "list", "--line-buffered"], &text);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("--no-groups"), "{}", ran.err);
}

#[test]
fn statistics_are_in_the_form_of_the_rows() {
    let ran = run(&["catalog", "list", "--stats"], &twenty());
    assert!(ran.err.contains("           100 rows\n"), "{}", ran.err);
    let ran = run(&["catalog", "list", "--stats", "--json"], &twenty());
    let stats: Value = serde_json::from_str(&ran.err).unwrap();
    assert_eq!(
        (&stats["rows"], &stats["records"]),
        (&100.into(), &20.into())
    );
}

#[test]
fn tables_are_written_in_every_format() {
    let directory = tempfile::tempdir().unwrap();
    let text = twenty();
    let wanted = column(&rows(&["list"], &text).0, "original");
    for name in [
        "a.csv",
        "a.tsv",
        "a.jsonl",
        "a.parquet",
        "a.csv.gz",
        "a.jsonl.zst",
    ] {
        let path = directory.path().join(name);
        let ran = run(&["catalog", "list", "-o", path.to_str().unwrap()], &text);
        assert_eq!((ran.code, &*ran.out), (0, ""), "{name}");
        if name == "a.parquet" {
            // The program reads no catalogue from it, but says so.
            assert!(fs::read(&path).unwrap().ends_with(b"PAR1"));
            continue;
        }
        let back = rows(
            &["list", "--fields", "original", path.to_str().unwrap()],
            b"",
        );
        let links: Vec<&String> = wanted.iter().filter(|it| it.contains("://z.")).collect();
        assert_eq!(
            column(&back.0, "original").iter().collect::<Vec<_>>(),
            links,
            "{name}"
        );
    }
    let ran = run(
        &["catalog", "list", "--excel"],
        b"url,note\n=1+http://a.example,x\n",
    );
    let out = ran.out;
    assert!(
        out.starts_with("\u{FEFF}file,") && out.contains(",'=1+http://a.example,"),
        "{out}"
    );
    assert_eq!(out.matches("\r\n").count(), out.matches('\n').count());
}

#[test]
fn secrets_are_hidden() {
    let text = b"=856  40$uhttp://u:secret@a.example/.$zsee http://u:secret@b.example/\n";
    for args in [&["list", "--redact"][..], &["list", "--redact", "--defang"]] {
        let ran = run(&[&["catalog"], args].concat(), text);
        let out = ran.out;
        assert!(!out.contains("secret"), "{out}");
        assert_eq!(args.len() == 3, !out.contains("http:"), "{out}");
    }
}

#[test]
fn any_flipped_byte_and_any_cut_leaves_the_other_records() {
    use urisieve::canonicalize::Canonicalizer;
    use urisieve::catalog::{FieldChoice, IdentifierRows};
    use urisieve::decode::{CatalogFormat, CatalogReader, CatalogRecord, RecordStep};

    let records: Vec<Vec<u8>> = (1..=20).map(|n| number(n, ' ')).collect();
    let text = records.concat();
    let mut rows = IdentifierRows::new(FieldChoice::default(), Canonicalizer::default());
    let mut record = CatalogRecord::default();
    let mut list = |text: &[u8]| {
        let mut reader = CatalogReader::new(CatalogFormat::Marc);
        let (mut at, mut found) = (0, Vec::new());
        loop {
            match reader.read(&text[at..], true, &mut record) {
                RecordStep::Record(len) => {
                    at += len;
                    let rows = rows.of(std::slice::from_ref(&record));
                    found.extend(
                        rows.iter()
                            .map(|row| (record.id().to_vec(), row.original.to_vec())),
                    );
                }
                RecordStep::Outside { len, .. } | RecordStep::Lost(len, _) => at += len,
                _ => return found,
            }
        }
    };
    let wanted = list(&text);
    assert_eq!(wanted.len(), 100);
    let of = |at: usize| {
        let mut end = 0;
        1 + records
            .iter()
            .take_while(|record| {
                end += record.len();
                end <= at
            })
            .count()
    };
    let check =
        |found: &[(Vec<u8>, Vec<u8>)], damaged: std::ops::RangeInclusive<usize>, what: &str| {
            let mut found = found.iter();
            for row in &wanted {
                let number: usize = std::str::from_utf8(&row.0[1..]).unwrap().parse().unwrap();
                if !damaged.contains(&number) {
                    assert!(found.any(|it| it == row), "{what}: {row:?}");
                }
            }
        };
    for at in (0..text.len()).step_by(thorough::step(13)) {
        let mut flipped = text.clone();
        for bit in [0x01, 0x10, 0x80, 0xFF] {
            flipped[at] = text[at] ^ bit;
            check(
                &list(&flipped),
                of(at)..=of(at),
                &format!("byte {at} ^ {bit}"),
            );
        }
        check(&list(&text[..at]), of(at)..=20, &format!("cut at {at}"));
    }
}

/// A column has the kind that its name or `--fields` gives it, and everything wrong in it is listed.
#[test]
fn columns_are_known_by_name() {
    let check = |args: &[&str], text: &str| {
        let (rows, ..) = rows(&[&["check"], args].concat(), text.as_bytes());
        let tags = column(&rows, "tag").into_iter();
        let shown = tags
            .zip(column(&rows, "original"))
            .zip(column(&rows, "problem"));
        shown
            .map(|((tag, value), problem)| format!("{tag}|{value}|{problem}"))
            .collect::<Vec<_>>()
    };
    let kbart = "publication_title\tprint_identifier\tonline_identifier\ttitle_url\ttitle_id\n\
        A\t2049-3631\t0451450524\twww.a.example/j\t1\n\
        B\t2049-3630\t\thttp//b.example/\t2\nC\t\t\tsee shelf\t3\n";
    let wanted = [
        "print_identifier|2049-3631|issn-check",
        "online_identifier|0451450524|isbn-check",
        "title_url|www.a.example/j|missing-scheme",
        "title_url|http//b.example/|missing-colon",
        "title_url|see shelf|no-scheme",
    ];
    assert_eq!(check(&[], kbart), wanted);
    let named = "a b;c;d\nwww.a.example;0451450524;10.1000/1.\n";
    let fields = ["--fields", "A B=uri,c=isbn,D=doi"];
    assert_eq!(
        check(&fields, named),
        [
            "a b|www.a.example|missing-scheme",
            "c|0451450524|isbn-check",
            "d|10.1000/1.|trailing-punct"
        ]
    );
    let headed =
        "URLs,Online ISSN,ISBN-13,DOI link\nwww.a.example,2049-3631,9780451450525,11.1/2\n";
    assert_eq!(
        check(&[], headed),
        [
            "URLs|www.a.example|missing-scheme",
            "Online ISSN|2049-3631|issn-check",
            "ISBN-13|9780451450525|isbn-check",
            "DOI link|11.1/2|doi-shape"
        ]
    );
    let marc = "=001  1\n=909  \\\\$awww.a.example/x\n";
    assert_eq!(
        check(&["--fields", "909a=uri"], marc),
        ["909|www.a.example/x|missing-scheme"]
    );
    let ran = run(&["catalog", "list", "--fields", "a=b"], b"");
    assert!(
        ran.code == 2 && ran.err.contains("a kind is uri, urn,"),
        "{}",
        ran.err
    );
    let core = |value: &str| format!("<dc:identifier>{value}</dc:identifier>");
    let values = [
        "www.a.example/j",
        "http//b.example/",
        "htp://c.example/",
        "http://d.example/a b",
        "10.1000/182.",
        "ISBN 0451450524",
        "See http://e.example/",
        "ISSN: 2049-3630",
        "oai:a.example:1",
        "MS 12",
        "http://f.example/",
    ];
    let core: String = values.iter().map(|value| core(value)).collect();
    let core = format!("<dc xmlns:dc=\"http://purl.org/dc/elements/1.1/\">{core}</dc>");
    let wanted = [
        "identifier|www.a.example/j|missing-scheme",
        "identifier|http//b.example/|missing-colon",
        "identifier|htp://c.example/|misspelt-scheme",
        "identifier|http://d.example/a b|blank-inside",
        "identifier|10.1000/182.|trailing-punct missing-scheme",
        "identifier|0451450524|isbn-check",
        "identifier|See http://e.example/|text-before",
    ];
    assert_eq!(check(&[], &core), wanted);
}

#[test]
fn problems_are_counted_by_host_tag_and_library() {
    let text = "=001  1\n=020  \\\\$a0451450524\n=852  \\\\$bMain\n=856  40$uhttp://a.example/x.\n=856  40$uhttp://A.example/y.\n\n\
        =001  2\n=852  \\\\$bBranch\n=856  40$uhttp//B.example/z.\n";
    for (key, wanted) in [
        (
            "host",
            ",isbn-check,error,1|a.example,trailing-punct,warning,2|b.example,trailing-punct,warning,1|b.example,missing-colon,error,1",
        ),
        (
            "tag",
            "020,isbn-check,error,1|856,trailing-punct,warning,3|856,missing-colon,error,1",
        ),
        (
            "852b",
            "Branch,trailing-punct,warning,1|Branch,missing-colon,error,1|Main,trailing-punct,warning,2|Main,isbn-check,error,1",
        ),
    ] {
        let ran = run(
            &["catalog", "check", "--summary", "--by", key],
            text.as_bytes(),
        );
        let rows = ran.out.lines().map(|line| line.rsplit_once(',').unwrap().0);
        let rows: Vec<&str> = rows.collect();
        assert_eq!(rows[0], format!("{key},code,severity,count"));
        assert_eq!(
            (rows[1..].join("|"), ran.code),
            (wanted.to_owned(), 1),
            "{}",
            ran.err
        );
    }
    let ran = run(&["catalog", "check", "--by", "host"], b"");
    assert_eq!(ran.code, 2);
}

/// Identifiers with their source before them are only listed in fields that are named.
#[test]
fn identifiers_of_persons_are_listed_where_they_are_asked_for() {
    let input = b"=001  1\n=035  \\\\$a(OCoLC)ocm00012345$z(DE-599)DNB1\n=035  \\\\$a12\n\
        =100  1\\$aA$0(DE-588)118540238$0(orcid)0000-0002-1694-2330$1https://a.example/\n=700  1\\$0(DE-588)Goethe$0(see)\n";
    let (plain, ..) = rows(&["list"], input);
    assert_eq!(column(&plain, "original"), ["https://a.example/"]);
    let fields = ["list", "--fields", "035,1000,7000"];
    let (listed, said, code) = rows(&fields, input);
    assert_eq!((code, &*said), (0, ""));
    let shown = |name| column(&listed, name);
    assert_eq!(
        shown("kind"),
        ["oclc", "control-number", "gnd", "orcid", "gnd"]
    );
    let uris = [
        "http://www.worldcat.org/oclc/12345",
        "",
        "https://d-nb.info/gnd/118540238",
        "https://orcid.org/0000-0002-1694-2330",
        "",
    ];
    assert_eq!(shown("canonical"), uris);
    assert_eq!(shown("problem"), ["", "", "", "id-check", "id-shape"]);
}

/// Dead links, and links that have moved, are known from a table that another program made.
#[test]
fn statuses_of_links_are_read_from_a_table() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let links = ["gone", "nohost", "old", "old2", "late", "same", "bad"];
    let input: String = links
        .iter()
        .map(|name| format!("=001  {name}\n=856  40$uHTTP://A.example/{name}\n\n"))
        .collect();
    let csv = "url,status,location\nhttp://a.example/gone,404,\nhttp://a.example/nohost,no such host,\n\
        http://a.example/old,301,https://b.example/new\nhttp://a.example/old2,308,/new\n\
        http://a.example/late,503,\nhttp://a.example/same,302,http://c.example/\nhttp://a.example/bad,301,http//c\n";
    let table = path("s.csv", csv);
    let lines = csv.lines().skip(1).map(|line| {
        let cells: Vec<&str> = line.split(',').collect();
        format!(
            "{{\"url\":\"{}\",\"status\":\"{}\",\"location\":\"{}\"}}\n",
            cells[0], cells[1], cells[2]
        )
    });
    let lines = path("s.jsonl", &lines.collect::<String>());
    for table in [&table, &lines] {
        let (found, said, code) = rows(&["check", "--statuses", table], input.as_bytes());
        assert_eq!((code, &*said), (1, ""));
        assert_eq!(
            column(&found, "record_id"),
            ["gone", "nohost", "old", "old2"]
        );
        assert_eq!(
            column(&found, "problem"),
            ["dead-link", "dead-link", "moved", "moved"]
        );
        let new = ["", "", "https://b.example/new", "http://a.example/new"];
        assert_eq!(column(&found, "suggestion"), new);
    }
    let fixed = run(
        &["catalog", "fix", "--only", "moved", "--statuses", &table],
        input.as_bytes(),
    );
    let wanted = input
        .replace("HTTP://A.example/old2", "http://a.example/new")
        .replace("HTTP://A.example/old", "https://b.example/new");
    assert_eq!((fixed.code, fixed.out), (0, wanted), "{}", fixed.err);
    let other = path("o.csv", "a,b\n1,2\n");
    for (args, said) in [
        (
            &["check", "--statuses", &other][..],
            "the column url is missing",
        ),
        (
            &["check", "--statuses", "none.csv"],
            "--statuses none.csv: ",
        ),
        (&["fix", "--only", "moved"], "go together"),
        (
            &["fix", "--only", "no-scheme", "--statuses", &table],
            "go together",
        ),
    ] {
        let ran = run(&[&["catalog"], args].concat(), input.as_bytes());
        assert!(
            ran.code == 2 && ran.err.contains(said),
            "{args:?} {}",
            ran.err
        );
    }
}

/// A line of MARC in JSON is a record of MARC, and can be repaired.
#[test]
fn marc_in_json_has_fields() {
    let line = |n: usize| {
        format!(
            "{{\"leader\":\"00000nam a2200000 a 4500\",\"fields\":[{{\"001\":\"r{n}\"}},\
             {{\"020\":{{\"ind1\":\" \",\"ind2\":\" \",\"subfields\":[{{\"a\":\"0451450524 (pbk.)\"}}]}}}},\
             {{\"245\":{{\"subfields\":[{{\"a\":\"Caf\\u00e9 /\"}},{{\"c\":\"A.\"}}],\"ind1\":\"1\",\"ind2\":\"0\"}}}},\
             {{\"856\":{{\"ind1\":\"4\",\"ind2\":\"0\",\"subfields\":[{{\"u\":\"http//r{n}.example/\"}},{{\"y\":\"Text\"}}]}}}}]}}\n"
        )
    };
    let input = line(1) + &line(2);
    let (found, said, code) = rows(&["check"], input.as_bytes());
    assert_eq!((code, &*said), (1, ""));
    assert_eq!(column(&found, "record_id"), ["r1", "r1", "r2", "r2"]);
    assert_eq!(column(&found, "title")[0], "Café /");
    assert_eq!(column(&found, "tag"), ["020", "856", "020", "856"]);
    assert_eq!(column(&found, "ind1")[1], "4");
    assert_eq!(column(&found, "subfield"), ["a", "u", "a", "u"]);
    assert_eq!(
        column(&found, "problem")[..2],
        ["isbn-check", "missing-colon"]
    );
    let fixed = run(
        &["catalog", "fix", "--only", "missing-colon"],
        input.as_bytes(),
    );
    assert_eq!(
        (fixed.code, fixed.out),
        (0, input.replace("http//", "http://"))
    );
    // A URI is listed in any field, as of other JSON.
    let other = input
        .replace("\"245\"", "\"956\"")
        .replace("A.\"", "http://c.example/\"");
    let (found, ..) = rows(&["list"], other.as_bytes());
    assert_eq!(column(&found, "tag")[..3], ["020", "956", "856"]);
    // Objects with other members are rows.
    let other = "{\"leader\":\"x\",\"fields\":[{\"856\":\"a\"}],\"url\":\"http://a.example/\"}\n";
    let (found, ..) = rows(&["list"], other.as_bytes());
    assert_eq!(column(&found, "tag"), ["url"]);
    let (found, ..) = rows(&["list", "--id-column", "leader"], input.as_bytes());
    assert_eq!(column(&found, "tag")[0], "fields/856/subfields/u");
}
