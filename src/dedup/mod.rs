//! Have we seen it? One trait for sets of keys, asked by the batch, and the exact set in
//! memory. Which keys meet in which set, and in which order, is left to `engine`.

mod arena;
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
pub use membership::{Late, Membership};
pub use set::Set;
