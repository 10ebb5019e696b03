//! Which inputs are lists, and what follows from that: where an input may be parted,
//! how many of its ends of lines are remembered, whether it may be a container.

use super::config::Config;
use super::lines::Remembered;
use crate::decode::{Layout, MARK_MAX, RECORD_MAX};
use crate::scan::Cutter;
use crate::unpack::Unpack;
use std::collections::HashMap;

/// The inputs that are lists.
#[derive(Debug)]
pub(super) struct Lists {
    every: Option<Layout>,
    /// Those that are lists all the same, or lists written otherwise.
    of: HashMap<usize, Layout>,
    /// Where texts may be parted.
    cutter: Cutter,
    /// Most line breaks inside a URI of a text.
    breaks: usize,
}

impl Lists {
    pub(super) fn new(config: &Config) -> Lists {
        let limit = config.delimit.fold_limit();
        // A mark of defanging stands for one byte.
        let reach = match config.refang {
            true => limit.bytes * MARK_MAX,
            false => limit.bytes,
        };
        Lists {
            every: config.layout.clone(),
            of: config.layouts.clone(),
            cutter: Cutter::new(reach, config.delimit.joins_blanks()).refang(config.refang),
            breaks: limit.lines,
        }
    }

    /// How the records of an input are written when it is a list.
    pub(super) fn layout(&self, input: usize) -> Option<&Layout> {
        self.of.get(&input).or(self.every.as_ref())
    }

    /// Finds the places where an input may be parted.
    pub(super) fn cutter(&self, input: usize) -> Cutter {
        match self.layout(input) {
            None => self.cutter,
            Some(layout) if layout.ends_with_lines() => Cutter::every_line(),
            Some(_) => Cutter::nowhere(),
        }
    }

    /// How many ends of lines of an input are remembered. A record begins in its own
    /// raw bytes before its end, of which UTF-16 has two for one.
    pub(super) fn remembered(&self, input: usize) -> Remembered {
        match self.layout(input) {
            None => Remembered::Lines(self.breaks),
            Some(_) => Remembered::Bytes(2 * RECORD_MAX as u64),
        }
    }

    /// How an input is unpacked, and whether it is UTF-16 although nothing shows it: a
    /// list may begin as a container does, and one that differs from the others does
    /// not follow what is said of them.
    pub(super) fn reading(&self, input: usize, unpack: Unpack, utf16: bool) -> (Unpack, bool) {
        let unpack = Unpack {
            containers: unpack.containers && self.layout(input).is_none(),
            ..unpack
        };
        (unpack, utf16 && !self.of.contains_key(&input))
    }
}
