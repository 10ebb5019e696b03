//! The lists of which an entry must match: a finding is looked up, its item is marked with the
//! entries that match it, and these are counted in place of it.

use crate::canonicalize::Canonicalizer;
use crate::engine::batches::batch::Batch;
use crate::indicators::{MatchBuffers, Matcher, canonicalizer};
use crate::item::Matched;
use std::sync::Arc;

/// A matcher with its buffers, and the entries that match the last finding.
#[derive(Clone, Debug)]
pub(in crate::engine) struct Matching {
    matcher: Arc<Matcher>,
    canonicalizer: Canonicalizer,
    buffers: MatchBuffers,
    /// Whether items have the entries that match them.
    marks: bool,
}

impl Matching {
    pub(in crate::engine) fn new(matcher: Arc<Matcher>, marks: bool) -> Matching {
        Matching {
            matcher,
            canonicalizer: canonicalizer(),
            buffers: MatchBuffers::default(),
            marks,
        }
    }

    /// Whether an entry matches `uri`.
    pub(in crate::engine) fn matches(&mut self, uri: &[u8]) -> bool {
        let Matching {
            matcher,
            canonicalizer,
            buffers,
            ..
        } = self;
        matcher.look_up(uri, canonicalizer, buffers);
        !buffers.found.is_empty()
    }

    /// Gives the last item of `batch` the entries that match the last finding.
    pub(in crate::engine) fn mark(&self, batch: &mut Batch) {
        if self.marks {
            batch.set_matched(|out| {
                let found = self.buffers.found.iter();
                found.for_each(|&entry| Matched::push(self.matcher.entry(entry), out));
            });
        }
    }

    /// Calls `each` with the text of every entry that matches the last finding: the same text
    /// in several lists counts once.
    pub(in crate::engine) fn each_text(&self, each: &mut dyn FnMut(&[u8])) {
        let found = &self.buffers.found;
        for (at, &entry) in found.iter().enumerate() {
            let text = self.matcher.entry(entry).entry;
            let is_known = |&earlier: &u32| self.matcher.entry(earlier).entry == text;
            if !found[..at].iter().any(is_known) {
                each(text);
            }
        }
    }
}
