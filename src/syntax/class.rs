//! Byte classes of RFC 3986, one bit for each rule of its appendix A, in the
//! order of the grammar. A class is a set of bytes; membership is one table
//! look-up. Characters above U+007F are in no class (see `iri`).

/// A set of bytes, as a union of ABNF classes of RFC 3986.
///
/// ```
/// use urisieve::syntax::class::{DIGIT, HEXDIG};
/// assert!(HEXDIG.has(b'7') && HEXDIG.has(b'f'));
/// assert!(!DIGIT.has(b'f'));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Class(u16);

/// `ALPHA = %x41-5A / %x61-7A`
pub const ALPHA: Class = Class(1);
/// `DIGIT = %x30-39`
pub const DIGIT: Class = Class(1 << 1);
/// `HEXDIG = DIGIT / "A" / "B" / "C" / "D" / "E" / "F"` (any case, RFC 5234 2.3)
pub const HEXDIG: Class = Class(1 << 2);
/// The marks of `unreserved`: `"-" / "." / "_" / "~"`
pub const UNRESERVED_MARK: Class = Class(1 << 3);
/// `sub-delims = "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="`
pub const SUB_DELIMS: Class = Class(1 << 4);
/// `gen-delims = ":" / "/" / "?" / "#" / "[" / "]" / "@"`
pub const GEN_DELIMS: Class = Class(1 << 5);
/// `":" / "@"`, which `pchar` adds to the above
pub const COLON_AT: Class = Class(1 << 6);
/// `"/" / "?"`, which `query` and `fragment` add to `pchar`
pub const SLASH_QUESTION: Class = Class(1 << 7);
/// `"+" / "-" / "."`, which `scheme` adds to letters and digits
pub const SCHEME_MARK: Class = Class(1 << 8);
/// `"%"`, the first byte of `pct-encoded`
pub const PERCENT: Class = Class(1 << 9);

/// `unreserved = ALPHA / DIGIT / "-" / "." / "_" / "~"`
pub const UNRESERVED: Class = ALPHA.or(DIGIT).or(UNRESERVED_MARK);
/// `pchar` without `pct-encoded`: `unreserved / sub-delims / ":" / "@"`
pub const PCHAR: Class = UNRESERVED.or(SUB_DELIMS).or(COLON_AT);
/// `query` and `fragment` without `pct-encoded`: `pchar / "/" / "?"`
pub const QUERY: Class = PCHAR.or(SLASH_QUESTION);
/// `scheme` after its first letter: `ALPHA / DIGIT / "+" / "-" / "."`
pub const SCHEME: Class = ALPHA.or(DIGIT).or(SCHEME_MARK);
/// `reg-name` without `pct-encoded`: `unreserved / sub-delims`
pub const REG_NAME: Class = UNRESERVED.or(SUB_DELIMS);
/// `userinfo` without `pct-encoded`: `unreserved / sub-delims / ":"`; the caller
/// handles the `@` at its end.
pub const USERINFO: Class = REG_NAME.or(COLON_AT);
/// Every byte that is allowed in a URI: `unreserved`, `reserved` and `%`
pub const URI: Class = UNRESERVED.or(SUB_DELIMS).or(GEN_DELIMS).or(PERCENT);

impl Class {
    /// The union of two classes.
    ///
    /// ```
    /// use urisieve::syntax::class::{ALPHA, Class, DIGIT};
    /// const ALNUM: Class = ALPHA.or(DIGIT);
    /// assert!(ALNUM.has(b'a') && ALNUM.has(b'1') && !ALNUM.has(b'-'));
    /// ```
    pub const fn or(self, other: Class) -> Class {
        Class(self.0 | other.0)
    }

    /// Whether `byte` is in the class.
    ///
    /// ```
    /// use urisieve::syntax::class;
    /// assert!(class::PCHAR.has(b'@') && !class::PCHAR.has(b'/'));
    /// ```
    #[inline]
    pub const fn has(self, byte: u8) -> bool {
        TABLE[byte as usize] & self.0 != 0
    }

    /// Returns a table of the class, for [`are_all`].
    pub(crate) const fn table(self) -> [bool; 256] {
        let mut table = [false; 256];
        let mut byte = 0;
        while byte < 256 {
            table[byte] = self.has(byte as u8);
            byte += 1;
        }
        table
    }
}

/// Returns a table that has these bytes.
pub(crate) const fn table_of(bytes: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    table
}

/// Whether `table` has all bytes of `text`. Eight bytes are looked up at a time, independently
/// of each other.
#[inline]
pub(crate) fn are_all(text: &[u8], table: &[bool; 256]) -> bool {
    let has = |byte: &u8| table[usize::from(*byte)];
    let mut chunks = text.chunks_exact(8);
    let rest = chunks.remainder();
    chunks.all(|chunk| chunk.iter().map(has).fold(true, |all, one| all & one))
        && rest.iter().all(has)
}

/// Returns the offset of the first byte of `text` that `table` has. Eight bytes are looked up at a
/// time, independently of each other.
#[inline]
pub(crate) fn find(text: &[u8], table: &[bool; 256]) -> Option<usize> {
    let has = |byte: &u8| table[usize::from(*byte)];
    let (chunks, _) = text.as_chunks::<8>();
    let has_any = |chunk: &[u8; 8]| chunk.iter().map(has).fold(false, |any, one| any | one);
    let passed = chunks.iter().position(has_any).unwrap_or(chunks.len()) * 8;
    let found = text[passed..].iter().position(has)?;
    Some(passed + found)
}

/// Whether `is` returns true for each byte of `text`. Up to four comparisons joined by `&` become
/// vectors.
#[cfg(any(test, feature = "domain", feature = "output"))]
#[inline]
pub(crate) fn each_is(text: &[u8], is: impl Fn(u8) -> bool) -> bool {
    !any_chunk(text, |chunk| {
        let others = chunk.iter().fold(0, |others, &b| others | u8::from(!is(b)));
        others != 0
    })
}

/// Whether `has` returns true for a chunk of `text`. Chunks have sixteen bytes, and the last one
/// has some of the one before it; those of a shorter text have eight or one. Compilers make vectors
/// of numbers that `has` joins without branches, not of truth values.
#[inline]
fn any_chunk(text: &[u8], has: impl Fn(&[u8]) -> bool) -> bool {
    let Some(last) = text.len().checked_sub(16) else {
        return match (text.first_chunk::<8>(), text.last_chunk::<8>()) {
            (Some(first), Some(last)) => has(first) | has(last),
            _ => text.chunks(1).any(has),
        };
    };
    let mut at = 0;
    while let Some(chunk) = text[at..].first_chunk::<16>() {
        if has(chunk) {
            return true;
        }
        if at == last {
            break;
        }
        at = last.min(at + 16);
    }
    false
}

/// Whether `byte` is never part of a URI, not even of a malformed one: a blank, a
/// control character, `<`, `>` or `"` (RFC 3986 appendix C).
///
/// ```
/// use urisieve::syntax::class::is_boundary;
/// assert!(is_boundary(b' ') && is_boundary(b'"') && !is_boundary(b'{'));
/// ```
pub const fn is_boundary(byte: u8) -> bool {
    matches!(byte, 0..=b' ' | 0x7F | b'<' | b'>' | b'"')
}

/// Whether a byte of `text` [is a boundary](is_boundary), `[` or `]`.
pub(crate) fn has_boundary_or_bracket(text: &[u8]) -> bool {
    any_chunk(text, |chunk| {
        let joined = chunk.iter().fold(0, |any, &byte| {
            let edge = u8::from(byte <= b' ') | u8::from(byte == 0x7F) | u8::from(byte == b'"');
            let angle = u8::from(byte == b'<') | u8::from(byte == b'>');
            any | edge | angle | u8::from(byte == b'[') | u8::from(byte == b']')
        });
        joined != 0
    })
}

/// Whether `byte` may be part of a leader, the beginning of a line that the lines after it
/// repeat (W5): blanks and `> # / * ; % |`.
///
/// ```
/// use urisieve::syntax::class::is_of_leader;
/// assert!(is_of_leader(b'>') && !is_of_leader(b'-'));
/// ```
pub const fn is_of_leader(byte: u8) -> bool {
    matches!(
        byte,
        b' ' | b'\t' | b'>' | b'#' | b'/' | b'*' | b';' | b'%' | b'|'
    )
}

static TABLE: [u16; 256] = table();

const fn table() -> [u16; 256] {
    let mut table = [0u16; 256];
    let mut i = 0;
    while i < 256 {
        let byte = i as u8;
        let mut bits = 0;
        if byte.is_ascii_alphabetic() {
            bits |= ALPHA.0;
        }
        if byte.is_ascii_digit() {
            bits |= DIGIT.0;
        }
        if byte.is_ascii_hexdigit() {
            bits |= HEXDIG.0;
        }
        bits |= match byte {
            b'-' | b'.' | b'_' | b'~' => UNRESERVED_MARK.0,
            b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' => {
                SUB_DELIMS.0
            }
            b':' | b'@' => GEN_DELIMS.0 | COLON_AT.0,
            b'/' | b'?' => GEN_DELIMS.0 | SLASH_QUESTION.0,
            b'#' | b'[' | b']' => GEN_DELIMS.0,
            b'%' => PERCENT.0,
            _ => 0,
        };
        if matches!(byte, b'+' | b'-' | b'.') {
            bits |= SCHEME_MARK.0;
        }
        table[i] = bits;
        i += 1;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uri_holds_the_84_characters_of_the_grammar() {
        let count = (0..=255u8).filter(|&b| URI.has(b)).count();
        assert_eq!(count, 52 + 10 + 4 + 11 + 7 + 1);
        assert!(!URI.has(b' ') && !URI.has(b'|') && !URI.has(0x80));
    }

    #[test]
    fn each_byte_is_looked_at() {
        for len in 0..70 {
            assert!(each_is(&vec![b'x'; len], |byte| byte == b'x'));
            for at in 0..len {
                let mut text = vec![b'x'; len];
                text[at] = b'y';
                assert!(!each_is(&text, |byte| byte == b'x'), "{at} of {len}");
            }
        }
    }

    #[test]
    fn the_first_byte_of_a_table_is_found() {
        let table = table_of(b"xy");
        for len in 0..30 {
            assert_eq!(find(&vec![b'a'; len], &table), None);
            for at in 0..len {
                let mut text = vec![b'a'; len];
                text[len - 1] = b'y';
                text[at] = b'x';
                assert_eq!(find(&text, &table), Some(at));
            }
        }
    }

    #[test]
    fn boundaries_and_brackets_are_seen_in_each_chunk() {
        for byte in 0..=255 {
            let expect = is_boundary(byte) || byte == b'[' || byte == b']';
            for len in [1, 8, 16, 17] {
                let mut text = vec![b'a'; len];
                text[len - 1] = byte;
                assert_eq!(has_boundary_or_bracket(&text), expect, "{byte:#x} {len}");
            }
        }
        assert!(!has_boundary_or_bracket(b""));
    }
}
