//! Lines and columns. Each block counts its own line feeds and notes the position of
//! its items among them. The number of lines before a block is known once all blocks before
//! it are searched.

use super::item::{InBlock, WorkItem};
use super::piece::BlockPiece;
use crate::item::LineColumn;
use std::collections::VecDeque;

/// Ends of lines before and after a URI that may be looked up with it.
const AROUND: usize = 100;

/// The number of ends of lines that are remembered, for items that begin before their block.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) enum Remembered {
    /// The number of line breaks that a URI may have, and some around it.
    Lines(usize),
    /// Line feeds in this number of raw bytes, and the one before them.
    Bytes(u64),
}

impl Remembered {
    /// Removes the ends of lines that no later item needs.
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

/// The lines of one block. A body whose offsets are its own has its own lines: it is a text
/// inside of the text around it, whose lines are counted on behind it.
#[derive(Debug, Default)]
pub(in crate::engine) struct BlockLines {
    /// The outermost text first; those that are in the block, and those around them.
    texts: Vec<TextLines>,
    /// The number of the current one.
    level: usize,
}

/// The lines of one text in a block.
#[derive(Debug, Default)]
struct TextLines {
    /// The raw offset of the block.
    offset: Option<u64>,
    /// The number of line feeds in the block, or in its last text where it has several.
    count: u64,
    /// The raw offsets after the last line feeds.
    ends: VecDeque<u64>,
    /// Whether a text begins in the block.
    begins: bool,
}

impl BlockLines {
    /// Counts the line feeds of `part` and sets the positions of `items` among them.
    /// `part` begins where the part before it ended, and `items` are sorted by offset.
    pub(in crate::engine) fn count(
        &mut self,
        part: &BlockPiece,
        remembered: Remembered,
        items: &mut [WorkItem],
    ) {
        let level = self.level;
        self.current().count(level, part, remembered, items);
    }

    /// Begins another record: its lines are counted from its start.
    pub(in crate::engine) fn begin(&mut self) {
        self.level = 0;
        self.current().begin();
    }

    /// Goes on in the text that this number of bodies with their own lines are around.
    pub(in crate::engine) fn go_to(&mut self, level: usize) {
        self.level = level;
    }

    /// Begins a body with its own lines.
    pub(in crate::engine) fn begin_inner(&mut self) {
        self.level += 1;
        self.current().begin();
    }

    /// Ends a body with its own lines.
    pub(in crate::engine) fn end_inner(&mut self) {
        self.level = self.level.saturating_sub(1);
    }

    fn current(&mut self) -> &mut TextLines {
        if self.texts.len() <= self.level {
            self.texts.resize_with(self.level + 1, TextLines::default);
        }
        &mut self.texts[self.level]
    }

    /// Forgets everything, for the next part of the block or the next block.
    pub(in crate::engine) fn clear(&mut self) {
        for text in &mut self.texts {
            text.begin();
            text.begins = false;
            text.offset = None;
        }
    }
}

impl TextLines {
    fn count(
        &mut self,
        level: usize,
        part: &BlockPiece,
        remembered: Remembered,
        items: &mut [WorkItem],
    ) {
        let offset = part.offset;
        self.offset.get_or_insert(offset);
        let mut here = InBlock {
            before: self.count as u32,
            start: self.ends.back().copied().unwrap_or(0),
            begins: self.begins,
            level: level as u8,
        };
        let mut items = items.iter_mut().peekable();
        // Items that were undecided at the end of the part before begin in that part.
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
        part.line_ends(|raw| {
            while let Some(item) = items.next_if(|item| item.offset < raw) {
                item.lines = here;
            }
            here.before += 1;
            here.start = raw;
            self.ends.push_back(raw);
        });
        remembered.prune(&mut self.ends);
        self.count = u64::from(here.before);
        for item in items {
            item.lines = here;
        }
    }

    fn begin(&mut self) {
        self.count = 0;
        self.ends.clear();
        self.begins = true;
    }
}

/// The lines of an input before the block that is reported next.
#[derive(Clone, Debug, Default)]
pub(in crate::engine) struct LineCount {
    input: usize,
    /// Those of each text, the outermost first.
    texts: Vec<LinesBefore>,
}

/// The lines of a text before a block.
#[derive(Clone, Debug, Default)]
struct LinesBefore {
    before: u64,
    ends: VecDeque<u64>,
}

impl LineCount {
    /// Prepares for a block of `input`, which is reported next.
    pub(in crate::engine) fn enter(&mut self, input: usize) {
        if self.input != input {
            *self = LineCount {
                input,
                ..LineCount::default()
            };
        }
    }

    /// Returns the line and column of an item of `block`.
    pub(in crate::engine) fn place(&self, block: &BlockLines, item: &WorkItem) -> LineColumn {
        if item.lines.begins {
            return LineColumn {
                line: u64::from(item.lines.before) + 1,
                column: item.offset.saturating_sub(item.lines.start) + 1,
            };
        }
        let level = usize::from(item.lines.level);
        let text = block.texts.get(level);
        let none = LinesBefore::default();
        let known = self.texts.get(level).unwrap_or(&none);
        known.place(text.and_then(|text| text.offset), item)
    }

    /// Adds the lines of `block`, which was reported.
    pub(in crate::engine) fn leave(&mut self, block: &BlockLines, remembered: Remembered) {
        if self.texts.len() < block.texts.len() {
            let len = block.texts.len();
            self.texts.resize_with(len, LinesBefore::default);
        }
        for (known, text) in self.texts.iter_mut().zip(&block.texts) {
            if text.begins {
                known.before = 0;
                known.ends.clear();
            }
            known.before += text.count;
            known.ends.extend(&text.ends);
            remembered.prune(&mut known.ends);
        }
    }
}

impl LinesBefore {
    /// Returns the line and column of an item of a block whose text is at `offset`.
    fn place(&self, offset: Option<u64>, item: &WorkItem) -> LineColumn {
        if offset.is_none_or(|offset| item.offset >= offset) {
            let start = match item.lines.start {
                0 => self.ends.back().copied().unwrap_or(0),
                start => start,
            };
            return LineColumn {
                line: self.before + u64::from(item.lines.before) + 1,
                column: item.offset.saturating_sub(start) + 1,
            };
        }
        // The item begins before its block, in one of the remembered lines.
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
            column: item.offset.saturating_sub(start) + 1,
        }
    }
}
