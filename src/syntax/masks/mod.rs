//! Classes of many bytes as masks with one bit for each byte: of the next bytes of a URI, of
//! strings of data, of lines of JSON. The kernel of `scan` computes the same masks by vectors.

pub(crate) mod line_masks;
#[cfg(feature = "html")]
pub(crate) mod near;
mod outlook;
pub(crate) mod stops;

pub use outlook::Outlook;
pub(crate) use outlook::{UriStops, below};
