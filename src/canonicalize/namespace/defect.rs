//! A defect of the name in a URN, as a code and a sentence.

use std::fmt;

/// A defect of the name in a URN, which is a URN nevertheless.
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
    /// Creates a defect with this code, in kebab case, and a sentence that states the
    /// correct form.
    ///
    /// ```
    /// use urisieve::canonicalize::namespace::Defect;
    /// assert_eq!(Defect::new("x-shape", "an X is long").code(), "x-shape");
    /// ```
    pub const fn new(code: &'static str, sentence: &'static str) -> Defect {
        Defect { code, sentence }
    }

    /// Returns the code, for programs.
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
