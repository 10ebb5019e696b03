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
            // The names of colon and backslash, or a number.
            return matches!(after, None | Some(b'#' | b'c' | b'b'));
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

/// Whether a text may have colons that are written as escapes, or in UTF-16.
#[cfg(feature = "html")]
fn has_codes(text: &[u8]) -> bool {
    memchr::memchr2(b'\\', 0, text).is_some()
}
