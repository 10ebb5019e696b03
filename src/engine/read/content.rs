//! Reads the content of a record: undoes its codings, decodes it, scans its text, and
//! reads the bodies that are nested in it in turn; `values` has its references. A record
//! may continue in the next block; its [`PartContent`] is then passed on.

use super::page::PageState;
use super::pair_intake::PageRows;
use super::worker::Worker;
use crate::decode::{
    Decode, Event, MarkupValue, Output, RecordDamage, RecordFault, ValueKind, decoder, is_message,
    text_decoder,
};
use crate::engine::ask::record_filter::RecordVerdict;
use crate::engine::batches::batch::Batch;
use crate::engine::batches::carry::Carry;
use crate::engine::batches::piece::{BlockPiece, RawPiece};
use crate::item::{Damage, DamagedRecord, Encoding, Loss, LossKind, OwnedContext, Part};
use crate::unpack::{Codings, Flow, WindowBound};
use std::sync::Arc;

/// The greatest depth of nested bodies.
const DEPTH_MAX: usize = 8;
/// The number of bytes that are decoded at a time.
const PIECE: usize = 256 << 10;

/// A record that is being read.
#[derive(Debug)]
pub(in crate::engine) struct PartContent {
    /// The record itself, and the nested bodies that are open, the innermost last.
    bodies: Vec<ContentBody>,
    /// The number of its bytes that were read, after its codings were undone.
    at: u64,
    /// The last text, if the next block may continue it.
    open: Option<OpenText>,
    /// The links that it gave so far.
    pub rows: PageRows,
    verdict: RecordVerdict,
}

/// A text that may continue.
#[derive(Debug)]
struct OpenText {
    /// The bytes that are not decided at the end.
    carry: Carry,
    encoding: Encoding,
    /// The context of what is found in it.
    context: OwnedContext,
}

/// The next bytes of a text.
#[derive(Clone, Copy)]
pub(in crate::engine) struct ContentText<'t> {
    pub bytes: &'t [u8],
    pub encoding: Encoding,
    pub decoded_from: Option<RawPiece<'t>>,
    pub context: &'t OwnedContext,
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
    /// The bases and the encoding of its markup.
    page: PageState,
    /// The context of its values: one that is changed costs less than one for each.
    context: OwnedContext,
}

/// The decoder of a record between two blocks. The next block may decode its bytes while
/// the texts of the block before it are still searched.
#[derive(Debug)]
pub(in crate::engine) struct PassedDecoder {
    decoder: Box<dyn Decode>,
    /// Bytes that it has not read yet.
    unread: Vec<u8>,
}

/// The events that a decoder made of the first bytes of a block.
pub(in crate::engine) struct DecodedAhead {
    /// `None` when it was passed on to the next block.
    decoder: Option<Box<dyn Decode>>,
    /// What the block before left unread, and the bytes of the block; `None` when nothing
    /// was left.
    joined: Option<Vec<u8>>,
    /// The number of these bytes, or of those of the block, that it read.
    read: usize,
    last: bool,
    output: Output,
}

/// The context of one call that reads more of a record.
pub(in crate::engine) struct ContentReader<'r> {
    pub batch: &'r mut Batch,
    /// The raw offset from which the content may be damaged.
    pub doubt: Option<u64>,
    /// May take what is in the batch; returns whether to continue.
    pub pause: &'r mut dyn FnMut(&mut Batch) -> bool,
    /// The bytes, where they were decoded already.
    pub ahead: Option<DecodedAhead>,
    /// Takes the decoder of the record as soon as the bytes are decoded.
    pub pass_on: Option<&'r mut dyn FnMut(PassedDecoder)>,
}

impl PartContent {
    /// Returns the content of the record `part`, which `decoder` reads, before its first
    /// byte.
    /// Its URI is that of the record, or `base`; its first byte is at the raw offset `at`.
    fn new(
        part: &Arc<Part>,
        decoder: Box<dyn Decode>,
        (base, at): (&[u8], u64),
        (verdict, window): (RecordVerdict, WindowBound),
    ) -> PartContent {
        PartContent {
            bodies: vec![ContentBody::new(Arc::clone(part), decoder, base, window)],
            at,
            open: None,
            rows: PageRows::default(),
            verdict,
        }
    }

    /// Whether the record is read, or may be.
    pub(in crate::engine) fn is_read(&self) -> bool {
        self.verdict != RecordVerdict::Filtered
    }
}

impl ContentBody {
    fn new(
        part: Arc<Part>,
        decoder: Box<dyn Decode>,
        base: &[u8],
        window: WindowBound,
    ) -> ContentBody {
        let record = part.context.warc.as_deref();
        let uri = record.map_or(&[][..], |record| &record.target_uri);
        let codings = Codings::new(part.codings.iter().map(|name| &name[..]));
        let codings = codings.with_window(window);
        ContentBody {
            is_coded: !codings.is_identity(),
            codings: (!codings.is_identity()).then_some(codings),
            decoder: Some(decoder),
            unread: Vec::new(),
            output: Output::default(),
            page: PageState::of(if uri.is_empty() { base } else { uri }),
            context: part.context.clone(),
            part,
        }
    }
}

impl Worker {
    /// Begins the record `part`, whose first byte is at the raw offset `at`.
    pub(in crate::engine) fn begin_record(
        &mut self,
        part: &Arc<Part>,
        at: u64,
        batch: &mut Batch,
    ) -> PartContent {
        let verdict = self.records.begin(part);
        batch.stats.filtered += u64::from(verdict == RecordVerdict::Filtered);
        let mut decoder = decoder(part, self.reading);
        decoder.begin_at(at);
        let how = (verdict, self.coding_window);
        PartContent::new(part, decoder, (self.document_base(), at), how)
    }

    /// Reads `bytes`, the next ones of a record, or its `last` ones. Returns false when
    /// the run stops.
    pub(in crate::engine) fn read_content(
        &mut self,
        content: &mut PartContent,
        bytes: &[u8],
        last: bool,
        reader: &mut ContentReader,
    ) -> bool {
        let ahead = reader.ahead.take();
        if !content.is_read() {
            self.skip_content(content, 0, bytes, reader);
            return true;
        }
        let Some(ahead) = ahead else {
            return self.read_body(content, 0, (bytes, last), reader);
        };
        let bytes = ahead.joined.as_deref().unwrap_or(bytes);
        let goes_on = self.take_output(content, 0, (bytes, ahead.last), &ahead.output, reader);
        let body = &mut content.bodies[0];
        body.decoder = ahead.decoder;
        if body.decoder.is_some() {
            body.unread.clear();
            body.unread.extend_from_slice(&bytes[ahead.read..]);
        }
        self.buffers.decoded = ahead.output;
        goes_on
    }

    /// Has `passed` decode `bytes`, the next ones of its record, or its `last` ones, before
    /// it is known what the block before left undecided in the texts. Gives the decoder to
    /// `pass_on`, if there is one.
    pub(in crate::engine) fn decode_ahead(
        &mut self,
        passed: PassedDecoder,
        (bytes, last): (&[u8], bool),
        pass_on: Option<&mut dyn FnMut(PassedDecoder)>,
    ) -> DecodedAhead {
        let PassedDecoder {
            mut decoder,
            mut unread,
        } = passed;
        let joined = (!unread.is_empty()).then(|| {
            unread.extend_from_slice(bytes);
            unread
        });
        let bytes = joined.as_deref().unwrap_or(bytes);
        let mut output = std::mem::take(&mut self.buffers.decoded);
        output.clear();
        #[cfg(feature = "failpoints")]
        crate::engine::faultpoint::at("decode", bytes);
        let read = decoder.push(bytes, last, &mut output);
        let mut kept = Some(decoder);
        if let Some(pass_on) = pass_on
            && let Some(decoder) = kept.take()
        {
            let unread = bytes[read..].to_vec();
            pass_on(PassedDecoder { decoder, unread });
        }
        DecodedAhead {
            decoder: kept,
            joined,
            read,
            last,
            output,
        }
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
        // Each of the pieces needs the decoder.
        reader.pass_on = None;
        let mut piece = self.buffers.pieces.pop().unwrap_or_default();
        let mut at = 0;
        let goes_on = loop {
            piece.resize(PIECE, 0);
            let pulled = codings.pull(&bytes[at..], last, &mut piece);
            #[cfg(feature = "failpoints")]
            crate::engine::faultpoint::at("codings", &piece[..pulled.written]);
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
        crate::engine::faultpoint::at("decode", pushed);
        let read = decoder.push(pushed, last, &mut output);
        let mut kept = Some(decoder);
        // What is nested in a record is decoded only when its turn comes.
        if depth == 0
            && let Some(pass_on) = reader.pass_on.take()
            && let Some(decoder) = kept.take()
        {
            let unread = pushed[read..].to_vec();
            pass_on(PassedDecoder { decoder, unread });
        }
        let goes_on = self.take_output(content, depth, (pushed, last), &output, reader);
        match (&kept, is_fresh) {
            (None, _) => unread.clear(),
            (Some(_), true) => unread.extend_from_slice(&bytes[read..]),
            (Some(_), false) => drop(unread.drain(..read)),
        }
        let body = &mut content.bodies[depth];
        (body.decoder, body.unread, body.output) = (kept, unread, output);
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
        let part = Arc::clone(&content.bodies[depth].part);
        for (number, event) in output.events.iter().enumerate() {
            let next = output.events.get(number + 1);
            let is_over = match next {
                None => last,
                Some(next) => !continues_text(next),
            };
            if ends_text(event) {
                self.end_text(content, depth, reader);
            }
            match event {
                Event::Skipped(len) => self.skip_content(content, depth, take(*len), reader),
                Event::Text(len) => {
                    let text = ContentText::raw(take(*len), &part.context);
                    self.scan_content(content, depth, text, is_over, reader);
                }
                Event::Decoded { raw, len, encoding } => {
                    take(*raw);
                    let (decoded, left) = text.split_at(*len);
                    text = left;
                    let text = ContentText {
                        encoding: *encoding,
                        ..ContentText::raw(decoded, &part.context)
                    };
                    self.scan_content(content, depth, text, is_over, reader);
                }
                Event::Reference(reference) => {
                    let text = take(reference.len);
                    self.refer_content(content, depth, text, reference, reader);
                }
                Event::Value(value) => {
                    let raw = take(value.raw);
                    let decoded = value.decoded.map(|decoded| {
                        let (this, left) = text.split_at(decoded.len);
                        text = left;
                        (this, decoded.map.map(|number| &output.maps()[number]))
                    });
                    self.take_value(content, depth, (value, raw, decoded), is_over, reader);
                }
                Event::Base(base) => content.bodies[depth].page.add(base),
                Event::Page => self.keys.set_page(),
                Event::Charset(charset) => content.bodies[depth].page.charset = *charset,
                Event::Unsupported(cause) => {
                    let kind = LossKind::Unsupported(markup(cause, part.offset));
                    lose(&part, kind, reader.batch);
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
                Event::Damaged(damage) => {
                    let lost = lost_record(Some(&part), damage, reader.batch.input);
                    reader.batch.lose(lost);
                }
                Event::Suspect(cause) => {
                    let kind = LossKind::Suspect(http(cause, part.offset));
                    lose(&part, kind, reader.batch);
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
            false => decoder(part, self.reading),
        };
        let window = self.coding_window;
        let part = Arc::new(part.clone());
        let body = ContentBody::new(part, decoder, self.document_base(), window);
        content.bodies.push(body);
    }

    /// Scans text of the body at `depth`. No text continues the `last` one.
    pub(in crate::engine) fn scan_content(
        &mut self,
        content: &mut PartContent,
        depth: usize,
        text: ContentText,
        last: bool,
        reader: &mut ContentReader,
    ) {
        let open = content.open.take();
        let carry = open.map_or_else(Carry::start, |open| open.carry);
        let piece = content.piece(depth, text, reader);
        let raw_len = piece.raw_len();
        let carry = self.scan_piece(&piece, carry, last, reader.batch);
        content.open = carry.filter(|_| !last).map(|carry| OpenText {
            carry,
            encoding: text.encoding,
            context: text.context.clone(),
        });
        content.at += raw_len;
    }

    /// Ends the last text: nothing continues it.
    fn end_text(&mut self, content: &mut PartContent, depth: usize, reader: &mut ContentReader) {
        if let Some(mut open) = content.open.take() {
            let context = std::mem::take(&mut open.context);
            let text = ContentText {
                encoding: open.encoding,
                ..ContentText::raw(b"", &context)
            };
            content.open = Some(open);
            self.scan_content(content, depth, text, true, reader);
        }
    }

    /// Skips bytes that are not searched.
    fn skip_content(
        &mut self,
        content: &mut PartContent,
        depth: usize,
        bytes: &[u8],
        reader: &mut ContentReader,
    ) {
        self.count_content(content, depth, bytes, reader.batch.items.len(), reader);
    }

    /// Counts `bytes`, the next ones of the body at `depth`, which are not scanned, for
    /// the items from number `first` on.
    pub(in crate::engine) fn count_content(
        &mut self,
        content: &mut PartContent,
        depth: usize,
        bytes: &[u8],
        first: usize,
        reader: &mut ContentReader,
    ) {
        let text = ContentText {
            decoded_from: Some(content.bodies[depth].page.raw(bytes, None)),
            ..ContentText::raw(bytes, OwnedContext::nothing())
        };
        let piece = content.piece(depth, text, reader);
        self.count(&piece, first, reader.batch);
        content.at += bytes.len() as u64;
    }
}

impl<'t> ContentText<'t> {
    /// A text that is the raw bytes.
    pub(in crate::engine) fn raw(bytes: &'t [u8], context: &'t OwnedContext) -> ContentText<'t> {
        ContentText {
            bytes,
            encoding: Encoding::Raw,
            decoded_from: None,
            context,
        }
    }
}

impl PartContent {
    /// Returns `text`, the next one of the body at `depth`, as a piece.
    pub(in crate::engine) fn piece<'t>(
        &self,
        depth: usize,
        text: ContentText<'t>,
        reader: &ContentReader,
    ) -> BlockPiece<'t> {
        BlockPiece {
            bytes: text.bytes,
            encoding: text.encoding,
            decoded_from: text.decoded_from,
            offset: self.at,
            doubt: self.doubt(depth, reader),
            context: text.context,
        }
    }

    /// Returns the raw offset from which the body at `depth` may be damaged.
    pub(in crate::engine) fn doubt(&self, depth: usize, reader: &ContentReader) -> Option<u64> {
        let is_coded = self.bodies[..=depth].iter().any(|body| body.is_coded);
        // Damage to coded bytes may affect everything that is decoded from them.
        match is_coded {
            true => reader.doubt.map(|_| 0),
            false => reader.doubt,
        }
    }

    /// Returns the number of bytes that were read.
    pub(in crate::engine) fn at(&self) -> u64 {
        self.at
    }

    /// Returns the part of the body at `depth`.
    pub(in crate::engine) fn part(&self, depth: usize) -> &Arc<Part> {
        &self.bodies[depth].part
    }

    /// Takes the context of the values of the body at `depth`, in which the link and the
    /// pointer are those of the last value.
    pub(in crate::engine) fn take_context(&mut self, depth: usize) -> OwnedContext {
        std::mem::take(&mut self.bodies[depth].context)
    }

    /// Gives back what [`take_context`](PartContent::take_context) returned.
    pub(in crate::engine) fn give_context(&mut self, depth: usize, context: OwnedContext) {
        self.bodies[depth].context = context;
    }

    /// Returns the bases and the encoding of the body at `depth`.
    pub(in crate::engine) fn page(&self, depth: usize) -> &PageState {
        &self.bodies[depth].page
    }
}

/// Whether nothing continues the text before `event`. The bytes of an inner body continue
/// the text of that body.
fn ends_text(event: &Event) -> bool {
    match event {
        Event::Skipped(_) | Event::Reference(_) | Event::Part(_) => true,
        Event::Value(_) => !continues_text(event),
        _ => false,
    }
}

/// Whether the bytes of `event` continue the text before it.
fn continues_text(event: &Event) -> bool {
    match event {
        Event::Text(_) | Event::Decoded { .. } => true,
        Event::Value(MarkupValue { kind, .. }) => *kind == ValueKind::Text { continues: true },
        _ => false,
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

/// Returns the loss of a record of a catalogue, or in one. Its offset is that of the record,
/// unless the catalogue lies in an archive.
pub(in crate::engine) fn lost_record(
    part: Option<&Part>,
    damage: &RecordDamage,
    input: usize,
) -> Loss {
    let kind = match damage.fault {
        RecordFault::Truncated => LossKind::Truncated,
        RecordFault::Garbage => LossKind::Garbage,
        RecordFault::Suspect => LossKind::Suspect,
        RecordFault::Unsupported => LossKind::Unsupported,
        RecordFault::Damaged => LossKind::Damaged,
    };
    let mut lost = Damage::new("record", damage.cause, damage.offset);
    lost.record = Some(DamagedRecord {
        number: damage.number,
        stated: damage.stated,
    });
    let is_of_archive = |part: &&Part| part.context.member.is_some() || part.context.warc.is_some();
    let archived = part.filter(is_of_archive);
    let offset = archived.map_or(damage.offset, |part| part.offset);
    Loss::new(input, offset, kind(lost))
}

/// Returns the damage of an HTTP message in the record that begins at `at`.
fn http(cause: &'static str, at: u64) -> Damage {
    Damage::new("http", cause, at)
}

/// Returns the limit that markup exceeds in the record that begins at `at`.
fn markup(cause: &'static str, at: u64) -> Damage {
    Damage::new("markup", cause, at)
}
