//! Finds every URI and URN in text, however large, and keeps each class of equal ones
//! once: the library behind the program `urisieve`.
//!
//! What is found in a text in memory, from left to right:
//!
//! ```
//! for found in urisieve::find("see <http://A.example/very/\n long> and urn:ISBN:0395363411.") {
//!     println!("{:?}: {}", found.range(), String::from_utf8_lossy(found.uri()));
//! }
//! ```
//!
//! [`Match`] says where it stands, how it is written and what it is equal to; [`Finder`]
//! has other rules.
//!
//! Of files, pipes, compressed and archived inputs, with several threads, each URI once:
//!
//! ```
//! use urisieve::{Sieve, Source};
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
//! [`SieveBuilder`] says what is found, what is equal ([`Canonicalizer`], [`Level`]) and what
//! is reported ([`Mode`]); a [`Sink`] takes it. The folder `examples` has programs to begin with.
//!
//! # Features
//!
//! | feature | what it adds | default |
//! |---|---|---|
//! | `cli` | the program, with all it needs; a library user turns it off | yes |
//! | `gzip`, `zstd`, `xz`, `bzip2`, `lz4`, `brotli` | what is unpacked; a format that is left out is named as a loss | yes |
//! | `walk` | the files below a directory: [`input`]`::Walk` | with `cli` |
//! | `output` | the forms of records: JSON, CSV, tables | with `cli` |
//! | `domain` | registered domains, by the public suffix list | with `cli` |
//! | `parquet` | tables for data warehouses | with `cli` |
//! | `json` | values inside JSON Lines | with `cli` |
//! | `whatwg` | the URL Standard beside the RFCs | with `cli` |
//! | `explain` | all that is to be said of one URI | with `cli` |
//! | `reference` | the slow transcription of the rules: an oracle for tests | no |
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
//! | `output` | in which form is it written? (feature `output`) |
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
#[cfg(feature = "output")]
pub mod output;
#[cfg(feature = "reference")]
pub mod reference;
pub mod scan;
pub mod syntax;
pub mod unpack;

pub use canonicalize::{Canonicalizer, Level, Redactor};
pub use engine::{
    CountBy, Error, ErrorKind, Finder, Findings, Match, Matches, Mode, Progress, ReadAs, Sequence,
    Sieve, SieveBuilder, Sink, Stats, find,
};
pub use input::Source;
pub use item::{Context, Finding, Loss, LossKind, Problem, Problems, Wrapper};
pub use syntax::Kind;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
