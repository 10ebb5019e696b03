//! The filter of the scanner: 64 bytes at a time, one bit for each byte that may
//! be the colon after a scheme, told by its neighbours. The only `unsafe` of the
//! package is in here, behind a safe function; a portable twin gives the same
//! bits and is compared with it by the tests.

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2;
mod portable;
mod table;

pub(super) use table::{Filter, LANES};

/// A filter for this machine.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    filter: Filter,
    #[cfg(target_arch = "x86_64")]
    avx2: Option<avx2::Avx2>,
}

impl Kernel {
    /// The fastest kernel that the machine has.
    pub(super) fn new(filter: Filter) -> Kernel {
        Kernel {
            #[cfg(target_arch = "x86_64")]
            avx2: avx2::Avx2::new(&filter),
            filter,
        }
    }

    /// The kernel that every machine has.
    #[cfg(test)]
    pub(super) fn portable(filter: Filter) -> Kernel {
        Kernel {
            #[cfg(target_arch = "x86_64")]
            avx2: None,
            filter,
        }
    }

    /// One bit for each of the 64 bytes from `at` on that may be a trigger; bits
    /// beyond the end of `text` are unset. The byte after the end is not known,
    /// so the last byte of `text` passes whatever follows it.
    #[inline]
    pub(super) fn triggers(&self, text: &[u8], at: usize) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = &self.avx2
            && at > 0
            && let Some(window) = text.get(at - 1..at + LANES + 1)
            && let Ok(window) = window.try_into()
        {
            return avx2.triggers(window);
        }
        portable::triggers(&self.filter, text, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all_bits(kernel: &Kernel, text: &[u8]) -> Vec<usize> {
        let mut found = Vec::new();
        for at in (0..text.len()).step_by(LANES) {
            let mut bits = kernel.triggers(text, at);
            while bits != 0 {
                found.push(at + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
        }
        found
    }

    #[test]
    fn single_triggers_at_every_place() {
        for filter in [Filter::default_schemes(), Filter::every_scheme()] {
            for pad in 0..200 {
                let mut text = vec![b'.'; pad];
                text.extend_from_slice(b"n:x ..");
                text.resize(300, b'.');
                assert_eq!(all_bits(&Kernel::new(filter.clone()), &text), [pad + 1]);
                assert_eq!(
                    all_bits(&Kernel::portable(filter.clone()), &text),
                    [pad + 1]
                );
            }
        }
    }

    proptest! {
        #[test]
        fn kernels_agree(text in proptest::collection::vec(
            prop_oneof![3 => proptest::sample::select(b":/\\x3aAu0nsor\n \"".to_vec()), 1 => any::<u8>()], 0..400)) {
            for filter in [Filter::default_schemes(), Filter::every_scheme()] {
                let fast = all_bits(&Kernel::new(filter.clone()), &text);
                let slow = all_bits(&Kernel::portable(filter), &text);
                prop_assert_eq!(fast, slow);
            }
        }
    }
}
