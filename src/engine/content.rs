//! Reads the content of a record: undoes its codings, decodes it, scans its text,
//! resolves its references, and reads the bodies that are nested in it in turn. A
//! record may continue in the next block; its [`PartContent`] is then passed on.

use super::batch::Batch;
use super::carry::Carry;
use super::pairs::PageRows;
use super::piece::BlockPiece;
use super::record_filter::RecordVerdict;
use super::worker::Worker;
use crate::decode::{Decode, Delimited, Event, Output, decoder, is_message, text_decoder};
use crate::item::{Damage, Encoding, Loss, LossKind, OwnedLink, Part, Reference, Span};
use crate::unpack::{Codings, Flow};
use std::sync::Arc;

/// The greatest depth of nested bodies.
const DEPTH_MAX: usize = 8;
/// The number of bytes that are decoded at a time.
const PIECE: usize = 256 << 10;

/// A record that is being read.
#[derive(Debug)]
pub(super) struct PartContent {
    /// The record itself, and the nested bodies that are open, the innermost last.
    bodies: Vec<ContentBody>,
    /// The number of its bytes that were read, after its codings were undone.
    at: u64,
    /// What is not decided at the end of its last text.
    carry: Option<Carry>,
    /// The encoding of its last text.
    encoding: Encoding,
    /// The links that it gave so far.
    pub rows: PageRows,
    verdict: RecordVerdict,
}

/// A body that is being read.
#[derive(Debug)]
struct ContentBody {
    part: Arc<Part>,
    /// `None` where the body has no codings, and while they are in use.
    codings: Option<Codings>,
    is_coded: bool,
    /// `None` while the decoder is in use.
    decoder: Option<Box<dyn Decode>>,
    /// Bytes that the decoder has not read yet.
    unread: Vec<u8>,
    output: Output,
}

/// The context of one call that reads more of a record.
pub(super) struct ContentReader<'r> {
    pub batch: &'r mut Batch,
    /// The raw offset from which the content may be damaged.
    pub doubt: Option<u64>,
    /// May take what is in the batch; returns whether to go on.
    pub pause: &'r mut dyn FnMut(&mut Batch) -> bool,
}

impl PartContent {
    /// Returns the content of the record `part`, of which nothing was read yet.
    fn new(part: &Arc<Part>, verdict: RecordVerdict) -> PartContent {
        PartContent {
            bodies: vec![ContentBody::new(Arc::clone(part), decoder(part))],
            at: 0,
            carry: None,
            encoding: Encoding::Raw,
            rows: PageRows::default(),
            verdict,
        }
    }

    /// Whether the record is read, or may be.
    pub(super) fn is_read(&self) -> bool {
        self.verdict != RecordVerdict::Filtered
    }
}

impl ContentBody {
    fn new(part: Arc<Part>, decoder: Box<dyn Decode>) -> ContentBody {
        let codings = Codings::new(part.codings.iter().map(|name| &name[..]));
        ContentBody {
            is_coded: !codings.is_identity(),
            codings: (!codings.is_identity()).then_some(codings),
            decoder: Some(decoder),
            unread: Vec::new(),
            output: Output::default(),
            part,
        }
    }
}

impl Worker {
    /// Begins the record `part`.
    pub(super) fn begin_record(&mut self, part: &Arc<Part>, batch: &mut Batch) -> PartContent {
        let verdict = self.records.begin(part);
        batch.stats.filtered += u64::from(verdict == RecordVerdict::Filtered);
        PartContent::new(part, verdict)
    }

    /// Reads `bytes`, the next ones of a record, or its `last` ones. Returns false when
    /// the run stops.
    pub(super) fn read_content(
        &mut self,
        content: &mut PartContent,
        bytes: &[u8],
        last: bool,
        reader: &mut ContentReader,
    ) -> bool {
        if !content.is_read() {
            self.skip_content(content, bytes, reader);
            return true;
        }
        self.read_body(content, 0, (bytes, last), reader)
    }

    /// Reads more of the body at `depth`. Its codings are undone piece by piece, because
    /// a few bytes may decompress to a very large text.
    fn read_body(
        &mut self,
        content: &mut PartContent,
        depth: usize,
        (bytes, last): (&[u8], bool),
        reader: &mut ContentReader,
    ) -> bool {
        let Some(mut codings) = content.bodies[depth].codings.take() else {
            return self.decode_body(content, depth, (bytes, last), reader);
        };
        let mut piece = self.buffers.pieces.pop().unwrap_or_default();
        let mut at = 0;
        let goes_on = loop {
            piece.resize(PIECE, 0);
            let pulled = codings.pull(&bytes[at..], last, &mut piece);
            #[cfg(feature = "failpoints")]
            super::faultpoint::at("codings", &piece[..pulled.written]);
            at += pulled.read;
            let part = &content.bodies[depth].part;
            for loss in codings.losses() {
                lose(part, loss.at(part.offset), reader.batch);
            }
            let decoded = (&piece[..pulled.written], pulled.state == Flow::End);
            let goes_on =
                self.decode_body(content, depth, decoded, reader) && (reader.pause)(reader.batch);
            if pulled.state != Flow::More || !goes_on {
                break goes_on;
            }
        };
        self.buffers.pieces.push(piece);
        content.bodies[depth].codings = Some(codings);
        goes_on
    }

    /// Decodes more of the body at `depth`, whose codings are undone.
    fn decode_body(
        &mut self,
        content: &mut PartContent,
        depth: usize,
        (bytes, last): (&[u8], bool),
        reader: &mut ContentReader,
    ) -> bool {
        let body = &mut content.bodies[depth];
        let Some(mut decoder) = body.decoder.take() else {
            return true;
        };
        let mut unread = std::mem::take(&mut body.unread);
        let mut output = std::mem::take(&mut body.output);
        let is_fresh = unread.is_empty();
        if !is_fresh {
            unread.extend_from_slice(bytes);
        }
        let pushed = if is_fresh { bytes } else { &unread };
        output.clear();
        #[cfg(feature = "failpoints")]
        super::faultpoint::at("decode", pushed);
        let read = decoder.push(pushed, last, &mut output);
        let goes_on = self.take_output(content, depth, (pushed, last), &output, reader);
        match is_fresh {
            true => unread.extend_from_slice(&bytes[read..]),
            false => drop(unread.drain(..read)),
        }
        let body = &mut content.bodies[depth];
        (body.decoder, body.unread, body.output) = (Some(decoder), unread, output);
        goes_on
    }

    /// Handles the events of `output`, which a decoder made of `bytes`.
    fn take_output(
        &mut self,
        content: &mut PartContent,
        depth: usize,
        (bytes, last): (&[u8], bool),
        output: &Output,
        reader: &mut ContentReader,
    ) -> bool {
        if content.verdict == RecordVerdict::Open && !output.events.is_empty() {
            let message = output.events.iter().find_map(|event| match event {
                Event::Part(part) => Some(part),
                _ => None,
            });
            content.verdict = self.records.decide(&content.bodies[0].part, message);
            if !content.is_read() {
                reader.batch.stats.filtered += 1;
                return true;
            }
        }
        let mut rest = bytes;
        let mut take = |len: usize| {
            let (taken, left) = rest.split_at(len);
            rest = left;
            taken
        };
        let mut text = &output.text[..];
        for (number, event) in output.events.iter().enumerate() {
            let next = output.events.get(number + 1);
            let is_over = match next {
                None => last,
                Some(next) => !matches!(next, Event::Text(_) | Event::Decoded { .. }),
            };
            if let Event::Skipped(_) | Event::Reference(_) | Event::Part(_) = event {
                self.end_text(content, depth, reader);
            }
            match event {
                Event::Skipped(len) => self.skip_content(content, take(*len), reader),
                Event::Text(len) => {
                    let text = (take(*len), Encoding::Raw);
                    self.scan_content(content, depth, text, is_over, reader);
                }
                Event::Decoded { raw, len, encoding } => {
                    take(*raw);
                    let (decoded, left) = text.split_at(*len);
                    text = left;
                    self.scan_content(content, depth, (decoded, *encoding), is_over, reader);
                }
                Event::Reference(reference) => {
                    let text = take(reference.len);
                    self.refer_content(content, depth, text, reference, reader);
                }
                Event::Part(part) => self.open_part(content, depth, part, reader.batch),
                Event::Body(len) => {
                    let is_over = matches!(next, Some(Event::PartEnd));
                    let text = take(*len);
                    if !self.read_body(content, depth + 1, (text, is_over), reader) {
                        return false;
                    }
                    if is_over {
                        content.bodies.truncate(depth + 1);
                    }
                }
                Event::PartEnd if content.bodies.len() > depth + 1 => {
                    if !self.read_body(content, depth + 1, (b"", true), reader) {
                        return false;
                    }
                    content.bodies.truncate(depth + 1);
                }
                Event::Suspect(cause) => {
                    let part = &content.bodies[depth].part;
                    lose(
                        part,
                        LossKind::Suspect(http(cause, part.offset)),
                        reader.batch,
                    );
                }
                _ => {}
            }
        }
        if last {
            self.end_text(content, depth, reader);
        }
        true
    }

    /// Opens a body that is nested in the one at `depth`.
    fn open_part(
        &mut self,
        content: &mut PartContent,
        depth: usize,
        part: &Part,
        batch: &mut Batch,
    ) {
        content.bodies.truncate(depth + 1);
        let is_too_deep = depth + 1 >= DEPTH_MAX && is_message(part);
        if is_too_deep {
            let cause = "messages in each other more than 8 times";
            let damage = http(cause, part.offset);
            lose(part, LossKind::Unsupported(damage), batch);
        }
        let decoder = match is_too_deep {
            true => text_decoder(),
            false => decoder(part),
        };
        let body = ContentBody::new(Arc::new(part.clone()), decoder);
        content.bodies.push(body);
    }

    /// Scans text of the body at `depth`. No text continues the `last` one.
    fn scan_content(
        &mut self,
        content: &mut PartContent,
        depth: usize,
        (bytes, encoding): (&[u8], Encoding),
        last: bool,
        reader: &mut ContentReader,
    ) {
        let carry = content.carry.take().unwrap_or_else(Carry::start);
        let piece = BlockPiece {
            encoding,
            ..content.piece(depth, bytes, reader)
        };
        let carry = self.scan_piece(&piece, carry, last, reader.batch);
        content.carry = carry.filter(|_| !last);
        content.encoding = encoding;
        content.at += encoding.raw_len(bytes);
    }

    /// Ends the last text: nothing continues it.
    fn end_text(&mut self, content: &mut PartContent, depth: usize, reader: &mut ContentReader) {
        if content.carry.is_some() {
            let text = (&b""[..], content.encoding);
            self.scan_content(content, depth, text, true, reader);
        }
    }

    /// Skips bytes that are not searched.
    fn skip_content(
        &mut self,
        content: &mut PartContent,
        bytes: &[u8],
        reader: &mut ContentReader,
    ) {
        let first = reader.batch.items.len();
        let piece = content.piece(0, bytes, reader);
        self.count(&piece, first, reader.batch);
        content.at += bytes.len() as u64;
    }

    /// Adds a reference that is in the body at `depth`.
    fn refer_content(
        &mut self,
        content: &mut PartContent,
        depth: usize,
        bytes: &[u8],
        delimited: &Delimited,
        reader: &mut ContentReader,
    ) {
        let part = Arc::clone(&content.bodies[depth].part);
        let first = reader.batch.items.len();
        let mut context = part.context.clone();
        context.header = delimited.header.map(|name| self.header(name));
        if self.keys.pairs.is_some() && context.link.is_none() {
            context.link = delimited.header.map(|name| self.header_link(name));
        }
        let piece = content.piece(depth, bytes, reader);
        let span = Span {
            offset: piece.offset,
            length: bytes.len() as u64,
        };
        let record = part.context.warc.as_deref();
        let mut reference = Reference::new(bytes, span);
        reference.wrapper = delimited.wrapper;
        reference.context = &context;
        let base = self.base.clone();
        reference.base = record
            .map(|record| &record.target_uri[..])
            .or(base.as_deref());
        if !self.refer(&reference, piece.doubt, reader.batch) {
            return self.scan_content(content, depth, (bytes, Encoding::Raw), true, reader);
        }
        self.count(&piece, first, reader.batch);
        content.at += bytes.len() as u64;
    }

    /// Returns the position of the links in a header field, of which all contexts share one
    /// copy.
    fn header_link(&mut self, name: &'static str) -> Arc<OwnedLink> {
        let path = [b"HTTP@/", name.as_bytes()].concat();
        let known = self.header_links.iter().find(|known| known.path == path);
        match known {
            Some(known) => Arc::clone(known),
            None => {
                let link = Arc::new(OwnedLink {
                    path,
                    ..OwnedLink::default()
                });
                self.header_links.push(Arc::clone(&link));
                link
            }
        }
    }

    /// Returns the name of a header field, of which all contexts share one copy.
    fn header(&mut self, name: &'static str) -> Arc<[u8]> {
        let known = self
            .headers
            .iter()
            .find(|known| ***known == *name.as_bytes());
        match known {
            Some(known) => Arc::clone(known),
            None => {
                let header = Arc::from(name.as_bytes());
                self.headers.push(Arc::clone(&header));
                header
            }
        }
    }
}

impl PartContent {
    /// Returns `bytes`, the next ones of the body at `depth`, as a piece of text.
    fn piece<'t>(
        &'t self,
        depth: usize,
        bytes: &'t [u8],
        reader: &ContentReader,
    ) -> BlockPiece<'t> {
        let is_coded = self.bodies[..=depth].iter().any(|body| body.is_coded);
        BlockPiece {
            bytes,
            encoding: Encoding::Raw,
            offset: self.at,
            // Damage to coded bytes may affect everything that is decoded from them.
            doubt: match is_coded {
                true => reader.doubt.map(|_| 0),
                false => reader.doubt,
            },
            context: &self.bodies[depth].part.context,
        }
    }
}

/// Adds a loss in the record that `part` belongs to.
fn lose(part: &Part, kind: LossKind, batch: &mut Batch) {
    // The missing end of a truncated record is reported already.
    if !(part.truncated && matches!(kind, LossKind::Truncated(_))) {
        batch.lose(Loss {
            input: batch.input,
            offset: part.offset,
            kind,
        });
    }
}

/// Returns the damage of an HTTP message in the record that begins at `at`.
fn http(cause: &'static str, at: u64) -> Damage {
    Damage {
        container: "http",
        cause,
        at,
        resumes: None,
        text: None,
    }
}
