//! Line breaks inside a wrapper (W4), with the leader of the lines and the
//! furniture of pages (W5).

use super::start::{is_blank, is_break};

/// Returns the length of the line break at `at`: CRLF, LF, CR or form feed.
pub fn break_len(input: &[u8], at: usize) -> Option<usize> {
    match input.get(at..)? {
        [b'\r', b'\n', ..] => Some(2),
        [byte, ..] if is_break(*byte) => Some(1),
        _ => None,
    }
}

/// Returns the end of the blanks at `at`.
pub fn skip_blanks(input: &[u8], at: usize) -> usize {
    at + input[at..].iter().take_while(|&&b| is_blank(b)).count()
}

/// W5: returns the leader of the line in which the wrapper at `opener` opened.
pub fn leader(input: &[u8], opener: usize) -> Vec<u8> {
    let head = &input[..opener];
    let line = head
        .iter()
        .rposition(|&b| is_break(b))
        .map_or(0, |at| at + 1);
    let bytes = head[line..].iter().take(8192);
    let mut leader: Vec<u8> = bytes
        .take_while(|&&b| is_blank(b) || b">#/*;%|".contains(&b))
        .copied()
        .collect();
    if let Some(comment) = leader.windows(2).position(|pair| pair == b"/*") {
        leader[comment] = b' ';
    }
    leader
}

/// W5: returns the length of the leader at the start of `line`.
fn leader_len(leader: &[u8], line: &[u8]) -> usize {
    let common = leader.iter().zip(line).take_while(|(a, b)| a == b).count();
    if leader.contains(&b'>') {
        return common;
    }
    let text = &line[..common];
    let Some(last) = text.iter().rposition(|&b| !is_blank(b)) else {
        return 0;
    };
    match line.get(last + 1) {
        Some(&b) if !is_blank(b) && !is_break(b) => 0,
        _ => common,
    }
}

/// The result of removing one or more consecutive line breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fold {
    /// The offset at which the text continues.
    pub at: usize,
    /// The number of line breaks that were removed.
    pub breaks: usize,
    /// Whether a line was indented, apart from its leader.
    pub indented: bool,
}

/// Removes the line break at `at`, and with it blank lines, leaders and page furniture
/// (W4, W5). `None` when more than `most` line breaks are removed. A line that extends
/// to `limit` is not furniture.
pub fn fold(input: &[u8], at: usize, leader: &[u8], most: usize, limit: usize) -> Option<Fold> {
    let mut at = at;
    let mut breaks = 0;
    let mut footer = false;
    let mut feed_after_footer = false;
    let mut header = false;
    let mut indented = false;
    while let Some(len) = break_len(input, at) {
        breaks += 1;
        if breaks > most {
            return None;
        }
        feed_after_footer |= footer && input[at] == 0x0C;
        at += len;
        at += leader_len(leader, &input[at..]);
        indented |= skip_blanks(input, at) > at;
        at = skip_blanks(input, at);
        if break_len(input, at).is_some() {
            continue;
        }
        let Some(end) = line_end(input, at, limit) else {
            break;
        };
        if is_footer(&input[at..end]) {
            footer = true;
            at = end;
        } else if feed_after_footer && !header {
            header = true;
            at = end;
        } else {
            break;
        }
    }
    Some(Fold {
        at,
        breaks,
        indented,
    })
}

fn line_end(input: &[u8], at: usize, limit: usize) -> Option<usize> {
    let end = at + input[at..].iter().take_while(|&&b| !is_break(b)).count();
    (end < limit || end == input.len() && end <= limit).then_some(end)
}

/// W5: whether `line` ends in `[Page N]`.
fn is_footer(line: &[u8]) -> bool {
    let strip = |text: &mut &[u8], accepts: fn(u8) -> bool| {
        let before = text.len();
        while let [head @ .., last] = *text
            && accepts(*last)
        {
            *text = head;
        }
        before > text.len()
    };
    let mut text = line;
    strip(&mut text, is_blank);
    let Some(mut text) = text.strip_suffix(b"]") else {
        return false;
    };
    let roman = |b: u8| b"ivxlcdmIVXLCDM".contains(&b);
    (strip(&mut text, |b| b.is_ascii_digit()) || strip(&mut text, roman))
        && strip(&mut text, is_blank)
        && text.ends_with(b"[Page")
}
