//! Identifiers without a scheme: ISBN, ISSN, DOI, ORCID, Handle, arXiv and addresses of mail,
//! by the word before them, their shape and their check digit. The end of a DOI or a Handle is decided as if
//! its scheme preceded it. No rule crosses the end of a line, so a text may be cut there.

mod address;
mod ahead;
mod found;
mod host;
mod judge;
mod name;
mod number;

pub(super) use found::IdentifierScratch;
