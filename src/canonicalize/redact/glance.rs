//! A glance at a text before its secrets are searched for: one pass over the bytes of most URIs
//! shows that they have none.

use super::{names, paths, shapes};
use crate::syntax::steps;

/// The kinds of bytes that a glance distinguishes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GlanceByte {
    /// Letters and digits.
    Plain,
    /// Between words.
    Separator,
    Dot,
    Equals,
    /// It may belong to a userinfo, to an escape, or to something that is no URI.
    Other,
}

static BYTES: [GlanceByte; 256] = {
    let mut bytes = [GlanceByte::Other; 256];
    let mut at = 0;
    while at < 128 {
        bytes[at] = match at as u8 {
            b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => GlanceByte::Plain,
            b'.' => GlanceByte::Dot,
            b'=' => GlanceByte::Equals,
            b'/' | b':' | b'?' | b'#' | b'&' | b'~' | b'!' | b'$' | b'*' | b'+' | b',' | b'-'
            | b'_' => GlanceByte::Separator,
            _ => GlanceByte::Other,
        };
        at += 1;
    }
    bytes
};

/// Whether `text` may have secrets: a userinfo, and with `well_known` all that are known.
pub(super) fn may_have_secrets(text: &[u8], well_known: bool) -> bool {
    steps::count(text.len());
    if !well_known {
        return text
            .iter()
            .any(|&byte| BYTES[usize::from(byte)] == GlanceByte::Other);
    }
    if shapes::begins_at(text, 0) {
        return true;
    }
    for (at, &byte) in text.iter().enumerate() {
        let may_be = match BYTES[usize::from(byte)] {
            GlanceByte::Plain => continue,
            GlanceByte::Other => true,
            GlanceByte::Separator => false,
            GlanceByte::Dot => paths::label_ends_at(text, at),
            GlanceByte::Equals => names::may_end_at(text, at),
        };
        if may_be || shapes::begins_at(text, at + 1) {
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonicalize::Redactor;
    use proptest::prelude::*;

    #[test]
    fn most_uris_have_none() {
        for (uri, wanted) in [
            (
                "https://www.a.example/p/x.html?q=1&lang=en&page=2#top",
                false,
            ),
            ("https://www.a.example/?token=1", true),
            ("https://www.a.example/?api_key_=1", true),
            ("https://hooks.slack.com/", true),
            ("https://www.a.example/ghp_0", true),
            ("npm_0", true),
            ("https://u@a.example/", true),
            ("https://a.example/?a%3db", true),
            ("https://a.example/?a&amp;b", true),
        ] {
            assert_eq!(may_have_secrets(uri.as_bytes(), true), wanted, "{uri}");
        }
    }

    proptest! {
        /// A text in which a secret is found is never passed over.
        #[test]
        fn no_secret_is_passed_over(
            text in r"([a-z]{1,3}://|http:|//)?(u:p@|[@:/?#&=;. _-]|[aA]piKey=|[a-z]{0,2}(token|sig|pw|sid|id|otp|page|key)=|code|%40|%2F|eyJ|ghp_|npm_0123456789|/bot1:|[dD]iscord\.com/api/webhooks/1/|hooks\.slack\.com/services/|office.com|IncomingWebhook/|0123456789|//|\\/|\]|\{|&#64;|é){0,16}"
        ) {
            for (redactor, well_known) in [(Redactor::secrets(), true), (Redactor::default(), false)] {
                let mut buffer = Vec::new();
                let mut search = super::super::SecretSearch::default();
                let mut end = text.len();
                let found = redactor.round(text.as_bytes(), &mut end, &mut buffer, &mut search);
                prop_assert!(!found || may_have_secrets(text.as_bytes(), well_known));
            }
        }
    }
}
