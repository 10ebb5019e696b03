//! Classes with their spellings. While the input is read every spelling is
//! counted as if it were a class of its own, with the canonical form kept beside
//! it; at the end those with the same canonical form are put together.
//!
//! There may be as many classes as keys, so nothing is built for one before it is
//! told: spellings are sorted by the hash of their canonical form, a class is a
//! range of them, and classes are sorted by what they begin with.

use super::end::{End, heed};
use super::reasons::Reasons;
use super::sequence::Classes;
use super::{Sink, record};
use crate::dedup::{Entries, Entry, Hasher, Set};
use crate::item::{Finding, Reason, Spelling};
use std::cmp::Ordering;
use std::ops::Range;

/// A spelling: the hash of its canonical form, and where it is.
type Spelled = (u64, Address);

/// The number of a set and a place in it.
#[derive(Clone, Copy, Debug)]
struct Address(u64);

/// Bits of an address that are the place.
const PLACE_BITS: u32 = 48;

/// A class: its spellings, how often they occur in all, and which of them is seen
/// first, where. The position stands here because classes are sorted by it.
struct Group {
    spellings: Range<usize>,
    count: u64,
    first: Address,
    position: u64,
}

/// The spellings of all sets.
struct Spellings {
    sets: Vec<Entries>,
}

impl Classes {
    /// Reports the classes of `sets`, whose keys are spellings, with `reasons` where they
    /// are wanted, after their `number`.
    pub(super) fn tell_groups(
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
        let mut groups = spellings.groups(&spelled, self.known);
        *number = groups.len() as u64;
        self.arrange(&mut groups, |a, b| {
            let a_told = (a.count, || spellings.first(a).uri);
            let b_told = (b.count, || spellings.first(b).uri);
            let positions = || (a.position, b.position);
            self.sequence.compare(a_told, b_told, positions)
        });
        for group in &groups {
            let spelled = &spelled[group.spellings.clone()];
            let why: Vec<Vec<Reason>> = match &reasons {
                Some(reasons) => {
                    let first = |&(_, at): &Spelled| spellings.at(at).0;
                    spelled.iter().map(|s| reasons.of(&first(s))).collect()
                }
                None => Vec::new(),
            };
            let mut told: Vec<Spelling> = Vec::with_capacity(spelled.len());
            told.extend(spelled.iter().enumerate().map(|(number, &(_, at))| {
                let (first, count) = spellings.at(at);
                Spelling {
                    text: first.original,
                    count,
                    reasons: why.get(number).map_or(&[], Vec::as_slice),
                }
            }));
            told.sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.text.cmp(b.text)));
            let class = Finding {
                count: Some(group.count),
                ..spellings.first(group)
            };
            heed(sink.group(&class, &told))?;
        }
        Ok(())
    }
}

impl Spellings {
    /// Where a spelling is first seen, with its canonical form, and how often it
    /// occurs.
    fn at(&self, address: Address) -> (Finding<'_>, u64) {
        let entry = self.entry(address);
        let spelled = record::read(&entry);
        let first = Finding {
            uri: spelled.original,
            original: spelled.uri,
            ..spelled
        };
        (first, entry.count)
    }

    fn entry(&self, Address(address): Address) -> Entry<'_> {
        let set = self.sets.get((address >> PLACE_BITS) as usize);
        let place = address & ((1 << PLACE_BITS) - 1);
        set.and_then(|set| set.at(place)).unwrap_or_default()
    }

    fn first(&self, group: &Group) -> Finding<'_> {
        self.at(group.first).0
    }

    /// All spellings; those with the same canonical form stand together.
    fn sorted(&self, hasher: &Hasher) -> Vec<Spelled> {
        let number = self.sets.iter().map(Entries::len).sum();
        let mut spelled = Vec::with_capacity(number);
        for (set, entries) in self.sets.iter().enumerate() {
            spelled.extend(entries.places().map(|place| {
                let address = Address((set as u64) << PLACE_BITS | place);
                (hasher.hash(self.at(address).0.uri), address)
            }));
        }
        spelled.sort_unstable_by(|&a, &b| self.compare(a, b));
        spelled
    }

    /// Equal hashes are told apart by the bytes that they are of.
    fn compare(&self, a: Spelled, b: Spelled) -> Ordering {
        let by_bytes = || self.at(a.1).0.uri.cmp(self.at(b.1).0.uri);
        a.0.cmp(&b.0).then_with(by_bytes)
    }

    /// The classes that are not first seen in one of so many `known` inputs.
    fn groups(&self, spelled: &[Spelled], known: usize) -> Vec<Group> {
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
                (record::position(entry.record), at)
            });
            let first = seen.min_by_key(|&(position, _)| position);
            if let Some((position, first)) = first
                && self.at(first).0.input >= known
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
