//! Searches: the commands `extract` and `links`, the plan that either makes of its flags, and
//! the run that both have in common.

pub(super) mod extract;
mod formatter;
mod graph_files;
mod habits;
pub(super) mod links;
pub(super) mod plan;
mod records;
pub(super) mod report;
mod run;
pub(super) mod select;
mod shapes;
mod unmatched;
mod uri_flags;
