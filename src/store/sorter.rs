//! Sorts entries beyond memory: sorted runs are written to a file, and merged at the end.
//! The content of entries is left to the caller.

use super::budget::{Budget, Charge};
use super::log::{EntryReader, Log, LogWriter};
use super::merge::Merge;
use super::scratch::ScratchFile;
use std::cmp::Ordering;
use std::fmt;
use std::io;
use std::sync::Arc;

/// The number of bytes of entries that are held in memory under every budget.
const LEAST: usize = 1 << 20;
/// The least memory has this number of chunks.
const CHUNKS: usize = 16;

/// Sorts entries by a comparison. Entries that are equal keep their order. Nothing is
/// written as long as the budget has memory for all entries; 1 MiB is taken even if the
/// budget has less.
///
/// ```
/// use std::sync::Arc;
/// use urisieve::store::{Budget, ScratchFile, Sorter};
/// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
/// let mut sorter = Sorter::new(&file, &Arc::new(Budget::unlimited()), |a, b| a.cmp(b));
/// for entry in [b"urn:b:1", b"urn:a:1"] {
///     sorter.push(entry)?;
/// }
/// let mut sorted = sorter.finish()?;
/// assert_eq!(sorted.next()?, Some(&b"urn:a:1"[..]));
/// assert_eq!(sorted.next()?, Some(&b"urn:b:1"[..]));
/// assert_eq!(sorted.next()?, None);
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Sorter<C> {
    file: Arc<ScratchFile>,
    charge: Charge,
    /// The memory that it takes even if it is not left in the budget.
    pub(super) least: usize,
    most: usize,
    entries: Heap,
    runs: Vec<Log>,
    compare: C,
    rank: fn(&[u8]) -> u32,
}

/// Entries in memory, in the order in which they were added or in another one.
#[derive(Debug, Default)]
struct Heap {
    /// The chunks of entries; the ones after the chunk in use are empty.
    chunks: Vec<Vec<u8>>,
    in_use: usize,
    places: Vec<EntryPlace>,
}

/// The place of an entry. Places of one rank are in the order in which the entries were added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct EntryPlace {
    rank: u32,
    chunk: u32,
    from: u32,
    len: u32,
}

impl Heap {
    fn entry(&self, place: EntryPlace) -> &[u8] {
        let from = place.from as usize;
        &self.chunks[place.chunk as usize][from..from + place.len as usize]
    }

    /// Returns the chunk with room for `len` bytes, if any.
    fn chunk_for(&self, len: usize) -> Option<usize> {
        let fits = |&at: &usize| {
            let chunk = self.chunks.get(at);
            chunk.is_some_and(|chunk| chunk.capacity() - chunk.len() >= len)
        };
        [self.in_use, self.in_use + 1].into_iter().find(fits)
    }

    /// Adds an entry to a chunk that has room for it.
    fn push(&mut self, chunk: usize, rank: u32, entry: &[u8]) {
        self.in_use = chunk;
        let bytes = &mut self.chunks[chunk];
        self.places.push(EntryPlace {
            rank,
            chunk: chunk as u32,
            from: bytes.len() as u32,
            len: entry.len() as u32,
        });
        bytes.extend_from_slice(entry);
    }

    /// Sorts the places by their ranks, then those of one rank by their entries.
    fn sort(&mut self, compare: &impl Fn(&[u8], &[u8]) -> Ordering) {
        let mut places = std::mem::take(&mut self.places);
        places.sort_unstable_by_key(|place| place.rank);
        for places in places.chunk_by_mut(|a, b| a.rank == b.rank) {
            places.sort_unstable_by(|&a, &b| {
                let by_entry = compare(self.entry(a), self.entry(b));
                by_entry.then_with(|| a.cmp(&b))
            });
        }
        self.places = places;
    }

    /// Removes the places whose rank no other one has, if they are sorted.
    fn keep_repeated(&mut self) {
        let mut kept = 0;
        let mut from = 0;
        while let Some(first) = self.places.get(from) {
            let is_of_rank = |place: &&EntryPlace| place.rank == first.rank;
            let count = self.places[from..].iter().take_while(is_of_rank).count();
            if count > 1 {
                self.places.copy_within(from..from + count, kept);
                kept += count;
            }
            from += count;
        }
        self.places.truncate(kept);
    }

    /// Removes all entries, and frees the chunks that are longer than `chunk_len`.
    fn clear(&mut self, chunk_len: usize) {
        self.places.clear();
        self.in_use = 0;
        self.chunks.retain(|chunk| chunk.capacity() <= chunk_len);
        self.chunks.iter_mut().for_each(Vec::clear);
    }

    fn memory(&self) -> usize {
        let bytes: usize = self.chunks.iter().map(Vec::capacity).sum();
        bytes
            + self.chunks.capacity() * size_of::<Vec<u8>>()
            + self.places.capacity() * size_of::<EntryPlace>()
    }
}

impl<C> fmt::Debug for Sorter<C> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Sorter")
            .field("runs", &self.runs.len())
            .finish_non_exhaustive()
    }
}

impl<C: Fn(&[u8], &[u8]) -> Ordering> Sorter<C> {
    /// Returns a sorter that takes its memory from `budget`, without another limit.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, ScratchFile, Sorter};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let sorter = Sorter::new(&file, &Arc::new(Budget::new(0)), |a, b| b.cmp(a));
    /// assert_eq!(sorter.finish()?.next()?, None);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(file: &Arc<ScratchFile>, budget: &Arc<Budget>, compare: C) -> Sorter<C> {
        Sorter {
            file: Arc::clone(file),
            charge: Charge::new(budget),
            least: LEAST,
            most: usize::MAX,
            entries: Heap::default(),
            runs: Vec::new(),
            compare,
            rank: |_| 0,
        }
    }

    /// Sets the rank of an entry; default the same for all. Entries of different ranks are
    /// ordered without a look at their bytes: the one of the lower rank precedes the other by the
    /// comparison, too.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, ScratchFile, Sorter};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let sorter = Sorter::new(&file, &Arc::new(Budget::unlimited()), |a, b| a.cmp(b));
    /// let mut sorter = sorter.ranked(|entry| entry[0].into());
    /// for entry in [b"ba", b"ab", b"aa"] {
    ///     sorter.push(entry)?;
    /// }
    /// assert_eq!(sorter.finish()?.next()?, Some(&b"aa"[..]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn ranked(mut self, rank: fn(&[u8]) -> u32) -> Sorter<C> {
        self.rank = rank;
        self
    }

    /// Sets how many bytes of memory it takes at most, where the budget is shared with
    /// others; default no limit, at least 1 MiB.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, ScratchFile, Sorter};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let budget = Arc::new(Budget::unlimited());
    /// let mut sorter = Sorter::new(&file, &budget, |a, b| a.cmp(b)).at_most(2 << 20);
    /// for number in 0..200_000u32 {
    ///     sorter.push(&number.to_be_bytes())?;
    /// }
    /// assert!(budget.peak() <= (2 << 20) + 2 * file.block_len());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn at_most(mut self, bytes: usize) -> Sorter<C> {
        self.most = bytes;
        self
    }

    /// Adds an entry of fewer than 2 to the 32nd bytes. Where the memory is used up, all
    /// entries are first sorted and written.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, ScratchFile, Sorter};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let mut sorter = Sorter::new(&file, &Arc::new(Budget::new(0)), |a, b| a.cmp(b));
    /// sorter.push(b"")?;
    /// assert_eq!(sorter.finish()?.next()?, Some(&b""[..]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn push(&mut self, entry: &[u8]) -> io::Result<()> {
        if u32::try_from(entry.len()).is_err() {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let chunk = match self.room_for(entry.len()) {
            Some(chunk) => chunk,
            None => {
                self.write_run()?;
                match self.room_for(entry.len()) {
                    Some(chunk) => chunk,
                    None => self.add_room(entry.len()),
                }
            }
        };
        self.entries.push(chunk, (self.rank)(entry), entry);
        Ok(())
    }

    /// Returns the chunk for an entry of `len` bytes; `None` when there is no memory for it.
    fn room_for(&mut self, len: usize) -> Option<usize> {
        let chunk = self.entries.chunk_for(len);
        let has_place = self.entries.places.len() < self.entries.places.capacity();
        if let (Some(chunk), true) = (chunk, has_place) {
            return Some(chunk);
        }
        // While the list of places grows, the old one is also held.
        let places = match has_place {
            true => 0,
            false => (2 * self.entries.places.len()).max(64) * size_of::<EntryPlace>(),
        };
        let chunks = match chunk {
            Some(_) => 0,
            None => self.chunk_len().max(len) + 4 * size_of::<Vec<u8>>(),
        };
        let wanted = self.charge.bytes() + places + chunks;
        let is_least = wanted <= self.least;
        if is_least {
            self.charge.set(wanted);
        } else if wanted > self.most.max(self.least) || !self.charge.try_grow(places + chunks) {
            return None;
        }
        Some(self.add_room(len))
    }

    /// Makes room for an entry of `len` bytes, and returns its chunk.
    fn add_room(&mut self, len: usize) -> usize {
        let places = &mut self.entries.places;
        if places.len() == places.capacity() {
            places.reserve_exact(places.len().max(64));
        }
        let chunk = self.entries.chunk_for(len).unwrap_or_else(|| {
            let chunk = Vec::with_capacity(self.chunk_len().max(len));
            // The chunks behind the one in use are empty, but too short.
            let at = (self.entries.in_use + 1).min(self.entries.chunks.len());
            self.entries.chunks.insert(at, chunk);
            at
        });
        self.charge.set(self.entries.memory());
        chunk
    }

    fn chunk_len(&self) -> usize {
        self.least / CHUNKS
    }

    /// Sorts the entries in memory and writes them.
    fn write_run(&mut self) -> io::Result<()> {
        if self.entries.places.is_empty() {
            return Ok(());
        }
        self.entries.sort(&self.compare);
        let mut writer = LogWriter::new(&self.file, self.charge.budget());
        for &place in &self.entries.places {
            writer.push(self.entries.entry(place))?;
        }
        self.runs.push(writer.finish_in_file()?);
        let chunk_len = self.chunk_len();
        self.entries.clear(chunk_len);
        self.charge.set(self.entries.memory());
        Ok(())
    }

    /// Returns all entries in order.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, ScratchFile, Sorter};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let mut sorter = Sorter::new(&file, &Arc::new(Budget::new(0)), |a, b| a.cmp(b));
    /// // More than 1 MiB.
    /// for number in (0..200_000u32).rev() {
    ///     sorter.push(&number.to_be_bytes())?;
    /// }
    /// assert!(file.bytes_written() > 0);
    /// let mut sorted = sorter.finish()?;
    /// for number in 0..200_000u32 {
    ///     assert_eq!(sorted.next()?, Some(&number.to_be_bytes()[..]));
    /// }
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn finish(self) -> io::Result<Sorted<C>> {
        self.sorted(false)
    }

    /// Returns the entries in order, but for some whose [rank](Sorter::ranked) no other one has:
    /// these are not read where all entries are in memory.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, ScratchFile, Sorter};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let sorter = Sorter::new(&file, &Arc::new(Budget::unlimited()), |a, b| a.cmp(b));
    /// let mut sorter = sorter.ranked(|entry| entry[0].into());
    /// for entry in [b"ba", b"ca", b"ab", b"aa"] {
    ///     sorter.push(entry)?;
    /// }
    /// let mut sorted = sorter.finish_repeated()?;
    /// assert_eq!(sorted.next()?, Some(&b"aa"[..]));
    /// assert_eq!(sorted.next()?, Some(&b"ab"[..]));
    /// assert_eq!(sorted.next()?, None);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of the temporary file.
    pub fn finish_repeated(self) -> io::Result<Sorted<C>> {
        self.sorted(true)
    }

    fn sorted(mut self, is_repeated: bool) -> io::Result<Sorted<C>> {
        let is_in_memory = self.runs.is_empty();
        match is_in_memory {
            true => {
                self.entries.sort(&self.compare);
                if is_repeated {
                    self.entries.keep_repeated();
                }
            }
            false => {
                self.write_run()?;
                self.entries = Heap::default();
                self.charge.set(0);
            }
        }
        let budget = Arc::clone(self.charge.budget());
        Ok(Sorted {
            entries: self.entries,
            next: 0,
            merge: match is_in_memory {
                true => None,
                false => Some(Merge::within(
                    self.most,
                    self.runs,
                    &self.file,
                    &budget,
                    self.compare,
                )?),
            },
            charge: self.charge,
        })
    }
}

/// Entries in order, from a [`Sorter`].
///
/// ```
/// use std::sync::Arc;
/// use urisieve::store::{Budget, ScratchFile, Sorter};
/// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
/// let mut sorter = Sorter::new(&file, &Arc::new(Budget::unlimited()), |a, b| b.cmp(a));
/// for entry in [b"1", b"3", b"2"] {
///     sorter.push(entry)?;
/// }
/// let (mut sorted, mut entries) = (sorter.finish()?, Vec::new());
/// while let Some(entry) = sorted.next()? {
///     entries.extend_from_slice(entry);
/// }
/// assert_eq!(entries, b"321");
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Sorted<C> {
    entries: Heap,
    /// The number of entries in memory that were returned.
    next: usize,
    merge: Option<Merge<C>>,
    charge: Charge,
}

impl<C> fmt::Debug for Sorted<C> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Sorted")
            .field("merge", &self.merge)
            .field("memory", &self.charge.bytes())
            .finish_non_exhaustive()
    }
}

impl<C: Fn(&[u8], &[u8]) -> Ordering> Sorted<C> {
    /// Returns the next entry, or `None` after the last one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, ScratchFile, Sorter};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let mut sorter = Sorter::new(&file, &Arc::new(Budget::unlimited()), |a, b| a.cmp(b));
    /// sorter.push(b"urn:a:b")?;
    /// let mut sorted = sorter.finish()?;
    /// assert_eq!(sorted.next()?, Some(&b"urn:a:b"[..]));
    /// assert_eq!(sorted.next()?, None);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[expect(clippy::should_implement_trait, reason = "an entry borrows the reader")]
    pub fn next(&mut self) -> io::Result<Option<&[u8]>> {
        Ok(match self.advance()? {
            true => Some(self.current()),
            false => None,
        })
    }

    /// Returns the merge of what several sorters sorted by `compare`, without writing it.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, ScratchFile, Sorted, Sorter};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let budget = Arc::new(Budget::unlimited());
    /// let compare: fn(&[u8], &[u8]) -> std::cmp::Ordering = |a, b| a.cmp(b);
    /// let sorted = |entries: [&[u8]; 2]| {
    ///     let mut sorter = Sorter::new(&file, &budget, compare);
    ///     entries.iter().try_for_each(|entry| sorter.push(entry))?;
    ///     sorter.finish()
    /// };
    /// let all = vec![sorted([b"c", b"a"])?, sorted([b"d", b"b"])?];
    /// let mut merge = Sorted::merge(all, compare)?;
    /// for letter in [b"a", b"b", b"c", b"d"] {
    ///     assert_eq!(merge.next()?, Some(&letter[..]));
    /// }
    /// assert_eq!(merge.next()?, None);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn merge(sorted: Vec<Sorted<C>>, compare: C) -> io::Result<Merge<C, Sorted<C>>> {
        Merge::of_each(sorted, compare)
    }
}

impl<C: Fn(&[u8], &[u8]) -> Ordering> EntryReader for Sorted<C> {
    fn advance(&mut self) -> io::Result<bool> {
        if let Some(merge) = &mut self.merge {
            return Ok(merge.next()?.is_some());
        }
        let has_one = self.next < self.entries.places.len();
        self.next += usize::from(has_one);
        Ok(has_one)
    }

    fn current(&self) -> &[u8] {
        if let Some(merge) = &self.merge {
            return merge.current().unwrap_or_default();
        }
        let place = self.next.checked_sub(1);
        let place = place.and_then(|at| self.entries.places.get(at));
        place.map_or(&[], |&place| self.entries.entry(place))
    }
}

#[cfg(all(test, feature = "store"))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A sorter that needs little memory.
    fn small<C: Fn(&[u8], &[u8]) -> Ordering>(
        file: &Arc<ScratchFile>,
        budget: &Arc<Budget>,
        least: usize,
        compare: C,
    ) -> Sorter<C> {
        Sorter {
            least,
            ..Sorter::new(file, budget, compare)
        }
    }

    proptest! {
        #[test]
        fn sorts_as_a_stable_sort_does(
            mut entries in proptest::collection::vec((0u8..20, 0usize..60), 0..400),
            limit in 0usize..9000,
            is_ranked: bool,
        ) {
            let file = Arc::new(ScratchFile::new(std::env::temp_dir()).blocks_of(64));
            let budget = Arc::new(Budget::new(limit));
            // The second half of an entry does not count.
            let compare = |a: &[u8], b: &[u8]| a.first().cmp(&b.first());
            let mut sorter = small(&file, &budget, 2000, compare);
            if is_ranked {
                sorter = sorter.ranked(|entry| entry.first().map_or(0, |&key| u32::from(key) / 2));
            }
            let bytes = |&(key, len): &(u8, usize)| match len {
                0 => Vec::new(),
                _ => [vec![key], vec![len as u8; len]].concat(),
            };
            for entry in &entries {
                sorter.push(&bytes(entry)).unwrap();
                prop_assert!(sorter.charge.bytes() >= sorter.entries.memory());
            }
            entries.sort_by_key(|entry| bytes(entry).first().copied());
            let mut sorted = sorter.finish().unwrap();
            for entry in &entries {
                prop_assert_eq!(sorted.next().unwrap(), Some(&bytes(entry)[..]));
            }
            prop_assert_eq!(sorted.next().unwrap(), None);
            drop(sorted);
            prop_assert_eq!((file.live(), budget.used()), (0, 0));
        }
    }

    #[test]
    fn what_fits_touches_no_disk() {
        let file = Arc::new(ScratchFile::new("no/such/directory"));
        for limit in [0, usize::MAX] {
            let budget = Arc::new(Budget::new(limit));
            let mut sorter = Sorter::new(&file, &budget, |a, b| a.cmp(b));
            for number in (0..20_000u32).rev() {
                sorter.push(&number.to_be_bytes()).unwrap();
            }
            let mut sorted = sorter.finish().unwrap();
            for number in 0..20_000u32 {
                assert_eq!(sorted.next().unwrap(), Some(&number.to_be_bytes()[..]));
            }
            assert!(budget.peak() <= LEAST);
        }
    }

    /// Many runs, several passes, and entries that are longer than the memory.
    #[test]
    fn runs_stay_within_the_memory() {
        let file = Arc::new(ScratchFile::new(std::env::temp_dir()).blocks_of(500));
        for limit in [0, 5000, 50_000, usize::MAX] {
            let budget = Arc::new(Budget::new(limit));
            let sorter = small(&file, &budget, 4000, |a, b| a[..2].cmp(&b[..2]));
            let mut sorter = sorter.at_most(60_000);
            let (mut longest, mut expected) = (0, Vec::new());
            for number in 0..6000u32 {
                let len = match number % 1500 {
                    1400 => 100_000,
                    rest => rest as usize % 40,
                };
                let key = (number * 7919 % 600) as u16;
                let entry = [&key.to_be_bytes()[..], &number.to_be_bytes(), &vec![1; len]].concat();
                longest = longest.max(entry.len());
                sorter.push(&entry).unwrap();
                expected.push(entry);
            }
            assert!(sorter.runs.len() > 4, "{}", sorter.runs.len());
            expected.sort_by(|a, b| a[..6].cmp(&b[..6]));
            let mut sorted = sorter.finish().unwrap();
            for entry in &expected {
                assert_eq!(sorted.next().unwrap(), Some(&entry[..]));
            }
            assert_eq!(sorted.next().unwrap(), None);
            let most = limit.clamp(4000, 60_000) + 3 * longest + 2000;
            assert!(budget.peak() <= most, "{limit}: {}", budget.peak());
        }
    }
}
