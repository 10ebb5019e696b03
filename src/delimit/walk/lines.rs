//! The part of a walk that joins lines (W4, W6).

use super::{Mode, Next, SHOWN, STOP, Walk};
use crate::delimit::fold::{self, Fold, Limit};
use crate::delimit::start::Form;
use crate::delimit::{Hyphen, Wrap, list};
use crate::item::Problem;

impl Walk<'_, '_> {
    /// W4: whitespace inside a wrapper.
    pub(super) fn judge_whitespace(&mut self) -> Next {
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
            blanks: self.start + self.config.max_length.max(SHOWN) + 1,
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
    pub(super) fn may_join(&mut self, at: usize) -> bool {
        let quote = |b: Option<u8>| matches!(b, Some(b'\'' | b'`'));
        !quote(self.last_byte())
            && !quote(self.reader.byte(at))
            && !list::starts_candidate(self.reader, at, self.config)
    }

    /// W6: a hyphen stands before the line break.
    pub(super) fn mark_hyphen(&mut self) {
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
}
