//! The kernels of x86-64: those with AVX-512 where the machine has it, or those with AVX2. The
//! functions of both may only be called where a value of their type was made.

use super::avx2::{Avx2, words};
use super::avx512::Avx512;
use super::table::Filter;
use super::windows::{ends_of, filled, with_ends};
use crate::syntax::Outlook;
use crate::syntax::masks::line_masks::{LINES_LEN, LineBlock};
use crate::syntax::words::{FIRST, WordWindow};

/// The kernels of a machine with AVX2.
#[derive(Clone, Debug)]
pub(super) struct X86 {
    avx2: Avx2,
    avx512: Option<Avx512>,
}

impl X86 {
    /// Returns the fastest kernels, or `None` on a machine without AVX2.
    pub(super) fn new(filter: &Filter) -> Option<X86> {
        Some(X86 {
            avx2: Avx2::new(filter)?,
            #[cfg(not(profiled))]
            avx512: Avx512::new(filter),
            #[cfg(profiled)]
            avx512: Avx512::counted(filter),
        })
    }

    /// Returns the kernels of a machine without AVX-512.
    #[cfg(test)]
    pub(super) fn narrow(filter: &Filter) -> Option<X86> {
        X86::new(filter).map(|x86| X86 {
            avx512: None,
            ..x86
        })
    }

    /// Returns the offset and the bits of the next chunk of 64 bytes from `at` on that
    /// has a bit set and a byte after it. If no chunk has, returns the offset from which
    /// too few bytes are left, and no bits. `at` is not 0.
    #[inline]
    pub(super) fn next(&self, text: &[u8], at: usize) -> (usize, u64) {
        match &self.avx512 {
            // SAFETY: an `Avx512` is only made where the machine has its features.
            Some(avx512) => unsafe { avx512.next(text, at) },
            // SAFETY: an `Avx2` is only made where the machine has AVX2.
            None => unsafe { self.avx2.next(text, at) },
        }
    }

    /// Returns the bits of the 64 bytes of `text` from `at` on, before or after which there may be
    /// no byte.
    #[inline]
    pub(super) fn chunk(&self, text: &[u8], at: usize) -> u64 {
        match &self.avx512 {
            // SAFETY: an `Avx512` is only made where the machine has its features.
            Some(avx512) => unsafe { avx512.chunk(text, at) },
            // SAFETY: an `Avx2` is only made where the machine has AVX2.
            None => unsafe { self.avx2.triggers(&ends_of(text, at)) },
        }
    }

    /// Returns the stops among the 64 bytes of `text` from `at` on.
    #[inline]
    pub(super) fn stops(&self, text: &[u8], at: usize) -> u64 {
        match &self.avx512 {
            // SAFETY: an `Avx512` is only made where the machine has its features.
            Some(avx512) => unsafe { avx512.stops(text, at) },
            None => with_ends(text, at, |window| {
                // SAFETY: an `Avx2` is only made where the machine has AVX2.
                unsafe { self.avx2.stops(window) }
            }),
        }
    }

    /// Sets the classes of the bytes of `windows` that have a byte before and after.
    #[inline]
    pub(super) fn lines(&self, windows: &[u8; LINES_LEN + 2], block: &mut LineBlock) {
        match &self.avx512 {
            // SAFETY: an `Avx512` is only made where the machine has its features.
            Some(avx512) => unsafe { avx512.lines(windows, block) },
            // SAFETY: an `Avx2` is only made where the machine has AVX2.
            None => unsafe { self.avx2.lines(windows, block) },
        }
    }

    /// Returns one bit for each of 64 bytes of `window` at which one of `firsts` is.
    #[inline]
    pub(super) fn words(&self, window: &WordWindow, firsts: &[[u8; FIRST]]) -> u64 {
        // SAFETY: an `Avx2` is only made where the machine has AVX2.
        unsafe { words(window, firsts) }
    }

    /// Returns the outlook of `text`.
    #[inline]
    pub(super) fn outlook(&self, text: &[u8]) -> Outlook {
        match (&self.avx512, text.first_chunk()) {
            // SAFETY: an `Avx512` is only made where the machine has its features.
            (Some(avx512), _) => unsafe { avx512.outlook(text) },
            // SAFETY: an `Avx2` is only made where the machine has AVX2.
            (None, Some(window)) => unsafe { self.avx2.outlook(window) },
            // SAFETY: an `Avx2` is only made where the machine has AVX2.
            (None, None) => unsafe { self.avx2.outlook(&filled(text)) },
        }
    }
}
