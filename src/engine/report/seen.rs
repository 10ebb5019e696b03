//! The classes so far, where the writer distinguishes them in order.

use crate::dedup::{Answer, Fingerprinter, Hasher, Key, Keys, KnownKeys, Set};
use crate::engine::error::KnownError;
use crate::store::Charge;
use std::io;
use std::sync::Arc;

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
    /// Keys that are known before the run.
    known: Option<Arc<dyn KnownKeys>>,
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
            known: None,
            fingerprinter,
            charge,
        }
    }

    /// Takes these keys for seen ones, too.
    pub(in crate::engine) fn beside(self, known: Option<Arc<dyn KnownKeys>>) -> SeenKeys {
        SeenKeys { known, ..self }
    }

    /// Returns whether `key` is new, in an input that is known or not.
    ///
    /// # Errors
    /// The keys that are known could not be asked for.
    pub(in crate::engine) fn is_new(
        &mut self,
        key: &[u8],
        input_is_known: bool,
    ) -> io::Result<bool> {
        let fingerprint = self.fingerprinter.as_ref().map(|it| it.of(key));
        let compared = fingerprint.as_ref().map_or(key, |it| &it[..]);
        let hash = self.hasher.hash(compared);
        let is_new = match self.classes == SeenClasses::Known && !input_is_known {
            true => !self.set.contains(hash, compared),
            false => self.set.insert(hash, compared, 1, &[]),
        };
        let Some(known) = self.known.as_ref().filter(|_| is_new && !input_is_known) else {
            return Ok(is_new);
        };
        let keys = [Key {
            to: key.len() as u32,
            ..Key::default()
        }];
        let mut answers = [Answer::New];
        let asked = known.ask(&Keys::new(key, &keys), &mut answers);
        asked.map_err(KnownError::of)?;
        Ok(answers == [Answer::New])
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
