//! Where are keys kept when memory is used up? A set that grows within a budget and writes
//! the keys for which there is no room to a temporary file; and sorting beyond memory. The
//! meaning of keys and the order in which they are reported are left to `engine`.

mod block;
mod bounded;
mod budget;
mod error;
mod log;
mod medium;
mod merge;
mod partitions;
mod scratch;
#[cfg(feature = "store")]
pub mod seen;
mod settling;
mod sorter;
mod space;
mod spill_config;
mod spill_counts;
mod spilling;
#[cfg(all(test, feature = "store"))]
pub(crate) mod tests;
pub(crate) mod varint;

pub use budget::{Budget, Charge};
pub use error::{StoreAction, StoreError};
pub use log::{Log, LogReader, LogWriter};
pub use merge::Merge;
pub use scratch::{Extent, ScratchFile};
pub use sorter::{Sorted, Sorter};
pub use spill_config::SpillConfig;
pub use spill_counts::SpillCounts;
pub use spilling::SpillingSet;
