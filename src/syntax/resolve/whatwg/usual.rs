//! References that the URL Standard keeps as they are written: a host and a path, a path, a query
//! or a fragment, in characters that are not encoded, with dot segments at most at the beginning,
//! in a page of the web.
//! Whether a reference is one is a look at its bytes; `mod` resolves all others.

use crate::syntax::class::QUERY;
use crate::syntax::plain_url;

/// The bytes of a path, query and fragment that may be encoded or have another meaning.
const ODD: u8 = 1;
/// `'`, which is encoded in a query.
const QUOTE: u8 = 2;
/// `?`
const QUESTION: u8 = 4;
/// `#`, of which the first one begins the fragment.
const HASH: u8 = 8;

/// The signs of each byte.
static SIGNS: [u8; 256] = {
    let allowed = QUERY.table();
    let mut signs = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        signs[byte] = match byte as u8 {
            b'\'' => QUOTE,
            b'?' => QUESTION,
            b'#' => HASH,
            b'%' => ODD,
            _ if allowed[byte] => 0,
            _ => ODD,
        };
        byte += 1;
    }
    signs
};

/// Resolves a usual reference against `base`, an `http` or `https` URL with a usual host, and
/// appends it to `out`. Returns false, and appends nothing, for all others.
pub(super) fn resolve_usual(base: &[u8], reference: &[u8], out: &mut Vec<u8>) -> bool {
    match kept(base, reference) {
        Some((of_base, own)) => {
            out.extend_from_slice(of_base);
            out.extend_from_slice(own);
            true
        }
        None => false,
    }
}

/// Returns the parts of the target of `reference`, if it is usual: the bytes of `base`, and those
/// of `reference` behind them.
fn kept<'u>(base: &'u [u8], reference: &'u [u8]) -> Option<(&'u [u8], &'u [u8])> {
    let origin = origin_of(base)?;
    let (of_base, own) = match reference {
        [b'/', b'/', rest @ ..] => {
            let (host, path) = rest.split_at(rest.iter().position(|&byte| byte == b'/')?);
            let scheme_len = origin.iter().position(|&byte| byte == b':')?;
            let is_usual = is_usual_host(host) && is_kept(path);
            return is_usual.then_some((&origin[..=scheme_len], reference));
        }
        [b'/', _, ..] => (origin, reference),
        [b'/'] | [] => return None,
        [b'.', ..] => kept_of_dots(base, origin.len(), reference)?,
        [first, ..] => (kept_path(base, origin.len(), *first)?, reference),
    };
    let ends_scheme = |byte: &&u8| matches!(byte, b':' | b'/' | b'?' | b'#');
    let has_scheme = own.iter().find(ends_scheme) == Some(&b':');
    (is_kept(own) && !has_scheme).then_some((of_base, own))
}

/// Returns the parts of the target of a `reference` that begins with dot segments, each of which
/// is resolved with the last directory of `base`, whose origin has this length.
fn kept_of_dots<'u>(
    base: &'u [u8],
    origin_len: usize,
    reference: &'u [u8],
) -> Option<(&'u [u8], &'u [u8])> {
    let mut of_base = kept_path(base, origin_len, b'.')?;
    let mut own = reference;
    loop {
        own = match own {
            [b'.', b'/', rest @ ..] => rest,
            [b'.', b'.', b'/', rest @ ..] => {
                let inside = &of_base[origin_len..of_base.len() - 1];
                // The root has no parent.
                let parent = inside.iter().rposition(|&byte| byte == b'/').unwrap_or(0);
                of_base = &of_base[..=origin_len + parent];
                rest
            }
            [b'.', ..] => return None,
            _ => return Some((of_base, own)),
        };
    }
}

/// Returns the bytes of `base`, whose origin has this length, up to the fragment, the query or the
/// last name of the path, by what begins with `first`.
fn kept_path(base: &[u8], origin_len: usize, first: u8) -> Option<&[u8]> {
    let rest = &base[origin_len..];
    let end = |byte: &u8| *byte == b'#' || *byte == b'?' && first != b'#';
    let rest = &rest[..rest.iter().position(end).unwrap_or(rest.len())];
    // A last name that is dots is resolved before it is replaced.
    if !(rest.starts_with(b"/") && is_kept(rest)) {
        return None;
    }
    let kept_len = match first {
        b'#' | b'?' => rest.len(),
        _ => rest.iter().rposition(|&byte| byte == b'/')? + 1,
    };
    Some(&base[..origin_len + kept_len])
}

/// Returns the scheme and the usual host at the beginning of `base`, if it has no port.
fn origin_of(base: &[u8]) -> Option<&[u8]> {
    let (origin, rest) = base.split_at(plain_url::origin_len(base)?);
    let host = origin.iter().rposition(|&byte| byte == b'/')? + 1;
    let is_usual = is_usual_host(&origin[host..]);
    (is_usual && matches!(rest.first(), None | Some(b'/' | b'?' | b'#'))).then_some(origin)
}

/// Whether `host` is a name in lower case that is its own ASCII form and no address.
fn is_usual_host(host: &[u8]) -> bool {
    let is_part = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'.' | b'-');
    let last = host.rsplit(|&byte| byte == b'.').next();
    let ends_in_name = last.is_some_and(|label| label.first().is_some_and(u8::is_ascii_lowercase));
    ends_in_name && host.iter().all(is_part) && !host.windows(4).any(|part| part == b"xn--")
}

/// Whether a path with what follows it, from its first `/` on, is kept as it is.
fn is_kept(path: &[u8]) -> bool {
    let add = |signs, byte: &u8| signs | SIGNS[usize::from(*byte)];
    let signs = path.iter().fold(0, add);
    let is_encoded = signs & QUOTE != 0 && signs & QUESTION != 0;
    let has_hashes = || signs & HASH != 0 && memchr::memchr_iter(b'#', path).nth(1).is_some();
    let has_dots = || memchr::memmem::find(path, b"/.").is_some();
    !(signs & ODD != 0 || is_encoded || has_hashes() || has_dots())
}

#[cfg(test)]
mod tests {
    use super::super::resolve_any;
    use super::*;
    use proptest::prelude::*;
    use proptest::sample::select;

    #[test]
    fn usual_references() {
        for (base, reference, is_usual) in [
            ("http://a.example", "/b", true),
            ("https://a.example/x?y#z", "/b?c=d:@#e", true),
            ("http://a.example?x", "//b.example/c", true),
            ("http://a.example/", "/", false),
            ("http://a.example/c/d?e/f#g", "b", true),
            ("http://a.example/c/d?e#g", "?b", true),
            ("http://a.example/c/d?e#g", "#b", true),
            ("http://a.example", "b", false),
            ("http://a.example?c", "#b", false),
            ("http://a.example/", "", false),
            ("http://a.example/", "./b", true),
            ("http://a.example/c/d/e", "../../../b", true),
            ("http://a.example/c/d", "../", true),
            ("http://a.example/c//d", "..//b?c#d", true),
            ("http://a.example/c/d", "..", false),
            ("http://a.example/c/d", "..b", false),
            ("http://a.example/c/d", "./b/..", false),
            ("http://a.example/c/d", "./b:c", false),
            ("http://a.example/c/.", "../b", false),
            ("http://a.example/", "b:c", false),
            ("http://a.example/", "?b:c", true),
            ("http://a.example/c/../d", "b", false),
            ("http://a.example/c/..", "b", false),
            ("http://a.example/c d", "#b", false),
            ("http://a.example/c?'", "#b", false),
            ("http://a.example/", "///b", false),
            ("http://a.example/", "//b.example", false),
            ("http://a.example/", "//B.example/", false),
            ("http://a.example/", "//b.1/", false),
            ("http://a.example/", "//xn--a/", false),
            ("http://a.example:8080/", "/b", false),
            ("http://u@a.example/", "/b", false),
            ("HTTP://a.example/", "/b", false),
            ("ftp://a.example/", "/b", false),
            ("http://a.example/", "/b/../c", false),
            ("http://a.example/", "/b/%2e%2e/c", false),
            ("http://a.example/", "/b\\c", false),
            ("http://a.example/", "/b?c='", false),
            ("http://a.example/", "/b'", true),
            ("http://a.example/", "/b c", false),
        ] {
            let mut out = Vec::new();
            let is_it = resolve_usual(base.as_bytes(), reference.as_bytes(), &mut out);
            assert_eq!(is_it, is_usual, "{reference} at {base}");
            assert_eq!(out.is_empty(), !is_usual);
        }
    }

    const PIECES: &[&str] = &[
        "/",
        "/",
        "//",
        "../",
        "./",
        "a",
        "b.example",
        "B",
        "xn--a",
        "xn--nxasmq6b",
        "1",
        "0x1",
        ".",
        "..",
        "-",
        "?",
        "#",
        "%2e",
        "%41",
        "\\",
        "'",
        "\"",
        " ",
        "\t",
        "\n",
        ":",
        ":80",
        "@",
        ";",
        ",",
        "&",
        "=",
        "|",
        "^",
        "{",
        "~",
        "\u{e9}",
        "http:",
        "c",
    ];
    const BASES: &[&str] = &[
        "http://a.example/b/c?d/e'#f",
        "http://a.example/b//c/d/e",
        "http://a.example/b/../c",
        "http://a.example/b/..",
        "http://a.example/b/.?c#d",
        "http://a.example/b/%2e%2E",
        "http://a.example/b/%2E/c d",
        "http://a.example?b/c",
        "http://a.example/#b/c",
        "http://a.example",
        "https://a.example/b/c?d#e",
        "http://a.example:80/",
        "http://a.1/",
        "http://xn--a/",
        "http://u@a.example/",
        "http://a..example/b",
        "http://-a.example./",
        "http://a.example\\b",
        "ftp://a.example/",
        "http://a_b/",
    ];

    proptest! {
        /// Usual references have the answer of the whole algorithm.
        #[test]
        fn usual_references_are_resolved_alike(
            base in select(BASES),
            pieces in proptest::collection::vec(select(PIECES), 0..7),
        ) {
            let reference = pieces.concat();
            let (mut usual, mut any) = (Vec::new(), Vec::new());
            if resolve_usual(base.as_bytes(), reference.as_bytes(), &mut usual) {
                let resolved = resolve_any(base.as_bytes(), reference.as_bytes(), None, &mut any);
                prop_assert!(resolved.is_ok());
                prop_assert_eq!(usual, any, "{} at {}", reference, base);
            }
        }
    }
}
