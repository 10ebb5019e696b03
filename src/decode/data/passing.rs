//! Skips tokens of JSON in which no URI can be: the common ones of a sound text, without a step
//! of the decoder for each. It stops at every other token, which the decoder then takes.

use super::tokens::STRING_MAX;
use super::way::{JsonWay, OpenLevel};
use crate::syntax::masks::stops::Stops;
use crate::syntax::steps;

/// A longer number or literal is left to the decoder.
const WORD_MAX: usize = 32;

/// Skips the tokens of `bytes` from `at` on, which is in an object or an array and not at
/// the start of a line. Returns where the first other token begins. `after_value` says whether
/// the token before ended a value, or was a key.
pub(super) fn pass(
    way: &mut JsonWay,
    (bytes, at): (&[u8], usize),
    stops: &mut Stops,
    after_value: &mut bool,
) -> usize {
    let mut to = at;
    while let Some(level) = way.innermost() {
        let token;
        (to, token) = pass_in(level, (bytes, to), stops, after_value);
        match token {
            Some(open @ (b'{' | b'[')) => {
                way.enter(open == b'{', false);
                *after_value = false;
                to += 1;
            }
            Some(close) if way.depth() > 1 => {
                way.leave(close == b'}');
                *after_value = true;
                to += 1;
            }
            // The end of the whole value is the decoder's, and so is another token.
            _ => break,
        }
    }
    steps::count(to - at + 1);
    to
}

/// Skips the tokens of an object or array from `at` on. Returns where the first other one begins,
/// with its byte if it opens a value in it or closes it.
#[inline]
fn pass_in(
    level: &mut OpenLevel,
    (bytes, at): (&[u8], usize),
    stops: &mut Stops,
    after_value: &mut bool,
) -> (usize, Option<u8>) {
    let (mut to, mut after) = (at, *after_value);
    let mut token = None;
    while let Some(&byte) = bytes.get(to) {
        to += match byte {
            b'"' => {
                let Some(end) = end_of_plain(bytes, to, stops) else {
                    break;
                };
                if level.awaits_key() {
                    level.set_key(to + 1..end);
                }
                to = end + 1;
                after = true;
                // The usual tokens behind it.
                match bytes.get(to) {
                    Some(b':') => level.colon(),
                    Some(b',') => level.comma(),
                    _ => continue,
                }
                after = false;
                1
            }
            b',' => {
                level.comma();
                after = false;
                1
            }
            b':' => {
                level.colon();
                after = false;
                1
            }
            b'{' | b'[' => {
                token = Some(byte);
                break;
            }
            b'}' | b']' if level.is_object == (byte == b'}') => {
                token = Some(byte);
                break;
            }
            b' ' | b'\t' => 1,
            // An object or array that begins the line may be a new value.
            b'\n' if matches!(bytes.get(to + 1), Some(b' ' | b'\t' | b'"' | b'}' | b']')) => 1,
            b'0'..=b'9' | b'-' | b't' | b'f' | b'n' if !after && !level.awaits_key() => {
                let Some(len) = plain_word(&bytes[to..]) else {
                    break;
                };
                after = true;
                len
            }
            _ => break,
        };
    }
    *after_value = after;
    (to, token)
}

/// Returns the offset of the quotation mark that ends the string at `at`, if the string has no
/// URI; `None` also if its end is not there.
#[inline]
fn end_of_plain(bytes: &[u8], at: usize, stops: &mut Stops) -> Option<usize> {
    let end = stops.next(bytes, at + 1)?;
    match bytes[end] {
        b'"' => Some(end),
        b'\\' => end_of_escaped(bytes, (at, end), stops),
        _ => None,
    }
    .filter(|end| end - at <= STRING_MAX)
}

/// Does the same for a string with a backslash at `escape`.
fn end_of_escaped(bytes: &[u8], (at, escape): (usize, usize), stops: &mut Stops) -> Option<usize> {
    let mut end = escape;
    while bytes[end] == b'\\' && !matches!(bytes.get(end + 1)?, b'\r' | b'\n') {
        end = stops.next(bytes, end + 2)?;
    }
    // The byte before a colon may be written with other bytes, and so may the colon.
    let may_have_uris = memchr::memchr2(b':', b'3', &bytes[at + 1..end]).is_some();
    (bytes[end] == b'"' && !may_have_uris).then_some(end)
}

/// Returns the length of the number or literal at the start of `text`, if a separator follows.
fn plain_word(text: &[u8]) -> Option<usize> {
    let within = &text[..text.len().min(WORD_MAX)];
    let is_of_word =
        |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-');
    let len = within.iter().take_while(is_of_word).count();
    matches!(text.get(len)?, b',' | b'}' | b']' | b' ' | b'\n').then_some(len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::masks::stops::EveryColon;

    fn passed(way: &mut JsonWay, text: &[u8], at: usize) -> usize {
        let mut stops = Stops::new(&EveryColon);
        pass(way, (text, at), &mut stops, &mut false)
    }

    #[test]
    fn tokens_without_uris_are_passed() {
        for (text, wanted) in [
            ("{\"a\":1,\"b\":[true,-1.5e3, null],\"c\":{}}", 37),
            ("{\"a\":\"b:c\"}", 5),
            ("{\"a\":\"x : y\",\"b:\":1}", 13),
            ("{\"a\":\"b\\n\\\"\"}", 12),
            ("{\"a\":\"b\\n:\"}", 5),
            ("{\"a\":\"\\u003a\"}", 5),
            ("{\"a\":\"b\\\nc\"}", 5),
            ("{\"a\":'b'}", 5),
            ("{\"a\":1 2}", 7),
            ("{\"a\":1:2}", 5),
            ("{a:1}", 1),
            ("{\"a\"]", 4),
            ("{\"a\":1\n}", 7),
            ("{\"a\":\n\t1\n{}", 8),
            ("{\"a", 1),
            ("{\"a\":12", 5),
        ] {
            let mut way = JsonWay::default();
            way.enter(true, false);
            let to = passed(&mut way, text.as_bytes(), 1);
            assert_eq!(to, wanted, "{text}");
        }
        for (len, colon, is_passed) in [
            (31, 0, true),
            (100, 60, false),
            (STRING_MAX - 1, 0, true),
            (STRING_MAX, 0, false),
        ] {
            let mut text = format!("\"{}\",", "x".repeat(len)).into_bytes();
            if colon > 0 {
                text[colon] = b':';
            }
            let mut way = JsonWay::default();
            way.enter(false, false);
            assert_eq!(passed(&mut way, &text, 0) > 0, is_passed, "{len}");
        }
    }
}
