//! The end of a value or text, and which bytes it has that decide how it is read, in one look:
//! most have neither a colon nor a reference, and are then not looked at again.

/// The bytes of a value that decide how it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ByteMarks {
    /// Neither a colon nor an ampersand.
    None,
    /// A colon, and no ampersand.
    Colon,
    /// An ampersand.
    Ampersand,
    /// Any bytes.
    #[default]
    Unknown,
}

impl ByteMarks {
    /// The marks of two parts together.
    pub fn and(self, other: ByteMarks) -> ByteMarks {
        match (self, other) {
            (ByteMarks::None, marks) | (marks, ByteMarks::None) => marks,
            (ByteMarks::Ampersand, _) | (_, ByteMarks::Ampersand) => ByteMarks::Ampersand,
            (ByteMarks::Unknown, _) | (_, ByteMarks::Unknown) => ByteMarks::Unknown,
            (ByteMarks::Colon, ByteMarks::Colon) => ByteMarks::Colon,
        }
    }

    /// Whether it has a colon or an ampersand; `None` where that is not known.
    #[inline]
    pub fn has_colon_or_reference(self) -> Option<bool> {
        match self {
            ByteMarks::None => Some(false),
            ByteMarks::Colon | ByteMarks::Ampersand => Some(true),
            ByteMarks::Unknown => None,
        }
    }

    /// Whether it may have an ampersand.
    #[inline]
    pub fn may_have_reference(self) -> bool {
        matches!(self, ByteMarks::Ampersand | ByteMarks::Unknown)
    }
}

/// Finds the first of three bytes. Many values and texts of pages are shorter than what a call
/// takes, so a look at the first eight bytes is before it.
#[inline]
pub(super) fn find_of(sought: [u8; 3], bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xFF;
    if let Some(&first) = bytes.first_chunk() {
        let word = u64::from_le_bytes(first);
        // The lowest bit is right; others may be set above one of the same byte.
        let found = sought.map(|byte| {
            let others = word ^ (ONES * u64::from(byte));
            others.wrapping_sub(ONES) & !others
        });
        let found = (found[0] | found[1] | found[2]) & (ONES * 0x80);
        if found != 0 {
            return Some(found.trailing_zeros() as usize / 8);
        }
    }
    let [a, b, c] = sought;
    memchr::memchr3(a, b, c, bytes)
}

/// Finds the first `end` in `bytes`, and the marks of the bytes before it, or of all.
#[inline(always)]
pub(super) fn find_marked(bytes: &[u8], end: u8) -> (Option<usize>, ByteMarks) {
    let Some(first) = find_of([end, b':', b'&'], bytes) else {
        return (None, ByteMarks::None);
    };
    let (rest, from) = (&bytes[first + 1..], first + 1);
    match bytes[first] {
        byte if byte == end => (Some(first), ByteMarks::None),
        b':' => match memchr::memchr2(end, b'&', rest) {
            None => (None, ByteMarks::Colon),
            Some(at) if rest[at] == end => (Some(from + at), ByteMarks::Colon),
            Some(at) => find_unmarked(bytes, from + at + 1, end),
        },
        _ => find_unmarked(bytes, from, end),
    }
}

/// Finds the first `end` from `at` on, behind an ampersand.
fn find_unmarked(bytes: &[u8], at: usize, end: u8) -> (Option<usize>, ByteMarks) {
    let found = memchr::memchr(end, &bytes[at..]).map(|len| at + len);
    (found, ByteMarks::Ampersand)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marks_of(value: &[u8]) -> ByteMarks {
        match (value.contains(&b':'), value.contains(&b'&')) {
            (_, true) => ByteMarks::Ampersand,
            (true, false) => ByteMarks::Colon,
            (false, false) => ByteMarks::None,
        }
    }

    proptest! {
        #[test]
        fn ends_and_marks_are_those_of_bytes(
            bytes in proptest::collection::vec(
                prop_oneof![9 => Just(b'a'), 1 => Just(b'"'), 1 => Just(b':'), 1 => Just(b'&'), 2 => any::<u8>()],
                0..90,
            ),
            from in 0usize..9,
        ) {
            let bytes = &bytes[from.min(bytes.len())..];
            for end in [b'"', b'<', b'\''] {
                let found = bytes.iter().position(|&byte| byte == end);
                let marks = marks_of(&bytes[..found.unwrap_or(bytes.len())]);
                prop_assert_eq!(find_marked(bytes, end), (found, marks));
            }
            let (one, other) = bytes.split_at(bytes.len() / 2);
            prop_assert_eq!(marks_of(one).and(marks_of(other)), marks_of(bytes));
        }
    }

    #[test]
    fn unknown_marks_remain_unknown_beside_others() {
        let unknown = ByteMarks::Unknown;
        assert_eq!(unknown.and(ByteMarks::None), unknown);
        assert_eq!(ByteMarks::Colon.and(unknown), unknown);
        assert_eq!(unknown.and(ByteMarks::Ampersand), ByteMarks::Ampersand);
        assert!(unknown.may_have_reference() && unknown.has_colon_or_reference().is_none());
    }
}
