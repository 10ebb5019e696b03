//! Bytes in the forms in which inputs come.

use std::io::Write;

/// A reader that returns this many bytes at a time.
pub struct Dribble<'b>(pub &'b [u8], pub usize);

impl std::io::Read for Dribble<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let len = self.1.min(self.0.len()).min(buffer.len());
        buffer[..len].copy_from_slice(&self.0[..len]);
        self.0 = &self.0[len..];
        Ok(len)
    }
}

/// One bzip2 stream of blocks of 100 kB.
pub fn bzip2(text: &[u8]) -> Vec<u8> {
    let mut writer = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    writer.write_all(text).unwrap();
    writer.finish().unwrap()
}
