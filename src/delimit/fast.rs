//! The fast path for most colons: they are rejected by the word before them, or start a
//! plain `http` or `https` URI whose end is proved by masks of the bytes ahead. All
//! other candidates are left to the general walk.

use super::quick::{Plain, Quick, quick};
use super::start::{self, Opening, SchemeStart};
use super::{Config, Delimiter, FoundUri, Judged, Outcome, shape, trim, web};
use crate::item::{Marks, Problem, RawUri, Segment, Wrapper};
use crate::syntax::class::URI;
use crate::syntax::{Outlook, pct};

impl Delimiter {
    /// Judges the candidate whose colon, raw or escaped, is at the raw offset `colon` of
    /// `segment`. A candidate that starts before `floor` is not reported.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Outcome};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"(see http://a.example/b).");
    /// let mut delimiter = Delimiter::new(Config::default());
    /// assert_eq!(delimiter.delimit(&text, 9, 0), Outcome::Found(23));
    /// assert_eq!(delimiter.delimit(&text, 9, 6), Outcome::None);
    /// ```
    pub fn delimit(&mut self, segment: &Segment, colon: usize, floor: usize) -> Outcome {
        let look = |at| Outlook::of(segment.text, at);
        self.delimit_ahead(segment, colon, floor, look)
    }

    /// Judges a candidate as [`delimit`](Delimiter::delimit) does. `look` returns the
    /// outlook of the text from a raw offset on, as [`Outlook::of`] does.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Outcome};
    /// use urisieve::{item::Segment, scan::Scanner};
    /// let text = Segment::whole(b"(see http://a.example/b).");
    /// let scanner = Scanner::new();
    /// let mut delimiter = Delimiter::new(Config::default());
    /// let look = |at| scanner.outlook(text.text, at);
    /// assert_eq!(delimiter.delimit_ahead(&text, 9, 0, look), Outcome::Found(23));
    /// ```
    #[inline]
    pub fn delimit_ahead(
        &mut self,
        segment: &Segment,
        colon: usize,
        floor: usize,
        look: impl Fn(usize) -> Outlook,
    ) -> Outcome {
        match self.delimit_plain(segment, colon, floor, look) {
            Judged::Plain(uri) => {
                self.found.push(FoundUri::raw(&uri));
                Outcome::Found(uri.offset + uri.length)
            }
            Judged::Other(outcome) => outcome,
        }
    }

    /// Judges a candidate as [`delimit_ahead`](Delimiter::delimit_ahead) does, and returns
    /// a plain URI at once: [`found`](Delimiter::found) does not return it.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Judged, Outcome};
    /// use urisieve::{item::Segment, syntax::Outlook};
    /// let mut delimiter = Delimiter::new(Config::default());
    /// for (text, is_plain) in [
    ///     ("a http://a.example/B c", true), ("a http://a.example/%C3 c", true),
    ///     ("a http://A.example/b c", false), ("a http://a.example/%c3 c", false),
    /// ] {
    ///     let segment = Segment::whole(text.as_bytes());
    ///     let look = |at| Outlook::of(segment.text, at);
    ///     let judged = delimiter.delimit_plain(&segment, 6, 0, look);
    ///     let uri = text.split(' ').nth(1).unwrap();
    ///     assert_eq!(matches!(judged, Judged::Plain(found) if found.text == uri.as_bytes()), is_plain);
    ///     assert_eq!(judged == Judged::Other(Outcome::Found(2 + uri.len())), !is_plain);
    /// }
    /// ```
    #[inline(always)]
    pub fn delimit_plain<'t>(
        &mut self,
        segment: &Segment<'t>,
        colon: usize,
        floor: usize,
        look: impl Fn(usize) -> Outlook,
    ) -> Judged<'t> {
        self.found.clear();
        let text = segment.text;
        let Some((at, opening)) = web::web_before(text, colon) else {
            return Judged::Other(match self.config.cannot_be_scheme(text, colon) {
                true => Outcome::None,
                false => self.delimit_any(segment, colon, floor, look),
            });
        };
        if at < floor {
            return Judged::Other(Outcome::None);
        }
        let longest = at + self.config.max_length;
        match self.quick(segment, colon, opening, longest, look) {
            Some(Quick::Plain(plain)) => {
                let is_plain = !plain.has_percent && !plain.has_upper;
                match is_plain && !self.config.strict && !self.config.nested {
                    true => Judged::Plain(plain.uri(text, at, opening)),
                    false => {
                        let uri = plain.uri(text, at, opening);
                        self.judge_case(segment, colon, uri, plain.has_upper)
                    }
                }
            }
            Some(Quick::Void) => Judged::Other(Outcome::None),
            None => {
                let scheme = SchemeStart { at, field: None };
                // A copy, so that the values of the fast path stay in registers.
                let left_open = opening;
                Judged::Other(self.delimit_slowly(segment, colon, scheme, &left_open))
            }
        }
    }

    /// Judges a candidate of any scheme.
    #[inline(never)]
    fn delimit_any(
        &mut self,
        segment: &Segment,
        colon: usize,
        floor: usize,
        look: impl Fn(usize) -> Outlook,
    ) -> Outcome {
        let text = segment.text;
        if let Some(outcome) = self.delimit_escaped(segment, colon, floor, &look) {
            return outcome;
        }
        let scheme = start::scheme_before(text, colon);
        // The other schemes may be folded, or may be labels.
        let is_web = scheme.is_some_and(|s| matches!(&text[s.at..colon], b"http" | b"https"));
        if !is_web && let Some(outcome) = self.delimit_folded(segment, colon, floor) {
            return outcome;
        }
        let Some(scheme) = scheme.filter(|s| s.at >= floor) else {
            return Outcome::None;
        };
        let name = &text[scheme.at..colon];
        if self.config.refang && start::is_torn(name) {
            return Outcome::None; // R1
        }
        let opening = start::opening_before(text, scheme.at);
        let longest = scheme.at + self.config.max_length;
        if scheme.field.is_none()
            && (is_web || !shape::is_label(name) && !shape::is_telephone(name))
            && text[colon..].starts_with(b"://")
            && let Some(quick) = self.quick(segment, colon, opening, longest, look)
        {
            return match quick {
                Quick::Plain(plain) => {
                    self.conclude_quick(segment, colon, plain.uri(text, scheme.at, opening))
                }
                Quick::Void => Outcome::None,
            };
        }
        self.delimit_slowly(segment, colon, scheme, &opening)
    }

    /// Looks for the end of a candidate whose opener, if it has one, is in its line.
    #[inline(always)]
    fn quick(
        &self,
        segment: &Segment,
        colon: usize,
        opening: Opening,
        longest: usize,
        look: impl Fn(usize) -> Outlook,
    ) -> Option<Quick> {
        let line_ends = self.config.line_ends;
        let quick = match opening.above {
            None => quick(segment, colon, opening.opener, longest, line_ends, look),
            Some(_) => None,
        };
        match self.config.refang {
            true => quick.filter(|quick| ends_behind_authority(segment.text, colon, quick)),
            false => quick,
        }
    }

    /// Judges the percent-encodings of a URI that the fast path found.
    #[inline(never)]
    fn judge_case<'t>(
        &mut self,
        segment: &Segment,
        colon: usize,
        uri: RawUri<'t>,
        has_upper: bool,
    ) -> Judged<'t> {
        let is_single = !self.config.strict && !self.config.nested;
        match is_single && !has_upper && pct::is_folded(uri.text) {
            true => Judged::Plain(uri),
            false => Judged::Other(self.conclude_quick(segment, colon, uri)),
        }
    }

    /// Records a URI that the fast path found.
    #[inline(never)]
    fn conclude_quick(&mut self, segment: &Segment, colon: usize, mut uri: RawUri) -> Outcome {
        if pct::first_broken(uri.text).is_some() {
            uri.marks.problems |= Problem::BadPercent;
        }
        self.found.push(FoundUri::raw(&uri));
        if self.config.strict || self.config.nested {
            self.derive(segment, colon - uri.offset);
        }
        Outcome::Found(uri.offset + uri.length)
    }
}

impl Config {
    /// Returns whether the word before a colon without a slash after it cannot be a
    /// scheme, judged by its last letters or, at the end of a line, by the text before
    /// it.
    #[inline]
    pub(crate) fn cannot_be_scheme(&self, text: &[u8], colon: usize) -> bool {
        let Some([b':', next, ..]) = text.get(colon..) else {
            return false;
        };
        match next {
            b'/' => false,
            _ if !self.opaque.is_default() => false,
            b'\n' | b'\r' => !start::may_fold(text, colon),
            next => URI.has(*next) && shape::cannot_end_scheme(text, colon),
        }
    }
}

/// R1: whether the candidate has more than an authority, which could be torn at a dot.
fn ends_behind_authority(text: &[u8], colon: usize, quick: &Quick) -> bool {
    match quick {
        Quick::Plain(plain) => {
            memchr::memchr3(b'/', b'?', b'#', &text[colon + 3..plain.end]).is_some()
        }
        Quick::Void => false,
    }
}

impl Plain {
    /// Returns the URI that starts at the raw offset `start` of `text`; problems of
    /// percent-encoding are not detected.
    #[inline(always)]
    fn uri<'t>(self, text: &'t [u8], start: usize, opening: Opening) -> RawUri<'t> {
        let candidate = &text[start..self.end];
        let len = match candidate.last() {
            Some(last) if !self.closed && !last.is_ascii_alphanumeric() => {
                let after = text.get(self.end).copied();
                trim::trimmed_len(candidate, opening.before, after, false)
            }
            _ => candidate.len(),
        };
        RawUri {
            text: &candidate[..len],
            offset: start,
            length: len,
            marks: Marks {
                wrapper: match opening.opener {
                    Some(opener) if self.closed => opener.wrapper(),
                    _ => Wrapper::None,
                },
                url_prefix: opening.url_prefix,
                problems: self.problems,
                ..Marks::default()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::thorough;
    use proptest::prelude::*;
    use proptest::sample::select;

    type Answer = (Outcome, Vec<(Vec<u8>, usize, usize, Marks)>);

    fn judged(delimiter: &Delimiter, segment: &Segment, outcome: Outcome) -> Answer {
        let found = delimiter.found(segment);
        let found = found.map(|uri| (uri.text.to_vec(), uri.offset, uri.length, uri.marks));
        (outcome, found.collect())
    }

    /// Returns for each colon of an `http` or `https` in `text` the results of the fast
    /// path and of the general walk, without and with marks of defanging being read.
    fn both(text: &[u8]) -> Vec<(Answer, Answer)> {
        let configs = [false, true].map(|refang| Config::default().refang(refang));
        configs
            .iter()
            .flat_map(|config| both_by(config, text))
            .collect()
    }

    fn both_by(config: &Config, text: &[u8]) -> Vec<(Answer, Answer)> {
        let segment = Segment::whole(text);
        let mut all = Vec::new();
        for colon in memchr::memmem::find_iter(text, b"://") {
            let Some(scheme) = start::scheme_before(text, colon) else {
                continue;
            };
            if !matches!(&text[scheme.at..colon], b"http" | b"https") {
                continue;
            }
            let mut delimiter = Delimiter::new(config.clone());
            let outcome = delimiter.delimit(&segment, colon, 0);
            let fast = judged(&delimiter, &segment, outcome);
            let mut delimiter = Delimiter::new(config.clone());
            let opening = start::opening_before(text, scheme.at);
            let outcome = delimiter.delimit_slowly(&segment, colon, scheme, &opening);
            all.push((fast, judged(&delimiter, &segment, outcome)));
        }
        all
    }

    const PIECES: &[&[u8]] = &[
        b"http://",
        b"https://",
        b"http://",
        b"a.example",
        b"A.example",
        b"a",
        b"/",
        b"b/",
        b"?q=",
        b"#f",
        b":80",
        b":",
        b"@",
        b"-",
        b".",
        b",",
        b";",
        b", ",
        b"; ",
        b",x:",
        b",x\\",
        b"'",
        b"\"",
        b"<",
        b">",
        b"<1:2>",
        b"<1",
        b"(",
        b")",
        b"[",
        b"]",
        b"{",
        b"}",
        b"|",
        b"^",
        b"`",
        b"_",
        b"~",
        b"$",
        b"&",
        b"&amp;",
        b"&amp;lt;",
        b"&quot;",
        b"&lt;",
        b"&gt;",
        b"&#39;",
        b"&#x3c;",
        b"&apos;",
        b"&rsquo;",
        b"&l",
        b"&amp;x",
        b"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        b"%41",
        b"%e9",
        b"%4",
        b"%",
        b"\\\"",
        b"\\\\\"",
        b"\\'",
        b"\\n",
        b"\\/",
        b"\\x22",
        b"\\xE9",
        b"\\u0022",
        b"\\u003e",
        b"\\_",
        b"{\\_}",
        b"\\.",
        b"\\",
        b" ",
        b"  ",
        b"\t",
        b"\n",
        b"\r\n",
        b"\r",
        b"\x0C",
        b"\n<",
        b"\n\"",
        b"\n{",
        b"\n> ",
        b"\n<1:2>",
        b" [Page 3]",
        b"[Page 3]\n",
        b"\n<x [Page 3]\n",
        b"URL:",
        b"URL: ",
        b"URL=",
        b"\x1b[1;",
        b"\x1b[",
        b"\0",
        b"\x7F",
        b"\x1F",
        "\u{201C}".as_bytes(),
        "\u{201D}".as_bytes(),
        "\u{ab}".as_bytes(),
        "\u{e9}".as_bytes(),
        "\u{3002}".as_bytes(),
        b"\xFF",
        b"-->",
        b"==",
        b"$(",
        b"${x}",
        b"#{",
        b"{x}",
        b"{{",
        b"%s",
        b"#1",
        b"\\foo",
        b"&&",
        b"''",
        b"E",
        b"E<gt>",
        b"<lt>",
        b"\\#",
        b"\\&.",
        b"\\:",
        b"\\-",
        b"<\n",
        b"\nx",
        b"\nhttp://",
        b"[.]",
        b"(dot)",
        b"[.c",
        b".)c",
        b" [at] ",
        b";b=2",
        b"a=1;u=",
        b"${jndi:",
        b"<13>Oct  5 01:43:14 h a: ",
        b"\n<13>Oct  5 01:43:14 h a: http://a",
        b"#012",
        b"#177",
        b"#0",
        b"#",
        b"${env:A}",
        b"${::-j}",
        b"${a:-b}",
        b"${jndi:ldap://x.${",
        b"${env:",
        b"http://${",
        b"http://h.${a:b}",
        b"http://u:${a:b}@h",
        b":${a:b}",
        b"}}",
        "\u{ff0e}".as_bytes(),
    ];

    proptest! {
        /// Law L5 for a single candidate.
        #[test]
        fn the_fast_path_and_the_walk_agree(pieces in proptest::collection::vec(select(PIECES), 1..12)) {
            for end in [&b" and a line that follows\n"[..], b""] {
                let text = [b"x ", &pieces.concat()[..], end].concat();
                for (fast, slow) in both(&text) {
                    prop_assert_eq!(fast, slow, "{}", text.escape_ascii());
                }
            }
        }
    }

    #[test]
    fn both_agree_on_every_piece_after_every_opener() {
        let openers: [&[u8]; 12] = [
            b"", b"\"", b"'", b"<", b"(", b"[", b"{", b"`", b"\\\"", b"&quot;", b"&lt;", b"=",
        ];
        for opener in openers {
            for (number, first) in PIECES.iter().enumerate() {
                for second in thorough::part(PIECES, 3, number) {
                    for (path, end) in [
                        (&b""[..], &b" y\nz\n"[..]),
                        (b"/p", b" y\nz\n"),
                        (b"/p", b""),
                    ] {
                        let parts = [b"x ", opener, b"http://a.example", path, first, second, end];
                        let text = parts.concat();
                        for (fast, slow) in both(&text) {
                            assert_eq!(fast, slow, "{}", text.escape_ascii());
                        }
                    }
                }
            }
        }
    }

    /// L2: each candidate of a hostile text is looked at once, and no candidate is walked.
    #[test]
    fn hostile_texts_need_no_walk() {
        for piece in [
            "http://",
            "<http://a/",
            "\"http://a ",
            "http://a/([{",
            "<http://a/\n",
            "<http://a-\n",
            "(http://a/ ",
            "'http://a/|",
        ] {
            let text = piece.repeat(1000);
            let text = text.as_bytes();
            let looks = std::cell::Cell::new(0);
            let look = |at| {
                looks.set(looks.get() + 1);
                Outlook::of(text, at)
            };
            // The text after the last candidate and before the first one is not known.
            let colons: Vec<_> = memchr::memmem::find_iter(text, b"://").collect();
            for &colon in &colons[1..colons.len() - 2] {
                let (_, opening) = web::web_before(text, colon).unwrap();
                let found = quick(
                    &Segment::whole(text),
                    colon,
                    opening.opener,
                    usize::MAX,
                    true,
                    look,
                );
                assert!(found.is_some(), "{piece:?}");
            }
            assert!(looks.get() <= colons.len(), "{piece:?}: {}", looks.get());
        }
    }

    #[test]
    fn common_shapes_need_no_walk() {
        for (text, uri) in [
            (
                "see http://a.example/b?c=d&e=f. More",
                "http://a.example/b?c=d&e=f",
            ),
            ("x=\"http://a.example/b c\"", "http://a.example/b"),
            (
                "{\\\"u\\\":\\\"http://a.example/b\\\"}",
                "http://a.example/b",
            ),
            ("x (http://a.example/b_(c)), y", "http://a.example/b_(c)"),
            ("[t](http://a.example) x", "http://a.example"),
            (
                "x http://a.example/?a=1&amp;b=2 y",
                "http://a.example/?a=1&amp;b=2",
            ),
            ("x http://a.example, y", "http://a.example"),
            ("x http://a.example/1,b;c y", "http://a.example/1,b;c"),
            ("\u{3002}http://a.example/ y", "http://a.example/"),
            ("  &quot;http://a.example/&quot; y", "http://a.example/"),
            ("x <http://a.example/\n<b", "http://a.example/"),
            ("x {http://a.example/([{", "http://a.example/"),
        ] {
            let line = format!("{text}\n");
            let segment = Segment::whole(line.as_bytes());
            let colon = line.find("://").unwrap();
            let (at, opening) = web::web_before(segment.text, colon).unwrap();
            let look = |at| Outlook::of(segment.text, at);
            let found = quick(&segment, colon, opening.opener, usize::MAX, true, look);
            assert!(matches!(found, Some(Quick::Plain(_))), "{text}");
            let mut delimiter = Delimiter::new(Config::default());
            let Judged::Plain(found) = delimiter.delimit_plain(&segment, colon, 0, look) else {
                panic!("{text}");
            };
            assert_eq!((found.offset, found.text), (at, uri.as_bytes()), "{text}");
        }
        // At the end of the text, and of a part of it.
        let text = b"x http://a.example/b.";
        let look = |at| Outlook::of(text, at);
        for (last, opener) in [(true, false), (false, false), (true, true)] {
            let segment = Segment {
                last,
                ..Segment::whole(text)
            };
            let opening = start::opening_before(b"\"http://", 1);
            let opener = opening.opener.filter(|_| opener);
            let found = quick(&segment, 6, opener, usize::MAX, true, look);
            assert_eq!(found.is_some(), last && opener.is_none());
        }
    }
}
