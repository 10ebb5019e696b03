//! Counts by name in bounded memory. Counts are exact while there are few enough names; when
//! there are more, the rarest names are forgotten, and the count of a name that appears
//! after that may be too low by a known number.
//!
//! The idea is that of Misra and Gries: if half of the names are forgotten, none of which had
//! more than `m` rows, a name that appears later had at most `m` rows before.

use ahash::AHashMap;
use std::cmp::Reverse;

/// Names that are remembered at most.
const NAMES_MAX: usize = 1 << 17;
/// Examples that are kept of a name.
const EXAMPLES_MAX: usize = 3;

/// The counts of names.
#[derive(Debug, Default)]
pub(super) struct NameCounts {
    names: AHashMap<Box<[u8]>, NameCount>,
    /// The most rows that a name which is not in `names` can have had.
    forgotten: u64,
}

/// The counts of one name.
#[derive(Debug, Default)]
pub(super) struct NameCount {
    /// Rows that have the name.
    pub rows: u64,
    /// Occurrences in these rows.
    pub occurrences: u64,
    /// The most rows by which `rows` is too low.
    pub missed: u64,
    /// The first of its values, where these are kept.
    pub examples: Vec<Box<[u8]>>,
}

impl NameCounts {
    /// Adds a row with this name.
    pub(super) fn add(&mut self, name: &[u8], occurrences: u64) -> &mut NameCount {
        if !self.names.contains_key(name) {
            if self.names.len() >= NAMES_MAX {
                self.forget();
            }
            let new = NameCount {
                missed: self.forgotten,
                ..NameCount::default()
            };
            self.names.insert(name.into(), new);
        }
        let tallied = self.names.get_mut(name).expect("the name was added");
        tallied.rows += 1;
        tallied.occurrences += occurrences;
        tallied
    }

    /// Forgets the rarest half of the names.
    fn forget(&mut self) {
        let mut rows: Vec<u64> = self.names.values().map(|name| name.rows).collect();
        let middle = rows.len() / 2;
        let (_, &mut most, _) = rows.select_nth_unstable(middle);
        self.names.retain(|_, name| name.rows > most);
        self.forgotten += most;
    }

    /// The number of names that are remembered.
    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether no name was forgotten.
    pub(super) fn is_exact(&self) -> bool {
        self.forgotten == 0
    }

    /// Returns the `most` frequent names, by occurrences, then rows, then bytes.
    pub(super) fn top(&self, most: usize) -> Vec<(&[u8], &NameCount)> {
        let mut names: Vec<(&[u8], &NameCount)> = self
            .names
            .iter()
            .map(|(name, counts)| (&**name, counts))
            .collect();
        names.sort_unstable_by_key(|(name, counts)| {
            (Reverse(counts.occurrences), Reverse(counts.rows), *name)
        });
        names.truncate(most);
        names
    }
}

impl NameCount {
    /// Keeps an example, if there are not enough.
    pub(super) fn example(&mut self, text: &[u8]) {
        let is_new = self.examples.iter().all(|known| **known != *text);
        if is_new && self.examples.len() < EXAMPLES_MAX {
            self.examples.push(text.into());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frequent_names_come_first_and_ties_go_by_bytes() {
        let mut tally = NameCounts::default();
        for (name, occurrences) in [("b", 1), ("a", 1), ("c", 5), ("a", 0)] {
            tally.add(name.as_bytes(), occurrences);
        }
        let names: Vec<_> = tally.top(3).iter().map(|(name, _)| *name).collect();
        assert_eq!(names, [b"c", b"a", b"b"]);
        assert!(tally.is_exact() && tally.len() == 3);
    }

    #[test]
    fn what_was_forgotten_bounds_the_error() {
        let mut tally = NameCounts::default();
        for _ in 0..5 {
            tally.add(b"often", 1);
        }
        for number in 0..2 * NAMES_MAX as u64 {
            tally.add(&number.to_be_bytes(), 1);
        }
        assert!(!tally.is_exact() && tally.len() <= NAMES_MAX);
        let again = tally.add(&0_u64.to_be_bytes(), 1);
        assert!(again.rows <= 2 && 2 <= again.rows + again.missed);
        let (name, often) = tally.top(1)[0];
        assert_eq!((name, often.rows, often.missed), (&b"often"[..], 5, 0));
    }
}
