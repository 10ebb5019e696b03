//! The references that a decoder delimited: those of message heads, and the values of
//! markup. `refer` judges and resolves them; every other value is scanned as text.

use super::part::{ContentReader, ContentText, PartContent};
use super::text::{count_content, scan_content, skip_content};
use crate::decode::{Delimited, Endian, LogRequest, MarkupValue, Utf16Decoder, ValueKind};
use crate::engine::read::keys::Contexts;
use crate::engine::read::lines::read_stated;
use crate::engine::read::refer::refer;
use crate::engine::read::worker::Worker;
use crate::item::{
    Charset, Encoding, OffsetMap, OwnedContext, Reference, RequestPart, Schemes, Span, Wrapper,
};
use std::sync::Arc;

/// A value, its raw bytes, and its text with the map of it where these differ.
pub(in crate::engine) type ReadValue<'v> = (
    &'v MarkupValue,
    &'v [u8],
    Option<(&'v [u8], Option<&'v OffsetMap>)>,
);

/// Adds a reference that is in the body at `depth`.
pub(in crate::engine) fn refer_content(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    bytes: &[u8],
    delimited: &Delimited,
    reader: &mut ContentReader,
) {
    let part = Arc::clone(content.part(depth));
    let mut context = part.context.clone();
    context.header = delimited.header.map(|name| header(worker, name));
    context.link = delimited.link.clone();
    let span = Span {
        offset: content.at(),
        length: bytes.len() as u64,
    };
    let mut reference = Reference::new(bytes, span);
    reference.wrapper = delimited.wrapper;
    reference.context = &context;
    reference.base = content
        .page(depth)
        .base(crate::decode::DocumentBase::DOCUMENT);
    let first = reader.batch.items.len();
    let doubt = content.doubt(depth, reader);
    if !refer(worker, &reference, doubt, reader.batch) {
        let text = ContentText::raw(bytes, &context);
        return scan_content(worker, content, depth, text, true, reader);
    }
    count_content(worker, content, depth, bytes, first, reader);
}

/// Adds a value of markup that is in the body at `depth`. No text continues it when it
/// `is_over`.
pub(in crate::engine) fn take_value(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    (value, raw, decoded): ReadValue,
    is_over: bool,
    reader: &mut ContentReader,
) {
    let read = (value, raw, decoded);
    if worker.keys.contexts == Contexts::Unused {
        let context = OwnedContext::nothing();
        return take_value_in(worker, content, depth, read, (context, is_over), reader);
    }
    let context = content.context_of(depth, value);
    take_value_in(worker, content, depth, read, (&context, is_over), reader);
    content.give_context(depth, context);
}

/// Adds a value of a record that states `request`, which begins at `at` in the record. Returns
/// false if it is a value like others.
pub(in crate::engine) fn take_stated(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    (value, raw, _): ReadValue,
    (request, at): (&LogRequest, usize),
    reader: &mut ContentReader,
) -> bool {
    if !request.has_value_in(at..at + raw.len()) {
        worker.keys.set_part(RequestPart::Text);
        let is_searched = worker.searches_text_of_requests();
        if !is_searched {
            skip_content(worker, content, depth, raw, reader);
        }
        return !is_searched;
    }
    let context = content.context_of(depth, value);
    match Endian::of(content.page(depth).charset) {
        None => {
            let piece = content.piece(depth, ContentText::raw(raw, &context), reader);
            read_stated(worker, request, (&piece, at), reader.batch);
        }
        Some(endian) => {
            let mut bytes = Vec::new();
            let mut decoder = Utf16Decoder::new(endian);
            decoder.decode(raw, &mut bytes);
            decoder.finish(&mut bytes);
            let mut request = request.clone();
            let place = |place| text_place(&bytes, at, place);
            request.map(|range| place(range.start)..place(range.end));
            let text = ContentText {
                encoding: Encoding::Utf16,
                ..ContentText::raw(&bytes, &context)
            };
            let piece = content.piece(depth, text, reader);
            read_stated(worker, &request, (&piece, at), reader.batch);
        }
    }
    content.at += raw.len() as u64;
    content.give_context(depth, context);
    true
}

/// Returns the place in a text, which begins at `at`, of the byte that is at `place` where the text
/// is UTF-16; the end of all texts for a place behind it.
fn text_place(text: &[u8], at: usize, place: usize) -> usize {
    let Some(mut left) = place.checked_sub(at) else {
        return 0;
    };
    for (number, chunk) in text
        .chunk_by(|_, next| next & 0xC0 == 0x80)
        .scan(0, |from, chunk| {
            let number = *from;
            *from += chunk.len();
            Some((number, chunk))
        })
    {
        if left == 0 {
            return at + number;
        }
        left = left.saturating_sub(Encoding::Utf16.raw_len(chunk) as usize);
    }
    if left == 0 {
        at + text.len()
    } else {
        usize::MAX
    }
}

/// Adds a value whose context is known.
fn take_value_in(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    (value, raw, decoded): ReadValue,
    (context, is_over): (&OwnedContext, bool),
    reader: &mut ContentReader,
) {
    let (bytes, map) = decoded.unwrap_or((raw, None));
    let schemes = match value.kind {
        ValueKind::Reference(schemes) => schemes,
        ValueKind::Text { .. } => {
            return scan_value(
                worker,
                content,
                depth,
                (raw, bytes, map),
                context,
                is_over,
                reader,
            );
        }
    };
    let span = Span {
        offset: content.at(),
        length: raw.len() as u64,
    };
    let page = content.page(depth);
    let mut reference = Reference::new(bytes, span);
    reference.wrapper = match (value.wrapper, &value.place, schemes) {
        (Some(wrapper), ..) => wrapper,
        (None, None, Schemes::Any | Schemes::Known) => Wrapper::Attribute,
        _ => Wrapper::Field,
    };
    reference.schemes = schemes;
    reference.context = context;
    reference.base = page.base(value.base);
    reference.charset = match value.is_of_style {
        true => Charset::UTF_8,
        false => page.charset,
    };
    let first = reader.batch.items.len();
    let doubt = content.doubt(depth, reader);
    if !refer(worker, &reference, doubt, reader.batch) {
        return scan_value(
            worker,
            content,
            depth,
            (raw, bytes, map),
            context,
            true,
            reader,
        );
    }
    count_content(worker, content, depth, raw, first, reader);
}

/// Scans a value, or a part of one, as text.
fn scan_value(
    worker: &mut Worker,
    content: &mut PartContent,
    depth: usize,
    (raw, bytes, map): (&[u8], &[u8], Option<&OffsetMap>),
    context: &OwnedContext,
    is_over: bool,
    reader: &mut ContentReader,
) {
    let text = ContentText {
        decoded_from: Some(content.page(depth).raw(raw, map)),
        ..ContentText::raw(bytes, context)
    };
    scan_content(worker, content, depth, text, is_over, reader);
}

/// Returns the name of a header field, of which all contexts share one copy.
fn header(worker: &mut Worker, name: &'static str) -> Arc<[u8]> {
    let mut known = worker.headers.iter();
    match known.find(|known| ***known == *name.as_bytes()) {
        Some(known) => Arc::clone(known),
        None => {
            let header = Arc::from(name.as_bytes());
            worker.headers.push(Arc::clone(&header));
            header
        }
    }
}
