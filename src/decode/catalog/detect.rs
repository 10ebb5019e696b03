//! Which format of a catalogue does an input begin with? XML is recognised by the first
//! elements and namespaces, all else by its first bytes.

use super::beyond;
use super::elements::{DETECTED, ELEMENTS, may_hold_records, of_elements, of_xml};
use super::format::CatalogFormat;
use super::forms::{leader, mrk, pica};

/// The byte-order mark of UTF-8.
const MARK: &[u8] = b"\xEF\xBB\xBF";

/// The number of bytes of an input that are searched for bytes that no table contains.
/// One of them is accepted for this number of other bytes, because a table may be
/// damaged.
const BINARY_WITHIN: usize = 4 << 10;
const BINARY_RATE: usize = 256;

impl CatalogFormat {
    /// Returns the format of records that an input begins with, by its content: a
    /// catalogue, otherwise the first records in 64 KiB of it, otherwise a table. `None` when
    /// more bytes are needed (no bytes follow `head` when it is `whole`), the inner `None` when
    /// it is neither.
    ///
    /// ```
    /// use urisieve::decode::CatalogFormat;
    /// let of = |text: &[u8]| CatalogFormat::of_records(text, true);
    /// assert_eq!(of(b"=001  7\n"), Some(Some(CatalogFormat::Mrk)));
    /// assert_eq!(of(b"id,url\n"), Some(Some(CatalogFormat::Csv)));
    /// assert_eq!(of(b"{\"id\":1}\n"), Some(Some(CatalogFormat::JsonLines)));
    /// assert_eq!(of(b"\x89PNG\r\n\x1A\n\0\0\0"), Some(None));
    /// ```
    pub fn of_records(head: &[u8], whole: bool) -> Option<Option<CatalogFormat>> {
        if let Some(format) = catalog_of_input(head, whole)? {
            return Some(Some(format));
        }
        if let Some(format) = despite_damage(head, whole)? {
            return Some(Some(format));
        }
        if let Some(format) = beyond::format(head, whole)? {
            return Some(Some(format));
        }
        let text = head.strip_prefix(MARK).unwrap_or(head);
        let text = text.trim_ascii_start();
        let is_binary = |byte: &&u8| matches!(byte, 0..=8 | 0x0E..=0x1A);
        let begin = &text[..text.len().min(BINARY_WITHIN)];
        let binary = begin.iter().filter(is_binary).count();
        Some(match text {
            [] if !whole => return None,
            _ if binary > begin.len().div_ceil(BINARY_RATE) => None,
            // XML that is not a catalogue.
            [b'<', b'?' | b'!' | b'a'..=b'z' | b'A'..=b'Z', ..] => None,
            [b'{', ..] => Some(CatalogFormat::JsonLines),
            _ => Some(CatalogFormat::Csv),
        })
    }
}

/// Returns the format of a catalogue in whose first bytes one is wrong: by the line after
/// the first one, or by the elements of XML. `None` as for [`CatalogFormat::of_records`].
fn despite_damage(head: &[u8], whole: bool) -> Option<Option<CatalogFormat>> {
    let whole = whole || head.len() >= DETECTED;
    let head = &head[..head.len().min(DETECTED)];
    let head = head.strip_prefix(MARK).unwrap_or(head);
    // Objects of JSON are passed on line by line.
    if head.starts_with(b"{") {
        return Some(None);
    }
    // A field of normalized PICA+ ends in 1E.
    let line = memchr::memchr2(b'\n', leader::FIELD_END, head.get(1..).unwrap_or_default());
    let end = line.map(|at| at + 2).or(whole.then_some(head.len()))?;
    let rest = &head[end..];
    // The byte that is wrong may look like one.
    let field = memchr::memchr(leader::FIELD_END, rest).map_or(0, |at| at + 1);
    for (format, found) in [
        (CatalogFormat::Mrk, mrk::detect(rest, whole)),
        (CatalogFormat::Pica, pica::detect(rest, whole)),
        (CatalogFormat::Pica, pica::detect(&rest[field..], whole)),
    ] {
        if found? {
            return Some(Some(format));
        }
    }
    let is_object = |line: &[u8]| line.trim_ascii().ends_with(b"}");
    if rest.starts_with(b"{") && is_object(&head[..end]) {
        return Some(Some(CatalogFormat::JsonLines));
    }
    // The byte that is wrong may look like a blank.
    let blanks = head.len() - head.trim_ascii_start().len();
    let text = &head[blanks..];
    let begins_xml = |text: &[u8]| {
        text.starts_with(b"?xml") || ELEMENTS.iter().any(|name| text.starts_with(name))
    };
    match text {
        [first, rest @ ..]
            if *first == b'<' || begins_xml(rest) || blanks > 0 && begins_xml(text) =>
        {
            match whole {
                true => of_xml(head, true).map(|found| found.or_else(|| of_elements(head))),
                false => None,
            }
        }
        _ => Some(None),
    }
}

/// Returns the format that an input begins with; the inner `None` for other input. The
/// outer `None` means that more bytes are needed; no bytes follow when `whole` is set.
pub(in crate::decode) fn catalog_of_input(
    head: &[u8],
    whole: bool,
) -> Option<Option<CatalogFormat>> {
    if !whole && head.len() < MARK.len() && MARK.starts_with(head) {
        return None;
    }
    // Blanks before a record may have no end.
    let first = &head[..head.len().min(leader::DETECTED)];
    let enough = whole || head.len() >= leader::DETECTED;
    let tests = [
        (CatalogFormat::Marc, leader::detect(first, enough)),
        (CatalogFormat::Mrk, mrk::detect(first, enough)),
        (CatalogFormat::Pica, pica::detect(first, enough)),
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
        [b'<', b'?', ..] => of_xml(head, whole),
        [b'<', b'a'..=b'z' | b'A'..=b'Z', ..] => match may_hold_records(text, whole)? {
            true => of_xml(head, whole),
            false => Some(None),
        },
        // A comment may precede the first tag.
        [b'<', b'!', ..] if text.starts_with(b"<!--") || b"<!--".starts_with(text) => {
            of_xml(head, whole)
        }
        _ => Some(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::InputFormat;

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
            (
                "<collection><record><datafield tag=\"003@\" occurrence=\"\">",
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
            (
                "<export xmlns:m='x'><m:set>1</m:set><m:record><m:datafield tag='001'>",
                Some("marcxml"),
            ),
            (
                "<export>\n <item a='<'><record><datafield>",
                Some("marcxml"),
            ),
            ("<export><b/><record><datafield>", None),
            ("<http://a.example/> <record><datafield>", None),
            ("=== A heading", None),
            ("003 $0", None),
            ("plain text", None),
            ("", None),
        ] {
            let answer = catalog_of_input(head.as_bytes(), true).expect("nothing follows");
            let name = answer.map(|found| InputFormat::of_records(found).name);
            assert_eq!(name, format, "{head}");
            for len in 0..head.len() {
                let part = catalog_of_input(&head.as_bytes()[..len], false);
                assert!(part.is_none_or(|part| part == answer), "{head} at {len}");
            }
        }
    }

    /// A line of a pipe must not wait for more where it cannot begin a catalogue.
    #[test]
    fn lines_that_begin_no_catalog_are_decided_at_once() {
        for line in [
            "<http://a.example/>\n",
            "<a@b.example>\n",
            "<doc>http://a.example/</doc>\n",
            "<event time='1'><msg>http://a.example/</msg></event>\n",
            "<a href=\"http://a.example/\">A</a>\n",
            "<br/>\n",
            "<34>1 2026-11-23 http://a.example/\n",
            "http://a.example/\n",
            "=LD http://a.example/\n",
            "12345 http://a.example/\n",
            "001A http://a.example/\n",
            "{\"a\":\"http://a.example/\"}\n",
        ] {
            assert_eq!(
                catalog_of_input(line.as_bytes(), false),
                Some(None),
                "{line}"
            );
        }
    }
}
