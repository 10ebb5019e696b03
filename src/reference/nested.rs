//! S6, I13: URIs inside another one, as they are, percent-encoded or in Base64. Every byte of a
//! decoded text knows which bytes of the outer URI it was read from.

use super::{Options, check, grammar, start};
use crate::item::{NestedBy, Problem, Problems};

/// The greatest number of URIs inside another one, and of codings that are undone.
const MOST: usize = 8;

/// A URI inside another one.
pub(super) struct Inner {
    pub text: Vec<u8>,
    /// The offset in the outer URI from which each byte of the text was read.
    pub places: Vec<usize>,
    /// The end in the outer URI.
    pub end: usize,
    pub by: NestedBy,
    pub abbreviated: bool,
    pub problems: Problems,
}

/// A byte of a text.
#[derive(Clone, Copy)]
struct Byte {
    value: u8,
    /// The offset in the outer URI.
    at: usize,
    /// Whether it is not so in the text above.
    undone: bool,
}

/// A text in which URIs are looked for.
struct Text {
    bytes: Vec<Byte>,
    /// Where its last byte ends in the outer URI.
    end: usize,
    by: NestedBy,
    /// How many codings were undone.
    depth: usize,
    /// The offset from which URIs are looked for.
    from: usize,
    /// Whether it is a part of a path.
    in_path: bool,
    /// The problems of its coding.
    problems: Problems,
}

/// Returns the URIs inside `outer`, whose path begins at `path`, at most eight, and whether there
/// are more or parts are encoded too often.
pub(super) fn nested(outer: &[u8], path: usize, options: &Options) -> (Vec<Inner>, bool) {
    let bytes = outer.iter().enumerate();
    let text = Text {
        bytes: bytes
            .map(|(at, &value)| Byte {
                value,
                at,
                undone: true,
            })
            .collect(),
        end: outer.len(),
        by: NestedBy::Plain,
        depth: 0,
        from: path,
        in_path: true,
        problems: Problems::NONE,
    };
    let mut more = false;
    let mut found = Vec::new();
    look(&text, options, &mut found, &mut more);
    found.sort_by_key(|inner| inner.places[0]);
    more |= found.len() > MOST;
    found.truncate(MOST);
    (found, more)
}

/// Adds the URIs inside a text.
fn look(text: &Text, options: &Options, found: &mut Vec<Inner>, more: &mut bool) {
    let values: Vec<u8> = text.bytes.iter().map(|byte| byte.value).collect();
    let is_outer = text.depth == 0;
    let mut first = None;
    let mut standing = Vec::new();
    for colon in (text.from..values.len()).filter(|&at| values[at] == b':') {
        let Some(start) = start::scheme_start(&values, colon) else {
            continue;
        };
        if is_outer && start == 0 || !is_new(text, start, colon) {
            continue;
        }
        let len = length(&values, text.from, start);
        let inner = &values[start..start + len];
        let Some(mut problems) = check::check(inner, colon - start, options) else {
            continue;
        };
        first = first.or(Some(start));
        if start == 0 {
            problems |= text.problems;
        }
        if !options.strict || grammar::is_uri(inner) {
            standing.push(inner_of(text, start, len, false, problems));
        }
    }
    if text.by == NestedBy::Base64 && first != Some(0) {
        let Some(problems) = check::check_abbreviated(&values) else {
            return;
        };
        if !options.strict || grammar::is_uri(&[b"http://", &values[..]].concat()) {
            let problems = problems | text.problems;
            found.push(inner_of(text, 0, values.len(), true, problems));
        }
    }
    found.extend(standing);
    let first = first.filter(|_| !is_outer);
    for (start, end, in_path) in pieces(&values, text, first) {
        let piece = &text.bytes[start..end];
        let end = text.bytes.get(end).map_or(text.end, |byte| byte.at);
        let below = without_percent(piece);
        let below = below.map(|bytes| (bytes, NestedBy::Percent, in_path, Problems::NONE));
        let in_base64 = || {
            let (bytes, problems) = without_base64(base64_value(piece)?)?;
            Some((bytes, NestedBy::Base64, true, problems))
        };
        let below = below.or_else(|| in_base64().filter(|_| options.nested_base64));
        let Some((bytes, by, in_path, problems)) = below else {
            continue;
        };
        if text.depth == MOST {
            *more = true;
            continue;
        }
        let below = Text {
            bytes,
            end,
            by,
            depth: text.depth + 1,
            from: 0,
            in_path,
            problems,
        };
        look(&below, options, found, more);
    }
}

fn inner_of(text: &Text, start: usize, len: usize, abbreviated: bool, problems: Problems) -> Inner {
    let bytes = &text.bytes[start..start + len];
    let after = text.bytes.get(start + len);
    Inner {
        text: bytes.iter().map(|byte| byte.value).collect(),
        places: bytes.iter().map(|byte| byte.at).collect(),
        end: after.map_or(text.end, |byte| byte.at),
        by: text.by,
        abbreviated,
        problems,
    }
}

/// Whether the scheme and its colon, or the slash after it, were only decoded here.
fn is_new(text: &Text, start: usize, colon: usize) -> bool {
    let undone = |from: usize, to: usize| {
        let bytes = text.bytes.iter().skip(from).take(to - from);
        bytes.clone().any(|byte| byte.undone)
    };
    let slash = text.bytes.get(colon + 1).map(|byte| byte.value) == Some(b'/');
    undone(start, colon + 1) || slash && undone(colon + 1, colon + 3)
}

/// S6: returns the length of the URI that begins at `start`. Directly after a `=` of the query
/// or fragment it ends at the next `&` or `#`.
fn length(text: &[u8], path: usize, start: usize) -> usize {
    let before = text.get(path..start).unwrap_or_default();
    let in_value = before.iter().any(|b| b"?#".contains(b));
    let rest = &text[start..];
    match in_value && before.ends_with(b"=") {
        true => rest.iter().take_while(|&b| !b"&#".contains(b)).count(),
        false => rest.len(),
    }
}

/// Returns the parts of a text that are decoded on their own, and whether each ends in a path.
/// `uri` is the start of the first URI, with which a path begins.
fn pieces(values: &[u8], text: &Text, uri: Option<usize>) -> Vec<(usize, usize, bool)> {
    let mut pieces = Vec::new();
    let mut start = text.from;
    let mut in_path = text.in_path;
    for at in text.from..=values.len() {
        if uri == Some(at) {
            in_path = true;
        }
        let Some(byte) = values.get(at) else {
            pieces.push((start, at, in_path));
            break;
        };
        let ends = match in_path {
            true => b"/?&#".contains(byte),
            false => b"&#".contains(byte),
        };
        if ends {
            pieces.push((start, at, in_path));
            start = at + 1;
            in_path &= !b"?#".contains(byte);
        }
    }
    pieces
}

/// Returns a text with its escapes decoded once, but for those of what no URI may have; nothing
/// if there are none.
fn without_percent(piece: &[Byte]) -> Option<Vec<Byte>> {
    let hex = |byte: &Byte| char::from(byte.value).to_digit(16);
    let escape = |at: usize| match piece.get(at..at + 3)? {
        [percent, high, low] if percent.value == b'%' => Some((hex(high)? * 16 + hex(low)?) as u8),
        _ => None,
    };
    let mut out = Vec::new();
    let mut at = 0;
    'next: while at < piece.len() {
        let escapes: Vec<u8> = (0..4).map_while(|number| escape(at + 3 * number)).collect();
        for len in 1..=escapes.len() {
            let Ok(char) = std::str::from_utf8(&escapes[..len]) else {
                continue;
            };
            if char.chars().all(is_of_uri) {
                for (number, &value) in escapes[..len].iter().enumerate() {
                    let at = piece[at + 3 * number].at;
                    out.push(Byte {
                        value,
                        at,
                        undone: true,
                    });
                }
                at += 3 * len;
                continue 'next;
            }
            break;
        }
        let written = if escapes.is_empty() { 1 } else { 3 };
        for byte in &piece[at..at + written] {
            out.push(Byte {
                undone: false,
                ..*byte
            });
        }
        at += written;
    }
    out.iter().any(|byte| byte.undone).then_some(out)
}

fn is_of_uri(char: char) -> bool {
    match char {
        '<' | '>' | '"' | '`' | '{' | '}' | '|' | '\\' | '^' => false,
        char => !char.is_whitespace() && !char.is_control(),
    }
}

/// Returns the part of a piece that begins as `http`, `ftp:` or `www.` in Base64: all of it, or
/// what is after its first `=`.
fn base64_value(piece: &[Byte]) -> Option<&[Byte]> {
    let after = piece.iter().position(|byte| byte.value == b'=');
    let value = after.map(|at| &piece[at + 1..]);
    [Some(piece), value].into_iter().flatten().find(|value| {
        let start: Vec<u8> = value.iter().take(5).map(|byte| byte.value).collect();
        [b"aHR0c", b"ZnRwO", b"d3d3L"].contains(&&start[..].try_into().unwrap_or([0; 5]))
    })
}

/// Returns a text from Base64, bit by bit, and its problems; nothing if it is not Base64.
fn without_base64(value: &[Byte]) -> Option<(Vec<Byte>, Problems)> {
    let filled = value.iter().rposition(|byte| byte.value != b'=');
    let digits = &value[..filled.map_or(0, |at| at + 1)];
    let mut bits = Vec::new();
    for digit in digits {
        let number = match digit.value {
            byte @ b'A'..=b'Z' => byte - b'A',
            byte @ b'a'..=b'z' => byte - b'a' + 26,
            byte @ b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits.extend((0..6).rev().map(|bit| (number >> bit & 1, digit.at)));
    }
    let mut problems = Problems::NONE;
    if digits.len() % 4 == 1 {
        problems |= Problem::Cut;
    }
    let byte = |bits: &[(u8, usize)]| Byte {
        value: bits.iter().fold(0, |byte, (bit, _)| byte << 1 | bit),
        at: bits[0].1,
        undone: true,
    };
    let mut bytes: Vec<Byte> = bits.chunks_exact(8).map(byte).collect();
    while bytes
        .last()
        .is_some_and(|last| last.value.is_ascii_whitespace())
    {
        bytes.pop();
    }
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let char = (1..=4).find_map(|len| {
            let bytes = bytes.get(at..at + len)?;
            let values: Vec<u8> = bytes.iter().map(|byte| byte.value).collect();
            let char = std::str::from_utf8(&values).ok()?.chars().next()?;
            Some((char, len))
        });
        let len = char.map_or(1, |(_, len)| len);
        let fits = char.is_some_and(|(char, _)| is_of_uri(char));
        for byte in &bytes[at..at + len] {
            if fits {
                out.push(*byte);
                continue;
            }
            problems |= Problem::BadChar;
            for value in format!("%{:02X}", byte.value).bytes() {
                out.push(Byte { value, ..*byte });
            }
        }
        at += len;
    }
    Some((out, problems))
}
