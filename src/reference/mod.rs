//! What do the rules of extraction say, word for word? A slow and plain
//! transcription of them, the oracle of property tests and fuzzing (law L5):
//! every candidate is decoded byte by byte into vectors, looked at as often as a
//! rule asks, and nothing is shared with the fast path but plain data. `unit` reads
//! escapes, `start` finds candidates, `delimit` (with `walk`, `wrapped`, `fold` and
//! `bare`) finds their ends, `trim`, `readings` and `check` judge the text by
//! `grammar`, `plain` puts them together. `refer` reads what its format delimits
//! (F1). It is slow: a candidate costs time in its length, and candidates may overlap.

mod bare;
mod check;
mod delimit;
mod fold;
mod found;
mod grammar;
mod options;
mod plain;
mod readings;
mod refang;
mod refer;
mod resolve;
mod start;
#[cfg(test)]
mod tests;
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
