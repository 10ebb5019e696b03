//! Starts of texts: which of very many does a text begin with? The starts are sorted, and
//! each knows the longest other one that it begins with.

use super::entry_texts::EntryTexts;
use super::key_index::{ApartKeys, KeyPlace};

/// No start is shorter.
const NONE: u32 = u32::MAX;

/// A start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    /// The number of its entry.
    pub entry: u32,
    key: KeyPlace,
    /// The number of the longest other start that this one begins with.
    shorter: u32,
    /// The only port that matches; 0 where any does.
    pub port: u16,
}

/// Starts, which are sorted after the last one was added.
#[derive(Clone, Debug, Default)]
pub(crate) struct Prefixes {
    starts: Vec<Start>,
    apart: ApartKeys,
}

impl Prefixes {
    /// Adds the start `key` of an entry. Returns false when there is no room for more.
    pub(crate) fn add(
        &mut self,
        key: &[u8],
        (entry, port): (u32, Option<u16>),
        texts: &EntryTexts,
    ) -> bool {
        if self.starts.len() >= NONE as usize {
            return false;
        }
        let place = self.apart.place(key, texts.text(entry));
        let start = place.map(|key| Start {
            entry,
            key,
            shorter: NONE,
            port: port.unwrap_or(0),
        });
        self.starts.extend(start);
        start.is_some()
    }

    /// Adds starts that were not sorted, whose entries have numbers from `first` on. Returns false
    /// when there is no room for them.
    pub(crate) fn append(&mut self, more: &Prefixes, first: u32) -> bool {
        let has_room = self.starts.len() + more.starts.len() < NONE as usize;
        let Some(apart) = self.apart.append(&more.apart).filter(|_| has_room) else {
            return false;
        };
        self.starts.extend(more.starts.iter().map(|start| Start {
            entry: start.entry + first,
            key: start.key.behind(apart),
            ..*start
        }));
        true
    }

    /// Sorts them. They are found from then on.
    pub(crate) fn settle(&mut self, texts: &EntryTexts) {
        let Prefixes { starts, apart } = self;
        starts.sort_unstable_by(|a, b| {
            let key = |start: &Start| apart.key(start.key, texts.text(start.entry));
            (key(a), a.entry).cmp(&(key(b), b.entry))
        });
        // The starts of the last one, the shortest first.
        let mut open: Vec<u32> = Vec::new();
        for number in 0..starts.len() {
            let key = |start: &Start| apart.key(start.key, texts.text(start.entry));
            let whole = key(&starts[number]);
            while let Some(&last) = open.last()
                && !whole.starts_with(key(&starts[last as usize]))
            {
                open.pop();
            }
            starts[number].shorter = open.last().copied().unwrap_or(NONE);
            open.push(number as u32);
        }
        starts.shrink_to_fit();
    }

    /// Calls `each` with every start of `text`.
    pub(crate) fn each(&self, text: &[u8], texts: &EntryTexts, mut each: impl FnMut(&Start)) {
        let key = |start: &Start| self.apart.key(start.key, texts.text(start.entry));
        let after = self.starts.partition_point(|start| key(start) <= text);
        // All starts of the text are starts of the last one that is not behind it.
        let mut at = after.checked_sub(1);
        while let Some(start) = at.and_then(|at| self.starts.get(at)) {
            if text.starts_with(key(start)) {
                each(start);
            }
            at = Some(start.shorter as usize);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_start_is_found(
            starts in proptest::collection::vec("[ab]{0,5}", 0..30), text in "[ab]{0,8}",
        ) {
            let mut texts = EntryTexts::default();
            texts.begin_list(b"l");
            let mut prefixes = Prefixes::default();
            for start in &starts {
                let entry = texts.add(start.as_bytes(), 1).unwrap();
                prop_assert!(prefixes.add(start.as_bytes(), (entry, None), &texts));
            }
            prefixes.settle(&texts);
            let mut found = Vec::new();
            prefixes.each(text.as_bytes(), &texts, |start| found.push(start.entry as usize));
            found.sort_unstable();
            let wanted: Vec<usize> = (0..starts.len())
                .filter(|&at| text.starts_with(&starts[at]))
                .collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
