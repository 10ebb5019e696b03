//! Containers whose text cannot be searched in their bytes, because it is compressed or
//! split into pages. They are detected by their first bytes, and not unpacked.

/// A container that is not unpacked.
struct OpaqueFormat {
    /// The first bytes.
    magic: &'static [u8],
    name: &'static str,
    /// The text that is not searched.
    cause: &'static str,
    /// The extensions of files that begin so.
    extensions: &'static [&'static str],
}

const COMPRESSED: &str = "compressed content is not searched";
const PAGED: &str = "text across page boundaries is not found";

/// A container whose content is compressed.
const fn compressed(
    magic: &'static [u8],
    name: &'static str,
    extensions: &'static [&'static str],
) -> OpaqueFormat {
    OpaqueFormat {
        magic,
        name,
        cause: COMPRESSED,
        extensions,
    }
}

/// Returns the row of a container whose text is split into pages. No extension promises
/// such a container.
const fn paged(magic: &'static [u8], name: &'static str) -> OpaqueFormat {
    OpaqueFormat {
        magic,
        name,
        cause: PAGED,
        extensions: &[],
    }
}

/// The formats based on ZIP, except for those that may begin with a program (`.jar`).
const ZIPS: &[&str] = &["zip", "epub", "docx", "xlsx", "pptx", "odt", "ods", "odp"];

const FORMS: [OpaqueFormat; 21] = [
    // ZIP, and every format based on ZIP: office documents, EPUB, JAR; empty, or in
    // parts.
    compressed(b"PK\x03\x04", "a ZIP archive", ZIPS),
    compressed(b"PK\x05\x06", "a ZIP archive", ZIPS),
    compressed(b"PK\x07\x08", "a ZIP archive", ZIPS),
    // Some bytes may precede it.
    compressed(b"%PDF-", "a PDF document", &[]),
    // The header of the first page is a structure of Thrift.
    compressed(b"PAR1\x15", "a Parquet file", &["parquet", "pq"]),
    compressed(b"Obj\x01", "an Avro file", &["avro"]),
    compressed(b"ARROW1\0\0", "an Arrow file", &["arrow"]),
    compressed(b"\x89HDF\r\n\x1A\n", "an HDF5 file", &[]),
    paged(b"SQLite format 3\0", "an SQLite database"),
    paged(
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
        "an OLE2 document (.doc, .xls, .msg)",
    ),
    compressed(b"7z\xBC\xAF\x27\x1C", "a 7z archive", &["7z"]),
    compressed(b"Rar!\x1A\x07", "a RAR archive", &["rar"]),
    compressed(b"MSCF\0\0\0\0", "a cabinet archive", &["cab"]),
    compressed(b"xar!\0", "a xar archive", &["xar"]),
    compressed(b"!<arch>\ndebian-binary", "a Debian package", &["deb"]),
    compressed(b"\xED\xAB\xEE\xDB", "an RPM package", &["rpm"]),
    compressed(b"MSWIM\0\0\0", "a WIM image", &["wim"]),
    compressed(b"hsqs", "a SquashFS image", &["squashfs"]),
    compressed(b"\x1F\x9D", "a file of compress (.Z)", &["z"]),
    compressed(b"LZIP\x01", "an lzip file", &["lz"]),
    compressed(b"\xFF\x06\0\0sNaPpY", "a Snappy stream", &["sz"]),
];

/// ORC begins with these letters, then with a stripe.
const ORC: &[u8] = b"ORC";
/// The number of bytes that are enough to distinguish a stripe from text.
const ORC_LEN: usize = 16;

/// The container, whose text is not searched, that a file begins with: its name, and
/// the note on its text.
pub(crate) fn opaque(head: &[u8]) -> Option<(&'static str, &'static str)> {
    if head.len() >= ORC_LEN && head.starts_with(ORC) {
        let found = head[..ORC_LEN].iter().any(is_binary);
        return found.then_some(("an ORC file", COMPRESSED));
    }
    let found = FORMS.iter().find(|form| head.starts_with(form.magic));
    found.map(|form| (form.name, form.cause))
}

/// Returns the name of the format of a file with these first bytes, such as `a ZIP archive`,
/// if it is a container that is not unpacked: its text is compressed or split into pages, so
/// that its lines are not a list. The first 64 bytes are enough.
///
/// ```
/// use urisieve::unpack::opaque_container;
/// assert_eq!(opaque_container(b"PK\x03\x04..."), Some("a ZIP archive"));
/// assert_eq!(opaque_container(b"PAR1\x15\x04\x15\x10"), Some("a Parquet file"));
/// assert_eq!(opaque_container(b"PK is not an archive"), None);
/// ```
pub fn opaque_container(head: &[u8]) -> Option<&'static str> {
    // The header of the first page may be damaged.
    let is_parquet = || head.starts_with(b"PAR1").then_some("a Parquet file");
    opaque(head).map(|(name, _)| name).or_else(is_parquet)
}

/// The name of the container with extensions that `is` accepts.
pub(super) fn named(is: impl Fn(&[&str]) -> bool) -> Option<&'static str> {
    let found = FORMS.iter().find(|form| is(form.extensions));
    found.map(|form| form.name)
}

/// The first bytes of a container with this name.
pub(super) fn magics(name: &str) -> Vec<&'static [u8]> {
    let forms = FORMS.iter().filter(|form| form.name == name);
    forms.map(|form| form.magic).collect()
}

/// Whether a byte is a control character that texts do not contain.
fn is_binary(byte: &u8) -> bool {
    matches!(byte, 0..=8 | 0x0E..=0x1A | 0x1C..=0x1F)
}

/// Whether `head`, the first bytes of an input, is text or markup, in any encoding.
pub(super) fn is_text(head: &[u8]) -> bool {
    let is_wide = head.starts_with(b"\xFF\xFE") || head.starts_with(b"\xFE\xFF");
    if is_wide || begins_markup(head) {
        return true;
    }
    !head.contains(&0) && (is_utf8(head) || !head.iter().any(is_binary))
}

/// Whether `head` is UTF-8 without control characters that texts do not contain.
pub(super) fn is_utf8_text(head: &[u8]) -> bool {
    is_utf8(head) && !head.iter().any(is_binary)
}

/// Whether `head` is UTF-8. The last character may continue after it.
fn is_utf8(head: &[u8]) -> bool {
    std::str::from_utf8(head).map_or_else(|e| e.error_len().is_none(), |_| true)
}

/// Whether `head` begins with a tag, a comment or a declaration, which may be UTF-16.
fn begins_markup(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head);
    let mut bytes = head.iter().filter(|&&b| b != 0);
    let first = bytes.find(|b| !b.is_ascii_whitespace());
    first == Some(&b'<')
        && bytes
            .next()
            .is_some_and(|&b| b.is_ascii_alphabetic() || b == b'!' || b == b'?')
}

/// Whether `head` is too short to decide and may begin such a container.
pub(crate) fn may_become_opaque(head: &[u8]) -> bool {
    let begins =
        |form: &OpaqueFormat| form.magic.len() > head.len() && form.magic.starts_with(head);
    let is_orc = head.len() < ORC_LEN && (head.starts_with(ORC) || ORC.starts_with(head));
    is_orc || FORMS.iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_detected_by_its_first_bytes() {
        for OpaqueFormat { magic, name, .. } in FORMS {
            assert_eq!(opaque(magic).unwrap().0, name);
            assert!(!may_become_opaque(magic));
            for len in 0..magic.len() {
                assert!(may_become_opaque(&magic[..len]) && opaque(&magic[..len]).is_none());
            }
        }
        assert_eq!(
            opaque(b"ORC\n\x0B\n\x03\0\0\0\0\0\0\0\0\0").unwrap().0,
            "an ORC file"
        );
        assert!(opaque(b"ORCID https://orcid.org/").is_none());
    }
}
