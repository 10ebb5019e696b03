//! Have we seen it? An exact set of keys in memory, asked by the batch. Which keys
//! meet in which set, and in which order, is left to `engine`.

mod arena;
mod entries;
mod entry;
mod hasher;
mod keys;
mod set;
mod table;

pub use entries::Entries;
pub use entry::Entry;
pub use hasher::Hasher;
pub use keys::{Answer, Key, Keys, Records};
pub use set::Set;
