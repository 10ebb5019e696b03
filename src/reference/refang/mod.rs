//! Defanged URIs (I8 to I10): the text without their marks is written byte by byte, each with
//! the bytes that it means, and offsets of the results are mapped back to the input.
//! `read` applies the rules, `scheme`, `marks` and `host` read what they are about.

mod disguise;
mod host;
mod marks;
mod read;
mod scheme;
mod state;

use super::{Extraction, Options, plain};

/// Extracts from `input` with its marks replaced.
pub(super) fn extract(input: &[u8], options: &Options) -> Extraction {
    let read = read::read(input);
    let text: Vec<u8> = read.iter().map(|read| read.byte).collect();
    let raw = |at: usize| read.get(at).map_or(input.len(), |read| read.from);
    let mut extraction = plain::extract(&text, options);
    for found in &mut extraction.found {
        let within = &read[found.offset..found.offset + found.length];
        let end = within.last().map_or(raw(found.offset), |last| last.to);
        // An identifier may begin behind the scheme that its first character was given.
        let begins_inside = within.first().is_some_and(|read| read.is_more);
        found.marks.refanged = begins_inside || within.iter().any(|read| read.is_mark);
        found.marks.given_scheme = within.first().is_some_and(|read| read.is_given);
        let written = match found.marks.identifier {
            Some(_) => std::mem::take(&mut found.original),
            None => found.text.clone(),
        };
        found.original.clear();
        let mut last = None;
        for (&byte, &place) in written.iter().zip(&found.places) {
            let read = &read[place];
            let is_inside = begins_inside && last.is_none();
            let again = last.replace(place) == Some(place);
            if matches!(read.byte, b'<' | b'>') {
                // B2: `<` and `>` of a SICI, which three bytes replace.
                found.original.extend((!again).then_some(read.byte));
            } else if read.is_mark || is_inside {
                found.original.extend_from_slice(&input[read.from..read.to]);
            } else if !read.is_more {
                found.original.push(byte);
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
