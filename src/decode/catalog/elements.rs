//! Which format of a catalogue in XML does a text begin with? Its first elements and
//! namespaces show it.

use super::format::CatalogFormat;
use memchr::memmem;

/// The number of bytes of an input in XML that are read to detect the format.
pub(super) const DETECTED: usize = 4 << 10;

/// The elements around records, and the first elements of records, without their
/// prefixes.
pub(super) const ELEMENTS: [&[u8]; 14] = [
    b"OAI-PMH",
    b"GetRecord",
    b"ListRecords",
    b"collection",
    b"controlfield",
    b"datafield",
    b"dc",
    b"leader",
    b"metadata",
    b"mods",
    b"modsCollection",
    b"record",
    b"records",
    b"searchRetrieveResponse",
];

/// Returns whether records of a catalogue may follow the tags at the start of `text`, which
/// has no XML declaration; `None` when more bytes are needed. They may if one of these tags
/// is of a known element or declares a namespace. Otherwise the first text or end tag
/// decides, so that lines such as `<http://a.example/>` in a pipe are not held back.
pub(super) fn may_hold_records(mut text: &[u8], whole: bool) -> Option<bool> {
    let more = whole.then_some(false);
    while let Some(tag) = text.strip_prefix(b"<") {
        let is_name = |byte: &u8| {
            matches!(byte, b'-' | b'.' | b':' | b'_' | 0x80..) || byte.is_ascii_alphanumeric()
        };
        let len = tag.iter().take_while(|byte| is_name(byte)).count();
        let (name, rest) = tag.split_at(len);
        let Some(next) = rest.first() else {
            return more;
        };
        let begins = name
            .first()
            .is_some_and(|&byte| byte == b'_' || byte.is_ascii_alphabetic() || byte >= 0x80);
        let is_ended = matches!(next, b'>' | b'/') || next.is_ascii_whitespace();
        if !begins || !is_ended {
            return Some(false);
        }
        let local = name.rsplit(|&byte| byte == b':').next().unwrap_or(name);
        if ELEMENTS.contains(&local) {
            return Some(true);
        }
        let Some(end) = memchr::memchr(b'>', rest) else {
            return more;
        };
        if memmem::find(&rest[..end], b"xmlns").is_some() {
            return Some(true);
        }
        if rest[..end].ends_with(b"/") {
            return Some(false);
        }
        text = rest[end + 1..].trim_ascii_start();
    }
    match text {
        [] => more,
        _ => Some(false),
    }
}

/// Returns the format of XML by the first mark of one.
pub(super) fn of_xml(head: &[u8], whole: bool) -> Option<Option<CatalogFormat>> {
    const MARKS: [(&[u8], CatalogFormat); 9] = [
        (b"info:srw/schema/5/picaXML", CatalogFormat::PicaXml),
        (b"/xmlns/ppxml-1", CatalogFormat::PicaXml),
        (b"/MARC21/slim\"", CatalogFormat::MarcXml),
        (b"/MARC21/slim'", CatalogFormat::MarcXml),
        (b"datafield", CatalogFormat::MarcXml),
        (b"controlfield", CatalogFormat::MarcXml),
        (b"http://www.loc.gov/mods/v3\"", CatalogFormat::Mods),
        (b"http://www.loc.gov/mods/v3'", CatalogFormat::Mods),
        (
            b"http://purl.org/dc/elements/1.1/",
            CatalogFormat::DublinCore,
        ),
    ];
    let bytes = &head[..head.len().min(DETECTED)];
    let html = other_markup(bytes);
    let first = |mark: &(&[u8], CatalogFormat)| memmem::find(bytes, mark.0).map(|at| (at, mark.1));
    let mut found = MARKS.iter().filter_map(first).min_by_key(|found| found.0);
    if let Some((at, format)) = &mut found
        && bytes[*at..].starts_with(b"datafield")
        && has_pica_tag(&bytes[*at..], whole || head.len() >= DETECTED)?
    {
        *format = CatalogFormat::PicaXml;
    }
    match found {
        // A mark that comes first decides at once, also where a pipe pauses behind it.
        Some((at, format))
            if format != CatalogFormat::DublinCore && html.is_none_or(|html| at < html) =>
        {
            Some(Some(format))
        }
        _ if html.is_some() => Some(None),
        // A namespace of Dublin Core may be declared around records of another format.
        Some((_, CatalogFormat::DublinCore)) if !whole && head.len() < DETECTED => None,
        Some((_, CatalogFormat::DublinCore)) => Some(core_or_other(bytes)),
        Some((_, format)) => Some(Some(format)),
        None if whole || head.len() >= DETECTED => Some(None),
        None => None,
    }
}

/// Returns where markup begins that is no catalogue, although it may have elements of one.
fn other_markup(bytes: &[u8]) -> Option<usize> {
    const TAGS: [&[u8]; 8] = [
        b"<html",
        b"<HTML",
        b"<!DOCTYPE html",
        b"<!doctype html",
        b"<svg",
        b"<rss",
        b"<feed",
        b"<xsl:",
    ];
    let places = TAGS.iter().filter_map(|tag| memmem::find(bytes, tag));
    places.min()
}

/// Whether a field has a tag of PICA+, whose namespace may be damaged; `None` when more bytes are
/// needed.
fn has_pica_tag(field: &[u8], whole: bool) -> Option<bool> {
    let end = memchr::memchr(b'>', field);
    let end = end.or(whole.then_some(field.len()))?;
    let tag = memmem::find(&field[..end], b"tag=").and_then(|at| field.get(at + 5..at + 9));
    Some(tag.is_some_and(|tag| {
        let [digits @ .., last] = tag else {
            return false;
        };
        digits.iter().all(u8::is_ascii_digit) && (*last == b'@' || last.is_ascii_uppercase())
    }))
}

/// Returns the format of XML by the names of its elements, where the namespace is damaged.
pub(super) fn of_elements(head: &[u8]) -> Option<CatalogFormat> {
    let bytes = &head[..head.len().min(DETECTED)];
    if other_markup(bytes).is_some() {
        return None;
    }
    let marks = [
        (&b"<mods>"[..], CatalogFormat::Mods),
        (b"<mods ", CatalogFormat::Mods),
        (b"<mods:mods", CatalogFormat::Mods),
        (b"<dc:", CatalogFormat::DublinCore),
    ];
    let found = marks
        .iter()
        .find(|mark| memmem::find(bytes, mark.0).is_some());
    found.map(|mark| mark.1)
}

/// The format of XML that declares Dublin Core: another format, if a mark of it occurs;
/// `None` if the elements are not in a record (a feed, or the description of a book).
fn core_or_other(bytes: &[u8]) -> Option<CatalogFormat> {
    let marks = [
        (&b"datafield"[..], Some(CatalogFormat::MarcXml)),
        (b"<mods", Some(CatalogFormat::Mods)),
        (b"mods:mods", Some(CatalogFormat::Mods)),
        (b"purl.org/rss/1.0", None),
        (b"<dc", Some(CatalogFormat::DublinCore)),
        (b"_dc", Some(CatalogFormat::DublinCore)),
        (b"<record", Some(CatalogFormat::DublinCore)),
        (b"<metadata xmlns", Some(CatalogFormat::DublinCore)),
    ];
    let found = marks
        .iter()
        .find(|mark| memmem::find(bytes, mark.0).is_some());
    found.and_then(|mark| mark.1)
}
