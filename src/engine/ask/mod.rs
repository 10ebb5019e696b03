//! The settings of a run: what is asked for.

pub(in crate::engine) mod byte_size;
pub(in crate::engine) mod config;
pub(in crate::engine) mod count_by;
pub(in crate::engine) mod count_per;
pub(in crate::engine) mod effects;
pub(in crate::engine) mod exchange_filter;
pub(in crate::engine) mod lists;
pub(in crate::engine) mod memory;
pub(in crate::engine) mod mode;
pub(in crate::engine) mod pairs;
pub(in crate::engine) mod progress;
pub(in crate::engine) mod record_filter;
pub(in crate::engine) mod sequence;
pub(in crate::engine) mod uri_selection;
