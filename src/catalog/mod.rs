//! What a library catalogue says of its identifiers and links: which are wrong, in which
//! way, and how they are repaired. Reading records is left to `decode`.

pub mod check;
mod identifier;

pub use identifier::{NumberField, make_urn};
