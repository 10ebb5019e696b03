//! The part of a URI at a place, and what the bytes before it mean for the rules (I8, I9).

/// The part of a URI at a place.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Part {
    Text,
    Authority,
    Port,
}

/// What the bytes before a place mean for the rules.
pub(super) struct State {
    pub part: Part,
    pub in_uri: bool,
    pub backslashes: bool,
    pub encoded: bool,
    /// The marks in the authority, of which 64 count.
    pub marks: usize,
    /// The end of the line in which a `<` with a URI is (W4), and whether it was passed.
    pub fold: Option<usize>,
    pub folded: bool,
}

/// Begins a URI in this part.
pub(super) fn begin(state: &mut State, part: Part) {
    state.part = part;
    state.in_uri = true;
    state.backslashes = false;
    state.encoded = false;
    state.marks = 0;
}
