//! The bytes ahead of a place in a text, and whether an answer depended on bytes behind its
//! end.

/// A text that is read ahead.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight<'t> {
    pub text: &'t [u8],
    /// More text might change an answer.
    pub touched_end: bool,
}

impl<'t> Sight<'t> {
    pub(super) fn new(text: &'t [u8]) -> Sight<'t> {
        Sight {
            text,
            touched_end: false,
        }
    }

    pub(super) fn byte(&mut self, at: usize) -> Option<u8> {
        let byte = self.text.get(at).copied();
        self.touched_end |= byte.is_none();
        byte
    }

    pub(super) fn is(&mut self, at: usize, byte: u8) -> bool {
        self.byte(at) == Some(byte)
    }

    pub(super) fn any_of(&mut self, at: usize, bytes: &[u8]) -> bool {
        self.byte(at).is_some_and(|byte| bytes.contains(&byte))
    }

    /// Returns the end of `word`, in any case, at `at`.
    #[inline]
    pub(super) fn word(&mut self, at: usize, word: &str) -> Option<usize> {
        let (first, rest) = word.as_bytes().split_first()?;
        // Most words differ here.
        let begins = self.byte(at).is_some_and(|b| b.eq_ignore_ascii_case(first));
        (begins && self.goes_on(at + 1, rest)).then_some(at + word.len())
    }

    fn goes_on(&mut self, at: usize, rest: &[u8]) -> bool {
        rest.iter().enumerate().all(|(i, wanted)| {
            let byte = self.byte(at + i);
            byte.is_some_and(|byte| byte.eq_ignore_ascii_case(wanted))
        })
    }

    /// Returns the end of the blanks at `at`, of which at most `most` are read.
    pub(super) fn blanks(&mut self, at: usize, most: usize) -> usize {
        let mut end = at;
        while end < at + most && self.any_of(end, b" \t") {
            end += 1;
        }
        end
    }

    /// Whether a letter or digit is at `at`, or a character above U+007F.
    pub(super) fn begins_label(&mut self, at: usize) -> bool {
        let byte = self.byte(at);
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte >= 0x80)
    }
}

/// Whether a text ends at this byte: blanks, controls, and what delimits a URI.
pub(super) const fn is_break(byte: u8) -> bool {
    matches!(byte, 0..=b' ' | 0x7F | b'<' | b'>' | b'"' | b'`')
}
