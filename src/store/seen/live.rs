//! A store that grows while it is asked: what is committed is known from then on.

use super::fault::SeenError;
use super::reader::SeenReader;
use super::writer::SeenWriter;
use crate::dedup::{Answer, Keys, KnownKeys};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// A store in the state of its last commit.
///
/// ```
/// use std::time::Duration;
/// use urisieve::dedup::KnownKeys;
/// use urisieve::store::seen::{LiveSeen, SeenSettings, SeenWriter};
/// let root = tempfile::tempdir()?;
/// let store = root.path().join("store");
/// let writer = SeenWriter::open(&store, &SeenSettings::new(), Duration::ZERO)?;
/// let live = LiveSeen::new(writer.reader(usize::MAX)?);
/// live.reported(7);
/// let reported = live.reported_so_far();
/// // What was reported until then is committed here.
/// live.renew(&writer, reported)?;
/// assert_eq!(live.remembered(), Some(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LiveSeen {
    state: RwLock<Arc<SeenReader>>,
    reported: AtomicU64,
    remembered: AtomicU64,
    crowded: AtomicBool,
}

impl LiveSeen {
    /// A store that is in the state of `reader`.
    pub fn new(reader: SeenReader) -> LiveSeen {
        LiveSeen {
            state: RwLock::new(Arc::new(reader)),
            reported: AtomicU64::new(0),
            remembered: AtomicU64::new(0),
            crowded: AtomicBool::new(false),
        }
    }

    /// The number of findings of the run that were reported.
    pub fn reported_so_far(&self) -> u64 {
        self.reported.load(Ordering::Acquire)
    }

    /// Whether memory is used up until the next commit.
    pub fn is_crowded(&self) -> bool {
        self.crowded.load(Ordering::Relaxed)
    }

    /// Goes to the state of `writer`, which has the keys of the first `reported` findings.
    ///
    /// # Errors
    /// A new run cannot be read.
    pub fn renew(&self, writer: &SeenWriter, reported: u64) -> Result<(), SeenError> {
        let renewed = writer.renewed(&self.reader())?;
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(renewed);
        // After the state: a set that drops keys finds them there.
        self.remembered.fetch_max(reported, Ordering::Release);
        self.crowded.store(false, Ordering::Relaxed);
        Ok(())
    }

    /// The state.
    pub fn reader(&self) -> Arc<SeenReader> {
        let state = self.state.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&state)
    }
}

impl KnownKeys for LiveSeen {
    fn ask(&self, keys: &Keys<'_>, answers: &mut [Answer]) -> io::Result<()> {
        self.reader().ask(keys, answers)
    }

    fn remembered(&self) -> Option<u64> {
        Some(self.remembered.load(Ordering::Acquire))
    }

    fn reported(&self, findings: u64) {
        self.reported.store(findings, Ordering::Release);
    }

    fn crowded(&self) {
        self.crowded.store(true, Ordering::Relaxed);
    }
}
