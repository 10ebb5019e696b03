//! Writes the events of a page, and keeps them back as long as the base of the page is
//! not known: the first `<base>` also governs the values before it.

use super::super::nested::{DecodedText, Nested};
use super::source::SourceText;
use crate::decode::event::{DocumentBase, Event, MarkupValue, Output};
use crate::item::OffsetMap;
use std::ops::Range;

/// The number of the page's own base.
pub(super) const PAGE_BASE: u32 = 1;

/// The raw offset up to which events wait for a `<base>`: real pages have it in the first
/// KiB. This bounds the bytes and events that are kept.
const HOLD_MAX: u64 = 1 << 20;

/// The room for events that are kept back: most pages without a `<base>` have fewer.
const HELD: usize = 256;

/// Writes events. Offsets count in the window of the tokenizer.
#[derive(Debug, Default)]
pub(in crate::decode::markup) struct EventWriter {
    /// The end of the bytes for which events were written.
    covered: usize,
    /// The raw offset of the window in the page.
    offset: u64,
    /// The number of the base where there is no `<base>`.
    pub document: u32,
    base: PageBase,
    /// The start of the first event that is kept back.
    held_from: usize,
    held: Output,
}

/// The state of the base of the page.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum PageBase {
    /// No `<base>` so far, and no event depends on it.
    #[default]
    Unknown,
    /// No `<base>` so far, and events are kept back.
    Awaited,
    /// The following events are not governed by a `<base>`.
    Document,
    /// A `<base>`, which was written.
    Own,
}

impl EventWriter {
    /// The number of the base of the next event.
    pub fn base(&self) -> u32 {
        match self.base {
            PageBase::Awaited | PageBase::Own => PAGE_BASE,
            PageBase::Unknown | PageBase::Document => self.document,
        }
    }

    /// Whether the page has a base.
    pub fn has_base(&self) -> bool {
        self.base == PageBase::Own
    }

    /// Begins a token at `at`. Beyond [`HOLD_MAX`] no event is kept back.
    pub fn begin(&mut self, at: usize, out: &mut Output) {
        let is_open = matches!(self.base, PageBase::Unknown | PageBase::Awaited);
        if is_open && self.offset + at as u64 >= HOLD_MAX {
            self.release(out);
        }
    }

    /// Notes that the next event depends on the base. The memory of `out` is that of the events
    /// that are kept back: as a rule, all events of a page are.
    pub fn need_base(&mut self, out: &mut Output) {
        if self.base == PageBase::Unknown {
            self.base = PageBase::Awaited;
            self.held_from = self.covered;
            if !out.has_texts() {
                std::mem::swap(&mut self.held, out);
                out.events.append(&mut self.held.events);
            }
            self.held.events.reserve(HELD);
        }
    }

    /// Returns the output into which events are written.
    pub fn target<'o>(&'o mut self, out: &'o mut Output) -> &'o mut Output {
        match self.base {
            PageBase::Awaited => &mut self.held,
            _ => out,
        }
    }

    /// Writes that the bytes up to `at` are not searched.
    pub fn skip_to(&mut self, at: usize, out: &mut Output) {
        let len = at.saturating_sub(self.covered);
        if len > 0 {
            self.covered = at;
            let events = &mut self.target(out).events;
            match events.last_mut() {
                Some(Event::Skipped(last)) => *last += len,
                _ => events.push(Event::Skipped(len)),
            }
        }
    }

    /// Writes a value, whose bytes are `range`; the bytes before are skipped.
    pub fn value(&mut self, range: Range<usize>, mut value: MarkupValue, out: &mut Output) {
        value.skipped = range.start.saturating_sub(self.covered);
        self.covered += value.skipped;
        value.raw = range.end.saturating_sub(self.covered);
        self.covered = self.covered.max(range.end);
        self.target(out).events.push(Event::Value(value));
    }

    /// Writes an event that has no bytes.
    pub fn note(&mut self, event: Event, out: &mut Output) {
        self.target(out).events.push(event);
    }

    /// Writes the events of a document in a value of `raw_len` bytes. The document has the
    /// base of the value; further bases get numbers after `bases`.
    pub fn nested(
        &mut self,
        inner: &Output,
        SourceText { text, map }: SourceText,
        raw_len: usize,
        bases: u32,
        out: &mut Output,
    ) {
        let identity = OffsetMap::IDENTITY;
        let source = DecodedText {
            text,
            map: map.unwrap_or(&identity),
            raw_len: raw_len as u64,
        };
        let mut nested = Nested::new(self.base(), bases);
        let covered = nested.translate(inner, source, self.target(out));
        self.covered += covered as usize;
    }

    /// Writes the base of the page, which also governs the events that were kept back.
    pub fn set_base(&mut self, reference: Vec<u8>, out: &mut Output) {
        let base = Event::Base(DocumentBase {
            number: PAGE_BASE,
            parent: DocumentBase::DOCUMENT,
            reference,
        });
        out.events.push(base);
        if self.base == PageBase::Awaited {
            out.append(&mut self.held);
        }
        self.base = PageBase::Own;
    }

    /// Writes the events that were kept back: the page has no base up to here.
    pub fn release(&mut self, out: &mut Output) {
        if self.base == PageBase::Awaited {
            for event in &mut self.held.events {
                match event {
                    Event::Value(value) if value.base == PAGE_BASE => {
                        value.base = DocumentBase::DOCUMENT
                    }
                    Event::Base(base) if base.parent == PAGE_BASE => {
                        base.parent = DocumentBase::DOCUMENT
                    }
                    _ => {}
                }
            }
            out.append(&mut self.held);
        }
        if self.base != PageBase::Own {
            self.base = PageBase::Document;
        }
    }

    /// Returns the number of bytes at the start of the window that were written; bytes of
    /// events that are kept back do not count.
    pub fn written(&self) -> usize {
        match self.base {
            PageBase::Awaited => self.held_from,
            _ => self.covered,
        }
    }

    /// Drops the first `len` bytes of the window.
    pub fn forget(&mut self, len: usize) {
        self.covered -= len;
        self.held_from = self.held_from.saturating_sub(len);
        self.offset += len as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::event::ValueKind;
    use crate::item::Schemes;

    fn value(writer: &mut EventWriter, range: Range<usize>, out: &mut Output) {
        let mut value = MarkupValue::new(0, ValueKind::Reference(Schemes::Any));
        value.base = writer.base();
        writer.value(range, value, out);
    }

    fn bases(out: &Output) -> Vec<u32> {
        let base = |event: &Event| match event {
            Event::Value(value) => Some(value.base),
            _ => None,
        };
        out.events.iter().filter_map(base).collect()
    }

    #[test]
    fn a_base_governs_what_was_kept_back() {
        for (has_base, wanted) in [(true, [1, 1]), (false, [0, 0])] {
            let (mut writer, mut out) = (EventWriter::default(), Output::default());
            writer.skip_to(3, &mut out);
            writer.need_base(&mut out);
            value(&mut writer, 4..5, &mut out);
            assert_eq!(
                (writer.written(), &out.events[..]),
                (3, &[Event::Skipped(3)][..])
            );
            match has_base {
                true => writer.set_base(b"/x/".to_vec(), &mut out),
                false => writer.release(&mut out),
            }
            assert_eq!(writer.has_base(), has_base);
            value(&mut writer, 5..6, &mut out);
            assert_eq!((writer.written(), bases(&out)), (6, wanted.to_vec()));
        }
    }

    #[test]
    fn a_late_base_governs_what_follows() {
        let (mut writer, mut out) = (EventWriter::default(), Output::default());
        writer.need_base(&mut out);
        value(&mut writer, 0..1, &mut out);
        writer.begin(HOLD_MAX as usize - 1, &mut out);
        assert!(bases(&out).is_empty());
        writer.begin(HOLD_MAX as usize, &mut out);
        writer.set_base(Vec::new(), &mut out);
        value(&mut writer, 1..2, &mut out);
        assert_eq!(bases(&out), [0, 1]);
    }
}
