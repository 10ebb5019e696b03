//! Which texts of markup are searched beside its links.

#[cfg(feature = "html")]
use crate::syntax::class;

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
    /// Whether the text of these bytes, whose character references are not decoded, may
    /// be wanted. `has_some` is whether they have a colon or an ampersand, if that is known.
    #[cfg(feature = "html")]
    #[inline]
    pub(super) fn may_want(self, raw: &[u8], has_some: Option<bool>) -> bool {
        match self {
            Mentions::None => false,
            Mentions::WithColon => {
                has_some.unwrap_or_else(|| memchr::memchr2(b':', b'&', raw).is_some())
            }
            Mentions::All => true,
        }
    }

    /// Whether a text is wanted.
    #[cfg(feature = "html")]
    pub(super) fn wants(self, text: &[u8]) -> bool {
        match self {
            Mentions::None => false,
            Mentions::WithColon => {
                memchr::memchr_iter(b':', text).any(|at| at > 0 && class::SCHEME.has(text[at - 1]))
            }
            Mentions::All => !text.trim_ascii().is_empty(),
        }
    }
}
