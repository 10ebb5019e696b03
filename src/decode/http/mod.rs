//! An HTTP message (RFC 9112): references in the fields of its head, and its content as
//! a part. Codings are named, and decoded by the caller.

mod head;
mod link;
mod message;

#[cfg(feature = "html")]
pub(super) use head::ReferenceField;
pub use head::is_reference_field;
pub(super) use message::Http;
