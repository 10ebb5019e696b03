//! An identifier that was read, and the characters around one.

use crate::item::IdentifierKind;
use crate::reference::grammar;
use crate::syntax::iri;

/// An identifier, its URI, and its range.
pub(in crate::reference) struct Number {
    pub kind: IdentifierKind,
    pub uri: Vec<u8>,
    pub from: usize,
    pub to: usize,
}

pub(super) fn char_at(text: &[u8], at: usize) -> Option<char> {
    grammar::first_char(text.get(at..)?).map(|(c, _)| c)
}

pub(super) fn char_before(text: &[u8], at: usize) -> Option<char> {
    let starts = (at.saturating_sub(4)..at).rev();
    let whole = |from: usize| char_at(text, from).filter(|c| from + c.len_utf8() == at);
    starts.into_iter().find_map(whole)
}

/// Whether `c` belongs to the word or number beside it.
pub(super) fn joins(c: char) -> bool {
    c.is_alphanumeric() && !iri::is_unspaced_script(c)
}

/// The characters at the start of `text` for which `belongs` holds.
pub(super) fn prefix_of(text: &[u8], belongs: impl Fn(char) -> bool) -> &[u8] {
    let mut end = 0;
    while let Some(c) = char_at(text, end).filter(|&c| belongs(c)) {
        end += c.len_utf8();
    }
    &text[..end]
}
