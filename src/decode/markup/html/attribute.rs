//! The attributes of elements that hold references, and the ways in which they are
//! read.

use super::super::tokens::{NameKey, NameSieve};

/// The way in which the value of an attribute is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decode::markup) enum AttributeKind {
    /// The value is one reference.
    Url,
    /// A list of references that blanks separate.
    Blanks,
    /// A list of references that commas separate.
    Commas,
    Srcset,
    /// A reference, if the value is like one: an attribute in which scripts keep references.
    UrlLike,
    /// The same for a list like that of `srcset`.
    SrcsetLike,
    Css,
    Onclick,
    /// The content of `<meta>`: its other attributes decide.
    Content,
    /// A document.
    Srcdoc,
    /// Text.
    Other,
}

macro_rules! keys {
    ($($const:ident $name:literal)*) => {
        $(pub(super) const $const: NameKey = NameKey::of($name.as_bytes());)*
    };
}

keys! {
    A "a" APPLET "applet" AREA "area" BASE "base" BLOCKQUOTE "blockquote" BUTTON "button" DEL "del"
    FORM "form" FRAME "frame" HEAD "head" HTML "html" IFRAME "iframe" IMG "img" INPUT "input"
    INS "ins" LINK "link" MENUITEM "menuitem" META "meta" OBJECT "object" Q "q" SCRIPT "script"
    STYLE "style" WBR "wbr"
    ACTION "action" ALTIMG "altimg" ARCHIVE "archive" BACKGROUND "background" CDATA "cdata"
    CITE "cite" CLIP_PATH "clip-path" CODEBASE "codebase" CONTENT "content" CURSOR "cursor"
    DATA "data" DATA_HREF "data-href" DATA_LAZY_SRC "data-lazy-src"
    DATA_LAZY_SRCSET "data-lazy-srcset" DATA_ORIGINAL "data-original" DATA_SRC "data-src"
    DATA_SRCSET "data-srcset" DATA_URI "data-uri" DATA_URL "data-url" DYNSRC "dynsrc" FILL "fill"
    FILTER "filter" FORMACTION "formaction" HREF "href" HTTP_EQUIV "http-equiv" ICON "icon"
    IMAGESRCSET "imagesrcset" ITEMID "itemid" LONGDESC "longdesc" LOWSRC "lowsrc"
    MANIFEST "manifest" MARKER "marker" MARKER_END "marker-end" MARKER_MID "marker-mid"
    MARKER_START "marker-start" MASK "mask" NAME "name" ONCLICK "onclick" PING "ping"
    POSTER "poster" PROFILE "profile" PROPERTY "property" REL "rel" SRC "src" SRCDOC "srcdoc"
    SRCSET "srcset" STROKE "stroke" TYPE "type" USEMAP "usemap" XLINK_HREF "xlink:href"
}

/// Elements that often have a link.
pub(super) const LINKED: [NameKey; 4] = [A, IMG, LINK, META];

/// All attributes that have a kind on some element.
const KNOWN: [NameKey; 46] = [
    ACTION,
    ALTIMG,
    ARCHIVE,
    BACKGROUND,
    CDATA,
    CITE,
    CLIP_PATH,
    CODEBASE,
    CONTENT,
    CURSOR,
    DATA,
    DATA_HREF,
    DATA_LAZY_SRC,
    DATA_LAZY_SRCSET,
    DATA_ORIGINAL,
    DATA_SRC,
    DATA_SRCSET,
    DATA_URI,
    DATA_URL,
    DYNSRC,
    FILL,
    FILTER,
    FORMACTION,
    HREF,
    ICON,
    IMAGESRCSET,
    ITEMID,
    LONGDESC,
    LOWSRC,
    MANIFEST,
    MARKER,
    MARKER_END,
    MARKER_MID,
    MARKER_START,
    MASK,
    ONCLICK,
    PING,
    POSTER,
    PROFILE,
    SRC,
    SRCDOC,
    SRCSET,
    STROKE,
    STYLE,
    USEMAP,
    XLINK_HREF,
];

static SIEVE: NameSieve = NameSieve::of(&KNOWN);

/// Whether an attribute with this name may have a kind.
#[inline]
pub(super) fn may_have_kind(name: &[u8]) -> bool {
    SIEVE.may_have(name)
}

/// Returns the way in which the value of an attribute of `element` is read.
pub(super) fn kind_of(element: NameKey, attribute: NameKey) -> AttributeKind {
    use AttributeKind::*;
    let on = |elements: &[NameKey], kind| match elements.contains(&element) {
        true => kind,
        false => Other,
    };
    match attribute {
        // The `href` of `<base>` is not a link.
        HREF if element == BASE => Other,
        HREF | SRC | XLINK_HREF | POSTER | BACKGROUND => Url,
        DATA_HREF | DATA_URI | DATA_URL | DATA_SRC | DATA_ORIGINAL | DATA_LAZY_SRC => UrlLike,
        DATA_SRCSET | DATA_LAZY_SRCSET => SrcsetLike,
        ITEMID | LOWSRC | DYNSRC | ALTIMG | USEMAP => Url,
        ACTION => on(&[FORM], Url),
        FORMACTION => on(&[BUTTON, INPUT], Url),
        CITE => on(&[Q, BLOCKQUOTE, DEL, INS], Url),
        LONGDESC => on(&[IMG, FRAME, IFRAME], Url),
        DATA => on(&[OBJECT], Url),
        CODEBASE | CDATA => on(&[OBJECT, APPLET], Url),
        ICON => on(&[MENUITEM], Url),
        MANIFEST => on(&[HTML], Url),
        PING => on(&[A, AREA], Blanks),
        PROFILE => on(&[HEAD], Blanks),
        ARCHIVE if element == APPLET => Commas,
        ARCHIVE => on(&[OBJECT], Blanks),
        SRCSET => Srcset,
        IMAGESRCSET => on(&[LINK], Srcset),
        STYLE | FILL | STROKE | FILTER | CLIP_PATH | MASK | CURSOR => Css,
        MARKER | MARKER_START | MARKER_MID | MARKER_END => Css,
        ONCLICK => Onclick,
        CONTENT => on(&[META], Content),
        SRCDOC => on(&[IFRAME], Srcdoc),
        _ => Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        use AttributeKind::*;
        for (element, attribute, kind) in [
            ("a", "href", Url),
            ("use", "xlink:href", Url),
            ("base", "href", Other),
            ("x-link", "src", Url),
            ("form", "action", Url),
            ("a", "action", Other),
            ("link", "imagesrcset", Srcset),
            ("img", "imagesrcset", Other),
            ("object", "archive", Blanks),
            ("applet", "archive", Commas),
            ("embed", "archive", Other),
            ("img", "data-src", UrlLike),
            ("div", "data-lazy-src", UrlLike),
            ("img", "data-lazy-srcset", SrcsetLike),
            ("p", "style", Css),
            ("path", "marker-mid", Css),
            ("meta", "content", Content),
            ("article", "content", Other),
            ("p", "class", Other),
            ("p", "data-href-long-name", Other),
        ] {
            let [element, key] = [element, attribute].map(|name| NameKey::of(name.as_bytes()));
            assert_eq!(kind_of(element, key), kind, "{attribute}");
            assert!(kind == Other || may_have_kind(attribute.to_uppercase().as_bytes()));
        }
        for name in [
            "",
            "id",
            "title",
            "alt",
            "class",
            "width",
            "data-id",
            "aria-label",
            "a-long-name-of-20",
            "data-lazy-srcsets",
        ] {
            assert!(!may_have_kind(name.as_bytes()), "{name}");
        }
    }
}
