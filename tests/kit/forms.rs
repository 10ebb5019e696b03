//! Bytes in the forms in which inputs come.

use std::io::Write;

/// One bzip2 stream of blocks of 100 kB.
pub fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}
