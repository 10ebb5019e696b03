//! One record after the other, and the next one after damage.

use super::block::Block;
use super::header;
use super::lines::{ARC, WARC, may_start_record, next_record};
use crate::item::{Damage, LossKind};
use crate::syntax::fields;
use crate::unpack::container::feed::{Feed, Mark};
use crate::unpack::container::piece::{Container, Piece};

/// A longer header is none.
const HEADER_MAX: usize = 256 << 10;
/// As much of a header that is too long may be the beginning of a good one.
const HEADER_MIN: usize = 16 << 10;

/// Splits a web archive.
pub(in crate::unpack::container) struct Warc {
    place: Place,
    /// The version of ARC, when it is one.
    arc: Option<u8>,
    /// How many records were read.
    records: u64,
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

impl Container for Warc {
    fn next(
        &mut self,
        feed: &mut Feed,
        out: &mut Vec<u8>,
        losses: &mut Vec<(u64, LossKind)>,
    ) -> Piece {
        loop {
            let piece = match std::mem::replace(&mut self.place, Place::Between) {
                Place::Between => self.between(feed, losses),
                Place::Record(block) => Some(self.record(block, feed, out, losses)),
                Place::Lost(lost) => self.search(lost, feed, losses),
            };
            if let Some(piece) = piece {
                return piece;
            }
        }
    }
}

impl Warc {
    pub(in crate::unpack::container) fn new() -> Warc {
        Warc {
            place: Place::Between,
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
            let lost = Lost {
                offset: block.offset(),
                cause,
                kind,
            };
            self.lost(lost, None, losses);
        }
        if piece != Piece::RecordEnd {
            self.place = Place::Record(block);
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
            // The last byte before the record is not the line break that it was.
            let lost = Lost {
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
                // That it is damaged was reported.
                let len = rest.len();
                feed.advance(len);
            }
            _ => {
                let cause = "the header of a record does not end";
                let offset = feed.offset();
                // No header that begins here ends here, either.
                let passed = rest.len().min(HEADER_MAX - HEADER_MIN);
                feed.advance(passed);
                self.lose(offset, cause, LossKind::Damaged);
            }
        }
        None
    }

    /// A record begins whose header is so long.
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
            let cause = "this is no header of a record";
            return self.lose(offset, cause, LossKind::Damaged);
        };
        let length = header.length;
        let part = header.into_part(self.records, offset);
        self.records += 1;
        self.place = Place::Record(Box::new(Block::new(part, length)));
    }

    fn lose(&mut self, offset: u64, cause: &'static str, kind: fn(Damage) -> LossKind) {
        self.place = Place::Lost(Lost {
            offset,
            cause,
            kind,
        });
    }

    fn lost(&self, lost: Lost, resumes: Option<u64>, losses: &mut Vec<(u64, LossKind)>) {
        let container = if self.arc.is_some() { "arc" } else { "warc" };
        let damage = Damage {
            container,
            cause: lost.cause,
            at: lost.offset,
            resumes: resumes.filter(|&resumes| resumes != lost.offset),
            text: None,
        };
        losses.push((lost.offset, (lost.kind)(damage)));
    }

    /// Looks for the next record: at a mark, or at the start of a line.
    fn search(
        &mut self,
        lost: Lost,
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
        // The last line may go on.
        let passed = match (whole, memchr::memrchr(b'\n', rest)) {
            (true, _) => rest.len(),
            (false, Some(at)) => at,
            (false, None) if rest.len() > HEADER_MAX => rest.len(),
            (false, None) => 0,
        };
        feed.advance(passed);
        if !whole {
            self.place = Place::Lost(lost);
            return Some(Piece::Hungry);
        }
        if feed.mark().is_none() {
            self.lost(lost, None, losses);
            return Some(Piece::End);
        }
        feed.pass_marks();
        let rest = feed.rest();
        if rest.len() < WARC.len() && !feed.has_ended() && feed.mark().is_none() {
            self.place = Place::Lost(lost);
            return Some(Piece::Hungry);
        }
        if self.arc.is_some() || rest.starts_with(WARC) {
            self.lost(lost, Some(feed.offset()), losses);
        } else {
            self.place = Place::Lost(lost);
        }
        None
    }
}
