//! Counted classes beside keys that are known before the run: each class in memory is asked for
//! once, when all are counted. Those that were deferred are asked for where they are settled.

use crate::dedup::{Entry, KnownKeys, Late, Set};
use crate::engine::ask::memory::RunMemory;
use crate::engine::error::Error;
use crate::engine::order::later_keys::{AllLaterKeys, LaterKeys, WaitingKeys};
use crate::engine::threads::share;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The number of classes for which there is one word of bits.
const WORD: usize = u64::BITS as usize;

/// How classes are asked for.
pub(in crate::engine) struct ClassAsking<'r> {
    pub known: &'r dyn KnownKeys,
    pub threads: usize,
    pub memory: &'r RunMemory,
    /// Whether the rest is left.
    pub is_cancelled: &'r (dyn Fn() -> bool + Sync),
}

/// Which entries of several sets are not known. An entry is called by its number: how many are
/// before it, also in the sets before its own.
#[derive(Debug, Default)]
pub(in crate::engine) struct NewEntries {
    bits: Vec<AtomicU64>,
    /// Some were not asked for.
    pub is_cut: bool,
}

impl NewEntries {
    /// Whether this entry is not known.
    pub(in crate::engine) fn has(&self, number: usize) -> bool {
        let word = self.bits.get(number / WORD);
        word.is_some_and(|word| word.load(Ordering::Relaxed) >> (number % WORD) & 1 == 1)
    }

    fn add(&self, number: usize) {
        if let Some(word) = self.bits.get(number / WORD) {
            word.fetch_or(1 << (number % WORD), Ordering::Relaxed);
        }
    }
}

/// Returns the sets, each with the number of its first entry.
pub(in crate::engine) fn numbered<'s>(sets: &[&'s Set]) -> Vec<(&'s Set, usize)> {
    let mut first = 0;
    let with_first = |&set: &&'s Set| {
        let number = first;
        first += set.len();
        (set, number)
    };
    sets.iter().map(with_first).collect()
}

impl ClassAsking<'_> {
    /// Asks for the entries of all sets.
    ///
    /// # Errors
    /// Errors of the keys that are known, of the temporary file and of starting threads.
    pub(in crate::engine) fn ask(&self, sets: &[&Set]) -> Result<NewEntries, Error> {
        let number: usize = sets.iter().map(|set| set.len()).sum();
        let words = (0..number.div_ceil(WORD)).map(|_| AtomicU64::new(0));
        let mut found = NewEntries {
            bits: words.collect(),
            is_cut: false,
        };
        let is_cut = AtomicBool::new(false);
        let place = "while known URIs were asked for";
        let new = |late: Late| {
            found.add(usize::try_from(late.number).unwrap_or(usize::MAX));
            Ok(match (self.is_cancelled)() {
                false => ControlFlow::Continue(()),
                true => {
                    is_cut.store(true, Ordering::Relaxed);
                    ControlFlow::Break(())
                }
            })
        };
        let all = AllLaterKeys::default();
        share((self.threads, place), numbered(sets), |next| {
            let mut new = new;
            let mut waiting = WaitingKeys::default();
            let mut later = LaterKeys::new(self.memory);
            while let Some((set, first)) = next() {
                for (number, entry) in (first as u64..).zip(set.entries()) {
                    let entry = Entry {
                        record: &[],
                        ..entry
                    };
                    waiting.add(&Late { number, entry });
                    if waiting.is_full()
                        && waiting
                            .pass_on(self.known, Some(&mut later), &mut new)?
                            .is_break()
                    {
                        return Ok(());
                    }
                }
            }
            let flow = waiting.pass_on(self.known, Some(&mut later), &mut new)?;
            match flow.is_break() {
                true => Ok(()),
                false => later.join(&all),
            }
        })?;
        if !is_cut.load(Ordering::Relaxed) {
            let mut new = new;
            let settled = all.settle(self.known, &mut new);
            settled.map(drop).map_err(Error::of_set)?;
        }
        found.is_cut = is_cut.into_inner();
        Ok(found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_have_numbers_over_all_sets() {
        let mut sets = [Set::counting(), Set::counting(), Set::counting()];
        for (set, keys) in [(0, 3), (2, 70)] {
            for key in 0..keys {
                sets[set].insert(key, &key.to_le_bytes(), 1, b"");
            }
        }
        let sets: Vec<&Set> = sets.iter().collect();
        let firsts: Vec<usize> = numbered(&sets).iter().map(|it| it.1).collect();
        assert_eq!(firsts, [0, 3, 3]);
        let bits = [0, 0].map(AtomicU64::new).into();
        let found = NewEntries {
            bits,
            is_cut: false,
        };
        for number in [0, 63, 64, 72, 128, usize::MAX] {
            found.add(number);
        }
        let has: Vec<usize> = (0..200).filter(|&number| found.has(number)).collect();
        assert_eq!(has, [0, 63, 64, 72]);
    }
}
