//! One record after the other, and the next one after damage.

use super::block::Block;
use super::header;
use super::lines::{ARC, WARC, may_start_record, next_record};
use crate::item::{Damage, LossKind};
use crate::syntax::fields;
use crate::unpack::container::feed::{Feed, Mark};
use crate::unpack::container::piece::{Container, Piece};

/// Longer headers are rejected.
const HEADER_MAX: usize = 256 << 10;
/// The number of bytes at the end of a rejected header in which a valid one may begin.
const HEADER_MIN: usize = 16 << 10;

/// Splits a web archive.
pub(in crate::unpack::container) struct WarcSplitter {
    place: Phase,
    /// The version of ARC; `None` in a WARC.
    arc: Option<u8>,
    /// The number of records that were read.
    records: u64,
}

enum Phase {
    /// Before a record or the end.
    Between,
    /// In a record whose header was read.
    Record(Box<Block>),
    /// The next record is being searched for.
    Lost(LostRecords),
}

/// A loss whose end is not known yet.
#[derive(Clone, Copy)]
struct LostRecords {
    offset: u64,
    cause: &'static str,
    kind: fn(Damage) -> LossKind,
}

impl Container for WarcSplitter {
    fn next(
        &mut self,
        feed: &mut Feed,
        out: &mut Vec<u8>,
        losses: &mut Vec<(u64, LossKind)>,
    ) -> Piece {
        loop {
            let piece = match std::mem::replace(&mut self.place, Phase::Between) {
                Phase::Between => self.between(feed, losses),
                Phase::Record(block) => Some(self.record(block, feed, out, losses)),
                Phase::Lost(lost) => self.search(lost, feed, losses),
            };
            if let Some(piece) = piece {
                return piece;
            }
        }
    }
}

impl WarcSplitter {
    pub(in crate::unpack::container) fn new() -> WarcSplitter {
        WarcSplitter {
            place: Phase::Between,
            arc: None,
            records: 0,
        }
    }

    fn record(
        &mut self,
        mut block: Box<Block>,
        feed: &mut Feed,
        out: &mut Vec<u8>,
        losses: &mut Vec<(u64, LossKind)>,
    ) -> Piece {
        let piece = block.next(&mut self.arc, feed, out);
        for (cause, kind) in block.losses() {
            let lost = LostRecords {
                offset: block.offset(),
                cause,
                kind,
            };
            self.lost(lost, None, losses);
        }
        if piece != Piece::RecordEnd {
            self.place = Phase::Record(block);
        }
        piece
    }

    fn between(&mut self, feed: &mut Feed, losses: &mut Vec<(u64, LossKind)>) -> Option<Piece> {
        feed.pass_marks();
        let (rest, whole) = feed.up_to_mark();
        let blank = |b: &&u8| matches!(b, b'\r' | b'\n');
        let blanks = rest.iter().take_while(blank).count();
        if blanks > 0 {
            feed.advance(blanks);
            return None;
        }
        if rest.is_empty() {
            return match (feed.mark(), feed.has_ended()) {
                (None, true) => Some(Piece::End),
                (None, false) => Some(Piece::Hungry),
                _ => None,
            };
        }
        let is_arc = self.arc.is_some() || rest.starts_with(ARC);
        let end = if is_arc {
            memchr::memchr(b'\n', rest).map(|at| at + 1)
        } else if rest.starts_with(WARC) {
            fields::end(rest)
        } else if !whole && (may_start_record(rest) || WARC.starts_with(&rest[1..])) {
            return Some(Piece::Hungry);
        } else if rest[1..].starts_with(WARC) {
            // The last byte before the record is not the line break that it should be.
            let lost = LostRecords {
                offset: feed.offset(),
                cause: "no record begins here",
                kind: LossKind::Garbage,
            };
            feed.advance(1);
            self.lost(lost, Some(feed.offset()), losses);
            return None;
        } else {
            self.lose(feed.offset(), "no record begins here", LossKind::Garbage);
            return None;
        };
        match end {
            Some(end) if end <= HEADER_MAX => self.begin(end, is_arc, feed),
            None if !whole && rest.len() <= HEADER_MAX => return Some(Piece::Hungry),
            None if feed.mark().is_some_and(|mark| mark.1 == Mark::Gap) => {
                // The damage was reported already.
                let len = rest.len();
                feed.advance(len);
            }
            _ => {
                let cause = "the header of a record is too long";
                let offset = feed.offset();
                // No header that begins in these bytes ends in the bytes read so far.
                let passed = rest.len().min(HEADER_MAX - HEADER_MIN);
                feed.advance(passed);
                self.lose(offset, cause, LossKind::Damaged);
            }
        }
        None
    }

    /// Begins a record whose header is `len` bytes long.
    fn begin(&mut self, len: usize, is_arc: bool, feed: &mut Feed) {
        let text = &feed.rest()[..len];
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
        let offset = feed.offset();
        feed.advance(len);
        let Some(header) = parsed else {
            let cause = "the header of a record is malformed";
            return self.lose(offset, cause, LossKind::Damaged);
        };
        let length = header.length;
        let part = header.into_part(self.records, offset);
        self.records += 1;
        self.place = Phase::Record(Box::new(Block::new(part, length)));
    }

    fn lose(&mut self, offset: u64, cause: &'static str, kind: fn(Damage) -> LossKind) {
        self.place = Phase::Lost(LostRecords {
            offset,
            cause,
            kind,
        });
    }

    fn lost(&self, lost: LostRecords, resumes: Option<u64>, losses: &mut Vec<(u64, LossKind)>) {
        let container = if self.arc.is_some() { "arc" } else { "warc" };
        let damage = Damage {
            resumes: resumes.filter(|&resumes| resumes != lost.offset),
            ..Damage::new(container, lost.cause, lost.offset)
        };
        losses.push((lost.offset, (lost.kind)(damage)));
    }

    /// Searches for the next record: at a mark, or at the start of a line.
    fn search(
        &mut self,
        lost: LostRecords,
        feed: &mut Feed,
        losses: &mut Vec<(u64, LossKind)>,
    ) -> Option<Piece> {
        let (rest, whole) = feed.up_to_mark();
        if let Some(found) = next_record(rest, self.arc, WARC) {
            feed.advance(found);
            feed.pass_marks();
            self.lost(lost, Some(feed.offset()), losses);
            return None;
        }
        // The last line may be incomplete.
        let passed = match (whole, memchr::memrchr(b'\n', rest)) {
            (true, _) => rest.len(),
            (false, Some(at)) => at,
            (false, None) if rest.len() > HEADER_MAX => rest.len(),
            (false, None) => 0,
        };
        feed.advance(passed);
        if !whole {
            self.place = Phase::Lost(lost);
            return Some(Piece::Hungry);
        }
        if feed.mark().is_none() {
            self.lost(lost, None, losses);
            return Some(Piece::End);
        }
        feed.pass_marks();
        let rest = feed.rest();
        if rest.len() < WARC.len() && !feed.has_ended() && feed.mark().is_none() {
            self.place = Phase::Lost(lost);
            return Some(Piece::Hungry);
        }
        if self.arc.is_some() || rest.starts_with(WARC) {
            self.lost(lost, Some(feed.offset()), losses);
        } else {
            self.place = Phase::Lost(lost);
        }
        None
    }
}
