//! What do the RFCs say? Byte classes named by their ABNF rule, the components
//! of a URI reference as offsets, percent-encoding, hosts, the scheme table, the
//! URN grammar and reference resolution. Pure functions on slices: no I/O, no threads, no allocation.
//! Which piece of a text *is* a URI is left to `scan` and `delimit`.

pub(crate) mod base64;
mod checks;
pub mod class;
mod components;
#[cfg(feature = "domain")]
pub mod domain;
mod dots;
pub mod fields;
pub mod host;
pub mod identifier;
pub mod iri;
pub(crate) mod masks;
pub(crate) mod nested;
pub mod pct;
pub(crate) mod plain_url;
mod quoted;
pub mod resolve;
pub mod scheme;
pub(crate) mod shape;
pub(crate) mod shown;
pub(crate) mod steps;
pub(crate) mod syslog;
pub(crate) mod top_level;
mod uri;
pub mod urn;
pub(crate) mod words;

pub use checks::check_digit;
pub(crate) use checks::sha256::sha256;
pub use components::{Component, Components, Kind, Parts};
pub use dots::{has_dot_segments, remove_dot_segments};
pub use masks::Outlook;
pub use quoted::{QuotedUnit, quoted_blanks, quoted_settled};
pub use shape::{directory, extension, shape};
pub use uri::{Violation, validate, validate_iri, validate_iri_reference, validate_reference};
