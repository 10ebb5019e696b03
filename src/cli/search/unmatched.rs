//! The entries of lists that matched nothing, which `--match-all` prints with a count of 0.

use std::collections::BTreeSet;
use urisieve::Matcher;

/// The entries that matched nothing so far, in byte order; none where they are not printed.
#[derive(Debug, Default)]
pub(super) struct UnmatchedEntries(BTreeSet<Vec<u8>>);

impl UnmatchedEntries {
    /// Returns all entries, if they are `printed`.
    pub(super) fn of(matcher: Option<&Matcher>, printed: bool) -> UnmatchedEntries {
        let entries = matcher.filter(|_| printed).into_iter();
        let entries = entries.flat_map(|matcher| matcher.entries());
        UnmatchedEntries(entries.map(|entry| entry.entry.to_vec()).collect())
    }

    /// Whether there are none.
    pub(super) fn are_none(&self) -> bool {
        self.0.is_empty()
    }

    /// Removes an entry that matched something.
    pub(super) fn remove(&mut self, entry: &[u8]) {
        if !self.0.is_empty() {
            self.0.remove(entry);
        }
    }

    /// Returns the entries that are left, and forgets them.
    pub(super) fn take(&mut self) -> BTreeSet<Vec<u8>> {
        std::mem::take(&mut self.0)
    }
}
