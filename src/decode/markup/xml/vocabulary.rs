//! Which elements and attributes of XML hold references, by the root of the document:
//! sitemaps (sitemaps.org), feeds (RSS 2.0 and 1.0, RFC 4287), other XML (XInclude, XLink).
//! Pages in XML have the attributes of HTML.

/// What kind of document the root element begins.
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

/// What the text of an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementContent {
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

/// A name as it is written.
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

/// An element, with what its meaning depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementName<'t> {
    pub name: QualifiedName<'t>,
    /// Whether its parent is `image`.
    pub in_image: bool,
    /// Whether its prefix is that of the root.
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
    /// whole name. Pages are not known here.
    pub fn has_link(self, element: ElementName, attribute: &[u8]) -> bool {
        let QualifiedName { prefix, local } = element.name;
        let is_prefixed = element.name.is_prefixed();
        match (self, local, attribute) {
            (Vocabulary::Sitemap, b"link", b"href") => is_prefixed,
            (Vocabulary::Rss, b"enclosure", b"url") => !is_prefixed,
            (Vocabulary::Rss, _, b"url") => prefix == b"media",
            // Of Atom and of podcasts, by whatever prefix.
            (Vocabulary::Rss, b"link" | b"image", b"href") => is_prefixed,
            (Vocabulary::Atom, b"link", b"href")
            | (Vocabulary::Atom, b"content", b"src")
            | (Vocabulary::Atom, b"generator", b"uri") => element.of_root,
            (Vocabulary::Other, b"include", b"href") => prefix == b"xi",
            (Vocabulary::Other, _, b"xlink:href") => true,
            _ => false,
        }
    }

    /// Returns what the text of `element` is. `attribute` returns the value of one of its
    /// attributes.
    pub fn content<'t>(
        self,
        element: ElementName,
        attribute: impl Fn(&[u8]) -> Option<&'t [u8]>,
    ) -> ElementContent {
        let QualifiedName { prefix, local } = element.name;
        let is_prefixed = element.name.is_prefixed();
        let link = |is_link| match is_link {
            true => ElementContent::Link,
            false => ElementContent::Text,
        };
        match (self, local) {
            (Vocabulary::Sitemap, b"loc") => ElementContent::Link,
            (Vocabulary::Sitemap, _) => link(is_prefixed && local.ends_with(b"_loc")),
            (Vocabulary::Rss, b"link" | b"docs" | b"comments") => link(!is_prefixed),
            (Vocabulary::Rss, b"url") => link(!is_prefixed && element.in_image),
            (Vocabulary::Rss, b"commentRss") => link(prefix == b"wfw"),
            (Vocabulary::Rss, b"guid") if !is_prefixed => {
                let permanent = attribute(b"isPermaLink").unwrap_or(b"true");
                match permanent.trim_ascii().eq_ignore_ascii_case(b"false") {
                    true => ElementContent::Text,
                    false => ElementContent::AbsoluteLink,
                }
            }
            (Vocabulary::Rss, b"description") if !is_prefixed => ElementContent::Html,
            (Vocabulary::Rss, b"encoded") if is_prefixed => ElementContent::Html,
            (Vocabulary::Atom, _) if !element.of_root => ElementContent::Text,
            (Vocabulary::Atom, b"uri" | b"icon" | b"logo") => ElementContent::Link,
            (Vocabulary::Atom, b"title" | b"subtitle" | b"summary" | b"rights" | b"content") => {
                let kind = attribute(b"type").unwrap_or_default().trim_ascii();
                let is = |name: &str| kind.eq_ignore_ascii_case(name.as_bytes());
                if is("html") || is("text/html") {
                    ElementContent::Html
                } else if is("xhtml") || is("application/xhtml+xml") {
                    ElementContent::Xhtml
                } else {
                    ElementContent::Text
                }
            }
            _ => ElementContent::Text,
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
                &["link@href", "content@src", "generator@uri"],
                &["category@scheme", "x:link@href", "content@href"],
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
            ("sitemapindex", "loc", "", ElementContent::Link),
            ("urlset", "image:loc", "", ElementContent::Link),
            ("urlset", "video:player_loc", "", ElementContent::Link),
            ("urlset", "video:title", "", ElementContent::Text),
            ("rss", "link", "", ElementContent::Link),
            ("rss", "atom:link", "", ElementContent::Text),
            ("rss", "image/url", "", ElementContent::Link),
            ("rss", "url", "", ElementContent::Text),
            ("rss", "wfw:commentRss", "", ElementContent::Link),
            ("rss", "guid", "", ElementContent::AbsoluteLink),
            ("rss", "guid", "isPermaLink=False", ElementContent::Text),
            (
                "rss",
                "guid",
                "isPermaLink=true",
                ElementContent::AbsoluteLink,
            ),
            ("rss", "description", "", ElementContent::Html),
            ("rss", "content:encoded", "", ElementContent::Html),
            ("rss", "media:description", "", ElementContent::Text),
            ("rss", "title", "type=html", ElementContent::Text),
            ("feed", "icon", "", ElementContent::Link),
            ("feed", "id", "", ElementContent::Text),
            ("feed", "content", "type=html", ElementContent::Html),
            ("feed", "summary", "type=TEXT/HTML", ElementContent::Html),
            ("feed", "content", "type=xhtml", ElementContent::Xhtml),
            ("feed", "content", "type=text", ElementContent::Text),
            ("feed", "x:content", "type=html", ElementContent::Text),
            ("doc", "link", "", ElementContent::Text),
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
