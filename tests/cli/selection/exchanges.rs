//! Findings that are selected and counted by the exchange that their record or their line of a
//! log states, what records have of it, and the times of classes.

use crate::program::{Ran, run};
use serde_json::{Value, json};

/// A response in a web archive; its `Location` and its text have a URI each.
fn response(date: &str, status: &str, uri: &str) -> String {
    let block = format!("HTTP/1.1 {status}\r\nLocation: {uri}head\r\n\r\n{uri}");
    format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Date: {date}\r\n\
         Content-Type: application/http;msgtype=response\r\n\
         Content-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

fn crawl() -> String {
    [
        response("2026-10-04T23:59:59Z", "200 OK", "http://a/"),
        response("2026-10-05T00:00:00Z", "302 Found", "http://b/"),
        response("2026-10-06T00:00:00.5Z", "404 No", "http://c/"),
        response("2026-10-05T12:00:00Z", "200 OK", "http://a/"),
    ]
    .concat()
}

fn printed(args: &[&str]) -> (String, i32) {
    let Ran { out, err, code } = run(args, crawl().as_bytes());
    assert_eq!(err, "", "{args:?}");
    (out.replace("http://", "").replace('\n', " "), code)
}

#[test]
fn records_are_selected_by_what_they_state() {
    for (args, wanted) in [
        (&["--status", "2xx,404"][..], "a/head a/ c/head c/ "),
        (&["--since", "2026-10-06"], "c/head c/ "),
        (&["--until", "2026-10-05"], "a/head a/ "),
        (
            &["--since", "2026-10-05", "--until", "2026-10-06"],
            "b/head b/ a/head a/ ",
        ),
        (&["--since", "2026-10-06T02:00:00.5+02:00"], "c/head c/ "),
        (&["--since", "2026-10-06T02:00:01+02:00"], ""),
        (
            &["--until", "2026-10-05", "--zone", "-00:01"],
            "a/head a/ b/head b/ ",
        ),
        (&["--until", "2026-10-05", "--zone=+00:01"], ""),
        (&["--method", "get"], ""),
        (&["--requests", "only"], ""),
        (&["--requests", "also", "--status", "302"], "b/head b/ "),
    ] {
        let code = i32::from(wanted.is_empty());
        assert_eq!(printed(args), (wanted.to_owned(), code), "{args:?}");
    }
    // A clock is between the dates of the archive and the end of time.
    assert_eq!(printed(&["--until", "0s"]).1, 0);
}

#[test]
fn what_states_no_exchange_is_counted() {
    let count = |args: &[&str], input: &str| {
        let ran = run(&[args, &["--stats"]].concat(), input.as_bytes());
        let line = ran.err.lines().find(|l| l.ends_with(" not_selected"));
        let number = line.map(|line| line.split_whitespace().next().unwrap().to_owned());
        (ran.out, number)
    };
    let text = "http://a/ http://b/\n";
    let two = Some("2".to_owned());
    for args in [
        ["--status", "2xx"],
        ["--method", "GET"],
        ["--since", "1d"],
        ["--requests", "only"],
    ] {
        assert_eq!(count(&args, text), (String::new(), two.clone()), "{args:?}");
    }
    for by in ["status", "method", "client", "hour", "day"] {
        assert_eq!(
            count(&["-c", "--by", by], text),
            (String::new(), two.clone())
        );
    }
    assert_eq!(count(&[], text).1, None);
    // Records whose status is known beforehand are not read.
    let (_, left_out) = count(&["--status", "404"], &crawl());
    assert_eq!(left_out, None);
}

#[test]
fn counted_classes_have_times() {
    let records = |args: &[&str]| -> Vec<Value> {
        let ran = run(args, crawl().as_bytes());
        let lines = ran
            .out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    };
    for args in [&["-c", "--json"][..], &["-c", "--groups", "--json"]] {
        let classes = records(args);
        let class = classes.iter().find(|class| class["uri"] == "http://a/");
        let class = class.unwrap();
        assert_eq!(class["count"], 2);
        assert_eq!(class["first_seen"], "2026-10-04T23:59:59Z");
        assert_eq!(class["last_seen"], "2026-10-05T12:00:00Z");
        let class = classes.iter().find(|class| class["uri"] == "http://c/");
        assert_eq!(class.unwrap()["first_seen"], "2026-10-06T00:00:00.5Z");
    }
    assert_eq!(records(&["--json"])[0]["first_seen"], Value::Null);
    let ran = run(&["-c", "--json"], b"http://a/ http://a/");
    assert!(!ran.out.contains("_seen"), "{}", ran.out);
}

#[test]
fn wrong_values_are_refused() {
    for [flag, value, reason] in [
        ["--status", "20", "not a status code"],
        ["--method", "GET /", "not a method"],
        ["--since", "yesterday", "not a time"],
        ["--until", "2026-13-01", "not a time"],
        ["--zone", "CET", "not an offset from UTC"],
        ["--requests", "none", "also, only"],
    ] {
        let ran = run(&[flag, value], b"http://a/");
        assert_eq!((ran.code, &*ran.out), (2, ""), "{flag}");
        assert!(
            ran.err.contains(flag) && ran.err.contains(reason),
            "{}",
            ran.err
        );
    }
}

/// A log with two requests, the first of which has a secret, and a line of text.
const LOG: &str = "\
a.example:80 192.0.2.1 - - [04/Oct/2026:23:59:59 +0000] \"GET /x?token=zqx HTTP/1.1\" 200 2 \"http://r.example/\" \"-\"
a.example:80 192.0.2.2 - - [06/Oct/2026:01:00:00 +0200] \"POST /x?token=zqx HTTP/1.1\" 404 2 \"-\" \"+http://bot.example/\"
see http://text.example/
";

fn of_log(args: &[&str]) -> Vec<Value> {
    let ran = run(args, LOG.as_bytes());
    assert_eq!(ran.err, "", "{args:?}");
    let lines = ran.out.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn records_have_the_request_of_their_line() {
    let request = |part, method, status: u16, time, client| json!({"part": part, "method": method, "status": status, "time": time, "client": client});
    let first = |part| request(part, "GET", 200, "2026-10-04T23:59:59Z", "192.0.2.1");
    let second = |part| request(part, "POST", 404, "2026-10-06T01:00:00+02:00", "192.0.2.2");
    let wanted = [
        ("http://a.example/x?token=zqx", first("target")),
        ("http://r.example/", first("referer")),
        ("http://a.example/x?token=zqx", second("target")),
        ("http://bot.example/", second("text")),
        ("http://text.example/", Value::Null),
    ];
    let found = of_log(&["--all", "--json"]);
    let found = found
        .iter()
        .map(|record| (record["uri"].as_str().unwrap(), record["request"].clone()));
    assert!(found.clone().eq(wanted), "{found:?}");
    let target = &of_log(&["--json"])[0];
    assert_eq!(
        (&target["original"], &target["offset"], &target["length"]),
        (&json!("/x?token=zqx"), &json!(61), &json!(12))
    );
}

#[test]
fn targets_and_clients_have_no_secrets() {
    for redact in ["--redact=@secrets,client", "--redact=client,query:token"] {
        for format in ["--json", "-fecs"] {
            let ran = run(&["--all", redact, format], LOG.as_bytes());
            assert!(
                !ran.out.contains("zqx") && !ran.out.contains("192.0.2."),
                "{}",
                ran.out
            );
        }
        let target = &of_log(&["--json", redact])[0];
        assert_eq!(target["original"], "http://a.example/x?token=***");
        assert_eq!(target["request"]["client"], "***");
        let counted = run(&["-c", "--by", "client", redact], LOG.as_bytes());
        assert_eq!(counted.out, "2\t***\n");
    }
    // What has no secret is as written.
    let target = &of_log(&["--json", "--redact=client"])[0];
    assert_eq!(target["original"], "/x?token=zqx");
}

#[test]
fn events_have_the_exchange_of_their_line() {
    let event = &of_log(&["-f", "ecs", "--requests", "only", "--all"])[1];
    assert_eq!(event["@timestamp"], "2026-10-06T01:00:00+02:00");
    assert_eq!(event["http"]["request"]["method"], "POST");
    assert_eq!(event["http"]["response"]["status_code"], 404);
    assert_eq!(event["client"]["address"], "192.0.2.2");
    assert_eq!(
        (&event["labels"]["line"], &event["log"]["origin"]),
        (&json!("2"), &Value::Null)
    );
}

#[test]
fn requests_are_selected_and_counted() {
    for (args, wanted) in [
        (&["-c", "--by", "status"][..], "1\t200\n1\t404\n"),
        (&["-c", "--by", "method"], "1\tGET\n1\tPOST\n"),
        (&["-c", "--by", "client"], "1\t192.0.2.1\n1\t192.0.2.2\n"),
        (
            &["-c", "--by", "hour"],
            "1\t2026-10-04T23\n1\t2026-10-05T23\n",
        ),
        (
            &["-c", "--by", "day", "--method", "post"],
            "1\t2026-10-05\n",
        ),
        (
            &["--all", "--requests", "only", "--until", "2026-10-05"],
            "http://a.example/x?token=zqx\n",
        ),
        (
            &["--status", "4xx"],
            "http://a.example/x?token=zqx\nhttp://bot.example/\n",
        ),
        (&["--requests", "only", "--log-format", "off"], ""),
    ] {
        assert_eq!(run(args, LOG.as_bytes()).out, wanted, "{args:?}");
    }
    let class = &of_log(&["-c", "--json", "--requests", "only"])[0];
    assert_eq!(class["first_seen"], "2026-10-04T23:59:59Z");
    assert_eq!(class["last_seen"], "2026-10-06T01:00:00+02:00");
}

/// G15: an object without a request has the time of its own names.
#[test]
fn objects_without_a_request_have_a_time() {
    let text = r#"{"method":"GET","host":"b.example","path":"/b","status":200,"time":"2026-10-05T00:00:00Z"}
{"time":"2026-10-06T00:00:00Z","msg":"see http://n.example/"}
{"ts":1791164594,"msg":"see http://n.example/"}
"#;
    let ran = run(&["-c", "--json"], text.as_bytes());
    let class: Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
    assert_eq!(class["uri"], "http://n.example/");
    assert_eq!(class["first_seen"], "2026-10-05T01:43:14Z");
    assert_eq!(class["last_seen"], "2026-10-06T00:00:00Z");
    assert_eq!(class["request"], Value::Null);
    // A time alone is no exchange.
    let ran = run(&["--since", "2026-10-01"], text.as_bytes());
    assert_eq!(ran.out, "http://b.example/b\n");
}
