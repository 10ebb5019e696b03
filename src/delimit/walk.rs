//! The walk over one candidate, from its scheme to where it ends: which
//! characters belong to it (B1, B2, B4, B5), where an authority, a list or a
//! bracket ends it (B3, B8, B9), and its text without folds and escapes.
//!
//! One loop serves every mode. Bytes that mean nothing are passed over by a
//! table; every other byte is read as a unit and judged. The text stays a slice
//! of the input until the first unit whose spelling differs from what it stands
//! for; only then is it copied, with the raw offset of each byte.

use super::fold::{self, Fold, Limit};
use super::list;
use super::read::{self, Reader, Unit};
use super::shape::{self, Authority};
use super::start::{self, Field, Form, Opener};
use super::{Config, Hyphen, Wrap};
use crate::item::{Leader, Problem, Problems, Wrapper};
use crate::syntax::class::{SCHEME, URI};
use crate::syntax::{iri, scheme};
use std::ops::Range;

/// How far a "[" may be from its "]", in raw bytes, and how many may be open at
/// once, in a bare candidate: so that looking ahead costs bounded time.
const BRACKET_REACH: usize = 4096;
/// See [`BRACKET_REACH`]; also the depth of brackets inside a wrapper of W3.
const BRACKET_DEPTH: usize = 8;
/// Trailing punctuation that may lie beyond the longest length (B7 is judged
/// after B3).
pub(super) const TRIM_SLACK: usize = 64;

/// How a candidate is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Without a wrapper, or in a subfield.
    Bare { field: Option<Field> },
    /// In a wrapper of W1 or W2.
    Quoted(Opener),
    /// In a bracket of W3.
    Bracketed(Opener),
}

/// Why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At something that is no part of the candidate.
    End,
    /// At the closer of the wrapper.
    Closed,
    /// The candidate is none.
    Void,
    /// It is longer than allowed.
    TooLong,
}

/// What a walk found besides the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walked {
    pub stop: Stop,
    /// Raw offset of the end of the candidate, or of the run that is too long.
    pub end: usize,
    /// What goes on when a run that is too long reaches the end of the text.
    pub overrun: Option<Overrun>,
    pub problems: Problems,
    pub wrapped: usize,
    pub hyphen_break: bool,
}

/// The state of a run that is too long, to go on with where the text ended (B7).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun {
    field: Option<Field>,
    tex: bool,
    is_urn: bool,
    parens: usize,
    last: char,
}

/// Buffers that a walk fills and that are used again for the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    /// The decoded text, when it differs from the raw one.
    pub text: Vec<u8>,
    /// For each byte of `text` the raw offset of its unit.
    pub map: Vec<usize>,
    /// Offsets into the text of the hyphens before a line break.
    pub hyphens: Vec<usize>,
}

/// One candidate on its way.
pub(super) struct Walk<'w, 't> {
    reader: &'w mut Reader<'t>,
    scratch: &'w mut Scratch,
    config: &'w Config,
    leader: Leader<'t>,
    mode: Mode,
    /// Raw offset of the scheme.
    start: usize,
    /// Raw offset of the opener and prefix.
    opening: usize,
    /// The decoded text is in `scratch`, no longer a slice of the input.
    decoded: bool,
    /// Raw offset of the next unit.
    at: usize,
    phase: Phase,
    is_urn: bool,
    parens: usize,
    squares: usize,
    /// Text and raw offset of the first "[" that is open.
    first_square: (usize, usize),
    unbalanced: bool,
    /// Brackets up to this raw offset are known to be balanced.
    balanced_to: usize,
    /// Where, in decoded bytes, the shape of an opaque URI is judged.
    sight: Option<usize>,
    /// The candidate is too long: its last character; the text is kept no more.
    skipping: Option<char>,
    problems: Problems,
    wrapped: usize,
    /// Where in the text the scheme stands that the authority belongs to.
    scheme: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Text offset of its start; the scheme ends three bytes before.
    Authority(usize),
    /// In an IP literal of the authority that starts there.
    Literal(usize),
    Rest,
}

/// Whether the walk goes on after a unit.
enum Next {
    On,
    Stop(Stop),
}

const STOP: Next = Next::Stop(Stop::End);

/// Bytes that mean something in the path, query and fragment.
static SPECIAL: [bool; 256] = special(b"()[],;&$'");
/// Bytes that mean something in the authority.
static SPECIAL_IN_AUTHORITY: [bool; 256] = special(b"()[],;&$'/?#:@");

const fn special(marks: &[u8]) -> [bool; 256] {
    let mut table = [false; 256];
    let mut i = 0;
    while i < 256 {
        table[i] = !URI.has(i as u8);
        i += 1;
    }
    i = 0;
    while i < marks.len() {
        table[marks[i] as usize] = true;
        i += 1;
    }
    table
}

/// What a walk is given.
pub(super) struct Task<'t> {
    pub mode: Mode,
    pub start: usize,
    pub opening: usize,
    /// Raw offset directly after the scheme's colon and its length in raw bytes.
    pub colon: usize,
    pub colon_len: usize,
    /// S7: there is no scheme; `start` is where the authority starts.
    pub abbreviated: bool,
    pub leader: Leader<'t>,
}

/// Walks the candidate of `task`. The decoded text is afterwards
/// `scratch.text`, unless it is empty: then it is the raw slice.
pub(super) fn walk<'t>(
    reader: &mut Reader<'t>,
    scratch: &mut Scratch,
    config: &Config,
    task: &Task<'t>,
) -> Walked {
    scratch.text.clear();
    scratch.map.clear();
    scratch.hyphens.clear();
    let name = &reader.text[task.start..task.colon];
    let is_urn = name.eq_ignore_ascii_case(b"urn");
    let mut walk = Walk {
        reader,
        scratch,
        config,
        leader: task.leader,
        mode: task.mode,
        start: task.start,
        opening: task.opening,
        decoded: false,
        at: task.colon,
        phase: Phase::Rest,
        is_urn,
        parens: 0,
        squares: 0,
        first_square: (0, 0),
        unbalanced: false,
        balanced_to: 0,
        sight: None,
        skipping: None,
        problems: Problems::NONE,
        wrapped: 0,
        scheme: 0..name.len(),
    };
    let stop = if task.abbreviated {
        walk.phase = Phase::Authority(0);
        walk.run()
    } else {
        walk.push(b":", task.colon_len);
        if walk.enter_authority() || walk.enter_opaque() {
            walk.run()
        } else {
            Stop::Void
        }
    };
    walk.finish(stop)
}

/// Goes on with a run that is too long, at the raw offset `at` of a later text.
pub(super) fn go_on<'t>(
    reader: &mut Reader<'t>,
    scratch: &mut Scratch,
    config: &Config,
    at: usize,
    overrun: Overrun,
) -> Walked {
    reader.tex = overrun.tex;
    let mut walk = Walk {
        reader,
        scratch,
        config,
        leader: Leader::EMPTY,
        mode: Mode::Bare {
            field: overrun.field,
        },
        start: at,
        opening: at,
        decoded: false,
        at,
        phase: Phase::Rest,
        is_urn: overrun.is_urn,
        parens: overrun.parens,
        squares: 0,
        first_square: (0, 0),
        unbalanced: false,
        balanced_to: 0,
        sight: None,
        skipping: Some(overrun.last),
        problems: Problems::NONE,
        wrapped: 0,
        scheme: 0..0,
    };
    let stop = walk.run();
    walk.finish(stop)
}

impl<'t> Walk<'_, 't> {
    /// `//` after the colon begins an authority.
    fn enter_authority(&mut self) -> bool {
        let (first, first_len) = self.reader.unit(self.at);
        if !is_char(first, '/') {
            return false;
        }
        let (second, second_len) = self.reader.unit(self.at + first_len);
        if !is_char(second, '/') {
            return false;
        }
        self.push(b"/", first_len);
        self.push(b"/", second_len);
        self.phase = Phase::Authority(self.len());
        true
    }

    /// S3: what follows the colon of an opaque URI. A URI that stands in it has
    /// its authority judged as any other.
    fn enter_opaque(&mut self) -> bool {
        let name = &self.text()[self.scheme.clone()];
        if !shape::has_inner(name) || self.config.opaque.admits(name) {
            self.sight = Some(shape::sight(name));
            return true;
        }
        let from = self.len();
        while self.len() - from <= scheme::MAX_LEN
            && self.reader.byte(self.at).is_some_and(|b| SCHEME.has(b))
        {
            self.push_raw(1);
        }
        let to = self.len();
        let (colon, len) = self.reader.unit(self.at);
        if !is_char(colon, ':') {
            return false;
        }
        self.push(b":", len);
        self.scheme = from..to;
        self.enter_authority()
    }

    fn run(&mut self) -> Stop {
        let end = self.reader.text.len();
        let longest = self.start + self.config.max_length + TRIM_SLACK + 1;
        loop {
            let stop_at = match (self.skipping, self.sight) {
                (Some(_), _) => end,
                (None, None) => end.min(longest),
                (None, Some(sight)) => end.min(longest).min(self.at + sight),
            };
            let table = match self.phase {
                Phase::Rest => &SPECIAL,
                _ => &SPECIAL_IN_AUTHORITY,
            };
            let from = self.at;
            let text = self.reader.text;
            let plain = text[from.min(stop_at)..stop_at]
                .iter()
                .position(|&b| table[b as usize])
                .unwrap_or(stop_at.saturating_sub(from));
            self.push_raw(plain);
            if self.skipping.is_none() {
                if let Some(stop) = self.judge_sight() {
                    return stop;
                }
                if self.at >= longest {
                    if !self.is_bare() {
                        return Stop::TooLong;
                    }
                    self.phase = Phase::Rest;
                    self.skipping = Some(self.last_char());
                }
            }
            let (unit, len) = self.reader.unit(self.at);
            match self.judge(unit, len) {
                Next::On => {}
                Next::Stop(stop) => return stop,
            }
        }
    }

    /// S3: once enough of an opaque URI is seen, its shape is judged, so that a
    /// void candidate is left early.
    fn judge_sight(&mut self) -> Option<Stop> {
        let sight = self.sight?;
        let text = self.text();
        let (name, rest) = (&text[self.scheme.clone()], &text[self.scheme.end + 1..]);
        if rest.len() < sight {
            return None;
        }
        let good = shape::opaque(name, rest) || self.config.opaque.admits(name);
        self.sight = None;
        (!good).then_some(Stop::Void)
    }

    /// B8: an authority ends at the text offset where it is now.
    fn judge_authority(&self, from: usize) -> bool {
        let text = self.text();
        let authority = &text[from..];
        if self.scheme.is_empty() {
            return shape::abbreviated(authority).is_some();
        }
        let name = &text[self.scheme.clone()];
        if authority.is_empty() {
            return !scheme::find(name).is_some_and(|s| s.needs_host);
        }
        shape::authority(name, authority) != Authority::Void
    }

    fn judge(&mut self, unit: Unit, len: usize) -> Next {
        match unit {
            Unit::Char { char, escaped } if char.is_ascii() => {
                self.judge_ascii(char as u8, escaped, len)
            }
            Unit::Char { char, escaped } => self.judge_char(char, escaped, len),
            Unit::Reference(char) => self.judge_reference(char, len),
            Unit::Amp => {
                self.push_raw(len);
                Next::On
            }
            Unit::Invalid => self.judge_invalid(),
            Unit::RegexDot if self.in_authority() => Next::Stop(Stop::Void),
            Unit::RegexDot | Unit::Unexplained => {
                self.problems |= Problem::Cut;
                STOP
            }
            Unit::Excluded | Unit::End => STOP,
        }
    }

    fn judge_ascii(&mut self, byte: u8, escaped: bool, len: usize) -> Next {
        let form = if escaped { Form::Escaped } else { Form::Raw };
        if self.closes(byte as char, form) {
            return self.close();
        }
        if escaped && matches!(byte, b'"' | b'<' | b'>') {
            return STOP;
        }
        if byte == b'\'' && escaped && self.is_bare() {
            return STOP;
        }
        if !escaped && self.is_delimiter(byte as char) {
            return STOP;
        }
        if !URI.has(byte) {
            return self.judge_excluded(byte, escaped, len);
        }
        if let Phase::Authority(from) | Phase::Literal(from) = self.phase
            && let Some(next) = self.judge_in_authority(byte, from, len)
        {
            return next;
        }
        match byte {
            b'(' | b')' => self.judge_paren(byte, len),
            b'[' | b']' => self.judge_square(byte, len),
            b',' | b';' if self.is_bare() => {
                if list::starts_candidate(self.reader, self.at + len, self.config) {
                    return STOP; // B9
                }
                self.push(&[byte], len);
                Next::On
            }
            _ => {
                self.push(&[byte], len);
                Next::On
            }
        }
    }

    /// A byte that no URI may hold: blanks, controls and the characters of B2.
    fn judge_excluded(&mut self, byte: u8, escaped: bool, len: usize) -> Next {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0C if !escaped => self.judge_whitespace(),
            b'{' if self.in_authority() => Next::Stop(Stop::Void), // B2
            b'{' | b'}' | b'|' | b'^' | b'`' => {
                let quoted = matches!(self.mode, Mode::Quoted(o) if o.char == '"');
                if quoted && self.wrapped == 0 {
                    self.problems |= Problem::BadChar; // W2
                    self.push(&[byte], len);
                    return Next::On;
                }
                self.problems |= Problem::Cut;
                STOP
            }
            b'\\' => {
                self.problems |= Problem::Cut;
                STOP
            }
            _ => STOP,
        }
    }

    /// B8, B9 and the brackets of an authority that starts at the text offset
    /// `from`; `None` when the byte is judged as everywhere.
    fn judge_in_authority(&mut self, byte: u8, from: usize, len: usize) -> Option<Next> {
        if let Phase::Literal(_) = self.phase {
            return Some(match byte {
                b'/' | b'?' | b'#' | b'[' | b'@' => Next::Stop(Stop::Void),
                b']' => {
                    self.phase = Phase::Authority(from);
                    self.push(b"]", len);
                    Next::On
                }
                _ => {
                    self.push(&[byte], len);
                    Next::On
                }
            });
        }
        match byte {
            b'/' | b'?' | b'#' => {
                if !self.judge_authority(from) {
                    return Some(Next::Stop(Stop::Void));
                }
                self.phase = Phase::Rest;
                None
            }
            b':' => self.known_scheme(from, len).map(|text_len| {
                self.cut_to(text_len);
                STOP
            }),
            b'[' if self.len() == from || self.last_byte() == Some(b'@') => {
                self.phase = Phase::Literal(from);
                self.push(b"[", len);
                Some(Next::On)
            }
            b'[' if len == 1 && self.is_defanged() => Some(Next::Stop(Stop::Void)),
            b'[' | b']' => {
                if self.mode_closes_square(byte) {
                    return Some(self.close());
                }
                self.problems |= Problem::Cut;
                Some(STOP)
            }
            _ => None,
        }
    }

    /// B9: the start of a known scheme directly before `://` in the authority.
    fn known_scheme(&mut self, from: usize, len: usize) -> Option<usize> {
        let (first, first_len) = self.reader.unit(self.at + len);
        if !is_char(first, '/') {
            return None;
        }
        let (second, _) = self.reader.unit(self.at + len + first_len);
        if !is_char(second, '/') {
            return None;
        }
        let text = self.text();
        let authority = &text[from..];
        let start = start::scheme_in(authority, authority.len())?;
        scheme::find(&authority[start..])?;
        Some(from + start)
    }

    /// B2: `[.]`, `[dot]` and `[:]` in a host.
    fn is_defanged(&mut self) -> bool {
        for mark in [&b"[.]"[..], b"[:]", b"[dot]"] {
            let rest = &self.reader.text[self.at..];
            let have = rest.len().min(mark.len());
            if rest[..have].eq_ignore_ascii_case(&mark[..have]) {
                if have == mark.len() {
                    return true;
                }
                self.reader.touched_end = true;
            }
        }
        false
    }

    fn judge_paren(&mut self, byte: u8, len: usize) -> Next {
        let bracketed = matches!(self.mode, Mode::Bracketed(o) if o.char == '(');
        if self.is_bare() || bracketed {
            if byte == b'(' {
                self.parens += 1;
                if bracketed && self.parens > BRACKET_DEPTH {
                    return STOP;
                }
            } else if self.parens == 0 {
                return if bracketed { self.close() } else { STOP }; // B3, W3
            } else {
                self.parens -= 1;
            }
        }
        self.push(&[byte], len);
        Next::On
    }

    fn judge_square(&mut self, byte: u8, len: usize) -> Next {
        if self.is_urn {
            self.problems |= Problem::Cut;
            return STOP; // S3
        }
        match (self.mode, byte) {
            (Mode::Quoted(_), b'[') => self.squares += 1,
            (Mode::Quoted(_), _) => {
                self.unbalanced |= self.squares == 0;
                self.squares = self.squares.saturating_sub(1);
            }
            (Mode::Bracketed(o), b'[') if o.char == '[' => {
                self.squares += 1;
                if self.squares > BRACKET_DEPTH {
                    return STOP;
                }
            }
            (_, b'[') => {
                if !self.balanced_square(len) {
                    self.problems |= Problem::Cut;
                    return STOP;
                }
                if self.squares == 0 {
                    self.first_square = (self.len(), self.at);
                }
                self.squares += 1;
            }
            _ => {
                if self.squares == 0 {
                    if self.mode_closes_square(byte) {
                        return self.close();
                    }
                    self.problems |= Problem::Cut;
                    return STOP;
                }
                self.squares -= 1;
            }
        }
        self.push(&[byte], len);
        Next::On
    }

    /// B3: whether the "[" here is closed further on in the run.
    fn balanced_square(&mut self, len: usize) -> bool {
        if self.at < self.balanced_to {
            return true;
        }
        let reach = self.at + BRACKET_REACH;
        let mut at = self.at + len;
        let mut depth = 1;
        while at <= reach {
            let (unit, len) = self.reader.unit(at);
            match unit {
                Unit::Char { char: '[', .. } => depth += 1,
                Unit::Char { char: ']', .. } => depth -= 1,
                Unit::Char {
                    char: '"' | '<' | '>' | '\'',
                    escaped: true,
                } => return false,
                Unit::Char { char, .. } if read::is_bare(char) => {}
                Unit::Char { char, .. } if iri::is_joiner(char) => {}
                Unit::Reference(char) if char != '\'' && read::is_bare(char) => {}
                Unit::Amp => {}
                _ => return false,
            }
            if depth == 0 {
                self.balanced_to = at;
                return true;
            }
            if depth > BRACKET_DEPTH {
                return false;
            }
            at += len;
        }
        false
    }

    fn judge_char(&mut self, char: char, escaped: bool, len: usize) -> Next {
        let form = if escaped { Form::Escaped } else { Form::Raw };
        if self.closes(char, form) {
            return self.close();
        }
        if self.is_urn || self.config.ascii || (!escaped && self.is_delimiter(char)) {
            return STOP;
        }
        if let Phase::Literal(_) = self.phase {
            return Next::Stop(Stop::Void);
        }
        let belongs = if !self.is_bare() {
            iri::is_wrapped(char)
        } else if iri::is_joiner(char) {
            self.joins(len)
        } else {
            let after_ascii = self.last_byte().is_some_and(|b| b.is_ascii_alphanumeric());
            iri::is_bare(char) && !(after_ascii && iri::is_unspaced_script(char))
        };
        if !belongs {
            return STOP;
        }
        self.push(char.encode_utf8(&mut [0; 4]).as_bytes(), len);
        Next::On
    }

    /// B1: a joiner belongs only between two characters of a bare URI.
    fn joins(&mut self, len: usize) -> bool {
        if !iri::is_bare(self.last_char()) {
            return false;
        }
        matches!(self.reader.unit(self.at + len).0, Unit::Char { char, .. } if iri::is_bare(char))
    }

    fn judge_reference(&mut self, char: char, len: usize) -> Next {
        if self.closes(char, Form::Reference) {
            return self.close();
        }
        let stands = if self.is_bare() {
            char != '\'' && read::is_bare(char)
        } else {
            read::is_wrapped(char)
        };
        if !stands {
            return STOP; // B4
        }
        if self.in_authority()
            && let Phase::Literal(_) = self.phase
        {
            return Next::Stop(Stop::Void);
        }
        self.push_raw(len);
        Next::On
    }

    fn judge_invalid(&mut self) -> Next {
        let Mode::Quoted(_) = self.mode else {
            return STOP;
        };
        if self.is_urn || self.config.ascii || self.wrapped > 0 {
            return STOP;
        }
        if let Phase::Literal(_) = self.phase {
            return Next::Stop(Stop::Void);
        }
        self.problems |= Problem::BadUtf8;
        self.push_raw(1);
        Next::On
    }

    /// W4: whitespace inside a wrapper.
    fn judge_whitespace(&mut self) -> Next {
        let Mode::Quoted(opener) = self.mode else {
            return STOP;
        };
        let folds = opener.form != Form::Escaped && matches!(opener.char, '<' | '"');
        if !folds || self.config.wrap == Wrap::Off {
            return STOP;
        }
        let limit = Limit {
            end: self.start + self.config.wrap_limit.bytes,
            breaks: self.config.wrap_limit.lines.saturating_sub(self.wrapped),
            blanks: self.start + self.config.max_length + 1,
        };
        let (text, opening, before) = (self.reader.text, self.opening, self.leader);
        let leader = || fold::leader_of(text, opening, before);
        match fold::fold(self.reader, self.at, leader, limit) {
            Fold::Fail => STOP,
            Fold::Blanks { at } => {
                if opener.char == '<' && self.config.wrap == Wrap::Any && at > self.at {
                    self.skip_to(at);
                    return Next::On;
                }
                STOP
            }
            Fold::Content { at, breaks } => {
                if self.problems.has(Problem::BadChar) || self.problems.has(Problem::BadUtf8) {
                    return STOP;
                }
                if opener.char == '"' && !self.may_join(at) {
                    return STOP;
                }
                self.wrapped += breaks;
                if self.last_byte() == Some(b'-') {
                    self.mark_hyphen();
                }
                self.skip_to(at);
                Next::On
            }
        }
    }

    /// W4: whether a string in `"` goes on at `at`, after a line break.
    fn may_join(&mut self, at: usize) -> bool {
        let quote = |b: Option<u8>| matches!(b, Some(b'\'' | b'`'));
        !quote(self.last_byte())
            && !quote(self.reader.byte(at))
            && !list::starts_candidate(self.reader, at, self.config)
    }

    /// W6: a hyphen stands before the line break.
    fn mark_hyphen(&mut self) {
        self.make_decoded();
        if self.config.hyphen == Hyphen::Drop {
            self.scratch.text.pop();
            self.scratch.map.pop();
        }
        let len = self.scratch.text.len();
        let at = if self.config.hyphen == Hyphen::Drop {
            len
        } else {
            len - 1
        };
        self.scratch.hyphens.push(at);
    }

    fn closes(&self, char: char, form: Form) -> bool {
        matches!(self.mode, Mode::Quoted(o) if o.closer == char && o.form == form)
            || matches!(self.mode, Mode::Bracketed(o) if o.char == '{' && char == '}' && form == Form::Raw)
    }

    fn mode_closes_square(&self, byte: u8) -> bool {
        byte == b']' && matches!(self.mode, Mode::Bracketed(o) if o.char == '[')
    }

    /// The wrapper's closer is here.
    fn close(&mut self) -> Next {
        if let Phase::Literal(_) = self.phase {
            return Next::Stop(Stop::Void);
        }
        if self.wrapped > 0 && self.at > self.start + self.config.wrap_limit.bytes {
            return STOP;
        }
        if let Mode::Bracketed(o) = self.mode
            && o.char != '['
            && self.squares > 0
        {
            return STOP;
        }
        if matches!(self.mode, Mode::Quoted(_)) && (self.unbalanced || self.squares > 0) {
            self.problems |= Problem::BadChar; // B2
        }
        Next::Stop(Stop::Closed)
    }

    fn finish(mut self, stop: Stop) -> Walked {
        let mut stop = match (stop, self.phase) {
            (Stop::End, Phase::Literal(_)) => Stop::Void,
            (stop, _) => stop,
        };
        let mut overrun = None;
        if stop == Stop::End && self.is_bare() && self.squares > 0 {
            self.problems |= Problem::Cut;
            let (text_len, raw) = self.first_square;
            self.at = raw;
            self.shorten(text_len);
        } else if let (Stop::End, Some(last)) = (stop, self.skipping) {
            stop = Stop::TooLong;
            let field = match self.mode {
                Mode::Bare { field } => field,
                _ => None,
            };
            overrun = self.reader.touched_end.then_some(Overrun {
                field,
                tex: self.reader.tex,
                is_urn: self.is_urn,
                parens: self.parens,
                last,
            });
        }
        Walked {
            stop,
            end: self.at,
            overrun,
            problems: self.problems,
            wrapped: self.wrapped,
            hyphen_break: !self.scratch.hyphens.is_empty(),
        }
    }

    fn is_bare(&self) -> bool {
        matches!(self.mode, Mode::Bare { .. })
    }

    fn is_delimiter(&self, char: char) -> bool {
        matches!(self.mode, Mode::Bare { field: Some(f) } if f.delimiter() == char)
    }

    fn in_authority(&self) -> bool {
        self.phase != Phase::Rest
    }

    /// The decoded text so far.
    fn text(&self) -> &[u8] {
        if self.decoded {
            &self.scratch.text
        } else {
            &self.reader.text[self.start..self.at]
        }
    }

    fn len(&self) -> usize {
        self.text().len()
    }

    fn last_byte(&self) -> Option<u8> {
        match self.skipping {
            None => self.text().last().copied(),
            Some(last) => u8::try_from(last).ok(),
        }
    }

    /// The last character of the text, NUL when it is none.
    fn last_char(&self) -> char {
        if let Some(last) = self.skipping {
            return last;
        }
        let text = self.text();
        let tail = &text[text.len().saturating_sub(4)..];
        (0..tail.len())
            .rev()
            .find(|&i| tail[i] & 0xC0 != 0x80)
            .and_then(|i| iri::decode(&tail[i..]))
            .map_or('\0', |(last, _)| last)
    }

    /// Takes `len` raw bytes as they stand.
    fn push_raw(&mut self, len: usize) {
        if let Some(last) = &mut self.skipping {
            if let Some(&byte) = self.reader.text[..self.at + len].last().filter(|_| len > 0) {
                *last = byte as char;
            }
        } else if self.decoded {
            let raw = &self.reader.text[self.at..self.at + len];
            self.scratch.text.extend_from_slice(raw);
            self.scratch.map.extend(self.at..self.at + len);
        }
        self.at += len;
    }

    /// Takes one unit of `len` raw bytes that stands for `bytes`.
    fn push(&mut self, bytes: &[u8], len: usize) {
        if self.skipping.is_some() {
            self.skipping = iri::decode(bytes).map(|(last, _)| last).or(self.skipping);
            self.at += len;
            return;
        }
        if bytes.len() == len {
            return self.push_raw(len);
        }
        self.make_decoded();
        self.scratch.text.extend_from_slice(bytes);
        self.scratch
            .map
            .extend(std::iter::repeat_n(self.at, bytes.len()));
        self.at += len;
    }

    /// Goes on at the raw offset `at`; what lies between is no part of the text.
    fn skip_to(&mut self, at: usize) {
        self.make_decoded();
        self.at = at;
    }

    fn make_decoded(&mut self) {
        if !self.decoded {
            let raw = &self.reader.text[self.start..self.at];
            self.scratch.text.extend_from_slice(raw);
            self.scratch.map.extend(self.start..self.at);
            self.decoded = true;
        }
    }

    /// Ends the candidate at the text offset `text_len`.
    fn cut_to(&mut self, text_len: usize) {
        self.at = if self.decoded {
            self.scratch.map.get(text_len).copied().unwrap_or(self.at)
        } else {
            self.start + text_len
        };
        self.shorten(text_len);
    }

    fn shorten(&mut self, text_len: usize) {
        self.skipping = None;
        if self.decoded {
            self.scratch.text.truncate(text_len);
            self.scratch.map.truncate(text_len);
        }
    }
}

fn is_char(unit: Unit, wanted: char) -> bool {
    matches!(unit, Unit::Char { char, .. } if char == wanted)
}

/// The wrapper that a closed walk had.
pub(super) fn wrapper_of(mode: Mode) -> Wrapper {
    match mode {
        Mode::Bare { field: None } => Wrapper::None,
        Mode::Bare { field: Some(_) } => Wrapper::Field,
        Mode::Quoted(opener) | Mode::Bracketed(opener) => opener.wrapper(),
    }
}
