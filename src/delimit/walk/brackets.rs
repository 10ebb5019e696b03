//! The part of a walk that judges parentheses and square brackets (B2, B3, W3).

use super::{CandidateWalk, STOP, WalkMode, WalkNext};
use crate::delimit::read::{self, Unit};
use crate::item::Problem;
use crate::syntax::iri;

/// Most raw bytes between a "[" and its "]" in a bare candidate. The bound keeps the time
/// of looking ahead bounded.
const BRACKET_REACH: usize = 4096;
/// The greatest depth of brackets in a bare candidate and inside a wrapper of W3.
const BRACKET_DEPTH: usize = 8;

impl CandidateWalk<'_, '_> {
    pub(super) fn judge_paren(&mut self, byte: u8, len: usize) -> WalkNext {
        let bracketed = matches!(self.mode, WalkMode::Bracketed(o) if o.char == '(');
        if self.is_bare() || bracketed {
            if byte == b'(' {
                self.parens += 1;
                if bracketed && self.parens > BRACKET_DEPTH {
                    return STOP;
                }
            } else if self.parens == 0 {
                // B3, W3: the closer is spelled like its opener.
                return if bracketed && len == 1 {
                    self.close()
                } else {
                    STOP
                };
            } else {
                self.parens -= 1;
            }
        }
        self.push(&[byte], len);
        WalkNext::On
    }

    pub(super) fn judge_square(&mut self, byte: u8, len: usize) -> WalkNext {
        if self.squares == 0 && self.mode_closes_square(byte) {
            return if len == 1 { self.close() } else { STOP };
        }
        if self.is_urn {
            self.problems |= Problem::Cut;
            return STOP; // S3
        }
        match (self.mode, byte) {
            (WalkMode::Quoted(_), b'[') => self.squares += 1,
            (WalkMode::Quoted(_), _) => {
                self.unbalanced |= self.squares == 0;
                self.squares = self.squares.saturating_sub(1);
            }
            (WalkMode::Bracketed(o), b'[') if o.char == '[' => {
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
                    self.problems |= Problem::Cut;
                    return STOP;
                }
                self.squares -= 1;
            }
        }
        self.push(&[byte], len);
        WalkNext::On
    }

    /// B3: returns whether the "[" here is closed later in the run.
    pub(super) fn balanced_square(&mut self, len: usize) -> bool {
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

    pub(super) fn mode_closes_square(&self, byte: u8) -> bool {
        byte == b']' && matches!(self.mode, WalkMode::Bracketed(o) if o.char == '[')
    }
}
