//! URIs inside URIs in records (S6, I13): where they stand, and what they are made of.

use crate::program::run;
use serde_json::{Value, json};

const OUTER: &str = "http://a.example/?u=http%3A%2F%2Fb.example%2F&v=http://c.example/";

fn records(flags: &[&str], text: &str) -> Vec<Value> {
    let ran = run(&[&["--json"][..], flags].concat(), text.as_bytes());
    let lines = ran.out.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// `nested_in` and `nested_by` of each record.
fn nested(records: &[Value]) -> Vec<(&Value, &Value)> {
    let of = |record| {
        let record: &Value = record;
        (&record["nested_in"], &record["nested_by"])
    };
    records.iter().map(of).collect()
}

#[test]
fn records_say_where_a_uri_stands() {
    let text = format!("see {OUTER}\n");
    let (percent, plain) = (json!("percent"), json!("plain"));
    // Findings in the order of the text, those that are kept until the end, and classes.
    for flags in [&["--all"][..], &["--all", "--sort"], &[], &["-c"]] {
        let mut found = records(&[&["--nested"], flags].concat(), &text);
        found.sort_by_key(|record| record["uri"].to_string());
        let outer = json!(OUTER);
        let wanted = [
            (&Value::Null, &Value::Null),
            (&outer, &percent),
            (&outer, &plain),
        ];
        assert_eq!(nested(&found), wanted, "{flags:?}");
        assert_eq!(found[1]["uri"], "http://b.example/");
    }
    let found = records(&["--nested"], &text);
    let place = |record: &Value| (record["offset"].clone(), record["length"].clone());
    assert_eq!(place(&found[1]), (json!(24), json!(25)));
    assert_eq!(place(&found[2]), (json!(52), json!(17)));
    let table = run(&["--nested", "-f", "csv"], text.as_bytes());
    let row = table.out.lines().nth(2).unwrap();
    assert!(row.ends_with(&format!(",,,,{OUTER},percent,,,")), "{row}");
}

/// `nested_in` is written as `uri` is.
#[test]
fn the_outer_uri_is_written_as_it_is_reported() {
    let text = "HTTP://u:pw@a.example/?u=http%3A%2F%2Fx%3Ay%40b.example%2F%3Ftoken%3Dt&v\n";
    for (flags, outer, inner) in [
        (
            &["--redact=@secrets"][..],
            "http://u:***@a.example/?u=http%3A%2F%2Fx%3A***%40b.example%2F%3Ftoken%3D***&v",
            "http://x:***@b.example/?token=***",
        ),
        (
            &["--defang", "--redact"],
            "hxxp://u:***@a[.]example/?u=http%3A%2F%2Fx%3A***%40b[.]example%2F%3Ftoken%3Dt&v",
            "hxxp://x:***@b[.]example/?token=t",
        ),
    ] {
        let found = records(&[&["--nested"], flags].concat(), text);
        let of = |number: usize, key: &str| found[number][key].as_str().unwrap().to_owned();
        assert_eq!(of(0, "uri"), outer);
        assert_eq!(
            (of(1, "uri"), of(1, "nested_in")),
            (inner.to_owned(), outer.to_owned())
        );
    }
    // A password that goes on behind the end of the nested one.
    let text = "http://a.example/?u=http%3A%2F%2Fx%3Ap&w%40b.example%2F\n";
    for record in records(&["--nested", "--redact"], text) {
        assert!(!record["uri"].as_str().unwrap().contains("p&w"), "{record}");
        assert!(!record["uri"].as_str().unwrap().ends_with(":p"), "{record}");
    }
}

#[test]
fn references_and_requests_have_uris_inside() {
    let page = "<a href='/go?u=http%3A%2F%2Fb.example%2Fx&amp;v=d3d3LmMuZXhhbXBsZS9h'>";
    let flags = [
        "--nested=base64",
        "-i",
        "html",
        "--base",
        "http://a.example/",
    ];
    let found = records(&flags, page);
    let outer = json!("http://a.example/go?u=http%3A%2F%2Fb.example%2Fx&v=d3d3LmMuZXhhbXBsZS9h");
    assert_eq!(found[0]["uri"], outer);
    assert_eq!(found[1]["uri"], "http://b.example/x");
    assert_eq!(found[2]["uri"], "http://www.c.example/a");
    assert_eq!(found[2]["original"], "www.c.example/a");
    assert_eq!(found[2]["given_scheme"], true);
    assert_eq!(
        nested(&found[1..]),
        [(&outer, &json!("percent")), (&outer, &json!("base64"))]
    );
    let line = "h.example 192.0.2.1 - - [10/Oct/2000:13:55:36 -0700] \
                \"GET http://a.example/r?u=http%3A%2F%2Fb.example%2F HTTP/1.0\" 200 2326\n";
    let found = records(&["--nested"], line);
    let inner: Vec<&Value> = found
        .iter()
        .filter(|record| record["uri"] == "http://b.example/")
        .collect();
    assert_eq!(inner.len(), 1, "{found:?}");
    assert_eq!(inner[0]["nested_by"], "percent");
}

/// What is nested in one that is not selected is reported all the same.
#[test]
fn the_outer_one_need_not_be_selected() {
    let found = records(&["--nested", "--host", "b.example"], OUTER);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["nested_in"], OUTER);
    let wrong = run(&["--nested=x"], b"");
    assert!(
        wrong.code == 2 && wrong.err.contains("--nested"),
        "{}",
        wrong.err
    );
}

/// Long values and many of them: nothing is lost without a mark.
#[test]
fn hostile_values_are_marked() {
    let value = "http%3A%2F%2F".repeat(4_000);
    let found = records(
        &["--nested"],
        &format!("http://a.example/?u={value}b.example\n"),
    );
    assert_eq!(found[0]["problems"], json!(["nested-limit"]));
    let deep = format!("http%{}3A%2F%2Fb.example", "25".repeat(20_000));
    let found = records(&["--nested"], &format!("http://a.example/?u={deep}\n"));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["problems"], json!(["nested-limit"]));
    let zeros = format!(
        "http://a.example/?u=aHR0cDovL2IuZXhhbXBsZS8{}\n",
        "A".repeat(40_001)
    );
    let found = records(&["--nested=base64"], &zeros);
    assert_eq!(found.len(), 2);
    assert_eq!(found[1]["problems"], json!(["bad-char"]));
}
