//! The part of a walk that judges an authority (S2, B2, B8, B9), or the shape of a URI
//! without an authority (S3), as early as possible, so that void candidates end soon.

use super::{CandidateWalk, Phase, STOP, Stop, WalkMode, WalkNext, is_char};
use crate::delimit::read::{self, Unit};
use crate::delimit::shape::{self, Authority};
use crate::delimit::{mark, start, template, trim};
use crate::item::Problem;
use crate::syntax::class::SCHEME;
use crate::syntax::{scheme, steps};

/// Most raw bytes between a `,` or `;` in the authority and its `@` (B8). The bound keeps
/// the time of looking ahead bounded.
const USERINFO_REACH: usize = 1024;

impl CandidateWalk<'_, '_> {
    /// Reads the slashes after a colon, at most two, and returns their number: `//` begins
    /// an authority.
    pub(super) fn enter_authority(&mut self) -> usize {
        for slashes in 0..2 {
            let (slash, len) = self.slash_after_fold();
            if !is_char(slash, '/') {
                return slashes;
            }
            self.push(b"/", len);
        }
        self.phase = Phase::Authority(self.len());
        self.host_from = Some(self.len());
        self.has_literal = false;
        2
    }

    /// Returns the unit that may be a slash of `//`; folds line breaks before it.
    pub(super) fn slash_after_fold(&mut self) -> (Unit, usize) {
        if matches!(
            self.reader.byte(self.at),
            Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0C)
        ) {
            self.judge_whitespace();
        }
        self.reader.unit(self.at)
    }

    /// S3: begins the part after the colon of an opaque URI. A URI inside it has an
    /// authority, which is judged like any other.
    pub(super) fn enter_opaque(&mut self) -> bool {
        let name = &self.text()[self.scheme.clone()];
        if !shape::has_inner(name) || self.config.opaque.admits(name) {
            self.sight = Some(shape::sight(name));
            return true;
        }
        let from = self.len();
        let (colon, colon_len) = loop {
            let (unit, len) = self.reader.unit(self.at);
            match unit {
                Unit::Char { char, .. }
                    if char.is_ascii()
                        && SCHEME.has(char as u8)
                        && self.len() - from <= scheme::MAX_LEN =>
                {
                    self.push(&[char as u8], len);
                }
                other => break (other, len),
            }
        };
        if !is_char(colon, ':') {
            return false;
        }
        self.scheme = from..self.len();
        self.push(b":", colon_len);
        self.enter_authority() > 0
    }

    /// S3: judges the shape of an opaque URI when enough of it is read, so that the walk
    /// over a void candidate ends early.
    pub(super) fn judge_sight(&mut self) -> Option<Stop> {
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

    /// Returns whether this may be the whole authority (B8, S7).
    pub(super) fn judge_authority(&self, authority: &[u8]) -> bool {
        steps::count(authority.len());
        if self.is_bare() && shape::begins_with_hyphen(authority) {
            return false;
        }
        if self.scheme.is_empty() {
            return shape::abbreviated(authority).is_some();
        }
        let name = &self.text()[self.scheme.clone()];
        if authority.is_empty() {
            return !scheme::find(name).is_some_and(|s| s.needs_host);
        }
        shape::authority(name, authority) != Authority::Void
    }

    /// Judges a byte of an authority that starts at the text offset `from`, by B8, B9 and
    /// the rules of brackets; returns `None` when the byte has no special meaning there.
    pub(super) fn judge_in_authority(
        &mut self,
        byte: u8,
        from: usize,
        len: usize,
    ) -> Option<WalkNext> {
        if let Phase::Literal(_) = self.phase {
            return Some(match byte {
                b'/' | b'?' | b'#' | b'[' | b'@' => WalkNext::Stop(Stop::Void),
                b']' => {
                    self.phase = Phase::Authority(from);
                    self.push(b"]", len);
                    WalkNext::On
                }
                _ => {
                    self.push(&[byte], len);
                    WalkNext::On
                }
            });
        }
        match byte {
            b'/' | b'?' | b'#' => {
                if !self.judge_authority(&self.text()[from..]) {
                    let text = self.text();
                    let left = trim::trimmed_len(&text[from..], None, None, false);
                    if byte == b'/' || !self.judge_authority(&text[from..from + left]) {
                        return Some(WalkNext::Stop(Stop::Void));
                    }
                    self.doubtful = true;
                }
                self.phase = Phase::Rest;
                None
            }
            b':' => self.known_scheme(from, len).map(|text_len| {
                self.cut_to(text_len);
                STOP
            }),
            // A userinfo has no IP literal (B2).
            b'@' if self.has_literal => Some(WalkNext::Stop(Stop::Void)),
            // I25: only a host has a template.
            b'@' if self.problems.has(Problem::TemplateHost) => Some(WalkNext::Stop(Stop::Void)),
            b'[' if self.len() == from || self.last_byte() == Some(b'@') => {
                self.phase = Phase::Literal(from);
                self.has_literal = true;
                self.push(b"[", len);
                Some(WalkNext::On)
            }
            b'[' | b'(' if len == 1 && self.is_defanged(byte) => Some(WalkNext::Stop(Stop::Void)),
            b']' | b')' if len == 1 && self.ends_defanged(byte) => Some(WalkNext::Stop(Stop::Void)),
            b',' | b';' if self.is_bare() && self.ends_authority(byte, len) => Some(STOP), // B8
            b'[' | b']' => {
                if self.mode_closes_square(byte) && len == 1 {
                    return Some(self.close());
                }
                self.problems |= Problem::Cut;
                Some(STOP)
            }
            _ => None,
        }
    }

    /// I25, B2: judges a `{` in an authority: after a `$` it begins a template of the host.
    pub(super) fn judge_brace(&mut self) -> WalkNext {
        let void = WalkNext::Stop(Stop::Void);
        let Phase::Authority(from) = self.phase else {
            return void;
        };
        let text = self.reader.text;
        if self.last_byte() != Some(b'$') || !text[..self.at].ends_with(b"$") {
            return void;
        }
        let any = self.config.templates || start::lookup_len(&text[..self.start]).is_some();
        let (len, touched_end) = template::in_host(&text[self.at..], any);
        self.reader.touched_end |= touched_end;
        let is_in_host = || {
            let authority = &self.text()[from..];
            let host = memchr::memrchr(b'@', authority).map_or(0, |at| at + 1);
            steps::count(authority.len());
            template::split_host(&authority[host..]).host_len == authority.len() - host
        };
        match len {
            Some(len) if is_in_host() => {
                self.problems |= Problem::TemplateHost;
                self.push_raw(len);
                WalkNext::On
            }
            _ => {
                self.problems |= Problem::Template;
                void
            }
        }
    }

    /// B8: returns whether the current unit of `len` bytes, a `,` or a `;`, ends a bare
    /// candidate.
    fn ends_authority(&mut self, byte: u8, len: usize) -> bool {
        if shape::is_of_web(&self.text()[self.scheme.clone()]) {
            return !self.userinfo_goes_on(len);
        }
        let host_follows = |unit| match unit {
            Unit::Char { char, .. } if char.is_ascii() => {
                char.is_ascii_alphanumeric() || matches!(char, '_' | '%')
            }
            Unit::Char { char, .. } => read::is_bare(char),
            _ => false,
        };
        byte == b','
            && !host_follows(self.reader.unit(self.at + len).0)
            && !self.userinfo_goes_on(len)
    }

    /// B8: returns whether an `@` follows in the authority after the current unit of `len`
    /// bytes. The offset of the `@` is kept for all units before it.
    fn userinfo_goes_on(&mut self, len: usize) -> bool {
        if self.at < self.userinfo_to {
            return true;
        }
        let mut at = self.at + len;
        let end = at + USERINFO_REACH;
        while at <= end {
            let (unit, len) = self.reader.unit(at);
            match unit {
                Unit::Char { char: '@', .. } => {
                    self.userinfo_to = at;
                    return true;
                }
                Unit::Char {
                    char: '/' | '?' | '#' | '[' | ']',
                    ..
                }
                | Unit::Char {
                    char: '\'',
                    escaped: true,
                } => return false,
                Unit::Char { char, .. } if read::is_bare(char) => {}
                Unit::Reference(char) if char != '\'' && read::is_bare(char) => {}
                Unit::Amp => {}
                _ => return false,
            }
            at += len;
        }
        false
    }

    /// B9: returns the start of a known scheme directly before `://` in the authority.
    pub(super) fn known_scheme(&mut self, from: usize, len: usize) -> Option<usize> {
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

    /// B2, I24: returns whether a mark of defanging begins with the bracket here in an
    /// authority.
    fn is_defanged(&mut self, bracket: u8) -> bool {
        if !self.config.refang {
            let (found, touched_end) = mark::begins(&self.reader.text[self.at..]);
            self.reader.touched_end |= touched_end;
            return found;
        }
        if bracket == b'(' {
            return false;
        }
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

    /// I24: returns whether the bracket here is the end of a one-sided mark, as in
    /// `evil.]example`, and does not close the wrapper.
    fn ends_defanged(&mut self, bracket: u8) -> bool {
        let closes = match self.mode {
            WalkMode::Bracketed(o) => o.closer == bracket as char && self.parens == 0,
            _ => false,
        };
        !closes
            && !self.config.refang
            && matches!(self.last_byte(), Some(b'.' | b'@' | b':'))
            && self
                .reader
                .byte(self.at + 1)
                .is_some_and(|b| b.is_ascii_alphanumeric())
    }
}
