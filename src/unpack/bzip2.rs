//! A bzip2 stream, from its beginning or from one of its blocks on. The blocks do
//! not depend on each other: after a damaged one the next can be decoded. One
//! block is decoded at a time, so that it is known where it begins.

use super::codec::Codec;

#[cfg(not(feature = "bzip2"))]
pub(super) fn decoder() -> Option<Box<dyn Codec>> {
    None
}

#[cfg(feature = "bzip2")]
pub(super) fn decoder() -> Option<Box<dyn Codec>> {
    Some(Box::<decode::Bzip2>::default())
}

#[cfg(feature = "bzip2")]
mod decode {
    use crate::unpack::bits::{self, BITS, BLOCK};
    use crate::unpack::codec::{Codec, State, Step};
    use bzip2::{Decompress, Status};

    /// What a decoder is given before the bits of a block that it begins with.
    const HEADER: &[u8] = b"BZh91AY&SY";
    /// After the last block stand the digits of the square root of pi.
    const END: u64 = 0x1772_4538_5090;
    /// The magic number of a stream and its level.
    const STREAM: u64 = 4;
    /// The decoder may have read so many bytes beyond what it decoded.
    const AHEAD: usize = 8;
    /// Bits of the number and the checksum after the last block.
    const TRAILER: usize = 80;
    /// A number that differs in so many bits is a damaged one. The nearest of 65
    /// that are none differs in about twelve.
    const DAMAGED: u32 = 8;

    #[derive(Default)]
    pub(super) struct Bzip2 {
        stream: Option<Decompress>,
        /// How far into its bytes each byte of the decoder begins, when it was not
        /// begun at the beginning of the stream.
        shift: Option<u8>,
        place: Place,
        /// Bytes that are done with.
        read: u64,
        /// Bytes after those that the decoder was given.
        ahead: usize,
        /// The bit at which the block begins.
        block: u64,
        /// It is not a block, but the end.
        is_end: bool,
        shifted: Vec<u8>,
    }

    #[derive(Clone, Copy, Default)]
    enum Place {
        /// A block is read.
        #[default]
        Read,
        /// A block was read and is written; or, when that is not sure, more of it
        /// has to be read.
        Write { sure: bool },
        /// A block was written.
        Between,
        /// Its checksum is wrong, or what little the decoder has of the next block.
        Failed,
    }

    impl Bzip2 {
        fn step_of(&mut self, read: usize, written: usize, state: State) -> Step {
            self.ahead -= read.min(self.ahead);
            self.read += read as u64;
            Step {
                read,
                written,
                state,
            }
        }

        /// The member goes on. What may be needed to find the next block is not
        /// done with.
        fn more(&mut self, written: usize) -> Step {
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

        /// Gives the decoder what it was not given yet, but nowhere to write: it
        /// stops where the block ends. `None` when it was given everything.
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
                    self.place = Place::Write { sure: read < had };
                    State::More
                }
                None if self.is_end => State::Suspect("wrong checksum"),
                None => State::Broken("invalid block"),
            })
        }

        /// How many bits of `input` the decoder was given.
        fn given(&self) -> usize {
            8 * self.ahead + usize::from(self.shift.unwrap_or(0))
        }

        /// Where in `input` the next block, or the end, begins, as near as it can be
        /// told, whether it is the end, and in how many bits its number is wrong;
        /// `None` when a longer input may tell.
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
            // With room for nothing it reads its header and no more.
            self.run(HEADER, &mut []);
            self.ahead = BITS / 8;
        }

        fn step(&mut self, input: &[u8], out: &mut [u8]) -> Step {
            loop {
                match self.place {
                    Place::Read => match self.read(input) {
                        None => return self.more(0),
                        Some(State::More) => {}
                        Some(state) => return self.step_of(self.ahead, 0, state),
                    },
                    Place::Write { sure } => {
                        let (_, written, status) = self.run(&[], out);
                        if status.is_none() {
                            self.place = Place::Failed;
                            if written > 0 {
                                return self.more(written);
                            }
                            continue;
                        }
                        self.place = match (written == out.len(), sure || written > 0) {
                            (true, _) => Place::Write { sure: true },
                            (false, true) => Place::Between,
                            (false, false) => Place::Read,
                        };
                        if let Place::Between = self.place {
                            let bit = self.given().saturating_sub(8 * AHEAD);
                            self.goes_on_at(bit, false);
                        }
                        if written > 0 {
                            return self.more(written);
                        }
                    }
                    Place::Failed => {
                        let Some((bit, _, wrong)) = self.next(input) else {
                            return self.more(0);
                        };
                        let state = match wrong {
                            0 => State::SuspectPart("wrong checksum of a block"),
                            1..=DAMAGED => {
                                self.goes_on_at(bit, false);
                                State::Broken("invalid block")
                            }
                            // It may be either.
                            _ => State::Broken("invalid block or wrong checksum"),
                        };
                        let read = match wrong {
                            0..=DAMAGED => bit / 8,
                            _ => self.ahead,
                        };
                        return self.step_of(read, 0, state);
                    }
                    Place::Between => {
                        let Some((bit, is_end, wrong)) = self.next(input) else {
                            return self.more(0);
                        };
                        let end = (bit + TRAILER).div_ceil(8);
                        if self.shift.is_some() && is_end && wrong == 0 {
                            // Its checksum is of all blocks.
                            if input.len() < end {
                                return self.more(0);
                            }
                            return self.step_of(end, 0, State::End);
                        }
                        self.goes_on_at(bit, is_end && wrong == 0);
                        self.place = Place::Read;
                    }
                }
            }
        }

        fn part(&self) -> (u64, u64) {
            let at = self.block / 8;
            match self.shift {
                // The stream itself.
                None if at == STREAM || self.is_end => (0, at + 1),
                _ => (at, at + 1),
            }
        }

        fn fork(&self) -> Option<Box<dyn Codec>> {
            crate::unpack::bzip2::decoder()
        }
    }
}
