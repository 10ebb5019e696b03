//! The smallest pieces of text: a byte, a character, a backslash escape (B5) or
//! a character reference (B4).

use super::grammar;
use crate::syntax::{class, iri};

/// The meaning of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A character.
    Char(char),
    /// A byte that is not UTF-8.
    Invalid(u8),
    /// An escape of a character that URIs may not contain: it ends every candidate.
    Ends,
    /// A backslash before a dot, as in regular expressions.
    RegexDot,
    /// A backslash that does not begin an escape.
    Unexplained,
    /// A character reference that is kept, byte for byte (B4).
    Kept,
    /// A byte in a log's field, reported as `%XX` (B5).
    Logged(u8),
    /// `<`, a digit and so on to `>` in a SICI, reported as `%3C` and `%3E` (B2).
    Sici,
    /// The rest of a template of a host, from its `{` on (I25).
    Template,
}

/// The form of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Literally.
    Raw,
    /// With a backslash.
    Escaped,
    /// As a character reference that ends or closes.
    Reference,
}

/// One piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    /// The meaning.
    pub value: Value,
    /// The form in which it is written.
    pub form: Form,
    /// The offset of its end in the input.
    pub end: usize,
}

impl Unit {
    /// Returns the character of a unit that is one, in any form.
    pub fn char(&self) -> Option<char> {
        match self.value {
            Value::Char(c) => Some(c),
            _ => None,
        }
    }

    /// Whether the unit is `c` and not written as a reference.
    pub fn is(&self, c: char) -> bool {
        self.value == Value::Char(c) && self.form != Form::Reference
    }

    /// Whether the unit is in the set of characters of a bare URI (B1, B2), except for
    /// joiners.
    pub fn in_bare_set(&self) -> bool {
        match self.char() {
            None => false,
            Some(_) if self.form == Form::Reference => false,
            Some('\'') => self.form == Form::Raw,
            Some(c) if c.is_ascii() => class::URI.has(c as u8),
            Some(c) => iri::is_bare(c),
        }
    }
}

/// The settings by which units are read at an offset.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reading {
    /// Whether `{` opened directly before the URI: then the escapes of TeX count (B5).
    pub tex: bool,
    /// Whether the offset is inside a wrapper of W1 to W3.
    pub wrapped: bool,
    /// The closer of that wrapper.
    pub closer: Option<(char, Form)>,
    /// Whether the offset is in a field of a log (B5).
    pub logged: bool,
}

impl Reading {
    /// Returns the unit at `at`; `None` at the end of the input.
    pub fn unit(&self, input: &[u8], at: usize) -> Option<Unit> {
        let first = *input.get(at)?;
        if first == b'\\' {
            return Some(match self.logged_byte(input, at) {
                Some(byte) => Unit {
                    value: Value::Logged(byte),
                    form: Form::Escaped,
                    end: at + 4,
                },
                None => backslash(input, at, self.tex),
            });
        }
        if self.tex
            && let Some([b'{', b'\\', c, b'}']) = input.get(at..at + 4)
            && TEX.contains(c)
        {
            return Some(Unit {
                value: Value::Char(*c as char),
                form: Form::Escaped,
                end: at + 4,
            });
        }
        let kept = |end| {
            let (value, form) = (Value::Kept, Form::Raw);
            Some(Unit { value, form, end })
        };
        if let Some((c, end)) = reference(input, at) {
            let form = Form::Reference;
            if self.closer == Some((c, form)) || !self.may_stay(c) {
                let value = Value::Char(c);
                return Some(Unit { value, form, end });
            }
            return kept(end);
        }
        if input[at..].starts_with(b"&amp;") {
            return kept(at + 5);
        }
        let (value, len) = match grammar::first_char(&input[at..]) {
            Some((c, len)) => (Value::Char(c), len),
            None => (Value::Invalid(first), 1),
        };
        Some(Unit {
            value,
            form: Form::Raw,
            end: at + len,
        })
    }

    /// Returns the byte of the `\xXX` at `at` that is allowed in a log's field but not
    /// in a URI (B5).
    fn logged_byte(&self, input: &[u8], at: usize) -> Option<u8> {
        let digits = input.get(at..at + 4)?.strip_prefix(b"\\x")?;
        let byte = number(digits, 16)? as u8;
        (self.logged && !class::URI.has(byte)).then_some(byte)
    }

    /// Whether a reference to `c` may be kept in the URI (B4).
    fn may_stay(&self, c: char) -> bool {
        if c.is_ascii() {
            class::URI.has(c as u8) && (self.wrapped || c != '\'')
        } else if self.wrapped {
            iri::is_wrapped(c)
        } else {
            iri::is_bare(c)
        }
    }
}

/// The characters that TeX escapes in a URI (B5).
const TEX: &[u8] = b"_%#&~$";

/// Returns the unit that begins with the backslashes at `at` (B5).
fn backslash(input: &[u8], at: usize, tex: bool) -> Unit {
    let count = backslashes(input, at);
    let next = at + count;
    let unit = |value, end| Unit {
        value,
        form: Form::Escaped,
        end,
    };
    let unexplained = unit(Value::Unexplained, next);
    if count > 4 {
        return unexplained;
    }
    match input.get(next) {
        Some(&byte @ (b'/' | b'"' | b'\'' | b'-' | b'_' | b'#' | b'=')) => {
            unit(Value::Char(byte as char), next + 1)
        }
        Some(b'u') => match hex(input, next + 1, 4) {
            Some(code) => unicode(input, next + 5, code, count),
            None => unexplained,
        },
        Some(b'x') => match hex(input, next + 1, 2) {
            Some(code @ 0..0x80) => unit(Value::Char(code as u8 as char), next + 3),
            Some(_) => unit(Value::Ends, next + 3),
            None => unexplained,
        },
        Some(&byte) if is_control_letter(byte) => unit(Value::Ends, next + 1),
        Some(b'.') => unit(Value::RegexDot, next + 1),
        Some(&byte) if tex && count == 1 && TEX.contains(&byte) => {
            unit(Value::Char(byte as char), next + 1)
        }
        _ => match of_roff(input, at) {
            Some((c, end)) => unit(Value::Char(c), end),
            None => unexplained,
        },
    }
}

/// Returns the character and the end of the escape of roff at `at` (B5).
fn of_roff(input: &[u8], at: usize) -> Option<(char, usize)> {
    let rest = &input[at + 1..];
    let (c, end) = if rest.starts_with(b"&.") {
        ('.', at + 3)
    } else if rest.starts_with(b"(ti") {
        ('~', at + 4)
    } else if rest.starts_with(b"[ti]") {
        ('~', at + 5)
    } else {
        let next = *rest.strip_prefix(b":")?.first()?;
        (char::from(next), at + 3)
    };
    if !c.is_ascii() || !class::URI.has(c as u8) {
        return None;
    }
    // The line, and of it at most 256 bytes on each side.
    let is_break = |b: &u8| matches!(b, b'\n' | b'\r' | 0x0C);
    let least = at.saturating_sub(256);
    let line = input[least..at].iter().rposition(is_break);
    let begin = line.map_or(least, |last| least + last + 1);
    let whole = line.is_some() || least == 0;
    let right = &input[end..input.len().min(end + 256)];
    let stop = end + right.iter().position(is_break).unwrap_or(right.len());
    let dotted = whole && begin < at && input[begin] == b'.';
    let other = (begin..at)
        .chain(end..stop)
        .any(|at| begins_roff(&input[at..]));
    (dotted || other).then_some((c, end))
}

/// Whether `text` begins with an escape of roff.
fn begins_roff(text: &[u8]) -> bool {
    let Some(rest) = text.strip_prefix(b"\\") else {
        return false;
    };
    match rest {
        [b'-' | b'&' | b':' | b'|' | b'^', ..] => true,
        [b'f', font, ..] => b"BIRP([".contains(font),
        [b'(', name, ..] => name.is_ascii_alphanumeric(),
        [b'*', name, ..] => name.is_ascii_alphanumeric() || b"([".contains(name),
        [b'[', name, ..] => name.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Returns the unit of `\uXXXX` with the value `code`, which ends at `end`; surrogates
/// are paired, a lone one ends the URI (B5).
fn unicode(input: &[u8], end: usize, code: u32, count: usize) -> Unit {
    let unit = |value, end| Unit {
        value,
        form: Form::Escaped,
        end,
    };
    if let Some(c) = char::from_u32(code) {
        return unit(Value::Char(c), end);
    }
    let low_at = end + count;
    if (0xD800..0xDC00).contains(&code)
        && backslashes(input, end) == count
        && input.get(low_at) == Some(&b'u')
        && let Some(low @ 0xDC00..0xE000) = hex(input, low_at + 1, 4)
        && let Some(c) = char::from_u32(0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00))
    {
        return unit(Value::Char(c), low_at + 5);
    }
    unit(Value::Ends, end)
}

/// Returns the number of backslashes at `at`; more than five are not counted.
fn backslashes(input: &[u8], at: usize) -> usize {
    let rest = input.get(at..).unwrap_or_default();
    rest.iter().take(5).take_while(|&&b| b == b'\\').count()
}

/// Whether a backslash and `byte` are the escape of a character that URIs may not
/// contain.
pub fn is_control_letter(byte: u8) -> bool {
    b"ntrbfvae0".contains(&byte)
}

/// Returns the value of exactly `digits` hexadecimal digits at `at`.
fn hex(input: &[u8], at: usize, digits: usize) -> Option<u32> {
    number(input.get(at..at + digits)?, 16)
}

/// Returns the value of a text that consists of digits; at most eight.
fn number(text: &[u8], radix: u32) -> Option<u32> {
    if text.is_empty() || text.len() > 8 {
        return None;
    }
    let mut value = 0u32;
    for &byte in text {
        let digit = char::from(byte).to_digit(radix)?;
        value = value.checked_mul(radix)?.checked_add(digit)?;
    }
    Some(value)
}

const NAMES: [(&[u8], char); 12] = [
    (b"quot", '"'),
    (b"lt", '<'),
    (b"gt", '>'),
    (b"apos", '\''),
    (b"nbsp", '\u{A0}'),
    (b"ldquo", '“'),
    (b"rdquo", '”'),
    (b"lsquo", '‘'),
    (b"rsquo", '’'),
    (b"laquo", '«'),
    (b"raquo", '»'),
    (b"q", '"'),
];

/// Returns the character reference at `at` and its end (B4): `&` or `&amp;`, then a
/// name or a number, then `;`.
pub fn reference(input: &[u8], at: usize) -> Option<(char, usize)> {
    let rest = input.get(at..)?.strip_prefix(b"&")?;
    let rest = rest.strip_prefix(b"amp;").unwrap_or(rest);
    let start = input.len() - rest.len();
    let len = rest.iter().take(9).position(|&b| b == b';')?;
    let body = &rest[..len];
    let end = start + len + 1;
    if let Some((_, c)) = NAMES.iter().find(|(name, _)| *name == body) {
        return Some((*c, end));
    }
    let code = match body {
        [b'#', b'x' | b'X', digits @ ..] if digits.len() <= 6 => number(digits, 16)?,
        [b'#', digits @ ..] if digits.len() <= 7 => number(digits, 10)?,
        _ => return None,
    };
    Some((char::from_u32(code)?, end))
}

/// Returns the length of the colon at `at`: a raw one, or a complete escape of one. The
/// break of roff, `\:`, stands inside a URI, not before the colon of the scheme (B5).
pub fn colon_len(input: &[u8], at: usize) -> Option<usize> {
    match input.get(at)? {
        b':' => Some(1),
        b'\\' if at == 0 || input[at - 1] != b'\\' => {
            let unit = backslash(input, at, false);
            let is_colon = unit.is(':') && input.get(at + 1) != Some(&b':');
            is_colon.then_some(unit.end - at)
        }
        _ => None,
    }
}
