//! The free parts of a file. Space is allocated in pages of the file and reused when it is
//! free. Writing is left to `scratch`.

use std::collections::{BTreeMap, BTreeSet};

/// The number of bytes of a page.
pub(super) const PAGE: u64 = 4 << 10;

/// The free pages of a file.
#[derive(Debug, Default)]
pub(super) struct Space {
    /// The number of pages up to the last one that is in use.
    end: u32,
    /// The largest value of `end` so far.
    peak: u32,
    /// The number of pages of each free part before the end, by its first page. No part
    /// follows another one directly.
    free: BTreeMap<u32, u32>,
    /// The same parts as (number of pages, first page).
    by_size: BTreeSet<(u32, u32)>,
}

impl Space {
    /// Takes this many pages in a row, the smallest part that is long enough, and returns
    /// the number of the first one; `None` when the file would be too long.
    pub(super) fn take(&mut self, pages: u32) -> Option<u32> {
        if let Some(&(found, from)) = self.by_size.range((pages, 0)..).next() {
            self.remove(from, found);
            if found > pages {
                self.insert(from + pages, found - pages);
            }
            return Some(from);
        }
        let from = self.end;
        self.end = from.checked_add(pages)?;
        self.peak = self.peak.max(self.end);
        Some(from)
    }

    /// Frees pages that were taken together.
    pub(super) fn free(&mut self, mut from: u32, mut pages: u32) {
        if let Some((&before, &len)) = self.free.range(..from).next_back()
            && before + len == from
        {
            self.remove(before, len);
            (from, pages) = (before, len + pages);
        }
        if let Some(&len) = self.free.get(&(from + pages)) {
            self.remove(from + pages, len);
            pages += len;
        }
        match from + pages == self.end {
            true => self.end = from,
            false => self.insert(from, pages),
        }
    }

    fn insert(&mut self, from: u32, pages: u32) {
        self.free.insert(from, pages);
        self.by_size.insert((pages, from));
    }

    fn remove(&mut self, from: u32, pages: u32) {
        self.free.remove(&from);
        self.by_size.remove(&(pages, from));
    }

    /// Returns the largest number of bytes that the file had.
    pub(super) fn peak(&self) -> u64 {
        u64::from(self.peak) * PAGE
    }

    /// Returns the number of bytes that are in use.
    pub(super) fn live(&self) -> u64 {
        let free: u64 = self.free.values().copied().map(u64::from).sum();
        (u64::from(self.end) - free) * PAGE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// No page is allocated twice, and when all pages are free, there is no part.
        #[test]
        fn pages_are_in_use_once(steps in proptest::collection::vec((1u32..9, any::<u8>()), 1..200)) {
            let (mut space, mut taken, mut in_use) = (Space::default(), Vec::new(), 0);
            let mut used = vec![false; 2000];
            for (pages, which) in steps {
                if which % 2 == 0 || taken.is_empty() {
                    let from = space.take(pages).unwrap();
                    for page in from..from + pages {
                        prop_assert!(!std::mem::replace(&mut used[page as usize], true));
                    }
                    taken.push((from, pages));
                    in_use += pages;
                } else {
                    let (from, pages) = taken.swap_remove(which as usize % taken.len());
                    used[from as usize..(from + pages) as usize].fill(false);
                    space.free(from, pages);
                    in_use -= pages;
                }
                prop_assert_eq!(space.live(), u64::from(in_use) * PAGE);
                prop_assert_eq!(space.free.len(), space.by_size.len());
            }
            for (from, pages) in taken {
                space.free(from, pages);
            }
            prop_assert_eq!((space.end, space.free.len(), space.live()), (0, 0, 0));
        }
    }

    #[test]
    fn the_smallest_part_that_is_long_enough_is_taken() {
        let mut space = Space::default();
        let parts = [5, 1, 2, 1, 9].map(|pages| (space.take(pages).unwrap(), pages));
        for at in [0, 2] {
            space.free(parts[at].0, parts[at].1);
        }
        assert_eq!(space.take(2), Some(parts[2].0));
        assert_eq!(space.take(6), Some(18));
        assert_eq!(space.take(3), Some(0));
        assert_eq!(space.peak(), 24 * PAGE);
    }

    #[test]
    fn a_file_has_an_end() {
        let mut space = Space::default();
        assert_eq!(space.take(u32::MAX), Some(0));
        assert_eq!(space.take(1), None);
        space.free(0, u32::MAX);
        assert_eq!(space.take(1), Some(0));
    }
}
