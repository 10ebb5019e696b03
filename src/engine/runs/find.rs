//! Finds URIs in a text in memory, as an iterator: the blocks of a run, one worker and
//! no sink. [`Sieve`](crate::engine::Sieve) handles compressed and archived inputs, threads and
//! classes of equal URIs.

use super::serial::Serial;
use crate::canonicalize::{Canonicalizer, Level};
use crate::decode::InputFormat;
use crate::delimit;
use crate::engine::ask::config::{KeyConfig, ReadingConfig, RunConfig, SearchConfig};
use crate::engine::ask::mode::Mode;
use crate::engine::fault;
use crate::item::{Finding, IdentifierKinds, Marks, Problems, Wrapper};
use crate::syntax::Kind;
use std::borrow::Cow;
use std::fmt;
use std::iter::FusedIterator;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The number of bytes that are searched at a time. It is small, so that the first match
/// of a large text is returned at once.
const WINDOW: usize = 64 << 10;

/// Returns every URI and URN in `text`, from left to right, by the default rules.
///
/// The text is searched in pieces while the iterator is used. A URI that is longer than
/// 64 KiB is skipped; a [`Sieve`](crate::engine::Sieve) reports it as a loss.
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

/// Finds URIs in texts in memory, by rules that the caller chooses.
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
    search: SearchConfig,
    utf16: bool,
    cancel: Option<Arc<AtomicBool>>,
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

    /// Sets the rules of delimiting. Default: those of [`delimit::Config`].
    ///
    /// ```
    /// use urisieve::{Finder, delimit::Config};
    /// let finder = Finder::new().delimit(Config::default().strict(true));
    /// assert_eq!(finder.find("http://a.example/100% http://b.example/").count(), 1);
    /// ```
    pub fn delimit(mut self, config: delimit::Config) -> Finder {
        self.search.delimit = config;
        self
    }

    /// Sets whether `www.host.tld` and `ftp.host.tld` count as URIs although they have no
    /// scheme (S7). Default: no.
    ///
    /// ```
    /// use urisieve::Finder;
    /// let finder = Finder::new().abbreviated(true);
    /// let found = finder.find("ftp.a.example").next();
    /// assert_eq!(found.unwrap().uri(), b"ftp://ftp.a.example");
    /// ```
    pub fn abbreviated(mut self, abbreviated: bool) -> Finder {
        self.search.abbreviated = abbreviated;
        self
    }

    /// Sets which identifiers are found without a scheme: by their shape, the word before
    /// them and their check digit. Default: none.
    ///
    /// ```
    /// use urisieve::{Finder, item::IdentifierKind};
    /// let finder = Finder::new().bare(IdentifierKind::Doi.into());
    /// let found = finder.find("see 10.1000/ABC.").next().unwrap();
    /// assert_eq!((found.as_bytes(), found.uri()), (&b"10.1000/ABC"[..], &b"doi:10.1000/ABC"[..]));
    /// ```
    pub fn bare(mut self, kinds: IdentifierKinds) -> Finder {
        self.search.identifiers = kinds;
        self
    }

    /// Sets whether defanged URIs are read as the URIs that they hide (R1): `hxxp`, `[.]`,
    /// `(.)`, `[dot]`, `[:]`, `[://]`. Default: no.
    ///
    /// ```
    /// use urisieve::Finder;
    /// let finder = Finder::new().refang(true);
    /// let found = finder.find("hxxp://evil[.]example/").next().unwrap();
    /// assert_eq!(found.as_bytes(), b"hxxp://evil[.]example/");
    /// assert_eq!(found.uri(), b"http://evil.example/");
    /// ```
    pub fn refang(mut self, refang: bool) -> Finder {
        self.search.refang = refang;
        self
    }

    /// Sets whether texts are UTF-16, which only bytes can be; without a byte-order mark, the
    /// byte order is that with more NULs in high bytes. Default: no. It is never guessed: a
    /// text that only looks like UTF-16 is searched as it is.
    ///
    /// ```
    /// use urisieve::Finder;
    /// let text: Vec<u8> = "see http://a.example/".encode_utf16().flat_map(u16::to_le_bytes).collect();
    /// for (utf16, wanted) in [(true, Some(8..42)), (false, None)] {
    ///     let found = Finder::new().utf16(utf16).find(&text).next();
    ///     assert_eq!(found.map(|found| found.range()), wanted);
    /// }
    /// ```
    pub fn utf16(mut self, utf16: bool) -> Finder {
        self.utf16 = utf16;
        self
    }

    /// Sets a flag that ends the search once it is true; the rest of the text is not
    /// searched then. Default: none.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::AtomicBool};
    /// use urisieve::Finder;
    /// let finder = Finder::new().cancel(Arc::new(AtomicBool::new(true)));
    /// assert_eq!(finder.find("http://a.example/").count(), 0);
    /// ```
    pub fn cancel(mut self, flag: Arc<AtomicBool>) -> Finder {
        self.cancel = Some(flag);
        self
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
        let text = text.as_ref();
        let config = RunConfig {
            search: self.search.clone(),
            keys: KeyConfig {
                canonicalizer: Canonicalizer::new(Level::None),
                mode: Mode::All,
                ..KeyConfig::default()
            },
            reading: ReadingConfig {
                block_size: WINDOW,
                cancel: self.cancel.clone(),
                utf16: self.utf16,
                format: Some(InputFormat::text()),
                ..ReadingConfig::default()
            },
            ..RunConfig::default()
        };
        let mut serial = Serial::new(&config);
        serial.begin(text, 0);
        Matches {
            text,
            serial,
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
    serial: Serial<'t>,
    /// The number of the next item of its batch.
    next: usize,
}

impl<'t> Iterator for Matches<'t> {
    type Item = Match<'t>;

    fn next(&mut self) -> Option<Match<'t>> {
        while self.next >= self.serial.batch.items.len() {
            self.next = 0;
            match fault::catch(|| self.serial.search_next()) {
                Ok(true) => {}
                Ok(false) => {
                    self.serial.end();
                    return None;
                }
                // A panic of a stage is a bug, and an iterator has no other way to report it.
                Err(panic) => {
                    self.serial.end();
                    panic.resume();
                }
            }
        }
        let batch = &self.serial.batch;
        let item = batch.items.get(self.next)?;
        self.next += 1;
        Some(Match::new(self.text, &batch.finding(item)))
    }
}

impl FusedIterator for Matches<'_> {}

impl fmt::Debug for Matches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Matches").finish_non_exhaustive()
    }
}

/// A URI or URN in a text, and where it is.
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
    /// Returns the match in `text` that `finding` reports. The canonical form of `finding`
    /// must be the URI itself.
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
    use super::*;

    #[test]
    fn a_match_is_returned_before_the_rest_is_searched() {
        for between in ["\n", " "] {
            let text = format!("http://a.example/{between}").repeat(1 << 16);
            let mut matches = find(&text);
            assert!(matches.next().is_some());
            assert!(matches.serial.batch.stats.bytes <= WINDOW as u64);
            assert_eq!(matches.count(), (1 << 16) - 1);
        }
    }
}
