//! Quoted-printable (RFC 2045 section 6.7): what a `=` means, and which blanks are removed. A
//! `=` that encodes nothing is a character like others.

/// A longer run of blanks before a line break is text: it would have to be in memory.
const BLANKS_MAX: usize = 1024;

/// The meaning of a `=`.
///
/// ```
/// use urisieve::syntax::QuotedUnit;
/// assert_eq!(QuotedUnit::of(b"3D7", false), QuotedUnit::Byte(b'='));
/// assert_eq!(QuotedUnit::of(b" \r\nx", false), QuotedUnit::Nothing(3));
/// assert_eq!(QuotedUnit::of(b"x", false), QuotedUnit::Plain);
/// assert_eq!(QuotedUnit::of(b"3", false), QuotedUnit::Open);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuotedUnit {
    /// The `=` and the two bytes behind it encode this byte.
    Byte(u8),
    /// A number of bytes is removed.
    Nothing(usize),
    /// The byte encodes nothing.
    Plain,
    /// More bytes are needed.
    Open,
}

impl QuotedUnit {
    /// Returns the meaning of the `=` before `rest`. No bytes follow the `last` ones.
    ///
    /// ```
    /// use urisieve::syntax::QuotedUnit;
    /// assert_eq!(QuotedUnit::of(b" ", true), QuotedUnit::Nothing(1));
    /// ```
    pub fn of(rest: &[u8], last: bool) -> QuotedUnit {
        let hex = |at: usize| Some(char::from(*rest.get(at)?).to_digit(16)? as u8);
        if let (Some(high), Some(low)) = (hex(0), hex(1)) {
            return QuotedUnit::Byte(high << 4 | low);
        }
        let blanks = rest.iter().take(BLANKS_MAX + 1);
        let blanks = blanks.take_while(|b| is_blank(b)).count();
        match &rest[blanks..] {
            _ if blanks > BLANKS_MAX => QuotedUnit::Plain,
            [b'\n', ..] => QuotedUnit::Nothing(blanks + 1),
            [b'\r', b'\n', ..] => QuotedUnit::Nothing(blanks + 2),
            [] | [b'\r'] if last => QuotedUnit::Nothing(rest.len()),
            [] | [b'\r'] => QuotedUnit::Open,
            [_] if blanks == 0 && hex(0).is_some() && !last => QuotedUnit::Open,
            _ => QuotedUnit::Plain,
        }
    }
}

/// Returns the number of blanks at the end of `text` that a line break behind it removes.
///
/// ```
/// assert_eq!(urisieve::syntax::quoted_blanks(b"a \t"), 2);
/// ```
pub fn quoted_blanks(text: &[u8]) -> usize {
    let blanks = text.iter().rev().take(BLANKS_MAX + 1);
    let count = blanks.take_while(|b| is_blank(b)).count();
    if count > BLANKS_MAX { 0 } else { count }
}

/// Returns the length of `text` without the bytes at its end that a line break behind it would
/// remove.
///
/// ```
/// assert_eq!(urisieve::syntax::quoted_settled(b"a \r"), 1);
/// ```
pub fn quoted_settled(text: &[u8]) -> usize {
    let line = text.strip_suffix(b"\r").unwrap_or(text);
    match quoted_blanks(line) {
        0 => text.len(),
        blanks => line.len() - blanks,
    }
}

fn is_blank(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t')
}
