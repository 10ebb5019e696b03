//! The kernels with AVX-512, 64 bytes at a time: a comparison is a mask at once, and a
//! permutation of 128 bytes looks the classes of bytes up. `x86` says what each function
//! returns.
//!
//! Processors with VBMI keep their clock for vectors of this width; older ones lower it, so
//! they use the kernels of `avx2`.

use super::table::{ByteClasses, Filter, LANES};
use super::windows::next_chunk;
use crate::syntax::Outlook;
use crate::syntax::masks::line_masks::{LINES_LEN, LineBlock, LineMasks};
use crate::syntax::words::CASE;
use std::arch::x86_64::*;

/// The filter's classes, on a machine that has AVX-512 with VBMI.
#[derive(Clone, Debug)]
pub(super) struct Avx512(ByteClasses);

/// Which of 64 bytes are a colon, or the "3" of an escaped colon.
#[derive(Clone, Copy)]
struct Colons {
    colon: u64,
    escaped: u64,
}

impl Avx512 {
    /// Returns the kernels, or `None` on a machine without these features. No part of its caller,
    /// so that the counts of that one hold whether or not it calls [`Avx512::counted`].
    #[inline(never)]
    pub(super) fn new(filter: &Filter) -> Option<Avx512> {
        let has_all = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("pclmulqdq");
        has_all.then(|| Avx512(ByteClasses::new(filter)))
    }

    /// Returns the kernels of a program that counts for a profile. It has to run as on a machine
    /// without these features, too: what is never counted is compiled as what is never used.
    #[cfg(profiled)]
    #[inline(never)]
    pub(super) fn counted(filter: &Filter) -> Option<Avx512> {
        match std::env::var_os("URISIEVE_AVX2") {
            Some(_) => None,
            None => Avx512::new(filter),
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn next(&self, text: &[u8], at: usize) -> (usize, u64) {
        next_chunk(text, at, |window| self.triggers(window))
    }

    /// Returns the bits of the 64 bytes of `window` that have a byte before and after.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    fn triggers(&self, window: &[u8; LANES + 2]) -> u64 {
        self.triggers_of(load(window, 1), load(window, 2), || load(window, 0))
    }

    /// Returns the bits of the 64 bytes of `text` from `at` on.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn chunk(&self, text: &[u8], at: usize) -> u64 {
        let [before, this, after] = load_around(text, at);
        self.triggers_of(this, after, || before)
    }

    /// Returns the possible triggers among the bytes of `this`, before which are those that
    /// `before` loads: most bytes have no colon.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    fn triggers_of(&self, this: __m512i, after: __m512i, before: impl FnOnce() -> __m512i) -> u64 {
        let colons = colons(this, after);
        match colons.colon | colons.escaped {
            0 => 0,
            _ => self.passing(before(), after, colons),
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn stops(&self, text: &[u8], at: usize) -> u64 {
        let [before, this, after] = load_around(text, at);
        let ends = is(this, b'"') | is(this, b'\\') | is(this, b'\n');
        // Most colons of data are behind a string.
        let behind = is(before, b'"');
        ends | self.passing(before, after, colons(this, after)) & !behind
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    pub(super) fn outlook(&self, text: &[u8]) -> Outlook {
        // NUL ends a candidate as the end of the text does.
        let bytes = load_short(text, _mm512_setzero_si512());
        let from_a = _mm512_sub_epi8(bytes, _mm512_set1_epi8(b'A' as i8));
        let classes = self.classes(bytes);
        Outlook {
            stops: !has(classes, ByteClasses::PLAIN),
            host: has(classes, ByteClasses::HOST),
            upper: _mm512_cmplt_epu8_mask(from_a, _mm512_set1_epi8(26)),
            percent: is(bytes, b'%'),
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,pclmulqdq")]
    pub(super) fn lines(&self, windows: &[u8; LINES_LEN + 2], block: &mut LineBlock) {
        for (number, masks) in block.iter_mut().enumerate() {
            if let Some(window) = windows[number * LANES..].first_chunk() {
                *masks = self.line_masks(window);
            }
        }
    }

    /// Returns the classes of the 64 bytes of `window` that have a byte before and after.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi,pclmulqdq")]
    #[inline]
    fn line_masks(&self, window: &[u8; LANES + 2]) -> LineMasks {
        let (before, this, after) = (load(window, 0), load(window, 1), load(window, 2));
        // The brackets differ from the braces by this bit.
        let folded = _mm512_or_si512(this, _mm512_set1_epi8(CASE as i8));
        let quote = is(this, b'"');
        let colons = colons(this, after);
        // Most colons of data are behind a string.
        let behind = quote << 1 | u64::from(window[0] == b'"');
        LineMasks {
            quote,
            quoted: prefix_xor(quote),
            backslash: is(this, b'\\'),
            line_feed: is(this, b'\n'),
            brackets: is(folded, b'{') | is(folded, b'}'),
            before: colons.colon | is(this, b',') | is(this, b'['),
            colon: colons.colon,
            blank: is(this, b' '),
            word: has(self.classes(this), ByteClasses::HOST),
            of_uri: self.passing(before, after, colons) & !behind,
        }
    }

    /// Returns the possible triggers among `colons`, by the bytes before and after each.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    fn passing(&self, before: __m512i, after: __m512i, colons: Colons) -> u64 {
        let follows = self.classes(after);
        // A byte above 0x7F may follow: it has the sign bit.
        let opaque = has(self.classes(before), ByteClasses::BEFORE)
            & (has(follows, ByteClasses::AFTER) | _mm512_movepi8_mask(after));
        let digits = is(before, b'0') | is(before, b'x');
        colons.colon & (has(follows, ByteClasses::ALWAYS) | opaque) | colons.escaped & digits
    }

    /// Returns the classes of each byte; none for a byte above 0x7F.
    #[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
    #[inline]
    fn classes(&self, bytes: __m512i) -> __m512i {
        let [low, high] = [load(&self.0.0, 0), load(&self.0.0, LANES)];
        let ascii = !_mm512_movepi8_mask(bytes);
        _mm512_maskz_permutex2var_epi8(ascii, low, bytes, high)
    }
}

/// Returns the colons among 64 bytes, before each of those in `after`.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn colons(this: __m512i, after: __m512i) -> Colons {
    let lower = _mm512_or_si512(after, _mm512_set1_epi8(CASE as i8));
    Colons {
        colon: is(this, b':'),
        escaped: is(this, b'3') & is(lower, b'a'),
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

/// Returns the bits of the bytes whose `classes` have `class`.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn has(classes: __m512i, class: u8) -> u64 {
    _mm512_test_epi8_mask(classes, _mm512_set1_epi8(class as i8))
}

#[target_feature(enable = "avx512f")]
#[inline]
fn load(bytes: &[u8], at: usize) -> __m512i {
    let bytes = &bytes[at..at + LANES];
    // SAFETY: 64 bytes are read from a slice of 64 bytes; no alignment is required.
    unsafe { _mm512_loadu_si512(bytes.as_ptr().cast()) }
}

/// Returns the first 64 bytes of `text`, and those of `behind` after its end. Without a copy into
/// 64 bytes, whose load would wait for the stores of its parts.
#[target_feature(enable = "avx512f,avx512bw")]
#[inline]
fn load_short(text: &[u8], behind: __m512i) -> __m512i {
    let lanes = match text.len() {
        len @ 0..LANES => (1 << len) - 1,
        _ => u64::MAX,
    };
    // SAFETY: the bytes of `lanes` are read, which are in the slice; no alignment is required.
    unsafe { _mm512_mask_loadu_epi8(behind, lanes, text.as_ptr().cast()) }
}

/// Returns the 64 bytes of `text` from `at` on, between those before and those after each. Before
/// the text is NUL, before which no scheme is, and behind it `/`, so that a colon at its end passes.
#[target_feature(enable = "avx512f,avx512bw,avx512vbmi")]
#[inline]
fn load_around(text: &[u8], at: usize) -> [__m512i; 3] {
    let behind = _mm512_set1_epi8(b'/' as i8);
    let rest = &text[at..];
    let this = load_short(rest, behind);
    let before = match at {
        0 => {
            let one_less: [u8; LANES] = std::array::from_fn(|lane| lane.saturating_sub(1) as u8);
            _mm512_maskz_permutexvar_epi8(!1, load(&one_less, 0), this)
        }
        _ => load_short(&text[at - 1..], behind),
    };
    let after = load_short(rest.get(1..).unwrap_or_default(), behind);
    [before, this, after]
}
