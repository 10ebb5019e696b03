//! Markup: HTML, XML, sitemaps and feeds, and the formats that lie in their attributes and
//! elements. A tokenizer finds tags and text, one file for each format finds references;
//! nothing builds a tree. Resolving is left to the engine.

mod charset;
mod convert;
mod document;
mod iso_2022_jp;
mod map_writer;
mod nested;
mod prescan;
#[allow(dead_code, unused_imports)] // What no decoder uses yet serves the next one.
mod tokens;
mod transcode;
