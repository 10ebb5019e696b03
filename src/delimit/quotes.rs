//! Which typographic quotes are not closed. An opening quote may also be part of a URI,
//! so a text of opening quotes without a closing one would be walked to its end from
//! each of them. What one look-ahead has seen is kept for the next.

use super::read::{self, Unit, UnitReader};
use super::shape;
use super::start::{Opener, OpenerForm};

/// What the look-ahead for one closer has seen.
#[derive(Clone, Copy, Debug, Default)]
struct SeenQuotes {
    /// Between these raw offsets the run does not end, and the closer does not occur.
    from: usize,
    to: usize,
    what: What,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum What {
    /// Nothing is known beyond `to`.
    #[default]
    Nothing,
    /// The closer is at `to`.
    Closer,
    /// A unit that ends every run is at `to`.
    End,
}

const CLOSERS: [char; 4] = ['’', '”', '»', '“'];

/// What is known of each closer, raw and as a character reference.
#[derive(Clone, Debug, Default)]
pub(super) struct Unclosed {
    seen: [Option<SeenQuotes>; 2 * CLOSERS.len()],
}

impl Unclosed {
    pub(super) fn clear(&mut self) {
        self.seen = Default::default();
    }

    /// Returns whether the quote that `opener` opened before `start` is known not to be
    /// closed before the raw offset `longest`.
    pub(super) fn is_unclosed(
        &mut self,
        reader: &mut UnitReader,
        opener: Opener,
        start: usize,
        longest: usize,
    ) -> bool {
        let Some(kind) = CLOSERS.iter().position(|&c| c == opener.closer) else {
            return false;
        };
        let slot = &mut self.seen[2 * kind + usize::from(opener.form == OpenerForm::Reference)];
        let mut seen = match *slot {
            Some(seen) if (seen.from..=seen.to).contains(&start) => seen,
            _ => SeenQuotes {
                from: start,
                to: start,
                what: What::Nothing,
            },
        };
        while seen.what == What::Nothing && seen.to <= longest {
            // B2: a SICI may belong to the URI.
            if reader.byte(seen.to) == Some(b'<') {
                let (found, truncated) = shape::sici_len(&reader.text[seen.to..]);
                reader.touched_end |= truncated;
                if let Some(len) = found {
                    seen.to += len;
                    continue;
                }
            }
            let (unit, len) = reader.unit(seen.to);
            let goes_on = match unit {
                // The closer may come in more text; the reader has noted the end.
                Unit::End => break,
                Unit::Char { char, escaped } => {
                    if char == opener.closer && !escaped && opener.form == OpenerForm::Raw {
                        seen.what = What::Closer;
                    }
                    read::is_wrapped(char) && !(escaped && matches!(char, '"' | '<' | '>'))
                }
                Unit::Reference(char) => {
                    if char == opener.closer && opener.form == OpenerForm::Reference {
                        seen.what = What::Closer;
                    }
                    read::is_wrapped(char)
                }
                Unit::Amp | Unit::Invalid => true,
                Unit::Excluded | Unit::RegexDot | Unit::Unexplained => false,
            };
            if seen.what == What::Nothing {
                if goes_on {
                    seen.to += len;
                } else {
                    seen.what = What::End;
                }
            }
        }
        *slot = Some(seen);
        seen.what != What::Closer || seen.to > longest
    }
}
