//! The relations of a link, in the attribute `rel` and in the parameter `rel` of a
//! `Link` field: tokens in any case (HTML Standard, "link types"; RFC 8288 section 3.3).

/// Appends the tokens of `rel` to `out`, in lower case, a blank between them.
pub(super) fn push_tokens(rel: &[u8], out: &mut Vec<u8>) {
    let tokens = rel.split(u8::is_ascii_whitespace);
    for (number, token) in tokens.filter(|token| !token.is_empty()).enumerate() {
        if number > 0 {
            out.push(b' ');
        }
        let from = out.len();
        out.extend_from_slice(token);
        out[from..].make_ascii_lowercase();
    }
}

/// Whether one of these tokens, which are in lower case, asks not to follow the link.
#[cfg(feature = "html")]
pub(super) fn is_nofollow(tokens: &[u8]) -> bool {
    const NOFOLLOW: [&[u8]; 3] = [b"nofollow", b"ugc", b"sponsored"];
    !tokens.is_empty()
        && tokens
            .split(|&b| b == b' ')
            .any(|token| NOFOLLOW.contains(&token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_are_normalized() {
        for (rel, wanted) in [
            ("", ""),
            ("next", "next"),
            (" NoFollow\n\tUGC ", "nofollow ugc"),
            ("a,b http://r.example/X", "a,b http://r.example/x"),
        ] {
            let mut tokens = Vec::new();
            push_tokens(rel.as_bytes(), &mut tokens);
            assert_eq!(String::from_utf8(tokens).unwrap(), wanted);
        }
    }

    #[cfg(feature = "html")]
    #[test]
    fn some_relations_are_not_followed() {
        for rel in ["nofollow", "noopener ugc", "sponsored a"] {
            assert!(is_nofollow(rel.as_bytes()), "{rel}");
        }
        for rel in ["", "follow", "nofollow,x", "no follow"] {
            assert!(!is_nofollow(rel.as_bytes()), "{rel}");
        }
    }
}
