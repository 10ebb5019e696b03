//! The fast path: proves, in one pass over raw bytes, where a plain hierarchical
//! candidate ends. Whatever it meets that a rule may have a say in, it gives the
//! candidate up, and `walk` decides.

use super::start::{self, Form, Opener};
use crate::syntax::class::{DIGIT, URI};
use crate::syntax::{scheme, steps};

/// What the fast path proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quick {
    /// The candidate is its raw bytes.
    Plain(Plain),
    /// The candidate is none.
    Void,
}

/// A candidate that is its raw bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Plain {
    /// Raw offset of its end, before trimming.
    pub end: usize,
    /// The wrapper's closer stands there.
    pub closed: bool,
    /// There is a "%" in it.
    pub has_percent: bool,
}

/// What a byte means to the fast path.
const PLAIN: u8 = 0;
/// It belongs to the candidate, but something must be noted or looked at first.
const SOFT: u8 = 1;
/// The candidate ends here, or the fast path does.
const HARD: u8 = 2;

static MEANING: [u8; 256] = meaning();

const fn meaning() -> [u8; 256] {
    let mut table = [HARD; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            b'%' | b'&' | b',' | b';' | b'\'' => SOFT,
            b'(' | b')' | b'[' | b']' | b'$' => HARD,
            plain if URI.has(plain) => PLAIN,
            _ => HARD,
        };
        byte += 1;
    }
    table
}

/// Looks from the colon of `scheme:` on. `longest` is the raw offset that the
/// candidate must not go beyond.
pub(super) fn quick(
    text: &[u8],
    colon: usize,
    opener: Option<Opener>,
    longest: usize,
) -> Option<Quick> {
    let rest = text.get(colon..)?.strip_prefix(b"://")?;
    if !rest.first()?.is_ascii_alphanumeric() {
        return None;
    }
    let host = &rest[..host_len(rest)];
    let mut at = colon + 3 + host.len();
    if text.get(at) == Some(&b':') {
        if text.get(at + 1..at + 3)? == b"//"
            && start::scheme_in(host, host.len()) == Some(0)
            && scheme::find(host).is_some()
        {
            return Some(Quick::Void); // B9: nothing is left of the host.
        }
        let digits = text[at + 1..].iter().take_while(|&&b| DIGIT.has(b)).count();
        if digits == 0 {
            return None;
        }
        steps::count(digits);
        at += 1 + digits;
    }
    let mut has_percent = false;
    if matches!(text.get(at)?, b'/' | b'?' | b'#') {
        loop {
            at += plain_len(&text[at..]);
            let byte = *text.get(at)?;
            match MEANING[byte as usize] {
                SOFT => match (byte, *text.get(at + 1)?) {
                    (b'%', _) => has_percent = true,
                    (b'&', b'#' | b'a' | b'g' | b'l' | b'n' | b'q' | b'r') => return None,
                    (b',' | b';', next) if next.is_ascii_alphabetic() => return None,
                    (b'\'', _) if matches!(opener, Some(o) if o.char == '\'') => break,
                    _ => {}
                },
                _ => break,
            }
            at += 1;
        }
    }
    if at > longest {
        return None;
    }
    let last = text[at];
    let closed = match opener {
        Some(o) if o.form == Form::Raw && last.is_ascii() && o.closer == last as char => true,
        // W4: whitespace may be a fold.
        Some(o) if matches!(o.char, '<' | '"') && last.is_ascii_whitespace() => return None,
        Some(o) if o.char == '(' && may_break(text, at) => return None,
        // B2: it may belong to a SICI.
        _ if last == b'<' && text.get(at + 1)?.is_ascii_digit() => return None,
        _ if ends_bare(last) => false,
        _ => return None,
    };
    Some(Quick::Plain(Plain {
        end: at,
        closed,
        has_percent,
    }))
}

/// W4: whether the whitespace at `at` may hold a line break.
fn may_break(text: &[u8], at: usize) -> bool {
    let next = text[at..].iter().find(|&&b| b != b' ' && b != b'\t');
    matches!(next, None | Some(b'\n' | b'\r' | 0x0C))
}

/// How many plain bytes `text` begins with. Eight at a time: the look-ups do not
/// wait for each other.
fn plain_len(text: &[u8]) -> usize {
    let meaning = |&byte: &u8| MEANING[byte as usize];
    let mut len = 0;
    for bytes in text.chunks_exact(8) {
        if bytes.iter().map(meaning).fold(PLAIN, |all, one| all | one) != PLAIN {
            break;
        }
        len += 8;
    }
    len += text[len..]
        .iter()
        .take_while(|b| meaning(b) == PLAIN)
        .count();
    steps::count(len);
    len
}

/// Letters, digits, dots and hyphens.
fn host_len(rest: &[u8]) -> usize {
    let is_host = |&&b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-');
    let len = rest.iter().take_while(is_host).count();
    steps::count(len);
    len
}

/// Whether `byte` ends every bare candidate and tells nothing of it.
fn ends_bare(byte: u8) -> bool {
    matches!(byte, 0..=0x20 | 0x7F | b'"' | b'<' | b'>')
}
