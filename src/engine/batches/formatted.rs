//! The findings of a block as bytes. A worker that has the answers to the keys of a block formats
//! them, so that the writer, of which there is one, only copies.

/// The reported findings of a block, in the format of the sink.
#[derive(Debug)]
pub(in crate::engine) struct Formatted {
    pub bytes: Vec<u8>,
    /// The number of records.
    pub records: u64,
    /// The number of items up to that of the last record, and of classes among them.
    pub items: usize,
    pub classes: u64,
}

impl Formatted {
    /// The bytes of memory that the records take.
    pub(in crate::engine) fn size(&self) -> usize {
        self.bytes.capacity()
    }
}
