//! The part of a walk that judges what ends a bare candidate (B3), and the raw text after its
//! end (W7, B5, B8).

use super::{CandidateWalk, Phase, WalkMode};
use crate::delimit::read::{self, Unit};
use crate::delimit::{fold, list, template};
use crate::item::Problem;
use crate::syntax::class::URI;
use crate::syntax::steps;

impl CandidateWalk<'_, '_> {
    /// B3: returns whether the raw byte after the unit here, of `len` bytes, is `byte` again.
    pub(super) fn is_doubled(&mut self, byte: u8, len: usize) -> bool {
        self.reader.byte(self.at + len) == Some(byte)
    }

    /// B3: returns whether the `&` here, of `len` bytes, and another one end the candidate:
    /// before any `?`.
    pub(super) fn is_and(&mut self, len: usize) -> bool {
        if self.asks {
            return false;
        }
        let second = self.reader.unit(self.at + len).0;
        if !matches!(second, Unit::Char { char: '&', .. }) {
            return false;
        }
        if self.skipping.is_none() {
            steps::count(self.len());
            self.asks = self.text().contains(&b'?');
        }
        !self.asks
    }

    /// Judges the text at the end of a bare candidate, which may take the last character.
    pub(super) fn judge_end(&mut self) {
        let text = self.reader.text;
        let rest = &text[self.at.min(text.len())..];
        match rest.first() {
            Some(b'<') => self.judge_pod(rest),
            Some(b'\n' | b'\r' | 0x0C)
                if self.mode == (WalkMode::Bare { field: None }) && self.is_broken() =>
            {
                self.problems |= Problem::LineEnd;
            }
            Some(b'{' | b'}' | b'|' | b'^' | b'`' | b'\\') if self.phase == Phase::Rest => {
                let mark = template::judge(self.text(), rest, self.reader.tex);
                self.reader.touched_end |= mark.touched_end;
                if mark.is_template {
                    self.problems = self.problems.without(Problem::Cut);
                    self.problems |= Problem::Template;
                }
                if mark.takes_last {
                    self.cut_to(self.len() - 1);
                }
            }
            _ => {}
        }
    }

    /// W7: returns whether the candidate, which ends at the end of a line, may go on in the
    /// next one.
    fn is_broken(&mut self) -> bool {
        let open = matches!(
            self.last_byte(),
            Some(b'/' | b'-' | b'_' | b'=' | b'&' | b'?' | b'.' | b'%')
        );
        if !open && !self.has_no_dot() {
            return false;
        }
        let next = self.at + fold::break_len(self.reader, self.at);
        let goes_on = match self.reader.byte(next) {
            None => false,
            Some(byte @ 0..0x80) => URI.has(byte),
            Some(_) => {
                matches!(self.reader.unit(next).0, Unit::Char { char, .. } if read::is_bare(char))
            }
        };
        goes_on && !list::starts_candidate(self.reader, next, self.config)
    }

    /// W7: returns whether the candidate has a host without a dot.
    fn has_no_dot(&self) -> bool {
        let Some(from) = self.host_from else {
            return false;
        };
        let rest = &self.text()[from..];
        let end = memchr::memchr3(b'/', b'?', b'#', rest).unwrap_or(rest.len());
        steps::count(end);
        let authority = &rest[..end];
        let user = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
        let host = &authority[user..];
        !matches!(host.first(), None | Some(b':')) && !host.contains(&b'.')
    }

    /// B5: removes the `E` of POD's `E<gt>` or `E<lt>`, whose `<` is at the start of `rest`.
    fn judge_pod(&mut self, rest: &[u8]) {
        let is_e = self.at > self.start && self.reader.text[self.at - 1] == b'E';
        if !is_e {
            return;
        }
        let begins = |name: &[u8]| {
            let have = rest.len().min(name.len());
            rest[..have] == name[..have]
        };
        if !begins(b"<gt>") && !begins(b"<lt>") {
            return;
        }
        match rest.len() >= 4 {
            true => self.cut_to(self.len() - 1),
            false => self.reader.touched_end = true,
        }
    }
}
