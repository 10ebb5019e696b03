//! Markup: HTML, XML, sitemaps and feeds, and the formats that lie in their attributes and
//! elements. A tokenizer finds tags and text, one file for each format finds references;
//! nothing builds a tree. Resolving is left to the engine.

#[cfg_attr(not(test), expect(dead_code))]
mod css;
#[cfg_attr(not(test), expect(dead_code))]
mod json_ld;
#[cfg_attr(not(test), expect(dead_code))]
mod lists;
#[cfg_attr(not(test), expect(dead_code))]
mod metas;
#[cfg_attr(not(test), expect(dead_code))]
mod onclick;
#[cfg_attr(not(test), expect(dead_code))]
mod srcset;
mod charset;
mod convert;
mod document;
mod iso_2022_jp;
mod map_writer;
mod nested;
mod prescan;
mod transcode;
