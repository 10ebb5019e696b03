//! A disguised part of a text, and what it means.

/// A disguised part of the input, and what it means.
pub(super) struct Disguise {
    pub pieces: Vec<Piece>,
    pub end: usize,
}

/// A range of the input, and the text that it means.
pub(super) struct Piece {
    pub from: usize,
    pub to: usize,
    pub text: Vec<u8>,
    pub is_copy: bool,
    pub is_given: bool,
}

impl Disguise {
    pub fn new(from: usize) -> Disguise {
        Disguise {
            pieces: Vec::new(),
            end: from,
        }
    }

    pub fn of(from: usize, to: usize, text: &[u8]) -> Disguise {
        Disguise::new(from).mark(to, text)
    }

    pub fn copy(mut self, input: &[u8], to: usize) -> Disguise {
        self.pieces.push(Piece {
            from: self.end,
            to,
            text: input[self.end..to].to_vec(),
            is_copy: true,
            is_given: false,
        });
        self.end = to;
        self
    }

    pub fn mark(mut self, to: usize, text: &[u8]) -> Disguise {
        self.pieces.push(Piece {
            from: self.end,
            to,
            text: text.to_vec(),
            is_copy: false,
            is_given: false,
        });
        self.end = to;
        self
    }

    pub fn text(&self) -> Vec<u8> {
        let texts = self.pieces.iter().map(|piece| &piece.text[..]);
        texts.collect::<Vec<_>>().concat()
    }

    /// I10: the scheme stands with the first character.
    pub fn given(mut self, scheme: &[u8]) -> Disguise {
        let mut first = self.pieces.remove(0);
        if first.is_copy {
            let text = String::from_utf8_lossy(&first.text).into_owned();
            let len = text.chars().next().map_or(1, char::len_utf8);
            let rest = Piece {
                from: first.from + len,
                to: first.to,
                text: first.text.split_off(len),
                is_copy: true,
                is_given: false,
            };
            first.to = first.from + len;
            first.is_copy = false;
            self.pieces.insert(0, rest);
        }
        first.text = [scheme, &first.text].concat();
        first.is_given = true;
        self.pieces.insert(0, first);
        self
    }
}

/// A byte of the text without marks.
pub(super) struct Read {
    pub byte: u8,
    /// The bytes of the input that it means, alone or with those after it.
    pub from: usize,
    pub to: usize,
    /// It is the first one that means a mark.
    pub is_mark: bool,
    /// It means a mark behind the first byte.
    pub is_more: bool,
    /// A scheme that the input lacks begins here.
    pub is_given: bool,
}

/// Adds what a mark means to the text.
pub(super) fn push(text: &mut Vec<Read>, disguise: &Disguise) {
    for piece in &disguise.pieces {
        for (number, &byte) in piece.text.iter().enumerate() {
            let (from, to) = match piece.is_copy {
                true => (piece.from + number, piece.from + number + 1),
                false => (piece.from, piece.to),
            };
            text.push(Read {
                byte,
                from,
                to,
                is_mark: !piece.is_copy && number == 0,
                is_more: !piece.is_copy && number > 0,
                is_given: piece.is_given && number == 0,
            });
        }
    }
}
