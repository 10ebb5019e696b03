//! Which encoding a document has: by its byte-order mark, its media type, its own
//! declaration, or by its bytes. The answer depends on fixed amounts of the document and
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

/// The language of a document, which decides how it declares its encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decode) enum Language {
    /// `<meta charset>` and `<meta http-equiv>`, then as in XML.
    Html,
    /// The XML declaration.
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
    /// UTF-8 without a byte-order mark.
    pub const UTF_8: DocumentEncoding = DocumentEncoding::plain(UTF_8);

    const fn plain(encoding: &'static Encoding) -> DocumentEncoding {
        DocumentEncoding { encoding, mark: 0 }
    }

    /// Returns the encoding of the document that begins with `head` and has this media
    /// type, the value of `Content-Type`; `None` when more bytes are needed. `whole` says
    /// that nothing follows `head`. In this order: the byte-order mark, the parameter
    /// `charset`, the NULs of UTF-16, the document's own declaration, UTF-8 where
    /// the first [`DECIDED_WITHIN`] bytes are valid, what these bytes look like.
    ///
    /// The encodings that the Encoding Standard replaces by nothing (ISO-2022-KR,
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

    /// Returns its name, in which the queries of relative references are encoded.
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

/// Whether more bytes may turn `head` into a byte-order mark, or into none.
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
