//! The searchers of a `Finder`, which its searches use one after the other, so that a short
//! text costs neither the building of the stages nor their buffers.

use super::serial::Serial;
use crate::canonicalize::{Canonicalizer, Level};
use crate::decode::InputFormat;
use crate::engine::ask::config::{KeyConfig, ReadingConfig, RunConfig, SearchConfig};
use crate::engine::ask::mode::Mode;
use crate::engine::lock::lock;
use crate::engine::read::prefilter::Prefilter;
use std::fmt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

/// The number of bytes that are searched at a time. It is small, so that the first match
/// of a large text is returned at once.
pub(super) const WINDOW: usize = 64 << 10;

/// The most searchers that are kept; more are needed only while more searches are unfinished.
const SPARE_MAX: usize = 64;

/// The rules of a finder.
#[derive(Clone, Debug, Default)]
pub(super) struct FinderRules {
    pub search: SearchConfig,
    pub utf16: bool,
    pub cancel: Vec<Arc<AtomicBool>>,
    /// The schemes of the URIs that are returned; all, if there are none.
    pub schemes: Vec<String>,
}

impl FinderRules {
    fn config(&self) -> RunConfig {
        RunConfig {
            search: self.search.clone(),
            keys: KeyConfig {
                canonicalizer: Canonicalizer::new(Level::None),
                mode: Mode::All,
                ..KeyConfig::default()
            },
            reading: ReadingConfig {
                block_size: WINDOW,
                cancel: self.cancel.clone(),
                utf16: self.utf16,
                format: Some(InputFormat::text()),
                ..ReadingConfig::default()
            },
            ..RunConfig::default()
        }
    }
}

/// The searchers of a finder and of its clones, by the same rules.
#[derive(Clone)]
pub(super) struct Searchers(Arc<Shared>);

/// The parts that all searchers share.
struct Shared {
    config: RunConfig,
    schemes: Vec<String>,
    prefilter: Prefilter,
    /// Searchers that no search uses.
    spare: Mutex<Vec<Box<Serial>>>,
}

impl Searchers {
    pub(super) fn new(rules: &FinderRules) -> Searchers {
        Searchers(Arc::new(Shared {
            config: rules.config(),
            schemes: rules.schemes.clone(),
            prefilter: Prefilter::new(&rules.search),
            spare: Mutex::default(),
        }))
    }

    /// Whether no URI is in `text`. A text may have none and not be rejected.
    pub(super) fn reject(&self, text: &[u8]) -> bool {
        !self.0.config.reading.utf16 && self.0.prefilter.rejects(text)
    }

    /// Whether `uri` is one that is returned.
    pub(super) fn returns(&self, uri: &[u8]) -> bool {
        let schemes = &self.0.schemes;
        let has = |scheme: &String| {
            let colon = uri.get(scheme.len()) == Some(&b':');
            colon && uri[..scheme.len()].eq_ignore_ascii_case(scheme.as_bytes())
        };
        schemes.is_empty() || schemes.iter().any(has)
    }

    /// Takes a searcher that no search uses.
    pub(super) fn take(&self) -> Box<Serial> {
        let spare = lock(&self.0.spare).pop();
        spare.unwrap_or_else(|| Box::new(Serial::new(&self.0.config, None)))
    }

    /// Gives back a searcher whose search has ended.
    pub(super) fn give_back(&self, serial: Box<Serial>) {
        let mut spare = lock(&self.0.spare);
        if spare.len() < SPARE_MAX {
            spare.push(serial);
        }
    }
}

impl fmt::Debug for Searchers {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.debug_struct("Searchers").finish_non_exhaustive()
    }
}
