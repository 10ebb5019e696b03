//! Typographic quotes that are not closed. An opening quote may also be part of a URI,
//! so a text of opening quotes without a closing one would be walked to its end from
//! each of them. The result of one look-ahead is kept for the next.

use super::read::{self, Unit, UnitReader};
use super::shape;
use super::start::{Opener, OpenerForm};

/// The state of the look-ahead for one closer.
#[derive(Clone, Copy, Debug, Default)]
struct SeenQuotes {
    /// Between these raw offsets the run does not end, and the closer does not occur.
    from: usize,
    to: usize,
    what: What,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum What {
    /// The text beyond `to` is unknown.
    #[default]
    Nothing,
    /// The closer is at `to`.
    Closer,
    /// A unit that ends every run is at `to`.
    End,
}

const CLOSERS: [char; 4] = ['’', '”', '»', '“'];

/// The state of each closer, raw and as a character reference.
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
        let touched_end = std::mem::take(&mut reader.touched_end);
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
            if reader.touched_end {
                // More text is needed to know this quote.
                break;
            }
            let goes_on = match unit {
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
                Unit::Excluded | Unit::RegexDot | Unit::Unexplained | Unit::End => false,
            };
            if seen.what == What::Nothing {
                if goes_on {
                    seen.to += len;
                } else {
                    seen.what = What::End;
                }
            }
        }
        reader.touched_end |= touched_end;
        *slot = Some(seen);
        seen.what != What::Closer || seen.to > longest
    }
}

#[cfg(test)]
mod tests {
    use crate::delimit::{Config, Delimiter, Outcome};
    use crate::item::{Segment, Wrapper};

    /// A text may end in the middle of a closer, or of an escape. The result for such a
    /// text is not kept for the retry with more text.
    #[test]
    fn a_closer_is_seen_wherever_the_text_ended_before() {
        for text in [
            "\u{201c}http://a/b\u{201d} c",
            "\u{201e}http://a/b\u{201c} c",
            "\u{201c}http://a/<1:2>\u{201d} c",
            "\u{201c}http://a/\\u0041\u{201d} c",
            "&ldquo;http://a/&amp;\u{201d}&rdquo; c",
        ] {
            let whole = Segment::whole(text.as_bytes());
            let colon = text.find(':').unwrap();
            for len in colon + 1..text.len() {
                let mut delimiter = Delimiter::new(Config::default());
                let part = Segment {
                    text: &whole.text[..len],
                    last: false,
                    ..whole
                };
                if delimiter.delimit(&part, colon, 0) == Outcome::Undecided {
                    delimiter.delimit(&whole, colon, 0);
                    let found = delimiter.found(&whole).next().unwrap();
                    assert_eq!(found.marks.wrapper, Wrapper::Quote, "{text} {len}");
                }
            }
        }
    }
}
