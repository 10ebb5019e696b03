//! The filter of a run: which keys cannot be in it? It has hashes of keys, in parts that are built
//! one by one. Where its bytes stand in the run is left to others.

mod fuse;
mod hash;
mod parts;

pub(super) use fuse::FuseFilter;
pub(super) use hash::KeyHasher;
pub(super) use parts::{WaitingHashes, bits_of, part_of};
