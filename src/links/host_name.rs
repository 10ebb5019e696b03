//! The names of hosts that may be nodes of a graph of links, by the rules of Common Crawl's web
//! graphs.

use super::label::a_label;
use crate::canonicalize::hosts::{HostKey, with_key};
use unicode_general_category::{GeneralCategory, get_general_category};

/// Longer names of hosts are not nodes (RFC 1035 section 2.3.4).
const HOST_MAX: usize = 253;
/// Longer labels are not valid (RFC 1035 section 2.3.4).
const LABEL_MAX: usize = 63;
/// The label that does not make a name of an address.
const WWW: &[u8] = b"www.";

/// Appends the name of a host, in lower case, to the empty `out`. Returns false when the
/// host is not a node.
pub(super) fn push_name(host: &[u8], out: &mut Vec<u8>) -> bool {
    match host.is_ascii() {
        true => out.extend(host.iter().map(u8::to_ascii_lowercase)),
        false => match std::str::from_utf8(host) {
            Ok(host) => out.extend_from_slice(host.to_lowercase().as_bytes()),
            Err(_) => return false,
        },
    }
    if out.len() > HOST_MAX {
        return false;
    }
    if out.last() == Some(&b'.') {
        out.pop();
    }
    if is_address(out.strip_prefix(WWW).unwrap_or(out)) || is_address(out) || is_number(out) {
        return false;
    }
    if memchr::memchr(b'.', out).is_none() {
        return false;
    }
    if out.split(|&b| b == b'.').all(is_label) {
        return true;
    }
    if out.is_ascii() {
        return false;
    }
    let Some(name) = ascii_name(out) else {
        return false;
    };
    out.clear();
    out.extend_from_slice(name.as_bytes());
    true
}

/// Returns a name in which every label is an A-label, where all can be.
fn ascii_name(name: &[u8]) -> Option<String> {
    let name = std::str::from_utf8(name).ok()?;
    let labels = name.split('.').map(|label| match label.is_ascii() {
        true => Some(label.to_owned()),
        false => a_label(label),
    });
    let labels: Vec<String> = labels.collect::<Option<_>>()?;
    let are_valid = labels.iter().all(|label| is_label(label.as_bytes()));
    are_valid.then(|| labels.join("."))
}

/// Whether `label` has 1 to 63 of `a-z 0-9 _ -`, a letter or a digit at both ends.
pub(super) fn is_label(label: &[u8]) -> bool {
    let is_name = |b: &u8| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-');
    let is_end = |b: Option<&u8>| b.is_some_and(u8::is_ascii_alphanumeric);
    label.len() <= LABEL_MAX
        && label.iter().all(is_name)
        && is_end(label.first())
        && is_end(label.last())
}

/// Whether `host` has four groups of one to three digits, of any script.
fn is_address(host: &[u8]) -> bool {
    let is_digit = |c: char| get_general_category(c) == GeneralCategory::DecimalNumber;
    let is_group = |group: &[u8]| {
        let group = std::str::from_utf8(group).unwrap_or_default();
        (1..=3).contains(&group.chars().take(4).count()) && group.chars().all(is_digit)
    };
    let mut groups = host.split(|&b| b == b'.');
    let are_groups = groups.by_ref().take(4).filter(|g| is_group(g)).count() == 4;
    are_groups && groups.next().is_none()
}

/// Whether the host parser of the URL Standard makes an address of `host`: `0x7f.1`.
fn is_number(host: &[u8]) -> bool {
    with_key(host, |key| matches!(key, HostKey::Address(_)))
}

/// Reverses the order of the labels.
pub(super) fn reverse(name: &mut [u8]) {
    name.reverse();
    name.split_mut(|&b| b == b'.').for_each(<[u8]>::reverse);
}
