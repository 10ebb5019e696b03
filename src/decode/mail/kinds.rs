//! The media types of parts, by how these are read (T8, T9).

/// The type of a message.
pub(super) const MESSAGE: &[u8] = b"message/rfc822";

/// Types whose content is a message, also a part of one (T8).
const MESSAGES: [&[u8]; 5] = [
    MESSAGE,
    b"message/global",
    b"message/news",
    b"message/partial",
    b"text/rfc822-headers",
];

/// Types that hold no text (T9).
const UNREAD: [&[u8]; 11] = [
    b"application/pkcs7-mime",
    b"application/pkcs7-signature",
    b"application/x-pkcs7-mime",
    b"application/x-pkcs7-signature",
    b"application/pkcs7-certificates",
    b"application/x-pkcs7-certificates",
    b"application/pgp-signature",
    b"application/pgp-encrypted",
    b"application/pgp-keys",
    b"application/ms-tnef",
    b"application/vnd.ms-tnef",
];
const UNREAD_KINDS: [&[u8]; 4] = [b"image/", b"audio/", b"video/", b"font/"];

/// Media types and the ends of names of compressed files.
const COMPRESSED: [&[u8]; 6] = [
    b"application/gzip",
    b"application/x-gzip",
    b"application/zstd",
    b"application/x-xz",
    b"application/x-bzip",
    b"application/x-bzip2",
];
const COMPRESSED_NAMES: [&[u8]; 6] = [b".gz", b".tgz", b".zst", b".xz", b".bz2", b".lz4"];

/// Whether the content of this type is a message.
pub(super) fn is_message(essence: &[u8]) -> bool {
    MESSAGES.contains(&essence)
}

/// Whether the content of this type is text, or may be.
pub(super) fn is_text(essence: &[u8]) -> bool {
    essence.is_empty() || essence.starts_with(b"text/") || essence.starts_with(b"message/")
}

/// Whether the content of this type is not read.
pub(super) fn is_unread(essence: &[u8]) -> bool {
    UNREAD.contains(&essence) || UNREAD_KINDS.iter().any(|kind| essence.starts_with(kind))
}

/// Whether a part with this type, which is a file with this name, is compressed.
pub(super) fn is_compressed(essence: &[u8], file: &[u8]) -> bool {
    let has_end = |end: &&[u8]| {
        let from = file.len().checked_sub(end.len());
        from.is_some_and(|from| file[from..].eq_ignore_ascii_case(end))
    };
    COMPRESSED.contains(&essence) || COMPRESSED_NAMES.iter().any(has_end)
}
