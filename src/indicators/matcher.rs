//! Which entries match a URI? Its hosts are looked up first. The canonical form, which costs
//! more, is made only for URIs whose host has an entry that is compared with it.

use super::entry_texts::EntryTexts;
use super::hosts::HostKeys;
use super::key_index::{KeyClass, KeyIndex, KeyKind};
use super::patterns::Patterns;
use super::prefixes::Prefixes;
use crate::canonicalize::hosts::{HostSite, any_site};
use crate::canonicalize::{Canonicalizer, Level};
use crate::item::MatchedEntry;
use crate::syntax::Components;
use crate::syntax::sha256;

/// Indicators from lists: hosts, addresses, URIs, starts of URIs, regular expressions,
/// digests. A matcher returns which entries match a URI, whatever its spelling. The cost of a
/// question hardly depends on the number of entries, but for regular expressions.
///
/// URIs are compared at level [`Scheme`](Level::Scheme), without fragment.
/// [`MatcherBuilder`](super::MatcherBuilder) describes the lists.
///
/// ```
/// use urisieve::Matcher;
/// let list = "# from today\nevil.example\n*.b.example\n!ok.evil.example\nhxxp://c[.]example/x\n";
/// let mut builder = Matcher::builder();
/// let counts = builder.add_list("ioc.txt", list.as_bytes(), |bad| panic!("{bad}"))?;
/// assert_eq!(counts.entries, 4);
/// let matcher = builder.build();
/// let found = matcher.entries_of(b"http://WWW.Evil.example:8080/");
/// assert_eq!((found[0].entry, found[0].list, found[0].line), (&b"evil.example"[..], &b"ioc.txt"[..], 2));
/// assert!(matcher.matches(b"http://c.example:80/x#top"));
/// assert!(!matcher.matches(b"http://ok.evil.example/"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Matcher {
    pub(super) texts: EntryTexts,
    pub(super) index: KeyIndex,
    pub(super) hosts: HostKeys,
    pub(super) prefixes: Prefixes,
    /// Keys of hosts with the starts of paths.
    pub(super) paths: Prefixes,
    pub(super) patterns: Patterns,
    /// A bit for each entry.
    pub(super) exceptions: Vec<u64>,
    pub(super) has_digests: bool,
    /// Whether the canonical form is needed of every URI.
    pub(super) needs_uri: bool,
    /// Whether it is needed of URIs without a host.
    pub(super) needs_hostless: bool,
}

/// Buffers for questions, and the answer to the last one.
#[derive(Clone, Debug, Default)]
pub(crate) struct MatchBuffers {
    canonical: Vec<u8>,
    path: Vec<u8>,
    /// The numbers of the entries that match, in their order.
    pub found: Vec<u32>,
}

/// The form in which URIs are compared (rule I4).
pub(crate) fn canonicalizer() -> Canonicalizer {
    Canonicalizer::new(Level::Scheme).strip_fragment(true)
}

/// Returns what follows the authority of a canonical form; nothing without an authority.
pub(super) fn after_authority(uri: &[u8]) -> &[u8] {
    let parts = Components::parse(uri);
    let scheme = parts.scheme(uri).map_or(0, <[u8]>::len);
    let start = parts
        .authority(uri)
        .map(|authority| scheme + 3 + authority.len());
    start.and_then(|start| uri.get(start..)).unwrap_or(&[])
}

/// Returns what follows `http://` or `https://`.
pub(super) fn without_web_scheme(uri: &[u8]) -> Option<&[u8]> {
    let rest = uri.strip_prefix(b"http")?;
    let rest = rest.strip_prefix(b"s").unwrap_or(rest);
    rest.strip_prefix(b"://")
}

impl Matcher {
    /// The number of entries, exceptions included.
    ///
    /// ```
    /// assert_eq!(urisieve::Matcher::default().len(), 0);
    /// ```
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there are no entries: nothing matches.
    ///
    /// ```
    /// assert!(urisieve::Matcher::default().is_empty());
    /// ```
    pub fn is_empty(&self) -> bool {
        self.texts.len() == 0
    }

    /// Whether an entry matches `uri`, and no exception does.
    ///
    /// ```
    /// let mut builder = urisieve::Matcher::builder();
    /// builder.add_list("l", &b"192.0.2.0/24\n"[..], |_| ())?;
    /// assert!(builder.build().matches(b"http://0xc0000207/"));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn matches(&self, uri: &[u8]) -> bool {
        !self.entries_of(uri).is_empty()
    }

    /// Returns the entries that match `uri`, in the order of their lists; none where an
    /// exception matches.
    ///
    /// ```
    /// let mut builder = urisieve::Matcher::builder();
    /// builder.add_list("l", &b"/[?&]id=[0-9]+/\nhttp://a.example/*\n"[..], |_| ())?;
    /// let matcher = builder.build();
    /// let lines = |uri: &[u8]| matcher.entries_of(uri).iter().map(|e| e.line).collect::<Vec<_>>();
    /// assert_eq!(lines(b"http://a.example/?id=7"), [1, 2]);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn entries_of(&self, uri: &[u8]) -> Vec<MatchedEntry<'_>> {
        let mut buffers = MatchBuffers::default();
        self.look_up(uri, &canonicalizer(), &mut buffers);
        buffers
            .found
            .iter()
            .map(|&number| self.entry(number))
            .collect()
    }

    /// Returns the entries that may match, in the order of their lists, without exceptions.
    ///
    /// ```
    /// let mut builder = urisieve::Matcher::builder();
    /// builder.add_list("l", &b"a.example\n!b.a.example\n"[..], |_| ())?;
    /// let matcher = builder.build();
    /// let entries: Vec<_> = matcher.entries().map(|entry| entry.entry).collect();
    /// assert_eq!(entries, [b"a.example"]);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn entries(&self) -> impl Iterator<Item = MatchedEntry<'_>> {
        let numbers = 0..self.texts.len() as u32;
        let matching = numbers.filter(|&number| !self.is_exception(number));
        matching.map(|number| self.entry(number))
    }

    /// Returns the entry with this number.
    pub(crate) fn entry(&self, number: u32) -> MatchedEntry<'_> {
        let (list, line) = self.texts.place(number);
        MatchedEntry::new(self.texts.text(number), list, line)
    }

    /// Says that the entry with this number is an exception.
    pub(super) fn except(&mut self, number: u32) {
        let words = number as usize / 64 + 1;
        self.exceptions.resize(self.exceptions.len().max(words), 0);
        self.exceptions[words - 1] |= 1 << (number % 64);
    }

    fn is_exception(&self, number: u32) -> bool {
        let word = self.exceptions.get(number as usize / 64);
        word.is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Sets the entries that match `uri` in `buffers`. `canonicalizer` is that of
    /// [`canonicalizer()`].
    pub(crate) fn look_up(
        &self,
        uri: &[u8],
        canonicalizer: &Canonicalizer,
        buffers: &mut MatchBuffers,
    ) {
        let MatchBuffers {
            canonical,
            path,
            found,
        } = buffers;
        found.clear();
        let mut is_excepted = false;
        let mut note = |entry: u32| match self.is_exception(entry) {
            true => is_excepted = true,
            false => found.push(entry),
        };
        let tables = (&self.index, &self.texts);
        let (mut has_host, mut needs_uri, mut needs_path) = (false, self.needs_uri, false);
        any_site(uri, |HostSite { key, port }| {
            has_host = true;
            self.hosts.any_row(key, tables, |row, _, is_whole| {
                match row.kind {
                    KeyKind::OfUris => needs_uri |= is_whole,
                    KeyKind::OfPaths => needs_path = true,
                    _ if row.takes(port, is_whole) => note(row.entry),
                    _ => {}
                }
                false
            })
        });
        needs_uri |= !has_host && self.needs_hostless;
        if needs_uri || needs_path {
            let canonical = canonicalizer.canonicalize(uri, canonical);
            if needs_uri {
                let rows = self.index.rows(KeyClass::Uri, canonical, &self.texts);
                rows.for_each(|row| note(row.entry));
                if let Some(rest) = without_web_scheme(canonical) {
                    let rows = self.index.rows(KeyClass::WebUri, rest, &self.texts);
                    rows.for_each(|row| note(row.entry));
                }
                self.prefixes
                    .each(canonical, &self.texts, |start| note(start.entry));
                self.patterns.each(canonical, &mut note);
                if self.has_digests {
                    let digest = sha256(canonical);
                    let rows = self.index.rows(KeyClass::Digest, &digest, &self.texts);
                    rows.for_each(|row| note(row.entry));
                }
            }
            if needs_path {
                any_site(uri, |HostSite { key, port }| {
                    self.hosts.any_row(key, tables, |row, name, _| {
                        if row.kind == KeyKind::OfPaths {
                            path.clear();
                            path.extend_from_slice(name);
                            path.extend_from_slice(after_authority(canonical));
                            self.paths.each(path, &self.texts, |start| {
                                if start.port == 0 || Some(start.port) == port {
                                    note(start.entry);
                                }
                            });
                        }
                        false
                    })
                });
            }
        }
        if is_excepted {
            found.clear();
        }
        found.sort_unstable();
        found.dedup();
    }
}
