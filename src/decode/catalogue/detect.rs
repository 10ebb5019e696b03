//! Which format of a catalogue does an input begin with? XML is recognised by the first
//! elements and namespaces, all else by its first bytes.

use super::format::CatalogueFormat;
use super::{leader, mrk, pica};
use memchr::memmem;

/// How far an input in XML is read to detect the format.
const DETECTED: usize = 4 << 10;

/// How far an input is searched for bytes that no table has.
const BINARY_WITHIN: usize = 4 << 10;

impl CatalogueFormat {
    /// Returns the format of records that an input begins with, by its content: a
    /// catalogue, else a table. `None` when more bytes are needed (nothing follows `head`
    /// when it is `whole`), the inner `None` when it is neither.
    ///
    /// ```
    /// use urisieve::decode::CatalogueFormat;
    /// let of = |text: &[u8]| CatalogueFormat::of_records(text, true);
    /// assert_eq!(of(b"=001  7\n"), Some(Some(CatalogueFormat::Mrk)));
    /// assert_eq!(of(b"id,url\n"), Some(Some(CatalogueFormat::Csv)));
    /// assert_eq!(of(b"{\"id\":1}\n"), Some(Some(CatalogueFormat::JsonLines)));
    /// assert_eq!(of(b"\x89PNG\r\n\x1A\n\0\0\0"), Some(None));
    /// ```
    pub fn of_records(head: &[u8], whole: bool) -> Option<Option<CatalogueFormat>> {
        if let Some(format) = catalogue_of_input(head, whole)? {
            return Some(Some(format));
        }
        let text = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
        let text = text.trim_ascii_start();
        let is_binary = |byte: &u8| matches!(byte, 0..=8 | 0x0E..=0x1A);
        Some(match text {
            [] if !whole => return None,
            text if text.iter().take(BINARY_WITHIN).any(is_binary) => None,
            // XML that is no catalogue.
            [b'<', b'?' | b'!' | b'a'..=b'z' | b'A'..=b'Z', ..] => None,
            [b'{', ..] => Some(CatalogueFormat::JsonLines),
            _ => Some(CatalogueFormat::Csv),
        })
    }
}

/// Returns the format that an input begins with; the inner `None` for other input. The
/// outer `None` means that more bytes are needed; none follow when `whole` is set.
pub(in crate::decode) fn catalogue_of_input(
    head: &[u8],
    whole: bool,
) -> Option<Option<CatalogueFormat>> {
    const MARK: &[u8] = b"\xEF\xBB\xBF";
    if !whole && head.len() < MARK.len() && MARK.starts_with(head) {
        return None;
    }
    // Blanks before a record may have no end.
    let first = &head[..head.len().min(leader::DETECTED)];
    let enough = whole || head.len() >= leader::DETECTED;
    let tests = [
        (CatalogueFormat::Marc, leader::detect(first, enough)),
        (CatalogueFormat::Mrk, mrk::detect(first, enough)),
        (CatalogueFormat::Pica, pica::detect(first, enough)),
    ];
    if let Some((format, _)) = tests.iter().find(|test| test.1 == Some(true)) {
        return Some(Some(*format));
    }
    if tests.iter().any(|test| test.1.is_none()) {
        return None;
    }
    let whole = whole || head.len() >= DETECTED;
    let head = &head[..head.len().min(DETECTED)];
    let text = head.strip_prefix(MARK).unwrap_or(head).trim_ascii_start();
    match text {
        [] => whole.then_some(None),
        [b'<'] if !whole => None,
        [b'<', b'?' | b'a'..=b'z' | b'A'..=b'Z', ..] => of_xml(head, whole),
        // A comment may precede the first tag.
        [b'<', b'!', ..] if text.starts_with(b"<!--") || b"<!--".starts_with(text) => {
            of_xml(head, whole)
        }
        _ => Some(None),
    }
}

/// Returns the format of XML by the first mark of one.
fn of_xml(head: &[u8], whole: bool) -> Option<Option<CatalogueFormat>> {
    const MARKS: [(&[u8], CatalogueFormat); 9] = [
        (b"info:srw/schema/5/picaXML", CatalogueFormat::PicaXml),
        (b"/xmlns/ppxml-1", CatalogueFormat::PicaXml),
        (b"/MARC21/slim\"", CatalogueFormat::MarcXml),
        (b"/MARC21/slim'", CatalogueFormat::MarcXml),
        (b"datafield", CatalogueFormat::MarcXml),
        (b"controlfield", CatalogueFormat::MarcXml),
        (b"http://www.loc.gov/mods/v3\"", CatalogueFormat::Mods),
        (b"http://www.loc.gov/mods/v3'", CatalogueFormat::Mods),
        (
            b"http://purl.org/dc/elements/1.1/",
            CatalogueFormat::DublinCore,
        ),
    ];
    let bytes = &head[..head.len().min(DETECTED)];
    let is_html = [
        &b"<html"[..],
        b"<HTML",
        b"<!DOCTYPE html",
        b"<!doctype html",
        b"<svg",
        b"<rss",
        b"<feed",
        b"<xsl:",
    ]
    .iter()
    .any(|tag| memmem::find(bytes, tag).is_some());
    if is_html {
        return Some(None);
    }
    let first =
        |mark: &(&[u8], CatalogueFormat)| memmem::find(bytes, mark.0).map(|at| (at, mark.1));
    let found = MARKS.iter().filter_map(first).min_by_key(|found| found.0);
    match found {
        // A namespace of Dublin Core may be declared around records of another format.
        Some((_, CatalogueFormat::DublinCore)) if !whole && head.len() < DETECTED => None,
        Some((_, CatalogueFormat::DublinCore)) => Some(core_or_other(bytes)),
        Some((_, format)) => Some(Some(format)),
        None if whole || head.len() >= DETECTED => Some(None),
        None => None,
    }
}

/// The format of XML that declares Dublin Core: another one, if it has a mark of it; and
/// none, if its elements are not in a record (a feed, or the description of a book).
fn core_or_other(bytes: &[u8]) -> Option<CatalogueFormat> {
    let marks = [
        (&b"datafield"[..], Some(CatalogueFormat::MarcXml)),
        (b"<mods", Some(CatalogueFormat::Mods)),
        (b"mods:mods", Some(CatalogueFormat::Mods)),
        (b"purl.org/rss/1.0", None),
        (b"<dc", Some(CatalogueFormat::DublinCore)),
        (b"_dc", Some(CatalogueFormat::DublinCore)),
        (b"<record", Some(CatalogueFormat::DublinCore)),
        (b"<metadata xmlns", Some(CatalogueFormat::DublinCore)),
    ];
    let found = marks
        .iter()
        .find(|mark| memmem::find(bytes, mark.0).is_some());
    found.and_then(|mark| mark.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_known_by_their_beginning() {
        for (head, format) in [
            (
                "00050nam a2200037 a 4500001000500000\x1E1234\x1E\x1D",
                Some("marc"),
            ),
            ("=LDR  00050nam", Some("mrk")),
            ("\u{FEFF}=001  12345", Some("mrk")),
            ("003@ $012345\n", Some("pica")),
            ("001@ \x1Fa5\x1E", Some("pica")),
            ("\x1D\n\x1E001@ \x1Fa5\n", Some("pica")),
            (
                "<record><leader>x</leader><controlfield tag='001'>1</controlfield>",
                Some("marcxml"),
            ),
            (
                "<?xml version='1.0'?><record xmlns=\"info:srw/schema/5/picaXML-v1.0\"><datafield tag='003@'>",
                Some("picaxml"),
            ),
            ("<mods xmlns=\"http://www.loc.gov/mods/v3\">", Some("mods")),
            (
                "<oai_dc:dc xmlns:dc=\"http://purl.org/dc/elements/1.1/\">",
                Some("dc"),
            ),
            (
                "<rdf:RDF xmlns:dc='http://purl.org/dc/elements/1.1/' xmlns='http://purl.org/rss/1.0/'><dc:x>",
                None,
            ),
            ("<?xml version='1.0'?><urlset/>", None),
            ("<html><p>datafield", None),
            ("=== A heading", None),
            ("003 $0", None),
            ("plain text", None),
            ("", None),
        ] {
            let answer = catalogue_of_input(head.as_bytes(), true).expect("nothing follows");
            assert_eq!(answer.map(CatalogueFormat::name), format, "{head}");
            for len in 0..head.len() {
                let part = catalogue_of_input(&head.as_bytes()[..len], false);
                assert!(part.is_none_or(|part| part == answer), "{head} at {len}");
            }
        }
    }
}
