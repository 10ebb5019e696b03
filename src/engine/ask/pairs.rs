//! Whether links are reported instead of URIs, and between what.

use std::fmt;
use std::sync::Arc;

type NodeKey = dyn Fn(&[u8], &mut Vec<u8>) -> bool + Send + Sync;
type InputName = dyn Fn(usize) -> Arc<[u8]> + Send + Sync;

/// Reports links instead of URIs: [`Finding::source`](crate::item::Finding::source) is
/// the page, [`Finding::uri`](crate::item::Finding::uri) the target.
///
/// The page is the target URI of the record in a web archive, otherwise the
/// [base](crate::engine::Builder::base), otherwise the name of the input.
///
/// ```
/// use urisieve::{Pairs, Sieve, input::Source};
/// let archive = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/b/\r\n\
///     Content-Type: application/http\r\nContent-Length: 37\r\n\r\n\
///     HTTP/1.1 301 M\r\nLocation: ../../c\r\n\r\n\r\n\r\n";
/// let mut links = Vec::new();
/// Sieve::builder().links(Pairs::new()).build().for_each_in([Source::Slice(archive)], |link| {
///     links.push((link.source.unwrap().to_vec(), link.uri.to_vec()));
/// })?;
/// assert_eq!(links, [(b"http://a.example/b/".to_vec(), b"http://a.example/c".to_vec())]);
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Pairs {
    pub(in crate::engine) node: Option<Arc<NodeKey>>,
    pub(in crate::engine) name: Option<Arc<InputName>>,
    pub(in crate::engine) mentions: bool,
    pub(in crate::engine) followed: bool,
    pub(in crate::engine) without_self: bool,
    pub(in crate::engine) apart: bool,
}

impl fmt::Debug for Pairs {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Pairs")
            .field("nodes", &self.node.is_some())
            .field("mentions", &self.mentions)
            .field("followed", &self.followed)
            .field("without_self", &self.without_self)
            .field("apart", &self.apart)
            .finish_non_exhaustive()
    }
}

impl Pairs {
    /// Pairs of pages and the links on them.
    ///
    /// ```
    /// use urisieve::{Pairs, Sieve};
    /// // A URI in a text is not a link.
    /// let sieve = Sieve::builder().links(Pairs::new()).build();
    /// assert_eq!(sieve.for_each(b"http://a.example/", |_| {})?.distinct, 0);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn new() -> Pairs {
        Pairs::default()
    }

    /// Sets the function that writes the node of a canonical URI, such as its host, into
    /// a buffer, and returns whether there is one. Nodes replace source and target, a
    /// node is not linked to itself, and a page without a link to another node gives one
    /// pair of its node twice. Default: pages are not replaced.
    ///
    /// ```
    /// # #[cfg(feature = "html")] {
    /// use urisieve::{Pairs, Sieve, input::Source, links::Node};
    /// let archive = b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://a.example/b/\r\n\
    ///     Content-Type: application/http\r\nContent-Length: 37\r\n\r\n\
    ///     HTTP/1.1 301 M\r\nLocation: ../../c\r\n\r\n\r\n\r\n";
    /// let hosts = Pairs::new().nodes(|uri, key| Node::Host.key(uri, key));
    /// let mut links = Vec::new();
    /// Sieve::builder().links(hosts).build().for_each_in([Source::Slice(archive)], |link| {
    ///     links.push((link.source.unwrap().to_vec(), link.uri.to_vec()));
    /// })?;
    /// assert_eq!(links, [(b"example.a".to_vec(), b"example.a".to_vec())]);
    /// # }
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn nodes(
        mut self,
        key: impl Fn(&[u8], &mut Vec<u8>) -> bool + Send + Sync + 'static,
    ) -> Pairs {
        self.node = Some(Arc::new(key));
        self
    }

    /// Sets the function that returns the name of an input by its number. Default: the
    /// number itself, from 0.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::{Pairs, Sieve};
    /// let pairs = Pairs::new().mentions(true).names(|_| Arc::from(&b"notes.txt"[..]));
    /// Sieve::builder().links(pairs).build().for_each(b"http://a.example/", |link| {
    ///     assert_eq!(link.source, Some(&b"notes.txt"[..]));
    /// })?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn names(mut self, name: impl Fn(usize) -> Arc<[u8]> + Send + Sync + 'static) -> Pairs {
        self.name = Some(Arc::new(name));
        self
    }

    /// Sets whether URIs in text also count as targets; default no.
    ///
    /// ```
    /// use urisieve::{Pairs, Sieve};
    /// let sieve = Sieve::builder().links(Pairs::new().mentions(true)).build();
    /// assert_eq!(sieve.for_each(b"http://a.example/", |_| {})?.distinct, 1);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn mentions(mut self, mentions: bool) -> Pairs {
        self.mentions = mentions;
        self
    }

    /// Sets whether pairs of a page or node with itself are left out; default no. Also left
    /// out is then the pair of a page without a link to another node.
    ///
    /// ```
    /// use urisieve::{Pairs, Sieve};
    /// let pairs = Pairs::new().mentions(true).without_self(true);
    /// let sieve = Sieve::builder().links(pairs).base("http://a.example/").build();
    /// let mut targets = Vec::new();
    /// sieve.for_each(b"http://a.example/ http://b.example/", |link| targets.push(link.uri.to_vec()))?;
    /// assert_eq!(targets, [b"http://b.example/"]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn without_self(mut self, without: bool) -> Pairs {
        self.without_self = without;
        self
    }

    /// Sets whether links that the page asks not to follow are pairs of their own, apart
    /// from those of the same page and target that may be followed; default no. A tab and
    /// `nofollow` are then behind the target, which [`LinkFields`](crate::output::LinkFields)
    /// removes.
    ///
    /// ```
    /// let pairs = urisieve::Pairs::new().apart(true);
    /// # drop(pairs);
    /// ```
    pub fn apart(mut self, apart: bool) -> Pairs {
        self.apart = apart;
        self
    }

    /// Sets whether links that the page asks not to follow are left out; default no.
    ///
    /// ```
    /// let pairs = urisieve::Pairs::new().followed(true);
    /// # drop(pairs);
    /// ```
    pub fn followed(mut self, followed: bool) -> Pairs {
        self.followed = followed;
        self
    }
}
