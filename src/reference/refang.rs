//! Defanged URIs (R1): the marks are replaced one after the other, and offsets of the
//! results are mapped back to the input.

use super::{Extraction, Options, plain};

/// The marks, and the replacement of each of their pieces.
const MARKS: [(&str, &[(usize, u8)]); 5] = [
    ("[.]", &[(3, b'.')]),
    ("(.)", &[(3, b'.')]),
    ("[dot]", &[(5, b'.')]),
    ("[:]", &[(3, b':')]),
    ("[://]", &[(2, b':'), (1, b'/'), (2, b'/')]),
];

/// Extracts from `input` with its marks replaced.
pub(super) fn extract(input: &[u8], options: &Options) -> Extraction {
    // The start and end in the input of each byte that is read.
    let mut read: Vec<(u8, usize, usize)> = Vec::new();
    let mut at = 0;
    while at < input.len() {
        let rest = &input[at..];
        let mark = MARKS.iter().find(|(mark, _)| starts(rest, mark));
        if let Some((_, pieces)) = mark {
            for &(len, byte) in *pieces {
                read.push((byte, at, at + len));
                at += len;
            }
        } else if let Some(scheme) = ["hxxp", "hxxps"].into_iter().find(|name| {
            let ends = |colon: &str| starts(&rest[name.len()..], colon);
            starts(rest, name) && [":", "\\", "[:"].into_iter().any(ends)
        }) {
            for (i, &byte) in rest[..scheme.len()].iter().enumerate() {
                let byte = if matches!(i, 1 | 2) { b't' } else { byte };
                read.push((byte, at + i, at + i + 1));
            }
            at += scheme.len();
        } else {
            read.push((input[at], at, at + 1));
            at += 1;
        }
    }
    let text: Vec<u8> = read.iter().map(|&(byte, _, _)| byte).collect();
    let raw = |at: usize| read.get(at).map_or(input.len(), |&(_, from, _)| from);
    let mut extraction = plain::extract(&text, options);
    for found in &mut extraction.found {
        let end = raw(found.offset + found.length);
        let written = match found.marks.identifier {
            Some(_) => std::mem::take(&mut found.original),
            None => found.text.clone(),
        };
        found.original.clear();
        let mut last = None;
        for (&byte, &place) in written.iter().zip(&found.places) {
            let (decoded, from, to) = read[place];
            let again = last.replace(place) == Some(place);
            if matches!(decoded, b'<' | b'>') {
                // B2: `<` and `>` of a SICI, which three bytes replace.
                found.original.extend((!again).then_some(decoded));
            } else if input[from..to] == [decoded] {
                found.original.push(byte);
            } else {
                found.original.extend_from_slice(&input[from..to]);
            }
        }
        found.offset = raw(found.offset);
        found.length = end - found.offset;
    }
    for start in &mut extraction.too_long {
        *start = raw(*start);
    }
    extraction
}

fn starts(text: &[u8], word: &str) -> bool {
    text.get(..word.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
}
