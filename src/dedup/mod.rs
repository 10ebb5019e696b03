//! Was this URI seen before? A trait for sets of keys, which are asked batch by batch,
//! and the exact set in memory. Distributing keys over sets, and their order, are left
//! to `engine`.

mod arena;
mod doubling;
mod entries;
mod entry;
mod hasher;
mod keys;
mod membership;
mod set;
mod table;

pub use entries::Entries;
pub use entry::Entry;
pub use hasher::Hasher;
pub use keys::{Answer, Key, Keys, RecordWriter};
pub use membership::{Deferred, Finished, Late, LateReceiver, Membership};
pub use set::Set;
