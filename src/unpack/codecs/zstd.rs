//! One frame of Zstandard (RFC 8878), which may be a skippable one. A file may contain
//! its dictionary: web archives begin with a skippable frame that holds one, compressed
//! or not.

use crate::unpack::bound::WINDOW_MAX;
use crate::unpack::codec::{Codec, CodecStep, State};
use std::sync::Arc;
use zstd_safe::{DCtx, DParameter, InBuffer, OutBuffer, ResetDirective};

/// Frames that need larger windows are not decoded ahead. Every decoder must support
/// this one (RFC 8878 section 3.1.1.1.2).
const WINDOW_AHEAD: u64 = 8 << 20;
/// The frame that holds a dictionary.
const DICTIONARY_FRAME: u32 = 0x184D_2A5D;
/// Larger dictionaries are rejected.
const DICTIONARY_MAX: usize = 16 << 20;
/// A dictionary is in memory as it was read, for further decoders, and in the
/// decoder.
const DICTIONARY_COPIES: u64 = 3;
const MAGIC: u32 = 0xFD2F_B528;
/// Bytes of the header of a block.
const BLOCK_HEADER: usize = 3;
/// The most bytes of the header of a frame, with the magic number.
const FRAME_HEADER: usize = 18;

enum Phase {
    Start,
    /// In a skippable frame, of which this number of bytes is left.
    Skip(u64),
    /// In a frame; the next step takes at most this number of bytes.
    Data(usize),
}

pub(super) struct Zstd {
    context: DCtx<'static>,
    part: Phase,
    /// Whether a frame was read: then no dictionary follows.
    begun: bool,
    dictionary: Option<Arc<[u8]>>,
    /// The bytes that the dictionary takes, also of one for which there was no room.
    held: u64,
    /// The most bytes of a window, and of the dictionary.
    window: u64,
    /// The part of the frame's header that was read; `None` once the window is
    /// known.
    header: Option<Vec<u8>>,
}

impl Zstd {
    pub(super) fn new() -> Option<Zstd> {
        let mut context = DCtx::try_create()?;
        let limit = DParameter::WindowLogMax(WINDOW_MAX.ilog2());
        context.set_parameter(limit).ok()?;
        Some(Zstd {
            context,
            part: Phase::Start,
            begun: false,
            dictionary: None,
            held: 0,
            window: WINDOW_MAX,
            header: None,
        })
    }

    fn start(&mut self, input: &[u8]) -> CodecStep {
        let Some(magic) = input.first_chunk().map(|&bytes| u32::from_le_bytes(bytes)) else {
            return CodecStep::WAIT;
        };
        if magic == MAGIC {
            self.begun = true;
            if let Some(needed) = self.needed_memory(0).filter(|_| self.dictionary.is_none()) {
                return CodecStep::stays(State::NeedsWindow(needed));
            }
            // Resetting a session cannot fail.
            let _ = self.context.reset(ResetDirective::SessionOnly);
            self.part = Phase::Data(5 + BLOCK_HEADER);
            self.header = Some(Vec::new());
            return self.data(input, &mut []);
        }
        let Some(size) = input[4..].first_chunk() else {
            return CodecStep::WAIT;
        };
        let size = u32::from_le_bytes(*size) as usize;
        let is_dictionary = magic == DICTIONARY_FRAME && !self.begun;
        if is_dictionary && size <= DICTIONARY_MAX {
            self.held = DICTIONARY_COPIES * size as u64;
            let content = &input[8..input.len().min(8 + size)];
            if let Ok(Some(unpacked)) = zstd_safe::get_frame_content_size(content) {
                self.held = self.held.max(DICTIONARY_COPIES.saturating_mul(unpacked));
            }
            if content.len() < size.min(FRAME_HEADER) {
                return CodecStep::WAIT;
            }
            if let Some(needed) = self.needed_memory(0) {
                return CodecStep::stays(State::NeedsWindow(needed));
            }
            if content.len() < size {
                return CodecStep::WAIT;
            }
            self.begun = true;
            let state = match self.load(content) {
                true => State::End,
                false => {
                    self.held = 0;
                    State::Broken("invalid dictionary")
                }
            };
            return CodecStep {
                read: 8 + size,
                written: 0,
                state,
            };
        }
        self.begun |= is_dictionary;
        self.part = Phase::Skip(size as u64);
        CodecStep {
            read: 8,
            written: 0,
            state: match size {
                0 => State::End,
                _ => State::More,
            },
        }
    }

    fn load(&mut self, content: &[u8]) -> bool {
        let mut unpacked: Vec<u8> = Vec::new();
        let dictionary = if content.starts_with(&MAGIC.to_le_bytes()) {
            let len = zstd_safe::get_frame_content_size(content);
            let len = len.ok().flatten().unwrap_or(u64::MAX);
            unpacked.reserve_exact(len.min(DICTIONARY_MAX as u64) as usize);
            if zstd_safe::decompress(&mut unpacked, content).is_err() {
                return false;
            }
            &unpacked[..]
        } else {
            content
        };
        self.dictionary = Some(dictionary.into());
        self.context.load_dictionary(dictionary).is_ok()
    }

    /// Returns the memory for a window of `window` bytes or for the dictionary, if it
    /// exceeds the bound. Windows that no limit allows are left to the decoder.
    fn needed_memory(&self, window: u64) -> Option<u64> {
        let needed = window.max(self.held);
        (self.window < needed && needed <= WINDOW_MAX).then_some(needed)
    }

    /// Decodes at most one block, without the header of the next one, and its last
    /// byte in a separate step: a failed step loses its output, and the lost output
    /// must not depend on the number of available bytes.
    fn data(&mut self, input: &[u8], out: &mut [u8]) -> CodecStep {
        let Phase::Data(wanted) = self.part else {
            return CodecStep::WAIT;
        };
        let step = match wanted {
            0 | 1 => 1,
            2..=BLOCK_HEADER => wanted - 1,
            // The bytes wanted end in the next header, where one follows.
            _ => (wanted - BLOCK_HEADER - 1).max(1),
        };
        let input = &input[..input.len().min(step)];
        if let Some(mut header) = self.header.take() {
            let known = header.len();
            header.extend_from_slice(input);
            let needed = window(&header);
            let missing = needed.and_then(|needed| self.needed_memory(needed));
            if missing.is_some() {
                header.truncate(known);
            }
            if missing.is_some() || needed.is_none() && header.len() < FRAME_HEADER {
                self.header = Some(header);
            }
            if let Some(needed) = missing {
                return CodecStep::stays(State::NeedsWindow(needed));
            }
        }
        let mut from = InBuffer::around(input);
        let mut to = OutBuffer::around(out);
        let result = self.context.decompress_stream(&mut to, &mut from);
        let (read, written) = (from.pos(), to.pos());
        let (read, state) = match result {
            Ok(0) => (read, State::End),
            Ok(hint) => {
                self.part = Phase::Data(hint);
                (read, State::More)
            }
            Err(code) => match zstd_safe::get_error_name(code) {
                "Restored data doesn't match checksum" => {
                    (input.len(), State::Suspect("wrong checksum"))
                }
                "Frame requires too much memory for decoding" => {
                    let cause = "it needs a window of more than 128 MiB";
                    (read, State::Unsupported(cause))
                }
                "Dictionary mismatch" => {
                    let cause = "it needs a dictionary that is not in the file";
                    (read, State::Unsupported(cause))
                }
                _ => (read, State::Broken("invalid frame")),
            },
        };
        CodecStep {
            read,
            written,
            state,
        }
    }
}

/// Returns the window that a frame with this header needs, at least 1; `None` when more
/// of the header is needed (RFC 8878 section 3.1.1.1).
fn window(header: &[u8]) -> Option<u64> {
    let (&descriptor, rest) = header.get(4..)?.split_first()?;
    if descriptor & 0x20 == 0 {
        let byte = *rest.first()?;
        let base = 1 << (10 + (byte >> 3));
        return Some(base + base / 8 * u64::from(byte & 7));
    }
    // A frame in a single segment is as long as its content.
    let id = [0, 1, 2, 4][usize::from(descriptor & 3)];
    let len = 1 << (descriptor >> 6);
    let mut bytes = [0; 8];
    bytes[..len].copy_from_slice(rest.get(id..id + len)?);
    let more = if len == 2 { 256 } else { 0 };
    Some(u64::from_le_bytes(bytes).saturating_add(more).max(1))
}

impl Codec for Zstd {
    fn begin(&mut self) {
        self.part = Phase::Start;
    }

    fn allow_window(&mut self, most: u64) {
        self.window = most;
    }

    fn step(&mut self, input: &[u8], out: &mut [u8]) -> CodecStep {
        match self.part {
            Phase::Start => self.start(input),
            Phase::Data(_) => self.data(input, out),
            Phase::Skip(left) => {
                let read = usize::try_from(left).map_or(input.len(), |l| l.min(input.len()));
                let left = left - read as u64;
                self.part = Phase::Skip(left);
                CodecStep {
                    read,
                    written: 0,
                    state: match left {
                        0 => State::End,
                        _ => State::More,
                    },
                }
            }
        }
    }

    fn fork(&self) -> Option<Box<dyn Codec>> {
        if !self.begun {
            return None;
        }
        let mut zstd = Zstd::new()?;
        zstd.window = self.window.min(WINDOW_AHEAD);
        zstd.begun = true;
        if let Some(dictionary) = &self.dictionary {
            // Further decoders are many.
            if dictionary.len() as u64 > self.window / 8 {
                return None;
            }
            zstd.context.load_dictionary(dictionary).ok()?;
        }
        Some(Box::new(zstd))
    }
}
