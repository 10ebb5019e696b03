//! Markup: HTML, XML, sitemaps and feeds, and the formats that lie in their attributes and
//! elements. A tokenizer finds tags and text, one file for each format finds references;
//! nothing builds a tree. Resolving is left to the engine.

mod charset;
mod convert;
#[cfg_attr(not(test), expect(dead_code))]
mod css;
mod document;
mod iso_2022_jp;
#[cfg_attr(not(test), expect(dead_code))]
mod json_ld;
#[cfg_attr(not(test), expect(dead_code))]
mod lists;
mod map_writer;
pub(super) mod metas;
mod nested;
#[cfg_attr(not(test), expect(dead_code))]
mod onclick;
mod prescan;
#[cfg_attr(not(test), expect(dead_code))]
mod srcset;
#[allow(dead_code, unused_imports)] // What no decoder uses yet serves the next one.
mod tokens;
mod transcode;
