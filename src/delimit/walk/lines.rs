//! The part of a walk that joins lines (W4, W6).

use super::{CandidateWalk, SHOWN, STOP, WalkMode, WalkNext};
use crate::delimit::fold::{self, Fold, Limit};
use crate::delimit::read::{self, Unit};
use crate::delimit::start::{Opener, OpenerForm};
use crate::delimit::{Config, Hyphen, Wrap, list, shape};
use crate::item::Problem;

/// Most blanks between `=` and the `"` of an attribute or a field (W4).
const FIELD_BLANKS: usize = 32;

/// Returns the limits of the next fold of a candidate that starts at the raw offset
/// `start` and has lost `wrapped` line breaks already.
pub(in crate::delimit) fn limit(config: &Config, start: usize, wrapped: usize) -> Limit {
    Limit {
        end: start + config.wrap_limit.bytes,
        breaks: config.wrap_limit.lines.saturating_sub(wrapped),
        blanks: start + config.max_length.max(SHOWN) + 1,
    }
}

impl CandidateWalk<'_, '_> {
    /// W4: judges whitespace inside a wrapper.
    pub(super) fn judge_whitespace(&mut self) -> WalkNext {
        let opener = match self.mode {
            WalkMode::Quoted(opener) | WalkMode::Bracketed(opener) => opener,
            WalkMode::Bare { .. } => return STOP,
        };
        let limit = limit(self.config, self.start, self.wrapped);
        if opener.char == '<' && self.blanks_close(opener, limit.blanks) {
            return self.close();
        }
        let folds = opener.form != OpenerForm::Escaped && matches!(opener.char, '<' | '"' | '(');
        if !folds || self.config.wrap == Wrap::Off || self.logged {
            return STOP;
        }
        let (text, opening, before) = (self.reader.text, self.opening, self.head);
        let leader = || fold::leader_of(text, opening, before);
        match fold::fold(self.reader, self.at, leader, limit) {
            Fold::Fail => STOP,
            Fold::Blanks { at } => {
                if opener.char == '<' && self.config.wrap == Wrap::Any && at > self.at {
                    self.skip_to(at);
                    return WalkNext::On;
                }
                STOP
            }
            Fold::Content {
                at,
                breaks,
                indented,
            } => {
                if self.problems.has(Problem::BadChar) || self.problems.has(Problem::BadUtf8) {
                    return STOP;
                }
                let joins = match opener.char {
                    '"' => !(indented && self.is_field()) && self.may_join(at),
                    '(' => breaks == 1 && self.joins_in_paren(at, limit.end),
                    _ => true,
                };
                if !joins {
                    return STOP;
                }
                self.wrapped += breaks;
                if self.last_byte() == Some(b'-') {
                    self.mark_hyphen();
                }
                self.skip_to(at);
                WalkNext::On
            }
        }
    }

    /// W4: returns whether a string in `"` may continue at `at`, after a line break.
    pub(super) fn may_join(&mut self, at: usize) -> bool {
        let next = match self.reader.unit(at).0 {
            Unit::Char { char, .. } | Unit::Reference(char) => char,
            _ => '\0',
        };
        !matches!(self.last_byte(), Some(b'\'' | b'`'))
            && !matches!(next, '\'' | '`')
            && !list::starts_candidate(self.reader, at, self.config)
    }

    /// W4: returns whether only blanks are between here and the closer.
    fn blanks_close(&mut self, opener: Opener, end: usize) -> bool {
        let mut at = self.at;
        while at < end && matches!(self.reader.byte(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        at > self.at
            && match self.reader.unit(at).0 {
                Unit::Char { char, escaped } => {
                    let form = if escaped {
                        OpenerForm::Escaped
                    } else {
                        OpenerForm::Raw
                    };
                    char == opener.closer && form == opener.form
                }
                Unit::Reference(char) => {
                    char == opener.closer && opener.form == OpenerForm::Reference
                }
                _ => false,
            }
    }

    /// W4: returns whether the opener follows `=`, as in an attribute or a field.
    fn is_field(&self) -> bool {
        let left = &self.reader.text[..self.opening];
        let blanks = left.iter().rev().take(FIELD_BLANKS);
        let blanks = blanks.take_while(|&&b| matches!(b, b' ' | b'\t')).count();
        left[..left.len() - blanks].ends_with(b"=")
    }

    /// W4: returns whether a URI in `(...)` continues at `at`, after its only line break:
    /// the rest reaches to the closer, and the text before the line break or the rest
    /// looks like a part of a URI. Directly after `://` only a name with a dot does:
    /// `(git://` and a word is prose.
    fn joins_in_paren(&mut self, at: usize, end: usize) -> bool {
        let mark = |b: u8| {
            matches!(
                b,
                b'/' | b'-' | b'_' | b'=' | b'&' | b'?' | b'.' | b'%' | b'#'
            )
        };
        if self.wrapped > 0
            || self.opening + 1 != self.start
            || list::starts_candidate(self.reader, at, self.config)
        {
            return false;
        }
        let no_host = self.text().ends_with(b"://");
        let mut shows = !no_host && self.last_byte().is_some_and(mark);
        let mut depth = self.parens;
        let mut at = at;
        while at <= end {
            let (unit, len) = self.reader.unit(at);
            match unit {
                Unit::Char { char: '(', .. } => depth += 1,
                Unit::Char {
                    char: ')',
                    escaped: false,
                } if depth == 0 => return shows,
                Unit::Char { char: ')', .. } => depth = depth.saturating_sub(1),
                Unit::Char {
                    char: '<',
                    escaped: false,
                } => {
                    let (found, truncated) = shape::sici_len(&self.reader.text[at..]);
                    self.reader.touched_end |= truncated;
                    let Some(len) = found else { return false };
                    shows |= !no_host || self.reader.text[at..at + len].contains(&b'.');
                    at += len;
                    continue;
                }
                Unit::Char { char, .. } if read::is_wrapped(char) => {
                    shows |= match u8::try_from(char) {
                        Ok(byte) if no_host => byte == b'.',
                        Ok(byte) => mark(byte) || byte.is_ascii_digit(),
                        Err(_) => false,
                    };
                }
                Unit::Reference(char) if read::is_wrapped(char) => shows |= !no_host,
                Unit::Amp => shows |= !no_host,
                _ => return false,
            }
            at += len;
        }
        false
    }

    /// W6: notes the hyphen before the line break, or removes it.
    pub(super) fn mark_hyphen(&mut self) {
        self.make_decoded();
        if self.config.hyphen == Hyphen::Drop {
            self.scratch.text.pop();
            self.scratch.map.truncate(self.scratch.text.len());
        }
        let len = self.scratch.text.len();
        let at = if self.config.hyphen == Hyphen::Drop {
            len
        } else {
            len - 1
        };
        self.scratch.hyphens.push(at);
    }
}
