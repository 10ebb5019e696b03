//! Text in an extension of ASCII or in UTF-16, as its beginning decides. UTF-16 ends before a
//! line in ASCII.

use super::event::{Decode, Event, Output};
use super::utf16::{Beginning, Utf16Decoder};

/// Decodes text.
#[derive(Debug, Default)]
pub(super) struct TextDecoder {
    place: Phase,
}

#[derive(Debug, Default)]
enum Phase {
    /// Before its first byte.
    #[default]
    Start,
    /// In text that extends ASCII.
    Raw,
    Utf16(Utf16Decoder),
}

/// Returns the decoder of text.
///
/// ```
/// use urisieve::decode::{Output, text_decoder};
/// let mut out = Output::default();
/// text_decoder().push(b"\xFF\xFEa\0", true, &mut out);
/// assert_eq!(out.text, b"a");
/// ```
pub fn text_decoder() -> Box<dyn Decode> {
    Box::new(TextDecoder::default())
}

impl Decode for TextDecoder {
    fn has_lines(&self) -> bool {
        true
    }

    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let mut rest = bytes;
        let mut read = 0;
        if let Phase::Start = self.place {
            let Some(beginning) = Beginning::of(bytes, last, false) else {
                return 0;
            };
            if bytes.is_empty() {
                return 0;
            }
            if beginning.mark > 0 {
                out.events.push(Event::Skipped(beginning.mark));
            }
            read = beginning.mark;
            rest = &bytes[read..];
            self.place = beginning.decoder().map_or(Phase::Raw, Phase::Utf16);
        }
        if let Phase::Utf16(decoder) = &mut self.place {
            let had = out.text.len();
            let (len, ends) = decoder.decode_lines(rest, last, &mut out.text);
            if last && !ends {
                decoder.finish(&mut out.text);
            }
            out.events.push(Event::Decoded {
                raw: len,
                len: out.text.len() - had,
                encoding: decoder.encoding(),
            });
            read += len;
            rest = &rest[len..];
            if !ends {
                return read;
            }
            // The text ends, too.
            out.events.push(Event::Skipped(0));
            self.place = Phase::Raw;
        }
        if !rest.is_empty() {
            out.events.push(Event::Text(rest.len()));
        }
        read + rest.len()
    }
}

#[cfg(test)]
mod tests {
    use super::super::in_pieces::push_in_pieces;
    use super::*;
    use proptest::prelude::*;

    /// Returns the text of `bytes`, pushed in pieces of these sizes, and the number of
    /// bytes that are not text.
    fn text(bytes: &[u8], sizes: &[usize]) -> (Vec<u8>, usize) {
        let mut decoder = TextDecoder::default();
        let (mut text, mut skipped) = (Vec::new(), 0);
        push_in_pieces(&mut decoder, bytes, sizes, |pushed| match pushed.event {
            Event::Skipped(len) => skipped += len,
            Event::Text(_) | Event::Decoded { .. } => text.extend_from_slice(pushed.text),
            other => panic!("{other:?}"),
        });
        (text, skipped)
    }

    proptest! {
        #[test]
        fn pieces_change_nothing(
            words in "[a-z\u{e9}\u{1F600}:/\n ]{0,60}",
            form in 0..4,
            sizes in prop::collection::vec(1usize..9, 1..20),
        ) {
            let utf16 = |order: fn(u16) -> [u8; 2], mark: bool| {
                let mark = mark.then_some(0xFEFF);
                mark.into_iter().chain(words.encode_utf16()).flat_map(order).collect::<Vec<u8>>()
            };
            let (bytes, mark) = match form {
                0 => (words.clone().into_bytes(), 0),
                1 => ([b"\xEF\xBB\xBF", words.as_bytes()].concat(), 3),
                2 => (utf16(u16::to_le_bytes, true), 2),
                _ => (utf16(u16::to_be_bytes, true), 2),
            };
            let (decoded, skipped) = text(&bytes, &sizes);
            prop_assert_eq!(&decoded, words.as_bytes());
            prop_assert_eq!(skipped, mark);
        }
    }
}
