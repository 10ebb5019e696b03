//! What do marks of defanging stand for (I8 to I10)? The text is read from left to right, and
//! at each place the rules are tried one after the other.

use super::disguise::{Disguise, Read, push};
use super::host::without_scheme;
use super::marks::{dot, is_break, lookup, reference, sign_of_authority, starts};
use super::scheme::{disguised_scheme, separator_behind};
use super::state::{Part, State, begin};
use crate::reference::grammar;
use crate::syntax::class::{SCHEME, UNRESERVED, URI};

/// Returns the text without marks.
pub(super) fn read(input: &[u8]) -> Vec<Read> {
    let mut text: Vec<Read> = Vec::new();
    let mut state = State {
        part: Part::Text,
        in_uri: false,
        backslashes: false,
        encoded: false,
        marks: 0,
        fold: None,
        folded: false,
    };
    let mut at = 0;
    while at < input.len() {
        let prev = last_char(&text);
        match disguise_at(input, at, prev, &mut state) {
            Some(disguise) => {
                push(&mut text, &disguise);
                at = disguise.end;
            }
            None => {
                push(&mut text, &Disguise::new(at).copy(input, at + 1));
                at += 1;
            }
        }
    }
    text
}

fn last_char(text: &[Read]) -> char {
    let tail = &text[text.len().saturating_sub(4)..];
    let tail: Vec<u8> = tail.iter().map(|read| read.byte).collect();
    let texts = (1..=tail.len()).filter_map(|len| str::from_utf8(&tail[tail.len() - len..]).ok());
    let char = texts.map(|text| text.chars().next()).next().flatten();
    char.unwrap_or('\0')
}

/// Notes a sign that may end the authority.
fn pass(state: &mut State, sign: u8) {
    if b"/?#\\".contains(&sign) {
        state.part = Part::Text;
    }
}

/// Notes a byte between two texts.
fn end_run(input: &[u8], at: usize, byte: u8, state: &mut State) {
    state.part = Part::Text;
    state.encoded = false;
    if b" \t\r\n".contains(&byte) && (state.folded || state.fold.is_some()) {
        state.folded = true;
        state.in_uri = true;
        return;
    }
    state.in_uri = false;
    state.backslashes = false;
    state.folded = false;
    state.fold = match byte {
        b'<' => fold_after(input, at),
        _ => None,
    };
}

/// Applies the first rule that fits at `at`; `None` where the byte stays.
fn disguise_at(input: &[u8], at: usize, prev: char, state: &mut State) -> Option<Disguise> {
    let byte = input[at];
    if state.part == Part::Authority
        && let Some(disguise) = of_authority(input, at, prev, state)
    {
        return Some(disguise);
    }
    if is_break(byte) {
        end_run(input, at, byte, state);
        return None;
    }
    if state.folded {
        (state.folded, state.fold) = (false, None);
    }
    if let Some(disguise) = of_scheme(input, at, prev, state) {
        return Some(disguise);
    }
    if state.part == Part::Authority {
        pass(state, byte);
        return None;
    }
    if state.part == Part::Port {
        if b"[(&".contains(&byte)
            && let Some((end, sign @ (b':' | b'/'))) = sign_of_authority(input, at)
        {
            pass(state, sign);
            return Some(Disguise::of(at, end, &[sign]));
        }
        if byte == b':' || byte.is_ascii_digit() {
            return None;
        }
        state.part = Part::Text;
    }
    if !state.in_uri
        && let Some(disguise) = without_scheme(input, at, prev, state)
    {
        return Some(disguise);
    }
    of_path(input, at, state)
}

/// I8: marks of a path count everywhere.
fn of_path(input: &[u8], at: usize, state: &mut State) -> Option<Disguise> {
    let rest = &input[at..];
    let marks = [
        ("[.]", b'.'),
        ("[dot]", b'.'),
        ("[/]", b'/'),
        ("[:]", b':'),
        ("[@]", b'@'),
    ];
    if let Some((mark, sign)) = marks.iter().find(|(mark, _)| starts(rest, mark)) {
        return Some(Disguise::of(at, at + mark.len(), &[*sign]));
    }
    if state.in_uri
        && let Some((end, sign)) =
            (b":./".iter()).find_map(|&sign| Some((reference(input, at, sign)?, sign)))
    {
        return Some(Disguise::of(at, end, &[sign]));
    }
    match rest[0] {
        b'\\' if state.backslashes => Some(Disguise::of(at, at + 1, b"/")),
        b'%' if state.encoded => {
            let digits = str::from_utf8(rest.get(1..3)?).ok()?;
            let hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
            let sign = u8::from_str_radix(digits, 16).ok().filter(|_| hex)?;
            let fits = URI.has(sign) || sign == b'%';
            fits.then(|| Disguise::of(at, at + 3, &[sign]))
        }
        byte if state.encoded && !UNRESERVED.has(byte) => {
            end_run(input, at, b' ', state);
            Some(Disguise::of(at, at + 1, b" "))
        }
        _ => None,
    }
}

fn of_authority(input: &[u8], at: usize, prev: char, state: &mut State) -> Option<Disguise> {
    let byte = input[at];
    if !b"[({& \t.\\\xE2\xE3\xEF".contains(&byte) {
        return None;
    }
    if state.marks == 64 {
        return None;
    }
    state.marks += 1;
    if byte == b'['
        && (prev == '/' || prev == '@')
        && let Some(end) = whole_host(input, at)
    {
        let mark = Disguise::of(at, at + 2, &input[at + 1..at + 2]);
        let copied = mark.copy(input, end - 2);
        return Some(copied.mark(end, &input[end - 2..end - 1]));
    }
    if let Some((end, _)) = dot(input, at, prev) {
        return Some(Disguise::of(at, end, b"."));
    }
    let (end, sign) = match byte {
        b'\\' if state.backslashes => (at + 1, b'/'),
        b'[' | b'(' | b'{' | b'&' => sign_of_authority(input, at)?,
        _ => return None,
    };
    pass(state, sign);
    Some(Disguise::of(at, end, &[sign]))
}

/// I8: a host in brackets as a whole.
fn whole_host(input: &[u8], at: usize) -> Option<usize> {
    let len = input[at + 1..].iter().position(|&b| b == b']')?;
    let host = &input[at + 1..at + 1 + len];
    let fits = |b: &u8| b.is_ascii_alphanumeric() || b"-_.".contains(b);
    let version = host.split(|&b| b == b'.').next().unwrap_or_default();
    let future = version.len() > 1
        && version[0].eq_ignore_ascii_case(&b'v')
        && version[1..].iter().all(u8::is_ascii_hexdigit);
    let dots = host.contains(&b'.') && !host.starts_with(b".") && !host.ends_with(b".");
    (len < 400 && host.iter().all(fits) && dots && !future).then_some(at + len + 2)
}

fn of_scheme(input: &[u8], at: usize, prev: char, state: &mut State) -> Option<Disguise> {
    let byte = input[at];
    let after_scheme = prev.is_ascii_alphanumeric() || "+-.".contains(prev);
    if b":[({&".contains(&byte)
        && (after_scheme || starts(&input[at..], "[://]"))
        && let Some((end, marked, backslashes)) = separator_behind(input, at)
    {
        begin(state, Part::Authority);
        state.backslashes = backslashes;
        return Some(match marked {
            true => Disguise::of(at, end, b"://"),
            false => Disguise::new(at).copy(input, end),
        });
    }
    if byte == b'$' && (state.part == Part::Authority || !state.in_uri) {
        if state.part == Part::Authority {
            if state.marks == 64 {
                return None;
            }
            state.marks += 1;
        }
        let (end, text) = lookup(input, at, at + 96, 4)?;
        return Some(Disguise::of(at, end, &text));
    }
    let apart = !prev.is_alphanumeric();
    if let Some(found) = disguised_scheme(input, at, apart) {
        let (scheme_end, scheme, separator) = found;
        let mut disguise = Disguise::of(at, scheme_end, &scheme);
        match separator {
            Some((end, marked, backslashes)) => {
                disguise = match marked {
                    true => disguise.mark(end, b"://"),
                    false => disguise.copy(input, end),
                };
                begin(state, Part::Authority);
                state.backslashes = backslashes;
            }
            None => begin(state, Part::Text),
        }
        return Some(disguise);
    }
    if state.in_uri || !apart || "+-.".contains(prev) {
        return None;
    }
    for scheme in ["https", "http"] {
        let end = at + scheme.len();
        if starts(&input[at..], scheme) && starts(&input[end..], "%3a%2f%2f") {
            begin(state, Part::Text);
            state.encoded = true;
            return Some(Disguise::new(at).copy(input, end).mark(end + 9, b"://"));
        }
    }
    let len = input[at..].iter().take_while(|&&b| SCHEME.has(b)).count();
    let known = byte.is_ascii_alphabetic() && grammar::is_known(&input[at..at + len]);
    let rest = &input[at + len..];
    state.in_uri |= known && (starts(rest, ":") || starts(rest, "[:]"));
    None
}

/// W4: returns the end of the line at which a URI behind the `<` at `at` is folded.
fn fold_after(input: &[u8], at: usize) -> Option<usize> {
    let rest = &input[at + 1..];
    let scheme = rest.iter().take(65).take_while(|&&b| SCHEME.has(b)).count();
    let begins = scheme > 1 && scheme < 65 && rest[0].is_ascii_alphabetic();
    if !begins || !b":\\[".contains(rest.get(scheme)?) {
        return None;
    }
    let line = rest.iter().position(|b| b"\r\n".contains(b))?;
    let fits = |b: &u8| !is_break(*b) && !b"{}|^&".contains(b);
    (line < 99 && rest[..line].iter().all(fits)).then_some(at + 1 + line)
}
