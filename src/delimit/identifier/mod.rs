//! Identifiers without a scheme: ISBN, ISSN, DOI, ORCID, Handle, arXiv, by the word before
//! them, their shape and their check digit. What a DOI or a Handle ends with is decided
//! as if its scheme stood before it. No rule crosses the end of a line, so a text may be
//! cut there.

mod ahead;
mod found;
mod judge;
mod name;
mod number;

pub(super) use found::IdentifierScratch;
