//! Where reading can go on after damage: at the next member, or at the next part
//! of one that is read without those before it. A part is not looked at further:
//! its decoder tells soon enough what is none.

use super::bits;
use super::magic::Compression;

/// Where reading may go on, in bytes from where it was looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Member(usize),
    /// So many bits into that byte.
    Part(usize, u8),
}

impl Place {
    /// The byte where it begins.
    pub(super) fn start(self) -> usize {
        match self {
            Place::Member(at) | Place::Part(at, _) => at,
        }
    }
}

/// So many bytes hold the number that a block begins with.
const NUMBER: usize = 7;
/// More bytes are not looked at at once: what is found among them is never looked
/// for again and again.
const WINDOW: usize = 16 << 10;

/// Where in `bytes` a member, or where that is asked for a part of one, may begin;
/// else how many bytes hold no beginning of either.
pub(super) fn find(form: Compression, bytes: &[u8], parts: bool) -> Result<Place, usize> {
    if form != Compression::Bzip2 || !parts {
        return form.find(bytes).map(Place::Member);
    }
    let mut passed = 0;
    loop {
        let rest = &bytes[passed..];
        let window = &rest[..rest.len().min(WINDOW)];
        let part = bits::find(window);
        let before = part.map_or(window.len(), |bit| (bit / 8 + NUMBER).min(window.len()));
        match (form.find(&window[..before]), part) {
            (Ok(member), Some(bit)) if member > bit / 8 => {
                return Ok(Place::Part(passed + bit / 8, (bit % 8) as u8));
            }
            (Ok(member), _) => return Ok(Place::Member(passed + member)),
            (Err(_), Some(bit)) => return Ok(Place::Part(passed + bit / 8, (bit % 8) as u8)),
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
            assert_eq!(find(&bytes), Ok(Place::Member(at)));
            assert_eq!(find(&bytes[at + 1..]), Ok(Place::Part(3, 0)));
            for len in at..at + 10 {
                let passed = find(&bytes[..len]).unwrap_err();
                assert!(passed <= at && passed + 10 >= len.min(at), "{len}");
            }
            bytes[at] = 0;
            assert_eq!(find(&bytes), Ok(Place::Part(at + 4, 0)));
            assert_eq!(super::find(Compression::Bzip2, &bytes, false), {
                Err(bytes.len() - 2)
            });
        }
    }
}
