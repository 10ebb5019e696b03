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
    ArchiveFormat::of(head).is_some()
}

/// Whether `head` is too short to decide and may begin a container.
pub(crate) fn may_become_container(head: &[u8]) -> bool {
    !is_container(head) && ARCHIVES.iter().any(|archive| (archive.may_begin)(head))
}

impl Splitter {
    /// For the container that `head` begins, in an input that is compressed or not.
    /// The caller pushes `head` after that.
    pub(crate) fn of(head: &[u8], compressed: bool) -> Option<Splitter> {
        let archive = ArchiveFormat::of(head)?;
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
