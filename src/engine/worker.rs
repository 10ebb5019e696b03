//! One worker: takes the text of a block through scan, delimit and canonicalize
//! into a batch. Sequential and without I/O; every worker is a clone.

use super::batch::Batch;
use super::blocks::{End, Part, Text};
use super::carry::Carry;
use super::keys::Keys;
use crate::canonicalize::Canonicalizer;
use crate::decode::{Layout, Refanged};
use crate::delimit::Delimiter;
use crate::item::{Loss, OffsetMap};
use crate::scan::Scanner;
use crate::syntax::Components;
use crate::syntax::resolve::{self, Rules};
use crate::unpack::{Coded, Sought};
use std::collections::HashMap;
use std::sync::Arc;

/// What is done with equal URIs.
///
/// ```
/// use urisieve::engine::{Mode, Sieve};
/// let text = b"http://a.example/ http://b.example/ http://A.example/";
/// for (mode, wanted) in [(Mode::Distinct, 2), (Mode::All, 3), (Mode::Count, 2)] {
///     let mut told = 0;
///     let sieve = Sieve::builder().mode(mode).build();
///     sieve.slice(text, &mut |_: &urisieve::item::Finding<'_>| told += 1)?;
///     assert_eq!(told, wanted);
/// }
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Each class is reported once, where it is first seen.
    #[default]
    Distinct,
    /// Every occurrence is reported.
    All,
    /// Each class is reported at the end, with its number of occurrences.
    Count,
    /// As `Count`, and with its spellings and theirs.
    Groups,
}

/// Which canonical forms are reported.
pub(super) type Select = Arc<dyn Fn(&[u8]) -> bool + Send + Sync>;

/// The stages, with their buffers.
#[derive(Clone)]
pub(super) struct Worker {
    pub scanner: Scanner,
    pub delimiter: Delimiter,
    pub canonicalizer: Canonicalizer,
    pub keys: Keys,
    pub count_lines: bool,
    /// The inputs are lists, written so; otherwise texts.
    pub layout: Option<Layout>,
    /// Inputs that are lists all the same, or lists written otherwise.
    pub layouts: Arc<HashMap<usize, Layout>>,
    /// The text as it is scanned, where defanged URIs are read (R1).
    pub refanged: Option<Refanged>,
    pub buffers: Buffers,
}

/// What is written on the way from a URI as found to its key.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    pub canonical: Vec<u8>,
    pub prefixed: Vec<u8>,
    pub defanged: Vec<u8>,
    decoded: Vec<u8>,
    wrapped: Vec<u8>,
    pub field: OffsetMap,
}

/// Bytes of a message's content that are decoded at a time.
const PIECE: usize = 256 << 10;

impl Worker {
    /// Scans `text`, which goes on from `carry`, into `batch`; gives what the next
    /// block must know when `text` ends inside something. Where a little may become
    /// very much, `pause` is called again and again: it may take what is in `batch`,
    /// and says whether to go on.
    pub(super) fn scan(
        &mut self,
        text: &Text,
        carry: Carry,
        batch: &mut Batch,
        pause: &mut dyn FnMut(&mut Batch) -> bool,
    ) -> Option<Carry> {
        let mut carry = Some(carry);
        let mut losses = text.losses.iter().peekable();
        let mut coded_parts = 0;
        let mut handed_on = None;
        for (number, part) in text.parts.iter().enumerate() {
            let last = number + 1 < text.parts.len() || text.end == End::Clean;
            while let Some((_, loss)) = losses.next_if(|loss| loss.0 <= coded_parts) {
                batch.lose(*loss);
            }
            if part.begins {
                batch.lines.begin();
            }
            if let Some(record) = &part.record {
                self.keys.enter(record, batch);
            }
            if let Some(coded) = &part.coded {
                coded_parts += 1;
                match self.scan_coded(coded, part, batch, pause) {
                    true => continue,
                    false => break,
                }
            }
            let begun = carry.take().unwrap_or_else(Carry::start);
            handed_on = self.scan_part(text, part, begun, last, batch);
        }
        for (_, loss) in losses {
            batch.lose(*loss);
        }
        let is_open = text.end == End::Open;
        handed_on.or_else(|| is_open.then(|| carry.unwrap_or_else(Carry::start)))
    }

    /// Decodes the content of a message and scans it, piece by piece: a little of it
    /// may become very much text. False when the run stops.
    fn scan_coded(
        &mut self,
        coded: &Coded,
        part: &Part,
        batch: &mut Batch,
        pause: &mut dyn FnMut(&mut Batch) -> bool,
    ) -> bool {
        let mut decoding = coded.decode();
        let mut text = Text {
            bytes: std::mem::take(&mut self.buffers.decoded),
            ..Text::default()
        };
        let mut piece = Part {
            begins: false,
            coded: None,
            ..part.clone()
        };
        let mut carry = Carry::start();
        let goes_on = loop {
            text.bytes.resize(PIECE, 0);
            let len = decoding.fill(&mut text.bytes);
            let last = len < PIECE;
            text.bytes.truncate(len);
            for (offset, kind) in decoding.losses() {
                batch.lose(Loss {
                    input: batch.input,
                    offset,
                    kind,
                });
            }
            (piece.from, piece.to) = (0, len);
            let handed_on = self.scan_part(&text, &piece, carry, last, batch);
            piece.offset += len as u64;
            carry = handed_on.unwrap_or_else(Carry::start);
            let goes_on = pause(batch);
            if last || !goes_on {
                break goes_on;
            }
            if let Some(record) = &part.record {
                self.keys.enter(record, batch);
            }
        };
        self.buffers.decoded = text.bytes;
        goes_on
    }

    /// Scans one part of `text`.
    fn scan_part(
        &mut self,
        text: &Text,
        part: &Part,
        carry: Carry,
        last: bool,
        batch: &mut Batch,
    ) -> Option<Carry> {
        let block = &text.bytes[part.from..part.to];
        batch.stats.bytes += text.encoding.raw_len(block);
        let first_item = batch.items.len();
        let handed_on = match part.sought {
            Sought::Uris => self.search_part(text, part, carry, last, batch),
            Sought::Reference => {
                self.refer(text, part, batch);
                None
            }
            Sought::Nothing => None,
        };
        if self.count_lines {
            let Batch { lines, items, .. } = batch;
            let items = &mut items[first_item..];
            lines.count(block, text.encoding, part.offset, items);
        }
        handed_on
    }

    /// Adds what a part stands for that is a reference as a whole: itself when it is
    /// a URI, otherwise what it is resolved to (RFC 3986 section 5.2). It is judged
    /// as if it stood in angle brackets.
    fn refer(&mut self, text: &Text, part: &Part, batch: &mut Batch) {
        let reference = &text.bytes[part.from..part.to];
        let mut wrapped = std::mem::take(&mut self.buffers.wrapped);
        wrapped.clear();
        wrapped.push(b'<');
        let is_there = if Components::parse(reference).scheme(reference).is_some() {
            wrapped.extend_from_slice(reference);
            true
        } else {
            let record = part.record.as_deref();
            let base = record.map_or(&[][..], |record| &record.target_uri);
            let resolves = !resolve::is_opaque(base);
            resolves && resolve::resolve(Rules::Rfc3986, base, reference, &mut wrapped).is_ok()
        };
        wrapped.push(b'>');
        if is_there {
            let span = (part.offset, text.encoding.raw_len(reference));
            self.search_field(&wrapped, span, part.doubt, batch);
        }
        self.buffers.wrapped = wrapped;
    }
}
