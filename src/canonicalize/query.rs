//! Two switches for queries: parameters removed by name, parameters sorted by name.
//! Parameters are separated by "&" or ";"; those that are kept are unchanged. Names are
//! percent-decoded before they are compared, so that the result is the same at every
//! level.

use super::glob::PctDecoded;
use super::switches::Switches;
use crate::syntax::Components;
use std::cmp::Ordering;
use std::ops::Range;

/// The name of the list below.
pub(super) const TRACKING: &str = "@tracking";

/// Parameters that only record how a reader came to a page, as globs; the list that
/// [`drop_params`](super::Canonicalizer::drop_params) calls `@tracking`. Only names
/// that were made for tracking are in it: `ref`, `source` and `from` are not.
///
/// ```
/// use urisieve::canonicalize::TRACKING_PARAMS;
/// assert!(TRACKING_PARAMS.contains(&"utm_*") && !TRACKING_PARAMS.contains(&"ref"));
/// ```
#[rustfmt::skip]
pub const TRACKING_PARAMS: &[&str] = &[
    // Campaigns: Google Analytics, Matomo and Piwik, AT Internet, HubSpot.
    "utm_*", "mtm_*", "matomo_*", "pk_*", "piwik_*", "at_campaign", "at_medium", "at_custom*",
    "hsa_*", "_hsenc", "_hsmi", "__hssc", "__hstc", "__hsfp", "hsCtaTracking",
    // Clicks on advertisements and shared links.
    "gclid", "gclsrc", "dclid", "gbraid", "wbraid", "gad_source", "gad_campaignid", "srsltid", "fbclid",
    "msclkid", "yclid", "ysclid", "_openstat", "twclid", "ttclid", "li_fat_id", "igsh", "igshid", "epik",
    "ScCid", "rdt_cid", "qclid", "tblci", "obclid", "irclickid", "rb_clickid", "s_kwcid", "ef_id",
    // Visitors who are tracked from host to host.
    "_ga", "_gl", "_gac", "_kx", "guccounter", "guce_referrer", "guce_referrer_sig",
    // Readers of newsletters.
    "mc_cid", "mc_eid", "mkt_tok", "vero_id", "vero_conv", "oly_anon_id", "oly_enc_id", "_bta_tid",
    "_bta_c", "ml_subscriber", "ml_subscriber_hash", "sc_customer", "sc_eh", "sc_uid", "wickedid",
];

/// Returns the ranges of the parameters in a query.
pub(super) fn params(query: &[u8]) -> impl Iterator<Item = Range<usize>> + '_ {
    let ends = memchr::memchr2_iter(b'&', b';', query).chain([query.len()]);
    ends.scan(0, |start, end| {
        let param = *start..end;
        *start = end + 1;
        Some(param)
    })
}

pub(super) fn name(param: &[u8]) -> &[u8] {
    &param[..memchr::memchr(b'=', param).unwrap_or(param.len())]
}

/// Returns the range of the query with its "?".
fn query_range(uri: &[u8], parts: &Components) -> Option<Range<usize>> {
    let start = parts.path_range().end;
    Some(start..start + 1 + parts.query(uri)?.len())
}

/// Whether `param` is removed from the query of `uri`, which only lists ask for. An empty text
/// is not a parameter.
fn is_dropped(switches: &Switches, uri: &[u8], param: &[u8]) -> bool {
    let mut patterns = switches.dropped.iter().flat_map(|list| list.iter());
    let listed = switches.listed.as_ref();
    !param.is_empty()
        && (patterns.any(|pattern| pattern.is_match(name(param)))
            || listed.is_some_and(|listed| listed.drops(uri, param)))
}

/// Returns the query with its "?", when it has parameters to be removed; with rules of lists
/// the whole URI, on which these depend.
pub(super) fn find_dropped(
    switches: &Switches,
    uri: &[u8],
    parts: &Components,
) -> Option<Range<usize>> {
    let query = parts.query(uri)?;
    let found = params(query).any(|param| is_dropped(switches, uri, &query[param]));
    match (found, &switches.listed) {
        (false, _) => None,
        (true, None) => query_range(uri, parts),
        (true, Some(_)) => Some(0..uri.len()),
    }
}

/// Writes the parameters that are kept, each with the separator before it. When only
/// empty ones are left, the "?" is also removed.
pub(super) fn drop(switches: &Switches, parts: &Components, text: &[u8], out: &mut Vec<u8>) {
    if switches.listed.is_none() {
        return drop_from(switches, b"", text, out);
    }
    let Some(query) = query_range(text, parts) else {
        return out.extend_from_slice(text);
    };
    out.extend_from_slice(&text[..query.start]);
    drop_from(switches, text, &text[query.clone()], out);
    out.extend_from_slice(&text[query.end..]);
}

/// Writes the parameters of a query of `uri` that are kept.
fn drop_from(switches: &Switches, uri: &[u8], text: &[u8], out: &mut Vec<u8>) {
    let Some((mark, query)) = text.split_first() else {
        return;
    };
    let start = out.len();
    let (mut kept, mut empty) = (0, true);
    for param in params(query) {
        let text = &query[param.clone()];
        if is_dropped(switches, uri, text) {
            continue;
        }
        out.push(if kept == 0 {
            *mark
        } else {
            query[param.start - 1]
        });
        out.extend_from_slice(text);
        kept += 1;
        empty &= text.is_empty();
    }
    if empty {
        out.truncate(start);
    }
}

fn compare(a: &[u8], b: &[u8]) -> Ordering {
    PctDecoded(name(a)).cmp(PctDecoded(name(b)))
}

/// Returns the query with its "?", when its parameters are not in order.
pub(super) fn find_unsorted(_: &Switches, uri: &[u8], parts: &Components) -> Option<Range<usize>> {
    let query = parts.query(uri)?;
    let sorted = params(query)
        .is_sorted_by(|a, b| compare(&query[a.clone()], &query[b.clone()]) != Ordering::Greater);
    if sorted {
        None
    } else {
        query_range(uri, parts)
    }
}

/// Writes the parameters in order of their names; parameters of the same name keep
/// their order, and the separators keep their positions.
pub(super) fn sort(_: &Switches, _: &Components, text: &[u8], out: &mut Vec<u8>) {
    /// A query with more parameters is sorted on the heap.
    const FEW: usize = 32;
    let Some((mark, query)) = text.split_first() else {
        return;
    };
    let mut few = [const { 0..0 }; FEW];
    let mut many = Vec::new();
    let count = params(query).count();
    let sorted = if count <= FEW {
        &mut few[..count]
    } else {
        many.resize(count, 0..0);
        &mut many[..]
    };
    for (place, param) in sorted.iter_mut().zip(params(query)) {
        *place = param;
    }
    sorted.sort_unstable_by(|a, b| {
        compare(&query[a.clone()], &query[b.clone()]).then(a.start.cmp(&b.start))
    });
    for (at, (param, place)) in sorted.iter().zip(params(query)).enumerate() {
        out.push(if at == 0 {
            *mark
        } else {
            query[place.start - 1]
        });
        out.extend_from_slice(&query[param.clone()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_parameters_are_sorted_as_few_are() {
        for count in [1, 2, 31, 32, 33, 500] {
            let mut params: Vec<String> = (0..count)
                .map(|i| format!("{}={i}", (i * 7) % 10))
                .collect();
            let query = format!("?{}", params.join("&"));
            params.sort_by_key(|param| param.as_bytes()[0]);
            let mut out = Vec::new();
            let parts = Components::parse(b"");
            sort(&Switches::default(), &parts, query.as_bytes(), &mut out);
            assert_eq!(
                String::from_utf8(out).unwrap(),
                format!("?{}", params.join("&"))
            );
        }
    }
}
