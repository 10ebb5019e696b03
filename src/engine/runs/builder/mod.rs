//! The settings of all kinds of work, in four groups. Each setting is defined once, and a builder
//! only offers those that have an effect on what it builds.

mod reading;
mod report;
mod resources;
mod search;

use super::find::Finder;
use super::searchers::Searchers;
use super::sieve::Sieve;
use crate::engine::ask::config::RunConfig;
#[cfg(feature = "marc")]
use crate::engine::catalog::run::CatalogRun;
use std::marker::PhantomData;

/// Builds a [`Finder`], a [`Sieve`] or a `CatalogRun` (feature `marc`). The settings are in four
/// groups, and each has an effect on what is built:
///
/// | group | the settings say | for |
/// |---|---|---|
/// | search | which URIs are found in a text | [`Finder`], [`Sieve`] |
/// | reading | what an input is, and how its bytes become text | all; [`Finder`] has only `utf16` and `never_wide` |
/// | report | which URIs are equal, what is reported, in which order | [`Sieve`] |
/// | resources | threads, memory, the control of work in progress | all; [`Finder`] has only `cancel` |
///
/// A setting that has no effect beside others, such as [`lines`](Builder::lines) with
/// [`Mode::Count`](crate::Mode::Count), is an error of the run that names it
/// ([`ErrorKind::Settings`](crate::ErrorKind::Settings)).
///
/// ```
/// use urisieve::{Finder, Mode, Sieve};
/// let finder = Finder::builder().refang(true).build();
/// assert_eq!(finder.find("hxxp://a[.]example/").count(), 1);
/// let sieve = Sieve::builder().refang(true).mode(Mode::All).threads(2).build();
/// assert_eq!(sieve.for_each(b"hxxp://a[.]example/ http://a.example/", |_| {})?.distinct, 2);
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Builder<T> {
    pub(in crate::engine) config: RunConfig,
    built: PhantomData<fn() -> T>,
}

impl<T> Builder<T> {
    fn new(config: RunConfig) -> Builder<T> {
        Builder {
            config,
            built: PhantomData,
        }
    }
}

impl Finder {
    /// Returns a builder with every default.
    ///
    /// ```
    /// use urisieve::Finder;
    /// let finder = Finder::builder().abbreviated(true).build();
    /// assert_eq!(finder.find("see www.a.example.").next().unwrap().uri(), b"http://www.a.example");
    /// ```
    pub fn builder() -> Builder<Finder> {
        Builder::new(Searchers::config())
    }
}

impl Builder<Finder> {
    /// Returns the finder.
    ///
    /// ```
    /// use urisieve::Finder;
    /// assert_eq!(Finder::builder().build().find("mailto:joe@a.example").count(), 1);
    /// ```
    pub fn build(self) -> Finder {
        Finder::of(self.config)
    }
}

impl Sieve {
    /// Returns a builder with every default.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let mut last = Vec::new();
    /// Sieve::builder().build().for_each(b"to <urn:isbn:0395363411>", |finding| {
    ///     last = finding.uri.to_vec();
    /// })?;
    /// assert_eq!(last, b"urn:isbn:0395363411");
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn builder() -> Builder<Sieve> {
        Builder::new(RunConfig::default())
    }
}

impl Builder<Sieve> {
    /// Returns the sieve.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().build();
    /// // A sieve keeps nothing of a run: the next one begins anew.
    /// for _ in 0..2 {
    ///     let stats = sieve.for_each(b"http://a.example/", |_| {})?;
    ///     assert_eq!(stats.distinct, 1);
    /// }
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn build(self) -> Sieve {
        Sieve {
            config: self.config,
        }
    }
}

#[cfg(feature = "marc")]
impl CatalogRun {
    /// Returns a builder with every default.
    ///
    /// ```
    /// use urisieve::CatalogRun;
    /// let run = CatalogRun::builder().threads(2).block_size(1 << 16).build();
    /// # drop(run);
    /// ```
    pub fn builder() -> Builder<CatalogRun> {
        Builder::new(RunConfig::default())
    }
}

#[cfg(feature = "marc")]
impl Builder<CatalogRun> {
    /// Returns the run.
    ///
    /// ```
    /// # drop(urisieve::CatalogRun::builder().build());
    /// ```
    pub fn build(self) -> CatalogRun {
        CatalogRun {
            config: self.config,
        }
    }
}

/// The kinds of work that search texts for URIs: [`Finder`] and [`Sieve`].
pub trait Searches: sealed::Built {}

impl Searches for Finder {}
impl Searches for Sieve {}

/// The kinds of work that read files and other inputs: [`Sieve`] and `CatalogRun` (feature
/// `marc`).
pub trait ReadsInputs: sealed::Built {}

impl ReadsInputs for Sieve {}
#[cfg(feature = "marc")]
impl ReadsInputs for CatalogRun {}

/// No other crate has more kinds of work.
mod sealed {
    use super::*;

    pub trait Built {}

    impl Built for Finder {}
    impl Built for Sieve {}
    #[cfg(feature = "marc")]
    impl Built for CatalogRun {}
}
