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

/// The number of bytes that contain the number with which a block begins.
const NUMBER: usize = 7;
/// The greatest number of bytes that are searched at once, so that a result in them is
/// not searched for repeatedly.
const WINDOW: usize = 16 << 10;

/// Returns the offset in `bytes` at which a member may begin, or with `parts` a part of
/// one; otherwise as `Err` the number of bytes in which none begins.
pub(super) fn find(form: Compression, bytes: &[u8], parts: bool) -> Result<ResumePoint, usize> {
    if form != Compression::Bzip2 || !parts {
        return form.find(bytes).map(ResumePoint::Member);
    }
    let mut passed = 0;
    loop {
        let rest = &bytes[passed..];
        let window = &rest[..rest.len().min(WINDOW)];
        let part = bits::find(window);
        let before = part.map_or(window.len(), |bit| (bit / 8 + NUMBER).min(window.len()));
        match (form.find(&window[..before]), part) {
            (Ok(member), Some(bit)) if member > bit / 8 => {
                return Ok(ResumePoint::Part(passed + bit / 8, (bit % 8) as u8));
            }
            (Ok(member), _) => return Ok(ResumePoint::Member(passed + member)),
            (Err(_), Some(bit)) => return Ok(ResumePoint::Part(passed + bit / 8, (bit % 8) as u8)),
            (Err(none), None) => {
                passed += none.min((window.len() + 1).saturating_sub(NUMBER));
                if window.len() == rest.len() {
                    return Err(passed);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_before_its_first_block_and_blocks_at_bits() {
        let mut bytes = vec![0x5A; 3 * WINDOW];
        for at in [0, 1, WINDOW - 13, WINDOW - 3, WINDOW, 2 * WINDOW - 7] {
            bytes.fill(0x5A);
            bytes[at..at + 10].copy_from_slice(b"BZh91AY&SY");
            let find = |bytes: &[u8]| find(Compression::Bzip2, bytes, true);
            assert_eq!(find(&bytes), Ok(ResumePoint::Member(at)));
            assert_eq!(find(&bytes[at + 1..]), Ok(ResumePoint::Part(3, 0)));
            for len in at..at + 10 {
                let passed = find(&bytes[..len]).unwrap_err();
                assert!(passed <= at && passed + 10 >= len.min(at), "{len}");
            }
            bytes[at] = 0;
            assert_eq!(find(&bytes), Ok(ResumePoint::Part(at + 4, 0)));
            assert_eq!(super::find(Compression::Bzip2, &bytes, false), {
                Err(bytes.len() - 2)
            });
        }
    }
}
