//! The end of a value or text, and which bytes it has that decide how it is read, in one look:
//! most have neither a colon nor a reference, and are then not looked at again.

use crate::syntax::masks::near::{CHUNK, NEAR, places};

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
    /// The marks of bytes among which there is a colon, and an ampersand, or not.
    #[inline(always)]
    fn of(has_colon: bool, has_ampersand: bool) -> ByteMarks {
        match (has_colon, has_ampersand) {
            (_, true) => ByteMarks::Ampersand,
            (true, false) => ByteMarks::Colon,
            (false, false) => ByteMarks::None,
        }
    }

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

/// Finds the first `end` in `bytes`, and the marks of the bytes before it, or of all.
#[inline(always)]
pub(super) fn find_marked(bytes: &[u8], end: u8) -> (Option<usize>, ByteMarks) {
    let (mut colons, mut ampersands) = (0, 0);
    let (near, mut at) = (&bytes[..bytes.len().min(NEAR)], 0);
    while let Some(&chunk) = near[at..].first_chunk() {
        // Most chunks have none of the three bytes.
        if places(chunk, [end, b':', b'&']) != 0 {
            let ends = places(chunk, [end]);
            let before = ends.wrapping_sub(1) & !ends;
            colons |= places(chunk, *b":") & before;
            ampersands |= places(chunk, *b"&") & before;
            if ends != 0 {
                let found = at + ends.trailing_zeros() as usize;
                return (Some(found), ByteMarks::of(colons != 0, ampersands != 0));
            }
        }
        at += CHUNK;
    }
    let seen = ByteMarks::of(colons != 0, ampersands != 0);
    let (found, marks) = find_marked_far(&bytes[at..], end, seen);
    (found.map(|len| at + len), marks)
}

/// Does the same behind bytes with the marks `seen`.
fn find_marked_far(bytes: &[u8], end: u8, seen: ByteMarks) -> (Option<usize>, ByteMarks) {
    let first = match seen {
        ByteMarks::None => memchr::memchr3(end, b':', b'&', bytes),
        ByteMarks::Colon => memchr::memchr2(end, b'&', bytes),
        _ => return (memchr::memchr(end, bytes), seen),
    };
    match first {
        Some(at) if bytes[at] != end => {
            let marks = seen.and(ByteMarks::of(bytes[at] == b':', bytes[at] == b'&'));
            let (found, marks) = find_marked_far(&bytes[at + 1..], end, marks);
            (found.map(|len| at + 1 + len), marks)
        }
        first => (first, seen),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn marks_of(value: &[u8]) -> ByteMarks {
        ByteMarks::of(value.contains(&b':'), value.contains(&b'&'))
    }

    proptest! {
        #[test]
        fn ends_and_marks_are_those_of_bytes(
            bytes in proptest::collection::vec(
                prop_oneof![9 => Just(b'a'), 1 => Just(b'"'), 1 => Just(b':'), 1 => Just(b'&'), 2 => any::<u8>()],
                0..200,
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
