//! Markup: HTML, XML, sitemaps and feeds, and the formats in their attributes and
//! elements. A tokenizer finds tags and text, one file for each format finds references;
//! no tree is built. Resolving is left to the engine.

mod charset;
mod convert;
mod css;
mod document;
mod html;
mod iso_2022_jp;
mod json_ld;
mod lists;
mod map_writer;
pub(super) mod metas;
mod nested;
mod onclick;
mod prescan;
mod query;
mod script_json;
mod srcset;
mod tokens;
mod transcode;
mod url_like;
mod xml;

#[cfg(feature = "marc")]
pub(super) use charset::DocumentEncoding;
pub use charset::Language;
pub(super) use convert::Converter;
#[cfg(feature = "marc")]
pub(super) use document::{MarkupDecoder, MarkupDocument};
#[cfg(feature = "marc")]
pub(super) use html::TextMaker;
pub use html::html_decoder;
pub(super) use iso_2022_jp::Iso2022Jp;
pub(super) use map_writer::{MapWriter, MappedText};
pub use query::encode_query;
#[cfg(feature = "marc")]
pub(super) use tokens::{Attribute, MarkupToken, TextKind, TokenKind, XmlTokenizer};
pub(super) use transcode::{ConvertText, Transcoded, convert_utf16};
pub use xml::xml_decoder;
