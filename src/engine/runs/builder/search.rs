//! The settings of the search: which URIs are found in a text.

use super::{Builder, Searches};
use crate::delimit;
use crate::indicators::Matcher;
use crate::item::{IdentifierKinds, Problems};
use std::sync::Arc;

/// # Search
///
/// Which URIs are found in a text, and which of them are returned.
impl<T: Searches> Builder<T> {
    /// The rules of delimiting; default those of [`delimit::Config`].
    ///
    /// ```
    /// use urisieve::{delimit::Config, Sieve};
    /// let sieve = Sieve::builder().delimit(Config::default().strict(true)).build();
    /// let text = b"http://a.example/100% http://b.example/";
    /// assert_eq!(sieve.for_each(text, |_| {})?.occurrences, 1);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn delimit(mut self, config: delimit::Config) -> Self {
        self.config.search.delimit = config;
        self
    }

    /// Whether `www.host.tld` and `ftp.host.tld` count without a scheme (S7);
    /// default no.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().abbreviated(true).build();
    /// sieve.for_each(b"see www.a.example/b.", |finding| {
    ///     assert_eq!(finding.uri, b"http://www.a.example/b");
    /// })?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn abbreviated(mut self, abbreviated: bool) -> Self {
        self.config.search.abbreviated = abbreviated;
        self
    }

    /// Adds kinds of identifiers that count without a scheme, by their shape, the word before
    /// them and their check digit, and addresses of mail (I12); default none. Originals are what
    /// is written.
    ///
    /// ```
    /// use urisieve::{Finder, Sieve, item::IdentifierKind};
    /// let sieve = Sieve::builder().bare(IdentifierKind::Isbn).originals(true).build();
    /// sieve.for_each(b"ISBN 0-8044-2957-X (pbk.)", |finding| {
    ///     assert_eq!(finding.uri, b"urn:isbn:080442957X");
    ///     assert_eq!(finding.original, b"0-8044-2957-X");
    /// })?;
    /// let finder = Finder::builder().bare(IdentifierKind::Email).build();
    /// let found = finder.find("write to joe@a.example.").next().unwrap();
    /// assert_eq!((found.uri(), found.range()), (&b"joe@a.example"[..], 9..22));
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn bare(mut self, kinds: impl Into<IdentifierKinds>) -> Self {
        let search = &mut self.config.search;
        search.identifiers = search.identifiers | kinds.into();
        self
    }

    /// Whether defanged URIs are read as the URIs that they hide (I8 to I10), such as
    /// `hxxp://a[.]example`, `a(dot)example/x` and `joe[at]a[.]example`. Originals keep the
    /// marks. Default no.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().refang(true).originals(true).build();
    /// sieve.for_each(b"hxxp://evil[.]example/", |finding| {
    ///     assert_eq!(finding.uri, b"http://evil.example/");
    ///     assert_eq!(finding.original, b"hxxp://evil[.]example/");
    /// })?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn refang(mut self, refang: bool) -> Self {
        self.config.search.refang = refang;
        self
    }

    /// Adds schemes: only URIs of these are reported, in any case. Default: all. What is found
    /// does not change: a URI inside another one is no finding of its own. A `:` and what
    /// follows it is ignored, so that `http://` names a scheme, too.
    ///
    /// ```
    /// use urisieve::{Finder, Sieve};
    /// let text = b"JaVaScRiPt://x/ HTTPS://a.example/ urn:a-b:c";
    /// let finder = Finder::builder().schemes(["http", "https"]).build();
    /// let found: Vec<_> = finder.find(text).collect();
    /// assert_eq!((found.len(), found[0].uri()), (1, &b"HTTPS://a.example/"[..]));
    /// let stats = Sieve::builder().schemes(["urn"]).build().for_each(text, |_| {})?;
    /// assert_eq!((stats.distinct, stats.deselected), (1, 2));
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn schemes<S: Into<String>>(mut self, schemes: impl IntoIterator<Item = S>) -> Self {
        let schemes = schemes.into_iter().map(Into::into);
        self.config.keys.select.add_schemes(schemes);
        self
    }

    /// Which URIs are reported, known by their canonical form; in a [`Finder`](crate::Finder)
    /// that is the URI itself. Default all. The others are counted in
    /// [`Stats::deselected`](crate::Stats::deselected).
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().select(|uri| uri.starts_with(b"urn:")).build();
    /// let mut found = Vec::new();
    /// sieve.for_each(b"http://a.example/ urn:isbn:0395363411", |finding| {
    ///     found.push(finding.uri.to_vec());
    /// })?;
    /// assert_eq!(found, [b"urn:isbn:0395363411"]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn select(mut self, select: impl Fn(&[u8]) -> bool + Send + Sync + 'static) -> Self {
        self.config.keys.select.choose(Arc::new(select));
        self
    }

    /// Sets lists of indicators: only URIs that an entry matches are reported, and no
    /// exception. Others are counted in [`Stats::deselected`](crate::Stats::deselected).
    /// Default none: all are reported.
    ///
    /// ```
    /// use urisieve::{Matcher, Sieve};
    /// let mut lists = Matcher::builder();
    /// lists.add_list("ioc.txt", &b"evil.example\n"[..], |_| ())?;
    /// let sieve = Sieve::builder().matcher(lists.build()).matched(true).build();
    /// let mut found = Vec::new();
    /// let stats = sieve.for_each(b"http://a.example/ http://www.evil.example/", |finding| {
    ///     let mut entries = finding.context.matched.unwrap().entries();
    ///     found.push((finding.uri.to_vec(), entries.next().unwrap().line));
    /// })?;
    /// assert_eq!(found, [(b"http://www.evil.example/".to_vec(), 1)]);
    /// assert_eq!(stats.deselected, 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn matcher(mut self, matcher: impl Into<Arc<Matcher>>) -> Self {
        self.config.keys.matcher = Some(matcher.into());
        self
    }

    /// Adds problems of which a finding must have one to be reported; default none: it
    /// need not have any. The others are counted in
    /// [`Stats::deselected`](crate::Stats::deselected).
    ///
    /// ```
    /// use urisieve::{Sieve, item::Problem};
    /// let sieve = Sieve::builder().problems(Problem::BadPercent).build();
    /// let mut found = Vec::new();
    /// sieve.for_each(b"http://a.example/ http://b.example/100%", |finding| {
    ///     found.push(finding.uri.to_vec());
    /// })?;
    /// assert_eq!(found, [b"http://b.example/100%"]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn problems(mut self, problems: impl Into<Problems>) -> Self {
        self.config.keys.problems |= problems.into();
        self
    }
}
