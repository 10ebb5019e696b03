//! Many inputs of all kinds, read side by side: what is reported is what one thread
//! reports that reads them one after the other, nobody waits for what may never come,
//! and nobody reads on and on.

use crate::archive::Header;
use crate::dribble::Dribble;
use crate::guard::guarded;
use crate::packed::{gzip, zstd};
use crate::thorough;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use urisieve::input::{ReadAt, Source};
use urisieve::item::{Finding, Loss};
use urisieve::{Builder, Error, Mode, ReadAs, Sequence, Sieve, Sink, Stats, each};

const THREADS: [usize; 4] = [1, 2, 3, 8];

/// All that is reported, in its order.
#[derive(Debug, Default, PartialEq)]
struct Reported(Vec<String>);

impl Sink for Reported {
    fn finding(&mut self, finding: &Finding<'_>) -> io::Result<ControlFlow<()>> {
        let uri = String::from_utf8_lossy(finding.uri);
        let Finding {
            input,
            offset,
            place,
            count,
            ..
        } = finding;
        self.0
            .push(format!("{uri} {input} {offset} {place:?} {count:?}"));
        Ok(ControlFlow::Continue(()))
    }

    fn input(&mut self, input: usize, read_as: ReadAs, stats: &Stats) {
        self.0.push(format!("{input}: {read_as:?} {stats:?}"));
    }

    fn loss(&mut self, loss: &Loss) {
        self.0.push(format!("{loss:?}"));
    }

    fn error(&mut self, error: Error) {
        self.0.push(format!("{:?} {error}", error.kind()));
    }

    fn inputs_ended(&mut self) -> io::Result<ControlFlow<()>> {
        self.0.push("inputs ended".to_owned());
        Ok(ControlFlow::Continue(()))
    }
}

/// Lines with URIs; some stand in other inputs, too.
fn text(lines: usize, name: &str) -> Vec<u8> {
    let line = |i: usize| match i % 3 {
        0 => format!("http://{name}.example/{i} is one\n"),
        1 => format!("and <http://common.example/\n{}> another\n", i % 50),
        _ => format!("here are {i} words and no more\n"),
    };
    (0..lines).map(line).collect::<String>().into_bytes()
}

fn warc(records: usize) -> Vec<u8> {
    let record = |i: usize| {
        let body = text(i % 40, &format!("warc{i}"));
        let head = format!(
            "WARC/1.0\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:{i:08}-0000-4000-8000-000000000000>\r\n\
             Content-Type: text/plain\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        [head.as_bytes(), &body, b"\r\n\r\n"].concat()
    };
    (0..records).flat_map(record).collect()
}

/// One input.
enum Kind {
    Bytes(Vec<u8>),
    /// Taken as it comes, a few bytes at a time.
    Piped(Vec<u8>),
    Missing,
}

fn source(kind: &Kind) -> Source<'_> {
    match kind {
        Kind::Bytes(bytes) => Source::Slice(bytes),
        Kind::Piped(bytes) => Source::Reader(Box::new(Dribble(bytes, 777))),
        Kind::Missing => Source::Path("no/such/file".into()),
    }
}

fn sources(kinds: &[Kind]) -> Vec<Source<'_>> {
    kinds.iter().map(source).collect()
}

/// Inputs of all kinds, twice, and small ones between them.
fn kinds() -> Vec<Kind> {
    let members = (0..30).flat_map(|i| gzip(&text(i * 9, &format!("m{i}"))));
    let mut damaged = gzip(&text(900, "damaged"));
    let at = damaged.len() / 2;
    damaged[at] ^= 0x10;
    let mut kinds = Vec::new();
    for round in 0..2 {
        let name = |kind: &str| format!("{kind}{round}");
        let tar = Header::new(b"a.txt", b'0', 0).member(b"");
        let content = text(200, &name("tar"));
        let tar = [
            tar,
            Header::new(b"b.txt", b'0', content.len()).member(&content),
            vec![0; 1024],
        ]
        .concat();
        kinds.extend([
            Kind::Bytes(gzip(&text(2000, &name("gzip")))),
            Kind::Bytes(text(1500, &name("text"))),
            Kind::Bytes(Vec::new()),
            Kind::Piped(text(300, &name("pipe"))),
            Kind::Missing,
            Kind::Bytes(members.clone().collect()),
            Kind::Bytes(damaged.clone()),
            Kind::Bytes(gzip(&warc(60))),
            Kind::Bytes(tar),
            Kind::Piped(gzip(&text(700, &name("piped")))),
            Kind::Bytes(zstd(&text(1200, &name("zstd")))),
            Kind::Piped(Vec::new()),
        ]);
        kinds.extend((0..40).map(|i| Kind::Bytes(text(i % 5, &name("small")))));
    }
    kinds
}

#[test]
fn inputs_side_by_side_give_what_they_give_one_after_the_other() {
    type Way = (&'static str, fn(Builder<Sieve>) -> Builder<Sieve>);
    let ways: [Way; 7] = [
        ("distinct", |sieve| sieve),
        ("all", |sieve| sieve.mode(Mode::All)),
        ("count", |sieve| sieve.mode(Mode::Count)),
        ("sorted", |sieve| sieve.sequence(Sequence::Sorted)),
        ("lines", |sieve| sieve.mode(Mode::All).lines(true)),
        ("most", |sieve| sieve.max_findings(Some(7))),
        ("known", |sieve| sieve.known_inputs(2)),
    ];
    let kinds = kinds();
    for (number, (name, way)) in ways.into_iter().enumerate() {
        for block in thorough::part([1 << 9, 1 << 14, 1 << 18], 2, number) {
            let run = |threads| {
                let sieve = Sieve::builder().block_size(block).threads(threads);
                let mut reported = Reported::default();
                let stats = guarded(name, || {
                    way(sieve).build().run(sources(&kinds), &mut reported)
                });
                if name == "most" {
                    // How much else is read of an input until the sink has enough of it
                    // differs from run to run.
                    reported.0.retain(|line| line.starts_with("http"));
                    return (reported, Ok(Stats::default()));
                }
                (reported, stats.map_err(|error| error.to_string()))
            };
            let one = run(1);
            assert!(one.0.0.len() > 100, "{name} {}", one.0.0.len());
            for threads in THREADS {
                // More than once: each time the threads meet elsewhere.
                for _ in (0..3).step_by(thorough::step(3)) {
                    let got = run(threads);
                    for (got, one) in got.0.0.iter().zip(&one.0.0) {
                        assert_eq!(got, one, "{name} {block} {threads}");
                    }
                    assert_eq!(got, one, "{name} {block} {threads}");
                }
            }
        }
    }
}

/// Without an order the same is reported.
#[test]
fn inputs_without_an_order_give_the_same() {
    let kinds = kinds();
    let run = |threads| {
        let sieve = Sieve::builder()
            .mode(Mode::All)
            .sequence(Sequence::Unordered)
            .block_size(1 << 12)
            .threads(threads);
        let mut reported = Reported::default();
        let stats = guarded("unordered", || {
            sieve.build().run(sources(&kinds), &mut reported)
        });
        reported.0.sort();
        (reported, stats.unwrap())
    };
    let one = run(1);
    for threads in THREADS {
        assert_eq!(run(threads), one, "{threads}");
    }
}

/// What is reported until reading is cancelled is what the report begins with.
#[test]
fn a_cancelled_run_reports_a_beginning() {
    let kinds = kinds();
    for threads in THREADS {
        for wanted in [1, 400, 1200, 3000] {
            let run = |threads, wanted| {
                let flag = Arc::new(AtomicBool::new(false));
                let sieve = Sieve::builder()
                    .mode(Mode::All)
                    .block_size(1 << 10)
                    .threads(threads)
                    .cancel(Arc::clone(&flag));
                let mut found = Vec::new();
                let sink = &mut each(|finding| {
                    found.push((finding.input, finding.offset, finding.uri.to_vec()));
                    flag.fetch_or(found.len() == wanted, Ordering::Relaxed);
                });
                let result = guarded("cancel", || sieve.build().run(sources(&kinds), sink));
                result.unwrap();
                found
            };
            let (all, got) = (run(1, 0), run(threads, wanted));
            assert!(got.len() >= wanted, "{threads} {wanted}");
            // Several threads may have read all by then.
            assert!(threads > 1 || got.len() < all.len(), "{wanted}");
            assert!(all.starts_with(&got), "{threads} {wanted}");
        }
    }
}

/// Gives its text, and says then that reading is cancelled.
struct Cancelling<'t>(Arc<AtomicBool>, &'t [u8]);

impl Read for Cancelling<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = self.1.read(buffer)?;
        self.0.fetch_or(self.1.is_empty(), Ordering::Relaxed);
        Ok(len)
    }
}

/// A URI of which only the beginning was read is not reported.
#[test]
fn a_cancelled_run_reports_no_cut_uri() {
    let record = b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Type: text/plain\r\n\
        Content-Length: 1000\r\n\r\nhttp://a.example/cut";
    for text in [&b"http://a.example/cut"[..], record] {
        for threads in THREADS {
            for sequence in [Sequence::Seen, Sequence::Unordered] {
                let flag = Arc::new(AtomicBool::new(false));
                let sieve = Sieve::builder().threads(threads).sequence(sequence);
                let sieve = sieve.cancel(Arc::clone(&flag)).build();
                let sources = [
                    Source::Reader(Box::new(Cancelling(flag, text))),
                    Source::Slice(b""),
                ];
                let mut found = Vec::new();
                let sink = &mut each(|finding| found.push(finding.uri.to_vec()));
                guarded("cut", || sieve.run(sources, sink)).unwrap();
                assert!(found.is_empty(), "{threads} {found:?}");
            }
        }
    }
}

/// A flag that one thread sets and others wait for.
#[derive(Default)]
struct Signal(Mutex<bool>, Condvar);

impl Signal {
    fn set(&self) {
        *self.0.lock().unwrap() = true;
        self.1.notify_all();
    }

    fn wait(&self) {
        let set = self.0.lock().unwrap();
        drop(self.1.wait_while(set, |set| !*set).unwrap());
    }
}

/// Gives its text once the signal is set.
struct After<'t>(&'t Signal, &'t [u8]);

impl Read for After<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.wait();
        self.1.read(buffer)
    }
}

/// Sets the signal when it is read.
struct Announced<'t>(&'t Signal, &'t [u8]);

impl ReadAt for Announced<'_> {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        self.0.set();
        (&self.1[offset as usize..]).read(buffer)
    }
}

/// Readers whose writers wait for the report of what stands before keep nobody from
/// reading that.
#[test]
fn nobody_waits_for_a_later_reader() {
    let (long, piped) = (gzip(&text(3000, "long")), text(30, "piped"));
    for threads in THREADS {
        for readers in [1, 3, 20] {
            let signals: Vec<_> = (0..readers).map(|_| Signal::default()).collect();
            let reader = |signal| Source::Reader(Box::new(After(signal, &piped)));
            let pairs = signals
                .iter()
                .flat_map(|signal| [Source::Slice(&long), reader(signal)]);
            let mut found = 0;
            let sink = &mut each(|_| {
                found += 1;
                // The long one has 2,000, the reader 20.
                if found % 2020 == 2000 {
                    signals[found / 2020].set();
                }
            });
            let sieve = Sieve::builder().mode(Mode::All).block_size(1 << 10);
            let sieve = sieve.threads(threads).build();
            let sources = pairs.collect::<Vec<_>>();
            let stats = guarded("later", || sieve.run(sources, sink)).unwrap();
            assert_eq!(stats.occurrences, 2020 * readers as u64);
        }
    }
}

/// While one thread waits for a writer the others read what comes later.
#[test]
fn a_slow_reader_stops_nobody_else() {
    let (later, piped) = (text(300, "later"), text(30, "piped"));
    for threads in [2, 8] {
        let signal = Signal::default();
        let sources = [
            Source::Reader(Box::new(After(&signal, &piped))),
            Source::Slice(b"http://between.example/"),
            Source::At(Arc::new(Announced(&signal, &later)), later.len() as u64),
        ];
        let mut inputs = Vec::new();
        let sink = &mut each(|finding| inputs.push(finding.input));
        let sieve = Sieve::builder().mode(Mode::All).threads(threads).build();
        guarded("slow", || sieve.run(sources, sink)).unwrap();
        assert_eq!(inputs.len(), 20 + 1 + 200);
        assert!(inputs.is_sorted());
    }
}

/// While the sink has its first finding the others go on to later inputs, until what
/// they found takes as much memory as is meant for it.
#[test]
fn later_inputs_are_read_until_the_queue_is_full() {
    // A batch counts as 16 KiB at least, of 16 MiB for each thread.
    const BATCHES: usize = 1024;
    for threads in [2, 8] {
        for sequence in [Sequence::Seen, Sequence::Unordered] {
            let (given, more) = (Mutex::new(0), Condvar::new());
            let sources = std::iter::from_fn(|| {
                let mut given = given.lock().unwrap();
                *given += 1;
                more.notify_all();
                (*given <= 4 * BATCHES * threads)
                    .then_some(Source::Slice(b"see http://a.example/ "))
            });
            // At least so many are given while the sink has the first one, and never more
            // than so many that the sink was not given.
            let (wanted, most) = match sequence {
                Sequence::Seen => (BATCHES * threads, (BATCHES + 3) * threads),
                _ => (8 * threads, 11 * threads),
            };
            let taken = AtomicUsize::new(0);
            let sink = &mut each(|_| {
                let mut given = given.lock().unwrap();
                if taken.fetch_add(1, Ordering::Relaxed) == 0 {
                    given = more.wait_while(given, |given| *given < wanted).unwrap();
                }
                let ahead = *given - taken.load(Ordering::Relaxed);
                assert!(ahead <= most, "{ahead} {most} {sequence:?}");
            });
            let sieve = Sieve::builder().mode(Mode::All).sequence(sequence);
            let sieve = sieve.threads(threads).build();
            let stats = guarded("full", || sieve.run(sources, sink)).unwrap();
            assert_eq!(stats.occurrences, (4 * BATCHES * threads) as u64);
        }
    }
}

/// Many threads open no more files than the process may have open.
#[cfg(unix)]
#[test]
fn inputs_are_read_under_a_low_limit_of_open_files() {
    let folder = tempfile::tempdir().unwrap();
    let paths = (0..40).map(|number| {
        let path = folder.path().join(format!("{number}.gz"));
        std::fs::write(&path, gzip(&text(3000, &format!("h{number}")))).unwrap();
        path
    });
    let paths: Vec<_> = paths.collect();
    let run = |limit: &str, threads: &str| {
        let out = std::process::Command::new("sh")
            .args(["-c", "ulimit -n $0; exec \"$@\"", limit])
            .args([env!("CARGO_BIN_EXE_urisieve"), "--all", "-j", threads])
            .args(&paths)
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8_lossy(&out.stderr),
            "",
            "{limit} {threads}"
        );
        out.stdout
    };
    let wanted = run("200", "1");
    for threads in ["2", "32"] {
        assert!(run("24", threads) == wanted, "{threads}");
    }
}

/// A reader that counts the calls.
struct Counted<'t> {
    rest: &'t [u8],
    reads: &'t AtomicUsize,
}

impl Read for Counted<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.reads.fetch_add(1, Ordering::Relaxed);
        self.rest.read(buffer)
    }
}

/// A block of a document may be longer than others; it is not read byte by byte for that.
#[test]
fn a_long_document_is_read_in_large_pieces() {
    let entry = "<entry><link href='http://a.example/'/></entry>";
    for (start, name) in [("<?xml version='1.0'?><feed>", "xml"), ("", "text")] {
        let document = [start, &entry.repeat((4 << 20) / entry.len())].concat();
        for threads in [1, 2] {
            let reads = AtomicUsize::new(0);
            let rest = document.as_bytes();
            let reader = Source::Reader(Box::new(Counted {
                rest,
                reads: &reads,
            }));
            let sieve = Sieve::builder().threads(threads).build();
            let mut found = 0;
            let run = sieve.run([reader], &mut each(|_| found += 1));
            assert_eq!((run.unwrap().distinct, found), (1, 1), "{name}");
            let reads = reads.into_inner();
            assert!(reads <= (4 << 20) / (16 << 10), "{name}: {reads}");
        }
    }
}
