//! The members of a tar archive: v7, ustar, pax (POSIX.1-2001) and GNU. A header is
//! accepted when its checksum is correct. Bytes between members are skipped up to the
//! next header; where bytes are missing, that may begin anywhere. Sparse files are
//! returned as they are stored.

mod block;
mod extension;
mod members;

pub(super) use block::{begins, may_begin};
pub(super) use members::Tar;
