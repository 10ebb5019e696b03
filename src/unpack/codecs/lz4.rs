//! One frame of LZ4 (frame format 1.6): header, blocks, checksums. A damaged block that
//! no other depends on is skipped.

use crate::unpack::codec::{Codec, CodecStep, State};
use lz4_flex::block;
use std::hash::Hasher;
use twox_hash::XxHash32;

/// The greatest distance at which a block may refer to blocks before it.
const WINDOW: usize = 64 << 10;

enum Phase {
    Header,
    Block,
    /// A block is decoded; this number of its bytes was returned.
    Give(usize),
}

pub(super) struct Lz4 {
    part: Phase,
    frame: Frame,
    /// The last block, decoded, after the window before it.
    block: Vec<u8>,
    window: Vec<u8>,
    hash: XxHash32,
    len: u64,
    /// Bytes of the frame that were consumed.
    read: u64,
    /// The offset of the last block in the frame; 0 for the first one and for the
    /// end.
    at: u64,
    /// The error in that block, which could be decoded.
    doubt: Option<&'static str>,
    /// Whether a block is lost or in doubt, which was reported.
    damaged: bool,
}

/// The settings in the header.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    linked: bool,
    block_checksum: bool,
    content_checksum: bool,
    content_len: Option<u64>,
    block_max: usize,
}

impl Default for Lz4 {
    fn default() -> Lz4 {
        Lz4 {
            part: Phase::Header,
            frame: Frame::default(),
            block: Vec::new(),
            window: Vec::new(),
            hash: XxHash32::with_seed(0),
            len: 0,
            read: 0,
            at: 0,
            doubt: None,
            damaged: false,
        }
    }
}

impl Lz4 {
    fn header(&mut self, input: &[u8]) -> CodecStep {
        match header(input) {
            Ok(None) => CodecStep::WAIT,
            Ok(Some((read, frame))) => {
                self.frame = frame;
                self.window.clear();
                self.hash = XxHash32::with_seed(0);
                self.len = 0;
                self.damaged = false;
                self.part = Phase::Block;
                CodecStep {
                    read,
                    written: 0,
                    state: State::More,
                }
            }
            Err(state) => CodecStep::stays(state),
        }
    }

    fn block(&mut self, input: &[u8]) -> CodecStep {
        self.at = match self.at {
            0 if self.len == 0 && !self.damaged => 0,
            _ => self.read,
        };
        let Some((size, rest)) = input.split_first_chunk() else {
            return CodecStep::WAIT;
        };
        let size = u32::from_le_bytes(*size);
        if size == 0 {
            self.at = 0;
            return self.end(rest);
        }
        let (stored, size) = (size >> 31 == 1, (size & 0x7FFF_FFFF) as usize);
        if size > self.frame.block_max {
            return CodecStep::stays(State::Broken("a block is too long"));
        }
        let checksum = if self.frame.block_checksum { 4 } else { 0 };
        if rest.len() < size + checksum {
            return CodecStep::WAIT;
        }
        let (data, rest) = rest.split_at(size);
        let sum = XxHash32::oneshot(0, data).to_le_bytes();
        let is_wrong = checksum > 0 && !rest.starts_with(&sum);
        let wrong = is_wrong.then_some("wrong checksum of a block");
        if let (Some(cause), true) = (wrong, self.frame.linked) {
            return CodecStep::stays(State::Broken(cause));
        }
        let decoded = self.decode(data, stored);
        let mut state = State::More;
        if let Some(cause) = wrong.or(decoded.err()) {
            if self.frame.linked {
                return CodecStep::stays(State::Broken(cause));
            }
            let Some(next) = rest[checksum..].first_chunk() else {
                return CodecStep::WAIT;
            };
            // If no block follows, these bytes are not a block, or the length is
            // wrong.
            let next = (u32::from_le_bytes(*next) & 0x7FFF_FFFF) as usize;
            if next > self.frame.block_max {
                return CodecStep::stays(State::Broken(cause));
            }
            self.damaged = true;
            match decoded {
                Ok(()) => self.doubt = Some(cause),
                Err(_) => state = State::LostGoesOn(cause),
            }
        }
        if decoded.is_ok() {
            self.hash.write(&self.block);
            self.len += self.block.len() as u64;
            self.part = Phase::Give(0);
        }
        CodecStep {
            read: 4 + size + checksum,
            written: 0,
            state,
        }
    }

    fn decode(&mut self, data: &[u8], stored: bool) -> Result<(), &'static str> {
        if stored {
            self.block.clear();
            self.block.extend_from_slice(data);
        } else {
            // A byte encodes at most 255 bytes.
            let most = data.len().saturating_mul(255).saturating_add(16);
            self.block.resize(most.min(self.frame.block_max), 0);
            let window: &[u8] = if self.frame.linked { &self.window } else { &[] };
            let len = block::decompress_into_with_dict(data, &mut self.block, window)
                .map_err(|_| "invalid block")?;
            self.block.truncate(len);
        }
        if self.frame.linked {
            self.window.extend_from_slice(&self.block);
            let surplus = self.window.len().saturating_sub(WINDOW);
            self.window.drain(..surplus);
        }
        Ok(())
    }

    /// Ends the frame; `rest` are the bytes after its end mark.
    fn end(&self, rest: &[u8]) -> CodecStep {
        let checksum = if self.frame.content_checksum { 4 } else { 0 };
        if rest.len() < checksum {
            return CodecStep::WAIT;
        }
        let state = if self.damaged {
            State::End
        } else if !rest.starts_with(&self.hash.finish_32().to_le_bytes()[..checksum]) {
            State::Suspect("wrong checksum")
        } else if self.frame.content_len.is_some_and(|len| len != self.len) {
            State::Suspect("wrong length")
        } else {
            State::End
        };
        CodecStep {
            read: 4 + checksum,
            written: 0,
            state,
        }
    }
}

impl Codec for Lz4 {
    fn begin(&mut self) {
        self.part = Phase::Header;
        (self.read, self.at) = (0, 0);
    }

    fn step(&mut self, input: &[u8], out: &mut [u8]) -> CodecStep {
        let step = match self.part {
            Phase::Header => self.header(input),
            Phase::Block => self.block(input),
            Phase::Give(given) => {
                let rest = &self.block[given..];
                let written = rest.len().min(out.len());
                out[..written].copy_from_slice(&rest[..written]);
                let mut state = State::More;
                if written < rest.len() {
                    self.part = Phase::Give(given + written);
                } else {
                    self.part = Phase::Block;
                    match self.doubt.take() {
                        Some(cause) => state = State::SuspectGoesOn(cause),
                        None if written == 0 => return self.step(input, out),
                        None => {}
                    }
                }
                CodecStep {
                    read: 0,
                    written,
                    state,
                }
            }
        };
        self.read += step.read as u64;
        step
    }

    fn part(&self) -> (u64, u64) {
        (self.at, self.at + 1)
    }

    fn fork(&self) -> Option<Box<dyn Codec>> {
        Some(Box::new(Lz4::default()))
    }
}

/// Returns the length and the settings of the frame's header; `None` when more
/// input is needed.
fn header(input: &[u8]) -> Result<Option<(usize, Frame)>, State> {
    const LINKED: u8 = 1 << 5;
    let &[_, _, _, _, flags, sizes, ..] = input else {
        return Ok(None);
    };
    let has = |bit: u8| flags >> bit & 1 == 1;
    if flags >> 6 != 1 || has(1) || sizes & 0x8F != 0 || sizes >> 4 < 4 {
        return Err(State::Broken("unknown version or flags"));
    }
    let mut len = 6;
    let mut content_len = None;
    if has(3) {
        let Some(bytes) = input.get(len..).and_then(<[u8]>::first_chunk) else {
            return Ok(None);
        };
        content_len = Some(u64::from_le_bytes(*bytes));
        len += 8;
    }
    if has(0) {
        len += 4;
    }
    let Some(&checksum) = input.get(len) else {
        return Ok(None);
    };
    if (XxHash32::oneshot(0, &input[4..len]) >> 8) as u8 != checksum {
        return Err(State::Broken("wrong checksum of the header"));
    }
    if has(0) {
        return Err(State::Unsupported("it needs a dictionary"));
    }
    let frame = Frame {
        linked: flags & LINKED == 0,
        block_checksum: has(4),
        content_checksum: has(2),
        content_len,
        block_max: 1 << (8 + 2 * (sizes >> 4)),
    };
    Ok(Some((len + 1, frame)))
}
