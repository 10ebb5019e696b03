//! URIs inside a text, literal or behind escapes: percent-encoded once or more often,
//! or escaped as in JSON and HTML. The search reports too many rather than too few: it
//! hides secrets and defangs addresses, and extracts nothing.

use super::class::{ALPHA, SCHEME};
use super::{pct, steps};
use std::borrow::Cow;
use std::ops::Range;

/// The number of times that percent-encoding is decoded, and the escapes of JSON and
/// HTML before it.
pub(crate) const LAYERS_MAX: usize = 16;

/// Schemes of the URL Standard, which reads an authority after any number of slashes.
const SPECIAL: [&[u8]; 7] = [b"http", b"https", b"ws", b"wss", b"ftp", b"hxxp", b"hxxps"];

/// Schemes whose path begins with `USER@HOST`, possibly with a password after the user
/// (RFC 3261 section 19.1.1).
const ADDRESSES: [&[u8]; 7] = [b"sip", b"sips", b"mailto", b"xmpp", b"im", b"pres", b"acct"];

/// A text with its escapes decoded a number of times.
pub(crate) struct Layer<'t> {
    bytes: Cow<'t, [u8]>,
    /// The offset of each byte in the text, and the end of the last one; empty for the
    /// text itself.
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

    /// Returns the range in the text of a range in this layer.
    pub(crate) fn raw(&self, range: Range<usize>) -> Range<usize> {
        match self.starts.is_empty() {
            true => range,
            false => self.starts[range.start] as usize..self.starts[range.end] as usize,
        }
    }

    /// Whether the byte at `at` of this layer is literal in the text.
    pub(crate) fn is_literal(&self, at: usize) -> bool {
        self.len_in_text(at) == 1
    }

    /// Returns the length in the text of the byte at `at`: 1, or the length of its escape.
    fn len_in_text(&self, at: usize) -> usize {
        self.raw(at..at + 1).len()
    }

    /// Whether every URI around the offset `at` ends there: the text has a byte that
    /// URIs may not contain. Blanks do not end them: lines with blanks are read as one
    /// line.
    pub(crate) fn is_stop(&self, at: usize) -> bool {
        matches!(self.bytes[at], 0..=0x1F | b'"' | b'<' | b'>' | 0x7F) && self.is_literal(at)
    }

    /// Returns the layer after this one: each escape that `escape` finds, which returns
    /// the byte and the length of the escape, is decoded once. `None` when there are no
    /// escapes.
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

/// Calls `visit` with the text, and with each layer of decoded escapes. Returns the
/// range that is escaped so often that it was not searched.
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

/// Parses an escape of JSON (RFC 8259 section 7), of scripts (`\x26`) or of HTML at the
/// start of `text`, if it encodes an ASCII character.
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

/// The userinfo and the host of a URI, or of text that may be one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Site {
    /// The scheme; empty without one.
    pub scheme: Range<usize>,
    /// From the ":" after the scheme up to the userinfo or the host.
    pub mark: Range<usize>,
    /// The userinfo without its "@"; `None` for an authority without userinfo.
    pub userinfo: Option<Range<usize>>,
    /// Hosts and ports.
    pub hosts: Range<usize>,
    /// Whether the user is part of an address, as in `mailto:`.
    pub is_address: bool,
    /// The text after the port up to the last "@" of the URI, when the port is not a number:
    /// a password with "/", "?" or "#", at the first of which the hosts end.
    pub password_rest: Option<Range<usize>>,
}

/// Whether the URL Standard reads an authority after any number of slashes of `scheme`.
pub(crate) fn is_special(scheme: &[u8]) -> bool {
    SPECIAL.iter().any(|name| name.eq_ignore_ascii_case(scheme))
}

/// The buffers of a search for sites, which is used again.
#[derive(Default)]
pub(crate) struct SiteSearch {
    /// The sites of the last layer, from left to right within each kind.
    pub sites: Vec<Site>,
    at_signs: Vec<u32>,
    soft: Vec<Soft>,
}

impl SiteSearch {
    /// Looks for the sites of a layer.
    pub(crate) fn look(&mut self, layer: &Layer) {
        self.sites.clear();
        self.soft.clear();
        let seeker = Seeker::of(layer, &mut self.at_signs, &mut self.soft);
        look(layer, seeker, &mut self.sites);
    }
}

/// Adds the sites of a layer to `sites`.
fn look(layer: &Layer, mut seeker: Seeker, sites: &mut Vec<Site>) {
    let bytes = layer.bytes();
    for colon in memchr::memchr_iter(b':', bytes) {
        let is_marked = colon > 0 && bytes[colon - 1] == b'[';
        let scheme = scheme_before(bytes, colon - usize::from(is_marked));
        let (slashes, end) = slashes(bytes, colon + 1, is_marked);
        let name = &bytes[scheme.clone()];
        let is_one_of = |names: &[&[u8]]| names.iter().any(|n| n.eq_ignore_ascii_case(name));
        let mark = scheme.end..end;
        if slashes == 2 || (slashes > 2 && is_special(name)) {
            sites.push(seeker.authority(scheme, mark));
        } else if sites
            .last()
            .is_some_and(|last: &Site| colon < last.hosts.end)
        {
            // Sites do not nest.
        } else if slashes < 2 && begins(bytes, scheme.start) && is_special(name) {
            sites.push(seeker.authority(scheme, mark));
        } else if slashes == 0 && is_one_of(&ADDRESSES) {
            sites.push(seeker.address(scheme, mark));
        }
    }
    seeker.restart();
    for at in memchr::memchr_iter(b'/', bytes) {
        let is_mark = bytes[at..].starts_with(b"//") && bytes.get(at + 2) != Some(&b'/');
        if is_mark && begins(bytes, at) {
            sites.push(seeker.authority(at..at, at..at + 2));
        }
    }
}

/// Whether a URI may begin at `at`, by the byte before it.
fn begins(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).map(|before| bytes[before]);
    before.is_none_or(|b| b.is_ascii_whitespace() || b"=&\"'<>(,|[{".contains(&b))
}

/// Returns the scheme that ends at `end`; an empty range if no scheme does.
fn scheme_before(bytes: &[u8], end: usize) -> Range<usize> {
    let run = bytes[..end].iter().rev().take_while(|&&b| SCHEME.has(b));
    let start = end - run.count();
    let alpha = bytes[start..end].iter().position(|&b| ALPHA.has(b));
    alpha.map_or(end..end, |skip| start + skip..end)
}

/// Returns the number of slashes at `at`, and their end. Backslashes before slashes are
/// escapes of JSON; alone they count as slashes. `]` ends the marks `[:]` and `[://]`.
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

/// The next offset of a kind, searched for from increasing offsets: no text is searched
/// twice.
#[derive(Default)]
pub(crate) struct NextOffset {
    /// The offset of the last search; `None` before the first one.
    from: Option<usize>,
    found: usize,
}

impl NextOffset {
    /// Returns the first offset from `at` on for which `is_it` returns true, or `len` when
    /// it returns true for no offset.
    pub(crate) fn next(&mut self, at: usize, len: usize, is_it: impl Fn(&usize) -> bool) -> usize {
        if self
            .from
            .is_none_or(|from| !(from..=self.found).contains(&at))
        {
            self.from = Some(at);
            self.found = (at..len).find(is_it).unwrap_or(len);
            steps::count(self.found - at.min(self.found) + 1);
        }
        self.found
    }
}

/// Ends of authorities, parameters and words behind a mark, some of which are part of the URI.
struct Soft {
    /// The length in the text of the last byte of the mark: longer escapes are data of an
    /// authority, and those that are not shorter are part of a parameter; 1 without an escape.
    least: usize,
    in_query: bool,
    /// Ends of an authority.
    hard: NextOffset,
    ends: NextOffset,
    /// The first sign after an end.
    signs: NextOffset,
}

/// Finds the ends of the parts of sites, from left to right.
struct Seeker<'l, 't, 'b> {
    layer: &'l Layer<'t>,
    /// The start of the query.
    query: usize,
    /// Every "@", after the first search for them.
    at_signs: &'b mut Vec<u32>,
    has_at_signs: bool,
    /// Ends of an address.
    open: NextOffset,
    /// Ends of the whole URI.
    whole: NextOffset,
    soft: &'b mut Vec<Soft>,
}

impl<'l, 't, 'b> Seeker<'l, 't, 'b> {
    fn of(
        layer: &'l Layer<'t>,
        at_signs: &'b mut Vec<u32>,
        soft: &'b mut Vec<Soft>,
    ) -> Seeker<'l, 't, 'b> {
        let bytes = layer.bytes();
        Seeker {
            layer,
            query: memchr::memchr2(b'?', b'#', bytes).unwrap_or(bytes.len()),
            at_signs,
            has_at_signs: false,
            open: NextOffset::default(),
            whole: NextOffset::default(),
            soft,
        }
    }

    /// Restarts from the left.
    fn restart(&mut self) {
        self.open = NextOffset::default();
        self.whole = NextOffset::default();
        self.soft.clear();
    }

    /// Returns the first and the last "@" in a range.
    fn at_signs(&mut self, range: Range<usize>) -> Option<(usize, usize)> {
        let bytes = self.layer.bytes();
        let all = &mut *self.at_signs;
        if !std::mem::replace(&mut self.has_at_signs, true) {
            all.clear();
            all.extend(memchr::memchr_iter(b'@', bytes).map(|at| at as u32));
        }
        let first = all.partition_point(|&at| (at as usize) < range.start);
        let end = all.partition_point(|&at| (at as usize) < range.end);
        (first < end).then(|| (all[first] as usize, all[end - 1] as usize))
    }

    /// Returns the "&" or blank that ends the part that starts at `start`, and the
    /// search for them. In a query an "&" ends it like a blank. When the URI is
    /// escaped, and the end is escaped as often, it does not end there.
    fn soft(&mut self, start: usize) -> (usize, &mut Soft) {
        let (layer, bytes) = (self.layer, self.layer.bytes());
        let soft = self.ends(start);
        let (least, in_query) = (soft.least, soft.in_query);
        let end = soft.ends.next(start, bytes.len(), |&at| {
            (bytes[at] == b' ' || (in_query && bytes[at] == b'&'))
                && !(least > 1 && layer.len_in_text(at) >= least)
        });
        (end, soft)
    }

    /// Returns the ends of the parts that start at `start`.
    fn ends(&mut self, start: usize) -> &mut Soft {
        let before = start.checked_sub(1);
        let least = before.map_or(1, |at| self.layer.len_in_text(at));
        let in_query = start >= self.query;
        let is_it = |soft: &Soft| (soft.least, soft.in_query) == (least, in_query);
        let known = self.soft.iter().position(is_it);
        let known = known.unwrap_or_else(|| {
            self.soft.push(Soft {
                least,
                in_query,
                hard: NextOffset::default(),
                ends: NextOffset::default(),
                signs: NextOffset::default(),
            });
            self.soft.len() - 1
        });
        &mut self.soft[known]
    }

    /// Returns the site with the authority after `mark`: an "&" or a blank ends it,
    /// unless the text before looks like a password that is cut in two.
    fn authority(&mut self, scheme: Range<usize>, mark: Range<usize>) -> Site {
        let (layer, bytes) = (self.layer, self.layer.bytes());
        let start = mark.end;
        let ends = self.ends(start);
        let least = ends.least;
        // Delimiters that are escaped more often than the mark are data.
        let hard = ends.hard.next(start, bytes.len(), |&at| {
            matches!(bytes[at], b'/' | b'?' | b'#') && layer.len_in_text(at) <= least
                || layer.is_stop(at)
        });
        // Two backslashes are one in JSON, or the slashes of the URL Standard.
        let marks = &bytes[..start];
        let is_windows = marks.strip_suffix(b"]").unwrap_or(marks).ends_with(b"\\");
        let backslash = match is_windows {
            true => memchr::memchr(b'\\', &bytes[start..hard]),
            false => None,
        };
        let mut end = backslash.map_or(hard, |len| start + len);
        steps::count(if is_windows { end - start } else { 0 });
        let (soft, _) = self.soft(start);
        let mut sign = self.at_signs(start..soft.min(end)).map(|(_, last)| last);
        if soft < end {
            let is_half = sign.is_none() && self.is_half_a_userinfo(start, soft, end);
            let rest = is_half.then(|| self.at_signs(soft..end)).flatten();
            match rest {
                Some((first, _)) => sign = Some(first),
                None => end = soft,
            }
        }
        let hosts = sign.map_or(start, |sign| sign + 1)..end;
        Site {
            scheme,
            userinfo: sign.map(|sign| start..sign),
            password_rest: self.password_rest(start, hosts.clone()),
            hosts,
            mark,
            is_address: false,
        }
    }

    /// Returns the rest of a password that continues after `hosts`, in a site whose text
    /// starts at `start`.
    fn password_rest(&mut self, start: usize, hosts: Range<usize>) -> Option<Range<usize>> {
        let (layer, bytes) = (self.layer, self.layer.bytes());
        let text = &bytes[hosts.clone()];
        // The colons of an IPv6 address are before the port.
        let literal = match text.first() {
            Some(b'[') => memchr::memchr(b']', text)?,
            _ => 0,
        };
        let colon = literal + memchr::memchr(b':', &text[literal..])?;
        steps::count(colon);
        let mut port = &text[colon + 1..];
        if text[..colon].ends_with(b"[") {
            port = port.strip_prefix(b"]").unwrap_or(port);
        }
        if port.iter().all(u8::is_ascii_digit) {
            return None;
        }
        let whole = self.whole.next(start, bytes.len(), |&at| layer.is_stop(at));
        let whole = whole.min(self.soft(start).0);
        let (_, last) = self.at_signs(hosts.end..whole.max(hosts.end))?;
        Some(hosts.end - port.len()..last)
    }

    /// Whether userinfo that starts at `start` and has no "@" before `soft`, an "&" or
    /// a blank, continues there: the text before is a user and the beginning of a
    /// password, not a host with or without a port; or an "@" comes before any sign of
    /// a parameter.
    fn is_half_a_userinfo(&mut self, start: usize, soft: usize, end: usize) -> bool {
        let bytes = self.layer.bytes();
        let text = &bytes[start..soft];
        if text.first() == Some(&b'[') {
            return false;
        }
        let colon = memchr::memchr(b':', text).map(|colon| &text[colon + 1..]);
        let has_password = colon.is_some_and(|rest| !rest.iter().all(u8::is_ascii_digit));
        steps::count(text.len() - colon.map_or(0, <[u8]>::len));
        let is_sign = |&at: &usize| b"@=&/?# \"<>".contains(&bytes[at]);
        has_password
            || (bytes[soft] == b'&' && {
                let signs = &mut self.soft(start).1.signs;
                let sign = signs.next(soft + 1, bytes.len(), is_sign);
                sign < end && bytes[sign] == b'@'
            })
    }

    /// Returns the site with the address after `mark`.
    fn address(&mut self, scheme: Range<usize>, mark: Range<usize>) -> Site {
        let (layer, bytes) = (self.layer, self.layer.bytes());
        let start = mark.end;
        let open = self.open.next(start, bytes.len(), |&at| {
            matches!(bytes[at], b'?' | b'#') || layer.is_stop(at)
        });
        let end = open.min(self.soft(start).0);
        let sign = self.at_signs(start..end).map(|(first, _)| first);
        let hosts = sign.map_or(start, |sign| sign + 1)..end;
        Site {
            scheme,
            userinfo: sign.map(|sign| start..sign),
            password_rest: match sign {
                None => self.password_rest(start, hosts.clone()),
                Some(_) => None,
            },
            hosts,
            mark,
            is_address: true,
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    fn sites(layer: &Layer) -> Vec<Site> {
        let mut search = SiteSearch::default();
        search.look(layer);
        search.sites
    }

    /// Pieces of texts that a naive search would read repeatedly.
    pub(crate) const PIECES: [&str; 42] = [
        "http:a:b&",
        "http:a:b ",
        "http:a&",
        "=http:a:b&",
        "sip:a&",
        "sip:a@b&",
        "mailto:a",
        "mailto:a,",
        "sip:a@b.c,",
        "http://a:b",
        "http://a:b&",
        "%40",
        "user:pw&",
        "x[:\\\\]",
        "x[:\\\\]a.b",
        "=http:ax:\\\\b\\",
        "=http:ax:\\\\b\\a.b@",
        "sip:x://a/",
        "sip:x://a.b/",
        "sip:[x://a/",
        "sip:a@[x://a/",
        "@[",
        "sip:[",
        "=http%3Aa%3Ab%26",
        "=http:a=http%3Aa%26",
        "sip%3Aa%26",
        "http%253Aa%253Ab%2526",
        "%2525",
        "25",
        "&amp;http:a:b",
        "key=",
        "[a://b",
        "=//a:b&",
        "=//u@",
        "x:\\\\a@b.c ",
        "http:1:1&",
        "http://a:b/",
        "http://a:b/@",
        "=http:a:b/x://",
        "=http:a:b@c:d?",
        "sip:a:b?",
        "x:\\\\a:b\\",
    ];

    #[test]
    fn no_text_is_looked_through_again_and_again() {
        let look = |text: &[u8]| {
            visit_layers(text, |layer| drop(sites(layer)));
        };
        for piece in PIECES {
            for start in [
                "",
                "http://x/?q=",
                "sip:",
                "http:",
                "http%3A",
                "x%253A//y/%253F",
            ] {
                for end in ["", "@h"] {
                    let look = |text: &[u8]| look(&[text, end.as_bytes()].concat());
                    let [one, two] =
                        [1 << 13, 1 << 14].map(|len| steps::of_text(start, piece, len, look));
                    assert!(
                        two < one * 5 / 2 + 1000,
                        "{start} {piece} {end}: {one} {two}"
                    );
                }
            }
        }
    }

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
    fn text_that_is_too_deep_is_reported() {
        let text = format!("http://a/%{}41\"x", "25".repeat(40));
        let deeper = visit_layers(text.as_bytes(), |_| ());
        assert_eq!(deeper, Some(9..text.len() - 2));
        let text = format!("a&{}", "amp;".repeat(40));
        assert_eq!(visit_layers(text.as_bytes(), |_| ()), Some(1..text.len()));
    }

    #[test]
    fn a_password_with_delimiters_ends_at_the_last_sign() {
        for (text, wanted) in [
            ("x://u:p/a#ss@h/", Some("p/a#ss")),
            ("http://u:p#q@h", Some("p#q")),
            ("http://u:p?q&r@h/x", Some("p?q&r")),
            ("http://u:p@w:x/y@h/", Some("x/y")),
            ("http://u:p/a b@h", None),
            ("<http://u:p/a> b@h", None),
            ("x://h/?u=http://u:p/a@h&m=a@b", Some("p/a")),
            ("http://h:8080/@joe", None),
            ("http://h:/@joe", None),
            ("http://[::1]:80/@joe", None),
            ("http://[::1]/@joe", None),
            ("http://[::1]:p/q@h", Some("p/q")),
            ("http://h[:]80/@joe", None),
            ("http://h/a:b@c", None),
            ("//u:p/a@h", Some("p/a")),
            ("http:u:p/a@h", Some("p/a")),
            (r"http:\\u:p\a@h", Some(r"p\a")),
            ("sip:u:p#q@h", Some("p#q")),
            ("sip:h:5060?x=a@b", None),
            ("mailto:a@b?x=c:d@e", None),
        ] {
            visit_layers(text.as_bytes(), |layer| {
                if layer.starts.is_empty() {
                    let found = sites(layer).into_iter().find_map(|site| site.password_rest);
                    assert_eq!(found.map(|range| &text[range]), wanted, "{text}");
                }
            });
        }
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
