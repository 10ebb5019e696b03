//! Writes values of data as events: the text without its escapes, and the pointer, of which
//! values share one copy.

use crate::decode::event::{DecodedValue, Event, MarkupValue, Output, ValueKind};
use crate::decode::json::PointerPath;
use crate::decode::mentions::Mentions;
use crate::item::{OffsetMap, Schemes};
use crate::syntax::class::SCHEME;
use std::sync::Arc;

/// The number of pointers that are remembered. Records of one kind have the same ones.
const REMEMBERED: usize = 64;

/// A text is a reference if it is a URI as a whole (J3).
pub(super) const VALUE: ValueKind = ValueKind::Reference(Schemes::Value);

/// The last pointers, each at the place that its last token determines.
#[derive(Debug)]
pub(super) struct RecentPointers {
    root: Arc<PointerPath>,
    recent: Vec<Option<Arc<PointerPath>>>,
}

impl RecentPointers {
    pub(super) fn new() -> RecentPointers {
        RecentPointers {
            root: Arc::new(PointerPath::whole(b"")),
            recent: vec![None; REMEMBERED],
        }
    }

    /// Returns the pointer of a whole text.
    pub(super) fn root(&self) -> Arc<PointerPath> {
        Arc::clone(&self.root)
    }

    /// Returns a shared copy of the pointer of a member of the value at `around`.
    pub(super) fn member(&mut self, around: &Arc<PointerPath>, token: &[u8]) -> Arc<PointerPath> {
        // FNV-1a, folded.
        let start = 0xCBF2_9CE4_8422_2325_u64 ^ around.len() as u64;
        let hash = token.iter().fold(start, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01B3)
        });
        let place = &mut self.recent[(hash >> 32) as usize % REMEMBERED];
        match place {
            Some(known) if known.is_member(around, token) => Arc::clone(known),
            _ => Arc::clone(place.insert(Arc::new(PointerPath::member(around, token)))),
        }
    }
}

/// Whether the text of `raw` may have URIs. If it is written with other bytes than its own, its
/// colon may be one of those, and so may the byte before the colon.
pub(super) fn may_have_uris(mentions: Mentions, raw: &[u8], is_rewritten: bool) -> bool {
    match mentions {
        Mentions::None => false,
        Mentions::All => !raw.is_empty(),
        Mentions::WithColon if is_rewritten => {
            let codes: [&[u8]; 3] = [b":", b"u003", b"x3"];
            codes.iter().any(|code| has(raw, code))
        }
        Mentions::WithColon => {
            // A colon begins a URI only behind a scheme, which may be UTF-16 that another
            // program appended.
            let begins = |at: usize| at > 0 && (SCHEME.has(raw[at - 1]) || raw[at - 1] == 0);
            memchr::memchr_iter(b':', raw).any(begins)
        }
    }
}

fn has(raw: &[u8], code: &[u8]) -> bool {
    memchr::memmem::find(raw, code).is_some()
}

/// Appends the text of raw bytes, and completes the map from it.
pub(super) type Undo = fn(&[u8], &mut Vec<u8>, &mut OffsetMap);

/// Adds a value whose raw bytes are `raw`, without the blanks around it. `undo` makes its text,
/// where these differ; `place` sets where the value is.
pub(super) fn write_value(
    raw: &[u8],
    undo: Option<Undo>,
    place: impl FnOnce(&mut MarkupValue),
    out: &mut Output,
) {
    let inside = raw.trim_ascii_start();
    let before = raw.len() - inside.len();
    let inside = inside.trim_ascii_end();
    if inside.is_empty() {
        return out.skip(raw.len());
    }
    out.skip(before);
    let mut value = MarkupValue::new(inside.len(), VALUE);
    place(&mut value);
    if let Some(undo) = undo {
        let from = out.text.len();
        let (number, map) = out.add_map();
        let mut map = std::mem::take(map);
        undo(inside, &mut out.text, &mut map);
        *out.map_mut(number) = map;
        value.decoded = Some(DecodedValue {
            len: out.text.len() - from,
            map: Some(number),
        });
    }
    out.events.push(Event::Value(value));
    out.skip(raw.len() - before - inside.len());
}

/// Adds bytes that are text, which continues the text before it, or that are skipped.
pub(super) fn write_text(len: usize, wanted: bool, out: &mut Output) {
    match out.events.last_mut() {
        _ if !wanted => out.skip(len),
        _ if len == 0 => {}
        Some(Event::Text(before)) => *before += len,
        _ => out.events.push(Event::Text(len)),
    }
}
