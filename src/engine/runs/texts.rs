//! Many texts in memory, such as the rows of a column: `serial` searches them one after
//! the other, where nothing of a run is needed but its findings.

use super::serial::Serial;
use super::sieve::Sieve;
use crate::engine::ask::config::RunConfig;
use crate::engine::ask::mode::Mode;
use crate::engine::batches::findings::Findings;
use crate::engine::batches::stats::Stats;
use crate::engine::error::Error;
use crate::engine::fault;
use crate::input::Source;
use crate::item::Finding;

/// The place of a panic that ends a search.
const SEARCHED: &str = "while a text was searched";

impl Sieve {
    /// Calls `visit` with each finding of each text, one after the other. It gives what
    /// [`for_each_in`](Sieve::for_each_in) gives of [`Source::Text`]. With
    /// [`Mode::All`], one thread, and neither lines nor limits it is faster where texts are
    /// short, because there is no queue between the search and `visit`.
    ///
    /// # Errors
    /// Errors of starting threads, and a panic of `texts`, of `visit` or of another callback.
    /// A text that makes a stage panic is a bug; it counts as one of
    /// [`Stats::failed_inputs`], and the next text is searched.
    ///
    /// ```
    /// use urisieve::{Mode, Sieve};
    /// let mut found = Vec::new();
    /// let rows = [&b"HTTP://A.example/b"[..], b"", b"see urn:isbn:0395363411."];
    /// let sieve = Sieve::builder().mode(Mode::All).build();
    /// let stats = sieve.for_each_text(rows, |finding| {
    ///     found.push((finding.input, finding.uri.to_vec()));
    /// })?;
    /// assert_eq!(found[0], (0, b"http://a.example/b".to_vec()));
    /// assert_eq!(found[1], (2, b"urn:isbn:0395363411".to_vec()));
    /// assert_eq!((stats.bytes, stats.occurrences), (42, 2));
    /// # Ok::<(), urisieve::Error>(())
    /// ```
    pub fn for_each_text<'t, I>(
        &self,
        texts: I,
        mut visit: impl FnMut(&Finding) + Send,
    ) -> Result<Stats, Error>
    where
        I: IntoIterator<Item = &'t [u8]>,
        I::IntoIter: Send + 't,
    {
        if !needs_only_findings(&self.config) {
            return self.for_each_in(texts.into_iter().map(Source::Text), visit);
        }
        let mut number = 0;
        let searched = fault::catch(|| {
            let mut serial = Serial::new(&self.config);
            let mut stats = Stats::default();
            let mut report = |serial: &Serial| {
                let mut findings = Findings::new(&serial.batch, None, true);
                findings.by_ref().for_each(|finding| visit(&finding));
                stats += serial.batch.stats;
                stats.distinct += findings.classes;
            };
            let mut failed = 0;
            for text in texts {
                if serial.is_cancelled() {
                    break;
                }
                let mut searched = fault::catch(|| serial.search_first(text, number));
                loop {
                    match searched {
                        Ok(true) => report(&serial),
                        Ok(false) => break,
                        Err(panic) if panic.is_of_caller => {
                            return Err(panic.error(number, SEARCHED));
                        }
                        Err(_) => {
                            failed += 1;
                            serial = Serial::new(&self.config);
                            break;
                        }
                    }
                    searched = fault::catch(|| serial.search_next());
                }
                number += 1;
            }
            stats.failed_inputs = failed;
            Ok(stats)
        });
        searched.unwrap_or_else(|panic| Err(panic.error(number, SEARCHED)))
    }
}

/// Whether a run of this configuration would do nothing but search one text after the
/// other, and report every finding as it is.
fn needs_only_findings(config: &RunConfig) -> bool {
    let is_plain = config.keys.mode == Mode::All && config.keys.pairs.is_none();
    let is_serial = config.reading.threads == 1 && config.memory.max_memory.is_none();
    let has_lists = config.search.layout.is_some() || !config.search.layouts.is_empty();
    let has_order = config.report.sequence.is_some()
        || config.report.most.is_some()
        || config.report.known_inputs > 0;
    let is_watched = config.report.lines || config.report.progress.is_some();
    is_plain && is_serial && !has_lists && !has_order && !is_watched
}
