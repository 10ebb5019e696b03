//! Marks for a sign of a host, a path or an address (I8).

/// Returns the end of the mark for a dot at `at`, and whether it is strong.
pub(super) fn dot(input: &[u8], at: usize, prev: char) -> Option<(usize, bool)> {
    let between = prev.is_ascii_alphanumeric() || !prev.is_ascii();
    let strong = match reference(input, at, b'.') {
        Some(end) => Some((end, true)),
        None => dot_in_brackets(input, at),
    };
    if let Some((end, true)) = strong {
        let next = end + blanks(input, end, 4);
        return Some(match next > end && between && begins_label(input, next) {
            true => (next, false),
            false => (end, true),
        });
    }
    let rest = &input[at..];
    let wide = ["\u{3002}", "\u{FF0E}", "\u{FF61}", "\u{2024}"];
    if wide.iter().any(|dot| rest.starts_with(dot.as_bytes())) {
        let next = rest.get(3).is_some_and(u8::is_ascii_alphanumeric);
        return (prev.is_ascii_alphanumeric() && next).then_some((at + 3, false));
    }
    let one_sided = ["[.", "(.", ".]", ".)", "\\."]
        .iter()
        .any(|mark| starts(rest, mark));
    let end = match strong {
        Some((end, _)) => end,
        None if one_sided => at + 2,
        None if b" \t".contains(&rest[0]) => {
            let word = at + blanks(input, at, 4);
            let spelled = starts(input.get(word..)?, "dot")
                && input.get(word + 3).is_some_and(|b| b" \t".contains(b));
            let end = match spelled {
                true => word + 3,
                false => dot_in_brackets(input, word)?.0,
            };
            end + blanks(input, end, 4)
        }
        None => return None,
    };
    (between && begins_label(input, end)).then_some((end, false))
}

pub(super) fn dot_in_brackets(input: &[u8], at: usize) -> Option<(usize, bool)> {
    let words = [".", "dot", "d0t", "punkt", "punto", ","];
    let (end, word) = in_brackets(input, at, &words, b"[({")?;
    Some((end, !(word == "," && input[at] == b'(')))
}

/// Returns the end of the brackets at `at`, once or twice, and the word in them.
pub(super) fn in_brackets<'w>(
    input: &[u8],
    at: usize,
    words: &[&'w str],
    openers: &[u8],
) -> Option<(usize, &'w str)> {
    let open = input.get(at).filter(|b| openers.contains(b))?;
    let times = if input.get(at + 1) == Some(open) {
        2
    } else {
        1
    };
    let from = at + times + blanks(input, at + times, 4);
    words.iter().find_map(|word| {
        let end = from + word.len();
        starts(input.get(from..)?, word).then_some(())?;
        let end = end + blanks(input, end, 4);
        let closers = input.get(end..end + times)?;
        closers
            .iter()
            .all(|b| b"])}".contains(b))
            .then_some((end + times, *word))
    })
}

pub(super) fn sign_of_authority(input: &[u8], at: usize) -> Option<(usize, u8)> {
    if input[at] == b'&' {
        return b":./"
            .iter()
            .find_map(|&sign| Some((reference(input, at, sign)?, sign)));
    }
    let rows: [(&str, &[u8]); 5] = [
        ("@", b"[({"),
        ("at", b"[({"),
        (":", b"[("),
        ("-", b"["),
        ("/", b"["),
    ];
    rows.into_iter().find_map(|(word, openers)| {
        let (end, _) = in_brackets(input, at, &[word], openers)?;
        Some((
            end,
            if word == "at" {
                b'@'
            } else {
                word.as_bytes()[0]
            },
        ))
    })
}

/// Returns the end of the character reference for `sign` at `at`.
pub(super) fn reference(input: &[u8], at: usize, sign: u8) -> Option<usize> {
    let rest = input.get(at..)?.strip_prefix(b"&")?;
    let len = rest.iter().take(10).position(|&b| b == b';')?;
    let name = String::from_utf8(rest[..len].to_ascii_lowercase()).ok()?;
    let value = match name.strip_prefix('#') {
        Some(digits) => {
            let (digits, radix) = match digits.strip_prefix('x') {
                Some(digits) => (digits, 16),
                None => (digits, 10),
            };
            let fits = digits.len() < 7 && digits.chars().all(|c| c.is_digit(radix));
            u32::from_str_radix(digits, radix).ok().filter(|_| fits)?
        }
        None => match &name[..] {
            "colon" => 0x3A,
            "period" => 0x2E,
            "sol" => 0x2F,
            _ => return None,
        },
    };
    (value == u32::from(sign)).then_some(at + 1 + len + 1)
}

/// I8: returns the end of the lookup at `at` and the text that it means.
pub(super) fn lookup(
    input: &[u8],
    at: usize,
    limit: usize,
    depth: usize,
) -> Option<(usize, Vec<u8>)> {
    if depth == 0 || !starts(input.get(at..)?, "${") {
        return None;
    }
    let mut body = Vec::new();
    let mut next = at + 2;
    while next < limit && *input.get(next)? != b'}' {
        let byte = input[next];
        if byte == b'$' {
            let (end, text) = lookup(input, next, limit, depth - 1)?;
            body.extend(text);
            next = end;
            continue;
        }
        if is_break(byte) || !byte.is_ascii() || byte == b'{' {
            return None;
        }
        body.push(byte);
        next += 1;
    }
    if next >= limit {
        return None;
    }
    let cased = starts(&body, "lower:") || starts(&body, "upper:");
    let head = match cased {
        true => 6,
        false => {
            let head = body.windows(2).position(|pair| pair == b":-")?;
            (!body[..head].contains(&b'/')).then_some(head + 2)?
        }
    };
    Some((next + 1, body.split_off(head)))
}

pub(super) fn is_break(byte: u8) -> bool {
    byte <= b' ' || byte == 0x7F || b"<>\"`".contains(&byte)
}

pub(super) fn begins_label(input: &[u8], at: usize) -> bool {
    input
        .get(at)
        .is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80)
}

pub(super) fn blanks(input: &[u8], at: usize, most: usize) -> usize {
    let rest = input.get(at..).unwrap_or_default();
    rest.iter()
        .take(most)
        .take_while(|b| b" \t".contains(b))
        .count()
}

pub(super) fn starts(text: &[u8], word: &str) -> bool {
    text.get(..word.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
}
