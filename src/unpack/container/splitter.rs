//! A container that is detected by its first bytes and split while it is read: bytes
//! are pushed, pieces of records are pulled.

use super::archive::{ARCHIVES, ArchiveFormat};
use super::feed::Feed;
use super::piece::{Container, Piece};
use crate::item::LossKind;

/// Splits a container into records.
pub(crate) struct Splitter {
    feed: Feed,
    container: Box<dyn Container>,
    format: &'static ArchiveFormat,
    losses: Vec<(u64, LossKind)>,
}

/// Whether `head` begins a container that is split.
pub(crate) fn is_container(head: &[u8]) -> bool {
    ARCHIVES.iter().any(|archive| (archive.begins)(head))
}

/// Whether `head` is too short to decide and may begin a container.
pub(crate) fn may_become_container(head: &[u8]) -> bool {
    !is_container(head) && ARCHIVES.iter().any(|archive| (archive.may_begin)(head))
}

impl Splitter {
    /// For the container that `head` begins, in an input that is compressed or not.
    /// The caller pushes `head` after that.
    pub(crate) fn of(head: &[u8], compressed: bool) -> Option<Splitter> {
        let archive = ARCHIVES.iter().find(|archive| (archive.begins)(head))?;
        Some(Splitter::expecting(archive, compressed))
    }

    /// For a container whose first bytes may be damaged.
    pub(crate) fn expecting(format: &'static ArchiveFormat, compressed: bool) -> Splitter {
        Splitter {
            feed: Feed::new(compressed),
            container: (format.container)(),
            format,
            losses: Vec::new(),
        }
    }

    /// The format of the container.
    pub(crate) fn format(&self) -> &'static ArchiveFormat {
        self.format
    }

    /// Returns the feed, into which bytes are pushed.
    pub(crate) fn feed(&mut self) -> &mut Feed {
        &mut self.feed
    }

    /// The next piece; its content is appended to `out`.
    pub(crate) fn next(&mut self, out: &mut Vec<u8>) -> Piece {
        self.container.next(&mut self.feed, out, &mut self.losses)
    }

    /// The losses since the last call, with their offsets in the input.
    pub(crate) fn losses(&mut self) -> impl Iterator<Item = (u64, LossKind)> + use<> {
        std::mem::take(&mut self.losses).into_iter()
    }
}

#[cfg(test)]
mod examples {
    #[test]
    fn splitter() {
        use crate::unpack::container::{Piece, Splitter};
        let bytes = b"WARC/1.0\r\nWARC-Type: conversion\r\nContent-Length: 2\r\n\r\nhi\r\n\r\n";
        let mut splitter = Splitter::of(bytes, false).unwrap();
        splitter.feed().push(bytes);
        splitter.feed().end();
        let mut content = Vec::new();
        let Piece::Record(record) = splitter.next(&mut content) else {
            unreachable!()
        };
        assert_eq!(record.context.warc.unwrap().kind, b"conversion");
        assert_eq!(splitter.next(&mut content), Piece::Content(2));
        assert_eq!(content, b"hi");
        assert_eq!(splitter.next(&mut content), Piece::RecordEnd);
        assert_eq!(splitter.next(&mut content), Piece::End);
    }

    #[test]
    fn is_container() {
        use crate::unpack::container::is_container;
        assert!(is_container(b"WARC/1.1\r\n") && is_container(b"filedesc://a.arc"));
        assert!(!is_container(b"WARC"));
    }

    #[test]
    fn may_become_container() {
        use crate::unpack::container::may_become_container;
        assert!(may_become_container(b"WAR") && may_become_container(b"dir/a.log\0\0"));
        assert!(!may_become_container(b"a line\n") && !may_become_container(b"http://"));
        assert!(!may_become_container(b"WARC/"));
    }

    #[test]
    fn splitter_of() {
        use crate::unpack::container::Splitter;
        assert!(Splitter::of(b"plain text", false).is_none());
    }

    #[test]
    fn splitter_name() {
        use crate::unpack::container::Splitter;
        assert_eq!(
            Splitter::of(b"filedesc://a.arc", false)
                .unwrap()
                .format()
                .title,
            "ARC"
        );
    }

    #[test]
    fn splitter_feed() {
        use crate::unpack::container::{Piece, Splitter};
        let mut splitter = Splitter::of(b"WARC/1.0", true).unwrap();
        splitter.feed().member(77);
        splitter
            .feed()
            .push(b"WARC/1.0\r\nContent-Length: 0\r\n\r\n\r\n\r\n");
        splitter.feed().end();
        let Piece::Record(record) = splitter.next(&mut Vec::new()) else {
            unreachable!()
        };
        assert_eq!(record.offset, 77);
    }

    #[test]
    fn splitter_next() {
        use crate::unpack::container::{Piece, Splitter};
        let mut splitter = Splitter::of(b"WARC/", false).unwrap();
        splitter.feed().push(b"no record");
        splitter.feed().end();
        assert_eq!(splitter.next(&mut Vec::new()), Piece::End);
        assert_eq!(splitter.losses().count(), 1);
    }

    #[test]
    fn splitter_losses() {
        use crate::item::LossKind;
        use crate::unpack::container::{Piece, Splitter};
        let mut splitter = Splitter::of(b"WARC/", false).unwrap();
        splitter
            .feed()
            .push(b"WARC/1.0\r\nContent-Length: 9\r\n\r\ncut");
        splitter.feed().end();
        while splitter.next(&mut Vec::new()) != Piece::End {}
        assert!(matches!(
            splitter.losses().next(),
            Some((0, LossKind::Truncated(_)))
        ));
    }
}
