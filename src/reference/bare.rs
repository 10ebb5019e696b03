//! The end of a candidate without a wrapper (B1, B2, B9, W8).

use super::unit::{Form, Unit, Value};
use super::walk::{Candidate, Delimited, Part, Verdict, Walk};
use crate::item::{Problem, Wrapper};
use crate::syntax::iri;
/// B1, B2, B9, W8: reads a candidate without a wrapper; `None` when it is void.
/// B1, B2, B9, W8: the run without a wrapper; `None` when it is void.
pub fn bare(candidate: &Candidate) -> Option<Delimited> {
    let mut walk = Walk::new(candidate, candidate.reading());
    let mut parens = 0usize;
    let mut squares: Vec<usize> = Vec::new();
    let mut cut = false;
    let mut at = candidate.body;
    while let Some(unit) = walk.unit(at) {
        let field_ends = |c| unit.is(c) && unit.form == Form::Raw;
        if candidate.field.is_some_and(field_ends) {
            break; // W8
        }
        let in_authority = matches!(walk.part, Part::Authority(_) | Part::Literal(_));
        match walk.authority(&unit, at) {
            Verdict::Go => {}
            Verdict::Void => return None,
            Verdict::End => {
                cut = true;
                break;
            }
            Verdict::EndAt(len) => {
                at = walk.spans.get(len).map_or(at, |span| span.0); // B9
                walk.text.truncate(len);
                walk.spans.truncate(len);
                break;
            }
        }
        if candidate.excludes(&unit) || !bare_allows(&walk, &unit) {
            cut = is_cut(&unit) || is_cut_doi(&walk, &unit);
            break;
        }
        match unit.char() {
            Some('(') => parens += 1,
            Some(')') if parens == 0 => break,
            Some(')') => parens -= 1,
            Some('[' | ']') if in_authority => {}
            Some('[') => {
                if !closes(candidate, at) {
                    cut = true;
                    break;
                }
                squares.push(walk.text.len());
            }
            Some(']') => match squares.pop() {
                Some(_) => {}
                None => {
                    cut = true;
                    break;
                }
            },
            // B8
            Some(',' | ';')
                if matches!(walk.part, Part::Authority(_)) && !at_follows(candidate, unit.end) =>
            {
                break;
            }
            Some(',' | ';') if candidate.another_starts(unit.end) => break, // B9
            _ => {}
        }
        walk.push(&unit, at);
        if walk.hopeless {
            return None;
        }
        at = unit.end;
    }
    if walk.in_literal() {
        return None;
    }
    cut |= candidate.input.get(at) == Some(&b'\\'); // W2
    if let Some(&open) = squares.first() {
        walk.text.truncate(open);
        walk.spans.truncate(open);
        cut = true;
    }
    let end = walk.spans.last().map_or(candidate.start, |span| span.1);
    let run_end = if squares.is_empty() { at } else { end };
    let wrapper = match candidate.field {
        Some(_) => Wrapper::Field,
        None => Wrapper::None,
    };
    let mut delimited = walk.finish(end, run_end, wrapper);
    if cut {
        delimited.problems |= Problem::Cut;
    }
    Some(delimited)
}

/// B1: whether a bare URI continues with `unit`.
fn bare_allows(walk: &Walk, unit: &Unit) -> bool {
    if matches!(unit.value, Value::Kept | Value::Sici) {
        return true; // B4, B2
    }
    let Some(c) = unit.char() else {
        return false;
    };
    let beyond = |c: char| !c.is_ascii() && iri::is_bare(c);
    if iri::is_joiner(c) && unit.form != Form::Reference {
        let next = walk.unit(unit.end).filter(Unit::in_bare_set);
        let next = next.and_then(|unit| unit.char());
        return walk.last.is_some_and(beyond) && next.is_some_and(beyond);
    }
    let after_ascii = walk.last.is_some_and(|last| last.is_ascii_alphanumeric());
    unit.in_bare_set() && !(after_ascii && !c.is_ascii() && iri::is_unspaced_script(c))
}

/// W2: whether a bare URI that ends before `unit` may have been cut.
fn is_cut(unit: &Unit) -> bool {
    match unit.value {
        Value::Char(c) => unit.is(c) && "{}|^[]`".contains(c),
        Value::Invalid(_) => true,
        _ => false,
    }
}

/// W2: whether `unit` is a `<` that ends a DOI, and a digit follows.
fn is_cut_doi(walk: &Walk, unit: &Unit) -> bool {
    let digit = walk.candidate.input.get(unit.end);
    let names_doi = |at: usize| {
        let tail = &walk.text[at..];
        let Some(number) = tail[1..].strip_prefix(b"10.") else {
            return false;
        };
        let slash = number.iter().position(|&b| b == b'/').unwrap_or(0);
        let numeric = |b: &u8| b.is_ascii_digit() || *b == b'.';
        b"/:=".contains(&tail[0])
            && slash > 0
            && number[0].is_ascii_digit()
            && number[..slash].iter().all(numeric)
    };
    unit.char() == Some('<')
        && digit.is_some_and(u8::is_ascii_digit)
        && (0..walk.text.len()).any(names_doi)
}

/// B8: whether an `@` follows within 1024 bytes in the authority that continues at
/// `at`.
fn at_follows(candidate: &Candidate, at: usize) -> bool {
    let reading = candidate.reading();
    let mut next = at;
    while let Some(unit) = reading.unit(candidate.input, next) {
        if next - at > 1024 || ['/', '?', '#', '[', ']'].iter().any(|&c| unit.is(c)) {
            return false;
        }
        if unit.is('@') {
            return true;
        }
        if !unit.in_bare_set() && unit.value != Value::Kept {
            return false;
        }
        next = unit.end;
    }
    false
}

/// B2: whether the `[` at `at` is closed within 4096 bytes of characters that a bare
/// URI may contain, with at most eight of them open at once.
pub fn closes(candidate: &Candidate, at: usize) -> bool {
    let reading = candidate.reading();
    let mut open = 0;
    let mut next = at;
    while let Some(unit) = reading.unit(candidate.input, next) {
        let joiner = unit.char().is_some_and(|c| unit.is(c) && iri::is_joiner(c));
        let kept = unit.value == Value::Kept;
        if next - at > 4096 || !(unit.in_bare_set() || joiner || kept) {
            return false;
        }
        if unit.is('[') {
            open += 1;
            if open > 8 {
                return false;
            }
        } else if unit.is(']') {
            open -= 1;
            if open == 0 {
                return true;
            }
        }
        next = unit.end;
    }
    false
}
