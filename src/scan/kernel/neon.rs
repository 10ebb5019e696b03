//! The kernels with NEON, 16 bytes at a time: the filter (every colon and the bytes
//! before and after it) and the masks of an outlook. Every AArch64 machine has NEON.
//!
//! Membership in a set of ASCII bytes is two table look-ups: `rows[low nibble]` has
//! bit h set when the byte `h << 4 | low` is in the set, `1 << high nibble` picks that
//! bit. A byte above 0x7F picks nothing.

use super::table::{Filter, LANES, NibbleSets};
use super::windows::{ends_of, filled, next_chunk, with_ends};
use crate::syntax::Outlook;
use crate::syntax::masks::line_masks::{LINES_LEN, LineBlock, LineMasks, prefix_xor};
use std::arch::aarch64::*;

/// The filter's sets as tables.
#[derive(Clone, Debug)]
pub(super) struct Neon(NibbleSets);

impl Neon {
    /// Returns the kernels, never `None`: every AArch64 machine has NEON.
    pub(super) fn new(filter: &Filter) -> Option<Neon> {
        Some(Neon(NibbleSets::new(filter)))
    }

    /// Returns the offset and the bits of the next chunk of 64 bytes from `at` on that
    /// has a bit set and a byte after it. If no chunk has, returns the offset from which
    /// too few bytes are left, and no bits. `at` is not 0.
    #[inline]
    pub(super) fn next(&self, text: &[u8], at: usize) -> (usize, u64) {
        next_chunk(text, at, |window| self.window(window))
    }

    /// Returns the outlook of `text`.
    #[inline]
    pub(super) fn outlook(&self, text: &[u8]) -> Outlook {
        match text.first_chunk() {
            // SAFETY: every AArch64 machine has NEON.
            Some(window) => unsafe { self.outlook_neon(window) },
            // SAFETY: every AArch64 machine has NEON.
            None => unsafe { self.outlook_neon(&filled(text)) },
        }
    }

    #[target_feature(enable = "neon")]
    fn outlook_neon(&self, window: &[u8; LANES]) -> Outlook {
        let bytes = [0, 16, 32, 48].map(|at| load(window, at));
        let upper = |bytes| vcltq_u8(vsubq_u8(bytes, vdupq_n_u8(b'A')), vdupq_n_u8(26));
        Outlook {
            stops: !bits(bytes.map(|bytes| member(&self.0.plain, bytes))),
            host: bits(bytes.map(|bytes| member(&self.0.host, bytes))),
            upper: bits(bytes.map(upper)),
            percent: bits(bytes.map(|bytes| vceqq_u8(bytes, vdupq_n_u8(b'%')))),
        }
    }

    /// Returns the bits of the 64 bytes of `text` from `at` on, before or after which there may be
    /// no byte.
    #[inline]
    pub(super) fn chunk(&self, text: &[u8], at: usize) -> u64 {
        self.window(&ends_of(text, at))
    }

    /// Returns the bits of the 64 bytes of `window` that have a byte before and after.
    #[inline]
    fn window(&self, window: &[u8; LANES + 2]) -> u64 {
        // SAFETY: every AArch64 machine has NEON.
        unsafe { self.triggers_neon(window) }
    }

    /// Returns the stops among the 64 bytes of `text` from `at` on.
    #[inline]
    pub(super) fn stops(&self, text: &[u8], at: usize) -> u64 {
        with_ends(text, at, |window| {
            // SAFETY: every AArch64 machine has NEON.
            unsafe { self.triggers_neon(window) & !quoted(window) | ends(window) }
        })
    }

    /// Sets the classes of the bytes of `windows` that have a byte before and after.
    #[inline]
    pub(super) fn lines(&self, windows: &[u8; LINES_LEN + 2], block: &mut LineBlock) {
        for (number, masks) in block.iter_mut().enumerate() {
            if let Some(window) = windows[number * LANES..].first_chunk() {
                // SAFETY: every AArch64 machine has NEON.
                *masks = unsafe { self.lines_neon(window) };
            }
        }
    }

    #[target_feature(enable = "neon")]
    fn lines_neon(&self, window: &[u8; LANES + 2]) -> LineMasks {
        let bytes = [1, 17, 33, 49].map(|at| load(window, at));
        let is = |byte: u8| bits(bytes.map(|bytes| vceqq_u8(bytes, vdupq_n_u8(byte))));
        let (colon, opener) = (is(b':'), is(b'['));
        let quote = is(b'"');
        LineMasks {
            quote,
            quoted: prefix_xor(quote),
            backslash: is(b'\\'),
            line_feed: is(b'\n'),
            brackets: opener | is(b']') | is(b'{') | is(b'}'),
            before: colon | is(b',') | opener,
            colon,
            blank: is(b' '),
            word: bits(bytes.map(|bytes| member(&self.0.host, bytes))),
            of_uri: self.triggers_neon(window) & !quoted(window),
        }
    }

    #[target_feature(enable = "neon")]
    fn triggers_neon(&self, window: &[u8; LANES + 2]) -> u64 {
        let marked = [0, 16, 32, 48].map(|at| marks(window, at));
        let any = marked.map(|marks| vorrq_u8(marks.colon, marks.escaped));
        let any = vorrq_u8(vorrq_u8(any[0], any[1]), vorrq_u8(any[2], any[3]));
        if vmaxvq_u8(any) == 0 {
            return 0;
        }
        bits([0, 1, 2, 3].map(|part| self.quarter(window, 16 * part, &marked[part])))
    }

    /// Returns 0xFF for each trigger among the 16 bytes from `at + 1` on.
    #[target_feature(enable = "neon")]
    #[inline]
    fn quarter(&self, window: &[u8; LANES + 2], at: usize, marks: &NeonMarks) -> uint8x16_t {
        let NeonMarks {
            after,
            colon,
            escaped,
        } = *marks;
        let before = load(window, at);
        // A byte above 0x7F may follow.
        let follows = vorrq_u8(
            member(&self.0.after, after),
            vcgeq_u8(after, vdupq_n_u8(0x80)),
        );
        let opaque = vandq_u8(member(&self.0.before, before), follows);
        let passes = vorrq_u8(member(&self.0.always, after), opaque);
        let is_zero = vceqq_u8(before, vdupq_n_u8(b'0'));
        let digits = vorrq_u8(is_zero, vceqq_u8(before, vdupq_n_u8(b'x')));
        vorrq_u8(vandq_u8(colon, passes), vandq_u8(escaped, digits))
    }
}

/// The bytes after 16 bytes, and which of the 16 are a colon or the "3" of an escaped
/// colon.
#[derive(Clone, Copy)]
struct NeonMarks {
    after: uint8x16_t,
    colon: uint8x16_t,
    escaped: uint8x16_t,
}

/// Returns the marks of the 16 bytes from `at + 1` on.
#[target_feature(enable = "neon")]
#[inline]
fn marks(window: &[u8; LANES + 2], at: usize) -> NeonMarks {
    let this = load(window, at + 1);
    let after = load(window, at + 2);
    let lower = vorrq_u8(after, vdupq_n_u8(0x20));
    NeonMarks {
        after,
        colon: vceqq_u8(this, vdupq_n_u8(b':')),
        escaped: vandq_u8(
            vceqq_u8(this, vdupq_n_u8(b'3')),
            vceqq_u8(lower, vdupq_n_u8(b'a')),
        ),
    }
}

/// Returns the bits of the 64 bytes behind the first one before which a quotation mark stands.
#[target_feature(enable = "neon")]
fn quoted(window: &[u8; LANES + 2]) -> u64 {
    bits([0, 16, 32, 48].map(|at| vceqq_u8(load(window, at), vdupq_n_u8(b'"'))))
}

/// Returns the bits of the 64 bytes behind the first one that end a stretch of a string.
#[target_feature(enable = "neon")]
fn ends(window: &[u8; LANES + 2]) -> u64 {
    let is = |bytes, byte| vceqq_u8(bytes, vdupq_n_u8(byte));
    bits([0, 16, 32, 48].map(|at| {
        let bytes = load(window, at + 1);
        let escapes = vorrq_u8(is(bytes, b'\\'), is(bytes, b'\n'));
        vorrq_u8(is(bytes, b'"'), escapes)
    }))
}

/// Returns 0xFF for each byte of `bytes` that is in the set of `rows`.
#[target_feature(enable = "neon")]
#[inline]
fn member(rows: &[u8; 16], bytes: uint8x16_t) -> uint8x16_t {
    const PICK: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 0, 0, 0, 0, 0, 0, 0, 0];
    let row = vqtbl1q_u8(load(rows, 0), vandq_u8(bytes, vdupq_n_u8(0x0F)));
    let picked = vqtbl1q_u8(load(&PICK, 0), vshrq_n_u8::<4>(bytes));
    vtstq_u8(row, picked)
}

/// Returns one bit for each byte of four times 16 bytes, which are 0 or 0xFF.
#[target_feature(enable = "neon")]
#[inline]
fn bits(bytes: [uint8x16_t; 4]) -> u64 {
    const WEIGHTS: [u8; 16] = [1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128];
    let weights = load(&WEIGHTS, 0);
    let [a, b, c, d] = bytes.map(|bytes| vandq_u8(bytes, weights));
    // Neighbours are added three times: eight bytes become one.
    let sums = vpaddq_u8(vpaddq_u8(a, b), vpaddq_u8(c, d));
    let sums = vpaddq_u8(sums, sums);
    vgetq_lane_u64::<0>(vreinterpretq_u64_u8(sums))
}

#[target_feature(enable = "neon")]
#[inline]
fn load(bytes: &[u8], at: usize) -> uint8x16_t {
    let bytes = &bytes[at..at + 16];
    // SAFETY: 16 bytes are read from a slice of 16 bytes; no alignment is required.
    unsafe { vld1q_u8(bytes.as_ptr()) }
}
