//! The blocks of all inputs, in order. A block of a file is only named here and
//! read by the worker that has it; what must be taken as it comes is left to
//! `stream`.

use super::ahead::Ahead;
use super::block::{Body, Claim, End, Start, Stretch, Text};
use super::cancel::Cancel;
use super::error::{Error, ErrorKind};
use super::fault;
use super::handoff::Ended;
use super::lists::Lists;
use super::read_as::ReadAs;
use super::stream::Pending;
use crate::decode::{Beginning, HEAD};
use crate::input::{Opened, ReadAt, Source, Stream, became_shorter};
use crate::item::Encoding;
use crate::scan::{Cut, Cutter};
use crate::unpack::{Compression, Unpack, is_container, opaque};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// So many bytes show compressions and containers, and most texts.
const MAGIC: usize = 512;

/// What a block has to report that starts at the raw offset `start` and may have
/// `failed` itself, when what stands before it could not be read again: a failure
/// is reported from the first byte on that no block searched, and once for all
/// blocks that follow each other.
pub(super) fn torn(
    before: &Ended,
    (start, cause): (u64, io::Error),
    failed: Option<Error>,
    input: usize,
) -> Option<Error> {
    if before.failed {
        return failed.filter(|error| !error.is_read_at(start));
    }
    if before.at == start {
        return failed;
    }
    Some(Error::new(ErrorKind::Read(input, before.at), cause))
}

/// Gives the blocks.
pub(super) struct Blocks<'s> {
    sources: Box<dyn Iterator<Item = Source<'s>> + Send + 's>,
    current: Option<Current<'s>>,
    /// Number of the current input, plus one.
    opened: usize,
    seq: u64,
    /// There are no more.
    ended: bool,
    /// The current input is being opened.
    is_opening: bool,
    size: usize,
    /// When reading ends early.
    cancel: Cancel,
    unpack: Unpack,
    /// All text is UTF-16.
    utf16: bool,
    lists: Arc<Lists>,
    ahead: Arc<Ahead>,
}

enum Current<'s> {
    At {
        source: Arc<dyn ReadAt + 's>,
        first: u64,
        next: u64,
        len: u64,
    },
    Stream(Box<Pending<'s>>),
}

impl<'s> Blocks<'s> {
    pub(super) fn new(
        sources: impl Iterator<Item = Source<'s>> + Send + 's,
        size: usize,
        cancel: Cancel,
        (unpack, utf16): (Unpack, bool),
        lists: Arc<Lists>,
        ahead: Arc<Ahead>,
    ) -> Blocks<'s> {
        Blocks {
            sources: Box::new(sources),
            current: None,
            opened: 0,
            seq: 0,
            ended: false,
            is_opening: false,
            size,
            cancel,
            unpack,
            utf16,
            lists,
            ahead,
        }
    }

    /// The next block; `spare` is a buffer to use for it. A panic of what gives the
    /// inputs, or of one of them, takes the place of a block, and is the last.
    pub(super) fn claim(&mut self, spare: Vec<u8>) -> Option<Claim<'s>> {
        if self.ended {
            return None;
        }
        let claimed = fault::catch(|| self.claim_next(spare));
        claimed.unwrap_or_else(|panic| {
            self.ended = true;
            let (input, place) = match self.current {
                Some(_) => (self.opened - 1, "while the input was read"),
                None if self.is_opening => (self.opened - 1, "while the input was opened"),
                None => (self.opened, "before the input was known"),
            };
            Some(Claim {
                seq: self.seq,
                input,
                body: Body::Panicked(panic.error(input, place)),
            })
        })
    }

    fn claim_next(&mut self, spare: Vec<u8>) -> Option<Claim<'s>> {
        let mut spare = Some(spare);
        loop {
            if self.current.is_some() && self.cancel.is_finished(self.opened - 1) {
                self.current = None;
            }
            if self.cancel.is_set() && !matches!(self.current, Some(Current::Stream(_))) {
                return None;
            }
            let body = match &mut self.current {
                None => {
                    self.is_opening = false;
                    let source = self.sources.next()?;
                    self.opened += 1;
                    self.is_opening = true;
                    let input = self.opened - 1;
                    match self.open(source, input) {
                        Ok(current) => {
                            self.current = Some(current);
                            continue;
                        }
                        Err(cause) => Body::Failed(Error::new(ErrorKind::Open(input), cause)),
                    }
                }
                Some(Current::At {
                    source,
                    first,
                    next,
                    len,
                }) => {
                    if *next >= *len {
                        self.current = None;
                        continue;
                    }
                    let start = *next;
                    let end = (start + self.size as u64).min(*len);
                    *next = end;
                    let cutter = self.lists.cutter(self.opened - 1);
                    // Else most of what is read would be read for several blocks.
                    let reach = match cutter.long_look_back() {
                        reach if reach <= self.size => reach,
                        _ => cutter.look_back(),
                    };
                    Body::At {
                        source: Arc::clone(source),
                        first: *first,
                        start,
                        end,
                        len: *len,
                        reach: reach as u64,
                        buffer: spare.take().unwrap_or_default(),
                    }
                }
                Some(Current::Stream(pending)) => {
                    let cutter = self.lists.cutter(self.opened - 1);
                    let buffer = spare.take().unwrap_or_default();
                    match pending.block(self.size, &cutter, buffer) {
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
        let (unpack, utf16) = self.lists.reading(input, self.unpack, self.utf16);
        let stream = match source.open()? {
            Opened::At(source, len) => {
                let mut head = [0u8; HEAD];
                // What cannot be read here is told by the block that cannot be read.
                let (mut filled, _) = source.fill_at(&mut head[..MAGIC], 0);
                let begins = |head: &[u8]| {
                    let whole = head.len() as u64 >= len;
                    Beginning::of(head, whole, utf16)
                };
                let mut beginning = begins(&head[..filled]);
                if beginning.is_none() {
                    (filled, _) = source.fill_at(&mut head, 0);
                    beginning = begins(&head[..filled]);
                }
                let beginning = beginning.unwrap_or_default();
                let head = &head[..filled];
                if beginning.utf16.is_none()
                    && !(unpack.decompress && Compression::of(head).is_some())
                    && !(unpack.containers && is_container(head))
                    && !(unpack.containers && opaque(head).is_some())
                {
                    let first = beginning.mark as u64;
                    return Ok(Current::At {
                        source,
                        first,
                        next: first,
                        len,
                    });
                }
                Stream::of(source, len)
            }
            Opened::Stream(stream) => stream,
        };
        let (cancel, ahead) = (self.cancel.of(input), Arc::clone(&self.ahead));
        let pending = Pending::new(stream, input, (unpack, utf16), cancel, ahead);
        Ok(Current::Stream(Box::new(pending)))
    }
}

impl Claim<'_> {
    /// The text of the block, read if it is not here yet.
    ///
    /// # Errors
    /// A panic that took the place of the block.
    pub(super) fn read(self, lists: &Lists) -> Result<Text, Error> {
        Ok(match self.body {
            Body::Text(text) => text,
            Body::At {
                source,
                first,
                start,
                end,
                len,
                reach,
                buffer,
            } => {
                let span = (first, start, end, len);
                let cutter = lists.cutter(self.input);
                read_block(&*source, span, self.input, (&cutter, reach), buffer)
            }
            Body::Failed(error) => Text {
                failed: Some(error),
                ..Text::default()
            },
            Body::Panicked(error) => return Err(error),
        })
    }
}

/// Reads the block from `start` to `end` of a file, whose text goes from `first` to
/// `len`, into `bytes`, with what decides where it starts and ends. What cannot be
/// read ends the block, and is its failure.
fn read_block(
    source: &dyn ReadAt,
    (first, start, end, len): (u64, u64, u64, u64),
    input: usize,
    (cutter, reach): (&Cutter, u64),
    mut bytes: Vec<u8>,
) -> Text {
    let window = cutter.look_back() as u64;
    let mut base = start.saturating_sub(window).max(first);
    let mut failure = fill(source, &mut bytes, base..end);
    let is_torn = base + (bytes.len() as u64) < start;
    let mut begin = Start::Clean;
    if is_torn && let Some(cause) = failure {
        // What stands before the block cannot be read again: the block may be.
        begin = Start::Torn(start, cause);
        base = start;
        failure = fill(source, &mut bytes, base..end);
    }
    let cut_at = |bytes: &[u8], base: u64, nominal: u64| -> (usize, bool) {
        let to = (nominal - base) as usize;
        if nominal == first || nominal >= len {
            return (to, false);
        }
        let from = to.saturating_sub(reach as usize);
        match cutter.cut(&bytes[from..to], base + from as u64 == first) {
            Cut::Safe(at) => (from + at, false),
            Cut::Nowhere => (to, true),
        }
    };
    let start_at = |bytes: &[u8], base: u64| match begin {
        Start::Torn(..) => (0, false),
        _ => cut_at(bytes, base, start),
    };
    let (mut from, mut carried) = start_at(&bytes, base);
    let further = start.saturating_sub(reach).max(first);
    if carried && further < base {
        // The block before it has these bytes at hand, and finds the same.
        match prepend(source, &mut bytes, further..base) {
            None => {
                base = further;
                (from, carried) = start_at(&bytes, base);
            }
            Some(cause) => {
                bytes.drain(..(start - base) as usize);
                base = start;
                begin = Start::Torn(start, cause);
                (from, carried) = (0, false);
            }
        }
    }
    if carried {
        begin = Start::Carried;
    }
    let (to, open) = match failure {
        Some(_) => (bytes.len(), false),
        None => cut_at(&bytes, base, end),
    };
    let failed_at = base + bytes.len() as u64;
    let part = Stretch {
        from,
        to: to.max(from),
        offset: base + from as u64,
        ..Stretch::default()
    };
    Text {
        bytes,
        parts: vec![part],
        encoding: Encoding::Raw,
        read_as: ReadAs::default(),
        stored: end - start,
        start: begin,
        end: if open { End::Open } else { End::Clean },
        flush: false,
        losses: Vec::new(),
        failed: failure.map(|cause| Error::new(ErrorKind::Read(input, failed_at), cause)),
    }
}

/// Reads `range` to the front of `bytes`, or leaves them and says why not.
fn prepend(source: &dyn ReadAt, bytes: &mut Vec<u8>, range: Range<u64>) -> Option<io::Error> {
    let (held, more) = (bytes.len(), (range.end - range.start) as usize);
    bytes.resize(held + more, 0);
    bytes.copy_within(..held, more);
    let (filled, result) = source.fill_at(&mut bytes[..more], range.start);
    if filled == more && result.is_ok() {
        return None;
    }
    bytes.drain(..more);
    Some(result.err().unwrap_or_else(became_shorter))
}

/// Reads `range` into `bytes`, as far as it can be read, and says why not further.
fn fill(source: &dyn ReadAt, bytes: &mut Vec<u8>, range: Range<u64>) -> Option<io::Error> {
    bytes.resize((range.end - range.start) as usize, 0);
    let (filled, result) = source.fill_at(bytes, range.start);
    let is_short = filled < bytes.len();
    bytes.truncate(filled);
    match result {
        Err(cause) => Some(cause),
        Ok(()) => is_short.then(became_shorter),
    }
}
