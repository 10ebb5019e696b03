//! Reports classes with their spellings. While inputs are read, every spelling is
//! counted as a class of its own, with its canonical form beside it. At the end,
//! spellings with the same canonical form are put together.
//!
//! There may be as many classes as keys, so nothing is allocated for a class before
//! it is reported. Spellings are sorted by the hash of their canonical form, and a
//! class is a range of them. `sorted_groups` sorts the spellings themselves, as it must where
//! some were deferred; for all runs that would take twice the time and three times the memory.

use super::counts::Classes;
use crate::dedup::{Entries, Entry, Hasher, Set};
use crate::engine::Sink;
use crate::engine::batches::encoded_finding;
use crate::engine::end::{End, check_flow};
use crate::engine::read::reasons::Reasons;
use crate::item::{Finding, Reason, Spelling};
use std::cmp::Ordering;
use std::ops::Range;

/// A spelling: the hash of its canonical form, and its address.
type Spelled = (u64, SpellingAddress);

/// The number of a set, and a place in that set.
#[derive(Clone, Copy, Debug)]
struct SpellingAddress(u64);

/// The number of low bits of an address that hold the place.
const PLACE_BITS: u32 = 48;

/// A class: its spellings, the number of their occurrences, and the spelling that is
/// seen first, with its position, by which classes may be sorted.
struct Group {
    spellings: Range<usize>,
    count: u64,
    first: SpellingAddress,
    position: u64,
}

/// The spellings of all sets.
struct Spellings {
    sets: Vec<Entries>,
}

impl Classes {
    /// Sets `number` to the number of classes of `sets`, whose keys are spellings, and
    /// reports these classes, with `reasons` where these are requested.
    pub(in crate::engine) fn report_groups(
        self,
        sets: Vec<Set>,
        hasher: &Hasher,
        reasons: Option<Reasons>,
        sink: &mut dyn Sink,
        number: &mut u64,
    ) -> Result<(), End> {
        let sets = sets.into_iter().map(Set::into_entries).collect();
        let spellings = Spellings { sets };
        let spelled = spellings.sorted(hasher);
        let groups = spellings.groups(&spelled, self.known_inputs);
        *number = groups.len() as u64;
        let groups = self.arrange(groups.into_iter(), |a, b| {
            let a_class = (a.count, || class_of(&spellings.first(a)));
            let b_class = (b.count, || class_of(&spellings.first(b)));
            let positions = || (a.position, b.position);
            self.sequence.compare(a_class, b_class, positions)
        });
        for group in &groups {
            let spelled = &spelled[group.spellings.clone()];
            let spelled = spelled.iter().map(|&(_, at)| spellings.at(at));
            let class = Finding {
                count: Some(group.count),
                ..spellings.first(group)
            };
            report_group(&class, spelled, reasons.as_ref(), sink)?;
        }
        Ok(())
    }
}

/// Reports a class; `spelled` are the first occurrences of its spellings, with the numbers
/// of their occurrences.
pub(in crate::engine) fn report_group<'f>(
    class: &Finding,
    spelled: impl Iterator<Item = (Finding<'f>, u64)> + Clone,
    reasons: Option<&Reasons>,
    sink: &mut dyn Sink,
) -> Result<(), End> {
    let why: Vec<Vec<Reason>> = match reasons {
        Some(reasons) => spelled
            .clone()
            .map(|(first, _)| reasons.of(&first))
            .collect(),
        None => Vec::new(),
    };
    let times = spelled.clone().map(|(first, _)| first);
    let first_seen = times.clone().filter_map(|first| first.first_seen).min();
    let last_seen = times.filter_map(|first| first.last_seen).max();
    let mut reported: Vec<Spelling> = Vec::with_capacity(spelled.size_hint().0);
    reported.extend(
        spelled
            .enumerate()
            .map(|(number, (first, count))| Spelling {
                text: first.original,
                count,
                reasons: why.get(number).map_or(&[], Vec::as_slice),
            }),
    );
    reported.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.text.cmp(b.text)));
    let class = Finding {
        first_seen,
        last_seen,
        ..*class
    };
    check_flow(sink.group(&class, &reported))
}

/// Returns a spelling that was counted as a class of its own as an occurrence of its class:
/// its canonical form is the URI.
pub(in crate::engine) fn spelling_of<'f>(spelled: Finding<'f>) -> Finding<'f> {
    Finding {
        uri: spelled.original,
        original: spelled.uri,
        ..spelled
    }
}

/// Returns the key that the spellings of a class share: the source, where links are reported, and the
/// canonical form.
fn class_of<'f>(finding: &Finding<'f>) -> (Option<&'f [u8]>, &'f [u8]) {
    (finding.source, finding.uri)
}

impl Spellings {
    /// Returns the first occurrence of a spelling, with its canonical form, and the
    /// number of its occurrences.
    fn at(&self, address: SpellingAddress) -> (Finding<'_>, u64) {
        let entry = self.entry(address);
        (spelling_of(encoded_finding::read(&entry)), entry.count)
    }

    /// Returns the entry at an address.
    fn entry(&self, SpellingAddress(address): SpellingAddress) -> Entry<'_> {
        let set = self.sets.get((address >> PLACE_BITS) as usize);
        let place = address & ((1 << PLACE_BITS) - 1);
        set.and_then(|set| set.at(place)).unwrap_or_default()
    }

    /// Returns the first occurrence of a class.
    fn first(&self, group: &Group) -> Finding<'_> {
        self.at(group.first).0
    }

    /// Returns all spellings, sorted so that those with the same canonical form are
    /// adjacent.
    fn sorted(&self, hasher: &Hasher) -> Vec<Spelled> {
        let number = self.sets.iter().map(Entries::len).sum();
        let mut spelled = Vec::with_capacity(number);
        for (set, entries) in self.sets.iter().enumerate() {
            spelled.extend(entries.places().map(|place| {
                let address = SpellingAddress((set as u64) << PLACE_BITS | place);
                let (source, uri) = class_of(&self.at(address).0);
                let hash = hasher.hash(uri) ^ source.map_or(0, |source| hasher.hash(source));
                (hash, address)
            }));
        }
        spelled.sort_unstable_by(|&a, &b| self.compare(a, b));
        spelled
    }

    /// Compares the hashes of two canonical forms and, where these are equal, their bytes.
    fn compare(&self, a: Spelled, b: Spelled) -> Ordering {
        let by_bytes = || class_of(&self.at(a.1).0).cmp(&class_of(&self.at(b.1).0));
        a.0.cmp(&b.0).then_with(by_bytes)
    }

    /// Returns the classes that are not in one of the first `known_inputs` inputs.
    fn groups(&self, spelled: &[Spelled], known_inputs: usize) -> Vec<Group> {
        let classes = || spelled.chunk_by(|&a, &b| self.compare(a, b).is_eq());
        let mut groups = Vec::with_capacity(classes().count());
        let mut from = 0;
        for class in classes() {
            let spellings = from..from + class.len();
            from = spellings.end;
            let mut sum = 0;
            let seen = class.iter().map(|&(_, at)| {
                let entry = self.entry(at);
                sum += entry.count;
                (encoded_finding::position(entry.record), at)
            });
            let first = seen.min_by_key(|&(position, _)| position);
            if let Some((position, first)) = first
                && self.at(first).0.input >= known_inputs
            {
                groups.push(Group {
                    count: sum,
                    spellings,
                    first,
                    position,
                });
            }
        }
        groups
    }
}
