//! The encoder for queries in documents in another encoding than UTF-8. The tables of
//! encodings are left to the caller.

use std::borrow::Cow;

/// Encodes the query of a relative reference in the encoding of its document, for the
/// URL Standard. A character that the encoding lacks becomes `%26%23N%3B`, where `N` is
/// its number in decimal digits.
///
/// ```
/// use urisieve::syntax::resolve::QueryEncoder;
/// let latin1: QueryEncoder = &|text| text.chars().map(|c| c as u8).collect::<Vec<u8>>().into();
/// assert_eq!(&*latin1("?\u{E9}"), b"?\xE9");
/// ```
pub type QueryEncoder<'e> = &'e dyn Fn(&str) -> Cow<'_, [u8]>;
