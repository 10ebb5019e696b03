//! Secrets in URIs made unreadable: passwords and the values of parameters.

use crate::syntax::{Components, pct};
use std::ops::Range;

/// What stands for a secret.
const MASK: &[u8] = b"***";

/// Replaces the passwords of userinfo (RFC 3986 section 3.2.1) by `***`, and the
/// values of named parameters of query and fragment. URIs inside the URI lose
/// their passwords, too, unless they are percent-encoded.
///
/// ```
/// use urisieve::canonicalize::Redactor;
/// let redactor = Redactor::default().parameters(["token"]);
/// let mut buffer = Vec::new();
/// let uri = redactor.redact(b"https://joe:pw@a.example/?token=1234&x=y", &mut buffer);
/// assert_eq!(uri, b"https://joe:***@a.example/?token=***&x=y");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    parameters: Vec<String>,
}

impl Redactor {
    /// The parameters whose values are replaced; the case of ASCII letters does
    /// not matter. Default none.
    ///
    /// ```
    /// use urisieve::canonicalize::Redactor;
    /// let redactor = Redactor::default().parameters(["sid"]);
    /// let mut buffer = Vec::new();
    /// assert_eq!(redactor.redact(b"x://a/?SID=7#sid=8", &mut buffer), b"x://a/?SID=***#sid=***");
    /// ```
    pub fn parameters<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Redactor {
        self.parameters = names.into_iter().map(Into::into).collect();
        self
    }

    /// `uri` without its secrets: `uri` itself when it has none, otherwise written
    /// into `buffer`, whose content is replaced.
    ///
    /// ```
    /// use urisieve::canonicalize::Redactor;
    /// let mut buffer = Vec::new();
    /// let redactor = Redactor::default();
    /// assert_eq!(redactor.redact(b"redis://:pw@cache/", &mut buffer), b"redis://:***@cache/");
    /// assert_eq!(redactor.redact(b"ftp://joe@h/", &mut buffer), b"ftp://joe@h/");
    /// ```
    pub fn redact<'a>(&self, uri: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        let mut at = 0;
        buffer.clear();
        while let Some(secret) = self.next_secret(uri, at) {
            buffer.extend_from_slice(&uri[at..secret.start]);
            buffer.extend_from_slice(MASK);
            at = secret.end;
        }
        if at == 0 {
            return uri;
        }
        buffer.extend_from_slice(&uri[at..]);
        buffer
    }

    /// The first secret that starts at `from` or later.
    fn next_secret(&self, uri: &[u8], from: usize) -> Option<Range<usize>> {
        let password = next_password(uri, from);
        let value = self.next_value(uri, from);
        match (password, value) {
            (Some(a), Some(b)) => Some(if a.start <= b.start { a } else { b }),
            (a, b) => a.or(b),
        }
    }

    /// The first value of one of the parameters.
    fn next_value(&self, uri: &[u8], from: usize) -> Option<Range<usize>> {
        if self.parameters.is_empty() {
            return None;
        }
        let parts = Components::parse(uri);
        let query = parts.query(uri).or(parts.fragment(uri))?;
        let start = query.as_ptr().addr() - uri.as_ptr().addr();
        let is_end = |b: u8| matches!(b, b'&' | b';' | b'#' | b'?');
        let mut at = start;
        while at < uri.len() {
            let len = uri[at..].iter().position(|&b| is_end(b));
            let end = len.map_or(uri.len(), |len| at + len);
            let parameter = &uri[at..end];
            if let Some(equals) = memchr::memchr(b'=', parameter)
                && at + equals + 1 >= from
                && equals + 1 < parameter.len()
                && self.names(&parameter[..equals])
            {
                return Some(at + equals + 1..end);
            }
            at = end + 1;
        }
        None
    }

    /// Whether `name`, as it stands or percent-decoded, is one of the parameters.
    fn names(&self, name: &[u8]) -> bool {
        let decoded = pct::decode(name);
        self.parameters
            .iter()
            .any(|p| p.as_bytes().eq_ignore_ascii_case(&decoded))
    }
}

/// The first password of an authority after a `://` or `//`, up to the last `@`.
fn next_password(uri: &[u8], from: usize) -> Option<Range<usize>> {
    let mut at = 0;
    while let Some(slashes) = memchr::memmem::find(&uri[at..], b"//") {
        let start = at + slashes + 2;
        let is_authority = slashes + at == 0 || uri[at + slashes - 1] == b':';
        let ends = |b: &u8| matches!(b, b'/' | b'?' | b'#' | b'&');
        let len = uri[start..].iter().position(ends);
        let end = len.map_or(uri.len(), |len| start + len);
        let authority = &uri[start..end];
        if is_authority
            && let Some(sign) = memchr::memrchr(b'@', authority)
            && let Some(colon) = memchr::memchr(b':', &authority[..sign])
            && start + colon + 1 >= from
            && colon + 1 < sign
        {
            return Some(start + colon + 1..start + sign);
        }
        at = start;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn redacted(uri: &[u8]) -> Vec<u8> {
        let redactor = Redactor::default().parameters(["key", "access_token"]);
        redactor.redact(uri, &mut Vec::new()).to_vec()
    }

    #[test]
    fn passwords_and_values() {
        for (uri, expect) in [
            ("http://u:p@h/", "http://u:***@h/"),
            ("http://u:p@q@h/", "http://u:***@h/"),
            ("http://u:@h/", "http://u:@h/"),
            ("http://h:80/a@b", "http://h:80/a@b"),
            ("http://h/?u=ftp://a:b@c/d", "http://h/?u=ftp://a:***@c/d"),
            (
                "http://a:b@h/?key=1;x=2&KEY=3",
                "http://a:***@h/?key=***;x=2&KEY=***",
            ),
            ("http://h/?%6bey=1&monkey=2", "http://h/?%6bey=***&monkey=2"),
            ("http://h/#access_token=s&x", "http://h/#access_token=***&x"),
            ("mailto:a:b@c", "mailto:a:b@c"),
            ("urn:a-b:c?=key=1", "urn:a-b:c?=key=1"),
        ] {
            assert_eq!(
                String::from_utf8_lossy(&redacted(uri.as_bytes())),
                expect,
                "{uri}"
            );
        }
    }

    proptest! {
        #[test]
        fn nothing_secret_is_left(uri in "[a-z]{1,3}://[u:@p/?#&=key;%6b]{0,24}") {
            let once = redacted(uri.as_bytes());
            prop_assert_eq!(redacted(&once), once);
        }
    }
}
