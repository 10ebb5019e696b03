//! Bodies inside each other: messages in messages, their codings and types, in every
//! way of reading them.

use crate::packed::{gzip, zstd};
use crate::warc::{message, response};
use crate::ways;
use std::io::{Cursor, Read};
use std::ops::ControlFlow;
use urisieve::input::Source;
use urisieve::item::{Finding, Loss};
use urisieve::{Error, Sink, Stats};

/// The report of an archive.
#[derive(Debug, Default, PartialEq)]
struct Reported {
    /// URI, offset and header field.
    found: Vec<(String, u64, Option<String>)>,
    losses: Vec<String>,
}

impl Sink for Reported {
    fn finding(&mut self, finding: &Finding<'_>) -> std::io::Result<ControlFlow<()>> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let header = finding.context.header.map(text);
        assert!(finding.context.warc.is_some());
        self.found.push((text(finding.uri), finding.offset, header));
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        let damage = loss.kind.damage().unwrap();
        self.losses
            .push(format!("{} {}", loss.kind.code(), damage.cause));
    }

    fn error(&mut self, error: Error) {
        panic!("{error}");
    }
}

impl Reported {
    fn uris(&self) -> Vec<&str> {
        self.found.iter().map(|found| &found.0[..]).collect()
    }
}

fn run(source: Source, block: usize, threads: usize) -> (Reported, Stats) {
    ways::run(source, block, threads)
}

/// Returns the report of `bytes`, which is the same in every way of reading them.
fn reported(bytes: &[u8]) -> Reported {
    let wanted = run(Source::Slice(bytes), 1 << 16, 1);
    for block in [1, 2, 3, 7, 64, 64 << 10] {
        for threads in [1, 2, 8] {
            let got = run(Source::Slice(bytes), block, threads);
            assert_eq!(got, wanted, "blocks of {block}, {threads} threads");
            let pipe: Box<dyn Read + Send> = Box::new(Cursor::new(bytes.to_vec()));
            let got = run(Source::Reader(pipe), block, threads);
            assert_eq!(got, wanted, "read by {block}, {threads} threads");
        }
    }
    wanted.0
}

fn record(block: &[u8]) -> Vec<u8> {
    response("http://t.example/d/", block)
}

#[test]
fn a_message_in_a_message() {
    let inner = message(
        "Location: b\r\nServer: http://no.example/\r\n",
        b"http://c.example/ d",
    );
    for (codings, body) in [
        ("", inner.clone()),
        ("Content-Encoding: gzip\r\n", gzip(&inner)),
        ("Content-Encoding: gzip, zstd\r\n", zstd(&gzip(&inner))),
    ] {
        let fields = format!("Link: <a>\r\nContent-Type: message/http\r\n{codings}");
        let outer = message(&fields, &body);
        let report = reported(&record(&outer));
        let head = (outer.len() - body.len()) as u64;
        let at = |text: &[u8]| head + memchr::memmem::find(&inner, text).unwrap() as u64;
        let found =
            |uri: &str, at, header: Option<&str>| (uri.to_owned(), at, header.map(str::to_owned));
        let wanted = [
            found("http://t.example/d/a", 24, Some("link")),
            found("http://t.example/d/b", at(b"b\r\n"), Some("location")),
            found("http://c.example/", at(b"http://c"), None),
        ];
        assert_eq!(report.found, wanted, "{codings}");
        assert!(report.losses.is_empty());
    }
}

/// Content is a message when its media type says so.
#[test]
fn content_without_a_type_is_text() {
    let head = message("Location: /l\r\n", b"");
    let report = reported(&record(&head.repeat(20)));
    assert_eq!(report.uris(), ["http://t.example/l"]);
    assert!(report.losses.is_empty());
    let (report, _) = run(Source::Slice(&record(&head.repeat(10_000))), 1 << 16, 1);
    assert_eq!(report.uris(), ["http://t.example/l"]);
}

#[test]
fn eight_bodies_in_each_other_are_read() {
    for depth in 1..12 {
        let mut block = b"http://x.example/ Location: y".to_vec();
        for _ in 0..depth {
            block = message("Location: /l\r\nContent-Type: message/http\r\n", &block);
        }
        let report = reported(&record(&block));
        // The content of the eighth is searched as text.
        let references = report
            .uris()
            .iter()
            .filter(|uri| uri.ends_with("/l"))
            .count();
        assert_eq!(references, depth.min(8));
        assert_eq!(report.uris().last(), Some(&"http://x.example/"));
        let wanted = match depth {
            ..8 => 0,
            _ => 1,
        };
        assert_eq!(report.losses.len(), wanted, "{depth} {:?}", report.losses);
    }
}

/// A record that is longer than a block goes on in the next one, wherever that begins.
#[test]
fn long_records_go_on() {
    let lines: String = (0..400)
        .map(|n| format!("<http://a.example/{n}/\n  folded> www\n"))
        .collect();
    let body = lines.as_bytes();
    let fields = "Link: <a>; title=\"http://b.example/\"\r\nContent-Encoding: gzip\r\n";
    let plain = record(&message("Link: <a>; title=\"http://b.example/\"\r\n", body));
    let coded = record(&message(fields, &gzip(body)));
    let (plain, coded) = (reported(&plain), reported(&coded));
    assert_eq!(plain.found.len(), 402);
    assert_eq!(plain.uris(), coded.uris());
    assert!(plain.uris().contains(&"http://a.example/399/folded"));
}

/// Offsets count raw bytes of the decoded content.
#[test]
fn bodies_in_utf16_are_read() {
    let text = "\u{FEFF}see <http://a.example/\u{e9}\n b> \u{1F600} and http://b.example/";
    let units: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let head = message("", b"").len() as u64;
    let plain = reported(&record(&message("", &units)));
    assert_eq!(
        plain.uris(),
        ["http://a.example/\u{e9}b", "http://b.example/"]
    );
    // Behind the mark and five characters.
    assert_eq!(plain.found[0].1, head + 12);
    let coded = reported(&record(&message(
        "Content-Encoding: gzip\r\n",
        &gzip(&units),
    )));
    assert_eq!(coded.uris(), plain.uris());
    let marked = reported(&record(&message("", b"\xEF\xBB\xBFhttp://a.example/")));
    assert_eq!(marked.found[0].1, head + 3);
}

#[test]
fn a_body_in_an_unknown_coding_is_a_named_loss() {
    let packed = b"\x1F\x9D\x90\0\xFF http://no.example/";
    let report = reported(&record(&message(
        "Content-Encoding: compress\r\nLocation: a\r\n",
        packed,
    )));
    assert_eq!(report.uris(), ["http://t.example/d/a"]);
    assert_eq!(report.losses, ["unsupported this coding is not supported"]);
}
