//! The lines at which the messages of an mbox begin (RFC 4155, and the variants mboxrd,
//! mboxcl and mboxcl2).

use super::header::{HeaderLine, HeaderLines};

/// A longer line is text, also one that follows the first line of a message.
const LINE_MAX: usize = 1024;

/// The first line that `git format-patch` writes begins with the number of a commit and has
/// this date.
const GIT_DATE: &[u8] = b" Mon Sep 17 00:00:00 2001";

/// How the messages of an mbox begin.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mbox {
    /// Whether the first one begins with a line of git.
    pub is_git: bool,
}

impl Mbox {
    /// Returns the mbox that begins with `line`.
    pub fn of(line: &[u8]) -> Mbox {
        Mbox {
            is_git: is_of_git(line),
        }
    }

    /// Whether a message begins with `text`, which is the beginning of a line (M2); `None`
    /// when more bytes are needed. `after_empty` returns whether the line before it is empty.
    pub fn begins(
        self,
        text: &[u8],
        whole: bool,
        after_empty: impl FnOnce() -> bool,
    ) -> Option<bool> {
        let mark = b"From ";
        if !text.starts_with(mark) {
            let is_open = !whole && mark.starts_with(text);
            return (!is_open).then_some(false);
        }
        // The first lines, each as far as it decides.
        let mut at = 0;
        let mut next = || {
            let rest = &text[at..];
            let mut lines = HeaderLines {
                text: &rest[..rest.len().min(LINE_MAX)],
                at: 0,
                whole: whole || rest.len() >= LINE_MAX,
            };
            match lines.next() {
                Some((range, line)) => {
                    at += range.end;
                    Some(Some(line))
                }
                None => whole.then_some(None),
            }
        };
        let Some(first) = next()? else {
            return Some(false);
        };
        if first.len() >= LINE_MAX || is_of_git(first) && !self.is_git {
            return Some(false);
        }
        let (after_empty, is_dated) = (after_empty(), is_dated(first));
        if !after_empty && !is_dated {
            return Some(false);
        }
        let mut is_field = || {
            let line = next()?;
            Some(line.is_some_and(|line| {
                matches!(HeaderLine::of(line), HeaderLine::Field(_)) || line.starts_with(b">From ")
            }))
        };
        let is_begun = is_field()?;
        match after_empty || !is_begun {
            true => Some(is_begun),
            false => is_field(),
        }
    }
}

/// Whether a line is the first one of a patch.
fn is_of_git(line: &[u8]) -> bool {
    let rest = line.strip_prefix(b"From ").unwrap_or_default();
    let is_hex = |b: &u8| b.is_ascii_hexdigit();
    rest.len() > 40 && rest[..40].iter().all(is_hex) && rest[40..].starts_with(GIT_DATE)
}

/// Whether nothing follows `From `, or a text with a time that ends with a year.
fn is_dated(line: &[u8]) -> bool {
    let rest = line
        .strip_prefix(b"From ")
        .unwrap_or_default()
        .trim_ascii_end();
    let is_time = |window: &[u8]| {
        window.iter().enumerate().all(|(at, b)| match at {
            2 | 5 => *b == b':',
            _ => b.is_ascii_digit(),
        })
    };
    let is_year = |word: &[u8]| word.len() == 4 && word.iter().all(u8::is_ascii_digit);
    let last = rest.rsplit(|&b| b == b' ').next().unwrap_or_default();
    rest.is_empty() || is_year(last) && rest.windows(8).any(is_time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_begin_at_their_lines() {
        let git = "From 0123456789abcdef0123456789abcdef01234567 Mon Sep 17 00:00:00 2001\nA: b\n";
        let dated = "From a Mon Feb  2 10:00:00 2026\n";
        let one = format!("{dated}A: b\n\n");
        let two = format!("{dated}A: b\nC: d\n");
        for (text, after_empty, without) in [
            ("From a\nA: b\n", true, false),
            ("From a\n>From b\n", true, false),
            ("From a\n\n", false, false),
            ("From a\nsee b\n", false, false),
            ("From a\n", false, false),
            ("From \nA: b\nC: d\n", true, true),
            (&one, true, false),
            (&two, true, true),
            (git, false, false),
            ("Fromage\nA: b\n", false, false),
        ] {
            for (empty, wanted) in [(true, after_empty), (false, without)] {
                let mbox = Mbox::default();
                let answer = mbox.begins(text.as_bytes(), true, || empty);
                assert_eq!(answer, Some(wanted), "{text} {empty}");
                for len in 0..text.len() {
                    let part = mbox.begins(&text.as_bytes()[..len], false, || empty);
                    assert!(part.is_none() || part == answer, "{text} at {len}");
                }
            }
        }
        assert_eq!(
            Mbox::of(git.as_bytes()).begins(git.as_bytes(), true, || true),
            Some(true)
        );
    }
}
