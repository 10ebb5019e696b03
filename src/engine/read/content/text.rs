//! The texts of a record: each is searched as it comes, and may continue; bytes that are no
//! text are counted.

use super::part::{ContentReader, ContentText, OpenText, PartContent};
use crate::engine::read::lines::scan_piece;
use crate::engine::read::search::{count, count_bytes};
use crate::engine::read::worker::Worker;
use crate::item::OwnedContext;

/// Scans text of the body at `depth`. No text continues the `last` one.
pub(in crate::engine) fn scan_content(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    text: ContentText,
    last: bool,
    reader: &mut ContentReader,
) {
    let carry = content.open.take().map(|open| open.carry);
    let piece = content.piece(depth, text, reader);
    let raw_len = piece.raw_len();
    let carry = scan_piece(worker, &piece, carry, last, reader.batch);
    content.open = carry.filter(|_| !last).map(|carry| {
        Box::new(OpenText {
            carry,
            encoding: text.encoding,
            lines: text.lines,
            context: text.context.clone(),
        })
    });
    content.at += raw_len;
}

/// Ends the last text: nothing continues it.
pub(in crate::engine) fn end_text(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    reader: &mut ContentReader,
) {
    if let Some(mut open) = content.open.take() {
        let context = std::mem::take(&mut open.context);
        let text = ContentText {
            encoding: open.encoding,
            lines: open.lines,
            ..ContentText::raw(b"", &context)
        };
        content.open = Some(open);
        scan_content(worker, content, depth, text, true, reader);
    }
}

/// Skips bytes that are not searched.
#[inline]
pub(in crate::engine) fn skip_content(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    bytes: &[u8],
    reader: &mut ContentReader,
) {
    count_content(
        worker,
        content,
        depth,
        bytes,
        reader.batch.items.len(),
        reader,
    );
}

/// Counts `bytes`, the next ones of the body at `depth`, which are not scanned, for
/// the items from number `first` on.
#[inline]
pub(in crate::engine) fn count_content(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    bytes: &[u8],
    first: usize,
    reader: &mut ContentReader,
) {
    match worker.count_lines {
        false => count_bytes(bytes.len() as u64, (content.at, first), reader.batch),
        true => count_lines_of(worker, content, depth, bytes, first, reader),
    }
    content.at += bytes.len() as u64;
}

/// Counts the bytes and lines of `bytes` as [`count_content`] does.
#[inline(never)]
fn count_lines_of(
    worker: &mut Worker,
    content: &PartContent,
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
    count(worker, &piece, first, reader.batch);
}
