//! `mailto:` (RFC 6068): the domain of each address before the query is written in
//! lower case (RFC 5321 section 2.4). Local parts, domain literals and header fields
//! are unchanged.

use crate::canonicalize::lexical;
use crate::canonicalize::switches::Switches;
use crate::syntax::Components;
use std::ops::Range;

/// Returns the addresses, when a domain is not in lower case.
pub(in crate::canonicalize) fn find(
    _: &Switches,
    uri: &[u8],
    parts: &Components,
) -> Option<Range<usize>> {
    if parts.scheme(uri) != Some(b"mailto") || parts.has_authority() {
        return None;
    }
    let mut addresses = parts.path(uri).split(|&b| b == b',');
    let upper = addresses.any(|address| !lexical::is_lower(split(address).1));
    upper.then(|| parts.path_range())
}

/// Writes the addresses with their domains in lower case.
pub(in crate::canonicalize) fn write(_: &Switches, _: &Components, list: &[u8], out: &mut Vec<u8>) {
    for (at, address) in list.split(|&b| b == b',').enumerate() {
        if at > 0 {
            out.push(b',');
        }
        let (local, domain) = split(address);
        out.extend_from_slice(local);
        lexical::push_lower(domain, out);
    }
}

/// Splits an address after its "@". The domain is empty when the text is not an address
/// with one "@", or when the domain is a literal.
fn split(address: &[u8]) -> (&[u8], &[u8]) {
    match memchr::memchr(b'@', address) {
        Some(at) if memchr::memchr2(b'@', b'[', &address[at + 1..]).is_none() => {
            address.split_at(at + 1)
        }
        _ => (address, b""),
    }
}
