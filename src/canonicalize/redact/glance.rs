//! A glance at a text before its secrets are searched for: one pass over the bytes of most URIs
//! shows that they have none.

use super::names::{self, SecretNames};
use super::{paths, shapes};
use crate::syntax::{pct, steps};
use std::ops::Range;

/// The most values that a glance returns.
const VALUES_MAX: usize = 4;

/// The result of a glance at a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Glance {
    /// There is no secret.
    Nothing,
    /// The secrets are values of parameters in the query or fragment. Nothing in the text is
    /// escaped, a userinfo or a secret otherwise, so without them it is read as before.
    Values(GlanceValues),
    /// There may be others.
    Other,
}

/// Some values, from left to right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct GlanceValues {
    ranges: [Range<usize>; VALUES_MAX],
    number: usize,
}

impl GlanceValues {
    fn push(&mut self, range: Range<usize>) -> bool {
        let place = self.ranges.get_mut(self.number);
        self.number += usize::from(place.is_some());
        place.map(|place| *place = range).is_some()
    }

    pub(super) fn ranges(&self) -> &[Range<usize>] {
        &self.ranges[..self.number]
    }
}

/// The kinds of bytes that a glance distinguishes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GlanceByte {
    /// Letters and digits.
    Plain,
    /// Between words.
    Separator,
    Dot,
    Equals,
    Percent,
    /// A byte of a userinfo, of an escape, or of something that is not a URI.
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
            b'%' => GlanceByte::Percent,
            b'/' | b':' | b'?' | b'#' | b'&' | b'~' | b'!' | b'$' | b'*' | b'+' | b',' | b'-'
            | b'_' => GlanceByte::Separator,
            _ => GlanceByte::Other,
        };
        at += 1;
    }
    bytes
};

/// Looks for secrets in `text`: a userinfo, and those of `names`.
pub(super) fn glance_at(text: &[u8], names: &SecretNames) -> Glance {
    steps::count(text.len());
    let other = |is_other: bool| match is_other {
        true => Glance::Other,
        false => Glance::Nothing,
    };
    if names.is_empty() {
        let is_other = |byte: &u8| {
            let kind = BYTES[usize::from(*byte)];
            matches!(kind, GlanceByte::Other | GlanceByte::Percent)
        };
        return other(text.iter().any(is_other));
    }
    let is_shaped = |at: usize| names.well_known && shapes::begins_at(text, at);
    // Names of the caller end in any way.
    let may_end_at = |at: usize| !names.own.is_empty() || names::may_end_at(text, at);
    if is_shaped(0) {
        return Glance::Other;
    }
    let mut values = GlanceValues::default();
    let (mut value_end, mut is_encoded) = (0, false);
    for (at, &byte) in text.iter().enumerate() {
        let may_be = match BYTES[usize::from(byte)] {
            GlanceByte::Plain => continue,
            GlanceByte::Other => true,
            GlanceByte::Separator => false,
            GlanceByte::Dot => names.well_known && paths::label_ends_at(text, at),
            // A value has no names.
            GlanceByte::Equals if at < value_end => false,
            GlanceByte::Equals => {
                if may_end_at(at) && is_known_name(text, at, names) {
                    let Some(value) = value_in_query(text, at) else {
                        return Glance::Other;
                    };
                    value_end = value.end;
                    if !value.is_empty() && !values.push(value) {
                        return Glance::Other;
                    }
                }
                false
            }
            GlanceByte::Percent if is_plain_escape(text, at) => {
                if is_shaped(at + 3) || values.number > 0 {
                    return Glance::Other;
                }
                is_encoded = true;
                continue;
            }
            GlanceByte::Percent => true,
        };
        if may_be || is_shaped(at + 1) {
            return Glance::Other;
        }
    }
    match values.number {
        0 => Glance::Nothing,
        _ if is_encoded => Glance::Other,
        _ => Glance::Values(values),
    }
}

/// Returns the value after the `=` at `equals`, if that is in the query or fragment.
fn value_in_query(text: &[u8], equals: usize) -> Option<Range<usize>> {
    memchr::memchr2(b'?', b'#', &text[..equals])?;
    let start = equals + 1;
    let len = memchr::memchr2(b'&', b'#', &text[start..]);
    steps::count(text.len() - start);
    Some(start..len.map_or(text.len(), |len| start + len))
}

/// Whether the name before the `=` at `at` is one of `names`, wherever it is.
fn is_known_name(text: &[u8], at: usize, names: &SecretNames) -> bool {
    let is_before = |b: &u8| matches!(b, b'&' | b'?' | b'#' | b'=');
    let start = text[..at].iter().rposition(is_before);
    names.has(&text[start.map_or(0, |start| start + 1)..at], true)
}

/// Whether the escape at `at` means a blank, `/`, `,` or `+`, which end no name and no userinfo.
fn is_plain_escape(text: &[u8], at: usize) -> bool {
    let digit = |at: usize| text.get(at).and_then(|&byte| pct::hex_value(byte));
    let byte = digit(at + 1).zip(digit(at + 2));
    byte.is_some_and(|(high, low)| matches!(high << 4 | low, b' ' | b'/' | b',' | b'+'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonicalize::Redactor;
    use crate::canonicalize::redact::Round;

    fn names(own: &[&str], well_known: bool) -> SecretNames {
        SecretNames {
            own: own.iter().map(|&name| name.to_owned()).collect(),
            well_known,
        }
    }
    use proptest::prelude::*;

    #[test]
    fn most_uris_have_none() {
        for (uri, wanted) in [
            (
                "https://www.a.example/p/x.html?q=1&lang=en&page=2#top",
                false,
            ),
            ("https://www.a.example/?id=1&u=a%2Fb%20c", false),
            ("https://www.a.example/?u=%2Fghp_0", true),
            ("https://www.a.example/?token=1", true),
            ("https://www.a.example/?api_key_=1", true),
            ("https://hooks.slack.com/", true),
            ("https://www.a.example/ghp_0", true),
            ("npm_0", true),
            ("https://u@a.example/", true),
            ("https://a.example/?a%3db", true),
            ("https://a.example/?a&amp;b", true),
        ] {
            assert_eq!(
                glance_at(uri.as_bytes(), &names(&[], true)) != Glance::Nothing,
                wanted,
                "{uri}"
            );
        }
    }

    proptest! {
        /// A text in which a secret is found is never skipped.
        #[test]
        fn no_secret_is_skipped(
            text in r"([a-z]{1,3}://|http:|//)?(u:p@|[@:/?#&=;. _-]|[aA]piKey=|[a-z]{0,2}(token|sig|pw|sid|id|otp|page|key)=|[?&#](token|q|key)=|[xX]\.y=|a/b=|code|%40|%2F|%2f|%20|%3D|%25|eyJ|ghp_|npm_0123456789|/bot1:|[dD]iscord\.com/api/webhooks/1/|hooks\.slack\.com/services/|office.com|IncomingWebhook/|0123456789|//|\\/|\]|\{|&#64;|é){0,16}"
        ) {
            let own = ["q", "page", "a/b", "x.y"];
            for names in [names(&[], true), names(&[], false), names(&own, false), names(&own, true)] {
                let redactor = Redactor {
                    names: names.clone(),
                    ..Redactor::default()
                };
                let mut buffer = Vec::new();
                let mut search = super::super::SecretSearch::default();
                let mut end = text.len();
                let found = redactor.round(text.as_bytes(), &mut end, &mut buffer, &mut search);
                match glance_at(text.as_bytes(), &names) {
                    Glance::Other => {}
                    Glance::Nothing => prop_assert_eq!(found, Round::Unchanged),
                    // They are what the rounds find.
                    Glance::Values(values) => {
                        let hidden = redactor.redact(text.as_bytes(), &mut Vec::new()).to_vec();
                        let (mut again, mut rounds) = (Vec::new(), Vec::new());
                        let mut end = text.len();
                        match redactor.rounds(text.as_bytes(), text.len(), &mut rounds, &mut search) {
                            Some(_) => prop_assert_eq!(&hidden, &rounds),
                            None => prop_assert_eq!(&hidden, &text.as_bytes()),
                        }
                        prop_assert!(!values.ranges().is_empty());
                        let more = redactor.round(&hidden, &mut end, &mut again, &mut search);
                        prop_assert_eq!(more, Round::Unchanged);
                    }
                }
            }
        }
    }
}
