//! Finds words of a short list in a text, in any case: 64 bytes at a time are compared with
//! the first three bytes of each word. The compiler makes vectors of this, and a short text
//! needs no automaton.

/// The number of bytes that are compared at a time.
const LANES: usize = 64;

/// The number of bytes of a word that are compared 64 at a time.
pub(crate) const FIRST: usize = 3;

/// The bytes that are compared at a time, with those after them that the last ones need.
pub(crate) type WordWindow = [u8; LANES + FIRST - 1];

/// The bit by which the cases of a letter differ. Other bytes become equal by it, too; the
/// whole word is compared after it.
pub(crate) const CASE: u8 = 0x20;

/// The words that are looked for. They are ASCII, no word contains another one, and none is
/// shorter than three bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Words {
    words: Vec<&'static str>,
    /// The first bytes of the words, each once, as 64 bytes of the text are compared.
    firsts: Vec<[u8; FIRST]>,
}

impl Words {
    pub(crate) fn new(words: Vec<&'static str>) -> Words {
        let first = |word: &&str| word.as_bytes().first_chunk().copied();
        let mut firsts: Vec<[u8; FIRST]> = words.iter().filter_map(first).collect();
        firsts.iter_mut().flatten().for_each(|byte| *byte |= CASE);
        firsts.sort_unstable();
        firsts.dedup();
        Words { words, firsts }
    }

    /// Whether there are no words.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Returns the offset of the first word in `text` from `from` on, and its number.
    pub(crate) fn find(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        self.find_by(text, from, hits)
    }

    /// Does the same by a faster twin of [`hits`].
    #[inline]
    pub(crate) fn find_by(
        &self,
        text: &[u8],
        from: usize,
        hits: impl Fn(&WordWindow, &[[u8; FIRST]]) -> u64,
    ) -> Option<(usize, usize)> {
        let mut at = from;
        while at < text.len() {
            // The last bytes are compared with those before them, if there are any.
            let (start, mut bits) = match (text[at..].first_chunk(), text.last_chunk()) {
                (Some(window), _) => (at, hits(window, &self.firsts)),
                (None, Some(window)) => (text.len() - window.len(), hits(window, &self.firsts)),
                (None, None) => (at, hits(&end_of(&text[at..]), &self.firsts)),
            };
            let before = from.saturating_sub(start) as u32;
            bits &= u64::MAX.checked_shl(before).unwrap_or(0);
            while bits != 0 {
                let place = start + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if let Some(word) = self.word_at(text, place) {
                    return Some((place, word));
                }
            }
            at += LANES;
        }
        None
    }

    /// Returns the number of the word that begins at `at`.
    fn word_at(&self, text: &[u8], at: usize) -> Option<usize> {
        let begins = |word: &&str| {
            let read = text.get(at..at + word.len());
            read.is_some_and(|read| read.eq_ignore_ascii_case(word.as_bytes()))
        };
        self.words.iter().position(begins)
    }
}

/// Returns one bit for each of 64 bytes at which the first bytes of a word are. The loop has
/// no branch, so that the compiler makes vectors of it.
pub(crate) fn hits(window: &WordWindow, firsts: &[[u8; FIRST]]) -> u64 {
    let mut lower = *window;
    lower.iter_mut().for_each(|byte| *byte |= CASE);
    let mut hits = [0; LANES];
    for &[a, b, c] in firsts {
        for (i, hit) in hits.iter_mut().enumerate() {
            *hit |= u8::from((lower[i] == a) & (lower[i + 1] == b) & (lower[i + 2] == c));
        }
    }
    if hits.iter().fold(0, |any, hit| any | hit) == 0 {
        return 0;
    }
    let bits = hits.iter().enumerate();
    bits.fold(0, |bits, (i, hit)| bits | u64::from(*hit) << i)
}

/// Returns the last bytes of a text, filled up with NUL, which no word has.
fn end_of(rest: &[u8]) -> WordWindow {
    let mut window = [0; LANES + FIRST - 1];
    window[..rest.len()].copy_from_slice(rest);
    window
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const WORDS: [&str; 6] = ["www.", "isbn", "[.]", "[://]", "10.", "0000-000"];

    proptest! {
        #[test]
        fn the_first_word_is_found(
            text in proptest::collection::vec(
                prop_oneof![
                    2 => proptest::sample::select(WORDS.map(String::from).to_vec()),
                    1 => Just("WwW.ISBN".into()),
                    4 => "[w0N.{}\\[é\\x00-\\x10 ]{0,9}",
                ],
                0..30
            ),
            back in 0usize..150,
        ) {
            let text = text.concat().into_bytes();
            let from = text.len().saturating_sub(back);
            let lower = text.to_ascii_lowercase();
            let begins = |at: usize| WORDS.iter().position(|word| lower[at..].starts_with(word.as_bytes()));
            let wanted = (from..text.len()).find_map(|at| Some((at, begins(at)?)));
            prop_assert_eq!(Words::new(WORDS.to_vec()).find(&text, from), wanted);
        }
    }
}
