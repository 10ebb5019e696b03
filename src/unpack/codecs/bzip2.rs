//! Decodes a bzip2 stream from its beginning or from one of its blocks. Blocks do not
//! depend on each other: after a damaged block the next one can be decoded. One block
//! is decoded at a time, so that its start is known.

use crate::unpack::bits::{self, BITS, BLOCK};
use crate::unpack::codec::{Codec, CodecStep, State};
use bzip2::{Decompress, Status};

/// The bytes that a decoder reads before the bits of a block, when it begins at
/// that block.
const HEADER: &[u8] = b"BZh91AY&SY";
/// The number after the last block: the digits of the square root of pi.
const END: u64 = 0x1772_4538_5090;
/// The magic number of a stream and its level.
const STREAM: u64 = 4;
/// The most bytes that the decoder may have read beyond the decoded ones.
const AHEAD: usize = 8;
/// Bits of the number and the checksum after the last block.
const TRAILER: usize = 80;
/// The greatest number of bits in which a damaged magic number differs from the
/// right one. The best match among 65 unrelated numbers differs in about twelve
/// bits.
const DAMAGED: u32 = 8;

/// A stream without a block, after its level: the number of the end and the checksum of
/// nothing.
const EMPTY: [u8; 10] = [0x17, 0x72, 0x45, 0x38, 0x50, 0x90, 0, 0, 0, 0];

/// Returns the length of the stream without a block that `input` begins with. A decoder
/// would allocate the memory of a whole block for it.
fn empty_stream(input: &[u8]) -> Option<usize> {
    let (magic, rest) = input.split_at_checked(STREAM as usize)?;
    let is_empty = matches!(magic, [b'B', b'Z', b'h', b'1'..=b'9']) && rest.starts_with(&EMPTY);
    is_empty.then_some(magic.len() + EMPTY.len())
}

#[derive(Default)]
pub(super) struct Bzip2 {
    stream: Option<Decompress>,
    /// The number of bits by which the decoder's bytes are shifted, when it did not
    /// begin at the start of the stream.
    shift: Option<u8>,
    place: Phase,
    /// Bytes that need not be read again.
    read: u64,
    /// The number of bytes after those that were passed to the decoder.
    ahead: usize,
    /// The bit at which the block begins.
    block: u64,
    /// Whether the end of the stream begins there, not a block.
    is_end: bool,
    shifted: Vec<u8>,
}

#[derive(Clone, Copy, Default)]
enum Phase {
    /// A block is being read.
    #[default]
    Read,
    /// A block was read and is being written. Unless `sure`, more bytes of it may
    /// have to be read.
    Write { sure: bool },
    /// A block was written.
    Between,
    /// The checksum is wrong, or the beginning of the next block.
    Failed,
}

impl Bzip2 {
    fn step_of(&mut self, read: usize, written: usize, state: State) -> CodecStep {
        self.ahead -= read.min(self.ahead);
        self.read += read as u64;
        CodecStep {
            read,
            written,
            state,
        }
    }

    /// Returns the step of a member that continues. Bytes that may be needed to
    /// find the next block stay unread.
    fn more(&mut self, written: usize) -> CodecStep {
        let read = self.ahead.saturating_sub(AHEAD);
        self.step_of(read, written, State::More)
    }

    fn run(&mut self, input: &[u8], out: &mut [u8]) -> (usize, usize, Option<Status>) {
        let stream = self.stream.get_or_insert_with(|| Decompress::new(false));
        let (had_in, had_out) = (stream.total_in(), stream.total_out());
        let status = stream.decompress(input, out).ok();
        let read = (stream.total_in() - had_in) as usize;
        (read, (stream.total_out() - had_out) as usize, status)
    }

    /// Passes further bytes to the decoder, but no room for output: it stops where
    /// the block ends. Returns `None` when all bytes were passed.
    fn read(&mut self, input: &[u8]) -> Option<State> {
        let fresh = input.get(self.ahead..).unwrap_or_default();
        let (had, (read, _, status)) = match self.shift {
            None | Some(0) if fresh.is_empty() => return None,
            None | Some(0) => (fresh.len(), self.run(fresh, &mut [])),
            Some(shift) => {
                let mut shifted = std::mem::take(&mut self.shifted);
                shifted.clear();
                let pairs = fresh.windows(2).take(4096);
                shifted.extend(pairs.map(|pair| pair[0] << shift | pair[1] >> (8 - shift)));
                if shifted.is_empty() {
                    return None;
                }
                let ran = self.run(&shifted, &mut []);
                self.shifted = shifted;
                (self.shifted.len(), ran)
            }
        };
        self.ahead += read;
        Some(match status {
            Some(Status::StreamEnd) => State::End,
            Some(Status::MemNeeded) => State::Unsupported("no memory for the decoder"),
            Some(_) => {
                self.place = Phase::Write { sure: read < had };
                State::More
            }
            None if self.is_end => State::Suspect("wrong checksum"),
            None => State::Broken("invalid block"),
        })
    }

    /// The number of bits of `input` that were passed to the decoder.
    fn given(&self) -> usize {
        8 * self.ahead + usize::from(self.shift.unwrap_or(0))
    }

    /// Returns the best guess where in `input` the next block or the end begins,
    /// whether it is the end, and how many bits of its number are wrong; `None`
    /// when a longer input is needed.
    fn next(&self, input: &[u8]) -> Option<(usize, bool, u32)> {
        let to = self.given();
        let mut nearest = (to, false, u32::MAX);
        for bit in to.saturating_sub(8 * AHEAD)..=to {
            let Some(bits) = bits::at(input, bit) else {
                return (nearest.2 <= DAMAGED).then_some(nearest);
            };
            for (number, is_end) in [(BLOCK, false), (END, true)] {
                let wrong = (bits ^ number).count_ones();
                if wrong < nearest.2 {
                    nearest = (bit, is_end, wrong);
                }
            }
        }
        Some(nearest)
    }

    fn goes_on_at(&mut self, bit: usize, is_end: bool) {
        self.block = 8 * self.read + bit as u64;
        self.is_end = is_end;
    }
}

impl Codec for Bzip2 {
    fn begin(&mut self) {
        *self = Bzip2 {
            block: 8 * STREAM,
            shifted: std::mem::take(&mut self.shifted),
            ..Bzip2::default()
        };
    }

    fn begin_part(&mut self, bit: u8) {
        self.begin();
        self.shift = Some(bit);
        self.block = u64::from(bit);
        // Without room for output the decoder only reads the header.
        self.run(HEADER, &mut []);
        self.ahead = BITS / 8;
    }

    fn step(&mut self, input: &[u8], out: &mut [u8]) -> CodecStep {
        if self.stream.is_none()
            && let Some(len) = empty_stream(input)
        {
            return self.step_of(len, 0, State::End);
        }
        loop {
            match self.place {
                Phase::Read => match self.read(input) {
                    None => return self.more(0),
                    Some(State::More) => {}
                    Some(state) => return self.step_of(self.ahead, 0, state),
                },
                Phase::Write { sure } => {
                    let (_, written, status) = self.run(&[], out);
                    if status.is_none() {
                        self.place = Phase::Failed;
                        if written > 0 {
                            return self.more(written);
                        }
                        continue;
                    }
                    self.place = match (written == out.len(), sure || written > 0) {
                        (true, _) => Phase::Write { sure: true },
                        (false, true) => Phase::Between,
                        (false, false) => Phase::Read,
                    };
                    if let Phase::Between = self.place {
                        let bit = self.given().saturating_sub(8 * AHEAD);
                        self.goes_on_at(bit, false);
                    }
                    if written > 0 {
                        return self.more(written);
                    }
                }
                Phase::Failed => {
                    let Some((bit, _, wrong)) = self.next(input) else {
                        return self.more(0);
                    };
                    let state = match wrong {
                        0 => State::SuspectPart("wrong checksum of a block"),
                        1..=DAMAGED => {
                            self.goes_on_at(bit, false);
                            State::Broken("invalid block")
                        }
                        // Either may be the cause.
                        _ => State::Broken("invalid block or wrong checksum"),
                    };
                    let read = match wrong {
                        0..=DAMAGED => bit / 8,
                        _ => self.ahead,
                    };
                    return self.step_of(read, 0, state);
                }
                Phase::Between => {
                    let Some((bit, is_end, wrong)) = self.next(input) else {
                        return self.more(0);
                    };
                    let end = (bit + TRAILER).div_ceil(8);
                    if self.shift.is_some() && is_end && wrong == 0 {
                        // The checksum covers all blocks.
                        if input.len() < end {
                            return self.more(0);
                        }
                        return self.step_of(end, 0, State::End);
                    }
                    self.goes_on_at(bit, is_end && wrong == 0);
                    self.place = Phase::Read;
                }
            }
        }
    }

    fn part(&self) -> (u64, u64) {
        let at = self.block / 8;
        match self.shift {
            // The part is the stream itself.
            None if at == STREAM || self.is_end => (0, at + 1),
            _ => (at, at + 1),
        }
    }

    fn fork(&self) -> Option<Box<dyn Codec>> {
        Some(Box::new(Bzip2::default()))
    }
}
