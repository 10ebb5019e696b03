//! `assigned-name` of RFC 8141 section 2: the namespace identifier, the NSS, and their
//! lengths. Components and older documents are left to `read`.

use crate::syntax::class::{self, PERCENT};
use crate::syntax::pct;
use std::cmp::Ordering;

/// The longest namespace identifier, in bytes: `NID = (alphanum) 0*30(ldh) (alphanum)`.
pub const NID_MAX: usize = 32;

/// Returns the length of the NID at the start of `text` when a ":" and the first
/// character of an NSS follow it: letters, digits and hyphens, 2 to 32 of them, a
/// letter or digit at both ends.
///
/// ```
/// use urisieve::syntax::urn;
/// assert_eq!(urn::nid_len(b"isbn:0395363411"), Some(4));
/// assert_eq!(urn::nid_len(b"x:a"), None);
/// ```
pub fn nid_len(text: &[u8]) -> Option<usize> {
    let len = text
        .iter()
        .take(NID_MAX + 1)
        .take_while(|b| b.is_ascii_alphanumeric() || **b == b'-')
        .count();
    let ends = len >= 2 && text[0] != b'-' && text[len - 1] != b'-';
    let follows = matches!(text.get(len..len + 2), Some([b':', first]) if is_nss_start(*first));
    (len <= NID_MAX && ends && follows).then_some(len)
}

/// `NSS = pchar *(pchar / "/")`: its first byte.
fn is_nss_start(byte: u8) -> bool {
    class::PCHAR.or(PERCENT).has(byte)
}

/// Returns the length of `assigned-name = "urn" ":" NID ":" NSS` at the start of `uri`,
/// the part that counts for equivalence (RFC 8141 section 3.1): up to the first "?" or
/// "#". `None` when `uri` is not a URN with a valid NID and a non-empty NSS.
///
/// ```
/// use urisieve::syntax::urn;
/// assert_eq!(urn::assigned_name_len(b"URN:example:a?+r#f"), Some(13));
/// assert_eq!(urn::assigned_name_len(b"http://a/"), None);
/// ```
pub fn assigned_name_len(uri: &[u8]) -> Option<usize> {
    let rest = strip_urn(uri)?;
    nid_len(rest)?;
    Some(4 + memchr::memchr2(b'?', b'#', rest).unwrap_or(rest.len()))
}

/// Returns the NID of `uri`, when it is a URN with a valid NID.
///
/// ```
/// use urisieve::syntax::urn;
/// assert_eq!(urn::nid(b"URN:ISBN:0395363411"), Some(&b"ISBN"[..]));
/// assert_eq!(urn::nid(b"urn:x:a"), None);
/// ```
pub fn nid(uri: &[u8]) -> Option<&[u8]> {
    let rest = strip_urn(uri)?;
    nid_len(rest).map(|len| &rest[..len])
}

/// Compares the NID `nid` of any case with `lower`, which is in lower case, in byte
/// order, to search a sorted table of NIDs.
///
/// ```
/// use std::cmp::Ordering;
/// use urisieve::syntax::urn;
/// assert_eq!(urn::compare_nids("isbn", b"ISBN"), Ordering::Equal);
/// assert_eq!(urn::compare_nids("isbn", b"ISSN"), Ordering::Less);
/// ```
pub fn compare_nids(lower: &str, nid: &[u8]) -> Ordering {
    let lower = lower.as_bytes();
    // Most names differ in their first bytes.
    let mut at = 0;
    while at < lower.len() && at < nid.len() {
        let byte = nid[at].to_ascii_lowercase();
        if lower[at] != byte {
            return lower[at].cmp(&byte);
        }
        at += 1;
    }
    lower.len().cmp(&nid.len())
}

/// Whether `nss` matches `NSS = pchar *(pchar / "/")` (RFC 8141 section 2).
///
/// ```
/// use urisieve::syntax::urn;
/// assert!(urn::is_nss(b"a/%2C") && !urn::is_nss(b"/a"));
/// assert!(!urn::is_nss(b"a%2") && !urn::is_nss(b""));
/// ```
pub fn is_nss(nss: &[u8]) -> bool {
    !nss.is_empty() && nss[0] != b'/' && run(nss, 0, is_nss_byte) == nss.len()
}

pub(super) fn strip_urn(uri: &[u8]) -> Option<&[u8]> {
    match uri {
        [u, r, n, b':', rest @ ..] if [*u, *r, *n].eq_ignore_ascii_case(b"urn") => Some(rest),
        _ => None,
    }
}

/// Returns the end of the bytes from `from` on that `is` accepts or that are
/// well-formed `%XX`.
pub(super) fn run(text: &[u8], from: usize, is: fn(u8) -> bool) -> usize {
    let mut at = from;
    while let Some(&byte) = text.get(at) {
        if is(byte) {
            at += 1;
        } else if byte == b'%' && pct::is_encoded(text, at) {
            at += 3;
        } else {
            break;
        }
    }
    at
}

/// `pchar / "/"`, which is allowed in the NSS of RFC 8141 after its first byte.
pub(super) fn is_nss_byte(byte: u8) -> bool {
    class::PCHAR.has(byte) || byte == b'/'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nids() {
        for good in [
            "ab:c",
            "a-b:c",
            "UUID:x",
            "urn-7:x",
            "a2345678901234567890123456789012:x",
        ] {
            assert!(nid_len(good.as_bytes()).is_some(), "{good}");
        }
        for bad in [
            "a:c",
            "-a:c",
            "a-:c",
            "ab:",
            "ab:/c",
            "ab:?x",
            "a_b:c",
            "ab",
            "a23456789012345678901234567890123:x",
        ] {
            assert!(nid_len(bad.as_bytes()).is_none(), "{bad}");
        }
    }
}
