//! What do the rules of extraction say, word for word? A slow and plain transcription
//! of them, the oracle of property tests and fuzzing (law L5): every candidate is
//! decoded byte by byte into vectors, read as often as a rule requires, and only plain
//! data is shared with the fast path. `unit` reads escapes, `start` finds candidates,
//! `delimit` (with `walk`, `wrapped`, `fold` and `bare`) finds their ends, `trim`,
//! `readings` and `check` validate the text by `grammar`, `plain` combines them, `nested`
//! has what is inside another URI.
//! `refer` reads references that a format delimits (F1). A candidate takes time in
//! proportion to its length, and candidates may overlap.

mod bare;
mod check;
mod delimit;
mod fold;
mod found;
mod grammar;
mod identifier;
mod nested;
mod options;
mod plain;
mod readings;
mod refang;
mod refer;
mod resolve;
mod start;
mod syslog;
mod trim;
mod unit;
mod walk;
mod wrapped;

pub use found::{Extraction, Found};
pub use options::{Hyphen, Options, Wrap};
pub use refer::{Reference, Referral, refer};

/// Extracts every URI from `input`.
pub fn extract(input: &[u8], options: &Options) -> Extraction {
    if options.refang {
        return refang::extract(input, options);
    }
    plain::extract(input, options)
}
