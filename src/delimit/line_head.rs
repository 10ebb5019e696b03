//! The beginning of the line that holds an offset: its leader (W5) and its header of syslog
//! (I26) are read there. A text may begin inside a line; `LineHead` says how.

use crate::item::LineHead;
use crate::syntax::{steps, syslog};
use std::borrow::Cow;

/// The number of bytes of a line that count as its beginning: no fold reaches further, and
/// messages of syslog are rarely longer.
pub(crate) const HEAD_MAX: usize = 8192;

/// Returns the part before `at` of the line that `text[at]` belongs to, at most
/// [`HEAD_MAX`] bytes, and whether it is the whole part.
pub(super) fn head_of<'t>(
    text: &'t [u8],
    at: usize,
    before: LineHead<'t>,
) -> (Cow<'t, [u8]>, bool) {
    let line = &text[..at];
    let start = memchr::memrchr3(b'\n', b'\r', 0x0C, line).map(|last| last + 1);
    steps::count(at - start.unwrap_or(0));
    let cut = |line: &'t [u8]| &line[..line.len().min(HEAD_MAX)];
    match start {
        Some(start) => (Cow::Borrowed(cut(&line[start..])), at - start < HEAD_MAX),
        None if !before.open => (Cow::Borrowed(before.text), false),
        None if before.text.is_empty() => (Cow::Borrowed(cut(line)), at < HEAD_MAX),
        None => {
            let len = before.text.len() + at;
            let mut head = before.text.to_vec();
            head.extend_from_slice(&line[..at.min(HEAD_MAX.saturating_sub(head.len()))]);
            (Cow::Owned(head), len < HEAD_MAX)
        }
    }
}

/// Returns the beginning of the line that `text[at]` belongs to, for the next piece of the
/// text.
pub(crate) fn head_at(text: &[u8], at: usize, before: LineHead) -> (Vec<u8>, bool) {
    let (head, open) = head_of(text, at, before);
    (head.into_owned(), open)
}

/// I26: returns the value of the `#000` at the start of `rest`, a control character in octal
/// digits as daemons of syslog write it, and whether more text might change the answer.
fn control(rest: &[u8]) -> (bool, bool) {
    match rest {
        [b'#', b'0', b'0'..=b'3', b'0'..=b'7', ..] | [b'#', b'1', b'7', b'7', ..] => (true, false),
        [b'#'] | [b'#', b'0' | b'1'] | [b'#', b'0', b'0'..=b'3'] | [b'#', b'1', b'7'] => {
            (false, true)
        }
        _ => (false, false),
    }
}

/// I26: returns whether the `#` at `at` begins a control character in a line of syslog, and
/// whether more text might change the answer.
pub(super) fn is_control_of_syslog(text: &[u8], at: usize, before: LineHead) -> (bool, bool) {
    let (is_control, touched_end) = control(&text[at..]);
    if !is_control && !touched_end {
        return (false, false);
    }
    // The line is searched only as far as it counts, so that the time stays bounded.
    let from = at.saturating_sub(HEAD_MAX);
    let sight = &text[from..at];
    let line = match memchr::memrchr3(b'\n', b'\r', 0x0C, sight) {
        Some(last) => Cow::Borrowed(&sight[last + 1..]),
        None if from > 0 || !before.open || before.text.len() + at > HEAD_MAX => {
            return (false, false);
        }
        None => head_of(text, at, before).0,
    };
    steps::count(line.len());
    let header = syslog::header(&line);
    let counts = header.is_some_and(|header| header.escapes_controls());
    (is_control && counts, touched_end && counts)
}

/// Returns whether the `#` at `at` may begin a control character of I26.
#[inline(always)]
pub(super) fn may_be_control(text: &[u8], at: usize) -> bool {
    matches!(text.get(at + 1), None | Some(b'0' | b'1')) && control(&text[at..]) != (false, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_grow_over_the_pieces_of_a_line() {
        let half = LineHead {
            text: b"> ",
            open: true,
        };
        assert_eq!(head_at(b"x\n> > ", 6, half), (b"> > ".to_vec(), true));
        assert_eq!(head_at(b"x", 1, half), (b"> x".to_vec(), true));
        assert_eq!(head_at(b"> ", 2, half), (b"> > ".to_vec(), true));
        let closed = LineHead {
            open: false,
            ..half
        };
        assert_eq!(head_at(b"> ", 2, closed), (b"> ".to_vec(), false));
        let long = [b'x'; HEAD_MAX + 1];
        for (len, open) in [
            (HEAD_MAX - 3, true),
            (HEAD_MAX - 2, false),
            (HEAD_MAX, false),
        ] {
            let (head, is_open) = head_at(&long, len, half);
            assert_eq!(
                (head.len(), is_open),
                ((2 + len).min(HEAD_MAX), open),
                "{len}"
            );
        }
        assert!(!head_at(&long, HEAD_MAX, LineHead::EMPTY).1);
    }

    #[test]
    fn controls_in_lines_of_syslog() {
        let head = "<13>Oct  5 01:43:14 h app: ";
        let judge = |text: &str, before: LineHead| {
            let at = text.find('#').unwrap();
            is_control_of_syslog(text.as_bytes(), at, before)
        };
        for (rest, found) in [
            ("#000", (true, false)),
            ("#012x", (true, false)),
            ("#037", (true, false)),
            ("#177", (true, false)),
            ("#040", (false, false)),
            ("#176", (false, false)),
            ("#08", (false, false)),
            ("#01", (false, true)),
            ("#", (false, true)),
            ("#a", (false, false)),
        ] {
            assert_eq!(
                judge(&format!("{head}a{rest}"), LineHead::EMPTY),
                found,
                "{rest}"
            );
            assert_eq!(
                judge(&format!("a{rest}"), LineHead::EMPTY),
                (false, false),
                "{rest}"
            );
            let open = LineHead {
                text: head.as_bytes(),
                open: true,
            };
            assert_eq!(judge(&format!("a{rest}"), open), found, "{rest}");
            let closed = LineHead {
                open: false,
                ..open
            };
            assert_eq!(judge(&format!("a{rest}"), closed), (false, false), "{rest}");
            assert_eq!(judge(&format!("\na{rest}"), open), (false, false), "{rest}");
        }
        let long = format!("{head}{}", "x".repeat(HEAD_MAX - head.len()));
        assert_eq!(
            judge(&format!("{long}#012"), LineHead::EMPTY),
            (true, false)
        );
        assert_eq!(
            judge(&format!("{long}x#012"), LineHead::EMPTY),
            (false, false)
        );
    }
}
