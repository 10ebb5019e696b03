//! Files whose text cannot be read in their bytes, for callers that read lists: what is
//! searched may be searched all the same, but the lines of such a file are not lines.

use super::opaque::{is_binary, opaque};

/// A Parquet file whose first page header is damaged has binary numbers in this many bytes.
const PARQUET_HEAD: usize = 64;

/// Returns what a file with these first bytes is called, such as `a ZIP archive`, if it is a
/// container that is not unpacked: its text is compressed or split into pages. The first 64
/// bytes are enough.
///
/// ```
/// use urisieve::unpack::opaque_container;
/// assert_eq!(opaque_container(b"PK\x03\x04..."), Some("a ZIP archive"));
/// assert_eq!(opaque_container(b"PAR1\x15\x04\x15\x10"), Some("a Parquet file"));
/// assert_eq!(opaque_container(b"PK is not an archive"), None);
/// ```
pub fn opaque_container(head: &[u8]) -> Option<&'static str> {
    if let Some((name, _)) = opaque(head) {
        return Some(name);
    }
    let mut bytes = head.iter().take(PARQUET_HEAD);
    let is_parquet = head.starts_with(b"PAR1") && bytes.any(is_binary);
    is_parquet.then_some("a Parquet file")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_table_is_one() {
        assert_eq!(
            opaque_container(b"PAR1a\x04\x15\x10"),
            Some("a Parquet file")
        );
        assert_eq!(opaque_container(b"PAR1S\nhttp://a.example/\n"), None);
    }
}
