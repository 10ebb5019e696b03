//! The block of a record: where it ends, which of it is the head of an HTTP
//! message and which its content, and what of both is searched. Which record
//! comes next is left to the archive.

use super::coded::{Origin, codings};
use super::envelope::Envelope;
use super::header::{self, Header};
use super::http::{self, Head};
use super::magic::{VERSION_1, WARC};
use super::{
    Archive, Coded, HEADER_MAX, Lost, Mark, Piece, Place, Sought, line_with, may_become_archive,
};
use crate::item::LossKind;
use crate::unpack::coding::{Codings, Flow};
use std::collections::VecDeque;
use std::sync::Arc;

/// Bytes of text that are given at a time.
const PIECE: usize = 64 << 10;
/// Content of this length is left coded, when that is asked for.
const CODED_MAX: usize = 1 << 20;
/// Records of this length are looked at whole before they are believed.
const HELD: usize = 4 << 20;

/// The block of a record.
pub(super) struct Block {
    header: Header,
    /// Where the record begins, in the input.
    offset: u64,
    /// Bytes that are left.
    left: u64,
    /// Its length was compared with what follows.
    checked: bool,
    /// So many of its first bytes hold no beginning of a record.
    passed: usize,
    /// What its bytes are; `None` until its beginning was read.
    content: Option<Content>,
}

struct Content {
    /// How the payload is coded, until that is undone.
    coded: Option<Head>,
    /// Stretches of an HTTP head.
    head: VecDeque<(usize, Sought)>,
    /// The last stretch is to be told as ended.
    breaks: bool,
    /// What tells which of its bytes are searched.
    envelope: Option<Envelope>,
    codings: Codings,
}

impl Block {
    /// The block after the header of the record that begins at `offset`.
    pub(super) fn new(header: Header, offset: u64) -> Block {
        Block {
            left: header.length.unwrap_or(u64::MAX),
            header,
            offset,
            checked: false,
            passed: 0,
            content: None,
        }
    }
}

impl Archive {
    /// Goes on in a record.
    pub(super) fn block(&mut self, mut block: Box<Block>, text: &mut Vec<u8>) -> Option<Piece> {
        if !block.checked && !self.check(&mut block) {
            self.place = Place::Record(block);
            return Some(Piece::Hungry);
        }
        let (len, ended) = self.available(&block);
        let fresh = block.content.is_none();
        if fresh && !self.open(&mut block, len, ended) {
            self.place = Place::Record(block);
            return Some(Piece::Hungry);
        }
        if fresh {
            let record = Arc::new(std::mem::take(&mut block.header.record));
            self.place = Place::Record(block);
            return Some(Piece::Record(record));
        }
        let sure = self.until_doubt();
        let Some(content) = &mut block.content else {
            return None;
        };
        if std::mem::take(&mut content.breaks) {
            self.place = Place::Record(block);
            return Some(Piece::Break);
        }
        if let Some((left, sought)) = content.head.front_mut() {
            let given = (*left).min(PIECE).min(sure);
            let sought = *sought;
            text.extend_from_slice(&self.buffer[self.at..self.at + given]);
            *left -= given;
            if *left == 0 {
                content.head.pop_front();
                content.breaks = true;
            }
            block.left -= given as u64;
            self.advance(given);
            self.place = Place::Record(block);
            return Some(Piece::Text(given, sought));
        }
        let origin = Origin {
            offset: block.offset,
            truncated: block.header.truncated,
        };
        if let Some(head) = content.coded.take() {
            if !(self.leaves_coded && ended && len <= CODED_MAX) {
                content.codings = codings(&head);
                self.place = Place::Record(block);
                return None;
            }
            let coded = Coded {
                bytes: self.buffer[self.at..self.at + len].to_vec(),
                head,
                origin,
                sought: Sought::Uris,
            };
            block.left -= len as u64;
            self.advance(len);
            self.finish(&block);
            return Some(Piece::Coded(coded));
        }
        if let (Some(envelope), 1..) = (&mut content.envelope, len) {
            let here = &self.buffer[self.at..self.at + len.min(PIECE).min(sure)];
            let (given, searched) = envelope.stretch(here);
            text.extend_from_slice(&here[..given]);
            block.left -= given as u64;
            self.advance(given);
            let sought = match searched {
                true => Sought::Uris,
                false => Sought::Nothing,
            };
            self.place = Place::Record(block);
            return Some(Piece::Text(given, sought));
        }
        let here = &self.buffer[self.at..self.at + len.min(sure)];
        let room = match content.codings.is_identity() {
            true => here.len().clamp(1, PIECE),
            false => PIECE,
        };
        let had = text.len();
        text.resize(had + room, 0);
        let ends = ended && len <= sure;
        let pulled = content.codings.pull(here, ends, &mut text[had..]);
        text.truncate(had + pulled.written);
        origin.tell(content.codings.losses(), &mut self.losses);
        block.left -= pulled.read as u64;
        self.advance(pulled.read);
        if pulled.written == 0 && pulled.state == Flow::End {
            self.finish(&block);
            return None;
        }
        self.place = Place::Record(block);
        match (pulled.written, pulled.read) {
            (0, 0) => Some(Piece::Hungry),
            (0, _) => None,
            (written, _) => Some(Piece::Text(written, Sought::Uris)),
        }
    }

    /// A record was read as far as there is any of it.
    fn finish(&mut self, block: &Block) {
        let cut = block.left > 0;
        if cut && self.marks.is_empty() {
            let lost = Lost {
                offset: block.offset,
                cause: "the record lacks its end",
                kind: LossKind::Truncated,
            };
            self.told(lost, None);
        } else if cut && self.marks.front().is_some_and(|mark| mark.1 != Mark::Gap) {
            let lost = Lost {
                offset: block.offset,
                cause: "the record is shorter than it says",
                kind: LossKind::Damaged,
            };
            self.told(lost, None);
        }
        self.place = Place::Between;
    }

    /// How much of the block is here, and whether it ends there.
    fn available(&mut self, block: &Block) -> (usize, bool) {
        while let Some(&(at, mark)) = self.marks.front() {
            let there = at.saturating_sub(self.pos);
            if there >= block.left {
                break;
            }
            let after = &self.buffer[self.at + there as usize..];
            match mark {
                Mark::Gap => return (there as usize, true),
                Mark::Member(_) if after.starts_with(WARC) && at >= self.pos => {
                    return (there as usize, true);
                }
                Mark::Member(_) if WARC.starts_with(after) && !self.ended => {
                    return (there as usize, false);
                }
                Mark::Member(offset) => {
                    // The record goes on in another member.
                    self.member = offset;
                    self.marks.pop_front();
                }
            }
        }
        let here = self.rest().len();
        match usize::try_from(block.left) {
            Ok(left) if left <= here => (left, true),
            _ => (here, self.ended),
        }
    }

    /// Compares the length of a block with what follows it; false when that is not
    /// here yet.
    fn check(&mut self, block: &mut Block) -> bool {
        let (len, ended) = self.available(block);
        if block.header.length.is_none() {
            return self.measure(block, len, ended);
        }
        if len >= HELD {
            // Too long to be looked at whole: believed, unless its beginning, the same
            // however much of it is here, holds another record.
            block.checked = true;
            let another = another_record(&self.rest()[..HELD]);
            if let Some(shorter) = another.filter(|_| self.arc.is_none()) {
                self.shorten(block, shorter, "the record is shorter than it says");
            }
            return true;
        }
        if !ended {
            return false;
        }
        let cut = (len as u64) < block.left;
        if cut && !self.marks.is_empty() {
            block.checked = true;
            return true;
        }
        let rest = self.rest();
        let after = &rest[len..];
        let marked = self.marks.iter().map(|mark| mark.0 - self.pos.min(mark.0));
        let marked = marked.filter(|&at| at >= len as u64).min();
        let known = marked.is_some() || self.ended;
        let after = match marked {
            Some(at) => &after[..(at as usize - len).min(after.len())],
            None => after,
        };
        let breaks = after.iter().take_while(|b| matches!(b, b'\r' | b'\n'));
        let breaks = breaks.count();
        let right = if cut {
            false
        } else if after.starts_with(b"\r\n\r\n") || self.arc.is_some() && breaks > 0 {
            true
        } else if breaks == after.len() {
            if !known {
                return false;
            }
            true
        } else {
            let next = &after[breaks..];
            if !known && next.len() < WARC.len() && may_become_archive(next) {
                return false;
            }
            next.starts_with(WARC) || self.arc.is_some()
        };
        block.checked = true;
        let is_record = |line: &[u8]| line.starts_with(VERSION_1) && self.arc.is_none();
        if !right && let Some(shorter) = line_with(rest, is_record).filter(|&at| at < len) {
            self.shorten(block, shorter, "the record is shorter than it says");
        }
        true
    }

    /// A block whose length is not told ends where the next record begins; false
    /// when that is not here yet.
    fn measure(&mut self, block: &mut Block, len: usize, ended: bool) -> bool {
        let rest = &self.rest()[..len.min(HELD)];
        let next = self.next_record(&rest[block.passed..], VERSION_1);
        let end = match next {
            Some(at) => block.passed + at,
            None if ended || len >= HELD => rest.len(),
            None => {
                // The last line may go on.
                let lines = memchr::memrchr(b'\n', rest).map_or(0, |at| at + 1);
                block.passed = block.passed.max(lines);
                return false;
            }
        };
        block.checked = true;
        self.shorten(block, end, "the header of a record has no length");
        true
    }

    fn shorten(&mut self, block: &mut Block, left: usize, cause: &'static str) {
        block.left = left as u64;
        let lost = Lost {
            offset: block.offset,
            cause,
            kind: LossKind::Damaged,
        };
        self.told(lost, None);
    }

    /// Reads the head of an HTTP message; false when it is not here yet.
    fn open(&mut self, block: &mut Block, len: usize, ended: bool) -> bool {
        let rest = &self.rest()[..len];
        let is_line = |b: &u8| *b == b'\n';
        if !ended
            && len <= HEADER_MAX
            && !rest.iter().any(is_line)
            && block.header.http.is_some_and(|http| http)
        {
            return false;
        }
        let is_http = match block.header.http {
            Some(is_http) => is_http,
            None if !ended && len < 5 => return false,
            None => rest.starts_with(b"HTTP/"),
        };
        let mut content = Content {
            coded: None,
            head: VecDeque::new(),
            breaks: false,
            envelope: block.header.envelope.then(Envelope::new),
            codings: Codings::default(),
        };
        let mut lost = None;
        let first = rest.split(|&b| b == b'\n').next().unwrap_or_default();
        if is_http && memchr::memmem::find(first, b"HTTP/").is_some() {
            let end = match header::end(rest) {
                None if ended || len > HEADER_MAX => None,
                None => return false,
                end => end,
            };
            // Without its empty line a head ends where its fields end.
            let fields = http::fields_end(&rest[..end.unwrap_or(len.min(HEADER_MAX))]);
            let head = http::head(&rest[..fields]);
            let is_coded = head.chunked || !head.codings.is_empty();
            let sure = match end {
                None if fields == len => 0,
                _ => fields,
            };
            content.head = http::stretches(&rest[..end.unwrap_or(fields)], sure).into();
            content.coded = is_coded.then_some(head);
            lost = match end {
                None => Some("the head of a message has no empty line"),
                // Where the content begins is not sure, then.
                Some(end) if fields < end && is_coded => {
                    Some("the head of a message has a line that is no field")
                }
                // It may be what is left of the empty line.
                Some(end) if http::has_bare_cr(&rest[..end]) => {
                    Some("the head of a message has a CR without LF")
                }
                Some(_) => None,
            };
        }
        if block.header.record.kind == b"filedesc" && rest.first() == Some(&b'2') {
            self.arc = Some(2);
        }
        block.content = Some(content);
        if let Some(cause) = lost.filter(|_| !block.header.truncated) {
            let lost = Lost {
                offset: block.offset,
                cause,
                kind: LossKind::Suspect,
            };
            self.told(lost, None);
        }
        true
    }
}

/// Where in `text` a record ends and another begins whose header has a type and a
/// length, as every header has (WARC/1.1 section 5).
fn another_record(text: &[u8]) -> Option<usize> {
    memchr::memmem::find_iter(text, b"\r\n\r\nWARC/1.").find_map(|at| {
        let start = at + 4;
        let end = header::end(&text[start..])?;
        let Header { record, length, .. } = header::warc(&text[start..start + end])?;
        (length.is_some() && !record.kind.is_empty()).then_some(start)
    })
}
