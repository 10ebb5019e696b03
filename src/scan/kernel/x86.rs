//! The kernels of x86-64: those with AVX-512 where the machine has it, or those with AVX2.

use super::avx2::Avx2;
use super::avx512::Avx512;
use super::table::{Filter, LANES};
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
        let avx512 = Avx512::new(filter);
        Some(X86 {
            avx2: Avx2::new(filter)?,
            avx512,
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
            Some(avx512) => avx512.next(text, at),
            None => self.avx2.next(text, at),
        }
    }

    /// Returns the bits of the 64 bytes of `window` that have a byte before and after.
    #[inline]
    pub(super) fn window(&self, window: &[u8; LANES + 2]) -> u64 {
        match &self.avx512 {
            Some(avx512) => avx512.window(window),
            None => self.avx2.window(window),
        }
    }

    /// Returns the stops among the 64 bytes of `window` that have a byte before and after.
    #[inline]
    pub(super) fn stops(&self, window: &[u8; LANES + 2]) -> u64 {
        match &self.avx512 {
            Some(avx512) => avx512.stops(window),
            None => self.avx2.stops(window),
        }
    }

    /// Sets the classes of the bytes of `windows` that have a byte before and after.
    #[inline]
    pub(super) fn lines(&self, windows: &[u8; LINES_LEN + 2], block: &mut LineBlock) {
        match &self.avx512 {
            Some(avx512) => avx512.lines(windows, block),
            None => self.avx2.lines(windows, block),
        }
    }

    /// Returns one bit for each of 64 bytes of `window` at which one of `firsts` is.
    #[inline]
    pub(super) fn words(&self, window: &WordWindow, firsts: &[[u8; FIRST]]) -> u64 {
        self.avx2.words(window, firsts)
    }

    /// Returns the outlook of `window`.
    #[inline]
    pub(super) fn outlook(&self, window: &[u8; LANES]) -> Outlook {
        match &self.avx512 {
            Some(avx512) => avx512.outlook(window),
            None => self.avx2.outlook(window),
        }
    }
}
