//! Notes about a result that follows the algorithm literally but may surprise.

use std::fmt;

/// A note about a result that follows the algorithm literally.
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
    /// The base is a URN, whose slashes and dots form no hierarchy (RFC 8141 section
    /// 2).
    UrnBase,
    /// The reference is a URI without hierarchy, but dot segments were removed from it.
    OpaqueDots,
    /// A `..` above the root was kept.
    AboveRoot,
    /// `/.` was put before a path that would be read as an authority.
    Guarded,
}

impl Note {
    /// Every note.
    pub const ALL: &'static [Note] = &[
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
                "the reference is a URI without hierarchy; its dot segments were removed nevertheless"
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
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Notes(u8);

impl fmt::Debug for Notes {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("Notes")?;
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Notes {
    /// Whether `note` is in the set.
    ///
    /// ```
    /// use urisieve::syntax::resolve::{Note, Notes};
    /// assert!(!Notes::default().has(Note::AboveRoot));
    /// ```
    pub const fn has(self, note: Note) -> bool {
        self.0 & 1 << note as u8 != 0
    }

    /// Whether the set is empty.
    ///
    /// ```
    /// assert!(urisieve::syntax::resolve::Notes::default().is_empty());
    /// ```
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the notes, each once.
    ///
    /// ```
    /// use urisieve::syntax::resolve::Notes;
    /// assert_eq!(Notes::default().iter().count(), 0);
    /// ```
    pub fn iter(self) -> impl Iterator<Item = Note> {
        Note::ALL
            .iter()
            .copied()
            .filter(move |&note| self.has(note))
    }

    pub(super) fn add(&mut self, note: Note) {
        self.0 |= 1 << note as u8;
    }
}
