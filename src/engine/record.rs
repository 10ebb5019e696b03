//! A finding as bytes, to be kept beside its key until the input ends: the first
//! occurrence of a counted class, or one that is to be sorted.

use crate::dedup::Entry;
use crate::item::{Content, Finding, Marks, Place, Problem, Problems, Warc, Wrapper};

const WRAPPERS: [Wrapper; 9] = [
    Wrapper::None,
    Wrapper::Angle,
    Wrapper::DoubleQuote,
    Wrapper::Quote,
    Wrapper::Paren,
    Wrapper::Bracket,
    Wrapper::Brace,
    Wrapper::Attribute,
    Wrapper::Field,
];

const URL_PREFIX: u8 = 1;
const HYPHEN_BREAK: u8 = 2;
const ABBREVIATED: u8 = 4;
const HAS_ORIGINAL: u8 = 8;
const HAS_PLACE: u8 = 16;
const HAS_WARC: u8 = 32;
const NO_URI: u8 = 64;
const HAS_ALTERNATIVE: u8 = 128;

/// Appends the record of `finding`: marks, input, offset, length, and where they
/// are there and differ from the key, its place, its record in a web archive, its
/// alternative and its original spelling. Numbers take as many bytes as they need: there may be
/// a record for every key.
pub(super) fn write(finding: &Finding, out: &mut Vec<u8>) {
    let marks = &finding.marks;
    let has_original = finding.original != finding.uri;
    let flags = [
        (URL_PREFIX, marks.url_prefix),
        (HYPHEN_BREAK, marks.hyphen_break),
        (ABBREVIATED, marks.abbreviated),
        (HAS_ORIGINAL, has_original),
        (HAS_PLACE, finding.place.is_some()),
        (HAS_WARC, finding.warc.is_some()),
        (HAS_ALTERNATIVE, finding.alternative.is_some()),
        (NO_URI, marks.content == Content::NoUri),
    ];
    let flags = flags.iter().filter(|flag| flag.1).map(|flag| flag.0).sum();
    let wrapper = WRAPPERS.iter().position(|&w| w == marks.wrapper);
    let problems = Problem::ALL.iter().enumerate();
    let problems: u32 = problems
        .map(|(bit, &p)| u32::from(marks.problems.has(p)) << bit)
        .sum();
    out.extend_from_slice(&[wrapper.unwrap_or(0) as u8, flags, marks.wrapped]);
    put(u64::from(problems), out);
    put(finding.input as u64, out);
    put(finding.offset, out);
    put(finding.length, out);
    if let Some(place) = finding.place {
        put(place.line, out);
        put(place.column, out);
    }
    if let Some(warc) = &finding.warc {
        put(warc.number, out);
        put(warc.offset, out);
        for text in [warc.record_id, warc.kind, warc.date, warc.target_uri] {
            put(text.len() as u64, out);
            out.extend_from_slice(text);
        }
    }
    if let Some(alternative) = finding.alternative {
        put(alternative.len() as u64, out);
        out.extend_from_slice(alternative);
    }
    if has_original {
        out.extend_from_slice(finding.original);
    }
}

/// Reads a record of [`write()`] back, together with the key and the count beside it.
pub(super) fn read<'r>(entry: &Entry<'r>) -> Finding<'r> {
    let mut rest = entry.record;
    let (head, tail) = rest.split_first_chunk().unwrap_or((&[0; 3], &[]));
    let &[wrapper, flags, wrapped] = head;
    rest = tail;
    let bits = take(&mut rest);
    let input = take(&mut rest);
    let (offset, length) = (take(&mut rest), take(&mut rest));
    let mut problems = Problems::NONE;
    for (bit, &problem) in Problem::ALL.iter().enumerate() {
        if bits >> bit & 1 == 1 {
            problems |= problem;
        }
    }
    let place = (flags & HAS_PLACE != 0).then(|| Place {
        line: take(&mut rest),
        column: take(&mut rest),
    });
    let warc = (flags & HAS_WARC != 0).then(|| Warc {
        number: take(&mut rest),
        offset: take(&mut rest),
        record_id: take_text(&mut rest),
        kind: take_text(&mut rest),
        date: take_text(&mut rest),
        target_uri: take_text(&mut rest),
    });
    let alternative = (flags & HAS_ALTERNATIVE != 0).then(|| take_text(&mut rest));
    Finding {
        uri: entry.key,
        original: if flags & HAS_ORIGINAL != 0 {
            rest
        } else {
            entry.key
        },
        input: input as usize,
        offset,
        length,
        place,
        marks: Marks {
            wrapper: WRAPPERS.get(wrapper as usize).copied().unwrap_or_default(),
            url_prefix: flags & URL_PREFIX != 0,
            hyphen_break: flags & HYPHEN_BREAK != 0,
            abbreviated: flags & ABBREVIATED != 0,
            wrapped,
            problems,
            // A header is no class.
            content: match flags & NO_URI {
                0 => Content::Uri,
                _ => Content::NoUri,
            },
        },
        count: Some(entry.count),
        alternative,
        warc,
    }
}

/// Writes `number` in base 128, low digits first.
fn put(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Reads a number back; 0 where a record is too short, which none is that
/// [`write()`] made.
fn take(rest: &mut &[u8]) -> u64 {
    let (mut number, mut shift) = (0, 0);
    while let Some((&byte, tail)) = rest.split_first() {
        *rest = tail;
        number |= u64::from(byte & 0x7F).checked_shl(shift).unwrap_or(0);
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    number
}

fn take_text<'r>(rest: &mut &'r [u8]) -> &'r [u8] {
    let len = usize::try_from(take(rest)).unwrap_or(usize::MAX);
    let (text, tail) = rest.split_at(len.min(rest.len()));
    *rest = tail;
    text
}

const _: () = assert!(Problem::ALL.len() <= 32);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        for (at, &wrapper) in WRAPPERS.iter().enumerate() {
            let mut problems = Problems::from(Problem::NestedLimit);
            problems |= Problem::ALL[at % Problem::ALL.len()];
            let finding = Finding {
                uri: b"http://a/",
                original: if at % 2 == 0 {
                    b"HTTP://a/"
                } else {
                    b"http://a/"
                },
                input: at,
                offset: 1 << 40,
                length: 9,
                place: (at % 3 == 1).then_some(Place { line: 7, column: 8 }),
                marks: Marks {
                    wrapper,
                    url_prefix: at % 2 == 0,
                    wrapped: at as u8,
                    hyphen_break: at % 3 == 0,
                    abbreviated: at % 4 == 0,
                    problems,
                    content: match at % 5 {
                        0 => Content::NoUri,
                        _ => Content::Uri,
                    },
                },
                count: Some(7),
                alternative: (at % 2 == 1).then_some(b"http://b/"),
                warc: (at % 3 == 2).then_some(Warc {
                    number: 1,
                    offset: 2,
                    record_id: b"urn:uuid:0",
                    kind: b"response",
                    date: b"",
                    target_uri: b"http://a/",
                }),
            };
            let mut record = Vec::new();
            write(&finding, &mut record);
            let entry = Entry {
                key: finding.uri,
                record: &record,
                count: 7,
            };
            assert_eq!(read(&entry), finding);
        }
    }
}
