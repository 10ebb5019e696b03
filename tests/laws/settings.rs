//! Nothing holds only because the command line checks it: a sieve of any settings
//! runs, and gives the same however it is run.

use crate::random;
use crate::thorough;
use proptest::prelude::*;
use proptest::sample::select;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::Arc;
use urisieve::canonicalize::{Canonicalizer, Level, Redactor};
use urisieve::decode::{CsvColumn, Layout};
use urisieve::delimit::{Config, Hyphen, LENGTH_MAX, WRAP_MAX, Wrap, WrapLimit};
use urisieve::input::Source;
use urisieve::item::{Finding, IdentifierKinds, LineColumn, Problem, Problems};
use urisieve::{
    Builder, CountBy, Findings, FormatFindings, Mode, Sequence, Sieve, Sink, THREADS_MAX,
};

/// All that a run gives of a finding.
type Row = (
    usize,
    u64,
    Vec<u8>,
    Vec<u8>,
    Option<LineColumn>,
    Option<u64>,
);

fn row(f: &Finding) -> Row {
    let (uri, original) = (f.uri.to_vec(), f.original.to_vec());
    (f.input, f.offset, uri, original, f.place, f.count)
}

fn sources(texts: &[Vec<u8>], piped: bool) -> Vec<Source<'_>> {
    let source = |text| match piped {
        true => Source::Reader(Box::new(text)),
        false => Source::Slice(text),
    };
    texts.iter().map(|text| source(&text[..])).collect()
}

fn rows(sieve: &Sieve, texts: &[Vec<u8>], piped: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    let run = sieve.for_each_in(sources(texts, piped), |f| rows.push(row(f)));
    // A known input that cannot be read ends a run; a table may lack its column.
    let _ = run;
    rows
}

/// Rows as text, of which workers write most.
#[derive(Default)]
struct Written {
    text: Vec<u8>,
    /// The number of rows that workers wrote.
    formatted: u64,
}

struct Lines;

impl FormatFindings for Lines {
    fn format(&self, findings: &mut Findings, out: &mut Vec<u8>) -> u64 {
        findings
            .map(|f| writeln!(out, "{:?}", row(&f)).unwrap())
            .count() as u64
    }
}

impl Sink for Written {
    fn formatter(&self) -> Option<Arc<dyn FormatFindings>> {
        Some(Arc::new(Lines))
    }

    fn findings(&mut self, findings: &mut Findings) -> io::Result<ControlFlow<()>> {
        if let Some((rows, number)) = findings.take_formatted() {
            self.text.extend_from_slice(rows);
            self.formatted += number;
        }
        findings.each(|finding| self.finding(finding))
    }

    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        writeln!(self.text, "{:?}", row(finding))?;
        Ok(ControlFlow::Continue(()))
    }
}

fn uris(sieve: Builder<Sieve>, texts: &[&[u8]]) -> Vec<String> {
    let mut uris = Vec::new();
    let sources: Vec<Source> = texts.iter().map(|text| Source::Slice(text)).collect();
    let visit = |f: &Finding| uris.push(String::from_utf8_lossy(f.uri).into_owned());
    sieve.build().for_each_in(sources, visit).unwrap();
    uris
}

fn limits() -> impl Strategy<Value = usize> {
    select(&[0, 1, 2, 20, 8192, 1 << 40, usize::MAX / 2, usize::MAX][..])
}

fn delimiting() -> impl Strategy<Value = Config> {
    let names = select(vec![
        vec![],
        vec!["acme"],
        vec!["", ":", "ACME", "a b", "\u{e9}", "http"],
    ]);
    let chosen = (
        (limits(), limits(), limits()),
        select(&[Wrap::Lines, Wrap::Any, Wrap::Off][..]),
        select(&[Hyphen::Keep, Hyphen::Drop, Hyphen::Both][..]),
        any::<[bool; 8]>(),
        names,
    );
    chosen.prop_map(|((bytes, lines, longest), wrap, hyphen, flags, names)| {
        Config::default()
            .wrap(wrap)
            .wrap_limit(WrapLimit { bytes, lines })
            .hyphen(hyphen)
            .nested(flags[0])
            .nested_base64(flags[7])
            .ascii(flags[1])
            .strict(flags[2])
            .refang(flags[3])
            .all_references(flags[4])
            .special_relative(flags[5])
            .opaque_all(flags[6])
            .opaque(names)
            .max_length(longest)
    })
}

fn layouts() -> impl Strategy<Value = Option<Layout>> {
    let csv = |delimiter| CsvColumn::named("url").delimiter(delimiter);
    select(vec![
        None,
        None,
        None,
        Some(Layout::Lines),
        Some(Layout::Zero),
        Some(Layout::Csv(csv(None))),
        Some(Layout::Csv(csv(Some(b'"')))),
        Some(Layout::Csv(csv(Some(b'\n')))),
        Some(Layout::Csv(CsvColumn::numbered(usize::MAX))),
        Some(Layout::Csv(CsvColumn::numbered(0))),
        #[cfg(feature = "json")]
        Some(Layout::Pointer("url".to_owned())),
        #[cfg(feature = "json")]
        Some(Layout::Pointer("/url".to_owned())),
    ])
}

fn builders() -> impl Strategy<Value = Builder<Sieve>> {
    let counts = select(&[0, 1, 2, usize::MAX][..]);
    let chosen = (
        delimiting(),
        any::<[bool; 11]>(),
        (layouts(), layouts(), counts.clone(), counts.clone()),
        select(&[Mode::Distinct, Mode::All, Mode::Count, Mode::Groups][..]),
        select(&[None, Some(CountBy::Host), Some(CountBy::Input)][..]),
        select(&[None, Some(Sequence::Sorted), Some(Sequence::Frequent)][..]),
        (
            proptest::option::of(counts.clone()),
            proptest::option::of(counts),
        ),
    );
    chosen.prop_map(|(delimit, flags, lists, mode, by, sequence, (top, most))| {
        let (every, one, number, known) = lists;
        // A setting without effect is an error.
        let counts = matches!(mode, Mode::Count | Mode::Groups);
        let mut sieve = Sieve::builder()
            .delimit(delimit)
            .abbreviated(flags[0])
            .refang(flags[1])
            .bare(match flags[10] {
                true => IdentifierKinds::all(),
                false => IdentifierKinds::NONE,
            })
            .originals(flags[2])
            .lines(flags[3] && !counts)
            .reasons(flags[4] && mode == Mode::Groups)
            .decompress(flags[5])
            .archives(flags[6])
            .utf16(flags[7])
            .canonicalize(Canonicalizer::new(Level::Scheme))
            .mode(mode)
            .known_inputs(known)
            .top(top.filter(|_| counts))
            .max_findings(most.filter(|_| !counts).map(|most| most as u64));
        if let Some(layout) = every {
            sieve = sieve.list(layout);
        }
        if let Some(layout) = one {
            sieve = sieve.layout_of(number, layout);
        }
        if let Some(by) = by.filter(|_| mode == Mode::Count) {
            sieve = sieve.count_by(by);
        }
        if let Some(sequence) = sequence {
            sieve = sieve.sequence(sequence);
        }
        if flags[8] {
            sieve = sieve.redact(Redactor::default());
        }
        if flags[9] {
            let problems = Problems::from(Problem::BadPercent);
            sieve = sieve.select(|uri| uri.len() % 2 == 0).problems(problems);
        }
        sieve
    })
}

fn texts() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let piece = select(vec![
        "http://a.example/b",
        "hxxp://evil[.]example/",
        "<http://a.example/\n",
        "c>",
        " ",
        "\n",
        "\r\n\r\n",
        "\0",
        "url,n\n",
        "\"a\nb\",1\n",
        "{\"url\":\"http://j.example/\"}\n",
        "acme:part-7",
        "www.a.example/%zz",
        "urn:isbn:0395363411",
        "(http://b.example/-\nd)",
        "http://a.example/?u=http://b.example/",
        "WARC/1.0\r\nContent-Length: 4\r\n\r\n",
        "\u{e9}",
    ]);
    let text = proptest::collection::vec(piece, 0..12).prop_map(|all| all.concat().into_bytes());
    proptest::collection::vec(text, 0..4)
}

proptest! {
    #![proptest_config(random::cases(100))]

    #[test]
    fn any_settings_run_and_give_the_same_however_they_are_run(
        sieve in builders(), texts in texts(),
    ) {
        let wanted = rows(&sieve.clone().build(), &texts, false);
        for (block, threads, piped) in [
            (0, 0, false), (1, 2, true), (7, 1, false), (64, 1, true), (usize::MAX, 2, false),
        ] {
            let sieve = sieve.clone().block_size(block).threads(threads).build();
            let mut written = Written::default();
            let _ = sieve.run(sources(&texts, piped), &mut written);
            let lines: String = wanted.iter().map(|row| format!("{row:?}\n")).collect();
            prop_assert_eq!(String::from_utf8(written.text).unwrap(), lines);
            prop_assert_eq!(
                &rows(&sieve, &texts, piped), &wanted, "block {}, threads {}", block, threads,
            );
        }
    }
}

#[test]
fn more_threads_than_there_can_be() {
    let sieve = Sieve::builder().threads(usize::MAX);
    assert_eq!(uris(sieve, &[b"urn:a-b:c"]), ["urn:a-b:c"]);
    const { assert!(THREADS_MAX < 1 << 16) };
}

#[test]
fn limits_stand_for_all_that_is_more() {
    let most = WrapLimit {
        bytes: usize::MAX,
        lines: usize::MAX,
    };
    let config = Config::default().wrap_limit(most).max_length(usize::MAX);
    let limit = config.fold_limit();
    assert_eq!((limit.bytes, limit.lines), (WRAP_MAX, WRAP_MAX));
    assert_eq!(config.longest(), LENGTH_MAX);
}

#[test]
fn opaque_schemes_that_are_admitted_are_looked_for() {
    let text = b"acme:part-7";
    assert!(uris(Sieve::builder(), &[text]).is_empty());
    let sieve = Sieve::builder().delimit(Config::default().opaque(["acme"]));
    assert_eq!(uris(sieve, &[text]), ["acme:part-7"]);
    let sieve = Sieve::builder().delimit(Config::default().opaque_all(true));
    assert_eq!(uris(sieve, &[b"slack:open"]), ["slack:open"]);
}

#[test]
fn what_is_known_is_left_out_of_all_occurrences_too() {
    let texts: [&[u8]; 3] = [
        b"http://a.example/ http://a.example/",
        b"HTTP://a.example/ http://b.example/ http://b.example/",
        b"http://b.example/ http://a.example/",
    ];
    for most in [None, Some(9)] {
        for threads in [1, 2] {
            for fingerprints in [false, true] {
                let sieve = Sieve::builder()
                    .mode(Mode::All)
                    .known_inputs(1)
                    .max_findings(most);
                let sieve = sieve.threads(threads).block_size(1);
                let sieve = sieve.fingerprints(fingerprints);
                assert_eq!(uris(sieve, &texts), ["http://b.example/"; 3]);
            }
        }
    }
}

#[test]
fn fingerprints_change_no_report() {
    let text = b"http://b.example/ http://a.example/ HTTP://b.example/ urn:a-b:c";
    let exact = Sieve::builder();
    let hashed = exact.clone().fingerprints(true);
    let stats = hashed.clone().build().for_each(text, |_| {}).unwrap();
    assert_eq!(stats.fingerprints, 3);
    assert_eq!(uris(hashed, &[text]), uris(exact, &[text]));
}

/// An input that is said to be a list is not taken for an archive.
#[test]
fn a_list_that_begins_as_an_archive_does() {
    let text = b"WARC/1.0\nurn:a-b:c\n";
    let wanted = ["WARC/1.0", "urn:a-b:c"];
    let list = Sieve::builder().list(Layout::Lines).mode(Mode::All);
    assert_eq!(uris(list, &[text]), wanted);
    let list = Sieve::builder().layout_of(0, Layout::Lines).mode(Mode::All);
    assert_eq!(uris(list, &[text]), wanted);
}

/// A table is parted by its own rules, whatever the other inputs are.
#[test]
fn one_table_among_texts_and_lists() {
    let mut table = b"note,url\n".to_vec();
    table.extend_from_slice(
        b"\"a\n,http://quoted.example/\n\",http://b.example/\n"
            .repeat(9)
            .as_slice(),
    );
    let texts: [&[u8]; 2] = [&table, b"http://b.example/"];
    let csv = || Layout::Csv(CsvColumn::named("url"));
    for every in [None, Some(Layout::Lines)] {
        for block in [1, 7, 64, 1 << 20] {
            for threads in [1, 2] {
                let mut sieve = Sieve::builder().layout_of(0, csv()).mode(Mode::All);
                if let Some(layout) = every.clone() {
                    sieve = sieve.list(layout);
                }
                let found = uris(sieve.block_size(block).threads(threads), &texts);
                // The first one is the header.
                assert_eq!(found[1..], ["http://b.example/"; 10], "block {block}");
            }
        }
    }
}

/// With several threads, workers write the rows, with the lines of the whole text; with one, or
/// where rows are only known at the end, the sink does.
#[test]
fn workers_write_the_same_rows() {
    let line = "see <http://a.example/\nb>, http://c.example/, HTTP://c.example/\n\n";
    let texts: Vec<Vec<u8>> = (1..4)
        .map(|times| line.repeat(times * 9).into_bytes())
        .collect();
    for mode in [Mode::All, Mode::Distinct] {
        for lines in [false, true] {
            let sieve = Sieve::builder().mode(mode).lines(lines);
            let wanted = rows(&sieve.clone().threads(1).build(), &texts, false);
            let text: String = wanted.iter().map(|row| format!("{row:?}\n")).collect();
            let most = wanted.len() as u64;
            let turn = usize::from(lines) + usize::from(mode == Mode::All);
            for block in thorough::part([1, 2, 3, 7, 64, 64 << 10], 2, turn) {
                for (threads, sequence, formatted) in [
                    (1, Sequence::Seen, 0),
                    (2, Sequence::Seen, most),
                    (8, Sequence::Seen, most),
                    (2, Sequence::Sorted, 0),
                ] {
                    let sieve = sieve.clone().sequence(sequence);
                    let sieve = sieve.block_size(block).threads(threads).build();
                    let mut written = Written::default();
                    sieve.run(sources(&texts, false), &mut written).unwrap();
                    // The queue has memory for all batches but those of the smallest blocks.
                    match block {
                        64.. => assert_eq!(written.formatted, formatted, "{block} {threads}"),
                        _ => assert!(written.formatted <= formatted, "{block} {threads}"),
                    }
                    if sequence == Sequence::Seen {
                        assert_eq!(String::from_utf8(written.text).unwrap(), text);
                    }
                }
            }
        }
    }
}

/// Wrapped URIs and records of tables span any number of lines.
#[test]
fn lines_are_those_of_the_text_however_many_there_are() {
    let breaks = 2000;
    let wrapped = format!("x\n<http://a.example/{}>", "\nb".repeat(breaks));
    let record = format!("n,url\n\"{}\",http://a.example/\n", "\n".repeat(breaks));
    let limit = WrapLimit {
        bytes: usize::MAX,
        lines: usize::MAX,
    };
    let text = Sieve::builder().delimit(Config::default().wrap_limit(limit));
    let table = Sieve::builder().list(Layout::Csv(CsvColumn::named("url")));
    for (sieve, text, column) in [(text, wrapped, 2), (table, record, 1)] {
        for (block, threads) in [(500, 1), (1000, 2), (1 << 20, 1)] {
            let sieve = sieve.clone().lines(true).block_size(block).threads(threads);
            let mut places = Vec::new();
            let visit = |f: &Finding| {
                if f.uri.starts_with(b"http:") {
                    places.extend(f.place.map(|place| (place.line, place.column)));
                }
            };
            sieve.build().for_each(text.as_bytes(), visit).unwrap();
            assert_eq!(places, [(2, column)], "block {block}");
        }
    }
}
