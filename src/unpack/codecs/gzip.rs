//! One gzip member (RFC 1952): header, deflate data, CRC-32 and length.

use crate::unpack::codec::{Codec, CodecStep, State};
use flate2::{Crc, Decompress, FlushDecompress, Status};

/// Longer headers are rejected.
const HEADER_MAX: usize = 128 << 10;

enum Phase {
    Header,
    Data,
    Trailer,
}

pub(super) struct Gzip {
    part: Phase,
    inflate: Decompress,
    crc: Crc,
}

impl Gzip {
    pub(super) fn new() -> Gzip {
        Gzip {
            part: Phase::Header,
            inflate: Decompress::new(false),
            crc: Crc::new(),
        }
    }

    fn data(&mut self, input: &[u8], out: &mut [u8]) -> CodecStep {
        let (had_in, had_out) = (self.inflate.total_in(), self.inflate.total_out());
        let result = self.inflate.decompress(input, out, FlushDecompress::None);
        let read = (self.inflate.total_in() - had_in) as usize;
        let written = (self.inflate.total_out() - had_out) as usize;
        self.crc.update(&out[..written]);
        let state = match result {
            Ok(Status::StreamEnd) => {
                self.part = Phase::Trailer;
                State::More
            }
            Ok(Status::Ok | Status::BufError) => State::More,
            Err(_) => State::Broken("invalid deflate data"),
        };
        CodecStep {
            read,
            written,
            state,
        }
    }

    /// Section 2.3.1: CRC-32, then the length modulo 2^32.
    fn trailer(&self, input: &[u8]) -> CodecStep {
        let Some((crc, rest)) = input.split_first_chunk() else {
            return CodecStep::WAIT;
        };
        let Some(len) = rest.first_chunk() else {
            return CodecStep::WAIT;
        };
        let state = if u32::from_le_bytes(*crc) != self.crc.sum() {
            State::Suspect("wrong checksum")
        } else if u32::from_le_bytes(*len) != self.crc.amount() {
            State::Suspect("wrong length")
        } else {
            State::End
        };
        CodecStep {
            read: 8,
            written: 0,
            state,
        }
    }
}

impl Codec for Gzip {
    fn begin(&mut self) {
        self.part = Phase::Header;
    }

    fn step(&mut self, input: &[u8], out: &mut [u8]) -> CodecStep {
        match self.part {
            Phase::Header => match header(input) {
                Ok(0) if input.len() < HEADER_MAX => CodecStep::WAIT,
                Ok(0) => CodecStep::stays(State::Broken("the header does not end")),
                Ok(read) => {
                    self.part = Phase::Data;
                    self.inflate.reset(false);
                    self.crc.reset();
                    CodecStep {
                        read,
                        written: 0,
                        state: State::More,
                    }
                }
                Err(cause) => CodecStep::stays(State::Broken(cause)),
            },
            Phase::Data => {
                let step = self.data(input, out);
                // At the end a step may neither read nor write.
                match (&self.part, step.state, step.read + step.written) {
                    (Phase::Trailer, State::More, 0) => self.trailer(input),
                    _ => step,
                }
            }
            Phase::Trailer => self.trailer(input),
        }
    }

    fn fork(&self) -> Option<Box<dyn Codec>> {
        Some(Box::new(Gzip::new()))
    }
}

/// Returns the length of the header (section 2.3); 0 when more input is needed.
fn header(input: &[u8]) -> Result<usize, &'static str> {
    const EXTRA: u8 = 4;
    const NAME: u8 = 8;
    const COMMENT: u8 = 16;
    const HEADER_CRC: u8 = 2;
    let &[0x1F, 0x8B, method, flags, _, _, _, _, _, _, ..] = input else {
        return Ok(0);
    };
    if method != 8 || flags & 0xE0 != 0 {
        return Err("unknown method or flags");
    }
    let mut len = 10;
    if flags & EXTRA != 0 {
        let Some(extra) = input.get(len..).and_then(<[u8]>::first_chunk) else {
            return Ok(0);
        };
        len += 2 + usize::from(u16::from_le_bytes(*extra));
    }
    for flag in [NAME, COMMENT] {
        if flags & flag != 0 {
            let text = input.get(len..).unwrap_or_default();
            match memchr::memchr(0, text) {
                Some(end) => len += end + 1,
                None => return Ok(0),
            }
        }
    }
    if flags & HEADER_CRC != 0 {
        len += 2;
    }
    Ok(if input.len() < len { 0 } else { len })
}
