//! Whether a member begins where bytes look like the beginning of one: a decoder
//! tries the first of them.

use super::driver::{Driver, Failure, Fault, Progress, Then};
use super::magic::Compression;

/// A member that gives so many bytes is believed in.
pub(super) const PROBE: usize = 32 << 10;
/// It is judged by the first so many, or by all there are: by the same ones however
/// they come.
const PROBED: usize = 512;

/// Whether a member of `form` begins with `bytes`, which nothing follows when they
/// are the `whole`, and what it cost to know; `None` when there are too few to tell.
pub(super) fn probe(form: Compression, bytes: &[u8], whole: bool) -> (Option<bool>, u64) {
    let Some(mut driver) = Driver::of(form) else {
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
            Progress::Goes if read.max(written) < PROBE => {}
            Progress::Hungry => break (bytes.len() == PROBED).then_some(true),
            Progress::Failed(Failure {
                fault: Fault::Damaged,
                then: Then::Stopped,
                ..
            }) => break Some(false),
            _ => break Some(true),
        }
    };
    // Making a decoder costs, too.
    (verdict, (read.max(written) + 1024) as u64)
}
