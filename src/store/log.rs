//! Sequences of entries that are written once and read once. The content of entries is
//! left to `partitions` and `sorter`.

use super::budget::{Budget, Charge};
use super::scratch::{ScratchFile, StoredBlock};
use super::varint;
use std::collections::VecDeque;
use std::io;
use std::sync::Arc;

/// The smallest buffer of a writer. The buffer grows to the length of a block.
const BUFFER_FIRST: usize = 512;

/// A block that is full.
#[derive(Debug)]
enum FullBlock {
    InMemory(Vec<u8>),
    InFile(StoredBlock),
}

/// Blocks of a file, in order, which follow the blocks in memory. Dropping this frees
/// them.
#[derive(Debug)]
struct StoredBlocks {
    file: Arc<ScratchFile>,
    list: VecDeque<FullBlock>,
    /// The number of bytes of all blocks before they were compressed.
    raw_bytes: u64,
    /// The memory of the blocks that are not in the file.
    held: usize,
}

impl StoredBlocks {
    fn push(&mut self, raw: &[u8]) -> io::Result<()> {
        let block = self.file.write_block(raw)?;
        self.list.push_back(FullBlock::InFile(block));
        self.raw_bytes += raw.len() as u64;
        Ok(())
    }

    fn hold(&mut self, raw: Vec<u8>) {
        self.raw_bytes += raw.len() as u64;
        self.held += raw.capacity();
        self.list.push_back(FullBlock::InMemory(raw));
    }

    /// Reads the next block into `raw` and frees it. Returns false after the last one.
    fn pop(&mut self, raw: &mut Vec<u8>) -> io::Result<bool> {
        if let Some(FullBlock::InFile(block)) = self.list.front() {
            self.file.read_block(block, raw)?;
        }
        match self.list.pop_front() {
            Some(FullBlock::InFile(block)) => self.file.free_block(block),
            Some(FullBlock::InMemory(block)) => {
                self.held -= block.capacity();
                *raw = block;
            }
            None => return Ok(false),
        }
        self.raw_bytes -= raw.len() as u64;
        Ok(true)
    }

    fn memory(&self) -> usize {
        self.list.capacity() * size_of::<FullBlock>() + self.held
    }
}

impl Drop for StoredBlocks {
    fn drop(&mut self) {
        for block in self.list.drain(..) {
            if let FullBlock::InFile(block) = block {
                self.file.free_block(block);
            }
        }
    }
}

/// Writes a [`Log`]. Entries are buffered, and each full buffer is compressed and written.
/// The memory is taken from a budget even if it is not left there.
///
/// ```
/// use std::sync::Arc;
/// use urisieve::store::{Budget, LogWriter, ScratchFile};
/// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
/// let mut writer = LogWriter::new(&file, &Arc::new(Budget::unlimited()));
/// writer.push(b"urn:a:b")?;
/// writer.push_parts(&[b"urn:", b"a:c"])?;
/// let mut reader = writer.finish()?.read();
/// assert_eq!(reader.next()?, Some(&b"urn:a:b"[..]));
/// assert_eq!(reader.next()?, Some(&b"urn:a:c"[..]));
/// assert_eq!(reader.next()?, None);
/// // The buffer was never full.
/// assert_eq!(file.bytes_written(), 0);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct LogWriter {
    stored: StoredBlocks,
    raw: Vec<u8>,
    charge: Charge,
    /// The memory that was taken before it is needed.
    reserved: usize,
    /// The memory that full blocks may take before the first one is written.
    most_held: usize,
}

impl LogWriter {
    /// Returns a writer that has no memory yet.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, LogWriter, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let writer = LogWriter::new(&file, &Arc::new(Budget::new(0)));
    /// assert_eq!(writer.memory(), 0);
    /// ```
    pub fn new(file: &Arc<ScratchFile>, budget: &Arc<Budget>) -> LogWriter {
        LogWriter::with_charge(file, Charge::new(budget))
    }

    /// Returns a writer whose memory is taken from `charge` first.
    pub(super) fn with_charge(file: &Arc<ScratchFile>, charge: Charge) -> LogWriter {
        LogWriter {
            stored: StoredBlocks {
                file: Arc::clone(file),
                list: VecDeque::new(),
                raw_bytes: 0,
                held: 0,
            },
            raw: Vec::new(),
            reserved: charge.bytes(),
            charge,
            most_held: 0,
        }
    }

    /// Sets the number of bytes that are held in memory before the first is written, if
    /// the budget has them; default none but the buffer.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, LogWriter, ScratchFile};
    /// let file = Arc::new(ScratchFile::new("no/such/directory"));
    /// let mut writer = LogWriter::new(&file, &Arc::new(Budget::unlimited())).holding(1 << 20);
    /// for number in 0..100_000u32 {
    ///     writer.push(&number.to_le_bytes())?;
    /// }
    /// assert_eq!(writer.finish()?.read().next()?, Some(&[0; 4][..]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn holding(mut self, bytes: usize) -> LogWriter {
        self.most_held = bytes;
        self
    }

    /// Adds an entry.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, LogWriter, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let mut writer = LogWriter::new(&file, &Arc::new(Budget::new(0)));
    /// writer.push(b"")?;
    /// assert_eq!(writer.finish()?.read().next()?, Some(&b""[..]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn push(&mut self, entry: &[u8]) -> io::Result<()> {
        self.push_parts(&[entry])
    }

    /// Adds an entry that consists of several parts. After an error the entry is not added.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, LogWriter, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let mut writer = LogWriter::new(&file, &Arc::new(Budget::new(0)));
    /// writer.push_parts(&[b"a", b"", b"b"])?;
    /// assert_eq!(writer.finish()?.read().next()?, Some(&b"ab"[..]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn push_parts(&mut self, parts: &[&[u8]]) -> io::Result<()> {
        let len: usize = parts.iter().map(|part| part.len()).sum();
        let need = varint::len(len as u64) + len;
        if !self.raw.is_empty() && self.raw.len() + need > self.stored.file.block_len() {
            self.flush()?;
        }
        if self.raw.capacity() - self.raw.len() < need {
            self.grow(need);
        }
        varint::put(len as u64, &mut self.raw);
        for part in parts {
            self.raw.extend_from_slice(part);
        }
        Ok(())
    }

    /// Gives the buffer room for `need` bytes more.
    fn grow(&mut self, need: usize) {
        let needed = self.raw.len() + need;
        let block = self.stored.file.block_len();
        // After a block that is held another one fills.
        let room = match self.stored.held > 0 {
            true => block,
            false => (2 * self.raw.capacity()).max(BUFFER_FIRST).min(block),
        };
        self.raw.reserve_exact(room.max(needed) - self.raw.len());
        self.charge_memory();
    }

    fn charge_memory(&mut self) {
        self.charge.set(self.memory().max(self.reserved));
    }

    /// Holds the buffer, or writes it to the file.
    fn flush(&mut self) -> io::Result<()> {
        let held = self.stored.held + self.raw.capacity();
        if held <= self.most_held && self.charge.try_grow(self.raw.capacity()) {
            self.stored.hold(std::mem::take(&mut self.raw));
            self.charge_memory();
            return Ok(());
        }
        self.most_held = 0;
        self.stored.push(&self.raw)?;
        self.raw.clear();
        if self.raw.capacity() > self.stored.file.block_len() {
            self.raw = Vec::new();
        }
        self.charge_memory();
        Ok(())
    }

    /// Returns the log. A log that was never written to the file stays in memory.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, LogWriter, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let budget = Arc::new(Budget::unlimited());
    /// assert!(LogWriter::new(&file, &budget).finish()?.is_empty());
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn finish(mut self) -> io::Result<Log> {
        if !self.raw.is_empty() && !self.stored.list.is_empty() {
            self.flush()?;
        }
        if self.raw.is_empty() {
            self.raw = Vec::new();
        }
        self.stored.list.shrink_to_fit();
        self.charge.set(self.memory());
        let LogWriter {
            stored,
            raw,
            charge,
            ..
        } = self;
        Ok(Log {
            stored,
            raw,
            charge,
        })
    }

    /// Returns the log: all entries are in the file, except the
    /// [held](LogWriter::holding) ones.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, LogWriter, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let mut writer = LogWriter::new(&file, &Arc::new(Budget::unlimited()));
    /// writer.push(b"urn:a:b")?;
    /// let log = writer.finish_in_file()?;
    /// assert_eq!(file.bytes_written(), 8);
    /// assert_eq!(log.read().next()?, Some(&b"urn:a:b"[..]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn finish_in_file(mut self) -> io::Result<Log> {
        if !self.raw.is_empty() {
            self.flush()?;
        }
        self.finish()
    }

    /// Returns the number of bytes of memory that are held.
    pub fn memory(&self) -> usize {
        self.raw.capacity() + self.stored.memory()
    }
}

/// A sequence of entries, in a file or, if it is short, in memory. Dropping it frees its
/// place in the file.
///
/// ```
/// use std::sync::Arc;
/// use urisieve::store::{Budget, LogWriter, ScratchFile};
/// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
/// let mut writer = LogWriter::new(&file, &Arc::new(Budget::unlimited()));
/// writer.push(b"urn:a:b")?;
/// let log = writer.finish_in_file()?;
/// assert!(file.live() > 0);
/// drop(log);
/// assert_eq!(file.live(), 0);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Log {
    stored: StoredBlocks,
    /// The entries of a log that is not in the file.
    raw: Vec<u8>,
    charge: Charge,
}

impl Log {
    /// Returns a reader of all entries, in the order in which they were added.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, LogWriter, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let writer = LogWriter::new(&file, &Arc::new(Budget::unlimited()));
    /// assert_eq!(writer.finish()?.read().next()?, None);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn read(self) -> LogReader {
        LogReader {
            stored: self.stored,
            in_memory: !self.raw.is_empty(),
            raw: self.raw,
            entry: 0..0,
            charge: self.charge,
        }
    }

    /// Returns whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.raw.is_empty() && self.stored.list.is_empty()
    }

    /// Returns the number of bytes of all entries with their lengths.
    pub fn raw_bytes(&self) -> u64 {
        self.stored.raw_bytes + self.raw.len() as u64
    }

    /// Returns the number of bytes of memory that are held.
    pub fn memory(&self) -> usize {
        self.raw.capacity() + self.stored.memory()
    }
}

/// Reads a [`Log`]. The space of the log in the file is freed while it is read.
///
/// ```
/// use std::sync::Arc;
/// use urisieve::store::{Budget, LogWriter, ScratchFile};
/// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
/// let mut writer = LogWriter::new(&file, &Arc::new(Budget::unlimited()));
/// for number in 0..10_000u32 {
///     writer.push(&number.to_le_bytes())?;
/// }
/// let (mut reader, mut count) = (writer.finish()?.read(), 0);
/// while let Some(entry) = reader.next()? {
///     assert_eq!(entry, u32::to_le_bytes(count));
///     count += 1;
/// }
/// assert_eq!((count, file.live()), (10_000, 0));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct LogReader {
    stored: StoredBlocks,
    /// The current block.
    raw: Vec<u8>,
    /// Whether the current block was not in the file and has not been read yet.
    in_memory: bool,
    /// The range of the current entry in the block.
    entry: std::ops::Range<usize>,
    charge: Charge,
}

impl LogReader {
    /// Returns the next entry, or `None` after the last one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::store::{Budget, LogWriter, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let mut writer = LogWriter::new(&file, &Arc::new(Budget::unlimited()));
    /// writer.push(b"urn:a:b")?;
    /// assert_eq!(writer.finish()?.read().next()?, Some(&b"urn:a:b"[..]));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[expect(clippy::should_implement_trait, reason = "an entry borrows the reader")]
    pub fn next(&mut self) -> io::Result<Option<&[u8]>> {
        Ok(match self.advance()? {
            true => Some(self.current()),
            false => None,
        })
    }

    /// Returns the next block, whose entries [`split_entry`] returns.
    pub(super) fn next_block(&mut self) -> io::Result<Option<&[u8]>> {
        Ok(match self.load()? {
            true => Some(&self.raw),
            false => None,
        })
    }

    /// Makes the next block the current one. Returns false after the last one.
    fn load(&mut self) -> io::Result<bool> {
        let has_block = match std::mem::take(&mut self.in_memory) {
            true => true,
            false => {
                if self.raw.capacity() > 2 * self.stored.file.block_len() {
                    self.raw = Vec::new();
                }
                self.raw.clear();
                self.stored.pop(&mut self.raw)?
            }
        };
        self.entry = 0..0;
        if !has_block {
            self.raw = Vec::new();
        }
        self.charge.set(self.memory());
        Ok(has_block)
    }

    /// Returns the number of bytes of the blocks after the current one.
    pub(super) fn raw_bytes_left(&self) -> u64 {
        self.stored.raw_bytes
    }

    /// Returns the number of bytes of memory that are held.
    pub fn memory(&self) -> usize {
        self.raw.capacity() + self.stored.memory()
    }
}

/// Reads entries in order.
pub trait EntryReader {
    /// Goes to the next entry. Returns false after the last one.
    fn advance(&mut self) -> io::Result<bool>;

    /// Returns the entry to which [`advance`](EntryReader::advance) went.
    fn current(&self) -> &[u8];
}

impl EntryReader for LogReader {
    fn advance(&mut self) -> io::Result<bool> {
        while self.entry.end == self.raw.len() || self.in_memory {
            if !self.load()? {
                return Ok(false);
            }
        }
        let mut rest = &self.raw[self.entry.end..];
        let len = split_entry(&mut rest).map_or(0, <[u8]>::len);
        let end = self.raw.len() - rest.len();
        self.entry = end - len..end;
        Ok(true)
    }

    fn current(&self) -> &[u8] {
        &self.raw[self.entry.clone()]
    }
}

/// Splits the first entry off a block; `None` at its end.
pub(super) fn split_entry<'b>(block: &mut &'b [u8]) -> Option<&'b [u8]> {
    if block.is_empty() {
        return None;
    }
    let len = varint::take(block) as usize;
    let (entry, rest) = block.split_at(len.min(block.len()));
    *block = rest;
    Some(entry)
}

#[cfg(all(test, feature = "store"))]
mod tests {
    use super::*;
    use crate::store::tests::faulty::{Faulty, Mishap};
    use proptest::prelude::*;

    fn check(entries: &[Vec<u8>], block: usize, in_file: bool, mishap: Mishap) {
        for held in [(0, 0), (1000, 400), (400, usize::MAX)] {
            check_holding(held, entries, block, in_file, mishap);
        }
    }

    fn check_holding(
        (most_held, limit): (usize, usize),
        entries: &[Vec<u8>],
        block: usize,
        in_file: bool,
        mishap: Mishap,
    ) {
        let medium = Faulty::new(mishap);
        let file = Arc::new(ScratchFile::on(medium, "/scratch").blocks_of(block));
        let budget = Arc::new(Budget::new(limit));
        let mut writer = LogWriter::new(&file, &budget).holding(most_held);
        for entry in entries {
            let (head, tail) = entry.split_at(entry.len() / 3);
            writer.push_parts(&[head, tail]).unwrap();
            assert_eq!(budget.used(), writer.memory());
            assert!(writer.stored.held <= most_held.min(limit));
        }
        let log = match in_file {
            true => writer.finish_in_file(),
            false => writer.finish(),
        };
        let log = log.unwrap();
        assert_eq!(budget.used(), log.memory());
        assert_eq!(log.is_empty(), entries.is_empty());
        let need = |entry: &Vec<u8>| (varint::len(entry.len() as u64) + entry.len()) as u64;
        assert_eq!(log.raw_bytes(), entries.iter().map(need).sum::<u64>());
        if in_file && most_held == 0 {
            assert_eq!(file.bytes_packed(), log.raw_bytes());
        }
        let mut reader = log.read();
        for entry in entries {
            assert_eq!(reader.next().unwrap(), Some(&entry[..]));
            assert_eq!(budget.used(), reader.memory());
        }
        for _ in 0..2 {
            assert_eq!(reader.next().unwrap(), None);
        }
        assert_eq!(file.live(), 0);
        drop(reader);
        assert_eq!(budget.used(), 0);
    }

    proptest! {
        #[test]
        fn entries_are_read_as_they_were_written(
            entries in proptest::collection::vec(proptest::collection::vec(0u8..3, 0..80), 0..90),
            block in 1usize..300,
            in_file: bool,
        ) {
            for mishap in [Mishap::None, Mishap::Short, Mishap::Interrupted] {
                check(&entries, block, in_file, mishap);
            }
        }
    }

    #[test]
    fn long_entries_and_many_entries() {
        let noise = |len: usize| {
            (0..len as u64).map(|n| (n.wrapping_mul(n ^ 0x9E37_79B9_7F4A_7C15) >> 29) as u8)
        };
        let long = noise(1 << 20).collect::<Vec<_>>();
        let lengths = [0, 1 << 20, 0, 127, 128, 40_000, 1 << 20, 3];
        let entries: Vec<_> = lengths.iter().map(|&len| long[..len].to_vec()).collect();
        check(&entries, 32 << 10, false, Mishap::None);
        check(&entries, 100, true, Mishap::Short);
        let entries: Vec<_> = (0..30_000u32).map(|n| n.to_le_bytes().to_vec()).collect();
        check(&entries, 32 << 10, false, Mishap::None);
    }

    #[test]
    fn a_short_log_touches_no_disk() {
        let file = Arc::new(ScratchFile::new("no/such/directory"));
        let mut writer = LogWriter::new(&file, &Arc::new(Budget::new(0)));
        for _ in 0..1000 {
            writer.push(&[b'x'; 30]).unwrap();
        }
        assert!(writer.memory() <= file.block_len());
        let mut reader = writer.finish().unwrap().read();
        for _ in 0..1000 {
            assert_eq!(reader.next().unwrap(), Some(&[b'x'; 30][..]));
        }
        assert_eq!(reader.next().unwrap(), None);
    }

    /// Blocks are held up to the limit, and further blocks are written.
    #[test]
    fn full_blocks_are_held_as_far_as_they_may() {
        for (most_held, limit, written) in [
            (10_000, 20_000, false),
            (500, 20_000, true),
            (10_000, 500, true),
        ] {
            let file = Arc::new(ScratchFile::new(std::env::temp_dir()).blocks_of(100));
            let budget = Arc::new(Budget::new(limit));
            let mut writer = LogWriter::new(&file, &budget).holding(most_held);
            (0..100).for_each(|_| writer.push(&[7; 30]).unwrap());
            assert_eq!(file.live() > 0, written);
            assert!(writer.stored.held > 0);
            assert_eq!(writer.finish().unwrap().raw_bytes(), 3100);
        }
    }

    /// Space of a log that is dropped before it is read to its end is free.
    #[test]
    fn dropping_frees() {
        let budget = Arc::new(Budget::new(0));
        let file = Arc::new(ScratchFile::new(std::env::temp_dir()).blocks_of(100));
        for stage in 0..3 {
            let mut writer = LogWriter::new(&file, &budget);
            (0..100).for_each(|_| writer.push(&[7; 30]).unwrap());
            assert!(file.live() > 0);
            if stage == 0 {
                drop(writer);
            } else {
                let log = writer.finish().unwrap();
                if stage == 2 {
                    assert!(log.read().next().unwrap().is_some());
                }
            }
            assert_eq!((file.live(), budget.used()), (0, 0));
        }
    }
}
