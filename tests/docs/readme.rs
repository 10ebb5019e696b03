//! The README is run as written: its picture, its first command, its terminals; and every
//! recipe of the documents, on files made from the samples.

#![cfg(unix)]

use crate::archive::{BLOCK, Header};
use crate::documents::{Ran, blocks, check_consoles_in, documents, read, sh};
use std::fs;
use std::path::Path;

const SAMPLES: &str = "corpora/samples";

/// The README is short, and its terminals are in a folder of the samples.
#[test]
fn the_terminals() {
    let samples = tempfile::tempdir().unwrap();
    for sample in fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join(SAMPLES)).unwrap() {
        let sample = sample.unwrap();
        fs::copy(sample.path(), samples.path().join(sample.file_name())).unwrap();
    }
    let readme = read("README.md");
    assert!(check_consoles_in(samples.path(), &readme) >= 5);
    assert!(readme.lines().count() <= 200, "the README is too long");
}

/// The picture shows what the program prints; `corpora/picture.py` draws it.
#[test]
fn the_picture() {
    let picture = read("corpora/picture.svg");
    let lines = picture.lines().filter(|line| line.starts_with("<text"));
    let lines: Vec<String> = lines.map(text_of).collect();
    let (mut shown, mut commands) = (Vec::new(), Vec::new());
    for line in lines {
        match line.strip_prefix("$ ") {
            Some(command) => {
                commands.push(command.to_owned());
                shown.push(String::new());
            }
            None => shown.last_mut().unwrap().push_str(&(line + "\n")),
        }
    }
    assert!(commands.len() > 2);
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join(SAMPLES);
    for (command, shown) in commands.iter().zip(shown) {
        let ran = sh(&samples, command);
        let printed = String::from_utf8(ran.out).unwrap();
        let printed: String = printed.lines().map(|line| expanded(line) + "\n").collect();
        assert_eq!(shown.trim_end(), printed.trim_end(), "{command}");
    }
}

/// What an element of the picture shows.
fn text_of(element: &str) -> String {
    let parts = element.split('<').map(|part| part.split_once('>'));
    let text: String = parts.flatten().map(|(_, text)| text).collect();
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&amp;", "&")
}

/// A line with blanks for its tabs.
fn expanded(line: &str) -> String {
    let mut text = String::new();
    for (at, part) in line.split('\t').enumerate() {
        if at > 0 {
            let column = text.chars().count();
            text.push_str(&" ".repeat(8 - column % 8));
        }
        text.push_str(part);
    }
    text
}

/// What the first command prints, and what the README says that it prints.
#[test]
fn the_first_command() {
    let readme = read("README.md");
    let command = format!("cargo run --release -- {SAMPLES}\n");
    assert!(blocks(&readme, "sh").contains(&command));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ran = sh(root, &format!("urisieve {SAMPLES}"));
    assert_eq!((ran.code, &*ran.err), (0, ""));
    let printed = String::from_utf8_lossy(&ran.out).into_owned();
    let promised: Vec<String> = blocks(&readme, "text");
    assert_eq!(promised.len(), 1);
    for line in promised[0].lines() {
        assert!(printed.lines().any(|printed| printed == line), "{line}");
    }
}

/// The files that the recipes name, made of the samples.
fn prepare(root: &Path) {
    let sample = |name: &str| fs::read(Path::new(SAMPLES).join(name)).unwrap();
    let put = |name: &str, text: &[u8]| {
        let path = root.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for name in ["page.html", "notes.md"] {
        put(&format!("pages/{name}"), &sample(name));
    }
    for (name, from) in [("crawl-1.txt", "page.html"), ("crawl-2.txt", "app.jsonl")] {
        put(name, &sample(from));
        assert_eq!(sh(root, &format!("gzip {name}")).code, 0);
    }
    let head = b"HTTP/1.1 200 OK\r\nLink: <https://b.example/next>; rel=next\r\n\r\n";
    let http = [head, &sample("page.html")[..]].concat();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
         WARC-Target-URI: http://a.example/\r\nContent-Length: {}\r\n\r\n",
        http.len()
    );
    for name in ["crawl.warc", "CC-MAIN-20260101000000-00000.warc"] {
        put(name, &[head.as_bytes(), &http, b"\r\n\r\n"].concat());
        assert_eq!(sh(root, &format!("gzip {name}")).code, 0);
    }
    for name in ["access.log", "app.jsonl"] {
        put(&format!("logs/{name}"), &sample(name));
    }
    let log = String::from_utf8(sample("access.log")).unwrap();
    let member = Header::new(b"var/log/access.log", b'0', log.len()).member(log.as_bytes());
    put("logs.tar", &[member, vec![0; 2 * BLOCK]].concat());
    assert_eq!(sh(root, "gzip logs.tar").code, 0);
    put("access.log", log.as_bytes());
    // The combined format has no host before the client.
    let combined = log.replace("shop.example:80 ", "");
    for (name, text) in [("vhost.log.1", &log), ("access.log.1", &combined)] {
        put(name, text.as_bytes());
        assert_eq!(sh(root, &format!("gzip {name}")).code, 0);
    }
    put(
        "ioc.txt",
        b"# those of today\n*.example\nshop.example\nexample\n",
    );
    put("catalogue.mrc", &iso_2709());
    put("moved.tsv", b"http://tea.example/\thttps://tea.example/\n");
    let redirects = log.lines().filter(|line| line.contains("next="));
    put(
        "redirects.log",
        redirects.collect::<Vec<_>>().join("\n").as_bytes(),
    );
    let mail = String::from_utf8(sample("mail.txt")).unwrap();
    let report = mail
        .replace("http", "hxxp")
        .replace(".example", "[.]example");
    put("report.txt", report.as_bytes());
    for name in [
        "catalogue.txt",
        "urns.txt",
        "rfc.txt",
        "mail.txt",
        "notes.md",
    ] {
        put(name, &sample(name));
    }

    let text = |ran: Ran| String::from_utf8(ran.out).unwrap();
    let list = text(sh(root, "urisieve --strict logs/"));
    let lines: Vec<&str> = list.lines().collect();
    put("list.txt", list.as_bytes());
    put("today.txt", list.as_bytes());
    let (yesterday, _) = lines.split_at(lines.len() / 2);
    put("yesterday.txt", yesterday.join("\n").as_bytes());
    let rows: String = lines.iter().map(|uri| format!("1,\"{uri}\"\n")).collect();
    put("pages.csv", format!("id,url\n{rows}").as_bytes());
    let objects = lines
        .iter()
        .map(|uri| serde_json::json!({"http": {"url": uri}}).to_string() + "\n");
    put("fetches.jsonl", objects.collect::<String>().as_bytes());
    let html = String::from_utf8(sample("page.html")).unwrap();
    let hrefs = html.split("href=\"").skip(1);
    let hrefs = hrefs.map(|after| after.split('"').next().unwrap());
    put("hrefs.txt", hrefs.collect::<Vec<_>>().join("\n").as_bytes());
    let known = text(sh(root, "urisieve --sort pages/notes.md"));
    put("known.txt", known.as_bytes());
    put("vhost_access.log", log.as_bytes());
    let event = r#"{"request":{"host":"a.example","uri":"/x","method":"GET"},"status":404}"#;
    put("events.jsonl", event.as_bytes());
    let time = "[02/Jan/2030:06:14:04 +0000]";
    let line = format!("192.0.2.7 shop.example {time} \"GET /a HTTP/1.1\" 200\n");
    put("nginx.log", line.as_bytes());
    let line = format!("shop.example:443 192.0.2.7 {time} GET \"/a\" 200\n");
    put("proxied.log", line.as_bytes());
    put("app.jsonl", &sample("app.jsonl"));
    let record = "=LDR  00000nam a2200000 a 4500\n=001  1\n=856  40$uhttp://a.example/\n\n";
    put("titles.mrk", record.as_bytes());
    // A client of servers that all answer: its last argument is the address.
    put(
        "curl",
        b"#!/bin/sh\nfor url; do :; done\necho \"$url,200,\"\n",
    );
    assert_eq!(sh(root, "chmod +x curl").code, 0);
}

/// A catalogue of one record, as ISO 2709 has it.
fn iso_2709() -> Vec<u8> {
    let fields = [
        ("024", "7 \x1faurn:nbn:de:101:1-2029010112345\x1f2urn"),
        (
            "856",
            "40\x1fuhttp://library.example/record/1\x1fzFull text",
        ),
    ];
    let (mut directory, mut data) = (String::new(), String::new());
    for (tag, field) in fields {
        directory += &format!("{tag}{:04}{:05}", field.len() + 1, data.len());
        data += &format!("{field}\x1e");
    }
    let base = 24 + directory.len() + 1;
    let length = base + data.len() + 1;
    let leader = format!("{length:05}nam a22{base:05}   4500");
    format!("{leader}{directory}\x1e{data}\x1d").into_bytes()
}

/// The commands in the blocks `sh` but those that build and measure, without their comments.
fn recipes(readme: &str) -> Vec<String> {
    let lines: Vec<String> = blocks(readme, "sh")
        .concat()
        .lines()
        .map(|line| match line.find(" # ") {
            Some(comment) => line[..comment].trim_end().to_owned(),
            None => line.to_owned(),
        })
        .collect();
    lines
        .into_iter()
        .filter(|line| {
            !["cargo ", ".ci/", "benches/"]
                .iter()
                .any(|builds| line.starts_with(builds))
        })
        .collect()
}

#[test]
fn every_recipe() {
    let root = tempfile::tempdir().unwrap();
    let root = root.path();
    if sh(root, "command -v gzip && command -v comm").code != 0 {
        eprintln!("skipped: the recipes need gzip and comm, which are not here");
        return;
    }
    prepare(root);
    let documents = documents("docs").into_iter();
    let documents = documents.chain(["README.md".to_owned()]);
    let recipes: Vec<String> = documents.flat_map(|path| recipes(&read(&path))).collect();
    assert!(recipes.len() > 70, "{recipes:?}");
    for recipe in recipes {
        // A log that grows has no end; what stands in it does. No server is asked.
        let command = recipe
            .replace("tail -F ", "cat ")
            .replace(" curl ", " ./curl ");
        let ran = sh(root, &command);
        // It says what it did.
        let said = match &recipe[..] {
            fix if fix.starts_with("urisieve catalog fix ") => {
                "urisieve: nothing was to be changed\n"
            }
            seen if seen.contains(" --seen seen.store ") => {
                "urisieve: seen.store: a new store of seen URIs\n"
            }
            _ => "",
        };
        assert_eq!((ran.code, &*ran.err), (0, said), "{recipe}");
        let written = command.split(" -o ").nth(1);
        let written = written.and_then(|after| after.split(' ').next());
        let redirected = command.split(" > ").nth(1).or(written);
        let printed = match redirected {
            Some(name) => fs::read(root.join(name.trim())).unwrap(),
            None => ran.out,
        };
        assert!(!printed.is_empty(), "{recipe}");
    }
}

/// The keys of the records are those of the program.
#[test]
fn every_key() {
    let records = read("docs/guide/outputs.md");
    let root = tempfile::tempdir().unwrap();
    let formats = String::from_utf8(sh(root.path(), "urisieve formats").out).unwrap();
    let mut keys = 0;
    for line in formats.lines() {
        if let Some(key) = line.strip_prefix("key\t") {
            let name = key.split('\t').next().unwrap();
            assert!(records.contains(&format!("`{name}`")), "{name}");
            keys += 1;
        }
    }
    assert!(keys > 20);
}
