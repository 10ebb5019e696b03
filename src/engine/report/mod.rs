//! The report: writing, groups, sorting and counts.

pub(in crate::engine) mod counts;
pub(in crate::engine) mod groups;
pub(in crate::engine) mod kept;
pub(in crate::engine) mod known_classes;
pub(in crate::engine) mod late;
pub(in crate::engine) mod seen;
pub(in crate::engine) mod sorted_groups;
pub(in crate::engine) mod write;
