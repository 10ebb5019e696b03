//! Finds every URI and URN in text of any size and keeps one of each class of
//! equivalent URIs: the library behind the program `urisieve`.
//!
//! [`find`] returns the URIs of a text in memory, from left to right:
//!
//! ```
//! for found in urisieve::find("see <http://A.example/very/\n long> and urn:ISBN:0395363411.") {
//!     println!("{:?}: {}", found.range(), String::from_utf8_lossy(found.uri()));
//! }
//! ```
//!
//! A [`Match`] has the range, the spelling and the canonical form of one URI; a
//! [`Finder`] searches by other rules.
//!
//! A [`Sieve`] reads files, pipes, compressed and archived inputs with several threads,
//! and reports each URI once:
//!
//! ```
//! use urisieve::{Sieve, input::Source};
//!
//! let sources = [Source::Path("corpora/samples/mail.txt".into()), Source::Slice(b"urn:a-b:c")];
//! let mut found = Vec::new();
//! let stats = Sieve::builder().threads(2).build().for_each_in(sources, |finding| {
//!     found.push(String::from_utf8_lossy(finding.uri).into_owned());
//! })?;
//! assert_eq!(stats.distinct, found.len() as u64);
//! # Ok::<(), urisieve::Error>(())
//! ```
//!
//! [`SieveBuilder`] sets what is found, which URIs are equivalent
//! ([`Canonicalizer`](canonicalize::Canonicalizer), [`Level`](canonicalize::Level)) and what is
//! reported ([`Mode`]); a [`Sink`] receives the findings. The folder `examples` has small
//! programs to start from.
//!
//! # Features
//!
//! | feature | what it adds | default |
//! |---|---|---|
//! | `cli` | the program and its dependencies; users of the library turn it off | yes |
//! | `decompress` | gzip, Zstandard, xz, bzip2, LZ4, Brotli; without it compressed input is reported as a loss | yes |
//! | `walk` | the files below a directory: [`input`]`::Walk` | with `cli` |
//! | `output` | records as JSON, CSV or tables | with `cli` |
//! | `domain` | registered domains, by the public suffix list | with `cli` |
//! | `idn` | hosts in other scripts are equal to their A-labels at level `scheme` and in selections; without it they are compared as they are written | with `cli`, `domain`, `html`, `output` |
//! | `parquet` | tables for data warehouses | with `cli` |
//! | `json` | values inside JSON Lines | with `cli` |
//! | `html` | HTML, XML and feeds read as markup, in every encoding of the web; the URL Standard in addition to the RFCs | with `cli` |
//! | `store` | a limit of memory: what exceeds it is in a temporary file | with `cli` |
//! | `marc` | records of library catalogues: MARC, PICA+, MODS, Dublin Core | yes |
//! | `reference` | the rules, transcribed word by word and slow: the oracle of the tests | no |
//! | `failpoints` | the faults that tests inject | no |
//!
//! # A map
//!
//! Data flows one way, and no stage imports another:
//!
//! ```text
//! input -> unpack -> [records, blocks] -> decode -> scan -> delimit -> canonicalize -> dedup -> output
//!   `--------------------------- engine drives; nothing calls back --------------------------'
//! ```
//!
//! | module | the question it answers |
//! |---|---|
//! | [`syntax`] | what do the RFCs say? |
//! | `escape` | how do the surrounding formats spell a byte? |
//! | [`item`] | which values travel from stage to stage? |
//! | [`input`] | where do bytes come from, in which order? |
//! | `unpack` | which records does this stream hold? compression, web archives, tar |
//! | [`decode`] | which text, references and bodies does one record hold? |
//! | `scan` | where might a URI be? where may a text be cut? |
//! | [`delimit`] | where does this URI begin and end? |
//! | [`canonicalize`] | what is the canonical form of a URI? |
//! | [`dedup`] | was this URI seen before? |
//! | `store` | where are keys kept when memory is used up? |
//! | `output` | in which form is it written? (feature `output`) |
//! | `engine` | how do the stages work together? |
//! | `explain` | what is known about one URI? (features `html`, `json` and `output`) |
//! | `catalog` | which identifiers does a catalogue hold, and what is wrong with them? (feature `domain`) |
//! | `links` | which page links to which? (feature `html`) |
//! | `reference` | what do the rules say, word for word? (feature `reference`) |
//! | `cli` | flags, messages, exit codes; part of the program, not of the library |
//!
//! Rule numbers (S1, W4, B3 ...), laws (L1 ...) and sections are those of
//! `corpora/conformance/README.md` and of the RFCs.

#![deny(unsafe_code)]
#![warn(missing_debug_implementations)]

pub mod canonicalize;
#[cfg(feature = "domain")]
pub mod catalog;
pub mod decode;
pub mod dedup;
pub mod delimit;
mod engine;
#[doc(hidden)]
pub mod escape;
#[cfg(all(feature = "html", feature = "json", feature = "output"))]
pub mod explain;
pub mod input;
pub mod item;
#[cfg(feature = "html")]
pub mod links;
#[cfg(feature = "output")]
pub mod output;
#[cfg(feature = "reference")]
pub mod reference;
#[doc(hidden)]
pub mod scan;
#[doc(hidden)]
pub mod store;
pub mod syntax;
#[doc(hidden)]
pub mod unpack;

pub use engine::*;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
