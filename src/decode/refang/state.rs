//! The state of reading a text from left to right: the part of a URI at a place.

use super::schemes::begins_scheme;
use super::sight::is_break;

/// The part of a URI at a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum UriPart {
    /// A path, or text outside of a URI.
    #[default]
    Text,
    /// The authority behind a scheme.
    Authority,
    /// The port behind a host without a scheme.
    Port,
}

/// A `<` whose URI goes on in the next line (W4).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum RefangFold {
    #[default]
    No,
    /// The end of the line is ahead.
    Ahead,
    /// In the blanks between the lines.
    Between,
}

/// Most marks in an authority that are read.
pub(super) const MARKS_MAX: u8 = 64;

/// Bytes that are no sign outside of a URI, and begin nothing.
const APART: u8 = 1;
/// Bytes that are no sign in a path, and do not end it.
const OF_PATH: u8 = 2;
/// Letters and digits behind another one; an `h` may begin `hxxp` there.
const INSIDE: u8 = 4;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 0x80u8 {
        classes[byte as usize] = match byte {
            b':' | b'[' | b'(' | b'{' | b'&' => 0,
            b'h' | b'H' => 0,
            byte if begins_scheme(byte) => INSIDE,
            byte if byte.is_ascii_alphanumeric() => OF_PATH | INSIDE,
            b'<' => 0,
            b'\\' => APART,
            b'$' | b'/' | b'_' => OF_PATH,
            byte if is_break(byte) => APART,
            _ => APART | OF_PATH,
        };
        byte += 1;
    }
    classes
};

/// What is known at a place of the bytes before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RefangState {
    pub(super) part: UriPart,
    pub(super) fold: RefangFold,
    /// A URI has begun: hosts without a scheme and encoded URIs belong to it.
    pub(super) in_uri: bool,
    /// Backslashes are slashes.
    pub(super) backslashes: bool,
    /// Percent-encoded signs are decoded.
    pub(super) is_encoded: bool,
    /// The number of marks in the authority, at most [`MARKS_MAX`].
    pub(super) marks: u8,
    /// The last bytes of the text without marks.
    pub(super) prev: [u8; 4],
}

impl RefangState {
    /// Begins a URI in this part.
    pub(super) fn begin(&mut self, part: UriPart) {
        self.part = part;
        self.in_uri = true;
        self.is_encoded = false;
        self.backslashes = false;
        self.marks = 0;
    }

    /// Notes a byte that may end the authority.
    pub(super) fn pass(&mut self, byte: u8) {
        if matches!(byte, b'/' | b'?' | b'#' | b'\\') {
            self.part = UriPart::Text;
        }
    }

    /// Whether one more mark in the authority is read. One that was asked for counts.
    pub(super) fn takes_mark(&mut self) -> bool {
        let takes = self.marks < MARKS_MAX;
        self.marks += u8::from(takes);
        takes
    }

    /// Ends the URI at a byte between two texts. `folds`: the byte is a `<` whose URI goes on in
    /// the next line.
    pub(super) fn end_run(&mut self, byte: u8, folds: bool) {
        let is_blank = matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.part = UriPart::Text;
        self.is_encoded = false;
        match self.fold {
            RefangFold::Ahead | RefangFold::Between if is_blank => {
                self.fold = RefangFold::Between;
                self.in_uri = true;
            }
            _ => {
                self.fold = match folds {
                    true => RefangFold::Ahead,
                    false => RefangFold::No,
                };
                self.in_uri = false;
                self.backslashes = false;
            }
        }
    }

    /// Returns the number of bytes at the start of `rest` that stay as they are, and change
    /// nothing but what was written last: no scheme, host or sign begins at one of them.
    pub(super) fn plain_len(&self, rest: &[u8]) -> usize {
        let is_apart = !(self.in_uri || self.backslashes || self.fold != RefangFold::No);
        let class = match self.part {
            UriPart::Port => return 0,
            _ if self.fold == RefangFold::Between => return 0,
            UriPart::Text if !self.is_encoded && self.in_uri => OF_PATH,
            UriPart::Text if !self.is_encoded && is_apart => APART,
            _ => 0,
        };
        let mut plain = match self.prev[3].is_ascii_alphanumeric() {
            true => class | INSIDE,
            false => class,
        };
        let may_be_x = |at: usize| matches!(rest.get(at), None | Some(b'x' | b'X'));
        let mut len = 0;
        while let Some(&byte) = rest.get(len) {
            let classes = CLASSES[usize::from(byte)];
            if classes & plain != 0 {
                plain = class | (classes & INSIDE);
            } else if plain & INSIDE == 0 || !matches!(byte, b'h' | b'H') || may_be_x(len + 1) {
                break;
            }
            len += 1;
        }
        len
    }

    /// Notes the text that was written last.
    pub(super) fn push(&mut self, text: &[u8]) {
        for &byte in &text[text.len() - text.len().min(4)..] {
            let [_, a, b, c] = self.prev;
            self.prev = [a, b, c, byte];
        }
    }

    /// Returns the character before the place; NUL at the start, and where it is no UTF-8.
    pub(super) fn prev_char(&self) -> char {
        if self.prev[3].is_ascii() {
            return char::from(self.prev[3]);
        }
        let starts = (1..4).rev().map(|at| 3 - at);
        let mut texts = starts.filter_map(|at| std::str::from_utf8(&self.prev[at..]).ok());
        let is_one = |text: &&str| text.chars().count() == 1;
        let char = texts.find(is_one).and_then(|text| text.chars().next());
        char.unwrap_or('\0')
    }
}
