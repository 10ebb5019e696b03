//! Hosts and addresses of mail without a scheme (I10).

use super::disguise::Disguise;
use super::marks::{begins_label, blanks, dot, in_brackets, starts};
use super::state::{Part, State, begin};
use crate::syntax::top_level::is_known;

/// I10: a host or an address of mail without a scheme.
pub(super) fn without_scheme(
    input: &[u8],
    at: usize,
    prev: char,
    state: &mut State,
) -> Option<Disguise> {
    let byte = input[at];
    let belongs = prev.is_alphanumeric() || "_@/\\.$%+~-".contains(prev);
    if belongs || !is_near(input, at) && !starts(&input[at..], "www") {
        return None;
    }
    if byte == b'/' {
        let slashes = prev != ':' && input.get(at + 1) == Some(&b'/');
        slashes.then_some(())?;
        let disguise = host(input, Disguise::new(at).copy(input, at + 2), false)?;
        begin(state, Part::Port);
        return Some(disguise.given(b"http:"));
    }
    if !byte.is_ascii_alphanumeric() && byte != b'_' && byte < 0xC2 {
        return None;
    }
    if let Some(disguise) = address(input, at) {
        begin(state, Part::Text);
        return Some(disguise);
    }
    let v6 = ipv6(input, at).filter(|_| prev != '[');
    let disguise = v6.or_else(|| {
        let host = host(input, Disguise::new(at), false)?;
        Some(host.given(b"http://"))
    })?;
    begin(state, Part::Port);
    Some(disguise)
}

/// Whether a strong mark may be near, in the line.
fn is_near(input: &[u8], at: usize) -> bool {
    let stop = input[at..].iter().position(|b| b"[({&\r\n".contains(b));
    stop.is_some_and(|len| len <= 464 && !b"\r\n".contains(&input[at + len]))
}

fn address(input: &[u8], at: usize) -> Option<Disguise> {
    let of_name = |b: &&u8| b.is_ascii_alphanumeric() || b"._+-".contains(b);
    let len = input[at..].iter().take_while(of_name).count();
    let end = at + len;
    if len == 0 || len > 64 || input[end - 1] == b'.' {
        return None;
    }
    let local = Disguise::new(at).copy(input, end);
    if input.get(end) == Some(&b'@') {
        let address = host(input, local.mark(end + 1, b"@"), false)?;
        return Some(as_written(address, input).given(b"mailto:"));
    }
    let from = end + blanks(input, end, 4);
    let (sign, _) = in_brackets(input, from, &["@", "at"], b"[({")?;
    let sign = sign + blanks(input, sign, 4);
    Some(host(input, local.mark(sign, b"@"), true)?.given(b"mailto:"))
}

/// A piece that means itself is no mark.
fn as_written(mut disguise: Disguise, input: &[u8]) -> Disguise {
    for piece in &mut disguise.pieces {
        piece.is_copy |= piece.text == input[piece.from..piece.to];
    }
    disguise
}

/// Adds the host at the end of `disguise`; `marked`: a strong mark is before it.
fn host(input: &[u8], disguise: Disguise, marked: bool) -> Option<Disguise> {
    let start = disguise.end;
    let head = disguise.text();
    let is_address = head.ends_with(b"@");
    let mut all = disguise;
    let mut ends: Vec<(usize, usize, bool, bool)> = Vec::new();
    let (mut strong, mut weak) = (marked, false);
    loop {
        let from = all.end;
        let end = label_end(input, from);
        if end == from || end - start > 400 {
            return None;
        }
        all = all.copy(input, end);
        let last = char::from(input[end - 1]);
        let last = if last.is_ascii() { last } else { char::MAX };
        let plain =
            input.get(end) == Some(&b'.') && !input.get(end + 1).is_some_and(|b| b"])".contains(b));
        let next = match plain {
            true => begins_label(input, end + 1).then_some((end + 1, None)),
            false if end < input.len() => dot(input, end, last)
                .filter(|(next, _)| begins_label(input, *next))
                .map(|(next, is_strong)| (next, Some(is_strong))),
            false => None,
        };
        let Some((next, mark)) = next else {
            ends.push((all.pieces.len(), end, strong, weak));
            break;
        };
        if b" \t".contains(&input[end]) {
            ends.push((all.pieces.len(), end, strong, weak));
        }
        all = match mark {
            None => all.copy(input, next),
            Some(is_strong) => {
                strong |= is_strong;
                weak |= !is_strong;
                all.mark(next, b".")
            }
        };
    }
    // The longest host counts; a shorter one only if it ends before blanks.
    let counted: Vec<_> = ends
        .iter()
        .filter(|(pieces, _, strong, weak)| {
            let text = all.pieces[..*pieces]
                .iter()
                .flat_map(|piece| piece.text.clone());
            let host = text.collect::<Vec<u8>>().split_off(head.len());
            counts(&host, *strong, *weak)
        })
        .collect();
    let last = *ends.last()?;
    let fits = |found: &&(usize, usize, bool, bool)| {
        let (pieces, end, ..) = **found;
        let text = all.pieces[..pieces]
            .iter()
            .flat_map(|piece| piece.text.clone());
        let host = text.collect::<Vec<u8>>().split_off(head.len());
        let call = input.get(end).is_some_and(|b| b"(@".contains(b))
            && in_brackets(input, end, &["@", "at"], b"[({").is_none();
        !(call || is_address && is_ipv4(&host))
    };
    let whole = counted
        .iter()
        .copied()
        .find(|found| found.1 == last.1)
        .filter(fits);
    let shorter = || {
        let before = counted.iter().copied().rfind(|found| found.1 != last.1);
        before.filter(fits)
    };
    let &(pieces, end, ..) = whole.or_else(shorter)?;
    all.pieces.truncate(pieces);
    all.end = end;
    Some(all)
}

fn counts(host: &[u8], strong: bool, weak: bool) -> bool {
    if !(strong || weak && starts(host, "www.")) {
        return false;
    }
    let labels: Vec<&[u8]> = host.split(|&b| b == b'.').collect();
    let last = labels[labels.len() - 1];
    match last.iter().all(u8::is_ascii_digit) {
        true => is_ipv4(host),
        false => labels.len() > 1 && is_known(last),
    }
}

fn is_ipv4(host: &[u8]) -> bool {
    let labels: Vec<&[u8]> = host.split(|&b| b == b'.').collect();
    let number = |label: &&[u8]| {
        let digits = !label.is_empty() && label.len() < 4 && label.iter().all(u8::is_ascii_digit);
        digits && str::from_utf8(label).is_ok_and(|text| text.parse::<u16>().is_ok_and(|n| n < 256))
    };
    labels.len() == 4 && labels.iter().all(number)
}

fn ipv6(input: &[u8], at: usize) -> Option<Disguise> {
    let mut pieces: Vec<(usize, usize, u8, bool)> = Vec::new();
    let mut end = at;
    while end < input.len() && end - at < 400 {
        let mark = ["[.]", "[dot]", "[:]"]
            .iter()
            .find(|mark| starts(&input[end..], mark));
        let byte = input[end];
        let (next, sign, marked) = match mark {
            Some(&"[:]") => (end + 3, b':', true),
            Some(mark) => (end + mark.len(), b'.', true),
            None if byte.is_ascii_hexdigit() || b":.".contains(&byte) => (end + 1, byte, false),
            None => break,
        };
        pieces.push((end, next, sign, marked));
        end = next;
    }
    let marked = pieces.iter().any(|piece| piece.3);
    type Sign = (usize, usize, u8, bool);
    let text = |pieces: &[Sign]| pieces.iter().map(|piece| piece.2).collect::<Vec<u8>>();
    while let Some(last) = pieces.last() {
        let all = text(&pieces);
        if last.2 == b'.' || last.2 == b':' && !all.ends_with(b"::") {
            end = last.0;
            pieces.pop();
        } else {
            break;
        }
    }
    let all = text(&pieces);
    let groups = all.split(|&b| b == b':').filter(|group| !group.is_empty());
    let parsed = str::from_utf8(&all).ok()?.parse::<std::net::Ipv6Addr>();
    if !marked || groups.count() < 3 || parsed.is_err() || begins_label(input, end) {
        return None;
    }
    let count = pieces.len();
    let mut disguise = Disguise::new(at);
    for (number, (_, to, sign, is_mark)) in pieces.into_iter().enumerate() {
        disguise = match (number + 1 == count, is_mark) {
            (true, _) => disguise.mark(to, &[sign, b']']),
            (false, true) => disguise.mark(to, &[sign]),
            (false, false) => disguise.copy(input, to),
        };
    }
    Some(disguise.given(b"http://["))
}

fn label_end(input: &[u8], at: usize) -> usize {
    let rest = &input[at.min(input.len())..];
    let rest = &rest[..rest.len().min(500)];
    let valid = match str::from_utf8(rest) {
        Ok(text) => text,
        Err(error) => str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
    };
    let len = valid.find(|c: char| match c.is_ascii() {
        true => !c.is_ascii_alphanumeric() && c != '-' && c != '_',
        false => !c.is_alphanumeric(),
    });
    at + len.unwrap_or(valid.len())
}
