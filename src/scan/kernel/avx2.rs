//! The filter with AVX2: every colon and its two neighbours, 32 at a time.
//!
//! Membership in a set of ASCII bytes is two shuffles: `rows[low nibble]` has
//! bit h set when the byte `h << 4 | low` is in the set, `1 << high nibble`
//! picks that bit. A byte above 0x7F picks nothing.

use super::table::{Filter, LANES, always_after};
use std::arch::x86_64::*;

/// The filter's sets as shuffle tables, on a machine that has AVX2.
#[derive(Clone, Debug)]
pub(super) struct Avx2 {
    before: [u8; 16],
    after: [u8; 16],
    always: [u8; 16],
}

impl Avx2 {
    /// `None` on a machine without AVX2.
    pub(super) fn new(filter: &Filter) -> Option<Avx2> {
        if !is_x86_feature_detected!("avx2") {
            return None;
        }
        Some(Avx2 {
            before: rows(|byte| filter.before[byte as usize]),
            after: rows(|byte| filter.after[byte as usize]),
            always: rows(always_after),
        })
    }

    /// The bits of the 64 bytes of `window` that have a byte before and after.
    #[inline]
    pub(super) fn triggers(&self, window: &[u8; LANES + 2]) -> u64 {
        // SAFETY: an `Avx2` is only made where the machine has AVX2.
        unsafe { self.triggers_avx2(window) }
    }

    #[target_feature(enable = "avx2")]
    fn triggers_avx2(&self, window: &[u8; LANES + 2]) -> u64 {
        let low = u64::from(self.half(window, 0));
        let high = u64::from(self.half(window, 32));
        high << 32 | low
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn half(&self, window: &[u8; LANES + 2], at: usize) -> u32 {
        let this = load(window, at + 1);
        let after = load(window, at + 2);
        let colon = _mm256_cmpeq_epi8(this, _mm256_set1_epi8(b':' as i8));
        let lower = _mm256_or_si256(after, _mm256_set1_epi8(0x20));
        let escaped = _mm256_and_si256(
            _mm256_cmpeq_epi8(this, _mm256_set1_epi8(b'3' as i8)),
            _mm256_cmpeq_epi8(lower, _mm256_set1_epi8(b'a' as i8)),
        );
        let either = _mm256_or_si256(colon, escaped);
        if _mm256_testz_si256(either, either) != 0 {
            return 0;
        }
        let before = load(window, at);
        let opaque = _mm256_and_si256(
            member(&self.before, before),
            // A byte above 0x7F may follow: its sign bit says so.
            _mm256_or_si256(
                member(&self.after, after),
                _mm256_cmpgt_epi8(_mm256_setzero_si256(), after),
            ),
        );
        let passes = _mm256_or_si256(member(&self.always, after), opaque);
        let digits = _mm256_or_si256(
            _mm256_cmpeq_epi8(before, _mm256_set1_epi8(b'0' as i8)),
            _mm256_cmpeq_epi8(before, _mm256_set1_epi8(b'x' as i8)),
        );
        let bits = _mm256_or_si256(
            _mm256_and_si256(colon, passes),
            _mm256_and_si256(escaped, digits),
        );
        _mm256_movemask_epi8(bits) as u32
    }
}

/// 0xFF for each byte of `bytes` that is in the set of `rows`.
#[target_feature(enable = "avx2")]
#[inline]
fn member(rows: &[u8; 16], bytes: __m256i) -> __m256i {
    const PICK: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];
    let row = _mm256_shuffle_epi8(both(rows), bytes);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), _mm256_set1_epi8(0x0F));
    let picked = _mm256_and_si256(row, _mm256_shuffle_epi8(both(&PICK), high));
    let none = _mm256_cmpeq_epi8(picked, _mm256_setzero_si256());
    _mm256_xor_si256(none, _mm256_set1_epi8(-1))
}

#[target_feature(enable = "avx2")]
#[inline]
fn both(table: &[u8; 16]) -> __m256i {
    // SAFETY: 16 bytes are read from an array of 16 bytes; no alignment is asked.
    let half = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
    _mm256_broadcastsi128_si256(half)
}

#[target_feature(enable = "avx2")]
#[inline]
fn load(window: &[u8; LANES + 2], at: usize) -> __m256i {
    let bytes = &window[at..at + 32];
    // SAFETY: 32 bytes are read from a slice of 32 bytes; no alignment is asked.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// For each low nibble one bit for each high nibble of the bytes in the set.
fn rows(is_member: impl Fn(u8) -> bool) -> [u8; 16] {
    let mut rows = [0u8; 16];
    for byte in 0..128u8 {
        if is_member(byte) {
            rows[(byte & 0x0F) as usize] |= 1 << (byte >> 4);
        }
    }
    rows
}
