//! Reads a JSON text member by member, up to the first byte that violates RFC 8259. Numbers and
//! literals are skipped; whether they are valid is left to `walk`.

#[cfg(feature = "html")]
use super::unescape;
#[cfg(feature = "html")]
use std::borrow::Cow;
use std::ops::Range;

/// A string of JSON: its range without the quotes, and its text.
#[cfg(feature = "html")]
#[derive(Debug, Default)]
pub(in crate::decode) struct JsonText<'t> {
    pub range: Range<usize>,
    pub text: Cow<'t, [u8]>,
}

/// A position in a JSON text. Every method returns `None` for bytes that are not JSON.
pub(in crate::decode) struct JsonCursor<'t> {
    pub text: &'t [u8],
    pub at: usize,
}

impl<'t> JsonCursor<'t> {
    #[inline]
    fn blanks(&mut self) {
        let is_blank = |b: &&u8| matches!(b, b' ' | b'\t' | b'\r' | b'\n');
        self.at += self.text[self.at..].iter().take_while(is_blank).count();
    }

    /// Reads `byte`, if it is next after blanks.
    #[inline]
    pub fn takes(&mut self, byte: u8) -> bool {
        self.blanks();
        let is_next = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Calls `read` and goes back.
    pub fn ahead<T>(&mut self, read: impl FnOnce(&mut JsonCursor<'t>) -> T) -> T {
        let mut copy = JsonCursor {
            text: self.text,
            at: self.at,
        };
        read(&mut copy)
    }

    /// Calls `member` with the name of each member of an object; it reads the value. A
    /// value of another kind is skipped.
    #[cfg(feature = "html")]
    pub fn object(
        &mut self,
        mut member: impl FnMut(&mut JsonCursor<'t>, &[u8]) -> Option<()>,
    ) -> Option<()> {
        if !self.takes(b'{') {
            return self.skip();
        }
        if self.takes(b'}') {
            return Some(());
        }
        loop {
            let name = self.string()?;
            self.takes(b':').then_some(())?;
            member(self, &name.text)?;
            if self.takes(b'}') {
                return Some(());
            }
            self.takes(b',').then_some(())?;
        }
    }

    /// Calls `value` for each value of an array, or once for a value that is not an array.
    #[cfg(feature = "html")]
    pub fn values(
        &mut self,
        mut value: impl FnMut(&mut JsonCursor<'t>) -> Option<()>,
    ) -> Option<()> {
        if !self.takes(b'[') {
            return value(self);
        }
        if self.takes(b']') {
            return Some(());
        }
        loop {
            value(self)?;
            if self.takes(b']') {
                return Some(());
            }
            self.takes(b',').then_some(())?;
        }
    }

    /// Reads a value, and returns it if it is a string.
    #[cfg(feature = "html")]
    pub fn any_string(&mut self) -> Option<Option<JsonText<'t>>> {
        self.blanks();
        match self.text.get(self.at) {
            Some(b'"') => self.string().map(Some),
            _ => self.skip().map(|()| None),
        }
    }

    /// Returns the next byte after blanks.
    pub fn peek(&mut self) -> Option<u8> {
        self.blanks();
        self.text.get(self.at).copied()
    }

    /// Reads a string.
    #[cfg(feature = "html")]
    pub fn string(&mut self) -> Option<JsonText<'t>> {
        let range = self.raw_string()?;
        let raw = &self.text[range.clone()];
        let text = match memchr::memchr(b'\\', raw) {
            None => Cow::Borrowed(raw),
            Some(_) => {
                let mut text = Vec::with_capacity(raw.len());
                unescape(raw, &mut text, None);
                Cow::Owned(text)
            }
        };
        Some(JsonText { range, text })
    }

    /// Reads a string, and returns its range without the quotes.
    pub fn raw_string(&mut self) -> Option<Range<usize>> {
        self.takes(b'"').then_some(())?;
        let start = self.at;
        loop {
            let rest = &self.text[self.at..];
            self.at += memchr::memchr2(b'"', b'\\', rest)?;
            if self.text[self.at] == b'"' {
                break;
            }
            self.at += 2;
            (self.at <= self.text.len()).then_some(())?;
        }
        self.at += 1;
        Some(start..self.at - 1)
    }

    /// Skips any value.
    pub fn skip(&mut self) -> Option<()> {
        let mut depth = 0usize;
        loop {
            self.blanks();
            match self.text.get(self.at)? {
                b'"' => {
                    self.raw_string()?;
                }
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    depth = depth.checked_sub(1)?;
                    self.at += 1;
                }
                b',' | b':' if depth > 0 => {
                    self.at += 1;
                    continue;
                }
                _ => {
                    let is_token =
                        |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.');
                    let len = self.text[self.at..].iter().take_while(is_token).count();
                    (len > 0).then_some(())?;
                    self.at += len;
                }
            }
            if depth == 0 {
                return Some(());
            }
        }
    }
}
