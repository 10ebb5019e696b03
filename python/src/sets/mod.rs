//! Which values were added before, over many calls? Sets of URIs and of links.

mod asking;
mod gathered;
pub(crate) mod link_set;
mod packed;
pub(crate) mod seen;
pub(crate) mod uri_set;
