//! A container that is detected by its first bytes and split as its bytes come: bytes
//! are pushed, pieces of records are pulled.

use super::feed::Feed;
use super::piece::{Container, Piece};
use super::tar::Tar;
use super::warc::WarcSplitter;
use super::{tar, warc};
use crate::item::LossKind;

/// Splits a container into records.
///
/// ```
/// use urisieve::unpack::{Piece, Splitter};
/// let bytes = b"WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n";
/// let mut splitter = Splitter::of(bytes, false).unwrap();
/// splitter.feed().push(bytes);
/// splitter.feed().end();
/// let mut content = Vec::new();
/// let Piece::Record(record) = splitter.next(&mut content) else { unreachable!() };
/// assert_eq!(record.context.warc.unwrap().kind, b"conversion");
/// assert_eq!(splitter.next(&mut content), Piece::Content(2));
/// assert_eq!(content, b"hi");
/// assert_eq!(splitter.next(&mut content), Piece::RecordEnd);
/// assert_eq!(splitter.next(&mut content), Piece::End);
/// ```
pub struct Splitter {
    feed: Feed,
    container: Box<dyn Container>,
    name: &'static str,
    losses: Vec<(u64, LossKind)>,
}

/// Whether a container that can be split begins with `head`.
///
/// ```
/// use urisieve::unpack::is_container;
/// assert!(is_container(b"WARC/1.1\r\n") && is_container(b"filedesc://a.arc"));
/// assert!(!is_container(b"WARC"));
/// ```
pub fn is_container(head: &[u8]) -> bool {
    warc::begins(head) || tar::begins(head)
}

/// Whether `head` is too short to decide, but may become the beginning of a container.
///
/// ```
/// use urisieve::unpack::may_become_container;
/// assert!(may_become_container(b"WAR") && may_become_container(b"dir/a.log\0\0"));
/// assert!(!may_become_container(b"a line\n") && !may_become_container(b"http://"));
/// assert!(!may_become_container(b"WARC/"));
/// ```
pub fn may_become_container(head: &[u8]) -> bool {
    !is_container(head) && (warc::may_begin(head) || tar::may_begin(head))
}

impl Splitter {
    /// Creates a splitter for the container that begins with `head`, in an input that
    /// is compressed or not. `head` must be pushed, too.
    ///
    /// ```
    /// use urisieve::unpack::Splitter;
    /// assert!(Splitter::of(b"plain text", false).is_none());
    /// ```
    pub fn of(head: &[u8], compressed: bool) -> Option<Splitter> {
        let (container, name): (Box<dyn Container>, _) = match head {
            _ if warc::begins(head) => (Box::new(WarcSplitter::new()), warc::name(head)),
            _ if tar::begins(head) => (Box::new(Tar::new()), tar::NAME),
            _ => return None,
        };
        Some(Splitter {
            feed: Feed::new(compressed),
            container,
            name,
            losses: Vec::new(),
        })
    }

    /// The name of the container: `WARC`, `ARC` or `tar`.
    ///
    /// ```
    /// use urisieve::unpack::Splitter;
    /// assert_eq!(Splitter::of(b"filedesc://a.arc", false).unwrap().name(), "ARC");
    /// ```
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the feed that takes the bytes.
    ///
    /// ```
    /// use urisieve::unpack::{Piece, Splitter};
    /// let mut splitter = Splitter::of(b"WARC/1.0", true).unwrap();
    /// splitter.feed().member(77);
    /// splitter.feed().push(b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n");
    /// splitter.feed().end();
    /// let Piece::Record(record) = splitter.next(&mut Vec::new()) else { unreachable!() };
    /// assert_eq!(record.offset, 77);
    /// ```
    pub fn feed(&mut self) -> &mut Feed {
        &mut self.feed
    }

    /// Returns the next piece; its content is appended to `out`.
    ///
    /// ```
    /// use urisieve::unpack::{Piece, Splitter};
    /// let mut splitter = Splitter::of(b"WARC/", false).unwrap();
    /// splitter.feed().push(b"no record");
    /// splitter.feed().end();
    /// assert_eq!(splitter.next(&mut Vec::new()), Piece::End);
    /// assert_eq!(splitter.losses().count(), 1);
    /// ```
    pub fn next(&mut self, out: &mut Vec<u8>) -> Piece {
        self.container.next(&mut self.feed, out, &mut self.losses)
    }

    /// Returns the losses since the last call, with their offsets in the input.
    ///
    /// ```
    /// use urisieve::item::LossKind;
    /// use urisieve::unpack::{Piece, Splitter};
    /// let mut splitter = Splitter::of(b"WARC/", false).unwrap();
    /// splitter.feed().push(b"WARC/1.0\r\nContent-Length: 9\r\n\r\ncut");
    /// splitter.feed().end();
    /// while splitter.next(&mut Vec::new()) != Piece::End {}
    /// assert!(matches!(splitter.losses().next(), Some((0, LossKind::Truncated(_)))));
    /// ```
    pub fn losses(&mut self) -> impl Iterator<Item = (u64, LossKind)> + use<> {
        std::mem::take(&mut self.losses).into_iter()
    }
}
