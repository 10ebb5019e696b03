//! The decoder of catalogues of messages of gettext (S1): the strings behind a keyword, one on
//! each line, are one text; lines that begin with `#`, and all others, are text.

use super::values::{Undo, may_have_uris, write_text, write_value};
use super::wide::WideDecoder;
use crate::decode::content_reading::ContentReading;
use crate::decode::event::{Decode, Output};
use crate::decode::json::escape;
use crate::decode::mentions::Mentions;
use crate::item::{Encoding, OffsetMap};
use std::ops::Range;

/// The longest message. The lines behind it are a text of their own.
const MESSAGE_MAX: usize = 1 << 20;

/// Returns the decoder of a catalogue of messages.
pub(in crate::decode) fn po_decoder(reading: &ContentReading) -> Box<dyn Decode> {
    Box::new(WideDecoder::new(PoDecoder {
        mentions: reading.mentions,
        known: 0,
        in_line: false,
    }))
}

#[derive(Debug)]
struct PoDecoder {
    mentions: Mentions,
    /// The number of bytes of the next message whose lines are known to belong to it.
    known: usize,
    /// The last bytes are a line of text whose end is not there.
    in_line: bool,
}

impl Decode for PoDecoder {
    fn push(&mut self, bytes: &[u8], last: bool, out: &mut Output) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            let Some(len) = self.lines(&bytes[at..], last, out) else {
                break;
            };
            at += len;
        }
        at
    }
}

impl PoDecoder {
    /// Reads a message, or a line of text; `None` while more bytes are needed.
    fn lines(&mut self, rest: &[u8], last: bool, out: &mut Output) -> Option<usize> {
        if self.in_line {
            return Some(self.text(rest, out));
        }
        let mut len = self.known;
        loop {
            let line = match memchr::memchr(b'\n', &rest[len..]) {
                Some(end) => &rest[len..len + end + 1],
                None if last => &rest[len..],
                None if rest.len() > MESSAGE_MAX => break,
                None => {
                    self.known = len;
                    return None;
                }
            };
            let is_first = len == 0;
            let is_longer = len + line.len() > MESSAGE_MAX;
            if line.is_empty() || is_longer || string_in(line, is_first).is_none() {
                break;
            }
            len += line.len();
        }
        self.known = 0;
        if len == 0 {
            return Some(self.text(rest, out));
        }
        let message = &rest[..len];
        // The quotation mark of the last line is its last byte but blanks.
        let end = message.trim_ascii_end().len() - 1;
        match string_in(message, true) {
            Some(first) if may_have_uris(self.mentions, message, true) => {
                out.skip(first.start);
                write_value(&message[first.start..end], Some(join as Undo), |_| {}, out);
                out.skip(len - end);
            }
            _ => out.skip(len),
        }
        Some(len)
    }

    /// Reads the rest of a line that is text; returns its length.
    fn text(&mut self, rest: &[u8], out: &mut Output) -> usize {
        let end = memchr::memchr(b'\n', rest);
        self.in_line = end.is_none();
        let len = end.map_or(rest.len(), |end| end + 1);
        write_text(len, self.mentions != Mentions::None, out);
        len
    }
}

/// Returns the inside of the string at the end of a line, behind a keyword if the line is the
/// `first` one of a message.
fn string_in(line: &[u8], first: bool) -> Option<Range<usize>> {
    let blanks = line.len() - line.trim_ascii_start().len();
    let text = &line[blanks..];
    let keyword = match first {
        true => keyword_len(text).unwrap_or_default(),
        false => 0,
    };
    let quote = blanks + keyword;
    let inside = line[quote..].strip_prefix(b"\"")?;
    let mut at = 0;
    loop {
        at += memchr::memchr3(b'"', b'\\', b'\n', &inside[at..])?;
        match inside[at] {
            b'\\' => at += 2,
            b'"' => break,
            _ => return None,
        }
        if at > inside.len() {
            return None;
        }
    }
    let after = &inside[at + 1..];
    let line_end = memchr::memchr(b'\n', after).unwrap_or(after.len());
    let is_alone = after[..line_end].trim_ascii().is_empty();
    is_alone.then_some(quote + 1..quote + 1 + at)
}

/// Returns the length of a keyword with the blanks behind it.
fn keyword_len(text: &[u8]) -> Option<usize> {
    const KEYWORDS: [&[u8]; 4] = [b"msgid_plural", b"msgctxt", b"msgstr", b"msgid"];
    let keyword = KEYWORDS.iter().find(|keyword| text.starts_with(keyword))?;
    let mut rest = &text[keyword.len()..];
    if let Some(number) = rest.strip_prefix(b"[") {
        let digits = number
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        rest = number[digits..].strip_prefix(b"]")?;
    }
    let rest = rest.trim_ascii_start();
    rest.starts_with(b"\"").then_some(text.len() - rest.len())
}

/// Appends the text of strings that follow each other, from the inside of the first to that of
/// the last, without the quotation marks and line breaks between them.
fn join(raw: &[u8], out: &mut Vec<u8>, map: &mut OffsetMap) {
    let from = out.len();
    let mut at = 0;
    while let Some(found) = memchr::memchr2(b'\\', b'"', &raw[at..]) {
        out.extend_from_slice(&raw[at..at + found]);
        at += found;
        let place = out.len() - from;
        if raw[at] == b'"' {
            let next = memchr::memchr(b'"', &raw[at + 1..]);
            at = next.map_or(raw.len(), |next| at + next + 2);
            map.push(place, at as u64, Encoding::Raw);
            continue;
        }
        let Some((char, len)) = escape(&raw[at..]) else {
            out.push(b'\\');
            at += 1;
            continue;
        };
        let mut utf8 = [0; 4];
        let utf8 = char.encode_utf8(&mut utf8).as_bytes();
        map.push_unit(place, at as u64, utf8.len() as u32, len as u32);
        out.extend_from_slice(utf8);
        at += len;
    }
    out.extend_from_slice(&raw[at..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::data::shown;
    use crate::decode::event::Event;
    use proptest::prelude::*;

    /// The messages of `text` in brackets, and the texts between them in parentheses.
    fn shown(text: &str, sizes: &[usize]) -> String {
        let mut decoder = po_decoder(&ContentReading::default());
        shown::shown(&mut *decoder, text, sizes, |pushed, text| {
            match pushed.event {
                Event::Value(_) => {
                    if let Some(map) = pushed.map {
                        let end = map.places(pushed.text).raw(pushed.text.len());
                        assert_eq!(end, pushed.raw.len() as u64);
                    }
                    format!("[{text}]")
                }
                Event::Skipped(_) => String::new(),
                other => panic!("{other:?}"),
            }
        })
    }

    #[test]
    fn strings_of_a_message_are_one_text() {
        for (text, wanted) in [
            ("", ""),
            (
                "msgid \"\"\n\"a:\"\n\"b\\n\"\nmsgstr[1] \"c:\"",
                "[a:b\n][c:]",
            ),
            (
                "# a\n#~ b\n\nmsgid \"c\"\n\"d:\" \r\n",
                "(# a\n#~ b\n\n)[cd:]",
            ),
            ("msgid \"http\"\n\"://a\"\n", "[http://a]"),
            ("msgctxt \"a:\"\nmsgid \"b:\"\n", "[a:][b:]"),
            ("  \"a:\\\"\"\n\t\"b\\\\\"\n", "[a:\"b\\]"),
            (
                "msgid \"a:\nmsgids \"b\"\nmsgid \"c:\"d\n",
                "(msgid \"a:\nmsgids \"b\"\nmsgid \"c:\"d\n)",
            ),
        ] {
            for size in [1, 2, 5, 100] {
                assert_eq!(shown(text, &[size]), wanted, "{text:?} by {size}");
            }
        }
    }

    #[test]
    fn long_messages_are_divided() {
        let line = format!("\"{}:\"\n", "x".repeat(100_000));
        let text = format!("msgid \"\"\n{}", line.repeat(12));
        let whole = shown(&text, &[text.len()]);
        assert_eq!(whole.matches('[').count(), 2);
        assert!(shown(&text, &[70_000]) == whole);
        let long = format!("msgid \"{}:\"\n", "x".repeat(MESSAGE_MAX));
        assert!(shown(&long, &[70_000]).starts_with("(msgid"));
    }

    proptest! {
        #[test]
        fn pieces_change_nothing(
            parts in prop::collection::vec(prop::sample::select(vec![
                "msgid ", "msgstr[0] ", "\"", "a:", "\\", "\n", "\r\n", " ", "#", "\"b:\"\n",
            ]), 0..30),
            sizes in prop::collection::vec(1usize..9, 1..20),
        ) {
            let text = parts.concat();
            prop_assert_eq!(shown(&text, &sizes), shown(&text, &[text.len().max(1)]));
        }
    }
}
