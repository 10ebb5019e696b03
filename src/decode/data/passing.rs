//! Skips tokens of JSON in which no URI can be: the common ones of a sound text, without a step
//! of the decoder for each. It stops at every other token, which the decoder then takes.

use super::way::JsonWay;
use crate::syntax::class::SCHEME;
use crate::syntax::steps;

/// The bytes of a string that are looked at one by one: most strings are shorter.
const SHORT: usize = 32;

/// A longer string, number or literal is left to the decoder.
const LONG: usize = 4 << 10;

/// Bytes that end a string or a stretch of it.
const INSIDE: [bool; 256] = {
    let mut inside = [true; 256];
    inside[b'"' as usize] = false;
    inside[b'\\' as usize] = false;
    inside[b'\n' as usize] = false;
    inside[b':' as usize] = false;
    inside
};

/// Skips the tokens of `bytes` from `at` on, which is in an object or an array and not at
/// the start of a line. Returns where the first other token begins. `after_value` says whether
/// the token before ended a value, or was a key.
pub(super) fn pass(way: &mut JsonWay, bytes: &[u8], at: usize, after_value: &mut bool) -> usize {
    let mut to = at;
    while let Some(&byte) = bytes.get(to) {
        to += match byte {
            b'"' => {
                let Some(len) = plain_string(&bytes[to..]) else {
                    break;
                };
                if way.awaits_key() {
                    way.set_key(to + 1..to + len - 1);
                }
                *after_value = true;
                len
            }
            b',' => {
                way.comma();
                *after_value = false;
                1
            }
            b':' => {
                way.colon();
                *after_value = false;
                1
            }
            b'{' | b'[' => {
                way.enter(byte == b'{', false);
                *after_value = false;
                if way.is_deep() {
                    to += 1;
                    break;
                }
                1
            }
            // The end of the whole value is the decoder's.
            b'}' | b']' if way.depth() > 1 && way.is_in_object() == (byte == b'}') => {
                way.leave(byte == b'}');
                *after_value = true;
                1
            }
            b' ' => 1,
            b'0'..=b'9' | b'-' | b't' | b'f' | b'n' if !*after_value && !way.awaits_key() => {
                let Some(len) = plain_word(&bytes[to..]) else {
                    break;
                };
                *after_value = true;
                len
            }
            _ => break,
        };
    }
    steps::count(to - at + 1);
    to
}

/// Returns the length of the string at the start of `text`, with its quotes, if it has no
/// escapes and no URI; `None` also if its end is not there.
fn plain_string(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        let near = text[at..].iter().take(SHORT);
        at += near.take_while(|byte| INSIDE[usize::from(**byte)]).count();
        match text.get(at)? {
            b'"' => return Some(at + 1),
            b':' if at > 1 && SCHEME.has(text[at - 1]) => return None,
            b':' => at += 1,
            byte if !INSIDE[usize::from(*byte)] => return None,
            _ => break,
        }
    }
    let rest = &text[at..text.len().min(LONG)];
    let len = memchr::memchr3(b'"', b'\\', b'\n', rest)?;
    let begins = |colon: usize| SCHEME.has(text[at + colon - 1]);
    let is_plain = rest[len] == b'"' && !memchr::memchr_iter(b':', &rest[..len]).any(begins);
    is_plain.then_some(at + len + 1)
}

/// Returns the length of the number or literal at the start of `text`, if a separator follows.
fn plain_word(text: &[u8]) -> Option<usize> {
    let within = &text[..text.len().min(SHORT)];
    let is_of_word =
        |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'+' | b'-');
    let len = within.iter().take_while(is_of_word).count();
    matches!(text.get(len)?, b',' | b'}' | b']' | b' ' | b'\n').then_some(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_without_uris_are_passed() {
        for (text, passed) in [
            ("{\"a\":1,\"b\":[true,-1.5e3, null],\"c\":{}}", 37),
            ("{\"a\":\"b:c\"}", 5),
            ("{\"a\":\"x : y\",\"b:\":1}", 13),
            ("{\"a\":\"b\\n\"}", 5),
            ("{\"a\":'b'}", 5),
            ("{\"a\":1 2}", 7),
            ("{\"a\":1:2}", 5),
            ("{a:1}", 1),
            ("{\"a\"]", 4),
            ("{\"a\":1\n}", 6),
            ("{\"a", 1),
            ("{\"a\":12", 5),
        ] {
            let mut way = JsonWay::default();
            way.enter(true, false);
            let to = pass(&mut way, text.as_bytes(), 1, &mut false);
            assert_eq!(to, passed, "{text}");
        }
        for (len, colon, is_passed) in [
            (31, 0, true),
            (100, 0, true),
            (100, 60, false),
            (5000, 0, false),
        ] {
            let mut text = format!("\"{}\",", "x".repeat(len)).into_bytes();
            if colon > 0 {
                text[colon] = b':';
            }
            let mut way = JsonWay::default();
            way.enter(false, false);
            assert_eq!(pass(&mut way, &text, 0, &mut false) > 0, is_passed, "{len}");
        }
    }
}
