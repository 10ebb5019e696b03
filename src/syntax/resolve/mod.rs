//! Reference resolution: the target URI of a reference in a document with a base URI.
//! One file for each set of rules, whose results differ. Finding the base is left to
//! the caller.

mod answer;
mod base;
mod draft1993;
mod encoder;
#[cfg(feature = "html")]
mod failure;
mod notes;
mod rfc2396;
mod rfc3986;
mod rules;
#[cfg(feature = "html")]
mod whatwg;

pub use answer::{Resolved, Target, Unresolvable};
pub use base::{is_base_for, is_opaque};
pub use encoder::QueryEncoder;
pub use notes::{Note, Notes};
pub use rules::{Rules, UnknownRules};
#[cfg(feature = "html")]
pub(crate) use whatwg::UsualBase;
#[cfg(feature = "html")]
pub use {failure::Failure, whatwg::whatwg};

use base::Base;

/// Appends the target of `reference` to `out`, for the base URI `base` and by `rules`.
/// The earlier content of `out` is kept; after an error `out` is unchanged.
///
/// The rules of the RFCs work on bytes: every byte other than a delimiter is copied
/// unchanged, valid or not. Under the URL Standard, which works on characters, a byte
/// that is not UTF-8 is percent-encoded first.
///
/// # Errors
/// A base without a scheme; under [`Rules::Whatwg`] also a base or a reference that the
/// URL Standard rejects.
///
/// ```
/// use urisieve::syntax::resolve::{Rules, resolve};
/// let mut out = Vec::new();
/// resolve(Rules::Rfc3986, b"http://a/b/c/d;p?q", b"../g?y#s", &mut out)?;
/// assert_eq!(out, b"http://a/b/g?y#s");
/// # Ok::<(), urisieve::syntax::resolve::Unresolvable>(())
/// ```
pub fn resolve(
    rules: Rules,
    base: &[u8],
    reference: &[u8],
    out: &mut Vec<u8>,
) -> Result<Resolved, Unresolvable> {
    resolve_in(rules, base, reference, None, out)
}

/// Returns the target of `reference`, as [`resolve()`] appends it.
///
/// # Errors
/// The errors of [`resolve()`].
///
/// ```
/// use urisieve::syntax::resolve::{Rules, target};
/// assert_eq!(target(Rules::Rfc3986, b"http://a/b/c/d;p?q", b"../g?y#s")?, b"http://a/b/g?y#s");
/// # Ok::<(), urisieve::syntax::resolve::Unresolvable>(())
/// ```
pub fn target(rules: Rules, base: &[u8], reference: &[u8]) -> Result<Vec<u8>, Unresolvable> {
    let mut out = Vec::with_capacity(base.len() + reference.len());
    resolve(rules, base, reference, &mut out)?;
    Ok(out)
}

/// Does the same as [`resolve()`] for a reference in a document in another encoding than
/// UTF-8. Under [`Rules::Whatwg`] the query of the reference is encoded by `encoder`, if
/// the scheme of the result is special, but not `ws` or `wss`. The rules of the RFCs copy
/// bytes, and do not use the encoder.
///
/// # Errors
/// The errors of [`resolve()`].
///
/// ```
/// use std::borrow::Cow;
/// use urisieve::syntax::resolve::{Rules, resolve_in};
/// fn latin1(text: &str) -> Cow<'_, [u8]> {
///     text.chars().map(|c| c as u8).collect::<Vec<u8>>().into()
/// }
/// let mut out = Vec::new();
/// resolve_in(Rules::Whatwg, b"http://a/", "é?é".as_bytes(), Some(&latin1), &mut out)?;
/// assert_eq!(out, b"http://a/%C3%A9?%E9");
/// # Ok::<(), urisieve::syntax::resolve::Unresolvable>(())
/// ```
pub fn resolve_in(
    rules: Rules,
    base: &[u8],
    reference: &[u8],
    encoder: Option<QueryEncoder>,
    out: &mut Vec<u8>,
) -> Result<Resolved, Unresolvable> {
    #[cfg(not(feature = "html"))]
    let _ = encoder;
    let algorithm: fn(&Base, &[u8], &mut Vec<u8>) -> Resolved = match rules {
        Rules::Rfc3986 => rfc3986::resolve,
        Rules::Rfc2396 => rfc2396::resolve,
        Rules::Rfc1993 => draft1993::resolve,
        #[cfg(feature = "html")]
        Rules::Whatwg => return whatwg::resolve(base, reference, encoder, out),
    };
    let base = Base::of(base).ok_or(Unresolvable::BaseWithoutScheme)?;
    Ok(algorithm(&base, reference, out))
}
