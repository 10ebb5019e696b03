//! Tests with sets that defer some of their keys: whichever these are, a run reports
//! the same as without deferring.

use super::run;
use crate::decode::Layout;
use crate::dedup::{Answer, Deferred, Entry, Finished, Keys, Late, LateReceiver, Membership, Set};
use crate::engine::ask::config::RunConfig;
use crate::engine::ask::mode::Mode;
use crate::engine::ask::sequence::Sequence;
use crate::engine::batches::read_as::ReadAs;
use crate::engine::batches::stats::Stats;
use crate::engine::error::Error;
use crate::engine::{CountBy, Sink};
use crate::input::Source;
use crate::item::{Finding, Spelling};
use crate::thorough;
use std::collections::HashMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock};

/// A set in memory. It defers each key that is not in it and has no room in it.
struct Deferring {
    set: Set,
    /// Whether there is room for a key with this hash in a set with this many keys.
    has_room: fn(u64, usize) -> bool,
    late: Vec<LateKey>,
    numbers: HashMap<Vec<u8>, usize>,
}

struct LateKey {
    number: u64,
    key: Vec<u8>,
    count: u64,
    record: Vec<u8>,
}

impl Membership for Deferring {
    fn ask(&mut self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        assert_eq!(keys.iter().count(), answers.len());
        for (key, answer) in keys.iter().zip(answers) {
            let (bytes, count) = (keys.bytes(key), u64::from(key.count));
            let mut record = Vec::new();
            keys.write_record(key, &mut record);
            *answer = Answer::Deferred;
            if let Some(&known) = self.numbers.get(bytes) {
                self.late[known].count += count;
            } else if (self.has_room)(key.hash, self.set.len()) {
                *answer = match self.set.insert(key.hash, bytes, count, &record) {
                    true => Answer::New,
                    false => Answer::Known,
                };
            } else if self.set.entries().any(|entry| entry.key == bytes) {
                self.set.insert(key.hash, bytes, count, &record);
                *answer = Answer::Known;
            } else {
                self.numbers.insert(bytes.to_vec(), self.late.len());
                self.late.push(LateKey {
                    number: keys.number(key),
                    key: bytes.to_vec(),
                    count,
                    record,
                });
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Finished> {
        let mut finished = Finished::new(self.set);
        finished.deferred = Some(Box::new(LateKeys(self.late)));
        Ok(finished)
    }
}

struct LateKeys(Vec<LateKey>);

impl Deferred for LateKeys {
    /// In reverse: the engine sorts them.
    fn settle(self: Box<Self>, new: LateReceiver<'_>) -> io::Result<()> {
        for late in self.0.iter().rev() {
            let entry = Entry {
                key: &late.key,
                count: late.count,
                record: &late.record,
            };
            let number = late.number;
            if new(Late { number, entry })?.is_break() {
                break;
            }
        }
        Ok(())
    }
}

fn deferring(counting: bool, has_room: fn(u64, usize) -> bool) -> Box<dyn Membership> {
    Box::new(Deferring {
        set: match counting {
            true => Set::counting(),
            false => Set::new(),
        },
        has_room,
        late: Vec::new(),
        numbers: HashMap::new(),
    })
}

/// Sets that defer some keys, all keys, and the keys that come after the first three.
const SETS: [fn(bool) -> Box<dyn Membership>; 3] = [
    |counting| deferring(counting, |hash, _| hash >> 7 & 3 != 0),
    |counting| deferring(counting, |_, _| false),
    |counting| deferring(counting, |_, keys| keys < 3),
];

/// The findings that are reported, as text.
#[derive(Debug, Default, PartialEq)]
struct Transcript {
    findings: Vec<String>,
    inputs: Vec<String>,
}

impl Sink for Transcript {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        self.findings.push(format!("{finding:?}"));
        Ok(ControlFlow::Continue(()))
    }

    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<ControlFlow<()>> {
        self.findings.push(format!("{class:?} {spellings:?}"));
        Ok(ControlFlow::Continue(()))
    }

    fn input(&mut self, input: usize, read_as: ReadAs, stats: &Stats) {
        self.inputs.push(format!("{input} {read_as:?} {stats:?}"));
    }

    fn error(&mut self, error: Error) {
        panic!("{error}");
    }
}

fn archive() -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in 0..6 {
        let block = format!(
            "HTTP/1.1 200 OK\r\nLocation: ../{number}\r\nLink: <a>\r\n\r\n\
             see http://a.example/{} and HTTP://b.example/{}",
            number / 2,
            9 - number
        );
        let head = "WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: http://t.example/d/\r\n\
            Content-Type: application/http; msgtype=response\r\n";
        let head = format!("{head}Content-Length: {}\r\n\r\n", block.len());
        bytes.extend_from_slice(format!("{head}{block}\r\n\r\n").as_bytes());
    }
    bytes
}

fn text() -> Vec<u8> {
    let line = |n: usize| {
        let (host, path) = (n * 7 % 5, n * 11 % 13);
        let scheme = if n.is_multiple_of(3) { "HTTP" } else { "http" };
        format!("{n}: <{scheme}://h{host}.example/{path}\n /x> and urn:a-b:{path} (inter-\n")
    };
    (0..60).map(line).collect::<String>().into_bytes()
}

/// Returns `config` with a change.
fn changed(config: &RunConfig, change: impl FnOnce(&mut RunConfig)) -> RunConfig {
    let mut config = config.clone();
    change(&mut config);
    config
}

/// Asserts that every set leads to the same report of `inputs`, for all block sizes and
/// numbers of threads.
#[track_caller]
fn check(config: &RunConfig, inputs: &[Vec<u8>]) {
    let run = |config: &RunConfig| {
        let mut reported = Transcript::default();
        let sources = inputs.iter().map(|bytes| Source::Slice(bytes));
        let sources: Vec<Source> = sources.collect();
        let mut stats = run::run(config, Box::new(sources.into_iter()), &mut reported).unwrap();
        let compares = config.memory.fingerprints && config.keys.mode == Mode::Distinct;
        assert_eq!(stats.fingerprints > 0, compares);
        if compares && config.report.known_inputs == 0 && config.search.layout.is_none() {
            assert_eq!(stats.fingerprints, stats.distinct);
        }
        // Deferred keys are not in these counts.
        (stats.set_keys, stats.set_key_bytes, stats.set_bytes) = (0, 0, 0);
        stats.fingerprints = 0;
        (stats.deferred, stats.temporary_bytes, stats.fewer_threads) = (0, 0, 0);
        if config.report.sequence == Some(Sequence::Unordered) {
            reported.findings.sort();
        }
        (reported, format!("{stats:?}"))
    };
    // Each limit and each set meets each way at one of three sizes of blocks.
    for (turn, block_size) in [16, 200, 64 << 10].into_iter().enumerate() {
        let config = changed(config, |config| {
            config.reading.block_size = block_size;
        });
        let wanted = run(&config);
        assert!(!wanted.0.findings.is_empty());
        // Other modes compare no fingerprints.
        let compares = config.keys.mode == Mode::Distinct;
        let ways = [1, 2, 8].into_iter().flat_map(|n| [(n, false), (n, true)]);
        let ways = ways.filter(|way| compares || !way.1);
        for (number, (threads, fingerprints)) in ways.enumerate() {
            let config = changed(&config, |config| {
                config.reading.threads = threads;
                config.memory.fingerprints = fingerprints;
            });
            let way = format!("{block_size} {threads} {fingerprints}");
            assert_eq!(run(&config), wanted, "{way}");
            let turn = (turn + number) % 3;
            let deferring = changed(&config, |config| {
                config.memory.sets = Some(SETS[turn]);
            });
            assert_eq!(run(&deferring), wanted, "{way}");
            let max_memory = [0, 3000, 30_000][turn];
            let limited = changed(&config, |config| {
                config.memory.max_memory = Some(max_memory);
            });
            assert_eq!(run(&limited), wanted, "{way} {max_memory}");
        }
    }
}

fn inputs() -> Vec<Vec<u8>> {
    vec![
        text(),
        archive(),
        b"http://a.example/2 urn:a-b:5 http://new.example/".to_vec(),
    ]
}

#[test]
fn deferred_occurrences_are_reported_in_order() {
    for sequence in [Sequence::Seen, Sequence::Sorted] {
        for lines in [false, true] {
            let turn = sequence as usize + usize::from(lines);
            for known_inputs in thorough::part([0, 1, 2], 3, turn) {
                let config = changed(&RunConfig::default(), |config| {
                    config.report.sequence = Some(sequence);
                    config.keys.originals = true;
                    config.report.lines = lines;
                    config.report.known_inputs = known_inputs;
                });
                check(&config, &inputs());
            }
        }
    }
}

#[test]
fn deferred_classes_are_counted() {
    for mode in [Mode::Count, Mode::Groups] {
        for sequence in [Sequence::Seen, Sequence::Sorted, Sequence::Frequent] {
            let reports = [(None, 0), (Some(4), 0), (Some(100), 1)];
            for (top, known_inputs) in thorough::part(reports, 3, mode as usize + sequence as usize)
            {
                let config = changed(&RunConfig::default(), |config| {
                    config.keys.mode = mode;
                    config.report.sequence = Some(sequence);
                    config.keys.originals = true;
                    config.report.top = top;
                    config.report.known_inputs = known_inputs;
                });
                check(&config, &inputs());
            }
        }
    }
    let by_host = changed(&RunConfig::default(), |config| {
        config.keys.mode = Mode::Count;
        config.keys.by = Some(CountBy::Host);
    });
    check(&by_host, &inputs());
}

/// A different occurrence of a class may be reported, but not different classes.
#[test]
fn deferred_keys_are_reported_once_in_an_unordered_run() {
    let distinct: String = (0..300)
        .map(|n| format!("http://a.example/{n}\n"))
        .collect();
    let config = changed(&RunConfig::default(), |config| {
        config.report.sequence = Some(Sequence::Unordered);
    });
    check(&config, &[distinct.into_bytes()]);
}

/// Records that are not merged with others, and headers, keep their places.
#[test]
fn tables_with_deferred_keys_keep_their_order() {
    let csv = |from: usize| {
        let row = |n: usize| match n % 4 {
            0 => "x,none\n".to_owned(),
            _ => format!("{n},http://a.example/{}\n", n * 5 % 17),
        };
        let rows: String = (from..from + 40).map(row).collect();
        format!("id,url\n{rows}").into_bytes()
    };
    for sequence in [Sequence::Seen, Sequence::Sorted] {
        let config = changed(&RunConfig::default(), |config| {
            config.search.layout = Some(Layout::Csv(crate::decode::CsvColumn::named("url")));
            config.report.sequence = Some(sequence);
            config.keys.originals = true;
        });
        check(&config, &[csv(0), csv(30)]);
    }
}

/// A set that fails at the first key, or when its deferred keys are settled.
struct Failing {
    asked: bool,
}

impl Membership for Failing {
    fn ask(&mut self, _: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        answers.fill(Answer::Deferred);
        match self.asked {
            true => Err(io::ErrorKind::StorageFull.into()),
            false => Ok(()),
        }
    }

    fn finish(self: Box<Self>) -> io::Result<Finished> {
        let mut finished = Finished::new(Set::new());
        finished.deferred = Some(self);
        Ok(finished)
    }
}

impl Deferred for Failing {
    fn settle(self: Box<Self>, _: LateReceiver<'_>) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }
}

#[test]
fn an_error_of_a_set_ends_the_run() {
    let sets: [fn(bool) -> Box<dyn Membership>; 2] = [
        |_| Box::new(Failing { asked: true }),
        |_| Box::new(Failing { asked: false }),
    ];
    for (sets, threads) in sets.into_iter().flat_map(|sets| [(sets, 1), (sets, 8)]) {
        for sequence in [Sequence::Seen, Sequence::Unordered] {
            let config = changed(&RunConfig::default(), |config| {
                config.memory.sets = Some(sets);
                config.reading.threads = threads;
                config.reading.block_size = 200;
                config.report.sequence = Some(sequence);
            });
            let mut reported = Transcript::default();
            let sources = [Source::Slice(b"http://a.example/")].into_iter();
            let error = run::run(&config, Box::new(sources), &mut reported).unwrap_err();
            assert_eq!(error.kind(), crate::engine::ErrorKind::TemporaryFile);
            assert_eq!(error.cause().kind(), io::ErrorKind::StorageFull);
            assert_eq!(reported.findings, [""; 0]);
        }
    }
}

/// Set while deferred keys are settled.
static CANCEL: LazyLock<Arc<AtomicBool>> = LazyLock::new(Arc::default);

/// Deferred keys, of which all but the first are settled after the run is cancelled.
struct Cancelling(Box<LateKeys>);

impl Deferred for Cancelling {
    fn settle(self: Box<Self>, new: LateReceiver<'_>) -> io::Result<()> {
        let mut reported = 0;
        self.0.settle(&mut |late| {
            reported += 1;
            CANCEL.store(reported > 1, Ordering::Relaxed);
            new(late)
        })
    }
}

impl Membership for Cancelling {
    fn ask(&mut self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        for (key, answer) in keys.iter().zip(answers) {
            *answer = Answer::Deferred;
            self.0.0.push(LateKey {
                number: keys.number(key),
                key: keys.bytes(key).to_vec(),
                count: u64::from(key.count),
                record: Vec::new(),
            });
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> io::Result<Finished> {
        let mut finished = Finished::new(Set::new());
        finished.deferred = Some(self);
        Ok(finished)
    }
}

#[test]
fn a_run_that_is_cancelled_at_the_end_reports_what_it_knows() {
    let text = b"http://a.example/ http://b.example/ http://c.example/";
    for (mode, reported) in [(Mode::Distinct, 2), (Mode::Count, 0), (Mode::Groups, 0)] {
        CANCEL.store(false, Ordering::Relaxed);
        let config = changed(&RunConfig::default(), |config| {
            config.keys.mode = mode;
            config.memory.sets = Some(|_| Box::new(Cancelling(Box::new(LateKeys(Vec::new())))));
            config.reading.cancel = vec![Arc::clone(&CANCEL)];
        });
        let mut report = Transcript::default();
        let stats = run::run(
            &config,
            Box::new([Source::Slice(text)].into_iter()),
            &mut report,
        )
        .unwrap();
        assert!(stats.unsettled);
        assert_eq!(report.findings.len(), reported, "{mode:?}");
        assert_eq!(report.inputs.len(), 1);
    }
}
