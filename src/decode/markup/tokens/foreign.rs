//! SVG and MathML inside HTML ("foreign content" of the HTML Standard): the tags that
//! belong to them, as far as this is known without a tree. Their scripts and styles are
//! markup, and only they have CDATA sections.

use super::name::NameKey;

/// The greatest number of elements of SVG and MathML whose names are kept. Drawings nest
/// a dozen; deeper elements are only counted.
const DEPTH_MAX: usize = 128;

/// The names of open elements of SVG and MathML.
#[derive(Debug, Default)]
pub(super) struct Foreign {
    open: Vec<ForeignElement>,
    /// The number of further open elements.
    deeper: u32,
}

#[derive(Clone, Copy, Debug)]
struct ForeignElement {
    name: NameKey,
    is_svg: bool,
    point: Point,
    /// The number of elements of HTML with the same name that are open inside.
    nested: u32,
}

/// Which start tags inside of an element are HTML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Point {
    /// Elements that end the foreign content.
    Breaking,
    /// All: an HTML integration point.
    Html,
    /// All but two: a MathML text integration point.
    MathText,
    /// `<svg>` only.
    Annotation,
}

macro_rules! names {
    ($($const:ident $name:literal)*) => {
        $(const $const: NameKey = NameKey::of($name.as_bytes());)*
    };
}

names! {
    SVG "svg" MATH "math" MGLYPH "mglyph" MALIGNMARK "malignmark"
    FOREIGN_OBJECT "foreignobject" DESC "desc" TITLE "title" ANNOTATION "annotation-xml"
    MI "mi" MO "mo" MN "mn" MS "ms" MTEXT "mtext" FONT "font" A "a"
    HTML "html" FORM "form" BUTTON "button" LABEL "label"
    SECTION "section" ARTICLE "article" ASIDE "aside" HEADER "header" FOOTER "footer"
    MAIN "main" NAV "nav" FIGURE "figure" TD "td" TH "th" TR "tr"
}

/// "A start tag whose tag name is one of", of the rules for foreign content; sorted.
static BREAKING: [NameKey; 44] = sorted([
    "b",
    "big",
    "blockquote",
    "body",
    "br",
    "center",
    "code",
    "dd",
    "div",
    "dl",
    "dt",
    "em",
    "embed",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "head",
    "hr",
    "i",
    "img",
    "li",
    "listing",
    "menu",
    "meta",
    "nobr",
    "ol",
    "p",
    "pre",
    "ruby",
    "s",
    "small",
    "span",
    "strong",
    "strike",
    "sub",
    "sup",
    "table",
    "tt",
    "u",
    "ul",
    "var",
]);

const fn sorted<const N: usize>(names: [&str; N]) -> [NameKey; N] {
    let mut keys = [NameKey::LONG; N];
    let mut i = 0;
    while i < N {
        keys[i] = NameKey::of(names[i].as_bytes());
        let mut j = i;
        while j > 0 && keys[j].is_less(keys[j - 1]) {
            (keys[j], keys[j - 1]) = (keys[j - 1], keys[j]);
            j -= 1;
        }
        i += 1;
    }
    keys
}

fn breaks(name: NameKey) -> bool {
    BREAKING.binary_search(&name).is_ok()
}

impl Foreign {
    /// Whether a CDATA section may be here.
    pub fn allows_cdata(&self) -> bool {
        !self.open.is_empty()
    }

    /// Reads a start tag. Returns whether it is an element of SVG or MathML. `attribute`
    /// returns the value of an attribute.
    #[inline]
    pub fn start<'t>(
        &mut self,
        name: NameKey,
        self_closing: bool,
        attribute: impl Fn(NameKey) -> Option<&'t [u8]>,
    ) -> bool {
        match self.open.is_empty() {
            true => self.root(name, self_closing),
            false => self.start_inside(name, self_closing, attribute),
        }
    }

    /// Reads a start tag inside of SVG or MathML, or of HTML in it.
    #[cold]
    fn start_inside<'t>(
        &mut self,
        name: NameKey,
        self_closing: bool,
        attribute: impl Fn(NameKey) -> Option<&'t [u8]>,
    ) -> bool {
        let Some(&top) = self.open.last() else {
            return false;
        };
        let is_html = self.deeper == 0
            && match top.point {
                Point::Breaking => false,
                Point::Html => true,
                Point::MathText => name != MGLYPH && name != MALIGNMARK,
                Point::Annotation => name == SVG,
            };
        if is_html {
            if name == top.name
                && let Some(top) = self.open.last_mut()
            {
                top.nested = top.nested.saturating_add(1);
            }
            return self.root(name, self_closing);
        }
        let font = || [b"color" as &[u8], b"face", b"size"].map(NameKey::of);
        if breaks(name) || name == FONT && font().into_iter().any(|key| attribute(key).is_some()) {
            self.leave();
            return false;
        }
        if !self_closing {
            let point = match (top.is_svg, name) {
                (true, FOREIGN_OBJECT | DESC | TITLE) => Point::Html,
                (false, MI | MO | MN | MS | MTEXT) => Point::MathText,
                (false, ANNOTATION) => {
                    let is_html = |value: &[u8]| {
                        value.eq_ignore_ascii_case(b"text/html")
                            || value.eq_ignore_ascii_case(b"application/xhtml+xml")
                    };
                    match attribute(NameKey::of(b"encoding")) {
                        Some(value) if is_html(value) => Point::Html,
                        _ => Point::Annotation,
                    }
                }
                _ => Point::Breaking,
            };
            self.push(name, top.is_svg, point);
        }
        true
    }

    /// The elements of HTML that are roots of SVG and MathML.
    pub const ROOTS: [NameKey; 2] = [SVG, MATH];

    /// Reads a start tag of HTML.
    fn root(&mut self, name: NameKey, self_closing: bool) -> bool {
        let is_root = Foreign::ROOTS.contains(&name);
        if is_root && !self_closing {
            self.push(name, name == SVG, Point::Breaking);
        }
        is_root
    }

    fn push(&mut self, name: NameKey, is_svg: bool, point: Point) {
        if self.open.len() == DEPTH_MAX {
            self.deeper = self.deeper.saturating_add(1);
        } else {
            self.open.push(ForeignElement {
                name,
                is_svg,
                point,
                nested: 0,
            });
        }
    }

    /// Reads an end tag. Returns whether it belongs to SVG or MathML.
    #[inline]
    pub fn end(&mut self, name: NameKey) -> bool {
        !self.open.is_empty() && self.end_inside(name)
    }

    #[cold]
    fn end_inside(&mut self, name: NameKey) -> bool {
        let Some(top) = self.open.last_mut() else {
            return false;
        };
        if self.deeper > 0 {
            self.deeper -= 1;
            return true;
        }
        let is_html = matches!(top.point, Point::Html | Point::MathText);
        if is_html && name == top.name && top.nested > 0 {
            top.nested -= 1;
            return false;
        }
        // In HTML inside of foreign content, only these end tags can belong to foreign
        // content.
        if !is_html || name == top.name || name == SVG || name == MATH {
            let found = self.open.iter().rposition(|open| open.name == name);
            if let Some(found) = found {
                self.open.truncate(found);
                return true;
            }
        }
        if !is_html && is_html_only(name) {
            self.leave();
        }
        false
    }

    /// Ends the foreign content up to HTML inside of it, or all.
    fn leave(&mut self) {
        self.deeper = 0;
        let is_point = |open: &ForeignElement| matches!(open.point, Point::Html | Point::MathText);
        let kept = self.open.iter().rposition(is_point);
        self.open.truncate(kept.map_or(0, |at| at + 1));
    }
}

/// Whether an end tag inside foreign content, of an element that is not open there, ends
/// an element of HTML around it, and the foreign content with that. The Standard checks
/// whether the element is open; here an element that only HTML has is taken to be open.
fn is_html_only(name: NameKey) -> bool {
    breaks(name)
        || matches!(
            name,
            A | HTML | FORM | BUTTON | LABEL | SECTION | ARTICLE | ASIDE | HEADER | FOOTER
        )
        || matches!(name, MAIN | NAV | FIGURE | TD | TH | TR)
}
