//! The filter byte by byte: for machines without the vector kernel, for the ends of a
//! text, and as the twin with which tests compare the vector kernel.

use super::table::{Filter, LANES};
use crate::syntax::masks::stops::ends_stretch;

/// Returns the bits of the 64 bytes from `at` on, like [`super::Kernel::next`].
pub(super) fn triggers(filter: &Filter, text: &[u8], at: usize) -> u64 {
    let end = text.len().min(at + LANES);
    let mut marks = 0u64;
    // Two plain comparisons for each byte, which the compiler vectorizes.
    for (i, &byte) in text[at..end].iter().enumerate() {
        marks |= u64::from((byte == b':') | (byte == b'3')) << i;
    }
    let mut bits = 0;
    while marks != 0 {
        let i = marks.trailing_zeros() as usize;
        marks &= marks - 1;
        let place = at + i;
        let before = if place > 0 { text[place - 1] } else { 0 };
        let passes = filter.passes(before, text[place], text.get(place + 1).copied());
        bits |= u64::from(passes) << i;
    }
    bits
}

/// Returns the stops among the 64 bytes from `at` on.
pub(super) fn stops(filter: &Filter, text: &[u8], at: usize) -> u64 {
    let bytes = text[at..].iter().take(LANES).enumerate();
    let ends = bytes.fold(0, |bits, (i, byte)| {
        bits | u64::from(ends_stretch(*byte)) << i
    });
    colons(filter, text, at) | ends
}

/// Returns the triggers among the 64 bytes from `at` on that are not behind a quotation mark.
pub(super) fn colons(filter: &Filter, text: &[u8], at: usize) -> u64 {
    triggers(filter, text, at) & !behind_quotes(text, at)
}

/// Returns the bits of the 64 bytes from `at` on before which a quotation mark stands.
fn behind_quotes(text: &[u8], at: usize) -> u64 {
    let before = at.saturating_sub(1);
    let bytes = text[before..].iter().take(LANES).enumerate();
    let bits = bytes.fold(0, |bits, (i, byte)| bits | u64::from(*byte == b'"') << i);
    if at == 0 { bits << 1 } else { bits }
}
