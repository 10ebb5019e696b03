//! The result of resolution: the target of a reference, or why it cannot be resolved.

#[cfg(feature = "html")]
use super::failure::Failure;
use super::notes::Notes;
use std::fmt;

/// The result of resolving a reference; see [`resolve`](super::resolve()).
///
/// ```
/// use urisieve::syntax::resolve::{Rules, Target, resolve};
/// let mut out = Vec::new();
/// let resolved = resolve(Rules::Rfc3986, b"http://a/b", b"c", &mut out)?;
/// assert_eq!(resolved.target, Target::Uri);
/// assert!(resolved.notes.is_empty());
/// # Ok::<(), urisieve::syntax::resolve::Unresolvable>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Resolved {
    /// A URI or the document itself.
    pub target: Target,
    /// Notes about the result for the caller.
    pub notes: Notes,
}

impl Resolved {
    pub(super) const fn uri(notes: Notes) -> Resolved {
        let target = Target::Uri;
        Resolved { target, notes }
    }
}

/// Whether the result is a URI.
///
/// ```
/// use urisieve::syntax::resolve::{Rules, Target, resolve};
/// let mut out = Vec::new();
/// let resolved = resolve(Rules::Rfc2396, b"http://a/b", b"#s", &mut out)?;
/// assert_eq!((resolved.target, &*out), (Target::CurrentDocument, &b"#s"[..]));
/// # Ok::<(), urisieve::syntax::resolve::Unresolvable>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Target {
    /// The appended bytes are a URI.
    Uri,
    /// The reference is to the current document (1998 draft, section 4.2), which need
    /// not be the base; the appended bytes are the fragment with its `#`, or nothing.
    CurrentDocument,
}

impl Target {
    /// Returns the prefix of the appended bytes when the result is printed, as in
    /// appendix C of the 1998 draft.
    ///
    /// ```
    /// use urisieve::syntax::resolve::Target;
    /// assert_eq!(Target::CurrentDocument.prefix(), "(current document)");
    /// assert_eq!(Target::Uri.prefix(), "");
    /// ```
    pub const fn prefix(self) -> &'static str {
        match self {
            Target::Uri => "",
            Target::CurrentDocument => "(current document)",
        }
    }
}

/// Why a reference cannot be resolved.
///
/// ```
/// use urisieve::syntax::resolve::{Rules, Unresolvable, resolve};
/// let error = resolve(Rules::Rfc3986, b"/a/b", b"c", &mut Vec::new()).unwrap_err();
/// assert_eq!(error, Unresolvable::BaseWithoutScheme);
/// assert_eq!(error.to_string(), "the base has no scheme; a base must be an absolute URI");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unresolvable {
    /// The base is itself a relative reference (RFC 3986 section 5.1).
    BaseWithoutScheme,
    /// The URL Standard resolves only fragments against a base without hierarchy.
    OpaqueBase,
    /// The base is not a URL by the URL Standard.
    #[cfg(feature = "html")]
    Base(Failure),
    /// The reference is not a URL by the URL Standard.
    #[cfg(feature = "html")]
    Reference(Failure),
}

impl fmt::Display for Unresolvable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unresolvable::BaseWithoutScheme => {
                f.write_str("the base has no scheme; a base must be an absolute URI")
            }
            Unresolvable::OpaqueBase => f.write_str("the base has no hierarchy to resolve against"),
            #[cfg(feature = "html")]
            Unresolvable::Base(failure) => write!(f, "the base is not a URL: {failure}"),
            #[cfg(feature = "html")]
            Unresolvable::Reference(failure) => write!(f, "the reference is not a URL: {failure}"),
        }
    }
}

impl std::error::Error for Unresolvable {}
