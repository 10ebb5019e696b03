//! The end of a candidate without a wrapper (B1, B2, B9, W8).

use super::unit::{Form, Unit, Value};
use super::walk::{Candidate, Delimited, Part, Verdict, Walk, is_bracketed_mark};
use super::{check, fold, grammar, trim};
use crate::item::{Problem, Wrapper};
use crate::syntax::class::URI;
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
        if is_doubled(&walk, &unit) {
            break; // B3
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
            Some(mark @ (',' | ';'))
                if matches!(walk.part, Part::Authority(_))
                    && ends_authority(&walk, mark, unit.end)
                    && !at_follows(candidate, unit.end) =>
            {
                break;
            }
            Some(',' | ';') if candidate.another_starts(unit.end) => break, // B9
            Some(sign) if ends_pair(candidate, sign, unit.end) => break,    // I28
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
    let in_authority = matches!(walk.part, Part::Authority(_));
    if in_authority && squares.is_empty() && !candidate.options.refang {
        let blank = |b: &&u8| matches!(b, b' ' | b'\t');
        let rest = &candidate.input[at..];
        let blanks = rest.iter().take(4).take_while(blank).count();
        if blanks > 0 && is_bracketed_mark(&rest[blanks..]) {
            return None; // I24
        }
    }
    cut |= in_authority && is_dot_of_host(&candidate.input[at..]);
    let most = candidate.options.max_length.max(1024) + 64;
    let judged = squares.is_empty() && at - candidate.start <= most;
    let broken = judged && candidate.field.is_none() && goes_on(&walk, at); // W7
    let behind_host = matches!(walk.part, Part::Rest | Part::Slash);
    let template = judged && behind_host && ends_in_template(&walk, at);
    if judged && takes_last(&walk, at) {
        walk.text.pop();
        walk.spans.pop();
        at = walk.spans.last().map_or(candidate.start, |span| span.1);
    }
    let end = walk.spans.last().map_or(candidate.start, |span| span.1);
    let run_end = if squares.is_empty() { at } else { end };
    let wrapper = match candidate.field {
        Some(_) => Wrapper::Field,
        None => Wrapper::None,
    };
    let mut delimited = walk.finish(end, run_end, wrapper);
    if broken {
        delimited.problems |= Problem::LineEnd;
    }
    if template {
        delimited.problems |= Problem::Template;
    } else if cut {
        delimited.problems |= Problem::Cut;
    }
    Some(delimited)
}

/// B8: whether a `,` or a `;` before `next` ends the authority, if no `@` follows.
fn ends_authority(walk: &Walk, mark: char, next: usize) -> bool {
    if walk.candidate.is_abbreviated() || check::is_of_web(&walk.authority_of) {
        return true;
    }
    let of_host = |unit: &Unit| match unit.char() {
        Some(c) if c.is_ascii() => c.is_ascii_alphanumeric() || c == '_' || c == '%',
        Some(c) => iri::is_bare(c) && unit.form != Form::Reference,
        None => false,
    };
    let following = walk.candidate.reading().unit(walk.candidate.input, next);
    mark == ',' && !following.as_ref().is_some_and(of_host)
}

/// I24: whether `text` begins with a full stop of another script and goes on in ASCII.
fn is_dot_of_host(text: &[u8]) -> bool {
    let dot = grammar::first_char(text).is_some_and(|(c, _)| matches!(c, '。' | '．' | '｡'));
    dot && text.get(3).is_some_and(u8::is_ascii_alphanumeric)
}

/// I28: whether `sign` is the separator before the candidate's `NAME=`, and another `NAME=`
/// begins at `next`.
fn ends_pair(candidate: &Candidate, sign: char, next: usize) -> bool {
    let named = |b: &u8| b.is_ascii_alphanumeric() || b"_-.".contains(b);
    let begins = |name: &[u8]| {
        (1..=32).contains(&name.len()) && (name[0].is_ascii_alphabetic() || name[0] == b'_')
    };
    let Some(head) = candidate.input[..candidate.start].strip_suffix(b"=") else {
        return false;
    };
    let from = head.iter().rposition(|b| !named(b)).map_or(0, |at| at + 1);
    if !matches!(sign, ',' | ';') || !begins(&head[from..]) {
        return false;
    }
    let left = head[..from].strip_suffix(b" ").unwrap_or(&head[..from]);
    let Some(before) = left.strip_suffix(&[sign as u8]) else {
        return false;
    };
    let value = before
        .iter()
        .rposition(|&b| b <= b' ' || b == 0x7F || b",;".contains(&b));
    let value = value
        .map_or(0, |at| at + 1)
        .max(before.len().saturating_sub(100));
    let pair = |w: &[u8]| named(&w[0]) && w[1] == b'=';
    let follows = &candidate.input[next..];
    let name = follows
        .iter()
        .position(|b| !named(b))
        .unwrap_or(follows.len());
    before[value..].windows(3).any(pair)
        && !(sign == ';' && trim::kept_reference(left).is_some())
        && begins(&follows[..name])
        && follows.get(name) == Some(&b'=')
}

/// B3: whether `unit` is the first of `''`, or of `&&` before any `?`.
fn is_doubled(walk: &Walk, unit: &Unit) -> bool {
    let next = walk.candidate.reading();
    let next = next.unit(walk.candidate.input, unit.end);
    let quote = unit.is('\'') && walk.candidate.input.get(unit.end) == Some(&b'\'');
    let and = unit.is('&') && next.is_some_and(|next| next.is('&'));
    quote || and && !walk.text.contains(&b'?')
}

/// W7: whether a URI without a wrapper that ends at `at` may go on in the next line.
fn goes_on(walk: &Walk, at: usize) -> bool {
    let input = walk.candidate.input;
    let Some(len) = fold::break_len(input, at) else {
        return false;
    };
    let open = walk.text.last().is_some_and(|b| b"/-_=&?.%".contains(b));
    let next = &input[at + len..];
    let follows = match grammar::first_char(next) {
        Some((c, _)) if c.is_ascii() => URI.has(c as u8),
        Some((c, _)) => iri::is_bare(c),
        None => false,
    };
    (open || has_host_without_dot(walk)) && follows && !walk.candidate.another_starts(at + len)
}

/// W7: whether the text has a host that has no dot.
fn has_host_without_dot(walk: &Walk) -> bool {
    let Some(from) = walk.authority_at else {
        return false;
    };
    let authority = walk.text[from..].split(|b| b"/?#".contains(b)).next();
    let host = authority.and_then(|text| text.rsplit(|&b| b == b'@').next());
    let host = host.unwrap_or_default();
    !host.is_empty() && host[0] != b':' && !host.contains(&b'.')
}

/// B8: whether the text is cut at `at` by a template.
fn ends_in_template(walk: &Walk, at: usize) -> bool {
    let rest = &walk.candidate.input[at..];
    let name = |rest: &[u8]| {
        let from = rest.first().is_some_and(|b| b"+#./;?&".contains(b));
        let name = &rest[usize::from(from)..];
        let of_name = |b: &&u8| b.is_ascii_alphanumeric() || b"_-.,:*".contains(b);
        let len = name.iter().take_while(of_name).count();
        (1..=64).contains(&len) && name.get(len) == Some(&b'}')
    };
    let formatted = walk.text.windows(2).any(|pair| pair == b"%s");
    let digit = walk.text.last().is_some_and(u8::is_ascii_digit);
    let argument = digit && walk.text[..walk.text.len() - 1].ends_with(b"#");
    match rest {
        [b'{' | b'}' | b'|' | b'^' | b'`' | b'\\', ..] if formatted => true,
        [b'{', b'{', ..] => true,
        [b'{', rest @ ..] => b"$#".iter().any(|b| walk.text.last() == Some(b)) || name(rest),
        [b'}', ..] => argument,
        [b'\\', a, b, ..] => {
            walk.candidate.reading().tex && a.is_ascii_alphabetic() && b.is_ascii_alphabetic()
        }
        _ => false,
    }
}

/// Whether the last character of the text belongs to what follows at `at`: the `$` or `#` of
/// a template (B8), the `E` of `E<gt>` (B5).
fn takes_last(walk: &Walk, at: usize) -> bool {
    let rest = &walk.candidate.input[at..];
    match (walk.text.last(), rest.first()) {
        (Some(b'$' | b'#'), Some(b'{' | b'`' | b'\\')) => {
            let unit = walk.candidate.reading().unit(walk.candidate.input, at);
            let explained =
                rest[0] == b'\\' && unit.is_some_and(|unit| unit.value != Value::Unexplained);
            walk.part == Part::Rest && !explained
        }
        (Some(b'E'), Some(b'<')) => {
            let raw = walk.candidate.input[..at].ends_with(b"E");
            raw && (rest.starts_with(b"<gt>") || rest.starts_with(b"<lt>"))
        }
        _ => false,
    }
}

/// B1: whether a bare URI continues with `unit`.
fn bare_allows(walk: &Walk, unit: &Unit) -> bool {
    if matches!(unit.value, Value::Kept | Value::Sici | Value::Template) {
        return true; // B4, B2, I25
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
