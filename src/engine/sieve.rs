//! The library's front door: what is to be found, how equal is equal, and with
//! how many threads.

use super::run;
use super::worker::Mode;
use super::{Error, Sink, Stats};
use crate::canonicalize::{Canonicalizer, Level};
use crate::delimit;
use crate::input::Source;

/// Finds every URI of its inputs.
///
/// ```
/// use urisieve::engine::Sieve;
/// let text = b"see <http://A.example/one/\n two> and http://a.example/one/two.";
/// let mut found = Vec::new();
/// let sieve = Sieve::builder().build();
/// let stats = sieve.slice(text, &mut |finding: &urisieve::item::Finding<'_>| {
///     found.push(String::from_utf8_lossy(finding.uri).into_owned());
/// })?;
/// assert_eq!(found, ["http://a.example/one/two"]);
/// assert_eq!((stats.occurrences, stats.distinct), (2, 1));
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sieve {
    pub(super) delimit: delimit::Config,
    pub(super) abbreviated: bool,
    pub(super) every_scheme: bool,
    pub(super) level: Level,
    pub(super) mode: Mode,
    pub(super) top: Option<usize>,
    pub(super) originals: bool,
    pub(super) threads: usize,
    pub(super) block_size: usize,
}

impl Sieve {
    /// A builder with every default.
    pub fn builder() -> SieveBuilder {
        SieveBuilder {
            sieve: Sieve {
                delimit: delimit::Config::default(),
                abbreviated: false,
                every_scheme: false,
                level: Level::default(),
                mode: Mode::default(),
                top: None,
                originals: false,
                threads: 1,
                block_size: 256 << 10,
            },
        }
    }

    /// Finds the URIs of a text in memory.
    ///
    /// # Errors
    /// Those of `sink`.
    pub fn slice(&self, text: &[u8], sink: &mut dyn Sink) -> Result<Stats, Error> {
        self.run(std::iter::once(Source::Slice(text)), sink)
    }

    /// Finds the URIs of all `sources`, one after the other. A source that cannot
    /// be read is told to `sink` and does not stop the others.
    ///
    /// # Errors
    /// Those of `sink`, and of starting threads.
    pub fn run<'s, I>(&self, sources: I, sink: &mut dyn Sink) -> Result<Stats, Error>
    where
        I: IntoIterator<Item = Source<'s>>,
        I::IntoIter: Send + 's,
    {
        run::run(self, sources.into_iter(), sink)
    }

    pub(super) fn canonicalizer(&self) -> Canonicalizer {
        Canonicalizer::new(self.level)
    }
}

/// Builds a [`Sieve`].
#[derive(Clone, Debug)]
pub struct SieveBuilder {
    sieve: Sieve,
}

impl SieveBuilder {
    /// The rules of delimiting; default those of [`delimit::Config`].
    pub fn delimit(mut self, config: delimit::Config) -> SieveBuilder {
        self.sieve.delimit = config;
        self
    }

    /// Whether `www.host.tld` and `ftp.host.tld` count without a scheme (S7);
    /// default no.
    pub fn abbreviated(mut self, abbreviated: bool) -> SieveBuilder {
        self.sieve.abbreviated = abbreviated;
        self
    }

    /// Whether opaque schemes other than those of S3 are to be looked for; to be
    /// set when the rules of delimiting admit others. Default no.
    pub fn every_scheme(mut self, every: bool) -> SieveBuilder {
        self.sieve.every_scheme = every;
        self
    }

    /// Which URIs are equal; default [`Level::Lexical`].
    pub fn level(mut self, level: Level) -> SieveBuilder {
        self.sieve.level = level;
        self
    }

    /// What is done with equal URIs; default [`Mode::Distinct`].
    pub fn mode(mut self, mode: Mode) -> SieveBuilder {
        self.sieve.mode = mode;
        self
    }

    /// With [`Mode::Count`], how many of the most frequent classes are reported;
    /// default all.
    pub fn top(mut self, classes: Option<usize>) -> SieveBuilder {
        self.sieve.top = classes;
        self
    }

    /// Whether findings have their spelling as written; otherwise `original` is
    /// the canonical form. Default no: it costs a copy of each.
    pub fn originals(mut self, originals: bool) -> SieveBuilder {
        self.sieve.originals = originals;
        self
    }

    /// How many threads do the work; default 1, which starts none. The findings
    /// and their order do not depend on it.
    pub fn threads(mut self, threads: usize) -> SieveBuilder {
        self.sieve.threads = threads.max(1);
        self
    }

    /// How many bytes are scanned at a time; default 256 KiB. The findings do not
    /// depend on it; tests set it as low as 1.
    pub fn block_size(mut self, bytes: usize) -> SieveBuilder {
        self.sieve.block_size = bytes.max(1);
        self
    }

    /// The sieve.
    pub fn build(self) -> Sieve {
        self.sieve
    }
}
