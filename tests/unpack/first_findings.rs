//! A limit of findings ends an input at one of its findings: the rest of it is not counted and
//! not reported, wherever its blocks end.

use crate::archive::{BLOCK, Header};
use crate::dribble::Dribble;
use crate::forms::bzip2;
use crate::packed::{gzip, zstd};
use crate::warc::{message, record, response};
use std::ops::ControlFlow;
use urisieve::delimit::Config;
use urisieve::input::Source;
use urisieve::item::{Finding, Loss};
use urisieve::{Error, LogFormat, Mode, ReadAs, Sieve, Sink, Stats};

/// Everything that a run reports.
#[derive(Debug, Default, PartialEq)]
struct Report {
    found: Vec<(usize, u64, String)>,
    losses: Vec<(usize, u64, String)>,
    errors: Vec<String>,
    inputs: Vec<(usize, Stats)>,
}

impl Sink for Report {
    fn finding(&mut self, finding: &Finding) -> std::io::Result<ControlFlow<()>> {
        let uri = String::from_utf8_lossy(finding.uri).into_owned();
        self.found.push((finding.input, finding.offset, uri));
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        let kind = format!("{:?}", loss.kind);
        self.losses.push((loss.input, loss.offset, kind));
    }

    fn error(&mut self, error: Error) {
        self.errors.push(error.to_string());
    }

    fn input(&mut self, input: usize, _: ReadAs, stats: &Stats) {
        self.inputs.push((input, *stats));
    }
}

/// A text of lines, some of which have URIs.
fn text(from: usize, lines: usize) -> Vec<u8> {
    let line = |n: usize| match n % 4 {
        0 => format!("see http://h{n}.example/a, or\n"),
        1 => format!("<http://h{n}.example/\n  b> x\n"),
        2 => "nothing here\n".to_owned(),
        _ => format!(
            "urn:x-y:{n} ftp://no.example/ http://h{n}.example/{}\n",
            "z".repeat(90)
        ),
    };
    (from..from + lines)
        .flat_map(|n| line(n).into_bytes())
        .collect()
}

/// A log, some of whose lines have no host, or are no requests.
fn log(lines: usize) -> Vec<u8> {
    let line = |n: usize| {
        let (client, time) = ("192.0.2.1 - -", "[05/Oct/2026:00:00:00 +0000]");
        match n % 7 {
            0 => format!("h{n}.example {client} {time} \"GET /a HTTP/1.1\" 200 2\n"),
            1 | 4 => {
                format!("{client} {time} \"GET /b HTTP/1.1\" 200 2 \"http://r{n}.example/\"\n")
            }
            2 => format!("{client} {time} \"\\x16\" 400 2 http://g{n}.example/\n"),
            3 => format!("<http://t{n}.example/\n  b>\n"),
            5 => "urn:x-y:1 ftp://no.example/\n".to_owned(),
            _ => format!("see http://u{n}.example/a,\n"),
        }
    };
    (0..lines).flat_map(|n| line(n).into_bytes()).collect()
}

fn gzip_log(text: &[u8]) -> Vec<u8> {
    gzip(&log(text.len() % 30))
}

/// Objects, some of which are requests, and some of these without a host.
fn objects(count: usize) -> Vec<u8> {
    let object = |n: usize| match n % 4 {
        0 => format!("{{\"method\":\"GET\",\"path\":\"/a{n}\",\"host\":\"h.example\"}}\n"),
        1 => format!("{{\"method\":\"GET\",\"path\":\"/b\",\"x\":\"http://n{n}.example/\"}}\n"),
        2 => format!("{{\"method\":\"GET\",\"path\":\"b c\",\"x\":\"http://g{n}.example/\"}}\n"),
        _ => "{\"a\":broken http://b.example/\n".to_owned(),
    };
    (0..count).flat_map(|n| object(n).into_bytes()).collect()
}

/// Inputs with damage before, between and behind their findings.
fn inputs() -> Vec<(&'static str, Vec<u8>)> {
    let spoil = |mut bytes: Vec<u8>, back: usize| {
        let at = bytes.len() - back;
        bytes[at] ^= 0x55;
        bytes
    };
    let parts = |pack: fn(&[u8]) -> Vec<u8>, back: usize| {
        let part = |n: usize| match n {
            1 | 3 => spoil(pack(&text(n * 6, 6)), back),
            _ => pack(&text(n * 6, 6)),
        };
        (0..5).flat_map(part).collect::<Vec<u8>>()
    };
    let member = |n: usize, content: &[u8]| {
        let header = Header::new(format!("{n}.txt").as_bytes(), b'0', content.len());
        match n % 3 {
            1 => spoil(
                header.member(content),
                10 + content.len().next_multiple_of(BLOCK),
            ),
            _ => header.member(content),
        }
    };
    let tar = (0..6).flat_map(|n| member(n, &text(n * 3, 3)));
    let answer = |n: usize| {
        let body = text(n * 3, 3);
        match n % 3 {
            0 => response("http://t.example/", &message("Location: /l\r\n", &body)),
            1 => {
                let coded = spoil(gzip(&body), 12);
                let fields = "Content-Encoding: gzip\r\nLocation: /m\r\n";
                response("http://t.example/", &message(fields, &coded))
            }
            _ => record("response", "Content-Length: x\r\n", &body),
        }
    };
    let html = [
        b"<html><body>".to_vec(),
        (0..9)
            .flat_map(|n| {
                format!("<a href='http://p{n}.example/'>{n}</a> <a href='#'>").into_bytes()
            })
            .collect(),
    ]
    .concat();
    let utf16 = |text: &[u8]| -> Vec<u8> {
        let units = text.iter().flat_map(|&byte| [byte, 0]);
        [0xFF, 0xFE].into_iter().chain(units).collect()
    };
    vec![
        ("text", text(0, 24)),
        ("gzip", parts(gzip, 6)),
        ("gzip, inside", parts(gzip, 40)),
        ("zstd, checksum", parts(zstd, 2)),
        ("bzip2", parts(bzip2, 8)),
        ("cut", gzip(&text(0, 24))[..200].to_vec()),
        ("tar", tar.collect()),
        ("warc", (0..6).flat_map(answer).collect()),
        ("html", html),
        ("utf-16", gzip(&utf16(&text(0, 24)))),
        ("log", log(40)),
        ("log, gzip", parts(gzip_log, 6)),
        ("log, objects", objects(24)),
        ("nothing", b"no URI".to_vec()),
    ]
}

fn run(
    inputs: &[(&str, Vec<u8>)],
    (mode, most): (Mode, Option<u64>),
    (block, threads): (usize, usize),
    piece: usize,
) -> (Report, Stats) {
    let sieve = Sieve::builder()
        .mode(mode)
        .max_findings(most)
        .log_format(LogFormat::default())
        .delimit(Config::default().max_length(80))
        .select(|uri| !uri.starts_with(b"ftp:"))
        .block_size(block)
        .threads(threads)
        .build();
    let sources = inputs.iter().map(|(_, bytes)| match piece {
        0 => Source::Slice(bytes),
        _ => Source::Reader(Box::new(Dribble(bytes, piece))),
    });
    let mut report = Report::default();
    let stats = sieve.run(sources, &mut report).unwrap();
    (report, stats)
}

#[test]
fn a_run_ends_at_the_same_place_with_any_blocks_and_threads() {
    let inputs = inputs();
    let all = run(&inputs, (Mode::All, None), (1 << 16, 1), 0).0;
    assert!(all.losses.len() > 8, "{all:?}");
    for most in [1, 2, 3, 5, 8] {
        for mode in [Mode::All, Mode::Distinct] {
            let wanted = run(&inputs, (mode, Some(most)), (1 << 16, 1), 0);
            for (block, threads, piece) in
                [(1, 1, 0), (7, 2, 0), (200, 3, 0), (50, 1, 11), (300, 2, 1)]
            {
                let got = run(&inputs, (mode, Some(most)), (block, threads), piece);
                let how = format!("{most} {mode:?} {block} {threads} {piece}");
                for (got, wanted) in got.0.inputs.iter().zip(&wanted.0.inputs) {
                    assert_eq!(got, wanted, "{how}: {}", inputs[wanted.0].0);
                }
                assert_eq!(got.0, wanted.0, "{how}");
                assert_eq!(got.1, wanted.1, "{how}");
            }
        }
    }
}

/// The numbers up to a finding are those of the text up to its end.
#[test]
fn the_numbers_are_those_of_the_part_that_was_reported() {
    let bytes = text(0, 24);
    let whole = |bytes: &[u8]| [("text", bytes.to_vec())];
    let all = run(&whole(&bytes), (Mode::All, None), (1 << 16, 1), 0).0;
    for most in 1..=all.found.len() {
        let end = &all.found[most - 1];
        let (report, stats) = run(
            &whole(&bytes),
            (Mode::All, Some(most as u64)),
            (1 << 16, 1),
            0,
        );
        assert_eq!(report.found, all.found[..most]);
        assert_eq!(stats.occurrences, most as u64);
        assert!(
            stats.bytes > end.1 && stats.bytes <= end.1 + 40,
            "{stats:?}"
        );
        let until = all.losses.iter().filter(|loss| loss.1 < end.1).count();
        assert_eq!(report.losses.len(), until);
        assert_eq!(stats.too_long, until as u64);
        assert_eq!(stats.deselected, end_of(&bytes, end.1));
    }
}

/// The number of URIs of FTP before an offset.
fn end_of(bytes: &[u8], offset: u64) -> u64 {
    memchr::memmem::find_iter(&bytes[..offset as usize], b"ftp:").count() as u64
}
