//! Which values were added before, over many calls? Sets of URIs and of links.

mod gathered;
pub(crate) mod link_set;
mod packed;
pub(crate) mod uri_set;
