//! The end of a candidate inside a wrapper (W1 to W4).

use super::Wrap;
use super::bare::closes;
use super::fold::{break_len, fold, leader, skip_blanks};
use super::unit::{Form, Reading, Unit, Value, reference};
use super::walk::{Candidate, Delimited, Part, Stop, Verdict, Walk};
use crate::item::{Problem, Problems};
use crate::syntax::class::URI;
use crate::syntax::iri;

/// Whether a wrapper of W1 to W3 may contain `unit`, its brackets aside.
fn in_wrapped_set(unit: &Unit) -> bool {
    match unit.value {
        Value::Kept | Value::Sici | Value::Logged(_) | Value::Template => return true, // B4, B2, B5, I25
        _ => {}
    }
    match unit.char() {
        Some(c) if unit.form == Form::Reference || !unit.is(c) => false,
        Some(c) if c.is_ascii() => URI.has(c as u8),
        Some(c) => iri::is_wrapped(c),
        None => false,
    }
}

/// W1, W2, W4: reads up to the closer of `<` or a quote.
pub fn quoted(candidate: &Candidate) -> Result<Delimited, Stop> {
    let (input, options) = (candidate.input, candidate.options);
    let opener = candidate.before.opener.ok_or(Stop::Fail)?;
    let (angle, double) = (opener.kind == '<', opener.kind == '"');
    let folds = (angle || double) && opener.form != Form::Escaped && options.wrap != Wrap::Off;
    let closer = (opener.closer(), opener.form);
    let reading = Reading {
        wrapped: true,
        closer: Some(closer),
        logged: double && opener.form == Form::Raw && opener.at + 1 == candidate.start,
        ..candidate.reading()
    };
    let mut walk = Walk::new(candidate, reading);
    let mut problems = Problems::NONE;
    let mut breaks = usize::from(candidate.folded.is_some());
    let mut hyphens = Vec::new();
    let mut unfoldable = false;
    let mut at = candidate.body;
    loop {
        let raw_len = at - candidate.start;
        if raw_len > options.max_length || breaks > 0 && raw_len > options.wrap_limit_bytes {
            return Err(Stop::Fail);
        }
        let unit = walk.unit(at).ok_or(Stop::Fail)?;
        if (unit.char(), unit.form) == (Some(closer.0), closer.1) {
            break;
        }
        // W4
        let after_blanks = skip_blanks(input, at);
        if at == candidate.body && after_blanks > at {
            return Err(Stop::Fail); // only a line break may follow the colon
        }
        let most_blanks = options.max_length.max(1024) + 1;
        if angle && after_blanks > at && after_blanks - candidate.start <= most_blanks {
            let next = walk.unit(after_blanks).ok_or(Stop::Fail)?;
            if (next.char(), next.form) == (Some(closer.0), closer.1) {
                break;
            }
        }
        let feed = at == candidate.body && input.get(at) == Some(&0x0C);
        if break_len(input, after_blanks).is_some() && folds && !feed {
            let leader = leader(input, opener.at);
            let most = options.wrap_limit_lines.saturating_sub(breaks);
            let limit = candidate.start + options.wrap_limit_bytes;
            let fold = fold(input, after_blanks, &leader, most, limit).ok_or(Stop::Fail)?;
            let is_blank_removed = fold.indented && is_field(input, opener.at);
            if double && (is_blank_removed || !may_join(&walk, fold.at)) {
                return Err(Stop::Fail);
            }
            if walk.text.last() == Some(&b'-') {
                hyphens.push(walk.text.len() - 1); // W6
            }
            breaks += fold.breaks;
            at = fold.at;
            continue;
        }
        if after_blanks > at {
            if !(angle && folds && options.wrap == Wrap::Any) {
                return Err(Stop::Fail);
            }
            at = after_blanks;
            continue;
        }
        match walk.authority(&unit, at) {
            Verdict::Go => {}
            Verdict::Void => return Err(Stop::Void),
            Verdict::End | Verdict::EndAt(_) => return Err(Stop::Fail),
        }
        if candidate.excludes(&unit) {
            return Err(Stop::Fail);
        }
        unfoldable |= matches!(unit.value, Value::Logged(_)); // B5: no blank between
        if !in_wrapped_set(&unit) {
            let piped = "{}|^".chars().any(|c| unit.is(c));
            let backtick = unit.is('`') && unit.form == Form::Raw;
            if double && (piped || backtick) {
                problems |= Problem::BadChar; // W2
            } else if let Value::Invalid(_) = unit.value {
                problems |= Problem::BadUtf8;
            } else {
                return Err(Stop::Fail);
            }
            unfoldable = true;
        }
        walk.push(&unit, at);
        if walk.hopeless {
            return Err(Stop::Void);
        }
        at = unit.end;
    }
    if walk.in_literal() {
        return Err(Stop::Void);
    }
    if unfoldable && breaks > 0 {
        return Err(Stop::Fail);
    }
    if !is_balanced(&walk.text) {
        problems |= Problem::BadChar; // B2
    }
    let mut delimited = walk.finish(at, at, opener.wrapper());
    delimited.problems |= problems;
    Ok(Delimited {
        breaks,
        hyphens,
        ..delimited
    })
}

/// W4: whether the opener at `at` follows `=`, as in an attribute or a field.
fn is_field(input: &[u8], at: usize) -> bool {
    let blanks = input[..at].iter().rev().take(32);
    let blanks = blanks.take_while(|&&b| b == b' ' || b == b'\t').count();
    input[..at - blanks].ends_with(b"=")
}

/// W4: whether the text before a line break in `"..."` and the text at `next` may be
/// joined.
fn may_join(walk: &Walk, next: usize) -> bool {
    let quote = |c: Option<char>| matches!(c, Some('\'' | '`'));
    // Also one that would be kept elsewhere (B4).
    let referred = reference(walk.candidate.input, next).map(|(c, _)| c);
    let following = referred.or_else(|| walk.unit(next)?.char());
    !quote(walk.last) && !quote(following) && !walk.candidate.another_starts(next)
}

/// Whether every square bracket in `text` has its partner.
pub fn is_balanced(text: &[u8]) -> bool {
    let mut open = 0usize;
    for &byte in text {
        match byte {
            b'[' => open += 1,
            b']' if open == 0 => return false,
            b']' => open -= 1,
            _ => {}
        }
    }
    open == 0
}

/// W3: reads up to the bracket that closes.
pub fn bracketed(candidate: &Candidate) -> Result<Delimited, Stop> {
    let opener = candidate.before.opener.ok_or(Stop::Fail)?;
    let (open_char, close_char) = (opener.kind, opener.closer());
    let reading = Reading {
        wrapped: true,
        ..candidate.reading()
    };
    let mut walk = Walk::new(candidate, reading);
    // Brackets of the wrapper's own kind, and square ones in the other kinds.
    let (mut depth, mut squares) = (0, 0);
    let folds =
        open_char == '(' && opener.at + 1 == candidate.start && candidate.options.wrap != Wrap::Off;
    let mut fold_at = None;
    let mut at = candidate.body;
    loop {
        let (input, options) = (candidate.input, candidate.options);
        let raw_len = at - candidate.start;
        if raw_len > options.max_length || fold_at.is_some() && raw_len > options.wrap_limit_bytes {
            return Err(Stop::Fail);
        }
        // W4: one fold of one line break.
        let after_blanks = skip_blanks(input, at);
        let after_colon =
            at == candidate.body && (after_blanks > at || input.get(at) == Some(&0x0C));
        if break_len(input, after_blanks).is_some() && folds && !after_colon {
            let leader = leader(input, opener.at);
            let limit = candidate.start + options.wrap_limit_bytes;
            let fold = fold(
                input,
                after_blanks,
                &leader,
                options.wrap_limit_lines,
                limit,
            );
            let fold = fold.filter(|fold| fold.breaks == 1).ok_or(Stop::Fail)?;
            if fold_at.is_some() || candidate.another_starts(fold.at) {
                return Err(Stop::Fail);
            }
            fold_at = Some(walk.text.len());
            at = fold.at;
            continue;
        }
        let unit = walk.unit(at).ok_or(Stop::Fail)?;
        let of_literal = walk.in_literal() && unit.is(']');
        if unit.is(close_char) && unit.form == Form::Raw && depth == 0 && !of_literal {
            break;
        }
        let in_authority = matches!(walk.part, Part::Authority(_) | Part::Literal(_));
        match walk.authority(&unit, at) {
            Verdict::Go => {}
            Verdict::Void => return Err(Stop::Void),
            Verdict::End | Verdict::EndAt(_) => return Err(Stop::Fail),
        }
        if candidate.excludes(&unit) {
            return Err(Stop::Fail);
        }
        if !in_wrapped_set(&unit) {
            return Err(Stop::Fail);
        }
        let square = unit.is('[') || unit.is(']');
        if square && in_authority {
            // The brackets of an IP literal.
        } else if unit.is(open_char) {
            depth += 1;
            if depth > 8 {
                return Err(Stop::Fail);
            }
        } else if unit.is(close_char) {
            if depth == 0 {
                return Err(Stop::Fail); // not written as the opener is
            }
            depth -= 1;
        } else if unit.is('[') {
            if !closes(candidate, at) {
                return Err(Stop::Fail);
            }
            squares += 1;
        } else if unit.is(']') {
            if squares == 0 {
                return Err(Stop::Fail);
            }
            squares -= 1;
        }
        walk.push(&unit, at);
        if walk.hopeless {
            return Err(Stop::Void);
        }
        at = unit.end;
    }
    if walk.in_literal() {
        return Err(Stop::Void);
    }
    if squares > 0 {
        return Err(Stop::Fail);
    }
    let mut hyphens = Vec::new();
    if let Some(fold_at) = fold_at {
        // W4: the joined text looks like a part of a URI.
        let mark = |b: &u8| b"/-_=&?.%#".contains(b);
        let (before, after) = walk.text.split_at(fold_at);
        let shows = if before.ends_with(b"://") {
            after.contains(&b'.') // the host begins after the break
        } else {
            let shows = |b: &u8| mark(b) || b.is_ascii_digit();
            before.last().is_some_and(mark) || after.iter().any(shows)
        };
        if !shows {
            return Err(Stop::Fail);
        }
        hyphens.extend(before.ends_with(b"-").then(|| fold_at - 1)); // W6
    }
    Ok(Delimited {
        breaks: usize::from(fold_at.is_some()),
        hyphens,
        ..walk.finish(at, at, opener.wrapper())
    })
}
