//! The URL Standard of the WHATWG, by the crate `url`: resolution as in browsers, and
//! the serialization of an absolute URL. The standard works on characters, not bytes: a
//! byte that is not UTF-8 is percent-encoded first, so that nothing is lost and no two
//! references become equal (as they would by U+FFFD).

mod file;
mod href;
mod text;
mod usual;

use super::answer::{Resolved, Unresolvable};
use super::encoder::QueryEncoder;
use super::failure::Failure;
use super::notes::Notes;
use href::href;
use std::borrow::Cow;
use text::{clean, text};
use url::{ParseError, Url};
pub(crate) use usual::UsualBase;

/// Returns the serialization of `uri` by the URL Standard ("URL serializer").
///
/// # Errors
/// A failure of the standard's parser, or a `uri` without a scheme.
///
/// ```
/// use urisieve::syntax::resolve::whatwg;
/// assert_eq!(whatwg(b"HTTP://127.1:80").unwrap(), "http://127.0.0.1/");
/// assert_eq!(whatwg(b"http://a/\xE9").unwrap(), "http://a/%E9");
/// assert!(whatwg(b"//a/b").is_err());
/// ```
pub fn whatwg(uri: &[u8]) -> Result<String, Failure> {
    let text = text(uri);
    let uri = clean(&text);
    if let Some(answer) = file::parse(None, &uri) {
        return answer.and_then(|url| url.href(None)).map_err(Failure);
    }
    match Url::parse(&uri) {
        Ok(url) => Ok(href(url)),
        Err(cause) => Err(Failure(cause)),
    }
}

pub(super) fn resolve(
    base: &[u8],
    reference: &[u8],
    encoder: Option<QueryEncoder>,
    out: &mut Vec<u8>,
) -> Result<Resolved, Unresolvable> {
    match UsualBase::of(base).resolve(base, reference, out) {
        true => Ok(Resolved::uri(Notes::default())),
        false => resolve_any(base, reference, encoder, out),
    }
}

/// Resolves any reference.
fn resolve_any(
    base: &[u8],
    reference: &[u8],
    encoder: Option<QueryEncoder>,
    out: &mut Vec<u8>,
) -> Result<Resolved, Unresolvable> {
    let (base, reference) = (text(base), text(reference));
    let (base, reference) = (clean(&base), clean(&reference));
    let unusable = |cause| match cause {
        ParseError::RelativeUrlWithoutBase => Unresolvable::BaseWithoutScheme,
        cause => Unresolvable::Base(Failure(cause)),
    };
    let file_base = file::parse(None, &base).transpose().map_err(unusable)?;
    let resolved = match file::parse(file_base.as_ref(), &reference) {
        Some(answer) => {
            // A base that fails is reported even if the reference needs no base.
            if file_base.is_none() {
                Url::parse(&base).map_err(unusable)?;
            }
            answer.and_then(|url| url.href(encoder))
        }
        None if file_base.is_some() => {
            let options = Url::options().encoding_override(encoder);
            options.parse(&reference).map(href)
        }
        None => {
            let base = Url::parse(&base).map_err(unusable)?;
            let reference = with_slashes_of(&base, &reference);
            let options = Url::options().base_url(Some(&base));
            let options = options.encoding_override(encoder);
            options.parse(&reference).map(href)
        }
    };
    match resolved {
        Ok(url) => {
            out.extend_from_slice(url.as_bytes());
            Ok(Resolved::uri(Notes::default()))
        }
        Err(ParseError::RelativeUrlWithCannotBeABaseBase) => Err(Unresolvable::OpaqueBase),
        Err(cause) => Err(Unresolvable::Reference(Failure(cause))),
    }
}

/// Returns `reference` with slashes at its beginning that the crate understands: after
/// a special base any number of slashes and backslashes is `//` ("special authority
/// ignore slashes state"), after another one a backslash is not a slash.
fn with_slashes_of<'r>(base: &Url, reference: &'r str) -> Cow<'r, str> {
    let is_special = matches!(base.scheme(), "http" | "https" | "ws" | "wss" | "ftp");
    let rest = reference.trim_start_matches(['/', '\\']);
    if is_special && reference.len() > rest.len() + 2 {
        Cow::Owned(format!("//{rest}"))
    } else if !is_special && !base.cannot_be_a_base() && reference.starts_with('\\') {
        Cow::Owned(format!("./{reference}"))
    } else {
        Cow::Borrowed(reference)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Rules, Unresolvable, resolve, resolve_in};
    use super::whatwg;
    use std::borrow::Cow;

    fn answer(base: &str, reference: &[u8]) -> Result<String, Unresolvable> {
        let mut out = Vec::new();
        resolve(Rules::Whatwg, base.as_bytes(), reference, &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn as_a_browser() {
        for (base, reference, expect) in [
            ("http://a/b/c/d;p?q", &b"//g"[..], "http://g/"),
            ("http://a/b/c/d;p?q", b" g\n", "http://a/b/c/g"),
            ("http://a/b/c/d;p?q", b"http:g", "http://a/b/c/g"),
            ("http://a/b/c/d;p?q", b"\\g", "http://a/g"),
            ("http://a/b/c/d;p?q", b"\xFF", "http://a/b/c/%FF"),
            ("urn:example:a", b"#f", "urn:example:a#f"),
            ("urn:example:a", b"http://h", "http://h/"),
        ] {
            assert_eq!(answer(base, reference).unwrap(), expect);
        }
    }

    /// Encodes ASCII unchanged and `é` as windows-1252 does; all other characters are
    /// lacking.
    fn encoded(text: &str) -> Cow<'_, [u8]> {
        let byte = |c: char| match c {
            'é' => vec![0xE9],
            c if c.is_ascii() => vec![c as u8],
            c => format!("%26%23{}%3B", u32::from(c)).into_bytes(),
        };
        text.chars().flat_map(byte).collect::<Vec<u8>>().into()
    }

    /// The encoding of the document counts in the query of a special scheme.
    #[test]
    fn queries_in_the_encoding_of_the_document() {
        for (base, reference, expect) in [
            ("http://a/b?c", "?é", "http://a/b?%E9"),
            ("http://a/b", "é?é b#é", "http://a/%C3%A9?%E9%20b#%C3%A9"),
            ("http://a/b", "?日", "http://a/b?%26%2326085%3B"),
            ("https://a/b", "https:?é", "https://a/b?%E9"),
            ("http://a/b", "http:/h?é", "http://a/h?%E9"),
            ("ws://a/b", "?é", "ws://a/b?%C3%A9"),
            ("foo://a/b", "?é", "foo://a/b?%C3%A9"),
            ("file:///b", "c?é", "file:///c?%E9"),
            ("http://a/?é", "#é", "http://a/?%C3%A9#%C3%A9"),
        ] {
            let mut out = Vec::new();
            let [base, text] = [base, reference].map(str::as_bytes);
            let resolved = resolve_in(Rules::Whatwg, base, text, Some(&encoded), &mut out);
            assert!(resolved.is_ok(), "{reference}");
            assert_eq!(String::from_utf8(out).unwrap(), expect, "{reference}");
        }
        let mut out = Vec::new();
        resolve_in(
            Rules::Rfc3986,
            b"http://a/",
            "?é".as_bytes(),
            Some(&encoded),
            &mut out,
        )
        .unwrap();
        assert_eq!(out, "http://a/?é".as_bytes());
    }

    /// Hosts, drive letters and empty segments of `file:`.
    #[test]
    fn files() {
        for (base, reference, expect) in [
            ("file://host/dir/file", "C|", "file://host/C:"),
            ("file://host/dir/file", "C|a", "file://host/dir/C|a"),
            ("file://host/D:/dir/file", "C|?q#f", "file://host/C:?q#f"),
            ("file://host/C:/a/b", "/", "file://host/C:/"),
            ("file://host/C:/a/b", "/D:/c", "file://host/D:/c"),
            ("file://host/C:/a/b", "//other/c", "file://other/c"),
            ("file://x/C:/", "..", "file://x/C:/"),
            ("file:///C:/a", "../../b", "file:///C:/b"),
            ("file://host/path", "/c:/foo", "file://host/c:/foo"),
            ("file://host/a/b", "", "file://host/a/b"),
            ("file://host/a/b?q#f", "", "file://host/a/b?q"),
            ("file://host/a/b?q", "#f", "file://host/a/b?q#f"),
            ("file://host/a/b?q", "?", "file://host/a/b?"),
            ("file://host/a/b", "file:c", "file://host/a/c"),
            ("file://host/a/b #c", "", "file://host/a/b%20"),
            ("file://host/a/b", "c#", "file://host/a/c#"),
            (
                "file://host/a/b",
                "c d/\u{e9}^/./e/",
                "file://host/a/c%20d/%C3%A9%5E/e/",
            ),
            ("file://host/a/b", "\\c\\d", "file://host/c/d"),
            ("file://host/a/b", "%2E%2e/..", "file://host/"),
            ("file://host/a/b", "urn:a", "urn:a"),
            ("file:///elephant", "/////mouse", "file://///mouse"),
            ("file://lion/", "//LOCALHOST//pig", "file:////pig"),
            ("file:///", "////one/two", "file:////one/two"),
            ("file:////", "file:///.//", "file:////"),
            ("http://a/", "file:C|/b", "file:///C:/b"),
            ("http://a/", "FILE://1.2.3.4/C:/", "file://1.2.3.4/C:/"),
            ("http://a/", "file:", "file:///"),
        ] {
            let text = answer(base, reference.as_bytes());
            assert_eq!(text.as_deref(), Ok(expect), "{reference} at {base}");
            assert_eq!(whatwg(expect.as_bytes()).as_deref(), Ok(expect));
        }
        for reference in ["file://a:80/", "file://%43|/b", "//a b/"] {
            let answer = answer("file://host/a", reference.as_bytes());
            assert!(
                matches!(answer, Err(Unresolvable::Reference(_))),
                "{reference}"
            );
        }
        let base = answer("file://a:80/", b"b");
        assert!(matches!(base, Err(Unresolvable::Base(_))));
    }

    #[test]
    fn slashes_at_the_beginning() {
        for (base, reference, expect) in [
            ("http://a.example/b", "///c/d", "http://c/d"),
            ("http://a.example/b", "/\\//c/../d", "http://c/d"),
            ("http://a.example/b", "/c", "http://a.example/c"),
            ("foo://a/b", "\\c", "foo://a/\\c"),
            ("foo://a/b", "\\\\c", "foo://a/\\\\c"),
            ("foo://a/b", "\\/c", "foo://a/\\/c"),
            ("foo://a/b", "//c", "foo://c"),
        ] {
            let text = answer(base, reference.as_bytes());
            assert_eq!(text.as_deref(), Ok(expect), "{reference} at {base}");
        }
    }

    #[test]
    fn what_is_encoded_since_2024() {
        for (uri, expect) in [
            ("http://a/b^c?d^#e^", "http://a/b%5Ec?d^#e^"),
            ("foo:a  ?b", "foo:a %20?b"),
            ("foo:a #b", "foo:a%20#b"),
            ("foo:a^b", "foo:a^b"),
        ] {
            assert_eq!(whatwg(uri.as_bytes()).as_deref(), Ok(expect), "{uri}");
        }
    }

    #[test]
    fn failures() {
        let opaque = Err(Unresolvable::OpaqueBase);
        assert_eq!(answer("urn:example:a/b", b"c"), opaque);
        assert_eq!(answer("mailto:a@b", b"?q"), opaque);
        assert!(matches!(
            answer("http://", b"c"),
            Err(Unresolvable::Base(_))
        ));
        assert!(matches!(
            answer("http://h", b"//a:b"),
            Err(Unresolvable::Reference(_))
        ));
        assert!(matches!(
            answer("//h", b"c"),
            Err(Unresolvable::BaseWithoutScheme)
        ));
        assert!(whatwg(b"http://\xFF/").is_err());
    }
}
