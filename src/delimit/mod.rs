//! Where does this URI begin and end? From a colon that may follow a scheme, finds the
//! scheme (S4), the prefix and the opener before it (S5, W1 to W3, W8), the end (B1 to
//! B9) and the text without folds and escapes (W4 to W6, B5). Finding colons is left to
//! `scan`, the canonical form to `canonicalize`.
//!
//! A candidate that reaches the end of an unfinished text is undecided: the caller
//! retries with more text. The answer therefore does not depend on the cuts of the
//! input (law L1).

mod config;
mod escaped;
mod fast;
mod fold;
mod identifier;
mod line_head;
mod list;
mod mark;
mod nested;
mod quick;
mod quotes;
mod read;
mod refer;
mod roff;
mod shape;
mod start;
mod template;
mod trim;
mod walk;
mod web;

pub use config::{Config, Hyphen, LENGTH_MAX, WRAP_MAX, Wrap, WrapLimit};
use fold::Fold;
pub(crate) use line_head::{HEAD_MAX, head_at};
pub use nested::InnerUris;
pub use refer::{Cleaning, Referred, Refusal};
pub(crate) use start::LOOK_BACK;

use crate::item::{Marks, Places, Problem, Problems, RawUri, Segment, Wrapper};
use crate::syntax::{self, pct, steps};
use identifier::IdentifierScratch;
use quotes::Unclosed;
use read::{Unit, UnitReader};
use shape::Authority;
use start::{Opener, Opening, SchemeStart};
use walk::{Stop, Task, WalkMode, WalkResult, WalkScratch};

pub use walk::Overrun;

/// Most blanks before and after the dot of a host that is written with blanks (R1).
const DOT_BLANKS: usize = 8;

/// The result of judging a candidate.
///
/// ```
/// use urisieve::delimit::{Config, Delimiter, Outcome};
/// use urisieve::item::Segment;
/// let mut delimiter = Delimiter::new(Config::default());
/// assert_eq!(delimiter.delimit(&Segment::whole(b"note: this"), 4, 0), Outcome::None);
/// let text = Segment::whole(b"http://a.example/.");
/// assert_eq!(delimiter.delimit(&text, 4, 0), Outcome::Found(17));
/// let part = Segment { last: false, ..text };
/// assert_eq!(delimiter.delimit(&part, 4, 0), Outcome::Undecided);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Outcome {
    /// The candidate is not a URI. Scanning continues after its colon.
    None,
    /// The candidate needs more input: retry with a longer segment.
    Undecided,
    /// The candidate is a URI, which [`Delimiter::found`] returns. Scanning continues at
    /// this raw offset.
    Found(usize),
    /// The candidate is longer than allowed (B7).
    TooLong {
        /// Raw offset of the scheme.
        start: usize,
        /// Raw offset of the end of the run, where scanning continues.
        end: usize,
        /// The state of a run that continues beyond the text: continue at `end` with
        /// [`Delimiter::skip`].
        goes_on: Option<Overrun>,
    },
}

/// The result of judging a candidate, with a plain URI in it.
///
/// ```
/// use urisieve::delimit::{Config, Delimiter, Judged};
/// use urisieve::{item::Segment, syntax::Outlook};
/// let text = Segment::whole(b"at http://a.example/, since");
/// let look = |at| Outlook::of(text.text, at);
/// let judged = Delimiter::new(Config::default()).delimit_plain(&text, 7, 0, look);
/// assert!(matches!(judged, Judged::Plain(uri) if uri.text == b"http://a.example/"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Judged<'t> {
    /// The candidate is a single `http` or `https` URI that is a slice of the text,
    /// without a capital letter in its scheme and host, whose percent-encodings are complete and
    /// have digits in upper case: the case of this URI is normal. Scanning continues at its end. Such a URI at the beginning or the end
    /// of the text may be among the others.
    Plain(RawUri<'t>),
    /// Any other result, and any other URI.
    Other(Outcome),
}

/// A URI that was found: the range of its text, its position and its marks.
#[derive(Clone, Copy, Debug)]
struct FoundUri {
    source: TextSource,
    from: usize,
    to: usize,
    offset: usize,
    length: usize,
    /// The text has `%3C` and `%3E` for `<` and `>` (B2).
    encoded: bool,
    /// The only URI of its candidate, in normal case.
    is_plain: bool,
    marks: Marks,
}

impl FoundUri {
    /// Returns a URI that is a slice of the text.
    fn raw(uri: &RawUri) -> FoundUri {
        FoundUri {
            source: TextSource::Raw,
            from: uri.offset,
            to: uri.offset + uri.length,
            offset: uri.offset,
            length: uri.length,
            encoded: false,
            is_plain: false,
            marks: uri.marks,
        }
    }
}

/// The place of the text of a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TextSource {
    /// In the input, by raw offsets.
    Raw,
    /// In the decoded text.
    Decoded,
    /// In the decoded text without the hyphens before line breaks (W6).
    WithoutHyphens,
    /// In the URI that was made from an identifier without a scheme.
    Identifier,
    /// In the decoded texts of URIs inside the first one (I13).
    Inner,
}

/// Decides where candidates begin and end. A delimiter reuses its buffers, so each
/// worker has its own delimiter.
///
/// ```
/// use urisieve::delimit::{Config, Delimiter, Outcome};
/// use urisieve::item::Segment;
/// let mut delimiter = Delimiter::new(Config::default());
/// let text = Segment::whole(b"see <http://a.example/one/\n   two>.");
/// assert_eq!(delimiter.delimit(&text, 9, 0), Outcome::Found(33));
/// let found: Vec<_> = delimiter.found(&text).collect();
/// assert_eq!(found[0].text, b"http://a.example/one/two");
/// assert_eq!((found[0].offset, found[0].length), (5, 28));
/// ```
#[derive(Clone, Debug)]
pub struct Delimiter {
    config: Config,
    scratch: WalkScratch,
    without_hyphens: Vec<u8>,
    found: Vec<FoundUri>,
    unclosed: Unclosed,
    identifier: IdentifierScratch,
    inner: InnerUris,
    /// The last candidate was void because of a template in its host.
    has_template_host: bool,
}

impl Delimiter {
    /// Returns a delimiter with these rules.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// let delimiter = Delimiter::new(Config::default().max_length(1024));
    /// assert_eq!(delimiter.config().longest(), 1024);
    /// ```
    pub fn new(config: Config) -> Delimiter {
        Delimiter {
            config,
            scratch: WalkScratch::default(),
            without_hyphens: Vec::new(),
            found: Vec::new(),
            unclosed: Unclosed::default(),
            identifier: IdentifierScratch::default(),
            inner: InnerUris::default(),
            has_template_host: false,
        }
    }

    /// Returns the rules.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Wrap};
    /// let delimiter = Delimiter::new(Config::default().wrap(Wrap::Any));
    /// assert!(delimiter.config().joins_blanks());
    /// ```
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Forgets the state of the last text. Call this before a new text.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// use urisieve::item::{Segment, Wrapper};
    /// let mut delimiter = Delimiter::new(Config::default());
    /// delimiter.delimit(&Segment::whole(b"'http://a.example/b c"), 5, 0);
    /// delimiter.begin();
    /// let next = Segment::whole(b"'http://a.example/b'c");
    /// delimiter.delimit(&next, 5, 0);
    /// assert_eq!(delimiter.found(&next).next().unwrap().marks.wrapper, Wrapper::Quote);
    /// ```
    pub fn begin(&mut self) {
        self.unclosed.clear();
    }

    /// Judges a candidate that the fast path left open.
    #[inline(never)]
    fn delimit_slowly(
        &mut self,
        segment: &Segment,
        colon: usize,
        scheme: SchemeStart,
        opening: &Opening,
    ) -> Outcome {
        let text = segment.text;
        let name = &text[scheme.at..colon];
        let mut reader = UnitReader::new(text);
        let (unit, colon_len) = reader.unit(colon);
        if !matches!(unit, Unit::Char { char: ':', .. }) {
            return undecided_if(reader.touched_end && !segment.last);
        }
        let folds = matches!(opening.opener, Some(o) if matches!(o.char, '<' | '"' | '('))
            && matches!(reader.byte(colon + colon_len), Some(b'\n' | b'\r'));
        if !is_slash(&mut reader, colon + colon_len)
            && !folds
            && !shape::is_opaque(name)
            && !self.config.opaque.admits(name)
        {
            return undecided_if(reader.touched_end && !segment.last);
        }
        let mut task = Task {
            mode: WalkMode::Bare {
                field: scheme.field,
            },
            start: scheme.at,
            opening: opening.start,
            colon,
            colon_len,
            folded: None,
            abbreviated: false,
            head: segment.head,
        };
        reader.tex = opening.opener.is_some() && opening.before == Some(b'{');
        let walked = self.walk(&mut reader, &mut task, opening);
        self.conclude(&reader, segment, &task, opening, walked)
    }

    /// W4: judges a candidate with a folded scheme; returns `None` when no folded scheme
    /// ends at `colon`.
    #[inline(never)]
    fn delimit_folded(&mut self, segment: &Segment, colon: usize, floor: usize) -> Option<Outcome> {
        if self.config.wrap == Wrap::Off {
            return None;
        }
        let mut reader = UnitReader::new(segment.text);
        let config = &self.config;
        let limit = |start| walk::limit(config, start, 0);
        let folded = start::folded_scheme(&mut reader, colon, segment.head, limit);
        let undecided = reader.touched_end && !segment.last;
        let Some(folded) = folded.filter(|folded| folded.at >= floor) else {
            return undecided.then_some(Outcome::Undecided);
        };
        let (unit, colon_len) = reader.unit(colon);
        if !matches!(unit, Unit::Char { char: ':', .. }) {
            return undecided_if_more(&reader, segment);
        }
        let mut task = Task {
            mode: WalkMode::Bare { field: None },
            start: folded.at,
            opening: folded.opening.start,
            colon,
            colon_len,
            folded: Some((folded.end, folded.rest)),
            abbreviated: false,
            head: segment.head,
        };
        match self.walk_wrapper(&mut reader, &mut task, folded.opener) {
            Some(walked) => Some(self.conclude(&reader, segment, &task, &folded.opening, walked)),
            None => undecided_if_more(&reader, segment),
        }
    }

    /// S7: judges the candidate without a scheme that starts at the raw offset `at` with
    /// `www.` or `ftp.`.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Outcome};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"see www.a.example.");
    /// let mut delimiter = Delimiter::new(Config::default());
    /// assert_eq!(delimiter.delimit_abbreviated(&text, 4, 0), Outcome::Found(17));
    /// assert!(delimiter.found(&text).next().unwrap().marks.abbreviated);
    /// ```
    pub fn delimit_abbreviated(&mut self, segment: &Segment, at: usize, floor: usize) -> Outcome {
        self.found.clear();
        let text = segment.text;
        if at < floor || !start::may_abbreviate(text, at) {
            return Outcome::None;
        }
        let mut reader = UnitReader::new(text);
        let opening = start::opening_before(text, at);
        let mut task = Task {
            mode: WalkMode::Bare { field: None },
            start: at,
            opening: opening.start,
            colon: at,
            colon_len: 0,
            folded: None,
            abbreviated: true,
            head: segment.head,
        };
        reader.tex = opening.opener.is_some() && opening.before == Some(b'{');
        let walked = self.walk(&mut reader, &mut task, &opening);
        self.conclude(&reader, segment, &task, &opening, walked)
    }

    /// Skips the rest of a run that is too long (B7), from the raw offset `at` on.
    /// Returns the raw offset of its end, and its state when it continues beyond the text.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Outcome};
    /// use urisieve::item::Segment;
    /// let mut delimiter = Delimiter::new(Config::default().max_length(1024));
    /// let text = format!("http://a.example/{} and more", "x".repeat(4000)).into_bytes();
    /// let part = Segment { last: false, ..Segment::whole(&text[..2000]) };
    /// let outcome = delimiter.delimit(&part, 4, 0);
    /// let Outcome::TooLong { end, goes_on: Some(run), .. } = outcome else { unreachable!() };
    /// assert_eq!(delimiter.skip(&Segment::whole(&text), end, run), (17 + 4000, None));
    /// ```
    pub fn skip(
        &mut self,
        segment: &Segment,
        at: usize,
        overrun: Overrun,
    ) -> (usize, Option<Overrun>) {
        let mut reader = UnitReader::new(segment.text);
        let walked = walk::go_on(
            &mut reader,
            &mut self.scratch,
            &self.config,
            segment.head,
            at,
            overrun,
        );
        let unfinished = reader.touched_end && !segment.last;
        match walked.overrun.filter(|_| unfinished) {
            Some((at, overrun)) => (at, Some(overrun)),
            None => (walked.end, None),
        }
    }

    /// Returns the URIs that the last call found: one URI, or two that differ by hyphens
    /// (W6), and the URIs nested in it (S6).
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// use urisieve::item::Segment;
    /// let text = Segment::whole(b"say 'http://a.example/b' twice");
    /// let mut delimiter = Delimiter::new(Config::default());
    /// delimiter.delimit(&text, 9, 0);
    /// let found: Vec<_> = delimiter.found(&text).map(|uri| uri.text).collect();
    /// assert_eq!(found, [b"http://a.example/b"]);
    /// ```
    pub fn found<'a>(&'a self, segment: &Segment<'a>) -> impl Iterator<Item = RawUri<'a>> + 'a {
        let segment = *segment;
        self.found.iter().map(move |found| RawUri {
            text: self.text_of(found, &segment),
            offset: found.offset,
            length: found.length,
            marks: found.marks,
        })
    }

    /// Returns for each byte of the text of found URI number `number` the raw offset from
    /// which it was read.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// use urisieve::item::Segment;
    /// let mut delimiter = Delimiter::new(Config::default());
    /// delimiter.delimit(&Segment::whole(br"http:\/\/ab"), 4, 0);
    /// assert_eq!(delimiter.places(0).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5, 7, 9, 10]);
    /// ```
    pub fn places(&self, number: usize) -> impl Iterator<Item = usize> + '_ {
        let found = self.found.get(number);
        let range = found.map_or(0..0, |found| found.from..found.to);
        let mut places = self.scratch.places();
        range.map(move |at| found.map_or(at, |found| self.place(&mut places, found.source, at)))
    }

    /// Returns whether the last candidate, for which the outcome was
    /// [`None`](Outcome::None), is not a URI because its host has a template, as in
    /// `http://${HOST}/` (I25). The second call returns false.
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter, Outcome};
    /// use urisieve::item::Segment;
    /// let mut delimiter = Delimiter::new(Config::default());
    /// let outcome = delimiter.delimit(&Segment::whole(b"http://${HOST}/a"), 4, 0);
    /// assert!(outcome == Outcome::None && delimiter.take_template_host());
    /// assert!(!delimiter.take_template_host());
    /// ```
    pub fn take_template_host(&mut self) -> bool {
        std::mem::take(&mut self.has_template_host)
    }

    /// Returns whether the text of found URI number `number` has `%3C` and `%3E` for the
    /// `<` and `>` of a SICI in the input (B2).
    ///
    /// ```
    /// use urisieve::delimit::{Config, Delimiter};
    /// use urisieve::item::Segment;
    /// let mut delimiter = Delimiter::new(Config::default());
    /// let text = Segment::whole(b"doi:10.1002/(SICI)49:8<693::AID>3.0");
    /// delimiter.delimit(&text, 3, 0);
    /// assert!(delimiter.is_encoded(0));
    /// let uri = delimiter.found(&text).next().unwrap().text;
    /// assert_eq!(uri, b"doi:10.1002/(SICI)49:8%3C693::AID%3E3.0");
    /// ```
    pub fn is_encoded(&self, number: usize) -> bool {
        self.found.get(number).is_some_and(|found| found.encoded)
    }

    /// Walks the candidate in the wrapper that opened before it, or as a bare run.
    fn walk<'t>(
        &mut self,
        reader: &mut UnitReader<'t>,
        task: &mut Task<'t>,
        opening: &Opening,
    ) -> WalkResult {
        if let Some(opener) = opening.opener
            && task.mode == (WalkMode::Bare { field: None })
            && self.joins_above(reader, task, opening)
            && let Some(walked) = self.walk_wrapper(reader, task, opener)
        {
            return walked;
        }
        let walked = walk::walk(reader, &mut self.scratch, &self.config, task);
        let torn = self.config.refang
            && walked.stop == Stop::End
            && walked.in_authority
            && goes_on_after_dot(reader, walked.end);
        match torn {
            true => WalkResult {
                stop: Stop::Void,
                ..walked
            },
            false => walked,
        }
    }

    /// W4: returns whether only blanks and leaders are between the candidate and its opener,
    /// if that is in a line above.
    fn joins_above(&self, reader: &mut UnitReader, task: &Task, opening: &Opening) -> bool {
        let Some(above) = opening.above else {
            return true;
        };
        let from = opening.start + usize::from(above.len);
        let to = from + usize::from(above.gap);
        let leader = fold::leader_of(reader.text, opening.start, task.head);
        let limit = walk::limit(&self.config, task.start, 0);
        self.config.wrap != Wrap::Off
            && matches!(fold::fold(reader, from, || leader, limit), Fold::Content { at, .. } if at == to)
    }

    /// Walks the candidate in the wrapper that `opener` opened; returns `None` when the
    /// wrapper does not count.
    fn walk_wrapper<'t>(
        &mut self,
        reader: &mut UnitReader<'t>,
        task: &mut Task<'t>,
        opener: Opener,
    ) -> Option<WalkResult> {
        let bare = task.mode;
        task.mode = match opener.char {
            '(' | '[' | '{' => WalkMode::Bracketed(opener),
            _ => WalkMode::Quoted(opener),
        };
        let longest = task.start + self.config.max_length;
        let closes = !self
            .unclosed
            .is_unclosed(reader, opener, task.start, longest);
        let walked = closes.then(|| walk::walk(reader, &mut self.scratch, &self.config, task));
        if let Some(walked) = walked
            && walked.stop == Stop::Closed
            && walked.end <= longest
        {
            let text = decoded_text(&self.scratch, reader.text, task.start, walked.end);
            let (len, scheme_len) = (text.len(), task.scheme_len());
            let verdict = self.check(text, scheme_len, task.abbreviated);
            if verdict.is_some()
                || (walked.hyphen_break && self.check_without_hyphens(len, scheme_len).is_some())
            {
                return Some(WalkResult {
                    verdict: Some(verdict),
                    ..walked
                });
            }
        }
        task.mode = bare;
        None
    }

    /// Removes invalid URIs with `--strict` (B6), and adds nested ones (S6).
    fn derive(&mut self, segment: &Segment, scheme_len: usize) {
        if self.config.strict {
            let mut found = std::mem::take(&mut self.found);
            found.retain(|f| is_valid(self.text_of(f, segment), f.marks.abbreviated));
            self.found = found;
        }
        if self.config.nested {
            self.add_nested(segment, scheme_len);
        }
    }

    /// Returns the text of a found URI.
    fn text_of<'a>(&'a self, found: &FoundUri, segment: &Segment<'a>) -> &'a [u8] {
        let text = match found.source {
            TextSource::Raw => segment.text,
            TextSource::Decoded => &self.scratch.text,
            TextSource::WithoutHyphens => &self.without_hyphens,
            TextSource::Identifier => &self.identifier.uri,
            TextSource::Inner => self.inner.decoded(),
        };
        &text[found.from..found.to]
    }

    /// Trims and checks the text of a walk, and records the URI.
    fn conclude(
        &mut self,
        reader: &UnitReader,
        segment: &Segment,
        task: &Task,
        opening: &Opening,
        walked: WalkResult,
    ) -> Outcome {
        let unfinished = reader.touched_end && !segment.last;
        let too_long = |end, goes_on| Outcome::TooLong {
            start: task.start,
            end,
            goes_on,
        };
        match (walked.stop, walked.overrun) {
            (Stop::TooLong, Some((at, overrun))) if unfinished => {
                return too_long(at, Some(overrun));
            }
            _ if unfinished => return Outcome::Undecided,
            (Stop::TooLong, _) => return too_long(walked.end, None),
            (Stop::Void, _) => {
                self.has_template_host = walked.problems.has(Problem::Template);
                return Outcome::None;
            }
            (Stop::End | Stop::Closed, _) => {}
        }
        let decoded = !self.scratch.text.is_empty();
        let text = decoded_text(&self.scratch, segment.text, task.start, walked.end);
        let closed = walked.stop == Stop::Closed;
        let mut problems = walked.problems;
        let len = if closed {
            text.len()
        } else {
            let after = segment.text.get(walked.end).copied();
            let hyphens = shape::is_telephone(&text[..task.scheme_len()]);
            let len = trim::trimmed_len(text, opening.before, after, hyphens);
            let label = match text[..len].last() {
                Some(b']') => {
                    let body = match task.abbreviated {
                        true => 0,
                        false => task.scheme_len() + 1,
                    };
                    trim::label_start(&text[..len], shape::authority_end(text, body))
                }
                _ => None,
            };
            match label {
                Some(label) => {
                    problems |= Problem::Cut;
                    trim::trimmed_len(&text[..label], opening.before, Some(b'['), hyphens)
                }
                None => len,
            }
        };
        let end = match (decoded, len == text.len()) {
            (_, true) => walked.end,
            (true, false) => self.scratch.places().raw(len) as usize,
            (false, false) => task.start + len,
        };
        let mut found = FoundUri {
            source: if decoded {
                TextSource::Decoded
            } else {
                TextSource::Raw
            },
            from: if decoded { 0 } else { task.start },
            to: if decoded { len } else { end },
            offset: task.start,
            length: end - task.start,
            encoded: walked.encoded,
            is_plain: false,
            marks: Marks {
                wrapper: if closed || matches!(task.mode, WalkMode::Bare { .. }) {
                    walk::wrapper_of(task.mode)
                } else {
                    Wrapper::None
                },
                url_prefix: opening.url_prefix,
                wrapped: walked.wrapped.min(255) as u8,
                hyphen_break: walked.hyphen_break,
                abbreviated: task.abbreviated,
                problems,
                ..Marks::default()
            },
        };
        let scheme_len = task.scheme_len();
        let verdict = walked
            .verdict
            .unwrap_or_else(|| self.check(&text[..len], scheme_len, task.abbreviated));
        let second = self.second_spelling(len, scheme_len, &found);
        let exceeds = end - task.start > self.config.max_length;
        if exceeds && (verdict.is_some() || second.is_some()) {
            return too_long(walked.end, None);
        }
        if let Some(problems) = verdict {
            found.marks.problems |= problems;
            self.found.push(found);
        }
        self.found.extend(second);
        if self.found.is_empty() {
            return Outcome::None;
        }
        self.derive(segment, scheme_len);
        Outcome::Found(end)
    }

    /// W6 `both`: returns the spelling without the hyphens before line breaks.
    fn second_spelling(
        &mut self,
        len: usize,
        scheme_len: usize,
        first: &FoundUri,
    ) -> Option<FoundUri> {
        if !first.marks.hyphen_break {
            return None;
        }
        let problems = self.check_without_hyphens(len, scheme_len)?;
        let mut second = *first;
        second.source = TextSource::WithoutHyphens;
        second.to = self.without_hyphens.len();
        second.marks.problems |= problems;
        Some(second)
    }

    /// W6 `both`: writes the first `len` bytes of the decoded text without hyphens before
    /// line breaks, and returns the problems of this spelling if it counts.
    fn check_without_hyphens(&mut self, len: usize, scheme_len: usize) -> Option<Problems> {
        if self.config.hyphen != Hyphen::Both {
            return None;
        }
        self.without_hyphens.clear();
        let mut from = 0;
        for &hyphen in self.scratch.hyphens.iter().filter(|&&at| at < len) {
            self.without_hyphens
                .extend_from_slice(&self.scratch.text[from..hyphen]);
            from = hyphen + 1;
        }
        self.without_hyphens
            .extend_from_slice(&self.scratch.text[from..len]);
        self.check(&self.without_hyphens, scheme_len, false)
    }

    /// S2, S3, S7, B6, B8: returns the problems of a text that counts.
    fn check(&self, text: &[u8], scheme_len: usize, abbreviated: bool) -> Option<Problems> {
        let verdict = if abbreviated {
            shape::abbreviated(text)
        } else {
            shape::check(text, scheme_len, &self.config.opaque)
        }?;
        Some(problems_of(text, verdict))
    }

    /// Returns the raw offset of the byte at `at` of a text; `places` map the decoded
    /// text.
    fn place(&self, places: &mut Places, source: TextSource, at: usize) -> usize {
        match source {
            TextSource::Raw => at,
            TextSource::Decoded => places.raw(at) as usize,
            TextSource::WithoutHyphens => places.raw(self.with_hyphens(at)) as usize,
            TextSource::Identifier => self.found.first().map_or(at, |found| found.offset),
            TextSource::Inner => self.found.first().map_or(at, |outer| {
                let at = outer.from + self.inner.outer_offset(at);
                self.place(places, outer.source, at)
            }),
        }
    }

    /// Returns the raw offset of the end of the byte at `at`, as [`place`](Self::place) does
    /// that of its start.
    fn end_place(&self, places: &mut Places, source: TextSource, at: usize) -> usize {
        let mut end = |at| {
            let (raw, len) = places.span(at..at + 1);
            (raw + len) as usize
        };
        match source {
            TextSource::Decoded => end(at),
            TextSource::WithoutHyphens => end(self.with_hyphens(at)),
            TextSource::Raw | TextSource::Identifier | TextSource::Inner => {
                self.place(places, source, at) + 1
            }
        }
    }

    /// Returns the offset in the decoded text of the byte at `at` of the text without
    /// hyphens.
    fn with_hyphens(&self, at: usize) -> usize {
        let with = |at, &hyphen: &usize| if hyphen <= at { at + 1 } else { at };
        self.scratch.hyphens.iter().fold(at, with)
    }
}

/// Returns whether `text` is a URI by RFC 3986 (B6); an abbreviated one gets the scheme
/// that it lacks.
fn is_valid(text: &[u8], abbreviated: bool) -> bool {
    steps::count(text.len());
    if abbreviated {
        return syntax::validate(&[b"http://", text].concat()).is_ok();
    }
    syntax::validate(text).is_ok()
}

/// Returns the text of a walk: the decoded text, or the raw slice when both are equal.
fn decoded_text<'s>(scratch: &'s WalkScratch, raw: &'s [u8], start: usize, end: usize) -> &'s [u8] {
    if scratch.text.is_empty() {
        &raw[start..end]
    } else {
        &scratch.text
    }
}

fn problems_of(text: &[u8], verdict: Authority) -> Problems {
    let mut problems = match verdict {
        Authority::Good(problems) => problems,
        Authority::Void => Problems::NONE,
    };
    steps::count(text.len());
    if pct::first_broken(text).is_some() {
        problems |= Problem::BadPercent;
    }
    problems
}

fn is_slash(reader: &mut UnitReader, at: usize) -> bool {
    matches!(reader.unit(at).0, Unit::Char { char: '/', .. })
}

/// R1: returns whether a host that ends at `at` continues after a dot between blanks: so
/// addresses are written that must not be opened by mistake.
fn goes_on_after_dot(reader: &mut UnitReader, at: usize) -> bool {
    let blanks = |reader: &mut UnitReader, mut at| {
        let end = at + DOT_BLANKS;
        while at < end && matches!(reader.byte(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        at
    };
    let dot = blanks(reader, at);
    if dot == at || reader.byte(dot) != Some(b'.') {
        return false;
    }
    let on = blanks(reader, dot + 1);
    let byte = reader.byte(on);
    byte.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

fn undecided_if_more(reader: &UnitReader, segment: &Segment) -> Option<Outcome> {
    (reader.touched_end && !segment.last).then_some(Outcome::Undecided)
}

fn undecided_if(undecided: bool) -> Outcome {
    if undecided {
        Outcome::Undecided
    } else {
        Outcome::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A candidate that ends before its text is decided at once; otherwise all text
    /// after it would be kept.
    #[test]
    fn what_more_text_cannot_change_is_decided() {
        let long = "x".repeat(200);
        for (text, found) in [
            ("note: this".to_owned(), false),
            ("foo:bar".to_owned(), false),
            ("ab: \n\n".to_owned(), false),
            ("http://-/ x".to_owned(), false),
            ("http://a.example/ x".to_owned(), true),
            ("urn:ab:c d".to_owned(), true),
            // Limits: of a line that may be page furniture, and of the bytes that are
            // read ahead.
            (format!("<http://a.example/\n{long}{long}"), true),
            (format!("http://a,{long}"), true),
        ] {
            let limit = WrapLimit {
                bytes: 100,
                lines: 2,
            };
            let mut delimiter = Delimiter::new(Config::default().wrap_limit(limit));
            let text = text + " " + &"more words ".repeat(1000);
            let segment = Segment {
                last: false,
                ..Segment::whole(text.as_bytes())
            };
            let colon = text.find(':').unwrap();
            let outcome = delimiter.delimit(&segment, colon, 0);
            assert_ne!(outcome, Outcome::Undecided, "{text}");
            assert_eq!(outcome != Outcome::None, found, "{text}");
        }
    }

    /// W6: each byte of a spelling without hyphens has the place that it was read from.
    #[test]
    fn places_leave_out_removed_hyphens() {
        let text = b"<http://a.example/b-\n c-\n-d-e>";
        let segment = Segment::whole(text);
        let mut delimiter = Delimiter::new(Config::default().hyphen(Hyphen::Both));
        delimiter.delimit(&segment, 5, 0);
        let found: Vec<_> = delimiter
            .found(&segment)
            .map(|uri| uri.text.to_vec())
            .collect();
        assert_eq!(
            found,
            [
                &b"http://a.example/b-c--d-e"[..],
                b"http://a.example/bc-d-e"
            ]
        );
        for (number, uri) in found.iter().enumerate() {
            let places: Vec<_> = delimiter.places(number).collect();
            assert!(places.is_sorted_by(|one, two| one < two), "{places:?}");
            let read: Vec<_> = places.iter().map(|&at| text[at]).collect();
            assert_eq!(&read, uri);
        }
    }
}
