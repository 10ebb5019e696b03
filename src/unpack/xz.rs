//! One .xz stream (file format 1.2). Stream padding is left to the caller. A
//! damaged block whose header tells its size is stepped over: what follows is
//! decoded as a stream of its own.

use super::codec::Codec;

#[cfg(not(feature = "xz"))]
pub(super) fn decoder() -> Option<Box<dyn Codec>> {
    None
}

#[cfg(feature = "xz")]
pub(super) fn decoder() -> Option<Box<dyn Codec>> {
    Some(Box::<decode::Xz>::default())
}

#[cfg(feature = "xz")]
mod decode {
    use crate::unpack::codec::{Codec, State, Step};
    use liblzma::stream::{Action, Error, Status, Stream};

    /// The decoder takes no more memory: twice what `xz -9` makes it need.
    const MEMORY: u64 = 160 << 20;
    /// The length of the stream's header, and of its footer (section 2.1).
    const HEADER: usize = 12;
    /// The sizes of the checks by their identifiers (section 2.1.1.2).
    const CHECKS: [u8; 16] = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

    /// Sections 2.1.1.2 and 2.1.2.4.
    const FLAGS: std::ops::Range<usize> = 6..8;
    /// A longer index is none, so that reading can go back to where it begins.
    const INDEX_MAX: u64 = 512 << 10;

    #[derive(Default)]
    pub(super) struct Xz {
        stream: Option<Stream>,
        header: [u8; HEADER],
        place: Place,
        /// Bytes of the stream that are done with.
        read: u64,
        /// Where the block begins that is read; 0 for the first one, for those that
        /// may hold others, and for the stream itself.
        at: u64,
        /// Where the last block begins in which nothing is damaged, or its size at
        /// least is right.
        sure: u64,
        /// Where the header of the block ends.
        data: u64,
        /// A block was stepped over: the decoder was begun after it, and cannot
        /// check the index.
        damaged: bool,
    }

    #[derive(Clone, Copy, Default)]
    enum Place {
        #[default]
        Start,
        /// Before a block or the index.
        Between,
        /// In what ends there, as far as that is known.
        Within(Option<u64>),
        /// In a damaged block that ends there.
        Skip(u64, State),
        /// In an index that is not read.
        Index,
    }

    fn state_of(error: &Error) -> State {
        match error {
            Error::MemLimit | Error::Mem => {
                State::Unsupported("it needs a window of more than 128 MiB")
            }
            Error::Options | Error::UnsupportedCheck => {
                State::Unsupported("unknown filter or check")
            }
            Error::Format => State::Broken("invalid stream header"),
            _ => State::Broken("invalid data or wrong checksum"),
        }
    }

    impl Xz {
        /// Begins a decoder with the stream's header.
        fn start(&mut self) -> State {
            let stream = Stream::new_stream_decoder(MEMORY, 0);
            let Ok(stream) = stream.map(|stream| self.stream.insert(stream)) else {
                return State::Unsupported("no memory for the decoder");
            };
            match stream.process(&self.header, &mut [], Action::Run) {
                Ok(_) => State::More,
                Err(error) => state_of(&error),
            }
        }

        /// What begins after a block, or the first one; `None` when that takes a
        /// longer input.
        fn between(&mut self, input: &[u8]) -> Option<Place> {
            self.at = 0;
            self.data = self.read;
            let &first = input.first()?;
            if first == 0 {
                if !self.damaged {
                    return Some(Place::Within(None));
                }
                (self.at, self.sure) = (self.read, self.read);
                return Some(Place::Index);
            }
            // Section 3.1.
            let header = input.get(..4 * (usize::from(first) + 1))?;
            self.data += header.len() as u64;
            let size = match header[1] >> 6 & 1 {
                1 => number(&header[2..]),
                _ => None,
            };
            let check = u64::from(CHECKS[usize::from(self.header[FLAGS][1] & 0x0F)]);
            let end = size
                .and_then(|size| size.checked_next_multiple_of(4))
                .and_then(|size| size.checked_add(self.data + check));
            if self.read > HEADER as u64 && (end.is_some() || self.damaged) {
                self.at = self.read;
            }
            Some(Place::Within(end))
        }

        fn within(&mut self, end: Option<u64>, input: &[u8], out: &mut [u8]) -> Step {
            let left = end.map_or(u64::MAX, |end| end.saturating_sub(self.read));
            let input = &input[..usize::try_from(left).map_or(input.len(), |l| l.min(input.len()))];
            let Some(stream) = &mut self.stream else {
                return Step::WAIT;
            };
            let (had_in, had_out) = (stream.total_in(), stream.total_out());
            let result = stream.process(input, out, Action::Run);
            let read = (stream.total_in() - had_in) as usize;
            let written = (stream.total_out() - had_out) as usize;
            let at = self.read + read as u64;
            let state = match result {
                Ok(Status::StreamEnd) => State::End,
                Ok(_) => {
                    if at > self.data {
                        self.sure = self.at;
                    }
                    if left == 0 && written == 0 {
                        self.place = Place::Between;
                    }
                    State::More
                }
                Err(error) => match (state_of(&error), end) {
                    // Its size stands in its header, which is checked.
                    (State::Broken(_), Some(end)) if at > self.data => {
                        let state = match at == end {
                            true => State::SuspectGoesOn("wrong checksum of a block"),
                            false => State::LostGoesOn("invalid block"),
                        };
                        self.sure = self.at;
                        self.place = Place::Skip(end, state);
                        State::More
                    }
                    (state, _) => state,
                },
            };
            Step {
                read,
                written,
                state,
            }
        }

        fn skip(&mut self, end: u64, state: State, input: &[u8]) -> Step {
            let left = end - self.read;
            let here = usize::try_from(left).map_or(input.len(), |left| left.min(input.len()));
            let mut step = Step {
                read: here,
                written: 0,
                state: State::More,
            };
            if here as u64 == left {
                self.damaged = true;
                self.place = Place::Between;
                step.state = match self.start() {
                    State::More => state,
                    other => other,
                };
            }
            step
        }

        /// Looks for the footer, which tells how far before it the index begins
        /// (section 2.1.2).
        fn index(&self, input: &[u8]) -> Step {
            let len = self.read - self.at;
            let places = input.windows(HEADER).enumerate().step_by(4);
            let found = places.clone().find(|(at, footer)| {
                let [_, _, _, _, a, b, c, d, flags @ .., b'Y', b'Z'] = footer else {
                    return false;
                };
                let size = u32::from_le_bytes([*a, *b, *c, *d]);
                *flags == self.header[FLAGS] && 4 * (u64::from(size) + 1) == len + *at as u64
            });
            let (read, state) = match found {
                Some((at, _)) => (at + HEADER, State::End),
                None if len > INDEX_MAX => (0, State::Broken("the index does not end")),
                None => (4 * places.len(), State::More),
            };
            Step {
                read,
                written: 0,
                state,
            }
        }
    }

    impl Codec for Xz {
        fn begin(&mut self) {
            *self = Xz::default();
        }

        fn step(&mut self, input: &[u8], out: &mut [u8]) -> Step {
            let step = loop {
                let step = match self.place {
                    Place::Start => {
                        let Some(header) = input.first_chunk() else {
                            return Step::WAIT;
                        };
                        self.header = *header;
                        self.place = Place::Between;
                        let state = self.start();
                        Step {
                            read: HEADER,
                            written: 0,
                            state,
                        }
                    }
                    Place::Between => match self.between(input) {
                        Some(place) => {
                            self.place = place;
                            continue;
                        }
                        None => return Step::WAIT,
                    },
                    Place::Within(end) => {
                        let step = self.within(end, input, out);
                        let is_next = !matches!(self.place, Place::Within(_));
                        if is_next && step.read + step.written == 0 {
                            continue;
                        }
                        step
                    }
                    Place::Skip(end, state) => self.skip(end, state, input),
                    Place::Index => self.index(input),
                };
                break step;
            };
            self.read += step.read as u64;
            step
        }

        fn part(&self) -> (u64, u64) {
            (self.at, self.sure + 1)
        }
    }

    /// Section 1.2.
    fn number(bytes: &[u8]) -> Option<u64> {
        let mut number = 0;
        for (i, &byte) in bytes.iter().take(9).enumerate() {
            number |= u64::from(byte & 0x7F) << (7 * i);
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}
