//! Splits a mail, or the messages of an mbox, into headers and the contents of parts. A header
//! is kept until its end, because its findings have its message id; contents are passed on as
//! they come.

use super::boundary::{BOUNDARY_MAX, BoundaryLine, LINE_MAX, Multipart, boundary_of};
use super::header::ContentHeader;
use super::header_end::{HeaderEnd, header_end};
use super::kinds::{MESSAGE, is_compressed, is_message, is_text, is_unread};
use super::leaf::{Base64Place, Leaf, LeafKind, MailPlace, MessageFacts, part_of, text_part};
use super::line_starts::LineStarts;
use super::mbox::Mbox;
use crate::decode::content_reading::ContentReading;
use crate::decode::event::{Decode, Event, Output};
use crate::decode::mail_note::MailNote;
use crate::item::{MailPart, MailPartKind, MediaRanges, Part};
use std::sync::Arc;

/// The most multiparts and messages in each other (M9).
const DEPTH_MAX: usize = 64;

/// The most bytes behind a line of an mbox that are read to find the end that a
/// `Content-Length` states.
const LENGTH_MAX: u64 = 1 << 20;

/// Decodes mail.
#[derive(Debug)]
pub(in crate::decode) struct Mail {
    /// The body that it is. Its offset is that of the header or the content that is read.
    part: Part,
    /// The offset of the next byte in the input; `None` where losses have the offset of the
    /// record around them.
    at: Option<u64>,
    place: Phase,
    mbox: Option<Mbox>,
    /// The multiparts that are open, the outermost first.
    open: Vec<Multipart>,
    /// The types that are read although they hold no text.
    media_types: MediaRanges,
}

#[derive(Debug)]
enum Phase {
    /// Before the first byte.
    Start,
    /// Before the first line of a message of an mbox.
    FromLine,
    Header(Entity, usize),
    Content(Box<MailContent>),
}

/// A message or a part.
#[derive(Clone, Debug)]
struct Entity {
    is_message: bool,
    /// The number of the part, empty for the whole message.
    path: Vec<u8>,
    message: MessageFacts,
    base: Vec<u8>,
    depth: usize,
    /// Whether it is a message where no type is stated.
    is_digest: bool,
}

/// The content of a message or a part.
#[derive(Debug)]
struct MailContent {
    leaf: Leaf,
    /// The number of its bytes that were read.
    at: u64,
    /// The last bytes that were read.
    tail: LastBytes,
    /// The length that the header of the message states, while that may be true.
    length: Option<u64>,
    /// The number of bytes in which no message begins.
    stated: u64,
}

/// The last bytes of a text, as many as show whether a line is empty.
#[derive(Clone, Copy, Debug, Default)]
struct LastBytes {
    bytes: [u8; LastBytes::MOST],
    len: usize,
}

impl LastBytes {
    const MOST: usize = 4;

    fn bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    /// Returns the last bytes of these and of `bytes` behind them.
    fn before(mut self, bytes: &[u8]) -> LastBytes {
        for &byte in &bytes[bytes.len().saturating_sub(LastBytes::MOST)..] {
            if self.len == LastBytes::MOST {
                self.bytes.copy_within(1.., 0);
                self.len -= 1;
            }
            self.bytes[self.len] = byte;
            self.len += 1;
        }
        self
    }
}

/// The end of a stretch of content.
#[derive(Debug, PartialEq, Eq)]
enum ContentStop {
    /// More bytes are needed.
    Open,
    /// A boundary, which ends at this offset.
    Boundary(BoundaryLine, usize),
    Message,
    /// The last byte.
    End,
}

impl MailContent {
    fn new(leaf: Leaf, length: Option<u64>) -> MailContent {
        MailContent {
            leaf,
            at: 0,
            tail: LastBytes::default(),
            length,
            stated: 0,
        }
    }

    /// Notes that `bytes` were read.
    fn advance(&mut self, bytes: &[u8]) {
        self.at += bytes.len() as u64;
        self.tail = self.tail.before(bytes);
    }

    /// Whether the next byte begins a line.
    fn is_line_start(&self) -> bool {
        self.tail.bytes().last().is_none_or(|last| *last == b'\n')
    }

    /// Whether the line before the one that begins behind `before` is empty. The one before
    /// the first line is: it ends the header.
    fn is_after_empty(&self, before: &[u8]) -> bool {
        let near = self.tail.before(before);
        let is_start = self.at + before.len() as u64 == 0;
        let Some(line) = near.bytes().strip_suffix(b"\n") else {
            return is_start;
        };
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        line.is_empty() || line.ends_with(b"\n")
    }
}

impl Mail {
    /// Creates a decoder of the mail `part`.
    pub fn new(part: Part, reading: &ContentReading) -> Mail {
        let is_inside =
            part.mail.is_some() || part.context.warc.is_some() || part.context.member.is_some();
        Mail {
            at: (!is_inside).then_some(0),
            part,
            place: Phase::Start,
            mbox: None,
            open: Vec::new(),
            media_types: reading.media_types.clone(),
        }
    }

    /// Returns the message that the body is, or one of its messages.
    fn message(&self) -> Entity {
        let mail = self.part.mail.as_deref();
        Entity {
            is_message: true,
            path: self
                .part
                .context
                .part
                .as_deref()
                .unwrap_or_default()
                .to_vec(),
            message: MessageFacts::default(),
            base: mail.map(|mail| mail.base.clone()).unwrap_or_default(),
            depth: mail.map_or(0, |mail| mail.depth),
            is_digest: false,
        }
    }

    /// Sets the offset of the parts that begin behind the next `len` bytes.
    fn locate(&mut self, len: usize) {
        if let Some(at) = self.at {
            self.part.offset = at + len as u64;
        }
    }

    /// Writes the header of `bytes`, which begins behind `before` bytes, and returns what
    /// follows it.
    fn read_header(
        &mut self,
        entity: Entity,
        (bytes, before): (&[u8], usize),
        end: HeaderEnd,
        out: &mut Output,
    ) -> Phase {
        let header = &bytes[..end.fields];
        self.locate(before);
        let stated = ContentHeader::read(header);
        let message = match entity.is_message {
            true => MessageFacts {
                id: stated.message_id.clone(),
                date: stated.date,
            },
            false => entity.message.clone(),
        };
        let entity = Entity { message, ..entity };
        if !header.is_empty() {
            let mail = MailPart {
                kind: MailPartKind::Header,
                ..MailPart::default()
            };
            let place = (&entity.path[..], &entity.message);
            out.events
                .push(Event::Part(Arc::new(part_of(&self.part, place, b"", mail))));
            out.events.push(Event::Body(header.len()));
            out.events.push(Event::PartEnd);
            if stated.has_others {
                out.events.push(Event::Mail(MailNote::Header));
            }
        }
        self.locate(before + end.content);
        self.content(entity, stated, out)
    }

    /// Returns the content behind a header.
    fn content(&mut self, entity: Entity, header: ContentHeader, out: &mut Output) -> Phase {
        let essence = match entity.is_digest && header.essence.is_empty() {
            true => MESSAGE,
            false => &header.essence[..],
        };
        let own = match entity.is_message {
            true => child(&entity.path, 1),
            false => entity.path.clone(),
        };
        let base = header.base.clone().unwrap_or_else(|| entity.base.clone());
        let length = header
            .length
            .filter(|_| self.open.is_empty() && self.mbox.is_some());
        let place = (&own[..], &entity.message);
        let text = || text_part(&self.part, place);
        let content = |leaf| Phase::Content(Box::new(MailContent::new(leaf, length)));
        if essence.starts_with(b"multipart/") {
            let boundary = header.boundary.as_deref().map(<[u8]>::trim_ascii_end);
            let known = |boundary: &&[u8]| !boundary.is_empty() && boundary.len() <= BOUNDARY_MAX;
            let note = match boundary.filter(known) {
                None => MailNote::Boundary,
                Some(_) if entity.depth >= DEPTH_MAX => MailNote::Depth,
                Some(boundary) => {
                    let place = (&entity.path[..], &entity.message);
                    let preamble = text_part(&self.part, place);
                    self.open.push(Multipart {
                        boundary: boundary.to_vec(),
                        parts: 0,
                        is_digest: essence == b"multipart/digest",
                        is_found: false,
                        path: entity.path,
                        message: entity.message,
                        base,
                        depth: entity.depth + 1,
                    });
                    return content(Leaf::text(preamble));
                }
            };
            out.events.push(Event::Mail(note));
            return content(Leaf::text(text()));
        }
        let is_coded =
            [QUOTED, BASE64].contains(&&header.coding[..]) || is_uuencode(&header.coding);
        if is_message(essence) {
            if entity.depth >= DEPTH_MAX {
                out.events.push(Event::Mail(MailNote::Depth));
                return content(Leaf::text(text()));
            }
            if !is_coded {
                let entity = Entity {
                    is_message: true,
                    path: own,
                    message: MessageFacts::default(),
                    base,
                    depth: entity.depth + 1,
                    is_digest: false,
                };
                return Phase::Header(entity, 0);
            }
        }
        content(self.leaf(essence, &header, (place, base, entity.depth), text, out))
    }

    /// Returns the content of a part that is not a multipart.
    fn leaf(
        &self,
        essence: &[u8],
        header: &ContentHeader,
        (place, base, depth): (MailPlace<'_>, Vec<u8>, usize),
        text: impl FnOnce() -> Part,
        out: &mut Output,
    ) -> Leaf {
        if is_unread(essence) && !self.media_types.has(essence) {
            out.events.push(Event::Mail(MailNote::NotRead));
            return Leaf::unread();
        }
        let (is_message, is_text) = (is_message(essence), is_text(essence));
        let media_type = match (is_message, essence.is_empty()) {
            (true, _) => essence,
            (_, true) => b"text/plain",
            _ => &header.media_type,
        };
        let mut kind = LeafKind::Whole;
        let mut codings: Vec<&[u8]> = Vec::new();
        let mut is_quoted = false;
        match &header.coding[..] {
            BASE64 => {
                codings.push(BASE64);
                kind = LeafKind::Base64(Base64Place::Coded);
            }
            // A message has parts, whose bytes cannot be mapped through the coding.
            QUOTED if is_message => codings.push(QUOTED),
            QUOTED => is_quoted = true,
            coding if is_uuencode(coding) => {
                codings.push(b"uuencode");
                kind = LeafKind::Uuencode;
            }
            coding if PLAIN.contains(&coding) => {}
            _ => out.events.push(Event::Mail(MailNote::Coding)),
        }
        let file = header.file.as_deref().unwrap_or_default();
        let is_compressed = is_compressed(essence, file);
        if !is_text && !is_quoted && (is_compressed || !codings.is_empty()) {
            codings.push(b"compressed");
        }
        let mut part = part_of(
            &self.part,
            place,
            media_type,
            MailPart {
                kind: match is_message {
                    true => MailPartKind::Message,
                    false => MailPartKind::Body { quoted: is_quoted },
                },
                base,
                depth: depth + 1,
            },
        );
        part.own_offsets = !codings.is_empty();
        part.codings = codings.into_iter().map(<[u8]>::to_vec).collect();
        if is_compressed && !file.is_empty() {
            part.context.member = Some(Arc::from(file));
        }
        Leaf::new(part, kind, text)
    }

    /// Ends the multiparts from number `from` on.
    fn close(&mut self, from: usize, out: &mut Output) {
        for multipart in self.open.drain(from.min(self.open.len())..) {
            out.events.push(Event::Mail(match multipart.is_found {
                true => MailNote::Open,
                false => MailNote::Boundary,
            }));
        }
    }

    /// Returns what follows a boundary.
    fn pass(&mut self, line: BoundaryLine, out: &mut Output) -> Phase {
        self.close(line.number + 1, out);
        if line.is_end
            && let Some(multipart) = self.open.pop()
        {
            let place = (&multipart.path[..], &multipart.message);
            let leaf = Leaf::text(text_part(&self.part, place));
            return Phase::Content(Box::new(MailContent::new(leaf, None)));
        }
        let around = &mut self.open[line.number];
        around.is_found = true;
        around.parts = around.parts.saturating_add(1);
        Phase::Header(
            Entity {
                is_message: false,
                path: child(&around.path, around.parts),
                message: around.message.clone(),
                base: around.base.clone(),
                depth: around.depth,
                is_digest: around.is_digest,
            },
            0,
        )
    }

    /// Returns the end of the next stretch of `content`, and why it ends there.
    fn stretch(&self, content: &mut MailContent, bytes: &[u8], last: bool) -> (usize, ContentStop) {
        let end = match last {
            true => (bytes.len(), ContentStop::End),
            false => (bytes.len(), ContentStop::Open),
        };
        if self.open.is_empty() && self.mbox.is_none() {
            return end;
        }
        let mut starts = LineStarts::new(bytes, !self.open.is_empty(), self.mbox.is_some());
        let mut start = match content.is_line_start() {
            true => Some(0),
            false => starts.after(0),
        };
        while let Some(at) = start {
            let line = &bytes[at..];
            let found = match line.first() {
                Some(b'-') if !self.open.is_empty() => self.boundary(line, last),
                Some(b'F') if self.mbox.is_some() => self.begins_message(content, bytes, at, last),
                None if !last => Some(ContentStop::Open),
                _ => None,
            };
            match found {
                None => start = starts.after(at),
                Some(ContentStop::Message) => return (at, ContentStop::Message),
                Some(ContentStop::Boundary(line, len)) => {
                    return (
                        without_break(bytes, at),
                        ContentStop::Boundary(line, at + len),
                    );
                }
                Some(stop) => return (without_break(bytes, at), stop),
            }
        }
        if !last && bytes.ends_with(b"\r") {
            return (bytes.len() - 1, ContentStop::Open);
        }
        end
    }

    /// Returns the boundary that `text` begins with and its length, or that more is needed.
    fn boundary(&self, text: &[u8], last: bool) -> Option<ContentStop> {
        let window = &text[..text.len().min(LINE_MAX)];
        if window.len() > 1 && window[1] != b'-' {
            return None;
        }
        let len = match memchr::memchr(b'\n', window) {
            Some(end) => end + 1,
            None if window.len() == LINE_MAX => return None,
            None if last => window.len(),
            None => return Some(ContentStop::Open),
        };
        let found = boundary_of(&window[..len], &self.open)?;
        Some(ContentStop::Boundary(found, len))
    }

    /// Returns whether a message begins at the offset `at` of the content, or that more is
    /// needed.
    fn begins_message(
        &self,
        content: &mut MailContent,
        bytes: &[u8],
        at: usize,
        last: bool,
    ) -> Option<ContentStop> {
        let mbox = self.mbox?;
        let offset = content.at + at as u64;
        if offset < content.stated {
            return None;
        }
        let after_empty = || content.is_after_empty(&bytes[..at]);
        match mbox.begins(&bytes[at..], last, after_empty) {
            None => return Some(ContentStop::Open),
            Some(false) => return None,
            Some(true) => {}
        }
        // The length counts only if a message begins, or the input ends, behind it.
        let Some(length) = content.length.filter(|length| *length > offset) else {
            return Some(ContentStop::Message);
        };
        content.length = None;
        if length - offset > LENGTH_MAX {
            return Some(ContentStop::Message);
        }
        let far = length - content.at;
        if far > bytes.len() as u64 && !last {
            content.length = Some(length);
            return Some(ContentStop::Open);
        }
        let Some(rest) = usize::try_from(far).ok().and_then(|far| bytes.get(far..)) else {
            return Some(ContentStop::Message);
        };
        let breaks = rest
            .iter()
            .take(4)
            .take_while(|b| matches!(b, b'\r' | b'\n'));
        let rest = &rest[breaks.count()..];
        match mbox.begins(rest, last, || true) {
            _ if rest.is_empty() && last => {}
            Some(true) => {}
            None => {
                content.length = Some(length);
                return Some(ContentStop::Open);
            }
            Some(false) => return Some(ContentStop::Message),
        }
        content.stated = length;
        None
    }
}

const QUOTED: &[u8] = b"quoted-printable";
const BASE64: &[u8] = b"base64";

/// The codings that leave the bytes as they are, and misspellings of them.
const PLAIN: [&[u8]; 6] = [b"", b"7bit", b"8bit", b"binary", b"7-bit", b"8-bit"];

fn is_uuencode(coding: &[u8]) -> bool {
    [&b"x-uuencode"[..], b"uuencode", b"x-uue", b"uue"].contains(&coding)
}

/// Returns the number of a part of another one.
fn child(path: &[u8], number: u32) -> Vec<u8> {
    let number = number.to_string();
    match path.is_empty() {
        true => number.into_bytes(),
        false => [path, b".", number.as_bytes()].concat(),
    }
}

/// Returns `at` without the line break before it, which belongs to the line (M8).
fn without_break(bytes: &[u8], at: usize) -> usize {
    let before = &bytes[..at];
    let line = before.strip_suffix(b"\n").unwrap_or(before);
    let is_break = line.len() < before.len();
    match is_break {
        true => line.strip_suffix(b"\r").unwrap_or(line).len(),
        false => at,
    }
}

impl Decode for Mail {
    fn begin_at(&mut self, offset: u64) {
        self.at = self.at.map(|_| offset);
    }

    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let read = self.read(bytes, last, out);
        self.at = self.at.map(|at| at + read as u64);
        read
    }
}

impl Mail {
    /// Reads as `push` does.
    fn read(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let mut at = 0;
        loop {
            let rest = &bytes[at..];
            let (len, next) = match std::mem::replace(&mut self.place, Phase::Start) {
                Phase::Start => match self.start(rest, last, out) {
                    None => return at,
                    Some(begun) => begun,
                },
                Phase::FromLine => {
                    let line = memchr::memchr(b'\n', rest).map(|end| end + 1);
                    let Some(len) = line.or_else(|| last.then_some(rest.len())) else {
                        self.place = Phase::FromLine;
                        return at;
                    };
                    out.events.push(Event::Record);
                    out.events.push(Event::Skipped(len));
                    (len, Phase::Header(self.message(), 0))
                }
                Phase::Header(entity, mut looked) => {
                    let Some(end) = header_end(rest, last, &mut looked, &self.open) else {
                        self.place = Phase::Header(entity, looked);
                        return at;
                    };
                    let next = self.read_header(entity, (rest, at), end, out);
                    if end.content > end.fields {
                        out.events.push(Event::Skipped(end.content - end.fields));
                    }
                    (end.content, next)
                }
                Phase::Content(mut content) => {
                    let (end, stop) = self.stretch(&mut content, rest, last);
                    let ends = stop != ContentStop::Open;
                    let read = content.leaf.push(&rest[..end], ends, out);
                    content.advance(&rest[..read]);
                    if ends {
                        content.leaf.end(out);
                    }
                    match stop {
                        ContentStop::Open => {
                            self.place = Phase::Content(content);
                            return at + read;
                        }
                        ContentStop::Boundary(line, to) => {
                            out.events.push(Event::Skipped(to - end));
                            self.locate(at + to);
                            (to, self.pass(line, out))
                        }
                        ContentStop::Message => {
                            self.close(0, out);
                            (end, Phase::FromLine)
                        }
                        ContentStop::End => {
                            self.close(0, out);
                            self.place = Phase::Content(content);
                            return bytes.len();
                        }
                    }
                }
            };
            self.place = next;
            at += len;
        }
    }

    /// Reads the beginning: a byte-order mark, and whether it is an mbox.
    fn start(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> Option<(usize, Phase)> {
        const MARK: &[u8] = b"\xEF\xBB\xBF";
        if !last && (bytes.len() < MARK.len() && MARK.starts_with(bytes)) {
            return None;
        }
        let len = if bytes.starts_with(MARK) {
            MARK.len()
        } else {
            0
        };
        let text = &bytes[len..];
        let from = b"From ";
        if !last && text.len() < from.len() && from.starts_with(text) {
            return None;
        }
        let is_mbox = text.starts_with(from);
        let line = memchr::memchr(b'\n', &text[..text.len().min(LINE_MAX)]);
        if is_mbox && line.is_none() && !last && text.len() < LINE_MAX {
            return None;
        }
        if len > 0 {
            out.events.push(Event::Skipped(len));
        }
        let first = &text[..line.unwrap_or(text.len().min(LINE_MAX))];
        // A message inside of another one is no mbox.
        self.mbox = (is_mbox && self.part.mail.is_none()).then(|| Mbox::of(first));
        let next = match is_mbox {
            true => Phase::FromLine,
            false => Phase::Header(self.message(), 0),
        };
        Some((len, next))
    }
}
