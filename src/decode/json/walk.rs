//! Walks through a JSON text and checks all of it (RFC 8259): the values of a text that is not
//! JSON are not trusted. No tree is built, because a tree takes many times the memory of the
//! text.

use std::borrow::Cow;
use std::ops::Range;

/// A step from a value to a member or element of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::decode) enum JsonStep<'t> {
    /// The name of a member of an object.
    Name(Cow<'t, str>),
    /// The number of an element of an array, from 0.
    Index(usize),
}

/// A string, or a number as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::decode) enum JsonScalar<'t> {
    Text(Cow<'t, str>),
    Number(&'t [u8]),
}

/// Receives the values of a text in their order.
pub(in crate::decode) trait JsonVisit {
    /// A value begins at the end of this way.
    fn begin(&mut self, way: &[JsonStep<'_>]) {
        let _ = way;
    }

    /// A string or number is at the end of this way. `raw` is the range of its bytes, with the
    /// quotes of a string.
    fn scalar(&mut self, way: &[JsonStep<'_>], value: JsonScalar<'_>, raw: Range<usize>);
}

/// Why a text was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decode) enum JsonFault {
    NotJson,
    TooDeep,
}

/// Passes the values of `text`, which is one value with blanks around it, to `visit`. Values
/// that are nested in more than `depth` others are not read.
///
/// # Errors
/// The reason for which all values that were passed are void.
pub(in crate::decode) fn walk(
    text: &[u8],
    depth: usize,
    visit: &mut dyn JsonVisit,
) -> Result<(), JsonFault> {
    let mut walk = JsonWalk {
        text,
        at: 0,
        way: Vec::new(),
        depth,
        visit,
    };
    walk.value()?;
    match walk.peek() {
        None => Ok(()),
        Some(_) => Err(JsonFault::NotJson),
    }
}

struct JsonWalk<'t, 'v> {
    text: &'t [u8],
    at: usize,
    way: Vec<JsonStep<'t>>,
    depth: usize,
    visit: &'v mut dyn JsonVisit,
}

impl<'t> JsonWalk<'t, '_> {
    /// Returns the next byte that is not a blank.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.get(self.at..)?;
        let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
        self.at += rest.iter().take_while(is_blank).count();
        self.text.get(self.at).copied()
    }

    /// Skips `byte` if it is the next byte after blanks; returns whether it is.
    fn accept(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        self.at += usize::from(is_next);
        is_next
    }

    fn value(&mut self) -> Result<(), JsonFault> {
        if self.way.len() > self.depth {
            return Err(JsonFault::TooDeep);
        }
        self.visit.begin(&self.way);
        match self.peek() {
            Some(b'{') => self.items(b'}', |walk, _| {
                let (name, _) = walk.string()?;
                match walk.accept(b':') {
                    true => Ok(JsonStep::Name(name)),
                    false => Err(JsonFault::NotJson),
                }
            }),
            Some(b'[') => self.items(b']', |_, number| Ok(JsonStep::Index(number))),
            Some(b'"') => {
                let (text, raw) = self.string()?;
                self.visit.scalar(&self.way, JsonScalar::Text(text), raw);
                Ok(())
            }
            _ => self.word(),
        }
    }

    /// Reads the items between brackets, which are separated by commas. `step` reads the
    /// part of the item with this number before its value.
    fn items(
        &mut self,
        close: u8,
        step: fn(&mut Self, usize) -> Result<JsonStep<'t>, JsonFault>,
    ) -> Result<(), JsonFault> {
        self.at += 1;
        if self.accept(close) {
            return Ok(());
        }
        for number in 0.. {
            let step = step(self, number)?;
            self.way.push(step);
            self.value()?;
            self.way.pop();
            if self.accept(close) {
                break;
            }
            if !self.accept(b',') {
                return Err(JsonFault::NotJson);
            }
        }
        Ok(())
    }

    /// Reads a number, or a literal, which has no text.
    fn word(&mut self) -> Result<(), JsonFault> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let ends = |byte: &u8| b",]} \t\r\n".contains(byte);
        let len = rest.iter().position(ends).unwrap_or(rest.len());
        let (word, raw) = (&rest[..len], self.at..self.at + len);
        self.at = raw.end;
        if matches!(word, b"true" | b"false" | b"null") {
            return Ok(());
        }
        serde_json::from_slice::<serde_json::Number>(word).map_err(|_| JsonFault::NotJson)?;
        self.visit.scalar(&self.way, JsonScalar::Number(word), raw);
        Ok(())
    }

    /// Reads the string that begins here.
    fn string(&mut self) -> Result<(Cow<'t, str>, Range<usize>), JsonFault> {
        if self.peek() != Some(b'"') {
            return Err(JsonFault::NotJson);
        }
        let from = self.at;
        self.at += 1;
        loop {
            let rest = self.text.get(self.at..).unwrap_or_default();
            let len = memchr::memchr2(b'"', b'\\', rest).ok_or(JsonFault::NotJson)?;
            self.at += len + 1;
            if rest[len] == b'"' {
                break;
            }
            self.at += 1;
        }
        let raw = from..self.at;
        Ok((string(&self.text[raw.clone()])?, raw))
    }
}

/// Returns the text of a string with its quotes.
fn string(raw: &[u8]) -> Result<Cow<'_, str>, JsonFault> {
    let inside = &raw[1..raw.len() - 1];
    if !inside.iter().any(|&byte| byte == b'\\' || byte < b' ') {
        let text = std::str::from_utf8(inside).map_err(|_| JsonFault::NotJson)?;
        return Ok(Cow::Borrowed(text));
    }
    let text = serde_json::from_slice::<String>(raw).map_err(|_| JsonFault::NotJson)?;
    Ok(Cow::Owned(text))
}

/// The deepest value that a pointer leads to.
const POINTED_DEPTH: usize = 127;

/// Returns the string at `pointer` (RFC 6901) in `text`; `None` if `text` lacks it, or is not
/// JSON. Of members with the same name the last one counts.
pub(in crate::decode) fn string_at(text: &[u8], pointer: &str) -> Option<String> {
    if !(pointer.is_empty() || pointer.starts_with('/')) {
        return None;
    }
    let mut pointed = PointedString {
        tokens: tokens(pointer),
        found: None,
    };
    walk(text, POINTED_DEPTH, &mut pointed).ok()?;
    pointed.found
}

/// Returns the strings in `text` to which `pointer` leads if `*` is every member or element;
/// none if `text` is not JSON.
pub(in crate::decode) fn strings_at(text: &[u8], pointer: &str) -> Vec<String> {
    let mut pointed = PointedStrings {
        tokens: tokens(pointer),
        found: Vec::new(),
    };
    match walk(text, POINTED_DEPTH, &mut pointed) {
        Ok(()) => pointed.found,
        Err(_) => Vec::new(),
    }
}

fn tokens(pointer: &str) -> Vec<String> {
    let unescaped = |token: &str| token.replace("~1", "/").replace("~0", "~");
    pointer.split('/').skip(1).map(unescaped).collect()
}

fn is_step(step: &JsonStep<'_>, token: &str) -> bool {
    match step {
        JsonStep::Name(name) => name == token,
        JsonStep::Index(index) => index.to_string() == *token,
    }
}

struct PointedStrings {
    tokens: Vec<String>,
    found: Vec<String>,
}

impl JsonVisit for PointedStrings {
    fn scalar(&mut self, way: &[JsonStep<'_>], value: JsonScalar<'_>, _: Range<usize>) {
        let is_at = |(step, token): (&JsonStep<'_>, &String)| token == "*" || is_step(step, token);
        if let JsonScalar::Text(text) = value
            && way.len() == self.tokens.len()
            && way.iter().zip(&self.tokens).all(is_at)
        {
            self.found.push(text.into_owned());
        }
    }
}

struct PointedString {
    tokens: Vec<String>,
    found: Option<String>,
}

impl PointedString {
    /// Whether the way leads to the string, or to a value that contains it.
    fn is_on(&self, way: &[JsonStep<'_>]) -> bool {
        way.len() <= self.tokens.len()
            && way
                .iter()
                .zip(&self.tokens)
                .all(|(step, token)| is_step(step, token))
    }
}

impl JsonVisit for PointedString {
    fn begin(&mut self, way: &[JsonStep<'_>]) {
        // The member replaces an earlier one with the same name.
        if self.found.is_some() && self.is_on(way) {
            self.found = None;
        }
    }

    fn scalar(&mut self, way: &[JsonStep<'_>], value: JsonScalar<'_>, _: Range<usize>) {
        if let JsonScalar::Text(text) = value
            && way.len() == self.tokens.len()
            && self.is_on(way)
        {
            self.found = Some(text.into_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The string at `pointer` in the tree that a parser builds.
    fn in_tree(text: &[u8], pointer: &str) -> Option<String> {
        let tree: serde_json::Value = serde_json::from_slice(text).ok()?;
        Some(tree.pointer(pointer)?.as_str()?.to_owned())
    }

    proptest! {
        /// Texts and pointers are the same as in a parser that builds a tree.
        #[test]
        fn strings_are_those_of_a_tree(
            parts in prop::collection::vec(prop::sample::select(vec![
                "{", "}", "[", "]", ":", ",", "\"a\"", "\"b~/\"", "\"\\u0061\"", "\"\\ud83d\"", "\"\t\"", " ",
                "1", "01", "1e999", "true", "tru", "\"c\":", "\"a\":", "\"a\":{", "[\"a\",", "\"\u{e9}\"",
            ]), 0..12),
            wrapped: bool,
            pointer in prop::sample::select(vec!["", "/a", "/a/a", "/0", "/a/1", "/01", "/c", "a", "/b~0~1", "/-"]),
        ) {
            let text = parts.concat();
            let text = if wrapped { format!("{{\"a\":{text}}}") } else { text };
            prop_assert_eq!(string_at(text.as_bytes(), pointer), in_tree(text.as_bytes(), pointer));
        }
    }

    #[test]
    fn the_last_of_equal_names_counts() {
        for text in [
            r#"{"a":{"b":"x"},"a":{}}"#,
            r#"{"a":{"b":"x"},"a":{"b":"y"}}"#,
            r#"{"a":{"b":"x","b":1}}"#,
            r#"{"a":["x",{"b":"y"}]}"#,
        ] {
            for pointer in ["/a/b", "/a/0", "/a/1/b"] {
                let got = string_at(text.as_bytes(), pointer);
                assert_eq!(got, in_tree(text.as_bytes(), pointer), "{text} {pointer}");
            }
        }
        let deep = |depth: usize| format!("{}\"a\"{}", "[".repeat(depth), "]".repeat(depth));
        for depth in [126, 127, 128, 129] {
            let (text, pointer) = (deep(depth), "/0".repeat(depth));
            let got = string_at(text.as_bytes(), &pointer);
            assert_eq!(got, in_tree(text.as_bytes(), &pointer), "{depth}");
        }
    }
}
