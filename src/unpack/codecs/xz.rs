//! One .xz stream (file format 1.2). Stream padding is left to the caller. A damaged
//! block whose header states its size is skipped: the bytes after it are decoded as a
//! separate stream.

use crate::unpack::bound::WINDOW_MAX;
use crate::unpack::codec::{Codec, CodecStep, State};
use liblzma::stream::{Action, Error, Status, Stream};

/// The memory limit of the decoder. The memory that it takes besides the window is
/// far less.
const MEMORY: u64 = WINDOW_MAX + (32 << 20);
/// The length of the stream's header, and of its footer (section 2.1).
const HEADER: usize = 12;
/// The sizes of the checks by their identifiers (section 2.1.1.2).
const CHECKS: [u8; 16] = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];

/// Sections 2.1.1.2 and 2.1.2.4.
const FLAGS: std::ops::Range<usize> = 6..8;
/// Longer indexes are rejected, so that reading can go back to the beginning of the
/// index.
const INDEX_MAX: u64 = 512 << 10;

pub(super) struct Xz {
    /// The most bytes of a window.
    window: u64,
    stream: Option<Stream>,
    header: [u8; HEADER],
    place: Phase,
    /// Bytes of the stream that were consumed.
    read: u64,
    /// The offset of the current block; 0 for the first block, for blocks that may
    /// contain others, and for the stream itself.
    at: u64,
    /// The offset of the last block that is not damaged, or of which at least the
    /// size is correct.
    sure: u64,
    /// The offset of the end of the block's header.
    data: u64,
    /// Whether a block was skipped: the decoder was begun after it, and cannot
    /// check the index.
    damaged: bool,
}

#[derive(Clone, Copy)]
enum Phase {
    Start,
    /// Before a block or the index.
    Between,
    /// In a block that ends there, if its size is known.
    Within(Option<u64>),
    /// In a damaged block that ends there.
    Skip(u64, State),
    /// In an index that is not decoded.
    Index,
}

fn state_of(error: &Error) -> State {
    match error {
        Error::MemLimit | Error::Mem => {
            State::Unsupported("it needs a window of more than 128 MiB")
        }
        Error::Options | Error::UnsupportedCheck => State::Unsupported("unknown filter or check"),
        Error::Format => State::Broken("invalid stream header"),
        _ => State::Broken("invalid data or wrong checksum"),
    }
}

impl Xz {
    pub(super) fn new() -> Xz {
        Xz {
            window: WINDOW_MAX,
            stream: None,
            header: [0; HEADER],
            place: Phase::Start,
            read: 0,
            at: 0,
            sure: 0,
            data: 0,
            damaged: false,
        }
    }

    /// Creates a decoder and passes the stream's header to it.
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

    /// Returns the phase after a block, or before the first block; `None` when a
    /// longer input is needed.
    fn between(&mut self, input: &[u8]) -> Option<Phase> {
        self.at = 0;
        self.data = self.read;
        let &first = input.first()?;
        if first == 0 {
            if !self.damaged {
                return Some(Phase::Within(None));
            }
            (self.at, self.sure) = (self.read, self.read);
            return Some(Phase::Index);
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
        Some(Phase::Within(end))
    }

    /// Returns the window of the block that `input` begins with, when it is larger than
    /// allowed and smaller than the windows that are always rejected.
    fn shortage(&self, input: &[u8]) -> Option<u64> {
        // An index begins with a zero.
        let first = usize::from(*input.first().filter(|&&byte| byte != 0)?);
        let needed = dictionary(input.get(..4 * (first + 1))?)?;
        (needed > self.window && needed <= WINDOW_MAX).then_some(needed)
    }

    fn within(&mut self, end: Option<u64>, input: &[u8], out: &mut [u8]) -> CodecStep {
        let left = end.map_or(u64::MAX, |end| end.saturating_sub(self.read));
        let input = &input[..usize::try_from(left).map_or(input.len(), |l| l.min(input.len()))];
        let Some(stream) = &mut self.stream else {
            return CodecStep::WAIT;
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
                    self.place = Phase::Between;
                }
                State::More
            }
            Err(error) => match (state_of(&error), end) {
                // The size is in the block's header, which has a checksum.
                (State::Broken(_), Some(end)) if at > self.data => {
                    let state = match at == end {
                        true => State::SuspectGoesOn("wrong checksum of a block"),
                        false => State::LostGoesOn("invalid block"),
                    };
                    self.sure = self.at;
                    self.place = Phase::Skip(end, state);
                    State::More
                }
                (state, _) => state,
            },
        };
        CodecStep {
            read,
            written,
            state,
        }
    }

    fn skip(&mut self, end: u64, state: State, input: &[u8]) -> CodecStep {
        let left = end - self.read;
        let here = usize::try_from(left).map_or(input.len(), |left| left.min(input.len()));
        let mut step = CodecStep {
            read: here,
            written: 0,
            state: State::More,
        };
        if here as u64 == left {
            self.damaged = true;
            self.place = Phase::Between;
            step.state = match self.start() {
                State::More => state,
                other => other,
            };
        }
        step
    }

    /// Searches for the footer, which states how far before it the index begins
    /// (section 2.1.2).
    fn index(&self, input: &[u8]) -> CodecStep {
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
        CodecStep {
            read,
            written: 0,
            state,
        }
    }
}

impl Codec for Xz {
    fn begin(&mut self) {
        *self = Xz {
            window: self.window,
            ..Xz::new()
        };
    }

    fn allow_window(&mut self, most: u64) {
        self.window = most;
    }

    fn step(&mut self, input: &[u8], out: &mut [u8]) -> CodecStep {
        let step = loop {
            let step = match self.place {
                Phase::Start => {
                    let Some(header) = input.first_chunk() else {
                        return CodecStep::WAIT;
                    };
                    self.header = *header;
                    self.place = Phase::Between;
                    let state = self.start();
                    CodecStep {
                        read: HEADER,
                        written: 0,
                        state,
                    }
                }
                Phase::Between => match self.between(input) {
                    Some(place) => {
                        if let (Phase::Within(_), Some(needed)) = (place, self.shortage(input)) {
                            break CodecStep::stays(State::NeedsWindow(needed));
                        }
                        self.place = place;
                        continue;
                    }
                    None => return CodecStep::WAIT,
                },
                Phase::Within(end) => {
                    let step = self.within(end, input, out);
                    let is_next = !matches!(self.place, Phase::Within(_));
                    if is_next && step.read + step.written == 0 {
                        continue;
                    }
                    step
                }
                Phase::Skip(end, state) => self.skip(end, state, input),
                Phase::Index => self.index(input),
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

/// Returns the size of the dictionary of LZMA2 in the header of a block; `None` for
/// another filter and for a size that is not valid (sections 3.1.5 and 5.3.1).
fn dictionary(header: &[u8]) -> Option<u64> {
    const LZMA2: u64 = 0x21;
    let (&flags, mut rest) = header.get(1..)?.split_first()?;
    for _ in 0..(flags >> 6).count_ones() {
        take_number(&mut rest)?;
    }
    for _ in 0..=flags & 3 {
        let id = take_number(&mut rest)?;
        let len = usize::try_from(take_number(&mut rest)?).ok()?;
        let properties = rest.get(..len)?;
        rest = &rest[len..];
        match (id, properties) {
            (LZMA2, &[bits @ 0..=39]) => {
                return Some(u64::from(2 | bits & 1) << (bits / 2 + 11));
            }
            (LZMA2, _) => return None,
            _ => {}
        }
    }
    None
}

fn take_number(rest: &mut &[u8]) -> Option<u64> {
    let end = rest.iter().position(|&byte| byte < 0x80)? + 1;
    let (bytes, after) = rest.split_at(end);
    *rest = after;
    number(bytes)
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
