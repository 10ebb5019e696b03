//! The members of a tar archive: v7, ustar, pax (POSIX.1-2001) and GNU. A header is
//! accepted when its checksum is correct. Bytes between members are skipped up to the
//! next header; after missing bytes this header may begin at any offset. Sparse files
//! are returned as stored.

mod block;
mod extension;
mod members;

pub(super) use block::{begins, may_begin};
pub(super) use members::Tar;
