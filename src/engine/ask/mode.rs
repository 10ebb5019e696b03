//! Which of the URIs that were found are reported: how equal ones are merged, and which
//! are selected.

use crate::engine::fault;
use std::fmt;
use std::sync::Arc;

/// The way in which equal URIs are reported.
///
/// ```
/// use urisieve::{Mode, Sieve};
/// let text = b"http://a.example/ http://b.example/ http://A.example/";
/// for (mode, wanted) in [(Mode::Distinct, 2), (Mode::All, 3), (Mode::Count, 2)] {
///     let mut found = 0;
///     let sieve = Sieve::builder().mode(mode).build();
///     sieve.for_each(text, |_| found += 1)?;
///     assert_eq!(found, wanted);
/// }
/// # Ok::<(), urisieve::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mode {
    /// Each class is reported once, at its first occurrence.
    #[default]
    Distinct,
    /// Every occurrence is reported.
    All,
    /// Each class is reported at the end, with the number of its occurrences.
    Count,
    /// Like `Count`, and each class has its spellings, with the number of occurrences of
    /// each spelling.
    Groups,
}

/// Selects the canonical forms that are reported; `None` selects all.
#[derive(Clone, Default)]
pub(in crate::engine) struct Select(pub Option<Arc<Choice>>);

type Choice = dyn Fn(&[u8]) -> bool + Send + Sync;

impl Select {
    /// Returns whether `uri` is selected.
    pub(in crate::engine) fn has(&self, uri: &[u8]) -> bool {
        let select = self.0.as_ref();
        select.is_none_or(|select| fault::call(|| select(uri)))
    }
}

impl fmt::Debug for Select {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.0.is_some() { "chosen" } else { "all" })
    }
}
