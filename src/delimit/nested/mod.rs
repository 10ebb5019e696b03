//! URIs inside the path, query or fragment of another one (S6), also those that are encoded
//! there (I13), of which at most eight are reported. `layer` decodes a part of a text, `search`
//! looks for the URIs, `found` has them, and `record` adds them to those of a candidate.

mod found;
mod layer;
mod record;
mod search;

pub use found::InnerUris;
