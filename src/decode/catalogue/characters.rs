//! The character sets of MARC-8 and ISO 5426, from the tables in `tables/`, whose
//! generator and notices lie beside them.

use std::sync::LazyLock;

/// The final bytes of escape sequences that designate a set.
pub(super) const ASCII: u8 = b'B';
pub(super) const ANSEL: u8 = b'E';
pub(super) const EACC: u8 = b'1';
/// ISO 5426 has no final byte in MARC-8.
pub(super) const ISO_5426: u8 = 0;

static BYTES: &[u8] = include_bytes!("tables/characters.bin");

static SETS: LazyLock<CharacterSets> = LazyLock::new(CharacterSets::read);

/// A character of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SetCharacter {
    pub char: char,
    /// Whether it is a mark on the character after it.
    pub combines: bool,
}

struct CharacterSets {
    /// The sets of one byte, each with 128 places: their codes without the highest bit.
    sets: Vec<(u8, Vec<Option<SetCharacter>>)>,
    /// The codes of EACC in ascending order, with their characters.
    eacc: Vec<(u32, char)>,
}

impl CharacterSets {
    fn read() -> CharacterSets {
        let mut rest = BYTES;
        let mut take = |len: usize| {
            let (taken, left) = rest.split_at(len.min(rest.len()));
            rest = left;
            taken
                .iter()
                .fold(0, |number, &byte| number << 8 | u32::from(byte))
        };
        let mut sets = Vec::new();
        for _ in 0..take(1) {
            let (name, len) = (take(1) as u8, take(2));
            let mut set = vec![None; 128];
            for _ in 0..len {
                let (code, char, combines) = (take(1), char::from_u32(take(2)), take(1) != 0);
                // The lower codes are the control characters, in ANSEL those of C1.
                if code & 0x7F > 0x20 {
                    set[code as usize & 0x7F] = char.map(|char| SetCharacter { char, combines });
                }
            }
            sets.push((name, set));
        }
        let eacc = (0..take(2)).filter_map(|_| {
            let code = take(3);
            Some((code, char::from_u32(take(2))?))
        });
        CharacterSets {
            eacc: eacc.collect(),
            sets,
        }
    }
}

/// Returns the character with this code in a set of one byte; the highest bit of the code
/// does not count.
pub(super) fn character(set: u8, code: u8) -> Option<SetCharacter> {
    let (_, set) = SETS.sets.iter().find(|known| known.0 == set)?;
    set[usize::from(code & 0x7F)]
}

/// Returns the character with this code in EACC; the highest bits do not count.
pub(super) fn east_asian(code: [u8; 3]) -> Option<char> {
    let [one, two, three] = code.map(|byte| u32::from(byte & 0x7F));
    let code = one << 16 | two << 8 | three;
    let at = SETS
        .eacc
        .binary_search_by_key(&code, |known| known.0)
        .ok()?;
    Some(SETS.eacc[at].1)
}

/// Whether a set with this final byte exists.
pub(super) fn is_set(set: u8) -> bool {
    set == EACC || set != ISO_5426 && SETS.sets.iter().any(|known| known.0 == set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_have_their_characters() {
        let plain = |char| {
            Some(SetCharacter {
                char,
                combines: false,
            })
        };
        let mark = |char| {
            Some(SetCharacter {
                char,
                combines: true,
            })
        };
        assert_eq!(character(ASCII, b'a'), plain('a'));
        assert_eq!(character(ANSEL, 0xE2), mark('\u{301}'));
        assert_eq!(character(ANSEL, 0xB2), plain('\u{F8}'));
        assert_eq!(character(b'3', 0xC8), character(b'3', 0x48));
        assert_eq!(character(ISO_5426, 0xC2), mark('\u{301}'));
        assert_eq!(character(ISO_5426, 0xE1), plain('\u{C6}'));
        assert_eq!(character(b'x', b'a'), None);
        assert_eq!(east_asian([0x21, 0x30, 0x21]), Some('\u{4E00}'));
        assert_eq!(east_asian([0xA1, 0xB0, 0xA1]), Some('\u{4E00}'));
        assert_eq!(east_asian([0x21, 0x21, 0x21]), None);
        assert!(b"1234BENQSgbp".iter().all(|&set| is_set(set)) && !is_set(0) && !is_set(b's'));
        assert!(SETS.eacc.len() > 15_000);
        assert!(SETS.eacc.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }
}
