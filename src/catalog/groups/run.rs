//! Equal keys next to each other: the state of a group while its members are read, and of
//! the keys that differ from each other only in case. The state does not grow with the
//! number of members.

use super::key::{CAUSES, KeyParts, REASONS};
use super::reason::{GroupReason, GroupReasons};

/// The members of a group that passed by.
#[derive(Debug)]
pub(super) struct KeyRun {
    /// The number of the first row.
    pub first: u64,
    pub size: u64,
    key: Vec<u8>,
    /// The spelling of the first member.
    written: Vec<u8>,
    is_same_text: bool,
    /// The reasons of any and of all members.
    any: GroupReasons,
    all: GroupReasons,
    /// The forms of the first member without each of the causes.
    forms: [Vec<u8>; CAUSES],
    /// For each cause, whether the forms of the members without it differ.
    differ: [bool; CAUSES],
}

impl KeyRun {
    pub(super) fn new(number: u64, parts: &KeyParts) -> KeyRun {
        KeyRun {
            first: number,
            size: 1,
            key: parts.key.to_vec(),
            written: parts.written.to_vec(),
            is_same_text: true,
            any: parts.reasons,
            all: parts.reasons,
            forms: parts.forms().map(|form| match form == parts.key {
                true => Vec::new(),
                false => form.to_vec(),
            }),
            differ: [false; CAUSES],
        }
    }

    pub(super) fn has(&self, parts: &KeyParts) -> bool {
        self.key == parts.key
    }

    pub(super) fn push(&mut self, parts: &KeyParts) {
        self.size += 1;
        self.is_same_text &= self.written == parts.written;
        self.any = self.any.union(parts.reasons);
        self.all = self.all.common(parts.reasons);
        for (at, form) in parts.forms().into_iter().enumerate() {
            let first = match self.forms[at].is_empty() {
                true => &self.key,
                false => &self.forms[at],
            };
            self.differ[at] |= first != form;
        }
    }

    /// Returns the reasons why the members are equal: the causes without which they would
    /// differ. If each of several causes suffices, these are the causes that only some of
    /// the members need.
    pub(super) fn reasons(&self) -> GroupReasons {
        if self.is_same_text {
            return GroupReasons::of(&[GroupReason::SameText]);
        }
        let needed = (0..CAUSES).filter(|&at| self.differ[at]).map(|at| {
            let applied = REASONS[at].common(self.any);
            applied.rather_without(self.all)
        });
        let needed = needed.fold(GroupReasons::NONE, GroupReasons::union);
        match needed.is_empty() {
            true => self.any.rather_without(self.all),
            false => needed,
        }
    }
}

/// The keys read so far that differ from each other only in case.
#[derive(Debug)]
pub(super) struct CaseFamily {
    folded: Vec<u8>,
    /// The number of its keys.
    runs: u64,
    /// The commonest of them: its number among them, and the number of its rows.
    commonest: u64,
    size: u64,
    first: u64,
    /// The spelling of the first row with the key.
    written: Vec<u8>,
}

impl CaseFamily {
    pub(super) fn new(parts: &KeyParts) -> CaseFamily {
        CaseFamily {
            folded: parts.folded.to_vec(),
            runs: 0,
            commonest: 0,
            size: 0,
            first: u64::MAX,
            written: Vec::new(),
        }
    }

    pub(super) fn has(&self, parts: &KeyParts) -> bool {
        self.folded == parts.folded
    }

    pub(super) fn push(&mut self, run: KeyRun) {
        let is_commoner =
            (run.size, std::cmp::Reverse(run.first)) > (self.size, std::cmp::Reverse(self.first));
        if is_commoner {
            self.commonest = self.runs;
            (self.size, self.first) = (run.size, run.first);
            self.written = run.written;
        }
        self.runs += 1;
    }

    /// Returns the number of the commonest key, and its spelling, if there are several
    /// keys.
    pub(super) fn commonest(&self) -> Option<(u64, &[u8])> {
        (self.runs > 1).then_some((self.commonest, &self.written))
    }
}
