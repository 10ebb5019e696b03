//! The strings of a JSON text, also a broken one: after a defect the next string counts. Each
//! string has its JSON Pointer if the text before it is sound.

use super::unescape;
use crate::syntax::steps;
use std::ops::Range;

/// Values that are nested more deeply have no pointer.
pub(in crate::decode) const DEPTH_MAX: usize = 64;
/// Longer pointers are not returned: a long key would be copied for each of many values.
pub(in crate::decode) const POINTER_MAX: usize = 1 << 10;

/// The strings of a text that are values.
#[derive(Debug)]
pub(in crate::decode) struct JsonStrings<'t, 'b> {
    text: &'t [u8],
    at: usize,
    /// The number of open objects and arrays.
    depth: usize,
    /// The depth below which everything is excluded.
    excluded: Option<usize>,
    /// The open objects and arrays, up to the depth that is kept.
    open: &'b mut Vec<OpenJson>,
    /// Whether the next value belongs to an excluded key.
    is_excluded_key: bool,
    /// The byte of the last token outside of strings; `"` for a string.
    last: u8,
    is_broken: bool,
    /// Whether all values below a key are omitted.
    is_excluded: fn(&[u8]) -> bool,
}

/// An open object or array.
#[derive(Clone, Debug)]
pub(in crate::decode) struct OpenJson {
    opener: u8,
    /// The last key of an object, with its escapes.
    key: Range<usize>,
    /// The number of elements of an array before the next one.
    index: usize,
}

/// Returns the strings of `text` that are values, except for values below a key that
/// `is_excluded`. `open` is a buffer.
pub(in crate::decode) fn strings<'t, 'b>(
    text: &'t [u8],
    is_excluded: fn(&[u8]) -> bool,
    open: &'b mut Vec<OpenJson>,
) -> JsonStrings<'t, 'b> {
    open.clear();
    JsonStrings {
        text,
        at: 0,
        depth: 0,
        excluded: None,
        open,
        is_excluded_key: false,
        last: b',',
        is_broken: false,
        is_excluded,
    }
}

impl Iterator for JsonStrings<'_, '_> {
    type Item = Range<usize>;

    /// Returns the range of the next value between its quotes, with its escapes.
    fn next(&mut self) -> Option<Range<usize>> {
        loop {
            let skipped = self.text[self.at..].iter();
            let skipped = skipped
                .take_while(|byte| !b"\"{}[],:".contains(byte))
                .count();
            steps::count(skipped + 1);
            self.at += skipped;
            let byte = *self.text.get(self.at)?;
            let last = std::mem::replace(&mut self.last, byte);
            match byte {
                b'"' => {
                    self.is_broken |= !matches!(last, b'{' | b'[' | b',' | b':');
                    if let Some(value) = self.string() {
                        return Some(value);
                    }
                    continue;
                }
                b'{' | b'[' => self.enter(byte),
                b'}' | b']' => self.leave(byte),
                b',' => {
                    self.is_excluded_key = false;
                    if let Some(open) = self.innermost() {
                        open.index += 1;
                    }
                }
                _ => {}
            }
            self.at += 1;
        }
    }
}

impl JsonStrings<'_, '_> {
    /// Reads a string; returns its range if it is a value that counts.
    fn string(&mut self) -> Option<Range<usize>> {
        let start = self.at + 1;
        let end = string_end(self.text, start);
        let after = (end + 1).min(self.text.len());
        steps::count(after - self.at);
        self.at = after;
        let blanks = self.text[after..].iter();
        let blanks = blanks.take_while(|byte| byte.is_ascii_whitespace()).count();
        if self.text.get(after + blanks) == Some(&b':') {
            self.is_excluded_key = (self.is_excluded)(&self.text[start..end]);
            if let Some(open) = self.innermost() {
                open.key = start..end;
            }
            return None;
        }
        let is_excluded = std::mem::take(&mut self.is_excluded_key) || self.excluded.is_some();
        (!is_excluded).then_some(start..end)
    }

    fn enter(&mut self, opener: u8) {
        if std::mem::take(&mut self.is_excluded_key) && self.excluded.is_none() {
            self.excluded = Some(self.depth);
        }
        if self.open.len() == self.depth && self.depth < DEPTH_MAX {
            self.open.push(OpenJson {
                opener,
                key: 0..0,
                index: 0,
            });
        }
        self.depth += 1;
    }

    fn leave(&mut self, closer: u8) {
        self.is_excluded_key = false;
        let Some(depth) = self.depth.checked_sub(1) else {
            self.is_broken = true;
            return;
        };
        if let Some(open) = self.open.get(depth) {
            self.is_broken |= (open.opener == b'{') != (closer == b'}');
        }
        self.depth = depth;
        self.open.truncate(depth);
        if self.excluded == Some(depth) {
            self.excluded = None;
        }
    }

    /// The innermost object or array, if it is kept.
    fn innermost(&mut self) -> Option<&mut OpenJson> {
        self.open.get_mut(self.depth.checked_sub(1)?)
    }

    /// Appends the JSON Pointer (RFC 6901) of the last value to `out`. Returns false when
    /// it is not known, because the text is broken or nested too deeply, or the pointer is
    /// too long.
    pub fn pointer(&self, out: &mut Vec<u8>) -> bool {
        if self.is_broken || self.open.len() < self.depth {
            return false;
        }
        let len: usize = self.open.iter().map(|open| open.key.len()).sum();
        if len > POINTER_MAX {
            return false;
        }
        for open in self.open.iter() {
            out.push(b'/');
            if open.opener == b'[' {
                out.extend_from_slice(open.index.to_string().as_bytes());
                continue;
            }
            let from = out.len();
            unescape(&self.text[open.key.clone()], out, None);
            let mut at = from;
            while let Some(found) = memchr::memchr2(b'~', b'/', &out[at..]) {
                at += found;
                let code = if out[at] == b'~' { b'0' } else { b'1' };
                out[at] = b'~';
                out.insert(at + 1, code);
                at += 2;
            }
        }
        true
    }
}

/// Returns the end of the string whose inside begins at `at`: its quote, or the end of
/// the text. Line breaks, which JSON forbids in it, are part of it.
fn string_end(text: &[u8], mut at: usize) -> usize {
    while let Some(found) = memchr::memchr2(b'"', b'\\', &text[at..]) {
        at += found;
        if text[at] == b'"' {
            return at;
        }
        at = (at + 2).min(text.len());
    }
    text.len()
}
