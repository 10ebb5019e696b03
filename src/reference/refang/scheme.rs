//! Disguised schemes, and what means `://` (I8, I9).

use super::marks::{begins_label, blanks, dot, is_break, reference, starts};

/// The words for `http`, which an `s` may follow, and those for other schemes.
const FOR_HTTP: [&str; 12] = [
    "hxxp", "htxp", "hxtp", "hzzp", "hxxx", "h**p", "h__p", "ht_tp", "htp", "hxp", "meow", "xxxx",
];

const FOR_OTHERS: [(&str, &str); 4] = [
    ("fxp", "ftp"),
    ("ftx", "ftp"),
    ("sxtp", "sftp"),
    ("sftx", "sftp"),
];

/// The schemes that are written as they are.
const PLAIN: [&str; 5] = ["https", "http", "ftps", "ftp", "sftp"];

/// The end of a separator, whether it differs from `://`, and whether it has backslashes.
pub(super) type Separated = (usize, bool, bool);

/// Returns the words that may be a scheme, and the schemes, longer ones first.
fn words() -> Vec<(String, &'static str)> {
    let mut words = Vec::new();
    for word in FOR_HTTP {
        words.push((format!("{word}s"), "https"));
        words.push((word.to_owned(), "http"));
    }
    words.extend(FOR_OTHERS.map(|(word, scheme)| (word.to_owned(), scheme)));
    words
}

/// Returns the end of the disguised scheme at `at`, the scheme, and its separator.
pub(super) fn disguised_scheme(
    input: &[u8],
    at: usize,
    apart: bool,
) -> Option<(usize, Vec<u8>, Option<Separated>)> {
    let rest = &input[at..];
    let bracket = b"[({".contains(&rest[0]);
    if bracket {
        let plain = PLAIN.iter().map(|&word| (word.to_owned(), word));
        let closes = |end: usize| input.get(end).is_some_and(|b| b"])}".contains(b));
        let (word, scheme) = plain
            .chain(words())
            .find(|(word, _)| starts(&rest[1..], word) && closes(at + 1 + word.len()))?;
        let end = at + 2 + word.len();
        let separator = separator(input, end, false)?;
        return Some((end, scheme.into(), Some(separator)));
    }
    for (word, scheme) in words() {
        let is_hxxp = word.starts_with("hxxp");
        if !starts(rest, &word) || !apart && !is_hxxp {
            continue;
        }
        let end = at + word.len();
        let separator = separator(input, end, false);
        let colon = [":", "\\", "[:"]
            .iter()
            .any(|colon| starts(&input[end..], colon));
        if separator.is_none() && !(is_hxxp && colon) {
            continue;
        }
        let mut scheme = scheme.as_bytes().to_vec();
        if is_hxxp {
            // The other letters stay.
            scheme[0] = rest[0];
            scheme[3..].copy_from_slice(&rest[3..word.len()]);
        }
        return Some((end, scheme, separator));
    }
    if !apart {
        return None;
    }
    if let Some(word) = PLAIN.iter().find(|word| starts(rest, word)) {
        let end = at + word.len();
        let written = input.get(end) == Some(&b':')
            && !input.get(end + 3).is_some_and(|b| b" \t".contains(b));
        if !written
            && let Some(separator) = separator(input, end, true)
            && separator.1
        {
            return Some((end, (*word).into(), Some(separator)));
        }
    }
    spaced_scheme(input, at)
}

/// I8: a scheme whose letters are between blanks.
fn spaced_scheme(input: &[u8], at: usize) -> Option<(usize, Vec<u8>, Option<Separated>)> {
    let plain = PLAIN.iter().map(|&word| (word.to_owned(), word));
    for (word, scheme) in plain.chain(words()) {
        let mut end = at;
        let fits = word.bytes().enumerate().all(|(number, letter)| {
            let from = if number == 0 {
                end
            } else {
                end + blanks(input, end, 2)
            };
            let apart = number == 0 || from > end;
            end = from + 1;
            apart
                && input
                    .get(from)
                    .is_some_and(|b| b.eq_ignore_ascii_case(&letter))
        });
        let mut to = end;
        let separated = fits
            && b"://".iter().all(|sign| {
                let from = to + blanks(input, to, 2);
                to = from + 1;
                input.get(from) == Some(sign)
            });
        if separated {
            let to = to + blanks(input, to, 8);
            if begins_label(input, to) && has_dot(input, to, false) {
                return Some((end, scheme.into(), Some((to, true, false))));
            }
        }
    }
    None
}

/// I9: returns the end of the separator at `at`, whether it differs from `://`, and whether it
/// has backslashes. A weak one counts before a host with a dot; `strongly`: with a mark for one.
fn separator(input: &[u8], at: usize, strongly: bool) -> Option<Separated> {
    let strong = strong_separator(input, at);
    let rest = input.get(at..)?;
    let (weak, is_weak) = match strong {
        Some((end, ..)) => {
            let weak = end + blanks(input, end, 8);
            (weak, weak > end)
        }
        None if rest.starts_with(b"//") || rest.starts_with(b"__") => (at + 2, true),
        None => return None,
    };
    if is_weak && begins_label(input, weak) && has_dot(input, weak, strongly) {
        return Some((weak, true, strong.is_some_and(|strong| strong.2)));
    }
    strong
}

/// Returns the separator behind a scheme that is written as it is.
pub(super) fn separator_behind(input: &[u8], at: usize) -> Option<Separated> {
    let strong = strong_separator(input, at)?;
    match strong.1 {
        true => separator(input, at, false),
        false => Some(strong),
    }
}

/// Returns the `://` at `at`, some signs of which may be in brackets or references.
fn strong_separator(input: &[u8], at: usize) -> Option<Separated> {
    let mut end = at;
    let mut marked = false;
    let mut open = None;
    let mut read = 0;
    loop {
        let sign = b"://".get(read).copied();
        if read == 1
            && open.is_none()
            && starts(input.get(end..)?, "\\\\")
            && begins_label(input, end + 2)
        {
            return Some((end + 2, true, true));
        }
        if let Some((next, reference)) = sign.and_then(|sign| sign_at(input, end, sign)) {
            marked |= reference;
            (end, read) = (next, read + 1);
        } else if let Some(from) = open {
            let closes = input.get(end).is_some_and(|b| b"])}".contains(b));
            if read == from || !closes {
                return None;
            }
            (open, marked, end) = (None, true, end + 1);
        } else if sign.is_some() && input.get(end).is_some_and(|b| b"[({".contains(b)) {
            (open, end) = (Some(read), end + 1);
        } else if sign.is_none() {
            return Some((end, marked, false));
        } else {
            return None;
        }
    }
}

/// Returns the end of `sign` at `at`, and whether it is a reference.
fn sign_at(input: &[u8], at: usize, sign: u8) -> Option<(usize, bool)> {
    let rest = input.get(at..)?;
    let escapes: &[&str] = match sign {
        b'/' => &["/", "\\/", "\\\\/"],
        _ => &[":"],
    };
    if let Some(escape) = escapes.iter().find(|escape| starts(rest, escape)) {
        return Some((at + escape.len(), false));
    }
    reference(input, at, sign).map(|end| (end, true))
}

fn has_dot(input: &[u8], at: usize, strongly: bool) -> bool {
    let end = (at + 256).min(input.len());
    let stop = input[at..end]
        .iter()
        .position(|&b| is_break(b) || b"/?#".contains(&b));
    (at..stop.map_or(end, |len| at + len)).any(|place| match input[place] {
        b'.' => !strongly,
        b'[' | b'(' | b'{' | b'&' => dot(input, place, ' ').is_some_and(|(_, strong)| strong),
        _ => false,
    })
}
