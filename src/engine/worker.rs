//! One worker: takes the text of a block through scan, delimit and canonicalize
//! into a batch. Sequential and without I/O; every worker is a clone.

use super::batch::Batch;
use super::blocks::{End, Text};
use super::carry::Carry;
use super::content::{Content, Reader};
use super::keys::Keys;
use crate::canonicalize::Canonicalizer;
use crate::decode::{Layout, Refanged};
use crate::delimit::{Cleaning, Delimiter};
use crate::item::Encoding;
use crate::scan::Scanner;
use crate::syntax::resolve::Rules;
use std::collections::HashMap;
use std::sync::Arc;

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
    /// How relative references are resolved.
    pub rules: Rules,
    pub buffers: Buffers,
    /// Names of header fields that held references.
    pub headers: Vec<Arc<[u8]>>,
}

/// What is written on the way from a URI as found to its key.
#[derive(Clone, Debug, Default)]
pub(super) struct Buffers {
    pub canonical: Vec<u8>,
    pub prefixed: Vec<u8>,
    pub defanged: Vec<u8>,
    /// What codings are undone into.
    pub pieces: Vec<Vec<u8>>,
    pub cleaning: Cleaning,
    pub resolved: Vec<u8>,
    pub resolved_cleaning: Cleaning,
}

/// Text that follows what was scanned before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece<'t> {
    pub bytes: &'t [u8],
    pub encoding: Encoding,
    /// Raw offset of its start.
    pub offset: u64,
    /// Raw offset from which on it may be wrong.
    pub doubt: Option<u64>,
}

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
        let mut ends = 0;
        for (number, part) in text.parts.iter().enumerate() {
            while let Some((_, loss)) = losses.next_if(|loss| loss.0 <= ends) {
                batch.lose(*loss);
            }
            let before = carry.take();
            let bytes = &text.bytes[part.from..part.to];
            let Some(record) = &part.record else {
                let piece = Piece {
                    bytes,
                    encoding: text.encoding,
                    offset: part.offset,
                    doubt: part.doubt,
                };
                let last = number + 1 < text.parts.len() || text.end == End::Clean;
                carry = self.scan_piece(&piece, before.unwrap_or_else(Carry::start), last, batch);
                continue;
            };
            let goes_on = before
                .and_then(|carry| carry.content)
                .filter(|_| !part.begins);
            let mut content = goes_on.unwrap_or_else(|| {
                batch.lines.begin();
                Box::new(Content::new(record))
            });
            let mut reader = Reader {
                batch: &mut *batch,
                doubt: part.doubt,
                pause: &mut *pause,
            };
            if !self.read_content(&mut content, bytes, part.ends, &mut reader) {
                return None;
            }
            ends += usize::from(part.ends);
            carry = (!part.ends).then(|| Carry {
                content: Some(content),
                ..Carry::start()
            });
        }
        for (_, loss) in losses {
            batch.lose(*loss);
        }
        let is_open = text.end == End::Open;
        carry
            .filter(|_| is_open)
            .or_else(|| is_open.then(Carry::start))
    }

    /// Scans a piece of text, which goes on from `carry`.
    pub(super) fn scan_piece(
        &mut self,
        piece: &Piece,
        carry: Carry,
        last: bool,
        batch: &mut Batch,
    ) -> Option<Carry> {
        let first_item = batch.items.len();
        let handed_on = self.search_piece(piece, carry, last, batch);
        self.count(piece, first_item, batch);
        handed_on
    }

    /// Counts the bytes and lines of a piece, for the items from number `first` on.
    pub(super) fn count(&mut self, piece: &Piece, first: usize, batch: &mut Batch) {
        batch.stats.bytes += piece.encoding.raw_len(piece.bytes);
        if self.count_lines {
            let Batch { lines, items, .. } = batch;
            let items = &mut items[first..];
            lines.count(piece.bytes, piece.encoding, piece.offset, items);
        }
    }
}
