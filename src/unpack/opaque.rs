//! Containers whose text cannot be searched in their bytes, because it is compressed or
//! split into pages. They are detected by their first bytes, and not unpacked.

/// The first bytes of a container, its name, and what of it is not searched.
type OpaqueFormat = (&'static [u8], &'static str, &'static str);

const COMPRESSED: &str = "compressed content is not searched";
const PAGED: &str = "text across page boundaries is not found";

const FORMS: [OpaqueFormat; 21] = [
    // ZIP, and every format based on ZIP: office documents, EPUB, JAR; empty, or in
    // parts.
    (b"PK\x03\x04", "a ZIP archive", COMPRESSED),
    (b"PK\x05\x06", "a ZIP archive", COMPRESSED),
    (b"PK\x07\x08", "a ZIP archive", COMPRESSED),
    (b"%PDF-", "a PDF document", COMPRESSED),
    // The header of the first page is a structure of Thrift.
    (b"PAR1\x15", "a Parquet file", COMPRESSED),
    (b"Obj\x01", "an Avro file", COMPRESSED),
    (b"ARROW1\0\0", "an Arrow file", COMPRESSED),
    (b"\x89HDF\r\n\x1A\n", "an HDF5 file", COMPRESSED),
    (b"SQLite format 3\0", "an SQLite database", PAGED),
    (
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
        "an OLE2 document (.doc, .xls, .msg)",
        PAGED,
    ),
    (b"7z\xBC\xAF\x27\x1C", "a 7z archive", COMPRESSED),
    (b"Rar!\x1A\x07", "a RAR archive", COMPRESSED),
    (b"MSCF\0\0\0\0", "a cabinet archive", COMPRESSED),
    (b"xar!\0", "a xar archive", COMPRESSED),
    (b"!<arch>\ndebian-binary", "a Debian package", COMPRESSED),
    (b"\xED\xAB\xEE\xDB", "an RPM package", COMPRESSED),
    (b"MSWIM\0\0\0", "a WIM image", COMPRESSED),
    (b"hsqs", "a SquashFS image", COMPRESSED),
    (b"\x1F\x9D", "a file of compress (.Z)", COMPRESSED),
    (b"LZIP\x01", "an lzip file", COMPRESSED),
    (b"\xFF\x06\0\0sNaPpY", "a Snappy stream", COMPRESSED),
];

/// ORC begins with these letters, then with a stripe.
const ORC: &[u8] = b"ORC";
/// This many bytes are enough to distinguish a stripe from text.
const ORC_LEN: usize = 16;

/// Returns the name of the container that begins with `head`, and what of it is not
/// searched, if it is one that is not unpacked.
///
/// ```
/// use urisieve::unpack::opaque;
/// assert_eq!(opaque(b"PK\x03\x04...").unwrap().0, "a ZIP archive");
/// assert!(opaque(b"PK is no archive").is_none());
/// ```
pub fn opaque(head: &[u8]) -> Option<(&'static str, &'static str)> {
    if head.len() >= ORC_LEN && head.starts_with(ORC) {
        let found = head[..ORC_LEN].iter().any(is_binary);
        return found.then_some(("an ORC file", COMPRESSED));
    }
    let found = FORMS.iter().find(|form| head.starts_with(form.0));
    found.map(|&(_, name, cause)| (name, cause))
}

/// Whether a byte is a control character that texts do not contain.
pub(super) fn is_binary(byte: &u8) -> bool {
    matches!(byte, 0..=8 | 0x0E..=0x1A | 0x1C..=0x1F)
}

/// Whether `head` is too short to decide, but may become the beginning of such a
/// container.
///
/// ```
/// use urisieve::unpack::may_become_opaque;
/// assert!(may_become_opaque(b"PK") && may_become_opaque(b"ORC"));
/// assert!(!may_become_opaque(b"PK is") && !may_become_opaque(b"PK\x03\x04"));
/// ```
pub fn may_become_opaque(head: &[u8]) -> bool {
    let begins = |form: &OpaqueFormat| form.0.len() > head.len() && form.0.starts_with(head);
    let is_orc = head.len() < ORC_LEN && (head.starts_with(ORC) || ORC.starts_with(head));
    is_orc || FORMS.iter().any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_detected_by_its_first_bytes() {
        for (magic, name, _) in FORMS {
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
