//! Whose turn is it? The shards answer which keys are new, and batches are written in their order.

pub(in crate::engine) mod crew;
pub(in crate::engine) mod deliver;
pub(in crate::engine) mod fingerprint_set;
pub(in crate::engine) mod known_set;
pub(in crate::engine) mod later_keys;
pub(in crate::engine) mod live_set;
pub(in crate::engine) mod numbering;
pub(in crate::engine) mod shards;
