//! The character sets of MARC-8 and ISO 5426, from the tables in `tables/`, which also
//! contains their generator and notices.

use std::collections::HashMap;
use std::sync::LazyLock;

/// The final bytes of escape sequences that designate a set.
pub(in crate::decode::catalog) const ASCII: u8 = b'B';
pub(in crate::decode::catalog) const ANSEL: u8 = b'E';
pub(in crate::decode::catalog) const EACC: u8 = b'1';
/// ISO 5426 has no final byte in MARC-8.
pub(in crate::decode::catalog) const ISO_5426: u8 = 0;

static BYTES: &[u8] = include_bytes!("../tables/characters.bin");

static SETS: LazyLock<CharacterSets> = LazyLock::new(CharacterSets::read);

/// A character of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::decode::catalog) struct SetCharacter {
    pub char: char,
    /// Whether the character is a mark on the one after it.
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
                // The lower codes are control characters; in ANSEL these are C1.
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
pub(in crate::decode::catalog) fn character(set: u8, code: u8) -> Option<SetCharacter> {
    let (_, set) = SETS.sets.iter().find(|known| known.0 == set)?;
    set[usize::from(code & 0x7F)]
}

/// Returns the character with this code in EACC; the highest bits do not count.
pub(in crate::decode::catalog) fn east_asian(code: [u8; 3]) -> Option<char> {
    let [one, two, three] = code.map(|byte| u32::from(byte & 0x7F));
    let code = one << 16 | two << 8 | three;
    let at = SETS
        .eacc
        .binary_search_by_key(&code, |known| known.0)
        .ok()?;
    Some(SETS.eacc[at].1)
}

/// The codes of the characters of each set, for writing. Where several codes have one
/// character, the lowest is written.
struct CharacterCodes {
    sets: HashMap<(u8, char), (u8, bool)>,
    eacc: HashMap<char, u32>,
}

static CODES: LazyLock<CharacterCodes> = LazyLock::new(|| {
    let mut codes = CharacterCodes {
        sets: HashMap::new(),
        eacc: HashMap::new(),
    };
    for (name, set) in &SETS.sets {
        for (code, found) in set.iter().enumerate() {
            if let Some(found) = found {
                let code = (code as u8, found.combines);
                codes.sets.entry((*name, found.char)).or_insert(code);
            }
        }
    }
    for &(code, char) in &SETS.eacc {
        codes.eacc.entry(char).or_insert(code);
    }
    codes
});

/// Returns the code of `char` in a set of one byte, without the highest bit, and whether
/// it is a mark on the character after it.
pub(in crate::decode::catalog) fn code_of(set: u8, char: char) -> Option<(u8, bool)> {
    CODES.sets.get(&(set, char)).copied()
}

/// Returns the code of `char` in EACC.
pub(in crate::decode::catalog) fn east_asian_code(char: char) -> Option<[u8; 3]> {
    let code = *CODES.eacc.get(&char)?;
    Some([16, 8, 0].map(|shift| (code >> shift) as u8))
}

/// Whether a set with this final byte exists.
pub(in crate::decode::catalog) fn is_set(set: u8) -> bool {
    set == EACC || set != ISO_5426 && SETS.sets.iter().any(|known| known.0 == set)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_lead_to_their_characters() {
        for (&(set, char), &(code, combines)) in &CODES.sets {
            assert_eq!(character(set, code), Some(SetCharacter { char, combines }));
        }
        for &char in CODES.eacc.keys() {
            let code = east_asian_code(char).expect("it is there");
            assert_eq!(east_asian(code), Some(char));
        }
        assert_eq!(code_of(ANSEL, '\u{301}'), Some((0x62, true)));
        assert_eq!(code_of(ASCII, '\u{E9}'), None);
    }

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
