//! A start tag, and URIs in the place of its names: `<http://a.example/x>` is a tag to the
//! tokenizer, and `<a href=""http://a.example/"">` has an attribute `http:`. Such a name
//! begins a text, which is searched as without markup. The meaning of attributes is left
//! to others.

use super::super::tokens::{Attribute, ByteMarks, NameKey, Quoting, StartTag};
use crate::decode::mentions::Mentions;
use crate::syntax::{class, scheme};
use std::ops::Range;

/// A start tag in the window.
#[derive(Clone, Copy)]
pub(in crate::decode::markup) struct TagBytes<'t> {
    pub bytes: &'t [u8],
    /// The offset in the window.
    pub at: usize,
    pub start: &'t StartTag,
    pub attributes: &'t [Attribute],
}

impl<'t> TagBytes<'t> {
    /// Creates the tag that has this range of the window.
    pub fn new(
        window: &'t [u8],
        range: Range<usize>,
        start: &'t StartTag,
        attributes: &'t [Attribute],
    ) -> TagBytes<'t> {
        TagBytes {
            at: range.start,
            bytes: &window[range],
            start,
            attributes,
        }
    }

    /// Returns the raw value of an attribute, and its marks.
    #[inline(always)]
    pub fn value(&self, name: NameKey) -> Option<(&'t [u8], ByteMarks)> {
        let (_, _, len) = name.first_last_len();
        for attribute in self.attributes {
            let range = attribute.name_range(0);
            if range.len() == len as usize && NameKey::read(self.bytes, range) == name {
                return Some((attribute.value(self.bytes), attribute.marks));
            }
        }
        None
    }

    /// Returns the range of the text that begins with the tag, if its name begins a URI.
    /// `has_position` states whether the value of an attribute is reported with its own
    /// path.
    pub fn text(
        &self,
        mentions: Mentions,
        has_position: impl Fn(&Attribute) -> bool,
    ) -> Option<Range<usize>> {
        let name = self.start.name.start - self.at..self.start.name.end - self.at;
        let begin = UriBegin::of(self.bytes, name, mentions)?;
        Some(0..self.text_end(begin, self.attributes, has_position))
    }

    /// Does the same for the attribute with this number, which has no value.
    pub fn text_of_attribute(
        &self,
        number: usize,
        mentions: Mentions,
        has_position: impl Fn(&Attribute) -> bool,
    ) -> Option<Range<usize>> {
        let name = self.attributes[number].name_range(0);
        let begin = UriBegin::of(self.bytes, name.clone(), mentions)?;
        let rest = &self.attributes[number + 1..];
        Some(name.start..self.text_end(begin, rest, has_position))
    }

    /// Returns the end of a text that continues with these attributes: before the first one
    /// whose value has its own position. After a `/` the URI continues.
    fn text_end(
        &self,
        begin: UriBegin,
        rest: &[Attribute],
        has_position: impl Fn(&Attribute) -> bool,
    ) -> usize {
        let is_apart = |attribute: &&Attribute| {
            let before = self.bytes[attribute.name_range(0).start - 1];
            let is_quoted = matches!(attribute.quoting, Quoting::Single | Quoting::Double);
            let goes_on = before == b'/' && begin == UriBegin::Scheme;
            !goes_on && (is_quoted || has_position(attribute))
        };
        let next = rest.iter().find(is_apart);
        next.map_or(self.bytes.len(), |next| next.name_range(0).start)
    }
}

/// The first bytes of names that may begin a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UriBegin {
    /// A scheme that `//` follows, or that needs no `//`.
    Scheme,
    /// A host or a disguised scheme, where all texts are wanted.
    Other,
}

impl UriBegin {
    /// Returns the beginning for a name in `tag`.
    #[inline(always)]
    pub fn of(tag: &[u8], name: Range<usize>, mentions: Mentions) -> Option<UriBegin> {
        let is_colon = |byte: &u8| *byte == b':';
        let may_be = mentions == Mentions::All || tag[name.clone()].iter().any(is_colon);
        may_be.then(|| UriBegin::of_other(tag, name, mentions))?
    }

    fn of_other(tag: &[u8], name: Range<usize>, mentions: Mentions) -> Option<UriBegin> {
        let (rest, name) = (&tag[name.end..], &tag[name]);
        let has_scheme = match name {
            [.., before, b':'] => class::SCHEME.has(*before) && rest.starts_with(b"//"),
            _ => {
                let len = scheme::prefix_len(name);
                len.is_some_and(|len| scheme::find(&name[..len]).is_some())
            }
        };
        let is_disguised =
            || mentions == Mentions::All && memchr::memchr2(b'.', b'[', name).is_some();
        match has_scheme {
            true => Some(UriBegin::Scheme),
            false => is_disguised().then_some(UriBegin::Other),
        }
    }
}
