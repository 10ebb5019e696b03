//! Parameters whose values are secrets, by their names.

use crate::syntax::{nested, pct, steps};
use std::borrow::Cow;

/// Parameters whose values are secrets although their names do not end with one of the
/// words. Together with these words they are the parameters that
/// [`Redactor::parameters`](super::Redactor::parameters) calls `@secrets`;
/// [`well_known_secrets`](super::well_known_secrets) returns both.
///
/// ```
/// use urisieve::canonicalize::SECRET_PARAMS;
/// assert!(SECRET_PARAMS.contains(&"code") && !SECRET_PARAMS.contains(&"q"));
/// ```
#[rustfmt::skip]
pub const SECRET_PARAMS: &[&str] = &[
    // RFC 6749, RFC 7519, RFC 7522, RFC 7523, OpenID Connect, SAML, CAS.
    "assertion", "auth", "authorization", "bearer", "client_assertion", "code", "code_verifier", "device_code",
    "id_token_hint", "oauth_verifier", "SAMLRequest", "SAMLResponse", "ticket",
    // Keys, and the parameters that belong to signatures.
    "key", "AWSAccessKeyId", "GoogleAccessId", "hmac", "Key-Pair-Id",
    // Passwords and sessions.
    "pin", "pw", "session", "sid", "PHPSESSID",
];

/// The words at the end of a name whose value is a secret. Words that are separated
/// here may be joined in a name, or be separated by `_`, `-`, `.`.
#[rustfmt::skip]
pub(super) const SECRET_WORDS: &[&str] = &[
    "token", "secret", "password", "passwd", "passphrase", "passkey", "pwd", "pass", "signature", "sig", "jwt",
    "credential", "credentials", "hdnts", "hdnea", "hdntl", "otp",
    "api key", "access key", "secret key", "private key", "auth key", "account key", "shared key",
    "subscription key", "signing key", "session id",
];

/// The words at the end of a name whose value is not a secret although one of
/// [`SECRET_WORDS`] matches: positions in lists, and English words.
#[rustfmt::skip]
pub(super) const PUBLIC_WORDS: &[&str] = &[
    "page token", "next page token", "next token", "sync token", "next sync token", "cancel token",
    "continuation token", "next continuation token",
    "bypass", "compass", "encompass", "overpass", "surpass", "trespass", "underpass", "allpass", "bandpass",
    "highpass", "lowpass", "possession id", "obsession id",
];

/// The names of parameters whose values are secrets.
#[derive(Clone, Debug, Default)]
pub(super) struct SecretNames {
    /// SecretNames that the caller gave.
    pub own: Vec<String>,
    /// Whether the well-known names are among them.
    pub well_known: bool,
}

impl SecretNames {
    pub(super) fn is_empty(&self) -> bool {
        self.own.is_empty() && !self.well_known
    }

    /// Whether `name`, literal or percent-decoded, is one of the names. In a query only its
    /// last part may count: `user[password]`, `#/access_token`, `?+key` of a URN.
    pub(super) fn has(&self, name: &[u8], in_query: bool) -> bool {
        let mut name = pct::decode(name);
        // A name that is encoded more often is masked as a whole.
        for _ in 0..nested::LAYERS_MAX {
            let Cow::Owned(decoded) = pct::decode(&name) else {
                break;
            };
            steps::count(name.len());
            name = decoded.into();
        }
        if self.has_decoded(&name) {
            return true;
        }
        let list = name.strip_suffix(b"[]").unwrap_or(&name);
        let inner = list.strip_suffix(b"]").unwrap_or(list);
        let is_before = |b: &u8| b"[/!,|+({\"'<> ".contains(b);
        let start = inner.iter().rposition(is_before).map_or(0, |at| at + 1);
        let part = &inner[start..];
        in_query && part.len() < name.len() && self.has_decoded(part)
    }

    fn has_decoded(&self, name: &[u8]) -> bool {
        let mut own = self.own.iter().map(String::as_bytes);
        own.any(|own| is_same(own, name)) || (self.well_known && is_well_known(name))
    }
}

/// Whether two names are equal, apart from case and the difference between `-` and `_`.
fn is_same(a: &[u8], b: &[u8]) -> bool {
    let folded = |b: &u8| match b {
        b'-' => b'_',
        b => b.to_ascii_lowercase(),
    };
    a.len() == b.len() && a.iter().map(folded).eq(b.iter().map(folded))
}

/// The last two bytes of the names that are known, in lower case: for each last letter the bits
/// of those before it.
const PAIRS: [u32; 26] = {
    let mut pairs = [0; 26];
    let lists = [SECRET_PARAMS, SECRET_WORDS];
    let mut list = 0;
    while list < lists.len() {
        let mut at = 0;
        while at < lists[list].len() {
            let name = lists[list][at].as_bytes();
            let last = letter(name[name.len() - 1]);
            pairs[last as usize] |= 1 << letter(name[name.len() - 2]);
            at += 1;
        }
        list += 1;
    }
    pairs
};

/// The last two bytes of each name of a list, in lower case.
const fn ends<const LEN: usize>(list: &[&str]) -> [[u8; 2]; LEN] {
    let mut ends = [[0; 2]; LEN];
    let mut at = 0;
    while at < LEN {
        let name = list[at].as_bytes();
        let [.., before, last] = name else {
            panic!("a name of one byte");
        };
        ends[at] = [before.to_ascii_lowercase(), last.to_ascii_lowercase()];
        at += 1;
    }
    ends
}

const PARAM_ENDS: [[u8; 2]; SECRET_PARAMS.len()] = ends(SECRET_PARAMS);
const WORD_ENDS: [[u8; 2]; SECRET_WORDS.len()] = ends(SECRET_WORDS);
const PUBLIC_ENDS: [[u8; 2]; PUBLIC_WORDS.len()] = ends(PUBLIC_WORDS);

/// Returns those names of a list, with these ends, that end as `name` does.
fn ending_as<'l>(
    list: &'l [&'static str],
    ends: &'l [[u8; 2]],
    name: &[u8],
) -> impl Iterator<Item = &'static str> + use<'l> {
    let end = name
        .last_chunk::<2>()
        .map(|end| end.map(|b| b.to_ascii_lowercase()));
    let alike = list
        .iter()
        .zip(ends)
        .filter(move |(_, known)| Some(**known) == end);
    alike.map(|(name, _)| *name)
}

/// The number of a letter, from 0; a greater one for other bytes.
const fn letter(byte: u8) -> u8 {
    byte.to_ascii_lowercase().wrapping_sub(b'a')
}

/// Whether the name before the `=` at `at` may be one that is known. Most end otherwise.
pub(super) fn may_end_at(text: &[u8], at: usize) -> bool {
    match text[..at] {
        [.., last] if is_separator(last) => true,
        [.., before, last] => {
            let (before, last) = (letter(before), letter(last));
            before < 26 && last < 26 && PAIRS[usize::from(last)] >> before & 1 == 1
        }
        _ => false,
    }
}

/// Whether the value of the parameter `name` is known to be a secret.
fn is_well_known(name: &[u8]) -> bool {
    if !may_end_at(name, name.len()) {
        return false;
    }
    if ending_as(SECRET_PARAMS, &PARAM_ENDS, name).any(|one| is_same(one.as_bytes(), name)) {
        return true;
    }
    let len = name.iter().rposition(|b| !is_separator(*b));
    let name = &name[..len.map_or(0, |at| at + 1)];
    let mut starts = ending_as(SECRET_WORDS, &WORD_ENDS, name);
    match starts.find_map(|words| start_of(words, name)) {
        None => false,
        // Words that are not secret are longer.
        Some(0) => true,
        Some(_) => {
            let is_public = |words| start_of(words, name).is_some_and(|at| begins_word(name, at));
            !ending_as(PUBLIC_WORDS, &PUBLIC_ENDS, name).any(is_public)
        }
    }
}

fn is_separator(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.')
}

/// Returns the start of `words`, if `name` ends with them.
fn start_of(words: &str, name: &[u8]) -> Option<usize> {
    let mut at = name.len();
    for wanted in words.bytes().rev() {
        if wanted == b' ' {
            let separators = name[..at].iter().rev().take_while(|b| is_separator(**b));
            at -= separators.count();
        } else {
            at = at.checked_sub(1)?;
            if !name[at].eq_ignore_ascii_case(&wanted) {
                return None;
            }
        }
    }
    Some(at)
}

/// Whether a word begins at `at`: after a byte that is not a letter or digit, or where the
/// case changes, as in `pageToken` and `XMLToken`.
fn begins_word(name: &[u8], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|before| name[before]) else {
        return true;
    };
    let is_lower = |at: usize| name.get(at).is_some_and(u8::is_ascii_lowercase);
    !before.is_ascii_alphanumeric()
        || (name[at].is_ascii_uppercase() && (!before.is_ascii_uppercase() || is_lower(at + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_secret(name: &str) -> bool {
        let names = SecretNames {
            own: Vec::new(),
            well_known: true,
        };
        names.has(name.as_bytes(), true)
    }

    #[test]
    fn names_by_their_last_words_in_any_spelling() {
        for name in [
            "accessToken",
            "access_token",
            "access-token",
            "access.token",
            "accesstoken",
            "ACCESS_TOKEN",
            "AccessTOKEN",
            "XMLToken",
            "X-Plex-Token",
            "refreshtoken",
            "clientSecret",
            "userPassword",
            "userpass",
            "dbPwd",
            "passkey",
            "apiKey",
            "APIKey",
            "apikey",
            "api.key",
            "X-Api-Key",
            "aws_secret_access_key",
            "SharedAccessKey",
            "AccountKey",
            "Ocp-Apim-Subscription-Key",
            "my_session_id",
            "sessionID",
            "ASPSESSIONID",
            "jsessionid",
            "hdnts",
            "userSig",
            "X-Amz-Credential",
            "login_otp",
            "id.jwt",
            "user[accessToken]",
            "user[api_key][]",
            "#/clientSecret",
            "%61ccessToken",
            "access%255Ftoken",
            "access_token_",
            "asyncToken",
            "async_token",
            "mypagetoken",
            "by_pass",
        ] {
            assert!(is_secret(name), "{name}");
        }
    }

    #[test]
    fn false_friends() {
        for name in [
            "nextPageToken",
            "pageToken",
            "page_token",
            "PAGE-TOKEN",
            "nextpagetoken",
            "next_token",
            "syncToken",
            "cancelToken",
            "continuation-token",
            "NextContinuationToken",
            "keyword",
            "monkey",
            "turkey",
            "tokenize",
            "tokens",
            "author",
            "authority",
            "SharedAccessKeyName",
            "pass_through",
            "passenger",
            "compass",
            "bypass",
            "design",
            "config",
            "signatures",
            "public_key",
            "sort_key",
            "session_ids",
            "possession_id",
            "secretary",
            "hotp_",
            "",
            "_",
            "-.",
            "q",
            "page[token]s",
        ] {
            assert_eq!(is_secret(name), name == "hotp_", "{name}");
        }
    }

    /// No name of the list occurs twice.
    #[test]
    fn a_name_is_listed_when_no_word_covers_it() {
        for name in SECRET_PARAMS {
            let is_covered = SECRET_WORDS
                .iter()
                .any(|words| start_of(words, name.as_bytes()).is_some());
            assert!(!is_covered && is_secret(name), "{name}");
        }
        for words in PUBLIC_WORDS {
            let is_needed = SECRET_WORDS.iter().any(|secret| words.ends_with(secret));
            assert!(is_needed && !is_secret(&words.replace(' ', "")), "{words}");
        }
    }

    /// The names of earlier versions.
    #[test]
    fn names_that_were_listed_one_by_one_stay_secret() {
        for name in [
            "access_token",
            "refresh_token",
            "id_token",
            "id_token_hint",
            "token",
            "auth_token",
            "authtoken",
            "authenticity_token",
            "csrf_token",
            "csrfmiddlewaretoken",
            "session_token",
            "reset_token",
            "oauth_token",
            "oauth_token_secret",
            "oauth_verifier",
            "private_token",
            "jwt",
            "assertion",
            "client_assertion",
            "code",
            "code_verifier",
            "device_code",
            "auth",
            "authorization",
            "bearer",
            "ticket",
            "SAMLRequest",
            "SAMLResponse",
            "key",
            "api_key",
            "apikey",
            "api-key",
            "x-api-key",
            "access_key",
            "accesskey",
            "secret_key",
            "private_key",
            "subscription-key",
            "AWSAccessKeyId",
            "GoogleAccessId",
            "sig",
            "signature",
            "oauth_signature",
            "hmac",
            "X-Amz-Signature",
            "X-Amz-Credential",
            "X-Amz-Security-Token",
            "X-Goog-Signature",
            "X-Goog-Credential",
            "Key-Pair-Id",
            "password",
            "passwd",
            "pass",
            "passphrase",
            "pwd",
            "pw",
            "secret",
            "client_secret",
            "credential",
            "credentials",
            "otp",
            "pin",
            "session",
            "sessionid",
            "session_id",
            "sid",
            "PHPSESSID",
            "jsessionid",
            "ASPSESSIONID",
            "CFTOKEN",
        ] {
            assert!(is_secret(name) && is_secret(&name.to_uppercase()), "{name}");
        }
    }
}
