//! Texts and tags that mean nothing to a reader of pages: most of a page. They are passed in
//! one walk, without a token for each. What may mean something is left to the tokenizer, with
//! the first byte that was not passed.

use super::html::HtmlTokenizer;
use super::name::{NameKey, NameSieve, usual_len};
use super::tag::is_blank;
use crate::syntax::masks::near::find_of;
use crate::syntax::steps;

/// The markup that a reader does not need.
pub struct Passing<T, A> {
    /// Whether no text is needed.
    pub needs_no_text: bool,
    /// Whether these bytes of a text or value, which have a colon or an ampersand, are needed.
    pub may_want: T,
    /// Elements whose start tags are not looked at: one that often has a link takes less time as
    /// a token.
    pub linked: &'static [NameKey],
    /// Has their names, and those of [`HtmlTokenizer::SIEVE`].
    pub sieve: &'static NameSieve,
    /// Whether an attribute with this name is not needed for its name.
    pub is_plain: A,
}

impl HtmlTokenizer {
    /// Passes complete texts and tags of HTML from the end of the last token on. A text before
    /// `<wbr>` is not passed, because the text after it continues it.
    #[inline]
    pub fn pass<T, A>(&mut self, bytes: &[u8], passing: Passing<T, A>)
    where
        T: Fn(&[u8]) -> bool,
        A: Fn(&[u8]) -> bool,
    {
        if !self.is_passable() {
            return;
        }
        let mut at = self.position();
        while let Some(len) = passing.text_len(&bytes[at..]) {
            at += len;
            let tag = &bytes[at..];
            let len = end_tag_len(tag).or_else(|| passing.start_tag_len(tag));
            // A tag that is too long is reported.
            let Some(len) = len.filter(|&len| len <= self.token.limits.tag) else {
                break;
            };
            at += len;
        }
        if at > self.position() {
            steps::count(at - self.position());
            self.token.pass(at);
        }
    }
}

impl<T: Fn(&[u8]) -> bool, A: Fn(&[u8]) -> bool> Passing<T, A> {
    /// Returns the length of the bytes before `end`, if they are not needed.
    #[inline]
    fn plain_len(&self, bytes: &[u8], end: u8) -> Option<usize> {
        if self.needs_no_text {
            return memchr::memchr(end, bytes);
        }
        let found = find_of([end, b':', b'&'], bytes)?;
        match bytes[found] == end {
            true => Some(found),
            false => self.unwanted_len(bytes, found, end),
        }
    }

    /// Does the same where there is a colon or an ampersand at `found`, before `end`.
    fn unwanted_len(&self, bytes: &[u8], found: usize, end: u8) -> Option<usize> {
        let len = found + memchr::memchr(end, &bytes[found..])?;
        (!(self.may_want)(&bytes[..len])).then_some(len)
    }

    /// Returns the length of the text before a tag, which may have none.
    #[inline]
    fn text_len(&self, bytes: &[u8]) -> Option<usize> {
        let len = match bytes.first() {
            Some(b'<') => 0,
            _ => self.plain_len(bytes, b'<')?,
        };
        match bytes[len + 1..] {
            [b'w' | b'W', ..] => None,
            [b'a'..=b'z' | b'A'..=b'Z', ..] | [b'/', b'a'..=b'z' | b'A'..=b'Z', ..] => Some(len),
            _ => None,
        }
    }

    /// Returns the length of the start tag at the start of `bytes`, if its attributes are plain.
    #[inline]
    fn start_tag_len(&self, bytes: &[u8]) -> Option<usize> {
        let name = 1..1 + usual_len(&bytes[1..])?;
        if self.sieve.may_have(&bytes[name.clone()]) {
            let key = NameKey::read(bytes, name.clone());
            if self.linked.contains(&key) || HtmlTokenizer::has_meaning(key) {
                return None;
            }
        }
        let mut at = name.end;
        loop {
            match bytes[at..] {
                [b'>', ..] => return Some(at + 1),
                [b'/', b'>', ..] => return Some(at + 2),
                [byte, ..] if is_blank(byte) => at += 1,
                [_, ..] => {
                    let rest = &bytes[at..];
                    let len = usual_len(rest)?;
                    if len == 0 || !(self.is_plain)(&rest[..len]) {
                        return None;
                    }
                    at += len;
                    if let Some(value) = rest[len..].strip_prefix(b"=\"") {
                        at += 2 + self.plain_len(value, b'"')? + 1;
                    } else if !(is_blank(rest[len]) || rest[len] == b'>') {
                        return None;
                    }
                }
                [] => return None,
            }
        }
    }
}

/// Returns the length of the end tag at the start of `bytes`, if it has a usual name and nothing
/// else.
#[inline]
fn end_tag_len(bytes: &[u8]) -> Option<usize> {
    let name = bytes.strip_prefix(b"</")?;
    let len = usual_len(name)?;
    (name[len] == b'>').then_some(b"</".len() + len + b">".len())
}
