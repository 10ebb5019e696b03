//! Lines of syslog (I26): whether a line begins with a header of RFC 3164, of RFC 5424, or
//! with a time of RFC 3339 and a tag.

const MONTHS: &str = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec";

/// I26: whether the `#` at `at` begins a control character in octal digits, in the first 8
/// KiB of a line of syslog.
pub fn is_control(input: &[u8], at: usize) -> bool {
    let Some([b'#', digits @ ..]) = input.get(at..at + 4) else {
        return false;
    };
    let value = digits.iter().try_fold(0u32, |value, digit| {
        Some(value * 8 + (*digit as char).to_digit(8)?)
    });
    if !value.is_some_and(|value| value < 0o40 || value == 0o177) {
        return false;
    }
    let start = input[..at]
        .iter()
        .rposition(|b| b"\n\r\x0C".contains(b))
        .map_or(0, |last| last + 1);
    at - start <= 8192 && begins_line(&input[start..at])
}

/// Whether `line` begins with a header.
fn begins_line(line: &[u8]) -> bool {
    let after = priority(line);
    let rest = &line[after.unwrap_or(0)..];
    if after.is_some() && is_rfc5424(rest) {
        return true;
    }
    match (rfc3164_time(rest), rfc3339_time(rest)) {
        (Some(len), _) => follows_time(&rest[len..], false),
        (None, Some(len)) => follows_time(&rest[len..], true),
        (None, None) => false,
    }
}

/// The length of `<13>`.
fn priority(line: &[u8]) -> Option<usize> {
    let close = line.iter().take(5).position(|&b| b == b'>')?;
    let digits = line[..close].strip_prefix(b"<")?;
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(close + 1)
}

/// Whether a blank, a host or none, and a tag or none follow the time.
fn follows_time(text: &[u8], needs_tag: bool) -> bool {
    let Some(first) = after_blanks(text) else {
        return false;
    };
    if is_tag(first) {
        return true;
    }
    let host = first.iter().take_while(|b| **b > b' ').count();
    if host == 0 || host > 255 {
        return false;
    }
    match after_blanks(&first[host..]) {
        Some(second) => !needs_tag || is_tag(second),
        None => false,
    }
}

/// The text after one blank or more.
fn after_blanks(text: &[u8]) -> Option<&[u8]> {
    let blanks = text.iter().take_while(|b| **b == b' ').count();
    (blanks > 0).then(|| &text[blanks..])
}

/// Whether `text` begins with `tag:` or `tag[process]:`, and a blank or nothing follows. All
/// of that has at most 128 bytes.
fn is_tag(text: &[u8]) -> bool {
    let sight = &text[..text.len().min(128)];
    let of_name = |b: &u8| b.is_ascii_alphanumeric() || b"-_./()@%+".contains(b);
    let name = sight.iter().take_while(|b| of_name(b)).count();
    let mut rest = &sight[name..];
    if rest.first() == Some(&b'[') {
        let Some(end) = rest.iter().position(|b| b"] ".contains(b)) else {
            return false;
        };
        if rest[end] == b' ' {
            return false;
        }
        rest = &rest[end + 1..];
    }
    let len = sight.len() - rest.len() + 1;
    name > 0 && rest.first() == Some(&b':') && matches!(text.get(len), None | Some(b' '))
}

/// The length of `Oct  5 01:43:14` with or without a fraction.
fn rfc3164_time(text: &[u8]) -> Option<usize> {
    let month = std::str::from_utf8(text.get(..3)?).ok()?;
    if !MONTHS.split(' ').any(|name| name == month) || text.get(3) != Some(&b' ') {
        return None;
    }
    let day = if text.get(4) == Some(&b' ') { 5 } else { 4 };
    let digits = count_digits(&text[day..]);
    let clock = day + digits;
    if !matches!(digits, 1 | 2) || !fits(text.get(clock..)?, " 00:00:00") {
        return None;
    }
    let end = clock + 9;
    Some(match text.get(end) {
        Some(b'.') => end + 1 + count_digits(&text[end + 1..]),
        _ => end,
    })
}

/// The length of `2026-10-05T01:43:16.5+02:00`.
fn rfc3339_time(text: &[u8]) -> Option<usize> {
    let date = fits(text, "0000-00-00") && fits(text.get(11..)?, "00:00:00");
    if !date || !matches!(text[10], b'T' | b't') {
        return None;
    }
    let mut end = 19;
    if text.get(end) == Some(&b'.') {
        let digits = count_digits(&text[end + 1..]);
        if digits == 0 {
            return None;
        }
        end += 1 + digits;
    }
    match text.get(end)? {
        b'Z' | b'z' => Some(end + 1),
        b'+' | b'-' if fits(&text[end + 1..], "00:00") => Some(end + 6),
        _ => None,
    }
}

/// Whether `text` begins with these characters, where `0` is any digit.
fn fits(text: &[u8], form: &str) -> bool {
    text.len() >= form.len()
        && text
            .iter()
            .zip(form.bytes())
            .all(|(&byte, wanted)| match wanted {
                b'0' => byte.is_ascii_digit(),
                wanted => byte == wanted,
            })
}

fn count_digits(text: &[u8]) -> usize {
    text.iter().take_while(|b| b.is_ascii_digit()).count()
}

/// Whether the fields of RFC 5424 follow the priority.
fn is_rfc5424(text: &[u8]) -> bool {
    let version = count_digits(text);
    if !(1..=3).contains(&version) || text[0] == b'0' {
        return false;
    }
    let Some(rest) = text[version..].strip_prefix(b" ") else {
        return false;
    };
    let time = match rest.first() {
        Some(b'-') => Some(1),
        _ => rfc3339_time(rest),
    };
    let Some(mut rest) = time.and_then(|len| rest[len..].strip_prefix(b" ")) else {
        return false;
    };
    for most in [255, 48, 128, 32] {
        let len = rest.iter().take_while(|b| **b > b' ').count();
        match rest[len..].strip_prefix(b" ") {
            Some(next) if (1..=most).contains(&len) => rest = next,
            _ => return false,
        }
    }
    let after = match rest.first() {
        Some(b'-') => &rest[1..],
        Some(b'[') => match after_data(rest) {
            Some(after) => after,
            None => return false,
        },
        _ => return false,
    };
    matches!(after.first(), None | Some(b' '))
}

/// The text after the structured data.
fn after_data(mut text: &[u8]) -> Option<&[u8]> {
    while let Some(inside) = text.strip_prefix(b"[") {
        let mut quoted = false;
        let mut at = 0;
        while quoted || *inside.get(at)? != b']' {
            match *inside.get(at)? {
                b'\\' if quoted => at += 1,
                b'"' => quoted = !quoted,
                _ => {}
            }
            at += 1;
        }
        text = &inside[at + 1..];
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::syslog;
    use proptest::prelude::*;
    use proptest::sample::select;

    const PIECES: &[&str] = &[
        "<13>",
        "<1>",
        "<1300>",
        "Oct  5 01:43:14",
        "Oct 15 01:43:14.5",
        "Okt",
        "Oct 5",
        "2026-10-05T01:43:16Z",
        "2026-10-05T01:43:16.5+02:00",
        "2026-10-05 01:43:16",
        " ",
        "  ",
        "h",
        "app:",
        "app[1]:",
        "app[",
        "]",
        "1 ",
        "12 ",
        "0 ",
        "- ",
        "-",
        "[x@1 u=\"a\\\"]\"]",
        "[x",
        "http://a",
        ":",
        "\u{e9}",
    ];

    proptest! {
        #[test]
        fn headers_are_judged_alike(
            pieces in proptest::collection::vec(select(PIECES), 0..14),
            most in 0usize..400,
        ) {
            let line = pieces.concat() + &"x".repeat(most);
            let wanted = syslog::header(line.as_bytes()).is_some_and(|h| h.escapes_controls());
            prop_assert_eq!(begins_line(line.as_bytes()), wanted, "{}", line);
        }
    }

    #[test]
    fn typical_headers() {
        for (line, is_header) in [
            ("<13>Oct  5 01:43:14 h app: x", true),
            ("Oct  5 01:43:14 app[7]: x", true),
            ("<13>1 2026-10-05T01:43:16Z h a 1 - - x", true),
            ("<13>1 - - - - - [x@1 u=\"a]\"] x", true),
            ("2026-10-05T01:43:16Z h app: x", true),
            ("2026-10-05T01:43:16Z stdout F x", false),
            ("Oct  5 x", false),
        ] {
            assert_eq!(begins_line(line.as_bytes()), is_header, "{line}");
        }
    }
}
