//! Which calls are there? A file for each: `extractor` has the functions of the module, which are
//! also the methods of `Extractor`.

pub(crate) mod extract;
pub(crate) mod extractor;
pub(crate) mod find;
mod found;
pub(crate) mod indicators;
mod inputs;
pub(crate) mod links;
pub(crate) mod normalize;
pub(crate) mod open;
mod page_links;
mod pairs;
mod parse;
