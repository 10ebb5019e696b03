//! The parts of a block, in order: texts are scanned, records of a container are
//! decoded. Text across an end of the block is continued from the block before it,
//! and left to the next one.

use super::content::part::{ContentReader, DecodedAhead, PassedDecoder};
use super::content::{begin_record, decode_ahead, read_content};
use super::handoff::Unfinished;
use super::lines::scan_piece;
use super::stated::RecordExchange;
use super::worker::Worker;
use crate::engine::batches::batch::Batch;
use crate::engine::batches::block::{BlockEnd, BlockStretch, BlockText};
use crate::engine::batches::carry::Carry;
use crate::engine::batches::piece::BlockPiece;
use crate::item::OwnedContext;

/// The receiver of the parts of a block.
pub(in crate::engine) struct ScanCalls<'r> {
    /// Called from time to time where a little text may decode to very much: it may empty
    /// the batch, and returns whether to continue.
    pub pause: &'r mut dyn FnMut(&mut Batch) -> bool,
    /// Takes the decoder of the record that the next block continues.
    pub pass_on: Option<&'r mut dyn FnMut(PassedDecoder)>,
}

/// Whether `part` continues a record.
fn continues_record(part: &BlockStretch) -> bool {
    part.record.is_some() && !part.begins
}

/// Decodes the first bytes of `text`, which continue a record whose decoder the block
/// before it `passed` on. Gives the decoder to `pass_on` where the next block continues
/// the record as well. Returns `None` where no record is continued.
pub(in crate::engine) fn decode_first(
    worker: &mut Worker,
    text: &BlockText,
    passed: PassedDecoder,
    pass_on: &mut dyn FnMut(PassedDecoder),
) -> Option<DecodedAhead> {
    let part = text.parts.first().filter(|part| continues_record(part))?;
    let bytes = &text.bytes[part.from..part.to];
    let goes_on = text.leaves_open(part);
    Some(decode_ahead(
        worker,
        passed,
        (bytes, part.ends),
        goes_on.then_some(pass_on),
    ))
}

/// Scans `text`, which continues what the block before it left `unfinished`, into
/// `batch`. The state of lines in no record is that of the worker. Its first bytes may be decoded `ahead`. Returns what the next block must
/// continue, if anything.
pub(in crate::engine) fn scan(
    worker: &mut Worker,
    text: &BlockText,
    (mut unfinished, mut ahead): (Option<Unfinished>, Option<DecodedAhead>),
    batch: &mut Batch,
    mut calls: ScanCalls,
) -> Option<Unfinished> {
    worker.reads_wide = text.lines && !worker.never_wide;
    let mut losses = text.losses.iter().copied().peekable();
    let mut ends = 0;
    // Those of records are in their content.
    let mut lines = std::mem::take(&mut worker.lines);
    for (number, part) in text.parts.iter().enumerate() {
        while let Some(lost) = losses.next_if(|lost| lost.ends <= ends && lost.at <= part.from) {
            batch.lose(lost.loss);
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
                lines: text.lines,
            };
            batch.lines.go_to(0);
            worker.keys.set_record(RecordExchange::default());
            worker.keys.repeats.units.enter_text(batch);
            let last = number + 1 < text.parts.len() || text.end == BlockEnd::Clean;
            let mut carry = match before {
                Some(Unfinished::Text(carry)) => Some(carry),
                _ => None,
            };
            let lost = carry
                .as_mut()
                .map(|carry| std::mem::take(&mut carry.losses));
            let mut lost = lost.unwrap_or_default();
            let (mut at, mut raw) = (part.from, part.offset);
            while let Some(next) = losses.next_if(|lost| lost.ends <= ends && lost.at <= part.to) {
                raw += text.encoding.raw_len(&text.bytes[at..next.at.max(at)]);
                at = next.at.max(at);
                lost.push((raw, next.loss));
            }
            let first = (batch.items.len(), batch.losses.len());
            std::mem::swap(&mut worker.lines, &mut lines);
            let mut carry = scan_piece(worker, &piece, carry, last, batch);
            std::mem::swap(&mut worker.lines, &mut lines);
            // A loss is behind the findings that begin before it, which may follow.
            if let Some(carry) = &mut carry {
                let decided = lost.partition_point(|lost| lost.0 <= carry.decided);
                carry.losses = lost.split_off(decided);
            }
            if !lost.is_empty() {
                batch.lose_in_text(first, lost);
            }
            unfinished = carry.map(Unfinished::Text);
            continue;
        };
        let mut content = match before {
            Some(Unfinished::Record(content)) if continues_record(part) => content,
            _ => {
                batch.lines.begin();
                Box::new(begin_record(worker, record, part.offset, batch))
            }
        };
        let pass_on: Option<&mut dyn FnMut(_)> = match &mut calls.pass_on {
            Some(pass_on) if text.leaves_open(part) => Some(&mut **pass_on),
            _ => None,
        };
        let mut reader = ContentReader {
            batch: &mut *batch,
            doubt: part.doubt,
            pause: &mut *calls.pause,
            ahead: ahead.take().filter(|_| continues_record(part)),
            pass_on,
        };
        reader.batch.lines.go_to(content.own_offsets());
        worker.keys.resume_page(content.rows);
        worker.keys.set_record(content.exchange);
        worker.keys.repeats.units.resume(content.unit);
        worker.lines = std::mem::take(&mut content.lines);
        if !read_content(worker, &mut content, bytes, part.ends, &mut reader) {
            return None;
        }
        content.rows = worker.keys.rows();
        content.unit = worker.keys.repeats.units.record();
        content.lines = std::mem::take(&mut worker.lines);
        if part.ends && content.is_read() {
            worker.keys.end_page(record, batch);
        }
        ends += usize::from(part.ends);
        unfinished = (!part.ends).then_some(Unfinished::Record(content));
    }
    for lost in losses {
        batch.lose(lost.loss);
    }
    worker.lines = lines;
    let is_open = text.end == BlockEnd::Open;
    let start = || Unfinished::Text(Box::new(Carry::start()));
    is_open.then(|| unfinished.unwrap_or_else(start))
}
