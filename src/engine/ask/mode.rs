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

/// Selects the canonical forms that are reported.
#[derive(Clone, Default)]
pub(in crate::engine) struct Select {
    /// The schemes of those that are; all, if there are none.
    schemes: Vec<Box<[u8]>>,
    /// `None` selects all.
    choice: Option<Arc<Choice>>,
}

type Choice = dyn Fn(&[u8]) -> bool + Send + Sync;

impl Select {
    /// Adds schemes: only URIs of these are selected.
    pub(in crate::engine) fn add_schemes(&mut self, names: impl IntoIterator<Item = String>) {
        for mut name in names {
            name.truncate(name.find(':').unwrap_or(name.len()));
            self.schemes.push(name.into_bytes().into());
        }
    }

    /// Sets the choice of the caller.
    pub(in crate::engine) fn choose(&mut self, choice: Arc<Choice>) {
        self.choice = Some(choice);
    }

    /// Whether all URIs are selected.
    pub(in crate::engine) fn has_all(&self) -> bool {
        self.schemes.is_empty() && self.choice.is_none()
    }

    /// Whether `uri` is selected.
    pub(in crate::engine) fn has(&self, uri: &[u8]) -> bool {
        let is_of = |scheme: &[u8]| {
            let colon = uri.get(scheme.len()) == Some(&b':');
            colon && uri[..scheme.len()].eq_ignore_ascii_case(scheme)
        };
        let is_listed = || self.schemes.iter().any(|scheme| is_of(scheme));
        let chosen = self.choice.as_ref();
        (self.schemes.is_empty() || is_listed())
            && chosen.is_none_or(|choice| fault::call(|| choice(uri)))
    }
}

impl fmt::Debug for Select {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(if self.has_all() { "all" } else { "chosen" })
    }
}
