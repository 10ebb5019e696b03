//! Case folding of a part of an NSS: letters become lower case, except for the digits
//! of `%XX`, which are in upper case.

use crate::syntax::pct;

/// Appends `text` in lower case to `out`.
pub(in super::super) fn write(text: &[u8], out: &mut Vec<u8>) {
    out.extend(folded(text));
}

/// Whether [`write()`] would not change `text`.
pub(in super::super) fn is_folded(text: &[u8]) -> bool {
    !text.iter().any(u8::is_ascii_uppercase) || folded(text).eq(text.iter().copied())
}

fn folded(text: &[u8]) -> impl Iterator<Item = u8> + '_ {
    let mut digits = 0;
    text.iter().enumerate().map(move |(at, &byte)| {
        if digits > 0 {
            digits -= 1;
            byte
        } else {
            if byte == b'%' && pct::is_encoded(text, at) {
                digits = 2;
            }
            byte.to_ascii_lowercase()
        }
    })
}

/// Splits the text before the first ":".
pub(super) fn at_colon(nss: &[u8]) -> (&[u8], &[u8]) {
    nss.split_at(memchr::memchr(b':', nss).unwrap_or(nss.len()))
}
