//! What do the rules of extraction say, word for word? A slow and plain
//! transcription of them, the oracle of property tests and fuzzing (law L5):
//! every candidate is decoded byte by byte into vectors, looked at as often as a
//! rule asks, and nothing is shared with the fast path but plain data and the
//! grammar. `unit` reads escapes, `start` finds candidates, `delimit` (with `walk`,
//! `wrapped`, `fold` and `bare`) finds their ends, `trim`, `readings` and `check`
//! judge the text, `plain` puts them together. It is slow: a candidate costs time in
//! its length, and candidates may overlap.

mod bare;
mod check;
mod delimit;
mod fold;
mod found;
mod options;
mod plain;
mod readings;
mod refang;
mod start;
#[cfg(test)]
mod tests;
mod trim;
mod unit;
mod walk;
mod wrapped;

pub use found::{Extraction, Found};
pub use options::{Hyphen, Options, Wrap};

/// Extracts every URI from `input`.
pub fn extract(input: &[u8], options: &Options) -> Extraction {
    if options.refang {
        return refang::extract(input, options);
    }
    plain::extract(input, options)
}
