//! What do the options of the calls mean? Keyword arguments are read by name, and become the
//! settings of the library.

pub(crate) mod equality;
mod extraction;
pub(crate) mod given;
mod indicators;
pub(crate) mod options;
pub(crate) mod prepared;
pub(crate) mod select;
pub(crate) mod store_settings;
