//! I12: hosts and addresses of IP without a scheme.

use super::chars::{Number, char_at, char_before, joins, prefix_of};
use crate::item::IdentifierKind;
use crate::reference::start;
use crate::syntax::top_level::is_known;

/// Returns the host or address whose first dot is at `at`, or whose first colon is before it.
pub(super) fn at(text: &[u8], at: usize) -> Option<Number> {
    let colon = at > 0 && text[at - 1] == b':';
    let sign = match text.get(at) {
        _ if colon => at - 1,
        Some(b'.') => at,
        _ => return None,
    };
    let from = start_of(text, sign)?;
    if colon {
        return ipv6(text, from, sign);
    }
    match from < sign {
        true => {
            let after_colon = from > 0 && text[from - 1] == b':';
            ipv4(text, from).or_else(|| name(text, from).filter(|_| !after_colon))
        }
        false => None,
    }
}

/// Returns where the word before the sign begins, if a host may begin there.
fn start_of(text: &[u8], sign: usize) -> Option<usize> {
    let mut run = sign;
    while let Some(c) = char_before(text, run).filter(|&c| joins(c) || "-_".contains(c)) {
        run -= c.len_utf8();
    }
    let from = run + start::escape_tail(text, run, sign);
    let free = match char_before(text, run) {
        Some('\\' | '%') => from > run,
        Some(':') => char_before(text, run - 1).is_some_and(|c| joins(c) && !c.is_ascii_digit()),
        Some(c) => !"@/.$".contains(c),
        None => true,
    };
    let begins = from == sign || !b"-_".contains(&text[from]);
    (free && begins && sign - run <= 71).then_some(from)
}

fn name(text: &[u8], from: usize) -> Option<Number> {
    let mut host = prefix_of(&text[from..], |c| joins(c) || ".-_".contains(c));
    if let Some(dots) = host.windows(2).position(|pair| pair == b"..") {
        host = &host[..dots + 1];
    }
    if host.len() > 254 {
        return None;
    }
    let signs = host.iter().rev().take_while(|b| b".-_".contains(b)).count();
    host = &host[..host.len() - signs];
    let labels: Vec<&[u8]> = host.split(|&b| b == b'.').collect();
    let last = *labels.last()?;
    let fits = |label: &&[u8]| {
        !label.is_empty() && label.len() < 64 && !label.starts_with(b"-") && !label.ends_with(b"-")
    };
    let mixed = last.iter().any(u8::is_ascii_lowercase) && last.iter().any(u8::is_ascii_uppercase);
    let others = &labels[..labels.len() - 1];
    if others.is_empty() || !others.iter().all(fits) || !is_known(last) || mixed {
        return None;
    }
    let among = |label: &[u8], names: &str| {
        let lower = label.to_ascii_lowercase();
        names.split(' ').any(|name| name.as_bytes() == lower)
    };
    let letter = |label: &[u8]| label.len() == 1 && label[0].is_ascii_alphabetic();
    if labels.len() > 2 && among(labels[0], "com org net edu gov io")
        || labels
            .windows(2)
            .any(|two| letter(two[0]) && letter(two[1]))
    {
        return None;
    }
    let to = from + host.len();
    let rest = &text[to..];
    let file = labels.len() == 2 && among(last, "md rs zip py sh pl cc ps so app mov");
    let goes_on = matches!(rest, [b'/', ..] | [b':', b'0'..=b'9', ..]);
    if rest.starts_with(b"(") || rest.starts_with(b"@") || file && !goes_on {
        return None;
    }
    Some(Number {
        kind: IdentifierKind::Host,
        uri: [b"http://", &host.to_ascii_lowercase()[..]].concat(),
        from,
        to,
    })
}

fn ipv4(text: &[u8], from: usize) -> Option<Number> {
    let digits = text[from..]
        .iter()
        .take_while(|b| b.is_ascii_digit() || **b == b'.');
    let run = &text[from..from + digits.count()];
    let parts: Vec<&[u8]> = run.split(|&b| b == b'.').collect();
    let number = |part: &&[u8]| {
        let value = str::from_utf8(part)
            .ok()
            .and_then(|part| part.parse::<u16>().ok());
        part.len() < 4
            && value.is_some_and(|value| value < 256)
            && (part.len() == 1 || part[0] != b'0')
    };
    let four = parts.get(..4)?;
    // A dot may end a sentence.
    let rest = &parts[4..];
    let ended = rest.is_empty() || rest[0].is_empty();
    if !four.iter().all(number) || !ended {
        return None;
    }
    let len = four.iter().map(|part| part.len()).sum::<usize>() + 3;
    let before = &text[..from];
    let mut end = from;
    while from - end < 3 && end > 0 && b" \t".contains(&text[end - 1]) {
        end -= 1;
    }
    let version = ["v", "version", "release"].iter().any(|word| {
        let start = end.checked_sub(word.len());
        start.is_some_and(|start| {
            text[start..end].eq_ignore_ascii_case(word.as_bytes())
                && !char_before(text, start).is_some_and(joins)
        })
    });
    if before.ends_with(b"==") || before.ends_with(b"-") || version {
        return None;
    }
    ended_ip(text, from, from + len, &text[from..from + len])
}

fn ipv6(text: &[u8], from: usize, sign: usize) -> Option<Number> {
    let run = text[from..]
        .iter()
        .take_while(|b| b.is_ascii_hexdigit() || b":.".contains(b));
    let run = &text[from..from + run.count()];
    if sign - from > 4 || run.len() > 45 {
        return None;
    }
    let mut written = str::from_utf8(run).ok()?.trim_end_matches('.');
    if written.ends_with(':') && !written.ends_with("::") {
        written = &written[..written.len() - 1];
    }
    let groups = written.split(':').filter(|group| !group.is_empty()).count();
    let address: std::net::Ipv6Addr = written.parse().ok()?;
    if groups < 3 || !written.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let shown = format!("[{address}]");
    ended_ip(text, from, from + written.len(), shown.as_bytes())
}

/// Returns the address from `from` to `to`, unless it goes on there, or is that of a network.
fn ended_ip(text: &[u8], from: usize, to: usize, shown: &[u8]) -> Option<Number> {
    let next = text.get(to + 1);
    let goes_on = match text.get(to) {
        Some(b'_') => true,
        Some(b'/') => next.is_some_and(u8::is_ascii_digit),
        Some(b'.') => char_at(text, to + 1).is_some_and(joins),
        Some(b'-') => next.is_some_and(u8::is_ascii_alphabetic),
        _ => char_at(text, to).is_some_and(joins),
    };
    (!goes_on).then(|| Number {
        kind: IdentifierKind::Ip,
        uri: [b"http://", shown].concat(),
        from,
        to,
    })
}
