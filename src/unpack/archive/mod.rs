//! The records of a web archive: WARC 1.0 and 1.1 (ISO 28500), ARC 1 and 2. The
//! bytes of the archive are pushed in as they come, pieces of its records are
//! pulled out; HTTP messages without their transfer and content codings.
//!
//! A record is only believed when another one, or the end, follows it. One whose
//! length is wrong ends where the next one begins, and what cannot be read is
//! passed over up to there; the beginnings of members of a compressed archive
//! help to find it.

mod block;
mod coded;
mod envelope;
mod header;
mod http;
mod magic;
mod record;

pub use coded::{Coded, Decoding};
pub use record::Record;

use crate::item::{Damage, LossKind};
use block::Block;
use magic::WARC;
use std::collections::VecDeque;
use std::sync::Arc;

/// A longer header is none.
const HEADER_MAX: usize = 256 << 10;
/// As much of a header that is too long may be the beginning of a good one.
const HEADER_MIN: usize = 16 << 10;

/// Whether a file that begins with `head` is a web archive; so is a WARC whose
/// magic number has one wrong byte, when a field of a record follows.
///
/// ```
/// use urisieve::unpack::is_archive;
/// assert!(is_archive(b"WARC/1.1\r\n") && is_archive(b"filedesc://a.arc"));
/// assert!(is_archive(b"WBRC/1.1\r\nContent-Length: 0\r\n"));
/// assert!(!is_archive(b"WARC"));
/// ```
pub fn is_archive(head: &[u8]) -> bool {
    let is_damaged = || magic::damaged(head) == Some(true);
    head.starts_with(WARC) || head.starts_with(b"filedesc://") || is_damaged()
}

/// Whether `head` is too short to tell, but may become the beginning of a web
/// archive.
///
/// ```
/// use urisieve::unpack::may_become_archive;
/// assert!(may_become_archive(b"WAR") && !may_become_archive(b"WAX-"));
/// assert!(!may_become_archive(b"WARC/"));
/// ```
pub fn may_become_archive(head: &[u8]) -> bool {
    let begins = |magic: &[u8]| magic.len() > head.len() && magic.starts_with(head);
    begins(b"filedesc://") || magic::damaged(head).is_none()
}

/// What is looked for in a stretch of a record's block.
///
/// ```
/// assert_eq!(urisieve::unpack::Sought::default(), urisieve::unpack::Sought::Uris);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sought {
    /// Nothing: it belongs to a container.
    Nothing,
    /// URIs, wherever they are.
    #[default]
    Uris,
    /// It is a URI reference as a whole (RFC 3986 section 4.1); the URI of its
    /// record is its base.
    Reference,
}

/// What comes next of an archive.
///
/// ```
/// use urisieve::unpack::{Archive, Piece};
/// let mut archive = Archive::new(false);
/// assert!(matches!(archive.next(&mut Vec::new()), Piece::Hungry));
/// archive.end();
/// assert!(matches!(archive.next(&mut Vec::new()), Piece::End));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// A record begins.
    Record(Arc<Record>),
    /// So many bytes of its block, and what is looked for in them. Bytes that follow
    /// others with another answer are not joined to them.
    Text(usize, Sought),
    /// The rest of the block, coded as it is. Nothing that came before is joined to
    /// it.
    Coded(Coded),
    /// A stretch of the block ended: what follows is not joined to it.
    Break,
    /// Nothing before more was pushed.
    Hungry,
    /// There is nothing more.
    End,
}

/// Takes an archive apart.
///
/// ```
/// use urisieve::unpack::{Archive, Piece, Sought};
/// let mut archive = Archive::new(false);
/// archive.push(b"WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n");
/// archive.end();
/// let mut text = Vec::new();
/// let Piece::Record(record) = archive.next(&mut text) else { unreachable!() };
/// assert_eq!(record.kind, b"conversion");
/// assert_eq!(archive.next(&mut text), Piece::Text(2, Sought::Uris));
/// assert_eq!(text, b"hi");
/// assert_eq!(archive.next(&mut text), Piece::End);
/// ```
pub struct Archive {
    buffer: Vec<u8>,
    /// Where in `buffer` reading stands.
    at: usize,
    /// How many bytes were read in all.
    pos: u64,
    /// What lies at which place of what was pushed.
    marks: VecDeque<(u64, Mark)>,
    /// From which places on, up to the next gap, it may be wrong.
    doubts: VecDeque<u64>,
    /// The input is compressed: offsets are those of its members.
    compressed: bool,
    /// Where the last member begins, in the input.
    member: u64,
    place: Place,
    /// The version of ARC, when it is one.
    arc: Option<u8>,
    records: u64,
    leaves_coded: bool,
    losses: Vec<(u64, LossKind)>,
    ended: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    /// A member begins: its offset in the input.
    Member(u64),
    /// Something is missing.
    Gap,
}

enum Place {
    /// Before a record or the end.
    Between,
    /// In a record whose header was read.
    Record(Box<Block>),
    /// The next record is looked for.
    Lost(Lost),
}

/// A loss whose end is not known yet.
#[derive(Clone, Copy)]
struct Lost {
    offset: u64,
    cause: &'static str,
    kind: fn(Damage) -> LossKind,
}

impl Archive {
    /// An archive in an input that is compressed or not.
    ///
    /// ```
    /// use urisieve::unpack::{Archive, Piece};
    /// let mut archive = Archive::new(true);
    /// archive.member(77);
    /// archive.push(b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n");
    /// archive.end();
    /// let Piece::Record(record) = archive.next(&mut Vec::new()) else { unreachable!() };
    /// assert_eq!(record.offset, 77);
    /// ```
    pub fn new(compressed: bool) -> Archive {
        Archive {
            buffer: Vec::new(),
            at: 0,
            pos: 0,
            marks: VecDeque::new(),
            doubts: VecDeque::new(),
            compressed,
            member: 0,
            place: Place::Between,
            arc: None,
            records: 0,
            leaves_coded: false,
            losses: Vec::new(),
            ended: false,
        }
    }

    /// Content that is coded is given as it is, when it is here and not very long.
    ///
    /// ```
    /// urisieve::unpack::Archive::new(true).leave_coded();
    /// ```
    pub fn leave_coded(mut self) -> Archive {
        self.leaves_coded = true;
        self
    }

    /// More bytes of the archive.
    ///
    /// ```
    /// use urisieve::unpack::{Archive, Piece};
    /// let mut archive = Archive::new(false);
    /// archive.push(b"WARC/1.0\r\n");
    /// assert_eq!(archive.next(&mut Vec::new()), Piece::Hungry);
    /// ```
    pub fn push(&mut self, bytes: &[u8]) {
        if self.at > 0 && self.at >= self.buffer.len() / 2 {
            self.buffer.drain(..self.at);
            self.at = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// What is pushed from now on is of the member that begins at `offset` of the
    /// input.
    ///
    /// ```
    /// urisieve::unpack::Archive::new(true).member(1 << 40);
    /// ```
    pub fn member(&mut self, offset: u64) {
        let mark = (self.pushed(), Mark::Member(offset));
        match self.marks.back_mut() {
            // The member before was empty.
            Some(last @ (_, Mark::Member(_))) if last.0 == mark.0 => *last = mark,
            _ => self.marks.push_back(mark),
        }
    }

    /// Something is missing between what was pushed and what will be.
    ///
    /// ```
    /// use urisieve::unpack::{Archive, Piece};
    /// let mut archive = Archive::new(true);
    /// archive.push(b"WARC/1.0\r\nContent-Length: 9\r\n\r\ncut");
    /// archive.gap();
    /// archive.push(b"WARC/1.0\r\nContent-Length: 4\r\n\r\nnext\r\n\r\n");
    /// archive.end();
    /// let mut records = 0;
    /// loop {
    ///     match archive.next(&mut Vec::new()) {
    ///         Piece::Record(_) => records += 1,
    ///         Piece::End => break,
    ///         _ => {}
    ///     }
    /// }
    /// assert_eq!(records, 2);
    /// ```
    pub fn gap(&mut self) {
        self.marks.push_back((self.pushed(), Mark::Gap));
    }

    /// What is pushed from now on, up to the next gap, may be wrong.
    ///
    /// ```
    /// use urisieve::unpack::{Archive, Piece};
    /// let mut archive = Archive::new(true);
    /// archive.push(b"WARC/1.0\r\nContent-Length: 4\r\n\r\ngo");
    /// archive.doubt();
    /// archive.push(b"ne\r\n\r\n");
    /// archive.end();
    /// let mut text = Vec::new();
    /// assert!(matches!(archive.next(&mut text), Piece::Record(_)));
    /// assert!(matches!(archive.next(&mut text), Piece::Text(2, _)) && !archive.is_doubtful());
    /// assert!(matches!(archive.next(&mut text), Piece::Text(2, _)) && archive.is_doubtful());
    /// ```
    pub fn doubt(&mut self) {
        self.doubts.push_back(self.pushed());
    }

    /// Whether the last piece may be wrong, or what of its record came before it.
    ///
    /// ```
    /// assert!(!urisieve::unpack::Archive::new(true).is_doubtful());
    /// ```
    pub fn is_doubtful(&self) -> bool {
        self.doubts.front().is_some_and(|&from| from < self.pos)
    }

    /// How many bytes follow of which as much is known as of those here.
    fn until_doubt(&self) -> usize {
        let from = self.doubts.front().filter(|&&from| from > self.pos);
        from.map_or(usize::MAX, |from| (from - self.pos) as usize)
    }

    /// Nothing more will be pushed.
    ///
    /// ```
    /// use urisieve::item::LossKind;
    /// use urisieve::unpack::{Archive, Piece};
    /// let mut archive = Archive::new(false);
    /// archive.push(b"WARC/1.0\r\nContent-Length: 9\r\n\r\ncut");
    /// archive.end();
    /// while archive.next(&mut Vec::new()) != Piece::End {}
    /// assert!(matches!(archive.losses().next(), Some((0, LossKind::Truncated(_)))));
    /// ```
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// What was lost since it was last asked for, with its offset in the input.
    ///
    /// ```
    /// assert_eq!(urisieve::unpack::Archive::new(false).losses().count(), 0);
    /// ```
    pub fn losses(&mut self) -> impl Iterator<Item = (u64, LossKind)> + use<> {
        std::mem::take(&mut self.losses).into_iter()
    }

    /// The next piece; its text is appended to `text`.
    ///
    /// ```
    /// use urisieve::unpack::{Archive, Piece};
    /// let mut archive = Archive::new(false);
    /// archive.push(b"no record");
    /// archive.end();
    /// assert_eq!(archive.next(&mut Vec::new()), Piece::End);
    /// assert_eq!(archive.losses().count(), 1);
    /// ```
    pub fn next(&mut self, text: &mut Vec<u8>) -> Piece {
        loop {
            let piece = match std::mem::replace(&mut self.place, Place::Between) {
                Place::Between => self.between(),
                Place::Record(block) => self.block(block, text),
                Place::Lost(lost) => self.search(lost),
            };
            if let Some(piece) = piece {
                return piece;
            }
        }
    }

    /// How many bytes were pushed in all.
    fn pushed(&self) -> u64 {
        self.pos + (self.buffer.len() - self.at) as u64
    }

    fn rest(&self) -> &[u8] {
        &self.buffer[self.at..]
    }

    fn advance(&mut self, len: usize) {
        self.at += len;
        self.pos += len as u64;
    }

    /// Where reading stands, in the input.
    fn offset(&self) -> u64 {
        if self.compressed {
            self.member
        } else {
            self.pos
        }
    }

    /// Leaves the marks behind up to here behind.
    fn pass_marks(&mut self) {
        while let Some(&(at, mark)) = self.marks.front()
            && at <= self.pos
        {
            match mark {
                Mark::Member(offset) => self.member = offset,
                Mark::Gap => self.doubts.retain(|&from| from >= at),
            }
            self.marks.pop_front();
        }
    }

    /// The rest up to the next mark, and whether it is known to end there.
    fn up_to_mark(&self) -> (&[u8], bool) {
        let rest = self.rest();
        match self.marks.front() {
            Some(&(at, _)) => (&rest[..at.saturating_sub(self.pos) as usize], true),
            None => (rest, self.ended),
        }
    }

    fn between(&mut self) -> Option<Piece> {
        self.pass_marks();
        let (rest, whole) = self.up_to_mark();
        let blank = |b: &&u8| matches!(b, b'\r' | b'\n');
        let blanks = rest.iter().take_while(blank).count();
        if blanks > 0 {
            self.advance(blanks);
            return None;
        }
        if rest.is_empty() {
            return match (self.marks.is_empty(), self.ended) {
                (true, true) => Some(Piece::End),
                (true, false) => Some(Piece::Hungry),
                _ => None,
            };
        }
        let is_arc = self.arc.is_some() || rest.starts_with(b"filedesc://");
        let end = if is_arc {
            memchr::memchr(b'\n', rest).map(|at| at + 1)
        } else if rest.starts_with(WARC) || magic::damaged(rest) == Some(true) {
            header::end(rest)
        } else if !whole && (may_become_archive(rest) || WARC.starts_with(&rest[1..])) {
            return Some(Piece::Hungry);
        } else if rest[1..].starts_with(WARC) {
            // The last byte before the record is not the line break that it was.
            let lost = Lost {
                offset: self.offset(),
                cause: "no record begins here",
                kind: LossKind::Garbage,
            };
            self.advance(1);
            self.told(lost, Some(self.offset()));
            return None;
        } else {
            self.lose(self.offset(), "no record begins here", LossKind::Garbage);
            return None;
        };
        match end {
            Some(end) if end <= HEADER_MAX => self.begin(end, is_arc),
            None if !whole && rest.len() <= HEADER_MAX => Some(Piece::Hungry),
            None if self.marks.front().is_some_and(|mark| mark.1 == Mark::Gap) => {
                // That it is damaged was told.
                let len = rest.len();
                self.advance(len);
                None
            }
            _ => {
                let cause = "the header of a record does not end";
                let offset = self.offset();
                // No header that begins here ends here, either.
                let passed = rest.len().min(HEADER_MAX - HEADER_MIN);
                self.advance(passed);
                self.lose(offset, cause, LossKind::Damaged);
                None
            }
        }
    }

    /// A record begins whose header is so long.
    fn begin(&mut self, len: usize, is_arc: bool) -> Option<Piece> {
        let text = &self.rest()[..len];
        let is_mended = !is_arc && !text.starts_with(WARC);
        let parsed = match is_arc {
            true => match self.arc {
                Some(version) => header::arc(text, version),
                None => header::arc(text, 1).or_else(|| header::arc(text, 2)),
            },
            false => header::warc(text),
        };
        if is_arc {
            self.arc.get_or_insert(1);
        }
        let offset = self.offset();
        if is_mended && parsed.is_some() {
            let lost = Lost {
                offset,
                cause: "wrong magic number",
                kind: LossKind::Suspect,
            };
            self.told(lost, None);
        }
        self.advance(len);
        let Some(mut header) = parsed else {
            let cause = "this is no header of a record";
            self.lose(offset, cause, LossKind::Damaged);
            return None;
        };
        header.record.number = self.records;
        header.record.offset = offset;
        self.records += 1;
        self.place = Place::Record(Box::new(Block::new(header, offset)));
        None
    }

    fn lose(&mut self, offset: u64, cause: &'static str, kind: fn(Damage) -> LossKind) {
        self.place = Place::Lost(Lost {
            offset,
            cause,
            kind,
        });
    }

    fn told(&mut self, lost: Lost, resumes: Option<u64>) {
        let container = if self.arc.is_some() { "arc" } else { "warc" };
        let damage = Damage {
            container,
            cause: lost.cause,
            at: lost.offset,
            resumes: resumes.filter(|&resumes| resumes != lost.offset),
            text: None,
        };
        self.losses.push((lost.offset, (lost.kind)(damage)));
    }

    /// Where in `text` a record begins: one of WARC with `magic`.
    fn next_record(&self, text: &[u8], magic: &[u8]) -> Option<usize> {
        match self.arc {
            None => line_with(text, |line| line.starts_with(magic)),
            Some(version) => line_with(text, |line| header::arc(line, version).is_some()),
        }
    }

    /// Looks for the next record: at a mark, or at the start of a line.
    fn search(&mut self, lost: Lost) -> Option<Piece> {
        let (rest, whole) = self.up_to_mark();
        let found = self.next_record(rest, WARC);
        if let Some(found) = found {
            self.advance(found);
            self.pass_marks();
            let offset = self.offset();
            self.told(lost, Some(offset));
            return None;
        }
        // The last line may go on.
        let passed = match (whole, memchr::memrchr(b'\n', rest)) {
            (true, _) => rest.len(),
            (false, Some(at)) => at,
            (false, None) if rest.len() > HEADER_MAX => rest.len(),
            (false, None) => 0,
        };
        self.advance(passed);
        if !whole {
            self.place = Place::Lost(lost);
            return Some(Piece::Hungry);
        }
        if self.marks.is_empty() {
            self.told(lost, None);
            return Some(Piece::End);
        }
        self.pass_marks();
        let rest = self.rest();
        if rest.len() < WARC.len() && !self.ended && self.marks.is_empty() {
            self.place = Place::Lost(lost);
            return Some(Piece::Hungry);
        }
        let offset = self.offset();
        if self.arc.is_some() || rest.starts_with(WARC) {
            self.told(lost, Some(offset));
        } else {
            self.place = Place::Lost(lost);
        }
        None
    }
}

/// Where in `text` the first line is that `is` true of.
fn line_with(text: &[u8], is: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let mut from = 0;
    loop {
        let line = &text[from..];
        let end = memchr::memchr(b'\n', line);
        if end.is_some() && is(&line[..end.unwrap_or(line.len())]) {
            return Some(from);
        }
        from += end? + 1;
    }
}
