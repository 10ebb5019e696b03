//! Defangs URIs, so that nobody opens them by mistake (R1).

use crate::syntax::nested::{self, Layer, NextOffset, Site, SiteSearch};
use crate::syntax::steps;
use std::ops::Range;

/// A mark, and the range of the text that it replaces.
type DefangMark = (Range<usize>, &'static [u8]);

/// Appends `uri` as security reports write it: `hxxp` for `http`, `[.]` for every dot
/// of a host, `[:]` for every colon of an IPv6 address. URIs inside it, also
/// percent-encoded ones, and the domains of `mailto:` and `sip:` are also defanged.
/// Without a dot or `http`, the colon after the scheme becomes `[:]` or `[://]`.
/// Reading the result with `--refang` yields `uri` again. `uri` may be any text: then
/// the URIs in it are defanged.
///
/// ```
/// use urisieve::output::defang;
/// let mut out = Vec::new();
/// defang(b"https://a.example/b.c", &mut out);
/// assert_eq!(out, b"hxxps://a[.]example/b.c");
/// out.clear();
/// defang(b"x://[::1]/?u=ftp%3A%2F%2Fa.example", &mut out);
/// assert_eq!(out, b"x://[[:][:]1]/?u=ftp%3A%2F%2Fa[.]example");
/// ```
pub fn defang(uri: &[u8], out: &mut Vec<u8>) {
    let mut marks: Vec<DefangMark> = Vec::new();
    let mut search = SiteSearch::default();
    nested::visit_layers(uri, |layer| {
        let is_text = layer.raw(0..layer.bytes().len()).len() == layer.bytes().len();
        if is_text {
            add_abbreviated(layer, &mut marks);
        }
        let mut done = Done::default();
        search.look(layer);
        for site in &search.sites {
            add_site(layer, site, &mut done, &mut marks);
        }
    });
    push_marked(uri, marks, out);
}

/// Appends a host, an address of IP or an address of mail that has no scheme as [`defang()`]
/// writes it.
///
/// ```
/// use urisieve::output::defang_bare;
/// let mut out = Vec::new();
/// defang_bare(b"joe.x@a.example", &mut out);
/// assert_eq!(out, b"joe.x@a[.]example");
/// out.clear();
/// defang_bare(b"2001:db8::1", &mut out);
/// assert_eq!(out, b"2001[:]db8[:][:]1");
/// ```
pub fn defang_bare(text: &[u8], out: &mut Vec<u8>) {
    let host = memchr::memrchr(b'@', text).map_or(0, |sign| sign + 1);
    let mut marks = Vec::new();
    nested::visit_layers(text, |layer| {
        if layer.bytes().len() == text.len() {
            let mut scan = Scan {
                in_literal: true,
                ..Scan::default()
            };
            add_host(layer, host..text.len(), &mut scan, &mut marks);
        }
    });
    push_marked(text, marks, out);
}

/// Appends a host or a part of one as [`defang()`] writes it.
pub(super) fn defang_host(host: &[u8], out: &mut Vec<u8>) {
    let mut marks = Vec::new();
    nested::visit_layers(host, |layer| {
        if layer.bytes().len() == host.len() {
            add_host(layer, 0..host.len(), &mut Scan::default(), &mut marks);
        }
    });
    push_marked(host, marks, out);
}

/// Appends `text` with the marks applied.
fn push_marked(text: &[u8], mut marks: Vec<DefangMark>, out: &mut Vec<u8>) {
    marks.sort_unstable_by_key(|(range, _)| (range.start, range.end));
    let mut at = 0;
    for (range, mark) in marks {
        // The layers of a text find the same ranges.
        if range.start >= at {
            out.extend_from_slice(&text[at..range.start]);
            out.extend_from_slice(mark);
            at = range.end;
        }
    }
    out.extend_from_slice(&text[at..]);
}

/// Adds the marks of `www.host.tld` and `ftp.host.tld` without a scheme.
fn add_abbreviated(layer: &Layer, marks: &mut Vec<DefangMark>) {
    let bytes = layer.bytes();
    let is_abbreviated = bytes.first_chunk::<4>().is_some_and(|start| {
        start.eq_ignore_ascii_case(b"www.") || start.eq_ignore_ascii_case(b"ftp.")
    });
    if is_abbreviated {
        let ends = |b: &u8| matches!(b, b'/' | b'?' | b'#');
        let end = bytes.iter().position(ends).unwrap_or(bytes.len());
        add_host(layer, 0..end, &mut Scan::default(), marks);
    }
}

/// The part of a text in which hosts were searched for, from left to right.
#[derive(Default)]
struct Scan {
    in_literal: bool,
    /// The offsets that have a mark.
    marked: Vec<usize>,
}

impl Scan {
    fn has_marks(&self, range: &Range<usize>) -> bool {
        let first = self.marked.partition_point(|&at| at < range.start);
        self.marked.get(first).is_some_and(|&at| at < range.end)
    }
}

/// The parts of a layer that were searched: sites are nested in one another, and no
/// byte is searched once for each.
#[derive(Default)]
struct Done {
    hosts: Range<usize>,
    scan: Scan,
    stops: NextOffset,
    /// The range in which the domains after every "@" are marked.
    addresses: Range<usize>,
    /// The end of the last mark there.
    marked: usize,
    /// Every `[.]`; `None` before the first search.
    dots: Option<Vec<usize>>,
}

impl Done {
    /// Adds the marks of the hosts of an authority; returns whether there are any.
    fn add_hosts(
        &mut self,
        layer: &Layer,
        hosts: Range<usize>,
        marks: &mut Vec<DefangMark>,
    ) -> bool {
        if !self.hosts.contains(&hosts.start) {
            let mut scan = Scan::default();
            add_host(layer, hosts.clone(), &mut scan, marks);
            let has_marks = !scan.marked.is_empty();
            if hosts.end > self.hosts.end {
                (self.hosts, self.scan) = (hosts, scan);
            }
            return has_marks;
        }
        if hosts.end > self.hosts.end {
            let rest = self.hosts.end..hosts.end;
            add_host(layer, rest, &mut self.scan, marks);
            self.hosts.end = hosts.end;
        }
        self.scan.has_marks(&hosts)
    }

    /// Adds the marks of the domains of an address and of those after it, which may be
    /// in header fields; returns whether there are any.
    fn add_domains(&mut self, layer: &Layer, site: &Site, marks: &mut Vec<DefangMark>) -> bool {
        let bytes = layer.bytes();
        let start = site.hosts.start;
        let is_stop = |&at: &usize| layer.is_stop(at);
        let end = self.stops.next(site.mark.end, bytes.len(), is_stop);
        let before = marks.len();
        if site.userinfo.is_none() {
            let domain = start..domain_end(bytes, start, end);
            add_host(layer, domain, &mut Scan::default(), marks);
        }
        let from = start - usize::from(site.userinfo.is_some());
        let mut new = from..end;
        if self.addresses.end == end && from < end {
            new.end = self.addresses.start.max(from);
            self.addresses.start = self.addresses.start.min(from);
        } else {
            self.addresses = new.clone();
            self.marked = 0;
        }
        steps::count(new.len());
        for sign in memchr::memchr_iter(b'@', &bytes[new.clone()]) {
            let start = new.start + sign + 1;
            let mut scan = Scan::default();
            add_host(
                layer,
                start..domain_end(bytes, start, end),
                &mut scan,
                marks,
            );
            self.marked = scan
                .marked
                .last()
                .map_or(self.marked, |&at| self.marked.max(at + 1));
        }
        marks.len() > before || self.marked > start
    }

    fn has_dots(&mut self, layer: &Layer, range: &Range<usize>) -> bool {
        let dots = self.dots.get_or_insert_with(|| {
            let dots = memchr::memmem::find_iter(layer.bytes(), b"[.]");
            dots.collect()
        });
        let first = dots.partition_point(|&at| at < range.start);
        dots.get(first).is_some_and(|&at| at + 3 <= range.end)
    }
}

fn add_site(layer: &Layer, site: &Site, done: &mut Done, marks: &mut Vec<DefangMark>) {
    let bytes = layer.bytes();
    let before = marks.len();
    let scheme = &bytes[site.scheme.clone()];
    let is_http = scheme.eq_ignore_ascii_case(b"http") || scheme.eq_ignore_ascii_case(b"https");
    let (from, to) = (site.scheme.start, site.mark.start);
    // When this is read again, an encoded colon does not make "hxxp" a scheme.
    if is_http && (from..to + 1).all(|at| layer.is_literal(at)) {
        for at in [from + 1, from + 2] {
            let raw = layer.raw(at..at + 1);
            marks.push((raw, b"x"));
        }
    }
    let has_marks = match site.is_address {
        true => done.add_domains(layer, site, marks),
        false => done.add_hosts(layer, site.hosts.clone(), marks),
    };
    let hosts = &bytes[site.hosts.clone()];
    let is_marked = has_marks
        || marks.len() > before
        || scheme.get(1..3) == Some(b"xx")
        || done.has_dots(layer, &site.hosts);
    let mark = site.mark.clone();
    if is_marked || hosts.is_empty() || !mark.clone().all(|at| layer.is_literal(at)) {
        return;
    }
    match &bytes[mark.clone()] {
        b":" => marks.push((layer.raw(mark), b"[:]")),
        b"://" => marks.push((layer.raw(mark), b"[://]")),
        _ => {}
    }
}

/// Returns the end of the domain that starts at `start`, which may be an IP literal.
fn domain_end(bytes: &[u8], start: usize, end: usize) -> usize {
    let is_literal = bytes.get(start) == Some(&b'[');
    let ends = |b: &u8| match is_literal {
        true => b"]@/\\?#& ".contains(b),
        false => !b.is_ascii_alphanumeric() && b.is_ascii() && !b"-._".contains(b),
    };
    let len = bytes[start..end].iter().position(ends);
    let end = len.map_or(end, |len| start + len);
    steps::count(end - start);
    end
}

/// Adds the marks of the dots of hosts, and of the colons of IPv6 addresses among them.
fn add_host(layer: &Layer, range: Range<usize>, scan: &mut Scan, marks: &mut Vec<DefangMark>) {
    let bytes = layer.bytes();
    steps::count(range.len());
    for at in range {
        let is_marked = at > 0 && bytes[at - 1] == b'[' && bytes.get(at + 1) == Some(&b']');
        let mark: &[u8] = match bytes[at] {
            b'[' => {
                let is_mark = bytes.get(at + 2) == Some(&b']') || bytes[at..].starts_with(b"[://]");
                scan.in_literal |= !is_mark;
                continue;
            }
            b']' => {
                // The bracket may end a mark in the address.
                scan.in_literal &= at > 1 && bytes[at - 2] == b'[';
                continue;
            }
            b'.' if !is_marked => b"[.]",
            b':' if scan.in_literal && !is_marked => b"[:]",
            _ => continue,
        };
        if layer.is_literal(at) {
            marks.push((layer.raw(at..at + 1), mark));
            scan.marked.push(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::nested::tests::PIECES;

    #[test]
    fn no_host_is_looked_through_again_and_again() {
        for piece in PIECES {
            for start in ["", "http://x/?q=", "mailto:", "http:", "x%253A//y/%253F"] {
                for end in ["", "@h.i"] {
                    let look = |text: &[u8]| {
                        defang(&[text, end.as_bytes()].concat(), &mut Vec::new());
                    };
                    let [one, two] =
                        [1 << 12, 1 << 13].map(|len| steps::of_text(start, piece, len, look));
                    assert!(
                        two < one * 5 / 2 + 1000,
                        "{start} {piece} {end}: {one} {two}"
                    );
                }
            }
        }
    }

    #[test]
    fn schemes_and_hosts() {
        for (uri, expect) in [
            (
                "http://1.2.3.4:80/a.b?c.d",
                "hxxp://1[.]2[.]3[.]4:80/a.b?c.d",
            ),
            ("HTTPS://u.v@H.example", "HxxPS://u.v@H[.]example"),
            ("ftp://a.b/", "ftp://a[.]b/"),
            ("ftp://a/", "ftp[://]a/"),
            ("urn:a-b:c.d", "urn:a-b:c.d"),
            ("httpx://a/", "httpx[://]a/"),
            ("file:///a.b", "file:///a.b"),
            (
                "http://[2001:db8::1.2.3.4]:80/",
                "hxxp://[2001[:]db8[:][:]1[.]2[.]3[.]4]:80/",
            ),
            ("mongodb://a.b:1,c.d:2/", "mongodb://a[.]b:1,c[.]d:2/"),
            (
                "http://a.b/?u=http://c.d/e.f",
                "hxxp://a[.]b/?u=hxxp://c[.]d/e.f",
            ),
            (
                "http://a.b/?u=http%3A%2F%2Fc.d%2Fe.f&v=http%253A%252F%252Fg.h",
                "hxxp://a[.]b/?u=http%3A%2F%2Fc[.]d%2Fe.f&v=http%253A%252F%252Fg[.]h",
            ),
            ("mailto:joe.x@evil.example", "mailto:joe.x@evil[.]example"),
            (
                "mailto:a@b.c,d@e.f?cc=g@h.i&subject=j.k",
                "mailto:a@b[.]c,d@e[.]f?cc=g@h[.]i&subject=j.k",
            ),
            ("mailto:joe@localhost", "mailto[:]joe@localhost"),
            ("sip:u:p@a.b;transport=tcp", "sip:u:p@a[.]b;transport=tcp"),
            ("sip:a.b", "sip:a[.]b"),
            ("sip:u@[::1]:5060", "sip:u@[[:][:]1]:5060"),
            ("http://[2001[:]db8:[:]1]/", "hxxp://[2001[:]db8[:][:]1]/"),
            ("www.a.b/c.d", "www[.]a[.]b/c.d"),
            ("hxxp://a[.]b[:]80/", "hxxp://a[.]b[:]80/"),
        ] {
            let mut out = Vec::new();
            defang(uri.as_bytes(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), expect);
        }
    }
}
