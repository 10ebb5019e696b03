//! Fingerprints of keys: 128 bits of a keyed hash that is made for hostile input. Using them
//! in place of keys is left to `engine`.

use siphasher::sip128::SipHasher24;
use std::hash::{BuildHasher, RandomState};

/// The number of bytes of a fingerprint.
pub(crate) const FINGERPRINT_LEN: usize = 16;

/// Computes fingerprints: SipHash-2-4 with 128 bits, keyed at random. Without its key,
/// which never leaves memory, no two texts with the same fingerprint can be prepared.
#[derive(Clone, Debug)]
pub(crate) struct Fingerprinter(SipHasher24);

impl Fingerprinter {
    /// Creates a fingerprinter with a fresh random key.
    pub(crate) fn new() -> Fingerprinter {
        // `RandomState` gets its keys from the system; the hash expands one of them.
        let random = RandomState::new();
        Fingerprinter::with_key(random.hash_one(0_u64), random.hash_one(1_u64))
    }

    fn with_key(low: u64, high: u64) -> Fingerprinter {
        Fingerprinter(SipHasher24::new_with_keys(low, high))
    }

    /// Returns the fingerprint of `key`.
    #[inline]
    pub(crate) fn of(&self, key: &[u8]) -> [u8; FINGERPRINT_LEN] {
        self.0.hash(key).as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// The vectors of the reference implementation (`vectors_sip128`), for the key 00 01 02
    /// and so on and the texts "", 00, 00 01 and so on.
    #[test]
    fn it_is_siphash_of_128_bits() {
        let key = |from: u8| u64::from_le_bytes(std::array::from_fn(|at| from + at as u8));
        let fingerprinter = Fingerprinter::with_key(key(0), key(8));
        let text: Vec<u8> = (0..64).collect();
        let wanted = [
            (0, 0xA381_7F04_BA25_A8E6_6DF6_7214_C755_0293_u128),
            (1, 0xDA87_C1D8_6B99_AF44_3476_5911_9B22_FC45),
            (2, 0x8177_228D_A4A4_5DC7_FCA3_8BDE_F60A_FFE4),
        ];
        for (len, wanted) in wanted {
            assert_eq!(
                fingerprinter.of(&text[..len]),
                wanted.to_be_bytes(),
                "{len}"
            );
        }
    }

    #[test]
    fn every_run_has_a_key_of_its_own() {
        let keys: HashSet<_> = (0..100)
            .map(|_| Fingerprinter::new().of(b"urn:a-b:c"))
            .collect();
        assert_eq!(keys.len(), 100);
        let one = Fingerprinter::new();
        assert_eq!(one.clone().of(b"urn:a-b:c"), one.of(b"urn:a-b:c"));
    }
}
