//! The walk over one candidate, from its scheme to its end: decides which characters
//! belong to the candidate (B1, B2, B4, B5) and where an authority, a list or a bracket
//! ends it (B3, B8, B9), and produces its text without folds and escapes.
//!
//! One loop serves every mode. Bytes without a special meaning are skipped by a table;
//! every other byte is read as a unit and judged. The text is a slice of the input up to
//! the first unit that decodes to other bytes; then it is copied, with a map back to the
//! input.

mod authority;
mod brackets;
mod ends;
mod lines;
mod text;

pub(super) use lines::limit;

use super::Config;
use super::read::{self, Unit, UnitReader};
use super::start::{FieldDelimiter, Opener, OpenerForm};
use super::{line_head, list, mark, shape, trim};
use crate::escape;
use crate::item::{LineHead, OffsetMap, Places, Problem, Problems, Wrapper};
use crate::syntax::class::{URI, table_of};
use crate::syntax::{iri, steps};
use std::ops::Range;

/// Most bytes of trailing punctuation beyond the longest length (B7 is judged after B3).
pub(super) const TRIM_SLACK: usize = 64;

/// The number of bytes of a candidate that are walked and judged even if the longest
/// length is less.
const SHOWN: usize = 1024;

/// The way in which a candidate is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WalkMode {
    /// Without a wrapper, or in a subfield.
    Bare { field: Option<FieldDelimiter> },
    /// In a wrapper of W1 or W2.
    Quoted(Opener),
    /// In a bracket of W3.
    Bracketed(Opener),
}

/// Why a walk ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// At a unit that does not belong to the candidate.
    End,
    /// At the closer of the wrapper.
    Closed,
    /// The candidate is not a URI.
    Void,
    /// The candidate is longer than allowed.
    TooLong,
}

/// The result of a walk, apart from the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalkResult {
    pub stop: Stop,
    /// The raw offset of the end of the candidate, or of the run that is too long.
    pub end: usize,
    /// The raw offset at which to continue a run that is too long and reaches the end of
    /// the text, and its state there; `None` when more text might also change the part
    /// before it.
    pub overrun: Option<(usize, Overrun)>,
    pub problems: Problems,
    pub wrapped: usize,
    pub hyphen_break: bool,
    /// The text has `%3C` and `%3E` for `<` and `>` (B2).
    pub encoded: bool,
    /// The walk ended in the authority.
    pub in_authority: bool,
    /// The result of checking the whole text, when it was checked already.
    pub verdict: Option<Option<Problems>>,
}

/// The state of a run that is too long at the end of the text (B7).
/// [`Delimiter::skip`](super::Delimiter::skip) continues from there.
///
/// ```
/// use urisieve::delimit::{Config, Delimiter, Outcome};
/// use urisieve::item::Segment;
/// let mut delimiter = Delimiter::new(Config::default().max_length(1024));
/// let text = format!("http://a.example/{}", "x".repeat(2000)).into_bytes();
/// let part = Segment { last: false, ..Segment::whole(&text) };
/// let outcome = delimiter.delimit(&part, 4, 0);
/// assert!(matches!(outcome, Outcome::TooLong { goes_on: Some(_), .. }));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overrun {
    field: Option<FieldDelimiter>,
    tex: bool,
    is_urn: bool,
    parens: usize,
    last: char,
    asks: bool,
    separator: Option<u8>,
}

/// Buffers that a walk fills and the next walk reuses.
#[derive(Clone, Debug, Default)]
pub(super) struct WalkScratch {
    /// The decoded text, when it differs from the raw text.
    pub text: Vec<u8>,
    /// The map from `text` to the input.
    pub map: OffsetMap,
    /// Offsets into the text of the hyphens before a line break.
    pub hyphens: Vec<usize>,
}

impl WalkScratch {
    /// Returns the map from offsets in the decoded text to raw offsets.
    pub(super) fn places(&self) -> Places<'_> {
        self.map.places(&self.text)
    }
}

/// The state of the walk over one candidate.
pub(super) struct CandidateWalk<'w, 't> {
    reader: &'w mut UnitReader<'t>,
    scratch: &'w mut WalkScratch,
    config: &'w Config,
    head: LineHead<'t>,
    mode: WalkMode,
    /// Raw offset of the scheme.
    start: usize,
    /// Raw offset of the opener and prefix.
    opening: usize,
    /// The text is in `scratch`, and no longer a slice of the input.
    decoded: bool,
    /// Raw offset of the next unit.
    at: usize,
    phase: Phase,
    is_urn: bool,
    parens: usize,
    squares: usize,
    /// Text and raw offsets of the first "[" that is open.
    first_square: (usize, usize),
    unbalanced: bool,
    /// Whether the authority contains an IP literal.
    has_literal: bool,
    /// Brackets up to this raw offset are known to be balanced.
    balanced_to: usize,
    /// The number of decoded bytes after which the shape of an opaque URI is judged.
    sight: Option<usize>,
    /// The authority is void, unless all that follows it is trimmed (B3).
    doubtful: bool,
    /// The last character of a candidate that is too long, whose text is no longer kept.
    skipping: Option<char>,
    /// The last raw offset of a run that is too long up to which more text changes nothing,
    /// and the state there.
    certain: Option<(usize, Overrun)>,
    /// An `@` of the authority is at this raw offset (B8).
    userinfo_to: usize,
    /// The candidate is in a field of a log, where `\xXX` is a byte (B5).
    is_logged: bool,
    /// Whether such a byte was read.
    logged: bool,
    /// A SICI was read (B2).
    encoded: bool,
    /// A `?` was read. Before the run is too long, `false` means that it is not known.
    asks: bool,
    /// I28: the separator of the pairs whose value the candidate is.
    separator: Option<u8>,
    /// The text offset at which the authority begins.
    host_from: Option<usize>,
    problems: Problems,
    wrapped: usize,
    /// The range in the text of the scheme that the authority belongs to.
    scheme: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// In the authority, which starts at this text offset.
    Authority(usize),
    /// In an IP literal of the authority, which starts at this text offset.
    Literal(usize),
    /// After the authority.
    Rest,
}

/// Whether the walk continues after a unit.
enum WalkNext {
    On,
    Stop(Stop),
}

const STOP: WalkNext = WalkNext::Stop(Stop::End);

/// Bytes with a special meaning in the path, query and fragment.
static SPECIAL: [bool; 256] = special(b"()[],;&$'#");
/// Bytes with a special meaning in the authority.
static SPECIAL_IN_AUTHORITY: [bool; 256] = special(b"()[],;&$'/?#:@");

const fn special(marks: &[u8]) -> [bool; 256] {
    let mut table = table_of(marks);
    let mut i = 0;
    while i < 256 {
        table[i] |= !URI.has(i as u8);
        i += 1;
    }
    table
}

/// The candidate that a walk is for.
pub(super) struct Task<'t> {
    pub mode: WalkMode,
    pub start: usize,
    pub opening: usize,
    /// Raw offset of the colon after the scheme.
    pub colon: usize,
    /// Length of that colon in raw bytes.
    pub colon_len: usize,
    /// W4: the end of the first part of a folded scheme, and the start of the rest.
    pub folded: Option<(usize, usize)>,
    /// S7: the candidate has no scheme, and its authority starts at `start`.
    pub abbreviated: bool,
    pub head: LineHead<'t>,
}

impl Task<'_> {
    /// Returns the length of the scheme in the text.
    pub(super) fn scheme_len(&self) -> usize {
        let fold = self.folded.map_or(0, |(end, rest)| rest - end);
        self.colon - self.start - fold
    }
}

/// Walks the candidate of `task`. Afterwards `scratch.text` is the decoded text; when it
/// is empty, the text is the raw slice.
pub(super) fn walk<'t>(
    reader: &mut UnitReader<'t>,
    scratch: &mut WalkScratch,
    config: &Config,
    task: &Task<'t>,
) -> WalkResult {
    scratch.text.clear();
    scratch.map.clear();
    scratch.hyphens.clear();
    // The walk in a wrapper may already have reached the end of the text.
    let touched_end = std::mem::take(&mut reader.touched_end);
    let is_logged = matches!(task.mode, WalkMode::Quoted(o) if o.char == '"' && o.form == OpenerForm::Raw)
        && task.opening + 1 == task.start;
    let mut walk = CandidateWalk {
        head: task.head,
        opening: task.opening,
        at: task.colon,
        scheme: 0..task.scheme_len(),
        separator: mark::separator_before(reader.text, task.start),
        is_logged,
        ..CandidateWalk::new(reader, scratch, config, task.mode, task.start)
    };
    if let Some((end, rest)) = task.folded {
        walk.at = end;
        walk.skip_to(rest);
        walk.push_raw(task.colon - rest);
        walk.wrapped = 1;
    }
    walk.is_urn = walk.text().eq_ignore_ascii_case(b"urn");
    // Most colons before a blank belong to prose: directly after the scheme only a line
    // break is folded.
    let after_colon = walk.reader.byte(task.colon + task.colon_len);
    let stop = if task.abbreviated {
        walk.phase = Phase::Authority(0);
        walk.host_from = Some(0);
        walk.run()
    } else if matches!(after_colon, Some(b' ' | b'\t' | 0x0C)) {
        Stop::End
    } else {
        walk.push(b":", task.colon_len);
        if walk.enter_authority() == 2 || walk.enter_opaque() {
            walk.run()
        } else {
            Stop::Void
        }
    };
    let walked = walk.finish(stop);
    reader.touched_end |= touched_end;
    walked
}

/// Continues a run that is too long, at the raw offset `at` of a later text.
pub(super) fn go_on<'t>(
    reader: &mut UnitReader<'t>,
    scratch: &mut WalkScratch,
    config: &Config,
    head: LineHead<'t>,
    at: usize,
    overrun: Overrun,
) -> WalkResult {
    reader.tex = overrun.tex;
    let field = overrun.field;
    let mut walk = CandidateWalk {
        head,
        is_urn: overrun.is_urn,
        parens: overrun.parens,
        asks: overrun.asks,
        separator: overrun.separator,
        skipping: Some(overrun.last),
        ..CandidateWalk::new(reader, scratch, config, WalkMode::Bare { field }, at)
    };
    let stop = walk.run();
    walk.finish(stop)
}

impl<'w, 't> CandidateWalk<'w, 't> {
    /// Returns a walk at `start`, before its first byte.
    fn new(
        reader: &'w mut UnitReader<'t>,
        scratch: &'w mut WalkScratch,
        config: &'w Config,
        mode: WalkMode,
        start: usize,
    ) -> CandidateWalk<'w, 't> {
        CandidateWalk {
            reader,
            scratch,
            config,
            head: LineHead::EMPTY,
            mode,
            start,
            opening: start,
            decoded: false,
            at: start,
            phase: Phase::Rest,
            is_urn: false,
            parens: 0,
            squares: 0,
            first_square: (0, 0),
            unbalanced: false,
            has_literal: false,
            balanced_to: 0,
            sight: None,
            doubtful: false,
            skipping: None,
            certain: None,
            userinfo_to: 0,
            is_logged: false,
            logged: false,
            encoded: false,
            asks: false,
            separator: None,
            host_from: None,
            problems: Problems::NONE,
            wrapped: 0,
            scheme: 0..0,
        }
    }

    fn run(&mut self) -> Stop {
        let end = self.reader.text.len();
        let longest = self.start + self.config.max_length.max(SHOWN) + TRIM_SLACK + 1;
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
            steps::count(plain);
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
                    self.asks |= self.text().contains(&b'?');
                    self.skipping = Some(self.last_char());
                }
            }
            self.note_certain();
            let (unit, len) = self.reader.unit(self.at);
            let doubtful = self.doubtful;
            if doubtful && !trim::may_be_trimmed(&text[from..self.at]) {
                return Stop::Void;
            }
            match self.judge(unit, len) {
                WalkNext::On if doubtful && trim::is_never_trimmed(unit) => return Stop::Void,
                WalkNext::On => {}
                WalkNext::Stop(stop) => return stop,
            }
        }
    }

    /// B7: notes the offset at which a run that is too long can be continued: at a unit
    /// outside of square brackets, when no look ahead has reached the end of the text.
    fn note_certain(&mut self) {
        if let (Some(last), WalkMode::Bare { field }) = (self.skipping, self.mode)
            && !self.reader.touched_end
            && self.squares == 0
        {
            let overrun = Overrun {
                field,
                tex: self.reader.tex,
                is_urn: self.is_urn,
                parens: self.parens,
                last,
                asks: self.asks,
                separator: self.separator,
            };
            self.certain = Some((self.at, overrun));
        }
    }

    fn judge(&mut self, unit: Unit, len: usize) -> WalkNext {
        if self.is_logged
            && let Some(next) = self.judge_logged()
        {
            return next;
        }
        match unit {
            Unit::Char { char, escaped } if char.is_ascii() => {
                self.judge_ascii(char as u8, escaped, len)
            }
            Unit::Char { char, escaped } => self.judge_char(char, escaped, len),
            Unit::Reference(char) => self.judge_reference(char, len),
            Unit::Amp => {
                self.push_raw(len);
                WalkNext::On
            }
            Unit::Invalid => self.judge_invalid(),
            Unit::RegexDot if self.in_authority() => WalkNext::Stop(Stop::Void),
            Unit::RegexDot | Unit::Unexplained | Unit::Excluded | Unit::End => STOP,
        }
    }

    /// B5: judges `\xXX` in a field of a log, for a byte that may not be in a URI.
    fn judge_logged(&mut self) -> Option<WalkNext> {
        if self.reader.text.get(self.at) != Some(&b'\\') {
            return None;
        }
        let (byte, truncated) = escape::hex_byte(self.reader.text, self.at);
        self.reader.touched_end |= truncated;
        let byte = byte.filter(|&byte| !URI.has(byte))?;
        if let Phase::Literal(_) = self.phase {
            return Some(WalkNext::Stop(Stop::Void));
        }
        if self.wrapped > 0 {
            return Some(STOP);
        }
        const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
        let digit = |value: u8| DIGITS[value as usize];
        self.push_spelled(&[b'%', digit(byte >> 4), digit(byte & 0xF)], 4);
        self.logged = true;
        Some(WalkNext::On)
    }

    fn judge_ascii(&mut self, byte: u8, escaped: bool, len: usize) -> WalkNext {
        let form = if escaped {
            OpenerForm::Escaped
        } else {
            OpenerForm::Raw
        };
        if self.closes(byte as char, form) {
            return self.close();
        }
        if escaped && matches!(byte, b'"' | b'<' | b'>') {
            return STOP;
        }
        if byte == b'\'' && self.is_bare() && (escaped || self.is_doubled(byte, len)) {
            return STOP; // B3
        }
        if !escaped && self.is_delimiter(byte as char) {
            return STOP;
        }
        if !URI.has(byte) {
            if byte == b'<'
                && !escaped
                && let Some(next) = self.judge_sici()
            {
                return next;
            }
            return self.judge_excluded(byte, escaped, len);
        }
        if byte == b'#' && !escaped && self.is_control() {
            return STOP; // I26
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
                if self.ends_pair(byte, len) {
                    return STOP; // I28
                }
                self.push(&[byte], len);
                WalkNext::On
            }
            b'&' if self.is_bare() && self.is_and(len) => STOP, // B3
            _ => {
                self.push(&[byte], len);
                WalkNext::On
            }
        }
    }

    /// Judges a byte that may not be in a URI: a blank, a control or a character of B2.
    fn judge_excluded(&mut self, byte: u8, escaped: bool, len: usize) -> WalkNext {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0C if !escaped => self.judge_whitespace(),
            b'{' if self.in_authority() && !escaped => self.judge_brace(),
            b'{' if self.in_authority() => WalkNext::Stop(Stop::Void), // B2
            b'{' | b'}' | b'|' | b'^' | b'`' => {
                let quoted = matches!(self.mode, WalkMode::Quoted(o) if o.char == '"');
                if quoted && self.wrapped == 0 {
                    self.problems |= Problem::BadChar; // W2
                    self.push(&[byte], len);
                    return WalkNext::On;
                }
                self.problems |= Problem::Cut;
                STOP
            }
            _ => STOP,
        }
    }

    fn judge_char(&mut self, char: char, escaped: bool, len: usize) -> WalkNext {
        let form = if escaped {
            OpenerForm::Escaped
        } else {
            OpenerForm::Raw
        };
        if self.closes(char, form) {
            return self.close();
        }
        if self.is_urn || self.config.ascii || (!escaped && self.is_delimiter(char)) {
            return STOP;
        }
        if let Phase::Literal(_) = self.phase {
            return WalkNext::Stop(Stop::Void);
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
        WalkNext::On
    }

    /// B1: returns whether the joiner here is between two characters of a bare URI.
    /// Other joiners do not belong to the URI.
    fn joins(&mut self, len: usize) -> bool {
        if !iri::is_bare(self.last_char()) {
            return false;
        }
        matches!(self.reader.unit(self.at + len).0, Unit::Char { char, .. } if iri::is_bare(char))
    }

    fn judge_reference(&mut self, char: char, len: usize) -> WalkNext {
        if self.closes(char, OpenerForm::Reference) {
            return self.close();
        }
        let stands = if self.is_bare() {
            char != '\'' && read::is_bare(char)
        } else {
            read::is_wrapped(char)
        };
        if !stands {
            if char == '<' {
                self.judge_cut_doi(self.at + len);
            }
            return STOP; // B4
        }
        if self.in_authority()
            && let Phase::Literal(_) = self.phase
        {
            return WalkNext::Stop(Stop::Void);
        }
        self.push_raw(len);
        WalkNext::On
    }

    fn judge_invalid(&mut self) -> WalkNext {
        let WalkMode::Quoted(_) = self.mode else {
            return STOP;
        };
        if self.is_urn || self.config.ascii || self.wrapped > 0 {
            return STOP;
        }
        if let Phase::Literal(_) = self.phase {
            return WalkNext::Stop(Stop::Void);
        }
        self.problems |= Problem::BadUtf8;
        self.push_raw(1);
        WalkNext::On
    }

    /// I26: returns whether the `#` here begins a control character in a line of syslog.
    fn is_control(&mut self) -> bool {
        let (found, touched_end) =
            line_head::is_control_of_syslog(self.reader.text, self.at, self.head);
        self.reader.touched_end |= touched_end;
        found
    }

    fn closes(&self, char: char, form: OpenerForm) -> bool {
        matches!(self.mode, WalkMode::Quoted(o) if o.closer == char && o.form == form)
            || matches!(self.mode, WalkMode::Bracketed(o) if o.char == '{' && char == '}' && form == OpenerForm::Raw)
    }

    /// Judges the closer of the wrapper.
    fn close(&mut self) -> WalkNext {
        if let Phase::Literal(_) = self.phase {
            return WalkNext::Stop(Stop::Void);
        }
        if self.wrapped > 0 && self.at > self.start + self.config.wrap_limit.bytes {
            return STOP;
        }
        if let WalkMode::Bracketed(o) = self.mode
            && o.char != '['
            && self.squares > 0
        {
            return STOP;
        }
        if matches!(self.mode, WalkMode::Quoted(_)) && (self.unbalanced || self.squares > 0) {
            self.problems |= Problem::BadChar; // B2
        }
        WalkNext::Stop(Stop::Closed)
    }

    fn finish(mut self, stop: Stop) -> WalkResult {
        let mut stop = match (stop, self.phase) {
            (Stop::End, Phase::Literal(_)) => Stop::Void,
            (Stop::End, Phase::Authority(from))
                if self.is_bare() && shape::begins_with_hyphen(&self.text()[from..]) =>
            {
                Stop::Void // B8
            }
            (stop, _) => stop,
        };
        let mut overrun = None;
        let in_authority = self.in_authority();
        if stop == Stop::End && self.is_bare() {
            let is_cut = match self.reader.text.get(self.at) {
                Some(b'\\') => true,
                Some(0x80..) => self.reader.unit(self.at).0 == Unit::Invalid,
                _ => false,
            };
            if is_cut {
                self.problems |= Problem::Cut; // W2
            }
        }
        if stop == Stop::End && self.is_bare() && self.squares > 0 {
            self.problems |= Problem::Cut;
            let (text_len, raw) = self.first_square;
            self.at = raw;
            self.shorten(text_len);
        } else if stop == Stop::End && self.skipping.is_some() {
            stop = Stop::TooLong;
            overrun = self.certain.filter(|_| self.reader.touched_end);
        } else if stop == Stop::End && self.is_bare() {
            match self.is_defanged_after() {
                true => stop = Stop::Void,
                false => self.judge_end(),
            }
        }
        WalkResult {
            stop,
            end: self.at,
            overrun,
            problems: self.problems,
            wrapped: self.wrapped,
            hyphen_break: !self.scratch.hyphens.is_empty(),
            encoded: self.encoded,
            in_authority,
            verdict: None,
        }
    }

    fn is_bare(&self) -> bool {
        matches!(self.mode, WalkMode::Bare { .. })
    }

    fn is_delimiter(&self, char: char) -> bool {
        matches!(self.mode, WalkMode::Bare { field: Some(f) } if f.delimiter() == char)
    }

    fn in_authority(&self) -> bool {
        self.phase != Phase::Rest
    }
}

fn is_char(unit: Unit, wanted: char) -> bool {
    matches!(unit, Unit::Char { char, .. } if char == wanted)
}

/// Returns the wrapper of a closed walk.
pub(super) fn wrapper_of(mode: WalkMode) -> Wrapper {
    match mode {
        WalkMode::Bare { field: None } => Wrapper::None,
        WalkMode::Bare { field: Some(_) } => Wrapper::Field,
        WalkMode::Quoted(opener) | WalkMode::Bracketed(opener) => opener.wrapper(),
    }
}

#[cfg(test)]
mod tests {
    use crate::delimit::{Config, Delimiter, Outcome};
    use crate::item::Segment;

    /// Returns the first `len` bytes of a text of which more follows.
    fn part_of<'t>(whole: &Segment<'t>, len: usize) -> Segment<'t> {
        Segment {
            text: &whole.text[..len],
            last: false,
            ..*whole
        }
    }

    /// B7: a run that is too long ends at the same byte wherever its text is cut, also in a
    /// word that another URI may begin with (B9), in brackets or in an escape.
    #[test]
    fn a_run_that_is_too_long_ends_at_the_same_byte_in_every_text() {
        let long = "x".repeat(1200);
        for end in [
            ",http://b/",
            ",URL: http://b/",
            ",mailto:joe@b.example",
            "[,mailto:joe]y",
            "[a[b]c]d)",
            "((a)b))c",
            "<1:2>a<1:2",
            "\u{e9}\u{200d}\u{e9}\u{65e5}",
            "\\u0041\\u00e9\\n",
        ] {
            let text = format!("http://a/{long}{end} c");
            let whole = Segment::whole(text.as_bytes());
            let mut delimiter = Delimiter::new(Config::default().max_length(1024));
            let Outcome::TooLong {
                end: wanted,
                goes_on: None,
                ..
            } = delimiter.delimit(&whole, 4, 0)
            else {
                panic!("{end}");
            };
            for len in 1100..text.len() {
                let part = part_of(&whole, len);
                let (mut at, mut overrun) = match delimiter.delimit(&part, 4, 0) {
                    Outcome::TooLong { end, goes_on, .. } => (end, goes_on),
                    outcome => panic!("{end} {len} {outcome:?}"),
                };
                for len in [(len + text.len()) / 2, text.len()] {
                    if let Some(run) = overrun {
                        let mut more = part_of(&whole, len);
                        more.last = len == text.len();
                        (at, overrun) = delimiter.skip(&more, at, run);
                    }
                }
                assert_eq!((at, overrun), (wanted, None), "{end} {len}");
            }
            // In the last text a run does not continue.
            let (at, run) = match delimiter.delimit(&part_of(&whole, 1150), 4, 0) {
                Outcome::TooLong {
                    end,
                    goes_on: Some(run),
                    ..
                } => (end, run),
                outcome => panic!("{end} {outcome:?}"),
            };
            let last = Segment::whole(&whole.text[..1200]);
            assert_eq!(delimiter.skip(&last, at, run), (1200, None));
        }
    }
}
