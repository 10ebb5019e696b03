//! The classes of lines of JSON with AVX-512, 64 bytes at a time: a comparison is a mask at
//! once. The other kernels of such a machine are those of `avx2`.

use super::table::{Filter, LANES, NibbleSets};
use crate::syntax::masks::line_masks::{LINES_LEN, LineBlock, LineMasks};
use std::arch::x86_64::*;

/// The filter's sets as shuffle tables, on a machine that has AVX-512.
#[derive(Clone, Debug)]
pub(super) struct Avx512(NibbleSets);

impl Avx512 {
    /// Returns the kernel, or `None` on a machine without AVX-512 for bytes.
    pub(super) fn new(filter: &Filter) -> Option<Avx512> {
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("pclmulqdq");
        has_all.then(|| Avx512(NibbleSets::new(filter)))
    }

    /// Sets the classes of the bytes of `windows` that have a byte before and after.
    #[inline]
    pub(super) fn lines(&self, windows: &[u8; LINES_LEN + 2], block: &mut LineBlock) {
        // SAFETY: an `Avx512` is only made where the machine has these features.
        unsafe { self.lines_avx512(windows, block) }
    }

    #[target_feature(enable = "avx512f,avx512bw,pclmulqdq")]
    fn lines_avx512(&self, windows: &[u8; LINES_LEN + 2], block: &mut LineBlock) {
        for (number, masks) in block.iter_mut().enumerate() {
            if let Some(window) = windows[number * LANES..].first_chunk() {
                *masks = self.line_masks(window);
            }
        }
    }

    /// Returns the classes of the 64 bytes of `window` that have a byte before and after.
    #[target_feature(enable = "avx512f,avx512bw,pclmulqdq")]
    #[inline]
    fn line_masks(&self, window: &[u8; LANES + 2]) -> LineMasks {
        const CASE: u8 = 0x20;
        let (this, after) = (load(window, 1), load(window, 2));
        let case = _mm512_set1_epi8(CASE as i8);
        // The brackets differ from the braces by this bit.
        let folded = _mm512_or_si512(this, case);
        let quote = is(this, b'"');
        let colon = is(this, b':');
        let escaped = is(this, b'3') & is(_mm512_or_si512(after, case), b'a');
        // Most colons of data are behind a string.
        let behind = quote << 1 | u64::from(window[0] == b'"');
        LineMasks {
            quote,
            quoted: prefix_xor(quote),
            backslash: is(this, b'\\'),
            line_feed: is(this, b'\n'),
            brackets: is(folded, b'{') | is(folded, b'}'),
            before: colon | is(this, b',') | is(this, b'['),
            colon,
            blank: is(this, b' '),
            word: member(&self.0.host, this),
            of_uri: self.triggers(window, after, (colon, escaped)) & !behind,
        }
    }

    /// Returns the possible triggers among colons and the "3" of escaped colons.
    #[target_feature(enable = "avx512f,avx512bw")]
    #[inline]
    fn triggers(
        &self,
        window: &[u8; LANES + 2],
        after: __m512i,
        (colon, escaped): (u64, u64),
    ) -> u64 {
        let before = load(window, 0);
        // A byte above 0x7F may follow: it has the sign bit.
        let follows = member(&self.0.after, after) | _mm512_movepi8_mask(after);
        let passes = member(&self.0.always, after) | member(&self.0.before, before) & follows;
        colon & passes | escaped & (is(before, b'0') | is(before, b'x'))
    }
}

/// Returns for each bit whether the number of set bits up to it is odd.
#[target_feature(enable = "pclmulqdq")]
#[inline]
fn prefix_xor(bits: u64) -> u64 {
    let product = _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(bits as i64), _mm_set1_epi8(-1));
    _mm_cvtsi128_si64(product) as u64
}

/// Returns the bits of the bytes that are `byte`.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn is(bytes: __m512i, byte: u8) -> u64 {
    _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8(byte as i8))
}

/// Returns the bits of the bytes that are in the set of `rows`.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn member(rows: &[u8; 16], bytes: __m512i) -> u64 {
    const PICK: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];
    let row = _mm512_shuffle_epi8(all(rows), bytes);
    let high = _mm512_and_si512(_mm512_srli_epi16::<4>(bytes), _mm512_set1_epi8(0x0F));
    _mm512_test_epi8_mask(row, _mm512_shuffle_epi8(all(&PICK), high))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn all(table: &[u8; 16]) -> __m512i {
    // SAFETY: 16 bytes are read from an array of 16 bytes; no alignment is required.
    let part = unsafe { _mm_loadu_si128(table.as_ptr().cast()) };
    _mm512_broadcast_i32x4(part)
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(window: &[u8; LANES + 2], at: usize) -> __m512i {
    let bytes = &window[at..at + LANES];
    // SAFETY: 64 bytes are read from a slice of 64 bytes; no alignment is required.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}
