//! How is a run carried out? The sieve and its crew, and the ways without a crew.

pub(in crate::engine) mod builder;
#[cfg(all(test, feature = "store"))]
pub(in crate::engine) mod deferring;
pub(in crate::engine) mod find;
pub(in crate::engine) mod formatting;
pub(in crate::engine) mod iterate;
#[cfg(all(test, feature = "store"))]
mod knowing;
#[cfg(test)]
pub(in crate::engine) mod linear;
pub(in crate::engine) mod rewriter;
pub(in crate::engine) mod run;
pub(in crate::engine) mod search_work;
mod searchers;
pub(in crate::engine) mod seen;
pub(in crate::engine) mod serial;
pub(in crate::engine) mod sieve;
pub(in crate::engine) mod spare;
pub(in crate::engine) mod text_spans;
pub(in crate::engine) mod texts;
