//! Text as one member of a compressed file.

use std::io::Write;

pub fn gzip(text: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}

/// A frame that has its length and a checksum.
#[allow(dead_code)] // Not every test has frames.
pub fn zstd(text: &[u8]) -> Vec<u8> {
    let mut context = zstd_safe::CCtx::create();
    let checksum = zstd_safe::CParameter::ChecksumFlag(true);
    context.set_parameter(checksum).unwrap();
    let mut out = Vec::with_capacity(zstd_safe::compress_bound(text.len()));
    context.compress2(&mut out, text).unwrap();
    out
}
