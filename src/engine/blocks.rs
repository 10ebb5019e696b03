//! The blocks of all inputs, in order. A block of a file is only named here and
//! read by the worker that has it; what must be taken as it comes is left to
//! `stream`.

use super::ahead::Ahead;
use super::error::{Error, ErrorKind};
use super::stream::Pending;
use crate::decode::{Encoding, utf16_bom};
use crate::input::{Opened, ReadAt, Source, Stream};
use crate::item::Loss;
use crate::scan::{Cut, Cutter};
use crate::unpack::{self, Coded, Compression, Record, Sought};
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
    /// What was read.
    pub bytes: Vec<u8>,
    /// What of it the block is, in order.
    pub parts: Vec<Part>,
    pub encoding: Encoding,
    /// The block before it ended inside something.
    pub carried: bool,
    pub end: End,
    /// What it gives is to be told at once.
    pub flush: bool,
    /// What could not be unpacked, and how many coded parts stand before it.
    pub losses: Vec<(usize, Loss)>,
    /// Why nothing more could be read.
    pub failed: Option<Error>,
}

/// A part of a block: nothing lies across its ends but those of the block.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// Where in the bytes of the block it starts.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
    /// Raw offset of its start in the input, or in the block of its record.
    pub offset: u64,
    /// The record of an archive that it is of.
    pub record: Option<Arc<Record>>,
    /// It is the start of a record: lines are counted from here.
    pub begins: bool,
    /// What is looked for in it.
    pub sought: Sought,
    /// It is empty, and stands for this, which is still to be decoded.
    pub coded: Option<Arc<Coded>>,
    /// Raw offset from which on it may be wrong.
    pub doubt: Option<u64>,
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
    unpack: Unpack,
    ahead: Arc<Ahead>,
}

/// What is unpacked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unpack {
    pub decompress: bool,
    pub archives: bool,
}

/// Says, once it is true, that the input ends.
pub(super) type Cancel = Arc<AtomicBool>;

pub(super) fn is_cancelled(cancel: &Option<Cancel>) -> bool {
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
    Stream(Box<Pending<'s>>),
}

impl<'s> Blocks<'s> {
    pub(super) fn new(
        sources: impl Iterator<Item = Source<'s>> + Send + 's,
        size: usize,
        cutter: Cutter,
        cancel: Option<Cancel>,
        unpack: Unpack,
        ahead: Arc<Ahead>,
    ) -> Blocks<'s> {
        Blocks {
            sources: Box::new(sources),
            current: None,
            opened: 0,
            seq: 0,
            size,
            cutter,
            cancel,
            unpack,
            ahead,
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
                    let input = self.opened - 1;
                    match self.open(source, input) {
                        Ok(current) => {
                            self.current = Some(current);
                            continue;
                        }
                        Err(cause) => Body::Failed(Error::new(ErrorKind::Open(input), cause)),
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
                    match pending.block(self.size, &self.cutter, buffer) {
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

    fn open(&self, source: Source<'s>, input: usize) -> io::Result<Current<'s>> {
        let unpack = self.unpack;
        let stream = match source.open()? {
            Opened::At(source, len) => {
                let mut head = [0u8; 32];
                // What cannot be read here is told by the block that cannot be read.
                let filled = source.fill_at(&mut head, 0).unwrap_or(0);
                let head = &head[..filled];
                // What may be a damaged magic number is judged where more was read.
                let is_compressed = || Compression::of(head).or_else(|| Compression::nearly(head));
                if utf16_bom(head).is_none()
                    && !(unpack.decompress && is_compressed().is_some())
                    && !(unpack.archives && unpack::is_archive(head))
                    && !(unpack.archives && unpack::opaque(head).is_some())
                {
                    return Ok(Current::At {
                        source,
                        next: 0,
                        len,
                    });
                }
                Stream::of(source, len)
            }
            Opened::Stream(stream) => stream,
        };
        let (cancel, ahead) = (self.cancel.clone(), Arc::clone(&self.ahead));
        let pending = Pending::new(stream, input, unpack, cancel, ahead);
        Ok(Current::Stream(Box::new(pending)))
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
    let part = Part {
        from,
        to: to.max(from),
        offset: base + from as u64,
        record: None,
        begins: false,
        sought: Sought::Uris,
        coded: None,
        doubt: None,
    };
    Text {
        bytes,
        parts: vec![part],
        encoding: Encoding::Raw,
        carried,
        end: if open { End::Open } else { End::Clean },
        flush: false,
        losses: Vec::new(),
        failed,
    }
}
