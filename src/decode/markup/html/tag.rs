//! A start tag, and URIs in the place of its names: `<http://a.example/x>` is a tag to the
//! tokenizer, and `<a href=""http://a.example/"">` has an attribute `http:`. Such a name
//! begins a text, which is searched as it would be without markup. What attributes mean is
//! left to others.

use super::super::tokens::{Attribute, NameKey, Quoting, StartTag};
use crate::decode::mentions::Mentions;
use crate::syntax::{class, scheme};
use std::ops::Range;

/// A start tag in the window.
#[derive(Clone, Copy)]
pub(in crate::decode::markup) struct TagBytes<'t> {
    pub bytes: &'t [u8],
    /// Its offset in the window.
    pub at: usize,
    pub start: &'t StartTag,
    pub attributes: &'t [Attribute],
}

impl<'t> TagBytes<'t> {
    /// Returns the raw value of an attribute.
    pub fn value(&self, name: NameKey) -> Option<&'t [u8]> {
        let is_it = |a: &&Attribute| NameKey::read(self.bytes, a.name_range(0)) == name;
        let found = self.attributes.iter().find(is_it)?;
        Some(&self.bytes[found.value_range(0)])
    }

    /// Returns the range of the text that begins with the tag, if its name begins a URI.
    /// `has_position` states whether the value of an attribute is reported with a path of
    /// its own.
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

    /// Returns where a text ends that goes on with these attributes: before the first one
    /// whose value has a position of its own. After a `/` the URI goes on.
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

/// What a name begins with that may begin a URI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UriBegin {
    /// A scheme, of which `//` follows the colon or which needs none.
    Scheme,
    /// A host or a disguised scheme, where all texts are wanted.
    Other,
}

impl UriBegin {
    /// Returns it for a name in `tag`.
    pub fn of(tag: &[u8], name: Range<usize>, mentions: Mentions) -> Option<UriBegin> {
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

#[cfg(test)]
mod tests {
    use super::super::tests::{Found, check_links, check_mentions, find};
    use super::*;

    /// `-i text` finds them, so none is lost.
    #[test]
    fn uris_in_the_place_of_names() {
        for (page, wanted) in [
            ("a <http://b/c> d", &[("#text", "<http://b/c>")][..]),
            (
                "<http://b/c?d=e&amp;f g=h:i>",
                &[("#text", "<http://b/c?d=e&f g=h:i>")],
            ),
            (
                "<HTTP://b/\n  c/src=d>",
                &[("#text", "<HTTP://b/\n  c/src=d>")],
            ),
            ("<Mailto:a@b.c>", &[("#text", "<Mailto:a@b.c>")]),
            ("<urn:isbn:1/>", &[("#text", "<urn:isbn:1/>")]),
            // What has a position of its own keeps it.
            (
                "<http://b/ itemtype='http://c/' http://d/>",
                &[
                    ("#text", "<http://b/ "),
                    ("HTTP:@/itemtype", "http://c/"),
                    ("#text", "http://d/>"),
                ],
            ),
            (
                "<a href=\"\"http://b/\" title='c:d'>",
                &[("#text", "http://b/\" "), ("A@/title", "c:d")],
            ),
            ("<a x mailto:b@c.d>", &[("#text", "mailto:b@c.d>")]),
            // These have a colon, but are no URIs.
            ("<svg:a b=c:d>", &[("SVG:A@/b", "c:d")]),
            ("<http:/b/c><http:><a v-on:click=b><a ://b>", &[]),
            (
                "</a http://b/ c='d:e'>",
                &[("#text", " http://b/ c='d:e'>")],
            ),
            ("</a\n>:", &[]),
        ] {
            check_mentions(page, wanted);
        }
        check_links(
            "<http://a/b/src=c?href=d href=e src=f><http:/ src=g>",
            &[("HTTP:@/href", "e"), ("HTTP:@/src", "g")],
        );
        let all = find("<www.a.example/b><a.b c='d'><a.b/src=c>", Mentions::All);
        let texts = ["<www.a.example/b>", "<a.b ", "<a.b/"].map(str::to_owned);
        for text in texts {
            let mention = Found::Mention("#text".into(), text.clone(), text);
            assert!(all.contains(&mention), "{all:?}");
        }
    }

    #[test]
    fn the_second_of_equal_attributes_is_text() {
        let page = "<a href=b HREF='http://c/' title=x href=d title='http://e/'>";
        check_links(page, &[("A@/href", "b")]);
        check_mentions(page, &[("A@/href", "http://c/"), ("A@/title", "http://e/")]);
        // So many that they are sorted.
        let names: String = (0..100).map(|number| format!(" a{number}")).collect();
        check_mentions(
            &format!("<a{names} b=1 b='http://c/' a7=http://d/>"),
            &[("A@/b", "http://c/"), ("A@/a7", "http://d/")],
        );
    }
}
