//! The bytes of a container on their way to its splitter: those that were pushed but
//! not read, the members of a compression around them, gaps, and the offsets from which
//! they may be wrong.

use std::collections::VecDeque;

/// Bytes of a container, read from the front.
///
/// ```
/// use urisieve::unpack::Feed;
/// let mut feed = Feed::new(false);
/// feed.push(b"abc");
/// feed.advance(1);
/// assert_eq!((feed.rest(), feed.offset()), (&b"bc"[..], 1));
/// ```
#[derive(Debug)]
pub struct Feed {
    buffer: Vec<u8>,
    /// The current offset in `buffer`.
    at: usize,
    /// The number of bytes that were read in all.
    pos: u64,
    /// The marks, each with its offset in the bytes that were pushed.
    marks: VecDeque<(u64, Mark)>,
    /// The offsets from which, up to the next gap, bytes may be wrong.
    doubts: VecDeque<u64>,
    /// Whether the input is compressed: then offsets are those of its members.
    compressed: bool,
    /// The offset of the last member in the input.
    member: u64,
    ended: bool,
}

/// A mark between two bytes.
///
/// ```
/// use urisieve::unpack::{Feed, Mark};
/// let mut feed = Feed::new(true);
/// feed.gap();
/// assert_eq!(feed.mark(), Some((0, Mark::Gap)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A member of a compression begins, at this offset of the input.
    Member(u64),
    /// Bytes are missing.
    Gap,
}

impl Feed {
    /// Creates a feed for an input that is compressed or not.
    ///
    /// ```
    /// assert!(urisieve::unpack::Feed::new(true).rest().is_empty());
    /// ```
    pub fn new(compressed: bool) -> Feed {
        Feed {
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

    /// Appends bytes.
    ///
    /// ```
    /// let mut feed = urisieve::unpack::Feed::new(false);
    /// feed.push(b"a");
    /// feed.push(b"b");
    /// assert_eq!(feed.rest(), b"ab");
    /// ```
    pub fn push(&mut self, bytes: &[u8]) {
        if self.at > 0 && self.at >= self.buffer.len() / 2 {
            self.buffer.drain(..self.at);
            self.at = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Marks that bytes from now on belong to the member at `offset` of the input.
    ///
    /// ```
    /// let mut feed = urisieve::unpack::Feed::new(true);
    /// feed.member(77);
    /// feed.pass_marks();
    /// assert_eq!(feed.offset(), 77);
    /// ```
    pub fn member(&mut self, offset: u64) {
        let mark = (self.pushed(), Mark::Member(offset));
        match self.marks.back_mut() {
            // The member before was empty.
            Some(last @ (_, Mark::Member(_))) if last.0 == mark.0 => *last = mark,
            _ => self.marks.push_back(mark),
        }
    }

    /// Marks that bytes are missing between those pushed before and after.
    ///
    /// ```
    /// let mut feed = urisieve::unpack::Feed::new(true);
    /// feed.push(b"cut");
    /// feed.gap();
    /// feed.push(b"next");
    /// assert_eq!(feed.up_to_mark(), (&b"cut"[..], true));
    /// ```
    pub fn gap(&mut self) {
        self.marks.push_back((self.pushed(), Mark::Gap));
    }

    /// Marks that bytes from now on, up to the next gap, may be wrong.
    ///
    /// ```
    /// let mut feed = urisieve::unpack::Feed::new(true);
    /// feed.push(b"a");
    /// feed.doubt();
    /// feed.push(b"b");
    /// assert_eq!(feed.until_doubt(), 1);
    /// feed.advance(2);
    /// assert!(feed.is_doubtful());
    /// ```
    pub fn doubt(&mut self) {
        self.doubts.push_back(self.pushed());
    }

    /// Marks the end: nothing is pushed after it.
    ///
    /// ```
    /// let mut feed = urisieve::unpack::Feed::new(true);
    /// feed.end();
    /// assert!(feed.has_ended());
    /// ```
    pub fn end(&mut self) {
        self.ended = true;
    }

    /// Whether the end was marked.
    ///
    /// ```
    /// assert!(!urisieve::unpack::Feed::new(true).has_ended());
    /// ```
    pub fn has_ended(&self) -> bool {
        self.ended
    }

    /// Returns the bytes that were pushed but not read.
    ///
    /// ```
    /// assert_eq!(urisieve::unpack::Feed::new(false).rest(), b"");
    /// ```
    pub fn rest(&self) -> &[u8] {
        &self.buffer[self.at..]
    }

    /// Consumes `len` bytes.
    ///
    /// ```
    /// let mut feed = urisieve::unpack::Feed::new(false);
    /// feed.push(b"ab");
    /// feed.advance(2);
    /// assert!(feed.rest().is_empty());
    /// ```
    pub fn advance(&mut self, len: usize) {
        self.at += len;
        self.pos += len as u64;
    }

    /// Returns the number of bytes that were read in all.
    ///
    /// ```
    /// assert_eq!(urisieve::unpack::Feed::new(false).position(), 0);
    /// ```
    pub fn position(&self) -> u64 {
        self.pos
    }

    /// Returns the current offset in the stored input; in a compressed one, the offset
    /// of the current member.
    ///
    /// ```
    /// assert_eq!(urisieve::unpack::Feed::new(true).offset(), 0);
    /// ```
    pub fn offset(&self) -> u64 {
        match self.compressed {
            true => self.member,
            false => self.pos,
        }
    }

    /// Whether a byte since the last gap, up to the current offset, may be wrong.
    ///
    /// ```
    /// assert!(!urisieve::unpack::Feed::new(true).is_doubtful());
    /// ```
    pub fn is_doubtful(&self) -> bool {
        self.doubts.front().is_some_and(|&from| from < self.pos)
    }

    /// Returns how many of the next bytes are as doubtful as the first of them.
    ///
    /// ```
    /// assert_eq!(urisieve::unpack::Feed::new(true).until_doubt(), usize::MAX);
    /// ```
    pub fn until_doubt(&self) -> usize {
        let from = self.doubts.front().filter(|&&from| from > self.pos);
        from.map_or(usize::MAX, |from| (from - self.pos) as usize)
    }

    /// Returns the next mark, and the number of bytes before it (0 for one that was
    /// skipped).
    ///
    /// ```
    /// use urisieve::unpack::{Feed, Mark};
    /// let mut feed = Feed::new(true);
    /// feed.push(b"ab");
    /// feed.member(9);
    /// assert_eq!(feed.mark(), Some((2, Mark::Member(9))));
    /// ```
    pub fn mark(&self) -> Option<(usize, Mark)> {
        self.mark_from(0)
    }

    /// Whether the current offset is after the next mark.
    ///
    /// ```
    /// let mut feed = urisieve::unpack::Feed::new(true);
    /// feed.member(9);
    /// feed.push(b"a");
    /// assert!(!feed.is_past_mark());
    /// feed.advance(1);
    /// assert!(feed.is_past_mark());
    /// ```
    pub fn is_past_mark(&self) -> bool {
        self.marks.front().is_some_and(|mark| mark.0 < self.pos)
    }

    /// Returns the first mark with at least `len` bytes before it.
    ///
    /// ```
    /// use urisieve::unpack::Feed;
    /// let mut feed = Feed::new(true);
    /// feed.member(9);
    /// assert!(feed.mark_from(0).is_some() && feed.mark_from(1).is_none());
    /// ```
    pub fn mark_from(&self, len: usize) -> Option<(usize, Mark)> {
        let left = |&(at, mark): &(u64, Mark)| (at.saturating_sub(self.pos) as usize, mark);
        self.marks.iter().map(left).find(|mark| mark.0 >= len)
    }

    /// Removes the next mark.
    ///
    /// ```
    /// let mut feed = urisieve::unpack::Feed::new(true);
    /// feed.member(9);
    /// feed.pass_mark();
    /// assert_eq!((feed.mark(), feed.offset()), (None, 9));
    /// ```
    pub fn pass_mark(&mut self) {
        match self.marks.pop_front() {
            Some((_, Mark::Member(offset))) => self.member = offset,
            Some((at, Mark::Gap)) => self.doubts.retain(|&from| from >= at),
            None => {}
        }
    }

    /// Removes the marks up to the current offset.
    ///
    /// ```
    /// let mut feed = urisieve::unpack::Feed::new(true);
    /// feed.gap();
    /// feed.member(9);
    /// feed.pass_marks();
    /// assert!(feed.mark().is_none());
    /// ```
    pub fn pass_marks(&mut self) {
        while self.marks.front().is_some_and(|mark| mark.0 <= self.pos) {
            self.pass_mark();
        }
    }

    /// Returns the rest up to the next mark, and whether it is known to end there.
    ///
    /// ```
    /// let mut feed = urisieve::unpack::Feed::new(true);
    /// feed.push(b"ab");
    /// assert_eq!(feed.up_to_mark(), (&b"ab"[..], false));
    /// ```
    pub fn up_to_mark(&self) -> (&[u8], bool) {
        let rest = self.rest();
        match self.mark() {
            Some((len, _)) => (&rest[..len], true),
            None => (rest, self.ended),
        }
    }

    /// Returns the rest up to the next gap, and whether it is known to end there.
    ///
    /// ```
    /// let mut feed = urisieve::unpack::Feed::new(true);
    /// feed.push(b"ab");
    /// feed.member(9);
    /// feed.push(b"c");
    /// assert_eq!(feed.up_to_gap(), (&b"abc"[..], false));
    /// feed.gap();
    /// assert_eq!(feed.up_to_gap(), (&b"abc"[..], true));
    /// ```
    pub fn up_to_gap(&self) -> (&[u8], bool) {
        let rest = self.rest();
        match self.marks.iter().find(|mark| mark.1 == Mark::Gap) {
            Some((at, _)) => (&rest[..at.saturating_sub(self.pos) as usize], true),
            None => (rest, self.ended),
        }
    }

    /// Whether the rest, up to where it is known to end, is followed by a gap.
    ///
    /// ```
    /// let mut feed = urisieve::unpack::Feed::new(true);
    /// feed.gap();
    /// assert!(feed.is_before_gap());
    /// feed.pass_marks();
    /// assert!(!feed.is_before_gap());
    /// ```
    pub fn is_before_gap(&self) -> bool {
        self.marks.iter().any(|mark| mark.1 == Mark::Gap)
    }

    /// Removes the marks of members up to the current offset, and up to the next gap.
    ///
    /// ```
    /// use urisieve::unpack::{Feed, Mark};
    /// let mut feed = Feed::new(true);
    /// feed.member(9);
    /// feed.gap();
    /// feed.pass_members();
    /// assert_eq!((feed.offset(), feed.mark()), (9, Some((0, Mark::Gap))));
    /// ```
    pub fn pass_members(&mut self) {
        while let Some((0, Mark::Member(_))) = self.mark() {
            self.pass_mark();
        }
    }

    /// The number of bytes that were pushed in all.
    fn pushed(&self) -> u64 {
        self.pos + (self.buffer.len() - self.at) as u64
    }
}
