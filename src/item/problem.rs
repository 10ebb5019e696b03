//! What may be wrong with a URI that is reported all the same.

use std::ops::{BitOr, BitOrAssign};

/// Something wrong with a URI. A malformed URI is data, not an error.
///
/// ```
/// use urisieve::{engine::Sieve, item::{Finding, Problem}};
/// let text = b"a http://a.example/100% b";
/// Sieve::builder().build().slice(text, &mut |finding: &Finding<'_>| {
///     assert!(finding.marks.problems.has(Problem::BadPercent));
/// })?;
/// # Ok::<(), urisieve::engine::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Problem {
    /// A character that no URI may hold stands inside a wrapper (B2, W2).
    BadChar,
    /// A bare candidate was ended by one of `{ } | ^ [ ]`, a backtick or an
    /// unexplained backslash, so it may be longer than what is reported (W2).
    Cut,
    /// Bytes that are not UTF-8 stand inside a wrapper.
    BadUtf8,
    /// The port is not a number (B8).
    BadPort,
    /// A `%` without two hexadecimal digits (B6).
    BadPercent,
    /// More nested URIs than are reported (S6).
    NestedLimit,
}

impl Problem {
    /// Every problem, in the order in which records list them.
    pub const ALL: [Problem; 6] = [
        Problem::BadChar,
        Problem::Cut,
        Problem::BadUtf8,
        Problem::BadPort,
        Problem::BadPercent,
        Problem::NestedLimit,
    ];

    /// The code that records and messages use.
    ///
    /// ```
    /// use urisieve::item::Problem;
    /// assert_eq!(Problem::BadUtf8.code(), "bad-utf8");
    /// ```
    pub const fn code(self) -> &'static str {
        match self {
            Problem::BadChar => "bad-char",
            Problem::Cut => "cut",
            Problem::BadUtf8 => "bad-utf8",
            Problem::BadPort => "bad-port",
            Problem::BadPercent => "bad-percent",
            Problem::NestedLimit => "nested-limit",
        }
    }

    /// What it says, in a few words.
    ///
    /// ```
    /// use urisieve::item::Problem;
    /// assert_eq!(Problem::BadPort.meaning(), "the port is not a number");
    /// ```
    pub const fn meaning(self) -> &'static str {
        match self {
            Problem::BadChar => "a character that no URI may hold stands inside a wrapper",
            Problem::Cut => "ended by one of { } | ^ [ ] ` \\: it may be longer",
            Problem::BadUtf8 => "bytes that are not UTF-8 stand inside a wrapper",
            Problem::BadPort => "the port is not a number",
            Problem::BadPercent => "a % without two hexadecimal digits",
            Problem::NestedLimit => "more nested URIs than are reported",
        }
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// A set of [`Problem`]s.
///
/// ```
/// use urisieve::item::{Problem, Problems};
/// let mut set = Problems::NONE;
/// set |= Problem::BadPort;
/// assert!(set.has(Problem::BadPort) && !set.has(Problem::Cut));
/// assert_eq!(set.iter().map(Problem::code).collect::<Vec<_>>(), ["bad-port"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Problems(u16);

impl Problems {
    /// The empty set.
    pub const NONE: Problems = Problems(0);

    /// Whether `problem` is in the set.
    ///
    /// ```
    /// use urisieve::item::{Problem, Problems};
    /// assert!(Problems::from(Problem::Cut).has(Problem::Cut));
    /// assert!(!Problems::NONE.has(Problem::Cut));
    /// ```
    pub const fn has(self, problem: Problem) -> bool {
        self.0 & problem.bit() != 0
    }

    /// Whether there is none.
    ///
    /// ```
    /// use urisieve::item::{Problem, Problems};
    /// assert!(Problems::NONE.is_empty());
    /// assert!(!Problems::from(Problem::Cut).is_empty());
    /// ```
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The problems in the order of [`Problem::ALL`].
    ///
    /// ```
    /// use urisieve::item::{Problem, Problems};
    /// let set = Problems::from(Problem::BadPercent) | Problems::from(Problem::BadChar);
    /// assert_eq!(set.iter().collect::<Vec<_>>(), [Problem::BadChar, Problem::BadPercent]);
    /// ```
    pub fn iter(self) -> impl Iterator<Item = Problem> {
        Problem::ALL.into_iter().filter(move |&p| self.has(p))
    }
}

impl From<Problem> for Problems {
    fn from(problem: Problem) -> Problems {
        Problems(problem.bit())
    }
}

impl BitOrAssign<Problem> for Problems {
    fn bitor_assign(&mut self, problem: Problem) {
        self.0 |= problem.bit();
    }
}

impl BitOrAssign for Problems {
    fn bitor_assign(&mut self, other: Problems) {
        self.0 |= other.0;
    }
}

impl BitOr for Problems {
    type Output = Problems;
    fn bitor(self, other: Problems) -> Problems {
        Problems(self.0 | other.0)
    }
}
