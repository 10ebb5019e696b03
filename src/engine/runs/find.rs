//! Finds URIs in a text in memory, as an iterator: the blocks of a run, one worker and
//! no sink. [`Sieve`](crate::engine::Sieve) handles compressed and archived inputs, threads and
//! classes of equal URIs.

use super::searchers::Searchers;
use super::serial::{FirstBlock, Serial, TextRest};
use crate::canonicalize::{Canonicalizer, Level};
use crate::engine::ask::config::RunConfig;
use crate::engine::batches::batch::Batch;
use crate::engine::batches::item::WorkItem;
use crate::engine::fault;
use crate::item::{Marks, Problems, Wrapper};
use crate::syntax::{Kind, Parts};
use std::borrow::Cow;
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::LazyLock;

/// Returns every URI and URN in `text`, from left to right, by the default rules.
///
/// The text is searched in pieces while the iterator is used. A URI that is longer than
/// 64 KiB is skipped; a [`Sieve`](crate::engine::Sieve) reports it as a loss. All calls share
/// one [`Finder`].
///
/// ```
/// let text = "see <HTTP://A.example/one/\n two> and urn:isbn:0395363411.";
/// let found: Vec<_> = urisieve::find(text).collect();
/// assert_eq!(found[0].as_bytes(), b"HTTP://A.example/one/\n two");
/// assert_eq!(found[0].uri(), b"HTTP://A.example/one/two");
/// assert_eq!(found[1].range(), 37..56);
/// ```
pub fn find<T: AsRef<[u8]> + ?Sized>(text: &T) -> Matches<'_> {
    static DEFAULT: LazyLock<Finder> = LazyLock::new(Finder::new);
    DEFAULT.find(text)
}

/// Finds URIs in texts in memory, by rules that the caller chooses: [`Finder::builder`] sets
/// them.
///
/// A finder keeps what its searches build, and so does a clone: after the first search, a
/// text costs no allocation for its search, and a text that has no URI hardly more than a
/// pass over its bytes. Keep a finder, and use it for all texts; threads may share it.
///
/// ```
/// use urisieve::Finder;
/// let finder = Finder::builder().abbreviated(true).build();
/// let found: Vec<_> = finder.find("see www.a.example.").collect();
/// assert_eq!(found[0].as_bytes(), b"www.a.example");
/// assert_eq!(found[0].uri(), b"http://www.a.example");
/// ```
#[derive(Clone, Debug)]
pub struct Finder {
    searchers: Searchers,
}

impl Default for Finder {
    fn default() -> Finder {
        Finder::of(Searchers::config())
    }
}

impl Finder {
    /// Returns a finder with the default rules.
    ///
    /// ```
    /// use urisieve::Finder;
    /// assert_eq!(Finder::new().find("mailto:joe@a.example").count(), 1);
    /// ```
    pub fn new() -> Finder {
        Finder::default()
    }

    /// Returns the finder with these settings.
    pub(super) fn of(config: RunConfig) -> Finder {
        Finder {
            searchers: Searchers::new(config),
        }
    }

    /// Returns every URI and URN in `text`, from left to right.
    ///
    /// ```
    /// use urisieve::Finder;
    /// let finder = Finder::new();
    /// for line in ["see http://a.example/", "urn:isbn:0395363411"] {
    ///     assert_eq!(finder.find(line).count(), 1);
    /// }
    /// ```
    pub fn find<'t, T: AsRef<[u8]> + ?Sized>(&self, text: &'t T) -> Matches<'t> {
        Matches {
            text: text.as_ref(),
            searchers: self.searchers.clone(),
            state: MatchesState::New,
            rest: None,
            next: 0,
        }
    }
}

/// An iterator over the URIs and URNs in a text, from left to right. [`find`] and
/// [`Finder::find`] return it.
///
/// ```
/// let mut found = urisieve::find("http://a.example/ http://b.example/");
/// assert_eq!(found.next().unwrap().start(), 0);
/// assert_eq!(found.next().unwrap().start(), 18);
/// assert!(found.next().is_none() && found.next().is_none());
/// ```
pub struct Matches<'t> {
    text: &'t [u8],
    searchers: Searchers,
    state: MatchesState,
    rest: TextRest<'t>,
    /// The number of the next item of its batch.
    next: usize,
}

/// How far a text is searched.
enum MatchesState {
    New,
    /// A block is searched, and its findings are with the searcher.
    Begun(Box<Serial>),
    Ended,
}

impl<'t> Matches<'t> {
    /// Searches the next block of the text. Returns false at its end.
    fn search(&mut self) -> bool {
        self.next = 0;
        let is_new = matches!(self.state, MatchesState::New);
        if is_new && self.searchers.reject(self.text) {
            self.state = MatchesState::Ended;
            return false;
        }
        let mut serial = match std::mem::replace(&mut self.state, MatchesState::Ended) {
            MatchesState::New => self.searchers.take(),
            MatchesState::Begun(serial) => serial,
            MatchesState::Ended => return false,
        };
        let (text, rest) = (self.text, &mut self.rest);
        let searched = fault::catch(|| match is_new {
            true => {
                !serial.is_cancelled()
                    && matches!(serial.search_first(text, 0, rest), FirstBlock::Searched)
            }
            false => serial.search_next(rest),
        });
        match searched {
            Ok(true) => {
                self.state = MatchesState::Begun(serial);
                true
            }
            Ok(false) => {
                self.searchers.give_back(serial);
                false
            }
            // A panic of a stage is a bug, and an iterator has no other way to report it. What
            // it left of the searcher is not used again.
            Err(panic) => panic.resume(),
        }
    }
}

impl<'t> Iterator for Matches<'t> {
    type Item = Match<'t>;

    fn next(&mut self) -> Option<Match<'t>> {
        loop {
            if let MatchesState::Begun(serial) = &self.state
                && let Some(item) = serial.batch.items.get(self.next)
            {
                self.next += 1;
                return Some(Match::new(self.text, &serial.batch, item));
            }
            if !self.search() {
                return None;
            }
        }
    }
}

impl Drop for Matches<'_> {
    fn drop(&mut self) {
        if let MatchesState::Begun(serial) = std::mem::replace(&mut self.state, MatchesState::Ended)
        {
            self.searchers.give_back(serial);
        }
    }
}

impl FusedIterator for Matches<'_> {}

impl fmt::Debug for Matches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Matches").finish_non_exhaustive()
    }
}

/// A URI or URN in a text, and where it is. The methods of
/// [`Finding`](crate::item::Finding) with the same names return the same of a finding, whose
/// URI is canonical.
///
/// ```
/// use urisieve::{syntax::Kind, canonicalize::Level};
/// let text = "see (HTTP://A.example/b).";
/// let found = urisieve::find(text).next().unwrap();
/// assert_eq!(&text[found.range()], "HTTP://A.example/b");
/// assert_eq!(found.canonical(Level::Lexical), &b"http://a.example/b"[..]);
/// assert_eq!(found.kind(), Kind::Url);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Match<'t> {
    start: usize,
    /// The bytes of the text.
    written: &'t [u8],
    /// The URI, where it differs from these bytes.
    uri: Option<Box<[u8]>>,
    marks: Marks,
}

impl<'t> Match<'t> {
    /// Returns the match in `text` that is `item` of `batch`. Its key must be the URI itself.
    fn new(text: &'t [u8], batch: &Batch, item: &WorkItem) -> Match<'t> {
        let start = item.offset as usize;
        let written = text.get(start..start + item.length as usize);
        let written = written.unwrap_or_default();
        let uri = batch.key(item);
        Match {
            start,
            written,
            uri: (uri != written).then(|| Box::from(uri)),
            marks: item.marks,
        }
    }

    /// Returns the offset in the text at which the URI starts: that of the first byte of
    /// its scheme, or of its host where it has no scheme.
    ///
    /// ```
    /// let found = urisieve::find("see <URL:http://a.example/>").next().unwrap();
    /// assert_eq!(found.start(), 9);
    /// ```
    pub fn start(&self) -> usize {
        self.start
    }

    /// Returns the offset in the text at which the URI ends: the one after its last byte.
    ///
    /// ```
    /// let found = urisieve::find("see <http://a.example/>").next().unwrap();
    /// assert_eq!(found.end(), 22);
    /// ```
    pub fn end(&self) -> usize {
        self.start + self.written.len()
    }

    /// Returns the range of the URI in the text. In a `str` it begins and ends between
    /// characters.
    ///
    /// ```
    /// let text = "see http://a.example/.";
    /// let found = urisieve::find(text).next().unwrap();
    /// assert_eq!(&text[found.range()], "http://a.example/");
    /// ```
    pub fn range(&self) -> Range<usize> {
        self.start..self.end()
    }

    /// Returns the bytes of the text in this range, with their line breaks and escapes.
    ///
    /// ```
    /// let found = urisieve::find(r#"{"u":"http:\/\/a.example\/"}"#).next().unwrap();
    /// assert_eq!(found.as_bytes(), br"http:\/\/a.example\/");
    /// ```
    pub fn as_bytes(&self) -> &'t [u8] {
        self.written
    }

    /// Returns these bytes as a string, or `None` when they are not UTF-8.
    ///
    /// ```
    /// let found = urisieve::find("see http://a.example/.").next().unwrap();
    /// assert_eq!(found.as_str(), Some("http://a.example/"));
    /// ```
    pub fn as_str(&self) -> Option<&'t str> {
        std::str::from_utf8(self.written).ok()
    }

    /// Returns the URI: the bytes of the text without line breaks (W4) and escapes (B5),
    /// and with the scheme where it is missing (S7). The URI is not canonicalized. It is
    /// not copied where it is equal to the bytes of the text.
    ///
    /// ```
    /// let found = urisieve::find("> <http://a.example/one/\n> two>").next().unwrap();
    /// assert_eq!(found.uri(), b"http://a.example/one/two");
    /// ```
    pub fn uri(&self) -> &[u8] {
        self.uri.as_deref().unwrap_or(self.written)
    }

    /// Returns the URI as a string, or `None` when it is not UTF-8.
    ///
    /// ```
    /// let found = urisieve::find("see http://a.example/.").next().unwrap();
    /// assert_eq!(found.uri_str(), Some("http://a.example/"));
    /// ```
    pub fn uri_str(&self) -> Option<&str> {
        std::str::from_utf8(self.uri()).ok()
    }

    /// Returns the parts of the URI.
    ///
    /// ```
    /// let found = urisieve::find("see http://a.example/b.").next().unwrap();
    /// assert_eq!(found.parts().host(), Some(&b"a.example"[..]));
    /// ```
    pub fn parts(&self) -> Parts<'_> {
        Parts::of(self.uri())
    }

    /// Returns the canonical form of the URI; equal URIs have the same canonical form. For
    /// other switches of equality, pass [`uri`](Match::uri) to a [`Canonicalizer`].
    ///
    /// ```
    /// use urisieve::canonicalize::Level;
    /// let found = urisieve::find("http://a.example:80").next().unwrap();
    /// assert_eq!(found.canonical(Level::Lexical), &b"http://a.example:80"[..]);
    /// assert_eq!(found.canonical(Level::Scheme), &b"http://a.example/"[..]);
    /// ```
    pub fn canonical(&self, level: Level) -> Cow<'_, [u8]> {
        Canonicalizer::new(level).canonical(self.uri())
    }

    /// Returns whether the URI is a URL, a URN, or neither.
    ///
    /// ```
    /// use urisieve::syntax::Kind;
    /// let kinds = urisieve::find("http://a.example/ urn:a-b:c mailto:joe@a.example");
    /// let kinds: Vec<Kind> = kinds.map(|found| found.kind()).collect();
    /// assert_eq!(kinds, [Kind::Url, Kind::Urn, Kind::Uri]);
    /// ```
    pub fn kind(&self) -> Kind {
        Kind::of(self.uri())
    }

    /// Returns the wrapper of the URI.
    ///
    /// ```
    /// use urisieve::item::Wrapper;
    /// let found = urisieve::find("see <http://a.example/>").next().unwrap();
    /// assert_eq!(found.wrapper(), Wrapper::Angle);
    /// ```
    pub fn wrapper(&self) -> Wrapper {
        self.marks.wrapper
    }

    /// Returns the problems of the URI.
    ///
    /// ```
    /// use urisieve::item::Problem;
    /// let found = urisieve::find("http://a.example/100%").next().unwrap();
    /// assert_eq!(found.problems(), Problem::BadPercent.into());
    /// ```
    pub fn problems(&self) -> Problems {
        self.marks.problems
    }

    /// Returns everything that was noticed about the URI.
    ///
    /// ```
    /// let found = urisieve::find("\"http://a.example/one/\ntwo\"").next().unwrap();
    /// assert_eq!(found.marks().wrapped, 1);
    /// ```
    pub fn marks(&self) -> Marks {
        self.marks
    }
}

impl fmt::Debug for Match<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Match")
            .field("range", &self.range())
            .field("uri", &String::from_utf8_lossy(self.uri()))
            .field("marks", &self.marks)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::searchers::WINDOW;
    use super::*;

    #[test]
    fn a_match_is_returned_before_the_rest_is_searched() {
        for between in ["\n", " "] {
            let text = format!("http://a.example/{between}").repeat(1 << 16);
            let mut matches = find(&text);
            assert!(matches.next().is_some());
            let MatchesState::Begun(serial) = &matches.state else {
                unreachable!()
            };
            assert!(serial.batch.stats.bytes <= WINDOW as u64);
            assert_eq!(matches.count(), (1 << 16) - 1);
        }
    }

    /// A search that is left takes nothing into the next one.
    #[test]
    fn a_searcher_is_used_again() {
        let finder = Finder::builder().abbreviated(true).refang(true).build();
        let long = "see <http://a.example/b\n".repeat(1 << 13);
        for text in [&long[..], "www.a.example hxxp://b[.]example/", "<urn:a-b:c"] {
            let alone: Vec<_> = Finder::builder()
                .abbreviated(true)
                .refang(true)
                .build()
                .find(text)
                .collect();
            for taken in [0, 1, 2, usize::MAX] {
                let before: Vec<_> = finder.find(&long).take(taken).collect();
                assert!(before.len() <= taken);
                assert_eq!(finder.find(text).collect::<Vec<_>>(), alone, "{taken}");
            }
        }
    }
}

#[cfg(all(test, feature = "html"))]
mod colon_tests {
    use super::*;
    use crate::delimit;
    use crate::engine::ask::config::SearchConfig;
    use crate::engine::read::search::prefilter::{SearchedColons, scanner};
    use crate::syntax::masks::stops::FindStops;
    use proptest::prelude::*;
    use proptest::sample::select;
    use std::sync::Arc;

    proptest! {
        /// A text of markup that decoders pass has no URI: none of its colons may be that of one.
        #[test]
        fn texts_without_searched_colons_have_no_uri(
            pieces in proptest::collection::vec(select(PIECES), 1..9),
            adds in any::<bool>(),
        ) {
            let text = pieces.concat();
            let added = if adds { &["acme"][..] } else { &[] };
            let search = SearchConfig {
                delimit: delimit::Config::default().opaque(added.iter().copied()),
                ..SearchConfig::default()
            };
            let finder = Finder::builder().delimit(search.delimit.clone()).build();
            let colons = SearchedColons::new(&Arc::new(scanner(&search)), &search);
            let may_begin = |at| at > 0 && colons.may_begin_uri(text.as_bytes(), at);
            let is_passed = !memchr::memchr_iter(b':', text.as_bytes()).any(may_begin);
            prop_assert!(!is_passed || finder.find(&text).next().is_none(), "{:?}", text);
        }
    }

    const PIECES: &[&str] = &[
        "http",
        "https",
        "mailto",
        "MAILTO",
        "mail",
        "tel",
        "urn",
        "acme",
        "news",
        "note",
        "x",
        "1",
        ":",
        ":",
        "::",
        "/",
        "//",
        "\n",
        "\r\n",
        "-\n",
        " ",
        "\t",
        "a.example",
        "isbn",
        "a@b.example",
        "10.1/x",
        "<",
        ">",
        "\"",
        "(",
        ")",
        "#",
        "?",
        "&",
        ";",
        "\u{e9}",
        "\u{ad}",
        "URL",
        ".",
    ];
}
