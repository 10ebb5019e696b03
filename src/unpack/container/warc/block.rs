//! The block of a record, whose end follows from its length and must be confirmed by
//! the bytes after it.

use super::header::{self, RecordHeader};
use super::lines::{VERSION_1, WARC, line_with, may_start_record, next_record};
use crate::item::{Damage, LossKind, Part};
use crate::syntax::fields;
use crate::unpack::container::feed::{Feed, Mark};
use crate::unpack::container::piece::Piece;

/// Records up to this length are checked as a whole before they are accepted.
const HELD: usize = 4 << 20;
/// The greatest number of bytes of content that are returned at a time.
const PIECE: usize = 64 << 10;

/// The cause and the kind of a loss.
pub(super) type Wrong = (&'static str, fn(Damage) -> LossKind);

/// The block of a record.
pub(super) struct Block {
    /// The record, until it was returned.
    part: Option<Part>,
    /// The offset of the record in the input.
    offset: u64,
    /// The number of unread bytes.
    left: u64,
    /// Whether the header has a length.
    is_measured: bool,
    /// Whether the length was checked against the bytes after the block.
    checked: bool,
    /// The number of first bytes in which no record begins.
    passed: usize,
    /// The losses in the record.
    losses: Vec<Wrong>,
}

impl Block {
    /// Creates the block of `part`, which follows its header.
    pub(super) fn new(part: Part, length: Option<u64>) -> Block {
        Block {
            offset: part.offset,
            part: Some(part),
            left: length.unwrap_or(u64::MAX),
            is_measured: length.is_some(),
            checked: false,
            passed: 0,
            losses: Vec::new(),
        }
    }

    /// The offset of the record in the input.
    pub(super) fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the losses since the last call.
    pub(super) fn losses(&mut self) -> Vec<Wrong> {
        std::mem::take(&mut self.losses)
    }

    /// Returns the next piece of the record. `arc` is the version of ARC, which is in
    /// the block of the first record.
    pub(super) fn next(
        &mut self,
        arc: &mut Option<u8>,
        feed: &mut Feed,
        out: &mut Vec<u8>,
    ) -> Piece {
        if !self.checked && !self.check(*arc, feed) {
            return Piece::Hungry;
        }
        let (len, ended) = self.available(feed);
        if let Some(part) = &self.part {
            let is_first = part.context.warc.as_ref();
            if is_first.is_some_and(|record| record.kind == b"filedesc") {
                match feed.rest()[..len].first() {
                    None if !ended => return Piece::Hungry,
                    Some(b'2') => *arc = Some(2),
                    _ => {}
                }
            }
        }
        if let Some(part) = self.part.take() {
            return Piece::Record(Box::new(part));
        }
        let given = len.min(PIECE).min(feed.until_doubt());
        if given > 0 {
            out.extend_from_slice(&feed.rest()[..given]);
            feed.advance(given);
            self.left -= given as u64;
            return Piece::Content(given);
        }
        if !ended {
            return Piece::Hungry;
        }
        let cut = self.left > 0;
        match feed.mark() {
            None if cut => self.lose("the record is truncated", LossKind::Truncated),
            // The gap was reported already.
            Some((_, Mark::Gap)) => {}
            Some(_) if cut => self.lose("the record is shorter than its length", LossKind::Damaged),
            _ => {}
        }
        Piece::RecordEnd
    }

    fn lose(&mut self, cause: &'static str, kind: fn(Damage) -> LossKind) {
        self.losses.push((cause, kind));
    }

    /// Returns the number of available bytes of the block, and whether the block ends
    /// after them.
    fn available(&self, feed: &mut Feed) -> (usize, bool) {
        while let Some((there, mark)) = feed.mark() {
            if there as u64 >= self.left {
                break;
            }
            let after = &feed.rest()[there..];
            match mark {
                Mark::Gap => return (there, true),
                Mark::Member(_) if after.starts_with(WARC) && !feed.is_past_mark() => {
                    return (there, true);
                }
                Mark::Member(_) if WARC.starts_with(after) && !feed.has_ended() => {
                    return (there, false);
                }
                // The record continues in another member.
                Mark::Member(_) => feed.pass_mark(),
            }
        }
        let here = feed.rest().len();
        match usize::try_from(self.left) {
            Ok(left) if left <= here => (left, true),
            _ => (here, feed.has_ended()),
        }
    }

    /// Checks the length of the block against the bytes after it; returns false when
    /// these are not available yet.
    fn check(&mut self, arc: Option<u8>, feed: &mut Feed) -> bool {
        let (len, ended) = self.available(feed);
        if !self.is_measured {
            return self.measure(&feed.rest()[..len], ended, arc);
        }
        if len >= HELD {
            // Too long to be checked as a whole: accepted, unless another record begins
            // in its first bytes, whose number does not depend on the number of
            // available bytes.
            self.checked = true;
            let another = another_record(&feed.rest()[..HELD]);
            if let Some(shorter) = another.filter(|_| arc.is_none()) {
                self.shorten(shorter, "the record is shorter than its length");
            }
            return true;
        }
        if !ended {
            return false;
        }
        let cut = (len as u64) < self.left;
        if cut && feed.mark().is_some() {
            self.checked = true;
            return true;
        }
        let rest = feed.rest();
        let after = &rest[len..];
        let marked = feed.mark_from(len);
        let known = marked.is_some() || feed.has_ended();
        let after = match marked {
            Some((at, _)) => &after[..(at - len).min(after.len())],
            None => after,
        };
        let breaks = after.iter().take_while(|b| matches!(b, b'\r' | b'\n'));
        let breaks = breaks.count();
        let right = if cut {
            false
        } else if after.starts_with(b"\r\n\r\n") || arc.is_some() && breaks > 0 {
            true
        } else if breaks == after.len() {
            if !known {
                return false;
            }
            true
        } else {
            let next = &after[breaks..];
            if !known && next.len() < WARC.len() && may_start_record(next) {
                return false;
            }
            next.starts_with(WARC) || arc.is_some()
        };
        self.checked = true;
        let is_record = |line: &[u8]| line.starts_with(VERSION_1) && arc.is_none();
        if !right && let Some(shorter) = line_with(rest, is_record).filter(|&at| at < len) {
            self.shorten(shorter, "the record is shorter than its length");
        }
        true
    }

    /// Ends a block without a length where the next record begins; returns false when
    /// that is not in `rest` yet.
    fn measure(&mut self, rest: &[u8], ended: bool, arc: Option<u8>) -> bool {
        let len = rest.len();
        let rest = &rest[..len.min(HELD)];
        let next = next_record(&rest[self.passed..], arc, VERSION_1);
        let end = match next {
            Some(at) => self.passed + at,
            None if ended || len >= HELD => rest.len(),
            None => {
                // The last line may be incomplete.
                let lines = memchr::memrchr(b'\n', rest).map_or(0, |at| at + 1);
                self.passed = self.passed.max(lines);
                return false;
            }
        };
        self.checked = true;
        self.shorten(end, "the header of a record has no length");
        true
    }

    fn shorten(&mut self, left: usize, cause: &'static str) {
        self.left = left as u64;
        self.lose(cause, LossKind::Damaged);
    }
}

/// Returns the offset in `text` of another record whose header has a type and a length,
/// like every header (WARC/1.1 section 5).
fn another_record(text: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(text, b"\r\n\r\nWARC/1.").find_map(|at| {
        let start = at + 4;
        let end = fields::end(&text[start..])?;
        let RecordHeader { record, length, .. } = header::warc(&text[start..start + end])?;
        (length.is_some() && !record.kind.is_empty()).then_some(start)
    })
}
