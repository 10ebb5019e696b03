//! What is wrong with a name in a URN, as a code and a sentence.

use std::fmt;

/// Something wrong with the name in a URN that is a URN all the same.
///
/// ```
/// use urisieve::canonicalize::namespace;
/// let defect = namespace::defects(b"uuid", b"12").next().unwrap();
/// assert_eq!(defect.code(), "uuid-shape");
/// assert_eq!(defect.to_string(), "a UUID is 8-4-4-4-12 hexadecimal digits");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Defect {
    code: &'static str,
    sentence: &'static str,
}

impl Defect {
    /// A defect with this code, in kebab case, and a sentence that says how it
    /// should be.
    ///
    /// ```
    /// use urisieve::canonicalize::namespace::Defect;
    /// assert_eq!(Defect::new("x-shape", "an X is long").code(), "x-shape");
    /// ```
    pub const fn new(code: &'static str, sentence: &'static str) -> Defect {
        Defect { code, sentence }
    }

    /// The code, for programs.
    ///
    /// ```
    /// use urisieve::canonicalize::namespace;
    /// let mut defects = namespace::defects(b"isbn", b"0-395-36341-X");
    /// assert_eq!(defects.next().unwrap().code(), "isbn-check");
    /// ```
    pub const fn code(self) -> &'static str {
        self.code
    }
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.sentence)
    }
}
