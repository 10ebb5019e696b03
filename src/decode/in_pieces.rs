//! Pushes bytes in pieces of any size, as a stream does, and gives each event with its
//! bytes and its text: for the tests of decoders.

use super::event::{Decode, Event, Output};
use crate::item::OffsetMap;
use std::ops::Range;

/// An event, with its content.
#[cfg_attr(
    not(feature = "html"),
    allow(dead_code, reason = "tests of markup compare all of it")
)]
pub(super) struct PushedEvent<'p> {
    pub event: &'p Event,
    /// The bytes of the event.
    pub raw: &'p [u8],
    /// The text of the event: the bytes, or their decoded form.
    pub text: &'p [u8],
    /// The way from the text of a value to its bytes.
    pub map: Option<&'p OffsetMap>,
}

/// Calls `push` with windows of `len` bytes, whose ends advance by these sizes,
/// repeatedly, and with a flag for the last window. `push` returns the number of bytes of
/// the window that it read; the next window begins after them. Checks that all bytes are
/// read in the end.
pub(super) fn in_pieces(
    len: usize,
    sizes: &[usize],
    mut push: impl FnMut(Range<usize>, bool) -> usize,
) {
    let mut sizes = sizes.iter().cycle();
    let (mut from, mut to) = (0, 0);
    loop {
        to = (to + sizes.next().unwrap()).min(len);
        let last = to == len;
        from += push(from..to, last);
        if last {
            assert_eq!(from, len);
            return;
        }
    }
}

/// Pushes `bytes` in pieces of these sizes and calls `each` with every event. Checks that
/// the events describe the bytes that were read, and use all texts.
pub(super) fn push_in_pieces(
    decoder: &mut dyn Decode,
    bytes: &[u8],
    sizes: &[usize],
    mut each: impl FnMut(PushedEvent),
) {
    let mut out = Output::default();
    in_pieces(bytes.len(), sizes, |window, last| {
        out.clear();
        let mut at = window.start;
        let read = decoder.push(&bytes[window], last, &mut out);
        let (end, mut texts) = (at + read, &out.text[..]);
        for event in &out.events {
            if let Event::Value(value) = event
                && value.skipped > 0
            {
                let raw = &bytes[at..at + value.skipped];
                at += value.skipped;
                each(PushedEvent {
                    event: &Event::Skipped(value.skipped),
                    raw,
                    text: raw,
                    map: None,
                });
            }
            let (len, decoded) = match event {
                Event::Skipped(len) | Event::Text(len) | Event::Body(len) => (*len, None),
                Event::Reference(reference) => (reference.len, None),
                Event::Decoded { raw, len, .. } => (*raw, Some((*len, None))),
                Event::Value(value) => (value.raw, value.decoded.map(|of| (of.len, of.map))),
                _ => (0, None),
            };
            let raw = &bytes[at..at + len];
            at += len;
            let (mut text, mut map) = (raw, None);
            if let Some((len, number)) = decoded {
                (text, texts) = texts.split_at(len);
                map = number.map(|number| out.map(number));
            }
            each(PushedEvent {
                event,
                raw,
                text,
                map,
            });
        }
        assert!(texts.is_empty() && at == end);
        read
    });
}
