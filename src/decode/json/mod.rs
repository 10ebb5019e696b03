//! JSON texts (RFC 8259), read without a tree: the strings of any text, members by their names,
//! values that are checked. The meaning of strings is left to the formats.

mod cursor;
mod pointer_path;
#[cfg(feature = "html")]
mod strings;
mod unescape;
#[cfg(feature = "json")]
mod walk;

pub(super) use cursor::JsonCursor;
#[cfg(feature = "html")]
pub(super) use cursor::JsonText;
pub use pointer_path::PointerPath;
#[cfg(all(test, feature = "html"))]
pub(super) use strings::{DEPTH_MAX, POINTER_MAX};
#[cfg(feature = "html")]
pub(super) use strings::{JsonStrings, OpenJson, strings};
#[cfg(feature = "html")]
pub(super) use unescape::raw_len;
pub(super) use unescape::{escape, unescape};
#[cfg(feature = "marc")]
pub(super) use walk::{JsonFault, JsonScalar, JsonStep, JsonVisit, walk};
#[cfg(feature = "json")]
pub(super) use walk::{string_at, strings_at};
