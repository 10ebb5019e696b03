//! Rows on their way: in with their keys, sorted, and back in the order in which they came.

use super::key::KeyParts;
use super::order::{GroupOrder, by_key, by_number, key_rank, number_rank, split_number};
use super::reason::GroupReasons;
use super::run::{CaseFamily, KeyRun};
use crate::store::{Budget, Log, LogReader, LogWriter, ScratchFile, Sorted, Sorter, varint};
use std::io;
use std::sync::Arc;

/// The parts of a budget that rows, keys and findings may take. Rows remain in memory
/// during all phases.
const ROWS_PART: usize = 4;
const KEYS_PART: usize = 2;
const FOUND_PART: usize = 4;

/// Rows, and the keys of their identifiers. Beyond a budget of memory they are written to a
/// temporary file.
///
/// ```
/// use std::sync::Arc;
/// use urisieve::canonicalize::{Canonicalizer, resolver::Resolvers};
/// use urisieve::catalog::{GroupKeys, GroupReason, Groups};
/// use urisieve::store::{Budget, ScratchFile};
/// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
/// let mut groups = Groups::new(&file, &Arc::new(Budget::unlimited()));
/// let keys = GroupKeys::new(Canonicalizer::default(), Resolvers::built_in());
/// for uri in ["https://doi.org/10.1000/1", "http://a.example/", "doi:10.1000/1"] {
///     let mut key = Vec::new();
///     keys.write(uri.as_bytes(), uri.as_bytes(), &mut key);
///     groups.push(&key, uri.as_bytes())?;
/// }
/// let mut rows = groups.finish()?;
/// let group = rows.next()?.unwrap().group.unwrap();
/// assert_eq!((group.number, group.size), (1, 2));
/// assert!(group.reasons.iter().eq([GroupReason::Resolver]));
/// assert_eq!(rows.next()?.unwrap().group, None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Groups {
    file: Arc<ScratchFile>,
    budget: Arc<Budget>,
    rows: LogWriter,
    keys: Sorter<GroupOrder>,
    /// The number of rows.
    count: u64,
    entry: Vec<u8>,
}

/// A group of equal identifiers.
///
/// ```
/// use urisieve::catalog::{IdentifierGroup, GroupReasons};
/// let group = IdentifierGroup { number: 1, size: 2, reasons: GroupReasons::NONE };
/// assert_eq!(group.clone(), group);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentifierGroup {
    /// The number of the group, from 1, in the order of the first members.
    pub number: u64,
    /// The number of its members, at least 2.
    pub size: u64,
    /// Why they are equal.
    pub reasons: GroupReasons,
}

/// A row that is returned.
///
/// ```
/// use urisieve::catalog::GroupedRow;
/// let row = GroupedRow { row: b"1", group: None, other_case: None };
/// assert_eq!(row.row, b"1");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroupedRow<'r> {
    /// The row as it was added.
    pub row: &'r [u8],
    /// The group of the row; `None` if no other row has the same key.
    pub group: Option<IdentifierGroup>,
    /// The commonest spelling among the keys that differ from the key of the row only in
    /// case, if that is another key (case-differs).
    pub other_case: Option<&'r [u8]>,
}

impl Groups {
    /// Returns groups without rows, which take their memory from `budget`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::catalog::Groups;
    /// use urisieve::store::{Budget, ScratchFile};
    /// let file = Arc::new(ScratchFile::new("no/such/directory"));
    /// let groups = Groups::new(&file, &Arc::new(Budget::new(1 << 20)));
    /// assert_eq!(groups.finish()?.next()?, None);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn new(file: &Arc<ScratchFile>, budget: &Arc<Budget>) -> Groups {
        let limit = budget.limit();
        let keys = Sorter::new(file, budget, by_key as GroupOrder).ranked(key_rank);
        Groups {
            rows: LogWriter::new(file, budget).holding(limit / ROWS_PART),
            keys: keys.at_most(limit / KEYS_PART),
            file: Arc::clone(file),
            budget: Arc::clone(budget),
            count: 0,
            entry: Vec::new(),
        }
    }

    /// Adds a row, with the key that [`GroupKeys::write`](super::GroupKeys::write)
    /// wrote for its identifier; the key is empty if the row has no identifier.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::catalog::Groups;
    /// use urisieve::store::{Budget, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let mut groups = Groups::new(&file, &Arc::new(Budget::unlimited()));
    /// groups.push(b"", b"a row")?;
    /// assert_eq!(groups.finish()?.next()?.unwrap().row, b"a row");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of the temporary file.
    pub fn push(&mut self, key: &[u8], row: &[u8]) -> io::Result<()> {
        if !key.is_empty() {
            self.entry.clear();
            self.entry.extend_from_slice(&self.count.to_be_bytes());
            self.entry.extend_from_slice(key);
            self.keys.push(&self.entry)?;
        }
        self.rows.push(row)?;
        self.count += 1;
        Ok(())
    }

    /// Returns the rows in the order in which they were added, each with its group.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::catalog::Groups;
    /// use urisieve::store::{Budget, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let groups = Groups::new(&file, &Arc::new(Budget::unlimited()));
    /// assert_eq!(groups.finish()?.next()?, None);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of the temporary file.
    pub fn finish(self) -> io::Result<GroupedRows> {
        let rows = self.rows.finish()?;
        let pass = GroupPass {
            file: self.file,
            budget: self.budget,
        };
        let members = pass.members(self.keys)?;
        let found = pass.found(members)?;
        Ok(GroupedRows {
            rows: rows.read(),
            number: 0,
            found: FoundReader::new(found)?,
            other_case: Vec::new(),
        })
    }
}

/// The rows in the order of their keys, without those whose keys differ from all others in more
/// than case.
struct Members {
    /// For each row, its relation to the row before it, and its number.
    rows: Log,
    /// For each key the number of its first row, the number of its rows, and reasons.
    runs: Log,
    /// For keys that differ only in case: the commonest of them and its spelling.
    families: Log,
}

/// The relation of a row to the one before it: the same key, another case, or another
/// key.
const SAME: u64 = 0;
const OTHER_CASE: u64 = 1;
const OTHER: u64 = 2;
const WAYS: u64 = 3;

/// The state of the passes over all keys.
struct GroupPass {
    file: Arc<ScratchFile>,
    budget: Arc<Budget>,
}

impl GroupPass {
    fn log(&self) -> LogWriter {
        LogWriter::new(&self.file, &self.budget).holding(self.budget.limit() / FOUND_PART)
    }

    fn sorter(&self) -> Sorter<GroupOrder> {
        let sorter = Sorter::new(&self.file, &self.budget, by_number as GroupOrder);
        let sorter = sorter.ranked(number_rank);
        sorter.at_most(self.budget.limit() / FOUND_PART)
    }

    /// Passes over the keys in their order.
    fn members(&self, keys: Sorter<GroupOrder>) -> io::Result<Members> {
        // A key with a hash of its own differs from all others.
        let mut keys = keys.finish_repeated()?;
        let (mut rows, mut runs, mut families) = (self.log(), self.log(), self.log());
        let mut entry = Vec::new();
        let mut push_row = |number: u64, way: u64| {
            entry.clear();
            varint::put(number * WAYS + way, &mut entry);
            rows.push(&entry)
        };
        let mut entry = Vec::new();
        let mut end_run = |run: &mut KeyRun, family: &mut CaseFamily| {
            entry.clear();
            for number in [run.first, run.size, run.reasons().bits()] {
                varint::put(number, &mut entry);
            }
            family.push(run);
            runs.push(&entry)
        };
        let mut entry = Vec::new();
        let mut end_family = |family: &CaseFamily| {
            entry.clear();
            if let Some((commonest, written)) = family.commonest() {
                varint::put(commonest, &mut entry);
                entry.extend_from_slice(written);
            }
            families.push(&entry)
        };
        let (mut family, mut run) = (CaseFamily::default(), KeyRun::default());
        // The first row of a family, until another one follows.
        let mut alone = None;
        while let Some(next) = keys.next()? {
            let (number, key) = split_number(next);
            let parts = KeyParts::of(key);
            let is_same = run.has(&parts);
            if run.size == 0 || !is_same && !family.has(&parts) {
                if alone.replace(number).is_none() && run.size > 0 {
                    end_run(&mut run, &mut family)?;
                    end_family(&family)?;
                }
                family.begin(&parts);
                run.begin(number, &parts);
                continue;
            }
            if let Some(first) = alone.take() {
                push_row(first, OTHER)?;
            }
            if is_same {
                run.push(&parts);
                push_row(number, SAME)?;
            } else {
                end_run(&mut run, &mut family)?;
                run.begin(number, &parts);
                push_row(number, OTHER_CASE)?;
            }
        }
        if alone.is_none() && run.size > 0 {
            end_run(&mut run, &mut family)?;
            end_family(&family)?;
        }
        Ok(Members {
            rows: rows.finish()?,
            runs: runs.finish()?,
            families: families.finish()?,
        })
    }

    /// Returns the findings on rows, in the order of the rows.
    fn found(&self, members: Members) -> io::Result<Sorted<GroupOrder>> {
        let mut found = self.sorter();
        let mut grouped = self.grouped(members, &mut found)?.finish()?;
        let (mut group, mut first) = (0, None);
        let mut entry = Vec::new();
        while let Some(member) = grouped.next()? {
            let (of, member) = split_number(member);
            if first.replace(of) != Some(of) {
                group += 1;
            }
            let (number, size_and_reasons) = split_number(member);
            entry.clear();
            entry.extend_from_slice(&number.to_be_bytes());
            entry.push(FOUND_GROUP);
            varint::put(group, &mut entry);
            entry.extend_from_slice(size_and_reasons);
            found.push(&entry)?;
        }
        found.finish()
    }

    /// Returns the members of groups, to be sorted by the first rows of these, and adds to
    /// `found` the rows that another case is commoner for.
    fn grouped(
        &self,
        members: Members,
        found: &mut Sorter<GroupOrder>,
    ) -> io::Result<Sorter<GroupOrder>> {
        let mut grouped = self.sorter();
        let mut rows = members.rows.read();
        let (mut runs, mut families) = (members.runs.read(), members.families.read());
        let mut run = FinishedRun::default();
        let mut commonest = None;
        let (mut written, mut at) = (Vec::new(), 0);
        let mut entry = Vec::new();
        while let Some(mut row) = rows.next()? {
            let row = varint::take(&mut row);
            let (number, way) = (row / WAYS, row % WAYS);
            if way != SAME {
                run = FinishedRun::read(&mut runs)?;
                at += 1;
            }
            if way == OTHER {
                at = 0;
                let mut family = next(&mut families)?;
                commonest = (!family.is_empty()).then(|| varint::take(&mut family));
                written.clear();
                written.extend_from_slice(family);
            }
            if commonest.is_some_and(|commonest| commonest != at) {
                entry.clear();
                entry.extend_from_slice(&number.to_be_bytes());
                entry.push(FOUND_CASE);
                entry.extend_from_slice(&written);
                found.push(&entry)?;
            }
            if run.size > 1 {
                entry.clear();
                entry.extend_from_slice(&run.first.to_be_bytes());
                entry.extend_from_slice(&number.to_be_bytes());
                varint::put(run.size, &mut entry);
                varint::put(run.reasons.bits(), &mut entry);
                grouped.push(&entry)?;
            }
        }
        Ok(grouped)
    }
}

/// A group whose members have all passed by.
#[derive(Debug, Default)]
struct FinishedRun {
    first: u64,
    size: u64,
    reasons: GroupReasons,
}

impl FinishedRun {
    fn read(runs: &mut LogReader) -> io::Result<FinishedRun> {
        let mut run = next(runs)?;
        Ok(FinishedRun {
            first: varint::take(&mut run),
            size: varint::take(&mut run),
            reasons: GroupReasons::from_bits(varint::take(&mut run)),
        })
    }
}

/// Returns the next entry of a log that has one.
fn next(log: &mut LogReader) -> io::Result<&[u8]> {
    log.next()?
        .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

/// The result for a row: its group, or a commoner case.
const FOUND_GROUP: u8 = 0;
const FOUND_CASE: u8 = 1;

/// Reads the findings on rows, one entry ahead.
struct FoundReader {
    sorted: Sorted<GroupOrder>,
    /// Empty after the last one.
    ahead: Vec<u8>,
}

impl std::fmt::Debug for FoundReader {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        self.sorted.fmt(f)
    }
}

impl FoundReader {
    fn new(sorted: Sorted<GroupOrder>) -> io::Result<FoundReader> {
        let mut reader = FoundReader {
            sorted,
            ahead: Vec::new(),
        };
        reader.advance()?;
        Ok(reader)
    }

    fn advance(&mut self) -> io::Result<()> {
        self.ahead.clear();
        if let Some(entry) = self.sorted.next()? {
            self.ahead.extend_from_slice(entry);
        }
        Ok(())
    }

    /// Returns the finding on the row with this number, from the unread ones.
    fn of(&self, number: u64) -> Option<(u8, &[u8])> {
        let (of, rest) = split_number(&self.ahead);
        let (&kind, found) = rest.split_first()?;
        (of == number).then_some((kind, found))
    }
}

/// Rows in the order in which they were added, from [`Groups::finish`].
///
/// ```
/// use std::sync::Arc;
/// use urisieve::catalog::Groups;
/// use urisieve::store::{Budget, ScratchFile};
/// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
/// let mut groups = Groups::new(&file, &Arc::new(Budget::unlimited()));
/// groups.push(b"", b"1")?;
/// let mut rows = groups.finish()?;
/// assert_eq!(rows.next()?.unwrap().group, None);
/// assert_eq!(rows.next()?, None);
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct GroupedRows {
    rows: LogReader,
    /// The number of the next row.
    number: u64,
    found: FoundReader,
    other_case: Vec<u8>,
}

impl GroupedRows {
    /// Returns the next row, or `None` after the last one.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::catalog::Groups;
    /// use urisieve::store::{Budget, ScratchFile};
    /// let file = Arc::new(ScratchFile::new(std::env::temp_dir()));
    /// let mut groups = Groups::new(&file, &Arc::new(Budget::unlimited()));
    /// groups.push(b"", b"1")?;
    /// assert_eq!(groups.finish()?.next()?.unwrap().row, b"1");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of the temporary file.
    #[expect(clippy::should_implement_trait, reason = "a row borrows the reader")]
    pub fn next(&mut self) -> io::Result<Option<GroupedRow<'_>>> {
        let Some(row) = self.rows.next()? else {
            return Ok(None);
        };
        let (mut group, mut differs) = (None, false);
        while let Some((kind, mut found)) = self.found.of(self.number) {
            if kind == FOUND_CASE {
                differs = true;
                self.other_case.clear();
                self.other_case.extend_from_slice(found);
            } else {
                group = Some(IdentifierGroup {
                    number: varint::take(&mut found),
                    size: varint::take(&mut found),
                    reasons: GroupReasons::from_bits(varint::take(&mut found)),
                });
            }
            self.found.advance()?;
        }
        self.number += 1;
        Ok(Some(GroupedRow {
            row,
            group,
            other_case: differs.then_some(&self.other_case[..]),
        }))
    }
}
