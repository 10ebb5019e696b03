//! Lines that are passed on as they come: read from one input after the other, written as
//! soon as the writer of a pipe pauses.

pub(super) mod enrich;
mod event;
mod flags;
pub(super) mod line_loop;
pub(super) mod lines;
pub(super) mod rewrite;
mod seen_events;
mod uri_map;
