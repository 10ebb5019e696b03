//! The parts of a block, in order: texts are scanned, records of a container are
//! decoded. What lies across an end of the block is continued from the block before it,
//! and left to the next one.

use super::batch::Batch;
use super::block::{BlockEnd, BlockText};
use super::carry::Carry;
use super::content::ContentReader;
use super::handoff::Unfinished;
use super::piece::BlockPiece;
use super::worker::Worker;
use crate::item::OwnedContext;

impl Worker {
    /// Scans `text`, which continues what the block before it left `unfinished`, into
    /// `batch`. Returns what the next block must continue, if anything. Where a little text
    /// may decode to very much, `pause` is called from time to time: it may empty `batch`,
    /// and returns whether to go on.
    pub(super) fn scan(
        &mut self,
        text: &BlockText,
        mut unfinished: Option<Unfinished>,
        batch: &mut Batch,
        pause: &mut dyn FnMut(&mut Batch) -> bool,
    ) -> Option<Unfinished> {
        let mut losses = text.losses.iter().peekable();
        let mut ends = 0;
        for (number, part) in text.parts.iter().enumerate() {
            while let Some((_, loss)) = losses.next_if(|loss| loss.0 <= ends) {
                batch.lose(*loss);
            }
            let before = unfinished.take();
            let bytes = &text.bytes[part.from..part.to];
            let Some(record) = &part.record else {
                let piece = BlockPiece {
                    bytes,
                    encoding: text.encoding,
                    decoded_from: None,
                    offset: part.offset,
                    doubt: part.doubt,
                    context: OwnedContext::nothing(),
                };
                let last = number + 1 < text.parts.len() || text.end == BlockEnd::Clean;
                let carry = match before {
                    Some(Unfinished::Text(carry)) => carry,
                    _ => Carry::start(),
                };
                let carry = self.scan_piece(&piece, carry, last, batch);
                unfinished = carry.map(Unfinished::Text);
                continue;
            };
            let mut content = match before {
                Some(Unfinished::Record(content)) if !part.begins => content,
                _ => {
                    batch.lines.begin();
                    Box::new(self.begin_record(record, part.offset, batch))
                }
            };
            let mut reader = ContentReader {
                batch: &mut *batch,
                doubt: part.doubt,
                pause: &mut *pause,
            };
            self.keys.resume_page(content.rows);
            if !self.read_content(&mut content, bytes, part.ends, &mut reader) {
                return None;
            }
            content.rows = self.keys.rows();
            if part.ends && content.is_read() {
                self.keys.end_page(record, batch);
            }
            ends += usize::from(part.ends);
            unfinished = (!part.ends).then_some(Unfinished::Record(content));
        }
        for (_, loss) in losses {
            batch.lose(*loss);
        }
        let is_open = text.end == BlockEnd::Open;
        let start = || Unfinished::Text(Carry::start());
        is_open.then(|| unfinished.unwrap_or_else(start))
    }
}
