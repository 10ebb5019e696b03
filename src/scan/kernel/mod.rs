//! The kernels of the scanner, 64 bytes at a time: the filter, one bit for each byte
//! that may be the colon after a scheme, told by its neighbours, and the masks of
//! what stands ahead. The only `unsafe` of the
//! package is in here, behind a safe function; a portable twin gives the same
//! bits and is compared with it by the tests.

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2;
mod portable;
mod table;

use crate::syntax::Outlook;
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

    /// The next 64 bytes from `at` on, or from `at` and a multiple of 64, of which some
    /// may be triggers: where they begin, and one bit for each of these. Bits beyond
    /// the end of `text` are unset. The byte after the end is not known, so the last
    /// byte of `text` passes whatever follows it.
    #[inline]
    pub(super) fn next(&self, text: &[u8], mut at: usize) -> Option<(usize, u64)> {
        loop {
            #[cfg(target_arch = "x86_64")]
            if let Some(avx2) = &self.avx2
                && at > 0
            {
                let (to, bits) = avx2.next(text, at);
                if bits != 0 {
                    return Some((to, bits));
                }
                at = to;
            }
            if at >= text.len() {
                return None;
            }
            let bits = portable::triggers(&self.filter, text, at);
            if bits != 0 {
                return Some((at, bits));
            }
            at += LANES;
        }
    }

    /// What stands in `text` from `at` on.
    #[inline]
    pub(super) fn outlook(&self, text: &[u8], at: usize) -> Outlook {
        #[cfg(target_arch = "x86_64")]
        if let Some(avx2) = &self.avx2 {
            return match text.get(at..at + LANES).map(TryInto::try_into) {
                Some(Ok(window)) => avx2.outlook(window),
                _ => avx2.outlook(&end_of(text, at)),
            };
        }
        Outlook::of(text, at)
    }
}

/// The end of `text` from `at` on. NUL follows it, which stops whatever comes
/// before it as the end does.
#[cfg(target_arch = "x86_64")]
#[cold]
fn end_of(text: &[u8], at: usize) -> [u8; LANES] {
    let mut window = [0; LANES];
    let rest = text.get(at..).unwrap_or_default();
    window[..rest.len()].copy_from_slice(rest);
    window
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn all_bits(kernel: &Kernel, text: &[u8]) -> Vec<usize> {
        let mut found = Vec::new();
        let mut from = 0;
        while let Some((at, mut bits)) = kernel.next(text, from) {
            while bits != 0 {
                found.push(at + bits.trailing_zeros() as usize);
                bits &= bits - 1;
            }
            from = at + LANES;
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

    #[test]
    fn every_byte_at_every_place_ahead() {
        let kernel = Kernel::new(Filter::default_schemes());
        for byte in 0..=255u8 {
            for place in 0..LANES {
                let mut text = [b'a'; LANES + 9];
                text[place] = byte;
                for text in [&text[..], &text[..LANES], &text[..place + 1]] {
                    assert_eq!(
                        kernel.outlook(text, 0),
                        Outlook::of(text, 0),
                        "{byte} {place}"
                    );
                }
            }
        }
    }

    proptest! {
        #[test]
        fn outlooks_agree(text in proptest::collection::vec(any::<u8>(), 0..200), at in 0usize..210) {
            let filter = Filter::default_schemes();
            let wanted = Outlook::of(&text, at);
            prop_assert_eq!(Kernel::new(filter.clone()).outlook(&text, at), wanted);
            prop_assert_eq!(Kernel::portable(filter).outlook(&text, at), wanted);
        }

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
