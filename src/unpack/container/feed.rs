//! The bytes of a container on their way to its splitter: the unread ones, the members
//! of a compression around them, gaps, and the offsets from which bytes may be wrong.

use crate::unpack::ahead::Decoded;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Bytes of a container, read from the front.
#[derive(Debug)]
pub(crate) struct Feed {
    /// The unread bytes where they were decoded, in place of those of `buffer`.
    shared: Option<(Arc<Decoded>, Range<usize>)>,
    buffer: Vec<u8>,
    /// The current offset in `buffer`.
    at: usize,
    /// The number of bytes that were read in all.
    pos: u64,
    /// The marks, each with its offset in the bytes that were pushed.
    marks: VecDeque<(u64, Mark)>,
    /// The offsets from which, up to the next gap, bytes may be wrong.
    doubts: VecDeque<u64>,
    /// Whether the input is compressed. If so, offsets are those of its members.
    compressed: bool,
    /// The offset of the last member in the input.
    member: u64,
    ended: bool,
}

/// The gap between two bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// A member of a compression begins: its offset in the input.
    Member(u64),
    /// Bytes are missing.
    Gap,
}

impl Feed {
    /// The bytes of an input that is compressed or not.
    pub(crate) fn new(compressed: bool) -> Feed {
        Feed {
            shared: None,
            buffer: Vec::new(),
            at: 0,
            pos: 0,
            marks: VecDeque::new(),
            doubts: VecDeque::new(),
            compressed,
            member: 0,
            ended: false,
        }
    }

    /// More bytes: a range of a decoded text, which is not copied if all bytes before it were
    /// read. Returns false if they were not.
    pub(crate) fn share(&mut self, decoded: &Arc<Decoded>, range: Range<usize>) -> bool {
        let is_next = self.rest().is_empty();
        if is_next {
            self.buffer.clear();
            self.at = 0;
            self.shared = (!range.is_empty()).then(|| (Arc::clone(decoded), range));
        }
        is_next
    }

    /// More bytes.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if let Some((decoded, range)) = self.shared.take() {
            self.buffer.extend_from_slice(&decoded.text[range]);
        }
        if self.at > 0 && self.at >= self.buffer.len() / 2 {
            self.buffer.drain(..self.at);
            self.at = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Assigns the bytes that are pushed from now on to the member that begins at
    /// `offset` of the input.
    pub(crate) fn member(&mut self, offset: u64) {
        let mark = (self.pushed(), Mark::Member(offset));
        match self.marks.back_mut() {
            // The member before was empty.
            Some(last @ (_, Mark::Member(_))) if last.0 == mark.0 => *last = mark,
            _ => self.marks.push_back(mark),
        }
    }

    /// Marks a gap: bytes are missing between those pushed so far and the next ones.
    /// Several gaps at one place, as in an input that is all damage, count as one.
    pub(crate) fn gap(&mut self) {
        let here = self.pushed();
        let mut last = self.marks.iter().rev().take_while(|mark| mark.0 == here);
        if !last.any(|mark| mark.1 == Mark::Gap) {
            self.marks.push_back((here, Mark::Gap));
        }
    }

    /// The bytes that are pushed from now on, up to the next gap, may be wrong.
    pub(crate) fn doubt(&mut self) {
        let here = self.pushed();
        if self.doubts.back() != Some(&here) {
            self.doubts.push_back(here);
        }
    }

    /// Marks the end: no more bytes will be pushed.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    /// Whether no more bytes will be pushed.
    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    /// The bytes that were pushed but not read.
    pub(crate) fn rest(&self) -> &[u8] {
        match &self.shared {
            Some((decoded, range)) => &decoded.text[range.clone()],
            None => &self.buffer[self.at..],
        }
    }

    /// Advances by `len` bytes that were read.
    pub(crate) fn advance(&mut self, len: usize) {
        match &mut self.shared {
            Some((_, range)) => range.start += len,
            None => self.at += len,
        }
        // Memory that nobody reads is used again.
        self.shared.take_if(|shared| shared.1.is_empty());
        self.pos += len as u64;
    }

    /// The number of bytes that were read in all.
    pub(crate) fn position(&self) -> u64 {
        self.pos
    }

    /// The offset of reading in the stored input; in a compressed input the offset of
    /// the member.
    pub(crate) fn offset(&self) -> u64 {
        match self.compressed {
            true => self.member,
            false => self.pos,
        }
    }

    /// Whether the bytes that were read last, or bytes before them since the last gap,
    /// may be wrong.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.doubts.front().is_some_and(|&from| from < self.pos)
    }

    /// The number of bytes that follow and are as reliable as the next one.
    pub(crate) fn until_doubt(&self) -> usize {
        let from = self.doubts.front().filter(|&&from| from > self.pos);
        from.map_or(usize::MAX, |from| (from - self.pos) as usize)
    }

    /// Returns the next mark: the number of bytes before it (0 when it was skipped), and
    /// its kind.
    pub(crate) fn mark(&self) -> Option<(usize, Mark)> {
        self.mark_from(0)
    }

    /// Whether reading went past the next mark.
    pub(crate) fn is_past_mark(&self) -> bool {
        self.marks.front().is_some_and(|mark| mark.0 < self.pos)
    }

    /// The first mark that has at least `len` bytes before it.
    pub(crate) fn mark_from(&self, len: usize) -> Option<(usize, Mark)> {
        let left = |&(at, mark): &(u64, Mark)| (at.saturating_sub(self.pos) as usize, mark);
        self.marks.iter().map(left).find(|mark| mark.0 >= len)
    }

    /// The next mark was passed.
    pub(crate) fn pass_mark(&mut self) {
        match self.marks.pop_front() {
            Some((_, Mark::Member(offset))) => self.member = offset,
            Some((at, Mark::Gap)) => self.doubts.retain(|&from| from >= at),
            None => {}
        }
    }

    /// The marks up to here were passed.
    pub(crate) fn pass_marks(&mut self) {
        while self.marks.front().is_some_and(|mark| mark.0 <= self.pos) {
            self.pass_mark();
        }
    }

    /// The unread bytes up to the next mark, and whether they are known to end there.
    pub(crate) fn up_to_mark(&self) -> (&[u8], bool) {
        let rest = self.rest();
        match self.mark() {
            Some((len, _)) => (&rest[..len], true),
            None => (rest, self.ended),
        }
    }

    /// The unread bytes up to the next gap, and whether they are known to end there.
    pub(crate) fn up_to_gap(&self) -> (&[u8], bool) {
        let rest = self.rest();
        match self.marks.iter().find(|mark| mark.1 == Mark::Gap) {
            Some((at, _)) => (&rest[..at.saturating_sub(self.pos) as usize], true),
            None => (rest, self.ended),
        }
    }

    /// Whether a gap follows the unread bytes, as far as their end is known.
    pub(crate) fn is_before_gap(&self) -> bool {
        self.marks.iter().any(|mark| mark.1 == Mark::Gap)
    }

    /// The members up to here, and up to the next gap, were passed.
    pub(crate) fn pass_members(&mut self) {
        while let Some((0, Mark::Member(_))) = self.mark() {
            self.pass_mark();
        }
    }

    /// The number of bytes that were pushed in all.
    fn pushed(&self) -> u64 {
        self.pos + self.rest().len() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether bytes are shared or copied, they are read in their order and counted alike.
    #[test]
    fn shared_bytes_are_read_like_pushed_ones() {
        let decoded = Arc::new(Decoded::of(b"abcdefgh"));
        let mut feed = Feed::new(true);
        assert!(feed.share(&decoded, 0..0) && feed.rest().is_empty());
        assert!(feed.share(&decoded, 0..4));
        assert_eq!((feed.rest(), feed.pushed()), (&b"abcd"[..], 4));
        feed.advance(1);
        assert!(!feed.share(&decoded, 4..8));
        feed.push(b"xy");
        assert_eq!((feed.rest(), feed.pushed()), (&b"bcdxy"[..], 6));
        assert_eq!(Arc::strong_count(&decoded), 1);
        feed.advance(5);
        assert!(feed.share(&decoded, 4..8));
        assert_eq!((feed.rest(), feed.position()), (&b"efgh"[..], 6));
        feed.advance(4);
        // The memory is used again.
        assert_eq!(Arc::strong_count(&decoded), 1);
        feed.push(b"z");
        assert_eq!((feed.rest(), feed.pushed()), (&b"z"[..], 11));
    }
}
