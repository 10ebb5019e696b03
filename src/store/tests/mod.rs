//! The laws of the store, and the faults of the medium that end in an error. Sets are compared
//! with the one in memory.

mod faults;
pub(crate) mod faulty;
mod laws;
mod many;
