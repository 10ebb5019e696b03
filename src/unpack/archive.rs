//! What web archives begin with.

/// Whether a file that begins with `head` is a web archive.
///
/// ```
/// use urisieve::unpack::is_archive;
/// assert!(is_archive(b"WARC/1.1\r\n") && is_archive(b"filedesc://a.arc"));
/// assert!(!is_archive(b"WARC"));
/// ```
pub fn is_archive(head: &[u8]) -> bool {
    head.starts_with(b"WARC/") || head.starts_with(b"filedesc://")
}
