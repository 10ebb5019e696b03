//! The settings that decide which rules apply: the level and the switches.

use super::Level;
use super::glob::Pattern;
use std::fmt;
use std::sync::Arc;

/// Rules of lists that remove parameters from some URLs.
pub(super) trait ListedParams: fmt::Debug + Send + Sync {
    /// Whether `param` is removed from the query of `uri`.
    fn drops(&self, uri: &[u8], param: &[u8]) -> bool;
}

/// The settings of a canonicalizer. Every switch is off by default.
#[derive(Clone, Debug, Default)]
pub(super) struct Switches {
    pub level: Level,
    pub keep_components: bool,
    pub strip_fragment: bool,
    pub sort_query: bool,
    pub fold_https: bool,
    pub strip_www: bool,
    /// Parameters with these names are removed.
    pub dropped: Option<Arc<Vec<Pattern>>>,
    /// Parameters that these rules name are removed.
    pub listed: Option<Arc<dyn ListedParams>>,
    pub isbn13: bool,
}

impl Switches {
    /// Whether parameters are removed.
    #[inline]
    pub fn drops_params(&self) -> bool {
        self.dropped.is_some() || self.listed.is_some()
    }

    /// Whether a switch is on that changes more than the end of a URI: of a URN, or of another one.
    #[inline]
    pub fn edit(&self, is_urn: bool) -> bool {
        match is_urn {
            true => self.isbn13,
            false => self.sort_query || self.fold_https || self.strip_www || self.drops_params(),
        }
    }
}
