//! The state of reading a text from left to right: the part of a URI at a place.

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

    /// Notes the text that was written last.
    pub(super) fn push(&mut self, text: &[u8]) {
        let len = text.len().min(4);
        self.prev.rotate_left(len);
        self.prev[4 - len..].copy_from_slice(&text[text.len() - len..]);
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
