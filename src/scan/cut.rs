//! The safe cut: where a text can be divided so that scanning each part separately
//! finds exactly what scanning the whole text finds.
//!
//! A safe cut is the end of a line at which no wrapper is open (W4): every other rule
//! ends at a line break. To find out, the cutter looks back from the end of the line
//! for the nearest opener that a scheme may follow, and reads forward from there: a
//! blank inside a line, a quote or a bracket ends every wrapper. The cutter errs on the
//! safe side and may take a closed wrapper for an open one. The answer depends on the
//! bytes before the cut only, so the readers of two neighbouring parts agree on it.

use crate::escape::{reference_before, wide_at, wide_may_begin};
use crate::syntax::class::{ALPHA, SCHEME, is_of_leader};
use crate::syntax::{scheme, steps};

/// The reach of a cutter for lists: lines up to this length have a safe cut near every
/// boundary.
const LINE: usize = 8 << 10;

/// Most bytes between `<` and a scheme in a line below.
const BLANKS_MAX: usize = 64;

/// The number of bytes at the end of a line in which its last word is searched for.
const WORD_MAX: usize = 4096;

/// Most bytes of a SICI between `<` and `>`.
const SICI_MAX: usize = 32;

/// Raw bytes that an opener and a prefix may take before a scheme.
const OPENING: usize = 128;

/// The greatest number of bytes in which the beginning of a long line is searched for.
const LONG_LINE: usize = 128 << 10;

/// The place where a text can be cut.
///
/// ```
/// use urisieve::scan::{Cut, Cutter};
/// let text = b"one\ntwo\nthr";
/// let Cut::Safe(at) = Cutter::new(8192, false).cut(text, true) else { unreachable!() };
/// assert_eq!(text.split_at(at), (&b"one\ntwo\n"[..], &b"thr"[..]));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cut {
    /// Directly before this raw offset: the bytes from there on are read as a new text.
    Safe(usize),
    /// Nowhere near the boundary: the bytes after it can only be read with the state at
    /// its end.
    Nowhere,
}

/// Finds safe cuts.
///
/// ```
/// use urisieve::scan::{Cut, Cutter};
/// let cutter = Cutter::new(8192, false);
/// assert_eq!(cutter.cut(b"a <http://a.example/b>\nc", true), Cut::Safe(23));
/// assert_eq!(cutter.cut(b"a <http://a.example/\nc", true), Cut::Nowhere);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Cutter {
    reach: usize,
    any_blank: bool,
    refang: bool,
    line_ends: bool,
    lines: LinesOfCut,
}

/// Which ends of lines are safe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinesOfCut {
    /// The ends of lines at which no wrapper is open.
    Unwrapped,
    Every,
    None,
}

impl Cutter {
    /// Returns a cutter for texts in which a wrapper with line breaks has at most `reach`
    /// raw bytes. With `any_blank` a blank does not end `<...>` (`--wrap any`).
    ///
    /// ```
    /// use urisieve::scan::{Cut, Cutter};
    /// let text = b"<http://a.example/b c\nd";
    /// assert_eq!(Cutter::new(8192, false).cut(text, true), Cut::Safe(22));
    /// assert_eq!(Cutter::new(8192, true).cut(text, true), Cut::Nowhere);
    /// ```
    pub fn new(reach: usize, any_blank: bool) -> Cutter {
        Cutter {
            reach,
            any_blank,
            refang: false,
            line_ends: false,
            lines: LinesOfCut::Unwrapped,
        }
    }

    /// Returns a cutter for lists: every end of a line is safe.
    ///
    /// ```
    /// use urisieve::scan::{Cut, Cutter};
    /// assert_eq!(Cutter::every_line().cut(b"<http://a\nb", true), Cut::Safe(10));
    /// ```
    pub fn every_line() -> Cutter {
        Cutter {
            lines: LinesOfCut::Every,
            ..Cutter::new(LINE, false)
        }
    }

    /// Returns a cutter for texts that can only be read from their start.
    ///
    /// ```
    /// use urisieve::scan::{Cut, Cutter};
    /// assert_eq!(Cutter::nowhere().cut(b"a\nb", true), Cut::Nowhere);
    /// ```
    pub fn nowhere() -> Cutter {
        Cutter {
            lines: LinesOfCut::None,
            ..Cutter::new(0, false)
        }
    }

    /// Whether a URI may be disguised (I8): then any text may begin one; default no.
    ///
    /// ```
    /// use urisieve::scan::{Cut, Cutter};
    /// let text = b"<http[:]//a.example/b\nc";
    /// assert_eq!(Cutter::new(8192, false).cut(text, true), Cut::Safe(22));
    /// assert_eq!(Cutter::new(8192, false).refang(true).cut(text, true), Cut::Nowhere);
    /// ```
    pub fn refang(self, refang: bool) -> Cutter {
        Cutter { refang, ..self }
    }

    /// Whether no cut is after a line whose last URI the next line may judge (W7); default no.
    ///
    /// ```
    /// use urisieve::scan::{Cut, Cutter};
    /// let text = b"http://a.example/b-\nc";
    /// assert_eq!(Cutter::new(8192, false).cut(text, true), Cut::Safe(20));
    /// assert_eq!(Cutter::new(8192, false).line_ends(true).cut(text, true), Cut::Nowhere);
    /// ```
    pub fn line_ends(self, line_ends: bool) -> Cutter {
        Cutter { line_ends, ..self }
    }

    /// Returns the number of raw bytes before a boundary that decide where its cut is.
    ///
    /// ```
    /// use urisieve::scan::Cutter;
    /// assert!(Cutter::new(8192, false).look_back() > 8192);
    /// ```
    pub fn look_back(&self) -> usize {
        2 * (self.reach + OPENING)
    }

    /// The number of raw bytes before a boundary that decide where its cut is, when the
    /// boundary is in a line that begins before the bytes of
    /// [`look_back`](Cutter::look_back).
    ///
    /// ```
    /// use urisieve::scan::{Cut, Cutter};
    /// let cutter = Cutter::new(8192, false);
    /// let text = ["one\n", &"x".repeat(100_000)].concat();
    /// let near = &text[text.len() - cutter.look_back()..];
    /// assert_eq!(cutter.cut(near.as_bytes(), false), Cut::Nowhere);
    /// assert!(text.len() < cutter.long_look_back());
    /// assert_eq!(cutter.cut(text.as_bytes(), true), Cut::Safe(4));
    /// ```
    pub fn long_look_back(&self) -> usize {
        match self.lines {
            LinesOfCut::Unwrapped => LONG_LINE + self.look_back(),
            LinesOfCut::Every | LinesOfCut::None => self.look_back(),
        }
    }

    /// Returns the last safe cut in `window`, which holds the last
    /// [`look_back`](Cutter::look_back) bytes before a boundary, or all bytes up to it.
    /// If this window has no safe cut, one of the last
    /// [`long_look_back`](Cutter::long_look_back) bytes may have one. `fresh` means that
    /// `window` begins at the start of a text or at a safe cut, so that nothing before it
    /// matters.
    ///
    /// ```
    /// use urisieve::scan::{Cut, Cutter};
    /// let cutter = Cutter::new(8192, false);
    /// assert_eq!(cutter.cut(b"one\ntwo\nthr", true), Cut::Safe(8));
    /// assert_eq!(cutter.cut(b"one\n<http://a.example/\nb", true), Cut::Safe(4));
    /// assert_eq!(cutter.cut(b"one", true), Cut::Nowhere);
    /// ```
    pub fn cut(&self, window: &[u8], fresh: bool) -> Cut {
        match self.lines {
            LinesOfCut::Unwrapped => {}
            LinesOfCut::None => return Cut::Nowhere,
            LinesOfCut::Every => {
                let end = memchr::memrchr(b'\n', window);
                return end.map_or(Cut::Nowhere, |at| Cut::Safe(at + 1));
            }
        }
        let near = window.len().saturating_sub(self.look_back());
        let floor = near + self.reach + OPENING;
        if near == 0 || memchr::memchr(b'\n', &window[floor..]).is_some() {
            return self.cut_near(window, near, fresh);
        }
        // No line break is near. The text is cut where the line begins or, if a wrapper is
        // open there, before: the work is at most twice that without a long line.
        match memchr::memrchr(b'\n', &window[..floor]) {
            Some(at) => {
                let line = at + 1;
                let near = line.saturating_sub(self.look_back());
                self.cut_near(&window[..line], near, fresh)
            }
            None => Cut::Nowhere,
        }
    }

    /// Returns the last safe cut in `window` from `near` on.
    fn cut_near(&self, window: &[u8], near: usize, fresh: bool) -> Cut {
        let fresh = fresh && near == 0;
        let (before, window) = (near, &window[near..]);
        // Wrappers and ends of lines are in two bytes each there.
        if wide_at(window).is_some() {
            return Cut::Nowhere;
        }
        let floor = if fresh {
            0
        } else {
            window.len().min(self.reach + OPENING)
        };
        let mut end = window.len();
        while let Some(line_break) = memchr::memrchr(b'\n', &window[floor..end]) {
            let at = floor + line_break + 1;
            let goes_on = self.line_ends && may_go_on(window, at, self.refang);
            // UTF-16 may begin with fewer characters than show it.
            if goes_on || wide_may_begin(&window[..at]) < at {
                end = at - 1;
                continue;
            }
            let Some(opener) = self.opener_of(window, at) else {
                return Cut::Safe(before + at);
            };
            // The wrapper is open at all line breaks after its opener.
            if opener <= floor {
                break;
            }
            end = opener;
        }
        Cut::Nowhere
    }

    /// Returns the end of the opener of a wrapper that may be open at `end`, the start of a
    /// line. For `(...)` it is the line break before `end`.
    fn opener_of(&self, window: &[u8], end: usize) -> Option<usize> {
        let from = end.saturating_sub(self.reach + OPENING);
        if self.is_open_paren(window, from, end) {
            return Some(end - 1);
        }
        let mut right = end;
        while let Some(opener) = opener_before(window, from, right) {
            // B2: the `<` of a possible SICI neither opens nor ends a wrapper.
            let may_be_sici =
                window[opener - 1] == b'<' && opener < end && window[opener].is_ascii_digit();
            if may_be_sici && !self.refang {
                right = opener - 1;
                continue;
            }
            let angle = window[opener - 1] != b'"';
            if let CutStart::Maybe(body) = self.start_after(window, opener, end, angle)
                && self.reaches(window, body, end, angle)
            {
                return Some(opener);
            }
            if !may_be_sici && !in_furniture(window, from, opener) {
                // This opener ends every wrapper that was opened before.
                return None;
            }
            right = opener - 1;
        }
        None
    }

    /// Returns whether a `(...)` may continue at `end`: only when the line break before
    /// `end` is the first one after the opener, and no blank is between.
    fn is_open_paren(&self, window: &[u8], from: usize, end: usize) -> bool {
        let line = window[from..end].trim_ascii_end();
        let ends = |byte: &u8| match self.refang {
            true => matches!(byte, b'\n' | b'\r' | 0x0C),
            false => byte.is_ascii_whitespace(),
        };
        let start = line.iter().rposition(ends);
        let start = start.map_or(0, |at| at + 1);
        steps::count(line.len() - start);
        memchr::memchr_iter(b'(', &line[start..])
            .any(|at| !matches!(self.scheme_after(line, start + at + 1), CutStart::No))
    }

    /// Returns whether no byte between `at` and `end` is certain to end a wrapper.
    fn reaches(&self, window: &[u8], at: usize, end: usize, angle: bool) -> bool {
        let body = &window[at..end];
        steps::count(body.len());
        let mut header = false;
        for (number, line) in body
            .split(|&b| matches!(b, b'\n' | b'\r' | 0x0C))
            .enumerate()
        {
            if memchr::memmem::find(line, b"[Page").is_some() {
                header = true;
                continue;
            }
            let line = if number == 0 {
                line
            } else {
                let text = line.iter().position(|&b| !is_of_leader(b));
                &line[text.unwrap_or(line.len())..]
            };
            let line = line.trim_ascii_end();
            if line.is_empty() {
                continue;
            }
            if std::mem::take(&mut header) {
                continue;
            }
            let ends = |b: u8| match b {
                // Marks of defanging may have them.
                b' ' | b'\t' | b'{' | b'}' if self.refang => false,
                b' ' | b'\t' => !(self.any_blank && angle),
                b'<' | b'>' | b'"' => true,
                b'{' | b'}' | b'|' | b'^' | b'`' => angle,
                0..0x20 | 0x7F => true,
                _ => false,
            };
            let mut rest = line;
            while let Some((&byte, after)) = rest.split_first() {
                rest = &after[sici_rest(byte, after)..];
                if rest.len() == after.len() && ends(byte) {
                    return false;
                }
            }
        }
        true
    }

    /// Returns whether a scheme, perhaps after a prefix, may be at `at`.
    fn start_after(&self, window: &[u8], at: usize, end: usize, angle: bool) -> CutStart {
        match self.start_at(window, at, end, angle) {
            // W4: blanks with a line break may be between `<` and the scheme.
            CutStart::No if angle => match blanks_after(&window[at..end]) {
                0 => CutStart::No,
                len if at + len == end => CutStart::Maybe(end),
                len => self.start_at(window, at + len, end, false),
            },
            found => found,
        }
    }

    /// Returns whether a scheme, perhaps after a prefix, begins at `at`.
    fn start_at(&self, window: &[u8], at: usize, end: usize, angle: bool) -> CutStart {
        let text = &window[..end];
        let scheme_after = |at: usize| match self.scheme_after(text, at) {
            CutStart::No if angle => self.folded_scheme_after(text, at),
            found => found,
        };
        let scheme = scheme_after(at);
        let Some(prefix) = self.prefix_after(text, at) else {
            return scheme;
        };
        if prefix == end {
            return CutStart::Maybe(prefix);
        }
        match scheme_after(prefix) {
            // `URI:` may also be a scheme.
            CutStart::No => scheme,
            after_prefix => after_prefix,
        }
    }

    /// Returns the end of the `URL:` or `URI:` at `at` and of the whitespace after it.
    fn prefix_after(&self, text: &[u8], at: usize) -> Option<usize> {
        let word = text.get(at..at + 3)?.to_ascii_uppercase();
        if word != b"URL" && word != b"URI" {
            return None;
        }
        let colon = match &text[at + 3..] {
            [b':', ..] => 1,
            _ => return None,
        };
        let rest = &text[at + 3 + colon..];
        let blanks = rest.iter().take_while(|b| b.is_ascii_whitespace());
        Some(at + 3 + colon + blanks.count())
    }

    fn scheme_after(&self, text: &[u8], at: usize) -> CutStart {
        if self.refang {
            // I10: a host with marks may be without a scheme.
            let begins = text.get(at).is_some_and(|byte| !byte.is_ascii_whitespace());
            return if begins {
                CutStart::Maybe(at)
            } else {
                CutStart::No
            };
        }
        let run = text[at..].iter().take_while(|&&b| SCHEME.has(b)).count();
        let fits = run > 1 && run <= scheme::MAX_LEN + 1 && ALPHA.has(text[at]);
        match text.get(at + run) {
            Some(b':' | b'\\') if fits => CutStart::Maybe(at + run + 1),
            _ => CutStart::No,
        }
    }

    /// Returns whether letters and a line break at `at` may be the first part of a folded
    /// scheme. Schemes are folded only in `<...>`.
    fn folded_scheme_after(&self, text: &[u8], at: usize) -> CutStart {
        let letters = text[at..].iter().take_while(|&&b| ALPHA.has(b)).count();
        let end = at + letters;
        let rest = &text[end..];
        let blanks = rest.iter().take_while(|b| matches!(b, b' ' | b'\t'));
        match rest.get(blanks.count()) {
            Some(b'\n' | b'\r' | 0x0C) if (1..=scheme::MAX_LEN).contains(&letters) => {
                CutStart::Maybe(end)
            }
            _ => CutStart::No,
        }
    }
}

/// The text after an opener.
enum CutStart {
    /// No scheme.
    No,
    /// A scheme or a part of one; the wrapper continues at this raw offset.
    Maybe(usize),
}

/// W4: returns the number of blanks, leaders and line breaks at the start of `text`, if a
/// line break is among them; otherwise 0.
fn blanks_after(text: &[u8]) -> usize {
    let is_break = |b: &u8| matches!(b, b'\n' | b'\r' | 0x0C);
    let sight = &text[..text.len().min(BLANKS_MAX + 1)];
    let len = sight
        .iter()
        .take_while(|b| is_of_leader(**b) || is_break(b))
        .count();
    match sight[..len].iter().any(is_break) {
        true if len <= BLANKS_MAX => len,
        _ => 0,
    }
}

/// W7: returns whether a URI at the end of the line before `at` may have the problem of an
/// end of a line, which the next line decides: its end is not a safe cut. Like every safe
/// cut, this one depends only on the bytes before it. `refang`: any word may be a part of one.
fn may_go_on(window: &[u8], at: usize, refang: bool) -> bool {
    let line = &window[..at - 1];
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let ends = |b: &u8| matches!(b, 0..=b' ' | 0x7F);
    let floor = line.len().saturating_sub(WORD_MAX);
    let word = match line[floor..].iter().rposition(ends) {
        Some(blank) => &line[floor + blank + 1..],
        None => &line[floor..],
    };
    steps::count(word.len());
    let Some(&last) = word.last() else {
        return false;
    };
    let is_long = word.len() == WORD_MAX;
    let is_open = matches!(last, b'/' | b'-' | b'_' | b'=' | b'&' | b'?' | b'.' | b'%');
    let starts = |mark: &[u8]| word.windows(4).any(|part| part.eq_ignore_ascii_case(mark));
    // I8: `//` may be encoded, or a mark.
    let hides = |b: &u8| refang && matches!(b, b'%' | b'_' | b'&' | b'(' | b'{');
    let is_unsure = is_long || word.iter().any(|b| matches!(b, b'\\' | b'[') || hides(b));
    let may_hold =
        || word.iter().any(|b| matches!(b, b':' | b'/')) || starts(b"www.") || starts(b"ftp.");
    is_unsure || is_open && (refang || may_hold()) || has_host_without_dot(word)
}

/// Returns whether one of the authorities in `word` has no dot.
fn has_host_without_dot(word: &[u8]) -> bool {
    memchr::memmem::find_iter(word, b"//").any(|at| {
        let rest = &word[at + 2..];
        let end = memchr::memchr3(b'/', b'?', b'#', rest).unwrap_or(rest.len());
        let host = memchr::memrchr(b'@', &rest[..end]).map_or(0, |at| at + 1);
        steps::count(end);
        !rest[host..end].contains(&b'.')
    })
}

/// B2: returns the number of bytes of `after`, from a digit to `>`, that belong to a SICI
/// which begins with `byte`; 0 when there is no SICI.
fn sici_rest(byte: u8, after: &[u8]) -> usize {
    if byte != b'<' || !after.first().is_some_and(u8::is_ascii_digit) {
        return 0;
    }
    let inside = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b':' | b'.' | b'-');
    let len = after.iter().take(SICI_MAX).take_while(inside).count();
    match after.get(len) {
        Some(b'>') => len + 1,
        _ => 0,
    }
}

/// Returns the end of the last opener between `from` and `to` of a wrapper in which
/// lines are joined: `<`, `"` or a character reference for one of them.
fn opener_before(window: &[u8], from: usize, to: usize) -> Option<usize> {
    let raw = memchr::memrchr2(b'<', b'"', &window[from..to]).map(|at| from + at + 1);
    steps::count(to - raw.unwrap_or(from));
    let mut right = to;
    let left = raw.unwrap_or(from);
    while let Some(at) = memchr::memrchr(b';', &window[left..right]) {
        let end = left + at + 1;
        if reference_before(window, end).is_some_and(|r| matches!(r.char, '<' | '"')) {
            return Some(end);
        }
        right = end - 1;
    }
    raw
}

/// Returns whether the line that holds `at` may be page furniture, which is skipped
/// inside a wrapper: a footer, or a line with only blank lines and a form feed between
/// it and the footer before it.
fn in_furniture(window: &[u8], from: usize, at: usize) -> bool {
    let line_end = memchr::memchr(b'\n', &window[at..]).map_or(window.len(), |len| at + len);
    let text = &window[from..line_end];
    let mut lines = text.rsplit(|&b| b == b'\n');
    let is_footer = |line: &[u8]| {
        steps::count(line.len());
        memchr::memmem::find(line, b"[Page").is_some()
    };
    if lines.next().is_some_and(is_footer) {
        return true;
    }
    lines
        .find(|line| !line.trim_ascii().is_empty())
        .is_some_and(is_footer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Option<usize> {
        match Cutter::new(8192, false)
            .line_ends(true)
            .cut(text.as_bytes(), true)
        {
            Cut::Safe(at) => Some(at),
            Cut::Nowhere => None,
        }
    }

    #[test]
    fn a_cut_is_after_the_last_line_that_leaves_no_wrapper_open() {
        assert_eq!(cut("a\nb c\nd"), Some(6));
        assert_eq!(cut("a\nsee <http://a.example/\n"), Some(2));
        assert_eq!(cut("a\nsee <http://a.example/\nb>\n"), Some(28));
        assert_eq!(cut("a\nsee <http://a.example/\nb c\n"), Some(29));
        assert_eq!(cut("a\n\"http://a.example/\nb\n"), Some(2));
        assert_eq!(cut("a\n&lt;http://a.example/\n"), Some(2));
        assert_eq!(cut("a\n&quot;URL:\n"), Some(2));
        assert_eq!(cut("a\n<uri://a.example/\n"), Some(2));
        assert_eq!(cut("a\n<div>\n"), Some(8));
        assert_eq!(cut("a\n<http://a.example/<1:2>\n"), Some(2));
        assert_eq!(cut("a\n<http://a.example/<1>:\n"), Some(2));
        assert_eq!(cut("a\n<http://a.example/<1:2\n"), Some(25));
        assert_eq!(cut("a\n<ht\n"), Some(2));
        assert_eq!(cut("a\n<URL: ht \r\n"), Some(2));
        assert_eq!(cut("a\n<ht\ntp://a.example/\n"), Some(2));
        assert_eq!(cut("a\n<p class=x\n"), Some(13));
        assert_eq!(cut("a\nx (http://a.example/b\n"), Some(2));
        assert_eq!(cut("a\n[t](http://a.example/b \n"), Some(2));
        assert_eq!(cut("a\n(http://a.example/b\nc\n"), Some(24));
        assert_eq!(cut("a\n(http://a.example/b c\n"), Some(24));
        assert_eq!(cut("a\n(note\n"), Some(8));
        assert_eq!(cut("a\n\"note\n"), Some(8));
        assert_eq!(cut("x <http://a/\n"), None);
        assert_eq!(cut("a\nhttp://a.example/\n"), Some(2));
        assert_eq!(cut("a\nhttp://a.example/b\n"), Some(21));
        assert_eq!(cut("a\nhttp://host/b\n"), Some(2));
        assert_eq!(cut("a\nhttp:\\/\\/a.example\\/b\n"), Some(2));
        assert_eq!(cut("a\nsee www.a.example/b-\r\n"), Some(2));
        assert_eq!(cut("a\nsee the end.\n"), Some(15));
        assert_eq!(cut("a\n<\n"), Some(2));
        assert_eq!(cut("a\n<\n > http://a.example/b\n"), Some(2));
        assert_eq!(cut("a\n<\n b\n"), Some(7));
        // The line feed may be the fourth character of UTF-16.
        assert_eq!(cut("a\nb\0c\0d\0\n"), Some(2));
        assert_eq!(cut("a\nb\0c\0d\0\nx\n"), Some(11));
        assert_eq!(cut("a\n<\0h\0t\0t\0p\0\n"), None);
    }

    #[test]
    fn leaders_and_furniture_do_not_close_wrappers() {
        assert_eq!(cut("a\n> <http://a.example/\n> b\n"), Some(2));
        let page = "a\n<http://a.example/\n\nX \"Y\"  [Page 3]\n\x0c\nRFC <1> x\n\n";
        assert_eq!(cut(page), Some(2));
    }

    #[test]
    fn an_open_wrapper_is_examined_once() {
        const LEN: usize = 8_000;
        for (start, piece) in [("<http://a/", "x\n"), ("\"http://a/", "\n"), ("", "<ab:\n")] {
            let steps = steps::of_text(start, piece, LEN, |window| {
                let cut = Cutter::new(8192, false).line_ends(true).cut(window, true);
                assert_eq!(cut, Cut::Nowhere, "{start:?} {piece:?}");
            });
            assert!(steps <= 4 * LEN, "{start:?} {piece:?}: {steps}");
        }
    }
}
