//! Characters written in MARC-8 and ISO 5426: which set has them, the escape sequences
//! that lead to it and back, and marks before their letters.

use super::super::text::characters::{ANSEL, ASCII, EACC, ISO_5426, code_of, east_asian_code};
use super::super::text::marc8::{Designation, ESCAPE, reference};
use unicode_normalization::UnicodeNormalization;

/// The sets that are designated where a character needs them, in the order in which they
/// are searched.
const DESIGNATED: &[u8] = b"NQ234Sgbp";

/// The sets that are in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SetState {
    g0: u8,
    g1: u8,
}

impl SetState {
    /// The sets at the beginning and at the end of a subfield.
    pub const DEFAULT: SetState = SetState {
        g0: ASCII,
        g1: ANSEL,
    };

    /// Returns the sets in use after `raw`.
    pub fn after(raw: &[u8]) -> SetState {
        let mut state = SetState::DEFAULT;
        for designation in designations(raw) {
            let (Designation { is_g1, set, .. }, _) = designation;
            *(if is_g1 { &mut state.g1 } else { &mut state.g0 }) = set;
        }
        state
    }
}

/// Returns the escape sequences of `raw`, each with its bytes.
fn designations(raw: &[u8]) -> impl Iterator<Item = (Designation, &[u8])> {
    memchr::memchr_iter(ESCAPE, raw).filter_map(move |at| {
        let found = Designation::of(&raw[at..])?;
        let bytes = &raw[at..at + found.len];
        Some((found, bytes))
    })
}

/// Writes a text in MARC-8.
pub(super) struct Marc8Writer<'w> {
    /// The bytes that are replaced: their escape sequences are used again.
    before: &'w [u8],
    state: SetState,
    out: Vec<u8>,
}

impl<'w> Marc8Writer<'w> {
    pub fn new(before: &'w [u8], state: SetState) -> Marc8Writer<'w> {
        let out = Vec::new();
        Marc8Writer { before, state, out }
    }

    /// Returns the bytes of `text`, after which the sets of `end` are in use; else the first
    /// character that MARC-8 lacks.
    pub fn write(mut self, text: &str, end: SetState) -> Result<Vec<u8>, char> {
        let is_mark = |char| code_of(ANSEL, char).is_some_and(|(_, combines)| combines);
        for (at, letter) in letters(text, is_mark) {
            let (base, marks) = letter.split_first().ok_or(char::REPLACEMENT_CHARACTER)?;
            let decomposed = self.parts(*base).ok_or(*base)?;
            let inner = decomposed[1..].iter().chain(marks);
            for &mark in inner {
                self.push(mark)?;
            }
            match reference(&text.as_bytes()[at..]) {
                // Text that only looks like a reference must not be read as one.
                Some(_) => {
                    self.designate(false, ASCII);
                    self.out.extend_from_slice(b"&#x26;");
                }
                None => self.push(decomposed[0])?,
            }
        }
        self.designate(false, end.g0);
        self.designate(true, end.g1);
        Ok(self.out)
    }

    /// Returns a letter and its marks that are in sets; `None` if there are none.
    fn parts(&self, char: char) -> Option<Vec<char>> {
        decomposed(char, |char| {
            is_everywhere(char) || self.set_of(char).is_some()
        })
    }

    /// Returns a set that has `char`, those in use first, and whether it is in G1.
    fn set_of(&self, char: char) -> Option<(u8, bool)> {
        let has = |set: u8| match set {
            EACC => east_asian_code(char).is_some(),
            _ => code_of(set, char).is_some(),
        };
        let SetState { g0, g1 } = self.state;
        let designated = DESIGNATED.iter().map(|&set| (set, false));
        [(g0, false), (g1, true), (ASCII, false), (ANSEL, true)]
            .into_iter()
            .chain(designated)
            .chain([(EACC, false)])
            .find(|&(set, _)| has(set))
    }

    fn push(&mut self, char: char) -> Result<(), char> {
        if let Some(byte) = control(char) {
            self.out.push(byte);
            return Ok(());
        }
        if char == ' ' {
            self.out.push(b' ');
            return Ok(());
        }
        let (set, is_g1) = self.set_of(char).ok_or(char)?;
        self.designate(is_g1, set);
        let high = if is_g1 { 0x80 } else { 0 };
        if set == EACC {
            let code = east_asian_code(char).ok_or(char)?;
            self.out.extend(code.map(|byte| byte | high));
        } else {
            let (code, _) = code_of(set, char).ok_or(char)?;
            self.out.push(code | high);
        }
        Ok(())
    }

    /// Writes the escape sequence that designates `set`, unless it is in use: in the form
    /// of the text, otherwise in the usual form.
    fn designate(&mut self, is_g1: bool, set: u8) {
        let used = match is_g1 {
            true => &mut self.state.g1,
            false => &mut self.state.g0,
        };
        let before = std::mem::replace(used, set);
        if before == set {
            return;
        }
        let known =
            designations(self.before).find(|(found, _)| (found.is_g1, found.set) == (is_g1, set));
        if let Some((_, bytes)) = known {
            return self.out.extend_from_slice(bytes);
        }
        self.out.push(ESCAPE);
        match (set, is_g1) {
            (EACC, false) => self.out.extend_from_slice(b"$1"),
            (EACC, true) => self.out.extend_from_slice(b"$)1"),
            (ANSEL, true) => self.out.extend_from_slice(b")!E"),
            (ANSEL, false) => self.out.extend_from_slice(b"(!E"),
            (b'g' | b'b' | b'p', false) => self.out.push(set),
            (ASCII, false) if matches!(before, b'g' | b'b' | b'p') => self.out.push(b's'),
            (_, true) => self.out.extend_from_slice(&[b')', set]),
            (_, false) => self.out.extend_from_slice(&[b'(', set]),
        }
    }
}

/// Returns the byte of the marks of parts that are not sorted, and of joiners.
fn control(char: char) -> Option<u8> {
    Some(match char {
        '\u{98}' => 0x88,
        '\u{9C}' => 0x89,
        '\u{200D}' => 0x8D,
        '\u{200C}' => 0x8E,
        _ => return None,
    })
}

/// Whether `char` is the same in all sets.
fn is_everywhere(char: char) -> bool {
    char == ' ' || control(char).is_some()
}

/// Returns the letters of `text`, each with the marks after it and its offset.
fn letters(text: &str, is_mark: impl Fn(char) -> bool) -> Vec<(usize, Vec<char>)> {
    let mut letters: Vec<(usize, Vec<char>)> = Vec::new();
    for (at, char) in text.char_indices() {
        match letters.last_mut() {
            Some((_, letter)) if is_mark(char) => letter.push(char),
            _ => letters.push((at, vec![char])),
        }
    }
    letters
}

/// Returns `char`, if `has` accepts it, else the letter and the marks that it consists of.
fn decomposed(char: char, has: impl Fn(char) -> bool) -> Option<Vec<char>> {
    let mut marks = Vec::new();
    let mut base = char;
    while !has(base) {
        let mut parts: Vec<char> = std::iter::once(base).nfd().collect();
        let mark = parts.pop().filter(|&mark| has(mark))?;
        // The letter with all marks but the last.
        let mut rest = parts.into_iter().nfc();
        let less = rest.next().filter(|&less| less != base)?;
        if rest.next().is_some() {
            return None;
        }
        marks.insert(0, mark);
        base = less;
    }
    marks.insert(0, base);
    Some(marks)
}

/// Returns the bytes of `text` in ISO 5426 above ISO 646; else the first character that it
/// lacks.
pub(super) fn iso_5426(text: &str) -> Result<Vec<u8>, char> {
    let code = |char: char| match char {
        '\u{98}' => Some(0x88),
        '\u{9C}' => Some(0x89),
        _ if char.is_ascii() => Some(char as u8),
        _ => code_of(ISO_5426, char).map(|(code, _)| code | 0x80),
    };
    let is_mark = |char| code_of(ISO_5426, char).is_some_and(|(_, combines)| combines);
    let mut out = Vec::new();
    for (_, letter) in letters(text, is_mark) {
        let parts = decomposed(letter[0], |char| code(char).is_some()).ok_or(letter[0])?;
        let marks = parts[1..].iter().chain(&letter[1..]);
        for &char in marks.chain(&parts[..1]) {
            out.push(code(char).ok_or(char)?);
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marc8(text: &str) -> Result<Vec<u8>, char> {
        Marc8Writer::new(b"", SetState::DEFAULT).write(text, SetState::DEFAULT)
    }

    #[test]
    fn characters_are_in_their_sets() {
        for (text, raw) in [
            ("a\u{E9}b", &b"a\xE2eb"[..]),
            ("\u{F8}", b"\xB2"),
            // A letter of Vietnamese: the horn belongs to the letter.
            ("\u{1EDB}", b"\xE2\xBC"),
            ("\u{1D8}", b"\xE8\xE2u"),
            ("\u{410} \u{411}.c", b"\x1B(Na b.\x1B(Bc"),
            ("x\u{B2}", b"x\x1Bp2\x1Bs"),
            ("\u{4E00} \u{4E00}", b"\x1B$1!0! !0!\x1B(B"),
            ("\u{98}The \u{9C}", b"\x88The \x89"),
            ("&#x41;&amp;", b"&#x26;#x41;&amp;"),
        ] {
            assert_eq!(marc8(text).as_deref(), Ok(raw), "{text}");
        }
        for char in ['\u{2013}', '\u{1F600}', '\u{FFFD}'] {
            assert_eq!(marc8(&format!("a{char}b")), Err(char));
        }
    }

    #[test]
    fn escape_sequences_are_those_of_the_text() {
        let before = b"\x1B,Na\x1B)Qb\x1B,B";
        let written = Marc8Writer::new(before, SetState::after(&before[..4]));
        assert_eq!(
            written
                .write("\u{411}c", SetState::after(before))
                .as_deref(),
            Ok(&b"b\x1B,Bc\x1B)Q"[..])
        );
    }

    #[test]
    fn iso_5426_has_marks_before_letters() {
        assert_eq!(iso_5426("caf\u{E9}").as_deref(), Ok(&b"caf\xC2e"[..]));
        assert_eq!(iso_5426("\u{C6}").as_deref(), Ok(&b"\xE1"[..]));
        assert_eq!(iso_5426("\u{410}"), Err('\u{410}'));
    }
}
