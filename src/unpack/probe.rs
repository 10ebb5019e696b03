//! Decides whether a member begins where bytes look like the beginning of one: a
//! decoder tries the first of them.

use super::driver::{Advance, DecodeFailure, Driver, Fault, Then};
use super::magic::Compression;

/// The number of decoded bytes after which a member is accepted.
pub(super) const PROBE: usize = 32 << 10;
/// The number of bytes that decide, or all bytes of a shorter input: the same bytes for
/// every way of reading.
const PROBED: usize = 512;

/// Returns whether a member of `form` begins with `bytes`, and the cost of the test;
/// `None` when there are too few bytes. `whole` means that no bytes follow `bytes`.
pub(super) fn probe(form: Compression, bytes: &[u8], whole: bool) -> (Option<bool>, u64) {
    // The cost of a window is left to the decoder of the stream.
    let Some(mut driver) = Driver::of(form, 0) else {
        return (Some(true), 0);
    };
    driver.begin();
    let mut out = vec![0; 8 << 10];
    let bytes = &bytes[..bytes.len().min(PROBED)];
    let (mut read, mut written) = (0, 0);
    let verdict = loop {
        let driven = driver.step(&bytes[read..], whole, &mut out);
        read += driven.read;
        written += driven.written;
        match driven.progress {
            Advance::Goes if read.max(written) < PROBE => {}
            Advance::Hungry => break (bytes.len() == PROBED).then_some(true),
            Advance::Failed(DecodeFailure {
                fault: Fault::Damaged,
                then: Then::Stopped,
                ..
            }) => break Some(false),
            _ => break Some(true),
        }
    };
    // Creating a decoder also has a cost.
    (verdict, (read.max(written) + 1024) as u64)
}
