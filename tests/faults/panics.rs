//! A panic in a stage or in a source ends the input that it is in, as an error that names the
//! input, and the next inputs are read. One in a callback, in the sink, in a set or between
//! inputs ends the run. What comes before it is reported, with any number of threads, and
//! nobody waits for ever.

use crate::guard::guarded;
use crate::packed::gzip;
use crate::program;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use urisieve::input::{ReadAt, Source};
use urisieve::item::{Finding, Loss, Spelling};
use urisieve::{
    Builder, CatalogBatch, CatalogRun, CatalogSink, CatalogWork, Error, ErrorKind, Mode, ReadAs,
    Sequence, Sieve, Sink, Stats, each,
};

const THREADS: [usize; 3] = [1, 2, 8];

/// A call of the sink.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Finding,
    Group,
    Input,
    Loss,
    Error,
    InputsEnded,
    Flush,
}

/// Takes down what it is given, and panics if that is asked for.
#[derive(Debug, Default)]
struct Report {
    found: Vec<(Vec<u8>, Option<u64>)>,
    inputs: Vec<usize>,
    errors: Vec<(ErrorKind, String)>,
    flushes: usize,
    /// Panics in this call when it is made for the second time.
    panics_in: Option<Call>,
    calls: usize,
    has_panicked: bool,
}

impl Report {
    fn called(&mut self, call: Call) {
        assert!(!self.has_panicked, "called again after a panic");
        if self.panics_in == Some(call) {
            self.calls += 1;
            // The end comes once.
            if self.calls == 2 || call == Call::InputsEnded {
                self.has_panicked = true;
                panic!("the sink panics in {call:?}");
            }
        }
    }

    fn uris(&self) -> Vec<&[u8]> {
        self.found.iter().map(|found| &found.0[..]).collect()
    }
}

impl Sink for Report {
    fn finding(&mut self, finding: &Finding<'_>) -> io::Result<ControlFlow<()>> {
        self.called(Call::Finding);
        self.found.push((finding.uri.to_vec(), finding.count));
        Ok(ControlFlow::Continue(()))
    }

    fn group(&mut self, class: &Finding<'_>, _: &[Spelling<'_>]) -> io::Result<ControlFlow<()>> {
        self.called(Call::Group);
        self.found.push((class.uri.to_vec(), class.count));
        Ok(ControlFlow::Continue(()))
    }

    fn input(&mut self, input: usize, _: ReadAs, _: &Stats) {
        self.called(Call::Input);
        self.inputs.push(input);
    }

    fn loss(&mut self, _: &Loss) {
        self.called(Call::Loss);
    }

    fn error(&mut self, error: Error) {
        self.called(Call::Error);
        self.errors.push((error.kind(), error.to_string()));
    }

    fn inputs_ended(&mut self) -> io::Result<ControlFlow<()>> {
        self.called(Call::InputsEnded);
        Ok(ControlFlow::Continue(()))
    }

    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        self.called(Call::Flush);
        self.flushes += 1;
        Ok(ControlFlow::Continue(()))
    }
}

/// What is reported, and in which order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    All,
    Distinct,
    Count,
    Groups,
    Sorted,
    Unordered,
}

const WAYS: [Way; 6] = [
    Way::All,
    Way::Distinct,
    Way::Count,
    Way::Groups,
    Way::Sorted,
    Way::Unordered,
];

fn sieve(way: Way, threads: usize) -> Builder<Sieve> {
    let sieve = Sieve::builder().block_size(64).threads(threads);
    match way {
        Way::All => sieve.mode(Mode::All),
        Way::Distinct => sieve,
        Way::Count => sieve.mode(Mode::Count),
        Way::Groups => sieve.mode(Mode::Groups),
        Way::Sorted => sieve.mode(Mode::All).sequence(Sequence::Sorted),
        Way::Unordered => sieve.sequence(Sequence::Unordered),
    }
}

fn run<'s, I>(sieve: Builder<Sieve>, sources: I) -> (Report, Result<Stats, Error>)
where
    I: IntoIterator<Item = Source<'s>>,
    I::IntoIter: Send + 's,
{
    let mut report = Report::default();
    let result = sieve.build().run(sources, &mut report);
    (report, result)
}

/// Lines with URIs of which some are equal; one of them asks `stage` to panic.
fn lines(stage: &str, bad: usize) -> Vec<String> {
    let line = |i| match i == bad {
        true => format!("see http://bad.example/fault-at-{stage} here\n"),
        false => format!("some text http://h{}.example/{} and more\n", i % 7, i % 3),
    };
    (0..60).map(line).collect()
}

fn record(fields: &str, body: &[u8]) -> Vec<u8> {
    let message = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n{fields}Content-Length: {}\r\n\r\n",
        body.len()
    );
    let len = message.len() + body.len();
    let head = format!(
        "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://t.example/\r\n\
         Content-Type: application/http\r\nContent-Length: {len}\r\n\r\n"
    );
    [head.as_bytes(), message.as_bytes(), body, b"\r\n\r\n"].concat()
}

/// An input in which `stage` panics at one line.
fn input(stage: &str, bad: usize) -> Vec<u8> {
    let lines = lines(stage, bad);
    let records = |fields: &str, pack: fn(&[u8]) -> Vec<u8>| {
        let record = |line: &String| record(fields, &pack(line.as_bytes()));
        lines.iter().flat_map(record).collect()
    };
    match stage {
        "unpack" => gzip(lines.concat().as_bytes()),
        "ahead" => lines
            .iter()
            .flat_map(|line| gzip(line.as_bytes()))
            .collect(),
        "decode" => records("", <[u8]>::to_vec),
        "codings" => records("Content-Encoding: gzip\r\n", gzip),
        _ => lines.concat().into_bytes(),
    }
}

/// What is reported in `way` of these URIs, when they are all.
fn reported(way: Way, uris: &[&[u8]]) -> Vec<(Vec<u8>, Option<u64>)> {
    let mut counts: BTreeMap<&[u8], u64> = BTreeMap::new();
    for uri in uris {
        *counts.entry(uri).or_default() += 1;
    }
    let mut seen: Vec<&[u8]> = Vec::new();
    for uri in uris {
        if !seen.contains(uri) {
            seen.push(uri);
        }
    }
    let plain = |uris: &[&[u8]]| uris.iter().map(|uri| (uri.to_vec(), None)).collect();
    match way {
        Way::All => plain(uris),
        Way::Distinct | Way::Unordered => plain(&seen),
        Way::Sorted => {
            let mut sorted = uris.to_vec();
            sorted.sort();
            plain(&sorted)
        }
        Way::Groups => seen
            .iter()
            .map(|uri| (uri.to_vec(), Some(counts[uri])))
            .collect(),
        Way::Count => {
            let mut counted: Vec<_> = counts.into_iter().collect();
            counted.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
            counted
                .iter()
                .map(|(uri, count)| (uri.to_vec(), Some(*count)))
                .collect()
        }
    }
}

fn assert_is_panic(result: Result<Stats, Error>, input: usize, says: &[&str]) {
    let error = result.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Panic(input), "{error}");
    for part in says {
        assert!(error.to_string().contains(part), "{error}: {part}");
    }
}

/// The panic ended input number `input`, and only that.
fn assert_ends_input(report: &Report, result: Result<Stats, Error>, input: usize, says: &[&str]) {
    assert_eq!(result.unwrap().failed_inputs, 1);
    let [(kind, error)] = &report.errors[..] else {
        panic!("one error: {:?}", report.errors);
    };
    assert_eq!(*kind, ErrorKind::Panic(input), "{error}");
    for part in says {
        assert!(error.contains(part), "{error}: {part}");
    }
}

/// In each stage, in the first block and in a later one, in each way, with any number of
/// threads, from a file and from a pipe: what is reported is what comes before in the same
/// input, and all of the next input, which has the same URIs.
#[test]
fn a_panic_in_a_stage_ends_the_input() {
    for stage in [
        "scan",
        "delimit",
        "canonicalize",
        "unpack",
        "decode",
        "codings",
    ] {
        for bad in [0, 40] {
            let bytes = input(stage, bad);
            let whole: Vec<Vec<u8>> = lines("nothing", bad)
                .iter()
                .map(|line| {
                    line.split(' ')
                        .find(|word| word.contains(':'))
                        .unwrap()
                        .into()
                })
                .collect();
            let asks = format!("asks for a panic at {stage}");
            // What a decoder is given at once holds a whole record.
            let block = match stage {
                "decode" | "codings" => 2048,
                _ => 64,
            };
            let sieve = |way, threads| sieve(way, threads).block_size(block);
            let next = lines("nothing", bad).concat();
            let source = |is_pipe| {
                let bad = match is_pipe {
                    true => Source::Reader(Box::new(&bytes[..])),
                    false => Source::Slice(&bytes),
                };
                [bad, Source::Slice(next.as_bytes())]
            };
            for is_pipe in [false, true] {
                let (first, result) = run(sieve(Way::All, 1), source(is_pipe));
                assert_ends_input(&first, result, 0, &[&asks]);
                assert_eq!(first.inputs, [0, 1]);
                let target = b"http://t.example/";
                let all: Vec<&[u8]> = first.uris();
                let (uris, after) = all.split_at(all.len() - 60);
                assert!(after.iter().eq(whole.iter()), "{stage} {bad}");
                let own: Vec<_> = uris.iter().filter(|uri| **uri != target).collect();
                assert!(own.len() <= bad, "{stage} {bad}");
                assert!(
                    own.iter().zip(&whole).all(|(a, b)| ***a == b[..]),
                    "{stage} {bad}"
                );
                // The block that panicked may have begun some lines before.
                assert!(own.len() + 20 >= bad, "{stage} {bad}: {}", own.len());
                for way in WAYS {
                    for threads in THREADS {
                        let what = format!("{stage} {bad} {way:?} {threads} {is_pipe}");
                        let (report, result) =
                            guarded(&what, || run(sieve(way, threads), source(is_pipe)));
                        assert_ends_input(&report, result, 0, &[&asks]);
                        assert_eq!(report.flushes, 1, "{what}");
                        if way == Way::Unordered && threads > 1 {
                            let known =
                                |uri: &[u8]| uri == target || whole.iter().any(|w| w == uri);
                            assert!(report.uris().into_iter().all(known), "{what}");
                            let has = |uri: &Vec<u8>| report.uris().contains(&&uri[..]);
                            assert!(whole.iter().all(has), "{what}");
                        } else {
                            assert_eq!(report.found, reported(way, &all), "{what}");
                        }
                    }
                }
            }
        }
    }
}

/// A set that is half changed is not reported; what it answered before is.
#[test]
fn a_set_that_panicked_is_not_reported() {
    for bad in [0, 40] {
        let bytes = input("insert", bad);
        let (first, _) = run(sieve(Way::Distinct, 1), [Source::Slice(&bytes)]);
        assert!(first.found.len() <= bad && (bad == 0 || !first.found.is_empty()));
        for way in [Way::Distinct, Way::Count, Way::Groups, Way::Unordered] {
            for threads in THREADS {
                let what = format!("{bad} {way:?} {threads}");
                let (report, result) =
                    guarded(&what, || run(sieve(way, threads), [Source::Slice(&bytes)]));
                assert_is_panic(result, 0, &["while equal URIs were looked for: ", "insert"]);
                match way {
                    Way::Distinct => assert_eq!(report.found, first.found, "{what}"),
                    Way::Unordered => {
                        let is_bad = |uri: &[u8]| uri.starts_with(b"http://bad.");
                        assert!(!report.uris().into_iter().any(is_bad), "{what}");
                    }
                    _ => assert_eq!(report.found, [], "{what}"),
                }
            }
        }
        // Findings that wait to be sorted were answered before, too.
        let mut sorted = first.found;
        sorted.sort();
        for threads in THREADS {
            let sieve = sieve(Way::Distinct, threads).sequence(Sequence::Sorted);
            let (report, result) = run(sieve, [Source::Slice(&bytes)]);
            assert_is_panic(result, 0, &["while equal URIs were looked for: "]);
            assert_eq!(report.found, sorted, "{bad} {threads}");
        }
    }
}

/// A worker that decodes ahead may panic before the stream has come so far: the panic is
/// reported in the order of the texts, if the member was decoded ahead at all.
#[test]
fn a_panic_ahead_of_its_turn_waits_for_it() {
    for bad in [0, 40] {
        let bytes = input("ahead", bad);
        // The same text without compression.
        let text = lines("ahead", bad).concat();
        let (whole, result) = run(sieve(Way::All, 1), [Source::Slice(text.as_bytes())]);
        assert_eq!(result.unwrap().occurrences, 60);
        for threads in THREADS {
            for _ in 0..20 {
                let (report, result) = guarded("ahead", || {
                    run(sieve(Way::All, threads), [Source::Slice(&bytes)])
                });
                assert_eq!(report.found, whole.found[..report.found.len()]);
                match report.errors.is_empty() {
                    true => assert_eq!(result.unwrap().occurrences, 60),
                    false => {
                        let says = ["while the input was read: ", "ahead"];
                        assert_ends_input(&report, result, 0, &says);
                        assert!(report.found.len() <= bad);
                    }
                }
            }
        }
    }
}

/// A source that panics when it is read for the `left`th time.
struct Faulty<'t> {
    text: &'t [u8],
    left: usize,
}

impl Read for Faulty<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            panic!("the reader panics");
        }
        self.left -= 1;
        let len = buffer.len().min(40);
        self.text.read(&mut buffer[..len])
    }
}

/// A file that cannot be read from an offset on without a panic.
struct FaultyAt(Vec<u8>, u64);

impl ReadAt for FaultyAt {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        if offset + buffer.len() as u64 > self.1 {
            panic!("the file panics");
        }
        (&self.0[offset as usize..]).read(buffer)
    }
}

#[test]
fn a_source_that_panics_is_named() {
    let text = lines("nothing", usize::MAX).concat().into_bytes();
    let all = run(sieve(Way::All, 1), [Source::Slice(&text)]).0.found;
    for threads in THREADS {
        for left in [0, 1, 30] {
            let reader = Faulty { text: &text, left };
            let bad = Source::Reader(Box::new(reader));
            let sources = [Source::Slice(&text), bad, Source::Slice(&text)];
            let (report, result) = guarded("reader", || run(sieve(Way::All, threads), sources));
            let says = ["while the input was read: the reader panics"];
            assert_ends_input(&report, result, 1, &says);
            assert_eq!(report.inputs, [0, 1, 2]);
            let before = report.found.len() - 60;
            assert_eq!(report.found[..60], all, "{threads} {left}");
            assert_eq!(report.found[60..before], all[..before - 60]);
            assert_eq!(report.found[before..], all, "{threads} {left}");
        }
        for end in [0, 1000] {
            let file = Arc::new(FaultyAt(text.clone(), 600 + end));
            let bad = Source::At(file, text.len() as u64);
            let sources = [Source::Slice(&text), bad, Source::Slice(&text)];
            let (report, result) = guarded("file", || run(sieve(Way::All, threads), sources));
            let says = ["in the block at byte ", ": the file panics"];
            assert_ends_input(&report, result, 1, &says);
            let before = report.found.len() - 60;
            assert_eq!(report.found[..60], all);
            assert_eq!(report.found[60..before], all[..before - 60]);
            assert_eq!(report.found[before..], all);
            assert!(before > 60, "{threads} {end}");
        }
        for good in [0, 1, 3] {
            let (mut given, text) = (0, &text);
            let sources = std::iter::from_fn(move || {
                given += 1;
                assert!(given <= good, "no more sources");
                Some(Source::Slice(text))
            });
            let (report, result) = guarded("sources", || run(sieve(Way::All, threads), sources));
            assert_is_panic(
                result,
                good,
                &["before the input was known: no more sources"],
            );
            assert_eq!(report.found.len(), 60 * good);
        }
    }
}

/// Gives one source, and panics when it is dropped.
struct Dropped<'t>(Option<Source<'t>>);

impl<'t> Iterator for Dropped<'t> {
    type Item = Source<'t>;

    fn next(&mut self) -> Option<Source<'t>> {
        self.0.take()
    }
}

impl Drop for Dropped<'_> {
    fn drop(&mut self) {
        panic!("the sources panic");
    }
}

#[test]
fn sources_may_panic_when_they_are_dropped() {
    for threads in THREADS {
        let sources = Dropped(Some(Source::Slice(b"http://a.example/")));
        let (report, result) = guarded("dropped", || run(sieve(Way::All, threads), sources));
        assert_is_panic(
            result,
            0,
            &["after all inputs were read: the sources panic"],
        );
        assert_eq!(report.uris(), [b"http://a.example/"]);
    }
}

/// A payload that panics when it is dropped.
struct Payload;

impl Drop for Payload {
    fn drop(&mut self) {
        panic!("the payload panics");
    }
}

#[test]
fn a_callback_that_panics_is_named_with_its_block() {
    let text = lines("nothing", 40).concat().into_bytes();
    for threads in THREADS {
        for (payload, says) in [
            (true, "a panic whose payload is not text"),
            (false, "no bad one"),
        ] {
            let select = move |uri: &[u8]| {
                match uri.starts_with(b"http://bad.") {
                    true if payload => std::panic::panic_any(Payload),
                    bad => assert!(!bad, "no bad one"),
                }
                true
            };
            let sieve = sieve(Way::All, threads).select(select);
            let (report, result) = guarded("select", || run(sieve, [Source::Slice(&text)]));
            assert_is_panic(result, 0, &["in the block at byte ", says]);
            assert!(
                (20..=40).contains(&report.found.len()),
                "{}",
                report.found.len()
            );
        }
    }
}

/// The sink is not called again, and its caller has it back.
#[test]
fn a_sink_that_panics_ends_the_run() {
    let text = lines("nothing", usize::MAX).concat().into_bytes();
    let zip = b"PK\x03\x04http://a.example/";
    for call in [
        Call::Finding,
        Call::Group,
        Call::Input,
        Call::Loss,
        Call::Error,
        Call::InputsEnded,
        Call::Flush,
    ] {
        for way in WAYS {
            let is_reached = match call {
                Call::Group => way == Way::Groups,
                Call::Finding => way != Way::Groups,
                // At the end there is one flush.
                Call::Flush => false,
                _ => true,
            };
            for threads in THREADS {
                let what = format!("{call:?} {way:?} {threads}");
                let sources = [
                    Source::Slice(&text),
                    Source::Slice(zip),
                    Source::Slice(zip),
                    Source::Path("no/such/file".into()),
                    Source::Path("nor/this".into()),
                    Source::Slice(&text),
                ];
                let mut report = Report {
                    panics_in: Some(call),
                    ..Report::default()
                };
                let sieve = sieve(way, threads).build();
                let result = guarded(&what, || sieve.run(sources, &mut report));
                assert_eq!(report.has_panicked, is_reached, "{what}");
                match result {
                    Ok(_) => assert!(!is_reached, "{what}"),
                    Err(error) => {
                        let says = error.to_string();
                        assert!(matches!(error.kind(), ErrorKind::Panic(_)), "{what}");
                        let wanted =
                            format!("while findings were written: the sink panics in {call:?}");
                        assert!(says.contains(&wanted), "{says}");
                    }
                }
            }
        }
    }
}

/// A stream that pauses is flushed at once; so is what is left at the end.
#[test]
fn a_flush_that_panics_ends_the_run() {
    for threads in THREADS {
        let mut report = Report {
            panics_in: Some(Call::Flush),
            calls: 1,
            ..Report::default()
        };
        let sieve = sieve(Way::Distinct, threads).build();
        let result = guarded("flush", || {
            sieve.run([&b"http://a.example/"[..]], &mut report)
        });
        assert_is_panic(result, 0, &["the sink panics in Flush"]);
        assert_eq!(report.uris(), [b"http://a.example/"]);
    }
}

/// The same sieve is as good as new.
#[test]
fn a_sieve_survives_a_panic() {
    let text = lines("scan", 20).concat().into_bytes();
    for threads in THREADS {
        let sieve = sieve(Way::Distinct, threads).build();
        for _ in 0..3 {
            let sink = &mut each(|_| {});
            let result = guarded("again", || sieve.run([&text[..]], sink));
            assert_eq!(result.unwrap().failed_inputs, 1);
            let good = guarded("good", || sieve.run([&b"http://a.example/"[..]], sink));
            assert_eq!(good.unwrap().distinct, 1);
        }
    }
}

/// While the sink has its first finding the others scan, until the queue is full.
#[test]
fn a_slow_sink_stops_nobody_before_the_queue_is_full() {
    let text = lines("nothing", usize::MAX).concat().repeat(20);
    for threads in [2, 8] {
        let scanned = Arc::new((AtomicUsize::new(0), Mutex::new(()), Condvar::new()));
        let counted = Arc::clone(&scanned);
        let select = move |_: &[u8]| {
            let (count, lock, more) = &*counted;
            let _locked = lock.lock().unwrap();
            count.fetch_add(1, Ordering::Relaxed);
            more.notify_all();
            true
        };
        for way in [Way::All, Way::Distinct] {
            scanned.0.store(0, Ordering::Relaxed);
            // A block holds one URI, or two: those of the blocks that may be ahead.
            let (wanted, most) = (8 * threads / 2, 2 * (8 * threads + 2));
            let mut is_first = true;
            let sink = &mut each(|_| {
                if std::mem::take(&mut is_first) {
                    let (count, lock, more) = &*scanned;
                    let locked = lock.lock().unwrap();
                    let few = |_: &mut ()| count.load(Ordering::Relaxed) < wanted;
                    drop(more.wait_while(locked, few).unwrap());
                    assert!(count.load(Ordering::Relaxed) <= most);
                }
            });
            let sieve = sieve(way, threads).select(select.clone()).build();
            let stats = guarded("slow", || sieve.run([text.as_bytes()], sink)).unwrap();
            assert_eq!(stats.occurrences, 1200);
        }
    }
}

/// A text of several blocks, as the program reads them, that asks for a panic in the
/// last one.
fn long(stage: &str) -> (String, usize) {
    let mut text = String::new();
    let mut count = 0;
    while text.len() < 3 << 20 {
        text += &format!("{} http://h{count}.example/\n", "words ".repeat(100));
        count += 1;
    }
    text += &format!("http://bad.example/fault-at-{stage}\n");
    (text, count)
}

/// A reader that panics when it is dropped, too.
struct FaultyTwice<'t>(Faulty<'t>);

impl Read for FaultyTwice<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Drop for FaultyTwice<'_> {
    fn drop(&mut self) {
        panic!("the reader panics again");
    }
}

/// Many inputs panic, each in another way, and all others are read.
#[test]
fn every_input_but_the_bad_ones_is_read() {
    let text = lines("nothing", usize::MAX).concat().into_bytes();
    let scan = input("scan", 40);
    let unpack = input("unpack", 40);
    let decode = input("decode", 0);
    for threads in THREADS {
        for way in [Way::All, Way::Unordered] {
            let sources = (0..50).map(|number| match number % 5 {
                0 => Source::Slice(&scan),
                1 => Source::Slice(&unpack),
                2 => Source::Slice(&decode),
                3 => Source::Reader(Box::new(FaultyTwice(Faulty {
                    text: &text,
                    left: 3,
                }))),
                _ => Source::Slice(&text),
            });
            let mode = sieve(way, threads).mode(Mode::All);
            let (report, result) = guarded("many", || run(mode, sources));
            let stats = result.unwrap();
            assert_eq!((stats.failed_inputs, report.errors.len()), (40, 40));
            let bad = (0..50)
                .filter(|number| number % 5 != 4)
                .map(ErrorKind::Panic);
            let mut named: Vec<_> = report.errors.iter().map(|error| error.0).collect();
            if way == Way::Unordered {
                let number = |kind: &ErrorKind| match kind {
                    ErrorKind::Panic(input) => *input,
                    _ => usize::MAX,
                };
                named.sort_by_key(number);
            }
            assert_eq!(named, bad.collect::<Vec<_>>());
            assert!(
                report.found.len() >= 600,
                "{threads} {}",
                report.found.len()
            );
        }
    }
}

/// URIs behind a panic are not reported, so they must not make those of later inputs
/// repeats, however far the others were ahead of the panic.
#[test]
fn nothing_is_a_repeat_of_what_lies_behind_a_panic() {
    let filler = "some words and no address at all ".repeat(3);
    let behind: String = (0..40)
        .map(|n| {
            format!(
                "{filler} http://h{n}.example/
"
            )
        })
        .collect();
    let text = format!(
        "http://bad.example/fault-at-scan {}
{behind}",
        filler.repeat(40)
    );
    let wanted: Vec<_> = (0..40)
        .map(|n| format!("http://h{n}.example/").into_bytes())
        .collect();
    for threads in THREADS {
        for _ in 0..20 {
            let sources = [
                Source::Slice(text.as_bytes()),
                Source::Slice(behind.as_bytes()),
            ];
            let (report, result) =
                guarded("behind", || run(sieve(Way::Distinct, threads), sources));
            assert_ends_input(&report, result, 0, &[]);
            assert_eq!(report.uris(), wanted);
        }
    }
}

/// Texts in memory have no sink for errors: those that failed are counted.
#[test]
fn a_text_that_panics_is_counted() {
    let texts = [
        &b"http://a.example/"[..],
        b"http://bad.example/fault-at-scan",
        b"http://b.example/fault-at-canonicalize",
        b"http://c.example/",
    ];
    for threads in [1, 2] {
        for mode in [Mode::All, Mode::Distinct] {
            let sieve = Sieve::builder().mode(mode).threads(threads).build();
            let mut found = Vec::new();
            let visit = |finding: &Finding<'_>| found.push((finding.input, finding.uri.to_vec()));
            let stats = sieve.for_each_in(texts, visit).unwrap();
            assert_eq!(stats.failed_inputs, 2);
            let wanted = [(0, texts[0].to_vec()), (3, texts[3].to_vec())];
            assert_eq!(found, wanted);
            // A callback ends the run.
            let sieve = Sieve::builder().mode(mode).threads(threads);
            let select = |uri: &[u8]| !uri.starts_with(b"http://c") || panic!("no more");
            let result = sieve.select(select).build().for_each_in(texts, |_| {});
            assert_is_panic(result, 3, &["no more"]);
        }
    }
    let sieve = Sieve::builder().mode(Mode::All).build();
    let (mut search, mut found) = (sieve.text_search().unwrap(), Vec::new());
    for text in texts {
        let searched = search.search(text, |finding| found.push(finding.input));
        searched.unwrap();
    }
    assert_eq!((search.stats().failed_inputs, &found[..]), (2, &[0, 3][..]));
}

/// An iterator cannot report a panic in another way; it has ended then.
#[test]
fn an_iterator_has_ended_after_a_panic() {
    let text = "http://a.example/\nhttp://bad.example/fault-at-scan";
    let mut found = urisieve::find(text);
    let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| found.next().is_some()));
    let message = panic.unwrap_err();
    let message = message.downcast_ref::<String>().unwrap();
    assert!(message.contains("asks for a panic at scan"), "{message}");
    assert!(found.next().is_none() && found.next().is_none());
}

/// The number of records is what is made of a batch.
struct Count;

impl CatalogWork for Count {
    type State = ();
    type Output = usize;
    fn state(&self) {}
    fn work(&self, (): &mut (), batch: &CatalogBatch, output: &mut usize) {
        *output = batch.records().len();
        assert_ne!(
            batch.records().first().map(|record| record.id()),
            Some(&b"9"[..])
        );
    }
}

#[derive(Default)]
struct Counted {
    records: Vec<(usize, usize)>,
    errors: Vec<ErrorKind>,
    inputs: Vec<usize>,
}

impl CatalogSink<usize> for Counted {
    fn batch(&mut self, batch: &CatalogBatch, count: &mut usize) -> io::Result<ControlFlow<()>> {
        self.records.push((batch.input(), *count));
        Ok(ControlFlow::Continue(()))
    }

    fn error(&mut self, error: Error) {
        self.errors.push(error.kind());
    }

    fn input(&mut self, input: usize, _: ReadAs) {
        self.inputs.push(input);
    }
}

#[test]
fn a_catalog_that_panics_ends_and_the_next_is_read() {
    let records: String = (10..40)
        .map(|n| format!("=001  {n}\n=245  00$aA title\n\n"))
        .collect();
    for threads in THREADS {
        let run = CatalogRun::builder()
            .threads(threads)
            .block_size(50)
            .build();
        let bad = Faulty {
            text: records.as_bytes(),
            left: 10,
        };
        let sources = [
            Source::Slice(records.as_bytes()),
            Source::Reader(Box::new(FaultyTwice(bad))),
            Source::Slice(records.as_bytes()),
        ];
        let mut counted = Counted::default();
        let result = guarded("catalogues", || run.run(sources, &Count, &mut counted));
        assert_eq!(result.unwrap().failed, 1);
        assert_eq!(counted.errors, [ErrorKind::Panic(1)]);
        assert_eq!(counted.inputs, [0, 1, 2]);
        let of = |input| -> usize {
            let of_input = counted.records.iter().filter(|batch| batch.0 == input);
            of_input.map(|batch| batch.1).sum()
        };
        assert_eq!((of(0), of(2)), (30, 30));
        assert!((1..30).contains(&of(1)), "{}", of(1));
        // What is done with records is up to the caller: it ends the run.
        let sources = [Source::Slice(b"=001  9\n\n")];
        let result = guarded("work", || run.run(sources, &Count, &mut Counted::default()));
        assert_eq!(result.unwrap_err().kind(), ErrorKind::Panic(0));
    }
}

#[test]
fn the_program_prints_what_is_complete_and_says_that_it_is_a_bug() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.log");
    let name = path.to_str().unwrap();
    for (stage, place) in [
        ("scan", "in the block at byte "),
        ("insert", "while equal URIs were looked for: "),
        ("sink", "while findings were written: "),
    ] {
        let (text, count) = long(stage);
        fs::write(&path, &text).unwrap();
        for threads in ["1", "2", "8"] {
            let ran = program::run(&["-j", threads, name], b"");
            assert_eq!(ran.code, 2, "{}", ran.err);
            let start = format!("urisieve: {name}: internal error {place}");
            assert!(ran.err.starts_with(&start), "{}", ran.err);
            let asks = format!("the text asks for a panic at {stage} (src/engine/faultpoint.rs:");
            assert!(ran.err.contains(&asks), "{}", ran.err);
            assert!(
                ran.err.ends_with("this is a bug, please report it\n"),
                "{}",
                ran.err
            );
            assert_eq!(ran.err.lines().count(), 1, "{}", ran.err);
            let lines: Vec<&str> = ran.out.lines().collect();
            assert!(
                (count / 2..=count).contains(&lines.len()),
                "{}",
                lines.len()
            );
            assert!(ran.out.ends_with('\n'));
            for (number, line) in lines.iter().enumerate() {
                assert_eq!(*line, format!("http://h{number}.example/"));
            }
            // What would be incomplete does not appear.
            let out = dir.path().join("out.txt");
            let ran = program::run(&["-j", threads, name, "-o", out.to_str().unwrap()], b"");
            assert_eq!(ran.code, 2);
            if stage == "scan" {
                // The run went on.
                assert_eq!(
                    fs::read_to_string(&out).unwrap().lines().count(),
                    lines.len()
                );
                fs::remove_file(&out).unwrap();
                continue;
            }
            assert!(
                ran.err.contains("out.txt: not written: internal error"),
                "{}",
                ran.err
            );
            assert!(!out.exists());
        }
    }
}

#[test]
fn lists_and_counts_end_in_the_same_way() {
    let mut list: String = (0..40_000)
        .map(|n| format!("http://h{n}.example/\n"))
        .collect();
    list += "http://bad.example/fault-at-insert\n";
    for threads in ["1", "2", "8"] {
        let ran = program::run(&["dedup", "-j", threads], list.as_bytes());
        assert_eq!(ran.code, 2, "{}", ran.err);
        let start = "urisieve: (standard input): internal error while equal URIs";
        assert!(ran.err.starts_with(start), "{}", ran.err);
        assert!(list.starts_with(&ran.out));
        assert!(ran.out.len() > list.len() / 2);
        // The set is half changed.
        let ran = program::run(&["-c", "-j", threads], list.as_bytes());
        assert_eq!((ran.code, &ran.out[..]), (2, ""), "{}", ran.err);
    }
    let (text, count) = long("scan");
    for threads in ["1", "2", "8"] {
        let ran = program::run(&["-c", "-j", threads], text.as_bytes());
        assert_eq!(ran.code, 2, "{}", ran.err);
        let lines = ran.out.lines();
        assert!((count / 2..=count).contains(&lines.clone().count()));
        let is_once = |line: &str| {
            line.trim_start().starts_with("1\t") || line.trim_start().starts_with("1 ")
        };
        assert!(lines.into_iter().all(is_once), "{}", ran.out);
    }
}
