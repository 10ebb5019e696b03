//! The members of a tar archive: v7, ustar, pax (POSIX.1-2001) and GNU. A header is
//! believed when its checksum is right. What is between members and is no header is
//! passed over up to the next one; where bytes are missing, that may begin anywhere.
//! Sparse files are given as they are stored.

mod block;
mod extension;
mod members;

pub(super) use block::{begins, may_begin};
pub(super) use members::Tar;

/// What the container is called.
pub(super) const NAME: &str = "tar";
