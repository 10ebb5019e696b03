//! Was this URI seen before? A trait for sets of keys, which are asked batch by batch,
//! the exact set in memory, and fingerprints of keys. Distributing keys over sets, their
//! order, and sets of fingerprints are left to `engine`.

mod arena;
mod doubling;
mod entries;
mod entry;
mod fingerprint;
mod hasher;
mod keys;
mod membership;
mod set;
mod span;
mod table;
mod tag_filter;
mod tail;

pub use entries::Entries;
pub use entry::Entry;
pub(crate) use fingerprint::{FINGERPRINT_LEN, Fingerprinter};
pub use hasher::Hasher;
pub use keys::{Answer, ClassRange, Key, Keys, RecordWriter};
pub use membership::{Deferred, Finished, KnownKeys, Late, LateReceiver, Membership};
pub use set::Set;
pub(crate) use span::{EMPTY_SPAN, SPAN_LEN, VALUE_LEN, widen};
pub use tail::RecordTail;
pub(crate) use tail::{INPUTS_LEN, UNIT_LEN};
