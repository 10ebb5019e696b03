//! Which URIs do lists of indicators match? The entries of lists, in all their forms, in
//! tables that hold millions of them, and what matches a URI (rules I1 to I7).

mod adblock;
mod builder;
mod entry;
mod entry_texts;
mod form;
mod host_entry;
mod hosts;
mod intake;
mod jobs;
mod key_index;
mod lists;
mod matcher;
mod parts;
mod patterns;
mod piece;
mod prefixes;
mod tables;
#[cfg(test)]
mod tests;
mod zone;

pub use builder::MatcherBuilder;
pub use entry::is_list_comment;
pub use form::INDICATOR_FORMS;
pub(crate) use host_entry::HostEntry;
pub(crate) use hosts::Hosts;
pub use intake::{BadEntry, ListCounts};
pub(crate) use jobs::{ListJob, ListJobs};
pub use matcher::Matcher;
pub(crate) use matcher::{MatchBuffers, canonicalizer};
