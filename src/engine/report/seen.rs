//! The classes so far, where the writer distinguishes them in order.

use crate::dedup::{Fingerprinter, Hasher, Set};
use crate::store::Charge;

/// Which occurrences are not reported again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) enum SeenClasses {
    Any,
    /// Occurrences of classes that known inputs hold.
    Known,
}

/// The classes so far.
#[derive(Debug)]
pub(in crate::engine) struct SeenKeys {
    classes: SeenClasses,
    set: Set,
    hasher: Hasher,
    /// Set when fingerprints are compared.
    fingerprinter: Option<Fingerprinter>,
    /// The memory of the set.
    charge: Charge,
}

impl SeenKeys {
    pub(in crate::engine) fn new(
        classes: SeenClasses,
        hasher: Hasher,
        fingerprinter: Option<Fingerprinter>,
        charge: Charge,
    ) -> SeenKeys {
        SeenKeys {
            classes,
            set: Set::new(),
            hasher,
            fingerprinter,
            charge,
        }
    }

    /// Returns whether `key` is new, in an input that is known or not.
    pub(in crate::engine) fn is_new(&mut self, key: &[u8], input_is_known: bool) -> bool {
        let fingerprint = self.fingerprinter.as_ref().map(|it| it.of(key));
        let key = fingerprint.as_ref().map_or(key, |it| &it[..]);
        let hash = self.hasher.hash(key);
        match self.classes == SeenClasses::Known && !input_is_known {
            true => !self.set.contains(hash, key),
            false => self.set.insert(hash, key, 1, &[]),
        }
    }

    /// Takes the memory of the classes from the budget. Returns false when it is used up.
    pub(in crate::engine) fn charge(&mut self) -> bool {
        let more = self.set.memory().saturating_sub(self.charge.bytes());
        self.charge.try_grow(more)
    }

    pub(in crate::engine) fn set(&self) -> &Set {
        &self.set
    }
}
