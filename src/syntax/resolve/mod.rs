//! Reference resolution: the target URI of a reference in a document with a base URI.
//! One file for each set of rules, whose results differ. Where the base comes from is
//! left to the caller.

mod answer;
mod base;
mod draft1993;
mod notes;
mod rfc2396;
mod rfc3986;
mod rules;
#[cfg(feature = "whatwg")]
mod whatwg;

pub use answer::{Resolved, Target, Unresolvable};
pub use base::{is_base_for, is_opaque};
pub use notes::{Note, Notes};
pub use rules::{Rules, UnknownRules};
#[cfg(feature = "whatwg")]
pub use whatwg::{Failure, whatwg};

use base::Base;

/// Appends the target of `reference` to `out`, for the base URI `base` and by `rules`.
/// The earlier content of `out` is kept; after an error nothing was added.
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
    let algorithm: fn(&Base, &[u8], &mut Vec<u8>) -> Resolved = match rules {
        Rules::Rfc3986 => rfc3986::resolve,
        Rules::Rfc2396 => rfc2396::resolve,
        Rules::Rfc1993 => draft1993::resolve,
        #[cfg(feature = "whatwg")]
        Rules::Whatwg => return whatwg::resolve(base, reference, out),
    };
    let base = Base::of(base).ok_or(Unresolvable::BaseWithoutScheme)?;
    Ok(algorithm(&base, reference, out))
}
