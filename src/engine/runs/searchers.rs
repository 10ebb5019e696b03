//! The searchers of a `Finder`, which its searches use one after the other, so that a short
//! text costs neither the building of the stages nor their buffers.

use super::serial::Serial;
use crate::canonicalize::{Canonicalizer, Level};
use crate::decode::InputFormat;
use crate::engine::ask::config::{KeyConfig, ReadingConfig, RunConfig};
use crate::engine::ask::mode::Mode;
use crate::engine::lock::lock;
use crate::engine::read::search::prefilter::Prefilter;
use std::fmt;
use std::sync::{Arc, Mutex};

/// The number of bytes that are searched at a time. It is small, so that the first match
/// of a large text is returned at once.
pub(super) const WINDOW: usize = 64 << 10;

/// The most searchers that are kept; more are needed only while more searches are unfinished.
const SPARE_MAX: usize = 64;

/// The searchers of a finder and of its clones, by the same rules.
#[derive(Clone)]
pub(super) struct Searchers(Arc<Shared>);

/// The parts that all searchers share.
struct Shared {
    config: RunConfig,
    prefilter: Prefilter,
    /// Searchers that no search uses.
    spare: Mutex<Vec<Box<Serial>>>,
}

impl Searchers {
    /// Returns the settings of a finder before the caller changes any: each URI is returned as
    /// it is written.
    pub(super) fn config() -> RunConfig {
        RunConfig {
            keys: KeyConfig {
                canonicalizer: Canonicalizer::new(Level::None),
                mode: Mode::All,
                ..KeyConfig::default()
            },
            reading: ReadingConfig {
                block_size: WINDOW,
                format: Some(InputFormat::text()),
                ..ReadingConfig::default()
            },
            ..RunConfig::default()
        }
    }

    pub(super) fn new(config: RunConfig) -> Searchers {
        Searchers(Arc::new(Shared {
            prefilter: Prefilter::new(&config.search),
            config,
            spare: Mutex::default(),
        }))
    }

    /// Whether no URI is in `text`. A text may have none and not be rejected.
    pub(super) fn reject(&self, text: &[u8]) -> bool {
        !self.0.config.reading.utf16 && self.0.prefilter.rejects(text)
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
