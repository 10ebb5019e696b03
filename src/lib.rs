//! Finds every URI and URN in a mountain of text and keeps each equivalence class
//! once: the library behind the program `urisieve`.
//!
//! Start with [`engine::Sieve`], or take a stage alone: each one takes slices
//! and fills buffers that the caller owns.
//!
//! ```
//! use urisieve::engine::Sieve;
//! use urisieve::item::Finding;
//!
//! let mail = b"> see <http://A.example/very/\n> long> and urn:ISBN:0395363411.";
//! let mut found = Vec::new();
//! Sieve::builder().build().slice(mail, &mut |finding: &Finding<'_>| {
//!     found.push(String::from_utf8_lossy(finding.uri).into_owned());
//! })?;
//! assert_eq!(found, ["http://a.example/very/long", "urn:isbn:0395363411"]);
//! # Ok::<(), urisieve::engine::Error>(())
//! ```
//!
//! # A map
//!
//! Data flows one way, and a stage never imports a stage:
//!
//! ```text
//! input -> unpack -> [records, blocks] -> decode -> scan -> delimit -> canonicalize -> dedup -> output
//!   `--------------------------- engine drives; nothing calls back --------------------------'
//! ```
//!
//! | module | the question it answers |
//! |---|---|
//! | [`syntax`] | what do the RFCs say? |
//! | [`escape`] | how do the surrounding formats spell a byte? |
//! | [`item`] | which values travel? |
//! | [`input`] | where do bytes come from, in which order? |
//! | [`unpack`] | which records lie in this stream? compression, web archives, tar |
//! | [`decode`] | which text, references and bodies does one record hold? |
//! | [`scan`] | where might a URI be? where may a text be cut? |
//! | [`delimit`] | where does this URI begin and end? |
//! | [`canonicalize`] | which spelling stands for all equal ones? |
//! | [`dedup`] | have we seen it? |
//! | [`output`] | how is it told? |
//! | [`engine`] | how do the stages meet? |
//! | `explain` | what is to be said of one URI? (feature `explain`) |
//! | `reference` | what do the rules say, word for word? (feature `reference`) |
//! | `cli` | flags, messages, exit codes; part of the program, not of the library |
//!
//! Rule numbers (S1, W4, B3 ...), laws (L1 ...) and sections are those of
//! `corpora/conformance/README.md` and of the RFCs.

#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod canonicalize;
pub mod decode;
pub mod dedup;
pub mod delimit;
pub mod engine;
pub mod escape;
#[cfg(feature = "explain")]
pub mod explain;
pub mod input;
pub mod item;
pub mod output;
#[cfg(feature = "reference")]
pub mod reference;
pub mod scan;
pub mod syntax;
pub mod unpack;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
