//! The commands that read lists of URIs: `dedup` and `normalize`, and the run that both have
//! in common.

pub(super) mod dedup;
pub(super) mod list;
pub(super) mod normalize;
pub(super) mod value;
