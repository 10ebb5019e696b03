//! The encoding of a document: by its byte-order mark, its media type, its own
//! declaration, or its bytes. The answer depends on fixed amounts of the document and
//! not on the pieces in which it is pushed. Conversion is left to `convert` and
//! `transcode`.

use super::super::utf16::{Beginning, Endian, utf16_bom};
use super::prescan;
use crate::item::Charset;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// The number of bytes at the start of a document that decide its encoding. Browsers read
/// 1,024 bytes at first; one real page in eight has its declaration after them.
pub(in crate::decode) const DECIDED_WITHIN: usize = 64 << 10;

/// The language of a document of markup.
///
/// ```
/// use urisieve::decode::Language;
/// assert_ne!(Language::Html, Language::Xml);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// HTML, which declares its encoding by `<meta>`, or like XML.
    Html,
    /// XML, also sitemaps and feeds, which declares its encoding at its beginning.
    Xml,
}

/// The encoding of a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decode) struct DocumentEncoding {
    encoding: &'static Encoding,
    /// The length of the byte-order mark, which is not part of the text.
    pub mark: usize,
}

impl DocumentEncoding {
    const fn plain(encoding: &'static Encoding) -> DocumentEncoding {
        DocumentEncoding { encoding, mark: 0 }
    }

    /// Returns the encoding of the document that begins with `head` and has this media
    /// type, the value of `Content-Type`; `None` when more bytes are needed. `whole`
    /// means that no bytes follow `head`. In this order: the byte-order mark, the
    /// parameter `charset`, the NULs of UTF-16, the document's own declaration, UTF-8 if
    /// the first [`DECIDED_WITHIN`] bytes are valid, a guess from these bytes.
    ///
    /// The encodings that the Encoding Standard replaces by an empty text (ISO-2022-KR,
    /// HZ-GB-2312) count as not declared: their ASCII can still be read.
    pub fn of(
        head: &[u8],
        whole: bool,
        media_type: &[u8],
        language: Language,
    ) -> Option<DocumentEncoding> {
        if may_be_mark(head) && !whole {
            return None;
        }
        let marked = |encoding, mark| Some(DocumentEncoding { encoding, mark });
        if head.starts_with(b"\xEF\xBB\xBF") {
            return marked(UTF_8, 3);
        }
        if let Some(endian) = utf16_bom(head) {
            return marked(of_endian(endian), 2);
        }
        if let Some(encoding) = of_media_type(media_type) {
            return Some(DocumentEncoding::plain(encoding));
        }
        if head.len() < DECIDED_WITHIN && !whole {
            return None;
        }
        let whole = whole && head.len() <= DECIDED_WITHIN;
        let head = &head[..head.len().min(DECIDED_WITHIN)];
        Some(DocumentEncoding::plain(of_content(head, whole, language)))
    }

    /// Returns the encoding in which the queries of relative references are encoded.
    pub fn charset(self) -> Charset {
        Charset::named(self.encoding.output_encoding().name())
    }

    /// Returns the encoding if markup can be split on its bytes, because no byte of
    /// another character is one of `< > " ' & =` or a blank.
    pub fn compatible_with_ascii(self) -> Option<&'static Encoding> {
        (self.encoding.is_ascii_compatible()).then_some(self.encoding)
    }

    /// Returns the byte order of UTF-16.
    pub fn utf16(self) -> Option<Endian> {
        if self.encoding == UTF_16LE {
            Some(Endian::Little)
        } else if self.encoding == UTF_16BE {
            Some(Endian::Big)
        } else {
            None
        }
    }
}

/// Whether more bytes decide if `head` begins with a byte-order mark.
fn may_be_mark(head: &[u8]) -> bool {
    b"\xEF\xBB\xBF".starts_with(head) && head.len() < 3
        || matches!(head, [0xFF] | [0xFE] | [0xFF, 0xFE] | [0xFF, 0xFE, 0])
}

const fn of_endian(endian: Endian) -> &'static Encoding {
    match endian {
        Endian::Little => UTF_16LE,
        Endian::Big => UTF_16BE,
    }
}

/// Returns the encoding that the bytes themselves declare or show.
fn of_content(head: &[u8], whole: bool, language: Language) -> &'static Encoding {
    // A head of this size decides about UTF-16.
    let beginning = Beginning::of(head, true, false);
    if let Some(endian) = beginning.and_then(|beginning| beginning.utf16) {
        return of_endian(endian);
    }
    let declared = match language {
        Language::Html => prescan::html(head),
        Language::Xml => prescan::xml(head),
    };
    if let Some(encoding) = declared {
        return encoding;
    }
    let is_utf8 = match std::str::from_utf8(head) {
        Ok(_) => true,
        // The last character may continue.
        Err(cause) => !whole && cause.error_len().is_none(),
    };
    if is_utf8 {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(head, whole);
    detector.guess(None, Utf8Detection::Deny)
}

/// Returns the encoding that the parameter `charset` of a media type names
/// (MIME Sniffing Standard, "parse a MIME type").
fn of_media_type(media_type: &[u8]) -> Option<&'static Encoding> {
    let is_blank = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' ');
    let from = media_type.iter().position(|&byte| byte == b';')?;
    let mut rest = &media_type[from + 1..];
    loop {
        let blanks = rest.iter().take_while(|byte| is_blank(byte)).count();
        rest = &rest[blanks..];
        let end = rest.iter().position(|byte| matches!(byte, b';' | b'='))?;
        let (name, after) = rest.split_at(end);
        let mut label = Vec::new();
        rest = &after[1..];
        if after[0] == b';' {
            continue;
        }
        if let Some(quoted) = rest.strip_prefix(b"\"") {
            let mut bytes = quoted.iter();
            while let Some(&byte) = bytes.next() {
                match byte {
                    b'"' => break,
                    b'\\' => label.extend(bytes.next()),
                    _ => label.push(byte),
                }
            }
            rest = bytes.as_slice();
        } else {
            let end = rest.iter().position(|&byte| byte == b';');
            label.extend_from_slice(&rest[..end.unwrap_or(rest.len())]);
        }
        if name.eq_ignore_ascii_case(b"charset") {
            return Encoding::for_label_no_replacement(&label);
        }
        let next = rest.iter().position(|&byte| byte == b';')?;
        rest = &rest[next + 1..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Returns the encoding and the length of the mark of the whole document.
    fn of(head: &[u8], media_type: &str, language: Language) -> (&'static str, usize) {
        let known = DocumentEncoding::of(head, true, media_type.as_bytes(), language).unwrap();
        (known.encoding.name(), known.mark)
    }

    #[test]
    fn the_first_statement_counts() {
        use Language::{Html, Xml};
        let russian = "Съешь же ещё этих мягких французских булок да выпей чаю".repeat(9);
        let (koi8, _, _) = encoding_rs::KOI8_R.encode(&russian);
        let utf16: Vec<u8> = b"<html>".iter().flat_map(|&byte| [byte, 0]).collect();
        for (head, media_type, language, wanted) in [
            (
                &b"\xEF\xBB\xBF<meta charset=gbk>"[..],
                "text/html; charset=big5",
                Html,
                ("UTF-8", 3),
            ),
            (
                b"\xFF\xFEa\0",
                "text/html; charset=big5",
                Html,
                ("UTF-16LE", 2),
            ),
            (b"\xFE\xFF\0a", "", Xml, ("UTF-16BE", 2)),
            (
                b"<meta charset=gbk>",
                "text/html; charset=big5",
                Html,
                ("Big5", 0),
            ),
            (
                b"<meta charset=gbk>",
                "text/html; charset=nothing",
                Html,
                ("GBK", 0),
            ),
            (b"<meta charset=gbk>", "text/html", Xml, ("UTF-8", 0)),
            (b"<?xml encoding='gbk'?>", "text/xml", Xml, ("GBK", 0)),
            (&utf16, "text/html", Html, ("UTF-16LE", 0)),
            (&utf16, "text/html; charset=utf-16be", Html, ("UTF-16BE", 0)),
            ("é".as_bytes(), "", Html, ("UTF-8", 0)),
            (b"", "", Html, ("UTF-8", 0)),
            (&koi8, "text/html", Html, ("KOI8-U", 0)),
            (
                b"caf\xE9",
                "text/html; charset=hz-gb-2312",
                Html,
                ("windows-1252", 0),
            ),
        ] {
            assert_eq!(
                of(head, media_type, language),
                wanted,
                "{media_type} {head:x?}"
            );
        }
    }

    #[test]
    fn the_parameter_of_a_media_type() {
        for (media_type, wanted) in [
            ("text/html;charset=utf-8", "UTF-8"),
            (
                "text/html; a=b; CHARSET=\"Latin1\"; charset=gbk",
                "windows-1252",
            ),
            ("text/html ; charset= shift_jis ", "Shift_JIS"),
            ("text/html; a=\";charset=gbk\"; charset=\"b\\ig5\"", "Big5"),
            ("text/html; x; charset=gbk", "GBK"),
            ("text/html; charset=nothing; charset=gbk", ""),
            ("text/html; charset='gbk'", ""),
            ("text/html; charset", ""),
            ("text/html; charset =gbk", ""),
            ("charset=gbk", ""),
            ("", ""),
        ] {
            let found = of_media_type(media_type.as_bytes()).map_or("", Encoding::name);
            assert_eq!(found, wanted, "{media_type}");
        }
    }

    #[test]
    fn the_first_64_kib_decide() {
        let filler = " ".repeat(DECIDED_WITHIN);
        let after = |len: usize, rest: &[u8]| [&filler.as_bytes()[..len], rest].concat();
        let meta = b"<meta charset=big5>";
        let inside = after(DECIDED_WITHIN - meta.len(), meta);
        assert_eq!(of(&inside, "", Language::Html).0, "Big5");
        let outside = after(DECIDED_WITHIN - meta.len() + 1, meta);
        assert_eq!(of(&outside, "", Language::Html).0, "UTF-8");
        // A character that continues after these bytes is valid, and a truncated one is
        // not.
        let divided = after(DECIDED_WITHIN - 1, "é".as_bytes());
        assert_eq!(of(&divided, "", Language::Html).0, "UTF-8");
        let ended = after(DECIDED_WITHIN - 1, b"\xC3");
        assert_ne!(of(&ended, "", Language::Html).0, "UTF-8");
        // Malformed bytes after them are not read.
        let malformed = after(DECIDED_WITHIN, b"\xE9");
        assert_eq!(of(&malformed, "", Language::Html).0, "UTF-8");
    }

    proptest! {
        /// The answer for a part of the document is that for the whole.
        #[test]
        fn what_is_known_of_a_part_stays(
            parts in prop::collection::vec(prop::sample::select(vec![
                &b"\xEF\xBB"[..], b"\xBF", b"\xFF", b"\xFE", b"\0", b"a", b"<meta charset=gbk>",
                b"\xE9", b"\xC3\xA9", b"<?xml encoding='big5'?>",
            ]), 0..8),
            media_type in prop::sample::select(vec!["", "a; charset=gbk"]),
            filler in prop::sample::select(vec![0, DECIDED_WITHIN]),
        ) {
            let mut document = parts.concat();
            document.resize(document.len() + filler, b' ');
            let decide = |len: usize, whole| {
                DocumentEncoding::of(&document[..len], whole, media_type.as_bytes(), Language::Html)
            };
            let wanted = decide(document.len(), true);
            for len in (0..20).chain([DECIDED_WITHIN - 1, DECIDED_WITHIN]) {
                let part = decide(len.min(document.len()), false);
                prop_assert!(part.is_none() || part == wanted);
            }
            prop_assert!(filler == 0 || decide(document.len(), false).is_some());
        }
    }
}
