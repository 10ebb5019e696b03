//! Which texts of markup are searched beside its links.

#[cfg(feature = "html")]
use crate::syntax::class;
#[cfg(feature = "html")]
use crate::syntax::masks::{near::each_of, stops::FindStops};

/// Which texts of markup are searched for mentions: URIs that are not links.
///
/// ```
/// use urisieve::decode::Mentions;
/// assert_eq!(Mentions::default(), Mentions::WithColon);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mentions {
    /// No text: only links are reported.
    None,
    /// Texts in which a colon follows a character of a scheme.
    #[default]
    WithColon,
    /// All texts: URIs without a scheme are wanted, or URIs with a disguised colon.
    All,
}

impl Mentions {
    /// Whether the text of these bytes, which are not converted and whose character references
    /// are not decoded, may be wanted. `has_some` is whether they have a colon or an ampersand,
    /// if that is known.
    #[cfg(feature = "html")]
    #[inline]
    pub(super) fn may_want(
        self,
        raw: &[u8],
        has_some: Option<bool>,
        colons: &dyn FindStops,
    ) -> bool {
        self.may_want_marked(has_some) && (self == Mentions::All || may_begin_uri(raw, colons))
    }

    /// Whether a text may be wanted, as far as that is known without a look at its bytes.
    #[cfg(feature = "html")]
    #[inline]
    pub(super) fn may_want_marked(self, has_some: Option<bool>) -> bool {
        match self {
            Mentions::None => false,
            Mentions::WithColon => has_some != Some(false),
            Mentions::All => true,
        }
    }

    /// Whether a text is wanted. Of most texts, `colons` shows that none of its colons is that
    /// of a URI.
    #[cfg(feature = "html")]
    pub(super) fn wants(self, text: &[u8], colons: &dyn FindStops) -> bool {
        match self {
            Mentions::None => false,
            Mentions::WithColon => {
                let is_behind_scheme = |at: &usize| *at > 0 && class::SCHEME.has(text[at - 1]);
                let mut found = each_of(*b":", text).filter(is_behind_scheme).peekable();
                found.peek().is_some()
                    && (found.any(|at| colons.may_begin_uri(text, at)) || has_codes(text))
            }
            Mentions::All => !text.trim_ascii().is_empty(),
        }
    }
}

/// Whether a colon of the text of these bytes may be that of a URI. Beside it may be a character
/// that is written in another way, or a soft hyphen, which is left out.
#[cfg(feature = "html")]
fn may_begin_uri(raw: &[u8], colons: &dyn FindStops) -> bool {
    let is_other = |byte: u8| !byte.is_ascii() || matches!(byte, b'&' | b';');
    let mut has_colon = false;
    let may_begin = |at: usize| {
        let after = raw.get(at + 1).copied();
        if raw[at] == b'&' {
            return may_hide_colon(&raw[at + 1..]);
        }
        let Some(before) = at.checked_sub(1).map(|before| raw[before]) else {
            return false;
        };
        has_colon |= class::SCHEME.has(before);
        is_other(before)
            || class::SCHEME.has(before)
                && (after.is_none_or(is_other) || colons.may_begin_uri(raw, at))
    };
    each_of(*b":&", raw).any(may_begin) || has_colon && has_codes(raw)
}

/// Whether a reference, whose bytes after `&` are at the start of `rest`, may be a colon or a
/// backslash, with which an escaped colon may begin. So may each number without `;`: its digits
/// would be taken for letters of a scheme before the next colon.
#[cfg(feature = "html")]
#[inline]
fn may_hide_colon(rest: &[u8]) -> bool {
    let is_number = |rest: &[u8], is_digit: fn(&u8) -> bool, hidden: [&[u8]; 2]| {
        let len = rest.iter().take_while(|&byte| is_digit(byte)).count();
        let zeros = rest[..len].iter().take_while(|&&digit| digit == b'0');
        let digits = &rest[zeros.count()..len];
        let is_hidden = hidden.iter().any(|one| digits.eq_ignore_ascii_case(one));
        is_hidden || rest.get(len) != Some(&b';')
    };
    let begins = |name: &[u8]| {
        let len = name.len().min(rest.len());
        rest[..len] == name[..len]
    };
    match rest {
        [b'#', b'x' | b'X', rest @ ..] => is_number(rest, u8::is_ascii_hexdigit, [b"3a", b"5c"]),
        [b'#', rest @ ..] => is_number(rest, u8::is_ascii_digit, [b"58", b"92"]),
        _ => begins(b"colon;") || begins(b"bsol;"),
    }
}

/// Whether a text may have colons that are written as escapes, or in UTF-16.
#[cfg(feature = "html")]
fn has_codes(text: &[u8]) -> bool {
    memchr::memchr2(b'\\', 0, text).is_some()
}

#[cfg(all(test, feature = "html"))]
mod tests {
    use super::*;
    use crate::escape::{References, markup_reference};

    #[test]
    fn references_of_colons_and_backslashes_are_looked_for() {
        let numbers = (0..400).flat_map(|number| {
            ["", "0", "000"].into_iter().flat_map(move |zeros| {
                let forms = [
                    format!("#{zeros}{number}"),
                    format!("#x{zeros}{number:x}"),
                    format!("#X{zeros}{number:X}"),
                ];
                forms.into_iter()
            })
        });
        let names = [
            "colon", "bsol", "Colon", "copy", "bull", "amp", "nbsp", "colone",
        ];
        let all = numbers.chain(names.map(str::to_owned));
        let (mut hidden, mut wanted) = (0, 0);
        for name in all {
            for text in [
                format!("{name};"),
                format!("{name}x"),
                format!("{name} "),
                name,
            ] {
                let whole = format!("&{text}");
                let modes = [
                    References::HtmlText,
                    References::HtmlAttribute,
                    References::Xml,
                ];
                let is_hidden = modes.into_iter().any(|mode| {
                    let found = markup_reference(whole.as_bytes(), 0, mode);
                    found.is_some_and(|found| matches!(found.first, ':' | '\\'))
                });
                let is_wanted = may_hide_colon(text.as_bytes());
                assert!(is_wanted || !is_hidden, "{whole}");
                hidden += usize::from(is_hidden);
                wanted += usize::from(is_wanted);
            }
        }
        assert!(hidden > 60 && wanted > hidden, "{hidden}, {wanted}");
        for usual in [
            "amp;", "amp", "#8217;", "#39;", "#x2019;", "copy;", "bull;", "quot;", "#160;", "#580;",
        ] {
            assert!(!may_hide_colon(usual.as_bytes()), "{usual}");
        }
        // More of the text may follow.
        for begun in ["", "#", "#x", "#x0", "#5", "#8217", "#x74", "co", "b"] {
            assert!(may_hide_colon(begun.as_bytes()), "{begun}");
        }
    }
}
