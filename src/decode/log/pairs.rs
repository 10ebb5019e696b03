//! Lines of pairs of names and values (G3): LTSV, logfmt, CEF, LEEF.

use super::quoting::ValueQuoting;
use super::shape::LogShape;
use super::stated::LineValues;
use std::ops::Range;

/// The least number of pairs of a line.
const PAIRS_LEAST: usize = 3;

/// The number of fields before the pairs of CEF and LEEF 1.0, with the version.
const HEADER_FIELDS: usize = 7;

/// Reads a line of pairs into `stated`.
pub(super) fn read(line: &[u8], stated: &mut LineValues) -> Option<LogShape> {
    if line.starts_with(b"CEF:") {
        return cef(line, stated);
    }
    if line.starts_with(b"LEEF:") {
        return leef(line, stated);
    }
    let name = line.iter().take_while(|byte| is_of_name(**byte)).count();
    match line.get(name) {
        Some(b':') if name > 0 => ltsv(line, stated),
        Some(b'=') if name > 0 => logfmt(line, stated),
        _ => None,
    }
}

fn is_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'@')
}

/// `label:value`, separated by tabs.
fn ltsv(line: &[u8], stated: &mut LineValues) -> Option<LogShape> {
    memchr::memchr(b'\t', line)?;
    let (mut at, mut count) = (0, 0);
    stated.host_is_client = true;
    for field in line.split(|byte| *byte == b'\t') {
        let range = at..at + field.len();
        at = range.end + 1;
        let name = field.iter().take_while(|byte| is_of_name(**byte)).count();
        if name > 0 && field.get(name) == Some(&b':') {
            count += 1;
            let value = range.start + name + 1..range.end;
            stated.add(line, &field[..name], (value, ValueQuoting::None));
        }
    }
    (count >= PAIRS_LEAST).then_some(LogShape::Ltsv)
}

/// `key=value`, separated by blanks; a value may be quoted.
fn logfmt(line: &[u8], stated: &mut LineValues) -> Option<LogShape> {
    let (mut at, mut count) = (0, 0);
    while at < line.len() {
        if line[at] == b' ' {
            at += 1;
            continue;
        }
        let name = line[at..]
            .iter()
            .take_while(|byte| is_of_name(**byte))
            .count();
        let key = at..at + name;
        if name == 0 || line.get(key.end) != Some(&b'=') {
            let len = memchr::memchr(b' ', &line[at..]);
            at = len.map_or(line.len(), |len| at + len);
            continue;
        }
        let start = key.end + 1;
        let value = match line.get(start) {
            Some(b'"') => {
                let len = end_of_string(&line[start + 1..])?;
                at = start + len + 2;
                (start + 1..start + 1 + len, ValueQuoting::Backslash)
            }
            _ => {
                let len = memchr::memchr(b' ', &line[start..]);
                at = len.map_or(line.len(), |len| start + len);
                (start..at, ValueQuoting::None)
            }
        };
        count += 1;
        stated.add(line, &line[key], value);
    }
    (count >= PAIRS_LEAST).then_some(LogShape::Logfmt)
}

/// Returns the length of the text before the quotation mark that ends it.
fn end_of_string(text: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', &text[at..])?;
        if text[at] == b'"' {
            return Some(at);
        }
        at += 2;
        if at > text.len() {
            return None;
        }
    }
}

/// Returns the place behind this number of fields that `|` ends.
fn behind_fields(line: &[u8], count: usize) -> Option<usize> {
    let mut at = 0;
    for _ in 0..count {
        loop {
            at += memchr::memchr2(b'|', b'\\', line.get(at..)?)?;
            if line[at] == b'|' {
                break;
            }
            at += 2;
        }
        at += 1;
    }
    Some(at)
}

/// `CEF:d|`, six fields, and `key=value` with blanks in values.
fn cef(line: &[u8], stated: &mut LineValues) -> Option<LogShape> {
    if !line.get(4)?.is_ascii_digit() {
        return None;
    }
    let mut key = next_key(line, behind_fields(line, HEADER_FIELDS)?);
    while let Some(name) = key {
        let start = name.end + 1;
        key = next_key(line, start);
        // The blank before the next key ends the value.
        let end = key.as_ref().map_or(line.len(), |next| next.start - 1);
        let value = start..end.max(start);
        stated.add(line, &line[name], (value, ValueQuoting::Backslash));
    }
    Some(LogShape::Cef)
}

/// Returns the next key at or after `at`: a name before `=`, at `at` or behind a blank.
fn next_key(line: &[u8], at: usize) -> Option<Range<usize>> {
    let mut from = at;
    loop {
        let equals = from + memchr::memchr(b'=', line.get(from..)?)?;
        let name = line[at..equals].iter().rev();
        let name = name.take_while(|byte| is_of_name(**byte)).count();
        let start = equals - name;
        if name > 0 && (start == at || line[start - 1] == b' ') {
            return Some(start..equals);
        }
        from = equals + 1;
    }
}

/// `LEEF:1.0|`, four fields and pairs by tab, else `|`; of 2.0 the fifth field says which byte
/// separates the pairs.
fn leef(line: &[u8], stated: &mut LineValues) -> Option<LogShape> {
    let is_second = line.starts_with(b"LEEF:2");
    let start = behind_fields(line, 5)?;
    let (start, separator) = match is_second {
        true => {
            let end = behind_fields(line, 6)?;
            let stated = &line[start..end - 1];
            (end, separator(stated)?)
        }
        false => match memchr::memchr(b'\t', &line[start..]) {
            Some(_) => (start, b'\t'),
            None => (start, b'|'),
        },
    };
    let mut at = start;
    for pair in line[start..].split(|byte| *byte == separator) {
        let range = at..at + pair.len();
        at = range.end + 1;
        if let Some(name) = memchr::memchr(b'=', pair) {
            let value = range.start + name + 1..range.end;
            stated.add(line, &pair[..name], (value, ValueQuoting::Backslash));
        }
    }
    Some(LogShape::Leef)
}

/// Reads the separator of LEEF 2.0: a character, or its number as `x5E` or `0x5E`.
fn separator(text: &[u8]) -> Option<u8> {
    match text {
        [] => Some(b'\t'),
        [byte] => Some(*byte),
        _ => {
            let digits = text.strip_prefix(b"0x").or(text.strip_prefix(b"x"))?;
            let digits = std::str::from_utf8(digits).ok()?;
            u8::from_str_radix(digits, 16).ok()
        }
    }
}
