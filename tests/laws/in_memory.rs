//! Texts in memory: what `Sieve::text_search` gives is what `Sieve::for_each_in` gives of
//! the same texts, whatever they look like, and whatever the settings. No text hides what it
//! has by what it begins with.

use crate::thorough;
use flate2::{Compression, write::GzEncoder};
use proptest::prelude::*;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use urisieve::input::Source;
use urisieve::item::{Finding, IdentifierKinds};
use urisieve::{Builder, ErrorKind, Mode, Sieve, Stats, each};

fn shown(finding: &Finding) -> String {
    let text = |bytes: &[u8]| String::from_utf8_lossy(&bytes[..bytes.len().min(40)]).into_owned();
    let (uri, original) = (text(finding.uri), text(finding.original));
    let place = (finding.input, finding.offset, finding.length, finding.place);
    let rest = (finding.marks, finding.alternative, finding.context);
    format!("{uri} {original} {place:?} {rest:?}")
}

fn by_run(sieve: &Sieve, texts: &[Vec<u8>]) -> (Vec<String>, Stats) {
    let mut found = Vec::new();
    let sources = texts.iter().map(|text| Source::Text(text));
    let stats = sieve.for_each_in(sources, |finding| found.push(shown(finding)));
    (found, stats.unwrap())
}

fn by_text(sieve: &Sieve, texts: &[Vec<u8>]) -> (Vec<String>, Stats) {
    let mut found = Vec::new();
    // A sieve that does more than to find has a run.
    let Ok(mut search) = sieve.text_search() else {
        return by_run(sieve, texts);
    };
    for text in texts {
        let searched = search.search(text, |finding| found.push(shown(finding)));
        searched.unwrap();
    }
    (found, *search.stats())
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text).unwrap();
    packed.finish().unwrap()
}

fn utf16(text: &str) -> Vec<u8> {
    let units = std::iter::once('\u{FEFF}').chain(text.chars());
    let units: String = units.collect();
    units.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

fn all_forms() -> Vec<Vec<u8>> {
    let many = "see HTTP://A.example/%7eb, <http://b.example/one/\n two> www.c.example\n".repeat(3);
    let page = "<!DOCTYPE html><base href=http://d.example/><a href=e>f</a> http://g.example/";
    let warc = "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://h.example/\r\n\
                Content-Type: text/plain\r\nContent-Length: 19\r\n\r\nto http://i.example/\r\n\r\n";
    let cut = &gzip(many.as_bytes())[..60];
    vec![
        many.clone().into_bytes(),
        Vec::new(),
        b"\xEF\xBB\xBF".to_vec(),
        b"\xEF\xBB\xBFurn:isbn:0395363411 ISBN 0-8044-2957-X".to_vec(),
        b"http://j.example/k".to_vec(),
        b"l.example/m and hxxp://n[.]example/".to_vec(),
        utf16(&many),
        page.into(),
        page.replace("<!DOCTYPE html>", "<?xml version='1.0'?>")
            .into_bytes(),
        warc.into(),
        gzip(many.as_bytes()),
        gzip(&gzip(warc.as_bytes())),
        cut.to_vec(),
        b"PK\x03\x04 http://o.example/".to_vec(),
        [
            &b"http://p.example/"[..],
            &[b'q'; 10_000],
            b" http://r.example/",
        ]
        .concat(),
        b"\xFF\xFE http://s.example/\xFF\xE9 <http://t.example/\xC3".to_vec(),
        b"http://u.example/v-\nw".to_vec(),
    ]
}

fn settings() -> Vec<Builder<Sieve>> {
    let builder = || Sieve::builder().mode(Mode::All).originals(true);
    vec![
        builder(),
        builder().archives(false).decompress(false),
        builder()
            .abbreviated(true)
            .refang(true)
            .bare(IdentifierKinds::all()),
        builder().utf16(true),
        // What needs more than its findings takes the way of a run.
        builder().lines(true),
        builder().threads(2),
        builder().max_findings(Some(2)),
        builder().mode(Mode::Distinct),
        builder().mode(Mode::Count),
    ]
}

#[test]
fn a_text_is_searched_as_an_input_is() {
    let texts = all_forms();
    let step = thorough::step(3);
    for (number, builder) in settings().into_iter().enumerate() {
        let blocks = [1, 2, 3, 7, 64, 64 << 10].into_iter();
        for block in blocks.skip(number % step).step_by(step) {
            let sieve = builder.clone().block_size(block).build();
            let (found, stats) = by_run(&sieve, &texts);
            let (same, counts) = by_text(&sieve, &texts);
            let differs = found.iter().zip(&same).find(|(one, other)| one != other);
            assert_eq!(differs, None, "settings {number}, blocks of {block}");
            assert_eq!(
                found.len(),
                same.len(),
                "settings {number}, blocks of {block}"
            );
            assert_eq!(stats, counts, "settings {number}, blocks of {block}");
        }
        // Beside each other, and alone.
        let sieve = builder.build();
        for text in &texts {
            let alone = std::slice::from_ref(text);
            assert_eq!(by_run(&sieve, alone), by_text(&sieve, alone));
        }
    }
}

proptest! {
    #[test]
    fn no_text_reaches_the_next(
        pieces in proptest::collection::vec(
            proptest::sample::select(vec![
                "http:", "//a.example/", "<", ">", "\n", "-", " ", "\"", "urn:", "isbn:1", "%4", "é",
                "www.", "\u{FEFF}", "\0", "URL:", "ISBN ", "0395363411",
            ]),
            0..40,
        ),
        ends in proptest::collection::vec(0..40_usize, 0..6),
    ) {
        let mut texts = vec![Vec::new()];
        for (number, piece) in pieces.iter().enumerate() {
            if ends.contains(&number) {
                texts.push(Vec::new());
            }
            texts.last_mut().unwrap().extend_from_slice(piece.as_bytes());
        }
        for builder in settings() {
            let sieve = builder.build();
            prop_assert_eq!(by_run(&sieve, &texts), by_text(&sieve, &texts));
        }
    }
}

/// What begins a compression, a container, UTF-16 or markup.
const BEGINNINGS: &[&[u8]] = &[
    b"WARC/1.0 ",
    b"WARC/1.0\r\nContent-Length: 0\r\n\r\n",
    b"\x1F\x8B",
    b"\x1F\x8B\x08\0\0\0\0\0\0\0",
    b"\x1F\x9D\x90",
    b"BZh",
    b"BZh91AY&SY",
    b"\x28\xB5\x2F\xFD",
    b"\x50\x2A\x4D\x18\xFF\0\0\0",
    b"\xFD7zXZ\0",
    b"\x04\x22\x4D\x18",
    b"PK\x03\x04",
    b"PAR1",
    b"%PDF-1.4\n",
    b"\xFF\xFE",
    b"\xFE\xFF",
    b"\xEF\xBB\xBF",
    b"\xEF\xBB\xBFWARC/1.0 ",
    b"\0a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0m\0n\0o\0p\0q\0r\0s\0t\0u\0v\0w\0x\0y\0z",
    b"\xFF\xFE<\0h\0t\0m\0l\0>\0",
    b"<html>",
    b"<?xml version='1.0' encoding='UTF-16'?>",
    b"=LDR  00000nam",
    b"00108nam a2200061 a 4500",
    b"\xEF\xBB\xBF\xFF\xFE",
];

#[test]
fn no_beginning_hides_a_uri() {
    let tar = [&b"a.txt\0"[..], &[b'0'; 251], b"ustar\0", &[b'0'; 250]].concat();
    let beginnings = BEGINNINGS.iter().map(|text| text.to_vec()).chain([tar]);
    for beginning in beginnings {
        let text = [&beginning, &b" http://evil.example/ x"[..]].concat();
        let wanted = [b"http://evil.example/".to_vec()];
        let shown = String::from_utf8_lossy(&text);
        for mode in [Mode::All, Mode::Distinct] {
            for block in [1, 64 << 10] {
                let sieve = Sieve::builder().mode(mode).block_size(block).build();
                let mut found = Vec::new();
                let stats = sieve
                    .for_each(&text, |f| found.push(f.uri.to_vec()))
                    .unwrap();
                assert_eq!(found, wanted, "{shown}");
                assert_eq!((stats.damaged, stats.unseen), (0, 0), "{shown}");
                found.clear();
                if let Ok(mut search) = sieve.text_search() {
                    let add = |f: &Finding| found.push(f.uri.to_vec());
                    search.search(&text, add).unwrap();
                    assert_eq!(found, wanted, "{shown}");
                    found.clear();
                }
                sieve
                    .run([&text[..]], &mut each(|f| found.push(f.uri.to_vec())))
                    .unwrap();
                assert_eq!(found, wanted, "{shown}");
            }
        }
        let found: Vec<_> = urisieve::find(&text)
            .map(|found| found.uri().to_vec())
            .collect();
        assert_eq!(found, wanted, "{shown}");
    }
}

/// A whole document in memory is read as a file is.
#[test]
fn a_document_in_memory_is_unpacked() {
    let texts = all_forms();
    for (number, text) in texts.iter().enumerate() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text).unwrap();
        let run = |source: Source| {
            let (mut found, sieve) = (Vec::new(), Sieve::builder().mode(Mode::All).build());
            let stats = sieve.for_each_in([source], |finding| found.push(shown(finding)));
            (found, stats.unwrap())
        };
        let wanted = run(Source::Path(file.path().to_owned()));
        assert_eq!(run(Source::Slice(text)), wanted, "{number}");
    }
    let mut packed = 0;
    let sieve = Sieve::builder().build();
    let source = Source::Slice(&texts[11]);
    sieve.for_each_in([source], |_| packed += 1).unwrap();
    assert_eq!(packed, 1);
}

#[test]
fn a_panic_of_the_caller_is_an_error() {
    let sieve = Sieve::builder().mode(Mode::All).build();
    let texts = [
        &b"http://a.example/"[..],
        b"http://b.example/",
        b"http://c.example/",
    ];
    let mut seen = 0;
    let failed = sieve.for_each_in(texts, |_| {
        seen += 1;
        assert!(seen < 2, "enough");
    });
    let error = failed.unwrap_err();
    assert_eq!((error.kind(), seen), (ErrorKind::Panic(1), 2));
    assert!(error.to_string().contains("enough"), "{error}");
    // A search may be continued.
    let (mut search, mut seen) = (sieve.text_search().unwrap(), 0);
    let errors = texts.map(|text| {
        let searched = search.search(text, |_| {
            seen += 1;
            assert!(seen != 2, "enough");
        });
        searched.err().map(|error| error.kind())
    });
    assert_eq!(errors, [None, Some(ErrorKind::Panic(1)), None]);
}

#[test]
fn a_flag_ends_the_search() {
    let cancel = Arc::new(AtomicBool::new(false));
    let sieve = Sieve::builder()
        .mode(Mode::All)
        .cancel(Arc::clone(&cancel))
        .build();
    let (mut search, mut seen) = (sieve.text_search().unwrap(), 0);
    for _ in 0..10 {
        let searched = search.search(b"http://a.example/", |_| {
            seen += 1;
            cancel.store(seen == 3, Ordering::Relaxed);
        });
        searched.unwrap();
    }
    assert_eq!((search.stats().occurrences, seen), (3, 3));
}
