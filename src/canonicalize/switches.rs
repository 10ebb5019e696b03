//! Which rules are to apply: the level, and what the switches add to it.

use super::Level;
use super::glob::Pattern;
use std::sync::Arc;

/// What a canonicalizer is asked for. Every switch is off unless it is set.
#[derive(Clone, Debug, Default)]
pub(super) struct Switches {
    pub level: Level,
    pub keep_components: bool,
    pub strip_fragment: bool,
    pub sort_query: bool,
    pub fold_https: bool,
    pub strip_www: bool,
    /// Parameters of these names are left out.
    pub dropped: Option<Arc<Vec<Pattern>>>,
    pub isbn13: bool,
}

impl Switches {
    /// Whether one is on that changes more than the end of a URL.
    #[inline]
    pub fn edit(&self) -> bool {
        self.sort_query
            || self.fold_https
            || self.strip_www
            || self.isbn13
            || self.dropped.is_some()
    }
}
