//! The place where reading can resume after damage: the next member, or the next part
//! of a member that can be read without the parts before it. A part is not checked
//! further, because its decoder soon detects a wrong one.

use super::bits;
use super::magic::Compression;

/// A place where reading may resume, in bytes from the start of the search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ResumePoint {
    Member(usize),
    /// A part that begins at this byte and bit.
    Part(usize, u8),
}

impl ResumePoint {
    /// The byte in which it begins.
    pub(super) fn start(self) -> usize {
        match self {
            ResumePoint::Member(at) | ResumePoint::Part(at, _) => at,
        }
    }
}

/// The number of bytes of a stream before its first block.
const LEVEL: usize = 4;
/// The number of bytes that contain the number with which a block begins.
const NUMBER: usize = 7;
/// The greatest number of bytes that are searched at once, so that a result in them is
/// not searched for repeatedly.
const WINDOW: usize = 16 << 10;

/// Returns the offset in `bytes` at which a member may begin, or with `parts` a part of
/// one; otherwise as `Err` the number of bytes in which none begins.
pub(super) fn find(form: Compression, bytes: &[u8], parts: bool) -> Result<ResumePoint, usize> {
    if form != Compression::Bzip2 {
        return form.find(bytes).map(ResumePoint::Member);
    }
    if !parts {
        return find_stream(bytes, bytes.len()).map(ResumePoint::Member);
    }
    let mut passed = 0;
    loop {
        let rest = &bytes[passed..];
        let window = &rest[..rest.len().min(WINDOW)];
        let part = find_block(rest, window.len());
        let begun = part.map_or_else(Some, |found| found.map(|bit| bit / 8));
        let before = begun.map_or(window.len(), |at| (at + NUMBER).min(window.len()));
        match (find_stream(rest, before), part) {
            (Ok(member), Ok(Some(bit))) if member > bit / 8 => {
                return Ok(ResumePoint::Part(passed + bit / 8, (bit % 8) as u8));
            }
            (Ok(member), Err(at)) if member > at => return Err(passed + at),
            (Ok(member), _) => return Ok(ResumePoint::Member(passed + member)),
            (Err(none), Err(at)) => return Err(passed + none.min(at)),
            (Err(_), Ok(Some(bit))) => {
                return Ok(ResumePoint::Part(passed + bit / 8, (bit % 8) as u8));
            }
            (Err(none), Ok(None)) => {
                passed += none.min((window.len() + 1).saturating_sub(NUMBER));
                if window.len() == rest.len() {
                    return Err(passed);
                }
            }
        }
    }
}

/// Returns the bit at which the first block in the first `len` of `bytes` may begin, if any;
/// as `Err` the byte of one that a longer input decides.
fn find_block(bytes: &[u8], len: usize) -> Result<Option<usize>, usize> {
    let mut from = 0;
    while let Some(found) = bits::find(&bytes[from..len]) {
        let bit = 8 * from + found;
        match bits::may_be_block(bytes, bit) {
            Some(true) => return Ok(Some(bit)),
            Some(false) => from = bit / 8 + 1,
            None => return Err(bit / 8),
        }
    }
    Ok(None)
}

/// Returns the offset in the first `len` of `bytes` at which a stream of bzip2 may begin;
/// otherwise as `Err` the number of bytes in which none begins.
fn find_stream(bytes: &[u8], len: usize) -> Result<usize, usize> {
    let mut from = 0;
    loop {
        let found = Compression::Bzip2.find(&bytes[from..len]);
        let at = from + found.map_err(|none| from + none)?;
        let block = 8 * (at + LEVEL);
        match bits::at(bytes, block) {
            Some(bits::BLOCK) => match bits::may_be_block(bytes, block) {
                Some(true) => return Ok(at),
                Some(false) => from = at + 1,
                None => return Err(at),
            },
            _ => return Ok(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The checksum, the number of the first byte, one row of one byte, two tables, one
    /// selector.
    const BLOCK_HEAD: [u8; 14] = [
        0x5A,
        0x5A,
        0x5A,
        0x5A,
        0,
        0,
        0,
        0b0100_0000,
        0,
        0b0100_0000,
        0,
        0b0010_0000,
        0,
        0b0010_0000,
    ];
    const HEAD: usize = 10 + BLOCK_HEAD.len() + 1;

    #[test]
    fn the_stream_before_its_first_block_and_blocks_at_bits() {
        let mut bytes = vec![0x5A; 3 * WINDOW];
        for at in [0, 1, WINDOW - 13, WINDOW - 3, WINDOW, 2 * WINDOW - 7] {
            bytes.fill(0x5A);
            bytes[at..at + 10].copy_from_slice(b"BZh91AY&SY");
            bytes[at + 10..at + 24].copy_from_slice(&BLOCK_HEAD);
            bytes[at + 24] = 0;
            let find = |bytes: &[u8]| find(Compression::Bzip2, bytes, true);
            assert_eq!(find(&bytes), Ok(ResumePoint::Member(at)));
            assert_eq!(find(&bytes[at + 1..]), Ok(ResumePoint::Part(3, 0)));
            for len in at..at + HEAD {
                let passed = find(&bytes[..len]).unwrap_err();
                assert!(passed <= at && passed + 10 >= len.min(at), "{len}");
            }
            // Bytes that begin no block are not tried.
            bytes[at + 14] = 0x7F;
            assert!(find(&bytes).unwrap_err() > at + HEAD);
            bytes[at + 14] = 0;
            bytes[at] = 0;
            assert_eq!(find(&bytes), Ok(ResumePoint::Part(at + 4, 0)));
            assert_eq!(super::find(Compression::Bzip2, &bytes, false), {
                Err(bytes.len() - 2)
            });
        }
    }
}
