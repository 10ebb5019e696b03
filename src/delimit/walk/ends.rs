//! The part of a walk that judges what ends a candidate (B2, B3, I24, I28), and the raw text after its
//! end (W7, B5, B8).

use super::{CandidateWalk, Phase, WalkMode, WalkNext};
use crate::delimit::read::{self, Unit};
use crate::delimit::{fold, list, mark, shape, template};
use crate::item::Problem;
use crate::syntax::class::URI;
use crate::syntax::steps;

/// Most blanks between an authority and a mark of defanging.
const MARK_BLANKS: usize = 4;

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

    /// I24: returns whether a mark of defanging between brackets follows the authority, after
    /// blanks.
    pub(super) fn is_defanged_after(&mut self) -> bool {
        if self.config.refang || !self.in_authority() {
            return false;
        }
        let end = self.at + MARK_BLANKS;
        let mut at = self.at;
        while at < end && matches!(self.reader.byte(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        if at == self.at {
            return false;
        }
        let (found, touched_end) = mark::is_bracketed(&self.reader.text[at..]);
        self.reader.touched_end |= touched_end;
        found
    }

    /// I28: returns whether the separator here, of `len` bytes, ends the candidate, the value
    /// of a pair: another pair follows.
    pub(super) fn ends_pair(&mut self, byte: u8, len: usize) -> bool {
        if self.separator != Some(byte) {
            return false;
        }
        let rest = &self.reader.text[self.at + len..];
        let (found, touched_end) = mark::begins_pair(rest);
        self.reader.touched_end |= touched_end;
        found
    }

    /// Judges the text at the end of a bare candidate, which may take the last character.
    pub(super) fn judge_end(&mut self) {
        let text = self.reader.text;
        let rest = &text[self.at.min(text.len())..];
        match rest.first() {
            Some(b'<') => self.judge_pod(rest),
            Some(b'\n' | b'\r' | 0x0C)
                if self.config.line_ends
                    && self.mode == (WalkMode::Bare { field: None })
                    && self.is_broken() =>
            {
                self.problems |= Problem::LineEnd;
            }
            // I24: a full stop of another script, after which a host goes on.
            Some(0x80..) if self.in_authority() => {
                let dots = ["\u{3002}", "\u{FF0E}", "\u{FF61}"];
                let is_dot = dots.iter().any(|dot| rest.starts_with(dot.as_bytes()));
                let next = is_dot.then(|| self.reader.byte(self.at + 3)).flatten();
                if next.is_some_and(|b| b.is_ascii_alphanumeric()) {
                    self.problems |= Problem::Cut;
                }
            }
            Some(b'{' | b'}' | b'|' | b'^' | b'`' | b'\\') if self.phase == Phase::Rest => {
                let mark = template::judge(self.text(), rest, self.reader.tex);
                self.reader.touched_end |= mark.touched_end;
                if mark.is_template {
                    self.problems = self.problems.without(Problem::Cut);
                    self.problems |= Problem::Template;
                }
                // A backslash of an escape, as in `ns#\u003c`, is no template.
                if mark.takes_last
                    && (rest[0] != b'\\' || self.reader.unit(self.at).0 == Unit::Unexplained)
                {
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

    /// B2: judges a `<` that may begin a part of a SICI, which belongs to the URI. A DOI
    /// that ends at a `<` before a digit may be cut.
    pub(super) fn judge_sici(&mut self) -> Option<WalkNext> {
        let (found, truncated) = shape::sici_len(&self.reader.text[self.at..]);
        self.reader.touched_end |= truncated;
        let has_begun = self.skipping.is_some() || self.len() > self.scheme.end + 1;
        match found {
            Some(len) if self.phase == Phase::Rest && has_begun => {
                self.push_spelled(b"%3C", 1);
                self.push_raw(len - 2);
                self.push_spelled(b"%3E", 1);
                self.encoded = true;
                Some(WalkNext::On)
            }
            _ => {
                self.judge_cut_doi(self.at + 1);
                None
            }
        }
    }

    /// W2: marks a DOI as cut when the byte at `next`, after the `<` that ends it, is a
    /// digit.
    pub(super) fn judge_cut_doi(&mut self, next: usize) {
        if self.reader.byte(next).is_some_and(|b| b.is_ascii_digit())
            && self.skipping.is_none()
            && shape::is_doi(self.text())
        {
            self.problems |= Problem::Cut;
        }
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
