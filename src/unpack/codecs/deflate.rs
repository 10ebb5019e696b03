//! The content coding `deflate` (RFC 9110 section 8.4.1.2).

use crate::unpack::codec::{Codec, CodecStep, State};
use flate2::{Decompress, FlushDecompress, Status};

/// RFC 9110 section 8.4.1.2: the zlib format, or plain deflate data, which some
/// servers send instead.
#[derive(Default)]
pub(super) struct Deflate {
    inflate: Option<Decompress>,
}

impl Codec for Deflate {
    fn begin(&mut self) {
        self.inflate = None;
    }

    fn step(&mut self, input: &[u8], out: &mut [u8]) -> CodecStep {
        if self.inflate.is_none() {
            let &[first, second, ..] = input else {
                return CodecStep::WAIT;
            };
            // RFC 1950 section 2.2.
            let check = u16::from_be_bytes([first, second]);
            let is_zlib = first & 0x0F == 8 && check % 31 == 0;
            self.inflate = Some(Decompress::new(is_zlib));
        }
        let Some(inflate) = &mut self.inflate else {
            return CodecStep::WAIT;
        };
        let (had_in, had_out) = (inflate.total_in(), inflate.total_out());
        let state = match inflate.decompress(input, out, FlushDecompress::None) {
            Ok(Status::StreamEnd) => State::End,
            Ok(_) => State::More,
            Err(_) => State::Broken("invalid deflate data"),
        };
        CodecStep {
            read: (inflate.total_in() - had_in) as usize,
            written: (inflate.total_out() - had_out) as usize,
            state,
        }
    }
}
