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

/// The ends of the parts of a base, an `http` or `https` URL with a usual host, that are kept in
/// targets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UsualBase {
    /// The lengths of the scheme with its colon, and of the origin; 0 if nothing is usual.
    scheme_len: usize,
    origin_len: usize,
    /// The ends of the directory and of the path, if the path is kept.
    path: Option<(usize, usize)>,
    /// The end of the query, if path and query are kept.
    query_end: Option<usize>,
}

impl UsualBase {
    /// Looks at `base`.
    pub(crate) fn of(base: &[u8]) -> UsualBase {
        let Some(origin) = origin_of(base) else {
            return UsualBase::default();
        };
        let rest = &base[origin.len()..];
        let end_of = |is_end: fn(&u8) -> bool| {
            let len = rest.iter().position(is_end).unwrap_or(rest.len());
            // A last name that is dots is resolved before it is replaced.
            let is_usual = rest[..len].first() == Some(&b'/') && is_kept(&rest[..len]);
            is_usual.then_some(origin.len() + len)
        };
        let path_end = end_of(|&byte| matches!(byte, b'?' | b'#'));
        let directory = |end: usize| Some((memchr::memrchr(b'/', &base[..end])? + 1, end));
        UsualBase {
            scheme_len: memchr::memchr(b':', origin).map_or(0, |colon| colon + 1),
            origin_len: origin.len(),
            path: path_end.and_then(directory),
            query_end: end_of(|&byte| byte == b'#'),
        }
    }

    /// Resolves a usual reference against `base`, which was looked at, and appends it to `out`.
    /// Returns false, and appends nothing, for all others.
    pub(crate) fn resolve(self, base: &[u8], reference: &[u8], out: &mut Vec<u8>) -> bool {
        let kept = self.kept(base, reference);
        if let Some((base_len, own)) = kept {
            out.extend_from_slice(&base[..base_len]);
            out.extend_from_slice(own);
        }
        kept.is_some()
    }

    /// Returns the parts of the target of `reference`, if it is usual: the number of bytes of
    /// `base`, and those of `reference` behind them.
    fn kept<'r>(self, base: &[u8], reference: &'r [u8]) -> Option<(usize, &'r [u8])> {
        if self.origin_len == 0 {
            return None;
        }
        let (base_len, own) = match reference {
            [b'/', b'/', rest @ ..] => {
                let (host, path) = rest.split_at(rest.iter().position(|&byte| byte == b'/')?);
                let is_usual = is_usual_host(host) && is_kept(path);
                return is_usual.then_some((self.scheme_len, reference));
            }
            [b'/', _, ..] => (self.origin_len, reference),
            [b'/'] | [] => return None,
            [b'.', ..] => self.kept_of_dots(base, reference)?,
            [b'?', ..] => (self.path?.1, reference),
            [b'#', ..] => (self.query_end?, reference),
            _ => (self.path?.0, reference),
        };
        let ends_scheme = |byte: &&u8| matches!(byte, b':' | b'/' | b'?' | b'#');
        let has_scheme = own.iter().find(ends_scheme) == Some(&b':');
        (is_kept(own) && !has_scheme).then_some((base_len, own))
    }

    /// Returns the parts of the target of a `reference` that begins with dot segments, each of
    /// which is resolved with the last directory of `base`.
    fn kept_of_dots<'r>(self, base: &[u8], reference: &'r [u8]) -> Option<(usize, &'r [u8])> {
        let (mut base_len, _) = self.path?;
        let mut own = reference;
        loop {
            own = match own {
                [b'.', b'/', rest @ ..] => rest,
                [b'.', b'.', b'/', rest @ ..] => {
                    let inside = &base[self.origin_len..base_len - 1];
                    // The root has no parent.
                    let parent = memchr::memrchr(b'/', inside).unwrap_or(0);
                    base_len = self.origin_len + parent + 1;
                    rest
                }
                [b'.', ..] => return None,
                _ => return Some((base_len, own)),
            };
        }
    }
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
    let begins_name = |at: usize| at > 0 && path[at - 1] == b'/';
    let has_dots = || memchr::memchr_iter(b'.', path).any(begins_name);
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
            let usual = UsualBase::of(base.as_bytes());
            let is_it = usual.resolve(base.as_bytes(), reference.as_bytes(), &mut out);
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
            let base_seen = UsualBase::of(base.as_bytes());
            if base_seen.resolve(base.as_bytes(), reference.as_bytes(), &mut usual) {
                let resolved = resolve_any(base.as_bytes(), reference.as_bytes(), None, &mut any);
                prop_assert!(resolved.is_ok());
                let look = |at| crate::syntax::Outlook::of(&usual, at);
                let url = plain_url::UsualUrl::of(&usual, look);
                prop_assert!(url.is_some_and(|url| url.is_folded), "{} at {}", reference, base);
                prop_assert_eq!(usual, any, "{} at {}", reference, base);
            }
        }
    }
}
