//! Compressed inputs and web archives: the same findings in every form, and every loss
//! reported where they are damaged.

use crate::dribble::Dribble;
use crate::forms::bzip2;
use crate::packed::{gzip, zstd};
use crate::random;
use crate::thorough;
use crate::warc::record;
use crate::ways;
use assert_cmd::Command;
use proptest::prelude::*;
use std::fs;
use std::io::Write;
use std::ops::ControlFlow;
use tempfile::TempDir;
use urisieve::input::Source;
use urisieve::item::{Finding, Loss, LossKind};
use urisieve::{Compression, Error, Mode, Sieve, Sink, Stats, each};

// --- Forms ---

fn xz(text: &[u8]) -> Vec<u8> {
    let mut writer = liblzma::write::XzEncoder::new(Vec::new(), 1);
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

fn lz4(text: &[u8]) -> Vec<u8> {
    lz4_with(text, lz4_flex::frame::BlockMode::Independent)
}

fn lz4_linked(text: &[u8]) -> Vec<u8> {
    lz4_with(text, lz4_flex::frame::BlockMode::Linked)
}

fn lz4_with(text: &[u8], mode: lz4_flex::frame::BlockMode) -> Vec<u8> {
    let info = lz4_flex::frame::FrameInfo::new()
        .block_mode(mode)
        .block_checksums(true)
        .content_checksum(true);
    let mut writer = lz4_flex::frame::FrameEncoder::with_frame_info(info, Vec::new());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

type Form = (&'static str, fn(&[u8]) -> Vec<u8>);

const FORMS: [Form; 6] = [
    ("gzip", gzip),
    ("zstd", zstd),
    ("xz", xz),
    ("bzip2", bzip2),
    ("lz4", lz4),
    ("lz4 linked", lz4_linked),
];

// --- What is found ---

/// Offset of the record, offset, URI.
type Found = (Option<u64>, u64, String);

#[derive(Debug, Default, PartialEq)]
struct Report {
    found: Vec<Found>,
    losses: Vec<(u64, LossKind)>,
    errors: usize,
}

impl Report {
    fn uris(&self) -> Vec<&str> {
        self.found.iter().map(|found| &found.2[..]).collect()
    }

    fn kinds(&self) -> Vec<(u64, &'static str)> {
        let kinds = self.losses.iter().map(|(at, kind)| (*at, kind.code()));
        kinds.collect()
    }
}

impl Report {
    /// The parts of the report that do not depend on the pieces in which the bytes
    /// come: everything except the order of losses, and their details where bzip2 is
    /// damaged. Its decoder takes up to eight bytes more than it needs when they are
    /// there, so that the end of a damaged block, and of a record in it, is not exactly
    /// known.
    fn read_alike(&self) -> (&[Found], Vec<String>, usize) {
        let container = |kind: &LossKind| kind.damage().map(|damage| damage.container);
        let exact = |(_, kind): &(u64, LossKind)| container(kind) != Some("bzip2");
        let exact = self.losses.iter().all(exact);
        let lost = self.losses.iter().map(|(at, kind)| match exact {
            true => format!("{at} {kind:?}"),
            false => format!("{:?}", container(kind)),
        });
        let mut lost: Vec<String> = lost.collect();
        lost.sort();
        (&self.found, lost, self.errors)
    }
}

impl Sink for Report {
    fn finding(&mut self, finding: &Finding) -> std::io::Result<ControlFlow<()>> {
        let uri = String::from_utf8_lossy(finding.uri).into_owned();
        let record = finding.context.warc.map(|warc| warc.offset);
        self.found.push((record, finding.offset, uri));
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.losses.push((loss.offset, loss.kind));
    }

    fn error(&mut self, _: Error) {
        self.errors += 1;
    }
}

fn run(source: Source, block: usize, threads: usize) -> (Report, Stats) {
    ways::run(source, block, threads)
}

fn found(bytes: &[u8]) -> Report {
    run(Source::Slice(bytes), 1 << 16, 1).0
}

/// A log of so many lines.
fn log(lines: usize, name: &str) -> Vec<u8> {
    let mut text = String::new();
    for i in 0..lines {
        let x = i * 7919 % 1009;
        text += &format!("{i} GET <http://{name}.example/{x}/\n{i}> and urn:x-{name}:{i}.\n");
    }
    text.into_bytes()
}

#[test]
fn every_form_gives_what_the_text_gives() {
    let text = log(9000, "a");
    let wanted = found(&text);
    assert_eq!(wanted.found.len(), 18_000);
    for (number, (name, form)) in FORMS.into_iter().enumerate() {
        let whole = form(&text);
        let (left, right) = text.split_at(text.len() / 3);
        let parts = [form(left), form(right)].concat();
        let nested = gzip(&whole);
        for (turn, bytes) in [&whole, &parts, &nested].into_iter().enumerate() {
            let turn = number + turn;
            for (block, threads) in thorough::part([(1 << 18, 1), (5000, 2)], 2, turn) {
                assert_eq!(
                    run(Source::Slice(bytes), block, threads).0,
                    wanted,
                    "{name}"
                );
            }
            for piece in thorough::part([977, 1], 2, turn) {
                let source = Source::Reader(Box::new(Dribble(bytes, piece)));
                assert_eq!(run(source, 1 << 16, 1).0, wanted, "{name} by {piece}");
            }
        }
        let as_it_is = Sieve::builder().decompress(false).build();
        let stats = as_it_is
            .run([Source::Slice(&whole)], &mut each(|_| {}))
            .unwrap();
        assert_eq!(stats.bytes, whole.len() as u64);
    }
}

#[test]
fn zeros_and_skippable_frames_are_no_damage() {
    let text = log(50, "a");
    let wanted = found(&text);
    let padded = [&gzip(&text)[..], &[0; 512]].concat();
    assert_eq!(found(&padded), wanted);
    let skippable = b"\x52\x2A\x4D\x18\x05\0\0\0hello";
    let frames = [skippable, &zstd(&text)[..], skippable].concat();
    assert_eq!(found(&frames), wanted);
    let utf16 = String::from_utf8(text).unwrap();
    let utf16: Vec<u8> = std::iter::once(0xFEFF)
        .chain(utf16.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    assert_eq!(found(&gzip(&utf16)).uris(), wanted.uris());
}

/// Output for a writer that pauses comes at once, in the middle of a member and between
/// two members.
#[test]
fn a_pausing_writer_is_answered() {
    use std::io::{BufRead, BufReader};
    use std::process::{Command, Stdio};
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("urisieve"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let stdin = child.stdin.take().unwrap();
    let mut writer = flate2::write::GzEncoder::new(stdin, flate2::Compression::fast());
    for i in 0..3 {
        writeln!(writer, "http://{i}.example/ and").unwrap();
        writer.flush().unwrap();
        let line = lines.next().unwrap().unwrap();
        assert_eq!(line, format!("http://{i}.example/"));
    }
    let mut stdin = writer.finish().unwrap();
    stdin.write_all(&gzip(b"http://last.example/ and")).unwrap();
    let line = lines.next().unwrap().unwrap();
    assert_eq!(line, "http://last.example/");
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

// --- Damage ---

#[test]
fn bytes_flipped_in_one_of_five_members() {
    for (name, form) in FORMS {
        let texts: Vec<Vec<u8>> = "abcde".chars().map(|c| log(400, &c.to_string())).collect();
        let mut members: Vec<Vec<u8>> = texts.iter().map(|text| form(text)).collect();
        let start = (members[0].len() + members[1].len()) as u64;
        let middle = members[2].len() / 2;
        members[2][middle] ^= 0x55;
        members[2][middle + 9] ^= 0xAA;
        let report = found(&members.concat());
        for (member, c) in [(0, 'a'), (1, 'b'), (3, 'd'), (4, 'e')] {
            let wanted = found(&texts[member]);
            let wanted = wanted.uris();
            let of_member = |uri: &&str| {
                uri.contains(&format!("{c}.example")) || uri.contains(&format!("x-{c}:"))
            };
            let got: Vec<&str> = report.uris().into_iter().filter(of_member).collect();
            assert_eq!(got, wanted, "{name}");
        }
        assert_eq!(report.losses.len(), 1, "{name}: {:?}", report.losses);
        assert_eq!(report.losses[0].0, start, "{name}");
    }
}

#[test]
fn truncated_garbage_and_wrong_checksums() {
    let (a, b) = (log(300, "a"), log(300, "b"));
    for (name, form) in FORMS {
        let (first, second) = (form(&a), form(&b));
        let at = first.len() as u64;
        let cut = [&first[..], &second[..second.len() - 3]].concat();
        let report = found(&cut);
        assert_eq!(report.kinds(), [(at, "truncated")], "{name}");
        assert!(report.found.len() >= 600);

        let garbage = [&first[..], b"garbage here", &second].concat();
        let report = found(&garbage);
        assert_eq!(report.kinds(), [(at, "garbage")], "{name}");
        assert_eq!(report.found.len(), 1200, "{name}");
        let damage = report.losses[0].1.damage().unwrap();
        assert_eq!(damage.resumes, Some(at + 12));
    }
    for (form, at) in [
        (gzip as fn(&[u8]) -> Vec<u8>, 6),
        (gzip, 1),
        (zstd, 2),
        (lz4, 2),
    ] {
        let mut first = form(&a);
        let len = first.len();
        first[len - at] ^= 1;
        let (report, stats) = {
            let bytes = [first, form(&b)].concat();
            run(Source::Slice(&bytes), 1 << 16, 1)
        };
        assert_eq!(report.kinds(), [(0, "suspect")]);
        assert_eq!(
            (report.found.len(), stats.suspect, stats.damaged),
            (1200, 1, 1)
        );
    }
}

#[test]
fn the_program_names_the_damage_and_exits_with_2() {
    let mut members: Vec<Vec<u8>> = (0..3).map(|_| gzip(&log(300, "a"))).collect();
    let start = members[0].len();
    let middle = members[1].len() / 2;
    members[1][middle] ^= 0xFF;
    members[1][middle + 5] ^= 0xFF;
    let root = TempDir::new().unwrap();
    let path = root.path().join("x.gz");
    let errors = root.path().join("errors");
    fs::write(&path, members.concat()).unwrap();
    let output = Command::cargo_bin("urisieve")
        .unwrap()
        .args([
            "--all",
            "--errors",
            errors.to_str().unwrap(),
            path.to_str().unwrap(),
        ])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let lines = output.stdout.iter().filter(|&&b| b == b'\n').count();
    assert!(lines >= 1200, "{lines}");
    let report = String::from_utf8(output.stderr).unwrap();
    assert!(
        report.contains("x.gz: compressed byte ")
            && report.contains(&format!("begins at compressed byte {start} is damaged")),
        "{report}"
    );
    let line = fs::read_to_string(errors).unwrap();
    let line: serde_json::Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    assert_eq!(line["offset"], start);
    assert!(["damaged", "suspect"].contains(&line["kind"].as_str().unwrap()));
}

// --- Web archives ---

fn response(name: &str, codings: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!(
        "HTTP/1.1 200 OK\r\nServer: http://no.example/\r\nLocation: http://{name}.example/next\r\n\
         Link: <http://{name}.example/link>; rel=x\r\n{codings}\r\n"
    );
    let more = format!(
        "WARC-Target-URI: http://{name}.example/\r\n\
         Content-Type: application/http; msgtype=response\r\n"
    );
    record("response", &more, &[head.as_bytes(), payload].concat())
}

/// The records of an archive and what is found in each of them.
fn archive() -> Vec<(Vec<u8>, Vec<&'static str>)> {
    let chunked = b"9\r\nhttp://a.\r\nB\r\nexample/xyz\r\n0\r\n\r\n";
    let coded = gzip(b"see http://b.example/coded");
    vec![
        (
            record("warcinfo", "", b"software: http://i.example/warcinfo\r\n"),
            vec!["http://i.example/warcinfo"],
        ),
        (
            response("a", "Transfer-Encoding: chunked\r\n", chunked),
            vec![
                "http://a.example/next",
                "http://a.example/link",
                "http://a.example/xyz",
            ],
        ),
        (
            response("b", "Content-Encoding: gzip\r\n", &coded),
            vec![
                "http://b.example/next",
                "http://b.example/link",
                "http://b.example/coded",
            ],
        ),
        (
            record(
                "resource",
                "Content-Type: text/html\r\n",
                b"<a href='http://c.example/c'>",
            ),
            vec!["http://c.example/c"],
        ),
        (
            record(
                "conversion",
                "Content-Type: text/plain\r\n",
                b"d <http://d.example/d\r\n e>",
            ),
            vec!["http://d.example/de"],
        ),
        (
            record(
                "metadata",
                "Content-Type: application/json\r\n",
                br#"{"u":"http:\/\/e.example\/"}"#,
            ),
            vec!["http://e.example/"],
        ),
    ]
}

fn of_records(records: &[(Vec<u8>, Vec<&'static str>)]) -> Vec<&'static str> {
    records.iter().flat_map(|(_, uris)| uris.clone()).collect()
}

#[test]
fn payloads_are_searched_and_no_headers() {
    let records = archive();
    let wanted = of_records(&records);
    let plain: Vec<u8> = records
        .iter()
        .flat_map(|(bytes, _)| bytes.clone())
        .collect();
    let report = found(&plain);
    assert_eq!((report.uris(), report.losses.len()), (wanted.clone(), 0));
    for (_, form) in FORMS {
        let members: Vec<u8> = records.iter().flat_map(|(b, _)| form(b)).collect();
        for bytes in [&members, &form(&plain)] {
            for piece in [1, 100, 1 << 20] {
                let source = Source::Reader(Box::new(Dribble(bytes, piece)));
                let (report, _) = run(source, 64, 1);
                assert_eq!((report.uris(), report.losses.len()), (wanted.clone(), 0));
            }
            let (report, _) = run(Source::Slice(bytes), 1 << 18, 2);
            assert_eq!(report.uris(), wanted);
        }
        let mut start = 0;
        let mut offsets = Vec::new();
        for (bytes, uris) in &records {
            offsets.extend(uris.iter().map(|_| Some(start)));
            start += form(bytes).len() as u64;
        }
        let report: Vec<_> = found(&members).found.iter().map(|found| found.0).collect();
        assert_eq!(report, offsets);
    }
}

/// A record about another one: the JSON of its block, and what is found in it.
const ENVELOPE: (&str, [&str; 6]) = (
    r#"
{"Container":{"Filename":"x.warc.gz","Offset":"7"},"Envelope":{"Format":"WARC/1.0",
"WARC-Header-Metadata":{"WARC-Type":"response","WARC-Record-ID":"<urn:uuid:1-no>",
 "WARC-Concurrent-To":["<urn:uuid:2-no>"],"WARC-Target-URI":"http:\/\/no.example\/x"},
"Payload-Metadata":{"HTTP-Response-Metadata":{"Headers":{"Server":"http://no.example/\"server",
 "location":"http://a.example/next","X":["http://no.example/"],"Link":["<http://a.example/l1>; x",
 "<http:\/\/a.example\/l2>"],"Report-To":"{\"url\":\"http://no.example/\"}"},
"HTML-Metadata":{"Head":{"Title":"see http://a.example/t","Headers":"urn:x-a:h"},
"Links":[{"path":"A@/href","url":"http://a.example/href"}]}}}}}"#,
    [
        "http://a.example/next",
        "http://a.example/l1",
        "http://a.example/l2",
        "http://a.example/t",
        "urn:x-a:h",
        "http://a.example/href",
    ],
);

#[test]
fn of_quoted_headers_only_references_count() {
    let (json, wanted) = ENVELOPE;
    let content_type = "Content-Type: application/json\r\n";
    let quoted = record("metadata", content_type, json.as_bytes());
    let other = record("resource", content_type, json.as_bytes());
    // Of another type, of other JSON, everything is searched.
    assert!(found(&other).found.len() > wanted.len());
    let listed = format!("[{json}]");
    let listed = found(&record("metadata", content_type, listed.as_bytes()));
    // As JSON the first value of a header ends at its quotation mark.
    assert_eq!(listed.found.len(), found(&other).found.len());
    // Positions do not depend on the parts that are not searched.
    let places = |report: &Report| -> Vec<(u64, String)> {
        let found = report.found.iter().map(|(_, at, uri)| (*at, uri.clone()));
        found.collect()
    };
    let all = places(&found(&other));
    let report = found(&quoted);
    assert_eq!(report.uris(), wanted);
    assert!(places(&report).iter().all(|found| all.contains(found)));
    let bytes = [&quoted[..], &response("b", "", b""), &quoted].concat();
    let wanted = found(&bytes);
    assert_eq!((wanted.found.len(), wanted.losses.len()), (14, 0));
    let forms = FORMS.iter().map(|(_, form)| form(&bytes));
    for coded in forms.chain([bytes.clone(), gzip(&gzip(&bytes))]) {
        for block in [1, 2, 3, 7, 64, 65536] {
            for threads in [1, 2] {
                let (report, _) = run(Source::Slice(&coded), block, threads);
                assert_eq!(places(&report), places(&wanted), "{block}");
                assert!(report.losses.is_empty());
            }
            let source = Source::Reader(Box::new(Dribble(&coded, 1)));
            assert_eq!(places(&run(source, block, 1).0), places(&wanted), "{block}");
        }
    }
}

#[test]
fn a_dictionary_in_the_archive() {
    let records = archive();
    let samples: Vec<u8> = (0..200)
        .flat_map(|i| records[i % records.len()].0.clone())
        .collect();
    let sizes: Vec<usize> = (0..200)
        .map(|i| records[i % records.len()].0.len())
        .collect();
    let mut dictionary = Vec::with_capacity(4096);
    zstd_safe::train_from_buffer(&mut dictionary, &samples, &sizes).unwrap();
    let frames: Vec<u8> = records
        .iter()
        .flat_map(|(bytes, _)| {
            let mut context = zstd_safe::CCtx::create();
            let mut out = Vec::with_capacity(zstd_safe::compress_bound(bytes.len()));
            context
                .compress_using_dict(&mut out, bytes, &dictionary, 3)
                .unwrap();
            out
        })
        .collect();
    for content in [dictionary.clone(), zstd(&dictionary)] {
        let head = [
            b"\x5D\x2A\x4D\x18",
            &(content.len() as u32).to_le_bytes()[..],
            &content,
        ];
        let report = found(&[&head.concat()[..], &frames].concat());
        assert_eq!(
            (report.uris(), report.losses.len()),
            (of_records(&records), 0)
        );
    }
    assert!(
        found(&frames)
            .losses
            .iter()
            .all(|loss| loss.1.code() == "unsupported")
    );
}

/// A body in an unsupported coding is a loss, unless it is text.
#[test]
fn content_codings_that_are_not_supported() {
    let text = &log(90, "text")[..];
    let (data, binary) = (&zstd(text)[..], b"\x1F\x9D\x90\0 http://no.example/");
    // As it was written by a server of another language.
    let latin = [b"\xE9t\xE9: ".as_slice(), text].concat();
    for (coding, body, container) in [
        ("compress", binary.as_slice(), Some("compress")),
        ("exi", data, Some("exi")),
        ("x-nobody", data, Some("an unknown content coding")),
        ("gzip, x-nobody", data, Some("an unknown content coding")),
        ("x-nobody", &latin, Some("an unknown content coding")),
        ("x-nobody", b"", None),
        ("compress", text, None),
        ("text/html", text, None),
        ("ISO-8859-1", &latin, None),
        ("utf-8", text, None),
        ("none", text, None),
    ] {
        let good = record("resource", "", b"http://good.example/");
        let coded = response("a", &format!("Content-Encoding: {coding}\r\n"), body);
        let bytes = [&good[..], &coded, &good].concat();
        let wanted = found(&bytes);
        for (block, threads) in [(1, 1), (700, 2), (1 << 18, 8)] {
            assert_eq!(run(Source::Slice(&bytes), block, threads).0, wanted);
        }
        let source = Source::Reader(Box::new(Dribble(&bytes, 1)));
        assert_eq!(run(source, 64, 1).0, wanted);
        let uris = wanted.uris();
        assert_eq!(uris.iter().filter(|uri| uri.contains("good")).count(), 2);
        assert!(!uris.iter().any(|uri| uri.contains("no.example")));
        let of_text = uris.iter().filter(|uri| uri.contains("text")).count();
        match container {
            Some(container) => {
                assert_eq!(of_text, 0, "{coding}");
                assert_eq!(wanted.kinds(), [(good.len() as u64, "unsupported")]);
                let damage = wanted.losses[0].1.damage().unwrap();
                assert_eq!(damage.container, container);
            }
            None => {
                assert_eq!(of_text, if body.is_empty() { 0 } else { 180 }, "{coding}");
                assert!(wanted.losses.is_empty(), "{coding}: {:?}", wanted.losses);
            }
        }
    }
}

/// Values of header fields are references as a whole, to the URI of their record.
#[test]
fn references_in_headers_are_resolved() {
    let head = "HTTP/1.1 301 Moved\r\nX: http://no.example/\r\nLocation: ../n?x=1\r\n\
        Content-Location: http://c.example/a).\r\n\
        Link: <s.css>; rel=preload, <urn:isbn:9780306406157>; anchor=\"http://p.example/\"\r\n\
        Refresh: 0; url='r#f'\r\nServer: x\r\n\r\nhttp://t.example/text).";
    let of = |target: &str| {
        let more = format!("WARC-Target-URI: {target}\r\nContent-Type: application/http\r\n");
        record("response", &more, head.as_bytes())
    };
    let with_base = [
        ("http://t.example/n?x=1", "../n?x=1"),
        ("http://c.example/a).", "http://c.example/a)."),
        ("http://t.example/d/s.css", "s.css"),
        ("urn:isbn:9780306406157", "urn:isbn:9780306406157"),
        ("http://p.example/", "http://p.example/"),
        ("http://t.example/d/r#f", "r#f"),
        ("http://t.example/text", "http://t.example/text"),
    ];
    let without = [1, 3, 4, 6].map(|n| with_base[n]);
    for (target, wanted) in [
        ("http://t.example/d/e", &with_base[..]),
        ("<http://t.example/d/e?q>", &with_base),
        ("urn:uuid:0", &without),
        ("", &without),
    ] {
        for (block, threads) in [(1 << 16, 1), (1, 1), (100, 2)] {
            let mut found = Vec::new();
            let visit = |finding: &Finding| {
                let from = finding.offset as usize;
                let there = &head[from..from + finding.length as usize];
                found.push((String::from_utf8_lossy(finding.uri).into_owned(), there));
            };
            let sieve = Sieve::builder()
                .mode(Mode::All)
                .block_size(block)
                .threads(threads);
            let archive = of(target);
            let source = Source::Slice(&archive);
            sieve.build().for_each_in([source], visit).unwrap();
            let found: Vec<(&str, &str)> = found.iter().map(|(uri, at)| (&uri[..], *at)).collect();
            assert_eq!(found, wanted, "{target} {block}");
        }
    }
}

#[test]
fn json_names_the_record() {
    let records = archive();
    let bytes: Vec<u8> = records.iter().flat_map(|(bytes, _)| gzip(bytes)).collect();
    let offset = gzip(&records[0].0).len();
    for args in [
        &["--all", "--json"][..],
        &["-c", "--json"],
        &["--sort", "--json"],
    ] {
        let output = Command::cargo_bin("urisieve")
            .unwrap()
            .args(args)
            .write_stdin(bytes.clone())
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let line = text
            .lines()
            .find(|line| line.contains("a.example/xyz"))
            .unwrap();
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["warc"]["offset"], offset);
        assert_eq!(line["warc"]["type"], "response");
        assert_eq!(line["warc"]["record_id"], "urn:uuid:0000-response");
        assert_eq!(line["warc"]["target_uri"], "http://a.example/");
        // The block begins with the head, and the payload is not chunked any more.
        let head = 17 + 27 + 34 + 38 + 28 + 2;
        assert_eq!(line["offset"], head);
        if args[0] != "-c" {
            assert_eq!((&line["line"], &line["column"]), (&7.into(), &1.into()));
        }
    }
}

#[test]
fn wrong_lengths_and_broken_headers() {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let body = b"http://x.example/ ";
    let good = text(&record("resource", "", b"http://good.example/"));
    let wrong = text(&record("resource", "", body));
    for (from, to, also) in [
        ("Content-Length: 18", "Content-Length: 180", true),
        ("Content-Length: 18", "Content-Length: 99999999", true),
        ("Content-Length: 18", "Content-Length: 8", false),
        ("Content-Length: 18", "Content-Length: x", true),
        ("Content-Length: 18", "Content-Length: -1", true),
        ("Content-Length: 18\r\n", "", true),
        ("WARC/1.0\r\nWARC-Type", "WXRC/1.0\r\nWARC-Type", false),
        ("\r\n\r\nhttp", "\r\nhttp", false),
    ] {
        let bytes = good.clone() + &wrong.replacen(from, to, 1) + &good + &good;
        let report = found(bytes.as_bytes());
        let uris = report.uris();
        let goods = uris.iter().filter(|uri| uri.contains("good")).count();
        assert_eq!(goods, 3, "{to}: {report:?}");
        assert!(
            !uris.iter().any(|uri| uri.contains("uuid")),
            "{to}: {report:?}"
        );
        assert!(!report.losses.is_empty(), "{to}");
        assert!(
            !also || uris.contains(&"http://x.example/"),
            "{to}: {report:?}"
        );
    }
}

/// No byte is read again and again.
#[test]
fn hostile_archives_are_read_once() {
    let text = |line: &[u8], times: usize| line.repeat(times);
    let nested = b"\x1F\x8B\x08\0\0\0\0\0\0\xFF\0\x12\0\xED\xFFabc".repeat(50_000);
    let split = [
        gzip(&record("resource", "", b"")),
        gzip(b"x").repeat(50_000),
    ]
    .concat();
    let mut near = gzip(b"x");
    near[0] ^= 1;
    let nearly = [
        gzip(b"x"),
        b"\x1F\x8B\x09\0\0\0\0\0\0\xFF\0\x12\0\xED\xFF".to_vec(),
    ]
    .concat();
    // Beginnings of members in each other, all of which end with much text and badly.
    let mut run_of_zeros = flate2::write::DeflateEncoder::new(Vec::new(), Default::default());
    run_of_zeros.write_all(&vec![0; 7 << 20]).unwrap();
    run_of_zeros.flush().unwrap();
    let chain = [
        gzip(b"x"),
        nested[..18 * 30_000].to_vec(),
        vec![b'.'; 15],
        run_of_zeros.get_ref().clone(),
        vec![7; 20],
        gzip(b"x"),
    ]
    .concat();
    let codings = format!("Content-Encoding: {}\r\n", "br,gzip,".repeat(20_000));
    for bytes in [
        chain,
        response("a", &codings, b"http://no.example/"),
        [gzip(b"x"), near.repeat(50_000)].concat(),
        nearly.repeat(50_000),
        text(b"WBRC/1.0\nWARC-\n", 100_000),
        text(b"WARC/1.0\r\nWARC-Type: x\r\n\r\nx", 100_000),
        text(b"WARC/1.0\r\nWARC-Type: x\r\n\r\nx\r\n\r\n", 80_000),
        [
            &b"WARC/1.0\r\nWARC-Type: x\r\n\r\n"[..],
            &b"a\n".repeat(4 << 20),
        ]
        .concat(),
        text(b"http://a/ 1.2.3.4 20140216050221 text/html -1\n", 80_000),
        text(b"WARC/1.0\n", 200_000),
        text(b"WARC/1.0\r\nContent-Length: 4000000\r\n\r\n", 50_000),
        text(b"WARC/1.0\r\nContent-Length: 100\r\n\r\n", 50_000),
        text(b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n", 50_000),
        text(b"\x1F\x8B\x08\0\0\0\0\0\0\xFF", 100_000),
        nested,
        split,
    ] {
        for threads in thorough::part([1, 2], 2, bytes.len()) {
            let stats = run(Source::Slice(&bytes), 1 << 16, threads).1;
            // The longest of them is 7 MiB of text, once.
            let most = bytes.len() as u64 + (8 << 20);
            assert!(stats.bytes <= most, "{} {:?}", stats.bytes, &bytes[..20]);
            assert!(stats.damaged <= bytes.len() as u64 / 8);
        }
    }
}

/// A record that is too long to be held back is checked by its beginning: by the same
/// bytes, however many more are here.
#[test]
fn long_records_are_judged_alike() {
    let good = record("resource", "", b"http://good.example/");
    // A record of its own after them, so that much is believed.
    let last = record("resource", "", &vec![b' '; 6 << 20]);
    let cases = [
        (6 << 20, None),
        (3 << 20, None),
        (1000, Some(5 << 20)),
        (5 << 20, Some(9)),
    ];
    for (number, (len, said)) in cases.into_iter().enumerate() {
        let mut block = log(len / 50, "long");
        block.resize(len, b'.');
        let mut wrong = record("resource", "", &block);
        let head = format!("Content-Length: {len}\r\n");
        let other = said.map_or(String::new(), |said| format!("Content-Length: {said}\r\n"));
        let at = memchr::memmem::find(&wrong, head.as_bytes()).unwrap();
        wrong.splice(at..at + head.len(), other.bytes());
        let records = [&good[..], &wrong, &good, &good, &last];
        let bytes = records.concat();
        let whole = gzip(&bytes);
        let members = records.map(gzip).concat();
        for bytes in thorough::part([bytes, whole, members], 2, number) {
            let wanted = run(Source::Slice(&bytes), 1 << 16, 1);
            assert!(!wanted.0.losses.is_empty());
            let uris = wanted.0.uris();
            assert!(
                !uris.iter().any(|uri| uri.contains("uuid")),
                "{len} {said:?}"
            );
            let goods = uris.iter().filter(|uri| uri.contains("good")).count();
            assert_eq!(goods, 3, "{len} {said:?}");
            for piece in thorough::part([1000, 1 << 20], 2, usize::from(said.is_some())) {
                let source = Source::Reader(Box::new(Dribble(&bytes, piece)));
                assert_eq!(run(source, 1 << 16, 1).0.losses, wanted.0.losses);
            }
            let got = run(Source::Slice(&bytes), 1 << 18, 2);
            assert_eq!(got.0.losses, wanted.0.losses, "{len} {said:?}");
            assert!(got == wanted, "{len} {said:?}");
        }
    }
}

/// Bytes after damage that look like UTF-16 are not the beginning of an input.
#[test]
fn only_a_beginning_decides_the_encoding() {
    let mut text = log(40, "raw");
    text.truncate(1000);
    let utf16: Vec<u8> = std::iter::once(0xFEFF)
        .chain("\n http://b.example/ ".repeat(40).encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let mut first = gzip(&text);
    let end = first.len();
    first[end - 8] ^= 1;
    let bytes = [first, gzip(&utf16), gzip(&text)].concat();
    let wanted = run(Source::Slice(&bytes), 1 << 16, 1);
    assert!(wanted.0.found.len() > 60);
    for block in [1, 102, 1500] {
        let got = run(Source::Slice(&bytes), block, 2);
        assert_eq!(got.0.found, wanted.0.found, "{block}");
        assert_eq!(got.1, wanted.1);
    }
    // Nothing went before.
    let damaged = [b"\x1F\x8B\x08\0\0\0\0\0\0\xFF\x07".to_vec(), gzip(&utf16)].concat();
    let report = run(Source::Slice(&damaged), 100, 1).0;
    assert_eq!(report.found.len(), 40);
    assert_eq!(report.losses.len(), 1);
}

/// A record after a damaged member of UTF-16 is read as records are.
#[test]
fn a_record_follows_utf16() {
    let utf16 = |text: &str| -> Vec<u8> {
        let units = text.encode_utf16();
        units.flat_map(u16::to_le_bytes).collect()
    };
    let record = b"WARC/1.0\r\nContent-Length: 17\r\n\r\nhttp://z.example/\r\n\r\n";
    let lines = (0..200).map(|i| format!("see http://{}.example/\n", i * i));
    let mut before = gzip(&utf16(&lines.collect::<String>()));
    before.truncate(before.len() - 40);
    let bytes = [before, gzip(record)].concat();
    let wanted = run(Source::Slice(&bytes), 1 << 16, 1).0.found;
    let (of_text, of_record) = wanted.split_at(wanted.len() - 1);
    assert_eq!(of_text[50], (None, 2416, "http://2500.example/".to_owned()));
    assert_eq!(of_record[0].1, 0);
    assert_eq!(of_record[0].2, "http://z.example/");
    assert!(of_record[0].0.is_some());
    for block in [1, 7, 100, 700] {
        for threads in [1, 2] {
            let got = run(Source::Slice(&bytes), block, threads);
            assert_eq!(got.0.found, wanted, "{block} {threads}");
        }
    }
}

/// Losses of a stream inside a stream are reported where they are detected.
#[test]
fn nested_losses_are_reported_in_order() {
    let mut inner: Vec<u8> = (0..300)
        .flat_map(|i| gzip(&log(90, &format!("n{i}"))))
        .collect();
    for part in [5, 3] {
        let at = inner.len() / part;
        inner[at] ^= 0x10;
    }
    let mut nested: Vec<u8> = inner.chunks(9_999).flat_map(gzip).collect();
    for part in [4, 2] {
        let at = nested.len() / part;
        nested[at] ^= 0x10;
    }
    let wanted = run(Source::Slice(&nested), 1 << 16, 1);
    assert!(wanted.0.losses.len() >= 4, "{:?}", wanted.0.losses);
    for threads in [2, 8] {
        let got = run(Source::Slice(&nested), 1 << 16, threads);
        assert_eq!(got.0.losses, wanted.0.losses);
        assert!(got == wanted);
    }
}

#[test]
fn arc_files() {
    let block = |url: &str, body: &str| {
        let len = body.len();
        format!("{url} 1.2.3.4 20140216050221 text/html {len}\n{body}\n")
    };
    let version = "1 0 Test\nURL IP-address Archive-date Content-type Archive-length\n";
    let arc = block("filedesc://no.example/x.arc", version)
        + &block(
            "http://no.example/",
            "HTTP/1.1 200 OK\r\nServer: x\r\n\r\nhttp://a.example/",
        )
        + &block("http://no.example/b c", "http://b.example/");
    for bytes in [arc.clone().into_bytes(), gzip(arc.as_bytes())] {
        let report = found(&bytes);
        assert_eq!(report.uris(), ["http://a.example/", "http://b.example/"]);
        assert!(report.losses.is_empty());
    }
    // A record without a length goes on to the next one.
    let len = " 47\n";
    assert!(arc.contains(len));
    let report = found(arc.replace(len, " -1\n").as_bytes());
    assert_eq!(report.uris(), ["http://a.example/", "http://b.example/"]);
    assert_eq!(report.losses.len(), 1);
}

// --- Every damage of a small archive ---

/// A small archive of compressed records, and where each begins.
fn small(form: fn(&[u8]) -> Vec<u8>) -> (Vec<Vec<u8>>, Vec<Vec<&'static str>>) {
    let records = archive();
    records
        .into_iter()
        .map(|(bytes, uris)| (form(&bytes), uris))
        .unzip()
}

/// Whether the report of `members` contains all URIs but those of member `damaged`, in
/// order.
fn others_are_complete(report: &Report, uris: &[Vec<&str>], damaged: usize) -> bool {
    let wanted = uris.iter().enumerate().filter(|(n, _)| *n != damaged);
    let mut got = report.uris().into_iter();
    wanted
        .flat_map(|(_, uris)| uris)
        .all(|uri| got.any(|other| other == *uri))
}

#[test]
fn every_flipped_byte_and_every_cut() {
    for (name, form) in FORMS {
        let (members, uris) = small(form);
        let bytes = members.concat();
        let mut at = 0;
        for (damaged, member) in members.iter().enumerate() {
            for place in (at..at + member.len()).step_by(thorough::step(5)) {
                for flip in [0x01, 0x80, 0xFF] {
                    let mut bytes = bytes.clone();
                    bytes[place] ^= flip;
                    if Compression::of(&bytes).is_none() {
                        // It is text.
                        continue;
                    }
                    let report = found(&bytes);
                    assert!(
                        others_are_complete(&report, &uris, damaged),
                        "{name}: {place} ^ {flip:#x} in member {damaged}: {report:?}"
                    );
                    // Some bits of a header have no meaning.
                    assert!(
                        !report.losses.is_empty() || report.uris() == uris.concat(),
                        "{name}: {place} ^ {flip:#x} in member {damaged}: {report:?}"
                    );
                }
                let report = found(&bytes[..place]);
                assert!(
                    place < 12 || others_are_complete(&report, &uris[..damaged], usize::MAX),
                    "{name}: cut at {place}: {report:?}"
                );
            }
            at += member.len();
        }
    }
}

/// Where the bytes of the magic number are that `bytes` begin with.
fn magic_len(bytes: &[u8]) -> usize {
    (0..bytes.len())
        .find(|&len| Compression::of(&bytes[..len]).is_some())
        .unwrap()
}

#[test]
fn a_damaged_magic_number_between_members_is_a_named_loss() {
    for (name, form) in FORMS {
        let members = ["a", "b", "c"].map(|name| form(&log(1300, name)));
        let (start, next) = (members[0].len(), members[0].len() + members[1].len());
        let whole = members.concat();
        let wanted = found(&whole);
        for place in start..start + magic_len(&members[1]) {
            for flip in thorough::part([0x01, 0x80, 0xFF, whole[place]], 4, place) {
                let mut bytes = whole.clone();
                bytes[place] ^= flip;
                if Compression::of(&bytes[start..]).is_some() {
                    // Another level of bzip2.
                    continue;
                }
                let report = found(&bytes);
                let context = format!("{name}: {place} ^ {flip:#x}: {:?}", report.losses);
                // Zeros may stand between members.
                let offset = start + usize::from(bytes[start] == 0);
                assert_eq!(report.kinds(), [(offset as u64, "garbage")], "{context}");
                let damage = report.losses[0].1.damage().unwrap();
                assert_eq!(damage.cause, "bytes that belong to no member");
                // The block of bzip2 is found without the beginning of its stream.
                let is_kept = name == "bzip2" && place < start + 4;
                let resumes = if is_kept { start + 4 } else { next };
                assert_eq!(damage.resumes, Some(resumes as u64), "{context}");
                let uris = wanted.uris();
                let uris = uris.into_iter().filter(|uri| {
                    let is_lost = uri.contains("b.example") || uri.contains("x-b");
                    is_kept || !is_lost
                });
                assert!(report.uris().into_iter().eq(uris), "{context}");
                let nested = found(&gzip(&bytes));
                assert!(nested.found == report.found, "{context}");
                assert_eq!(nested.kinds(), report.kinds(), "{context}");
            }
        }
        let mut bytes = whole;
        bytes[start] ^= 0x40;
        let wanted = run(Source::Slice(&bytes), 1 << 16, 1);
        assert_eq!((wanted.1.damaged, wanted.1.suspect), (1, 0));
        for piece in [1, 977] {
            for threads in [1, 2] {
                let source = Source::Reader(Box::new(Dribble(&bytes, piece)));
                assert!(run(source, 5000, threads) == wanted, "{name} by {piece}");
            }
        }
    }
}

/// It cannot be known that such a file is compressed.
#[test]
fn a_file_whose_first_magic_number_is_damaged_is_text() {
    for (name, form) in FORMS {
        let whole = [form(&log(90, "a")), form(&log(90, "b"))].concat();
        let text = b"\nsee http://a.example/\n";
        for place in 0..magic_len(&whole) {
            let mut bytes = [&whole[..], text].concat();
            bytes[place] ^= 0x81;
            let report = found(&bytes);
            assert!(
                report.losses.is_empty(),
                "{name}: {place}: {:?}",
                report.losses
            );
            assert!(
                report.uris().contains(&"http://a.example/"),
                "{name}: {place}"
            );
        }
    }
}

#[test]
fn the_program_reports_a_damaged_magic_number() {
    let frames = ["a", "b", "c"].map(|name| zstd(&log(90, name)));
    let start = frames[0].len();
    let mut bytes = frames.concat();
    bytes[start + 1] = 0;
    let output = Command::cargo_bin("urisieve")
        .unwrap()
        .arg("--all")
        .write_stdin(bytes)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(output.stdout.iter().filter(|&&b| b == b'\n').count(), 360);
    let report = String::from_utf8(output.stderr).unwrap();
    let wanted = format!("compressed byte {start}: zstd: bytes that belong to no member");
    assert!(report.contains(&wanted), "{report}");
}

#[test]
fn text_that_begins_nearly_like_a_magic_number() {
    let text = log(500, "a");
    for head in [
        "BZh91AY&SX",
        "BZh91AY&SY ",
        "BZ",
        "WARD/1.0\n",
        "WARS",
        "P",
        "(.",
    ] {
        let text = [head.as_bytes(), &text].concat();
        for piece in [1, 1 << 20] {
            let source = Source::Reader(Box::new(Dribble(&text, piece)));
            let (report, stats) = run(source, 1 << 16, 1);
            if head == "BZh91AY&SY " {
                // It is the whole magic number.
                assert_eq!(stats.damaged, 1);
                continue;
            }
            assert_eq!((report.found.len(), stats.damaged), (1000, 0), "{head}");
            assert_eq!(run(Source::Slice(&text), 1 << 16, 2).0, report);
        }
    }
}

#[test]
fn a_damaged_first_line_of_a_record() {
    let records = archive();
    let whole: Vec<u8> = records.iter().flat_map(|(b, _)| b.clone()).collect();
    let mut start = 0;
    for (damaged, (record, _)) in records.iter().enumerate() {
        for place in 0..record.len() {
            for flip in [0x01, 0x80, 0xFF] {
                let mut bytes = whole.clone();
                bytes[start + place] ^= flip;
                let report = found(&bytes);
                let context = format!("{place} ^ {flip:#x} in record {damaged}: {report:?}");
                if place < 5 {
                    // The record is named, and the next one is read.
                    assert_eq!(report.kinds()[0].0, start as u64, "{context}");
                    let source = Source::Reader(Box::new(Dribble(&bytes, 1)));
                    assert_eq!(run(source, 64, 1).0, report);
                }
                let uris: Vec<_> = records.iter().map(|(_, uris)| uris.clone()).collect();
                assert!(others_are_complete(&report, &uris, damaged), "{context}");
            }
        }
        start += record.len();
    }
}

/// Sizes of the pieces in which bytes come, and of blocks.
const PIECES: [(usize, usize); 6] = [
    (1, 64),
    (2, 1 << 16),
    (3, 100),
    (7, 64),
    (64, 1),
    (64 << 10, 700),
];

/// A Zstandard frame: what went before an error is searched, and the loss is the
/// same, whatever was read at once.
#[test]
fn damaged_zstandard_frames_are_read_alike() {
    let block = |kind: u32, text: &[u8]| {
        let header = (text.len() as u32) << 3 | kind << 1;
        [&header.to_le_bytes()[..3], text].concat()
    };
    let frame = |descriptor: &[u8], blocks: &[Vec<u8>]| {
        [b"\x28\xB5\x2F\xFD", descriptor, &blocks.concat()].concat()
    };
    let (raw, reserved) = (0, 3);
    let good = block(raw, b"see http://a.example/ ");
    let cases = [
        (
            frame(b"\0\0", &[good.clone(), block(reserved, b"")]),
            "damaged",
            1,
        ),
        (
            frame(b"\0\0", &[block(reserved, b""), good.clone()]),
            "damaged",
            0,
        ),
        (
            frame(b"\x01\0\x05", std::slice::from_ref(&good)),
            "unsupported",
            0,
        ),
        (frame(b"\0\xFF", &[good]), "unsupported", 0),
    ];
    for (bytes, kind, uris) in cases {
        let whole = found(&bytes);
        assert_eq!(whole.kinds(), [(0, kind)]);
        assert_eq!(whole.found.len(), uris, "{kind}");
        for (piece, block) in PIECES {
            let source = Source::Reader(Box::new(Dribble(&bytes, piece)));
            assert_eq!(run(source, block, 1).0, whole, "{piece} {block}");
        }
    }
}

proptest! {
    #![proptest_config(random::cases(120))]

    /// Whatever the damage, reading ends, and the way of reading makes no difference.
    #[test]
    fn any_damage_is_read_alike(
        form in 0..FORMS.len(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..6u8), 1..5),
    ) {
        let members = small(FORMS[form].1).0;
        let mut bytes = members.concat();
        for (at, byte, what) in changes {
            let at = at.index(bytes.len());
            match what {
                0 => { bytes.truncate(at + 1); }
                1 => { bytes.insert(at, byte); }
                2 => { bytes.remove(at); }
                3 => {
                    // In a magic number, if nothing was moved.
                    let before = &members[..at % members.len()];
                    let start = before.iter().map(Vec::len).sum::<usize>();
                    let len = bytes.len();
                    bytes[(start + usize::from(byte % 10)) % len] ^= byte | 1;
                }
                _ => bytes[at] = byte,
            }
            if bytes.is_empty() { bytes.push(byte); }
        }
        let whole = found(&bytes);
        for (piece, block) in PIECES {
            let source = Source::Reader(Box::new(Dribble(&bytes, piece)));
            let (dribbled, _) = run(source, block, 1);
            prop_assert_eq!(
                whole.read_alike(),
                dribbled.read_alike(),
                "pieces of {}, blocks of {}", piece, block
            );
        }
        let (parallel, _) = run(Source::Slice(&bytes), 100, 2);
        prop_assert_eq!(whole.read_alike(), parallel.read_alike());
    }
}

/// Members that idle threads decode ahead of the stream have the same findings as
/// members decoded one after the other; damage, and magic numbers without a member,
/// make no difference.
#[test]
fn members_decoded_ahead_give_the_same() {
    let mut picks = 88_172_645_463_325_252_u64;
    let mut pick = move |below: usize| {
        picks ^= picks << 13;
        picks ^= picks >> 7;
        picks ^= picks << 17;
        (picks % below as u64) as usize
    };
    let forms = [
        ("gzip", gzip as fn(&[u8]) -> Vec<u8>),
        ("zstd", zstd),
        ("lz4", lz4),
        ("bzip2", bzip2),
    ];
    for (number, (name, form)) in forms.into_iter().enumerate() {
        for damages in thorough::part([0, 1, 7, 40], 2, number) {
            let mut bytes = Vec::new();
            for member in 0..250 {
                let mut text = log(pick(90), &format!("m{member}"));
                // What cannot be compressed, and looks like the beginning of members.
                for _ in 0..pick(3000) {
                    text.push(pick(256) as u8);
                }
                text.extend_from_slice(&form(b"http://never.example/"));
                bytes.extend(form(&text));
            }
            assert!(bytes.len() > 250 << 10, "{name} {}", bytes.len());
            for _ in 0..damages {
                let at = pick(bytes.len());
                bytes[at] ^= 1 << pick(8);
            }
            let wanted = run(Source::Slice(&bytes), 1 << 16, 1);
            assert!(wanted.0.found.len() > 8_000);
            assert_eq!(wanted.0.losses.is_empty(), damages == 0, "{name}");
            let ways = [(1 << 16, 2), (1 << 18, 8), (3000, 3)];
            for (block, threads) in thorough::part(ways, 3, damages + name.len()) {
                let got = run(Source::Slice(&bytes), block, threads);
                let place = format!("{name} {damages} {block} {threads}");
                assert_eq!(got.0.losses, wanted.0.losses, "{place}");
                assert!(got.0.found == wanted.0.found, "{place}");
                assert_eq!(got.1, wanted.1, "{place}");
            }
        }
    }
}

/// Coded content is decoded by the worker that scans it, in pieces: however long it is,
/// it has the same findings as the same text without a coding, in the same order.
#[test]
fn coded_content_gives_what_the_text_gives() {
    let long = log(60_000, "long");
    assert!(long.len() > 3 << 20 && zstd(&long).len() < 1 << 20);
    let chunked = |bytes: &[u8]| {
        let chunk =
            |bytes: &[u8]| [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat();
        let chunks = bytes.chunks(5000).flat_map(chunk);
        chunks.chain(*b"0\r\n\r\n").collect::<Vec<u8>>()
    };
    let (mut plain, mut coded) = (Vec::new(), Vec::new());
    for i in 0..40 {
        let name = format!("r{i}");
        let text = if i % 20 == 7 {
            long.clone()
        } else {
            log(i * 9, &name)
        };
        plain.extend(response(&name, "", &text));
        let (codings, content) = match i % 5 {
            0 => ("Transfer-Encoding: chunked\r\n", chunked(&text)),
            1 => ("Content-Encoding: gzip\r\n", gzip(&text)),
            2 => (
                "Content-Encoding: zstd\r\nTransfer-Encoding: chunked\r\n",
                chunked(&zstd(&text)),
            ),
            3 => ("Content-Encoding: gzip, gzip\r\n", gzip(&gzip(&text))),
            _ => ("", text),
        };
        coded.extend(response(&name, codings, &content));
    }
    let uris = |bytes: &[u8], mode, block, threads| {
        let sieve = Sieve::builder()
            .mode(mode)
            .block_size(block)
            .threads(threads)
            .lines(mode != Mode::Count)
            .build();
        let mut uris: Vec<(u64, u64, Option<u64>, String)> = Vec::new();
        let visit = |found: &Finding| {
            let warc = found.context.warc.as_ref().map_or(0, |warc| warc.number);
            let line = found.place.map(|place| place.line);
            uris.push((
                warc,
                found.offset,
                line,
                String::from_utf8_lossy(found.uri).into_owned(),
            ));
        };
        let stats = sieve.for_each_in([Source::Slice(bytes)], visit).unwrap();
        assert_eq!(stats.damaged, 0);
        (uris, stats.occurrences, stats.distinct)
    };
    let modes = [Mode::All, Mode::Distinct, Mode::Count];
    for (number, mode) in modes.into_iter().enumerate() {
        let mut wanted = uris(&plain, mode, 1 << 16, 1);
        // Lengths of heads differ, and so do the offsets behind them.
        for found in &mut wanted.0 {
            found.1 = 0;
        }
        let ways = [(1 << 16, 1), (1 << 18, 2), (700, 3), (1 << 20, 8)];
        for (block, threads) in thorough::part(ways, 4, number + 1) {
            let mut got = uris(&coded, mode, block, threads);
            for found in &mut got.0 {
                found.1 = 0;
                // And a line more of the head says how the content is coded.
                let more = [1, 1, 2, 1, 0][(found.0 % 5) as usize];
                found.2 = found.2.map(|line| line - if line > 5 { more } else { 0 });
            }
            for (got, wanted) in got.0.iter().zip(&wanted.0) {
                assert_eq!(got, wanted, "{mode:?} {block} {threads}");
            }
            assert_eq!(
                (got.0.len(), got.1, got.2),
                (wanted.0.len(), wanted.1, wanted.2)
            );
        }
    }
}
