//! The beginning of an address: two in one value, a scheme that is misspelt or missing.

use super::draft::Draft;
use crate::engine::is_uri;
use crate::syntax::domain::is_top_level;
use crate::syntax::{scheme, urn};

/// Whether the value begins with a scheme.
pub(super) fn has_one(value: &str) -> bool {
    scheme::prefix_len(value.as_bytes()).is_some()
}

/// Returns where addresses begin in `lower`, a text in small letters.
fn beginnings(lower: &str) -> impl Iterator<Item = usize> {
    memchr::memchr_iter(b':', lower.as_bytes()).filter_map(|colon| {
        let (before, after) = (&lower.as_bytes()[..colon], &lower.as_bytes()[colon + 1..]);
        if before.ends_with(b"urn") {
            let at = colon - "urn".len();
            return urn::nid(&lower.as_bytes()[at..]).map(|_| at);
        }
        let words = [&b"http"[..], b"https", b"ftp"];
        let word = words.iter().find(|word| before.ends_with(word))?;
        after.starts_with(b"//").then(|| colon - word.len())
    })
}

/// text-before
pub(super) fn text_before(draft: &mut Draft) {
    let lower = draft.value.to_ascii_lowercase();
    let Some(at) = beginnings(&lower).next() else {
        return;
    };
    let before = &lower[..at];
    let word = before.trim_matches(|c: char| !c.is_alphanumeric());
    let is_text = before.ends_with([':', ' ', '\u{A0}'])
        && word.contains(char::is_alphabetic)
        // `URL:` and schemes that are misspelt are rows of their own.
        && !matches!(word, "url" | "http" | "https" | "ftp" | "urn")
        && !before.contains(['/', '.', '\\'])
        && !draft.value[at..].contains([' ', '\t', '\u{A0}']);
    if is_text && spelt(&draft.value).is_none() {
        let address = draft.value[at..].to_owned();
        draft.hit("text-before", Some(address));
    }
}

/// Whether a value is one address because no other colon is behind its scheme: a proof for most.
#[cfg(feature = "marc")]
pub(in crate::catalog) fn is_one(value: &[u8]) -> bool {
    let plain = value.strip_prefix(b"http://");
    let rest = plain.or_else(|| value.strip_prefix(b"https://"));
    rest.is_some_and(|rest| memchr::memchr(b':', rest).is_none())
}

/// Returns the addresses of a value that has several.
#[cfg(feature = "marc")]
pub(in crate::catalog) fn addresses(value: &str) -> Vec<&str> {
    if inner(value).is_some() {
        return vec![value];
    }
    let lower = value.to_ascii_lowercase();
    let (mut found, mut from) = (Vec::new(), 0);
    let between = [' ', '\t', '\u{A0}', ';', ',', '|'];
    while let Some(len) = second(&lower[from..]) {
        found.push(value[from..from + len].trim_matches(between));
        from += len;
    }
    found.push(value[from..].trim_matches(between));
    found
}

/// two-uris: returns whether a second address begins inside the value.
pub(super) fn two(draft: &mut Draft) -> bool {
    let has_two = second(&draft.value.to_ascii_lowercase()).is_some();
    if has_two {
        draft.hit("two-uris", None);
    }
    has_two
}

/// Returns where the second address of `lower`, a value in small letters, begins.
fn second(lower: &str) -> Option<usize> {
    // `URL: http://a.example/` and `See http://a.example/` are one address, and so is
    // `hhttp://`.
    let is_more = |before: &str| {
        let words = ["/", "www.", "urn:", "doi:"];
        words.iter().any(|word| before.contains(word))
    };
    beginnings(lower).find(|&at| {
        let before = lower[..at].chars().next_back();
        before.is_some_and(|c| c.is_ascii_alphanumeric() || " \t\u{A0};,|".contains(c))
            && is_more(&lower[..at])
    })
}

/// nested-scheme: returns whether another scheme begins the host of an address, which stays so.
pub(super) fn nested(draft: &mut Draft) -> bool {
    let Some(inner) = inner(&draft.value) else {
        return false;
    };
    let whole = Some(inner).filter(|inner| is_uri(inner.as_bytes()));
    !draft.hit("nested-scheme", whole)
}

/// Returns the inner name of `http://nbnurn:nbn:de:1-x`.
fn inner(value: &str) -> Option<String> {
    let (_, rest) = web(value)?;
    let rest = rest.strip_prefix("://")?;
    let letters = rest.bytes().take_while(u8::is_ascii_alphabetic).count();
    let after = rest[letters..].strip_prefix(':')?;
    let name = rest[..letters].to_ascii_lowercase();
    let is_nbn = after.len() > 3
        && after.bytes().take(2).all(|byte| byte.is_ascii_alphabetic())
        && matches!(after.as_bytes()[2], b':' | b'-');
    if name.ends_with("urn") && urn::nid(format!("urn:{after}").as_bytes()).is_some() {
        return Some(rest[letters - "urn".len()..].to_owned());
    }
    if name.ends_with("nbn") && is_nbn {
        return Some(format!("urn:{}", &rest[letters - "nbn".len()..]));
    }
    let is_doi = name == "doi" && after.starts_with("10.");
    let is_info = name == "info" && after.starts_with(char::is_alphabetic);
    let is_web = matches!(&*name, "http" | "https" | "ftp");
    let is_other = after.starts_with("//") && !is_web && scheme::find(name.as_bytes()).is_some();
    (is_doi || is_info || is_other).then(|| rest.to_owned())
}

/// Whether a value that is not a URI was meant as an address: its scheme, or the signs after
/// it, are wrong.
#[cfg(feature = "marc")]
pub(in crate::catalog) fn is_nearly_uri(value: &str) -> bool {
    let is_place = |value: &str| web(value).is_some() && !value.contains([' ', '\u{A0}']);
    spelt(value).is_some_and(|repaired| is_place(&repaired))
        || [with_colon(value), with_slashes(value)]
            .into_iter()
            .flatten()
            .any(|repaired| is_place(&repaired))
}

/// The rows from misspelt-scheme to no-scheme. Returns whether the value has a scheme to
/// which the other rows of the table apply.
pub(super) fn repair(draft: &mut Draft) -> bool {
    if let Some(repaired) = spelt(&draft.value) {
        draft.hit("misspelt-scheme", Some(repaired));
    }
    if let Some(repaired) = with_colon(&draft.value) {
        draft.hit("missing-colon", Some(repaired));
    }
    if let Some(repaired) = with_slashes(&draft.value) {
        draft.hit("missing-slashes", Some(repaired));
    }
    if let Some(repaired) = with_scheme(&draft.value) {
        return draft.hit("missing-scheme", Some(repaired));
    }
    if is_without_scheme(&draft.value) {
        draft.hit("no-scheme", None);
        return false;
    }
    true
}

fn is_without_scheme(value: &str) -> bool {
    match scheme::prefix_len(value.as_bytes()) {
        None => true,
        // `note: see` is prose.
        Some(len) => {
            let is_known = scheme::find(&value.as_bytes()[..len]).is_some();
            !is_known && value[len + 1..].starts_with([' ', '\u{A0}'])
        }
    }
}

/// Splits `value` after `http`, `https` or `ftp`, in any case.
fn web(value: &str) -> Option<(&str, &str)> {
    ["https", "http", "ftp"].into_iter().find_map(|name| {
        let head = value.get(..name.len())?;
        head.eq_ignore_ascii_case(name)
            .then(|| value.split_at(name.len()))
    })
}

/// misspelt-scheme
fn spelt(value: &str) -> Option<String> {
    let mut rest = value;
    while let Some(second) = after_first_of_two(rest) {
        rest = second;
    }
    if rest.len() < value.len() {
        return Some(rest.to_owned());
    }
    if let Some((name, rest)) = web(value)
        && rest.starts_with("::")
    {
        return Some(format!("{name}:{}", rest.trim_start_matches(':')));
    }
    let (name, body) = value.split_once(':')?;
    let lower = name.to_ascii_lowercase();
    let is_name = lower.starts_with(|c: char| c.is_ascii_lowercase())
        && lower.bytes().all(|b| b.is_ascii_alphanumeric());
    if !is_name || scheme::find(lower.as_bytes()).is_some() {
        return None;
    }
    let near = |known: &&str| is_one_edit(&lower, known);
    let is_place = body.starts_with(['/', '\\']) || body.to_ascii_lowercase().starts_with("www.");
    let right = if is_place {
        let same_letters = (3..=8).contains(&lower.len())
            && ['h', 't', 'p'].iter().all(|&c| lower.contains(c))
            && lower.bytes().all(|b| b"htps".contains(&b));
        let by_letters = if lower.ends_with('s') {
            "https"
        } else {
            "http"
        };
        let known = ["http", "https", "ftp"].into_iter().find(near);
        known.or(same_letters.then_some(by_letters))?
    } else if body.starts_with("10.") {
        Some("doi").filter(near)?
    } else {
        let is_urn = urn::nid(format!("urn:{body}").as_bytes()).is_some();
        Some("urn").filter(|known| is_urn && near(known))?
    };
    Some(format!("{right}:{body}"))
}

/// Returns the second address of `http://http://a.example/`.
fn after_first_of_two(value: &str) -> Option<&str> {
    let (_, rest) = web(value)?;
    let rest = rest.strip_prefix([':', ';', '.', ',']).unwrap_or(rest);
    let second = rest.trim_start_matches('/');
    let slashes = rest.len() - second.len();
    let (_, after) = web(second)?;
    let begins = after.starts_with(":/")
        || after
            .strip_prefix([';', '.', ','])
            .unwrap_or(after)
            .starts_with("//");
    (begins && slashes <= 3 && second.len() < value.len()).then_some(second)
}

/// Whether one letter more, less or other, or two that change places, make `a` of `b`.
fn is_one_edit(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[head..], &b[head..]);
    match (a, b) {
        ([], [_]) | ([_], []) => true,
        ([x, y, after @ ..], [v, w, rest @ ..]) if x == w && y == v && after == rest => true,
        ([_, after @ ..], [_, rest @ ..]) => after == rest || after == b || a == rest,
        _ => false,
    }
}

/// missing-colon
fn with_colon(value: &str) -> Option<String> {
    let (name, rest) = web(value)?;
    let rest = rest.strip_prefix([';', '.', ',']).unwrap_or(rest);
    let rest = rest.strip_prefix("//")?;
    // `https//:a.example`
    let rest = match rest.strip_prefix(':') {
        Some(host) if host.starts_with(char::is_alphanumeric) => host,
        _ => rest,
    };
    Some(format!("{name}://{rest}"))
}

/// missing-slashes
fn with_slashes(value: &str) -> Option<String> {
    let (name, rest) = web(value)?;
    let rest = rest.strip_prefix(':')?;
    let body = rest.trim_start_matches(['/', '\\']);
    let fits =
        !rest.starts_with("//") && body.starts_with(|c: char| c.is_alphanumeric() || c == '[');
    let has_backslash = rest[..rest.len() - body.len()].contains('\\');
    fits.then(|| match has_backslash {
        true => format!("{name}://{}", body.replace('\\', "/")),
        false => format!("{name}://{body}"),
    })
}

/// missing-scheme
fn with_scheme(value: &str) -> Option<String> {
    let begins = |word: &str| {
        let head = value.get(..word.len())?;
        head.eq_ignore_ascii_case(word)
            .then(|| &value[word.len()..])
    };
    let host_of = |text: &str| {
        let end = text.find(['/', '?', '#', ':']).unwrap_or(text.len());
        text[..end].to_ascii_lowercase()
    };
    let is_host = |host: &str| {
        let label = |label: &str| {
            !label.is_empty()
                && label
                    .chars()
                    .all(|c| c.is_alphanumeric() || c == '-' || c == '_')
        };
        host.contains('.') && host.split('.').all(label)
    };
    for (word, scheme) in [("www.", "http"), ("ftp.", "ftp")] {
        if begins(word).is_some_and(|rest| is_host(&host_of(rest))) {
            return Some(format!("{scheme}://{value}"));
        }
    }
    if let Some(rest) = value.strip_prefix("//")
        && is_host(&host_of(rest))
    {
        return Some(format!("http:{value}"));
    }
    let host = host_of(value);
    let after = &value[host.len()..];
    let after = match after.strip_prefix(':') {
        Some(port) => port.trim_start_matches(|c: char| c.is_ascii_digit()),
        None => after,
    };
    let top = host.rsplit('.').next().unwrap_or_default();
    if is_host(&host) && after.starts_with('/') && is_top_level(top.as_bytes()) {
        return Some(format!("http://{value}"));
    }
    if has_one(value) && begins("nbn:").is_none() {
        return None;
    }
    if super::names::is_doi(value) {
        return Some(format!("https://doi.org/{value}"));
    }
    if let Some(rest) = begins("nbn:")
        && rest.len() > 3
        && rest.bytes().take(2).all(|b| b.is_ascii_alphabetic())
        && matches!(rest.as_bytes()[2], b':' | b'-')
    {
        return Some(format!("urn:{value}"));
    }
    let (user, domain) = value.split_once('@')?;
    let is_user = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-=?^_`{|}~.".contains(c);
    let is_mail = !user.is_empty() && user.chars().all(is_user) && is_host(domain);
    is_mail.then(|| format!("mailto:{value}"))
}
