//! The blocks of all inputs, in order. A block of a file is only named here and
//! read by the worker that has it; a pipe is read here, by one worker at a time,
//! and gives a block early when its writer pauses.

use super::error::{Error, ErrorKind};
use crate::decode::{Encoding, Utf16Decoder, utf16_bom};
use crate::input::{Opened, ReadAt, Source, Stream};
use crate::scan::{Cut, Cutter};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A block as it is claimed.
pub(super) struct Claim<'s> {
    /// Its number in the order of all inputs.
    pub seq: u64,
    /// The input that it is of.
    pub input: usize,
    pub body: Body<'s>,
}

/// Where the bytes of a block are.
pub(super) enum Body<'s> {
    /// In a file, still to be read.
    At {
        source: Arc<dyn ReadAt + 's>,
        /// Raw offset of the block's nominal start.
        start: u64,
        /// Raw offset of its nominal end.
        end: u64,
        /// Raw length of the file.
        len: u64,
    },
    /// Here.
    Text(Text),
    /// The input gives no block.
    Failed(Error),
}

/// The text of a block.
#[derive(Debug, Default)]
pub(super) struct Text {
    /// What was read, from `from` on.
    pub bytes: Vec<u8>,
    /// Where in `bytes` the block starts.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// Raw offset in the input of its start.
    pub offset: u64,
    pub encoding: Encoding,
    /// The block before it ended inside something.
    pub carried: bool,
    pub end: End,
    /// What it gives is to be told at once.
    pub flush: bool,
    /// Why nothing more could be read.
    pub failed: Option<Error>,
}

/// How a block ends.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing lies across its end, or the input ended.
    #[default]
    Clean,
    /// The next block must know how it ended.
    Open,
}

/// Gives the blocks.
pub(super) struct Blocks<'s> {
    sources: Box<dyn Iterator<Item = Source<'s>> + Send + 's>,
    current: Option<Current<'s>>,
    /// Number of the current input, plus one.
    opened: usize,
    seq: u64,
    size: usize,
    cutter: Cutter,
    /// When set, the input ends.
    cancel: Option<Cancel>,
}

/// Says, once it is true, that the input ends.
pub(super) type Cancel = Arc<AtomicBool>;

fn is_cancelled(cancel: &Option<Cancel>) -> bool {
    cancel
        .as_ref()
        .is_some_and(|flag| flag.load(Ordering::Relaxed))
}

enum Current<'s> {
    At {
        source: Arc<dyn ReadAt + 's>,
        next: u64,
        len: u64,
    },
    Stream(Pending<'s>),
}

/// A stream and what was read of it but not yet given on.
struct Pending<'s> {
    stream: Stream<'s>,
    text: Vec<u8>,
    /// Raw offset of the start of `text`.
    offset: u64,
    carried: bool,
    sniffed: bool,
    ended: bool,
    failed: Option<io::Error>,
    decoder: Option<Utf16Decoder>,
    raw: Vec<u8>,
}

impl<'s> Blocks<'s> {
    pub(super) fn new(
        sources: impl Iterator<Item = Source<'s>> + Send + 's,
        size: usize,
        cutter: Cutter,
        cancel: Option<Cancel>,
    ) -> Blocks<'s> {
        Blocks {
            sources: Box::new(sources),
            current: None,
            opened: 0,
            seq: 0,
            size,
            cutter,
            cancel,
        }
    }

    /// The next block; `spare` is a buffer to use for it.
    pub(super) fn claim(&mut self, spare: Vec<u8>) -> Option<Claim<'s>> {
        let mut spare = Some(spare);
        loop {
            if is_cancelled(&self.cancel) && !matches!(self.current, Some(Current::Stream(_))) {
                return None;
            }
            let body = match &mut self.current {
                None => {
                    let source = self.sources.next()?;
                    self.opened += 1;
                    match open(source) {
                        Ok(current) => {
                            self.current = Some(current);
                            continue;
                        }
                        Err(cause) => {
                            Body::Failed(Error::new(ErrorKind::Open(self.opened - 1), cause))
                        }
                    }
                }
                Some(Current::At { source, next, len }) => {
                    if *next >= *len {
                        self.current = None;
                        continue;
                    }
                    let start = *next;
                    let end = (start + self.size as u64).min(*len);
                    *next = end;
                    Body::At {
                        source: Arc::clone(source),
                        start,
                        end,
                        len: *len,
                    }
                }
                Some(Current::Stream(pending)) => {
                    let buffer = spare.take().unwrap_or_default();
                    let input = self.opened - 1;
                    match pending.block(self.size, &self.cutter, &self.cancel, buffer, input) {
                        Some(text) => Body::Text(text),
                        None => {
                            self.current = None;
                            continue;
                        }
                    }
                }
            };
            let seq = self.seq;
            self.seq += 1;
            return Some(Claim {
                seq,
                input: self.opened - 1,
                body,
            });
        }
    }
}

fn open(source: Source) -> io::Result<Current> {
    Ok(match source.open()? {
        Opened::At(source, len) => {
            let mut head = [0u8; 4];
            // What cannot be read here is told by the block that cannot be read.
            let filled = source.fill_at(&mut head, 0).unwrap_or(0);
            match utf16_bom(&head[..filled]) {
                None => Current::At {
                    source,
                    next: 0,
                    len,
                },
                Some(_) => Current::Stream(Pending::new(Stream::of(source, len))),
            }
        }
        Opened::Stream(stream) => Current::Stream(Pending::new(stream)),
    })
}

impl<'s> Pending<'s> {
    fn new(stream: Stream<'s>) -> Pending<'s> {
        Pending {
            stream,
            text: Vec::new(),
            offset: 0,
            carried: false,
            sniffed: false,
            ended: false,
            failed: None,
            decoder: None,
            raw: Vec::new(),
        }
    }

    fn encoding(&self) -> Encoding {
        match self.decoder {
            Some(_) => Encoding::Utf16,
            None => Encoding::Raw,
        }
    }

    /// Reads until a block is full, the writer pauses or the stream ends, and
    /// gives what may be scanned on its own.
    fn block(
        &mut self,
        size: usize,
        cutter: &Cutter,
        cancel: &Option<Cancel>,
        buffer: Vec<u8>,
        input: usize,
    ) -> Option<Text> {
        let paused = self.fill(size, cancel);
        if self.text.is_empty() && self.ended {
            let carried = std::mem::take(&mut self.carried);
            let cause = self.failed.take();
            if cause.is_none() && !carried {
                return None;
            }
            // What the last block left undecided ends here.
            return Some(Text {
                offset: self.offset,
                encoding: self.encoding(),
                failed: cause.map(|cause| Error::new(ErrorKind::Read(input, self.offset), cause)),
                carried,
                ..Text::default()
            });
        }
        let window = &self.text[self.text.len().saturating_sub(cutter.look_back())..];
        let skipped = self.text.len() - window.len();
        let fresh = skipped == 0 && !self.carried;
        let (to, end) = match cutter.cut(window, fresh) {
            _ if self.ended => (self.text.len(), End::Clean),
            Cut::Safe(at) if !paused || skipped + at == self.text.len() => {
                (skipped + at, End::Clean)
            }
            _ => (self.text.len(), End::Open),
        };
        let mut rest = buffer;
        rest.clear();
        rest.extend_from_slice(&self.text[to..]);
        let bytes = std::mem::replace(&mut self.text, rest);
        let encoding = self.encoding();
        let offset = self.offset;
        self.offset += encoding.raw_len(&bytes[..to]);
        let carried = std::mem::replace(&mut self.carried, end == End::Open);
        Some(Text {
            bytes,
            from: 0,
            to,
            offset,
            encoding,
            carried,
            end,
            flush: paused,
            failed: None,
        })
    }

    /// Reads until `size` bytes are there; true when the writer pauses.
    fn fill(&mut self, size: usize, cancel: &Option<Cancel>) -> bool {
        while !self.ended && self.text.len() < size {
            if cancel.is_some() && self.stream.wait(|| is_cancelled(cancel)) {
                self.ended = true;
                break;
            }
            let had = self.text.len();
            if self.decoder.is_some() || !self.sniffed {
                self.read_raw(size);
            } else {
                self.text.resize(size, 0);
                let result = self.stream.read(&mut self.text[had..]);
                let len = self.settle(result);
                self.text.truncate(had + len);
            }
            if !self.ended && !self.text.is_empty() && self.stream.pauses() {
                return true;
            }
        }
        false
    }

    /// Reads bytes that are to be decoded, or whose encoding is to be told.
    fn read_raw(&mut self, size: usize) {
        let had = self.raw.len();
        self.raw.resize(had + size.max(4), 0);
        let result = self.stream.read(&mut self.raw[had..]);
        let len = self.settle(result);
        self.raw.truncate(had + len);
        if !self.sniffed {
            let undecided = matches!(
                self.raw[..],
                [0xFF] | [0xFE] | [0xFF, 0xFE] | [0xFF, 0xFE, 0]
            );
            if undecided && !self.ended {
                return;
            }
            self.sniffed = true;
            self.decoder = utf16_bom(&self.raw).map(Utf16Decoder::new);
        }
        match &mut self.decoder {
            Some(decoder) => {
                decoder.decode(&self.raw, &mut self.text);
                if self.ended {
                    decoder.finish(&mut self.text);
                }
            }
            None => self.text.extend_from_slice(&self.raw),
        }
        self.raw.clear();
    }

    /// How many bytes a read gave; notes its end or its failure.
    fn settle(&mut self, result: io::Result<usize>) -> usize {
        match result {
            Ok(0) => {
                self.ended = true;
                0
            }
            Ok(len) => len,
            Err(cause) => {
                self.failed = Some(cause);
                self.ended = true;
                0
            }
        }
    }
}

/// Reads the block of a file into `bytes`, with what decides where it starts and
/// ends.
pub(super) fn read_block(
    source: &dyn ReadAt,
    (start, end, len): (u64, u64, u64),
    input: usize,
    cutter: &Cutter,
    mut bytes: Vec<u8>,
) -> Text {
    let window = cutter.look_back() as u64;
    let base = start.saturating_sub(window);
    bytes.resize((end - base) as usize, 0);
    let (filled, failed) = match source.fill_at(&mut bytes, base) {
        Ok(filled) if filled < bytes.len() => {
            let cause = io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the file became shorter while it was read",
            );
            (filled, Some((base + filled as u64, cause)))
        }
        Ok(filled) => (filled, None),
        Err(cause) => (0, Some((start, cause))),
    };
    bytes.truncate(filled);
    let failed = failed.map(|(at, cause)| Error::new(ErrorKind::Read(input, at.max(start)), cause));
    let cut_at = |nominal: u64| -> (usize, bool) {
        let to = ((nominal - base) as usize).min(bytes.len());
        if nominal == 0 || nominal >= len {
            return (to, false);
        }
        let from = to.saturating_sub(window as usize);
        match cutter.cut(&bytes[from..to], base + from as u64 == 0) {
            Cut::Safe(at) => (from + at, false),
            Cut::Nowhere => (to, true),
        }
    };
    let (from, carried) = cut_at(start);
    let (to, open) = cut_at(end);
    Text {
        from,
        to: to.max(from),
        offset: base + from as u64,
        bytes,
        encoding: Encoding::Raw,
        carried,
        end: if open { End::Open } else { End::Clean },
        flush: false,
        failed,
    }
}
