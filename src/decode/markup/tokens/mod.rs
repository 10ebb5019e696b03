//! The tokens of HTML and XML: tags with their attributes, texts, comments, as ranges of
//! the bytes; nothing is copied and no character reference is decoded. The caller keeps a
//! window of bytes, in a loop:
//!
//! `while let Some(token) = tokenizer.next(window, last) { … }`, then drops the first
//! `tokenizer.position()` bytes of the window, calls `forget` with that number, and adds
//! bytes. Every offset counts from the start of the window. The ranges of the tokens are
//! adjacent and cover every byte that is not passed; the same bytes give the same tokens in
//! windows of any size. A window of [`TEXT_MAX`] bytes and 32 more always contains a token.
//! Meanings of elements and attributes are left to the decoders.

#[cfg(test)]
mod doctype;
mod foreign;
mod html;
#[cfg(test)]
mod laws;
mod marks;
mod name;
mod passing;
mod piece;
mod script;
mod subset;
mod tag;
#[cfg(test)]
mod tests;
mod token;
mod xml;

#[cfg(test)]
pub use doctype::Declaration;
pub use html::HtmlTokenizer;
pub use marks::ByteMarks;
pub use name::{NameKey, NameSieve};
pub use passing::Passing;
pub use piece::TEXT_MAX;
pub use token::{Attribute, MarkupToken, Quoting, StartTag, TextKind, TokenKind};
pub use xml::XmlTokenizer;
