//! The proof of the fast path: finds the end of a plain hierarchical candidate by masks
//! of the bytes ahead. A byte that stops is judged by the bytes next to it. When a rule
//! needs more bytes, there is no proof, and `walk` decides.

use super::line_head::may_be_control;
use super::start::{self, Opener, OpenerForm};
use crate::escape::{self, Backslash};
use crate::item::{Problem, Problems, Segment};
use crate::syntax::class::{DIGIT, SCHEME, URI};
use crate::syntax::masks::{UriStops, below};
use crate::syntax::{Outlook, scheme, steps};

/// The greatest depth of parentheses inside `(…)` (W3); deeper ones are left to `walk`.
const PAREN_DEPTH: usize = 8;

/// The number of bytes of a line after a fold that are read.
const LINE_SIGHT: usize = 512;

/// The result that the fast path proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quick {
    /// The text of the candidate is a slice of the input.
    Plain(Plain),
    /// The candidate is not a URI.
    Void,
}

/// A candidate whose text is a slice of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plain {
    /// Raw offset of the end of the candidate, before trimming.
    pub end: usize,
    /// The closer of the wrapper is at `end`.
    pub closed: bool,
    /// The candidate has a "%".
    pub has_percent: bool,
    /// The host has a capital letter.
    pub has_upper: bool,
    /// The problems of the candidate, without those of percent-encoding.
    pub problems: Problems,
}

/// Looks for the end of the candidate whose `://` is at `colon`, which must not be beyond
/// the raw offset `longest`. With `line_ends` the next line decides a problem (W7). `look`
/// returns the outlook from a raw offset on. Returns `None` when there is no proof.
///
/// Most candidates have a host and a path, and end at a byte that ends every candidate or
/// closes the wrapper. Here they are judged without a call; `quick_any` judges the others.
#[inline(always)]
pub(super) fn quick(
    segment: &Segment,
    colon: usize,
    opener: Option<Opener>,
    longest: usize,
    line_ends: bool,
    look: impl Fn(usize) -> Outlook,
) -> Option<Quick> {
    let (text, start) = (segment.text, colon + 3);
    if !text.get(start)?.is_ascii_alphanumeric() {
        return None;
    }
    let first = look(start);
    let host_len = first.host_len();
    if host_len >= Outlook::LEN {
        return None;
    }
    if !matches!(text.get(start + host_len)?, b'/' | b'?' | b'#') {
        return quick_any(text, start, first, opener, longest, line_ends, look);
    }
    let mut stops = UriStops::new(start, first, &look);
    let (end, closed) = loop {
        let at = stops.next();
        let Some(&byte) = text.get(at) else {
            // The candidate ends where the text does.
            match segment.last && opener.is_none() {
                true => break (text.len(), false),
                false => return None,
            }
        };
        let goes_on = match byte {
            b'&' => begins_parameter(text, at),
            b'#' => !may_be_control(text, at), // I26
            _ => false,
        };
        if goes_on {
            continue;
        }
        let ends = match (byte, opener) {
            // No parenthesis is open, because `quick_any` would have continued there.
            (b')', None) => Some(false),
            (b')', Some(opener)) if opener.char == '(' => Some(true),
            _ => ends_at(text, at, opener),
        };
        match ends {
            Some(closed) => break (at, closed),
            None => return quick_any(text, start, first, opener, longest, line_ends, look),
        }
    };
    if line_ends && !closed && may_go_on(text, start, host_len, end) {
        return None;
    }
    (end <= longest).then_some(Quick::Plain(Plain {
        end,
        closed,
        has_percent: stops.has_percent(end),
        has_upper: first.has_upper_host(),
        problems: Problems::NONE,
    }))
}

/// B4: returns whether no character reference begins with the `&` at `at`, because no
/// semicolon is near.
#[inline(always)]
fn begins_parameter(text: &[u8], at: usize) -> bool {
    let after = text.get(at + 1..).and_then(<[u8]>::first_chunk);
    after.is_some_and(|after: &[u8; escape::NAME_MAX + 1]| {
        !matches!(after[0], b'#' | b'&') && after.iter().all(|&byte| byte != b';')
    })
}

/// Returns whether the candidate is closed by the byte at `at`; `None` when this byte and
/// the next one do not show that the candidate ends.
#[inline(always)]
fn ends_at(text: &[u8], at: usize, opener: Option<Opener>) -> Option<bool> {
    let byte = *text.get(at)?;
    if let Some(opener) = opener
        && opener.form == OpenerForm::Raw
        && byte != b')'
        && byte.is_ascii()
        && opener.closer == byte as char
    {
        return Some(true);
    }
    let ends = match byte {
        b' ' | b'\t' | b'\n' | b'\r' | 0x0C => opener.is_none(),
        // B2, B5: neither a SICI nor `E<gt>` of POD.
        b'<' => match text.get(at + 1)? {
            b'0'..=b'9' => return None,
            b'g' | b'l' if text[at - 1] == b'E' => return None,
            _ => true,
        },
        0..=0x1F | 0x7F | b'"' | b'>' => true,
        _ => false,
    };
    ends.then_some(false)
}

/// W7: returns whether the candidate that ends at `end`, whose host is at `start`, may have
/// the problem of an end of a line.
#[inline(always)]
fn may_go_on(text: &[u8], start: usize, host_len: usize, end: usize) -> bool {
    matches!(text.get(end), Some(b'\n' | b'\r' | 0x0C)) && goes_on(text, start, host_len, end)
}

fn goes_on(text: &[u8], start: usize, host_len: usize, end: usize) -> bool {
    let line = match &text[end..] {
        [b'\r', b'\n', line @ ..] => line,
        rest => &rest[1..],
    };
    let Some(&first) = line.first() else {
        return true;
    };
    if first < 0x80 && !URI.has(first) {
        return false;
    }
    let next = match line {
        [b'h', b't', b't', b'p', b's', b':', b'/', b'/', next, ..]
        | [b'h', b't', b't', b'p', b':', b'/', b'/', next, ..] => Some(next),
        _ => None,
    };
    if next.is_some_and(u8::is_ascii_alphanumeric) {
        return false;
    }
    steps::count(host_len);
    matches!(
        text[end - 1],
        b'/' | b'-' | b'_' | b'=' | b'&' | b'?' | b'.' | b'%'
    ) || !text[start..start + host_len].contains(&b'.')
}

/// Looks for the end of the candidate whose authority is at `start`, where `ahead` is the
/// outlook, like [`quick`].
#[inline(never)]
fn quick_any(
    text: &[u8],
    start: usize,
    mut ahead: Outlook,
    opener: Option<Opener>,
    longest: usize,
    line_ends: bool,
    look: impl Fn(usize) -> Outlook,
) -> Option<Quick> {
    let host_len = ahead.host_len();
    let has_upper = ahead.has_upper_host();
    let mut at = start + host_len;
    if text.get(at) == Some(&b':') {
        let host = &text[start..at];
        if text.get(at + 1..at + 3)? == b"//"
            && start::scheme_in(host, host.len()) == Some(0)
            && scheme::find(host).is_some()
        {
            return Some(Quick::Void); // B9: the host is the scheme of the next URI.
        }
        let digits = text[at + 1..].iter().take_while(|&&b| DIGIT.has(b)).count();
        if digits == 0 {
            return None;
        }
        steps::count(digits);
        at += 1 + digits;
    }
    let mut end = EndSearch {
        text,
        start,
        opener,
        parens: 0,
        goes_on: false,
    };
    let mut has_percent = false;
    let step = if matches!(text.get(at)?, b'/' | b'?' | b'#') {
        let mut from = start;
        loop {
            let seen = at - from;
            if seen >= Outlook::LEN {
                has_percent |= ahead.percent != 0;
                from = at;
                ahead = look(from);
                steps::count(Outlook::LEN);
                continue;
            }
            let stops = ahead.stops & !below(seen);
            if stops == 0 {
                at = from + Outlook::LEN;
                continue;
            }
            at = from + stops.trailing_zeros() as usize;
            let step = match ends_at(text, at, opener) {
                Some(true) => QuickStep::Closed,
                Some(false) => END,
                None => end.judge(at)?,
            };
            match step {
                QuickStep::On(len) => at += len,
                step => {
                    has_percent |= ahead.percent & below(at - from) != 0;
                    break step;
                }
            }
        }
    } else {
        end.judge_after_host(at)?
    };
    let (closed, problems) = match step {
        QuickStep::End(problems) => (false, problems),
        _ => (true, Problems::NONE),
    };
    // B8: `%s` before what cuts is a template.
    let may_be_template = has_percent && problems.has(Problem::Cut);
    let is_unsure = (end.goes_on || line_ends && may_go_on(text, start, host_len, at)) && !closed;
    if at > longest || is_unsure || may_be_template {
        return None;
    }
    Some(Quick::Plain(Plain {
        end: at,
        closed,
        has_percent,
        has_upper,
        problems,
    }))
}

/// The meaning of a byte for the candidate that precedes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QuickStep {
    /// This number of bytes belongs to the candidate.
    On(usize),
    /// The bare candidate ends here.
    End(Problems),
    /// The wrapper of the candidate is closed here.
    Closed,
}

const END: QuickStep = QuickStep::End(Problems::NONE);

/// Looks for the end of a candidate. Without its closer, a wrapper does not count and the
/// candidate is bare; so the wrapped and the bare candidate must end at the same offset.
struct EndSearch<'t> {
    text: &'t [u8],
    /// Raw offset of the authority.
    start: usize,
    opener: Option<Opener>,
    /// The number of open parentheses.
    parens: usize,
    /// The bare candidate has ended, and only the wrapped one continues.
    goes_on: bool,
}

impl EndSearch<'_> {
    /// Returns the meaning of the byte at `at` of a path, a query or a fragment at which the
    /// candidate does not [end](ends_at) plainly; `None` when the bytes next to it do not show
    /// it.
    fn judge(&mut self, at: usize) -> Option<QuickStep> {
        Some(match *self.text.get(at)? {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0C => return self.judge_whitespace(at),
            // B3: `''` ends a bare candidate.
            b'\'' => match self.text.get(at + 1)? {
                b'\'' => return None,
                _ => QuickStep::On(1),
            },
            b'&' => return self.judge_ampersand(at),
            b',' | b';' => return self.judge_list(at),
            b'#' if may_be_control(self.text, at) => return None, // I26
            b'#' => QuickStep::On(1),
            b'(' => {
                self.parens += 1;
                if self.opens('(') && self.parens > PAREN_DEPTH {
                    return None;
                }
                QuickStep::On(1)
            }
            b')' if self.parens > 0 => {
                self.parens -= 1;
                QuickStep::On(1)
            }
            b')' => match self.opener {
                None => END,
                Some(opener) if opener.char == '(' => QuickStep::Closed,
                Some(_) => {
                    self.goes_on = true;
                    QuickStep::On(1)
                }
            },
            b'[' if self.is_unbalanced_square(at)? => QuickStep::End(Problem::Cut.into()),
            b']' if self.is_bare_or_bracketed() => QuickStep::End(Problem::Cut.into()),
            b'{' | b'}' | b'|' | b'^' | b'`' if !self.opens('"') && !self.may_be_template(at) => {
                QuickStep::End(Problem::Cut.into()) // W2
            }
            b'\\' => return self.judge_backslash(at),
            _ => return None,
        })
    }

    /// Returns the meaning of the byte at `at` directly after a host or a port.
    fn judge_after_host(&mut self, at: usize) -> Option<QuickStep> {
        match self.text.get(at)? {
            b'(' | b'[' | b'{' => None,
            // I24: marks of defanging.
            b')' | b']' if self.text[at - 1] == b'.' => None,
            b' ' | b'\t' if matches!(self.text.get(at + 1)?, b' ' | b'\t' | b'[' | b'(') => None,
            // B8: no `@` follows.
            b',' | b';' if self.opener.is_none() => match self.text.get(at + 1)? {
                // W7: in a host of another scheme than those of the web, the line ends it.
                b'\n' | b'\r' | 0x0C => None,
                0..=b' ' | b'"' | b'<' | b'>' => Some(END),
                _ => None,
            },
            _ => match ends_at(self.text, at, self.opener) {
                Some(true) => Some(QuickStep::Closed),
                Some(false) => Some(END),
                None => match self.judge(at)? {
                    QuickStep::On(_) => None,
                    step => Some(step),
                },
            },
        }
    }

    /// B8: returns whether a template may end the candidate at `at`.
    fn may_be_template(&self, at: usize) -> bool {
        match (self.text[at], self.text[at - 1]) {
            (b'{', _) | (b'`' | b'\\', b'$' | b'#') => true,
            (b'}', last) => last.is_ascii_digit(),
            _ => false,
        }
    }

    fn opens(&self, char: char) -> bool {
        self.opener.is_some_and(|opener| opener.char == char)
    }

    /// Returns whether the candidate is bare, or in a wrapper of `(` or `{`.
    fn is_bare_or_bracketed(&self) -> bool {
        self.opener
            .is_none_or(|opener| matches!(opener.char, '(' | '{'))
    }

    /// B3: returns `Some(true)` when the byte after the "[" at `at` shows that the bracket
    /// is not closed, and `None` when it does not.
    fn is_unbalanced_square(&self, at: usize) -> Option<bool> {
        if !self.is_bare_or_bracketed() {
            return None;
        }
        let next = *self.text.get(at + 1)?;
        let ends = match next {
            b'{' => *self.text.get(at + 2)? != b'\\',
            _ => matches!(
                next,
                0..=b' ' | 0x7F | b'"' | b'<' | b'>' | b'}' | b'|' | b'^' | b'`'
            ),
        };
        ends.then_some(true)
    }

    /// W4, W7: whitespace ends a candidate unless it may be a fold.
    fn judge_whitespace(&self, at: usize) -> Option<QuickStep> {
        let folds = match self.opener {
            Some(opener) if opener.char == '<' => true,
            Some(opener) if opener.char == '"' => {
                opener.form != OpenerForm::Escaped && self.may_break(at)
            }
            Some(opener) if opener.char == '(' => self.may_break(at),
            _ => false,
        };
        (!folds || self.fold_fails(at)).then_some(END)
    }

    /// W4: returns whether the whitespace at `at` may contain a line break.
    fn may_break(&self, at: usize) -> bool {
        let next = self.text[at..].iter().find(|&&b| {
            steps::count(1);
            b != b' ' && b != b'\t'
        });
        matches!(next, None | Some(b'\n' | b'\r' | 0x0C))
    }

    /// W4: returns whether the whitespace at `at` has one line break, and the next line
    /// neither continues the URI nor begins with a leader nor is page furniture.
    fn fold_fails(&self, at: usize) -> bool {
        let Some(opener) = self
            .opener
            .filter(|opener| opener.form != OpenerForm::Escaped)
        else {
            return false;
        };
        let rest = &self.text[at..];
        let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t'));
        let line = match &rest[blanks.count()..] {
            [b'\r', b'\n', line @ ..] | [b'\n' | b'\r', line @ ..] => line,
            _ => return false,
        };
        let ends = match line {
            [b'<', next, ..] => !next.is_ascii_digit(),
            [first @ (b'"' | b'{' | b'}' | b'^' | b'`'), ..] => opener.closer != *first as char,
            _ => false,
        };
        let sight = &line[..line.len().min(LINE_SIGHT)];
        let len = ends.then(|| memchr::memchr3(b'\n', b'\r', 0x0C, sight));
        steps::count(len.map_or(0, |len| len.unwrap_or(sight.len())));
        len.flatten()
            .is_some_and(|len| sight[..len].trim_ascii_end().last() != Some(&b']'))
    }

    /// B4: judges a character reference, or an `&` of a query.
    fn judge_ampersand(&self, at: usize) -> Option<QuickStep> {
        let next = self.text.get(at + 1)?;
        if *next == b'&' {
            return None; // B3
        }
        let is_of_name = matches!(next, b'#' | b'a' | b'g' | b'l' | b'n' | b'q' | b'r');
        if !is_of_name || begins_parameter(self.text, at) {
            return Some(QuickStep::On(1));
        }
        let (found, truncated) = escape::reference(self.text, at);
        if truncated {
            return None;
        }
        let Some(found) = found else {
            let (is_amp, truncated) = escape::starts_amp(self.text, at);
            let len = if is_amp { 5 } else { 1 };
            return (!truncated).then_some(QuickStep::On(len));
        };
        let closes = |opener: Opener| {
            opener.form == OpenerForm::Reference
                && found.char.is_ascii()
                && opener.closer == found.char
        };
        match found.char {
            _ if self.opener.is_some_and(closes) => Some(QuickStep::Closed),
            '<' if self.text.get(at + found.len)?.is_ascii_digit() => None,
            '"' | '<' | '>' => Some(END),
            _ => None,
        }
    }

    /// B9: a `,` or `;` ends the candidate when another one starts after it, which only
    /// a word and a colon can.
    fn judge_list(&self, at: usize) -> Option<QuickStep> {
        let word = self.text.get(at + 1..)?;
        if matches!(word.first()?, b'_' | b'a'..=b'z' | b'A'..=b'Z') && self.is_of_pair() {
            return None; // I28
        }
        if word.first()?.is_ascii_alphabetic() {
            let sight = &word[..word.len().min(scheme::MAX_LEN + 1)];
            let len = sight.iter().take_while(|&&b| SCHEME.has(b)).count();
            if matches!(word.get(len)?, b':' | b'\\') {
                return None;
            }
        }
        Some(QuickStep::On(1))
    }

    /// I28: returns whether the candidate follows a `=`.
    fn is_of_pair(&self) -> bool {
        let head = &self.text[..self.start - 3];
        let scheme = head.iter().rev().take(scheme::MAX_LEN);
        let scheme = scheme.take_while(|&&b| SCHEME.has(b)).count();
        steps::count(scheme);
        head[..head.len() - scheme].ends_with(b"=")
    }

    /// B5: judges an escape that closes the wrapper or ends the candidate.
    fn judge_backslash(&self, at: usize) -> Option<QuickStep> {
        let opener = self.opener;
        let is_logged = matches!(opener, Some(o) if o.char == '"' && o.form == OpenerForm::Raw);
        if self.opens('{') || (is_logged && *self.text.get(at + 1)? == b'x') {
            return None;
        }
        let cut = QuickStep::End(Problem::Cut.into());
        if self.may_be_template(at) {
            return None;
        }
        match escape::backslash(self.text, at, false) {
            (Backslash::Char(char, _), false) => match opener {
                Some(o) if o.form == OpenerForm::Escaped && o.closer == char => {
                    Some(QuickStep::Closed)
                }
                _ => matches!(char, '"' | '<' | '>').then_some(cut),
            },
            (Backslash::Excluded, false) => Some(cut),
            _ => None,
        }
    }
}
