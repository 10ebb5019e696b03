//! The hash of a key in the filters of a store: SipHash-1-3, with a key of the store, so that no
//! input can be prepared whose keys pass the filters.

use siphasher::sip::SipHasher13;
use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};

/// Hashes keys by the secret of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::store::seen) struct KeyHasher([u64; 2]);

impl KeyHasher {
    /// A new secret.
    pub(in crate::store::seen) fn random() -> KeyHasher {
        let number = || RandomState::new().build_hasher().finish();
        KeyHasher([number(), number()])
    }

    /// The secret that is written like this.
    pub(in crate::store::seen) fn named(text: &str) -> Option<KeyHasher> {
        let (first, second) = text.split_at_checked(16)?;
        let number = |text| u64::from_str_radix(text, 16).ok();
        let hasher = KeyHasher([number(first)?, number(second)?]);
        (hasher.to_string() == text).then_some(hasher)
    }

    pub(in crate::store::seen) fn hash(&self, key: &[u8]) -> u64 {
        SipHasher13::new_with_keys(self.0[0], self.0[1]).hash(key)
    }
}

impl fmt::Display for KeyHasher {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.0[0], self.0[1])
    }
}
