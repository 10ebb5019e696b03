//! Tar archives, block by block.

pub const BLOCK: usize = 512;

/// A header before its checksum is known.
pub struct Header([u8; BLOCK]);

impl Header {
    /// Of ustar.
    pub fn new(name: &[u8], flag: u8, size: usize) -> Header {
        Header([0; BLOCK])
            .with(0, name)
            .with(100, b"0000644\0")
            .with(108, b"0001750\0")
            .with(116, b"0001750\0")
            .with(124, format!("{size:011o}\0").as_bytes())
            .with(136, b"14371573455\0")
            .with(156, &[flag])
            .with(257, b"ustar\x0000")
    }

    pub fn with(mut self, at: usize, bytes: &[u8]) -> Header {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    pub fn block(self) -> Vec<u8> {
        let blank = self.with(148, b"        ");
        let sum: u32 = blank.0.iter().map(|&b| u32::from(b)).sum();
        blank
            .with(148, format!("{sum:06o}\0 ").as_bytes())
            .0
            .to_vec()
    }

    /// With `content` after it, in whole blocks.
    pub fn member(self, content: &[u8]) -> Vec<u8> {
        let mut bytes = self.block();
        bytes.extend_from_slice(content);
        bytes.resize(bytes.len().next_multiple_of(BLOCK), 0);
        bytes
    }
}
