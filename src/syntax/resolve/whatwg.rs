//! The URL Standard of the WHATWG, by the crate `url`: resolution as a browser
//! does it, and the serialization of an absolute URL. The standard knows
//! characters, not bytes: a byte that is not UTF-8 is percent-encoded first, so
//! that nothing is lost and no two references become one (U+FFFD would).

use super::{Notes, Resolved, Unresolvable};
use std::borrow::Cow;
use std::fmt;
use url::{ParseError, Url};

/// Why the URL Standard's parser fails.
///
/// ```
/// use urisieve::syntax::resolve::whatwg;
/// let failure = whatwg(b"http://a:99999/").unwrap_err();
/// assert_eq!(failure.to_string(), "invalid port number");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Failure(ParseError);

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self.0 {
            ParseError::RelativeUrlWithoutBase => f.write_str("it has no scheme"),
            cause => cause.fmt(f),
        }
    }
}

impl std::error::Error for Failure {}

/// The serialization of `uri` by the URL Standard ("URL serializer").
///
/// # Errors
/// Where the standard's parser fails, and for a `uri` without a scheme.
///
/// ```
/// use urisieve::syntax::resolve::whatwg;
/// assert_eq!(whatwg(b"HTTP://127.1:80").unwrap(), "http://127.0.0.1/");
/// assert_eq!(whatwg(b"http://a/\xE9").unwrap(), "http://a/%E9");
/// assert!(whatwg(b"//a/b").is_err());
/// ```
pub fn whatwg(uri: &[u8]) -> Result<String, Failure> {
    match Url::parse(&text(uri)) {
        Ok(url) => Ok(url.into()),
        Err(cause) => Err(Failure(cause)),
    }
}

pub(super) fn resolve(
    base: &[u8],
    reference: &[u8],
    out: &mut Vec<u8>,
) -> Result<Resolved, Unresolvable> {
    let base = Url::parse(&text(base)).map_err(|cause| match cause {
        ParseError::RelativeUrlWithoutBase => Unresolvable::BaseWithoutScheme,
        cause => Unresolvable::Base(Failure(cause)),
    })?;
    let options = Url::options().base_url(Some(&base));
    match options.parse(&text(reference)) {
        Ok(url) => {
            out.extend_from_slice(url.as_str().as_bytes());
            Ok(Resolved::uri(Notes::default()))
        }
        Err(ParseError::RelativeUrlWithCannotBeABaseBase) => Err(Unresolvable::OpaqueBase),
        Err(cause) => Err(Unresolvable::Reference(Failure(cause))),
    }
}

/// The bytes as characters; what is not UTF-8 percent-encoded.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Cow::Borrowed(text);
    }
    let mut text = String::with_capacity(bytes.len() + 16);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            text.push_str(&format!("%{byte:02X}"));
        }
    }
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::super::{Rules, Unresolvable, resolve};
    use super::whatwg;

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
