//! Extracts every URI and URN from text and keeps each equivalence class once.

pub mod canonicalize;
pub mod decode;
pub mod dedup;
pub mod delimit;
pub mod engine;
pub mod escape;
pub mod input;
pub mod item;
pub mod output;
#[cfg(feature = "reference")]
pub mod reference;
pub mod scan;
pub mod syntax;
