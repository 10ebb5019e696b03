//! Finds every URI and URN in text of any size and keeps one of each class of
//! equivalent URIs: the library behind the program `urisieve`. Its users turn off what only the
//! program needs (`urisieve = { version = "0.2", default-features = false }`).
//!
//! [`find`] returns the URIs of a text in memory, from left to right, with their ranges:
//!
//! ```
//! let text = "see <http://A.example/very/\n long> and urn:ISBN:0395363411.";
//! let found: Vec<_> = urisieve::find(text).collect();
//! assert_eq!(found[0].range(), 5..33);
//! assert_eq!(found[0].uri_str(), Some("http://A.example/very/long"));
//! assert_eq!(found[1].uri_str(), Some("urn:ISBN:0395363411"));
//! ```
//!
//! A [`Finder`] searches many texts, by rules that the caller chooses. It keeps what it has
//! built, so that a short text costs little more than a pass over its bytes:
//!
//! ```
//! use urisieve::{Finder, canonicalize::Level};
//! let finder = Finder::builder().schemes(["http", "https"]).abbreviated(true).build();
//! for message in ["nothing here", "try www.a.example.", "or HTTPS://B.example/c"] {
//!     for found in finder.find(message) {
//!         println!("{:?}: {}", found.range(), String::from_utf8_lossy(&found.canonical(Level::Lexical)));
//!     }
//! }
//! # assert_eq!(finder.find("try www.a.example.").next().unwrap().uri(), b"http://www.a.example");
//! ```
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
//! A [`Builder`] sets what is found, which URIs are equivalent
//! ([`Canonicalizer`](canonicalize::Canonicalizer), [`Level`](canonicalize::Level)) and what is
//! reported ([`Mode`]). The folder `examples` has small programs to start from.
//!
//! # Which call for what
//!
//! | you have | you want | call |
//! |---|---|---|
//! | a text | its URIs and their ranges | [`find`], [`Finder::find`] |
//! | a text | its URIs and the text between them, in turn | [`Finder::spans`] |
//! | lines in one buffer, the rows of a column | every occurrence, by the settings of a sieve: canonical forms, without secrets | [`Sieve::text_search`] |
//! | a large text | each URI once, or counted; the closure may end it | [`Sieve::for_each`] |
//! | files, pipes, archives, many texts | the same | [`Sieve::for_each_in`] |
//! | the same | a loop over findings that are kept | [`Sieve::findings`] |
//! | the same | losses, errors, the groups of equal spellings, too | [`Sieve::run`] with a [`Sink`]; [`run_here`](Sieve::run_here) with one that is not `Send` |
//! | one URI after the other | whether it is new | [`Seen`] |
//! | a URI | its canonical form; whether it equals another one | [`Canonicalizer::canonical`](canonicalize::Canonicalizer::canonical), [`equal`](canonicalize::Canonicalizer::equal) |
//! | a URI | its parts | [`Parts`](syntax::Parts) |
//! | a string | whether it is a URI, and what is wrong with it | [`is_uri`], [`is_strict_uri`], [`problems_of`]; [`validate`](syntax::validate()) by the grammar alone |
//! | a reference and its base | the URI that it means | [`target`](syntax::resolve::target), [`resolve`](syntax::resolve::resolve()) |
//! | a URI, and lists of hosts, addresses, URIs | which entries match it | [`Matcher`] |
//! | a URI, a line with some, a whole text | the same without passwords and tokens, or with other URIs | [`Redactor`](canonicalize::Redactor), [`Sieve::rewriter`] |
//!
//! # What it costs
//!
//! A text without a URI costs one pass over its bytes and no allocation, whatever the rules: a
//! line of a log takes less than 0.1 µs, one with two URIs 0.2 to 0.5 µs. A URI that is written as
//! it is costs no allocation either; a [`Match`] copies others, such as a URI over two lines. The
//! first search of a [`Finder`] builds its stages, a [`Sieve`] those of each run: keep a finder.
//!
//! # What is a URI here
//!
//! Every scheme counts before `//`, so `JaVaScRiPt://x` is a URI. A page that shows links to
//! others should name the schemes that it takes ([`schemes`](Builder::schemes)). Bytes above 0x7F are
//! part of a URI as in IRIs (RFC 3987): `/ü` and `/%C3%BC` are both found, and are equal at
//! level [`Syntax`](canonicalize::Level::Syntax) and above, not at the default
//! [`Lexical`](canonicalize::Level::Lexical). Without a scheme only what is asked for is found:
//! `www.a.example` by [`abbreviated`](Builder::abbreviated), addresses of mail and numbers of books
//! by [`bare`](Builder::bare), `hxxp://a[.]example` by [`refang`](Builder::refang).
//!
//! Codes such as W4 name the rules of finding, whose cases are in `corpora/conformance`:
//!
//! | code | the rule is about |
//! |---|---|
//! | S1 to S7 | the start: schemes, opaque schemes (S3), the bytes before a scheme (S4), `URL:` (S5), URIs in URIs (S6), `www.` without a scheme (S7) |
//! | W1 to W8 | wrappers: quotes, brackets, URIs over several lines (W4), the hyphen before a line break (W6), ends of lines (W7) |
//! | B1 to B9 | the end: punctuation and brackets (B3), character references (B4), escapes (B5), percent-encoding (B6), the greatest length (B7), hosts and ports (B8) |
//! | R1 | defanged URIs: `hxxp`, `[.]` |
//! | F1 | references that a format delimits, such as those in attributes and header fields |
//! | G1 to G15 | requests in the lines of logs |
//! | I1 to I29 | indicators: hosts that are selected, secrets, marks of defanging, encoded URIs in URIs (I13), texts that are rewritten |
//!
//! # Features
//!
//! | feature | what it adds | crates | default |
//! |---|---|---|---|
//! | `cli` | the program and its dependencies; users of the library turn it off | 133 | yes |
//! | `decompress` | gzip, Zstandard, xz, bzip2, LZ4, Brotli; without it compressed input is reported as a loss | 29 | yes |
//! | `walk` | the files below a directory: [`input`]`::Walk` | 26 | with `cli` |
//! | `output` | records as JSON, CSV or tables | 46 | with `cli` |
//! | `domain` | registered domains, by the public suffix list; addresses of mail end with a domain of the list, or without it with any letters | 44 | with `cli` |
//! | `idn` | hosts in other scripts are equal to their A-labels at level `scheme` and in selections; without it they are compared as they are written | 44 | with `cli`, `domain`, `html`, `output` |
//! | `patterns` | regular expressions in lists of indicators: [`Matcher`] | 18 | with `cli` |
//! | `parquet` | tables of Apache Parquet, read and written | 71 | with `cli` |
//! | `xlsx` | tables for spreadsheets | 48 | with `cli` |
//! | `rayon` | workers as a pool of rayon; otherwise threads of the standard library | 20 | with `cli` |
//! | `json` | values inside JSON Lines | 22 | with `cli` |
//! | `html` | HTML, XML and feeds read as markup, in every encoding of the web; the URL Standard in addition to the RFCs | 53 | with `cli` |
//! | `store` | a limit of memory: what exceeds it is in a temporary file; stores of seen keys | 19 | with `cli` |
//! | `marc` | records of library catalogues: MARC, PICA+, MODS, Dublin Core | 63 | yes |
//! | `reference` | the rules, transcribed word by word and slow: the oracle of the tests | 14 | no |
//! | `failpoints` | the faults that tests inject | 14 | no |
//!
//! Crates are counted with the library, for each feature alone; without any there are 14.
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
//! | `indicators` | which URIs do lists of indicators match? |
//! | `explain` | what is known about one URI? (features `html`, `json` and `output`) |
//! | `catalog` | which identifiers does a catalogue hold, and what is wrong with them? (feature `domain`) |
//! | `links` | which page links to which? (feature `html`) |
//! | `reference` | what do the rules say, word for word? (feature `reference`) |
//! | `cli` | flags, messages, exit codes; part of the program, not of the library |
//!
//! Rule numbers, laws (L1 ...) and sections: `corpora/conformance/README.md` and the RFCs.

#![deny(unsafe_code)]
#![cfg_attr(docsrs, feature(doc_cfg))]
#![warn(missing_debug_implementations)]

#[cfg(test)]
#[path = "../tests/kit/thorough.rs"]
mod thorough;

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
mod indicators;
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
pub use indicators::{
    BadEntry, INDICATOR_FORMS, ListCounts, Matcher, MatcherBuilder, is_list_comment,
};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
#[doc = include_str!("../docs/rust.md")]
struct Documents;
