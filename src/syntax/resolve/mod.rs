//! Reference resolution: the URI that a reference stands for in a document with
//! a base URI. One file for each set of rules; they differ in their answers, and
//! each keeps its own. Where the base comes from is left to the caller.

mod draft1993;
mod rfc2396;
mod rfc3986;
mod rules;
#[cfg(feature = "whatwg")]
mod whatwg;

pub use rules::{Rules, UnknownRules};
#[cfg(feature = "whatwg")]
pub use whatwg::{Failure, whatwg};

use super::Components;
use std::fmt;

/// What a reference stands for; see [`resolve`].
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
pub struct Resolved {
    /// A URI or the document itself.
    pub target: Target,
    /// What the caller should know about the answer.
    pub notes: Notes,
}

impl Resolved {
    const fn uri(notes: Notes) -> Resolved {
        let target = Target::Uri;
        Resolved { target, notes }
    }
}

/// Whether the answer is a URI.
///
/// ```
/// use urisieve::syntax::resolve::{Rules, Target, resolve};
/// let mut out = Vec::new();
/// let resolved = resolve(Rules::Rfc2396, b"http://a/b", b"#s", &mut out)?;
/// assert_eq!((resolved.target, &*out), (Target::CurrentDocument, &b"#s"[..]));
/// # Ok::<(), urisieve::syntax::resolve::Unresolvable>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// What was appended is a URI.
    Uri,
    /// The reference is to the current document (1998 draft, section 4.2), which
    /// need not be the base; what was appended is the fragment with its `#`, or
    /// nothing.
    CurrentDocument,
}

impl Target {
    /// What stands before the appended bytes when the answer is printed, as in
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

/// One thing to know about an answer that the algorithm gave to the letter.
///
/// ```
/// use urisieve::syntax::resolve::{Note, Rules, resolve};
/// let resolved = resolve(Rules::Rfc3986, b"mailto:joe@a", b"x", &mut Vec::new())?;
/// assert!(resolved.notes.has(Note::OpaqueBase));
/// # Ok::<(), urisieve::syntax::resolve::Unresolvable>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Note {
    /// The base has neither an authority nor a path that begins with `/`.
    OpaqueBase,
    /// The base is a URN: its slashes and dots are no hierarchy (RFC 8141
    /// section 2).
    UrnBase,
    /// The reference is a URI without hierarchy, and yet dot segments were
    /// removed from it.
    OpaqueDots,
    /// A `..` that leads above the root was kept.
    AboveRoot,
    /// `/.` was put before a path that would have been read as an authority.
    Guarded,
}

impl Note {
    /// Every note there is.
    pub const ALL: [Note; 5] = [
        Note::OpaqueBase,
        Note::UrnBase,
        Note::OpaqueDots,
        Note::AboveRoot,
        Note::Guarded,
    ];
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Note::OpaqueBase => {
                "the base has no hierarchy to resolve against; the algorithm was followed to the letter"
            }
            Note::UrnBase => {
                "the base is a URN, which has no hierarchy; the algorithm was followed to the letter"
            }
            Note::OpaqueDots => {
                "the reference is a URI without hierarchy; its dot segments were removed to the letter"
            }
            Note::AboveRoot => "a \"..\" leads above the root; it was kept",
            Note::Guarded => "\"/.\" keeps the path from being read as an authority",
        })
    }
}

/// A set of [`Note`]s.
///
/// ```
/// use urisieve::syntax::resolve::{Note, Rules, resolve};
/// let resolved = resolve(Rules::Rfc2396, b"http://a/b", b"../g", &mut Vec::new())?;
/// assert_eq!(resolved.notes.iter().collect::<Vec<_>>(), [Note::AboveRoot]);
/// # Ok::<(), urisieve::syntax::resolve::Unresolvable>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Notes(u8);

impl Notes {
    /// Whether `note` is among them.
    ///
    /// ```
    /// use urisieve::syntax::resolve::{Note, Notes};
    /// assert!(!Notes::default().has(Note::AboveRoot));
    /// ```
    pub const fn has(self, note: Note) -> bool {
        self.0 & 1 << note as u8 != 0
    }

    /// Whether there is none.
    ///
    /// ```
    /// assert!(urisieve::syntax::resolve::Notes::default().is_empty());
    /// ```
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The notes, each once.
    ///
    /// ```
    /// use urisieve::syntax::resolve::Notes;
    /// assert_eq!(Notes::default().iter().count(), 0);
    /// ```
    pub fn iter(self) -> impl Iterator<Item = Note> {
        Note::ALL.into_iter().filter(move |&note| self.has(note))
    }

    fn add(&mut self, note: Note) {
        self.0 |= 1 << note as u8;
    }
}

/// Why a reference has no answer.
///
/// ```
/// use urisieve::syntax::resolve::{Rules, Unresolvable, resolve};
/// let error = resolve(Rules::Rfc3986, b"/a/b", b"c", &mut Vec::new()).unwrap_err();
/// assert_eq!(error, Unresolvable::BaseWithoutScheme);
/// assert_eq!(error.to_string(), "the base has no scheme: a base is a whole URI");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unresolvable {
    /// The base is itself a relative reference (RFC 3986 section 5.1).
    BaseWithoutScheme,
    /// The URL Standard resolves nothing but a fragment against a base without
    /// hierarchy.
    OpaqueBase,
    /// The URL Standard calls the base no URL.
    #[cfg(feature = "whatwg")]
    Base(Failure),
    /// The URL Standard finds no URL in the reference.
    #[cfg(feature = "whatwg")]
    Reference(Failure),
}

impl fmt::Display for Unresolvable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unresolvable::BaseWithoutScheme => {
                f.write_str("the base has no scheme: a base is a whole URI")
            }
            Unresolvable::OpaqueBase => f.write_str("the base has no hierarchy to resolve against"),
            #[cfg(feature = "whatwg")]
            Unresolvable::Base(failure) => write!(f, "the base is no URL: {failure}"),
            #[cfg(feature = "whatwg")]
            Unresolvable::Reference(failure) => write!(f, "the reference is no URL: {failure}"),
        }
    }
}

impl std::error::Error for Unresolvable {}

/// Appends to `out` what `reference` stands for when `base` is the base URI, by
/// `rules`. What stood in `out` is kept; after an error nothing was added.
///
/// The rules of the RFCs work on bytes: any byte that is no delimiter is taken
/// over as it is, valid or not. Under the URL Standard, which knows characters
/// only, a byte that is not UTF-8 is percent-encoded first.
///
/// # Errors
/// A base without a scheme; under [`Rules::Whatwg`] also a base or a reference
/// that the URL Standard refuses.
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

/// Whether `uri` has no hierarchy that a relative path could be resolved
/// against: no authority, and no path that begins with `/` (the `opaque_part` of
/// RFC 2396 section 3).
///
/// ```
/// use urisieve::syntax::resolve::is_opaque;
/// assert!(is_opaque(b"urn:example:a") && is_opaque(b"mailto:joe@a.example"));
/// assert!(!is_opaque(b"file:/etc/hosts") && !is_opaque(b"http://a"));
/// ```
pub fn is_opaque(uri: &[u8]) -> bool {
    let parts = Components::parse(uri);
    parts.authority(uri).is_none() && parts.path(uri).first() != Some(&b'/')
}

/// A base URI in its components; its fragment takes no part (RFC 3986 section 5.1).
struct Base<'u> {
    uri: &'u [u8],
    scheme: &'u [u8],
    authority: Option<&'u [u8]>,
    path: &'u [u8],
    query: Option<&'u [u8]>,
}

impl<'u> Base<'u> {
    fn of(uri: &'u [u8]) -> Option<Base<'u>> {
        let parts = Components::parse(uri);
        Some(Base {
            uri,
            scheme: parts.scheme(uri)?,
            authority: parts.authority(uri),
            path: parts.path(uri),
            query: parts.query(uri),
        })
    }

    /// All but the last segment of the path: up to its last slash, inclusive.
    fn directory(&self) -> &'u [u8] {
        let end = memchr::memrchr(b'/', self.path).map_or(0, |at| at + 1);
        &self.path[..end]
    }

    /// The note that a base without hierarchy deserves.
    fn notes(&self) -> Notes {
        let mut notes = Notes::default();
        if self.scheme.eq_ignore_ascii_case(b"urn") {
            notes.add(Note::UrnBase);
        } else if is_opaque(self.uri) {
            notes.add(Note::OpaqueBase);
        }
        notes
    }

    fn push_scheme(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.scheme);
        out.push(b':');
    }

    fn push_authority(&self, out: &mut Vec<u8>) {
        push_after(b"//", self.authority, out);
    }
}

/// Appends a component with its delimiter, or nothing when it is undefined.
fn push_after(delimiter: &[u8], component: Option<&[u8]>, out: &mut Vec<u8>) {
    if let Some(component) = component {
        out.extend_from_slice(delimiter);
        out.extend_from_slice(component);
    }
}
