//! Lines of a list that are read together.

/// The bytes of a piece, about.
pub(crate) const PIECE_LEN: u64 = 512 << 10;

/// Lines of a list.
#[derive(Debug, Default)]
pub(crate) struct ListPiece {
    pub bytes: Vec<u8>,
    /// The number of the first line, from 1.
    pub first: u64,
    /// The last line was too long: only its start is here.
    pub is_cut: bool,
}
