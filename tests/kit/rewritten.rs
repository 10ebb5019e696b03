//! Texts that are written again, in pieces and blocks of several sizes.

use urisieve::canonicalize::{Canonicalizer, Level};
use urisieve::item::Finding;
use urisieve::{Builder, Mode, Sieve};

/// The sizes of blocks, and of the pieces in which a text comes; first a text in one piece.
pub const SIZES: [(usize, usize); 7] = [
    (64 << 10, 64 << 10),
    (1, 1),
    (2, 3),
    (3, 1),
    (7, 64),
    (64, 2),
    (64 << 10, 7),
];

/// A sieve for every URI, in the form of a level.
pub fn sieve(level: Level) -> Builder<Sieve> {
    Sieve::builder()
        .mode(Mode::All)
        .canonicalize(Canonicalizer::new(level))
}

/// Returns `text`, rewritten in blocks and pieces of these sizes.
pub fn rewritten(
    builder: Builder<Sieve>,
    text: &[u8],
    (block, piece): (usize, usize),
    mut change: impl FnMut(&Finding, &mut Vec<u8>),
) -> Vec<u8> {
    let mut rewriter = builder.block_size(block).build().rewriter().unwrap();
    let mut out = Vec::new();
    // The text before it leaves nothing behind.
    rewriter
        .push(b"<http://b.example/", &mut out, |_, _| ())
        .unwrap();
    rewriter.finish(&mut out, |_, _| ()).unwrap();
    out.clear();
    for piece in text.chunks(piece) {
        rewriter.push(piece, &mut out, &mut change).unwrap();
    }
    rewriter.finish(&mut out, &mut change).unwrap();
    out
}
