//! The codings by their names (RFC 9110 section 8.4.1, and every compression of files),
//! the decoders of those without a file format, deflate and br, and the transfer codings of
//! mail (RFC 2045 section 6).

use super::chunked::Chunked;
use super::stage::{Coded, Stage, StageKind};
use super::transfer::{Base64, Quoted, Transfer, Uuencode};
use crate::unpack::bound::WINDOW_MAX;
use crate::unpack::codecs::{self, CodecName};
use crate::unpack::driver::Driver;
use crate::unpack::magic::Compression;

/// Registered codings that are not supported.
const UNREAD: [(&[u8], &str); 7] = [
    (b"aes128gcm", "aes128gcm"),
    (b"compress", "compress"),
    (b"x-compress", "compress"),
    (b"dcb", "dcb"),
    (b"dcz", "dcz"),
    (b"exi", "exi"),
    (b"pack200-gzip", "pack200-gzip"),
];

/// Names without a coding, which servers send.
const NOTHING: [&[u8]; 8] = [
    b"",
    b"identity",
    b"none",
    b"text",
    b"plain",
    b"binary",
    b"7bit",
    b"8bit",
];

/// Beginnings of the names of charsets, which servers also send.
const CHARSETS: [&[u8]; 14] = [
    b"utf-",
    b"utf8",
    b"iso-",
    b"iso8859",
    b"latin",
    b"ascii",
    b"us-ascii",
    b"windows-",
    b"cp125",
    b"koi8-",
    b"euc-",
    b"shift_jis",
    b"gb",
    b"big5",
];

/// Returns the decoder of the coding `name`; `None` for a coding that has no effect.
pub(super) fn stage(name: &[u8]) -> Option<Stage> {
    let file = |form: Compression| coded(form.name(), Driver::of(form, WINDOW_MAX), Some(form));
    let raw = |name, codec: CodecName| coded(name, codecs::decoder(codec).map(Driver::new), None);
    let form = std::str::from_utf8(name).ok().and_then(Compression::named);
    if let Some(form) = form {
        return Some(file(form));
    }
    Some(match name {
        b"chunked" => {
            let coded = Coded {
                is_framing: true,
                ..Coded::new(Driver::new(Box::new(Chunked::default())), None)
            };
            Stage::new("chunked", StageKind::Coded(coded))
        }
        b"base64" => transfer("base64", Base64::default()),
        b"quoted-printable" => transfer("quoted-printable", Quoted),
        b"uuencode" => transfer("uuencode", Uuencode::default()),
        b"compressed" => Stage::new("compressed", StageKind::Detected),
        b"x-gzip" => file(Compression::Gzip),
        b"deflate" => raw("deflate", CodecName::Deflate),
        b"br" => raw("br", CodecName::Brotli),
        _ if is_nothing(name) => return None,
        _ => {
            let known = UNREAD.into_iter().find(|known| known.0 == name);
            let name = known.map_or("an unknown content coding", |known| known.1);
            Stage::new(name, StageKind::Unknown)
        }
    })
}

fn transfer(name: &'static str, transfer: impl Transfer + 'static) -> Stage {
    Stage::new(name, StageKind::Transfer(Box::new(transfer)))
}

fn is_nothing(name: &[u8]) -> bool {
    NOTHING.contains(&name) || CHARSETS.iter().any(|charset| name.starts_with(charset))
}

fn coded(name: &'static str, driver: Option<Driver>, form: Option<Compression>) -> Stage {
    let kind = match driver {
        Some(driver) => StageKind::Coded(Coded::new(driver, form)),
        None => StageKind::Unread("this program was built without it"),
    };
    Stage::new(name, kind)
}
