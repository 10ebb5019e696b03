//! One bench for each stage, and the whole, on generated workloads named after their
//! content. Every bench checks its result before it is timed.

mod workloads;

use aho_corasick::AhoCorasick;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::dedup::{Hasher, Set};
use urisieve::delimit::{Config, Delimiter, Outcome};
use urisieve::item::{IdentifierKind, IdentifierKinds, Segment};
use urisieve::scan::Scanner;
use urisieve::{Finder, Mode, Sieve, each};
use workloads::{Workload, all};

/// Opaque schemes, as an automaton would look for them.
const OPAQUE: [&str; 26] = [
    "urn:", "mailto:", "news:", "tel:", "sms:", "doi:", "hdl:", "ark:", "isbn:", "issn:",
    "magnet:", "tag:", "info:", "sip:", "sips:", "xmpp:", "cid:", "mid:", "geo:", "did:", "pkg:",
    "swh:", "bitcoin:", "jdbc:", "feed:", "blob:",
];

/// Finding colons: the kernel and what could stand in its place.
fn scan(c: &mut Criterion) {
    for Workload { name, text, uris } in all() {
        let mut group = c.benchmark_group(format!("scan/{name}"));
        group.throughput(Throughput::Bytes(text.len() as u64));
        let scanner = Scanner::new();
        let segment = Segment::whole(&text);
        let triggers = || scanner.triggers(&segment, 0).count();
        assert!(triggers() >= uris);
        group.bench_function("kernel", |b| b.iter(|| black_box(triggers())));
        let colons = || {
            memchr::memchr_iter(b':', &text)
                .filter(|&at| matches!(text.get(at + 1), Some(b'/' | b'\\')))
                .count()
        };
        assert!(colons() >= uris);
        group.bench_function("memchr-every-colon", |b| b.iter(|| black_box(colons())));
        let slashes = || memchr::memmem::find_iter(&text, "://").count();
        assert_eq!(slashes(), colons());
        group.bench_function("memmem-slashes-only", |b| b.iter(|| black_box(slashes())));
        let mut patterns = vec!["://"];
        patterns.extend(OPAQUE);
        let automaton = AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(patterns)
            .unwrap();
        let automatic = || automaton.find_iter(&text).count();
        assert!(automatic() >= uris);
        group.bench_function("aho-corasick", |b| b.iter(|| black_box(automatic())));
        group.finish();
    }
}

/// The texts of all URIs of a workload.
fn texts(text: &[u8]) -> Vec<Vec<u8>> {
    let scanner = Scanner::new();
    let mut delimiter = Delimiter::new(Config::default());
    let segment = Segment::whole(text);
    let mut triggers = scanner.triggers(&segment, 0);
    let (mut floor, mut texts) = (0, Vec::new());
    while let Some(trigger) = triggers.next() {
        if let Outcome::Found(end) = delimiter.delimit(&segment, trigger.at(), floor) {
            texts.extend(delimiter.found(&segment).map(|raw| raw.text.to_vec()));
            floor = end;
            triggers.skip_to(end);
        }
    }
    texts
}

/// Where each URI begins and ends, also by a crate that does the same job.
fn delimit(c: &mut Criterion) {
    let regex = regex::bytes::Regex::new(r#"[A-Za-z][A-Za-z0-9+.-]*://[^\s<>"]+"#).unwrap();
    for Workload { name, text, uris } in all() {
        let mut group = c.benchmark_group(format!("delimit/{name}"));
        group.throughput(Throughput::Elements(uris as u64));
        assert_eq!(texts(&text).len(), uris);
        let scanner = Scanner::new();
        let segment = Segment::whole(&text);
        let mut delimiter = Delimiter::new(Config::default());
        let mut count = || {
            let mut triggers = scanner.triggers(&segment, 0);
            let (mut floor, mut found) = (0, 0);
            while let Some(trigger) = triggers.next() {
                if let Outcome::Found(end) = delimiter.delimit(&segment, trigger.at(), floor) {
                    found += delimiter.found(&segment).count();
                    floor = end;
                    triggers.skip_to(end);
                }
            }
            found
        };
        group.bench_function("urisieve", |b| b.iter(|| black_box(count())));
        let string = std::str::from_utf8(&text).unwrap();
        let mut finder = linkify::LinkFinder::new();
        finder.kinds(&[linkify::LinkKind::Url]);
        assert_eq!(finder.links(string).count(), uris);
        group.bench_function("linkify", |b| {
            b.iter(|| black_box(finder.links(string).count()))
        });
        assert_eq!(regex.find_iter(&text).count(), uris);
        group.bench_function("regex", |b| {
            b.iter(|| black_box(regex.find_iter(&text).count()))
        });
        group.finish();
    }
}

/// The canonical form of each URI.
fn canonicalize(c: &mut Criterion) {
    for Workload { name, text, .. } in all() {
        let texts = texts(&text);
        let mut group = c.benchmark_group(format!("canonicalize/{name}"));
        group.throughput(Throughput::Elements(texts.len() as u64));
        let mut buffer = Vec::new();
        for level in [Level::Lexical, Level::Syntax, Level::Scheme] {
            let canonicalizer = Canonicalizer::new(level);
            for text in &texts {
                let once = canonicalizer.canonicalize(text, &mut buffer).to_vec();
                assert!(canonicalizer.is_canonical(&once));
            }
            group.bench_function(level.name(), |b| {
                b.iter(|| {
                    for text in &texts {
                        black_box(canonicalizer.canonicalize(text, &mut buffer));
                    }
                });
            });
        }
        // Other crates, on URIs for which both have the same form: parsing and
        // normalization are timed.
        let strings: Vec<&str> = texts
            .iter()
            .map(|text| std::str::from_utf8(text).unwrap())
            .collect();
        let fluent = |text: &str| fluent_uri::Uri::parse(text).unwrap().normalize();
        let url = |text: &str| url::Url::parse(text).unwrap();
        let scheme = Canonicalizer::new(Level::Scheme);
        for &text in &strings {
            let ours = scheme.canonicalize(text.as_bytes(), &mut buffer);
            assert_eq!(fluent(text).as_str().as_bytes(), ours);
            assert_eq!(url(text).as_str().as_bytes(), ours);
        }
        group.bench_function("fluent-uri", |b| {
            b.iter(|| {
                for &text in &strings {
                    black_box(fluent(text));
                }
            });
        });
        group.bench_function("url", |b| {
            b.iter(|| {
                for &text in &strings {
                    black_box(url(text));
                }
            });
        });
        group.finish();
    }
}

/// The exact set.
fn insert(c: &mut Criterion) {
    let keys: Vec<Vec<u8>> = workloads::dense_lines(100_000)
        .split(|&b| b == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    let hasher = Hasher::new();
    let fill = || {
        let mut set = Set::new();
        for key in &keys {
            set.insert(hasher.hash(key), key, 1, b"");
        }
        set
    };
    let distinct: std::collections::HashSet<_> = keys.iter().collect();
    assert_eq!(fill().len(), distinct.len());
    let mut group = c.benchmark_group("insert");
    group.throughput(Throughput::Elements(keys.len() as u64));
    group.bench_function("set", |b| b.iter(|| black_box(fill().len())));
    group.bench_function("std-hashset", |b| {
        b.iter(|| {
            black_box(
                keys.iter()
                    .cloned()
                    .collect::<std::collections::HashSet<_>>()
                    .len(),
            )
        });
    });
    group.finish();
}

/// Small texts, one after the other: by one finder, by the lines of a sieve, and by linkify.
fn small(c: &mut Criterion) {
    let finders = [
        ("find", Finder::new()),
        (
            "find-abbreviated",
            Finder::builder().abbreviated(true).build(),
        ),
        ("find-refang", Finder::builder().refang(true).build()),
        (
            "find-bare",
            Finder::builder().bare(IdentifierKinds::all()).build(),
        ),
    ];
    let mut linkify = linkify::LinkFinder::new();
    linkify.kinds(&[linkify::LinkKind::Url]);
    for (name, text) in workloads::SMALL {
        let mut group = c.benchmark_group(format!("small/{name}"));
        group.throughput(Throughput::Elements(1));
        let wanted: Vec<_> = linkify
            .links(text)
            .map(|link| link.start()..link.end())
            .collect();
        for (label, finder) in &finders {
            let found = finder.find(text).map(|found| found.range());
            assert_eq!(found.collect::<Vec<_>>(), wanted, "{name} {label}");
            group.bench_function(*label, |b| b.iter(|| black_box(finder.find(text).count())));
        }
        let sieve = Sieve::builder().mode(Mode::All).build();
        let mut search = sieve.text_search().unwrap();
        let mut count = || {
            let mut found = 0;
            search.search(text.as_bytes(), |_| found += 1).unwrap();
            found
        };
        assert_eq!(count(), wanted.len());
        group.bench_function("text_search", |b| b.iter(|| black_box(count())));
        group.bench_function("linkify", |b| {
            b.iter(|| black_box(linkify.links(text).count()))
        });
        group.finish();
    }
    let finder = Finder::builder().bare(IdentifierKind::Email).build();
    linkify.kinds(&[linkify::LinkKind::Url, linkify::LinkKind::Email]);
    let text = workloads::MAIL;
    let ranges = linkify.links(text).map(|link| link.start()..link.end());
    assert!(finder.find(text).map(|found| found.range()).eq(ranges));
    let mut group = c.benchmark_group("small/message-mail");
    group.throughput(Throughput::Elements(1));
    group.bench_function("find-email", |b| {
        b.iter(|| black_box(finder.find(text).count()))
    });
    group.bench_function("linkify", |b| {
        b.iter(|| black_box(linkify.links(text).count()))
    });
    group.finish();
}

/// From text to findings.
fn whole(c: &mut Criterion) {
    for Workload { name, text, uris } in all() {
        let mut group = c.benchmark_group(format!("whole/{name}"));
        group.throughput(Throughput::Bytes(text.len() as u64));
        for (mode, label) in [
            (Mode::Distinct, "distinct"),
            (Mode::Count, "count"),
            (Mode::All, "all"),
        ] {
            let sieve = Sieve::builder().mode(mode).build();
            let run = || sieve.run([&text[..]], &mut each(|_| {})).unwrap();
            assert_eq!(run().occurrences, uris as u64);
            group.bench_function(label, |b| b.iter(|| black_box(run())));
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = scan, delimit, canonicalize, insert, small, whole
}
criterion_main!(benches);
