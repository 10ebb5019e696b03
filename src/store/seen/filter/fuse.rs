//! A filter of hashes: a binary fuse filter with 8 bits (Graf and Lemire, Binary Fuse Filters:
//! Fast and Smaller Than Xor Filters, 2022). It never denies a hash that it was built of, and
//! confirms one other in 256. The parts into which hashes are divided are left to `parts`.

use crate::store::varint;

/// The number of seeds that are tried.
const TRIES: u64 = 8;

/// The longest segment.
const SEGMENT_MAX: f64 = (1 << 18) as f64;

/// The filter of a part.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::store::seen) struct FuseFilter {
    seed: u64,
    /// The length of a segment, a power of two, and that of all but the last two.
    segment: u32,
    span: u32,
    fingerprints: Vec<u8>,
}

/// The places of a hash, and its fingerprint.
fn places(hash: u64, segment: u32, span: u32) -> [usize; 3] {
    let first = ((u128::from(hash) * u128::from(span)) >> 64) as u32;
    let mask = segment - 1;
    [
        first as usize,
        ((first + segment) ^ ((hash >> 18) as u32 & mask)) as usize,
        ((first + 2 * segment) ^ (hash as u32 & mask)) as usize,
    ]
}

fn fingerprint(hash: u64) -> u8 {
    (hash ^ (hash >> 32)) as u8
}

/// Mixes the seed into a hash (the finalizer of MurmurHash3).
fn mixed(hash: u64, seed: u64) -> u64 {
    let mut mixed = hash.wrapping_add(seed);
    for factor in [0xFF51_AFD7_ED55_8CCD, 0xC4CE_B9FE_1A85_EC53] {
        mixed = (mixed ^ (mixed >> 33)).wrapping_mul(factor);
    }
    mixed ^ (mixed >> 33)
}

impl FuseFilter {
    /// Returns the filter of `hashes`, which differ from each other; `None` in the unlikely case
    /// that no seed does.
    pub(in crate::store::seen) fn new(hashes: &[u64]) -> Option<FuseFilter> {
        let number = (hashes.len() as f64).max(2.0);
        let segment = (number.ln() / 3.33_f64.ln() + 2.25).floor().exp2();
        let segment = segment.clamp(4.0, SEGMENT_MAX) as usize;
        let factor = (0.875 + 0.25 * 1e6_f64.ln() / number.ln()).max(1.125);
        let capacity = (number * factor).round() as usize;
        let segments = capacity.div_ceil(segment).saturating_sub(2).max(1);
        let (segment, span) = (segment as u32, (segments * segment) as u32);
        let len = (segments + 2) * segment as usize;
        let mut peeling = Peeling {
            combined: vec![0; len],
            counts: vec![0; len],
            hashes: Vec::with_capacity(hashes.len()),
            own: Vec::with_capacity(hashes.len()),
        };
        for number in 0..TRIES {
            let seed = mixed(number, 0x9E37_79B9_7F4A_7C15);
            if peeling.peel(hashes, (seed, segment, span)) {
                let mut fingerprints = vec![0; len];
                let peeled = peeling.hashes.iter().zip(&peeling.own);
                for (&hash, &place) in peeled.rev() {
                    let places = places(hash, segment, span);
                    let others = places.map(|at| fingerprints[at]);
                    let own = others.iter().fold(fingerprint(hash), |sum, one| sum ^ one);
                    // Its own place is still empty.
                    fingerprints[places[place as usize]] = own;
                }
                return Some(FuseFilter {
                    seed,
                    segment,
                    span,
                    fingerprints,
                });
            }
        }
        None
    }

    /// Returns whether the filter may have been built of `hash`.
    pub(in crate::store::seen) fn may_have(&self, hash: u64) -> bool {
        let hash = mixed(hash, self.seed);
        let places = places(hash, self.segment, self.span);
        let found = places.map(|at| self.fingerprints[at]);
        found.iter().fold(fingerprint(hash), |sum, one| sum ^ one) == 0
    }

    pub(in crate::store::seen) fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(&self.seed.to_le_bytes());
        varint::put(u64::from(self.segment), out);
        varint::put(u64::from(self.span), out);
        out.extend_from_slice(&self.fingerprints);
    }

    /// Returns the filter that was written, or `None` if the bytes are not one.
    pub(in crate::store::seen) fn read(bytes: &[u8]) -> Option<FuseFilter> {
        let (seed, mut rest) = bytes.split_first_chunk()?;
        let segment = u32::try_from(varint::take(&mut rest)).ok()?;
        let span = u32::try_from(varint::take(&mut rest)).ok()?;
        let is_sound = segment.is_power_of_two()
            && span > 0
            && span % segment == 0
            && u64::from(span) + 2 * u64::from(segment) == rest.len() as u64
            && rest.len() < 1 << 30;
        is_sound.then(|| FuseFilter {
            seed: u64::from_le_bytes(*seed),
            segment,
            span,
            fingerprints: rest.to_vec(),
        })
    }
}

/// The order in which hashes get their fingerprints, from the last one on.
struct Peeling {
    /// For each place the hashes that have it, combined, and their number, with the numbers of
    /// their places combined in the two low bits.
    combined: Vec<u64>,
    counts: Vec<u8>,
    /// The hashes so far, and which of its places each has for itself.
    hashes: Vec<u64>,
    own: Vec<u8>,
}

impl Peeling {
    /// Orders the hashes so that each has a place that no later one has. Returns whether there
    /// is such an order.
    fn peel(&mut self, hashes: &[u64], (seed, segment, span): (u64, u32, u32)) -> bool {
        let Peeling {
            combined,
            counts,
            hashes: peeled,
            own,
        } = self;
        combined.fill(0);
        counts.fill(0);
        peeled.clear();
        own.clear();
        for &hash in hashes {
            let hash = mixed(hash, seed);
            for (number, at) in places(hash, segment, span).into_iter().enumerate() {
                combined[at] ^= hash;
                counts[at] = match counts[at].checked_add(4) {
                    Some(more) => more ^ number as u8,
                    None => return false,
                };
            }
        }
        let places_left = 0..counts.len() as u32;
        let mut alone: Vec<u32> = places_left
            .filter(|&at| counts[at as usize] >> 2 == 1)
            .collect();
        while let Some(at) = alone.pop() {
            let (hash, count) = (combined[at as usize], counts[at as usize]);
            if count >> 2 != 1 {
                continue;
            }
            peeled.push(hash);
            own.push(count & 3);
            for (number, at) in places(hash, segment, span).into_iter().enumerate() {
                combined[at] ^= hash;
                counts[at] = (counts[at] - 4) ^ number as u8;
                if counts[at] >> 2 == 1 {
                    alone.push(at as u32);
                }
            }
        }
        peeled.len() == hashes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hashes(number: u64, salt: u64) -> Vec<u64> {
        (0..number).map(|n| mixed(n, salt)).collect()
    }

    #[test]
    fn each_hash_is_confirmed_and_few_others() {
        for number in [0, 1, 2, 3, 7, 100, 5000, 100_000] {
            let known = hashes(number, 1);
            let filter = FuseFilter::new(&known).unwrap();
            assert!(known.iter().all(|&hash| filter.may_have(hash)), "{number}");
            let others = hashes(100_000, 1 << 40);
            let wrong = others.iter().filter(|&&hash| filter.may_have(hash)).count();
            assert!(wrong < 600, "{number}: {wrong}");
            let mut bytes = Vec::new();
            filter.write(&mut bytes);
            assert!(number < 100_000 || (bytes.len() as u64) < number * 6 / 5 + 20);
            assert_eq!(FuseFilter::read(&bytes).as_ref(), Some(&filter));
            assert_eq!(FuseFilter::read(&bytes[..bytes.len() - 1]), None);
        }
    }

    #[test]
    fn hashes_that_are_equal_have_no_filter() {
        assert_eq!(FuseFilter::new(&[7; 100]), None);
    }
}
