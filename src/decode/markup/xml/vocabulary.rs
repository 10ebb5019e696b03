//! The elements and attributes of XML that hold references, by the root of the document:
//! sitemaps (sitemaps.org), feeds (RSS 2.0 and 1.0, RFC 4287), other XML (XInclude, XLink).
//! Pages in XML have the attributes of HTML.

/// The kind of document that the root element begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Vocabulary {
    /// `urlset` and `sitemapindex`.
    Sitemap,
    /// `rss` and `RDF`.
    Rss,
    /// `feed`
    Atom,
    /// `html`
    Page,
    /// `svg`
    Drawing,
    Other,
}

/// The kind of text in an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum XmlContent {
    Text,
    /// A reference.
    Link,
    /// A reference, if it is absolute.
    AbsoluteLink,
    /// HTML, written as text.
    Html,
    /// Elements of XHTML.
    Xhtml,
}

/// A name as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct QualifiedName<'t> {
    pub prefix: &'t [u8],
    pub local: &'t [u8],
}

impl<'t> QualifiedName<'t> {
    /// Splits `name` at its colon.
    pub fn of(name: &'t [u8]) -> QualifiedName<'t> {
        let colon = memchr::memchr(b':', name);
        let (prefix, local) = colon.map_or((&b""[..], name), |at| (&name[..at], &name[at + 1..]));
        QualifiedName { prefix, local }
    }

    fn is_prefixed(self) -> bool {
        !self.prefix.is_empty()
    }
}

/// An element, with the names on which its meaning depends.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementName<'t> {
    pub name: QualifiedName<'t>,
    /// Whether the parent of the element is `image`.
    pub in_image: bool,
    /// Whether the element has the prefix of the root.
    pub of_root: bool,
}

impl Vocabulary {
    /// Returns the vocabulary of a document with this root.
    pub fn of_root(root: QualifiedName) -> Vocabulary {
        match root.local {
            b"urlset" | b"sitemapindex" => Vocabulary::Sitemap,
            b"rss" | b"RDF" => Vocabulary::Rss,
            b"feed" => Vocabulary::Atom,
            b"html" => Vocabulary::Page,
            b"svg" => Vocabulary::Drawing,
            _ => Vocabulary::Other,
        }
    }

    /// Whether the value of an attribute of `element` is a reference. `attribute` is its
    /// whole name. Elements of pages are not known here.
    pub fn has_link(self, element: ElementName, attribute: &[u8]) -> bool {
        let QualifiedName { prefix, local } = element.name;
        let is_prefixed = element.name.is_prefixed();
        match (self, local, attribute) {
            (Vocabulary::Sitemap, b"link", b"href") => is_prefixed,
            (Vocabulary::Rss, b"enclosure", b"url") => !is_prefixed,
            (Vocabulary::Rss | Vocabulary::Atom, _, b"url") => prefix == b"media",
            // Elements of Atom and of podcasts, with any prefix.
            (Vocabulary::Rss, b"link" | b"image", b"href") => is_prefixed,
            (Vocabulary::Atom, b"link", b"href")
            | (Vocabulary::Atom, b"content", b"src")
            | (Vocabulary::Atom, b"generator", b"uri") => element.of_root,
            (Vocabulary::Other, b"include", b"href") => prefix == b"xi",
            (Vocabulary::Other, _, b"xlink:href") => true,
            _ => false,
        }
    }

    /// Returns the kind of the text of `element`. `attribute` returns the value of one of
    /// its attributes.
    pub fn content<'t>(
        self,
        element: ElementName,
        attribute: impl Fn(&[u8]) -> Option<&'t [u8]>,
    ) -> XmlContent {
        let QualifiedName { prefix, local } = element.name;
        let is_prefixed = element.name.is_prefixed();
        let link = |is_link| match is_link {
            true => XmlContent::Link,
            false => XmlContent::Text,
        };
        match (self, local) {
            (Vocabulary::Sitemap, b"loc") => XmlContent::Link,
            (Vocabulary::Sitemap, _) => link(is_prefixed && local.ends_with(b"_loc")),
            (Vocabulary::Rss, b"link" | b"docs" | b"comments") => link(!is_prefixed),
            (Vocabulary::Rss, b"url") => link(!is_prefixed && element.in_image),
            (Vocabulary::Rss, b"commentRss") => link(prefix == b"wfw"),
            (Vocabulary::Rss, b"guid") if !is_prefixed => {
                let permanent = attribute(b"isPermaLink").unwrap_or(b"true");
                match permanent.trim_ascii().eq_ignore_ascii_case(b"false") {
                    true => XmlContent::Text,
                    false => XmlContent::AbsoluteLink,
                }
            }
            (Vocabulary::Rss, b"description") if !is_prefixed => XmlContent::Html,
            (Vocabulary::Rss, b"encoded") if is_prefixed => XmlContent::Html,
            (Vocabulary::Atom, _) if !element.of_root => XmlContent::Text,
            (Vocabulary::Atom, b"uri" | b"icon" | b"logo") => XmlContent::Link,
            (Vocabulary::Atom, b"title" | b"subtitle" | b"summary" | b"rights" | b"content") => {
                let kind = attribute(b"type").unwrap_or_default().trim_ascii();
                let is = |name: &str| kind.eq_ignore_ascii_case(name.as_bytes());
                if is("html") || is("text/html") {
                    XmlContent::Html
                } else if is("xhtml") || is("application/xhtml+xml") {
                    XmlContent::Xhtml
                } else {
                    XmlContent::Text
                }
            }
            _ => XmlContent::Text,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An element as `parent/name`, in a document whose root has no prefix.
    fn element(path: &str) -> ElementName<'_> {
        let (parent, name) = path.split_once('/').unwrap_or(("", path));
        let name = QualifiedName::of(name.as_bytes());
        ElementName {
            name,
            in_image: parent == "image",
            of_root: !name.is_prefixed(),
        }
    }

    fn root(name: &str) -> Vocabulary {
        Vocabulary::of_root(QualifiedName::of(name.as_bytes()))
    }

    #[test]
    fn attributes_with_references() {
        for (name, links, others) in [
            (
                "urlset",
                &["xhtml:link@href"][..],
                &["link@href", "a@href", "x@xlink:href"][..],
            ),
            (
                "rss",
                &[
                    "enclosure@url",
                    "media:content@url",
                    "media:thumbnail@url",
                    "atom:link@href",
                    "atom10:link@href",
                    "itunes:image@href",
                ],
                &["link@href", "source@url", "a@href", "media:x@href"],
            ),
            ("rdf:RDF", &["atom:link@href"], &["item@rdf:about"]),
            (
                "feed",
                &[
                    "link@href",
                    "content@src",
                    "generator@uri",
                    "media:thumbnail@url",
                    "media:player@url",
                ],
                &["category@scheme", "x:link@href", "content@href", "x@url"],
            ),
            (
                "doc",
                &["xi:include@href", "a@xlink:href"],
                &["include@href", "a@href", "link@href"],
            ),
        ] {
            for (list, is_link) in [(links, true), (others, false)] {
                for case in list {
                    let (path, attribute) = case.split_once('@').unwrap();
                    let found = root(name).has_link(element(path), attribute.as_bytes());
                    assert_eq!(found, is_link, "{case} in {name}");
                }
            }
        }
    }

    #[test]
    fn texts_with_references() {
        for (name, path, attributes, content) in [
            ("sitemapindex", "loc", "", XmlContent::Link),
            ("urlset", "image:loc", "", XmlContent::Link),
            ("urlset", "video:player_loc", "", XmlContent::Link),
            ("urlset", "video:title", "", XmlContent::Text),
            ("rss", "link", "", XmlContent::Link),
            ("rss", "atom:link", "", XmlContent::Text),
            ("rss", "image/url", "", XmlContent::Link),
            ("rss", "url", "", XmlContent::Text),
            ("rss", "wfw:commentRss", "", XmlContent::Link),
            ("rss", "guid", "", XmlContent::AbsoluteLink),
            ("rss", "guid", "isPermaLink=False", XmlContent::Text),
            ("rss", "guid", "isPermaLink=true", XmlContent::AbsoluteLink),
            ("rss", "description", "", XmlContent::Html),
            ("rss", "content:encoded", "", XmlContent::Html),
            ("rss", "media:description", "", XmlContent::Text),
            ("rss", "title", "type=html", XmlContent::Text),
            ("feed", "icon", "", XmlContent::Link),
            ("feed", "id", "", XmlContent::Text),
            ("feed", "content", "type=html", XmlContent::Html),
            ("feed", "summary", "type=TEXT/HTML", XmlContent::Html),
            ("feed", "content", "type=xhtml", XmlContent::Xhtml),
            ("feed", "content", "type=text", XmlContent::Text),
            ("feed", "x:content", "type=html", XmlContent::Text),
            ("doc", "link", "", XmlContent::Text),
        ] {
            let attribute = |name: &[u8]| {
                let (known, value) = attributes.split_once('=')?;
                (known.as_bytes() == name).then_some(value.as_bytes())
            };
            let found = root(name).content(element(path), attribute);
            assert_eq!(found, content, "{path} in {name}");
        }
    }
}
