//! The settings of resources: threads, memory, and the control of work that is in progress.

use super::{Builder, ReadsInputs};
use crate::engine::Progress;
use crate::engine::ask::config::THREADS_MAX;
use crate::engine::runs::sieve::Sieve;
#[cfg(feature = "store")]
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Most bytes of a block: where its findings lie in what is kept of it is counted in 32
/// bits, and there is more of them than of it.
const BLOCK_MAX: usize = 16 << 20;

/// # Resources
///
/// Threads, memory, and the control of work that is in progress.
impl<T> Builder<T> {
    /// Adds a flag that ends the work once it is true: findings until then are reported, and
    /// so are counts. Default none.
    ///
    /// ```
    /// use std::sync::{Arc, atomic::AtomicBool};
    /// use urisieve::{Finder, Sieve};
    /// let flag = Arc::new(AtomicBool::new(true));
    /// let sieve = Sieve::builder().cancel(Arc::clone(&flag)).build();
    /// let stats = sieve.for_each(b"http://a.example/", |_| {})?;
    /// assert_eq!(stats.bytes, 0);
    /// assert_eq!(Finder::builder().cancel(flag).build().find("http://a.example/").count(), 0);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn cancel(mut self, flag: Arc<AtomicBool>) -> Self {
        self.config.reading.cancel.push(flag);
        self
    }
}

/// # Resources of runs
impl<T: ReadsInputs> Builder<T> {
    /// Sets how many threads do the work. Default: 1, which starts none; greater numbers
    /// than [`THREADS_MAX`](crate::THREADS_MAX) mean [`THREADS_MAX`](crate::THREADS_MAX). The findings and their order do not depend
    /// on it. One thread opens an input when it has read the one before. Several threads
    /// open later inputs ahead of their turn, but read only files and slices there, and
    /// pipes that have data.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().threads(2).build();
    /// let mut found = Vec::new();
    /// let text = b"http://b.example/\nhttp://a.example/\n";
    /// sieve.for_each(text, |finding| found.push(finding.offset))?;
    /// assert_eq!(found, [0, 18]);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn threads(mut self, threads: usize) -> Self {
        self.config.reading.threads = threads.clamp(1, THREADS_MAX);
        self
    }

    /// Sets how many bytes of memory a run may take, about; default any number. When they
    /// are used up, keys for which there is no room are written to a temporary file, and
    /// whether they are new is known only after all inputs. From the first such key on,
    /// findings are reported then, in their order: what is reported does not depend on the
    /// limit. A run also needs memory that the limit does not cover, up to 32 MiB. A run over
    /// catalogues keeps no keys; a record of more than 16 MiB is not read.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let text: String = (0..9999).map(|n| format!("http://a.example/{}\n", n % 5000)).collect();
    /// let run = |sieve: Sieve| {
    ///     let mut found = Vec::new();
    ///     sieve.for_each(text.as_bytes(), |finding| found.push(finding.uri.to_vec()))?;
    ///     Ok::<_, urisieve::Error>(found)
    /// };
    /// let limited = run(Sieve::builder().max_memory(100_000).build())?;
    /// assert_eq!(limited.len(), 5000);
    /// assert_eq!(limited, run(Sieve::builder().build())?);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    #[cfg(feature = "store")]
    pub fn max_memory(mut self, bytes: usize) -> Self {
        self.config.memory.max_memory = Some(bytes);
        self
    }

    /// Sets how many bytes a worker takes at a time; of catalogues at least so many. Default:
    /// 256 KiB; 0 means 1, and greater numbers than 16 MiB mean 16 MiB. The findings and
    /// records do not depend on it.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let sieve = Sieve::builder().block_size(1).build();
    /// sieve.for_each(b"<http://a.example/b\n c>", |finding| {
    ///     assert_eq!(finding.uri, b"http://a.example/bc");
    /// })?;
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn block_size(mut self, bytes: usize) -> Self {
        self.config.reading.block_size = bytes.clamp(1, BLOCK_MAX);
        self
    }

    /// Sets the counters of runs in progress, for other threads to read; default none.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use urisieve::{Progress, Sieve};
    /// let progress = Arc::new(Progress::default());
    /// let sieve = Sieve::builder().progress(Arc::clone(&progress)).build();
    /// sieve.for_each(b"http://a.example/", |_| {})?;
    /// assert_eq!(progress.bytes(), 17);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn progress(mut self, progress: Arc<Progress>) -> Self {
        self.config.report.progress = Some(progress);
        self
    }
}

/// # Resources of a sieve
impl Builder<Sieve> {
    /// Whether keys are compared by fingerprints of 128 bits, not by their bytes; default
    /// no. A set keeps 16 bytes of each key then, and at most 24 more, however long keys are.
    ///
    /// The fingerprints are SipHash-2-4 with a random key for each run, so that no input can
    /// be prepared whose keys have equal ones. Two different keys have equal ones by
    /// accident only, and the second one is not reported then:
    /// [`Stats::collision_probability`](crate::Stats::collision_probability) has the probability. Not for modes
    /// that count, which report the keys that the sets have, nor where nothing is compared.
    ///
    /// ```
    /// use urisieve::Sieve;
    /// let text = format!("http://a.example/{}", "b".repeat(3000));
    /// let sieve = Sieve::builder().fingerprints(true).build();
    /// assert_eq!(sieve.for_each(text.as_bytes(), |_| {})?.set_key_bytes, 16);
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn fingerprints(mut self, fingerprints: bool) -> Self {
        self.config.memory.fingerprints = fingerprints;
        self
    }

    /// Sets the directory of the temporary file. Default: that of
    /// [`std::env::temp_dir`]. The file has no name where the system allows that.
    ///
    /// ```
    /// use urisieve::{ErrorKind, Sieve};
    /// let text: String = (0..50_000).map(|n| format!("http://a.example/{n}\n")).collect();
    /// let sieve = Sieve::builder().max_memory(0).temp_dir("/no/such/directory").build();
    /// let error = sieve.for_each(text.as_bytes(), |_| {}).unwrap_err();
    /// assert_eq!(error.kind(), ErrorKind::TemporaryFile);
    /// ```
    #[cfg(feature = "store")]
    pub fn temp_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.config.memory.temp_dir = Some(directory.into());
        self
    }
}
