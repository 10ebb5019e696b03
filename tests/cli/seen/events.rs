//! `enrich --seen`: an event says which of its URIs are new, and the store remembers what was added.

use crate::program::{Ran, run};
use std::fs;
use std::path::Path;

fn enrich(store: &Path, args: &[&str], text: &str) -> Ran {
    let store = store.to_str().unwrap();
    run(
        &[&["enrich", "--seen", store], args].concat(),
        text.as_bytes(),
    )
}

fn exported(store: &Path) -> String {
    run(&["seen", "export", store.to_str().unwrap()], b"").out
}

/// An event with these URIs.
fn event(uris: &[&str]) -> String {
    format!("{{\"m\":\"{}\"}}\n", uris.join(" "))
}

/// The values of `new` in the output, one letter each.
fn marks(ran: &Ran) -> String {
    let lines = ran.out.lines().map(|line| {
        let marks = line.split("\"new\":").skip(1);
        marks.map(|rest| &rest[..1]).collect::<String>()
    });
    lines.collect::<Vec<_>>().join(" ")
}

#[test]
fn events_say_what_is_new() {
    let root = tempfile::tempdir().unwrap();
    let store = root.path().join("store");
    let (a, b, c) = ("http://a.example/", "http://b.example/x", "urn:a-b:c");
    let text = [event(&[a, b, a]), event(&["none"]), event(&[b, c])].concat();
    let first = enrich(&store, &["--as", "urls"], &text);
    let wanted = "{\"m\":\"http://b.example/x urn:a-b:c\",\"urls\":[{\"uri\":\"http://b.example/x\",\
        \"kind\":\"url\",\"scheme\":\"http\",\"host\":\"b.example\",\"path\":\"/x\",\"new\":false,\
        \"pointer\":\"/m\"},{\"uri\":\"urn:a-b:c\",\"kind\":\"urn\",\"scheme\":\"urn\",\"nid\":\"a-b\",\
        \"path\":\"a-b:c\",\"problems\":[\"nid-unregistered\"],\"new\":true,\"pointer\":\"/m\"}]}\n";
    assert_eq!(
        (marks(&first), first.code),
        ("tt  ft".to_owned(), 0),
        "{}",
        first.err
    );
    assert!(first.out.ends_with(wanted), "{}", first.out);
    assert!(first.err.contains("a new store"), "{}", first.err);
    assert_eq!(exported(&store), format!("{a}\n{b}\n{c}\n"));
    // The next day, in another spelling.
    let d = "http://d.example/";
    let second = enrich(
        &store,
        &["--as", "urls"],
        &event(&["HTTP://A.example/", d, c]),
    );
    assert_eq!((marks(&second), &*second.err), ("ftf".to_owned(), ""));
    // Extract shares the store.
    let other = run(
        &["--seen", store.to_str().unwrap()],
        format!("{d} http://e.example/").as_bytes(),
    );
    assert_eq!(other.out, "http://e.example/\n");
    // Other forms have no room for the answer, and remember the same.
    for form in ["uris", "ecs"] {
        let uri = format!("http://{form}.example/");
        let plain = run(&["enrich", "--as", form], event(&[a, &uri]).as_bytes());
        let ran = enrich(&store, &["--as", form], &event(&[a, &uri]));
        assert_eq!((ran.out, ran.code), (plain.out, 0));
        assert!(exported(&store).contains(&uri));
    }
}

#[test]
fn only_what_is_added_is_remembered() {
    let root = tempfile::tempdir().unwrap();
    let store = root.path().join("store");
    let many: Vec<String> = (0..30)
        .map(|n| format!("http://h.example/{n:02}"))
        .collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let ran = enrich(&store, &["--max-per-event", "20"], &event(&many));
    assert!(ran.out.contains("\"urls_more\":10"), "{}", ran.out);
    assert_eq!(exported(&store), many[..20].join("\n") + "\n");
    // An event that has the member is unchanged.
    let ran = enrich(&store, &[], "{\"urls\":1,\"m\":\"http://n.example/\"}\n");
    assert_eq!((exported(&store).lines().count(), ran.code), (20, 1));
    // Secrets do not reach the store.
    let other = root.path().join("other");
    enrich(&other, &["--redact"], &event(&["http://u:p@a.example/"]));
    assert_eq!(exported(&other), "http://u:***@a.example/\n");
    let mixed = enrich(&other, &[], &event(&["http://a.example/"]));
    assert!(
        mixed.code == 2 && mixed.err.contains("redact"),
        "{}",
        mixed.err
    );
    // A file, and one that is not written.
    let file = root.path().join("out.jsonl");
    let file = file.to_str().unwrap();
    let ran = enrich(
        &store,
        &["-o", file, "--as", "urls"],
        &event(&["http://f.example/"]),
    );
    assert_eq!((&*ran.out, &*ran.err, ran.code), ("", "", 0));
    assert!(fs::read_to_string(file).unwrap().contains("\"new\":true"));
    assert!(exported(&store).contains("http://f.example/"));
    for (args, why) in [
        (
            &["-o", file, "--commit-every", "1s"][..],
            "--commit-every: not with -o",
        ),
        (&["--commit-every", "x"], "is not a time"),
        (&["--journal", "j"], "--journal"),
    ] {
        let ran = enrich(&store, args, "");
        assert!(
            ran.code == 2 && ran.err.contains(why),
            "{args:?} {}",
            ran.err
        );
    }
}

/// As many events as there are, in pieces of any size: the marks are those of a set in memory.
#[test]
fn marks_are_those_of_a_set() {
    let root = tempfile::tempdir().unwrap();
    let mut known = std::collections::BTreeSet::new();
    for night in 0..3_u32 {
        let (mut text, mut wanted) = (String::new(), String::new());
        for n in 0..3000_u32 {
            let uris = [n * 7919 % 2000 + night * 700, n * 31 % 900, n * 31 % 900];
            let uris: Vec<String> = uris
                .iter()
                .map(|n| format!("http://h.example/{n}"))
                .collect();
            let mut of_event: Vec<&String> = uris.iter().collect();
            of_event.dedup();
            for uri in of_event {
                let is_new = known.insert(uri.clone());
                wanted.push(if is_new { 't' } else { 'f' });
            }
            wanted.push(' ');
            text += &event(&uris.iter().map(String::as_str).collect::<Vec<_>>());
        }
        for (number, more) in [&[][..], &["--commit-every", "1s"]].iter().enumerate() {
            let store = root.path().join(number.to_string());
            let ran = enrich(&store, &[&["--as", "urls"], *more].concat(), &text);
            assert_eq!(ran.code, 0, "{}", ran.err);
            assert!(marks(&ran) == wanted.trim_end(), "{night} {more:?}");
            assert_eq!(exported(&store).lines().count(), known.len());
        }
    }
}

/// A store that cannot be read ends the run; what was not written is not remembered.
#[test]
fn a_damaged_store_is_named() {
    let root = tempfile::tempdir().unwrap();
    let store = root.path().join("store");
    enrich(&store, &[], &event(&["http://a.example/"]));
    let run_file = fs::read_dir(&store).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        let name = path.file_name()?.to_str()?.to_owned();
        name.starts_with("run").then_some(path)
    });
    let run_file = run_file.unwrap();
    let mut bytes = fs::read(&run_file).unwrap();
    bytes[40] ^= 1;
    fs::write(&run_file, bytes).unwrap();
    let out = root.path().join("out.jsonl");
    let ran = enrich(
        &store,
        &["-o", out.to_str().unwrap()],
        &event(&["http://a.example/"]),
    );
    let name = run_file.file_name().unwrap().to_str().unwrap();
    assert!(ran.code == 2 && ran.err.contains(name), "{}", ran.err);
    assert!(ran.err.contains("not written"), "{}", ran.err);
    assert!(!out.exists());
    // Neither what could not be asked for nor what follows is written.
    let text = [
        &event(&["http://a.example/"]),
        "[]\n",
        &event(&["http://b.example/"]),
    ]
    .concat();
    let ran = enrich(&store, &["--as", "urls"], &text);
    assert_eq!((&*ran.out, ran.code), ("", 2));
}
