//! The content coding `br` (RFC 7932).

use crate::unpack::bound::WINDOW_MAX;
use crate::unpack::codec::{Codec, CodecStep, State};
use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

/// The first byte of data with a window of more than 16 MiB, an extension.
const LARGE: u8 = 0x11;

/// RFC 7932.
pub(super) struct Brotli {
    state: Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>,
    /// The most bytes of the window.
    window: u64,
    /// Whether the window is known to be allowed.
    is_allowed: bool,
}

fn state() -> Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>> {
    let alloc = StandardAlloc::default;
    Box::new(BrotliState::new(alloc(), alloc(), alloc()))
}

impl Brotli {
    pub(super) fn new() -> Brotli {
        Brotli {
            state: state(),
            window: WINDOW_MAX,
            is_allowed: false,
        }
    }
}

/// Returns the window of the data that begins with `input`; `None` when more bytes are
/// needed (RFC 7932 section 9.1).
fn window(input: &[u8]) -> Option<u64> {
    let &first = input.first()?;
    let bits = match (first & 1, first >> 1 & 7, first >> 4 & 7) {
        _ if first == LARGE => input.get(1)? & 0x3F,
        (0, ..) => 16,
        (_, 0, 0) => 17,
        (_, 0, less) => 8 + less,
        (_, more, _) => 17 + more,
    };
    Some(1 << bits)
}

impl Codec for Brotli {
    fn begin(&mut self) {
        self.state = state();
        self.is_allowed = false;
    }

    fn allow_window(&mut self, most: u64) {
        self.window = most;
    }

    fn step(&mut self, input: &[u8], out: &mut [u8]) -> CodecStep {
        if !self.is_allowed {
            match window(input) {
                None => return CodecStep::WAIT,
                Some(needed) if needed > WINDOW_MAX => {
                    let cause = "it needs a window of more than 128 MiB";
                    return CodecStep::stays(State::Unsupported(cause));
                }
                Some(needed) if needed > self.window => {
                    return CodecStep::stays(State::NeedsWindow(needed));
                }
                Some(_) => self.is_allowed = true,
            }
        }
        let (mut left_in, mut left_out) = (input.len(), out.len());
        let (mut read, mut written, mut total) = (0, 0, 0);
        let result = BrotliDecompressStream(
            &mut left_in,
            &mut read,
            input,
            &mut left_out,
            &mut written,
            out,
            &mut total,
            &mut self.state,
        );
        let state = match result {
            BrotliResult::ResultSuccess => State::End,
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => State::More,
            BrotliResult::ResultFailure => State::Broken("invalid brotli data"),
        };
        CodecStep {
            read,
            written,
            state,
        }
    }
}
