//! Lines and columns. A block counts its line feeds and where each of its items
//! stands among them; only when the blocks are told in order is it known how
//! many lines came before.

use super::item::{InBlock, Item};
use crate::item::{Encoding, LineColumn, OffsetMap};
use std::collections::VecDeque;

/// Ends of lines around a URI that may be looked at with it.
const AROUND: usize = 100;

/// Which ends of lines are remembered for items that begin before their block.
#[derive(Clone, Copy, Debug)]
pub(super) enum Remembered {
    /// As many as a URI may hold, and those around it.
    Lines(usize),
    /// Those in so many raw bytes, and the one before them.
    Bytes(u64),
}

impl Remembered {
    /// Forgets those ends of lines that no item to come needs.
    fn prune(self, ends: &mut VecDeque<u64>) {
        let surplus = match (self, ends.back()) {
            (Remembered::Lines(lines), _) => {
                ends.len().saturating_sub(lines.saturating_add(AROUND))
            }
            (Remembered::Bytes(bytes), Some(&last)) => {
                let near = ends.partition_point(|&end| end.saturating_add(bytes) < last);
                near.saturating_sub(1)
            }
            (Remembered::Bytes(_), None) => 0,
        };
        ends.drain(..surplus);
    }
}

/// The lines of one block.
#[derive(Debug, Default)]
pub(super) struct BlockLines {
    /// Raw offset of the block.
    offset: Option<u64>,
    /// How many line feeds it holds, of its last text when it holds several.
    count: u64,
    /// Raw offsets after the last of them.
    ends: VecDeque<u64>,
    /// A text begins in it.
    begins: bool,
}

impl BlockLines {
    /// Counts the line feeds of `part`, which starts at the raw offset `offset` and
    /// goes on where the last one ended, and places `items`, which are in the order
    /// of their offsets, among them.
    pub(super) fn count(
        &mut self,
        part: &[u8],
        encoding: Encoding,
        offset: u64,
        remembered: Remembered,
        items: &mut [Item],
    ) {
        self.offset.get_or_insert(offset);
        let map = OffsetMap::of(encoding);
        let mut places = map.places(part);
        let mut here = InBlock {
            before: self.count as u32,
            start: self.ends.back().copied().unwrap_or(0),
            begins: self.begins,
        };
        let mut items = items.iter_mut().peekable();
        // What was undecided at the end of the part before begins in that.
        while let Some(item) = items.next_if(|item| item.offset < offset) {
            item.lines = here;
            let after = self.ends.iter().rev();
            let after = after.take_while(|&&end| end > item.offset).count();
            if after > 0 {
                item.lines.before -= after as u32;
                let last = self.ends.len().checked_sub(after + 1);
                item.lines.start = last.map_or(0, |last| self.ends[last]);
            }
        }
        for line_feed in memchr::memchr_iter(b'\n', part) {
            let raw = offset + places.raw(line_feed + 1);
            while let Some(item) = items.next_if(|item| item.offset < raw) {
                item.lines = here;
            }
            here.before += 1;
            here.start = raw;
            self.ends.push_back(raw);
        }
        remembered.prune(&mut self.ends);
        self.count = u64::from(here.before);
        for item in items {
            item.lines = here;
        }
    }

    /// Another text begins: its lines are counted from its start.
    pub(super) fn begin(&mut self) {
        self.count = 0;
        self.ends.clear();
        self.begins = true;
    }

    pub(super) fn clear(&mut self) {
        self.begin();
        self.begins = false;
        self.offset = None;
    }
}

/// The lines of an input up to the block that is told next.
#[derive(Debug, Default)]
pub(super) struct Lines {
    input: usize,
    before: u64,
    ends: VecDeque<u64>,
}

impl Lines {
    /// A block of `input` is told next.
    pub(super) fn enter(&mut self, input: usize) {
        if self.input != input {
            *self = Lines {
                input,
                ..Lines::default()
            };
        }
    }

    /// The place of an item of `block`.
    pub(super) fn place(&self, block: &BlockLines, item: &Item) -> LineColumn {
        if item.lines.begins {
            return LineColumn {
                line: u64::from(item.lines.before) + 1,
                column: item.offset.saturating_sub(item.lines.start) + 1,
            };
        }
        if block.offset.is_none_or(|offset| item.offset >= offset) {
            let start = match item.lines.start {
                0 => self.ends.back().copied().unwrap_or(0),
                start => start,
            };
            return LineColumn {
                line: self.before + u64::from(item.lines.before) + 1,
                column: item.offset - start + 1,
            };
        }
        // It begins before its block: among the lines that are remembered.
        let after = self
            .ends
            .iter()
            .rev()
            .take_while(|&&end| end > item.offset)
            .count();
        let start = self
            .ends
            .len()
            .checked_sub(after + 1)
            .map_or(0, |last| self.ends[last]);
        LineColumn {
            line: self.before - after as u64 + 1,
            column: item.offset - start + 1,
        }
    }

    /// `block` was told.
    pub(super) fn leave(&mut self, block: &BlockLines, remembered: Remembered) {
        if block.begins {
            self.before = 0;
            self.ends.clear();
        }
        self.before += block.count;
        self.ends.extend(&block.ends);
        remembered.prune(&mut self.ends);
    }
}
