//! Values of parameters that are secrets.

use super::names::SecretNames;
use crate::syntax::nested::{self, Layer, Site};
use crate::syntax::steps;
use std::ops::Range;

/// The place of a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// In a query or fragment.
    Query,
    /// In a segment of a path (RFC 3986 section 3.3).
    Segment,
    /// In the settings of a connection, such as `jdbc:x://h;password=a/b` and
    /// `sb://h/;SharedAccessKey=a/b=`: these have no path, and a "/" is part of a
    /// value.
    Settings,
}

impl Place {
    /// Returns the place of a parameter that starts at `start`, before any query. `sites`
    /// are in order.
    fn before_query(layer: &Layer, sites: &[Site], start: usize) -> Place {
        let next = sites.partition_point(|site| site.mark.start < start);
        let Some(site) = next.checked_sub(1).map(|last| &sites[last]) else {
            return Place::Segment;
        };
        let bytes = layer.bytes();
        let scheme = &bytes[site.scheme.clone()];
        let is_web = site.is_address || nested::is_special(scheme);
        match is_web && !bytes[site.hosts.end..].starts_with(b"/;") {
            true => Place::Segment,
            false => Place::Settings,
        }
    }
}

/// Calls `add` with the values of the parameters.
pub(super) fn add_values(
    names: &SecretNames,
    layer: &Layer,
    sites: &[Site],
    add: &mut impl FnMut(Range<usize>),
) {
    let bytes = layer.bytes();
    let query = memchr::memchr2(b'?', b'#', bytes).unwrap_or(bytes.len());
    let mut floor = 0;
    for equals in memchr::memchr_iter(b'=', bytes) {
        if equals < floor {
            continue;
        }
        let before = &bytes[floor..equals];
        let delimiter = before
            .iter()
            .rposition(|b| matches!(b, b'&' | b';' | b'?' | b'#' | b'='));
        let start = floor + delimiter.map_or(0, |at| at + 1);
        let is_parameter = start > 0 && bytes[start - 1] != b'=';
        let in_query = equals > query;
        floor = equals + 1;
        if (is_parameter || in_query) && names.has(&bytes[start..equals], in_query) {
            let place = match in_query {
                true => Place::Query,
                false => Place::before_query(layer, sites, start),
            };
            let end = value_end(layer, equals + 1, place);
            add(equals + 1..end);
            floor = end;
        }
    }
}

/// Calls `add` with the values of the parameters in JSON that is escaped in a
/// query.
pub(super) fn add_members(names: &SecretNames, layer: &Layer, add: &mut impl FnMut(Range<usize>)) {
    let bytes = layer.bytes();
    let query = memchr::memchr2(b'?', b'#', bytes).unwrap_or(bytes.len());
    let is_quote = |at: usize| bytes.get(at) == Some(&b'"') && !layer.is_literal(at);
    let mut floor = query;
    for colon in memchr::memchr_iter(b':', &bytes[query..]).map(|at| query + at) {
        if colon <= floor {
            continue;
        }
        let name = &bytes[floor..colon - 1];
        let start = memchr::memrchr(b'"', name).map(|at| floor + at + 1);
        floor = colon;
        let Some(start) = start.filter(|_| is_quote(colon - 1)) else {
            continue;
        };
        if !names.has(&bytes[start..colon - 1], true) {
            continue;
        }
        let blanks = bytes[colon + 1..]
            .iter()
            .take_while(|b| matches!(b, b' ' | b'+'));
        let value = colon + 1 + blanks.count();
        let is_text = is_quote(value);
        let from = value + usize::from(is_text);
        let ends = |&at: &usize| match bytes[at] {
            b'"' if is_text => bytes[at - 1] != b'\\',
            b',' | b'}' | b']' => !is_text,
            b'&' | b'#' => layer.is_literal(at),
            _ => layer.is_stop(at),
        };
        let to = (from..bytes.len()).find(ends).unwrap_or(bytes.len());
        steps::count(to - from);
        add(from..to);
        floor = to;
    }
}

/// Returns the end of the value that starts at `start`. A ";" is part of a value in a
/// query unless a parameter follows it.
fn value_end(layer: &Layer, start: usize, place: Place) -> usize {
    let bytes = layer.bytes();
    let ends = |&at: &usize| match bytes[at] {
        b'&' | b'#' => true,
        b';' if place == Place::Query => {
            let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"-._~%[]+!".contains(b);
            let len = bytes[at + 1..].iter().take_while(is_name).count();
            steps::count(len);
            bytes.get(at + 1 + len) == Some(&b'=')
        }
        b'/' => place == Place::Segment,
        b'?' | b';' => place != Place::Query,
        _ => layer.is_stop(at),
    };
    let end = (start..bytes.len()).find(ends).unwrap_or(bytes.len());
    steps::count(end - start);
    end
}
