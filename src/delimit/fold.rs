//! Wrapped lines (W4) and their leaders (W5): where a URI continues after a line break
//! inside a wrapper.
//!
//! A fold is a loop over lines. First, the leader of the line in which the wrapper
//! opened and blanks are removed from the start of a line. Empty lines are skipped, and
//! so is page furniture: a line that ends in `[Page N]` and, when a form feed follows
//! that line, the first line after the form feed. The URI continues in the first other
//! line.

use super::line_head::head_of;
use super::read::UnitReader;
use crate::item::LineHead;
use crate::syntax::class::is_of_leader;
use crate::syntax::steps;
use std::borrow::Cow;

/// The end of a fold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fold {
    /// The URI continues at `at`, after this number of line breaks. `indented` means that
    /// blanks follow one of them.
    Content {
        at: usize,
        breaks: usize,
        indented: bool,
    },
    /// The whitespace holds no line break; the text continues at `at`.
    Blanks { at: usize },
    /// The fold exceeds the limits, or the text ends.
    Fail,
}

/// The limits of a fold.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limit {
    /// The raw offset that the inside of the wrapper may not reach.
    pub end: usize,
    /// The number of line breaks that may still be removed.
    pub breaks: usize,
    /// The raw offset that blanks before the first line break may not reach.
    pub blanks: usize,
}

/// Follows the whitespace at `at`. `leader` is called only when the leader is needed.
pub(super) fn fold<L: AsRef<[u8]>>(
    reader: &mut UnitReader,
    at: usize,
    leader: impl FnOnce() -> L,
    limit: Limit,
) -> Fold {
    let mut at = skip_blanks(reader, at, limit.blanks);
    if at >= limit.blanks {
        return Fold::Fail;
    }
    if break_len(reader, at) == 0 {
        return Fold::Blanks { at };
    }
    let leader = leader();
    let leader = leader.as_ref();
    let mut breaks = 0;
    let mut footer = false;
    let mut feed_after_footer = false;
    let mut header = false;
    let mut indented = false;
    loop {
        let len = break_len(reader, at);
        if len == 0 || at >= limit.end || breaks >= limit.breaks {
            return Fold::Fail;
        }
        feed_after_footer |= footer && reader.text[at] == 0x0C;
        at += len;
        breaks += 1;
        at += leader_len(reader, at, leader);
        let line = at;
        at = skip_blanks(reader, at, limit.end);
        indented |= at > line;
        if break_len(reader, at) > 0 {
            continue;
        }
        if matches!(reader.byte(at), None | Some(b' ' | b'\t')) {
            return Fold::Fail;
        }
        let skip_header = feed_after_footer && !header;
        match line_end(reader, at, limit) {
            Some(end) if is_footer(&reader.text[at..end]) => {
                footer = true;
                at = end;
            }
            Some(end) if skip_header => {
                header = true;
                at = end;
            }
            _ => {
                return Fold::Content {
                    at,
                    breaks,
                    indented,
                };
            }
        }
    }
}

/// Returns the length of the line break at `at`: CR LF, LF, CR or form feed (W4); 0 when
/// there is no line break.
pub(super) fn break_len(reader: &mut UnitReader, at: usize) -> usize {
    match reader.byte(at) {
        Some(b'\r') => 1 + usize::from(reader.byte(at + 1) == Some(b'\n')),
        Some(b'\n' | 0x0C) => 1,
        _ => 0,
    }
}

fn skip_blanks(reader: &mut UnitReader, mut at: usize, end: usize) -> usize {
    while at < end && matches!(reader.byte(at), Some(b' ' | b'\t')) {
        at += 1;
    }
    at
}

/// Returns the end of the line that continues at `at`, before its line break or at the end
/// of the text; `None` when the end is beyond the limit.
fn line_end(reader: &mut UnitReader, at: usize, limit: Limit) -> Option<usize> {
    let to = limit.end.min(reader.text.len());
    let rest = reader.text.get(at..to)?;
    let found = memchr::memchr3(b'\n', b'\r', 0x0C, rest);
    steps::count(found.unwrap_or(rest.len()));
    match found {
        Some(len) => Some(at + len),
        None if to == reader.text.len() => {
            reader.touched_end = true;
            Some(to)
        }
        None => None,
    }
}

/// Returns whether a line ends in `[Page N]`.
fn is_footer(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    let Some(line) = line.strip_suffix(b"]") else {
        return false;
    };
    let at = line.iter().rposition(|&b| matches!(b, b' ' | b'\t'));
    let (head, number) = line.split_at(at.map_or(0, |at| at + 1));
    is_page_number(number) && head.trim_ascii_end().ends_with(b"[Page")
}

/// Returns whether `number` is an Arabic or a Roman number.
fn is_page_number(number: &[u8]) -> bool {
    let roman = |b: &u8| b"ivxlcdm".contains(&b.to_ascii_lowercase());
    !number.is_empty() && (number.iter().all(u8::is_ascii_digit) || number.iter().all(roman))
}

/// W5: returns the number of bytes at the line start `at` that repeat `leader`.
fn leader_len(reader: &mut UnitReader, at: usize, leader: &[u8]) -> usize {
    let mut len = 0;
    while len < leader.len() && reader.byte(at + len) == Some(leader[len]) {
        len += 1;
    }
    if memchr::memchr(b'>', leader).is_some() {
        return len;
    }
    let marks = reader.text[at..at + len]
        .iter()
        .rposition(|b| !matches!(b, b' ' | b'\t'))
        .map_or(0, |last| last + 1);
    if marks == 0 {
        return 0;
    }
    let follows = reader.byte(at + marks);
    let alone = matches!(follows, None | Some(b' ' | b'\t' | b'\n' | b'\r' | 0x0C));
    if alone { len } else { 0 }
}

/// W5: returns the leader of the line of `at`, in which the wrapper opened, in the form
/// in which the next lines repeat it.
pub(super) fn leader_of<'t>(text: &'t [u8], at: usize, before: LineHead<'t>) -> Cow<'t, [u8]> {
    let (head, _) = head_of(text, at, before);
    let len = head.iter().take_while(|&&b| is_of_leader(b)).count();
    let mut leader = match head {
        Cow::Borrowed(head) => Cow::Borrowed(&head[..len]),
        Cow::Owned(mut head) => {
            head.truncate(len);
            Cow::Owned(head)
        }
    };
    if let Some(slash) = leader.windows(2).position(|pair| pair == b"/*") {
        leader.to_mut()[slash] = b' ';
    }
    leader
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(text: &str, leader: &str) -> Option<String> {
        let mut reader = UnitReader::new(text.as_bytes());
        let limit = Limit {
            end: 8192,
            breaks: 20,
            blanks: 9000,
        };
        match fold(&mut reader, 0, || leader, limit) {
            Fold::Content { at, .. } => Some(text[at..].to_owned()),
            _ => None,
        }
    }

    #[test]
    fn lines_lose_leader_and_blanks() {
        assert_eq!(after("\n  two>", ""), Some("two>".into()));
        assert_eq!(after(" \r\n\ttwo>", ""), Some("two>".into()));
        assert_eq!(after("\n> > two>", "> > "), Some("two>".into()));
        assert_eq!(after("\n> two>", "> > "), Some("two>".into()));
        assert_eq!(after("\n# two>", "# "), Some("two>".into()));
        assert_eq!(after("\n#two>", "# "), Some("#two>".into()));
        assert_eq!(after("\n * two>", " * "), Some("two>".into()));
        assert_eq!(after("\n\n  two>", ""), Some("two>".into()));
    }

    #[test]
    fn page_furniture_is_skipped() {
        let page =
            "\n\n\nSmith       Informational      [Page 3]\n\x0c\nRFC 1   Title   2000\n\n\n  two>";
        assert_eq!(after(page, ""), Some("two>".into()));
        assert_eq!(after("\x0ctwo>", ""), Some("two>".into()));
        assert_eq!(after("\n[Page y]\ntwo>", ""), Some("[Page y]\ntwo>".into()));
        assert_eq!(after("\nA [Page xii]\ntwo>", ""), Some("two>".into()));
    }

    #[test]
    fn folds_have_limits() {
        assert_eq!(after(&"\n".repeat(20), ""), None);
        assert_eq!(
            after(&format!("{}x", "\n".repeat(20)), ""),
            Some("x".into())
        );
        assert_eq!(after(&format!("{}x", "\n".repeat(21)), ""), None);
        assert_eq!(after(&format!("\n{}x", " ".repeat(9000)), ""), None);
    }

    #[test]
    fn a_comment_opener_is_repeated_as_a_star() {
        assert_eq!(&*leader_of(b"/* see <", 7, LineHead::EMPTY), b" * ");
        let half = LineHead {
            text: b"> ",
            open: true,
        };
        assert_eq!(&*leader_of(b"> see <", 6, half), b"> > ");
        let more = LineHead {
            text: b"> a ",
            open: true,
        };
        assert_eq!(&*leader_of(b"> see <", 6, more), b"> ");
        let closed = LineHead {
            open: false,
            ..half
        };
        assert_eq!(&*leader_of(b"> see <", 6, closed), b"> ");
    }

    /// W5: the leader of a line that began before the text is that of its segment.
    #[test]
    fn a_line_that_began_before_the_text_has_a_leader() {
        use crate::delimit::{Config, Delimiter, Outcome};
        use crate::item::Segment;

        let head = LineHead {
            text: b"> as in ",
            open: true,
        };
        for text in [
            &b"see <http://a.example/\n> b> c"[..],
            b"see <ht\n> tp://a.example/b> c",
        ] {
            let segment = Segment {
                head,
                ..Segment::whole(text)
            };
            let colon = memchr::memchr(b':', text).unwrap();
            let mut delimiter = Delimiter::new(Config::default());
            let outcome = delimiter.delimit(&segment, colon, 0);
            assert_eq!(outcome, Outcome::Found(text.len() - 3));
            let found = delimiter.found(&segment).next().unwrap();
            assert_eq!(found.text, b"http://a.example/b");
        }
    }
}
