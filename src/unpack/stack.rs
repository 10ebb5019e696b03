//! One input from its stored bytes to its text and records: sniffed, decompressed as
//! often as it is compressed, split if it is a container. Bytes are read only by
//! [`Stack::refill`]. Encodings and the splitting of text are left to the caller.

use super::ahead::{Decoded, Member, Stretch};
use super::bound::Windows;
use super::container::{ArchiveFormat, Piece, Splitter, is_container, may_become_container};
use super::expected::{JUDGED, Judgement, NamedFormat};
use super::held::{Held, HeldPieces, Ready};
use super::hold::Trust;
use super::losses::WaitingLosses;
use super::magic::{Compression, may_become};
use super::members::{StreamEvent, Unpacker};
use super::opaque::{may_become_opaque, opaque};
use crate::item::{LossKind, Part};
use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// The greatest number of nested compressions that are undone.
pub(crate) const DEPTH_MAX: usize = 8;

/// Bytes that are read or decoded at a time.
const PIECE: usize = 64 << 10;

/// The layers of an input that are unpacked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unpack {
    /// Whether compressed content is decompressed.
    pub decompress: bool,
    /// Whether containers are split into records.
    pub containers: bool,
    /// The bounds of the windows.
    pub windows: Windows,
    /// The format that the name of the input promises.
    pub expected: NamedFormat,
}

impl Unpack {
    /// Unpacks an input with this name. Formats that are not unpacked are not expected.
    pub(crate) fn expecting(mut self, path: &Path) -> Unpack {
        self.expected = NamedFormat::of(path).unpacked(self.decompress, self.containers);
        self
    }
}

impl Default for Unpack {
    fn default() -> Unpack {
        Unpack {
            decompress: true,
            containers: true,
            windows: Windows::UNLIMITED,
            expected: NamedFormat::Unknown,
        }
    }
}

/// The next part of an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Text outside of containers. Text that is `doubtful` may be wrong.
    Text {
        /// The number of bytes.
        len: usize,
        /// Whether the bytes may be wrong: a checksum or the end is missing or wrong.
        doubtful: bool,
    },
    /// A record begins.
    Record(Box<Part>),
    /// Content of the record.
    Content {
        /// The number of bytes.
        len: usize,
        /// The same as for text.
        doubtful: bool,
    },
    /// The content of the record has ended.
    RecordEnd,
    /// Text is missing between that before and that after.
    Gap,
    /// A member of a compression begins at this offset of the compressed stream. If it
    /// was decoded elsewhere, its text may be [supplied](Stack::supply).
    Member(u64),
    /// Needs [`Stack::refill`] first.
    Hungry,
    /// Needs [`Stack::take_turn`] first: it needs more memory than its share.
    Waits,
    /// The input has ended.
    End,
}

/// An input that is unpacked while it is read.
pub(crate) struct Stack<'s> {
    feed: StackSource<'s>,
    /// Whether the feed has no more pieces.
    is_dry: bool,
    unpack: Unpack,
    /// The compressions, the outermost first.
    forms: Vec<Compression>,
    splitter: Option<Splitter>,
    /// The offset of the last member.
    member: u64,
    /// Whether the format of the feed is known.
    is_sniffed: bool,
    /// Whether any text or record was returned.
    has_begun: bool,
    /// Whether text is missing after the bytes read so far.
    has_gap: bool,
    /// Whether the bytes up to the next gap may be wrong.
    is_doubtful: bool,
    /// Bytes of the feed that were not passed on.
    raw: Vec<u8>,
    /// The number of them that were passed on.
    raw_given: usize,
    /// The offset in `raw` from which bytes may be wrong.
    raw_doubt: Option<usize>,
    /// The buffer that a decoder writes to.
    scratch: Box<[u8]>,
    /// Text of the last member that was decoded, and its unread range.
    ready: Option<(Ready, Range<usize>)>,
    /// Text of the member that is held back.
    held: Option<Held>,
    /// Memory for held text.
    pieces: Arc<HeldPieces>,
    /// The event after the text that was held back.
    event: Option<StreamEvent>,
    /// Whether a member began, and its text may still be supplied.
    is_offered: bool,
    /// Whether this is the first input that is read.
    has_turn: bool,
    losses: WaitingLosses,
}

/// The source of the bytes.
enum StackSource<'s> {
    Plain(Box<dyn Read + Send + 's>),
    Unpacked(Box<Unpacker<'s>>),
    Nothing,
}

impl<'s> Stack<'s> {
    /// Reads `reader`.
    pub(crate) fn new(reader: Box<dyn Read + Send + 's>, unpack: Unpack) -> Stack<'s> {
        Stack {
            feed: StackSource::Plain(reader),
            is_dry: false,
            unpack,
            forms: Vec::new(),
            splitter: None,
            member: 0,
            is_sniffed: false,
            has_begun: false,
            has_gap: false,
            is_doubtful: false,
            raw: Vec::new(),
            raw_given: 0,
            raw_doubt: None,
            scratch: Box::default(),
            ready: None,
            held: None,
            pieces: Arc::default(),
            event: None,
            is_offered: false,
            has_turn: false,
            losses: WaitingLosses::default(),
        }
    }

    /// Shares the memory for held text with other inputs.
    pub(crate) fn sharing(self, pieces: &Arc<HeldPieces>) -> Stack<'s> {
        Stack {
            pieces: Arc::clone(pieces),
            ..self
        }
    }

    /// Says that this is the first input that is read: it may take more than its share.
    pub(crate) fn take_turn(&mut self) {
        self.has_turn = true;
        if let StackSource::Unpacked(unpacker) = &mut self.feed {
            unpacker.take_turn();
        }
    }

    /// The compressions that are undone, the outermost first, each by its first member.
    pub(crate) fn compressions(&self) -> &[Compression] {
        &self.forms
    }

    /// The format of the container, when it is one.
    pub(crate) fn container(&self) -> Option<&'static ArchiveFormat> {
        self.splitter.as_ref().map(Splitter::format)
    }

    /// The losses since the last call, with their offsets in the stored input.
    pub(crate) fn losses(&mut self) -> impl Iterator<Item = (u64, LossKind)> + use<> {
        let is_known = self.is_text_known() || self.is_dry;
        self.losses.take(is_known).into_iter()
    }

    /// Whether the text around losses is known to be searched. Before that, the text may
    /// turn out to be compressed.
    fn is_text_known(&self) -> bool {
        self.is_sniffed || self.has_begun
    }

    /// Reads once from the reader. At most `room` bytes of plain text are appended to
    /// `out`; returns their number.
    ///
    /// # Errors
    /// The errors of the reader. Text before the error is still returned.
    pub(crate) fn refill(&mut self, out: &mut Vec<u8>, room: usize) -> io::Result<usize> {
        let is_text = self.is_text();
        let reader = match &mut self.feed {
            StackSource::Plain(reader) => reader,
            StackSource::Unpacked(unpacker) => return unpacker.refill().map(|()| 0),
            StackSource::Nothing => return Ok(0),
        };
        let (to, room) = match is_text && self.raw.is_empty() {
            true => (out, room.max(1)),
            false => (&mut self.raw, PIECE),
        };
        let had = to.len();
        to.resize(had + room, 0);
        let result = loop {
            match reader.read(&mut to[had..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => break result,
            }
        };
        let len = *result.as_ref().unwrap_or(&0);
        to.truncate(had + len);
        self.is_dry = len == 0;
        if is_text {
            return result;
        }
        self.sniff(self.is_dry);
        result.map(|_| 0)
    }

    /// The next part; text and content are appended to `out`, about `room` bytes.
    pub(crate) fn next(&mut self, out: &mut Vec<u8>, room: usize) -> Next {
        loop {
            if let Some(next) = self.split(out) {
                return next;
            }
            if self.is_text() && !self.raw.is_empty() {
                return self.give_raw(out, room);
            }
            if std::mem::take(&mut self.has_gap) {
                self.is_doubtful = false;
                // A container may have been damaged in its first bytes.
                self.is_sniffed = false;
                if self.has_begun {
                    return Next::Gap;
                }
            }
            if let Some(len) = self.take_ready(out, room) {
                if len > 0 {
                    return self.text(len);
                }
                continue;
            }
            if self.is_dry {
                let splitter = self.splitter.as_mut().map(Splitter::feed);
                match splitter.filter(|feed| !feed.has_ended()) {
                    Some(feed) => feed.end(),
                    None => return Next::End,
                }
                continue;
            }
            match &mut self.feed {
                StackSource::Plain(_) => return Next::Hungry,
                StackSource::Unpacked(_) => {
                    if let Some(next) = self.decode(out) {
                        return next;
                    }
                }
                StackSource::Nothing => self.is_dry = true,
            }
        }
    }

    /// A stretch of the bytes that were read but not decoded which seems to contain
    /// whole members; each is returned once. `spare` returns a buffer to use for it.
    pub(crate) fn look_ahead(&mut self, spare: impl FnOnce() -> Vec<u8>) -> Option<Stretch> {
        match &mut self.feed {
            StackSource::Unpacked(unpacker) => unpacker.look_ahead(spare),
            _ => None,
        }
    }

    /// Whether a stretch takes less time to decode than the same members in the stream.
    pub(crate) fn gains_by_stretches(&self) -> bool {
        cfg!(feature = "decompress") && self.compressions().last() == Some(&Compression::Gzip)
    }

    /// The number of compressed bytes that were read but not decoded; `None` at the end
    /// of the input.
    pub(crate) fn waiting(&self) -> Option<usize> {
        match &self.feed {
            StackSource::Unpacked(unpacker) => unpacker.waiting(),
            _ => None,
        }
    }

    /// Takes the text, decoded elsewhere, of the member that just began. If it does not
    /// fit, it is ignored and the member is decoded here.
    pub(crate) fn supply(&mut self, decoded: Arc<Decoded>, member: &Member) {
        if let StackSource::Unpacked(unpacker) = &mut self.feed
            && unpacker.pass(member)
        {
            self.is_offered = false;
            self.ready = Some((Ready::Ahead(decoded), member.text.clone()));
        }
    }

    /// Whether the bytes of the feed are text.
    fn is_text(&self) -> bool {
        self.is_sniffed && self.splitter.is_none()
    }

    fn text(&mut self, len: usize) -> Next {
        self.has_begun = true;
        Next::Text {
            len,
            doubtful: self.is_doubtful,
        }
    }

    /// Returns the next piece of the container.
    fn split(&mut self, out: &mut Vec<u8>) -> Option<Next> {
        let splitter = self.splitter.as_mut()?;
        let piece = splitter.next(out);
        self.losses.extend(splitter.losses(), true);
        Some(match piece {
            // The codings of a member are compressions, like those of an input.
            Piece::Record(mut part) => {
                if part.context.member.is_some() && !self.unpack.decompress {
                    part.codings.clear();
                }
                Next::Record(part)
            }
            Piece::Content(len) => Next::Content {
                len,
                doubtful: splitter.feed().is_doubtful(),
            },
            Piece::RecordEnd => Next::RecordEnd,
            Piece::Hungry => return None,
            Piece::End => Next::End,
        })
    }

    /// Continues to decode the compressed feed.
    fn decode(&mut self, out: &mut Vec<u8>) -> Option<Next> {
        let is_known = self.is_text_known();
        let StackSource::Unpacked(unpacker) = &mut self.feed else {
            return None;
        };
        if std::mem::take(&mut self.is_offered) && unpacker.holds() {
            self.held = Some(Held::new(&self.pieces));
        }
        let room = match &mut self.held {
            Some(held) if held.len as u64 >= self.unpack.windows.share && !self.has_turn => {
                return Some(Next::Waits);
            }
            Some(held) => held.room(),
            None => &mut self.scratch[..],
        };
        let event = self.event.take();
        let event = event.unwrap_or_else(|| unpacker.decode(room));
        self.losses.extend(unpacker.losses(), is_known);
        let trust = unpacker.trust();
        if let (Some(held), StreamEvent::Bytes(len)) = (&mut self.held, event) {
            held.len += len;
        }
        match event {
            _ if self.held.is_some() && trust.is_some() => self.release(trust, event),
            StreamEvent::Bytes(_) if self.held.is_some() => {}
            StreamEvent::Bytes(len) => {
                let scratch = std::mem::take(&mut self.scratch);
                let given = self.take_bytes(&scratch[..len], out);
                self.scratch = scratch;
                return (given > 0).then(|| self.text(given));
            }
            StreamEvent::Member(offset) => {
                match &mut self.splitter {
                    Some(splitter) => splitter.feed().member(offset),
                    None => self.member = offset,
                }
                self.is_offered = true;
                return Some(Next::Member(offset));
            }
            StreamEvent::Hungry if unpacker.waits() => return Some(Next::Waits),
            StreamEvent::Hungry => return Some(Next::Hungry),
            StreamEvent::Waits => return Some(Next::Waits),
            StreamEvent::Break => self.gap(),
            StreamEvent::End => {
                self.is_dry = true;
                self.sniff(true);
            }
        }
        None
    }

    /// Takes bytes of the feed: as text, whose length is returned, or for the format to
    /// be detected, or to be split.
    fn take_bytes(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> usize {
        match &mut self.splitter {
            Some(splitter) => splitter.feed().push(bytes),
            None if self.is_sniffed => {
                out.extend_from_slice(bytes);
                return bytes.len();
            }
            None => {
                self.raw.extend_from_slice(bytes);
                self.sniff(false);
            }
        }
        0
    }

    /// Takes about `room` bytes of text from the member that was decoded; returns
    /// `None` when no text is left.
    fn take_ready(&mut self, out: &mut Vec<u8>, room: usize) -> Option<usize> {
        let (ready, mut left) = self.ready.take()?;
        if let (Some(splitter), Ready::Ahead(decoded)) = (&mut self.splitter, &ready)
            && splitter.feed().share(decoded, left.clone())
        {
            return Some(0);
        }
        let text = ready.text(left.clone());
        let most = match (self.is_text(), self.is_sniffed) {
            (true, _) => room.max(1),
            (false, true) => PIECE,
            (false, false) if self.is_uncompressed(text) => PIECE,
            (false, false) => {
                // Text that is itself compressed is taken as a whole.
                return Some(self.take_bytes(&ready.whole(left), out));
            }
        };
        let text = &text[..text.len().min(most)];
        left.start += text.len();
        let given = self.take_bytes(text, out);
        if !left.is_empty() {
            self.ready = Some((ready, left));
        }
        Some(given)
    }

    /// Whether the feed begins with `text`, which is not compressed itself.
    fn is_uncompressed(&self, text: &[u8]) -> bool {
        let is_start = self.raw.is_empty() && text.len() >= PIECE;
        is_start && !(self.unpack.decompress && Compression::of(text).is_some())
    }

    /// Releases the text that was held back, before `event`.
    fn release(&mut self, trust: Option<Trust>, event: StreamEvent) {
        let Some(held) = self.held.take() else {
            return;
        };
        if trust == Some(Trust::Doubtful) && held.len > 0 {
            self.doubt();
        }
        // The other events are repeated by the unpacker.
        self.event =
            Some(event).filter(|e| matches!(e, StreamEvent::Break | StreamEvent::Member(_)));
        let text = 0..held.len;
        self.ready = Some((Ready::Held(held), text));
    }

    /// Marks the bytes up to the next gap as doubtful.
    fn doubt(&mut self) {
        match &mut self.splitter {
            Some(splitter) => splitter.feed().doubt(),
            None if self.is_sniffed && self.raw.is_empty() => self.is_doubtful = true,
            None => self.raw_doubt = Some(self.raw.len()),
        }
    }

    /// Marks that text is missing after the bytes read so far.
    fn gap(&mut self) {
        self.sniff(true);
        match &mut self.splitter {
            Some(splitter) => splitter.feed().gap(),
            None => self.has_gap = true,
        }
    }

    /// Returns bytes that were read before they were known to be text.
    fn give_raw(&mut self, out: &mut Vec<u8>, room: usize) -> Next {
        let from = self.raw_given;
        if self.raw_doubt.is_some_and(|doubt| doubt <= from) {
            self.raw_doubt = None;
            self.is_doubtful = true;
        }
        let end = self.raw_doubt.unwrap_or(self.raw.len());
        let to = end.min(from.saturating_add(room.max(1)));
        out.extend_from_slice(&self.raw[from..to]);
        self.raw_given = to;
        if to == self.raw.len() {
            self.raw_given = 0;
            self.raw = Vec::new();
        }
        self.text(to - from)
    }

    /// Detects the format of the feed. `whole` means that its bytes are complete.
    fn sniff(&mut self, whole: bool) {
        if !self.is_sniffed {
            let may_be_more = self.unpack.containers
                && (may_become_container(&self.raw)
                    || !self.has_begun && may_become_opaque(&self.raw));
            // An empty input may lack the format that its name promises.
            let is_nothing = whole && self.forms.is_empty() && self.lacks_expected();
            if self.raw.is_empty() && !is_nothing || may_be_more && !whole {
                return;
            }
            let form = Compression::of(&self.raw).filter(|_| self.unpack.decompress);
            if let Some(form) = form.filter(|_| self.forms.len() < DEPTH_MAX) {
                return self.dive(form, false);
            }
            if self.unpack.decompress && !whole && may_become(&self.raw) {
                return;
            }
            let mut archive = None;
            if self.lacks_expected() {
                if self.raw.len() < JUDGED && !whole {
                    return;
                }
                match self.unpack.expected.judge(&self.raw) {
                    Judgement::Compressed(form) => return self.dive(form, true),
                    Judgement::Archive(damaged) => archive = Some(damaged),
                    Judgement::Loss(what, kind) => self.losses.name(0, what, kind),
                    Judgement::Text => {}
                }
            }
            self.is_sniffed = true;
            if let Some(form) = form {
                let what = (form.name(), "compressed more than 8 times");
                self.losses.name(self.member, what, LossKind::Unsupported);
            }
            if self.unpack.containers {
                self.find_container(archive);
            }
        }
        if let Some(splitter) = &mut self.splitter {
            let sure = self.raw_doubt.take().unwrap_or(self.raw.len());
            splitter.feed().push(&self.raw[..sure]);
            if sure < self.raw.len() {
                splitter.feed().doubt();
                splitter.feed().push(&self.raw[sure..]);
            }
            self.raw.clear();
        }
    }

    /// Whether the name of the input promises a format that its first bytes do not
    /// show.
    fn lacks_expected(&self) -> bool {
        !self.has_begun
            && self.unpack.expected != NamedFormat::Unknown
            && Compression::of(&self.raw).is_none()
            && !is_container(&self.raw)
            && opaque(&self.raw).is_none()
    }

    /// Creates the splitter of a container, whose first bytes are damaged if it is
    /// `expected`, or reports a container that is not unpacked.
    fn find_container(&mut self, expected: Option<&'static ArchiveFormat>) {
        let compressed = matches!(self.feed, StackSource::Unpacked(_));
        self.splitter = match expected {
            Some(archive) => Some(Splitter::expecting(archive, compressed)),
            None => Splitter::of(&self.raw, compressed),
        };
        if let Some(splitter) = &mut self.splitter {
            splitter.feed().member(self.member);
            self.has_begun = true;
        } else if !self.has_begun
            && let Some(what) = opaque(&self.raw)
        {
            self.losses.name(0, what, LossKind::Unseen);
        }
    }

    /// Begins to decompress the bytes that were read. The first bytes are `damaged`, or
    /// begin a member.
    fn dive(&mut self, form: Compression, damaged: bool) {
        let head = std::mem::take(&mut self.raw);
        let unpacker = match std::mem::replace(&mut self.feed, StackSource::Nothing) {
            StackSource::Plain(reader) => Unpacker::new(reader, head),
            StackSource::Unpacked(outer) => Unpacker::within(*outer, head),
            StackSource::Nothing => return,
        };
        let mut unpacker = unpacker.with_windows(&self.unpack.windows, self.forms.len());
        if damaged {
            unpacker = unpacker.searching(form);
        }
        if self.has_turn {
            unpacker.take_turn();
        }
        self.feed = StackSource::Unpacked(Box::new(unpacker));
        self.forms.push(form);
        self.unpack.expected = self.unpack.expected.inside();
        // Events of the outer stream do not apply to the inner one.
        (self.raw_doubt, self.event) = (None, None);
        if !self.has_begun {
            self.losses.forget_text();
        }
        self.scratch = vec![0; PIECE].into();
        self.is_dry = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_ahead_where_nothing_is_packed() {
        let mut stack = Stack::new(Box::new(std::io::empty()), Unpack::default());
        assert!(stack.look_ahead(Vec::new).is_none());
        assert_eq!(stack.waiting(), None);
    }
}
