//! URLs of gateways, which are replaced by the URL that they lead to (I14, I15).

use crate::program::run;
use serde_json::{Value, json};
use std::fs;
use tempfile::TempDir;

const SAFE: &str = "https://eu1.safelinks.protection.outlook.com/?url=https%3A%2F%2Fvk.com%2Faway.php%3Fto%3Dhttp%253A%252F%252Fb.example%252Fx&data=1";

fn records(flags: &[&str], text: &str) -> Vec<Value> {
    let ran = run(&[&["--all", "--json"][..], flags].concat(), text.as_bytes());
    let lines = ran.out.lines();
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn the_target_is_printed_with_its_gateways() {
    let text = format!(
        "see {SAFE}, HTTP://B.example/x and https://x.example/?url=http%3A%2F%2Fc.example\n"
    );
    let found = records(&["--unwrap-gateways"], &text);
    assert_eq!(found.len(), 3);
    assert_eq!(found[0]["uri"], "http://b.example/x");
    assert_eq!(found[0]["original"], SAFE);
    assert_eq!(found[0]["gateway"], json!(["safelinks", "vk"]));
    assert_eq!(
        (&found[0]["offset"], &found[0]["length"]),
        (&json!(4), &json!(SAFE.len()))
    );
    assert_eq!(
        (&found[1]["uri"], &found[1]["gateway"]),
        (&json!("http://b.example/x"), &Value::Null)
    );
    assert_eq!(
        found[2]["uri"],
        "https://x.example/?url=http%3A%2F%2Fc.example"
    );
    // A target is equal to the same URL that no gateway wraps.
    assert_eq!(
        run(&["--unwrap-gateways", "-c"], text.as_bytes())
            .out
            .lines()
            .next(),
        Some("2\thttp://b.example/x")
    );
    let counted = run(&["--unwrap-gateways", "-c", "--json"], text.as_bytes());
    assert!(
        counted.out.contains(r#""gateway":["safelinks","vk"]"#),
        "{}",
        counted.out
    );
    let table = run(&["--unwrap-gateways", "-f", "csv"], text.as_bytes());
    assert!(
        table
            .out
            .lines()
            .nth(1)
            .unwrap()
            .ends_with(",safelinks;vk,,,,,"),
        "{}",
        table.out
    );
}

#[test]
fn a_url_without_a_target_stays() {
    let text = "https://t.co/x https://vk.com/away.php?to=x https://slack-redir.net/link?url=https%3A%2F%2Fbit.ly%2Fx\n";
    let found = records(&["--unwrap-gateways"], text);
    let seen: Vec<_> = found
        .iter()
        .map(|row| (&row["uri"], &row["problems"], &row["gateway"]))
        .collect();
    assert_eq!(
        seen,
        [
            (
                &json!("https://t.co/x"),
                &json!(["opaque-gateway"]),
                &Value::Null
            ),
            (
                &json!("https://vk.com/away.php?to=x"),
                &json!(["bad-gateway"]),
                &Value::Null
            ),
            (
                &json!("https://bit.ly/x"),
                &json!(["opaque-gateway"]),
                &json!(["slack"])
            ),
        ]
    );
    assert!(
        records(&[], text)
            .iter()
            .all(|row| row["problems"].is_null())
    );
}

#[test]
fn gateways_are_chosen_and_added() {
    let folder = TempDir::new().unwrap();
    let table = folder.path().join("own.tsv");
    fs::write(&table, "# own\nown\tgo.c.example\t/out\tto\tpercent\n").unwrap();
    let own = format!("--unwrap-gateways=@{}", table.display());
    let text = b"https://go.c.example/out?to=http%3A%2F%2Fb.example https://go.c.example/in?to=http%3A%2F%2Fb.example https://vk.com/away.php?to=http%3A%2F%2Fb.example\n";
    let lines = |flag: &str| run(&["--all", flag], text).out;
    assert_eq!(
        lines(&own),
        "http://b.example\nhttps://go.c.example/in?to=http%3A%2F%2Fb.example\nhttps://vk.com/away.php?to=http%3A%2F%2Fb.example\n"
    );
    assert_eq!(
        lines(&format!("{own},vk"))
            .matches("http://b.example\n")
            .count(),
        2
    );
    assert_eq!(lines("--unwrap-gateways=slack"), lines("--opaque=about"));
    for (flag, message) in [
        ("--unwrap-gateways=x", "\"x\" is not one of amp, archives, "),
        ("--unwrap-gateways=@/none.tsv", "/none.tsv: "),
    ] {
        let ran = run(&[flag], text);
        assert!(ran.code == 2 && ran.err.contains(message), "{}", ran.err);
    }
    fs::write(&table, "own\tgo.c.example\tout\tto\tpercent\n").unwrap();
    let ran = run(&[&own[..]], text);
    assert!(
        ran.code == 2 && ran.err.contains("line 1: the path does not begin with /"),
        "{}",
        ran.err
    );
}

/// No secret of a URL that a gateway wraps is printed, nor of its own.
#[test]
fn secrets_of_targets_are_hidden() {
    let text =
        "https://vk.com/away.php?to=http%3A%2F%2Fjoe%3Apw%40b.example%2F%3Ftoken%3Dabc&token=def\n";
    let ran = run(
        &["--unwrap-gateways", "--json", "--redact=@secrets"],
        text.as_bytes(),
    );
    let out = ran.out;
    assert!(out.contains("http://joe:***@b.example/?token=***"), "{out}");
    for secret in ["pw", "abc", "def"] {
        assert!(!out.contains(secret), "{out}");
    }
}
