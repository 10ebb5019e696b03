//! The chunks of a message (RFC 9112 section 7.1). The trailers after the last chunk
//! are left to the stage that owns this decoder.

use crate::unpack::codec::{Codec, CodecStep, State};

/// Longer lines are rejected.
const LINE_MAX: usize = 4 << 10;

const NO_SIZE: &str = "a chunk has no size";
const ANOTHER_SIZE: &str = "a chunk has the wrong size";

/// The state of a chunked message.
#[derive(Default)]
pub(super) enum Chunked {
    /// Before the size of a chunk.
    #[default]
    Size,
    /// In a chunk, with this number of unread bytes.
    Data(u64),
    /// Before the line break after a chunk.
    After,
}

impl Codec for Chunked {
    fn begin(&mut self) {
        *self = Chunked::Size;
    }

    fn step(&mut self, input: &[u8], out: &mut [u8]) -> CodecStep {
        let mut step = CodecStep::WAIT;
        match *self {
            Chunked::Size => {
                let Some(end) = memchr::memchr(b'\n', &input[..input.len().min(LINE_MAX)]) else {
                    return match input.len() >= LINE_MAX {
                        true => CodecStep::stays(State::Broken(NO_SIZE)),
                        false => CodecStep::WAIT,
                    };
                };
                match size(&input[..end]) {
                    None => return CodecStep::stays(State::Broken(NO_SIZE)),
                    Some(0) => step.state = State::End,
                    Some(size) => *self = Chunked::Data(size),
                }
                step.read = end + 1;
            }
            Chunked::Data(left) => {
                let most = usize::try_from(left).unwrap_or(usize::MAX);
                let len = input.len().min(out.len()).min(most);
                out[..len].copy_from_slice(&input[..len]);
                *self = match left - len as u64 {
                    0 => Chunked::After,
                    left => Chunked::Data(left),
                };
                (step.read, step.written) = (len, len);
            }
            Chunked::After => {
                step.read = match input {
                    [b'\r', b'\n', ..] => 2,
                    [b'\n', ..] => 1,
                    [] | [b'\r'] => return CodecStep::WAIT,
                    _ => return CodecStep::stays(State::Broken(ANOTHER_SIZE)),
                };
                *self = Chunked::Size;
            }
        }
        step
    }

    fn cut(&self, rest: &[u8]) -> Option<&'static str> {
        match self {
            _ if rest.is_empty() => None,
            Chunked::Size => Some(NO_SIZE),
            Chunked::Data(_) => None,
            Chunked::After => Some(ANOTHER_SIZE),
        }
    }
}

/// Parses the size of a chunk, in hexadecimal digits, before extensions.
fn size(line: &[u8]) -> Option<u64> {
    let size = line.split(|&b| b == b';').next()?.trim_ascii();
    let size = std::str::from_utf8(size).ok()?;
    size.bytes().all(|b| b.is_ascii_hexdigit()).then_some(())?;
    u64::from_str_radix(size, 16).ok()
}
