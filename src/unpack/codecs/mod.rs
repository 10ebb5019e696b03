//! The decoders, each of a compression or of a content coding. A program may be built without
//! them: what they would decode is then reported as a loss.

#[cfg(feature = "decompress")]
mod brotli;
#[cfg(feature = "decompress")]
mod bzip2;
#[cfg(feature = "decompress")]
mod deflate;
#[cfg(feature = "decompress")]
mod gzip;
#[cfg(feature = "decompress")]
mod lz4;
#[cfg(feature = "decompress")]
mod xz;
#[cfg(feature = "decompress")]
mod zstd;

use super::codec::Codec;
use super::magic::Compression;

/// The name of a decoder.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "decompress"), allow(dead_code))]
pub(super) enum CodecName {
    File(Compression),
    Deflate,
    Brotli,
}

/// Returns the decoder with this name; `None` where the program was built without it, or
/// where there is no memory for it.
#[cfg(feature = "decompress")]
pub(super) fn decoder(name: CodecName) -> Option<Box<dyn Codec>> {
    Some(match name {
        CodecName::File(Compression::Gzip) => Box::new(gzip::Gzip::new()),
        CodecName::File(Compression::Zstd) => Box::new(zstd::Zstd::new()?),
        CodecName::File(Compression::Xz) => Box::new(xz::Xz::new()),
        CodecName::File(Compression::Bzip2) => Box::new(bzip2::Bzip2::default()),
        CodecName::File(Compression::Lz4) => Box::new(lz4::Lz4::default()),
        CodecName::Deflate => Box::new(deflate::Deflate::default()),
        CodecName::Brotli => Box::new(brotli::Brotli::new()),
    })
}

#[cfg(not(feature = "decompress"))]
pub(super) fn decoder(_: CodecName) -> Option<Box<dyn Codec>> {
    None
}
