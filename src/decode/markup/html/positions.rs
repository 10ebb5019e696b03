//! The positions of values in a page, such as `A@/href`: values with the same position
//! share it.

use super::super::script_json::ScriptJson;
use super::super::tokens::NameKey;
use crate::decode::content_reading::ValuePositions;
use crate::item::OwnedLink;
use std::sync::Arc;

/// The number of positions of attributes that are kept, a power of two; real pages have a few
/// dozen.
const KEPT: usize = 64;

/// The name that means the text of an element. No attribute has this name.
const TEXT: NameKey = NameKey::of(b"#text");

/// The positions of a page.
#[derive(Debug)]
pub(in crate::decode::markup) struct Positions {
    /// The part of each position that is kept.
    kept: ValuePositions,
    /// Links whose positions are not named: one that is followed, and one that is not.
    unnamed: Option<[Arc<OwnedLink>; 2]>,
    /// The positions that were used last, each at the number that its keys give or at the one
    /// beside it; empty before the first.
    attributes: Vec<Option<KnownPosition>>,
    texts: [Option<Arc<OwnedLink>>; 7],
}

/// The position of an attribute with these keys.
type KnownPosition = ((NameKey, NameKey), Arc<OwnedLink>);

/// An attribute of an element.
#[derive(Clone, Copy, Debug)]
pub(in crate::decode::markup) struct AttributePosition<'t> {
    /// The keys of both names.
    pub keys: (NameKey, NameKey),
    pub element: &'t [u8],
    pub attribute: &'t [u8],
    /// The relations of the link, in lower case.
    pub rel: &'t [u8],
    pub nofollow: bool,
}

/// A text outside of attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decode::markup) enum TextPosition {
    Text,
    Comment,
    Script,
    Style,
    JsonLd,
    Speculation,
    ImportMap,
}

impl TextPosition {
    const fn path(self) -> &'static str {
        match self {
            TextPosition::Text => "#text",
            TextPosition::Comment => "#comment",
            TextPosition::Script => "#script",
            TextPosition::Style => "STYLE/#text",
            TextPosition::JsonLd => "SCRIPT/#jsonld",
            TextPosition::Speculation => "SCRIPT/#speculationrules",
            TextPosition::ImportMap => "SCRIPT/#importmap",
        }
    }
}

impl From<ScriptJson> for TextPosition {
    fn from(kind: ScriptJson) -> TextPosition {
        match kind {
            ScriptJson::Linked => TextPosition::JsonLd,
            ScriptJson::Speculation => TextPosition::Speculation,
            ScriptJson::ImportMap => TextPosition::ImportMap,
        }
    }
}

impl Positions {
    /// Returns the positions of a page. `kept` is what is kept of each: those that are not named
    /// have neither path nor relations, so that the values of a page have one context.
    pub fn new(kept: ValuePositions) -> Positions {
        let unnamed = |nofollow| {
            Arc::new(OwnedLink {
                nofollow,
                ..OwnedLink::default()
            })
        };
        let is_unnamed = kept == ValuePositions::Unnamed;
        Positions {
            kept,
            unnamed: is_unnamed.then(|| [false, true].map(unnamed)),
            attributes: Vec::new(),
            texts: Default::default(),
        }
    }

    /// Returns those of a document that is a value of the page.
    pub fn nested(&self) -> Positions {
        Positions::new(self.kept)
    }

    /// Whether anything is kept of a position.
    pub fn are_kept(&self) -> bool {
        self.kept != ValuePositions::None
    }

    /// Returns the position of a value of an attribute, if it is kept.
    #[inline]
    pub fn attribute(&mut self, position: &AttributePosition) -> Option<Arc<OwnedLink>> {
        match self.kept {
            ValuePositions::None => None,
            _ => Some(self.kept_attribute(position)),
        }
    }

    fn kept_attribute(&mut self, position: &AttributePosition) -> Arc<OwnedLink> {
        if let Some(unnamed) = &self.unnamed {
            return Arc::clone(&unnamed[usize::from(position.nofollow)]);
        }
        let (element, attribute) = position.keys;
        if element == NameKey::LONG || attribute == NameKey::LONG {
            return position.link();
        }
        if self.attributes.is_empty() {
            self.attributes.resize(KEPT, None);
        }
        let number = position.number();
        for place in [number, number ^ 1] {
            if let Some(known) = &self.attributes[place]
                && position.is_of(known)
            {
                return Arc::clone(&known.1);
            }
        }
        let link = position.link();
        self.attributes.swap(number, number ^ 1);
        self.attributes[number] = Some((position.keys, Arc::clone(&link)));
        link
    }

    /// Returns the position of the text of an element of XML, if it is kept.
    pub fn element(&mut self, key: NameKey, name: &[u8]) -> Option<Arc<OwnedLink>> {
        let position = AttributePosition {
            keys: (key, TEXT),
            element: name,
            attribute: b"#text",
            rel: b"",
            nofollow: false,
        };
        self.attribute(&position)
    }

    /// Returns the position of a text, if it is kept.
    pub fn text(&mut self, position: TextPosition) -> Option<Arc<OwnedLink>> {
        if !self.are_kept() {
            return None;
        }
        if let Some([unnamed, _]) = &self.unnamed {
            return Some(Arc::clone(unnamed));
        }
        let known = self.texts[position as usize].get_or_insert_with(|| {
            Arc::new(OwnedLink {
                path: position.path().as_bytes().to_vec(),
                ..OwnedLink::default()
            })
        });
        Some(Arc::clone(known))
    }
}

impl<'t> AttributePosition<'t> {
    /// Returns the position of text of the same attribute, which has no relations.
    pub fn text(&self) -> AttributePosition<'t> {
        AttributePosition {
            rel: b"",
            nofollow: false,
            ..*self
        }
    }

    /// The number of its place among those that are kept.
    fn number(&self) -> usize {
        let (element, attribute) = self.keys;
        let kind = 2 * self.rel.len() + usize::from(self.nofollow);
        (element.mixed(5) ^ attribute.mixed(11)).wrapping_add(kind) % KEPT
    }

    /// Whether it is `link`, whose names have these keys. Comparing empty slices, which point
    /// nowhere, takes 100 ns on processors whose masked loads then fault.
    fn is_of(&self, (keys, link): &KnownPosition) -> bool {
        let same_rel = match self.rel {
            [] => link.rel.is_empty(),
            rel => link.rel == rel,
        };
        *keys == self.keys && same_rel && link.nofollow == self.nofollow
    }

    fn link(&self) -> Arc<OwnedLink> {
        let mut path = self.element.to_ascii_uppercase();
        path.extend_from_slice(match self.keys.1 {
            TEXT => b"/",
            _ => b"@/",
        });
        path.extend(self.attribute.iter().map(u8::to_ascii_lowercase));
        Arc::new(OwnedLink {
            path,
            rel: self.rel.to_vec(),
            nofollow: self.nofollow,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position<'t>(element: &'t str, attribute: &'t str, rel: &'t str) -> AttributePosition<'t> {
        AttributePosition {
            keys: (
                NameKey::of(element.as_bytes()),
                NameKey::of(attribute.as_bytes()),
            ),
            element: element.as_bytes(),
            attribute: attribute.as_bytes(),
            rel: rel.as_bytes(),
            nofollow: false,
        }
    }

    #[test]
    fn equal_positions_are_shared() {
        let mut positions = Positions::new(ValuePositions::Named);
        let mut link = |element, attribute, rel| {
            let link = positions.attribute(&position(element, attribute, rel));
            link.unwrap()
        };
        let first = link("a", "HREF", "x");
        assert_eq!(
            (&first.path[..], &first.rel[..]),
            (&b"A@/href"[..], &b"x"[..])
        );
        assert!(Arc::ptr_eq(&first, &link("A", "href", "x")));
        assert!(!Arc::ptr_eq(&first, &link("a", "href", "")));
        // Long names are not mistaken for each other.
        let long = |name| link(name, "x:a", "").path.clone();
        let paths = ["a-very-long-name-1", "a-very-long-name-2"].map(long);
        assert_eq!(
            paths,
            [&b"A-VERY-LONG-NAME-1@/x:a"[..], b"A-VERY-LONG-NAME-2@/x:a"]
        );
        let [text, again] = [(); 2].map(|()| positions.text(TextPosition::Style).unwrap());
        assert_eq!(text.path, b"STYLE/#text");
        assert!(Arc::ptr_eq(&text, &again));
    }

    #[test]
    fn what_is_not_asked_for_is_not_kept() {
        let followed = |kept| {
            let mut positions = Positions::new(kept).nested();
            let link = |nofollow, positions: &mut Positions| {
                let of = position("a", "href", "x");
                positions.attribute(&AttributePosition { nofollow, ..of })
            };
            let links = [false, true].map(|nofollow| link(nofollow, &mut positions));
            let all = [&links[..], &[positions.text(TextPosition::Text)]].concat();
            let shown = |link: Option<Arc<OwnedLink>>| {
                link.map(|link| (link.nofollow, link.path.is_empty() && link.rel.is_empty()))
            };
            all.into_iter().map(shown).collect::<Vec<_>>()
        };
        assert_eq!(followed(ValuePositions::None), [None; 3]);
        assert_eq!(
            followed(ValuePositions::Unnamed),
            [false, true, false].map(|nofollow| Some((nofollow, true)))
        );
        assert_eq!(
            followed(ValuePositions::Named),
            [false, true, false].map(|nofollow| Some((nofollow, false)))
        );
    }

    #[test]
    fn few_positions_are_kept() {
        let mut positions = Positions::new(ValuePositions::Named);
        for number in 0..100 * KEPT {
            let (name, rel) = (format!("e{number}"), format!("r{number}"));
            for position in [position(&name, "href", ""), position("a", "href", &rel)] {
                let link = positions.attribute(&position).unwrap();
                assert_eq!(
                    (&link.path, &link.rel[..]),
                    (&position.link().path, position.rel)
                );
                let again = positions.attribute(&position).unwrap();
                assert!(Arc::ptr_eq(&link, &again));
            }
        }
        assert_eq!(positions.attributes.len(), KEPT);
    }
}
