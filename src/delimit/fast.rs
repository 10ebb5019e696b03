//! The way of most colons: rejected by the word before them, or the start of a
//! plain `http` or `https` whose end is proved by masks of the bytes ahead. What is
//! not proved goes to the general walk.

use super::quick::{Plain, Quick, quick};
use super::start::{self, Opening, SchemeStart};
use super::{Delimiter, Found, Outcome, Source, shape, trim, web};
use crate::item::{Marks, Problem, RawUri, Segment, Wrapper};
use crate::syntax::class::URI;
use crate::syntax::{Outlook, pct};

impl Delimiter {
    /// Judges the candidate whose colon, raw or escaped, stands at the raw offset
    /// `colon` of `segment`. Nothing is reported that starts before `floor`.
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

    /// The same; `look` gives what stands in the text from a raw offset on, as
    /// [`Outlook::of`] does.
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
        self.found.clear();
        let text = segment.text;
        if !self.config.refang
            && let Some((at, opening)) = web::web_before(text, colon)
        {
            if at < floor {
                return Outcome::None;
            }
            let longest = at + self.config.max_length;
            return match quick(text, colon, opening.opener, longest, look) {
                Some(Quick::Plain(plain)) => {
                    self.conclude_quick(segment, at, colon, &opening, plain)
                }
                Some(Quick::Void) => Outcome::None,
                None => {
                    let scheme = SchemeStart { at, field: None };
                    self.delimit_slowly(segment, colon, scheme, &opening)
                }
            };
        }
        if self.is_no_scheme(text, colon) {
            return Outcome::None;
        }
        self.delimit_any(segment, colon, floor)
    }

    /// Judges a candidate of any scheme.
    #[inline(never)]
    fn delimit_any(&mut self, segment: &Segment, colon: usize, floor: usize) -> Outcome {
        let text = segment.text;
        let scheme = start::scheme_before(text, colon);
        // Of others than these more must be asked.
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
        let look = |at| Outlook::of(text, at);
        if scheme.field.is_none()
            && !self.config.refang
            && (is_web || !shape::is_label(name))
            && let Some(quick) = quick(text, colon, opening.opener, longest, look)
        {
            return match quick {
                Quick::Plain(plain) => {
                    self.conclude_quick(segment, scheme.at, colon, &opening, plain)
                }
                Quick::Void => Outcome::None,
            };
        }
        self.delimit_slowly(segment, colon, scheme, &opening)
    }

    /// Whether the word before a colon that no slash follows is none of a scheme,
    /// told by its last letters or, where a line ends, by what stands before it.
    #[inline]
    fn is_no_scheme(&self, text: &[u8], colon: usize) -> bool {
        let Some([b':', next, ..]) = text.get(colon..) else {
            return false;
        };
        match next {
            b'/' => false,
            _ if !self.config.opaque.is_default() => false,
            b'\n' | b'\r' => !start::may_fold(text, colon),
            next => URI.has(*next) && shape::ends_no_scheme(text, colon),
        }
    }

    /// Records what the fast path proved.
    #[inline(always)]
    fn conclude_quick(
        &mut self,
        segment: &Segment,
        start: usize,
        colon: usize,
        opening: &Opening,
        plain: Plain,
    ) -> Outcome {
        let text = &segment.text[start..plain.end];
        let len = match text.last() {
            Some(last) if !plain.closed && !last.is_ascii_alphanumeric() => {
                let after = segment.text.get(plain.end).copied();
                trim::trimmed_len(text, opening.before, after)
            }
            _ => text.len(),
        };
        let text = &text[..len];
        let mut problems = plain.problems;
        if plain.has_percent && pct::first_broken(text).is_some() {
            problems |= Problem::BadPercent;
        }
        let wrapper = match opening.opener {
            Some(opener) if plain.closed => opener.wrapper(),
            _ => Wrapper::None,
        };
        let scheme_len = colon - start;
        let is_web = matches!(&text[..scheme_len], b"http" | b"https");
        self.found.push(Found {
            source: Source::Raw,
            from: start,
            to: start + len,
            offset: start,
            length: len,
            encoded: false,
            is_plain: is_web && !plain.has_percent && !plain.has_upper,
            marks: Marks {
                wrapper,
                url_prefix: opening.url_prefix,
                problems,
                ..Marks::default()
            },
        });
        if self.config.strict || self.config.nested {
            self.derive(segment, scheme_len);
        }
        Outcome::Found(start + len)
    }

    /// What the last call found, when that is one `http` or `https` URI that stands
    /// in the text byte by byte, without a capital letter in its scheme and its host
    /// and without `%`. So its case is normal.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// use urisieve::item::Segment;
    /// let mut delimiter = Delimiter::new(Config::default());
    /// for (text, is_plain) in [("to http://a.example/B", true), ("to http://A.example/b", false)] {
    ///     let text = Segment::whole(text.as_bytes());
    ///     delimiter.delimit(&text, 7, 0);
    ///     assert_eq!(delimiter.found_plain(&text).is_some(), is_plain);
    /// }
    /// ```
    #[inline]
    pub fn found_plain<'a>(&self, segment: &Segment<'a>) -> Option<RawUri<'a>> {
        let [found] = self.found[..] else {
            return None;
        };
        found.is_plain.then(|| RawUri {
            text: &segment.text[found.from..found.to],
            offset: found.offset,
            length: found.length,
            marks: found.marks,
        })
    }
}
