//! Bytes on their way into a decoder. Some of the bytes that were read are kept, so
//! that reading can go back to the start of a damaged member. The caller supplies the
//! bytes.

use std::io;

/// The number of bytes before the current offset that are kept.
pub(super) const KEPT: usize = 1 << 20;
/// Bytes that are read at a time.
const CHUNK: usize = 64 << 10;

/// The bytes that were read, and the current offset among them.
pub(super) struct Intake {
    /// The bytes, and room for more.
    buffer: Vec<u8>,
    /// The number of bytes in `buffer` that were read.
    end: usize,
    /// The offset of `buffer` in the stream.
    start: u64,
    /// The current offset in `buffer`.
    at: usize,
    /// The largest offset that was ever reached.
    furthest: u64,
    pub ended: bool,
}

impl Intake {
    /// Creates an intake that begins with `head`.
    pub(super) fn new(head: Vec<u8>) -> Intake {
        Intake {
            end: head.len(),
            buffer: head,
            start: 0,
            at: 0,
            furthest: 0,
            ended: false,
        }
    }

    /// The bytes that were read but not consumed.
    pub(super) fn rest(&self) -> &[u8] {
        &self.buffer[self.at..self.end]
    }

    /// The bytes that were read from `offset` of the stream on, which is not before the
    /// current offset.
    pub(super) fn rest_from(&self, offset: u64) -> &[u8] {
        let at = usize::try_from(offset.saturating_sub(self.start)).unwrap_or(usize::MAX);
        self.buffer.get(at..self.end).unwrap_or_default()
    }

    /// The current offset in the stream.
    pub(super) fn offset(&self) -> u64 {
        self.start + self.at as u64
    }

    pub(super) fn consume(&mut self, len: usize) {
        self.at = (self.at + len).min(self.end);
        self.furthest = self.furthest.max(self.offset());
    }

    /// The number of bytes of the stream that were read.
    pub(super) fn read(&self) -> u64 {
        self.start + self.end as u64
    }

    /// The largest offset that was ever reached, however much was read ahead.
    pub(super) fn furthest(&self) -> u64 {
        self.furthest
    }

    /// Returns the offset nearest to `offset` that reading can go back to. More bytes
    /// may be kept, but how much was read ahead must not decide.
    pub(super) fn within_reach(&self, offset: u64) -> u64 {
        offset.max(self.offset().saturating_sub(KEPT as u64))
    }

    /// Goes back to `offset`, which is within reach.
    pub(super) fn go_back(&mut self, offset: u64) {
        let at = offset.saturating_sub(self.start);
        self.at = usize::try_from(at).map_or(self.at, |at| at.min(self.at));
    }

    /// Calls `read` once, which returns the number of bytes, or `None` at the end;
    /// returns this number.
    pub(super) fn more(
        &mut self,
        read: impl FnOnce(&mut [u8]) -> io::Result<Option<usize>>,
    ) -> io::Result<usize> {
        if self.ended {
            return Ok(0);
        }
        let forget = self.at.saturating_sub(KEPT);
        if forget >= KEPT {
            self.buffer.copy_within(forget..self.end, 0);
            self.start += forget as u64;
            self.at -= forget;
            self.end -= forget;
        }
        // Reads may be short, and room is cleared once.
        if self.buffer.len() < self.end + CHUNK {
            self.buffer.resize(self.end + CHUNK, 0);
        }
        let result = read(&mut self.buffer[self.end..][..CHUNK]);
        let len = *result.as_ref().unwrap_or(&Some(0));
        self.end += len.unwrap_or(0).min(CHUNK);
        self.ended |= result.is_err() || len.is_none();
        result.map(|len| len.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn what_is_needed_is_kept() {
        let bytes: Vec<u8> = (0..5 * KEPT).map(|i| (i / 1000) as u8).collect();
        let mut reader = &bytes[..];
        let mut intake = Intake::new(Vec::new());
        while !intake.ended {
            let read = |buffer: &mut [u8]| Ok(Some(reader.read(buffer)?).filter(|&len| len > 0));
            intake.more(read).unwrap();
            let len = intake.rest().len();
            intake.consume(len);
        }
        assert_eq!(intake.offset(), bytes.len() as u64);
        assert!(intake.buffer.len() <= 2 * KEPT + 2 * CHUNK);
        let back = intake.within_reach(0) as usize;
        assert_eq!(back, bytes.len() - KEPT);
        intake.go_back(back as u64);
        assert_eq!(intake.rest(), &bytes[back..]);
    }
}
