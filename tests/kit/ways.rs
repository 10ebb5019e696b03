//! Ways of reading one source, and damage that is the same each time.

use urisieve::input::Source;
use urisieve::{Mode, Sieve, Sink, Stats};

/// The result that a sink collects for every occurrence in `source`.
pub fn run<S: Sink + Default + Send>(source: Source, block: usize, threads: usize) -> (S, Stats) {
    let sieve = Sieve::builder()
        .mode(Mode::All)
        .block_size(block)
        .threads(threads)
        .build();
    let mut sink = S::default();
    let stats = sieve.run([source], &mut sink).unwrap();
    (sink, stats)
}

/// Numbers that look random and are the same each time.
#[allow(dead_code)] // Not every test damages anything.
pub struct Numbers(pub u64);

#[allow(dead_code)]
impl Numbers {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) as usize % most
    }
}
