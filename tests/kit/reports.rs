//! What is reported of one input, and that it is the same in every way of reading it.

use crate::dribble::Dribble;
use crate::ways;
use std::ops::ControlFlow;
use urisieve::input::Source;
use urisieve::item::{Finding, Loss, LossKind, Problem};
use urisieve::{Error, Sink, Stats};

#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The offset of the record of a web archive.
    pub record: Option<u64>,
    /// The name of the member of a tar archive.
    pub member: Option<String>,
    pub offset: u64,
    pub uri: String,
    /// Whether it may be wrong.
    pub suspect: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    pub found: Vec<Found>,
    pub losses: Vec<(u64, LossKind)>,
}

impl Report {
    pub fn uris(&self) -> Vec<&str> {
        self.found.iter().map(|found| &found.uri[..]).collect()
    }

    /// The codes of the losses.
    pub fn codes(&self) -> Vec<&str> {
        self.losses.iter().map(|(_, kind)| kind.code()).collect()
    }
}

impl Sink for Report {
    fn finding(&mut self, finding: &Finding) -> std::io::Result<ControlFlow<()>> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        self.found.push(Found {
            record: finding.context.warc.map(|warc| warc.offset),
            member: finding.context.member.map(text),
            offset: finding.offset,
            uri: text(finding.uri),
            suspect: finding.marks.problems.has(Problem::Suspect),
        });
        Ok(ControlFlow::Continue(()))
    }

    fn loss(&mut self, loss: &Loss) {
        self.losses.push((loss.offset, loss.kind));
    }

    fn error(&mut self, error: Error) {
        panic!("{error}");
    }
}

pub fn read(source: Source, block: usize, threads: usize) -> (Report, Stats) {
    ways::run(source, block, threads)
}

pub fn reported(bytes: &[u8]) -> Report {
    read(Source::Slice(bytes), 1 << 16, 1).0
}

/// Asserts that both reports are equal; the first difference is printed, not all of them.
pub fn check(got: &(Report, Stats), wanted: &(Report, Stats), how: &str) {
    assert_eq!(got.0.losses, wanted.0.losses, "{how}");
    for (got, wanted) in got.0.found.iter().zip(&wanted.0.found) {
        assert_eq!(got, wanted, "{how}");
    }
    assert_eq!(got.0.found.len(), wanted.0.found.len(), "{how}");
    assert_eq!(got.1, wanted.1, "{how}");
}

/// Returns the report of `bytes`, which is the same in every way of reading them.
pub fn reported_alike(bytes: &[u8]) -> Report {
    let wanted = read(Source::Slice(bytes), 1 << 16, 1);
    for (block, threads) in [(1, 1), (777, 2), (1 << 20, 1), (500, 2), (1 << 16, 8)] {
        let got = read(Source::Slice(bytes), block, threads);
        check(
            &got,
            &wanted,
            &format!("blocks of {block}, {threads} threads"),
        );
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    for threads in [1, 2] {
        let got = read(Source::Path(file.path().into()), 5000, threads);
        check(&got, &wanted, &format!("file, {threads} threads"));
    }
    for (piece, threads) in [(1, 1), (511, 1), (1013, 2)] {
        let source = Source::Reader(Box::new(Dribble(bytes, piece)));
        let got = read(source, 4096, threads);
        check(
            &got,
            &wanted,
            &format!("pieces of {piece}, {threads} threads"),
        );
    }
    wanted.0
}
