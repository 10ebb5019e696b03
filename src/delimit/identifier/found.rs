//! An identifier that was found, and the buffers for its texts.

use crate::item::IdentifierKind;
use std::ops::Range;

/// The place of an identifier.
#[derive(Clone, Debug)]
pub(in crate::delimit) struct Identified {
    pub kind: IdentifierKind,
    pub range: Range<usize>,
}

impl Identified {
    pub fn new(kind: IdentifierKind, range: Range<usize>) -> Identified {
        Identified { kind, range }
    }
}

/// The identifier that was found last.
#[derive(Clone, Debug, Default)]
pub(in crate::delimit) struct IdentifierScratch {
    pub uri: Vec<u8>,
    pub written: Vec<u8>,
    /// For each byte of `written` its raw offset.
    pub places: Vec<usize>,
    /// A name with its scheme before it.
    pub named: Vec<u8>,
}

/// Writes the URI of an identifier.
pub(in crate::delimit) fn push(kind: IdentifierKind, written: &[u8], uri: &mut Vec<u8>) {
    uri.clear();
    uri.extend_from_slice(kind.prefix().as_bytes());
    uri.extend_from_slice(written);
}
