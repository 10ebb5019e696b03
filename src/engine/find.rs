//! What is found in a text in memory, one after the other: the blocks of a run, one
//! worker, and no sink. Compressed and archived inputs, threads and classes of equal
//! URIs are left to [`Sieve`](super::Sieve).

use super::ahead::DecodeAhead;
use super::batch::{Batch, BatchNext};
use super::block::BlockStart;
use super::blocks::{InputOpener, OpenInput};
use super::cancel::Cancel;
use super::config::Config;
use super::handoff::Unfinished;
use super::lists::Lists;
use super::mode::Mode;
use super::worker::Worker;
use crate::canonicalize::{Canonicalizer, Level};
use crate::dedup::Hasher;
use crate::delimit;
use crate::input::Source;
use crate::item::{Finding, Marks, Problems, Wrapper};
use crate::syntax::Kind;
use crate::unpack::Unpack;
use std::borrow::Cow;
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::Arc;

/// So many bytes are searched at a time: the first match of a large text comes at once.
const WINDOW: usize = 64 << 10;

/// Every URI and URN in `text`, from left to right, with the rules that hold by default.
///
/// The text is searched in pieces while the iterator is used. What is longer than 64 KiB
/// is passed over; whoever must know of it uses a [`Sieve`](super::Sieve).
///
/// ```
/// let text = "see <HTTP://A.example/one/\n two> and urn:isbn:0395363411.";
/// let found: Vec<_> = urisieve::find(text).collect();
/// assert_eq!(found[0].as_bytes(), b"HTTP://A.example/one/\n two");
/// assert_eq!(found[0].uri(), b"HTTP://A.example/one/two");
/// assert_eq!(found[1].range(), 37..56);
/// ```
pub fn find<T: AsRef<[u8]> + ?Sized>(text: &T) -> Matches<'_> {
    Finder::new().find(text)
}

/// Finds URIs in texts in memory by rules that can be chosen.
///
/// ```
/// use urisieve::Finder;
/// let finder = Finder::new().abbreviated(true);
/// let found: Vec<_> = finder.find("see www.a.example.").collect();
/// assert_eq!(found[0].as_bytes(), b"www.a.example");
/// assert_eq!(found[0].uri(), b"http://www.a.example");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Finder {
    delimit: delimit::Config,
    abbreviated: bool,
    refang: bool,
}

impl Finder {
    /// A finder with every default.
    ///
    /// ```
    /// use urisieve::Finder;
    /// assert_eq!(Finder::new().find("mailto:joe@a.example").count(), 1);
    /// ```
    pub fn new() -> Finder {
        Finder::default()
    }

    /// The rules of delimiting; default those of [`delimit::Config`].
    ///
    /// ```
    /// use urisieve::{Finder, delimit::Config};
    /// let finder = Finder::new().delimit(Config::default().strict(true));
    /// assert_eq!(finder.find("http://a.example/100% http://b.example/").count(), 1);
    /// ```
    pub fn delimit(mut self, config: delimit::Config) -> Finder {
        self.delimit = config;
        self
    }

    /// Whether `www.host.tld` and `ftp.host.tld` count without a scheme (S7);
    /// default no.
    ///
    /// ```
    /// use urisieve::Finder;
    /// let finder = Finder::new().abbreviated(true);
    /// let found = finder.find("ftp.a.example").next();
    /// assert_eq!(found.unwrap().uri(), b"ftp://ftp.a.example");
    /// ```
    pub fn abbreviated(mut self, abbreviated: bool) -> Finder {
        self.abbreviated = abbreviated;
        self
    }

    /// Whether defanged URIs are read as what they stand for (R1): `hxxp`, `[.]`,
    /// `(.)`, `[dot]`, `[:]`, `[://]`. Default no.
    ///
    /// ```
    /// use urisieve::Finder;
    /// let finder = Finder::new().refang(true);
    /// let found = finder.find("hxxp://evil[.]example/").next().unwrap();
    /// assert_eq!(found.as_bytes(), b"hxxp://evil[.]example/");
    /// assert_eq!(found.uri(), b"http://evil.example/");
    /// ```
    pub fn refang(mut self, refang: bool) -> Finder {
        self.refang = refang;
        self
    }

    /// Every URI and URN in `text`, from left to right.
    ///
    /// ```
    /// use urisieve::Finder;
    /// let finder = Finder::new();
    /// for line in ["see http://a.example/", "urn:isbn:0395363411"] {
    ///     assert_eq!(finder.find(line).count(), 1);
    /// }
    /// ```
    pub fn find<'t, T: AsRef<[u8]> + ?Sized>(&self, text: &'t T) -> Matches<'t> {
        let text = text.as_ref();
        let config = Config {
            delimit: self.delimit.clone(),
            abbreviated: self.abbreviated,
            refang: self.refang,
            canonicalizer: Canonicalizer::new(Level::None),
            mode: Mode::All,
            ..Config::default()
        };
        let unpack = Unpack {
            decompress: false,
            containers: false,
        };
        let lists = Arc::new(Lists::new(&config));
        let opener = InputOpener {
            size: WINDOW,
            cancel: Cancel::new(None),
            unpack,
            utf16: config.utf16,
            lists: Arc::clone(&lists),
            ahead: Arc::new(DecodeAhead::new(config.threads)),
        };
        let mut buffer = Vec::new();
        Matches {
            text,
            // A text in memory always opens.
            input: opener.open(Source::Slice(text), 0, &mut buffer).ok(),
            opener,
            worker: Worker::new(&config, config.mode, &Hasher::new(), &lists),
            unfinished: None,
            batch: Batch::default(),
            next: 0,
            buffer,
        }
    }
}

/// What is found in a text, from left to right: of [`find`] and [`Finder::find`].
///
/// ```
/// let mut found = urisieve::find("http://a.example/ http://b.example/");
/// assert_eq!(found.next().unwrap().start(), 0);
/// assert_eq!(found.next().unwrap().start(), 18);
/// assert!(found.next().is_none() && found.next().is_none());
/// ```
pub struct Matches<'t> {
    text: &'t [u8],
    opener: InputOpener,
    /// Until its last block is searched.
    input: Option<OpenInput<'t>>,
    worker: Worker,
    /// What the last block left undecided.
    unfinished: Option<Unfinished>,
    /// What it gave.
    batch: Batch,
    /// Number of the next item of the batch.
    next: usize,
    buffer: Vec<u8>,
}

impl Matches<'_> {
    /// Searches the next block; false when there is none.
    fn search(&mut self) -> bool {
        let Some(input) = &mut self.input else {
            return false;
        };
        let claim = input.claim(&self.opener, &mut self.buffer);
        if claim.next != BatchNext::Block {
            self.input = None;
        }
        let lists = &self.worker.lists;
        let text = match claim.body.read(claim.turn.input, lists, &mut self.buffer) {
            Ok(Some(text)) => text,
            Ok(None) => return false,
            // A bug: the caller learns of it as of any other.
            Err(panic) => panic!("{panic}"),
        };
        let before = self.unfinished.take();
        let before = before.filter(|_| matches!(text.start, BlockStart::Carried));
        self.batch.clear();
        self.next = 0;
        let batch = &mut self.batch;
        self.unfinished = self.worker.scan(&text, before, batch, &mut |_| true);
        self.buffer = text.bytes;
        true
    }
}

impl<'t> Iterator for Matches<'t> {
    type Item = Match<'t>;

    fn next(&mut self) -> Option<Match<'t>> {
        while self.next >= self.batch.items.len() {
            if !self.search() {
                return None;
            }
        }
        let item = self.batch.items.get(self.next)?;
        self.next += 1;
        Some(Match::new(self.text, &self.batch.finding(item)))
    }
}

impl FusedIterator for Matches<'_> {}

impl fmt::Debug for Matches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Matches").finish_non_exhaustive()
    }
}

/// A URI or URN in a text: where it is, and what it is.
///
/// ```
/// use urisieve::{Kind, Level};
/// let text = "see (HTTP://A.example/b).";
/// let found = urisieve::find(text).next().unwrap();
/// assert_eq!(&text[found.range()], "HTTP://A.example/b");
/// assert_eq!(found.canonical(Level::Lexical), &b"http://a.example/b"[..]);
/// assert_eq!(found.kind(), Kind::Url);
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Match<'t> {
    start: usize,
    /// As it stands in the text.
    written: &'t [u8],
    /// The URI, where it is not what is written.
    uri: Option<Box<[u8]>>,
    marks: Marks,
}

impl<'t> Match<'t> {
    /// What `finding`, whose canonical form is the URI itself, says of `text`.
    fn new(text: &'t [u8], finding: &Finding) -> Match<'t> {
        let start = finding.offset as usize;
        let written = text.get(start..start + finding.length as usize);
        let written = written.unwrap_or_default();
        Match {
            start,
            written,
            uri: (finding.uri != written).then(|| Box::from(finding.uri)),
            marks: finding.marks,
        }
    }

    /// Where it starts in the text: the offset of the first byte of its scheme.
    ///
    /// ```
    /// let found = urisieve::find("see <URL:http://a.example/>").next().unwrap();
    /// assert_eq!(found.start(), 9);
    /// ```
    pub fn start(&self) -> usize {
        self.start
    }

    /// Where it ends in the text: the offset after its last byte.
    ///
    /// ```
    /// let found = urisieve::find("see <http://a.example/>").next().unwrap();
    /// assert_eq!(found.end(), 22);
    /// ```
    pub fn end(&self) -> usize {
        self.start + self.written.len()
    }

    /// From where to where it goes in the text.
    ///
    /// ```
    /// let text = "see http://a.example/.";
    /// let found = urisieve::find(text).next().unwrap();
    /// assert_eq!(&text[found.range()], "http://a.example/");
    /// ```
    pub fn range(&self) -> Range<usize> {
        self.start..self.end()
    }

    /// What stands there in the text, with the line breaks and the escapes in it.
    ///
    /// ```
    /// let found = urisieve::find(r#"{"u":"http:\/\/a.example\/"}"#).next().unwrap();
    /// assert_eq!(found.as_bytes(), br"http:\/\/a.example\/");
    /// ```
    pub fn as_bytes(&self) -> &'t [u8] {
        self.written
    }

    /// The same as a string, unless it is not UTF-8.
    ///
    /// ```
    /// let found = urisieve::find("see http://a.example/.").next().unwrap();
    /// assert_eq!(found.as_str(), Some("http://a.example/"));
    /// ```
    pub fn as_str(&self) -> Option<&'t str> {
        std::str::from_utf8(self.written).ok()
    }

    /// The URI: what stands in the text without the line breaks in it (W4) and without
    /// escapes (B5), with the scheme that it lacks (S7). It is not canonical, nor
    /// copied where it is written so.
    ///
    /// ```
    /// let found = urisieve::find("> <http://a.example/one/\n> two>").next().unwrap();
    /// assert_eq!(found.uri(), b"http://a.example/one/two");
    /// ```
    pub fn uri(&self) -> &[u8] {
        self.uri.as_deref().unwrap_or(self.written)
    }

    /// The canonical form of the URI: equal URIs have the same. Other switches of
    /// equality are those of a [`Canonicalizer`], which is given [`uri`](Match::uri).
    ///
    /// ```
    /// use urisieve::Level;
    /// let found = urisieve::find("http://a.example:80").next().unwrap();
    /// assert_eq!(found.canonical(Level::Lexical), &b"http://a.example:80"[..]);
    /// assert_eq!(found.canonical(Level::Scheme), &b"http://a.example/"[..]);
    /// ```
    pub fn canonical(&self, level: Level) -> Cow<'_, [u8]> {
        let uri = self.uri();
        let mut buffer = Vec::new();
        let canonicalizer = Canonicalizer::new(level);
        let canonical = canonicalizer.canonicalize(uri, &mut buffer);
        let len = canonical.len();
        match uri.starts_with(canonical) {
            true => Cow::Borrowed(&uri[..len]),
            false => Cow::Owned(buffer),
        }
    }

    /// Whether it is a URL, a URN, or neither.
    ///
    /// ```
    /// use urisieve::Kind;
    /// let kinds = urisieve::find("http://a.example/ urn:a-b:c mailto:joe@a.example");
    /// let kinds: Vec<Kind> = kinds.map(|found| found.kind()).collect();
    /// assert_eq!(kinds, [Kind::Url, Kind::Urn, Kind::Uri]);
    /// ```
    pub fn kind(&self) -> Kind {
        Kind::of(self.uri())
    }

    /// What delimits it.
    ///
    /// ```
    /// use urisieve::item::Wrapper;
    /// let found = urisieve::find("see <http://a.example/>").next().unwrap();
    /// assert_eq!(found.wrapper(), Wrapper::Angle);
    /// ```
    pub fn wrapper(&self) -> Wrapper {
        self.marks.wrapper
    }

    /// What is wrong with it.
    ///
    /// ```
    /// use urisieve::item::Problem;
    /// let found = urisieve::find("http://a.example/100%").next().unwrap();
    /// assert_eq!(found.problems(), Problem::BadPercent.into());
    /// ```
    pub fn problems(&self) -> Problems {
        self.marks.problems
    }

    /// All that was noticed about it.
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
    use super::*;

    #[test]
    fn a_match_is_given_before_the_rest_is_searched() {
        for between in ["\n", " "] {
            let text = format!("http://a.example/{between}").repeat(1 << 16);
            let mut matches = find(&text);
            assert!(matches.next().is_some());
            assert!(matches.batch.stats.bytes <= WINDOW as u64);
            assert_eq!(matches.count(), (1 << 16) - 1);
        }
    }
}
