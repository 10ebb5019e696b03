//! Extraction from a text in which marks of defanging have no meaning: candidates in
//! order, each delimited, trimmed, validated and searched for URIs inside it.

use super::delimit::delimit;
use super::found::{Extraction, Found};
use super::identifier::{self, Identifier, Number};
use super::options::{Options, Wrap};
use super::readings::{Variant, checked, variants};
use super::start::{self, Starts};
use super::unit::{self, Form};
use super::walk::{Candidate, Delimited};
use super::{check, fold, grammar, trim};
use crate::item::{Marks, Problem, Wrapper};

/// Extracts from a text without the marks of defanging.
pub(super) fn extract(input: &[u8], options: &Options) -> Extraction {
    let mut extraction = Extraction::default();
    let starts = Starts::default();
    // The end of the last reported URI: no candidate starts before it.
    let mut free = 0;
    let mut at = 0;
    while at < input.len() {
        let mut next = at + 1;
        if let Some(outcome) = identified(input, at, free, options, &starts) {
            match outcome {
                Outcome::Void => {}
                Outcome::Found(found, end) => {
                    let listed = found.first().and_then(|found| found.marks.identifier);
                    extraction.found.extend(found);
                    free = end;
                    while let Some(kind) = listed.filter(|kind| kind.has_lists())
                        && let Some(number) = identifier::next_of_list(input, free, kind)
                    {
                        free = number.to;
                        extraction.found.push(found_number(input, number));
                    }
                }
                Outcome::TooLong(start, end) => {
                    extraction.too_long.push(start);
                    free = end;
                }
            }
            at = next.max(free);
            continue;
        }
        for candidate in candidates(input, at, options, &starts) {
            if candidate.start < free {
                continue;
            }
            match settle(&candidate) {
                Outcome::Void => continue,
                Outcome::Found(found, end) => {
                    extraction.found.extend(found);
                    free = end;
                }
                Outcome::TooLong(start, end) => {
                    extraction.too_long.push(start);
                    free = end;
                }
            }
            next = next.max(free);
            break;
        }
        at = next;
    }
    extraction
}

/// Returns the candidates at `at`: an abbreviated one that starts there (S7), and the
/// one whose colon is there (S1).
fn candidates<'a>(
    input: &'a [u8],
    at: usize,
    options: &'a Options,
    starts: &'a Starts,
) -> Vec<Candidate<'a>> {
    let mut candidates = Vec::new();
    if options.abbreviated && start::abbreviated_starts(input, at) {
        candidates.push(Candidate {
            input,
            options,
            starts,
            start: at,
            scheme_end: at,
            body: at,
            before: start::before(input, at),
            field: None,
            folded: None,
        });
    }
    candidates.extend(folded(input, at, options, starts));
    if let Some(colon_len) = unit::colon_len(input, at) {
        let field = start::field_start(input, at);
        let start = field
            .map(|(start, _)| start)
            .or_else(|| start::scheme_start(input, at))
            .filter(|&start| !(options.refang && start::is_torn(&input[start..at]))); // R1
        candidates.extend(start.map(|start| Candidate {
            input,
            options,
            starts,
            start,
            scheme_end: at,
            body: at + colon_len,
            before: match field {
                None => start::before(input, start),
                Some(_) => start::Before::default(),
            },
            field: field.map(|(_, delimiter)| delimiter),
            folded: None,
        }));
    }
    candidates
}

/// Returns the outcome for the identifier that begins at `at`; `None` when no identifier
/// of that kind begins there. A URI that ends where the identifier begins its number, such
/// as `isbn:9783161484100`, wins.
fn identified(
    input: &[u8],
    at: usize,
    free: usize,
    options: &Options,
    starts: &Starts,
) -> Option<Outcome> {
    let identifier = identifier::at(input, at, options)?;
    let from = match &identifier {
        Identifier::Number(number) => number.from,
        Identifier::Name(name) => name.from,
    };
    if from < free {
        return None;
    }
    if from > 0 && input[from - 1] == b':' {
        let candidates = candidates(input, from - 1, options, starts);
        let mut candidates = candidates
            .iter()
            .filter(|candidate| candidate.start >= free);
        let outcomes = candidates.find_map(|candidate| match settle(candidate) {
            Outcome::Void => None,
            outcome => Some(outcome),
        });
        if outcomes.is_some() {
            return outcomes;
        }
    }
    let name = match identifier {
        Identifier::Number(number) => {
            let end = number.to;
            return Some(Outcome::Found(vec![found_number(input, number)], end));
        }
        Identifier::Name(name) => name,
    };
    let starts = Starts::default();
    let candidates = candidates(&name.text, name.body - 1, options, &starts);
    let candidate = candidates
        .iter()
        .find(|candidate| candidate.start == name.scheme)?;
    let place = |at: usize| name.from + at.saturating_sub(name.body);
    Some(match settle(candidate) {
        Outcome::Void => Outcome::Void,
        Outcome::TooLong(_, end) => Outcome::TooLong(name.from, place(end)),
        Outcome::Found(found, end) => match found.into_iter().next() {
            None => Outcome::Found(Vec::new(), place(end)),
            Some(found) if !name.holds(&found.text) => Outcome::Void,
            Some(found) => {
                let head = name.body - name.scheme;
                let mut places = found.places[head..].to_vec();
                // B2: three bytes replace `<` and `>` of a SICI.
                places.dedup_by(|a, b| a == b && b"<>".contains(&name.text[*a]));
                let end = place(found.offset + found.length);
                let found = Found {
                    text: found.text,
                    original: found.original[head..].to_vec(),
                    places: places.into_iter().map(place).collect(),
                    offset: name.from,
                    length: end - name.from,
                    marks: Marks {
                        identifier: Some(name.kind),
                        problems: found.marks.problems,
                        ..Marks::default()
                    },
                };
                Outcome::Found(vec![found], end)
            }
        },
    })
}

/// Returns the record of an identifier that is a number.
fn found_number(input: &[u8], number: Number) -> Found {
    Found {
        text: number.uri,
        original: input[number.from..number.to].to_vec(),
        places: (number.from..number.to).collect(),
        offset: number.from,
        length: number.to - number.from,
        marks: Marks {
            identifier: Some(number.kind),
            ..Marks::default()
        },
    }
}

/// W4: returns the candidate whose scheme is folded and ends at the colon at `at`.
fn folded<'a>(
    input: &'a [u8],
    at: usize,
    options: &'a Options,
    starts: &'a Starts,
) -> Option<Candidate<'a>> {
    let colon_len = unit::colon_len(input, at)?;
    let (start, end, rest) = start::folded_scheme(input, at)?;
    let before = start::before(input, start);
    let opener = before
        .opener
        .filter(|o| before.above.is_none() && o.kind == '<' && o.form != Form::Escaped)?;
    let leader = fold::leader(input, opener.at);
    let line_end = fold::skip_blanks(input, end);
    let limit = start + options.wrap_limit_bytes;
    let fold = fold::fold(input, line_end, &leader, options.wrap_limit_lines, limit)?;
    let folds = options.wrap != Wrap::Off && fold.at == rest && fold.breaks == 1;
    folds.then_some(Candidate {
        input,
        options,
        starts,
        start,
        scheme_end: at,
        body: at + colon_len,
        before,
        field: None,
        folded: Some((end, rest)),
    })
}

/// The result for a candidate.
enum Outcome {
    /// The candidate is not a URI.
    Void,
    /// The records, and the offset at which scanning resumes.
    Found(Vec<Found>, usize),
    /// The candidate is too long: the offsets at which it begins and at which scanning
    /// resumes.
    TooLong(usize, usize),
}

/// Delimits, trims and checks a candidate.
fn settle(candidate: &Candidate) -> Outcome {
    let options = candidate.options;
    let Some(mut delimited) = delimit(candidate) else {
        return Outcome::Void;
    };
    let is_bare = matches!(delimited.wrapper, Wrapper::None | Wrapper::Field);
    let void = is_bare && check::begins_with_hyphen(&delimited.text, candidate.body_len()); // B8
    if is_far_too_long(candidate, &delimited) {
        let checked = checked(candidate, &delimited.text).filter(|_| !void);
        return match checked {
            None if has_whole_authority(candidate, &delimited) => Outcome::Void,
            _ => Outcome::TooLong(candidate.start, delimited.run_end), // B7
        };
    }
    if void {
        return Outcome::Void;
    }
    if is_bare {
        if delimited.in_authority && goes_on_after_dot(candidate, delimited.run_end) {
            return Outcome::Void; // R1
        }
        trim(candidate, &mut delimited); // B3
    }
    let marks = Marks {
        wrapper: delimited.wrapper,
        url_prefix: candidate.before.url_prefix,
        wrapped: u8::try_from(delimited.breaks).unwrap_or(u8::MAX),
        hyphen_break: !delimited.hyphens.is_empty(),
        abbreviated: candidate.is_abbreviated(),
        problems: delimited.problems,
        ..Marks::default()
    };
    let length = delimited.end - candidate.start;
    let mut passed: Vec<(Variant, Found)> = Vec::new();
    for variant in variants(&delimited, options.hyphen) {
        let text = &variant.0;
        if let Some(problems) = checked(candidate, text) {
            let found = Found {
                text: text.clone(),
                original: original(candidate.input, &variant),
                places: variant.1.iter().map(|span| span.0).collect(),
                offset: candidate.start,
                length,
                marks: Marks {
                    problems: marks.problems | problems,
                    ..marks
                },
            };
            passed.push((variant, found));
        }
    }
    if passed.is_empty() {
        return Outcome::Void;
    }
    if length > options.max_length {
        return Outcome::TooLong(candidate.start, delimited.run_end); // B7
    }
    if options.strict {
        passed.retain(|(_, found)| is_valid(found)); // B6
    }
    let mut records = Vec::new();
    if let Some((variant, _)) = passed.first().filter(|_| options.nested) {
        let (inner, more) = nested(candidate, variant, delimited.end);
        for (_, found) in &mut passed {
            if more {
                found.marks.problems |= Problem::NestedLimit;
            }
        }
        records = inner;
    }
    let outer = passed.into_iter().map(|(_, found)| found);
    Outcome::Found(outer.chain(records).collect(), delimited.end)
}

/// B7: whether the run is so long that trailing punctuation makes no difference: then
/// it is not trimmed.
fn is_far_too_long(candidate: &Candidate, delimited: &Delimited) -> bool {
    delimited.run_end - candidate.start > judged_length(candidate)
}

/// Returns the number of raw bytes of a run that are checked.
fn judged_length(candidate: &Candidate) -> usize {
    candidate.options.max_length.max(1024).saturating_add(64)
}

/// Whether the authority, if any, ends within the checked part of a run that is far too
/// long.
fn has_whole_authority(candidate: &Candidate, delimited: &Delimited) -> bool {
    let body = candidate.body - candidate.start;
    let Some(rest) = delimited.text.get(body..) else {
        return true;
    };
    let authority = match rest.strip_prefix(b"//") {
        Some(rest) => rest,
        None if candidate.is_abbreviated() => rest,
        None => return true,
    };
    let at = delimited.text.len() - authority.len();
    let end = at
        + authority
            .iter()
            .take_while(|&b| !b"/?#".contains(b))
            .count();
    let most = judged_length(candidate);
    delimited
        .spans
        .get(end)
        .is_some_and(|span| span.0 - candidate.start <= most)
}

/// R1: whether, in a text without the marks of defanging, a host that ends at `at`
/// continues after a dot between blanks.
fn goes_on_after_dot(candidate: &Candidate, at: usize) -> bool {
    let blanks = |text: &[u8]| {
        let blank = |b: &&u8| matches!(b, b' ' | b'\t');
        text.iter().take(8).take_while(blank).count()
    };
    let rest = &candidate.input[at..];
    let before = blanks(rest);
    let Some(after) = rest[before..].strip_prefix(b".") else {
        return false;
    };
    let next = after.get(blanks(after));
    candidate.options.refang
        && before > 0
        && next.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// Returns a text as written: with `<` and `>` of a SICI (B2).
fn original(input: &[u8], (text, spans): &Variant) -> Vec<u8> {
    let mut original = Vec::new();
    for (i, &byte) in text.iter().enumerate() {
        match &input[spans[i].0..spans[i].1] {
            b"<" | b">" if i > 0 && spans[i - 1] == spans[i] => {}
            written @ (b"<" | b">") => original.extend_from_slice(written),
            _ => original.push(byte),
        }
    }
    original
}

/// B3: removes trailing punctuation from a bare candidate.
fn trim(candidate: &Candidate, delimited: &mut Delimited) {
    let before = match candidate.field {
        Some(_) => candidate.input[..candidate.start].last().copied(),
        None => candidate.before.byte,
    };
    let after = candidate.input.get(delimited.end).copied();
    let scheme = candidate.scheme();
    let telephone = scheme.eq_ignore_ascii_case(b"tel") || scheme.eq_ignore_ascii_case(b"sms");
    let mut len = trim::trimmed_len(&delimited.text, before, after, telephone);
    let text = &delimited.text[..len];
    if let Some(label) = trim::label_start(text, path_start(candidate, &delimited.text)) {
        len = trim::trimmed_len(&text[..label], before, Some(b'['), telephone);
        delimited.problems |= Problem::Cut; // B2
    }
    delimited.text.truncate(len);
    delimited.spans.truncate(len);
    delimited.end = delimited.spans.last().map_or(candidate.start, |s| s.1);
}

/// Whether a record is valid by RFC 3986 (B6).
fn is_valid(found: &Found) -> bool {
    if !found.marks.abbreviated {
        return grammar::is_uri(&found.text);
    }
    let scheme = match found.text.first() {
        Some(b'f' | b'F') => &b"ftp://"[..],
        _ => b"http://",
    };
    grammar::is_uri(&[scheme, &found.text].concat())
}

/// Returns the end of the authority of `text`, or, without one, the offset after the
/// colon.
fn path_start(candidate: &Candidate, text: &[u8]) -> usize {
    let authority = if candidate.is_abbreviated() {
        0
    } else {
        let body = candidate.scheme().len() + 1;
        if !text.get(body..).is_some_and(|rest| rest.starts_with(b"//")) {
            return body;
        }
        body + 2
    };
    let rest = &text[authority..];
    authority + rest.iter().take_while(|&b| !b"/?#".contains(b)).count()
}

/// S6: returns the URIs inside the text of a reported one, at most eight, and whether there
/// are more.
fn nested(candidate: &Candidate, (text, spans): &Variant, end: usize) -> (Vec<Found>, bool) {
    let path = path_start(candidate, text);
    let (inner, more) = super::nested::nested(text, path, candidate.options);
    let found = inner.into_iter().map(|inner| {
        let places: Vec<(usize, usize)> = inner.places.iter().map(|&at| spans[at]).collect();
        let offset = places[0].0;
        let end = match inner.end < text.len() {
            true => spans[inner.end - 1].1,
            false => end,
        };
        Found {
            original: original(candidate.input, &(inner.text.clone(), places.clone())),
            text: inner.text,
            places: places.iter().map(|span| span.0).collect(),
            offset,
            length: end - offset,
            marks: Marks {
                problems: inner.problems,
                abbreviated: inner.abbreviated,
                nested_by: Some(inner.by),
                ..Marks::default()
            },
        }
    });
    (found.collect(), more)
}
