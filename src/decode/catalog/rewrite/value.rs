//! The bytes of a value that is changed. The common start and the common end of the old
//! text and the new one keep their bytes; the text between is written in the form of the
//! value. The result is read again, and returned only if it is the new text.

use super::super::text::{TextForm, TextReader, content_parts};
use super::refusal::RewriteRefusal;
use super::sets::{Marc8Writer, SetState, iso_5426};
use crate::item::OffsetMap;
use std::ops::Range;

/// The place of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValuePlace<'v> {
    pub form: TextForm,
    /// The bytes of the text.
    pub raw: &'v [u8],
    /// The quotes around the value of an attribute.
    pub quote: Option<u8>,
    /// Whether a blank is written as `\`, as in fields without subfields of `.mrk`.
    pub is_slashed: bool,
    /// Whether the value is the text of a cell, which may have control characters.
    pub is_cell: bool,
}

/// A way to write a new text.
#[derive(Clone, Copy, Debug)]
struct WriteWay {
    /// Whether the common start and end keep their bytes.
    keeps: bool,
    /// Whether every character outside ASCII becomes a reference by its number.
    by_number: bool,
}

/// The ways in their order: a later one is taken where an earlier one is not read as the
/// new text.
const WAYS: [WriteWay; 4] = [
    WriteWay {
        keeps: true,
        by_number: false,
    },
    WriteWay {
        keeps: true,
        by_number: true,
    },
    WriteWay {
        keeps: false,
        by_number: false,
    },
    WriteWay {
        keeps: false,
        by_number: true,
    },
];

/// Returns the bytes that `place` has when its text `old` becomes `new`, which is in
/// normalization form C.
pub(super) fn rewritten(
    texts: &mut TextReader,
    place: ValuePlace,
    new: &str,
) -> Result<Vec<u8>, RewriteRefusal> {
    let (mut old, mut map) = (Vec::new(), OffsetMap::IDENTITY);
    if texts
        .read(place.form, place.raw, &mut old, Some(&mut map))
        .is_plain
    {
        old.extend_from_slice(place.raw);
    }
    if place.is_slashed {
        old.iter_mut().for_each(|byte| *byte = unslashed(*byte));
    }
    if let Some(char) = new.chars().find(|&char| is_refused(place, char)) {
        return Err(RewriteRefusal::Unwritable(char));
    }
    if place.form == TextForm::Xml && content_parts(place.raw).any(|part| part.is_tag) {
        return Err(RewriteRefusal::Markup);
    }
    let old = String::from_utf8_lossy(&old).into_owned();
    let kept = kept((&old, place.raw.len()), new, &map);
    let is_xml = place.form == TextForm::Xml;
    for way in WAYS {
        if way.by_number && !is_xml || way.keeps && is_xml && place.raw.contains(&b'<') {
            continue;
        }
        let (middle, raw) = match way.keeps {
            true => (kept.middle.clone(), kept.raw.clone()),
            false => (0..new.len(), 0..place.raw.len()),
        };
        let is_kept = |char: char| char != char::REPLACEMENT_CHARACTER;
        if !new[middle.clone()].chars().all(is_kept) {
            return Err(RewriteRefusal::Unwritable(char::REPLACEMENT_CHARACTER));
        }
        let (head, tail) = (&place.raw[..raw.start], &place.raw[raw.end..]);
        let written = written(texts, place, (&new[middle], way), (head, raw.end))
            .map_err(RewriteRefusal::Unwritable)?;
        let bytes = [head, &written, tail].concat();
        if is_read_as(texts, place, &bytes, new) {
            return Ok(bytes);
        }
    }
    Err(RewriteRefusal::Misread)
}

/// Whether `bytes` are read as `text`.
fn is_read_as(texts: &mut TextReader, place: ValuePlace, bytes: &[u8], text: &str) -> bool {
    let mut read = Vec::new();
    if texts.read(place.form, bytes, &mut read, None).is_plain {
        read.extend_from_slice(bytes);
    }
    if place.is_slashed {
        read.iter_mut().for_each(|byte| *byte = unslashed(*byte));
    }
    read == text.as_bytes()
}

fn unslashed(byte: u8) -> u8 {
    if byte == b'\\' { b' ' } else { byte }
}

/// The changed part of a text: the part of the new text, and the bytes that it
/// replaces.
#[derive(Clone, Debug)]
struct KeptParts {
    middle: Range<usize>,
    raw: Range<usize>,
}

/// Returns the part of `new` that differs from `old`, and the bytes of that part of `old`,
/// to which `map` leads. A unit of the map is never divided.
fn kept((old, raw_len): (&str, usize), new: &str, map: &OffsetMap) -> KeptParts {
    let same = |pair: &((usize, char), char)| pair.0.1 == pair.1;
    let head_len = |(at, char): (usize, char)| at + char.len_utf8();
    let pairs = old.char_indices().zip(new.chars());
    let head = pairs.take_while(same).last();
    let head = head.map_or(0, |(found, _)| head_len(found));
    let rest = (&old[head..], &new[head..]);
    let pairs = rest.0.chars().rev().zip(rest.1.chars().rev());
    let tail: usize = pairs
        .take_while(|(one, other)| one == other)
        .map(|(char, _)| char.len_utf8())
        .sum();
    let mut places = map.places(old.as_bytes());
    let spans: Vec<(usize, Range<usize>)> = old
        .char_indices()
        .map(|(at, char)| {
            let (from, len) = places.span(at..at + char.len_utf8());
            (at, from as usize..(from + len) as usize)
        })
        .collect();
    // The characters before which no unit continues.
    let is_boundary = |number: usize| match (number.checked_sub(1), spans.get(number)) {
        (Some(before), Some((_, span))) => spans[before].1.end <= span.start,
        _ => true,
    };
    let number_at = |offset: usize| spans.partition_point(|(at, _)| *at < offset);
    let mut first = number_at(head);
    while !is_boundary(first) {
        first -= 1;
    }
    let mut last = number_at(old.len() - tail);
    while !is_boundary(last) {
        last += 1;
    }
    let at = |number: usize| spans.get(number).map_or(old.len(), |(at, _)| *at);
    let end = old.len() - at(last);
    let raw_from = match first.checked_sub(1) {
        Some(before) => spans[before].1.end,
        None => 0,
    };
    let raw_to = spans.get(last).map(|(_, span)| span.start);
    KeptParts {
        middle: at(first)..new.len() - end,
        raw: raw_from..raw_to.unwrap_or(raw_len),
    }
}

/// Returns the bytes of `text` between `head` and the bytes from `end` on, or the first
/// character that cannot be written.
fn written(
    texts: &mut TextReader,
    place: ValuePlace,
    (text, way): (&str, WriteWay),
    (head, end): (&[u8], usize),
) -> Result<Vec<u8>, char> {
    match place.form {
        TextForm::Utf8 => Ok(text.as_bytes().to_vec()),
        TextForm::Ascii => match text.chars().find(|char| !char.is_ascii()) {
            Some(char) => Err(char),
            None => Ok(text.as_bytes().to_vec()),
        },
        TextForm::Marc8 => {
            let goes_on = end < place.raw.len();
            let after = match goes_on {
                true => SetState::after(&place.raw[..end]),
                false => SetState::DEFAULT,
            };
            Marc8Writer::new(place.raw, SetState::after(head)).write(text, after)
        }
        TextForm::Iso5426 => iso_5426(text),
        TextForm::Mrk => Ok(mnemonics(text, place.is_slashed)),
        TextForm::Doubled(sign) => {
            let sign = char::from(sign);
            Ok(text.replace(sign, &format!("{sign}{sign}")).into_bytes())
        }
        TextForm::Xml | TextForm::XmlSource => Ok(xml(texts, text, place.quote, way.by_number)),
    }
}

/// Writes the characters that have a meaning in `.mrk` as mnemonics.
fn mnemonics(text: &str, is_slashed: bool) -> Vec<u8> {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '$' => out.push_str("{dollar}"),
            '{' => out.push_str("{lcub}"),
            '}' => out.push_str("{rcub}"),
            '\\' => out.push_str("{bsol}"),
            ' ' if is_slashed => out.push('\\'),
            _ => out.push(char),
        }
    }
    out.into_bytes()
}

/// Writes `text` as the content of an element, or between these quotes.
fn xml(texts: &mut TextReader, text: &str, quote: Option<u8>, by_number: bool) -> Vec<u8> {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' if quote.is_some() => out.push_str("&quot;"),
            '\'' if quote.is_some() => out.push_str("&#39;"),
            '\r' => out.push_str("&#13;"),
            '\t' | '\n' if quote.is_some() => out += &format!("&#{};", char as u32),
            _ if by_number && !char.is_ascii() => out += &format!("&#{};", char as u32),
            _ => out.push(char),
        }
    }
    texts.maker().converter().written(&out).into_owned()
}

/// Whether a character may not be in a value.
fn is_refused(place: ValuePlace, char: char) -> bool {
    match place.form {
        _ if place.is_cell => false,
        TextForm::Xml | TextForm::XmlSource => {
            char < ' ' && !matches!(char, '\t' | '\n' | '\r')
                || matches!(char, '\u{FFFE}' | '\u{FFFF}')
        }
        _ => char < ' ' || char == '\u{7F}',
    }
}
