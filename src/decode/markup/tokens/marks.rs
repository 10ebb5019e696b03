//! The end of a short value or text, and which bytes it has that decide how it is read, in one
//! look: most values have neither a colon nor a reference, and are then not looked at again.

const WORD: usize = size_of::<u64>();
const ONES: u64 = u64::MAX / 0xFF;
const HIGHS: u64 = ONES << 7;

/// The bytes of a value whose marks are known, if it ends in them.
pub(super) const MARKED: usize = 64;

/// Which of some bytes a value has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByteMarks(u8);

impl Default for ByteMarks {
    fn default() -> ByteMarks {
        ByteMarks::UNKNOWN
    }
}

impl ByteMarks {
    /// None of them.
    pub const NONE: ByteMarks = ByteMarks(0);
    /// Any of them may be there.
    pub const UNKNOWN: ByteMarks = ByteMarks(8);
    const COLON: u8 = 1;
    const AMPERSAND: u8 = 2;
    const WIDE: u8 = 4;

    /// The marks of two parts together.
    pub fn and(self, other: ByteMarks) -> ByteMarks {
        ByteMarks(self.0 | other.0)
    }

    /// Whether it has a colon or an ampersand; `None` where that is not known.
    #[inline]
    pub fn has_colon_or_reference(self) -> Option<bool> {
        (self.0 & ByteMarks::UNKNOWN.0 == 0)
            .then_some(self.0 & (ByteMarks::COLON | ByteMarks::AMPERSAND) != 0)
    }

    /// Whether it is ASCII without an ampersand: then its text is its bytes.
    #[inline]
    pub fn is_plain(self) -> bool {
        self.0 & !ByteMarks::COLON == 0
    }
}

/// Marks of the bytes of a word that are `byte`, in their high bits. A byte above one that is
/// `byte` may be marked too: the first mark, and whether there is one, are right.
#[inline(always)]
fn same(word: u64, byte: u8) -> u64 {
    let zero = word ^ (ONES * u64::from(byte));
    zero.wrapping_sub(ONES) & !zero & HIGHS
}

/// The marked bytes of the words so far.
#[derive(Clone, Copy, Default)]
struct WordMarks {
    colons: u64,
    ampersands: u64,
    wide: u64,
}

impl WordMarks {
    /// Adds a word, of which the bits in `mask` count.
    #[inline(always)]
    fn add(&mut self, word: u64, mask: u64) {
        self.colons |= same(word, b':') & mask;
        self.ampersands |= same(word, b'&') & mask;
        self.wide |= word & mask;
    }

    #[inline(always)]
    fn marks(self) -> ByteMarks {
        let mark = |has: bool, mark: u8| u8::from(has) * mark;
        ByteMarks(
            mark(self.colons != 0, ByteMarks::COLON)
                | mark(self.ampersands != 0, ByteMarks::AMPERSAND)
                | mark(self.wide & HIGHS != 0, ByteMarks::WIDE),
        )
    }
}

/// Finds the first `end` in `bytes`, and the marks of the bytes before it, or of all.
#[inline]
pub(super) fn find_marked(bytes: &[u8], end: u8) -> (Option<usize>, ByteMarks) {
    let mut all = WordMarks::default();
    let short = &bytes[..bytes.len().min(MARKED)];
    let (words, rest) = short.as_chunks::<WORD>();
    for (number, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let found = same(word, end);
        if found != 0 {
            let len = found.trailing_zeros() / 8;
            all.add(word, (1 << (8 * len)) - 1);
            return (Some(WORD * number + len as usize), all.marks());
        }
        all.add(word, u64::MAX);
    }
    for (number, &byte) in rest.iter().enumerate() {
        if byte == end {
            return (Some(WORD * words.len() + number), all.marks());
        }
        all.colons |= u64::from(byte == b':');
        all.ampersands |= u64::from(byte == b'&');
        all.wide |= u64::from(byte);
    }
    if short.len() == bytes.len() {
        return (None, all.marks());
    }
    let found = memchr::memchr(end, &bytes[MARKED..]).map(|at| MARKED + at);
    (found, ByteMarks::UNKNOWN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn slowly(bytes: &[u8], end: u8) -> (Option<usize>, ByteMarks) {
        let found = bytes.iter().position(|&byte| byte == end);
        let value = &bytes[..found.unwrap_or(bytes.len())];
        let is_known = found.map_or(value.len() <= MARKED, |found| found < MARKED);
        let marks = match is_known {
            true => {
                let mark = |has: bool, mark: u8| u8::from(has) * mark;
                ByteMarks(
                    mark(value.contains(&b':'), ByteMarks::COLON)
                        | mark(value.contains(&b'&'), ByteMarks::AMPERSAND)
                        | mark(!value.is_ascii(), ByteMarks::WIDE),
                )
            }
            false => ByteMarks::UNKNOWN,
        };
        (found, marks)
    }

    proptest! {
        #[test]
        fn ends_and_marks_are_those_of_bytes(
            bytes in proptest::collection::vec(
                prop_oneof![9 => Just(b'a'), 1 => Just(b'"'), 1 => Just(b':'), 1 => Just(b'&'), 1 => Just(b'#'),
                    1 => Just(b';'), 1 => Just(b'!'), 1 => Just(b'%'), 1 => Just(b'\''), 2 => any::<u8>()],
                0..90,
            ),
            from in 0usize..9,
        ) {
            let bytes = &bytes[from.min(bytes.len())..];
            for end in [b'"', b'<', b'\''] {
                prop_assert_eq!(find_marked(bytes, end), slowly(bytes, end));
            }
        }
    }

    #[test]
    fn what_marks_mean() {
        let marks = |bytes: &[u8]| find_marked(bytes, b'"').1;
        assert!(
            marks(b"a: b").is_plain()
                && !marks(b"a&b").is_plain()
                && !marks(b"\xC3\xA9").is_plain()
        );
        assert_eq!(marks(b"abc").has_colon_or_reference(), Some(false));
        assert_eq!(marks(b"a:bc").has_colon_or_reference(), Some(true));
        assert_eq!(
            marks(b"abcdefg\" a:bc").has_colon_or_reference(),
            Some(false)
        );
        let long = marks(&[b'a'; 65]);
        assert!(!long.is_plain() && long.has_colon_or_reference().is_none());
        assert_eq!(marks(b"a:").and(marks(b"&")), marks(b"&:"));
    }
}
