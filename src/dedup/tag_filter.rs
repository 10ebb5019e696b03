//! A small filter before a table: for most tags that the table lacks, one read of memory
//! that is a tenth of the table shows this. Looking a tag up is left to `table`.

/// Bits for each tag. With 12 bits, one in forty of the other tags seems to be present.
const BITS: usize = 12;

/// Which tags a table may have.
#[derive(Debug, Default)]
pub(super) struct TagFilter {
    /// A tag sets three bits of one word.
    words: Box<[u64]>,
    /// The number of tags.
    len: usize,
}

impl TagFilter {
    /// The most bytes for each of several tags.
    pub(super) const BYTES: usize = BITS.div_ceil(8);

    /// Returns the filter of `len` tags.
    pub(super) fn of(tags: impl Iterator<Item = u64>, len: usize) -> TagFilter {
        let mut words = vec![0; len * BITS / 64 + 1].into_boxed_slice();
        for tag in tags {
            let (word, bits) = place(tag, words.len());
            words[word] |= bits;
        }
        TagFilter { words, len }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Returns whether the table may have this tag.
    #[inline]
    pub(super) fn may_have(&self, tag: u64) -> bool {
        let (word, bits) = place(tag, self.words.len());
        self.words.get(word).is_some_and(|word| word & bits == bits)
    }

    /// Returns the number of bytes of memory that are held.
    pub(super) fn memory(&self) -> usize {
        size_of_val(&*self.words)
    }
}

/// Returns the number of the word of a tag, and its bits in this word.
#[inline]
fn place(tag: u64, words: usize) -> (usize, u64) {
    // The tags of a table may all begin with the same bits.
    let mixed = tag.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let mixed = mixed ^ mixed >> 32;
    let word = (u128::from(mixed.wrapping_mul(0xD6E8_FEB8_6659_FD93)) * words as u128) >> 64;
    let bit = |shift: u32| 1 << (mixed >> shift & 63);
    (word as usize, bit(0) | bit(6) | bit(12))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// No tag is missed, and few others seem to be present, whichever bits the tags
    /// share.
    #[test]
    fn a_filter_has_its_tags_and_few_others() {
        let hasher = ahash::RandomState::with_seeds(1, 2, 3, 4);
        for (same, kept) in [(0, 64), (0, 32), (4, 32), (12, 32)] {
            let tag = |number: u64| {
                let hash = hasher.hash_one(number) >> same;
                hash >> (64 - kept) << (64 - kept)
            };
            for len in [0, 1, 5, 40, 30_000] {
                let filter = TagFilter::of((0..len).map(tag), len as usize);
                assert!((0..len).all(|number| filter.may_have(tag(number))));
                let others = (len..len + 10_000).filter(|&other| filter.may_have(tag(other)));
                let few = if len < 64 { 2_000 } else { 500 };
                let others = others.count();
                assert!(others < few, "{others} of {len}, {same} {kept}");
                assert!(filter.memory() <= (len as usize * TagFilter::BYTES).max(64));
            }
        }
    }
}
