//! Reads the text unit by unit: a plain character, a backslash escape or a character
//! reference. Notes when an answer depends on bytes beyond the end of the text.

use super::roff;
use crate::escape::{self, Backslash};
use crate::syntax::class::URI;
use crate::syntax::{iri, steps};

/// A unit of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A character, raw or escaped by a backslash.
    Char { char: char, escaped: bool },
    /// A character reference, judged by the character that it encodes.
    Reference(char),
    /// `&amp;`, which belongs to the text as written.
    Amp,
    /// A byte that is not UTF-8.
    Invalid,
    /// An escape for a character that may not be in a URI.
    Excluded,
    /// `\.`
    RegexDot,
    /// A backslash that B5 does not explain.
    Unexplained,
    /// The end of the text.
    End,
}

/// A text, and whether its end was reached.
#[derive(Clone, Copy, Debug)]
pub(super) struct UnitReader<'t> {
    pub text: &'t [u8],
    /// More text might have changed an answer.
    pub touched_end: bool,
    /// The escapes of TeX count (B5).
    pub tex: bool,
}

impl<'t> UnitReader<'t> {
    pub(super) fn new(text: &'t [u8]) -> UnitReader<'t> {
        UnitReader {
            text,
            touched_end: false,
            tex: false,
        }
    }

    /// Returns the raw byte at `at`.
    #[inline]
    pub(super) fn byte(&mut self, at: usize) -> Option<u8> {
        steps::count(1);
        let byte = self.text.get(at).copied();
        self.touched_end |= byte.is_none();
        byte
    }

    /// Returns the unit at `at` and its length in raw bytes. The length of `Excluded`,
    /// `Unexplained` and `End`, which always end a candidate, is 0.
    #[inline(always)]
    pub(super) fn unit(&mut self, at: usize) -> (Unit, usize) {
        match self.byte(at) {
            None => (Unit::End, 0),
            Some(b'\\') => self.backslash(at),
            Some(b'&') => self.ampersand(at),
            Some(b'{') if self.tex => self.brace(at),
            Some(byte @ 0..0x80) => (raw(byte as char), 1),
            Some(lead) => self.multibyte(at, lead),
        }
    }

    fn backslash(&mut self, at: usize) -> (Unit, usize) {
        let (found, truncated) = escape::backslash(self.text, at, self.tex);
        self.touched_end |= truncated;
        match found {
            Backslash::Char(char, len) => (
                Unit::Char {
                    char,
                    escaped: true,
                },
                len,
            ),
            Backslash::RegexDot(len) => (Unit::RegexDot, len),
            Backslash::Excluded => (Unit::Excluded, 0),
            Backslash::Unexplained => self.roff(at),
        }
    }

    /// Reads an escape of roff (B5), or a backslash that nothing explains.
    #[inline(never)]
    fn roff(&mut self, at: usize) -> (Unit, usize) {
        let (found, truncated) = roff::roff(self.text, at);
        self.touched_end |= truncated;
        match found {
            Some((char, len)) => (
                Unit::Char {
                    char,
                    escaped: true,
                },
                len,
            ),
            None => (Unit::Unexplained, 0),
        }
    }

    /// Reads an escape of TeX between braces (B5), or a brace.
    fn brace(&mut self, at: usize) -> (Unit, usize) {
        let (found, truncated) = escape::tex_group(self.text, at);
        self.touched_end |= truncated;
        match found {
            Some(char) => (
                Unit::Char {
                    char,
                    escaped: true,
                },
                4,
            ),
            None => (raw('{'), 1),
        }
    }

    fn ampersand(&mut self, at: usize) -> (Unit, usize) {
        // After nearly every "&" of a query comes the name of a parameter.
        if let Some(&next) = self.text.get(at + 1)
            && !matches!(next, b'#' | b'q' | b'l' | b'g' | b'a' | b'n' | b'r')
        {
            return (raw('&'), 1);
        }
        let (found, truncated) = escape::reference(self.text, at);
        self.touched_end |= truncated;
        if let Some(found) = found {
            return (Unit::Reference(found.char), found.len);
        }
        match escape::starts_amp(self.text, at) {
            (true, _) => (Unit::Amp, 5),
            (false, _) => (raw('&'), 1),
        }
    }

    fn multibyte(&mut self, at: usize, lead: u8) -> (Unit, usize) {
        let Some(len) = iri::utf8_len(lead) else {
            return (Unit::Invalid, 1);
        };
        if at + len > self.text.len() {
            // The bytes before the end may already be invalid.
            let rest = &self.text[at..];
            let may_go_on = std::str::from_utf8(rest).is_err_and(|e| e.error_len().is_none());
            self.touched_end |= may_go_on;
            return (Unit::Invalid, 1);
        }
        match iri::decode(&self.text[at..]) {
            Some((char, len)) => (raw(char), len),
            None => (Unit::Invalid, 1),
        }
    }
}

fn raw(char: char) -> Unit {
    Unit::Char {
        char,
        escaped: false,
    }
}

/// Returns whether `char` may be in a bare candidate, apart from its neighbours (B1, B2).
pub(super) fn is_bare(char: char) -> bool {
    if char.is_ascii() {
        URI.has(char as u8)
    } else {
        iri::is_bare(char)
    }
}

/// Returns whether `char` may be inside a wrapper of W1 to W3, apart from the closer.
pub(super) fn is_wrapped(char: char) -> bool {
    if char.is_ascii() {
        URI.has(char as u8)
    } else {
        iri::is_wrapped(char)
    }
}
