//! The blocks of one input, in order. A block of a file is only named here and
//! read by the worker that has it; what must be taken as it comes is left to
//! `stream`, and which input is read when to `window`.

use super::ahead::Ahead;
use super::batch::{Next, Turn};
use super::block::{Body, Claim, End, Start, Stretch, Text};
use super::cancel::Cancel;
use super::error::{Error, ErrorKind};
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

/// How inputs are opened and cut into blocks.
pub(super) struct Opening {
    pub size: usize,
    /// When reading ends early.
    pub cancel: Cancel,
    pub unpack: Unpack,
    /// All text is UTF-16.
    pub utf16: bool,
    pub lists: Arc<Lists>,
    pub ahead: Arc<Ahead>,
}

/// An input that is open.
pub(super) struct Input<'s> {
    number: usize,
    /// So many of its blocks were claimed.
    claimed: u64,
    content: Content<'s>,
}

enum Content<'s> {
    At {
        source: Arc<dyn ReadAt + 's>,
        first: u64,
        next: u64,
        len: u64,
    },
    /// One block, that was read when the file was opened; its text starts here.
    Small(Vec<u8>, usize),
    Stream(Box<Pending<'s>>),
}

impl<'s> Input<'s> {
    /// The place of the next block.
    pub(super) fn turn(&self) -> Turn {
        Turn {
            input: self.number,
            block: self.claimed,
            part: 0,
        }
    }

    /// Whether the next block is only named, so that to claim it takes no time.
    pub(super) fn is_named(&self) -> bool {
        matches!(self.content, Content::At { .. })
    }

    /// Whether whoever claims the next block waits for nobody outside.
    pub(super) fn reads_at_once(&self) -> bool {
        match &self.content {
            Content::At { .. } | Content::Small(..) => true,
            Content::Stream(pending) => pending.reads_at_once(),
        }
    }

    /// The next block, or what says that there is none; `spare` is a buffer to use for
    /// it.
    pub(super) fn claim(&mut self, opening: &Opening, spare: &mut Vec<u8>) -> Claim<'s> {
        let turn = self.turn();
        self.claimed += 1;
        let (body, next) = self.next(opening, spare);
        Claim { turn, next, body }
    }

    fn next(&mut self, opening: &Opening, spare: &mut Vec<u8>) -> (Body<'s>, Next) {
        if opening.cancel.is_finished(self.number) {
            return (Body::Ended, Next::Input);
        }
        let is_cut = opening.cancel.is_set();
        let end = if is_cut { Next::Nothing } else { Next::Input };
        match &mut self.content {
            Content::At { next, len, .. } if is_cut || *next >= *len => (Body::Ended, end),
            Content::At {
                source,
                first,
                next,
                len,
            } => {
                let start = *next;
                let end = (start + opening.size as u64).min(*len);
                *next = end;
                let body = Body::At {
                    source: Arc::clone(source),
                    first: *first,
                    start,
                    end,
                    len: *len,
                };
                let is_last = end == *len;
                (body, if is_last { Next::Input } else { Next::Block })
            }
            Content::Small(..) if is_cut => (Body::Ended, end),
            Content::Small(bytes, first) => (
                Body::Text(small(std::mem::take(bytes), *first)),
                Next::Input,
            ),
            Content::Stream(pending) => {
                let cutter = opening.lists.cutter(self.number);
                match pending.block(opening.size, &cutter, std::mem::take(spare)) {
                    Some(text) => (Body::Text(text), Next::Block),
                    // It may have been cut while it was read.
                    None if opening.cancel.is_set() => (Body::Ended, Next::Nothing),
                    None => (Body::Ended, end),
                }
            }
        }
    }
}

impl Opening {
    /// Opens input `number`; `spare` is a buffer to use for it.
    ///
    /// # Errors
    /// Those of opening it.
    pub(super) fn open<'s>(
        &self,
        source: Source<'s>,
        number: usize,
        spare: &mut Vec<u8>,
    ) -> io::Result<Input<'s>> {
        Ok(Input {
            number,
            claimed: 0,
            content: self.content(source, number, spare)?,
        })
    }

    fn content<'s>(
        &self,
        source: Source<'s>,
        input: usize,
        spare: &mut Vec<u8>,
    ) -> io::Result<Content<'s>> {
        let (unpack, utf16) = self.lists.reading(input, self.unpack, self.utf16);
        let stream = match source.open()? {
            Opened::At(source, len) => {
                // What cannot be read here is reported by the block that cannot be read.
                let is_small = len <= self.size as u64;
                spare.resize(if is_small { len as usize } else { MAGIC }, 0);
                let (mut filled, _) = source.fill_at(spare, 0);
                let begins = |head: &[u8]| {
                    let whole = head.len() as u64 >= len;
                    Beginning::of(head, whole, utf16)
                };
                let mut head = filled.min(MAGIC);
                let mut beginning = begins(&spare[..head]);
                if beginning.is_none() {
                    if !is_small {
                        spare.resize(HEAD, 0);
                        (filled, _) = source.fill_at(spare, 0);
                    }
                    head = filled.min(HEAD);
                    beginning = begins(&spare[..head]);
                }
                let beginning = beginning.unwrap_or_default();
                let head = &spare[..head];
                if beginning.utf16.is_none()
                    && !(unpack.decompress && Compression::of(head).is_some())
                    && !(unpack.containers && is_container(head))
                    && !(unpack.containers && opaque(head).is_some())
                {
                    let first = beginning.mark as u64;
                    if is_small && filled as u64 == len && first < len {
                        return Ok(Content::Small(std::mem::take(spare), beginning.mark));
                    }
                    return Ok(Content::At {
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
        Ok(Content::Stream(Box::new(pending)))
    }
}

/// The one block of a file, whose text goes from `first` to the end of `bytes`.
fn small(bytes: Vec<u8>, first: usize) -> Text {
    let part = Stretch {
        from: first,
        to: bytes.len(),
        offset: first as u64,
        ..Stretch::default()
    };
    Text {
        stored: (bytes.len() - first) as u64,
        bytes,
        parts: vec![part],
        ..Text::default()
    }
}

impl Body<'_> {
    /// The text of the block of `input`, read into `spare` if it is not here yet;
    /// `None` when the input ended before it.
    ///
    /// # Errors
    /// A panic that took the place of the block.
    pub(super) fn read(
        self,
        input: usize,
        lists: &Lists,
        spare: &mut Vec<u8>,
    ) -> Result<Option<Text>, Error> {
        Ok(match self {
            Body::Text(text) => Some(text),
            Body::At {
                source,
                first,
                start,
                end,
                len,
            } => {
                let (span, buffer) = ((first, start, end, len), std::mem::take(spare));
                let cutter = lists.cutter(input);
                Some(read_block(&*source, span, input, &cutter, buffer))
            }
            Body::Failed(error) => Some(Text {
                failed: Some(error),
                ..Text::default()
            }),
            Body::Ended => None,
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
    cutter: &Cutter,
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
    let cut_at = |nominal: u64| -> (usize, bool) {
        let to = (nominal - base) as usize;
        if nominal == first || nominal >= len {
            return (to, false);
        }
        let from = to.saturating_sub(window as usize);
        match cutter.cut(&bytes[from..to], base + from as u64 == first) {
            Cut::Safe(at) => (from + at, false),
            Cut::Nowhere => (to, true),
        }
    };
    let (from, carried) = match begin {
        Start::Torn(..) => (0, false),
        _ => cut_at(start),
    };
    if carried {
        begin = Start::Carried;
    }
    let (to, open) = match failure {
        Some(_) => (bytes.len(), false),
        None => cut_at(end),
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
