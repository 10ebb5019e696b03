//! Reads that fail: short ones, interrupted ones, errors at an offset, files that
//! shrink. Each ends in a loss with its offset and never in a hang; everything before
//! the loss is found as if the input ended there.

#[cfg(target_os = "linux")]
mod divided;
#[cfg(unix)]
mod endings;
#[path = "../kit/guard.rs"]
mod guard;
#[cfg(target_os = "linux")]
mod injected;
#[path = "../kit/packed.rs"]
mod packed;
mod panics;
#[path = "../kit/program.rs"]
mod program;
#[path = "../kit/random.rs"]
mod random;
#[cfg(target_os = "linux")]
mod seen;
#[cfg(unix)]
#[path = "../kit/signals.rs"]
mod signals;
mod sinks;
#[path = "../kit/thorough.rs"]
mod thorough;

use proptest::prelude::*;
use std::io;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use urisieve::decode::Layout;
use urisieve::input::{ReadAt, Source};
use urisieve::item::{Finding, Loss};
use urisieve::{Error, ErrorKind, Mode, Sieve, Sink, Stats};

/// A file whose reads fail.
struct Faulty {
    text: Vec<u8>,
    /// At most this many bytes a read.
    piece: usize,
    /// Every other read is interrupted.
    interrupted: bool,
    /// From the first to the second offset nothing can be read.
    hole: (u64, u64),
    /// After this many reads the file has this length.
    shrinks: Option<(usize, u64)>,
    reads: AtomicUsize,
    /// The first read that the shorter file did not serve.
    missed: AtomicU64,
}

impl Faulty {
    fn new(text: &[u8]) -> Faulty {
        Faulty {
            text: text.to_vec(),
            piece: usize::MAX,
            interrupted: false,
            hole: (u64::MAX, u64::MAX),
            shrinks: None,
            reads: AtomicUsize::new(0),
            missed: AtomicU64::new(u64::MAX),
        }
    }
}

impl ReadAt for Faulty {
    fn read_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<usize> {
        let read = self.reads.fetch_add(1, Ordering::Relaxed);
        if self.interrupted && read.is_multiple_of(2) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let mut len = self.text.len() as u64;
        if let Some((after, shorter)) = self.shrinks
            && read >= after
        {
            len = shorter;
            if offset >= shorter {
                self.missed.fetch_min(offset, Ordering::Relaxed);
            }
        }
        let mut to = len.min(offset.saturating_add(buffer.len().min(self.piece) as u64));
        if (self.hole.0..self.hole.1).contains(&offset) {
            return Err(io::Error::from_raw_os_error(5));
        }
        if offset < self.hole.0 {
            to = to.min(self.hole.0);
        }
        let from = offset.min(to);
        let bytes = &self.text[from as usize..to as usize];
        buffer[..bytes.len()].copy_from_slice(bytes);
        Ok(bytes.len())
    }
}

/// The report of a run.
#[derive(Debug, Default, PartialEq, Eq)]
struct Report {
    found: Vec<(u64, Vec<u8>, Option<u64>)>,
    errors: Vec<ErrorKind>,
    losses: Vec<Loss>,
}

impl Sink for Report {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        let uri = finding.uri.to_vec();
        self.found.push((finding.offset, uri, finding.count));
        Ok(ControlFlow::Continue(()))
    }

    fn error(&mut self, error: Error) {
        self.errors.push(error.kind());
    }

    fn loss(&mut self, loss: &Loss) {
        self.losses.push(*loss);
    }
}

/// How a text is read.
#[derive(Clone, Copy, Debug)]
struct Way {
    mode: Mode,
    list: bool,
    block: usize,
    threads: usize,
}

fn run<'s>(way: Way, sources: impl IntoIterator<Item = Source<'s>>) -> (Report, Stats) {
    let mut sieve = Sieve::builder()
        .mode(way.mode)
        .block_size(way.block)
        .threads(way.threads);
    if way.list {
        sieve = sieve.list(Layout::Lines).archives(false);
    }
    let mut report = Report::default();
    let sources: Vec<_> = sources.into_iter().collect();
    let stats = sieve.build().run(sources, &mut report).unwrap();
    (report, stats)
}

/// All ways of reading: modes, text and lists, sizes of blocks, threads.
fn ways() -> impl Iterator<Item = Way> {
    [Mode::All, Mode::Distinct, Mode::Count, Mode::Groups]
        .into_iter()
        .flat_map(|mode| [false, true].map(|list| (mode, list)))
        .flat_map(|(mode, list)| [1, 2, 3, 7, 64, 64 << 10].map(|block| (mode, list, block)))
        .flat_map(|(mode, list, block)| {
            [1, 2, 8].map(|threads| Way {
                mode,
                list,
                block,
                threads,
            })
        })
}

/// Lines with URIs in and without wrappers, and one run that no block may cut.
fn text() -> Vec<u8> {
    let mut text = String::new();
    for i in 0..12 {
        let n = i % 5;
        text += &format!("http://h{n}.example/{i}\n<http://w.example/{n}/\n  {i}> urn:a-b:{n}\n");
        if i == 6 {
            text += &format!("http://long.example/{}\n", "x".repeat(300));
        }
    }
    text.into_bytes()
}

#[test]
fn short_and_interrupted_reads_change_nothing() {
    let text = text();
    for (number, way) in ways().enumerate() {
        let wanted = run(way, [Source::Slice(&text)]);
        for piece in thorough::part([1, 5, 100], 3, number) {
            let faulty = Faulty {
                piece,
                interrupted: true,
                ..Faulty::new(&text)
            };
            let len = text.len() as u64;
            assert!(
                run(way, [Source::At(Arc::new(faulty), len)]) == wanted,
                "{way:?}"
            );
        }
    }
}

/// From some byte on nothing can be read: the input ends there, and that is reported
/// once, with the offset. Inputs after it are read.
#[test]
fn an_error_ends_in_a_loss_at_its_offset() {
    let text = text();
    let other = b"http://other.example/\n";
    for way in ways() {
        let places = (0..text.len()).step_by(211 * thorough::step(14));
        for at in places.chain([1, text.len() - 1]) {
            let wanted = run(way, [Source::Slice(&text[..at]), Source::Slice(other)]);
            let faulty = Faulty {
                hole: (at as u64, u64::MAX),
                ..Faulty::new(&text)
            };
            let faulty = Source::At(Arc::new(faulty), text.len() as u64);
            let (report, stats) = run(way, [faulty, Source::Slice(other)]);
            assert_eq!(
                report.errors,
                [ErrorKind::Read(0, at as u64)],
                "{way:?} {at}"
            );
            assert!(report.found == wanted.0.found, "{way:?} {at}");
            assert_eq!(stats.bytes, wanted.1.bytes);
        }
    }
}

/// Lines of up to 300 KiB, some of them in a wrapper that is open at their beginning.
fn long_lines() -> Vec<u8> {
    let mut text = String::new();
    for line in 0..24 {
        text += match line % 5 {
            1 => "see <http://w.example/\n  a/",
            3 => "see <http://w.example/a/ and\n",
            _ => "",
        };
        let repeats = [3, 1500, 9000, 40, 4000, 200, 6500][line % 7];
        for word in 0..repeats {
            text += &format!("\"http://h{}.example/{line}/{word}\" ", word % 7);
        }
        text += "\n";
    }
    text.into_bytes()
}

fn long_ways() -> impl Iterator<Item = Way> {
    let blocks = [128 << 10, 150 << 10, 256 << 10, 1 << 20].into_iter();
    blocks.flat_map(|block| {
        [1, 2, 8].map(|threads| Way {
            mode: Mode::All,
            list: false,
            block,
            threads,
        })
    })
}

#[test]
fn long_lines_are_cut_where_they_begin() {
    let text = long_lines();
    let whole = Way {
        block: 16 << 20,
        ..long_ways().next().unwrap()
    };
    let wanted = run(whole, [Source::Slice(&text)]);
    for way in long_ways() {
        let whole = Source::At(Arc::new(Faulty::new(&text)), text.len() as u64);
        assert!(run(way, [whole]) == wanted, "{way:?}");
    }
}

#[test]
fn an_error_in_a_long_line_ends_in_a_loss_at_its_offset() {
    let text = long_lines();
    for way in long_ways() {
        let all = run(way, [Source::Slice(&text)]).0.found;
        for at in (0..text.len()).step_by(400_009 * thorough::step(3)) {
            let wanted = run(way, [Source::Slice(&text[..at])]);
            let faulty = Faulty {
                hole: (at as u64, u64::MAX),
                ..Faulty::new(&text)
            };
            let faulty = Source::At(Arc::new(faulty), text.len() as u64);
            let (report, stats) = run(way, [faulty]);
            assert_eq!(report.errors, [ErrorKind::Read(0, at as u64)], "{way:?}");
            assert!(report.found == wanted.0.found, "{way:?} {at}");
            assert_eq!(stats.bytes, wanted.1.bytes);
            // A hole that ends before the next block: that one cannot look back.
            let hole = (at as u64, at as u64 + 33);
            let faulty = Faulty {
                hole,
                ..Faulty::new(&text)
            };
            let report = run(way, [Source::At(Arc::new(faulty), text.len() as u64)]).0;
            assert_eq!(report.errors[0], ErrorKind::Read(0, hole.0), "{way:?}");
            let before = report.found.iter().take_while(|f| f.0 < hole.0);
            assert!(before.eq(&wanted.0.found), "{way:?} {at}");
            let after = hole.1 + way.block as u64 + 320;
            for wanted in all.iter().filter(|f| f.0 > after) {
                let is_found = report.found.binary_search(wanted).is_ok();
                assert!(is_found, "{way:?} {hole:?} {wanted:?}");
            }
        }
    }
}

/// What follows a hole is read, by as many threads as there are.
#[test]
fn what_follows_a_hole_is_read() {
    let text = text();
    for way in ways().filter(|way| !way.list && matches!(way.mode, Mode::All)) {
        let all = run(way, [Source::Slice(&text)]).0.found;
        for from in (0..text.len() - 40).step_by(211) {
            let hole = (from as u64, from as u64 + 33);
            let faulty = Faulty {
                hole,
                ..Faulty::new(&text)
            };
            let report = run(way, [Source::At(Arc::new(faulty), text.len() as u64)]).0;
            assert!(!report.errors.is_empty());
            let first = report.errors[0];
            assert_eq!(first, ErrorKind::Read(0, hole.0), "{way:?}");
            let before = |f: &&(u64, Vec<u8>, _)| f.0 + f.1.len() as u64 + 40 < hole.0;
            let after = |f: &&(u64, Vec<u8>, _)| f.0 > hole.1 + way.block as u64 + 320;
            for wanted in all.iter().filter(|f| before(f) || after(f)) {
                assert!(report.found.contains(wanted), "{way:?} {hole:?} {wanted:?}");
            }
            let alone = Way { threads: 1, ..way };
            let faulty = Faulty {
                hole,
                ..Faulty::new(&text)
            };
            let one = run(alone, [Source::At(Arc::new(faulty), text.len() as u64)]).0;
            assert!(one == report, "{way:?} {hole:?}");
        }
    }
}

/// The file is shorter after this many reads: whatever the moment, the run ends, a loss
/// names an offset, and nothing before it is missing.
#[test]
fn a_file_that_shrinks_is_a_loss() {
    let text = text();
    for way in ways().filter(|way| !way.list && matches!(way.mode, Mode::All)) {
        let all = run(way, [Source::Slice(&text)]).0.found;
        for (after, shorter) in [(0, 0), (1, 0), (1, 100), (2, 0), (3, 500), (9, 1), (200, 0)] {
            let faulty = Arc::new(Faulty {
                shrinks: Some((after, shorter)),
                ..Faulty::new(&text)
            });
            let source = Source::At(faulty.clone(), text.len() as u64);
            let report = run(way, [source]).0;
            if faulty.missed.load(Ordering::Relaxed) == u64::MAX {
                // It was read before it shrank.
                assert!(report.errors.is_empty());
                assert!(report.found == all, "{way:?}");
                continue;
            }
            // Another thread may have read what follows just before.
            let ErrorKind::Read(0, at) = report.errors[0] else {
                panic!("{way:?} {:?}", report.errors);
            };
            assert!(way.threads > 1 || report.errors.len() == 1);
            assert!(report.errors.windows(2).all(|two| two[0] != two[1]));
            let whole = |f: &&(u64, Vec<u8>, _)| f.0 + f.1.len() as u64 + 40 < at;
            for wanted in all.iter().filter(whole) {
                assert!(report.found.contains(wanted), "{way:?} {at} {wanted:?}");
            }
        }
    }
}

/// The same for streams: compressed, UTF-16, an archive.
#[test]
fn streams_that_fail_end_in_a_loss() {
    let text = text();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    io::Write::write_all(&mut packed, &text).unwrap();
    let packed = packed.finish().unwrap();
    let record = b"WARC/1.0\r\nWARC-Type: resource\r\nContent-Length: 400\r\n\r\n";
    let archive = [&record[..], &text[..400], b"\r\n\r\n"].concat();
    let wide = String::from_utf8(text.clone()).unwrap();
    let wide: Vec<u8> = std::iter::once(0xFEFF)
        .chain(wide.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    for way in ways().filter(|way| !way.list && matches!(way.mode, Mode::All)) {
        for bytes in [&packed, &archive, &wide] {
            let all = run(way, [Source::Slice(bytes)]).0.found;
            for at in (40..bytes.len() as u64).step_by(61 * thorough::step(4)) {
                let fails = Faulty {
                    hole: (at, u64::MAX),
                    ..Faulty::new(bytes)
                };
                let shrinks = Faulty {
                    shrinks: Some((0, at)),
                    ..Faulty::new(bytes)
                };
                for faulty in [fails, shrinks] {
                    let source = Source::At(Arc::new(faulty), bytes.len() as u64);
                    let report = run(way, [source]).0;
                    assert!(
                        matches!(
                            report.errors[..],
                            [ErrorKind::Read(0, _) | ErrorKind::ReadStored(0, _)]
                        ),
                        "{way:?} {at} {:?}",
                        report.errors
                    );
                    let known = |found: &&(u64, Vec<u8>, _)| all.contains(found);
                    let whole = report.found.iter().filter(known).count();
                    assert!(whole + 1 >= report.found.len(), "{way:?} {at}");
                    assert!(report.found[..whole] == all[..whole], "{way:?} {at}");
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(random::cases(32))]

    /// Any hole in any text: the same for all threads, and a loss at its start.
    #[test]
    fn any_hole(
        lines in proptest::collection::vec("(http://[a-c]\\.example/[a-z]{0,40}|[ -~]{0,60}|<http://a/\n b>)", 1..40),
        from in 0usize..2000,
        len in 1usize..300,
        block in proptest::sample::select(vec![1usize, 2, 3, 7, 64, 300]),
    ) {
        let text = lines.join("\n").into_bytes();
        let from = from % text.len().max(1);
        let hole = (from as u64, (from + len) as u64);
        let run_with = |threads| {
            let way = Way { mode: Mode::All, list: false, block, threads };
            let faulty = Faulty { hole, ..Faulty::new(&text) };
            run(way, [Source::At(Arc::new(faulty), text.len() as u64)]).0
        };
        let one = run_with(1);
        if text.is_empty() {
            return Ok(());
        }
        prop_assert_eq!(one.errors[0], ErrorKind::Read(0, hole.0));
        for threads in [2, 8] {
            prop_assert!(run_with(threads) == one);
        }
    }
}
