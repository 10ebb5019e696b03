//! Reads the text before and after an identifier, and notes when an answer depends on
//! bytes beyond the end of the text. Nothing here crosses the end of a line.

use crate::delimit::start::{escape_tail, run_start};
use crate::syntax::{iri, steps};

/// Most blanks and signs between a word and its number.
const GAP: usize = 3;

/// Most characters of a remark in parentheses.
const REMARK: usize = 24;

/// A remark with this number of digits may contain another number.
const REMARK_DIGITS: usize = 8;

/// A text, and whether its end was reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ahead<'t> {
    pub text: &'t [u8],
    /// More text might change an answer.
    pub touched_end: bool,
}

impl<'t> Ahead<'t> {
    pub(super) fn new(text: &'t [u8]) -> Ahead<'t> {
        Ahead {
            text,
            touched_end: false,
        }
    }

    pub(super) fn byte(&mut self, at: usize) -> Option<u8> {
        steps::count(1);
        let byte = self.text.get(at).copied();
        self.touched_end |= byte.is_none();
        byte
    }

    pub(super) fn digit(&mut self, at: usize) -> Option<u8> {
        self.byte(at).filter(u8::is_ascii_digit)
    }

    /// Returns the end of the digits at `at`, of which at most `most` are read.
    pub(super) fn digits(&mut self, at: usize, most: usize) -> usize {
        let mut end = at;
        while end < at + most && self.digit(end).is_some() {
            end += 1;
        }
        end
    }

    /// Returns the character at `at` and its length; `None` at the end, and where the text
    /// is not UTF-8.
    pub(super) fn char(&mut self, at: usize) -> Option<(char, usize)> {
        let first = self.byte(at)?;
        if first.is_ascii() {
            return Some((char::from(first), 1));
        }
        let len = iri::utf8_len(first)?;
        if len > 1 {
            self.byte(at + len - 1)?;
        }
        iri::decode(self.text.get(at..)?)
    }

    /// Returns the end of `word`, in any case, at `at`.
    pub(super) fn word(&mut self, at: usize, word: &str) -> Option<usize> {
        let is_there = word.bytes().enumerate().all(|(i, wanted)| {
            self.byte(at + i)
                .is_some_and(|byte| byte.eq_ignore_ascii_case(&wanted))
        });
        is_there.then_some(at + word.len())
    }

    pub(super) fn is_blank(&mut self, at: usize) -> Option<usize> {
        match self.char(at)?.0 {
            ' ' | '\t' => Some(at + 1),
            '\u{A0}' => Some(at + 2),
            _ => None,
        }
    }

    /// Returns the offset after at most three blanks at `at`.
    pub(super) fn blanks(&mut self, at: usize) -> usize {
        let mut end = at;
        for _ in 0..GAP {
            match self.is_blank(end) {
                Some(next) => end = next,
                None => break,
            }
        }
        end
    }

    /// Returns the offset after at most three blanks, `:`, `=` and `#` at `at`.
    pub(super) fn gap(&mut self, at: usize) -> usize {
        let mut end = at;
        for _ in 0..GAP {
            match self.byte(end) {
                Some(b':' | b'=' | b'#') => end += 1,
                _ => match self.is_blank(end) {
                    Some(next) => end = next,
                    None => break,
                },
            }
        }
        end
    }

    /// Returns the end of a remark such as `(pbk.)` at `at`. A remark contains neither a
    /// URI nor an identifier: no `/`, no colon except before a blank, and few digits.
    pub(super) fn remark(&mut self, at: usize) -> Option<usize> {
        if self.byte(at) != Some(b'(') {
            return None;
        }
        let (mut end, mut digits) = (at + 1, 0);
        for _ in 0..=REMARK {
            let len = match self.byte(end)? {
                b')' => return Some(end + 1),
                0..0x20 | 0x7F | b'(' | b'/' | b'\\' | b'<' | b'>' | b'"' => return None,
                b':' if self.byte(end + 1) != Some(b')') && self.is_blank(end + 1).is_none() => {
                    return None;
                }
                b'0'..=b'9' => {
                    digits += 1;
                    if digits == REMARK_DIGITS {
                        return None;
                    }
                    1
                }
                b'w' | b'W' if self.word(end, "www.").is_some() => return None,
                b'f' | b'F' if self.word(end, "ftp.").is_some() => return None,
                _ => self.char(end).map_or(1, |(_, len)| len),
            };
            end += len;
        }
        None
    }

    /// Whether a letter or digit at `at` continues the word that ends there. Han, kana,
    /// Hangul and Thai are written without blanks and continue nothing.
    pub(super) fn is_continued(&mut self, at: usize) -> bool {
        self.char(at).is_some_and(|(char, _)| continues(char))
    }

    /// Whether the number that ends at `at` ends there: neither a letter, a digit nor a
    /// hyphen with a digit follows.
    pub(super) fn ends_number(&mut self, at: usize) -> bool {
        if self.is_continued(at) {
            return false;
        }
        match self.dash(at) {
            Some(next) => self.digit(next).is_none(),
            None => true,
        }
    }

    /// Returns the end of the hyphen or dash at `at`.
    pub(super) fn dash(&mut self, at: usize) -> Option<usize> {
        match self.char(at)? {
            ('-' | '\u{2010}'..='\u{2015}' | '\u{2212}', len) => Some(at + len),
            _ => None,
        }
    }
}

/// Whether `char` belongs to the word or number beside it.
pub(super) fn continues(char: char) -> bool {
    match char.is_ascii() {
        true => char.is_ascii_alphanumeric(),
        false => char.is_alphanumeric() && !iri::is_unspaced_script(char),
    }
}

/// Returns the character before `at`.
pub(super) fn char_before(text: &[u8], at: usize) -> Option<char> {
    let last = *text.get(at.checked_sub(1)?)?;
    if last.is_ascii() {
        return Some(char::from(last));
    }
    (2..=4.min(at)).find_map(|len| match iri::decode(&text[at - len..at]) {
        Some((char, decoded)) if decoded == len => Some(char),
        _ => None,
    })
}

/// Whether an identifier may begin at `at`: no letter or digit is before it, or only the
/// tail of an escape (S4).
pub(super) fn may_begin(text: &[u8], at: usize) -> bool {
    match char_before(text, at) {
        Some(char) if char.is_ascii_alphanumeric() => {
            let run = run_start(text, at);
            run + escape_tail(text, run, at) == at
        }
        Some(char) => !continues(char),
        None => true,
    }
}

/// Returns the start of the at most three blanks before `at`.
pub(super) fn blanks_before(text: &[u8], at: usize) -> usize {
    let mut start = at;
    for _ in 0..GAP {
        match char_before(text, start) {
            Some(blank @ (' ' | '\t' | '\u{A0}')) => start -= blank.len_utf8(),
            _ => break,
        }
    }
    start
}

/// Returns the start of the at most three blanks, `:`, `=` and `#` before `at`.
pub(super) fn gap_before(text: &[u8], at: usize) -> usize {
    let mut start = at;
    for _ in 0..GAP {
        match char_before(text, start) {
            Some(sign @ (' ' | '\t' | '\u{A0}' | ':' | '=' | '#')) => start -= sign.len_utf8(),
            _ => break,
        }
    }
    start
}

/// Whether `word`, in any case, ends at `at` and begins there.
pub(super) fn is_word_before(text: &[u8], at: usize, word: &str) -> bool {
    let Some(start) = at.checked_sub(word.len()) else {
        return false;
    };
    text[start..at].eq_ignore_ascii_case(word.as_bytes())
        && !char_before(text, start).is_some_and(continues)
}
