//! The block of 512 bytes that a member begins with: its fields, its checksum, and how
//! it is recognized.

use crate::unpack::magic::Compression;
use memchr::memmem;
use std::ops::Range;

/// A tar archive consists of blocks of this length.
pub(super) const BLOCK: usize = 512;

const NAME: Range<usize> = 0..100;
const MODE: Range<usize> = 100..108;
/// Owner, group, size and time: each may be binary.
const NUMBERS: [Range<usize>; 4] = [108..116, 116..124, SIZE, 136..148];
const SIZE: Range<usize> = 124..136;
const CHECKSUM: Range<usize> = 148..156;
const FLAG: usize = 156;
const MAGIC: usize = 257;
/// Numbers that v7 does not have, but some programs write.
const DEVICE: Range<usize> = 329..345;
const PREFIX: Range<usize> = 345..500;
/// The offset of the flag that the map of a GNU sparse file continues in the next
/// block.
const MAP_GOES_ON: usize = 482;

const USTAR: &[u8] = b"ustar";

/// A block with a correct checksum.
#[derive(Clone, Copy)]
pub(super) struct MemberHeader<'b>(&'b [u8]);

impl<'b> MemberHeader<'b> {
    /// Returns the header that `bytes` begin with, if any.
    pub(super) fn of(bytes: &'b [u8]) -> Option<MemberHeader<'b>> {
        let block = bytes.get(..BLOCK)?;
        is_summed(block).then_some(MemberHeader(block))
    }

    /// The name of the member.
    pub(super) fn name(self) -> Vec<u8> {
        let name = until_nul(&self.0[NAME]);
        let prefix = match self.is_posix() {
            true => until_nul(&self.0[PREFIX]),
            false => b"",
        };
        match prefix {
            b"" => name.to_vec(),
            _ => [prefix, b"/", name].concat(),
        }
    }

    /// The length of the content; `None` when it is not a number.
    pub(super) fn size(self) -> Option<u64> {
        number(&self.0[SIZE])
    }

    /// The type of the member.
    pub(super) fn flag(self) -> u8 {
        self.0[FLAG]
    }

    /// Whether the header is that of POSIX, not of GNU or older.
    pub(super) fn is_posix(self) -> bool {
        self.0[MAGIC..].starts_with(b"ustar\0")
    }

    /// Whether the map of a sparse file continues in the next block.
    pub(super) fn map_goes_on(self) -> bool {
        self.0[MAP_GOES_ON] != 0
    }
}

/// Whether a tar archive begins with `head`. The checksum of the first header may be
/// wrong where it has the magic number, because each field is checked: then the header
/// is damaged.
pub(in crate::unpack::container) fn begins(head: &[u8]) -> bool {
    Compression::of(head).is_none() && (is_first(head) || is_damaged_first(head))
}

/// Whether `head`, which is too short, may begin a tar archive.
pub(in crate::unpack::container) fn may_begin(head: &[u8]) -> bool {
    head.len() < BLOCK && Compression::of(head).is_none() && is_like_header(head)
}

/// Whether `block`, which is not a valid header, was meant to be one.
pub(super) fn is_damaged_header(block: &[u8]) -> bool {
    block[MAGIC..].starts_with(USTAR)
}

/// Whether all bytes of `block` are zero, as at the end of an archive.
pub(super) fn is_zero(block: &[u8]) -> bool {
    block.iter().all(|&b| b == 0)
}

/// Returns the offset in `bytes` of the next header. `aligned` is the first offset at
/// which a header is expected; headers of v7 are accepted only at such offsets, because
/// elsewhere they may be accidental.
pub(super) fn find(bytes: &[u8], aligned: Option<usize>) -> Option<usize> {
    let places = (bytes.len() + 1).saturating_sub(BLOCK);
    let mut ustar = memmem::find_iter(bytes, USTAR).filter_map(|at| at.checked_sub(MAGIC));
    let anywhere = ustar.find(|&at| at < places && is_summed(&bytes[at..at + BLOCK]));
    let mut expected = (aligned.unwrap_or(places)..anywhere.unwrap_or(places)).step_by(BLOCK);
    expected.find(|&at| is_first(&bytes[at..])).or(anywhere)
}

fn is_first(bytes: &[u8]) -> bool {
    let block = bytes.get(..BLOCK);
    block.is_some_and(|block| is_like_header(block) && is_summed(block))
}

fn is_damaged_first(bytes: &[u8]) -> bool {
    let block = bytes.get(..BLOCK);
    block.is_some_and(|block| is_damaged_header(block) && is_like_header(block))
}

/// Whether each byte of `head` may be at its offset in a header. A line of text is not
/// accepted.
fn is_like_header(head: &[u8]) -> bool {
    let field = |range: &Range<usize>| {
        let to = range.end.min(head.len());
        &head[range.start.min(to)..to]
    };
    let is_octal = |range: &Range<usize>| {
        let digit = |b: &u8| matches!(b, b'0'..=b'7' | b' ' | 0);
        field(range).iter().all(digit)
    };
    let is_number =
        |range: &Range<usize>| matches!(field(range).first(), Some(0x80 | 0xFF)) || is_octal(range);
    let magic = head.get(MAGIC..).unwrap_or_default();
    let is_old = || {
        let rest = PREFIX.start..BLOCK;
        is_zero(field(&(MAGIC..DEVICE.start))) && is_octal(&DEVICE) && is_zero(field(&rest))
    };
    (magic.starts_with(USTAR) || USTAR.starts_with(magic) || is_old())
        && is_name(field(&NAME))
        && is_octal(&MODE)
        && NUMBERS.iter().all(is_number)
        && is_octal(&CHECKSUM)
}

/// Whether a name may begin in this way, filled with NULs.
fn is_name(field: &[u8]) -> bool {
    let name = until_nul(field);
    let is_empty = name.is_empty() && !field.is_empty();
    !is_empty
        && is_zero(&field[name.len()..])
        && !name.iter().any(u8::is_ascii_control)
        // A line that contains a URL must not be held back.
        && memmem::find(name, b"://").is_none()
}

/// Whether the checksum of `block` is correct. Some programs add up signed bytes.
fn is_summed(block: &[u8]) -> bool {
    let Some(stored) = number(&block[CHECKSUM]) else {
        return false;
    };
    // The bytes of the checksum count as blanks.
    let blanks = CHECKSUM.len() as i64 * i64::from(b' ');
    let sum = |value: fn(u8) -> i64| {
        let of = |part: &[u8]| part.iter().map(|&b| value(b)).sum::<i64>();
        of(&block[..CHECKSUM.start]) + blanks + of(&block[CHECKSUM.end..])
    };
    let stored = i64::try_from(stored).ok();
    stored == Some(sum(i64::from)) || stored == Some(sum(|b| i64::from(b as i8)))
}

/// Parses the number in a field: octal digits between blanks or NULs, or base 256.
fn number(field: &[u8]) -> Option<u64> {
    if let [first, rest @ ..] = field
        && *first >= 0x80
    {
        let high = u64::from(first & 0x7F);
        return rest.iter().try_fold(high, |value, &b| {
            (value >> 56 == 0).then_some(value << 8 | u64::from(b))
        });
    }
    let is_blank = |b: &u8| matches!(b, b' ' | 0);
    let start = field.iter().take_while(|b| is_blank(b)).count();
    let mut digits = field[start..].iter().take_while(|b| !is_blank(b));
    digits.try_fold(0, |value: u64, b| match b {
        b'0'..=b'7' => Some(value << 3 | u64::from(b - b'0')),
        _ => None,
    })
}

/// Returns the text in a field, up to a NUL.
pub(super) fn until_nul(field: &[u8]) -> &[u8] {
    let end = memchr::memchr(0, field).unwrap_or(field.len());
    &field[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a header of v7 or, with `magic`, of another format.
    fn header(name: &[u8], size: &[u8], magic: &[u8]) -> Vec<u8> {
        let mut block = vec![0; BLOCK];
        block[..name.len()].copy_from_slice(name);
        block[MODE].copy_from_slice(b"0000644\0");
        block[SIZE].copy_from_slice(size);
        block[CHECKSUM].fill(b' ');
        block[MAGIC..MAGIC + magic.len()].copy_from_slice(magic);
        let sum: u32 = block.iter().map(|&b| u32::from(b)).sum();
        block[CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        block
    }

    #[test]
    fn numbers_in_fields() {
        for (field, value) in [
            (&b"00000000017\0"[..], Some(15)),
            (b"         17 ", Some(15)),
            (b"777777777777", Some((1 << 36) - 1)),
            (b"\0\0\0\0", Some(0)),
            (b"\x80\0\0\x01\x02", Some(258)),
            (b"\x80\0\0\0\x01\0\0\0\0\0\0\0", Some(1 << 56)),
            (b"\x80\0\0\x01\0\0\0\0\0\0\0\0", None),
            (b"\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", None),
            (b"0000000008\0\0", None),
            (b"-1 ", None),
        ] {
            assert_eq!(number(field), value, "{field:?}");
        }
    }

    #[test]
    fn every_beginning_of_a_header_may_become_one() {
        for magic in [&b""[..], b"ustar\x0000", b"ustar  \0"] {
            for size in [&b"00000000017\0"[..], b"\x80\0\0\0\0\0\0\0\0\0\x01\0"] {
                let block = header("dir/ä.log".as_bytes(), size, magic);
                assert!(begins(&block) && !may_begin(&block));
                for len in 0..BLOCK {
                    assert!(may_begin(&block[..len]) && !begins(&block[..len]), "{len}");
                }
                let mut more = block.clone();
                more.extend_from_slice(b"content");
                assert!(begins(&more));
            }
        }
    }

    #[test]
    fn devices_in_an_old_header() {
        let mut block = header(b"a", b"00000000017\0", b"");
        block[DEVICE].copy_from_slice(b"0000000\x000000000\0");
        let sum = 8 * u32::from(b' ') + block.iter().map(|&b| u32::from(b)).sum::<u32>();
        let own: u32 = block[CHECKSUM].iter().map(|&b| u32::from(b)).sum();
        block[CHECKSUM].copy_from_slice(format!("{:06o}\0 ", sum - own).as_bytes());
        assert!(begins(&block) && may_begin(&block[..DEVICE.end]));
    }

    #[test]
    fn text_is_soon_known_to_be_none() {
        for text in [
            &b"a line\n"[..],
            b"see http://",
            b"\0",
            b"a\t",
            b"h\0t",
            b"\x1F\x8B\x08",
            b"BZh91AY&SY",
        ] {
            assert!(!may_begin(text), "{text:?}");
            assert!(
                may_begin(&text[..text.len() - 1]) || text[0] < b' ',
                "{text:?}"
            );
        }
        let long = [b'a'; BLOCK];
        assert!(may_begin(&long[..MODE.start]) && !may_begin(&long[..=MODE.start]));
        assert!(!begins(&long));
    }

    #[test]
    fn a_wrong_byte_is_damage_where_the_magic_number_and_the_fields_are_right() {
        let posix = header(b"a", b"00000000017\0", b"ustar\x0000");
        let old = header(b"a", b"00000000017\0", b"");
        let magic = MAGIC..MAGIC + USTAR.len();
        for at in 0..BLOCK {
            let flip = |block: &[u8]| {
                let mut wrong = block.to_vec();
                wrong[at] ^= 1;
                begins(&wrong)
            };
            // A NUL in a name or a number becomes a control character.
            let is_plausible = match at {
                0..FLAG => at == 0 || posix[at].is_ascii_digit(),
                _ => !magic.contains(&at),
            };
            assert_eq!(flip(&posix), is_plausible, "{at}");
            assert!(!flip(&old), "{at}");
        }
        // The checksum is correct.
        let other = header(b"a", b"00000000017\0", b"star!");
        assert!(!begins(&other) && MemberHeader::of(&other).is_some());
    }

    #[test]
    fn signed_bytes_were_added_up_by_some() {
        let mut block = header(b"\xE4\xF6", b"00000000017\0", b"");
        let sum: i32 = block.iter().map(|&b| i32::from(b as i8)).sum();
        let own: i32 = block[CHECKSUM].iter().map(|&b| i32::from(b as i8)).sum();
        let sum = sum - own + 8 * 32;
        block[CHECKSUM].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
        assert!(begins(&block));
    }

    #[test]
    fn the_next_header() {
        let posix = header(b"a", b"00000000017\0", b"ustar\x0000");
        let old = header(b"a", b"00000000017\0", b"");
        for gap in [0, 1, 512, 700] {
            let bytes = [vec![b'u'; gap], posix.clone()].concat();
            assert_eq!(find(&bytes, None), Some(gap));
            assert_eq!(find(&bytes[..bytes.len() - 1], None), None);
            let bytes = [vec![b'u'; gap], old.clone(), posix.clone()].concat();
            assert_eq!(find(&bytes, None), Some(gap + BLOCK));
            assert_eq!(find(&bytes, Some(gap % BLOCK)), Some(gap));
            assert_eq!(find(&bytes, Some(gap % BLOCK + 1)), Some(gap + BLOCK));
        }
        assert_eq!(find(b"ustar", Some(0)), None);
    }
}
