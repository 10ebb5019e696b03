//! Classes with their spellings. While the input is read every spelling is
//! counted as if it were a class of its own, with the canonical form kept beside
//! it; at the end those with the same canonical form are put together.

use super::sequence::{Classes, place};
use super::{Sink, record};
use crate::dedup::Set;
use crate::item::{Finding, Spelling};
use hashbrown::HashMap;
use std::io;

/// A class: its first occurrence, and its spellings.
struct Group<'s> {
    class: Finding<'s>,
    spellings: Vec<Spelling<'s>>,
}

impl Classes {
    /// Tells the classes of `sets`, whose keys are spellings; gives their number.
    pub(super) fn tell_groups(self, sets: &[Set], sink: &mut dyn Sink) -> io::Result<u64> {
        let mut groups = grouped(sets);
        groups.retain(|group| group.class.input >= self.known);
        let number = groups.len() as u64;
        self.arrange(&mut groups, |a, b| {
            let told = |group: &Group| group.class.count.unwrap_or_default();
            let places = || (place(&a.class), place(&b.class));
            self.sequence
                .compare((told(a), a.class.uri), (told(b), b.class.uri), places)
        });
        for group in &mut groups {
            group
                .spellings
                .sort_unstable_by(|a, b| b.count.cmp(&a.count).then_with(|| a.text.cmp(b.text)));
            sink.group(&group.class, &group.spellings)?;
        }
        Ok(number)
    }
}

fn grouped(sets: &[Set]) -> Vec<Group<'_>> {
    let mut groups: HashMap<&[u8], Group, ahash::RandomState> = HashMap::default();
    for entry in sets.iter().flat_map(Set::entries) {
        let spelled = record::read(&entry);
        let (text, count) = (spelled.uri, entry.count);
        let first = Finding {
            uri: spelled.original,
            original: text,
            ..spelled
        };
        let spelling = Spelling { text, count };
        let group = groups.entry(first.uri).or_insert_with(|| Group {
            class: Finding {
                count: Some(0),
                ..first
            },
            spellings: Vec::new(),
        });
        let sum = group.class.count.map(|sum| sum + count);
        if place(&first) < place(&group.class) {
            group.class = first;
        }
        group.class.count = sum;
        group.spellings.push(spelling);
    }
    groups.into_values().collect()
}
