//! Masks secrets in URIs: userinfo and the values of parameters.

use crate::syntax::nested::{self, Layer, Site};
use crate::syntax::{pct, steps};
use std::ops::Range;

/// The replacement of a secret.
const MASK: &[u8] = b"***";

/// The most rounds: a changed text is searched again, because without a delimiter that
/// was in a secret it may be read differently.
const ROUNDS_MAX: usize = 16;

/// Parameters whose values are tokens, keys, signatures, passwords or sessions; the
/// list that [`Redactor::parameters`] calls `@secrets`.
///
/// ```
/// use urisieve::canonicalize::SECRET_PARAMS;
/// assert!(SECRET_PARAMS.contains(&"access_token") && !SECRET_PARAMS.contains(&"q"));
/// ```
#[rustfmt::skip]
pub const SECRET_PARAMS: &[&str] = &[
    // Tokens: RFC 6749, RFC 6750, RFC 7519, RFC 7522, RFC 7523, OpenID Connect.
    "access_token", "refresh_token", "id_token", "id_token_hint", "token", "auth_token", "authtoken",
    "authenticity_token", "csrf_token", "csrfmiddlewaretoken", "session_token", "reset_token", "oauth_token",
    "oauth_token_secret", "oauth_verifier", "private_token", "jwt", "assertion", "client_assertion", "code",
    "code_verifier", "device_code", "auth", "authorization", "bearer", "ticket", "SAMLRequest", "SAMLResponse",
    // Keys.
    "key", "api_key", "apikey", "api-key", "x-api-key", "access_key", "accesskey", "secret_key", "private_key",
    "subscription-key", "AWSAccessKeyId", "GoogleAccessId",
    // Signatures, and the parameters that belong to them: Amazon, Google, Azure,
    // CloudFront.
    "sig", "signature", "oauth_signature", "hmac", "X-Amz-Signature", "X-Amz-Credential", "X-Amz-Security-Token",
    "X-Goog-Signature", "X-Goog-Credential", "Key-Pair-Id",
    // Passwords.
    "password", "passwd", "pass", "passphrase", "pwd", "pw", "secret", "client_secret", "credential", "credentials",
    "otp", "pin",
    // Sessions.
    "session", "sessionid", "session_id", "sid", "PHPSESSID", "jsessionid", "ASPSESSIONID", "CFTOKEN",
];

/// Replaces secrets by `***`: the password in userinfo (RFC 3986 section 3.2.1), or all
/// of the userinfo when it has no password, because it is a token then; and the values
/// of named parameters of query, fragment and path (`;jsessionid=`). The user of an
/// address (`mailto:`, `sip:`) is not a secret. URIs inside the URI are redacted, too,
/// literal or percent-encoded, once or more often.
///
/// ```
/// use urisieve::canonicalize::Redactor;
/// let redactor = Redactor::default().parameters(["token"]);
/// let mut buffer = Vec::new();
/// let uri = redactor.redact(b"https://joe:pw@a.example/?token=1234&x=y", &mut buffer);
/// assert_eq!(uri, b"https://joe:***@a.example/?token=***&x=y");
/// let uri = redactor.redact(b"x://a/?u=http%3A%2F%2Fjoe%3Apw%40b%2F", &mut buffer);
/// assert_eq!(uri, b"x://a/?u=http%3A%2F%2Fjoe%3A***%40b%2F");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Redactor {
    parameters: Vec<String>,
}

impl Redactor {
    /// Sets the parameters whose values are replaced. ASCII case and the difference
    /// between `-` and `_` are ignored, and `user[password]` counts as `password`.
    /// `@secrets` selects [`SECRET_PARAMS`]. Default none.
    ///
    /// ```
    /// use urisieve::canonicalize::Redactor;
    /// let redactor = Redactor::default().parameters(["sid"]);
    /// let mut buffer = Vec::new();
    /// assert_eq!(redactor.redact(b"x://a/?SID=7#sid=8", &mut buffer), b"x://a/?SID=***#sid=***");
    /// let redactor = Redactor::default().parameters(["@secrets"]);
    /// assert_eq!(redactor.redact(b"x://a/?jwt=8", &mut buffer), b"x://a/?jwt=***");
    /// ```
    pub fn parameters<S: Into<String>>(mut self, names: impl IntoIterator<Item = S>) -> Redactor {
        self.parameters.clear();
        for name in names {
            match name.into() {
                name if name == "@secrets" => {
                    let names = SECRET_PARAMS.iter().map(|&name| name.to_owned());
                    self.parameters.extend(names);
                }
                name => self.parameters.push(name),
            }
        }
        self
    }

    /// Returns `uri` without its secrets: `uri` itself when it has none, otherwise the
    /// content of `buffer`, which is overwritten. `uri` may be any text: then the URIs
    /// in it are redacted.
    ///
    /// ```
    /// use urisieve::canonicalize::Redactor;
    /// let mut buffer = Vec::new();
    /// let redactor = Redactor::default();
    /// assert_eq!(redactor.redact(b"redis://:pw@cache/", &mut buffer), b"redis://:***@cache/");
    /// assert_eq!(redactor.redact(b"ftp://token@h/", &mut buffer), b"ftp://***@h/");
    /// assert_eq!(redactor.redact(b"mailto:joe@h", &mut buffer), b"mailto:joe@h");
    /// ```
    pub fn redact<'a>(&self, uri: &'a [u8], buffer: &'a mut Vec<u8>) -> &'a [u8] {
        buffer.clear();
        let may_have_any = memchr::memchr3(b'@', b'=', b'%', uri).is_some()
            || memchr::memchr2(b'\\', b'&', uri).is_some();
        if !may_have_any || !self.round(uri, buffer) {
            return uri;
        }
        let mut again = Vec::new();
        for _ in 1..ROUNDS_MAX {
            if !self.round(buffer, &mut again) {
                break;
            }
            std::mem::swap(buffer, &mut again);
        }
        buffer
    }

    /// Appends `text` to `out` without the secrets that one round detects; returns
    /// false when all of them are replaced already.
    fn round(&self, text: &[u8], out: &mut Vec<u8>) -> bool {
        let mut secrets = Vec::new();
        let deeper = nested::visit_layers(text, |layer| {
            let mut add = |range: Range<usize>| {
                if !range.is_empty() {
                    secrets.push(layer.raw(range));
                }
            };
            for site in nested::sites(layer) {
                add_userinfo(layer.bytes(), &site, &mut add);
            }
            if !self.parameters.is_empty() {
                self.add_values(layer, &mut add);
                self.add_members(layer, &mut add);
            }
        });
        secrets.extend(deeper);
        secrets.sort_unstable_by_key(|range| (range.start, range.end));
        secrets.dedup_by(|next, last| {
            let overlaps = next.start < last.end;
            if overlaps {
                last.end = last.end.max(next.end);
            }
            overlaps
        });
        if secrets.iter().all(|secret| text[secret.clone()] == *MASK) {
            return false;
        }
        out.clear();
        let mut at = 0;
        for secret in secrets {
            out.extend_from_slice(&text[at..secret.start]);
            out.extend_from_slice(MASK);
            at = secret.end;
        }
        out.extend_from_slice(&text[at..]);
        true
    }

    /// Calls `add` with the values of the parameters.
    fn add_values(&self, layer: &Layer, add: &mut impl FnMut(Range<usize>)) {
        let bytes = layer.bytes();
        let query = memchr::memchr2(b'?', b'#', bytes).unwrap_or(bytes.len());
        let mut floor = 0;
        for equals in memchr::memchr_iter(b'=', bytes) {
            if equals < floor {
                continue;
            }
            let before = &bytes[floor..equals];
            let delimiter = before
                .iter()
                .rposition(|b| matches!(b, b'&' | b';' | b'?' | b'#' | b'='));
            let start = floor + delimiter.map_or(0, |at| at + 1);
            let is_parameter = start > 0 && bytes[start - 1] != b'=';
            let in_query = equals > query;
            floor = equals + 1;
            if (is_parameter || in_query) && self.names(&bytes[start..equals], in_query) {
                let end = value_end(layer, equals + 1, in_query);
                add(equals + 1..end);
                floor = end;
            }
        }
    }

    /// Calls `add` with the values of the parameters in JSON that is escaped in a
    /// query.
    fn add_members(&self, layer: &Layer, add: &mut impl FnMut(Range<usize>)) {
        let bytes = layer.bytes();
        let query = memchr::memchr2(b'?', b'#', bytes).unwrap_or(bytes.len());
        let is_quote = |at: usize| bytes.get(at) == Some(&b'"') && !layer.is_literal(at);
        let mut floor = query;
        for colon in memchr::memchr_iter(b':', &bytes[query..]).map(|at| query + at) {
            if colon <= floor {
                continue;
            }
            let name = &bytes[floor..colon - 1];
            let start = memchr::memrchr(b'"', name).map(|at| floor + at + 1);
            floor = colon;
            let Some(start) = start.filter(|_| is_quote(colon - 1)) else {
                continue;
            };
            if !self.names(&bytes[start..colon - 1], true) {
                continue;
            }
            let blanks = bytes[colon + 1..]
                .iter()
                .take_while(|b| matches!(b, b' ' | b'+'));
            let value = colon + 1 + blanks.count();
            let is_text = is_quote(value);
            let from = value + usize::from(is_text);
            let ends = |&at: &usize| match bytes[at] {
                b'"' if is_text => bytes[at - 1] != b'\\',
                b',' | b'}' | b']' => !is_text,
                b'&' | b'#' => layer.is_literal(at),
                _ => layer.is_stop(at),
            };
            let to = (from..bytes.len()).find(ends).unwrap_or(bytes.len());
            steps::count(to - from);
            add(from..to);
            floor = to;
        }
    }

    /// Whether `name`, literal or percent-decoded, is one of the parameters. In a query
    /// only its last part may count: `user[password]`, `#/access_token`, `?+key` of a
    /// URN.
    fn names(&self, name: &[u8], in_query: bool) -> bool {
        let mut name = pct::decode(name);
        // A name that is encoded more often is masked as a whole.
        for _ in 0..nested::LAYERS_MAX {
            let std::borrow::Cow::Owned(decoded) = pct::decode(&name) else {
                break;
            };
            steps::count(name.len());
            name = decoded.into();
        }
        let folded = |b: &u8| match b {
            b'-' => b'_',
            b => b.to_ascii_lowercase(),
        };
        let is_one = |name: &[u8]| {
            let mut names = self.parameters.iter().map(String::as_bytes);
            names.any(|parameter| {
                parameter.len() == name.len()
                    && parameter.iter().map(folded).eq(name.iter().map(folded))
            })
        };
        if is_one(&name) {
            return true;
        }
        let list = name.strip_suffix(b"[]").unwrap_or(&name);
        let inner = list.strip_suffix(b"]").unwrap_or(list);
        let is_before = |b: &u8| b"[/!,|+({\"'<> ".contains(b);
        let start = inner.iter().rposition(is_before).map_or(0, |at| at + 1);
        in_query && is_one(&inner[start..])
    }
}

/// Calls `add` with the secret in a userinfo.
fn add_userinfo(bytes: &[u8], site: &Site, add: &mut impl FnMut(Range<usize>)) {
    let Some(userinfo) = &site.userinfo else {
        return;
    };
    let colon = memchr::memchr(b':', &bytes[userinfo.clone()]).map(|at| userinfo.start + at);
    match colon {
        // In defanged text the mark "[:]" replaces the colon.
        Some(colon) if bytes[..colon].ends_with(b"[") && bytes[colon + 1..].starts_with(b"]") => {
            add(userinfo.end.min(colon + 2)..userinfo.end);
        }
        // API keys are users without a password: `https://KEY:@host/`.
        Some(colon) if colon + 1 == userinfo.end && !site.is_address => add(userinfo.start..colon),
        Some(colon) => add(colon + 1..userinfo.end),
        None if site.is_address => {}
        None => add(userinfo.clone()),
    }
}

/// Returns the end of the value that starts at `start`. A ";" is part of a value in a
/// query unless a parameter follows it.
fn value_end(layer: &Layer, start: usize, in_query: bool) -> usize {
    let bytes = layer.bytes();
    let ends = |&at: &usize| match bytes[at] {
        b'&' | b'#' => true,
        b';' if in_query => {
            let is_name = |b: &&u8| b.is_ascii_alphanumeric() || b"-._~%[]+!".contains(b);
            let len = bytes[at + 1..].iter().take_while(is_name).count();
            steps::count(len);
            bytes.get(at + 1 + len) == Some(&b'=')
        }
        b'/' | b'?' | b';' => !in_query,
        _ => layer.is_stop(at),
    };
    let end = (start..bytes.len()).find(ends).unwrap_or(bytes.len());
    steps::count(end - start);
    end
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
            ("http://u:p&q;r@h/", "http://u:***@h/"),
            ("http://token@h/", "http://***@h/"),
            ("http://token:@h/", "http://***:@h/"),
            ("http://@h/", "http://@h/"),
            ("http://h:80/a@b", "http://h:80/a@b"),
            ("http://h/?u=ftp://a:b@c/d", "http://h/?u=ftp://a:***@c/d"),
            ("http://h/?u=//a:b@c/d", "http://h/?u=//a:***@c/d"),
            ("http://h/?u=http://h&m=a@b", "http://h/?u=http://h&m=a@b"),
            (
                "http://a:b@h/?key=1;x=2&KEY=3",
                "http://a:***@h/?key=***;x=2&KEY=***",
            ),
            ("http://h/?key=a;b?/c&d", "http://h/?key=***&d"),
            ("http://h/?Access-Token=s&d", "http://h/?Access-Token=***&d"),
            ("http://h/?%6bey=1&monkey=2", "http://h/?%6bey=***&monkey=2"),
            ("http://h/?%6bey=1%262", "http://h/?%6bey=***"),
            (
                "http://h/?u[key]=1&key[]=2",
                "http://h/?u[key]=***&key[]=***",
            ),
            ("http://h/#access_token=s&x", "http://h/#access_token=***&x"),
            ("http://h/#/access_token=s", "http://h/#/access_token=***"),
            ("http://h/p;key=s/q;r?x", "http://h/p;key=***/q;r?x"),
            ("http://h/key=s/", "http://h/key=s/"),
            ("http://h/p;key=s;r/q", "http://h/p;key=***;r/q"),
            ("http://h/p;a=key=s/q", "http://h/p;a=key=s/q"),
            ("http://h/?foo=1&bar=2", "http://h/?foo=1&bar=2"),
            ("http://h/?password=1", "http://h/?password=1"),
            ("http://u[:pq@h/", "http://u[:***@h/"),
            ("http://u:]pq@h/", "http://u:***@h/"),
            (r#"h {"key":"s"} x"#, r#"h {"key":"s"} x"#),
            (r#"http://h/?{"key":"s"}"#, r#"http://h/?{"key":"s"}"#),
            (
                "http://h/?x&amp;key=s&amp;y",
                "http://h/?x&amp;key=***&amp;y",
            ),
            (
                r"http:\/\/a:b@h\/?x\u0026key=1%262\u0026y",
                r"http:\/\/a:***@h\/?x\u0026key=***\u0026y",
            ),
            ("mailto:a@b?subject=x", "mailto:a@b?subject=x"),
            ("mailto:a:b@c", "mailto:a:***@c"),
            ("sip:u:p@h;x=y", "sip:u:***@h;x=y"),
            ("sip:u@h", "sip:u@h"),
            ("urn:a-b:c@d?=key=1", "urn:a-b:c@d?=key=***"),
            ("http:u:p@h/", "http:u:***@h/"),
            ("hxxps[://]u[:]p@h/", "hxxps[://]u[:]***@h/"),
            ("no uri http://u:my pass@h/ x", "no uri http://u:***@h/ x"),
            (
                r#"{"u":"http://h/?key=1","x":2}"#,
                r#"{"u":"http://h/?key=***","x":2}"#,
            ),
        ] {
            assert_eq!(
                String::from_utf8_lossy(&redacted(uri.as_bytes())),
                expect,
                "{uri}"
            );
        }
    }

    #[test]
    fn encoded_uris_lose_their_secrets() {
        for (uri, expect) in [
            (
                "http://h/?u=http%3A%2F%2Fa%3Ab%40c%2F%3Fkey%3Dd%2526e%26x%3Dy&z",
                "http://h/?u=http%3A%2F%2Fa%3A***%40c%2F%3Fkey%3D***%26x%3Dy&z",
            ),
            (
                "http://h/?u=http%253A%252F%252Ftoken%2540c%252F%253Fkey%253Dd",
                "http://h/?u=http%253A%252F%252F***%2540c%252F%253Fkey%253D***",
            ),
            ("http://h/http:%2f%2fa:b@c", "http://h/http:%2f%2fa:***@c"),
            ("http://h/?u=mailto%3Aa%40b", "http://h/?u=mailto%3Aa%40b"),
            (
                "http://h/?q=%7B%22key%22%3A%22s%5C%22s%22,%22x%22:%22y%22%7D&z",
                "http://h/?q=%7B%22key%22%3A%22***%22,%22x%22:%22y%22%7D&z",
            ),
            (
                "http://h/?q=%7B%22access-token%22%3A+71%7D&z",
                "http://h/?q=%7B%22access-token%22%3A+***%7D&z",
            ),
            (
                "http://h/?q=%7B%22key%22:[%22a%22]%7D&z",
                "http://h/?q=%7B%22key%22:***]%7D&z",
            ),
            (
                "http://h/?q=%7B%22key%22:%22s&z=1",
                "http://h/?q=%7B%22key%22:%22***&z=1",
            ),
        ] {
            assert_eq!(
                String::from_utf8_lossy(&redacted(uri.as_bytes())),
                expect,
                "{uri}"
            );
        }
        let deep = format!("http://h/?u=%{}41", "25".repeat(40));
        assert_eq!(redacted(deep.as_bytes()), b"http://h/?u=***");
    }

    #[test]
    fn a_name_is_decoded_so_often_at_most() {
        let steps = |len| {
            steps::of_text("http://h/?%", "25", len, |text| {
                redacted(&[text, b"=1"].concat());
            })
        };
        assert!(steps(1 << 14) < steps(1 << 13) * 5 / 2);
    }

    #[test]
    fn a_long_text_is_looked_through_once() {
        for piece in [
            "http:", "=http:", "x://", ":\\\\", "key=", ";", "&key=;", "sip:",
        ] {
            let look = |text: &[u8]| drop(redacted(text));
            let [one, two] = [1 << 13, 1 << 14].map(|len| steps::of_text("", piece, len, look));
            assert!(two < one * 5 / 2 + 1000, "{piece}: {one} {two}");
        }
    }

    proptest! {
        #[test]
        fn once_is_enough(
            uri in r"([a-z]{1,3}://|http:|sip:)([u:@p/?#&=;%.\[\]\\* ]|key|%6b|%25|%3D|%40|%26|//|\\/|\\u0026){0,24}"
        ) {
            let once = redacted(uri.as_bytes());
            let twice = redacted(&once);
            prop_assert_eq!(String::from_utf8_lossy(&twice), String::from_utf8_lossy(&once));
        }
    }
}
