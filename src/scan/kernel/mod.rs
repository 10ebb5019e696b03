//! The kernels of the scanner, which read 64 bytes at a time. The filter returns one
//! bit for each byte that may be the colon after a scheme, judged by the bytes next to
//! it; the outlook has masks of several kinds of bytes. The only `unsafe` of the package
//! is here, behind safe functions. A portable twin returns the same bits, and tests
//! compare the two.

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod avx512;
#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code)]
mod neon;
mod portable;
mod table;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod windows;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)]
mod x86;

use crate::syntax::Outlook;
use crate::syntax::masks::line_masks::{LineBlock, LineMasks};
use crate::syntax::masks::stops::StopMasks;
use crate::syntax::words::{self, FIRST, WordWindow};
#[cfg(target_arch = "aarch64")]
use neon::Neon as Vector;
pub(super) use table::{Filter, LANES};
#[cfg(target_arch = "x86_64")]
use x86::X86 as Vector;

/// The kernels for this machine.
#[derive(Clone, Debug)]
pub(super) struct Kernel {
    filter: Filter,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    vector: Option<Vector>,
}

impl Kernel {
    /// Returns the fastest kernel of the machine.
    pub(super) fn new(filter: Filter) -> Kernel {
        Kernel {
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            vector: Vector::new(&filter),
            filter,
        }
    }

    /// Returns the kernel of a machine with vectors that are no wider than usual.
    #[cfg(test)]
    fn narrow(filter: Filter) -> Kernel {
        Kernel {
            #[cfg(target_arch = "x86_64")]
            vector: Vector::narrow(&filter),
            ..Kernel::new(filter)
        }
    }

    /// Returns the kernel that every machine has.
    #[cfg(test)]
    pub(super) fn portable(filter: Filter) -> Kernel {
        Kernel {
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            vector: None,
            ..Kernel::new(filter)
        }
    }

    /// Returns the next chunk of 64 bytes with possible triggers: its offset, which is
    /// `at` or a multiple of 64 after `at`, and one bit for each possible trigger. Bits
    /// beyond the end of `text` are unset. The byte after the end is not known, so a
    /// colon at the end of `text` always passes.
    #[inline]
    pub(super) fn next(&self, text: &[u8], mut at: usize) -> Option<(usize, u64)> {
        loop {
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            if let Some(vector) = &self.vector
                && at > 0
            {
                let (to, bits) = vector.next(text, at);
                if bits != 0 {
                    return Some((to, bits));
                }
                at = to;
            }
            if at >= text.len() {
                return None;
            }
            let bits = self.chunk(text, at);
            if bits != 0 {
                return Some((at, bits));
            }
            at += LANES;
        }
    }

    /// Returns the bits of the 64 bytes of `text` from `at` on, before or after which there
    /// may be no byte.
    #[inline]
    fn chunk(&self, text: &[u8], at: usize) -> u64 {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(vector) = &self.vector {
            return vector.chunk(text, at);
        }
        portable::triggers(&self.filter, text, at)
    }

    /// Returns whether the colon of `text` at `at`, which is not its first byte, may be a trigger.
    #[cfg(feature = "html")]
    #[inline]
    pub(super) fn takes_colon(&self, text: &[u8], at: usize) -> bool {
        let after = text.get(at + 1).copied();
        self.filter.passes(text[at - 1], b':', after)
    }

    /// Returns one bit for each of 64 bytes at which the first bytes of a word are.
    #[inline]
    pub(super) fn words(&self, window: &WordWindow, firsts: &[[u8; FIRST]]) -> u64 {
        #[cfg(target_arch = "x86_64")]
        if let Some(vector) = &self.vector {
            return vector.words(window, firsts);
        }
        words::hits(window, firsts)
    }

    /// Sets the bits of the bytes of `text` from `at` on that end a stretch of a string, and
    /// those of possible triggers.
    pub(super) fn stops(&self, text: &[u8], at: usize, masks: &mut StopMasks) {
        for (number, mask) in masks.iter_mut().enumerate() {
            *mask = match at + number * LANES {
                at if at >= text.len() => 0,
                at => self.chunk_stops(text, at),
            };
        }
    }

    /// Returns the stops among the 64 bytes of `text` from `at` on.
    #[inline]
    fn chunk_stops(&self, text: &[u8], at: usize) -> u64 {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(vector) = &self.vector {
            return vector.stops(text, at);
        }
        portable::stops(&self.filter, text, at)
    }

    /// Whether the kernel is not the portable one.
    pub(super) fn has_vectors(&self) -> bool {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        {
            self.vector.is_some()
        }
        #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
        {
            false
        }
    }

    /// Sets the classes of the bytes of `text` from `at` on; possible triggers may be colons of
    /// URIs.
    pub(super) fn lines(&self, text: &[u8], at: usize, block: &mut LineBlock) {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        {
            if let Some(vector) = &self.vector {
                return windows::with_ends(text, at, |windows| vector.lines(windows, block));
            }
        }
        for (number, masks) in block.iter_mut().enumerate() {
            let at = at + number * LANES;
            *masks = match at < text.len() {
                true => LineMasks::of(text, at, portable::colons(&self.filter, text, at)),
                false => LineMasks::default(),
            };
        }
    }

    /// Returns the outlook of `text` from `at` on.
    #[inline]
    pub(super) fn outlook(&self, text: &[u8], at: usize) -> Outlook {
        #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
        if let Some(vector) = &self.vector {
            return vector.outlook(text.get(at..).unwrap_or_default());
        }
        Outlook::of(text, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::masks::stops::ends_stretch;
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
    fn a_trigger_is_found_at_every_offset() {
        for filter in [Filter::default_schemes(), Filter::every_scheme()] {
            for pad in 0..200 {
                let mut text = vec![b'.'; pad];
                text.extend_from_slice(b"n:x ..");
                text.resize(300, b'.');
                for kernel in [Kernel::new, Kernel::narrow, Kernel::portable] {
                    assert_eq!(all_bits(&kernel(filter.clone()), &text), [pad + 1]);
                }
            }
        }
    }

    #[test]
    fn outlooks_agree_for_every_byte_at_every_offset() {
        let kernels = [Kernel::new, Kernel::narrow].map(|of| of(Filter::default_schemes()));
        for byte in 0..=255u8 {
            for place in 0..LANES {
                let mut text = [b'a'; LANES + 9];
                text[place] = byte;
                for text in [&text[..], &text[..LANES], &text[..place + 1]] {
                    let wanted = Outlook::of(text, 0);
                    for kernel in &kernels {
                        assert_eq!(kernel.outlook(text, 0), wanted, "{byte} {place}");
                    }
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
            prop_assert_eq!(Kernel::narrow(filter.clone()).outlook(&text, at), wanted);
            prop_assert_eq!(Kernel::portable(filter).outlook(&text, at), wanted);
        }

        #[test]
        fn words_agree(text in "[wWs.iIsn0\\x10\\-]{66}", firsts in proptest::sample::subsequence(
            vec![*b"www", *b"iss", *b"000", *b"s.n"], 0..4)) {
            let window = text.as_bytes().first_chunk().unwrap();
            let kernel = Kernel::new(Filter::default_schemes());
            prop_assert_eq!(kernel.words(window, &firsts), words::hits(window, &firsts));
        }

        #[test]
        fn stops_agree(text in proptest::collection::vec(
            prop_oneof![3 => proptest::sample::select(b":/\\x3aAu0nsor\n \"".to_vec()), 1 => any::<u8>()], 1..700), at in 0usize..99) {
            let filter = Filter::default_schemes();
            let of = |kernel: Kernel| {
                let mut masks = StopMasks::default();
                kernel.stops(&text, at, &mut masks);
                masks
            };
            let fast = of(Kernel::new(filter.clone()));
            prop_assert_eq!(of(Kernel::narrow(filter.clone())), fast);
            prop_assert_eq!(of(Kernel::portable(filter)), fast);
            let is_set = |at: usize| fast[at / LANES] >> (at % LANES) & 1 == 1;
            let mut ends = text.iter().skip(at).take(fast.len() * LANES).enumerate();
            prop_assert!(ends.all(|(at, byte)| is_set(at) || !ends_stretch(*byte)));
        }

        #[test]
        fn line_masks_agree(text in proptest::collection::vec(
            prop_oneof![3 => proptest::sample::select(b":/\\x3aAu0n,[]{}\n \"".to_vec()), 1 => any::<u8>()], 1..300), at in 0usize..99) {
            let at = at % text.len();
            let filter = Filter::default_schemes();
            let of = |kernel: Kernel| {
                let mut block = LineBlock::default();
                kernel.lines(&text, at, &mut block);
                block
            };
            let wanted = of(Kernel::portable(filter.clone()));
            prop_assert_eq!(of(Kernel::narrow(filter.clone())), wanted);
            prop_assert_eq!(of(Kernel::new(filter)), wanted);
        }

        #[test]
        fn kernels_agree(text in proptest::collection::vec(
            prop_oneof![3 => proptest::sample::select(b":/\\x3aAu0nsor\n \"".to_vec()), 1 => any::<u8>()], 0..400)) {
            for filter in [Filter::default_schemes(), Filter::every_scheme()] {
                let slow = all_bits(&Kernel::portable(filter.clone()), &text);
                prop_assert_eq!(&all_bits(&Kernel::narrow(filter.clone()), &text), &slow);
                prop_assert_eq!(all_bits(&Kernel::new(filter), &text), slow);
            }
        }
    }
}
