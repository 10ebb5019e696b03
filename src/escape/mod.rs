//! How do the surrounding formats spell a byte? Backslash escapes of JSON, JavaScript
//! and TeX, and character references of HTML and XML, read forward from their start and
//! backward from their end; UTF-16 in other text. The meaning of a decoded character in a URI is left to
//! `delimit`.

mod backslash;
mod markup;
mod names;
mod reference;
mod spelling;
mod wide;

pub use backslash::{Backslash, MAX_RUN, backslash, hex_byte, tex_group};
#[cfg(feature = "html")]
pub(crate) use markup::decode_references_at;
pub use markup::{MarkupReference, REFERENCE_MAX, References, decode_references, markup_reference};
pub(crate) use reference::NAME_MAX;
pub use reference::{
    CharReference, KEPT_MAX, kept_reference_before, reference, reference_before, starts_amp,
};
pub use spelling::write_in_place;
pub(crate) use spelling::write_refanged;
pub use wide::wide_at;
pub(crate) use wide::{SHOWN_BY, is_of_ascii_text, wide_may_begin};
