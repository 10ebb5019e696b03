//! Checks: the digits that end identifiers, and the digests of texts (SHA-256). Which
//! identifiers have them is left to `identifier` and to the namespaces.

pub mod check_digit;
pub(crate) mod sha256;
