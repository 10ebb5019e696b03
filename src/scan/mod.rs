//! Where might a URI be? Finds every colon that may follow a scheme, judged by the
//! bytes next to it, every `www.` and `ftp.` when abbreviated URIs count (S7), and the
//! words, first digits and `@` of identifiers without a scheme.
//! Finds where a text can be cut so that no candidate crosses the cut. Judging a
//! trigger is left to `delimit`.
//!
//! Measured on one core, in GiB/s on log text without and with many URIs: this vector
//! filter 6.4 and 6.7; `memchr` for every ":" 4.4 and 4.5; an automaton of "://" and
//! 26 opaque schemes 0.5 and 0.4; `memmem` for "://", which misses opaque schemes and
//! escapes, 40 and 14 (`cargo bench --bench stages -- scan`).

mod cut;
mod kernel;

pub use cut::{Cut, Cutter};

use crate::item::{IdentifierKind, IdentifierKinds, Segment};
use crate::syntax::masks::line_masks::LineBlock;
use crate::syntax::masks::stops::{FindStops, StopMasks};
use crate::syntax::words::Words;
use crate::syntax::{Outlook, steps};
use kernel::{Filter, Kernel, LANES};

/// A position in the text at which a URI may be.
///
/// ```
/// use urisieve::item::Segment;
/// use urisieve::scan::{Scanner, Trigger};
/// let scanner = Scanner::new().abbreviated(true);
/// let text = Segment::whole(b"www.a.example or http://a.example/");
/// let found: Vec<_> = scanner.triggers(&text, 0).collect();
/// assert_eq!(found, [Trigger::Abbreviated(0), Trigger::Colon(21)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Trigger {
    /// The raw offset of a colon, or of the first backslash of an escaped colon
    /// (`\u003a`).
    Colon(usize),
    /// The raw offset of `www.` or `ftp.` (S7).
    Abbreviated(usize),
    /// The raw offset of a word or of first digits with which an identifier without a
    /// scheme may begin, or of the `@` in an address of mail.
    Identifier(usize),
}

impl Trigger {
    /// Returns the raw offset.
    ///
    /// ```
    /// use urisieve::scan::Trigger;
    /// assert_eq!((Trigger::Colon(4).at(), Trigger::Abbreviated(9).at()), (4, 9));
    /// ```
    pub const fn at(self) -> usize {
        match self {
            Trigger::Colon(at) | Trigger::Abbreviated(at) | Trigger::Identifier(at) => at,
        }
    }
}

/// The length in bytes of the longest spelling of a trigger, `\\\\u003a`. A trigger may
/// begin within this distance from the end of an unfinished text.
pub(crate) const TRIGGER_MAX: usize = 10;

/// The beginnings of URIs without a scheme (S7).
const ABBREVIATED: [&str; 2] = ["www.", "ftp."];

/// The words with which an identifier without a scheme begins. No word contains another
/// one.
const fn words_of(kind: IdentifierKind) -> &'static [&'static str] {
    match kind {
        IdentifierKind::Isbn => &["isbn"],
        IdentifierKind::Issn => &["issn"],
        IdentifierKind::Doi => &["10."],
        IdentifierKind::Orcid => &["0000-000", "0009-00"],
        IdentifierKind::Handle => &["hdl", "handle:"],
        IdentifierKind::Arxiv => &["arxiv"],
        // Their `@` is looked for.
        IdentifierKind::Email | IdentifierKind::Host | IdentifierKind::Ip => &[],
    }
}

/// Finds triggers.
///
/// ```
/// use urisieve::item::Segment;
/// use urisieve::scan::{Scanner, Trigger};
/// let scanner = Scanner::new();
/// let mut triggers = scanner.triggers(&Segment::whole(b"at 12:30 http://a.example/"), 0);
/// assert_eq!(triggers.next(), Some(Trigger::Colon(13)));
/// assert_eq!(triggers.next(), None);
/// ```
#[derive(Clone, Debug)]
pub struct Scanner {
    kernel: Kernel,
    abbreviated: bool,
    identifiers: IdentifierKinds,
    /// Finds the words with which URIs and identifiers without a scheme begin.
    words: Words,
    /// Whether there are triggers other than colons.
    has_more: bool,
}

impl Default for Scanner {
    fn default() -> Scanner {
        Scanner::new()
    }
}

impl FindStops for Scanner {
    fn find_stops(&self, text: &[u8], at: usize, masks: &mut StopMasks) {
        self.kernel.stops(text, at, masks);
    }

    #[cfg(feature = "html")]
    fn may_begin_uri(&self, text: &[u8], at: usize) -> bool {
        self.kernel.takes_colon(text, at)
    }

    fn has_fast_lines(&self) -> bool {
        self.kernel.has_vectors()
    }

    fn find_lines(&self, text: &[u8], at: usize, block: &mut LineBlock) {
        self.kernel.lines(text, at, block);
    }
}

impl Scanner {
    /// Returns a scanner for `://` and the opaque schemes of S3.
    ///
    /// ```
    /// use urisieve::item::Segment;
    /// use urisieve::scan::Scanner;
    /// let text = Segment::whole(b"at 12:30 mailto:joe@a.example");
    /// let places: Vec<_> = Scanner::new().triggers(&text, 0).map(|trigger| trigger.at()).collect();
    /// assert_eq!(places, [15]);
    /// ```
    pub fn new() -> Scanner {
        Scanner {
            kernel: Kernel::new(Filter::default_schemes()),
            abbreviated: false,
            identifiers: IdentifierKinds::NONE,
            words: Words::default(),
            has_more: false,
        }
    }

    /// Whether every scheme may be opaque (`--opaque`); default no.
    ///
    /// ```
    /// use urisieve::item::Segment;
    /// use urisieve::scan::{Scanner, Trigger};
    /// let text = Segment::whole(b"see steam:open");
    /// assert_eq!(Scanner::new().triggers(&text, 0).next(), None);
    /// let every = Scanner::new().every_scheme(true);
    /// assert_eq!(every.triggers(&text, 0).next(), Some(Trigger::Colon(9)));
    /// ```
    pub fn every_scheme(mut self, every: bool) -> Scanner {
        let filter = if every {
            Filter::every_scheme()
        } else {
            Filter::default_schemes()
        };
        self.kernel = Kernel::new(filter);
        self
    }

    /// Whether `www.` and `ftp.` are triggers (S7); default no.
    ///
    /// ```
    /// use urisieve::item::Segment;
    /// use urisieve::scan::{Scanner, Trigger};
    /// let text = Segment::whole(b"see www.a.example");
    /// assert_eq!(Scanner::new().triggers(&text, 0).next(), None);
    /// let scanner = Scanner::new().abbreviated(true);
    /// assert_eq!(scanner.triggers(&text, 0).next(), Some(Trigger::Abbreviated(4)));
    /// ```
    pub fn abbreviated(mut self, abbreviated: bool) -> Scanner {
        self.abbreviated = abbreviated;
        self.with_words()
    }

    /// Sets the kinds of identifiers without a scheme that are found; default none.
    ///
    /// ```
    /// use urisieve::item::{IdentifierKind, Segment};
    /// use urisieve::scan::{Scanner, Trigger};
    /// let text = Segment::whole(b"see 10.1000/182");
    /// assert_eq!(Scanner::new().triggers(&text, 0).next(), None);
    /// let scanner = Scanner::new().identifiers(IdentifierKind::Doi.into());
    /// assert_eq!(scanner.triggers(&text, 0).next(), Some(Trigger::Identifier(4)));
    /// ```
    pub fn identifiers(mut self, kinds: IdentifierKinds) -> Scanner {
        self.identifiers = kinds;
        self.with_words()
    }

    fn with_words(mut self) -> Scanner {
        let abbreviated = ABBREVIATED.iter().filter(|_| self.abbreviated).copied();
        let kinds = IdentifierKind::ALL
            .iter()
            .filter(|&&kind| self.identifiers.has(kind));
        let identifiers = kinds.flat_map(|&kind| words_of(kind)).copied();
        self.words = Words::new(abbreviated.chain(identifiers).collect());
        self.has_more = !self.words.is_empty() || self.finds_signs();
        self
    }

    /// Whether signs are triggers: `@`, `.` or the byte behind `:`.
    fn finds_signs(&self) -> bool {
        let kinds = [
            IdentifierKind::Email,
            IdentifierKind::Host,
            IdentifierKind::Ip,
        ];
        kinds.iter().any(|&kind| self.identifiers.has(kind))
    }

    /// Returns the offset of the first sign in `text` that is a trigger. A colon triggers behind
    /// it: it is a trigger of its own.
    fn sign_in(&self, text: &[u8], from: usize) -> Option<usize> {
        let rest = text.get(from..)?;
        let has = |kind| self.identifiers.has(kind);
        let (email, host, ip) = (
            has(IdentifierKind::Email),
            has(IdentifierKind::Host),
            has(IdentifierKind::Ip),
        );
        if !host && !ip {
            return memchr::memchr(b'@', rest).map(|at| from + at);
        }
        if self.is_sign_behind_colon(text, from) {
            return Some(from);
        }
        let mut at = from;
        loop {
            at += memchr::memchr3(b'@', b'.', b':', &text[at..])?;
            match text[at] {
                b'.' => return Some(at),
                b'@' if email => return Some(at),
                b':' if ip => return Some(at + 1).filter(|&at| at < text.len()),
                _ => at += 1,
            }
        }
    }

    /// Whether the byte at `at` is a trigger because a colon is before it.
    fn is_sign_behind_colon(&self, text: &[u8], at: usize) -> bool {
        let before = at.checked_sub(1).map(|before| text[before]);
        self.identifiers.has(IdentifierKind::Ip) && before == Some(b':') && at < text.len()
    }

    /// Returns the outlook of `text` from `at` on, as [`Outlook::of`] does, by vectors
    /// where the machine has them.
    ///
    /// ```
    /// use urisieve::scan::Scanner;
    /// use urisieve::syntax::Outlook;
    /// let text = b"http://a.example/ and http://b.example/";
    /// assert_eq!(Scanner::new().outlook(text, 7), Outlook::of(text, 7));
    /// ```
    #[inline]
    pub fn outlook(&self, text: &[u8], at: usize) -> Outlook {
        self.kernel.outlook(text, at)
    }

    /// Returns whether `text` has a trigger.
    pub(crate) fn finds_any(&self, text: &[u8]) -> bool {
        let mut triggers = self.triggers(&Segment::whole(text), 0);
        let has_other = |triggers: &mut Triggers| triggers.next_other(text.len()).is_some();
        triggers.next_colon().is_some() || (self.has_more && has_other(&mut triggers))
    }

    /// Returns whether `text` may have a trigger outside of parts of it; `is_inside` is called
    /// with an offset.
    pub(crate) fn finds_outside(&self, text: &[u8], is_inside: impl Fn(usize) -> bool) -> bool {
        if self.has_more {
            return true;
        }
        let mut triggers = self.triggers(&Segment::whole(text), 0);
        std::iter::from_fn(|| triggers.next_colon()).any(|at| !is_inside(at))
    }

    /// Returns the triggers of `segment` from the raw offset `from` on, from left to
    /// right.
    ///
    /// ```
    /// use urisieve::item::Segment;
    /// use urisieve::scan::Scanner;
    /// let text = Segment::whole(b"http://a.example/ http://b.example/");
    /// let scanner = Scanner::new();
    /// assert_eq!(scanner.triggers(&text, 0).count(), 2);
    /// assert_eq!(scanner.triggers(&text, 5).count(), 1);
    /// ```
    pub fn triggers<'a>(&'a self, segment: &Segment<'a>, from: usize) -> Triggers<'a> {
        Triggers {
            scanner: self,
            text: segment.text,
            from,
            chunk: from,
            bits: 0,
            unread: from,
            colon: None,
            beside: None,
            next_word: from,
            next_sign: from,
        }
    }
}

/// The triggers of a text; see [`Scanner::triggers`].
///
/// ```
/// use urisieve::item::Segment;
/// use urisieve::scan::Scanner;
/// let text = Segment::whole(br"http://a.example/ http:\/\/b.example\/ http\u003a//c.example/");
/// let scanner = Scanner::new();
/// let places: Vec<_> = scanner.triggers(&text, 0).map(|trigger| trigger.at()).collect();
/// assert_eq!(places, [4, 22, 43]);
/// ```
#[derive(Clone, Debug)]
pub struct Triggers<'a> {
    scanner: &'a Scanner,
    text: &'a [u8],
    /// Triggers before this raw offset are not reported.
    from: usize,
    /// Raw offset of the chunk of bytes whose triggers `bits` has.
    chunk: usize,
    bits: u64,
    /// Raw offset of the next chunk.
    unread: usize,
    /// The first colon at or behind `from`, or the end of the text, where it is known.
    colon: Option<usize>,
    /// The offset of the colon that was returned last, if a sign is there, too: it is next.
    beside: Option<usize>,
    /// No word is between `from` and this raw offset.
    next_word: usize,
    /// No `@` is between `from` and this raw offset.
    next_sign: usize,
}

impl Triggers<'_> {
    /// Continues at the raw offset `at`; triggers before it are skipped.
    ///
    /// ```
    /// use urisieve::item::Segment;
    /// use urisieve::scan::{Scanner, Trigger};
    /// let text = Segment::whole(b"http://a.example/?http://b.example/ http://c.example/");
    /// let scanner = Scanner::new();
    /// let mut triggers = scanner.triggers(&text, 0);
    /// assert_eq!(triggers.next(), Some(Trigger::Colon(4)));
    /// triggers.skip_to(35);
    /// assert_eq!(triggers.next(), Some(Trigger::Colon(40)));
    /// ```
    #[inline]
    pub fn skip_to(&mut self, at: usize) {
        if at <= self.from {
            return;
        }
        self.from = at;
        if at < self.unread {
            self.bits &= u64::MAX << at.saturating_sub(self.chunk);
        } else {
            (self.bits, self.unread) = (0, at);
        }
    }

    #[inline(always)]
    fn next_colon(&mut self) -> Option<usize> {
        loop {
            if self.bits == 0 {
                let next = self.scanner.kernel.next(self.text, self.unread);
                let (chunk, bits) = next.unwrap_or((self.text.len(), 0));
                steps::count(chunk.saturating_sub(self.unread) + LANES);
                (self.chunk, self.bits, self.unread) = (chunk, bits, chunk + LANES);
                next?;
            }
            let at = self.chunk + self.bits.trailing_zeros() as usize;
            self.bits &= self.bits - 1;
            if self.text[at] == b':' {
                return Some(at);
            }
            if let Some(colon) = escaped_colon(self.text, at).filter(|&c| c >= self.from) {
                return Some(colon);
            }
        }
    }

    /// Returns the next trigger where there are others than colons.
    fn next_of_all(&mut self) -> Option<Trigger> {
        let beside = self.beside.take();
        if let Some(at) = beside.filter(|&at| at + 1 == self.from) {
            return Some(Trigger::Identifier(at));
        }
        let known = self.colon.filter(|&at| at >= self.from);
        let colon = known.or_else(|| self.next_colon());
        let colon = colon.unwrap_or(self.text.len());
        // Triggers before it are returned first.
        self.colon = Some(colon);
        let next = match self.next_other(colon) {
            None if colon == self.text.len() => return None,
            None => {
                let has_sign = self.scanner.is_sign_behind_colon(self.text, colon);
                self.beside = has_sign.then_some(colon);
                Trigger::Colon(colon)
            }
            Some(other) => other,
        };
        self.from = next.at() + 1;
        Some(next)
    }

    /// Returns the next trigger before `end` that is no colon.
    fn next_other(&mut self, end: usize) -> Option<Trigger> {
        let word = self.next_word(end);
        let sign = self.next_sign(word.map_or(end, Trigger::at));
        sign.map(Trigger::Identifier).or(word)
    }

    /// Returns the next sign before `end`.
    fn next_sign(&mut self, end: usize) -> Option<usize> {
        let from = self.from.max(self.next_sign);
        if !self.scanner.finds_signs() || from >= end {
            return None;
        }
        let sign = self.scanner.sign_in(self.text, from);
        let at = sign.unwrap_or(self.text.len());
        steps::count(at - from);
        self.next_sign = at;
        (at < end).then_some(at)
    }

    /// Returns the next word before `end`.
    fn next_word(&mut self, end: usize) -> Option<Trigger> {
        let from = self.from.max(self.next_word);
        if self.scanner.words.is_empty() || from >= end {
            return None;
        }
        let kernel = &self.scanner.kernel;
        let hits = |window: &_, firsts: &_| kernel.words(window, firsts);
        let found = self.scanner.words.find_by(self.text, from, hits);
        let at = found.map_or(self.text.len(), |(at, _)| at);
        steps::count(at - from);
        self.next_word = at;
        let is_abbreviated =
            self.scanner.abbreviated && found.is_some_and(|(_, word)| word < ABBREVIATED.len());
        (at < end).then_some(match is_abbreviated {
            true => Trigger::Abbreviated(at),
            false => Trigger::Identifier(at),
        })
    }
}

impl Iterator for Triggers<'_> {
    type Item = Trigger;

    #[inline(always)]
    fn next(&mut self) -> Option<Trigger> {
        if self.scanner.has_more {
            return self.next_of_all();
        }
        let colon = self.next_colon()?;
        self.from = colon + 1;
        Some(Trigger::Colon(colon))
    }
}

/// Returns the offset of the first backslash of the escaped colon whose "3" is at `at`.
fn escaped_colon(text: &[u8], at: usize) -> Option<usize> {
    let head = match text.get(at.checked_sub(1)?)? {
        b'x' => at - 1,
        b'0' if text[..at].ends_with(b"u00") => at - 3,
        _ => return None,
    };
    let run = text[..head]
        .iter()
        .rev()
        .take_while(|&&b| b == b'\\')
        .take(TRIGGER_MAX)
        .count();
    (run > 0).then(|| head - run)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(scanner: &Scanner, text: &[u8]) -> Vec<usize> {
        scanner
            .triggers(&Segment::whole(text), 0)
            .map(Trigger::at)
            .collect()
    }

    #[test]
    fn colons_are_judged_by_their_neighbours() {
        let scanner = Scanner::new();
        assert_eq!(
            all(&scanner, b"a://b 12:30 std::x urn:y {\"k\":\"v\"} note: n"),
            [1, 22]
        );
        assert_eq!(
            all(&scanner, br"https\u003a\/\/a http\x3A//b x3a 03a"),
            [5, 21]
        );
        assert_eq!(all(&scanner, b"urn:"), [3]);
        assert_eq!(all(&scanner, b"key:value"), [0usize; 0]);
        assert_eq!(all(&scanner.every_scheme(true), b"key:value 1: x"), [3]);
    }

    #[test]
    fn abbreviations_and_colons_come_in_order() {
        let scanner = Scanner::new().abbreviated(true);
        let text = b"www.a http://b WWW.c urn:x ftp.d";
        let found: Vec<_> = scanner.triggers(&Segment::whole(text), 0).collect();
        use Trigger::{Abbreviated as A, Colon as C};
        assert_eq!(found, [A(0), C(10), A(15), C(24), A(27)]);
    }

    #[test]
    fn signs_of_addresses_and_words_come_in_order() {
        let kinds = IdentifierKinds::from(IdentifierKind::Email) | IdentifierKind::Isbn.into();
        let scanner = Scanner::new().identifiers(kinds);
        let text = Segment::whole(b"a@b http://a@b ISBN @ isbn a@");
        let mut triggers = scanner.triggers(&text, 0);
        use Trigger::{Colon as C, Identifier as I};
        assert_eq!([triggers.next(), triggers.next()], [Some(I(1)), Some(C(8))]);
        triggers.skip_to(14);
        let rest: Vec<_> = triggers.collect();
        assert_eq!(rest, [I(15), I(20), I(22), I(28)]);
        // A colon is before one that triggers itself.
        let addresses = Scanner::new().identifiers(IdentifierKind::Ip.into());
        let text = Segment::whole(b"8::");
        let found: Vec<_> = addresses.triggers(&text, 0).collect();
        assert_eq!(found, [C(2), I(2)]);
        let signs = Scanner::new().identifiers(IdentifierKind::Email.into());
        assert!(signs.finds_any(b"a@b") && !signs.finds_any(b"isbn"));
        assert!(!Scanner::new().finds_any(b"a@b"));
    }

    #[test]
    fn skipped_triggers_are_not_reported() {
        let text = b"a://b ".repeat(50);
        let scanner = Scanner::new();
        let mut triggers = scanner.triggers(&Segment::whole(&text), 0);
        for at in [2, 8, 64, 70, 200, 290] {
            triggers.skip_to(at);
            let next = triggers.next().map(Trigger::at);
            assert_eq!(next, (at..300).find(|i| i % 6 == 1), "{at}");
        }
    }
}
