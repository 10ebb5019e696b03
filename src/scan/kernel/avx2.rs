//! The kernels with AVX2, 32 bytes at a time: the filter (every colon and the bytes
//! before and after it) and the masks of an outlook. `x86` says what each function returns.
//!
//! Membership in a set of ASCII bytes is two shuffles: `rows[low nibble]` has
//! bit h set when the byte `h << 4 | low` is in the set, `1 << high nibble`
//! picks that bit. A byte above 0x7F picks nothing.

use super::table::{Filter, LANES, NibbleSets};
use super::windows::next_chunk;
use crate::syntax::Outlook;
use crate::syntax::masks::line_masks::{LINES_LEN, LineBlock, LineMasks, prefix_xor};
use crate::syntax::words::{CASE, FIRST, WordWindow};
use std::arch::x86_64::*;

/// The filter's sets as shuffle tables, on a machine that has AVX2.
#[derive(Clone, Debug)]
pub(super) struct Avx2(NibbleSets);

impl Avx2 {
    /// Returns the kernels, or `None` on a machine without AVX2.
    pub(super) fn new(filter: &Filter) -> Option<Avx2> {
        if !is_x86_feature_detected!("avx2") {
            return None;
        }
        Some(Avx2(NibbleSets::new(filter)))
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn lines(&self, windows: &[u8; LINES_LEN + 2], block: &mut LineBlock) {
        for (number, masks) in block.iter_mut().enumerate() {
            if let Some(window) = windows[number * LANES..].first_chunk() {
                self.line_masks(window, masks);
            }
        }
    }

    /// Sets the classes of the 64 bytes of `window` that have a byte before and after.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn line_masks(&self, window: &[u8; LANES + 2], masks: &mut LineMasks) {
        let (low, high) = (load(window, 1), load(window, 33));
        let (low_marks, high_marks) = (marks(window, 0), marks(window, 32));
        let are = |(low, high): (__m256i, __m256i), byte: u8| {
            let wanted = _mm256_set1_epi8(byte as i8);
            (
                _mm256_cmpeq_epi8(low, wanted),
                _mm256_cmpeq_epi8(high, wanted),
            )
        };
        let is = |byte: u8| are((low, high), byte);
        let either = |a: (__m256i, __m256i), b: (__m256i, __m256i)| {
            (_mm256_or_si256(a.0, b.0), _mm256_or_si256(a.1, b.1))
        };
        let bits = |(low, high): (__m256i, __m256i)| {
            let (low, high) = (_mm256_movemask_epi8(low), _mm256_movemask_epi8(high));
            u64::from(high as u32) << 32 | u64::from(low as u32)
        };
        // The brackets differ from the braces by this bit.
        let case = _mm256_set1_epi8(CASE as i8);
        let folded = (_mm256_or_si256(low, case), _mm256_or_si256(high, case));
        let brackets = either(are(folded, b'{'), are(folded, b'}'));
        let colon = (low_marks.colon, high_marks.colon);
        let word = (member(&self.0.host, low), member(&self.0.host, high));
        masks.quote = bits(is(b'"'));
        masks.quoted = prefix_xor(masks.quote);
        masks.backslash = bits(is(b'\\'));
        masks.line_feed = bits(is(b'\n'));
        masks.brackets = bits(brackets);
        masks.before = bits(either(either(colon, is(b',')), is(b'[')));
        masks.colon = bits(colon);
        masks.blank = bits(is(b' '));
        masks.word = bits(word);
        // Most colons of data are behind a string.
        let behind = masks.quote << 1 | u64::from(window[0] == b'"');
        let escaped = _mm256_or_si256(low_marks.escaped, high_marks.escaped);
        let may_be = masks.colon & !behind != 0 || _mm256_testz_si256(escaped, escaped) == 0;
        masks.of_uri = match may_be {
            false => 0,
            true => {
                let low = u64::from(self.half(window, 0, &low_marks));
                let high = u64::from(self.half(window, 32, &high_marks));
                (high << 32 | low) & !behind
            }
        };
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn stops(&self, window: &[u8; LANES + 2]) -> u64 {
        let (low, high) = (marks(window, 0), marks(window, 32));
        let stops = u64::from(ends(window, 32)) << 32 | u64::from(ends(window, 0));
        // Most colons of data are behind a string.
        let quote = _mm256_set1_epi8(b'"' as i8);
        let low_quoted = _mm256_cmpeq_epi8(load(window, 0), quote);
        let high_quoted = _mm256_cmpeq_epi8(load(window, 32), quote);
        let colons = _mm256_or_si256(
            _mm256_andnot_si256(low_quoted, low.colon),
            _mm256_andnot_si256(high_quoted, high.colon),
        );
        let escaped = _mm256_or_si256(low.escaped, high.escaped);
        let any = _mm256_or_si256(colons, escaped);
        if _mm256_testz_si256(any, any) != 0 {
            return stops;
        }
        let low = self.half(window, 0, &low) & !(_mm256_movemask_epi8(low_quoted) as u32);
        let high = self.half(window, 32, &high) & !(_mm256_movemask_epi8(high_quoted) as u32);
        stops | u64::from(high) << 32 | u64::from(low)
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn next(&self, text: &[u8], at: usize) -> (usize, u64) {
        next_chunk(text, at, |window| self.triggers(window))
    }

    #[target_feature(enable = "avx2")]
    pub(super) fn outlook(&self, window: &[u8; LANES]) -> Outlook {
        let (low, high) = (self.ahead(window, 0), self.ahead(window, 32));
        let both = |low: u32, high: u32| u64::from(high) << 32 | u64::from(low);
        Outlook {
            stops: both(low[0], high[0]),
            host: !both(low[1], high[1]),
            upper: both(low[2], high[2]),
            percent: both(low[3], high[3]),
        }
    }

    /// Returns four masks of 32 bytes: those that stop, those not of a host, capital
    /// letters and percent signs.
    #[target_feature(enable = "avx2")]
    #[inline]
    fn ahead(&self, window: &[u8; LANES], at: usize) -> [u32; 4] {
        let bytes = load(window, at);
        // Shifted so that "A" becomes 0x80: capital letters are then the 26 least of
        // the signed bytes.
        let shifted = _mm256_add_epi8(bytes, _mm256_set1_epi8(0x80u8.wrapping_sub(b'A') as i8));
        let upper = _mm256_cmpgt_epi8(_mm256_set1_epi8(-128 + 26), shifted);
        let percent = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'%' as i8));
        [
            _mm256_movemask_epi8(outside(&self.0.plain, bytes)) as u32,
            _mm256_movemask_epi8(outside(&self.0.host, bytes)) as u32,
            _mm256_movemask_epi8(upper) as u32,
            _mm256_movemask_epi8(percent) as u32,
        ]
    }

    /// Returns the bits of the 64 bytes of `window` that have a byte before and after.
    #[target_feature(enable = "avx2")]
    #[inline]
    pub(super) fn triggers(&self, window: &[u8; LANES + 2]) -> u64 {
        let marked = [marks(window, 0), marks(window, 32)];
        let either = _mm256_or_si256(
            _mm256_or_si256(marked[0].colon, marked[0].escaped),
            _mm256_or_si256(marked[1].colon, marked[1].escaped),
        );
        if _mm256_testz_si256(either, either) != 0 {
            return 0;
        }
        let low = u64::from(self.half(window, 0, &marked[0]));
        let high = u64::from(self.half(window, 32, &marked[1]));
        high << 32 | low
    }

    #[target_feature(enable = "avx2")]
    #[inline]
    fn half(&self, window: &[u8; LANES + 2], at: usize, marks: &ColonMarks) -> u32 {
        let ColonMarks {
            after,
            colon,
            escaped,
        } = *marks;
        let before = load(window, at);
        let opaque = _mm256_and_si256(
            member(&self.0.before, before),
            // A byte above 0x7F may follow: it has the sign bit.
            _mm256_or_si256(
                member(&self.0.after, after),
                _mm256_cmpgt_epi8(_mm256_setzero_si256(), after),
            ),
        );
        let passes = _mm256_or_si256(member(&self.0.always, after), opaque);
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

/// The bytes after 32 bytes, and which of the 32 are a colon or the "3" of an escaped
/// colon.
#[derive(Clone, Copy)]
struct ColonMarks {
    after: __m256i,
    colon: __m256i,
    escaped: __m256i,
}

/// Returns the marks of the 32 bytes from `at + 1` on.
#[target_feature(enable = "avx2")]
#[inline]
fn marks(window: &[u8; LANES + 2], at: usize) -> ColonMarks {
    let this = load(window, at + 1);
    let after = load(window, at + 2);
    let lower = _mm256_or_si256(after, _mm256_set1_epi8(0x20));
    ColonMarks {
        after,
        colon: _mm256_cmpeq_epi8(this, _mm256_set1_epi8(b':' as i8)),
        escaped: _mm256_and_si256(
            _mm256_cmpeq_epi8(this, _mm256_set1_epi8(b'3' as i8)),
            _mm256_cmpeq_epi8(lower, _mm256_set1_epi8(b'a' as i8)),
        ),
    }
}

/// Returns the bits of the 32 bytes from `at + 1` on that end a stretch of a string.
#[target_feature(enable = "avx2")]
#[inline]
fn ends(window: &[u8; LANES + 2], at: usize) -> u32 {
    let bytes = load(window, at + 1);
    let is = |byte: u8| _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8));
    let ends = _mm256_or_si256(_mm256_or_si256(is(b'"'), is(b'\\')), is(b'\n'));
    _mm256_movemask_epi8(ends) as u32
}

#[target_feature(enable = "avx2")]
pub(super) fn words(window: &WordWindow, firsts: &[[u8; FIRST]]) -> u64 {
    let case = _mm256_set1_epi8(CASE as i8);
    let lower = |at: usize| _mm256_or_si256(load(window, at), case);
    let bytes = [0, 1, 2, 32, 33, 34].map(lower);
    let mut found = [_mm256_setzero_si256(); 2];
    for first in firsts {
        let wanted = first.map(|byte| _mm256_set1_epi8(byte as i8));
        for (half, found) in found.iter_mut().enumerate() {
            let is = |i: usize| _mm256_cmpeq_epi8(bytes[3 * half + i], wanted[i]);
            let all = _mm256_and_si256(_mm256_and_si256(is(0), is(1)), is(2));
            *found = _mm256_or_si256(*found, all);
        }
    }
    let [low, high] = found.map(|found| _mm256_movemask_epi8(found) as u32);
    u64::from(high) << 32 | u64::from(low)
}

/// Returns 0xFF for each byte of `bytes` that is in the set of `rows`.
#[target_feature(enable = "avx2")]
#[inline]
fn member(rows: &[u8; 16], bytes: __m256i) -> __m256i {
    _mm256_xor_si256(outside(rows, bytes), _mm256_set1_epi8(-1))
}

/// Returns 0xFF for each byte of `bytes` that is not in the set of `rows`.
#[target_feature(enable = "avx2")]
#[inline]
fn outside(rows: &[u8; 16], bytes: __m256i) -> __m256i {
    const PICK: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];
    let row = _mm256_shuffle_epi8(both(rows), bytes);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(bytes), _mm256_set1_epi8(0x0F));
    let picked = _mm256_and_si256(row, _mm256_shuffle_epi8(both(&PICK), high));
    _mm256_cmpeq_epi8(picked, _mm256_setzero_si256())
}

#[target_feature(enable = "avx2")]
#[inline]
fn both(table: &[u8; 16]) -> __m256i {
    // SAFETY: 16 bytes are read from an array of 16 bytes; no alignment is required.
    let half = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
    _mm256_broadcastsi128_si256(half)
}

#[target_feature(enable = "avx2")]
#[inline]
fn load(window: &[u8], at: usize) -> __m256i {
    let bytes = &window[at..at + 32];
    // SAFETY: 32 bytes are read from a slice of 32 bytes; no alignment is required.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}
