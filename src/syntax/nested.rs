//! URIs inside a text, as they stand there or behind escapes: percent-encoded once
//! or more often, or as JSON and HTML write them. What is found errs on the side of
//! more: it is there to hide secrets and to disarm addresses, not to extract.

use super::class::{ALPHA, SCHEME};
use super::pct;
use std::borrow::Cow;
use std::ops::Range;

/// So many times percent-encoding is undone, and JSON and HTML before it.
const LAYERS_MAX: usize = 16;

/// Schemes of the URL Standard: it reads an authority after any number of slashes.
const SPECIAL: [&[u8]; 7] = [b"http", b"https", b"ws", b"wss", b"ftp", b"hxxp", b"hxxps"];

/// Schemes whose path begins with `USER@HOST`, a password perhaps after the user
/// (RFC 3261 section 19.1.1).
const ADDRESSES: [&[u8]; 7] = [b"sip", b"sips", b"mailto", b"xmpp", b"im", b"pres", b"acct"];

/// A text with escapes undone so many times.
pub(crate) struct Layer<'t> {
    bytes: Cow<'t, [u8]>,
    /// Where each byte begins in the text, and where the last one ends; empty for
    /// the text itself.
    starts: Vec<u32>,
}

impl<'t> Layer<'t> {
    fn of(text: &'t [u8]) -> Layer<'t> {
        Layer {
            bytes: Cow::Borrowed(text),
            starts: Vec::new(),
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Where in the text a range of this layer lies.
    pub(crate) fn raw(&self, range: Range<usize>) -> Range<usize> {
        match self.starts.is_empty() {
            true => range,
            false => self.starts[range.start] as usize..self.starts[range.end] as usize,
        }
    }

    /// Whether the text itself has the byte at `at` of this layer.
    pub(crate) fn is_literal(&self, at: usize) -> bool {
        self.raw(at..at + 1).len() == 1
    }

    /// Whether no URI that holds the place `at` goes beyond it: a byte of the text
    /// that no URI may hold. A blank is none: lines with blanks are read as one.
    pub(crate) fn is_stop(&self, at: usize) -> bool {
        matches!(self.bytes[at], 0..=0x1F | b'"' | b'<' | b'>' | 0x7F) && self.is_literal(at)
    }

    /// The layer after this one: what `escape` finds at a place, the byte and the
    /// length of its escape, is undone once. `None` when it finds nothing.
    fn undone(&self, escape: impl Fn(&[u8]) -> Option<(u8, usize)>) -> Option<Layer<'t>> {
        let bytes = &self.bytes[..];
        let begins = |&at: &usize| escape(&bytes[at..]).is_some();
        let candidates = memchr::memchr3_iter(b'%', b'&', b'\\', bytes);
        let first = candidates.into_iter().find(begins)?;
        let mut out = bytes[..first].to_vec();
        let mut starts: Vec<u32> = (0..first).map(|at| self.raw(at..at).start as u32).collect();
        let mut at = first;
        while at < bytes.len() {
            starts.push(self.raw(at..at).start as u32);
            let found = match bytes[at] {
                b'%' | b'&' | b'\\' => escape(&bytes[at..]),
                _ => None,
            };
            let (byte, len) = found.unwrap_or((bytes[at], 1));
            out.push(byte);
            at += len;
        }
        starts.push(self.raw(at..at).start as u32);
        Some(Layer {
            bytes: Cow::Owned(out),
            starts,
        })
    }
}

/// Shows `visit` the text, and what it becomes when escapes are undone again and
/// again. Gives what is escaped so often that it was not looked at.
pub(crate) fn visit_layers(text: &[u8], mut visit: impl FnMut(&Layer)) -> Option<Range<usize>> {
    let mut layer = Layer::of(text);
    let mut deeper: Option<Range<usize>> = None;
    visit(&layer);
    for escape in [of_markup as fn(&[u8]) -> _, of_percent] {
        for round in 1.. {
            let Some(next) = layer.undone(escape) else {
                break;
            };
            if round > LAYERS_MAX {
                let begins = |&at: &usize| escape(&layer.bytes[at..]).is_some();
                let from = (0..layer.bytes.len()).find(begins)?;
                let to = (from..layer.bytes.len()).find(|&at| layer.is_stop(at));
                let range = layer.raw(from..to.unwrap_or(layer.bytes.len()));
                deeper = Some(match deeper {
                    Some(other) => other.start.min(range.start)..other.end.max(range.end),
                    None => range,
                });
                break;
            }
            layer = next;
            visit(&layer);
        }
    }
    deeper
}

/// Percent-encoding at the start of `text`.
fn of_percent(text: &[u8]) -> Option<(u8, usize)> {
    let [b'%', high, low, ..] = text else {
        return None;
    };
    Some((pct::hex_value(*high)? << 4 | pct::hex_value(*low)?, 3))
}

/// An escape of JSON (RFC 8259 section 7), of scripts (`\x26`) or of HTML at the
/// start of `text`, where it stands for an ASCII character.
fn of_markup(text: &[u8]) -> Option<(u8, usize)> {
    const NAMES: [(&[u8], u8); 11] = [
        (b"amp;", b'&'),
        (b"AMP;", b'&'),
        (b"quot;", b'"'),
        (b"colon;", b':'),
        (b"sol;", b'/'),
        (b"quest;", b'?'),
        (b"equals;", b'='),
        (b"num;", b'#'),
        (b"commat;", b'@'),
        (b"semi;", b';'),
        (b"percnt;", b'%'),
    ];
    let ascii = |digits: &[u8], radix: u32, len: usize| {
        let digits = std::str::from_utf8(digits).ok()?;
        let value = u32::from_str_radix(digits, radix).ok()?;
        (value < 0x80).then_some((value as u8, len))
    };
    match text {
        [b'\\', byte @ (b'/' | b'\\' | b'"'), ..] => Some((*byte, 2)),
        [b'\\', b'u', a, b, c, d, ..] => ascii(&[*a, *b, *c, *d], 16, 6),
        [b'\\', b'x', a, b, ..] => ascii(&[*a, *b], 16, 4),
        [b'&', b'#', rest @ ..] => {
            let (rest, radix, before) = match rest {
                [b'x' | b'X', rest @ ..] => (rest, 16, 3),
                _ => (rest, 10, 2),
            };
            let len = rest.iter().take(8).position(|&b| b == b';')?;
            ascii(&rest[..len], radix, before + len + 1)
        }
        [b'&', rest @ ..] => {
            let (name, byte) = NAMES.iter().find(|(name, _)| rest.starts_with(name))?;
            Some((*byte, name.len() + 1))
        }
        _ => None,
    }
}

/// What stands where a URI has its userinfo and its host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// The scheme; empty when there is none.
    pub scheme: Range<usize>,
    /// From the ":" after the scheme up to the userinfo or the host.
    pub mark: Range<usize>,
    /// Without the "@"; `None` when there is none.
    pub userinfo: Option<Range<usize>>,
    /// Hosts and ports.
    pub hosts: Range<usize>,
    /// The user is a part of an address, as in `mailto:`.
    pub is_address: bool,
}

/// The sites of a layer, from left to right as far as they are of one kind.
pub(crate) fn sites(layer: &Layer) -> Vec<Site> {
    let bytes = layer.bytes();
    let mut sites = Vec::new();
    let query = memchr::memchr2(b'?', b'#', bytes).unwrap_or(bytes.len());
    for colon in memchr::memchr_iter(b':', bytes) {
        let is_marked = colon > 0 && bytes[colon - 1] == b'[';
        let scheme = scheme_before(bytes, colon - usize::from(is_marked));
        let (slashes, end) = slashes(bytes, colon + 1, is_marked);
        let name = &bytes[scheme.clone()];
        let is_one_of = |names: &[&[u8]]| names.iter().any(|n| n.eq_ignore_ascii_case(name));
        let mark = scheme.end..end;
        if slashes == 2 || (slashes > 2 && is_one_of(&SPECIAL)) {
            sites.push(authority(layer, scheme, mark, query));
        } else if sites
            .last()
            .is_some_and(|last: &Site| colon < last.hosts.end)
        {
            // No text is looked through again and again.
        } else if slashes < 2 && begins(bytes, scheme.start) && is_one_of(&SPECIAL) {
            sites.push(authority(layer, scheme, mark, query));
        } else if slashes == 0 && is_one_of(&ADDRESSES) {
            sites.push(address(layer, scheme, mark, query));
        }
    }
    for at in memchr::memmem::find_iter(bytes, b"//") {
        if begins(bytes, at) && bytes.get(at + 2) != Some(&b'/') {
            sites.push(authority(layer, at..at, at..at + 2, query));
        }
    }
    sites
}

/// Whether a URI may begin at `at`, by what stands before it.
fn begins(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| bytes[before]);
    before.is_none_or(|b| b.is_ascii_whitespace() || b"=&\"'<>(,|[{".contains(&b))
}

/// The scheme that ends at `end`; empty when there is none.
fn scheme_before(bytes: &[u8], end: usize) -> Range<usize> {
    let run = bytes[..end].iter().rev().take_while(|&&b| SCHEME.has(b));
    let start = end - run.count();
    let alpha = bytes[start..end].iter().position(|&b| ALPHA.has(b));
    alpha.map_or(end..end, |skip| start + skip..end)
}

/// How many slashes stand at `at`, and where they end. Backslashes before them are
/// JSON's; alone they count as slashes. `]` ends the marks `[:]` and `[://]`.
fn slashes(bytes: &[u8], at: usize, is_marked: bool) -> (usize, usize) {
    let is_closing = |at: usize| is_marked && bytes.get(at) == Some(&b']');
    let start = at + usize::from(is_closing(at));
    let run = bytes[start..].iter();
    let len = run.take_while(|&&b| matches!(b, b'/' | b'\\')).count();
    let run = &bytes[start..start + len];
    let count = run.iter().filter(|&&b| b == b'/').count();
    let end = start + len;
    let end = end + usize::from(start == at && is_closing(end));
    match count {
        0 => (len, end),
        count => (count, end),
    }
}

/// The authority after `mark`. In a query, which begins at `query`, an "&" ends it
/// as a blank does, unless what stands before looks like a password cut in two.
fn authority(layer: &Layer, scheme: Range<usize>, mark: Range<usize>, query: usize) -> Site {
    let bytes = layer.bytes();
    let start = mark.end;
    // Two backslashes are JSON's for one, or the slashes of the URL Standard.
    let belongs = belongs_to(layer, mark.end);
    let is_windows = start > 0 && bytes[start - 1] == b'\\';
    let mut soft = None;
    let mut end = bytes.len();
    for at in start..bytes.len() {
        match bytes[at] {
            b'/' | b'?' | b'#' => {
                end = at;
                break;
            }
            b'\\' if is_windows => {
                end = at;
                break;
            }
            b'&' | b' ' if belongs(at) => {}
            b'&' if start < query => {}
            b'&' | b' ' if soft.is_none() => {
                soft = Some(at);
                if !is_half_a_userinfo(&bytes[start..at], &bytes[at..]) {
                    break;
                }
            }
            _ if layer.is_stop(at) => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    let mut sign = memchr::memrchr(b'@', &bytes[start..soft.unwrap_or(end)]);
    if let Some(soft) = soft {
        let rest =
            is_half_a_userinfo(&bytes[start..soft], &bytes[soft..end]).then(|| &bytes[soft..end]);
        match rest.and_then(|rest| memchr::memchr(b'@', rest)) {
            Some(at) => sign = Some(soft - start + at),
            _ => end = soft,
        }
    }
    Site {
        scheme,
        userinfo: sign.map(|sign| start..start + sign),
        hosts: start + sign.map_or(0, |sign| sign + 1)..end,
        mark,
        is_address: false,
    }
}

/// Tells which places belong to the URI whose mark ends at `end`: it is escaped, and they
/// are escaped as often, so that what is around it does not end there.
fn belongs_to(layer: &Layer, end: usize) -> impl Fn(usize) -> bool {
    let len = |at: usize| layer.raw(at..at + 1).len();
    let least = end.checked_sub(1).map_or(1, len);
    move |at| least > 1 && len(at) >= least
}

/// Whether userinfo goes on in `rest`, which an "&" or a blank begins: a user and the
/// beginning of a password stand before it, no port and no host; or an "@" comes
/// before any sign of a parameter.
fn is_half_a_userinfo(text: &[u8], rest: &[u8]) -> bool {
    if text.contains(&b'@') || text.first() == Some(&b'[') {
        return false;
    }
    let colon = memchr::memchr(b':', text).map(|colon| &text[colon + 1..]);
    let has_password = colon.is_some_and(|rest| !rest.iter().all(u8::is_ascii_digit));
    let next = |b: &&u8| b"@=&/?# \"<>".contains(b);
    has_password || (rest[0] == b'&' && rest[1..].iter().find(next) == Some(&b'@'))
}

/// The address after `mark`; in a query an "&" ends it.
fn address(layer: &Layer, scheme: Range<usize>, mark: Range<usize>, query: usize) -> Site {
    let bytes = layer.bytes();
    let start = mark.end;
    let belongs = belongs_to(layer, mark.end);
    let ends = |&at: &usize| match bytes[at] {
        b'?' | b'#' => true,
        b'&' | b' ' if belongs(at) => false,
        b' ' => true,
        b'&' => start > query,
        _ => layer.is_stop(at),
    };
    let end = (start..bytes.len()).find(ends).unwrap_or(bytes.len());
    let sign = memchr::memchr(b'@', &bytes[start..end]);
    Site {
        scheme,
        userinfo: sign.map(|sign| start..start + sign),
        hosts: start + sign.map_or(0, |sign| sign + 1)..end,
        mark,
        is_address: true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layers_lead_back_to_the_text() {
        let text = br"a\/%2541&amp;%c3".as_slice();
        let mut seen = Vec::new();
        let deeper = visit_layers(text, |layer| {
            let bytes = layer.bytes();
            for at in 0..bytes.len() {
                let raw = &text[layer.raw(at..at + 1)];
                assert!(raw.len() > 1 || raw == &bytes[at..at + 1]);
            }
            assert_eq!(layer.raw(0..bytes.len()), 0..text.len());
            seen.push(String::from_utf8_lossy(bytes).into_owned());
        });
        assert_eq!(deeper, None);
        assert_eq!(seen[1..], ["a/%2541&%c3", "a/%41&\u{FFFD}", "a/A&\u{FFFD}"]);
    }

    #[test]
    fn what_is_too_deep_is_told() {
        let text = format!("http://a/%{}41\"x", "25".repeat(40));
        let deeper = visit_layers(text.as_bytes(), |_| ());
        assert_eq!(deeper, Some(9..text.len() - 2));
        let text = format!("a&{}", "amp;".repeat(40));
        assert_eq!(visit_layers(text.as_bytes(), |_| ()), Some(1..text.len()));
    }

    #[test]
    fn places_of_userinfo_and_host() {
        for (text, wanted) in [
            ("http://u:p@h:1/", &[(Some("u:p"), "h:1")][..]),
            ("http://u:p&q@h/", &[(Some("u:p&q"), "h")]),
            ("x://h/?u=http://h&m=a@b", &[(None, "h"), (None, "h")]),
            (
                "x://h/?u=http://u:p&w@h/",
                &[(None, "h"), (Some("u:p&w"), "h")],
            ),
            ("x://h/?u=http://t&t@h/", &[(None, "h"), (Some("t&t"), "h")]),
            ("//u@h/", &[(Some("u"), "h")]),
            ("http://h//u@h", &[(None, "h")]),
            ("http:u:p@h", &[(Some("u:p"), "h")]),
            ("https:///u:p@h", &[(Some("u:p"), "h")]),
            (r"http:\\u:p@h\x@y", &[(Some("u:p"), "h")]),
            (r"http:\/\/u:p@h\/", &[(Some("u:p"), r"h\")]),
            ("hxxps[://]u@h/", &[(Some("u"), "h")]),
            ("hxxps[:]//u@h/", &[(Some("u"), "h")]),
            ("file:///a@b", &[]),
            ("sip:u:p@h;x=y?z", &[(Some("u:p"), "h;x=y")]),
            ("urn:a-b:c@d", &[]),
        ] {
            visit_layers(text.as_bytes(), |layer| {
                if layer.starts.is_empty() {
                    let part = |range: Range<usize>| &text[range];
                    let found: Vec<_> = sites(layer)
                        .into_iter()
                        .map(|site| (site.userinfo.map(part), part(site.hosts)))
                        .collect();
                    assert_eq!(found, wanted, "{text}");
                }
            });
        }
    }
}
