//! Equal keys next to each other: the state of a group while its members are read, and of
//! the keys that differ from each other only in case. The state does not grow with the
//! number of members.

use super::key::{CAUSES, KeyParts, REASONS};
use super::reason::{GroupReason, GroupReasons};

/// The members of a group that passed by. The memory is that of the group before it.
#[derive(Debug, Default)]
pub(super) struct KeyRun {
    /// The number of the first row.
    pub first: u64,
    /// Zero before the first row.
    pub size: u64,
    hash: u32,
    key: Vec<u8>,
    /// The spelling of the first member.
    written: Vec<u8>,
    is_same_text: bool,
    /// The reasons of any and of all members.
    any: GroupReasons,
    all: GroupReasons,
    /// The forms of the first member without each of the causes, where they differ from the key.
    forms: [Vec<u8>; CAUSES],
    /// For each cause, whether the forms of the members without it differ.
    differ: [bool; CAUSES],
}

impl KeyRun {
    pub(super) fn begin(&mut self, number: u64, parts: &KeyParts) {
        (self.first, self.size, self.hash) = (number, 1, parts.hash);
        set(&mut self.key, parts.key);
        set(&mut self.written, parts.written);
        self.is_same_text = true;
        (self.any, self.all) = (parts.reasons, parts.reasons);
        self.forms.iter_mut().for_each(Vec::clear);
        for (cause, form) in parts.forms() {
            set(&mut self.forms[cause], form);
        }
        self.differ = [false; CAUSES];
    }

    pub(super) fn has(&self, parts: &KeyParts) -> bool {
        self.size > 0 && self.hash == parts.hash && self.key == parts.key
    }

    pub(super) fn push(&mut self, parts: &KeyParts) {
        self.size += 1;
        self.is_same_text &= self.written == parts.written;
        self.any = self.any.union(parts.reasons);
        self.all = self.all.common(parts.reasons);
        let mut forms = [&[][..]; CAUSES];
        for (cause, form) in parts.forms() {
            forms[cause] = form;
        }
        for ((first, form), differ) in self.forms.iter().zip(forms).zip(&mut self.differ) {
            *differ |= !(first.is_empty() && form.is_empty()) && first != form;
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

/// Sets `text` to these bytes.
fn set(text: &mut Vec<u8>, bytes: &[u8]) {
    text.clear();
    text.extend_from_slice(bytes);
}

/// The keys read so far that differ from each other only in case.
#[derive(Debug, Default)]
pub(super) struct CaseFamily {
    hash: u32,
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
    pub(super) fn begin(&mut self, parts: &KeyParts) {
        self.hash = parts.hash;
        set(&mut self.folded, parts.folded);
        (self.runs, self.size) = (0, 0);
    }

    /// Whether the row belongs to the family, which has begun.
    pub(super) fn has(&self, parts: &KeyParts) -> bool {
        self.hash == parts.hash && self.folded == parts.folded
    }

    pub(super) fn push(&mut self, run: &mut KeyRun) {
        let is_commoner =
            (run.size, std::cmp::Reverse(run.first)) > (self.size, std::cmp::Reverse(self.first));
        if is_commoner {
            self.commonest = self.runs;
            (self.size, self.first) = (run.size, run.first);
            std::mem::swap(&mut self.written, &mut run.written);
        }
        self.runs += 1;
    }

    /// Returns the number of the commonest key, and its spelling, if there are several
    /// keys.
    pub(super) fn commonest(&self) -> Option<(u64, &[u8])> {
        (self.runs > 1).then_some((self.commonest, &self.written))
    }
}
