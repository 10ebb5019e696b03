//! The `content` of `<meta>`: the names with which it is a URL, and requests to robots
//! not to follow links. Refreshes are left to `refresh`.

/// Names whose content is a URL, which may be relative.
const NAMES: [&[u8]; 9] = [
    b"twitter:url",
    b"twitter:image",
    b"twitter:image:src",
    b"twitter:player",
    b"thumbnail",
    b"application-url",
    b"msapplication-starturl",
    b"msapplication-tileimage",
    b"vb_meta_bburl",
];

/// Names of the Open Graph protocol whose content is a URL, without and with a suffix.
const OPEN_GRAPH: [&[u8]; 4] = [b"og:url", b"og:image", b"og:video", b"og:audio"];
const SUFFIXES: [&[u8]; 3] = [b"", b":url", b":secure_url"];

/// Whether the content of a `<meta>` with this `name` or `property` is a URL.
pub(in crate::decode) fn is_url_name(name: &[u8]) -> bool {
    let is = |known: &&[u8]| name.eq_ignore_ascii_case(known);
    let begins = |known: &&[u8]| {
        let parts = name.split_at_checked(known.len());
        parts.is_some_and(|(start, suffix)| {
            let is_suffix = |known: &&[u8]| suffix.eq_ignore_ascii_case(known);
            start.eq_ignore_ascii_case(known) && SUFFIXES.iter().any(is_suffix)
        })
    };
    NAMES.iter().any(is) || OPEN_GRAPH.iter().any(begins)
}

/// Whether the content of a `<meta>` with another name is a URL as a whole.
pub(in crate::decode) fn is_url(content: &[u8]) -> bool {
    let starts = |start: &&[u8]| {
        let begin = content.get(..start.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(start))
    };
    [&b"http://"[..], b"https://", b"//"].iter().any(starts)
        && !content.iter().any(u8::is_ascii_whitespace)
}

/// Whether the content of `<meta name=robots>` asks that no link is followed.
pub(in crate::decode) fn is_nofollow(content: &[u8]) -> bool {
    let tokens = content.split(|&b| b == b',' || b.is_ascii_whitespace());
    let is_nofollow = |token: &[u8]| {
        token.eq_ignore_ascii_case(b"nofollow") || token.eq_ignore_ascii_case(b"none")
    };
    tokens.into_iter().any(is_nofollow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        for name in [
            "og:url",
            "OG:Image",
            "og:image:secure_url",
            "og:video:url",
            "og:audio",
            "twitter:image",
            "Twitter:Image:Src",
            "thumbnail",
            "msapplication-TileImage",
            "vb_meta_bburl",
        ] {
            assert!(is_url_name(name.as_bytes()), "{name}");
        }
        for name in [
            "",
            "og",
            "og:title",
            "og:image:width",
            "og:urls",
            "twitter:site",
            "description",
        ] {
            assert!(!is_url_name(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn contents() {
        for content in ["http://a", "HTTPS://a/b", "//a"] {
            assert!(is_url(content.as_bytes()), "{content}");
        }
        for content in [
            "",
            "/a",
            "http:/a",
            "http://a b",
            " http://a",
            "ftp://a",
            "a http://b",
        ] {
            assert!(!is_url(content.as_bytes()), "{content}");
        }
    }

    #[test]
    fn robots() {
        for content in ["nofollow", "noindex, NoFollow", "none", "a none"] {
            assert!(is_nofollow(content.as_bytes()), "{content}");
        }
        for content in ["", "noindex,follow", "nofollows", "all"] {
            assert!(!is_nofollow(content.as_bytes()), "{content}");
        }
    }
}
