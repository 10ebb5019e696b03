//! A worker reads the records of its block, finds and canonicalizes.

pub(in crate::engine) mod archive_body;
pub(in crate::engine) mod content;
pub(in crate::engine) mod handoff;
pub(in crate::engine) mod keys;
pub(in crate::engine) mod lines;
pub(in crate::engine) mod list_records;
pub(in crate::engine) mod matching;
pub(in crate::engine) mod nested;
pub(in crate::engine) mod page;
pub(in crate::engine) mod pair_intake;
pub(in crate::engine) mod parts;
pub(in crate::engine) mod problems;
pub(in crate::engine) mod reasons;
pub(in crate::engine) mod recent;
pub(in crate::engine) mod refer;
pub(in crate::engine) mod reported;
pub(in crate::engine) mod search;
pub(in crate::engine) mod stated;
pub(in crate::engine) mod units;
pub(in crate::engine) mod worker;
