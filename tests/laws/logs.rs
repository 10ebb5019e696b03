//! The laws of requests in logs: the same findings and counts for every size of blocks, number
//! of threads and way of reading; and no finding of the text is lost but what is in a target.

use crate::dribble::Dribble;
use crate::random;
use proptest::prelude::*;
use std::io;
use std::ops::{ControlFlow, Range};
use urisieve::canonicalize::Canonicalizer;
use urisieve::decode::InputFormat;
use urisieve::input::Source;
use urisieve::item::{Finding, RequestPart};
use urisieve::reference::{self as slow, Options};
use urisieve::{LogFormat, Mode, Sieve, Sink, Stats};

/// A finding: its URI, offset and length, and the part of a line with a request that has it.
type Found = (Vec<u8>, u64, u64, Option<RequestPart>);

#[derive(Default)]
struct Findings(Vec<Found>);

impl Sink for Findings {
    fn finding(&mut self, found: &Finding) -> io::Result<ControlFlow<()>> {
        let part = found.context.request.map(|request| request.part);
        self.0
            .push((found.uri.to_vec(), found.offset, found.length, part));
        Ok(ControlFlow::Continue(()))
    }
}

fn run(source: Source, format: &str, size: (usize, usize)) -> (Vec<Found>, Stats) {
    run_as(source, None, format, size)
}

fn run_as(
    source: Source,
    read_as: Option<&'static InputFormat>,
    format: &str,
    (block, threads): (usize, usize),
) -> (Vec<Found>, Stats) {
    let sieve = Sieve::builder()
        .mode(Mode::All)
        .format(read_as)
        .log_format(format.parse::<LogFormat>().unwrap())
        .requests(true)
        .block_size(block)
        .threads(threads)
        .build();
    let mut found = Findings::default();
    let stats = sieve.run([source], &mut found).unwrap();
    (found.0, stats)
}

/// Lines of logs and of text, some of which need the lines before them.
const LINES: &[&[u8]] = &[
        b"a.example:443 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /one HTTP/1.1\" 200 2 \"http://r.example/\" \"b (+http://b.example/)\"",
        b"192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /no?host=http://e.example/ HTTP/1.1\" 200 2",
        b"a.example 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"\\x16\\x03\" 400 2 http://g.example/",
        b"a.example 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /cut http://c.example/",
        b"{\"method\":\"GET\",\"host\":\"j.example\",\"path\":\"/two\",\"x\":\"http://x.example/\"}",
        b"{\"log\":\"k.example 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \\\"GET /in HTTP/1.1\\\" 200 2\\n\"}",
        b"#Fields: date time cs-method cs-host cs-uri-stem",
        b"#Fields: date cs-method cs-uri-stem cs-host",
        b"2020-10-04 22:00:35 GET w.example /three",
        b"2020-10-04 GET /four w.example",
        b"#fields\tmethod\thost\turi\tid.resp_p",
        b"GET\tz.example\t/five\t80",
        b"method,url,host",
        b"GET,/six,c.example",
        b"web_1 | a.example 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /seven HTTP/1.1\" 200 2\r",
        b"text with http://t.example/ in it",
        b"text with <http://t.example/ve",
        b"ry/long> and \"http://q.example/a",
        b"b\" end",
        b"",
        b"\xFF\0 urn:isbn:1",
    ];

fn line() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::select(LINES.to_vec()).prop_map(<[u8]>::to_vec)
}

/// Such lines, also with a byte replaced, taken away or put in, and any bytes.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let bytes = prop::collection::vec(any::<u8>(), 0..12);
    let spoilt = (line(), any::<prop::sample::Index>(), any::<u8>(), 0..3u8);
    let spoilt = spoilt.prop_map(|(mut line, at, byte, how)| {
        if !line.is_empty() {
            let at = at.index(line.len());
            match how {
                0 => line[at] = byte,
                1 => drop(line.remove(at)),
                _ => line.insert(at, byte),
            }
        }
        line
    });
    prop_oneof![4 => spoilt, 8 => line(), 1 => bytes]
}

fn log(line: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    (prop::collection::vec(line, 0..24), any::<bool>()).prop_map(|(lines, ends)| {
        let mut text = lines.join(&b'\n');
        if ends {
            text.push(b'\n');
        }
        text
    })
}

proptest! {
    #![proptest_config(random::cases(30))]

    #[test]
    fn the_same_for_every_way_of_reading(text in log(any_line()), format in prop::sample::select(vec!["auto", "any"])) {
        let wanted = run(Source::Slice(&text), format, (64 << 10, 1));
        for size in [(1, 1), (7, 2), (64, 1), (100, 8), (300, 2), (1000, 1)] {
            let found = run(Source::Slice(&text), format, size);
            prop_assert_eq!(&found, &wanted, "{:?}", size);
            for len in [1, 50] {
                let reader = Source::Reader(Box::new(Dribble(&text, len)));
                let (found, stats) = run(reader, format, size);
                prop_assert_eq!(&found, &wanted.0, "{:?} {}", size, len);
                prop_assert_eq!((stats.no_host, stats.garbage), (wanted.1.no_host, wanted.1.garbage));
            }
        }
    }

    #[test]
    fn nothing_of_the_text_is_lost_but_targets(lines in prop::collection::vec(any_line(), 0..24)) {
        // A request ends every wrapper; an empty line does, too.
        let lines: Vec<_> = lines.into_iter().filter(|line| !line.contains(&b'\n')).collect();
        let text = lines.join(&b"\n\n"[..]);
        let (with, _) = run(Source::Slice(&text), "any", (64 << 10, 1));
        let (without, _) = run(Source::Slice(&text), "off", (64 << 10, 1));
        for (uri, offset, length, _) in without {
            let is_found = with.iter().any(|(found, at, ..)| *found == uri && *at == offset);
            // A target, or a referer that has more than the text shows.
            let is_in_value = with.iter().any(|(_, at, len, part)| {
                matches!(part, Some(RequestPart::Target | RequestPart::Referer))
                    && *at <= offset
                    && offset + length <= at + len
            });
            let uri = String::from_utf8_lossy(&uri);
            prop_assert!(is_found || is_in_value, "{uri} at {offset}");
        }
    }
}

/// What the rules give in the text between the values of requests (G11): the lines between two
/// requests are one text, and so is each part of the line of a request.
fn texts_around_requests(text: &[u8], found: &[Found]) -> Vec<Found> {
    let mut expected = Vec::new();
    let mut add = |range: Range<usize>, part| {
        let slow = slow::extract(&text[range.clone()], &Options::default()).found;
        let canonicalizer = Canonicalizer::default();
        expected.extend(slow.iter().map(|found| {
            let uri = canonicalizer.canonical(&found.text).into_owned();
            let at = (range.start + found.offset) as u64;
            (uri, at, found.length as u64, part)
        }));
    };
    let values = |line: &Range<usize>| {
        let is_value = |found: &&Found| matches!(found.3, Some(part) if part != RequestPart::Text);
        let values = found.iter().filter(is_value);
        let values = values.map(|(_, at, len, _)| *at as usize..(at + len) as usize);
        let line = line.clone();
        values.filter(move |value| line.contains(&value.start))
    };
    let (mut start, mut at) = (0, 0);
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let range = at..at + line.len();
        at = range.end;
        if values(&range).next().is_none() {
            continue;
        }
        add(start..range.start, None);
        start = range.end;
        let mut from = range.start;
        for value in values(&range) {
            add(from..value.start, Some(RequestPart::Text));
            from = value.end;
        }
        add(from..range.end, Some(RequestPart::Text));
    }
    add(start..text.len(), None);
    expected
}

proptest! {
    #![proptest_config(random::cases(50))]

    #[test]
    fn the_text_around_requests_is_searched_by_the_rules(text in log(any_line()), is_any in any::<bool>()) {
        let format = if is_any { "any" } else { "clf" };
        let read_as = InputFormat::named("text");
        let (found, _) = run_as(Source::Slice(&text), read_as, format, (64 << 10, 1));
        let is_text = |found: &&Found| found.3.is_none_or(|part| part == RequestPart::Text);
        let searched: Vec<_> = found.iter().filter(is_text).cloned().collect();
        prop_assert_eq!(searched, texts_around_requests(&text, &found));
    }
}

/// A referer that is no reference is text (G11).
#[test]
fn a_referer_that_is_refused_is_text() {
    let request = "a.example 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /b HTTP/1.1\" 200 2";
    for agent in ["", " \"b (+http://b.example/)\""] {
        let text = format!("{request} \"http://r[example/\"{agent}");
        let (found, stats) = run(Source::Slice(text.as_bytes()), "any", (64 << 10, 1));
        let parts: Vec<_> = found.iter().map(|found| (&found.0[..], found.3)).collect();
        let wanted = [
            (&b"http://a.example/b"[..], Some(RequestPart::Target)),
            (b"http://r", Some(RequestPart::Text)),
            (b"http://b.example/", Some(RequestPart::Text)),
        ];
        let len = if agent.is_empty() { 2 } else { 3 };
        assert_eq!(parts, wanted[..len]);
        assert_eq!(stats.references_dropped, 0);
    }
}

/// The first bytes decide (G12): a request behind them is text unless one is in them.
#[test]
fn the_first_64_kib_decide() {
    let request =
        "a.example 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /b HTTP/1.1\" 200 2\n";
    let text = "text of no request\n";
    let head = text.repeat((64 << 10) / text.len());
    let before = format!("{head}{request}");
    let after = format!("{head}{text}{request}");
    let both = format!("{request}{head}{text}{request}");
    for (log, format, requests) in [
        (&before, "auto", 1),
        (&after, "auto", 0),
        (&after, "any", 1),
        (&after, "clf", 1),
        (&after, "json", 0),
        (&both, "auto", 2),
        (&both, "off", 0),
    ] {
        for size in [(1 << 10, 2), (10_000, 1), (1 << 20, 1)] {
            let found = run(Source::Slice(log.as_bytes()), format, size);
            assert_eq!(found.0.len(), requests, "{format} {size:?}");
        }
    }
}

/// Targets of any length are whole, and longer lines are text.
#[test]
fn long_lines() {
    let line = |len: usize| {
        let target = "x".repeat(len);
        format!(
            "a.example 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET /{target} HTTP/1.1\" 200 2 http://t.example/\n"
        )
    };
    for (len, found, garbage) in [(10, 2, 0), (40_000, 2, 0), (5 << 20, 1, 1)] {
        for size in [(4096, 2), (256 << 10, 1)] {
            let text = line(len);
            let (all, stats) = run(Source::Slice(text.as_bytes()), "any", size);
            assert_eq!(all.len(), found, "{len} {size:?}");
            assert_eq!(stats.bytes, text.len() as u64);
            assert_eq!(stats.garbage, garbage, "{len} {size:?}");
        }
    }
    // A long line of text is no request.
    let text = "a b ".repeat(100 << 10);
    let (_, stats) = run(Source::Slice(text.as_bytes()), "any", (4096, 2));
    assert_eq!(stats.garbage, 0);
}

/// Lines that are cut are text, and the lines after them are read.
#[test]
fn cut_lines_are_counted() {
    let whole = "{\"method\":\"GET\",\"host\":\"j.example\",\"path\":\"/two\"}\n";
    let cuts = [
        "{\"method\":\"GET\",\"x\":\"http://x.example/",
        "{\"method\":\"GET\",\"x\":\"http://x.example/\",",
        "{\"method\":\"GET\",\"x\":\"http://x.example/\"",
        "{\"method\":\"GET\",\"x\":{\"y\":\"http://x.example/\"",
    ];
    let clf = "a.example 192.0.2.1 - - [05/Oct/2026:00:00:00 +0000] \"GET http://x.example/";
    let as_json = InputFormat::named("json");
    let runs = cuts.map(|cut| [(None, cut), (as_json, cut)]).concat();
    for (read_as, cut) in runs.into_iter().chain([(None, clf)]) {
        for (text, requests) in [
            (format!("{whole}{cut}\n{whole}"), 2),
            (format!("{whole}{cut}"), 1),
            (format!("{cut}\n{cut}\n{whole}{cut}\n"), 1),
        ] {
            for size in [(1, 2), (30, 1), (64 << 10, 1)] {
                let (found, stats) = run_as(Source::Slice(text.as_bytes()), read_as, "any", size);
                let targets = found
                    .iter()
                    .filter(|found| found.3 == Some(RequestPart::Target));
                assert_eq!(targets.count(), requests, "{text} {size:?}");
                let others = text.matches("http://x.example/").count();
                assert_eq!(found.len(), requests + others, "{text} {size:?}");
                assert_eq!(stats.garbage, others as u64, "{text} {size:?}");
            }
        }
    }
}

/// A value that should be a host, but is none, is text (G11).
#[test]
fn a_host_that_is_none_is_searched() {
    let text = "method,url,host\nGET,http://a.example/b,x (+http://b.example/)\n";
    let (found, _) = run(Source::Slice(text.as_bytes()), "any", (64 << 10, 1));
    let uris: Vec<_> = found.iter().map(|found| &found.0[..]).collect();
    assert_eq!(uris, [&b"http://a.example/b"[..], b"http://b.example/"]);
}

/// The columns that a header names are those of the blocks after it, also where the header is
/// the first line, or a line in a string of JSON.
#[test]
fn columns_go_on_in_the_next_block() {
    for (header, row) in [
        ("method,url,host", "GET,/a,c.example"),
        ("#Fields: cs-method cs-uri-stem cs-host", "GET /a c.example"),
        (
            "{\"log\":\"#Fields: cs-method cs-uri-stem cs-host\\n\"}",
            "{\"log\":\"GET /a c.example\\n\"}",
        ),
    ] {
        let text = format!("{header}\n{}", format!("{row}\n").repeat(50));
        for size in [(64 << 10, 1), (100, 1), (100, 2), (1, 1)] {
            let source = Source::Slice(text.as_bytes());
            let (found, _) = run_as(source, InputFormat::named("text"), "any", size);
            assert_eq!(found.len(), 50, "{header} {size:?}");
        }
    }
}
