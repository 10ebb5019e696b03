//! A sink ends a run at any finding: it was given exactly those before, nothing is
//! asked of it afterwards, and nobody waits.

use crate::thorough;
use std::io;
use std::ops::ControlFlow;
use urisieve::input::Source;
use urisieve::item::{Finding, Loss, Spelling};
use urisieve::{Error, ErrorKind, Findings, Mode, ReadAs, Sequence, Sieve, Sink, Stats};

/// What a sink answers when it wants nothing more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Answer {
    Break,
    Fail,
}

/// Takes so many findings, and fails the test when it is called after its last answer.
struct Few {
    left: usize,
    answer: Answer,
    ended: bool,
    found: Vec<(usize, u64, Vec<u8>)>,
}

impl Few {
    fn new(left: usize, answer: Answer) -> Few {
        Few {
            left,
            answer,
            ended: false,
            found: Vec::new(),
        }
    }

    fn is_called(&self) {
        assert!(!self.ended, "called after the run was ended");
    }
}

impl Sink for Few {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        self.is_called();
        let uri = finding.uri.to_vec();
        self.found.push((finding.input, finding.offset, uri));
        if self.found.len() < self.left {
            return Ok(ControlFlow::Continue(()));
        }
        self.ended = true;
        match self.answer {
            Answer::Break => Ok(ControlFlow::Break(())),
            Answer::Fail => Err(io::ErrorKind::StorageFull.into()),
        }
    }

    fn group(&mut self, class: &Finding, spellings: &[Spelling]) -> io::Result<ControlFlow<()>> {
        assert!(!spellings.is_empty());
        self.finding(class)
    }

    fn input(&mut self, _: usize, _: ReadAs, _: &Stats) {
        self.is_called();
    }

    fn loss(&mut self, _: &Loss) {
        self.is_called();
    }

    fn error(&mut self, _: Error) {
        self.is_called();
    }

    fn inputs_ended(&mut self) -> io::Result<ControlFlow<()>> {
        self.is_called();
        Ok(ControlFlow::Continue(()))
    }

    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        self.is_called();
        Ok(ControlFlow::Continue(()))
    }
}

const TEXTS: [&[u8]; 3] = [
    b"http://a.example/ HTTP://a.example/ <urn:a-b:c>\nhttp://b.example/1\n",
    b"http://a.example/ http://b.example/2 http://b.example/1\n",
    b"http://c.example/ ftp://d.example/\n",
];

/// The texts as slices, as readers, and after an input that cannot be opened.
fn sources(way: usize) -> Vec<Source<'static>> {
    let mut sources: Vec<Source> = match way {
        0 => TEXTS.map(Source::Slice).into(),
        _ => TEXTS.map(|text| Source::Reader(Box::new(text))).into(),
    };
    sources.insert(2, Source::Path("no/such/file".into()));
    sources
}

#[test]
fn exactly_as_many_findings_as_are_wanted() {
    for mode in [Mode::Distinct, Mode::All, Mode::Count, Mode::Groups] {
        for sequence in [Sequence::Seen, Sequence::Sorted, Sequence::Unordered] {
            for threads in [1, 2, 8] {
                let ways = [(0, 1), (0, 20), (0, 1 << 20), (1, 20), (1, 1 << 20)];
                for (way, block) in thorough::part(ways, 2, threads / 2) {
                    let sieve = Sieve::builder()
                        .mode(mode)
                        .sequence(sequence)
                        .threads(threads)
                        .block_size(block)
                        .build();
                    ends_anywhere(&sieve, way, sequence);
                }
            }
        }
    }
}

fn ends_anywhere(sieve: &Sieve, way: usize, sequence: Sequence) {
    let mut all = Few::new(usize::MAX, Answer::Break);
    let stats = sieve.run(sources(way), &mut all).unwrap();
    assert!(!stats.stopped);
    for wanted in 1..=all.found.len() {
        for answer in [Answer::Break, Answer::Fail] {
            let mut few = Few::new(wanted, answer);
            let result = sieve.run(sources(way), &mut few);
            assert_eq!(few.found.len(), wanted);
            if sequence != Sequence::Unordered {
                assert_eq!(few.found, all.found[..wanted]);
            }
            match (answer, result) {
                (Answer::Break, Ok(stats)) => {
                    assert!(stats.stopped);
                    assert!(stats.occurrences >= wanted as u64);
                }
                (Answer::Fail, Err(error)) => {
                    assert_eq!(error.kind(), ErrorKind::Write);
                    assert_eq!(error.cause().kind(), io::ErrorKind::StorageFull);
                }
                (answer, result) => panic!("{answer:?}: {result:?}"),
            }
        }
    }
}

/// How a sink takes the findings of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    One,
    Iterator,
    Uri,
    /// Only the first one; the others are skipped.
    First,
}

/// Takes findings in one of these ways, and so many at most.
struct Blocks {
    by: By,
    left: usize,
    /// Whether a finding came beside those of a block.
    has_others: bool,
    found: Vec<Vec<u8>>,
}

impl Blocks {
    fn add(&mut self, uri: &[u8]) -> ControlFlow<()> {
        assert!(self.left > 0, "called after the run was ended");
        self.found.push(uri.to_vec());
        self.left -= 1;
        match self.left {
            0 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

impl Sink for Blocks {
    fn finding(&mut self, finding: &Finding) -> io::Result<ControlFlow<()>> {
        self.has_others = true;
        Ok(self.add(finding.uri))
    }

    fn findings(&mut self, findings: &mut Findings) -> io::Result<ControlFlow<()>> {
        match self.by {
            By::One => return findings.each(|finding| Ok(self.add(finding.uri))),
            By::First => {
                return Ok(findings
                    .next_uri()
                    .map_or(ControlFlow::Continue(()), |uri| self.add(uri)));
            }
            By::Iterator => {
                for finding in findings {
                    if self.add(finding.uri).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
            By::Uri => {
                while let Some(uri) = findings.next_uri() {
                    if self.add(uri).is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
            }
        }
        Ok(ControlFlow::Continue(()))
    }
}

#[test]
fn a_block_gives_what_its_findings_give() {
    for mode in [Mode::Distinct, Mode::All, Mode::Count] {
        for sequence in [Sequence::Seen, Sequence::Sorted] {
            for (threads, block) in [(1, 20), (1, 1 << 20), (2, 20), (8, 1)] {
                let sieve = Sieve::builder().mode(mode).sequence(sequence);
                let sieve = sieve.threads(threads).block_size(block).build();
                let mut all = Few::new(usize::MAX, Answer::Break);
                let whole = sieve.run(sources(0), &mut all).unwrap();
                let uris: Vec<Vec<u8>> = all.found.into_iter().map(|found| found.2).collect();
                for by in [By::One, By::Iterator, By::Uri] {
                    for left in (1..=uris.len()).chain([usize::MAX]) {
                        let mut blocks = Blocks {
                            by,
                            left,
                            has_others: false,
                            found: Vec::new(),
                        };
                        let stats = sieve.run(sources(0), &mut blocks).unwrap();
                        assert_eq!(blocks.found, uris[..left.min(uris.len())]);
                        let at_end = mode == Mode::Count || sequence == Sequence::Sorted;
                        assert_eq!(blocks.has_others, at_end);
                        match left {
                            usize::MAX => assert_eq!(stats, whole),
                            left if !at_end => assert_eq!(stats.distinct, left as u64),
                            _ => assert!(stats.stopped),
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn findings_that_are_skipped_are_counted() {
    for mode in [Mode::Distinct, Mode::All] {
        for threads in [1, 2, 8] {
            let sieve = Sieve::builder().mode(mode).threads(threads).build();
            let mut blocks = Blocks {
                by: By::First,
                left: usize::MAX,
                has_others: false,
                found: Vec::new(),
            };
            let stats = sieve.run(sources(0), &mut blocks).unwrap();
            let mut all = Few::new(usize::MAX, Answer::Break);
            assert_eq!(stats, sieve.run(sources(0), &mut all).unwrap());
            assert!(!blocks.has_others);
            assert!(blocks.found.len() < all.found.len());
        }
    }
}

#[test]
fn what_was_reported_is_counted() {
    for threads in [1, 2, 8] {
        for wanted in 1..4 {
            let sieve = Sieve::builder().threads(threads).block_size(1).build();
            let mut few = Few::new(wanted, Answer::Break);
            let stats = sieve.run(sources(0), &mut few).unwrap();
            assert_eq!(stats.distinct, wanted as u64);
        }
    }
}

/// Ends a run when all inputs were read, or at the first flush.
struct Early(bool);

impl Sink for Early {
    fn finding(&mut self, _: &Finding) -> io::Result<ControlFlow<()>> {
        panic!("nothing is wanted any more");
    }

    fn inputs_ended(&mut self) -> io::Result<ControlFlow<()>> {
        match self.0 {
            true => Ok(ControlFlow::Break(())),
            false => panic!("it ended already"),
        }
    }

    fn flush(&mut self) -> io::Result<ControlFlow<()>> {
        match self.0 {
            true => panic!("it ended already"),
            false => Ok(ControlFlow::Break(())),
        }
    }
}

#[test]
fn a_run_ends_before_what_is_reported_last() {
    for threads in [1, 2, 8] {
        for (mode, sequence) in [
            (Mode::Count, Sequence::Seen),
            (Mode::Groups, Sequence::Seen),
            (Mode::Distinct, Sequence::Sorted),
        ] {
            let sieve = Sieve::builder().mode(mode).sequence(sequence);
            let sieve = sieve.threads(threads).build();
            let stats = sieve.run(TEXTS.map(Source::Slice), &mut Early(true));
            assert!(stats.unwrap().stopped);
        }
    }
}

#[test]
fn closures_end_a_run_too() {
    let sieve = Sieve::builder().build();
    let mut found = Vec::new();
    let stats = sieve.for_each(TEXTS[0], |finding| {
        found.push(finding.uri.to_vec());
        match found.len() {
            2 => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    });
    assert!(stats.unwrap().stopped);
    assert_eq!(found, [&b"http://a.example/"[..], b"urn:a-b:c"]);
    let mut inputs = Vec::new();
    let stats = sieve.for_each_in(sources(0), |finding| inputs.push(finding.input));
    assert!(!stats.unwrap().stopped);
    assert_eq!(inputs, [0, 0, 0, 1, 3, 3]);
}

/// Inputs without end: those after the last finding are not even opened.
#[test]
fn inputs_without_end_are_left() {
    for threads in [1, 2, 8] {
        let sieve = Sieve::builder().mode(Mode::All).threads(threads).build();
        let sources = std::iter::repeat_with(|| Source::Slice(TEXTS[0]));
        let mut few = Few::new(10, Answer::Break);
        assert!(sieve.run(sources, &mut few).unwrap().stopped);
        assert_eq!(few.found.len(), 10);
    }
}

/// A pipe whose writer pauses holds nobody: the writer goes on only after the run.
#[cfg(unix)]
#[test]
fn an_idle_pipe_is_not_waited_for() {
    use std::io::Write;
    use std::sync::mpsc;
    use std::time::Duration;
    let folder = tempfile::tempdir().unwrap();
    for threads in [1, 2, 8] {
        let path = folder.path().join(threads.to_string());
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let (ended, has_ended) = mpsc::channel();
        let written = path.clone();
        let writer = std::thread::spawn(move || {
            let mut pipe = std::fs::File::options().write(true).open(written).unwrap();
            pipe.write_all(TEXTS[0]).unwrap();
            let answer = has_ended.recv_timeout(Duration::from_secs(60));
            answer.expect("the run waits for the pipe");
        });
        let sieve = Sieve::builder().threads(threads).build();
        let mut few = Few::new(1, Answer::Break);
        let stats = sieve.run([Source::Path(path)], &mut few).unwrap();
        ended.send(()).unwrap();
        writer.join().unwrap();
        assert!(stats.stopped);
    }
}

/// An input that cannot be read is counted, and its error has its name.
#[test]
fn inputs_that_fail_are_counted_and_named() {
    #[derive(Default)]
    struct Failures(Vec<(String, Option<std::path::PathBuf>)>, Vec<u64>);
    impl Sink for Failures {
        fn finding(&mut self, _: &Finding<'_>) -> io::Result<ControlFlow<()>> {
            Ok(ControlFlow::Continue(()))
        }
        fn error(&mut self, error: Error) {
            self.0
                .push((error.to_string(), error.path().map(Into::into)));
        }
        fn input(&mut self, _: usize, _: ReadAs, stats: &Stats) {
            self.1.push(stats.failed_inputs);
        }
    }
    let dir = tempfile::tempdir().unwrap();
    let missing = dir.path().join("nofile");
    for threads in [1, 2] {
        let sources = || {
            [
                Source::Path(missing.clone()),
                Source::Slice(TEXTS[0]),
                Source::Path(dir.path().into()),
                Source::Failed(io::ErrorKind::NotFound.into()),
            ]
        };
        let sieve = Sieve::builder().threads(threads).build();
        let stats = sieve.for_each_in(sources(), |_| {}).unwrap();
        assert_eq!(stats.failed_inputs, 3);
        let mut failures = Failures::default();
        let stats = sieve.run(sources(), &mut failures).unwrap();
        assert_eq!((stats.failed_inputs, &failures.1[..]), (3, &[0][..]));
        let paths: Vec<_> = failures
            .0
            .iter()
            .map(|failure| failure.1.as_deref())
            .collect();
        assert_eq!(paths, [Some(&*missing), Some(dir.path()), None]);
        let start = format!("input 0 ({}): cannot be opened: ", missing.display());
        assert!(failures.0[0].0.starts_with(&start), "{:?}", failures.0);
        assert!(failures.0[2].0.starts_with("input 3: cannot be opened: "));
    }
}
