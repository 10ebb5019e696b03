//! Merges sorted logs into one sequence, by a tree of losers: an entry is compared once for
//! each level of the tree. Sorting the entries of one log is left to `sorter`.

use super::budget::Budget;
use super::log::{EntryReader, Log, LogReader, LogWriter};
use super::scratch::ScratchFile;
use std::cmp::Ordering;
use std::fmt;
use std::io;
use std::sync::Arc;

/// The merged entries of logs that are each sorted. Entries that are equal have the order of
/// their logs.
///
/// ```
/// use std::sync::Arc;
/// use urisieve::store::{Budget, LogWriter, Merge, ScratchFile};
/// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
/// let budget = Arc::new(Budget::unlimited());
/// let log = |entries: [&[u8]; 2]| {
///     let mut writer = LogWriter::new(&file, &budget);
///     entries.iter().try_for_each(|entry| writer.push(entry))?;
///     writer.finish()
/// };
/// let logs = vec![log([b"a", b"d"])?, log([b"b", b"c"])?];
/// let mut merge = Merge::new(logs, &file, &budget, |a, b| a.cmp(b))?;
/// for letter in [b"a", b"b", b"c", b"d"] {
///     assert_eq!(merge.next()?, Some(&letter[..]));
/// }
/// assert_eq!(merge.next()?, None);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Merge<C, R = LogReader> {
    readers: Vec<R>,
    /// Whether the reader with this number has a current entry.
    live: Vec<bool>,
    /// The head of this entry: most entries are compared without reading them.
    heads: Vec<u64>,
    /// The number of the reader that lost at each node; at 0 the overall winner.
    tree: Vec<u32>,
    begun: bool,
    order: HeadOrder<C>,
}

/// Entries are ordered by their heads, and entries with equal heads by `compare`.
#[derive(Clone, Copy)]
struct HeadOrder<C> {
    head: fn(&[u8]) -> u64,
    compare: C,
}

impl<C, R> fmt::Debug for Merge<C, R> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Merge")
            .field("readers", &self.readers.len())
            .finish_non_exhaustive()
    }
}

/// The number of logs that are merged at a time even if the budget is smaller.
const READERS: usize = 8;

/// Returns the number of logs that are merged at a time: as many as `most` bytes and
/// the budget allow. Each reader has a block, with the list of the others.
fn fan_in(file: &ScratchFile, budget: &Budget, most: usize) -> usize {
    (budget.left().min(most) / (2 * file.block_len())).max(READERS)
}

impl<C: Fn(&[u8], &[u8]) -> Ordering> Merge<C> {
    /// Returns the merge of `logs`, which are sorted by `compare`. Each takes a block of memory
    /// while it is read. If the budget has too little memory left for more than eight logs,
    /// some are first merged into longer ones.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, Merge, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let budget = Arc::new(Budget::unlimited());
    /// let mut merge = Merge::new(Vec::new(), &file, &budget, |a, b| a.cmp(b))?;
    /// assert_eq!(merge.next()?, None);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(
        logs: Vec<Log>,
        file: &Arc<ScratchFile>,
        budget: &Arc<Budget>,
        compare: C,
    ) -> io::Result<Merge<C>> {
        Merge::within(usize::MAX, logs, file, budget, compare)
    }

    /// Does the same as [`new`](Merge::new) for logs that are sorted by `head`, a number in
    /// each entry, and by `compare` where heads are equal. Comparing numbers is faster.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, LogWriter, Merge, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let budget = Arc::new(Budget::unlimited());
    /// let head = |entry: &[u8]| u64::from(entry[0]);
    /// let mut logs = Vec::new();
    /// for entries in [[b"1b", b"3a"], [b"1a", b"2b"]] {
    ///     let mut writer = LogWriter::new(&file, &budget);
    ///     entries.iter().try_for_each(|entry| writer.push(*entry))?;
    ///     logs.push(writer.finish()?);
    /// }
    /// let mut merge = Merge::by_heads(logs, &file, &budget, head, |a, b| a[1].cmp(&b[1]))?;
    /// for entry in [b"1a", b"1b", b"2b", b"3a"] {
    ///     assert_eq!(merge.next()?, Some(&entry[..]));
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn by_heads(
        logs: Vec<Log>,
        file: &Arc<ScratchFile>,
        budget: &Arc<Budget>,
        head: fn(&[u8]) -> u64,
        compare: C,
    ) -> io::Result<Merge<C>> {
        Merge::in_order(usize::MAX, logs, file, budget, HeadOrder { head, compare })
    }

    /// Does the same as [`new`](Merge::new) with at most `bytes` of memory.
    pub(super) fn within(
        bytes: usize,
        logs: Vec<Log>,
        file: &Arc<ScratchFile>,
        budget: &Arc<Budget>,
        compare: C,
    ) -> io::Result<Merge<C>> {
        let head = |_: &[u8]| 0;
        Merge::in_order(bytes, logs, file, budget, HeadOrder { head, compare })
    }

    fn in_order(
        bytes: usize,
        mut logs: Vec<Log>,
        file: &Arc<ScratchFile>,
        budget: &Arc<Budget>,
        order: HeadOrder<C>,
    ) -> io::Result<Merge<C>> {
        loop {
            let most = fan_in(file, budget, bytes);
            if logs.len() <= most {
                return Merge::of(logs, order);
            }
            logs = merge_some(logs, most, file, budget, &order)?;
        }
    }

    /// Returns the merge of all logs at a time.
    fn of(logs: Vec<Log>, order: HeadOrder<C>) -> io::Result<Merge<C>> {
        Merge::of_readers(logs.into_iter().map(Log::read).collect(), order)
    }
}

impl<C: Fn(&[u8], &[u8]) -> Ordering, R: EntryReader> Merge<C, R> {
    /// Returns the merge of what readers read, each in the order of `compare`.
    pub(super) fn of_each(readers: Vec<R>, compare: C) -> io::Result<Merge<C, R>> {
        let head = |_: &[u8]| 0;
        Merge::of_readers(readers, HeadOrder { head, compare })
    }

    fn of_readers(readers: Vec<R>, order: HeadOrder<C>) -> io::Result<Merge<C, R>> {
        let count = readers.len();
        let mut merge = Merge {
            readers,
            live: vec![false; count],
            heads: vec![u64::MAX; count],
            tree: Vec::new(),
            begun: false,
            order,
        };
        for reader in 0..count {
            merge.advance(reader)?;
        }
        merge.plant();
        Ok(merge)
    }

    /// Has this reader continue.
    fn advance(&mut self, reader: usize) -> io::Result<()> {
        self.live[reader] = self.readers[reader].advance()?;
        self.heads[reader] = match self.live[reader] {
            true => (self.order.head)(self.readers[reader].current()),
            false => u64::MAX,
        };
        Ok(())
    }

    /// Has all readers play against each other.
    fn plant(&mut self) {
        let count = self.readers.len();
        self.tree = vec![0; count];
        // The winners of the nodes from 1 on; the readers are the leaves.
        let mut winners = vec![0; count];
        winners.extend(0..count as u32);
        for node in (1..count).rev() {
            let (left, right) = (winners[2 * node], winners[2 * node + 1]);
            let (winner, loser) = match self.is_before(right, left) {
                true => (right, left),
                false => (left, right),
            };
            (winners[node], self.tree[node]) = (winner, loser);
        }
        if let Some(first) = self.tree.first_mut() {
            *first = winners[1];
        }
    }

    /// Whether the current entry of reader `a` comes before that of reader `b`.
    fn is_before(&self, a: u32, b: u32) -> bool {
        match self.heads[a as usize].cmp(&self.heads[b as usize]) {
            Ordering::Less => true,
            Ordering::Equal => self.is_before_by_entry(a, b),
            Ordering::Greater => false,
        }
    }

    /// The same, where the heads are equal.
    fn is_before_by_entry(&self, a: u32, b: u32) -> bool {
        let current = |reader: u32| self.readers[reader as usize].current();
        match (self.live[a as usize], self.live[b as usize]) {
            (true, true) => match (self.order.compare)(current(a), current(b)) {
                Ordering::Less => true,
                Ordering::Equal => a < b,
                Ordering::Greater => false,
            },
            (a_is_live, _) => a_is_live,
        }
    }

    /// Returns the next entry, or `None` after the last one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, LogWriter, Merge, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let budget = Arc::new(Budget::unlimited());
    /// let mut writer = LogWriter::new(&file, &budget);
    /// writer.push(b"a")?;
    /// let mut merge = Merge::new(vec![writer.finish()?], &file, &budget, |a, b| a.cmp(b))?;
    /// assert_eq!(merge.next()?, Some(&b"a"[..]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[expect(clippy::should_implement_trait, reason = "an entry borrows the merge")]
    pub fn next(&mut self) -> io::Result<Option<&[u8]>> {
        if std::mem::replace(&mut self.begun, true) {
            self.replay()?;
        }
        Ok(self.current())
    }

    /// Returns the entry that [`next`](Merge::next) returned last.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, LogWriter, Merge, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let budget = Arc::new(Budget::unlimited());
    /// let mut writer = LogWriter::new(&file, &budget);
    /// writer.push(b"a")?;
    /// let mut merge = Merge::new(vec![writer.finish()?], &file, &budget, |a, b| a.cmp(b))?;
    /// merge.next()?;
    /// assert_eq!(merge.current(), Some(&b"a"[..]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn current(&self) -> Option<&[u8]> {
        match self.tree.first() {
            Some(&winner) if self.live[winner as usize] => {
                Some(self.readers[winner as usize].current())
            }
            _ => None,
        }
    }

    /// Advances the last winner, and replays the matches from its leaf up.
    fn replay(&mut self) -> io::Result<()> {
        let Some(&last) = self.tree.first() else {
            return Ok(());
        };
        let mut winner = last;
        if self.live[winner as usize] {
            self.advance(winner as usize)?;
        }
        let mut node = (winner as usize + self.readers.len()) / 2;
        while node > 0 {
            let other = self.tree[node];
            if self.is_before(other, winner) {
                self.tree[node] = winner;
                winner = other;
            }
            node /= 2;
        }
        self.tree[0] = winner;
        Ok(())
    }
}

/// Merges neighbouring logs, at most `most` at a time, until there are at most `most` logs
/// or each has been merged once.
fn merge_some(
    logs: Vec<Log>,
    most: usize,
    file: &Arc<ScratchFile>,
    budget: &Arc<Budget>,
    order: &HeadOrder<impl Fn(&[u8], &[u8]) -> Ordering>,
) -> io::Result<Vec<Log>> {
    let order = HeadOrder {
        head: order.head,
        compare: &order.compare,
    };
    let mut excess = logs.len().saturating_sub(most);
    let mut logs = logs.into_iter();
    let mut merged = Vec::new();
    while excess > 0 && logs.len() > 0 {
        let group: Vec<Log> = logs.by_ref().take(most.min(excess + 1)).collect();
        excess -= group.len() - 1;
        let mut merge = Merge::of(group, order)?;
        let mut writer = LogWriter::new(file, budget);
        while let Some(entry) = merge.next()? {
            writer.push(entry)?;
        }
        merged.push(writer.finish_in_file()?);
    }
    merged.extend(logs);
    Ok(merged)
}

#[cfg(all(test, feature = "store"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// A merge equals one stable sort of all entries, for each number of logs at a
        /// time.
        #[test]
        fn merging_is_sorting(
            mut lists in proptest::collection::vec(
                proptest::collection::vec((0u8..9, any::<u8>()), 0..40), 0..40),
            blocks in 0usize..20,
            by_heads: bool,
        ) {
            let file = Arc::new(ScratchFile::new(std::env::temp_dir()).blocks_of(16));
            let budget = Arc::new(Budget::new(blocks * 64));
            let mut logs = Vec::new();
            for list in &mut lists {
                list.sort_by_key(|entry| entry.0);
                let mut writer = LogWriter::new(&file, &budget);
                for entry in &*list {
                    writer.push(&[entry.0, entry.1]).unwrap();
                }
                logs.push(writer.finish_in_file().unwrap());
            }
            let mut all: Vec<_> = lists.concat();
            all.sort_by_key(|entry| entry.0);
            let compare = |a: &[u8], b: &[u8]| a[0].cmp(&b[0]);
            // Several keys have the same head, and one key has the head of a log at its
            // end.
            let head = |entry: &[u8]| match entry[0] {
                8 => u64::MAX,
                key => u64::from(key / 3),
            };
            let merge = match by_heads {
                true => Merge::by_heads(logs, &file, &budget, head, compare),
                false => Merge::new(logs, &file, &budget, compare),
            };
            let mut merge = merge.unwrap();
            for (key, value) in all {
                prop_assert_eq!(merge.next().unwrap(), Some(&[key, value][..]));
            }
            prop_assert_eq!(merge.next().unwrap(), None);
            prop_assert_eq!(merge.next().unwrap(), None);
            drop(merge);
            prop_assert_eq!((file.live(), budget.used()), (0, 0));
        }
    }

    /// Several passes, each with no more readers than the memory allows.
    #[test]
    fn passes_stay_within_the_memory() {
        let file = Arc::new(ScratchFile::new(std::env::temp_dir()).blocks_of(1000));
        let log = |number: u32, budget: &Arc<Budget>| {
            let mut writer = LogWriter::new(&file, budget);
            for entry in 0..100u32 {
                writer.push(&(entry * 100 + number).to_be_bytes()).unwrap();
            }
            writer.finish_in_file().unwrap()
        };
        for (limit, passes) in [(0, 3), (50_000, 2), (1 << 20, 1)] {
            let budget = Arc::new(Budget::new(limit));
            let before = file.bytes_packed();
            let logs: Vec<Log> = (0..100).map(|number| log(number, &budget)).collect();
            let once = file.bytes_packed() - before;
            let held = budget.used();
            let mut merge = Merge::new(logs, &file, &budget, |a, b| a.cmp(b)).unwrap();
            for number in 0..10_000u32 {
                assert_eq!(merge.next().unwrap(), Some(&number.to_be_bytes()[..]));
            }
            assert_eq!(merge.next().unwrap(), None);
            let written = file.bytes_packed() - before;
            assert!(written <= passes * once, "{limit}: {written} of {once}");
            assert!(passes == 1 || written > once);
            // Eight readers and a writer are always needed.
            assert!(
                budget.peak() <= limit.max(held + 9 * 1100) + 1024,
                "{limit}: {}",
                budget.peak()
            );
        }
    }
}
