//! Blocks of keys in a compressed form, in which a set goes from one process to another.
//!
//! A block is the byte of its kind, the length of its keys before compression (4 bytes,
//! little-endian), and the keys compressed by LZ4: each key with its length (4 bytes) before
//! it.

use crate::arrow::columns::is_utf8;
use crate::settings::given::wrong_value;
use lz4_flex::block::{
    CompressTable, compress_into_with_table, decompress_into, get_maximum_output_size,
};
use pyo3::PyResult;

/// The most bytes of a block before it is compressed.
pub(crate) const RAW_MAX: usize = 1 << 30;
/// The default for the greatest number of bytes of a block: LZ4 compresses longer
/// blocks no better.
pub(crate) const LONGEST: usize = 1 << 20;
/// The longest key.
pub(crate) const KEY_MAX: usize = RAW_MAX - LENGTH;
/// The bytes of a length.
const LENGTH: usize = size_of::<u32>();
/// The number of bytes before the compressed ones.
const HEAD: usize = 1 + LENGTH;
/// The greatest ratio of the length of a block to its compressed length in LZ4.
const RATIO_MAX: usize = 255;

/// The kind of the keys of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    /// URIs in UTF-8.
    Strings = b's',
    /// URIs of any bytes.
    Binary = b'b',
    /// Pairs of a page and a target.
    Links = b'l',
}

impl Kind {
    const ALL: [Kind; 3] = [Kind::Strings, Kind::Binary, Kind::Links];

    /// Whether a set of this kind can have a key.
    fn can_have(self, key: &[u8]) -> bool {
        match self {
            Kind::Strings => is_utf8(key),
            Kind::Binary => true,
            Kind::Links => split(key).is_some_and(|(s, t)| is_utf8(s) && is_utf8(t)),
        }
    }
}

/// Makes blocks with reused memory.
#[derive(Default)]
pub(crate) struct Packer {
    raw: Vec<u8>,
    packed: Vec<u8>,
    table: CompressTable,
}

impl Packer {
    /// Whether the block has no key yet.
    pub(crate) fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// Whether the block so far and this key have at most `longest` bytes.
    pub(crate) fn fits(&self, key: &[u8], longest: usize) -> bool {
        self.raw.len() + LENGTH + key.len() <= longest.min(RAW_MAX)
    }

    /// Adds a key of at most [`KEY_MAX`] bytes to the block.
    pub(crate) fn push(&mut self, key: &[u8]) {
        put_length(key.len(), &mut self.raw);
        self.raw.extend_from_slice(key);
    }

    /// Returns the block, and begins the next one.
    pub(crate) fn finish(&mut self, kind: Kind) -> &[u8] {
        let Packer { raw, packed, table } = self;
        packed.clear();
        packed.push(kind as u8);
        put_length(raw.len(), packed);
        packed.resize(HEAD + get_maximum_output_size(raw.len()), 0);
        let len = compress_into_with_table(raw, &mut packed[HEAD..], table);
        raw.clear();
        // The buffer has room for the longest form.
        &packed[..HEAD + len.unwrap_or_default()]
    }
}

/// Returns the kind of a block, and its keys, for which `raw` is used.
///
/// # Errors
/// `ValueError` for bytes that are not a block.
pub(crate) fn unpack<'r>(
    block: &[u8],
    raw: &'r mut Vec<u8>,
) -> PyResult<(Kind, impl Iterator<Item = &'r [u8]>)> {
    let wrong = || wrong_value("packed", "a block that pack has made expected");
    let (&first, rest) = block.split_first().ok_or_else(wrong)?;
    let kind = Kind::ALL.into_iter().find(|&kind| kind as u8 == first);
    let kind = kind.ok_or_else(wrong)?;
    let (len, body) = take_length(rest).ok_or_else(wrong)?;
    if len > RAW_MAX || len > body.len() * RATIO_MAX {
        return Err(wrong());
    }
    raw.resize(len, 0);
    let is_whole = decompress_into(body, raw).is_ok_and(|filled| filled == len);
    let is_right = |key: Option<&[u8]>| key.is_some_and(|key| kind.can_have(key));
    if !is_whole || !keys(raw).all(is_right) {
        return Err(wrong());
    }
    Ok((kind, keys(raw).flatten()))
}

/// Returns each key of a block, and then `None` if it does not end with a key.
fn keys(mut raw: &[u8]) -> impl Iterator<Item = Option<&[u8]>> {
    std::iter::from_fn(move || {
        if raw.is_empty() {
            return None;
        }
        let key = take_length(raw).and_then(|(len, rest)| rest.split_at_checked(len));
        raw = key.map_or(&[], |(_, rest)| rest);
        Some(key.map(|(key, _)| key))
    })
}

/// Writes the key of a pair. Returns false if it is longer than [`KEY_MAX`].
pub(crate) fn join(source: &[u8], target: &[u8], key: &mut Vec<u8>) -> bool {
    key.clear();
    if source.len() + target.len() > KEY_MAX - LENGTH {
        return false;
    }
    put_length(source.len(), key);
    key.extend_from_slice(source);
    key.extend_from_slice(target);
    true
}

/// Returns the pair of a key; `None` for a key that is not a pair.
pub(crate) fn split(key: &[u8]) -> Option<(&[u8], &[u8])> {
    take_length(key).and_then(|(len, rest)| rest.split_at_checked(len))
}

fn put_length(len: usize, bytes: &mut Vec<u8>) {
    bytes.extend_from_slice(&(len as u32).to_le_bytes());
}

fn take_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    let (len, rest) = bytes.split_first_chunk::<LENGTH>()?;
    Some((u32::from_le_bytes(*len) as usize, rest))
}
