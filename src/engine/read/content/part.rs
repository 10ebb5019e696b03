//! A record that is being read: its bodies, of which each has a decoder, and the text that may
//! continue. `content` reads it.

use super::steps::DecodedSteps;
use crate::decode::{DataPlace, Decode, MarkupValue, PointerPath};
use crate::engine::ask::record_filter::RecordVerdict;
use crate::engine::batches::batch::Batch;
use crate::engine::batches::carry::Carry;
use crate::engine::batches::line_state::LineState;
use crate::engine::batches::piece::{BlockPiece, RawPiece};
use crate::engine::read::page::PageState;
use crate::engine::read::pair_intake::PageRows;
use crate::engine::read::stated::RecordExchange;
use crate::engine::read::units::RecordUnit;
use crate::item::{Encoding, OwnedContext, Part};
use crate::unpack::{Codings, WindowBound};
use std::sync::Arc;

/// A record that is being read.
#[derive(Debug)]
pub(in crate::engine) struct PartContent {
    /// The record itself, and the nested bodies that are open, the innermost last.
    pub bodies: Vec<ContentBody>,
    /// The number of its bytes that were read, after its codings were undone.
    pub at: u64,
    /// The last text, if the next block may continue it.
    pub open: Option<Box<OpenText>>,
    /// The links that it gave so far.
    pub rows: PageRows,
    pub verdict: RecordVerdict,
    /// The state of its lines, where they may be requests.
    pub lines: LineState,
    /// The exchange that it states.
    pub exchange: RecordExchange,
    /// The unit in which a class counts once.
    pub unit: RecordUnit,
    /// The head of its HTTP message, which has the status, may follow.
    pub awaits_head: bool,
}

/// A text that may continue.
#[derive(Debug)]
pub(in crate::engine) struct OpenText {
    /// The bytes that are not decided at the end.
    pub carry: Box<Carry>,
    pub encoding: Encoding,
    /// Whether its lines may be requests.
    pub lines: bool,
    /// The context of what is found in it.
    pub context: OwnedContext,
}

/// The next bytes of a text.
#[derive(Clone, Copy)]
pub(in crate::engine) struct ContentText<'t> {
    pub bytes: &'t [u8],
    pub encoding: Encoding,
    pub decoded_from: Option<RawPiece<'t>>,
    pub context: &'t OwnedContext,
    /// Whether its lines may be requests.
    pub lines: bool,
}

/// A body that is being read.
#[derive(Debug)]
pub(in crate::engine) struct ContentBody {
    pub part: Arc<Part>,
    /// The offset in the body around it of the byte behind what was read of it, where its
    /// own offsets count from 0.
    pub outer_at: Option<u64>,
    /// `None` where the body has no codings, and while they are in use.
    pub codings: Option<Codings>,
    pub is_coded: bool,
    /// `None` while the decoder is in use.
    pub decoder: Option<Box<dyn Decode>>,
    /// Bytes that the decoder has not read yet.
    pub unread: Vec<u8>,
    /// The bases and the encoding of its markup.
    pub page: PageState,
    /// Whether its text has lines that may be requests.
    pub lines: bool,
    /// The context of its last value: one that is changed costs less than one for each. `None`
    /// before the first one, and while it is in use.
    context: Option<Box<OwnedContext>>,
    pub pointers: PointerTexts,
}

/// The texts of the last pointers, of which the contexts of values share one copy.
#[derive(Debug, Default)]
pub(in crate::engine) struct PointerTexts(Vec<Option<PointerText>>);

/// A pointer, and its text.
type PointerText = (Arc<PointerPath>, Arc<[u8]>);

impl PointerTexts {
    /// The number of texts. Records of one kind have the same pointers.
    const REMEMBERED: usize = 64;

    fn text(&mut self, path: &Arc<PointerPath>) -> Arc<[u8]> {
        if self.0.is_empty() {
            self.0.resize(Self::REMEMBERED, None);
        }
        // The decoder shares paths, so that equal ones are usually at one address.
        let at = Arc::as_ptr(path) as usize / size_of::<PointerPath>() % Self::REMEMBERED;
        match &mut self.0[at] {
            Some((known, text)) if Arc::ptr_eq(known, path) => Arc::clone(text),
            place => Arc::clone(&place.insert((Arc::clone(path), Arc::from(path.text()))).1),
        }
    }
}

/// The decoder of a record between two blocks. The next block may decode its bytes while
/// the texts of the block before it are still searched.
#[derive(Debug)]
pub(in crate::engine) struct PassedDecoder {
    pub decoder: Box<dyn Decode>,
    /// Bytes that it has not read yet.
    pub unread: Vec<u8>,
}

/// The events that a decoder made of the first bytes of a block.
pub(in crate::engine) struct DecodedAhead {
    /// `None` when it was passed on to the next block.
    pub decoder: Option<Box<dyn Decode>>,
    pub steps: DecodedSteps,
    pub last: bool,
    /// Whether the decoder gives text whose lines may be requests.
    pub lines: bool,
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
    /// The URI of the content is that of the record, or `base`; its first byte is at the raw
    /// offset `at`.
    pub(in crate::engine) fn new(
        part: &Arc<Part>,
        decoder: Box<dyn Decode>,
        (base, at): (&[u8], u64),
        (verdict, window): (RecordVerdict, WindowBound),
    ) -> PartContent {
        let record = part.context.warc.as_deref();
        PartContent {
            exchange: RecordExchange {
                status: None,
                time: record.and_then(|record| record.as_warc().time()),
            },
            unit: RecordUnit::default(),
            awaits_head: record.is_some(),
            bodies: vec![ContentBody::new(Arc::clone(part), decoder, base, window)],
            at,
            open: None,
            rows: PageRows::default(),
            verdict,
            lines: LineState::default(),
        }
    }

    /// Whether the record is read, or may be.
    pub(in crate::engine) fn is_read(&self) -> bool {
        self.verdict != RecordVerdict::Filtered
    }
}

impl ContentBody {
    pub(in crate::engine) fn new(
        part: Arc<Part>,
        decoder: Box<dyn Decode>,
        base: &[u8],
        window: WindowBound,
    ) -> ContentBody {
        let record = part.context.warc.as_deref();
        let uri = match &part.mail {
            Some(mail) => &mail.base[..],
            None => record.map_or(&[][..], |record| &record.target_uri),
        };
        let codings = Codings::new(part.codings.iter().map(|name| &name[..]));
        let codings = codings.with_window(window);
        ContentBody {
            is_coded: !codings.is_identity(),
            codings: (!codings.is_identity()).then_some(codings),
            decoder: Some(decoder),
            unread: Vec::new(),
            page: PageState::of(if uri.is_empty() { base } else { uri }),
            lines: false,
            context: None,
            pointers: PointerTexts::default(),
            outer_at: None,
            part,
        }
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
            lines: false,
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
            lines: text.lines,
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

    /// Returns the number of open bodies whose offsets are their own.
    pub(in crate::engine) fn own_offsets(&self) -> usize {
        self.own_offsets_of(self.bodies.len())
    }

    /// Returns the number of those of them that are around the body at `depth`.
    pub(in crate::engine) fn own_offsets_of(&self, depth: usize) -> usize {
        let bodies = self.bodies.iter().take(depth);
        bodies.filter(|body| body.outer_at.is_some()).count()
    }

    /// Ends the bodies in the one at `depth`. Returns how many of them had their own offsets.
    pub(in crate::engine) fn end_bodies(&mut self, depth: usize) -> usize {
        let mut own = 0;
        while self.bodies.len() > depth + 1
            && let Some(body) = self.bodies.pop()
        {
            if let Some(at) = body.outer_at {
                self.at = at;
                own += 1;
            }
        }
        own
    }

    /// Returns the number of bytes that were read.
    pub(in crate::engine) fn at(&self) -> u64 {
        self.at
    }

    /// Returns the part of the body at `depth`.
    pub(in crate::engine) fn part(&self, depth: usize) -> &Arc<Part> {
        &self.bodies[depth].part
    }

    /// Takes the context of a value of the body at `depth`.
    pub(in crate::engine) fn context_of(
        &mut self,
        depth: usize,
        value: &MarkupValue,
    ) -> Box<OwnedContext> {
        // The fields of a value are still those of the last one.
        let body = &mut self.bodies[depth];
        let last = body.context.take();
        let mut context = last.unwrap_or_else(|| Box::new(body.part.context.clone()));
        // Most values of a page share one link.
        let address = |link: &Option<Arc<_>>| link.as_ref().map(Arc::as_ptr);
        if address(&context.link) != address(&value.link) {
            context.link.clone_from(&value.link);
        }
        (context.pointer, context.marc, context.header) = (None, None, None);
        (context.row, context.field) = (None, None);
        match &value.place {
            None => {}
            Some(DataPlace::Json(path)) => context.pointer = Some(body.pointers.text(path)),
            Some(DataPlace::Catalog(marc)) => context.marc = Some(Arc::clone(marc)),
            Some(DataPlace::Mail(field)) => context.header = Some(Arc::clone(field)),
            Some(DataPlace::Table(row, column)) => {
                (context.row, context.field) = (Some(*row), Some(Arc::clone(column)));
            }
        }
        context
    }

    /// Gives back what [`context_of`](PartContent::context_of) returned.
    pub(in crate::engine) fn give_context(&mut self, depth: usize, context: Box<OwnedContext>) {
        self.bodies[depth].context = Some(context);
    }

    /// Returns the bases and the encoding of the body at `depth`.
    pub(in crate::engine) fn page(&self, depth: usize) -> &PageState {
        &self.bodies[depth].page
    }
}
