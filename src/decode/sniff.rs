//! Detects markup in inputs and bodies without a stated type, from their first bytes; in
//! archives by the MIME Sniffing Standard. robots.txt is left to the caller.

use super::format::head::InputHead;
use super::markup::Language;
use super::utf16::{Beginning, Utf16Decoder};
use std::borrow::Cow;

/// The number of bytes that decide ("resource header").
const SNIFFED: usize = 1445;

/// Returns the language of the document that `head` is the beginning of; the inner `None` for
/// other content, the outer one while more bytes are needed.
pub(super) fn markup_of(head: InputHead<'_>) -> Option<Option<Language>> {
    match head.is_resource {
        true => markup_of_unknown(head.bytes, head.whole),
        false => match markup_of_input(head.bytes, head.whole)? {
            None if head.fragments => markup_of_fragment(head.bytes, head.whole),
            found => Some(found),
        },
    }
}

/// Returns the markup that an input begins with: XML with `<?xml`, HTML with `<!doctype
/// html`, `<html`, `<head` or `<body`, after blanks and comments; the inner `None` for
/// other input. The outer `None` means that more bytes are needed. `whole` means that no
/// bytes follow `head`. At most 1,445 bytes are used, and in UTF-16 without a byte-order
/// mark 4 KiB.
fn markup_of_input(head: &[u8], whole: bool) -> Option<Option<Language>> {
    let (text, whole) = match text_of_head(head, whole)? {
        Some(text) => text,
        None => return Some(None),
    };
    let mut rest = &text[..];
    loop {
        rest = without_blanks(rest);
        if !begins(rest, b"<!--", whole)? {
            break;
        }
        // `<!-->` is a whole comment.
        match memchr::memmem::find(&rest[2..], b"-->") {
            Some(at) => rest = &rest[2 + at + 3..],
            None => return whole.then_some(None),
        }
    }
    if rest.is_empty() && !whole {
        return None;
    }
    let tags = [&b"<!doctype html"[..], b"<html", b"<head", b"<body"];
    let html = tags.map(|tag| begins_with_tag(rest, tag, whole));
    decide(&[
        (begins(rest, b"<?xml", whole), Some(Language::Xml)),
        (any(&html), Some(Language::Html)),
    ])
}

/// Whether an input begins with an element of HTML or a comment, although nothing says that it
/// is a document.
pub(super) fn begins_as_fragment(head: &[u8]) -> bool {
    markup_of_fragment(head, true).flatten().is_some()
}

/// The markup of an input in which links are looked for, with the same meaning as
/// [`markup_of_input`]: HTML if its first byte after blanks opens an element of HTML, or a
/// comment.
fn markup_of_fragment(head: &[u8], whole: bool) -> Option<Option<Language>> {
    let (text, whole) = match text_of_head(head, whole)? {
        Some(text) => text,
        None => return Some(None),
    };
    let rest = without_blanks(&text);
    if begins(rest, b"<!--", whole)? {
        return Some(Some(Language::Html));
    }
    let Some(tag) = rest.strip_prefix(b"<") else {
        return Some(None);
    };
    let is_of_name = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    let len = tag.iter().take_while(|byte| is_of_name(byte)).count();
    let (name, after) = tag.split_at(len);
    let is_tag = match after.first() {
        Some(next) => matches!(next, b'>' | b'/') || next.is_ascii_whitespace(),
        None if !whole => return None,
        None => false,
    };
    Some((is_tag && is_element(name)).then_some(Language::Html))
}

/// Whether an element of HTML has this name: one of the HTML Standard, also of the obsolete
/// ones, or one with a hyphen, which pages define.
fn is_element(name: &[u8]) -> bool {
    let is_custom = name.first().is_some_and(u8::is_ascii_alphabetic) && name.contains(&b'-');
    let mut elements = ELEMENTS.split_ascii_whitespace();
    is_custom || elements.any(|element| name.eq_ignore_ascii_case(element.as_bytes()))
}

/// The elements of the HTML Standard (sections 3.1, 4 and 16.2), with the roots of SVG and
/// MathML.
const ELEMENTS: &str = "\
    a abbr acronym address applet area article aside audio b base basefont bdi bdo bgsound big \
    blink blockquote body br button canvas caption center cite code col colgroup data datalist dd \
    del details dfn dialog dir div dl dt em embed fieldset figcaption figure font footer form \
    frame frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe image img input ins kbd \
    keygen label legend li link listing main map mark marquee math menu menuitem meta meter \
    multicol nav nextid nobr noembed noframes noscript object ol optgroup option output p param \
    picture plaintext pre progress q rb rp rt rtc ruby s samp script search section select slot \
    small source spacer span strike strong style sub summary sup svg table tbody td template \
    textarea tfoot th thead time title tr track tt u ul var video wbr xmp";

/// The tags by which an unknown resource is HTML.
const TAGS: [&[u8]; 16] = [
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<script",
    b"<iframe",
    b"<h1",
    b"<div",
    b"<font",
    b"<table",
    b"<a",
    b"<style",
    b"<title",
    b"<b",
    b"<body",
    b"<br",
    b"<p",
];

/// The first tags of feeds, which need no declaration.
const FEEDS: [&[u8]; 3] = [b"<rss", b"<feed", b"<rdf:rdf"];

/// The markup of a resource of unknown type, with the same meaning as
/// [`markup_of_input`]: by the whole table of tags, with feeds. A byte-order mark,
/// which in the Standard means plain text, is skipped.
fn markup_of_unknown(head: &[u8], whole: bool) -> Option<Option<Language>> {
    let (text, whole) = match text_of_head(head, whole)? {
        Some(text) => text,
        None => return Some(None),
    };
    let rest = without_blanks(&text);
    if rest.is_empty() && !whole {
        return None;
    }
    let html = TAGS.map(|tag| begins_with_tag(rest, tag, whole));
    let feeds = FEEDS.map(|tag| begins_with_tag(rest, tag, whole));
    decide(&[
        (begins(rest, b"<?xml", whole), Some(Language::Xml)),
        (begins(rest, b"<!--", whole), Some(Language::Html)),
        (any(&feeds), Some(Language::Xml)),
        (any(&html), Some(Language::Html)),
    ])
}

/// Returns the result of the first test that is true; `None` while a test before it is
/// not decided.
fn decide(tests: &[(Option<bool>, Option<Language>)]) -> Option<Option<Language>> {
    if let Some((_, markup)) = tests.iter().find(|test| test.0 == Some(true)) {
        return Some(*markup);
    }
    tests.iter().all(|test| test.0.is_some()).then_some(None)
}

fn any(tests: &[Option<bool>]) -> Option<bool> {
    if tests.contains(&Some(true)) {
        return Some(true);
    }
    (!tests.contains(&None)).then_some(false)
}

/// Returns the first bytes as ASCII or UTF-8, with whether they are all that counts, or
/// the inner `None` if they are not markup. The outer `None` means that more are needed.
#[allow(clippy::type_complexity)]
fn text_of_head(head: &[u8], whole: bool) -> Option<Option<(Cow<'_, [u8]>, bool)>> {
    let Beginning {
        mark,
        utf16,
        is_utf32,
    } = match without_blanks(head) {
        // A tag in an extension of ASCII.
        [b'<', next, ..] if *next != 0 => Beginning::default(),
        // Bytes that may be a tag in UTF-16, or a byte-order mark.
        [] | [b'<' | 0xEF | 0xFE | 0xFF | 0, ..] => Beginning::of(head, whole, false)?,
        _ => return Some(None),
    };
    // No page is in UTF-32 (Encoding Standard, section 4.2).
    if is_utf32 {
        return Some(None);
    }
    let text = &head[mark..];
    let enough = whole || text.len() >= SNIFFED;
    let text = &text[..text.len().min(SNIFFED)];
    Some(Some(match utf16 {
        None => (Cow::Borrowed(text), enough),
        Some(endian) => {
            let mut utf8 = Vec::new();
            Utf16Decoder::new(endian).decode(text, &mut utf8);
            (Cow::Owned(utf8), enough)
        }
    }))
}

/// Whether `rest` begins with `name`, in any case; `None` if it may, with more bytes.
fn begins(rest: &[u8], name: &[u8], whole: bool) -> Option<bool> {
    let len = rest.len().min(name.len());
    let same = rest[..len].eq_ignore_ascii_case(&name[..len]);
    match same && len < name.len() && !whole {
        true => None,
        false => Some(same && len == name.len()),
    }
}

/// Whether `rest` begins with this tag, and the name of the tag ends after it.
fn begins_with_tag(rest: &[u8], tag: &[u8], whole: bool) -> Option<bool> {
    let begins = begins(rest, tag, whole)?;
    match rest.get(tag.len()) {
        _ if !begins => Some(false),
        Some(next) => Some(matches!(next, b'>' | b'/') || next.is_ascii_whitespace()),
        None => whole.then_some(false),
    }
}

fn without_blanks(bytes: &[u8]) -> &[u8] {
    let from = bytes.iter().position(|byte| !byte.is_ascii_whitespace());
    &bytes[from.unwrap_or(bytes.len())..]
}

#[cfg(test)]
mod tests {
    use super::super::by_type::{FormatReading, decoder};
    use super::super::content_reading::ContentReading;
    use super::super::event::Event;
    use super::super::format::InputFormat;
    use super::super::in_pieces::push_in_pieces;
    use super::super::mentions::Mentions;
    use super::*;
    use crate::item::Part;

    fn shown(markup: Option<Language>) -> &'static str {
        match markup {
            Some(Language::Html) => "html",
            Some(Language::Xml) => "xml",
            None => "",
        }
    }

    /// Checks the answer for the whole text, in UTF-8 and UTF-16, and that every answer
    /// for a part of it is the same.
    fn check(detect: fn(&[u8], bool) -> Option<Option<Language>>, cases: &[(&str, &str)]) {
        for (text, wanted) in cases {
            let utf16 = |order: fn(u16) -> [u8; 2], mark: &[u8]| {
                let units = text.encode_utf16().flat_map(order);
                mark.iter().copied().chain(units).collect::<Vec<u8>>()
            };
            for bytes in [
                text.as_bytes().to_vec(),
                [b"\xEF\xBB\xBF", text.as_bytes()].concat(),
                utf16(u16::to_le_bytes, b"\xFF\xFE"),
                utf16(u16::to_be_bytes, b"\xFE\xFF"),
                utf16(u16::to_be_bytes, b""),
            ] {
                // A longer text in UTF-16 has fewer characters in these bytes.
                if bytes.len() > SNIFFED && bytes[..4].contains(&0) {
                    continue;
                }
                let answer = detect(&bytes, true).expect("nothing follows");
                assert_eq!(shown(answer), *wanted, "{text}");
                for len in 0..bytes.len() {
                    let part = detect(&bytes[..len], false);
                    assert!(part.is_none_or(|part| part == answer), "{text} at {len}");
                }
                if bytes.len() >= SNIFFED + 3 {
                    assert_eq!(detect(&bytes, false), Some(answer));
                }
            }
        }
    }

    #[test]
    fn inputs_are_markup_by_their_first_tag() {
        let far = format!("{}<html>", " ".repeat(1450));
        let near = format!("<!--{}--><html>", "-".repeat(1425));
        let open = format!("<!--{}<html>", " ".repeat(1500));
        check(
            markup_of_input,
            &[
                ("<?xml version='1.0'?>", "xml"),
                ("\n<?XML", "xml"),
                ("<!DOCTYPE html>", "html"),
                ("<!doctype HTML PUBLIC", "html"),
                ("<html lang=en>", "html"),
                ("\n\t<!-- a --> <!--><head>", "html"),
                ("<!---><body\nclass=a>", "html"),
                ("<!-- --><?xml ?>", "xml"),
                ("<html", ""),
                ("<htmlx>", ""),
                ("<header>", ""),
                ("<!doctype htm", ""),
                ("<!doctype svg>", ""),
                ("<p>", ""),
                ("<rss>", ""),
                ("a <html>", ""),
                ("<!-- <html>", ""),
                ("<", ""),
                (" ", ""),
                ("", ""),
                (&far, ""),
                (&near, "html"),
                (&open, ""),
            ],
        );
    }

    #[test]
    fn inputs_with_links_are_markup_by_any_element() {
        check(
            |head, whole| {
                markup_of(InputHead {
                    bytes: head,
                    whole,
                    is_resource: false,
                    tables: false,
                    fragments: true,
                })
            },
            &[
                ("<a href=x>y</a>", "html"),
                (" \n<DIV>", "html"),
                ("<br/>", "html"),
                ("<my-element x>", "html"),
                ("<!-- a -->", "html"),
                ("<!--", "html"),
                ("<svg\nwidth=1>", "html"),
                ("<?xml version='1.0'?>", "xml"),
                ("<html>", "html"),
                ("<http://a.example/>", ""),
                ("<a.example>", ""),
                ("<urlset>", ""),
                ("<-x>", ""),
                ("<>", ""),
                ("</a>", ""),
                ("<!x>", ""),
                ("<a", ""),
                ("<", ""),
                ("x <a href=x>", ""),
                ("", ""),
            ],
        );
    }

    #[test]
    fn records_of_unknown_type_are_markup_by_the_table_of_the_standard() {
        check(
            markup_of_unknown,
            &[
                ("<!DOCTYPE HTML>", "html"),
                (" <script>", "html"),
                ("<a href=x>", "html"),
                ("<p>", "html"),
                ("<br/>", "html"),
                ("<h1\n>", "html"),
                ("<!-- a", "html"),
                ("<?xml ", "xml"),
                ("<rss version='2.0'>", "xml"),
                ("<feed>", "xml"),
                ("<rdf:RDF xmlns='x'>", "xml"),
                ("<abc>", ""),
                ("<urlset>", ""),
                ("<p", ""),
                ("%PDF-1.4 <p>", ""),
                ("{\"a\": 1}", ""),
                ("", ""),
            ],
        );
        assert_eq!(markup_of_unknown(b"a", false), Some(None));
        assert_eq!(markup_of_unknown(b"<fee", false), None);
    }

    #[test]
    fn media_types_state_the_language() {
        for (media_type, stated) in [
            ("text/html; charset=x", Some("html")),
            ("Application/XHTML+XML", Some("xml")),
            ("text/xml", Some("xml")),
            (" application/rss+xml ;a", Some("xml")),
            ("", None),
            ("*/*", None),
            ("unknown/unknown", None),
            ("text/plain", Some("text")),
            ("text/htmlx", None),
        ] {
            let media_type = media_type.as_bytes().to_vec();
            let part = Part {
                media_type,
                ..Part::default()
            };
            assert_eq!(InputFormat::of(&part).map(|format| format.name), stated);
        }
    }

    #[test]
    fn the_chosen_decoder_reads_from_the_first_byte() {
        let reading = FormatReading {
            content: ContentReading {
                mentions: Mentions::None,
                ..ContentReading::default()
            },
            ..FormatReading::default()
        };
        for (body, event) in [
            ("  <p><a href=b>", "ReferenceA@/href"),
            ("<feed><icon>b</icon>", "ReferenceICON/#text"),
            ("plain text", "Text10"),
        ] {
            for size in [1, 4, 100] {
                let mut decoder = decoder(&Part::default(), &reading);
                let (mut events, mut len) = (Vec::new(), 0);
                push_in_pieces(
                    &mut *decoder,
                    body.as_bytes(),
                    &[size],
                    |pushed| match pushed.event {
                        Event::Value(value) => {
                            let path = &value.link.as_ref().unwrap().path;
                            events.push(format!("Reference{}", String::from_utf8_lossy(path)));
                        }
                        Event::Text(more) => len += more,
                        _ => {}
                    },
                );
                if len > 0 {
                    events.push(format!("Text{len}"));
                }
                assert_eq!(events, [event], "by {size}");
            }
        }
    }
}
