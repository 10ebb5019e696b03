//! The commits of a store: their numbers, times, keys and notes, as a run lists them.

use super::key_block::BadBlock;
use crate::store::varint;
use std::collections::BTreeMap;

/// A commit.
///
/// ```
/// use urisieve::store::seen::SeenCommit;
/// let commit = SeenCommit { time: 1_700_000_000, keys: 7, note: "night".into() };
/// assert!(commit.keys > 0);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SeenCommit {
    /// The time, in seconds from 1970 on, without leap seconds.
    pub time: u64,
    /// The number of its keys that the store still has.
    pub keys: u64,
    /// What the caller noted; no line break.
    pub note: String,
}

/// Commits by their numbers.
pub(super) type CommitTable = BTreeMap<u64, SeenCommit>;

/// Adds the commits of `more`: the keys of the same commit add up.
pub(super) fn unite(table: &mut CommitTable, more: CommitTable) {
    for (number, commit) in more {
        match table.get_mut(&number) {
            Some(known) => known.keys += commit.keys,
            None => drop(table.insert(number, commit)),
        }
    }
}

/// Appends the commits.
pub(super) fn write(table: &CommitTable, out: &mut Vec<u8>) {
    varint::put(table.len() as u64, out);
    let (mut last, mut time) = (0, 0);
    for (&number, commit) in table {
        varint::put(number - last, out);
        varint::put(varint::step(time, commit.time), out);
        varint::put(commit.keys, out);
        varint::put(commit.note.len() as u64, out);
        out.extend_from_slice(commit.note.as_bytes());
        (last, time) = (number, commit.time);
    }
}

/// Reads the commits.
pub(super) fn read(mut bytes: &[u8]) -> Result<CommitTable, BadBlock> {
    let count = varint::take(&mut bytes);
    let mut table = CommitTable::new();
    let (mut number, mut time) = (0_u64, 0);
    for _ in 0..count {
        if bytes.is_empty() {
            return Err(BadBlock);
        }
        number = number
            .checked_add(varint::take(&mut bytes))
            .ok_or(BadBlock)?;
        time = varint::after(time, varint::take(&mut bytes));
        let keys = varint::take(&mut bytes);
        let len = varint::take(&mut bytes);
        if len > bytes.len() as u64 {
            return Err(BadBlock);
        }
        let (note, rest) = bytes.split_at(len as usize);
        bytes = rest;
        let note = String::from_utf8(note.to_vec()).map_err(|_| BadBlock)?;
        table.insert(number, SeenCommit { time, keys, note });
    }
    match bytes.is_empty() && table.len() as u64 == count {
        true => Ok(table),
        false => Err(BadBlock),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commits_come_back() {
        let commit = |time, keys, note: &str| SeenCommit {
            time,
            keys,
            note: note.to_owned(),
        };
        let table = CommitTable::from([
            (1, commit(1_700_000_000, 5, "")),
            (2, commit(1_700_000_000, 1, "night \u{FC}")),
            (900, commit(1_800_000_000, u64::MAX, "x")),
        ]);
        for table in [table.clone(), CommitTable::new()] {
            let mut bytes = Vec::new();
            write(&table, &mut bytes);
            assert_eq!(read(&bytes), Ok(table.clone()));
            let cut = (0..bytes.len()).map(|len| read(&bytes[..len]));
            assert!(table.is_empty() || cut.into_iter().all(|read| read != Ok(table.clone())));
        }
        let mut more = table.clone();
        unite(
            &mut more,
            CommitTable::from([(1, commit(0, 2, "")), (3, commit(1, 1, ""))]),
        );
        assert_eq!((more[&1].keys, more[&3].keys, more.len()), (7, 1, 4));
    }
}
