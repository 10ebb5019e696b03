//! The blocks of one input, in order. A claimed block of a file is only a range, and the
//! worker that claimed it reads it. `stream` reads inputs that must be read from their
//! start; `window` decides which input is read next.

use super::ahead::DecodeAhead;
use super::range;
use super::stream::{LONG, Pending};
#[cfg(feature = "parquet")]
use crate::decode::{DataFields, InputFormat};
use crate::decode::{FORMAT_HEAD, HEAD, LineReader};
use crate::engine::ask::lists::{InputReading, Lists};
use crate::engine::batches::batch::{BatchNext, Turn};
use crate::engine::batches::block::{
    BlockBody, BlockEnd, BlockStart, BlockStretch, BlockText, Claim, RANGE_FIRST, RangeLines,
    document,
};
use crate::engine::batches::read_as::ReadAs;
use crate::engine::cancel::Cancel;
use crate::engine::error::{Error, ErrorKind};
use crate::engine::read::handoff::Ended;
use crate::input::{Opened, ReadAt, Source, SourceName, Stream, became_shorter};
#[cfg(feature = "parquet")]
use crate::input::{PARQUET_MAGIC, ParquetTable};
use crate::item::{Encoding, Part};
use crate::scan::{Cut, Cutter};
use crate::unpack::{
    Compression, HeldPieces, NamedFormat, Unpack, is_container, opaque, opaque_container,
};
use std::io;
use std::ops::Range;
use std::sync::Arc;

/// The number of bytes that identify compressions, containers and most encodings.
const MAGIC: usize = 512;

/// Returns the error of a block that starts at the raw offset `start`, when the text
/// before it could not be read again; the block itself may also have `failed`. An error
/// names the first byte that no block searched, and is reported once for consecutive
/// blocks.
pub(in crate::engine) fn torn(
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

/// Opens inputs, and says how they are cut into blocks.
pub(in crate::engine) struct InputOpener {
    pub size: usize,
    /// When reading ends early.
    pub cancel: Cancel,
    pub reading: InputReading,
    /// How texts in memory are read, where no input is a list.
    pub text_reading: InputReading,
    pub lists: Arc<Lists>,
    /// Which columns of tables are read.
    #[cfg(feature = "parquet")]
    pub fields: Arc<DataFields>,
    pub ahead: Arc<DecodeAhead>,
    pub pieces: Arc<HeldPieces>,
    /// Reads the first lines of a text of which a range is read, if they may be requests.
    pub line_reader: Option<Box<LineReader>>,
}

/// An input that is open.
pub(in crate::engine) struct OpenInput<'s> {
    number: usize,
    /// The number of its blocks that were claimed.
    claimed: u64,
    /// The file that it is.
    pub name: Option<SourceName>,
    /// Whether lines of its text may be requests: neither in a list nor in a text in memory.
    lines: bool,
    content: InputContent<'s>,
}

enum InputContent<'s> {
    At {
        source: Arc<dyn ReadAt + 's>,
        first: u64,
        next: u64,
        len: u64,
        read_as: ReadAs,
        range: Option<Arc<RangeLines>>,
    },
    /// One block, which was read when the file was opened, and the range of its text.
    Small(Vec<u8>, Range<usize>, ReadAs),
    /// A document of markup, which was read when the file was opened, and its length.
    Document(Vec<u8>, usize, Arc<Part>),
    Stream(Box<Pending<'s>>),
    /// The content of another range of the input.
    Nothing,
}

impl<'s> OpenInput<'s> {
    /// The position of the next block.
    pub(in crate::engine) fn turn(&self) -> Turn {
        Turn {
            input: self.number,
            block: self.claimed,
            part: 0,
        }
    }

    /// Whether the next block is a range of a file, so that a claim takes no time.
    pub(in crate::engine) fn is_named(&self) -> bool {
        matches!(self.content, InputContent::At { .. })
    }

    /// Whether the next block can be claimed without a wait for another process.
    pub(in crate::engine) fn reads_at_once(&self) -> bool {
        match &self.content {
            InputContent::At { .. }
            | InputContent::Small(..)
            | InputContent::Document(..)
            | InputContent::Nothing => true,
            InputContent::Stream(pending) => pending.reads_at_once(),
        }
    }

    /// Claims the next block; after the last one its body is `Ended`. `spare` is a buffer
    /// that may be used for the block.
    pub(in crate::engine) fn claim(
        &mut self,
        opener: &InputOpener,
        spare: &mut Vec<u8>,
    ) -> Claim<'s> {
        let turn = self.turn();
        self.claimed += 1;
        let (body, next) = self.next(opener, spare);
        let name = self.name.clone();
        Claim {
            turn,
            next,
            body,
            name,
            lines: self.lines,
        }
    }

    fn next(&mut self, opener: &InputOpener, spare: &mut Vec<u8>) -> (BlockBody<'s>, BatchNext) {
        if opener.cancel.is_finished(self.number) {
            return (BlockBody::Ended, BatchNext::Input);
        }
        let is_cut = opener.cancel.is_set();
        let end = if is_cut {
            BatchNext::Nothing
        } else {
            BatchNext::Input
        };
        match &mut self.content {
            InputContent::At { next, len, .. } if is_cut || *next >= *len => {
                (BlockBody::Ended, end)
            }
            InputContent::At {
                source,
                first,
                next,
                len,
                read_as,
                range,
            } => {
                let start = *next;
                let end = (start + opener.size as u64).min(*len);
                *next = end;
                let cutter = opener.lists.cutter(self.number);
                // A longer look back than a block would read most bytes several times.
                let reach = match cutter.long_look_back() {
                    reach if reach <= opener.size => reach,
                    _ => cutter.look_back(),
                };
                let body = BlockBody::At {
                    source: Arc::clone(source),
                    first: *first,
                    start,
                    end,
                    len: *len,
                    reach: reach as u64,
                    read_as: *read_as,
                    range: range.clone(),
                };
                let is_last = end == *len;
                (
                    body,
                    if is_last {
                        BatchNext::Input
                    } else {
                        BatchNext::Block
                    },
                )
            }
            InputContent::Small(..) | InputContent::Document(..) if is_cut => {
                (BlockBody::Ended, end)
            }
            InputContent::Nothing => (BlockBody::Ended, end),
            InputContent::Document(bytes, len, part) => {
                let text = whole_document(std::mem::take(bytes), *len, Arc::clone(part));
                (BlockBody::Text(text), BatchNext::Input)
            }
            InputContent::Small(bytes, text, read_as) => (
                BlockBody::Text(small(std::mem::take(bytes), text.clone(), *read_as)),
                BatchNext::Input,
            ),
            InputContent::Stream(pending) => {
                let cutter = opener.lists.cutter(self.number);
                match pending.block(opener.size, &cutter, std::mem::take(spare)) {
                    Some(text) => (BlockBody::Text(text), BatchNext::Block),
                    // The run may have been cancelled in the middle of it.
                    None if opener.cancel.is_set() => (BlockBody::Ended, BatchNext::Nothing),
                    None => (BlockBody::Ended, end),
                }
            }
        }
    }
}

impl InputOpener {
    /// Opens input `number`. `spare` is a buffer that may be used for it.
    ///
    /// # Errors
    /// Errors of opening it.
    pub(in crate::engine) fn open<'s>(
        &self,
        source: Source<'s>,
        number: usize,
        spare: &mut Vec<u8>,
    ) -> io::Result<OpenInput<'s>> {
        let reading = self.lists.reading(number, self.reading).of(&source);
        let (name, bytes) = (source.name(), source.bytes().cloned());
        let content = self.content(source, (number, reading), name.as_ref(), spare)?;
        let lines = !reading.is_text && !reading.is_list;
        Ok(OpenInput {
            number,
            claimed: 0,
            name,
            lines,
            content: match bytes {
                Some(bytes) => self.content_in(content, &bytes, number, lines),
                None => content,
            },
        })
    }

    /// Returns the part of the content of an input that belongs to a range of its bytes.
    fn content_in<'s>(
        &self,
        content: InputContent<'s>,
        bytes: &Range<u64>,
        input: usize,
        lines: bool,
    ) -> InputContent<'s> {
        match content {
            InputContent::At {
                source,
                first,
                len,
                read_as,
                ..
            } => {
                let cutter = self.lists.cutter(input);
                let part = range::part_of(&*source, (first, len), &cutter, bytes);
                let reader = self.line_reader.as_deref().filter(|_| lines);
                let range = reader.filter(|_| part != (first..len)).map(|reader| {
                    let mut head = vec![0; (RANGE_FIRST.min(len - first)) as usize];
                    let (filled, _) = source.fill_at(&mut head, first);
                    range::lines_of(reader.clone(), &head[..filled], (first..len, &part))
                });
                InputContent::At {
                    source,
                    first: part.start,
                    next: part.start,
                    len: part.end,
                    read_as,
                    range,
                }
            }
            whole if bytes.start == 0 && !bytes.is_empty() => whole,
            _ => InputContent::Nothing,
        }
    }

    /// Returns the length of the byte-order mark of a text in memory, if it is a block that
    /// is searched as it is: not markup, and no UTF-16.
    pub(in crate::engine) fn plain_text(&self, text: &[u8], input: usize) -> Option<usize> {
        let begins_as_ascii = text.first().is_some_and(|byte| matches!(byte, 1..=0x7F));
        let has_lists = !self.lists.are_none();
        if begins_as_ascii && self.reading.is_all_text() && !has_lists {
            return (text.len() <= self.size).then_some(0);
        }
        let of_input = has_lists.then(|| self.lists.reading(input, self.reading).of_text());
        let reading = of_input.as_ref().unwrap_or(&self.text_reading);
        let head = &text[..text.len().min(HEAD)];
        let (beginning, media_type) = reading.begins(head, head.len() == text.len())?;
        let is_plain = media_type.is_none() && beginning.utf16.is_none();
        (is_plain && text.len() <= self.size).then_some(beginning.mark)
    }

    fn content<'s>(
        &self,
        source: Source<'s>,
        (input, reading): (usize, InputReading),
        name: Option<&SourceName>,
        spare: &mut Vec<u8>,
    ) -> io::Result<InputContent<'s>> {
        let stream = match source.open()? {
            Opened::At(source, len) => {
                // An error is reported by the block that cannot be read.
                let is_small = len <= self.size as u64;
                // The memory has the bytes of a longer file: so they need not be cleared again.
                let read = |spare: &mut Vec<u8>, len: usize| {
                    spare.resize(spare.len().max(len), 0);
                    source.fill_at(&mut spare[..len], 0).0
                };
                let mut filled = read(spare, if is_small { len as usize } else { MAGIC });
                let mut head = filled.min(MAGIC);
                let whole = |head: usize| head as u64 >= len;
                let mut beginning = reading.begins(&spare[..head], whole(head));
                for enough in [HEAD, FORMAT_HEAD] {
                    if beginning.is_some() {
                        break;
                    }
                    if !is_small {
                        filled = read(spare, enough);
                    }
                    head = filled.min(enough);
                    beginning = reading.begins(&spare[..head], whole(head));
                }
                if let Some(rows) = self.rows_of(name, reading, &spare[..filled])? {
                    return Ok(self.pending(rows, input, reading.of_table()));
                }
                let (beginning, media_type) = beginning.unwrap_or_default();
                let is_plain = !is_packed(reading, &spare[..head]);
                let is_document = media_type.is_some() && is_plain;
                let reads_rest =
                    is_document && !is_small && len <= self.size.saturating_mul(LONG) as u64;
                if reads_rest {
                    filled = read(spare, len as usize);
                }
                let is_whole = (is_small || reads_rest) && filled as u64 == len;
                if let Some(media_type) = media_type.filter(|_| is_plain && is_whole) {
                    let part = document(media_type);
                    return Ok(InputContent::Document(std::mem::take(spare), filled, part));
                }
                if is_plain && beginning.utf16.is_none() && media_type.is_none() {
                    let first = beginning.mark as u64;
                    let read_as = ReadAs::seeming(reading.seeming(&spare[..head]));
                    if is_whole && first < len {
                        let bytes = std::mem::take(spare);
                        return Ok(InputContent::Small(bytes, beginning.mark..filled, read_as));
                    }
                    return Ok(InputContent::At {
                        source,
                        first,
                        next: first,
                        len,
                        read_as,
                        range: None,
                    });
                }
                Stream::of(source, len)
            }
            Opened::Stream(stream) => {
                self.rows_of(None, reading, &[])?;
                stream
            }
        };
        Ok(self.pending(stream, input, reading))
    }

    /// Returns the rows of the file with this `name`, which begins with `head`, as CSV, if it is a
    /// table of Parquet and no other format was chosen.
    ///
    /// # Errors
    /// The table is damaged, or that format was chosen for an input that is not a table.
    #[cfg(feature = "parquet")]
    fn rows_of(
        &self,
        name: Option<&SourceName>,
        reading: InputReading,
        head: &[u8],
    ) -> io::Result<Option<Stream<'static>>> {
        let chosen = reading.format.chosen;
        let is_wanted = chosen.is_some() && chosen == InputFormat::named("parquet");
        let path = name.filter(|name| name.is_path).map(|name| &*name.name);
        let is_read = chosen.is_none() && !reading.is_list && !reading.is_text || is_wanted;
        let may_be = is_read && head.starts_with(PARQUET_MAGIC);
        let table = match path.filter(|path| may_be && ParquetTable::is_at(path)) {
            Some(path) => ParquetTable::open(path)?,
            None => None,
        };
        match table {
            None if is_wanted => {
                let cause = "no file that is a table of Parquet";
                Err(io::Error::new(io::ErrorKind::InvalidData, cause))
            }
            table => {
                let choose = |names: &[&str]| self.fields.columns_named(names);
                Ok(table.map(|table| Stream::stored(table.csv_of(choose))))
            }
        }
    }

    #[cfg(not(feature = "parquet"))]
    fn rows_of(
        &self,
        _: Option<&SourceName>,
        _: InputReading,
        _: &[u8],
    ) -> io::Result<Option<Stream<'static>>> {
        Ok(None)
    }

    fn pending<'s>(
        &self,
        stream: Stream<'s>,
        input: usize,
        reading: InputReading,
    ) -> InputContent<'s> {
        let shared = (Arc::clone(&self.ahead), &self.pieces);
        let cancel = self.cancel.of(input);
        let pending = Pending::new(stream, input, reading, cancel, shared);
        InputContent::Stream(Box::new(pending))
    }
}

/// Whether an input that begins with `head` is unpacked first, or may be although damaged, or is
/// refused as a list.
fn is_packed(reading: InputReading, head: &[u8]) -> bool {
    let Unpack {
        decompress,
        containers,
        expected,
        ..
    } = reading.unpack;
    expected != NamedFormat::Unknown
        || decompress && Compression::of(head).is_some()
        || containers && (is_container(head) || opaque(head).is_some())
        || reading.is_list && opaque_container(head).is_some()
}

/// The only block of a file, whose text is this range of `bytes`.
fn small(bytes: Vec<u8>, text: Range<usize>, read_as: ReadAs) -> BlockText {
    let part = BlockStretch {
        from: text.start,
        to: text.end,
        offset: text.start as u64,
        ..BlockStretch::default()
    };
    BlockText {
        stored: text.len() as u64,
        bytes,
        parts: vec![part],
        read_as,
        ..BlockText::default()
    }
}

/// The only block of a document of markup, which is the first `len` of `bytes`.
fn whole_document(bytes: Vec<u8>, len: usize, part: Arc<Part>) -> BlockText {
    let stretch = BlockStretch {
        to: len,
        begins: true,
        ends: true,
        record: Some(Arc::clone(&part)),
        ..BlockStretch::default()
    };
    BlockText {
        stored: len as u64,
        bytes,
        parts: vec![stretch],
        read_as: ReadAs::document(&part),
        ..BlockText::default()
    }
}

impl BlockBody<'_> {
    /// Returns the text of the block of `input`, and reads it into `spare` if it is not in
    /// memory yet. Returns `None` when the input ended before the block.
    ///
    /// # Errors
    /// A panic that took the place of the block.
    pub(in crate::engine) fn read(
        self,
        input: usize,
        lists: &Lists,
        spare: &mut Vec<u8>,
    ) -> Result<Option<BlockText>, Error> {
        Ok(match self {
            BlockBody::Text(text) => Some(text),
            BlockBody::At {
                source,
                first,
                start,
                end,
                len,
                reach,
                read_as,
                range,
            } => {
                let (span, buffer) = ((first, start, end, len), std::mem::take(spare));
                let cutter = lists.cutter(input);
                let text = read_block(&*source, span, input, (&cutter, reach), buffer);
                Some(BlockText {
                    read_as,
                    range,
                    ..text
                })
            }
            BlockBody::Failed(error) => Some(BlockText {
                failed: Some(error),
                ..BlockText::default()
            }),
            BlockBody::Ended => None,
            BlockBody::Panicked(error) => return Err(error),
        })
    }
}

/// Reads the block from `start` to `end` of a file, whose text goes from `first` to
/// `len`, into `bytes`, with the text before it that decides where the block starts and
/// ends. An error ends the block, and is kept in it.
fn read_block(
    source: &dyn ReadAt,
    (first, start, end, len): (u64, u64, u64, u64),
    input: usize,
    (cutter, reach): (&Cutter, u64),
    mut bytes: Vec<u8>,
) -> BlockText {
    let window = cutter.look_back() as u64;
    let mut base = start.saturating_sub(window).max(first);
    let mut failure = fill(source, &mut bytes, base..end);
    let is_torn = base + (bytes.len() as u64) < start;
    let mut begin = BlockStart::Clean;
    if is_torn && let Some(cause) = failure {
        // The text before the block cannot be read again; the block perhaps can.
        begin = BlockStart::Torn(start, cause);
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
        BlockStart::Torn(..) => (0, false),
        _ => cut_at(bytes, base, start),
    };
    let (mut from, mut carried) = start_at(&bytes, base);
    let further = start.saturating_sub(reach).max(first);
    if carried && further < base {
        // The block before it has these bytes and finds the same.
        match prepend(source, &mut bytes, further..base) {
            None => {
                base = further;
                (from, carried) = start_at(&bytes, base);
            }
            Some(cause) => {
                bytes.drain(..(start - base) as usize);
                base = start;
                begin = BlockStart::Torn(start, cause);
                (from, carried) = (0, false);
            }
        }
    }
    if carried {
        begin = BlockStart::Carried;
    }
    let (to, open) = match failure {
        Some(_) => (bytes.len(), false),
        None => cut_at(&bytes, base, end),
    };
    let failed_at = base + bytes.len() as u64;
    let part = BlockStretch {
        from,
        to: to.max(from),
        offset: base + from as u64,
        ..BlockStretch::default()
    };
    BlockText {
        bytes,
        parts: vec![part],
        encoding: Encoding::Raw,
        lines: false,
        read_as: ReadAs::default(),
        range: None,
        stored: end - start,
        start: begin,
        end: if open {
            BlockEnd::Open
        } else {
            BlockEnd::Clean
        },
        flush: false,
        losses: Vec::new(),
        failed: failure.map(|cause| Error::new(ErrorKind::Read(input, failed_at), cause)),
    }
}

/// Reads `range` to the front of `bytes`. Leaves `bytes` unchanged and returns the error,
/// if it cannot be read.
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

/// Reads `range` into `bytes`. Returns the error, if it cannot be read to its end.
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
