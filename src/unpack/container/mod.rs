//! Which records does this stream hold? Containers that are detected by their first bytes:
//! web archives (WARC, ARC) and tar. Records are returned as stored; their content is left
//! to `decode`.

mod archive;
mod feed;
mod piece;
mod splitter;
mod tar;
mod warc;

pub use archive::{ARCHIVES, ArchiveFormat};
pub(crate) use piece::Piece;
pub(crate) use splitter::{Splitter, is_container, may_become_container};
