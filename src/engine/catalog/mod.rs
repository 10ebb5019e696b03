//! How are the records of catalogs read, worked on and passed on in their order?

pub(in crate::engine) mod batch;
pub(in crate::engine) mod document;
pub(in crate::engine) mod feed;
pub(in crate::engine) mod run;
