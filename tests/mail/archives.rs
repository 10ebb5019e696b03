//! Archives that are attached to mail, and mail in archives.

use crate::archive::Header;
use crate::packed::gzip;
use crate::program::{output_of, program, run};
use crate::read::reported_alike;
use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::Value;
use std::fs;

const MAIL: &str = "From: a@a.example\nDate: Mon, 2 Feb 2026 10:00:00 +0100\nMessage-ID: <in@a>\n\
    Content-Transfer-Encoding: quoted-printable\n\nhttp://a.example/=3Fmail\n";

/// An archive of a text, a message, whose name alone says what it is, and JSON.
fn tar() -> Vec<u8> {
    let member = |name: &str, content: &str| {
        Header::new(name.as_bytes(), b'0', content.len()).member(content.as_bytes())
    };
    let message = MAIL
        .replace("From: a@a.example\n", "X-A: b\n")
        .replace("Date", "X-Date");
    let end = vec![0; 1024];
    [
        member("a.txt", "\n see http://a.example/text\n"),
        member("b/c.eml", &message),
        member("d.json", "{\"k\":\"http://a.example/json;\"}"),
        end,
    ]
    .concat()
}

/// A message with this attachment.
fn message(media_type: &str, file: &str, bytes: &[u8]) -> String {
    let text = BASE64_STANDARD.encode(bytes);
    let lines: Vec<_> = text
        .as_bytes()
        .chunks(76)
        .map(|line| str::from_utf8(line).unwrap())
        .collect();
    format!(
        "From: a@a.example\nDate: Mon, 2 Feb 2026 10:00:00 +0100\nMessage-ID: <out@a>\n\
         Content-Type: multipart/mixed; boundary=b\n\n--b\n\nhttp://a.example/before\n--b\n\
         Content-Type: {media_type}\nContent-Disposition: attachment; filename=\"{file}\"\n\
         Content-Transfer-Encoding: base64\n\n{}\n--b\n\nhttp://a.example/after\n--b--\n",
        lines.join("\n")
    )
}

/// The URIs of the members, with the names of these, parts, ids, offsets and lines.
const FOUND: [[&str; 6]; 5] = [
    [
        "http://a.example/before",
        "null",
        "\"1\"",
        "\"out@a\"",
        "",
        "8",
    ],
    [
        "http://a.example/text",
        "\"a.txt\"",
        "\"2\"",
        "\"out@a\"",
        "6",
        "2",
    ],
    [
        "http://a.example/?mail",
        "\"b/c.eml\"",
        "\"2.1\"",
        "\"in@a\"",
        "110",
        "6",
    ],
    [
        "http://a.example/json;",
        "\"d.json\"",
        "\"2\"",
        "\"out@a\"",
        "6",
        "1",
    ],
    [
        "http://a.example/after",
        "null",
        "\"3\"",
        "\"out@a\"",
        "",
        "",
    ],
];

#[test]
fn archives_in_mail_are_opened() {
    for (media_type, file, bytes) in [
        ("application/x-tar", "x.tar", tar()),
        ("application/octet-stream", "x.bin", tar()),
        ("application/gzip", "x.tgz", gzip(&tar())),
        ("application/octet-stream", "x.tar.gz", gzip(&tar())),
    ] {
        let mail = message(media_type, file, &bytes);
        let ran = run(&["--all", "--json"], mail.as_bytes());
        let found: Vec<Value> = ran
            .out
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(
            (found.len(), ran.code),
            (FOUND.len(), 0),
            "{file} {}",
            ran.err
        );
        for (found, wanted) in found.iter().zip(FOUND) {
            assert_eq!(found["uri"], wanted[0], "{file}");
            let keys = ["member", "part", "message_id", "offset", "line"];
            for (key, value) in keys.iter().zip(&wanted[1..]) {
                if !value.is_empty() {
                    assert_eq!(found[*key].to_string(), *value, "{file} {key} {found}");
                }
            }
        }
        // Every way of reading takes its time.
        if file == "x.tgz" {
            assert_eq!(reported_alike(mail.as_bytes()).found.len(), FOUND.len());
        }
        let ran = run(&["--all", "-i", "text"], mail.as_bytes());
        assert!(!ran.out.contains("text"));
    }
}

/// Damage in an attached archive is a loss of its part, and what follows is read.
#[test]
fn damage_of_an_attached_archive_is_named() {
    let mut bytes = tar();
    bytes[600] ^= 1;
    bytes[1100] ^= 1;
    let mail = message("application/x-tar", "x.tar", &bytes);
    let ran = run(&["--all"], mail.as_bytes());
    assert_eq!(ran.code, 2, "{}", ran.err);
    assert!(ran.err.contains("tar: "), "{}", ran.err);
    assert!(ran.out.ends_with("http://a.example/after\n"), "{}", ran.out);
}

#[test]
fn members_are_read_by_their_names() {
    let root = tempfile::tempdir().unwrap();
    fs::write(root.path().join("x.tar"), tar()).unwrap();
    let ran = output_of(program(&["--all", "x.tar"]).current_dir(root.path()));
    let wanted = "http://a.example/text\nhttp://a.example/?mail\nhttp://a.example/json;\n";
    assert_eq!(ran.out, wanted);
    let ran = output_of(program(&["--all", "-i", "text", "x.tar"]).current_dir(root.path()));
    assert!(ran.out.contains("http://a.example/=3Fmail"));
}

/// The date of a mail is the time of its events; one within another has its own.
#[test]
fn dates_are_times_of_events() {
    let inner = MAIL.replace("Mon, 2 Feb 2026", "Tue, 3 Feb 2026");
    let mail = format!(
        "From: a\nDate: Mon, 2 Feb 2026 10:00:00 +0100 (CET)\nTo: http://a.example/to\n\
         Content-Type: message/rfc822\n\n{inner}"
    );
    let ran = run(&["--all", "-f", "ecs"], mail.as_bytes());
    let times = ran.out.lines().map(|line| {
        let event: Value = serde_json::from_str(line).unwrap();
        event["@timestamp"].as_str().unwrap().to_owned()
    });
    let wanted = ["2026-02-02T10:00:00+01:00", "2026-02-03T10:00:00+01:00"];
    assert_eq!(times.collect::<Vec<_>>(), wanted);
}

/// T9: types that hold no text are read where they are named.
#[test]
fn a_named_type_is_read() {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg'><a href='http://a.example/svg'/></svg>";
    let mail = message("image/svg+xml", "x.svg", svg.as_bytes());
    for (args, is_read) in [
        (&["--all"][..], false),
        (&["--all", "--mime", "text/html"], false),
        (&["--all", "--mime", "image/*"], true),
        (&["--all", "--mime", "image/svg+xml"], true),
    ] {
        let ran = run(args, mail.as_bytes());
        assert_eq!(
            ran.out.contains("http://a.example/svg"),
            is_read,
            "{args:?}"
        );
        assert!(ran.out.contains("http://a.example/before"));
    }
}
